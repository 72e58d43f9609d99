//! Bonds from distances.
//!
//! How it works: most bonds lie inside a residue, and residues are small, so all pairs of a residue are measured; two
//! atoms are bonded when they are closer than the sum of their covalent radii (Cordero 2008) and 0.4 Å, the margin that
//! most viewers use. Consecutive residues of a chain are joined by name only: C to N and O3' to P. What is left are the
//! bonds that a file should have stated: disulfides, sugars on asparagine, inhibitors on a serine. Here a clash must
//! not pass for a bond, so such a link has to look like one: the right length to 0.2 Å and tetrahedral to planar angles
//! at both ends.
//!
//! Never bonded: atoms of different models, of alternate locations that exclude each other, of two waters or of a water
//! and anything else, two hydrogens, two metals; a metal binds inside its own residue (haem) and nowhere else.

use super::kind::{Polymer, is_hydrogen, is_metal, is_water, polymer};
use super::nearby::Nearby;
use crate::{Element, Name, Structure};

// Added to the sum of covalent radii; C-C up to 1.92 Å.
const MARGIN: f32 = 0.4;
// Two atoms closer than this are one atom written twice.
const NEAREST: f32 = 0.4;
// Up to this size all pairs of a residue are cheaper than sorting its atoms by place.
const SMALL: usize = 64;
// S-S is 2.05 Å, the longest link between residues.
const LONGEST_LINK: f32 = 2.3;

pub(super) fn perceive(structure: &Structure) -> Vec<(u32, u32)> {
    let residues = Members::new(structure);
    let mut bonds = Vec::with_capacity(structure.atoms.len() * 5 / 4);
    let mut nearest = Vec::new();
    for residue in 0..structure.residues.len() {
        inside(structure, residues.of(residue), &mut nearest, &mut bonds);
    }
    backbone(structure, &residues, &mut bonds);
    links(structure, &mut bonds);
    bonds
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
}

// A hydrogen has one bond, so it keeps the nearest partner only; `nearest` is scratch space.
fn inside(structure: &Structure, atoms: &[u32], nearest: &mut Vec<(f32, u32)>, bonds: &mut Vec<(u32, u32)>) {
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
    let positions = &structure.atoms.positions;
    if atoms.len() <= SMALL {
        for i in 0..atoms.len() {
            let here = positions[atoms[i] as usize];
            for j in i + 1..atoms.len() {
                pair(i, j, here.distance_squared(positions[atoms[j] as usize]));
            }
        }
    } else {
        each_close_pair(structure, atoms, pair);
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

fn exclude_each_other(structure: &Structure, a: u32, b: u32) -> bool {
    let (a, b) = (structure.atoms.alternates[a as usize], structure.atoms.alternates[b as usize]);
    a != 0 && b != 0 && a != b
}

// Looks two residues ahead, because a position can hold two residues (microheterogeneity).
fn backbone(structure: &Structure, residues: &Members, bonds: &mut Vec<(u32, u32)>) {
    let is_tail = |name: Name| matches!(name.as_bytes(), b"C" | b"O3'" | b"O3*");
    let is_head = |name: Name| matches!(name.as_bytes(), b"N" | b"P");
    let named = |residue: usize, wanted: &dyn Fn(Name) -> bool| -> Vec<u32> {
        let atoms = residues.of(residue).iter().copied();
        atoms.filter(|&atom| wanted(structure.atoms.names[atom as usize])).collect()
    };
    for residue in 0..structure.residues.len() {
        if is_water(structure.residues[residue].name) {
            continue;
        }
        let tails = named(residue, &is_tail);
        let ahead = (residue + 1)..(residue + 3).min(structure.residues.len());
        for next in ahead.filter(|&next| structure.residues[next].chain == structure.residues[residue].chain) {
            for &head in &named(next, &is_head) {
                bonds.extend(tails.iter().filter(|&&tail| joins(structure, tail, head)).map(|&tail| (tail, head)));
            }
        }
    }
}

fn joins(structure: &Structure, tail: u32, head: u32) -> bool {
    let (one, two) = (structure.atoms.elements[tail as usize], structure.atoms.elements[head as usize]);
    let kinds = [(Element::CARBON, Element::NITROGEN), (Element::OXYGEN, Element::PHOSPHORUS)];
    let square = distance_squared(structure, tail, head);
    kinds.contains(&(one, two)) && near_enough(one, two, square) && !exclude_each_other(structure, tail, head)
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
    for atom in (0..atoms).filter(can_link).filter(|&atom| linking(atom) != Linking::Never) {
        nearby.each(structure.atoms.positions[atom as usize], |start, square| {
            if may_link(structure, start, atom, square) {
                candidates.push((start.min(atom), start.max(atom)));
            }
        });
    }
    candidates.sort_unstable();
    candidates.dedup();
    accept(structure, candidates, bonds);
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

// Cosines of 92 and 140 degrees: C-S-S is 104, C-O-C up to 120, aromatic C-N-C up to 130.
fn accept(structure: &Structure, candidates: Vec<(u32, u32)>, bonds: &mut Vec<(u32, u32)>) {
    if candidates.is_empty() {
        return;
    }
    let known: rustc_hash::FxHashSet<(u32, u32)> = bonds.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    let mut wanted: rustc_hash::FxHashMap<u32, Vec<u32>> = rustc_hash::FxHashMap::default();
    for &(a, b) in &candidates {
        wanted.entry(a).or_default();
        wanted.entry(b).or_default();
    }
    for &(a, b) in bonds.iter() {
        for (end, other) in [(a, b), (b, a)] {
            if let Some(neighbours) = wanted.get_mut(&end) {
                neighbours.push(other);
            }
        }
    }
    let position = |atom: u32| structure.atoms.positions[atom as usize];
    let fits = |at: u32, to: u32| {
        let link = (position(to) - position(at)).normalize_or_zero();
        let neighbours = wanted.get(&at).map_or(&[][..], Vec::as_slice);
        let angles = neighbours.iter().map(|&next| (position(next) - position(at)).normalize_or_zero().dot(link));
        neighbours.len() < 4 && angles.into_iter().all(|cosine| (-0.766..=-0.035).contains(&cosine))
    };
    let good = candidates.iter().filter(|pair| !known.contains(pair)).filter(|&&(a, b)| fits(a, b) && fits(b, a));
    bonds.extend(good.copied().collect::<Vec<_>>());
}
