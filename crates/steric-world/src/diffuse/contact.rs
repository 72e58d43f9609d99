//! When two moving spheres touch (section 3.3 of the founding report, equations 1 to 18).
//!
//! How it works: seen from the one, the other goes along a straight line; they touch where its distance is the sum of the radii. That is a quadratic equation,
//! solved in the form that loses no digits: the smaller root as a quotient, never as a difference of nearly equal numbers.

use glam::DVec3;

/// Both times at which two spheres touch, the first contact and the last, of a motion that begins at time 0 and takes one unit of time; `apart` is from the
/// centre of the one to that of the other, `motion` how that changes in the unit of time, and `reach` the sum of the radii. Nothing where they never touch, or always do.
///
/// ```
/// use glam::DVec3;
/// use steric_world::diffuse::touching_times;
///
/// // The example of the founding report: from (0, 0, 0) to (1, 1, 0), and from (1, 0, 0) to (0, 1, 0), radii of 0.2.
/// let (apart, motion) = (DVec3::X, DVec3::new(-1.0, 1.0, 0.0) - DVec3::new(1.0, 1.0, 0.0));
/// let [first, last] = touching_times(apart, motion, 0.4).ok_or("they meet")?;
/// assert!((first - 0.3).abs() < 1e-15 && (last - 0.7).abs() < 1e-15);
/// # Ok::<(), &str>(())
/// ```
pub fn touching_times(apart: DVec3, motion: DVec3, reach: f64) -> Option<[f64; 2]> {
    // Scaled, so that no square is too large or too small for its type.
    let (length, speed) = (apart.abs().max_element().max(reach), motion.abs().max_element());
    if !(speed > 0.0 && length > 0.0 && speed.is_finite() && length.is_finite()) {
        return None;
    }
    let (apart, motion, reach) = (apart / length, motion / speed, reach / length);
    let (a, b, c) = (motion.length_squared(), apart.dot(motion), apart.length_squared() - reach * reach);
    let discriminant = b * b - a * c;
    if discriminant.is_nan() || discriminant < 0.0 {
        return None;
    }
    let far = -b - discriminant.sqrt().copysign(b);
    let (one, other) = if far == 0.0 { (0.0, 0.0) } else { (far / a, c / far) };
    let unit = length / speed;
    Some([one.min(other) * unit, one.max(other) * unit])
}

/// When two spheres that approach each other touch, in units of the motion and from its beginning; zero where they overlap already and go deeper. Nothing
/// where they rest, go apart, or pass by.
///
/// ```
/// use glam::DVec3;
/// use steric_world::diffuse::first_touch;
///
/// assert_eq!(first_touch(DVec3::X * 10.0, DVec3::X * -4.0, 2.0), Some(2.0));
/// assert_eq!(first_touch(DVec3::X * 1.0, DVec3::X * -4.0, 2.0), Some(0.0));
/// assert_eq!(first_touch(DVec3::X * 1.0, DVec3::X * 4.0, 2.0), None);
/// ```
#[inline(always)]
pub fn first_touch(apart: DVec3, motion: DVec3, reach: f64) -> Option<f64> {
    touch_before(apart, motion, reach, f64::INFINITY)
}

/// [`first_touch`] where later than a time is of no interest; may tell of a later one all the same.
#[inline(always)]
pub(super) fn touch_before(apart: DVec3, motion: DVec3, reach: f64, until: f64) -> Option<f64> {
    let (b, c) = (apart.dot(motion), apart.length_squared() - reach * reach);
    // The root is at least c / -2b, whatever stands under the root sign: nearly all pairs end here, those that go apart as well.
    if c > 0.0 && c > -2.0 * b * until {
        return None;
    }
    if b.is_nan() || b >= 0.0 {
        return None;
    }
    if c <= 0.0 {
        return Some(0.0);
    }
    let discriminant = b * b - motion.length_squared() * c;
    if discriminant.is_nan() || discriminant < 0.0 {
        return None;
    }
    Some(c / (discriminant.sqrt() - b))
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proptest::prelude::*;

    use super::{first_touch, touching_times};

    fn vector(size: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn at_the_first_touch_spheres_are_as_far_apart_as_their_radii_say(
            apart in vector(20.0),
            motion in vector(30.0),
            reach in 0.1..4.0,
            size in -8i32..8,
            speed in -8i32..8,
        ) {
            let (size, speed) = (10f64.powi(size), 10f64.powi(speed));
            let (apart, motion, reach) = (apart * size, motion * speed, reach * size);
            match first_touch(apart, motion, reach) {
                Some(time) if time > 0.0 => {
                    prop_assert!(((apart + motion * time).length() / reach - 1.0).abs() < 1e-9);
                    // Before, they did not touch.
                    prop_assert!((apart + motion * (0.5 * time)).length() > reach);
                    let [first, _] = touching_times(apart, motion, reach).expect("they meet");
                    prop_assert!((first / time - 1.0).abs() < 1e-6);
                }
                Some(_) => prop_assert!(apart.length() <= reach && apart.dot(motion) < 0.0),
                None => {
                    let nearest = -apart.dot(motion) / motion.length_squared();
                    let is_past = nearest <= 0.0 || (apart + motion * nearest).length() > reach * (1.0 - 1e-9);
                    prop_assert!(is_past);
                }
            }
        }
    }

    #[test]
    fn no_speed_is_too_large_or_too_small() {
        for speed in [1e-300, 1e-150, 1e-20, 1.0, 1e20, 1e150, 1e300] {
            let [first, last] = touching_times(DVec3::X * 3.0, DVec3::X * -speed, 1.0).expect("they meet");
            assert!((first * speed - 2.0).abs() < 1e-12 && (last * speed - 4.0).abs() < 1e-12, "{speed}");
        }
        assert_eq!(touching_times(DVec3::X, DVec3::ZERO, 1.0), None);
        assert_eq!(first_touch(DVec3::X, DVec3::ZERO, 1.0), None);
        assert_eq!(first_touch(DVec3::X * 3.0, DVec3::Y * 1e300, 1.0), None);
        assert_eq!(first_touch(DVec3::NAN, DVec3::ONE, 1.0), None);
    }

    #[test]
    fn parallel_paths_never_touch_and_resting_spheres_stay() {
        let together = DVec3::new(3.0, 4.0, 5.0);
        assert_eq!(first_touch(DVec3::X * 2.5, together - together, 2.0), None);
        assert_eq!(first_touch(DVec3::X * 2.0, DVec3::Y, 2.0), None);
    }
}
