//! The fitting task of the founding study (Turk 1989, 6.1): an E has to go through three rings.
//!
//! How it works: three rings stand side by side, and the E has three prongs. Both are strings of balls. It is solved when the E is where its prongs go
//! through the rings. The study gives no sizes, so these are ours.

use glam::{DQuat, DVec3};
use steric_collide::{Obstacle, ProbeIndex};
use steric_model::{Instant, Pose, Random};

use super::{Body, Hand, Response};

/// Three rings, and an E that has to go through them.
///
/// ```
/// use steric_world::dock::{FittingTask, Response};
///
/// let task = FittingTask::new();
/// assert!(!task.is_solved(&task.start()));
/// assert!(task.is_solved(&task.goal()));
/// let mut hand = task.hand(Response::Stop);
/// hand.go(task.rings(), task.goal());
/// assert!(!task.is_solved(&hand.pose()), "the straight way is barred");
/// ```
#[derive(Debug)]
pub struct FittingTask {
    rings: Obstacle,
    ring_centers: Vec<DVec3>,
    e: Body,
}

/// How someone fared.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Solution {
    /// Whether it was solved.
    pub is_solved: bool,
    /// How many motions it took.
    pub motions: u32,
    /// How many of them hit something.
    pub hits: u32,
    /// How long the engine took, in seconds.
    pub seconds: f64,
}

const RINGS: [f64; 3] = [-9.0, 0.0, 9.0];
const RING_RADIUS: f64 = 4.0;
const BALL: f64 = 1.2;
const PRONG: f64 = 8.0;

impl FittingTask {
    /// The rings around the origin, and the E.
    pub fn new() -> Self {
        let mut rings = Vec::new();
        for x in RINGS {
            for number in 0..20 {
                let angle = std::f64::consts::TAU * f64::from(number) / 20.0;
                rings.push(DVec3::new(x + RING_RADIUS * angle.cos(), 0.0, RING_RADIUS * angle.sin()));
            }
        }
        let mut e = Vec::new();
        let steps = |length: f64| (length / BALL).ceil() as i32;
        for number in 0..=steps(18.0) {
            e.push(DVec3::new(-9.0 + 18.0 * f64::from(number) / f64::from(steps(18.0)), 0.0, 0.0));
        }
        for x in RINGS {
            for number in 1..=steps(PRONG) {
                e.push(DVec3::new(x, PRONG * f64::from(number) / f64::from(steps(PRONG)), 0.0));
            }
        }
        let (ring_radii, e_radii) = (vec![BALL; rings.len()], vec![BALL; e.len()]);
        let obstacle = Obstacle::new(&rings, &ring_radii, ProbeIndex::Rows);
        Self { rings: obstacle, ring_centers: rings, e: Body::new(e, e_radii) }
    }

    /// What stays where it is.
    pub fn rings(&self) -> &Obstacle {
        &self.rings
    }

    /// The middles of the balls of the rings.
    pub fn ring_centers(&self) -> &[DVec3] {
        &self.ring_centers
    }

    /// How large all balls are, in angstroms.
    pub fn radius(&self) -> f64 {
        BALL
    }

    /// What is moved.
    pub fn e(&self) -> &Body {
        &self.e
    }

    /// Where it begins.
    pub fn start(&self) -> Pose {
        let rotation = DQuat::from_rotation_z(1.2) * DQuat::from_rotation_x(0.7);
        Pose { rotation, translation: DVec3::new(14.0, -26.0, 9.0) }
    }

    /// Where it has to come to: the prongs through the rings.
    pub fn goal(&self) -> Pose {
        Pose::from_translation(DVec3::NEG_Y * 4.0)
    }

    /// Whether the prongs are through the rings, from either side, and nothing overlaps.
    pub fn is_solved(&self, pose: &Pose) -> bool {
        let tip = |x: f64| *pose * DVec3::new(x, PRONG, 0.0);
        let spine = |x: f64| *pose * DVec3::new(x, 0.0, 0.0);
        let goes_through = |x: f64| {
            let (tip, spine) = (tip(x), spine(x));
            if tip.y.signum() == spine.y.signum() || tip.y.abs() < 1.0 {
                return None;
            }
            let crossing = spine + (tip - spine) * (spine.y / (spine.y - tip.y));
            RINGS.iter().position(|ring| crossing.distance(DVec3::X * *ring) < RING_RADIUS - BALL)
        };
        let mut rings: Vec<_> = RINGS.iter().filter_map(|&x| goes_through(x)).collect();
        rings.sort_unstable();
        rings.dedup();
        rings.len() == RINGS.len() && !self.rings.is_hit(&self.e.placed(pose), self.e.radii(), 1e-3)
    }

    /// The E in hand, at the start.
    pub fn hand(&self, response: Response) -> Hand {
        Hand::new(self.e.clone(), self.start(), response)
    }

    /// Lets a bot try: it goes for the goal with a trembling hand, and when it is stuck it backs off somewhere and tries again.
    pub fn solve(&self, response: Response, seed: u64, most: u32) -> Solution {
        let (mut random, mut random_length) = (Random::of(seed, 0), Random::of(seed, 1));
        let mut hand = self.hand(response);
        let goal = self.goal();
        let clock = Instant::now();
        let (mut best, mut stuck, mut hits, mut trembling) = (f64::INFINITY, 0, 0, 0.3);
        for motion in 1..=most {
            let pose = hand.pose();
            let mut any = || random.direction() * random_length.unit();
            let way = goal.translation - pose.translation;
            let turn = (goal.rotation * pose.rotation.conjugate()).normalize();
            let turn = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis();
            let shift = way.clamp_length_max(1.0) + trembling * any();
            let turn = turn.clamp_length_max(0.1) + 0.1 * trembling * any();
            let rotation = (DQuat::from_scaled_axis(turn) * pose.rotation).normalize();
            let step = hand.go(&self.rings, Pose { rotation, translation: pose.translation + shift });
            hits += u32::from(!step.contacts.is_empty());
            if self.is_solved(&step.pose) {
                let seconds = clock.elapsed().as_secs_f64();
                return Solution { is_solved: true, motions: motion, hits, seconds };
            }
            let left = step.pose.translation.distance(goal.translation)
                + 5.0 * step.pose.rotation.angle_between(goal.rotation);
            if left < best - 0.05 {
                (best, stuck, trembling) = (left, 0, 0.3);
            } else {
                stuck += 1;
                if stuck % 20 == 0 {
                    trembling = if trembling > 6.0 { 0.3 } else { trembling * 2.0 };
                }
            }
        }
        Solution { is_solved: false, motions: most, hits, seconds: clock.elapsed().as_secs_f64() }
    }
}

impl Default for FittingTask {
    fn default() -> Self {
        Self::new()
    }
}
