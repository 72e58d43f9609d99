//! Samplers: curves through keys.
//!
//! How it works: each key names what lies between it and the next: a step, a line, or a cubic. Bézier's control points and
//! Hermite's tangents come with a time of their own, so a cubic is a curve in time and value: its parameter is found from the
//! time by halving, and gives the value. Control points are kept between their keys in time, so that there is one parameter for
//! each time.

use std::rc::Rc;

use super::source::{Sources, Table, input, names};
use super::xml::{File, Xml, affine};
use crate::formats::rig::short;
use crate::{JointPose, ReadError, Turning};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    Step,
    Linear,
    Bezier,
    Hermite,
}

#[derive(Clone, Copy)]
pub(super) struct Key {
    pub time: f64,
    pub between: Between,
    // In all tables: a file may list its keys in any order.
    row: usize,
}

pub(super) struct Curve {
    pub keys: Vec<Key>,
    values: Rc<Table>,
    arriving: Option<Rc<Table>>,
    leaving: Option<Rc<Table>>,
}

impl Curve {
    /// The curve of a sampler; None where it has no keys.
    pub(super) fn read<'a>(
        file: &File<'a>,
        sampler: Xml<'a>,
        sources: &mut Sources,
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
        let between = input(file, sampler, "INTERPOLATION").map(|source| names(file, source).0).unwrap_or_default();
        let mut tangents = |semantic| match input(file, sampler, semantic) {
            Some(source) => sources.numbers(file, source, 1).map(Some),
            None => Ok(None),
        };
        let (arriving, leaving) = (tangents("IN_TANGENT")?, tangents("OUT_TANGENT")?);
        let mut curve = Self { keys: Vec::new(), values, arriving, leaving };
        let count = times.len().min(curve.values.len());
        for row in 0..count {
            let time = times.row(row).map_or(0.0, |row| row[0]);
            let between = between.get(row).copied().unwrap_or("LINEAR");
            curve.keys.push(Key { time, between: curve.between(file, sampler, between, row, count), row });
        }
        curve.sort(file, sampler);
        Ok(Some(curve).filter(|curve| !curve.keys.is_empty()))
    }

    // What a name means, as far as the tangents for it are there.
    fn between<'a>(&self, file: &File<'a>, sampler: Xml<'a>, name: &str, row: usize, count: usize) -> Between {
        let between = match name {
            "STEP" => return Between::Step,
            "LINEAR" => return Between::Linear,
            "BEZIER" => Between::Bezier,
            "HERMITE" => Between::Hermite,
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
    }

    /// How many numbers it has at each time.
    pub(super) fn width(&self) -> usize {
        self.values.width
    }

    /// The number of a key.
    pub(super) fn value(&self, key: usize, component: usize) -> f64 {
        let row = self.keys.get(key).and_then(|key| self.values.row(key.row));
        row.and_then(|row| row.get(component)).copied().unwrap_or_default()
    }

    /// Puts its numbers at a time; before the first and after the last key those of that key.
    pub(super) fn put(&self, time: f64, numbers: &mut [f64]) {
        let after = self.keys.partition_point(|key| key.time <= time);
        let (Some(start), end) = (self.keys.get(after.saturating_sub(1)), self.keys.get(after)) else { return };
        let (Some(from), end) = (self.values.row(start.row), end.filter(|_| after > 0)) else { return };
        let Some((end, to)) = end.and_then(|end| Some((end, self.values.row(end.row)?))) else {
            return put_all(numbers, from.iter().copied());
        };
        let share = (time - start.time) / (end.time - start.time);
        match start.between {
            Between::Step => put_all(numbers, from.iter().copied()),
            Between::Linear if self.width() == 16 => put_all(numbers, matrix_between(from, to, share)),
            Between::Linear => put_all(numbers, from.iter().zip(to).map(|(from, to)| from + (to - from) * share)),
            _ => put_all(numbers, (0..self.width()).map(|component| self.cubic(start, end, component, share))),
        }
    }

    fn cubic(&self, start: &Key, end: &Key, component: usize, share: f64) -> f64 {
        let number = |key: &Key| self.values.row(key.row).map_or(0.0, |row| row[component]);
        let tangent = |table: &Option<Rc<Table>>, key: &Key| {
            table.as_ref().and_then(|table| tangent(table, key.row, self.width(), component))
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

// A matrix between two others turns; a mean of their numbers would shrink.
fn matrix_between(from: &[f64], to: &[f64], share: f64) -> [f64; 16] {
    let pose = |rows: &[f64]| rows.try_into().ok().map(|rows| JointPose::from_matrix(&affine(rows)));
    let (Some(from), Some(to)) = (pose(from), pose(to)) else { return [0.0; 16] };
    let pose = JointPose {
        translation: from.translation.lerp(to.translation, share),
        rotation: Turning::Slerp.between(from.rotation, to.rotation, share),
        scale: from.scale.lerp(to.scale, share),
    };
    glam::DMat4::from(pose.matrix()).transpose().to_cols_array()
}
