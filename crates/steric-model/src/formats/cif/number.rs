//! Numbers as CIF writes them: decimal, an exponent now and then, a standard deviation in parentheses.
//!
//! How it works: digits are gathered in an integer and divided once by a power of ten. Both are exact in `f64` up to
//! 2^53 and 10^22, so the quotient is the correctly rounded number; what does not fit goes to the standard library.

const POWERS_OF_TEN: [f64; 19] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18];

/// The largest integer below which every integer is an `f64`.
const EXACT: u64 = 1 << 53;

/// A finite number such as `-12.5`, `.5`, `1e-3` or `10.25(3)`; the standard deviation is dropped.
pub(super) fn parse_number(text: &[u8]) -> Option<f64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut mantissa = 0_u64;
    let mut point = None;
    for (index, &byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' if mantissa < EXACT => mantissa = mantissa * 10 + (byte - b'0') as u64,
            b'.' if point.is_none() => point = Some(index),
            _ => return parse_slowly(text),
        }
    }
    let decimals = point.map_or(0, |point| digits.len() - 1 - point);
    let figures = digits.len() - point.is_some() as usize;
    if figures == 0 || mantissa >= EXACT || decimals >= POWERS_OF_TEN.len() {
        return parse_slowly(text);
    }
    let magnitude = mantissa as f64 / POWERS_OF_TEN[decimals];
    Some(if negative { -magnitude } else { magnitude })
}

#[cold]
fn parse_slowly(text: &[u8]) -> Option<f64> {
    let number = match text.iter().position(|&byte| byte == b'(') {
        Some(open) if text.ends_with(b")") && text[open + 1..text.len() - 1].iter().all(u8::is_ascii_digit) => {
            &text[..open]
        }
        _ => text,
    };
    let is_plain = number.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let number: f64 = std::str::from_utf8(number).ok().filter(|_| is_plain)?.parse().ok()?;
    number.is_finite().then_some(number)
}

/// A whole number such as `-7`; `None` also where it does not fit.
pub(super) fn parse_integer(text: &[u8]) -> Option<i32> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 10 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = digits.iter().fold(0_i64, |sum, digit| sum * 10 + (digit - b'0') as i64);
    i32::try_from(if negative { -magnitude } else { magnitude }).ok()
}

/// A formal charge: `2`, `-1`, and the PDB's way of putting the sign last, `2+`.
pub(super) fn parse_charge(text: &[u8]) -> Option<i8> {
    let charge = match text {
        [digits @ .., b'+'] if !digits.is_empty() => parse_integer(digits)?,
        [digits @ .., b'-'] if !digits.is_empty() => -parse_integer(digits)?,
        _ => parse_integer(text)?,
    };
    i8::try_from(charge).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_the_standard_library() {
        for text in [
            "0",
            "-0.5",
            ".5",
            "5.",
            "+1.25",
            "123456.789",
            "9007199254740993",
            "1e-3",
            "-2.5E2",
            "0.1234567890123456789",
        ] {
            assert_eq!(parse_number(text.as_bytes()), text.parse::<f64>().ok(), "{text}");
        }
        assert_eq!(parse_number(b"10.25(3)"), Some(10.25));
    }

    #[test]
    fn nonsense_is_no_number() {
        for text in ["", "-", ".", "+.", "1.2.3", "inf", "nan", "1e999", "0x10", "1.0(", "1.0(x)", "--1", "1 2"] {
            assert_eq!(parse_number(text.as_bytes()), None, "{text}");
        }
        for text in ["", "-", "1.0", "99999999999", "2147483648", "a"] {
            assert_eq!(parse_integer(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn charges_may_have_their_sign_last() {
        assert_eq!(
            ["2", "-1", "2+", "1-", "+3"].map(|text| parse_charge(text.as_bytes())),
            [2, -1, 2, -1, 3].map(Some)
        );
        assert_eq!(parse_charge(b"300"), None);
    }
}
