//! VTK's legacy files of the pair.

use super::bytes::Out;
use super::pair;

const HEAD: &str = "# vtk DataFile Version 3.0\na pair of tetrahedra\n";

pub(crate) fn text() -> String {
    let points: String = pair("").points.iter().map(|point| format!("{} {} {} ", point.x, point.y, point.z)).collect();
    format!(
        "{HEAD}ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n{points}\nMETADATA\nINFORMATION 1\nNAME x LOCATION y\n\n\
         CELLS 4 17\n4 0 1 2 3\n3 0 1 2\n4 1 4 2 3\n2 0 1\n\nCELL_TYPES 4\n10\n5\n10\n3\n\
         POINT_DATA 5\nVECTORS speed float\n{}\n\
         CELL_DATA 4\nSCALARS stress float 1\nLOOKUP_TABLE default\n0 nan 1e3 7\n\
         FIELD more 2\nname 1 4 int\n1 2 3 4\nMaterialIds 1 4 float\n7 0 9.0 0\n",
        "0 0 0 ".repeat(5)
    )
}

pub(crate) fn binary(is_new: bool) -> Vec<u8> {
    let mut out = Out::new(true);
    out.text(&format!("{HEAD}BINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"));
    pair("").points.iter().for_each(|point| out.f32s(point.to_array()));
    if is_new {
        out.text("\nMETADATA\nINFORMATION 0\n\n\nCELLS 4 12\nOFFSETS vtktypeint64\n");
        out.u64s([0, 4, 8, 12]);
        out.text("\nCONNECTIVITY vtktypeint64\n");
        out.u64s([0, 1, 2, 3, 1, 4, 2, 3, 0, 1, 2, 4]);
        out.text("\nCELL_TYPES 3\n");
        out.i32s([10, 10, 9]);
    } else {
        out.text("\nCELLS 3 15\n");
        out.i32s([4, 0, 1, 2, 3, 4, 1, 4, 2, 3, 4, 0, 1, 2, 4]);
        out.text("\nCELL_TYPES 3\n");
        out.i32s([10, 10, 9]);
    }
    out.text("\nPOINT_DATA 5\nSCALARS heat double\nLOOKUP_TABLE warm\n");
    out.f64s([1.0; 5]);
    out.text("\nLOOKUP_TABLE warm 1\n");
    out.bytes.extend([255; 4]);
    out.text("\nCELL_DATA 3\nSCALARS region unsigned_char 1\nLOOKUP_TABLE default\n");
    out.bytes.extend([7, 9, 255]);
    out.text("\n");
    out.bytes
}
