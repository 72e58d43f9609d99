//! The text of a scene file, with the line of every key, and changes from the command line.
//!
//! How it works: the text is parsed into a table. The lines of keys and tables are kept beside it by *path*, the names
//! and numbers that lead there (`membrane.0.radius`). A change replaces a value in the table and remembers where it
//! came from, so that a complaint about it names the change and not a line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use steric_model::{Located, Place};
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::error::BuildError;
use super::scene_file::SceneFile;
use super::schema::{Kind, SCENE};

/// A scene file before it is taken apart.
///
/// ```
/// use steric_world::build::SceneText;
///
/// let text = "[[membrane]]\ncount = 100\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
/// let mut scene = SceneText::parse(text, "small.toml".as_ref())?;
/// scene.set("membrane.count", "200")?;
/// assert_eq!(scene.scene()?.membrane[0].count, Some(200));
/// let error = scene.set("membrane.cuont", "300").expect_err("there is no such key");
/// assert!(error.to_string().contains("did you mean count?"), "{error}");
/// # Ok::<(), steric_world::build::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SceneText {
    table: Table,
    origins: Origins,
}

/// Where each value came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Origins {
    file: PathBuf,
    lines: BTreeMap<String, usize>,
    changes: BTreeMap<String, String>,
}

impl Origins {
    /// What is wrong at a path.
    pub(super) fn wrong(&self, path: &str, expected: impl Into<String>, found: &str) -> Located {
        let (expected, found) = (expected.into(), found.to_owned());
        match self.changes.get(path) {
            Some(change) => Located { path: change.into(), place: Place::File, expected, found },
            None => Located { path: self.file.clone(), place: self.place(path), expected, found },
        }
    }

    // A key that is not there is missed in the table around it.
    fn place(&self, mut path: &str) -> Place {
        loop {
            if let Some(&line) = self.lines.get(path) {
                return Place::Line(line, None);
            }
            match path.rsplit_once('.') {
                Some((around, _)) => path = around,
                None => return Place::File,
            }
        }
    }
}

impl SceneText {
    /// Parses the text of a file; `file` serves messages.
    pub fn parse(text: &str, file: &Path) -> Result<Self, BuildError> {
        let no_toml = |error: toml::de::Error| {
            let line = error.span().map_or(1, |span| Lines::new(text).line_of(span.start));
            let found = text.lines().nth(line - 1).unwrap_or_default().trim().to_owned();
            let expected = format!("TOML ({})", error.message().trim().replace('\n', ", "));
            Located { path: file.to_owned(), place: Place::Line(line, None), expected, found }
        };
        let mut origins = Origins { file: file.to_owned(), ..Origins::default() };
        let spans = DeTable::parse(text).map_err(no_toml)?;
        Lines::new(text).note_table(spans.get_ref(), "", &mut origins.lines);
        Ok(Self { table: text.parse().map_err(no_toml)?, origins })
    }

    /// Changes one value. The key is the way to it (`membrane.0.lipid.1.fraction`; a list without a number means its
    /// first entry), the value is TOML, and a bare word is a text.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), BuildError> {
        let change = format!("--set {key}={value}");
        let fail = |expected: String, found: &str| Located {
            path: change.clone().into(),
            place: Place::File,
            expected,
            found: found.to_owned(),
        };
        let (path, slot) = slot(&mut self.table, key).map_err(|(expected, found)| fail(expected, &found))?;
        slot.0.insert(slot.1, parse_value(value));
        // Two ways to say how near is too near: the last word counts.
        match key {
            "radii" => drop(self.table.remove("tolerance")),
            "tolerance" => ["radii", "allow"].iter().for_each(|other| drop(self.table.remove(*other))),
            _ => {}
        }
        self.origins.changes.insert(path, change);
        Ok(())
    }

    /// The scene, with everything checked that can be checked without opening another file.
    pub fn scene(&self) -> Result<SceneFile, BuildError> {
        let mut wrong = Vec::new();
        SCENE.check(&self.table, "", &self.origins, &mut wrong);
        // The first in the file; changes come before it.
        let line = |wrong: &Located| if let Place::Line(line, _) = wrong.place { line } else { 0 };
        if let Some(first) = wrong.into_iter().min_by_key(line) {
            return Err(first.into());
        }
        Ok(SceneFile::from_table(&self.table, self.origins.clone())?)
    }
}

fn parse_value(text: &str) -> Value {
    text.parse::<Value>().unwrap_or_else(|_| Value::String(text.to_owned()))
}

type Slot<'a> = (&'a mut Table, String);

// The path of a key with its numbers filled in, and the table that holds it; or what was expected and found.
fn slot<'a>(mut table: &'a mut Table, key: &str) -> Result<(String, Slot<'a>), (String, String)> {
    let mut section = &SCENE;
    let mut path = String::new();
    let mut parts = key.split('.').peekable();
    while let Some(part) = parts.next() {
        let Some(known) = section.key(part) else {
            let unknown = section.unknown_key(part, "", &Origins::default());
            return Err((unknown.expected, unknown.found));
        };
        path.push_str(part);
        let whole = |what: &str| (format!("a key of {what} behind {path}"), key.to_owned());
        match (known.kind, parts.peek().is_some()) {
            (Kind::Table(_) | Kind::Tables(_) | Kind::Physics, false) => return Err(whole(part)),
            (Kind::Table(inner), true) => {
                table = inner_table(table, part)?;
                section = inner;
            }
            (Kind::Tables(inner), true) => {
                let number = parts.next_if(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
                let number = number.map_or(Ok(0), |number| number.parse().map_err(|_| whole(part)))?;
                path.push_str(&format!(".{number}"));
                table = numbered_table(table, part, number)?;
                section = inner;
            }
            (Kind::Physics, true) => {
                let rest = parts.collect::<Vec<_>>().join(".");
                return Ok((format!("{path}.{rest}"), (inner_table(table, part)?, rest)));
            }
            (_, true) => return Err((format!("{path} to be the end of the key"), key.to_owned())),
            (_, false) => return Ok((path, (table, part.to_owned()))),
        }
        path.push('.');
    }
    Err(("a key".to_owned(), key.to_owned()))
}

fn inner_table<'a>(table: &'a mut Table, name: &str) -> Result<&'a mut Table, (String, String)> {
    let value = table.entry(name).or_insert_with(|| Value::Table(Table::new()));
    let found = value.type_str().to_owned();
    value.as_table_mut().ok_or_else(|| (format!("{name} to be a table"), found))
}

fn numbered_table<'a>(table: &'a mut Table, name: &str, number: usize) -> Result<&'a mut Table, (String, String)> {
    let value = table.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    let found = value.type_str().to_owned();
    let tables = value.as_array_mut().ok_or_else(|| (format!("{name} to be a list of tables"), found))?;
    if number == tables.len() {
        tables.push(Value::Table(Table::new()));
    }
    let count = tables.len();
    let entry = tables.get_mut(number).and_then(Value::as_table_mut);
    entry.ok_or_else(|| (format!("{name}.0 to {name}.{count}"), format!("{name}.{number}")))
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1).collect())
    }

    fn line_of(&self, byte: usize) -> usize {
        self.0.partition_point(|&start| start <= byte) + 1
    }

    fn note_table(&self, table: &DeTable<'_>, path: &str, lines: &mut BTreeMap<String, usize>) {
        for (key, value) in table {
            let path = format!("{path}{}", key.get_ref());
            lines.insert(path.clone(), self.line_of(key.span().start));
            self.note_value(value.get_ref(), &path, lines);
        }
    }

    fn note_value(&self, value: &DeValue<'_>, path: &str, lines: &mut BTreeMap<String, usize>) {
        match value {
            DeValue::Table(table) => self.note_table(table, &format!("{path}."), lines),
            DeValue::Array(values) => {
                for (number, value) in values.iter().enumerate().filter(|(_, value)| value.get_ref().is_table()) {
                    let path = format!("{path}.{number}");
                    lines.insert(path.clone(), self.line_of(value.span().start));
                    self.note_value(value.get_ref(), &path, lines);
                }
            }
            _ => {}
        }
    }
}
