//! Arrays of numpy as points, and back.

use glam::{DMat3, DVec3};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use steric::collide::{Points, Repeat};
use steric::model::{PeriodicBox, Pose};

use crate::errors;

/// Positions as they lie in memory.
pub(crate) enum Positions<'py> {
    Single(PyReadonlyArray2<'py, f32>),
    Double(PyReadonlyArray2<'py, f64>),
}

impl<'py> Positions<'py> {
    /// Takes an array as it is where it is in order; whatever else holds positions is turned into one by the package.
    pub(crate) fn new(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Some(positions) = Self::as_it_is(object) {
            return Ok(positions);
        }
        let converted = helper(object.py(), "points")?.call1((object,))?;
        Self::as_it_is(&converted).ok_or_else(|| errors::value("expected positions as an array of shape (n, 3)"))
    }

    fn as_it_is(object: &Bound<'py, PyAny>) -> Option<Self> {
        if let Ok(array) = object.cast::<PyArray2<f32>>() {
            return fits(array).then(|| array.try_readonly().ok().map(Self::Single))?;
        }
        let array = object.cast::<PyArray2<f64>>().ok()?;
        fits(array).then(|| array.try_readonly().ok().map(Self::Double))?
    }

    pub(crate) fn points(&self) -> PyResult<Points<'_>> {
        match self {
            Self::Single(array) => Ok(Points::Single(array.as_slice().map_err(errors::value)?.as_chunks().0)),
            Self::Double(array) => Ok(Points::Double(array.as_slice().map_err(errors::value)?.as_chunks().0)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Single(array) => array.shape()[0],
            Self::Double(array) => array.shape()[0],
        }
    }

    pub(crate) fn is_single(&self) -> bool {
        matches!(self, Self::Single(_))
    }
}

fn fits<T: Element>(array: &Bound<'_, PyArray2<T>>) -> bool {
    array.shape()[1] == 3 && array.is_c_contiguous()
}

/// A function of the package's own conversions.
pub(crate) fn helper<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("steric._convert").map(Bound::unbind))?;
    module.bind(py).getattr(name)
}

/// One number for each of some points.
pub(crate) fn one_each<'py, T: Element>(
    object: &Bound<'py, PyAny>,
    convert: &str,
    count: usize,
) -> PyResult<PyReadonlyArray1<'py, T>> {
    let converted = helper(object.py(), convert)?.call1((object, count))?;
    Ok(converted.cast::<PyArray1<T>>()?.try_readonly()?)
}

/// A box and along which of its vectors it repeats.
pub(crate) fn repeat(
    object: Option<&Bound<'_, PyAny>>,
    periodic: Option<&Bound<'_, PyAny>>,
    positions: &Bound<'_, PyAny>,
) -> PyResult<Option<Repeat>> {
    let Some(object) = object else { return Ok(None) };
    let found = helper(object.py(), "box")?.call1((object, periodic, positions))?;
    let Some((vectors, along)) = found.extract::<Option<([[f64; 3]; 3], [bool; 3])>>()? else { return Ok(None) };
    let vectors = DMat3::from_cols_array_2d(&vectors);
    let widest = vectors.to_cols_array().into_iter().fold(0.0f64, |most, entry| most.max(entry.abs()));
    let periodic_box = PeriodicBox::new(vectors).filter(|_| widest <= 1e9);
    let periodic_box = periodic_box.ok_or_else(|| errors::value("expected a box with a volume, in angstroms"))?;
    Ok(Some(Repeat { periodic_box, along }))
}

/// A new array of points.
pub(crate) fn points_array<'py, T: Element>(py: Python<'py>, points: Vec<[T; 3]>) -> PyResult<Bound<'py, PyArray2<T>>> {
    rows(py, points)
}

/// A new array with so many numbers a row.
pub(crate) fn rows<'py, T: Element, const N: usize>(
    py: Python<'py>,
    rows: Vec<[T; N]>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let count = rows.len();
    PyArray1::from_vec(py, rows.into_flattened()).reshape([count, N])
}

/// Position, then rotation as a quaternion x, y, z, w.
pub(crate) fn pose_row(pose: &Pose) -> [f64; 7] {
    let [x, y, z] = pose.translation.to_array();
    let [i, j, k, w] = pose.rotation.to_array();
    [x, y, z, i, j, k, w]
}

/// The reverse of [`pose_row`]; `None` for what is no pose.
pub(crate) fn row_pose(row: &[f64; 7]) -> Option<Pose> {
    let rotation = glam::DQuat::from_xyzw(row[3], row[4], row[5], row[6]);
    let translation = DVec3::new(row[0], row[1], row[2]);
    let length = rotation.length();
    (translation.is_finite() && length > 1e-9 && length.is_finite())
        .then(|| Pose { translation, rotation: rotation.normalize() })
}
