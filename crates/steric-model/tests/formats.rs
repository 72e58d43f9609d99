//! Choosing a format, compression, whole files or none, and packed scenes.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input has failed")]

mod common;

use std::io::Write;
use std::path::Path;

use common::{content, data, walk};
use flate2::Compression;
use flate2::write::GzEncoder;
use glam::DVec3;
use proptest::prelude::*;
use steric_model::formats::cellpack::{TemplateFolders, read_cellpack};
use steric_model::formats::{Format, read, read_bytes, write, write_bytes};
use steric_model::{Element, Pose, Structure, WriteError};

const WATER: &[u8] = b"3\nwater\nO 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn water() -> Structure {
    read_bytes(WATER, Path::new("water.xyz"), None).unwrap().value
}

#[test]
fn every_file_shows_its_format_without_its_ending() {
    let Some(data) = data() else { return };
    let (mut recognised, mut wrong) = (0, Vec::new());
    // One compressed file is cut off on purpose.
    for file in walk(&data).into_iter().filter(|file| !file.ends_with("4hhb_truncated.pdb.gz")) {
        let name = file.strip_prefix(&data).unwrap().display().to_string();
        // JSON is also the language of recipes and manifests; only packed scenes are molecules.
        let is_other_json = Format::from_path(&file) == Some(Format::CellPack)
            && !name.starts_with("mesoscale/results/")
            && !name.ends_with("manifest.json")
            && !name.starts_with("mesoscale/simularium");
        let expected = Format::from_path(&file).filter(|_| !is_other_json);
        let bytes = content(&file);
        if bytes.trim_ascii().is_empty() {
            continue; // nothing to tell a format by
        }
        let found = Format::sniff(&bytes);
        if found != expected {
            wrong.push(format!("{name}: {found:?} instead of {expected:?}"));
        }
        recognised += usize::from(expected.is_some());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(recognised > 160, "only {recognised} molecule files");
}

#[test]
fn content_wins_over_the_ending_and_the_ending_decides_where_content_is_silent() {
    let structure = read_bytes(WATER, Path::new("misnamed.pdb"), None).unwrap().value;
    assert_eq!(structure.atoms.len(), 3);
    // Two atoms without a third line: not certain, but the ending says how to read it, and why it fails.
    let error = read_bytes(b"2\nshort", Path::new("short.xyz"), None).unwrap_err().to_string();
    assert!(error.starts_with("short.xyz:3: expected one of the 2 atoms"), "{error}");
    let error = read_bytes(b"once upon a time\n", Path::new("tale.txt"), None).unwrap_err().to_string();
    assert!(error.starts_with("tale.txt: expected a molecule file (PDB, PDBQT, mmCIF,"), "{error}");
    assert!(error.ends_with("found \"once upon a time\""), "{error}");
    // A format given by the caller is not questioned.
    assert!(read_bytes(WATER, Path::new("water.xyz"), Some(Format::Mol2)).is_err());
}

#[test]
fn endings_name_formats_in_any_case() {
    let cases = [
        ("a.PDB", Format::Pdb),
        ("pdb1crn.ent.gz", Format::Pdb),
        ("a.mmcif", Format::Mmcif),
        ("a.bcif.GZ", Format::Bcif),
        ("a.mol", Format::Sdf),
        ("HIV.cpr.gz", Format::CellPack),
    ];
    for (name, format) in cases {
        assert_eq!(Format::from_path(name), Some(format), "{name}");
    }
    for name in ["", "pdb", "a.gz", "a.pdb.zip", "folder.pdb/"] {
        assert_eq!(Format::from_path(name).filter(|_| name != "folder.pdb/"), None, "{name}");
    }
    for format in Format::ALL {
        assert_eq!(Format::from_path(format!("x.{}", format.extensions()[0])), Some(format));
    }
}

#[test]
fn missing_files_folders_and_empty_files_are_said_plainly() {
    let folder = tempfile::tempdir().unwrap();
    let missing = read(&folder.path().join("no.pdb")).unwrap_err().to_string();
    assert!(missing.contains("no.pdb") && missing.contains("No such file"), "{missing}");
    let is_folder = read(folder.path()).unwrap_err().to_string();
    assert!(is_folder.contains("is a folder"), "{is_folder}");
    for bytes in [&b""[..], b" \n\n", &gzip(b"")] {
        let empty = folder.path().join("empty.pdb");
        std::fs::write(&empty, bytes).unwrap();
        let empty = read(&empty).unwrap_err().to_string();
        assert!(empty.contains("found \"an empty file\""), "{empty}");
    }
}

#[test]
fn gzip_is_known_by_its_content_in_one_member_or_several() {
    let (first, second) = WATER.split_at(20);
    for packed in [gzip(WATER), [gzip(first), gzip(second)].concat()] {
        let structure = read_bytes(&packed, Path::new("water.xyz"), None).unwrap().value;
        assert_eq!(structure, water());
    }
    let mut trailing = gzip(WATER);
    trailing.extend(b"rubbish");
    assert_eq!(read_bytes(&trailing, Path::new("water.xyz"), None).unwrap().warnings.total, 1);
    let packed = gzip(WATER);
    assert!(read_bytes(&packed[..packed.len() - 9], Path::new("water.xyz"), None).is_err());
}

#[test]
fn a_cut_off_gzip_file_is_an_error_and_not_half_a_molecule() {
    let Some(data) = data() else { return };
    let error = read(&data.join("structures/tricky/4hhb_truncated.pdb.gz")).unwrap_err().to_string();
    assert!(
        error.ends_with("4hhb_truncated.pdb.gz: the compressed data end too early; the file was cut off"),
        "{error}"
    );
}

#[test]
fn a_gzip_bomb_is_refused() {
    // Blanks shrink about a thousand times: 160 MiB of them stand in 170 kB, which may hold 34 MB beyond the 64 MiB.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..160 {
        encoder.write_all(&blanks).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    let error = read_bytes(&bomb, Path::new("bomb.pdb.gz"), None).unwrap_err().to_string();
    assert!(error.contains("which no molecule file does"), "{error}");
}

#[test]
fn every_written_format_reads_back_the_same_atoms() {
    let Some(data) = data() else { return };
    let crambin = read(&data.join("structures/1crn.pdb")).unwrap().value;
    let folder = tempfile::tempdir().unwrap();
    for format in Format::ALL.into_iter().filter(|format| format.is_written()) {
        for ending in ["", ".gz"] {
            let path = folder.path().join(format!("1crn.{}{ending}", format.extensions()[0]));
            write(&path, &crambin).unwrap();
            assert_eq!(ending == ".gz", std::fs::read(&path).unwrap().starts_with(&[0x1f, 0x8b]));
            let again = read(&path).unwrap().value;
            assert_eq!(again.atoms.elements, crambin.atoms.elements, "{format:?}");
            let pairs = again.atoms.positions.iter().zip(&crambin.atoms.positions);
            assert!(pairs.fold(0f32, |worst, (a, b)| worst.max(a.distance(*b))) < 0.01, "{format:?}");
        }
    }
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("water.gro");
    write(&path, &water()).unwrap();
    let before = std::fs::read(&path).unwrap();
    let mut far = water();
    far.atoms.positions[2].x = 1e9;
    let error = write(&path, &far).unwrap_err();
    assert!(matches!(error, WriteError::Unrepresentable(_)), "{error}");
    assert!(error.to_string().contains("water.gro: GRO columns cannot hold"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn what_cannot_be_written_is_said_plainly() {
    let folder = tempfile::tempdir().unwrap();
    let error = |name: &str| write(&folder.path().join(name), &water()).unwrap_err().to_string();
    assert!(error("water.txt").contains("use one of .pdb, .cif"));
    assert!(error("water.mol2").contains("read but not written"));
    assert!(error("nowhere/water.gro").contains("No such file"));
    assert!(write_bytes(Format::Sdf, &water(), &mut Vec::new()).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

fn copies(scene: &Structure) -> usize {
    scene.assemblies[0].copies.iter().map(|copies| copies.poses.len()).sum()
}

// Least and largest radius of an ingredient's atoms, over all copies, in angstroms.
fn radii(scene: &Structure, name: &str) -> (f64, f64) {
    let copies = scene.assemblies[0].copies.iter().find(|copies| copies.name.ends_with(name)).unwrap();
    let belongs = |atom: &usize| copies.chains.contains(&scene.residues[scene.atoms.residues[*atom] as usize].chain);
    let atoms: Vec<DVec3> =
        (0..scene.atoms.len()).filter(belongs).map(|atom| scene.atoms.positions[atom].as_dvec3()).collect();
    let radii = copies.poses.iter().flat_map(|pose| atoms.iter().map(|atom| (*pose * *atom).length()));
    radii.fold((f64::MAX, 0.0), |(least, most), radius| (least.min(radius), f64::max(most, radius)))
}

#[test]
fn the_mature_hiv_model_has_its_copies_and_its_nine_million_atoms() {
    let Some(data) = data() else { return };
    let parsed = read(&data.join("mesoscale/results/HIV_mature_model.json.gz")).unwrap();
    let virus = parsed.value;
    // 14,386 placed, less 2 x 1,150 of 1F6U, for which there is no file.
    assert_eq!(copies(&virus), 14_386 - 2 * 1_150);
    let missing = parsed.warnings.first.iter().filter(|warning| warning.message.contains("no file for 1f6u"));
    assert_eq!(missing.count(), 2);
    // Counted with gemmi: heavy atoms without waters, biological units where the scene asks for them.
    let heavy = |chains: &[u32]| {
        let counts = |atom: &usize| {
            let chain = virus.residues[virus.atoms.residues[*atom] as usize].chain;
            virus.atoms.elements[*atom] != Element::HYDROGEN && chains.contains(&chain)
        };
        (0..virus.atoms.len()).filter(counts).count()
    };
    let all = virus.assemblies[0].copies.iter().map(|copies| heavy(&copies.chains) * copies.poses.len());
    assert_eq!(all.sum::<usize>(), 8_941_776);
    assert!(virus.atoms.len() < 100_000, "templates only, {} atoms", virus.atoms.len());
}

#[test]
fn the_proteins_of_the_hiv_model_stand_on_their_side_of_the_membrane() {
    let Some(data) = data() else { return };
    let virus = read(&data.join("mesoscale/results/HIV_mature_model.json.gz")).unwrap().value;
    // The membrane's surface has a radius of 748 Å in this model and 725 Å in the older one.
    let (least, most) = radii(&virus, "HIV1_ENV_4nco_0_1_1");
    assert!(least > 748.0 && most < 900.0, "spikes stand outside: {least} to {most}");
    let (least, most) = radii(&virus, "HIV1_MA_Hyb_0_1_0");
    assert!(least > 640.0 && most < 752.0, "the matrix lines the inside: {least} to {most}");
    let older = read(&data.join("mesoscale/results/HIV-1_0.1.6-8_mixed_radii_pdb.json")).unwrap().value;
    let (least, most) = radii(&older, "HIV1_ENV_4nco_0_1_1");
    assert!(least > 725.0 && most < 880.0, "spikes stand outside: {least} to {most}");
    let (least, most) = radii(&older, "HIV1_MA_Hyb_0_1_0");
    assert!(least > 620.0 && most < 735.0, "the matrix lines the inside: {least} to {most}");
    // 11,681 placed, less 401 of 1F6U.
    assert_eq!(copies(&older), 11_681 - 401);
}

#[test]
fn the_capsid_of_the_hiv_model_agrees_with_the_operators_of_its_pdb_entry() {
    let Some(data) = data() else { return };
    let virus = read(&data.join("mesoscale/results/HIV_mature_model.json.gz")).unwrap().value;
    let capsid = virus.assemblies[0].copies.iter().find(|copies| copies.name.ends_with("HIVCapside")).unwrap();
    let entry = read(&data.join("mesoscale/hiv_ingredients/3j3q_1vu4_A_biomt.pdb.gz")).unwrap().value;
    let operators: Vec<Pose> = entry.assemblies[0].copies.iter().flat_map(|copies| copies.poses.clone()).collect();
    assert_eq!((capsid.poses.len(), operators.len()), (1_356, 1_356));
    // The scene is the entry, shifted as a whole.
    let entry_from_world = operators[0] * capsid.poses[0].inverse();
    let probe = DVec3::new(400.0, 1000.0, 390.0);
    for (pose, operator) in capsid.poses.iter().zip(&operators) {
        let apart = (entry_from_world * *pose * probe).distance(*operator * probe);
        assert!(apart < 0.05, "{apart} Å apart");
    }
}

#[test]
fn scenes_without_any_structure_file_say_which_one_they_miss() {
    let Some(data) = data() else { return };
    for (scene, missing) in [("results/BloodPlasma1.0.apr.json", "no structure"), ("results/ExosomeModel.json", "")] {
        let error = read(&data.join("mesoscale").join(scene)).map(|parsed| copies(&parsed.value));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("the structure file of at least one ingredient") && error.contains(missing), "{error}");
    }
    let blood = read(&data.join("mesoscale/results/BloodHIV1.0_mixed_fixed_nc1.cpr.gz")).unwrap();
    assert!(copies(&blood.value) > 9_000 && blood.warnings.total > 10);
}

const SCENE: &str = r#"{"recipe": {"name": "tiny"}, "cytoplasme": {"ingredients": {
    "dimer": {"name": "dimer", "source": {"pdb": "Water.pdb", "center": false}, "nbCurve": 0,
              "principalAxis": [0, 0, 1], "offset": [0, 0, 5],
              "results": [[[10, 0, 0], [0, 0, 0, 1]], [[0, 20, 0], [1, 0, 0, 0], 7]]},
    "lost": {"source": {"pdb": "../secret"}, "results": [[[0, 0, 0], [1, 0, 0, 0]]]},
    "old": {"source": {"pdb": "water", "transform": {"center": true, "translate": [0, 0, 1]}},
            "results": [[[1, 2, 3], [1, 0, 0, 0]], [[1, 2, 3], [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]], [[0,0,0],[0,0,0,0]]]}}}}"#;

#[test]
fn a_tiny_scene_is_placed_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("ingredients")).unwrap();
    write(&folder.path().join("ingredients/WATER.xyz"), &water()).unwrap();
    let path = folder.path().join("tiny.json");
    std::fs::write(&path, SCENE).unwrap();
    let parsed = read(&path).unwrap();
    let scene = parsed.value;
    let names: Vec<_> = scene.assemblies[0].copies.iter().map(|copies| copies.name.as_str()).collect();
    assert_eq!(names, ["cytoplasm/dimer", "cytoplasm/old"]);
    assert_eq!(parsed.warnings.total, 2, "a missing file and a rotation of length 0: {:?}", parsed.warnings);
    // The template as it is and the centred one.
    assert_eq!((scene.models.len(), scene.atoms.len()), (2, 6));
    let expanded = scene.expand(&scene.assemblies[0], 100).unwrap();
    let oxygens: Vec<_> = expanded.atoms.positions.iter().step_by(3).copied().collect();
    let expected = [(10.0, 0.0, 5.1173), (0.0, 20.0, -5.1173), (1.0, 2.0, 4.0), (1.0, 2.0, 4.0)];
    for (oxygen, (x, y, z)) in oxygens.iter().zip(expected) {
        assert!(oxygen.as_dvec3().distance(DVec3::new(x, y, z)) < 1e-4, "{oxygen}");
    }
    assert!(scene.expand(&scene.assemblies[0], 11).is_err());
}

#[test]
fn broken_scenes_point_at_their_place() {
    let error = |text: &str| read_cellpack(text.as_bytes(), Path::new("s.json"), &|_| None).unwrap_err().to_string();
    assert!(
        error("{\n\"compartments\": [}").starts_with("s.json:2: columns 16-16"),
        "{}",
        error("{\n\"compartments\": [}")
    );
    assert!(error("{}").contains("no placed copy"));
    assert!(error(SCENE).ends_with("found \"Water.pdb\""), "{}", error(SCENE));
    let deep = "[".repeat(100_000);
    assert!(error(&deep).contains("recursion") || error(&deep).contains("invalid type"));
}

#[test]
fn templates_are_found_in_any_case_and_never_outside_their_folders() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("1Abc_x.xyz.gz"), &water()).unwrap();
    let folders = TemplateFolders::new([folder.path()]);
    for name in ["1abc_x", "1ABC_X.pdb", "1abc_x.cif.gz", "elsewhere/1abc_x"] {
        assert!(folders.find(name).is_some(), "{name}");
    }
    for name in ["", "1abc", "..", "/", "1abc_x.pdb/.."] {
        assert!(folders.find(name).is_none(), "{name}");
    }
}

#[test]
fn a_manifest_of_the_mesoscale_explorer_places_every_instance() {
    let Some(data) = data() else { return };
    let parsed = read(&data.join("mesoscale/exosome/manifest.json")).unwrap();
    let scene = parsed.value;
    let json: serde_json::Value =
        serde_json::from_slice(&content(&data.join("mesoscale/exosome/manifest.json"))).unwrap();
    let entities = json["entities"].as_array().unwrap();
    let count =
        |entity: &serde_json::Value| entity["instances"]["positions"]["data"].as_array().map_or(1, |all| all.len() / 3);
    let is_left_out = |warning: &&steric_model::Warning| warning.message.contains(": no file ");
    let left_out = parsed.warnings.first.iter().filter(is_left_out).count();
    assert_eq!(scene.assemblies[0].copies.len() + left_out, entities.len());
    assert_eq!(scene.assemblies[0].copies[0].name, "exosome/surface/proteins/HLAII");
    assert_eq!(scene.assemblies[0].copies[0].poses.len(), count(&entities[0]));
    assert!(copies(&scene) > 1_000, "{:?}", parsed.warnings);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_read_or_refused_without_panic(
        mut bytes in prop::collection::vec(any::<u8>(), 0..300),
        start in prop::sample::select(vec![&b""[..], b"\x1f\x8b\x08", b"data_", b"ATOM  ", b"{\"results\"", b"2\n\nC 0"]),
    ) {
        bytes.splice(0..0, start.iter().copied());
        let _ = read_bytes(&bytes, Path::new("any"), None);
        for format in Format::ALL {
            let _ = read_bytes(&bytes, Path::new("any"), Some(format));
        }
    }

    #[test]
    fn mutated_scenes_never_panic(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = SCENE.as_bytes().to_vec();
        for (place, byte) in edits {
            let at = place.index(bytes.len());
            bytes[at] = b"0123456789-.e[]{}\", "[usize::from(byte) % 20];
        }
        let _ = read_cellpack(&bytes, Path::new("s.json"), &|_| None);
    }
}
