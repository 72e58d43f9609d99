//! Pictures written to files: one picture, a film, or a folder of frames.
//!
//! How it works: the ending of the file says what is written. Everything is checked before the first frame is drawn (the ending,
//! the speed, whether there is an `ffmpeg`, whether the folder can be written to), because drawing may take hours. Frames go
//! to a temporary file beside the one that is asked for, which takes its name when the last frame is in it. So a film that is
//! dropped before its end leaves nothing, and a file of that name from before stays as it was.

mod error;
mod ffmpeg;
mod folder;
mod gif;
mod palette;
mod png;
mod temporary;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::Picture;
pub use error::FilmError;
use ffmpeg::Codec;

/// Frames a second that a film may have. Slower than one frame in 100 seconds or faster than any screen is a slip.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=1000.0;

/// A film that is being written. What it is follows from the ending of its file:
///
/// | ending | what is written |
/// |---|---|
/// | `.png` | one picture, or with more frames an animated PNG |
/// | `.apng` | an animated PNG: every pixel as it was drawn, for ever again |
/// | `.gif` | at most 255 colours a frame, pixels are there or not, at most 50 frames a second, for ever again |
/// | `.mp4`, `.mov` | H.264 by `ffmpeg`; what is transparent is shown on black |
/// | `.webm` | VP9 by `ffmpeg`; what is transparent is shown on black |
/// | `/`, or a folder that is there | `frame-0001.png` and so on; other files in the folder stay |
///
/// ```
/// use steric_view::{Film, Picture};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("sunrise.gif");
/// let mut film = Film::create(&path, 25.0, 3)?;
/// for red in [50, 150, 250] {
///     film.add(&Picture { width: 4, height: 2, pixels: vec![[red, 0, 0, 255]; 8] })?;
/// }
/// assert!(!path.exists());
/// film.finish()?;
/// assert!(path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Film {
    file: PathBuf,
    frames: usize,
    // Whether it may have fewer frames.
    is_open: bool,
    added: usize,
    // Of the first frame, and so of all others.
    size: Option<[u32; 2]>,
    // Gone after a frame that could not be written: what is in the file by then nobody can say.
    reel: Option<Box<dyn Reel + Send>>,
}

/// An hour at 25 frames a second, and ten times that.
const MOST_RECORDED: usize = 900_000;

/// Where the frames of a film go. All have one size, and come as often as was announced.
trait Reel {
    fn add(&mut self, picture: &Picture) -> Result<(), FilmError>;
    fn finish(self: Box<Self>) -> Result<(), FilmError>;
}

impl Film {
    /// Begins a film of so many frames. A single picture has one frame, and its speed does not matter.
    ///
    /// ```
    /// use steric_view::Film;
    ///
    /// let error = Film::create("film.avi".as_ref(), 25.0, 100).unwrap_err();
    /// assert!(error.to_string().starts_with("film.avi: expected a file that ends with .png, .apng, .gif,"));
    /// ```
    pub fn create(path: &Path, frames_per_second: f64, frames: usize) -> Result<Self, FilmError> {
        let file = path.to_path_buf();
        // The count of an animated PNG has 32 bits.
        if frames == 0 || u32::try_from(frames).is_err() {
            return Err(FilmError::NoFilm { file, found: frames });
        }
        if !SPEEDS.contains(&frames_per_second) {
            return Err(FilmError::Speed { file, found: frames_per_second });
        }
        let reel: Box<dyn Reel + Send> = match Kind::of(path)? {
            Kind::Folder => Box::new(folder::Folder::create(path, frames)?),
            Kind::Png if frames == 1 => Box::new(png::Still::create(path)?),
            Kind::Png | Kind::Apng => Box::new(png::Animated::create(path, frames_per_second, frames as u32)?),
            Kind::Gif => Box::new(gif::Gif::create(path, frames_per_second)?),
            Kind::Video(codec) => {
                Box::new(ffmpeg::Video::create(OsStr::new("ffmpeg"), path, codec, frames_per_second)?)
            }
        };
        Ok(Self { file, frames, is_open: false, added: 0, size: None, reel: Some(reel) })
    }

    /// Begins a film of as many frames as will come.
    ///
    /// ```
    /// use steric_view::{Film, Picture};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("seen.gif");
    /// let mut film = Film::record(&path, 25.0)?;
    /// for red in [50, 150] {
    ///     film.add(&Picture { width: 1, height: 1, pixels: vec![[red, 0, 0, 255]] })?;
    /// }
    /// film.finish()?;
    /// let error = Film::record("film.png".as_ref(), 25.0).unwrap_err();
    /// assert!(error.to_string().starts_with("film.png: expected .gif, .mp4, .mov, .webm or a folder"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record(path: &Path, frames_per_second: f64) -> Result<Self, FilmError> {
        if matches!(Kind::of(path)?, Kind::Png | Kind::Apng) {
            return Err(FilmError::Endless { file: path.to_path_buf() });
        }
        Ok(Self { is_open: true, ..Self::create(path, frames_per_second, MOST_RECORDED)? })
    }

    /// Adds the next frame. All frames have the size of the first.
    ///
    /// ```
    /// use steric_view::{Film, Picture};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("film.png");
    /// let mut film = Film::create(&path, 25.0, 2)?;
    /// film.add(&Picture { width: 1, height: 1, pixels: vec![[0; 4]] })?;
    /// let wrong = film.add(&Picture { width: 2, height: 1, pixels: vec![[0; 4]; 2] }).unwrap_err();
    /// assert!(wrong.to_string().ends_with("film.png: frame 2: expected 1 x 1 pixels, found 2 x 1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add(&mut self, picture: &Picture) -> Result<(), FilmError> {
        let frame = self.added + 1;
        if frame > self.frames {
            return Err(FilmError::Frames { file: self.file.clone(), expected: self.frames, found: frame });
        }
        self.check(picture, frame)?;
        let mut reel = self.reel.take().ok_or_else(|| FilmError::Broken { file: self.file.clone() })?;
        reel.add(picture)?;
        self.reel = Some(reel);
        self.size = Some([picture.width, picture.height]);
        self.added = frame;
        Ok(())
    }

    /// Ends the film: the file is there from now on.
    ///
    /// ```
    /// use steric_view::Film;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("film.png");
    /// let error = Film::create(&path, 25.0, 2)?.finish().unwrap_err();
    /// assert!(error.to_string().ends_with("film.png: expected 2 frames, found 0"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn finish(self) -> Result<(), FilmError> {
        let Some(reel) = self.reel else { return Err(FilmError::Broken { file: self.file }) };
        let expected = if self.is_open { 1 } else { self.frames };
        if self.added < expected {
            return Err(FilmError::Frames { file: self.file, expected, found: self.added });
        }
        reel.finish()
    }

    fn check(&self, picture: &Picture, frame: usize) -> Result<(), FilmError> {
        let file = || self.file.clone();
        let found = [picture.width, picture.height];
        let pixels = u64::from(picture.width) * u64::from(picture.height);
        if pixels == 0 || pixels != picture.pixels.len() as u64 {
            return Err(FilmError::Pixels { file: file(), frame, size: found, found: picture.pixels.len() });
        }
        match self.size {
            Some(expected) if expected != found => Err(FilmError::Size { file: file(), frame, expected, found }),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Film {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, frames, added, size, .. } = self;
        let mut shown = formatter.debug_struct("Film");
        shown.field("file", file).field("frames", frames).field("added", added).field("size", size);
        shown.finish_non_exhaustive()
    }
}

/// What a file is, by its ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Png,
    Apng,
    Gif,
    Video(Codec),
    Folder,
}

impl Kind {
    fn of(path: &Path) -> Result<Self, FilmError> {
        if path.is_dir() || path.as_os_str().as_encoded_bytes().last().is_some_and(|&end| is_separator(end)) {
            return Ok(Self::Folder);
        }
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        Ok(match ending.as_deref() {
            Some("png") => Self::Png,
            Some("apng") => Self::Apng,
            Some("gif") => Self::Gif,
            Some("mp4") => Self::Video(Codec::Mp4),
            Some("mov") => Self::Video(Codec::Mov),
            Some("webm") => Self::Video(Codec::Webm),
            _ => return Err(FilmError::Ending { file: path.to_path_buf(), found: ending }),
        })
    }
}

fn is_separator(byte: u8) -> bool {
    std::path::is_separator(char::from(byte))
}
