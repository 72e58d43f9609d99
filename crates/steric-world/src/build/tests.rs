//! Laws of built scenes.

use std::path::Path;

use glam::DVec3;
use proptest::prelude::*;
use steric_model::formats;

use super::*;

pub(super) fn built(text: &str) -> Built {
    let scene = SceneFile::read(text, "test.toml".as_ref()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    build(&scene, Path::new(""), &formats::read).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refusal(text: &str) -> String {
    let scene = SceneFile::read(text, "test.toml".as_ref());
    scene.and_then(|scene| build(&scene, Path::new(""), &formats::read)).expect_err(text).to_string()
}

const POPC: &str = "[[membrane.lipid]]\nmolecule = \"POPC\"\n";

/// Every molecule's group and pose.
fn poses(built: &Built) -> Vec<(&Group, steric_model::Pose)> {
    let groups = built.groups.iter().zip(built.copies());
    groups.flat_map(|(group, copies)| copies.poses.iter().map(move |pose| (group, *pose))).collect()
}

fn lipid_hold(group: &Group) -> (f64, DVec3) {
    match &group.holds[0] {
        Hold::Surface { height, head, .. } => (*height, *head),
        _ => panic!("a lipid is held to its surface"),
    }
}

#[test]
fn every_lipid_stands_upright_at_its_height_before_and_after_discs() {
    for shape in
        ["radius = 80", "shape = \"plane\"\nsize = [120, 90]", "shape = \"plane\"\nperiodic = false\ncount = 50"]
    {
        let mut built = built(&format!("[[membrane]]\n{shape}\n{POPC}"));
        for _ in 0..2 {
            for (group, pose) in poses(&built) {
                let leaflet = group.leaflet.unwrap();
                let membrane = &built.membranes[group.membrane.unwrap()];
                let (wanted, head) = lipid_hold(group);
                let (height, normal) = membrane.surface.height(pose * head);
                // A head that is not above the lipid's middle is a little higher on a sphere.
                assert!((height - wanted).abs() < 0.5, "{height} {wanted}");
                let up = pose.rotation * DVec3::Z;
                let here = membrane.surface.height(pose.translation + 10.0 * leaflet.sign() * normal).1;
                assert!(up.dot(leaflet.sign() * here) > 0.99, "{up} {here}");
                assert!((pose.rotation.length() - 1.0).abs() < 1e-12);
            }
            spread_discs(&mut built);
        }
    }
}

#[test]
fn a_vesicle_of_2000_popc_has_the_radius_of_its_equation_and_the_areas_it_was_asked_for() {
    let built = built(&format!("[[membrane]]\ncount = 2000\narea-per-lipid = 68\n{POPC}"));
    assert_eq!(built.molecules(), 2000);
    let crate::shape::Surface::Sphere { radius, .. } = *built.membranes[0].surface else { panic!("a sphere") };
    assert!((72.0..75.0).contains(&radius), "{radius}");
    for leaflet in &built.membranes[0].leaflets {
        assert!((leaflet.area / leaflet.lipids as f64 - 68.0).abs() < 0.1, "{leaflet:?}");
    }
    let [outer, inner] = &built.membranes[0].leaflets;
    assert!(outer.lipids > inner.lipids && (10.0..12.0).contains(&outer.height));
}

#[test]
fn mixtures_have_the_right_numbers_in_each_leaflet() {
    let mixture = "[[membrane.lipid]]\nmolecule = \"POPC\"\nfraction = 3\n[[membrane.lipid]]\nmolecule = \"cholesterol\"\n\
        fraction = 1\n[[membrane.lipid]]\nmolecule = \"DPPC\"\nleaflet = \"outer\"\ncount = 17\n";
    let built = built(&format!("[[membrane]]\nshape = \"plane\"\ncount = 417\n{mixture}"));
    assert_eq!(built.molecules(), 417);
    let [outer, inner] = &built.membranes[0].leaflets;
    let count =
        |leaflet: &LeafletSummary, name| leaflet.mixture.iter().find(|part| part.0 == name).map_or(0, |part| part.1);
    assert_eq!((count(outer, "DPPC"), count(inner, "DPPC")), (17, 0));
    for leaflet in [outer, inner] {
        let (popc, cholesterol) = (count(leaflet, "POPC"), count(leaflet, "cholesterol"));
        assert!(popc.abs_diff(3 * cholesterol) <= 3, "{leaflet:?}");
    }
    // Both leaflets fill the same patch, so the outer one has fewer of the others.
    assert!(outer.lipids - 17 < inner.lipids);
}

#[test]
fn the_same_seed_builds_the_same_scene_and_another_seed_another() {
    let text = |seed| format!("seed = {seed}\n[[membrane]]\ncount = 600\n{POPC}");
    let spread = |seed| {
        let mut built = built(&text(seed));
        spread_discs(&mut built);
        built.structure
    };
    assert_eq!(spread(7), spread(7));
    assert_ne!(spread(7), spread(8));
}

#[test]
fn discs_take_lipids_apart_and_out_of_proteins() {
    let protein = "[[membrane.protein]]\nmolecule = \"gramicidin\"\ncount = 10\n";
    let mut built = built(&format!("[[membrane]]\ncount = 600\n{POPC}{protein}"));
    let nearest = |built: &Built| {
        let place = |(group, pose): (&Group, steric_model::Pose)| {
            let disc = group.disc.unwrap();
            (pose * (disc.center * DVec3::Z), disc.diameter, group.leaflet)
        };
        let discs: Vec<_> = poses(built).into_iter().map(place).collect();
        let outer: Vec<_> = discs.iter().filter(|disc| disc.2 == Some(Leaflet::Outer)).collect();
        let pairs = (0..outer.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.map(|(a, b)| outer[a].0.distance(outer[b].0) / outer[a].1).fold(f64::MAX, f64::min)
    };
    let before = nearest(&built);
    assert!(spread_discs(&mut built) > 0);
    assert!(before < 0.2 && nearest(&built) > 0.8, "{before} {}", nearest(&built));
}

#[test]
fn amounts_of_solutes_are_what_the_units_say() {
    let solute = |amount| {
        let region = "[[region]]\nname = \"cell\"\nshape = \"sphere\"\nradius = 200\n";
        built(&format!("[[solute]]\nmolecule = \"ubiquitin\"\nregion = \"cell\"\n{amount}\n{region}"))
    };
    let litres = 4.0 / 3.0 * std::f64::consts::PI * 200f64.powi(3) * 1e-27;
    assert_eq!(solute("concentration-mM = 10").molecules(), (10e-3 * litres * 6.022_140_76e23).round() as u64);
    // Ubiquitin has 8.6 kDa.
    let fraction = solute("volume-fraction = 0.3").molecules() as f64;
    assert!((fraction * 8_565.0 * 1.21 / (litres * 1e27) - 0.3).abs() < 0.006, "{fraction}");
    let density = solute("density-g-cm3 = 0.1").molecules() as f64;
    assert!((density * 8_565.0 / 6.022e23 / (litres * 1e3) - 0.1).abs() < 0.002, "{density}");
    let built = solute("count = 50");
    assert!(poses(&built).iter().all(|(_, pose)| pose.translation.length() <= 200.0));
    assert!(matches!(&built.groups[0].holds[..], [Hold::Region { points, .. }] if points.is_empty()));
}

#[test]
fn rules_for_atoms_become_points_in_the_molecules_own_frame() {
    let text = "periodic-box = [50, 50, 50]\n[[solute]]\nmolecule = \"water\"\ncount = 3\n[[solute.keep]]\n\
        atoms = [1]\nside = \"outside\"\nregion = \"slab\"\n[[region]]\nname = \"slab\"\nshape = \"half-space\"\n\
        normal = [0, 0, 2]\noffset = 10\n";
    let built = built(text);
    let Hold::Region { points, region, .. } = &built.groups[0].holds[0] else { panic!("a region") };
    let oxygen = built.structure.atoms.positions[0].as_dvec3();
    assert!(points.len() == 1 && points[0].distance(oxygen) < 1e-6, "{points:?} {oxygen}");
    assert!((region.distance(DVec3::new(3.0, 4.0, 12.0)).0 - 2.0).abs() < 1e-12);
    assert!(refusal(&text.replace("[1]", "[9]")).contains("numbers from 1 to 3"));
}

#[test]
fn impossible_scenes_are_refused_with_their_line() {
    let lipid = |keys: &str| format!("[[membrane]]\n{keys}\n{POPC}");
    for (text, line, words) in [
        (lipid("radius = 20"), 2, "a radius above"),
        (lipid("area-per-lipid = 68"), 1, "radius, or count"),
        (lipid("count = 10\n[[membrane.lipid]]\nmolecule = \"DPPC\"\ncount = 20"), 2, "40, the sum"),
        (
            lipid("count = 10\n[[membrane.lipid]]\nmolecule = \"DPPC\"\nconformers = [1, 9]"),
            3,
            "conformers from 1 to 5",
        ),
        (lipid("count = 10\n[[membrane.lipid]]\nmolecule = \"DPPC\"\nhead = [\"P9\"]"), 3, "(did you mean P?)"),
        (lipid("count = 9000000000"), 1, "at most 50000000 molecules"),
    ] {
        let refusal = refusal(&text);
        assert!(refusal.starts_with(&format!("test.toml:{line}:")) && refusal.contains(words), "{refusal}\n{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn counts_are_kept_whatever_the_shape(count in 2..400_u64, sphere: bool, seed in 0..1000_u64) {
        let shape = if sphere { "radius = 90" } else { "shape = \"plane\"\nsize = [70, 110]" };
        let built = built(&format!("seed = {seed}\n[[membrane]]\ncount = {count}\n{shape}\n{POPC}"));
        prop_assert_eq!(built.molecules(), count);
        prop_assert_eq!(built.groups.len(), built.copies().len());
        prop_assert!(built.copies().iter().all(|copies| copies.poses.iter().all(|pose| pose.translation.is_finite())));
    }
}

#[test]
fn every_ready_scene_can_be_built_but_for_the_virus_whose_model_is_not_here() {
    for name in scenes::ready_names() {
        let text = scenes::ready(name).unwrap();
        let scene = SceneFile::read(text, name.as_ref()).unwrap_or_else(|error| panic!("{error}"));
        match (scene.model.is_some(), build(&scene, Path::new("no-such-folder"), &formats::read)) {
            (true, Err(BuildError::Read(_))) => {}
            (false, Ok(built)) => assert!(built.molecules() > 100 && !built.notes.is_empty()),
            (_, other) => panic!("{name}: {other:?}"),
        }
    }
}

/// The embedded lipid as somebody else's file: thrown into space, each conformer in its own way.
fn thrown(name: &str, seed: u64) -> steric_model::Structure {
    let mut structure = scenes::molecule(name).unwrap().structure();
    for atom in 0..structure.atoms.len() {
        let chain = structure.residues[structure.atoms.residues[atom] as usize].chain;
        let mut random = steric_model::Random::of(seed, u64::from(chain));
        let pose = steric_model::Pose { rotation: random.rotation(), translation: 50.0 * random.direction() };
        let position = &mut structure.atoms.positions[atom];
        *position = (pose * position.as_dvec3()).as_vec3();
    }
    structure
}

fn built_from(text: &str, structure: &steric_model::Structure) -> Result<Built, BuildError> {
    let scene = SceneFile::read(text, "test.toml".as_ref())?;
    let warnings = || formats::read_bytes(b"1\n\nAr 0 0 0\n", "a.xyz".as_ref(), None).unwrap().warnings;
    build(&scene, Path::new(""), &|_| Ok(steric_model::Parsed { value: structure.clone(), warnings: warnings() }))
}

#[test]
fn a_lipid_from_a_file_is_turned_upright_by_its_own_head_and_tails() {
    for (name, seed) in [("POPC", 1), ("DPPC", 2), ("DOPC", 3), ("cholesterol", 4)] {
        let head = scenes::molecule(name).unwrap().head[0];
        let text = "[[membrane]]\ncount = 600\n[[membrane.lipid]]\nfile = \"lipid.pdb\"\narea = 60\n";
        let built = built_from(text, &thrown(name, seed)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let structure = &built.structure;
        for (group, copies) in built.groups.iter().zip(built.copies()) {
            let of_chain = |atom: &usize| {
                copies.chains.contains(&structure.residues[structure.atoms.residues[*atom] as usize].chain)
            };
            let atoms: Vec<usize> = (0..structure.atoms.len()).filter(of_chain).collect();
            let center =
                atoms.iter().map(|&atom| structure.atoms.positions[atom]).sum::<glam::Vec3>() / atoms.len() as f32;
            assert!(center.truncate().length() < 1e-3 && center.z > 2.0, "{name} {center}");
            let at = atoms.iter().find(|&&atom| structure.atoms.names[atom].as_str() == head).unwrap();
            let (height, head) = lipid_hold(group);
            assert!((head.as_vec3() - structure.atoms.positions[*at]).length() < 1e-3, "{name}");
            assert!(height.abs() > 10.0, "{name} {height}");
        }
    }
}

#[test]
fn a_membrane_patch_is_not_taken_for_a_lipid() {
    let mut patch = thrown("POPC", 5);
    for residue in &mut patch.residues {
        residue.chain = 0;
    }
    let text = "[[membrane]]\ncount = 600\n[[membrane.lipid]]\nfile = \"patch.pdb\"\narea = 60\n";
    let refusal = built_from(text, &patch).expect_err("five lipids in a chain").to_string();
    assert!(refusal.starts_with("test.toml:3:") && refusal.contains("a membrane patch is not a lipid"), "{refusal}");
}

#[test]
fn a_model_keeps_every_atom_where_it_was() {
    let model = thrown("POPC", 6);
    let built = built_from("hydrogens = true\n[model]\nfile = \"model.pdb\"\nleeway = 4\n", &model).unwrap();
    assert_eq!(built.molecules(), 5);
    assert!(built.groups.iter().all(|group| matches!(group.holds[..], [Hold::Start { .. }])));
    let expanded = built.structure.expand(&built.structure.assemblies[0], 10_000).unwrap();
    assert_eq!(expanded.atoms.len(), model.atoms.len());
    let farthest = expanded.atoms.positions.iter().zip(&model.atoms.positions).map(|(a, b)| a.distance(*b));
    assert!(farthest.fold(0.0, f32::max) < 1e-3);
}

/// A ball as a mesh file: an octahedron whose triangles are cut into four so many times.
pub(super) fn write_ball(path: &Path, radius: f64, cuts: usize) {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let mut triangles: Vec<[DVec3; 3]> = Vec::new();
    for octant in 0..8 {
        let sign = |axis: usize| if octant >> axis & 1 == 0 { 1.0 } else { -1.0 };
        let [a, b, c] = [0, 1, 2].map(|axis| sign(axis) * axes[axis]);
        triangles.push(if sign(0) * sign(1) * sign(2) > 0.0 { [a, b, c] } else { [a, c, b] });
    }
    for _ in 0..cuts {
        let cut = |[a, b, c]: [DVec3; 3]| {
            let [ab, bc, ca] = [a + b, b + c, c + a].map(|middle| middle.normalize_or(DVec3::Z));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        triangles = triangles.into_iter().flat_map(cut).collect();
    }
    let mut text = String::new();
    for corner in triangles.iter().flatten() {
        let DVec3 { x, y, z } = radius * *corner;
        text.push_str(&format!("v {x} {y} {z}\n"));
    }
    for first in (1..=3 * triangles.len()).step_by(3) {
        text.push_str(&format!("f {first} {} {}\n", first + 1, first + 2));
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_ball_as_a_mesh_takes_as_many_lipids_and_solutes_as_the_sphere() {
    let folder = tempfile::tempdir().unwrap();
    write_ball(&folder.path().join("ball.obj"), 90.0, 4);
    let rest = |membrane: &str, region: &str| {
        format!(
            "[[membrane]]\n{membrane}\n{POPC}[[solute]]\nmolecule = \"ubiquitin\"\nvolume-fraction = 0.1\n\
            region = \"lumen\"\n[[region]]\nname = \"lumen\"\n{region}\n"
        )
    };
    let counts = |text: String| {
        let scene = SceneFile::read(&text, "test.toml".as_ref()).unwrap();
        let mut built = build(&scene, folder.path(), &formats::read).unwrap_or_else(|error| panic!("{error}"));
        spread_discs(&mut built);
        for (group, pose) in poses(&built).iter().filter(|(group, _)| group.role == Role::Lipid) {
            let (wanted, head) = lipid_hold(group);
            let distance = (*pose * head).length() - 90.0;
            assert!((distance - wanted).abs() < 1.5, "{distance} {wanted}");
        }
        let lipids = [0, 1].map(|leaflet| built.membranes[0].leaflets[leaflet].lipids as f64);
        [lipids[0], lipids[1], built.copies().last().unwrap().poses.len() as f64]
    };
    let mesh = counts(rest("shape = \"mesh\"\nmesh = \"ball.obj\"", "shape = \"mesh\"\nmesh = \"ball.obj\""));
    let sphere = counts(rest("radius = 90", "shape = \"sphere\"\nradius = 90"));
    for (mesh, sphere) in mesh.into_iter().zip(sphere) {
        assert!((mesh - sphere).abs() < 1.0 + 0.03 * sphere, "{mesh} {sphere}");
    }
}
