//! The pair in TetGen's, VegaFEM's and MEDIT's files.

use super::bytes::Out;
use super::pair;

pub(crate) fn rows(first: usize) -> String {
    let row = |(at, point): (usize, &glam::DVec3)| format!("{}  {} {} {}\n", at + first, point.x, point.y, point.z);
    pair("").points.iter().enumerate().map(row).collect()
}

/// Cells with their numbers in front, and something behind.
pub(crate) fn cells(first: usize, behind: [&str; 2]) -> String {
    let row = |at: usize| {
        let corners = pair("").tetrahedra[at].map(|corner| (corner as usize + first).to_string()).join(" ");
        format!("{}\t{corners} {}\n", at + first, behind[at])
    };
    row(0) + &row(1)
}

pub(crate) fn veg(first: usize) -> String {
    format!(
        "# Vega mesh file.\n*VERTICES\n5 3 0 0\n{}\n*ELEMENTS\nTET\n2 4 0\n{}\n\
         *MATERIAL soft\nENU, 1000, 1000, 0.45\n*MATERIAL hard # steel\nENU, 1000, 1e9, 0.3\n\
         *SET back\n{}, \n*REGION\nallElements, soft\n*REGION\nback, hard\n",
        rows(first),
        cells(first, ["", ""]),
        first + 1
    )
}

pub(crate) fn medit() -> String {
    let points: String =
        pair("").points.iter().map(|point| format!("{} {} {} 0\n", point.x, point.y, point.z)).collect();
    format!(
        " MeshVersionFormatted 2\n# a remark\nDimension\n3\n\nVertices\n5\n{points}Triangles\n1\n1 2 3 4\n\
         Tetrahedra 2 # two\n1 2 3 4 7\n2 5 3 4 9\nCorners\n1\n1\nHexahedra\n1\n1 2 3 4 5 1 2 3 0\nEnd\nrubbish"
    )
}

/// Every version of the binary form, with triangles and a hexahedron among the tetrahedra.
pub(crate) fn meshb(version: i64, is_big: bool) -> Vec<u8> {
    let (mut out, mesh) = (Out::new(is_big), pair(""));
    out.i32s([1, version]);
    let whole = |out: &mut Out, values: &[i64]| {
        if version < 4 { out.i32s(values.iter().copied()) } else { out.u64s(values.iter().copied()) }
    };
    let section = |out: &mut Out, keyword: i64, content: &dyn Fn(&mut Out)| {
        let mut inside = Out::new(is_big);
        content(&mut inside);
        out.i32s([keyword]);
        let place_size = if version < 3 { 4 } else { 8 };
        let next = (out.bytes.len() + place_size + inside.bytes.len()) as i64;
        if version < 3 {
            out.i32s([next])
        } else {
            out.u64s([next])
        }
        out.bytes.extend(inside.bytes);
    };
    section(&mut out, 3, &|out| out.i32s([3]));
    section(&mut out, 4, &|out| {
        whole(out, &[5]);
        for point in &mesh.points {
            if version == 1 {
                out.f32s(point.to_array())
            } else {
                out.f64s(point.to_array())
            }
            whole(out, &[0]);
        }
    });
    section(&mut out, 6, &|out| whole(out, &[1, 1, 2, 3, 4]));
    section(&mut out, 10, &|out| whole(out, &[1, 1, 2, 3, 4, 5, 1, 2, 3, 0]));
    section(&mut out, 8, &|out| whole(out, &[2, 1, 2, 3, 4, 7, 2, 5, 3, 4, 9]));
    out.i32s([54, 0]);
    out.bytes
}
