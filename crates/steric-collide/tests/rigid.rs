//! The contract of rigid pairs: the touches among them are the overlaps of the plain search, for any list that covers the
//! scene.

use std::collections::BTreeSet;

use glam::{DQuat, DVec3, Vec3};
use proptest::prelude::*;
use steric_collide::{OverlapSearch, RigidPairs, RigidTouch, RigidVisitor, Which, reference};
use steric_model::{Cluster, Molecule, PeriodicBox, Pose, Random, Scene};

/// Molecules of a few atoms at random; some as large as the box allows.
fn scene(molecules: usize, atoms: usize, edge: f64, periodic: bool, mixed: bool, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let mut scene = Scene::default();
    for kind in 0..3 {
        let size = 1.0 + 2.0 * f64::from(kind);
        let positions: Vec<Vec3> = (0..atoms).map(|_| (random.direction() * size).as_vec3()).collect();
        let radii: Vec<f32> = positions.iter().map(|_| if mixed { 0.8 + random.unit() as f32 } else { 1.2 }).collect();
        scene.add_type("type", &positions, &radii);
    }
    for _ in 0..molecules {
        let kind = steric_model::TypeId((random.next_u64() % 3) as u32);
        let translation = DVec3::new(random.unit(), random.unit(), random.unit()) * edge;
        scene.add_molecule(kind, Pose { rotation: random.rotation(), translation });
    }
    if periodic {
        scene.set_periodic_box(PeriodicBox::orthogonal(DVec3::splat(edge)));
    }
    scene
}

/// Which atoms of which molecules touch.
#[derive(Default)]
struct Touches(Vec<[(u32, [u32; 3]); 2]>);

impl RigidVisitor for Touches {
    #[inline(always)]
    fn touch(&mut self, touch: &RigidTouch<'_>) {
        for (lane, other) in touch.lanes() {
            // Arms stay the same while nothing turns, so their bits name the atom.
            let atom = |side: usize, lane: usize| touch.arm(side, lane).to_array().map(f32::to_bits);
            self.0.push([(touch.molecules[0], atom(0, lane)), (touch.molecules[1], atom(1, other))]);
        }
    }
}

fn visited(pairs: &RigidPairs, scene: &Scene, awake: impl Fn(u32) -> bool + Sync) -> usize {
    let pieces = pairs.visit(scene, awake, Touches::default);
    let all: Vec<_> = pieces.into_iter().flat_map(|piece| piece.0).collect();
    let distinct: BTreeSet<_> = all.iter().copied().collect();
    assert_eq!(distinct.len(), all.len(), "each touch is seen once");
    all.len()
}

/// The overlaps with at least one molecule of some.
fn expected(scene: &Scene, search: OverlapSearch, of: impl Fn(u32) -> bool) -> usize {
    let overlaps = reference::overlaps(scene, search);
    overlaps.iter().filter(|overlap| of(overlap.first.molecule.0) || of(overlap.second.molecule.0)).count()
}

/// The molecules of a scene as one of several sees them who share it: those that it owns first, then all others, in any order.
struct Part {
    scene: Scene,
    owned: usize,
    // Which molecule of the whole scene each one is.
    order: Vec<u32>,
    pairs: RigidPairs,
}

impl Part {
    fn new(whole: &Scene, search: OverlapSearch, skin: f32, owns: impl Fn(u32) -> bool, random: &mut Random) -> Self {
        let mut order: Vec<u32> = (0..whole.molecules().len() as u32).collect();
        order.sort_by_cached_key(|&molecule| (!owns(molecule), random.next_u64()));
        let owned = order.iter().filter(|&&molecule| owns(molecule)).count();
        let mut scene = whole.with_molecules(order.iter().map(|&at| whole.molecules()[at as usize]).collect());
        scene.set_periodic_box(whole.periodic_box());
        let mut pairs = RigidPairs::new(&scene, search).with_ghosts(owned, order.clone());
        pairs.list(&scene, skin);
        Self { scene, owned, order, pairs }
    }

    /// Everyone moves as in the whole scene, and the list follows.
    fn follow(&mut self, whole: &[Molecule]) {
        for (molecule, &at) in self.scene.molecules_mut().iter_mut().zip(&self.order) {
            *molecule = whole[at as usize];
        }
        self.pairs.turn(&self.scene, |_| true);
        let stale: Vec<u32> =
            (0..self.order.len() as u32).filter(|&molecule| !self.pairs.covers(&self.scene, molecule)).collect();
        self.pairs.patch(&self.scene, &stale);
    }

    /// The touches of some pairs, in the numbers of the whole scene.
    fn touches(&self, which: Which) -> Vec<[(u32, [u32; 3]); 2]> {
        let pieces = self.pairs.visit_some(&self.scene, which, |_| true, Touches::default, &|| ());
        let touches = pieces.into_iter().flat_map(|piece| piece.0);
        let ghosts = |touch: &[(u32, _); 2]| touch.iter().filter(|end| end.0 as usize >= self.owned).count();
        let all: Vec<_> =
            touches.inspect(|touch| assert_eq!(ghosts(touch), usize::from(which == Which::Outer))).collect();
        all.into_iter().map(|touch| touch.map(|(at, atom)| (self.order[at as usize], atom))).collect()
    }
}

/// Pairs so close to the threshold that rounding decides.
fn has_close_call(scene: &Scene, search: OverlapSearch) -> bool {
    let count = |allow: f32| reference::overlaps(scene, OverlapSearch { allow, ..search }).len();
    count(search.allow - 2e-4) != count(search.allow + 2e-4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn touches_among_rigid_pairs_are_the_overlaps(
        molecules in 2usize..60, atoms in 1usize..20, edge in 20.0..60.0f64, periodic: bool, mixed: bool, seed: u64,
        skin in 0.0..3.0f32, allow in -0.5..0.5f32,
    ) {
        let mut scene = scene(molecules, atoms, edge, periodic, mixed, seed);
        let search = OverlapSearch { allow, ..OverlapSearch::default() };
        let mut pairs = RigidPairs::new(&scene, search);
        pairs.list(&scene, skin);
        prop_assume!(!has_close_call(&scene, search));
        prop_assert_eq!(visited(&pairs, &scene, |_| true), expected(&scene, search, |_| true));
        // Within half the skin the list still holds every pair.
        let mut random = Random::new(seed ^ 1);
        for molecule in scene.molecules_mut() {
            molecule.pose.translation += random.direction() * (0.1 * f64::from(skin));
            molecule.pose.rotation = DQuat::from_scaled_axis(random.direction() * (0.02 * f64::from(skin))) * molecule.pose.rotation;
        }
        prop_assert!((0..molecules as u32).all(|molecule| pairs.covers(&scene, molecule)));
        pairs.turn(&scene, |_| true);
        prop_assume!(!has_close_call(&scene, search));
        prop_assert_eq!(visited(&pairs, &scene, |_| true), expected(&scene, search, |_| true));
    }

    #[test]
    fn those_who_share_a_scene_see_its_touches_in_the_same_order_whoever_owns_what(
        molecules in 2usize..60, edge in 20.0..60.0f64, periodic: bool, mixed: bool, seed: u64, skin in 0.0..2.0f32,
        shares in 1u64..5,
    ) {
        let mut whole = scene(molecules, 12, edge, periodic, mixed, seed);
        let search = OverlapSearch { allow: -0.1, ..OverlapSearch::default() };
        let mut random = Random::new(seed ^ 3);
        let owner: Vec<u64> = (0..molecules).map(|_| random.next_u64() % shares).collect();
        let mut parts: Vec<Part> = (0..shares)
            .map(|share| Part::new(&whole, search, skin, |molecule| owner[molecule as usize] == share, &mut random))
            .collect();
        for _ in 0..3 {
            let mut pairs = RigidPairs::new(&whole, search);
            pairs.list(&whole, 0.0);
            let mut all: Vec<_> = pairs.visit(&whole, |_| true, Touches::default).into_iter().flat_map(|piece| piece.0).collect();
            let inner: Vec<_> = parts.iter().flat_map(|part| part.touches(Which::Inner)).collect();
            let mut outer: Vec<_> = parts.iter().flat_map(|part| part.touches(Which::Outer)).collect();
            outer.sort_unstable();
            prop_assert!(outer.chunks(2).all(|two| two[0] == two[1]), "both owners see it in the same order");
            let mut seen: Vec<_> = outer.into_iter().step_by(2).chain(inner).collect();
            all.sort_unstable();
            seen.sort_unstable();
            prop_assert_eq!(seen, all);
            for molecule in whole.molecules_mut() {
                let far = if random.unit() < 0.2 { 3.0 } else { 0.2 * f64::from(skin) };
                molecule.pose.translation += random.direction() * far;
            }
            parts.iter_mut().for_each(|part| part.follow(whole.molecules()));
        }
    }

    #[test]
    fn a_patched_list_holds_the_touches_of_molecules_that_moved_far(
        molecules in 2usize..80, edge in 20.0..80.0f64, periodic: bool, seed: u64, few in 1u32..6, skin in 0.1..2.0f32,
    ) {
        let mut scene = scene(molecules, 12, edge, periodic, false, seed);
        let search = OverlapSearch::default();
        let mut pairs = RigidPairs::new(&scene, search);
        pairs.list(&scene, skin);
        let mut random = Random::new(seed ^ 2);
        for _ in 0..3 {
            // Some go far, the others use up their half of the skin, this way and that.
            let way = random.direction() * (0.49 * f64::from(skin));
            for (id, molecule) in (0u32..).zip(scene.molecules_mut()) {
                if id.is_multiple_of(few) && random.unit() < 0.5 {
                    molecule.pose.translation += random.direction() * 3.0;
                    molecule.pose.rotation = random.rotation();
                }
            }
            pairs.turn(&scene, |_| true);
            let stale: Vec<u32> = (0..molecules as u32).filter(|&molecule| !pairs.covers(&scene, molecule)).collect();
            pairs.patch(&scene, &stale);
            let home: Vec<DVec3> = scene.molecules().iter().map(|molecule| molecule.pose.translation).collect();
            for step in [way, -way] {
                for (molecule, home) in scene.molecules_mut().iter_mut().zip(&home) {
                    molecule.pose.translation = *home + step;
                }
                let covered = (0..molecules as u32).all(|molecule| pairs.covers(&scene, molecule));
                if covered && !has_close_call(&scene, search) {
                    prop_assert_eq!(visited(&pairs, &scene, |_| true), expected(&scene, search, |_| true));
                }
            }
            for (molecule, home) in scene.molecules_mut().iter_mut().zip(&home) {
                molecule.pose.translation = *home;
            }
        }
        // Pairs of two that sleep are not looked at.
        let is_one = |molecule: u32| molecule.is_multiple_of(few);
        prop_assume!(!has_close_call(&scene, search));
        prop_assert_eq!(visited(&pairs, &scene, is_one), expected(&scene, search, is_one));
        prop_assert_eq!(visited(&pairs, &scene, |_| false), 0);
    }
}

#[test]
fn unused_lanes_never_touch() {
    let mut scene = Scene::default();
    let single = scene.add_type("single", &[Vec3::ZERO], &[1.0]);
    scene.add_molecule(single, Pose::IDENTITY);
    scene.add_molecule(single, Pose::from_translation(DVec3::X));
    assert_eq!(scene.clusters()[0].atoms[1], Cluster::NO_ATOM);
    let mut pairs = RigidPairs::new(&scene, OverlapSearch::default());
    pairs.list(&scene, 1.0);
    assert_eq!(visited(&pairs, &scene, |_| true), 1);
}
