//! Molecules as bytes, on their way from rank to rank.
//!
//! How it works: every number in turn, little-endian, without gaps: 194 bytes for a molecule that moves to another rank, 76 for the news of a
//! ghost. Bits arrive as they left.

use glam::{DQuat, DVec3, Vec3};
use steric_model::{Pose, TypeId};
use steric_world::relax::{Record, Sight};
use steric_world::respond::Motion;

/// Bytes of one molecule with all that is known of it.
pub(crate) const RECORD: usize = 4 * 4 + 3 * 56 - 8 + 12 + 2 + 2 + 1 + 1;
/// Bytes of a pose.
pub(crate) const POSE: usize = 56;
/// Bytes of what a ghost's owner tells of it: which of those that were agreed on, and how it is.
pub(crate) const NEWS: usize = 4 + POSE + 12 + 2 + 1 + 1;

/// Writes numbers one after another.
#[derive(Debug, Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn word(&mut self, word: u32) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    pub(crate) fn long(&mut self, word: u64) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    pub(crate) fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.long(number.to_bits()));
    }

    pub(crate) fn pose(&mut self, pose: &Pose) {
        self.numbers(&pose.rotation.to_array());
        self.numbers(&pose.translation.to_array());
    }

    fn sight(&mut self, sight: &Sight, more: [bool; 2]) {
        self.pose(&sight.pose);
        sight.normal.to_array().into_iter().for_each(|number| self.word(number.to_bits()));
        self.0.extend_from_slice(&sight.dirty_for.to_le_bytes());
        let flags = u8::from(sight.moved) | u8::from(more[0]) << 1 | u8::from(more[1]) << 2;
        self.0.extend_from_slice(&[sight.warmth, flags]);
    }

    /// What has become of the ghost of a number.
    pub(crate) fn news(&mut self, number: u32, sight: &Sight) {
        self.word(number);
        self.sight(sight, [false; 2]);
    }

    pub(crate) fn record(&mut self, record: &Record) {
        let Record { slot, id, kind, group, fixed, broken, busy, start, momentum, sight } = record;
        [*slot, *id, kind.0, *group].into_iter().for_each(|word| self.word(word));
        self.pose(start);
        self.numbers(&momentum.shift.to_array());
        self.numbers(&momentum.turn.to_array());
        self.0.extend_from_slice(&busy.to_le_bytes());
        self.sight(sight, [*fixed, *broken]);
    }
}

/// Reads numbers one after another.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().expect("a message is as long as its sender made it");
        self.0 = rest;
        *bytes
    }

    pub(crate) fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    pub(crate) fn long(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    pub(crate) fn number(&mut self) -> f64 {
        f64::from_bits(self.long())
    }

    pub(crate) fn point(&mut self) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| self.number()))
    }

    pub(crate) fn pose(&mut self) -> Pose {
        let rotation = DQuat::from_array(std::array::from_fn(|_| self.number()));
        Pose { rotation, translation: self.point() }
    }

    fn sight(&mut self) -> (Sight, [bool; 2]) {
        let pose = self.pose();
        let normal = Vec3::from_array(std::array::from_fn(|_| f32::from_bits(self.word())));
        let dirty_for = u16::from_le_bytes(self.bytes());
        let [warmth, flags] = self.bytes();
        let sight = Sight { pose, normal, dirty_for, warmth, moved: flags & 1 != 0 };
        (sight, [flags & 2 != 0, flags & 4 != 0])
    }

    /// What has become of the ghost of a number.
    pub(crate) fn news(&mut self) -> (u32, Sight) {
        (self.word(), self.sight().0)
    }

    pub(crate) fn record(&mut self) -> Record {
        let [slot, id, kind, group] = std::array::from_fn(|_| self.word());
        let start = self.pose();
        let momentum = Motion { shift: self.point(), turn: self.point() };
        let busy = u16::from_le_bytes(self.bytes());
        let (sight, [fixed, broken]) = self.sight();
        Record { slot, id, kind: TypeId(kind), group, fixed, broken, busy, start, momentum, sight }
    }
}

/// Molecules as a message.
pub(crate) fn records_as_bytes<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<u8> {
    let mut out = Writer::default();
    records.into_iter().for_each(|record| out.record(record));
    out.0
}

/// The molecules of a message.
pub(crate) fn records_of_bytes(bytes: &[u8]) -> impl Iterator<Item = Record> + '_ {
    bytes.chunks_exact(RECORD).map(|bytes| Reader(bytes).record())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn molecules_arrive_as_they_left() {
        let pose = |x: f64| Pose { rotation: DQuat::from_rotation_x(x), translation: DVec3::new(x, -0.0, 1e300) };
        let sight =
            Sight { pose: pose(0.3), normal: Vec3::new(0.1, 0.2, -0.3), dirty_for: 700, warmth: 8, moved: true };
        let momentum = Motion { shift: DVec3::splat(0.1), turn: DVec3::splat(-0.7) };
        let record = Record {
            slot: 7,
            id: 9,
            kind: TypeId(3),
            group: u32::MAX,
            fixed: false,
            broken: true,
            busy: 40_000,
            start: pose(0.9),
            momentum,
            sight,
        };
        let fixed = Record { fixed: true, broken: false, sight: Sight { moved: false, ..sight }, ..record };
        let bytes = records_as_bytes(&[record, fixed]);
        assert_eq!(bytes.len(), 2 * RECORD);
        assert_eq!(records_of_bytes(&bytes).collect::<Vec<_>>(), [record, fixed]);
        let mut out = Writer::default();
        out.news(5, &sight);
        assert_eq!(out.0.len(), NEWS);
        assert_eq!(Reader(&out.0).news(), (5, sight));
    }
}
