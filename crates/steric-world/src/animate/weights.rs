//! How much each joint moves each point.
//!
//! How it works: a joint pulls with the inverse cube of the distance from its nearest bone, as if the bone were half an angstrom thick, so
//! that an atom on a bone has a weight and no infinity. The four strongest share the point. Sets of four joints come again and again,
//! so points keep the number of a set, and all that depends on joints alone is worked out once for each set and frame.

use std::collections::BTreeMap;

use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use steric_model::Skeleton;

/// At most so many joints move a point.
pub const INFLUENCES: usize = 4;

/// Which joints may share a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// The four nearest, wherever they are in the skeleton.
    #[default]
    All,
    /// The nearest, the joint that it hangs on, those that hang on it, and those that begin where it begins.
    Connected,
}

/// How weights are found.
///
/// ```
/// use steric_world::animate::{Reach, WeightOptions};
///
/// let legs = WeightOptions { reach: Reach::Connected, ..WeightOptions::default() };
/// assert_eq!(legs.thickness, 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightOptions {
    /// Which joints may share a point.
    pub reach: Reach,
    /// Points nearer to a bone than this, in angstroms, count as being so far from it.
    pub thickness: f64,
}

impl Default for WeightOptions {
    fn default() -> Self {
        Self { reach: Reach::default(), thickness: 0.5 }
    }
}

/// Points that hang on a skeleton: for each the set of its joints and their weights.
///
/// ```
/// use glam::DVec3;
/// use steric_model::{Joint, JointPose, Skeleton};
/// use steric_world::animate::{Hung, WeightOptions};
///
/// let skeleton = Skeleton::new(vec![
///     Joint::new("thigh", None, JointPose::IDENTITY),
///     Joint::new("shin", Some(0), JointPose::at(DVec3::X * 10.0)),
/// ]);
/// let hung = Hung::new(&skeleton, &[DVec3::new(10.0, 3.0, 0.0), DVec3::new(8.0, 1.0, 0.0)], &WeightOptions::default());
/// assert_eq!(hung.of(0), [(0, 0.5), (1, 0.5)], "at the knee both pull alike");
/// let [thigh, shin] = hung.of(1)[..] else { panic!("two joints") };
/// let (near, far) = (1.0f64.powi(-3), 5.0f64.sqrt().powi(-3));
/// assert!((f64::from(thigh.1) - near / (near + far)).abs() < 1e-6 && (thigh.1 + shin.1 - 1.0).abs() < 1e-6);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hung {
    /// The sets, rising in their joints; where there are fewer than four, the first fills up.
    pub sets: Vec<[u16; INFLUENCES]>,
    /// The set of each point.
    pub set_of: Vec<u32>,
    /// The weights of each point in the order of its set; their sum is 1.
    pub weights: Vec<[f32; INFLUENCES]>,
}

impl Hung {
    /// Hangs points on the bones of a skeleton as it is bound. Without a bone nothing moves anything.
    pub fn new(skeleton: &Skeleton, points: &[DVec3], options: &WeightOptions) -> Self {
        let pulls = Pulls::new(skeleton, options);
        let shares: Vec<[(u16, f32); INFLUENCES]> = points
            .par_iter()
            .with_min_len(64)
            .map_init(|| vec![0.0; pulls.starts.len()], |found, &point| pulls.shares(point, found))
            .collect();
        Self::from_shares(&shares)
    }

    /// Points that each hang on one joint alone.
    pub fn rigid(joints: impl IntoIterator<Item = u16>) -> Self {
        let shares: Vec<_> =
            joints.into_iter().map(|joint| [(joint, 1.0), (joint, 0.0), (joint, 0.0), (joint, 0.0)]).collect();
        Self::from_shares(&shares)
    }

    /// The joints that move a point with their weights, without those of no weight.
    pub fn of(&self, point: usize) -> Vec<(u16, f32)> {
        let set = self.sets[self.set_of[point] as usize];
        set.into_iter().zip(self.weights[point]).filter(|&(_, weight)| weight > 0.0).collect()
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.set_of.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.set_of.is_empty()
    }

    /// Whether sets and weights fit each other and a skeleton of so many joints.
    pub fn is_sound(&self, joints: usize) -> bool {
        // Without any joint nothing pulls.
        let pulled = |sum: f32| (sum - 1.0).abs() < 1e-3 || (sum == 0.0 && joints == 0);
        self.set_of.len() == self.weights.len()
            && self.set_of.iter().all(|&set| (set as usize) < self.sets.len())
            && self.sets.iter().flatten().all(|&joint| usize::from(joint) < joints.max(1))
            && self.weights.iter().flatten().all(|weight| (0.0..=1.001).contains(weight))
            && self.weights.iter().all(|weights| pulled(weights.iter().sum()))
    }

    // Shares come sorted by joint, those without weight last.
    fn from_shares(shares: &[[(u16, f32); INFLUENCES]]) -> Self {
        let mut numbers: BTreeMap<[u16; INFLUENCES], u32> = BTreeMap::new();
        numbers.extend(shares.iter().map(|share| (share.map(|(joint, _)| joint), 0)));
        (0u32..).zip(numbers.values_mut()).for_each(|(next, number)| *number = next);
        Self {
            set_of: shares.iter().map(|share| numbers[&share.map(|(joint, _)| joint)]).collect(),
            weights: shares.iter().map(|share| share.map(|(_, weight)| weight)).collect(),
            sets: numbers.into_keys().collect(),
        }
    }
}

/// The bones of a skeleton by joint, and who is connected with whom.
struct Pulls {
    bones: Vec<steric_model::Bone>,
    /// Joint and its range of bones.
    starts: Vec<(u16, std::ops::Range<usize>)>,
    /// For each entry of `starts` the entries that may share a point with it.
    connected: Vec<Vec<usize>>,
    thickness: f64,
}

impl Pulls {
    fn new(skeleton: &Skeleton, options: &WeightOptions) -> Self {
        let bones = skeleton.bones();
        let mut starts: Vec<(u16, std::ops::Range<usize>)> = Vec::new();
        for (index, bone) in bones.iter().enumerate() {
            match starts.last_mut() {
                Some((joint, range)) if u32::from(*joint) == bone.joint => range.end = index + 1,
                _ => starts.push((bone.joint as u16, index..index + 1)),
            }
        }
        let connected = match options.reach {
            Reach::All => Vec::new(),
            Reach::Connected => connected(skeleton, &bones, &starts),
        };
        // Neither nothing nor everything is within a bone.
        let thickness = if options.thickness.is_finite() { options.thickness.max(1e-3) } else { 0.5 };
        Self { bones, starts, connected, thickness }
    }

    fn shares(&self, point: DVec3, distances: &mut [f64]) -> [(u16, f32); INFLUENCES] {
        let mut nearest = (f64::INFINITY, 0);
        for (entry, (_, bones)) in self.starts.iter().enumerate() {
            let distance =
                self.bones[bones.clone()].iter().map(|bone| bone.distance(point)).fold(f64::INFINITY, f64::min);
            distances[entry] = distance.max(self.thickness);
            if distances[entry] < nearest.0 {
                nearest = (distances[entry], entry);
            }
        }
        // The four nearest, by distance and then by number.
        let mut best = [(f64::INFINITY, usize::MAX); INFLUENCES];
        let mut offer = |entry: usize| {
            let mut next = (distances[entry], entry);
            for place in &mut best {
                if next.0 < place.0 || (next.0 == place.0 && next.1 < place.1) {
                    std::mem::swap(place, &mut next);
                }
            }
        };
        match self.connected.get(nearest.1) {
            Some(connected) => connected.iter().copied().for_each(&mut offer),
            None => (0..self.starts.len()).for_each(&mut offer),
        }
        self.normalised(best)
    }

    fn normalised(&self, best: [(f64, usize); INFLUENCES]) -> [(u16, f32); INFLUENCES] {
        let joint_of = |entry: usize| self.starts.get(entry).map_or(0, |(joint, _)| *joint);
        // Measured by the nearest, so that a cube never overflows.
        let pull = |distance: f64| match distance.is_finite() {
            true => (best[0].0 / distance).powi(3),
            false => 0.0,
        };
        let sum: f64 = best.iter().map(|&(distance, _)| pull(distance)).sum();
        let mut shares = best.map(|(distance, entry)| match entry {
            usize::MAX => (u16::MAX, 0.0),
            entry => (joint_of(entry), (pull(distance) / sum) as f32),
        });
        shares.sort_unstable_by_key(|&(joint, _)| joint);
        let first = if shares[0].0 == u16::MAX { 0 } else { shares[0].0 };
        shares.map(|(joint, weight)| if joint == u16::MAX { (first, weight) } else { (joint, weight) })
    }
}

/// For each joint that has bones: itself, the one that it hangs on, those that hang on it, and those that begin where it begins.
fn connected(
    skeleton: &Skeleton,
    bones: &[steric_model::Bone],
    starts: &[(u16, std::ops::Range<usize>)],
) -> Vec<Vec<usize>> {
    let entry_of: BTreeMap<usize, usize> =
        starts.iter().enumerate().map(|(entry, (joint, _))| (usize::from(*joint), entry)).collect();
    let mut connected: Vec<Vec<usize>> = (0..starts.len()).map(|entry| vec![entry]).collect();
    let mut beginning: BTreeMap<[u64; 3], Vec<usize>> = BTreeMap::new();
    for (entry, (joint, own)) in starts.iter().enumerate() {
        if let Some(&above) = skeleton.carrier((*joint).into()).and_then(|carrier| entry_of.get(&carrier)) {
            connected[entry].push(above);
            connected[above].push(entry);
        }
        // Minus zero is zero.
        let head = (bones[own.start].head + DVec3::ZERO).to_array().map(f64::to_bits);
        beginning.entry(head).or_default().push(entry);
    }
    for together in beginning.values() {
        together.iter().for_each(|&entry| connected[entry].extend(together));
    }
    for list in &mut connected {
        list.sort_unstable();
        list.dedup();
    }
    connected
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proptest::prelude::*;
    use steric_model::{Joint, JointPose};

    use super::*;

    fn star() -> Skeleton {
        let arm = |name: &str, parent, x, y| Joint::new(name, parent, JointPose::at(DVec3::new(x, y, 0.0)));
        Skeleton::new(vec![
            arm("hip", None, 0.0, 0.0),
            arm("left", Some(0), -10.0, 0.0),
            arm("right", Some(0), 10.0, 0.0),
            arm("left foot", Some(1), -5.0, -5.0),
            arm("right foot", Some(2), 5.0, -5.0),
            arm("right toe", Some(4), 5.0, 0.0),
        ])
    }

    proptest! {
        #[test]
        fn weights_are_shares_of_the_inverse_cubes_of_the_four_nearest(x in -30.0..30.0, y in -30.0..30.0, z in -9.0..9.0) {
            let (skeleton, point) = (star(), DVec3::new(x, y, z));
            let hung = Hung::new(&skeleton, &[point], &WeightOptions::default());
            let bones = skeleton.bones();
            let mut pulls: Vec<(f64, u32)> = (0..6u32).map(|joint| {
                let own = bones.iter().filter(|bone| bone.joint == joint);
                let distance = own.map(|bone| bone.distance(point)).fold(f64::INFINITY, f64::min);
                (distance.max(0.5).powi(-3), joint)
            }).collect();
            pulls.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let sum: f64 = pulls[..4].iter().map(|pull| pull.0).sum();
            for (joint, weight) in hung.of(0) {
                let expected = pulls[..4].iter().find(|pull| pull.1 == u32::from(joint)).map(|pull| pull.0 / sum);
                prop_assert!(expected.is_some_and(|expected| (expected - f64::from(weight)).abs() < 1e-6));
            }
            prop_assert!((hung.weights[0].iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn connected_joints_alone_share_a_point() {
        let options = WeightOptions { reach: Reach::Connected, ..WeightOptions::default() };
        let hung = Hung::new(&star(), &[DVec3::new(-11.0, -2.0, 0.0)], &options);
        let joints: Vec<u16> = hung.of(0).iter().map(|share| share.0).collect();
        assert_eq!(joints, [0, 1, 3], "the left leg, the hip and the left foot, not the right leg");
    }

    #[test]
    fn an_atom_on_a_bone_has_finite_weights_and_no_bone_moves_nothing() {
        let hung = Hung::new(&star(), &[DVec3::new(4.0, 0.0, 0.0)], &WeightOptions::default());
        assert!(hung.is_sound(6) && hung.of(0)[0].0 == 0 && hung.of(0)[0].1 > 0.99);
        let none = Hung::new(&Skeleton::default(), &[DVec3::ONE], &WeightOptions::default());
        assert!(none.of(0).is_empty() && none.is_sound(0));
    }
}
