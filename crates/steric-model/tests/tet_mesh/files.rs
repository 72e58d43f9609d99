//! The real files of `../shared/data/tetmesh`, to what its README counts in them.

use std::path::PathBuf;

use steric_model::formats::tet_mesh::read_tet_mesh;
use steric_model::{MeshProblem, TetMesh};

use crate::common::{count, data, readme_row, walk};

fn meshes() -> Option<(PathBuf, Vec<PathBuf>)> {
    let data = data()?;
    let files = walk(&data.join("tetmesh"));
    Some((data, files))
}

fn named(name: &str) -> Option<TetMesh> {
    Some(read_tet_mesh(&data()?.join("tetmesh").join(name)).unwrap().value)
}

fn volume_in(row: &str) -> f64 {
    let number = row.split("/volume/ ").nth(1).unwrap().split(',').next().unwrap();
    number.trim().parse().unwrap()
}

#[test]
fn every_file_has_the_counts_and_the_volume_that_other_readers_find() {
    let Some((data, files)) = meshes() else { return };
    assert_eq!(files.len(), 19);
    for file in files.iter().filter(|file| !file.ends_with("liver_broken.vtk")) {
        let row = readme_row(&data, file);
        let parsed = read_tet_mesh(file).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(parsed.warnings.total, 0, "{}: {:?}", file.display(), parsed.warnings);
        let (mesh, _) = parsed.value.oriented();
        let unused = mesh.problems().iter().filter(|problem| matches!(problem, MeshProblem::Unused { .. })).count();
        let found = [mesh.points.len(), unused, mesh.tetrahedra.len(), mesh.edges().len(), mesh.surface().len()];
        let words = ["vertices (", "unused", "tets", "edges", "boundary triangles"];
        assert_eq!(found.map(Some), words.map(|word| count(&row, word)), "{row}");
        assert!((mesh.volume() / volume_in(&row) - 1.0).abs() < 1e-5, "{} is not as in {row}", mesh.volume());
        assert_eq!(mesh.without_unused().points.len(), found[0] - unused);
    }
}

#[test]
fn no_file_has_an_inverted_or_a_flat_tetrahedron() {
    let Some((_, files)) = meshes() else { return };
    for file in files.iter().filter(|file| !file.ends_with("liver_broken.vtk")) {
        let mesh = read_tet_mesh(file).unwrap().value;
        let is_bad =
            |problem: &MeshProblem| !matches!(problem, MeshProblem::Unused { .. } | MeshProblem::CrowdedEdge { .. });
        assert_eq!(mesh.problems().into_iter().find(is_bad), None, "{}", file.display());
        assert_eq!(mesh.oriented().1, 0);
    }
}

#[test]
fn either_file_of_tetgen_gives_the_mesh_of_the_gmsh_file() {
    let (Some(gmsh), Some(nodes), Some(elements)) = (named("liver2.msh"), named("liver2.node"), named("liver2.ele"))
    else {
        return;
    };
    assert_eq!(nodes, elements);
    assert_eq!(nodes.tetrahedra, gmsh.tetrahedra);
    assert_eq!((nodes.name.as_str(), nodes.points.len()), ("liver2", gmsh.points.len()));
    let furthest = nodes.points.iter().zip(&gmsh.points).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(furthest < 1e-8, "the TetGen file has nine digits, not {furthest}");
}

#[test]
fn materials_of_vega_become_regions() {
    let (Some(dragon), Some(turtle)) = (named("asianDragon.veg"), named("turtle.veg")) else { return };
    // The dragon's region names its second material, BODY.
    assert!(dragon.regions.iter().all(|&region| region == 2));
    assert!(turtle.regions.iter().all(|&region| region == 1));
}

#[test]
fn a_broken_file_is_refused_with_its_name_and_the_place() {
    let Some(data) = data() else { return };
    let file = data.join("tetmesh/liver_broken.vtk");
    let refusal = read_tet_mesh(&file).unwrap_err().to_string();
    let expected = "liver_broken.vtk:4: columns 9-16: expected a data set that can hold tetrahedra, UNSTRUCTURED_GRID";
    assert!(refusal.contains(expected), "{refusal}");
    assert!(refusal.ends_with("found \"POLYDATA\""), "{refusal}");
}
