//! Gmsh's MSH files of every version, as text and binary.

use crate::written::gmsh::{msh1, msh2, msh2_binary, msh4, msh41_binary};
use crate::written::pair;
use crate::{read, refusal};

#[test]
fn every_version_gives_the_same_mesh() {
    let texts = [msh1(), msh2(), msh4("4"), msh4("4.1")].map(String::into_bytes);
    let binaries = [msh2_binary(false), msh2_binary(true), msh41_binary(false), msh41_binary(true)];
    for (at, bytes) in texts.into_iter().chain(binaries).enumerate() {
        let parsed = read(&bytes, "pair.msh");
        assert_eq!(parsed.value, pair("pair"), "file {at}");
        assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
        assert_eq!(read(&bytes, "stdin").value.tetrahedra.len(), 2, "the content alone tells the format");
    }
}

#[test]
fn a_volume_without_a_group_is_a_region_of_its_own_number() {
    let without = msh4("4.1");
    let (start, end) = (without.find("$Entities").unwrap(), without.find("$Nodes").unwrap());
    let without = [&without[..start], &without[end..]].concat();
    assert_eq!(read(without.as_bytes(), "pair.msh").value.regions, [3, 4]);
}

#[test]
fn other_volumes_are_counted_and_curved_tetrahedra_lose_their_curves() {
    let nodes: String = (1..=20).map(|tag| format!("{tag} {tag} {} {}\n", tag * tag % 7, tag % 3)).collect();
    let elements =
        "1 5 2 1 1 1 2 3 4 5 6 7 8\n2 6 0 1 2 3 4 5 6\n3 11 2 -4 1 1 2 3 4 5 6 7 8 9 10\n4 5 0 1 2 3 4 5 6 7 8\n";
    let text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n20\n{nodes}$EndNodes\n$Elements\n4\n{elements}$EndElements\n"
    );
    let parsed = read(text.as_bytes(), "mixed.msh");
    assert_eq!((parsed.value.tetrahedra, parsed.value.regions), (vec![[0, 1, 2, 3]], vec![0]));
    let warnings: Vec<String> = parsed.warnings.first.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "2 hexahedra were left out; only tetrahedra are read",
            "1 prisms were left out; only tetrahedra are read",
            "1 tetrahedra of a higher order were taken by their four corners",
            "1 tetrahedra have a region that is no number from 0 to 4294967295; taken as 0",
        ]
    );
}

#[test]
fn errors_point_at_the_place() {
    let far = msh1().replace("5 4 9 1 4 2 4", "5 4 9 1 4 2 99");
    assert_eq!(
        refusal(far.as_bytes(), "t.msh"),
        r#"t.msh:15: columns 13-14: expected the number of one of the 5 points above, found "99""#
    );
    let word = msh2().replace("30 0 0 0", "30 0 zero 0");
    assert_eq!(
        refusal(word.as_bytes(), "t.msh"),
        r#"t.msh:13: columns 6-9: expected the y coordinate of a point, found "zero""#
    );
    let twice = msh1().replace("\n2 1 0 0", "\n30 1 0 0");
    assert_eq!(
        refusal(twice.as_bytes(), "t.msh"),
        r#"t.msh:4: columns 1-2: expected a number that no node above has, found "30""#
    );
    let version = msh2().replace("2.2 0 8", "3.0 0 8");
    assert!(refusal(version.as_bytes(), "t.msh").contains("the MSH version 1, 2, 4 or 4.1, found \"3.0\""));
    let cut = &msh41_binary(false)[..400];
    assert_eq!(refusal(cut, "t.msh"), r#"t.msh: byte 400: expected the number of a node, found "the end of the file""#);
    let open = msh2().replace("$EndElements", "");
    assert!(refusal(open.as_bytes(), "t.msh").contains("expected the end of the section, $EndElements"));
}

#[test]
fn a_file_of_surfaces_alone_is_refused() {
    let text = "$NOD\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$ENDNOD\n$ELM\n1\n1 2 1 1 3 1 2 3\n$ENDELM\n";
    assert_eq!(
        refusal(text.as_bytes(), "t.msh"),
        r#"t.msh: expected a mesh of at least one tetrahedron, found "3 points and no tetrahedron""#
    );
}
