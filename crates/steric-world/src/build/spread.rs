//! The places in a membrane, moved apart as discs before any atom is looked at.
//!
//! How it works: first the proteins of a membrane are moved apart, then the lipids of each leaflet around them. A
//! molecule follows its disc: it is shifted along and turned as the normal turns, and keeps its spin and its height.

use glam::{DQuat, DVec3};
use steric_model::Pose;

use super::{Built, Disc};
use crate::relax::Leaflet;
use crate::shape::spread;

/// Iterations are cheap here, and more than this has not helped.
const ITERATIONS: usize = 60;

/// Moves lipids and membrane proteins apart as discs in their membrane; returns the most iterations that a leaflet took.
/// Membranes with `discs = false` stay as they are.
///
/// ```
/// use steric_world::build::{SceneFile, build, spread_discs};
///
/// let text = "[[membrane]]\ncount = 600\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
/// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
/// let mut built = build(&scene, "".as_ref(), &steric_model::formats::read)?;
/// let before = built.copies()[0].poses[0];
/// assert!(spread_discs(&mut built) > 0);
/// assert_ne!(built.copies()[0].poses[0], before);
/// # Ok::<(), steric_world::build::BuildError>(())
/// ```
pub fn spread_discs(built: &mut Built) -> usize {
    let mut most = 0;
    for membrane in (0..built.membranes.len()).filter(|&membrane| built.membranes[membrane].discs).collect::<Vec<_>>() {
        most = most.max(spread_layer(built, membrane, None, &[]));
        let proteins = places(built, &members(built, membrane, None));
        for (at, leaflet) in [Leaflet::Outer, Leaflet::Inner].into_iter().enumerate() {
            let height = built.membranes[membrane].leaflets[at].height;
            let surface = &built.membranes[membrane].surface;
            let fixed: Vec<(DVec3, f64)> =
                proteins.iter().map(|&(place, disc)| (surface.project(place, height), disc.diameter)).collect();
            most = most.max(spread_layer(built, membrane, Some(leaflet), &fixed));
        }
    }
    most
}

/// The groups of a membrane that are in a leaflet, or in both.
fn members(built: &Built, membrane: usize, leaflet: Option<Leaflet>) -> Vec<(usize, Disc)> {
    let is_member = |group: &super::Group| group.membrane == Some(membrane) && group.leaflet == leaflet;
    let of_layer = built.groups.iter().enumerate().filter(|(_, group)| is_member(group));
    of_layer.filter_map(|(at, group)| group.disc.map(|disc| (at, disc))).collect()
}

/// Where the discs of some groups stand.
fn places(built: &Built, groups: &[(usize, Disc)]) -> Vec<(DVec3, Disc)> {
    let of_group = |&(group, disc): &(usize, Disc)| {
        let poses = built.copies()[group].poses.iter();
        poses.map(move |pose| (*pose * (disc.center * DVec3::Z), disc))
    };
    groups.iter().flat_map(of_group).collect()
}

fn spread_layer(built: &mut Built, membrane: usize, leaflet: Option<Leaflet>, fixed: &[(DVec3, f64)]) -> usize {
    let groups = members(built, membrane, leaflet);
    let before = places(built, &groups);
    let Some((_, first)) = groups.first() else {
        return 0;
    };
    let (height, membrane) = (first.height, &built.membranes[membrane]);
    let (surface, patch) = (membrane.surface.clone(), membrane.periodic_patch());
    let diameters: Vec<f64> = before.iter().map(|(_, disc)| disc.diameter).collect();
    let mut after: Vec<DVec3> = before.iter().map(|&(place, _)| place).collect();
    let done = spread(&surface, height, &mut after, &diameters, patch, fixed, ITERATIONS);
    let mut moves = before.iter().zip(after);
    for &(group, _) in &groups {
        for pose in &mut built.structure.assemblies[0].copies[group].poses {
            let Some((&(from, _), to)) = moves.next() else { break };
            *pose = followed(*pose, from, to, surface.height(from).1, surface.height(to).1);
        }
    }
    done
}

fn followed(pose: Pose, from: DVec3, to: DVec3, normal: DVec3, new_normal: DVec3) -> Pose {
    let turn = DQuat::from_rotation_arc(normal, new_normal);
    let rotation = (turn * pose.rotation).normalize();
    Pose { rotation, translation: to + turn * (pose.translation - from) }
}
