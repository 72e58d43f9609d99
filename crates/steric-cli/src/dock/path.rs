//! A ligand moved along a path.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use glam::{DQuat, DVec3};
use serde::Serialize;
use steric::dock::{Deed, Log, Session};
use steric::model::{Instant, Pose};
use steric::world::dock::Response;

use super::{Arguments, BESIDE, SPACING};
use crate::failure::Failure;

/// A motion of a path.
#[derive(Debug, Serialize)]
pub(super) struct Motion {
    /// Where the ligand's middle was wanted, and where it came to, from where it is in its file.
    pub(super) wanted: [f64; 3],
    pub(super) came: [f64; 3],
    pub(super) contacts: usize,
    pub(super) is_there: bool,
}

/// Moves the ligand along a path, and writes down what it does if that is wanted.
pub(super) fn follow(
    session: &mut Session,
    start: Pose,
    arguments: &Arguments,
    path: &Path,
) -> Result<Vec<Motion>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::io(path, &error))?;
    let wanted = path_of(&text, path)?;
    if !arguments.flex.is_empty() && arguments.response != Response::Push {
        let found = arguments.response;
        return Err(Failure::usage(format!(
            "--flex: expected --response push, found {found}; side chains give way to a push"
        )));
    }
    let mut hand = Hand { log: None, began: Instant::now(), session };
    if let Some(file) = &arguments.record {
        let out = BufWriter::new(File::create(file).map_err(|error| Failure::io(file, &error))?);
        hand.log = Some(Log::begin(hand.session, out).map_err(|error| Failure::usage(error.to_string()))?);
    }
    if arguments.downhill.is_some() {
        hand.act(Deed::Energies([BESIDE, SPACING]))?;
    }
    if arguments.pose > 1 {
        hand.act(Deed::Take(arguments.pose - 1))?;
    }
    if !arguments.flex.is_empty() {
        let residues = super::flexible(hand.session, &arguments.flex)?;
        hand.act(Deed::Flex(residues))?;
    }
    let start = arguments.start.map_or(start, Pose::from_translation);
    if start != Pose::IDENTITY {
        hand.act(Deed::Put(start.into()))?;
    }
    let middle = hand.session.dock().hand(arguments.pose - 1).body.middle();
    let mut motions = Vec::new();
    for (shift, rotation) in wanted {
        let to = Pose { rotation, translation: middle + shift - rotation * middle };
        let mut contacts = hand.act(Deed::Go(to.into()))?;
        if let Some(steps) = arguments.downhill {
            contacts = hand.act(Deed::Downhill(steps))?;
        }
        let pose = hand.session.world_from_ligand();
        let came = pose * middle - middle;
        let is_there = came.distance(shift) < 1e-6 && pose.rotation.angle_between(rotation) < 1e-6;
        motions.push(Motion { wanted: shift.to_array(), came: came.to_array(), contacts, is_there });
    }
    Ok(motions)
}

/// A hand that is written down.
struct Hand<'a> {
    session: &'a mut Session,
    log: Option<Log<BufWriter<File>>>,
    began: Instant,
}

impl Hand<'_> {
    /// Does something; gives how many atoms touch then.
    fn act(&mut self, deed: Deed) -> Result<usize, Failure> {
        let at = self.began.elapsed().as_secs_f64();
        let outcome = self.session.act(&deed, at);
        if let Some(log) = &mut self.log {
            log.write(at, &deed, self.session).map_err(|error| Failure::usage(error.to_string()))?;
        }
        Ok(outcome.contacts.len())
    }
}

pub(super) fn shift(text: &str) -> Result<DVec3, String> {
    let numbers: Vec<f64> = text.split(',').map_while(|word| word.trim().parse().ok()).collect();
    match numbers[..] {
        [x, y, z] if numbers.iter().all(|number| number.is_finite()) => Ok(DVec3::new(x, y, z)),
        _ => Err("expected three numbers of angstroms, X,Y,Z".to_owned()),
    }
}

/// Shifts and rotations, line by line.
pub(super) fn path_of(text: &str, path: &Path) -> Result<Vec<(DVec3, DQuat)>, Failure> {
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let words: Vec<&str> = line.split([',', ' ', '\t']).filter(|word| !word.is_empty()).collect();
        let numbers: Vec<f64> =
            words.iter().map_while(|word| word.parse().ok()).filter(|number: &f64| number.is_finite()).collect();
        let is_heading = all.is_empty() && numbers.is_empty();
        let (shift, rotation) = match (numbers.len() == words.len(), &numbers[..]) {
            (true, &[x, y, z]) => (DVec3::new(x, y, z), DQuat::IDENTITY),
            (true, &[x, y, z, a, b, c, d]) if DQuat::from_xyzw(a, b, c, d).length() > 1e-6 => {
                (DVec3::new(x, y, z), DQuat::from_xyzw(a, b, c, d).normalize())
            }
            _ if is_heading => continue,
            _ => {
                return Err(Failure::usage(format!(
                    "{}:{}: expected x,y,z or x,y,z and a quaternion x,y,z,w, found {line:?}",
                    path.display(),
                    number + 1
                )));
            }
        };
        all.push((shift, rotation));
    }
    Ok(all)
}
