//! What the line-based readers share: lines with their numbers, fields with their columns.
//!
//! How it works: nothing is copied. A line knows its number and a field its columns, so that every error can point at
//! the place. Decimal numbers of up to 15 digits are read without the general parser: the digits make an exact
//! integer below 2^53, which one division by a power of ten rounds correctly.

use std::path::Path;

use crate::{Place, ReadError};

/// A line without its line end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub number: usize,
    /// The bytes, without `\n` or `\r\n`.
    pub text: &'a [u8],
}

/// The lines of a file; a byte order mark at its beginning is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'a> {
    rest: Option<&'a [u8]>,
    number: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self { rest: (!bytes.is_empty()).then_some(bytes), number: 0 }
    }

    /// Whether nothing but blanks is left.
    pub(crate) fn only_blanks_left(&self) -> bool {
        self.rest.is_none_or(|rest| rest.trim_ascii_start().is_empty())
    }

    /// The next line, or an error that says what should have been there.
    pub(crate) fn expect(&mut self, path: &Path, expected: &str) -> Result<Line<'a>, ReadError> {
        let number = self.number + 1;
        self.next().ok_or_else(|| ReadError::content(path, Place::Line(number, None), expected, "the end of the file"))
    }

    /// The next line of those that a count has promised.
    pub(crate) fn expect_atom(&mut self, path: &Path, count: i64, count_line: usize) -> Result<Line<'a>, ReadError> {
        let number = self.number + 1;
        self.next().ok_or_else(|| {
            let expected = format!("one of the {count} atoms that line {count_line} promises");
            ReadError::content(path, Place::Line(number, None), expected, "the end of the file")
        })
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.rest?;
        let (text, rest) = match memchr::memchr(b'\n', rest) {
            Some(end) => (&rest[..end], Some(&rest[end + 1..]).filter(|rest| !rest.is_empty())),
            None => (rest, None),
        };
        self.rest = rest;
        self.number += 1;
        Some(Line { number: self.number, text: text.strip_suffix(b"\r").unwrap_or(text) })
    }
}

impl<'a> Line<'a> {
    /// The field in these columns, counted from 1; what lies beyond the end of the line is missing from it.
    pub(crate) fn columns(&self, first: usize, last: usize) -> Field<'a> {
        let end = last.min(self.text.len());
        let text = self.text.get(first - 1..end).unwrap_or_default();
        Field { line: self.number, first, last, text }
    }

    /// The fields between blanks.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        let line = *self;
        let mut from = 0;
        std::iter::from_fn(move || {
            let start = from + line.text.get(from..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
            let rest = &line.text[start..];
            let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            from = start + length;
            Some(Field { line: line.number, first: start + 1, last: from, text: &rest[..length] })
        })
    }

    /// Whether there is nothing but blanks.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim_ascii().is_empty()
    }

    /// An error about the whole line.
    pub(crate) fn error(&self, path: &Path, expected: impl Into<String>) -> ReadError {
        ReadError::content(path, Place::Line(self.number, None), expected, self.text)
    }
}

/// A part of a line that knows where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'a> {
    pub line: usize,
    pub first: usize,
    pub last: usize,
    pub text: &'a [u8],
}

impl Field<'_> {
    pub(crate) fn float(&self) -> Option<f64> {
        parse_float(self.text)
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        let text = self.text.trim_ascii();
        std::str::from_utf8(text.strip_prefix(b"+").unwrap_or(text)).ok()?.parse().ok()
    }

    pub(crate) fn place(&self) -> Place {
        Place::Line(self.line, Some((self.first, self.last)))
    }

    pub(crate) fn error(&self, path: &Path, expected: impl Into<String>) -> ReadError {
        ReadError::content(path, self.place(), expected, self.text)
    }

    /// A number that must be there.
    pub(crate) fn expect_float(&self, path: &Path, expected: &str) -> Result<f64, ReadError> {
        self.float().ok_or_else(|| self.error(path, expected))
    }

    /// A whole number that must be there.
    pub(crate) fn expect_integer(&self, path: &Path, expected: &str) -> Result<i64, ReadError> {
        self.integer().ok_or_else(|| self.error(path, expected))
    }

    /// A coordinate, times `scale`, which must be finite in single precision.
    pub(crate) fn coordinate(&self, path: &Path, axis: char, unit: &str, scale: f64) -> Result<f32, ReadError> {
        let value = self.float().map(|value| (value * scale) as f32).filter(|value| value.is_finite());
        value.ok_or_else(|| self.error(path, format!("the {axis} coordinate in {unit}")))
    }

    /// The text, with what is not UTF-8 replaced.
    pub(crate) fn string(&self) -> String {
        String::from_utf8_lossy(self.text.trim_ascii()).into_owned()
    }
}

/// Three coordinates in three fields; a missing field is an error at the end of its line.
pub(crate) fn position<'a>(
    line: Line<'a>,
    mut fields: impl Iterator<Item = Field<'a>>,
    path: &Path,
) -> Result<glam::Vec3, ReadError> {
    let mut axis = |name| {
        let end = line.text.len() + 1;
        let field = fields.next().unwrap_or(Field { line: line.number, first: end, last: end, text: b"" });
        field.coordinate(path, name, "angstroms", 1.0)
    };
    Ok(glam::Vec3::new(axis('x')?, axis('y')?, axis('z')?))
}

/// A finite decimal number with blanks around it; `None` for anything else, `nan` and `inf` too.
pub(crate) fn parse_float(text: &[u8]) -> Option<f64> {
    let text = text.trim_ascii();
    parse_plain_decimal(text)
        .or_else(|| std::str::from_utf8(text).ok()?.parse().ok())
        .filter(|value: &f64| value.is_finite())
}

// Sign, digits, point, digits; at most 15 digits, so that both the digits and the power of ten are exact.
fn parse_plain_decimal(text: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.len() > 16 {
        return None;
    }
    let (mut mantissa, mut count, mut decimals) = (0u64, 0, None);
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                count += 1;
                decimals = decimals.map(|decimals: usize| decimals + 1);
            }
            b'.' if decimals.is_none() => decimals = Some(0),
            _ => return None,
        }
    }
    if count == 0 || count > 15 {
        return None;
    }
    let value = mantissa as f64 / POWERS[decimals.unwrap_or(0)];
    Some(if negative { -value } else { value })
}

/// What a file is called when it does not name itself: `1crn` for `1crn.pdb.gz`.
pub(crate) fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rfind('.') {
        Some(dot) if dot > 0 => name[..dot].to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_to_read_a_number_agrees_with_the_general_one() {
        for text in ["0", "-0.5", "1.", ".25", "-.313", "123456.789", "99999999999999.9", "0.1", "7.0000001"] {
            assert_eq!(parse_plain_decimal(text.as_bytes()), Some(text.parse::<f64>().unwrap()), "{text}");
        }
        for text in ["", "-", ".", "1e5", "1.2.3", "1 2", "+1", "1234567890123456"] {
            assert_eq!(parse_plain_decimal(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse_float(b" 1e5 "), Some(1e5));
        assert_eq!(parse_float(b"nan"), None);
        assert_eq!(parse_float(b"1e999"), None);
    }

    #[test]
    fn lines_and_fields_know_their_places() {
        let mut lines = Lines::new(b"\xef\xbb\xbfone two\r\n\nthree");
        let line = lines.next().unwrap();
        let field = line.fields().nth(1).unwrap();
        assert_eq!((field.line, field.first, field.last, field.text), (1, 5, 7, &b"two"[..]));
        assert!(lines.next().unwrap().is_blank());
        assert_eq!(lines.next().unwrap().number, 3);
        assert!(lines.next().is_none());
    }

    #[test]
    fn a_stem_loses_its_endings() {
        for (path, name) in [("a/1crn.pdb.gz", "1crn"), ("1crn.ent", "1crn"), ("x.tar", "x"), (".hidden", ".hidden")] {
            assert_eq!(stem(Path::new(path)), name);
        }
    }
}
