//! `CONECT`: bonds by serial.
//!
//! How it works: pairs of serials are gathered as they come and looked up in the sorted serials of the first model at
//! the end. Records come in both directions, so the order of a bond is how often the more talkative end names the other.

use rustc_hash::FxHashMap;

use super::hybrid36;
use crate::{Bond, Place, Structure, Warnings};

/// The pairs of serials that the file joins.
#[derive(Debug, Default)]
pub(super) struct Connections {
    pairs: Vec<(i32, i32)>,
    model: Option<usize>,
}

impl Connections {
    /// A `CONECT` line, met when so many models had begun. Columns 32-61 were hydrogen bonds and salt bridges once.
    pub(super) fn record(&mut self, line: &[u8], models: usize, place: Place, warnings: &mut Warnings) {
        // Some programs repeat the records after every model; counting them all would make every bond a triple one.
        if *self.model.get_or_insert(models) != models {
            return;
        }
        let serial = |first: usize| {
            let mut field = [b' '; 5];
            let there = line.get(first..line.len().min(first + 5))?;
            field[..there.len()].copy_from_slice(there);
            (!field.trim_ascii().is_empty()).then(|| hybrid36::decode::<5>(&field))
        };
        let Some(Some(from)) = serial(6) else {
            return warnings.push(place, || "CONECT without a readable serial is left out".to_owned());
        };
        for to in [11, 16, 21, 26].into_iter().filter_map(serial) {
            match to {
                Some(to) => self.pairs.push((from, to)),
                None => warnings.push(place, || "a partner in CONECT is no serial; it is left out".to_owned()),
            }
        }
    }

    /// The bonds between atoms of the first model.
    pub(super) fn bonds(self, structure: &Structure, warnings: &mut Warnings) -> Vec<Bond> {
        if self.pairs.is_empty() {
            return Vec::new();
        }
        let first_model = structure.models.first().map_or(0, |model| model.atoms.end as usize);
        let mut atoms: Vec<(i32, u32)> = structure.atoms.serials[..first_model].iter().copied().zip(0..).collect();
        atoms.sort_unstable();
        let mut mentions: FxHashMap<(u32, u32), u8> = FxHashMap::default();
        let mut unresolved = 0usize;
        for (from, to) in self.pairs {
            match (atom_of(&atoms, from), atom_of(&atoms, to)) {
                (Some(from), Some(to)) if from != to => {
                    let count = mentions.entry((from, to)).or_default();
                    *count = count.saturating_add(1);
                }
                _ => unresolved += 1,
            }
        }
        if unresolved > 0 {
            let message = || format!("{unresolved} partners in CONECT are no single atom of the first model; left out");
            warnings.push(Place::File, message);
        }
        merge_directions(mentions.into_iter().collect())
    }
}

// The one atom with this serial. Serials that wrapped at 99,999 name several atoms, and a guess could join molecules.
fn atom_of(atoms: &[(i32, u32)], serial: i32) -> Option<u32> {
    let first = atoms.partition_point(|atom| atom.0 < serial);
    let &(found, atom) = atoms.get(first)?;
    let alone = atoms.get(first + 1).is_none_or(|next| next.0 != serial);
    (found == serial && alone).then_some(atom)
}

fn merge_directions(mut mentions: Vec<((u32, u32), u8)>) -> Vec<Bond> {
    let orders_are_stated = mentions.iter().any(|(_, count)| *count > 1);
    for ((from, to), _) in &mut mentions {
        (*from, *to) = (*from.min(to), *from.max(to));
    }
    mentions.sort_unstable();
    let mut bonds: Vec<Bond> = Vec::with_capacity(mentions.len());
    for ((first, second), count) in mentions {
        let order = if orders_are_stated { count.min(3) } else { 0 };
        match bonds.last_mut() {
            Some(bond) if (bond.first, bond.second) == (first, second) => bond.order = bond.order.max(order),
            _ => bonds.push(Bond { first, second, order }),
        }
    }
    bonds
}
