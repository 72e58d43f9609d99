//! A bar that says how large things are.
//!
//! How it works: at the target's distance a pixel is so many angstroms. Of the lengths 1, 2 and 5 times a power of ten the one is taken that
//! is nearest to a fifth of the picture, as a ratio; it is between an eighth and a third of it.

use glam::DVec2;

use super::{LabelStyle, edges, text::Line};
use crate::camera::USUAL_DEGREES;
use crate::{Camera, Picture};

/// Draws a bar into the lower right corner, with its length above it, and says how long it is, in angstroms.
///
/// The length holds at the distance of the camera's target; with perspective what is nearer is larger.
///
/// ```
/// use glam::DVec3;
/// use steric_view::{Camera, LabelStyle, Picture, scale_bar};
///
/// let mut picture = Picture { width: 200, height: 100, pixels: vec![[255; 4]; 200 * 100] };
/// // 25 degrees at 1,000 Å: 443 Å high, 887 Å wide.
/// let camera = Camera { eye: DVec3::NEG_Y * 1_000.0, target: DVec3::ZERO, up: DVec3::Z, degrees: 25.0 };
/// let angstroms = scale_bar(&mut picture, &camera, &LabelStyle::default());
/// assert_eq!(angstroms, 200.0, "written as 20 nm");
/// ```
pub fn scale_bar(picture: &mut Picture, camera: &Camera, style: &LabelStyle) -> f64 {
    let ink = style.ink(picture.height);
    let size = style.pixels(picture.height);
    let pixel = angstroms_per_pixel(camera, picture.height);
    let angstroms = round_length(0.2 * f64::from(picture.width) * pixel);
    let line = Line::new(&in_words(angstroms), size as f32);
    let bar = DVec2::new(angstroms / pixel, (0.18 * size).max(2.0).round());
    // A text that is wider than its bar has to keep away from the edge, too.
    let over = (line.half().x - 0.5 * bar.x).max(0.0);
    let high = (edges([picture.width, picture.height]) - DVec2::new(size + over, size)).round();
    ink.fill(picture, high - bar, high);
    ink.write(picture, &line, DVec2::new(high.x - 0.5 * bar.x, high.y - bar.y - 0.75 * size));
    angstroms
}

/// How wide a pixel is at the target's distance.
fn angstroms_per_pixel(camera: &Camera, height: u32) -> f64 {
    let degrees = if camera.degrees > 0.0 { camera.degrees } else { USUAL_DEGREES };
    2.0 * (0.5 * degrees).to_radians().tan() * camera.distance() / f64::from(height.max(1))
}

/// The nearest of 1, 2 and 5 times a power of ten, as a ratio.
fn round_length(wanted: f64) -> f64 {
    let power = wanted.log10().floor();
    let part = wanted / 10f64.powf(power);
    let steps = [1.0f64, 2.0, 5.0, 10.0];
    let nearest = steps.into_iter().min_by(|one, other| (one / part).ln().abs().total_cmp(&(other / part).ln().abs()));
    // The digits as they are written, so that 5e-1 is 0.5 and not its neighbour.
    format!("{}e{power}", nearest.unwrap_or(1.0)).parse().unwrap_or(wanted)
}

/// A length in angstroms, nanometres or micrometres.
fn in_words(angstroms: f64) -> String {
    match angstroms {
        ..10.0 => format!("{angstroms} Å"),
        ..10_000.0 => format!("{} nm", angstroms / 10.0),
        _ => format!("{} µm", angstroms / 10_000.0),
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    /// What is written for a picture of 4 by 3 whose height is so many angstroms at the target.
    fn written(height: f64, degrees: f64) -> String {
        let eye = DVec3::NEG_Y * 0.5 * height / (0.5 * if degrees > 0.0 { degrees } else { 25.0 }).to_radians().tan();
        let camera = Camera { eye, target: DVec3::ZERO, up: DVec3::Z, degrees };
        let mut picture = Picture { width: 400, height: 300, pixels: vec![[255; 4]; 120_000] };
        in_words(scale_bar(&mut picture, &camera, &LabelStyle::default()))
    }

    #[test]
    fn a_bar_is_a_round_length_near_a_fifth_of_the_width() {
        for degrees in [0.0, 12.0, 25.0, 60.0] {
            for (height, expected) in [
                (2.0, "0.5 Å"),
                (7.5, "2 Å"),
                (18.0, "5 Å"),
                (37.5, "1 nm"),
                (187.5, "5 nm"),
                (375.0, "10 nm"),
                (2_000.0, "50 nm"),
                (20_000.0, "500 nm"),
                (37_500.0, "1 µm"),
                (75_000.0, "2 µm"),
            ] {
                assert_eq!(written(height, degrees), expected, "{height} Å high, {degrees} degrees");
            }
        }
    }

    #[test]
    fn a_bar_is_as_long_as_two_points_are_apart_in_the_picture() {
        let camera = Camera { eye: DVec3::NEG_Y * 300.0, target: DVec3::ZERO, up: DVec3::Z, degrees: 25.0 };
        let mut picture = Picture { width: 400, height: 300, pixels: vec![[255; 4]; 120_000] };
        let angstroms = scale_bar(&mut picture, &camera, &LabelStyle { size: Some(12.0), ..LabelStyle::default() });
        let place = |x: f64| camera.pixel_of(DVec3::X * x, [400, 300]).unwrap()[0];
        let wanted = place(angstroms) - place(0.0);
        let row = 300 - 12 - 1;
        let dark: f64 = (0..400).map(|x| (255.0 - f64::from(picture.at(x, row)[0])) / (255.0 - 22.0)).sum();
        assert!((dark - wanted).abs() < 0.1, "{dark} pixels of {wanted}");
    }
}
