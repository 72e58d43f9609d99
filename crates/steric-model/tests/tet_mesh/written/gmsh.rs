//! Gmsh's files of the pair, in every version.

use steric_model::TetMesh;

use super::bytes::Out;
use super::pair;

/// Node numbers with gaps, out of order.
const TAGS: [i64; 5] = [30, 2, 17, 5, 4];

fn nodes_of(mesh: &TetMesh) -> impl Iterator<Item = (i64, [f64; 3])> {
    TAGS.into_iter().zip(mesh.points.iter().map(|point| point.to_array()))
}

fn corners(mesh: &TetMesh, at: usize) -> [i64; 4] {
    mesh.tetrahedra[at].map(|corner| TAGS[corner as usize])
}

fn words(numbers: impl IntoIterator<Item = i64>) -> String {
    numbers.into_iter().map(|number| format!("{number} ")).collect()
}

fn coordinates([x, y, z]: [f64; 3]) -> String {
    format!("{x} {y} {z}\n")
}

pub(crate) fn msh1() -> String {
    let mesh = pair("pair");
    let nodes: String = nodes_of(&mesh).map(|(tag, point)| format!("{tag} {}", coordinates(point))).collect();
    let [a, b] = [0, 1].map(|at| words(corners(&mesh, at)));
    let elements = format!("1 15 1 1 1 30\n2 1 1 1 2 30 2\n3 2 1 1 3 30 2 17\n4 4 7 1 4 {a}\n5 4 9 1 4 {b}\n");
    format!("$NOD\n5\n{nodes}$ENDNOD\n$ELM\n5\n{elements}$ENDELM\n").replace('\n', "\r\n")
}

pub(crate) fn msh2() -> String {
    let mesh = pair("pair");
    let nodes: String = nodes_of(&mesh).map(|(tag, point)| format!("{tag} {}", coordinates(point))).collect();
    let [a, b] = [0, 1].map(|at| words(corners(&mesh, at)));
    // Groups may be named, elements may have more tags than two, and comments stand in sections of their own.
    let head = "$Comments\n$ is no section here\n$EndComments\n$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
        $PhysicalNames\n1\n3 7 \"liver\"\n$EndPhysicalNames\n";
    let elements = format!("1 2 2 1 1 30 2 17\n2 4 2 7 1 {a}\n3 4 4 9 1 1 3 {b}\n");
    format!("{head}$Nodes\n5\n{nodes}$EndNodes\n$Elements\n3\n{elements}$EndElements\n$NodeData\n0\n$EndNodeData\n")
}

fn begin_binary(version: &str, is_big: bool) -> Out {
    let mut out = Out::new(is_big);
    out.text(&format!("$MeshFormat\n{version} 1 8\n"));
    out.i32s([1]);
    out.text("\n$EndMeshFormat\n");
    out
}

pub(crate) fn msh2_binary(is_big: bool) -> Vec<u8> {
    let (mesh, mut out) = (pair("pair"), begin_binary("2.2", is_big));
    out.text("$Nodes\n5\n");
    for (tag, point) in nodes_of(&mesh) {
        out.i32s([tag]);
        out.f64s(point);
    }
    out.text("\n$EndNodes\n$Elements\n4\n");
    out.i32s([2, 2, 2, 1, 1, 1, 30, 2, 17, 2, 1, 1, 30, 17, 5]);
    out.i32s([4, 2, 2]);
    for (at, region) in [(0, 7), (1, 9)] {
        out.i32s([10 + at as i64, region, 1]);
        out.i32s(corners(&mesh, at));
    }
    out.text("\n$EndElements\n");
    out.bytes
}

/// Entities that put volume 3 into group 7 and volume 4 into the reversed group -9; volume 5 is in none.
const VOLUMES: [(i64, &[i64]); 3] = [(3, &[7, 8]), (4, &[-9]), (5, &[])];

pub(crate) fn msh4(version: &str) -> String {
    let (mesh, is_old) = (pair("pair"), version == "4");
    let box_of_point = if is_old { "0 0 0 0 0 0" } else { "0 0 0" };
    let mut text = format!("$MeshFormat\n{version} 0 8\n$EndMeshFormat\n$Entities\n1 0 1 3\n1 {box_of_point} 0\n");
    text += "2 0 0 0 1 1 1 1 5 2 1 -2\n";
    for (volume, groups) in VOLUMES {
        text += &format!("{volume} 0 0 0 1 1 1 {} {}1 2\n", groups.len(), words(groups.iter().copied()));
    }
    text += "$EndEntities\n$Nodes\n";
    let nodes: Vec<(i64, [f64; 3])> = nodes_of(&mesh).collect();
    if is_old {
        text += "2 5\n2 2 1 3\n";
        nodes[..3].iter().for_each(|(tag, [x, y, z])| text += &format!("{tag} {x} {y} {z} 0.5 0.5\n"));
        text += "3 3 0 2\n";
        nodes[3..].iter().for_each(|(tag, point)| text += &format!("{tag} {}", coordinates(*point)));
    } else {
        text += "2 5 2 30\n2 2 1 3\n30\n2\n17\n";
        nodes[..3].iter().for_each(|(_, [x, y, z])| text += &format!("{x} {y} {z} 0.5 0.5\n"));
        text += "3 3 0 2\n5\n4\n";
        nodes[3..].iter().for_each(|(_, point)| text += &coordinates(*point));
    }
    let head = |dimension: i64, tag: i64| if is_old { [tag, dimension] } else { [dimension, tag] };
    text += if is_old { "$EndNodes\n$Elements\n3 3\n" } else { "$EndNodes\n$Elements\n3 3 1 3\n" };
    text += &format!("{}2 1\n1 30 2 17\n", words(head(2, 2)));
    for (at, volume) in [(0, 3), (1, 4)] {
        text += &format!("{}4 1\n{} {}\n", words(head(3, volume)), at + 2, words(corners(&mesh, at)));
    }
    text + "$EndElements\n"
}

pub(crate) fn msh41_binary(is_big: bool) -> Vec<u8> {
    let (mesh, mut out) = (pair("pair"), begin_binary("4.1", is_big));
    out.text("$Entities\n");
    out.u64s([0, 0, 0, 3]);
    for (volume, groups) in VOLUMES {
        out.i32s([volume]);
        out.f64s([0.0; 6]);
        out.u64s([groups.len() as i64]);
        out.i32s(groups.iter().copied());
        out.u64s([0]);
    }
    out.text("\n$EndEntities\n$Nodes\n");
    out.u64s([1, 5, 2, 30]);
    out.i32s([3, 3, 0]);
    out.u64s([5]);
    out.u64s(TAGS);
    nodes_of(&mesh).for_each(|(_, point)| out.f64s(point));
    out.text("\n$EndNodes\n$Elements\n");
    out.u64s([2, 2, 1, 2]);
    for (at, volume) in [(0, 3), (1, 4)] {
        out.i32s([3, volume, 4]);
        out.u64s([1, at as i64 + 1]);
        out.u64s(corners(&mesh, at));
    }
    out.text("\n$EndElements\n");
    out.bytes
}
