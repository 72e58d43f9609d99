//! What can go wrong with a film.

use std::io;
use std::path::{Path, PathBuf};

/// Why a film could not be written, or a picture not be read.
///
/// ```
/// use steric_view::{Film, FilmError};
///
/// let error = Film::create("film.gif".as_ref(), -1.0, 100).unwrap_err();
/// assert!(matches!(error, FilmError::Speed { .. }));
/// assert_eq!(error.to_string(), "film.gif: expected 0.01 to 1000 frames a second, found -1");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilmError {
    /// The ending of the file says nothing.
    #[error(
        "{}: expected a file that ends with .png, .apng, .gif, .mp4, .mov or .webm, .glb for the scene itself, or a folder that ends with /, found {}",
        file.display(), ending(.found)
    )]
    Ending {
        /// The file as the caller named it.
        file: PathBuf,
        /// Its ending, in small letters.
        found: Option<String>,
    },
    /// The speed cannot be.
    #[error("{}: expected 0.01 to 1000 frames a second, found {found}", file.display())]
    Speed {
        /// The file as the caller named it.
        file: PathBuf,
        /// Frames a second.
        found: f64,
    },
    /// A file of this kind says at its start how many frames it has.
    #[error("{}: expected .gif, .mp4, .mov, .webm or a folder that ends with / for a film whose length is not known yet", file.display())]
    Endless {
        /// The file as the caller named it.
        file: PathBuf,
    },
    /// So many frames are no film.
    #[error("{}: expected 1 to {} frames, found {found}", file.display(), u32::MAX)]
    NoFilm {
        /// The file as the caller named it.
        file: PathBuf,
        /// How many were announced.
        found: usize,
    },
    /// More or fewer frames than were announced.
    #[error("{}: expected {expected} frames, found {found}", file.display())]
    Frames {
        /// The file as the caller named it.
        file: PathBuf,
        /// How many were announced.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// A frame differs in size from the first.
    #[error(
        "{}: frame {frame}: expected {} x {} pixels, found {} x {}",
        file.display(), .expected[0], .expected[1], .found[0], .found[1]
    )]
    Size {
        /// The file as the caller named it.
        file: PathBuf,
        /// Which frame; the first is 1.
        frame: usize,
        /// Width and height of the first frame.
        expected: [u32; 2],
        /// Width and height of this one.
        found: [u32; 2],
    },
    /// A picture has no pixels, or not as many as its width and height say.
    #[error("{}: frame {frame}: expected the pixels of {} x {}, found {found}", file.display(), .size[0], .size[1])]
    Pixels {
        /// The file as the caller named it.
        file: PathBuf,
        /// Which frame; the first is 1.
        frame: usize,
        /// Its width and height.
        size: [u32; 2],
        /// How many pixels it has.
        found: usize,
    },
    /// The format has no room for such a picture.
    #[error("{}: expected at most {most} pixels in a row or column, found {} x {}", file.display(), .found[0], .found[1])]
    TooLarge {
        /// The file as the caller named it.
        file: PathBuf,
        /// The largest width and height of the format.
        most: u32,
        /// Width and height of the picture.
        found: [u32; 2],
    },
    /// The film goes on after a frame that could not be written.
    #[error("{}: expected a film that can go on, found one with a frame that could not be written", file.display())]
    Broken {
        /// The file as the caller named it.
        file: PathBuf,
    },
    /// There is no `ffmpeg`.
    #[error(
        "{}: expected the program ffmpeg on the PATH, found none; install the package ffmpeg (apt install ffmpeg, \
         brew install ffmpeg, winget install ffmpeg) or write a .gif or a .png, which need no other program",
        file.display()
    )]
    NoFfmpeg {
        /// The file as the caller named it.
        file: PathBuf,
    },
    /// `ffmpeg` gave up.
    #[error("{}: expected ffmpeg to write the film, found: {message}", file.display())]
    Ffmpeg {
        /// The file as the caller named it.
        file: PathBuf,
        /// What it said.
        message: String,
    },
    /// The operating system refused, or a picture that is read is no PNG.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file as the caller named it.
        file: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl FilmError {
    /// The operating system's reason, with the file that the caller named.
    pub(super) fn io(file: &Path, reason: impl Into<io::Error>) -> Self {
        Self::Io { file: file.to_path_buf(), source: reason.into() }
    }
}

fn ending(found: &Option<String>) -> String {
    found.as_ref().map_or_else(|| "no ending".to_owned(), |ending| format!(".{ending}"))
}
