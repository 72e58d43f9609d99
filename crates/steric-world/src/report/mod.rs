//! What a relaxation did, in numbers.

mod memory;
mod piercings;
mod rings;
mod spread;

pub use memory::peak_memory_bytes;
pub use piercings::{Piercing, PiercingTotals, Skeletons};
pub use spread::{Histogram, Spread};
