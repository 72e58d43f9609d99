//! What the window wants to see of a puppet, and what it sees.

use std::sync::{Arc, OnceLock};

use glam::DQuat;
use steric::model::{Bone, Clip, Keys, Rig, Track};
use steric::world::animate::{BakeOptions, Level, Moment, Puppet, Untangler, add_rotation_key};

use super::super::Now;

/// What is to be seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    /// When, at which level, and how joints share atoms.
    pub(crate) moment: Moment,
    /// 0 for atoms, n for the super-atoms of the n-th distance level.
    pub(crate) distance: usize,
    /// A second level, in grey.
    pub(crate) overlay: Option<Level>,
    /// Whether the bones are drawn.
    pub(crate) skeleton: bool,
    /// Whether the bones of the chains are drawn.
    pub(crate) chains: bool,
    /// How much of the level hides what is behind it.
    pub(crate) opacity: f32,
    /// Atoms are held apart for this moment alone.
    pub(crate) preview: Option<BakeOptions>,
    /// The joint whose bones stand out.
    pub(crate) chosen: Option<u32>,
    /// A joint that a hand has turned, and its rotation in the frame of its parent.
    pub(crate) draft: Option<(u32, DQuat)>,
}

/// What the thread is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) puppet: Arc<Puppet>,
    /// What there is to know before atoms are held apart; worked out when someone asks for it.
    pub(crate) untangler: Arc<OnceLock<Untangler>>,
    pub(crate) view: View,
}

impl Wanted {
    /// Whether another wish would be shown the same.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.puppet, &other.puppet) && self.view == other.view
    }

    /// The puppet as a hand has turned it.
    pub(super) fn posed(&self) -> Result<Arc<Puppet>, String> {
        let Some((joint, rotation)) = self.view.draft else { return Ok(Arc::clone(&self.puppet)) };
        let moment = &self.view.moment;
        let rig = keyed(self.puppet.rig(), moment.clip, joint, moment.time, rotation);
        self.puppet.with_rig(rig).map(Arc::new).map_err(|error| error.to_string())
    }
}

/// The same rig with one more key; in a new clip if there is none yet. A joint that this clip did not turn so far rests at its start.
pub(crate) fn keyed(rig: &Rig, clip: usize, joint: u32, time: f64, rotation: DQuat) -> Rig {
    let mut rig = rig.clone();
    if rig.clips.is_empty() {
        rig.clips.push(Clip::new("clip 1", Vec::new()));
    }
    let number = clip.min(rig.clips.len() - 1);
    let own = &mut rig.clips[number];
    let turns = |track: &Track| track.joint == joint && matches!(track.keys, Keys::Rotation(_));
    if time > 0.0
        && !own.tracks.iter().any(turns)
        && let Some(rests) = rig.skeleton.joints.get(joint as usize)
    {
        add_rotation_key(own, joint, 0.0, rests.rest.rotation);
    }
    add_rotation_key(own, joint, time, rotation);
    rig
}

/// A puppet as the window sees it.
///
/// ```
/// use steric_studio::simulation::Animated;
///
/// assert!(Animated::default().bones.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Animated {
    /// For the picture.
    pub now: Now,
    /// What is played, with the clips and the corrections that it has now.
    pub puppet: Option<Arc<Puppet>>,
    /// The moment that is shown.
    pub moment: Moment,
    /// 0 for atoms, n for the super-atoms of the n-th distance level.
    pub distance: usize,
    /// How many molecules are those of the level; a second level and the beads of bones come after them.
    pub molecules: usize,
    /// The bones at this moment.
    pub bones: Arc<Vec<Bone>>,
    /// What it took to work it out.
    pub milliseconds: f64,
}
