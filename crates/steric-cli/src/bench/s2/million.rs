//! Two bodies of half a million tetrahedra each that overlap a little: one look for collisions, and its memory.
//!
//! How it works: two blocks lie on each other and overlap by half a cell. Both are one body of two pieces, so that nothing is in memory twice. The peak is that of the process, and stands beside the one
//! before the look.

use glam::DVec3;
use steric::model::TetMesh;
use steric::world::deform::{DeformError, Detector, Material, SoftBody, Touches};
use steric::world::report::peak_memory_bytes;

use super::{Row, Told, median_and_spread, milliseconds_of};
use crate::failure::Failure;
use crate::options::Shared;
use crate::output;
use crate::table::thousands;

/// Looks after the first.
const LOOKS: usize = 5;

pub(super) fn measure(tetrahedra: usize, shared: &Shared) -> Result<Told, Failure> {
    output::note(shared, &format!("two bodies of {} tetrahedra in all", thousands(tetrahedra as u64)));
    let body = two_blocks(tetrahedra).map_err(|error| Failure::usage(error.to_string()))?;
    let (size, threads) = (body.tetrahedra().len(), rayon::current_num_threads());
    let before = peak_memory_bytes();
    let mut detector = Detector::new(Default::default());
    let mut touches = Touches::default();
    let first = 1e-3 * milliseconds_of(|| touches = detector.touches(&body, false));
    let peak = peak_memory_bytes();
    let later = (0..LOOKS).map(|_| 1e-3 * milliseconds_of(|| touches = detector.touches(&body, false))).collect();
    let (median, spread) = median_and_spread(later);
    let row = |what: &'static str, value: f64, unit: &'static str, paper: &str| Row {
        scene: "two blocks".to_owned(),
        size,
        what,
        kind: "clusters".to_owned(),
        threads,
        value,
        unit,
        repeats: 1,
        paper: paper.to_owned(),
        ..Row::default()
    };
    let mut rows = vec![
        row("first look", first, "s", "asked: 0.5"),
        Row { spread, repeats: LOOKS, ..row("later looks with nothing moved", median, "s", "asked: 0.5") },
    ];
    rows.extend(peak.map(|bytes| row("peak memory", bytes as f64 / 1e9, "GB", "asked: 1")));
    rows.extend(before.map(|bytes| row("peak memory before the look", bytes as f64 / 1e9, "GB", "")));
    Ok(Told { text: text((size, threads), (first, median), &touches, [before, peak]), rows })
}

/// So many tetrahedra in two blocks of cells with edge 1, the second half a cell into the first and shifted aside.
fn two_blocks(tetrahedra: usize) -> Result<SoftBody, DeformError> {
    // A cell is five tetrahedra, and a block four fifths as high as it is wide: a million are 2 x 50 x 50 x 40 cells.
    let wide = (tetrahedra as f64 / 8.0).cbrt().round().max(1.0);
    let size = DVec3::new(wide, wide, (0.8 * wide).round().max(1.0));
    let block = |low: DVec3| TetMesh::woven(low, low + size, size.to_array().map(|cells| cells as usize));
    let mut both = block(DVec3::ZERO);
    let other = block(DVec3::new(0.3, 0.2, size.z - 0.5));
    let before = both.points.len() as u32;
    both.points.extend(other.points);
    both.tetrahedra.extend(other.tetrahedra.iter().map(|corners| corners.map(|corner| corner + before)));
    SoftBody::new(both.points, both.tetrahedra, &[], &[Material::default()])
}

fn text(
    (size, threads): (usize, usize),
    (first, median): (f64, f64),
    touches: &Touches,
    peaks: [Option<u64>; 2],
) -> String {
    let [before, peak] =
        peaks.map(|bytes| bytes.map_or_else(|| "unknown".to_owned(), |bytes| format!("{:.2} GB", bytes as f64 / 1e9)));
    format!(
        "A million tetrahedra: {} in two bodies, {} points inside the other, {} candidates, {threads} threads\n  \
         first look {first:.3} s, later ones, with nothing moved, {median:.3} s (asked: 0.5 s); peak memory {peak}, before the look {before} (asked: 1 GB)\n",
        thousands(size as u64),
        thousands(touches.found.len() as u64),
        thousands(touches.candidates as u64),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_is_a_million_and_small_blocks_touch() {
        let body = two_blocks(1_000).unwrap();
        assert_eq!((body.tetrahedra().len(), body.parts().len()), (1_000, 1));
        let touches = Detector::new(Default::default()).touches(&body, false);
        assert!(touches.found.len() > 40, "{}", touches.found.len());
        let wide = (1e6f64 / 8.0).cbrt().round();
        assert!((10.0 * wide * wide * (0.8 * wide).round() - 1e6).abs() < 1.0);
    }
}
