//! What a check found.

use std::fmt;

use rustc_hash::FxHashMap;
use serde::Serialize;
use steric_collide::Overlap;
use steric_model::chemistry::ClashDefinition;
use steric_model::{AtomId, Molecules, Structure};

use super::label::distinct_names;
use super::{AtomLabel, Input};

/// What a check found, from the totals down to each pair.
///
/// ```
/// use steric::prelude::*;
///
/// let lipids = [Input::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb"))?];
/// let report = check(&lipids, &CheckOptions { top: 1, ..CheckOptions::default() })?;
/// assert_eq!(report.pairs().len() as u64, report.overlaps);
/// let deepest = report.pairs().iter().max_by(|a, b| a.depth.total_cmp(&b.depth));
/// assert_eq!(deepest.map(|&pair| report.named(&lipids, pair).depth), Some(report.worst[0].depth));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The files, as the caller named them.
    pub files: Vec<String>,
    /// Atoms that took part, each copy counted.
    pub atoms: u64,
    /// Molecules, each copy counted.
    pub molecules: u64,
    /// What counted as a molecule, file by file.
    pub molecules_by: Vec<String>,
    /// Whether the box was taken as periodic.
    pub periodic: bool,
    /// Pairs of atoms that clash.
    pub overlaps: u64,
    /// Molecules with at least one clash.
    pub molecules_overlapping: u64,
    /// The definition in a sentence.
    pub definition: String,
    /// The score, if the definition has one.
    pub score: Option<Score>,
    /// The deepest pairs, deepest first.
    pub worst: Vec<Pair>,
    /// Which species clash with which, most overlaps first.
    pub species: Vec<SpeciesPair>,
    /// What did the search.
    pub backend: String,
    /// How many threads it had.
    pub threads: usize,
    /// How long it took.
    pub seconds: Seconds,
    #[serde(skip)]
    pairs: Vec<Overlap>,
    #[serde(skip)]
    scene: Molecules,
    #[serde(skip)]
    copied: Vec<bool>,
    #[serde(skip)]
    names: Vec<String>,
}

/// Two atoms that clash.
///
/// ```
/// use steric::prelude::*;
///
/// let lipids = [Input::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb"))?];
/// let report = check(&lipids, &CheckOptions::default())?;
/// let pair = report.named(&lipids, report.pairs()[0]);
/// assert_eq!(pair.to_string(), format!("{:.3} Å  {} – {}", pair.depth, pair.first, pair.second));
/// assert_ne!(pair.first.chain, pair.second.chain, "each lipid is a chain of its own");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Interpenetration in angstroms, hydrogen-bond allowances taken off.
    pub depth: f32,
    /// The atom of the smaller id.
    pub first: AtomLabel,
    /// The atom of the larger id.
    pub second: AtomLabel,
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} Å  {} – {}", self.depth, self.first, self.second)
    }
}

/// How often two species clash.
///
/// ```
/// use steric::prelude::*;
///
/// let lipids = [Input::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb"))?];
/// let report = check(&lipids, &CheckOptions::default())?;
/// let [pair] = &report.species[..] else { panic!("there are only lipids") };
/// assert_eq!((pair.first.as_str(), pair.second.as_str()), ("POP", "POP"));
/// assert_eq!((pair.overlaps, pair.deepest), (report.overlaps, report.worst[0].depth));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpeciesPair {
    /// One species.
    pub first: String,
    /// The other, or the same.
    pub second: String,
    /// Pairs of atoms that clash.
    pub overlaps: u64,
    /// The deepest of them, in angstroms.
    pub deepest: f32,
}

/// A score under its own name.
///
/// ```
/// use steric::prelude::*;
///
/// let lipids = [Input::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb"))?];
/// let options = CheckOptions { clash: ClashDefinition::HeavyAtoms, ..CheckOptions::default() };
/// let report = check(&lipids, &options)?;
/// let score = report.score.ok_or("this definition has a score")?;
/// assert_eq!(score.name, "heavy-atom clash score");
/// assert_eq!(score.value, report.overlaps as f64 * 1000.0 / report.atoms as f64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// What it is called.
    pub name: &'static str,
    /// Clashes per thousand atoms.
    pub value: f64,
}

/// Wall-clock times in seconds.
///
/// ```
/// use steric::prelude::*;
///
/// let lipids = [Input::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb"))?];
/// let seconds = check(&lipids, &CheckOptions::default())?.seconds;
/// assert_eq!(seconds.read, lipids[0].read.as_secs_f64());
/// assert!(seconds.index > 0.0 && seconds.detect > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Seconds {
    /// Reading the files.
    pub read: f64,
    /// Making molecules, radii and sphere trees.
    pub index: f64,
    /// Searching and judging.
    pub detect: f64,
}

impl Report {
    pub(super) fn new(
        inputs: &[Input],
        scene: Molecules,
        pairs: Vec<Overlap>,
        definition: ClashDefinition,
        top: usize,
        seconds: Seconds,
    ) -> Self {
        let atoms = scene.scene().atoms();
        let score = score(inputs, &scene, definition, pairs.len() as u64);
        let files = inputs.len() as u32;
        let mut report = Self {
            files: inputs.iter().map(|input| input.path.display().to_string()).collect(),
            atoms,
            molecules: scene.scene().molecules().len() as u64,
            molecules_by: (0..files).map(|file| scene.by_words(file)).collect(),
            periodic: scene.scene().periodic_box().is_some(),
            overlaps: pairs.len() as u64,
            molecules_overlapping: molecules_overlapping(&scene, &pairs),
            definition: definition.to_string(),
            score,
            worst: Vec::new(),
            species: species(&scene, &pairs),
            backend: "cpu".to_owned(),
            threads: rayon::current_num_threads(),
            seconds,
            copied: (0..files).map(|file| scene.copies(file) > 1).collect(),
            names: distinct_names(inputs),
            pairs,
            scene,
        };
        report.worst = report.deepest(top).map(|pair| report.named(inputs, pair)).collect();
        report
    }

    /// Every pair that clashes, sorted by atom ids.
    pub fn pairs(&self) -> &[Overlap] {
        &self.pairs
    }

    /// The scene that was searched, and the way back from its atoms.
    pub fn scene(&self) -> &Molecules {
        &self.scene
    }

    /// A pair in the words of its files, which must be the ones that were checked.
    pub fn named(&self, inputs: &[Input], pair: Overlap) -> Pair {
        Pair { depth: pair.depth, first: self.label(inputs, pair.first), second: self.label(inputs, pair.second) }
    }

    fn label(&self, inputs: &[Input], atom: AtomId) -> AtomLabel {
        let origin = self.scene.origin(atom);
        let input = &inputs[origin.file as usize];
        let structure: &Structure = &input.structure;
        AtomLabel::new(&self.names[origin.file as usize], structure, origin, self.copied[origin.file as usize])
    }

    /// Deepest first, ties by atom ids.
    fn deepest(&self, count: usize) -> impl Iterator<Item = Overlap> + use<> {
        let order =
            |a: &Overlap, b: &Overlap| b.depth.total_cmp(&a.depth).then((a.first, a.second).cmp(&(b.first, b.second)));
        // A few thousand candidates at a time: there may be millions of pairs.
        let mut deepest: Vec<Overlap> = Vec::new();
        for some in self.pairs.chunks(count.max(4_096)) {
            deepest.extend_from_slice(some);
            deepest.sort_unstable_by(order);
            deepest.truncate(count);
        }
        deepest.into_iter()
    }
}

fn score(inputs: &[Input], scene: &Molecules, definition: ClashDefinition, clashes: u64) -> Option<Score> {
    let name = definition.score_name()?;
    let atoms = scene.count(|file, atom| definition.counts(&inputs[file as usize].structure, atom));
    definition.score(clashes, atoms).map(|value| Score { name, value })
}

fn molecules_overlapping(scene: &Molecules, pairs: &[Overlap]) -> u64 {
    let mut seen = vec![false; scene.scene().molecules().len()];
    for pair in pairs {
        seen[pair.first.molecule.0 as usize] = true;
        seen[pair.second.molecule.0 as usize] = true;
    }
    seen.into_iter().filter(|&seen| seen).count() as u64
}

fn species(scene: &Molecules, pairs: &[Overlap]) -> Vec<SpeciesPair> {
    let mut sums: FxHashMap<(u32, u32), (u64, f32)> = FxHashMap::default();
    for pair in pairs {
        let (a, b) = (scene.species_of(pair.first.molecule), scene.species_of(pair.second.molecule));
        let (count, deepest) = sums.entry((a.min(b), a.max(b))).or_insert((0, f32::NEG_INFINITY));
        *count += 1;
        *deepest = deepest.max(pair.depth);
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_unstable_by_key(|&(species, (count, _))| (std::cmp::Reverse(count), species));
    let name = |species: u32| scene.species()[species as usize].to_string();
    sums.into_iter()
        .map(|((a, b), (overlaps, deepest))| SpeciesPair { first: name(a), second: name(b), overlaps, deepest })
        .collect()
}
