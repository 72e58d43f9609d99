//! Assemblies: which chains are copied where.
//!
//! How it works: every row of `_pdbx_struct_assembly_gen` is one rigid body, the chains of its `asym_id_list`, and
//! all its places, the operators of its `oper_expression`. Rows with the same `assembly_id` are one assembly; cellPACK
//! writes one assembly per kind of lipid. PetWorld keeps one template per model and adds a column `PDB_model_num`,
//! which restricts a row to that model; its lists hold author names (where the protein and the lipids around it share
//! one), so there a list is read as author names if the model has all of them. Without that column a name means the chains of
//! the first model that has it: the models of an NMR ensemble are alternatives, not one body.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use super::operators::{MOST_POSES, Operators};
use super::table::{Block, Table};
use crate::{Assembly, Chain, Copies, Place, Structure, Warnings};

/// The most chains that all rows together may name; a row that repeats a name costs nothing in the file.
const MOST_CHAINS: usize = 50_000_000;

/// The assemblies of a block; rows that cannot be followed become warnings.
pub(super) fn read_assemblies(block: &Block<'_>, structure: &Structure, warnings: &mut Warnings) -> Vec<Assembly> {
    let Some(table) = block.table("pdbx_struct_assembly_gen") else { return Vec::new() };
    let operators = block.table("pdbx_struct_oper_list").map(Operators::read).unwrap_or_default();
    let mut reader = Reader {
        chains: ChainIndex::new(structure),
        structure,
        operators,
        model_names: block.table("pdbx_model"),
        poses_left: MOST_POSES,
        chains_left: MOST_CHAINS,
        warnings,
    };
    let columns = Columns::find(table);
    let mut assemblies: Vec<Assembly> = Vec::new();
    let mut places: FxHashMap<SmolStr, usize> = FxHashMap::default();
    for row in 0..table.rows() {
        let Some(copies) = reader.read_row(table, &columns, row) else { continue };
        let id = table.cell(row, columns.assembly).to_smol();
        let place = *places.entry(id).or_insert_with_key(|id| {
            assemblies.push(Assembly { id: id.to_string(), copies: Vec::new() });
            assemblies.len() - 1
        });
        assemblies[place].copies.push(copies);
    }
    assemblies
}

struct Columns {
    assembly: Option<usize>,
    expression: Option<usize>,
    chains: Option<usize>,
    model: Option<usize>,
}

impl Columns {
    fn find(table: &Table<'_>) -> Self {
        Self {
            assembly: table.column("assembly_id"),
            expression: table.column("oper_expression"),
            chains: table.column("asym_id_list"),
            model: table.column("PDB_model_num"),
        }
    }
}

struct Reader<'s, 'w> {
    chains: ChainIndex<'s>,
    structure: &'s Structure,
    operators: Operators,
    model_names: Option<&'s Table<'s>>,
    poses_left: usize,
    chains_left: usize,
    warnings: &'w mut Warnings,
}

impl Reader<'_, '_> {
    fn read_row(&mut self, table: &Table<'_>, columns: &Columns, row: usize) -> Option<Copies> {
        let place = table.place();
        let model = table.cell(row, columns.model).integer();
        let names = table.cell(row, columns.chains).to_smol();
        let chains = self.find_chains(&names, model, place, row)?;
        let expression = table.cell(row, columns.expression).to_smol();
        let poses = self.find_poses(&expression, place, row)?;
        Some(Copies { name: self.name(&chains, model), chains, poses })
    }

    fn find_poses(&mut self, expression: &str, place: Place, row: usize) -> Option<Vec<crate::Pose>> {
        match self.operators.expand(expression, self.poses_left) {
            Ok((poses, skipped)) => {
                if skipped > 0 {
                    self.warnings.push(place, || {
                        format!("row {}: {skipped} copies are left out: their matrices are no rotations", row + 1)
                    });
                }
                self.poses_left -= poses.len();
                Some(poses)
            }
            Err(problem) => {
                self.warnings.push(place, || {
                    format!("row {} is left out: the operator expression {} {problem}", row + 1, shortened(expression))
                });
                None
            }
        }
    }

    fn find_chains(&mut self, names: &str, model: Option<i32>, place: Place, row: usize) -> Option<Vec<u32>> {
        let names = || names.split(',').map(str::trim).filter(|name| !name.is_empty());
        let by_author = model.is_some_and(|model| {
            let known = self.chains.authors.get(&model);
            known.is_some_and(|known| names().all(|name| known.contains(name)))
        });
        let mut chains = Vec::new();
        for name in names() {
            let found = self.chains.find(name, model, by_author, self.structure);
            if found.is_empty() {
                self.warnings.push(place, || format!("row {}: there is no chain {}", row + 1, shortened(name)));
            }
            let cost = self.chains.cost(name);
            if cost > self.chains_left {
                self.warnings.push(place, || format!("row {} is left out: too many chains in all", row + 1));
                return None;
            }
            self.chains_left -= cost;
            chains.extend(found);
        }
        chains.sort_unstable();
        chains.dedup();
        (!chains.is_empty()).then_some(chains)
    }

    /// The template's name where the file has a list of them, else what its first described chain is.
    fn name(&self, chains: &[u32], model: Option<i32>) -> SmolStr {
        let template = model.and_then(|number| usize::try_from(number.checked_sub(1)?).ok());
        let template = self.model_names.zip(template).map(|(table, row)| match row < table.rows() {
            true => table.get(row, "name").to_smol(),
            false => SmolStr::default(),
        });
        let descriptions = chains.iter().map(|&chain| &self.structure.chains[chain as usize].description);
        template
            .filter(|name| !name.is_empty())
            .or_else(|| descriptions.clone().find(|description| !description.is_empty()).cloned())
            .unwrap_or_default()
    }
}

/// Chains by the names that lists use.
#[derive(Debug)]
struct ChainIndex<'s> {
    labels: FxHashMap<&'s str, Vec<u32>>,
    names: FxHashMap<&'s str, Vec<u32>>,
    // The author names of every model, by its number.
    authors: FxHashMap<i32, FxHashSet<&'s str>>,
}

impl<'s> ChainIndex<'s> {
    fn new(structure: &'s Structure) -> Self {
        let by = |key: fn(&Chain) -> &SmolStr| {
            let mut index: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
            for (place, chain) in structure.chains.iter().enumerate() {
                index.entry(key(chain).as_str()).or_default().push(place as u32);
            }
            index
        };
        let mut authors: FxHashMap<i32, FxHashSet<&str>> = FxHashMap::default();
        for chain in &structure.chains {
            authors.entry(structure.models[chain.model as usize].number).or_default().insert(&chain.name);
        }
        Self { labels: by(|chain| &chain.label), names: by(|chain| &chain.name), authors }
    }

    /// The chains of a label, or else of an author's name: in the model of that number, or in the first that has any.
    fn find(&self, name: &str, model: Option<i32>, by_author: bool, structure: &Structure) -> Vec<u32> {
        let model_of = |chain: u32| structure.chains[chain as usize].model;
        let number_of = |chain: u32| structure.models[model_of(chain) as usize].number;
        let indices = if by_author { [&self.names, &self.names] } else { [&self.labels, &self.names] };
        for index in indices {
            let all = index.get(name).map_or(&[][..], Vec::as_slice);
            let found: Vec<u32> = match (model, all.first()) {
                (Some(number), _) => all.iter().copied().filter(|&chain| number_of(chain) == number).collect(),
                (None, Some(&first)) => {
                    all.iter().copied().take_while(|&chain| model_of(chain) == model_of(first)).collect()
                }
                (None, None) => Vec::new(),
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// How many chains are looked at for a name.
    fn cost(&self, name: &str) -> usize {
        1 + self.labels.get(name).map_or(0, Vec::len) + self.names.get(name).map_or(0, Vec::len)
    }
}

/// Text for a message, quoted and cut to 60 characters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}
