//! Pictures of models and scenes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use steric::backend::Backend;
use steric::gpu::{Choice, Gpu, adapters};
use steric::show::Shown;
use steric_view::{Camera, ColourBy, Coloured, Colours, Look, Palette, Renderer, Side, Style};

use crate::model::{Model, molecule_options};
use crate::relax::Relaxation;
use crate::{errors, work};

/// How a picture is to be.
struct Wanted {
    size: [u32; 2],
    colour: Option<ColourBy>,
    palette: Palette,
    style: Style,
    camera: Side,
    zoom: f64,
    background: Option<Option<[u8; 3]>>,
    clip: Option<(Side, f64)>,
    sticks: bool,
    samples: u32,
}

/// Draws a model or what a relaxation holds: a PNG, and its pixels as an array of shape (height, width, 4).
#[pyfunction]
#[pyo3(name = "_render", signature = (what, size, color, palette, style, camera, zoom, background, clip, sticks, samples))]
#[expect(clippy::too_many_arguments, reason = "the package calls it")]
pub(crate) fn render<'py>(
    py: Python<'py>,
    what: &Bound<'py, PyAny>,
    size: (u32, u32),
    color: Option<&str>,
    palette: &str,
    style: &str,
    camera: &str,
    zoom: f64,
    background: Option<(bool, [u8; 3])>,
    clip: Option<(String, f64)>,
    sticks: bool,
    samples: u32,
) -> PyResult<(Bound<'py, pyo3::types::PyBytes>, Bound<'py, PyArray3<u8>>)> {
    if !(1..=8192).contains(&size.0) || !(1..=8192).contains(&size.1) || !(1..=4).contains(&samples) {
        return Err(errors::value(format!(
            "expected a size from 1 to 8192 and 1 to 4 samples, found {size:?} and {samples}"
        )));
    }
    if !(zoom > 0.0 && zoom < 1e6) {
        return Err(errors::value(format!("expected a zoom above 0, found {zoom}")));
    }
    let clip = match clip {
        Some((side, kept)) if kept.is_finite() => Some((side.parse().map_err(errors::value)?, kept)),
        Some((_, kept)) => return Err(errors::value(format!("expected angstroms that are kept, found {kept}"))),
        None => None,
    };
    let wanted = Wanted {
        size: [size.0, size.1],
        colour: color.map(str::parse).transpose().map_err(errors::value)?,
        palette: match palette {
            "safe" => Palette::safe(),
            "classic" => Palette::classic(),
            "goodsell" => Palette::goodsell(),
            path => Palette::read(path.as_ref()).map_err(|error| errors::read(py, error))?,
        },
        style: style.parse().map_err(errors::value)?,
        camera: camera.parse().map_err(errors::value)?,
        zoom,
        background: background.map(|(is_there, colour)| is_there.then_some(colour)),
        clip,
        sticks,
        samples,
    };
    let needs_overlaps = matches!(wanted.colour, Some(ColourBy::Collision | ColourBy::Overlap));
    let stop = Arc::new(AtomicBool::new(false));
    let pool = work::pool(py, None)?;
    let drawn = if let Ok(relaxation) = what.cast::<Relaxation>() {
        let shared = relaxation.get().held.share();
        let job = move || {
            let shown = Shown::of_scene(&work::lock(&shared), needs_overlaps).map_err(|error| error.to_string())?;
            drawn(&shown, ColourBy::Type, &wanted)
        };
        work::owned(py, &pool, &stop, job, work::nothing)?
    } else {
        let model = what.cast::<Model>()?;
        let input = Arc::clone(&model.get().input);
        let options = molecule_options("auto", None, "auto")?;
        let job = move || {
            let name = input.name();
            let shown = Shown::of_structure(input.structure.clone(), &name, &options, needs_overlaps);
            drawn(&shown.map_err(|error| error.to_string())?, ColourBy::Element, &wanted)
        };
        work::owned(py, &pool, &stop, job, work::nothing)?
    };
    let picture = drawn.map_err(pyo3::exceptions::PyRuntimeError::new_err)?;
    let png = picture.to_png().map_err(errors::value)?;
    let (rows, columns) = (picture.height as usize, picture.width as usize);
    let pixels = PyArray1::from_vec(py, picture.pixels.into_flattened()).reshape([rows, columns, 4])?;
    Ok((pyo3::types::PyBytes::new(py, &png), pixels))
}

fn drawn(shown: &Shown, usual: ColourBy, wanted: &Wanted) -> Result<steric_view::Picture, String> {
    let renderer = Renderer::new(&gpu()?);
    let structures = [&shown.structure];
    let coloured = Coloured {
        molecules: &shown.molecules,
        structures: &structures,
        overlaps: &shown.overlaps,
        fixed: &shown.fixed,
        leaflet_of: &shown.is_outer,
    };
    let mut scene = shown.molecules.scene().clone();
    let mut colours = Colours::new(wanted.colour.unwrap_or(usual), &wanted.palette, &coloured);
    if wanted.sticks {
        (scene, colours) = steric_view::as_sticks(&shown.molecules, &structures, &colours);
    }
    let said = |error: steric_view::DrawError| error.to_string();
    let model = renderer.load(&scene, &colours).map_err(said)?;
    let aspect = f64::from(wanted.size[0]) / f64::from(wanted.size[1]);
    let camera = Camera::of(&scene, wanted.camera, aspect).nearer(wanted.zoom);
    let look = Look {
        background: wanted.background.unwrap_or_else(|| Some(wanted.palette.background())),
        clip: wanted.clip.map(|(side, kept)| {
            let towards = side.direction();
            (camera.target + towards * kept, -towards)
        }),
        samples: wanted.samples,
        ..Look::of(wanted.style)
    };
    renderer.samples(wanted.size, &look).map_err(said)?;
    renderer.draw(&model, &camera, &look, wanted.size).map_err(said)
}

/// The best GPU, else software: a picture is worth waiting for.
fn gpu() -> Result<Gpu, String> {
    if let Ok(chosen) = Backend::Auto.choose(&Choice::Auto)
        && let Some(gpu) = chosen.gpu()
    {
        return Ok(gpu.clone());
    }
    let software = adapters().into_iter().find(|adapter| adapter.is_software && adapter.is_able);
    let software = software.ok_or(
        "expected a GPU with Vulkan, Metal or DirectX 12, found none; the package mesa-vulkan-drivers (Debian, Ubuntu, Fedora) draws on \
         the processor",
    )?;
    Gpu::open(&Choice::Index(software.index)).map_err(|error| error.to_string())
}
