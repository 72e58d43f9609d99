//! What moves as one piece: atoms, residues or chains.

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use steric_model::chemistry::is_water;
use steric_model::{Pose, Structure};

/// What moves as one piece.
///
/// ```
/// use steric_world::animate::Level;
///
/// assert_eq!("residue".parse(), Ok(Level::Residue));
/// assert!("helix".parse::<Level>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Every atom by itself.
    #[default]
    Atom,
    /// Residues are rigid.
    Residue,
    /// Chains are rigid, and so is every water.
    Chain,
}

impl Level {
    /// All of them, from fine to coarse.
    pub const ALL: [Self; 3] = [Self::Atom, Self::Residue, Self::Chain];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Atom => "atom",
            Self::Residue => "residue",
            Self::Chain => "chain",
        }
    }
}

impl std::str::FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|level| level.name() == text);
        named.ok_or_else(|| format!("expected atom, residue or chain, found {text:?}"))
    }
}

/// Atoms in rigid groups.
///
/// ```
/// use steric_model::formats::xyz::read_xyz;
/// use steric_world::animate::Groups;
///
/// let salt = read_xyz(b"2\nsalt\nNa 0 0 0\nCl 2 0 0\n", "salt.xyz".as_ref())?.value;
/// let one = Groups::new(&salt, &[0, 0]);
/// assert_eq!(one.members(0), [0, 1]);
/// assert!((one.centres[0].x - 2.0 * 35.45 / (22.99 + 35.45)).abs() < 1e-3, "the centre of mass");
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// The group of each atom.
    pub of_atom: Vec<u32>,
    /// Centres of mass, as bound, in angstroms.
    pub centres: Vec<DVec3>,
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Groups {
    /// Groups by the number that each atom has; numbers have no gaps.
    pub fn new(structure: &Structure, of_atom: &[u32]) -> Self {
        let mut groups = Self::with_centres(of_atom.to_vec(), Vec::new());
        groups.centres =
            (0..groups.starts.len() - 1).map(|group| centre_of_mass(structure, groups.members(group))).collect();
        groups
    }

    /// The same where the centres are known.
    pub(super) fn with_centres(of_atom: Vec<u32>, centres: Vec<DVec3>) -> Self {
        let count = of_atom.iter().max().map_or(0, |&most| most as usize + 1);
        let mut starts = vec![0u32; count + 1];
        of_atom.iter().for_each(|&group| starts[group as usize + 1] += 1);
        (1..=count).for_each(|group| starts[group] += starts[group - 1]);
        let mut members: Vec<u32> = (0..of_atom.len() as u32).collect();
        members.sort_by_key(|&atom| of_atom[atom as usize]);
        Self { of_atom, centres, starts, members }
    }

    /// The residues of a structure.
    pub fn residues(structure: &Structure) -> Self {
        Self::new(structure, &without_gaps(&structure.atoms.residues))
    }

    /// The chains of a structure. Waters that a file lists under a chain are strewn around it and move each by itself.
    pub fn chains(structure: &Structure) -> Self {
        let chains = structure.chains.len() as u32;
        let chain = |&number: &u32| {
            let residue = &structure.residues[number as usize];
            if is_water(residue.name) { chains + number } else { residue.chain }
        };
        Self::new(structure, &without_gaps(&structure.atoms.residues.iter().map(chain).collect::<Vec<u32>>()))
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.centres.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.centres.is_empty()
    }

    /// The atoms of a group, rising.
    pub fn members(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// Where atoms are when their groups stand in these poses; the frame of a group has its centre in the middle.
    pub fn placed(&self, rest: &[glam::Vec3], poses: &[Pose]) -> Vec<glam::Vec3> {
        let turned: Vec<(glam::Mat3, DVec3)> =
            poses.iter().map(|pose| (glam::Mat3::from_quat(pose.rotation.as_quat()), pose.translation)).collect();
        let place = |(&group, rest): (&u32, &glam::Vec3)| {
            let (turn, centre) = &turned[group as usize];
            let arm = (rest.as_dvec3() - self.centres[group as usize]).as_vec3();
            (*centre + (*turn * arm).as_dvec3()).as_vec3()
        };
        self.of_atom.par_iter().zip(rest).with_min_len(4_096).map(place).collect()
    }

    /// The pose of each group that brings its atoms nearest to where they are asked to be, by least squares (Horn 1987).
    pub fn fitted(&self, rest: &[glam::Vec3], wanted: &[glam::Vec3]) -> Vec<Pose> {
        let fit = |group: usize| {
            let members = self.members(group);
            let mean = |places: &[glam::Vec3]| {
                members.iter().map(|&atom| places[atom as usize].as_dvec3()).sum::<DVec3>()
                    / members.len().max(1) as f64
            };
            let (from, to) = (mean(rest), mean(wanted));
            let pairs = members
                .iter()
                .map(|&atom| (rest[atom as usize].as_dvec3() - from, wanted[atom as usize].as_dvec3() - to));
            let rotation = best_rotation(pairs);
            Pose { rotation, translation: to + rotation * (self.centres[group] - from) }
        };
        (0..self.len()).into_par_iter().with_min_len(64).map(fit).collect()
    }
}

/// Numbers from 0 in the order in which they come first.
fn without_gaps(labels: &[u32]) -> Vec<u32> {
    let mut numbers = rustc_hash::FxHashMap::default();
    let number = |&label: &u32| {
        let next = numbers.len() as u32;
        *numbers.entry(label).or_insert(next)
    };
    labels.iter().map(number).collect()
}

fn centre_of_mass(structure: &Structure, members: &[u32]) -> DVec3 {
    let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
    for &atom in members {
        // An element that is not known weighs as much as anything.
        let own = structure.atoms.elements[atom as usize].mass().max(1e-3);
        sum += structure.atoms.positions[atom as usize].as_dvec3() * own;
        mass += own;
    }
    if mass > 0.0 { sum / mass } else { sum }
}

/// The rotation that brings the first of each pair nearest to the second: the strongest direction of Horn's matrix, by squaring.
fn best_rotation(pairs: impl Iterator<Item = (DVec3, DVec3)>) -> DQuat {
    let mut s = glam::DMat3::ZERO;
    let mut size = 0.0;
    for (a, b) in pairs {
        s += glam::DMat3::from_cols(a * b.x, a * b.y, a * b.z);
        size += a.length_squared() + b.length_squared();
    }
    if size < 1e-12 {
        return DQuat::IDENTITY;
    }
    // Columns of s are the sums of a times one coordinate of b.
    let (xx, yx, zx) = (s.x_axis.x, s.x_axis.y, s.x_axis.z);
    let (xy, yy, zy) = (s.y_axis.x, s.y_axis.y, s.y_axis.z);
    let (xz, yz, zz) = (s.z_axis.x, s.z_axis.y, s.z_axis.z);
    let horn = glam::DMat4::from_cols_array_2d(&[
        [xx + yy + zz, yz - zy, zx - xz, xy - yx],
        [yz - zy, xx - yy - zz, xy + yx, zx + xz],
        [zx - xz, xy + yx, yy - xx - zz, yz + zy],
        [xy - yx, zx + xz, yz + zy, zz - xx - yy],
    ]);
    // Shifted, so that the largest eigenvalue is the one of largest size; each squaring doubles the digits that are right.
    let mut power = (horn + glam::DMat4::IDENTITY * (0.5 * size)) * (1.0 / size);
    for _ in 0..24 {
        power = power * power;
        let largest = power.to_cols_array().iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
        if largest < 1e-300 {
            return DQuat::IDENTITY;
        }
        power *= 1.0 / largest;
    }
    let columns = [power.x_axis, power.y_axis, power.z_axis, power.w_axis];
    let best = columns
        .into_iter()
        .fold(glam::DVec4::ZERO, |best, next| if next.length_squared() > best.length_squared() { next } else { best });
    let rotation = DQuat::from_xyzw(best.y, best.z, best.w, best.x);
    if rotation.length_squared() > 1e-12 { rotation.normalize() } else { DQuat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use steric_model::{AtomRecord, Random, StructureBuilder};

    use super::*;

    #[test]
    fn a_group_that_was_moved_rigidly_is_fitted_to_where_it_was_moved() {
        let mut random = Random::new(5);
        for count in [3usize, 4, 12] {
            let mut builder = StructureBuilder::new("lump", count);
            for _ in 0..count {
                let position = (random.direction() * 9.0).as_vec3();
                builder.push(AtomRecord { position, ..AtomRecord::default() });
            }
            let structure = builder.finish();
            let groups = Groups::residues(&structure);
            let pose = Pose { rotation: random.rotation(), translation: random.direction() * 30.0 };
            let rest = &structure.atoms.positions;
            let moved = groups.placed(rest, &[pose]);
            let found = groups.fitted(rest, &moved)[0];
            assert!(found.rotation.angle_between(pose.rotation) < 1e-3, "{count}");
            assert!(found.translation.distance(pose.translation) < 1e-3);
            let again = groups.placed(rest, &[found]);
            assert!(again.iter().zip(&moved).all(|(a, b): (&Vec3, &Vec3)| a.distance(*b) < 1e-4));
        }
    }
}
