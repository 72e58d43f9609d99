//! What is written reads back: the same atoms, names and copies.

use std::path::Path;

use steric_model::formats::cif::{read_bcif, read_mmcif, write_bcif, write_mmcif};
use steric_model::{Assembly, AtomRecord, Bond, Copies, Element, Name, PeriodicBox, Pose, Structure, StructureBuilder};

use super::read;

const FILES: [&str; 12] = [
    "lipids/cellpack_exosome_membrane.bcif",
    "lipids/cellpack_hiv_mature_envelope.bcif.gz",
    "mesoscale/petworld_sarscov2.bcif.gz",
    "mesoscale/exosome/exosome_membrane.cif.gz",
    "structures/1crn.cif",
    "structures/4hhb.cif.gz",
    "structures/large/1f2n.cif",
    "structures/large/1m4x.cif.gz",
    "structures/tricky/1igy.cif.gz",
    "structures/tricky/1l2y_nmr38.cif.gz",
    "structures/tricky/5ugo_dna_ligand.cif",
    "structures/tricky/difficult_quoting.cif",
];

fn through_text(structure: &Structure) -> Structure {
    let mut bytes = Vec::new();
    write_mmcif(structure, &mut bytes).unwrap();
    let parsed = read_mmcif(&bytes, Path::new("again.cif")).unwrap();
    assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
    parsed.value
}

fn through_binary(structure: &Structure) -> Structure {
    let mut bytes = Vec::new();
    write_bcif(structure, &mut bytes).unwrap();
    let parsed = read_bcif(&bytes, Path::new("again.bcif")).unwrap();
    assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
    parsed.value
}

fn assert_same_poses(path: &str, ours: &[Assembly], theirs: &[Assembly]) {
    assert_eq!(ours.len(), theirs.len(), "{path}");
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(ours.id, theirs.id, "{path}");
        assert_eq!(ours.copies.len(), theirs.copies.len(), "{path}");
        for (ours, theirs) in ours.copies.iter().zip(&theirs.copies) {
            assert_eq!((&ours.name, &ours.chains), (&theirs.name, &theirs.chains), "{path}");
            assert_eq!(ours.poses.len(), theirs.poses.len(), "{path}");
            for (ours, theirs) in ours.poses.iter().zip(&theirs.poses) {
                let turn = ours.rotation.dot(theirs.rotation).abs();
                assert!(turn > 1.0 - 1e-12 && ours.translation.abs_diff_eq(theirs.translation, 1e-9), "{path}");
            }
        }
    }
}

fn assert_same(path: &str, before: &Structure, after: &Structure) {
    assert_eq!(before.name, after.name, "{path}");
    let mut atoms = after.atoms.clone();
    if path.contains("difficult") {
        // Its atom numbers repeat, and numbers in a file may not.
        assert_eq!(atoms.serials, [1, 2, 3, 4]);
        atoms.serials.clone_from(&before.atoms.serials);
    }
    assert!(before.atoms == atoms, "{path}: every property of every atom, to the last bit");
    assert!(before.residues == after.residues, "{path}: residues");
    assert_eq!(before.chains, after.chains, "{path}");
    assert_eq!(before.models, after.models, "{path}");
    assert_eq!(before.bonds, after.bonds, "{path}");
    assert_eq!(before.space_group, after.space_group, "{path}");
    assert_eq!(before.periodic_box.is_some(), after.periodic_box.is_some(), "{path}");
    if let (Some(before), Some(after)) = (before.periodic_box, after.periodic_box) {
        assert!(before.vectors().abs_diff_eq(after.vectors(), 1e-5), "{path}");
    }
    assert_same_poses(path, &before.assemblies, &after.assemblies);
}

#[test]
fn real_files_survive_text() {
    for path in FILES {
        let Some(parsed) = read(path) else { return };
        assert_same(path, &parsed.value, &through_text(&parsed.value));
    }
}

#[test]
fn real_files_survive_binary() {
    for path in FILES {
        let Some(parsed) = read(path) else { return };
        assert_same(path, &parsed.value, &through_binary(&parsed.value));
    }
}

/// Two models with chains of the same name, odd names, and copies of a chain of the second model.
fn awkward() -> Structure {
    let mut builder = StructureBuilder::new("a name with blanks", 0);
    for model in 1..=2 {
        builder.start_model(model);
        for (number, (chain, residue)) in
            [("A", "O'B"), ("A", "_X"), ("", "?"), ("a b", "data_")].into_iter().enumerate()
        {
            builder.push(AtomRecord {
                position: glam::Vec3::new(model as f32 / 3.0, -0.0001, 1e6 + number as f32),
                element: Element::SULFUR,
                name: Name::new("S'\""),
                serial: model * 10 + number as i32,
                alternate: b'\'',
                occupancy: 0.123_456_7,
                b_factor: 1e-8,
                formal_charge: -2,
                residue_name: Name::new(residue),
                residue_number: -(number as i32),
                insertion: b'#',
                hetero: number == 2,
                chain,
                label: "",
            });
        }
    }
    let structure = builder.structure_mut();
    structure.chains[0].description = "it's \"both\" \n;and a line; ".trim_end().into();
    structure.bonds = vec![Bond { first: 0, second: 1, order: 1 }, Bond { first: 4, second: 5, order: 1 }];
    structure.periodic_box = PeriodicBox::orthogonal(glam::DVec3::new(30.0, 40.5, 1000.0 / 3.0));
    structure.space_group = "P 1".to_owned();
    let turn = glam::DQuat::from_rotation_y(1.0);
    let poses = vec![Pose { rotation: turn, translation: glam::DVec3::splat(1e5 / 7.0) }, Pose::IDENTITY];
    let second_model = Copies { name: "body".into(), chains: vec![3], poses: poses.clone() };
    let both = Copies { name: "two".into(), chains: vec![0, 3], poses };
    structure.assemblies = vec![Assembly { id: "first one".into(), copies: vec![second_model, both] }];
    builder.finish()
}

#[test]
fn odd_names_and_templates_survive_both_formats() {
    let before = awkward();
    for after in [through_text(&before), through_binary(&before)] {
        assert_eq!(after.name, before.name);
        assert_eq!(after.atoms, before.atoms);
        assert_eq!(after.residues, before.residues);
        assert_eq!(after.bonds, before.bonds);
        assert_eq!(after.models, before.models);
        let names: Vec<&str> = after.chains.iter().map(|chain| chain.name.as_str()).collect();
        assert_eq!(names, ["A", "B", "a b", "A", "D", "a b"], "a chain without a name gets its label");
        assert_eq!(after.periodic_box.unwrap().edges().round(), before.periodic_box.unwrap().edges().round());
        // A body across two models is written as one row per model: the same atoms at the same places.
        let copies = &after.assemblies[0].copies;
        assert_eq!(copies.iter().map(|copies| copies.chains.clone()).collect::<Vec<_>>(), [[3], [0], [3]]);
        assert!(copies[0].poses[0].translation.abs_diff_eq(before.assemblies[0].copies[0].poses[0].translation, 1e-9));
        assert_eq!(copies[0].name, "body");
    }
}

#[test]
fn what_the_format_cannot_hold_is_refused_before_anything_is_written() {
    let mut infinite = awkward();
    infinite.atoms.positions[3].y = f32::NAN;
    let mut turned = awkward();
    turned.periodic_box =
        PeriodicBox::new(glam::DMat3::from_diagonal(glam::DVec3::splat(30.0)) * glam::DMat3::from_rotation_z(0.3));
    let mut dangling = awkward();
    dangling.assemblies[0].copies[0].chains = vec![99];
    for structure in [Structure::default(), infinite, turned, dangling] {
        for writer in [write_mmcif, write_bcif] {
            let mut out = Vec::new();
            let error = writer(&structure, &mut out).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
            assert!(out.is_empty());
        }
    }
}
