//! The best 255 colours of a picture.
//!
//! How it works: a picture of few colours keeps them. Of others the colours are counted in cells of 4 x 4 x 4 shades, and the set of
//! cells is cut in two again and again: always the part whose colours spread most around their mean, across the axis of most
//! spread, at the mean (Wan, Prusinkiewicz and Wong 1990). The means of the parts are the palette. Nothing is dithered: dots
//! that differ from frame to frame would flicker.

use std::collections::BTreeMap;

/// One of the 256 numbers is for pixels that are not there.
const MOST_COLOURS: usize = 255;
/// Of a shade, in the number of its cell.
const CELL_BITS: u32 = 6;
/// A pixel of less opacity is not there.
const OPAQUE: u8 = 128;

/// A picture as numbers of colours.
pub(super) struct Indexed {
    pub(super) colours: Vec<[u8; 3]>,
    pub(super) pixels: Vec<u8>,
    /// The number of the pixels that are not there, if there are any.
    pub(super) clear: Option<u8>,
}

/// Finds the palette of a picture and the number of each pixel in it.
pub(super) fn index(pixels: &[[u8; 4]]) -> Indexed {
    let mut indexed = exact(pixels).unwrap_or_else(|| nearest(pixels));
    if pixels.iter().any(|&pixel| opaque(pixel).is_none()) {
        let clear = indexed.colours.len() as u8;
        indexed.colours.push([0; 3]);
        for (number, _) in indexed.pixels.iter_mut().zip(pixels).filter(|(_, pixel)| opaque(**pixel).is_none()) {
            *number = clear;
        }
        indexed.clear = Some(clear);
    }
    indexed
}

fn opaque([red, green, blue, opacity]: [u8; 4]) -> Option<[u8; 3]> {
    (opacity >= OPAQUE).then_some([red, green, blue])
}

/// All colours as they are; `None` where there are too many.
fn exact(pixels: &[[u8; 4]]) -> Option<Indexed> {
    let mut numbers = BTreeMap::new();
    let mut number_of = |pixel| {
        let Some(colour) = opaque(pixel) else { return Some(0) };
        let next = numbers.len();
        let number = *numbers.entry(colour).or_insert(next);
        (number < MOST_COLOURS).then_some(number as u8)
    };
    let pixels = pixels.iter().map(|&pixel| number_of(pixel)).collect::<Option<_>>()?;
    let mut colours = vec![[0; 3]; numbers.len()];
    for (colour, number) in numbers {
        colours[number] = colour;
    }
    Some(Indexed { colours, pixels, clear: None })
}

/// The colours of one cell.
#[derive(Clone, Copy)]
struct Shade {
    cell: u32,
    mean: [f64; 3],
    pixels: f64,
}

fn nearest(pixels: &[[u8; 4]]) -> Indexed {
    let mut shades = shades(pixels);
    let mut number_of_cell = vec![0; 1 << (3 * CELL_BITS)];
    let mut colours = Vec::new();
    for part in parts(&mut shades) {
        part.iter().for_each(|shade| number_of_cell[shade.cell as usize] = colours.len() as u8);
        colours.push(mean(part).map(|shade| shade.round() as u8));
    }
    let number = |&pixel: &[u8; 4]| opaque(pixel).map_or(0, |colour| number_of_cell[cell(colour) as usize]);
    Indexed { colours, pixels: pixels.iter().map(number).collect(), clear: None }
}

fn cell(colour: [u8; 3]) -> u32 {
    colour.iter().fold(0, |cell, &shade| cell << CELL_BITS | u32::from(shade) >> (8 - CELL_BITS))
}

/// The cells that have pixels.
fn shades(pixels: &[[u8; 4]]) -> Vec<Shade> {
    // Sums of red, green and blue, and how many pixels.
    let mut cells = vec![[0_u64; 4]; 1 << (3 * CELL_BITS)];
    for colour in pixels.iter().filter_map(|&pixel| opaque(pixel)) {
        let [red, green, blue] = colour.map(u64::from);
        let sums = &mut cells[cell(colour) as usize];
        *sums = [sums[0] + red, sums[1] + green, sums[2] + blue, sums[3] + 1];
    }
    let shade = |(cell, sums): (u32, [u64; 4])| {
        let [red, green, blue, pixels] = sums.map(|sum| sum as f64);
        Shade { cell, mean: [red / pixels, green / pixels, blue / pixels], pixels }
    };
    (0..).zip(cells).filter(|(_, sums)| sums[3] > 0).map(shade).collect()
}

/// Cuts until there are as many parts as colours, or no part has two shades.
fn parts(shades: &mut [Shade]) -> Vec<&[Shade]> {
    let mut parts = vec![(spread(shades), shades)];
    while parts.len() < MOST_COLOURS {
        let widest = (0..parts.len()).max_by(|&a, &b| parts[a].0.1.total_cmp(&parts[b].0.1));
        let Some(widest) = widest.filter(|&widest| parts[widest].1.len() > 1 && parts[widest].0.1 > 0.0) else { break };
        let ((axis, _), part) = parts.swap_remove(widest);
        let (low, high) = cut(part, axis);
        parts.extend([(spread(low), low), (spread(high), high)]);
    }
    parts.into_iter().map(|(_, part)| &*part).filter(|part| !part.is_empty()).collect()
}

/// Cuts at the mean: some shades lie below it and some above, as they spread along this axis.
fn cut(part: &mut [Shade], axis: usize) -> (&mut [Shade], &mut [Shade]) {
    let middle = mean(part)[axis];
    part.sort_unstable_by(|a, b| a.mean[axis].total_cmp(&b.mean[axis]).then(a.cell.cmp(&b.cell)));
    let below = part.partition_point(|shade| shade.mean[axis] <= middle);
    // Rounding of the mean must not leave one side empty.
    part.split_at_mut(below.clamp(1, part.len() - 1))
}

/// The axis along which colours spread most, and the sum of their squared distances from the mean along it.
fn spread(part: &[Shade]) -> (usize, f64) {
    let mean = mean(part);
    let along = |axis: usize| part.iter().map(|shade| shade.pixels * (shade.mean[axis] - mean[axis]).powi(2)).sum();
    let spreads: [f64; 3] = std::array::from_fn(along);
    let axis = (0..3).max_by(|&a, &b| spreads[a].total_cmp(&spreads[b])).unwrap_or(0);
    (axis, spreads[axis])
}

fn mean(part: &[Shade]) -> [f64; 3] {
    let pixels: f64 = part.iter().map(|shade| shade.pixels).sum();
    std::array::from_fn(|axis| part.iter().map(|shade| shade.pixels * shade.mean[axis]).sum::<f64>() / pixels.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All reds and greens, and blues that follow from them.
    fn many_colours() -> Vec<[u8; 4]> {
        (0..=255)
            .flat_map(|red| (0..=255).map(move |green: u8| [red, green, green.wrapping_add(red) / 2, 255]))
            .collect()
    }

    #[test]
    fn few_colours_are_kept_as_they_are() {
        let pixels: Vec<[u8; 4]> = (0..255).map(|shade| [shade, 255 - shade, 7, 255]).chain([[9, 9, 9, 0]]).collect();
        let indexed = index(&pixels);
        assert_eq!((indexed.colours.len(), indexed.clear), (256, Some(255)));
        for (pixel, &number) in pixels.iter().zip(&indexed.pixels).take(255) {
            assert_eq!(indexed.colours[number as usize], pixel[..3]);
        }
        assert_eq!(indexed.pixels[255], 255);
    }

    #[test]
    fn many_colours_become_255_that_are_near() {
        let pixels = many_colours();
        let Indexed { colours, pixels: numbers, clear } = index(&pixels);
        assert_eq!((colours.len(), clear), (MOST_COLOURS, None));
        let square = |a: u8, b: u8| f64::from(a.abs_diff(b)).powi(2);
        let distance = |(pixel, &number): (&[u8; 4], &u8)| -> f64 {
            colours[number as usize].iter().zip(pixel).map(|(&a, &b)| square(a, b)).sum()
        };
        let mean_square = pixels.iter().zip(&numbers).map(distance).sum::<f64>() / pixels.len() as f64;
        // 256 squares of 16 x 16 shades would miss red and green by 4.6 each and blue by about 3.3.
        assert!(mean_square.sqrt() < 10.0, "{}", mean_square.sqrt());
    }

    #[test]
    fn half_opacity_decides_whether_a_pixel_is_there() {
        let mut pixels = many_colours();
        pixels[0][3] = 127;
        pixels[1][3] = 128;
        let indexed = index(&pixels);
        let clear = indexed.clear.unwrap();
        assert_eq!(indexed.pixels.iter().filter(|&&number| number == clear).count(), 1);
        assert_eq!(indexed.pixels[0], clear);
    }

    #[test]
    fn a_picture_where_nothing_is_there_is_clear() {
        let indexed = index(&[[1, 2, 3, 0], [4, 5, 6, 0]]);
        assert_eq!((indexed.pixels, indexed.clear), (vec![0, 0], Some(0)));
    }
}
