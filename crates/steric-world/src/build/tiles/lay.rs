//! Tiles laid over a surface, around what is there already.
//!
//! How it works: the corners of the endless plane of a chart are coloured by chance, each from its own number, so that every
//! tile is known without those before it (direct stochastic tiling). Both leaflets of a tile are laid
//! together, because the ends of their tails reach into each other; each is scaled to its own radius, so that it keeps its area per lipid.
//! Lipids a little beyond the border of their chart are spare. Where charts meet and around proteins the crowd is then parted: lipids in a
//! protein or in its lumen and lipids that overlap go, and holes are filled until the leaflet has the lipids that it should.

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use steric_model::{PeriodicBox, Pose, Random};

use super::atlas::{Atlas, Chart};
use super::crowd::{Choice, Fate, Solids};
use super::lumen::Lumen;
use super::patch::Patch;
use super::tile::{COLOURS, TileSet, stand};
use crate::relax::Leaflet;

/// Lipids so far beyond the border of their chart are laid as spare ones, in angstroms.
const SPARE: f64 = 6.0;
/// Lipids deeper inside their chart than this meet no lipid of another, in angstroms.
const SEAM: f64 = 16.0;
/// Lipids deeper inside than this are not even in the way.
const CLEAR: f64 = 32.0;

/// A lipid in place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Laid {
    /// Index in [`Patch::bodies`].
    pub(super) body: u32,
    pub(super) leaflet: Leaflet,
    /// How far inside its chart, in angstroms.
    margin: f32,
    pub(super) pose: Pose,
}

impl Laid {
    /// Whether it stands in its own chart.
    pub(super) fn is_own(&self) -> bool {
        self.margin >= 0.0
    }
}

/// A protein that is there already.
#[derive(Clone, Debug)]
pub(super) struct Obstacle {
    /// Its type, after the bodies of the patch.
    pub(super) solid: u32,
    pub(super) pose: Pose,
    /// Of its centre above the middle of the membrane, in angstroms.
    pub(super) height: f64,
    pub(super) lumen: std::sync::Arc<Lumen>,
    /// No atom is farther from its axis, in angstroms.
    pub(super) reach: f64,
}

/// What is laid where.
pub(super) struct Floor<'a> {
    pub(super) patch: &'a Patch,
    pub(super) tiles: &'a TileSet,
    pub(super) atlas: &'a Atlas<'a>,
    /// How many tiles a plane has along its edges, and whether it repeats.
    pub(super) plane: Option<([i64; 2], bool)>,
    /// How many times as long as on the tile a length is in the middle of the membrane, outside and inside.
    pub(super) scales: [f64; 2],
    pub(super) seed: u64,
}

impl Floor<'_> {
    /// Every lipid of every chart, spare ones included.
    pub(super) fn lay(&self) -> Vec<Laid> {
        let charts: Vec<(u64, &Chart)> = (0..).zip(&self.atlas.charts).collect();
        match self.plane {
            Some((counts, _)) => {
                let rows: Vec<i64> = (0..counts[1]).collect();
                let of_row =
                    |&row: &i64| (0..counts[0]).flat_map(|column| self.cell(charts[0], [column, row])).collect();
                let rows: Vec<Vec<Laid>> = rows.par_iter().map(of_row).collect();
                rows.concat()
            }
            None => {
                let of_chart = |&chart: &(u64, &Chart)| self.chart(chart);
                let charts: Vec<Vec<Laid>> = charts.par_iter().map(of_chart).collect();
                charts.concat()
            }
        }
    }

    fn chart(&self, chart: (u64, &Chart)) -> Vec<Laid> {
        let most = chart.1.reach / self.scales[0].min(self.scales[1]);
        let [across, up] = (most / self.tiles.edges).to_array().map(|count| count.ceil() as i64);
        let mut laid = Vec::new();
        for row in -up..up {
            for column in -across..across {
                laid.extend(self.cell(chart, [column, row]));
            }
        }
        laid
    }

    /// The colour of a corner.
    pub(super) fn colour(&self, chart: u64, [mut column, mut row]: [i64; 2]) -> usize {
        if let Some((counts, true)) = self.plane {
            (column, row) = (column.rem_euclid(counts[0]), row.rem_euclid(counts[1]));
        }
        let part = |at: i64| (at + (1 << 19)) as u64 & 0xf_ffff;
        let number = chart << 40 | part(row) << 20 | part(column);
        ((Random::of(self.seed, number).unit() * COLOURS as f64) as usize).min(COLOURS - 1)
    }

    fn cell(&self, (number, chart): (u64, &Chart), [column, row]: [i64; 2]) -> Vec<Laid> {
        let corners = [[0, 0], [1, 0], [0, 1], [1, 1]];
        let corners = corners.map(|[right, up]| self.colour(number, [column + right, row + up]));
        let corner = self.tiles.edges * DVec2::new(column as f64, row as f64);
        let mut laid = Vec::new();
        for lipid in self.tiles.tile(corners) {
            let on_tile = self.patch.center(lipid.body, &lipid.pose).truncate();
            let place = self.scales[usize::from(lipid.leaflet == Leaflet::Inner)] * (corner + on_tile);
            if place.length() > chart.reach {
                continue;
            }
            let here = self.atlas.world_from_plane(chart, place);
            let margin = self.atlas.margin(chart, here.translation, here.rotation * DVec3::Z);
            if margin >= -SPARE {
                let pose = stand(here, on_tile, lipid.pose);
                laid.push(Laid { body: lipid.body, leaflet: lipid.leaflet, margin: margin as f32, pose });
            }
        }
        laid
    }
}

/// Takes away what overlaps at seams and proteins, and fills holes until there are so many lipids of each class.
pub(super) fn part(
    laid: Vec<Laid>,
    patch: &Patch,
    solids: &Solids,
    obstacles: &[Obstacle],
    cell: Option<PeriodicBox>,
    wanted: &[usize],
) -> Vec<Laid> {
    let near = Near::new(obstacles, cell);
    let by_protein: Vec<Option<Fate>> = laid.par_iter().map(|lipid| near.fate(lipid, patch, obstacles)).collect();
    let is_open = |at: &usize| f64::from(laid[*at].margin) < CLEAR || by_protein[*at].is_some();
    let open: Vec<usize> = (0..laid.len()).filter(is_open).collect();
    let fate = |at: &usize| match (by_protein[*at], f64::from(laid[*at].margin)) {
        (Some(Fate::Gone), _) => Fate::Gone,
        (_, margin) if margin < 0.0 => Fate::Spare,
        (None, margin) if margin > SEAM => Fate::Fixed,
        _ => Fate::Own,
    };
    let mut fates: Vec<Fate> = open.iter().map(fate).collect();
    let class = |lipid: &Laid| patch.class(lipid.body, lipid.leaflet);
    let mut classes: Vec<u32> = open.iter().map(|&at| class(&laid[at])).collect();
    // Of those that are not asked here.
    let mut settled = patch.count(laid.iter().map(|lipid| (lipid.body, lipid.leaflet)));
    for (class, _) in classes.iter().zip(&fates).filter(|(_, fate)| **fate != Fate::Fixed) {
        settled[*class as usize] -= 1;
    }
    let wanted: Vec<usize> =
        wanted.iter().zip(settled).map(|(wanted, settled)| wanted.saturating_sub(settled)).collect();
    let bodies = open.iter().map(|&at| (laid[at].body, laid[at].pose));
    let touches = solids.touches(bodies.chain(obstacles.iter().map(|obstacle| (obstacle.solid, obstacle.pose))), cell);
    fates.resize(open.len() + obstacles.len(), Fate::Fixed);
    classes.resize(fates.len(), 0);
    let stays = Choice { fates: &fates, classes: &classes, touches: &touches, wanted: &wanted }.stays();
    let mut is_kept = vec![true; laid.len()];
    for (&at, stays) in open.iter().zip(stays) {
        is_kept[at] = stays;
    }
    laid.into_iter().zip(is_kept).filter(|(_, is_kept)| *is_kept).map(|(lipid, _)| lipid).collect()
}

/// Obstacles by the cubes that they may reach into.
struct Near {
    edge: f64,
    cubes: FxHashMap<[i64; 3], Vec<u32>>,
    cell: Option<PeriodicBox>,
}

impl Near {
    /// A lipid's own reach, in angstroms.
    const LIPID: f64 = 22.0;

    fn new(obstacles: &[Obstacle], cell: Option<PeriodicBox>) -> Self {
        let reach = obstacles.iter().map(|obstacle| obstacle.reach).fold(0.0, f64::max);
        let mut near = Self { edge: reach + Self::LIPID, cubes: FxHashMap::default(), cell };
        for (number, obstacle) in (0..).zip(obstacles) {
            for image in near.images(obstacle.pose.translation) {
                let middle = near.cube(image);
                for code in 0..27 {
                    let cube = [0, 1, 2].map(|axis| middle[axis] + [code % 3, code / 3 % 3, code / 9][axis] - 1);
                    let here = near.cubes.entry(cube).or_default();
                    if !here.contains(&number) {
                        here.push(number);
                    }
                }
            }
        }
        near
    }

    fn cube(&self, point: DVec3) -> [i64; 3] {
        (point / self.edge).floor().to_array().map(|at| at as i64)
    }

    /// A point and, in a periodic box, its images around the box.
    fn images(&self, point: DVec3) -> Vec<DVec3> {
        let Some(cell) = self.cell else { return vec![point] };
        let codes = 0..9;
        let steps = codes.map(|code| DVec3::new(f64::from(code % 3) - 1.0, f64::from(code / 3) - 1.0, 0.0));
        steps.map(|step| point + cell.vectors() * step).collect()
    }

    /// What a protein makes of a lipid: gone if it is in its lumen, its own if it is near; nothing otherwise.
    fn fate(&self, lipid: &Laid, patch: &Patch, obstacles: &[Obstacle]) -> Option<Fate> {
        let place = lipid.pose.translation;
        let mut fate = None;
        for &number in self.cubes.get(&self.cube(place)).into_iter().flatten() {
            let obstacle = &obstacles[number as usize];
            let away = place - obstacle.pose.translation;
            let away = self.cell.map_or(away, |cell| cell.nearest_image(away));
            if away.length() > obstacle.reach + Self::LIPID {
                continue;
            }
            let to_protein = obstacle.pose.rotation.conjugate();
            let lipid_here = Pose { translation: away, ..lipid.pose };
            let atoms = &patch.bodies[lipid.body as usize].0.atoms;
            let is_in = |atom: &DVec3| {
                let in_protein = to_protein * (lipid_here * *atom);
                obstacle.lumen.contains(in_protein + obstacle.height * DVec3::Z)
            };
            if atoms.iter().any(is_in) {
                return Some(Fate::Gone);
            }
            fate = Some(Fate::Own);
        }
        fate
    }
}
