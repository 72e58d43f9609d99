//! GIF: few colours, but every browser and every slide shows it.
//!
//! How it works: each frame has a palette of its own, so that a film that goes from red to blue has all its colours for each.
//! A pixel is there or not: from half opacity on it is. A frame clears the one before, as that may show through.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use tempfile::NamedTempFile;

use super::{FilmError, Reel, palette};
use crate::Picture;

/// Browsers take shorter ones, in hundredths of a second, for ten.
const SHORTEST_DELAY: u16 = 2;

pub(super) struct Gif {
    path: PathBuf,
    temporary: NamedTempFile,
    frames_per_second: f64,
    added: u32,
    // From the first frame on, when the size is known.
    encoder: Option<Encoder<BufWriter<File>>>,
}

impl Gif {
    pub(super) fn create(path: &Path, frames_per_second: f64) -> Result<Self, FilmError> {
        let temporary = steric_model::file_beside(path).map_err(|error| FilmError::io(path, error))?;
        Ok(Self { path: path.to_path_buf(), temporary, frames_per_second, added: 0, encoder: None })
    }

    fn begin(&self, [width, height]: [u16; 2]) -> io::Result<Encoder<BufWriter<File>>> {
        let file = BufWriter::new(self.temporary.as_file().try_clone()?);
        let mut encoder = Encoder::new(file, width, height, &[]).map_err(to_io)?;
        encoder.set_repeat(Repeat::Infinite).map_err(to_io)?;
        Ok(encoder)
    }

    /// Hundredths of a second that the next frame is shown. Rounding each alike would make 30 frames a second 33, so
    /// the ends of the frames are rounded.
    fn delay(&self) -> u16 {
        let end = |frame: u32| (f64::from(frame) * 100.0 / self.frames_per_second).round();
        // Speeds of a hundredth and more give at most 10,000.
        ((end(self.added + 1) - end(self.added)) as u16).max(SHORTEST_DELAY)
    }

    fn frame(&self, picture: &Picture, [width, height]: [u16; 2]) -> Frame<'static> {
        let palette::Indexed { colours, pixels, clear } = palette::index(&picture.pixels);
        let frame = Frame::from_palette_pixels(width, height, pixels, colours.as_flattened(), clear);
        Frame { delay: self.delay(), dispose: DisposalMethod::Background, ..frame }
    }
}

impl Reel for Gif {
    fn add(&mut self, picture: &Picture) -> Result<(), FilmError> {
        let found = [picture.width, picture.height];
        let (Ok(width), Ok(height)) = (u16::try_from(found[0]), u16::try_from(found[1])) else {
            return Err(FilmError::TooLarge { file: self.path.clone(), most: u32::from(u16::MAX), found });
        };
        let failed = |error| FilmError::io(&self.path, error);
        let mut encoder = match self.encoder.take() {
            Some(encoder) => encoder,
            None => self.begin([width, height]).map_err(failed)?,
        };
        encoder.write_frame(&self.frame(picture, [width, height])).map_err(|error| failed(to_io(error)))?;
        self.encoder = Some(encoder);
        self.added += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), FilmError> {
        let Self { path, temporary, encoder, .. } = *self;
        if let Some(encoder) = encoder {
            let ended = encoder.into_inner().map_err(to_io).and_then(|mut file| file.flush());
            ended.map_err(|error| FilmError::io(&path, error))?;
        }
        temporary.persist(&path).map_err(|error| FilmError::io(&path, error.error))?;
        Ok(())
    }
}

fn to_io(error: EncodingError) -> io::Error {
    match error {
        EncodingError::Io(error) => error,
        other => io::Error::other(other),
    }
}
