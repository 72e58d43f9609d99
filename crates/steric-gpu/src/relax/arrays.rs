//! What a relaxation is on the GPU: its arrays, filled from what the relaxation knows.

use glam::DVec3;
use steric_model::Pose;
use steric_world::relax::{Parts, Progress, ResponseKind};
use steric_world::respond::Motion;

use super::touches::Touches;
use crate::device::{Gpu, GpuError, Memory, Split};
use crate::field::{Field, Layout, set_pose};
use crate::kernels::{BodyWords, HoldWords, LawWords, Shapes, board, mood, record_words, response};

/// The arrays of a relaxation on the GPU.
#[derive(Debug)]
pub(crate) struct Arrays {
    pub(crate) field: Field,
    pub(crate) response: f64,
    pub(crate) law: wgpu::Buffer,
    pub(crate) motions: wgpu::Buffer,
    pub(crate) starts: wgpu::Buffer,
    pub(crate) holds: wgpu::Buffer,
    pub(crate) shapes: wgpu::Buffer,
    pub(crate) records: Split,
    pub(crate) touches: Touches,
    pub(super) bytes: u64,
}

impl Arrays {
    /// Fills the arrays.
    pub(super) fn new(
        gpu: &Gpu,
        layout: &Layout,
        parts: &Parts<'_>,
        progress: &Progress,
        law: LawWords,
        (holds, shapes): (&HoldWords, &Shapes),
        atoms_per_share: u64,
    ) -> Result<Self, GpuError> {
        let field = Field::new(gpu, layout)?;
        let mut memory = Memory::new(gpu);
        let starts: Vec<[u32; 4]> = if holds.has_start {
            parts.start.iter().flat_map(|pose| start_rows(pose, layout.origin)).collect()
        } else {
            vec![[0; 4]; 3]
        };
        let motions: Vec<[[f32; 4]; 4]> = progress.momenta.iter().map(motion_rows).collect();
        let skin = if parts.options.skin >= 0.0 { parts.options.skin as f32 } else { 0.0 };
        let mut first_board = [0u32; board::WORDS];
        first_board[board::ITERATION] = parts.iteration;
        first_board[board::DISTURBED] = progress.disturbed.into();
        first_board[board::SEARCHING] = 1;
        first_board[board::SKIN] = skin.to_bits();
        // Without sleep everyone counts as awake.
        first_board[board::ALL_AWAKE] = u32::from(!parts.options.sleep);
        gpu.write(&field.board, &first_board);
        let touches = Touches::new(gpu, &layout.words, atoms_per_share)?;
        let no_shapes = [[0f32; 4]];
        let shapes = if shapes.words().is_empty() { &no_shapes[..] } else { shapes.words() };
        Ok(Self {
            response: response(parts.options.response),
            law: memory.uniform("law", &law),
            motions: memory.filled("motions", &motions)?,
            starts: memory.filled("starts", &starts)?,
            holds: memory.filled("holds", &holds.rows)?,
            shapes: memory.filled("shapes", shapes)?,
            records: memory.split("records", record_bytes(layout, parts.options.response))?,
            bytes: field.bytes() + memory.bytes() + touches.bytes(),
            field,
            touches,
        })
    }
}

fn record_bytes(layout: &Layout, response: ResponseKind) -> u64 {
    4 * record_words(response) * u64::from(layout.words.molecules)
}

/// About how many bytes a relaxation takes beside the field: motions, starts, records and contacts.
pub(super) fn relax_bytes(gpu: &Gpu, layout: &Layout, response: ResponseKind) -> u64 {
    u64::from(layout.words.molecules) * (64 + 48)
        + record_bytes(layout, response)
        + Touches::usual_bytes(gpu, &layout.words)
}

pub(super) fn fill_bodies(layout: &mut Layout, parts: &Parts<'_>, progress: &Progress, holds: &HoldWords) {
    let origin = layout.origin;
    for (slot, words) in layout.bodies.iter_mut().enumerate() {
        let body = &parts.bodies[parts.scene.molecules()[slot].kind.0 as usize];
        words.mobility = if parts.fixed[slot] { 0.0 } else { (1.0 / body.mass) as f32 };
        (words.gyration, words.inverse_gyration) = (body.gyration as f32, (1.0 / body.gyration) as f32);
        words.reach = body.reach as f32;
        words.inverse_reach = (1.0 / body.reach.max(1e-3)) as f32;
        let inertia = body.inverse_inertia;
        words.inertia_diagonal = [inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z].map(|entry| entry as f32);
        words.inertia_beside = [inertia.x_axis.y, inertia.x_axis.z, inertia.y_axis.z].map(|entry| entry as f32);
        words.group = holds.groups.get(parts.group_of[slot] as usize).copied().unwrap_or(u32::MAX);
        set_pose(words, &progress.poses[slot], origin);
        let normal = progress.normals[slot].to_array().map(f32::to_bits);
        let bit = |is: bool, bit: u32| if is { bit } else { 0 };
        let packed = u32::from(progress.dirty_for[slot])
            | u32::from(progress.warmth[slot]) << 16
            | bit(progress.moved[slot], mood::MOVED)
            | bit(progress.broken[slot], mood::BROKEN)
            | bit(parts.fixed[slot], mood::FIXED)
            // Who was touched last is not known any more.
            | mood::TOUCHED;
        layout.moods[slot] = [normal[0], normal[1], normal[2], packed];
    }
}

fn start_rows(pose: &Pose, origin: DVec3) -> [[u32; 4]; 3] {
    let mut body = BodyWords::default();
    set_pose(&mut body, pose, origin);
    let [x, y, z] = body.whole.map(|whole| whole as u32);
    let [a, b, c] = body.part.map(f32::to_bits);
    [[x, y, z, 0], [a, b, c, 0], body.rotation.map(f32::to_bits)]
}

fn motion_rows(momentum: &Motion) -> [[f32; 4]; 4] {
    let row = |three: DVec3| three.as_vec3().extend(0.0).to_array();
    [row(momentum.shift), row(momentum.turn), [0.0; 4], [0.0; 4]]
}
