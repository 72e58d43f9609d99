//! Tables to BinaryCIF.
//!
//! How it works: integers are tried as they are, as differences, as runs, and as runs of differences; for each of them
//! the size after packing into 1, 2 or 4 bytes follows from one pass without writing anything, and the smallest is
//! written. Reals become integers where a fixed number of decimals loses nothing; text becomes a dictionary with one
//! index per row, and indices, offsets and masks are integers again.

use super::encoding::{ElementType, Encoding, packing_limits};
use super::msgpack::Writer;
use super::values::{ColumnData, Texts, Values};

/// The tables of a file to be written.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileToWrite<'a> {
    /// The data blocks, in file order.
    pub(crate) blocks: Vec<BlockToWrite<'a>>,
}

/// One data block to be written.
#[derive(Clone, Debug)]
pub(crate) struct BlockToWrite<'a> {
    /// Its name, such as `4HHB`.
    pub(crate) header: &'a str,
    /// Its tables, in file order.
    pub(crate) categories: Vec<CategoryToWrite<'a>>,
}

/// One table to be written.
#[derive(Clone, Debug)]
pub(crate) struct CategoryToWrite<'a> {
    /// Its name; the leading underscore is added where it is missing.
    pub(crate) name: &'a str,
    /// Its columns, all of one length.
    pub(crate) columns: Vec<ColumnToWrite<'a>>,
}

/// One column to be written.
#[derive(Clone, Debug)]
pub(crate) struct ColumnToWrite<'a> {
    /// Its name: `Cartn_x`.
    pub(crate) name: &'a str,
    /// Its rows.
    pub(crate) data: ColumnData<'a>,
    /// For reals: 1000 asks for three decimals, which is done where it changes no value as an `f32`.
    pub(crate) factor: Option<f64>,
}

impl<'a> ColumnToWrite<'a> {
    /// Whole numbers, all present.
    pub(crate) fn ints(name: &'a str, rows: Vec<i32>) -> Self {
        Self { name, data: ColumnData { values: Values::Ints(rows), mask: None }, factor: None }
    }

    /// Reals, all present, with as many decimals as `factor` has zeros if that is enough for all of them.
    pub(crate) fn floats(name: &'a str, rows: Vec<f64>, factor: f64) -> Self {
        Self { name, data: ColumnData { values: Values::Floats(rows), mask: None }, factor: Some(factor) }
    }

    /// Text, all present.
    pub(crate) fn texts(name: &'a str, rows: impl IntoIterator<Item = &'a str>) -> Self {
        let values = Values::Texts(rows.into_iter().collect());
        Self { name, data: ColumnData { values, mask: None }, factor: None }
    }

    /// The same column with some rows absent: 0 present, 1 for `.`, 2 for `?`.
    pub(crate) fn with_mask(mut self, mask: Vec<u8>) -> Self {
        self.data.mask = Some(mask);
        self
    }
}

/// The bytes of a BinaryCIF file. Panics when the columns of a table differ in length.
pub(crate) fn encode(file: &FileToWrite<'_>) -> Vec<u8> {
    let mut out = Writer::default();
    out.map(3);
    out.text("version");
    out.text("0.3.0");
    out.text("encoder");
    out.text("steric");
    out.text("dataBlocks");
    out.array(file.blocks.len());
    for block in &file.blocks {
        out.map(2);
        out.text("header");
        out.text(block.header);
        out.text("categories");
        out.array(block.categories.len());
        for category in &block.categories {
            write_category(&mut out, category);
        }
    }
    out.bytes
}

fn write_category(out: &mut Writer, category: &CategoryToWrite<'_>) {
    let rows = category.columns.first().map_or(0, |column| column.data.len());
    out.map(3);
    out.text("name");
    out.text(&format!("_{}", super::bare(category.name)));
    out.text("rowCount");
    out.int(rows as i64);
    out.text("columns");
    out.array(category.columns.len());
    for column in &category.columns {
        assert_eq!(column.data.len(), rows, "the columns of {} have one length", category.name);
        write_column(out, column);
    }
}

fn write_column(out: &mut Writer, column: &ColumnToWrite<'_>) {
    let mask = column.data.mask.as_deref().filter(|mask| mask.iter().any(|&value| value != 0));
    out.map(3);
    out.text("name");
    out.text(column.name);
    out.text("data");
    match &column.data.values {
        Values::Ints(values) => write_data(out, &encode_ints(values)),
        Values::Floats(values) => write_data(out, &encode_floats(values, mask, column.factor)),
        Values::Texts(texts) => write_texts(out, texts),
    }
    out.text("mask");
    match mask {
        None => out.nil(),
        Some(mask) => {
            assert_eq!(mask.len(), column.data.len(), "the mask of {} has one value per row", column.name);
            let ints: Vec<i32> = mask.iter().map(|&value| i32::from(value)).collect();
            write_data(out, &encode_ints(&ints));
        }
    }
}

/// Bytes and the chain that made them, first step first.
pub(super) struct Chained {
    pub(super) bytes: Vec<u8>,
    pub(super) chain: Vec<Encoding<'static>>,
}

/// Writes the map `{ encoding, data }`.
pub(super) fn write_data(out: &mut Writer, data: &Chained) {
    out.map(2);
    out.text("encoding");
    write_chain(out, &data.chain);
    out.text("data");
    out.binary(&data.bytes);
}

fn write_chain(out: &mut Writer, chain: &[Encoding<'static>]) {
    out.array(chain.len());
    for &encoding in chain {
        write_encoding(out, encoding);
    }
}

fn write_encoding(out: &mut Writer, encoding: Encoding<'static>) {
    let kind = |out: &mut Writer, entries| {
        out.map(entries);
        out.text("kind");
        out.text(encoding.kind());
    };
    let int = |out: &mut Writer, key, value: i64| {
        out.text(key);
        out.int(value);
    };
    let float = |out: &mut Writer, key, value| {
        out.text(key);
        out.float(value);
    };
    match encoding {
        Encoding::ByteArray(element) => {
            kind(out, 2);
            int(out, "type", element as i64);
        }
        Encoding::FixedPoint { factor, of } => {
            kind(out, 3);
            float(out, "factor", factor);
            int(out, "srcType", of as i64);
        }
        Encoding::IntervalQuantization { min, max, steps } => {
            kind(out, 5);
            float(out, "min", min);
            float(out, "max", max);
            int(out, "numSteps", steps as i64);
            int(out, "srcType", ElementType::Float32 as i64);
        }
        Encoding::RunLength { rows, of } => {
            kind(out, 3);
            int(out, "srcType", of as i64);
            int(out, "srcSize", rows as i64);
        }
        Encoding::Delta { origin, of } => {
            kind(out, 3);
            int(out, "origin", i64::from(origin));
            int(out, "srcType", of as i64);
        }
        Encoding::IntegerPacking { byte_count, unsigned, rows } => {
            kind(out, 4);
            int(out, "byteCount", byte_count as i64);
            out.text("isUnsigned");
            out.bool(unsigned);
            int(out, "srcSize", rows as i64);
        }
        Encoding::StringArray(_) => unreachable!("text columns are written by write_texts"),
    }
}

fn write_texts(out: &mut Writer, texts: &Texts<'_>) {
    let (mut text, mut offsets, mut end) = (String::new(), vec![0], 0_i32);
    for entry in &texts.dictionary {
        text.push_str(entry);
        // Offsets count UTF-16 units, as the JavaScript readers of the format do.
        let units = i32::try_from(entry.encode_utf16().count()).ok();
        end = units.and_then(|units| end.checked_add(units)).expect("a dictionary of less than 2 GiB");
        offsets.push(end);
    }
    let mut indices = std::borrow::Cow::Borrowed(&texts.indices);
    let known = 0..texts.dictionary.len() as i32;
    if texts.indices.iter().any(|index| !known.contains(index)) {
        // Some readers take -1 for the last text, so the empty one gets a place of its own.
        offsets.push(end);
        indices.to_mut().iter_mut().filter(|index| !known.contains(*index)).for_each(|index| *index = known.end);
    }
    let (indices, offsets) = (encode_ints(&indices), encode_ints(&offsets));
    out.map(2);
    out.text("encoding");
    out.array(1);
    out.map(5);
    out.text("kind");
    out.text("StringArray");
    out.text("dataEncoding");
    write_chain(out, &indices.chain);
    out.text("stringData");
    out.text(&text);
    out.text("offsetEncoding");
    write_chain(out, &offsets.chain);
    out.text("offsets");
    out.binary(&offsets.bytes);
    out.text("data");
    out.binary(&indices.bytes);
}

/// The shortest of a few chains.
pub(super) fn encode_ints(values: &[i32]) -> Chained {
    /// About what the description of one more step takes in the file.
    const STEP: u64 = 30;
    let rows = values.len();
    let of = ElementType::Int32;
    let mut best = (Packing::best(values), vec![], std::borrow::Cow::Borrowed(values));
    let mut offer = |candidate: Vec<i32>, steps: Vec<Encoding<'static>>| {
        let packing = Packing::best(&candidate);
        if packing.size + STEP * (steps.len() as u64) < best.0.size + STEP * (best.1.len() as u64) {
            best = (packing, steps, candidate.into());
        }
    };
    if let Some(runs) = runs(values) {
        offer(runs, vec![Encoding::RunLength { rows, of }]);
    }
    if let Some((origin, differences)) = differences(values) {
        if let Some(runs) = runs(&differences) {
            offer(runs, vec![Encoding::Delta { origin, of }, Encoding::RunLength { rows, of }]);
        }
        offer(differences, vec![Encoding::Delta { origin, of }]);
    }
    let (packing, mut chain, values) = best;
    let (bytes, last) = packing.apply(&values);
    chain.extend(last);
    Chained { bytes, chain }
}

/// Differences from the value before; `None` where one does not fit, since not all readers wrap.
fn differences(values: &[i32]) -> Option<(i32, Vec<i32>)> {
    let &origin = values.first()?;
    let mut before = origin;
    let differences: Option<Vec<i32>> = values
        .iter()
        .map(|&value| {
            let difference = value.checked_sub(before);
            before = value;
            difference
        })
        .collect();
    Some((origin, differences?))
}

/// Pairs of a value and how often it comes; `None` where that is no shorter.
fn runs(values: &[i32]) -> Option<Vec<i32>> {
    let count = values.chunk_by(|a, b| a == b).count();
    let fits = count * 2 < values.len() && i32::try_from(values.len()).is_ok();
    fits.then(|| values.chunk_by(|a, b| a == b).flat_map(|run| [run[0], run.len() as i32]).collect())
}

/// How integers become bytes: into 1 or 2 bytes with overflow, or into 4.
struct Packing {
    byte_count: usize,
    unsigned: bool,
    size: u64,
}

impl Packing {
    fn best(values: &[i32]) -> Self {
        let unsigned = values.iter().all(|&value| value >= 0);
        let size_in = |byte_count: usize| {
            let (low, high) = packing_limits(byte_count, unsigned);
            let parts = |&value: &i32| 1 + u64::from((if value < 0 { value / low } else { value / high }) as u32);
            values.iter().map(parts).sum::<u64>() * byte_count as u64
        };
        let sizes = [(4, values.len() as u64 * 4), (2, size_in(2)), (1, size_in(1))];
        let (byte_count, size) = sizes.into_iter().min_by_key(|&(_, size)| size).unwrap_or(sizes[0]);
        Self { byte_count, unsigned, size }
    }

    fn apply(&self, values: &[i32]) -> (Vec<u8>, Vec<Encoding<'static>>) {
        let element = match (self.byte_count, self.unsigned) {
            (1, true) => ElementType::Uint8,
            (1, false) => ElementType::Int8,
            (2, true) => ElementType::Uint16,
            (2, false) => ElementType::Int16,
            _ => {
                let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                return (bytes, vec![Encoding::ByteArray(ElementType::Int32)]);
            }
        };
        let (byte_count, unsigned, rows) = (self.byte_count, self.unsigned, values.len());
        let packing = Encoding::IntegerPacking { byte_count, unsigned, rows };
        (pack(values, byte_count, unsigned, self.size), vec![packing, Encoding::ByteArray(element)])
    }
}

fn pack(values: &[i32], byte_count: usize, unsigned: bool, size: u64) -> Vec<u8> {
    let (low, high) = packing_limits(byte_count, unsigned);
    let mut bytes = Vec::with_capacity(size as usize);
    for &value in values {
        let limit = if value < 0 { low } else { high };
        for _ in 0..value / limit {
            bytes.extend_from_slice(&limit.to_le_bytes()[..byte_count]);
        }
        bytes.extend_from_slice(&(value % limit).to_le_bytes()[..byte_count]);
    }
    bytes
}

/// Fixed point where it is exact, else 32 bits where they are exact, else 64.
pub(super) fn encode_floats(values: &[f64], mask: Option<&[u8]>, factor: Option<f64>) -> Chained {
    let short = values.iter().all(|&value| value.is_nan() || f64::from(value as f32) == value);
    let of = if short { ElementType::Float32 } else { ElementType::Float64 };
    if let Some((factor, ints)) = factor.and_then(|factor| Some((factor, fixed_point(values, mask, factor)?))) {
        let Chained { bytes, mut chain } = encode_ints(&ints);
        chain.insert(0, Encoding::FixedPoint { factor, of });
        return Chained { bytes, chain };
    }
    let bytes = match of {
        ElementType::Float32 => values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect(),
        _ => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
    };
    Chained { bytes, chain: vec![Encoding::ByteArray(of)] }
}

/// The values times `factor`; `None` where one of them would change, as an `f32` if it is one. Absent rows repeat the
/// row before, which costs least.
fn fixed_point(values: &[f64], mask: Option<&[u8]>, factor: f64) -> Option<Vec<i32>> {
    let mut before = 0;
    let fixed = |(row, &value): (usize, &f64)| {
        if mask.is_some_and(|mask| mask.get(row) != Some(&0)) {
            return Some(before);
        }
        let rounded = (value * factor).round();
        let back = rounded / factor;
        let same = back == value || (f64::from(value as f32) == value && back as f32 == value as f32);
        let fits = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&rounded);
        before = (same && fits).then_some(rounded as i32)?;
        Some(before)
    };
    values.iter().enumerate().map(fixed).collect()
}
