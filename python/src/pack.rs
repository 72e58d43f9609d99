//! packmol's inputs, packed.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use steric::model::Structure;
use steric::model::formats::packmol::{FileType, Template, read_packmol, write_packed};
use steric::model::formats::{self, Format};
use steric::world::pack::{PackOptions, PackReport, Packing};

use crate::model::Model;
use crate::{errors, work};

/// What becomes of an input.
struct Packed {
    structure: Structure,
    report: PackReport,
}

/// Packs the molecules of a packmol input: the model, a report as JSON, and whether every distance is kept.
#[pyfunction]
#[pyo3(name = "_pack", signature = (path, seed=None, max_iterations=None, threads=None, look=None))]
pub(crate) fn pack(
    py: Python<'_>,
    path: PathBuf,
    seed: Option<u64>,
    max_iterations: Option<u32>,
    threads: Option<i64>,
    look: Option<Py<PyAny>>,
) -> PyResult<(Model, String, bool)> {
    let bytes = std::fs::read(&path).map_err(|error| errors::io(&path, &error))?;
    let input = read_packmol(&bytes, &path).map_err(|error| errors::read(py, error))?.value;
    if input.restart_from.is_some() || input.structures.iter().any(|structure| structure.restart_from.is_some()) {
        return Err(errors::value(format!(
            "{}: restart files are read by the command alone: steric pack",
            path.display()
        )));
    }
    let mut templates = Vec::new();
    for structure in &input.structures {
        let file = beside(&structure.file, &path);
        let bytes = std::fs::read(&file).map_err(|error| errors::io(&file, &error))?;
        let template = Template::read(&bytes, &file, input.file_type).map_err(|error| errors::read(py, error))?;
        templates.push(template.value);
    }
    let own_format = match input.file_type {
        FileType::Pdb => Format::Pdb,
        FileType::Xyz => Format::Xyz,
        FileType::Tinker => {
            let path = path.display();
            return Err(errors::value(format!(
                "{path}: expected a file type pdb or xyz, found tinker; the command packs it: steric pack"
            )));
        }
    };
    let seed = seed.or_else(|| u64::try_from(input.seed).ok()).unwrap_or(1);
    let usual = PackOptions::default();
    let max_iterations = if input.check { 0 } else { max_iterations.unwrap_or(usual.max_iterations) };
    let options = PackOptions { seed, max_iterations, starts: vec![None; input.structures.len()], ..usual };
    let stop = Arc::new(AtomicBool::new(false));
    let latest: Arc<Mutex<Option<(u32, u32)>>> = Arc::default();
    let (stopped, told, name) = (Arc::clone(&stop), Arc::clone(&latest), path.clone());
    let job = move || -> Result<Packed, String> {
        let Packing { poses, report } = steric::world::pack::pack(&input, &templates, &options, |progress| {
            *work::lock(&told) = Some((progress.iteration, progress.seen.overlapping));
            if stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .map_err(|error| format!("{}: {error}", name.display()))?;
        let mut bytes = Vec::new();
        write_packed(&mut bytes, &input, &templates, &poses).map_err(|error| error.to_string())?;
        let read = formats::read_bytes(&bytes, &name, Some(own_format)).map_err(|error| error.to_string())?;
        Ok(Packed { structure: read.value, report })
    };
    let pool = work::pool(py, threads)?;
    let packed = work::owned(py, &pool, &stop, job, |py| match (&look, work::lock(&latest).take()) {
        (Some(look), Some(seen)) => look.call1(py, seen).map(|_| ()),
        _ => Ok(()),
    })?;
    let Packed { structure, report } = packed.map_err(errors::value)?;
    let text = serde_json::to_string(&report).map_err(errors::value)?;
    Ok((Model::of("packed", structure), text, report.is_solved()))
}

/// packmol looks where it was started; a file beside the input is found, too.
fn beside(file: &Path, input: &Path) -> PathBuf {
    let beside = input.parent().map(|folder| folder.join(file));
    match beside {
        Some(beside) if !file.exists() && beside.exists() => beside,
        _ => file.to_owned(),
    }
}
