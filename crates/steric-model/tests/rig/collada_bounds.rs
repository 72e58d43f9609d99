//! Small Collada files that ask for much: refused, or read without it.

use super::collada::{ARM, TWO_ARMS, animated, animation, dae, pose_at, scene, skin, source};
use super::{parsed, read, refusal, warns};

#[test]
fn keys_of_sources_that_many_samplers_share_are_bounded() {
    let numbers = "0 ".repeat(300_000);
    let inputs = "<input semantic='INPUT' source='#n'/><input semantic='OUTPUT' source='#n'/>";
    let samplers: String = (0..2800)
        .map(|at| format!("<sampler id='s{at}'>{inputs}</sampler><channel source='#s{at}' target='Arm/t.X'/>"))
        .collect();
    let error =
        refusal(&animated(ARM, &[format!("<animation>{}{samplers}</animation>", source("n", 1, &numbers))]), "k.dae");
    assert!(error.starts_with("k.dae:2: expected at most ") && error.contains(" further keys of curves"), "{error}");
}

#[test]
fn joints_of_names_that_many_skins_share_are_bounded() {
    let one = skin(&"arm ".repeat(20_000), "Name_array");
    let joints = "<joints><input semantic='JOINT' source='#j'/></joints>";
    let others: String =
        (0..60).map(|at| format!("<controller id='c{at}'><skin>{joints}</skin></controller>")).collect();
    let file = one.replace("</library_controllers>", &(others + "</library_controllers>"));
    let error = refusal(&dae(&(file + &scene(TWO_ARMS))), "s.dae");
    assert!(error.contains("expected at most 1048576 joints of skins"), "{error}");
}

#[test]
fn instances_on_one_skeleton_are_one_skin_and_a_joint_is_in_it_once() {
    let on = |root: &str| format!("<instance_controller url='#c'><skeleton>{root}</skeleton></instance_controller>");
    let nodes = format!("{TWO_ARMS}<node>{}</node>", [on("#L"), on("#R"), on("#L"), on("#L")].concat());
    let parsed = parsed(&dae(&(skin("arm hand arm", "Name_array") + &scene(&nodes))), "s.dae");
    let skins: Vec<_> = parsed.value.skins.iter().map(|skin| skin.joints.clone()).collect();
    assert_eq!(skins, [[1, 3], [5, 6]]);
    assert!(warns(&parsed.warnings, "a skin names the same node again, as joint \"arm\"; it was left out"));
}

/// Nodes that stand for two copies of the next one each; the last is a joint of this content, there two to the power of `levels` times.
fn doubling(levels: usize, attributes: &str, content: &str) -> String {
    let node = |n: usize| {
        format!("<node id='n{n}'><instance_node url='#n{}'/><instance_node url='#n{}'/></node>", n + 1, n + 1)
    };
    let nodes: String = (1..levels).map(node).collect();
    let last = format!("<node id='n{levels}' type='JOINT' {attributes}>{content}</node>");
    format!("<library_nodes>{nodes}{last}</library_nodes>{}", scene(&node(0)))
}

#[test]
fn copies_of_a_node_are_told_once_and_share_what_they_are_called() {
    let name = "long".repeat(100_000);
    let content = "<instance_controller url='#none'/><lookat/><instance_node url='#none'/>";
    let library = animation("a", "n16/none", "0 1", (1, "0 1"), "", &[]);
    let library = format!("<library_animations>{library}</library_animations>");
    let parsed = parsed(&dae(&(library + &doubling(16, &format!("name='{name}'"), content))), "c.dae");
    assert_eq!(parsed.value.skeleton.joints.iter().filter(|joint| joint.moves_atoms).count(), 1 << 16);
    for words in ["is no skin", "<lookat> is not", "there is no node \"#none\"", "1 channels move no transform"] {
        assert!(warns(&parsed.warnings, words), "{words}: {:?}", parsed.warnings);
    }
    assert_eq!(parsed.warnings.total, 4);
}

#[test]
fn channels_that_look_for_many_copies_are_bounded_whether_they_move_them_or_not() {
    let channels: Vec<String> =
        (0..40).map(|at| animation(&format!("a{at}"), "n16/none", "0 1", (1, "0 1"), "", &[])).collect();
    let library = format!("<library_animations>{}</library_animations>", channels.concat());
    let error = refusal(&dae(&(library + &doubling(16, "", ""))), "c.dae");
    assert!(error.contains("expected at most 1048576 channels"), "{error}");
}

#[test]
fn a_rope_of_many_joints_is_read() {
    let tip =
        "<extra><technique profile='blender'><tip_x>1</tip_x><tip_y>0</tip_y><tip_z>0</tip_z></technique></extra>";
    let joint = format!("<node type='JOINT'><translate>1 0 0</translate>{tip}");
    let rope = joint.repeat(20_000) + &"</node>".repeat(20_000);
    let rig = read(&dae(&scene(&format!("<node>{rope}</node>"))), "rope.dae");
    let bones = rig.skeleton.bones();
    assert_eq!((bones.len(), bones[19_999].tail.x), (20_000, 20_001.0));
    // The same with nodes that only carry a joint at the end and its neighbours.
    let straps = "<node>".repeat(100_000) + &"<node type='JOINT'/>".repeat(1000) + &"</node>".repeat(100_000);
    assert_eq!(read(&dae(&scene(&straps)), "straps.dae").skeleton.bones().len(), 1000);
}

#[test]
fn a_clip_visits_the_keys_of_its_window() {
    let times: String = (0..20_000).map(|key| format!("{key} ")).collect();
    let animation = animation("a", "Arm/t.X", &times, (1, &times), "", &[]);
    let clip = |start: usize| {
        let end = start + 1;
        format!("<animation_clip start='{start}.5' end='{end}.5'><instance_animation url='#a'/></animation_clip>")
    };
    let clips: String = (0..4000).map(clip).collect();
    let library = format!(
        "<library_animations>{animation}</library_animations><library_animation_clips>{clips}</library_animation_clips>"
    );
    let rig = read(&dae(&(library + &scene(ARM))), "w.dae");
    assert_eq!(rig.clips.len(), 4000);
    assert_eq!(rig.clips[3999].tracks[0].times, [0.0, 0.5, 1.0]);
    let x = |time| rig.clips[3999].poses(&rig.skeleton, time, steric_model::Turning::Slerp)[0].translation.x;
    assert_eq!([0.0, 0.25, 1.0].map(x), [3999.5, 3999.75, 4000.5]);
}

#[test]
fn a_window_inside_a_long_curve_is_looked_at_as_the_whole_is() {
    let tangents = [("IN_TANGENT", 2, "0 0 40 1"), ("OUT_TANGENT", 2, "20 0 60 1")];
    let animation = animation("a", "Arm/t.X", "0 60", (1, "0 1"), "BEZIER BEZIER", &tangents);
    let library = |clips: &str| {
        let clips = format!("<library_animation_clips>{clips}</library_animation_clips>");
        dae(&format!("<library_animations>{animation}</library_animations>{clips}{}", scene(ARM)))
    };
    let whole = read(&library(""), "w.dae");
    let clip = "<animation_clip start='29.99' end='30.11'><instance_animation url='#a'/></animation_clip>";
    let part = read(&library(clip), "w.dae");
    let times = &part.clips[0].tracks[0].times;
    assert_eq!(times.len(), 6, "{times:?}");
    for time in [30.0, 30.0 + 1.0 / 30.0, 30.05, 30.1] {
        let (in_part, in_whole) = (pose_at(&part, 0, time - 29.99), pose_at(&whole, 0, time));
        assert!((in_part.translation.x - in_whole.translation.x).abs() < 1e-9, "{time}");
    }
}

#[test]
fn keys_that_a_file_rounds_to_thirty_a_second_are_not_doubled() {
    let tangents = [("IN_TANGENT", 1, "0 0 0 0"), ("OUT_TANGENT", 1, "0 0 0 0")];
    let animations = [animation(
        "a",
        "Arm/t.X",
        "0 0.033333 0.066667 0.1",
        (1, "0 1 2 3"),
        "HERMITE HERMITE HERMITE HERMITE",
        &tangents,
    )];
    let rig = read(&animated(ARM, &animations), "r.dae");
    assert_eq!(rig.clips[0].tracks[0].times, [0.0, 0.033333, 0.066667, 0.1]);
}

#[test]
fn curves_with_the_same_keys_are_paid_for_once() {
    let (times, values, between) =
        ((0..41).map(|key| format!("{} ", 100 * key)).collect::<String>(), "1 ".repeat(41), "CARDINAL ".repeat(41));
    let targets = ["t.X", "t.Y", "t.Z", "rz.ANGLE", "rx.ANGLE", "s.X", "s.Y", "s.Z", "rx.X"];
    let animations =
        targets.map(|target| animation(target, &format!("Arm/{target}"), &times, (1, &values), &between, &[]));
    let parsed = parsed(&animated(ARM, &animations), "p.dae");
    assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
    assert_eq!(parsed.value.clips[0].tracks[0].times.len(), 120_001);
}
