//! Inputs of packmol: what is read, what is refused and how, and how results are numbered.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its own text has failed")]

use std::path::Path;

use glam::DVec3;
use steric_model::formats::packmol::{
    FileType, KEYWORDS, PackmolInput, Shape, Template, Treatment, read_packmol, write_crd, write_packed,
};
use steric_model::{Parsed, Pose};

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/packmol");

fn read(text: &str) -> Parsed<PackmolInput> {
    read_packmol(text.as_bytes(), "a.inp".as_ref()).unwrap()
}

fn refused(text: &str) -> String {
    read_packmol(text.as_bytes(), "a.inp".as_ref()).unwrap_err().to_string()
}

/// An input with these lines in its only structure.
fn of_structure(lines: &str) -> String {
    format!("tolerance 2.0\noutput o.pdb\nstructure w.pdb\n{lines}\nend structure\n")
}

fn template(text: &str) -> Template {
    Template::read(text.as_bytes(), "w.pdb".as_ref(), FileType::Pdb).unwrap().value
}

fn written(input: &PackmolInput, templates: &[Template], poses: &[Vec<Pose>]) -> Vec<String> {
    let mut out = Vec::new();
    write_packed(&mut out, input, templates, poses).unwrap();
    String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
}

const WATER: &str = "\
HETATM    1  O   HOH A   1       0.000   0.000   0.000  1.00  0.00           O
HETATM    2  H1  HOH A   1       0.757   0.000   0.586  1.00  0.00           H
HETATM    3  H2  HOH A   1      -0.757   0.000   0.586  1.00  0.00           H
CONECT    1    2    3
END
";
const PEPTIDE: &str = "\
ATOM      1  N   GLY B   7       0.000   0.000   0.000  1.00  0.00           N
ATOM      2  CA  GLY B   7       1.450   0.000   0.000  1.00  0.00           C
ATOM      3  N   ALA B   8       2.450   1.000   0.000  1.00  0.00           N
END
";

#[test]
fn every_input_of_the_shared_folder_is_read() {
    let Ok(entries) = std::fs::read_dir(SHARED) else {
        eprintln!("skipped: {SHARED} is not there");
        return;
    };
    let inputs =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "inp"));
    for path in inputs {
        let input = read_packmol(&std::fs::read(&path).unwrap(), &path).unwrap().value;
        assert_eq!((input.tolerance, input.seed), (2.0, 1_234_567), "{}", path.display());
        for structure in &input.structures {
            let file = Path::new(SHARED).join(&structure.file);
            let template = Template::read(&std::fs::read(&file).unwrap(), &file, input.file_type).unwrap();
            assert!(!template.value.atoms.is_empty());
            assert!(structure.fixed.is_some() || !structure.constraints.is_empty());
        }
    }
}

#[test]
fn every_shape_is_read_in_angstroms() {
    let shapes = [
        ("inside cube 1. 2. 3. 4.", Shape::Box { low: DVec3::new(1.0, 2.0, 3.0), high: DVec3::new(5.0, 6.0, 7.0) }),
        ("inside box 0 0 0 1.d1 2 3", Shape::Box { low: DVec3::ZERO, high: DVec3::new(10.0, 2.0, 3.0) }),
        ("outside sphere 0 0 1 5", Shape::Sphere { center: DVec3::Z, radius: 5.0 }),
        (
            "inside ellipsoid 0 0 0 1 2 3 10",
            Shape::Ellipsoid { center: DVec3::ZERO, semi_axes: DVec3::new(10.0, 20.0, 30.0) },
        ),
        ("inside cylinder 0 0 0 0 0 2 5 30", Shape::Cylinder { start: DVec3::ZERO, end: 30.0 * DVec3::Z, radius: 5.0 }),
        ("over plane 0 0 2 10", Shape::Plane { normal: DVec3::Z, offset: 5.0 }),
        (
            "below xygauss 1 2 3 4 5 6",
            Shape::Gauss { middle: DVec3::new(1.0, 2.0, 5.0), widths: [3.0, 4.0], height: 6.0 },
        ),
    ];
    for (line, shape) in shapes {
        let constraint = read(&of_structure(line)).value.structures[0].constraints[0].clone();
        assert_eq!(constraint.shape, shape, "{line}");
        assert_eq!(constraint.inside, line.starts_with("inside") || line.starts_with("below"), "{line}");
    }
}

#[test]
fn a_group_of_atoms_ends_where_it_says() {
    let text =
        of_structure("atoms 3 1\n inside sphere 0 0 0 5\n radius 1.5\nend atoms\n outside sphere 0 0 0 9\n radius 1.2");
    let structure = read(&text).value.structures.remove(0);
    assert_eq!(structure.constraints[0].atoms, Some(vec![2, 0]));
    assert_eq!(structure.constraints[1].atoms, None);
    assert_eq!(structure.radii, [(Some(vec![2, 0]), 1.5), (None, 1.2)]);
}

#[test]
fn an_error_names_line_columns_and_what_was_expected() {
    let errors = [
        (
            of_structure(" inside spher 0 0 0 5"),
            "a.inp:4: columns 9-13: expected a shape that atoms are inside (did you mean sphere?)",
        ),
        (
            of_structure(" inside sphere 0 0 five 5"),
            "a.inp:4: columns 20-23: expected the z of the centre in angstroms",
        ),
        (of_structure(" inside sphere 0 0 0"), "a.inp:4: columns 21-21: expected the radius in angstroms"),
        (of_structure(" number 1000000000000"), "a.inp:4: columns 9-21: expected how many molecules: 1 to 100,000,000"),
        (of_structure(" number 0"), "a.inp:4: columns 9-9: expected how many molecules"),
        (
            of_structure(" insde box 0 0 0 1 1 1"),
            "a.inp:4: columns 2-6: expected a keyword of packmol (did you mean inside?)",
        ),
        (
            of_structure(" number 3"),
            "a.inp:3: expected a constraint (inside, outside, over, above, below), fixed, or pbc",
        ),
        (of_structure(" number 2\n fixed 0 0 0 0 0 0"), "a.inp:3: expected number 1 for a fixed structure"),
        (of_structure(" atoms 1\n inside sphere 0 0 0 1"), "a.inp:3: expected \"end atoms\" for the atoms of line 4"),
        (of_structure(" chkgrad"), "a.inp:4: columns 2-8: expected an input without chkgrad: it compares"),
        (of_structure(" inside cylinder 0 0 0 0 0 0 1 1"), "a.inp:4: expected a direction that is not zero"),
        ("output o.pdb\nstructure w.pdb\n fixed 0 0 0 0 0 0\nend structure\n".into(), "a.inp:4: expected a tolerance"),
        ("tolerance 2\nnumber 3\n".into(), "a.inp:2: columns 1-6: expected \"structure\" before number"),
        ("tolerance 2\nstructure w.pdb\n".into(), "a.inp:2: expected \"end structure\" for the structure of line 2"),
        ("structure \"w.pdb\n".into(), "a.inp:1: columns 11-16: expected a quote at the end of the name"),
    ];
    for (text, start) in errors {
        let error = refused(&text);
        assert!(error.starts_with(start), "{error}\nshould start with\n{start}");
    }
}

#[test]
fn no_keyword_is_ignored_in_silence() {
    for keyword in KEYWORDS {
        let text = of_structure(&format!("fixed 0 0 0 0 0 0\n{} 1", keyword.name));
        let result = read_packmol(text.as_bytes(), "a.inp".as_ref());
        match keyword.treatment {
            Treatment::Accepted(_) => {
                let told = result.unwrap().warnings.first;
                assert!(told.iter().any(|warning| warning.message.contains("changes nothing")), "{}", keyword.name);
            }
            Treatment::Refused(_) => assert!(result.unwrap_err().to_string().contains("without"), "{}", keyword.name),
            Treatment::Honoured => {}
        }
    }
}

#[test]
fn molecules_stand_in_the_order_and_with_the_numbers_of_packmol() {
    let text = "tolerance 2\noutput o.pdb\nadd_amber_ter\npbc 30 40 50\nstructure w.pdb\n number 2\nend structure\n\
        structure p.pdb\n fixed 5 5 5 0 0 0\nend structure\nstructure p.pdb\n number 2\n resnumbers 2\nend structure\n\
        structure w.pdb\n number 2\n changechains\n resnumbers 3\nend structure\n";
    let templates = [WATER, PEPTIDE, PEPTIDE, WATER].map(template);
    let pose = Pose::from_translation(DVec3::new(1.0, 2.0, 3.0));
    let lines = written(&read(text).value, &templates, &[vec![pose; 2], vec![pose], vec![pose; 2], vec![pose; 2]]);
    assert_eq!(lines[5], "CRYST1    30.00    40.00    50.00  90.00  90.00  90.00 P 1           1");
    assert_eq!(lines[6], "HETATM    1  O   HOH A   1       1.000   2.000   3.000  1.00  0.00           O  ");
    assert_eq!(lines[9], "TER");
    let named: Vec<&str> = lines
        .iter()
        .filter(|line| line.contains(" O   HOH") || line.contains(" CA ") || line.contains("ALA"))
        .map(|line| &line[6..26])
        .collect();
    assert_eq!(
        named,
        [
            "    1  O   HOH A   1",
            "    4  O   HOH A   2",
            // A fixed structure keeps its chain, and more than one residue keep their numbers.
            "    8  CA  GLY B   7",
            "    9  N   ALA B   8",
            // Two residues each, counted on behind the two waters and the two residues of the fixed one.
            "   11  CA  GLY B   5",
            "   12  N   ALA B   6",
            "   14  CA  GLY B   7",
            "   15  N   ALA B   8",
            "   16  O   HOH C   6",
            "   19  O   HOH D   7",
        ]
    );
    let bonds: Vec<&String> = lines.iter().filter(|line| line.starts_with("CONECT")).collect();
    assert_eq!(
        bonds,
        ["CONECT    1    2    3", "CONECT    4    5    6", "CONECT   16   17   18", "CONECT   19   20   21"]
    );
    assert_eq!(lines.last().unwrap(), "END");
}

#[test]
fn residues_begin_again_behind_9999_and_serials_go_on_in_base_sixteen() {
    let input = read(&of_structure(" number 40000\n inside cube 0 0 0 999")).value;
    let lines = written(&input, &[template(WATER)], &[vec![Pose::IDENTITY; 40_000]]);
    let water = |number: usize| &lines[5 + 3 * (number - 1)][6..26];
    assert_eq!(water(9_999), "29995  O   HOH A9999");
    assert_eq!(water(10_000), "29998  O   HOH B   1");
    assert_eq!(water(33_334), "186A0  O   HOH D3337");
    let coordinate = Pose::from_translation(DVec3::X * 1e5);
    assert!(write_packed(&mut Vec::new(), &input, &[template(WATER)], &[vec![coordinate]]).is_err());
}

#[test]
fn a_tinker_file_counts_its_bonds_on() {
    let text = "2 carbon monoxide\n 1 C 0.0 0.0 0.0 70 2\n 2 O 1.128 0.0 0.0 71 1\n";
    let template = Template::read(text.as_bytes(), "co.txyz".as_ref(), FileType::Tinker).unwrap().value;
    let input =
        read("tolerance 2\nfiletype tinker\nstructure co.txyz\n number 2\n inside cube 0 0 0 9\nend structure\n").value;
    let lines = written(&input, &[template], &[vec![Pose::IDENTITY; 2]]);
    assert_eq!(lines[4], "      4  O      1.128000    0.000000    0.000000       71        3");
}

#[test]
fn a_charmm_file_has_segments() {
    let input = read(&of_structure(" number 1\n segid WAT\n inside cube 0 0 0 9")).value;
    let mut out = Vec::new();
    write_crd(&mut out, &input, &[template(WATER)], &[vec![Pose::IDENTITY]]).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.lines().nth(5).unwrap().starts_with("         3  EXT"));
    assert!(text.lines().nth(6).unwrap().contains("HOH       O               0.0000000000"));
    assert!(text.lines().nth(6).unwrap().contains("  WAT       1       "));
}

#[test]
fn a_template_without_atoms_is_refused() {
    let error = Template::read(b"HEADER\nEND\n", "w.pdb".as_ref(), FileType::Pdb).unwrap_err();
    assert_eq!(error.to_string(), "w.pdb: expected ATOM or HETATM records, found \"none\"");
    let error = Template::read(b"3\nwater\nO 0 0 0\n", "w.xyz".as_ref(), FileType::Xyz).unwrap_err();
    assert!(error.to_string().starts_with("w.xyz:4: expected one of the 3 atoms that line 1 promises"), "{error}");
}

#[test]
fn what_another_file_type_or_a_fixed_pose_makes_pointless_is_told() {
    let told =
        |text: &str| -> Vec<String> { read(text).warnings.first.iter().map(|warning| warning.to_string()).collect() };
    let lines = " number 2\n chain X\n resnumbers 2\n inside sphere 0. 0. 0. 9.";
    assert_eq!(told(&of_structure(lines)), [""; 0]);
    let xyz = told(&format!("{}filetype xyz\nwritecrd o.crd\n", of_structure(lines)));
    for (keyword, place) in [("chain", "line 5:"), ("resnumbers", "line 6:"), ("writecrd", "line 10:")] {
        let is_told = |warning: &&String| warning.contains(&format!("{keyword} changes nothing: only PDB files"));
        let warning = xyz.iter().find(is_told).unwrap_or_else(|| panic!("{keyword}: {xyz:?}"));
        assert!(warning.starts_with(place), "{warning}");
    }
    let fixed = told(&of_structure(" number 1\n fixed 0. 0. 0. 0. 0. 0.\n constrain_rotation x 0. 10."));
    assert!(fixed.iter().any(|warning| warning.contains("constrain_rotation changes nothing")), "{fixed:?}");
}
