//! `steric bench studio`: the studio's own threads without a window.
//!
//! How it works: the simulation opens something and plays, and the painter is asked for one picture after the other from a camera that moves,
//! as the window does. The relaxation takes small steps, so that both work all the time.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use steric::world::relax::{RelaxOptions, ResponseKind};
use steric_studio::painter::{Painter, Wish};
use steric_studio::simulation::{Now, Order, Simulation, Source, Where};
use steric_view::{Camera, ColourBy, Look, Side, Style};

use super::s0;
use crate::failure::Failure;
use crate::options::{Shared, count};
use crate::output;
use crate::render;
use crate::table::{columns, thousands};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// A model, a ready scene or a scene file
    #[arg(value_name = "FILE|SCENE", default_value = "vesicle")]
    input: PathBuf,
    /// Lipids of the vesicle
    #[arg(long, value_name = "N", default_value = "77000", value_parser = count)]
    count: usize,
    /// Pixels in a row, and rows
    #[arg(long, value_name = "WxH", default_value = "1920x1080", value_parser = render::size)]
    size: [u32; 2],
    /// For how long
    #[arg(long, value_name = "SECONDS", default_value_t = 4.0)]
    seconds: f64,
}

/// After this there is nothing to wait for.
const TOO_LONG: Duration = Duration::from_secs(300);

#[derive(Debug, Serialize)]
struct Row {
    input: String,
    atoms: u64,
    works_on: String,
    draws_on: String,
    /// From the name of a file to its first picture.
    first_picture_s: f64,
    frames_per_second: f64,
    /// Of the slowest twentieth of the frames, the fastest.
    slow_frame_ms: f64,
    iterations_per_second: f64,
}

pub(super) fn run(wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    let began = Instant::now();
    let mut source = Source::read(&wanted.input).map_err(Failure::usage)?;
    if let (Source::Scene { text, .. }, Some("vesicle")) = (&mut source, wanted.input.to_str()) {
        *text = text.replace("count = 2000", &format!("count = {}", wanted.count));
    }
    let gpu = render::gpu(shared)?;
    let place =
        if shared.insists_on_cpu() || gpu.adapter().is_software { Where::Processor } else { Where::Large(gpu.clone()) };
    let simulation = Simulation::new(Arc::new(|| ()), place);
    let (wake, woken) = channel();
    let mut painter = Painter::new(&gpu, Arc::new(move || wake.send(()).unwrap_or_default()));
    simulation.order(Order::Open(source));
    let now = opened(&simulation)?;
    let Some(open) = &now.opened else { return Err(Failure::usage("nothing was opened")) };
    let aspect = f64::from(wanted.size[0]) / f64::from(wanted.size[1]);
    let first = Camera::of(&open.scene, Side { turn: 20.0, lift: 15.0 }, aspect);
    let hidden = Arc::new(vec![false; now.poses.len()]);
    let mut paint = |now: Now, camera: Camera| -> Result<(), Failure> {
        painter.wish(Wish {
            camera,
            look: Look { samples: 1, ..Look::of(Style::Soft) },
            stereo: None,
            see_through: None,
            size: wanted.size,
            by: ColourBy::Collision,
            hidden: Arc::clone(&hidden),
            painted: Arc::default(),
            selected: Vec::new(),
            pointed: Some(wanted.size.map(|side| side / 2)),
            is_in_haste: false,
            now,
        });
        woken.recv_timeout(TOO_LONG).map_err(|_| Failure::usage("the painter does not answer"))?;
        painter.error().map_or(Ok(()), |error| Err(Failure::usage(error)))
    };
    paint(now.clone(), first)?;
    let first_picture_s = began.elapsed().as_secs_f64();
    // Steps so small that there is always something left to do.
    let options =
        RelaxOptions { response: ResponseKind::Thesis, thesis_force: 0.01, thesis_torque: 1e-6, ..now.options.clone() };
    simulation.order(Order::Options(options));
    simulation.order(Order::Play);
    let (start, iterations) = (Instant::now(), now.iteration);
    let (mut frames, mut last) = (Vec::new(), now.clone());
    while start.elapsed().as_secs_f64() < wanted.seconds {
        let frame = Instant::now();
        last = simulation.now();
        paint(last.clone(), first.turned(frames.len() as f64))?;
        frames.push(1e3 * frame.elapsed().as_secs_f64());
    }
    let seconds = start.elapsed().as_secs_f64();
    let count = frames.len();
    frames.sort_unstable_by(f64::total_cmp);
    let row = Row {
        input: wanted.input.display().to_string(),
        atoms: open.scene.atoms(),
        works_on: last.worker.clone(),
        draws_on: gpu.adapter().name.clone(),
        first_picture_s,
        frames_per_second: count as f64 / seconds,
        slow_frame_ms: frames.get(count * 19 / 20).copied().unwrap_or(0.0),
        iterations_per_second: f64::from(last.iteration - iterations) / seconds,
    };
    output::report(shared, &row, |_| {
        let cells = vec![
            row.input.clone(),
            thousands(row.atoms),
            row.works_on.clone(),
            format!("{:.2}", row.first_picture_s),
            format!("{:.1}", row.frames_per_second),
            format!("{:.1}", row.slow_frame_ms),
            format!("{:.1}", row.iterations_per_second),
        ];
        let heads = ["input", "atoms", "works on", "first picture s", "frames/s", "slow frame ms", "iterations/s"];
        let table = columns(&heads, &[false, true, false, true, true, true, true], &[cells]);
        format!("{}, {}x{}; {}, {}\n{table}", row.draws_on, wanted.size[0], wanted.size[1], s0::machine(), s0::commit())
    })
}

/// What is open, or why nothing is.
fn opened(simulation: &Simulation) -> Result<Now, Failure> {
    let start = Instant::now();
    while start.elapsed() < TOO_LONG {
        let now = simulation.now();
        if now.opened.is_some() {
            return Ok(now);
        }
        let log = simulation.news().log;
        if let Some(error) = log.iter().find_map(|line| line.strip_prefix("error: ")) {
            return Err(Failure::usage(error.to_owned()));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(Failure::usage("nothing was opened in five minutes"))
}
