//! What a hand can do.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use steric_model::Pose;
use steric_world::dock::Response;

/// Which of the two molecules a hand moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// The small one.
    #[default]
    Ligand,
    /// The large one.
    Receptor,
}

impl Which {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Ligand => Self::Receptor,
            Self::Receptor => Self::Ligand,
        }
    }
}

/// A pose as seven numbers: place and rotation (x, y, z, w).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seven([f64; 7]);

impl From<Pose> for Seven {
    fn from(pose: Pose) -> Self {
        let [x, y, z] = pose.translation.to_array();
        let [a, b, c, d] = pose.rotation.to_array();
        Self([x, y, z, a, b, c, d])
    }
}

impl From<Seven> for Pose {
    fn from(Seven([x, y, z, a, b, c, d]): Seven) -> Self {
        Self { translation: DVec3::new(x, y, z), rotation: DQuat::from_xyzw(a, b, c, d) }
    }
}

/// Something that a hand does. Poses are those of the molecule that is moved, in the world.
///
/// ```
/// use steric::dock::Deed;
/// use steric::model::Pose;
///
/// let deed = Deed::Go(Pose::IDENTITY.into());
/// let text = serde_json::to_string(&deed)?;
/// assert_eq!(text, r#"{"go":[0.0,0.0,0.0,0.0,0.0,0.0,1.0]}"#);
/// assert_eq!(serde_json::from_str::<Deed>(&text)?, deed);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deed {
    /// Goes towards a pose.
    Go(Seven),
    /// Is put into a pose, whatever is there.
    Put(Seven),
    /// Turns the ligand's bonds towards these angles, all of them, in radians from how they are in the file.
    Turn(Vec<f64>),
    /// Answers hits otherwise.
    Respond(Response),
    /// Looks out for collisions, or not.
    Collide(bool),
    /// Moves the other molecule from now on.
    Move(Which),
    /// Makes all atoms so many times as large as they are.
    Grow(f64),
    /// Forgives overlaps up to this, in angstroms.
    Forgive(f64),
    /// How elastic hits are and how rough surfaces are, 0 to 1.
    Bounce([f64; 2]),
    /// Lets the side chains of these residues give way, by their numbers in the receptor, from 0.
    Flex(Vec<u32>),
    /// Works out the energies around the ligand's poses: so many angstroms beyond them, at points so far apart.
    Energies([f64; 2]),
    /// Goes downhill by so many steps.
    Downhill(u32),
    /// Takes another pose of the ligand's file in hand, from 0.
    Take(usize),
    /// Remembers where everything is, for [`Deed::Undo`].
    Mark(()),
    /// Goes back to where everything was at the last mark.
    Undo(()),
    /// Goes forward again.
    Redo(()),
    /// Says that the task is done.
    Claim(()),
    /// Looks from elsewhere: eye, target, up and degrees. It moves nothing.
    Look([f64; 10]),
    /// Presses a key of the window that moves nothing, by the name of what it does.
    Press(String),
}

impl Deed {
    /// Whether something may collide in it.
    pub fn is_motion(&self) -> bool {
        matches!(self, Self::Go(_) | Self::Turn(_) | Self::Downhill(_))
    }
}
