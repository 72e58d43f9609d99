//! Many points moved by a skeleton, eight at a time.
//!
//! How it works: points are sorted by the set of their joints and stand in blocks of eight of one set, so that a block reads the numbers
//! of four joints once and no lane asks for others. What depends on joints alone is a palette, made once a frame. Blocks are dealt out
//! to threads; each point is worked out by itself, so the bits do not depend on them.

use glam::{DAffine3, DVec3, Vec3};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use steric_model::LANES;

use super::blend::{Blend, JointMotion, on_one_side, rotation_centre};
use super::weights::{Hung, INFLUENCES};

/// A number per lane.
type Eight = [f32; LANES];

/// Eight points of one set; what is left of the last block of a set repeats its last point.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Block {
    xyz: [Eight; 3],
    weights: [Eight; INFLUENCES],
    set: u32,
}

/// Points that hang on a skeleton, ready to be moved.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use steric_model::{Joint, JointPose, Skeleton};
/// use steric_world::animate::{Blend, Hung, JointMotion, SkinnedPoints, WeightOptions};
///
/// let skeleton = Skeleton::new(vec![Joint::new("arm", None, JointPose::IDENTITY)]);
/// let points = [DVec3::X, DVec3::Y];
/// let hung = Hung::new(&skeleton, &points, &WeightOptions::default());
/// let skinned = SkinnedPoints::new(&points, &hung);
/// let mut poses = skeleton.rest();
/// poses[0].rotation = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
/// let motions = JointMotion::all(&skeleton, &skeleton.motions(&poses));
/// let palette = skinned.palette(&motions, &[DVec3::ZERO], Blend::DualQuaternion);
/// let moved = skinned.moved(&palette);
/// assert!(moved[0].abs_diff_eq(glam::Vec3::Y, 1e-6) && moved[1].abs_diff_eq(glam::Vec3::NEG_X, 1e-6));
/// ```
#[derive(Clone, Debug)]
pub struct SkinnedPoints {
    /// Coordinates are measured from here, so that single precision is enough.
    origin: DVec3,
    sets: Vec<[u16; INFLUENCES]>,
    blocks: Vec<Block>,
    /// Of each point, block times eight and lane.
    slots: Vec<u32>,
}

impl SkinnedPoints {
    /// Points in the order of `hung`.
    pub fn new(points: &[DVec3], hung: &Hung) -> Self {
        assert_eq!(points.len(), hung.len(), "every point hangs on something");
        let (low, high) = points
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &point| (low.min(point), high.max(point)));
        let origin = if points.is_empty() { DVec3::ZERO } else { 0.5 * (low + high) };
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        order.sort_by_key(|&point| hung.set_of[point as usize]);
        let mut blocks = Vec::with_capacity(points.len() / LANES + hung.sets.len());
        let mut slots = vec![0; points.len()];
        for of_set in order.chunk_by(|&a, &b| hung.set_of[a as usize] == hung.set_of[b as usize]) {
            for eight in of_set.chunks(LANES) {
                for (lane, &point) in eight.iter().enumerate() {
                    slots[point as usize] = (blocks.len() * LANES + lane) as u32;
                }
                blocks.push(Block::new(eight, points, origin, hung));
            }
        }
        Self { origin, sets: hung.sets.clone(), blocks, slots }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// What coordinates are measured from: the middle of the points as bound, in angstroms.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// What the joints do in a frame. `heads` are the joints' heads as bound.
    pub fn palette(&self, motions: &[JointMotion], heads: &[DVec3], blend: Blend) -> Palette {
        Palette::new(&self.sets, self.origin, motions, heads, blend)
    }

    /// Where the points are, in their own order, in angstroms.
    pub fn moved(&self, palette: &Palette) -> Vec<Vec3> {
        let mut placed = Vec::new();
        self.move_blocks(palette, &mut placed);
        let mut positions = vec![Vec3::ZERO; self.len()];
        self.gather(&placed, &mut positions);
        positions
    }

    /// The same into memory that is there already; a player asks for every frame.
    pub fn moved_into(&self, palette: &Palette, placed: &mut Placed, positions: &mut [Vec3]) {
        self.move_blocks(palette, &mut placed.0);
        self.gather(&placed.0, positions);
    }

    fn move_blocks(&self, palette: &Palette, placed: &mut Vec<[Eight; 3]>) {
        placed.resize(self.blocks.len(), [[0.0; LANES]; 3]);
        // A piece of 16,384 points takes some tens of microseconds, enough to be worth handing to a thread.
        const PIECE: usize = 2_048;
        let work =
            |(blocks, placed): (&[Block], &mut [[Eight; 3]])| Arch::new().dispatch(Work { blocks, palette, placed });
        if self.blocks.len() <= PIECE {
            return work((&self.blocks, placed));
        }
        self.blocks.par_chunks(PIECE).zip(placed.par_chunks_mut(PIECE)).for_each(work);
    }

    fn gather(&self, placed: &[[Eight; 3]], positions: &mut [Vec3]) {
        let origin = self.origin.as_vec3();
        let take = |(position, &slot): (&mut Vec3, &u32)| {
            let [x, y, z] = &placed[slot as usize / LANES];
            let lane = slot as usize % LANES;
            *position = Vec3::new(x[lane], y[lane], z[lane]) + origin;
        };
        if positions.len() < 100_000 {
            positions.iter_mut().zip(&self.slots).for_each(take);
        } else {
            positions.par_iter_mut().zip(&self.slots).with_min_len(16_384).for_each(take);
        }
    }
}

/// Memory for [`SkinnedPoints::moved_into`].
#[derive(Clone, Debug, Default)]
pub struct Placed(Vec<[Eight; 3]>);

impl Block {
    fn new(eight: &[u32], points: &[DVec3], origin: DVec3, hung: &Hung) -> Self {
        let of = |lane: usize| eight[lane.min(eight.len() - 1)] as usize;
        Self {
            xyz: [0, 1, 2].map(|axis| std::array::from_fn(|lane| (points[of(lane)] - origin)[axis] as f32)),
            weights: [0, 1, 2, 3].map(|place| std::array::from_fn(|lane| hung.weights[of(lane)][place])),
            set: hung.set_of[of(0)],
        }
    }
}

/// What joints do in one frame, set by set.
///
/// ```
/// use glam::{DAffine3, DVec3};
/// use steric_world::animate::{Blend, JointMotion, Palette};
///
/// let up = JointMotion::new(&DAffine3::from_translation(DVec3::Y), DVec3::ZERO);
/// let linear = Palette::new(&[[0, 0, 0, 0]], DVec3::ZERO, &[up], &[DVec3::ZERO], Blend::Linear);
/// assert_eq!(linear.numbers()[..12], [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
/// let screws = Palette::new(&[[0, 0, 0, 0]], DVec3::ZERO, &[up], &[DVec3::ZERO], Blend::DualQuaternion);
/// assert_eq!(screws.numbers()[..8], [0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.0]);
/// assert!(screws.stretches().is_none(), "nothing is stretched");
/// ```
#[derive(Clone, Debug)]
pub struct Palette {
    blended: Blended,
    /// What is stretched before it is turned; `None` where nothing is.
    stretch: Option<Vec<[[f32; 12]; INFLUENCES]>>,
}

#[derive(Clone, Debug)]
enum Blended {
    Linear(Vec<[[f32; 12]; INFLUENCES]>),
    Spherical(Vec<[[f32; 8]; INFLUENCES]>),
    DualQuaternion(Vec<[[f32; 8]; INFLUENCES]>),
}

impl Palette {
    /// What joints do to these sets of them, in coordinates measured from an origin. `heads` are the joints' heads as bound.
    pub fn new(
        sets: &[[u16; INFLUENCES]],
        origin: DVec3,
        motions: &[JointMotion],
        heads: &[DVec3],
        blend: Blend,
    ) -> Self {
        let motions: Vec<JointMotion> = motions.iter().map(|motion| motion.about(origin)).collect();
        let heads: Vec<DVec3> = heads.iter().map(|&head| head - origin).collect();
        Self::about_origin(sets, &motions, &heads, blend)
    }

    /// How joints are blended.
    pub fn blend(&self) -> Blend {
        match self.blended {
            Blended::Linear(_) => Blend::Linear,
            Blended::Spherical(_) => Blend::Spherical,
            Blended::DualQuaternion(_) => Blend::DualQuaternion,
        }
    }

    /// The numbers of four joints, set after set. For linear blending twelve each: the rows of a matrix with the shift behind each row. For
    /// the others eight: a quaternion on the side of the set's first, and either the dual part or where the joint moves the centre of the set,
    /// behind which the first three joints hold a coordinate each of that centre.
    pub fn numbers(&self) -> &[f32] {
        match &self.blended {
            Blended::Linear(sets) => sets.as_flattened().as_flattened(),
            Blended::Spherical(sets) | Blended::DualQuaternion(sets) => sets.as_flattened().as_flattened(),
        }
    }

    /// Twelve numbers for each of four joints, set after set: the stretch that comes first, linearly blended; `None` where nothing is stretched.
    pub fn stretches(&self) -> Option<&[f32]> {
        self.stretch.as_ref().map(|sets| sets.as_flattened().as_flattened())
    }

    fn about_origin(sets: &[[u16; INFLUENCES]], motions: &[JointMotion], heads: &[DVec3], blend: Blend) -> Self {
        let stretch = || {
            let is_stretched = motions.iter().any(JointMotion::is_stretched);
            is_stretched
                .then(|| sets.iter().map(|set| set.map(|joint| rows(&motions[usize::from(joint)].stretch))).collect())
        };
        match blend {
            Blend::Linear => {
                let whole = sets.iter().map(|set| set.map(|joint| rows(&motions[usize::from(joint)].whole))).collect();
                Self { blended: Blended::Linear(whole), stretch: None }
            }
            Blend::Spherical => {
                let about = sets.iter().map(|&set| about_centre(set, motions, heads)).collect();
                Self { blended: Blended::Spherical(about), stretch: stretch() }
            }
            Blend::DualQuaternion => {
                let screws = sets.iter().map(|&set| on_one_side(set, motions).map(|motion| screw(&motion))).collect();
                Self { blended: Blended::DualQuaternion(screws), stretch: stretch() }
            }
        }
    }
}

fn rows(motion: &DAffine3) -> [f32; 12] {
    let (m, t) = (motion.matrix3.transpose(), motion.translation);
    let row = |row: DVec3, shift: f64| [row.x as f32, row.y as f32, row.z as f32, shift as f32];
    let [a, b, c] = [row(m.x_axis, t.x), row(m.y_axis, t.y), row(m.z_axis, t.z)];
    [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[0], c[1], c[2], c[3]]
}

fn screw(motion: &JointMotion) -> [f32; 8] {
    let [real, dual] = motion.dual_quaternion().map(|part| part.as_quat().to_array());
    [real[0], real[1], real[2], real[3], dual[0], dual[1], dual[2], dual[3]]
}

/// Quaternion, where the joint moves the centre of the set, and one of the centre's own coordinates: the first three joints hold one each.
fn about_centre(set: [u16; INFLUENCES], motions: &[JointMotion], heads: &[DVec3]) -> [[f32; 8]; INFLUENCES] {
    let own = on_one_side(set, motions);
    let centre = rotation_centre(&own, &set.map(|joint| heads[usize::from(joint)]));
    let mut numbers = [[0.0; 8]; INFLUENCES];
    for (place, motion) in own.iter().enumerate() {
        let turn = motion.rotation.as_quat().to_array();
        let moved = (motion.rotation * centre + motion.translation).as_vec3();
        let own = if place < 3 { centre[place] as f32 } else { 0.0 };
        numbers[place] = [turn[0], turn[1], turn[2], turn[3], moved.x, moved.y, moved.z, own];
    }
    numbers
}

/// Blocks for one thread.
struct Work<'a> {
    blocks: &'a [Block],
    palette: &'a Palette,
    placed: &'a mut [[Eight; 3]],
}

impl WithSimd for Work<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Work { blocks, palette, placed } = self;
        let stretched = |block: &Block| match &palette.stretch {
            Some(sets) => linear(block, block.xyz, &sets[block.set as usize]),
            None => block.xyz,
        };
        match &palette.blended {
            Blended::Linear(sets) => {
                for (block, placed) in blocks.iter().zip(placed) {
                    *placed = linear(block, block.xyz, &sets[block.set as usize]);
                }
            }
            Blended::Spherical(sets) => {
                for (block, placed) in blocks.iter().zip(placed) {
                    *placed = spherical(block, stretched(block), &sets[block.set as usize]);
                }
            }
            Blended::DualQuaternion(sets) => {
                for (block, placed) in blocks.iter().zip(placed) {
                    *placed = dual_quaternion(block, stretched(block), &sets[block.set as usize]);
                }
            }
        }
    }
}

#[inline(always)]
fn lanes(of: impl Fn(usize) -> f32) -> Eight {
    let mut eight = [0.0; LANES];
    for (lane, value) in eight.iter_mut().enumerate() {
        *value = of(lane);
    }
    eight
}

#[inline(always)]
fn linear(block: &Block, [x, y, z]: [Eight; 3], joints: &[[f32; 12]; INFLUENCES]) -> [Eight; 3] {
    let mut placed = [[0.0; LANES]; 3];
    for (joint, weight) in joints.iter().zip(&block.weights) {
        for (axis, row) in joint.chunks_exact(4).enumerate() {
            for lane in 0..LANES {
                let moved = row[0] * x[lane] + row[1] * y[lane] + row[2] * z[lane] + row[3];
                placed[axis][lane] += weight[lane] * moved;
            }
        }
    }
    placed
}

/// The weighted sums of eight numbers of each joint.
#[inline(always)]
fn mixed(block: &Block, joints: &[[f32; 8]; INFLUENCES]) -> [Eight; 8] {
    let mut sums = [[0.0; LANES]; 8];
    for (joint, weight) in joints.iter().zip(&block.weights) {
        for (sum, &number) in sums.iter_mut().zip(joint) {
            for lane in 0..LANES {
                sum[lane] += weight[lane] * number;
            }
        }
    }
    sums
}

/// `v + 2 q × (q × v + w v)` for the unit quaternion in the direction of `(q, w)`.
#[inline(always)]
fn turned([qx, qy, qz, qw]: [&Eight; 4], inverse_square: &Eight, [x, y, z]: [Eight; 3]) -> [Eight; 3] {
    let cross = |a: &Eight, b: &Eight, c: &Eight, d: &Eight| lanes(|l| a[l] * d[l] - b[l] * c[l]);
    let (cx, cy, cz) = (cross(qy, qz, &y, &z), cross(qz, qx, &z, &x), cross(qx, qy, &x, &y));
    let (cx, cy, cz) =
        (lanes(|l| cx[l] + qw[l] * x[l]), lanes(|l| cy[l] + qw[l] * y[l]), lanes(|l| cz[l] + qw[l] * z[l]));
    let (dx, dy, dz) = (cross(qy, qz, &cy, &cz), cross(qz, qx, &cz, &cx), cross(qx, qy, &cx, &cy));
    let twice = lanes(|l| 2.0 * inverse_square[l]);
    [lanes(|l| x[l] + twice[l] * dx[l]), lanes(|l| y[l] + twice[l] * dy[l]), lanes(|l| z[l] + twice[l] * dz[l])]
}

#[inline(always)]
fn inverse_square([x, y, z, w]: [&Eight; 4]) -> Eight {
    lanes(|l| 1.0 / (x[l] * x[l] + y[l] * y[l] + z[l] * z[l] + w[l] * w[l]))
}

#[inline(always)]
fn spherical(block: &Block, [x, y, z]: [Eight; 3], joints: &[[f32; 8]; INFLUENCES]) -> [Eight; 3] {
    let [qx, qy, qz, qw, mx, my, mz, _] = &mixed(block, joints);
    let turn = [qx, qy, qz, qw];
    let [cx, cy, cz] = [joints[0][7], joints[1][7], joints[2][7]];
    let from_centre = [lanes(|l| x[l] - cx), lanes(|l| y[l] - cy), lanes(|l| z[l] - cz)];
    let [x, y, z] = turned(turn, &inverse_square(turn), from_centre);
    [lanes(|l| x[l] + mx[l]), lanes(|l| y[l] + my[l]), lanes(|l| z[l] + mz[l])]
}

#[inline(always)]
fn dual_quaternion(block: &Block, point: [Eight; 3], joints: &[[f32; 8]; INFLUENCES]) -> [Eight; 3] {
    let [qx, qy, qz, qw, dx, dy, dz, dw] = &mixed(block, joints);
    let turn = [qx, qy, qz, qw];
    let inverse = inverse_square(turn);
    let [x, y, z] = turned(turn, &inverse, point);
    // The shift is twice the vector of the dual part times the conjugate of the real part.
    let shift = |w: [&Eight; 2], a: [&Eight; 2], b: [&Eight; 2], c: [&Eight; 2]| {
        lanes(|l| 2.0 * inverse[l] * (w[0][l] * a[1][l] - w[1][l] * a[0][l] + b[0][l] * c[1][l] - c[0][l] * b[1][l]))
    };
    let sx = shift([qw, dw], [qx, dx], [qy, dy], [qz, dz]);
    let sy = shift([qw, dw], [qy, dy], [qz, dz], [qx, dx]);
    let sz = shift([qw, dw], [qz, dz], [qx, dx], [qy, dy]);
    [lanes(|l| x[l] + sx[l]), lanes(|l| y[l] + sy[l]), lanes(|l| z[l] + sz[l])]
}
