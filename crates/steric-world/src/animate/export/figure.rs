//! What a file with a skin is made of, however its joints are moved.

use std::path::Path;

use glam::DAffine3;
use steric_model::{JointPose, Sphere};

use super::ball::{Ball, BallDetail};
use super::{Balls, ExportError};
use crate::animate::weights::INFLUENCES;

/// More spheres are drawn plainly.
const FINE: usize = 2_000;
/// Of a file; glTF itself ends at 4 GiB, as its lengths have 32 bits.
const MOST_BYTES: u64 = 1_000_000_000;
/// Bytes of a corner: position, normal, colour, joints, weights.
const CORNER_BYTES: u64 = 12 + 12 + 4 + 8 + 16;
/// About what a joint with its tracks adds to the JSON, and its bind matrix.
const JOINT_BYTES: u64 = 1_000;

/// Places in the skin's list of joints with their weights; those without weight are (0, 0).
pub(super) type Shares = [(u16, f32); INFLUENCES];

/// Spheres on joints that move.
pub(super) struct Figure {
    pub(super) name: String,
    /// Parents before their children; those without one hang on the root.
    pub(super) nodes: Vec<Node>,
    /// The nodes that move spheres, each with `joint_from_world` at binding.
    pub(super) bound: Vec<(u32, DAffine3)>,
    pub(super) animations: Vec<Animation>,
    pub(super) spheres: Vec<Sphere>,
    /// Of each sphere, in proportion to light.
    pub(super) colours: Vec<[u8; 3]>,
    /// Of each sphere.
    pub(super) shares: Vec<Shares>,
}

/// A joint, or what carries one.
pub(super) struct Node {
    pub(super) name: String,
    pub(super) parent: Option<u32>,
    pub(super) rest: JointPose,
}

/// A clip as glTF has it.
pub(super) struct Animation {
    pub(super) name: String,
    /// Lists of times in seconds, from 0 on; channels may share them.
    pub(super) times: Vec<Vec<f32>>,
    pub(super) channels: Vec<Channel>,
}

/// One property of one node.
pub(super) struct Channel {
    pub(super) node: u32,
    /// `translation`, `rotation` or `scale`.
    pub(super) path: &'static str,
    /// `STEP`, `LINEAR` or `CUBICSPLINE`.
    pub(super) interpolation: &'static str,
    /// Which of the animation's lists.
    pub(super) times: usize,
    /// Four numbers for each rotation, else three.
    pub(super) values: Vec<f32>,
}

impl Channel {
    /// Numbers of one value.
    pub(super) fn width(&self) -> usize {
        if self.path == "rotation" { 4 } else { 3 }
    }
}

/// How finely so many spheres are drawn.
pub(super) fn detail(spheres: usize) -> BallDetail {
    if spheres <= FINE { BallDetail::Fine } else { BallDetail::Plain }
}

/// Refuses a file that nobody could open, before memory is filled with it.
pub(super) fn check_size(balls: &Balls<'_>, joints: usize, numbers: u64, path: &Path) -> Result<(), ExportError> {
    let ball = Ball::new(detail(balls.spheres.len()));
    let each = ball.corners.len() as u64 * CORNER_BYTES + ball.triangles.len() as u64 * 12;
    let animated = joints as u64 * JOINT_BYTES + numbers.saturating_mul(4);
    let bytes = (balls.spheres.len() as u64 * each).saturating_add(animated);
    match bytes > MOST_BYTES {
        true => Err(ExportError::TooLarge { file: path.to_path_buf(), bytes, most: MOST_BYTES }),
        false => Ok(()),
    }
}

/// Times as a file has them: from 0 on, and rising also where 32 bits cannot tell two of them apart.
pub(super) fn file_times(times: &[f64], start: f64) -> Vec<f32> {
    let mut in_file: Vec<f32> = Vec::with_capacity(times.len());
    for time in times.iter().map(|time| (time - start) as f32) {
        in_file.push(in_file.last().map_or(time, |last| time.max(last.next_up())));
    }
    in_file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_rise_in_32_bits_and_begin_at_nothing() {
        let times = file_times(&[-1.0, 0.0, 1e-12, 2e-12, 1.0], -1.0);
        assert!(times[0] == 0.0 && times[1] == 1.0 && times[4] == 2.0);
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    }

    #[test]
    fn a_file_that_would_be_too_large_is_refused_with_its_size() {
        let balls = Balls { spheres: Vec::new(), colours: Vec::new(), super_atoms: None };
        let path = Path::new("walk.glb");
        assert!(check_size(&balls, 10, 1_000_000, path).is_ok());
        let error = check_size(&balls, 10, 500_000_000, path).unwrap_err().to_string();
        let expected =
            "walk.glb: expected at most 1.0 GB, found 2.0 GB; take super-atoms, a coarser level or fewer frames";
        assert_eq!(error, expected);
    }
}
