//! Docking by hand: a body of spheres that is moved among spheres that stay where they are, and never through them.
//!
//! How it works: a motion of the hand is a screw, along which every ball goes on a helix at constant speed. [`move_to_touch`] finds how far a body can
//! go on it; no speed is too fast, because each ball is followed from one sphere to the next by a bound and never by samples. A [`Response`] says what
//! happens there: nothing, a stop, a slide along what was hit, or a push out of it.

mod body;
pub mod energy;
mod hand;
mod screw;
mod slide;
mod task;
mod torsion;
mod touch;

pub use body::Body;
pub use hand::{Hand, HandStep, Response};
pub use screw::Screw;
pub use task::{FittingTask, Solution};
pub use torsion::{Torsion, Torsions};
pub use touch::{Contact, Touch, contacts, move_to_touch};
