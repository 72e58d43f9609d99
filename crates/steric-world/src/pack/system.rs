//! What is to be packed: types, radii, walls and how many of each.
//!
//! How it works: a structure becomes a molecule type around the mean of its atoms, with half of the distance that its atoms keep as
//! radius, and a rule that knows its walls and its range of rotations. A fixed structure becomes one molecule that stays.

use std::sync::Arc;

use glam::{DMat3, DVec3, Vec3};
use steric_model::formats::packmol::{PackmolInput, PackmolStructure, Shape, Template};
use steric_model::{PeriodicBox, Pose, Scene, TypeId};

use super::PackError;
use super::euler::{RotationRange, fixed_rotation};
use super::wall::Wall;
use crate::relax::Rule;
use crate::respond::Pull;

/// Added to the radius of every atom, in angstroms: files round coordinates to 0.001, which brings two atoms together by 0.0018 at most.
pub(super) const FOR_ROUNDING: f64 = 0.001;
/// Most atoms of all molecules together: what can be written to files that know no copies.
const MOST_ATOMS: u64 = 200_000_000;

/// One structure of the input.
#[derive(Debug)]
pub(super) struct Species {
    pub(super) kind: TypeId,
    pub(super) number: usize,
    /// The mean of its atoms in its file.
    pub(super) center: DVec3,
    /// Its atoms, measured from there, and their radii as the input wants them.
    pub(super) atoms: Vec<DVec3>,
    pub(super) radii: Vec<f64>,
    pub(super) fixed: Option<Pose>,
    pub(super) rule: Arc<Bounds>,
}

/// Everything that is to be packed.
#[derive(Debug)]
pub(super) struct System {
    /// The types, without molecules.
    pub(super) scene: Scene,
    pub(super) species: Vec<Species>,
    pub(super) sidemax: f64,
    pub(super) avoid_fixed: bool,
}

/// What a molecule of a structure keeps to.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    pub(super) walls: Vec<Wall>,
    pub(super) range: RotationRange,
}

impl Rule for Bounds {
    fn ask(&self, pose: &Pose, rotation: DMat3, pulls: &mut Vec<Pull>) -> bool {
        let mut broken = false;
        for wall in &self.walls {
            broken |= wall.ask(pose, rotation, pulls);
        }
        broken
    }

    fn breach(&self, pose: &Pose) -> f64 {
        self.walls.iter().map(|wall| wall.worst(pose)).fold(0.0, f64::max)
    }

    fn kept(&self, pose: Pose) -> Pose {
        if self.range.is_free() { pose } else { Pose { rotation: self.range.nearest(pose.rotation), ..pose } }
    }
}

impl System {
    pub(super) fn new(input: &PackmolInput, templates: &[Template]) -> Result<Self, PackError> {
        assert_eq!(input.structures.len(), templates.len(), "one template per structure");
        let sizes = input.structures.iter().zip(templates);
        let atoms: u128 =
            sizes.map(|(structure, template)| u128::from(structure.number) * template.atoms.len() as u128).sum();
        if atoms > u128::from(MOST_ATOMS) {
            return Err(PackError::TooManyAtoms { atoms, most: MOST_ATOMS });
        }
        let mut scene = Scene::default();
        let mut species = Vec::with_capacity(templates.len());
        for (structure, template) in input.structures.iter().zip(templates) {
            species.push(Species::new(input, structure, template, &mut scene)?);
        }
        if let Some((low, high)) = input.periodic {
            scene.set_periodic_box(PeriodicBox::orthogonal(high - low));
        }
        Ok(Self { scene, species, sidemax: input.sidemax, avoid_fixed: input.avoid_overlap })
    }

    /// The molecules of all structures, in order: structure and number.
    pub(super) fn molecules(&self) -> usize {
        self.species.iter().map(|species| species.number).sum()
    }
}

impl Species {
    fn new(
        input: &PackmolInput,
        structure: &PackmolStructure,
        template: &Template,
        scene: &mut Scene,
    ) -> Result<Self, PackError> {
        let center = template.center();
        let atoms: Vec<DVec3> = template.atoms.iter().map(|atom| atom.position - center).collect();
        let radii = radii(input, structure, atoms.len())?;
        let positions: Vec<Vec3> = atoms.iter().map(|atom| atom.as_vec3()).collect();
        let wide: Vec<f32> = radii.iter().map(|radius| (radius + FOR_ROUNDING) as f32).collect();
        let name = structure.file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let kind = scene.add_type(name, &positions, &wide);
        let fixed = structure.fixed.map(|(place, angles)| {
            let rotation = fixed_rotation(angles);
            let from_file = if structure.center { DVec3::ZERO } else { center };
            Pose { rotation, translation: place + rotation * from_file }
        });
        let rule = Arc::new(bounds(input, structure, &atoms)?);
        Ok(Self { kind, number: structure.number as usize, center, atoms, radii, fixed, rule })
    }

    /// `world_from_template`, the template as it is in its file.
    pub(super) fn of_file(&self, pose: Pose) -> Pose {
        Pose { translation: pose.translation - pose.rotation * self.center, ..pose }
    }

    /// The pose of its centre, from `world_from_template`.
    pub(super) fn of_center(&self, pose: Pose) -> Pose {
        Pose { translation: pose * self.center, ..pose }
    }
}

fn radii(input: &PackmolInput, structure: &PackmolStructure, atoms: usize) -> Result<Vec<f64>, PackError> {
    let mut radii = vec![0.5 * input.tolerance; atoms];
    for (_, radius) in structure.radii.iter().filter(|(atoms, _)| atoms.is_none()) {
        radii.fill(*radius);
    }
    for (chosen, radius) in &structure.radii {
        for &atom in chosen.iter().flatten() {
            *radii.get_mut(atom as usize).ok_or_else(|| no_atom(structure, atom, atoms, structure.line))? = *radius;
        }
    }
    Ok(radii)
}

fn bounds(input: &PackmolInput, structure: &PackmolStructure, atoms: &[DVec3]) -> Result<Bounds, PackError> {
    let mut walls = Vec::new();
    for constraint in &structure.constraints {
        let point = |&atom: &u32| {
            atoms.get(atom as usize).copied().ok_or_else(|| no_atom(structure, atom, atoms.len(), constraint.line))
        };
        let points = match &constraint.atoms {
            None => atoms.to_vec(),
            Some(chosen) => chosen.iter().map(point).collect::<Result<_, _>>()?,
        };
        walls.push(Wall::new(constraint.shape, constraint.inside, points));
    }
    if let Some((low, high)) = input.periodic {
        walls.push(Wall::new(Shape::Box { low, high }, true, atoms.to_vec()));
    }
    Ok(Bounds { walls, range: RotationRange(structure.rotation) })
}

fn no_atom(structure: &PackmolStructure, atom: u32, atoms: usize, line: usize) -> PackError {
    PackError::NoSuchAtom { line, atom: u64::from(atom) + 1, file: structure.file.clone(), atoms }
}
