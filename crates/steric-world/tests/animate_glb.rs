//! Puppets in GLB files move as they do here.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod glb;

use std::path::{Path, PathBuf};
use std::process::Command;

use glam::{DQuat, DVec3, Vec3};
use glb::reader::Played;
use glb::rods::{puppet, rig, rod, track, with_clip};
use steric_model::formats::rig::read_rig;
use steric_model::{Clip, Curve, Keys, Rig};
use steric_world::animate::{
    Blend, Corrections, GlbExport, KeyFrames, Level, Manner, Moment, Puppet, PuppetOptions, Reach, write_puppet_glb,
};

/// Angstroms: 32 bits, and units of ten angstroms.
const NEAR: f64 = 1e-2;
const TIMES: [f64; 7] = [0.0, 0.2, 0.5, 0.75, 1.0, 1.3, 2.0];

fn written(folder: &tempfile::TempDir, puppet: &Puppet, options: &GlbExport<'_>) -> PathBuf {
    let path = folder.path().join("rod.glb");
    write_puppet_glb(puppet, options, &path).unwrap();
    path
}

fn played(puppet: &Puppet, options: &GlbExport<'_>) -> Played {
    Played::read(&written(&tempfile::tempdir().unwrap(), puppet, options))
}

fn assert_near(found: &[(DVec3, f64)], expected: &[Vec3], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (atom, ((found, _), expected)) in found.iter().zip(expected).enumerate() {
        assert!(found.distance(expected.as_dvec3()) < NEAR, "{what}, atom {atom}: {found} is not {expected}");
    }
}

#[test]
fn atoms_follow_the_joints_of_their_rig_with_every_curve() {
    let puppet = puppet();
    let played = played(&puppet, &GlbExport::default());
    assert_eq!(played.corners(), 42 * 60);
    assert_eq!(
        played.gltf.animations().map(|clip| clip.name().unwrap().to_owned()).collect::<Vec<_>>(),
        ["bend", "swing", "jump"]
    );
    for (clip, time) in (0..3).flat_map(|clip| TIMES.map(|time| (clip, time))) {
        let moment = Moment { clip, time, blend: Blend::Linear, ..Moment::default() };
        assert_near(&played.spheres(clip, time, 42), &puppet.positions(&moment), &format!("clip {clip} at {time} s"));
    }
    // Beyond the last clip nothing moves.
    let rest = played.spheres(3, 0.0, 42);
    assert_near(&rest, &puppet.structure().atoms.positions, "at rest");
    assert!(rest.iter().zip(puppet.radii()).all(|((_, found), radius)| (found - f64::from(*radius)).abs() < 1e-4));
}

#[test]
fn residues_and_chains_follow_their_own_joints() {
    let puppet = puppet();
    for (level, groups) in [(Level::Residue, 12), (Level::Chain, 2)] {
        for (blend, clip) in [(Blend::Linear, 0), (Blend::DualQuaternion, 1), (Blend::Spherical, 2)] {
            let export = GlbExport { level, blend, clip, frames: 81, ..GlbExport::default() };
            let played = played(&puppet, &export);
            assert_eq!(played.gltf.skins().next().unwrap().joints().count(), groups);
            let sampled = played.channels(0)[0].times.clone();
            assert!(puppet.key_times(clip).iter().all(|key| sampled.iter().any(|time| (time - key).abs() < 1e-6)));
            for time in sampled.into_iter().step_by(7).chain(puppet.key_times(clip)) {
                let moment = Moment { level, blend, clip, time, ..Moment::default() };
                let (found, what) = (played.spheres(0, time, 42), format!("{level:?} {blend:?} at {time} s"));
                assert_near(&found, &puppet.positions(&moment), &what);
                let radii = found.iter().zip(puppet.radii());
                assert!(
                    radii.into_iter().all(|((_, found), radius)| (found - f64::from(*radius)).abs() < 1e-3),
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn corrections_are_baked_into_residues_at_their_own_times() {
    let mut puppet = puppet();
    let mut corrections =
        Corrections::new((0, Manner { level: Level::Residue, blend: Blend::Linear, ..Manner::default() }), 12, 0.4);
    for (number, time) in [0.0, 0.33, 0.91, 2.0].into_iter().enumerate() {
        let one = [Vec3::new(0.0, number as f32, 1.0), Vec3::X * 0.1 * number as f32];
        corrections.push_groups(time, &[one; 12]);
    }
    puppet.correct(corrections);
    let export =
        GlbExport { level: Level::Residue, blend: Blend::Linear, collide: true, frames: 5, ..GlbExport::default() };
    let played = played(&puppet, &export);
    for time in [0.0, 0.33, 0.5, 0.91, 2.0] {
        let moment = Moment { level: Level::Residue, blend: Blend::Linear, time, collide: true, ..Moment::default() };
        assert_near(&played.spheres(0, time, 42), &puppet.positions(&moment), &format!("at {time} s"));
        assert_ne!(puppet.positions(&moment), puppet.positions(&Moment { collide: false, ..moment }));
    }
}

#[test]
fn joints_of_groups_are_named_and_those_that_never_move_have_no_track() {
    let keys = Keys::Rotation([0.0, 1.0].map(DQuat::from_rotation_z).to_vec());
    let wave = with_clip(Clip::new("wave", vec![track(3, &[0.0, 1.0], Curve::Linear, keys)]), Reach::Connected);
    let waved = played(&wave, &GlbExport { level: Level::Residue, ..GlbExport::default() });
    let names: Vec<String> = waved.gltf.nodes().map(|node| node.name().unwrap().to_owned()).collect();
    assert_eq!((names[1].as_str(), names[12].as_str()), ("A 1 ALA", "B 12 ALA"));
    let channels = waved.channels(0);
    assert!(channels.iter().all(|channel| channel.node > 2 && channel.times.len() == 60), "the shoulder rests");
    assert!(channels.iter().any(|channel| channel.node == 12));
    // Held elsewhere than bound: one key is enough.
    let keys = Keys::Rotation(vec![DQuat::from_rotation_z(1.0); 2]);
    let held = with_clip(Clip::new("held", vec![track(2, &[0.0, 1.0], Curve::Linear, keys)]), Reach::All);
    let export = GlbExport { level: Level::Chain, ..GlbExport::default() };
    let channels = played(&held, &export).channels(0);
    assert!(!channels.is_empty() && channels.iter().all(|channel| channel.times == [0.0]));
    let still = played(&held, &GlbExport { clip: 9, ..export });
    assert_eq!(still.gltf.animations().count(), 0);
}

#[test]
fn rigs_are_read_again_as_they_were_written() {
    let (folder, puppet) = (tempfile::tempdir().unwrap(), puppet());
    let parsed = read_rig(&written(&folder, &puppet, &GlbExport::default())).unwrap();
    assert!(parsed.warnings.first.is_empty(), "{:?}", parsed.warnings);
    let (read, rig) = (parsed.value, puppet.rig());
    assert_eq!(read.skeleton.joints.len(), rig.skeleton.joints.len() + 1, "and the root, which turns z up to y up");
    let root = read.skeleton.joints[0].bind;
    for (found, expected) in read.skeleton.joints[1..].iter().zip(&rig.skeleton.joints) {
        assert_eq!((&found.name, found.moves_atoms), (&expected.name, expected.moves_atoms));
        assert_eq!(found.parent, Some(expected.parent.map_or(0, |parent| parent + 1)));
        assert!(found.rest.matrix().abs_diff_eq(expected.rest.matrix(), 1e-12), "{}", found.name);
        assert!(found.bind.abs_diff_eq(root * expected.bind, 1e-4), "{}", found.name);
    }
    assert_eq!(read.clips.len(), rig.clips.len());
    for (found, expected) in read.clips.iter().zip(&rig.clips) {
        assert_eq!((&found.name, found.tracks.len()), (&expected.name, expected.tracks.len()));
        for (found, expected) in found.tracks.iter().zip(&expected.tracks) {
            assert_eq!((found.joint, found.curve), (expected.joint + 1, expected.curve));
            let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6;
            assert!(found.times.iter().zip(&expected.times).all(is_near) && found.times.len() == expected.times.len());
            let is_same = match (&found.keys, &expected.keys) {
                (Keys::Translation(a), Keys::Translation(b)) | (Keys::Scale(a), Keys::Scale(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.abs_diff_eq(*b, 1e-5))
                }
                (Keys::Rotation(a), Keys::Rotation(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.abs_diff_eq(*b, 1e-6))
                }
                _ => false,
            };
            assert!(is_same, "{found:?} {expected:?}");
        }
    }
    let residues = read_rig(&written(&folder, &puppet, &GlbExport { level: Level::Residue, ..GlbExport::default() }));
    assert_eq!(residues.unwrap().value.skeleton.joints.len(), 13);
}

#[test]
fn super_atoms_stand_in_at_every_level() {
    let puppet = puppet();
    for (level, number) in [(Level::Atom, 0), (Level::Atom, 2), (Level::Residue, 1), (Level::Chain, 0)] {
        let export = GlbExport { level, blend: Blend::Linear, super_atoms: Some(number), ..GlbExport::default() };
        let played = played(&puppet, &export);
        for time in [0.0, 1.0, 2.0] {
            let moment = Moment { level, blend: Blend::Linear, time, ..Moment::default() };
            let expected: Vec<Vec3> = puppet.spheres(&moment, number).iter().map(|sphere| sphere.center).collect();
            assert_near(&played.spheres(0, time, 42), &expected, &format!("{level:?} {number} at {time} s"));
        }
    }
}

#[test]
fn chains_have_colours_unless_atoms_are_given_some() {
    let puppet = puppet();
    let by_chain = played(&puppet, &GlbExport::default()).colours;
    assert!(by_chain[..30 * 42].iter().all(|colour| *colour == by_chain[0]) && by_chain[0] != by_chain[30 * 42]);
    let mut colours = vec![[255, 0, 188]; 60];
    colours[59] = [0, 255, 0];
    let given = played(&puppet, &GlbExport { colours: Some(&colours), ..GlbExport::default() }).colours;
    assert_eq!((given[0], given[59 * 42]), ([255, 0, 128, 255], [0, 255, 0, 255]), "in proportion to light");
}

#[test]
fn many_atoms_are_drawn_plainly() {
    let options = PuppetOptions { atoms_each: Vec::new(), ..PuppetOptions::default() };
    for (atoms, each) in [(2_000, 42), (2_001, 12)] {
        let puppet = Puppet::new(rod(atoms), rig(), &options).unwrap();
        let played = played(&puppet, &GlbExport::default());
        assert_eq!(played.corners(), each * atoms);
        let moment = Moment { time: 1.3, blend: Blend::Linear, ..Moment::default() };
        assert_near(&played.spheres(0, 1.3, each), &puppet.positions(&moment), "many");
    }
}

#[test]
fn what_gltf_forbids_in_clips_is_mended() {
    let turns = |angles: [f64; 2]| Keys::Rotation(angles.map(|angle| DQuat::from_rotation_z(angle) * 3.0).to_vec());
    let tracks = vec![
        track(2, &[0.0, 1.0], Curve::Linear, turns([0.5, 0.6])),
        track(2, &[-1.0, 1.0], Curve::Linear, turns([0.0, 1.0])),
        track(1, &[0.5], Curve::Cubic, Keys::Translation(vec![DVec3::X, DVec3::new(0.0, 3.0, 0.0), DVec3::X])),
    ];
    let puppet = with_clip(Clip::new("early", tracks), Reach::All);
    let played = played(&puppet, &GlbExport::default());
    assert_eq!(played.channels(0).len(), 2, "of two tracks of one property the last holds");
    for time in [-1.0, 0.25, 1.0] {
        let moment = Moment { time, blend: Blend::Linear, ..Moment::default() };
        assert_near(&played.spheres(0, time + 1.0, 42), &puppet.positions(&moment), "a second later");
    }
}

#[test]
fn atoms_of_a_joint_that_was_bound_flat_stay() {
    let mut rig = rig();
    rig.skeleton.joints[3].rest.scale = DVec3::ZERO;
    rig.skeleton.bind_at_rest();
    let puppet = Puppet::new(rod(60), rig, &PuppetOptions::default()).unwrap();
    let played = played(&puppet, &GlbExport::default());
    let moment = Moment { time: 1.0, blend: Blend::Linear, ..Moment::default() };
    assert_near(&played.spheres(0, 1.0, 42), &puppet.positions(&moment), "flat");
}

#[test]
fn what_cannot_be_written_is_refused_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |puppet: &Puppet, options: &GlbExport<'_>| {
        let error = write_puppet_glb(puppet, options, &folder.path().join("rod.glb")).unwrap_err().to_string();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        error.split_once("rod.glb: ").unwrap().1.to_owned()
    };
    let mut puppet = puppet();
    let error = refused(&puppet, &GlbExport { super_atoms: Some(3), ..GlbExport::default() });
    assert_eq!(error, "expected one of 3 distance levels, counted from 0, found 3");
    let error = refused(&puppet, &GlbExport { colours: Some(&[[0; 3]]), ..GlbExport::default() });
    assert_eq!(error, "expected colours of 60 atoms, found 1");
    puppet.correct(Corrections::new((0, Manner { blend: Blend::Linear, ..Manner::default() }), 60, 0.4));
    let error = refused(&puppet, &GlbExport { collide: true, ..GlbExport::default() });
    let expected =
        "expected atoms that a skeleton alone moves, found corrections of each; take level residue, which is sampled";
    assert_eq!(error, expected);
    let frames = KeyFrames::new(vec![0.0, 1.0], vec![rod(60).atoms.positions, vec![Vec3::ZERO; 60]]).unwrap();
    let frames = Puppet::with_frames(rod(60), Rig::default(), Some(frames), &PuppetOptions::default()).unwrap();
    assert!(refused(&frames, &GlbExport::default()).contains("frames that they follow; take level residue"));
    let missing = folder.path().join("no-such-folder").join("rod.glb");
    assert!(write_puppet_glb(&puppet, &GlbExport::default(), &missing).is_err());
}

#[test]
fn frames_are_written_as_residues() {
    let rest = rod(60).atoms.positions;
    let turn = glam::Quat::from_rotation_x(0.8);
    let moved = rest.iter().map(|place| turn * *place + Vec3::Y * 5.0).collect();
    let frames = KeyFrames::new(vec![0.0, 1.5], vec![rest, moved]).unwrap();
    let puppet = Puppet::with_frames(rod(60), Rig::default(), Some(frames), &PuppetOptions::default()).unwrap();
    let played = played(&puppet, &GlbExport { level: Level::Residue, ..GlbExport::default() });
    for time in [0.0, 1.5] {
        let moment = Moment { level: Level::Residue, time, ..Moment::default() };
        assert_near(&played.spheres(0, time, 42), &puppet.positions(&moment), "frames");
    }
}

/// Says how many errors and warnings a file has, and which.
const VALIDATE: &str = "const [folder, file] = process.argv.slice(1);
    const validator = require(folder + '/node_modules/gltf-validator');
    validator.validateBytes(new Uint8Array(require('fs').readFileSync(file))).then(({ issues }) =>
        console.log(issues.numErrors + issues.numWarnings, JSON.stringify(issues.messages.filter(issue => issue.severity < 2))));";

fn validated(validator: &Path, path: &Path) -> String {
    let said = Command::new("node").args(["-e", VALIDATE]).arg(validator).arg(path).output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr))
}

#[test]
fn files_are_valid_gltf() {
    let Some(validator) = std::env::var_os("STERIC_GLTF_VALIDATOR") else {
        eprintln!("skipped: STERIC_GLTF_VALIDATOR names no folder with the validator");
        return;
    };
    let (folder, puppet) = (tempfile::tempdir().unwrap(), puppet());
    for level in Level::ALL {
        for (super_atoms, clip) in [(None, 0), (Some(1), 1), (None, 9)] {
            let path = written(&folder, &puppet, &GlbExport { level, clip, super_atoms, ..GlbExport::default() });
            assert_eq!(validated(Path::new(&validator), &path), "0 []\n", "{level:?} {super_atoms:?} clip {clip}");
        }
    }
}
