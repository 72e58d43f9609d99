//! Writes numbers in either order of bytes, and base64.

#[derive(Clone, Debug, Default)]
pub(crate) struct Out {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_big: bool,
}

impl Out {
    pub(crate) fn new(is_big: bool) -> Self {
        Self { bytes: Vec::new(), is_big }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
    }

    fn put(&mut self, little: &[u8]) {
        if self.is_big { self.bytes.extend(little.iter().rev()) } else { self.bytes.extend(little) }
    }

    pub(crate) fn i32s(&mut self, values: impl IntoIterator<Item = i64>) {
        values.into_iter().for_each(|value| self.put(&(value as i32).to_le_bytes()));
    }

    pub(crate) fn u64s(&mut self, values: impl IntoIterator<Item = i64>) {
        values.into_iter().for_each(|value| self.put(&(value as u64).to_le_bytes()));
    }

    pub(crate) fn f32s(&mut self, values: impl IntoIterator<Item = f64>) {
        values.into_iter().for_each(|value| self.put(&(value as f32).to_le_bytes()));
    }

    pub(crate) fn f64s(&mut self, values: impl IntoIterator<Item = f64>) {
        values.into_iter().for_each(|value| self.put(&value.to_le_bytes()));
    }

    /// A number of a type that VTU names.
    pub(crate) fn number(&mut self, kind: &str, value: f64) {
        match kind {
            "Int8" | "UInt8" => self.put(&[value as u8]),
            "Int16" | "UInt16" => self.put(&(value as i16).to_le_bytes()),
            "Int32" | "UInt32" => self.i32s([value as i64]),
            "Int64" | "UInt64" => self.u64s([value as i64]),
            "Float32" => self.f32s([value]),
            "Float64" => self.f64s([value]),
            _ => panic!("{kind} is no type"),
        }
    }
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |bytes: &[u8]| {
        let bits = (0..3).fold(0_u32, |bits, at| bits << 8 | u32::from(bytes.get(at).copied().unwrap_or(0)));
        let letter = |at: usize| char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize]);
        (0..4).map(|at| if at <= bytes.len() { letter(at) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}
