//! Head and tails of a lipid, and how it stands upright.
//!
//! How it works: the head is the phosphorus, or without one the polar atom (nitrogen, oxygen, phosphorus, sulphur) that
//! has the most polar atoms within four bonds, together with those. The tails are the carbons at the end of a chain that are about as
//! many bonds away from the head as the farthest. A lipid stands upright when the middle of its tail ends, below, and
//! of its head, above, lie on a line along z; its heavy atoms are then centred on that axis, and its tail ends stand
//! 1.75 Å above the middle of the membrane, as they do on average in an equilibrated patch.

use glam::{DQuat, DVec3};
use steric_model::chemistry::{BondGraph, is_hydrogen};
use steric_model::suggest::expected_one_of;
use steric_model::{Element, Name, Structure};

/// Mean height of the tail ends above the middle of the membrane.
const TAIL_ENDS: f64 = 1.75;
/// Bonds from the middle of a head without phosphorus to its farthest polar atom.
const HEAD_REACH: u32 = 4;

/// Atoms of a lipid by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) head: Vec<u32>,
    pub(super) tails: Vec<u32>,
}

/// What was expected of a lipid, and what was found instead.
pub(super) type Refusal = (String, String);

impl Ends {
    /// By the names given, or from the structure where none are given.
    pub(super) fn find(
        structure: &Structure,
        bonds: &BondGraph,
        atoms: &[u32],
        head: &[String],
        tails: &[String],
    ) -> Result<Self, Refusal> {
        let head = if head.is_empty() { find_head(structure, bonds, atoms)? } else { named(structure, atoms, head)? };
        let tails = if tails.is_empty() {
            find_tails(structure, bonds, atoms, &head)?
        } else {
            named(structure, atoms, tails)?
        };
        Ok(Self { head, tails })
    }
}

/// The atoms of these names.
pub(super) fn named(structure: &Structure, atoms: &[u32], names: &[String]) -> Result<Vec<u32>, Refusal> {
    let mut found = Vec::new();
    for wanted in names {
        let name = Name::new(wanted);
        let before = found.len();
        found.extend(atoms.iter().copied().filter(|&atom| structure.atoms.names[atom as usize] == name));
        if found.len() == before {
            let mut known: Vec<&str> =
                atoms.iter().map(|&atom| structure.atoms.names[atom as usize].as_str()).collect();
            known.sort_unstable();
            known.dedup();
            known.truncate(200);
            return Err((expected_one_of("the name of one of its atoms", wanted, &known), wanted.clone()));
        }
    }
    Ok(found)
}

fn find_head(structure: &Structure, bonds: &BondGraph, atoms: &[u32]) -> Result<Vec<u32>, Refusal> {
    let element = |atom: u32| structure.atoms.elements[atom as usize];
    let phosphorus: Vec<u32> = atoms.iter().copied().filter(|&atom| element(atom) == Element::PHOSPHORUS).collect();
    if !phosphorus.is_empty() {
        return Ok(phosphorus);
    }
    let is_polar = |atom: &u32| matches!(element(*atom), Element::NITROGEN | Element::OXYGEN | Element::SULFUR);
    let polar: Vec<u32> = atoms.iter().copied().filter(is_polar).collect();
    let around = |from: u32| polar.iter().copied().filter(move |&to| bonds.within(from, to, HEAD_REACH)).collect();
    let heads = polar.iter().map(|&atom| -> Vec<u32> { around(atom) });
    let largest = heads.reduce(|best, next| if next.len() > best.len() { next } else { best });
    largest.ok_or_else(|| ("a lipid with a polar head, or its atoms in head".to_owned(), "no polar atom".to_owned()))
}

fn find_tails(structure: &Structure, bonds: &BondGraph, atoms: &[u32], head: &[u32]) -> Result<Vec<u32>, Refusal> {
    let element = |atom: u32| structure.atoms.elements[atom as usize];
    let bonds_away = bonds_away(structure.atoms.len(), bonds, head);
    let is_end = |atom: u32| {
        let heavy = bonds.neighbours(atom).iter().filter(|&&next| !is_hydrogen(element(next)));
        element(atom) == Element::CARBON && heavy.count() == 1
    };
    let away = |atom: u32| bonds_away[atom as usize].filter(|_| is_end(atom));
    let farthest = atoms.iter().filter_map(|&atom| away(atom)).max();
    // Palmitoyl ends after 16 carbons where arachidoyl beside it has 20; methyl groups on rings and choline are nearer.
    let Some(farthest) = farthest.filter(|&farthest| farthest >= 4) else {
        return Err((
            "a lipid with tails, or their ends in tails".to_owned(),
            "none four bonds from the head".to_owned(),
        ));
    };
    Ok(atoms.iter().copied().filter(|&atom| away(atom).is_some_and(|away| 4 * away >= 3 * farthest)).collect())
}

fn bonds_away(atoms: usize, bonds: &BondGraph, from: &[u32]) -> Vec<Option<u32>> {
    let mut away = vec![None; atoms];
    let mut reached = from.to_vec();
    let mut step = 0;
    while !reached.is_empty() {
        reached.retain(|&atom| away[atom as usize].is_none());
        for &atom in &reached {
            away[atom as usize] = Some(step);
        }
        reached = reached.iter().flat_map(|&atom| bonds.neighbours(atom).iter().copied()).collect();
        step += 1;
    }
    away
}

/// The middle of some atoms.
pub(super) fn middle(positions: &[DVec3], atoms: &[u32]) -> DVec3 {
    atoms.iter().map(|&atom| positions[atom as usize]).sum::<DVec3>() / atoms.len().max(1) as f64
}

/// Turns and shifts a lipid so that it stands upright; `heavy` are its atoms but for hydrogens.
pub(super) fn stand_up(positions: &mut [DVec3], atoms: &[u32], heavy: &[u32], ends: &Ends) {
    let along = middle(positions, &ends.head) - middle(positions, &ends.tails);
    let upright = DQuat::from_rotation_arc(along.normalize_or(DVec3::Z), DVec3::Z);
    for &atom in atoms {
        positions[atom as usize] = upright * positions[atom as usize];
    }
    let (center, tails) = (middle(positions, heavy), middle(positions, &ends.tails));
    let shift = DVec3::new(-center.x, -center.y, TAIL_ENDS - tails.z);
    for &atom in atoms {
        positions[atom as usize] += shift;
    }
}
