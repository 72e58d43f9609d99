//! What a mesh of tetrahedra knows of itself.

use glam::DVec3;
use proptest::prelude::*;
use steric_model::{MeshProblem, TetMesh};

use crate::written::pair;

fn surface_volume(mesh: &TetMesh) -> f64 {
    let point = |corner: u32| mesh.points[corner as usize];
    mesh.surface().into_iter().map(|[a, b, c]| point(a).dot(point(b).cross(point(c))) / 6.0).sum()
}

#[test]
fn the_surface_of_two_tetrahedra_leaves_out_their_common_face() {
    let mesh = pair("pair");
    let surface = mesh.surface();
    assert_eq!(surface.len(), 6);
    assert!(surface.is_sorted());
    assert!(!surface.iter().any(|face| face.iter().all(|corner| [1, 2, 3].contains(corner))));
    assert!(mesh.problems().is_empty(), "{:?}", mesh.problems());
}

#[test]
fn the_surface_faces_outward_also_where_tetrahedra_are_inverted() {
    let mut mesh = pair("pair");
    let (surface, volume) = (mesh.surface(), mesh.volume());
    mesh.tetrahedra[1].swap(0, 3);
    assert_eq!(mesh.surface(), surface);
    assert!(mesh.volume() < volume);
    let (mesh, flipped) = mesh.oriented();
    assert_eq!((flipped, mesh.volume()), (1, volume));
}

#[test]
fn every_problem_is_found_with_its_number() {
    let mut mesh = pair("pair");
    mesh.points.extend([DVec3::new(0.0, f64::NAN, 0.0), DVec3::new(0.25, 0.25, 0.0), DVec3::new(0.0, 0.0, -1.0)]);
    mesh.tetrahedra.extend([[3, 2, 1, 0], [0, 1, 1, 4], [0, 1, 2, 6], [1, 2, 3, 7]]);
    mesh.regions = vec![0; 6];
    let problems: Vec<String> = mesh.problems().iter().map(ToString::to_string).collect();
    let found =
        |sentence: &str| assert!(problems.iter().any(|problem| problem == sentence), "{sentence} in {problems:#?}");
    found("expected finite coordinates, found others in point 5");
    found("expected a tetrahedron that uses it, found none for point 5");
    found("expected new corners, found those of tetrahedron 0 in tetrahedron 2");
    found("expected four different corners, found 1 twice in tetrahedron 3");
    found("expected a volume above 0, found 0 in the flat tetrahedron 4");
    found("expected one or two tetrahedra at the face 1 2 3, found 4 (tetrahedra 0, 1, 2, 5)");
    mesh.tetrahedra[0][2] = 99;
    assert!(mesh.problems().contains(&MeshProblem::NoSuchPoint { tetrahedron: 0, corner: 99 }));
}

#[test]
fn bodies_that_touch_in_an_edge_are_told() {
    let mut mesh = TetMesh::block(DVec3::ZERO, DVec3::ONE, [1, 1, 1]);
    let other = TetMesh::block(DVec3::new(1.0, 1.0, 0.0), DVec3::new(2.0, 2.0, 1.0), [1, 1, 1]);
    // Points 3 and 7 of the first stand where points 0 and 4 of the second do.
    let joined = |corner: u32| {
        if corner == 0 {
            3
        } else if corner == 4 {
            7
        } else {
            corner + 8
        }
    };
    mesh.points.extend(other.points);
    mesh.tetrahedra.extend(other.tetrahedra.into_iter().map(|corners| corners.map(joined)));
    mesh.regions.resize(12, 0);
    let mesh = mesh.without_unused();
    assert_eq!(mesh.problems(), [MeshProblem::CrowdedEdge { edge: [3, 7], triangles: 4 }]);
}

#[test]
fn a_mesh_without_tetrahedra_has_no_size() {
    let none = TetMesh::default();
    assert_eq!((none.volume(), none.mean_edge(), none.longest_edge()), (0.0, 0.0, 0.0));
    assert!(none.surface().is_empty() && none.problems().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_block_is_sound_and_as_large_as_its_box(cells in [1usize..5, 1usize..5, 1usize..5], low in -3.0..3.0_f64) {
        let (low, size) = (DVec3::new(low, -low, 1.0), DVec3::new(2.0, 0.5, 3.0));
        let mesh = TetMesh::block(low, low + size, cells);
        let [x, y, z] = cells;
        prop_assert_eq!(mesh.tetrahedra.len(), 6 * x * y * z);
        prop_assert_eq!(mesh.points.len(), (x + 1) * (y + 1) * (z + 1));
        prop_assert_eq!(mesh.surface().len(), 4 * (x * y + y * z + x * z));
        prop_assert!(mesh.problems().is_empty());
        prop_assert!((mesh.volume() - 3.0).abs() < 1e-12);
        prop_assert!((surface_volume(&mesh) - 3.0).abs() < 1e-9);
        // Euler: points - edges + faces - tetrahedra is 1 for a ball.
        let faces = (4 * mesh.tetrahedra.len() + mesh.surface().len()) / 2;
        prop_assert_eq!(mesh.points.len() + faces, mesh.edges().len() + mesh.tetrahedra.len() + 1);
        let same = TetMesh::block(low + size, low, cells);
        prop_assert_eq!(same, mesh);
    }
}
