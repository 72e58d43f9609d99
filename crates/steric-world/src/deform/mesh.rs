//! What a mesh must be to become a body, and its surface.
//!
//! How it works: the four faces of a tetrahedron are listed outward. Sorted by their corners, a face that two share appears twice, once from either side; one that appears once is surface.

use std::collections::BTreeMap;

use glam::DVec3;

use super::error::DeformError;
use super::material::Material;

/// The faces opposite to each corner, seen from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// A volume below this part of the cube of the longest edge is flat: a regular tetrahedron has 0.118, and rounding leaves 1e-16.
const FLAT: f64 = 1e-12;

pub(super) fn check_points(points: &[DVec3], tetrahedra: &[[u32; 4]]) -> Result<(), DeformError> {
    if tetrahedra.is_empty() {
        return Err(DeformError::Empty);
    }
    if let Some(point) = points.iter().position(|at| !at.is_finite()) {
        return Err(DeformError::NotFinite { point, found: points[point] });
    }
    let mut is_used = vec![false; points.len()];
    for (element, &corners) in tetrahedra.iter().enumerate() {
        let repeats = (0..4).any(|at| corners[..at].contains(&corners[at]));
        if repeats || corners.iter().any(|&corner| corner as usize >= points.len()) {
            return Err(DeformError::Corners { element, corners, points: points.len() });
        }
        corners.iter().for_each(|&corner| is_used[corner as usize] = true);
        check_volume(element, corners.map(|corner| points[corner as usize]))?;
    }
    is_used.iter().position(|is_used| !is_used).map_or(Ok(()), |point| Err(DeformError::Loose { point }))
}

fn check_volume(element: usize, corners: [DVec3; 4]) -> Result<(), DeformError> {
    let volume = signed_volume(corners);
    let edges = (0..4).flat_map(|a| (0..a).map(move |b| corners[a].distance(corners[b])));
    let longest = edges.fold(0.0, f64::max);
    let is_flat = volume.abs() <= FLAT * longest.powi(3);
    if is_flat || volume == 0.0 || volume.is_nan() {
        return Err(DeformError::Flat { element, volume, longest });
    }
    if volume > 0.0 { Ok(()) } else { Err(DeformError::Inverted { element, volume }) }
}

pub(super) fn signed_volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a) / 6.0
}

pub(super) fn check_materials(elements: usize, regions: &[u32], materials: &[Material]) -> Result<(), DeformError> {
    if !regions.is_empty() && regions.len() != elements {
        return Err(DeformError::Regions { elements, found: regions.len() });
    }
    for element in 0..elements {
        let region = regions.get(element).copied().unwrap_or(0);
        let Some(material) = materials.get(region as usize) else {
            return Err(DeformError::NoMaterial { element, region, materials: materials.len() });
        };
        if let Some((expected, found)) = material.flaw() {
            return Err(DeformError::Material { element, region, expected, found });
        }
    }
    Ok(())
}

/// The triangles that belong to one tetrahedron only, seen from outside, in the order of the tetrahedra.
pub(super) fn surface_of(tetrahedra: &[[u32; 4]]) -> Result<Vec<[u32; 3]>, DeformError> {
    let mut faces: BTreeMap<[u32; 3], (usize, usize, bool)> = BTreeMap::new();
    for (element, corners) in tetrahedra.iter().enumerate() {
        for (number, face) in FACES.into_iter().enumerate() {
            let corners = face.map(|corner| corners[corner]);
            let (key, is_even) = sorted(corners);
            match faces.get_mut(&key) {
                None => drop(faces.insert(key, (element, number, is_even))),
                // Twice from either side: not surface, and a third one has no place.
                Some(known) if known.1 < 4 && known.2 != is_even => known.1 = 4,
                Some(known) => return Err(DeformError::Folded { element, other: known.0, face: key }),
            }
        }
    }
    let mut open: Vec<(usize, usize)> =
        faces.into_values().filter(|known| known.1 < 4).map(|known| (known.0, known.1)).collect();
    open.sort_unstable();
    Ok(open.into_iter().map(|(element, face)| FACES[face].map(|corner| tetrahedra[element][corner])).collect())
}

/// Three numbers in increasing order, and whether an even number of swaps brings them there.
fn sorted([a, b, c]: [u32; 3]) -> ([u32; 3], bool) {
    let swaps = u32::from(a > b) + u32::from(a > c) + u32::from(b > c);
    let mut key = [a, b, c];
    key.sort_unstable();
    (key, swaps % 2 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surface_of_two_tetrahedra_leaves_out_their_common_face() {
        let surface = surface_of(&[[0, 1, 2, 3], [1, 2, 3, 4]]).unwrap();
        assert_eq!(surface, [[0, 3, 2], [0, 1, 3], [0, 2, 1], [2, 3, 4], [1, 4, 3], [1, 2, 4]]);
    }

    #[test]
    fn the_surface_looks_outward() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        for [a, b, c] in surface_of(&[[0, 1, 2, 3]]).unwrap() {
            let [a, b, c] = [a, b, c].map(|corner| points[corner as usize]);
            assert!((b - a).cross(c - a).dot(a - DVec3::splat(0.25)) > 0.0);
        }
    }
}
