//! An atom in the words of its file.

use std::fmt;

use serde::Serialize;
use steric_model::{Origin, Structure};

/// Which atom this is, in the words of its file.
///
/// ```
/// use steric::prelude::*;
///
/// let lipids = [Input::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb"))?];
/// let report = check(&lipids, &CheckOptions::default())?;
/// let label = &report.worst[0].first;
/// assert_eq!(label.to_string(), format!("{} POP {} {}", label.chain, label.number, label.atom));
/// assert_eq!(lipids[0].structure.atoms.names[label.index as usize].as_str(), label.atom);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AtomLabel {
    /// The file's own name.
    pub file: String,
    /// Which copy, counted from 1.
    pub copy: u32,
    /// Chain name; may be empty.
    pub chain: String,
    /// Residue name.
    pub residue: String,
    /// Residue number.
    pub number: i32,
    /// Insertion code; empty where there is none.
    pub insertion: String,
    /// Atom name.
    pub atom: String,
    /// Alternate location; empty where there is none.
    pub alternate: String,
    /// Index of the atom in the file, counted from 0.
    pub index: u32,
    /// Whether the file has several copies, so that the number tells something.
    #[serde(skip)]
    pub copied: bool,
}

impl AtomLabel {
    pub(super) fn new(file: &str, structure: &Structure, origin: Origin, copied: bool) -> Self {
        let atom = origin.atom as usize;
        let residue = &structure.residues[structure.atoms.residues[atom] as usize];
        let chain = &structure.chains[residue.chain as usize];
        let name = if chain.name.is_empty() { &chain.label } else { &chain.name };
        let letter = |byte: u8| if byte == 0 { String::new() } else { char::from(byte).to_string() };
        Self {
            file: file.to_owned(),
            copy: origin.copy,
            chain: name.to_string(),
            residue: residue.name.to_string(),
            number: residue.number,
            insertion: letter(residue.insertion),
            atom: structure.atoms.names[atom].to_string(),
            alternate: letter(structure.atoms.alternates[atom]),
            index: origin.atom,
            copied,
        }
    }
}

/// `A ASP 26 OD1`, with `#7` before it for the seventh copy.
impl fmt::Display for AtomLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        if self.copied {
            words.push(format!("#{}", self.copy));
        }
        words.push(self.chain.clone());
        words.push(self.residue.clone());
        words.push(format!("{}{}", self.number, self.insertion));
        let alternate = if self.alternate.is_empty() { String::new() } else { format!(".{}", self.alternate) };
        words.push(format!("{}{alternate}", self.atom));
        words.retain(|word| !word.is_empty());
        f.pad(&words.join(" "))
    }
}
