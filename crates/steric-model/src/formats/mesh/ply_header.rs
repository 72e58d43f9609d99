//! The header of a PLY file: which elements follow, how many, and the types of their properties.

use std::path::Path;

use crate::formats::text::{Field, Line, Lines};
use crate::{Place, ReadError};

/// How the numbers behind the header are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Text,
    LittleEndian,
    BigEndian,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn parse(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug)]
pub(super) struct Property<'a> {
    pub(super) name: &'a [u8],
    pub(super) kind: Kind,
    /// The type of the count in front of a list.
    pub(super) count: Option<Kind>,
}

#[derive(Clone, Debug)]
pub(super) struct Element<'a> {
    pub(super) name: &'a [u8],
    pub(super) count: usize,
    pub(super) line: usize,
    pub(super) properties: Vec<Property<'a>>,
}

#[derive(Debug)]
pub(super) struct Header<'a> {
    pub(super) coding: Coding,
    pub(super) elements: Vec<Element<'a>>,
    /// Where the numbers begin.
    pub(super) end: usize,
    pub(super) lines: usize,
}

pub(super) fn read_header<'a>(bytes: &'a [u8], path: &Path) -> Result<Header<'a>, ReadError> {
    let (mut coding, mut elements, mut end) = (None, Vec::new(), 0);
    for line in Lines::new(bytes) {
        end = (end + line_length(&bytes[end..])).min(bytes.len());
        let words: Vec<Field<'a>> = line.fields().collect();
        match words.first().map_or(&b""[..], |word| word.text) {
            b"end_header" => {
                let coding = coding.ok_or_else(|| line.error(path, "a format line before the end of the header"))?;
                return Ok(Header { coding, elements, end, lines: line.number });
            }
            b"format" => coding = Some(read_coding(&words, line, path)?),
            b"element" => elements.push(read_element(&words, line, path)?),
            b"property" => {
                let element =
                    elements.last_mut().ok_or_else(|| line.error(path, "an element before its properties"))?;
                element.properties.push(read_property(&words, line, path)?);
            }
            b"ply" | b"comment" | b"obj_info" | b"" => {}
            _ => {
                return Err(line.error(path, "a line of a PLY header (format, comment, element, property, end_header)"));
            }
        }
    }
    Err(ReadError::content(path, Place::File, "a PLY header that ends with end_header", "the end of the file"))
}

fn line_length(rest: &[u8]) -> usize {
    memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1)
}

fn read_coding(words: &[Field], line: Line, path: &Path) -> Result<Coding, ReadError> {
    match words.get(1).map_or(&b""[..], |word| word.text) {
        b"ascii" => Ok(Coding::Text),
        b"binary_little_endian" => Ok(Coding::LittleEndian),
        b"binary_big_endian" => Ok(Coding::BigEndian),
        _ => Err(line.error(path, "the format ascii, binary_little_endian or binary_big_endian")),
    }
}

fn read_element<'a>(words: &[Field<'a>], line: Line, path: &Path) -> Result<Element<'a>, ReadError> {
    let [_, name, count] = words else { return Err(line.error(path, "the name and the count of an element")) };
    let number = count.integer().and_then(|count| usize::try_from(count).ok());
    let number = number.ok_or_else(|| count.error(path, "how many elements there are"))?;
    Ok(Element { name: name.text, count: number, line: line.number, properties: Vec::new() })
}

fn read_property<'a>(words: &[Field<'a>], line: Line, path: &Path) -> Result<Property<'a>, ReadError> {
    let kind = |word: &Field| {
        Kind::parse(word.text).ok_or_else(|| word.error(path, "a type of number, such as float, uchar or int"))
    };
    match words {
        [_, list, count, item, name] if list.text == b"list" => {
            Ok(Property { name: name.text, kind: kind(item)?, count: Some(kind(count)?) })
        }
        [_, item, name] => Ok(Property { name: name.text, kind: kind(item)?, count: None }),
        _ => Err(line.error(path, "the type and the name of a property, or list, two types and a name")),
    }
}
