//! When the curves of a joint are looked at.
//!
//! How it works: at the times of all their keys, and 30 times a second where a straight line from key to key would not follow
//! them: along cubics and along angles, which may go around more than once. Of a clip with a window only the keys around it are
//! visited. The curves of a joint mostly share their times, so these are gathered, and paid for, once for the joint.

use std::ops::Range;

use super::channels::Channel;
use super::curve::{Between, Key};
use super::node::Stated;

/// How often curves are looked at between keys, in a second.
const RATE: f64 = 30.0;
/// Files round times: keys that are this share of a look further apart have no look between them.
const SLACK: f64 = 1e-3;
/// Degrees that a joint turns at most from one look to the next.
const MOST_DEGREES: f64 = 45.0;
/// Looks between two keys: two minutes.
const MOST_BETWEEN: f64 = 3600.0;
/// The length of a step, in seconds.
const STEP: f64 = 1e-6;

/// What may be spent on one file, whatever its curves ask for.
pub(super) struct Budget {
    /// Curves looked at, once for each time: seconds of work.
    pub looks: usize,
    /// Keys of joints, about a hundred bytes each: the walk of a hundred joints for twenty minutes.
    pub keys: usize,
    /// Times between keys; when they are spent, the keys alone are used.
    pub between: usize,
    pub is_coarse: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { looks: 1 << 26, keys: 1 << 22, between: 1 << 20, is_coarse: false }
    }
}

impl Budget {
    /// Pays for keys that are visited, which takes an eighth of a look.
    pub(super) fn visit(&mut self, keys: usize) -> Option<()> {
        self.looks = self.looks.checked_sub(keys.div_ceil(8))?;
        Some(())
    }
}

/// The times at which the channels of a node are looked at, rising; None if that is beyond the budget.
pub(super) fn times(
    node: &Stated<'_>,
    channels: &[&Channel],
    window: Option<(f64, f64)>,
    budget: &mut Budget,
) -> Option<Vec<f64>> {
    let is_stepped = channels.iter().all(|channel| channel.curve.is_stepped);
    let span = window.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let (mut times, mut between) = (Times::default(), Times::default());
    for channel in channels {
        let keys = &channel.curve.keys;
        let visited = around(keys, span);
        budget.visit(visited.len())?;
        times.extend(keys[visited.clone()].iter().map(|key| key.time));
        if is_stepped {
            continue;
        }
        for key in visited.start..visited.end.saturating_sub(1) {
            let (from, length) = (keys[key].time, keys[key + 1].time - keys[key].time);
            match parts(channel, node, key) {
                Parts::Line => {}
                Parts::Step => times.extend([keys[key + 1].time - STEP.min(0.5 * length)]),
                Parts::Even(_) if between.sorted > budget.between => {}
                Parts::Even(parts) => {
                    let inside = inside(parts, from, length, span);
                    budget.visit(inside.len())?;
                    between.extend(inside.map(|part| from + length * (part as f64 / parts as f64)));
                }
            }
        }
    }
    between.sort();
    match budget.between.checked_sub(between.sorted) {
        Some(left) => budget.between = left,
        None => (between, budget.is_coarse) = (Times::default(), true),
    }
    times.extend(between.times);
    Some(times.within(window))
}

// The keys of the pieces that overlap a span of time.
fn around(keys: &[Key], (start, end): (f64, f64)) -> Range<usize> {
    let first = keys.partition_point(|key| key.time <= start).saturating_sub(1);
    let last = keys.partition_point(|key| key.time < end);
    first..(last + 1).min(keys.len()).max(first)
}

// How a piece of a curve is divided.
enum Parts {
    Line,
    Step,
    Even(usize),
}

fn parts(channel: &Channel, node: &Stated<'_>, key: usize) -> Parts {
    let (curve, keys) = (&channel.curve, &channel.curve.keys);
    let turn = channel.angle(node).map(|at| curve.value(key + 1, at) - curve.value(key, at));
    match (keys[key].between, turn) {
        (Between::Step, _) => Parts::Step,
        (Between::Linear, None) => Parts::Line,
        (_, turn) => {
            let looks = ((keys[key + 1].time - keys[key].time) * RATE - SLACK).ceil();
            let turns = (turn.unwrap_or(0.0).abs() / MOST_DEGREES).ceil();
            Parts::Even(looks.max(turns).clamp(1.0, MOST_BETWEEN) as usize)
        }
    }
}

// The parts of a piece that begin in a span of time, or just before or behind it; never the piece itself.
fn inside(parts: usize, from: f64, length: f64, (start, end): (f64, f64)) -> Range<usize> {
    let part = |time: f64| (time - from) / length * parts as f64;
    let first = part(start).floor().clamp(1.0, parts as f64) as usize;
    let last = (part(end).ceil() + 1.0).clamp(1.0, parts as f64) as usize;
    first..last.max(first)
}

/// Times, most of which come again and again: whenever they have doubled, they are sorted and each is kept once.
#[derive(Default)]
struct Times {
    times: Vec<f64>,
    // How many there were after that.
    sorted: usize,
}

impl Times {
    fn extend(&mut self, times: impl IntoIterator<Item = f64>) {
        self.times.extend(times);
        if self.times.len() > 2 * self.sorted + 4096 {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.times.sort_by(f64::total_cmp);
        self.times.dedup();
        self.sorted = self.times.len();
    }

    // With the ends of the window, if there is one; none of them is the same when the window's start is taken for zero.
    fn within(self, window: Option<(f64, f64)>) -> Vec<f64> {
        let mut times = self.times;
        if let Some((start, end)) = window {
            times.retain(|&time| time > start && time < end);
            times.extend([start, end]);
        }
        let zero = window.map_or(0.0, |(start, _)| start);
        times.sort_by(f64::total_cmp);
        times.dedup_by(|next, kept| *next - zero <= *kept - zero);
        times
    }
}
