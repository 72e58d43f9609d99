//! Molecules taken in hand, and numbers changed, while a relaxation is on its way.

use steric_collide::IndexKind;
use steric_model::{MoleculeId, Pose};

use super::mover::HOT;
use super::options::RelaxOptions;
use super::world::Relax;
use crate::respond::Motion;

/// What someone who watches may do between two iterations, with the molecules that are owned here.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{MoleculeId, Pose, Scene};
/// use steric_world::relax::{Relax, RelaxOptions, Setup};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// scene.add_molecule(carbon, Pose::IDENTITY);
/// scene.add_molecule(carbon, Pose::from_translation(DVec3::X * 9.0));
/// let mut relax = Relax::new(Setup::new(scene), RelaxOptions::default(), 1);
/// while !relax.is_at_rest() {
///     relax.step();
/// }
/// // The second one is held against the first, which has to make room.
/// relax.fix(MoleculeId(1), true);
/// relax.put(MoleculeId(1), Pose::from_translation(DVec3::X * 2.0));
/// while !relax.is_at_rest() {
///     relax.step();
/// }
/// assert_eq!(relax.poses()[1].translation, DVec3::X * 2.0);
/// assert!(relax.poses()[0].translation.x < -1.3);
/// ```
impl Relax {
    /// Puts a molecule somewhere, also one that is fixed; the next iteration looks at it and at what it meets.
    pub fn put(&mut self, molecule: MoleculeId, pose: Pose) {
        let Some(slot) = self.slot(molecule) else { return };
        if !(pose.translation.is_finite() && pose.rotation.is_finite()) {
            return;
        }
        self.scene.molecules_mut()[slot].pose = pose;
        self.wake(slot);
    }

    /// Puts every molecule somewhere, in the order of the setup, as if it had always been there. Poses of other molecules change nothing.
    pub fn put_all(&mut self, poses: &[Pose]) {
        if poses.len() != self.ids.len() || !self.is_whole() {
            return;
        }
        for slot in 0..self.ids.len() {
            self.scene.molecules_mut()[slot].pose = poses[self.ids[slot] as usize];
            self.wake(slot);
        }
    }

    /// Puts some molecules elsewhere. Near pairs are searched again for them alone.
    pub(crate) fn relocate(&mut self, moves: &[(MoleculeId, Pose)]) {
        let mut slots = vec![u32::MAX; self.ids.len()];
        self.ids.iter().zip(0..).for_each(|(&id, slot)| slots[id as usize] = slot);
        let mut turned = vec![false; self.ids.len()];
        for &(MoleculeId(id), pose) in moves {
            let slot = slots[id as usize] as usize;
            self.scene.molecules_mut()[slot].pose = pose;
            let state = &mut self.states[slot];
            (state.moved, state.warmth, state.momentum, state.dirty_for) = (true, HOT, Motion::default(), 0);
            turned[slot] = true;
        }
        self.rests &= moves.is_empty();
        if let Some(pairs) = &mut self.pairs {
            pairs.turn(&self.scene, |slot| turned[slot as usize]);
        }
    }

    /// Lets a molecule stay where it is, or go again.
    pub fn fix(&mut self, molecule: MoleculeId, is_fixed: bool) {
        let Some(slot) = self.slot(molecule) else { return };
        let body = &self.bodies[self.scene.molecules()[slot].kind.0 as usize];
        self.states[slot].mobility = if is_fixed { 0.0 } else { (1.0 / body.mass) as f32 };
        self.states[slot].fixed = is_fixed;
        self.wake(slot);
    }

    /// Whether a molecule stays where it is.
    pub fn is_fixed(&self, molecule: MoleculeId) -> bool {
        self.slot(molecule).is_some_and(|slot| self.states[slot].fixed)
    }

    /// Goes on with other numbers.
    pub fn set_options(&mut self, options: RelaxOptions) {
        self.options = options;
        (0..self.states.len()).for_each(|slot| self.wake(slot));
    }

    /// Finds near pairs by cells of one kind, whatever the scene; the same pairs are found by any.
    pub fn set_index(&mut self, index: IndexKind) {
        self.index = index;
        self.pairs = None;
    }

    /// Whether the last iteration found nothing to do.
    pub fn is_at_rest(&self) -> bool {
        self.rests
    }

    /// Where a molecule stands that is owned here.
    pub(super) fn slot(&self, molecule: MoleculeId) -> Option<usize> {
        self.ids[..self.home.owned].iter().position(|&id| id == molecule.0)
    }

    fn wake(&mut self, slot: usize) {
        let state = &mut self.states[slot];
        (state.moved, state.warmth, state.momentum) = (true, HOT, Motion::default());
        self.rests = false;
        self.forget_list();
    }
}
