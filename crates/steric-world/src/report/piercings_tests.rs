//! Piercings against every ring with every bond, measured by another formula.

use proptest::prelude::*;
use steric_model::{PeriodicBox, Pose, Random};

use super::*;

const BENZENE: TypeId = TypeId(0);
const BUTANE: TypeId = TypeId(1);
const RING: [u32; 6] = [0, 1, 2, 3, 4, 5];

fn hexagon() -> Vec<Vec3> {
    (0..6).map(|i| Vec3::new(0.0, 1.4, 0.0).rotate_z(std::f32::consts::FRAC_PI_3 * i as f32)).collect()
}

/// Benzene in the plane z = 0, butane along z with its middle bond about the origin.
fn types() -> Scene {
    let mut scene = Scene::default();
    scene.add_type("benzene", &hexagon(), &[1.0; 6]);
    let zigzag = [(-0.8, -1.9), (0.0, -0.65), (0.0, 0.65), (0.8, 1.9)].map(|(x, z)| Vec3::new(x, 0.0, z));
    scene.add_type("butane", &zigzag, &[1.0; 4]);
    scene
}

fn skeletons(scene: &Scene) -> Skeletons {
    Skeletons::from_bonds(scene, |kind| match kind {
        BENZENE => (0..6).map(|i| [i, (i + 1) % 6]).collect(),
        _ => vec![[0, 1], [1, 2], [2, 3]],
    })
}

/// All rings with all bonds: is the crossing point of bond and triangle inside both? (Möller and Trumbore 1997.)
fn piercings_brute_force(skeletons: &Skeletons, scene: &Scene) -> Vec<Piercing> {
    let mut found = Vec::new();
    let molecules = || (0..scene.molecules().len() as u32).map(MoleculeId);
    for ring_of in molecules() {
        for ring in &skeletons.skeleton(scene, ring_of).rings {
            for bond_of in molecules().filter(|&molecule| molecule != ring_of) {
                for &bond in &skeletons.skeleton(scene, bond_of).bonds {
                    let piercing = Piercing { ring: (ring_of, ring.clone()), bond: (bond_of, bond) };
                    let Placed { ring, center, bond } = skeletons.placed(scene, &piercing);
                    let triangles = (0..ring.len()).map(|i| [center, ring[i], ring[(i + 1) % ring.len()]]);
                    if triangles.filter(|&triangle| crosses(bond, triangle)).count() % 2 == 1 {
                        found.push(piercing);
                    }
                }
            }
        }
    }
    found.sort();
    found
}

fn crosses([from, to]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let along = to - from;
    let (e1, e2) = (b - a, c - a);
    let across = along.cross(e2);
    let determinant = e1.dot(across);
    let start = from - a;
    let u = start.dot(across) / determinant;
    let v = along.dot(start.cross(e1)) / determinant;
    let t = e2.dot(start.cross(e1)) / determinant;
    u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t)
}

fn crowd(random: &mut Random, molecules: u32, width: f64, periodic: Option<PeriodicBox>) -> Scene {
    let mut scene = types();
    for number in 0..molecules {
        let translation = width * DVec3::new(random.unit(), random.unit(), random.unit());
        let kind = if number % 2 == 0 { BENZENE } else { BUTANE };
        scene.add_molecule(kind, Pose { rotation: random.rotation(), translation });
    }
    scene.set_periodic_box(periodic);
    scene
}

#[test]
fn butane_through_the_middle_of_benzene_pierces_it_and_beside_it_does_not() {
    let mut scene = types();
    scene.add_molecule(BENZENE, Pose::IDENTITY);
    scene.add_molecule(BUTANE, Pose::IDENTITY);
    let skeletons = skeletons(&scene);
    let expected = Piercing { ring: (MoleculeId(0), RING.to_vec()), bond: (MoleculeId(1), [1, 2]) };
    assert_eq!(skeletons.piercings(&scene), [expected]);
    for (x, pierces) in [(1.20, true), (1.22, false), (-1.20, true), (-1.22, false), (5.0, false)] {
        scene.molecules_mut()[1].pose.translation.x = x;
        assert_eq!(skeletons.piercings(&scene).len(), usize::from(pierces), "{x}");
    }
    for (z, pierces) in [(0.64, true), (0.66, true), (1.89, true), (1.91, false)] {
        scene.molecules_mut()[1].pose.translation = DVec3::new(0.0, 0.0, z);
        assert_eq!(skeletons.piercings(&scene).len(), usize::from(pierces), "{z}");
    }
}

#[test]
fn a_bond_through_the_very_middle_of_a_ring_slips_through_no_gap() {
    for size in 3..=8 {
        let corner = |i: u32| DVec3::Y.rotate_z(std::f64::consts::TAU * f64::from(i) / f64::from(size));
        let ring: Vec<DVec3> = (0..size).map(corner).collect();
        // Through the middle as it was computed, through the origin, and along a spoke.
        for at in [middle(&ring), DVec3::ZERO, 0.5 * ring[0], 0.5 * ring[1]] {
            assert_eq!(crossings(&ring, middle(&ring), [at - DVec3::Z, at + DVec3::Z]).abs(), 1, "{size} {at}");
        }
        assert_eq!(crossings(&ring, middle(&ring), [DVec3::ZERO; 2]), 0);
    }
}

#[test]
fn a_bond_that_dips_through_a_bent_ring_and_comes_back_does_not_pierce_it() {
    // A boat, bow and stern up: high along y it is crossed twice, low once.
    let boat =
        [(0.0, 1.4, 0.8), (-1.2, 0.7, 0.0), (-1.2, -0.7, 0.0), (0.0, -1.4, 0.8), (1.2, -0.7, 0.0), (1.2, 0.7, 0.0)];
    let ring = boat.map(|(x, y, z)| DVec3::new(x, y, z));
    let center = middle(&ring);
    let through = |from: DVec3, to: DVec3| crossings(&ring, center, [from, to]);
    assert_eq!(through(DVec3::new(0.0, -1.1, 0.4), DVec3::new(0.0, 1.1, 0.4)), 0);
    assert_eq!(through(DVec3::new(0.0, -1.1, 0.4), DVec3::new(0.0, 0.0, 0.4)).abs(), 1);
}

#[test]
fn a_ring_is_pierced_across_the_wall_of_a_periodic_box() {
    let mut scene = types();
    scene.add_molecule(BENZENE, Pose::IDENTITY);
    scene.add_molecule(BUTANE, Pose::from_translation(DVec3::new(40.0, -30.0, 30.0)));
    let skeletons = skeletons(&scene);
    assert!(skeletons.piercings(&scene).is_empty());
    scene.set_periodic_box(PeriodicBox::orthogonal(DVec3::new(40.0, 30.0, 30.0)));
    let found = skeletons.piercings(&scene);
    assert_eq!(found.len(), 1);
    let out = skeletons.push_out(&scene, &found[0], 0.2).unwrap();
    assert!((out.length() - 1.4 * 0.75f64.sqrt() - 0.2).abs() < 1e-5, "the apothem and the clearance: {out}");
}

#[test]
fn a_scene_without_rings_keeps_nothing_and_finds_nothing() {
    let mut scene = types();
    for _ in 0..2 {
        scene.add_molecule(BUTANE, Pose::IDENTITY);
    }
    let skeletons = Skeletons::from_bonds(&scene, |_| vec![[0, 1], [1, 2]]);
    assert_eq!((skeletons.ring_count(), skeletons.sites.types().len()), (0, 0));
    assert!(skeletons.piercings(&scene).is_empty());
}

#[test]
fn bonds_that_make_no_sense_are_left_out() {
    let scene = types();
    let skeletons = Skeletons::from_bonds(&scene, |_| vec![[0, 0], [1, 0], [0, 1], [2, 99], [0, 1]]);
    assert_eq!(skeletons.ring_count(), 0);
    let mut torn = Scene::default();
    torn.add_type("torn", &[Vec3::ZERO, Vec3::X, Vec3::Y * 50.0], &[1.0; 3]);
    assert_eq!(Skeletons::from_bonds(&torn, |_| vec![[0, 1], [1, 2], [0, 2]]).ring_count(), 0);
}

#[test]
fn rings_come_from_a_file_without_their_hydrogens() {
    let mut text = "12\nbenzene\n".to_owned();
    for i in 0..6 {
        let (sin, cos) = (std::f64::consts::FRAC_PI_3 * f64::from(i)).sin_cos();
        text += &format!("C {} {} 0\nH {} {} 0\n", 1.4 * cos, 1.4 * sin, 2.5 * cos, 2.5 * sin);
    }
    let benzene = steric_model::formats::xyz::read_xyz(text.as_bytes(), "benzene.xyz".as_ref()).unwrap().value;
    let source = steric_model::Source {
        name: "benzene",
        structure: &benzene,
        radii: &[1.5; 12],
        takes_part: &|_| true,
        connected: &[0; 12],
    };
    let molecules = Molecules::new(&[source], &Default::default()).unwrap();
    let skeletons = Skeletons::new(&molecules, &[&benzene]);
    assert_eq!(skeletons.kinds[0].rings, [[0, 2, 4, 6, 8, 10]]);
    assert_eq!(skeletons.kinds[0].bonds.len(), 6);
}

#[test]
fn embedded_molecules_have_the_rings_of_the_textbook() {
    // Ubiquitin: two phenylalanines, a tyrosine, a histidine and three prolines.
    for (name, sizes) in [("cholesterol", &[5, 6, 6, 6][..]), ("ubiquitin", &[5, 5, 5, 5, 6, 6, 6]), ("POPC", &[])] {
        let structure = scenes::molecule(name).unwrap().structure();
        let radii = vec![1.0; structure.atoms.len()];
        let takes_part = |_: u32| true;
        let source = steric_model::Source {
            name,
            structure: &structure,
            radii: &radii,
            takes_part: &takes_part,
            connected: &[],
        };
        let molecules = Molecules::new(&[source], &Default::default()).unwrap();
        let skeletons = Skeletons::new(&molecules, &[&structure]);
        let rings: Option<Vec<usize>> =
            skeletons.kinds.first().map(|skeleton| skeleton.rings.iter().map(Vec::len).collect());
        assert_eq!(rings.unwrap_or_default(), sizes, "{name}");
    }
}

proptest! {
    #[test]
    fn the_search_finds_what_every_ring_with_every_bond_finds(seed: u64, molecules in 2u32..60, width in 4.0..25.0f64) {
        let mut random = Random::new(seed);
        let open = crowd(&mut random, molecules, width, None);
        let skeletons = skeletons(&open);
        prop_assert_eq!(skeletons.piercings(&open), piercings_brute_force(&skeletons, &open));
        let angles = DVec3::new(70.0, 80.0, 100.0);
        let skewed = PeriodicBox::from_edges_and_angles(DVec3::splat(width.max(14.0)), angles);
        let boxed = crowd(&mut random, molecules, width, skewed);
        prop_assert_eq!(skeletons.piercings(&boxed), piercings_brute_force(&skeletons, &boxed));
    }

    #[test]
    fn piercings_turn_and_move_with_the_whole_scene(seed: u64) {
        let mut random = Random::new(seed);
        let mut scene = crowd(&mut random, 30, 10.0, None);
        let skeletons = skeletons(&scene);
        let before = skeletons.piercings(&scene);
        let moved_from_world = Pose { rotation: random.rotation(), translation: 1e4 * random.direction() };
        for molecule in scene.molecules_mut() {
            molecule.pose = moved_from_world * molecule.pose;
        }
        prop_assert_eq!(skeletons.piercings(&scene), before);
    }

    #[test]
    fn the_way_out_leads_out_and_is_never_longer_than_to_the_farthest_edge(seed: u64) {
        let mut random = Random::new(seed);
        let mut scene = crowd(&mut random, 40, 9.0, None);
        let skeletons = skeletons(&scene);
        for piercing in skeletons.piercings(&scene) {
            let out = skeletons.push_out(&scene, &piercing, 0.05).unwrap();
            prop_assert!(out.length() <= 1.4 * 0.75f64.sqrt() + 0.05 + 1e-6, "{}", out);
            let bond_of = piercing.bond.0.0 as usize;
            let pose = scene.molecules()[bond_of].pose;
            scene.molecules_mut()[bond_of].pose.translation += out;
            prop_assert!(!skeletons.placed(&scene, &piercing).is_pierced());
            prop_assert_eq!(skeletons.push_out(&scene, &piercing, 0.05), None);
            scene.molecules_mut()[bond_of].pose = pose;
        }
    }
}
