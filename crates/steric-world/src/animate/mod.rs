//! Molecules that move on a skeleton, at every level of detail, without passing through themselves.
//!
//! How it works: a [`Puppet`] is a structure whose atoms hang on the bones of a rig ([`Hung`]). A clip poses the joints, joints move atoms
//! ([`SkinnedPoints`]), residues or chains as rigid groups ([`Level`]). Seen from afar, super-atoms stand in ([`SuperAtoms`]). Where a
//! motion presses atoms into each other, [`Corrections`] hold them apart. [`write_puppet_glb`] hands all of it to Blender.

mod align;
mod blend;
mod chains;
mod corrections;
mod export;
mod file;
mod generate;
mod key_frames;
mod keys;
mod level;
mod puppet;
pub mod reference;
mod skin;
mod super_atoms;
mod untangle;
mod weights;

pub use align::{Alignment, Fit, Up};
pub use blend::{Blend, JointMotion, nearest_rotation, rotation_centre};
pub use chains::ChainBones;
pub use corrections::{Corrected, Corrections, Tally};
pub use export::{Ball, BallDetail, ExportError, GlbExport, write_puppet_glb};
pub use generate::{BonesBy, generated};
pub use key_frames::KeyFrames;
pub use keys::add_rotation_key;
pub use level::{Groups, Level};
pub use puppet::{Manner, Moment, Puppet, PuppetError, PuppetOptions};
pub use skin::{Palette, Placed, SkinnedPoints};
pub use super_atoms::SuperAtoms;
pub use untangle::{BakeOptions, Untangler};
pub use weights::{Hung, INFLUENCES, Reach, WeightOptions};
