//! GLB files beside the crate `gltf`: the same global matrices, by keys that are joined here again.

use std::path::Path;

use glam::{DAffine3, DMat4, Mat4, Quat, Vec3};
use gltf::animation::util::ReadOutputs;
use gltf::animation::{Interpolation, Property};
use steric_model::formats::rig::read_rig;
use steric_model::{JointPose, Turning};

use super::common::data;

fn pose(node: &gltf::Node<'_>) -> JointPose {
    let (translation, rotation, scale) = node.transform().decomposed();
    JointPose {
        translation: Vec3::from(translation).as_dvec3(),
        rotation: Quat::from_array(rotation).as_dquat().normalize(),
        scale: Vec3::from(scale).as_dvec3(),
    }
}

// The keys around a time and the share between them.
fn around(times: &[f32], time: f64) -> (usize, usize, f64) {
    let after = times.iter().position(|&key| f64::from(key) > time).unwrap_or(times.len());
    if after == 0 || after == times.len() {
        let only = after.saturating_sub(1);
        return (only, only, 0.0);
    }
    let (start, end) = (f64::from(times[after - 1]), f64::from(times[after]));
    (after - 1, after, (time - start) / (end - start))
}

fn poses_at(file: &gltf::Gltf, clip: &gltf::Animation<'_>, time: f64) -> Vec<JointPose> {
    let mut poses: Vec<JointPose> = file.nodes().map(|node| pose(&node)).collect();
    for channel in clip.channels() {
        assert_eq!(channel.sampler().interpolation(), Interpolation::Linear, "no other is in these files");
        let reader = channel.reader(|_| file.blob.as_deref());
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        let (from, to, share) = around(&times, time);
        let lerp =
            |values: Vec<[f32; 3]>| Vec3::from(values[from]).as_dvec3().lerp(Vec3::from(values[to]).as_dvec3(), share);
        let pose = &mut poses[channel.target().node().index()];
        match reader.read_outputs().unwrap() {
            ReadOutputs::Translations(values) => pose.translation = lerp(values.collect()),
            ReadOutputs::Scales(values) => pose.scale = lerp(values.collect()),
            ReadOutputs::Rotations(values) => {
                let values: Vec<[f32; 4]> = values.into_f32().collect();
                let rotation = |at: usize| Quat::from_array(values[at]).as_dquat().normalize();
                pose.rotation = rotation(from).slerp(rotation(to), share);
            }
            ReadOutputs::MorphTargetWeights(_) => assert_eq!(channel.target().property(), Property::MorphTargetWeights),
        }
    }
    poses
}

fn globals(file: &gltf::Gltf, poses: &[JointPose]) -> Vec<DMat4> {
    let mut globals = vec![DMat4::IDENTITY; poses.len()];
    let children: Vec<usize> = file.nodes().flat_map(|node| node.children()).map(|child| child.index()).collect();
    let roots = file.nodes().filter(|node| !children.contains(&node.index()));
    let mut open: Vec<(gltf::Node<'_>, DMat4)> = roots.map(|root| (root, DMat4::IDENTITY)).collect();
    while let Some((node, parent)) = open.pop() {
        let global = parent * DMat4::from(poses[node.index()].matrix());
        globals[node.index()] = global;
        open.extend(node.children().map(|child| (child, global)));
    }
    globals
}

fn compare(path: &Path) {
    let rig = read_rig(path).unwrap().value;
    let file = gltf::Gltf::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(rig.clips.len(), file.animations().count());
    let bound = globals(&file, &file.nodes().map(|node| pose(&node)).collect::<Vec<_>>());
    for (ours, theirs) in rig.clips.iter().zip(file.animations()) {
        let keys = ours.key_times();
        let times = keys.iter().step_by(keys.len().div_ceil(10)).flat_map(|&time| [time, time + 0.013]);
        for time in times {
            let poses = ours.poses(&rig.skeleton, time, Turning::Slerp);
            let (placed, motions) = (rig.skeleton.placed(&poses), rig.skeleton.motions(&poses));
            let expected = globals(&file, &poses_at(&file, &theirs, time));
            for (skin, our_skin) in file.skins().zip(&rig.skins) {
                let inverse: Vec<[[f32; 4]; 4]> =
                    skin.reader(|_| file.blob.as_deref()).read_inverse_bind_matrices().unwrap().collect();
                let inverse = |at: usize| Mat4::from_cols_array_2d(&inverse[at]).as_dmat4();
                let root = skin.joints().next().unwrap().index();
                let scene_from_skin = bound[root] * inverse(0);
                for (at, (node, &joint)) in skin.joints().zip(&our_skin.joints).enumerate() {
                    let (joint, node) = (joint as usize, node.index());
                    same(&placed[joint], &expected[node], path, time);
                    same(&motions[joint], &(expected[node] * inverse(at) * scene_from_skin.inverse()), path, time);
                }
            }
        }
    }
}

fn same(ours: &DAffine3, theirs: &DMat4, path: &Path, time: f64) {
    // The other reader computes transforms of nodes in single precision.
    let size = theirs.to_cols_array().into_iter().fold(1.0, |size: f64, number| size.max(number.abs()));
    let ours = DMat4::from(*ours);
    assert!(ours.abs_diff_eq(*theirs, 2e-5 * size), "{} at {time} s: {ours} and {theirs}", path.display());
}

#[test]
fn joints_stand_where_another_reader_puts_them() {
    let Some(data) = data() else { return };
    for name in ["CesiumMan", "Fox", "RecursiveSkeletons", "RiggedFigure", "RiggedSimple"] {
        compare(&data.join("animation").join(format!("{name}.glb")));
    }
}
