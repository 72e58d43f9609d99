//! Who may touch whom while all of them move: spheres on paths of bounded length.
//!
//! How it works: a sphere whose middle stays within `reach` of a place stays within `radius + reach` of it, so two whose bounds lie apart cannot meet, whichever way they
//! go. The best place is the middle of its path. The bounds stand in a lattice, sorted cell by cell along x, so that a row of neighbouring cells is one stretch
//! of memory that is compared eight at a time. Spheres of very different sizes stand in lattices of their own: a few large ones do not
//! make the cells of the many small ones wide. A sphere whose path turns out to be longer is told with [`SweptIndex::raise`], and those who look from then on
//! look far enough.

mod lattice;
mod search;
#[cfg(test)]
mod tests;

use glam::DVec3;
use lattice::Lattice;
use rayon::prelude::*;

use crate::simd::{Kernel, Lanes, dispatch};

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
            // Nearly all are near already, and a division takes longer than all the rest.
            if self.repeats[axis] && apart[axis].abs() >= 0.5 * self.edges[axis] {
                apart[axis] -= self.edges[axis] * (apart[axis] / self.edges[axis]).round();
            }
        }
        apart
    }
}

/// A sphere and where it may be, in angstroms.
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
    /// A place that it stays near to: where it stands at first, or the middle of its path.
    pub center: DVec3,
    /// Its radius.
    pub radius: f64,
    /// How far from that place it goes, at most.
    pub reach: f64,
}

/// Spheres that can be asked for by their numbers: a function, or what implements this with `#[inline(always)]`, which is compiled for the processor's widest registers, as a function is not.
///
/// ```
/// use glam::DVec3;
/// use steric_collide::{Swept, SweptSphere};
///
/// let still = |number: usize| SweptSphere { center: DVec3::X * number as f64, radius: 0.4, reach: 0.0 };
/// assert_eq!(still.sphere(3).center.x, 3.0);
/// ```
pub trait Swept: Sync {
    /// The sphere with a number.
    fn sphere(&self, number: usize) -> SweptSphere;
}

impl<F: Fn(usize) -> SweptSphere + Sync> Swept for F {
    #[inline(always)]
    fn sphere(&self, number: usize) -> SweptSphere {
        self(number)
    }
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
    /// Which spheres stand in each lattice, where there are several.
    members: Vec<Vec<u32>>,
    /// For each sphere its lattice and which member it is there, where there are several.
    homes: Vec<(u8, u32)>,
    /// All of them.
    bounds: Vec<Bound>,
    low: DVec3,
}

/// The middle of what a sphere does, from the corner of the box, and how far it extends: its radius, its path, and what rounding may hide.
type Bound = [f32; 4];

/// A lattice is for bounds of at most so many times those of the one before.
const WIDER: f32 = 2.5;
/// More lattices than this would cost more than they save.
const MOST_LATTICES: usize = 6;
/// Spheres of one piece of work.
const PIECE: usize = 4_096;

/// Notes bounds; tells the least and the largest extent.
struct Fill<'a, S> {
    bounds: &'a mut [Bound],
    spheres: &'a S,
    /// Which sphere the first bound is for.
    first: usize,
    low: DVec3,
    slack: f32,
}

impl<S: Swept> Kernel for Fill<'_, S> {
    type Output = (f32, f32);

    #[inline(always)]
    fn run<L: Lanes>(self, _lanes: L) -> (f32, f32) {
        let Self { bounds, spheres, first, low, slack } = self;
        let (mut least, mut most) = (f32::INFINITY, 0.0);
        for (at, bound) in bounds.iter_mut().enumerate() {
            let SweptSphere { center, radius, reach } = spheres.sphere(first + at);
            let (at, extent) = (center - low, (radius + reach) as f32 + slack);
            *bound = [at.x as f32, at.y as f32, at.z as f32, extent];
            least = if extent < least { extent } else { least };
            most = if extent > most { extent } else { most };
        }
        (least, most)
    }
}

impl SweptIndex {
    /// Puts spheres into their cells.
    pub fn build(&mut self, space: SweptBox, count: usize, sphere: impl Fn(usize) -> SweptSphere + Sync) {
        self.build_from(space, count, &sphere);
    }

    /// The same, from what implements [`Swept`] itself.
    pub fn build_from(&mut self, space: SweptBox, count: usize, spheres: &impl Swept) {
        let slack = (space.edges.max_element() * 8.0 * f64::from(f32::EPSILON)) as f32;
        let mut bounds = std::mem::take(&mut self.bounds);
        bounds.resize(count, Bound::default());
        let pieces = bounds
            .par_chunks_mut(PIECE)
            .enumerate()
            .map(|(piece, bounds)| dispatch(Fill { bounds, spheres, first: piece * PIECE, low: space.low, slack }));
        let (least, most) = pieces.reduce(|| (f32::INFINITY, 0.0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        self.low = space.low;
        self.sort_by_size(&bounds, least, most);
        self.lattices.resize_with(self.members.len().max(1), Lattice::default);
        match &self.members[..] {
            [] => self.lattices[0].build(space, [slack, most], count, |member| member as u32, &bounds),
            several => {
                for (lattice, members) in self.lattices.iter_mut().zip(several) {
                    let widest = members.iter().map(|slot| bounds[*slot as usize][3]).fold(0.0, f32::max);
                    lattice.build(space, [slack, widest], members.len(), |member| members[member], &bounds);
                }
            }
        }
        self.bounds = bounds;
    }

    /// Leaves `members` empty where one lattice will do.
    fn sort_by_size(&mut self, bounds: &[Bound], least: f32, most: f32) {
        self.members.clear();
        self.homes.clear();
        if bounds.is_empty() || most <= WIDER * least {
            return;
        }
        // Each lattice begins at the size where the one below ends; what nobody has is left out.
        let level = |bound: &Bound| {
            let level = (most / bound[3].max(most * 1e-9)).log(WIDER).floor() as usize;
            level.min(MOST_LATTICES - 1)
        };
        let mut members = vec![Vec::new(); MOST_LATTICES];
        for (slot, bound) in bounds.iter().enumerate() {
            members[level(bound)].push(slot as u32);
        }
        members.retain(|members| !members.is_empty());
        if members.len() > 1 {
            self.homes.resize(bounds.len(), (0, 0));
            for (level, members) in members.iter().enumerate() {
                for (member, slot) in members.iter().enumerate() {
                    self.homes[*slot as usize] = (level as u8, member as u32);
                }
            }
            self.members = members;
        }
    }

    /// Says that a sphere goes on along a straight path, from one place to another: nowhere is it farther from where it was said to be than at one of them.
    pub fn redirect(&mut self, sphere: u32, radius: f64, ends: [DVec3; 2]) {
        let (level, member) = self.homes.get(sphere as usize).copied().unwrap_or((0, sphere));
        let lattice = &mut self.lattices[level as usize];
        let Some(space) = lattice.space else { return };
        let center = space.low + lattice.center(member);
        let [one, other] = [space.nearest(ends[0] - center), space.nearest(ends[1] - center)];
        let squared = one.length_squared().max(other.length_squared());
        lattice.raise(member, radius + squared.sqrt());
    }

    /// Says that a sphere may go farther than was told. Who looks around with [`SweptIndex::near`] from then on sees it.
    pub fn raise(&mut self, sphere: u32, radius: f64, reach: f64) {
        let (level, member) = self.homes.get(sphere as usize).copied().unwrap_or((0, sphere));
        self.lattices[level as usize].raise(member, radius + reach);
    }

    /// Every pair that may meet by what was told when the index was built, once; what `touch` makes of them is gathered. Pairs may be looked at by several
    /// threads.
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
        let (at, extent) = (sphere.center - self.low, sphere.radius + sphere.reach);
        self.lattices.iter().map(|lattice| search::warm(lattice, at, extent)).sum()
    }

    /// Whoever may meet a sphere.
    pub fn near(&self, sphere: SweptSphere, mut visit: impl FnMut(u32)) {
        let (at, extent) = (sphere.center - self.low, sphere.radius + sphere.reach);
        for lattice in &self.lattices {
            search::near(lattice, at, extent, &mut visit);
        }
    }
}
