//! Letters and their halo on the pixels.
//!
//! How it works: outlines become a mask, the part of each pixel that they cover. Letters are made bolder on pixels a quarter as wide, so that
//! they stay sharp. The halo is the mask of the letters, grown and faded towards its rim. Both are laid over the picture, as paint is.

use glam::DVec2;

use super::text::Line;
use crate::Picture;

/// How much of its size a letter becomes bolder on every side: the font is a light one.
const BOLD: f32 = 0.036;
/// How far the halo goes, in parts of the size, and how much of it hides what is behind.
const HALO: (f32, f32) = (0.24, 0.92);

/// Letters are drawn on so many times as many pixels, along each edge.
const FINE: i32 = 4;

/// Two colours, and a size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ink {
    pub(super) letters: [u8; 3],
    pub(super) halo: [u8; 3],
    pub(super) size: f32,
}

impl Ink {
    /// A line of text around a middle.
    pub(super) fn write(&self, picture: &mut Picture, line: &Line, middle: DVec2) {
        // A glyph may go a little further than the line is wide.
        let half = line.half() + f64::from(self.size);
        let mut mask = Mask::new((middle - half).floor() * f64::from(FINE), (middle + half).ceil() * f64::from(FINE));
        for glyph in line.outlines(middle, FINE as f32) {
            let corner = glyph.px_bounds().min;
            glyph.draw(|x, y, part| mask.add(corner.x as i64 + i64::from(x), corner.y as i64 + i64::from(y), part));
        }
        self.paint(picture, &mask.grown(1.0 + BOLD * self.size * FINE as f32, 1.0).shrunk());
    }

    /// A filled rectangle between two corners.
    pub(super) fn fill(&self, picture: &mut Picture, low: DVec2, high: DVec2) {
        let margin = f64::from(self.size);
        let mut mask = Mask::new(low - margin, high + margin);
        let part = |low: f64, high: f64, at: i64| (high.min(at as f64 + 1.0) - low.max(at as f64)).clamp(0.0, 1.0);
        for y in low.y.floor() as i64..=high.y as i64 {
            for x in low.x.floor() as i64..=high.x as i64 {
                mask.add(x, y, (part(low.x, high.x, x) * part(low.y, high.y, y)) as f32);
            }
        }
        self.paint(picture, &mask);
    }

    fn paint(&self, picture: &mut Picture, letters: &Mask) {
        let reach = (HALO.0 * self.size).max(2.0);
        letters.grown(reach, 0.6 * reach).over(picture, self.halo, HALO.1);
        letters.over(picture, self.letters, 1.0);
    }
}

/// For each pixel of a rectangle the part that is covered, 0 to 1.
struct Mask {
    corner: [i64; 2],
    size: [usize; 2],
    parts: Vec<f32>,
}

impl Mask {
    fn new(low: DVec2, high: DVec2) -> Self {
        let corner = [low.x.floor() as i64, low.y.floor() as i64];
        let size =
            [high.x.ceil() as i64 - corner[0], high.y.ceil() as i64 - corner[1]].map(|side| side.max(1) as usize);
        Self { corner, size, parts: vec![0.0; size[0] * size[1]] }
    }

    fn add(&mut self, x: i64, y: i64, part: f32) {
        let [x, y] = [x - self.corner[0], y - self.corner[1]];
        let [width, height] = self.size.map(|side| side as i64);
        if (0..width).contains(&x) && (0..height).contains(&y) {
            let own = &mut self.parts[(y * width + x) as usize];
            *own = (*own + part).min(1.0);
        }
    }

    /// The same mask, grown to all sides: what it covers fades from 1 to 0 over the last `soft` of `reach` pixels.
    fn grown(&self, reach: f32, soft: f32) -> Self {
        let far = reach.ceil() as i64;
        let [width, height] = self.size.map(|side| side as i64);
        let mut parts = vec![0.0f32; self.parts.len()];
        let around = (-far..=far).flat_map(|dy| (-far..=far).map(move |dx| (dx, dy)));
        let steps: Vec<(i64, i64, f32)> = around
            .map(|(dx, dy)| (dx, dy, ((reach - (dx as f32).hypot(dy as f32)) / soft).clamp(0.0, 1.0)))
            .filter(|&(.., weight)| weight > 0.0)
            .collect();
        let covered = self.parts.iter().enumerate().filter(|(_, part)| **part > 0.0);
        for (at, &part) in covered {
            let (x, y) = (at as i64 % width, at as i64 / width);
            for &(dx, dy, weight) in &steps {
                if (0..width).contains(&(x + dx)) && (0..height).contains(&(y + dy)) {
                    let own = &mut parts[((y + dy) * width + x + dx) as usize];
                    *own = own.max(part * weight);
                }
            }
        }
        Self { parts, ..*self }
    }

    /// A mask of fine pixels as one of whole ones.
    fn shrunk(&self) -> Self {
        let fine = FINE as usize;
        let size = self.size.map(|side| side / fine);
        let mut parts = vec![0.0; size[0] * size[1]];
        for (at, part) in self.parts.iter().enumerate() {
            let (x, y) = (at % self.size[0] / fine, at / self.size[0] / fine);
            parts[y * size[0] + x] += part / (FINE * FINE) as f32;
        }
        Self { corner: self.corner.map(|place| place / i64::from(FINE)), size, parts }
    }

    /// Paints a colour where the mask covers the picture.
    fn over(&self, picture: &mut Picture, colour: [u8; 3], opacity: f32) {
        let rows = self.parts.chunks(self.size[0]).zip(self.corner[1]..);
        for (row, y) in rows.filter(|&(_, y)| (0..i64::from(picture.height)).contains(&y)) {
            let parts = row.iter().zip(self.corner[0]..);
            for (part, x) in parts.filter(|&(_, x)| (0..i64::from(picture.width)).contains(&x)) {
                let pixel = &mut picture.pixels[(y * i64::from(picture.width) + x) as usize];
                *pixel = laid_over(*pixel, colour, part * opacity);
            }
        }
    }
}

/// One colour over another; colours are not multiplied by the opacity, so a pixel that was transparent takes all of the new one.
fn laid_over(pixel: [u8; 4], colour: [u8; 3], opacity: f32) -> [u8; 4] {
    if opacity <= 0.0 {
        return pixel;
    }
    let [.., behind] = pixel.map(|part| f32::from(part) / 255.0);
    let left = behind * (1.0 - opacity);
    let all = opacity + left;
    let mix = |old: u8, new: u8| ((f32::from(old) * left + f32::from(new) * opacity) / all).round() as u8;
    let [red, green, blue] = [0, 1, 2].map(|channel| mix(pixel[channel], colour[channel]));
    [red, green, blue, (255.0 * all).round() as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paint_on_nothing_keeps_its_colour_and_paint_on_a_colour_mixes() {
        assert_eq!(laid_over([0; 4], [200, 100, 50], 0.5), [200, 100, 50, 128], "no black of what was not there");
        assert_eq!(laid_over([0, 0, 0, 255], [200, 100, 50], 0.5), [100, 50, 25, 255]);
        assert_eq!(laid_over([9, 8, 7, 255], [200, 100, 50], 1.0), [200, 100, 50, 255]);
        assert_eq!(laid_over([9, 8, 7, 6], [200, 100, 50], 0.0), [9, 8, 7, 6]);
    }

    #[test]
    fn a_rectangle_covers_parts_of_the_pixels_at_its_rim() {
        let ink = Ink { letters: [0; 3], halo: [255; 3], size: 4.0 };
        let mut picture = Picture { width: 9, height: 9, pixels: vec![[255; 4]; 81] };
        ink.fill(&mut picture, DVec2::new(2.5, 3.0), DVec2::new(6.0, 5.0));
        assert_eq!(picture.at(4, 4), [0, 0, 0, 255]);
        assert!((120..136).contains(&picture.at(2, 4)[0]), "half of it: {:?}", picture.at(2, 4));
        assert_eq!(picture.at(4, 2), [255; 4], "only halo above");
    }
}
