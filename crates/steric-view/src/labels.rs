//! Names and a scale bar, written on a finished picture.
//!
//! How it works: the camera says at which pixel the place of a label is. Labels are taken from the nearest to the farthest; one that would
//! cover another that is already there is left out. What is left is written with a halo around the letters, so that it can be read on
//! any molecule: dark letters with a light halo, or light ones with a dark halo on a dark background.

mod bar;
mod ink;
mod text;

use std::collections::HashSet;

use glam::{DVec2, DVec3};

use crate::{Camera, Picture};

pub use bar::scale_bar;
use ink::Ink;
use text::Line;

/// A text, and the place in the world that it is about.
///
/// ```
/// use glam::DVec3;
/// use steric_view::{Camera, Label, LabelStyle, Picture, write_labels};
///
/// let mut picture = Picture { width: 160, height: 120, pixels: vec![[255; 4]; 160 * 120] };
/// let camera = Camera { eye: DVec3::NEG_Y * 50.0, target: DVec3::ZERO, up: DVec3::Z, degrees: 25.0 };
/// let label = Label { place: DVec3::ZERO, text: "β-sheet".to_owned() };
/// write_labels(&mut picture, &camera, &[label], &LabelStyle::default());
/// assert!(picture.pixels.iter().any(|pixel| pixel[0] < 100), "dark letters");
/// assert_eq!(picture.at(0, 0), [255; 4], "the corner stays as it was");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Label {
    /// Where the middle of the text is, in angstroms.
    pub place: DVec3,
    /// One line of text.
    pub text: String,
}

/// Which labels are written where there is no room for all.
///
/// ```
/// use glam::DVec3;
/// use steric_view::{Camera, Crowd, Label, LabelStyle, labels_that_fit};
///
/// let camera = Camera { eye: DVec3::NEG_Y * 50.0, target: DVec3::ZERO, up: DVec3::Z, degrees: 25.0 };
/// let labels = [-8.0, 8.0].map(|x| Label { place: DVec3::X * x, text: "POPC".to_owned() });
/// let written = |crowd| labels_that_fit(&camera, [320, 240], &labels, &LabelStyle { crowd, ..LabelStyle::default() });
/// assert_eq!(written(Crowd::Nearest), [0, 1], "there is room for both");
/// assert_eq!(written(Crowd::Once), [0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crowd {
    /// Those that are nearest to the eye and cover no nearer one.
    #[default]
    Nearest,
    /// The same, and each text only once: where it is nearest.
    Once,
    /// All of them, the nearest on top.
    All,
}

/// How labels look.
///
/// ```
/// use steric_view::LabelStyle;
///
/// let usual = LabelStyle::default();
/// assert_eq!(usual.pixels(1080), 30.0);
/// assert_eq!(usual.pixels(120), 11.0, "never too small to be read");
/// assert_eq!(LabelStyle { size: Some(18.0), ..usual }.pixels(1080), 18.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelStyle {
    /// Size of the letters in pixels, as a font counts it; nothing for a thirty-sixth of the picture's height, and at least 11.
    pub size: Option<f64>,
    /// What is behind the molecules, in sRGB; letters are dark on a light one and on none, and light on a dark one.
    pub background: Option<[u8; 3]>,
    /// Which labels are written where there is no room for all.
    pub crowd: Crowd,
}

impl Default for LabelStyle {
    fn default() -> Self {
        Self { size: None, background: Some([255; 3]), crowd: Crowd::Nearest }
    }
}

impl LabelStyle {
    /// Size of the letters in a picture of so many rows.
    pub fn pixels(&self, height: u32) -> f64 {
        self.size.unwrap_or(f64::from(height) / 36.0).max(if self.size.is_some() { 1.0 } else { 11.0 })
    }

    /// Letters and halo.
    fn ink(&self, height: u32) -> Ink {
        let [red, green, blue] = self.background.unwrap_or([255; 3]).map(f64::from);
        let is_dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 110.0;
        let (dark, light) = ([22, 24, 30], [255; 3]);
        let (letters, halo) = if is_dark { (light, dark) } else { (dark, light) };
        Ink { letters, halo, size: self.pixels(height) as f32 }
    }
}

/// Writes labels on a picture that this camera has seen, each in the middle of its place, and moved only where it would leave the picture.
///
/// Places behind the eye and outside of the picture have no label. Of labels that would cover each other the nearest is written; of
/// those that are equally near, the first one.
///
/// ```
/// use glam::DVec3;
/// use steric_view::{Camera, Label, LabelStyle, Picture, write_labels};
///
/// let camera = Camera { eye: DVec3::NEG_Y * 50.0, target: DVec3::ZERO, up: DVec3::Z, degrees: 25.0 };
/// let written = |place: DVec3| {
///     // A transparent picture: what is written is opaque.
///     let mut picture = Picture { width: 160, height: 120, pixels: vec![[0; 4]; 160 * 120] };
///     write_labels(&mut picture, &camera, &[Label { place, text: "A".to_owned() }], &LabelStyle::default());
///     picture.pixels.iter().any(|pixel| pixel[3] > 200)
/// };
/// assert!(written(DVec3::ZERO));
/// assert!(!written(DVec3::NEG_Y * 60.0), "behind the eye");
/// assert!(!written(DVec3::X * 40.0), "beside the picture");
/// ```
pub fn write_labels(picture: &mut Picture, camera: &Camera, labels: &[Label], style: &LabelStyle) {
    let ink = style.ink(picture.height);
    let written = fitting(camera, [picture.width, picture.height], labels, style);
    for (line, middle) in written.into_iter().rev().map(|(_, line, middle)| (line, middle)) {
        ink.write(picture, &line, middle);
    }
}

/// Which labels [`write_labels`] would write, by their numbers, the nearest first.
///
/// ```
/// use glam::DVec3;
/// use steric_view::{Camera, Label, LabelStyle, labels_that_fit};
///
/// let camera = Camera { eye: DVec3::NEG_Y * 50.0, target: DVec3::ZERO, up: DVec3::Z, degrees: 25.0 };
/// let labels = [5.0, -5.0].map(|y| Label { place: DVec3::Y * y, text: "heme".to_owned() });
/// assert_eq!(labels_that_fit(&camera, [160, 120], &labels, &LabelStyle::default()), [1], "it hides the other one");
/// ```
pub fn labels_that_fit(camera: &Camera, size: [u32; 2], labels: &[Label], style: &LabelStyle) -> Vec<usize> {
    fitting(camera, size, labels, style).into_iter().map(|(number, ..)| number).collect()
}

/// The labels that are written, the nearest first: number, letters and middle.
fn fitting(camera: &Camera, size: [u32; 2], labels: &[Label], style: &LabelStyle) -> Vec<(usize, Line, DVec2)> {
    let pixels = style.pixels(size[1]);
    // Labels may touch, but two texts on a line must not read as one.
    let gap = DVec2::new(0.35, 0.05) * pixels;
    let texts: HashSet<&str> = labels.iter().map(|label| label.text.as_str()).collect();
    let mut taken: Vec<[DVec2; 2]> = Vec::new();
    let mut known = HashSet::new();
    let mut chosen = Vec::new();
    for (number, pixel) in nearest_first(camera, size, labels) {
        let text = labels[number].text.as_str();
        if style.crowd == Crowd::Once && known.contains(text) {
            continue;
        }
        let line = Line::new(text, pixels as f32);
        let middle = inside(pixel, line.half() + 0.15 * pixels, size);
        let corners = [middle - line.half() - 0.5 * gap, middle + line.half() + 0.5 * gap];
        if style.crowd != Crowd::All && taken.iter().any(|other| overlap(other, &corners)) {
            continue;
        }
        taken.push(corners);
        known.insert(text);
        chosen.push((number, line, middle));
        if style.crowd == Crowd::Once && known.len() == texts.len() {
            break;
        }
    }
    chosen
}

/// Numbers and pixels of the labels in the picture.
fn nearest_first(camera: &Camera, size: [u32; 2], labels: &[Label]) -> Vec<(usize, DVec2)> {
    let camera_from_world = camera.camera_from_world(camera.target);
    let seen = labels.iter().enumerate().filter_map(|(number, label)| {
        let pixel = DVec2::from(camera.pixel_of(label.place, size)?);
        let is_inside = pixel.cmpge(DVec2::ZERO).all() && pixel.cmple(edges(size)).all();
        let depth = -camera_from_world.transform_point3(label.place - camera.target).z;
        (is_inside && depth > 0.0 && !label.text.is_empty()).then_some((depth, number, pixel))
    });
    let mut seen: Vec<(f64, usize, DVec2)> = seen.collect();
    seen.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    seen.into_iter().map(|(_, number, pixel)| (number, pixel)).collect()
}

/// The middle of a text that is to be whole within the picture; in the middle where it is too wide.
fn inside(middle: DVec2, half: DVec2, size: [u32; 2]) -> DVec2 {
    let room = edges(size);
    let low = half.min(0.5 * room);
    middle.clamp(low, room - low)
}

fn edges([width, height]: [u32; 2]) -> DVec2 {
    DVec2::new(width.into(), height.into())
}

fn overlap(one: &[DVec2; 2], other: &[DVec2; 2]) -> bool {
    one[0].cmplt(other[1]).all() && other[0].cmplt(one[1]).all()
}
