//! The cells of a VTK file, as lists of corners, ends and types.
//!
//! How it works: the corners of all cells stand in one list; a cell's own lie between the end of the cell before and its own end.
//! The lists come from different parts of a file, so nothing about them is believed before they fit together.

use super::builder::{Builder, Shape};
use super::vtk_shapes;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cells {
    pub(super) corners: Vec<i64>,
    pub(super) ends: Vec<i64>,
    /// Numbers of types.
    pub(super) shapes: Vec<i64>,
    /// One for each cell, where the file has them.
    pub(super) regions: Option<Vec<i64>>,
}

/// What does not fit, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    pub(super) expected: String,
    pub(super) found: String,
}

/// Adds the tetrahedra among the cells.
pub(super) fn push_cells(cells: &Cells, builder: &mut Builder) -> Result<(), Misfit> {
    if cells.shapes.len() != cells.ends.len() {
        let expected = format!("a type for each of the {} cells", cells.ends.len());
        return Err(Misfit { expected, found: format!("{} types", cells.shapes.len()) });
    }
    let regions = cells.regions.as_ref().filter(|regions| regions.len() == cells.ends.len());
    if let (Some(regions), None) = (&cells.regions, regions) {
        let expected = format!("a region for each of the {} cells", cells.ends.len());
        return Err(Misfit { expected, found: format!("{} regions", regions.len()) });
    }
    let mut start = 0;
    for (at, (&end, &shape)) in cells.ends.iter().zip(&cells.shapes).enumerate() {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        let corners = cells.corners.get(start..end).ok_or_else(|| misplaced(at, start, end, cells.corners.len()))?;
        push_cell(corners, vtk_shapes::shape(shape), regions.map_or(0, |regions| regions[at]), at, builder)?;
        start = end;
    }
    Ok(())
}

fn push_cell(corners: &[i64], shape: Shape, region: i64, at: usize, builder: &mut Builder) -> Result<(), Misfit> {
    if !matches!(shape, Shape::Tetrahedron | Shape::CurvedTetrahedron) {
        builder.leave_out(shape, 1);
        return Ok(());
    }
    let few = || Misfit {
        expected: format!("four corners of the tetrahedron in cell {at}"),
        found: format!("{} corners", corners.len()),
    };
    let four: [i64; 4] = corners.first_chunk().copied().ok_or_else(few)?;
    let mut places = [0; 4];
    for (place, number) in places.iter_mut().zip(four) {
        let missing =
            || Misfit { expected: format!("{}, in cell {at}", builder.expected_corner()), found: number.to_string() };
        *place = builder.point(number).ok_or_else(missing)?;
    }
    builder.push_tetrahedron(places, region, shape);
    Ok(())
}

fn misplaced(at: usize, start: usize, end: usize, corners: usize) -> Misfit {
    Misfit {
        expected: format!("the end of cell {at} between {start} and the {corners} corners there are"),
        found: end.to_string(),
    }
}
