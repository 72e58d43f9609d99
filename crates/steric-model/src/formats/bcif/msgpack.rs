//! MessagePack, as much of it as BinaryCIF needs.
//!
//! How it works: the reader is a cursor over borrowed bytes that hands out one token at a time and never builds a
//! tree, so a file of a gigabyte costs nothing until somebody asks for a column. A length is compared with the bytes
//! that are left before anything is made of it, and nesting stops at [`DEEPEST`]. The writer always picks the shortest
//! form of a number or a length.

use std::path::Path;

use crate::{Place, ReadError};

/// How deep arrays and maps may nest. A BinaryCIF file with a string column reaches 10.
pub(super) const DEEPEST: usize = 32;

/// The bytes of a file and the name it has in messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) path: &'a Path,
}

impl Source<'_> {
    pub(super) fn error(self, at: usize, expected: impl Into<String>, found: impl AsRef<[u8]>) -> ReadError {
        ReadError::content(self.path, Place::Byte(at), expected, found)
    }
}

/// One value, or the opening of an array or a map with the number of its entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'a [u8]),
    Bytes(&'a [u8]),
    Array(usize),
    Map(usize),
    Extension,
}

impl Token<'_> {
    fn in_words(self) -> String {
        match self {
            Self::Nil => "nil".into(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
            Self::Text(text) => String::from_utf8_lossy(&text[..text.len().min(200)]).into_owned(),
            Self::Bytes(bytes) => format!("{} bytes", bytes.len()),
            Self::Array(length) => format!("an array of {length}"),
            Self::Map(length) => format!("a map of {length}"),
            Self::Extension => "an extension type".into(),
        }
    }
}

/// A cursor over MessagePack.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    source: Source<'a>,
    position: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: Source<'a>, position: usize) -> Self {
        Self { source, position, depth: 0 }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    fn left(&self) -> usize {
        self.source.bytes.len().saturating_sub(self.position)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        if count > self.left() {
            let found = format!("{} bytes", self.left());
            return Err(self.source.error(self.position, format!("{count} more bytes"), found));
        }
        let taken = &self.source.bytes[self.position..self.position + count];
        self.position += count;
        Ok(taken)
    }

    fn array_of<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    /// A big-endian unsigned number of 1, 2, 4 or 8 bytes.
    fn unsigned(&mut self, width: usize) -> Result<u64, ReadError> {
        Ok(self.take(width)?.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    }

    fn length(&mut self, width: usize) -> Result<usize, ReadError> {
        Ok(usize::try_from(self.unsigned(width)?).unwrap_or(usize::MAX))
    }

    /// Every entry takes at least one byte, so a count above the bytes that are left is a lie.
    fn entries(&self, at: usize, count: usize, bytes_each: usize) -> Result<usize, ReadError> {
        if count.saturating_mul(bytes_each) > self.left() {
            let found = format!("a count of {count}");
            return Err(self.source.error(at, format!("entries within the {} bytes left", self.left()), found));
        }
        Ok(count)
    }

    pub(super) fn token(&mut self) -> Result<Token<'a>, ReadError> {
        let at = self.position;
        let marker = self.take(1)?[0];
        let low = usize::from(marker);
        Ok(match marker {
            0x00..=0x7f => Token::Int(i64::from(marker)),
            0x80..=0x8f => Token::Map(self.entries(at, low & 15, 2)?),
            0x90..=0x9f => Token::Array(self.entries(at, low & 15, 1)?),
            0xa0..=0xbf => Token::Text(self.take(low & 31)?),
            0xc0 => Token::Nil,
            0xc1 => return Err(self.source.error(at, "a MessagePack value", "the unused marker 0xc1")),
            0xc2 | 0xc3 => Token::Bool(marker == 0xc3),
            0xc4..=0xc6 => Token::Bytes(self.counted(1 << (marker - 0xc4))?),
            0xc7..=0xc9 => self.extension(1 << (marker - 0xc7))?,
            0xca => Token::Float(f64::from(f32::from_be_bytes(self.array_of()?))),
            0xcb => Token::Float(f64::from_be_bytes(self.array_of()?)),
            0xcc..=0xcf => {
                let value = self.unsigned(1 << (marker - 0xcc))?;
                i64::try_from(value).map_or(Token::Float(value as f64), Token::Int)
            }
            0xd0 => Token::Int(i64::from(i8::from_be_bytes(self.array_of()?))),
            0xd1 => Token::Int(i64::from(i16::from_be_bytes(self.array_of()?))),
            0xd2 => Token::Int(i64::from(i32::from_be_bytes(self.array_of()?))),
            0xd3 => Token::Int(i64::from_be_bytes(self.array_of()?)),
            0xd4..=0xd8 => self.take(1 + (1 << (marker - 0xd4))).map(|_| Token::Extension)?,
            0xd9..=0xdb => Token::Text(self.counted(1 << (marker - 0xd9))?),
            0xdc | 0xdd => {
                let count = self.length(2 << (marker - 0xdc))?;
                Token::Array(self.entries(at, count, 1)?)
            }
            0xde | 0xdf => {
                let count = self.length(2 << (marker - 0xde))?;
                Token::Map(self.entries(at, count, 2)?)
            }
            0xe0..=0xff => Token::Int(i64::from(marker as i8)),
        })
    }

    /// A run of bytes behind its own length.
    fn counted(&mut self, width: usize) -> Result<&'a [u8], ReadError> {
        let count = self.length(width)?;
        self.take(count)
    }

    fn extension(&mut self, width: usize) -> Result<Token<'a>, ReadError> {
        let count = self.length(width)?;
        self.take(count.saturating_add(1))?;
        Ok(Token::Extension)
    }

    fn deeper(&mut self, at: usize) -> Result<(), ReadError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.source.error(at, format!("at most {DEEPEST} nested values"), "one more"));
        }
        Ok(())
    }

    /// Passes over one whole value, checking that it is well formed.
    pub(super) fn skip(&mut self) -> Result<(), ReadError> {
        let at = self.position;
        let inner = match self.token()? {
            Token::Array(count) => count,
            Token::Map(count) => 2 * count,
            _ => return Ok(()),
        };
        self.deeper(at)?;
        for _ in 0..inner {
            self.skip()?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Visits the entries of a map; the visitor must read or skip each value.
    pub(super) fn map(
        &mut self,
        what: &str,
        mut visit: impl FnMut(&mut Self, &'a str) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let at = self.position;
        let Token::Map(count) = self.expect(what, |token| matches!(token, Token::Map(_)))? else { return Ok(()) };
        self.deeper(at)?;
        for _ in 0..count {
            let key = self.text("a key")?;
            visit(self, key)?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Visits the entries of an array; the visitor must read or skip each one. Nil counts as an empty array.
    pub(super) fn array(
        &mut self,
        what: &str,
        mut visit: impl FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let at = self.position;
        let token = self.expect(what, |token| matches!(token, Token::Array(_) | Token::Nil))?;
        let Token::Array(count) = token else { return Ok(()) };
        self.deeper(at)?;
        for _ in 0..count {
            visit(self)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn expect(&mut self, what: &str, wanted: impl Fn(Token<'a>) -> bool) -> Result<Token<'a>, ReadError> {
        let at = self.position;
        let token = self.token()?;
        if wanted(token) { Ok(token) } else { Err(self.source.error(at, what, token.in_words())) }
    }

    pub(super) fn text(&mut self, what: &str) -> Result<&'a str, ReadError> {
        let at = self.position;
        match self.token()? {
            Token::Text(text) => {
                std::str::from_utf8(text).map_err(|bad| self.source.error(at, "UTF-8 text", bad.to_string()))
            }
            other => Err(self.source.error(at, what, other.in_words())),
        }
    }

    pub(super) fn bytes(&mut self, what: &str) -> Result<&'a [u8], ReadError> {
        let at = self.position;
        match self.token()? {
            Token::Bytes(bytes) => Ok(bytes),
            other => Err(self.source.error(at, what, other.in_words())),
        }
    }

    /// A number of any kind; a bool counts as 0 or 1.
    pub(super) fn number(&mut self, what: &str) -> Result<f64, ReadError> {
        let at = self.position;
        match self.token()? {
            Token::Int(value) => Ok(value as f64),
            Token::Float(value) => Ok(value),
            Token::Bool(value) => Ok(f64::from(u8::from(value))),
            other => Err(self.source.error(at, what, other.in_words())),
        }
    }

    /// A number of rows or entries: whole and not negative.
    pub(super) fn count(&mut self, what: &str) -> Result<usize, ReadError> {
        let at = self.position;
        let value = self.number(what)?;
        let whole = value >= 0.0 && value.fract() == 0.0 && value < 9e15;
        if whole { Ok(value as usize) } else { Err(self.source.error(at, what, value.to_string())) }
    }
}

/// Writes MessagePack in the shortest forms.
#[derive(Debug, Default)]
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn nil(&mut self) {
        self.bytes.push(0xc0);
    }

    pub(super) fn bool(&mut self, value: bool) {
        self.bytes.push(0xc2 + u8::from(value));
    }

    pub(super) fn int(&mut self, value: i64) {
        match value {
            0..=0x7f => self.bytes.push(value as u8),
            -32..=-1 => self.bytes.push(value as i8 as u8),
            0x80..=0xff => self.marked(0xcc, &(value as u8).to_be_bytes()),
            0x100..=0xffff => self.marked(0xcd, &(value as u16).to_be_bytes()),
            0x1_0000..=0xffff_ffff => self.marked(0xce, &(value as u32).to_be_bytes()),
            -0x80..=-33 => self.marked(0xd0, &(value as i8).to_be_bytes()),
            -0x8000..=-0x81 => self.marked(0xd1, &(value as i16).to_be_bytes()),
            -0x8000_0000..=-0x8001 => self.marked(0xd2, &(value as i32).to_be_bytes()),
            _ => self.marked(0xd3, &value.to_be_bytes()),
        }
    }

    pub(super) fn float(&mut self, value: f64) {
        self.marked(0xcb, &value.to_be_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        match text.len() {
            length @ 0..=31 => self.bytes.push(0xa0 | length as u8),
            length @ 32..=0xff => self.marked(0xd9, &[length as u8]),
            length => self.length(0xda, length),
        }
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub(super) fn binary(&mut self, bytes: &[u8]) {
        match bytes.len() {
            length @ 0..=0xff => self.marked(0xc4, &[length as u8]),
            length => self.length(0xc5, length),
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Opens an array; its entries follow.
    pub(super) fn array(&mut self, count: usize) {
        match count {
            0..=15 => self.bytes.push(0x90 | count as u8),
            _ => self.length(0xdc, count),
        }
    }

    /// Opens a map; its keys and values follow.
    pub(super) fn map(&mut self, count: usize) {
        match count {
            0..=15 => self.bytes.push(0x80 | count as u8),
            _ => self.length(0xde, count),
        }
    }

    fn marked(&mut self, marker: u8, bytes: &[u8]) {
        self.bytes.push(marker);
        self.bytes.extend_from_slice(bytes);
    }

    /// A length of two bytes under `marker`, or of four under the next one.
    fn length(&mut self, marker: u8, length: usize) {
        match u16::try_from(length) {
            Ok(short) => self.marked(marker, &short.to_be_bytes()),
            Err(_) => {
                let long = u32::try_from(length).expect("MessagePack holds up to 4 GiB in one value");
                self.marked(marker + 1, &long.to_be_bytes());
            }
        }
    }
}
