//! One rank alone: what it sends, it receives.

use super::{Comm, Traffic, are_ranks};

/// The only rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Comm for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn ranks(&self) -> usize {
        1
    }

    fn sum(&self, _words: &mut [i64]) {}

    fn most(&self, _words: &mut [i64]) {}

    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        vec![own.to_vec()]
    }

    fn to_all(&self, out: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        assert_eq!(out.len(), 1, "one message for each rank");
        out
    }

    fn exchange(
        &self,
        out: &[(usize, Vec<u8>)],
        from: &[usize],
        inner: &mut dyn FnMut(&dyn Fn()),
    ) -> Vec<(usize, Vec<u8>)> {
        assert!(are_ranks(out.iter().map(|(to, _)| *to), 1), "the only rank is 0");
        assert!(from.iter().copied().eq(out.iter().map(|(to, _)| *to)), "only what was sent can be received");
        inner(&|| ());
        out.to_vec()
    }

    fn give_up(&self, code: i32) -> ! {
        std::process::exit(code)
    }

    fn traffic(&self) -> Traffic {
        Traffic::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_rank_receives_what_it_sends() {
        let comm: &dyn Comm = &Alone;
        let mut words = [3, -4];
        comm.sum(&mut words);
        comm.most(&mut words);
        assert_eq!(words, [3, -4]);
        assert_eq!(comm.gather(b"own"), [b"own"]);
        assert_eq!(comm.to_all(vec![b"to 0".to_vec()]), [b"to 0"]);
        let mut runs = 0;
        let mut inner = |poll: &dyn Fn()| {
            poll();
            runs += 1;
        };
        assert_eq!(comm.exchange(&[(0, b"a".to_vec())], &[0], &mut inner), [(0, b"a".to_vec())]);
        assert_eq!(comm.exchange(&[], &[], &mut inner), []);
        assert_eq!((runs, comm.traffic()), (2, Traffic::default()));
    }
}
