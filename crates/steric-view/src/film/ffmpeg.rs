//! Videos, which the program `ffmpeg` makes.
//!
//! How it works: pixels go to the program as they are, through a pipe; it writes the temporary file. What it complains about goes to
//! a file without a name, because a pipe that nobody reads would fill and stop it. Videos have no opacity, so pixels
//! are laid on black first.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempPath;

use super::{FilmError, Reel};
use crate::Picture;

/// Most players want even sizes and colours at half the resolution. Without a matrix named, `ffmpeg` takes that of standard television,
/// while players take that of high definition for large films, and greens come out wrong.
const FILTER: &str = "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p";
const COLOURS: [&str; 6] = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"];

/// Which video is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Mp4,
    Mov,
    Webm,
}

impl Codec {
    fn options(self) -> &'static [&'static str] {
        // Better than the defaults (23 and 32; less is better). With the index in front, a browser starts before it has all.
        match self {
            Self::Mp4 => &["-c:v", "libx264", "-crf", "17", "-movflags", "+faststart", "-f", "mp4"],
            Self::Mov => &["-c:v", "libx264", "-crf", "17", "-movflags", "+faststart", "-f", "mov"],
            Self::Webm => &["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-f", "webm"],
        }
    }
}

pub(super) struct Video {
    path: PathBuf,
    program: OsString,
    codec: Codec,
    frames_per_second: f64,
    // Before the file is removed, the program that writes it is stopped: fields are dropped in this order.
    running: Option<Running>,
    temporary: TempPath,
    row: Vec<u8>,
}

struct Running {
    child: Child,
    complaints: File,
}

impl Video {
    pub(super) fn create(
        program: &OsStr,
        path: &Path,
        codec: Codec,
        frames_per_second: f64,
    ) -> Result<Self, FilmError> {
        let mut question = Command::new(program);
        question.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        question.status().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => FilmError::NoFfmpeg { file: path.to_path_buf() },
            _ => FilmError::io(path, error),
        })?;
        let temporary = steric_model::file_beside(path).map_err(|error| FilmError::io(path, error))?.into_temp_path();
        let (path, program) = (path.to_path_buf(), program.to_os_string());
        Ok(Self { path, program, codec, frames_per_second, running: None, temporary, row: Vec::new() })
    }

    fn begin(&self, picture: &Picture) -> io::Result<Running> {
        let complaints = tempfile::tempfile()?;
        let size = format!("{}x{}", picture.width, picture.height);
        let speed = self.frames_per_second.to_string();
        // A name with a colon would be a protocol, one with a dash an option.
        let mut file = OsString::from("file:");
        file.push(&self.temporary);
        let mut command = Command::new(&self.program);
        command.args(["-hide_banner", "-nostats", "-loglevel", "error", "-y"]);
        command.args(["-f", "rawvideo", "-pixel_format", "rgba", "-video_size", &size, "-framerate", &speed]);
        command.args(["-i", "pipe:0", "-an", "-vf", FILTER]).args(COLOURS).args(self.codec.options()).arg(file);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(complaints.try_clone()?);
        Ok(Running { child: command.spawn()?, complaints })
    }

    fn failed(&mut self, reason: &io::Error) -> FilmError {
        let said = self.running.take().and_then(|mut running| running.end().ok()).map(|(_, said)| said);
        let message = said.filter(|said| !said.is_empty()).unwrap_or_else(|| reason.to_string());
        FilmError::Ffmpeg { file: self.path.clone(), message }
    }

    fn send(&mut self, picture: &Picture) -> io::Result<()> {
        let running = match self.running.take() {
            Some(running) => running,
            None => self.begin(picture)?,
        };
        let stdin = self.running.insert(running).child.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        for row in picture.pixels.chunks_exact(picture.width as usize) {
            self.row.clear();
            self.row.extend(row.iter().flat_map(|&pixel| on_black(pixel)));
            stdin.write_all(&self.row)?;
        }
        Ok(())
    }
}

impl Reel for Video {
    fn add(&mut self, picture: &Picture) -> Result<(), FilmError> {
        self.send(picture).map_err(|error| self.failed(&error))
    }

    fn finish(mut self: Box<Self>) -> Result<(), FilmError> {
        if let Some(mut running) = self.running.take() {
            let (well, message) = running.end().map_err(|error| FilmError::io(&self.path, error))?;
            if !well {
                return Err(FilmError::Ffmpeg { file: self.path.clone(), message });
            }
        }
        let Self { path, temporary, .. } = *self;
        temporary.persist(&path).map_err(|error| FilmError::io(&path, error.error))
    }
}

impl Running {
    /// Waits until the program has written what it was sent: whether it was content, and what it said or else how it ended.
    fn end(&mut self) -> io::Result<(bool, String)> {
        // The end of the pipe is the end of the film.
        drop(self.child.stdin.take());
        let status = self.child.wait()?;
        let mut said = Vec::new();
        self.complaints.rewind()?;
        self.complaints.read_to_end(&mut said)?;
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        Ok((status.success(), if said.is_empty() { status.to_string() } else { said }))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Of a program that has ended already nothing is left to stop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn on_black([red, green, blue, opacity]: [u8; 4]) -> [u8; 4] {
    let shade = |shade: u8| ((u16::from(shade) * u16::from(opacity) + 127) / 255) as u8;
    [shade(red), shade(green), shade(blue), 255]
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A program that stands in for ffmpeg: a shell script that sees the arguments.
    fn program(folder: &Path, script: &str) -> PathBuf {
        let path = folder.join("stand-in");
        std::fs::write(&path, format!("#!/bin/sh\n[ \"$1\" = -version ] && exit 0\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        // A process that another test starts just now may hold the script open for a moment, and then it does not run.
        while Command::new(&path)
            .arg("-version")
            .status()
            .is_err_and(|error| error.kind() == io::ErrorKind::ExecutableFileBusy)
        {
            std::thread::yield_now();
        }
        path
    }

    fn grey(width: u32, height: u32) -> Picture {
        Picture { width, height, pixels: vec![[200, 100, 0, 128]; (width * height) as usize] }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn the_program_gets_every_pixel_on_black_and_its_file_becomes_the_film() {
        let (tools, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        // The last argument is the file; what was asked is written before the pixels.
        let script = "for last; do :; done; { echo \"$@\"; cat; } > \"${last#file:}\"";
        let path = folder.path().join("film.mp4");
        let program = program(tools.path(), script);
        let mut video = Box::new(Video::create(program.as_os_str(), &path, Codec::Mp4, 29.97).unwrap());
        video.add(&grey(3, 5)).unwrap();
        video.add(&grey(3, 5)).unwrap();
        assert!(!path.exists());
        video.finish().unwrap();
        let written = std::fs::read(&path).unwrap();
        let line = written.iter().position(|&byte| byte == b'\n').unwrap();
        let asked = str::from_utf8(&written[..line]).unwrap();
        assert!(asked.contains("-pixel_format rgba -video_size 3x5 -framerate 29.97 -i pipe:0"), "{asked}");
        assert_eq!(written[line + 1..], [100, 50, 0, 255].repeat(30));
        assert_eq!(names(folder.path()), ["film.mp4"]);
    }

    #[test]
    fn what_the_program_complains_about_is_in_the_error() {
        let (tools, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = folder.path().join("film.webm");
        let program = program(tools.path(), "echo 'Unknown encoder libvpx-vp9' >&2; exit 1");
        let mut video = Box::new(Video::create(program.as_os_str(), &path, Codec::Webm, 25.0).unwrap());
        // Small frames fit into the pipe, so that the failure may show at the end alone.
        let error = video.add(&grey(2, 2)).and_then(|()| video.finish()).unwrap_err();
        let expected = "film.webm: expected ffmpeg to write the film, found: Unknown encoder libvpx-vp9";
        assert!(error.to_string().ends_with(expected), "{error}");
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_program_that_goes_away_in_the_middle_is_an_error() {
        let (tools, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = folder.path().join("film.mov");
        let program = program(tools.path(), "head -c 10 > /dev/null; echo 'disk full' >&2; exit 3");
        let mut video = Video::create(program.as_os_str(), &path, Codec::Mov, 25.0).unwrap();
        // More than any pipe holds.
        let error = video.add(&grey(1000, 1000)).unwrap_err();
        assert!(error.to_string().ends_with("found: disk full"), "{error}");
    }

    #[test]
    fn a_film_that_is_dropped_stops_the_program_and_leaves_nothing() {
        let (tools, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let program = program(tools.path(), "exec sleep 60");
        let path = folder.path().join("film.mp4");
        let mut video = Video::create(program.as_os_str(), &path, Codec::Mp4, 25.0).unwrap();
        video.add(&grey(2, 2)).unwrap();
        let begin = std::time::Instant::now();
        drop(video);
        assert!(begin.elapsed().as_secs() < 30, "it waited for the program");
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn without_the_program_the_error_says_what_to_install_and_what_else_to_write() {
        let error = Video::create(OsStr::new("no-such-ffmpeg"), Path::new("film.mp4"), Codec::Mp4, 25.0);
        let error = error.err().unwrap().to_string();
        assert!(error.starts_with("film.mp4: expected the program ffmpeg on the PATH, found none"), "{error}");
        assert!(error.contains("apt install ffmpeg") && error.contains(".gif or a .png"), "{error}");
    }
}
