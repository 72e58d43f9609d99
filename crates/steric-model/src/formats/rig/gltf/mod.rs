//! glTF 2.0, as JSON and as GLB.
//!
//! How it works: the JSON is read into structs of what skeletons need ([`json`]); what it says about bytes is checked against
//! the buffers ([`buffers`], [`accessor`]). Nodes and skins make the skeleton ([`scene`]), animations its clips ([`clips`]).
//! Matrices come column by column, quaternions as x, y, z, w, lengths in metres.

mod accessor;
mod buffers;
mod clips;
mod glb;
mod json;
mod scene;
mod surface;

use std::path::Path;

use accessor::Accessors;
use buffers::Buffers;
use glb::Glb;
use json::Document;
pub(in crate::formats) use surface::read_surface;

use crate::{Parsed, Place, ReadError, Rig, Warnings};

/// Reads a glTF file that is JSON.
pub(super) fn read_gltf(bytes: &[u8], path: &Path) -> Result<Parsed<Rig>, ReadError> {
    let mut warnings = Warnings::default();
    let document = Document::parse(bytes, None, &mut warnings, path)?;
    read(&document, None, bytes.len(), warnings, path)
}

/// Reads a GLB file.
pub(super) fn read_glb(bytes: &[u8], path: &Path) -> Result<Parsed<Rig>, ReadError> {
    let mut warnings = Warnings::default();
    let glb = Glb::split(bytes, &mut warnings, path)?;
    let document = Document::parse(glb.json, Some(glb.json_at), &mut warnings, path)?;
    read(&document, glb.buffer, bytes.len(), warnings, path)
}

fn read(
    document: &Document,
    chunk: Option<(&[u8], usize)>,
    file_bytes: usize,
    mut warnings: Warnings,
    path: &Path,
) -> Result<Parsed<Rig>, ReadError> {
    // Of all extensions this one alone changes what the numbers of clips are.
    if document.extensions_required.iter().any(|name| name == "EXT_meshopt_compression") {
        let expected = "a file without EXT_meshopt_compression (export it again without compression)";
        return Err(ReadError::content(path, Place::File, expected, "EXT_meshopt_compression"));
    }
    let buffers = Buffers::new(&document.buffers, chunk, path);
    let mut accessors = Accessors::new(document, buffers, file_bytes, path);
    let mut draft = scene::draft(document, &mut accessors, &mut warnings, path)?;
    if !draft.nodes.iter().any(|node| node.moves_atoms) {
        draft.take_moved_nodes(clips::moved_nodes(document), &mut warnings);
    }
    let (mut rig, joint_of) = draft.assemble(&mut warnings, path)?;
    rig.clips = clips::clips(document, &mut accessors, &joint_of, &mut warnings, path)?;
    Ok(Parsed { value: rig, warnings })
}
