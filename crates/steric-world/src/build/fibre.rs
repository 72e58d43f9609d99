//! Fibres in regions.
//!
//! How it works: a fibre is grown in its region, around the spheres of solutes that were placed before it, and a copy of a small
//! template stands at each of its units. It is an obstacle: what comes later begins where it is not, as far as there is such a place,
//! because a molecule that begins on a strand may find no way off it.

use std::ops::ControlFlow;

use glam::{DVec3, IVec3};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use steric_model::Copies;

use super::solute::Place;
use super::{BuildError, Group, Role, Work};
use crate::fibre::{Fibre, FibreOptions, Room};
use crate::shape::Region;

impl Work<'_> {
    pub(super) fn add_fibre(&mut self, number: usize) -> Result<(), BuildError> {
        let table = &self.scene.fibre[number];
        let path = format!("fibre.{number}");
        let kind = table.fibre_kind();
        let place = Place { region: self.region_called(&table.region), outside: self.regions_called(&table.outside) };
        let room = self.room(&place);
        let units = match (table.units, table.volume_fraction) {
            (None, Some(fraction)) => {
                let volume = self.volume(&place).filter(|volume| volume.is_finite());
                let volume = volume.ok_or_else(|| self.wrong(&path, "a region with a volume, or units", "none"))?;
                (fraction * volume / (std::f64::consts::PI * kind.radius * kind.radius * kind.rise)).round() as u64
            }
            (units, _) => units.unwrap_or_default(),
        };
        let first = self.number(units, &path)?;
        let fibre = Fibre { kind, units: units as usize, is_closed: table.closed };
        let options = FibreOptions { seed: self.scene.seed.wrapping_add(first), ..FibreOptions::default() };
        let grown = fibre.grow(&room, &options, |_| ControlFlow::Continue(()));
        let grown = grown.map_err(|error| self.wrong(&path, "a fibre that can be grown", &error.to_string()))?;
        let name = SmolStr::new(table.name.as_deref().unwrap_or(&table.kind));
        let molecule = table.molecule.as_deref().or(table.usual_molecule().filter(|_| table.file.is_none()));
        let chains = self.library.unit(molecule, table.file.as_deref(), &name);
        let chains = chains.map_err(|failure| self.failed(&path, failure))?;
        let report = grown.report();
        self.note(format!(
            "{name}: {units} units, {:.1} nm, {:.1} % of its room; stretches come as near as {:.1} Å",
            0.1 * report.length,
            100.0 * report.filled,
            report.nearest
        ));
        for unit in grown.points() {
            self.strands.add(*unit, kind.radius);
        }
        let group = Group { region: place.region, fixed: true, ..Group::new(name.clone(), Role::Fibre) };
        self.add_group(Copies { name, chains, poses: grown.placements(1) }, group);
        Ok(())
    }

    fn room(&self, place: &Place) -> Room {
        let region = |&region: &usize| Region::clone(&self.regions[region].1);
        let around = |&(center, radius): &(DVec3, f64)| Region::Sphere { center, radius };
        let outside = place.outside.iter().map(region).chain(self.spheres.iter().map(around));
        Room { inside: place.region.iter().map(region).collect(), outside: outside.collect() }
    }
}

/// Where the beads of fibres are, by cells.
#[derive(Debug, Default)]
pub(super) struct Strands {
    cells: FxHashMap<IVec3, Vec<(DVec3, f64)>>,
}

impl Strands {
    /// Edge of a cell, in angstroms.
    const EDGE: f64 = 40.0;

    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    fn cell(point: DVec3) -> IVec3 {
        (point / Self::EDGE).floor().as_ivec3()
    }

    fn add(&mut self, point: DVec3, radius: f64) {
        self.cells.entry(Self::cell(point)).or_default().push((point, radius));
    }

    /// How far a point is from the surface of the nearest fibre, in angstroms; no farther than `most`.
    pub(super) fn clearance(&self, point: DVec3, most: f64) -> f64 {
        // No fibre is thicker than this.
        const THICK: f64 = 40.0;
        let (low, high) = (Self::cell(point - (most + THICK)), Self::cell(point + (most + THICK)));
        let mut nearest = most;
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                for z in low.z..=high.z {
                    let near = self.cells.get(&IVec3::new(x, y, z)).map_or(&[][..], Vec::as_slice);
                    nearest = near.iter().map(|(bead, radius)| bead.distance(point) - radius).fold(nearest, f64::min);
                }
            }
        }
        nearest
    }
}
