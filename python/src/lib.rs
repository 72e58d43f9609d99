//! The engine behind the Python package `steric`.

use pyo3::prelude::*;

/// The engine behind the package.
#[pymodule]
mod _steric {
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
