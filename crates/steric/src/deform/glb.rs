//! Soft bodies as one glTF binary file: surfaces that move through their frames.
//!
//! How it works: each body is a mesh with the places of its first frame; every later frame is a morph target, and an animation gives one frame after the other all the weight, linearly between them. What
//! touches in the last frame is red. z becomes y, as glTF has it.

use std::io::{self, Write};

use glam::{DVec3, Vec3};
use serde_json::{Value, json};

use super::run::SoftRun;

/// Bytes of all frames together.
const MOST_BYTES: usize = 1 << 30;
const RED: [f32; 4] = [0.86, 0.13, 0.1, 1.0];

/// Frames so far.
#[derive(Debug, Default)]
pub(super) struct Glb {
    times: Vec<f32>,
    frames: Vec<Vec<Vec3>>,
}

impl Glb {
    pub(super) fn frame(&mut self, run: &SoftRun) -> io::Result<()> {
        let points = run.world.body.positions.len();
        if (self.frames.len() + 1) * points * 12 > MOST_BYTES {
            return Err(io::Error::other("expected at most 1 GiB of frames, found more; write fewer with --every"));
        }
        self.times.push(run.world.time() as f32);
        self.frames.push(run.world.body.positions.iter().map(|at| y_up(*at)).collect());
        Ok(())
    }

    pub(super) fn write(mut self, out: &mut impl Write, run: &SoftRun) -> io::Result<()> {
        if self.frames.is_empty() {
            self.frame(run)?;
        }
        let mut file = File::default();
        let moves = self.frames.len() > 1;
        let times = moves.then(|| file.array("SCALAR", &self.times, 1, true, None));
        let weights = moves.then(|| file.array("SCALAR", &steps(self.frames.len()), 1, false, None));
        let (mut nodes, mut meshes, mut channels) = (Vec::new(), Vec::new(), Vec::new());
        for body in 0..run.names().len() {
            meshes.push(self.mesh(&mut file, run, body));
            nodes.push(json!({ "name": run.names()[body], "mesh": body }));
            channels.push(json!({ "sampler": 0, "target": { "node": body, "path": "weights" } }));
        }
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "steric" },
            "scene": 0,
            "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
            "nodes": nodes,
            "meshes": meshes,
            "materials": [{ "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 0.7 }, "doubleSided": true }],
            "accessors": file.accessors,
            "bufferViews": file.views,
            "buffers": [{ "byteLength": file.bytes.len() }],
        });
        if let (Some(times), Some(weights)) = (times, weights) {
            let sampler = json!({ "input": times, "output": weights, "interpolation": "LINEAR" });
            document["animations"] = json!([{ "name": "run", "samplers": [sampler], "channels": channels }]);
        }
        write_container(out, &document, &file.bytes)
    }

    fn mesh(&self, file: &mut File, run: &SoftRun, body: usize) -> Value {
        let soft = &run.world.body;
        let part = &soft.parts()[body];
        let mut points: Vec<u32> = soft.surface()[part.surface.clone()].iter().flatten().copied().collect();
        points.sort_unstable();
        points.dedup();
        let number = |point: &u32| points.binary_search(point).unwrap_or_default() as u32;
        let indices: Vec<u32> = soft.surface()[part.surface.clone()].iter().flatten().map(number).collect();
        let places = |frame: &[Vec3]| points.iter().map(|&point| frame[point as usize]).collect::<Vec<Vec3>>();
        let first = places(&self.frames[0]);
        let colour = own_colour(body);
        let colours: Vec<f32> =
            points.iter().flat_map(|&point| if run.world.touching()[point as usize] { RED } else { colour }).collect();
        let position = file.array("VEC3", &flat(&first), 3, true, Some(ARRAY));
        let colour = file.array("VEC4", &colours, 4, false, Some(ARRAY));
        let indices = file.indices(&indices);
        let mut target = |frame: &Vec<Vec3>| {
            let moved: Vec<Vec3> = places(frame).iter().zip(&first).map(|(to, from)| *to - *from).collect();
            json!({ "POSITION": file.array("VEC3", &flat(&moved), 3, true, Some(ARRAY)) })
        };
        let targets: Vec<Value> = self.frames[1..].iter().map(&mut target).collect();
        let mut primitive =
            json!({ "attributes": { "POSITION": position, "COLOR_0": colour }, "indices": indices, "material": 0 });
        let mut mesh = json!({ "name": run.names()[body] });
        if !targets.is_empty() {
            mesh["weights"] = json!(vec![0.0; targets.len()]);
            primitive["targets"] = Value::Array(targets);
        }
        mesh["primitives"] = json!([primitive]);
        mesh
    }
}

const ARRAY: u32 = 34962;
const INDICES: u32 = 34963;
const F32: u32 = 5126;
const U32: u32 = 5125;

#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl File {
    fn array(&mut self, shape: &str, numbers: &[f32], width: usize, bounded: bool, target: Option<u32>) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let mut accessor = json!({ "componentType": F32, "count": numbers.len() / width, "type": shape });
        if bounded {
            let fold = |start: f32, choose: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..width).map(|axis| numbers.iter().skip(axis).step_by(width).copied().fold(start, choose)).collect()
            };
            accessor["min"] = json!(fold(f32::INFINITY, f32::min));
            accessor["max"] = json!(fold(f32::NEG_INFINITY, f32::max));
        }
        self.push(accessor, &bytes, target)
    }

    fn indices(&mut self, numbers: &[u32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.push(json!({ "componentType": U32, "count": numbers.len(), "type": "SCALAR" }), &bytes, Some(INDICES))
    }

    fn push(&mut self, mut accessor: Value, bytes: &[u8], target: Option<u32>) -> usize {
        accessor["bufferView"] = json!(self.views.len());
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.bytes.extend_from_slice(bytes);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

/// The weights of all later frames at each frame: none at the first, one at its own.
fn steps(frames: usize) -> Vec<f32> {
    let weight = |frame: usize, target: usize| f32::from(u8::from(frame == target + 1));
    (0..frames).flat_map(|frame| (0..frames - 1).map(move |target| weight(frame, target))).collect()
}

fn write_container(out: &mut impl Write, document: &Value, bytes: &[u8]) -> io::Result<()> {
    let mut text = serde_json::to_vec(document)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let padded = bytes.len().next_multiple_of(4);
    let whole = 12 + 8 + text.len() + 8 + padded;
    let whole = u32::try_from(whole).map_err(|_| io::Error::other("a .glb file holds at most 4 GiB"))?;
    out.write_all(b"glTF")?;
    [2, whole, text.len() as u32].iter().try_for_each(|number: &u32| out.write_all(&number.to_le_bytes()))?;
    out.write_all(b"JSON")?;
    out.write_all(&text)?;
    out.write_all(&(padded as u32).to_le_bytes())?;
    out.write_all(b"BIN\0")?;
    out.write_all(bytes)?;
    out.write_all(&vec![0; padded - bytes.len()])
}

fn y_up(at: DVec3) -> Vec3 {
    DVec3::new(at.x, at.z, -at.y).as_vec3()
}

fn flat(places: &[Vec3]) -> Vec<f32> {
    places.iter().flat_map(|place| place.to_array()).collect()
}

/// Colours that are far from each other and from red.
fn own_colour(body: usize) -> [f32; 4] {
    const COLOURS: [[f32; 4]; 6] = [
        [0.85, 0.75, 0.55, 1.0],
        [0.35, 0.55, 0.75, 1.0],
        [0.45, 0.68, 0.45, 1.0],
        [0.75, 0.6, 0.8, 1.0],
        [0.9, 0.85, 0.4, 1.0],
        [0.5, 0.75, 0.75, 1.0],
    ];
    COLOURS[body % COLOURS.len()]
}
