//! Molecules on a skeleton, beside the window.
//!
//! How it works: the window says what it wants to see of a puppet ([`View`]), as often as it likes. A [`Running`] thread works out the newest wish and leaves what came of it as
//! [`Animated`]: every group of the level is a molecule with a pose, and bones are strings of beads. What takes long and is not a picture, such as holding atoms apart over a
//! whole clip, is a [`Job`] that tells how far it is. A page in a browser has no threads: there each of these is done between two frames.

mod job;
mod run;
mod stage;
mod strings;
mod view;

use std::sync::Arc;

use steric::world::animate::Puppet;

pub(crate) use job::{Done, Job};
pub(crate) use run::Running;
pub use view::Animated;
pub(crate) use view::{View, Wanted, keyed};

use super::Source;

/// A structure on a skeleton, to be played.
///
/// ```
/// use steric::model::formats::xyz::read_xyz;
/// use steric::world::animate::{BonesBy, Puppet, PuppetOptions, generated};
/// use steric_studio::simulation::{AnimateSource, Source};
///
/// let rod: String = (0..40).map(|i| format!("C {} 0 {}\n", 1.5 * f64::from(i), i % 2)).collect();
/// let rod = read_xyz(format!("40\nrod\n{rod}").as_bytes(), "rod.xyz".as_ref())?.value;
/// let rig = generated(&rod, BonesBy::Chain);
/// let source = AnimateSource::new("rod", Puppet::new(rod, rig, &PuppetOptions::default())?);
/// assert_eq!(Source::from(source).name(), "rod");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnimateSource {
    /// What it is called.
    pub name: String,
    /// The structure, its skeleton and its clips.
    pub puppet: Arc<Puppet>,
}

impl AnimateSource {
    /// A puppet under a name.
    pub fn new(name: impl Into<String>, puppet: Puppet) -> Self {
        Self { name: name.into(), puppet: Arc::new(puppet) }
    }
}

impl PartialEq for AnimateSource {
    /// The very same puppet: to compare every atom would take long.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.puppet, &other.puppet)
    }
}

impl From<AnimateSource> for Source {
    fn from(source: AnimateSource) -> Self {
        Self::Animate(source)
    }
}
