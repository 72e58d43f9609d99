//! The lines between `structure` and `end structure`.

use std::path::PathBuf;

use super::words::{Word, Words};
use super::{MOST_MOLECULES, PackmolStructure, shapes};
use crate::ReadError;

/// A structure that is being read.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) structure: PackmolStructure,
    has_number: bool,
    // The atoms that the next constraints are about, and the line that named them.
    atoms: Option<(Vec<u32>, usize)>,
}

impl Open {
    pub(super) fn new(file: PathBuf, line: usize) -> Self {
        let structure = PackmolStructure {
            line,
            file,
            number: 1,
            fixed: None,
            center: false,
            constraints: Vec::new(),
            rotation: [None; 3],
            radii: Vec::new(),
            residue_numbers: None,
            chain: None,
            change_chains: false,
            segment: String::new(),
            connect: true,
            restart_from: None,
            restart_to: None,
        };
        Self { structure, has_number: false, atoms: None }
    }

    /// Reads a line, if its keyword belongs into a structure.
    pub(super) fn read(&mut self, keyword: &str, words: &mut Words<'_>) -> Result<bool, ReadError> {
        let Self { structure, atoms, .. } = self;
        match keyword {
            "number" => {
                structure.number = number(words)?;
                self.has_number = true;
            }
            "fixed" => {
                let place = words.point("the place")?;
                let mut angle = |axis| words.float(&format!("the turn about {axis} in radians"));
                structure.fixed = Some((place, glam::DVec3::new(angle("x")?, angle("y")?, angle("z")?)));
            }
            "center" | "centerofmass" => structure.center = true,
            "inside" | "outside" | "over" | "above" | "below" => {
                let atoms = atoms.as_ref().map(|(atoms, _)| atoms.clone());
                structure.constraints.push(shapes::constraint(keyword, words, atoms)?);
            }
            "constrain_rotation" => self.rotation(words)?,
            "radius" => {
                let atoms = atoms.as_ref().map(|(atoms, _)| atoms.clone());
                let expected = "half of the distance that atoms keep, 0 or more angstroms";
                let word = words.float(expected)?;
                if word < 0.0 {
                    return Err(words.line_error(expected));
                }
                structure.radii.push((atoms, word));
            }
            "atoms" => self.atoms(words)?,
            "resnumbers" => structure.residue_numbers = Some(residue_numbers(words)?),
            "chain" => structure.chain = words.expect("the letter of a chain")?.text.chars().next(),
            "changechains" => structure.change_chains = true,
            "segid" => structure.segment = words.expect("the name of a segment")?.text.chars().take(8).collect(),
            "connect" => structure.connect = yes_or_no(words)?,
            "restart_from" => structure.restart_from = Some(words.expect("a file")?.text.into()),
            "restart_to" => structure.restart_to = Some(words.expect("a file")?.text.into()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn atoms(&mut self, words: &mut Words<'_>) -> Result<(), ReadError> {
        if let Some((_, line)) = &self.atoms {
            return Err(words.line_error(format!("\"end atoms\" for the atoms of line {line} first")));
        }
        let expected = "the number of an atom, counted from 1";
        let mut atoms = Vec::with_capacity(words.left());
        let mut word = Some(words.expect(expected)?);
        while let Some(atom) = word {
            atoms.push(index(&atom).ok_or_else(|| words.error(&atom, expected))?);
            word = words.next();
        }
        self.atoms = Some((atoms, words.line));
        Ok(())
    }

    pub(super) fn end_atoms(&mut self, words: &Words<'_>) -> Result<(), ReadError> {
        match self.atoms.take() {
            Some(_) => Ok(()),
            None => Err(words.line_error("\"atoms\" before \"end atoms\"")),
        }
    }

    fn rotation(&mut self, words: &mut Words<'_>) -> Result<(), ReadError> {
        let axis = words.expect("an axis (x, y, z)")?;
        let place = ["x", "y", "z"].iter().position(|name| axis.text.eq_ignore_ascii_case(name));
        let place = place.ok_or_else(|| words.error(&axis, "an axis (x, y, z)"))?;
        let middle = words.float("the angle in degrees")?;
        let half = words.float("how far the angle may deviate, in degrees")?.abs();
        self.structure.rotation[place] = Some((middle.to_radians(), half.to_radians()));
        Ok(())
    }

    /// The structure, if it is whole; else what was expected. Beside it stand warnings.
    pub(super) fn close(self, is_periodic: bool) -> Result<(PackmolStructure, Vec<&'static str>), String> {
        let Self { structure, has_number, atoms } = self;
        if let Some((_, line)) = atoms {
            return Err(format!("\"end atoms\" for the atoms of line {line} before \"end structure\""));
        }
        if structure.fixed.is_some() && structure.number > 1 {
            return Err("number 1 for a fixed structure".to_owned());
        }
        if structure.fixed.is_some() && (structure.restart_from.is_some() || structure.restart_to.is_some()) {
            return Err("no restart file for a fixed structure, whose pose is known".to_owned());
        }
        if structure.chain.is_some() && structure.change_chains {
            return Err("either chain or changechains".to_owned());
        }
        if structure.fixed.is_none() && structure.constraints.is_empty() && !is_periodic {
            return Err("a constraint (inside, outside, over, above, below), fixed, or pbc for all".to_owned());
        }
        let is_turned = structure.rotation.iter().any(Option::is_some);
        let warnings = [
            (!has_number && structure.fixed.is_none(), "no number; taken as 1"),
            (structure.fixed.is_some() && is_turned, "constrain_rotation changes nothing: it is fixed"),
        ];
        let warnings = warnings.into_iter().filter(|(is_so, _)| *is_so).map(|(_, text)| text).collect();
        Ok((structure, warnings))
    }
}

fn number(words: &mut Words<'_>) -> Result<u64, ReadError> {
    let word = words.expect("how many molecules")?;
    let fits = |number: &u64| (1..=MOST_MOLECULES).contains(number);
    let expected = || "how many molecules: 1 to 100,000,000, more than any file of atoms can hold".to_owned();
    word.text.parse().ok().filter(fits).ok_or_else(|| words.error(&word, expected()))
}

fn index(atom: &Word) -> Option<u32> {
    atom.text.parse::<u32>().ok()?.checked_sub(1)
}

fn residue_numbers(words: &mut Words<'_>) -> Result<u8, ReadError> {
    let expected = "0 (by molecule), 1 (as in the file), 2 (onwards through all) or 3 (by molecule of all)";
    let word = words.expect(expected)?;
    word.text.parse().ok().filter(|&way: &u8| way <= 3).ok_or_else(|| words.error(&word, expected))
}

pub(super) fn yes_or_no(words: &mut Words<'_>) -> Result<bool, ReadError> {
    let word = words.expect("yes or no")?;
    match word.text.to_ascii_lowercase().as_str() {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(words.error(&word, "yes or no")),
    }
}
