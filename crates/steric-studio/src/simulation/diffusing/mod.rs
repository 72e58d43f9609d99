//! Particles in motion, beside the window.
//!
//! How it works: a [`DiffuseSource`] is a scene file of `steric diffuse`. A [`Running`] one has a thread of its own that takes orders and goes from step to step; what it has
//! come to it leaves as [`Diffused`], as often as there are pictures. A page in a browser has no threads: there it goes on for some milliseconds in each frame.

mod history;
mod run;
mod shown;

use std::path::{Path, PathBuf};

use steric::diffuse::DiffuseScene;

pub use history::History;
pub(crate) use run::{DiffuseOrder, Running};
pub use shown::{Checked, Diffused};

use super::Source;

/// A scene of particles in motion.
///
/// ```
/// use steric_studio::simulation::DiffuseSource;
///
/// let cytoplasm = DiffuseSource::ready("cytoplasm").expect("it comes with steric");
/// assert!(cytoplasm.with("seed", "7").text.contains("\nseed = 7\n"));
/// assert!(DiffuseSource::ready("vesicle").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffuseSource {
    /// What it is called.
    pub name: String,
    /// The text of the scene file.
    pub text: String,
    /// Where the files lie that it names.
    pub folder: PathBuf,
}

impl DiffuseSource {
    /// A scene that comes with steric, by its name.
    pub fn ready(name: &str) -> Option<Self> {
        let text = scenes::diffusion(name)?.to_owned();
        Some(Self { name: name.to_owned(), text, folder: PathBuf::new() })
    }

    /// Whether a scene file is one of particles in motion: these have species and a time step, and no other has either. The text is looked at, as one with a mistake in it is to
    /// be told of what it is.
    pub fn is_in(text: &str) -> bool {
        let is_key =
            |line: &str, key: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
        text.lines().map(str::trim_start).any(|line| line.starts_with("[[species]]") || is_key(line, "time-step"))
    }

    /// The same with another value of a key that stands before all tables.
    #[must_use]
    pub fn with(&self, key: &str, value: &str) -> Self {
        let head = self.text.lines().take_while(|line| !line.trim_start().starts_with('['));
        let is_key =
            |line: &str| line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
        let own = head.enumerate().find(|(_, line)| is_key(line)).map(|(number, _)| number);
        let mut lines: Vec<String> = self.text.lines().map(ToOwned::to_owned).collect();
        let new = format!("{key} = {value}");
        match own {
            Some(number) => lines[number] = new,
            None => lines.insert(0, new),
        }
        Self { text: lines.join("\n") + "\n", ..self.clone() }
    }

    /// What the file says.
    pub(crate) fn scene(&self) -> Result<DiffuseScene, String> {
        DiffuseScene::read(&self.text, Path::new(&self.name)).map_err(|error| error.to_string())
    }
}

impl From<DiffuseSource> for Source {
    fn from(source: DiffuseSource) -> Self {
        Self::Diffuse(source)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn every_ready_scene_is_told_for_what_it_is() {
        for name in scenes::diffusion_names() {
            assert!(DiffuseSource::is_in(scenes::diffusion(name).unwrap()), "{name}");
        }
        for name in scenes::ready_names() {
            assert!(!DiffuseSource::is_in(scenes::ready(name).unwrap()), "{name}");
        }
    }

    #[test]
    fn a_key_is_changed_or_added_and_tables_are_left_alone() {
        let source = DiffuseSource {
            text: "box = [9.0, 9.0]\n[[species]]\nseed = 3\n".to_owned(),
            ..DiffuseSource::ready("cytoplasm").unwrap()
        };
        let added = source.with("seed", "5");
        assert_eq!(added.text, "seed = 5\nbox = [9.0, 9.0]\n[[species]]\nseed = 3\n");
        assert_eq!(added.with("seed", "6").text, added.text.replace("seed = 5", "seed = 6"));
    }
}
