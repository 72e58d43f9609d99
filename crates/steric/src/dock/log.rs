//! What a hand did, written down so that it can be done again to the bit.
//!
//! How it works: a log is a file of lines, each a piece of JSON. The first says what is docked and how; each of the others is one thing that the hand did, when,
//! and a hash of where everything was then. Whoever plays it again compares the hashes. A log that breaks off is played as far as it goes.

use std::io::Write;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use steric_model::Instant;
use steric_world::dock::Response;

use super::{Deed, Dock, Session};

/// The version that is written.
const VERSION: u32 = 2;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    steric_dock_log: u32,
    receptor: String,
    ligand: String,
    tolerance: f64,
    response: Response,
    atoms: [usize; 2],
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// Seconds since the beginning.
    pub at: f64,
    /// What the hand did.
    #[serde(flatten)]
    pub deed: Deed,
    /// Where everything was then.
    hash: String,
}

/// Why a log cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// It is no log, or one of another version.
    #[error("{name}:1: expected a log of steric dock, version {VERSION}, found {found}")]
    Header {
        /// What was read.
        name: String,
        /// What it begins with.
        found: String,
    },
    /// It was made with other molecules.
    #[error("{name}:1: expected a log of {expected} atoms, found one of {found}")]
    Other {
        /// What was read.
        name: String,
        /// How many there are.
        expected: String,
        /// How many it was made with.
        found: String,
    },
    /// A line in its middle cannot be read.
    #[error("{name}:{line}: expected something that a hand did, found {found}")]
    Line {
        /// What was read.
        name: String,
        /// Which line.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// It could not be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// A log that is being written.
#[derive(Debug)]
pub struct Log<W> {
    out: W,
}

/// A log that was read: how it begins, and what was done.
#[derive(Clone, Debug)]
pub struct ReadLog {
    header: Header,
    /// What the hand did, line by line, each with its number in the file.
    pub lines: Vec<(usize, LogLine)>,
    /// Whether it breaks off in a line.
    pub is_cut: bool,
}

/// What came of playing a log.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Played {
    /// How many things the hand did.
    pub deeds: usize,
    /// How many of them came out to the same bits.
    pub same: usize,
    /// The first line that came out otherwise.
    pub first_other: Option<usize>,
    /// Whether the log breaks off in a line.
    pub is_cut: bool,
    /// How many motions looked for collisions.
    pub motions: usize,
    /// How many motions hit something.
    pub hits: usize,
    /// How long the hand took, in seconds.
    pub seconds: f64,
    /// Microseconds of a motion: the mean, the median and the longest.
    pub microseconds: [f64; 3],
}

impl<W: Write> Log<W> {
    /// Begins a log of a session, before anything was done in it.
    pub fn begin(session: &Session, mut out: W) -> Result<Self, LogError> {
        let dock = session.dock();
        let header = Header {
            steric_dock_log: VERSION,
            receptor: dock.names[0].clone(),
            ligand: dock.names[1].clone(),
            tolerance: session.tolerance(),
            response: session.response(),
            atoms: dock.atoms(),
        };
        writeln!(out, "{}", serde_json::to_string(&header).map_err(std::io::Error::other)?)?;
        Ok(Self { out })
    }

    /// Goes on with a log that was begun.
    pub fn after(out: W) -> Self {
        Self { out }
    }

    /// Writes down what was done, so many seconds after the beginning, and what came of it.
    pub fn write(&mut self, at: f64, deed: &Deed, session: &Session) -> Result<(), LogError> {
        let line = LogLine { at, deed: deed.clone(), hash: format!("{:016x}", session.hash()) };
        writeln!(self.out, "{}", serde_json::to_string(&line).map_err(std::io::Error::other)?)?;
        self.out.flush()?;
        Ok(())
    }
}

impl ReadLog {
    /// Reads a log.
    pub fn read(name: &str, text: &str) -> Result<Self, LogError> {
        let short = |text: &str| format!("{:?}", text.chars().take(60).collect::<String>());
        let mut lines = text.lines().enumerate();
        let first = lines.next().map_or("", |(_, line)| line);
        let header: Header = serde_json::from_str(first)
            .ok()
            .filter(|header: &Header| header.steric_dock_log == VERSION)
            .ok_or_else(|| LogError::Header { name: name.to_owned(), found: short(first) })?;
        let mut log = Self { header, lines: Vec::new(), is_cut: false };
        while let Some((number, text)) = lines.next() {
            if text.trim().is_empty() {
                continue;
            }
            match serde_json::from_str(text) {
                Ok(line) => log.lines.push((number + 1, line)),
                Err(_) if lines.clone().all(|(_, rest)| rest.trim().is_empty()) => log.is_cut = true,
                Err(_) => {
                    return Err(LogError::Line { name: name.to_owned(), line: number + 1, found: short(text) });
                }
            }
        }
        Ok(log)
    }

    /// What was docked: the receptor and the ligand, as their files or the scene call them.
    pub fn names(&self) -> [&str; 2] {
        [&self.header.receptor, &self.header.ligand]
    }

    /// A session as it was when the log began.
    pub fn session(&self, name: &str, dock: &Arc<Dock>) -> Result<Session, LogError> {
        if self.header.atoms != dock.atoms() {
            let words = |[receptor, ligand]: [usize; 2]| format!("{receptor} and {ligand}");
            let (expected, found) = (words(dock.atoms()), words(self.header.atoms));
            return Err(LogError::Other { name: name.to_owned(), expected, found });
        }
        let mut session = Session::new(Arc::clone(dock));
        session.act(&Deed::Forgive(self.header.tolerance), 0.0);
        session.act(&Deed::Respond(self.header.response), 0.0);
        Ok(session)
    }

    /// Whether a session is where it was after a line.
    pub fn is_same(&self, line: &LogLine, session: &Session) -> bool {
        line.hash == format!("{:016x}", session.hash())
    }
}

impl Dock {
    /// Plays a log again and compares every state with the one that was written down; gives the session as it ends.
    pub fn play(self: &Arc<Self>, name: &str, text: &str) -> Result<(Played, Session), LogError> {
        let log = ReadLog::read(name, text)?;
        let mut session = log.session(name, self)?;
        let mut played = Played { is_cut: log.is_cut, ..Played::default() };
        let mut times = Vec::new();
        for (number, line) in &log.lines {
            let begin = Instant::now();
            let outcome = session.act(&line.deed, line.at);
            if line.deed.is_motion() {
                times.push(1e6 * begin.elapsed().as_secs_f64());
                played.hits += usize::from(!outcome.contacts.is_empty());
            }
            played.deeds += 1;
            played.seconds = played.seconds.max(line.at);
            if log.is_same(line, &session) {
                played.same += 1;
            } else {
                played.first_other.get_or_insert(*number);
            }
        }
        played.motions = times.len();
        times.sort_by(f64::total_cmp);
        if let (Some(&longest), middle) = (times.last(), times.len() / 2) {
            played.microseconds = [times.iter().sum::<f64>() / times.len() as f64, times[middle], longest];
        }
        Ok((played, session))
    }
}
