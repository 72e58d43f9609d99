//! Particles in Brownian motion, step by step.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use steric::diffuse::{DiffuseReport, DiffuseScene, Recorder, Series, Wishes};
use steric::world::diffuse::{Partner, Placed};

use crate::arrays::points_array;
use crate::errors;
use crate::model::Model;
use crate::work::{self, Held};

/// A run on its way.
#[pyclass(module = "steric", frozen)]
pub(crate) struct Diffusion {
    held: Held<Run>,
    name: String,
}

struct Run {
    scene: DiffuseScene,
    diffusion: steric::world::diffuse::Diffusion,
    seconds: f64,
}

type Contact = (u64, f64, u32, i64, String);

#[pymethods]
impl Diffusion {
    #[staticmethod]
    #[pyo3(name = "_of")]
    fn of(
        py: Python<'_>,
        input: &str,
        text: Option<&str>,
        seed: Option<u64>,
        counts: Vec<(String, u64)>,
        response: Option<&str>,
        strategy: Option<&str>,
    ) -> PyResult<Self> {
        let path = Path::new(input);
        let wrong = |error: steric::model::Located| errors::located(py, &error);
        let (mut scene, folder) = match (text, scenes::diffusion(input).filter(|_| !path.is_file())) {
            (Some(text), _) => (DiffuseScene::read(text, Path::new("scene")).map_err(wrong)?, PathBuf::from(input)),
            (None, Some(text)) => (DiffuseScene::read(text, path).map_err(wrong)?, PathBuf::new()),
            (None, None) if !path.exists() && path.extension().is_none() => {
                let known = scenes::diffusion_names().collect::<Vec<_>>().join(", ");
                return Err(errors::value(format!(
                    "{input}: expected a scene file or a ready scene ({known}), found neither"
                )));
            }
            (None, None) => {
                let text = std::fs::read_to_string(path).map_err(|error| errors::io(path, &error))?;
                (DiffuseScene::read(&text, path).map_err(wrong)?, path.parent().unwrap_or(Path::new("")).to_owned())
            }
        };
        for (species, count) in counts {
            scene.set_count(&species, count).map_err(wrong)?;
        }
        let wishes = Wishes { seed, strategy: strategy.map(str::parse).transpose().map_err(errors::value)? };
        let response = response.map(str::parse).transpose().map_err(errors::value)?;
        let name = if scene.name().is_empty() { input.to_owned() } else { scene.name().to_owned() };
        let stop = Arc::new(AtomicBool::new(false));
        let pool = work::pool(py, None)?;
        let job = move || {
            let mut setup = scene.setup(&folder, &wishes).map_err(|error| error.to_string())?;
            setup.options.response = response.unwrap_or(setup.options.response);
            let diffusion = steric::world::diffuse::Diffusion::new(setup).map_err(|error| error.to_string())?;
            Ok::<_, String>(Run { scene, diffusion, seconds: 0.0 })
        };
        let run = work::owned(py, &pool, &stop, job, work::nothing)?.map_err(errors::value)?;
        Ok(Self { held: Held::new(run), name })
    }

    /// How many steps the scene asks for.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        self.held.with(py, |run| run.scene.steps())
    }

    /// How many steps were taken.
    #[getter]
    fn step_number(&self, py: Python<'_>) -> PyResult<u64> {
        self.held.with(py, |run| run.diffusion.step_number())
    }

    /// The time in the scene's unit.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.held.with(py, |run| run.diffusion.time())
    }

    /// How many particles there are.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.held.with(py, |run| run.diffusion.len())
    }

    /// Takes so many steps; a signal ends it between two of them. Returns every contact if that is wanted: the step, the time, the particle,
    /// the other particle (or -1), and what came of it.
    #[pyo3(name = "_advance", signature = (steps, with_contacts=false, threads=None))]
    fn advance(&self, py: Python<'_>, steps: u64, with_contacts: bool, threads: Option<i64>) -> PyResult<Vec<Contact>> {
        let stop = Arc::new(AtomicBool::new(false));
        let (shared, stopped) = (self.held.share(), Arc::clone(&stop));
        let job = move || {
            let mut run = work::lock(&shared);
            let began = std::time::Instant::now();
            let mut contacts = Vec::new();
            for _ in 0..steps {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                run.diffusion.step();
                if with_contacts {
                    let step = run.diffusion.step_number();
                    contacts.extend(run.diffusion.collisions().iter().map(|one| {
                        let other = match one.second {
                            Partner::Particle(other) => i64::from(other),
                            _ => -1,
                        };
                        (step, one.time, one.first, other, one.second.to_string())
                    }));
                }
            }
            run.seconds += began.elapsed().as_secs_f64();
            contacts
        };
        let pool = work::pool(py, threads)?;
        work::owned(py, &pool, &stop, job, work::nothing)
    }

    /// Middles of the particles in the box, in angstroms: float64 of shape ``(n, 3)``.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points_array(py, self.each(py, |one| one.at.to_array())?)
    }

    /// The same without being put back into a box that repeats.
    #[getter]
    fn unwrapped<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points_array(py, self.each(py, |one| one.unwrapped.to_array())?)
    }

    /// The number that each particle keeps: int64.
    #[getter]
    fn numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(PyArray1::from_vec(py, self.each(py, |one| i64::from(one.number))?))
    }

    /// Which species each particle is, as an index into ``species``: int64.
    #[getter]
    fn kinds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(PyArray1::from_vec(py, self.each(py, |one| i64::from(one.kind))?))
    }

    /// How many particles the cluster of each has, itself among them: int64.
    #[getter]
    fn clusters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(PyArray1::from_vec(py, self.each(py, |one| one.cluster as i64)?))
    }

    /// Names of the species.
    #[getter]
    fn species(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.held.with(py, |run| run.diffusion.setup().species.iter().map(|one| one.name.clone()).collect())
    }

    /// Mean square displacements since the beginning, by species, in square angstroms.
    #[getter]
    fn mean_square_displacements(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        self.held.with(py, |run| run.diffusion.mean_square_displacements())
    }

    /// The deepest overlap in angstroms; ``None`` where there is none.
    #[getter]
    fn deepest_overlap(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        self.held.with(py, |run| run.diffusion.deepest_overlap().map(|(_, _, depth)| depth))
    }

    /// What there was so far: JSON and text.
    #[pyo3(name = "_report")]
    fn report(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let name = self.name.clone();
        let report = self.held.with(py, |run| {
            let unit = run.scene.time_unit().map_err(|error| error.to_string())?;
            let per_step = run.seconds / run.diffusion.step_number().max(1) as f64;
            let report = DiffuseReport::new(&name, &run.diffusion, unit, per_step);
            let json = serde_json::to_string(&report).map_err(|error| error.to_string())?;
            Ok::<_, String>((json, report.to_string()))
        })?;
        report.map_err(errors::value)
    }

    /// The particles as a model: their atoms, or a sphere for each.
    fn model(&self, py: Python<'_>) -> PyResult<Model> {
        let name = self.name.clone();
        Ok(Model::of(&self.name, self.held.with(py, move |run| steric::diffuse::snapshot(&name, &run.diffusion))?))
    }

    /// Takes so many steps and writes a film: .simularium, .xtc, .dcd or .pdb. Returns the files that go with it.
    #[pyo3(signature = (path, steps=None, *, every=None, threads=None))]
    fn record(
        &self,
        py: Python<'_>,
        path: PathBuf,
        steps: Option<u64>,
        every: Option<u64>,
        threads: Option<i64>,
    ) -> PyResult<Vec<PathBuf>> {
        let stop = Arc::new(AtomicBool::new(false));
        let (shared, stopped, to) = (self.held.share(), Arc::clone(&stop), path.clone());
        let job = move || -> std::io::Result<Vec<PathBuf>> {
            let mut run = work::lock(&shared);
            let Run { scene, diffusion, .. } = &mut *run;
            let (steps, every) =
                (steps.unwrap_or_else(|| scene.steps()), every.unwrap_or_else(|| scene.frame_every()).max(1));
            let (mut recorder, also) = Recorder::create(&to, scene, diffusion, None)?;
            let mut series = Series::default();
            recorder.frame(diffusion)?;
            series.note(diffusion);
            for step in 1..=steps {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                diffusion.step();
                if step.is_multiple_of(every) {
                    recorder.frame(diffusion)?;
                    series.note(diffusion);
                }
            }
            recorder.finish(diffusion, &series)?;
            Ok(also)
        };
        let pool = work::pool(py, threads)?;
        work::owned(py, &pool, &stop, job, work::nothing)?.map_err(|error| errors::io(&path, &error))
    }

    /// Saves the run, to go on from there later.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.held.with(py, |run| run.diffusion.save(&path))?.map_err(|error| errors::io(&path, &error))
    }

    /// Goes on from a run that was saved.
    fn resume(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.held.with(py, |run| run.diffusion.resume(&path))?.map_err(errors::value)
    }
}

impl Diffusion {
    fn each<R: Send>(&self, py: Python<'_>, of: impl Fn(Placed) -> R + Send) -> PyResult<Vec<R>> {
        self.held.with(py, |run| run.diffusion.particles().map(of).collect())
    }
}
