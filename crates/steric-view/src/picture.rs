//! A picture in memory.

/// Pixels, row by row from the top, each red, green, blue and opacity; colours are not multiplied by the opacity.
///
/// ```
/// use steric_view::Picture;
///
/// let picture = Picture { width: 2, height: 1, pixels: vec![[255, 0, 0, 255], [0, 0, 0, 0]] };
/// assert_eq!(picture.at(0, 0), [255, 0, 0, 255]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// All pixels.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// The pixel in a column and a row.
    pub fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[(y * self.width + x) as usize]
    }
}
