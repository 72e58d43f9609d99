//! Damages a file in the ways that files get damaged, and in those that readers tend not to expect.

/// SplitMix64 (Steele, Lea and Flood 2014): each seed gives the same damage on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, or 0 where there is none.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }

    pub(crate) fn choose<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        &among[self.below(among.len())]
    }
}

/// Larger inputs only slow the search down.
const MOST_BYTES: usize = 256 << 10;

/// Where counts overflow, signs flip, conversions saturate and fields run into each other.
const NUMBERS: [&str; 24] = [
    "0",
    "-0",
    "-1",
    "1",
    "255",
    "256",
    "65535",
    "65536",
    "99999",
    "100000",
    "999999999",
    "2147483647",
    "2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775808",
    "99999999999999999999999",
    "1e308",
    "-1e-320",
    "1e999",
    "nan",
    "inf",
    "*****",
];

/// Bytes that end things, begin things, or are not text at all; the last ones are MessagePack's large lengths.
const BYTES: [u8; 22] = [
    0, 1, b'\n', b'\r', b'\t', b' ', b'\'', b'"', b';', b'#', b'_', b'(', b')', b',', b'-', b'.', 0x7f, 0x80, 0xc6,
    0xdd, 0xdf, 0xff,
];

/// The input with one to six damages; `other` is a second file to splice from.
pub(crate) fn mutate(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(6) {
        damage(&mut bytes, other, random);
        bytes.truncate(MOST_BYTES);
    }
    bytes
}

fn damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(14) {
        0 => flip_bit(bytes, at, random),
        1 => set_byte(bytes, at, random),
        2 => bytes.insert(at, *random.choose(&BYTES)),
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(span(bytes.len(), 64, random))),
        5 => copy_within(bytes, at, random),
        6 => splice(bytes, at, other, random),
        7 => large_length(bytes, at, random),
        8 | 9 => replace_number(bytes, at, random),
        10 => repeat_line(bytes, at, 1, random),
        11 => repeat_line(bytes, at, 300, random),
        12 => drop(bytes.drain(line_at(bytes, at))),
        _ => move_line(bytes, at, random),
    }
}

fn flip_bit(bytes: &mut [u8], at: usize, random: &mut Random) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn set_byte(bytes: &mut [u8], at: usize, random: &mut Random) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte = *random.choose(&BYTES);
    }
}

/// A run of at most `longest` bytes that lies inside.
fn span(length: usize, longest: usize, random: &mut Random) -> std::ops::Range<usize> {
    let start = random.below(length);
    start..(start + random.below(longest) + 1).min(length)
}

fn copy_within(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let copy = bytes[span(bytes.len(), 1024, random)].to_vec();
    bytes.splice(at..at, copy);
}

fn splice(bytes: &mut Vec<u8>, at: usize, other: &[u8], random: &mut Random) {
    let end = (at + random.below(256)).min(bytes.len());
    bytes.splice(at..end, other[span(other.len(), 4096, random)].iter().copied());
}

/// Four bytes that a binary reader may take for a length.
fn large_length(bytes: &mut [u8], at: usize, random: &mut Random) {
    let length = *random.choose(&[u32::MAX, i32::MAX as u32, 1 << 31, 1 << 28, 1 << 20, 0x1_0001]);
    let word = if random.below(2) == 0 { length.to_be_bytes() } else { length.to_le_bytes() };
    if let Some(place) = bytes.get_mut(at..at + 4) {
        place.copy_from_slice(&word);
    }
}

/// Replaces the next number; half of the time in its own columns, because fixed columns matter to some formats.
fn replace_number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+');
    let Some(start) = bytes[at..].iter().position(is_number).map(|offset| at + offset) else { return };
    let length = bytes[start..].iter().take_while(|byte| is_number(byte)).count();
    let mut number = random.choose(&NUMBERS).as_bytes().to_vec();
    if random.below(2) == 0 {
        number.resize(length, b' ');
    }
    bytes.splice(start..start + length, number);
}

/// The line around a place, with its end.
fn line_at(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |offset| at + offset + 1);
    start..end
}

fn repeat_line(bytes: &mut Vec<u8>, at: usize, most: usize, random: &mut Random) {
    let line = bytes[line_at(bytes, at)].to_vec();
    let copies = line.repeat((random.below(most) + 1).min(MOST_BYTES / line.len().max(1)));
    let start = line_at(bytes, at).start;
    bytes.splice(start..start, copies);
}

fn move_line(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let line: Vec<u8> = bytes.drain(line_at(bytes, at)).collect();
    let elsewhere = random.below(bytes.len());
    let to = line_at(bytes, elsewhere).start;
    bytes.splice(to..to, line);
}
