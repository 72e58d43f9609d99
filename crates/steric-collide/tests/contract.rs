//! The fast search gives what the reference gives: for every index kind, thread count, box, rotation and shift.

use glam::{DMat3, DQuat, DVec3, Vec3};
use proptest::prelude::*;
use steric_collide::{Forces, IndexKind, NearList, Overlap, OverlapSearch, reference};
use steric_model::{AtomId, MoleculeId, PeriodicBox, Pose, Scene};

/// Lengths in steps of 1/64 A: squared distances are exact, so the answers must be identical.
const STEP: f32 = 1.0 / 64.0;

#[derive(Clone, Debug)]
struct Sketch {
    /// Atoms of each type: place in steps, radius in steps.
    types: Vec<Vec<([i16; 3], u16)>>,
    /// Type, place in steps, quarter turns about z.
    molecules: Vec<(usize, [i32; 3], u8)>,
}

impl Sketch {
    fn scene(&self) -> Scene {
        self.scene_at(DVec3::ZERO)
    }

    fn scene_at(&self, shift: DVec3) -> Scene {
        let mut scene = Scene::default();
        let types: Vec<_> = self.types.iter().map(|atoms| add_type(&mut scene, atoms)).collect();
        for &(kind, place, turns) in &self.molecules {
            let translation = DVec3::from(place.map(f64::from)) * f64::from(STEP) + shift;
            // Quarter turns keep the lattice.
            let rotation = DQuat::from_rotation_z(f64::from(turns) * std::f64::consts::FRAC_PI_2);
            scene.add_molecule(types[kind % types.len()], Pose { rotation, translation });
        }
        scene
    }
}

fn add_type(scene: &mut Scene, atoms: &[([i16; 3], u16)]) -> steric_model::TypeId {
    let positions: Vec<Vec3> = atoms.iter().map(|(place, _)| Vec3::from(place.map(f32::from)) * STEP).collect();
    let radii: Vec<f32> = atoms.iter().map(|&(_, radius)| f32::from(radius) * STEP).collect();
    scene.add_type("type", &positions, &radii)
}

fn atoms(most: usize, radius: std::ops::Range<u16>) -> impl Strategy<Value = Vec<([i16; 3], u16)>> {
    prop::collection::vec((prop::array::uniform3(-400i16..400), radius), 1..most)
}

fn sketch(types: impl Strategy<Value = Vec<Vec<([i16; 3], u16)>>>, width: i32) -> impl Strategy<Value = Sketch> {
    let molecules = prop::collection::vec((0usize..8, prop::array::uniform3(-width..width), 0u8..4), 0..60);
    (types, molecules).prop_map(|(types, molecules)| Sketch { types, molecules })
}

/// Molecules of up to 20 atoms.
fn molecules() -> impl Strategy<Value = Sketch> {
    sketch(prop::collection::vec(atoms(20, 20..160), 1..4), 1500)
}

/// Single atoms of one radius or of several.
fn single_atoms() -> impl Strategy<Value = Sketch> {
    sketch(prop::collection::vec(atoms(2, 20..160), 1..4), 700)
}

/// Dust among giants: radii from 0.1 to 60 A.
fn giants() -> impl Strategy<Value = Sketch> {
    let dust = prop::collection::vec(atoms(4, 6..20), 1..3);
    let giants = prop::collection::vec(atoms(3, 600..3800), 1..3);
    sketch((dust, giants).prop_map(|(dust, giants)| [dust, giants].concat()), 6000)
}

fn assert_same(found: &[Overlap], expected: &[Overlap]) -> Result<(), TestCaseError> {
    let pairs = |overlaps: &[Overlap]| overlaps.iter().map(|o| (o.first, o.second)).collect::<Vec<_>>();
    prop_assert_eq!(pairs(found), pairs(expected));
    for (found, expected) in found.iter().zip(expected) {
        prop_assert!((found.depth - expected.depth).abs() < 1e-4, "{:?} is not {:?}", found, expected);
    }
    Ok(())
}

/// The same pairs, but for those within 1e-4 A of the threshold.
fn assert_same_but_for_rounding(found: &[Overlap], expected: &[Overlap], allow: f32) -> Result<(), TestCaseError> {
    let clear = |overlaps: &[Overlap]| {
        let clear = overlaps.iter().filter(|overlap| overlap.depth > allow + 1e-4);
        clear.map(|overlap| (overlap.first, overlap.second)).collect::<Vec<_>>()
    };
    let all = |overlaps: &[Overlap]| overlaps.iter().map(|o| (o.first, o.second)).collect::<Vec<_>>();
    for pair in clear(expected) {
        prop_assert!(all(found).binary_search(&pair).is_ok(), "{:?} was not found", pair);
    }
    for pair in clear(found) {
        prop_assert!(all(expected).binary_search(&pair).is_ok(), "{:?} is too many", pair);
    }
    Ok(())
}

fn assert_forces(scene: &Scene, found: &Forces, expected: &Forces) -> Result<(), TestCaseError> {
    for molecule in 0..scene.molecules().len() as u32 {
        for atom in 0..scene.type_of(MoleculeId(molecule)).atoms {
            let id = AtomId::new(molecule, atom);
            let difference = (found.of(scene, id) - expected.of(scene, id)).length();
            let allowed = 2e-3 + 1e-3 * expected.of(scene, id).length();
            prop_assert!(difference <= allowed, "{:?}: {} is not {}", id, found.of(scene, id), expected.of(scene, id));
        }
    }
    Ok(())
}

fn assert_everything(scene: &Scene, search: OverlapSearch) -> Result<(), TestCaseError> {
    let expected = reference::overlaps(scene, search);
    prop_assert_eq!(reference::count(scene, search), expected.len() as u64);
    for index in IndexKind::ALL {
        let search = OverlapSearch { index, ..search };
        assert_same(&search.overlaps(scene), &expected)?;
        prop_assert_eq!(search.count(scene), expected.len() as u64);
    }
    let mut per_molecule = vec![0; scene.molecules().len()];
    for overlap in &expected {
        let (first, second) = (overlap.first.molecule.0 as usize, overlap.second.molecule.0 as usize);
        per_molecule[first] += 1;
        per_molecule[second] += u32::from(first != second);
    }
    prop_assert_eq!(search.overlaps_per_molecule(scene), per_molecule);
    assert_forces(scene, &search.forces(scene), &reference::forces(scene, search))
}

fn periodic_box() -> impl Strategy<Value = PeriodicBox> {
    // Edges from 25 to 60 A; skews of at most half an edge.
    let edge = 25.0..60.0f64;
    (edge.clone(), edge.clone(), edge, -0.5..0.5f64, -0.5..0.5f64, -0.5..0.5f64, any::<bool>()).prop_map(
        |(a, b, c, bx, cx, cy, skewed)| {
            let skew = if skewed { 1.0 } else { 0.0 };
            let vectors = DMat3::from_cols(
                DVec3::X * a,
                DVec3::new(skew * bx * a, b, 0.0),
                DVec3::new(skew * cx * a, skew * cy * b, c),
            );
            PeriodicBox::new(vectors).expect("the box has a volume")
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn molecules_overlap_as_in_the_reference(sketch in molecules(), allow in -2.0f32..1.0, inside: bool) {
        // Thresholds stay on the lattice, too.
        let allow = (allow / STEP).round() * STEP;
        assert_everything(&sketch.scene(), OverlapSearch { allow, inside_molecules: inside, ..Default::default() })?;
    }

    #[test]
    fn single_atoms_overlap_as_in_the_reference(sketch in single_atoms(), allow in -2.0f32..1.0) {
        let allow = (allow / STEP).round() * STEP;
        assert_everything(&sketch.scene(), OverlapSearch { allow, ..Default::default() })?;
    }

    #[test]
    fn giants_among_dust_overlap_as_in_the_reference(sketch in giants(), inside: bool) {
        assert_everything(&sketch.scene(), OverlapSearch { inside_molecules: inside, ..Default::default() })?;
    }

    #[test]
    fn molecules_in_a_periodic_box_overlap_as_in_the_reference(
        sketch in molecules(),
        periodic_box in periodic_box(),
        index in prop::sample::select(&IndexKind::ALL[..]),
    ) {
        let mut scene = sketch.scene();
        scene.set_periodic_box(Some(periodic_box));
        let search = OverlapSearch { index, ..Default::default() };
        let expected = reference::overlaps(&scene, search);
        assert_same_but_for_rounding(&search.overlaps(&scene), &expected, 0.0)?;
    }

    #[test]
    fn giants_in_a_periodic_box_overlap_as_in_the_reference(
        dust in prop::collection::vec((prop::array::uniform3(-9000i32..9000), 0usize..3), 0..80),
        periodic_box in periodic_box(),
    ) {
        let types = vec![vec![([0; 3], 10)], vec![([0; 3], 30), ([40, 0, 0], 20)], vec![([0; 3], 380)]];
        let molecules = dust.into_iter().map(|(place, kind)| (kind, place, 0)).collect();
        let mut scene = Sketch { types, molecules }.scene();
        scene.set_periodic_box(Some(periodic_box));
        let search = OverlapSearch::default();
        assert_same_but_for_rounding(&search.overlaps(&scene), &reference::overlaps(&scene, search), 0.0)?;
    }

    #[test]
    fn a_turn_and_a_shift_change_nothing(
        sketch in molecules(),
        axis in prop::array::uniform3(-1.0f64..1.0),
        angle in 0.0f64..6.3,
        far in prop::array::uniform3(-1e6f64..1e6),
    ) {
        let search = OverlapSearch::default();
        let scene = sketch.scene();
        let expected = search.overlaps(&scene);
        let turn = DQuat::from_axis_angle(DVec3::from(axis).normalize_or(DVec3::X), angle);
        let mut moved = scene.clone();
        for molecule in moved.molecules_mut() {
            molecule.pose.rotation = turn * molecule.pose.rotation;
            molecule.pose.translation = turn * molecule.pose.translation + DVec3::from(far);
        }
        assert_same_but_for_rounding(&search.overlaps(&moved), &expected, 0.0)?;
    }

    #[test]
    fn far_from_the_origin_nothing_is_lost(sketch in molecules(), far in prop::array::uniform3(-100_000i32..100_000)) {
        // 10 um away, on the lattice: the very same pairs.
        let search = OverlapSearch::default();
        let expected = reference::overlaps(&sketch.scene(), search);
        assert_same(&search.overlaps(&sketch.scene_at(DVec3::from(far.map(f64::from)))), &expected)?;
    }

    #[test]
    fn a_near_list_answers_like_the_search_while_molecules_move(
        sketch in prop_oneof![molecules(), single_atoms(), giants()],
        moves in prop::collection::vec((prop::array::uniform3(-40i32..40), -0.05f64..0.05), 1..20),
        inside: bool,
    ) {
        let mut scene = sketch.scene();
        let search = OverlapSearch { inside_molecules: inside, ..Default::default() };
        let mut near = NearList::new(search, 2.0);
        for step in 0..4 {
            assert_same_but_for_rounding(&near.overlaps(&scene), &search.overlaps(&scene), 0.0)?;
            prop_assert!(near.count(&scene).abs_diff(search.count(&scene)) <= 2);
            let mut forces = Forces::default();
            near.forces_into(&scene, &mut forces);
            assert_forces(&scene, &forces, &search.forces(&scene))?;
            for (index, molecule) in scene.molecules_mut().iter_mut().enumerate() {
                let (way, turn) = moves[(index + step) % moves.len()];
                molecule.pose.translation += DVec3::from(way.map(f64::from)) * f64::from(STEP);
                molecule.pose.rotation = DQuat::from_rotation_x(turn) * molecule.pose.rotation;
            }
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits(sketch in prop_oneof![molecules(), giants()]) {
        let scene = sketch.scene();
        let answer = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
            pool.install(|| {
                let search = OverlapSearch::default();
                (search.overlaps_unsorted(&scene), search.forces(&scene).state_hash())
            })
        };
        let one = answer(1);
        prop_assert_eq!(&answer(3), &one);
        prop_assert_eq!(&answer(16), &one);
    }
}

#[test]
fn an_empty_scene_and_a_single_atom_have_no_overlaps() {
    let mut scene = Scene::default();
    assert_eq!(OverlapSearch::default().count(&scene), 0);
    let atom = scene.add_type("atom", &[Vec3::ZERO], &[1.0]);
    assert_eq!(OverlapSearch::default().count(&scene), 0);
    scene.add_molecule(atom, Pose::IDENTITY);
    assert_eq!(OverlapSearch::default().overlaps(&scene), []);
    assert_eq!(OverlapSearch::default().forces(&scene).total(), 0.0);
}

#[test]
fn coincident_atoms_are_found_and_pushed_apart() {
    let mut scene = Scene::default();
    let pair = scene.add_type("pair", &[Vec3::ZERO, Vec3::ZERO], &[1.0, 1.0]);
    for _ in 0..100 {
        scene.add_molecule(pair, Pose::IDENTITY);
    }
    for index in IndexKind::ALL {
        let search = OverlapSearch { index, ..Default::default() };
        assert_eq!(search.count(&scene), 100 * 99 / 2 * 4);
        assert!(search.forces(&scene).of(&scene, AtomId::new(0, 0)).length() > 1.0);
    }
}

#[test]
fn atoms_a_millimetre_apart_do_not_fill_the_memory() {
    let mut scene = Scene::default();
    let atom = scene.add_type("atom", &[Vec3::ZERO], &[1.5]);
    for place in [0.0, 2.0, 1e7, 1e7 + 2.5] {
        scene.add_molecule(atom, Pose::from_translation(DVec3::new(place, -place, place)));
        scene.add_molecule(atom, Pose::from_translation(DVec3::new(place + 1.0, -place, place)));
    }
    let pairs = |overlaps: Vec<Overlap>| overlaps.iter().map(|o| (o.first, o.second)).collect::<Vec<_>>();
    let expected = pairs(reference::overlaps(&scene, OverlapSearch::default()));
    assert_eq!(expected.len(), 4);
    for index in IndexKind::ALL {
        assert_eq!(pairs(OverlapSearch { index, ..Default::default() }.overlaps(&scene)), expected, "{index}");
    }
}

#[test]
fn one_giant_among_many_atoms_is_searched_in_its_own_grid() {
    // One grid with cells for the giant would look at 10^10 candidates; this test then takes minutes.
    let mut scene = Scene::default();
    let atom = scene.add_type("atom", &[Vec3::ZERO], &[1.0]);
    let giant = scene.add_type("giant", &[Vec3::ZERO], &[300.0]);
    for index in 0..200_000i32 {
        let place = DVec3::new(f64::from(index % 60), f64::from(index / 60 % 60), f64::from(index / 3600)) * 10.0;
        scene.add_molecule(atom, Pose::from_translation(place));
    }
    scene.add_molecule(giant, Pose::from_translation(DVec3::splat(300.0)));
    let expected = scene.molecules()[..200_000]
        .iter()
        .filter(|molecule| molecule.pose.translation.distance(DVec3::splat(300.0)) < 301.0)
        .count();
    assert_eq!(OverlapSearch::default().count(&scene), expected as u64);
}

#[test]
fn a_few_molecules_far_apart_are_compared_as_exactly_as_near_ones() {
    for axis in DVec3::AXES {
        for far in [0.0, 1e3, 1e5, 1e6] {
            let mut scene = Scene::default();
            let pair = scene.add_type("pair", &[Vec3::ZERO, Vec3::Y * 3.0], &[1.0, 1.0]);
            for place in [-1e5, far, far + 1.9973] {
                scene.add_molecule(pair, Pose::from_translation(axis * place));
            }
            let overlaps = OverlapSearch::default().overlaps(&scene);
            let expected = reference::overlaps(&scene, OverlapSearch::default());
            assert_eq!(overlaps.len(), expected.len(), "{axis} {far}");
            for (found, expected) in overlaps.iter().zip(&expected) {
                assert!((found.depth - expected.depth).abs() < 1e-4, "{axis} {far}: {found:?}");
            }
        }
    }
}
