//! How long it takes to sort the entries of cells: at random, and after some of the keys changed.
//!
//! How it works: keys are sorted once; then a share of them is drawn anew, as when boxes change cells. Every round sorts a fresh copy, so that no sort profits from the last one. A comparison sort of the
//! standard library says what the order should be.

use steric::collide::sort;
use steric::model::Random;

use super::paper::{KEYS, SORTS};
use super::{Row, Told, median_and_spread, milliseconds_of};
use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::table::columns;

type Items = Vec<(u32, u32)>;

/// Threads that are compared.
const THREADS: [usize; 2] = [1, 2];
/// Rounds for each repeat that was asked for: a round is short.
const ROUNDS: usize = 7;

pub(super) fn measure(repeats: usize, shared: &Shared) -> Result<Told, Failure> {
    let (mut told, mut lines) = (Told::default(), Vec::new());
    for (share, radix_then, adaptive_then) in SORTS {
        let items = with_changed(share, shared.seed());
        for (kind, then) in [("radix", radix_then), ("adaptive", adaptive_then)] {
            for threads in THREADS {
                let pool = options::thread_pool(threads)?;
                let rounds = ROUNDS * repeats.max(1);
                let (value, spread) = pool.install(|| timed(&items, kind, rounds))?;
                told.rows.push(row((share, kind, then), threads, (value, spread), rounds));
                lines.push(vec![
                    changed(share).to_owned(),
                    kind.to_owned(),
                    threads.to_string(),
                    format!("{value:.3}"),
                    format!("{spread:.3}"),
                    then.to_owned(),
                ]);
            }
        }
    }
    let header = ["keys", "sort", "threads", "median ms", "spread", "study, 4 cores"];
    let table = columns(&header, &[false, false, true, true, true, true], &lines);
    told.text = format!("Sorting {KEYS} keys; more than a sixteenth out of order is left to radix sort\n{table}");
    Ok(told)
}

fn row((share, kind, then): (f64, &str, &str), threads: usize, (value, spread): (f64, f64), repeats: usize) -> Row {
    Row {
        scene: changed(share).to_owned(),
        size: KEYS,
        what: "sort",
        kind: kind.to_owned(),
        threads,
        value,
        spread,
        unit: "ms",
        repeats,
        state_hash: None,
        paper: then.to_owned(),
    }
}

fn changed(share: f64) -> &'static str {
    match share {
        share if share > 0.5 => "random keys",
        share if share > 0.05 => "10 % changed",
        _ => "2 % changed",
    }
}

/// Sorted keys of which a share was drawn anew, from as many cells as there are keys.
fn with_changed(share: f64, seed: u64) -> Items {
    let mut random = Random::new(seed);
    let mut draw = || (random.next_u64() % KEYS as u64) as u32;
    let mut keys: Vec<u32> = (0..KEYS).map(|_| draw()).collect();
    keys.sort_unstable();
    let count = (share * KEYS as f64).round() as usize;
    // A key may be drawn twice while the others stay, so places are spread evenly instead.
    for changed in 0..count {
        keys[changed * KEYS / count] = draw();
    }
    keys.into_iter().zip(0..).collect()
}

fn timed(items: &Items, kind: &str, rounds: usize) -> Result<(f64, f64), Failure> {
    let mut expected = items.clone();
    expected.sort_by_key(|item| item.0);
    let (mut room, mut times) = (Items::new(), Vec::new());
    for _ in 0..=rounds {
        let mut sorted = items.clone();
        times.push(milliseconds_of(|| match kind {
            "radix" => sort::radix(&mut sorted, &mut room),
            _ => drop(sort::adaptive(&mut sorted, &mut room)),
        }));
        if sorted != expected {
            return Err(Failure::usage(format!("{kind} sort: another order than that of a stable sort")));
        }
    }
    // The first round makes room.
    Ok(median_and_spread(times.split_off(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_keys_are_out_of_order_as_changed() {
        for (share, least, most) in [(0.02, 0.01, 0.021), (0.1, 0.05, 0.101), (1.0, 0.3, 1.0)] {
            let items = with_changed(share, 1);
            let mut sorted = items.clone();
            sorted.sort_by_key(|item| item.0);
            assert_eq!(sorted.len(), KEYS);
            let drops = items.windows(2).filter(|pair| pair[0].0 > pair[1].0).count();
            let part = drops as f64 / KEYS as f64;
            assert!((least..most).contains(&part), "{share}: {part}");
        }
    }
}
