//! The rotation in a deformation: of all rotations, the one that is nearest to it.
//!
//! How it works: the nearest rotation is where `tr(Rᵀ F)` is largest. Newton's method climbs there from the rotation of the last step, mostly in one or two turns (Kugelstadt, Koschier and
//! Bender 2018). Wherever the second derivative is not negative, as beyond a quarter turn or in some inverted elements, the largest eigenvector of Davenport's matrix is the quaternion
//! sought, without any guess. A maximum is the only point with a negative second derivative, so Newton's method cannot end in a wrong one.

use glam::{DMat3, DQuat, DVec3};

/// A turn smaller than this, squared, is followed by one below the last bit.
const SMALL: f64 = 1e-14;
/// Beyond this the guess was a bad one.
const TURNS: usize = 10;

/// The rotation nearest to a deformation; also of flat and inverted ones, where it leaves the smallest stretch negative.
pub(super) fn nearest_rotation(deformation: &DMat3, guess: DQuat) -> DQuat {
    climb(deformation, guess).unwrap_or_else(|| {
        let best = davenport(deformation);
        let gain = |turn: DQuat| inner(&DMat3::from_quat(turn), deformation);
        // Where several are as near, the last one stays.
        let start = if gain(best) > gain(guess) { best } else { guess };
        climb(deformation, start).unwrap_or(start)
    })
}

/// Newton's method, or nothing where it does not lead upwards.
fn climb(deformation: &DMat3, guess: DQuat) -> Option<DQuat> {
    let mut rotation = guess;
    for _ in 0..TURNS {
        let turn = newton_turn(&(DMat3::from_quat(rotation).transpose() * *deformation))?;
        // The quaternion of twice the arc tangent of half the turn, which is bounded whatever the turn.
        rotation = (rotation * DQuat::from_xyzw(0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 1.0)).normalize();
        if turn.length_squared() < SMALL {
            return Some(rotation);
        }
    }
    None
}

/// The turn to the top of the parabola that fits `tr(exp(turn)ᵀ stretch)`.
fn newton_turn(stretch: &DMat3) -> Option<DVec3> {
    let [x, y, z] = [stretch.x_axis, stretch.y_axis, stretch.z_axis];
    let slope = DVec3::new(y.z - z.y, z.x - x.z, x.y - y.x);
    let (xx, yy, zz) = (y.y + z.z, x.x + z.z, x.x + y.y);
    let (xy, xz, yz) = (-0.5 * (x.y + y.x), -0.5 * (x.z + z.x), -0.5 * (y.z + z.y));
    let cofactors = [yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy];
    let determinant = xx * cofactors[0] + xy * cofactors[1] + xz * cofactors[2];
    let size = xx + yy + zz;
    let is_hill = xx > 0.0 && xx * yy - xy * xy > 1e-10 * size * size && determinant > 1e-10 * size * size * size;
    let bend = DMat3::from_cols(
        DVec3::new(cofactors[0], cofactors[1], cofactors[2]),
        DVec3::new(cofactors[1], xx * zz - xz * xz, xy * xz - xx * yz),
        DVec3::new(cofactors[2], xy * xz - xx * yz, xx * yy - xy * xy),
    );
    is_hill.then(|| bend * slope / determinant)
}

/// Davenport's q-method by Jacobi's rotations.
fn davenport(deformation: &DMat3) -> DQuat {
    let [x, y, z] = [deformation.x_axis, deformation.y_axis, deformation.z_axis];
    let trace = x.x + y.y + z.z;
    let mut form = [
        [2.0 * x.x - trace, x.y + y.x, x.z + z.x, y.z - z.y],
        [x.y + y.x, 2.0 * y.y - trace, y.z + z.y, z.x - x.z],
        [x.z + z.x, y.z + z.y, 2.0 * z.z - trace, x.y - y.x],
        [y.z - z.y, z.x - x.z, x.y - y.x, trace],
    ];
    let vectors = eigenvectors(&mut form);
    let best = (0..4).rev().reduce(|best, at| if form[at][at] > form[best][best] { at } else { best }).unwrap_or(3);
    let quaternion = DQuat::from_array(vectors.map(|row| row[best]));
    if quaternion.is_finite() && quaternion.length_squared() > 0.5 { quaternion.normalize() } else { DQuat::IDENTITY }
}

/// Leaves the eigenvalues in the diagonal and gives the eigenvectors in columns.
fn eigenvectors(form: &mut [[f64; 4]; 4]) -> [[f64; 4]; 4] {
    let mut vectors = [0, 1, 2, 3].map(|row| [0, 1, 2, 3].map(|column| f64::from(row == column)));
    // Jacobi's method squares what is left in each sweep: seven do for 16 digits.
    for _ in 0..7 {
        for (p, q) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            if form[p][q] == 0.0 {
                continue;
            }
            let half = (form[q][q] - form[p][p]) / (2.0 * form[p][q]);
            let tangent = half.signum() / (half.abs() + (half * half + 1.0).sqrt());
            let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
            let sine = tangent * cosine;
            let turn = |a: f64, b: f64| (cosine * a - sine * b, sine * a + cosine * b);
            for row in form.iter_mut().chain(&mut vectors) {
                (row[p], row[q]) = turn(row[p], row[q]);
            }
            let turned: [(f64, f64); 4] = std::array::from_fn(|column| turn(form[p][column], form[q][column]));
            (form[p], form[q]) = (turned.map(|pair| pair.0), turned.map(|pair| pair.1));
        }
    }
    vectors
}

fn inner(a: &DMat3, b: &DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rotations() -> impl Strategy<Value = DQuat> {
        [-1.0..1.0f64, -1.0..1.0, -1.0..1.0, -1.0..1.0].prop_filter_map("a direction", |parts| {
            DQuat::from_array(parts).normalize().is_finite().then(|| DQuat::from_array(parts).normalize())
        })
    }

    fn off_by(found: DQuat, expected: DQuat) -> f64 {
        (DMat3::from_quat(found) - DMat3::from_quat(expected))
            .to_cols_array()
            .into_iter()
            .map(f64::abs)
            .fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn a_rotation_times_a_stretch_gives_the_rotation_back(rotation in rotations(), axes in rotations(), guess in rotations(), stretches in [0.2..3.0f64, 0.2..3.0, 0.2..3.0]) {
            let axes = DMat3::from_quat(axes);
            let stretch = axes * DMat3::from_diagonal(DVec3::from_array(stretches)) * axes.transpose();
            let found = nearest_rotation(&(DMat3::from_quat(rotation) * stretch), guess);
            prop_assert!(off_by(found, rotation) < 1e-12);
        }

        #[test]
        fn an_inverted_element_leaves_its_smallest_stretch_negative(rotation in rotations(), axes in rotations(), guess in rotations(), stretches in [0.2..3.0f64, 0.2..3.0]) {
            let axes = DMat3::from_quat(axes);
            let [a, b] = stretches;
            let stretch = axes * DMat3::from_diagonal(DVec3::new(a, b, -0.8 * f64::min(a, b))) * axes.transpose();
            let found = nearest_rotation(&(DMat3::from_quat(rotation) * stretch), guess);
            prop_assert!(off_by(found, rotation) < 1e-10);
        }
    }

    #[test]
    fn a_half_turn_is_found_from_no_turn() {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(0.6, 0.0, 0.8)] {
            let half = DQuat::from_axis_angle(axis, std::f64::consts::PI);
            assert!(off_by(nearest_rotation(&DMat3::from_quat(half), DQuat::IDENTITY), half) < 1e-12);
        }
    }

    #[test]
    fn nothing_left_of_an_element_keeps_its_last_rotation() {
        let last = DQuat::from_rotation_x(0.3);
        assert_eq!(nearest_rotation(&DMat3::ZERO, last), last);
        assert!(nearest_rotation(&DMat3::from_diagonal(DVec3::X), last).is_finite());
        assert!(nearest_rotation(&(DMat3::IDENTITY * -1.0), last).is_finite());
    }
}
