//! The triangles of a glTF file, where its nodes place them.
//!
//! How it works: nodes form a forest; each node's triangles are moved by all the transforms above it. Lists, strips and fans become
//! triangles; points and lines are passed over.

use std::path::Path;

use glam::{DAffine3, DMat4, DQuat, DVec3};

use super::accessor::Accessors;
use super::buffers::Buffers;
use super::glb::Glb;
use super::json::{Document, Node, Primitive};
use crate::formats::mesh::Mesh;
use crate::{Parsed, Place, ReadError, Warnings};

/// Nodes below nodes, no deeper than this.
const DEEPEST: usize = 256;

/// Reads the triangles of a glTF file, JSON or GLB.
pub(in crate::formats) fn read_surface(bytes: &[u8], path: &Path) -> Result<Parsed<Mesh>, ReadError> {
    let mut warnings = Warnings::default();
    let glb = if bytes.starts_with(b"glTF") { Some(Glb::split(bytes, &mut warnings, path)?) } else { None };
    let (text, begins_at) = glb.as_ref().map_or((bytes, None), |glb| (glb.json, Some(glb.json_at)));
    let document = Document::parse(text, begins_at, &mut warnings, path)?;
    if let Some(name) = document.extensions_required.iter().find(|name| name.contains("compression")) {
        let expected = format!("a file without {name} (export it again without compression)");
        return Err(ReadError::content(path, Place::File, expected, name));
    }
    let buffers = Buffers::new(&document.buffers, glb.and_then(|glb| glb.buffer), path);
    let accessors = Accessors::new(&document, buffers, bytes.len(), path);
    let mut reader = Reader { document: &document, accessors, mesh: Mesh::default(), seen: vec![], path };
    reader.seen.resize(document.nodes.len(), false);
    let mut is_child = vec![false; document.nodes.len()];
    for &child in document.nodes.iter().flat_map(|node| &node.children) {
        *is_child.get_mut(child).ok_or_else(|| reader.refused("nodes", document.nodes.len(), child))? = true;
    }
    for root in (0..is_child.len()).filter(|&node| !is_child[node]) {
        reader.add_node(root, DAffine3::IDENTITY, 0)?;
    }
    Ok(Parsed { value: reader.mesh, warnings })
}

struct Reader<'d> {
    document: &'d Document,
    accessors: Accessors<'d>,
    mesh: Mesh,
    seen: Vec<bool>,
    path: &'d Path,
}

impl Reader<'_> {
    fn refused(&self, what: &str, count: usize, found: usize) -> ReadError {
        let expected = format!("the number of one of the {count} {what}");
        ReadError::content(self.path, Place::File, expected, found.to_string())
    }

    fn add_node(&mut self, number: usize, world_from_parent: DAffine3, depth: usize) -> Result<(), ReadError> {
        let document = self.document;
        if depth > DEEPEST || std::mem::replace(&mut self.seen[number], true) {
            let expected = "nodes that have one parent each, not in a circle";
            return Err(ReadError::content(self.path, Place::File, expected, format!("node {number}")));
        }
        let node = &document.nodes[number];
        let world_from_node = world_from_parent * parent_from(node);
        if let Some(mesh) = node.mesh {
            let surfaces = document.meshes.get(mesh);
            let surfaces = surfaces.ok_or_else(|| self.refused("meshes", document.meshes.len(), mesh))?;
            for primitive in &surfaces.primitives {
                self.add(primitive, world_from_node)?;
            }
        }
        node.children.iter().try_for_each(|&child| self.add_node(child, world_from_node, depth + 1))
    }

    fn add(&mut self, primitive: &Primitive, world_from_node: DAffine3) -> Result<(), ReadError> {
        let mode = primitive.mode.unwrap_or(4);
        let (Some(position), 4..=6) = (primitive.attributes.position, mode) else { return Ok(()) };
        let first = self.mesh.vertices.len();
        let places = self.accessors.rows(position, "VEC3")?;
        let places = places.as_chunks::<3>().0;
        self.mesh.vertices.extend(places.iter().map(|&place| world_from_node.transform_point3(DVec3::from(place))));
        let corners: Vec<f64> = match primitive.indices {
            Some(indices) => self.accessors.rows(indices, "SCALAR")?,
            None => (0..places.len()).map(|at| at as f64).collect(),
        };
        if let Some(&wrong) = corners.iter().find(|&&corner| corner >= places.len() as f64 || corner < 0.0) {
            return Err(self.refused("vertices of a primitive", places.len(), wrong as usize));
        }
        let corner = |at: usize| (first + corners[at] as usize) as u32;
        let last = corners.len().saturating_sub(2);
        let triangles = &mut self.mesh.triangles;
        match mode {
            4 => triangles.extend((0..corners.len() / 3).map(|at| [0, 1, 2].map(|side| corner(3 * at + side)))),
            // In a strip every second triangle is turned over.
            5 => triangles.extend((0..last).map(|at| [at, at + 1 + at % 2, at + 2 - at % 2].map(corner))),
            _ => triangles.extend((0..last).map(|at| [0, at + 1, at + 2].map(corner))),
        }
        Ok(())
    }
}

fn parent_from(node: &Node) -> DAffine3 {
    if let Some(matrix) = node.matrix {
        return DAffine3::from_mat4(DMat4::from_cols_array(&matrix));
    }
    let rotation = DQuat::from_array(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
    let rotation = if rotation.length() > 1e-6 { rotation.normalize() } else { DQuat::IDENTITY };
    let scale = DVec3::from(node.scale.unwrap_or([1.0; 3]));
    DAffine3::from_scale_rotation_translation(scale, rotation, DVec3::from(node.translation.unwrap_or_default()))
}
