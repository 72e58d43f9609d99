//! Real files: what the README of the data counts, and pairs of files that hold the same motion.

use std::path::Path;

use glam::{DAffine3, DVec3};
use steric_model::formats::rig::read_rig;
use steric_model::{Rig, Turning};

use super::common::{count, data, readme_row, walk};

fn rig(data: &Path, name: &str) -> Rig {
    let parsed = read_rig(&data.join("animation").join(name)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(parsed.warnings.total, 0, "{name}: {:?}", parsed.warnings);
    parsed.value
}

fn moving(rig: &Rig) -> usize {
    rig.skeleton.joints.iter().filter(|joint| joint.moves_atoms).count()
}

#[test]
fn every_file_has_the_joints_skins_and_clips_that_others_count() {
    let Some(data) = data() else { return };
    let files = walk(&data.join("animation"));
    assert_eq!(files.len(), 12);
    for path in files {
        let row = readme_row(&data, &path).split('|').nth(4).unwrap().to_owned();
        let name = path.file_name().unwrap().to_string_lossy();
        let rig = rig(&data, &name);
        assert_eq!(Some(rig.skins.len()), count(&row, "skins"), "{name}");
        let in_skins: usize = rig.skins.iter().map(|skin| skin.joints.len()).sum();
        assert_eq!(moving(&rig), in_skins, "{name}: each joint is in one skin");
        match count(&row, "JOINT") {
            Some(joints) => assert_eq!(moving(&rig), joints, "{name}"),
            None => assert_eq!(Some(rig.clips.len()), count(&row, "animations"), "{name}"),
        }
        assert!(rig.clips.iter().flat_map(|clip| &clip.tracks).all(|track| track.is_sound()), "{name}");
        assert_eq!(rig.unit_metres, Some(1.0), "{name}");
        let parents = rig.skeleton.joints.iter().enumerate();
        assert!(parents.into_iter().all(|(index, joint)| joint.parent.is_none_or(|parent| (parent as usize) < index)));
    }
}

#[test]
fn recursive_skeletons_are_84_skins_of_ten_joints() {
    let Some(data) = data() else { return };
    let rig = rig(&data, "RecursiveSkeletons.glb");
    assert_eq!((rig.skins.len(), moving(&rig), rig.clips.len()), (84, 840, 1));
    assert!(rig.skins.iter().all(|skin| skin.joints.len() == 10));
    assert_eq!(rig.clips[0].tracks.len(), 840);
}

#[test]
fn the_fox_surveys_walks_and_runs() {
    let Some(data) = data() else { return };
    let rig = rig(&data, "Fox.glb");
    let clips: Vec<_> = rig.clips.iter().map(|clip| (clip.name.as_str(), (clip.duration * 1e4).round())).collect();
    assert_eq!(clips, [("Survey", 34167.0), ("Walk", 7083.0), ("Run", 11583.0)]);
    assert_eq!(rig.name, "Fox");
}

#[test]
fn simple_skin_is_two_joints_of_which_one_turns() {
    let Some(data) = data() else { return };
    let rig = rig(&data, "SimpleSkin.gltf");
    let parents: Vec<_> = rig.skeleton.joints.iter().map(|joint| joint.parent).collect();
    assert_eq!(parents, [None, Some(0)]);
    let poses = rig.clips[0].poses(&rig.skeleton, 1.0, Turning::Slerp);
    let (axis, angle) = poses[1].rotation.to_axis_angle();
    assert!((angle.to_degrees() - 90.0).abs() < 0.1 && axis.z > 0.99, "{axis} {angle}");
}

#[test]
fn named_clips_of_collada_begin_at_zero() {
    let Some(data) = data() else { return };
    let rig = rig(&data, "library_animation_clips.dae");
    let clips: Vec<_> = rig.clips.iter().map(|clip| (clip.name.as_str(), clip.tracks[0].times[0])).collect();
    assert_eq!(clips, [("bend", 0.0), ("turn", 0.0)]);
    assert!((rig.clips[0].duration - (0.625 - 1.0 / 24.0)).abs() < 1e-9);
    assert!((rig.clips[1].duration - 20.0 / 24.0).abs() < 1e-9);
}

#[test]
fn tips_along_other_axes_than_the_joints_are_not_believed() {
    let Some(data) = data() else { return };
    // The cylinder stands along z, and so do its bones; the tips that Blender wrote lie along y.
    for bone in rig(&data, "RiggedSimple.dae").skeleton.bones() {
        let along = (bone.tail - bone.head).normalize();
        assert!(along.z > 0.999, "{bone:?}");
    }
    assert!(rig(&data, "CesiumMan.dae").skeleton.joints.iter().all(|joint| joint.tip.is_none()));
}

/// Joints take what hangs on them to the same places in both files, once the one is turned to the axes of the other. That does
/// not depend on the joints' own axes, which differ in the two files of CesiumMan.
#[test]
fn collada_and_glb_of_one_model_move_alike() {
    let Some(data) = data() else { return };
    let models = [("CesiumMan", "Skeleton_torso_joint_1"), ("RiggedFigure", "torso_joint_1"), ("RiggedSimple", "Bone")];
    for (name, root) in models {
        let (dae, glb) = (rig(&data, &format!("{name}.dae")), rig(&data, &format!("{name}.glb")));
        let glb_from_dae = carrier_of(&glb, root) * carrier_of(&dae, root).inverse();
        let joints = glb.skeleton.joints.iter().enumerate().filter(|(_, joint)| joint.moves_atoms);
        let joints: Vec<(usize, usize)> = joints.map(|(at, joint)| (at, place_of(&dae, &joint.name))).collect();
        let places: Vec<_> = joints.iter().map(|(at, _)| glb.skeleton.joints[*at].bind.translation).collect();
        let size = places.iter().map(|place| place.distance(places[0])).fold(0.0, f64::max);
        for share in [0.1, 0.25, 0.5, 0.6, 0.83, 0.95] {
            let time = glb.clips[0].duration * share;
            let motions = |rig: &Rig| rig.skeleton.motions(&rig.clips[0].poses(&rig.skeleton, time, Turning::Slerp));
            let (of_dae, of_glb) = (motions(&dae), motions(&glb));
            for ((in_glb, in_dae), place) in joints.iter().zip(&places) {
                let expected: DAffine3 = glb_from_dae * of_dae[*in_dae] * glb_from_dae.inverse();
                for point in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|axis| *place + axis * size) {
                    let distance = expected.transform_point3(point).distance(of_glb[*in_glb].transform_point3(point));
                    assert!(distance < 1e-3 * size, "{name}, joint {in_glb} at {time} s: {distance} of {size}");
                }
            }
        }
    }
}

fn place_of(rig: &Rig, name: &str) -> usize {
    rig.skeleton.joints.iter().position(|joint| joint.name == name).unwrap()
}

// Where the armature stands on which this joint hangs.
fn carrier_of(rig: &Rig, root: &str) -> DAffine3 {
    let armature = rig.skeleton.joints[place_of(rig, root)].parent.unwrap();
    rig.skeleton.joints[armature as usize].bind
}
