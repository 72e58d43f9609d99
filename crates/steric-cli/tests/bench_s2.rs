//! `steric bench S2` as a user runs it, small.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

use glam::DVec3;
use steric::model::TetMesh;

fn bench_s2(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steric"));
    command.current_dir(folder).args(["bench", "S2"]).args(arguments).output().unwrap()
}

/// The rows of a CSV file, by the names of their columns.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let row = |cells: Vec<String>| {
        assert_eq!(cells.len(), header.len(), "{cells:?}");
        header.iter().cloned().zip(cells).collect()
    };
    lines.map(row).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("expected a number as {column}, found {row:?}"))
}

fn passed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A block as a Gmsh file of the first version.
fn write_block(path: &Path) {
    let mesh = TetMesh::block(DVec3::ZERO, DVec3::ONE, [3, 3, 3]);
    let mut text = format!("$NOD\n{}\n", mesh.points.len());
    for (number, point) in (1..).zip(&mesh.points) {
        writeln!(text, "{number} {} {} {}", point.x, point.y, point.z).unwrap();
    }
    writeln!(text, "$ENDNOD\n$ELM\n{}", mesh.tetrahedra.len()).unwrap();
    for (number, corners) in (1..).zip(&mesh.tetrahedra) {
        let [a, b, c, d] = corners.map(|corner| corner + 1);
        writeln!(text, "{number} 4 1 1 4 {a} {b} {c} {d}").unwrap();
    }
    std::fs::write(path, text + "$ENDELM\n").unwrap();
}

#[test]
fn all_kinds_find_the_same_and_both_figures_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["--only", "figure6,figure7,z-curve", "--steps", "4", "--frames", "2", "--repeats", "1"];
    let wanted = [&small[..], &["--threads", "1,2", "--pictures", "figures", "-o", "s2.csv"]].concat();
    let text = passed(&bench_s2(folder.path(), &wanted));
    for expected in ["Figure 6", "Figure 7", "Z-curve: stack", "Z-curve: socket", "3.2 x, 80 % on 8"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let table = rows(&folder.path().join("s2.csv"));
    let handled: Vec<_> = table.iter().filter(|row| row["what"].starts_with("collision handling")).collect();
    let kinds: Vec<(&str, &str, &str)> =
        handled.iter().map(|row| (&*row["scene"], &*row["kind"], &*row["threads"])).collect();
    assert_eq!(
        kinds,
        [
            ("stack", "spatial hashing", "1"),
            ("stack", "index sort", "1"),
            ("stack", "index sort", "2"),
            ("socket", "index sort", "1"),
            ("socket", "index sort", "2"),
            ("socket", "cuckoo hashing", "1"),
            ("socket", "cuckoo hashing", "2"),
        ]
    );
    assert!(handled.iter().all(|row| number(row, "median") > 0.0 && row["state_hash"].len() == 16));
    assert_eq!(table.len() - handled.len(), 8, "two orders and two queries of two scenes");
    for figure in ["figure-6.svg", "figure-7.svg"] {
        let svg = std::fs::read_to_string(folder.path().join("figures").join(figure)).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.len() > 1_000, "{figure}");
    }
}

#[test]
fn sorts_limits_of_cells_and_steps_stand_beside_what_was_published() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["--only", "sort,table2,steps,million", "--million", "1000", "--steps", "2", "--repeats", "1"];
    let text = passed(&bench_s2(folder.path(), &[&small[..], &["-o", "s2.csv"]].concat()));
    for expected in ["under 6", "Table 2", "0.03 / 0.002 / 0.003", "Steps with collisions", "asked: 0.5 s"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let table = rows(&folder.path().join("s2.csv"));
    let of = |what: &str| table.iter().filter(|row| row["what"] == what).collect::<Vec<_>>();
    assert_eq!((of("sort").len(), of("largest deviation").len(), of("steps a second (mean)").len()), (12, 6, 2));
    assert!(of("pairs passed over by connectivity").iter().all(|row| (0.0..1.0).contains(&number(row, "median"))));
    assert_eq!(of("first look")[0]["size"], "1000");
    for row in of("largest deviation").iter().filter(|row| row["kind"].contains("27 cells")) {
        assert!(number(row, "median") < 1e-3, "{row:?}");
    }
}

#[test]
fn pairs_of_two_meshes_are_written_sorted_and_share_no_point() {
    let folder = tempfile::tempdir().unwrap();
    write_block(&folder.path().join("block.msh"));
    let wanted = ["--only", "meshes", "--meshes", "block.msh", "--pairs", "pairs.csv"];
    let text = passed(&bench_s2(folder.path(), &wanted));
    assert!(text.contains("shifted by 0.25 along x") && text.contains("tetrahedron-tetrahedron"), "{text}");
    let pairs = std::fs::read_to_string(folder.path().join("pairs.csv")).unwrap();
    let lines: Vec<(&str, Vec<u32>)> = pairs
        .lines()
        .map(|line| {
            let (what, points) = line.split_once(',').unwrap();
            (what, points.split(',').map(|point| point.parse().unwrap()).collect())
        })
        .collect();
    for (what, split) in [("edge-edge", 2), ("point-triangle", 1)] {
        let own: Vec<&Vec<u32>> = lines.iter().filter(|line| line.0 == what).map(|line| &line.1).collect();
        assert!(own.len() > 100, "{what}: {}", own.len());
        assert!(own.iter().all(|points| points[split..].iter().all(|point| !points[..split].contains(point))));
        assert!(own.iter().any(|points| points[0] < 64 && points[split] >= 64), "{what} across the two");
    }
}

#[test]
fn what_cannot_be_measured_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (&["--only", "meshes"][..], "expected --meshes FILE"),
        (&["--only", "magic"], "figure6"),
        (&["--million", "7"], "expected 1000 to 100000000 tetrahedra"),
        (&["--steps", "0"], "expected one step"),
        (&["--pairs", "pairs.csv"], "--meshes"),
        (&["-o", "s2.txt"], "expected .csv"),
        (&["--only", "meshes", "--meshes", "missing.vtu"], "missing.vtu"),
    ] {
        let output = bench_s2(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}
