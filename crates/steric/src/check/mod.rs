//! Is a model free of clashes? One call from files to a report.
//!
//! How it works: the files become one scene, with the radii of the clash definition. The search finds every pair of
//! atoms of different molecules that is near enough; definitions that also look inside molecules search one copy of
//! each type once more, because all its copies are alike. Each pair is then judged by the definition. Bonds are only
//! looked for when a pair asks for them, so a clean model and copies that touch other copies never pay for them.

mod judge;
mod label;
mod report;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use label::AtomLabel;
pub use report::{Pair, Report, Score, Seconds, SpeciesPair};
use steric_gpu::{Gpu, GpuError};
use steric_model::chemistry::{BondGraph, Chemistry, ClashDefinition};
use steric_model::{
    Instant, MoleculeOptions, Molecules, MoleculesBy, MoleculesError, ReadError, Source, Structure, Warnings, formats,
};

/// A molecule file that was read.
///
/// ```
/// use steric::model::{AtomRecord, StructureBuilder, Warnings};
/// use steric::prelude::*;
///
/// let lipids = Input::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb"))?;
/// assert_eq!((lipids.name().as_str(), lipids.structure.residues.len()), ("popc.pdb", 5));
/// let mut builder = StructureBuilder::new("probe", 1);
/// builder.push(AtomRecord::default());
/// let made = Input::new("probe", builder.finish(), Warnings::default());
/// assert_eq!(check(&[lipids, made], &CheckOptions::default())?.files.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Input {
    /// The file as the caller named it.
    pub path: PathBuf,
    /// What it holds.
    pub structure: Structure,
    /// What was odd about it.
    pub warnings: Warnings,
    /// How long it took to read.
    pub read: Duration,
}

impl Input {
    /// Reads a file of any known format, plain or gzipped.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        let start = Instant::now();
        let path = path.as_ref();
        let parsed = formats::read(path)?;
        Ok(Self { read: start.elapsed(), ..Self::new(path, parsed.value, parsed.warnings) })
    }

    /// A structure that was made or read by other means.
    pub fn new(path: impl Into<PathBuf>, structure: Structure, warnings: Warnings) -> Self {
        Self { path: path.into(), structure, warnings, read: Duration::ZERO }
    }

    /// The file's own name, without its folder.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(|| "structure".to_owned(), |name| name.to_string_lossy().into_owned())
    }
}

/// What counts as a molecule, what as a clash, and how much of it to report.
///
/// ```
/// use steric::prelude::*;
///
/// let lipids = [Input::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb"))?];
/// let clash = ClashDefinition::Radii { set: RadiiSet::Bondi, allow: 0.5 };
/// let report = check(&lipids, &CheckOptions { clash, top: 3, ..CheckOptions::default() })?;
/// assert_eq!(report.definition, clash.to_string());
/// assert_eq!(report.worst.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CheckOptions {
    /// What counts as a molecule, and which copies stand where.
    pub molecules: MoleculeOptions,
    /// What counts as a clash. MolProbity's becomes the heavy-atom variant where hydrogens are missing.
    pub clash: ClashDefinition,
    /// How many of the worst pairs the report shows.
    pub top: usize,
}

impl Default for CheckOptions {
    /// packmol's tolerance of 2.0 A, and the ten worst pairs.
    fn default() -> Self {
        Self { molecules: MoleculeOptions::default(), clash: ClashDefinition::Tolerance(2.0), top: 10 }
    }
}

/// Why a check could not be made.
///
/// ```
/// use steric::prelude::*;
///
/// let nothing = check(&[], &CheckOptions::default()).expect_err("there is nothing to check");
/// assert_eq!(nothing, CheckError::NoFiles);
/// assert_eq!(nothing.to_string(), "expected at least one file, found none");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The files could not become molecules.
    #[error(transparent)]
    Molecules(#[from] MoleculesError),
    /// There is nothing to check.
    #[error("expected at least one file, found none")]
    NoFiles,
    /// A tolerance or an allowance that no search can use.
    #[error("expected {expected}, found {found}")]
    Distance {
        /// What the number should be.
        expected: &'static str,
        /// What it is.
        found: f32,
    },
    /// The GPU could not do its part.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// Checks one file, or two and more against each other.
///
/// With one file every pair counts; with several only pairs of different files do.
///
/// ```
/// use steric::model::formats::pdb::read_pdb;
/// use steric::prelude::*;
///
/// let ions = b"HETATM    1 ZN    ZN A   1       0.000   0.000   0.000  1.00  0.00          ZN
/// HETATM    2 ZN    ZN A   2       1.500   0.000   0.000  1.00  0.00          ZN\n";
/// let ions = read_pdb(ions, "ions.pdb".as_ref())?;
/// let report = check(&[Input::new("ions.pdb", ions.value, ions.warnings)], &CheckOptions::default())?;
/// assert_eq!((report.molecules, report.overlaps), (2, 1));
/// assert_eq!(report.worst[0].to_string(), "0.500 Å  A ZN 1 ZN – A ZN 2 ZN");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(inputs: &[Input], options: &CheckOptions) -> Result<Report, CheckError> {
    check_by(inputs, options, |_| Ok(None))
}

/// As [`check`], with the search between molecules on a GPU, if one is chosen for so many atoms. What a GPU does not search is
/// searched on the processor. Depths differ from the processor's by less than 1e-4 angstroms.
///
/// ```
/// use steric::gpu::Gpu;
/// use steric::prelude::*;
///
/// let lipids = [Input::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb"))?];
/// let report = steric::check::check_by(&lipids, &CheckOptions::default(), |atoms| {
///     assert!(atoms > 0);
///     Ok(Gpu::software())
/// })?;
/// assert_eq!(report.overlaps, check(&lipids, &CheckOptions::default())?.overlaps);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_by(
    inputs: &[Input],
    options: &CheckOptions,
    choose: impl FnOnce(u64) -> Result<Option<Gpu>, GpuError>,
) -> Result<Report, CheckError> {
    if inputs.is_empty() {
        return Err(CheckError::NoFiles);
    }
    check_distances(options.clash)?;
    let definition = definition_for(inputs, options.clash);
    let start = Instant::now();
    let prepared: Vec<Prepared> =
        inputs.iter().map(|input| Prepared::new(input, definition, options.molecules.by)).collect();
    let molecules = molecules(inputs, &prepared, definition, &options.molecules)?;
    let index = start.elapsed();
    let gpu = choose(molecules.scene().atoms())?;
    let start = Instant::now();
    let (near, gpu) = judge::near(molecules.scene(), definition, gpu.as_ref())?;
    let pairs = judge::clashes(inputs, prepared, &molecules, definition, near);
    let detect = start.elapsed();
    let seconds = Seconds {
        read: inputs.iter().map(|input| input.read.as_secs_f64()).sum(),
        index: index.as_secs_f64(),
        detect: detect.as_secs_f64(),
    };
    let mut report = Report::new(inputs, molecules, pairs, definition, options.top, seconds);
    if let Some(gpu) = gpu {
        report.backend.clone_from(&gpu.adapter().name);
    }
    Ok(report)
}

fn check_distances(clash: ClashDefinition) -> Result<(), CheckError> {
    // A metre of tolerance is a slip of the keyboard, and every atom would meet every other.
    match clash {
        ClashDefinition::Tolerance(found) if !(found > 0.0 && found <= 100.0) => {
            Err(CheckError::Distance { expected: "a tolerance above 0 and at most 100 angstroms", found })
        }
        ClashDefinition::Radii { allow: found, .. } if !(-100.0..=100.0).contains(&found) => {
            Err(CheckError::Distance { expected: "an allowance from -100 to 100 angstroms", found })
        }
        _ => Ok(()),
    }
}

/// One file without hydrogens makes all of them heavy-atom models.
fn definition_for(inputs: &[Input], asked: ClashDefinition) -> ClashDefinition {
    let lacks_hydrogens =
        |input: &Input| ClashDefinition::molprobity_for(&input.structure) == ClashDefinition::HeavyAtoms;
    match asked {
        ClashDefinition::MolProbity if inputs.iter().any(lacks_hydrogens) => ClashDefinition::HeavyAtoms,
        asked => asked,
    }
}

/// What is known about a file before the search: radii, and bonds if the definition or the molecules need them.
struct Prepared {
    chemistry: Option<Chemistry>,
    radii: Vec<f32>,
    connected: Vec<u32>,
}

impl Prepared {
    fn new(input: &Input, definition: ClashDefinition, by: MoleculesBy) -> Self {
        let structure = &input.structure;
        let connected = by == MoleculesBy::Connected;
        if matches!(definition, ClashDefinition::Tolerance(_)) && !connected {
            let radii = definition.radii(structure, &BondGraph::default());
            return Self { chemistry: None, radii, connected: Vec::new() };
        }
        let chemistry = Chemistry::new(structure);
        let radii = definition.radii(structure, &chemistry.bonds);
        let connected = if connected { chemistry.molecules.clone() } else { Vec::new() };
        Self { chemistry: Some(chemistry), radii, connected }
    }
}

fn molecules(
    inputs: &[Input],
    prepared: &[Prepared],
    definition: ClashDefinition,
    options: &MoleculeOptions,
) -> Result<Molecules, MoleculesError> {
    let names: Vec<String> = inputs.iter().map(Input::name).collect();
    let takes_part: Vec<_> =
        inputs.iter().map(|input| |atom: u32| definition.takes_part(&input.structure, atom)).collect();
    let sources: Vec<Source<'_>> = (0..inputs.len())
        .map(|file| Source {
            name: &names[file],
            structure: &inputs[file].structure,
            radii: &prepared[file].radii,
            takes_part: &takes_part[file],
            connected: &prepared[file].connected,
        })
        .collect();
    Molecules::new(&sources, options)
}
