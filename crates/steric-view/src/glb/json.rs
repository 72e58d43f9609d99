//! The JSON of a glTF file.
//!
//! How it works: every list is written entry by entry. Shape number s has the accessors 3 s (positions), 3 s + 1 (normals)
//! and 3 s + 2 (triangles); the colours of the meshes come behind those of all shapes. Node 0 is the scene, and the molecules
//! are its children.

use std::f64::consts::FRAC_1_SQRT_2;
use std::io::{self, Write};

use glam::{DQuat, Vec3};
use steric_model::{Molecule, Pose};

use super::plan::{Mesh, Plan, Shape};

/// Units of the file in an angstrom.
const SCALE: f64 = 0.1;
/// The y axis of glTF is up, where ours is z.
const Y_UP_FROM_Z_UP: DQuat = DQuat::from_xyzw(-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);

// Numbers of the arrays, in the order of `Plan::arrays`, and what glTF calls their kinds.
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const F32: u32 = 5126;
const U32: u32 = 5125;
const U8: u32 = 5121;

pub(super) fn write(plan: &Plan<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, r#"{{"asset":{{"version":"2.0","generator":"steric"}},"scene":0,"scenes":[{{"nodes":[0]}}],"#)?;
    write!(out, r#""materials":[{{"name":"atoms","pbrMetallicRoughness":{{"baseColorFactor":[1,1,1,1],"#)?;
    write!(out, r#""metallicFactor":0,"roughnessFactor":0.8}}}}],"buffers":[{{"byteLength":{}}}],"#, plan.bytes())?;
    views(plan, out)?;
    accessors(plan, out)?;
    write!(out, r#","meshes":["#)?;
    list(out, plan.meshes.iter().enumerate(), |out, (number, mesh)| self::mesh(plan, out, number, mesh))?;
    write!(out, r#"],"nodes":["#)?;
    nodes(plan, out)?;
    write!(out, "]}}")
}

fn views(plan: &Plan<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, r#""bufferViews":["#)?;
    let kinds =
        [(Some(12), ARRAY_BUFFER), (Some(12), ARRAY_BUFFER), (Some(4), ARRAY_BUFFER), (None, ELEMENT_ARRAY_BUFFER)];
    let mut start = 0;
    list(out, plan.arrays().into_iter().zip(kinds), |out, (bytes, (stride, target))| {
        write!(out, r#"{{"buffer":0,"byteOffset":{start},"byteLength":{bytes},"target":{target}"#)?;
        if let Some(stride) = stride {
            write!(out, r#","byteStride":{stride}"#)?;
        }
        start += bytes;
        write!(out, "}}")
    })?;
    write!(out, "]")
}

fn accessors(plan: &Plan<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, r#","accessors":["#)?;
    let mut start = 0;
    list(out, &plan.shapes, |out, shape| {
        shape_accessors(plan, out, shape, start)?;
        start += 12 * plan.corners(shape);
        Ok(())
    })?;
    let mut start = 0;
    for mesh in &plan.meshes {
        let corners = plan.corners(&plan.shapes[mesh.shape]);
        write!(out, r#",{{"bufferView":2,"byteOffset":{start},"componentType":{U8},"normalized":true,"#)?;
        write!(out, r#""count":{corners},"type":"VEC4"}}"#)?;
        start += 4 * corners;
    }
    write!(out, "]")
}

fn shape_accessors(plan: &Plan<'_>, out: &mut impl Write, shape: &Shape, start: u64) -> io::Result<()> {
    let ([normals_at, triangles_at], corners) = (plan.shared_at(shape.detail), plan.corners(shape));
    let numbers = |point: Vec3| format!("[{},{},{}]", point.x, point.y, point.z);
    write!(out, r#"{{"bufferView":1,"byteOffset":{start},"componentType":{F32},"count":{corners},"type":"VEC3","#)?;
    write!(out, r#""min":{},"max":{}}},"#, numbers(shape.low), numbers(shape.high))?;
    write!(
        out,
        r#"{{"bufferView":0,"byteOffset":{normals_at},"componentType":{F32},"count":{corners},"type":"VEC3"}},"#
    )?;
    let indices = plan.indices(shape);
    write!(
        out,
        r#"{{"bufferView":3,"byteOffset":{triangles_at},"componentType":{U32},"count":{indices},"type":"SCALAR"}}"#
    )
}

fn mesh(plan: &Plan<'_>, out: &mut impl Write, number: usize, mesh: &Mesh) -> io::Result<()> {
    let name = serde_json::to_string(plan.scene.types()[plan.shapes[mesh.shape].kind].name.as_str())?;
    let first = 3 * mesh.shape;
    let colours = 3 * plan.shapes.len() + number;
    write!(out, r#"{{"name":{name},"primitives":[{{"attributes":{{"POSITION":{first},"NORMAL":{},"#, first + 1)?;
    write!(out, r#""COLOR_0":{colours}}},"indices":{},"material":0}}]}}"#, first + 2)
}

fn nodes(plan: &Plan<'_>, out: &mut impl Write) -> io::Result<()> {
    let [x, y, z, w] = Y_UP_FROM_Z_UP.to_array();
    let place = Y_UP_FROM_Z_UP * plan.middle * SCALE;
    write!(out, r#"{{"name":"scene","scale":[{SCALE},{SCALE},{SCALE}],"rotation":[{x},{y},{z},{w}],"#)?;
    write!(out, r#""translation":[{},{},{}],"children":["#, place.x, place.y, place.z)?;
    list(out, 1..=plan.nodes.len(), |out, node| write!(out, "{node}"))?;
    write!(out, "]}}")?;
    plan.nodes.iter().try_for_each(|(molecule, mesh)| node(plan, out, molecule, *mesh))
}

fn node(plan: &Plan<'_>, out: &mut impl Write, molecule: &Molecule, mesh: u32) -> io::Result<()> {
    let Pose { rotation, translation } = molecule.pose;
    let place = (translation - plan.middle).as_vec3();
    write!(out, r#",{{"mesh":{mesh},"translation":[{},{},{}]"#, place.x, place.y, place.z)?;
    if rotation != DQuat::IDENTITY {
        let turn = rotation.normalize().as_quat();
        write!(out, r#","rotation":[{},{},{},{}]"#, turn.x, turn.y, turn.z, turn.w)?;
    }
    write!(out, "}}")
}

/// Writes entries with commas between them.
fn list<W: Write, T>(
    out: &mut W,
    entries: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut W, T) -> io::Result<()>,
) -> io::Result<()> {
    entries.into_iter().enumerate().try_for_each(|(number, entry)| {
        if number > 0 {
            out.write_all(b",")?;
        }
        write(out, entry)
    })
}
