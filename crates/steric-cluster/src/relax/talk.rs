//! How a rank talks to the others in an iteration.
//!
//! How it works: what ranks have to say about the end rides with the maxima of the iteration, so that it costs no message and all hear it at
//! the same time.

use steric_world::relax::{Relax, Sight, Team};

use crate::choose::least_of_most;
use crate::comm::Comm;
use crate::home::Home;

/// What someone who watches on a rank wishes of all ranks.
///
/// ```
/// use steric_cluster::relax::Wish;
///
/// assert_eq!(Wish::default(), Wish::GoOn);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// Go on.
    #[default]
    GoOn,
    /// Save how far the relaxation has come, and go on.
    Save,
    /// Come to an end.
    End,
}

/// What all ranks know of the end, since the last iteration.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Agreed {
    pub(super) is_late: bool,
    pub(super) is_interrupted: bool,
    pub(super) is_to_be_saved: bool,
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
        let Agreed { is_late, is_interrupted, is_to_be_saved } = self.own;
        let mut words = most.to_vec();
        words.extend([is_late, is_interrupted, is_to_be_saved].map(i64::from));
        self.comm.most(&mut words);
        let (theirs, flags) = words.split_at(most.len());
        most.copy_from_slice(theirs);
        self.agreed = Agreed { is_late: flags[0] > 0, is_interrupted: flags[1] > 0, is_to_be_saved: flags[2] > 0 };
    }

    fn least_of_most(&mut self, keys: Vec<u64>, count: usize) -> u64 {
        least_of_most(self.comm, keys, count)
    }
}
