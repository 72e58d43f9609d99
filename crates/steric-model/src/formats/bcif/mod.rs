//! BinaryCIF: the tables of a CIF file, column by column, compressed and packed as MessagePack.
//!
//! How it works: [`decode`] walks the file once, checks that it is well formed and notes where each column lies. A
//! column is decoded when it is asked for ([`Column::decode`]), since a large file has many that nobody reads.
//! [`encode`] writes the same tables, trying a few chains of encodings per column and keeping the shortest.
//!
//! Memory is bounded by the size of the file: no count is believed before it was compared with the bytes, and a file
//! may have 16 rows per byte, or 2^20 if that is more.

mod encode;
mod encoding;
mod msgpack;
mod values;

#[cfg(test)]
mod files_tests;
#[cfg(test)]
mod tests;

pub(crate) use encode::{BlockToWrite, CategoryToWrite, ColumnToWrite, FileToWrite, encode};
pub(crate) use values::{ColumnData, Texts, Values};

use std::path::Path;

use crate::ReadError;
use encoding::{decode_values, most_rows};
use msgpack::{Reader, Source};

/// The tables of a file.
#[derive(Clone, Debug)]
pub(crate) struct File<'a> {
    /// The data blocks, in file order; a file of the PDB has one.
    pub(crate) blocks: Vec<Block<'a>>,
}

/// One data block.
#[derive(Clone, Debug)]
pub(crate) struct Block<'a> {
    /// Its name, such as `4HHB`.
    pub(crate) header: &'a str,
    /// Its tables, in file order.
    pub(crate) categories: Vec<Category<'a>>,
}

impl<'a> Block<'a> {
    /// The table of this name, written with or without the leading underscore and in any case.
    pub(crate) fn category(&self, name: &str) -> Option<&Category<'a>> {
        let wanted = bare(name);
        self.categories.iter().find(|category| bare(category.name).eq_ignore_ascii_case(wanted))
    }
}

fn bare(name: &str) -> &str {
    name.strip_prefix('_').unwrap_or(name)
}

/// One table.
#[derive(Clone, Debug)]
pub(crate) struct Category<'a> {
    /// Its name as in the file: `_atom_site`.
    pub(crate) name: &'a str,
    /// How many rows every column has.
    pub(crate) row_count: usize,
    /// Its columns, in file order.
    pub(crate) columns: Vec<Column<'a>>,
}

impl<'a> Category<'a> {
    /// The column of this name, in any case.
    pub(crate) fn column(&self, name: &str) -> Option<&Column<'a>> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }
}

/// One column, still encoded.
#[derive(Clone, Debug)]
pub(crate) struct Column<'a> {
    /// Its name: `Cartn_x`.
    pub(crate) name: &'a str,
    source: Source<'a>,
    row_count: usize,
    data_at: usize,
    mask_at: Option<usize>,
}

impl<'a> Column<'a> {
    /// Where the data of the column begin in the file, for messages.
    pub(crate) fn offset(&self) -> usize {
        self.data_at
    }

    /// Decodes the rows; there are as many as the category says.
    pub(crate) fn decode(&self) -> Result<ColumnData<'a>, ReadError> {
        let mut data = ColumnData { values: decode_values(self.source, self.data_at)?, mask: None };
        self.check_rows(self.data_at, data.len())?;
        data.mask = self.mask_at.map(|at| self.decode_mask(at)).transpose()?;
        Ok(data)
    }

    fn decode_mask(&self, at: usize) -> Result<Vec<u8>, ReadError> {
        let Values::Ints(mask) = decode_values(self.source, at)? else {
            return Err(self.source.error(at, "a mask of integers", "values of another kind"));
        };
        self.check_rows(at, mask.len())?;
        // What the format does not define counts as unknown.
        Ok(mask.into_iter().map(|value| if matches!(value, 0 | 1) { value as u8 } else { 2 }).collect())
    }

    fn check_rows(&self, at: usize, rows: usize) -> Result<(), ReadError> {
        if rows == self.row_count {
            return Ok(());
        }
        Err(self.source.error(
            at,
            format!("{} rows in the column {}", self.row_count, self.name),
            format!("{rows} rows"),
        ))
    }
}

/// Reads the layout of a BinaryCIF file; `path` is for messages.
pub(crate) fn decode<'a>(bytes: &'a [u8], path: &'a Path) -> Result<File<'a>, ReadError> {
    let source = Source { bytes, path };
    let mut blocks = None;
    Reader::new(source, 0).map("a BinaryCIF file, which is a MessagePack map", |reader, key| {
        if key != "dataBlocks" {
            return reader.skip();
        }
        let mut found = Vec::new();
        reader.array("a list of data blocks", |reader| {
            found.push(read_block(source, reader)?);
            Ok(())
        })?;
        blocks = Some(found);
        Ok(())
    })?;
    let blocks = blocks.ok_or_else(|| source.error(0, "a BinaryCIF file with dataBlocks", "a map without"))?;
    Ok(File { blocks })
}

fn read_block<'a>(source: Source<'a>, reader: &mut Reader<'a>) -> Result<Block<'a>, ReadError> {
    let mut block = Block { header: "", categories: Vec::new() };
    reader.map("a data block", |reader, key| match key {
        "header" => {
            block.header = reader.text("the name of a data block")?;
            Ok(())
        }
        "categories" => reader.array("a list of categories", |reader| {
            block.categories.push(read_category(source, reader)?);
            Ok(())
        }),
        _ => reader.skip(),
    })?;
    Ok(block)
}

fn read_category<'a>(source: Source<'a>, reader: &mut Reader<'a>) -> Result<Category<'a>, ReadError> {
    let at = reader.position();
    let (mut name, mut row_count, mut columns) = (None, None, Vec::new());
    reader.map("a category", |reader, key| {
        match key {
            "name" => name = Some(reader.text("the name of a category")?),
            "rowCount" => row_count = Some(reader.count("a number of rows")?),
            "columns" => reader.array("a list of columns", |reader| {
                columns.push(read_column(source, reader)?);
                Ok(())
            })?,
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    let name = name.ok_or_else(|| source.error(at, "a category with a name", "none"))?;
    let row_count = row_count.ok_or_else(|| source.error(at, format!("the rowCount of {name}"), "none"))?;
    let most = most_rows(source);
    if row_count > most {
        return Err(source.error(at, format!("at most {most} rows in a file of this size"), row_count.to_string()));
    }
    // The number of rows may stand behind the columns.
    for column in &mut columns {
        column.row_count = row_count;
    }
    Ok(Category { name, row_count, columns })
}

fn read_column<'a>(source: Source<'a>, reader: &mut Reader<'a>) -> Result<Column<'a>, ReadError> {
    let at = reader.position();
    let (mut name, mut data_at, mut mask_at) = (None, None, None);
    reader.map("a column", |reader, key| {
        let here = reader.position();
        match key {
            "name" => name = Some(reader.text("the name of a column")?),
            "data" => {
                reader.skip()?;
                data_at = Some(here);
            }
            "mask" => {
                const NIL: u8 = 0xc0;
                reader.skip()?;
                mask_at = (source.bytes.get(here) != Some(&NIL)).then_some(here);
            }
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    let name = name.ok_or_else(|| source.error(at, "a column with a name", "none"))?;
    let data_at = data_at.ok_or_else(|| source.error(at, format!("the data of column {name}"), "none"))?;
    Ok(Column { name, source, row_count: 0, data_at, mask_at })
}
