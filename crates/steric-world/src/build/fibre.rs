//! Fibres in regions.
//!
//! How it works: a fibre is grown in its region, around the spheres of solutes that were placed before it, and a copy of a small
//! template stands at each of its units. It is an obstacle: what comes later makes way.

use std::ops::ControlFlow;

use glam::DVec3;
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
