//! Relaxations: of scenes and of models, all at once or step by step.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use steric::backend::Backend;
use steric::gpu::Choice;
use steric::model::{AtomId, MoleculeId, Structure, formats};
use steric::relax::{ModelOptions, RelaxError};
use steric::world::build::{SceneFile, SceneText, verdict};
use steric::world::relax::{Iteration, Stop};

use crate::arrays::{points_array, pose_row, row_pose, rows};
use crate::model::{Model, molecule_options};
use crate::work::{self, Held};
use crate::{errors, model};

/// A relaxation on its way.
#[pyclass(module = "steric", frozen)]
pub(crate) struct Relaxation {
    pub(crate) held: Held<steric::relax::Relaxation>,
}

/// A table, and a number for each of its rows.
type Arrays<'py, T, N> = (Bound<'py, PyArray2<T>>, Bound<'py, PyArray1<N>>);

/// The scene of a ready name or of a file, with some of its keys changed.
fn scene(py: Python<'_>, input: &str, set: &[(String, String)]) -> PyResult<(SceneFile, PathBuf)> {
    let path = Path::new(input);
    let is_file = path.is_file();
    let text = match scenes::ready(input) {
        Some(ready) if !is_file => ready.to_owned(),
        _ if is_file => std::fs::read_to_string(path).map_err(|error| errors::io(path, &error))?,
        _ => {
            let known = scenes::ready_names().collect::<Vec<_>>().join(", ");
            return Err(errors::value(format!(
                "{input}: expected a scene file (.toml) or a ready scene ({known}), found neither"
            )));
        }
    };
    let scene = parsed(py, &text, path, set)?;
    let folder = if is_file { path.parent().unwrap_or(Path::new("")).to_owned() } else { PathBuf::new() };
    Ok((scene, folder))
}

fn parsed(py: Python<'_>, text: &str, path: &Path, set: &[(String, String)]) -> PyResult<SceneFile> {
    let wrong = |error: steric::world::build::BuildError| build_error(py, error);
    let mut text = SceneText::parse(text, path).map_err(wrong)?;
    for (key, value) in set {
        text.set(key, value).map_err(wrong)?;
    }
    text.scene().map_err(wrong)
}

fn build_error(py: Python<'_>, error: steric::world::build::BuildError) -> PyErr {
    use steric::world::build::BuildError;
    match error {
        BuildError::Scene(located) => errors::located(py, &located),
        BuildError::Read(error) => errors::read(py, error),
        other => errors::value(other),
    }
}

fn relax_error(py: Python<'_>, error: RelaxError) -> PyErr {
    match error {
        RelaxError::Build(error) => build_error(py, error),
        RelaxError::TooLarge { .. } => pyo3::exceptions::PyMemoryError::new_err(error.to_string()),
        other => errors::value(other),
    }
}

fn iteration_text(iteration: &Iteration, number: u32) -> String {
    let mut value = serde_json::to_value(iteration).unwrap_or_default();
    value["iteration"] = number.into();
    value.to_string()
}

#[pymethods]
impl Relaxation {
    /// Of a ready scene or a scene file.
    #[staticmethod]
    #[pyo3(name = "_of_scene")]
    fn of_scene(py: Python<'_>, input: &str, set: Vec<(String, String)>) -> PyResult<Self> {
        let (scene, folder) = scene(py, input, &set)?;
        let name = input.to_owned();
        Self::begin(py, move || steric::relax::Relaxation::of_scene(&scene, &name, &folder))
    }

    /// Of a scene file's text.
    #[staticmethod]
    #[pyo3(name = "_of_text")]
    fn of_text(py: Python<'_>, text: &str, set: Vec<(String, String)>, folder: PathBuf) -> PyResult<Self> {
        let scene = parsed(py, text, Path::new("scene"), &set)?;
        Self::begin(py, move || steric::relax::Relaxation::of_scene(&scene, "scene", &folder))
    }

    /// Of a model as it stands.
    #[staticmethod]
    #[pyo3(name = "_of_model")]
    #[expect(clippy::too_many_arguments, reason = "the package calls it")]
    fn of_model(
        py: Python<'_>,
        model: &Model,
        set: Vec<(String, String)>,
        molecules: &str,
        assembly: Option<&str>,
        periodic: &str,
        leeway: f64,
        turn_degrees: f64,
        fixed: Vec<String>,
        fixed_above: Option<u32>,
    ) -> PyResult<Self> {
        let scene = parsed(py, "[model]\nfile = \"the model\"\n", Path::new("options"), &set)?;
        if !(0.0..=1e6).contains(&leeway) || !(0.0..=360.0).contains(&turn_degrees) {
            return Err(errors::value(format!(
                "expected a leeway from 0 to 1e6 angstroms and a turn from 0 to 360 degrees, found {leeway} and {turn_degrees}"
            )));
        }
        let options = ModelOptions {
            closeness: scene.closeness(),
            molecules: molecule_options(molecules, assembly, periodic)?,
            leeway,
            turn_degrees,
            fixed,
            fixed_above,
        };
        let input = Arc::clone(&model.input);
        Self::begin(py, move || {
            steric::relax::Relaxation::of_model(&input, &options, scene.physics.clone(), scene.seed)
        })
    }

    /// Takes the work to a GPU: ``"auto"``, ``"cpu"`` or ``"gpu"``, or a part of a GPU's name.
    #[pyo3(name = "_on")]
    fn on(&self, py: Python<'_>, backend: &str, gpu: Option<&str>) -> PyResult<()> {
        let backend = match backend {
            "auto" => Backend::Auto,
            "cpu" => Backend::Cpu,
            "gpu" => Backend::Gpu,
            other => return Err(errors::value(format!("expected auto, cpu or gpu, found {other:?}"))),
        };
        let choice =
            gpu.map_or(Choice::Auto, |name| name.parse().map_or_else(|_| Choice::Name(name.to_owned()), Choice::Index));
        let insists = backend == Backend::Gpu || gpu.is_some();
        let taken = self.held.with(py, |relaxation| {
            let chosen = backend.choose_for(relaxation.atoms(), &choice).map_err(|error| error.to_string())?;
            match chosen.gpu().map(|gpu| relaxation.on_gpu(gpu)) {
                Some(Err(error)) if insists => Err(error.to_string()),
                _ => Ok(()),
            }
        })?;
        taken.map_err(errors::value)
    }

    /// Iterates at most so many times: the iterations as JSON, and why it ended, if it did. `look` sees how far it is, on the way.
    #[pyo3(name = "_advance", signature = (most=None, threads=None, look=None))]
    fn advance(
        &self,
        py: Python<'_>,
        most: Option<u32>,
        threads: Option<i64>,
        look: Option<Py<PyAny>>,
    ) -> PyResult<(Vec<String>, Option<String>)> {
        if most == Some(0) {
            return Ok((Vec::new(), None));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let latest: Arc<Mutex<Option<String>>> = Arc::default();
        let (shared, stopped, told) = (self.held.share(), Arc::clone(&stop), Arc::clone(&latest));
        let is_watched = look.is_some();
        let job = move || {
            let mut relaxation = work::lock(&shared);
            let mut done = Vec::new();
            let why = relaxation.run(|relax, iteration| {
                done.push((relax.iteration(), *iteration));
                if is_watched {
                    *work::lock(&told) = Some(iteration_text(iteration, relax.iteration()));
                }
                let is_enough = most.is_some_and(|most| done.len() >= most as usize);
                if is_enough || stopped.load(Ordering::Relaxed) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            let texts: Vec<String> =
                done.iter().map(|(number, iteration)| iteration_text(iteration, *number)).collect();
            (texts, (why != Stop::Interrupted).then(|| serde_json::to_value(why)))
        };
        let pool = work::pool(py, threads)?;
        let (done, why) = work::owned(py, &pool, &stop, job, |py| match (&look, work::lock(&latest).take()) {
            (Some(look), Some(text)) => look.call1(py, (text,)).map(|_| ()),
            _ => Ok(()),
        })?;
        let why = why.transpose().map_err(errors::value)?;
        Ok((done, why.and_then(|why| why.as_str().map(str::to_owned))))
    }

    /// Lets so many spheres per molecule go first, in place of its atoms.
    #[pyo3(signature = (spheres, iterations=200))]
    fn run_proxies(&self, py: Python<'_>, spheres: usize, iterations: u32) -> PyResult<()> {
        if spheres == 0 {
            return Err(errors::value("expected at least one sphere per molecule, found 0"));
        }
        let shared = self.held.share();
        let stop = Arc::new(AtomicBool::new(false));
        let pool = work::pool(py, None)?;
        work::owned(py, &pool, &stop, move || work::lock(&shared).run_proxies(spheres, iterations), work::nothing)
    }

    /// How many iterations there were.
    #[getter]
    fn iteration(&self, py: Python<'_>) -> PyResult<u32> {
        self.held.with(py, |relaxation| relaxation.state().iteration())
    }

    /// Whether nothing overlaps and nothing moves.
    #[getter]
    fn at_rest(&self, py: Python<'_>) -> PyResult<bool> {
        self.held.with(py, |relaxation| relaxation.state().is_at_rest())
    }

    /// How many molecules there are.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.held.with(py, |relaxation| relaxation.setup().scene.molecules().len())
    }

    /// How many atoms take part.
    #[getter]
    fn atoms(&self, py: Python<'_>) -> PyResult<u64> {
        self.held.with(py, |relaxation| relaxation.atoms())
    }

    /// Where the molecules are: float64 of shape ``(n, 7)``, position in angstroms and rotation as a quaternion x, y, z, w.
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let poses =
            self.held.with(py, |relaxation| relaxation.state().poses().iter().map(pose_row).collect::<Vec<_>>())?;
        rows(py, poses)
    }

    /// Puts the molecules elsewhere.
    #[setter]
    fn set_poses(&self, py: Python<'_>, poses: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        let view = poses.as_array();
        let count = self.__len__(py)?;
        if view.shape() != [count, 7] {
            return Err(errors::value(format!("expected an array of shape ({count}, 7), found {:?}", view.shape())));
        }
        let mut new = Vec::with_capacity(count);
        for (index, row) in view.rows().into_iter().enumerate() {
            let row: [f64; 7] = std::array::from_fn(|at| row[at]);
            let pose = row_pose(&row).filter(|pose| pose.translation.abs().max_element() <= 1e9);
            new.push(pose.ok_or_else(|| {
                errors::value(format!("expected a position and a quaternion, found {row:?} in row {index}"))
            })?);
        }
        self.held.with(py, |relaxation| relaxation.relax().put_all(&new))
    }

    /// Holds molecules where they are, or lets them go.
    #[pyo3(signature = (molecules, fixed=true))]
    fn fix(&self, py: Python<'_>, molecules: Vec<u32>, fixed: bool) -> PyResult<()> {
        let count = self.__len__(py)?;
        if let Some(wrong) = molecules.iter().find(|&&molecule| molecule as usize >= count) {
            return Err(errors::value(format!("expected molecules 0 to {}, found {wrong}", count.saturating_sub(1))));
        }
        self.held.with(py, |relaxation| {
            molecules.iter().for_each(|&molecule| relaxation.relax().fix(MoleculeId(molecule), fixed));
        })
    }

    /// Where all atoms are, in angstroms: float64 of shape ``(n, 3)``, molecule by molecule; and the molecule of each: int64.
    #[pyo3(name = "_atoms_now")]
    fn atoms_now<'py>(&self, py: Python<'py>) -> PyResult<Arrays<'py, f64, i64>> {
        let (places, owners) = self.held.with(py, |relaxation| {
            let scene = relaxation.scene();
            let (mut places, mut owners) = (Vec::new(), Vec::new());
            for molecule in 0..scene.molecules().len() as u32 {
                let mut atoms: Vec<_> = scene.placed_atoms(MoleculeId(molecule)).collect();
                atoms.sort_unstable_by_key(|&(id, ..)| id);
                places.extend(atoms.iter().map(|(_, place, _)| place.to_array()));
                owners.resize(places.len(), i64::from(molecule));
            }
            (places, owners)
        })?;
        Ok((points_array(py, places)?, PyArray1::from_vec(py, owners)))
    }

    /// Who overlaps now: both molecules, both atoms in them, and depths.
    #[pyo3(name = "_overlaps")]
    fn overlaps<'py>(&self, py: Python<'py>) -> PyResult<Arrays<'py, i64, f32>> {
        let found = self.held.with(py, |relaxation| relaxation.overlaps())?;
        let ids = |atom: AtomId| [i64::from(atom.molecule.0), i64::from(atom.atom)];
        let pairs = found.iter().map(|pair| {
            let ([a, b], [c, d]) = (ids(pair.first), ids(pair.second));
            [a, b, c, d]
        });
        Ok((rows(py, pairs.collect())?, PyArray1::from_vec(py, found.iter().map(|pair| pair.depth).collect())))
    }

    /// The species of each molecule.
    #[getter]
    fn species(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.held.with(py, |relaxation| {
            let molecules = relaxation.molecules();
            let count = molecules.scene().molecules().len() as u32;
            (0..count)
                .map(|id| molecules.species()[molecules.species_of(MoleculeId(id)) as usize].to_string())
                .collect()
        })
    }

    /// What a user should know before the run, in sentences: what was noticed, and whether everything can fit.
    #[getter]
    fn notes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.held.with(py, |relaxation| {
            let verdicts = relaxation.verdicts().iter().map(ToString::to_string);
            relaxation.notes().iter().cloned().chain(verdicts).collect()
        })
    }

    /// The molecules where they are now.
    fn model(&self, py: Python<'_>) -> PyResult<Model> {
        let structure = self.held.with(py, |relaxation| relaxation.structure())?.map_err(errors::value)?;
        Ok(Model::of("relaxed", structure))
    }

    /// What was done so far: JSON, text, and whether nothing overlaps.
    #[pyo3(name = "_report")]
    fn report(&self, py: Python<'_>, threads: Option<i64>) -> PyResult<(String, String, bool)> {
        let shared = self.held.share();
        let stop = Arc::new(AtomicBool::new(false));
        let pool = work::pool(py, threads)?;
        let job = move || {
            let relaxation = work::lock(&shared);
            let report = relaxation.report();
            (serde_json::to_string(&report), report.to_string(), report.is_clean())
        };
        let (json, text, clean) = work::owned(py, &pool, &stop, job, work::nothing)?;
        Ok((json.map_err(errors::value)?, text, clean))
    }

    /// Saves the run, to go on from there later.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let saved = self.held.with(py, |relaxation| relaxation.state().save(&path))?;
        saved.map_err(|error| errors::io(&path, &error))
    }

    /// Goes on from a run that was saved.
    fn resume(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.held.with(py, |relaxation| relaxation.relax().resume(&path))?.map_err(errors::value)
    }
}

impl Relaxation {
    fn begin(
        py: Python<'_>,
        job: impl FnOnce() -> Result<steric::relax::Relaxation, RelaxError> + Send + 'static,
    ) -> PyResult<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let pool = work::pool(py, None)?;
        let relaxation = work::owned(py, &pool, &stop, job, work::nothing)?;
        Ok(Self { held: Held::new(relaxation.map_err(|error| relax_error(py, error))?) })
    }
}

/// A scene, placed and not yet relaxed; and what there is to say about it.
#[pyfunction]
#[pyo3(name = "_build")]
pub(crate) fn build(py: Python<'_>, input: &str, set: Vec<(String, String)>) -> PyResult<(Model, Vec<String>)> {
    let (scene, folder) = scene(py, input, &set)?;
    let stop = Arc::new(AtomicBool::new(false));
    let pool = work::pool(py, None)?;
    let job = move || {
        steric::world::build::build(&scene, &folder, &formats::read).map(|built| {
            let verdicts = verdict(&built, scene.tolerance.unwrap_or(2.0));
            let notes: Vec<String> =
                built.notes.iter().cloned().chain(verdicts.iter().map(ToString::to_string)).collect();
            let structure: Structure = built.structure;
            (structure, notes)
        })
    };
    let built = work::owned(py, &pool, &stop, job, work::nothing)?;
    let (structure, notes) = built.map_err(|error| build_error(py, error))?;
    Ok((model::Model::of(input, structure), notes))
}

/// Names of scenes that come with steric: to relax, to diffuse, to deform, to animate and to dock.
#[pyfunction]
#[pyo3(name = "_ready_names")]
pub(crate) fn ready_names() -> Vec<(&'static str, Vec<&'static str>)> {
    let dock = steric::dock::ready_names().iter().map(|(name, _)| *name).collect();
    vec![
        ("relax", scenes::ready_names().collect()),
        ("diffuse", scenes::diffusion_names().collect()),
        ("deform", scenes::deformation_names().collect()),
        ("animate", scenes::animation_names().collect()),
        ("dock", dock),
    ]
}
