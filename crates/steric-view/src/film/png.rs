//! PNG: one picture, or an animation of them.
//!
//! How it works: an animated PNG is a PNG with more pictures behind the first. Each replaces the one before in all its pixels,
//! so that transparent ones stay so.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use png::{BitDepth, ColorType, Encoder, SrgbRenderingIntent, Transformations, Writer};
use tempfile::NamedTempFile;

use super::{FilmError, Reel};
use crate::Picture;

impl Picture {
    /// Reads a PNG of any kind. Of an animated one the first picture is read, of 16 bits the higher eight.
    ///
    /// ```
    /// use steric_view::{Film, Picture};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("red.png");
    /// let red = Picture { width: 3, height: 1, pixels: vec![[255, 0, 0, 100]; 3] };
    /// let mut film = Film::create(&path, 1.0, 1)?;
    /// film.add(&red)?;
    /// film.finish()?;
    /// assert_eq!(Picture::read_png(&path)?, red);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_png(path: &Path) -> Result<Self, FilmError> {
        let file = File::open(path).map_err(|error| FilmError::io(path, error))?;
        read(BufReader::new(file)).map_err(|error| FilmError::io(path, error))
    }

    /// The bytes of a PNG file, to be put into something else, such as a page.
    ///
    /// ```
    /// use steric_view::Picture;
    ///
    /// let red = Picture { width: 3, height: 1, pixels: vec![[255, 0, 0, 255]; 3] };
    /// assert!(red.to_png()?.starts_with(b"\x89PNG"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn to_png(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        write(&mut bytes, self)?;
        Ok(bytes)
    }
}

fn read(file: BufReader<File>) -> io::Result<Picture> {
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let mut reader = decoder.read_info()?;
    let bytes = reader.output_buffer_size().ok_or(io::ErrorKind::OutOfMemory)?;
    let mut bytes = vec![0; bytes];
    let frame = reader.next_frame(&mut bytes)?;
    bytes.truncate(frame.buffer_size());
    let pixels = match frame.color_type {
        ColorType::GrayscaleAlpha => {
            bytes.chunks_exact(2).map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]]).collect()
        }
        _ => bytemuck::cast_slice(&bytes).to_vec(),
    };
    Ok(Picture { width: frame.width, height: frame.height, pixels })
}

/// Writes one picture.
pub(super) fn write(file: impl Write, picture: &Picture) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    let mut writer = encoder(&mut file, picture).write_header()?;
    writer.write_image_data(picture.pixels.as_flattened())?;
    writer.finish()?;
    file.flush()
}

fn encoder<W: Write>(file: W, picture: &Picture) -> Encoder<'static, W> {
    let mut encoder = Encoder::new(file, picture.width, picture.height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    encoder
}

/// One picture.
pub(super) struct Still {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl Still {
    pub(super) fn create(path: &Path) -> Result<Self, FilmError> {
        let temporary = steric_model::file_beside(path).map_err(|error| FilmError::io(path, error))?;
        Ok(Self { path: path.to_path_buf(), temporary })
    }
}

impl Reel for Still {
    fn add(&mut self, picture: &Picture) -> Result<(), FilmError> {
        write(self.temporary.as_file_mut(), picture).map_err(|error| FilmError::io(&self.path, error))
    }

    fn finish(self: Box<Self>) -> Result<(), FilmError> {
        self.temporary.persist(&self.path).map_err(|error| FilmError::io(&self.path, error.error))?;
        Ok(())
    }
}

/// An animation.
pub(super) struct Animated {
    path: PathBuf,
    temporary: NamedTempFile,
    frames: u32,
    delay: [u16; 2],
    // From the first frame on, when the size is known.
    writer: Option<Writer<BufWriter<File>>>,
}

impl Animated {
    pub(super) fn create(path: &Path, frames_per_second: f64, frames: u32) -> Result<Self, FilmError> {
        let temporary = steric_model::file_beside(path).map_err(|error| FilmError::io(path, error))?;
        Ok(Self { path: path.to_path_buf(), temporary, frames, delay: delay(frames_per_second), writer: None })
    }

    fn begin(&self, picture: &Picture) -> io::Result<Writer<BufWriter<File>>> {
        let mut encoder = encoder(BufWriter::new(self.temporary.as_file().try_clone()?), picture);
        // Played 0 times: for ever.
        encoder.set_animated(self.frames, 0)?;
        encoder.set_frame_delay(self.delay[0], self.delay[1])?;
        Ok(encoder.write_header()?)
    }
}

impl Reel for Animated {
    fn add(&mut self, picture: &Picture) -> Result<(), FilmError> {
        let failed = |error| FilmError::io(&self.path, error);
        let mut writer = match self.writer.take() {
            Some(writer) => writer,
            None => self.begin(picture).map_err(failed)?,
        };
        writer.write_image_data(picture.pixels.as_flattened()).map_err(|error| failed(error.into()))?;
        self.writer = Some(writer);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), FilmError> {
        let Self { path, temporary, writer, .. } = *self;
        if let Some(writer) = writer {
            writer.finish().map_err(|error| FilmError::io(&path, error))?;
        }
        temporary.persist(&path).map_err(|error| FilmError::io(&path, error.error))?;
        Ok(())
    }
}

/// Seconds from frame to frame as a fraction of two numbers of 16 bits: the first that is right to a millionth, or the best.
pub(super) fn delay(frames_per_second: f64) -> [u16; 2] {
    let mut best = ([1, 1], f64::INFINITY);
    for seconds in 1..=u16::MAX {
        let frames = (f64::from(seconds) * frames_per_second).round().clamp(1.0, f64::from(u16::MAX));
        let error = (frames / f64::from(seconds) / frames_per_second - 1.0).abs();
        if error < best.1 {
            best = ([seconds, frames as u16], error);
        }
        if error < 1e-6 {
            break;
        }
    }
    best.0
}
