//! `steric bench S4`: the tables of the docking study of 1989 (Turk) again, and how fast a hand is answered today.
//!
//! How it works: for each file of Table 1 the two indexes of that study are built and their cells counted. Then a ligand of forty atoms is put, moved and
//! judged in a receptor of a hundred thousand: haemoglobins side by side, which are embedded, so that the numbers can be had anywhere.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use glam::{DQuat, DVec3};
use serde::Serialize;
use steric::check::Input;
use steric::collide::{Obstacle, ProbeIndex};
use steric::model::chemistry::{BondGraph, RadiiSet, is_hydrogen, is_water};
use steric::model::{Pose, Random, Structure};
use steric::world::dock::energy::{Charged, EnergyGrid, atom_types};
use steric::world::dock::{Body, FittingTask, Response, Screw, move_to_touch};

use crate::failure::Failure;
use crate::options::Shared;
use crate::output;

#[derive(Debug, Args)]
#[command(
    after_help = "Table 1 takes the files of the study's molecules from a folder: 3dfr.pdb, 4dfr.cif, 2ptc_H.pdb and others."
)]
pub(super) struct Arguments {
    /// The folder with the molecules of Table 1
    #[arg(long, value_name = "DIR", default_value = "../shared/data/structures/turk")]
    folder: PathBuf,
    /// The folder with 1iep_receptor.pdbqt and 1iep_ligand.pdbqt, around which random paths are followed as well
    #[arg(long, value_name = "DIR", default_value = "../shared/data/docking/1iep")]
    docking: PathBuf,
    /// How many random rigid paths are followed in each receptor, with a look at what is left inside
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    paths: u64,
}

/// Rows of Table 1: what it is called there, the file, how many atoms, and spheres in a cell, hashed and in the full grid.
const TABLE_1: [(&str, &str, u32, f64, f64); 7] = [
    ("dihydrofolate reductase #1", "3dfr.pdb", 1_294, 10.31, 9.73),
    ("dihydrofolate reductase #2", "4dfr.cif", 2_544, 10.86, 10.14),
    ("trypsin", "2ptc_H.pdb", 2_083, 11.60, 10.82),
    ("transfer RNA", "4tna.pdb", 1_613, 9.37, 9.56),
    ("DNA", "1bna.pdb", 322, 8.24, 8.76),
    ("cytochrome", "1crc.cif", 3_204, 14.38, 11.01),
    ("superoxide dismutase", "1mng.cif", 4_380, 11.98, 10.44),
];

/// A row of Table 1.
#[derive(Debug, Serialize)]
struct Density {
    molecule: &'static str,
    file: &'static str,
    atoms: usize,
    atoms_then: u32,
    hashed: f64,
    hashed_then: f64,
    grid: f64,
    grid_then: f64,
}

/// What came of random paths.
#[derive(Debug, Serialize)]
struct Paths {
    receptor: &'static str,
    paths: u64,
    /// How many touched.
    touched: u64,
    /// The deepest overlap that was left, in angstroms.
    deepest_left: f64,
    /// Of how many it was seen, at many places before the touch, that nothing was missed; and the deepest overlap there.
    swept: u64,
    deepest_missed: f64,
}

/// Times of one index.
#[derive(Debug, Serialize)]
struct Times {
    index: Named,
    check_us: f64,
    touch_us: f64,
}

/// An index, told by its name.
#[derive(Debug)]
struct Named(ProbeIndex);

impl Serialize for Named {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// All numbers.
#[derive(Debug, Serialize)]
struct Numbers {
    table_1: Vec<Density>,
    table_2: Vec<Times>,
    receptor_atoms: usize,
    ligand_atoms: usize,
    /// Microseconds of a static check, the median.
    check_us: f64,
    /// Microseconds until a hand's step touches: the median and the longest, each step timed three times and the best taken, because what else runs
    /// on a machine only ever makes it slower.
    touch_us: [f64; 2],
    /// Seconds for a hundred thousand poses.
    poses_s: f64,
    /// Energies of the ligand in a second.
    energies_a_second: f64,
    /// Random paths in each receptor.
    paths: Vec<Paths>,
    /// Motions that a bot needed for the fitting task, and microseconds of one.
    task_motions: u32,
    task_us: f64,
}

pub(super) fn run(wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    let mut table_1 = Vec::new();
    for (molecule, file, atoms_then, hashed_then, grid_then) in TABLE_1 {
        let path = wanted.folder.join(file);
        if !path.is_file() {
            output::note(shared, &format!("{}: not there, left out of Table 1", path.display()));
            continue;
        }
        let (centers, radii) = of_study(&path)?;
        let density = |index| Obstacle::new(&centers, &radii, index).spheres_per_cell().unwrap_or(0.0);
        let (hashed, grid) = (density(ProbeIndex::Hashed), density(ProbeIndex::Grid));
        let atoms = centers.len();
        table_1.push(Density { molecule, file, atoms, atoms_then, hashed, hashed_then, grid, grid_then });
    }
    let (centers, radii) = receptor();
    let body = ligand();
    let mut numbers = measure(table_1, (&centers, &radii), &body);
    numbers.paths.push(paths("haemoglobin", wanted.paths, (&centers, &radii), &body));
    match kinase(&wanted.docking)? {
        Some((receptor, imatinib)) => {
            numbers.paths.push(paths("1IEP", wanted.paths, (&receptor.0, &receptor.1), &imatinib));
        }
        None => output::note(shared, &format!("{}: no 1IEP, no paths around it", wanted.docking.display())),
    }
    output::report(shared, &numbers, |_| text(&numbers))
}

/// Balls: their middles and their radii.
type Balls = (Vec<DVec3>, Vec<f64>);

/// The kinase of entry 1IEP and imatinib, if their files are there.
fn kinase(folder: &Path) -> Result<Option<(Balls, Body)>, Failure> {
    let [receptor, ligand] = ["1iep_receptor.pdbqt", "1iep_ligand.pdbqt"].map(|name| folder.join(name));
    if !receptor.is_file() || !ligand.is_file() {
        return Ok(None);
    }
    let receptor = heavy(&Input::read(&receptor)?.structure);
    let (centers, radii) = heavy(&Input::read(&ligand)?.structure);
    let middle = centers.iter().sum::<DVec3>() / centers.len().max(1) as f64;
    Ok(Some((receptor, Body::new(centers.into_iter().map(|center| center - middle).collect(), radii))))
}

/// Atoms as the study had them: no waters, no hydrogens, nothing that is no polymer, with its radii.
fn of_study(path: &Path) -> Result<(Vec<DVec3>, Vec<f64>), Failure> {
    let input = Input::read(path)?;
    let structure = &input.structure;
    let radii = RadiiSet::Turk.radii(structure, &BondGraph::new(structure));
    let is_wanted = |&atom: &u32| {
        let residue = &structure.residues[structure.atoms.residues[atom as usize] as usize];
        !residue.hetero && !is_water(residue.name) && !is_hydrogen(structure.atoms.elements[atom as usize])
    };
    let model = structure.models.first().map_or(0..structure.atoms.len() as u32, |model| model.atoms.clone());
    let atoms: Vec<u32> = model.filter(is_wanted).collect();
    let place = |&atom: &u32| structure.atoms.positions[atom as usize].as_dvec3();
    Ok((atoms.iter().map(place).collect(), atoms.iter().map(|&atom| f64::from(radii[atom as usize])).collect()))
}

fn embedded(name: &str) -> Structure {
    scenes::molecule(name).map(scenes::Embedded::structure).unwrap_or_default()
}

fn heavy(structure: &Structure) -> (Vec<DVec3>, Vec<f64>) {
    let radii = RadiiSet::Bondi.radii(structure, &BondGraph::new(structure));
    let atoms = (0..structure.atoms.len()).filter(|&atom| !is_hydrogen(structure.atoms.elements[atom]));
    atoms.map(|atom| (structure.atoms.positions[atom].as_dvec3(), f64::from(radii[atom]))).unzip()
}

/// Haemoglobins side by side.
fn receptor() -> (Vec<DVec3>, Vec<f64>) {
    let (one, radii) = heavy(&embedded("haemoglobin"));
    let mut all = (Vec::new(), Vec::new());
    for copy in 0..24 {
        let shift = DVec3::new(f64::from(copy % 3), f64::from(copy / 3 % 3), f64::from(copy / 9)) * 66.0;
        all.0.extend(one.iter().map(|&center| center + shift));
        all.1.extend_from_slice(&radii);
    }
    all
}

/// Forty atoms of a lipid, around the origin.
fn ligand() -> Body {
    let lipid = embedded("POPC");
    let first = lipid.models.first().map_or(0..0, |model| model.atoms.clone());
    let (mut centers, mut radii) = heavy(&lipid.alone(&first));
    centers.truncate(40);
    radii.truncate(40);
    let middle = centers.iter().sum::<DVec3>() / centers.len().max(1) as f64;
    Body::new(centers.into_iter().map(|center| center - middle).collect(), radii)
}

/// Places of the ligand where it is free and something is near.
fn free_places(obstacle: &Obstacle, body: &Body, centers: &[DVec3], count: usize) -> Vec<Pose> {
    let mut random = Random::new(4);
    let mut places = Vec::new();
    for _ in 0..1_000_000 {
        if places.len() == count {
            break;
        }
        let near = centers[(random.next_u64() % centers.len().max(1) as u64) as usize];
        let pose = Pose { rotation: random.rotation(), translation: near + random.direction() * 12.0 };
        if !obstacle.is_hit(&body.placed(&pose), body.radii(), 0.0) {
            places.push(pose);
        }
    }
    places
}

/// A step of a hand: up to an angstrom and five degrees.
fn step(random: &mut Random, from: &Pose) -> Pose {
    let turn = DQuat::from_scaled_axis(random.direction() * 5f64.to_radians() * random.unit());
    let rotation = (turn * from.rotation).normalize();
    Pose { rotation, translation: from.translation + random.direction() * random.unit() }
}

fn median(mut times: Vec<f64>) -> [f64; 2] {
    times.sort_by(f64::total_cmp);
    [times.get(times.len() / 2).copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0)]
}

fn measure(table_1: Vec<Density>, (centers, radii): (&[DVec3], &[f64]), body: &Body) -> Numbers {
    let obstacle = Obstacle::new(centers, radii, ProbeIndex::Rows);
    let places = free_places(&obstacle, body, centers, 200);
    let table_2 = ProbeIndex::ALL.map(|index| {
        let obstacle = Obstacle::new(centers, radii, index);
        let few = if index == ProbeIndex::Brute { 4 } else { 200 };
        let (checks, touches) = times_of(&obstacle, body, &places[..few.min(places.len())]);
        Times { index: Named(index), check_us: median(checks)[0], touch_us: median(touches)[0] }
    });
    let (checks, touches) = times_of(&obstacle, body, &places.iter().copied().cycle().take(20_000).collect::<Vec<_>>());
    let start = Instant::now();
    let mut random = Random::new(9);
    let (mut hits, count) = (0u32, 100_000);
    for _ in 0..count {
        let near = centers[(random.next_u64() % centers.len().max(1) as u64) as usize];
        let pose = Pose { rotation: random.rotation(), translation: near + random.direction() * 8.0 };
        hits += u32::from(obstacle.is_hit(&body.placed(&pose), body.radii(), 0.4));
    }
    std::hint::black_box(hits);
    let poses_s = start.elapsed().as_secs_f64();
    let solution = FittingTask::new().solve(Response::Slide, 1, 100_000);
    Numbers {
        table_1,
        table_2: table_2.into(),
        receptor_atoms: centers.len(),
        ligand_atoms: body.centers().len(),
        check_us: median(checks)[0],
        touch_us: median(touches),
        poses_s,
        energies_a_second: energies(),
        paths: Vec::new(),
        task_motions: solution.motions,
        task_us: 1e6 * solution.seconds / f64::from(solution.motions.max(1)),
    }
}

/// Microseconds of static checks and of steps until they touch.
fn times_of(obstacle: &Obstacle, body: &Body, places: &[Pose]) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new(2);
    let (mut checks, mut touches) = (Vec::new(), Vec::new());
    for place in places {
        let placed = body.placed(place);
        let start = Instant::now();
        std::hint::black_box(obstacle.is_hit(&placed, body.radii(), 0.0));
        checks.push(1e6 * start.elapsed().as_secs_f64());
        let screw = Screw::between(*place, step(&mut random, place));
        let once = |_| {
            let start = Instant::now();
            std::hint::black_box(move_to_touch(obstacle, body, &screw, 0.0));
            1e6 * start.elapsed().as_secs_f64()
        };
        touches.push((0..3).map(once).fold(f64::INFINITY, f64::min));
    }
    (checks, touches)
}

/// One path in so many is swept, at so many places.
const SWEPT: (u64, u32) = (2_000, 400);

/// Follows random paths of 0.01 to 100 angstroms, looks at what is left inside, and of some at everything before the touch.
fn paths(receptor: &'static str, count: u64, (centers, radii): (&[DVec3], &[f64]), body: &Body) -> Paths {
    let obstacle = Obstacle::new(centers, radii, ProbeIndex::Rows);
    let brute = Obstacle::new(centers, radii, ProbeIndex::Brute);
    let places = free_places(&obstacle, body, centers, 500);
    let mut random = Random::new(8);
    let mut all = Paths { receptor, paths: count, touched: 0, deepest_left: 0.0, swept: 0, deepest_missed: 0.0 };
    let deepest = |obstacle: &Obstacle, pose: &Pose| {
        let depth = |(center, &radius): (DVec3, &f64)| obstacle.deepest(center, radius).map_or(0.0, |(_, depth)| depth);
        body.placed(pose).into_iter().zip(body.radii()).map(depth).fold(0.0, f64::max)
    };
    for (number, from) in (0..count).zip(places.iter().cycle()) {
        let length = 10f64.powf(4.0 * random.unit() - 2.0);
        let turn = DQuat::from_scaled_axis(random.direction() * 3.0 * random.unit());
        let to = Pose {
            rotation: (turn * from.rotation).normalize(),
            translation: from.translation + random.direction() * length,
        };
        let screw = Screw::between(*from, to);
        let touch = move_to_touch(&obstacle, body, &screw, 0.0);
        all.touched += u64::from(touch.fraction < 1.0);
        all.deepest_left = all.deepest_left.max(deepest(&obstacle, &touch.pose));
        if number % SWEPT.0 == 0 {
            all.swept += 1;
            // Every atom against every other one costs a second in a receptor of a hundred thousand: the long way there is looked at by the index.
            let exact = if centers.len() < 10_000 { &brute } else { &obstacle };
            for step in 1..SWEPT.1 {
                let pose = screw.at(touch.fraction * f64::from(step) / f64::from(SWEPT.1));
                all.deepest_missed = all.deepest_missed.max(deepest(exact, &pose));
            }
        }
    }
    all
}

/// Energies of a ligand of forty atoms in a second, on one thread, with points a quarter of an angstrom apart: the best of nine rounds, because what else
/// runs on a machine only ever makes them slower.
fn energies() -> f64 {
    let lysozyme = embedded("lysozyme");
    let types = atom_types(&lysozyme, &BondGraph::new(&lysozyme));
    let places: Vec<DVec3> = lysozyme.atoms.positions.iter().map(|place| place.as_dvec3()).collect();
    let middle = places.iter().sum::<DVec3>() / places.len().max(1) as f64;
    let charges = (0..places.len()).map(|atom| if atom % 2 == 0 { 0.2 } else { -0.2 }).collect();
    let receptor = Charged { places, types: types.clone(), charges };
    let corners = [middle + DVec3::new(8.0, -12.0, -12.0), middle + DVec3::new(32.0, 12.0, 12.0)];
    let grid = EnergyGrid::new(&receptor, &types[..40.min(types.len())], corners, 0.25);
    let body = ligand();
    let numbers = grid.numbers(&types[..body.centers().len().min(types.len())]);
    let charges = vec![0.1; numbers.len()];
    let mut random = Random::new(3);
    let poses: Vec<Vec<DVec3>> = (0..100)
        .map(|_| {
            body.placed(&Pose {
                rotation: random.rotation(),
                translation: middle + DVec3::X * 20.0 + random.direction(),
            })
        })
        .collect();
    let one_round = |_| {
        let (start, mut sum, times) = (Instant::now(), 0.0, 20);
        for _ in 0..times {
            for pose in &poses {
                sum += grid.energy_of(pose, &numbers, &charges).total();
            }
        }
        std::hint::black_box(sum);
        f64::from(times) * poses.len() as f64 / start.elapsed().as_secs_f64()
    };
    (0..200).map(one_round).fold(0.0, f64::max)
}

fn text(numbers: &Numbers) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "Table 1: spheres in a cell that is not empty (the study's own numbers beside ours)");
    let _ =
        writeln!(text, "  molecule                      file            atoms   then   hashed   then     grid   then");
    for row in &numbers.table_1 {
        let _ = writeln!(
            text,
            "  {:28}  {:12}  {:7}  {:5}  {:7.2}  {:5.2}  {:7.2}  {:5.2}",
            row.molecule, row.file, row.atoms, row.atoms_then, row.hashed, row.hashed_then, row.grid, row.grid_then
        );
    }
    let _ = writeln!(
        text,
        "Table 2: {} atoms at {}, microseconds, the median (the study: 57,000 for a check)",
        numbers.ligand_atoms, numbers.receptor_atoms
    );
    for row in &numbers.table_2 {
        let _ = writeln!(
            text,
            "  {:7}  static check {:10.2}   move to touch {:10.2}",
            row.index.0.to_string(),
            row.check_us,
            row.touch_us
        );
    }
    let _ = writeln!(
        text,
        "one thread: static check {:.2} µs; a hand's step until it touches {:.1} µs in the median, {:.1} at most; 100,000 poses {:.2} s; {:.0} energies a second",
        numbers.check_us, numbers.touch_us[0], numbers.touch_us[1], numbers.poses_s, numbers.energies_a_second
    );
    for row in &numbers.paths {
        let _ = writeln!(
            text,
            "{} paths of 0.01 to 100 Å around {}: {} touched, deepest overlap left {:.1e} Å; {} of them swept, deepest overlap before the touch {:.1e} Å",
            row.paths, row.receptor, row.touched, row.deepest_left, row.swept, row.deepest_missed
        );
    }
    let _ = writeln!(
        text,
        "fitting task: a bot that slides took {} motions, {:.1} µs each",
        numbers.task_motions, numbers.task_us
    );
    text
}
