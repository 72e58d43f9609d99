//! Collada files of several takes, curves of rarer kinds, and what only some programs write.

use glam::DVec3;
use steric_model::Turning;

use super::collada::{ARM, animated, animation, dae, pose_at, scene};
use super::{parsed, read, warns};

// As Assimp writes it: an animation for each take, with the same ids in all of them.
fn take(name: &str, target: &str, values: &str) -> String {
    let animation = animation("Arm_t", target, "0 1", (1, values), "LINEAR LINEAR", &[]);
    animation.replace("<animation id='Arm_t'>", &format!("<animation id='{name}-id' name='{name}'>"))
}

#[test]
fn takes_with_the_same_ids_are_clips_of_their_own() {
    let takes = [take("walk", "Arm/t.X", "0 1"), take("run", "Arm/t.X", "0 5"), take("wave", "Arm/t.Y", "0 7")];
    let rig = read(&animated(ARM, &takes), "t.dae");
    let ends = rig.clips.iter().map(|clip| {
        let pose = clip.poses(&rig.skeleton, 1.0, Turning::Slerp)[0];
        (clip.name.as_str(), pose.translation)
    });
    let expected = [("walk", DVec3::X), ("run", DVec3::X * 5.0), ("wave", DVec3::new(1.0, 7.0, 0.0))];
    assert_eq!(ends.collect::<Vec<_>>(), expected);
}

#[test]
fn animations_of_different_numbers_are_one_clip_whatever_their_ids() {
    let parts = [take("x", "Arm/t.X", "0 1"), take("y", "Arm/t.Y", "0 5")];
    let rig = read(&animated(ARM, &parts), "t.dae");
    assert_eq!(rig.clips.len(), 1);
    assert_eq!(pose_at(&rig, 0, 1.0).translation, DVec3::new(1.0, 5.0, 0.0));
}

#[test]
fn where_no_clip_is_of_use_all_animations_are_one() {
    let library = format!(
        "<library_animations>{}</library_animations><library_animation_clips><animation_clip name='a' start='2' end='1'>\
         <instance_animation url='#x'/></animation_clip><animation_clip><instance_animation url='#none'/></animation_clip>\
         </library_animation_clips>",
        animation("x", "Arm/t.X", "0 1", (1, "0 3"), "", &[])
    );
    let parsed = parsed(&dae(&(library + &scene(ARM))), "u.dae");
    assert_eq!((parsed.value.clips.len(), parsed.value.clips[0].name.as_str()), (1, "x"));
    assert_eq!(pose_at(&parsed.value, 0, 1.0).translation.x, 3.0);
    assert!(warns(&parsed.warnings, "there is no such animation"));
}

#[test]
fn what_a_channel_moves_besides_transforms_need_not_be_numbers() {
    let shown = |kind: &str, values: &str| {
        let animation = animation("v", "Arm/visibility", "0 1", (1, "0 1"), "", &[]);
        let array = format!("<{kind} id='v-out-array' count='2'>{values}</{kind}>");
        animation.replace("<float_array id='v-out-array' count='2'>0 1</float_array>", &array)
    };
    let moved = animation("x", "Arm/t.X", "0 1", (1, "0 3"), "", &[]);
    for (kind, values) in [("bool_array", "true false"), ("Name_array", "on off"), ("float_array", "0 x")] {
        let parsed = parsed(&animated(ARM, &[shown(kind, values), moved.clone()]), "v.dae");
        assert!(warns(&parsed.warnings, "1 channels move no transform of a node, as \"Arm/visibility\"; ignored"));
        assert_eq!((parsed.warnings.total, parsed.value.clips[0].tracks.len()), (1, 2), "{kind}");
    }
}

#[test]
fn cardinal_curves_take_their_tangents_from_the_keys_around() {
    let animations = [animation("c", "Arm/t.X", "0 1 2 3", (1, "0 1 0 0"), &"CARDINAL ".repeat(4), &[])];
    let parsed = parsed(&animated(ARM, &animations), "c.dae");
    assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
    // Halfway: the mean of the keys and an eighth of the leaving less the arriving tangent; 1 and 0, 0 and -1/2, -1/2 and 0.
    for (time, expected) in [(0.0, 0.0), (0.5, 0.625), (1.0, 1.0), (1.5, 0.5625), (2.5, -0.0625), (3.0, 0.0)] {
        let x = pose_at(&parsed.value, 0, time).translation.x;
        assert!((x - expected).abs() < 1e-9, "{time}: {x}");
    }
}

#[test]
fn b_splines_pass_beside_their_keys() {
    let animations = [animation("b", "Arm/t.X", "0 1 2 3", (1, "0 6 0 6"), &"BSPLINE ".repeat(4), &[])];
    let parsed = parsed(&animated(ARM, &animations), "b.dae");
    assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
    // At a key (before + 4 key + behind) / 6, halfway (1, 23, 23, 1) / 48 of the keys around.
    for (time, expected) in [(-1.0, 1.0), (0.0, 1.0), (1.0, 4.0), (1.5, 3.0), (2.0, 2.0), (3.0, 5.0), (9.0, 5.0)] {
        let x = pose_at(&parsed.value, 0, time).translation.x;
        assert!((x - expected).abs() < 1e-9, "{time}: {x}");
    }
}

#[test]
fn tips_are_believed_by_armature_and_by_most_of_them() {
    let tip = |x: u8, y: u8| {
        format!(
            "<extra><technique profile='blender'><tip_x>{x}</tip_x><tip_y>{y}</tip_y><tip_z>0</tip_z></technique></extra>"
        )
    };
    let limb = |tips: &[String]| {
        let joint = |tip: &String| format!("<node type='JOINT'><translate>0 2 0</translate>{tip}");
        tips.iter().map(joint).collect::<String>() + &"</node>".repeat(tips.len())
    };
    let armature = |tips: &[String]| format!("<node>{}</node>", limb(tips));
    let (along, across) = (tip(0, 2), tip(3, 0));
    let nodes = [
        armature(&[across.clone(), across.clone(), along.clone(), along.clone()]),
        armature(&[along.clone(), across.clone(), along.clone(), along.clone()]),
    ];
    let rig = read(&dae(&scene(&nodes.concat())), "t.dae");
    let tips: Vec<_> = rig.skeleton.joints.iter().filter_map(|joint| joint.tip).collect();
    assert_eq!(tips, [DVec3::Y * 2.0], "of the second armature; two of three miss in the first, one of three in it");
}
