//! Docking by hand: a body that is moved among others that stay where they are, and never through them.
//!
//! How it works: a motion of the hand is a screw, along which every ball goes on a helix at constant speed. [`move_to_touch`] finds how far a body can
//! go on it; no speed is too fast, because each ball is followed from one sphere to the next by a bound and never by samples. A [`Response`] says what
//! happens there: nothing, a stop, a slide along what was hit, a push out of it, or a bounce.
//!
//! Bodies are balls among spheres ([`Body`] and an obstacle), or a [`Solid`] among [`Solids`]: polyhedra and triangle meshes. In a [`Tumble`] all of them move,
//! and exchange momentum where they hit each other.

mod bend;
mod body;
mod bounce;
pub mod energy;
mod hand;
mod impulse;
mod screw;
mod side_chain;
mod slide;
mod solid;
mod surroundings;
mod task;
mod torsion;
mod touch;
mod tumble;

pub use bend::{Bent, turn_to_touch};
pub use body::Body;
pub use hand::{Hand, HandStep, Response};
pub use screw::Screw;
pub use side_chain::{SideChain, push_with};
pub use solid::{Mass, Solid, SolidError, Solids};
pub use surroundings::{Rigid, Surroundings};
pub use task::{FittingTask, Solution};
pub use torsion::{Torsion, Torsions};
pub use touch::{Contact, Touch, contacts, move_to_touch};
pub use tumble::{Tumble, Tumbler};
