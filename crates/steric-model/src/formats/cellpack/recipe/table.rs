//! The objects of a JSON file, asked key by key.
//!
//! How it works: whoever reads an object takes the keys that mean something, names those that mean nothing here, and ends
//! with [`Table::finish`]; what then is left over is not known, and becomes a warning by name. A value of the wrong kind is
//! an error at its line and columns. Python's `None` is written as null, as nothing and as the text `None`; all are none.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use glam::DVec3;
use serde_json::{Map, Value};

use super::locate::{self, Step};
use crate::{Place, ReadError, Warnings};

/// Lengths beyond this are no recipe's: ten centimetres.
const LONGEST: f64 = 1e9;

/// Names, numbers and versions by which tools keep their files in order: that they have no meaning here is no news.
const BOOKKEEPING: [&str; 15] = [
    "name",
    "version",
    "format_version",
    "local_id",
    "unique_id",
    "ingredient_id",
    "compartmentId",
    "compNum",
    "id",
    "path",
    "paths",
    "format",
    "description",
    "setupfile",
    "types",
];

/// A file, and what was odd about it so far.
pub(super) struct Source<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) path: &'a Path,
    notes: RefCell<Notes>,
}

#[derive(Default)]
struct Notes {
    // Keys that nobody knows: how often, and the way to the first.
    unknown: BTreeMap<String, (usize, Vec<Step>)>,
    unused: BTreeSet<String>,
    warnings: Warnings,
}

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8], path: &'a Path) -> Self {
        Self { bytes, path, notes: RefCell::default() }
    }

    pub(super) fn parse(&self) -> Result<Value, ReadError> {
        serde_json::from_slice(self.bytes).map_err(|error| {
            let place = Place::Line(error.line().max(1), Some((error.column().max(1), error.column().max(1))));
            let line = self.bytes.split(|&byte| byte == b'\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
            let found = &line[error.column().saturating_sub(20).min(line.len())..];
            ReadError::content(self.path, place, format!("a recipe in JSON ({error})"), found)
        })
    }

    pub(super) fn error(&self, way: &[Step], expected: impl Into<String>) -> ReadError {
        let found = locate::range(self.bytes, way).map_or(&b""[..], |range| &self.bytes[range]);
        ReadError::content(self.path, locate::place(self.bytes, way), expected, found)
    }

    pub(super) fn warn(&self, way: &[Step], message: impl Into<String>) {
        let warnings = &mut self.notes.borrow_mut().warnings;
        // Beyond what is kept, nobody will read the place, and finding it takes time.
        let is_kept = warnings.first.len() < Warnings::KEPT;
        let place = if is_kept { line(self.bytes, way) } else { Place::File };
        warnings.push(place, || message.into());
    }

    /// All that was odd about the file.
    pub(super) fn finish(self) -> Warnings {
        let bytes = self.bytes;
        let Notes { unknown, unused, mut warnings } = self.notes.into_inner();
        for (key, (count, way)) in unknown {
            let is_kept = warnings.first.len() < Warnings::KEPT;
            let place = if is_kept { line(bytes, &way) } else { Place::File };
            let times = if count == 1 { String::new() } else { format!(" ({count} times)") };
            warnings.push(place, || format!("the key {key:?} is not known and was left out{times}"));
        }
        if !unused.is_empty() {
            let keys = unused.into_iter().collect::<Vec<_>>().join(", ");
            warnings.push(Place::File, || format!("these keys are known but have no meaning here: {keys}"));
        }
        warnings
    }
}

fn line(bytes: &[u8], way: &[Step]) -> Place {
    match locate::place(bytes, way) {
        Place::Line(line, _) => Place::Line(line, None),
        other => other,
    }
}

/// A value of the file, and the way to it.
#[derive(Clone)]
pub(super) struct Node<'v> {
    pub(super) value: &'v Value,
    pub(super) way: Vec<Step>,
}

/// An object, and which of its keys were asked for.
pub(super) struct Table<'v, 's> {
    source: &'s Source<'s>,
    map: &'v Map<String, Value>,
    pub(super) way: Vec<Step>,
    asked: BTreeSet<&'v str>,
}

fn is_none(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| matches!(text.trim(), "" | "None"))
}

impl<'v> Node<'v> {
    pub(super) fn table<'s>(&self, source: &'s Source<'s>, expected: &str) -> Result<Table<'v, 's>, ReadError> {
        let map = self.value.as_object().ok_or_else(|| source.error(&self.way, expected))?;
        Ok(Table { source, map, way: self.way.clone(), asked: BTreeSet::new() })
    }

    pub(super) fn list(&self, source: &Source<'_>, expected: &str) -> Result<Vec<Self>, ReadError> {
        let list = self.value.as_array().ok_or_else(|| source.error(&self.way, expected))?;
        Ok((0..).zip(list).map(|(at, value)| self.step(Step::Number(at), value)).collect())
    }

    /// A number, or a text that is one.
    pub(super) fn number(&self, source: &Source<'_>, expected: &str) -> Result<f64, ReadError> {
        number(self.value).ok_or_else(|| source.error(&self.way, expected))
    }

    /// Three coordinates in angstroms.
    pub(super) fn point(&self, source: &Source<'_>, expected: &str) -> Result<DVec3, ReadError> {
        let numbers = self.numbers(source, expected)?;
        <[f64; 3]>::try_from(numbers).map(DVec3::from).map_err(|_| source.error(&self.way, expected))
    }

    /// All numbers of a list, or of lists in it.
    pub(super) fn numbers(&self, source: &Source<'_>, expected: &str) -> Result<Vec<f64>, ReadError> {
        let mut numbers = Vec::new();
        self.flatten(&mut numbers, source, expected)?;
        Ok(numbers)
    }

    fn flatten(&self, to: &mut Vec<f64>, source: &Source<'_>, expected: &str) -> Result<(), ReadError> {
        let list = self.value.as_array().ok_or_else(|| source.error(&self.way, expected))?;
        for (at, value) in (0..).zip(list) {
            match number(value).filter(|number| number.abs() <= LONGEST) {
                Some(number) => to.push(number),
                None => self.step(Step::Number(at), value).flatten(to, source, expected)?,
            }
        }
        Ok(())
    }

    fn step(&self, step: Step, value: &'v Value) -> Self {
        Self { value, way: self.way.iter().cloned().chain([step]).collect() }
    }
}

fn number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|number: &f64| number.is_finite())
}

impl<'v, 's> Table<'v, 's> {
    pub(super) fn source(&self) -> &'s Source<'s> {
        self.source
    }

    /// The value of a key, unless it is none.
    pub(super) fn get(&mut self, key: &str) -> Option<Node<'v>> {
        let (known, value) = self.map.get_key_value(key)?;
        self.asked.insert(known);
        (!is_none(value)).then(|| self.node(known, value))
    }

    /// The value of the first of several keys that has one.
    pub(super) fn first(&mut self, keys: &[&str]) -> Option<Node<'v>> {
        let mut found = None;
        for key in keys {
            let value = self.get(key);
            found = found.or(value);
        }
        found
    }

    fn node(&self, key: &'v str, value: &'v Value) -> Node<'v> {
        Node { value, way: self.way.iter().cloned().chain([Step::Key(key.to_owned())]).collect() }
    }

    /// All keys with their values, for an object whose keys are names.
    pub(super) fn entries(&mut self) -> Vec<(&'v str, Node<'v>)> {
        let map = self.map;
        self.asked.extend(map.keys().map(String::as_str));
        map.iter().map(|(key, value)| (key.as_str(), self.node(key, value))).collect()
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.map.get(key).is_some_and(|value| !is_none(value))
    }

    /// A text; a number is one too.
    pub(super) fn text(&mut self, keys: &[&str]) -> Result<Option<String>, ReadError> {
        let Some(node) = self.first(keys) else { return Ok(None) };
        match node.value {
            Value::String(text) => Ok(Some(text.trim().to_owned())),
            Value::Number(number) => Ok(Some(number.to_string())),
            _ => Err(self.source.error(&node.way, format!("a text as {:?}", keys[0]))),
        }
    }

    pub(super) fn number(&mut self, keys: &[&str]) -> Result<Option<f64>, ReadError> {
        let Some(node) = self.first(keys) else { return Ok(None) };
        node.number(self.source, &format!("a number as {:?}", keys[0])).map(Some)
    }

    /// A number that is not negative.
    pub(super) fn amount(&mut self, keys: &[&str]) -> Result<Option<f64>, ReadError> {
        let Some(node) = self.first(keys) else { return Ok(None) };
        let expected = format!("a number from 0 as {:?}", keys[0]);
        let amount = node.number(self.source, &expected)?;
        if amount < 0.0 { Err(self.source.error(&node.way, expected)) } else { Ok(Some(amount)) }
    }

    /// A length in angstroms, more than 0.
    pub(super) fn length(&mut self, keys: &[&str]) -> Result<Option<f64>, ReadError> {
        let Some(node) = self.first(keys) else { return Ok(None) };
        let expected = format!("a length above 0 as {:?} (angstroms)", keys[0]);
        let length = node.number(self.source, &expected)?;
        let is_length = length > 0.0 && length <= LONGEST;
        if is_length { Ok(Some(length)) } else { Err(self.source.error(&node.way, expected)) }
    }

    pub(super) fn flag(&mut self, key: &str) -> Result<Option<bool>, ReadError> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let flag = node.value.as_bool().or_else(|| node.value.as_i64().map(|number| number != 0));
        flag.map(Some).ok_or_else(|| self.source.error(&node.way, format!("true or false as {key:?}")))
    }

    pub(super) fn point(&mut self, keys: &[&str]) -> Result<Option<DVec3>, ReadError> {
        let Some(node) = self.first(keys) else { return Ok(None) };
        node.point(self.source, &format!("three coordinates as {:?}", keys[0])).map(Some)
    }

    pub(super) fn list(&mut self, keys: &[&str]) -> Result<Vec<Node<'v>>, ReadError> {
        let Some(node) = self.first(keys) else { return Ok(Vec::new()) };
        node.list(self.source, &format!("a list as {:?}", keys[0]))
    }

    pub(super) fn table(&mut self, key: &str) -> Result<Option<Self>, ReadError> {
        let Some(node) = self.get(key) else { return Ok(None) };
        node.table(self.source, &format!("an object as {key:?}")).map(Some)
    }

    pub(super) fn warn(&self, message: impl Into<String>) {
        self.source.warn(&self.way, message);
    }

    /// Keys that mean something elsewhere and nothing here.
    pub(super) fn unused(&mut self, keys: &[&str]) {
        for key in keys {
            if let Some((known, value)) = self.map.get_key_value(*key) {
                self.asked.insert(known);
                if !is_none(value) && !BOOKKEEPING.contains(key) {
                    self.source.notes.borrow_mut().unused.insert(known.clone());
                }
            }
        }
    }

    /// Notes the keys that nobody asked for.
    pub(super) fn finish(self) {
        for key in self.map.keys().filter(|key| !self.asked.contains(key.as_str())) {
            let way = || self.way.iter().cloned().chain([Step::Key(key.clone())]).collect();
            let mut notes = self.source.notes.borrow_mut();
            notes.unknown.entry(key.clone()).or_insert_with(|| (0, way())).0 += 1;
        }
    }
}
