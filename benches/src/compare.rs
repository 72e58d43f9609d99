//! Steric and its peers on the same exported scenes in the same run.
//!
//! The scenes are exported once by `steric build`, steric and the peers read the same files, and every program must
//! report the same number of pairs: a fast wrong answer is an error here, not a result.

use crate::row::{Row, set_ratios, write_csv};
use crate::{Setup, output_of};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates and Python packages that count overlaps between different molecules.
const CRATES: [&str; 3] = ["zelll", "kiddo", "parry3d"];
const PACKAGES: [&str; 4] = ["warp", "scipy", "mdanalysis", "vesin"];

/// How many times faster steric has to be: scene, atoms, peer, then what steric does meanwhile on how many threads.
const GOALS: [(&str, u64, &str, &str, u64, f64); 3] = [
    ("rods", 1_000_000, "zelll", "count", 1, 15.0),
    ("rods", 1_000_000, "warp", "count", 1, 12.0),
    ("rods", 4_000_000, "scipy", "force", 2, 30.0),
];

/// Runs everything, prints the ratios and writes `neighbours.csv`.
pub(crate) fn compare(setup: &Setup) -> Result<(), String> {
    let mut rows = Vec::new();
    for (scene, atoms, packages) in scenes(setup) {
        let file = export(setup, scene, atoms)?;
        rows.extend(steric(setup, scene, &file)?);
        rows.extend(peers(setup, scene, &file, &packages)?);
    }
    set_ratios(&mut rows);
    print(&rows);
    write_csv("neighbours", &rows)?;
    same_pairs(&rows)
}

/// The scenes and the peers that run on them; a scene of 4 M atoms is only for the goal that names it.
fn scenes(setup: &Setup) -> Vec<(&'static str, u64, Vec<&'static str>)> {
    let everyone = [CRATES.as_slice(), PACKAGES.as_slice()].concat();
    match setup.atoms {
        Some(atoms) => vec![("rods", atoms, everyone.clone()), ("solution", atoms, everyone)],
        None => vec![
            ("rods", 1_000_000, everyone.clone()),
            ("solution", 1_000_000, everyone.clone()),
            ("mixed", 200_000, everyone),
            ("rods", 4_000_000, vec!["scipy"]),
        ],
    }
}

fn export(setup: &Setup, scene: &str, atoms: u64) -> Result<PathBuf, String> {
    let file = setup.scenes.join(format!("{scene}-{atoms}.npz"));
    std::fs::create_dir_all(&setup.scenes).map_err(|error| format!("{}: {error}", setup.scenes.display()))?;
    let mut build = Command::new(&setup.steric);
    output_of(build.args(["build", scene, "--atoms", &atoms.to_string(), "-o"]).arg(&file))?;
    Ok(file)
}

fn steric(setup: &Setup, scene: &str, file: &Path) -> Result<Vec<Row>, String> {
    println!("steric on {}", file.display());
    let repeats = setup.repeats.unwrap_or(9).to_string();
    let mut bench = Command::new(&setup.steric);
    bench.args(["bench", "neighbours", "--json", "--threads", "1,2", "--repeats", &repeats, "--scene"]).arg(file);
    Row::from_steric(&output_of(&mut bench)?, Some(scene))
}

fn peers(setup: &Setup, scene: &str, file: &Path, wanted: &[&str]) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for &peer in wanted {
        let Some(mut command) = command(setup, peer) else { continue };
        println!("{peer} on {}", file.display());
        let text = output_of(command.arg(peer).arg(file).arg(setup.repeats.unwrap_or(5).to_string()))?;
        // warp greets on stdout before the row.
        let json = text.lines().rev().find(|line| line.starts_with('{')).ok_or(format!("{peer}: printed no row"))?;
        let value = serde_json::from_str(json).map_err(|error| format!("{peer}: {error}"))?;
        rows.push(Row::from_json(&value, scene)?);
    }
    Ok(rows)
}

fn command(setup: &Setup, peer: &str) -> Option<Command> {
    if CRATES.contains(&peer) {
        return setup.peers.as_ref().map(Command::new);
    }
    let mut python = Command::new(setup.python.as_ref()?);
    python.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/peers/peers.py"));
    Some(python)
}

fn print(rows: &[Row]) {
    println!("{:10}{:>10} {:12}{:7}{:>8}{:>12}{:>10}", "scene", "atoms", "program", "what", "threads", "ms", "ratio");
    for Row { scene, atoms, program, what, threads, median_ms, ratio, .. } in rows {
        println!("{scene:10}{atoms:>10} {program:12}{what:7}{threads:>8}{median_ms:>12.2}{ratio:>10.2}");
    }
    for (scene, atoms, peer, what, threads, goal) in GOALS {
        let find = |program: &str, what: &str, threads: u64| {
            let wanted = (scene, atoms, program, what, threads);
            rows.iter().find(|row| (&*row.scene, row.atoms, &*row.program, &*row.what, row.threads) == wanted)
        };
        if let (Some(peer_row), Some(ours)) = (find(peer, "count", 1), find("steric", what, threads)) {
            let times = peer_row.median_ms / ours.median_ms;
            let verdict = if times >= goal { "met" } else { "MISSED" };
            println!("{verdict}: {scene} {atoms} atoms, {what} on {threads} threads: {times:.1}x {peer}, goal {goal}x");
        }
    }
}

fn same_pairs(rows: &[Row]) -> Result<(), String> {
    for row in rows {
        let same_scene = |other: &&Row| (&other.scene, other.atoms) == (&row.scene, row.atoms);
        let first = rows.iter().find(same_scene).map_or(row.pairs, |first| first.pairs);
        // Off the lattice a pair on the very threshold may fall on either side, by rounding.
        let rounding = if row.scene == "rods" { 0 } else { first / 100_000 };
        if row.pairs.abs_diff(first) > rounding {
            return Err(format!("{} {}: {} finds {} pairs, not {first}", row.scene, row.atoms, row.program, row.pairs));
        }
    }
    Ok(())
}
