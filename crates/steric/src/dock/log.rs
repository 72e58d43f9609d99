//! What a hand did, written down so that it can be done again to the bit.
//!
//! How it works: a log is a file of lines, each a piece of JSON. The first says what is docked and how; each of the others is one thing that the hand did, when,
//! and a hash of where everything was then. Whoever plays it again compares the hashes. A log that breaks off is played as far as it goes.

use std::io::Write;

use serde::{Deserialize, Serialize};
use steric_model::{Instant, Pose};
use steric_world::dock::{Hand, Response};

use super::Dock;

/// The version that is written.
const VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    steric_dock_log: u32,
    receptor: String,
    ligand: String,
    pose: usize,
    tolerance: f64,
    response: Response,
    atoms: [usize; 2],
}

/// Something that a hand does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Deed {
    /// It goes towards a pose: place and rotation.
    Go([f64; 7]),
    /// It is put into a pose, whatever is there.
    Put([f64; 7]),
    /// It answers hits otherwise.
    Respond(Response),
    /// It turns bonds, all of them, in radians.
    Turn(Vec<f64>),
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    /// Seconds since the beginning.
    at: f64,
    #[serde(flatten)]
    deed: Deed,
    hash: String,
}

/// Why a log cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// It is no log, or one of another version.
    #[error("{name}:1: expected a log of steric dock, version 1, found {found}")]
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

/// A hand that is written down.
#[derive(Debug)]
pub struct Log<W> {
    out: W,
    began: Instant,
    radians: Vec<f64>,
    pose: usize,
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
    /// How many motions hit something.
    pub hits: usize,
    /// Microseconds of a motion: the mean, the median and the longest.
    pub microseconds: [f64; 3],
    /// Where the ligand is at the end, and how its bonds are turned.
    #[serde(skip)]
    pub end: Option<(Pose, Vec<f64>)>,
}

/// A hash of where everything is: FNV-1a over the bits.
fn hash_of(pose: &Pose, radians: &[f64]) -> String {
    let words = pose.to_bits().into_iter().chain(radians.iter().map(|angle| angle.to_bits()));
    let hash = words
        .flat_map(u64::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

fn seven(pose: &Pose) -> [f64; 7] {
    let [x, y, z] = pose.translation.to_array();
    let [a, b, c, d] = pose.rotation.to_array();
    [x, y, z, a, b, c, d]
}

fn pose_of([x, y, z, a, b, c, d]: [f64; 7]) -> Pose {
    Pose { translation: glam::DVec3::new(x, y, z), rotation: glam::DQuat::from_xyzw(a, b, c, d) }
}

impl<W: Write> Log<W> {
    /// Begins a log of a pose in hand.
    pub fn begin(dock: &Dock, pose: usize, hand: &Hand, mut out: W) -> Result<Self, LogError> {
        let header = Header {
            steric_dock_log: VERSION,
            receptor: dock.names[0].clone(),
            ligand: dock.names[1].clone(),
            pose,
            tolerance: hand.allow,
            response: hand.response,
            atoms: [dock.receptor_atoms.len(), dock.parts.len()],
        };
        writeln!(out, "{}", serde_json::to_string(&header).map_err(std::io::Error::other)?)?;
        Ok(Self { out, began: Instant::now(), radians: vec![0.0; dock.torsions.all().len()], pose })
    }

    /// Goes towards a pose, and writes it down. Gives what it touches.
    pub fn go(&mut self, dock: &Dock, hand: &mut Hand, to: Pose) -> Result<usize, LogError> {
        let step = hand.go(&dock.obstacle, to);
        self.write(hand, Deed::Go(seven(&to)))?;
        Ok(step.contacts.len())
    }

    /// Puts it into a pose, whatever is there.
    pub fn put(&mut self, hand: &mut Hand, pose: Pose) -> Result<(), LogError> {
        hand.put(pose);
        self.write(hand, Deed::Put(seven(&pose)))
    }

    /// Answers hits otherwise from now on.
    pub fn respond(&mut self, hand: &mut Hand, response: Response) -> Result<(), LogError> {
        hand.response = response;
        self.write(hand, Deed::Respond(response))
    }

    /// Turns the bonds of the ligand.
    pub fn turn(&mut self, dock: &Dock, hand: &mut Hand, radians: &[f64]) -> Result<(), LogError> {
        self.radians = radians.to_vec();
        turn(dock, self.pose, hand, radians);
        self.write(hand, Deed::Turn(radians.to_vec()))
    }

    fn write(&mut self, hand: &Hand, deed: Deed) -> Result<(), LogError> {
        let line = Line { at: self.began.elapsed().as_secs_f64(), deed, hash: hash_of(&hand.pose(), &self.radians) };
        writeln!(self.out, "{}", serde_json::to_string(&line).map_err(std::io::Error::other)?)?;
        self.out.flush()?;
        Ok(())
    }
}

fn turn(dock: &Dock, pose: usize, hand: &mut Hand, radians: &[f64]) {
    let turned = dock.torsions.turned(&dock.all_places(pose), radians);
    hand.body.set_centers(dock.parts.iter().map(|&atom| turned[atom as usize]).collect());
}

impl Dock {
    /// Plays a log again and compares every state with the one that was written down.
    pub fn play(&self, name: &str, text: &str) -> Result<Played, LogError> {
        let short = |text: &str| format!("{:?}", text.chars().take(60).collect::<String>());
        let mut lines = text.lines().enumerate();
        let first = lines.next().map_or("", |(_, line)| line);
        let header: Header = serde_json::from_str(first)
            .ok()
            .filter(|header: &Header| header.steric_dock_log == VERSION)
            .ok_or_else(|| LogError::Header { name: name.to_owned(), found: short(first) })?;
        let atoms = [self.receptor_atoms.len(), self.parts.len()];
        if header.atoms != atoms || header.pose >= self.poses.len() {
            let words = |[receptor, ligand]: [usize; 2]| format!("{receptor} and {ligand}");
            let (expected, found) = (words(atoms), words(header.atoms));
            return Err(LogError::Other { name: name.to_owned(), expected, found });
        }
        let mut hand = self.hand(header.pose);
        (hand.allow, hand.response) = (header.tolerance, header.response);
        let mut radians = vec![0.0; self.torsions.all().len()];
        let (mut played, mut times) = (Played::default(), Vec::new());
        while let Some((number, text)) = lines.next() {
            if text.trim().is_empty() {
                continue;
            }
            let line: Line = match serde_json::from_str(text) {
                Ok(line) => line,
                Err(_) if lines.clone().all(|(_, rest)| rest.trim().is_empty()) => {
                    played.is_cut = true;
                    break;
                }
                Err(_) => {
                    return Err(LogError::Line { name: name.to_owned(), line: number + 1, found: short(text) });
                }
            };
            match line.deed {
                Deed::Go(to) => {
                    let begin = Instant::now();
                    let step = hand.go(&self.obstacle, pose_of(to));
                    times.push(1e6 * begin.elapsed().as_secs_f64());
                    played.hits += usize::from(!step.contacts.is_empty());
                }
                Deed::Put(pose) => hand.put(pose_of(pose)),
                Deed::Respond(response) => hand.response = response,
                Deed::Turn(angles) => {
                    turn(self, header.pose, &mut hand, &angles);
                    radians = angles;
                }
            }
            played.deeds += 1;
            if hash_of(&hand.pose(), &radians) == line.hash {
                played.same += 1;
            } else {
                played.first_other.get_or_insert(number + 1);
            }
        }
        times.sort_by(f64::total_cmp);
        if let (Some(&longest), middle) = (times.last(), times.len() / 2) {
            played.microseconds = [times.iter().sum::<f64>() / times.len() as f64, times[middle], longest];
        }
        played.end = Some((hand.pose(), radians));
        Ok(played)
    }
}
