//! How far a body can go before it touches.
//!
//! How it works: the way is cut into pieces in which no ball goes farther than a few angstroms. For each ball and each sphere near its piece, the straight
//! line through the ends of the piece, widened by how far the helix leaves it, says from where on they can touch at all. From there the ball
//! goes on by as much as its distance and its speed allow, again and again, until it touches or the piece ends. Nothing is sampled, so nothing is
//! missed at any speed.

use glam::DVec3;
use steric_collide::Obstacle;
use steric_model::Pose;

use super::screw::Helix;
use super::{Body, Screw};

/// Where two atoms or solids touch, or nearly do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The number of the ball that moves, or of the piece of a solid.
    pub ball: u32,
    /// The number of the sphere that stays, or of the piece of a solid.
    pub sphere: u32,
    /// Between the two surfaces.
    pub point: DVec3,
    /// From what stays to what moves, of length one.
    pub normal: DVec3,
    /// How far the surfaces are apart, in angstroms; negative if they overlap.
    pub gap: f64,
}

/// How far a body came.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// The part of the way, 1 if nothing was hit.
    pub fraction: f64,
    /// Where it is then.
    pub pose: Pose,
    /// What stopped it; nothing if it came all the way.
    pub contacts: Vec<Contact>,
}

/// Surfaces nearer than this touch, in angstroms.
pub(super) const TOUCHING: f64 = 1e-4;
/// A ball goes no farther than this in a piece of the way, in angstroms.
const PIECE: f64 = 3.0;
/// A ball that came so often without touching is taken to touch: it is nearer than a hair.
const MOST_ADVANCES: u32 = 200;
/// A ball that leaves a sphere is looked at again after this way, in angstroms.
const HAIR: f64 = 1e-3;

/// Moves a body along a screw until it touches: no ball comes deeper into a sphere than `allow`, nor deeper than it is at the start.
///
/// ```
/// use glam::DVec3;
/// use steric_collide::{Obstacle, ProbeIndex};
/// use steric_model::Pose;
/// use steric_world::dock::{Body, Screw, move_to_touch};
///
/// let wall = Obstacle::new(&[DVec3::X * 100.0], &[2.0], ProbeIndex::Rows);
/// let ball = Body::new(vec![DVec3::ZERO], vec![1.0]);
/// let far = Pose::from_translation(DVec3::X * 200.0);
/// let touch = move_to_touch(&wall, &ball, &Screw::between(Pose::IDENTITY, far), 0.0);
/// assert!((touch.pose.translation.x - 97.0).abs() < 1e-3);
/// assert_eq!(touch.contacts[0].normal, DVec3::NEG_X);
/// ```
pub fn move_to_touch(obstacle: &Obstacle, body: &Body, screw: &Screw, allow: f64) -> Touch {
    let from = screw.from();
    let helices: Vec<Helix> = body.centers().iter().map(|&center| screw.helix(from * center)).collect();
    let fastest = helices.iter().map(|helix| helix.speed).fold(0.0, f64::max);
    if !fastest.is_finite() {
        return Touch { fraction: 0.0, pose: from, contacts: Vec::new() };
    }
    let piece = (PIECE / fastest.max(PIECE)).min(1.0);
    let (mut found, mut best) = (Vec::new(), 1.0f64);
    let mut begin = 0.0;
    while begin < 1.0 && best >= 1.0 {
        // Far from everything one leap takes as long as one piece.
        let leap = room(obstacle, body, &screw.at(begin)) / fastest;
        if leap > piece {
            begin += leap;
            continue;
        }
        let end = (begin + piece).min(1.0);
        for (helix, &radius) in helices.iter().zip(body.radii()) {
            let half = 0.5 * helix.speed * (end - begin);
            found.clear();
            obstacle.near(helix.at(0.5 * (begin + end)), radius - allow + half + TOUCHING, &mut found);
            for &sphere in &found {
                let apart = obstacle.radius(sphere) + radius - allow;
                if let Some(part) = first_touch(helix, obstacle.center(sphere), apart, [begin, end.min(best)]) {
                    best = best.min(part);
                }
            }
        }
        begin = end;
    }
    let pose = screw.at(best);
    let contacts = if best < 1.0 { contacts(obstacle, body, &pose, allow, 10.0 * TOUCHING) } else { Vec::new() };
    Touch { fraction: best, pose, contacts }
}

/// How far every ball of a body is at least from everything; 0 or less where that is not sure.
fn room(obstacle: &Obstacle, body: &Body, pose: &Pose) -> f64 {
    let (low, high) = obstacle.corners();
    let middle = *pose * body.middle();
    middle.distance(middle.clamp(low, high)) - body.reach()
}

/// The first part of the way at which a point on a helix is as near to a centre as it may come, and would come nearer.
pub(super) fn first_touch(helix: &Helix, center: DVec3, apart: f64, [begin, end]: [f64; 2]) -> Option<f64> {
    // Who is in already may go out, and not deeper.
    let at_start = helix.at(0.0).distance(center);
    let apart = apart.min(at_start);
    if apart <= 0.0 || helix.speed == 0.0 {
        return None;
    }
    let mut part = line_reaches(helix, center, apart, [begin, end])?;
    for _ in 0..MOST_ADVANCES {
        if part >= end {
            return None;
        }
        let way = helix.at(part) - center;
        let distance = way.length();
        let gap = distance - apart;
        if gap > TOUCHING {
            part += (gap - 0.5 * TOUCHING) / helix.speed;
            continue;
        }
        let leaving = helix.velocity(part).dot(way) / distance.max(1e-12);
        if leaving < -1e-9 * helix.speed {
            return Some(part);
        }
        // It leaves, or passes by. For so long it cannot come nearer than it is; after that it is looked at again.
        let bend = helix.bend();
        let sure = if bend > 0.0 { 2.0 * leaving / bend } else { f64::INFINITY };
        let next = part + sure.max(HAIR / helix.speed);
        if next >= end {
            return None;
        }
        if helix.at(next).distance(center) - apart < gap.min(0.0) - 1e-9 {
            return Some(part);
        }
        part = next;
    }
    Some(part)
}

/// From where on a helix can be so near to a centre, by the straight line through its ends.
fn line_reaches(helix: &Helix, center: DVec3, apart: f64, [begin, end]: [f64; 2]) -> Option<f64> {
    let (first, last) = (helix.at(begin), helix.at(end));
    let reach = apart + helix.sagitta(end - begin) + TOUCHING;
    let (way, from) = (last - first, first - center);
    let outside = from.length_squared() - reach * reach;
    if outside <= 0.0 {
        return Some(begin);
    }
    // |from + s way|^2 = reach^2
    let (steep, slope) = (way.length_squared(), from.dot(way));
    let root = slope * slope - steep * outside;
    if slope >= 0.0 || root < 0.0 {
        return None;
    }
    let part = outside / (-slope + root.sqrt());
    (part <= 1.0).then_some(begin + (end - begin) * part)
}

/// Every ball and sphere whose surfaces are nearer than `within`, or that overlap by more than `allow`, the deepest first.
pub fn contacts(obstacle: &Obstacle, body: &Body, pose: &Pose, allow: f64, within: f64) -> Vec<Contact> {
    let (mut found, mut all) = (Vec::new(), Vec::new());
    for (ball, (&center, &radius)) in (0u32..).zip(body.centers().iter().zip(body.radii())) {
        let place = *pose * center;
        found.clear();
        obstacle.near(place, radius - allow + within, &mut found);
        for &sphere in &found {
            let way = place - obstacle.center(sphere);
            let normal = way.try_normalize().unwrap_or(DVec3::X);
            let gap = way.length() - radius - obstacle.radius(sphere) + allow;
            let point = obstacle.center(sphere) + normal * (obstacle.radius(sphere) + 0.5 * (gap - allow));
            all.push(Contact { ball, sphere, point, normal, gap });
        }
    }
    all.sort_by(|one, other| {
        one.gap.total_cmp(&other.gap).then((one.ball, one.sphere).cmp(&(other.ball, other.sphere)))
    });
    all
}
