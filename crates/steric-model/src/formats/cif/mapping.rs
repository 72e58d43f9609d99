//! From the tables of a data block to a [`Structure`]: what text CIF and BinaryCIF share.

use std::path::Path;

use glam::DVec3;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::assemblies::read_assemblies;
use super::bonds::read_bonds;
use super::component::read_component;
use super::sites::Sites;
use super::table::Block;
use crate::{PeriodicBox, ReadError, Structure, Warnings};

/// The structure of a data block and its atom sites; without sites, the chemical component that it describes.
pub(super) fn build_structure(
    block: &Block<'_>,
    sites: Sites,
    path: &Path,
    warnings: &mut Warnings,
) -> Result<Structure, ReadError> {
    let mut structure = if sites.is_empty() {
        read_component(block, path, warnings)?.finish()
    } else {
        let (builder, entities) = sites.finish();
        let mut structure = builder.finish();
        describe_chains(block, &entities, &mut structure);
        structure.bonds = read_bonds(block, &structure, warnings);
        structure.bonds.sort_unstable();
        structure.bonds.dedup_by_key(|bond| (bond.first, bond.second));
        structure
    };
    structure.name = name(block, path);
    (structure.periodic_box, structure.space_group) = read_cell(block);
    structure.assemblies = read_assemblies(block, &structure, warnings);
    Ok(structure)
}

/// The entry's id, else the block's name, else the name of the file.
fn name(block: &Block<'_>, path: &Path) -> String {
    let entry = block.single("entry", "id").to_smol();
    let file = || path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match (entry.as_str(), block.name.as_str()) {
        ("", "") => file().split('.').next().unwrap_or_default().to_owned(),
        ("", block) => block.to_owned(),
        (entry, _) => entry.to_owned(),
    }
}

fn describe_chains(block: &Block<'_>, entities: &[SmolStr], structure: &mut Structure) {
    let Some(table) = block.table("entity") else { return };
    let (id, description) = (table.column("id"), table.column("pdbx_description"));
    let descriptions: FxHashMap<SmolStr, SmolStr> =
        (0..table.rows()).map(|row| (table.cell(row, id).to_smol(), table.cell(row, description).to_smol())).collect();
    for (chain, entity) in structure.chains.iter_mut().zip(entities) {
        chain.description = descriptions.get(entity).cloned().unwrap_or_default();
    }
}

/// The unit cell and its space group; a cell of edge 1 stands for no crystal at all and is none.
fn read_cell(block: &Block<'_>) -> (Option<PeriodicBox>, String) {
    let number = |column: &str| block.single("cell", column).number();
    let three = |columns: [&str; 3]| {
        let [x, y, z] = columns.map(number);
        Some(DVec3::new(x?, y?, z?))
    };
    let edges = three(["length_a", "length_b", "length_c"]).filter(|edges| edges.max_element() > 1.0 + 1e-6);
    let angles = three(["angle_alpha", "angle_beta", "angle_gamma"]);
    let periodic_box = edges.zip(angles).and_then(|(edges, angles)| PeriodicBox::from_edges_and_angles(edges, angles));
    let group = block
        .single("symmetry", "space_group_name_H-M")
        .or(|| block.single("space_group", "name_H-M_alt"))
        .or(|| block.single("space_group", "name_H-M_full"));
    let space_group = if periodic_box.is_some() { group.to_smol().to_string() } else { String::new() };
    (periodic_box, space_group)
}
