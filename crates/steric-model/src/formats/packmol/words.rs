//! The words of a line, with their columns.
//!
//! How it works: `#` ends a line, blanks part words, and a name with blanks stands in quotes or has a backslash before each blank.
//! Numbers are read as Fortran reads them, so that `1.d0` is 1.

use std::path::Path;

use glam::DVec3;

use crate::formats::text::{Line, parse_float};
use crate::{Place, ReadError, Warnings};

/// One word.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) text: String,
    first: usize,
    last: usize,
}

/// The words of one line, taken one by one.
#[derive(Debug)]
pub(super) struct Words<'a> {
    path: &'a Path,
    pub(super) line: usize,
    end: usize,
    words: Vec<Word>,
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) fn of(line: Line<'_>, path: &'a Path) -> Result<Self, ReadError> {
        let text = line.text;
        let end = memchr::memchr(b'#', text).unwrap_or(text.len());
        let (mut words, mut at) = (Vec::new(), 0);
        while let Some(start) = text[at..end].iter().position(|byte| !is_blank(*byte)) {
            let first = at + start;
            let (word, next) = word(&text[first..end]);
            at = first + next;
            let place = Place::Line(line.number, Some((first + 1, at)));
            let word = word.ok_or_else(|| ReadError::content(path, place, "a quote at the end of the name", text))?;
            words.push(Word { text: word, first: first + 1, last: at });
        }
        Ok(Self { path, line: line.number, end: end + 1, words, at: 0 })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The next word as it stands, if there is one.
    pub(super) fn next(&mut self) -> Option<Word> {
        let word = self.words.get(self.at).cloned();
        self.at += usize::from(word.is_some());
        word
    }

    pub(super) fn expect(&mut self, expected: &str) -> Result<Word, ReadError> {
        match self.next() {
            Some(word) => Ok(word),
            None => {
                let place = Place::Line(self.line, Some((self.end, self.end)));
                Err(ReadError::content(self.path, place, expected, "the end of the line"))
            }
        }
    }

    pub(super) fn float(&mut self, expected: &str) -> Result<f64, ReadError> {
        let word = self.expect(expected)?;
        fortran_float(&word.text).ok_or_else(|| self.error(&word, expected))
    }

    /// A number that is more than zero.
    pub(super) fn positive(&mut self, expected: &str) -> Result<f64, ReadError> {
        let word = self.expect(expected)?;
        fortran_float(&word.text).filter(|&number| number > 0.0).ok_or_else(|| self.error(&word, expected))
    }

    pub(super) fn point(&mut self, what: &str) -> Result<DVec3, ReadError> {
        let mut axis = |name| self.float(&format!("the {name} of {what} in angstroms"));
        Ok(DVec3::new(axis("x")?, axis("y")?, axis("z")?))
    }

    pub(super) fn integer(&mut self, expected: &str) -> Result<i64, ReadError> {
        let word = self.expect(expected)?;
        let digits = word.text.strip_prefix('+').unwrap_or(&word.text);
        digits.parse().map_err(|_| self.error(&word, expected))
    }

    /// How many words have not been taken.
    pub(super) fn left(&self) -> usize {
        self.words.len() - self.at
    }

    /// An error about a word.
    pub(super) fn error(&self, word: &Word, expected: impl Into<String>) -> ReadError {
        ReadError::content(self.path, self.place(word), expected, &word.text)
    }

    /// An error about the line.
    pub(super) fn line_error(&self, expected: impl Into<String>) -> ReadError {
        let all: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        ReadError::content(self.path, Place::Line(self.line, None), expected, all.join(" "))
    }

    pub(super) fn place(&self, word: &Word) -> Place {
        Place::Line(self.line, Some((word.first, word.last)))
    }

    /// Says that what was not taken is not read.
    pub(super) fn end(mut self, warnings: &mut Warnings) {
        let keyword = self.words.first().map(|word| word.text.clone()).unwrap_or_default();
        if let Some(word) = self.next() {
            warnings.push(self.place(&word), || {
                format!("{:.60?} is more than {keyword:.30} takes; it is not read", word.text)
            });
        }
    }
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte.is_ascii_control()
}

/// The word that a text begins with, and where it ends; none where a quote is not closed.
fn word(text: &[u8]) -> (Option<String>, usize) {
    let (mut bytes, mut at, mut quoted) = (Vec::new(), 0, false);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => quoted = !quoted,
            b'\\' if text.get(at + 1) == Some(&b' ') => {
                bytes.push(b' ');
                at += 1;
            }
            _ if is_blank(byte) && !quoted => break,
            _ => bytes.push(byte),
        }
        at += 1;
    }
    ((!quoted).then(|| String::from_utf8_lossy(&bytes).into_owned()), at)
}

/// No length of an input is longer, in angstroms: a millimetre.
pub(super) const LONGEST: f64 = 1e7;

/// A number of a size that makes sense; Fortran writes the exponent with a `d` too.
fn fortran_float(text: &str) -> Option<f64> {
    let number = parse_float(text.as_bytes()).or_else(|| parse_float(text.replace(['d', 'D'], "e").as_bytes()));
    number.filter(|number| number.abs() <= LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let line = Line { number: 1, text: text.as_bytes() };
        Words::of(line, Path::new("a.inp")).unwrap().words.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn names_with_blanks_stand_in_quotes_or_have_backslashes() {
        assert_eq!(words("structure \"my water.pdb\" # a \"comment"), ["structure", "my water.pdb"]);
        assert_eq!(words(r"output my\ water.pdb"), ["output", "my water.pdb"]);
        assert_eq!(words("\t tolerance\t2.0 \r"), ["tolerance", "2.0"]);
        assert!(words("# nothing").is_empty());
    }

    #[test]
    fn numbers_are_fortrans() {
        for (text, number) in [("1.d0", 1.0), ("-2.5D-1", -0.25), ("3", 3.0), (".5", 0.5), ("1e3", 1000.0)] {
            assert_eq!(fortran_float(text), Some(number), "{text}");
        }
        assert_eq!(fortran_float("two"), None);
        assert_eq!(fortran_float("1d999"), None);
        assert_eq!(fortran_float("1e8"), None);
    }
}
