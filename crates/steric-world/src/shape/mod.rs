//! Surfaces that lipids stand on, and regions that molecules stay in.

mod region;
mod surface;

pub use region::{Region, Side};
pub use surface::Surface;
