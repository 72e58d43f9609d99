//! A line of text as outlines.
//!
//! How it works: letters stand one after the other as their font says, with its kerning. Ubuntu writes Latin, Greek and Cyrillic; what it lacks
//! (primes, arrows, mathematical signs) comes from Hack, and what neither has becomes the empty box of a font.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, Glyph, GlyphId, OutlinedGlyph, PxScale, point};
use epaint_default_fonts::{HACK_REGULAR, UBUNTU_LIGHT};
use glam::DVec2;

static FONTS: LazyLock<Vec<FontRef<'static>>> = LazyLock::new(|| {
    let read = [UBUNTU_LIGHT, HACK_REGULAR].into_iter().filter_map(|bytes| FontRef::try_from_slice(bytes).ok());
    read.collect()
});

/// Letters in capitals are so high, in parts of the size of the font.
const CAPITAL: f32 = 0.693;

/// Glyphs on a line, the first at 0.
pub(super) struct Line {
    glyphs: Vec<(&'static FontRef<'static>, GlyphId, f32)>,
    width: f32,
    size: f32,
}

impl Line {
    /// Letters of so many pixels.
    pub(super) fn new(text: &str, size: f32) -> Self {
        let mut line = Self { glyphs: Vec::new(), width: 0.0, size };
        for letter in text.chars().filter(|letter| !letter.is_control()) {
            line.push(letter);
        }
        line
    }

    fn push(&mut self, letter: char) {
        let has_it = |font: &&FontRef<'_>| font.glyph_id(letter).0 != 0;
        let Some(font) = FONTS.iter().find(has_it).or(FONTS.first()) else { return };
        let (glyph, scale) = (font.glyph_id(letter), self.size / em(font));
        if let Some((before, last, _)) = self.glyphs.last()
            && std::ptr::eq(*before, font)
        {
            self.width += scale * font.kern_unscaled(*last, glyph);
        }
        let (start, advance) = extent(font, glyph);
        self.glyphs.push((font, glyph, self.width - scale * start));
        self.width += scale * advance;
    }

    /// Half of its width and of its height, in pixels.
    pub(super) fn half(&self) -> DVec2 {
        DVec2::new(self.width.into(), self.size.into()) * 0.5
    }

    /// The letters as outlines, where the middle of the capitals is at `middle`; all of it is so many `times` as large.
    pub(super) fn outlines(&self, middle: DVec2, times: f32) -> impl Iterator<Item = OutlinedGlyph> {
        let left = middle.x as f32 - 0.5 * self.width;
        let base = middle.y as f32 + 0.5 * CAPITAL * self.size;
        self.glyphs.iter().filter_map(move |&(font, id, x)| {
            // The size of a font is that of its em, not that of a line from the lowest to the highest letter.
            let scale = PxScale::from(times * self.size * font.height_unscaled() / em(font));
            font.outline_glyph(Glyph { id, scale, position: point(times * (left + x), times * base) })
        })
    }
}

/// Where a glyph begins and how far it goes, in units of its font. All letters of Hack are equally wide; in a word a prime is as wide as it looks.
fn extent(font: &FontRef<'_>, glyph: GlyphId) -> (f32, f32) {
    let is_usual = FONTS.first().is_some_and(|usual| std::ptr::eq(usual, font));
    match font.outline(glyph) {
        Some(outline) if !is_usual => {
            let margin = 0.06 * em(font);
            (outline.bounds.min.x - margin, outline.bounds.max.x - outline.bounds.min.x + 2.0 * margin)
        }
        _ => (0.0, font.h_advance_unscaled(glyph)),
    }
}

fn em(font: &FontRef<'_>) -> f32 {
    font.units_per_em().unwrap_or(1_000.0)
}
