#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glam::{DQuat, DVec3, Vec3};
use serde_json::Value;
use steric_model::formats::mesh::Mesh;
use steric_model::{MoleculeId, Pose};
use steric_world::animate::BallDetail;

use super::*;

/// A glTF file that was read back.
struct Read {
    json: Value,
    numbers: Vec<u8>,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

impl Read {
    fn of(scene: &Scene, colours: &Colours) -> Self {
        Self::with(scene, colours, &[])
    }

    fn with(scene: &Scene, colours: &Colours, surfaces: &[Surface]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.glb");
        write_glb(scene, colours, surfaces, &path).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let bytes = std::fs::read(path).unwrap();
        assert_eq!((&bytes[..4], word(&bytes, 4), word(&bytes, 8) as usize), (&b"glTF"[..], 2, bytes.len()));
        let json_end = 20 + word(&bytes, 12) as usize;
        assert_eq!((&bytes[16..20], json_end % 4), (&b"JSON"[..], 0));
        assert_eq!(&bytes[json_end + 4..json_end + 8], b"BIN\0");
        let numbers = bytes[json_end + 8..].to_vec();
        assert_eq!(word(&bytes, json_end) as usize, numbers.len());
        Self { json: serde_json::from_slice(&bytes[20..json_end]).unwrap(), numbers }
    }

    /// The elements of an accessor as their bytes, each of which lies in its view and that in the buffer.
    fn elements(&self, accessor: &Value) -> Vec<&[u8]> {
        let number = |value: &Value| value.as_u64().unwrap() as usize;
        let size = match (number(&accessor["componentType"]), accessor["type"].as_str().unwrap()) {
            (5126, "VEC3") => 12,
            (5125, "SCALAR") | (5121, "VEC4") => 4,
            other => panic!("{other:?} is not expected here"),
        };
        let view = &self.json["bufferViews"][number(&accessor["bufferView"])];
        let stride = view["byteStride"].as_u64().map_or(size, |stride| stride as usize);
        let view_start = number(&view["byteOffset"]);
        let in_buffer = &self.numbers[view_start..view_start + number(&view["byteLength"])];
        let start = number(&accessor["byteOffset"]);
        (0..number(&accessor["count"])).map(|n| &in_buffer[start + n * stride..start + n * stride + size]).collect()
    }

    fn attribute(&self, mesh: usize, name: &str) -> (&Value, Vec<&[u8]>) {
        let primitive = &self.json["meshes"][mesh]["primitives"][0];
        let number = if name == "indices" { &primitive["indices"] } else { &primitive["attributes"][name] };
        let accessor = &self.json["accessors"][number.as_u64().unwrap() as usize];
        (accessor, self.elements(accessor))
    }

    fn points(&self, mesh: usize, name: &str) -> Vec<Vec3> {
        let (_, elements) = self.attribute(mesh, name);
        elements.iter().map(|bytes| Vec3::from_array([0, 4, 8].map(|at| f32::from_bits(word(bytes, at))))).collect()
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Two types, one of them used in two colours, and one that nobody uses.
fn small() -> (Scene, Colours) {
    let mut scene = Scene::default();
    let water = scene.add_type("water \"q\"", &[Vec3::ZERO, Vec3::X, Vec3::NEG_Y], &[1.5, 1.1, 1.2]);
    scene.add_type("unused", &[Vec3::ZERO], &[1.0]);
    let argon = scene.add_type("argon", &[Vec3::new(0.1, 0.2, 0.3)], &[1.88]);
    let turn = DQuat::from_rotation_z(1.0);
    scene.add_molecule(water, Pose { rotation: turn, translation: DVec3::new(100.0, 20.0, -7.0) });
    scene.add_molecule(argon, Pose::from_translation(DVec3::new(110.0, 20.5, 3.0)));
    scene.add_molecule(water, Pose::from_translation(DVec3::new(104.0, 10.0, 0.0)));
    scene.add_molecule(water, Pose::from_translation(DVec3::new(104.0, 15.0, 0.0)));
    let atoms = vec![vec![[255, 0, 0], [255, 255, 255], [128, 128, 128]], vec![[0; 3]], vec![[0, 255, 188]]];
    (scene, Colours { atoms, molecules: vec![None, None, Some([0, 0, 255]), None], ..Colours::default() })
}

/// One type of so many atoms in a row, as often as is asked.
fn row(atoms: usize, molecules: usize) -> (Scene, Colours) {
    let mut scene = Scene::default();
    let places: Vec<Vec3> = (0..atoms).map(|atom| Vec3::X * atom as f32).collect();
    let kind = scene.add_type("row", &places, &vec![1.0; atoms]);
    (0..molecules).for_each(|y| {
        scene.add_molecule(kind, Pose::from_translation(DVec3::Y * 3.0 * y as f64));
    });
    (scene, Colours { atoms: vec![vec![[255; 3]; atoms]], molecules: vec![None; molecules], ..Colours::default() })
}

#[test]
fn corners_lie_on_their_atoms_in_boxes_that_are_exact() {
    let (scene, colours) = small();
    let read = Read::of(&scene, &colours);
    assert_eq!(read.json["meshes"].as_array().unwrap().len(), 3);
    for (mesh, kind) in [(0, 0), (1, 2), (2, 0)] {
        let (corners, normals) = (read.points(mesh, "POSITION"), read.points(mesh, "NORMAL"));
        assert_eq!((corners.len(), normals.len()), (42 * scene.types()[kind].atoms as usize, corners.len()));
        let cluster = scene.clusters()[scene.types()[kind].clusters.start as usize];
        for (at, (&corner, &normal)) in corners.iter().zip(&normals).enumerate() {
            let atom = cluster.atom(at / 42);
            assert!((corner - normal * atom.radius).distance(atom.center) < 1e-5);
        }
        let (accessor, _) = read.attribute(mesh, "POSITION");
        let ends = ["min", "max"]
            .map(|end| Vec3::from_slice(&numbers(&accessor[end]).iter().map(|&n| n as f32).collect::<Vec<_>>()));
        assert_eq!(ends[0], corners.iter().copied().reduce(Vec3::min).unwrap());
        assert_eq!(ends[1], corners.iter().copied().reduce(Vec3::max).unwrap());
    }
}

#[test]
fn triangles_join_corners_of_one_atom() {
    let (scene, colours) = small();
    let read = Read::of(&scene, &colours);
    let indices: Vec<u32> = read.attribute(0, "indices").1.iter().map(|bytes| word(bytes, 0)).collect();
    assert_eq!(indices.len(), 3 * 80 * 3);
    for (triangle, corners) in indices.chunks_exact(3).enumerate() {
        assert!(corners.iter().all(|&corner| corner as usize / 42 == triangle / 80));
    }
}

#[test]
fn colours_are_linear_and_a_molecule_goes_before_its_atoms() {
    let (scene, colours) = small();
    let read = Read::of(&scene, &colours);
    let cluster = scene.clusters()[0];
    let (_, found) = read.attribute(0, "COLOR_0");
    for (at, colour) in found.iter().enumerate() {
        // Half of the steps of sRGB are a fifth of the light.
        let expected = [[255, 0, 0, 255], [255, 255, 255, 255], [55, 55, 55, 255]][cluster.atoms[at / 42] as usize];
        assert_eq!(**colour, expected);
    }
    assert!(read.attribute(2, "COLOR_0").1.iter().all(|colour| **colour == [0, 0, 255, 255]));
    assert_eq!([0, 10, 188, 255].map(plan::linear), [0, 1, 128, 255]);
}

#[test]
fn nodes_put_every_molecule_where_it_is() {
    let (scene, colours) = small();
    let read = Read::of(&scene, &colours);
    let nodes = read.json["nodes"].as_array().unwrap();
    assert_eq!(numbers(&nodes[0]["children"]), [1.0, 2.0, 3.0, 4.0]);
    let meshes: Vec<_> = nodes[1..].iter().map(|node| node["mesh"].as_u64().unwrap()).collect();
    assert_eq!(meshes, [0, 1, 2, 0]);
    let middle = DVec3::new(105.0, 15.25, -2.0);
    let root = Pose {
        rotation: DQuat::from_slice(&numbers(&nodes[0]["rotation"])),
        translation: DVec3::from_slice(&numbers(&nodes[0]["translation"])),
    };
    assert_eq!(numbers(&nodes[0]["scale"]), [0.1; 3]);
    for (molecule, node) in (0..).zip(&nodes[1..]) {
        let Pose { rotation, translation } = scene.molecules()[molecule as usize].pose;
        let place = DVec3::from_slice(&numbers(&node["translation"]));
        assert!(place.distance(translation - middle) < 1e-5);
        let turn = node.get("rotation").map_or(DQuat::IDENTITY, |turn| DQuat::from_slice(&numbers(turn)));
        assert!(turn.angle_between(rotation) < 1e-3);
        // The whole way of an atom: a tenth of its place, with z up turned to y up.
        let kind = scene.type_of(MoleculeId(molecule));
        let atom_in_molecule = scene.clusters()[kind.clusters.start as usize].atom(0).center.as_dvec3();
        let in_file = root * ((turn * atom_in_molecule + place) * 0.1);
        let (_, expected, _) = scene.placed_atoms(MoleculeId(molecule)).next().unwrap();
        assert!(in_file.distance(DVec3::new(expected.x, expected.z, -expected.y) * 0.1) < 1e-5);
    }
}

/// A square in the plane x = 100, with a triangle whose corner is not there.
fn square(opacity: f32) -> Surface {
    let corner = |y: f64, z: f64| DVec3::new(100.0, y, z);
    let mesh = Mesh {
        vertices: vec![corner(0.0, 0.0), corner(40.0, 0.0), corner(40.0, 40.0), corner(0.0, 40.0)],
        triangles: vec![[0, 1, 2], [0, 2, 3], [0, 1, 9]],
    };
    Surface { mesh, colour: [255, 188, 0], opacity }
}

#[test]
fn surfaces_lie_among_the_molecules_with_a_material_each() {
    let (scene, colours) = small();
    let read = Read::with(&scene, &colours, &[square(0.25), square(1.0)]);
    let root = DVec3::from_slice(&numbers(&read.json["nodes"][0]["translation"])) * 10.0;
    for (mesh, opacity) in [(3, 0.25), (4, 1.0)] {
        let node = &read.json["nodes"][mesh + 2];
        assert_eq!((&node["mesh"], node.get("translation")), (&Value::from(mesh), None));
        let corners = read.points(mesh, "POSITION");
        // Back from y up to z up, and from the middle of the scene.
        let middle = DVec3::new(root.x, -root.z, root.y);
        for (corner, expected) in corners.iter().zip(&square(1.0).mesh.vertices) {
            assert!((corner.as_dvec3() + middle).distance(*expected) < 1e-4, "{corner} {expected}");
        }
        assert_eq!(read.points(mesh, "NORMAL"), [Vec3::X; 4]);
        let indices: Vec<u32> = read.attribute(mesh, "indices").1.iter().map(|bytes| word(bytes, 0)).collect();
        assert_eq!(indices, [0, 1, 2, 0, 2, 3]);
        let number = read.json["meshes"][mesh]["primitives"][0]["material"].as_u64().unwrap() as usize;
        let material = &read.json["materials"][number];
        let colour = numbers(&material["pbrMetallicRoughness"]["baseColorFactor"]);
        assert!((colour[1] - 0.503).abs() < 0.001, "188 of 255 steps are half of the light: {}", colour[1]);
        assert_eq!([colour[0], colour[2], colour[3]], [1.0, 0.0, opacity]);
        assert_eq!(material["doubleSided"], true);
        assert_eq!(material["alphaMode"] == "BLEND", opacity < 1.0);
    }
    // Molecules keep what they have without surfaces.
    assert_eq!(read.points(0, "POSITION"), Read::of(&scene, &colours).points(0, "POSITION"));
    assert_eq!(read.attribute(1, "COLOR_0").1, Read::of(&scene, &colours).attribute(1, "COLOR_0").1);
}

#[test]
fn surfaces_alone_are_a_file_and_those_that_cannot_be_seen_are_none() {
    let read = Read::with(&Scene::default(), &Colours::default(), &[square(0.0), square(0.5)]);
    assert_eq!(read.json["bufferViews"].as_array().unwrap().len(), 3);
    assert_eq!(read.json["meshes"].as_array().unwrap().len(), 1);
    assert_eq!(numbers(&read.json["nodes"][0]["children"]), [1.0]);
    assert_eq!(read.points(0, "POSITION").len(), 4);
    let error = write_glb(&Scene::default(), &Colours::default(), &[square(0.0)], "wall.glb".as_ref()).unwrap_err();
    assert!(matches!(error, GlbError::Empty { .. }), "{error:?}");
    let mut odd = square(1.0);
    odd.mesh.vertices[1].x = f64::INFINITY;
    let error = write_glb(&Scene::default(), &Colours::default(), &[odd], "wall.glb".as_ref()).unwrap_err();
    assert_eq!(error.to_string(), "wall.glb: expected finite coordinates, found others in surface 0");
}

#[test]
fn molecules_that_one_looks_through_share_the_material_of_their_opacity() {
    let (scene, colours) = small();
    let read = Read::of(&scene, &Colours { opacities: vec![0.3, 1.0, 0.3, 0.0], ..colours });
    let nodes = read.json["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 4, "the last molecule cannot be seen");
    let material = |node: usize| {
        let mesh = nodes[node]["mesh"].as_u64().unwrap() as usize;
        read.json["meshes"][mesh]["primitives"][0]["material"].as_u64().unwrap() as usize
    };
    assert_eq!([1, 2, 3].map(material), [0, 1, 0]);
    let opacity = |at: usize| numbers(&read.json["materials"][at]["pbrMetallicRoughness"]["baseColorFactor"])[3];
    assert_eq!([opacity(0), opacity(1)], [0.3, 1.0]);
    assert_eq!(read.json["materials"][0]["alphaMode"], "BLEND");
    assert_eq!(read.json["materials"][1].get("alphaMode"), None);
}

#[test]
fn large_types_and_large_scenes_are_plain_and_copies_are_cheap() {
    for (atoms, molecules, corners) in [(2_000, 1, 42), (2_001, 1, 12), (2_000, 100, 42), (2_000, 101, 12)] {
        let (scene, colours) = row(atoms, molecules);
        let read = Read::of(&scene, &colours);
        assert_eq!(read.points(0, "POSITION").len(), corners * atoms);
        assert_eq!(read.json["meshes"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_file_may_have_fine_and_plain_types() {
    let (mut scene, mut colours) = row(2_001, 1);
    let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
    scene.add_molecule(argon, Pose::IDENTITY);
    colours.atoms.push(vec![[1, 2, 3]]);
    colours.molecules.push(None);
    let read = Read::of(&scene, &colours);
    for (mesh, corners, atoms) in [(0, 12, 2_001), (1, 42, 1)] {
        let normals = read.points(mesh, "NORMAL");
        assert_eq!(normals.len(), corners * atoms);
        assert!(normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-6));
        let largest = read.attribute(mesh, "indices").1.iter().map(|bytes| word(bytes, 0)).max().unwrap();
        assert_eq!(largest as usize, corners * atoms - 1);
    }
}

#[test]
fn a_file_that_would_be_too_large_is_drawn_plainly_or_refused_with_its_size() {
    let (scene, colours) = row(1_000, 1);
    let mut plan = Plan::new(&scene, &colours, &[], "row.glb".as_ref()).unwrap();
    plan.choose("row.glb".as_ref(), 1_000_000).unwrap();
    assert_eq!(plan.shapes[0].detail, BallDetail::Plain);
    let error = plan.choose("row.glb".as_ref(), 100_000).unwrap_err();
    assert!(matches!(error, GlbError::TooLarge { bytes: 570_000..580_000, atoms: 1_000, .. }), "{error:?}");
}

#[test]
fn colours_of_another_scene_and_places_that_are_no_numbers_are_errors() {
    let (mut scene, mut colours) = row(3, 2);
    colours.atoms[0].pop();
    let error = write_glb(&scene, &colours, &[], "row.glb".as_ref()).unwrap_err();
    assert_eq!(error.to_string(), "row.glb: expected 3 colours of atoms of row, found 2");
    colours.atoms[0].push([0; 3]);
    scene.molecules_mut()[1].pose.translation.x = f64::NAN;
    let error = write_glb(&scene, &colours, &[], "row.glb".as_ref()).unwrap_err();
    assert_eq!(error.to_string(), "row.glb: expected finite coordinates, found others in molecule 1");
}

#[test]
fn spheres_that_are_all_different_are_written_in_time_that_grows_with_their_number() {
    let mut scene = Scene::default();
    let mut colours = Colours::default();
    // Were every type compared with every other, this would take minutes.
    for number in 0..100_000 {
        let kind = scene.add_type("sphere", &[Vec3::ZERO], &[1.0 + number as f32 * 1e-5]);
        scene.add_molecule(kind, Pose::from_translation(DVec3::X * f64::from(number) * 5.0));
        colours.atoms.push(vec![[200; 3]]);
        colours.molecules.push(None);
    }
    let read = Read::of(&scene, &colours);
    assert_eq!(read.json["meshes"].as_array().unwrap().len(), 100_000);
    // One sphere of normals and triangles serves all.
    assert_eq!(read.numbers.len(), 42 * 12 + 80 * 12 + 100_000 * 42 * (12 + 4));
}
