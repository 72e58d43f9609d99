//! Base64 as VTK writes it.
//!
//! How it works: four letters are three bytes. VTK encodes a header and the data behind it apart, so padding can stand in the
//! middle; each group of four letters is therefore unpacked for itself, and blanks between letters are passed over.

/// Unpacks from the front, as far as it is asked to.
#[derive(Clone, Debug)]
pub(super) struct Base64<'a> {
    rest: &'a [u8],
    /// Bytes of the last group that nobody has taken yet.
    held: Vec<u8>,
}

impl<'a> Base64<'a> {
    pub(super) fn new(letters: &'a [u8]) -> Self {
        Self { rest: letters, held: Vec::new() }
    }

    /// The next bytes, if there are so many.
    pub(super) fn take(&mut self, length: usize) -> Option<Vec<u8>> {
        // Four letters hold at most three bytes, so a length that lies reserves nothing.
        if length > self.rest.len().saturating_add(self.held.len()) {
            return None;
        }
        let mut bytes = std::mem::take(&mut self.held);
        bytes.reserve(length.saturating_sub(bytes.len()) + 3);
        while bytes.len() < length {
            let (group, count) = self.group()?;
            bytes.extend(&group[..count]);
        }
        self.held = bytes.split_off(length);
        Some(bytes)
    }

    // Three bytes, and how many of them count.
    fn group(&mut self) -> Option<([u8; 3], usize)> {
        let (mut bits, mut letters, mut padding) = (0_u32, 0, 0);
        while letters < 4 {
            let (&letter, rest) = self.rest.split_first()?;
            self.rest = rest;
            if letter.is_ascii_whitespace() {
                continue;
            }
            padding += usize::from(letter == b'=');
            bits = bits << 6 | value(letter)?;
            letters += 1;
        }
        let [_, group @ ..] = bits.to_be_bytes();
        (padding < 3).then(|| (group, 3 - padding))
    }
}

fn value(letter: u8) -> Option<u32> {
    Some(u32::from(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        b'=' => 0,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_become_bytes_and_padding_may_stand_in_the_middle() {
        let mut words = Base64::new(b"TWFu\nTWE= TQ==TWFu");
        assert_eq!(words.take(5).unwrap(), b"ManMa");
        assert_eq!(words.take(0).unwrap(), b"");
        assert_eq!(words.take(4).unwrap(), b"MMan");
        assert_eq!(words.take(1), None);
    }

    #[test]
    fn rubbish_and_lengths_that_lie_are_refused() {
        assert_eq!(Base64::new(b"TW*u").take(1), None);
        assert_eq!(Base64::new(b"T===").take(1), None);
        assert_eq!(Base64::new(b"TWFu").take(usize::MAX), None);
    }
}
