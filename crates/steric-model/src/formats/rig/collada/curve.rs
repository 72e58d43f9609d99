//! Samplers: curves through keys.
//!
//! How it works: each key names what lies between it and the next: a step, a line, or a cubic. Bézier's control points and
//! Hermite's tangents come with a time of their own, so a cubic is a curve in time and value: its parameter is found from the
//! time by halving, and gives the value. Control points are kept between their keys in time, so that there is one parameter for
//! each time. Cardinal splines are Hermite's with tangents from the keys around; B-splines pass beside their keys. Many samplers
//! may share a source, so a small file could ask for any number of keys: there is a most for all together.

use std::rc::Rc;

use glam::DVec2;
use roxmltree::NodeId;
use rustc_hash::FxHashMap;

use super::source::{Sources, Table, input, names};
use super::xml::{File, Xml, affine};
use crate::formats::rig::short;
use crate::{JointPose, ReadError, Turning};

/// Keys of all curves, unless the file has less than four for each of its bytes: 64 MB.
const MOST_KEYS: usize = 1 << 22;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    Step,
    Linear,
    Bezier,
    Hermite,
    Cardinal,
    BSpline,
}

#[derive(Clone, Copy)]
pub(super) struct Key {
    pub time: f64,
    pub between: Between,
    // In all tables: a file may list its keys in any order. XML of more than four gigabytes is not read.
    row: u32,
}

/// The curves of all samplers, each read once.
pub(super) struct Curves {
    known: FxHashMap<NodeId, Option<Rc<Curve>>>,
    keys_left: usize,
}

impl Curves {
    pub(super) fn new(file: &File<'_>) -> Self {
        Self { known: FxHashMap::default(), keys_left: MOST_KEYS.max(file.bytes().saturating_mul(4)) }
    }

    /// The curve of a sampler; None where it has no keys.
    pub(super) fn of<'a>(
        &mut self,
        file: &File<'a>,
        sampler: Xml<'a>,
        sources: &mut Sources,
    ) -> Result<Option<Rc<Curve>>, ReadError> {
        if let Some(known) = self.known.get(&sampler.id()) {
            return Ok(known.clone());
        }
        let curve = Curve::read(file, sampler, sources, &mut self.keys_left)?.map(Rc::new);
        self.known.insert(sampler.id(), curve.clone());
        Ok(curve)
    }
}

pub(super) struct Curve {
    pub keys: Vec<Key>,
    /// Whether all keys are steps.
    pub is_stepped: bool,
    values: Rc<Table>,
    arriving: Option<Rc<Table>>,
    leaving: Option<Rc<Table>>,
}

impl Curve {
    fn read<'a>(
        file: &File<'a>,
        sampler: Xml<'a>,
        sources: &mut Sources,
        keys_left: &mut usize,
    ) -> Result<Option<Self>, ReadError> {
        let (Some(times), Some(values)) = (input(file, sampler, "INPUT"), input(file, sampler, "OUTPUT")) else {
            file.warn(sampler, || "a sampler without INPUT or OUTPUT was left out".to_owned());
            return Ok(None);
        };
        let (times, values) = (sources.numbers(file, times, 1)?, sources.numbers(file, values, 1)?);
        if times.len() != values.len() {
            file.warn(sampler, || {
                format!("{} times and {} values; the others were ignored", times.len(), values.len())
            });
        }
        let mut tangents = |semantic| match input(file, sampler, semantic) {
            Some(source) => sources.numbers(file, source, 1).map(Some),
            None => Ok(None),
        };
        let (arriving, leaving) = (tangents("IN_TANGENT")?, tangents("OUT_TANGENT")?);
        let count = times.len().min(values.len());
        *keys_left = keys_left.checked_sub(count).ok_or_else(|| {
            let expected = format!("at most {keys_left} further keys of curves");
            file.error(sampler, expected, format!("{count}, by sources that samplers share"))
        })?;
        let mut curve = Self { keys: Vec::with_capacity(count), is_stepped: false, values, arriving, leaving };
        let between = input(file, sampler, "INTERPOLATION").map(|source| names(file, source).0);
        let between = between.into_iter().flatten().chain(std::iter::repeat("LINEAR"));
        for (row, between) in (0..count).zip(between) {
            let time = times.row(row).map_or(0.0, |row| row[0]);
            let between = curve.between(file, sampler, between, row, count);
            curve.keys.push(Key { time, between, row: row as u32 });
        }
        curve.sort(file, sampler);
        curve.is_stepped = curve.keys.iter().all(|key| key.between == Between::Step);
        Ok(Some(curve).filter(|curve| !curve.keys.is_empty()))
    }

    // What a name means, as far as the tangents for it are there.
    fn between<'a>(&self, file: &File<'a>, sampler: Xml<'a>, name: &str, row: usize, count: usize) -> Between {
        let between = match name {
            "STEP" => return Between::Step,
            "LINEAR" => return Between::Linear,
            "BEZIER" => Between::Bezier,
            "HERMITE" => Between::Hermite,
            "CARDINAL" => return Between::Cardinal,
            "BSPLINE" => return Between::BSpline,
            other => {
                file.warn(sampler, || format!("the interpolation {} is not supported; taken as LINEAR", short(other)));
                return Between::Linear;
            }
        };
        let has = |table: &Option<Rc<Table>>, row: usize| {
            table.as_ref().and_then(|table| tangent(table, row, self.width(), 0)).is_some()
        };
        // The last key leads nowhere.
        if row + 1 == count || (has(&self.leaving, row) && has(&self.arriving, row + 1)) {
            return between;
        }
        file.warn(sampler, || format!("key {row} has no tangents; taken as LINEAR"));
        Between::Linear
    }

    // Of keys at the same time the last one holds.
    fn sort<'a>(&mut self, file: &File<'a>, sampler: Xml<'a>) {
        if self.keys.windows(2).all(|pair| pair[0].time < pair[1].time) {
            return;
        }
        file.warn(sampler, || "the times of a sampler do not rise; its keys were sorted".to_owned());
        self.keys.reverse();
        self.keys.sort_by(|left, right| left.time.total_cmp(&right.time));
        self.keys.dedup_by(|next, kept| next.time <= kept.time);
        self.keys.shrink_to_fit();
    }

    /// How many numbers it has at each time.
    pub(super) fn width(&self) -> usize {
        self.values.width
    }

    /// The number of a key.
    pub(super) fn value(&self, key: usize, component: usize) -> f64 {
        self.row(key).get(component).copied().unwrap_or_default()
    }

    // The numbers of a key.
    fn row(&self, key: usize) -> &[f64] {
        self.keys.get(key).and_then(|key| self.values.row(key.row as usize)).unwrap_or_default()
    }

    /// Puts its numbers at a time; before the first and after the last key those of that end.
    pub(super) fn put(&self, time: f64, numbers: &mut [f64]) {
        let after = self.keys.partition_point(|key| key.time <= time);
        let last = self.keys.len() - 1;
        // The piece that begins with a key; those at the ends go on from the first or the last one.
        let (key, share) = match after {
            0 => (0, 0.0),
            _ if after > last => (last.saturating_sub(1), 1.0),
            _ => (after - 1, (time - self.keys[after - 1].time) / (self.keys[after].time - self.keys[after - 1].time)),
        };
        let components = 0..self.width();
        match self.keys[key].between {
            Between::BSpline => put_all(numbers, components.map(|component| self.b_spline(key, component, share))),
            _ if after == 0 || after > last => put_all(numbers, self.row(after.min(last)).iter().copied()),
            Between::Step => put_all(numbers, self.row(key).iter().copied()),
            Between::Linear if self.width() == 16 => {
                put_all(numbers, matrix_between(self.row(key), self.row(key + 1), share));
            }
            Between::Linear => {
                let pairs = self.row(key).iter().zip(self.row(key + 1));
                put_all(numbers, pairs.map(|(from, to)| from + (to - from) * share));
            }
            Between::Cardinal => put_all(numbers, components.map(|component| self.cardinal(key, component, share))),
            Between::Bezier | Between::Hermite => {
                let (start, end) = (&self.keys[key], &self.keys[key + 1]);
                put_all(numbers, components.map(|component| self.cubic(start, end, component, share)));
            }
        }
    }

    // Hermite's cubic with half of the way from the key before to the key behind, in time and value, for a tangent.
    fn cardinal(&self, key: usize, component: usize, share: f64) -> f64 {
        let last = self.keys.len() - 1;
        let at = |key: usize| DVec2::new(self.keys[key].time, self.value(key, component));
        let third = |key: usize| match (key.checked_sub(1), key < last) {
            (Some(before), true) => (at(key + 1) - at(before)) / 6.0,
            (None, _) => (at(1) - at(0)) / 3.0,
            (Some(before), false) => (at(key) - at(before)) / 3.0,
        };
        let (from, to) = (at(key), at(key + 1));
        let controls = [from + third(key), to - third(key + 1)];
        let [first, second] = controls.map(|control| ((control.x - from.x) / (to.x - from.x)).clamp(0.0, 1.0));
        bezier(from.y, controls[0].y, controls[1].y, to.y, parameter(first, second, share))
    }

    // The uniform cubic, with the first and the last key repeated.
    fn b_spline(&self, key: usize, component: usize, t: f64) -> f64 {
        let at = |key: usize| self.value(key.min(self.keys.len() - 1), component);
        let (squared, cubed, rest) = (t * t, t * t * t, 1.0 - t);
        let weights = [
            rest * rest * rest,
            3.0 * cubed - 6.0 * squared + 4.0,
            -3.0 * cubed + 3.0 * squared + 3.0 * t + 1.0,
            cubed,
        ];
        let values = [at(key.saturating_sub(1)), at(key), at(key + 1), at(key + 2)];
        weights.iter().zip(values).map(|(weight, value)| weight * value).sum::<f64>() / 6.0
    }

    fn cubic(&self, start: &Key, end: &Key, component: usize, share: f64) -> f64 {
        let number = |key: &Key| self.values.row(key.row as usize).map_or(0.0, |row| row[component]);
        let tangent = |table: &Option<Rc<Table>>, key: &Key| {
            table.as_ref().and_then(|table| tangent(table, key.row as usize, self.width(), component))
        };
        let (from, to, length) = (number(start), number(end), end.time - start.time);
        let (leaving, arriving) = (tangent(&self.leaving, start), tangent(&self.arriving, end));
        let (Some(leaving), Some(arriving)) = (leaving, arriving) else { return from + (to - from) * share };
        let even = [1.0 / 3.0, 2.0 / 3.0];
        let (shares, controls) = if start.between == Between::Bezier {
            let shares = [leaving.0, arriving.0].map(|time| time.map(|time| (time - start.time) / length));
            (shares, [leaving.1, arriving.1])
        } else {
            let shares = [leaving.0.map(|time| time / length / 3.0), arriving.0.map(|time| 1.0 - time / length / 3.0)];
            (shares, [from + leaving.1 / 3.0, to - arriving.1 / 3.0])
        };
        let inside = |at: usize| shares[at].unwrap_or(even[at]).clamp(0.0, 1.0);
        bezier(from, controls[0], controls[1], to, parameter(inside(0), inside(1), share))
    }
}

fn put_all(numbers: &mut [f64], values: impl IntoIterator<Item = f64>) {
    numbers.iter_mut().zip(values).for_each(|(number, value)| *number = value);
}

// The time, if there is one, and the number of a tangent: a pair for each component, one time for all, or no times.
fn tangent(table: &Table, row: usize, width: usize, component: usize) -> Option<(Option<f64>, f64)> {
    let row = table.row(row)?;
    let at = |index: usize| row.get(index).copied();
    match table.width {
        pairs if pairs == 2 * width => Some((at(2 * component), at(2 * component + 1)?)),
        one_time if one_time == width + 1 => Some((at(0), at(component + 1)?)),
        no_times if no_times == width => Some((None, at(component)?)),
        _ => None,
    }
}

fn bezier(from: f64, first: f64, second: f64, to: f64, s: f64) -> f64 {
    let r = 1.0 - s;
    r * r * r * from + 3.0 * r * r * s * first + 3.0 * r * s * s * second + s * s * s * to
}

// Where the curve of times from 0 to 1 with these control points, both in between, reaches a share.
fn parameter(first: f64, second: f64, share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // Each round halves what is left of 1: 50 leave less than the spacing of numbers there.
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if bezier(0.0, first, second, 1.0, middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

// A matrix between two others turns; a mean of their numbers would shrink. One that is flat turns as the other.
fn matrix_between(from: &[f64], to: &[f64], share: f64) -> [f64; 16] {
    let pose = |rows: &[f64]| rows.try_into().ok().map(|rows| JointPose::of_matrix(&affine(rows)));
    let (Some((from, from_turns)), Some((to, to_turns))) = (pose(from), pose(to)) else { return [0.0; 16] };
    let rotation = match (from_turns, to_turns) {
        (true, false) => from.rotation,
        (false, true) => to.rotation,
        _ => Turning::Slerp.between(from.rotation, to.rotation, share),
    };
    let translation = from.translation.lerp(to.translation, share);
    let pose = JointPose { translation, rotation, scale: from.scale.lerp(to.scale, share) };
    glam::DMat4::from(pose.matrix()).transpose().to_cols_array()
}
