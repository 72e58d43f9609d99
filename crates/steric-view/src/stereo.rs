//! Two pictures for two eyes, in one.

use std::fmt;
use std::str::FromStr;

use glam::{DQuat, DVec3};

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
/// assert_eq!(Stereo::ALL.map(|stereo| stereo.to_string()), ["side-by-side", "cross-eye", "anaglyph", "rows"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stereo {
    /// The left one on the left, for a stereoscope or parallel eyes.
    SideBySide,
    /// The left one on the right, for eyes that squint.
    CrossEye,
    /// One for glasses: red for the left eye, cyan for the right.
    Anaglyph,
    /// One for screens that show their rows to the eyes in turn: the first one at the top to the left eye, the next to the right.
    Rows,
}

/// How far the eyes are apart unless it is told, as a part of the target's distance.
pub const EYE_DISTANCE: f64 = 1.0 / 30.0;

impl fmt::Display for Stereo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SideBySide => "side-by-side",
            Self::CrossEye => "cross-eye",
            Self::Anaglyph => "anaglyph",
            Self::Rows => "rows",
        })
    }
}

impl FromStr for Stereo {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|stereo| stereo.to_string() == text);
        found.ok_or_else(|| format!("expected side-by-side, cross-eye, anaglyph or rows, found {text}"))
    }
}

impl Stereo {
    /// Every way.
    pub const ALL: [Self; 4] = [Self::SideBySide, Self::CrossEye, Self::Anaglyph, Self::Rows];

    /// One picture of two that have the same size.
    pub fn joined(self, left: &Picture, right: &Picture) -> Picture {
        match self {
            Self::SideBySide => beside(left, right),
            Self::CrossEye => beside(right, left),
            Self::Anaglyph => {
                let pixels = left.pixels.iter().zip(&right.pixels).map(|(left, right)| anaglyph(*left, *right));
                Picture { width: left.width, height: left.height, pixels: pixels.collect() }
            }
            Self::Rows => {
                let rows = rows(left).zip(rows(right)).enumerate();
                let pixels = rows.flat_map(|(row, (left, right))| if row % 2 == 0 { left } else { right }).copied();
                Picture { width: left.width, height: left.height, pixels: pixels.collect() }
            }
        }
    }
}

fn rows(picture: &Picture) -> impl Iterator<Item = &[[u8; 4]]> {
    picture.pixels.chunks(picture.width.max(1) as usize)
}

fn beside(first: &Picture, second: &Picture) -> Picture {
    let pixels = rows(first).zip(rows(second)).flat_map(|(first, second)| first.iter().chain(second).copied());
    Picture { width: first.width + second.width, height: first.height, pixels: pixels.collect() }
}

/// Red from how bright the left one is, so that colours do not fight; green and blue of the right one (Dubois's half-colour way).
fn anaglyph(left: [u8; 4], right: [u8; 4]) -> [u8; 4] {
    let [red, green, blue, opacity] = left.map(f32::from);
    let grey = 0.299 * red + 0.587 * green + 0.114 * blue;
    [grey.round() as u8, right[1], right[2], (opacity as u8).max(right[3])]
}

impl Camera {
    /// The cameras of the left and the right eye, this part of the target's distance apart along the rows of the picture, both looking
    /// at the target. [`EYE_DISTANCE`] stands in for what is no number.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_view::{Camera, EYE_DISTANCE};
    ///
    /// let camera = Camera { eye: DVec3::NEG_Y * 60.0, target: DVec3::ZERO, up: DVec3::Z, degrees: 25.0 };
    /// let [left, right] = camera.eyes(EYE_DISTANCE);
    /// assert!((right.eye - left.eye).distance(DVec3::X * 2.0) < 1e-3);
    /// ```
    pub fn eyes(self, eye_distance: f64) -> [Self; 2] {
        let part = if eye_distance.is_finite() { eye_distance } else { EYE_DISTANCE };
        // Around what is upright in the picture: around the world's axis, a camera that leans would have one eye above the other.
        let upright = self.camera_from_world(self.target).inverse().transform_vector3(DVec3::Y);
        let half = (0.5 * part).atan();
        [-half, half].map(|angle| {
            let turn = DQuat::from_axis_angle(upright.normalize_or(DVec3::Z), angle);
            Self { eye: self.target + turn * (self.eye - self.target), up: upright, ..self }
        })
    }
}
