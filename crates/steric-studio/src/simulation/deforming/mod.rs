//! Soft bodies in contact, beside the window.
//!
//! How it works: a [`DeformSource`] is a scene file of `steric deform`. A [`Running`] one goes from step to step beside the window; what it has come to it leaves as [`Deformed`], as
//! often as there are pictures. The picture knows only spheres, so that surfaces are covered with beads.

mod cover;
mod history;
mod run;
mod shown;
mod stage;

use std::path::{Path, PathBuf};

use steric::deform::DeformScene;

pub use history::SoftHistory;
pub(crate) use run::{DeformOrder, Running};
pub use shown::{Deformed, Numbers, SeenBody};

use super::Source;

/// A scene of soft bodies.
///
/// ```
/// use steric_studio::simulation::DeformSource;
///
/// let stack = DeformSource::ready("stack").expect("it comes with steric");
/// assert!(stack.with("seed", "7").text.starts_with("seed = 7\n"));
/// assert!(DeformSource::ready("vesicle").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeformSource {
    /// What it is called.
    pub name: String,
    /// The text of the scene file.
    pub text: String,
    /// Where the files lie that it names.
    pub folder: PathBuf,
}

impl DeformSource {
    /// A scene that comes with steric, by its name.
    pub fn ready(name: &str) -> Option<Self> {
        let text = scenes::deformation(name)?.to_owned();
        Some(Self { name: name.to_owned(), text, folder: PathBuf::new() })
    }

    /// Whether a scene file is one of soft bodies. The text is looked at, as one with a mistake in it is to be told of what it is.
    pub fn is_in(text: &str) -> bool {
        DeformScene::is_one(text)
    }

    /// The same with another value of a key that stands before all tables.
    #[must_use]
    pub fn with(&self, key: &str, value: &str) -> Self {
        let mut lines: Vec<String> = self.text.lines().map(ToOwned::to_owned).collect();
        set(&mut lines, 0, key, value);
        Self { text: lines.join("\n") + "\n", ..self.clone() }
    }

    /// The same with another value of a key of how bodies answer collisions.
    #[must_use]
    pub fn with_contact(&self, key: &str, value: &str) -> Self {
        let mut lines: Vec<String> = self.text.lines().map(ToOwned::to_owned).collect();
        let own = lines.iter().position(|line| line.trim_start().starts_with("[contact]"));
        let head = own.unwrap_or_else(|| {
            lines.extend([String::new(), "[contact]".to_owned()]);
            lines.len() - 1
        });
        set(&mut lines, head + 1, key, value);
        Self { text: lines.join("\n") + "\n", ..self.clone() }
    }

    /// What the file says.
    pub(crate) fn scene(&self) -> Result<DeformScene, String> {
        DeformScene::read(&self.text, Path::new(&self.name)).map_err(|error| error.to_string())
    }
}

/// Changes a key of the table whose keys begin at a line, or adds it.
fn set(lines: &mut Vec<String>, from: usize, key: &str, value: &str) {
    let is_key =
        |line: &String| line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
    let own = lines[from..].iter().take_while(|line| !line.trim_start().starts_with('[')).position(is_key);
    let new = format!("{key} = {value}");
    match own {
        Some(at) => lines[from + at] = new,
        None => lines.insert(from, new),
    }
}

impl From<DeformSource> for Source {
    fn from(source: DeformSource) -> Self {
        Self::Deform(source)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn every_ready_scene_is_told_for_what_it_is() {
        for name in scenes::deformation_names() {
            assert!(DeformSource::is_in(scenes::deformation(name).unwrap()), "{name}");
        }
        let others = scenes::diffusion_names().filter_map(scenes::diffusion);
        for text in others.chain(scenes::ready_names().filter_map(scenes::ready)) {
            assert!(!DeformSource::is_in(text), "{text}");
        }
    }

    #[test]
    fn keys_are_changed_or_added_where_they_belong() {
        let text = "floor = 0.0\n[[body]]\nfriction = 1\n".to_owned();
        let source = DeformSource { text, ..DeformSource::ready("stack").unwrap() };
        let added = source.with("floor", "1.0").with_contact("friction", "0.2");
        assert_eq!(added.text, "floor = 1.0\n[[body]]\nfriction = 1\n\n[contact]\nfriction = 0.2\n");
        assert_eq!(added.with_contact("friction", "0.3").text, added.text.replace("0.2", "0.3"));
    }
}
