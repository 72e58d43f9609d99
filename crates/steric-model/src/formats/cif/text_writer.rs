//! Tables as CIF text: single rows as pairs, the others as loops, and quotes only where they are needed.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use super::super::bcif::{BlockToWrite, CategoryToWrite, ColumnToWrite, Values};

/// Writes one data block.
pub(super) fn write_block(block: &BlockToWrite<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    writeln!(out, "data_{}\n#", block.header)?;
    for category in &block.categories {
        write_category(category, &mut out)?;
        writeln!(out, "#")?;
    }
    out.flush()
}

fn write_category(category: &CategoryToWrite<'_>, out: &mut impl Write) -> io::Result<()> {
    let columns: Vec<Column<'_>> = category.columns.iter().map(Column::new).collect();
    let rows = category.columns.first().map_or(0, |column| column.data.len());
    if rows == 1 {
        for column in &columns {
            write!(out, "_{}.{} ", category.name, column.source.name)?;
            column.write(0, out)?;
            writeln!(out)?;
        }
        return Ok(());
    }
    writeln!(out, "loop_")?;
    for column in &columns {
        writeln!(out, "_{}.{}", category.name, column.source.name)?;
    }
    for row in 0..rows {
        for (place, column) in columns.iter().enumerate() {
            if place > 0 {
                out.write_all(b" ")?;
            }
            column.write(row, out)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A column and its distinct texts, quoted once.
struct Column<'c> {
    source: &'c ColumnToWrite<'c>,
    quoted: Vec<Cow<'c, str>>,
}

impl<'c> Column<'c> {
    fn new(source: &'c ColumnToWrite<'c>) -> Self {
        let quoted = match &source.data.values {
            Values::Texts(texts) => texts.dictionary.iter().map(|text| quote(text)).collect(),
            _ => Vec::new(),
        };
        Self { source, quoted }
    }

    fn write(&self, row: usize, out: &mut impl Write) -> io::Result<()> {
        match self.source.data.mask.as_ref().map_or(0, |mask| mask[row]) {
            0 => {}
            1 => return out.write_all(b"."),
            _ => return out.write_all(b"?"),
        }
        match &self.source.data.values {
            Values::Ints(values) => write!(out, "{}", values[row]),
            Values::Floats(values) if f64::from(values[row] as f32) == values[row] => {
                write!(out, "{}", values[row] as f32)
            }
            Values::Floats(values) => write!(out, "{}", values[row]),
            Values::Texts(texts) => out.write_all(self.quoted[texts.indices[row] as usize].as_bytes()),
        }
    }
}

/// A value as CIF writes it: bare, in the quotes that it does not itself close, or as a text field.
fn quote(text: &str) -> Cow<'_, str> {
    if is_bare(text) {
        return Cow::Borrowed(text);
    }
    let is_one_line = !text.contains(['\n', '\r']);
    for mark in ['\'', '"'] {
        let closes_early = text.split(mark).skip(1).any(|after| after.starts_with([' ', '\t']));
        if is_one_line && !closes_early {
            return Cow::Owned(format!("{mark}{text}{mark}"));
        }
    }
    // Inside a text field only a line that begins with a semicolon would end it; a blank before it does no harm.
    Cow::Owned(format!("\n;{}\n;\n", text.replace("\n;", "\n ;").replace("\r;", "\r ;")))
}

fn is_bare(text: &str) -> bool {
    let Some(&first) = text.as_bytes().first() else { return false };
    let lower = text.to_ascii_lowercase();
    let is_reserved = ["data_", "save_"].iter().any(|word| lower.starts_with(word))
        || ["loop_", "stop_", "global_", ".", "?"].contains(&lower.as_str());
    let starts_well = !matches!(first, b'_' | b'#' | b'$' | b'\'' | b'"' | b'[' | b']' | b';');
    starts_well && !is_reserved && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::lexer::Lexer;
    use super::*;

    #[test]
    fn every_text_reads_back_as_it_was() {
        let texts = [
            "CA",
            "O5'",
            "H2\"",
            "'",
            "\"",
            "'quoted'",
            "two words",
            "a dog's life",
            "a dogs' life",
            "both' and\" here",
            "_name",
            "#x",
            "$x",
            ";x",
            "[x",
            "data_x",
            "LOOP_",
            "loop_x",
            "Save_",
            "?",
            ".",
            "..",
            "a\nb",
            "b' c\" \nd",
            "\u{e9}t\u{e9}",
            "(1-60)(61-88)",
            "tab\tinside",
            "root.exosome.membrane",
            "-",
        ];
        for text in texts {
            let written = format!("x {} y", quote(text));
            let mut lexer = Lexer::new(written.as_bytes(), Path::new("test.cif"));
            let values = [(); 3].map(|()| lexer.value().unwrap().unwrap());
            assert_eq!(values, [b"x", text.as_bytes(), b"y"], "{written}");
        }
        assert_eq!(quote("O5'"), "O5'");
        assert_eq!(quote("a dog's life"), "'a dog's life'");
    }
}
