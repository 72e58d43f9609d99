//! The words of CIF 1.1: data names, values, and the few reserved words.
//!
//! How it works: a cursor walks over the bytes and hands out slices of them; CIF has no escapes, so a value is always
//! a piece of the file as it stands. Lines are only counted when a message needs one. Bare `.` and `?`, CIF's two ways of saying
//! nothing, come out as the empty slice.

use std::cell::Cell;
use std::path::Path;

use crate::{Place, ReadError};

/// One word of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `data_` with the block's name, which may be empty.
    Data(&'a [u8]),
    /// `save_` with the frame's name; empty where a frame ends.
    Save(&'a [u8]),
    /// `loop_`.
    Loop,
    /// A data name, with its underscore.
    Name(&'a [u8]),
    /// A value without its quotes; empty where the file says `.` or `?`.
    Value(&'a [u8]),
    /// The end of the file.
    End,
}

/// A cursor over the words of a file.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    path: &'a Path,
    // A byte and its line, counted from 1: warnings come in file order, so counting goes on from the last one.
    counted: Cell<(usize, usize)>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8], path: &'a Path) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { bytes, at, path, counted: Cell::new((0, 1)) }
    }

    /// How many bytes are still to come.
    pub(super) fn bytes_left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Where the cursor stands, counted from 0.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The next word of any kind.
    pub(super) fn next(&mut self) -> Result<Token<'a>, ReadError> {
        if let Some(value) = self.value()? {
            return Ok(Token::Value(value));
        }
        let word = &self.bytes[self.at..self.word_end()];
        let position = self.at;
        self.at += word.len();
        Ok(match word {
            [] => Token::End,
            [b'_', ..] => Token::Name(word),
            [b'd' | b'D', ..] => Token::Data(&word[5..]),
            [b's' | b'S', b'a' | b'A', ..] => Token::Save(&word[5..]),
            [b'l' | b'L', ..] => Token::Loop,
            // global_ and stop_ are reserved by STAR and have no meaning in CIF.
            _ => return Err(self.error(position, "a word that CIF 1.1 knows", word)),
        })
    }

    /// The next word if it is a value; otherwise `None`, and the cursor stays before that word.
    ///
    /// Nearly every value is a bare word after a blank or two, so that case is inlined where values are read in rows.
    #[inline(always)]
    pub(super) fn value(&mut self) -> Result<Option<&'a [u8]>, ReadError> {
        let rest = &self.bytes[self.at..];
        let start = rest.iter().position(|&byte| byte > b' ').unwrap_or(rest.len());
        let rest = &rest[start..];
        if matches!(rest.first(), None | Some(b'_' | b'#' | b'\'' | b'"' | b';')) {
            return self.unusual_value();
        }
        let word = &rest[..rest.iter().position(|&byte| byte <= b' ').unwrap_or(rest.len())];
        if word.len() >= 5 && is_reserved(word) {
            return self.unusual_value();
        }
        self.at += start + word.len();
        Ok(Some(if matches!(word, b"." | b"?") { b"" } else { word }))
    }

    /// Everything that is not a bare word.
    #[cold]
    #[inline(never)]
    fn unusual_value(&mut self) -> Result<Option<&'a [u8]>, ReadError> {
        self.skip_blanks();
        match self.bytes.get(self.at) {
            None | Some(b'_') => Ok(None),
            Some(&quote @ (b'\'' | b'"')) => self.quoted(quote).map(Some),
            Some(b';') if self.at_line_start() => self.text_field().map(Some),
            Some(b';') => {
                let word = &self.bytes[self.at..self.word_end()];
                self.at += word.len();
                Ok(Some(word))
            }
            Some(_) if is_reserved(&self.bytes[self.at..self.word_end()]) => Ok(None),
            // A bare word behind a comment.
            Some(_) => self.value(),
        }
    }

    /// Where a slice of the file stands: its line and columns.
    pub(super) fn place_of(&self, slice: &[u8]) -> Place {
        let start = (slice.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize);
        if start >= self.bytes.len() {
            return self.place(self.at);
        }
        let line_start = memchr::memrchr(b'\n', &self.bytes[..start]).map_or(0, |end| end + 1);
        let column = start - line_start + 1;
        Place::Line(self.line_of(start), Some((column, column + slice.len().max(1) - 1)))
    }

    /// The line of a byte.
    pub(super) fn place(&self, position: usize) -> Place {
        Place::Line(self.line_of(position), None)
    }

    fn line_of(&self, position: usize) -> usize {
        let (from, line) = if self.counted.get().0 <= position { self.counted.get() } else { (0, 1) };
        let line = line + memchr::memchr_iter(b'\n', &self.bytes[from..position]).count();
        self.counted.set((position, line));
        line
    }

    /// An error about the line of a byte.
    pub(super) fn error(&self, position: usize, expected: impl Into<String>, found: impl AsRef<[u8]>) -> ReadError {
        ReadError::content(self.path, self.place(position), expected, found)
    }

    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'#' => self.at = end_of_line(self.bytes, self.at),
                0..=b' ' => self.at += 1,
                _ => return,
            }
        }
    }

    fn word_end(&self) -> usize {
        let rest = &self.bytes[self.at..];
        self.at + rest.iter().position(|&byte| byte <= b' ').unwrap_or(rest.len())
    }

    fn at_line_start(&self) -> bool {
        self.at == 0 || matches!(self.bytes[self.at - 1], b'\n' | b'\r')
    }

    // A quote only closes before a blank, so that 'O5'' and 'a dog's life' need no escapes.
    fn quoted(&mut self, quote: u8) -> Result<&'a [u8], ReadError> {
        let start = self.at + 1;
        let line = &self.bytes[start..end_of_line(self.bytes, start)];
        let closes = |&end: &usize| line.get(end + 1).is_none_or(|&next| next <= b' ');
        match memchr::memchr_iter(quote, line).find(closes) {
            Some(end) => {
                self.at = start + end + 1;
                Ok(&line[..end])
            }
            None => Err(self.error(self.at, "a closing quote on the same line", line.trim_ascii_end())),
        }
    }

    fn text_field(&mut self) -> Result<&'a [u8], ReadError> {
        let start = self.at + 1;
        let rest = &self.bytes[start..];
        let closes = |&end: &usize| end > 0 && matches!(rest[end - 1], b'\n' | b'\r');
        match memchr::memchr_iter(b';', rest).find(closes) {
            Some(end) => {
                self.at = start + end + 1;
                let text = &rest[..end];
                let text = text.strip_suffix(b"\n").unwrap_or(text);
                Ok(text.strip_suffix(b"\r").unwrap_or(text))
            }
            None => {
                let first_line = &self.bytes[self.at..end_of_line(self.bytes, self.at)];
                Err(self.error(self.at, "a line with ';' that closes this text", first_line))
            }
        }
    }
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &bytes[from..]).map_or(bytes.len(), |length| from + length)
}

#[inline]
fn is_reserved(word: &[u8]) -> bool {
    let starts_with =
        |reserved: &[u8]| word.len() >= reserved.len() && word[..reserved.len()].eq_ignore_ascii_case(reserved);
    match word.first().copied().unwrap_or(0) {
        b'd' | b'D' => starts_with(b"data_"),
        b's' | b'S' => starts_with(b"save_") || word.eq_ignore_ascii_case(b"stop_"),
        b'l' | b'L' => word.eq_ignore_ascii_case(b"loop_"),
        b'g' | b'G' => word.eq_ignore_ascii_case(b"global_"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text.as_bytes(), Path::new("test.cif"));
        let mut tokens = Vec::new();
        loop {
            match lexer.next().unwrap() {
                Token::End => return tokens,
                token => tokens.push(token),
            }
        }
    }

    fn values(text: &str) -> Vec<&str> {
        let text_of = |token| match token {
            Token::Value(value) => std::str::from_utf8(value).unwrap(),
            other => panic!("{other:?}"),
        };
        tokens(text).into_iter().map(text_of).collect()
    }

    #[test]
    fn a_quote_inside_a_word_belongs_to_the_word() {
        assert_eq!(values("O5' \"O3'\" 'a dog's life' H2\" 'x'"), ["O5'", "O3'", "a dog's life", "H2\"", "x"]);
    }

    #[test]
    fn text_fields_keep_their_lines_and_a_semicolon_elsewhere_is_a_value() {
        assert_eq!(values("\n;one\ntwo;\n;\n ;three"), ["one\ntwo;", ";three"]);
        assert_eq!(values(";one\r\ntwo\r\n;\r\n"), ["one\r\ntwo"]);
        assert_eq!(values(";\n;x"), ["", "x"]);
    }

    #[test]
    fn dots_and_question_marks_say_nothing_unless_quoted() {
        assert_eq!(values(". ? '?' '.' .5"), ["", "", "?", ".", ".5"]);
    }

    #[test]
    fn reserved_words_have_no_case_and_comments_are_skipped() {
        let expected = [
            Token::Data(b"X"),
            Token::Loop,
            Token::Name(b"_a.b"),
            Token::Value(b"c#d"),
            Token::Save(b"f"),
            Token::Save(b""),
        ];
        assert_eq!(tokens("# data_no\nDaTa_X LOOP_\t_a.b c#d #e\nsave_f Save_"), expected);
        assert_eq!(values("data loop save data-x 'data_x'"), ["data", "loop", "save", "data-x", "data_x"]);
    }

    #[test]
    fn an_open_quote_and_an_open_text_name_their_line() {
        let error_of = |text: &str| {
            let mut lexer = Lexer::new(text.as_bytes(), Path::new("test.cif"));
            std::iter::from_fn(|| Some(lexer.next())).find_map(Result::err).unwrap().to_string()
        };
        assert_eq!(error_of("a\n'b c\nd'\n"), r#"test.cif:2: expected a closing quote on the same line, found "b c""#);
        assert_eq!(error_of("a\n;b\nc\n"), r#"test.cif:2: expected a line with ';' that closes this text, found ";b""#);
        assert!(error_of("global_").contains("a word that CIF 1.1 knows"));
    }
}
