//! Chemical components: `_chem_comp_atom` and `_chem_comp_bond` of the Chemical Component Dictionary and of the
//! restraint libraries that share its tables.
//!
//! How it works: a component has up to two sets of coordinates; the ideal ones are complete more often and free of
//! the strain of a crystal, so they come first; the other set is taken where more atoms have it. Atoms without
//! coordinates are left out with a warning.

use std::path::Path;

use glam::Vec3;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::bonds::bond_order;
use super::table::{Block, Table};
use crate::{AtomRecord, Bond, Element, Name, Place, ReadError, StructureBuilder, Warnings};

const COORDINATES: [[&str; 3]; 3] = [
    ["pdbx_model_Cartn_x_ideal", "pdbx_model_Cartn_y_ideal", "pdbx_model_Cartn_z_ideal"],
    ["model_Cartn_x", "model_Cartn_y", "model_Cartn_z"],
    ["x", "y", "z"],
];

/// Whether a block without atom sites describes a component with coordinates.
pub(super) fn is_component(block: &Block<'_>) -> bool {
    block.table("chem_comp_atom").is_some_and(|table| COORDINATES.iter().any(|set| table.column(set[0]).is_some()))
}

/// The component as a structure of one residue.
pub(super) fn read_component(
    block: &Block<'_>,
    path: &Path,
    warnings: &mut Warnings,
) -> Result<StructureBuilder, ReadError> {
    let missing = |place| ReadError::content(path, place, "the coordinates of a component", "atoms without");
    let table = block.table("chem_comp_atom").ok_or_else(|| missing(Place::File))?;
    let positions = best_positions(table).ok_or_else(|| missing(table.place()))?;
    let mut builder = StructureBuilder::new("", positions.len());
    let mut atoms: FxHashMap<(SmolStr, Name), u32> = FxHashMap::default();
    for (row, position) in positions.into_iter().enumerate() {
        let name = table.get(row, "atom_id").name();
        let Some(position) = position else {
            warnings.push(table.place(), || format!("atom {name} has no coordinates and is left out"));
            continue;
        };
        let component = table.get(row, "comp_id").to_smol();
        builder.push(AtomRecord {
            position,
            element: Element::from_symbol(table.get(row, "type_symbol").to_smol()).unwrap_or(Element::UNKNOWN),
            name,
            serial: row as i32 + 1,
            occupancy: 1.0,
            formal_charge: table.get(row, "charge").charge().unwrap_or(0),
            residue_name: Name::new(&component),
            residue_number: 1,
            hetero: true,
            chain: "A",
            ..AtomRecord::default()
        });
        atoms.entry((component, name)).or_insert(builder.len() as u32 - 1);
    }
    let bonds = block.table("chem_comp_bond").map(|table| read_bonds(table, &atoms, warnings)).unwrap_or_default();
    builder.structure_mut().bonds = bonds;
    Ok(builder)
}

/// The first of the sets of coordinates that most atoms have, row by row; `None` where no atom has any.
fn best_positions(table: &Table<'_>) -> Option<Vec<Option<Vec3>>> {
    let known = |positions: &Vec<Option<Vec3>>| positions.iter().flatten().count();
    let sets = COORDINATES.iter().map(|set| positions(table, set));
    let best = sets.reduce(|best, other| if known(&other) > known(&best) { other } else { best });
    best.filter(|best| known(best) > 0)
}

fn positions(table: &Table<'_>, set: &[&str; 3]) -> Vec<Option<Vec3>> {
    let columns = set.map(|name| table.column(name));
    let position = |row| {
        let [x, y, z] = columns.map(|column| table.cell(row, column).number());
        Some(Vec3::new(x? as f32, y? as f32, z? as f32)).filter(|position| position.is_finite())
    };
    (0..table.rows()).map(position).collect()
}

fn read_bonds(table: &Table<'_>, atoms: &FxHashMap<(SmolStr, Name), u32>, warnings: &mut Warnings) -> Vec<Bond> {
    // The dictionary says `value_order`, restraint libraries say `type`.
    let order = table.column("value_order").or(table.column("type"));
    let mut bonds = Vec::new();
    for row in 0..table.rows() {
        let component = table.get(row, "comp_id").to_smol();
        let atom = |column| atoms.get(&(component.clone(), table.get(row, column).name())).copied();
        match (atom("atom_id_1"), atom("atom_id_2")) {
            (Some(first), Some(second)) if first != second => {
                let order = bond_order(table.cell(row, order));
                bonds.push(Bond { first: first.min(second), second: first.max(second), order });
            }
            _ => warnings.push(table.place(), || format!("bond {} names an atom that is not there", row + 1)),
        }
    }
    bonds
}
