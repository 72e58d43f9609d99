//! An ingredient as it is packed: its spheres around their middle, and what holds them.
//!
//! How it works: of the levels of a sphere tree the finest stands for the molecule; without any, a file of spheres, then the radius that
//! holds a copy, then the radius of a protein of its weight. The spheres move to their own middle, so that a turn does not
//! carry them away. Inside a compartment every sphere keeps its whole radius within the wall: spheres of about the same size share
//! one wall, inset by the largest of their radii.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::{DVec3, Vec3};
use steric_model::recipe::{Ingredient, Site};
use steric_model::{Pose, Sphere};

use super::SphereReader;
use super::rooms::Rooms;
use crate::relax::{Hold, Leaflet};
use crate::shape::{Region, Side};

/// Cubic angstroms per dalton: the partial specific volume of proteins, 0.73 cm³/g.
const A3_PER_DALTON: f64 = 1.21;
/// How far a molecule may leave its height above a surface, in angstroms.
const LEEWAY: f64 = 0.5;
/// How far its axis may lean from the normal.
const TILT_DEGREES: f64 = 10.0;
/// Spheres of one wall differ by this factor at most.
const ALIKE: f64 = 1.5;

/// An ingredient's spheres and walls.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    /// Around their middle.
    pub(super) spheres: Vec<Sphere>,
    /// The middle of the spheres in the ingredient's own frame.
    pub(super) center: DVec3,
    /// A sphere around the middle holds all of them.
    pub(super) reach: f64,
    /// What all spheres together take, in cubic angstroms.
    pub(super) volume: f64,
    pub(super) room: usize,
    pub(super) site: Site,
    /// Along the outward normal; of length one.
    pub(super) axis: DVec3,
    /// The point that stands on the surface, from the middle.
    pub(super) anchor: DVec3,
    /// Its height above the surface.
    pub(super) height: f64,
    pub(super) walls: Vec<Wall>,
    /// Whether its room holds the middle alone, so that the rest may stick out.
    pub(super) sticks_out: bool,
}

/// A boundary, and the points that stay on one side of it, from the middle of the spheres.
#[derive(Clone, Debug)]
pub(super) struct Wall {
    pub(super) region: Arc<Region>,
    pub(super) side: Side,
    pub(super) points: Vec<DVec3>,
}

/// The spheres that stand for an ingredient, and where they come from if not from the recipe.
pub(super) fn spheres(
    ingredient: &Ingredient,
    read: SphereReader<'_>,
) -> Result<(Vec<Sphere>, Option<String>), String> {
    if let Some(finest) = ingredient.levels.last() {
        return Ok((finest.clone(), None));
    }
    let missing = match ingredient.sphere_file.as_deref().map(read) {
        Some(Ok(levels)) => match levels.into_iter().next_back() {
            Some(finest) => return Ok((finest, None)),
            None => Some("its file of spheres is empty".to_owned()),
        },
        Some(Err(why)) => Some(why),
        None => None,
    };
    let ball = |radius: f64| vec![Sphere { center: Vec3::ZERO, radius: radius as f32 }];
    let why = missing.map_or_else(String::new, |why| format!(" ({why})"));
    if ingredient.molecular_weight > 0.0 {
        let radius = (0.75 / PI * A3_PER_DALTON * ingredient.molecular_weight).cbrt();
        return Ok((ball(radius), Some(format!("a ball of {radius:.1} Å, from its weight, stands for it{why}"))));
    }
    if let Some(radius) = ingredient.bounding_radius {
        return Ok((ball(radius), Some(format!("a ball of {radius:.1} Å, which holds a copy, stands for it{why}"))));
    }
    Err(format!("nothing says how large it is{why}"))
}

impl Kind {
    pub(super) fn new(ingredient: &Ingredient, spheres: &[Sphere], room: usize, rooms: &Rooms, is_whole: bool) -> Self {
        let weight = |sphere: &Sphere| f64::from(sphere.radius).powi(3);
        let total: f64 = spheres.iter().map(weight).sum();
        let center = spheres.iter().map(|sphere| weight(sphere) / total * sphere.center.as_dvec3()).sum::<DVec3>();
        let moved = |sphere: &Sphere| Sphere { center: (sphere.center.as_dvec3() - center).as_vec3(), ..*sphere };
        let spheres: Vec<Sphere> = spheres.iter().map(moved).collect();
        let reach = spheres.iter().map(|sphere| f64::from(sphere.center.length() + sphere.radius)).fold(0.0, f64::max);
        let quarter = 0.25 * rooms.rooms[room].thickness;
        let (site, axis) = (ingredient.site, ingredient.axis.and_then(DVec3::try_normalize).unwrap_or(DVec3::Z));
        let height = match site {
            Site::OuterLeaflet => quarter,
            Site::InnerLeaflet => -quarter,
            Site::Interior | Site::Surface => 0.0,
        };
        let mut kind = Self {
            volume: volume(&spheres),
            spheres,
            center,
            reach,
            room,
            site: ingredient.site,
            axis,
            anchor: -ingredient.offset - center,
            height,
            walls: Vec::new(),
            sticks_out: false,
        };
        if !kind.site.is_on_surface() {
            kind.wall(rooms, is_whole);
        }
        kind
    }

    fn wall(&mut self, rooms: &Rooms, is_whole: bool) {
        let room = &rooms.rooms[self.room];
        let classes = self.classes();
        let is_space = rooms.space == Some(self.room);
        if is_space && !is_whole {
            // As in cellPACK, the box of a recipe holds middles.
            self.sticks_out = true;
            let points = vec![DVec3::ZERO];
            self.walls.push(Wall { region: Arc::clone(&room.region), side: Side::Inside, points });
        } else {
            for (radius, points) in &classes {
                let region = Arc::new(Region::Inset { of: Arc::clone(&room.region), depth: *radius });
                self.walls.push(Wall { region, side: Side::Inside, points: points.clone() });
            }
        }
        for &inner in &room.within {
            for (radius, points) in &classes {
                let region = Arc::new(Region::Inset { of: Arc::clone(&rooms.rooms[inner].region), depth: -radius });
                self.walls.push(Wall { region, side: Side::Outside, points: points.clone() });
            }
        }
    }

    // Centres of spheres of about the same size, with the largest radius among them.
    fn classes(&self) -> Vec<(f64, Vec<DVec3>)> {
        let mut spheres = self.spheres.clone();
        spheres.sort_by(|a, b| b.radius.total_cmp(&a.radius));
        let mut classes: Vec<(f64, Vec<DVec3>)> = Vec::new();
        for sphere in spheres {
            let (radius, center) = (f64::from(sphere.radius), sphere.center.as_dvec3());
            match classes.last_mut() {
                Some((largest, points)) if *largest < ALIKE * radius => points.push(center),
                _ => classes.push((radius, vec![center])),
            }
        }
        classes
    }

    /// What holds every copy.
    pub(super) fn holds(&self, rooms: &Rooms) -> Vec<Hold> {
        if let (true, Some(surface)) = (self.site.is_on_surface(), &rooms.rooms[self.room].surface) {
            return vec![Hold::Surface {
                surface: Arc::clone(surface),
                leaflet: self.leaflet(),
                head: self.anchor,
                height: self.height,
                leeway: LEEWAY,
                axis: self.axis,
                tilt: TILT_DEGREES.to_radians(),
            }];
        }
        let hold = |wall: &Wall| Hold::Region {
            region: Arc::clone(&wall.region),
            side: wall.side,
            points: wall.points.clone(),
        };
        self.walls.iter().map(hold).collect()
    }

    pub(super) fn leaflet(&self) -> Leaflet {
        if self.site == Site::InnerLeaflet { Leaflet::Inner } else { Leaflet::Outer }
    }

    /// Whether a copy keeps within its walls.
    pub(super) fn fits(&self, pose: &Pose) -> bool {
        self.walls.iter().all(|wall| {
            let is_kept = |distance: f64| match wall.side {
                Side::Inside => distance <= 0.0,
                Side::Outside => distance >= 0.0,
                Side::On => distance.abs() <= LEEWAY,
            };
            // Far from the wall, one look at the middle is enough.
            let middle = wall.region.distance(pose.translation).0;
            let behind = if wall.side == Side::Inside { -middle } else { middle };
            let is_far = wall.side != Side::On && behind > self.reach;
            is_far || wall.points.iter().all(|&point| is_kept(wall.region.distance(*pose * point).0))
        })
    }

    /// Where the ingredient's own frame stands when the middle of its spheres stands there.
    pub(super) fn world_from_own(&self, pose: Pose) -> Pose {
        pose * Pose::from_translation(-self.center)
    }
}

/// The volume of a union of spheres, by a few thousand points of its own, the same for the same spheres.
fn volume(spheres: &[Sphere]) -> f64 {
    const POINTS: u64 = 4_096;
    let each = |sphere: &Sphere| 4.0 / 3.0 * PI * f64::from(sphere.radius).powi(3);
    let total: f64 = spheres.iter().map(each).sum();
    if spheres.len() == 1 {
        return total;
    }
    // A point of a sphere counts for one part of as many spheres as hold it.
    let mut shares = 0.0;
    let mut random = steric_model::Random::new(17);
    let ends: Vec<f64> = spheres
        .iter()
        .scan(0.0, |sum, sphere| {
            *sum += each(sphere);
            Some(*sum)
        })
        .collect();
    for _ in 0..POINTS {
        let part = random.unit() * total;
        let sphere = spheres[ends.partition_point(|&end| end <= part).min(spheres.len() - 1)];
        let place = sphere.center.as_dvec3() + random.unit().cbrt() * f64::from(sphere.radius) * random.direction();
        let holds = |other: &&Sphere| other.center.as_dvec3().distance(place) <= f64::from(other.radius) * (1.0 + 1e-9);
        shares += 1.0 / spheres.iter().filter(holds).count().max(1) as f64;
    }
    total * shares / POINTS as f64
}
