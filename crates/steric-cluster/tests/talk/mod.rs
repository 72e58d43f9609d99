//! What ranks say to each other in tests: every operation, with messages of all lengths.

use std::fmt::Write;

use steric_cluster::comm::Comm;

/// Lengths about that of a piece of MPI's in tests, and the empty message.
pub(crate) const PIECE: usize = 1000;
const LENGTHS: [usize; 7] = [0, 1, 17, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE];

/// Runs every operation on this rank and writes down what came of it.
pub(crate) fn everything(comm: &dyn Comm) -> String {
    let mut heard = format!("rank {} of {}\n", comm.rank(), comm.ranks());
    for round in 0..8 {
        numbers(comm, round, &mut heard);
        to_everybody(comm, round, &mut heard);
        to_some(comm, round, &mut heard);
    }
    let traffic = comm.traffic();
    writeln!(heard, "sent {} messages, {} bytes", traffic.messages, traffic.bytes).expect("text");
    heard
}

fn numbers(comm: &dyn Comm, round: usize, heard: &mut String) {
    let own: Vec<i64> = (0..round as u64).map(|word| mix(word, comm.rank() as u64).cast_signed()).collect();
    let [mut sum, mut most] = [own.clone(), own];
    comm.sum(&mut sum);
    comm.most(&mut most);
    let mut wrapping = [i64::MAX];
    comm.sum(&mut wrapping);
    writeln!(heard, "{round}: sum {sum:x?}, most {most:x?}, wrapping {wrapping:x?}").expect("text");
}

fn to_everybody(comm: &dyn Comm, round: usize, heard: &mut String) {
    let all = comm.gather(&message(comm.rank(), 0, round));
    let own = comm.to_all((0..comm.ranks()).map(|to| message(comm.rank(), to, round)).collect());
    for (from, (all, own)) in all.iter().zip(&own).enumerate() {
        assert_eq!(*all, message(from, 0, round), "gathered from rank {from}");
        assert_eq!(*own, message(from, comm.rank(), round), "from rank {from}");
    }
    writeln!(heard, "{round}: gathered {}, to all {}", summary(&all), summary(&own)).expect("text");
}

/// To itself, the next and the one after that, while others call in between.
fn to_some(comm: &dyn Comm, round: usize, heard: &mut String) {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let near = ranks.min(1 + round % 3);
    let out: Vec<_> = (0..near).map(|step| (rank + step) % ranks).map(|to| (to, message(rank, to, round))).collect();
    let from: Vec<_> = (0..near).map(|step| (rank + ranks - step) % ranks).collect();
    let mut together = [1];
    let mut inner = |poll: &dyn Fn()| {
        (0..round).for_each(|_| poll());
        // A slow rank: the others wait for it.
        if rank == round % ranks {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        comm.sum(&mut together);
        comm.to_all((0..ranks).map(|to| message(to, rank, round)).collect());
        poll();
    };
    let came = comm.exchange(&out, &from, &mut inner);
    assert!(came.iter().map(|(from, _)| from).eq(&from), "in the order that was asked for");
    for (from, own) in &came {
        assert_eq!(*own, message(*from, rank, round), "from rank {from}");
    }
    let came: Vec<_> = came.into_iter().map(|(_, own)| own).collect();
    writeln!(heard, "{round}: from {from:?} {}, {together:?} ranks", summary(&came)).expect("text");
}

fn message(from: usize, to: usize, round: usize) -> Vec<u8> {
    let seed = mix(from as u64, (to * 1000 + round) as u64);
    let length = LENGTHS[(seed % LENGTHS.len() as u64) as usize];
    (0..length as u64).map(|byte| mix(seed, byte) as u8).collect()
}

/// Lengths and a checksum (FNV-1a).
fn summary(messages: &[Vec<u8>]) -> String {
    let lengths: Vec<_> = messages.iter().map(Vec::len).collect();
    let bytes = messages.iter().flatten();
    let sum =
        bytes.fold(0xcbf2_9ce4_8422_2325, |sum: u64, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    format!("{lengths:?} {sum:016x}")
}

/// SplitMix64 of two words.
fn mix(first: u64, second: u64) -> u64 {
    let mut word = first.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(second.wrapping_add(1));
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
