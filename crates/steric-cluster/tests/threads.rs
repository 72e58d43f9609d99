//! Ranks that are threads: every operation, for any number of them, and no rank waits for one that has failed.

mod talk;

use std::sync::atomic::{AtomicBool, Ordering};

use steric_cluster::comm::{Alone, threads};

#[test]
fn every_operation_brings_each_rank_what_was_sent_to_it() {
    for ranks in [1, 2, 3, 4, 8] {
        let heard = threads::run(ranks, talk::everything);
        for (rank, heard) in heard.iter().enumerate() {
            assert!(heard.starts_with(&format!("rank {rank} of {ranks}\n")));
        }
        assert_eq!(heard, threads::run(ranks, talk::everything), "the same every time");
    }
}

#[test]
fn one_thread_is_as_one_rank_alone() {
    assert_eq!(threads::run(1, talk::everything), [talk::everything(&Alone)]);
}

#[test]
fn sums_wrap_and_the_greatest_may_be_negative() {
    for ranks in [1, 2, 3, 4, 8] {
        let numbers = threads::run(ranks, |comm| {
            let mut sum = [i64::MAX, comm.rank() as i64];
            comm.sum(&mut sum);
            let mut most = [-1 - comm.rank() as i64, comm.rank() as i64];
            comm.most(&mut most);
            (sum, most)
        });
        let count = ranks as i64;
        let expected = ([i64::MAX.wrapping_mul(count), count * (count - 1) / 2], [-1, count - 1]);
        assert_eq!(numbers, vec![expected; ranks]);
    }
}

#[test]
fn messages_are_counted_once_and_not_those_to_oneself() {
    let sent = threads::run(3, |comm| {
        comm.gather(b"four");
        comm.to_all(vec![b"to".to_vec(), Vec::new(), b"to".to_vec()]);
        comm.exchange(&[(comm.rank(), b"own".to_vec())], &[comm.rank()], &mut |_| ());
        (comm.traffic().messages, comm.traffic().bytes)
    });
    assert_eq!(sent, [(2, 6), (3, 8), (2, 6)]);
}

#[test]
fn a_panic_of_one_rank_ends_all_and_is_passed_on() {
    for ranks in [2, 3, 4, 8] {
        let others_went_on = AtomicBool::new(false);
        let panic = std::panic::catch_unwind(|| {
            threads::run(ranks, |comm| {
                assert!(comm.rank() != 1, "rank 1 is the culprit");
                comm.sum(&mut [1]);
                others_went_on.store(true, Ordering::Relaxed);
            })
        });
        let said = panic.expect_err("a panic");
        assert_eq!(said.downcast_ref::<&str>(), Some(&"rank 1 is the culprit"));
        assert!(!others_went_on.load(Ordering::Relaxed));
    }
}

#[test]
#[should_panic(expected = "rank 2 gave up with code 7")]
fn a_rank_that_gives_up_ends_all() {
    threads::run(3, |comm| {
        if comm.rank() == 2 {
            comm.give_up(7);
        }
        comm.exchange(&[], &[2], &mut |_| ());
    });
}

#[test]
#[should_panic(expected = "rank 0 waits for rank 1, which has ended")]
fn a_rank_that_leaves_too_early_is_named() {
    threads::run(2, |comm| {
        if comm.rank() == 0 {
            comm.gather(b"is anybody there");
        }
    });
}
