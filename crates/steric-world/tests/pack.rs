//! Packing by packmol's rules: every result is checked by comparing every pair, and every wall by differences.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::ops::ControlFlow;
use std::path::Path;

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use steric_model::formats::packmol::{FileType, PackmolInput, Shape, Template, read_packmol};
use steric_model::{Pose, Random};
use steric_world::pack::{
    Euler, Infeasible, PackError, PackOptions, Packing, RotationRange, Wall, pack, read_restart, write_restart,
};

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/packmol");
const WATER: &str = "3\nwater\nO 0.000 0.000 0.000\nH 0.757 0.000 0.586\nH -0.757 0.000 0.586\n";
const ROD: &str = "5\nrod\nC 0 0 0\nC 0 0 1.5\nC 0 0 3.0\nC 0 0 4.5\nO 0 0 6.0\n";

fn template(text: &str) -> Template {
    Template::read(text.as_bytes(), "a.xyz".as_ref(), FileType::Xyz).unwrap().value
}

fn input(lines: &str) -> PackmolInput {
    let text = format!("filetype xyz\noutput o.xyz\n{lines}\n");
    read_packmol(text.as_bytes(), "a.inp".as_ref()).unwrap().value
}

fn packed(input: &PackmolInput, templates: &[Template], seed: u64) -> Packing {
    let options = PackOptions { seed, ..PackOptions::default() };
    pack(input, templates, &options, |_| ControlFlow::Continue(())).unwrap()
}

/// Atoms with their structure, molecule and number.
fn atoms(packing: &Packing, templates: &[Template]) -> Vec<(usize, usize, usize, DVec3)> {
    let mut atoms = Vec::new();
    for (structure, poses) in packing.poses.iter().enumerate() {
        for (molecule, pose) in poses.iter().enumerate() {
            let places = templates[structure].atoms.iter().map(|atom| *pose * atom.position).enumerate();
            atoms.extend(places.map(|(number, place)| (structure, molecule, number, place)));
        }
    }
    atoms
}

/// The smallest distance between atoms of different molecules, in the box if there is one.
fn least_distance(input: &PackmolInput, atoms: &[(usize, usize, usize, DVec3)]) -> f64 {
    let edges = input.periodic.map(|(low, high)| high - low);
    let mut least = f64::INFINITY;
    for (at, a) in atoms.iter().enumerate() {
        for b in &atoms[at + 1..] {
            if (a.0, a.1) != (b.0, b.1) {
                let between = a.3 - b.3;
                let between = edges.map_or(between, |edges| between - edges * (between / edges).round());
                least = least.min(between.length());
            }
        }
    }
    least
}

/// How far the worst atom is on the wrong side of the constraints, from the shapes' own definitions.
fn worst(input: &PackmolInput, atoms: &[(usize, usize, usize, DVec3)]) -> f64 {
    let mut worst = 0f64;
    for &(structure, _, number, place) in atoms {
        for constraint in &input.structures[structure].constraints {
            let is_meant = constraint.atoms.as_ref().is_none_or(|atoms| atoms.contains(&(number as u32)));
            if is_meant {
                let outside = outside(constraint.shape, place);
                worst = worst.max(if constraint.inside { outside } else { -outside });
            }
        }
    }
    worst
}

/// Positive outside; a distance, or less than one.
fn outside(shape: Shape, place: DVec3) -> f64 {
    match shape {
        Shape::Box { low, high } => (low - place).max(place - high).max_element(),
        Shape::Sphere { center, radius } => place.distance(center) - radius,
        Shape::Ellipsoid { center, semi_axes } => {
            (((place - center) / semi_axes).length() - 1.0) * semi_axes.min_element()
        }
        Shape::Cylinder { start, end, radius } => {
            let axis = (end - start).normalize();
            let along = (place - start).dot(axis);
            let across = (place - start - along * axis).length();
            (across - radius).max(-along).max(along - start.distance(end))
        }
        Shape::Plane { normal, offset } => place.dot(normal) - offset,
        Shape::Gauss { middle, widths, height } => {
            let [x, y] = [(place.x - middle.x) / widths[0], (place.y - middle.y) / widths[1]];
            place.z - middle.z - height * (-0.5 * (x * x + y * y)).exp()
        }
    }
}

fn assert_packed(input: &PackmolInput, templates: &[Template], seed: u64, what: &str) -> Packing {
    let packing = packed(input, templates, seed);
    let atoms = atoms(&packing, templates);
    assert!(packing.report.is_solved(), "{what}: {:?}", packing.report);
    let least = least_distance(input, &atoms);
    assert!(least >= input.tolerance, "{what}: {least} is nearer than {}", input.tolerance);
    let worst = worst(input, &atoms);
    assert!(worst <= 0.01, "{what}: {worst} beyond a constraint");
    packing
}

#[test]
fn every_shape_holds_its_molecules_and_they_keep_apart() {
    let shapes = [
        "inside box 0 0 0 20 20 20",
        "inside sphere 5 5 5 13",
        "inside ellipsoid 0 0 0 1 1.5 2 9",
        "inside cylinder 0 0 -10 0 0.3 1 8 30",
        "inside cube 0 0 0 24\n outside sphere 12 12 12 8",
        "inside cube 0 0 0 24\n outside box 6 6 6 18 18 18",
        "inside cube 0 0 0 24\n outside ellipsoid 12 12 12 1 2 3 4",
        "inside cube 0 0 0 24\n outside cylinder 12 12 0 0 0 1 6 24",
        "inside cube 0 0 0 22\n over plane 1 1 1 25",
        "inside cube 0 0 0 22\n below plane 1 1 0 25",
        "inside cube 0 0 0 24\n above xygauss 12 12 4 5 2 12",
        "inside cube 0 0 0 24\n below xygauss 12 12 9 9 6 12",
    ];
    for shape in shapes {
        let lines = format!(
            "tolerance 2.0\nstructure w.xyz\n number 100\n {shape}\nend structure\nstructure r.xyz\n number 10\n {shape}\nend structure"
        );
        assert_packed(&input(&lines), &[template(WATER), template(ROD)], 7, shape);
    }
}

#[test]
fn a_group_of_atoms_stands_rods_upright() {
    let lines = "tolerance 2.0\nstructure r.xyz\n number 25\n inside box 0 0 0 16 16 9\n atoms 1\n below plane 0 0 1 2\n \
        end atoms\n atoms 5\n over plane 0 0 1 7\n end atoms\nend structure";
    let packing = assert_packed(&input(lines), &[template(ROD)], 3, "rods");
    assert!(packing.poses[0].iter().all(|pose| (pose.rotation * DVec3::Z).z > 0.8));
}

#[test]
fn a_periodic_box_is_kept_across_its_sides() {
    let lines = "tolerance 2.0\npbc -10 -10 -10 10 10 10\nstructure w.xyz\n number 200\nend structure";
    let packing = assert_packed(&input(lines), &[template(WATER)], 5, "periodic");
    let places = atoms(&packing, &[template(WATER)]);
    assert!(places.iter().all(|atom| atom.3.abs().max_element() <= 10.01), "atoms stay in the box");
}

#[test]
fn radii_decide_how_near_atoms_come() {
    let lines = "tolerance 2.0\nstructure w.xyz\n number 60\n radius 1.0\n inside sphere 0 0 0 12\n atoms 1\n radius 1.6\n end \
        atoms\nend structure";
    let (input, water) = (input(lines), template(WATER));
    let packing = assert_packed(&input, std::slice::from_ref(&water), 2, "radii");
    let atoms = atoms(&packing, &[water]);
    for (at, a) in atoms.iter().enumerate() {
        for b in atoms[at + 1..].iter().filter(|b| b.1 != a.1) {
            let limit = [a.2, b.2].map(|number| if number == 0 { 1.6 } else { 1.0 });
            assert!(a.3.distance(b.3) >= limit[0] + limit[1]);
        }
    }
}

#[test]
fn a_fixed_molecule_stays_where_it_is_put() {
    let lines = "tolerance 2.0\nstructure r.xyz\n center\n fixed 1 2 3 1.5707963267948966 0 0\nend structure\n\
        structure w.xyz\n number 100\n inside sphere 1 2 3 10.5\nend structure";
    let packing = assert_packed(&input(lines), &[template(ROD), template(WATER)], 1, "fixed");
    let rod = packing.poses[0][0];
    assert!((rod * DVec3::new(0.0, 0.0, 3.0)).distance(DVec3::new(1.0, 2.0, 3.0)) < 1e-9);
    assert!((rod.rotation * DVec3::Z).distance(-DVec3::Y) < 1e-9);
    assert_eq!(rod, packed(&input(lines), &[template(ROD), template(WATER)], 9).poses[0][0]);
}

#[test]
fn constrained_rotations_are_kept_exactly() {
    let lines = "tolerance 2.0\nstructure r.xyz\n number 40\n inside cube 0 0 0 20\n constrain_rotation x 90 10\n \
        constrain_rotation y 30 5\nend structure";
    let packing = assert_packed(&input(lines), &[template(ROD)], 4, "rotations");
    let range = RotationRange([
        Some((90f64.to_radians(), 10f64.to_radians())),
        Some((30f64.to_radians(), 5f64.to_radians())),
        None,
    ]);
    assert!(packing.poses[0].iter().all(|pose| range.breach(pose.rotation) < 1e-6));
}

#[test]
fn one_seed_packs_one_way_with_any_number_of_threads() {
    let lines = "tolerance 2.0\nstructure w.xyz\n number 700\n inside cube 0 0 0 28\nend structure";
    let (input, water) = (input(lines), template(WATER));
    let with = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let poses = pool.install(|| packed(&input, std::slice::from_ref(&water), seed)).poses;
        poses[0].iter().flat_map(Pose::to_bits).collect::<Vec<u64>>()
    };
    let alone = with(1, 11);
    assert_eq!(alone, with(3, 11));
    assert_eq!(alone, with(8, 11));
    assert_ne!(alone, with(1, 12));
}

#[test]
fn what_cannot_be_is_judged_and_the_best_is_kept() {
    let water = template(WATER);
    let crowded = input("tolerance 2.0\nstructure w.xyz\n number 200\n inside cube 0 0 0 8\nend structure");
    let options = PackOptions { max_iterations: 60, ..PackOptions::default() };
    let packing = pack(&crowded, std::slice::from_ref(&water), &options, |_| ControlFlow::Continue(())).unwrap();
    assert!(!packing.report.is_solved() && packing.poses[0].len() == 200);
    assert!(
        matches!(packing.report.infeasible, Some(Infeasible::NoRoom { certain: true, .. })),
        "{:?}",
        packing.report
    );
    let apart =
        input("tolerance 2.0\nstructure w.xyz\n number 2\n inside sphere 0 0 0 5\n over plane 0 0 1 30\nend structure");
    let packing = pack(&apart, std::slice::from_ref(&water), &options, |_| ControlFlow::Continue(())).unwrap();
    assert!(matches!(packing.report.infeasible, Some(Infeasible::NoPlace { line: 4, .. })), "{:?}", packing.report);
}

#[test]
fn a_watcher_can_end_a_packing() {
    let input = input("tolerance 2.0\nstructure w.xyz\n number 400\n inside cube 0 0 0 16\nend structure");
    let mut seen = 0;
    let watch = |_: &_| {
        seen += 1;
        if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let packing = pack(&input, &[template(WATER)], &PackOptions::default(), watch).unwrap();
    assert_eq!((packing.report.iterations, packing.poses[0].len()), (3, 400));
}

#[test]
fn groups_and_counts_that_cannot_be_are_refused() {
    let group =
        input("tolerance 2\nstructure w.xyz\n inside cube 0 0 0 9\n atoms 4\n radius 1\n end atoms\nend structure");
    let refused = |input: &PackmolInput| {
        pack(input, &[template(WATER)], &PackOptions::default(), |_| ControlFlow::Continue(())).unwrap_err()
    };
    assert!(matches!(refused(&group), PackError::NoSuchAtom { atom: 4, atoms: 3, .. }));
    let many = input("tolerance 2\nstructure w.xyz\n number 100000000\n inside cube 0 0 0 9\nend structure");
    assert!(matches!(refused(&many), PackError::TooManyAtoms { atoms: 300_000_000, .. }));
}

#[test]
fn a_restart_goes_on_from_where_it_was() {
    let input = input("tolerance 2.0\nstructure w.xyz\n number 50\n inside cube 0 0 0 13\nend structure");
    let water = template(WATER);
    let packing = assert_packed(&input, std::slice::from_ref(&water), 6, "first");
    let mut text = Vec::new();
    write_restart(&mut text, &water, &packing.poses[0]).unwrap();
    let poses = read_restart(&text, "a.restart".as_ref(), &water, 0, 50).unwrap();
    let options = PackOptions { starts: vec![Some(poses)], ..PackOptions::default() };
    let again = pack(&input, std::slice::from_ref(&water), &options, |_| ControlFlow::Continue(())).unwrap();
    assert!(again.report.is_solved() && again.report.iterations <= 2);
    for (before, after) in packing.poses[0].iter().zip(&again.poses[0]) {
        assert!(before.translation.distance(after.translation) < 1e-6);
    }
    assert!(read_restart(&text, "a.restart".as_ref(), &water, 1, 50).is_err());
}

#[test]
fn a_restart_of_packmol_means_the_same() {
    // Written by packmol 21.2.3 for the ethanol of the CCD, and where it put the first and the last atom.
    let restart = b"  7.6717160410025169E+00  1.7894427310875567E+01  5.6731899170770443E+00  9.8124876030981312E-01  \
        1.7799478645992524E+00  3.9376708651047976E-01\n";
    let ethanol = template(
        "9\nethanol\nC 0.325 -0.435 0\nC -0.967 0.384 0\nO 1.448 0.449 0\nH 0.357 -1.063 0.89\nH 0.357 -1.063 -0.89\n\
        H -0.999 1.012 0.89\nH -0.999 1.012 -0.89\nH -1.824 -0.29 0\nH 2.304 -0.003 0\n",
    );
    let poses = read_restart(restart, "packmol.restart".as_ref(), &ethanol, 0, 1).unwrap();
    let place = |atom: usize| poses[0] * ethanol.atoms[atom].position;
    assert!(place(0).distance(DVec3::new(7.247, 18.170, 5.870)) < 1e-3, "{}", place(0));
    assert!(place(8).distance(DVec3::new(5.675, 17.012, 6.409)) < 1e-3, "{}", place(8));
}

#[test]
fn the_small_inputs_of_the_shared_folder_are_solved() {
    for name in ["water1000", "mix_ethanol", "bilayer_palmitoyl", "bilayer64_loose", "bilayer64_tight"] {
        let path = Path::new(SHARED).join(format!("{name}.inp"));
        let Ok(text) = std::fs::read(&path) else {
            eprintln!("skipped: {} is not there", path.display());
            return;
        };
        let input = read_packmol(&text, &path).unwrap().value;
        let read = |file: &Path| {
            let file = Path::new(SHARED).join(file);
            Template::read(&std::fs::read(&file).unwrap(), &file, input.file_type).unwrap().value
        };
        let templates: Vec<Template> = input.structures.iter().map(|structure| read(&structure.file)).collect();
        let packing = packed(&input, &templates, 1_234_567);
        assert!(packing.report.is_solved(), "{name}: {:?}", packing.report);
        assert!(worst(&input, &atoms(&packing, &templates)) <= 0.01, "{name}");
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    let point = || prop::array::uniform3(-10.0..10.0f64).prop_map(DVec3::from);
    let length = || 1.0..10.0f64;
    prop_oneof![
        (point(), prop::array::uniform3(length()))
            .prop_map(|(low, edges)| Shape::Box { low, high: low + DVec3::from(edges) }),
        (point(), length()).prop_map(|(center, radius)| Shape::Sphere { center, radius }),
        (point(), prop::array::uniform3(length()))
            .prop_map(|(center, axes)| Shape::Ellipsoid { center, semi_axes: axes.into() }),
        (point(), point(), length()).prop_map(|(start, along, radius)| Shape::Cylinder {
            start,
            end: start + along.normalize_or(DVec3::X) * 7.0,
            radius
        }),
        (point(), -10.0..10.0f64)
            .prop_map(|(along, offset)| Shape::Plane { normal: along.normalize_or(DVec3::Z), offset }),
        (point(), length(), length(), -9.0..9.0f64).prop_map(|(middle, a, b, height)| Shape::Gauss {
            middle,
            widths: [a, b],
            height
        }),
    ]
}

proptest! {
    #[test]
    fn a_wall_grows_along_its_direction(shape in shape(), inside: bool, place in prop::array::uniform3(-20.0..20.0f64)) {
        let (place, wall) = (DVec3::from(place), Wall::new(shape, inside, vec![DVec3::ZERO]));
        let (beyond, direction) = wall.beyond(place);
        prop_assert!((direction.length() - 1.0).abs() < 1e-9);
        let step = 1e-5;
        let slope = |along: DVec3| (wall.beyond(place + step * along).0 - wall.beyond(place - step * along).0) / (2.0 * step);
        let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
        // At an edge between two nearest places there is no single direction.
        let is_smooth = (wall.beyond(place + 1e-4 * direction).1 - direction).length() < 1e-2
            && [DVec3::X, DVec3::Y, DVec3::Z].iter().all(|&axis| (wall.beyond(place + 1e-4 * axis).1 - direction).length() < 1e-2);
        if is_smooth {
            prop_assert!((gradient.normalize_or_zero() - direction).length() < 1e-2, "{gradient} {direction}");
        }
        let sign = if inside { 1.0 } else { -1.0 };
        let other = sign * outside(shape, place);
        prop_assert!(beyond.abs() < 1e-6 || other.abs() < 1e-6 || (beyond > 0.0) == (other > 0.0), "{beyond} {other}");
    }

    #[test]
    fn angles_lead_back_to_their_rotation(seed: u64) {
        let rotation = Random::new(seed).rotation();
        let again = Euler::of(rotation).rotation();
        prop_assert!(rotation.dot(again).abs() > 1.0 - 1e-9);
    }

    #[test]
    fn the_nearest_rotation_is_allowed(seed: u64, middles in prop::array::uniform3(-3.0..3.0f64), halves in prop::array::uniform3(0.0..1.0f64)) {
        let range = RotationRange(std::array::from_fn(|axis| (seed >> axis & 1 == 1).then_some((middles[axis], halves[axis]))));
        let nearest = range.nearest(Random::new(seed).rotation());
        prop_assert!(range.breach(nearest) < 1e-6, "{}", range.breach(nearest));
    }
}

#[test]
fn upright_and_upside_down_rotations_have_angles_too() {
    for rotation in [DQuat::IDENTITY, DQuat::from_rotation_x(std::f64::consts::PI), DQuat::from_rotation_z(1.0)] {
        assert!(rotation.dot(Euler::of(rotation).rotation()).abs() > 1.0 - 1e-9);
    }
}
