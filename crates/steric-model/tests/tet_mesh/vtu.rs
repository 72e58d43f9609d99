//! VTU files in every way of packing their arrays, and what steric writes itself.

use glam::{DVec3, Vec3};
use steric_model::TetMesh;
use steric_model::formats::tet_mesh::{VtuData, read_vtu, write_pvd, write_vtu};

use crate::written::pair;
use crate::written::vtu::{Format, Packing, deflate, packings};
use crate::{read, refusal};

#[test]
fn every_packing_gives_the_same_mesh() {
    for packing in packings() {
        let parsed = read(&packing.file(), "pair.vtu");
        assert_eq!(parsed.value, pair("pair"), "{packing:?}");
        assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
    }
}

#[test]
fn truncated_and_damaged_packings_are_errors_or_other_meshes_but_never_panics() {
    for packing in packings().step_by(3) {
        let file = packing.file();
        for at in 0..file.len() {
            let _ = read_vtu(&file[..at], "cut.vtu".as_ref());
            let mut damaged = file.clone();
            damaged[at] ^= 0x11;
            let _ = read_vtu(&damaged, "damaged.vtu".as_ref());
        }
    }
}

#[test]
fn pieces_are_put_behind_each_other_and_cannot_reach_into_each_other() {
    let one = |corners: &str| {
        format!(
            "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points><DataArray type=\"Float32\" format=\"ascii\">\
             0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points><Cells><DataArray type=\"Int8\" Name=\"connectivity\">{corners}\
             </DataArray><DataArray type=\"Int8\" Name=\"offsets\">4</DataArray><DataArray type=\"Int8\" Name=\"types\">10\
             </DataArray></Cells></Piece>"
        )
    };
    let file = |first: &str, second: &str| {
        format!("<VTKFile type=\"UnstructuredGrid\">{}{}</VTKFile>", one(first), one(second)).into_bytes()
    };
    assert_eq!(read(&file("0 1 2 3", "3 1 2 0"), "t.vtu").value.tetrahedra, [[0, 1, 2, 3], [7, 5, 6, 4]]);
    assert_eq!(
        refusal(&file("0 1 2 3", "-1 1 2 0"), "t.vtu").split(": expected ").nth(1),
        Some("the number of one of the 4 points, from 0, in cell 0, found \"-1\"")
    );
}

#[test]
fn what_is_written_is_read_again() {
    let mut mesh = TetMesh::block(DVec3::new(-1.0, 0.1, 2.0), DVec3::new(3.0, 7.7, 2.5), [4, 3, 2]);
    mesh.regions.iter_mut().zip(0..).for_each(|(region, at)| *region = at % 5);
    let (heat, speed) = (vec![0.25; mesh.points.len()], vec![DVec3::X; mesh.points.len()]);
    let point_data =
        [("heat <K> & \"more\"", VtuData::DoubleScalars(&heat)), ("speed", VtuData::DoubleVectors(&speed))];
    let cell_data = [("region", VtuData::Labels(&mesh.regions))];
    let mut file = Vec::new();
    write_vtu(&mut file, VtuData::DoubleVectors(&mesh.points), &mesh.tetrahedra, &point_data, &cell_data).unwrap();
    assert_eq!(read(&file, "block.vtu").value, mesh);
    let single: Vec<Vec3> = mesh.points.iter().map(|point| point.as_vec3()).collect();
    let mut file = Vec::new();
    write_vtu(&mut file, VtuData::Vectors(&single), &mesh.tetrahedra, &[], &[]).unwrap();
    let again = read(&file, "block.vtu").value;
    assert_eq!((again.tetrahedra, again.points[7]), (mesh.tetrahedra, single[7].as_dvec3()));
}

#[test]
fn what_does_not_fit_is_not_written() {
    let points = [Vec3::ZERO; 3];
    let mut file = Vec::new();
    let mut refused = |points: VtuData, data: &[(&str, VtuData)]| {
        write_vtu(&mut file, points, &[[0, 1, 2, 2]], data, &[]).expect_err("it does not fit").to_string()
    };
    assert_eq!(refused(VtuData::Scalars(&[0.0; 3]), &[]), "points are vectors");
    assert_eq!(refused(VtuData::Vectors(&points[..2]), &[]), "there is no point 2 among the 2 points");
    let short = [("heat", VtuData::Scalars(&[0.0; 2]))];
    assert_eq!(refused(VtuData::Vectors(&points), &short), "\"heat\" has 2 values for 3 points");
    assert!(file.is_empty());
}

#[test]
fn a_series_names_its_files_and_times() {
    let mut file = Vec::new();
    write_pvd(&mut file, &[(0.0, "a&b-0.vtu"), (1e-3, "a&b-1.vtu")]).unwrap();
    let text = String::from_utf8(file).unwrap();
    assert!(text.contains("<DataSet timestep=\"0.001\" part=\"0\" file=\"a&amp;b-1.vtu\"/>"), "{text}");
    assert!(text.contains("type=\"Collection\""));
}

#[test]
fn errors_point_at_the_tag() {
    let plain = Packing {
        format: Format::Text,
        is_compressed: false,
        is_big: false,
        has_long_headers: false,
        has_long_numbers: false,
    };
    let text = String::from_utf8(plain.file()).unwrap();
    let poly = text.replace("UnstructuredGrid\" byte", "PolyData\" byte");
    let expected = "t.vtu:3: columns 1-51: expected a VTK file of the type UnstructuredGrid, found \"PolyData\"";
    assert_eq!(refusal(poly.as_bytes(), "t.vtu"), expected);
    let lz4 = text.replace("byte_order", "compressor=\"vtkLZ4DataCompressor\" byte_order");
    assert!(refusal(lz4.as_bytes(), "t.vtu").ends_with("found \"vtkLZ4DataCompressor\""));
    let many = text.replace("NumberOfCells=\"3\"", "NumberOfCells=\"4\"");
    assert!(refusal(many.as_bytes(), "t.vtu").contains("expected as many as NumberOfCells says, 4, found \"3\""));
    let odd = text.replace("NumberOfPoints=\"5\"", "").replacen("\n1.5\n", "\n", 1);
    assert!(
        refusal(odd.as_bytes(), "t.vtu").ends_with("expected three coordinates of each point, found \"14 numbers\"")
    );
    let word = text.replacen("\n10\n", "\nten\n", 1);
    assert!(refusal(word.as_bytes(), "t.vtu").contains("expected a whole number in the array types, found \"ten\""));
    let lost = Packing { format: Format::AppendedRaw, ..plain }.file();
    let lost = String::from_utf8_lossy(&lost).replace("<AppendedData", "<Lost");
    assert!(refusal(lost.as_bytes(), "t.vtu").ends_with("found \"a file without appended data\""));
}

#[test]
fn an_array_that_grows_without_bound_is_refused() {
    // A million pieces could point at the same bytes; here 1100 do at a block of 96 KiB of zeros that take 120.
    let packing = Packing {
        format: Format::AppendedRaw,
        is_compressed: true,
        is_big: false,
        has_long_headers: false,
        has_long_numbers: false,
    };
    let block = deflate(&vec![0; 3 << 15]);
    let data = [packing.header(&[1, 3 << 15, 0, block.len()]), block].concat();
    let piece = "<Piece><Points><DataArray type=\"UInt8\" format=\"appended\" offset=\"0\"/></Points></Piece>\n";
    let mut file = b"<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkZLibDataCompressor\">\n".to_vec();
    file.extend(piece.repeat(1100).as_bytes());
    file.extend(b"<AppendedData encoding=\"raw\">_");
    file.extend(data);
    assert!(refusal(&file, "bomb.vtu").contains("more than a file of this size can hold"));
}
