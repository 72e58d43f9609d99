//! Errors and warnings that point at the place in the file that caused them.

use std::fmt;
use std::path::PathBuf;

/// A place in a file.
///
/// ```
/// use steric_model::{Place, ReadError};
///
/// let columns = Place::Line(7, Some((39, 46)));
/// let error = ReadError::content("lipid.pdb".as_ref(), columns, "the y coordinate in angstroms", "  -2.2x2");
/// assert!(error.to_string().starts_with("lipid.pdb:7: columns 39-46: expected the y coordinate"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line and, where the format has them, the first and last column of the field; all counted from 1.
    Line(usize, Option<(usize, usize)>),
    /// A byte offset, counted from 0, in a binary file.
    Byte(usize),
    /// The file as a whole, or its end.
    File,
}

/// What was expected and what was found, with the place where it was found.
///
/// ```
/// use steric_model::{Place, ReadError, formats::xyz::read_xyz};
///
/// let Err(ReadError::Content(located)) = read_xyz(b"1\nzinc\nZn 1.0 two 3.0\n", "zinc.xyz".as_ref()) else {
///     panic!("a word is no coordinate");
/// };
/// assert_eq!(located.found, "two");
/// assert!(matches!(located.place, Place::Line(3, _)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The file as the caller named it.
    pub path: PathBuf,
    /// Where in the file.
    pub place: Place,
    /// What should have been there, in words: `the y coordinate in angstroms`.
    pub expected: String,
    /// The text that was there instead.
    pub found: String,
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match self.place {
            Place::Line(line, None) => write!(f, ":{line}")?,
            Place::Line(line, Some((first, last))) => write!(f, ":{line}: columns {first}-{last}")?,
            Place::Byte(offset) => write!(f, ": byte {offset}")?,
            Place::File => {}
        }
        write!(f, ": expected {}, found {:?}", self.expected, self.found)
    }
}

impl std::error::Error for Located {}

/// Why a file could not be read.
///
/// ```
/// use steric_model::{ReadError, formats::read};
///
/// let missing = read("no-such-folder/crambin.pdb".as_ref());
/// assert!(matches!(&missing, Err(ReadError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound));
/// let message = missing.expect_err("there is no such file").to_string();
/// assert!(message.starts_with("no-such-folder/crambin.pdb: "));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The content is not what the format asks for.
    #[error("{0}")]
    Content(Box<Located>),
    /// The file could not be opened or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file as the caller named it.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
}

impl ReadError {
    /// An error about the content of a file; long texts are cut, because a broken file may hold anything.
    pub fn content(path: &std::path::Path, place: Place, expected: impl Into<String>, found: impl AsRef<[u8]>) -> Self {
        let found = cut(&String::from_utf8_lossy(found.as_ref()), 60);
        let expected = cut(&expected.into(), 240);
        Self::Content(Box::new(Located { path: path.to_owned(), place, expected, found }))
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Why a file could not be written.
///
/// ```
/// use steric_model::{Structure, WriteError, formats::write};
///
/// let refused = write("packed.mol2".as_ref(), &Structure::default());
/// let Err(WriteError::Unrepresentable(why)) = refused else { panic!("MOL2 is only read") };
/// assert!(why.starts_with("MOL2 files are read but not written; use one of .pdb"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file as the caller named it.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The format cannot hold this structure.
    #[error("{0}")]
    Unrepresentable(String),
}

/// A soft problem: reading went on, but the user should know.
///
/// ```
/// use steric_model::formats::gro::read_gro;
///
/// let text = b"one water\n1\n    1SOL     OW    1   0.126   1.624   1.679\n";
/// let parsed = read_gro(text, "water.gro".as_ref())?;
/// assert_eq!(parsed.warnings.first[0].to_string(), "frame 1 has no box line; it is read without a box");
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where in the file.
    pub place: Place,
    /// What was odd and what was done about it.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Line(line, None) => write!(f, "line {line}: ")?,
            Place::Line(line, Some((first, last))) => write!(f, "line {line}: columns {first}-{last}: ")?,
            Place::Byte(offset) => write!(f, "byte {offset}: ")?,
            Place::File => {}
        }
        f.write_str(&self.message)
    }
}

/// The warnings of one file: the first [`Warnings::KEPT`] in full, and how many there were.
///
/// ```
/// use steric_model::{Place, Warnings};
///
/// let mut warnings = Warnings::default();
/// for line in 1..=1000 {
///     warnings.push(Place::Line(line, None), || "no occupancy; taken as 1".to_owned());
/// }
/// assert_eq!((warnings.first.len(), warnings.total), (Warnings::KEPT, 1000));
/// assert_eq!(warnings.first[4].to_string(), "line 5: no occupancy; taken as 1");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// The first warnings, in file order.
    pub first: Vec<Warning>,
    /// How many there were in all.
    pub total: usize,
}

impl Warnings {
    /// How many warnings are kept in full; a broken file of a million lines must not make a million strings.
    pub const KEPT: usize = 20;

    /// Notes a problem; the message is only made while there is room for it.
    pub fn push(&mut self, place: Place, message: impl FnOnce() -> String) {
        self.total += 1;
        if self.first.len() < Self::KEPT {
            self.first.push(Warning { place, message: message() });
        }
    }
}

/// What a reader returns: the value, and what was odd about the file.
///
/// ```
/// use steric_model::{Parsed, formats::xyz::read_xyz};
///
/// let Parsed { value, warnings } = read_xyz(b"1\nzinc\nZn 1.0 2.0 3.0\n", "zinc.xyz".as_ref())?;
/// assert_eq!(value.name, "zinc");
/// assert_eq!(warnings.total, 0);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed<T> {
    /// What was read.
    pub value: T,
    /// What was odd about it.
    pub warnings: Warnings,
}
