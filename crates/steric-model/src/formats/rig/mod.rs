//! Skeletons with their clips, from Collada (`.dae`) and glTF 2.0 (`.gltf`, `.glb`) files.
//!
//! How it works: the content names its format. Both readers draft the nodes of the scene, say which of them are joints and how
//! skins bind them, and `assemble` makes a skeleton of that: joints and what carries them, parents first, bound in the
//! coordinates of the scene. Clips follow, since only then joints have numbers. Coordinates, axes and units stay as in the
//! file; meshes, materials, lights and cameras are passed over.

mod assemble;
mod collada;
mod gltf;

use std::path::Path;

pub(in crate::formats) use gltf::read_surface;

use super::text::Lines;
use crate::{Parsed, Place, ReadError, Rig};

/// Reads a skeleton with its clips, compressed or not. A `.gltf` file may keep its numbers in files beside it.
///
/// ```
/// let missing = steric_model::formats::rig::read_rig("no-such-folder/walk.dae".as_ref());
/// assert!(missing.expect_err("there is no such file").to_string().starts_with("no-such-folder/walk.dae: "));
/// ```
pub fn read_rig(path: &Path) -> Result<Parsed<Rig>, ReadError> {
    read_rig_bytes(&super::load(path)?, path)
}

/// As [`read_rig`], for a file already in memory; `path` serves messages, the name, and the files beside it.
///
/// ```
/// use steric_model::formats::rig::read_rig_bytes;
///
/// let text = br#"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
///   <asset><unit name="centimeter" meter="0.01"/></asset>
///   <library_visual_scenes><visual_scene>
///     <node name="thigh" type="JOINT"><translate>0 90 0</translate>
///       <node name="shin" type="JOINT"><translate>0 -45 0</translate></node>
///     </node>
///   </visual_scene></library_visual_scenes>
/// </COLLADA>"#;
/// let leg = read_rig_bytes(text, "leg.dae".as_ref())?.value;
/// assert_eq!((leg.name.as_str(), leg.unit_metres), ("leg", Some(0.01)));
/// assert_eq!(leg.skeleton.joints[1].parent, Some(0));
/// assert_eq!(leg.skeleton.bones()[0].tail.y, 45.0);
///
/// let refused = read_rig_bytes(b"v 0 0 0", "leg.obj".as_ref()).expect_err("a mesh has no joints").to_string();
/// assert_eq!(refused, r#"leg.obj: expected a skeleton (Collada, glTF or GLB), found "v 0 0 0""#);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_rig_bytes(bytes: &[u8], path: &Path) -> Result<Parsed<Rig>, ReadError> {
    let (bytes, trailing) = super::decompress(bytes, path)?;
    let mut parsed = match Kind::of(&bytes) {
        Some(Kind::Glb) => gltf::read_glb(&bytes, path)?,
        Some(Kind::Json) => gltf::read_gltf(&bytes, path)?,
        Some(Kind::Xml) => collada::read_collada(&bytes, path)?,
        None => {
            let first_line = Lines::new(&bytes).next().map_or(&b"an empty file"[..], |line| line.text);
            return Err(ReadError::content(path, Place::File, "a skeleton (Collada, glTF or GLB)", first_line));
        }
    };
    check(&parsed.value, path)?;
    if trailing > 0 {
        parsed.warnings.push(Place::File, || format!("{trailing} bytes behind the compressed data were ignored"));
    }
    Ok(parsed)
}

enum Kind {
    Glb,
    Json,
    Xml,
}

impl Kind {
    fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"glTF") {
            return Some(Self::Glb);
        }
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        match text {
            [b'{', ..] => Some(Self::Json),
            _ if [&b"<?xml"[..], b"<COLLADA", b"<!--"].iter().any(|start| text.starts_with(start)) => Some(Self::Xml),
            _ => None,
        }
    }
}

// Every number of a file is finite, but their products need not be.
fn check(rig: &Rig, path: &Path) -> Result<(), ReadError> {
    let finite = "transforms whose products stay finite";
    for (index, joint) in rig.skeleton.joints.iter().enumerate() {
        let rest = &joint.rest;
        let is_finite = rest.translation.is_finite() && rest.rotation.is_finite() && rest.scale.is_finite();
        if !is_finite || !joint.bind.is_finite() || !joint.tip.is_none_or(|tip| tip.is_finite()) {
            let found = format!("an overflow at joint {index}, {}", short(&joint.name));
            return Err(ReadError::content(path, Place::File, finite, found));
        }
    }
    let unsound = rig.clips.iter().flat_map(|clip| &clip.tracks).find(|track| !track.is_sound());
    unsound.map_or(Ok(()), |track| {
        let found = format!("an overflow in a track of joint {}", track.joint);
        Err(ReadError::content(path, Place::File, finite, found))
    })
}

// A name for a message, in quotes; a broken file may have names of any length.
fn short(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{:?}…", &name[..end]),
        None => format!("{name:?}"),
    }
}
