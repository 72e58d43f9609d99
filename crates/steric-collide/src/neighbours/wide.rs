//! Spheres of very different sizes: a cell as wide as the largest would crowd thousands of the small ones.
//!
//! How it works: the search between molecules knows levels of cells for spheres of different sizes. So every sphere becomes a
//! molecule of one atom, a little larger than it is, and each pair that is found is measured again by its own radii. Radii are
//! rounded up to steps of an eighth of a percent, so that there are few types however many radii there are.

use glam::{DVec3, Vec3};
use rustc_hash::FxHashMap;
use steric_model::{Pose, Scene};

use super::found::{Pairs, pack_image, vector};
use super::{FoundNeighbours, NeighbourError, NeighbourSearch, PairList, Points};
use crate::detect::OverlapSearch;

/// Whether the largest radius is so far above the mean that cells of one width would be slow.
pub(super) fn is_wide(radii: &[f32]) -> bool {
    let sum: f64 = radii.iter().map(|&radius| f64::from(radius)).sum();
    let most = radii.iter().fold(0.0f32, |most, &radius| most.max(radius));
    radii.len() > 512 && f64::from(most) * radii.len() as f64 > 4.0 * sum
}

pub(super) fn find<'a>(
    search: &NeighbourSearch<'a>,
    points: Points<'a>,
    radii: &[f32],
) -> Result<FoundNeighbours<'a>, NeighbourError> {
    super::frame::check(&[points])?;
    let mut scene = Scene::default();
    let mut types = FxHashMap::default();
    for (index, &radius) in radii.iter().enumerate() {
        let rounded = f32::from_bits((radius.max(1e-3).to_bits() | 0x3fff) + 1);
        let kind =
            *types.entry(rounded.to_bits()).or_insert_with(|| scene.add_type("sphere", &[Vec3::ZERO], &[rounded]));
        scene.add_molecule(kind, Pose::from_translation(points.at(index)));
    }
    // Single precision may miss what only just touches, so it looks a little farther.
    let allow = (search.rule.allow - 1e-3) as f32;
    let near = OverlapSearch { allow, ..OverlapSearch::default() }.overlaps_unsorted(&scene);
    let mut pairs = Vec::new();
    for pair in near {
        let (a, b) = (pair.first.molecule.0, pair.second.molecule.0);
        let apart = search.rule.molecules.is_none_or(|molecules| molecules[a as usize] != molecules[b as usize]);
        let reach = f64::from(radii[a as usize]) + f64::from(radii[b as usize]) - search.rule.allow;
        let between: DVec3 = vector(points.at(a as usize), points.at(b as usize), None, [0; 3]);
        if apart && reach > 0.0 && between.length_squared() < reach * reach {
            let (a, b) = (a as i32, b as i32);
            pairs.push([a.min(b), a.max(b)]);
            if search.list == PairList::Full {
                pairs.push([a.max(b), a.min(b)]);
            }
        }
    }
    if pairs.len() > search.most_pairs {
        return Err(NeighbourError::TooManyPairs { most: search.most_pairs });
    }
    pairs.sort_unstable();
    let repeats = search.keep_images && search.repeat.is_some();
    let images = if repeats { vec![pack_image([0; 3]); pairs.len()] } else { Vec::new() };
    Ok(FoundNeighbours::new(points, points, None, Pairs::new(pairs, images), false))
}
