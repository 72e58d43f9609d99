//! How much room a molecule takes, as areas and volumes of unions of spheres.
//!
//! How it works: the plane or the space is cut into small squares or cubes, and those whose middle lies in a disc or a
//! sphere are counted. With a quarter of an angstrom the area of a disc of radius 1 Å is right to a few per cent, and
//! that of a lipid to less, because errors at the rim cancel.

use glam::{DVec2, DVec3};

/// The side of a square, in angstroms.
const PIXEL: f64 = 0.25;
/// At most so many pixels or voxels; what is larger is seen more coarsely.
const MOST_PIXELS: f64 = 4e6;

/// The area of a union of discs, in square angstroms.
pub(super) fn union_of_discs(discs: &[(DVec2, f64)]) -> f64 {
    let Some((low, high)) = bounds(discs) else {
        return 0.0;
    };
    let pixel = PIXEL.max(((high - low).element_product() / MOST_PIXELS).sqrt());
    let [columns, rows] = ((high - low) / pixel).to_array().map(|count| count.ceil() as usize + 1);
    let mut covered = vec![false; columns * rows];
    for &(center, radius) in discs {
        let at = (center - low) / pixel;
        let reach = radius / pixel;
        for row in pixels(at.y, reach, rows) {
            let half = (reach * reach - (row as f64 - at.y).powi(2)).max(0.0).sqrt();
            for column in pixels(at.x, half, columns) {
                covered[row * columns + column] = true;
            }
        }
    }
    covered.iter().filter(|&&covered| covered).count() as f64 * pixel * pixel
}

fn bounds(discs: &[(DVec2, f64)]) -> Option<(DVec2, DVec2)> {
    let first = discs.first()?.0;
    let low = discs.iter().fold(first, |low, &(center, radius)| low.min(center - radius));
    let high = discs.iter().fold(first, |high, &(center, radius)| high.max(center + radius));
    (low.is_finite() && high.is_finite()).then_some((low, high))
}

// Those whose number is within reach.
fn pixels(at: f64, reach: f64, count: usize) -> std::ops::Range<usize> {
    let first = (at - reach).ceil().max(0.0) as usize;
    let end = ((at + reach).floor() + 1.0).max(0.0) as usize;
    first..end.min(count)
}

/// The shadow on the plane of the atoms between two heights, as discs of this radius.
pub(super) fn shadow(atoms: &[DVec3], heights: std::ops::Range<f64>, radius: f64) -> f64 {
    let inside = atoms.iter().filter(|atom| heights.contains(&atom.z));
    union_of_discs(&inside.map(|atom| (atom.truncate(), radius)).collect::<Vec<_>>())
}
