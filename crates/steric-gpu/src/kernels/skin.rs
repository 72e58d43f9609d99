//! Points moved by a skeleton, groups of atoms turned by it, and atoms that ride on groups.
//!
//! Arrays: points are `x y z radius`; each hangs on a set of joints with weights, of which the fourth is what the others leave of 1. The
//! palette is what [`steric_world::animate::Palette`] holds. Poses are a quaternion and a shift, so that `placed = rotation * rest + shift`.

use bytemuck::{Pod, Zeroable};
use steric_world::animate::Blend;

use crate::device::{Gpu, Groups, Kernel, Stage};

/// `hung`: the set of a point and its first three weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct HungWords {
    pub(crate) set: u32,
    pub(crate) weights: [f32; 3],
}

/// `poses`: how a group stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Ridden {
    pub(crate) rotation: [f32; 4],
    pub(crate) shift: [f32; 3],
    pub(crate) unused: f32,
}

const _: () = assert!(size_of::<HungWords>() == 16, "a point hangs on one word of four");
const _: () = assert!(size_of::<Ridden>() == 32, "a pose has two words of four");

/// Points and what they hang on.
#[derive(Debug)]
pub(crate) struct Points {
    /// How many, for the kernels.
    pub(crate) lot: wgpu::Buffer,
    pub(crate) count: u32,
    pub(crate) rest: wgpu::Buffer,
    pub(crate) hung: wgpu::Buffer,
}

/// What joints do, set by set.
#[derive(Debug)]
pub(crate) struct Joints {
    pub(crate) palette: wgpu::Buffer,
    pub(crate) stretches: wgpu::Buffer,
    pub(crate) blend: Blend,
    pub(crate) is_stretched: bool,
}

/// Moves points.
pub(crate) fn skin_stage(gpu: &Gpu, points: &Points, joints: &Joints, placed: &wgpu::Buffer) -> Stage {
    let stage = Ready { name: "skin", entry: "skin", width: 256 };
    stage.blending(gpu, points, joints, (5, placed))
}

/// Finds the poses of groups from their centres.
pub(crate) fn turn_groups_stage(gpu: &Gpu, centres: &Points, joints: &Joints, poses: &wgpu::Buffer) -> Stage {
    let stage = Ready { name: "groups", entry: "turn_groups", width: 64 };
    stage.blending(gpu, centres, joints, (6, poses))
}

/// Places atoms in the poses of their groups.
pub(crate) fn ride_stage(
    gpu: &Gpu,
    atoms: &Points,
    group_numbers: &wgpu::Buffer,
    poses: &wgpu::Buffer,
    placed: &wgpu::Buffer,
) -> Stage {
    let stage = Ready { name: "ride", entry: "ride", width: 256 };
    let bound = [(0, &atoms.lot), (1, &atoms.rest), (5, placed), (7, group_numbers), (8, poses)];
    stage.bound(gpu, &[], &bound, atoms.count)
}

/// An entry of the kernel.
struct Ready {
    name: &'static str,
    entry: &'static str,
    width: u64,
}

impl Ready {
    fn blending(&self, gpu: &Gpu, points: &Points, joints: &Joints, result: (u32, &wgpu::Buffer)) -> Stage {
        // As the kernel numbers them.
        let blend = match joints.blend {
            Blend::Linear => 0.0,
            Blend::Spherical => 1.0,
            Blend::DualQuaternion => 2.0,
        };
        let constants = [("BLEND", blend), ("STRETCHED", f64::from(u8::from(joints.is_stretched)))];
        let bound = [
            (0, &points.lot),
            (1, &points.rest),
            (2, &points.hung),
            (3, &joints.palette),
            (4, &joints.stretches),
            result,
        ];
        self.bound(gpu, &constants, &bound, points.count)
    }

    fn bound(&self, gpu: &Gpu, constants: &[(&'static str, f64)], bound: &[(u32, &wgpu::Buffer)], count: u32) -> Stage {
        let text = &[include_str!("skin.wgsl")];
        let pipeline = gpu.pipeline(Kernel { name: "skin", text, entry: self.entry, constants });
        gpu.stage(self.name, &pipeline, bound, Groups(u64::from(count).div_ceil(self.width)))
    }
}
