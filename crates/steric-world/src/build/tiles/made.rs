//! A patch of a membrane's own lipids, for scenes that bring none.
//!
//! How it works: as many lipids as a patch of about a hundred angstroms takes, in the mixture of each leaflet, are placed at random,
//! spread as discs and pushed apart in their periodic plane, as a membrane of relaxed placement is.

use glam::{DVec2, DVec3};
use steric_model::{PeriodicBox, Random};

use super::super::counts;
use super::super::membrane::{Plan, shuffled, standing};
use super::super::{BuildError, Work};
use super::LEAFLETS;
use super::crowd::Solids;
use super::patch::{Patch, PatchLipid};
use crate::build::template::Body;
use crate::shape::{Sampling, Surface, spread};

/// Lipids in a leaflet.
const LIPIDS: f64 = 144.0;
/// Edges of a patch, in angstroms.
const EDGES: std::ops::RangeInclusive<f64> = 60.0..=120.0;
/// Room above and below, in angstroms.
const WATER: f64 = 15.0;
/// As for the discs of a whole membrane.
const HONEYCOMB: f64 = 1.1547;
const SLACK: f64 = 0.95;
const DISC_ITERATIONS: usize = 60;
const ITERATIONS: u32 = 1500;

impl Work<'_> {
    /// A relaxed patch with the lipids of a plan; `mixtures` says how many of each kind the leaflets of the membrane have.
    pub(super) fn made_patch(
        &mut self,
        plan: &Plan<'_>,
        mixtures: &[Vec<u64>; 2],
        seed: u64,
    ) -> Result<Patch, BuildError> {
        let areas = mixtures.each_ref().map(|mixture| mean_area(plan, mixture));
        if areas.iter().all(|area| *area <= 0.0) {
            return Err(self.wrong(&plan.path, "lipids for the tiles of the membrane", "none"));
        }
        let widest = areas[0].max(areas[1]);
        let edge = (LIPIDS * widest).sqrt().clamp(*EDGES.start(), *EDGES.end());
        let mut patch = empty(plan, edge);
        let plane = Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z };
        let mut random = Random::of(seed, 2);
        for (side, leaflet) in LEAFLETS.into_iter().enumerate().filter(|&(side, _)| areas[side] > 0.0) {
            let count = (edge * edge / areas[side]).round().max(1.0) as u64;
            let shares: Vec<f64> = mixtures[side].iter().map(|&count| count as f64).collect();
            let counts = counts::largest_remainder(count, &shares);
            let kinds = shuffled(&counts, &mut random);
            let height = leaflet.sign() * plan.heights[side];
            let places = plane.places(kinds.len(), height, Sampling::Inversion, Some([edge; 2]), &mut random)?;
            let mut places: Vec<DVec3> = places.into_iter().map(|(place, _)| place).collect();
            let diameter = |kind: &u32| (plan.lipids[*kind as usize].area * HONEYCOMB).sqrt() * SLACK;
            let diameters: Vec<f64> = kinds.iter().map(diameter).collect();
            spread(&plane, height, &mut places, &diameters, Some([edge; 2]), &[], DISC_ITERATIONS);
            for (place, kind) in places.into_iter().zip(kinds) {
                let of_kind: Vec<u32> =
                    (0..).zip(&patch.bodies).filter(|(_, body)| body.1 == kind).map(|(at, _)| at).collect();
                let conformer = ((random.unit() * of_kind.len() as f64) as usize).min(of_kind.len() - 1);
                let spin = std::f64::consts::TAU * random.unit();
                let on_middle = DVec3::new(place.x, place.y, 0.0);
                let pose = standing(on_middle, leaflet.sign() * DVec3::Z, spin);
                patch.lipids.push(PatchLipid { body: of_kind[conformer], leaflet, pose });
            }
        }
        self.relax_patch(plan, &mut patch, edge);
        Ok(patch)
    }

    fn relax_patch(&mut self, plan: &Plan<'_>, patch: &mut Patch, edge: f64) {
        let bodies: Vec<&Body> = patch.bodies.iter().map(|body| &body.0).collect();
        let solids = Solids::new(&mut self.library, self.scene.closeness(), &bodies, &[]);
        let cell = PeriodicBox::orthogonal(DVec3::new(edge, edge, 2.0 * (plan.top() + WATER)));
        let fixed = vec![false; patch.lipids.len()];
        if !solids.settle(&mut patch.lipids, &fixed, cell, 0.0, ITERATIONS) {
            self.note(format!(
                "membrane {}: the patch that its tiles are cut from did not come to rest in {ITERATIONS} iterations",
                plan.number + 1
            ));
        }
    }
}

fn empty(plan: &Plan<'_>, edge: f64) -> Patch {
    let bodies = (0..)
        .zip(&plan.lipids)
        .flat_map(|(kind, lipid)| lipid.template.bodies.iter().map(move |body| (body.clone(), kind)));
    Patch {
        lipids: Vec::new(),
        bodies: bodies.collect(),
        kinds: plan.lipids.iter().map(|lipid| lipid.template.name.clone()).collect(),
        lattice: [DVec2::new(edge, 0.0), DVec2::new(0.0, edge)],
    }
}

/// Square angstroms for each lipid of a mixture; 0 without any.
fn mean_area(plan: &Plan<'_>, mixture: &[u64]) -> f64 {
    let count: u64 = mixture.iter().sum();
    let area: f64 = plan.lipids.iter().zip(mixture).map(|(lipid, &count)| lipid.area * count as f64).sum();
    area / count.max(1) as f64
}
