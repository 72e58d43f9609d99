//! mmCIF, the PDB's text format, and BinaryCIF, the same tables in binary.
//!
//! How it works: `text` (and for BinaryCIF the codec in `formats/bcif`) finds the data block with atoms; `sites`
//! turns the rows of `_atom_site` into atoms; `mapping` adds names, the unit cell, bonds and assemblies. Copies stay
//! copies: an assembly is a list of poses, never expanded atoms.

mod assemblies;
mod binary;
mod bonds;
mod component;
mod lexer;
mod mapping;
mod number;
mod operators;
mod plan;
mod sites;
mod table;
mod tables;
mod text;
mod text_writer;

use std::io;
use std::path::Path;

use super::bcif;
use crate::{Parsed, ReadError, Structure, Warnings};

/// Reads an mmCIF file; `path` serves messages, and the name of a structure that has none.
///
/// All models, alternate locations and assemblies are kept. Chains are named as their authors did; their labels are
/// what assemblies refer to. Of several data blocks the first with atoms is read. A file of the Chemical Component
/// Dictionary becomes a structure of one residue with bonds.
///
/// ```
/// use std::path::Path;
/// use steric_model::formats::cif::read_mmcif;
///
/// let file = b"data_ION loop_ _atom_site.type_symbol _atom_site.label_atom_id
///   _atom_site.Cartn_x _atom_site.Cartn_y _atom_site.Cartn_z  Zn ZN 1.0 2.0 3.0  Cl CL 3.2 2.0 3.0";
/// let ion = read_mmcif(file, Path::new("ion.cif")).expect("a well-formed file").value;
/// assert_eq!(ion.name, "ION");
/// assert_eq!(ion.atoms.len(), 2);
/// ```
pub fn read_mmcif(bytes: &[u8], path: &Path) -> Result<Parsed<Structure>, ReadError> {
    let mut warnings = Warnings::default();
    let content = text::read_content(bytes, path, &mut warnings)?;
    let value = mapping::build_structure(&content.block, content.sites, path, &mut warnings)?;
    Ok(Parsed { value, warnings })
}

/// Reads a BinaryCIF file, by the same rules as [`read_mmcif`].
///
/// ```
/// use steric_model::formats::cif::{read_bcif, read_mmcif, write_bcif};
///
/// let text = b"data_ION _atom_site.label_atom_id ZN _atom_site.Cartn_x 1 _atom_site.Cartn_y 2 _atom_site.Cartn_z 3";
/// let mut packed = Vec::new();
/// write_bcif(&read_mmcif(text, "ion.cif".as_ref())?.value, &mut packed)?;
/// let ion = read_bcif(&packed, "ion.bcif".as_ref())?.value;
/// assert_eq!(ion.atoms.positions, [glam::Vec3::new(1.0, 2.0, 3.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_bcif(bytes: &[u8], path: &Path) -> Result<Parsed<Structure>, ReadError> {
    let mut warnings = Warnings::default();
    let content = binary::read_content(bytes, path, &mut warnings)?;
    let value = mapping::build_structure(&content.block, content.sites, path, &mut warnings)?;
    Ok(Parsed { value, warnings })
}

/// Writes an mmCIF file: every model and alternate location, the unit cell, the bonds between residues, and the
/// assemblies as operators, so that copies stay copies.
///
/// Coordinates keep every digit of their `f32`. Not written, for want of a place in the format: partial charges,
/// force-field types and bonds inside a residue. A chain without a name gets its label as one.
///
/// ```
/// use std::path::Path;
/// use steric_model::formats::cif::{read_mmcif, write_mmcif};
///
/// let file = b"data_ION _atom_site.label_atom_id ZN _atom_site.Cartn_x 1 _atom_site.Cartn_y 2 _atom_site.Cartn_z 3";
/// let ion = read_mmcif(file, Path::new("ion.cif")).expect("a well-formed file").value;
/// let mut written = Vec::new();
/// write_mmcif(&ion, &mut written).expect("memory takes everything");
/// let again = read_mmcif(&written, Path::new("again.cif")).expect("our own file").value;
/// assert_eq!(again.atoms, ion.atoms);
/// ```
pub fn write_mmcif(structure: &Structure, out: &mut dyn io::Write) -> io::Result<()> {
    let plan = plan::Plan::new(structure)?;
    text_writer::write_block(&tables::tables(&plan), out)
}

/// Writes a BinaryCIF file with the same tables as [`write_mmcif`]. Coordinates take three decimals where that
/// changes none of them, else 32-bit floats.
///
/// ```
/// use steric_model::{AtomRecord, StructureBuilder, formats::Format, formats::cif::{read_bcif, write_bcif}};
///
/// let mut builder = StructureBuilder::new("ion", 1);
/// builder.push(AtomRecord { position: glam::Vec3::splat(0.1), chain: "A", ..AtomRecord::default() });
/// let mut packed = Vec::new();
/// write_bcif(&builder.finish(), &mut packed)?;
/// assert_eq!(Format::sniff(&packed), Some(Format::Bcif));
/// assert_eq!(read_bcif(&packed, "ion.bcif".as_ref())?.value.atoms.positions[0].y, 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_bcif(structure: &Structure, out: &mut dyn io::Write) -> io::Result<()> {
    let plan = plan::Plan::new(structure)?;
    let file = bcif::FileToWrite { blocks: vec![tables::tables(&plan)] };
    out.write_all(&bcif::encode(&file))
}
