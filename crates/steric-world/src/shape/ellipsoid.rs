//! The exact distance to an ellipsoid.
//!
//! How it works: the nearest place x of a point y satisfies x_i = e_i² y_i / (t + e_i²), where t is the only root above
//! -e_min² of Σ (e_i y_i / (t + e_i²))² = 1 (D. Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid,
//! 2013). That function falls, so bisection finds the root to the last bit. Where y has no part along the shortest axis
//! the nearest place may stand off it all the same; if not, one axis fewer is left.

use glam::DVec3;

/// The signed distance from an ellipsoid around the origin with these semi-axes, and the outward normal.
pub(super) fn distance(point: DVec3, semi_axes: DVec3) -> (f64, DVec3) {
    // A flat ellipsoid has no normal, so none is quite flat.
    let axes = semi_axes.abs().max(DVec3::splat(1e-9));
    let nearest = nearest(point, axes);
    let distance = point.distance(nearest);
    let is_inside = (point / axes).length_squared() <= 1.0;
    // Divided twice, because the square of a small axis may be zero.
    let normal = (nearest / axes * axes.min_element() / axes).normalize_or(DVec3::Z);
    (if is_inside { -distance } else { distance }, normal)
}

fn nearest(point: DVec3, axes: DVec3) -> DVec3 {
    // The longest axis first.
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| axes[b].total_cmp(&axes[a]));
    let sorted = order.map(|axis| axes[axis]);
    let mut place = order.map(|axis| point[axis].abs());
    nearest_of(&sorted, &mut place);
    let mut nearest = DVec3::ZERO;
    for (axis, along) in order.into_iter().zip(place) {
        nearest[axis] = along.copysign(point[axis]);
    }
    nearest
}

// Moves a place with no negative coordinate to the ellipsoid in as many dimensions as there are axes.
fn nearest_of(axes: &[f64], place: &mut [f64]) {
    let last = axes.len() - 1;
    let shortest = axes[last];
    if place[last] > 0.0 {
        let step = root(axes, place);
        for (along, axis) in place.iter_mut().zip(axes) {
            let ratio = (axis / shortest).powi(2);
            *along *= ratio / (step + ratio);
        }
    } else if last == 0 {
        place[0] = shortest;
    } else if let Some(inner) = off_the_last_axis(axes, place) {
        place.copy_from_slice(&inner[..=last]);
    } else {
        nearest_of(&axes[..last], &mut place[..last]);
    }
}

// The nearest place of a point in the middle plane of the shortest axis, if it stands above that plane.
fn off_the_last_axis(axes: &[f64], place: &[f64]) -> Option<[f64; 3]> {
    let last = axes.len() - 1;
    let shortest = axes[last];
    let (mut found, mut left) = ([0.0; 3], 1.0);
    for axis in 0..last {
        let (numerator, denominator) = (axes[axis] * place[axis], (axes[axis] - shortest) * (axes[axis] + shortest));
        if numerator >= denominator {
            return None;
        }
        found[axis] = axes[axis] * (numerator / denominator);
        left -= (numerator / denominator).powi(2);
    }
    found[last] = shortest * f64::sqrt(left);
    (left > 0.0).then_some(found)
}

// t / e_min², by bisection between the bounds that Eberly gives; at most 1074 halvings, most often about 55.
fn root(axes: &[f64], place: &[f64]) -> f64 {
    let last = axes.len() - 1;
    let terms = |step: f64| {
        let term = |(along, axis): (&f64, &f64)| {
            let ratio = (axis / axes[last]).powi(2);
            (ratio * (along / axis) / (step + ratio)).powi(2)
        };
        place.iter().zip(axes).map(term).sum::<f64>()
    };
    let scaled = |(along, axis): (&f64, &f64)| (axis / axes[last]).powi(2) * (along / axis);
    let mut low = place[last] / axes[last] - 1.0;
    let mut high = place.iter().zip(axes).map(scaled).map(|z| z * z).sum::<f64>().sqrt() - 1.0;
    high = high.max(low);
    for _ in 0..1074 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        *(if terms(middle) > 1.0 { &mut low } else { &mut high }) = middle;
    }
    // At the lower bound the denominator of the last term may be zero.
    high
}
