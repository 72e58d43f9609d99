//! Who may touch whom while all of them move: spheres on paths of bounded length.
//!
//! How it works: a sphere that goes at most `reach` stays within `radius + reach` of where it stood, so two whose bounds lie apart cannot meet, whichever way they
//! go. The bounds stand in a lattice with cells as wide as two of the largest, sorted cell by cell along x, so that a row of neighbouring cells is one stretch
//! of memory that is compared eight at a time. Spheres of very different sizes stand in lattices of their own: a few large ones do not
//! make the cells of the many small ones wide. A sphere whose path turns out to be longer is told with [`SweptIndex::raise`], and those who look from then on
//! look far enough.

mod lattice;
#[cfg(test)]
mod tests;

use glam::DVec3;
use lattice::Lattice;
use rayon::prelude::*;

/// The box in which spheres move, and the axes along which it repeats.
///
/// ```
/// use glam::DVec3;
/// use steric_collide::SweptBox;
///
/// let slab = SweptBox { low: DVec3::ZERO, edges: DVec3::splat(40.0), repeats: [true, true, false] };
/// assert_eq!(slab.nearest(DVec3::new(39.0, 0.0, 39.0)), DVec3::new(-1.0, 0.0, 39.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptBox {
    /// The corner with the smallest coordinates, in angstroms.
    pub low: DVec3,
    /// Edges in angstroms.
    pub edges: DVec3,
    /// Which axes repeat.
    pub repeats: [bool; 3],
}

impl SweptBox {
    /// The shortest of all copies of a difference between two places.
    pub fn nearest(&self, mut apart: DVec3) -> DVec3 {
        for axis in 0..3 {
            if self.repeats[axis] {
                apart[axis] -= self.edges[axis] * (apart[axis] / self.edges[axis]).round();
            }
        }
        apart
    }
}

/// A sphere and how far it may go, in angstroms.
///
/// ```
/// use glam::DVec3;
/// use steric_collide::SweptSphere;
///
/// let fast = SweptSphere { center: DVec3::ZERO, radius: 2.0, reach: 30.0 };
/// assert_eq!(fast.radius + fast.reach, 32.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptSphere {
    /// Where it stands at first.
    pub center: DVec3,
    /// Its radius.
    pub radius: f64,
    /// The length of its path, at most.
    pub reach: f64,
}

/// An index of moving spheres; its memory is used again by the next [`SweptIndex::build`].
///
/// ```
/// use glam::DVec3;
/// use steric_collide::{SweptBox, SweptIndex, SweptSphere};
///
/// let space = SweptBox { low: DVec3::ZERO, edges: DVec3::splat(100.0), repeats: [true; 3] };
/// let at = |x: f64| SweptSphere { center: DVec3::new(x, 50.0, 50.0), radius: 1.0, reach: 1.5 };
/// let spheres = [at(1.0), at(98.0), at(50.0)];
/// let mut index = SweptIndex::default();
/// index.build(space, spheres.len(), |sphere| spheres[sphere]);
/// // Across the border the first two are 3 Å apart, and may meet; nobody meets the third.
/// let pairs = index.pairs(|a, b| Some((a.min(b), a.max(b))));
/// assert_eq!(pairs, [(0, 1)]);
/// ```
#[derive(Debug, Default)]
pub struct SweptIndex {
    lattices: Vec<Lattice>,
    /// For each sphere its lattice and its place there.
    places: Vec<(u8, u32)>,
    /// Which spheres stand in each lattice, where there are several.
    members: Vec<Vec<u32>>,
    /// All of them, as they were told.
    spheres: Vec<SweptSphere>,
}

/// A lattice is for bounds of at most so many times those of the one before.
const WIDER: f64 = 2.5;
/// More lattices than this would cost more than they save.
const MOST_LATTICES: usize = 6;

impl SweptIndex {
    /// Puts spheres into their cells.
    pub fn build(&mut self, space: SweptBox, count: usize, sphere: impl Fn(usize) -> SweptSphere + Sync) {
        let mut spheres = std::mem::take(&mut self.spheres);
        spheres.resize(count, SweptSphere { center: DVec3::ZERO, radius: 0.0, reach: 0.0 });
        spheres.par_iter_mut().enumerate().with_min_len(4_096).for_each(|(slot, known)| *known = sphere(slot));
        self.put(space, &spheres);
        self.spheres = spheres;
    }

    fn put(&mut self, space: SweptBox, spheres: &[SweptSphere]) {
        let (count, sphere) = (spheres.len(), |slot: usize| spheres[slot]);
        self.sort_by_size(count, &sphere);
        self.lattices.resize_with(self.members.len().max(1), Lattice::default);
        self.places.resize(count, (0, 0));
        if self.members.is_empty() {
            self.lattices[0].build(space, count, |member| member as u32, &sphere);
            for (slot, place) in self.lattices[0].places() {
                self.places[slot as usize] = (0, place);
            }
            return;
        }
        for (level, (lattice, members)) in self.lattices.iter_mut().zip(&self.members).enumerate() {
            lattice.build(space, members.len(), |member| members[member], &sphere);
            for (slot, place) in lattice.places() {
                self.places[slot as usize] = (level as u8, place);
            }
        }
    }

    /// Leaves `members` empty where one lattice will do.
    fn sort_by_size(&mut self, count: usize, sphere: &(impl Fn(usize) -> SweptSphere + Sync)) {
        self.members.clear();
        let size = |slot: usize| {
            let sphere = sphere(slot);
            sphere.radius + sphere.reach
        };
        let (least, most) =
            (0..count).map(size).fold((f64::INFINITY, 0.0f64), |(least, most), size| (least.min(size), most.max(size)));
        if count == 0 || most <= WIDER * least {
            return;
        }
        // Each lattice begins at the size where the one below ends; what nobody has is left out.
        let level = |size: f64| {
            let level = (most / size.max(most * 1e-9)).log(WIDER).floor() as usize;
            level.min(MOST_LATTICES - 1)
        };
        let mut members = vec![Vec::new(); MOST_LATTICES];
        for slot in 0..count {
            members[level(size(slot))].push(slot as u32);
        }
        members.retain(|members| !members.is_empty());
        if members.len() > 1 {
            self.members = members;
        }
    }

    /// Says that a sphere may go farther than was told, from where it stood at first.
    pub fn raise(&mut self, sphere: u32, radius: f64, reach: f64) {
        let (level, place) = self.places[sphere as usize];
        self.lattices[level as usize].raise(place, radius + reach);
    }

    /// Every pair that may meet, once; what `touch` makes of them is gathered. Pairs may be looked at by several threads.
    pub fn pairs<T: Send>(&self, touch: impl Fn(u32, u32) -> Option<T> + Sync) -> Vec<T> {
        let mut all = Vec::new();
        for (level, lattice) in self.lattices.iter().enumerate() {
            lattice.pairs(&touch, &mut all);
            for other in &self.lattices[level + 1..] {
                lattice.pairs_across(other, &touch, &mut all);
            }
        }
        all
    }

    /// Reads what [`SweptIndex::near`] will read: asked for many spheres in a row, memory answers all of them at once, and they find it at hand later. What it gives is
    /// of no use but to keep a compiler from leaving it out.
    pub fn warm(&self, sphere: SweptSphere) -> f32 {
        self.lattices.iter().map(|lattice| lattice.warm(sphere)).sum()
    }

    /// Whoever may meet a sphere that goes on from a place, by at most the reach that it has left.
    pub fn near(&self, sphere: SweptSphere, mut visit: impl FnMut(u32)) {
        for lattice in &self.lattices {
            lattice.near(sphere, &mut visit);
        }
    }
}
