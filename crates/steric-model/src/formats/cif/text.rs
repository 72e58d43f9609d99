//! Text CIF: words become the tables of the one data block that holds atoms.
//!
//! How it works: atom sites are nearly the whole file, so their rows go one by one into a small array of slices and
//! from there into the structure; no table of them is ever made. The other categories that matter are kept as slices,
//! the rest is only checked. Of several data blocks the first with atom sites is read; if none has any, the first
//! with the atoms of a chemical component.

use std::path::Path;

use super::component;
use super::lexer::{Lexer, Token};
use super::sites::{Role, Roles, Site, Sites};
use super::table::{Block, Cell, Table};
use crate::{Place, ReadError, Warnings};

/// A data block and its atom sites, which may be none.
#[derive(Debug)]
pub(super) struct Content<'a> {
    pub(super) block: Block<'a>,
    pub(super) sites: Sites,
}

impl Content<'_> {
    /// 2 with atom sites, 1 with the atoms of a component, 0 without atoms.
    pub(super) fn rank(&self) -> u8 {
        if !self.sites.is_empty() { 2 } else { component::is_component(&self.block) as u8 }
    }
}

/// The data block with atoms.
pub(super) fn read_content<'a>(
    bytes: &'a [u8],
    path: &'a Path,
    warnings: &mut Warnings,
) -> Result<Content<'a>, ReadError> {
    let mut reader = Reader { lexer: Lexer::new(bytes, path), path, warnings, open: None, chosen: None, others: 0 };
    while reader.step()? {}
    reader.close_block()?;
    let (chosen, others) = (reader.chosen, reader.others);
    choose(chosen, others, path, warnings)
}

/// The chosen block, with a warning about others; an error where no block has atoms.
pub(super) fn choose<'a>(
    chosen: Option<Content<'a>>,
    others: usize,
    path: &Path,
    warnings: &mut Warnings,
) -> Result<Content<'a>, ReadError> {
    let Some(content) = chosen.filter(|content| content.rank() > 0) else {
        let expected = "a data block with _atom_site.Cartn_x or with the atoms of a chemical component";
        return Err(ReadError::content(path, Place::File, expected, "no atoms"));
    };
    if others > 0 {
        let name = &content.block.name;
        warnings.push(Place::File, || format!("{others} more data blocks hold atoms; only {name:?} is read"));
    }
    Ok(content)
}

struct Reader<'a, 'w> {
    lexer: Lexer<'a>,
    path: &'a Path,
    warnings: &'w mut Warnings,
    open: Option<Content<'a>>,
    chosen: Option<Content<'a>>,
    others: usize,
}

impl<'a> Reader<'a, '_> {
    /// Reads one item of a data block; `false` at the end of the file.
    fn step(&mut self) -> Result<bool, ReadError> {
        let position = self.lexer.position();
        match self.lexer.next()? {
            Token::Data(name) => self.open_block(name)?,
            Token::Save(_) => self.skip_frame(position)?,
            Token::Loop => self.read_loop()?,
            Token::Name(name) => self.read_pair(name)?,
            Token::Value(value) => {
                return Err(ReadError::content(
                    self.path,
                    self.lexer.place_of(value),
                    "a data name before a value",
                    value,
                ));
            }
            Token::End => return Ok(false),
        }
        Ok(true)
    }

    fn open_block(&mut self, name: &[u8]) -> Result<(), ReadError> {
        self.close_block()?;
        let block = Block { name: String::from_utf8_lossy(name).into_owned(), tables: Vec::new() };
        self.open = Some(Content { block, sites: Sites::new(0) });
        Ok(())
    }

    fn close_block(&mut self) -> Result<(), ReadError> {
        let Some(mut content) = self.open.take() else { return Ok(()) };
        // A file of one atom may give it without a loop.
        if let Some(table) = content.block.table("atom_site") {
            content.sites.push_table(table, self.path, self.warnings)?;
        }
        let chosen_rank = self.chosen.as_ref().map_or(0, Content::rank);
        self.others += (content.rank().min(chosen_rank) > 0) as usize;
        if self.chosen.is_none() || content.rank() > chosen_rank {
            self.chosen = Some(content);
        }
        Ok(())
    }

    fn open_content(&mut self) -> Result<&mut Content<'a>, ReadError> {
        let (lexer, open) = (&self.lexer, &mut self.open);
        open.as_mut().ok_or_else(|| lexer.error(lexer.position(), "data_ and a name before the first item", "an item"))
    }

    fn skip_frame(&mut self, position: usize) -> Result<(), ReadError> {
        loop {
            match self.lexer.next()? {
                Token::Save(b"") => return Ok(()),
                Token::End => {
                    return Err(self.lexer.error(position, "save_ that closes this frame", "the end of the file"));
                }
                _ => {}
            }
        }
    }

    fn read_pair(&mut self, name: &'a [u8]) -> Result<(), ReadError> {
        let position = self.lexer.position();
        let Some(value) = self.lexer.value()? else {
            return Err(self.lexer.error(position, format!("a value of {}", String::from_utf8_lossy(name)), "none"));
        };
        let (category, column) = split_name(name);
        self.open_content()?;
        if !Block::is_wanted(category) {
            return Ok(());
        }
        let place = self.lexer.place(position);
        let content = self.open_content()?;
        let Some(table) = content.block.table_mut(category) else {
            content.block.tables.push(Table::of_rows(category, vec![column], vec![value], place));
            return Ok(());
        };
        if !table.add_single(column, value) {
            self.warnings.push(place, || format!("_{category}.{column} is there twice; the first is kept"));
        }
        Ok(())
    }

    fn read_loop(&mut self) -> Result<(), ReadError> {
        let position = self.lexer.position();
        let columns = self.read_columns()?;
        let Some(&(category, _)) = columns.first() else {
            return Err(self.lexer.error(position, "data names after loop_", "none"));
        };
        self.open_content()?;
        if category.eq_ignore_ascii_case("atom_site") {
            return self.read_sites(&columns, position);
        }
        let keep = Block::is_wanted(category);
        let (mut cells, mut count) = (Vec::new(), 0_usize);
        while let Some(value) = self.lexer.value()? {
            count += 1;
            if keep {
                cells.push(value);
            }
        }
        if count % columns.len() != 0 {
            return Err(self.short_row(category, columns.len(), count % columns.len()));
        }
        if keep {
            let place = self.lexer.place(position);
            let names = columns.iter().map(|&(_, column)| column).collect();
            let table = Table::of_rows(category, names, cells, place);
            self.open_content()?.block.tables.push(table);
        }
        Ok(())
    }

    fn read_columns(&mut self) -> Result<Vec<(&'a str, &'a str)>, ReadError> {
        let mut columns = Vec::new();
        loop {
            let mut ahead = self.lexer.clone();
            let Token::Name(name) = ahead.next()? else { return Ok(columns) };
            self.lexer = ahead;
            columns.push(split_name(name));
        }
    }

    fn read_sites(&mut self, columns: &[(&'a str, &'a str)], position: usize) -> Result<(), ReadError> {
        let width = columns.len();
        let roles = Roles::find(|role| columns.iter().position(|(_, column)| column.eq_ignore_ascii_case(role)));
        let is_extra = self.chosen.as_ref().is_some_and(|content| content.rank() == 2);
        if [Role::X, Role::Y, Role::Z].iter().any(|&role| roles.column(role).is_none()) {
            return Err(self.lexer.error(
                position,
                "the columns Cartn_x, Cartn_y and Cartn_z of _atom_site",
                "not all three",
            ));
        }
        let Some(content) = &mut self.open else { return Ok(()) };
        if content.sites.is_empty() && !is_extra {
            content.sites = Sites::new(most_rows(&self.lexer, width));
        }
        // The last cell stays empty: it is the column of every role that the file does not have.
        let mut cells: Vec<&[u8]> = vec![b""; width + 1];
        let slots = roles.or(width);
        loop {
            for (column, cell) in cells[..width].iter_mut().enumerate() {
                match self.lexer.value()? {
                    Some(value) => *cell = value,
                    None if column == 0 => return Ok(()),
                    None => return Err(self.short_row("atom_site", width, column)),
                }
            }
            // Of a further block one atom is enough to know that it has atoms.
            if !is_extra || content.sites.is_empty() {
                let site = TextSite { cells: &cells, slots: &slots, lexer: &self.lexer };
                content.sites.push(&site, self.path, self.warnings)?;
            }
        }
    }

    fn short_row(&self, category: &str, width: usize, found: usize) -> ReadError {
        let expected = format!("{width} values in every row of the loop _{category}");
        self.lexer.error(self.lexer.position(), expected, format!("{found} values in the last row"))
    }
}

/// How many rows the rest of the file can hold at most, for reserving memory: a row of the PDB has 80 to 110 bytes.
fn most_rows(lexer: &Lexer<'_>, width: usize) -> usize {
    lexer.bytes_left() / (width * 2).max(70)
}

struct TextSite<'c, 'a> {
    cells: &'c [&'a [u8]],
    slots: &'c [usize; 21],
    lexer: &'c Lexer<'a>,
}

impl<'a> Site<'a> for TextSite<'_, 'a> {
    #[inline]
    fn cell(&self, role: Role) -> Cell<'a> {
        Cell::of_text(self.cells[self.slots[role as usize]])
    }

    fn place(&self, role: Role) -> Place {
        self.lexer.place_of(self.cells[self.slots[role as usize]])
    }
}

/// `_atom_site.id` is the column `id` of the category `atom_site`; what is not UTF-8 is a category of its own.
fn split_name(name: &[u8]) -> (&str, &str) {
    let name = std::str::from_utf8(name).unwrap_or("_");
    name[1..].split_once('.').unwrap_or((&name[1..], ""))
}
