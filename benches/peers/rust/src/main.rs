//! Counts the pairs of atoms of different molecules that overlap, by other people's libraries, on one thread: those
//! closer than 3.0 A in *rods* and *solution*, where all radii are 1.5 A; those closer than the sum of their radii in *mixed*.
//!
//! `steric-peers zelll|kiddo|parry3d SCENE.npz [REPEATS]` prints one JSON row. What is timed is what the library has
//! to do each time the atoms move: building its index and counting. The first, cold run is not counted.

mod scene;

use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use scene::Scene;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

const CUTOFF: f32 = 3.0;

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(row) => {
            println!("{row}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<String, String> {
    const USAGE: &str = "usage: steric-peers zelll|kiddo|parry3d SCENE.npz [REPEATS]";
    let [program, path, rest @ ..] = arguments else { return Err(USAGE.into()) };
    let count: fn(&Scene) -> u64 = match program.as_str() {
        "zelll" => zelll_count,
        "kiddo" => kiddo_count,
        "parry3d" => parry3d_count,
        _ => return Err(USAGE.into()),
    };
    let repeats = rest.first().map_or(Ok(5), |text| text.parse::<usize>()).map_err(|_| USAGE)?.max(1);
    let scene = Scene::read(Path::new(path))?;
    let count = match program.as_str() {
        _ if scene.is_uniform() => count,
        "zelll" => zelll_mixed,
        "kiddo" => kiddo_mixed,
        _ => parry3d_mixed,
    };
    let pairs = count(&scene);
    let mut milliseconds: Vec<f64> = (0..repeats).map(|_| timed(&scene, count, pairs)).collect();
    milliseconds.sort_by(f64::total_cmp);
    let (median, spread) = (milliseconds[repeats / 2], milliseconds[repeats - 1] - milliseconds[0]);
    Ok(format!(
        r#"{{"program":"{program}","what":"count","atoms":{},"threads":1,"pairs":{pairs},"milliseconds":{median:.3},"spread_ms":{spread:.3},"peak_mb":{:.1}}}"#,
        scene.positions.len(),
        peak_mb(),
    ))
}

fn timed(scene: &Scene, count: fn(&Scene) -> u64, expected: u64) -> f64 {
    let start = Instant::now();
    let pairs = count(scene);
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    assert_eq!(pairs, expected, "the same scene has the same pairs each time");
    milliseconds
}

/// The most memory this process has held, in MB; 0 where the system does not say.
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or_default();
    kib * 1024.0 / 1e6
}

fn closer(a: [f32; 3], b: [f32; 3]) -> bool {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z < CUTOFF * CUTOFF
}

/// A hash map of cells with half of the neighbouring cells visited, so that each pair comes once.
fn zelll_count(scene: &Scene) -> u64 {
    let atoms = scene.molecules.iter().copied().zip(scene.positions.iter().copied());
    let grid = zelll::CellGrid::new(atoms, CUTOFF);
    let mut pairs = 0;
    // `for_each` rather than `for`, so that its nested iterators become nested loops.
    grid.particle_pairs().for_each(|(&(a, at_a), &(b, at_b))| pairs += u64::from(a != b && closer(at_a, at_b)));
    pairs
}

/// A k-d tree asked about each atom; the visitor spares it the lists of results. Each pair is met from both ends.
fn kiddo_count(scene: &Scene) -> u64 {
    let tree = kiddo::ImmutableKdTree::<f32, 3>::new_from_slice(&scene.positions).expect("finite coordinates");
    let mut twice = 0;
    for (position, molecule) in scene.positions.iter().zip(&scene.molecules) {
        tree.query(position)
            .within::<kiddo::SquaredEuclidean<f32>>(CUTOFF * CUTOFF)
            .exclusive_boundaries()
            .unsorted()
            .visit(|found| twice += u64::from(scene.molecules[found.item as usize] != *molecule));
    }
    twice / 2
}

/// A tree of boxes traversed against itself; each atom is a box that reaches half the cut-off to each side.
fn parry3d_count(scene: &Scene) -> u64 {
    let reach = Vector::splat(CUTOFF / 2.0);
    let boxes: Vec<Aabb> =
        scene.positions.iter().map(|&at| Aabb::new(Vector::from(at) - reach, Vector::from(at) + reach)).collect();
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    let mut pairs = 0;
    tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |a, b| {
        let (a, b) = (a as usize, b as usize);
        let apart = scene.molecules[a] != scene.molecules[b];
        pairs += u64::from(apart && closer(scene.positions[a], scene.positions[b]));
    });
    pairs
}

/// Whether two atoms, by index, overlap.
fn overlap(scene: &Scene, a: usize, b: usize) -> bool {
    let (p, q) = (scene.positions[a], scene.positions[b]);
    let [x, y, z] = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    let reach = scene.radii[a] + scene.radii[b];
    scene.molecules[a] != scene.molecules[b] && x * x + y * y + z * z < reach * reach
}

/// As [`zelll_count`], with cells for the largest sphere.
fn zelll_mixed(scene: &Scene) -> u64 {
    let atoms = (0u32..).zip(scene.positions.iter().copied());
    let grid = zelll::CellGrid::new(atoms, scene.reach());
    let mut pairs = 0;
    grid.particle_pairs().for_each(|(&(a, _), &(b, _))| pairs += u64::from(overlap(scene, a as usize, b as usize)));
    pairs
}

/// As [`kiddo_count`]; each atom asks as far as its own radius and the largest.
fn kiddo_mixed(scene: &Scene) -> u64 {
    let tree = kiddo::ImmutableKdTree::<f32, 3>::new_from_slice(&scene.positions).expect("finite coordinates");
    let largest = scene.reach() / 2.0;
    let mut twice = 0;
    for (index, position) in scene.positions.iter().enumerate() {
        let reach = scene.radii[index] + largest;
        tree.query(position)
            .within::<kiddo::SquaredEuclidean<f32>>(reach * reach)
            .exclusive_boundaries()
            .unsorted()
            .visit(|found| twice += u64::from(overlap(scene, index, found.item as usize)));
    }
    twice / 2
}

/// As [`parry3d_count`]; each atom is a box of its own size.
fn parry3d_mixed(scene: &Scene) -> u64 {
    let boxed = |(&at, &radius): (&[f32; 3], &f32)| {
        Aabb::new(Vector::from(at) - Vector::splat(radius), Vector::from(at) + Vector::splat(radius))
    };
    let boxes: Vec<Aabb> = scene.positions.iter().zip(&scene.radii).map(boxed).collect();
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    let mut pairs = 0;
    tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |a, b| {
        pairs += u64::from(overlap(scene, a as usize, b as usize));
    });
    pairs
}
