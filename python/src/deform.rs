//! Soft bodies, step by step.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use steric::deform::{DeformReport, DeformScene, Frames, SoftRun};

use crate::arrays::{points_array, rows};
use crate::errors;
use crate::work::{self, Held};

/// A run on its way.
#[pyclass(module = "steric", frozen)]
pub(crate) struct Deformation {
    held: Held<Run>,
}

struct Run {
    scene: DeformScene,
    soft: SoftRun,
    report: DeformReport,
}

#[pymethods]
impl Deformation {
    #[staticmethod]
    #[pyo3(name = "_of")]
    fn of(py: Python<'_>, inputs: Vec<PathBuf>, text: Option<&str>, seed: Option<u64>) -> PyResult<Self> {
        let wrong = |error: steric::model::Located| errors::located(py, &error);
        let Some(first) = inputs.first() else { return Err(errors::value("expected a scene or a mesh, found none")) };
        let ready = first.to_str().and_then(scenes::deformation).filter(|_| inputs.len() == 1 && !first.is_file());
        let (scene, folder) = if let Some(text) = text {
            (DeformScene::read(text, Path::new("scene")).map_err(wrong)?, first.clone())
        } else if let Some(text) = ready {
            (DeformScene::read(text, first).map_err(wrong)?, PathBuf::new())
        } else if first.extension().is_some_and(|ending| ending == "toml") && inputs.len() == 1 {
            let text = std::fs::read_to_string(first).map_err(|error| errors::io(first, &error))?;
            (DeformScene::read(&text, first).map_err(wrong)?, first.parent().unwrap_or(Path::new("")).to_owned())
        } else if !first.exists() && first.extension().is_none() {
            let known = scenes::deformation_names().collect::<Vec<_>>().join(", ");
            let found = first.display();
            return Err(errors::value(format!(
                "{found}: expected a scene file, a mesh or a ready scene ({known}), found none"
            )));
        } else {
            (DeformScene::dropping(&inputs).map_err(errors::value)?, PathBuf::new())
        };
        let name = if scene.name().is_empty() { first.display().to_string() } else { scene.name().to_owned() };
        let stop = Arc::new(AtomicBool::new(false));
        let pool = work::pool(py, None)?;
        let job = move || {
            let soft = scene.start(&folder, seed).map_err(|error| error.to_string())?;
            Ok::<_, String>(Run { scene, soft, report: DeformReport::new(&name) })
        };
        let run = work::owned(py, &pool, &stop, job, work::nothing)?.map_err(errors::value)?;
        Ok(Self { held: Held::new(run) })
    }

    /// How many steps the scene asks for.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        self.held.with(py, |run| run.scene.steps())
    }

    /// How many steps were taken.
    #[getter]
    fn step_number(&self, py: Python<'_>) -> PyResult<u64> {
        self.held.with(py, |run| run.soft.world.steps())
    }

    /// Seconds that have passed in the scene.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.held.with(py, |run| run.soft.world.time())
    }

    /// Takes so many steps; a signal ends it between two of them. Returns the contacts of each.
    #[pyo3(name = "_advance", signature = (steps, path=None, every=None, threads=None))]
    fn advance(
        &self,
        py: Python<'_>,
        steps: u64,
        path: Option<PathBuf>,
        every: Option<u64>,
        threads: Option<i64>,
    ) -> PyResult<Vec<usize>> {
        let stop = Arc::new(AtomicBool::new(false));
        let (shared, stopped, to) = (self.held.share(), Arc::clone(&stop), path.clone());
        let job = move || -> std::io::Result<Vec<usize>> {
            let mut run = work::lock(&shared);
            let Run { scene, soft, report } = &mut *run;
            let every = every.unwrap_or_else(|| scene.frame_every()).max(1);
            let mut frames = to.as_deref().map(Frames::create).transpose()?;
            if let Some(frames) = &mut frames {
                frames.frame(soft)?;
            }
            let mut contacts = Vec::new();
            for step in 1..=steps {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                let stepped = soft.step();
                report.note(&stepped);
                contacts.push(stepped.contacts);
                if let Some(frames) = frames.as_mut().filter(|_| step.is_multiple_of(every)) {
                    frames.frame(soft)?;
                }
            }
            if let Some(frames) = frames {
                frames.finish(soft)?;
            }
            Ok(contacts)
        };
        let pool = work::pool(py, threads)?;
        let done = work::owned(py, &pool, &stop, job, work::nothing)?;
        done.map_err(|error| errors::io(&path.unwrap_or_default(), &error))
    }

    /// Where the points are, in metres: float64 of shape ``(n, 3)``.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points_array(
            py,
            self.held.with(py, |run| run.soft.world.body.positions.iter().map(|at| at.to_array()).collect())?,
        )
    }

    /// How fast the points are, in metres a second: float64 of shape ``(n, 3)``.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points_array(
            py,
            self.held.with(py, |run| run.soft.world.body.velocities.iter().map(|at| at.to_array()).collect())?,
        )
    }

    /// The four points of each tetrahedron: uint32 of shape ``(n, 4)``.
    #[getter]
    fn tetrahedra<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows(py, self.held.with(py, |run| run.soft.world.body.tetrahedra().to_vec())?)
    }

    /// The three points of each triangle of the surfaces: uint32 of shape ``(n, 3)``.
    #[getter]
    fn surface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows(py, self.held.with(py, |run| run.soft.world.body.surface().to_vec())?)
    }

    /// Which body each point belongs to: int64.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let bodies = self.held.with(py, |run| {
            let mut bodies = vec![0i64; run.soft.world.body.positions.len()];
            for body in 0..run.soft.names().len() {
                bodies[run.soft.points_of(body)].fill(body as i64);
            }
            bodies
        })?;
        Ok(PyArray1::from_vec(py, bodies))
    }

    /// Names of the bodies.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.held.with(py, |run| run.soft.names().to_vec())
    }

    /// What there was so far: JSON and text.
    #[pyo3(name = "_report")]
    fn report(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let (json, text) = self.held.with(py, |run| {
            let mut report = run.report.clone();
            report.finish(&run.soft);
            (serde_json::to_string(&report), report.to_string())
        })?;
        Ok((json.map_err(errors::value)?, text))
    }
}
