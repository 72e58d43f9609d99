//! Molecules in regions.
//!
//! How it works: a solute's copies are counted, or follow from an amount and the volume of its region. Each draws a
//! place in the region and a rotation, both uniform. A region holds all of a molecule's atoms inside; the periodic box
//! needs no hold, because it has no outside. Copies with spheres draw places until theirs meets no other and no wall.

use std::ops::Range;
use std::sync::Arc;

use glam::{DQuat, DVec3, EulerRot};
use smol_str::SmolStr;
use steric_model::{Copies, Pose, Random};

use super::scene_file::{KeepTable, RegionShape, RegionTable, SoluteTable};
use super::template::{Body, Template};
use super::{BuildError, Group, Role, Work};
use crate::relax::Hold;
use crate::shape::{Region, Side, Surface};

/// Molecules per cubic angstrom at one millimole per litre.
const PER_MILLIMOLAR: f64 = 6.022_140_76e-7;
/// Dalton per cubic angstrom at one gram per cubic centimetre.
const DALTON_PER_A3: f64 = 0.602_214_076;
/// Cubic angstroms per dalton: the partial specific volume of proteins, 0.73 cm³/g.
pub(super) const A3_PER_DALTON: f64 = 1.21;

/// Points of a region that are tried for a molecule.
const MOST_TRIES: usize = 20_000;

/// Where the copies of a solute may be.
pub(super) struct Place {
    /// The region that they fill, or the periodic box.
    pub(super) region: Option<usize>,
    /// What they stay out of.
    pub(super) outside: Vec<usize>,
}

impl Work<'_> {
    pub(super) fn add_regions(&mut self) -> Result<(), BuildError> {
        for (number, table) in self.scene.region.iter().enumerate().filter(|(_, table)| table.membrane.is_none()) {
            let region = self.region(table, number)?;
            self.regions.push((SmolStr::new(&table.name), Arc::new(region)));
        }
        Ok(())
    }

    /// The regions inside a membrane that has just been placed.
    pub(super) fn add_regions_inside(&mut self, number: usize) -> Result<(), BuildError> {
        let name = self.scene.membrane[number].name.as_str();
        let is_inside = |table: &&RegionTable| !name.is_empty() && table.membrane.as_deref() == Some(name);
        for table in self.scene.region.iter().filter(is_inside) {
            let depth = table.depth.unwrap_or_default();
            let region = match *self.membranes[number].surface {
                Surface::Sphere { center, radius } if radius > depth => {
                    Region::Sphere { center, radius: radius - depth }
                }
                Surface::Mesh(ref mesh) => Region::Inset { of: Arc::new(Region::Mesh(Arc::clone(mesh))), depth },
                _ => {
                    let at = self.scene.region.iter().position(|other| other.name == table.name).unwrap_or_default();
                    let expected = "a depth at which something is left of the inside";
                    return Err(self.wrong(&format!("region.{at}.depth"), expected, &depth.to_string()));
                }
            };
            self.regions.push((SmolStr::new(&table.name), Arc::new(region)));
        }
        Ok(())
    }

    fn region(&mut self, table: &RegionTable, number: usize) -> Result<Region, BuildError> {
        let point = |given: Option<[f64; 3]>| DVec3::from_array(given.unwrap_or_default());
        // The rules of the scene file have seen to it that every shape has what it needs.
        Ok(match table.shape {
            Some(RegionShape::Box) => Region::Box { low: point(table.low), high: point(table.high) },
            Some(RegionShape::HalfSpace) => {
                let normal = point(table.normal).normalize_or(DVec3::Z);
                Region::HalfSpace { normal, offset: table.offset.unwrap_or_default() }
            }
            Some(RegionShape::Sphere | RegionShape::Inside) | None => {
                Region::Sphere { center: point(table.center), radius: table.radius.unwrap_or_default() }
            }
            Some(RegionShape::Ellipsoid) => {
                Region::Ellipsoid { center: point(table.center), semi_axes: point(table.semi_axes) }
            }
            Some(RegionShape::Cylinder) => Region::Cylinder {
                start: point(table.start),
                end: point(table.end),
                radius: table.radius.unwrap_or_default(),
            },
            Some(RegionShape::Mesh) => {
                let file = table.mesh.as_deref().unwrap_or_default();
                let path = format!("region.{number}.mesh");
                let mesh = self.mesh(file, &path)?;
                if !mesh.report().is_watertight() {
                    return Err(self.wrong(&path, "a closed surface", &mesh.report().to_string()));
                }
                Region::Mesh(mesh)
            }
        })
    }

    pub(super) fn add_solute(&mut self, number: usize) -> Result<(), BuildError> {
        let table = &self.scene.solute[number];
        let path = format!("solute.{number}");
        let template = self.library.whole(table.molecule.as_deref(), table.file.as_deref(), "z", table.name.as_deref());
        let template = template.map_err(|failure| self.failed(&path, failure))?;
        let region = table.region.as_ref().and_then(|name| self.region_called(name));
        let place = Place { region, outside: self.regions_called(&table.outside) };
        let count = self.count(table, &template, &place, &path)?;
        let first = self.number(count, &path)?;
        let poses = match table.position {
            Some(position) => vec![placed(position, table.rotation_degrees)],
            None if table.sphere.is_some() => {
                self.with_spheres(&place, first..first + count, table.sphere.unwrap_or_default(), &path)?
            }
            None => (first..first + count)
                .map(|molecule| self.anywhere(&place, molecule, template.bodies[0].radius(), &path))
                .collect::<Result<_, _>>()?,
        };
        let holds = self.holds(table, &template, &place, &path)?;
        let (name, chains) = (template.name.clone(), template.bodies[0].chains.clone());
        let group = Group { region, holds, fixed: table.fixed, ..Group::new(name.clone(), Role::Solute) };
        self.add_group(Copies { name, chains, poses }, group);
        Ok(())
    }

    fn count(
        &mut self,
        table: &SoluteTable,
        template: &Template,
        place: &Place,
        path: &str,
    ) -> Result<u64, BuildError> {
        if table.position.is_some() {
            return Ok(1);
        }
        if let Some(count) = table.count {
            return Ok(count);
        }
        let volume = self.volume(place).filter(|volume| volume.is_finite());
        let volume = volume.ok_or_else(|| self.wrong(path, "a region with a volume, or count", "one without end"))?;
        let (amount, what) = match (table.concentration_mm, table.volume_fraction, table.density_g_cm3) {
            (Some(millimolar), ..) => (millimolar * PER_MILLIMOLAR, format!("{millimolar} mmol/l")),
            (_, Some(fraction), _) => (
                fraction / (template.mass * A3_PER_DALTON),
                format!("{fraction} of the volume ({:.0} Da at {A3_PER_DALTON} Å³ each)", template.mass),
            ),
            (_, _, density) => {
                let density = density.unwrap_or_default();
                (density * DALTON_PER_A3 / template.mass, format!("{density} g/cm³"))
            }
        };
        let count = (amount * volume).round();
        if count.is_nan() || count < 1.0 {
            return Err(self.wrong(path, "an amount of at least one molecule", &format!("{:.3}", amount * volume)));
        }
        self.note(format!("{}: {what} of {volume:.0} Å³ are {count} molecules", template.name));
        Ok(count as u64)
    }

    /// The number of a region; of names that the rules of the scene file know.
    pub(super) fn region_called(&self, name: &str) -> Option<usize> {
        self.regions.iter().position(|region| region.0 == name)
    }

    pub(super) fn regions_called(&self, names: &[String]) -> Vec<usize> {
        names.iter().filter_map(|name| self.region_called(name)).collect()
    }

    /// In cubic angstroms; without what other regions take of it, which is counted with points drawn from it.
    pub(super) fn volume(&self, place: &Place) -> Option<f64> {
        const SAMPLES: u64 = 4_096;
        let whole = match place.region {
            Some(region) => self.regions[region].1.volume(),
            None => self.periodic_box?.volume(),
        };
        if place.outside.is_empty() {
            return Some(whole);
        }
        let points = (0..SAMPLES).filter_map(|number| self.drawn(place, &mut Random::of(0, number)));
        let free = points.filter(|&point| self.is_outside(place, point, 0.0)).count();
        Some(whole * free as f64 / SAMPLES as f64)
    }

    /// A point of a region or of the box, wherever others are.
    fn drawn(&self, place: &Place, random: &mut Random) -> Option<DVec3> {
        match (place.region, self.periodic_box) {
            (Some(region), _) => self.regions[region].1.sample(random),
            (None, Some(cell)) => Some(cell.vectors() * DVec3::new(random.unit(), random.unit(), random.unit())),
            (None, None) => None,
        }
    }

    fn is_outside(&self, place: &Place, point: DVec3, by: f64) -> bool {
        place.outside.iter().all(|&other| self.regions[other].1.distance(point).0 >= by)
    }

    /// A place for a molecule of this radius; where there are fibres and spheres, the first of some that is clear of them, or the
    /// clearest.
    fn anywhere(&self, place: &Place, molecule: u64, radius: f64, path: &str) -> Result<Pose, BuildError> {
        const PLACES: usize = 300;
        // Others will push it about.
        let radius = radius + 8.0;
        let mut random = Random::of(self.scene.seed, molecule);
        let mut best = None;
        let wanted = if self.strands.is_empty() && self.spheres.is_empty() { 1 } else { PLACES };
        for _ in 0..wanted {
            let mut points = (0..MOST_TRIES).map_while(|_| self.drawn(place, &mut random));
            let Some(point) = points.find(|&point| self.is_outside(place, point, 0.0)) else { break };
            let clearance = if wanted == 1 { radius } else { self.clearance(point, radius) };
            if best.is_none_or(|(_, most)| clearance > most) {
                best = Some((point, clearance));
            }
            if clearance >= radius {
                break;
            }
        }
        let (translation, _) = best.ok_or_else(|| self.wrong(path, "a region with an end and room in it", "none"))?;
        Ok(Pose { rotation: random.rotation(), translation })
    }

    /// How far a point is from the nearest fibre and the nearest sphere, in angstroms; no farther than `most`.
    fn clearance(&self, point: DVec3, most: f64) -> f64 {
        let spheres = self.spheres.iter().map(|(center, radius)| center.distance(point) - radius);
        spheres.fold(self.strands.clearance(point, most), f64::min)
    }

    /// Copies that have a sphere to themselves; random sequential addition.
    fn with_spheres(
        &mut self,
        place: &Place,
        molecules: Range<u64>,
        radius: f64,
        path: &str,
    ) -> Result<Vec<Pose>, BuildError> {
        let mut poses = Vec::new();
        for molecule in molecules {
            let mut random = Random::of(self.scene.seed, molecule);
            let is_free = |point: &DVec3| {
                let is_inside = place.region.is_none_or(|region| self.regions[region].1.distance(*point).0 <= -radius);
                let apart = |&(center, other): &(DVec3, f64)| {
                    self.periodic_box
                        .map_or_else(|| *point - center, |cell| cell.nearest_image(*point - center))
                        .length()
                        >= radius + other
                };
                is_inside && self.is_outside(place, *point, radius) && self.spheres.iter().all(apart)
            };
            let found = (0..MOST_TRIES).map_while(|_| self.drawn(place, &mut random)).find(is_free);
            let Some(translation) = found else {
                let expected = format!("room for spheres of {radius} Å");
                return Err(self.wrong(&format!("{path}.sphere"), expected, &format!("room for {}", poses.len())));
            };
            self.spheres.push((translation, radius));
            poses.push(Pose { rotation: random.rotation(), translation });
        }
        Ok(poses)
    }

    fn holds(
        &self,
        table: &SoluteTable,
        template: &Template,
        place: &Place,
        path: &str,
    ) -> Result<Vec<Hold>, BuildError> {
        let held = |region: usize, side: Side| Hold::Region {
            region: Arc::clone(&self.regions[region].1),
            side,
            points: Vec::new(),
        };
        let mut holds: Vec<Hold> = place.region.map(|region| held(region, Side::Inside)).into_iter().collect();
        holds.extend(place.outside.iter().map(|&other| held(other, Side::Outside)));
        holds.extend(self.keeps(&table.keep, &template.bodies[0], path)?);
        Ok(holds)
    }

    /// What rules for atoms ask of a body.
    pub(super) fn keeps(&self, keeps: &[KeepTable], body: &Body, path: &str) -> Result<Vec<Hold>, BuildError> {
        let mut holds = Vec::new();
        for (number, keep) in keeps.iter().enumerate() {
            let path = format!("{path}.keep.{number}.atoms");
            let points = body.points(&keep.atoms);
            let points = points.map_err(|(expected, found)| self.wrong(&path, expected, &found))?;
            if let Some((_, region)) = self.regions.iter().find(|region| region.0 == keep.region) {
                holds.push(Hold::Region { region: Arc::clone(region), side: keep.side.into(), points });
            }
        }
        Ok(holds)
    }
}

fn placed(position: [f64; 3], rotation_degrees: [f64; 3]) -> Pose {
    let [x, y, z] = rotation_degrees.map(f64::to_radians);
    // Extrinsic x, then y, then z.
    let rotation = DQuat::from_euler(EulerRot::ZYX, z, y, x);
    Pose { rotation, translation: DVec3::from_array(position) }
}
