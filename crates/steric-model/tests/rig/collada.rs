//! Each trap of Collada in a small file.

use glam::{DQuat, DVec3};
use steric_model::{Curve, JointPose, Rig, Turning};

use super::{parsed, read, refusal, warns};

/// A file of these libraries.
pub(super) fn dae(libraries: &str) -> Vec<u8> {
    let head = r#"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">"#;
    format!("{head}\n{libraries}\n</COLLADA>").into_bytes()
}

pub(super) fn scene(nodes: &str) -> String {
    format!("<library_visual_scenes><visual_scene id='Scene'>{nodes}</visual_scene></library_visual_scenes>")
}

/// A source of numbers.
pub(super) fn source(id: &str, width: usize, numbers: &str) -> String {
    let count = numbers.split_whitespace().count();
    let rows = count / width;
    format!(
        "<source id='{id}'><float_array id='{id}-array' count='{count}'>{numbers}</float_array><technique_common>\
         <accessor source='#{id}-array' count='{rows}' stride='{width}'/></technique_common></source>"
    )
}

/// An animation of one channel; `more` are further inputs, each a semantic, a width and numbers.
pub(super) fn animation(
    id: &str,
    target: &str,
    times: &str,
    values: (usize, &str),
    between: &str,
    more: &[(&str, usize, &str)],
) -> String {
    let mut sources = source(&format!("{id}-in"), 1, times) + &source(&format!("{id}-out"), values.0, values.1);
    let mut inputs =
        format!("<input semantic='INPUT' source='#{id}-in'/><input semantic='OUTPUT' source='#{id}-out'/>");
    if !between.is_empty() {
        sources += &format!("<source id='{id}-between'><Name_array>{between}</Name_array></source>");
        inputs += &format!("<input semantic='INTERPOLATION' source='#{id}-between'/>");
    }
    for (semantic, width, numbers) in more {
        sources += &source(&format!("{id}-{semantic}"), *width, numbers);
        inputs += &format!("<input semantic='{semantic}' source='#{id}-{semantic}'/>");
    }
    format!(
        "<animation id='{id}'>{sources}<sampler id='{id}-s'>{inputs}</sampler><channel source='#{id}-s' target='{target}'/></animation>"
    )
}

pub(super) fn animated(nodes: &str, animations: &[String]) -> Vec<u8> {
    dae(&format!("<library_animations>{}</library_animations>{}", animations.concat(), scene(nodes)))
}

pub(super) const ARM: &str = "<node id='Arm' name='arm' type='JOINT'><translate sid='t'>1 0 0</translate><rotate sid='rz'>0 0 1 0</rotate>\
    <rotate sid='rx'>1 0 0 0</rotate><scale sid='s'>1 1 1</scale></node>";

pub(super) fn pose_at(rig: &Rig, joint: usize, time: f64) -> JointPose {
    rig.clips[0].poses(&rig.skeleton, time, Turning::Slerp)[joint]
}

pub(super) fn turn(rig: &Rig, time: f64) -> f64 {
    let rotation = pose_at(rig, 0, time).rotation;
    2.0 * rotation.z.atan2(rotation.w).to_degrees()
}

#[test]
fn an_angle_goes_around_more_than_once() {
    let animations = [animation("a", "Arm/rz.ANGLE", "0 2", (1, "0 720"), "LINEAR LINEAR", &[])];
    let rig = read(&animated(ARM, &animations), "a.dae");
    for time in [0.1_f64, 0.5, 0.77, 1.0, 1.9] {
        let expected = DQuat::from_rotation_z((360.0 * time).to_radians());
        assert!(pose_at(&rig, 0, time).rotation.angle_between(expected) < 1e-6, "{time}");
    }
    // The same by the whole transform, by a place in its array, and without a member.
    for (target, width, values) in
        [("Arm/rz", 4, "0 0 1 0 0 0 1 720"), ("Arm/rz(3)", 1, "0 720"), ("Arm/rz", 1, "0 720")]
    {
        let animations = [animation("a", target, "0 2", (width, values), "", &[])];
        assert_eq!(read(&animated(ARM, &animations), "a.dae").clips, rig.clips, "{target}");
    }
}

#[test]
fn curves_of_single_numbers_are_looked_at_together() {
    let animations = [
        animation("x", "Arm/t.X", "0 1", (1, "1 3"), "LINEAR LINEAR", &[]),
        animation("y", "Arm/t.Y", "0 0.5 1", (1, "0 4 0"), "LINEAR LINEAR LINEAR", &[]),
        animation("s", "Arm/s", "0 1", (3, "1 1 1 2 1 1"), "", &[]),
        animation("rx", "Arm/rx.ANGLE", "0 1", (1, "0 90"), "", &[]),
    ];
    let parsed = parsed(&animated(ARM, &animations), "a.dae");
    assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
    let pose = pose_at(&parsed.value, 0, 0.5);
    assert!(pose.translation.abs_diff_eq(DVec3::new(2.0, 4.0, 0.0), 1e-9));
    assert!(pose.scale.abs_diff_eq(DVec3::new(1.5, 1.0, 1.0), 1e-9));
    assert!(pose.rotation.angle_between(DQuat::from_rotation_x(45_f64.to_radians())) < 1e-6);
    assert_eq!(parsed.value.clips.len(), 1);
}

#[test]
fn bezier_curves_follow_their_control_points_in_time_and_value() {
    // Control points at a third and two thirds of the time: x = 3 s (1-s)^2 · 0 + 3 s^2 (1-s) · 1 + s^3, with s the time.
    let tangents = [("IN_TANGENT", 2, "0 0 0.666666667 1"), ("OUT_TANGENT", 2, "0.333333333 0 1 1")];
    let rig =
        read(&animated(ARM, &[animation("b", "Arm/t.X", "0 1", (1, "0 1"), "BEZIER BEZIER", &tangents)]), "b.dae");
    for time in [0.2, 0.5, 0.9] {
        let smooth = 3.0 * time * time * (1.0 - time) + time * time * time;
        assert!((pose_at(&rig, 0, time).translation.x - smooth).abs() < 2e-3, "{time}");
    }
    assert_eq!(rig.clips[0].tracks[0].times.len(), 31, "thirty looks in a second");
    // Control points in the middle of the time: halfway in time is halfway in value, but it starts slower.
    let tangents = [("IN_TANGENT", 2, "0 0 0.5 1"), ("OUT_TANGENT", 2, "0.5 0 1 1")];
    let slow =
        read(&animated(ARM, &[animation("b", "Arm/t.X", "0 1", (1, "0 1"), "BEZIER BEZIER", &tangents)]), "b.dae");
    let at = |time| pose_at(&slow, 0, time).translation.x;
    assert!((at(0.5) - 0.5).abs() < 2e-3);
    // s = 0.25: time 3·0.25·0.5625·0.5 + 3·0.0625·0.75·0.5 + 0.015625 = 0.296875, value 3·0.0625·0.75 + 0.015625 = 0.15625.
    assert!((at(0.296_875) - 0.156_25).abs() < 2e-3, "{}", at(0.296_875));
}

#[test]
fn hermite_curves_leave_and_arrive_along_their_tangents() {
    let tangents = [("IN_TANGENT", 1, "0 0"), ("OUT_TANGENT", 1, "3 0")];
    let rig =
        read(&animated(ARM, &[animation("h", "Arm/t.X", "0 1", (1, "0 0"), "HERMITE HERMITE", &tangents)]), "h.dae");
    // (t^3 - 2 t^2 + t) · 3 at a half.
    assert!((pose_at(&rig, 0, 0.5).translation.x - 0.375).abs() < 2e-3);
}

#[test]
fn steps_hold_alone_and_among_lines() {
    let steps = animation("x", "Arm/t.X", "0 1 2", (1, "0 5 7"), "STEP STEP STEP", &[]);
    let alone = read(&animated(ARM, std::slice::from_ref(&steps)), "s.dae");
    assert!(alone.clips[0].tracks.iter().all(|track| track.curve == Curve::Step));
    let lines = animation("y", "Arm/t.Y", "0 2", (1, "0 2"), "LINEAR LINEAR", &[]);
    let both = read(&animated(ARM, &[steps, lines]), "s.dae");
    for rig in [&alone, &both] {
        let x = [0.5, 0.999, 1.0, 1.5, 2.0].map(|time| pose_at(rig, 0, time).translation.x.round());
        assert_eq!(x, [0.0, 0.0, 5.0, 5.0, 7.0]);
    }
    assert!((pose_at(&both, 0, 0.5).translation.y - 0.5).abs() < 1e-6);
}

#[test]
fn matrices_are_targets_by_name_by_habit_and_by_place() {
    let node = "<node id='Arm' type='JOINT'><matrix sid='transform'>1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1</matrix></node>";
    let keys = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1  0 -1 0 4 1 0 0 0 0 0 1 0 0 0 0 1";
    for target in ["Arm/transform", "Arm/matrix"] {
        let rig = read(&animated(node, &[animation("m", target, "0 1", (16, keys), "", &[])]), "m.dae");
        assert!((turn(&rig, 0.5) - 45.0).abs() < 1e-6 && (pose_at(&rig, 0, 0.5).translation.x - 2.0).abs() < 1e-9);
    }
    // Column 3, row 0: where x is moved.
    let rig = read(&animated(node, &[animation("m", "Arm/transform(3)(0)", "0 1", (1, "1 5"), "", &[])]), "m.dae");
    assert_eq!(pose_at(&rig, 0, 1.0).translation, DVec3::X * 5.0);
    // Sixteen numbers for a node of other transforms replace all of them.
    let rig = read(&animated(ARM, &[animation("m", "Arm/matrix", "0 1", (16, keys), "", &[])]), "m.dae");
    assert!((turn(&rig, 1.0) - 90.0).abs() < 1e-6 && (pose_at(&rig, 0, 1.0).translation.x - 4.0).abs() < 1e-9);
}

#[test]
fn clips_are_cut_out_of_nested_animations() {
    let one = animation("one", "Arm/t.X", "0 1 2", (1, "0 1 2"), "", &[]);
    let two = animation("two", "Arm/t.Y", "0 2", (1, "0 8"), "", &[]);
    let library = format!(
        "<library_animations><animation id='all'><animation id='nest'>{one}</animation>{two}</animation></library_animations>\
         <library_animation_clips>\
         <animation_clip name='late' start='0.5' end='1.5'><instance_animation url='#all'/><instance_animation url='#one'/></animation_clip>\
         <animation_clip id='whole'><instance_animation url='#nest'/></animation_clip>\
         <animation_clip name='back' start='2' end='1'><instance_animation url='#nest'/></animation_clip>\
         </library_animation_clips>"
    );
    let parsed = parsed(&dae(&(library + &scene(ARM))), "c.dae");
    let rig = &parsed.value;
    let clips: Vec<_> = rig.clips.iter().map(|clip| (clip.name.as_str(), clip.duration)).collect();
    assert_eq!(clips, [("late", 1.0), ("whole", 2.0)]);
    assert_eq!(rig.clips[0].tracks[0].times, [0.0, 0.5, 1.0]);
    assert!(pose_at(rig, 0, 0.25).translation.abs_diff_eq(DVec3::new(0.75, 3.0, 0.0), 1e-9));
    assert!(rig.clips[1].poses(&rig.skeleton, 2.0, Turning::Slerp)[0].translation.y.abs() < 1e-9);
    assert!(warns(&parsed.warnings, "clip \"back\" ends before it begins"));
}

pub(super) fn skin(names: &str, kind: &str) -> String {
    let matrices = "1 0 0 -5 0 1 0 0 0 0 1 0 0 0 0 1  1 0 0 -6 0 1 0 -3 0 0 1 0 0 0 0 1";
    format!(
        "<library_controllers><controller id='c' name='coat'><skin source='#mesh'><bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>\
         <source id='j'><{kind}>{names}</{kind}></source>{}<joints><input semantic='JOINT' source='#j'/>\
         <input semantic='INV_BIND_MATRIX' source='#m'/></joints></skin></controller></library_controllers>",
        source("m", 16, matrices)
    )
}

pub(super) const TWO_ARMS: &str = "<node id='L' sid='left'><node id='L1' sid='arm' type='JOINT'><translate>5 0 0</translate><node id='strap'>\
    <node id='L2' sid='hand' type='JOINT'><translate>2 0 0</translate></node></node></node></node>\
    <node id='R' sid='right'><node id='R1' sid='arm'><translate>0 5 0</translate><node id='R2' sid='hand'/></node></node>";

#[test]
fn skins_find_joints_below_their_skeleton_or_by_id() {
    let instance = "<node><instance_controller url='#c'><skeleton>#R</skeleton></instance_controller></node>";
    let by_sid = read(&dae(&(skin("arm hand", "Name_array") + &scene(&format!("{TWO_ARMS}{instance}")))), "s.dae");
    let by_id = read(&dae(&(skin("R1 R2", "IDREF_array") + &scene(TWO_ARMS))), "s.dae");
    for rig in [&by_sid, &by_id] {
        let names: Vec<_> = rig.skeleton.joints.iter().map(|joint| (joint.name.as_str(), joint.moves_atoms)).collect();
        let expected =
            [("L", false), ("L1", true), ("strap", false), ("L2", true), ("R", false), ("R1", true), ("R2", true)];
        assert_eq!(names, expected);
        assert_eq!((rig.skins[0].name.as_str(), &rig.skins[0].joints), ("coat", &vec![5, 6]));
        // The arm is bound where it rests, at y = 5, and the hand (1, 3) from it.
        assert_eq!(rig.skeleton.joints[6].bind.translation, DVec3::new(1.0, 8.0, 0.0));
    }
    let first = read(&dae(&(skin("arm hand", "Name_array") + &scene(TWO_ARMS))), "s.dae");
    assert_eq!(first.skins[0].joints, [1, 3], "without a skeleton the first of the name");
    let missing = parsed(&dae(&(skin("arm wing", "Name_array") + &scene(TWO_ARMS))), "s.dae");
    assert!(warns(&missing.warnings, "there is no node for joint \"wing\"; it was left out"));
}

#[test]
fn nodes_that_stand_for_others_are_walked_in_their_place() {
    let libraries =
        "<library_nodes><node id='leg' type='JOINT'><translate sid='t'>0 0 -1</translate></node></library_nodes>";
    let nodes = "<node><translate>1 0 0</translate><instance_node url='#leg'/></node><node><translate>2 0 0</translate><instance_node url='#leg'/></node>";
    let animations = animation("a", "leg/t.Z", "0 1", (1, "0 1"), "", &[]);
    let file = format!("{libraries}<library_animations>{animations}</library_animations>{}", scene(nodes));
    let rig = read(&dae(&file), "n.dae");
    let places: Vec<_> =
        rig.skeleton.joints.iter().filter(|joint| joint.moves_atoms).map(|joint| joint.bind.translation).collect();
    assert_eq!(places, [DVec3::new(1.0, 0.0, -1.0), DVec3::new(2.0, 0.0, -1.0)]);
    let moved: Vec<u32> = rig.clips[0].tracks.iter().map(|track| track.joint).collect();
    assert_eq!(moved, [1, 1, 3, 3], "both legs");
}

#[test]
fn circles_and_floods_of_nodes_are_refused() {
    let circle = "<node id='a' type='JOINT'><instance_node url='#a'/></node>";
    let error = refusal(&dae(&scene(circle)), "c.dae");
    assert_eq!(error, r##"c.dae:2: expected nodes without circles, found "instance_node \"#a\" below itself""##);
    let long_circle = "<node id='a'><instance_node url='#b'/></node><node id='b' type='JOINT'><node><instance_node url='#a'/></node></node>";
    assert!(refusal(&dae(&scene(long_circle)), "c.dae").contains("expected nodes without circles"));
    let doubling = |n: usize| {
        format!("<node id='n{n}'><instance_node url='#n{}'/><instance_node url='#n{}'/></node>", n + 1, n + 1)
    };
    let flood: String = (0..60).map(doubling).collect::<String>() + "<node id='n60' type='JOINT'/>";
    assert!(refusal(&dae(&scene(&flood)), "f.dae").contains("expected at most 262144 nodes"));
    let deep = "<node>".repeat(300_000) + &"</node>".repeat(300_000);
    assert!(refusal(&dae(&scene(&deep)), "d.dae").contains("expected at most 262144 nodes"));
}

#[test]
fn tips_of_blender_end_limbs_in_the_frame_of_their_joint() {
    let tip = "<extra><technique profile='blender'><layer>0</layer><tip_x>0</tip_x><tip_y>0</tip_y><tip_z sid='tip_z' type='float'>2</tip_z></technique></extra>";
    let only_roll =
        "<extra><technique profile='blender'><layer>0</layer><roll>0.1</roll><connect>1</connect></technique></extra>";
    // Bones of Blender point along their own y; the armature's turn is not theirs.
    let nodes = format!(
        "<node name='armature'><rotate>0 1 0 90</rotate><node name='upright' type='JOINT'><rotate>1 0 0 90</rotate>{tip}\
         <node name='child' type='JOINT'><translate>0 2 0</translate><rotate>0 0 1 90</rotate>{tip}</node>\
         <node name='rolled' type='JOINT'>{only_roll}</node></node></node>"
    );
    let rig = read(&dae(&scene(&nodes)), "t.dae");
    let tips: Vec<_> = rig.skeleton.joints.iter().map(|joint| joint.tip).collect();
    assert_eq!(tips[1], None, "it goes on to its children");
    assert!(tips[2].unwrap().abs_diff_eq(DVec3::X * 2.0, 1e-9), "{tips:?}");
    assert_eq!((tips[0], tips[3]), (None, None));
}

#[test]
fn tips_that_miss_the_next_joint_are_not_believed() {
    let tip = |x: u8, y: u8| {
        format!(
            "<extra><technique profile='blender'><tip_x>{x}</tip_x><tip_y>{y}</tip_y><tip_z>0</tip_z></technique></extra>"
        )
    };
    let last = format!("<node name='b' type='JOINT'><translate>0 2 0</translate>{}</node>", tip(0, 2));
    let tip_of_last = |first: String| {
        let nodes = format!("<node name='a' type='JOINT'>{first}{last}</node>");
        read(&dae(&scene(&nodes)), "t.dae").skeleton.joints[1].tip
    };
    assert_eq!(tip_of_last(tip(0, 3)), Some(DVec3::Y * 2.0));
    assert_eq!(tip_of_last(tip(3, 0)), None);
}

#[test]
fn bad_numbers_are_told_with_their_lines() {
    let text = "<COLLADA><library_visual_scenes><visual_scene>\n<node type='JOINT'>\n<translate>1 2\n  3x</translate></node></visual_scene></library_visual_scenes></COLLADA>";
    let error = refusal(text.as_bytes(), "n.dae");
    assert_eq!(error, r#"n.dae:4: columns 3-4: expected a number in <translate>, found "3x""#);
    let few = text.replace("\n  3x", "");
    assert_eq!(refusal(few.as_bytes(), "n.dae"), r#"n.dae:3: expected 3 numbers in <translate>, found "2""#);
    let animations = animation("a", "Arm/t.X", "0 1", (1, "0 nan"), "", &[]);
    assert!(
        refusal(&animated(ARM, &[animations]), "n.dae").contains("expected a number in <float_array>, found \"nan\"")
    );
    let error = refusal(b"<COLLADA>\n<asset>\n</COLLADA>", "x.dae");
    assert!(error.starts_with("x.dae:3: expected XML ("), "{error}");
    let huge = animation("a", "Arm/t.X", "0 1", (1, "1e300 -1e308"), "", &[]);
    let scaled = ARM.replace("<translate", "<scale sid='first'>1e300 1 1</scale><translate");
    assert!(refusal(&animated(&scaled, &[huge]), "h.dae").contains("products stay finite"));
}

#[test]
fn soft_problems_are_warnings() {
    let node = "<node name='a' type='JOINT'><lookat>0 0 1 0 0 0 0 1 0</lookat><skew>45 0 1 0 1 0 0</skew><translate sid='t'>1 0 0</translate></node>";
    let animations = [
        animation("a", "Lamp/intensity", "0 1", (1, "0 1"), "", &[]),
        animation("b", "Arm/t", "0 1", (1, "0 1"), "", &[]),
        animation("c", "Arm/t.X", "0 1", (1, "0 1"), "WOBBLE LINEAR", &[]),
        animation("d", "Arm/t.Y", "0 1", (1, "0 1"), "BEZIER BEZIER", &[]),
    ];
    let asset = "<asset><unit meter='-1'/><title> Two arms </title></asset>";
    let library = format!("{asset}<library_animations>{}</library_animations>", animations.concat());
    let parsed = parsed(&dae(&(library + &scene(&format!("{node}{ARM}")))), "w.dae");
    for words in [
        "line 2: <lookat> is not supported",
        "<skew> is not supported",
        "expected metres above 0, found \"-1\"",
        "1 channels move no transform of a node, as \"Lamp/intensity\"",
        "\"Arm/t\" has 3 numbers and its curve 1",
        "the interpolation \"WOBBLE\" is not supported; taken as LINEAR",
        "key 0 has no tangents; taken as LINEAR",
    ] {
        assert!(warns(&parsed.warnings, words), "{words}: {:?}", parsed.warnings);
    }
    assert_eq!((parsed.warnings.total, parsed.value.unit_metres), (7, None));
    assert_eq!(parsed.value.name, "Two arms");
}

#[test]
fn plain_nodes_that_clips_move_are_joints_where_there_are_no_others() {
    let nodes = "<node id='base'><node id='Arm'><translate sid='t'>1 0 0</translate></node><node id='lamp'/></node>";
    let parsed = parsed(&animated(nodes, &[animation("a", "Arm/t.X", "0 1", (1, "0 1"), "", &[])]), "p.dae");
    let joints: Vec<_> =
        parsed.value.skeleton.joints.iter().map(|joint| (joint.name.as_str(), joint.moves_atoms)).collect();
    assert_eq!(joints, [("base", true), ("Arm", true)]);
    assert!(warns(&parsed.warnings, "there are no joints"));
    assert!(refusal(&dae(&scene(nodes)), "p.dae").contains("expected a skeleton, or nodes that a clip moves"));
}

#[test]
fn a_claim_of_time_takes_no_memory() {
    let tangents = [("IN_TANGENT", 1, "0 0"), ("OUT_TANGENT", 1, "0 0")];
    let animations = [animation("a", "Arm/t.X", "0 1e15", (1, "0 1"), "BEZIER BEZIER", &tangents)];
    let rig = read(&animated(ARM, &animations), "l.dae");
    assert!(rig.clips[0].tracks[0].times.len() < 4000);
    let turns = [animation("a", "Arm/rz.ANGLE", "0 1", (1, "0 1e300"), "", &[])];
    assert!(read(&animated(ARM, &turns), "l.dae").clips[0].tracks[0].times.len() < 4000);
}

#[test]
fn curves_that_many_clips_share_are_bounded() {
    let times: String = (0..20_000).map(|key| format!("{key} ")).collect();
    let animation = animation("a", "Arm/t.X", &times, (1, &times), "", &[]);
    let clips = "<animation_clip end='1e9'><instance_animation url='#a'/></animation_clip>".repeat(1000);
    let library = format!(
        "<library_animations>{animation}</library_animations><library_animation_clips>{clips}</library_animation_clips>"
    );
    let error = refusal(&dae(&(library + &scene(ARM))), "c.dae");
    assert!(error.contains("expected clips of at most four million keys"), "{error}");
}
