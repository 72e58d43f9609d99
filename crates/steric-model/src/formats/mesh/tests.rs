use super::*;
use proptest::prelude::*;

fn tetrahedron() -> Mesh {
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.25, 0.5, -2.0)];
    Mesh { vertices, triangles: vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] }
}

const HEADER: &str = "comment made by a test\nelement vertex 4\nproperty double x\nproperty float y\nproperty uchar red\n\
    property float z\nelement face 4\nproperty list uchar int vertex_indices\nproperty short flags\nelement edge 1\n\
    property list ushort float weights\nend_header\n";

fn ply_text(mesh: &Mesh) -> Vec<u8> {
    let mut text = format!("ply\nformat ascii 1.0\n{HEADER}");
    for vertex in &mesh.vertices {
        text += &format!("{} {} 255 {}\n", vertex.x, vertex.y, vertex.z);
    }
    for [a, b, c] in &mesh.triangles {
        text += &format!("3 {a} {b} {c} 7\n");
    }
    (text + "2 0.5 0.5\n").into_bytes()
}

fn ply_binary(mesh: &Mesh, is_big: bool) -> Vec<u8> {
    let coding = if is_big { "binary_big_endian" } else { "binary_little_endian" };
    let mut bytes = format!("ply\nformat {coding} 1.0\n{HEADER}").into_bytes();
    let mut put = |number: &[u8]| {
        if is_big { bytes.extend(number.iter().rev()) } else { bytes.extend(number) }
    };
    for vertex in &mesh.vertices {
        put(&vertex.x.to_le_bytes());
        put(&(vertex.y as f32).to_le_bytes());
        put(&[255]);
        put(&(vertex.z as f32).to_le_bytes());
    }
    for triangle in &mesh.triangles {
        put(&[3]);
        triangle.iter().for_each(|corner| put(&(*corner as i32).to_le_bytes()));
        put(&7_i16.to_le_bytes());
    }
    put(&2_u16.to_le_bytes());
    put(&0.5_f32.to_le_bytes());
    put(&0.5_f32.to_le_bytes());
    bytes
}

fn refusal(bytes: &[u8], name: &str) -> String {
    read_mesh_bytes(bytes, name.as_ref()).expect_err("a broken file").to_string()
}

#[test]
fn every_coding_of_a_ply_file_gives_the_same_mesh() {
    let mesh = tetrahedron();
    for bytes in [ply_text(&mesh), ply_binary(&mesh, false), ply_binary(&mesh, true)] {
        let parsed = read_mesh_bytes(&bytes, "x".as_ref()).unwrap();
        assert_eq!((parsed.value, parsed.warnings.total), (mesh.clone(), 0));
    }
}

#[test]
fn obj_corners_count_from_one_or_backwards_and_polygons_become_fans() {
    let text = b"# a remark\r\nmtllib a.mtl\no cell\nv 0 0 0\nv 1 0 0 1.0\nvn 0 0 1\nv 1 1 0\nv 0 1 0\ns off\n\
        f 1/1/1 2//1 3/2 4\nf -1 -2 -3\nf 1 2\ncurv 1 2\n";
    let parsed = read_mesh_bytes(text, "notes".as_ref()).unwrap();
    assert_eq!(parsed.value.triangles, [[0, 1, 2], [0, 2, 3], [3, 2, 1]]);
    let warnings: Vec<String> = parsed.warnings.first.iter().map(ToString::to_string).collect();
    assert_eq!(warnings[0], "line 12: a face of 2 corners has no area; it was left out");
    assert!(warnings[1].starts_with("line 13: the keyword \"curv\" is not known"));
}

#[test]
fn compressed_files_are_read_alike() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&ply_text(&tetrahedron())).unwrap();
    assert_eq!(read_mesh_bytes(&encoder.finish().unwrap(), "cell.ply.gz".as_ref()).unwrap().value, tetrahedron());
}

#[test]
fn errors_say_where_and_what() {
    let obj = |text: &str| refusal(text.as_bytes(), "a.obj");
    assert_eq!(obj("v 0 1\n"), "a.obj:1: columns 6-6: expected the z coordinate of a vertex, found \"\"");
    assert_eq!(obj("v 0 1 x\n"), "a.obj:1: columns 7-7: expected the z coordinate of a vertex, found \"x\"");
    assert!(obj("v 0 1 2\nf 0 1 1\n").contains("a.obj:2: columns 3-3: expected the number of one of the 1 vertices"));
    assert!(obj("v 0 1 2\n").contains("at least one triangle, found \"1 vertices and no triangle\""));
    assert!(refusal(b"", "a.txt").contains("a surface mesh (OBJ, PLY, OFF, STL, glTF), found \"an empty file\""));
    let ply = |from: &str, to: &str| {
        refusal(String::from_utf8(ply_text(&tetrahedron())).unwrap().replacen(from, to, 1).as_bytes(), "a.ply")
    };
    assert!(ply("ascii", "utf8").contains("a.ply:2: expected the format ascii"));
    assert!(ply("double", "complex").contains("a.ply:5: columns 10-16: expected a type of number"));
    assert!(ply("vertex 4", "vertex four").contains("a.ply:4: columns 16-19: expected how many elements"));
    assert!(ply("3 0 3 1 7", "3 0 9 1 7").contains("a.ply:20: expected the number of one of the 4 vertices, from 0"));
    assert!(ply("end_header", "end").contains("a line of a PLY header"));
    assert!(ply("2 0.5 0.5", "").contains("the length of a list, found \"the end of the file\""));
}

#[test]
fn a_count_that_lies_is_an_error_and_no_memory() {
    let huge = String::from_utf8(ply_text(&tetrahedron())).unwrap().replace("vertex 4", "vertex 4000000000000");
    assert!(refusal(huge.as_bytes(), "a.ply").contains("of the 4000000000000 that line 4 promises"));
    let empty = "ply\nformat ascii 1.0\nelement nothing 9000000000000000000\nend_header\n";
    assert!(refusal(empty.as_bytes(), "a.ply").contains("at least one triangle"));
}

proptest! {
    #[test]
    fn broken_files_never_panic(at in 0_usize..400, byte: u8, cut in 0_usize..500, coding in 0..4) {
        let mesh = tetrahedron();
        let mut bytes = match coding {
            0 => ply_text(&mesh),
            1 => ply_binary(&mesh, false),
            2 => ply_binary(&mesh, true),
            _ => b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf -1 -2 -3\n".to_vec(),
        };
        let length = bytes.len();
        bytes[at % length] = byte;
        let _ = read_mesh_bytes(&bytes, "x.obj".as_ref());
        let _ = read_mesh_bytes(&bytes[..cut.min(length)], "x.obj".as_ref());
    }
}

#[test]
fn off_and_stl_files_give_the_same_surface_as_obj() {
    let mesh = tetrahedron();
    let mut off = format!("# made by a test\nOFF\n{} {} 0\n", mesh.vertices.len(), mesh.triangles.len());
    let (mut text, mut binary) = ("solid t\n".to_owned(), vec![b's'; 80]);
    binary.extend((mesh.triangles.len() as u32).to_le_bytes());
    mesh.vertices.iter().for_each(|vertex| off += &format!("{} {} {}\n", vertex.x, vertex.y, vertex.z));
    for corners in &mesh.triangles {
        off += &format!("3 {} {} {} 0.5\n", corners[0], corners[1], corners[2]);
        text += "facet normal 0 0 0\nouter loop\n";
        binary.extend([0; 12]);
        for corner in corners.map(|corner| mesh.vertices[corner as usize]) {
            text += &format!("vertex {} {} {}\n", corner.x, corner.y, corner.z);
            corner.to_array().iter().for_each(|axis| binary.extend((*axis as f32).to_le_bytes()));
        }
        text += "endloop\nendfacet\n";
        binary.extend([0; 2]);
    }
    assert_eq!(read_mesh_bytes(off.as_bytes(), "x".as_ref()).unwrap().value, mesh);
    let soup: Vec<DVec3> = mesh.triangles.iter().flatten().map(|&corner| mesh.vertices[corner as usize]).collect();
    for bytes in [text.as_bytes(), &binary] {
        let parsed = read_mesh_bytes(bytes, "x".as_ref()).unwrap().value;
        assert_eq!((parsed.triangles.len(), parsed.vertices), (4, soup.clone()));
    }
}

#[test]
fn broken_off_and_stl_files_point_at_their_place() {
    let cases = [
        ("OFF\n2 1 0\n0 0 0\n1 0 0\n3 0 1 2\n", "a.off:5: columns 7-7: expected one of the 2 vertices, found \"2\""),
        ("OFF 9999999999 1 0\n", "a.off:1: columns 5-14: expected how many there are"),
        ("OFF\n4000000000 1 0\n0 0 0\n", "a.off: expected the coordinates of a vertex, found \"the end of the file\""),
        ("solid\nvertex 0 0 0\nendloop\n", "a.off:3: expected three corners above, not 1"),
        ("solid\nvertex 0 x 0\n", "a.off:2: columns 10-10: expected a coordinate of a vertex"),
    ];
    for (text, expected) in cases {
        let error = refusal(text.as_bytes(), "a.off");
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(refusal(&[0; 90], "a.stl").contains("as many triangles of 50 bytes as byte 80 says"));
}

#[test]
fn a_gltf_surface_is_placed_by_its_nodes() {
    // Three corners and three indices, in one buffer.
    let mut bytes: Vec<u8> =
        [0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.extend([0, 1, 2]);
    use base64::Engine;
    let buffer = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "buffers": [{{"byteLength": 39, "uri": "data:application/octet-stream;base64,{buffer}"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 36}}, {{"buffer": 0, "byteOffset": 36, "byteLength": 3}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}},
            {{"bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR"}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
        "nodes": [{{"children": [1], "translation": [0, 0, 5]}}, {{"mesh": 0, "scale": [2, 2, 2]}}, {{"mesh": 0}}]}}"#
    );
    let mesh = read_mesh_bytes(text.as_bytes(), "t.gltf".as_ref()).unwrap().value;
    assert_eq!(mesh.triangles, [[0, 1, 2], [3, 4, 5]]);
    assert_eq!((mesh.vertices[1], mesh.vertices[4]), (DVec3::new(2.0, 0.0, 5.0), DVec3::X));
    let none = refusal(br#"{"asset": {"version": "2.0"}}"#, "t.gltf");
    assert!(none.contains("a surface of at least one triangle"), "{none}");
}
