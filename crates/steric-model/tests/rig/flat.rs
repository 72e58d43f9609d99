//! Joints whose scale is zero at some time: matrices without an inverse.

use glam::{DAffine3, DQuat, DVec3};
use steric_model::{JointPose, Keys};

use super::collada::{ARM, animated, animation, pose_at, turn};
use super::small::Small;
use super::{parsed, read, warns};

#[test]
fn a_matrix_that_lost_one_axis_keeps_its_rotation() {
    let rotation = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 2.0);
    for lost in [DVec3::X, DVec3::Y, DVec3::Z] {
        let scale = (DVec3::ONE - lost) * DVec3::new(1.0, 2.0, 3.0);
        let pose = JointPose::from_matrix(&DAffine3::from_scale_rotation_translation(scale, rotation, DVec3::ONE));
        assert!(pose.rotation.angle_between(rotation) < 1e-6 && pose.scale.abs_diff_eq(scale, 1e-12), "{pose:?}");
    }
    let point = JointPose::from_matrix(&DAffine3::from_scale(DVec3::ZERO));
    assert_eq!((point.rotation, point.scale), (DQuat::IDENTITY, DVec3::ZERO));
}

#[test]
fn a_joint_that_appears_from_nothing_does_not_turn() {
    let turned = ARM.replace("0 0 1 0", "0 0 1 70");
    let animations = [
        animation("s", "Arm/s", "0 1 2", (3, "0 0 0  1 1 1  0 0 0"), "", &[]),
        animation("t", "Arm/t.X", "0 0.5 1 2", (1, "0 1 2 3"), "", &[]),
    ];
    let rig = read(&animated(&turned, &animations), "s.dae");
    for time in [0.0, 0.2, 0.5, 1.0, 1.7, 2.0] {
        assert!((turn(&rig, time) - 70.0).abs() < 1e-6, "{time}: {}", turn(&rig, time));
    }
    assert_eq!(pose_at(&rig, 0, 0.0).scale, DVec3::ZERO);
}

#[test]
fn matrices_that_are_flat_turn_as_the_nearest_that_is_not() {
    let node = "<node id='Arm' type='JOINT'><matrix sid='m'>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix></node>";
    let (point, quarter) = ("0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1", "0 -1 0 0 1 0 0 0 0 0 1 0 0 0 0 1");
    let keys = format!("{point} {point} {quarter} {point}");
    let animations = [animation("m", "Arm/m", "0 1 2 3", (16, &keys), "", &[])];
    let rig = read(&animated(node, &animations), "m.dae");
    for time in [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0] {
        assert!((turn(&rig, time) - 90.0).abs() < 1e-6, "{time}: {}", turn(&rig, time));
    }
    let Some(Keys::Scale(scales)) = rig.clips[0].tracks.iter().map(|track| &track.keys).next() else {
        panic!("scales")
    };
    assert!(scales[2].abs_diff_eq(DVec3::ONE, 1e-9) && [scales[0], scales[1], scales[3]] == [DVec3::ZERO; 3]);
}

/// Two joints that were bound one unit apart, ten further along x than the scene; `scales` while they rest.
fn two_joints(root: &str, scales: [&str; 2]) -> Vec<u8> {
    let mut file = Small::default();
    #[rustfmt::skip]
    let matrices = file.floats("MAT4", &[
        1.0, 0.0, 0.0, 0.0,  0.0, 1.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  -10.0, 0.0, 0.0, 1.0,
        1.0, 0.0, 0.0, 0.0,  0.0, 1.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  -10.0, -1.0, 0.0, 1.0,
    ]);
    let body = format!(
        r#""nodes":[{{"scale":{root},"children":[1,2]}},{{"scale":{}}},{{"translation":[0,1,0],"scale":{}}}],
        "skins":[{{"name":"coat","joints":[1,2],"inverseBindMatrices":{matrices}}}]"#,
        scales[0], scales[1]
    );
    file.glb(&body)
}

#[test]
fn a_joint_that_rests_flat_does_not_tell_where_its_skin_was_bound() {
    let parsed = parsed(&two_joints("[1,1,1]", ["[0,0,0]", "[1,1,1]"]), "flat.glb");
    let bound: Vec<_> = parsed.value.skeleton.joints.iter().map(|joint| joint.bind).collect();
    assert_eq!(bound[1..], [DAffine3::IDENTITY, DAffine3::from_translation(DVec3::Y)]);
    assert_eq!(parsed.warnings.total, 0);
}

#[test]
fn a_skin_whose_joints_all_rest_flat_is_bound_in_place() {
    let parsed = parsed(&two_joints("[0,0,0]", ["[1,1,1]", "[1,1,1]"]), "flat.glb");
    let bound: Vec<_> = parsed.value.skeleton.joints.iter().map(|joint| joint.bind.translation).collect();
    assert_eq!(bound[1..], [DVec3::X * 10.0, DVec3::new(10.0, 1.0, 0.0)]);
    assert!(warns(&parsed.warnings, "all joints of skin \"coat\" rest flat; it is taken to be bound in place"));
}

#[test]
fn the_topmost_joint_tells_where_a_skin_was_bound() {
    let mut file = Small::default();
    #[rustfmt::skip]
    let matrices = file.floats("MAT4", &[
        1.0, 0.0, 0.0, 0.0,  0.0, 1.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  0.0, 0.0, -7.0, 1.0,
        1.0, 0.0, 0.0, 0.0,  0.0, 1.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  0.0, 0.0, 0.0, 1.0,
    ]);
    let body = format!(
        r#""nodes":[{{"children":[1]}},{{"translation":[0,1,0]}}],"skins":[{{"joints":[1,0],"inverseBindMatrices":{matrices}}}]"#
    );
    let bound = read(&file.glb(&body), "top.glb")
        .skeleton
        .joints
        .iter()
        .map(|joint| joint.bind.translation)
        .collect::<Vec<_>>();
    assert_eq!(bound, [DVec3::ZERO, DVec3::Z * 7.0]);
}
