//! Scene files of soft bodies: ready scenes, real meshes, what is refused, what is written.

use std::path::Path;

use steric::deform::{DeformReport, DeformScene, Frames};

fn ready(name: &str) -> DeformScene {
    let text = scenes::deformation(name).expect("it is ready");
    DeformScene::read(text, name.as_ref()).expect("a scene")
}

#[test]
fn ready_scenes_begin_apart_and_have_the_sizes_of_the_founding_study() {
    // Points, tetrahedra, and how far ours may be from them.
    for (name, points, tetrahedra, off) in
        [("stack", 4_840, 10_000, 0.0), ("socket", 3_167, 9_819, 0.1), ("skin", 8_293, 23_225, 0.25)]
    {
        let run = ready(name).start(Path::new(""), None).expect("bodies");
        let off_by = |found: usize, asked: usize| (found as f64 / asked as f64 - 1.0).abs();
        assert!(off_by(run.world.body.positions.len(), points) <= off, "{name}");
        assert!(off_by(run.world.body.tetrahedra().len(), tetrahedra) <= off, "{name}");
        let overlaps = run.world.overlaps();
        assert!(overlaps.found.is_empty() && overlaps.lost == 0 && overlaps.crossed.is_empty(), "{name}");
    }
}

#[test]
fn ready_scenes_stay_clean_for_some_steps() {
    for name in ["stack", "socket", "skin"] {
        let mut run = ready(name).start(Path::new(""), None).expect("bodies");
        let mut report = DeformReport::new(name);
        (0..20).for_each(|_| report.note(&run.step()));
        report.finish(&run);
        assert!(report.overlapping == 0 && report.is_finite(), "{name}: {report}");
    }
}

#[test]
fn a_seed_moves_copies_and_the_same_seed_does_not() {
    let places = |seed| ready("stack").start(Path::new(""), seed).expect("bodies").world.body.positions;
    assert_eq!(places(Some(3)), places(Some(3)));
    assert_ne!(places(Some(3)), places(Some(4)));
}

#[test]
fn what_cannot_be_is_refused_with_its_line() {
    let body = "[[body]]\nball = { radius = 0.1, cells = 4 }\n";
    let material = |line: &str| {
        format!(
            "[[material]]\nname = \"m\"\n{line}\n[[body]]\nmaterial = \"m\"\nball = {{ radius = 0.1, cells = 2 }}\n"
        )
    };
    for (text, expected) in [
        (String::new(), "at least one [[body]]"),
        (format!("step = -1.0\n{body}"), "s.toml:1: expected a step above 0"),
        (format!("gravity = [nan, 0.0, 0.0]\n{body}"), "three finite numbers"),
        (format!("colour = 1\n{body}"), "unknown field"),
        (format!("{body}copies = 0\n"), "from 1 to 100000 copies"),
        (format!("{body}file = \"a.msh\"\n"), "one of block, ball, bowl, arch or file"),
        (body.replace("cells = 4", "cells = 100000"), "at least one cell along each axis"),
        (material("young = -5.0"), "Young's modulus above 0"),
        (material("young = inf"), "Young's modulus above 0"),
        (material("poisson = 0.5"), "below 0.5"),
        (material("density = 0.0"), "density above 0"),
        (format!("{body}material = \"gold\"\n"), "a material that is listed"),
        (format!("[contact]\nindex = \"tree\"\n{body}"), "one of clusters, basic, compact, hashing, cuckoo"),
        (format!("[contact]\nmost-cells = 5\n{body}"), "27, 8 or 1 cells"),
        (format!("{body}hold = [[9.0, 9.0, 9.0], [10.0, 10.0, 10.0]]\n"), "a box with a point of the body in it"),
    ] {
        let found = DeformScene::read(&text, "s.toml".as_ref())
            .map_err(|error| error.to_string())
            .and_then(|scene| scene.start(Path::new(""), None).map_err(|error| error.to_string()));
        let error = found.err().unwrap_or_else(|| panic!("accepted: {text}"));
        assert!(error.contains(expected), "{error}\nexpected {expected}");
    }
}

#[test]
fn a_broken_mesh_is_refused_with_the_numbers_of_its_elements() {
    let folder = tempfile::tempdir().expect("a folder");
    let mesh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 0\n$EndNodes\n$Elements\n2\n1 4 0 1 2 3 4\n2 4 0 1 2 3 5\n$EndElements\n";
    std::fs::write(folder.path().join("flat.msh"), mesh).expect("written");
    let scene = DeformScene::read("[[body]]\nfile = \"flat.msh\"\n", "s.toml".as_ref()).expect("a scene");
    let error = scene.start(folder.path(), None).expect_err("a flat element").to_string();
    assert!(error.contains("flat.msh") && error.contains('1'), "{error}");
}

#[test]
fn frames_are_read_back_from_vtu_and_glb() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "floor = 0.0\n[[body]]\nname = \"cube\"\nblock = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }\nat = [0.0, 0.0, 0.06]\ncopies = 2\nevery = [0.01, 0.0, 0.12]\n";
    for name in ["run.vtu", "run.glb"] {
        let path = folder.path().join(name);
        let mut run = DeformScene::read(text, "s.toml".as_ref())
            .map(|scene| scene.start(Path::new(""), None))
            .expect("a scene")
            .expect("bodies");
        let mut frames = Frames::create(&path).expect("a file");
        for _ in 0..3 {
            frames.frame(&run).expect("a frame");
            (0..5).for_each(|_| {
                run.step();
            });
        }
        frames.finish(&run).expect("whole");
        assert!(path.exists());
        if name == "run.glb" {
            let (document, buffers) = read_glb(&path);
            assert_eq!(
                (
                    document["meshes"].as_array().map(Vec::len),
                    document["meshes"][0]["primitives"][0]["targets"].as_array().map(Vec::len)
                ),
                (Some(2), Some(2))
            );
            assert_eq!(document["buffers"][0]["byteLength"].as_u64(), Some(buffers as u64));
        } else {
            let mesh = steric::model::formats::tet_mesh::read_tet_mesh(&path).expect("a mesh").value;
            assert_eq!(mesh.tetrahedra.len(), 80);
            assert!(mesh.points.iter().zip(&run.world.body.positions).all(|(read, at)| read.distance(*at) < 1e-12));
            let list = std::fs::read_to_string(path.with_extension("pvd")).expect("a list");
            assert!(list.contains("run-0002.vtu") && folder.path().join("run-0002.vtu").exists());
        }
    }
    let error = Frames::create(Path::new("run.pdb")).expect_err("no such format").to_string();
    assert!(error.contains(".vtu or .glb"), "{error}");
}

fn read_glb(path: &Path) -> (serde_json::Value, usize) {
    let bytes = std::fs::read(path).expect("a file");
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")) as usize;
    assert_eq!((&bytes[..4], number(8)), (&b"glTF"[..], bytes.len()));
    let text = &bytes[20..20 + number(12)];
    (serde_json::from_slice(text).expect("JSON"), number(20 + text.len()))
}
