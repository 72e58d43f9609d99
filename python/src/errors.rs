//! Exceptions: what a file did wrong is told with file, line and columns.

use std::path::Path;

use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use steric::collide::NeighbourError;
use steric::model::{Located, Place, ReadError};

create_exception!(
    steric,
    FormatError,
    PyValueError,
    "A file that cannot be read: ``file``, ``line``, ``columns``, ``expected`` and ``found`` say where and why."
);
create_exception!(
    steric,
    InternalError,
    PyRuntimeError,
    "A promise inside steric was broken. Please report it with what led to it."
);

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("FormatError", py.get_type::<FormatError>())?;
    module.add("InternalError", py.get_type::<InternalError>())
}

/// Something that was asked for and makes no sense.
pub(crate) fn value(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub(crate) fn io(path: &Path, error: &std::io::Error) -> PyErr {
    os_error(path, error)
}

fn os_error(path: &Path, error: &std::io::Error) -> PyErr {
    // With a number Python makes it a FileNotFoundError or what else it is.
    match error.raw_os_error() {
        Some(number) => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, text, path.display().to_string()))
        }
        None => PyOSError::new_err(format!("{}: {error}", path.display())),
    }
}

pub(crate) fn located(py: Python<'_>, error: &Located) -> PyErr {
    let exception = FormatError::new_err(error.to_string());
    let (line, columns, byte) = match error.place {
        Place::Line(line, columns) => (Some(line), columns, None),
        Place::Byte(byte) => (None, None, Some(byte)),
        Place::File => (None, None, None),
    };
    let value = exception.value(py);
    let set = || {
        value.setattr("file", error.path.display().to_string())?;
        value.setattr("line", line)?;
        value.setattr("columns", columns)?;
        value.setattr("byte", byte)?;
        value.setattr("expected", &error.expected)?;
        value.setattr("found", &error.found)
    };
    match set() {
        Ok(()) => exception,
        Err(other) => other,
    }
}

pub(crate) fn read(py: Python<'_>, error: ReadError) -> PyErr {
    match error {
        ReadError::Content(error) => located(py, &error),
        ReadError::Io { path, source } => os_error(&path, &source),
        other => value(other),
    }
}

pub(crate) fn neighbours(error: NeighbourError) -> PyErr {
    match error {
        NeighbourError::TooManyPairs { .. } => PyMemoryError::new_err(error.to_string()),
        other => value(other),
    }
}

/// What a panic said.
pub(crate) fn panicked(payload: &(dyn std::any::Any + Send)) -> PyErr {
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    InternalError::new_err(format!("a promise inside steric was broken: {}", text.unwrap_or("no more is known")))
}
