//! A run on disk, to go on from with the same bits.
//!
//! How it works: the file holds particles in the order in which they stand in memory, clusters, bonds and counts. It is written beside its name and renamed, so that a crash leaves the last
//! one whole. It knows the run that it is of by a number made of everything the run began with.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use glam::{DQuat, DVec3};

use crate::relax::CheckpointError;

use super::groups::{Bond, Group, Groups};
use super::particles::{Moving, NOWHERE, Particles};
use super::statistics::Statistics;
use super::world::Diffusion;

const MAGIC: &[u8; 8] = b"STERICD1";

impl Diffusion {
    /// Writes a checkpoint; the file appears whole or not at all.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut temporary = tempfile::Builder::new().prefix(".steric-").tempfile_in(folder)?;
        let mut out = BufWriter::with_capacity(1 << 18, temporary.as_file_mut());
        let bytes = self.to_bytes();
        out.write_all(MAGIC)?;
        out.write_all(&self.fingerprint().to_le_bytes())?;
        out.write_all(&(bytes.len() as u64).to_le_bytes())?;
        out.write_all(&bytes)?;
        out.write_all(&hash(&bytes).to_le_bytes())?;
        out.flush()?;
        drop(out);
        temporary.as_file().sync_all()?;
        temporary.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Goes on from a checkpoint of a run that began with the same setup.
    pub fn resume(&mut self, path: &Path) -> Result<(), CheckpointError> {
        let file = path.display().to_string();
        let failed = |source| CheckpointError::Io { file: file.clone(), source };
        let mismatch = |expected: &str, found: &str| CheckpointError::Mismatch {
            file: file.clone(),
            expected: expected.to_owned(),
            found: found.to_owned(),
        };
        let mut bytes = Vec::new();
        BufReader::new(File::open(path).map_err(failed)?).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() < 32 || &bytes[..8] != MAGIC {
            return Err(mismatch("a checkpoint of steric diffuse", "another file"));
        }
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        if word(8) != self.fingerprint() {
            return Err(mismatch("a checkpoint of this scene with these options and this seed", "one of another run"));
        }
        let (length, body) = (word(16), &bytes[24..bytes.len() - 8]);
        if length != body.len() as u64 || word(bytes.len() - 8) != hash(body) {
            return Err(mismatch("a whole file", "one that is cut short or damaged"));
        }
        self.take(&mut Reader(body)).ok_or_else(|| mismatch("a whole file", "one that is damaged"))
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(Vec::with_capacity(self.len() * 128));
        let Particles { moving, ids, slots, wraps, turns, groups, .. } = &self.particles;
        out.word(self.step);
        out.word(moving.len() as u64);
        out.word(slots.len() as u64);
        out.word(turns.len() as u64);
        for (slot, moving) in moving.iter().enumerate() {
            out.vector(moving.at);
            out.vector(moving.velocity);
            out.word(u64::from(moving.kind) | u64::from(ids[slot]) << 32);
            out.word(u64::from(groups[slot]));
            wraps[slot].iter().for_each(|&wraps| out.word(i64::from(wraps) as u64));
        }
        turns.iter().for_each(|turn| turn.to_array().iter().for_each(|&number| out.number(number)));
        out.word(self.groups.all.len() as u64);
        for group in &self.groups.all {
            out.word(group.members.len() as u64);
            group.members.iter().for_each(|&member| out.word(member.into()));
            group.places.iter().for_each(|&place| out.vector(place));
            out.number(group.mass);
            out.vector(group.velocity);
        }
        out.word(self.groups.bonds.len() as u64);
        for bond in &self.groups.bonds {
            bond.pair.iter().for_each(|&id| out.word(id.into()));
            out.number(bond.breaks);
        }
        out.word(self.groups.free.len() as u64);
        self.groups.free.iter().for_each(|&group| out.word(group.into()));
        let Statistics {
            steps,
            collisions,
            wall_hits,
            absorbed,
            ref rules,
            ref decays,
            opened,
            postponed,
            turns: [turned, blocked],
            stuck,
            windows,
            broken_steps,
            broken_particles,
            broken_farthest,
            virial,
            twice_energy,
            kinds: _,
            ref pairs,
        } = self.statistics;
        let counts = [steps, collisions, wall_hits, absorbed, opened, postponed, turned, blocked, stuck, windows];
        counts.into_iter().chain([broken_steps, broken_particles]).for_each(|count| out.word(count));
        [broken_farthest, virial, twice_energy].into_iter().for_each(|number| out.number(number));
        rules.iter().chain(decays).chain(pairs).for_each(|&count| out.word(count));
        out.0
    }

    /// Reads what [`Diffusion::to_bytes`] has written; nothing is changed where it makes no sense.
    fn take(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let step = from.word()?;
        let (count, numbers, turned) = (from.count(72)?, from.word()?, from.word()? as usize);
        if turned != if self.kinds.has_trees { count } else { 0 } || numbers > u64::from(u32::MAX) {
            return None;
        }
        let mut particles =
            Particles { slots: vec![NOWHERE; numbers as usize], travelled: vec![0.0; count], ..Particles::default() };
        for slot in 0..count {
            let (at, velocity) = (from.vector()?, from.vector()?);
            let word = from.word()?;
            let (kind, id) = (word as u16, (word >> 32) as u32);
            if kind as usize >= self.setup.species.len() {
                return None;
            }
            particles.moving.push(Moving { at, since: 0.0, velocity, count: 0, kind, state: 0 });
            particles.ids.push(id);
            *particles.slots.get_mut(id as usize)? = slot as u32;
            particles.groups.push(from.word()? as u32);
            particles.wraps.push([from.word()? as i32, from.word()? as i32, from.word()? as i32]);
        }
        for _ in 0..turned {
            let turn = [from.number()?, from.number()?, from.number()?, from.number()?];
            particles.turns.push(DQuat::from_array(turn));
        }
        let mut groups = Groups::default();
        for _ in 0..from.count(40)? {
            let members = from.count(32)?;
            let members: Vec<u32> = (0..members).map(|_| from.word().map(|id| id as u32)).collect::<Option<_>>()?;
            if members.iter().any(|&id| particles.slots.get(id as usize).is_none_or(|&slot| slot == NOWHERE)) {
                return None;
            }
            let places = members.iter().map(|_| from.vector()).collect::<Option<_>>()?;
            groups.all.push(Group { members, places, mass: from.number()?, velocity: from.vector()? });
        }
        for _ in 0..from.count(24)? {
            let pair = [from.word()? as u32, from.word()? as u32];
            groups.bonds.push(Bond { pair, breaks: from.number()? });
        }
        for _ in 0..from.count(8)? {
            groups.free.push(from.word()? as u32);
        }
        let is_known = |&group: &u32| group == super::particles::ALONE || (group as usize) < groups.all.len();
        if !particles.groups.iter().all(is_known) || !groups.free.iter().all(is_known) {
            return None;
        }
        let mut statistics = self.statistics.clone();
        let [turned, blocked] = &mut statistics.turns;
        for count in [
            &mut statistics.steps,
            &mut statistics.collisions,
            &mut statistics.wall_hits,
            &mut statistics.absorbed,
            &mut statistics.opened,
            &mut statistics.postponed,
            turned,
            blocked,
            &mut statistics.stuck,
            &mut statistics.windows,
            &mut statistics.broken_steps,
            &mut statistics.broken_particles,
        ] {
            *count = from.word()?;
        }
        for number in [&mut statistics.broken_farthest, &mut statistics.virial, &mut statistics.twice_energy] {
            *number = from.number()?;
        }
        for count in statistics.rules.iter_mut().chain(&mut statistics.decays).chain(&mut statistics.pairs) {
            *count = from.word()?;
        }
        (self.step, self.particles, self.groups, self.statistics) = (step, particles, groups, statistics);
        Some(())
    }

    /// A number that tells runs apart: where the particles started, of which species, under which laws. How pairs are found makes no difference.
    fn fingerprint(&self) -> u64 {
        let setup = &self.setup;
        let options = super::DiffuseOptions {
            strategy: Default::default(),
            offenders: Default::default(),
            inside: Default::default(),
            cell: None,
            ..setup.options
        };
        let text = format!(
            "{:?} {} {:?} {:?} {:?} {:?} {:?} {options:?} {:?}",
            setup.bounds,
            setup.dimensions,
            setup.species,
            setup.motion,
            setup.obstacles,
            setup.rules,
            setup.decays,
            self.origins
        );
        hash(text.as_bytes())
    }
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, word: u64) {
        self.0.extend(word.to_le_bytes());
    }

    fn number(&mut self, number: f64) {
        self.word(number.to_bits());
    }

    fn vector(&mut self, vector: DVec3) {
        vector.to_array().into_iter().for_each(|number| self.number(number));
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    /// How many follow, of at least so many bytes each.
    fn count(&mut self, bytes: usize) -> Option<usize> {
        let count = self.word()?;
        (count <= (self.0.len() / bytes) as u64).then_some(count as usize)
    }

    fn number(&mut self) -> Option<f64> {
        self.word().map(f64::from_bits)
    }

    fn vector(&mut self) -> Option<DVec3> {
        Some(DVec3::new(self.number()?, self.number()?, self.number()?))
    }
}
