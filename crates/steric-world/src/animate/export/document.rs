//! The JSON of a glTF file with a skin.
//!
//! How it works: node 0 is the root, which turns and scales; the nodes of the figure follow, then the one that draws the mesh, which
//! stands beside the root, because what carries a skinned mesh does not move it. Each array of numbers has a view, and all
//! keys share the last. Views are counted in the order in which their numbers are written.

use std::f64::consts::FRAC_1_SQRT_2;

use glam::Vec3;
use serde::Serialize;
use serde_json::{Value, json};
use steric_model::JointPose;

use super::ball::Ball;
use super::figure::{Channel, Figure};

/// Units of the file in an angstrom.
const SCALE: f64 = 0.1;
/// The y axis of glTF is up, where ours is z.
const Y_UP_FROM_Z_UP: [f64; 4] = [-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2];
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const F32: u32 = 5126;
const U32: u32 = 5125;
const U16: u32 = 5123;
const U8: u32 = 5121;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    asset: Value,
    scene: u32,
    scenes: Value,
    nodes: Vec<Node<'a>>,
    meshes: Value,
    materials: Value,
    skins: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    animations: Vec<Animation<'a>>,
    accessors: Vec<Accessor>,
    buffer_views: Vec<View>,
    buffers: [Buffer; 1],
}

#[derive(Default, Serialize)]
struct Node<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    translation: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rotation: Option<[f64; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skin: Option<usize>,
}

#[derive(Serialize)]
struct Animation<'a> {
    name: &'a str,
    channels: Vec<Target>,
    samplers: Vec<Sampler>,
}

#[derive(Serialize)]
struct Target {
    sampler: usize,
    target: Property,
}

#[derive(Serialize)]
struct Property {
    node: usize,
    path: &'static str,
}

#[derive(Serialize)]
struct Sampler {
    input: usize,
    output: usize,
    interpolation: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: usize,
    byte_offset: usize,
    component_type: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    normalized: bool,
    count: usize,
    #[serde(rename = "type")]
    shape: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Vec<f32>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct View {
    buffer: u32,
    byte_offset: usize,
    byte_length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_stride: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Buffer {
    byte_length: usize,
}

impl<'a> Document<'a> {
    pub(super) fn new(figure: &'a Figure, ball: &Ball, ends: [Vec3; 2]) -> Self {
        let mut document = Self {
            asset: json!({ "version": "2.0", "generator": "steric" }),
            scene: 0,
            scenes: json!([{ "nodes": [0, figure.nodes.len() + 1] }]),
            nodes: nodes(figure),
            meshes: Value::Null,
            materials: json!([{
                "name": "atoms",
                "pbrMetallicRoughness": { "baseColorFactor": [1, 1, 1, 1], "metallicFactor": 0, "roughnessFactor": 0.8 },
            }]),
            skins: Value::Null,
            animations: Vec::new(),
            accessors: Vec::new(),
            buffer_views: Vec::new(),
            buffers: [Buffer { byte_length: 0 }],
        };
        document.add_mesh(figure, ball, ends);
        document.add_skin(figure);
        document.add_animations(figure);
        document
    }

    /// Bytes of all numbers.
    pub(super) fn bytes(&self) -> usize {
        self.buffers[0].byte_length
    }

    fn add_mesh(&mut self, figure: &Figure, ball: &Ball, [low, high]: [Vec3; 2]) {
        let corners = figure.spheres.len() * ball.corners.len();
        let [position, normal, colour, joints, weights] =
            [(F32, "VEC3", 12), (F32, "VEC3", 12), (U8, "VEC4", 4), (U16, "VEC4", 8), (F32, "VEC4", 16)]
                .map(|(kind, shape, stride)| self.add_array(corners, kind, shape, stride, Some(ARRAY_BUFFER)));
        self.accessors[position].min = Some(low.to_array().to_vec());
        self.accessors[position].max = Some(high.to_array().to_vec());
        self.accessors[colour].normalized = true;
        let indices = 3 * figure.spheres.len() * ball.triangles.len();
        let indices = self.add_array(indices, U32, "SCALAR", 4, Some(ELEMENT_ARRAY_BUFFER));
        let attributes = json!({
            "POSITION": position, "NORMAL": normal, "COLOR_0": colour, "JOINTS_0": joints, "WEIGHTS_0": weights,
        });
        let primitive = json!({ "attributes": attributes, "indices": indices, "material": 0 });
        self.meshes = json!([{ "name": figure.name, "primitives": [primitive] }]);
    }

    fn add_skin(&mut self, figure: &Figure) {
        let matrices = self.add_array(figure.bound.len(), F32, "MAT4", 64, None);
        let joints: Vec<u32> = figure.bound.iter().map(|(node, _)| node + 1).collect();
        // Blender makes bones of all nodes between this one and the joints.
        self.skins = json!([{
            "name": figure.name, "joints": joints, "inverseBindMatrices": matrices, "skeleton": 0,
        }]);
    }

    fn add_animations(&mut self, figure: &'a Figure) {
        let numbers = |animation: &super::figure::Animation| -> usize {
            let values = animation.channels.iter().map(|channel| channel.values.len());
            animation.times.iter().map(Vec::len).chain(values).sum()
        };
        let count: usize = figure.animations.iter().map(numbers).sum();
        // glTF has no empty views.
        if count == 0 {
            return;
        }
        let view = self.add_view(4 * count, None, None);
        let mut start = 0;
        for animation in &figure.animations {
            let inputs: Vec<usize> =
                animation.times.iter().map(|times| self.add_times(view, &mut start, times)).collect();
            let sampler = |channel: &Channel| Sampler {
                input: inputs[channel.times],
                output: self.add_values(view, &mut start, channel),
                interpolation: channel.interpolation,
            };
            let samplers = animation.channels.iter().map(sampler).collect();
            let target = |(sampler, channel): (usize, &Channel)| Target {
                sampler,
                target: Property { node: channel.node as usize + 1, path: channel.path },
            };
            let channels = animation.channels.iter().enumerate().map(target).collect();
            self.animations.push(Animation { name: &animation.name, channels, samplers });
        }
    }

    fn add_times(&mut self, view: usize, start: &mut usize, times: &[f32]) -> usize {
        let number = self.add_accessor(view, *start, times.len(), F32, "SCALAR");
        self.accessors[number].min = times.first().map(|&first| vec![first]);
        self.accessors[number].max = times.last().map(|&last| vec![last]);
        *start += 4 * times.len();
        number
    }

    fn add_values(&mut self, view: usize, start: &mut usize, channel: &Channel) -> usize {
        let shape = if channel.width() == 4 { "VEC4" } else { "VEC3" };
        let number = self.add_accessor(view, *start, channel.values.len() / channel.width(), F32, shape);
        *start += 4 * channel.values.len();
        number
    }

    /// An array in a view of its own.
    fn add_array(&mut self, count: usize, kind: u32, shape: &'static str, bytes: usize, target: Option<u32>) -> usize {
        let stride = (target == Some(ARRAY_BUFFER)).then_some(bytes);
        let view = self.add_view(count * bytes, stride, target);
        self.add_accessor(view, 0, count, kind, shape)
    }

    fn add_view(&mut self, byte_length: usize, byte_stride: Option<usize>, target: Option<u32>) -> usize {
        let byte_offset = self.bytes();
        self.buffer_views.push(View { buffer: 0, byte_offset, byte_length, byte_stride, target });
        self.buffers[0].byte_length += byte_length;
        self.buffer_views.len() - 1
    }

    fn add_accessor(&mut self, view: usize, start: usize, count: usize, kind: u32, shape: &'static str) -> usize {
        self.accessors.push(Accessor {
            buffer_view: view,
            byte_offset: start,
            component_type: kind,
            normalized: false,
            count,
            shape,
            min: None,
            max: None,
        });
        self.accessors.len() - 1
    }
}

fn nodes(figure: &Figure) -> Vec<Node<'_>> {
    let root = Node { name: "scene", rotation: Some(Y_UP_FROM_Z_UP), scale: Some([SCALE; 3]), ..Node::default() };
    let mut nodes = vec![root];
    nodes.extend(figure.nodes.iter().map(|own| node(&own.name, &own.rest)));
    for (number, own) in figure.nodes.iter().enumerate() {
        nodes[own.parent.map_or(0, |parent| parent as usize + 1)].children.push(number + 1);
    }
    nodes.push(Node { name: &figure.name, mesh: Some(0), skin: Some(0), ..Node::default() });
    nodes
}

fn node<'a>(name: &'a str, rest: &JointPose) -> Node<'a> {
    let none = JointPose::IDENTITY;
    Node {
        name,
        translation: (rest.translation != none.translation).then_some(rest.translation.to_array()),
        rotation: (rest.rotation != none.rotation).then_some(rest.rotation.to_array()),
        scale: (rest.scale != none.scale).then_some(rest.scale.to_array()),
        ..Node::default()
    }
}
