//! Molecules on a skeleton: where their atoms are at any time.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use numpy::PyArray2;
use pyo3::prelude::*;
use steric::animate::{Names, Opened, Script, write_frames};
use steric::world::animate::{BakeOptions, Level, Moment, Puppet, Untangler};

use crate::arrays::points_array;
use crate::errors;
use crate::model::{Model, singles};
use crate::work::{self, Held};

/// A structure whose atoms follow a skeleton.
#[pyclass(module = "steric", frozen)]
pub(crate) struct Animation {
    held: Held<Puppet>,
    #[pyo3(get)]
    name: String,
    /// What was noticed, in sentences.
    #[pyo3(get)]
    notes: Vec<String>,
}

#[pymethods]
impl Animation {
    #[staticmethod]
    #[pyo3(name = "_of")]
    fn of(py: Python<'_>, input: PathBuf, skeleton: Option<PathBuf>, seed: Option<u64>) -> PyResult<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let pool = work::pool(py, None)?;
        let job = move || -> Result<Opened, String> {
            let said = |error: steric::animate::AnimateError| error.to_string();
            let is_whole = input.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("steric"));
            if is_whole {
                return Opened::read(&input).map_err(said)?.ok_or_else(|| format!("{}: no animation", input.display()));
            }
            let (mut script, folder) = match Script::named(&input).map_err(said)? {
                Some(named) => named,
                None if !input.exists() => {
                    let known = scenes::animation_names().collect::<Vec<_>>().join(", ");
                    return Err(format!(
                        "{}: expected a file or a ready scene ({known}), found neither",
                        input.display()
                    ));
                }
                None => {
                    let structure = std::path::absolute(&input).map_err(|error| error.to_string())?;
                    let script = Script {
                        structure: Names::One(structure),
                        name: input.display().to_string(),
                        ..Script::default()
                    };
                    (script, PathBuf::new())
                }
            };
            if let Some(skeleton) = skeleton {
                script.skeleton = Some(std::path::absolute(skeleton).map_err(|error| error.to_string())?);
                (script.bones, script.trajectory) = (None, None);
                script.joint.clear();
                script.clip.clear();
            }
            script.seed = seed.or(script.seed);
            script.open(&folder).map_err(said)
        };
        let opened = work::owned(py, &pool, &stop, job, work::nothing)?.map_err(errors::value)?;
        Ok(Self { held: Held::new(opened.puppet), name: opened.name, notes: opened.notes })
    }

    /// How many atoms there are.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.held.with(py, |puppet| puppet.structure().atoms.len())
    }

    /// Names of the clips.
    #[getter]
    fn clips(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.held.with(py, |puppet| puppet.rig().clips.iter().map(|clip| clip.name.to_string()).collect())
    }

    /// How long a clip is, in seconds.
    #[pyo3(signature = (clip=0))]
    fn duration(&self, py: Python<'_>, clip: usize) -> PyResult<f64> {
        self.held.with(py, |puppet| puppet.duration(clip))
    }

    /// Where the atoms are at a time, in angstroms: float32 of shape ``(n, 3)``.
    #[pyo3(signature = (time, *, clip=0, level=None, collide=true))]
    fn positions<'py>(
        &self,
        py: Python<'py>,
        time: f64,
        clip: usize,
        level: Option<&str>,
        collide: bool,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let moment = self.moment(py, time, clip, level, collide)?;
        points_array(py, self.held.with(py, |puppet| singles(&puppet.positions(&moment)))?)
    }

    /// The atoms at a time as a model.
    #[pyo3(signature = (time, *, clip=0, level=None, collide=true))]
    fn model(&self, py: Python<'_>, time: f64, clip: usize, level: Option<&str>, collide: bool) -> PyResult<Model> {
        let moment = self.moment(py, time, clip, level, collide)?;
        let structure = self.held.with(py, |puppet| {
            let mut structure = puppet.structure().clone();
            structure.atoms.positions = puppet.positions(&moment);
            structure.assemblies.clear();
            structure
        })?;
        Ok(Model::of(&self.name, structure))
    }

    /// Works out for so many frames how atoms that are pressed together are held apart; they are from then on. Returns whether nothing
    /// overlaps any more.
    #[pyo3(signature = (*, clip=0, level=None, frames=240))]
    fn bake(&self, py: Python<'_>, clip: usize, level: Option<&str>, frames: usize) -> PyResult<bool> {
        let moment = self.moment(py, 0.0, clip, level, true)?;
        if !(2..=1_000_000).contains(&frames) {
            return Err(errors::value(format!("expected 2 to 1,000,000 frames, found {frames}")));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let (shared, stopped) = (self.held.share(), Arc::clone(&stop));
        let job = move || {
            let mut puppet = work::lock(&shared);
            let options = BakeOptions { frames, ..BakeOptions::default() };
            let corrections =
                Untangler::new(&puppet).bake(&puppet, &moment, &options, &mut |_, _| !stopped.load(Ordering::Relaxed));
            corrections.is_some_and(|corrections| {
                let is_clean = corrections.is_clean();
                puppet.correct(corrections);
                is_clean
            })
        };
        let pool = work::pool(py, None)?;
        work::owned(py, &pool, &stop, job, work::nothing)
    }

    /// Writes so many evenly spaced frames: .xtc, .dcd, .pdb, .cif or .bcif. Returns the files.
    #[pyo3(signature = (path, frames=100, *, clip=0, level=None, collide=true))]
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        frames: usize,
        clip: usize,
        level: Option<&str>,
        collide: bool,
    ) -> PyResult<Vec<PathBuf>> {
        let moment = self.moment(py, 0.0, clip, level, collide)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (shared, stopped, to) = (self.held.share(), Arc::clone(&stop), path.clone());
        let job = move || {
            let mut goes_on = |_| !stopped.load(Ordering::Relaxed);
            write_frames(&work::lock(&shared), &moment, frames, &to, &mut goes_on)
        };
        let pool = work::pool(py, None)?;
        work::owned(py, &pool, &stop, job, work::nothing)?.map_err(|error| errors::io(&path, &error))
    }

    /// Saves structure, skeleton and everything that was worked out as one file, .steric.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.held.with(py, |puppet| puppet.save(&path))?.map_err(|error| errors::io(&path, &error))
    }
}

impl Animation {
    fn moment(&self, py: Python<'_>, time: f64, clip: usize, level: Option<&str>, collide: bool) -> PyResult<Moment> {
        if !(0.0..=1e9).contains(&time) {
            return Err(errors::value(format!("expected a time from 0 seconds, found {time}")));
        }
        let level: Option<Level> = level.map(str::parse).transpose().map_err(errors::value)?;
        let (manner, clips) = self.held.with(py, |puppet| (puppet.manner(), puppet.rig().clips.len()))?;
        if clip >= clips.max(1) {
            return Err(errors::value(format!("expected a clip from 0 to {}, found {clip}", clips.saturating_sub(1))));
        }
        let manner = steric::world::animate::Manner { level: level.unwrap_or(manner.level), ..manner };
        Ok(Moment { time, collide, ..Moment::of(clip, manner) })
    }
}
