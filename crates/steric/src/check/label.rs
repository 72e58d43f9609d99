//! An atom in the words of its file.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use steric_model::{Origin, Structure};

use super::Input;

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
    /// The file's own name, with as much of its path as tells it apart from the other files.
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

/// What the files are called: their own names, with the last folders where two names are the same, and a number where
/// even the whole paths are.
pub(super) fn distinct_names(inputs: &[Input]) -> Vec<String> {
    let is_shared = |names: &[String], name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let longest = inputs.iter().map(|input| input.path.components().count()).max().unwrap_or(0);
    let mut names: Vec<String> = inputs.iter().map(Input::name).collect();
    for parts in 2..=longest {
        let before = names.clone();
        for (name, input) in names.iter_mut().zip(inputs).filter(|(name, _)| is_shared(&before, name)) {
            *name = last_parts(&input.path, parts);
        }
    }
    let before = names.clone();
    for (place, name) in names.iter_mut().enumerate().filter(|(_, name)| is_shared(&before, name)) {
        let number = before[..=place].iter().filter(|&other| other == name).count();
        *name = format!("{name} ({number})");
    }
    names
}

fn last_parts(path: &Path, parts: usize) -> String {
    let all = path.components();
    let skipped = all.clone().count().saturating_sub(parts);
    all.skip(skipped).collect::<PathBuf>().display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use steric_model::Warnings;

    fn names(paths: &[&str]) -> Vec<String> {
        let input = |path: &&str| Input::new(*path, Structure::default(), Warnings::default());
        distinct_names(&paths.iter().map(input).collect::<Vec<_>>())
    }

    #[test]
    fn files_are_called_by_as_much_of_their_path_as_it_takes() {
        assert_eq!(names(&["a/x.pdb", "a/y.pdb"]), ["x.pdb", "y.pdb"]);
        assert_eq!(names(&["a/b/x.pdb", "a/c/x.pdb", "a/y.pdb"]), ["b/x.pdb", "c/x.pdb", "y.pdb"]);
        assert_eq!(names(&["a/b/x.pdb", "c/b/x.pdb"]), ["a/b/x.pdb", "c/b/x.pdb"]);
        assert_eq!(names(&["x.pdb", "b/x.pdb"]), ["x.pdb", "b/x.pdb"]);
        assert_eq!(names(&["a/x.pdb", "a/x.pdb"]), ["a/x.pdb (1)", "a/x.pdb (2)"]);
    }
}
