//! Molecules on a skeleton, moved on the GPU and left there to be drawn.
//!
//! How it works: where the atoms are bound and what they hang on goes to the GPU once. For a frame the host writes what each set of joints
//! does, a few kilobytes, and a kernel moves every atom by itself, or every residue, and then the atoms with their residues. Poses of chains
//! are few and come from the host. So does what only the host knows: trajectories, and baked corrections. Atoms stand in
//! lots, each with arrays of its own, of which there is one unless an array would be longer than the GPU allows.

use std::ops::Range;

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use steric_model::{Pose, Skeleton};
use steric_world::animate::{Blend, Groups, Hung, JointMotion, Level, Moment, Palette, Puppet};

use crate::device::{Gpu, GpuError, Memory, Stage, StageTimes, waited};
use crate::kernels::{HungWords, Joints, Points, Ridden, ride_stage, skin_stage, turn_groups_stage};

/// A puppet on the GPU.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use steric_gpu::{Gpu, GpuSkin};
/// use steric_model::formats::xyz::read_xyz;
/// use steric_model::{Clip, Curve, Joint, JointPose, Keys, Rig, Skeleton, Track};
/// use steric_world::animate::{Moment, Puppet, PuppetOptions};
///
/// let rod: String = (0..20).map(|i| format!("C {} 0 0\n", 1.5 * f64::from(i))).collect();
/// let rod = read_xyz(format!("20\nrod\n{rod}").as_bytes(), "rod.xyz".as_ref())?.value;
/// let skeleton = Skeleton::new(vec![
///     Joint::new("upper", None, JointPose::IDENTITY),
///     Joint::new("lower", Some(0), JointPose::at(DVec3::X * 14.25)),
/// ]);
/// let keys = Keys::Rotation(vec![DQuat::IDENTITY, DQuat::from_rotation_z(1.5)]);
/// let bend = Clip::new("bend", vec![Track { joint: 1, times: vec![0.0, 1.0], curve: Curve::Linear, keys }]);
/// let puppet = Puppet::new(rod, Rig { skeleton, clips: vec![bend], ..Rig::default() }, &PuppetOptions::default())?;
/// if let Some(gpu) = Gpu::software() {
///     let mut skin = GpuSkin::new(&gpu, &puppet)?;
///     let moment = Moment { time: 1.0, ..Moment::default() };
///     skin.frame(&puppet, &moment)?;
///     let expected = puppet.positions(&moment);
///     assert!(skin.positions()?.iter().zip(&expected).all(|(found, expected)| found.distance(*expected) < 1e-3));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuSkin {
    gpu: Gpu,
    origin: DVec3,
    /// What the weights were found for.
    skeleton: Skeleton,
    lots: Vec<Lot>,
    residues: Points,
    residue_poses: wgpu::Buffer,
    chain_poses: wgpu::Buffer,
    joints_of_atoms: Joints,
    joints_of_residues: Joints,
    /// Of the last frame.
    stages: Vec<Stage>,
    bytes: u64,
}

/// Some of the atoms, one after the other.
#[derive(Debug)]
struct Lot {
    atoms: Range<usize>,
    points: Points,
    residue_numbers: wgpu::Buffer,
    chain_numbers: wgpu::Buffer,
    placed: wgpu::Buffer,
}

impl GpuSkin {
    /// Puts a puppet on the GPU, as it is bound.
    pub fn new(gpu: &Gpu, puppet: &Puppet) -> Result<Self, GpuError> {
        let mut memory = Memory::new(gpu);
        let (origin, hung) = (puppet.skinned().origin(), sound(puppet));
        let lots = ranges(gpu, puppet.radii().len()).into_iter();
        let lots = lots.map(|atoms| Lot::new(&mut memory, puppet, atoms)).collect::<Result<_, _>>()?;
        let centres = puppet.groups(Level::Residue).map_or(&[][..], |residues| &residues.centres);
        let centres: Vec<[f32; 4]> =
            centres.iter().map(|&centre| (centre - origin).as_vec3().extend(0.0).into()).collect();
        let chains = puppet.groups(Level::Chain).map_or(0, Groups::len);
        let pose_bytes = |groups: usize| (groups * size_of::<Ridden>()) as u64;
        Ok(Self {
            gpu: gpu.clone(),
            origin,
            skeleton: puppet.rig().skeleton.clone(),
            lots,
            residue_poses: memory.zeros("residue poses", pose_bytes(centres.len()))?,
            chain_poses: memory.zeros("chain poses", pose_bytes(chains))?,
            residues: points(&mut memory, &centres, puppet.residues_hung(), 0..centres.len())?,
            joints_of_atoms: joints(&mut memory, hung)?,
            joints_of_residues: joints(&mut memory, puppet.residues_hung())?,
            stages: Vec::new(),
            bytes: memory.bytes(),
        })
    }

    /// Moves all atoms to where they are at a moment. The puppet is the one that it was made of, or that one with another
    /// [rig](Puppet::with_rig). Does not wait for the GPU.
    pub fn frame(&mut self, puppet: &Puppet, moment: &Moment) -> Result<(), GpuError> {
        assert_eq!(puppet.radii().len(), self.len(), "the puppet that was put on the GPU");
        if puppet.rig().skeleton != self.skeleton {
            self.hang_again(puppet)?;
        }
        let is_known_to_host = puppet.key_frames().is_some() || puppet.corrections_at(moment).is_some();
        self.stages = match moment.level {
            Level::Atom if is_known_to_host => {
                self.write_positions(puppet, &puppet.positions(moment));
                Vec::new()
            }
            Level::Atom => self.skin_atoms(puppet, moment),
            Level::Residue if is_known_to_host => self.ride(puppet, moment),
            Level::Residue => self.turn_residues(puppet, moment),
            Level::Chain => self.ride(puppet, moment),
        };
        self.gpu.run(&self.stages);
        self.gpu.check()
    }

    /// How many atoms there are.
    pub fn len(&self) -> usize {
        self.lots.last().map_or(0, |lot| lot.atoms.end)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What places on the GPU are measured from, in angstroms: the middle of the structure as bound.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// How many bytes of the GPU's memory are in use.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where the atoms are, for those who draw them: `x y z` from the [origin](Self::origin) and the radius, four `f32` for each atom, in file
    /// order. Mostly one array; several, each with its range of atoms, where one would be longer than the GPU allows. They stay the same
    /// from frame to frame.
    pub fn arrays(&self) -> impl Iterator<Item = (Range<usize>, &wgpu::Buffer)> {
        self.lots.iter().map(|lot| (lot.atoms.clone(), &lot.placed))
    }

    /// Where every atom is after the last frame, in file order, in angstroms.
    pub fn positions(&self) -> Result<Vec<Vec3>, GpuError> {
        waited(self.positions_async())
    }

    /// The same for those who must not wait.
    pub async fn positions_async(&self) -> Result<Vec<Vec3>, GpuError> {
        let mut positions = Vec::with_capacity(self.len());
        for lot in &self.lots {
            let placed: Vec<[f32; 4]> = self.gpu.read_async(&lot.placed, lot.atoms.len()).await?;
            positions
                .extend(placed.iter().map(|&[x, y, z, _]| (self.origin + Vec3::new(x, y, z).as_dvec3()).as_vec3()));
        }
        Ok(positions)
    }

    fn skin_atoms(&mut self, puppet: &Puppet, moment: &Moment) -> Vec<Stage> {
        let motions = puppet.motions(moment);
        self.joints_of_atoms.write(&self.gpu, puppet, puppet.hung(), &motions, moment.blend);
        self.lots.iter().map(|lot| skin_stage(&self.gpu, &lot.points, &self.joints_of_atoms, &lot.placed)).collect()
    }

    fn turn_residues(&mut self, puppet: &Puppet, moment: &Moment) -> Vec<Stage> {
        let motions = puppet.motions(moment);
        self.joints_of_residues.write(&self.gpu, puppet, puppet.residues_hung(), &motions, moment.blend);
        let turn = turn_groups_stage(&self.gpu, &self.residues, &self.joints_of_residues, &self.residue_poses);
        std::iter::once(turn).chain(self.riding(Level::Residue)).collect()
    }

    /// Groups in poses that the host has worked out.
    fn ride(&self, puppet: &Puppet, moment: &Moment) -> Vec<Stage> {
        let (Some(groups), Some(poses)) = (puppet.groups(moment.level), puppet.group_poses(moment)) else {
            return Vec::new();
        };
        let ridden = |(pose, &centre): (&Pose, &DVec3)| {
            // From here to the group's middle and out again, all but the atom's own place in double precision.
            let shift = pose.translation - self.origin + pose.rotation * (self.origin - centre);
            Ridden { rotation: pose.rotation.as_quat().to_array(), shift: shift.as_vec3().into(), unused: 0.0 }
        };
        let words: Vec<Ridden> = poses.iter().zip(&groups.centres).map(ridden).collect();
        self.gpu.write(self.poses(moment.level), &words);
        self.riding(moment.level).collect()
    }

    fn poses(&self, level: Level) -> &wgpu::Buffer {
        if level == Level::Chain { &self.chain_poses } else { &self.residue_poses }
    }

    fn riding(&self, level: Level) -> impl Iterator<Item = Stage> {
        self.lots.iter().map(move |lot| {
            let numbers = if level == Level::Chain { &lot.chain_numbers } else { &lot.residue_numbers };
            ride_stage(&self.gpu, &lot.points, numbers, self.poses(level), &lot.placed)
        })
    }

    fn write_positions(&self, puppet: &Puppet, positions: &[Vec3]) {
        for lot in &self.lots {
            self.gpu.write(&lot.placed, &spheres(positions, puppet.radii(), self.origin, lot.atoms.clone()));
        }
    }

    /// Weights for other bones. Atoms and groups stay.
    fn hang_again(&mut self, puppet: &Puppet) -> Result<(), GpuError> {
        let (mut memory, hung) = (Memory::new(&self.gpu), sound(puppet));
        let before = self.joints_of_atoms.bytes() + self.joints_of_residues.bytes();
        self.joints_of_atoms = joints(&mut memory, hung)?;
        self.joints_of_residues = joints(&mut memory, puppet.residues_hung())?;
        self.bytes = self.bytes - before + memory.bytes();
        for lot in &self.lots {
            self.gpu.write(&lot.points.hung, &hung_words(hung, lot.atoms.clone()));
        }
        self.gpu.write(&self.residues.hung, &hung_words(puppet.residues_hung(), 0..self.residues.count as usize));
        self.skeleton = puppet.rig().skeleton.clone();
        Ok(())
    }
}

/// How long the last frame's kernels take, for benchmarks. What the host does before is not in it.
impl GpuSkin {
    /// Milliseconds of each stage, by the GPU's clock; nothing where the frame was worked out by the host.
    pub fn timed_frame(&self) -> Result<StageTimes, GpuError> {
        match &self.stages[..] {
            [] => Ok(StageTimes::default()),
            stages => self.gpu.timed(&stages.iter().collect::<Vec<_>>()),
        }
    }

    /// Milliseconds of a frame of so many back to back, by the GPU's clock or, where it has none, by the host's: until all atoms are where
    /// they can be drawn.
    pub fn time_frames(&self, count: usize) -> Result<f64, GpuError> {
        match &self.stages[..] {
            [] => Ok(0.0),
            stages => self.gpu.round_of(&stages.iter().collect::<Vec<_>>(), count),
        }
    }
}

impl Lot {
    fn new(memory: &mut Memory, puppet: &Puppet, atoms: Range<usize>) -> Result<Self, GpuError> {
        let positions = &puppet.structure().atoms.positions;
        let bound = spheres(positions, puppet.radii(), puppet.skinned().origin(), atoms.clone());
        let mut numbers = |what, level| {
            let groups = puppet.groups(level).map_or(&[][..], |groups| &groups.of_atom[atoms.clone()]);
            memory.filled(what, groups)
        };
        Ok(Self {
            residue_numbers: numbers("residues of atoms", Level::Residue)?,
            chain_numbers: numbers("chains of atoms", Level::Chain)?,
            placed: memory.filled("placed atoms", &bound)?,
            points: points(memory, &bound, puppet.hung(), atoms.clone())?,
            atoms,
        })
    }
}

impl Joints {
    fn bytes(&self) -> u64 {
        self.palette.size() + self.stretches.size()
    }

    /// What the joints do in a frame.
    fn write(&mut self, gpu: &Gpu, puppet: &Puppet, hung: &Hung, motions: &[JointMotion], blend: Blend) {
        let palette = Palette::new(&hung.sets, puppet.skinned().origin(), motions, puppet.heads(), blend);
        gpu.write(&self.palette, palette.numbers());
        (self.blend, self.is_stretched) = (blend, palette.stretches().is_some());
        gpu.write(&self.stretches, palette.stretches().unwrap_or_default());
    }
}

/// Room for the numbers of as many sets of joints, of which the kernels have twelve for each of four at most.
fn joints(memory: &mut Memory, hung: &Hung) -> Result<Joints, GpuError> {
    let bytes = 4 * 12 * 4 * hung.sets.len() as u64;
    let (palette, stretches) = (memory.zeros("palette", bytes)?, memory.zeros("stretches", bytes)?);
    Ok(Joints { palette, stretches, blend: Blend::default(), is_stretched: false })
}

fn points(memory: &mut Memory, rest: &[[f32; 4]], hung: &Hung, range: Range<usize>) -> Result<Points, GpuError> {
    let count = rest.len() as u32;
    Ok(Points {
        lot: memory.uniform("lot", &[count, 0, 0, 0]),
        count,
        rest: memory.filled("points as bound", rest)?,
        hung: memory.filled("weights", &hung_words(hung, range))?,
    })
}

fn hung_words(hung: &Hung, range: Range<usize>) -> Vec<HungWords> {
    let words = |(&set, &[a, b, c, _]): (&u32, &[f32; 4])| HungWords { set, weights: [a, b, c] };
    hung.set_of[range.clone()].par_iter().zip(&hung.weights[range]).with_min_len(4_096).map(words).collect()
}

fn spheres(positions: &[Vec3], radii: &[f32], origin: DVec3, atoms: Range<usize>) -> Vec<[f32; 4]> {
    let sphere = |(place, &radius): (&Vec3, &f32)| (place.as_dvec3() - origin).as_vec3().extend(radius).into();
    positions[atoms.clone()].par_iter().zip(&radii[atoms]).with_min_len(4_096).map(sphere).collect()
}

/// How the atoms hang, which kernels without checks of every index rely on.
fn sound(puppet: &Puppet) -> &Hung {
    let joints = puppet.rig().skeleton.joints.len();
    let is_sound = puppet.hung().is_sound(joints) && puppet.residues_hung().is_sound(joints);
    assert!(is_sound, "every point hangs on a set of joints");
    puppet.hung()
}

/// Atoms in lots that are as long as one array can be, four words for each atom.
fn ranges(gpu: &Gpu, atoms: usize) -> Vec<Range<usize>> {
    let most = gpu.adapter().largest_binding.min(gpu.adapter().largest_buffer) / 16;
    let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
    (0..atoms).step_by(most).map(|first| first..first.saturating_add(most).min(atoms)).collect()
}
