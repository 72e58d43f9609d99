//! What the parts of the Collada reader share: elements by id, numbers with their places, warnings and errors with lines.
//!
//! How it works: elements are matched by their local names, so that the namespaces of 1.4 and 1.5, and files without one, read
//! alike. Finding the line of an element means counting line ends from the beginning, so it is only done for messages that
//! are kept.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;

use glam::{DAffine3, DMat4};
use roxmltree::{Document, Node};
use rustc_hash::FxHashMap;

use crate::formats::text::parse_float;
use crate::{Place, ReadError, Warnings};

pub(super) type Xml<'a> = Node<'a, 'a>;

/// A Collada file as XML.
pub(super) struct File<'a> {
    document: &'a Document<'a>,
    by_id: FxHashMap<&'a str, Xml<'a>>,
    // The further elements of ids that are not unique, in file order.
    repeated: FxHashMap<&'a str, Vec<Xml<'a>>>,
    pub warnings: RefCell<Warnings>,
    pub path: &'a Path,
}

impl<'a> File<'a> {
    pub(super) fn new(document: &'a Document<'a>, warnings: Warnings, path: &'a Path) -> Result<Self, ReadError> {
        let mut by_id: FxHashMap<&str, Xml<'a>> = FxHashMap::default();
        let mut repeated: FxHashMap<&str, Vec<Xml<'a>>> = FxHashMap::default();
        for element in document.descendants().filter(Xml::is_element) {
            let Some(id) = element.attribute("id") else { continue };
            if *by_id.entry(id).or_insert(element) != element {
                repeated.entry(id).or_default().push(element);
            }
        }
        let file = Self { document, by_id, repeated, warnings: RefCell::new(warnings), path };
        let root = file.root();
        if is(root, "COLLADA") { Ok(file) } else { Err(file.error(root, "a COLLADA element", root.tag_name().name())) }
    }

    pub(super) fn root(&self) -> Xml<'a> {
        self.document.root_element()
    }

    /// The length of the file.
    pub(super) fn bytes(&self) -> usize {
        self.document.input_text().len()
    }

    /// The elements of this name in all libraries of that name.
    pub(super) fn in_libraries(&self, library: &'a str, name: &'a str) -> impl Iterator<Item = Xml<'a>> + use<'a> {
        children(self.root(), library).flat_map(move |library| children(library, name))
    }

    /// The element that a reference like `#Armature` or a bare id points at.
    pub(super) fn find(&self, reference: &str) -> Option<Xml<'a>> {
        self.by_id.get(bare(reference)).copied()
    }

    /// The element of some name that an attribute points at.
    pub(super) fn follow(&self, element: Xml<'a>, attribute: &str, name: &str) -> Option<Xml<'a>> {
        self.find(element.attribute(attribute)?).filter(|&found| is(found, name))
    }

    /// As [`File::follow`], from a channel or an input: Assimp writes the same ids in each of several takes, so what stands in the
    /// animation around them comes first.
    pub(super) fn follow_near(&self, element: Xml<'a>, attribute: &str, name: &str) -> Option<Xml<'a>> {
        let id = bare(element.attribute(attribute)?);
        // A channel stands in an animation, an input in a sampler of one.
        let around = element.ancestors().skip(1).take(2).find(|&above| is(above, "animation"));
        let near = around.and_then(|animation| self.inside(id, &animation.range()));
        near.or_else(|| self.by_id.get(id).copied()).filter(|&found| is(found, name))
    }

    // The first element of a repeated id in a part of the file.
    fn inside(&self, id: &str, part: &Range<usize>) -> Option<Xml<'a>> {
        let further = self.repeated.get(id)?;
        let at = further.partition_point(|element| element.range().start < part.start);
        let mut candidates = self.by_id.get(id).into_iter().chain(further.get(at)).copied();
        candidates.find(|element| part.contains(&element.range().start))
    }

    pub(super) fn error(&self, element: Xml<'a>, expected: impl Into<String>, found: impl AsRef<[u8]>) -> ReadError {
        ReadError::content(self.path, self.place(element.range().start), expected, found)
    }

    pub(super) fn warn(&self, element: Xml<'a>, message: impl FnOnce() -> String) {
        let mut warnings = self.warnings.borrow_mut();
        let is_kept = warnings.first.len() < Warnings::KEPT;
        let place = if is_kept { self.place(element.range().start) } else { Place::File };
        warnings.push(place, message);
    }

    fn place(&self, offset: usize) -> Place {
        // A place inside a letter, where an entity made the text shorter than its source, has no column.
        let offset = self.document.input_text().floor_char_boundary(offset);
        Place::Line(self.document.text_pos_at(offset).row as usize, None)
    }

    /// The words in an element, with their places in the file.
    fn words(element: Xml<'a>) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        element.children().filter(Xml::is_text).flat_map(|text| {
            let (start, content) = (text.range().start, text.text().unwrap_or_default());
            let place = move |word: &'a str| (start + (word.as_ptr().addr() - content.as_ptr().addr()), word);
            content.split_ascii_whitespace().map(place)
        })
    }

    pub(super) fn names(element: Xml<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
        Self::words(element).map(|(_, word)| word)
    }

    /// The numbers in an element.
    pub(super) fn numbers(&self, element: Xml<'a>) -> Result<Vec<f64>, ReadError> {
        let number = |(offset, word): (usize, &str)| {
            parse_float(word.as_bytes()).ok_or_else(|| {
                let expected = format!("a number in <{}>", element.tag_name().name());
                ReadError::content(self.path, self.place_of_word(offset, word), expected, word)
            })
        };
        Self::words(element).map(number).collect()
    }

    fn place_of_word(&self, offset: usize, word: &str) -> Place {
        let offset = self.document.input_text().floor_char_boundary(offset);
        let at = self.document.text_pos_at(offset);
        let (line, first) = (at.row as usize, at.col as usize);
        Place::Line(line, Some((first, first + word.chars().count().saturating_sub(1))))
    }

    /// As many numbers as an element must have.
    pub(super) fn fixed<const N: usize>(&self, element: Xml<'a>) -> Result<[f64; N], ReadError> {
        let numbers = self.numbers(element)?;
        numbers.as_slice().try_into().map_err(|_| {
            let expected = format!("{N} numbers in <{}>", element.tag_name().name());
            self.error(element, expected, numbers.len().to_string())
        })
    }
}

// The id in a reference like `#Armature`.
fn bare(reference: &str) -> &str {
    let id = reference.trim();
    id.strip_prefix('#').unwrap_or(id)
}

pub(super) fn is(element: Xml<'_>, name: &str) -> bool {
    element.is_element() && element.tag_name().name() == name
}

pub(super) fn children<'a>(element: Xml<'a>, name: &'a str) -> impl Iterator<Item = Xml<'a>> + use<'a> {
    element.children().filter(move |&child| is(child, name))
}

pub(super) fn child<'a>(element: Xml<'a>, name: &'a str) -> Option<Xml<'a>> {
    children(element, name).next()
}

/// Collada writes matrices row by row; the last row of an affine one is 0 0 0 1.
pub(super) fn affine(rows: &[f64; 16]) -> DAffine3 {
    DAffine3::from_mat4(DMat4::from_cols_array(rows).transpose())
}
