//! Recipes of cellPACK, packed, and fibres, grown.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use serde_json::json;
use steric::fibre::{FibreOrder, Strand};
use steric::model::Structure;
use steric::recipe::{RecipeError, RecipeFile};
use steric::world::build::recipe::{PackOptions, Packed};

use crate::model::Model;
use crate::{errors, work};

/// Packs a recipe of cellPACK: the model, a report as JSON, and whether all is placed without an overlap.
#[pyfunction]
#[pyo3(name = "_pack_recipe", signature = (path, seed, bounds, surfaces, whole, repair, tries, max_seconds, threads, look))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn pack_recipe(
    py: Python<'_>,
    path: PathBuf,
    seed: Option<u64>,
    bounds: Option<Vec<f64>>,
    surfaces: Vec<(String, PathBuf)>,
    whole: bool,
    repair: bool,
    tries: Option<u32>,
    max_seconds: Option<f64>,
    threads: Option<i64>,
    look: Option<Py<PyAny>>,
) -> PyResult<(Model, String, bool)> {
    let mut file = RecipeFile::read(&path).map_err(|error| errors::read(py, error))?.value;
    if let Some(bounds) = bounds {
        file.set_box(&bounds).map_err(|error| errors::value(format!("box: {error}")))?;
    }
    for (name, surface) in &surfaces {
        file.set_surface(name, surface).map_err(|error| match error {
            RecipeError::Read(error) => errors::read(py, error),
            other => errors::value(format!("surfaces: {other}")),
        })?;
    }
    let usual = PackOptions::default();
    let options = PackOptions {
        seed: seed.unwrap_or(1),
        tries: tries.unwrap_or(usual.tries),
        is_whole: whole,
        repair,
        max_seconds: max_seconds.unwrap_or(usual.max_seconds),
        ..usual
    };
    let stop = Arc::new(AtomicBool::new(false));
    let latest: Arc<Mutex<Option<(u32, u32)>>> = Arc::default();
    let (stopped, told) = (Arc::clone(&stop), Arc::clone(&latest));
    let job = move || {
        let mut iterations = 0;
        let packed = file.pack(&options, |iteration| {
            iterations += 1;
            *work::lock(&told) = Some((iterations, iteration.overlapping));
            if stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        file.assemble(&packed).map(|structure| (structure.value, report(&file, &packed), is_solved(&packed)))
    };
    let pool = work::pool(py, threads)?;
    let packed = work::owned(py, &pool, &stop, job, |py| match (&look, work::lock(&latest).take()) {
        (Some(look), Some(seen)) => look.call1(py, seen).map(|_| ()),
        _ => Ok(()),
    })?;
    let (structure, report, is_solved): (Structure, String, bool) = packed.map_err(|error| errors::read(py, error))?;
    Ok((Model::of(&path.display().to_string(), structure), report, is_solved))
}

fn is_solved(packed: &Packed) -> bool {
    packed.overlaps == 0 && packed.copies() == packed.asked()
}

fn report(file: &RecipeFile, packed: &Packed) -> String {
    json!({
        "recipe": file.recipe.name,
        "asked": packed.asked(),
        "placed": packed.copies(),
        "overlaps": packed.overlaps,
        "iterations": packed.iterations,
        "seconds": packed.seconds,
        "ingredients": packed.verdicts,
        "notes": packed.notes,
    })
    .to_string()
}

/// Grows a fibre in a sphere: the model and a report as JSON; nothing where no fibre is called so.
#[pyfunction]
#[pyo3(name = "_grow", signature = (name, kind, units, closed, radius, seed, look))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn grow(
    py: Python<'_>,
    name: String,
    kind: Option<&str>,
    units: Option<usize>,
    closed: bool,
    radius: Option<f64>,
    seed: Option<u64>,
    look: Option<Py<PyAny>>,
) -> PyResult<Option<(Model, String)>> {
    if !steric::fibre::is_fibre(&name) {
        return Ok(None);
    }
    let strand = match kind {
        None => None,
        Some("dna") => Some(Strand::Dna),
        Some("rna-helix") => Some(Strand::RnaHelix),
        Some("rna") => Some(Strand::Rna),
        Some("actin") => Some(Strand::Actin),
        Some(other) => {
            return Err(errors::value(format!("kind: expected dna, rna-helix, rna or actin, found {other:?}")));
        }
    };
    let order = FibreOrder { name, strand, units, is_closed: closed, radius };
    let stop = Arc::new(AtomicBool::new(false));
    let latest: Arc<Mutex<Option<(u32, u32)>>> = Arc::default();
    let (stopped, told, asked) = (Arc::clone(&stop), Arc::clone(&latest), order.clone());
    let job = move || {
        asked.grow(seed.unwrap_or(1), |progress| {
            *work::lock(&told) = Some((progress.iteration, progress.level as u32));
            if stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    };
    let pool = work::pool(py, None)?;
    let grown = work::owned(py, &pool, &stop, job, |py| match (&look, work::lock(&latest).take()) {
        (Some(look), Some(seen)) => look.call1(py, seen).map(|_| ()),
        _ => Ok(()),
    })?;
    let (structure, report) = grown.map_err(|error| errors::value(format!("{}: {error}", order.name)))?;
    let text = serde_json::to_string(&report).map_err(errors::value)?;
    Ok(Some((Model::of(&order.name, structure), text)))
}
