//! What is known of the whole scene, of which each rank has a part.
//!
//! How it works: poses go to even shares of the molecules in the order of the setup, whoever owns them.

use std::ops::Range;

use steric_model::Pose;
use steric_world::relax::{Progress, Record, hashed_on, state_hash};

use super::{Crew, share};
use crate::wire::{POSE, Reader, Writer, records_as_bytes, records_of_bytes};

impl Crew<'_> {
    /// A number that changes when any bit of any pose of the whole scene changes: that of one process.
    pub fn state_hash(&self) -> u64 {
        let comm = self.talk.comm;
        let (_, poses) = self.poses_of_share();
        let mut hash = state_hash(&[]);
        // Poses are hashed one after another, so each rank goes on from the hash of the one before it.
        for rank in 0..comm.ranks() {
            let mut words = [0i64];
            if rank == comm.rank() {
                words[0] = hashed_on(hash, &poses) as i64;
            }
            comm.sum(&mut words);
            hash = words[0] as u64;
        }
        hash
    }

    /// The poses of an even share of the molecules, in the order of the setup, and which molecules they are.
    pub fn poses_of_share(&self) -> (Range<usize>, Vec<Pose>) {
        let comm = self.talk.comm;
        let mut out: Vec<Writer> = (0..comm.ranks()).map(|_| Writer::default()).collect();
        let shares: Vec<usize> = (1..=comm.ranks()).map(|rank| self.molecules * rank / comm.ranks()).collect();
        for (&id, molecule) in self.relax.ids()[..self.relax.owned()].iter().zip(self.relax.here().molecules()) {
            let out = &mut out[shares.partition_point(|&end| end <= id as usize)];
            out.word(id);
            out.pose(&molecule.pose);
        }
        let share = share(self.molecules, comm);
        let mut poses = vec![Pose::IDENTITY; share.len()];
        for bytes in comm.to_all(out.into_iter().map(|out| out.0).collect()) {
            for bytes in bytes.chunks_exact(4 + POSE) {
                let mut reader = Reader(bytes);
                let place = reader.word() as usize - share.start;
                poses[place] = reader.pose();
            }
        }
        (share, poses)
    }

    /// The poses of all molecules, in the order of the setup, on every rank: for scenes that every rank has room for.
    pub fn all_poses(&self) -> Vec<Pose> {
        let mut out = Writer::default();
        self.poses_of_share().1.iter().for_each(|pose| out.pose(pose));
        let all = self.talk.comm.gather(&out.0);
        all.iter().flat_map(|bytes| bytes.chunks_exact(POSE)).map(|bytes| Reader(bytes).pose()).collect()
    }

    /// How far the relaxation of the whole scene has come, for [`take`](steric_world::relax::Relax::take) in one of the same start: for scenes that every rank has room for.
    pub fn progress(&self) -> Progress {
        let own = self.relax.progress();
        let all = self.talk.comm.gather(&records_as_bytes(&self.records()));
        let mut records: Vec<Record> = all.iter().flat_map(|bytes| records_of_bytes(bytes)).collect();
        records.sort_unstable_by_key(|record| record.slot);
        let each = || records.iter();
        Progress {
            poses: each().map(|record| record.sight.pose).collect(),
            momenta: each().map(|record| record.momentum).collect(),
            normals: each().map(|record| record.sight.normal).collect(),
            dirty_for: each().map(|record| record.sight.dirty_for).collect(),
            warmth: each().map(|record| record.sight.warmth).collect(),
            moved: each().map(|record| record.sight.moved).collect(),
            broken: each().map(|record| record.broken).collect(),
            disturbed: own.disturbed,
            searches: own.searches,
        }
    }
}
