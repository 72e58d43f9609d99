//! What we write opens in the programs of the field: gemmi, biotite and MDAnalysis read the same atoms back.
//!
//! How it works: `STERIC_PYTHON` names a Python that has them (`cargo xtask test` makes one). Each file is opened by the
//! reader that its users would take, and names and coordinates are compared. Without that Python the test is skipped.
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use std::path::Path;
use std::process::Command;
use steric_model::formats::{Format, read_bytes, write};

/// Prints one line per atom: its name and its coordinates in angstroms.
const SCRIPT: &str = r#"
import sys
path = sys.argv[1]
if path.endswith((".pdb", ".cif")):
    import gemmi
    structure = gemmi.read_structure(path)
    atoms = [(site.atom.name, *site.atom.pos.tolist()) for site in structure[0].all()]
elif path.endswith(".bcif"):
    import biotite.structure.io.pdbx as pdbx
    array = pdbx.get_structure(pdbx.BinaryCIFFile.read(path), model=1, altloc="all")
    atoms = [(atom.atom_name, *atom.coord) for atom in array]
else:
    import MDAnalysis
    universe = MDAnalysis.Universe(path)
    atoms = [(atom.name, *atom.position) for atom in universe.atoms]
for atom in atoms:
    print(*atom)
"#;

/// Two waters with a triclinic box; GROMACS writes nanometres with three decimals.
const WATERS: &str = "\
Two waters
    6
    1SOL     OW    1   0.126   1.624   1.679
    1SOL    HW1    2   0.190   1.661   1.747
    1SOL    HW2    3   0.177   1.568   1.613
    2SOL     OW    4   1.275   0.053  -0.622
    2SOL    HW1    5   1.337   0.002  -0.680
    2SOL    HW2    6   1.326   0.120  -0.568
   1.82060   1.82060   1.82060   0.00000   0.00000   0.00000   0.00000   0.91030   0.91030
";
const NAMES: [&str; 6] = ["OW", "HW1", "HW2", "OW", "HW1", "HW2"];
const POSITIONS: [[f32; 3]; 6] = [
    [1.26, 16.24, 16.79],
    [1.90, 16.61, 17.47],
    [1.77, 15.68, 16.13],
    [12.75, 0.53, -6.22],
    [13.37, 0.02, -6.80],
    [13.26, 1.20, -5.68],
];

#[test]
fn other_programs_read_the_atoms_that_we_write() {
    let Some(python) = std::env::var_os("STERIC_PYTHON") else {
        println!("skipped: STERIC_PYTHON names no Python with gemmi, biotite and MDAnalysis");
        return;
    };
    let waters = read_bytes(WATERS.as_bytes(), Path::new("waters.gro"), Some(Format::Gro)).expect("two waters").value;
    let folder = tempfile::tempdir().expect("a folder");
    for format in Format::ALL.into_iter().filter(|format| format.is_written()) {
        let file = folder.path().join(format!("waters.{}", format.extensions()[0]));
        write(&file, &waters).unwrap_or_else(|error| panic!("{}: {error}", format.name()));
        let output = Command::new(&python).args(["-W", "ignore", "-c", SCRIPT]).arg(&file).output().expect("Python");
        assert!(output.status.success(), "{}: {}", format.name(), String::from_utf8_lossy(&output.stderr));
        compare(format, &String::from_utf8_lossy(&output.stdout));
    }
}

fn compare(format: Format, lines: &str) {
    assert_eq!(lines.lines().count(), NAMES.len(), "{}: atoms", format.name());
    for ((line, name), position) in lines.lines().zip(NAMES).zip(POSITIONS) {
        let words: Vec<&str> = line.split_whitespace().collect();
        // XYZ has symbols, where the other formats have names.
        let expected = if format == Format::Xyz { &name[..1] } else { name };
        assert_eq!(words[0], expected, "{}: {line}", format.name());
        for (word, coordinate) in words[1..].iter().zip(position) {
            let read: f32 = word.parse().expect("a number");
            assert!((read - coordinate).abs() < 0.006, "{}: {line}: expected {coordinate}", format.name());
        }
    }
}
