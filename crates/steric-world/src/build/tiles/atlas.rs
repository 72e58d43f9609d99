//! Charts that carry the plane of the tiles onto a surface.
//!
//! How it works: a map of a closed surface stretches or has seams. Lipids are rigid, so stretched ones overlap everywhere and
//! those at a seam only there: the surface is cut into charts that are small against its curvature, each with a tiled
//! plane of its own, and a place belongs to the chart whose middle is nearest. A sphere is mapped by Lambert's azimuthal projection,
//! which keeps areas; to 0.35 radians from its middle it stretches by 1.5 %. On a mesh one walks straight ahead from the
//! middle (the exponential map), along the nodes of a grid, between which places are interpolated. A plane is one chart.

use std::f64::consts::TAU;

use glam::{DMat3, DQuat, DVec2, DVec3};
use rayon::prelude::*;
use steric_model::{Pose, Random};

use crate::shape::{Sampling, Surface};

/// From the middle of a chart to its border, in radians: 25 to 40 of them make a sphere.
const WIDEST: f64 = 0.35;
/// No chart is wider, in angstroms: beyond this seams are rare anyway.
const LARGEST: f64 = 900.0;
/// The area of the smallest charts, in square angstroms: about a tile.
const SMALLEST: f64 = 3600.0;
/// Circles of one radius cover a plane when their area is 1.21 of it.
const COVER: f64 = 1.21;
/// Steps on a mesh, in angstroms.
const STEP: f64 = 15.0;
/// More charts than this are not needed for any surface.
const MOST: usize = 1000;

/// A chart: a plane with its origin on the surface.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    middle: DVec3,
    /// The plane's x and y, and the normal.
    axes: DQuat,
    /// No place of it is farther from the middle, in angstroms.
    pub(super) reach: f64,
    /// Middles of charts that may touch this one, with their normals.
    others: Vec<(DVec3, DVec3)>,
    nodes: Option<Nodes>,
}

/// Where the nodes of a square grid come to stand on a mesh.
#[derive(Clone, Debug)]
struct Nodes {
    /// On each side of the middle.
    half: usize,
    places: Vec<DVec3>,
}

/// The charts of a surface.
#[derive(Debug)]
pub(super) struct Atlas<'a> {
    surface: &'a Surface,
    pub(super) charts: Vec<Chart>,
    /// Of a chart.
    radius: f64,
}

impl<'a> Atlas<'a> {
    /// One chart for a plane, that begins at its origin.
    pub(super) fn of_plane(surface: &'a Surface, origin: DVec3, normal: DVec3) -> Self {
        let [x, y] = Surface::axes(normal);
        let axes = DQuat::from_mat3(&DMat3::from_cols(x, y, normal));
        let chart = Chart { middle: origin, axes, reach: f64::INFINITY, others: Vec::new(), nodes: None };
        Self { surface, charts: vec![chart], radius: f64::INFINITY }
    }

    /// Charts for a closed surface; `None` where nothing of it is left.
    pub(super) fn new(surface: &'a Surface, random: &mut Random) -> Option<Self> {
        let area = surface.area_at(0.0);
        let bent = match *surface {
            Surface::Sphere { radius, .. } => radius,
            // The mean curvature, as areas of parallel surfaces tell it.
            _ => 4.0 * area / (surface.area_at(1.0) - surface.area_at(-1.0)).abs().max(1e-9),
        };
        let radius = (WIDEST * bent).clamp((SMALLEST / std::f64::consts::PI).sqrt(), LARGEST);
        let count = (COVER * area / (std::f64::consts::PI * radius * radius)).ceil();
        let count = (count as usize).clamp(6, MOST);
        let radius = radius.max((COVER * area / (std::f64::consts::PI * count as f64)).sqrt());
        let middles = middles(surface, count, random)?;
        let mut atlas = Self { surface, charts: Vec::new(), radius };
        atlas.charts = middles.iter().map(|&middle| atlas.chart(middle, &middles, random)).collect();
        atlas.stretch(random)?;
        if matches!(surface, Surface::Mesh(_)) {
            let nodes: Vec<Nodes> = atlas.charts.par_iter().map(|chart| atlas.walked(chart)).collect();
            atlas.charts.iter_mut().zip(nodes).for_each(|(chart, nodes)| chart.nodes = Some(nodes));
        }
        Some(atlas)
    }

    fn chart(&self, middle: (DVec3, DVec3), middles: &[(DVec3, DVec3)], random: &mut Random) -> Chart {
        let turn = DQuat::from_rotation_z(TAU * random.unit());
        let axes = (DQuat::from_rotation_arc(DVec3::Z, middle.1) * turn).normalize();
        let is_near = |other: &&(DVec3, DVec3)| other.0 != middle.0 && other.0.distance(middle.0) < 5.0 * self.radius;
        let others = middles.iter().filter(is_near).copied().collect();
        Chart { middle: middle.0, axes, reach: 0.0, others, nodes: None }
    }

    /// Charts reach as far as the places that belong to them; a sample of the surface tells.
    fn stretch(&mut self, random: &mut Random) -> Option<()> {
        let count = 200 * self.charts.len();
        for (place, normal) in self.surface.places(count, 0.0, Sampling::Inversion, None, random).ok()? {
            let cost = |chart: &Chart| self.cost((chart.middle, chart.axes * DVec3::Z), place, normal);
            let nearest =
                (0..self.charts.len()).min_by(|&a, &b| cost(&self.charts[a]).total_cmp(&cost(&self.charts[b])));
            let chart = &mut self.charts[nearest?];
            // An arc is longer than its chord, on these charts by less than a fifteenth.
            chart.reach = chart.reach.max(1.07 * place.distance(chart.middle) + 20.0);
        }
        Some(())
    }

    /// The square of the distance from a middle, more on the other side of a sheet.
    fn cost(&self, middle: (DVec3, DVec3), place: DVec3, normal: DVec3) -> f64 {
        let away = (0.3 - normal.dot(middle.1)).max(0.0);
        place.distance_squared(middle.0) + 8.0 * away * self.radius * self.radius
    }

    /// How far a place is inside its chart, in angstroms; negative beyond its border.
    pub(super) fn margin(&self, chart: &Chart, place: DVec3, normal: DVec3) -> f64 {
        let own = self.cost((chart.middle, chart.axes * DVec3::Z), place, normal);
        let from_border = |other: &(DVec3, DVec3)| {
            0.5 * (self.cost(*other, place, normal) - own) / other.0.distance(chart.middle).max(1e-9)
        };
        chart.others.iter().map(from_border).fold(f64::INFINITY, f64::min)
    }

    /// A place of a chart's plane on the surface, with the directions that its x, y and z have there.
    pub(super) fn world_from_plane(&self, chart: &Chart, place: DVec2) -> Pose {
        let ahead = chart.axes * place.extend(0.0);
        let normal = chart.axes * DVec3::Z;
        let (at, up) = match (self.surface, &chart.nodes) {
            (Surface::Plane { .. }, _) => (chart.middle + ahead, normal),
            (&Surface::Sphere { center, radius }, _) => {
                let (direction, length) = ahead.normalize_and_length();
                let angle = 2.0 * (0.5 * length / radius).min(1.0).asin();
                let up = angle.cos() * normal + angle.sin() * direction;
                (center + radius * up, up)
            }
            (surface, Some(nodes)) => on(surface, nodes.between(place)),
            (surface, None) => on(surface, chart.middle + ahead),
        };
        let rotation = (DQuat::from_rotation_arc(normal, up.normalize_or(normal)) * chart.axes).normalize();
        Pose { rotation, translation: at }
    }

    fn walked(&self, chart: &Chart) -> Nodes {
        let half = (chart.reach / STEP).ceil() as usize + 1;
        let side = 2 * half + 1;
        let place = |at: usize| DVec2::new((at % side) as f64 - half as f64, (at / side) as f64 - half as f64) * STEP;
        let places = (0..side * side).map(|at| self.walk(chart, place(at))).collect();
        Nodes { half, places }
    }

    /// Straight ahead from the middle of a chart.
    fn walk(&self, chart: &Chart, way: DVec2) -> DVec3 {
        let steps = (way.length() / STEP).ceil().max(1.0);
        let mut direction = chart.axes * way.extend(0.0);
        let length = direction.length() / steps;
        let mut place = chart.middle;
        for _ in 0..steps as usize {
            let (next, normal) = on(self.surface, place + length * direction.normalize_or_zero());
            direction -= direction.dot(normal) * normal;
            place = next;
        }
        place
    }
}

impl Nodes {
    fn between(&self, place: DVec2) -> DVec3 {
        let side = 2 * self.half + 1;
        let most = DVec2::splat((side - 1) as f64 - 1e-6);
        let at = (place / STEP + self.half as f64).clamp(DVec2::ZERO, most);
        let (low, part) = (at.floor(), at.fract());
        let node = |x: usize, y: usize| self.places[(low.y as usize + y) * side + low.x as usize + x];
        let row = |y: usize| node(0, y).lerp(node(1, y), part.x);
        row(0).lerp(row(1), part.y)
    }
}

/// The nearest place of a surface, and the normal there.
fn on(surface: &Surface, point: DVec3) -> (DVec3, DVec3) {
    let place = surface.project(point, 0.0);
    (place, surface.height(place).1)
}

/// Places far from each other: a spiral on a sphere, elsewhere of many places always the one that is farthest from all before.
fn middles(surface: &Surface, count: usize, random: &mut Random) -> Option<Vec<(DVec3, DVec3)>> {
    if matches!(surface, Surface::Sphere { .. }) {
        return surface.places(count, 0.0, Sampling::Fibonacci, None, random).ok();
    }
    let many = surface.places(30 * count, 0.0, Sampling::Inversion, None, random).ok()?;
    let mut nearest = vec![f64::INFINITY; many.len()];
    let mut chosen = Vec::new();
    while chosen.len() < count {
        let farthest = (0..many.len()).max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]).then(b.cmp(&a)))?;
        if nearest[farthest] <= 0.0 {
            break;
        }
        chosen.push(many[farthest]);
        for (nearest, place) in nearest.iter_mut().zip(&many) {
            *nearest = nearest.min(place.0.distance_squared(many[farthest].0));
        }
    }
    Some(chosen)
}
