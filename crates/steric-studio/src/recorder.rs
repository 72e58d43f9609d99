//! A film of what is seen, while it happens.
//!
//! How it works: a thread writes the film, so that the window does not wait for it. A film has so many pictures a second; as many as are due
//! are the newest one, so that the film takes as long as what it shows.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use steric::model::Instant;
use steric_view::{Film, Picture};

use crate::painter::Painted;

const A_SECOND: f64 = 25.0;

/// A film that is being recorded.
#[derive(Debug)]
pub(crate) struct Recorder {
    path: PathBuf,
    began: Instant,
    /// How many pictures it has.
    added: u64,
    /// All of a film are as large as the first one.
    size: Option<[u32; 2]>,
    pictures: Sender<(Arc<Picture>, u64)>,
    thread: JoinHandle<Result<(), String>>,
}

impl Recorder {
    /// Begins a film; its ending says of which kind it is.
    pub(crate) fn begin(path: &Path) -> Result<Self, String> {
        let mut film = Film::record(path, A_SECOND).map_err(|error| error.to_string())?;
        let (pictures, taken) = channel::<(Arc<Picture>, u64)>();
        let write = move || {
            for (picture, times) in taken {
                for _ in 0..times {
                    film.add(&picture).map_err(|error| error.to_string())?;
                }
            }
            film.finish().map_err(|error| error.to_string())
        };
        let thread = std::thread::Builder::new().name("film".to_owned()).spawn(write);
        let thread = thread.map_err(|error| error.to_string())?;
        Ok(Self { path: path.to_owned(), began: Instant::now(), added: 0, size: None, pictures, thread })
    }

    /// Where it goes.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How long it is, in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.added as f64 / A_SECOND
    }

    /// Adds what is seen as often as it is due; gives whether the film can go on.
    pub(crate) fn see(&mut self, painted: &Painted) -> bool {
        let size = [painted.picture.width, painted.picture.height];
        let due = (self.began.elapsed().as_secs_f64() * A_SECOND) as u64 + 1;
        if due > self.added && *self.size.get_or_insert(size) == size {
            let times = due - self.added;
            self.added = due;
            return self.pictures.send((Arc::clone(&painted.picture), times)).is_ok();
        }
        !self.thread.is_finished()
    }

    /// Ends the film; gives where it is.
    pub(crate) fn end(self) -> Result<PathBuf, String> {
        drop(self.pictures);
        let written = self.thread.join().unwrap_or_else(|_| Err("the film was given up".to_owned()));
        written.map(|()| self.path)
    }
}
