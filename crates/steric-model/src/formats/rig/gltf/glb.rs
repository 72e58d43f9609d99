//! GLB: the JSON of a glTF file and one buffer in a binary file.
//!
//! How it works: twelve bytes of header (magic, version, length of the file), then chunks of length, kind and content. The JSON
//! comes first, the buffer second; other chunks are passed over.

use std::path::Path;

use crate::{Place, ReadError, Warnings};

const JSON: &[u8] = b"JSON";
const BUFFER: &[u8] = b"BIN\0";

/// The parts of a GLB file, and the bytes at which they begin.
pub(super) struct Glb<'a> {
    pub json: &'a [u8],
    pub json_at: usize,
    pub buffer: Option<(&'a [u8], usize)>,
}

struct Chunk<'a> {
    kind: &'a [u8],
    content: &'a [u8],
    at: usize,
}

impl<'a> Glb<'a> {
    pub(super) fn split(bytes: &'a [u8], warnings: &mut Warnings, path: &Path) -> Result<Self, ReadError> {
        let word = |at| number(bytes, at, path);
        if word(4)? != 2 {
            return Err(ReadError::content(path, Place::Byte(4), "version 2 of glTF", word(4)?.to_string()));
        }
        let length = word(8)? as usize;
        if length > bytes.len() || length < 12 {
            let expected = format!("a file of {length} bytes, as its header says");
            return Err(ReadError::content(path, Place::Byte(8), expected, format!("{} bytes", bytes.len())));
        }
        if length < bytes.len() {
            let extra = bytes.len() - length;
            warnings.push(Place::Byte(length), || format!("{extra} bytes behind the end were ignored"));
        }
        let bytes = &bytes[..length];
        let first = chunk(bytes, 12, path)?;
        if first.kind != JSON {
            return Err(ReadError::content(path, Place::Byte(16), "a JSON chunk", first.kind));
        }
        let buffer_at = first.at + first.content.len();
        let second = if buffer_at < length { Some(chunk(bytes, buffer_at, path)?) } else { None };
        let buffer = second.filter(|chunk| chunk.kind == BUFFER).map(|chunk| (chunk.content, chunk.at));
        Ok(Self { json: first.content, json_at: first.at, buffer })
    }
}

fn chunk<'a>(bytes: &'a [u8], at: usize, path: &Path) -> Result<Chunk<'a>, ReadError> {
    let length = number(bytes, at, path)? as usize;
    let kind = bytes.get(at + 4..at + 8).ok_or_else(|| ends_early(bytes, at + 4, "the kind of a chunk", path))?;
    let rest = bytes.get(at + 8..).unwrap_or_default();
    let content = rest.get(..length).ok_or_else(|| {
        let found = format!("{} bytes and the end of the file", rest.len());
        ReadError::content(path, Place::Byte(at), format!("a chunk of {length} bytes"), found)
    })?;
    Ok(Chunk { kind, content, at: at + 8 })
}

fn number(bytes: &[u8], at: usize, path: &Path) -> Result<u32, ReadError> {
    let word = bytes.get(at..at + 4).and_then(|word| <[u8; 4]>::try_from(word).ok());
    word.map(u32::from_le_bytes).ok_or_else(|| ends_early(bytes, at, "a number of four bytes", path))
}

fn ends_early(bytes: &[u8], at: usize, expected: &str, path: &Path) -> ReadError {
    let found = format!("the end of the file after {} bytes", bytes.len());
    ReadError::content(path, Place::Byte(at), expected, found)
}
