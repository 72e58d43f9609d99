//! The buffers of a glTF file: in the GLB file itself, embedded as base64, or in files beside it.
//!
//! How it works: a buffer is fetched when the first number in it is asked for, so that textures and meshes in buffers of their
//! own are never loaded, and a file that several buffers name is loaded once. A file must lie in the folder of the glTF file or
//! below: a model from elsewhere must not reach for other files.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::json::Buffer;
use crate::formats::rig::short;
use crate::{Place, ReadError};

/// A buffer's bytes, and where in the file they begin, if they are in the file as they are.
#[derive(Clone)]
pub(super) struct Bytes {
    pub content: Rc<[u8]>,
    pub begins_at: Option<usize>,
}

pub(super) struct Buffers<'a> {
    listed: &'a [Buffer],
    chunk: Option<(&'a [u8], usize)>,
    fetched: BTreeMap<usize, Bytes>,
    files: BTreeMap<PathBuf, Rc<[u8]>>,
    loaded: usize,
    path: &'a Path,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(listed: &'a [Buffer], chunk: Option<(&'a [u8], usize)>, path: &'a Path) -> Self {
        Self { listed, chunk, fetched: BTreeMap::new(), files: BTreeMap::new(), loaded: 0, path }
    }

    /// The bytes of the files and URIs that were read so far.
    pub(super) fn loaded(&self) -> usize {
        self.loaded
    }

    pub(super) fn get(&mut self, index: usize) -> Result<Bytes, ReadError> {
        if let Some(known) = self.fetched.get(&index) {
            return Ok(known.clone());
        }
        let bytes = self.fetch(index)?;
        self.fetched.insert(index, bytes.clone());
        Ok(bytes)
    }

    fn fetch(&mut self, index: usize) -> Result<Bytes, ReadError> {
        let buffer = self.listed.get(index).ok_or_else(|| {
            let expected = format!("the number of one of the {} buffers", self.listed.len());
            self.error(expected, index.to_string())
        })?;
        match (&buffer.uri, self.chunk) {
            (Some(uri), _) if uri.starts_with("data:") => {
                Ok(Bytes { content: self.embedded(uri, index)?.into(), begins_at: None })
            }
            (Some(uri), _) => Ok(Bytes { content: self.beside(uri, index)?, begins_at: None }),
            (None, Some((content, at))) if index == 0 => Ok(Bytes { content: content.into(), begins_at: Some(at) }),
            (None, _) => {
                Err(self.error(format!("the content of buffers[{index}]"), "neither a URI nor a chunk for it"))
            }
        }
    }

    fn embedded(&mut self, uri: &str, index: usize) -> Result<Vec<u8>, ReadError> {
        const FORGIVING: GeneralPurpose = GeneralPurpose::new(
            &STANDARD,
            GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
        );
        let expected = || format!("base64 in the URI of buffers[{index}]");
        let (kind, text) = uri.split_once(',').unwrap_or((uri, ""));
        if !kind.ends_with(";base64") {
            return Err(self.error(expected(), kind));
        }
        let content = FORGIVING.decode(text.trim()).map_err(|error| self.error(expected(), error.to_string()))?;
        self.loaded = self.loaded.saturating_add(content.len());
        Ok(content)
    }

    fn beside(&mut self, uri: &str, index: usize) -> Result<Rc<[u8]>, ReadError> {
        let name = self.file_name(uri).ok_or_else(|| {
            self.error(format!("buffers[{index}] in a file beside this one or in a folder below"), uri)
        })?;
        if let Some(known) = self.files.get(&name) {
            return Ok(Rc::clone(known));
        }
        let content: Rc<[u8]> = crate::formats::load(&name).map_err(|error| named(error, self.path, uri))?.into();
        self.loaded = self.loaded.saturating_add(content.len());
        self.files.insert(name, Rc::clone(&content));
        Ok(content)
    }

    // The path of a file that lies in the folder of this one or below; None for all other places.
    fn file_name(&self, uri: &str) -> Option<PathBuf> {
        let name = percent_decoded(uri)?;
        let has_scheme = name.split(['/', '\\']).next().is_some_and(|first| first.contains(':'));
        let mut depth = 0_usize;
        for component in Path::new(&name).components() {
            match component {
                Component::Normal(_) => depth += 1,
                Component::CurDir => {}
                Component::ParentDir => depth = depth.checked_sub(1)?,
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        let folder = self.path.parent().unwrap_or(Path::new(""));
        (!has_scheme && depth > 0).then(|| folder.join(name))
    }

    pub(super) fn error(&self, expected: impl Into<String>, found: impl AsRef<[u8]>) -> ReadError {
        ReadError::content(self.path, Place::File, expected, found)
    }
}

// The file that is missing is not the one that the user named, so both are told.
fn named(error: ReadError, path: &Path, uri: &str) -> ReadError {
    match error {
        ReadError::Io { source, .. } => {
            let source = std::io::Error::new(source.kind(), format!("its buffer {}: {source}", short(uri)));
            ReadError::Io { path: path.to_owned(), source }
        }
        other => other,
    }
}

fn percent_decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
        bytes.push((digit()? * 16 + digit()?) as u8);
    }
    String::from_utf8(bytes).ok()
}
