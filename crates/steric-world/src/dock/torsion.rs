//! Bonds that turn.
//!
//! How it works: a bond turns if it is single, in no ring, no amide, and if something hangs on both of its ends that is not only hydrogen on carbon. What is
//! beyond it, on the side with fewer atoms, moves. A tree that a PDBQT file states is taken as it is.

use glam::{DQuat, DVec3};
use steric_model::chemistry::BondGraph;
use steric_model::{Element, Structure};

/// A bond that turns, and the atoms beyond it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torsion {
    /// The end that stays.
    pub from: u32,
    /// The end around which the others turn.
    pub to: u32,
    /// Atoms that move, in order.
    pub moved: Vec<u32>,
}

/// All bonds of a molecule that turn.
///
/// ```
/// use steric_model::chemistry::BondGraph;
/// use steric_model::formats::xyz::read_xyz;
/// use steric_world::dock::Torsions;
///
/// let butane = b"4\nbutane\nC 0 0 0\nC 1.53 0 0\nC 2.04 1.44 0\nC 3.57 1.44 0\n";
/// let butane = read_xyz(butane, "butane.xyz".as_ref())?.value;
/// let torsions = Torsions::find(&butane, &BondGraph::new(&butane));
/// assert_eq!(torsions.all().len(), 1);
/// assert_eq!((torsions.all()[0].from, torsions.all()[0].to), (1, 2));
/// let places: Vec<_> = butane.atoms.positions.iter().map(|place| place.as_dvec3()).collect();
/// let turned = torsions.turned(&places, &[std::f64::consts::PI]);
/// assert!(turned[3].distance(places[0]) < 2.7, "the ends are on the same side now");
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Torsions {
    all: Vec<Torsion>,
    /// Pairs of atoms that torsions bring nearer or farther and that are more than three bonds apart.
    pairs: Vec<[u32; 2]>,
}

impl Torsions {
    /// Finds the bonds that turn.
    pub fn find(structure: &Structure, bonds: &BondGraph) -> Self {
        let turning = bonds.pairs().filter(|&(a, b)| turns(structure, bonds, a, b));
        Self::of_bonds(structure, bonds, turning.collect::<Vec<_>>())
    }

    /// These bonds turn, each by the numbers of its atoms, as far as they are bonds outside rings.
    pub fn of_bonds(structure: &Structure, bonds: &BondGraph, turning: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let count = structure.atoms.len();
        let mut all = Vec::new();
        for (a, b) in turning {
            if a as usize >= count || b as usize >= count {
                continue;
            }
            let Some(beyond) = beyond(bonds, count, a, b) else { continue };
            let Some(other) = self::beyond(bonds, count, b, a) else { continue };
            all.push(if beyond.len() <= other.len() { (a, b, beyond) } else { (b, a, other) });
        }
        Self::of(all, bonds, count)
    }

    /// Bonds by the end that stays, the end that turns, and all beyond it.
    fn of(bonds_and_beyond: Vec<(u32, u32, Vec<u32>)>, bonds: &BondGraph, count: usize) -> Self {
        let torsion = |(from, to, mut moved): (u32, u32, Vec<u32>)| {
            moved.retain(|&atom| atom != to);
            moved.sort_unstable();
            (!moved.is_empty()).then_some(Torsion { from, to, moved })
        };
        let mut all: Vec<Torsion> = bonds_and_beyond.into_iter().filter_map(torsion).collect();
        // From the middle outwards.
        all.sort_by_key(|torsion| (std::cmp::Reverse(torsion.moved.len()), torsion.from, torsion.to));
        let pairs = pairs(&all, bonds, count);
        Self { all, pairs }
    }

    /// Bonds that turn and hang on a root, each with the atoms on the side away from it; those to atoms of the given names are left as they are.
    pub fn outward(structure: &Structure, bonds: &BondGraph, root: u32, without: &[&str]) -> Self {
        let count = structure.atoms.len();
        let is_without = |atom: u32| without.contains(&structure.atoms.names[atom as usize].as_str());
        let mut all = Vec::new();
        for (a, b) in bonds.pairs().filter(|&(a, b)| turns(structure, bonds, a, b)) {
            if is_without(a) || is_without(b) {
                continue;
            }
            for (from, to) in [(a, b), (b, a)] {
                if let Some(moved) = beyond(bonds, count, from, to).filter(|moved| !moved.contains(&root)) {
                    all.push((from, to, moved));
                }
            }
        }
        Self::of(all, bonds, count)
    }

    /// All of them, the one that moves most first.
    pub fn all(&self) -> &[Torsion] {
        &self.all
    }

    /// Pairs of atoms whose distance depends on how bonds are turned and that are more than three bonds apart.
    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Places with every bond turned by so many radians; bonds without a number are left as they are.
    pub fn turned(&self, places: &[DVec3], radians: &[f64]) -> Vec<DVec3> {
        let mut places = places.to_vec();
        for (torsion, &angle) in self.all.iter().zip(radians) {
            let (from, to) = (places[torsion.from as usize], places[torsion.to as usize]);
            let Some(axis) = (to - from).try_normalize() else { continue };
            if angle == 0.0 || !angle.is_finite() {
                continue;
            }
            let turn = DQuat::from_axis_angle(axis, angle);
            for &atom in &torsion.moved {
                places[atom as usize] = to + turn * (places[atom as usize] - to);
            }
        }
        places
    }

    /// Atoms of the molecule that overlap each other by more than `allow`, and how deep, the deepest first.
    pub fn self_overlaps(&self, places: &[DVec3], radii: &[f64], allow: f64) -> Vec<([u32; 2], f64)> {
        let depth = |&[a, b]: &[u32; 2]| {
            let [a, b] = [a as usize, b as usize];
            radii[a] + radii[b] - places[a].distance(places[b])
        };
        let mut found: Vec<_> =
            self.pairs.iter().map(|pair| (*pair, depth(pair))).filter(|(_, depth)| *depth > allow).collect();
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        found
    }
}

/// The atoms that hang on `b` if its bond to `a` is cut; nothing if that leads back to `a`, as in a ring.
fn beyond(bonds: &BondGraph, count: usize, a: u32, b: u32) -> Option<Vec<u32>> {
    let mut seen = vec![false; count];
    let (mut found, mut next) = (vec![b], 0);
    seen[b as usize] = true;
    while next < found.len() {
        let atom = found[next];
        next += 1;
        for &other in bonds.neighbours(atom) {
            if other == a {
                if atom == b {
                    continue;
                }
                return None;
            }
            if !std::mem::replace(&mut seen[other as usize], true) {
                found.push(other);
            }
        }
    }
    Some(found)
}

fn turns(structure: &Structure, bonds: &BondGraph, a: u32, b: u32) -> bool {
    let element = |atom: u32| structure.atoms.elements[atom as usize];
    let distance =
        |a: u32, b: u32| structure.atoms.positions[a as usize].distance(structure.atoms.positions[b as usize]);
    let order = |a: u32, b: u32| {
        let stated = structure
            .bonds
            .iter()
            .find(|bond| [bond.first, bond.second] == [a, b] || [bond.first, bond.second] == [b, a]);
        match stated.map_or(0, |bond| bond.order) {
            0 => guessed_order(element(a), element(b), distance(a, b)),
            known => known,
        }
    };
    let is_hydrogen = |atom: u32| element(atom) == Element::HYDROGEN;
    let holds_something = |end: u32, other: u32| {
        let mut rest = bonds.neighbours(end).iter().filter(|&&atom| atom != other).peekable();
        let has_any = rest.peek().is_some();
        has_any && (element(end) != Element::CARBON || rest.any(|&atom| !is_hydrogen(atom)))
    };
    // Carbon and nitrogen of an amide, a thioamide or an amidine share a double bond in part.
    let is_amide = |carbon: u32, nitrogen: u32| {
        element(carbon) == Element::CARBON
            && element(nitrogen) == Element::NITROGEN
            && bonds.neighbours(carbon).iter().any(|&atom| {
                atom != nitrogen
                    && matches!(element(atom), Element::OXYGEN | Element::SULFUR | Element::NITROGEN)
                    && order(carbon, atom) == 2
                    && (element(atom) != Element::NITROGEN || bonds.neighbours(nitrogen).len() == 3)
            })
    };
    // An amine on a flat carbon is a part of its plane.
    let is_flat_amine = |carbon: u32, nitrogen: u32| {
        element(carbon) == Element::CARBON
            && element(nitrogen) == Element::NITROGEN
            && bonds.neighbours(carbon).len() == 3
            && bonds.neighbours(nitrogen).iter().all(|&atom| atom == carbon || is_hydrogen(atom))
    };
    order(a, b) <= 1
        && !is_flat_amine(a, b)
        && !is_flat_amine(b, a)
        && !is_hydrogen(a)
        && !is_hydrogen(b)
        && holds_something(a, b)
        && holds_something(b, a)
        && !is_amide(a, b)
        && !is_amide(b, a)
}

/// The order of a bond that no file states, by its length.
fn guessed_order(a: Element, b: Element, length: f32) -> u8 {
    let is = |one: Element, other: Element| (a, b) == (one, other) || (b, a) == (one, other);
    let double = if is(Element::CARBON, Element::OXYGEN) {
        1.29
    } else if is(Element::CARBON, Element::NITROGEN) {
        1.31
    } else if is(Element::CARBON, Element::CARBON) {
        1.365
    } else if is(Element::CARBON, Element::SULFUR) {
        1.70
    } else {
        0.0
    };
    if length < double { 2 } else { 1 }
}

fn pairs(all: &[Torsion], bonds: &BondGraph, count: usize) -> Vec<[u32; 2]> {
    // Which torsions move an atom: two atoms that the same ones move keep their distance.
    let mut moved_by: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (number, torsion) in (0u32..).zip(all) {
        torsion.moved.iter().for_each(|&atom| moved_by[atom as usize].push(number));
    }
    let all_pairs = (0..count as u32).flat_map(|a| (a + 1..count as u32).map(move |b| [a, b]));
    all_pairs.filter(|&[a, b]| moved_by[a as usize] != moved_by[b as usize] && !bonds.within(a, b, 3)).collect()
}
