//! The JSON of a glTF file.
//!
//! How it works: every list is written entry by entry. Shape number s has the accessors 3 s (positions), 3 s + 1 (normals)
//! and 3 s + 2 (triangles); the colours of the meshes come behind those of all shapes, and then the three of each surface. Meshes,
//! materials and nodes of surfaces come behind those of molecules. Node 0 is the scene, and the others are its children.

use std::f64::consts::FRAC_1_SQRT_2;
use std::io::{self, Write};

use glam::{DQuat, Vec3};
use steric_model::{Molecule, Pose};

use super::plan::{Mesh, Plan, Shape, light};
use super::sheet::Sheet;

/// Units of the file in an angstrom.
const SCALE: f64 = 0.1;
/// The y axis of glTF is up, where ours is z.
const Y_UP_FROM_Z_UP: DQuat = DQuat::from_xyzw(-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);

// Numbers of the arrays, in the order of `Plan::arrays`, and what glTF calls their kinds.
const NORMALS: usize = 0;
const POSITIONS: usize = 1;
const TRIANGLES: usize = 2;
const COLOURS: usize = 3;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const F32: u32 = 5126;
const U32: u32 = 5125;
const U8: u32 = 5121;

pub(super) fn write(plan: &Plan<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, r#"{{"asset":{{"version":"2.0","generator":"steric"}},"scene":0,"scenes":[{{"nodes":[0]}}],"#)?;
    write!(out, r#""buffers":[{{"byteLength":{}}}],"materials":["#, plan.bytes())?;
    materials(plan, &mut List::new(out))?;
    write!(out, r#"],"bufferViews":["#)?;
    views(plan, &mut List::new(out))?;
    write!(out, r#"],"accessors":["#)?;
    accessors(plan, &mut List::new(out))?;
    write!(out, r#"],"meshes":["#)?;
    meshes(plan, &mut List::new(out))?;
    write!(out, r#"],"nodes":["#)?;
    nodes(plan, &mut List::new(out))?;
    write!(out, "]}}")
}

fn materials<W: Write>(plan: &Plan<'_>, list: &mut List<'_, W>) -> io::Result<()> {
    for &hundredths in &plan.opacities {
        material(list.next()?, "atoms", [1.0; 3], f32::from(hundredths) / 100.0)?;
        write!(list.out, "}}")?;
    }
    for sheet in &plan.sheets {
        material(list.next()?, "surface", sheet.surface.colour.map(light), sheet.opacity())?;
        write!(list.out, r#","doubleSided":true}}"#)?;
    }
    Ok(())
}

/// Begins a material of a colour in linear light.
fn material(out: &mut impl Write, name: &str, [red, green, blue]: [f32; 3], opacity: f32) -> io::Result<()> {
    write!(out, r#"{{"name":"{name}","pbrMetallicRoughness":{{"baseColorFactor":[{red},{green},{blue},{opacity}],"#)?;
    write!(out, r#""metallicFactor":0,"roughnessFactor":0.8}}"#)?;
    if opacity < 1.0 { write!(out, r#","alphaMode":"BLEND""#) } else { Ok(()) }
}

fn views<W: Write>(plan: &Plan<'_>, list: &mut List<'_, W>) -> io::Result<()> {
    let kinds =
        [(Some(12), ARRAY_BUFFER), (Some(12), ARRAY_BUFFER), (None, ELEMENT_ARRAY_BUFFER), (Some(4), ARRAY_BUFFER)];
    let mut start = 0;
    // Without molecules there are no colours, and glTF has no empty views.
    for (bytes, (stride, target)) in plan.arrays().into_iter().zip(kinds).filter(|(bytes, _)| *bytes > 0) {
        let out = list.next()?;
        write!(out, r#"{{"buffer":0,"byteOffset":{start},"byteLength":{bytes},"target":{target}"#)?;
        if let Some(stride) = stride {
            write!(out, r#","byteStride":{stride}"#)?;
        }
        write!(out, "}}")?;
        start += bytes;
    }
    Ok(())
}

fn accessors<W: Write>(plan: &Plan<'_>, list: &mut List<'_, W>) -> io::Result<()> {
    let mut start = 0;
    for shape in &plan.shapes {
        shape_accessors(plan, list.next()?, shape, start)?;
        start += 12 * plan.corners(shape);
    }
    let mut start = 0;
    for mesh in &plan.meshes {
        let corners = plan.corners(&plan.shapes[mesh.shape]);
        let out = list.next()?;
        write!(out, r#"{{"bufferView":{COLOURS},"byteOffset":{start},"componentType":{U8},"normalized":true,"#)?;
        write!(out, r#""count":{corners},"type":"VEC4"}}"#)?;
        start += 4 * corners;
    }
    let [mut normals_at, mut positions_at, mut triangles_at] = plan.of_molecules();
    for Sheet { vertices, triangles, low, high, .. } in &plan.sheets {
        let out = list.next()?;
        positions(out, positions_at, *vertices, [*low, *high])?;
        normals_and_triangles(out, [normals_at, triangles_at], *vertices, 3 * triangles)?;
        (normals_at, positions_at, triangles_at) =
            (normals_at + 12 * vertices, positions_at + 12 * vertices, triangles_at + 12 * triangles);
    }
    Ok(())
}

fn shape_accessors(plan: &Plan<'_>, out: &mut impl Write, shape: &Shape, start: u64) -> io::Result<()> {
    positions(out, start, plan.corners(shape), [shape.low, shape.high])?;
    normals_and_triangles(out, plan.shared_at(shape.detail), plan.corners(shape), plan.indices(shape))
}

fn positions(out: &mut impl Write, start: u64, count: u64, ends: [Vec3; 2]) -> io::Result<()> {
    let [low, high] = ends.map(|point| format!("[{},{},{}]", point.x, point.y, point.z));
    write!(out, r#"{{"bufferView":{POSITIONS},"byteOffset":{start},"componentType":{F32},"count":{count},"#)?;
    write!(out, r#""type":"VEC3","min":{low},"max":{high}}},"#)
}

fn normals_and_triangles(out: &mut impl Write, starts: [u64; 2], corners: u64, indices: u64) -> io::Result<()> {
    let [normals_at, triangles_at] = starts;
    write!(out, r#"{{"bufferView":{NORMALS},"byteOffset":{normals_at},"componentType":{F32},"count":{corners},"#)?;
    write!(out, r#""type":"VEC3"}},"#)?;
    write!(out, r#"{{"bufferView":{TRIANGLES},"byteOffset":{triangles_at},"componentType":{U32},"count":{indices},"#)?;
    write!(out, r#""type":"SCALAR"}}"#)
}

fn meshes<W: Write>(plan: &Plan<'_>, list: &mut List<'_, W>) -> io::Result<()> {
    for (number, mesh) in plan.meshes.iter().enumerate() {
        self::mesh(plan, list.next()?, number, mesh)?;
    }
    for number in 0..plan.sheets.len() {
        let first = 3 * plan.shapes.len() + plan.meshes.len() + 3 * number;
        let out = list.next()?;
        write!(
            out,
            r#"{{"name":"surface","primitives":[{{"attributes":{{"POSITION":{first},"NORMAL":{}}},"#,
            first + 1
        )?;
        write!(out, r#""indices":{},"material":{}}}]}}"#, first + 2, plan.opacities.len() + number)?;
    }
    Ok(())
}

fn mesh(plan: &Plan<'_>, out: &mut impl Write, number: usize, mesh: &Mesh) -> io::Result<()> {
    let name = serde_json::to_string(plan.scene.types()[plan.shapes[mesh.shape].kind].name.as_str())?;
    let first = 3 * mesh.shape;
    let colours = 3 * plan.shapes.len() + number;
    write!(out, r#"{{"name":{name},"primitives":[{{"attributes":{{"POSITION":{first},"NORMAL":{},"#, first + 1)?;
    write!(out, r#""COLOR_0":{colours}}},"indices":{},"material":{}}}]}}"#, first + 2, mesh.material)
}

fn nodes<W: Write>(plan: &Plan<'_>, list: &mut List<'_, W>) -> io::Result<()> {
    let [x, y, z, w] = Y_UP_FROM_Z_UP.to_array();
    let place = Y_UP_FROM_Z_UP * plan.middle * SCALE;
    let out = list.next()?;
    write!(out, r#"{{"name":"scene","scale":[{SCALE},{SCALE},{SCALE}],"rotation":[{x},{y},{z},{w}],"#)?;
    write!(out, r#""translation":[{},{},{}],"children":["#, place.x, place.y, place.z)?;
    let mut children = List::new(&mut *out);
    (1..=plan.nodes.len() + plan.sheets.len()).try_for_each(|node| write!(children.next()?, "{node}"))?;
    write!(out, "]}}")?;
    plan.nodes.iter().try_for_each(|(molecule, mesh)| node(plan, list.next()?, molecule, *mesh))?;
    (0..plan.sheets.len())
        .try_for_each(|number| write!(list.next()?, r#"{{"name":"surface","mesh":{}}}"#, plan.meshes.len() + number))
}

fn node(plan: &Plan<'_>, out: &mut impl Write, molecule: &Molecule, mesh: u32) -> io::Result<()> {
    let Pose { rotation, translation } = molecule.pose;
    let place = (translation - plan.middle).as_vec3();
    write!(out, r#"{{"mesh":{mesh},"translation":[{},{},{}]"#, place.x, place.y, place.z)?;
    if rotation != DQuat::IDENTITY {
        let turn = rotation.normalize().as_quat();
        write!(out, r#","rotation":[{},{},{},{}]"#, turn.x, turn.y, turn.z, turn.w)?;
    }
    write!(out, "}}")
}

/// Entries with commas between them.
struct List<'a, W> {
    out: &'a mut W,
    is_begun: bool,
}

impl<'a, W: Write> List<'a, W> {
    fn new(out: &'a mut W) -> Self {
        Self { out, is_begun: false }
    }

    /// Where the next entry is to be written.
    fn next(&mut self) -> io::Result<&mut W> {
        if std::mem::replace(&mut self.is_begun, true) {
            self.out.write_all(b",")?;
        }
        Ok(self.out)
    }
}
