//! Bonds from names and distances.
//!
//! How it works: most bonds lie inside a residue. The heavy atoms of a standard residue are known by name
//! (`standard_bonds.rs`), so their bonds are those of the table, up to 3.0 Å long, and no others. Of what is left
//! (hydrogens, ligands, sugars) all pairs of a residue are measured, for residues are small; two atoms are bonded when
//! they are closer than the sum of their covalent radii (Cordero 2008) and 0.4 Å, the margin that most viewers use.
//! Consecutive residues of a chain are joined by name only: C to N and O3' to P, up to 2.3 Å in standard residues. What
//! is left are the bonds that a file should have stated: disulfides, sugars on asparagine, inhibitors on a serine. Here
//! a clash must not pass for a bond, so such a link has to look like one: the right length to 0.2 Å and tetrahedral to
//! planar angles at both ends.
//!
//! Never bonded: atoms of different models, of alternate locations that exclude each other, of two waters or of a water
//! and anything else, two hydrogens, two metals; a metal binds inside its own residue (haem) and nowhere else.

use rayon::prelude::*;

use super::kind::{Polymer, is_hydrogen, is_metal, is_water, polymer};
use super::nearby::Nearby;
use super::standard_bonds::{KnownAtoms, StandardResidue};
use crate::{Element, Name, Residue, Structure};

// Added to the sum of covalent radii; C-C up to 1.92 Å.
const MARGIN: f32 = 0.4;
// A bond of the table may be so long, and as short as can be: 4HHB has one of 2.97 Å and one of 0.23 Å, and the names
// leave no doubt.
const LONGEST_BY_NAME: f32 = 3.0;
// Likewise between the residues of a chain, but less: a chain can have a gap, and N and C of one residue are 2.46 Å
// apart, so that two residues in one place would be joined.
const LONGEST_IN_CHAIN: f32 = 2.3;
// Two atoms closer than this are one atom written twice.
const NEAREST: f32 = 0.4;
// Up to this size all pairs of a residue are cheaper than sorting its atoms by place.
const SMALL: usize = 64;
// S-S is 2.05 Å, the longest link between residues.
const LONGEST_LINK: f32 = 2.3;

/// Pairs of bonded atoms, in no order; a bond may be listed twice.
pub(super) fn perceive(structure: &Structure) -> Vec<(u32, u32)> {
    let residues = Members::new(structure);
    let mut scratch = Scratch::default();
    let mut bonds: Vec<(u32, u32)> = inside_residues(structure, &residues);
    for (standard, together) in fragments(structure, &residues) {
        inside(structure, standard, &together, &mut scratch, &mut bonds);
    }
    for together in shared_positions(structure, &residues) {
        inside(structure, None, &together, &mut scratch, &mut bonds);
    }
    backbone(structure, &residues, &mut bonds);
    links(structure, &mut bonds);
    bonds
}

fn inside_residues(structure: &Structure, residues: &Members) -> Vec<(u32, u32)> {
    const RESIDUES_PER_BLOCK: usize = 1024;
    let blocks = structure.residues.len().div_ceil(RESIDUES_PER_BLOCK);
    let block = |block: usize| {
        let first = block * RESIDUES_PER_BLOCK;
        let last = (first + RESIDUES_PER_BLOCK).min(structure.residues.len());
        let (mut scratch, mut bonds) = (Scratch::default(), Vec::new());
        for residue in first..last {
            let standard = StandardResidue::named(structure.residues[residue].name);
            inside(structure, standard, residues.of(residue), &mut scratch, &mut bonds);
        }
        bonds
    };
    (0..blocks).into_par_iter().map(block).collect::<Vec<_>>().concat()
}

// The atoms of each residue; nearly always a run of the file, but alternate residues interleave.
struct Members {
    starts: Vec<u32>,
    atoms: Vec<u32>,
}

impl Members {
    fn new(structure: &Structure) -> Self {
        let of_atom = &structure.atoms.residues;
        let mut starts = vec![0; structure.residues.len() + 1];
        for &residue in of_atom {
            starts[residue as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut atoms = vec![0; of_atom.len()];
        for (atom, &residue) in of_atom.iter().enumerate().rev() {
            starts[residue as usize] -= 1;
            atoms[starts[residue as usize] as usize] = atom as u32;
        }
        Self { starts, atoms }
    }

    fn of(&self, residue: usize) -> &[u32] {
        &self.atoms[self.starts[residue] as usize..self.starts[residue + 1] as usize]
    }

    // Residues by where most of their atoms stand: a stray atom in front of the others must not pull its residue out of
    // the chain (1iep_receptorH: one hydrogen of SER 438 is the first atom of the file).
    fn in_file_order(&self) -> Vec<usize> {
        let middle = |&residue: &usize| {
            let atoms = self.of(residue);
            atoms.get(atoms.len() / 2).copied()
        };
        let mut order: Vec<usize> = (0..self.starts.len() - 1).collect();
        order.sort_by_key(middle);
        order
    }
}

// Kept from residue to residue, so that nothing is allocated.
#[derive(Default)]
struct Scratch {
    known: KnownAtoms,
    // A hydrogen has one bond, so it keeps the nearest partner only.
    nearest: Vec<(f32, u32)>,
}

fn inside(
    structure: &Structure,
    standard: Option<&StandardResidue>,
    atoms: &[u32],
    scratch: &mut Scratch,
    bonds: &mut Vec<(u32, u32)>,
) {
    let Scratch { known, nearest } = scratch;
    known.find(standard, structure, atoms, |i, j| {
        let (a, b) = (atoms[i], atoms[j]);
        let near = distance_squared(structure, a, b) <= LONGEST_BY_NAME * LONGEST_BY_NAME;
        if near && !exclude_each_other(structure, a, b) {
            bonds.push((a, b));
        }
    });
    by_distance(structure, atoms, known, nearest, bonds);
}

// All pairs but those of two atoms that are known by name.
fn by_distance(
    structure: &Structure,
    atoms: &[u32],
    known: &KnownAtoms,
    nearest: &mut Vec<(f32, u32)>,
    bonds: &mut Vec<(u32, u32)>,
) {
    let elements = &structure.atoms.elements;
    nearest.clear();
    nearest.resize(atoms.len(), (f32::INFINITY, u32::MAX));
    let mut pair = |i: usize, j: usize, square: f32| {
        let (a, b) = (atoms[i], atoms[j]);
        let (one, two) = (elements[a as usize], elements[b as usize]);
        if !near_enough(one, two, square) || exclude_each_other(structure, a, b) {
            return;
        }
        match (is_hydrogen(one), is_hydrogen(two)) {
            (true, true) => {}
            (true, false) if square < nearest[i].0 => nearest[i] = (square, b),
            (false, true) if square < nearest[j].0 => nearest[j] = (square, a),
            (false, false) if !(is_metal(one) && is_metal(two)) => bonds.push((a, b)),
            _ => {}
        }
    };
    if atoms.len() <= SMALL {
        for i in (0..atoms.len()).filter(|&i| !known.contains(i)) {
            for j in (0..atoms.len()).filter(|&j| i < j || known.contains(j)) {
                pair(i, j, distance_squared(structure, atoms[i], atoms[j]));
            }
        }
    } else {
        each_close_pair(structure, atoms, |i, j, square| {
            if !(known.contains(i) && known.contains(j)) {
                pair(i, j, square);
            }
        });
    }
    let owned = atoms.iter().zip(nearest.iter()).filter(|(_, nearest)| nearest.1 != u32::MAX);
    bonds.extend(owned.map(|(&hydrogen, nearest)| (hydrogen, nearest.1)));
}

fn each_close_pair(structure: &Structure, atoms: &[u32], mut pair: impl FnMut(usize, usize, f32)) {
    let positions: Vec<glam::Vec3> = atoms.iter().map(|&atom| structure.atoms.positions[atom as usize]).collect();
    let widest = atoms.iter().map(|&atom| structure.atoms.elements[atom as usize].covalent_radius());
    let reach = 2.0 * widest.fold(0.0, f32::max) + MARGIN;
    let members: Vec<u32> = (0..atoms.len() as u32).collect();
    let nearby = Nearby::new(&positions, &members, reach);
    for (i, &here) in positions.iter().enumerate() {
        nearby.each(here, |j, square| {
            if i < j as usize {
                pair(i, j as usize, square);
            }
        });
    }
}

fn near_enough(one: Element, two: Element, square: f32) -> bool {
    let longest = one.covalent_radius() + two.covalent_radius() + MARGIN;
    square <= longest * longest && square >= NEAREST * NEAREST
}

pub(super) fn exclude_each_other(structure: &Structure, a: u32, b: u32) -> bool {
    let (a, b) = (structure.atoms.alternates[a as usize], structure.atoms.alternates[b as usize]);
    a != 0 && b != 0 && a != b
}

// Some programs write an atom or two of a residue far from the rest of it, most often added hydrogens.
fn fragments(structure: &Structure, residues: &Members) -> Vec<(Option<&'static StandardResidue>, Vec<u32>)> {
    const FRAGMENT: usize = 3;
    let key = |residue: usize| {
        let Residue { chain, name, number, insertion, .. } = structure.residues[residue];
        (chain, name, number, insertion)
    };
    let is_polymer = |&residue: &usize| polymer(structure.residues[residue].name).is_some();
    let all = 0..structure.residues.len();
    let small = |&residue: &usize| residues.of(residue).len() <= FRAGMENT;
    let strays: Vec<usize> = all.clone().filter(small).filter(is_polymer).collect();
    if strays.is_empty() {
        return Vec::new();
    }
    let whole: rustc_hash::FxHashMap<_, usize> =
        all.filter(|residue| !small(residue)).filter(is_polymer).map(|residue| (key(residue), residue)).collect();
    let homes = strays.iter().filter_map(|&stray| Some((stray, *whole.get(&key(stray))?)));
    homes
        .map(|(stray, home)| {
            let standard = StandardResidue::named(structure.residues[home].name);
            (standard, [residues.of(home), residues.of(stray)].concat())
        })
        .collect()
}

// Microheterogeneity: two residues at one position, by alternate location, which may share the atoms that are the same.
fn shared_positions(structure: &Structure, residues: &Members) -> Vec<Vec<u32>> {
    let alternates = |residue: usize| residues.of(residue).iter().any(|&a| structure.atoms.alternates[a as usize] != 0);
    let position = |residue: &Residue| (residue.chain, residue.number, residue.insertion);
    let neighbours = structure.residues.windows(2).enumerate();
    neighbours
        .filter(|(_, pair)| position(&pair[0]) == position(&pair[1]) && pair[0].name != pair[1].name)
        .filter(|&(first, _)| alternates(first) || alternates(first + 1))
        .map(|(first, _)| [residues.of(first), residues.of(first + 1)].concat())
        .collect()
}

// Looks two residues ahead, because a position can hold two residues (microheterogeneity).
fn backbone(structure: &Structure, residues: &Members, bonds: &mut Vec<(u32, u32)>) {
    let named = |residue: usize, wanted: fn(&[u8]) -> bool| {
        residues
            .of(residue)
            .iter()
            .copied()
            .filter(move |&atom| wanted(structure.atoms.names[atom as usize].as_bytes()))
    };
    let order = residues.in_file_order();
    for (place, &residue) in order.iter().enumerate() {
        if is_water(structure.residues[residue].name) {
            continue;
        }
        let ahead = &order[place + 1..(place + 3).min(order.len())];
        for tail in named(residue, |name| matches!(name, b"C" | b"O3'" | b"O3*")) {
            for &next in ahead {
                if structure.residues[next].chain == structure.residues[residue].chain {
                    let heads = named(next, |name| matches!(name, b"N" | b"P"));
                    let joined = heads.filter(|&head| {
                        joins(structure, tail, head, || may_be_stretched(&structure.residues, residue, ahead[0], next))
                    });
                    bonds.extend(joined.map(|head| (tail, head)));
                }
            }
        }
    }
}

fn joins(structure: &Structure, tail: u32, head: u32, may_be_stretched: impl Fn() -> bool) -> bool {
    let (one, two) = (structure.atoms.elements[tail as usize], structure.atoms.elements[head as usize]);
    let kinds = [(Element::CARBON, Element::NITROGEN), (Element::OXYGEN, Element::PHOSPHORUS)];
    let square = distance_squared(structure, tail, head);
    let stretched = || (NEAREST..=LONGEST_IN_CHAIN).contains(&square.sqrt()) && may_be_stretched();
    kinds.contains(&(one, two))
        && (near_enough(one, two, square) || stretched())
        && !exclude_each_other(structure, tail, head)
}

// Two residues at one position do not follow each other, and the second next follows only where two share a position.
fn may_be_stretched(residues: &[Residue], residue: usize, first_ahead: usize, next: usize) -> bool {
    let position = |residue: usize| (residues[residue].number, residues[residue].insertion);
    let kind = |residue: usize| polymer(residues[residue].name);
    let follows = next == first_ahead || [position(residue), position(next)].contains(&position(first_ahead));
    follows && position(residue) != position(next) && kind(residue).is_some() && kind(residue) == kind(next)
}

fn distance_squared(structure: &Structure, a: u32, b: u32) -> f32 {
    structure.atoms.positions[a as usize].distance_squared(structure.atoms.positions[b as usize])
}

// Few atoms can start a link, so those are sorted by place and all atoms look for them.
fn links(structure: &Structure, bonds: &mut Vec<(u32, u32)>) {
    let residue_starts: Vec<Linking> = structure.residues.iter().map(|residue| Linking::of(residue.name)).collect();
    let linking = |atom: u32| match residue_starts[structure.atoms.residues[atom as usize] as usize] {
        Linking::Sulfur if structure.atoms.elements[atom as usize] != Element::SULFUR => Linking::Partner,
        other => other,
    };
    let atoms = structure.atoms.len() as u32;
    let can_link = |&atom: &u32| can_link(structure.atoms.elements[atom as usize]);
    let starts: Vec<u32> =
        (0..atoms).filter(|&atom| matches!(linking(atom), Linking::Sulfur | Linking::Any)).filter(can_link).collect();
    if starts.is_empty() {
        return;
    }
    let nearby = Nearby::new(&structure.atoms.positions, &starts, LONGEST_LINK);
    let mut candidates = Vec::new();
    // The carbons of a chain are full; its N, O and S are what links.
    let may_answer = |&atom: &u32| match linking(atom) {
        Linking::Never => false,
        Linking::Any => true,
        _ => structure.atoms.elements[atom as usize] != Element::CARBON,
    };
    for atom in (0..atoms).filter(can_link).filter(may_answer) {
        nearby.each(structure.atoms.positions[atom as usize], |start, square| {
            if may_link(structure, start, atom, square) {
                candidates.push((start.min(atom), start.max(atom)));
            }
        });
    }
    candidates.sort_unstable();
    candidates.dedup();
    accept(structure, &candidates, bonds);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Linking {
    Never,
    Partner,
    Sulfur,
    Any,
}

impl Linking {
    fn of(residue: Name) -> Self {
        match (is_water(residue), polymer(residue)) {
            (true, _) => Self::Never,
            (_, None) => Self::Any,
            (_, Some(Polymer::AminoAcid)) if residue.as_bytes().starts_with(b"CY") => Self::Sulfur,
            _ => Self::Partner,
        }
    }
}

fn can_link(element: Element) -> bool {
    const KINDS: [Element; 5] =
        [Element::CARBON, Element::NITROGEN, Element::OXYGEN, Element::PHOSPHORUS, Element::SULFUR];
    KINDS.contains(&element)
}

// Length, residues and elements; two carbons or two oxygens are more likely a clash.
fn may_link(structure: &Structure, a: u32, b: u32, square: f32) -> bool {
    let (one, two) = (structure.atoms.elements[a as usize], structure.atoms.elements[b as usize]);
    let length = one.covalent_radius() + two.covalent_radius();
    let (home, other) = (structure.atoms.residues[a as usize], structure.atoms.residues[b as usize]);
    let model = |residue: u32| structure.chains[structure.residues[residue as usize].chain as usize].model;
    home != other
        && (one != two || one == Element::SULFUR)
        && (square.sqrt() - length).abs() <= 0.2
        && model(home) == model(other)
        && !exclude_each_other(structure, a, b)
}

// The angle at both ends with every bond that is there already, and room for one more.
fn accept(structure: &Structure, candidates: &[(u32, u32)], bonds: &mut Vec<(u32, u32)>) {
    let ends = neighbours_of_ends(structure.atoms.len(), candidates, bonds);
    let position = |atom: u32| structure.atoms.positions[atom as usize];
    let fits = |at: u32, to: u32| {
        let link = (position(to) - position(at)).normalize_or_zero();
        let neighbours = ends.get(&at).map_or(&[][..], Vec::as_slice);
        let mut angles = neighbours.iter().map(|&next| (position(next) - position(at)).normalize_or_zero().dot(link));
        // Cosines of 140 and 92 degrees: C-S-S is 104, C-O-C up to 120, aromatic C-N-C up to 130.
        neighbours.len() < 4 && !neighbours.contains(&to) && angles.all(|cosine| (-0.766..=-0.035).contains(&cosine))
    };
    bonds.extend(candidates.iter().filter(|&&(a, b)| fits(a, b) && fits(b, a)));
}

type Neighbours = rustc_hash::FxHashMap<u32, Vec<u32>>;

fn neighbours_of_ends(atoms: usize, candidates: &[(u32, u32)], bonds: &[(u32, u32)]) -> Neighbours {
    let mut is_end = vec![false; if candidates.is_empty() { 0 } else { atoms }];
    for &(a, b) in candidates {
        is_end[a as usize] = true;
        is_end[b as usize] = true;
    }
    let mut ends = Neighbours::default();
    if !candidates.is_empty() {
        for (end, other) in bonds.iter().flat_map(|&(a, b)| [(a, b), (b, a)]) {
            if is_end[end as usize] {
                ends.entry(end).or_default().push(other);
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{AtomRecord, StructureBuilder};

    fn atom(residue: &str, number: i32, name: &str, element: Element, x: f32, y: f32) -> AtomRecord<'static> {
        AtomRecord {
            position: Vec3::new(x, y, 0.0),
            element,
            name: Name::new(name),
            residue_name: Name::new(residue),
            residue_number: number,
            chain: "A",
            ..AtomRecord::default()
        }
    }

    fn bonds(records: &[AtomRecord<'static>]) -> Vec<(u32, u32)> {
        let mut builder = StructureBuilder::new("test", 0);
        records.iter().for_each(|&record| builder.push(record));
        let mut bonds = perceive(&builder.finish());
        bonds.sort_unstable();
        bonds.dedup();
        bonds
    }

    const C: Element = Element::CARBON;
    const N: Element = Element::NITROGEN;
    const O: Element = Element::OXYGEN;
    const S: Element = Element::SULFUR;
    const H: Element = Element::HYDROGEN;

    #[test]
    fn a_hydrogen_belongs_to_the_nearest_heavy_atom_only() {
        let records =
            [atom("LIG", 1, "C1", C, 0.0, 0.0), atom("LIG", 1, "C2", C, 2.3, 0.0), atom("LIG", 1, "H", H, 1.1, 0.0)];
        assert_eq!(bonds(&records), [(2, 0)]);
    }

    #[test]
    fn alternates_that_exclude_each_other_are_not_bonded() {
        let mut records = [
            atom("LIG", 1, "C1", C, 0.0, 0.0),
            atom("LIG", 1, "O1", O, 1.4, 0.0),
            atom("LIG", 1, "O1", O, 0.0, 1.4),
            atom("LIG", 1, "C2", C, 1.4, 1.4),
        ];
        records[1].alternate = b'A';
        records[2].alternate = b'B';
        records[3].alternate = b'B';
        assert_eq!(bonds(&records), [(0, 1), (0, 2), (2, 3)]);
    }

    #[test]
    fn waters_bind_their_own_hydrogens_and_nothing_else() {
        let records = [
            atom("HOH", 1, "O", O, 0.0, 0.0),
            atom("HOH", 1, "H1", H, 0.96, 0.0),
            atom("HOH", 2, "O", O, 1.4, 0.0),
            atom("LIG", 3, "C1", C, 0.0, 1.4),
        ];
        assert_eq!(bonds(&records), [(1, 0)]);
    }

    #[test]
    fn a_peptide_bond_joins_neighbours_in_a_chain_and_not_two_chains() {
        let mut records = [atom("GLY", 1, "C", C, 0.0, 0.0), atom("GLY", 2, "N", N, 1.33, 0.0)];
        assert_eq!(bonds(&records), [(0, 1)]);
        records[1].chain = "B";
        assert_eq!(bonds(&records), []);
    }

    #[test]
    fn a_stretched_peptide_bond_joins_standard_residues_only() {
        let pair = |first: &str, second: &str, number: i32, length: f32| {
            bonds(&[atom(first, 1, "C", C, 0.0, 0.0), atom(second, number, "N", N, length, 0.0)])
        };
        assert_eq!(pair("GLY", "ALA", 2, 2.2), [(0, 1)]);
        assert_eq!(pair("GLY", "ALA", 2, 2.4), []);
        assert_eq!(pair("GLY", "LIG", 2, 2.2), []);
        assert_eq!(pair("GLY", "ALA", 1, 2.2), []);
    }

    #[test]
    fn names_decide_who_is_bonded_in_a_standard_residue() {
        // CB-CG is too long for a distance rule and CA-CG too short for anything else.
        let leucine = |anchor: &str| {
            let records = [
                atom("LEU", 1, anchor, C, 0.0, 0.0),
                atom("LEU", 1, "CB", C, 1.0, 1.7),
                atom("LEU", 1, "CG", C, 1.0, -1.2),
                atom("LEU", 1, "HG", H, 1.0, -2.3),
            ];
            bonds(&records)
        };
        assert_eq!(leucine("CA"), [(0, 1), (1, 2), (3, 2)]);
        assert_eq!(leucine("C9"), [(0, 2), (3, 2)]);
    }

    #[test]
    fn bonds_by_name_respect_alternates_and_mistrust_a_name_that_is_there_twice() {
        let serine = |alternates: [u8; 2]| {
            let mut records = [
                atom("SER", 1, "CA", C, 0.0, 0.0),
                atom("SER", 1, "CB", C, 1.5, 0.0),
                atom("SER", 1, "CB", C, 0.0, 2.2),
                atom("SER", 1, "OG", O, 1.4, 1.4),
            ];
            records[1].alternate = alternates[0];
            records[2].alternate = alternates[1];
            records[3].alternate = alternates[1];
            bonds(&records)
        };
        assert_eq!(serine([b'A', b'B']), [(0, 1), (0, 2), (2, 3)]);
        assert_eq!(serine([0, 0]), [(0, 1), (1, 3), (2, 3)]);
    }

    #[test]
    fn a_disulfide_is_a_bond_and_a_sulfur_on_top_of_a_chain_is_not() {
        let cystine = |x: f32, y: f32| {
            [
                atom("CYS", 1, "CB", C, -0.44, 1.75),
                atom("CYS", 1, "SG", S, 0.0, 0.0),
                atom("CYS", 9, "SG", S, 2.04, 0.0),
                atom("CYS", 9, "CB", C, x, y),
            ]
        };
        assert_eq!(bonds(&cystine(2.48, -1.75)), [(0, 1), (1, 2), (2, 3)]);
        // Straight on: C-S-S of 180 degrees is no chemistry.
        assert_eq!(bonds(&cystine(3.85, 0.0)), [(0, 1), (2, 3)]);
    }

    #[test]
    fn metals_bind_inside_their_residue_only() {
        let iron = Element::IRON;
        let records = [
            atom("HEM", 1, "FE", iron, 0.0, 0.0),
            atom("HEM", 1, "NA", N, 2.0, 0.0),
            atom("HIS", 2, "NE2", N, 0.0, 2.1),
        ];
        assert_eq!(bonds(&records), [(0, 1)]);
    }

    #[test]
    fn two_models_and_coincident_atoms_are_not_bonded() {
        let mut builder = StructureBuilder::new("test", 0);
        for model in 1..=2 {
            builder.start_model(model);
            builder.push(atom("LIG", 1, "C1", C, 0.0, 0.0));
            builder.push(atom("LIG", 1, "O1", O, 1.4, 0.0));
            builder.push(atom("LIG", 1, "O1", O, 1.4, 0.1));
        }
        let mut bonds = perceive(&builder.finish());
        bonds.sort_unstable();
        assert_eq!(bonds, [(0, 1), (0, 2), (3, 4), (3, 5)]);
    }

    #[test]
    fn a_large_residue_gives_the_bonds_of_a_small_one() {
        let chain: Vec<AtomRecord<'static>> =
            (0..200).map(|at| atom("PEG", 1, "C", C, 1.3 * at as f32, 0.75 * (at % 2) as f32)).collect();
        assert_eq!(bonds(&chain), (0..199).map(|at| (at, at + 1)).collect::<Vec<_>>());
    }
}
