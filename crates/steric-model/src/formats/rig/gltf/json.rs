//! What a glTF 2.0 file says in JSON, as far as skeletons and clips go. The rest is passed over.

use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;
use smol_str::SmolStr;

use crate::{Place, ReadError, Warnings};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub asset: Asset,
    #[serde(default)]
    pub extensions_required: Vec<String>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub meshes: Vec<Surfaces>,
    #[serde(default)]
    pub skins: Vec<Skin>,
    #[serde(default)]
    pub animations: Vec<Animation>,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub buffers: Vec<Buffer>,
}

#[derive(Deserialize)]
pub(super) struct Asset {
    pub version: String,
    #[serde(default)]
    pub extras: Extras,
}

/// What programs add for each other: Sketchfab the title of a model, others anything.
#[derive(Default, Deserialize)]
#[serde(untagged)]
pub(super) enum Extras {
    Titled {
        title: String,
    },
    Other(IgnoredAny),
    #[default]
    None,
}

#[derive(Deserialize)]
pub(super) struct Node {
    #[serde(default)]
    pub name: SmolStr,
    #[serde(default)]
    pub children: Vec<usize>,
    pub mesh: Option<usize>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    #[serde(default)]
    pub name: SmolStr,
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Animation {
    #[serde(default)]
    pub name: SmolStr,
    pub channels: Vec<Channel>,
    pub samplers: Vec<Sampler>,
}

#[derive(Deserialize)]
pub(super) struct Channel {
    pub sampler: usize,
    pub target: Target,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub node: Option<usize>,
    pub path: String,
    #[serde(default)]
    pub extensions: TargetExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct TargetExtensions {
    #[serde(rename = "KHR_animation_pointer")]
    pub pointer: Option<Pointer>,
}

/// What a channel of the path `pointer` moves: a path in the JSON, as `/nodes/4/rotation`.
/// What glTF calls a mesh.
#[derive(Deserialize)]
pub(super) struct Surfaces {
    #[serde(default)]
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    #[serde(default)]
    pub attributes: Attributes,
    pub indices: Option<usize>,
    pub mode: Option<u32>,
}

#[derive(Default, Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub position: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Pointer {
    #[serde(default)]
    pub pointer: String,
}

#[derive(Deserialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    pub interpolation: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub shape: String,
    pub sparse: Option<Sparse>,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub count: usize,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Buffer {
    pub uri: Option<String>,
}

// What every version of glTF has.
#[derive(Deserialize)]
struct AnyVersion {
    asset: Asset,
}

impl Document {
    /// Reads the JSON, which in a GLB file begins at a byte of its own.
    pub(super) fn parse(
        bytes: &[u8],
        begins_at: Option<usize>,
        warnings: &mut Warnings,
        path: &Path,
    ) -> Result<Self, ReadError> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let begins_at = begins_at.map(|first| first + bytes.len() - text.len());
        // The JSON of a GLB file is filled up with blanks, or by some programs with zeros.
        let text = text.trim_ascii_end();
        let text = &text[..text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)];
        let document = serde_json::from_slice::<Self>(text).or_else(|error| match String::from_utf8_lossy(text) {
            std::borrow::Cow::Borrowed(_) => Err(refused(&error, text, begins_at, path)),
            std::borrow::Cow::Owned(replaced) => {
                warnings.push(Place::File, || "what is not UTF-8 was replaced; names may differ".to_owned());
                let replaced = replaced.as_bytes();
                serde_json::from_slice(replaced).map_err(|error| refused(&error, replaced, begins_at, path))
            }
        })?;
        check_version(document.asset.version.as_str(), path)?;
        Ok(document)
    }
}

fn check_version(version: &str, path: &Path) -> Result<(), ReadError> {
    if version.starts_with("2.") {
        return Ok(());
    }
    Err(ReadError::content(path, Place::File, "version 2 of glTF", version))
}

fn refused(error: &serde_json::Error, text: &[u8], begins_at: Option<usize>, path: &Path) -> ReadError {
    // Other versions look different, so that the version is the better reason.
    let version = serde_json::from_slice::<AnyVersion>(text).map(|any| any.asset.version);
    if let Some(error) = version.ok().and_then(|version| check_version(&version, path).err()) {
        return error;
    }
    let (line, column) = (error.line().max(1), error.column().max(1));
    let start = text.split_inclusive(|&byte| byte == b'\n').take(line - 1).map(<[u8]>::len).sum::<usize>();
    let at = (start + column - 1).min(text.len());
    let place = match begins_at {
        Some(first) => Place::Byte(first + at),
        None => Place::Line(line, Some((column, column))),
    };
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    let found = &text[at.saturating_sub(20)..(at + 20).min(text.len())];
    ReadError::content(path, place, format!("glTF 2.0 ({message})"), found)
}
