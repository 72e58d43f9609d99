//! The places in a membrane, moved apart as discs before any atom is looked at.
//!
//! How it works: first the proteins of a membrane are moved apart, then the lipids of each leaflet around them. A
//! molecule follows its disc: it is shifted along and turned as the normal turns, and keeps its spin and its height.

use glam::{DQuat, DVec3};
use steric_model::{Copies, Pose};

use super::{Built, Disc, Group, Membrane};
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
        let Built { structure, groups, membranes, .. } = &mut *built;
        let copies = &mut structure.assemblies[0].copies;
        most = most.max(spread_proteins(groups, copies, membrane, &membranes[membrane]));
        let members = Members { groups, copies, number: membrane, membrane: &membranes[membrane] };
        let leaflet = |leaflet| Layer::spread(members, Some(leaflet));
        let (outer, inner) = rayon::join(|| leaflet(Leaflet::Outer), || leaflet(Leaflet::Inner));
        most = most.max(outer.place(copies)).max(inner.place(copies));
    }
    most
}

/// Moves the proteins of a membrane apart; returns how many iterations it took.
pub(super) fn spread_proteins(groups: &[Group], copies: &mut [Copies], number: usize, membrane: &Membrane) -> usize {
    Layer::spread(Members { groups, copies, number, membrane }, None).place(copies)
}

/// The molecules of a scene, and one of its membranes.
#[derive(Clone, Copy)]
struct Members<'a> {
    groups: &'a [Group],
    copies: &'a [Copies],
    number: usize,
    membrane: &'a Membrane,
}

impl Members<'_> {
    /// The groups of the membrane that are in a leaflet, or in both.
    fn of(&self, leaflet: Option<Leaflet>) -> Vec<(usize, Disc)> {
        let is_member = |group: &Group| group.membrane == Some(self.number) && group.leaflet == leaflet;
        let of_layer = self.groups.iter().enumerate().filter(|(_, group)| is_member(group));
        of_layer.filter_map(|(at, group)| group.disc.map(|disc| (at, disc))).collect()
    }

    /// Where the discs of some groups stand.
    fn places(&self, groups: &[(usize, Disc)]) -> Vec<(DVec3, Disc)> {
        let of_group = |&(group, disc): &(usize, Disc)| {
            let poses = self.copies[group].poses.iter();
            poses.map(move |pose| (*pose * (disc.center * DVec3::Z), disc))
        };
        groups.iter().flat_map(of_group).collect()
    }

    /// The discs of the proteins at the height of a leaflet, with their diameters.
    fn protein_discs(&self, leaflet: Leaflet) -> Vec<(DVec3, f64)> {
        let height = self.membrane.leaflets[usize::from(leaflet == Leaflet::Inner)].height;
        let proteins = self.places(&self.of(None));
        proteins.iter().map(|&(place, disc)| (self.membrane.surface.project(place, height), disc.diameter)).collect()
    }
}

/// Where the molecules of a layer go.
struct Layer {
    iterations: usize,
    /// The new poses of groups.
    poses: Vec<(usize, Vec<Pose>)>,
}

impl Layer {
    /// Moves the lipids of a leaflet apart, around the proteins; or, without a leaflet, the proteins.
    fn spread(members: Members<'_>, leaflet: Option<Leaflet>) -> Self {
        let groups = members.of(leaflet);
        let before = members.places(&groups);
        let Some((_, first)) = groups.first() else {
            return Self { iterations: 0, poses: Vec::new() };
        };
        let fixed = leaflet.map_or_else(Vec::new, |leaflet| members.protein_discs(leaflet));
        let (height, membrane) = (first.height, members.membrane);
        let surface = &membrane.surface;
        let diameters: Vec<f64> = before.iter().map(|(_, disc)| disc.diameter).collect();
        let mut after: Vec<DVec3> = before.iter().map(|&(place, _)| place).collect();
        let iterations = spread(surface, height, &mut after, &diameters, membrane.periodic_patch(), &fixed, ITERATIONS);
        let mut moves = before.iter().zip(after);
        let of_group = |&(group, _): &(usize, Disc)| {
            let poses = members.copies[group].poses.iter().zip(&mut moves).map(|(&pose, (&(from, _), to))| {
                followed(pose, from, to, surface.height(from).1, surface.height(to).1)
            });
            (group, poses.collect())
        };
        Self { iterations, poses: groups.iter().map(of_group).collect() }
    }

    /// Puts the molecules there; returns how many iterations it took to find out where.
    fn place(self, copies: &mut [Copies]) -> usize {
        for (group, poses) in self.poses {
            copies[group].poses = poses;
        }
        self.iterations
    }
}

fn followed(pose: Pose, from: DVec3, to: DVec3, normal: DVec3, new_normal: DVec3) -> Pose {
    let turn = DQuat::from_rotation_arc(normal, new_normal);
    let rotation = (turn * pose.rotation).normalize();
    Pose { rotation, translation: to + turn * (pose.translation - from) }
}
