//! Lines and the numbers in their columns.
//!
//! How it works: a field of at most eight columns is one 64-bit word. Exclusive-or with `00000000` leaves digits below
//! ten, so one addition flags every column that is no digit; what may stand before the digits is blanks and one minus.
//! Three multiplications then add up eight digits at once (D. Lemire, 2018). Fields in another shape, such as `1e3` or
//! a number that is not right-aligned, take the slow path.

const ONES: u64 = 0x0101_0101_0101_0101;
const BLANKS: u64 = 0x20 * ONES;

/// A line cut or padded to the 80 columns of a punched card, so that every field is there.
pub(super) type Card = [u8; 80];

/// The lines of a file, without their ends: `\n`, `\r\n`, or `\r` alone in a file without any `\n`.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    end: u8,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        // A file of one endless line is not worth a second look beyond its first megabyte.
        let start = &bytes[..bytes.len().min(1 << 20)];
        let old_mac = memchr::memchr(b'\n', start).is_none() && memchr::memchr(b'\r', start).is_some();
        Self { rest: bytes, end: if old_mac { b'\r' } else { b'\n' } }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = match memchr::memchr(self.end, self.rest) {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &[][..]),
        };
        self.rest = rest;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// The card of a line; only short lines are copied, into `room`.
#[inline]
pub(super) fn card<'a>(line: &'a [u8], room: &'a mut Card) -> &'a Card {
    match line.first_chunk::<80>() {
        Some(card) => card,
        None => {
            *room = [b' '; 80];
            room[..line.len()].copy_from_slice(line);
            room
        }
    }
}

/// The number in a field of eight columns, three of them decimals: `-123.456`, `   -.313`, ` 12.5   `.
#[inline]
pub(super) fn coordinate(field: &[u8; 8]) -> Option<f32> {
    // Fewer than 2^24 thousandths, so both are exact in f32 and the quotient is correctly rounded.
    match fixed_point::<4>(u64::from_le_bytes(*field)) {
        Some(thousandths) => Some(thousandths as f32 / 1000.0),
        None => any_number(field),
    }
}

/// The number in a field of six columns, two of them decimals; `None` where it is empty or no number.
#[inline]
pub(super) fn hundredths(field: &[u8; 6]) -> Option<f32> {
    let [a, b, c, d, e, f] = *field;
    match fixed_point::<5>(u64::from_le_bytes([b' ', b' ', a, b, c, d, e, f])) {
        Some(hundredths) => Some(hundredths as f32 / 100.0),
        None => any_number(field),
    }
}

/// A right-aligned decimal integer of at most five columns, the common case of a serial.
#[inline]
pub(super) fn five_digits(field: &[u8; 5]) -> Option<i32> {
    let [a, b, c, d, e] = *field;
    let word = u64::from_le_bytes([b' ', b' ', b' ', a, b, c, d, e]);
    let no_digit = not_digits(word);
    let front = (!no_digit & (0x80 * ONES)).trailing_zeros() / 8;
    if front == 8 || no_digit != flags_below(front) {
        return None;
    }
    let negative = sign(word, front)?;
    let value = eight_digits(word & !mask_below(front)) as i32;
    Some(if negative { -value } else { value })
}

/// Any decimal number with blanks around it; never infinite, never not-a-number.
pub(super) fn number(field: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(field.trim_ascii()).ok()?;
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

#[cold]
fn any_number(field: &[u8]) -> Option<f32> {
    number(field).map(|number| number as f32).filter(|number| number.is_finite())
}

// The digits around a decimal point in column `POINT` (from 0), as one integer with its sign.
#[inline]
fn fixed_point<const POINT: u32>(word: u64) -> Option<i32> {
    let no_digit = not_digits(word);
    let integer_part = mask_below(POINT);
    let front = ((!no_digit & (0x80 * ONES) & integer_part) | (0x80 << (8 * POINT))).trailing_zeros() / 8;
    let point = (word >> (8 * POINT)) as u8;
    if point != b'.' || no_digit != flags_below(front) | (0x80 << (8 * POINT)) {
        return None;
    }
    let negative = sign(word, front)?;
    let digits = word & !mask_below(front);
    let joined = ((digits & integer_part) << 8) | (digits & !mask_below(POINT + 1));
    let value = eight_digits(joined) as i32;
    Some(if negative { -value } else { value })
}

// 0x80 in every byte that is no ASCII digit.
#[inline]
fn not_digits(word: u64) -> u64 {
    let digits = word ^ (0x30 * ONES);
    (((digits & (0x7f * ONES)) + 0x76 * ONES) | digits) & (0x80 * ONES)
}

#[inline]
fn mask_below(columns: u32) -> u64 {
    // Split in two shifts, because a shift by all 64 bits is none at all.
    !((!0u64 << (4 * columns)) << (4 * columns))
}

#[inline]
fn flags_below(columns: u32) -> u64 {
    mask_below(columns) & (0x80 * ONES)
}

// Whether a minus stands before the digits; `None` where the columns before them hold anything but blanks.
#[inline]
fn sign(word: u64, front: u32) -> Option<bool> {
    let before = (word ^ BLANKS) & mask_below(front);
    if before == 0 {
        return Some(false);
    }
    let minus = u64::from(b'-' ^ b' ') << (8 * (front - 1));
    (before == minus).then_some(true)
}

#[inline]
fn eight_digits(word: u64) -> u64 {
    let pairs = ((word & (0x0f * ONES)).wrapping_mul(2561) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(6_553_601) >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(42_949_672_960_001) >> 32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_read_in_every_shape_found_in_files() {
        for (text, value) in [
            (b"  12.345", 12.345),
            (b"-123.456", -123.456),
            (b"9999.999", 9999.999),
            (b"   -.313", -0.313),
            (b"    .313", 0.313),
            (b"  8.062 ", 8.062),
            (b"-10.347 ", -10.347),
            (b"     1  ", 1.0),
            (b" 1.5e+01", 15.0),
            (b"  -0.000", -0.0),
            (b"12345.67", 12345.67),
        ] {
            assert_eq!(coordinate(text), Some(value), "{}", text.escape_ascii());
        }
        for text in
            [b"        ", b"   2.0x0", b"     nan", b"     inf", b"  1e+999", b" 1.0 2.0", b"   - .5 ", b"  --1.00"]
        {
            assert_eq!(coordinate(text), None, "{}", text.escape_ascii());
        }
        assert_eq!(hundredths(b"  1.00"), Some(1.0));
        assert_eq!(hundredths(b"100.25"), Some(100.25));
        assert_eq!(hundredths(b" -5.50"), Some(-5.5));
        assert_eq!(hundredths(b"******"), None);
    }

    #[test]
    fn lines_end_in_three_ways() {
        for text in ["a\nb\n\nc", "a\r\nb\r\n\r\nc\r\n", "a\rb\r\rc"] {
            assert_eq!(Lines::new(text.as_bytes()).collect::<Vec<_>>(), [&b"a"[..], b"b", b"", b"c"]);
        }
        assert_eq!(Lines::new(b"").count(), 0);
    }

    proptest! {
        #[test]
        fn every_coordinate_that_fits_is_read_as_the_nearest_f32(thousandths in -999_999..=9_999_999) {
            let text = format!("{:8.3}", f64::from(thousandths) / 1000.0);
            let field: [u8; 8] = text.as_bytes().try_into().expect("eight columns");
            prop_assert_eq!(coordinate(&field), text.trim().parse::<f32>().ok());
        }

        #[test]
        fn any_eight_bytes_are_read_as_the_standard_library_reads_them(field in "[-+ .0-9eE]{8}") {
            let field: [u8; 8] = field.as_bytes().try_into().expect("eight columns");
            let slow = number(&field).map(|number| number as f32).filter(|number| number.is_finite());
            prop_assert_eq!(coordinate(&field), slow);
        }

        #[test]
        fn any_five_columns_agree_with_the_slow_path(field in "[- 0-9]{5}") {
            let field: [u8; 5] = field.as_bytes().try_into().expect("five columns");
            if let Some(fast) = five_digits(&field) {
                prop_assert_eq!(Some(fast), super::super::hybrid36::decimal(&field));
            }
        }
    }
}
