//! Where two segments come nearest to each other.
//!
//! How it works: the nearest places of two lines, each held to its segment (Ericson 2005, 5.1.9). Parallel segments meet at one of their ends.

use glam::DVec3;

/// The nearest places of two segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// How far along each segment they stand, from 0 to 1.
    pub(super) along: [f64; 2],
    /// From the place on the second segment to that on the first.
    pub(super) apart: DVec3,
}

/// The nearest places of two segments; of segments without length, their points.
#[inline(always)]
pub(super) fn nearest([p, p_end]: [DVec3; 2], [q, q_end]: [DVec3; 2]) -> Nearest {
    let (u, v, w) = (p_end - p, q_end - q, p - q);
    let (a, b, e) = (u.dot(u), u.dot(v), v.dot(v));
    let (c, f) = (u.dot(w), v.dot(w));
    let determinant = a * e - b * b;
    // Below this the two are parallel to within rounding.
    let first = if determinant > 1e-12 * a * e { ((b * f - c * e) / determinant).clamp(0.0, 1.0) } else { 0.5 };
    let second = quotient(b * first + f, e);
    let held = second.clamp(0.0, 1.0);
    let first =
        if held == second && determinant > 1e-12 * a * e { first } else { quotient(b * held - c, a).clamp(0.0, 1.0) };
    Nearest { along: [first, held], apart: w + first * u - held * v }
}

#[inline(always)]
fn quotient(above: f64, below: f64) -> f64 {
    if below > 0.0 { above / below } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::nearest;
    use glam::DVec3;
    use proptest::prelude::*;

    fn corner() -> impl Strategy<Value = DVec3> {
        [-9..9, -9..9, -9..9].prop_map(|place| DVec3::from(place.map(f64::from)))
    }

    proptest! {
        #[test]
        fn no_other_places_are_nearer(p in corner(), p_end in corner(), q in corner(), q_end in corner()) {
            let found = nearest([p, p_end], [q, q_end]);
            let (first, second) = (p.lerp(p_end, found.along[0]), q.lerp(q_end, found.along[1]));
            prop_assert!((first - second).distance(found.apart) < 1e-9);
            for step in 0..=20 {
                for other in 0..=20 {
                    let apart = p.lerp(p_end, f64::from(step) / 20.0).distance(q.lerp(q_end, f64::from(other) / 20.0));
                    prop_assert!(found.apart.length() <= apart + 1e-9);
                }
            }
        }
    }
}
