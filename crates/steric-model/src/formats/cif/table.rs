//! The tables of one data block, whichever way the file stores them.
//!
//! How it works: text CIF keeps a table row by row, BinaryCIF column by column. Both hand out the same [`Cell`]s, so
//! everything that turns tables into a structure is written once.

use smol_str::{SmolStr, format_smolstr};

use super::super::bcif::{ColumnData, Values};
use super::number::{parse_charge, parse_integer, parse_number};
use crate::{Name, Place};

/// One value of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// `.`, `?`, or no such column.
    Absent,
    /// Text, which may spell a number.
    Text(&'a [u8]),
    /// A whole number of a binary column.
    Integer(i32),
    /// A real number of a binary column.
    Number(f64),
}

impl<'a> Cell<'a> {
    /// The cell of a text value; nothing is absent.
    #[inline]
    pub(super) fn of_text(text: &'a [u8]) -> Self {
        if text.is_empty() { Self::Absent } else { Self::Text(text) }
    }

    pub(super) fn is_absent(self) -> bool {
        matches!(self, Self::Absent)
    }

    /// This cell, or the other where this one is absent.
    #[inline]
    pub(super) fn or(self, other: impl FnOnce() -> Self) -> Self {
        if self.is_absent() { other() } else { self }
    }

    /// A finite number.
    #[inline]
    pub(super) fn number(self) -> Option<f64> {
        match self {
            Self::Absent => None,
            Self::Text(text) => parse_number(text),
            Self::Integer(value) => Some(value.into()),
            Self::Number(value) => value.is_finite().then_some(value),
        }
    }

    /// A whole number.
    #[inline]
    pub(super) fn integer(self) -> Option<i32> {
        match self {
            Self::Absent => None,
            Self::Text(text) => parse_integer(text),
            Self::Integer(value) => Some(value),
            Self::Number(value) => (value.fract() == 0.0 && value.abs() < 2e9).then_some(value as i32),
        }
    }

    /// A formal charge.
    pub(super) fn charge(self) -> Option<i8> {
        match self {
            Self::Text(text) => parse_charge(text),
            _ => self.integer().and_then(|charge| i8::try_from(charge).ok()),
        }
    }

    /// The first letter, 0 where there is none.
    #[inline]
    pub(super) fn letter(self) -> u8 {
        match self {
            Self::Absent => 0,
            Self::Text(text) => text.first().copied().filter(u8::is_ascii_graphic).unwrap_or(0),
            _ => self.to_smol().as_bytes()[0],
        }
    }

    /// A short name, empty where absent.
    #[inline]
    pub(super) fn name(self) -> Name {
        match self {
            Self::Absent => Name::default(),
            Self::Text(text) => Name::from_bytes(text),
            _ => Name::new(&self.to_smol()),
        }
    }

    /// The value as text, empty where absent.
    pub(super) fn to_smol(self) -> SmolStr {
        match self {
            Self::Absent => SmolStr::default(),
            Self::Text(text) => SmolStr::new(String::from_utf8_lossy(text)),
            Self::Integer(value) => format_smolstr!("{value}"),
            Self::Number(value) => format_smolstr!("{value}"),
        }
    }

    /// Puts the text in a buffer that is used again and again.
    #[inline]
    pub(super) fn write_to(self, buffer: &mut String) {
        buffer.clear();
        match self {
            Self::Absent => {}
            Self::Text(text) => match std::str::from_utf8(text) {
                Ok(text) => buffer.push_str(text),
                Err(_) => buffer.push_str(&String::from_utf8_lossy(text)),
            },
            _ => buffer.push_str(&self.to_smol()),
        }
    }

    /// Whether the text is this word, in any case.
    #[inline]
    pub(super) fn is(self, word: &str) -> bool {
        matches!(self, Self::Text(text) if text.eq_ignore_ascii_case(word.as_bytes()))
    }
}

/// One category: `_entity`, `_pdbx_struct_oper_list`.
#[derive(Clone, Debug)]
pub(super) struct Table<'a> {
    category: SmolStr,
    columns: Vec<&'a str>,
    rows: usize,
    cells: Cells<'a>,
    place: Place,
}

#[derive(Clone, Debug)]
enum Cells<'a> {
    Rows(Vec<&'a [u8]>),
    Columns(Vec<ColumnData<'a>>),
}

impl<'a> Table<'a> {
    /// A table of a text file, row by row; `cells` holds as many whole rows as it can.
    pub(super) fn of_rows(category: &str, columns: Vec<&'a str>, cells: Vec<&'a [u8]>, place: Place) -> Self {
        let rows = cells.len() / columns.len().max(1);
        Self { category: SmolStr::new(category), columns, rows, cells: Cells::Rows(cells), place }
    }

    /// A table of a binary file, column by column; all have `rows` rows.
    pub(super) fn of_columns(
        category: &str,
        columns: Vec<(&'a str, ColumnData<'a>)>,
        rows: usize,
        place: Place,
    ) -> Self {
        let (columns, data): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let rows = if columns.is_empty() { 0 } else { rows };
        Self { category: SmolStr::new(category), columns, rows, cells: Cells::Columns(data), place }
    }

    /// Adds a column to a table of a single row. `false` if there is such a column already.
    pub(super) fn add_single(&mut self, column: &'a str, value: &'a [u8]) -> bool {
        let Cells::Rows(cells) = &mut self.cells else { return false };
        if self.rows != 1 || self.columns.iter().any(|known| known.eq_ignore_ascii_case(column)) {
            return false;
        }
        self.columns.push(column);
        cells.push(value);
        true
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Where the table begins.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// The column of this name, in any case.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
    }

    /// The value at a row of a column; absent where there is no such column.
    #[inline]
    pub(super) fn cell(&self, row: usize, column: Option<usize>) -> Cell<'a> {
        let Some(column) = column else { return Cell::Absent };
        match &self.cells {
            Cells::Rows(cells) => Cell::of_text(cells.get(row * self.columns.len() + column).copied().unwrap_or(b"")),
            Cells::Columns(columns) => columns.get(column).map_or(Cell::Absent, |data| cell_of(data, row)),
        }
    }

    /// The value at a row of a column, by the column's name; for tables of a few rows.
    pub(super) fn get(&self, row: usize, column: &str) -> Cell<'a> {
        self.cell(row, self.column(column))
    }
}

#[inline]
fn cell_of<'a>(data: &ColumnData<'a>, row: usize) -> Cell<'a> {
    if !data.is_present(row) {
        return Cell::Absent;
    }
    match &data.values {
        Values::Ints(values) => values.get(row).map_or(Cell::Absent, |&value| Cell::Integer(value)),
        Values::Floats(values) => values.get(row).map_or(Cell::Absent, |&value| Cell::Number(value)),
        Values::Texts(texts) => Cell::of_text(texts.get(row).as_bytes()),
    }
}

/// The tables of one data block that a structure is made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Block<'a> {
    /// What stands after `data_`.
    pub(super) name: String,
    /// Its tables, in file order.
    pub(super) tables: Vec<Table<'a>>,
}

impl<'a> Block<'a> {
    /// The categories that a structure is made of; the others are checked and forgotten.
    pub(super) const WANTED: [&'static str; 13] = [
        "entry",
        "cell",
        "symmetry",
        "space_group",
        "entity",
        "atom_site",
        "struct_conn",
        "chem_comp_atom",
        "chem_comp_bond",
        "pdbx_model",
        "pdbx_struct_assembly",
        "pdbx_struct_assembly_gen",
        "pdbx_struct_oper_list",
    ];

    pub(super) fn is_wanted(category: &str) -> bool {
        Self::WANTED.iter().any(|wanted| wanted.eq_ignore_ascii_case(category))
    }

    /// The first table of this category that has rows.
    pub(super) fn table(&self, category: &str) -> Option<&Table<'a>> {
        self.tables.iter().find(|table| table.rows > 0 && table.category.eq_ignore_ascii_case(category))
    }

    pub(super) fn table_mut(&mut self, category: &str) -> Option<&mut Table<'a>> {
        self.tables.iter_mut().find(|table| table.category.eq_ignore_ascii_case(category))
    }

    /// The value of a category that has a single row.
    pub(super) fn single(&self, category: &str, column: &str) -> Cell<'a> {
        self.table(category).map_or(Cell::Absent, |table| table.get(0, column))
    }
}
