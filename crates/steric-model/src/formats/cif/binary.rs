//! BinaryCIF: the codec's columns become the tables that text CIF has too.

use std::path::Path;

use super::super::bcif;
use super::sites::{ROLE_NAMES, Sites};
use super::table::{Block, Table};
use super::text::{Content, choose};
use crate::{Place, ReadError, Warnings};

/// The data block with atoms.
pub(super) fn read_content<'a>(
    bytes: &'a [u8],
    path: &'a Path,
    warnings: &mut Warnings,
) -> Result<Content<'a>, ReadError> {
    let file = bcif::decode(bytes, path)?;
    let ranks: Vec<u8> = file.blocks.iter().map(rank).collect();
    let best = ranks.iter().copied().max().unwrap_or(0);
    let others = ranks.iter().filter(|&&rank| rank > 0).count().saturating_sub(1);
    let chosen = file.blocks.iter().zip(&ranks).find(|&(_, &rank)| rank == best && rank > 0);
    let content = chosen.map(|(block, _)| read_block(block, path, warnings)).transpose()?;
    choose(content, others, path, warnings)
}

/// 2 for a block with atom sites, 1 with the atoms of a component, 0 without atoms.
fn rank(block: &bcif::Block<'_>) -> u8 {
    let has = |name| block.category(name).is_some_and(|category| category.row_count > 0);
    if has("atom_site") { 2 } else { has("chem_comp_atom") as u8 }
}

fn read_block<'a>(block: &bcif::Block<'a>, path: &Path, warnings: &mut Warnings) -> Result<Content<'a>, ReadError> {
    let mut tables = Vec::new();
    let mut sites = Sites::new(0);
    for category in &block.categories {
        let name = category.name.strip_prefix('_').unwrap_or(category.name);
        if !Block::is_wanted(name) {
            continue;
        }
        let table = read_table(name, category)?;
        if name.eq_ignore_ascii_case("atom_site") {
            if sites.is_empty() {
                sites = Sites::new(table.rows());
            }
            sites.push_table(&table, path, warnings)?;
        } else {
            tables.push(table);
        }
    }
    let block = Block { name: block.header.to_owned(), tables };
    Ok(Content { block, sites })
}

fn read_table<'a>(name: &str, category: &bcif::Category<'a>) -> Result<Table<'a>, ReadError> {
    let is_sites = name.eq_ignore_ascii_case("atom_site");
    let is_needed = |column: &str| !is_sites || ROLE_NAMES.iter().any(|role| role.eq_ignore_ascii_case(column));
    let needed = category.columns.iter().filter(|column| is_needed(column.name));
    let columns = needed.map(|column| Ok((column.name, column.decode()?))).collect::<Result<Vec<_>, ReadError>>()?;
    let place = category.columns.first().map_or(Place::File, |column| Place::Byte(column.offset()));
    Ok(Table::of_columns(name, columns, category.row_count, place))
}
