//! Named, seeded scenes: what the tests check, the benches time and the book shows.
//!
//! ```
//! let scene = steric_scenes::rods(1_000);
//! assert_eq!(scene.atoms(), 1_000);
//! ```

mod molecules;
mod ready;
mod rods;
mod spheres;
mod vesicle;

pub use molecules::{Embedded, molecule, molecules};
pub use ready::{
    animation, animation_names, deformation, deformation_names, diffusion, diffusion_names, ready, ready_names,
};
pub use rods::{rods, rods_as_instances};
pub use spheres::{mixed, solution};
pub use steric_model::Random;
pub use vesicle::vesicle;
