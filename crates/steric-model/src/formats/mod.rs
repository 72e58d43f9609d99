//! Readers and writers, one file per format, and the choice between them.
//!
//! How it works: [`read`] takes the whole file, decompresses it if it begins like gzip (whatever its name), asks the
//! content for its format ([`Format::sniff`]) and, where the content is not certain, the file's ending
//! ([`Format::from_path`]). [`write`](fn@write) goes by the ending alone; it writes a temporary file beside the target
//! and renames it, so that no reader ever meets half a file.

#[allow(dead_code, unused_imports, reason = "the codec's accessors by type are for other readers of tables")]
mod bcif;
pub mod cellpack;
pub mod cif;
pub mod gro;
mod gzip;
pub mod mesh;
pub mod mol2;
mod naming;
pub mod packmol;
pub mod parquet;
pub mod pdb;
pub mod pdbqt;
pub mod rig;
pub mod sdf;
mod sdf_v3000;
mod sniff;
pub mod tet_mesh;
mod text;
mod thrift;
pub mod trajectory;
mod write;
pub mod xyz;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::{Parsed, Place, ReadError, Structure};
pub use write::{to_bytes, write, write_bytes};

/// A kind of molecule file.
///
/// ```
/// use steric_model::formats::Format;
///
/// assert_eq!(Format::from_path("packed.gro.gz"), Some(Format::Gro));
/// assert_eq!(Format::Mmcif.extensions()[0], "cif");
/// let written: Vec<_> = Format::ALL.into_iter().filter(|format| format.is_written()).map(Format::name).collect();
/// assert_eq!(written, ["PDB", "mmCIF", "BinaryCIF", "GRO", "XYZ"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// The PDB's fixed columns.
    Pdb,
    /// AutoDock's PDB with charges and types.
    Pdbqt,
    /// The PDB's tables as text.
    Mmcif,
    /// The same tables, packed.
    Bcif,
    /// GROMACS coordinates.
    Gro,
    /// Symbols and coordinates.
    Xyz,
    /// MDL connection tables, one or many.
    Sdf,
    /// Tripos molecules.
    Mol2,
    /// The result of a cellPACK packing.
    CellPack,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 9] =
        [Self::Pdb, Self::Pdbqt, Self::Mmcif, Self::Bcif, Self::Gro, Self::Xyz, Self::Sdf, Self::Mol2, Self::CellPack];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pdb => "PDB",
            Self::Pdbqt => "PDBQT",
            Self::Mmcif => "mmCIF",
            Self::Bcif => "BinaryCIF",
            Self::Gro => "GRO",
            Self::Xyz => "XYZ",
            Self::Sdf => "SDF",
            Self::Mol2 => "MOL2",
            Self::CellPack => "cellPACK result",
        }
    }

    /// The endings of its files, without the dot; the usual one first.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Pdb => &["pdb", "ent", "pdb1", "brk"],
            Self::Pdbqt => &["pdbqt"],
            Self::Mmcif => &["cif", "mmcif", "mcif"],
            Self::Bcif => &["bcif"],
            Self::Gro => &["gro"],
            Self::Xyz => &["xyz", "extxyz"],
            Self::Sdf => &["sdf", "mol", "sd", "mdl"],
            Self::Mol2 => &["mol2"],
            Self::CellPack => &["json", "cpr", "apr"],
        }
    }

    /// Whether it can be written.
    pub fn is_written(self) -> bool {
        matches!(self, Self::Pdb | Self::Mmcif | Self::Bcif | Self::Gro | Self::Xyz)
    }

    /// The format that a file's ending names, in any case and with or without `.gz`.
    ///
    /// ```
    /// use steric_model::formats::Format;
    ///
    /// assert_eq!(Format::from_path("pdb1crn.ent.gz"), Some(Format::Pdb));
    /// assert_eq!(Format::from_path("notes.txt"), None);
    /// ```
    pub fn from_path(path: impl AsRef<Path>) -> Option<Self> {
        let name = path.as_ref().file_name()?.to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let (_, extension) = name.rsplit_once('.')?;
        Self::ALL.into_iter().find(|format| format.extensions().contains(&extension))
    }

    /// The format of some (decompressed) content, where that leaves no doubt.
    ///
    /// ```
    /// use steric_model::formats::Format;
    ///
    /// assert_eq!(Format::sniff(b"data_1CRN\n_entry.id 1CRN\n"), Some(Format::Mmcif));
    /// ```
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        sniff::sniff(bytes)
    }
}

/// Reads a molecule file of any format, compressed or not.
///
/// ```
/// let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb");
/// let lipids = steric_model::formats::read(path.as_ref())?;
/// assert_eq!((lipids.value.residues.len(), lipids.warnings.total), (5, 0));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read(path: &Path) -> Result<Parsed<Structure>, ReadError> {
    read_file_as(path, |_| true)
}

// A packed scene reads its templates through this, so that a template that is a scene itself is refused.
fn read_file_as(path: &Path, is_welcome: fn(Format) -> bool) -> Result<Parsed<Structure>, ReadError> {
    let bytes = load(path)?;
    read_welcome(&bytes, path, None, is_welcome)
}

/// As [`read`], for a file already in memory; `path` serves messages, the name, and the ending. A `format` given here
/// is not questioned.
///
/// ```
/// use steric_model::formats::{Format, read_bytes};
///
/// let text = b"1\nzinc\nZn 1.0 2.0 3.0\n";
/// assert_eq!(read_bytes(text, "zinc.xyz".as_ref(), None)?.value.atoms.len(), 1);
/// assert_eq!(read_bytes(text, "stdin".as_ref(), Some(Format::Xyz))?.value.name, "zinc");
/// assert!(read_bytes(text, "zinc.xyz".as_ref(), Some(Format::Bcif)).is_err());
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_bytes(bytes: &[u8], path: &Path, format: Option<Format>) -> Result<Parsed<Structure>, ReadError> {
    read_welcome(bytes, path, format, |_| true)
}

fn read_welcome(
    bytes: &[u8],
    path: &Path,
    format: Option<Format>,
    is_welcome: fn(Format) -> bool,
) -> Result<Parsed<Structure>, ReadError> {
    let (bytes, trailing) = decompress(bytes, path)?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(not_a_molecule(path, b"an empty file"));
    }
    let format = format.or_else(|| Format::sniff(&bytes)).or_else(|| Format::from_path(path));
    let format = format.filter(|&format| is_welcome(format)).ok_or_else(|| not_a_molecule(path, &bytes))?;
    let mut parsed = read_as(format, &bytes, path)?;
    if trailing > 0 {
        parsed.warnings.push(Place::File, || format!("{trailing} bytes behind the compressed data were ignored"));
    }
    Ok(parsed)
}

fn read_as(format: Format, bytes: &[u8], path: &Path) -> Result<Parsed<Structure>, ReadError> {
    match format {
        Format::Pdb => pdb::read_pdb(bytes, path),
        Format::Pdbqt => pdbqt::read_pdbqt(bytes, path),
        Format::Gro => gro::read_gro(bytes, path),
        Format::Xyz => xyz::read_xyz(bytes, path),
        Format::Sdf => sdf::read_sdf(bytes, path),
        Format::Mol2 => mol2::read_mol2(bytes, path),
        Format::CellPack => {
            let folders = cellpack::TemplateFolders::around(path);
            cellpack::read_cellpack(bytes, path, &|name| folders.find(name))
        }
        Format::Mmcif => cif::read_mmcif(bytes, path),
        Format::Bcif => cif::read_bcif(bytes, path),
    }
}

fn load(path: &Path) -> Result<Vec<u8>, ReadError> {
    let fail = |source| ReadError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    if metadata.is_dir() {
        return Err(fail(io::Error::new(io::ErrorKind::IsADirectory, "is a folder, not a molecule file")));
    }
    if metadata.len() > gzip::MOST_BYTES {
        return Err(fail(io::Error::new(io::ErrorKind::FileTooLarge, "files above 16 GiB are not read")));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(gzip::MOST_BYTES).read_to_end(&mut bytes).map_err(fail)?;
    Ok(bytes)
}

fn decompress<'a>(bytes: &'a [u8], path: &Path) -> Result<(Cow<'a, [u8]>, usize), ReadError> {
    if !gzip::is_gzip(bytes) {
        return Ok((Cow::Borrowed(bytes), 0));
    }
    let inflated = gzip::gunzip(bytes).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    Ok((Cow::Owned(inflated.bytes), inflated.trailing))
}

fn not_a_molecule(path: &Path, found: &[u8]) -> ReadError {
    let names = Format::ALL.map(Format::name).join(", ");
    let first_line = found.split(|&byte| byte == b'\n').next().unwrap_or_default();
    ReadError::content(path, Place::File, format!("a molecule file ({names})"), first_line)
}
