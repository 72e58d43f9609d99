//! `steric render` as a user calls it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output};

use steric_view::Picture;

fn render(arguments: &[&str], output: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_steric")).arg("render").args(arguments).arg("-o").arg(output).output().unwrap()
}

fn has_gpu() -> bool {
    let is_there = steric::gpu::Gpu::software().is_some();
    if !is_there {
        eprintln!("skipped: no software GPU");
    }
    is_there
}

const CRAMBIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/crambin.pdb");

#[test]
fn a_model_and_a_scene_become_pictures() {
    if !has_gpu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.png");
    let wishes: [&[&str]; 4] = [
        &[CRAMBIN, "--color", "element", "--style", "soft", "--shadows", "0.5"],
        &[CRAMBIN, "--sticks", "--stereo", "anaglyph", "--background", "none", "--parallel"],
        &["bilayer", "--count", "40", "--color", "collision", "--clip", "front:5"],
        &["bilayer", "--count", "40", "--color", "leaflet", "--box", "--opacity", "POPC=0.5"],
    ];
    for wish in wishes {
        let done = render(&[wish, &["--size", "80x60"]].concat(), &path);
        assert!(done.status.success(), "{wish:?}: {}", String::from_utf8_lossy(&done.stderr));
        let picture = Picture::read_png(&path).unwrap();
        assert_eq!((picture.width, picture.height), (80, 60), "{wish:?}");
        let shades: std::collections::BTreeSet<[u8; 4]> = picture.pixels.iter().copied().collect();
        assert!(shades.len() > 50, "{wish:?}: {} colours", shades.len());
    }
}

#[test]
fn films_and_scenes_for_blender_are_written() {
    if !has_gpu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, first) in [("film.gif", &b"GIF89a"[..]), ("film.apng", b"\x89PNG"), ("scene.glb", b"glTF")] {
        let path = folder.path().join(name);
        let done = render(&[CRAMBIN, "--size", "40x30", "--frames", "3", "--rock", "10"], &path);
        assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        assert!(std::fs::read(&path).unwrap().starts_with(first), "{name}");
    }
}

#[test]
fn what_cannot_be_drawn_is_an_error_that_says_what_was_expected() {
    if !has_gpu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.png");
    let wishes: [(&[&str], &str); 7] = [
        (&["no-such-file.cif"], "no-such-file.cif"),
        (&[CRAMBIN, "--color", "mood"], "element, chain, residue"),
        (&[CRAMBIN, "--size", "0x10"], "1920x1080"),
        (&[CRAMBIN, "--size", "30000x30000"], "expected a picture of at most"),
        (&[CRAMBIN, "--relax"], "expected a scene"),
        (&[CRAMBIN, "--opacity", "POPC=0.5"], "expected a species"),
        (&["vesicle", "--count", "400", "--box"], "expected a periodic box"),
    ];
    for (wish, expected) in wishes {
        let refused = render(wish, &path);
        assert_eq!(refused.status.code(), Some(2), "{wish:?}");
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(message.contains(expected), "{wish:?}: {message}");
        assert!(!path.exists(), "{wish:?}: nothing is written");
    }
    let refused = render(&[CRAMBIN], &folder.path().join("picture.bmp"));
    assert!(String::from_utf8_lossy(&refused.stderr).contains(".glb for the scene itself"));
}
