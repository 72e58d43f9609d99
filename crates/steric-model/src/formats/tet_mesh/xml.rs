//! As much XML as VTK's files have: tags with attributes, and text between them.
//!
//! How it works: the scanner goes from one `<` to the next; remarks and processing instructions are passed over. Appended data
//! may be raw bytes, which no XML allows, so whoever meets the tag above them stops there.

use std::ops::Range;
use std::path::Path;

use super::cursor::{Cursor, Word};
use crate::{Place, ReadError};

/// A tag, such as `<Piece NumberOfPoints="4">`.
#[derive(Clone, Debug)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    pub(super) attributes: Vec<(&'a [u8], &'a [u8])>,
    /// Whether it is `</name>`.
    pub(super) is_end: bool,
    /// Where `<` stands, and what stands behind `>`.
    pub(super) span: Range<usize>,
}

impl Tag<'_> {
    /// The value of an attribute; none if it is not UTF-8, which no value that is asked for needs.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.attributes.iter().find(|(key, _)| *key == name.as_bytes())?;
        std::str::from_utf8(value).ok()
    }

    pub(super) fn error(&self, xml: &Xml, expected: impl Into<String>, found: impl AsRef<[u8]>) -> ReadError {
        ReadError::content(xml.path, self.place(xml), expected, found)
    }

    pub(super) fn place(&self, xml: &Xml) -> Place {
        xml.place(self.span.clone())
    }
}

#[derive(Clone, Debug)]
pub(super) struct Xml<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) path: &'a Path,
    at: usize,
}

impl<'a> Xml<'a> {
    pub(super) fn new(bytes: &'a [u8], path: &'a Path) -> Self {
        Self { bytes, path, at: 0 }
    }

    /// The next tag.
    pub(super) fn next_tag(&mut self) -> Result<Option<Tag<'a>>, ReadError> {
        loop {
            let rest = &self.bytes[self.at..];
            let Some(start) = memchr::memchr(b'<', rest).map(|offset| self.at + offset) else { return Ok(None) };
            let rest = &self.bytes[start..];
            let ending: &[u8] = if rest.starts_with(b"<!--") { b"-->" } else { b">" };
            let end = match ending {
                b"-->" => memchr::memmem::find(rest, ending).map(|end| end + ending.len()),
                _ => end_of_tag(rest),
            };
            let end = start + end.ok_or_else(|| self.error(start..start, "the end of a tag", "the end of the file"))?;
            self.at = end;
            if !matches!(rest.get(1), Some(b'!' | b'?')) {
                return self.parse(start..end).map(Some);
            }
        }
    }

    /// The text from here to the next tag.
    pub(super) fn text(&self) -> Range<usize> {
        let rest = &self.bytes[self.at..];
        self.at..self.at + memchr::memchr(b'<', rest).unwrap_or(rest.len())
    }

    fn parse(&self, span: Range<usize>) -> Result<Tag<'a>, ReadError> {
        let inside = &self.bytes[span.start + 1..span.end - 1];
        let (inside, is_end) = inside.strip_prefix(b"/").map_or((inside, false), |inside| (inside, true));
        let inside = inside.strip_suffix(b"/").unwrap_or(inside);
        let length = inside.iter().position(u8::is_ascii_whitespace).unwrap_or(inside.len());
        let (name, mut rest) = inside.split_at(length);
        let mut attributes = Vec::new();
        while !rest.trim_ascii().is_empty() {
            let wrong = || self.error(span.clone(), "attributes such as type=\"Float32\"", rest.trim_ascii());
            let (attribute, behind) = split_attribute(rest).ok_or_else(wrong)?;
            attributes.push(attribute);
            rest = behind;
        }
        Ok(Tag { name, attributes, is_end, span })
    }

    fn error(&self, span: Range<usize>, expected: &str, found: impl AsRef<[u8]>) -> ReadError {
        ReadError::content(self.path, self.place(span), expected, found)
    }

    fn place(&self, span: Range<usize>) -> Place {
        // The columns of a tag that goes over several lines would mean nothing.
        let text = &self.bytes[span.clone()];
        let text = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
        Cursor::new(self.bytes, self.path).place(Word { text, start: span.start })
    }
}

// A `>` between quotes does not end the tag.
fn end_of_tag(tag: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (at, &byte) in tag.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// A name and its value.
type Attribute<'a> = (&'a [u8], &'a [u8]);

fn split_attribute(text: &[u8]) -> Option<(Attribute<'_>, &[u8])> {
    let equals = memchr::memchr(b'=', text)?;
    let name = text[..equals].trim_ascii();
    let (&quote, value) = text[equals + 1..].trim_ascii_start().split_first()?;
    if name.is_empty() || !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let end = memchr::memchr(quote, value)?;
    Some(((name, &value[..end]), &value[end + 1..]))
}
