//! Where a value stands in a JSON file.
//!
//! How it works: a value is known by the keys and numbers on the way to it. The text is walked once more along that way,
//! passing over everything else. The text has been read before, so that it is known to be JSON; where it is not after
//! all, there is no place to tell.

use std::ops::Range;

use crate::Place;

/// One step from a value into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Number(usize),
}

/// The line and columns of the value at the end of a way; of its first line, if it has several.
pub(super) fn place(bytes: &[u8], way: &[Step]) -> Place {
    range(bytes, way).map_or(Place::File, |range| {
        let line = 1 + memchr::memchr_iter(b'\n', &bytes[..range.start]).count();
        let begins = memchr::memrchr(b'\n', &bytes[..range.start]).map_or(0, |end| end + 1);
        let length = memchr::memchr(b'\n', &bytes[range.clone()]).unwrap_or(range.len());
        Place::Line(line, Some((range.start - begins + 1, range.start - begins + length.max(1))))
    })
}

/// The bytes of the value.
pub(super) fn range(bytes: &[u8], way: &[Step]) -> Option<Range<usize>> {
    let mut walk = Walk { bytes, at: 0 };
    for step in way {
        walk.enter(step)?;
    }
    walk.blanks();
    let start = walk.at;
    walk.pass()?;
    Some(start..walk.at)
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    fn blanks(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len());
    }

    fn next(&mut self) -> Option<u8> {
        self.blanks();
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    // Stops in front of the value that the step leads to.
    fn enter(&mut self, step: &Step) -> Option<()> {
        let open = self.next()?;
        match (step, open) {
            (Step::Key(wanted), b'{') => loop {
                self.blanks();
                let start = self.at;
                self.pass()?;
                let key: String = serde_json::from_slice(&self.bytes[start..self.at]).ok()?;
                (self.next()? == b':').then_some(())?;
                if key == *wanted {
                    return Some(());
                }
                self.pass()?;
                (self.next()? == b',').then_some(())?;
            },
            (Step::Number(wanted), b'[') => {
                for _ in 0..*wanted {
                    self.pass()?;
                    (self.next()? == b',').then_some(())?;
                }
                Some(())
            }
            _ => None,
        }
    }

    // Goes behind a value: a text, a number, or all between a bracket and its partner.
    fn pass(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.next()? {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.checked_sub(1)?,
                b'"' => self.pass_text()?,
                b',' | b':' if depth > 0 => {}
                _ => {
                    let rest = self.bytes.get(self.at..)?;
                    let is_end = |byte: &u8| b",:]}\"".contains(byte) || byte.is_ascii_whitespace();
                    self.at += rest.iter().position(is_end).unwrap_or(rest.len());
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn pass_text(&mut self) -> Option<()> {
        loop {
            let rest = self.bytes.get(self.at..)?;
            let end = memchr::memchr2(b'"', b'\\', rest)?;
            self.at += end + 1;
            if rest[end] == b'"' {
                return Some(());
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_by_the_way_to_it() {
        let text = br#"{"a": [1, {"}\"": "x,]"}, 3],
  "b": {"c": -1.5e3, "d": null}}"#;
        let key = |key: &str| Step::Key(key.to_owned());
        let found = |way: &[Step]| range(text, way).map(|range| std::str::from_utf8(&text[range]).unwrap());
        assert_eq!(found(&[key("a"), Step::Number(1), key("}\"")]), Some("\"x,]\""));
        assert_eq!(found(&[key("a"), Step::Number(2)]), Some("3"));
        assert_eq!(found(&[key("b"), key("d")]), Some("null"));
        assert_eq!(place(text, &[key("b"), key("c")]), Place::Line(2, Some((14, 19))));
        assert_eq!(place(text, &[key("b"), key("e")]), Place::File);
        assert_eq!(place(text, &[key("a"), Step::Number(3)]), Place::File);
        assert_eq!(place(b"[[[", &[Step::Number(0)]), Place::File);
    }
}
