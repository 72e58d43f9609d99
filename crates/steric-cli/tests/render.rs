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
    let wishes: [&[&str]; 6] = [
        &[CRAMBIN, "--color", "element", "--style", "soft", "--shadows", "0.5"],
        &[CRAMBIN, "--sticks", "--stereo", "anaglyph", "--background", "none", "--parallel"],
        &["bilayer", "--count", "40", "--color", "collision", "--clip", "front:5"],
        &["bilayer", "--count", "40", "--color", "leaflet", "--box", "--opacity", "POPC=0.5"],
        &["bilayer", "--count", "40", "--color", "leaflet", "--opacity", "POPC=0.5", "--screen-door"],
        &[CRAMBIN, "--style", "soft", "--light", "-1,0.5,0.5", "--stereo", "rows", "--eye-distance", "0.06"],
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

/// Says how many errors and warnings a file has, and which.
const VALIDATE: &str = "const [folder, file] = process.argv.slice(1);
    const validator = require(folder + '/node_modules/gltf-validator');
    validator.validateBytes(new Uint8Array(require('fs').readFileSync(file))).then(({ issues }) =>
        console.log(issues.numErrors + issues.numWarnings, JSON.stringify(issues.messages.filter(issue => issue.severity < 2))));";

#[test]
fn scenes_for_blender_are_valid_gltf() {
    let Some(validator) = std::env::var_os("STERIC_GLTF_VALIDATOR") else {
        eprintln!("skipped: STERIC_GLTF_VALIDATOR names no folder with the validator");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let wall = folder.path().join("wall.obj");
    std::fs::write(&wall, "v 0 0 0\nv 90 0 0\nv 90 90 0\nv 0 90 0\nf 1 2 3 4\n").unwrap();
    let (wall, path) = (wall.to_str().unwrap(), folder.path().join("scene.glb"));
    let wishes: [&[&str]; 6] = [
        &[CRAMBIN],
        &[CRAMBIN, "--sticks", "--mesh", wall],
        &[wall],
        &["vesicle", "--count", "400", "--shapes", "--opacity", "POPC=0.3"],
        &["bilayer", "--count", "40", "--box", "--color", "molecule"],
        &["vesicle-with-proteins", "--shapes", "1"],
    ];
    for wish in wishes {
        let done = render(wish, &path);
        assert!(done.status.success(), "{wish:?}: {}", String::from_utf8_lossy(&done.stderr));
        let said = Command::new("node").args(["-e", VALIDATE]).arg(&validator).arg(&path).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&said.stdout), "0 []\n", "{wish:?} {said:?}");
    }
}

#[test]
fn what_cannot_be_drawn_is_an_error_that_says_what_was_expected() {
    if !has_gpu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.png");
    let wishes: [(&[&str], &str); 18] = [
        (&["no-such-file.cif"], "no-such-file.cif"),
        (&[CRAMBIN, "--color", "mood"], "element, chain, residue"),
        (&[CRAMBIN, "--size", "0x10"], "1920x1080"),
        (&[CRAMBIN, "--size", "30000x30000"], "expected a picture of at most"),
        (&[CRAMBIN, "--relax"], "expected a scene"),
        (&[CRAMBIN, "--light", "1,2"], "expected x, y and z towards the light"),
        (&[CRAMBIN, "--light", "1,2,3,up"], "expected x, y and z towards the light"),
        (&[CRAMBIN, "--light", "0,0,0"], "not all 0"),
        (&[CRAMBIN, "--stereo", "columns"], "cross-eye, anaglyph or rows, found columns"),
        (&[CRAMBIN, "--eye-distance", "0.05"], "--stereo <KIND>"),
        (&[CRAMBIN, "--opacity", "POPC=0.5"], "expected a species"),
        (&["vesicle", "--count", "400", "--box"], "expected a periodic box"),
        (&[CRAMBIN, "--label", "text"], "TEXT@CHAIN/RESIDUE"),
        (&[CRAMBIN, "--label", "text@1,2"], "expected x, y and z in angstroms"),
        (&[CRAMBIN, "--label", "text@Z"], "expected a chain (A) or x, y and z, found Z"),
        (&[CRAMBIN, "--label", "text@A/HIS900"], "expected a residue of chain A, such as THR1, "),
        (&[CRAMBIN, "--labels", "mood"], "chain, residue, molecule or species"),
        (&["vesicle", "--count", "2100", "--labels", "molecule"], "expected at most 2,000, found 2,100"),
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
    for option in [&["--labels", "chain"][..], &["--label", "text@A"], &["--scale-bar"]] {
        let refused = render(&[&[CRAMBIN], option].concat(), &folder.path().join("scene.glb"));
        assert_eq!(refused.status.code(), Some(2), "{option:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("which holds molecules and no text"), "{option:?}");
    }
}

/// A small picture of crambin with these options.
fn crambin(options: &[&str], folder: &Path) -> Picture {
    let path = folder.join("picture.png");
    let usual: &[&str] = &[CRAMBIN, "--size", "60x41", "--samples", "1", "--style", "soft", "--occlusion", "0"];
    let done = render(&[usual, options].concat(), &path);
    assert!(done.status.success(), "{options:?}: {}", String::from_utf8_lossy(&done.stderr));
    Picture::read_png(&path).unwrap()
}

#[test]
fn rows_for_two_eyes_are_those_of_the_pictures_side_by_side() {
    if !has_gpu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let seen = |stereo: &str, apart: &str| crambin(&["--stereo", stereo, "--eye-distance", apart], folder.path());
    let (rows, beside, one) = (seen("rows", "0.08"), seen("side-by-side", "0.08"), seen("side-by-side", "0"));
    assert_eq!((rows.width, rows.height, beside.width, beside.height), (60, 41, 120, 41));
    let all = || (0..41).flat_map(|y| (0..60).map(move |x| (x, y)));
    for (x, y) in all() {
        assert_eq!(rows.at(x, y), beside.at(x + 60 * (y % 2), y), "{x}, {y}");
        assert_eq!(one.at(x, y), one.at(x + 60, y), "without a distance both eyes see the same");
    }
    assert!(all().filter(|&(x, y)| beside.at(x, y) != beside.at(x + 60, y)).count() > 300, "the eyes see two pictures");
}

#[test]
fn light_comes_from_where_it_was_asked_for() {
    if !has_gpu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (atom, path) = (folder.path().join("zinc.xyz"), folder.path().join("picture.png"));
    std::fs::write(&atom, "1\nzinc\nZn 0 0 0\n").unwrap();
    // How bright the columns left and right of the middle are.
    let halves = |light: &str| {
        let wish = [atom.to_str().unwrap(), "--style", "plain", "--size", "60x41", "--light", light];
        let done = render(&wish, &path);
        assert!(done.status.success(), "{light}: {}", String::from_utf8_lossy(&done.stderr));
        let picture = Picture::read_png(&path).unwrap();
        let column = |x: u32| (0..41).map(|y| f64::from(picture.at(x, y)[1])).sum::<f64>();
        [(15..30).map(column).sum::<f64>(), (30..45).map(column).sum::<f64>()]
    };
    let ([left, right], [mirrored_left, mirrored_right]) = (halves("-1,0,0.3"), halves("1,0,0.3"));
    assert!(left > 1.2 * right, "from the left: {left} and {right}");
    assert!(mirrored_right > 1.2 * mirrored_left, "from the right: {mirrored_left} and {mirrored_right}");
}

/// How many pixels of a picture of haemoglobin change where these options are given, in its left and in its right half.
fn changed(options: &[&str], folder: &Path) -> [usize; 2] {
    let haemoglobin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/haemoglobin.pdb.gz");
    let usual: &[&str] = &[haemoglobin, "--size", "160x120", "--stereo", "side-by-side", "--samples", "1"];
    let [before, after] = [&[][..], options].map(|options| {
        let path = folder.join("picture.png");
        let done = render(&[usual, options].concat(), &path);
        assert!(done.status.success(), "{options:?}: {}", String::from_utf8_lossy(&done.stderr));
        Picture::read_png(&path).unwrap()
    });
    let differs = |at: &usize| before.pixels[*at] != after.pixels[*at];
    let (left, right) = (0..before.pixels.len()).filter(differs).partition::<Vec<_>, _>(|at| at % 320 < 160);
    [left.len(), right.len()]
}

#[test]
fn labels_and_a_scale_bar_are_written_for_both_eyes() {
    if !has_gpu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let wishes: [&[&str]; 7] = [
        &["--labels", "chain"],
        &["--labels", "residue"],
        &["--labels", "molecule"],
        &["--labels", "species"],
        &["--label", "heme@A/HEM", "--label-size", "20"],
        &["--label", "β2@D", "--label", "here@0,0,0"],
        &["--scale-bar"],
    ];
    for wish in wishes {
        let [left, right] = changed(wish, folder.path());
        assert!(left > 50 && right > 50, "{wish:?}: {left} and {right} pixels");
        assert!(left.abs_diff(right) < left / 2, "{wish:?}: the same labels, {left} and {right} pixels");
    }
}
