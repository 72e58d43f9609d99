//! Overlaps of a scene, found on the GPU.
//!
//! How it works: a scene that fits is searched at once. A larger one is searched in parts, slabs along its longest axis:
//! each part holds the molecules that it is to search for and those that they might touch. A pair is counted twice, once for each of
//! its two atoms where that one is searched for, so a count needs no care at the seams.

mod parts;

use rayon::prelude::*;
use steric_collide::{IndexKind, Overlap, OverlapSearch};
use steric_model::{AtomId, Molecule, MoleculeId, Scene};

use crate::device::{Gpu, GpuError, Memory, Stage};
use crate::field::{Field, Layout, Wanted};
use crate::kernels::{PartWords, Tally, tally_stage};
use parts::Part;

/// Searches scenes on a GPU.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::OverlapSearch;
/// use steric_gpu::{Gpu, GpuSearch};
/// use steric_model::{Pose, Scene};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// for x in [0.0, 2.9, 9.0] {
///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * x));
/// }
/// if let Some(gpu) = Gpu::software() {
///     assert_eq!(GpuSearch::new(&gpu, OverlapSearch::default()).count(&scene)?, 1);
/// }
/// # Ok::<(), steric_gpu::GpuError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GpuSearch {
    gpu: Gpu,
    search: OverlapSearch,
    atoms_per_part: u64,
}

impl GpuSearch {
    /// A search on this GPU.
    pub fn new(gpu: &Gpu, search: OverlapSearch) -> Self {
        // The largest arrays have sixteen bytes for each atom; a part has its neighbours, too.
        let atoms_per_part = (gpu.adapter().largest_binding / 16 * 3 / 4).min(96_000_000);
        Self { gpu: gpu.clone(), search, atoms_per_part }
    }

    /// The same search in parts of at most about so many atoms.
    pub fn in_parts_of(self, atoms_per_part: u64) -> Self {
        Self { atoms_per_part: atoms_per_part.max(1), ..self }
    }

    /// How many pairs of atoms overlap.
    pub fn count(&self, scene: &Scene) -> Result<u64, GpuError> {
        let mut ordered = 0;
        self.each_part(scene, |field, _, _| {
            ordered += self.count_in(field, |groups_found| Tally::Count { groups_found, once: false })?;
            Ok(())
        })?;
        Ok(ordered / 2)
    }

    /// How many pairs overlap, by comparing every atom with every other: the truth, and slow. For scenes without a box, in
    /// one part.
    pub fn count_all_pairs(&self, scene: &Scene) -> Result<u64, GpuError> {
        if scene.periodic_box().is_some() || self.search.inside_molecules {
            return Err(GpuError::OnCpuAlone("all pairs in a box or inside molecules"));
        }
        let Some(layout) = self.layout(scene, scene.molecules(), scene.molecules().len())? else { return Ok(0) };
        let field = Field::new(&self.gpu, &layout)?;
        self.gpu.run(&field.find_stages()[..1]);
        Ok(self.count_in(&field, |groups_found| Tally::AllPairs { groups_found })? / 2)
    }

    /// All overlaps, sorted by `(first, second)`.
    pub fn overlaps(&self, scene: &Scene) -> Result<Vec<Overlap>, GpuError> {
        let mut found = Vec::new();
        self.each_part(scene, |field, layout, part| {
            found.extend(self.list_in(scene, field, layout, part)?);
            Ok(())
        })?;
        found.par_sort_unstable_by_key(|overlap| (overlap.first, overlap.second));
        Ok(found)
    }

    /// How many overlaps each molecule takes part in, by molecule id.
    pub fn overlaps_per_molecule(&self, scene: &Scene) -> Result<Vec<u32>, GpuError> {
        let mut counts = vec![0; scene.molecules().len()];
        self.each_part(scene, |field, layout, part| {
            let molecules = layout.words.molecules as usize;
            let mut memory = Memory::new(&self.gpu);
            let per_molecule = memory.zeros("per molecule", 4 * molecules as u64)?;
            self.gpu.run([&tally_stage(&self.gpu, field, Tally::PerMolecule { per_molecule: &per_molecule })]);
            let found: Vec<u32> = self.gpu.read(&per_molecule, molecules)?;
            for (local, &id) in part.ids.iter().take(part.owned).enumerate() {
                counts[id as usize] = found[local];
            }
            Ok(())
        })?;
        Ok(counts)
    }

    /// Finds the near clusters of each part and shows it.
    fn each_part(
        &self,
        scene: &Scene,
        mut look: impl FnMut(&Field, &Layout, &Part) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        for part in parts::parts(scene, self.atoms_per_part, -self.search.allow) {
            let molecules: Vec<Molecule> = part.ids.iter().map(|&id| scene.molecules()[id as usize]).collect();
            let Some(layout) = self.layout(scene, &molecules, part.owned)? else { continue };
            let mut field = Field::new(&self.gpu, &layout)?;
            field.find()?;
            look(&field, &layout, &part)?;
        }
        Ok(())
    }

    /// How molecules are laid out; nothing if none of them could touch.
    fn layout(&self, scene: &Scene, molecules: &[Molecule], owned: usize) -> Result<Option<Layout>, GpuError> {
        let Some((_, most)) = scene.radii().filter(|_| !molecules.is_empty()) else { return Ok(None) };
        let reach = -self.search.allow;
        if 2.0 * most + reach <= 0.0 {
            return Ok(None);
        }
        let OverlapSearch { inside_molecules, index, .. } = self.search;
        let layout = Layout::new(scene, molecules, owned, Wanted { reach, skin: 0.0, inside_molecules, index })?;
        Ok((layout.words.clusters > 0).then_some(layout))
    }

    fn count_in(
        &self,
        field: &Field,
        tally: impl for<'b> FnOnce(&'b wgpu::Buffer) -> Tally<'b>,
    ) -> Result<u64, GpuError> {
        let groups = field.threads().div_ceil(64) as usize;
        let groups_found = Memory::new(&self.gpu).zeros("groups found", 4 * groups as u64)?;
        self.gpu.run([&tally_stage(&self.gpu, field, tally(&groups_found))]);
        let found: Vec<u32> = self.gpu.read(&groups_found, groups)?;
        Ok(found.par_iter().map(|&count| u64::from(count)).sum())
    }

    fn list_in(&self, scene: &Scene, field: &Field, layout: &Layout, part: &Part) -> Result<Vec<Overlap>, GpuError> {
        let groups = field.threads().div_ceil(64) as usize;
        let mut memory = Memory::new(&self.gpu);
        let groups_found = memory.zeros("groups found", 4 * groups as u64)?;
        self.gpu.run([&tally_stage(&self.gpu, field, Tally::Count { groups_found: &groups_found, once: true })]);
        let counts: Vec<u32> = self.gpu.read(&groups_found, groups)?;
        let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if total > u64::from(u32::MAX) {
            return Err(GpuError::TooMany { what: "overlaps in one list", found: total, most: u32::MAX.into() });
        }
        let firsts = first_of_each(&counts);
        self.gpu.write(&groups_found, &firsts[..groups]);
        let most = (self.gpu.adapter().largest_binding / 12).min(16 << 20);
        let room = total.min(most).max(counts.iter().copied().max().unwrap_or(0).into());
        let found = memory.zeros("found", 12 * room)?;
        let names = Names { scene, layout, part };
        let mut overlaps = Vec::with_capacity(total as usize);
        let mut first = 0;
        while first < groups {
            let fits = |&end: &usize| u64::from(firsts[end]) - u64::from(firsts[first]) <= room;
            let end = (first + 1..=groups).take_while(fits).last().unwrap_or(first + 1);
            let words = PartWords { first_group: first as u32, first_pair: firsts[first], ..PartWords::default() };
            let range = memory.uniform("part", &words);
            let stage: Stage = tally_stage(
                &self.gpu,
                field,
                Tally::List { groups_found: &groups_found, found: &found, part: &range, groups: (end - first) as u64 },
            );
            self.gpu.run([&stage]);
            let pairs: Vec<[u32; 3]> = self.gpu.read(&found, (firsts[end] - firsts[first]) as usize)?;
            overlaps.par_extend(pairs.par_iter().filter_map(|&pair| names.overlap(pair)));
            first = end;
        }
        Ok(overlaps)
    }
}

/// The sum before each count, and the whole at the end.
fn first_of_each(counts: &[u32]) -> Vec<u32> {
    let mut sum = 0;
    let mut firsts: Vec<u32> = counts
        .iter()
        .map(|&count| {
            sum += count;
            sum - count
        })
        .collect();
    firsts.push(sum);
    firsts
}

/// Which atom of the scene a number on the GPU is.
struct Names<'a> {
    scene: &'a Scene,
    layout: &'a Layout,
    part: &'a Part,
}

impl Names<'_> {
    fn atom(&self, number: u32) -> AtomId {
        let (cluster, lane) = (number / self.layout.lanes, number % self.layout.lanes);
        let local = self.layout.first_clusters.partition_point(|&first| first <= cluster) - 1;
        let id = self.part.ids[local];
        let first = self.scene.type_of(MoleculeId(id)).clusters.start;
        let own = first + cluster - self.layout.first_clusters[local];
        AtomId::new(id, self.scene.clusters()[own as usize].atoms[lane as usize])
    }

    /// An overlap by the names of its atoms; nothing if another part tells of it.
    fn overlap(&self, [first, second, depth]: [u32; 3]) -> Option<Overlap> {
        let is_met = second / self.layout.lanes >= self.layout.first_clusters[self.part.owned];
        let (a, b) = (self.atom(first), self.atom(second));
        if is_met && a.molecule > b.molecule {
            return None;
        }
        Some(Overlap { first: a.min(b), second: a.max(b), depth: f32::from_bits(depth) })
    }
}

/// The kinds of cells that a search on the GPU can be told to use.
pub const KINDS: [IndexKind; 3] = [IndexKind::Auto, IndexKind::Dense, IndexKind::Wrapped];
