//! How many copies can fit, before any is placed.
//!
//! How it works: ingredients are taken in the order of packing. Inside a compartment the volumes of all copies together may fill as much as a
//! glass of spheres does, 0.58. On a surface the cross-sections at every height are apart, so that at none may they cover more than
//! discs do at random, 0.82. The copies of the ingredient that goes beyond are cut to what is left, and those behind it to nothing.

use glam::DVec2;
use steric_model::recipe::Ingredient;

use super::kind::Kind;
use super::rooms::{Room, Rooms};
use crate::build::footprint::union_of_discs;

/// Of a volume.
const MOST_VOLUME: f64 = 0.58;
/// Of an area, at any height.
const MOST_AREA: f64 = 0.82;
/// Heights at which cross-sections are compared.
const SLICES: usize = 24;

/// What is taken of a room so far.
#[derive(Clone, Debug, Default)]
struct Taken {
    /// Share of the volume.
    volume: f64,
    /// Share of the area of each slice.
    slices: Vec<f64>,
}

/// The cross-sections of a surface molecule.
struct Slices {
    /// In square angstroms, from the lowest height of the room to the highest.
    areas: Vec<f64>,
}

/// The heights of the slices of a room.
#[derive(Clone, Copy)]
struct Heights {
    low: f64,
    step: f64,
}

/// How full a room is, if all copies that were let in are placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Fullness {
    /// The room, and `surface` for its surface.
    pub place: String,
    /// The share of its volume, or of the area of the fullest slice.
    pub share: f64,
    /// The share up to which copies are let in.
    pub limit: f64,
}

/// Cuts the copies of each ingredient to what fits, in this order; returns how full the rooms are, and why copies were cut.
pub(super) fn cut(
    ingredients: &[Ingredient],
    kinds: &[Option<Kind>],
    order: &[usize],
    copies: &mut [u64],
    rooms: &Rooms,
) -> (Vec<Fullness>, Vec<Option<String>>) {
    let heights: Vec<Heights> = (0..rooms.rooms.len()).map(|room| heights(room, kinds)).collect();
    let mut taken = vec![Taken { volume: 0.0, slices: vec![0.0; SLICES] }; rooms.rooms.len()];
    let mut reasons = vec![None; ingredients.len()];
    for &at in order {
        let Some(kind) = &kinds[at] else { continue };
        let (room, taken, asked) = (&rooms.rooms[kind.room], &mut taken[kind.room], copies[at]);
        let is_surface = kind.site.is_on_surface();
        let most = if is_surface {
            let slices = Slices::new(kind, heights[kind.room]);
            let shares = slices.shares(room, heights[kind.room]);
            let room_left = |(share, taken): (&f64, &f64)| fit(*share, MOST_AREA - taken);
            let most = shares.iter().zip(&taken.slices).map(room_left).fold(asked, u64::min);
            shares.iter().zip(&mut taken.slices).for_each(|(share, taken)| *taken += share * most as f64);
            most
        } else {
            let share = kind.volume / room_for(kind, room);
            let most = fit(share, MOST_VOLUME - taken.volume).min(asked);
            taken.volume += share * most as f64;
            most
        };
        if most < asked {
            let (of, limit) = if is_surface { ("surface", MOST_AREA) } else { ("volume", MOST_VOLUME) };
            let reason =
                format!("no room for {} of {asked}: {limit} of the {of} of {} is taken", asked - most, room.name);
            (copies[at], reasons[at]) = (most, Some(reason));
        }
    }
    (fullness(&taken, rooms), reasons)
}

// How many of a share go into what is left.
fn fit(share: f64, left: f64) -> u64 {
    if share > 0.0 { (left.max(0.0) / share) as u64 } else { u64::MAX }
}

// A box that holds middles has room for what sticks out of it.
fn room_for(kind: &Kind, room: &Room) -> f64 {
    if !kind.sticks_out {
        return room.volume.max(f64::MIN_POSITIVE);
    }
    let (low, high) = room.region.bounds();
    let free = room.volume / (high - low).element_product().max(f64::MIN_POSITIVE);
    free.min(1.0) * (high - low + 2.0 * kind.reach).element_product()
}

fn fullness(taken: &[Taken], rooms: &Rooms) -> Vec<Fullness> {
    let mut all = Vec::new();
    for (taken, room) in taken.iter().zip(&rooms.rooms) {
        let fullest = taken.slices.iter().copied().fold(0.0, f64::max);
        let surface = (format!("{} surface", room.name), fullest, MOST_AREA);
        for (place, share, limit) in [(room.name.clone(), taken.volume, MOST_VOLUME), surface] {
            all.extend((share > 0.0).then_some(Fullness { place, share, limit }));
        }
    }
    all
}

// From the lowest sphere to the highest of all that stand on a surface.
fn heights(room: usize, kinds: &[Option<Kind>]) -> Heights {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for kind in kinds.iter().flatten().filter(|kind| kind.room == room && kind.site.is_on_surface()) {
        for (height, radius, _) in kind.upright() {
            (low, high) = (low.min(height - radius), high.max(height + radius));
        }
    }
    Heights { low, step: (high - low) / SLICES as f64 }
}

impl Kind {
    // Height above the surface, radius, and place in its plane, of each sphere.
    fn upright(&self) -> impl Iterator<Item = (f64, f64, DVec2)> + '_ {
        let (a, b) = self.axis.any_orthonormal_pair();
        let sign = self.leaflet().sign();
        self.spheres.iter().map(move |sphere| {
            let from_anchor = sphere.center.as_dvec3() - self.anchor;
            let height = self.height + sign * from_anchor.dot(self.axis);
            (height, f64::from(sphere.radius), DVec2::new(from_anchor.dot(a), from_anchor.dot(b)))
        })
    }
}

impl Slices {
    fn new(kind: &Kind, heights: Heights) -> Self {
        let area = |slice: usize| {
            let height = heights.low + (slice as f64 + 0.5) * heights.step;
            let disc = |(at, radius, place): (f64, f64, DVec2)| {
                let squared = radius * radius - (height - at) * (height - at);
                (squared > 0.0).then(|| (place, squared.sqrt()))
            };
            let discs: Vec<(DVec2, f64)> = kind.upright().filter_map(disc).collect();
            if discs.is_empty() { 0.0 } else { union_of_discs(&discs, (kind.reach / 32.0).max(0.25)) }
        };
        Self { areas: (0..SLICES).map(area).collect() }
    }

    fn shares(&self, room: &Room, heights: Heights) -> Vec<f64> {
        let area_at = |slice: usize| {
            let height = heights.low + (slice as f64 + 0.5) * heights.step;
            room.surface.as_ref().map_or(f64::INFINITY, |surface| surface.area_at(height)).max(1.0)
        };
        self.areas.iter().enumerate().map(|(slice, area)| area / area_at(slice)).collect()
    }
}
