//! The input language of packmol: what is packed, how often, and where.
//!
//! How it works: [`read_packmol`] turns the text into a [`PackmolInput`], and [`Template::read`] the molecule files that it names.
//! [`write_packed`] writes a packed system with the order, the names and the numbers that packmol gives it, so that what follows a
//! packing goes on working. Every keyword of packmol is known here: what cannot be honoured is refused with the reason, and what
//! does not apply is a warning.

mod keywords;
mod read;
mod shapes;
mod structure;
mod template;
mod words;
mod write;
mod write_pdb;

use std::path::PathBuf;

use glam::DVec3;

pub use keywords::{KEYWORDS, Keyword, Treatment};
pub use read::read_packmol;
pub use template::{Template, TemplateAtom};
pub use write::{PackedMolecule, write_crd, write_packed};

/// Most molecules of one `structure`.
pub const MOST_MOLECULES: u64 = 100_000_000;
/// The seed of packmol where an input names none.
pub const DEFAULT_SEED: i64 = 1_234_567;

/// An input for packmol.
///
/// ```
/// use steric_model::formats::packmol::read_packmol;
///
/// let text = b"tolerance 2.0\noutput box.pdb\nstructure water.pdb\n number 1000\n inside cube 0. 0. 0. 31.\nend structure\n";
/// let input = read_packmol(text, "water.inp".as_ref())?.value;
/// assert_eq!((input.tolerance, input.structures[0].number), (2.0, 1000));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PackmolInput {
    /// Atoms of different molecules stay this far apart, in angstroms, where no radius says otherwise.
    pub tolerance: f64,
    /// What the molecule files and the result are.
    pub file_type: FileType,
    /// The result; packmol also takes it from the command line.
    pub output: Option<PathBuf>,
    /// The seed as the file has it; -1 asks for one from the clock.
    pub seed: i64,
    /// What is packed, in order.
    pub structures: Vec<PackmolStructure>,
    /// The least and the greatest corner of the periodic box.
    pub periodic: Option<(DVec3, DVec3)>,
    /// Half the width of the space in which molecules are looked for where nothing bounds them, in angstroms.
    pub sidemax: f64,
    /// Whether molecules start clear of fixed ones.
    pub avoid_overlap: bool,
    /// Whether only the start is wanted.
    pub check: bool,
    /// Poses of all molecules to start from.
    pub restart_from: Option<PathBuf>,
    /// Where to write the poses of all molecules.
    pub restart_to: Option<PathBuf>,
    /// How the result is written.
    pub layout: Layout,
}

/// How a result is written.
///
/// ```
/// use steric_model::formats::packmol::Layout;
///
/// assert!(!Layout::default().ter_between_molecules);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// A TER line behind every molecule.
    pub ter_between_molecules: bool,
    /// TER lines of the templates are kept.
    pub keep_ter: bool,
    /// A CRYST1 line without a periodic box: what is added to every edge, in angstroms.
    pub box_sides: Option<f64>,
    /// Serials and residue numbers in base sixteen.
    pub hexadecimal: bool,
    /// No CONECT lines.
    pub ignore_conect: bool,
    /// The same result as a CHARMM coordinate file.
    pub crd: Option<PathBuf>,
}

/// What the molecule files of an input are.
///
/// ```
/// use steric_model::formats::packmol::FileType;
///
/// assert_eq!(FileType::default(), FileType::Pdb);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileType {
    /// The PDB's fixed columns.
    #[default]
    Pdb,
    /// Symbols and coordinates.
    Xyz,
    /// Tinker's coordinates, with types and bonds.
    Tinker,
}

/// A `structure … end structure`.
///
/// ```
/// use steric_model::formats::packmol::read_packmol;
///
/// let text = b"tolerance 2\noutput o.pdb\nstructure a.pdb\n center\n fixed 0 0 0 0 0 0\n chain X\nend structure\n";
/// let protein = &read_packmol(text, "a.inp".as_ref())?.value.structures[0];
/// assert!(protein.fixed.is_some() && protein.center);
/// assert_eq!(protein.chain, Some('X'));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PackmolStructure {
    /// Its line in the input.
    pub line: usize,
    /// The molecule file.
    pub file: PathBuf,
    /// How many molecules.
    pub number: u64,
    /// Where a fixed molecule stands, in angstroms, and how it is turned about x, y and z, in radians.
    pub fixed: Option<(DVec3, DVec3)>,
    /// Whether `fixed` is meant for the centre of the atoms instead of the file's origin.
    pub center: bool,
    /// What holds it.
    pub constraints: Vec<Constraint>,
    /// Packmol's angles about x, y and z: middle and half width, in radians.
    pub rotation: [Option<(f64, f64)>; 3],
    /// Half of the distance that its atoms keep, in angstroms; later entries for some atoms (from 0) count more.
    pub radii: Vec<(Option<Vec<u32>>, f64)>,
    /// How residues are numbered: 0 by molecule, 1 as in the file, 2 onwards through all structures, 3 by molecule of all structures.
    pub residue_numbers: Option<u8>,
    /// The chain of every molecule.
    pub chain: Option<char>,
    /// Whether molecules take turns between two chains.
    pub change_chains: bool,
    /// The segment of a CHARMM file.
    pub segment: String,
    /// Whether CONECT lines are written.
    pub connect: bool,
    /// Poses of its molecules to start from.
    pub restart_from: Option<PathBuf>,
    /// Where to write the poses of its molecules.
    pub restart_to: Option<PathBuf>,
}

/// A part of space, and on which side of its boundary atoms stay.
///
/// ```
/// use steric_model::formats::packmol::{Shape, read_packmol};
///
/// let text = b"tolerance 2\noutput o.pdb\nstructure a.pdb\n atoms 1 2\n  over plane 0 0 1 5\n end atoms\nend structure\n";
/// let constraint = &read_packmol(text, "a.inp".as_ref())?.value.structures[0].constraints[0];
/// assert_eq!(constraint.atoms, Some(vec![0, 1]));
/// assert!(!constraint.inside && matches!(constraint.shape, Shape::Plane { offset: 5.0, .. }));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Its line in the input.
    pub line: usize,
    /// The atoms, counted from 0; all of them if none is named.
    pub atoms: Option<Vec<u32>>,
    /// Inside, or below; else outside, or above.
    pub inside: bool,
    /// The part of space.
    pub shape: Shape,
}

/// The shapes of packmol.
///
/// ```
/// use glam::DVec3;
/// use steric_model::formats::packmol::Shape;
///
/// let cube = Shape::Box { low: DVec3::ZERO, high: DVec3::splat(40.0) };
/// assert_ne!(cube, Shape::Sphere { center: DVec3::ZERO, radius: 40.0 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A box or a cube along the axes.
    Box {
        /// Its least corner.
        low: DVec3,
        /// Its greatest corner.
        high: DVec3,
    },
    /// A sphere.
    Sphere {
        /// Its centre.
        center: DVec3,
        /// Its radius, in angstroms.
        radius: f64,
    },
    /// An ellipsoid along the axes.
    Ellipsoid {
        /// Its centre.
        center: DVec3,
        /// Half of its width along x, y and z, in angstroms.
        semi_axes: DVec3,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// The middle of one end.
        start: DVec3,
        /// The middle of the other end.
        end: DVec3,
        /// Its radius, in angstroms.
        radius: f64,
    },
    /// All below a plane: the points with `normal · point <= offset`.
    Plane {
        /// The normal, of length one.
        normal: DVec3,
        /// Where the plane cuts the normal, in angstroms from the origin.
        offset: f64,
    },
    /// All below a hill over the xy plane: `z <= base + height · exp(−(x−x0)²/2a² − (y−y0)²/2b²)`.
    Gauss {
        /// The middle x0, y0 and the base.
        middle: DVec3,
        /// Its widths a and b, in angstroms.
        widths: [f64; 2],
        /// How high it rises over the base, in angstroms.
        height: f64,
    },
}
