//! Which colours stand for what: three ready palettes, and colours of one's own.
//!
//! How it works: a palette is a style with tables, and a list of names with colours that come before the tables. A name
//! is asked for only where it can be meant: `C` is carbon in a picture of elements and a chain in one of chains.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use steric_model::{Element, Place, ReadError};

use super::{Rgb, tables};
use tables::rgb;

/// Which colours are used.
///
/// It is read from the name of a ready palette (`safe`, `classic` or `goodsell`), or from colours of one's own, which then
/// come before the safe ones.
///
/// ```
/// use steric_view::Palette;
///
/// assert_eq!("classic".parse::<Palette>()?, Palette::classic());
/// let night = "background=#000000, POPC=#ffcc00".parse::<Palette>()?;
/// assert_eq!(night.background(), [0, 0, 0]);
/// let refused = "POPC=yellow".parse::<Palette>().expect_err("this is no number");
/// assert_eq!(refused.to_string(), "palette:1: expected a colour such as #d55e00, found \"yellow\"");
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    style: Style,
    named: BTreeMap<String, Rgb>,
    /// The overlap that has the last colour of the ramp, in angstroms; 2 unless set.
    pub deepest: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Safe,
    Classic,
    Goodsell,
}

impl Default for Palette {
    fn default() -> Self {
        Self::safe()
    }
}

impl Palette {
    /// Colours that colour-blind readers tell apart, those of Okabe & Ito 2008; the default.
    ///
    /// ```
    /// use steric_view::Palette;
    ///
    /// assert_eq!(Palette::safe(), Palette::default());
    /// ```
    pub fn safe() -> Self {
        Self::ready(Style::Safe)
    }

    /// The element colours of Jmol, and pure red and green for collisions.
    ///
    /// ```
    /// assert_eq!(steric_view::Palette::classic().background(), [255, 255, 255]);
    /// ```
    pub fn classic() -> Self {
        Self::ready(Style::Classic)
    }

    /// Soft colours as in illustrative pictures: carbon has the pastel of its chain, oxygen is slightly redder and
    /// nitrogen slightly bluer.
    ///
    /// ```
    /// use steric_view::Palette;
    ///
    /// assert_ne!(Palette::goodsell(), Palette::classic());
    /// ```
    pub fn goodsell() -> Self {
        Self::ready(Style::Goodsell)
    }

    fn ready(style: Style) -> Self {
        Self { style, named: BTreeMap::new(), deepest: 2.0 }
    }

    /// The same palette with colours of one's own, `key=#rrggbb` on a line each or with commas between.
    ///
    /// A key is an element symbol, the name of a chain, a residue or a type, or one of `touching`, `free`, `fixed`,
    /// `outer`, `inner`, `uniform` and `background`. Lines that begin with `#` are passed over.
    ///
    /// ```
    /// use steric_view::Palette;
    ///
    /// let palette = Palette::goodsell().with("# a dark slide\nbackground = #101018\nchain A = #88ccee\n")?;
    /// assert_eq!(palette.background(), [16, 16, 24]);
    /// # Ok::<(), steric_model::ReadError>(())
    /// ```
    pub fn with(self, text: &str) -> Result<Self, ReadError> {
        self.with_file_text(text, "palette".as_ref())
    }

    /// A palette from a file of such lines, over the safe one.
    ///
    /// ```
    /// use steric_view::Palette;
    ///
    /// let missing = Palette::read("no-such-folder/slide.txt".as_ref()).expect_err("there is no such file");
    /// assert!(missing.to_string().starts_with("no-such-folder/slide.txt: "));
    /// ```
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let text = std::fs::read_to_string(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
        Self::safe().with_file_text(&text, path)
    }

    fn with_file_text(mut self, text: &str, path: &Path) -> Result<Self, ReadError> {
        let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.starts_with('#'));
        for (number, line) in lines {
            let wrong = |expected, found| ReadError::content(path, Place::Line(number + 1, None), expected, found);
            for entry in line.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                let (key, colour) = entry.rsplit_once('=').ok_or_else(|| wrong("key=#rrggbb", entry))?;
                let (key, colour) = (key.trim(), colour.trim());
                if key.is_empty() {
                    return Err(wrong("a name before the =", entry));
                }
                let colour = parse_colour(colour).ok_or_else(|| wrong("a colour such as #d55e00", colour))?;
                self.named.insert(key.to_owned(), colour);
            }
        }
        Ok(self)
    }

    /// What is behind the molecules.
    ///
    /// ```
    /// use steric_view::Palette;
    ///
    /// assert_eq!(Palette::default().background(), [255, 255, 255]);
    /// ```
    pub fn background(&self) -> [u8; 3] {
        self.named_or("background", 0xFFFFFF)
    }

    /// Of a molecule that touches another one.
    pub fn touching(&self) -> Rgb {
        self.named_or("touching", self.of_style(0xD55E00, 0xFF0000, 0xE58A7A))
    }

    /// Of a molecule that touches no other.
    pub fn free(&self) -> Rgb {
        self.named_or("free", self.of_style(0x009E73, 0x00FF00, 0x9CCB9A))
    }

    /// Of a molecule that stays where it is.
    pub fn fixed(&self) -> Rgb {
        self.named_or("fixed", self.of_style(0x999999, 0x808080, 0xC4C4C4))
    }

    pub(super) fn uniform(&self) -> Rgb {
        self.named_or("uniform", self.of_style(0xB8C4CC, 0xC0C0C0, 0xD9C2A7))
    }

    pub(super) fn leaflet(&self, is_outer: Option<bool>) -> Rgb {
        match is_outer {
            Some(true) => self.named_or("outer", self.of_style(0xE69F00, 0xFF7F0E, 0xF2B8A0)),
            Some(false) => self.named_or("inner", self.of_style(0x0072B2, 0x1F77B4, 0xA9C8E8)),
            None => self.fixed(),
        }
    }

    /// The colour of an overlap so deep, in angstroms.
    pub(super) fn depth(&self, depth: f32) -> Rgb {
        if depth > 0.0 { tables::viridis(depth / self.deepest) } else { rgb(0xE6E6E6) }
    }

    /// The colour of an element in a chain of a colour.
    pub(super) fn element(&self, element: Element, chain: Rgb) -> Rgb {
        let symbol = element.symbol();
        // Files of old write ZN. Nearly every palette has no names, and this runs for every atom.
        if !self.named.is_empty()
            && let Some(&own) = self.named.get(symbol).or_else(|| self.named.get(&symbol.to_uppercase()))
        {
            return own;
        }
        match self.style {
            Style::Safe => tables::safe_element(element.atomic_number()),
            Style::Classic => tables::classic_element(element.atomic_number()),
            Style::Goodsell => tables::goodsell_element(element.atomic_number(), chain),
        }
    }

    /// The colour of one of many things of a kind; colours repeat when there are more things than colours.
    pub fn category(&self, index: usize) -> [u8; 3] {
        let colours: &[u32] = match self.style {
            Style::Safe => &tables::SAFE,
            Style::Classic => &tables::CLASSIC,
            Style::Goodsell => &tables::PASTEL,
        };
        rgb(colours[index % colours.len()])
    }

    pub(super) fn named_or_category(&self, name: &str, index: usize) -> Rgb {
        self.named.get(name).copied().unwrap_or_else(|| self.category(index))
    }

    fn named_or(&self, key: &str, otherwise: u32) -> Rgb {
        self.named.get(key).copied().unwrap_or(rgb(otherwise))
    }

    fn of_style(&self, safe: u32, classic: u32, goodsell: u32) -> u32 {
        match self.style {
            Style::Safe => safe,
            Style::Classic => classic,
            Style::Goodsell => goodsell,
        }
    }
}

impl FromStr for Palette {
    type Err = ReadError;

    fn from_str(text: &str) -> Result<Self, ReadError> {
        match text.trim() {
            "safe" => Ok(Self::safe()),
            "classic" => Ok(Self::classic()),
            "goodsell" => Ok(Self::goodsell()),
            own if own.contains('=') => Self::safe().with(own),
            other => {
                let expected = "safe, classic, goodsell or colours such as C=#404040";
                Err(ReadError::content("palette".as_ref(), Place::File, expected, other))
            }
        }
    }
}

/// Six hexadecimal digits after a `#`.
fn parse_colour(text: &str) -> Option<Rgb> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    // A number may begin with a plus sign, a colour may not.
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok().map(rgb))?
}
