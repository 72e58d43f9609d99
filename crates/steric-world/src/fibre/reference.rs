//! The slow truth about fibres: every segment against every other.

use glam::DVec3;

use super::capsule::nearest;

/// The nearest that two segments of a fibre come to each other, in angstroms, those left out that are fewer than `strangers` segments apart along it; infinite where there are none.
///
/// ```
/// use glam::DVec3;
/// use steric_world::fibre::reference::nearest_strangers;
///
/// // A hairpin with arms 25 Å apart.
/// let hairpin = [(0.0, 0.0), (20.0, 0.0), (40.0, 0.0), (40.0, 25.0), (20.0, 25.0), (0.0, 25.0)];
/// let beads = hairpin.map(|(x, y)| DVec3::new(x, y, 0.0));
/// assert_eq!(nearest_strangers(&beads, false, 3), 25.0);
/// ```
pub fn nearest_strangers(points: &[DVec3], is_closed: bool, strangers: usize) -> f64 {
    let count = points.len();
    let segments = if is_closed { count } else { count.saturating_sub(1) };
    let segment = |at: usize| [points[at], points[(at + 1) % count]];
    let mut least = f64::INFINITY;
    for a in 0..segments {
        for b in a + 1..segments {
            let steps = if is_closed { (b - a).min(count - (b - a)) } else { b - a };
            if steps >= strangers {
                least = least.min(nearest(segment(a), segment(b)).apart.length());
            }
        }
    }
    least
}
