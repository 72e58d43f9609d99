//! From near pairs to clashes: the search, the bonds where they are needed, the verdict on each pair.

use glam::DVec3;
use rayon::prelude::*;
use steric_collide::{Overlap, OverlapSearch};
use steric_gpu::{Gpu, GpuError, GpuSearch};
use steric_model::chemistry::{Chemistry, ClashDefinition};
use steric_model::{Molecule, MoleculeId, Molecules, Origin, Pose, Scene};

use super::{Input, Prepared};

/// Pairs of atoms of different molecules that may clash, and the GPU that found them, if one did.
pub(super) fn near<'a>(
    scene: &Scene,
    definition: ClashDefinition,
    gpu: Option<&'a Gpu>,
) -> Result<(Vec<Overlap>, Option<&'a Gpu>), GpuError> {
    let search = search(definition);
    match gpu.map(|gpu| GpuSearch::new(gpu, search).overlaps(scene)) {
        None | Some(Err(GpuError::OnCpuAlone(_))) => Ok((search.overlaps_unsorted(scene), None)),
        Some(Ok(found)) => Ok((found, gpu)),
        Some(Err(error)) => Err(error),
    }
}

fn search(definition: ClashDefinition) -> OverlapSearch {
    OverlapSearch { allow: definition.least_overlap(), ..OverlapSearch::default() }
}

/// All clashes, sorted by `(first, second)`; the depth is what the definition leaves of it.
pub(super) fn clashes(
    inputs: &[Input],
    prepared: Vec<Prepared>,
    molecules: &Molecules,
    definition: ClashDefinition,
    near: Vec<Overlap>,
) -> Vec<Overlap> {
    let one_file = inputs.len() == 1;
    let mut clashes = near;
    if !one_file {
        clashes.retain(|pair| molecules.file(pair.first.molecule) != molecules.file(pair.second.molecule));
    }
    let chemistry = prepared.into_iter().map(|file| file.chemistry).collect();
    let mut judge = Judge { chemistry, molecules, definition };
    judge.keep_clashes(inputs, &mut clashes);
    if one_file && definition.inside_molecules() {
        let copies = Copies::new(molecules.scene());
        let mut inside = copies.near_inside(search(definition));
        judge.keep_clashes(inputs, &mut inside);
        clashes.extend(inside.into_iter().flat_map(|pair| copies.of(pair)));
    }
    clashes.par_sort_unstable_by_key(|pair| (pair.first, pair.second));
    clashes
}

struct Judge<'a> {
    chemistry: Vec<Option<Chemistry>>,
    molecules: &'a Molecules,
    definition: ClashDefinition,
}

impl Judge<'_> {
    fn origins(&self, pair: &Overlap) -> [Origin; 2] {
        [pair.first, pair.second].map(|atom| self.molecules.origin(atom))
    }

    /// Distances alone decide between copies and files unless hydrogen bonds are allowed for.
    fn needs_chemistry(&self, [first, second]: [Origin; 2]) -> bool {
        !self.is_by_distance() || (first.file == second.file && first.copy == second.copy)
    }

    fn is_by_distance(&self) -> bool {
        matches!(self.definition, ClashDefinition::Tolerance(_) | ClashDefinition::Radii { .. })
    }

    /// Judges in place: millions of pairs need no second list.
    fn keep_clashes(&mut self, inputs: &[Input], pairs: &mut Vec<Overlap>) {
        self.find_bonds(inputs, pairs);
        pairs.par_iter_mut().for_each(|pair| {
            let excused = Overlap { depth: f32::NAN, ..*pair };
            *pair = self.verdict(*pair).unwrap_or(excused);
        });
        pairs.retain(|pair| !pair.depth.is_nan());
    }

    fn find_bonds(&mut self, inputs: &[Input], pairs: &[Overlap]) {
        let missing = |file: usize| {
            self.chemistry[file].is_none()
                && pairs.par_iter().any(|pair| {
                    let origins = self.origins(pair);
                    self.needs_chemistry(origins) && origins.iter().any(|origin| origin.file as usize == file)
                })
        };
        let files: Vec<usize> = (0..inputs.len()).filter(|&file| missing(file)).collect();
        for file in files {
            let structure = &inputs[file].structure;
            let found = if self.is_by_distance() { Chemistry::bonds_only } else { Chemistry::new };
            self.chemistry[file] = Some(found(structure));
        }
    }

    fn verdict(&self, pair: Overlap) -> Option<Overlap> {
        let origins @ [first, second] = self.origins(&pair);
        if !self.needs_chemistry(origins) {
            return Some(pair);
        }
        let chemistry = |origin: Origin| self.chemistry[origin.file as usize].as_ref();
        let (of_first, of_second) = (chemistry(first)?, chemistry(second)?);
        let clash = if first.file == second.file {
            self.definition.judge(of_first, first.atom, second.atom, pair.depth, first.copy == second.copy)
        } else {
            self.definition.judge_between(of_first, first.atom, of_second, second.atom, pair.depth)
        };
        clash.map(|clash| Overlap { depth: clash.overlap, ..pair })
    }
}

/// The molecules of each type: what is inside one of them is inside all.
struct Copies<'a> {
    scene: &'a Scene,
    of_type: Vec<Vec<MoleculeId>>,
}

impl<'a> Copies<'a> {
    fn new(scene: &'a Scene) -> Self {
        let mut of_type = vec![Vec::new(); scene.types().len()];
        for (index, molecule) in scene.molecules().iter().enumerate() {
            of_type[molecule.kind.0 as usize].push(MoleculeId(index as u32));
        }
        Self { scene, of_type }
    }

    /// Near pairs inside the first molecule of each type, found in a row of single molecules that are far apart.
    fn near_inside(&self, search: OverlapSearch) -> Vec<Overlap> {
        const GAP: f64 = 200.0;
        let mut firsts = Vec::new();
        let mut row = Vec::new();
        let mut x = 0.0;
        for first in self.of_type.iter().filter_map(|molecules| molecules.first()) {
            let kind = self.scene.molecules()[first.0 as usize].kind;
            let bound = self.scene.type_of(*first).bound;
            x += f64::from(bound.radius);
            let pose = Pose::from_translation(DVec3::X * x - bound.center.as_dvec3());
            x += f64::from(bound.radius) + GAP;
            firsts.push(*first);
            row.push(Molecule { kind, pose });
        }
        let row = self.scene.with_molecules(row);
        let mut pairs = OverlapSearch { inside_molecules: true, ..search }.overlaps_unsorted(&row);
        for pair in &mut pairs {
            let molecule = firsts[pair.first.molecule.0 as usize];
            (pair.first.molecule, pair.second.molecule) = (molecule, molecule);
        }
        pairs
    }

    /// The same pair in each copy of its molecule.
    fn of(&self, pair: Overlap) -> impl Iterator<Item = Overlap> + '_ {
        let kind = self.scene.molecules()[pair.first.molecule.0 as usize].kind;
        self.of_type[kind.0 as usize].iter().map(move |&molecule| {
            let mut copy = pair;
            (copy.first.molecule, copy.second.molecule) = (molecule, molecule);
            copy
        })
    }
}
