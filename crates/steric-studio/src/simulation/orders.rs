//! What a simulation can be asked for.

use std::path::PathBuf;

use steric::collide::IndexKind;
use steric::gpu::Gpu;
use steric::model::{MoleculeId, Pose};
use steric::world::relax::RelaxOptions;

use super::Source;

/// Something to do.
#[derive(Clone, Debug)]
pub enum Order {
    /// Open this.
    Open(Source),
    /// Iterate until there is nothing left to do.
    Play,
    /// Stop iterating.
    Pause,
    /// Iterate once.
    Step,
    /// Go back to where the molecules were when they were opened.
    Reset,
    /// Iterate at most so often in a second; as often as possible if there is no number.
    Speed(Option<f64>),
    /// Go on with these numbers.
    Options(RelaxOptions),
    /// Go on with a scene file in which numbers have changed, with the molecules where they are.
    Rebuild(Source),
    /// Find near pairs by cells of this kind.
    Grid(IndexKind),
    /// Tell who overlaps this molecule.
    Watch(Option<MoleculeId>),
    /// Go on from what was kept: which molecules of the scene there are, where, and which are fixed.
    Restore(Vec<(MoleculeId, Pose, bool)>),
    /// Do the work elsewhere.
    Work(Where),
    /// Hold a molecule where it is, for a hand.
    Grab(MoleculeId),
    /// Put the molecule that is held somewhere.
    Hold(Pose),
    /// Let it go.
    Release,
    /// Let molecules stay where they are, or go again.
    Pin(Vec<MoleculeId>, bool),
    /// Take molecules away.
    Delete(Vec<MoleculeId>),
    /// Add a copy of a molecule.
    Add(MoleculeId, Pose),
    /// Remember how it is: what follows is undone at once.
    Mark,
    /// Push molecules by so much each, in angstroms.
    Push(Vec<(MoleculeId, glam::DVec3)>),
    /// Undo what a hand did last.
    Undo,
    /// Do it again.
    Redo,
    /// Write the model to a file.
    Save(PathBuf),
}

/// Where iterations are done.
#[derive(Clone, Debug, Default)]
pub enum Where {
    /// On the processor.
    #[default]
    Processor,
    /// On this GPU, if there are so many atoms that it is worth it.
    Large(Gpu),
    /// On this GPU.
    Gpu(Gpu),
}
