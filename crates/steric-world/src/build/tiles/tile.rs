//! Wang tiles of lipids: a set with one tile for every way to colour its corners.
//!
//! How it works (Figure 2.2 of the founding thesis; Cohen et al. 2003): a tile is made of four diamonds, one over each of its
//! edges, and both tiles at an edge show the two halves of one diamond, so that the edge itself lies in the middle of an
//! undisturbed sample. Where the tips of four diamonds meet, edges alone would not know who is around the corner, so it is
//! the corners that are coloured (Lagae and Dutré 2006): a corner shows a disc of its colour, an edge the diamond of its two
//! corners, which makes colours squared of edge colours in each direction. Three levels are finished one after another:
//! discs, then diamonds around the discs at their tips, then tiles around the strips along their edges. At each level lipids that
//! overlap are deleted, holes are filled, and what is left is pushed apart while the level before stays as it is. So
//! tiles that match along their edges fit atom by atom, and none of this has to be done when they are laid.

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use steric_model::{Pose, Random};

use super::crowd::{Choice, Fate, Solids, places};
use super::patch::{Patch, PatchLipid};

/// Colours of corners: with four the same disc is beside itself as rarely as once in four, and there are 256 tiles.
pub(super) const COLOURS: usize = 3;
/// A diamond as wide as this many patches has the area of one.
const PATCHES: f64 = std::f64::consts::SQRT_2;
/// Edges of tiles, in angstroms: with less there is only border, with more nothing is gained.
const EDGES: std::ops::RangeInclusive<f64> = 44.0..=110.0;
/// Radius of a corner's disc, as a part of the shorter edge, and at most, in angstroms.
const DISC: (f64, f64) = (0.27, 24.0);
/// Half the width of the strip along an edge that both tiles share, likewise.
const STRIP: (f64, f64) = (0.11, 10.0);
/// Diamonds reach so far beyond their seams, to fill holes, in angstroms.
const BEYOND: f64 = 7.0;
/// Atoms of finished tiles are pushed so much farther apart than they must, if they can, in angstroms: a tile that is bent over
/// a surface brings heads or tails a little nearer to each other.
const ROOM: f32 = 0.15;
/// Iterations for a diamond or a tile with this room, and without it where there is none.
const ITERATIONS: [u32; 2] = [60, 250];

/// A complete set of tiles.
#[derive(Clone, Debug)]
pub(in super::super) struct TileSet {
    /// Of a tile, in angstroms.
    pub(super) edges: DVec2,
    /// By the colours of their corners; see [`TileSet::tile`].
    tiles: Vec<Vec<PatchLipid>>,
}

/// A lipid laid in a plane is the same shifted.
fn shifted(lipid: &PatchLipid, shift: DVec2) -> PatchLipid {
    let pose = Pose { translation: lipid.pose.translation + shift.extend(0.0), ..lipid.pose };
    PatchLipid { pose, ..*lipid }
}

/// An edge with the discs at its ends at (0, 0) and at its length along its axis.
struct Edge {
    /// What both tiles at the edge share.
    strip: Vec<PatchLipid>,
    /// The rest of the diamond, and spare lipids beyond its border.
    diamond: Vec<PatchLipid>,
}

/// The edges that a patch's tiles have if nothing asks for others, in angstroms.
pub(super) fn usual_edge(patch: &Patch) -> f64 {
    (PATCHES * patch.width()).clamp(*EDGES.start(), *EDGES.end())
}

impl TileSet {
    /// Cuts and finishes a set of tiles with these edges, in angstroms.
    pub(super) fn new(patch: &Patch, solids: &Solids, edges: DVec2, seed: u64) -> Self {
        let maker = Maker::new(patch, solids, edges, seed);
        let discs: Vec<Vec<PatchLipid>> = (0..COLOURS).map(|colour| maker.disc(colour)).collect();
        let pairs = |axis: usize| -> Vec<Edge> {
            let codes = 0..COLOURS * COLOURS;
            codes.into_par_iter().map(|code| maker.edge(axis, code / COLOURS, code % COLOURS, &discs)).collect()
        };
        let (level, upright) = (pairs(0), pairs(1));
        let codes = 0..COLOURS.pow(4);
        let tiles = codes.into_par_iter().map(|code| maker.tile(corners(code), &discs, &level, &upright)).collect();
        Self { edges, tiles }
    }

    /// The tile whose corners at (0, 0), (1, 0), (0, 1) and (1, 1) have these colours. Its lipids stand in the rectangle from
    /// (0, 0) to its edges.
    pub(super) fn tile(&self, corners: [usize; 4]) -> &[PatchLipid] {
        &self.tiles[corners.iter().rev().fold(0, |code, colour| code * COLOURS + colour)]
    }

    /// Every tile with the colours of its corners.
    #[cfg(test)]
    pub(super) fn all(&self) -> impl Iterator<Item = ([usize; 4], &[PatchLipid])> {
        self.tiles.iter().enumerate().map(|(code, tile)| (corners(code), tile.as_slice()))
    }
}

fn corners(code: usize) -> [usize; 4] {
    [0, 1, 2, 3].map(|corner| code / COLOURS.pow(corner) % COLOURS)
}

/// The lower or the left edge of a tile, and the diamond over it.
struct Side {
    axis: usize,
    /// Length of the edge, and of the other one.
    along: f64,
    across: f64,
    /// Where it ends; it begins at the origin.
    end: DVec2,
}

impl Side {
    fn new(axis: usize, edges: DVec2) -> Self {
        let end = [DVec2::new(edges.x, 0.0), DVec2::new(0.0, edges.y)][axis];
        Self { axis, along: edges[axis], across: edges[1 - axis], end }
    }

    /// How far along the edge and how far from it a place is, in angstroms.
    fn split(&self, place: DVec2) -> (f64, f64) {
        (place[self.axis], place[1 - self.axis])
    }

    /// How far inside the diamond a place is, in angstroms; negative beyond its border.
    fn inside(&self, place: DVec2) -> f64 {
        let (half, other) = (0.5 * self.along, 0.5 * self.across);
        let (along, across) = self.split(place);
        let left = 1.0 - (along - half).abs() / half - across.abs() / other;
        left * half * other / half.hypot(other)
    }
}

/// What all pieces of a set have in common.
struct Maker<'a> {
    patch: &'a Patch,
    solids: &'a Solids,
    edges: DVec2,
    disc: f64,
    strip: f64,
    seed: u64,
}

impl<'a> Maker<'a> {
    fn new(patch: &'a Patch, solids: &'a Solids, edges: DVec2, seed: u64) -> Self {
        let shorter = edges.min_element();
        let disc = (DISC.0 * shorter).min(DISC.1);
        Self { patch, solids, edges, disc, strip: (STRIP.0 * shorter).min(STRIP.1), seed }
    }

    fn place(&self, lipid: &PatchLipid) -> DVec2 {
        self.patch.center(lipid.body, &lipid.pose).truncate()
    }

    fn disc(&self, colour: usize) -> Vec<PatchLipid> {
        self.patch.sample(self.disc, &mut Random::of(self.seed, colour as u64), |_| true)
    }

    fn edge(&self, axis: usize, from: usize, to: usize, discs: &[Vec<PatchLipid>]) -> Edge {
        let side = Side::new(axis, self.edges);
        let number = 1000 + (axis * COLOURS * COLOURS + from * COLOURS + to) as u64;
        let middle = 0.5 * side.end;
        let into_disc = |place: DVec2| self.disc - place.length().min((place - side.end).length());
        let reach = 0.5 * self.edges.max_element() + 2.0 * BEYOND;
        let drawn = self.patch.sample(reach, &mut Random::of(self.seed, number), |from_middle| {
            let place = middle + from_middle;
            side.inside(place) > -BEYOND && into_disc(place) < BEYOND
        });
        let drawn = drawn.iter().map(|lipid| shifted(lipid, middle));
        // What lies beyond the diamond is kept for the tiles, where it may fill a hole.
        let (mut crowd, beyond): (Vec<_>, Vec<_>) = drawn.partition(|lipid| side.inside(self.place(lipid)) >= 0.0);
        let fate = |place| if into_disc(place) <= 0.0 { Fate::Own } else { Fate::Spare };
        let mut fates: Vec<Fate> = places(self.patch, &crowd).map(fate).collect();
        let own = crowd.iter().zip(&fates).filter(|(_, fate)| **fate == Fate::Own);
        let wanted = self.patch.count(own.map(|(lipid, _)| (lipid.body, lipid.leaflet)));
        for (disc, shift) in [(from, DVec2::ZERO), (to, side.end)] {
            crowd.extend(discs[disc].iter().map(|lipid| shifted(lipid, shift)));
        }
        fates.resize(crowd.len(), Fate::Fixed);
        let (crowd, fixed) = self.finish(crowd, fates, wanted);
        let (crowd, fixed) = self.cleared(crowd, fixed);
        let loose = crowd.into_iter().zip(fixed).filter(|(_, is_fixed)| !is_fixed).map(|(lipid, _)| lipid);
        let (strip, mut diamond): (Vec<_>, Vec<_>) = loose.partition(|lipid| {
            let (along, across) = side.split(self.place(lipid));
            across.abs() < self.strip && (0.0..=side.along).contains(&along)
        });
        diamond.extend(beyond);
        Edge { strip, diamond }
    }

    fn tile(
        &self,
        corners: [usize; 4],
        discs: &[Vec<PatchLipid>],
        level: &[Edge],
        upright: &[Edge],
    ) -> Vec<PatchLipid> {
        let [a, b, c, d] = corners;
        let (across, up) = (DVec2::new(self.edges.x, 0.0), DVec2::new(0.0, self.edges.y));
        let around = [
            (&level[a * COLOURS + b], 0, DVec2::ZERO),
            (&level[c * COLOURS + d], 0, up),
            (&upright[a * COLOURS + c], 1, DVec2::ZERO),
            (&upright[b * COLOURS + d], 1, across),
        ];
        let is_here = |place: DVec2| place.cmpge(DVec2::ZERO).all() && place.cmplt(self.edges).all();
        let (mut crowd, mut fates) = (Vec::new(), Vec::new());
        for (edge, axis, shift) in around {
            let side = Side::new(axis, self.edges);
            for lipid in edge.diamond.iter().filter(|lipid| is_here(shift + self.place(lipid))) {
                fates.push(if side.inside(self.place(lipid)) >= 0.0 { Fate::Own } else { Fate::Spare });
                crowd.push(shifted(lipid, shift));
            }
        }
        let loose = crowd.len();
        for (edge, _, shift) in around {
            crowd.extend(edge.strip.iter().map(|lipid| shifted(lipid, shift)));
        }
        for (colour, shift) in corners.into_iter().zip([DVec2::ZERO, across, up, self.edges]) {
            crowd.extend(discs[colour].iter().map(|lipid| shifted(lipid, shift)));
        }
        fates.resize(crowd.len(), Fate::Fixed);
        let code = 5000 + corners.iter().fold(0, |code, colour| code * COLOURS + colour) as u64;
        let mut random = Random::of(self.seed, code);
        let here = crowd[loose..].iter().filter(|lipid| is_here(self.place(lipid)));
        let here = self.patch.count(here.map(|lipid| (lipid.body, lipid.leaflet)));
        let of_patch = self.patch.count(self.patch.lipids.iter().map(|lipid| (lipid.body, lipid.leaflet)));
        let periods = self.edges.element_product() / self.patch.area();
        let wanted = of_patch.into_iter().zip(here).map(|(count, here)| {
            // Rounded up or down by chance, so that many tiles have the density of the patch.
            ((count as f64 * periods + random.unit()).floor() as usize).saturating_sub(here)
        });
        let wanted = wanted.collect();
        let (crowd, fixed) = self.finish(crowd, fates, wanted);
        let is_of_tile = |(lipid, is_fixed): &(PatchLipid, bool)| !is_fixed || is_here(self.place(lipid));
        crowd.into_iter().zip(fixed).filter(is_of_tile).map(|(lipid, _)| lipid).collect()
    }

    /// Deletes what overlaps, fills holes and pushes the rest apart; says who was fixed.
    fn finish(&self, crowd: Vec<PatchLipid>, fates: Vec<Fate>, wanted: Vec<usize>) -> (Vec<PatchLipid>, Vec<bool>) {
        let classes = self.classes(&crowd);
        let touches = self.solids.touches(crowd.iter().map(|lipid| (lipid.body, lipid.pose)), None);
        let stays = Choice { fates: &fates, classes: &classes, touches: &touches, wanted: &wanted }.stays();
        let kept = |at: &usize| stays[*at];
        let fixed: Vec<bool> = (0..crowd.len()).filter(kept).map(|at| fates[at] == Fate::Fixed).collect();
        let mut lipids: Vec<PatchLipid> = (0..crowd.len()).filter(kept).map(|at| crowd[at]).collect();
        if !self.solids.settle(&mut lipids, &fixed, None, ROOM, ITERATIONS[0]) {
            self.solids.settle(&mut lipids, &fixed, None, 0.0, ITERATIONS[1]);
        }
        (lipids, fixed)
    }

    fn classes(&self, lipids: &[PatchLipid]) -> Vec<u32> {
        lipids.iter().map(|lipid| self.patch.class(lipid.body, lipid.leaflet)).collect()
    }

    /// Without lipids that still overlap. What an edge lacks the tiles on both sides make up for.
    fn cleared(&self, lipids: Vec<PatchLipid>, fixed: Vec<bool>) -> (Vec<PatchLipid>, Vec<bool>) {
        let fates: Vec<Fate> = fixed.iter().map(|&is_fixed| if is_fixed { Fate::Fixed } else { Fate::Own }).collect();
        let (classes, wanted) = (self.classes(&lipids), vec![0; self.patch.classes()]);
        let touches = self.solids.touches(lipids.iter().map(|lipid| (lipid.body, lipid.pose)), None);
        let stays = Choice { fates: &fates, classes: &classes, touches: &touches, wanted: &wanted }.stays();
        let kept = |at: &usize| stays[*at];
        let all = 0..lipids.len();
        (all.clone().filter(kept).map(|at| lipids[at]).collect(), all.filter(kept).map(|at| fixed[at]).collect())
    }
}

/// A place in the world: on a surface, with the directions that the plane's x, y and z have there.
pub(super) fn stand(world_from_plane: Pose, place: DVec2, plane_from_body: Pose) -> Pose {
    let to_place = Pose::from_translation(DVec3::new(-place.x, -place.y, 0.0));
    world_from_plane * to_place * plane_from_body
}
