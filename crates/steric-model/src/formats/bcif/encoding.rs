//! The encodings of BinaryCIF 0.3 and how to undo them.
//!
//! How it works: a column lists the encodings its writer applied, first one first, and the last one made bytes. To
//! decode, they are undone from the last to the first on one vector of integers or reals. Only a run-length step can
//! make more values than there are bytes, so it alone is checked against a limit before it makes anything. Integer
//! arithmetic wraps as it does in the typed arrays of the format's authors.
//!
//! Sehnal et al., BinaryCIF and CIFTools, PLoS Comput. Biol. 16 (2020) e1008247.

use super::msgpack::{Reader, Source};
use super::values::{Texts, Values};
use crate::ReadError;

/// Writers chain four encodings at most; a list of a million would cost time without end.
const LONGEST_CHAIN: usize = 16;

/// What one value of an array is; the discriminants are the codes in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementType {
    Int8 = 1,
    Int16 = 2,
    Int32 = 3,
    Uint8 = 4,
    Uint16 = 5,
    Uint32 = 6,
    Float32 = 32,
    Float64 = 33,
}

impl ElementType {
    const ALL: [Self; 8] =
        [Self::Int8, Self::Int16, Self::Int32, Self::Uint8, Self::Uint16, Self::Uint32, Self::Float32, Self::Float64];

    fn from_code(code: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|&element| element as usize == code)
    }

    fn bytes(self) -> usize {
        match self {
            Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float32 => 4,
            Self::Float64 => 8,
        }
    }
}

/// One step of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Encoding<'a> {
    /// Little-endian values.
    ByteArray(ElementType),
    /// Reals times `factor`, rounded.
    FixedPoint { factor: f64, of: ElementType },
    /// Reals as numbers of steps from `min` to `max`.
    IntervalQuantization { min: f64, max: f64, steps: usize },
    /// Pairs of a value and how often it comes; `rows` values in all.
    RunLength { rows: usize, of: ElementType },
    /// Differences from the value before; `origin` was subtracted from the first.
    Delta { origin: i32, of: ElementType },
    /// Small integers; the extreme values mean that the next one is to be added.
    IntegerPacking { byte_count: usize, unsigned: bool, rows: usize },
    /// Indices into a dictionary of texts.
    StringArray(Strings<'a>),
}

impl Encoding<'_> {
    /// The name in the file.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::ByteArray(_) => "ByteArray",
            Self::FixedPoint { .. } => "FixedPoint",
            Self::IntervalQuantization { .. } => "IntervalQuantization",
            Self::RunLength { .. } => "RunLength",
            Self::Delta { .. } => "Delta",
            Self::IntegerPacking { .. } => "IntegerPacking",
            Self::StringArray(_) => "StringArray",
        }
    }
}

/// What a string column has beside its indices. The chains are places in the file, to be read when needed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strings<'a> {
    pub(super) text: &'a str,
    pub(super) offsets: &'a [u8],
    pub(super) index_chain_at: usize,
    pub(super) offset_chain_at: usize,
}

/// The most rows a file may have: a run-length pair of a few bytes can claim two billion.
pub(super) fn most_rows(source: Source<'_>) -> usize {
    source.bytes.len().saturating_mul(16).max(1 << 20)
}

/// A column's bytes and how they were made.
struct Encoded<'a> {
    bytes: &'a [u8],
    chain_at: usize,
}

fn read_encoded<'a>(source: Source<'a>, at: usize) -> Result<Encoded<'a>, ReadError> {
    let mut reader = Reader::new(source, at);
    let (mut bytes, mut chain_at) = (None, None);
    reader.map("a map with the encoded data", |reader, key| {
        match key {
            "data" => bytes = Some(reader.bytes("the encoded bytes")?),
            "encoding" => {
                chain_at = Some(reader.position());
                reader.skip()?;
            }
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    let bytes = bytes.ok_or_else(|| source.error(at, "a map with the key `data`", "none"))?;
    let chain_at = chain_at.ok_or_else(|| source.error(at, "a map with the key `encoding`", "none"))?;
    Ok(Encoded { bytes, chain_at })
}

/// Decodes the map `{ data, encoding }` at a place in the file.
pub(super) fn decode_values<'a>(source: Source<'a>, at: usize) -> Result<Values<'a>, ReadError> {
    let encoded = read_encoded(source, at)?;
    let chain = read_chain(source, encoded.chain_at)?;
    if let [Encoding::StringArray(strings)] = chain[..] {
        return decode_texts(source, at, encoded.bytes, strings).map(Values::Texts);
    }
    let unsigned = matches!(
        chain.first(),
        Some(
            Encoding::ByteArray(ElementType::Uint32)
                | Encoding::Delta { of: ElementType::Uint32, .. }
                | Encoding::RunLength { of: ElementType::Uint32, .. }
        )
    );
    Ok(match undo(source, at, encoded.bytes, &chain, most_rows(source))? {
        // Integers wrap on their way; here is where a large unsigned one is told from a negative one.
        Numbers::Ints(values) if unsigned && values.iter().any(|&value| value < 0) => {
            Values::Floats(values.into_iter().map(|value| f64::from(value as u32)).collect())
        }
        Numbers::Ints(values) => Values::Ints(values),
        Numbers::Floats(values) => Values::Floats(values),
    })
}

fn read_chain<'a>(source: Source<'a>, at: usize) -> Result<Vec<Encoding<'a>>, ReadError> {
    let mut chain = Vec::new();
    Reader::new(source, at).array("a list of encodings", |reader| {
        if chain.len() == LONGEST_CHAIN {
            return Err(source.error(reader.position(), format!("at most {LONGEST_CHAIN} encodings"), "one more"));
        }
        chain.push(read_encoding(source, reader)?);
        Ok(())
    })?;
    Ok(chain)
}

/// The parameters of an encoding, before its kind says which of them matter.
#[derive(Default)]
struct Parameters<'a> {
    kind: &'a str,
    element: Option<f64>,
    source_type: Option<f64>,
    factor: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    steps: Option<usize>,
    rows: Option<usize>,
    origin: Option<f64>,
    byte_count: Option<usize>,
    unsigned: bool,
    text: Option<&'a str>,
    offsets: Option<&'a [u8]>,
    index_chain_at: Option<usize>,
    offset_chain_at: Option<usize>,
}

fn read_parameters<'a>(reader: &mut Reader<'a>) -> Result<Parameters<'a>, ReadError> {
    let mut found = Parameters::default();
    reader.map("an encoding", |reader, key| {
        match key {
            "kind" => found.kind = reader.text("the kind of an encoding")?,
            "type" => found.element = Some(reader.number("a type code")?),
            "srcType" => found.source_type = Some(reader.number("a type code")?),
            "factor" => found.factor = Some(reader.number("a factor")?),
            "min" => found.min = Some(reader.number("the least value")?),
            "max" => found.max = Some(reader.number("the greatest value")?),
            "numSteps" => found.steps = Some(reader.count("a number of steps")?),
            "srcSize" => found.rows = Some(reader.count("a number of values")?),
            "origin" => found.origin = Some(reader.number("the origin of differences")?),
            "byteCount" => found.byte_count = Some(reader.count("1 or 2 bytes")?),
            "isUnsigned" => found.unsigned = reader.number("true or false")? != 0.0,
            "stringData" => found.text = Some(reader.text("the texts of a dictionary")?),
            "offsets" => found.offsets = Some(reader.bytes("the offsets of a dictionary")?),
            "dataEncoding" => {
                found.index_chain_at = Some(reader.position());
                reader.skip()?;
            }
            "offsetEncoding" => {
                found.offset_chain_at = Some(reader.position());
                reader.skip()?;
            }
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    Ok(found)
}

fn read_encoding<'a>(source: Source<'a>, reader: &mut Reader<'a>) -> Result<Encoding<'a>, ReadError> {
    let at = reader.position();
    let found = read_parameters(reader)?;
    let missing = |what: &str| source.error(at, format!("{} with {what}", found.kind), "none");
    // Writers leave `srcType` out now and then; nothing but the sign of large integers depends on it.
    let of = found.source_type.and_then(|code| ElementType::from_code(code as usize)).unwrap_or(ElementType::Int32);
    Ok(match found.kind {
        "ByteArray" => {
            let code = found.element.ok_or_else(|| missing("a type"))?;
            let element = ElementType::from_code(code as usize);
            Encoding::ByteArray(element.ok_or_else(|| source.error(at, "a type of 1-6, 32 or 33", code.to_string()))?)
        }
        "FixedPoint" => Encoding::FixedPoint { factor: found.factor.ok_or_else(|| missing("a factor"))?, of },
        "IntervalQuantization" => Encoding::IntervalQuantization {
            min: found.min.ok_or_else(|| missing("min"))?,
            max: found.max.ok_or_else(|| missing("max"))?,
            steps: found.steps.ok_or_else(|| missing("numSteps"))?,
        },
        "RunLength" => Encoding::RunLength { rows: found.rows.ok_or_else(|| missing("srcSize"))?, of },
        // Casting saturates for reals, and origins are whole 32-bit numbers; unsigned ones wrap.
        "Delta" => Encoding::Delta { origin: found.origin.ok_or_else(|| missing("an origin"))? as i64 as i32, of },
        "IntegerPacking" => {
            let byte_count = found.byte_count.ok_or_else(|| missing("byteCount"))?;
            if !matches!(byte_count, 1 | 2) {
                return Err(source.error(at, "IntegerPacking into 1 or 2 bytes", byte_count.to_string()));
            }
            let rows = found.rows.ok_or_else(|| missing("srcSize"))?;
            Encoding::IntegerPacking { byte_count, unsigned: found.unsigned, rows }
        }
        "StringArray" => Encoding::StringArray(Strings {
            text: found.text.ok_or_else(|| missing("stringData"))?,
            offsets: found.offsets.ok_or_else(|| missing("offsets"))?,
            index_chain_at: found.index_chain_at.ok_or_else(|| missing("dataEncoding"))?,
            offset_chain_at: found.offset_chain_at.ok_or_else(|| missing("offsetEncoding"))?,
        }),
        other => return Err(source.error(at, "an encoding of BinaryCIF", other)),
    })
}

enum Numbers {
    Ints(Vec<i32>),
    Floats(Vec<f64>),
}

/// Undoes a chain of number encodings, making `most` values at the most.
fn undo(
    source: Source<'_>,
    at: usize,
    bytes: &[u8],
    chain: &[Encoding<'_>],
    most: usize,
) -> Result<Numbers, ReadError> {
    let Some((&Encoding::ByteArray(element), steps)) = chain.split_last() else {
        return Err(source.error(
            at,
            "a chain of encodings that ends in ByteArray",
            chain.last().map_or("none", |step| step.kind()),
        ));
    };
    if !bytes.len().is_multiple_of(element.bytes()) {
        let expected = format!("values of {} bytes each", element.bytes());
        return Err(source.error(at, expected, format!("{} bytes", bytes.len())));
    }
    let mut numbers = from_bytes(bytes, element);
    for &step in steps.iter().rev() {
        numbers = undo_step(numbers, step, most).map_err(|(expected, found)| source.error(at, expected, found))?;
    }
    Ok(numbers)
}

fn from_bytes(bytes: &[u8], element: ElementType) -> Numbers {
    fn each<const N: usize, T>(bytes: &[u8], value: impl Fn([u8; N]) -> T) -> Vec<T> {
        bytes.as_chunks::<N>().0.iter().map(|&chunk| value(chunk)).collect()
    }
    match element {
        ElementType::Int8 => Numbers::Ints(each(bytes, |b| i32::from(i8::from_le_bytes(b)))),
        ElementType::Int16 => Numbers::Ints(each(bytes, |b| i32::from(i16::from_le_bytes(b)))),
        ElementType::Int32 | ElementType::Uint32 => Numbers::Ints(each(bytes, i32::from_le_bytes)),
        ElementType::Uint8 => Numbers::Ints(each(bytes, |b| i32::from(u8::from_le_bytes(b)))),
        ElementType::Uint16 => Numbers::Ints(each(bytes, |b| i32::from(u16::from_le_bytes(b)))),
        ElementType::Float32 => Numbers::Floats(each(bytes, |b| f64::from(f32::from_le_bytes(b)))),
        ElementType::Float64 => Numbers::Floats(each(bytes, f64::from_le_bytes)),
    }
}

/// What was expected, and what was found.
type Mismatch = (String, String);

fn undo_step(numbers: Numbers, step: Encoding<'_>, most: usize) -> Result<Numbers, Mismatch> {
    let Numbers::Ints(mut ints) = numbers else {
        return Err(("integers under every encoding but ByteArray".into(), format!("reals under {}", step.kind())));
    };
    Ok(match step {
        Encoding::FixedPoint { factor, .. } => {
            Numbers::Floats(ints.into_iter().map(|value| f64::from(value) / factor).collect())
        }
        Encoding::IntervalQuantization { min, max, steps } => {
            let width = (max - min) / steps.saturating_sub(1).max(1) as f64;
            Numbers::Floats(ints.into_iter().map(|value| min + width * f64::from(value)).collect())
        }
        Encoding::RunLength { rows, .. } => Numbers::Ints(repeat_runs(&ints, rows, most)?),
        Encoding::Delta { origin, .. } => {
            let mut sum = origin;
            for value in &mut ints {
                sum = sum.wrapping_add(*value);
                *value = sum;
            }
            Numbers::Ints(ints)
        }
        Encoding::IntegerPacking { byte_count, unsigned, rows } => {
            Numbers::Ints(unpack(&ints, byte_count, unsigned, rows)?)
        }
        Encoding::ByteArray(_) | Encoding::StringArray(_) => {
            return Err(("ByteArray once at the end, StringArray alone".into(), "a chain in another order".into()));
        }
    })
}

fn repeat_runs(pairs: &[i32], rows: usize, most: usize) -> Result<Vec<i32>, Mismatch> {
    let (pairs, odd) = pairs.as_chunks::<2>();
    // A negative count wraps to more than any file may have; a file has fewer than 2^32 pairs, so the sum fits.
    let counted: u64 = pairs.iter().map(|&[_, times]| u64::from(times as u32)).sum();
    if counted != rows as u64 || rows > most || !odd.is_empty() {
        return Err((format!("runs of {rows} values, {most} at the most"), format!("{counted} values")));
    }
    let mut values = Vec::with_capacity(rows);
    for &[value, times] in pairs {
        values.resize(values.len() + usize::try_from(times).unwrap_or(0), value);
    }
    Ok(values)
}

fn unpack(packed: &[i32], byte_count: usize, unsigned: bool, rows: usize) -> Result<Vec<i32>, Mismatch> {
    let (low, high) = packing_limits(byte_count, unsigned);
    let mut values = Vec::with_capacity(rows.min(packed.len()));
    let (mut sum, mut open) = (0_i32, false);
    for &part in packed {
        sum = sum.wrapping_add(part);
        open = part == high || part == low;
        if !open {
            values.push(sum);
            sum = 0;
        }
    }
    if open || values.len() != rows {
        let end = if open { " and an unfinished one" } else { "" };
        return Err((format!("{rows} packed integers"), format!("{}{end}", values.len())));
    }
    Ok(values)
}

/// The values that mean "go on adding". Unsigned integers have no lower one.
pub(super) fn packing_limits(byte_count: usize, unsigned: bool) -> (i32, i32) {
    match (byte_count, unsigned) {
        (1, false) => (-0x80, 0x7f),
        (1, true) => (-1, 0xff),
        (_, false) => (-0x8000, 0x7fff),
        (_, true) => (-1, 0xffff),
    }
}

fn decode_texts<'a>(source: Source<'a>, at: usize, bytes: &[u8], strings: Strings<'a>) -> Result<Texts<'a>, ReadError> {
    let ints = |bytes, chain_at, most| match undo(source, at, bytes, &read_chain(source, chain_at)?, most)? {
        Numbers::Ints(values) => Ok(values),
        Numbers::Floats(_) => Err(source.error(chain_at, "integers", "reals")),
    };
    // A dictionary entry is four times the size of a row and seldom shorter than a byte.
    let most_offsets = source.bytes.len().max(1 << 16);
    let offsets = ints(strings.offsets, strings.offset_chain_at, most_offsets)?;
    let dictionary = cut(strings.text, &offsets)
        .ok_or_else(|| source.error(at, "growing offsets into the dictionary", format!("{} offsets", offsets.len())))?;
    Ok(Texts { dictionary, indices: ints(bytes, strings.index_chain_at, most_rows(source))? })
}

/// Cuts a text at ascending offsets. They count characters as their writer did, which for text outside ASCII may be
/// UTF-16 units (JavaScript, Java), code points (Python) or bytes: the last offset, the length of all, tells which.
fn cut<'a>(text: &'a str, offsets: &[i32]) -> Option<Vec<&'a str>> {
    if text.is_ascii() {
        return slices(text, offsets, Some);
    }
    let last = usize::try_from(*offsets.last()?).ok()?;
    let width: fn(char) -> usize = if last == text.encode_utf16().count() {
        char::len_utf16
    } else if last == text.chars().count() {
        |_| 1
    } else {
        char::len_utf8
    };
    // The byte of each unit; the second half of a surrogate pair has none.
    let mut byte_of_unit = Vec::with_capacity(text.len() + 1);
    for (byte, letter) in text.char_indices() {
        byte_of_unit.push(Some(byte));
        byte_of_unit.extend(std::iter::repeat_n(None, width(letter) - 1));
    }
    byte_of_unit.push(Some(text.len()));
    slices(text, offsets, |offset| byte_of_unit.get(offset).copied().flatten())
}

fn slices<'a>(text: &'a str, offsets: &[i32], byte: impl Fn(usize) -> Option<usize>) -> Option<Vec<&'a str>> {
    let byte = |offset: i32| byte(usize::try_from(offset).ok()?);
    offsets.windows(2).map(|pair| text.get(byte(pair[0])?..byte(pair[1])?)).collect()
}
