//! Places spread over a surface.
//!
//! How it works: *inversion* draws every place on its own, uniform in area (Algorithm 4.2 of the founding thesis).
//! *Clustered* is Algorithm 4.1, which crowds the poles, kept to be compared with. *Fibonacci* fills the surface evenly: on a sphere the golden spiral, on
//! a plane the lattice of the patch whose nearest neighbours are farthest apart, so that it also continues across a
//! periodic boundary, on a mesh one place in each of as many parts of equal area. What a seed decides there is how the pattern is turned or shifted.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};
use steric_model::Random;

use super::Surface;

/// How places are drawn from a surface.
///
/// ```
/// use steric_world::shape::Sampling;
///
/// assert_eq!(serde_json::from_str::<Sampling>("\"fibonacci\"")?, Sampling::Fibonacci);
/// assert_eq!(Sampling::default(), Sampling::Inversion);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// At random, uniform in area (Algorithm 4.2).
    #[default]
    Inversion,
    /// At random, uniform in both angles: crowded at the poles (Algorithm 4.1). Spheres only.
    Clustered,
    /// Evenly: a golden spiral or a lattice.
    Fibonacci,
}

/// Why a surface has no such places.
///
/// ```
/// use glam::DVec3;
/// use steric_model::Random;
/// use steric_world::shape::{PlacesError, Sampling, Surface};
///
/// let bilayer = Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z };
/// let refused = bilayer.places(64, 18.0, Sampling::Inversion, None, &mut Random::new(7));
/// assert_eq!(refused, Err(PlacesError::NoPatch));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacesError {
    /// Only a sphere has poles.
    #[error("expected inversion or fibonacci as the sampling of this surface, found clustered, which needs a sphere")]
    ClusteredNeedsSphere,
    /// A plane has no end.
    #[error("expected the two edges of a patch, because a plane has no end, found none")]
    NoPatch,
    /// The patch has no area.
    #[error("expected a patch with two positive edges in angstroms, found {} by {}", .0[0], .0[1])]
    EmptyPatch([f64; 2]),
    /// The parallel surface has shrunk to nothing.
    #[error("expected a height at which the surface has an area, found {0} angstroms, where nothing of it is left")]
    NoSurface(f64),
}

impl Surface {
    /// Places at a height above the surface, in angstroms, with their outward normals. On a plane they fill a patch that
    /// begins at the plane's origin and whose edges, in angstroms, lie along [`Surface::axes`]; others need none.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::Random;
    /// use steric_world::shape::{Sampling, Surface};
    ///
    /// let vesicle = Surface::Sphere { center: DVec3::ZERO, radius: 200.0 };
    /// let places = vesicle.places(1000, 18.0, Sampling::Fibonacci, None, &mut Random::new(7))?;
    /// assert!(places.iter().all(|(place, normal)| (*place - 218.0 * *normal).length() < 1e-9));
    /// # Ok::<(), steric_world::shape::PlacesError>(())
    /// ```
    pub fn places(
        &self,
        count: usize,
        height: f64,
        sampling: Sampling,
        patch: Option<[f64; 2]>,
        random: &mut Random,
    ) -> Result<Vec<(DVec3, DVec3)>, PlacesError> {
        match *self {
            Self::Mesh(ref mesh) => {
                if sampling == Sampling::Clustered {
                    return Err(PlacesError::ClusteredNeedsSphere);
                }
                let places = mesh.places(count, height, sampling == Sampling::Fibonacci, random);
                let places = places.ok_or(PlacesError::NoSurface(height))?.into_iter();
                Ok(places.map(|place| (place, mesh.height(place).1)).collect())
            }
            Self::Sphere { center, radius } => {
                // Written so that NaN is refused too.
                let radius = Some(radius + height).filter(|&radius| radius > 0.0);
                let radius = radius.ok_or(PlacesError::NoSurface(height))?;
                let places = directions(count, sampling, random).into_iter();
                Ok(places.map(|outward| (center + radius * outward, outward)).collect())
            }
            Self::Plane { origin, normal } => {
                let [a, b] = Self::axes(normal);
                let corner = origin + height * normal;
                let places = in_patch(count, sampling, patch, random)?.into_iter();
                Ok(places.map(|place| (corner + place.x * a + place.y * b, normal)).collect())
            }
        }
    }
}

fn directions(count: usize, sampling: Sampling, random: &mut Random) -> Vec<DVec3> {
    match sampling {
        Sampling::Inversion => (0..count).map(|_| random.direction()).collect(),
        Sampling::Clustered => (0..count).map(|_| clustered(random)).collect(),
        Sampling::Fibonacci => {
            let world_from_spiral = random.rotation();
            (0..count).map(|at| world_from_spiral * spiral(at, count)).collect()
        }
    }
}

// Algorithm 4.1.
fn clustered(random: &mut Random) -> DVec3 {
    let (theta, phi) = (TAU * random.unit(), PI * random.unit());
    DVec3::new(phi.sin() * theta.cos(), phi.sin() * theta.sin(), phi.cos())
}

// Equal steps in height cut a sphere into bands of equal area; the golden angle never repeats a direction.
fn spiral(at: usize, count: usize) -> DVec3 {
    let golden_angle = PI * (3.0 - 5f64.sqrt());
    let z = 1.0 - (2 * at + 1) as f64 / count as f64;
    let across = (1.0 - z * z).max(0.0).sqrt();
    let turn = golden_angle * at as f64;
    DVec3::new(across * turn.cos(), across * turn.sin(), z)
}

fn in_patch(
    count: usize,
    sampling: Sampling,
    patch: Option<[f64; 2]>,
    random: &mut Random,
) -> Result<Vec<DVec2>, PlacesError> {
    let patch = patch.ok_or(PlacesError::NoPatch)?;
    let edges = DVec2::from_array(patch);
    if !(edges.is_finite() && edges.min_element() > 0.0) {
        return Err(PlacesError::EmptyPatch(patch));
    }
    let mut anywhere = || DVec2::new(random.unit(), random.unit());
    match sampling {
        Sampling::Inversion => Ok((0..count).map(|_| edges * anywhere()).collect()),
        Sampling::Clustered => Err(PlacesError::ClusteredNeedsSphere),
        Sampling::Fibonacci => {
            let shift = anywhere();
            Ok(lattice(count, edges).map(|place| edges * (place + shift).fract()).collect())
        }
    }
}

/// The periodic lattice of `count` places, in fractions of the patch, whose shortest vector is longest.
fn lattice(count: usize, edges: DVec2) -> impl Iterator<Item = DVec2> {
    // Every slope from 1 to count gives a lattice. A hundred times fewer than these hold a good one.
    const MOST_SLOPES: usize = 1 << 16;
    let slopes = 1..count.clamp(2, MOST_SLOPES);
    let room = |slope| shortest_vector(count, slope, edges);
    let best = slopes.max_by(|&a, &b| room(a).total_cmp(&room(b))).unwrap_or(1);
    let part = move |steps: usize| (steps % count.max(1)) as f64 / count as f64;
    (0..count).map(move |at| DVec2::new(part(at), part(at.wrapping_mul(best))))
}

// Gauss's reduction of the lattice's two vectors; the square of the shorter one.
fn shortest_vector(count: usize, slope: usize, edges: DVec2) -> f64 {
    let mut long = DVec2::new(0.0, edges.y);
    let mut short = edges * DVec2::new(1.0, slope as f64) / count as f64;
    // Each round at least halves the longer vector's square, but for the last.
    for _ in 0..128 {
        if short.length_squared() > long.length_squared() {
            std::mem::swap(&mut short, &mut long);
        }
        let steps = (long.dot(short) / short.length_squared()).round();
        if steps.abs() < 0.5 || !steps.is_finite() {
            break;
        }
        long -= steps * short;
    }
    short.length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sphere() -> Surface {
        Surface::Sphere { center: DVec3::new(1.0, 2.0, 3.0), radius: 90.0 }
    }

    // Chi-square of counts that should be equal; its mean is the number of bins minus one.
    fn chi_square(bins: &[usize]) -> f64 {
        let expected = bins.iter().sum::<usize>() as f64 / bins.len() as f64;
        bins.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum()
    }

    fn bands(sampling: Sampling) -> Vec<usize> {
        let places = sphere().places(20_000, 10.0, sampling, None, &mut Random::new(3)).unwrap();
        let mut bins = vec![0; 50];
        for (_, normal) in places {
            // Archimedes: bands of equal height have equal area.
            bins[((normal.z + 1.0) * 25.0).min(49.0) as usize] += 1;
        }
        bins
    }

    #[test]
    fn inversion_fills_bands_of_equal_area_alike_and_clustering_does_not() {
        // With 49 degrees of freedom 95 is exceeded once in ten thousand seeds.
        assert!(chi_square(&bands(Sampling::Inversion)) < 95.0);
        assert!(chi_square(&bands(Sampling::Fibonacci)) < 10.0);
        let clustered = bands(Sampling::Clustered);
        assert!(chi_square(&clustered) > 2_000.0);
        assert!(clustered[0] > 3 * clustered[25] && clustered[49] > 3 * clustered[25]);
    }

    #[test]
    fn inversion_fills_all_longitudes_and_all_parts_of_a_patch_alike() {
        let mut bins = [0; 36];
        for (_, normal) in sphere().places(20_000, 0.0, Sampling::Inversion, None, &mut Random::new(5)).unwrap() {
            bins[((normal.y.atan2(normal.x) / TAU + 0.5) * 36.0).min(35.0) as usize] += 1;
        }
        assert!(chi_square(&bins) < 75.0);
        let plane = Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z };
        let mut bins = [0; 36];
        for (place, _) in
            plane.places(20_000, 0.0, Sampling::Inversion, Some([60.0, 12.0]), &mut Random::new(5)).unwrap()
        {
            bins[(place.x / 10.0) as usize * 6 + (place.y / 2.0) as usize] += 1;
        }
        assert!(chi_square(&bins) < 75.0);
    }

    #[test]
    fn no_two_places_of_a_spiral_are_close() {
        let places = sphere().places(1_000, 10.0, Sampling::Fibonacci, None, &mut Random::new(1)).unwrap();
        let per_place = sphere().area_at(10.0) / 1_000.0;
        for (at, (place, _)) in places.iter().enumerate() {
            for (other, _) in &places[..at] {
                assert!(place.distance(*other) > 0.8 * per_place.sqrt());
            }
        }
    }

    #[test]
    fn a_surface_says_why_it_has_no_places() {
        let plane = Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z };
        let ask = |surface: &Surface, height, sampling, patch| {
            surface.places(9, height, sampling, patch, &mut Random::new(1)).unwrap_err()
        };
        assert_eq!(ask(&sphere(), -90.0, Sampling::Inversion, None), PlacesError::NoSurface(-90.0));
        assert!(matches!(ask(&sphere(), f64::NAN, Sampling::Inversion, None), PlacesError::NoSurface(_)));
        assert_eq!(ask(&plane, 0.0, Sampling::Clustered, Some([9.0, 9.0])), PlacesError::ClusteredNeedsSphere);
        assert_eq!(ask(&plane, 0.0, Sampling::Fibonacci, Some([9.0, 0.0])), PlacesError::EmptyPatch([9.0, 0.0]));
    }

    proptest! {
        // The densest lattice has a shortest vector of sqrt(1.1547 area); a periodic one comes near it in any patch.
        #[test]
        fn a_lattice_keeps_its_places_apart_across_the_boundary(count in 1_usize..300, ratio in 0.3..3.0_f64) {
            let edges = DVec2::new(ratio * 50.0, 50.0);
            let places: Vec<DVec2> = lattice(count, edges).collect();
            prop_assert_eq!(places.len(), count);
            let area = edges.x * edges.y / count as f64;
            for (at, place) in places.iter().enumerate() {
                for other in &places[..at] {
                    let apart = place - other;
                    prop_assert!((edges * (apart - apart.round())).length() > 0.55 * area.sqrt());
                }
            }
        }
    }
}
