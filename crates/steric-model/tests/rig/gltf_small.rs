//! Each trap of glTF in a small file.

use glam::{DQuat, DVec3};
use steric_model::formats::rig::read_rig;
use steric_model::{Clip, JointPose, Keys, Rig, Turning};

use super::small::{Small, bytes_of};
use super::{parsed, read, refusal, warns};

const TWO_JOINTS: &str =
    r#""nodes":[{"name":"hip","children":[1]},{"name":"knee","translation":[0,-2,0]}],"skins":[{"joints":[0,1]}]"#;

fn pose_at(rig: &Rig, joint: usize, time: f64) -> JointPose {
    rig.clips[0].poses(&rig.skeleton, time, Turning::Slerp)[joint]
}

/// The clip of one channel of node 1 with these accessors.
fn animated(body: &str, path: &str, input: usize, output: usize, interpolation: &str) -> String {
    format!(
        r#"{body},"animations":[{{"name":"wave","channels":[{{"sampler":0,"target":{{"node":1,"path":"{path}"}}}}],"samplers":[{{"input":{input},"output":{output},"interpolation":"{interpolation}"}}]}}]"#
    )
}

fn moved(numbers: &[f32], interpolation: &str) -> Rig {
    let mut file = Small::default();
    let (input, output) = (file.floats("SCALAR", &[0.0, 1.0, 3.0]), file.floats("VEC3", numbers));
    read(&file.glb(&animated(TWO_JOINTS, "translation", input, output, interpolation)), "wave.glb")
}

#[test]
fn steps_hold_until_the_next_key() {
    let rig = moved(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0], "STEP");
    assert_eq!(
        [0.0, 0.9, 1.0, 2.9, 3.0, 9.0].map(|time| pose_at(&rig, 1, time).translation.x),
        [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    );
}

#[test]
fn lines_join_keys() {
    let rig = moved(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0], "LINEAR");
    assert_eq!([-1.0, 0.5, 1.0, 2.0, 9.0].map(|time| pose_at(&rig, 1, time).translation.x), [0.0, 0.5, 1.0, 1.5, 2.0]);
    assert_eq!((rig.clips[0].name.as_str(), rig.clips[0].duration), ("wave", 3.0));
}

#[test]
fn cubic_splines_leave_and_arrive_along_their_tangents() {
    // Arriving tangent, value and leaving tangent of three keys; only x moves.
    let x = [[0.0, 0.0, 1.0], [0.0, 1.0, -0.5], [2.0, 2.0, 0.0]];
    let numbers: Vec<f32> = x.iter().flatten().flat_map(|&x| [x, 0.0, 0.0]).collect();
    let rig = moved(&numbers, "CUBICSPLINE");
    let at = |time| pose_at(&rig, 1, time).translation.x;
    assert_eq!([0.0, 1.0, 3.0].map(at), [0.0, 1.0, 2.0], "keys are met");
    // Halfway: (v0 + v1) / 2 + length (leaving - arriving) / 8.
    assert!((at(0.5) - (0.5 + 1.0 / 8.0)).abs() < 1e-6);
    assert!((at(2.0) - (1.5 + 2.0 * (-0.5 - 2.0) / 8.0)).abs() < 1e-6);
}

#[test]
fn normalised_whole_numbers_are_rotations() {
    let mut file = Small::default();
    let input = file.floats("SCALAR", &[0.0, 1.0]);
    let half = (32767.0 * 0.5_f64.sqrt()).round() as i16;
    let numbers = [0, 0, 0, 32767, 0, 0, half, half].map(i16::to_le_bytes).concat();
    let view = file.view(&numbers, "");
    let output = file
        .accessor(&format!(r#""bufferView":{view},"componentType":5122,"normalized":true,"count":2,"type":"VEC4""#));
    let rig = read(&file.gltf(&animated(TWO_JOINTS, "rotation", input, output, "LINEAR")), "turn.gltf");
    let turned = pose_at(&rig, 1, 0.5).rotation;
    assert!(turned.angle_between(DQuat::from_rotation_z(45_f64.to_radians())) < 1e-4, "{turned}");
}

#[test]
fn sparse_accessors_change_some_rows_of_a_strided_view() {
    let mut file = Small::default();
    let input = file.floats("SCALAR", &[0.0, 1.0, 2.0]);
    // Rows of four numbers, of which the first three count.
    let view =
        file.view(&bytes_of(&[1.0, 0.0, 0.0, 9.0, 2.0, 0.0, 0.0, 9.0, 3.0, 0.0, 0.0, 9.0]), r#","byteStride":16"#);
    let (indices, values) = (file.view(&[2], ""), file.view(&bytes_of(&[7.0, 7.0, 7.0]), ""));
    let sparse = format!(
        r#""sparse":{{"count":1,"indices":{{"bufferView":{indices},"componentType":5121}},"values":{{"bufferView":{values}}}}}"#
    );
    let dense = file.accessor(&format!(r#""bufferView":{view},"componentType":5126,"count":3,"type":"VEC3",{sparse}"#));
    let empty = file.accessor(&format!(r#""componentType":5126,"count":3,"type":"VEC3",{sparse}"#));
    for (output, expected) in [(dense, [1.0, 2.0, 7.0]), (empty, [0.0, 0.0, 7.0])] {
        let rig = read(&file.glb(&animated(TWO_JOINTS, "translation", input, output, "LINEAR")), "sparse.glb");
        let Keys::Translation(keys) = &rig.clips[0].tracks[0].keys else { panic!("translations") };
        assert_eq!(keys.iter().map(|key| key.x).collect::<Vec<_>>(), expected);
    }
    let outside = file.view(&[3], "");
    let sparse = sparse.replace(&format!(r#""bufferView":{indices}"#), &format!(r#""bufferView":{outside}"#));
    let output = file.accessor(&format!(r#""componentType":5126,"count":3,"type":"VEC3",{sparse}"#));
    let error = refusal(&file.glb(&animated(TWO_JOINTS, "translation", input, output, "LINEAR")), "sparse.glb");
    assert!(error.contains("sparse indices inside accessors[") && error.ends_with("found \"3\""), "{error}");
}

#[test]
fn a_joint_above_or_between_joints_of_the_skin_only_carries_them() {
    let nodes = r#""nodes":[
        {"name":"lamp"},
        {"name":"hand","translation":[0,0,3]},
        {"name":"room","children":[3,0]},
        {"name":"arm","translation":[1,0,0],"children":[4,5]},
        {"name":"strap","matrix":[0,1,0,0, -1,0,0,0, 0,0,1,0, 0,0,0,1],"children":[1]},
        {"name":"sleeve"}]"#;
    let rig =
        read(&Small::default().gltf(&format!(r#"{nodes},"skins":[{{"name":"glove","joints":[1,3]}}]"#)), "arm.gltf");
    let joints: Vec<_> =
        rig.skeleton.joints.iter().map(|joint| (joint.name.as_str(), joint.parent, joint.moves_atoms)).collect();
    let expected = [("room", None, false), ("arm", Some(0), true), ("strap", Some(1), false), ("hand", Some(2), true)];
    assert_eq!(joints, expected, "parents first, and otherwise in file order");
    assert_eq!((rig.skins[0].name.as_str(), rig.skins[0].joints.as_slice()), ("glove", &[3, 1][..]));
    let hand = rig.skeleton.joints[3].bind;
    assert!(hand.transform_point3(DVec3::X).abs_diff_eq(DVec3::new(1.0, 1.0, 3.0), 1e-9), "the strap turns");
    assert_eq!(rig.unit_metres, Some(1.0));
}

#[test]
fn two_roots_in_two_scenes_are_one_skeleton() {
    let body = r#""scene":1,"scenes":[{"nodes":[0]},{"nodes":[1]}],"nodes":[{"name":"left"},{"name":"right"}],"skins":[{"joints":[0]},{"joints":[1]}]"#;
    let rig = read(&Small::default().gltf(body), "pair.gltf");
    assert_eq!(rig.skeleton.joints.iter().map(|joint| joint.parent).collect::<Vec<_>>(), [None, None]);
    assert_eq!(rig.skins.len(), 2);
}

#[test]
fn bind_matrices_are_brought_to_the_scene() {
    let mut file = Small::default();
    // Bound 10 further along x than it rests, with the knee bent forward: the first joint tells the difference.
    #[rustfmt::skip]
    let matrices = [
        1.0, 0.0, 0.0, 0.0,  0.0, 1.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  -10.0, 0.0, 0.0, 1.0,
        1.0, 0.0, 0.0, 0.0,  0.0, 1.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  -10.0, 0.0, -2.0, 1.0,
        0.0, 0.0, 0.0, 0.0,  0.0, 0.0, 0.0, 0.0,  0.0, 0.0, 0.0, 0.0,  0.0, 0.0, 0.0, 1.0,
    ];
    let matrices = file.floats("MAT4", &matrices);
    let body = format!(
        r#""nodes":[{{"children":[1]}},{{"translation":[0,-2,0],"children":[2]}},{{"name":"flat","translation":[0,-1,0]}}],
        "skins":[{{"joints":[0,1,2],"inverseBindMatrices":{matrices}}},{{"joints":[1]}},{{"joints":[1,0],"inverseBindMatrices":{matrices}}}]"#
    );
    let parsed = parsed(&file.glb(&body), "leg.glb");
    let bound: Vec<_> = parsed.value.skeleton.joints.iter().map(|joint| joint.bind.translation).collect();
    assert_eq!(bound, [DVec3::ZERO, DVec3::new(0.0, 0.0, 2.0), DVec3::new(0.0, -3.0, 0.0)]);
    assert!(warns(&parsed.warnings, "joint \"flat\" is flat; it is bound at rest"));
    assert!(warns(&parsed.warnings, "two skins bind joint \"\" differently; the first holds"));
}

#[test]
fn circles_and_two_parents_are_refused() {
    let file = Small::default();
    let circle = r#""nodes":[{},{"name":"a","children":[2]},{"children":[1]}],"skins":[{"joints":[0]}]"#;
    let error = refusal(&file.gltf(circle), "c.gltf");
    assert_eq!(error, r#"c.gltf: expected nodes without circles, found "node 1, \"a\", among its own ancestors""#);
    let itself = r#""nodes":[{"children":[0]}],"skins":[{"joints":[0]}]"#;
    assert!(refusal(&file.gltf(itself), "c.gltf").contains("nodes without circles"));
    let parents = r#""nodes":[{"children":[2]},{"children":[2]},{}],"skins":[{"joints":[2]}]"#;
    assert_eq!(
        refusal(&file.gltf(parents), "p.gltf"),
        r#"p.gltf: expected one parent for node 2, found "node 0 and node 1""#
    );
    let outside = r#""nodes":[{"children":[7]}],"skins":[{"joints":[0]}]"#;
    assert!(refusal(&file.gltf(outside), "o.gltf").contains("children of node 0 among the 1 nodes"));
    let joint = r#""nodes":[{}],"skins":[{"joints":[1]}]"#;
    assert!(refusal(&file.gltf(joint), "j.gltf").contains("joints of skins[0] among the 1 nodes"));
}

#[test]
fn a_glb_file_that_is_cut_anywhere_is_refused() {
    let mut file = Small::default();
    let (input, output) = (file.floats("SCALAR", &[0.0, 1.0]), file.floats("VEC3", &[0.0; 6]));
    let bytes = file.glb(&animated(TWO_JOINTS, "scale", input, output, "LINEAR"));
    assert_eq!(read(&bytes, "whole.glb").clips.len(), 1);
    for length in 4..bytes.len() {
        let error = refusal(&bytes[..length], "cut.glb");
        assert!(error.starts_with("cut.glb: byte "), "{error}");
    }
    // A header that agrees with the cut does not help: the chunk of the buffer, or the buffer, is too short.
    for length in (bytes.len() - 50..bytes.len()).step_by(4) {
        let mut cut = bytes[..length].to_vec();
        cut[8..12].copy_from_slice(&(length as u32).to_le_bytes());
        let error = refusal(&cut, "cut.glb");
        assert!(error.contains("expected"), "{error}");
    }
}

#[test]
fn accessors_outside_their_buffers_are_refused() {
    let mut file = Small::default();
    let input = file.floats("SCALAR", &[0.0, 1.0]);
    let view = file.view(&bytes_of(&[0.0; 6]), "");
    let narrow = file.view(&bytes_of(&[0.0; 6]), r#","byteStride":4"#);
    let mut try_output = |json: &str| {
        let output = file.accessor(json);
        refusal(&file.glb(&animated(TWO_JOINTS, "translation", input, output, "LINEAR")), "x.glb")
    };
    let vectors =
        |view: usize, count: &str| format!(r#""bufferView":{view},"componentType":5126,"count":{count},"type":"VEC3""#);
    let error = try_output(&vectors(view, "3"));
    assert!(
        error.contains("accessors[1] inside the 24 bytes of its bufferView, found \"3 rows, 12 bytes apart"),
        "{error}"
    );
    assert!(error.starts_with("x.glb: byte "), "{error}");
    assert!(try_output(&vectors(view, "6148914691236517206")).contains("numbers for accessors[2]"));
    assert!(try_output(&vectors(7, "2")).contains("one of the 3 bufferViews"));
    assert!(try_output(&vectors(narrow, "2")).contains("a byteStride of at least 12"));
    assert!(
        try_output(&(vectors(view, "2") + r#","byteOffset":18446744073709551615"#)).contains("inside the 24 bytes")
    );
    assert!(try_output(r#""componentType":5126,"count":999999999999,"type":"VEC3""#).contains("at most"));
    assert!(
        try_output(r#""componentType":5124,"count":1,"type":"VEC3""#).contains("a componentType from 5120 to 5126")
    );
    assert!(try_output(r#""componentType":5126,"count":1,"type":"VEC2""#).contains("expected VEC3 in accessors["));
    assert!(try_output(r#""componentType":5126,"count":1,"type":"VEC3""#).contains("expected 2 values for 2 keys"));
}

#[test]
fn broken_json_is_told_with_its_place() {
    let error = refusal(b"{\"asset\":{\"version\":\"2.0\"},\n \"nodes\":[{\"matrix\":[1,2]}]}", "m.gltf");
    assert!(error.starts_with("m.gltf:2: columns "), "{error}");
    assert!(error.contains("an array of length 16"), "{error}");
    assert!(
        refusal(b"{\"asset\":{\"version\":\"1.0\"}}", "v.gltf").contains("expected version 2 of glTF, found \"1.0\"")
    );
    assert!(refusal(b"{}", "v.gltf").contains("missing field `asset`"));
    let neither = refusal(b"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{},{}]}", "n.gltf");
    assert!(neither.contains("found \"2 nodes without a joint, a skin or an animation\""), "{neither}");
}

#[test]
fn nodes_that_a_clip_moves_are_joints_where_there_is_no_skin() {
    let mut file = Small::default();
    let (input, output) = (file.floats("SCALAR", &[0.0, 1.0]), file.floats("VEC3", &[0.0; 6]));
    let nodes = r#""nodes":[{"name":"base","children":[1,2]},{"name":"empty"},{"name":"camera"}]"#;
    let parsed = parsed(&file.glb(&animated(nodes, "translation", input, output, "LINEAR")), "e.glb");
    let joints: Vec<_> =
        parsed.value.skeleton.joints.iter().map(|joint| (joint.name.as_str(), joint.moves_atoms)).collect();
    assert_eq!(joints, [("base", true), ("empty", true)]);
    assert!(warns(&parsed.warnings, "there are no joints; the 2 nodes that clips move were taken for joints"));
}

#[test]
fn channels_of_others_are_ignored_and_morphs_are_told_once() {
    let mut file = Small::default();
    let (input, output) = (file.floats("SCALAR", &[0.0, 1.0]), file.floats("VEC3", &[0.0; 6]));
    let channel = |node: usize, path: &str| format!(r#"{{"sampler":0,"target":{{"node":{node},"path":"{path}"}}}}"#);
    let clip = |channels: &[String]| {
        format!(r#"{{"channels":[{}],"samplers":[{{"input":{input},"output":{output}}}]}}"#, channels.join(","))
    };
    let clips = [
        clip(&[channel(0, "translation"), channel(1, "weights"), channel(1, "weights"), channel(1, "scale")]),
        clip(&[channel(1, "translation")]),
    ];
    let body =
        format!(r#""nodes":[{{}},{{"name":"lamp"}}],"skins":[{{"joints":[0]}}],"animations":[{}]"#, clips.join(","));
    let parsed = parsed(&file.gltf(&body), "m.gltf");
    let tracks: Vec<usize> = parsed.value.clips.iter().map(|clip: &Clip| clip.tracks.len()).collect();
    assert_eq!(tracks, [1], "the second clip moves no joint");
    assert!(warns(&parsed.warnings, "2 channels of morphing meshes"));
    assert_eq!(parsed.warnings.total, 2, "{:?}", parsed.warnings);
}

#[test]
fn keys_out_of_order_are_sorted() {
    let mut file = Small::default();
    let input = file.floats("SCALAR", &[2.0, 0.0, 2.0]);
    let output = file.floats("VEC3", &[9.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    let parsed = parsed(&file.glb(&animated(TWO_JOINTS, "translation", input, output, "LINEAR")), "o.glb");
    assert_eq!(parsed.value.clips[0].tracks[0].times, [0.0, 2.0]);
    assert_eq!(pose_at(&parsed.value, 1, 1.0).translation.x, 1.5);
    assert!(warns(&parsed.warnings, "do not rise"));
}

#[test]
fn buffers_lie_beside_the_file_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = Small::default();
    let (input, output) = (file.floats("SCALAR", &[0.0, 1.0]), file.floats("VEC3", &[0.0, 0.0, 0.0, 5.0, 0.0, 0.0]));
    let body = animated(TWO_JOINTS, "translation", input, output, "LINEAR");
    let path = folder.path().join("walk.gltf");
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let (_, content) = file.gltf_beside(&body, "");
    std::fs::write(folder.path().join("data/my walk.bin"), content).unwrap();
    let with = |uri: &str| {
        std::fs::write(&path, file.gltf_beside(&body, uri).0).unwrap();
        read_rig(&path)
    };
    for uri in ["data/my%20walk.bin", "./data/my walk.bin", "data/../data/my walk.bin"] {
        assert_eq!(pose_at(&with(uri).unwrap().value, 1, 0.5).translation.x, 2.5, "{uri}");
    }
    for uri in
        ["../walk.bin", "/etc/passwd", "data/../../x", "http://host/x.bin", "file:///etc/passwd", "%2e%2e/x", "%zz", ""]
    {
        let error = with(uri).unwrap_err().to_string();
        assert!(error.contains("buffers[0] in a file beside this one or in a folder below"), "{uri}: {error}");
    }
    let missing = with("data/none.bin").unwrap_err().to_string();
    assert!(missing.contains("walk.gltf: its buffer \"data/none.bin\": "), "{missing}");
    assert!(with("data:text/plain,xyz").unwrap_err().to_string().contains("expected base64 in the URI of buffers[0]"));
    assert!(with("data:;base64,??").unwrap_err().to_string().contains("expected base64 in the URI of buffers[0]"));
}

#[test]
fn compressed_files_are_read() {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&Small::default().glb(TWO_JOINTS)).unwrap();
    assert_eq!(read(&packer.finish().unwrap(), "leg.glb.gz").name, "leg");
}

#[test]
fn accessors_that_many_channels_share_are_bounded() {
    let mut file = Small::default();
    let input = file.accessor(r#""componentType":5126,"count":1000000,"type":"SCALAR""#);
    let output = file.accessor(r#""componentType":5126,"count":1000000,"type":"VEC3""#);
    let channels = [r#"{"sampler":0,"target":{"node":0,"path":"scale"}}"#; 1000].join(",");
    let body = format!(
        r#""nodes":[{{}}],"skins":[{{"joints":[0]}}],"animations":[{{"channels":[{channels}],"samplers":[{{"input":{input},"output":{output}}}]}}]"#
    );
    let error = refusal(&file.gltf(&body), "s.gltf");
    assert!(error.contains("further numbers for accessors["), "{error}");
}
