//! What some programs write otherwise than glTF says, and what newer ones add to it.

use steric_model::formats::rig::read_rig;
use steric_model::{Rig, Turning};

use super::small::{Small, bytes_of};
use super::{parsed, read, refusal, warns};

const TWO_JOINTS: &str = r#""nodes":[{"name":"hip","children":[1]},{"name":"knee"}],"skins":[{"joints":[0,1]}]"#;

fn animated(channels: &str, input: usize, output: usize) -> String {
    format!(
        r#"{TWO_JOINTS},"animations":[{{"channels":[{channels}],"samplers":[{{"input":{input},"output":{output}}}]}}]"#
    )
}

fn knee_at(rig: &Rig, time: f64) -> f64 {
    rig.clips[0].poses(&rig.skeleton, time, Turning::Slerp)[1].translation.x
}

const KNEE: &str = r#"{"sampler":0,"target":{"node":1,"path":"translation"}}"#;

#[test]
fn a_stride_of_zero_is_none() {
    let mut file = Small::default();
    let input = file.floats("SCALAR", &[0.0, 1.0]);
    let view = file.view(&bytes_of(&[0.0, 0.0, 0.0, 4.0, 0.0, 0.0]), r#","byteStride":0"#);
    let output = file.accessor(&format!(r#""bufferView":{view},"componentType":5126,"count":2,"type":"VEC3""#));
    assert_eq!(knee_at(&read(&file.glb(&animated(KNEE, input, output)), "z.glb"), 0.5), 2.0);
}

#[test]
fn json_filled_up_with_zeros_is_read() {
    // One blank more than a whole number of words, so that there is something to fill up.
    for blanks in ["", " ", "  ", "   "] {
        let mut bytes = Small::default().glb(&format!("{TWO_JOINTS}{blanks}"));
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let json = &mut bytes[20..20 + length];
        json.iter_mut().rev().take_while(|byte| **byte == b' ').for_each(|byte| *byte = 0);
        assert_eq!(read(&bytes, "n.glb").skeleton.joints.len(), 2);
    }
}

#[test]
fn names_that_are_not_unicode_are_read_with_a_warning() {
    let mut bytes = Small::default().gltf(TWO_JOINTS);
    let at = bytes.windows(4).position(|word| word == b"knee").unwrap();
    bytes[at + 1] = 0xf1;
    let parsed = parsed(&bytes, "k.gltf");
    assert_eq!(parsed.value.skeleton.joints[1].name, "k\u{fffd}ee");
    assert!(warns(&parsed.warnings, "what is not UTF-8 was replaced; names may differ"));
    // A file that is broken otherwise is refused for that.
    let broken = String::from_utf8_lossy(&bytes).replace("\"joints\"", "\"points\"");
    assert!(refusal(broken.as_bytes(), "k.gltf").contains("missing field `joints`"));
}

#[test]
fn the_first_version_is_refused_by_name() {
    let first = br#"{"asset":{"version":"1.0"},"nodes":{"hip":{"children":["knee"]},"knee":{}},"skins":{}}"#;
    assert_eq!(refusal(first, "v.gltf"), r#"v.gltf: expected version 2 of glTF, found "1.0""#);
}

#[test]
fn pointers_at_the_transforms_of_nodes_move_them() {
    let mut file = Small::default();
    let (input, output) = (file.floats("SCALAR", &[0.0, 1.0]), file.floats("VEC3", &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0]));
    let pointer = |pointer: &str| {
        format!(
            r#"{{"sampler":0,"target":{{"path":"pointer","extensions":{{"KHR_animation_pointer":{{"pointer":"{pointer}"}}}}}}}}"#
        )
    };
    let channels =
        [pointer("/nodes/1/translation"), pointer("/materials/0/emissiveFactor"), pointer("/nodes/1/weights")];
    let parsed = parsed(&file.gltf(&animated(&channels.join(","), input, output)), "p.gltf");
    assert_eq!(knee_at(&parsed.value, 0.25), 1.0);
    assert!(warns(
        &parsed.warnings,
        "2 channels of morphing meshes and the like were ignored, as \"/materials/0/emissiveFactor\""
    ));
    let body = animated(&pointer("/nodes/1/translation"), input, output)
        .replace(r#""skins":[{"joints":[0,1]}]"#, r#""skins":[]"#);
    assert_eq!(read(&file.gltf(&body), "p.gltf").skeleton.joints.len(), 2, "nodes that a clip moves");
    let outside = file.gltf(&animated(&pointer("/nodes/7/translation"), input, output));
    assert!(refusal(&outside, "p.gltf").contains("one of the 2 nodes in animations[0].channels[0]"));
}

#[test]
fn a_file_beside_may_hold_more_numbers_than_are_shared() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = Small::default();
    let count = (1 << 20) + 1000;
    let view = file.view(&vec![1; 16 * count], "");
    let matrices = file.accessor(&format!(r#""bufferView":{view},"componentType":5121,"count":{count},"type":"MAT4""#));
    let body = format!(r#""nodes":[{{}}],"skins":[{{"joints":[0],"inverseBindMatrices":{matrices}}}]"#);
    let (json, content) = file.gltf_beside(&body, "large.bin");
    std::fs::write(folder.path().join("large.bin"), content).unwrap();
    std::fs::write(folder.path().join("large.gltf"), json).unwrap();
    let rig = read_rig(&folder.path().join("large.gltf")).unwrap().value;
    assert_eq!(rig.skins[0].joints, [0]);
}

#[test]
fn sparse_rows_that_many_channels_share_are_bounded() {
    let mut file = Small::default();
    let rows = 100_000;
    let (indices, values) = (file.view(&vec![0; rows], ""), file.view(&vec![0; 12 * rows], ""));
    let input = file.floats("SCALAR", &[0.0]);
    let output = file.accessor(&format!(
        r#""componentType":5126,"count":1,"type":"VEC3","sparse":{{"count":{rows},"indices":{{"bufferView":{indices},"componentType":5121}},"values":{{"bufferView":{values}}}}}"#
    ));
    let error = refusal(&file.gltf(&animated(&[KNEE; 200].join(","), input, output)), "s.gltf");
    assert!(error.contains("further numbers for accessors["), "{error}");
}
