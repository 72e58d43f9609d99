//! How a rank talks to the others in an iteration.
//!
//! How it works: what ranks have to say about the end rides with the maxima of the iteration, so that it costs no message and all hear it at
//! the same time.

use steric_world::relax::{Relax, Sight, Team};

use crate::choose::least_of_most;
use crate::comm::Comm;
use crate::home::Home;

/// What all ranks know of the end, since the last iteration.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Agreed {
    pub(super) is_late: bool,
    pub(super) is_interrupted: bool,
}

/// How a rank talks to the others in an iteration.
pub(super) struct Talk<'a> {
    pub(super) comm: &'a dyn Comm,
    pub(super) home: Home,
    /// What this rank has to say about the end.
    pub(super) own: Agreed,
    /// What all have said.
    pub(super) agreed: Agreed,
}

impl Team for Talk<'_> {
    fn news(&mut self, relax: &Relax, inner: &mut dyn FnMut(&dyn Fn())) -> Vec<(u32, Sight)> {
        self.home.news(self.comm, relax, inner)
    }

    fn whole(&mut self, sums: &mut [i64], most: &mut [i64]) {
        self.comm.sum(sums);
        let Agreed { is_late, is_interrupted } = self.own;
        let mut words = most.to_vec();
        words.extend([is_late, is_interrupted].map(i64::from));
        self.comm.most(&mut words);
        let (theirs, flags) = words.split_at(most.len());
        most.copy_from_slice(theirs);
        self.agreed = Agreed { is_late: flags[0] > 0, is_interrupted: flags[1] > 0 };
    }

    fn least_of_most(&mut self, keys: Vec<u64>, count: usize) -> u64 {
        least_of_most(self.comm, keys, count)
    }
}
