//! Molecules taken in hand while a GPU works on them: nothing else has to be sent there again.

use steric_model::{MoleculeId, Pose};

use super::GpuRelax;
use super::loaded::Loaded;
use crate::device::Gpu;
use crate::field::set_pose;
use crate::kernels::{BodyWords, board, mood};

/// As warm as a molecule can be, as `step.wgsl` has it.
const HOT: u32 = 8;

impl GpuRelax {
    /// Puts a molecule somewhere, and lets it stay there or go; the next iteration looks at it and at what it meets. Without anything loaded
    /// nothing happens.
    ///
    /// ```
    /// use glam::{DVec3, Vec3};
    /// use steric_gpu::{Gpu, GpuRelax};
    /// use steric_model::{MoleculeId, Pose, Scene};
    /// use steric_world::relax::{Engine, Relax, RelaxOptions, Setup};
    ///
    /// let mut scene = Scene::default();
    /// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
    /// scene.add_molecule(carbon, Pose::IDENTITY);
    /// scene.add_molecule(carbon, Pose::from_translation(DVec3::X * 9.0));
    /// let relax = Relax::new(Setup::new(scene), RelaxOptions::default(), 1);
    /// if let Some(gpu) = Gpu::software() {
    ///     let mut engine = GpuRelax::new(&gpu);
    ///     engine.load(&relax)?;
    ///     engine.advance(8)?;
    ///     // The second one is held against the first, which has to make room.
    ///     let hand = Pose::from_translation(DVec3::X * 2.0);
    ///     engine.put(MoleculeId(1), &hand, true);
    ///     engine.advance(64)?;
    ///     let poses = engine.fetch()?.poses;
    ///     let slot = engine.molecules().expect("it is loaded").ids.iter().position(|&id| id == 1).expect("it is there");
    ///     assert_eq!(poses[slot], hand);
    ///     assert!(poses[1 - slot].translation.x < -1.3);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn put(&mut self, molecule: MoleculeId, pose: &Pose, is_fixed: bool) {
        if !(pose.translation.is_finite() && pose.rotation.is_finite()) {
            return;
        }
        if let Some(loaded) = &mut self.loaded
            && let Some(slot) = loaded.ids().iter().position(|&id| id == molecule.0)
        {
            loaded.put(&self.gpu, slot, pose, is_fixed);
        }
    }
}

impl Loaded {
    fn put(&mut self, gpu: &Gpu, slot: usize, pose: &Pose, is_fixed: bool) {
        if !self.is_fresh && !self.rests {
            // What was decided on is done before anything is changed.
            gpu.run([&self.stages.apply]);
        }
        let write = |array: &wgpu::Buffer, word: usize, words: &[u32]| {
            gpu.queue.write_buffer(array, 4 * word as u64, bytemuck::cast_slice(words));
        };
        let frozen = &mut self.jolts.relax;
        let (kind, was_fixed) = (frozen.scene.molecules()[slot].kind, frozen.fixed[slot]);
        let words = &mut self.bodies[slot];
        words.mobility = if is_fixed { 0.0 } else { (1.0 / frozen.bodies[kind.0 as usize].mass) as f32 };
        set_pose(words, pose, self.origin);
        // A pose of which no bit changes on the GPU is this one.
        frozen.scene.molecules_mut()[slot].pose = *pose;
        frozen.fixed[slot] = is_fixed;
        let field = &self.arrays.field;
        const BODY_WORDS: usize = size_of::<BodyWords>() / 4;
        write(&field.bodies, BODY_WORDS * slot, bytemuck::cast_slice(bytemuck::bytes_of(words)));
        write(&self.arrays.motions, 16 * slot, &[0; 16]);
        let fixed = if is_fixed { mood::FIXED } else { 0 };
        write(&field.moods, 4 * slot + 3, &[HOT << 16 | mood::MOVED | mood::TOUCHED | fixed]);
        if was_fixed != is_fixed {
            let owner = slot as u32 | u32::from(is_fixed) << 31;
            for cluster in self.first_clusters[slot]..self.first_clusters[slot + 1] {
                write(&field.near, 4 * cluster as usize + 1, &[owner]);
            }
        }
        // Everything is placed and searched anew.
        for (word, value) in [(board::SEARCHING, 1), (board::HALTED, 0), (board::LISTED, 0), (board::STOPPED, 0)] {
            write(&field.board, word, &[value]);
        }
        (self.is_fresh, self.rests) = (true, false);
    }
}
