//! Two pictures for two eyes, in one.

use std::str::FromStr;

use crate::{Camera, Picture};

/// How two pictures become one.
///
/// ```
/// use steric_view::{Picture, Stereo};
///
/// let red = Picture { width: 1, height: 1, pixels: vec![[255, 0, 0, 255]] };
/// let blue = Picture { width: 1, height: 1, pixels: vec![[0, 0, 255, 255]] };
/// let both = Stereo::SideBySide.joined(&red, &blue);
/// assert_eq!((both.width, both.at(0, 0), both.at(1, 0)), (2, [255, 0, 0, 255], [0, 0, 255, 255]));
/// assert_eq!("anaglyph".parse(), Ok(Stereo::Anaglyph));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stereo {
    /// The left one on the left, for a stereoscope or parallel eyes.
    SideBySide,
    /// The left one on the right, for eyes that squint.
    CrossEye,
    /// One for glasses: red for the left eye, cyan for the right.
    Anaglyph,
}

impl FromStr for Stereo {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "side-by-side" => Ok(Self::SideBySide),
            "cross-eye" => Ok(Self::CrossEye),
            "anaglyph" => Ok(Self::Anaglyph),
            _ => Err(format!("expected side-by-side, cross-eye or anaglyph, found {text}")),
        }
    }
}

impl Stereo {
    /// One picture of two that have the same size.
    pub fn joined(self, left: &Picture, right: &Picture) -> Picture {
        let (first, second) = if self == Self::CrossEye { (right, left) } else { (left, right) };
        if self == Self::Anaglyph {
            let pixels = left.pixels.iter().zip(&right.pixels).map(|(left, right)| anaglyph(*left, *right));
            return Picture { pixels: pixels.collect(), ..left.clone() };
        }
        let width = first.width as usize;
        let rows = first.pixels.chunks(width.max(1)).zip(second.pixels.chunks(width.max(1)));
        let pixels = rows.flat_map(|(first, second)| first.iter().chain(second).copied()).collect();
        Picture { width: first.width + second.width, height: first.height, pixels }
    }
}

/// Red from how bright the left one is, so that colours do not fight; green and blue of the right one (Dubois's half-colour way).
fn anaglyph(left: [u8; 4], right: [u8; 4]) -> [u8; 4] {
    let [red, green, blue, opacity] = left.map(f32::from);
    let grey = 0.299 * red + 0.587 * green + 0.114 * blue;
    [grey.round() as u8, right[1], right[2], (opacity as u8).max(right[3])]
}

impl Camera {
    /// The cameras of the left and the right eye, a thirtieth of the target's distance apart, both looking at the target.
    pub fn eyes(self) -> [Self; 2] {
        let half = (0.5 / 30.0f64).atan().to_degrees();
        [self.turned(-half), self.turned(half)]
    }
}
