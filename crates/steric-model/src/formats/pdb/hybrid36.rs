//! Hybrid-36 numbers: decimal as long as they fit, then base 36 with a letter in front.
//!
//! How it works: in a field of five columns `99999` is followed by `A0000`, `A0001`, … `ZZZZZ`, then `a0000` to
//! `zzzzz`; numbers without a leading letter keep their meaning, so old readers and new ones agree below the limit.
//! Scheme by R. W. Grosse-Kunstleve (cctbx, 2007), also used by the wwPDB for its own large files.

const LETTERS: i64 = 26;

/// The number in a field as wide as `W` columns; `None` where it is neither decimal nor hybrid-36.
pub(super) fn decode<const W: usize>(field: &[u8; W]) -> Option<i32> {
    if !field[0].is_ascii_alphabetic() {
        return decimal(field);
    }
    let upper = field[0].is_ascii_uppercase();
    let value = field.iter().try_fold(0, |value, &letter| Some(value * 36 + base_36(letter, upper)?))?;
    let letters_before = if upper { 0 } else { LETTERS };
    i32::try_from(value + (letters_before - 10) * base_weight(W) + decimal_limit(W)).ok()
}

/// The text of a number in `W` columns, right-aligned; `None` where it does not fit.
pub(super) fn encode<const W: usize>(value: i32) -> Option<[u8; W]> {
    let value = i64::from(value);
    let beyond = value - decimal_limit(W);
    if beyond < 0 {
        return encode_decimal(value);
    }
    let block = LETTERS * base_weight(W);
    let (first_letter, rest) = if beyond < block { (b'A', beyond) } else { (b'a', beyond - block) };
    let mut value = rest + 10 * base_weight(W);
    let mut text = [b'0'; W];
    for digit in text.iter_mut().rev() {
        let remainder = (value % 36) as u8;
        *digit = if remainder < 10 { b'0' + remainder } else { first_letter + remainder - 10 };
        value /= 36;
    }
    (rest < block).then_some(text)
}

/// A decimal integer with blanks around it.
pub(super) fn decimal(field: &[u8]) -> Option<i32> {
    let text = field.trim_ascii();
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0i64, |value, digit| value * 10 + i64::from(digit - b'0'));
    i32::try_from(if negative { -value } else { value }).ok()
}

fn encode_decimal<const W: usize>(value: i64) -> Option<[u8; W]> {
    let mut text = [b' '; W];
    let mut rest = value.unsigned_abs();
    let mut columns = text.iter_mut().rev();
    loop {
        *columns.next()? = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        *columns.next()? = b'-';
    }
    Some(text)
}

fn base_36(letter: u8, upper: bool) -> Option<i64> {
    match letter {
        b'0'..=b'9' => Some(i64::from(letter - b'0')),
        b'A'..=b'Z' if upper => Some(i64::from(letter - b'A') + 10),
        b'a'..=b'z' if !upper => Some(i64::from(letter - b'a') + 10),
        _ => None,
    }
}

const fn decimal_limit(width: usize) -> i64 {
    10i64.pow(width as u32)
}

const fn base_weight(width: usize) -> i64 {
    36i64.pow(width as u32 - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_published_corner_values_hold() {
        // From the reference implementation's own examples.
        for (value, text) in [
            (-9999, b"-9999"),
            (0, b"    0"),
            (99_999, b"99999"),
            (100_000, b"A0000"),
            (43_770_015, b"ZZZZZ"),
            (43_770_016, b"a0000"),
            (87_440_031, b"zzzzz"),
        ] {
            assert_eq!(encode::<5>(value).as_ref(), Some(text));
            assert_eq!(decode::<5>(text), Some(value));
        }
        for (value, text) in
            [(-999, b"-999"), (9999, b"9999"), (10_000, b"A000"), (1_223_056, b"a000"), (2_436_111, b"zzzz")]
        {
            assert_eq!(encode::<4>(value).as_ref(), Some(text));
            assert_eq!(decode::<4>(text), Some(value));
        }
    }

    #[test]
    fn what_does_not_fit_or_makes_no_number_is_refused() {
        assert_eq!(encode::<5>(87_440_032), None);
        assert_eq!(encode::<4>(2_436_112), None);
        assert_eq!(encode::<4>(-1000), None);
        for nonsense in [b"     ", b"*****", b"A00a0", b"A 000", b"1A000", b"1-234", b"  -  "] {
            assert_eq!(decode::<5>(nonsense), None, "{nonsense:?}");
        }
    }

    proptest! {
        #[test]
        fn every_number_that_fits_comes_back(serial in -9999..=87_440_031i32, residue in -999..=2_436_111i32) {
            prop_assert_eq!(encode::<5>(serial).and_then(|text| decode::<5>(&text)), Some(serial));
            prop_assert_eq!(encode::<4>(residue).and_then(|text| decode::<4>(&text)), Some(residue));
        }

        #[test]
        fn order_of_numbers_is_order_of_texts_beyond_the_limit(a in 100_000..43_770_016i32, b in 100_000..43_770_016i32) {
            prop_assert_eq!(a.cmp(&b), encode::<5>(a).cmp(&encode::<5>(b)));
        }

        #[test]
        fn arbitrary_fields_never_panic(field: [u8; 5]) {
            let _ = decode::<5>(&field);
        }
    }
}
