//! Figures 6 and 7: milliseconds of collision handling over the frames of a scene, by kind of index and number of threads.
//!
//! How it works: a detector of each goes through all frames, as it would in a simulation, with an untimed look at the step before each of them. At every frame they take turns, so that a busy machine slows all.
//! This is done several times, and the median of a frame counts. The first frame is timed without a look before: nothing is sorted then. All kinds must find the same touches.

use indicatif::ProgressBar;
use rayon::ThreadPool;
use steric::collide::{BoxIndexKind, BoxIndexOptions};
use steric::model::Random;
use steric::world::deform::{Crossed, Detector, SoftBody, Touch, Touches};

use super::frames::{Frame, Kept};
use super::paper::{self, Figure};
use super::{Arguments, Row, Told, mean, median_and_spread, milliseconds_of, threads};
use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::output;
use crate::plot::{Axis, Layer, Mark, Plot};
use crate::table::columns;

/// A kind of index on so many threads.
struct Contender {
    kind: BoxIndexKind,
    threads: usize,
    pool: ThreadPool,
    /// Milliseconds of each frame, for each round.
    rounds: Vec<Vec<f64>>,
    hash: u64,
}

/// What became of it.
struct Measured {
    kind: BoxIndexKind,
    threads: usize,
    /// Milliseconds of each frame, the median of the rounds.
    times: Vec<f64>,
    hash: u64,
}

pub(super) fn measure(kept: &Kept, figure: &Figure, wanted: &Arguments, shared: &Shared) -> Result<Told, Failure> {
    let mut contenders = contenders(figure, shared)?;
    let bar = output::bar(shared, wanted.repeats as u64 * kept.frames.len() as u64, kept.scene);
    for _ in 0..wanted.repeats.max(1) {
        round(kept, &mut contenders, &bar);
    }
    bar.finish_and_clear();
    let all: Vec<Measured> = contenders.iter().map(Contender::measured).collect();
    if let Some(other) = all.iter().find(|measured| measured.hash != all[0].hash) {
        let text = format!("{}: {} on {} threads finds other touches", kept.scene, named(other.kind), other.threads);
        return Err(Failure::usage(text));
    }
    draw(kept, figure, &all, wanted, shared)?;
    let rows = all.iter().map(|measured| row(kept, measured, wanted.repeats)).collect();
    Ok(Told { rows, text: text(kept, figure, &all) })
}

fn contenders(figure: &Figure, shared: &Shared) -> Result<Vec<Contender>, Failure> {
    let mut contenders = Vec::new();
    for &(kind, with_all) in figure.kinds {
        for threads in if with_all { threads(shared) } else { vec![1] } {
            let pool = options::thread_pool(threads)?;
            contenders.push(Contender { kind, threads, pool, rounds: Vec::new(), hash: 0 });
        }
    }
    Ok(contenders)
}

/// All contenders look at each frame, one after the other.
fn round(kept: &Kept, contenders: &mut [Contender], bar: &ProgressBar) {
    let mut body = kept.body.clone();
    let fresh = |kind: BoxIndexKind| Detector::new(BoxIndexOptions { kind, ..BoxIndexOptions::default() });
    let mut detectors: Vec<Detector> = contenders.iter().map(|contender| fresh(contender.kind)).collect();
    for contender in contenders.iter_mut() {
        contender.rounds.push(Vec::new());
        contender.hash = 0;
    }
    for frame in &kept.frames {
        for (contender, detector) in contenders.iter_mut().zip(&mut detectors) {
            let (time, touches) = contender.pool.install(|| looked_at(detector, &mut body, frame));
            contender.hash = hashed(contender.hash, &touches);
            contender.rounds.last_mut().into_iter().for_each(|times| times.push(time));
        }
        bar.inc(1);
    }
}

impl Contender {
    fn measured(&self) -> Measured {
        let frames = self.rounds.first().map_or(0, Vec::len);
        let of_frame = |frame: usize| median_and_spread(self.rounds.iter().map(|times| times[frame]).collect()).0;
        let times = (0..frames).map(of_frame).collect();
        Measured { kind: self.kind, threads: self.threads, times, hash: self.hash }
    }
}

fn looked_at(detector: &mut Detector, body: &mut SoftBody, frame: &Frame) -> (f64, Touches) {
    if let Some(before) = &frame.before {
        body.positions.clone_from(before);
        detector.touches(body, true);
    }
    body.positions.clone_from(&frame.now);
    let mut touches = Touches::default();
    let time = milliseconds_of(|| touches = detector.touches(body, true));
    (time, touches)
}

/// Everything that was found, to the last bit, after what was found before.
fn hashed(before: u64, touches: &Touches) -> u64 {
    let of_touch = |touch: &Touch| [u64::from(touch.point), u64::from(touch.tetrahedron), touch.depth.to_bits()];
    let of_edge = |crossed: &Crossed| {
        let [a, b] = crossed.edge.map(u64::from);
        [a, b, crossed.depth.to_bits()]
    };
    let counts = [touches.candidates, touches.culled, touches.lost].map(|count| count as u64);
    let found = touches.found.iter().map(of_touch).chain(touches.crossed.iter().map(of_edge));
    found.chain([counts]).flatten().fold(before, |hash, number| Random::of(hash, number).next_u64())
}

/// The mean of the frames, and how far the slowest is from the fastest.
fn row(kept: &Kept, measured: &Measured, repeats: usize) -> Row {
    let Measured { kind, threads, times, hash } = measured;
    Row {
        scene: kept.scene.to_owned(),
        size: kept.tetrahedra(),
        what: "collision handling of a frame (mean)",
        kind: named(*kind).to_owned(),
        threads: *threads,
        value: mean(times),
        spread: median_and_spread(times.clone()).1,
        unit: "ms",
        repeats,
        state_hash: Some(*hash),
        paper: String::new(),
    }
}

/// As the study calls them.
pub(super) fn named(kind: BoxIndexKind) -> &'static str {
    match kind {
        BoxIndexKind::Clusters => "clusters",
        BoxIndexKind::Basic => "uniform grid",
        BoxIndexKind::Compact => "index sort",
        BoxIndexKind::Hashing => "spatial hashing",
        BoxIndexKind::Cuckoo => "cuckoo hashing",
    }
}

fn text(kept: &Kept, figure: &Figure, all: &[Measured]) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cells = |measured: &Measured| {
        let Measured { kind, threads, times, .. } = measured;
        let alone = all.iter().find(|other| other.kind == *kind && other.threads == 1).unwrap_or(measured);
        let speed_up = mean(&alone.times) / mean(times);
        // Of threads that share a core the formula says nothing.
        let share = (*threads > 1 && *threads <= cores)
            .then(|| format!("{:.0} %", 100.0 * paper::parallel_share(speed_up, *threads)));
        let study = paper::scaling(*kind).map(|(speed_up, share)| format!("{speed_up} x, {:.0} % on 8", 100.0 * share));
        vec![
            named(*kind).to_owned(),
            threads.to_string(),
            format!("{:.3}", mean(times)),
            format!("{:.3}", times[0]),
            format!("{:.3}", times.last().copied().unwrap_or(0.0)),
            format!("{speed_up:.2}"),
            share.unwrap_or_default(),
            study.unwrap_or_default(),
        ]
    };
    let header = ["index", "threads", "mean ms", "first ms", "last ms", "speed-up", "parallel", "study"];
    let right = [false, true, true, true, true, true, true, false];
    let table = columns(&header, &right, &all.iter().map(cells).collect::<Vec<_>>());
    let (scene, count, tetrahedra) = (kept.scene, kept.frames.len(), kept.tetrahedra());
    format!(
        "{}: {scene}, {tetrahedra} tetrahedra, {count} frames; all found the same\n{table}  {}\n",
        figure.title, figure.words
    )
}

fn draw(kept: &Kept, figure: &Figure, all: &[Measured], wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    let Some(folder) = &wanted.pictures else { return Ok(()) };
    let layer = |measured: &Measured| {
        let threads = measured.threads;
        let name = format!("{}, {threads} thread{}", named(measured.kind), if threads == 1 { "" } else { "s" });
        let steps = kept.frames.iter().map(|frame| frame.step as f64);
        Layer { name, mark: Mark::Line, points: steps.zip(measured.times.iter().copied()).collect() }
    };
    let layers = all.iter().map(layer).collect();
    let (x, y) = (Axis::linear("step"), Axis::linear("milliseconds"));
    let path = folder.join(figure.file);
    let svg = Plot { title: figure.title.to_owned(), x, y, layers, square: false }.svg();
    std::fs::write(&path, svg).map_err(|error| Failure::io(&path, &error))?;
    output::note(shared, &format!("wrote {}", path.display()));
    Ok(())
}
