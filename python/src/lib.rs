//! The engine behind the Python package `steric`.
//!
//! How it works: arrays come in as they lie in memory and results are written into arrays of numpy, once. Long work runs on threads of its
//! own while the interpreter goes on; the thread that waits for it looks for signals twenty times a second. What Python does better
//! (files in many guises, atoms of other packages, tables) stands in the package itself.

mod animate;
mod arrays;
mod deform;
mod diffuse;
mod dock;
mod errors;
mod grow;
mod model;
mod neighbors;
mod pack;
mod relax;
mod render;
mod work;

use pyo3::prelude::*;

/// The engine behind the package.
#[pymodule(gil_used = true)]
mod _steric {
    use super::*;

    #[pymodule_export]
    use crate::animate::Animation;
    #[pymodule_export]
    use crate::deform::Deformation;
    #[pymodule_export]
    use crate::diffuse::Diffusion;
    #[pymodule_export]
    use crate::dock::Docking;
    #[pymodule_export]
    use crate::grow::{grow, pack_recipe};
    #[pymodule_export]
    use crate::model::{Model, check, radii_of, read};
    #[pymodule_export]
    use crate::neighbors::{Index, Neighbors, neighbors, overlaps};
    #[pymodule_export]
    use crate::pack::pack;
    #[pymodule_export]
    use crate::relax::{Relaxation, build, ready_names};
    #[pymodule_export]
    use crate::render::render;
    #[pymodule_export]
    use crate::work::{after_fork, set_threads, threads};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("instruction_set", steric::collide::instruction_set())?;
        crate::errors::add(module)
    }
}
