//! A skeleton for a structure that comes without one.
//!
//! How it works: residues of a chain are cut into pieces in the order of the sequence: helices and what is between them, compact domains, or
//! the chain as a whole. A piece becomes a bone along its longest principal axis, from the end at which the sequence enters. Bones of a
//! chain hang on each other in sequence order; the first bones of all chains hang on one root in the middle.

use std::ops::Range;

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use steric_model::{Joint, JointPose, Rig, Skeleton, Structure, chemistry};

use super::level::Groups;

/// What becomes a bone.
///
/// ```
/// use steric_world::animate::BonesBy;
///
/// assert_eq!("helix".parse(), Ok(BonesBy::Helix));
/// assert!("atom".parse::<BonesBy>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BonesBy {
    /// Every helix, and every stretch of at least eight residues between two.
    Helix,
    /// Every compact stretch of about a hundred residues.
    #[default]
    Domain,
    /// Every chain.
    Chain,
}

impl std::str::FromStr for BonesBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "helix" => Ok(Self::Helix),
            "domain" => Ok(Self::Domain),
            "chain" => Ok(Self::Chain),
            _ => Err(format!("expected helix, domain or chain, found {text:?}")),
        }
    }
}

/// A skeleton along the pieces of a structure; without clips. Waters and chains of fewer than four atoms get no bone, unless there is nothing else; then all of it is one piece.
///
/// ```
/// use steric_model::formats::xyz::read_xyz;
/// use steric_world::animate::{BonesBy, generated};
///
/// let rod: String = (0..40).map(|i| format!("C {} 0 {}\n", 1.5 * f64::from(i), i % 2)).collect();
/// let rod = read_xyz(format!("40\nrod\n{rod}").as_bytes(), "rod.xyz".as_ref())?.value;
/// let rig = generated(&rod, BonesBy::Chain);
/// let bones = rig.skeleton.bones();
/// assert_eq!(bones.len(), 1);
/// assert!((bones[0].tail - bones[0].head).x.abs() > 55.0);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn generated(structure: &Structure, by: BonesBy) -> Rig {
    let residues = Groups::residues(structure);
    let middle = residues.centres.iter().sum::<DVec3>() / residues.len().max(1) as f64;
    let root = Joint { moves_atoms: false, ..Joint::new("root", None, JointPose::at(middle)) };
    let mut joints = vec![root];
    for (name, chain) in chains(structure, &residues) {
        let mut above = (0u32, middle);
        for (number, piece) in pieces(structure, &residues, &chain, by).into_iter().enumerate() {
            let Some([head, tail]) = axis(structure, &residues, &chain[piece]) else { continue };
            let rest = JointPose::at(head - above.1);
            let name = if number == 0 { name.clone() } else { format!("{name}.{}", number + 1) };
            joints.push(Joint { tip: Some(tail - head), ..Joint::new(name, Some(above.0), rest) });
            above = (joints.len() as u32 - 1, head);
        }
    }
    Rig { name: structure.name.clone(), skeleton: Skeleton::new(joints), ..Rig::default() }
}

/// The residues of each chain in file order, as numbers of groups, without waters.
fn chains(structure: &Structure, residues: &Groups) -> Vec<(String, Vec<usize>)> {
    let mut found: Vec<(u32, Vec<usize>)> = Vec::new();
    let mut known = rustc_hash::FxHashMap::default();
    for group in 0..residues.len() {
        let atom = residues.members(group)[0] as usize;
        let residue = &structure.residues[structure.atoms.residues[atom] as usize];
        if chemistry::is_water(residue.name) {
            continue;
        }
        let place = *known.entry(residue.chain).or_insert(found.len());
        if place == found.len() {
            found.push((residue.chain, Vec::new()));
        }
        found[place].1.push(group);
    }
    let atoms = |own: &[usize]| own.iter().map(|&group| residues.members(group).len()).sum::<usize>();
    let has_room = |(_, own): &(u32, Vec<usize>)| atoms(own) >= 4;
    match found.iter().any(has_room) {
        true => found.retain(has_room),
        // Of a few atoms, or of water alone, everything is one piece.
        false => found = vec![(0, (0..residues.len()).collect())],
    }
    found.into_iter().map(|(chain, own)| (structure.chains[chain as usize].name.to_string(), own)).collect()
}

fn pieces(structure: &Structure, residues: &Groups, chain: &[usize], by: BonesBy) -> Vec<Range<usize>> {
    match by {
        BonesBy::Chain => std::iter::once(0..chain.len()).collect(),
        BonesBy::Domain => domains(&chain.iter().map(|&group| residues.centres[group]).collect::<Vec<_>>()),
        BonesBy::Helix => helices(&backbone(structure, residues, chain)),
    }
}

/// Very long chains are cut into stretches of this many residues first, because cutting them takes time that grows with the cube of their length.
const LONGEST: usize = 2_000;

/// Compact stretches of about a hundred residues.
fn domains(centres: &[DVec3]) -> Vec<Range<usize>> {
    let parts = centres.len().div_ceil(LONGEST).max(1);
    let border = |part: usize| part * centres.len() / parts;
    let cut = |part: usize| {
        let (start, end) = (border(part), border(part + 1));
        domains_of(&centres[start..end]).into_iter().map(move |range| range.start + start..range.end + start)
    };
    (0..parts).flat_map(cut).collect()
}

/// Stretches of about a hundred residues with the least sum of squared distances from their own middles, by dynamic programming over
/// cuts at every fourth residue.
fn domains_of(centres: &[DVec3]) -> Vec<Range<usize>> {
    const STEP: usize = 4;
    let count = (centres.len() as f64 / 100.0).round().max(1.0) as usize;
    let (mut sums, mut squares) = (vec![DVec3::ZERO], vec![0.0]);
    for (index, centre) in centres.iter().enumerate() {
        sums.push(sums[index] + *centre);
        squares.push(squares[index] + centre.length_squared());
    }
    let cost = |range: Range<usize>| {
        let length = range.len() as f64;
        squares[range.end] - squares[range.start] - (sums[range.end] - sums[range.start]).length_squared() / length
    };
    let mut cuts: Vec<usize> = (0..centres.len()).step_by(STEP).collect();
    cuts.push(centres.len());
    let least = 20 / STEP;
    // best[k][j]: the least cost of the first j cuts in k + 1 pieces, and where the last piece begins.
    let mut best: Vec<Vec<(f64, usize)>> =
        vec![cuts.iter().map(|&end| (if end == 0 { 0.0 } else { cost(0..end) }, 0)).collect()];
    for pieces in 1..count {
        let mut row = vec![(f64::INFINITY, 0); cuts.len()];
        for end in (pieces + 1) * least..cuts.len() {
            for start in pieces * least..=end - least {
                let total = best[pieces - 1][start].0 + cost(cuts[start]..cuts[end]);
                if total < row[end].0 {
                    row[end] = (total, start);
                }
            }
        }
        best.push(row);
    }
    let mut end = cuts.len() - 1;
    let mut ranges = Vec::new();
    for row in best.iter().rev() {
        let start = row[end].1;
        ranges.push(cuts[start]..cuts[end]);
        end = start;
    }
    ranges.reverse();
    ranges.retain(|range| !range.is_empty());
    ranges
}

/// Where the alpha carbon (or C4' of a nucleotide, or else the centre) of each residue is.
fn backbone(structure: &Structure, residues: &Groups, chain: &[usize]) -> Vec<DVec3> {
    let named = |group: usize| {
        let atoms = residues.members(group).iter().copied();
        let mut own = atoms.filter(|&atom| ["CA", "C4'"].contains(&structure.atoms.names[atom as usize].as_str()));
        own.next().map(|atom| structure.atoms.positions[atom as usize].as_dvec3())
    };
    chain.iter().map(|&group| named(group).unwrap_or(residues.centres[group])).collect()
}

/// Helices by the distances of alpha carbons two, three and four residues on, 5.5, 5.3 and 6.4 Å (P-SEA, Labesse 1997), at least seven
/// residues long, and what is between them where that is eight residues or more; shorter pieces go to the one before.
fn helices(places: &[DVec3]) -> Vec<Range<usize>> {
    let near = |first: usize, on: usize, wanted: f64, leeway: f64| {
        places.get(first + on).is_some_and(|place| (place.distance(places[first]) - wanted).abs() < leeway)
    };
    let mut is_helix = vec![false; places.len()];
    for first in 0..places.len() {
        if near(first, 2, 5.5, 0.6) && near(first, 3, 5.3, 0.7) && near(first, 4, 6.4, 0.8) {
            is_helix[first..first + 5].fill(true);
        }
    }
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in 1..=places.len() {
        if end < places.len() && is_helix[end] == is_helix[start] {
            continue;
        }
        let least = if is_helix[start] { 7 } else { 8 };
        match ranges.last_mut() {
            Some(before) if end - start < least => before.end = end,
            _ => ranges.push(start..end),
        }
        start = end;
    }
    ranges
}

/// The bone of a piece, from the end where its sequence enters.
fn axis(structure: &Structure, residues: &Groups, piece: &[usize]) -> Option<[DVec3; 2]> {
    let atoms = || {
        piece
            .iter()
            .flat_map(|&group| residues.members(group))
            .map(|&atom| structure.atoms.positions[atom as usize].as_dvec3())
    };
    let count = atoms().count();
    if count == 0 {
        return None;
    }
    let middle = atoms().sum::<DVec3>() / count as f64;
    let mut covariance = DMat3::ZERO;
    for place in atoms() {
        let d = place - middle;
        covariance += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let along = principal_axes(covariance).x_axis;
    let (low, high) = atoms()
        .map(|place| (place - middle).dot(along))
        .fold((0.0, 0.0), |(low, high): (f64, f64), at| (low.min(at), high.max(at)));
    let ends = [middle + along * low, middle + along * high];
    let half = piece.len().div_ceil(2);
    let enters: f64 = piece[..half].iter().map(|&group| (residues.centres[group] - middle).dot(along)).sum();
    Some(if enters > 0.0 { [ends[1], ends[0]] } else { ends })
}

/// The directions of the largest, the next and the smallest spread, right-handed, by Jacobi's rotations.
pub(super) fn principal_axes(mut matrix: DMat3) -> DMat3 {
    let mut axes = DMat3::IDENTITY;
    for _ in 0..24 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (a, b, c) = (matrix.col(p)[p], matrix.col(q)[p], matrix.col(q)[q]);
            if b.abs() < 1e-300 {
                continue;
            }
            let angle = 0.5 * (2.0 * b).atan2(a - c);
            let (sin, cos) = angle.sin_cos();
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = cos;
            turn.col_mut(q)[q] = cos;
            turn.col_mut(p)[q] = sin;
            turn.col_mut(q)[p] = -sin;
            matrix = turn.transpose() * matrix * turn;
            axes *= turn;
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| matrix.col(b)[b].total_cmp(&matrix.col(a)[a]));
    let [first, second] = [axes.col(order[0]), axes.col(order[1])];
    if !first.is_finite() || !second.is_finite() {
        return DMat3::IDENTITY;
    }
    DMat3::from_cols(first, second, first.cross(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_are_those_that_the_matrix_was_made_of() {
        let turn = DMat3::from_quat(steric_model::Random::new(2).rotation());
        let matrix = turn * DMat3::from_diagonal(DVec3::new(9.0, 1.0, 4.0)) * turn.transpose();
        let axes = principal_axes(matrix);
        assert!(axes.x_axis.dot(turn.x_axis).abs() > 1.0 - 1e-9);
        assert!(axes.y_axis.dot(turn.z_axis).abs() > 1.0 - 1e-9);
        assert!((axes.determinant() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn an_ideal_helix_between_two_strands_is_found() {
        let strand = |i: usize| DVec3::new(3.3 * i as f64, 0.9 * (i % 2) as f64, 0.0);
        let helix = |i: usize| {
            let turn = 100f64.to_radians() * i as f64;
            DVec3::new(40.0 + 2.3 * turn.cos(), 2.3 * turn.sin(), 1.5 * i as f64)
        };
        let mut places: Vec<DVec3> = (0..12).map(strand).collect();
        places.extend((0..20).map(helix));
        places.extend((0..12).map(|i| strand(i) + DVec3::Y * 60.0));
        assert_eq!(helices(&places), [0..12, 12..32, 32..44]);
    }

    #[test]
    fn a_chain_of_two_lumps_is_two_domains() {
        let lump = |middle: DVec3, seed| {
            let mut random = steric_model::Random::new(seed);
            (0..100).map(move |_| middle + random.direction() * 12.0 * random.unit()).collect::<Vec<_>>()
        };
        let centres = [lump(DVec3::ZERO, 1), lump(DVec3::X * 60.0, 2)].concat();
        let found = domains(&centres);
        assert_eq!(found.len(), 2);
        assert!(found[0].end.abs_diff(100) <= 4, "{found:?}");
        let short = domains(&centres[..30]);
        assert!(short.len() == 1 && short[0] == (0..30));
    }
}
