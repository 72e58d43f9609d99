//! Copies and boxes: `REMARK 350`, `MTRIX` and `CRYST1`.
//!
//! How it works: an operator comes as three rows, which are gathered until the third. `BIOMOLECULE` opens an assembly,
//! `APPLY THE FOLLOWING TO CHAINS` a group of chains within it, and every operator after that is a pose of that group.
//! Chain names become chain indices at the end, when the atoms are known.

use std::collections::BTreeMap;

use glam::{DMat3, DVec3};
use smol_str::SmolStr;

use super::fields::number;
use crate::{Assembly, Copies, PeriodicBox, Place, Pose, Structure, Warnings};

/// Everything in the file that speaks of copies, in file order.
#[derive(Debug, Default)]
pub(super) struct Operators {
    biological: Vec<Biomolecule>,
    crystallographic: Vec<Pose>,
    rows: Rows,
}

#[derive(Debug, Default)]
struct Biomolecule {
    id: String,
    groups: Vec<Group>,
}

// No chain names at all means all chains.
#[derive(Debug, Default)]
struct Group {
    chains: Vec<SmolStr>,
    poses: Vec<Pose>,
}

// The rows of one operator so far.
#[derive(Debug, Default)]
struct Rows {
    matrix: [[f64; 4]; 3],
    next: usize,
}

impl Rows {
    /// Takes a row; the operator once the third is there. `Err` is what is wrong with it.
    fn push(&mut self, row: usize, values: Option<[f64; 4]>) -> Result<Option<Pose>, &'static str> {
        let expected = std::mem::take(&mut self.next);
        let values = values.ok_or("a row of an operator has no four numbers; the operator is left out")?;
        if row != 0 && row != expected {
            return Err("the rows of an operator are out of order; it is left out");
        }
        self.matrix[row] = values;
        if row < 2 {
            self.next = row + 1;
            return Ok(None);
        }
        let column = |column: usize| DVec3::from_array(self.matrix.map(|row| row[column]));
        let rotation = DMat3::from_cols(column(0), column(1), column(2));
        Pose::from_matrix(rotation, column(3)).map(Some).ok_or("an operator is no rotation; it is left out")
    }
}

impl Operators {
    /// A line that starts with `REMARK 350`.
    pub(super) fn remark_350(&mut self, line: &[u8], place: Place, warnings: &mut Warnings) {
        let text = String::from_utf8_lossy(line.get(10..).unwrap_or_default());
        let text = text.trim();
        if let Some((_, id)) = text.split_once("BIOMOLECULE:") {
            self.biological.push(Biomolecule { id: id.trim().to_owned(), groups: Vec::new() });
        } else if let Some(row) = text.strip_prefix("BIOMT") {
            let row = self.row(row, place, warnings);
            self.last_group().poses.extend(row);
        } else if let Some((before, names)) = text.split_once("CHAINS:") {
            if before.starts_with("APPLY") {
                self.last_biomolecule().groups.push(Group::default());
            }
            let names = names.split([',', ' ']).filter(|name| !name.is_empty());
            let blank_or = |name| if name == "NULL" { SmolStr::default() } else { SmolStr::new(name) };
            self.last_group().chains.extend(names.map(blank_or));
        }
    }

    /// A line that starts with `MTRIX`. A 1 in column 60 marks a copy whose atoms are in the file.
    pub(super) fn matrix(&mut self, line: &[u8], place: Place, warnings: &mut Warnings) {
        let text = String::from_utf8_lossy(&line[5..]);
        let row = self.row(&text, place, warnings);
        let given = line.get(59).is_some_and(|&column| column == b'1');
        self.crystallographic.extend(row.filter(|_| !given));
    }

    fn row(&mut self, text: &str, place: Place, warnings: &mut Warnings) -> Option<Pose> {
        let row = match text.as_bytes().first() {
            Some(digit @ b'1'..=b'3') => usize::from(digit - b'1'),
            _ => return None,
        };
        self.rows.push(row, four_numbers(&text[1..])).unwrap_or_else(|problem| {
            warnings.push(place, || problem.to_owned());
            None
        })
    }

    fn last_biomolecule(&mut self) -> &mut Biomolecule {
        if self.biological.is_empty() {
            self.biological.push(Biomolecule { id: "1".to_owned(), groups: Vec::new() });
        }
        let last = self.biological.len() - 1;
        &mut self.biological[last]
    }

    fn last_group(&mut self) -> &mut Group {
        let groups = &mut self.last_biomolecule().groups;
        if groups.is_empty() {
            groups.push(Group::default());
        }
        let last = groups.len() - 1;
        &mut groups[last]
    }

    /// The assemblies, once the chains of the first model are known.
    pub(super) fn assemblies(self, structure: &Structure, warnings: &mut Warnings) -> Vec<Assembly> {
        let first_model = structure.chains.iter().zip(0..).filter(|(chain, _)| chain.model == 0);
        let by_name = first_model.map(|(chain, at)| (chain.name.clone(), at)).collect();
        let mut chains = Chains { by_name, all_taken: false, warnings };
        let mut assemblies = Vec::new();
        for biomolecule in self.biological {
            let groups = biomolecule.groups.into_iter();
            let copies: Vec<_> = groups.filter_map(|group| chains.copies(group)).collect();
            if !copies.is_empty() {
                assemblies.push(Assembly { id: biomolecule.id, copies });
            }
        }
        if assemblies.is_empty() && !self.crystallographic.is_empty() {
            let poses = std::iter::once(Pose::IDENTITY).chain(self.crystallographic).collect();
            let copies = Vec::from_iter(chains.copies(Group { chains: Vec::new(), poses }));
            assemblies.push(Assembly { id: "ncs".to_owned(), copies });
        }
        assemblies
    }
}

// The chains of the first model, by name; maps that are iterated are ordered maps.
struct Chains<'a> {
    by_name: BTreeMap<SmolStr, u32>,
    all_taken: bool,
    warnings: &'a mut Warnings,
}

impl Chains<'_> {
    fn copies(&mut self, group: Group) -> Option<Copies> {
        if group.poses.is_empty() {
            return None;
        }
        let mut chains = if group.chains.is_empty() { self.all() } else { self.named(&group.chains) };
        chains.sort_unstable();
        chains.dedup();
        (!chains.is_empty()).then(|| Copies { name: SmolStr::default(), chains, poses: group.poses })
    }

    fn named(&mut self, names: &[SmolStr]) -> Vec<u32> {
        let mut chains = Vec::new();
        for name in names {
            match self.by_name.get(name) {
                Some(&chain) => chains.push(chain),
                None => {
                    let message = || format!("REMARK 350 copies chain {name:?}, which has no atoms in the first model");
                    self.warnings.push(Place::File, message);
                }
            }
        }
        chains
    }

    // Very old files name no chains, but they have one assembly. Ten thousand assemblies of all chains would be a
    // small file that asks for gigabytes.
    fn all(&mut self) -> Vec<u32> {
        if std::mem::replace(&mut self.all_taken, true) {
            let message = || "a second assembly in REMARK 350 that names no chains is left out".to_owned();
            self.warnings.push(Place::File, message);
            return Vec::new();
        }
        self.by_name.values().copied().collect()
    }
}

// The three numbers of the rotation and the translation, which follow the operator's own number.
fn four_numbers(text: &str) -> Option<[f64; 4]> {
    let mut words = text.split_ascii_whitespace().skip(1).map(|word| number(word.as_bytes()));
    let [x, y, z, shift] = [(); 4].map(|()| words.next().flatten());
    Some([x?, y?, z?, shift?])
}

/// The box and space group of a `CRYST1` line; `Err` is what is wrong with it.
///
/// An edge of one angstrom or none is how programs say that there is no crystal.
pub(super) fn unit_cell(line: &[u8]) -> Result<Option<(PeriodicBox, String)>, &'static str> {
    let columns = [6..15, 15..24, 24..33, 33..40, 40..47, 47..54];
    let numbers = columns.map(|columns| number(line.get(columns.start..columns.end.min(line.len()))?));
    let [Some(a), Some(b), Some(c), Some(alpha), Some(beta), Some(gamma)] = numbers else {
        return Err("the unit cell is not six numbers; it is left out");
    };
    let (edges, angles) = (DVec3::new(a, b, c), DVec3::new(alpha, beta, gamma));
    if edges.max_element() <= 1.0 {
        return Ok(None);
    }
    let periodic_box = PeriodicBox::from_edges_and_angles(edges, angles)
        .ok_or("the edges and angles of the unit cell span no volume; it is left out")?;
    let space_group = line.get(55..line.len().min(66)).unwrap_or_default();
    Ok(Some((periodic_box, String::from_utf8_lossy(space_group).trim().to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_cell_keeps_its_space_group_and_the_dummy_is_no_box() {
        let line = b"CRYST1   50.840   42.770   28.950  90.00  90.00  90.00 P 21 21 21    4          ";
        let (periodic_box, space_group) = unit_cell(line).unwrap().unwrap();
        assert!((periodic_box.edges() - DVec3::new(50.84, 42.77, 28.95)).length() < 1e-9);
        assert_eq!(space_group, "P 21 21 21");
        assert_eq!(unit_cell(b"CRYST1    1.000    1.000    1.000  90.00  90.00  90.00 P 1           1"), Ok(None));
        assert!(unit_cell(b"CRYST1   50.840   42.770").is_err());
        assert!(unit_cell(b"CRYST1   50.840   42.770   28.950 170.00 170.00 170.00").is_err());
    }

    #[test]
    fn mirrors_and_incomplete_operators_are_left_out() {
        assert_eq!(four_numbers("1000 -1.000000 0.0 0.5 -1234.56789"), Some([-1.0, 0.0, 0.5, -1234.56789]));
        assert_eq!(four_numbers("1000 -1.000000 0.0 nan -1234.56789"), None);
        let mut rows = Rows::default();
        assert_eq!(rows.push(0, Some([-1.0, 0.0, 0.0, 0.0])), Ok(None));
        assert_eq!(rows.push(1, Some([0.0, 1.0, 0.0, 0.0])), Ok(None));
        assert!(rows.push(2, Some([0.0, 0.0, 1.0, 0.0])).is_err());
        assert!(rows.push(2, Some([0.0, 0.0, 1.0, 0.0])).is_err(), "a third row without the first two");
    }
}
