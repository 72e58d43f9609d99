//! What can be opened and played: `.steric` files, scene files and ready scenes.

use std::path::{Path, PathBuf};

use steric_world::animate::Puppet;

use super::script::{AnimateError, Script};

/// A puppet, and what there is to say about how it was made.
///
/// ```
/// use steric::animate::Opened;
///
/// let kinase = Opened::read("adenylate-kinase".as_ref())?.expect("it comes with steric");
/// assert_eq!(kinase.puppet.rig().clips[0].name, "sway");
/// assert!(Opened::of_bytes("1abc.pdb", b"ATOM", "".as_ref()).is_none(), "a structure alone");
/// # Ok::<(), steric::animate::AnimateError>(())
/// ```
#[derive(Debug)]
pub struct Opened {
    /// What it is called.
    pub name: String,
    /// The puppet.
    pub puppet: Puppet,
    /// Sentences for the user.
    pub notes: Vec<String>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
}

impl Opened {
    /// Opens a `.steric` file, a scene file or a ready scene; `None` for a path of something else.
    pub fn read(path: &Path) -> Result<Option<Self>, AnimateError> {
        if is_steric(path) {
            let (name, puppet) = (path.display().to_string(), Puppet::load(path)?);
            return Ok(Some(Self { name, puppet, notes: Vec::new(), files: vec![path.to_owned()] }));
        }
        match Script::named(path)? {
            Some((script, folder)) => script.open(&folder).map(Some),
            None => Ok(None),
        }
    }

    /// The same for a file that is in memory already; what it names lies in a folder.
    pub fn of_bytes(name: &str, bytes: &[u8], folder: &Path) -> Option<Result<Self, AnimateError>> {
        let path = Path::new(name);
        if is_steric(path) {
            let puppet = Puppet::load_bytes(bytes, path).map_err(AnimateError::from);
            let opened = |puppet| Self { name: name.to_owned(), puppet, notes: Vec::new(), files: Vec::new() };
            return Some(puppet.map(opened));
        }
        let text = str::from_utf8(bytes).ok().filter(|text| is_toml(path) && Script::is_in(text))?;
        Some(Script::read(text, path).and_then(|script| script.open(folder)))
    }
}

impl Script {
    /// The scene file at a path, or the ready scene of that name, and the folder that its files lie in; `None` for a path of something else.
    pub fn named(path: &Path) -> Result<Option<(Self, PathBuf)>, AnimateError> {
        if let Some(text) = path.to_str().and_then(scenes::animation) {
            return Ok(Some((Self::read(text, path)?, PathBuf::new())));
        }
        if !is_toml(path) {
            return Ok(None);
        }
        let failed = |source| steric_model::ReadError::Io { path: path.to_owned(), source };
        let text = std::fs::read_to_string(path).map_err(failed)?;
        if !Self::is_in(&text) && text.parse::<toml::Table>().is_ok() {
            return Ok(None);
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Some((Self::read(&text, path)?, folder)))
    }
}

/// Whether a path is that of a file which holds everything.
fn is_steric(path: &Path) -> bool {
    has_ending(path, "steric")
}

fn is_toml(path: &Path) -> bool {
    has_ending(path, "toml")
}

fn has_ending(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted))
}
