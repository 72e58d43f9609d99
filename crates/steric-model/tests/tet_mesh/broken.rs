//! Bytes that are no mesh, or no longer one, are refused, and never with a panic.

use std::path::Path;

use proptest::prelude::*;
use steric_model::formats::tet_mesh::{TetGenFile, read_medit, read_msh, read_tetgen, read_veg, read_vtk, read_vtu};

const MSH: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 7 0\n$EndEntities\n$Nodes\n1 4 1 4\n\
    3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";
const VTK: &str = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n\
    CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nCELL_DATA 1\nSCALARS region int 1\nLOOKUP_TABLE default\n7\n";
const VTU: &str = "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"4\"><Points><DataArray type=\"Float32\">\
    0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points><Cells><DataArray type=\"Int8\" Name=\"connectivity\">0 1 2 3</DataArray>\
    <DataArray type=\"Int8\" Name=\"offsets\" format=\"binary\">AQAAAAQ=</DataArray>\
    <DataArray type=\"Int8\" Name=\"types\">10</DataArray></Cells></Piece></VTKFile>";
const VEG: &str = "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n\
    *MATERIAL gel\nENU, 1000, 1e6, 0.45\n*SET all\n1\n*REGION\nall, gel\n";
const MEDIT: &str = "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra\n1\n\
    1 2 3 4 7\nEnd\n";
const NODE: &str = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
const ELE: &str = "1 4 1\n1 1 2 3 4 7\n";

fn read_all(bytes: &[u8]) -> usize {
    let path = Path::new("mutated");
    let file = |bytes| TetGenFile { bytes, path };
    let results = [
        read_msh(bytes, path),
        read_vtk(bytes, path),
        read_vtu(bytes, path),
        read_veg(bytes, path),
        read_medit(bytes, path),
        read_tetgen(file(bytes), file(ELE.as_bytes())),
        read_tetgen(file(NODE.as_bytes()), file(bytes)),
    ];
    let sound = results.into_iter().filter_map(Result::ok).map(|parsed| parsed.value);
    // Whatever is read can be asked what it is.
    sound.inspect(|mesh| drop((mesh.problems(), mesh.surface(), mesh.edges()))).count()
}

#[test]
fn each_sound_file_is_read_by_its_own_reader_alone() {
    for text in [MSH, VTK, VTU, VEG, MEDIT, NODE, ELE] {
        assert_eq!(read_all(text.as_bytes()), 1, "{text}");
    }
}

#[test]
fn every_truncation_is_survived() {
    for text in [MSH, VTK, VTU, VEG, MEDIT, NODE, ELE] {
        for end in 0..text.len() {
            read_all(&text.as_bytes()[..end]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_all(&bytes);
    }

    #[test]
    fn mutated_files_never_panic(
        which in 0usize..7,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..4), 1..12),
    ) {
        let mut bytes = [MSH, VTK, VTU, VEG, MEDIT, NODE, ELE][which].as_bytes().to_vec();
        for (place, byte, kind) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => bytes[at] = b"0123456789 .-\n"[usize::from(byte) % 14],
                _ => bytes.truncate(at),
            }
        }
        read_all(&bytes);
    }
}
