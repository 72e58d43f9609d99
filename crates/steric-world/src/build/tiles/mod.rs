//! Membranes of Wang tiles, cut from an equilibrated patch.
//!
//! How it works: a patch of a bilayer is read from a file or made of the membrane's own lipids (`patch`, `made`), a complete set
//! of tiles is cut from it and finished (`tile`), and the tiles are laid over the surface by chance (`atlas`, `lay`), around
//! the proteins that stand there already (`lumen`). Who overlaps whom, who goes and who comes back is decided in one place (`crowd`).
//! Klein et al. (2017) populate membranes in this way; Cohen et al. (2003), Fu and Leung (2005), Lagae and Dutré (2006).

mod atlas;
mod crowd;
mod lay;
mod lumen;
mod made;
mod patch;
mod tile;

use std::sync::Arc;

use glam::{DVec2, DVec3};
use steric_model::{Copies, Pose, Random};

pub(super) use patch::Patch;

use super::counts::largest_remainder;
use super::membrane::{Plan, lipid_hold, stream};
use super::template::Body;
use super::{BuildError, Disc, Group, Membrane, Role, Work};
use crate::relax::Leaflet;
use crate::shape::{PlacesError, Surface};
use atlas::Atlas;
use crowd::Solids;
use lay::{Floor, Laid, Obstacle};
use lumen::Lumen;
use tile::TileSet;

const LEAFLETS: [Leaflet; 2] = [Leaflet::Outer, Leaflet::Inner];
/// A leaflet's area per lipid may differ so much from the patch's; up to this both leaflets keep the places that they have on the tile.
const FORGIVEN: f64 = 0.015;

/// How often a surface is laid until its leaflets have the lipids that were asked for.
const MOST_LAYINGS: usize = 4;
/// Spare lipids for the next time, as a length.
const CLOSER: f64 = 0.999;

impl Work<'_> {
    /// Lays the lipids of a membrane whose proteins are in place; `counts` says how many each leaflet should have.
    pub(super) fn lay_tiles(
        &mut self,
        plan: &Plan<'_>,
        membrane: &mut Membrane,
        counts: [Vec<u64>; 2],
    ) -> Result<(), BuildError> {
        let proteins: Vec<&Body> = plan.proteins.iter().map(|protein| &protein.template.bodies[0]).collect();
        let seed = Random::of(!self.scene.seed, stream(plan.number, 0x9000)).next_u64();
        let wanted = [0, 1].map(|side: usize| counts[side].iter().sum::<u64>());
        self.number(wanted[0].saturating_add(wanted[1]), &plan.path)?;
        let made;
        let patch = match &plan.patch {
            Some(patch) => patch,
            None => {
                made = self.made_patch(plan, &counts, seed)?;
                &made
            }
        };
        let bodies: Vec<&Body> = patch.bodies.iter().map(|body| &body.0).collect();
        let solids = Solids::new(&mut self.library, self.scene.closeness(), &bodies, &proteins);
        let (edges, plane) = tiling(patch, membrane);
        let tiles = TileSet::new(patch, &solids, edges, seed);
        let surface = Arc::clone(&membrane.surface);
        let mut random = Random::of(seed, 1);
        let atlas = match *surface {
            Surface::Plane { origin, normal } => Some(Atlas::of_plane(&surface, origin, normal)),
            _ => Atlas::new(&surface, &mut random),
        };
        let atlas = atlas.ok_or(PlacesError::NoSurface(0.0))?;
        let scales = [0, 1].map(|side| scale(membrane, side));
        let mut floor = Floor { patch, tiles: &tiles, atlas: &atlas, plane, scales, seed };
        if plane.is_none() {
            // Charts stretch a little; a second look has the right number.
            let factor = corrected(&floor.lay(), membrane, patch, scales);
            floor.scales = scales.map(|scale| scale * factor);
        }
        let obstacles = self.obstacles(plan, bodies.len(), &solids);
        let cell = self.periodic_box.filter(|_| membrane.periodic);
        let mut laid = Vec::new();
        for _ in 0..MOST_LAYINGS {
            let all = floor.lay();
            let classes = wanted_of_classes(plan, membrane, patch, &all, &counts);
            laid = lay::part(all, patch, &solids, &obstacles, cell, &classes);
            let shares = shares(&laid, wanted);
            if plan.table.count.is_none() || plane.is_some() || shares.iter().all(|&share| share >= 1.0) {
                break;
            }
            // Proteins take more room than their footprints: all others stand a little closer.
            for (scale, share) in floor.scales.iter_mut().zip(shares) {
                *scale *= if share < 1.0 { CLOSER * share.sqrt() } else { 1.0 };
            }
        }
        self.note(format!(
            "membrane {}: {} tiles of {:.0} by {:.0} Å from a patch of {} lipids",
            plan.number + 1,
            tile::COLOURS.pow(4),
            edges.x,
            edges.y,
            patch.lipids.len()
        ));
        self.add_laid(plan, membrane, patch, &laid)
    }

    /// The proteins of a membrane as what stands in the way.
    fn obstacles(&self, plan: &Plan<'_>, first: usize, solids: &Solids) -> Vec<Obstacle> {
        let groups = self.groups.iter().zip(&self.copies);
        let of_membrane =
            groups.filter(|(group, _)| group.role == Role::Protein && group.membrane == Some(plan.number));
        let mut obstacles = Vec::new();
        for ((solid, protein), (_, copies)) in (first as u32..).zip(&plan.proteins).zip(of_membrane) {
            let height = protein.table.height;
            let atoms: Vec<DVec3> =
                protein.template.bodies[0].atoms.iter().map(|atom| *atom + height * DVec3::Z).collect();
            let lumen = Arc::new(Lumen::new(&atoms));
            let reach = solids.reach(solid) + height.abs();
            let obstacle = |&pose: &Pose| Obstacle { solid, pose, height, lumen: Arc::clone(&lumen), reach };
            obstacles.extend(copies.poses.iter().map(obstacle));
        }
        obstacles
    }

    fn add_laid(
        &mut self,
        plan: &Plan<'_>,
        membrane: &mut Membrane,
        patch: &Patch,
        laid: &[Laid],
    ) -> Result<(), BuildError> {
        for (side, leaflet) in LEAFLETS.into_iter().enumerate() {
            let mut poses: Vec<Vec<Pose>> = vec![Vec::new(); patch.bodies.len()];
            for lipid in laid.iter().filter(|lipid| lipid.leaflet == leaflet) {
                poses[lipid.body as usize].push(lipid.pose);
            }
            let mut mixture = vec![0; patch.kinds.len()];
            for ((body, kind), poses) in patch.bodies.iter().zip(poses) {
                mixture[*kind as usize] += poses.len() as u64;
                let name = patch.kinds[*kind as usize].clone();
                let lipid = plan.lipids.get(*kind as usize).filter(|_| plan.patch.is_none());
                let mut holds = vec![lipid_hold(plan, membrane, leaflet, body)];
                if let Some(lipid) = lipid {
                    holds.extend(self.keeps(&lipid.table.keep, body, &format!("{}.lipid.{kind}", plan.path))?);
                }
                let area = lipid.map_or_else(|| patch.area_per_lipid(leaflet), |lipid| lipid.area);
                let height = membrane.leaflets[side].height;
                let group = Group {
                    leaflet: Some(leaflet),
                    membrane: Some(plan.number),
                    holds,
                    area: Some(area),
                    disc: Some(Disc { diameter: area.sqrt(), height, center: height.abs() }),
                    ..Group::new(name.clone(), Role::Lipid)
                };
                self.add_group(Copies { name, chains: body.chains.clone(), poses }, group);
            }
            let summary = &mut membrane.leaflets[side];
            summary.lipids = mixture.iter().sum();
            let named = patch.kinds.iter().cloned().zip(mixture).filter(|(_, count)| *count > 0);
            summary.mixture = named.collect();
        }
        Ok(())
    }
}

/// How many lipids of each class there should be: as many as were laid but for those that stand in proteins, or as many as the scene
/// says.
fn wanted_of_classes(
    plan: &Plan<'_>,
    membrane: &Membrane,
    patch: &Patch,
    laid: &[Laid],
    counts: &[Vec<u64>; 2],
) -> Vec<usize> {
    let own = laid.iter().filter(|lipid| lipid.is_own());
    let own = patch.count(own.map(|lipid| (lipid.body, lipid.leaflet)));
    let mut wanted = vec![0; patch.classes()];
    for (side, leaflet) in LEAFLETS.into_iter().enumerate() {
        let here: Vec<f64> = own.iter().skip(side).step_by(2).map(|&count| count as f64).collect();
        let taken = membrane.leaflets[side].proteins_area / patch.area_per_lipid(leaflet);
        let total = match plan.table.count {
            Some(_) => counts[side].iter().sum(),
            None => (here.iter().sum::<f64>() - taken).max(0.0).round() as u64,
        };
        let of_kinds = match plan.table.count {
            Some(_) if plan.patch.is_none() => counts[side].clone(),
            _ => largest_remainder(total, &here),
        };
        for (kind, count) in of_kinds.into_iter().enumerate() {
            wanted[2 * kind + side] = count as usize;
        }
    }
    wanted
}

/// How long the edges of tiles are, and how many a plane has of them.
fn tiling(patch: &Patch, membrane: &Membrane) -> (DVec2, Option<([i64; 2], bool)>) {
    let usual = tile::usual_edge(patch);
    match membrane.patch {
        None => (DVec2::splat(usual), None),
        Some(size) => {
            let counts = size.map(|edge| (edge / usual).ceil().max(1.0));
            let edges = DVec2::from_array(size) / DVec2::from_array(counts);
            (edges, Some((counts.map(|count| count as i64), membrane.periodic)))
        }
    }
}

/// How long in the middle of a membrane a length of a leaflet is.
fn scale(membrane: &Membrane, side: usize) -> f64 {
    let wider = membrane.leaflets[side].area / membrane.area_at(0.0).max(1e-9);
    let excess = (wider - 1.0).abs() - FORGIVEN;
    if membrane.patch.is_some() || excess <= 0.0 || !wider.is_finite() {
        return 1.0;
    }
    (1.0 / (1.0 + excess.copysign(wider - 1.0))).sqrt()
}

/// How many of the lipids that were asked for each leaflet has.
fn shares(laid: &[Laid], wanted: [u64; 2]) -> [f64; 2] {
    [0, 1].map(|side: usize| {
        let here = laid.iter().filter(|lipid| lipid.leaflet == LEAFLETS[side]).count();
        here as f64 / wanted[side].max(1) as f64
    })
}

/// By how much charts have to be scaled to hold as many lipids as their area asks for.
fn corrected(laid: &[Laid], membrane: &Membrane, patch: &Patch, scales: [f64; 2]) -> f64 {
    let own = laid.iter().filter(|lipid| lipid.is_own()).count() as f64;
    let expected =
        |(scale, leaflet): (f64, Leaflet)| membrane.area_at(0.0) / (scale * scale * patch.area_per_lipid(leaflet));
    let natural: f64 = scales.into_iter().zip(LEAFLETS).map(expected).sum();
    (own / natural.max(1.0)).max(0.25).sqrt()
}

#[cfg(test)]
mod tests;
