//! Bonds that a file states: `_struct_conn`.
//!
//! How it works: covalent links (`covale` and its kinds, `modres`) and disulphide bridges are bonds; hydrogen bonds, salt
//! bridges and metal coordination are not, since they hold no fixed distance. A link to a symmetry copy is no bond of
//! this structure. Partners are named by chain, residue and atom; one walk over the atoms finds all of them, in every
//! model.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use super::table::{Block, Cell, Table};
use crate::{Bond, Name, Structure, Warnings};

/// A partner as a file names it; the alternate location is 0 where none is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Partner {
    residue: ResidueKey,
    atom: Name,
    alternate: u8,
}

type ResidueKey = (SmolStr, i32, u8, Name);

/// Per partner its first atom in every model that has one, as `(model, atom)`.
type Found = FxHashMap<Partner, Vec<(u32, u32)>>;

/// The bonds of `_struct_conn`.
pub(super) fn read_bonds(block: &Block<'_>, structure: &Structure, warnings: &mut Warnings) -> Vec<Bond> {
    let Some(table) = block.table("struct_conn") else { return Vec::new() };
    let links = read_links(table);
    let found = find_partners(&links, structure);
    let mut bonds = Vec::new();
    // No molecule has more than a few bonds per atom; a file that repeats its links must not cost more than that.
    let mut work_left = 64 * structure.atoms.len() + links.len();
    for (first, second, order) in &links {
        let (Some(first), Some(second)) = (found.get(first), found.get(second)) else {
            let name = first.residue.0.clone();
            warnings.push(table.place(), || format!("a bond of chain {name:?} names an atom that is not there"));
            continue;
        };
        work_left = work_left.saturating_sub(first.len() + second.len());
        if work_left == 0 {
            warnings
                .push(table.place(), || "there are more bonds than atoms can have; the rest are left out".to_owned());
            break;
        }
        join_models(first, second, *order, &mut bonds);
    }
    bonds
}

fn read_links(table: &Table<'_>) -> Vec<(Partner, Partner, u8)> {
    let [first, second] = ["1", "2"].map(|number| PartnerColumns::find(table, number));
    let (kind, order) = (table.column("conn_type_id"), table.column("pdbx_value_order"));
    let links = (0..table.rows()).filter_map(|row| {
        let same_copy = first.symmetry(table, row) == second.symmetry(table, row);
        let is_bond = is_bond(table.cell(row, kind)) && same_copy;
        let partners = is_bond.then(|| first.read(table, row).zip(second.read(table, row))).flatten();
        partners.map(|(first, second)| (first, second, bond_order(table.cell(row, order))))
    });
    links.collect()
}

fn is_bond(kind: Cell<'_>) -> bool {
    let kind = kind.to_smol().to_ascii_lowercase();
    kind.starts_with("covale") || kind == "disulf" || kind == "modres"
}

/// The order of a bond by the words of the dictionaries: `SING`, `DOUB`, `TRIP`, `AROM`, and their long forms.
pub(super) fn bond_order(value: Cell<'_>) -> u8 {
    let word = value.to_smol().to_ascii_lowercase();
    let orders = [("sing", 1), ("doub", 2), ("trip", 3), ("arom", 4)];
    orders.iter().find(|(start, _)| word.starts_with(start)).map_or(0, |&(_, order)| order)
}

struct PartnerColumns([Option<usize>; 7]);

impl PartnerColumns {
    fn find(table: &Table<'_>, number: &str) -> Self {
        let columns = [
            "ptnr#_label_asym_id",
            "ptnr#_auth_seq_id",
            "pdbx_ptnr#_PDB_ins_code",
            "ptnr#_label_comp_id",
            "ptnr#_label_atom_id",
            "pdbx_ptnr#_label_alt_id",
            "ptnr#_symmetry",
        ];
        Self(columns.map(|name| table.column(&name.replace('#', number))))
    }

    fn read(&self, table: &Table<'_>, row: usize) -> Option<Partner> {
        let [chain, number, insertion, component, atom, alternate, _] = self.0.map(|column| table.cell(row, column));
        let residue = (chain.to_smol(), number.integer()?, insertion.letter(), component.name());
        Some(Partner { residue, atom: atom.name(), alternate: alternate.letter() })
    }

    fn symmetry(&self, table: &Table<'_>, row: usize) -> SmolStr {
        let symmetry = table.cell(row, self.0[6]).to_smol();
        if symmetry.is_empty() { "1_555".into() } else { symmetry }
    }
}

fn find_partners(links: &[(Partner, Partner, u8)], structure: &Structure) -> Found {
    let partners = || links.iter().flat_map(|(first, second, _)| [first, second]);
    let wanted: FxHashSet<&ResidueKey> = partners().map(|partner| &partner.residue).collect();
    let keys: Vec<Option<ResidueKey>> = structure
        .residues
        .iter()
        .map(|residue| {
            let label = structure.chains[residue.chain as usize].label.clone();
            Some((label, residue.number, residue.insertion, residue.name)).filter(|key| wanted.contains(key))
        })
        .collect();
    let mut found: Found = partners().map(|partner| (partner.clone(), Vec::new())).collect();
    for (atom, &residue) in structure.atoms.residues.iter().enumerate() {
        let Some(key) = &keys[residue as usize] else { continue };
        let model = structure.chains[structure.residues[residue as usize].chain as usize].model;
        let (name, alternate) = (structure.atoms.names[atom], structure.atoms.alternates[atom]);
        // A link without an alternate location means any; the first is as good as the others.
        let mut alternates = vec![0, alternate];
        alternates.dedup();
        for alternate in alternates {
            let partner = Partner { residue: key.clone(), atom: name, alternate };
            if let Some(atoms) = found.get_mut(&partner)
                && atoms.last().is_none_or(|&(last, _)| last != model)
            {
                atoms.push((model, atom as u32));
            }
        }
    }
    found.retain(|_, atoms| !atoms.is_empty());
    found
}

fn join_models(first: &[(u32, u32)], second: &[(u32, u32)], order: u8, bonds: &mut Vec<Bond>) {
    let mut others = second.iter().peekable();
    for &(model, atom) in first {
        while others.next_if(|&&(other_model, _)| other_model < model).is_some() {}
        if let Some(&&(other_model, other)) = others.peek()
            && other_model == model
            && other != atom
        {
            bonds.push(Bond { first: atom.min(other), second: atom.max(other), order });
        }
    }
}
