//! Solids that stay where they are.

use glam::DVec3;
use steric_model::Pose;

use super::motion::{Motion, Moving, first_touch};
use super::{Solid, sort};
use crate::dock::Screw;
use crate::dock::surroundings::Surroundings;
use crate::dock::touch::{Contact, TOUCHING, Touch};

/// Solids that stay where they are, and stop a solid that is moved.
///
/// ```
/// use glam::DVec3;
/// use steric_model::Pose;
/// use steric_world::dock::{Hand, Response, Solid, Solids};
///
/// let corners = [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
/// let floor = Solids::new(vec![(Solid::mesh(&corners, &[[0, 1, 2], [0, 2, 3]])?, Pose::IDENTITY)]);
/// let above = Pose::from_translation(DVec3::Z * 5.0);
/// let mut hand = Hand::new(Solid::cuboid(DVec3::splat(1.0))?, above, Response::Stop);
/// let step = hand.go(&floor, Pose::from_translation(DVec3::Z * -1e6));
/// assert!((step.pose.translation.z - 1.0).abs() < 1e-3);
/// assert!(step.contacts.len() >= 4, "it stands on its four corners");
/// # Ok::<(), steric_world::dock::SolidError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Solids {
    all: Vec<(Solid, Pose)>,
    low: DVec3,
    high: DVec3,
}

/// A body goes no farther than this in a piece of the way, in angstroms.
const PIECE: f64 = 3.0;
/// Nor than this part of what is there, so that the pieces are not too many.
const PART: f64 = 1e-3;

impl Solids {
    /// Solids, each at a pose. Those whose pose is not finite are nowhere.
    pub fn new(all: Vec<(Solid, Pose)>) -> Self {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let is_somewhere = |(_, pose): &(Solid, Pose)| pose.translation.is_finite() && pose.rotation.is_finite();
        let all: Vec<_> = all.into_iter().filter(is_somewhere).collect();
        for (solid, pose) in &all {
            let around = *pose * solid.around;
            (low, high) = (low.min(around - solid.width), high.max(around + solid.width));
        }
        Self { all, low, high }
    }

    /// All of them, with their poses.
    pub fn all(&self) -> &[(Solid, Pose)] {
        &self.all
    }

    /// Which solid a piece belongs to that a contact names, and its number there.
    pub fn part(&self, number: u32) -> Option<(usize, u32)> {
        let mut left = number as usize;
        for (which, (solid, _)) in self.all.iter().enumerate() {
            if left < solid.parts() {
                return Some((which, left as u32));
            }
            left -= solid.parts();
        }
        None
    }
}

impl Solids {
    fn contacts_with(&self, body: &Solid, pose: &Pose, near: [f64; 2], all_too: bool) -> Vec<Contact> {
        let (mut all, mut first) = (Vec::new(), 0u32);
        for (solid, other_pose) in &self.all {
            let contacts = body.contacts_with([pose, other_pose], solid, near, all_too);
            all.extend(contacts.into_iter().map(|contact| Contact { sphere: first + contact.sphere, ..contact }));
            first += solid.parts() as u32;
        }
        sort(&mut all);
        all
    }
}

impl Surroundings<Solid> for Solids {
    fn contacts(&self, body: &Solid, pose: &Pose, allow: f64, within: f64) -> Vec<Contact> {
        self.contacts_with(body, pose, [allow, within], false)
    }

    fn move_to_touch(&self, body: &Solid, screw: &Screw, allow: f64) -> Touch {
        let motion = screw.motion();
        let stays: Vec<Motion> = self.all.iter().map(|(_, pose)| Motion::none(*pose)).collect();
        let fastest = motion.way(body.around, body.width);
        if !fastest.is_finite() {
            return Touch { fraction: 0.0, pose: screw.from(), contacts: Vec::new() };
        }
        let piece = PIECE.max(body.width).max(PART * (self.high - self.low).length()) / fastest.max(1e-300);
        let one = Moving { solid: body, motion: &motion };
        let (mut begin, mut best) = (0.0, None);
        while begin < 1.0 && best.is_none() && !self.all.is_empty() {
            // Far from everything one leap takes as long as one piece.
            let middle = motion.at(begin) * body.around;
            let room = middle.distance(middle.clamp(self.low, self.high)) - body.width;
            if room > piece * fastest {
                begin += room / fastest;
                continue;
            }
            let end = f64::min(begin + piece, 1.0);
            for ((solid, _), stays) in self.all.iter().zip(&stays) {
                let other = Moving { solid, motion: stays };
                best = first_touch(one, other, [begin, best.unwrap_or(end)], allow).or(best);
            }
            if end <= begin {
                best = best.or(Some(begin));
            }
            begin = end;
        }
        let Some(best) = best else { return Touch { fraction: 1.0, pose: screw.to(), contacts: Vec::new() } };
        let pose = screw.at(best);
        let mut contacts = self.contacts(body, &pose, allow, 10.0 * TOUCHING);
        if contacts.is_empty() {
            contacts = self.contacts_with(body, &pose, [allow, 10.0 * TOUCHING], true);
        }
        Touch { fraction: best, pose, contacts }
    }
}
