//! Packs molecules into space, by packmol's rules.
//!
//! How it works: [`pack`] places the molecules of a [`PackmolInput`] within their walls, evenly but turned at random, and lets a
//! relaxation push them apart. Molecules that stay stuck are put where there is more room. The relaxation ends when no two atoms of
//! different molecules are nearer than they may be and every wall is kept, or when nothing gets better; then the [`PackReport`] says
//! what is still wrong, and [`Infeasible`] why it cannot be right.

mod euler;
mod poses;
mod relocate;
mod report;
mod run;
mod start;
mod system;
mod verdict;
mod wall;

use std::ops::ControlFlow;
use std::path::PathBuf;

use steric_model::Pose;
use steric_model::formats::packmol::{PackmolInput, Template};

pub use euler::{Euler, RotationRange};
pub use poses::{read_restart, write_restart};
pub use report::{PackReport, StructureReport};
pub use verdict::Infeasible;
pub use wall::Wall;

use crate::relax::Iteration;

/// The numbers of a packing.
///
/// ```
/// use steric_world::pack::PackOptions;
///
/// assert_eq!(PackOptions::default().max_iterations, 4_000);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PackOptions {
    /// Chooses the start; the same seed packs the same way.
    pub seed: u64,
    /// At most so many iterations.
    pub max_iterations: u32,
    /// Gives up when the number of molecules in trouble has not fallen for so many iterations.
    pub stall_iterations: u32,
    /// Poses to start from, `world_from_template`, for some of the structures; empty for none.
    pub starts: Vec<Option<Vec<Pose>>>,
}

impl Default for PackOptions {
    fn default() -> Self {
        Self { seed: 1, max_iterations: 4_000, stall_iterations: 600, starts: Vec::new() }
    }
}

/// A packed system.
///
/// ```
/// use std::ops::ControlFlow;
/// use steric_model::formats::packmol::{FileType, Template, read_packmol};
/// use steric_world::pack::{PackOptions, Packing, pack};
///
/// let text = b"tolerance 3.0\nfiletype xyz\nstructure ar.xyz\n number 20\n inside sphere 0 0 0 9\nend structure\n";
/// let input = read_packmol(text, "ar.inp".as_ref())?.value;
/// let argon = Template::read(b"1\nargon\nAr 0 0 0\n", "ar.xyz".as_ref(), FileType::Xyz)?.value;
/// let Packing { poses, report } = pack(&input, &[argon], &PackOptions::default(), |_| ControlFlow::Continue(()))?;
/// assert!(report.is_solved());
/// assert!(poses[0].iter().all(|pose| pose.translation.length() <= 9.01));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Packing {
    /// `world_from_template` of every molecule, the template as it is in its file; a list for each structure.
    pub poses: Vec<Vec<Pose>>,
    /// What came of it.
    pub report: PackReport,
}

/// How far a packing has come.
///
/// ```
/// use steric_world::pack::Progress;
///
/// let progress = Progress { iteration: 3, molecules: 100, seen: Default::default() };
/// assert_eq!(progress.seen.overlapping, 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Iterations so far.
    pub iteration: u32,
    /// How many molecules there are.
    pub molecules: usize,
    /// What the last iteration saw.
    pub seen: Iteration,
}

/// Why an input cannot be packed at all.
///
/// ```
/// use steric_world::pack::PackError;
///
/// let error = PackError::NoSuchAtom { line: 7, atom: 9, file: "water.pdb".into(), atoms: 3 };
/// assert_eq!(error.to_string(), "line 7: expected an atom of water.pdb, which has 3, found atom 9");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PackError {
    /// A group names an atom that the molecule does not have.
    #[error("line {line}: expected an atom of {}, which has {atoms}, found atom {atom}", file.display())]
    NoSuchAtom {
        /// The line of the input.
        line: usize,
        /// The atom, counted from 1.
        atom: u64,
        /// The molecule file.
        file: PathBuf,
        /// How many atoms it has.
        atoms: usize,
    },
    /// More than can be written.
    #[error("expected at most {most} atoms in all, found {atoms}")]
    TooManyAtoms {
        /// All atoms of all molecules.
        atoms: u128,
        /// How many there may be.
        most: u64,
    },
    /// Poses for another number of molecules.
    #[error("expected poses for the {expected} molecules of {}, found {found}", file.display())]
    OtherStart {
        /// The molecule file.
        file: PathBuf,
        /// How many molecules there are.
        expected: usize,
        /// How many poses there are.
        found: usize,
    },
}

/// Packs the molecules of an input; `templates` are its molecule files in order. `watch` sees every iteration and may end the run.
pub fn pack(
    input: &PackmolInput,
    templates: &[Template],
    options: &PackOptions,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Packing, PackError> {
    run::run(input, templates, options, watch)
}
