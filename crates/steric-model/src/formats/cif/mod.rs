//! mmCIF, the PDB's text format, and BinaryCIF, the same tables in binary.
//!
//! How it works: `text` (and for BinaryCIF the codec in [`super::bcif`]) finds the data block with atoms; `sites`
//! turns the rows of `_atom_site` into atoms; `mapping` adds names, the unit cell, bonds and assemblies. Copies stay
//! copies: an assembly is a list of poses, never expanded atoms.

mod assemblies;
mod bonds;
mod component;
mod lexer;
mod mapping;
mod number;
mod operators;
mod sites;
mod table;
mod text;

use std::path::Path;

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
