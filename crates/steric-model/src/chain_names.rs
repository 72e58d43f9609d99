//! Chain names short enough for the columns of a PDB file.
//!
//! How it works: a name that fits stays, so the first copy of an expanded structure keeps its letters. Every other name
//! is replaced in order of appearance by one that the model has not used: a letter or a digit while they last, then two
//! of them (columns 21-22). Residue names of four letters fill column 21, so next to them only one letter is left.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::Structure;

const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// More chains in a model than a PDB file has names for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a PDB file has names for {most} chains{reason}, and there are {chains}; mmCIF (.cif) and BinaryCIF (.bcif) hold any number"
)]
pub struct TooManyChains {
    /// How many chains the model has.
    pub chains: usize,
    /// How many names there are.
    pub most: usize,
    reason: &'static str,
}

impl Structure {
    /// Gives every chain whose name is too long for a PDB file a short one that no other chain of its model has.
    /// Returns how many names were replaced; on failure nothing is changed.
    ///
    /// ```
    /// use steric_model::{AtomRecord, StructureBuilder};
    ///
    /// let mut builder = StructureBuilder::new("dimer", 2);
    /// for chain in ["A", "A-2"] {
    ///     builder.push(AtomRecord { chain, ..AtomRecord::default() });
    /// }
    /// let mut dimer = builder.finish();
    /// assert_eq!(dimer.shorten_chain_names(), Ok(1));
    /// assert_eq!(dimer.chains[1].name, "B");
    /// ```
    pub fn shorten_chain_names(&mut self) -> Result<usize, TooManyChains> {
        let longest = if self.residues.iter().any(|residue| residue.name.as_bytes().len() > 3) { 1 } else { 2 };
        let fits = |name: &str| name.len() <= longest && name.bytes().all(|byte| byte.is_ascii_graphic());
        let mut names_of_model: BTreeMap<u32, FxHashSet<SmolStr>> = BTreeMap::new();
        for chain in &self.chains {
            names_of_model.entry(chain.model).or_default().insert(chain.name.clone());
        }
        let mut fresh_of_model: FxHashMap<u32, Fresh> = FxHashMap::default();
        for (model, names) in names_of_model {
            let kept: FxHashSet<SmolStr> = names.iter().filter(|name| fits(name)).cloned().collect();
            let fresh = Fresh::new(kept, longest);
            fresh.check(names.len())?;
            fresh_of_model.insert(model, fresh);
        }
        let mut replaced: FxHashMap<(u32, SmolStr), SmolStr> = FxHashMap::default();
        for chain in self.chains.iter_mut().filter(|chain| !fits(&chain.name)) {
            let fresh = fresh_of_model.entry(chain.model).or_default();
            let short = replaced.entry((chain.model, chain.name.clone()));
            chain.name = short.or_insert_with(|| fresh.next_name()).clone();
        }
        Ok(replaced.len())
    }
}

/// Names that a model has not used yet.
#[derive(Default)]
struct Fresh {
    kept: FxHashSet<SmolStr>,
    longest: usize,
    next: usize,
}

impl Fresh {
    fn new(kept: FxHashSet<SmolStr>, longest: usize) -> Self {
        Self { kept, longest, next: 0 }
    }

    // Names of the file that are no letters or digits (blank, `*`) come on top of the ones given here.
    fn check(&self, chains: usize) -> Result<(), TooManyChains> {
        let given = if self.longest == 1 { LETTERS.len() } else { LETTERS.len() * (LETTERS.len() + 1) };
        let odd = |name: &&SmolStr| name.is_empty() || name.bytes().any(|byte| !byte.is_ascii_alphanumeric());
        let most = given + self.kept.iter().filter(odd).count();
        let reason = if self.longest == 1 { " next to residue names of four letters" } else { "" };
        if chains > most { Err(TooManyChains { chains, most, reason }) } else { Ok(()) }
    }

    fn next_name(&mut self) -> SmolStr {
        loop {
            let name = nth_name(self.next);
            self.next += 1;
            if !self.kept.contains(&name) {
                return name;
            }
        }
    }
}

// A to 9, then AA, AB, ... 99.
fn nth_name(number: usize) -> SmolStr {
    let letter = |place: usize| char::from(LETTERS[place % LETTERS.len()]);
    match number.checked_sub(LETTERS.len()) {
        None => SmolStr::from_iter([letter(number)]),
        Some(beyond) => SmolStr::from_iter([letter(beyond / LETTERS.len()), letter(beyond)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AtomRecord, Name, StructureBuilder};

    fn chains(names: impl IntoIterator<Item = String>, residue: &str) -> Structure {
        let mut builder = StructureBuilder::new("test", 0);
        for name in names {
            builder.push(AtomRecord { chain: &name, residue_name: Name::new(residue), ..AtomRecord::default() });
        }
        builder.finish()
    }

    fn copies(count: usize) -> impl Iterator<Item = String> {
        (1..=count).map(|copy| format!("A-{copy}"))
    }

    #[test]
    fn names_that_fit_stay_and_no_two_are_alike() {
        let names = ["B", "A-2", "AA", "B-2", "A-2"].map(str::to_owned);
        let mut structure = chains(names, "ALA");
        assert_eq!(structure.shorten_chain_names(), Ok(2));
        let names: Vec<&str> = structure.chains.iter().map(|chain| chain.name.as_str()).collect();
        assert_eq!(names, ["B", "A", "AA", "C"]);
    }

    #[test]
    fn one_letter_while_they_last_then_two() {
        let mut structure = chains(copies(3906), "ALA");
        assert_eq!(structure.shorten_chain_names(), Ok(3906));
        let names: Vec<&str> = structure.chains.iter().map(|chain| chain.name.as_str()).collect();
        assert_eq!([names[0], names[61], names[62], names[63], names[3905]], ["A", "9", "AA", "AB", "99"]);
        assert_eq!(names.iter().collect::<FxHashSet<_>>().len(), 3906);
        let mut structure = chains(copies(3907), "ALA");
        let error = structure.shorten_chain_names().unwrap_err();
        assert_eq!((error.chains, error.most), (3907, 3906));
        assert!(error.to_string().contains("mmCIF"));
        assert_eq!(structure.chains[0].name, "A-1");
    }

    #[test]
    fn residue_names_of_four_letters_leave_one_letter_for_the_chain() {
        assert_eq!(chains(copies(62), "DPPC").shorten_chain_names(), Ok(62));
        let error = chains(copies(63), "DPPC").shorten_chain_names().unwrap_err();
        assert_eq!((error.chains, error.most), (63, 62));
    }
}
