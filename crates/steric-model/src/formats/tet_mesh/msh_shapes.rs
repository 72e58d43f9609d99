//! The types of elements in Gmsh's files: what they are, and how many nodes they have.
//! Source: the reference manual of Gmsh, the table of `elm-type`.

use super::builder::Shape;

const HEXAHEDRA: Shape = Shape::Other("hexahedra");
const PRISMS: Shape = Shape::Other("prisms");
const PYRAMIDS: Shape = Shape::Other("pyramids");

/// The shape of a type, and its number of nodes where the manual lists one.
pub(super) fn shape(number: i64) -> (Shape, Option<usize>) {
    let (shape, nodes) = match number {
        15 => (Shape::Boundary, 1),
        1 => (Shape::Boundary, 2),
        2 | 8 => (Shape::Boundary, 3),
        3 | 26 => (Shape::Boundary, 4),
        27 => (Shape::Boundary, 5),
        9 | 28 => (Shape::Boundary, 6),
        16 => (Shape::Boundary, 8),
        10 | 20 => (Shape::Boundary, 9),
        21 => (Shape::Boundary, 10),
        22 => (Shape::Boundary, 12),
        23 | 24 => (Shape::Boundary, 15),
        25 => (Shape::Boundary, 21),
        4 => (Shape::Tetrahedron, 4),
        11 => (Shape::CurvedTetrahedron, 10),
        29 => (Shape::CurvedTetrahedron, 20),
        30 => (Shape::CurvedTetrahedron, 35),
        31 => (Shape::CurvedTetrahedron, 56),
        5 => (HEXAHEDRA, 8),
        12 => (HEXAHEDRA, 27),
        17 => (HEXAHEDRA, 20),
        92 => (HEXAHEDRA, 64),
        93 => (HEXAHEDRA, 125),
        6 => (PRISMS, 6),
        13 => (PRISMS, 18),
        18 => (PRISMS, 15),
        7 => (PYRAMIDS, 5),
        14 => (PYRAMIDS, 14),
        19 => (PYRAMIDS, 13),
        _ => return (Shape::Other("elements of an unknown type"), None),
    };
    (shape, Some(nodes))
}
