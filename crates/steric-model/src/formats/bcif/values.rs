//! The values of one decoded column.
//!
//! How it works: writers disagree about which columns are numbers and which are text (a residue number may come as
//! either), so every accessor converts. Text is a dictionary and one index per row, which is also how it is stored.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

/// The rows of one column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values<'a> {
    /// Whole numbers.
    Ints(Vec<i32>),
    /// Real numbers; unsigned integers past `i32::MAX` also come here.
    Floats(Vec<f64>),
    /// Text.
    Texts(Texts<'a>),
}

/// Text rows: every distinct text once, and which one each row has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts<'a> {
    /// The distinct texts.
    pub(crate) dictionary: Vec<&'a str>,
    /// One place in the dictionary per row; a place outside of it (writers use -1) means the empty text.
    pub(crate) indices: Vec<i32>,
}

impl<'a> Texts<'a> {
    /// The text of a row; empty where there is none.
    pub(crate) fn get(&self, row: usize) -> &'a str {
        let place = self.indices.get(row).and_then(|&index| usize::try_from(index).ok());
        place.and_then(|place| self.dictionary.get(place)).copied().unwrap_or("")
    }
}

impl<'a> FromIterator<&'a str> for Texts<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(rows: I) -> Self {
        let mut place_of: FxHashMap<&'a str, i32> = FxHashMap::default();
        let mut texts = Self::default();
        for row in rows {
            let next = i32::try_from(texts.dictionary.len()).expect("fewer than 2^31 distinct texts");
            let place = *place_of.entry(row).or_insert_with(|| {
                texts.dictionary.push(row);
                next
            });
            texts.indices.push(place);
        }
        texts
    }
}

/// One decoded column: its rows, and which of them are absent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColumnData<'a> {
    /// One value per row; what an absent row holds means nothing.
    pub(crate) values: Values<'a>,
    /// Per row 0 when present, 1 for `.` (not applicable), 2 for `?` (unknown); `None` when all are present.
    pub(crate) mask: Option<Vec<u8>>,
}

impl ColumnData<'_> {
    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        match &self.values {
            Values::Ints(values) => values.len(),
            Values::Floats(values) => values.len(),
            Values::Texts(texts) => texts.indices.len(),
        }
    }

    /// Whether the row exists and is neither `.` nor `?`.
    pub(crate) fn is_present(&self, row: usize) -> bool {
        row < self.len() && self.mask.as_ref().is_none_or(|mask| mask.get(row) == Some(&0))
    }

    /// The row as a whole number: also a real number without a fraction, and text that reads as one.
    pub(crate) fn int(&self, row: usize) -> Option<i32> {
        if !self.is_present(row) {
            return None;
        }
        match &self.values {
            Values::Ints(values) => values.get(row).copied(),
            Values::Floats(values) => values.get(row).copied().and_then(whole),
            Values::Texts(texts) => {
                let text = texts.get(row).trim();
                text.parse().ok().or_else(|| text.parse().ok().and_then(whole))
            }
        }
    }

    /// The row as a real number: also text that reads as one.
    pub(crate) fn float(&self, row: usize) -> Option<f64> {
        if !self.is_present(row) {
            return None;
        }
        match &self.values {
            Values::Ints(values) => values.get(row).copied().map(f64::from),
            Values::Floats(values) => values.get(row).copied(),
            Values::Texts(texts) => texts.get(row).trim().parse().ok(),
        }
    }

    /// The row as text: `.` or `?` where it is absent, as a text CIF would have it, and numbers in their shortest form.
    pub(crate) fn text(&self, row: usize) -> Cow<'_, str> {
        if !self.is_present(row) {
            let dot = self.mask.as_ref().and_then(|mask| mask.get(row)) == Some(&1);
            return Cow::Borrowed(if dot { "." } else { "?" });
        }
        match &self.values {
            Values::Ints(values) => values.get(row).map_or(Cow::Borrowed("?"), |value| value.to_string().into()),
            Values::Floats(values) => values.get(row).map_or(Cow::Borrowed("?"), |&value| shortest(value).into()),
            Values::Texts(texts) => Cow::Borrowed(texts.get(row)),
        }
    }
}

fn whole(value: f64) -> Option<i32> {
    let fits = value.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value);
    fits.then_some(value as i32)
}

/// A value stored in 32 bits is written as such: 0.1, not 0.10000000149011612.
fn shortest(value: f64) -> String {
    let short = value as f32;
    if f64::from(short) == value { short.to_string() } else { value.to_string() }
}
