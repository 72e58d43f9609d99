//! What a hand changes in the clips, and how it is undone.

use std::sync::Arc;

use steric::model::{Clip, Rig};

use super::AnimateWorld;
use crate::simulation::keyed;
use crate::state::State;

/// So many changes can be undone.
const MOST_UNDO: usize = 64;
/// How long a new clip is, in seconds.
const NEW: f64 = 1.0;

impl AnimateWorld {
    /// The joint that is chosen has the rotation that it has now at this time, in the clip that is played.
    pub(super) fn add_key(&mut self, state: &mut State) {
        let Some(joint) = self.hand.chosen else { return };
        let rotation = self.hand.draft.as_ref().map_or_else(|| self.rotation_of(joint), |draft| draft.rotation);
        let rig = keyed(self.puppet.rig(), self.looks.clip, joint, self.clock.time, rotation);
        self.change(rig.clips, state);
    }

    /// One more clip in which nothing moves yet, and that is played from now on.
    pub(super) fn add_clip(&mut self, state: &mut State) {
        let mut clips = self.puppet.rig().clips.clone();
        let name = format!("clip {}", clips.len() + 1);
        clips.push(Clip { duration: NEW, ..Clip::new(name, Vec::new()) });
        let last = clips.len() - 1;
        self.change(clips, state);
        self.looks.clip = last;
        self.clock.stand(0.0);
    }

    /// The clip that is played is so long from now on, and not shorter than its last key.
    pub(super) fn set_duration(&mut self, seconds: f64, state: &mut State) {
        let mut clips = self.puppet.rig().clips.clone();
        let Some(clip) = clips.get_mut(self.looks.clip) else { return };
        let seconds = seconds.max(clip.key_times().last().copied().unwrap_or(0.0));
        if seconds != clip.duration {
            clip.duration = seconds;
            self.change(clips, state);
        }
    }

    /// Other clips from now on; those from before are kept.
    fn change(&mut self, clips: Vec<Clip>, state: &mut State) {
        let before = self.puppet.rig().clips.clone();
        if self.have(clips, state) {
            let [past, undone] = &mut self.past;
            past.push(before);
            let too_many = past.len().saturating_sub(MOST_UNDO);
            past.drain(..too_many);
            undone.clear();
        }
    }

    /// Takes the last change back; what a hand has turned and nobody has added a key for comes first.
    pub(super) fn undo(&mut self, state: &mut State) {
        if self.hand.draft.take().is_none() {
            self.go(0, state);
        }
    }

    /// Does it again.
    pub(super) fn redo(&mut self, state: &mut State) {
        self.go(1, state);
    }

    fn go(&mut self, way: usize, state: &mut State) {
        let Some(clips) = self.past[way].pop() else { return };
        let before = self.puppet.rig().clips.clone();
        if self.have(clips, state) {
            self.past[1 - way].push(before);
        }
    }

    fn have(&mut self, clips: Vec<Clip>, state: &mut State) -> bool {
        let rig = Rig { clips, ..self.puppet.rig().clone() };
        let puppet = match self.puppet.with_rig(rig) {
            Ok(puppet) => puppet,
            Err(error) => {
                state.say(format!("error: {error}"));
                return false;
            }
        };
        if self.job.take().is_some() || !self.puppet.corrections().is_empty() {
            state.say("the clips are others now: bake again".to_owned());
        }
        self.puppet = Arc::new(puppet);
        self.hand.draft = None;
        self.looks.clip = self.looks.clip.min(self.puppet.rig().clips.len().saturating_sub(1));
        self.clock.time = self.clock.time.min(self.duration());
        true
    }
}
