//! An equilibrated patch of a bilayer: whole lipids, each with its leaflet and its pose.
//!
//! How it works: molecules are what bonds and residues join, made whole across the periodic box by walking from atom to atom.
//! Waters and ions fall away by their size. The middle of the bilayer is the mean of the two mean heights of its leaflets, to
//! which lipids belong by the side on which they are centred. Every lipid becomes a molecule type of its own, upright as
//! it stood in the patch and centred on its own axis, so that all the copies of it are poses. A file without a box gets the
//! least period at which the patch and its own image hardly touch.

use std::f64::consts::{PI, TAU};
use std::path::Path;

use glam::{DQuat, DVec2, DVec3, Vec3};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use steric_collide::OverlapSearch;
use steric_model::chemistry::{BondGraph, Chemistry, is_hydrogen, is_water};
use steric_model::{Element, PeriodicBox, Place, Pose, Random, ReadError, Scene, Structure};

use super::super::lipid::{Ends, middle};
use super::super::template::Body;
use super::super::{BuildError, Work};
use crate::relax::Leaflet;

/// Heavy atoms of a lipid: fewer is an ion, a water or a bead of water, more is a protein.
const LIPID_ATOMS: std::ops::RangeInclusive<usize> = 4..=400;
/// Fewer lipids in a leaflet are no patch.
const FEWEST: usize = 16;
/// Every lipid is a molecule type of its own, and more of them do not make a membrane more varied.
const MOST: usize = 4000;
/// Wider patches have a box, in angstroms.
const WIDEST: f64 = 5000.0;
/// A narrower patch has no room for a tile without repeating itself, in angstroms.
const NARROWEST: f64 = 30.0;
/// Heights of the lipids' middles above that of the bilayer, in angstroms.
const HEIGHTS: std::ops::Range<f64> = 3.0..40.0;
/// In a leaflet heights differ by less than this part of their mean; in a vesicle, or seen from the side, by 0.58.
const UNEVEN: f64 = 0.45;
/// Atoms of a patch and its image are strangers, in angstroms.
const STRANGERS: f64 = 2.6;

/// A lipid of a patch.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct PatchLipid {
    /// Index in [`Patch::bodies`].
    pub(super) body: u32,
    pub(super) leaflet: Leaflet,
    /// `patch_from_body`; z is the height above the middle of the bilayer.
    pub(super) pose: Pose,
}

/// Lipids that repeat in a plane.
#[derive(Clone, Debug)]
pub(in super::super) struct Patch {
    pub(super) lipids: Vec<PatchLipid>,
    /// The molecule types, and which kind of lipid each one is.
    pub(super) bodies: Vec<(Body, u32)>,
    /// What the kinds are called.
    pub(super) kinds: Vec<SmolStr>,
    /// Two vectors after which it repeats.
    pub(super) lattice: [DVec2; 2],
}

impl Patch {
    /// The area of one period, in square angstroms.
    pub(super) fn area(&self) -> f64 {
        self.lattice[0].perp_dot(self.lattice[1]).abs()
    }

    /// How far apart its borders are, where they are nearest.
    pub(super) fn width(&self) -> f64 {
        self.area() / self.lattice[0].length().max(self.lattice[1].length())
    }

    fn of(&self, leaflet: Leaflet) -> impl Iterator<Item = &PatchLipid> {
        self.lipids.iter().filter(move |lipid| lipid.leaflet == leaflet)
    }

    /// Square angstroms for each lipid of a leaflet.
    pub(in super::super) fn area_per_lipid(&self, leaflet: Leaflet) -> f64 {
        self.area() / self.of(leaflet).count().max(1) as f64
    }

    /// What a lipid is: its kind and its leaflet, as one number below [`Patch::classes`].
    pub(super) fn class(&self, body: u32, leaflet: Leaflet) -> u32 {
        2 * self.bodies[body as usize].1 + u32::from(leaflet == Leaflet::Inner)
    }

    /// How many classes there are.
    pub(super) fn classes(&self) -> usize {
        2 * self.kinds.len()
    }

    /// How many of each class some lipids are.
    pub(super) fn count(&self, lipids: impl Iterator<Item = (u32, Leaflet)>) -> Vec<usize> {
        let mut counts = vec![0; self.classes()];
        lipids.for_each(|(body, leaflet)| counts[self.class(body, leaflet) as usize] += 1);
        counts
    }

    /// Mean distance of a leaflet's lipids from the middle, in angstroms.
    pub(in super::super) fn height(&self, leaflet: Leaflet) -> f64 {
        let sum: f64 = self.of(leaflet).map(|lipid| self.center(lipid.body, &lipid.pose).z.abs()).sum();
        sum / self.of(leaflet).count().max(1) as f64
    }

    /// The farthest that an atom stands from the middle, in angstroms.
    pub(in super::super) fn top(&self) -> f64 {
        let atoms = |lipid: &PatchLipid| {
            let reach = self.bodies[lipid.body as usize].0.atoms.iter().map(|atom| (lipid.pose * *atom).z.abs());
            reach.fold(0.0, f64::max)
        };
        self.lipids.iter().map(atoms).fold(0.0, f64::max)
    }

    /// Where the middle of a lipid's heavy atoms is.
    pub(super) fn center(&self, body: u32, pose: &Pose) -> DVec3 {
        *pose * self.bodies[body as usize].0.center
    }

    /// Lipids of the endless patch, turned about the normal and shifted as chance has it, that stand where they are wanted, no farther
    /// than `reach` from the origin.
    pub(super) fn sample(&self, reach: f64, random: &mut Random, is_wanted: impl Fn(DVec2) -> bool) -> Vec<PatchLipid> {
        let [a, b] = self.lattice;
        let turn = TAU * random.unit();
        let origin = random.unit() * a + random.unit() * b;
        let (spin, turned) = (DQuat::from_rotation_z(turn), DVec2::from_angle(turn));
        // One more in each direction, because lipids may stand outside of the cell that they are counted in.
        let steps = |along: DVec2| (reach * along.length() / self.area()).ceil() as i64 + 2;
        let (across_a, across_b) = (steps(b), steps(a));
        let mut found = Vec::new();
        for i in -across_a..=across_a {
            for j in -across_b..=across_b {
                let shift = i as f64 * a + j as f64 * b - origin;
                for lipid in &self.lipids {
                    let place = turned.rotate(self.center(lipid.body, &lipid.pose).truncate() + shift);
                    if place.length() <= reach && is_wanted(place) {
                        let moved = Pose::from_translation(shift.extend(0.0)) * lipid.pose;
                        let pose = Pose { rotation: spin, translation: DVec3::ZERO } * moved;
                        found.push(PatchLipid { pose, ..*lipid });
                    }
                }
            }
        }
        found
    }
}

/// Atoms of a patch's lipids before they are types.
struct Raw {
    /// Atoms by index, and the middle of the heavy ones.
    lipids: Vec<(Vec<u32>, DVec3)>,
    positions: Vec<DVec3>,
    cell: Option<PeriodicBox>,
}

impl Work<'_> {
    /// The patch of a file, its lipids added to the templates of the scene.
    pub(in super::super) fn patch(&mut self, file: &str) -> Result<Patch, BuildError> {
        let path = self.folder.join(file);
        let parsed = (self.read)(&path)?;
        if parsed.warnings.total > 0 {
            self.note(format!("{file}: {} warnings while reading", parsed.warnings.total));
        }
        let mut structure = parsed.value;
        if structure.models.len() > 1 {
            structure = structure.alone(&structure.models[0].atoms.clone());
        }
        let raw = Raw::of(&structure, &path)?;
        let middle = raw.middle(&path)?;
        let lattice = self.lattice(&structure, &raw, file, &path)?;
        self.type_by_type(&structure, &raw, middle, lattice, &path)
    }

    fn lattice(&mut self, structure: &Structure, raw: &Raw, file: &str, path: &Path) -> Result<[DVec2; 2], BuildError> {
        let lattice = match raw.cell {
            Some(cell) => {
                let vectors = cell.vectors();
                [vectors.x_axis.truncate(), vectors.y_axis.truncate()]
            }
            None => {
                let [x, y] = raw.period(structure);
                self.note(format!("{file}: no periodic box; from its atoms it repeats after {x:.1} by {y:.1} Å"));
                [DVec2::new(x, 0.0), DVec2::new(0.0, y)]
            }
        };
        let longest = lattice[0].length().max(lattice[1].length());
        let width = lattice[0].perp_dot(lattice[1]).abs() / longest.max(1e-9);
        // Written so that NaN is refused too.
        if width >= NARROWEST && width.is_finite() {
            return Ok(lattice);
        }
        Err(refused(path, format!("a patch of a bilayer that is at least {NARROWEST} Å wide"), format!("{width:.1} Å")))
    }

    fn type_by_type(
        &mut self,
        structure: &Structure,
        raw: &Raw,
        middle_of_patch: f64,
        lattice: [DVec2; 2],
        path: &Path,
    ) -> Result<Patch, BuildError> {
        let bonds = BondGraph::new(structure);
        let mut positions = raw.positions.clone();
        let mut patch = Patch { lipids: Vec::new(), bodies: Vec::new(), kinds: Vec::new(), lattice };
        let mut conformers = Vec::new();
        for (atoms, center) in &raw.lipids {
            let leaflet = if center.z >= middle_of_patch { Leaflet::Outer } else { Leaflet::Inner };
            let axis = DVec3::new(center.x, center.y, middle_of_patch);
            let upright = upright(leaflet);
            for &atom in atoms {
                positions[atom as usize] = upright.inverse() * (positions[atom as usize] - axis);
            }
            let name = kind_name(structure, atoms);
            let kind = patch.kinds.iter().position(|known| *known == name).unwrap_or_else(|| {
                patch.kinds.push(name.clone());
                conformers.push(0);
                patch.kinds.len() - 1
            });
            let head = head(structure, &bonds, &positions, atoms);
            let body = self.library.part(&name, conformers[kind], (structure, &bonds, &positions), atoms, head);
            let body = body.map_err(|failure| self.failed_in(path, failure))?;
            conformers[kind] += 1;
            let pose = Pose { rotation: upright, translation: DVec3::new(center.x, center.y, 0.0) };
            patch.lipids.push(PatchLipid { body: patch.bodies.len() as u32, leaflet, pose });
            patch.bodies.push((body, kind as u32));
        }
        Ok(patch)
    }
}

fn refused(path: &Path, expected: impl Into<String>, found: impl AsRef<str>) -> BuildError {
    ReadError::content(path, Place::File, expected, found.as_ref()).into()
}

/// Lipids of the inner leaflet stand on their heads.
fn upright(leaflet: Leaflet) -> DQuat {
    match leaflet {
        Leaflet::Outer => DQuat::IDENTITY,
        Leaflet::Inner => DQuat::from_rotation_x(PI),
    }
}

/// The names of a lipid's residues: one, or in some force fields the head and the tails apart.
fn kind_name(structure: &Structure, atoms: &[u32]) -> SmolStr {
    let mut names: Vec<&str> = Vec::new();
    let mut last = u32::MAX;
    for &atom in atoms {
        let residue = structure.atoms.residues[atom as usize];
        if residue != last {
            names.push(structure.residues[residue as usize].name.as_str());
            last = residue;
        }
    }
    names.dedup();
    names.truncate(4);
    SmolStr::new(names.join("-"))
}

/// The point that keeps its height: the head by its bonds, or where there are none, as with beads, the outermost atom.
fn head(structure: &Structure, bonds: &BondGraph, positions: &[DVec3], atoms: &[u32]) -> DVec3 {
    let by_bonds = Ends::find(structure, bonds, atoms, &[], &[]).ok().map(|ends| middle(positions, &ends.head));
    let top = atoms.iter().map(|&atom| positions[atom as usize]);
    let top = top.fold(DVec3::NEG_INFINITY, |best, next| if next.z > best.z { next } else { best });
    by_bonds.filter(|head| head.z > 0.0).unwrap_or(top)
}

impl Raw {
    /// The lipids of a structure, made whole.
    fn of(structure: &Structure, path: &Path) -> Result<Self, BuildError> {
        if let Some(atom) = structure.atoms.positions.iter().position(|position| !position.is_finite()) {
            let found = format!("{} of atom {}", structure.atoms.positions[atom], atom + 1);
            return Err(refused(path, "finite coordinates", found));
        }
        let cell = structure.periodic_box;
        let mut positions: Vec<DVec3> = structure.atoms.positions.iter().map(|position| position.as_dvec3()).collect();
        let mut by_molecule: Vec<Vec<u32>> = Vec::new();
        let mut known = FxHashMap::default();
        for (atom, molecule) in (0..).zip(Chemistry::new(structure).molecules) {
            let at = *known.entry(molecule).or_insert_with(|| {
                by_molecule.push(Vec::new());
                by_molecule.len() - 1
            });
            by_molecule[at].push(atom);
        }
        let mut lipids = Vec::new();
        for atoms in by_molecule {
            let heavy = heavy(structure, &atoms);
            let residue = structure.residues[structure.atoms.residues[atoms[0] as usize] as usize];
            if heavy.len() < *LIPID_ATOMS.start() || is_water(residue.name) {
                continue;
            }
            if heavy.len() > *LIPID_ATOMS.end() {
                let found = format!("a molecule of {} atoms ({})", heavy.len(), residue.name.as_str());
                return Err(refused(path, "a patch of lipids, waters and ions alone", found));
            }
            make_whole(&mut positions, &atoms, cell);
            let center = middle(&positions, &heavy);
            lipids.push((atoms, center));
        }
        let mut raw = Self { lipids, positions, cell };
        raw.gather();
        Ok(raw)
    }

    /// A bilayer that the border of the box cuts in two is put together again: heights on a circle have a mean, too.
    fn gather(&mut self) {
        let Some(cell) = self.cell else { return };
        let up = cell.vectors().z_axis;
        let around = |height: f64| DVec2::from_angle(TAU * height / up.z.abs().max(1e-9));
        let mean: DVec2 = self.lipids.iter().map(|lipid| around(lipid.1.z)).sum();
        let middle = mean.to_angle() / TAU * up.z.abs();
        for (atoms, center) in &mut self.lipids {
            let shift = -((center.z - middle) / up.z).round() * up;
            *center += shift;
            for &atom in &*atoms {
                self.positions[atom as usize] += shift;
            }
        }
    }

    /// The height of the middle of the bilayer.
    fn middle(&self, path: &Path) -> Result<f64, BuildError> {
        let expected = || {
            format!(
                "a planar bilayer with its normal along z and at least {FEWEST} lipids in each leaflet, equilibrated and whole"
            )
        };
        let heights: Vec<f64> = self.lipids.iter().map(|lipid| lipid.1.z).collect();
        if heights.len() < 2 * FEWEST {
            return Err(refused(path, expected(), format!("{} lipids", heights.len())));
        }
        if heights.len() > MOST {
            return Err(refused(
                path,
                format!("a patch of at most {MOST} lipids"),
                format!("{} lipids", heights.len()),
            ));
        }
        let split = 0.5
            * (heights.iter().copied().fold(f64::INFINITY, f64::min)
                + heights.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        let mut middle = split;
        for _ in 0..20 {
            let mean = |is_above: bool| {
                let side = heights.iter().filter(|&&height| (height >= middle) == is_above);
                side.clone().sum::<f64>() / side.count().max(1) as f64
            };
            middle = 0.5 * (mean(true) + mean(false));
        }
        let above = heights.iter().filter(|&&height| height >= middle).count();
        if above.min(heights.len() - above) < FEWEST {
            return Err(refused(
                path,
                expected(),
                format!("{above} lipids above its middle and {} below", heights.len() - above),
            ));
        }
        let away: Vec<f64> = heights.iter().map(|height| (height - middle).abs()).collect();
        let mean = away.iter().sum::<f64>() / away.len() as f64;
        let spread = (away.iter().map(|away| (away - mean).powi(2)).sum::<f64>() / away.len() as f64).sqrt();
        if !HEIGHTS.contains(&mean) || spread > UNEVEN * mean {
            let found = format!("lipids that are centred {mean:.1} ± {spread:.1} Å from a plane");
            return Err(refused(path, expected(), found));
        }
        Ok(middle)
    }

    /// The least edges of a box in which the patch hardly touches its images.
    fn period(&self, structure: &Structure) -> [f64; 2] {
        let atoms = self.lipids.iter().flat_map(|lipid| heavy(structure, &lipid.0));
        let places: Vec<Vec3> = atoms.map(|atom| self.positions[atom as usize].as_vec3()).collect();
        let mut scene = Scene::default();
        let kind = scene.add_type("patch", &places, &vec![(0.5 * STRANGERS) as f32; places.len()]);
        // In a narrower box hundreds touch; in a wider one those that stick out may.
        let most = places.len() as u64 / 1000;
        [DVec3::X, DVec3::Y].map(|axis| {
            let along = places.iter().map(|place| place.as_dvec3().dot(axis));
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
            let widest = high - low + STRANGERS;
            if widest > WIDEST {
                return widest;
            }
            let touches = |edge: f64| {
                let mut pair = scene.clone();
                pair.add_molecule(kind, Pose::IDENTITY);
                pair.add_molecule(kind, Pose::from_translation(edge * axis));
                OverlapSearch::default().count(&pair)
            };
            let steps = (0..).map(|step| widest - 0.5 * f64::from(step)).take_while(|&edge| edge > 0.5 * widest);
            steps.filter(|&edge| touches(edge) <= most).last().unwrap_or(widest)
        })
    }
}

fn heavy(structure: &Structure, atoms: &[u32]) -> Vec<u32> {
    let element = |atom: u32| -> Element { structure.atoms.elements[atom as usize] };
    atoms.iter().copied().filter(|&atom| !is_hydrogen(element(atom))).collect()
}

/// Each atom is nearest to the one before.
fn make_whole(positions: &mut [DVec3], atoms: &[u32], cell: Option<PeriodicBox>) {
    let Some(cell) = cell else { return };
    for pair in atoms.windows(2) {
        let (last, this) = (positions[pair[0] as usize], pair[1] as usize);
        positions[this] = last + cell.nearest_image(positions[this] - last);
    }
}
