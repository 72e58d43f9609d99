//! `steric bench view`: how fast pictures are drawn.
//!
//! How it works: the camera goes around the scene *rods* and towards it; frames are asked for one after the other and none is read back.

use clap::Args;
use serde::Serialize;
use steric::gpu::Gpu;
use steric_view::{Camera, ColourBy, Colours, Look, Palette, Raster, Renderer, Side, Style};

use crate::bench::s0;
use crate::failure::Failure;
use crate::options::{Shared, count};
use crate::output;
use crate::table::{columns, thousands};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// How many atoms
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = count)]
    #[arg(default_value = "1000000,4000000,100000000")]
    sizes: Vec<usize>,
    /// How many frames
    #[arg(long, value_name = "N", default_value_t = 60)]
    frames: usize,
}

/// Above this, one rod is stored once and not for each molecule.
const MOST_TYPES: usize = 8_000_000;
const SIZE: [u32; 2] = [1920, 1080];

/// A size, a way to draw and a distance.
#[derive(Debug, Serialize)]
struct Row {
    atoms: u64,
    raster: &'static str,
    /// How many times nearer than it takes to see everything.
    zoom: f64,
    /// With one sample in a pixel.
    frame_ms: f64,
}

pub(super) fn run(wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    let chosen = shared.chosen(u64::MAX)?;
    let Some(gpu) = chosen.gpu() else {
        return Err(Failure::usage("bench view: expected a GPU, found none; see steric info --gpus"));
    };
    let mut rows = Vec::new();
    for &atoms in &wanted.sizes {
        let bar = output::spinner(shared, format!("{} atoms", thousands(atoms as u64)));
        rows.extend(measured(gpu, atoms, wanted.frames)?);
        bar.finish_and_clear();
    }
    output::report(shared, &rows, |_| {
        let cells = |row: &Row| {
            vec![thousands(row.atoms), row.raster.to_owned(), format!("{}", row.zoom), format!("{:.2}", row.frame_ms)]
        };
        let table = columns(
            &["atoms", "spheres as", "zoom", "ms a frame"],
            &[true, false, true, true],
            &rows.iter().map(cells).collect::<Vec<_>>(),
        );
        let (machine, commit) = (s0::machine(), s0::commit());
        format!("{}, 1920x1080, ambient occlusion; {machine}, {commit}\n{table}", gpu.adapter().name)
    })
}

fn measured(gpu: &Gpu, atoms: usize, frames: usize) -> Result<Vec<Row>, Failure> {
    let scene = if atoms > MOST_TYPES { scenes::rods_as_instances(atoms) } else { scenes::rods(atoms) };
    let colours = Colours::of_scene(ColourBy::Molecule, &Palette::safe(), &scene, &[]);
    let said = |error: steric_view::DrawError| Failure::usage(error.to_string());
    let renderer = Renderer::new(gpu);
    let model = renderer.load(&scene, &colours).map_err(said)?;
    let mut rows = Vec::new();
    let ways = [("small by threads", Raster::Auto), ("all by threads", Raster::Threads), ("squares", Raster::Squares)];
    for (name, raster) in ways {
        for zoom in [1.0, 6.0] {
            let look = Look { samples: 1, raster, ..Look::of(Style::Soft) };
            let first = Camera::of(&scene, Side { turn: 20.0, lift: 15.0 }, 16.0 / 9.0).nearer(zoom);
            let cameras: Vec<Camera> = (0..frames).map(|frame| first.turned(frame as f64)).collect();
            gpu.warm_up()?;
            let seconds = renderer.time_frames(&model, &cameras, &look, SIZE).map_err(said)?;
            rows.push(Row { atoms: scene.atoms(), raster: name, zoom, frame_ms: 1e3 * seconds });
        }
    }
    Ok(rows)
}
