//! Trajectories and tables open in the programs of the field: MDAnalysis, simulariumio and pyarrow read the same
//! numbers.
//!
//! How it works: `STERIC_PYTHON` names a Python that may have them (`cargo xtask test` makes one). It prints what it
//! read as lines of numbers and words, which are compared with what was written. Without that Python, or without the
//! package, the test is skipped.
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use std::path::Path;
use std::process::Command;

use glam::{DVec3, Vec3};
use steric_model::formats::parquet::{ColumnType, TableWriter};
use steric_model::formats::trajectory::simularium::{
    LengthUnit, Particle, ParticleType, Plot, SimulariumOptions, SimulariumWriter, TimeUnit,
};
use steric_model::formats::trajectory::{BoxVectors, TrajectoryWriter, read_trajectory};
use steric_model::{Random, Sphere};

/// What a script prints, or `None` where there is no Python with this package.
fn python(package: &str, script: &str, arguments: &[&Path]) -> Option<String> {
    let Some(python) = std::env::var_os("STERIC_PYTHON") else {
        println!("skipped: STERIC_PYTHON names no Python with {package}");
        return None;
    };
    let import = format!("import {package}");
    let has_it = Command::new(&python).args(["-W", "ignore", "-c", &import]).output().expect("Python");
    if !has_it.status.success() {
        println!("skipped: the Python of STERIC_PYTHON has no {package}");
        return None;
    }
    let output = Command::new(&python).args(["-W", "ignore", "-c", script]).args(arguments).output().expect("Python");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace().map(|word| word.parse().unwrap_or_else(|_| panic!("{word:?} in {line:?}"))).collect()
}

/// For each frame the time in ps, the six numbers of the box (0 for none), and all coordinates, in angstroms.
const MDANALYSIS: &str = r#"
import sys
import MDAnalysis, numpy
path, atoms = sys.argv[1], int(sys.argv[2])
universe = MDAnalysis.Universe.empty(atoms, trajectory=False)
universe.load_new(path)
for frame in universe.trajectory:
    box = frame.dimensions if frame.dimensions is not None else numpy.zeros(6)
    print(frame.time, *box, *(float(number) for number in frame.positions.flatten()))
"#;

const TRICLINIC: BoxVectors = [[60.0, 0.0, 0.0], [20.0, 50.0, 0.0], [-10.0, 5.0, 40.0]];

/// Waters at random places in a box of 40 angstroms, or single atoms far apart.
fn positions(atoms: usize, frame: u64) -> Vec<Vec3> {
    let mut random = Random::of(11, frame);
    let mut place = Vec3::ZERO;
    let positions = (0..atoms).map(|atom| {
        let mut unit = || random.unit() as f32 - 0.5;
        let step = Vec3::new(unit(), unit(), unit());
        let is_far = atom % 100 == 99;
        place = if atom % 3 == 0 { step * if is_far { 4e4 } else { 40.0 } } else { place + step * 2.0 };
        place
    });
    positions.collect()
}

fn assert_mdanalysis_reads(ending: &str, atoms: usize, tolerance: f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("walk.{ending}"));
    let frames: Vec<Vec<Vec3>> = (0..4).map(|frame| positions(atoms, frame)).collect();
    let mut writer = TrajectoryWriter::create(&path, atoms).expect("a file");
    for (at, positions) in frames.iter().enumerate() {
        let cell = (at > 0).then_some(TRICLINIC);
        writer.frame(100 + 50 * at as u64, 2.0 + at as f64, cell, positions).expect("a frame");
    }
    writer.finish().expect("a file");
    let Some(lines) = python("MDAnalysis", MDANALYSIS, &[&path, Path::new(&atoms.to_string())]) else {
        return;
    };
    assert_eq!(lines.lines().count(), 4);
    // Lengths, then the angles of b and c, a and c, a and b: acos(50 / (sqrt(2900) sqrt(1725)))
    // = 88.719, acos(-600 / (60 sqrt(1725))) = 103.932, acos(1200 / (60 sqrt(2900))) = 68.199.
    let cell = [60.0, 2900f64.sqrt(), 1725f64.sqrt(), 88.7190, 103.9317, 68.1986];
    for (at, (line, positions)) in lines.lines().zip(&frames).enumerate() {
        let read = numbers(line);
        assert!((read[0] - (2.0 + at as f64)).abs() < 1e-4, "{ending}: time {}", read[0]);
        for (read, expected) in read[1..7].iter().zip(cell) {
            let expected = if at > 0 { expected } else { 0.0 };
            assert!((read - expected).abs() < 2e-3, "{ending}: frame {at}: box {read}, expected {expected}");
        }
        assert_eq!(read.len() - 7, 3 * atoms);
        let expected = positions.iter().flat_map(|position| position.to_array());
        for (read, expected) in read[7..].iter().zip(expected) {
            let error = (read - f64::from(expected)).abs();
            // XTC's nanometres are floats of 32 bits, and MDAnalysis turns them into angstroms as such.
            let rounding = if tolerance > 0.0 { 2e-7 * f64::from(expected.abs()) } else { 0.0 };
            assert!(error <= tolerance + rounding, "{ending}: {read} for {expected}");
        }
    }
}

#[test]
fn mdanalysis_reads_our_xtc() {
    // Plain floats up to nine atoms; packed from ten.
    for atoms in [1, 9, 10, 11, 1500] {
        assert_mdanalysis_reads("xtc", atoms, 0.005);
    }
}

#[test]
fn mdanalysis_reads_our_dcd() {
    for atoms in [1, 10, 1500] {
        assert_mdanalysis_reads("dcd", atoms, 0.0);
    }
}

/// Writes the frames of one file, but for the first, to another.
const COPY: &str = r#"
import sys
import MDAnalysis
universe = MDAnalysis.Universe.empty(1500, trajectory=False)
universe.load_new(sys.argv[1])
with MDAnalysis.Writer(sys.argv[2], 1500, dt=1.0) as writer:
    for frame in universe.trajectory[1:]:
        writer.write(universe.atoms)
"#;

// MDAnalysis packs with the code that GROMACS distributes, so this is a test against the format's authors.
#[test]
fn files_of_mdanalysis_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let ours = folder.path().join("ours.dcd");
    let mut writer = TrajectoryWriter::create(&ours, 1500).expect("a file");
    let frames: Vec<Vec<Vec3>> = (0..4).map(|frame| positions(1500, frame)).collect();
    for (at, positions) in (0..).zip(&frames) {
        writer.frame(at, at as f64, Some(TRICLINIC), positions).expect("a frame");
    }
    writer.finish().expect("a file");
    for (ending, tolerance) in [("xtc", 0.005), ("dcd", 0.0)] {
        let theirs = folder.path().join(format!("theirs.{ending}"));
        if python("MDAnalysis", COPY, &[&ours, &theirs]).is_none() {
            return;
        }
        let read: Vec<_> = read_trajectory(&theirs).expect("a file").collect::<Result<_, _>>().expect("frames");
        assert_eq!(read.len(), 3);
        for (read, positions) in read.iter().zip(&frames[1..]) {
            let cell = read.box_vectors.expect("a box");
            let entries = cell.iter().flatten().zip(TRICLINIC.iter().flatten());
            assert!(entries.clone().all(|(read, expected)| (read - expected).abs() < 1e-3), "{ending}: {cell:?}");
            assert_eq!(read.positions.len(), positions.len());
            for (read, expected) in read.positions.iter().zip(positions) {
                let most = if tolerance > 0.0 { tolerance + 2e-7 * expected.abs().max_element() } else { 0.0 };
                assert!((read - expected).abs().max_element() <= most, "{ending}: {read} for {expected}");
            }
        }
    }
}

/// The units, the box, the types with their colours, the plots, and each frame's time and particles.
const SIMULARIUM: &str = r##"
import contextlib, io, json, sys
from simulariumio import FileConverter, InputFileData
with contextlib.redirect_stdout(io.StringIO()):
    data = FileConverter(InputFileData(file_path=sys.argv[1]))._data
print(data.time_units.magnitude, data.time_units.name, data.spatial_units.magnitude, data.spatial_units.name)
print(*data.meta_data.box_size)
print(data.meta_data.trajectory_title)
agents = data.agent_data
types = sorted(agents.display_data.items())
print(*(f"{name}:{display.display_type.value}:{display.color}" for name, display in types))
print(*(f"{plot['layout']['title']}:{plot['data'][0]['type']}:{len(plot['data'][0]['x'])}" for plot in data.plots))
for at, time in enumerate(agents.times):
    count = int(agents.n_agents[at])
    print(time, *(f"{agents.types[at][i]}:{int(agents.unique_ids[at][i])}" for i in range(count)))
    print(*(float(number) for number in agents.positions[at][:count].flatten()))
    print(*(float(number) for number in agents.radii[at][:count]))
"##;

#[test]
fn simulariumio_reads_our_particles() {
    let folder = tempfile::tempdir().expect("a folder");
    for (length_unit, name, per_angstrom) in
        [(LengthUnit::Nanometre, "1.0 us 1.0 nm", 0.1), (LengthUnit::Angstrom, "1.0 us 100.0 pm", 1.0)]
    {
        let path = folder.path().join("cell.simularium");
        write_cell(&path, length_unit);
        let Some(lines) = python("simulariumio", SIMULARIUM, &[&path]) else {
            return;
        };
        let lines: Vec<&str> = lines.lines().collect();
        // The micro sign is written in more than one way.
        assert_eq!(lines[0].replace(['µ', 'μ'], "u"), name);
        assert_eq!(numbers(lines[1]), [400.0, 600.0, 800.0].map(|edge: f64| edge * per_angstrom));
        assert_eq!(lines[2], "Two kinds");
        assert_eq!(lines[3], "kinase:SPHERE:#ff8000 receptor#bound:SPHERE:#0a141e");
        assert_eq!(lines[4], "Bound:scatter:3 Distances:histogram:4");
        assert_eq!(lines[5], "0.0 kinase:7 receptor#bound:12");
        let scaled = |numbers: &[f64]| numbers.iter().map(|number| number * per_angstrom).collect::<Vec<_>>();
        assert_near(&numbers(lines[6]), &scaled(&[-190.0, -280.0, -370.0, 0.0, 0.0, 0.0]));
        assert_near(&numbers(lines[7]), &scaled(&[25.0, 31.5]));
        assert_eq!(lines[8], "0.5 kinase:7");
        assert_eq!(lines[11], "1.0 kinase:7 receptor#bound:12 kinase:2147483647");
        assert_eq!(lines.len(), 14);
    }
}

/// The agents of the first frame and what they are drawn as. Beneath pandas 3 simulariumio writes into arrays that it may only read.
const SPHERE_GROUPS: &str = r#"
import contextlib, io, sys
import pandas
to_numpy = pandas.DataFrame.to_numpy
pandas.DataFrame.to_numpy = lambda self, *args, **kwargs: to_numpy(self, *args, **kwargs).copy()
from simulariumio import FileConverter, InputFileData
with contextlib.redirect_stdout(io.StringIO()):
    agents = FileConverter(InputFileData(file_path=sys.argv[1]))._data.agent_data
print(*(f"{name}:{display.display_type.value}" for name, display in sorted(agents.display_data.items())))
count = int(agents.n_agents[0])
print(*(int(number) for number in agents.n_subpoints[0][:count]))
print(*(float(number) for number in agents.subpoints[0][1][:8]))
"#;

#[test]
fn simulariumio_reads_groups_of_spheres_as_they_are_turned() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pairs.simularium");
    let sphere = |x: f32, radius: f32| Sphere { center: Vec3::new(x, 0.0, 0.0), radius };
    let pair = ParticleType {
        spheres: vec![sphere(-10.0, 10.0), sphere(20.0, 5.0)],
        ..ParticleType::ball("pair", 30.0, [1, 2, 3])
    };
    let options = SimulariumOptions::new(DVec3::splat(500.0), vec![ParticleType::ball("ball", 9.0, [4, 5, 6]), pair]);
    let mut writer = SimulariumWriter::create(&path, options).expect("a file");
    let ball = Particle { id: 3, ..Particle::default() };
    // A quarter of a turn about z brings x to y.
    let rotation = glam::Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let pair = Particle { id: 4, type_index: 1, rotation, ..Particle::default() };
    writer.frame(0.0, [ball, pair]).expect("a frame");
    writer.finish(&[]).expect("a file");
    let Some(lines) = python("simulariumio", SPHERE_GROUPS, &[&path]) else {
        return;
    };
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[..2], ["ball:SPHERE pair:SPHERE_GROUP", "0 8"]);
    assert_near(&numbers(lines[2]), &[0.0, -1.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.5]);
}

fn assert_near(read: &[f64], expected: &[f64]) {
    assert_eq!(read.len(), expected.len());
    assert!(read.iter().zip(expected).all(|(read, expected)| (read - expected).abs() < 1e-5), "{read:?}, {expected:?}");
}

fn write_cell(path: &Path, length_unit: LengthUnit) {
    let kinase = ParticleType::ball("kinase", 25.0, [255, 128, 0]);
    let receptor = ParticleType::ball("receptor#bound", 30.0, [10, 20, 30]);
    let options = SimulariumOptions {
        title: "Two kinds".to_owned(),
        length_unit,
        time_unit: TimeUnit::Microsecond,
        ..SimulariumOptions::new(DVec3::new(400.0, 600.0, 800.0), vec![kinase, receptor])
    };
    let first = Particle { id: 7, type_index: 0, position: Vec3::new(10.0, 20.0, 30.0), ..Particle::default() };
    let second =
        Particle { id: 12, type_index: 1, position: Vec3::new(200.0, 300.0, 400.0), radius: Some(31.5), ..first };
    let third = Particle { id: 2_147_483_647, ..first };
    let mut writer = SimulariumWriter::create(path, options).expect("a file");
    writer.frame(0.0, [first, second]).expect("a frame");
    writer.frame(5e5, [first]).expect("a frame");
    writer.frame(1e6, [first, second, third]).expect("a frame");
    let lines = vec![("bound".to_owned(), vec![1.0, 0.0, f64::NAN])];
    let series = Plot::series("Bound", "time (us)", "number", vec![0.0, 0.5, 1.0], lines);
    let values = vec![("kinase".to_owned(), vec![1.0, 2.0, 2.0, 3.5])];
    writer.finish(&[series, Plot::histogram("Distances", "distance (nm)", values)]).expect("a file");
}

/// The types of the columns, the rows of each group, and sums and single values that any slip would change.
const PYARROW: &str = r#"
import sys
import pyarrow.parquet
file = pyarrow.parquet.ParquetFile(sys.argv[1])
print(*(f"{field.name}:{field.type}" for field in file.schema_arrow))
print(*(file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)))
for row in file.read().to_pylist():
    print(row["step"], repr(row["energy"]), row["state"], sep="|")
"#;

#[test]
fn pyarrow_reads_our_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.parquet");
    let columns = [("step", ColumnType::U64), ("energy", ColumnType::F64), ("state", ColumnType::Text)];
    let states = ["free", "gebunden, µ", ""];
    let row = |at: u64| (if at == 5 { u64::MAX } else { at * at }, (at as f64).sqrt() - 50.0, states[at as usize % 3]);
    let mut table = TableWriter::create(&path, &columns).expect("a file");
    for at in 0..70_000 {
        let (step, energy, state) = row(at);
        table.row(&[step.into(), energy.into(), state.into()]).expect("a row");
        if at == 9 {
            table.end_group().expect("a group");
        }
    }
    table.finish().expect("a file");
    let Some(lines) = python("pyarrow", PYARROW, &[&path]) else {
        return;
    };
    let mut lines = lines.lines();
    assert_eq!(lines.next(), Some("step:uint64 energy:double state:string"));
    assert_eq!(lines.next(), Some("10 65536 4454"));
    for at in 0..70_000 {
        let words: Vec<&str> = lines.next().expect("a row").split('|').collect();
        let (step, energy, state) = row(at);
        assert_eq!((words[0].parse(), words[1].parse(), words[2]), (Ok(step), Ok(energy), state), "row {at}");
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn tables_of_no_rows_and_many_columns_are_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("empty.parquet");
    let names: Vec<String> = (0..20).map(|column| format!("column {column}")).collect();
    let columns: Vec<(&str, ColumnType)> = names.iter().map(|name| (name.as_str(), ColumnType::F64)).collect();
    TableWriter::create(&path, &columns).and_then(TableWriter::finish).expect("a file");
    let script = "import sys, pyarrow.parquet; print(pyarrow.parquet.read_table(sys.argv[1]).shape)";
    if let Some(shape) = python("pyarrow", script, &[&path]) {
        assert_eq!(shape.trim(), "(0, 20)");
    }
}
