//! A relaxation that was loaded: iterations asked for and read back.

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use steric_collide::IndexKind;
use steric_model::{Instant, Molecule, Pose};
use steric_world::relax::{Iteration, Parts, Progress, Relax};
use steric_world::respond::{Body, Motion};

use super::Arrays;
use super::arrays::{fill_bodies, relax_bytes};
use super::stages::Stages;
use crate::device::{Gpu, GpuError, Stage, encode};
use crate::field::{Layout, Wanted, pose_of};
use crate::kernels::{BodyWords, HoldWords, LawWords, Shapes, board, find_stuck, jolt, mood};

/// Widest skin that the kernels choose by themselves, in angstroms.
const USUAL_SKIN: f32 = 1.2;
/// What depths are measured in where their order alone matters.
const STEPS_PER_ANGSTROM: f32 = (1 << 20) as f32;
/// What the kernels add up depths in.
const DEPTHS_PER_ANGSTROM: f64 = 4_096.0;

/// What a loaded relaxation is on the host.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) arrays: Arrays,
    pub(super) stages: Stages,
    /// What the board is read through.
    staging: wgpu::Buffer,
    pub(super) origin: DVec3,
    pub(super) bodies: Vec<BodyWords>,
    /// The first cluster of each molecule, and the end.
    pub(super) first_clusters: Vec<u32>,
    law: LawWords,
    has_walls: bool,
    iteration: u32,
    /// Whether the next iteration is the first one here: nothing has been placed or decided yet.
    pub(super) is_fresh: bool,
    pub(super) rests: bool,
    searches: u32,
    searches_before: u32,
    disturbed: bool,
    pub(super) jolts: Jolts,
}

/// What the choice of molecules to jolt needs.
#[derive(Debug)]
pub(super) struct Jolts {
    every: u32,
    pub(super) relax: Box<Frozen>,
}

/// The unchanging parts of a relaxation, kept to choose jolts.
#[derive(Debug)]
pub(super) struct Frozen {
    pub(super) scene: steric_model::Scene,
    ids: Vec<u32>,
    pub(super) fixed: Vec<bool>,
    pub(super) bodies: Vec<Body>,
    options: steric_world::relax::RelaxOptions,
    allow: f32,
    seed: u64,
}

impl Frozen {
    fn new(parts: &Parts<'_>) -> Self {
        Self {
            scene: parts.scene.clone(),
            ids: parts.ids.to_vec(),
            fixed: parts.fixed.clone(),
            bodies: parts.bodies.to_vec(),
            options: parts.options.clone(),
            allow: parts.allow,
            seed: parts.seed,
        }
    }

    fn jolted(&self, iteration: u32, dirty_for: &[u16], deepest: &[u32]) -> Vec<(u32, Motion)> {
        let parts = Parts {
            scene: &self.scene,
            ids: &self.ids,
            groups: &[],
            group_of: Vec::new(),
            fixed: self.fixed.clone(),
            bodies: &self.bodies,
            start: &[],
            options: &self.options,
            allow: self.allow,
            seed: self.seed,
            iteration,
            disturbed: true,
        };
        parts.jolted(iteration, dirty_for, deepest)
    }
}

/// Bytes of the board and of so many iterations.
fn board_bytes(iterations: u32) -> u64 {
    4 * (board::WORDS + board::HISTORY * iterations as usize) as u64
}

impl Loaded {
    /// Puts a relaxation on the GPU.
    pub(super) fn new(gpu: &Gpu, index: IndexKind, atoms_per_share: u64, relax: &Relax) -> Result<Self, GpuError> {
        let (parts, progress) = (relax.parts(), relax.progress());
        let law = LawWords::new(&parts);
        let skin = if parts.options.skin >= 0.0 { parts.options.skin as f32 } else { USUAL_SKIN };
        let wanted = Wanted { reach: law.reach(), skin, inside_molecules: false, index };
        let molecules = parts.scene.molecules();
        let mut layout = Layout::new(parts.scene, molecules, molecules.len(), wanted)?;
        layout.fix(&parts.fixed);
        let mut shapes = Shapes::new(layout.origin);
        let holds = HoldWords::new(parts.groups, &mut shapes);
        fill_bodies(&mut layout, &parts, &progress, &holds);
        let arrays =
            Arrays::new(gpu, &layout, &parts, &progress, law, (&holds, &shapes), atoms_per_share).map_err(|error| {
                match error {
                    GpuError::OutOfMemory { .. } => {
                        layout.out_of_memory(gpu, relax_bytes(gpu, &layout, parts.options.response))
                    }
                    other => other,
                }
            })?;
        let stages = Stages::new(gpu, &arrays, holds.has_walls);
        let staging = gpu.staging(board_bytes(board::MOST_HISTORY));
        gpu.check()?;
        Ok(Self {
            arrays,
            stages,
            staging,
            origin: layout.origin,
            bodies: layout.bodies,
            first_clusters: layout.first_clusters,
            law,
            has_walls: holds.has_walls,
            iteration: parts.iteration,
            is_fresh: true,
            rests: false,
            searches: 0,
            searches_before: progress.searches,
            disturbed: progress.disturbed,
            jolts: Jolts { every: parts.options.jolt_every, relax: Box::new(Frozen::new(&parts)) },
        })
    }

    /// Which molecule of the scene stands where in the arrays.
    pub(super) fn ids(&self) -> &[u32] {
        &self.jolts.relax.ids
    }

    pub(super) async fn advance(&mut self, gpu: &Gpu, most: u32) -> Result<Vec<Iteration>, GpuError> {
        let started = Instant::now();
        let mut done = Vec::new();
        while (done.len() as u32) < most && !self.rests {
            let left = most - done.len() as u32;
            let jolts = self.jolts_now();
            let count = if jolts { 1 } else { left.min(board::MOST_HISTORY).min(self.until_jolts()) };
            if jolts {
                self.jolt(gpu).await?
            } else {
                self.submit(gpu, count)
            }
            self.collect(gpu, count, &mut done).await?;
        }
        // The clock of the host knows only the whole; a share of it goes to every iteration.
        let share = 1e3 * started.elapsed().as_secs_f64() / done.len().max(1) as f64;
        done.iter_mut().for_each(|iteration| iteration.milliseconds = [0.0, share, 0.0]);
        Ok(done)
    }

    fn jolts_now(&self) -> bool {
        self.jolts.every > 0 && self.iteration > 0 && self.iteration.is_multiple_of(self.jolts.every)
    }

    fn until_jolts(&self) -> u32 {
        if self.jolts.every == 0 { u32::MAX } else { self.jolts.every - self.iteration % self.jolts.every }
    }

    /// Asks for iterations, and for the board after the last.
    fn submit(&mut self, gpu: &Gpu, count: u32) {
        let board = &self.arrays.field.board;
        let mut encoder = gpu.encoder();
        encoder.clear_buffer(board, 4 * board::SLOT as u64, Some(4));
        for iteration in 1..=count {
            encode(&mut encoder, self.stages.whole(std::mem::take(&mut self.is_fresh)));
            if iteration == count {
                encoder.copy_buffer_to_buffer(board, 0, &self.staging, 0, board_bytes(count));
            }
            // One by one, so that the GPU works on the first while the next ones are written down.
            gpu.queue.submit([std::mem::replace(&mut encoder, gpu.encoder()).finish()]);
        }
    }

    pub(super) fn begin_history(&self, gpu: &Gpu) {
        gpu.clear_words(&self.arrays.field.board, board::SLOT, Some(1));
    }

    /// An iteration whose worst molecules do not take their own step.
    async fn jolt(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        self.begin_history(gpu);
        gpu.run(self.stages.look(std::mem::take(&mut self.is_fresh)));
        loop {
            self.ask_for_board(gpu, 0);
            let words = self.board(gpu, 0).await?;
            let Some(again) = self.make_room(gpu, &words).await? else { break };
            gpu.run(again);
        }
        let (dirty_for, deepest): (Vec<u16>, Vec<u32>) = find_stuck(gpu, &self.arrays)
            .await?
            .into_par_iter()
            .map(|(dirty_for, deepest)| {
                let steps = if dirty_for > 0 && deepest > 0.0 { (deepest * STEPS_PER_ANGSTROM) as u32 + 1 } else { 0 };
                (dirty_for as u16, steps)
            })
            .unzip();
        let jolted = self.jolts.relax.jolted(self.iteration, &dirty_for, &deepest);
        jolt(gpu, &self.arrays, &jolted)?;
        gpu.run(&self.stages.close);
        self.ask_for_board(gpu, 1);
        Ok(())
    }

    /// Makes room if the kernels have halted for want of it, and says what has to be done again then.
    async fn make_room(&mut self, gpu: &Gpu, words: &[u32]) -> Result<Option<Vec<&Stage>>, GpuError> {
        let board = &self.arrays.field.board;
        match words[board::HALTED] {
            board::LIST_FULL => self.arrays.field.make_room(words[board::LISTED])?,
            board::CONTACTS_FULL => {
                // What was added up already would be added up again.
                gpu.clear_split(&self.arrays.records);
                let zeros = [0u32; board::STALE + 1 - board::OVERLAPS];
                gpu.queue.write_buffer(board, 4 * board::OVERLAPS as u64, bytemuck::cast_slice(&zeros));
                for word in [board::HALTED, board::STOPPED] {
                    gpu.queue.write_buffer(board, 4 * word as u64, bytemuck::bytes_of(&0u32));
                }
                self.arrays.touches.make_room(gpu).await?;
            }
            _ => return Ok(None),
        }
        self.stages = Stages::new(gpu, &self.arrays, self.has_walls);
        let search = std::iter::once(&self.stages.clear).chain(&self.stages.search);
        let search = search.filter(|_| words[board::HALTED] == board::LIST_FULL);
        Ok(Some(search.chain(&self.stages.visit).collect()))
    }

    /// Reads what the iterations came to that were asked for without the board.
    pub(super) async fn collect_later(
        &mut self,
        gpu: &Gpu,
        asked: u32,
        done: &mut Vec<Iteration>,
    ) -> Result<(), GpuError> {
        self.ask_for_board(gpu, asked);
        self.collect(gpu, asked, done).await
    }

    /// Reads what the iterations came to.
    async fn collect(&mut self, gpu: &Gpu, asked: u32, done: &mut Vec<Iteration>) -> Result<(), GpuError> {
        loop {
            let words = self.board(gpu, asked).await?;
            let count = words[board::SLOT] as usize;
            (self.rests, self.searches) = (words[board::HALTED] == board::RESTS, words[board::SEARCHES]);
            self.disturbed = words[board::DISTURBED] != 0;
            if matches!(words[board::HALTED], board::LIST_FULL | board::CONTACTS_FULL) {
                let again = self.make_room(gpu, &words).await?.unwrap_or_default();
                gpu.run(again);
                gpu.run(&self.stages.close);
                for _ in count + 1..asked as usize {
                    gpu.run(self.stages.whole(false));
                }
                self.ask_for_board(gpu, asked);
                continue;
            }
            let rows = words[board::WORDS..].chunks_exact(board::HISTORY).take(count);
            done.extend(rows.map(|row| self.iteration_of(row)));
            self.iteration += count as u32;
            return Ok(());
        }
    }

    /// Asks for the board again.
    fn ask_for_board(&self, gpu: &Gpu, iterations: u32) {
        let mut encoder = gpu.encoder();
        encoder.copy_buffer_to_buffer(&self.arrays.field.board, 0, &self.staging, 0, board_bytes(iterations));
        gpu.queue.submit([encoder.finish()]);
    }

    /// The board that was asked for, and what stands behind it of so many iterations.
    async fn board(&self, gpu: &Gpu, iterations: u32) -> Result<Vec<u32>, GpuError> {
        gpu.check()?;
        let mut words = Vec::new();
        gpu.mapped(&self.staging, board_bytes(iterations), |bytes| {
            words.extend_from_slice(bytemuck::cast_slice(bytes))
        })
        .await?;
        Ok(words)
    }

    fn iteration_of(&self, row: &[u32]) -> Iteration {
        let long = |at: usize| u64::from(row[at]) | u64::from(row[at + 1]) << 32;
        // Every pair was counted from both sides.
        let (overlaps, depth) = (long(0) / 2, long(2) as f64 / 2.0 / DEPTHS_PER_ANGSTROM);
        let clearance = if row[12] != 0 { self.law.clearance() } else { 0.0 };
        Iteration {
            overlaps,
            overlapping: row[5],
            deepest: if overlaps > 0 { f64::from(f32::from_bits(row[4]) - clearance).max(0.0) } else { 0.0 },
            mean_depth: if overlaps > 0 { depth / overlaps as f64 } else { 0.0 },
            broken: row[6],
            awake: row[7],
            moved: row[8],
            farthest: f64::from(f32::from_bits(row[10])),
            searched: row[11] != 0,
            milliseconds: [0.0; 3],
        }
    }

    pub(super) async fn fetch(&mut self, gpu: &Gpu) -> Result<Progress, GpuError> {
        // What was decided on and not yet done is done now, unless nothing is to be done.
        if !self.is_fresh {
            gpu.run([&self.stages.apply]);
        }
        let count = self.bodies.len();
        let bodies: Vec<BodyWords> = gpu.read_async(&self.arrays.field.bodies, count).await?;
        let moods: Vec<[u32; 4]> = gpu.read_async(&self.arrays.field.moods, count).await?;
        let motions: Vec<[[f32; 4]; 4]> = gpu.read_async(&self.arrays.motions, count).await?;
        if !self.is_fresh && !self.rests {
            // The next iteration must not do it again: it places and searches anew.
            self.is_fresh = true;
            gpu.queue.write_buffer(&self.arrays.field.board, 4 * board::SEARCHING as u64, bytemuck::bytes_of(&1u32));
            gpu.queue.write_buffer(&self.arrays.field.board, 4 * board::LISTED as u64, bytemuck::bytes_of(&0u32));
        }
        let three = |row: &[f32; 4]| Vec3::new(row[0], row[1], row[2]).as_dvec3();
        let origin = self.origin;
        let is = |bit: u32| moods.iter().map(|mood| !self.rests && mood[3] & bit != 0).collect();
        let momentum = |rows: &[[f32; 4]; 4]| Motion { shift: three(&rows[0]), turn: three(&rows[1]) };
        let rests = self.rests;
        let loaded = self.jolts.relax.scene.molecules();
        // A pose that no bit of has changed is the one that was loaded, in double precision.
        let now_at = |((now, before), loaded): ((&BodyWords, &BodyWords), &Molecule)| -> Pose {
            let is_same = now.whole == before.whole && now.part == before.part && now.rotation == before.rotation;
            if is_same { loaded.pose } else { pose_of(now, origin) }
        };
        Ok(Progress {
            poses: bodies.par_iter().zip(&self.bodies).zip(loaded).map(now_at).collect(),
            momenta: motions.iter().map(|rows| if rests { Motion::default() } else { momentum(rows) }).collect(),
            normals: moods.iter().map(|mood| Vec3::from([mood[0], mood[1], mood[2]].map(f32::from_bits))).collect(),
            dirty_for: moods.iter().map(|mood| mood[3] as u16).collect(),
            warmth: moods.iter().map(|mood| if rests { 0 } else { (mood[3] >> 16) as u8 }).collect(),
            moved: is(mood::MOVED),
            broken: is(mood::BROKEN),
            disturbed: self.disturbed,
            searches: self.searches_before + self.searches,
        })
    }
}
