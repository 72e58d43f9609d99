//! A folder with a picture for each frame.
//!
//! How it works: the pictures wait in a temporary folder, on the same disk, and move when all are there.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{FilmError, Reel, png, temporary};
use crate::Picture;

pub(super) struct Folder {
    path: PathBuf,
    waiting: TempDir,
    names: Vec<String>,
    // Of the number in a name: four, or as many as the last frame needs, so that names sort as frames do.
    digits: usize,
}

impl Folder {
    pub(super) fn create(path: &Path, frames: usize) -> Result<Self, FilmError> {
        let waiting = temporary::folder_within(path).map_err(|error| FilmError::io(path, error))?;
        let digits = frames.to_string().len().max(4);
        Ok(Self { path: path.to_path_buf(), waiting, names: Vec::new(), digits })
    }
}

impl Reel for Folder {
    fn add(&mut self, picture: &Picture) -> Result<(), FilmError> {
        let name = format!("frame-{:0digits$}.png", self.names.len() + 1, digits = self.digits);
        let file = std::fs::File::create(self.waiting.path().join(&name));
        file.and_then(|file| png::write(file, picture))
            .map_err(|error| FilmError::io(&self.path.join(&name), error))?;
        self.names.push(name);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), FilmError> {
        std::fs::create_dir_all(&self.path).map_err(|error| FilmError::io(&self.path, error))?;
        for name in &self.names {
            let file = self.path.join(name);
            std::fs::rename(self.waiting.path().join(name), &file).map_err(|error| FilmError::io(&file, error))?;
        }
        Ok(())
    }
}
