//! Sources: rows of numbers or names that other elements refer to.
//!
//! How it works: a `<source>` holds an array and an accessor that says how many values make a row. The rows are those that are
//! there, whatever counts the file claims. Many channels may share a source, so each is read once.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::xml::{File, Xml, child, children, is};
use crate::ReadError;

const NUMBERS: &[&str] = &["float_array", "int_array"];

/// Rows of `width` numbers.
#[derive(Default)]
pub(super) struct Table {
    pub width: usize,
    pub numbers: Vec<f64>,
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.numbers.len() / self.width.max(1)
    }

    pub(super) fn row(&self, index: usize) -> Option<&[f64]> {
        let start = index.checked_mul(self.width)?;
        self.numbers.get(start..start.checked_add(self.width)?)
    }
}

#[derive(Default)]
pub(super) struct Sources {
    tables: FxHashMap<roxmltree::NodeId, Rc<Table>>,
}

/// The source of the input with this meaning: `INPUT`, `OUTPUT`, `JOINT` and so on.
pub(super) fn input<'a>(file: &File<'a>, element: Xml<'a>, semantic: &str) -> Option<Xml<'a>> {
    let input = children(element, "input").find(|input| input.attribute("semantic") == Some(semantic))?;
    let source = file.follow_near(input, "source", "source");
    if source.is_none() {
        file.warn(input, || format!("there is no source for {semantic}; it was left out"));
    }
    source
}

impl Sources {
    /// The numbers of a source, `width` in a row unless it says otherwise.
    pub(super) fn numbers<'a>(
        &mut self,
        file: &File<'a>,
        source: Xml<'a>,
        width: usize,
    ) -> Result<Rc<Table>, ReadError> {
        if let Some(known) = self.tables.get(&source.id()) {
            return Ok(Rc::clone(known));
        }
        let table = Rc::new(read(file, source, width)?);
        self.tables.insert(source.id(), Rc::clone(&table));
        Ok(table)
    }
}

fn read<'a>(file: &File<'a>, source: Xml<'a>, width: usize) -> Result<Table, ReadError> {
    let Some(array) = array(file, source, NUMBERS) else {
        return Err(file.error(source, "a float_array in <source>", "none"));
    };
    let mut numbers = file.numbers(array)?;
    let accessor = accessor(source);
    let width = accessor.and_then(|accessor| whole(accessor, "stride")).unwrap_or(width).max(1);
    let offset = accessor.and_then(|accessor| whole(accessor, "offset")).unwrap_or(0).min(numbers.len());
    numbers.drain(..offset);
    let rows = numbers.len() / width;
    if let Some(claimed) = accessor.and_then(|accessor| whole(accessor, "count")) {
        if claimed > rows {
            file.warn(source, || format!("{claimed} rows are claimed and {rows} are there"));
        }
        numbers.truncate(claimed.min(rows) * width);
    }
    Ok(Table { width, numbers })
}

/// How many numbers make a row of a source; None where it has other things than numbers.
pub(super) fn width<'a>(file: &File<'a>, source: Xml<'a>) -> Option<usize> {
    array(file, source, NUMBERS)?;
    Some(accessor(source).and_then(|accessor| whole(accessor, "stride")).unwrap_or(1))
}

/// The names of a source, and whether they are ids of elements rather than short ids below a skeleton.
pub(super) fn names<'a>(file: &File<'a>, source: Xml<'a>) -> (impl Iterator<Item = &'a str> + use<'a>, bool) {
    let array = array(file, source, &["Name_array", "IDREF_array", "SIDREF_array"]);
    (array.into_iter().flat_map(File::names), array.is_some_and(|array| is(array, "IDREF_array")))
}

// The array in the source, or where its accessor points.
fn array<'a>(file: &File<'a>, source: Xml<'a>, kinds: &[&str]) -> Option<Xml<'a>> {
    let is_array = |element: &Xml<'a>| kinds.iter().any(|kind| is(*element, kind));
    let elsewhere = || file.find(accessor(source)?.attribute("source")?).filter(is_array);
    source.children().find(is_array).or_else(elsewhere)
}

fn accessor(source: Xml<'_>) -> Option<Xml<'_>> {
    child(child(source, "technique_common")?, "accessor")
}

fn whole(element: Xml<'_>, attribute: &str) -> Option<usize> {
    element.attribute(attribute)?.trim().parse().ok()
}
