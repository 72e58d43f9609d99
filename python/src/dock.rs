//! A ligand at a receptor: every pose judged, a pose minimised, and a hand that never goes through anything.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use numpy::PyArray2;
use pyo3::prelude::*;
use steric::dock::{Deed, Dock, DockOptions, PoseReport, Session};
use steric::model::formats::pdbqt::torsion_tree;
use steric::model::formats::{self, Format};
use steric::model::{Pose, Structure};

use crate::arrays::{points_array, pose_row, row_pose};
use crate::model::{Model, read_structure};
use crate::{errors, work};

/// How far grids of energies reach beyond the ligand, and between two of their points, in angstroms.
const GRID: [f64; 2] = [4.0, 0.25];

/// A ligand at a receptor.
#[pyclass(module = "steric", frozen)]
pub(crate) struct Docking {
    dock: Arc<Dock>,
    session: Arc<Mutex<Session>>,
}

fn json(report: &PoseReport) -> PyResult<String> {
    serde_json::to_string(report).map_err(errors::value)
}

#[pymethods]
impl Docking {
    #[staticmethod]
    #[pyo3(name = "_of")]
    #[expect(clippy::too_many_arguments, reason = "the package calls it")]
    fn of(
        py: Python<'_>,
        receptor: &Bound<'_, PyAny>,
        ligand: Option<&Bound<'_, PyAny>>,
        radii: &str,
        tolerance: f64,
        hydrogens: bool,
        waters: bool,
        response: &str,
    ) -> PyResult<Self> {
        if !(-10.0..=10.0).contains(&tolerance) {
            return Err(errors::value(format!("expected a tolerance from -10 to 10 angstroms, found {tolerance}")));
        }
        let options = DockOptions {
            radii: radii.parse().map_err(errors::value)?,
            tolerance,
            hydrogens,
            waters,
            response: response.parse().map_err(errors::value)?,
            ..DockOptions::default()
        };
        let ready = match ligand {
            None => Some(receptor.extract::<String>()?),
            Some(_) => None,
        };
        let parts = match ligand {
            Some(ligand) => Some([part(py, receptor)?, part(py, ligand)?]),
            None => None,
        };
        let stop = Arc::new(AtomicBool::new(false));
        let pool = work::pool(py, None)?;
        let job = move || -> Result<(Arc<Dock>, Session), String> {
            if let Some([receptor, ligand]) = parts {
                let dock = Dock::new(
                    (&receptor.name, &receptor.structure),
                    (&ligand.name, &ligand.structure),
                    ligand.tree.as_deref(),
                    &options,
                );
                let dock = Arc::new(dock.map_err(|error| error.to_string())?);
                let session = Session::new(Arc::clone(&dock));
                return Ok((dock, session));
            }
            let name = ready.unwrap_or_default();
            let ready = steric::dock::ready(&name, &options).ok_or_else(|| {
                let known: Vec<&str> = steric::dock::ready_names().iter().map(|(name, _)| *name).collect();
                format!("{name}: expected a ligand beside it, or a ready scene ({})", known.join(", "))
            })?;
            let ready = ready.map_err(|error| error.to_string())?;
            let session = ready.session();
            Ok((ready.dock, session))
        };
        let (dock, session) = work::owned(py, &pool, &stop, job, work::nothing)?.map_err(errors::value)?;
        Ok(Self { dock, session: Arc::new(Mutex::new(session)) })
    }

    /// How many poses of the ligand there are.
    fn __len__(&self) -> usize {
        self.dock.pose_count()
    }

    /// Bonds of the ligand that turn.
    #[getter]
    fn torsions(&self) -> usize {
        self.dock.torsions().all().len()
    }

    /// Every pose judged, as JSON.
    #[pyo3(name = "_report")]
    fn report(&self, py: Python<'_>, threads: Option<i64>) -> PyResult<String> {
        let stop = Arc::new(AtomicBool::new(false));
        let pool = work::pool(py, threads)?;
        let dock = Arc::clone(&self.dock);
        let report = work::owned(py, &pool, &stop, move || dock.report(), work::nothing)?;
        serde_json::to_string(&report).map_err(errors::value)
    }

    /// The ligand of a pose as a model.
    fn ligand(&self, pose: usize) -> PyResult<Model> {
        self.there(pose)?;
        Ok(Model::of("ligand", self.dock.ligand(pose)))
    }

    /// The receptor as a model.
    fn receptor(&self) -> Model {
        Model::of("receptor", self.dock.receptor().clone())
    }

    /// Brings a pose downhill in the field of the receptor: the ligand, and what there is to tell about it as JSON.
    #[pyo3(name = "_minimize")]
    fn minimize(&self, py: Python<'_>, pose: usize, steps: u32, threads: Option<i64>) -> PyResult<(Model, String)> {
        self.there(pose)?;
        let stop = Arc::new(AtomicBool::new(false));
        let pool = work::pool(py, threads)?;
        let dock = Arc::clone(&self.dock);
        let job = move || {
            let grid = dock.energy_grid(GRID[0], GRID[1]);
            let minimum = dock.minimised(&grid, pose, steps);
            let structure = dock.structure(pose, &minimum.pose, &minimum.radians);
            (structure, dock.pose_report(pose, &minimum.pose, &minimum.radians))
        };
        let (structure, report) = work::owned(py, &pool, &stop, job, work::nothing)?;
        Ok((Model::of("ligand", structure), json(&report)?))
    }

    /// Takes a pose of the file in hand.
    fn take(&self, py: Python<'_>, pose: usize) -> PyResult<()> {
        self.there(pose)?;
        self.act(py, Deed::Take(pose)).map(|_| ())
    }

    /// Moves the ligand from where it is to another place, as far as it can go: it slides and never goes through anything. Returns how many
    /// contacts stopped it.
    fn go(&self, py: Python<'_>, pose: [f64; 7]) -> PyResult<usize> {
        self.act(py, Deed::Go(wanted(&pose)?.into()))
    }

    /// Puts the ligand somewhere, whatever is on the way.
    fn put(&self, py: Python<'_>, pose: [f64; 7]) -> PyResult<()> {
        self.act(py, Deed::Put(wanted(&pose)?.into())).map(|_| ())
    }

    /// Where the ligand is, seen from its file: position in angstroms and rotation as a quaternion x, y, z, w.
    #[getter]
    fn pose(&self, py: Python<'_>) -> PyResult<[f64; 7]> {
        self.with(py, |session| pose_row(&session.world_from_ligand()))
    }

    /// Where the atoms of the ligand are, in angstroms: float64 of shape ``(n, 3)``.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let places = self.with(py, |session| session.ligand_places().iter().map(|place| place.to_array()).collect())?;
        points_array(py, places)
    }

    /// What there is to tell about the ligand where it is, as JSON.
    #[pyo3(name = "_report_here")]
    fn report_here(&self, py: Python<'_>) -> PyResult<String> {
        json(&self.with(py, |session| session.report())?)
    }

    /// The ligand where it is, as a model.
    fn model(&self, py: Python<'_>) -> PyResult<Model> {
        Ok(Model::of("ligand", self.with(py, |session| session.ligand())?))
    }
}

impl Docking {
    fn there(&self, pose: usize) -> PyResult<()> {
        if pose < self.dock.pose_count() {
            return Ok(());
        }
        let last = self.dock.pose_count().saturating_sub(1);
        Err(errors::value(format!("expected a pose from 0 to {last}, found {pose}")))
    }

    fn with<R: Send>(&self, py: Python<'_>, look: impl FnOnce(&mut Session) -> R + Send) -> PyResult<R> {
        work::quick(|| py.detach(|| look(&mut work::lock(&self.session))))
    }

    fn act(&self, py: Python<'_>, deed: Deed) -> PyResult<usize> {
        self.with(py, |session| session.act(&deed, 0.0).contacts.len())
    }
}

fn wanted(row: &[f64; 7]) -> PyResult<Pose> {
    let pose = row_pose(row).filter(|pose| pose.translation.abs().max_element() <= 1e6);
    pose.ok_or_else(|| errors::value(format!("expected a position and a quaternion, found {row:?}")))
}

/// A structure with its name, and which bonds turn where the file says so.
struct Part {
    name: String,
    structure: Structure,
    tree: Option<Vec<[i32; 2]>>,
}

fn part(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Part> {
    if let Ok(model) = object.cast::<Model>() {
        let input = &model.get().input;
        return Ok(Part { name: input.name(), structure: input.structure.clone(), tree: None });
    }
    let path: PathBuf = object.extract()?;
    let structure = read_structure(py, &path)?;
    let mut tree = None;
    if Format::from_path(&path) == Some(formats::Format::Pdbqt) {
        let bytes = std::fs::read(&path).map_err(|error| errors::io(&path, &error))?;
        tree = torsion_tree(&bytes);
    }
    Ok(Part { name: path.display().to_string(), structure, tree })
}
