//! First places: every copy draws a few and takes the one where it is least in the way.
//!
//! How it works: ingredients come in order: negative priorities first, then the largest, and those with partners behind all
//! that they name. A copy draws a place by its rule and a turn, and keeps the first that is free; after a bounded number of
//! tries it takes the one in which it overlaps least, and the relaxation does the rest. Each copy's random numbers come from the seed and its
//! own number, so that they do not depend on anybody else's tries.

use glam::{DQuat, DVec3};
use steric_model::recipe::{Ingredient, PackingMode, Recipe};
use steric_model::{Pose, Random};

use super::PackOptions;
use super::crowd::Crowd;
use super::kind::Kind;
use super::rooms::Rooms;
use super::rules::{Weighted, beside};
use crate::shape::Sampling;

/// Tries of a recipe beyond this are not followed.
const MOST_TRIES: u32 = 1_000;
/// A place that leaves the compartment costs less to find out than one that overlaps: so many of them for each try.
const WALL_TRIES: u32 = 50;
/// After so many copies' tries without one inside the walls, no further copy is tried.
const HOPELESS: u64 = 4;
/// Contact is no overlap, in angstroms.
const FREE: f64 = 1e-3;

/// The copies of one ingredient.
#[derive(Clone, Debug, Default)]
pub(super) struct Placed {
    /// Of the middle of the spheres.
    pub(super) poses: Vec<Pose>,
    /// Copies that were free at once.
    pub(super) free: u64,
    /// Copies that stand beside a partner.
    pub(super) beside: u64,
    /// Copies that were to stand beside a partner, where there was none or no place.
    pub(super) alone: u64,
    /// Copies that no place within the walls was found for.
    pub(super) homeless: u64,
}

/// The order of packing.
pub(super) fn order(ingredients: &[Ingredient], kinds: &[Option<Kind>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ingredients.len()).collect();
    let reach = |at: usize| kinds[at].as_ref().map_or(0.0, |kind| kind.reach);
    let rank = |at: usize| {
        let ingredient = &ingredients[at];
        (has_partners(ingredient), ingredient.priority.min(0.0))
    };
    // Stable, so that equal ones keep the order of the recipe.
    order.sort_by(|&a, &b| {
        let ((a_late, a_rank), (b_late, b_rank)) = (rank(a), rank(b));
        a_late.cmp(&b_late).then(a_rank.total_cmp(&b_rank)).then(reach(b).total_cmp(&reach(a)))
    });
    order
}

fn has_partners(ingredient: &Ingredient) -> bool {
    !ingredient.partners.is_empty() || ingredient.mode == PackingMode::Close
}

pub(super) struct Placer<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) rooms: &'a Rooms,
    pub(super) kinds: &'a [Option<Kind>],
    pub(super) options: &'a PackOptions,
    pub(super) placed: Vec<Placed>,
    crowd: Crowd,
    /// Those that somebody keeps away from, as spheres of twice their size.
    shunned: Vec<Option<Crowd>>,
    period: Option<(DVec3, DVec3)>,
    number: u64,
}

impl<'a> Placer<'a> {
    pub(super) fn new(
        recipe: &'a Recipe,
        rooms: &'a Rooms,
        kinds: &'a [Option<Kind>],
        options: &'a PackOptions,
        period: Option<(DVec3, DVec3)>,
    ) -> Self {
        let is_shunned = |at: &Ingredient| recipe.ingredients.iter().any(|other| other.excluded.contains(&at.name));
        let shunned = recipe.ingredients.iter().map(|at| is_shunned(at).then(|| Crowd::new(period))).collect();
        let placed = vec![Placed::default(); kinds.len()];
        Self { recipe, rooms, kinds, options, placed, crowd: Crowd::new(period), shunned, period, number: 0 }
    }

    /// Places so many copies of an ingredient.
    pub(super) fn add(&mut self, at: usize, copies: u64) {
        let Some(kind) = &self.kinds[at] else { return };
        let ingredient = &self.recipe.ingredients[at];
        let places = self.places(at, kind, copies);
        let tries = ingredient.tries.unwrap_or(self.options.tries).min(self.options.tries).clamp(1, MOST_TRIES);
        for copy in 0..copies {
            let mut random = Random::of(self.options.seed, self.number + copy);
            if self.placed[at].homeless >= HOPELESS && self.placed[at].poses.is_empty() {
                self.placed[at].homeless += copies - copy;
                break;
            }
            let Some(found) = self.find(at, kind, &places, tries, &mut random) else {
                self.placed[at].homeless += 1;
                continue;
            };
            self.take(at, kind, found);
        }
        self.number += copies;
    }

    fn take(&mut self, at: usize, kind: &Kind, found: Found) {
        let placed = &mut self.placed[at];
        placed.poses.push(found.pose);
        placed.free += u64::from(found.depth <= FREE);
        placed.beside += u64::from(found.is_beside);
        placed.alone += u64::from(found.is_alone);
        for sphere in &kind.spheres {
            self.crowd.add(found.pose * sphere.center.as_dvec3(), f64::from(sphere.radius));
        }
        if let Some(shunned) = &mut self.shunned[at] {
            shunned.add(found.pose.translation, 2.0 * kind.reach);
        }
    }

    fn places(&self, at: usize, kind: &Kind, copies: u64) -> Places {
        let ingredient = &self.recipe.ingredients[at];
        let seed = self.options.seed ^ (at as u64) << 32;
        if let (true, Some(surface)) = (kind.site.is_on_surface(), &self.rooms.rooms[kind.room].surface) {
            // Several for each copy, so that who finds one taken has another.
            let count = (8 * copies + 64).min(400_000) as usize;
            let random = &mut Random::of(seed, 0);
            let places = surface.places(count, kind.height, Sampling::Inversion, None, random);
            return Places::Surface(places.unwrap_or_default());
        }
        match Weighted::new(ingredient, self.recipe, self.rooms, kind.room, seed) {
            Some(weighted) if ingredient.mode == PackingMode::Gradient => Places::Weighted(weighted),
            _ => Places::Anywhere,
        }
    }

    // The first free place, or the one that is least in the way; nothing if none lies within the walls.
    fn find(&self, at: usize, kind: &Kind, places: &Places, tries: u32, random: &mut Random) -> Option<Found> {
        let partner = self.partner(at, random);
        let wants_partner = has_partners(&self.recipe.ingredients[at]);
        let mut best: Option<Found> = None;
        for _ in 0..tries {
            let beside = partner
                .and_then(|partner| self.within_walls(kind, random, |random| Some(self.beside(partner, kind, random))));
            let anywhere = || self.within_walls(kind, random, |random| self.draw(kind, places, random));
            let is_beside = beside.is_some();
            let Some(pose) = beside.or_else(anywhere) else { continue };
            let enough = best.as_ref().map_or(f64::INFINITY, |best| best.depth);
            let depth = self.depth(at, kind, &pose, enough);
            if depth < enough {
                let is_alone = wants_partner && !is_beside;
                best = Some(Found { pose, depth, is_beside, is_alone });
            }
            if depth <= FREE {
                break;
            }
        }
        best
    }

    fn within_walls(
        &self,
        kind: &Kind,
        random: &mut Random,
        draw: impl Fn(&mut Random) -> Option<Pose>,
    ) -> Option<Pose> {
        (0..WALL_TRIES).filter_map(|_| draw(random)).find(|pose| kind.fits(pose))
    }

    fn draw(&self, kind: &Kind, places: &Places, random: &mut Random) -> Option<Pose> {
        match places {
            Places::Anywhere => {
                let translation = self.rooms.rooms[kind.room].region.sample(random)?;
                Some(Pose { rotation: random.rotation(), translation })
            }
            Places::Weighted(weighted) => {
                Some(Pose { rotation: random.rotation(), translation: weighted.draw(random) })
            }
            Places::Surface(places) => {
                let (place, normal) = *places.get(random.next_u64() as usize % places.len().max(1))?;
                let outward = normal * kind.leaflet().sign();
                let spin = DQuat::from_axis_angle(outward, std::f64::consts::TAU * random.unit());
                let rotation = spin * DQuat::from_rotation_arc(kind.axis, outward);
                Some(Pose { rotation, translation: place - rotation * kind.anchor })
            }
        }
    }

    // A copy of a partner, drawn from all of them with the chance that it binds.
    fn partner(&self, at: usize, random: &mut Random) -> Option<Chosen> {
        let ingredient = &self.recipe.ingredients[at];
        let one_of = |other: usize, random: &mut Random| {
            let copies = self.placed[other].poses.len();
            (copies > 0).then(|| (other, random.next_u64() as usize % copies))
        };
        for partner in &ingredient.partners {
            let named = |other: &usize| self.recipe.ingredients[*other].name == partner.name;
            let others: Vec<usize> = (0..self.placed.len()).filter(named).collect();
            let found = others.into_iter().find_map(|other| one_of(other, random));
            if let Some((other, copy)) = found.filter(|_| random.unit() < partner.probability) {
                return Some(Chosen { other, copy, position: partner.position });
            }
        }
        if ingredient.mode != PackingMode::Close {
            return None;
        }
        let room = self.kinds[at].as_ref().map(|kind| kind.room);
        let is_near = |other: &usize| self.kinds[*other].as_ref().map(|kind| kind.room) == room;
        let others: Vec<usize> =
            (0..self.placed.len()).filter(is_near).filter(|&other| !self.placed[other].poses.is_empty()).collect();
        let other = *others.get(random.next_u64() as usize % others.len().max(1))?;
        let (other, copy) = one_of(other, random)?;
        Some(Chosen { other, copy, position: None })
    }

    fn beside(&self, chosen: Chosen, kind: &Kind, random: &mut Random) -> Pose {
        let world_from_partner = self.placed[chosen.other].poses[chosen.copy];
        let rotation = random.rotation();
        match (&self.kinds[chosen.other], chosen.position) {
            (Some(partner), Some(position)) => {
                let place = partner.world_from_own(world_from_partner) * position;
                Pose { rotation, translation: place - rotation * -kind.center }
            }
            (Some(partner), None) => {
                beside((&partner.spheres, world_from_partner), &kind.spheres, rotation, random.direction())
            }
            (None, _) => world_from_partner,
        }
    }

    fn depth(&self, at: usize, kind: &Kind, pose: &Pose, enough: f64) -> f64 {
        let excluded = &self.recipe.ingredients[at].excluded;
        let shunned = self.shunned.iter().zip(&self.recipe.ingredients);
        let shunned =
            shunned.filter(|(_, other)| excluded.contains(&other.name)).filter_map(|(crowd, _)| crowd.as_ref());
        let too_near = shunned.map(|crowd| crowd.depth(pose.translation, 2.0 * kind.reach, enough));
        let mut depth = too_near.fold(0.0, f64::max);
        for sphere in &kind.spheres {
            if depth >= enough {
                break;
            }
            let center = *pose * sphere.center.as_dvec3();
            depth = depth.max(self.crowd.depth(center, f64::from(sphere.radius), enough));
        }
        depth
    }

    pub(super) fn period(&self) -> Option<(DVec3, DVec3)> {
        self.period
    }
}

/// From where places are drawn.
enum Places {
    Anywhere,
    Weighted(Weighted),
    Surface(Vec<(DVec3, DVec3)>),
}

/// A copy to stand beside.
#[derive(Clone, Copy)]
struct Chosen {
    other: usize,
    copy: usize,
    position: Option<DVec3>,
}

struct Found {
    pose: Pose,
    depth: f64,
    is_beside: bool,
    is_alone: bool,
}
