//! The types of cells in VTK's files, legacy and XML, and the arrays in which they keep regions.
//! Source: `vtkCellType.h`.

use super::builder::Shape;

/// What a type of cell is.
pub(super) fn shape(number: i64) -> Shape {
    match number {
        10 => Shape::Tetrahedron,
        24 | 71 | 78 => Shape::CurvedTetrahedron,
        0..=9 | 21..=23 | 28 | 30 | 34..=36 | 51..=53 | 60..=62 | 66 | 68..=70 | 75..=77 => Shape::Boundary,
        11 | 12 | 25 | 29 | 33 | 72 | 79 => Shape::Other("hexahedra"),
        13 | 26 | 31 | 32 | 73 | 80 => Shape::Other("prisms"),
        14 | 27 | 37 | 74 | 81 => Shape::Other("pyramids"),
        15 | 16 | 41 | 42 => Shape::Other("polyhedra"),
        _ => Shape::Other("cells of an unknown type"),
    }
}

/// How good a name is for an array of regions: the smaller, the better; `None` for an array of something else.
///
/// Programs do not agree on a name. These are the ones that ParaView, Gmsh, meshio, TetWild, FEBio and steric write.
pub(super) fn region_name(name: &[u8]) -> Option<usize> {
    const NAMES: [&str; 17] = [
        "region",
        "regions",
        "regionid",
        "regionids",
        "region_id",
        "material",
        "materials",
        "materialid",
        "materialids",
        "material_id",
        "gmsh:physical",
        "physicalids",
        "medit:ref",
        "tetgen:ref",
        "cellentityids",
        "attribute",
        "label",
    ];
    NAMES.iter().position(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}
