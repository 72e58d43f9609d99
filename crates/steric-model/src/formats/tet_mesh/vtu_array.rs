//! The arrays of a VTU file, in all the ways in which it can pack them.
//!
//! How it works: an array is text, or bytes behind a header that tells their length. With compression the header tells how many
//! blocks there are, the size of a block and of the last one, and the packed size of each; the blocks follow, each packed
//! with zlib. What may come out of a file is bounded as for gzip, for all arrays together, because several arrays can
//! point at the same bytes.

use std::io::Read;
use std::ops::Range;

use flate2::bufread::ZlibDecoder;

use super::base64::Base64;
use super::cursor::{Cursor, whole};
use super::kind::{Kind, Value};
use super::xml::{Tag, Xml};
use crate::formats::gzip::{FREE_BYTES, MOST_GROWTH};
use crate::formats::text::parse_float;
use crate::{Place, ReadError};

/// How the file packs what is not text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packing {
    pub(super) is_big: bool,
    pub(super) is_compressed: bool,
    pub(super) has_long_headers: bool,
}

/// Where the numbers of an array stand.
#[derive(Clone, Debug)]
enum Location {
    Text(Range<usize>),
    Inline(Range<usize>),
    /// So far behind the underscore.
    Appended(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Array<'a> {
    tag: Tag<'a>,
    kind: Kind,
    location: Location,
}

impl<'a> Array<'a> {
    /// The array whose tag this is, with the text behind it.
    pub(super) fn read(tag: &Tag<'a>, xml: &Xml<'a>) -> Result<Self, ReadError> {
        let name = tag.get("type").unwrap_or_default();
        let kind = Kind::of_vtu(name).ok_or_else(|| tag.error(xml, "a type such as Float32 or Int64", name))?;
        let location = match tag.get("format").unwrap_or("ascii") {
            "ascii" => Location::Text(xml.text()),
            "binary" => Location::Inline(xml.text()),
            "appended" => {
                let offset = tag.get("offset").unwrap_or_default();
                let number = offset.trim().parse().map_err(|_| tag.error(xml, "the offset of the array", offset))?;
                Location::Appended(number)
            }
            other => return Err(tag.error(xml, "the format ascii, binary or appended", other)),
        };
        Ok(Self { tag: tag.clone(), kind, location })
    }

    fn name(&self) -> &str {
        self.tag.get("Name").unwrap_or("points")
    }
}

/// Bytes as they stand, or in base64.
enum Source<'a> {
    Raw(&'a [u8]),
    Base64(Base64<'a>),
}

impl Source<'_> {
    fn take(&mut self, length: usize) -> Option<Vec<u8>> {
        match self {
            Self::Raw(rest) => {
                let (taken, behind) = rest.split_at_checked(length)?;
                *rest = behind;
                Some(taken.to_vec())
            }
            Self::Base64(base64) => base64.take(length),
        }
    }
}

/// Unpacks arrays.
pub(super) struct Unpacker<'a> {
    xml: Xml<'a>,
    packing: Packing,
    appended: Option<(usize, bool)>,
    /// How many bytes may still come out.
    left: u64,
}

impl<'a> Unpacker<'a> {
    pub(super) fn new(xml: Xml<'a>, packing: Packing, appended: Option<(usize, bool)>) -> Self {
        let left = (xml.bytes.len() as u64).saturating_mul(MOST_GROWTH).saturating_add(FREE_BYTES);
        Self { xml, packing, appended, left }
    }

    /// The array as finite numbers.
    pub(super) fn floats(&mut self, array: &Array<'a>) -> Result<Vec<f64>, ReadError> {
        let finite = |value: Value| Some(value.float()).filter(|value| value.is_finite());
        self.values(array, "a finite number", parse_float, finite)
    }

    /// The array as whole numbers.
    pub(super) fn integers(&mut self, array: &Array<'a>) -> Result<Vec<i64>, ReadError> {
        self.values(array, "a whole number", whole, Value::integer)
    }

    fn values<T>(
        &mut self,
        array: &Array<'a>,
        expected: &str,
        of_word: impl Fn(&[u8]) -> Option<T>,
        of_value: impl Fn(Value) -> Option<T>,
    ) -> Result<Vec<T>, ReadError> {
        let expected = || format!("{expected} in the array {}", array.name());
        if let Location::Text(range) = &array.location {
            let mut cursor = Cursor::within(self.xml.bytes, range.clone(), self.xml.path);
            let words = std::iter::from_fn(|| cursor.word()).map(|word| of_word(word.text).ok_or(word));
            let values: Result<Vec<T>, _> = words.collect();
            return values.map_err(|word| cursor.error(word, expected()));
        }
        let (bytes, is_big) = (self.unpack(array)?, self.packing.is_big);
        let numbers = bytes.chunks_exact(array.kind.size()).map(|bytes| array.kind.read(bytes, is_big));
        let wrong = |value: Value| array.tag.error(&self.xml, expected(), value.float().to_string());
        numbers.map(|value| of_value(value).ok_or_else(|| wrong(value))).collect()
    }

    fn unpack(&mut self, array: &Array<'a>) -> Result<Vec<u8>, ReadError> {
        let mut source = self.source(array)?;
        let bytes = match self.packing.is_compressed {
            true => self.unpack_blocks(&mut source, array.kind),
            false => self.unpack_whole(&mut source, array.kind),
        };
        bytes.map_err(|found| self.broken(array, found))
    }

    fn source(&self, array: &Array<'a>) -> Result<Source<'a>, ReadError> {
        let offset = match &array.location {
            Location::Text(range) | Location::Inline(range) => {
                return Ok(Source::Base64(Base64::new(&self.xml.bytes[range.clone()])));
            }
            Location::Appended(offset) => *offset,
        };
        let (start, is_base64) = self.appended.ok_or_else(|| self.broken(array, "a file without appended data"))?;
        let bytes = self.xml.bytes.get(start.saturating_add(offset)..);
        let bytes = bytes.ok_or_else(|| self.broken(array, "an offset behind the end of the file"))?;
        Ok(if is_base64 { Source::Base64(Base64::new(bytes)) } else { Source::Raw(bytes) })
    }

    fn headers(&self, source: &mut Source, count: usize) -> Option<Vec<usize>> {
        let kind = if self.packing.has_long_headers { Kind::U64 } else { Kind::U32 };
        let bytes = source.take(count.checked_mul(kind.size())?)?;
        let numbers = bytes.chunks_exact(kind.size()).map(|bytes| kind.read(bytes, self.packing.is_big).integer());
        numbers.map(|number| usize::try_from(number?).ok()).collect()
    }

    /// Takes so many bytes from what may come out; each number is eight of them in memory.
    fn charge(&mut self, bytes: usize, kind: Kind) -> Result<(), &'static str> {
        let in_memory = ((bytes / kind.size()) as u64).saturating_mul(8);
        self.left = self.left.checked_sub(in_memory).ok_or("more than a file of this size can hold")?;
        Ok(())
    }

    fn unpack_whole(&mut self, source: &mut Source, kind: Kind) -> Result<Vec<u8>, &'static str> {
        let length = self.headers(source, 1).ok_or("too few bytes")?[0];
        let bytes = source.take(length).ok_or("too few bytes")?;
        self.charge(length, kind)?;
        Ok(bytes)
    }

    fn unpack_blocks(&mut self, source: &mut Source, kind: Kind) -> Result<Vec<u8>, &'static str> {
        let few = "too few bytes";
        let header = self.headers(source, 1).ok_or(few)?;
        let blocks = header[0];
        let sizes = if blocks == 0 { vec![0, 0] } else { self.headers(source, 2).ok_or(few)? };
        let packed = self.headers(source, blocks).ok_or(few)?;
        let mut bytes = Vec::new();
        for (at, packed) in packed.into_iter().enumerate() {
            // The last block may be shorter, and tells so by a size above 0.
            let size = if at + 1 == blocks && sizes[1] > 0 { sizes[1] } else { sizes[0] };
            self.charge(size, kind)?;
            let block = source.take(packed).ok_or(few)?;
            inflate(&block, size, &mut bytes)?;
        }
        Ok(bytes)
    }

    fn broken(&self, array: &Array, found: &str) -> ReadError {
        let expected = format!("the packed numbers of the array {}", array.name());
        let place: Place = array.tag.place(&self.xml);
        ReadError::content(self.xml.path, place, expected, found)
    }
}

fn inflate(block: &[u8], size: usize, bytes: &mut Vec<u8>) -> Result<(), &'static str> {
    let before = bytes.len();
    let result = ZlibDecoder::new(block).take(size as u64 + 1).read_to_end(bytes);
    match result {
        Ok(_) if bytes.len() - before == size => Ok(()),
        Ok(_) => Err("a block of another size than its header says"),
        Err(_) => Err("a block that is damaged"),
    }
}
