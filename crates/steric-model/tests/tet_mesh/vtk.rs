//! VTK's legacy files, as text and binary, of the old and the new form.

use crate::written::pair;
use crate::written::vtk::{binary, text};
use crate::{read, refusal};

#[test]
fn every_form_gives_the_same_mesh() {
    for bytes in [text().into_bytes(), binary(false), binary(true)] {
        let parsed = read(&bytes, "pair.vtk");
        assert_eq!(parsed.value, pair("pair"));
        assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
    }
}

#[test]
fn other_cells_are_counted() {
    let mixed = text().replace("10\n5\n10\n3\n", "10\n5\n12\n3\n");
    let parsed = read(mixed.as_bytes(), "pair.vtk");
    assert_eq!(parsed.value.regions, [7]);
    assert_eq!(parsed.warnings.first[0].to_string(), "1 hexahedra were left out; only tetrahedra are read");
    let curved = text().replace("10\n5\n10\n3\n", "10\n5\n24\n3\n");
    let parsed = read(curved.as_bytes(), "pair.vtk");
    assert_eq!(parsed.value.tetrahedra.len(), 2);
    assert!(parsed.warnings.first[0].to_string().contains("taken by their four corners"));
}

#[test]
fn errors_point_at_the_place() {
    let few = text().replace("10\n5\n10\n3\n", "10\n5\n10\n").replace("CELL_TYPES 4", "CELL_TYPES 3");
    assert_eq!(
        refusal(few.as_bytes(), "t.vtk"),
        r#"t.vtk:11: columns 1-5: expected a type for each of the 4 cells, found "3 types""#
    );
    let far = text().replace("4 1 4 2 3", "4 1 5 2 3");
    assert_eq!(
        refusal(far.as_bytes(), "t.vtk"),
        r#"t.vtk:11: columns 1-5: expected the number of one of the 5 points, from 0, in cell 2, found "5""#
    );
    let lie = text().replace("POINTS 5 double", "POINTS 99999999999 double");
    assert_eq!(
        refusal(lie.as_bytes(), "t.vtk"),
        r#"t.vtk:7: columns 1-8: expected the x coordinate of a point, found "METADATA""#
    );
    let cut = &binary(false)[..150];
    assert_eq!(
        refusal(cut, "t.vtk"),
        r#"t.vtk: byte 150: expected the y coordinate of a point, found "the end of the file""#
    );
    let short = text().replace("4 1 4 2 3", "9 1 4 2 3");
    assert!(refusal(short.as_bytes(), "t.vtk").contains("expected a type for each of the 3 cells"));
    let kind = text().replace("5 double", "5 quaternion");
    assert!(refusal(kind.as_bytes(), "t.vtk").contains("columns 10-19: expected a type of number"));
}
