//! Structures as Thrift's compact protocol has them, for the descriptions in Parquet files.
//!
//! How it works: each field is a byte with the distance from the field before it and its type, and its value; fields
//! come in the order of their numbers, and a zero ends them. Whole numbers take as many bytes as they need.

// Types of Thrift's compact protocol.
pub(super) const INT32: u8 = 5;
const INT64: u8 = 6;
pub(super) const BINARY: u8 = 8;
const LIST: u8 = 9;
pub(super) const STRUCT: u8 = 12;

/// A structure that is being written.
#[derive(Default)]
pub(super) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    fn field(&mut self, number: u8, kind: u8) {
        assert!((1..16).contains(&number.wrapping_sub(self.last)), "fields come in order, and near each other");
        self.bytes.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    pub(super) fn int32(&mut self, number: u8, value: i64) {
        self.field(number, INT32);
        self.bytes.extend(zigzag(value));
    }

    pub(super) fn int64(&mut self, number: u8, value: i64) {
        self.field(number, INT64);
        self.bytes.extend(zigzag(value));
    }

    pub(super) fn text(&mut self, number: u8, text: &str) {
        self.field(number, BINARY);
        self.bytes.extend(binary(text));
    }

    pub(super) fn inner(&mut self, number: u8, inner: Self) {
        self.field(number, STRUCT);
        self.bytes.extend(inner.end());
    }

    // Up to 14 entries share a byte with their type.
    pub(super) fn list(&mut self, number: u8, kind: u8, entries: &[Vec<u8>]) {
        self.field(number, LIST);
        if entries.len() < 15 {
            self.bytes.push((entries.len() as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            self.bytes.extend(varint(entries.len() as u64));
        }
        entries.iter().for_each(|entry| self.bytes.extend_from_slice(entry));
    }

    pub(super) fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

pub(super) fn binary(text: &str) -> Vec<u8> {
    let mut bytes = varint(text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

// Small numbers of either sign are short.
pub(super) fn zigzag(value: i64) -> Vec<u8> {
    varint((value << 1 ^ value >> 63) as u64)
}

// Seven bits to a byte, the low ones first; the high bit says that more follow.
fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    // The examples of the protocol's own page: 50,399 is DF 89 03, and -1 is a 1 in zigzag.
    #[test]
    fn whole_numbers_are_as_long_as_they_need() {
        assert_eq!(varint(50_399), [0xdf, 0x89, 0x03]);
        assert_eq!([zigzag(0), zigzag(-1), zigzag(1), zigzag(-2)].concat(), [0, 1, 2, 3]);
        assert_eq!(zigzag(i64::MIN), [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    }

    #[test]
    fn a_field_tells_its_distance_and_its_type() {
        let mut fields = Struct::default();
        fields.int32(1, 3);
        fields.text(4, "id");
        fields.list(5, INT32, &vec![zigzag(0); 15]);
        let list = [&[0x19, 0xf5, 15][..], &[0; 15]].concat();
        assert_eq!(fields.end(), [&[0x15, 6, 0x38, 2, b'i', b'd'][..], &list, &[0]].concat());
    }
}
