//! Tables as Parquet files, for pandas, polars, DuckDB and the like.
//!
//! How it works: rows are collected until a row group is full; then each column is written as one page of plain values,
//! compressed as gzip. Behind the last group stands the description of the file: names and types of the columns, and
//! where each page lies, as structures of Thrift's compact protocol. Every column is required, so a page needs no
//! levels. The description comes last, so a file whose writer was stopped cannot be opened: the format has it so. See
//! the format's own `parquet.thrift` for the numbers of the fields.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::thrift::{BINARY, INT32, STRUCT, Struct, binary, zigzag};

const MAGIC: &[u8] = b"PAR1";
/// Rows of a group, where the caller does not end it before.
const ROWS_PER_GROUP: usize = 1 << 16;
/// A page's length is a number of 32 bits; texts may fill a group before its rows do.
const BYTES_PER_PAGE: usize = 1 << 26;
// Numbers of the format's choices.
const INT64: i64 = 2;
const DOUBLE: i64 = 5;
const BYTE_ARRAY: i64 = 6;
const REQUIRED: i64 = 0;
const UTF8: i64 = 0;
const UINT_64: i64 = 14;
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const GZIP: i64 = 2;
const DATA_PAGE: i64 = 0;

/// What a column holds.
///
/// ```
/// use steric_model::formats::parquet::{ColumnType, TableWriter};
///
/// let mut table = TableWriter::new(Vec::new(), &[("step", ColumnType::U64)])?;
/// let error = table.row(&["first".into()]).expect_err("a text is no number").to_string();
/// assert_eq!(error, r#"column "step" holds U64, not Text("first")"#);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Whole numbers from 0.
    U64,
    /// Numbers; NaN is one of them.
    F64,
    /// Texts.
    Text,
}

/// A value of a row.
///
/// ```
/// use steric_model::formats::parquet::Value;
///
/// assert_eq!([Value::from(1.5), Value::from("bound")], [Value::F64(1.5), Value::Text("bound")]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// For a column of whole numbers.
    U64(u64),
    /// For a column of numbers.
    F64(f64),
    /// For a column of texts.
    Text(&'a str),
}

impl From<u64> for Value<'_> {
    fn from(value: u64) -> Self {
        Self::U64(value)
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::F64(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

/// Writes a table row by row; it can be read after [`TableWriter::finish`].
///
/// ```
/// use steric_model::formats::parquet::{ColumnType, TableWriter};
///
/// let columns = [("step", ColumnType::U64), ("energy_kcal_mol", ColumnType::F64), ("state", ColumnType::Text)];
/// let mut table = TableWriter::new(Vec::new(), &columns)?;
/// table.row(&[0.into(), (-3.5).into(), "free".into()])?;
/// table.row(&[1.into(), (-7.25).into(), "bound".into()])?;
/// assert!(table.row(&[2.into()]).is_err());
/// let file = table.finish()?;
/// assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct TableWriter<W: Write> {
    out: W,
    offset: u64,
    columns: Vec<Column>,
    /// Rows of the group that is being collected.
    rows: usize,
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Column {
    name: String,
    kind: ColumnType,
    /// Plain values of the group that is being collected.
    plain: Vec<u8>,
}

#[derive(Debug)]
struct Group {
    rows: usize,
    chunks: Vec<Chunk>,
}

// A page with its header, in the file.
#[derive(Debug)]
struct Chunk {
    offset: u64,
    plain_bytes: usize,
    stored_bytes: usize,
}

impl TableWriter<BufWriter<File>> {
    /// Starts a file, in place of one that is there.
    pub fn create(path: &Path, columns: &[(&str, ColumnType)]) -> io::Result<Self> {
        let in_file = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let made = check(columns).and_then(|()| File::create(path));
        made.and_then(|file| Self::new(BufWriter::new(file), columns)).map_err(in_file)
    }
}

impl<W: Write> TableWriter<W> {
    /// Starts a table on anything that takes bytes. Refuses no columns, and two of one name.
    pub fn new(mut out: W, columns: &[(&str, ColumnType)]) -> io::Result<Self> {
        check(columns)?;
        out.write_all(MAGIC)?;
        let columns = columns.iter().map(|&(name, kind)| Column { name: name.to_owned(), kind, plain: Vec::new() });
        Ok(Self { out, offset: MAGIC.len() as u64, columns: columns.collect(), rows: 0, groups: Vec::new() })
    }

    /// Appends a row, in the order of the columns. Refuses another number of values, and values of another type.
    pub fn row(&mut self, values: &[Value<'_>]) -> io::Result<()> {
        if values.len() != self.columns.len() {
            return Err(refuse(format!("a row has {} values for {} columns", values.len(), self.columns.len())));
        }
        let fits = |(column, value): (&Column, &Value<'_>)| column.kind == type_of(value);
        if let Some(at) = self.columns.iter().zip(values).position(|pair| !fits(pair)) {
            let Column { name, kind, .. } = &self.columns[at];
            return Err(refuse(format!("column {name:?} holds {kind:?}, not {:?}", values[at])));
        }
        if values.iter().any(|value| matches!(value, Value::Text(text) if text.len() > BYTES_PER_PAGE)) {
            return Err(refuse(format!("a text has at most {BYTES_PER_PAGE} bytes")));
        }
        self.columns.iter_mut().zip(values).for_each(|(column, value)| put_plain(&mut column.plain, value));
        self.rows += 1;
        let is_full =
            self.rows >= ROWS_PER_GROUP || self.columns.iter().any(|column| column.plain.len() >= BYTES_PER_PAGE);
        if is_full { self.end_group() } else { Ok(()) }
    }

    /// Writes the rows that are waiting as a row group; without any, nothing.
    pub fn end_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut chunks = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&column.plain)?;
            let packed = encoder.finish()?;
            let header = page_header(self.rows, column.plain.len(), packed.len());
            self.out.write_all(&header)?;
            self.out.write_all(&packed)?;
            let stored_bytes = header.len() + packed.len();
            chunks.push(Chunk { offset: self.offset, plain_bytes: header.len() + column.plain.len(), stored_bytes });
            self.offset += stored_bytes as u64;
            column.plain.clear();
        }
        self.groups.push(Group { rows: self.rows, chunks });
        self.rows = 0;
        Ok(())
    }

    /// Writes the rows that are waiting and the description of the file; hands back what was written to, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_group()?;
        let description = description(&self.columns, &self.groups);
        self.out.write_all(&description)?;
        self.out.write_all(&(description.len() as u32).to_le_bytes())?;
        self.out.write_all(MAGIC)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

fn check(columns: &[(&str, ColumnType)]) -> io::Result<()> {
    if columns.is_empty() {
        return Err(refuse("a table has at least one column".to_owned()));
    }
    let twice =
        columns.iter().enumerate().find(|(at, (name, _))| columns[..*at].iter().any(|(other, _)| other == name));
    twice.map_or(Ok(()), |(_, (name, _))| Err(refuse(format!("two columns are called {name:?}"))))
}

fn type_of(value: &Value<'_>) -> ColumnType {
    match value {
        Value::U64(_) => ColumnType::U64,
        Value::F64(_) => ColumnType::F64,
        Value::Text(_) => ColumnType::Text,
    }
}

fn put_plain(out: &mut Vec<u8>, value: &Value<'_>) {
    match value {
        Value::U64(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::F64(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::Text(text) => {
            out.extend_from_slice(&(text.len() as u32).to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
    }
}

fn refuse(sentence: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, sentence)
}

fn page_header(rows: usize, plain_bytes: usize, packed_bytes: usize) -> Vec<u8> {
    let mut header = Struct::default();
    header.int32(1, DATA_PAGE);
    header.int32(2, plain_bytes as i64);
    header.int32(3, packed_bytes as i64);
    let mut page = Struct::default();
    page.int32(1, rows as i64);
    page.int32(2, PLAIN);
    page.int32(3, RLE);
    page.int32(4, RLE);
    header.inner(5, page);
    header.end()
}

// FileMetaData.
fn description(columns: &[Column], groups: &[Group]) -> Vec<u8> {
    let mut root = Struct::default();
    root.text(4, "table");
    root.int32(5, columns.len() as i64);
    let schema: Vec<Vec<u8>> = std::iter::once(root.end()).chain(columns.iter().map(schema_of)).collect();
    let mut file = Struct::default();
    file.int32(1, 1);
    file.list(2, STRUCT, &schema);
    file.int64(3, groups.iter().map(|group| group.rows as i64).sum());
    let groups: Vec<Vec<u8>> = groups.iter().map(|group| row_group(columns, group)).collect();
    file.list(4, STRUCT, &groups);
    file.text(6, concat!("steric ", env!("CARGO_PKG_VERSION")));
    file.end()
}

// SchemaElement.
fn schema_of(column: &Column) -> Vec<u8> {
    let mut element = Struct::default();
    element.int32(1, physical_type(column.kind));
    element.int32(3, REQUIRED);
    element.text(4, &column.name);
    match column.kind {
        ColumnType::U64 => element.int32(6, UINT_64),
        ColumnType::Text => element.int32(6, UTF8),
        ColumnType::F64 => {}
    }
    element.end()
}

fn physical_type(kind: ColumnType) -> i64 {
    match kind {
        ColumnType::U64 => INT64,
        ColumnType::F64 => DOUBLE,
        ColumnType::Text => BYTE_ARRAY,
    }
}

// RowGroup.
fn row_group(columns: &[Column], group: &Group) -> Vec<u8> {
    let chunks = columns.iter().zip(&group.chunks).map(|(column, chunk)| column_chunk(column, chunk, group.rows));
    let mut row_group = Struct::default();
    row_group.list(1, STRUCT, &chunks.collect::<Vec<_>>());
    row_group.int64(2, group.chunks.iter().map(|chunk| chunk.plain_bytes as i64).sum());
    row_group.int64(3, group.rows as i64);
    row_group.end()
}

// ColumnChunk with its ColumnMetaData.
fn column_chunk(column: &Column, chunk: &Chunk, rows: usize) -> Vec<u8> {
    let mut data = Struct::default();
    data.int32(1, physical_type(column.kind));
    data.list(2, INT32, &[zigzag(PLAIN), zigzag(RLE)]);
    data.list(3, BINARY, &[binary(&column.name)]);
    data.int32(4, GZIP);
    data.int64(5, rows as i64);
    data.int64(6, chunk.plain_bytes as i64);
    data.int64(7, chunk.stored_bytes as i64);
    data.int64(9, chunk.offset as i64);
    let mut column_chunk = Struct::default();
    column_chunk.int64(2, chunk.offset as i64);
    column_chunk.inner(3, data);
    column_chunk.end()
}
