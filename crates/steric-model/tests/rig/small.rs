//! Small glTF files of our own writing.

use base64::Engine;

/// A buffer that grows by what accessors point at.
#[derive(Default)]
pub(crate) struct Small {
    bytes: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Small {
    /// A buffer view of these bytes; `more` is further JSON of the view.
    pub(crate) fn view(&mut self, bytes: &[u8], more: &str) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let (offset, length) = (self.bytes.len(), bytes.len());
        self.bytes.extend(bytes);
        self.views.push(format!(r#"{{"buffer":0,"byteOffset":{offset},"byteLength":{length}{more}}}"#));
        self.views.len() - 1
    }

    /// An accessor of this JSON.
    pub(crate) fn accessor(&mut self, json: &str) -> usize {
        self.accessors.push(format!("{{{json}}}"));
        self.accessors.len() - 1
    }

    /// An accessor of floating-point numbers.
    pub(crate) fn floats(&mut self, shape: &str, numbers: &[f32]) -> usize {
        let width = match shape {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let view = self.view(&bytes_of(numbers), "");
        let count = numbers.len() / width;
        self.accessor(&format!(r#""bufferView":{view},"componentType":5126,"count":{count},"type":"{shape}""#))
    }

    fn json(&self, body: &str, uri: &str) -> String {
        let (views, accessors, length) = (self.views.join(","), self.accessors.join(","), self.bytes.len());
        format!(
            r#"{{"asset":{{"version":"2.0"}},{body},"bufferViews":[{views}],"accessors":[{accessors}],"buffers":[{{{uri}"byteLength":{length}}}]}}"#
        )
    }

    /// A glTF file with its buffer embedded.
    pub(crate) fn gltf(&self, body: &str) -> Vec<u8> {
        let text = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        self.json(body, &format!(r#""uri":"data:application/octet-stream;base64,{text}","#)).into_bytes()
    }

    /// A glTF file with its buffer in a file, and that file.
    pub(crate) fn gltf_beside(&self, body: &str, uri: &str) -> (Vec<u8>, &[u8]) {
        (self.json(body, &format!(r#""uri":"{uri}","#)).into_bytes(), &self.bytes)
    }

    /// A GLB file.
    pub(crate) fn glb(&self, body: &str) -> Vec<u8> {
        let mut json = self.json(body, "").into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut content = self.bytes.clone();
        content.resize(content.len().next_multiple_of(4), 0);
        let word = |number: usize| (number as u32).to_le_bytes();
        let length = 12 + 8 + json.len() + 8 + content.len();
        [
            b"glTF",
            &word(2)[..],
            &word(length),
            &word(json.len()),
            b"JSON",
            &json,
            &word(content.len()),
            b"BIN\0",
            &content,
        ]
        .concat()
    }
}

pub(crate) fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}
