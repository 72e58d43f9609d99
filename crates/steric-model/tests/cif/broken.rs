//! Broken input: errors name the place, and nothing panics.

use std::path::Path;

use proptest::prelude::*;
use steric_model::formats::cif::{read_bcif, read_mmcif, write_bcif};

use super::{load, read_text};

fn error_of(text: &str) -> String {
    read_mmcif(text.as_bytes(), Path::new("bad.cif")).unwrap_err().to_string()
}

const HEAD: &str = "data_x\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n";

#[test]
fn errors_name_the_line_what_was_expected_and_what_was_found() {
    let cases = [
        (
            format!("{HEAD}1 0 0 0\n2 0 0x 0\n"),
            r#"bad.cif:8: columns 5-6: expected the y coordinate in angstroms, found "0x""#,
        ),
        (
            format!("{HEAD}1 0 0 1e99\n"),
            r#"bad.cif:7: columns 7-10: expected the z coordinate in angstroms, found "1e99""#,
        ),
        (
            format!("{HEAD}1 0 0 0\n2 0\n"),
            r#"bad.cif:9: expected 4 values in every row of the loop _atom_site, found "2 values in the last row""#,
        ),
        (
            format!("data_x\nloop_\n_cell.a\n_cell.b\n1 2\n3\nloop_\n{HEAD}"),
            r#"bad.cif:7: expected 2 values in every row of the loop _cell, found "1 values in the last row""#,
        ),
        ("data_x\nloop_\n1 2".to_owned(), r#"bad.cif:2: expected data names after loop_, found "none""#),
        ("data_x\n_a.b\n_c.d 1".to_owned(), r#"bad.cif:2: expected a value of _a.b, found "none""#),
        ("data_x\n_a.b 1 2".to_owned(), r#"bad.cif:2: columns 8-8: expected a data name before a value, found "2""#),
        ("_a.b 1".to_owned(), r#"bad.cif:1: expected data_ and a name before the first item, found "an item""#),
        (
            "data_x\nsave_y\n_a.b 1".to_owned(),
            r#"bad.cif:1: expected save_ that closes this frame, found "the end of the file""#,
        ),
        (
            "data_x\n_entry.id 1".to_owned(),
            r#"bad.cif: expected a data block with _atom_site.Cartn_x or with the atoms of a chemical component, found "no atoms""#,
        ),
        (
            "data_x loop_ _atom_site.id _atom_site.Cartn_x 1 2".to_owned(),
            r#"bad.cif:1: expected the columns Cartn_x, Cartn_y and Cartn_z of _atom_site, found "not all three""#,
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error_of(&text), expected, "{text}");
    }
    assert!(error_of("").contains("no atoms"));
}

#[test]
fn a_binary_file_that_is_none_says_where() {
    let error = read_bcif(b"data_x", Path::new("bad.bcif")).unwrap_err().to_string();
    assert!(error.starts_with("bad.bcif: byte 0: expected a BinaryCIF file"), "{error}");
}

#[test]
fn a_small_file_cannot_ask_for_endless_copies() {
    let operators = "loop_ _pdbx_struct_oper_list.id
        _pdbx_struct_oper_list.matrix[1][1] _pdbx_struct_oper_list.matrix[1][2] _pdbx_struct_oper_list.matrix[1][3]
        _pdbx_struct_oper_list.matrix[2][1] _pdbx_struct_oper_list.matrix[2][2] _pdbx_struct_oper_list.matrix[2][3]
        _pdbx_struct_oper_list.matrix[3][1] _pdbx_struct_oper_list.matrix[3][2] _pdbx_struct_oper_list.matrix[3][3]
        _pdbx_struct_oper_list.vector[1] _pdbx_struct_oper_list.vector[2] _pdbx_struct_oper_list.vector[3]\n";
    let rows: String = (1..=60).map(|id| format!("{id} 1 0 0 0 1 0 0 0 1 {id} 0 0\n")).collect();
    let assembly = format!(
        "_pdbx_struct_assembly_gen.assembly_id 1 _pdbx_struct_assembly_gen.asym_id_list A
        _pdbx_struct_assembly_gen.oper_expression {}\n",
        "(1-60)".repeat(50)
    );
    let sites = HEAD.replace("loop_\n", "loop_\n_atom_site.label_asym_id\n") + "A 1 0 0 0\nA 2 0 0 0\n";
    let parsed = read_text(&format!("{sites}{operators}{rows}{assembly}"));
    assert!(parsed.value.assemblies.is_empty());
    assert!(parsed.warnings.first[0].message.contains("more than 20000000 copies"), "{:?}", parsed.warnings);
}

/// A file with everything in it, short enough to break in many ways.
fn sample() -> Vec<u8> {
    let sites = "data_x\n_entry.id 'x y'\n_cell.length_a 10 _cell.length_b 10 _cell.length_c 10
_cell.angle_alpha 90 _cell.angle_beta 90 _cell.angle_gamma 90\nloop_ _entity.id _entity.pdbx_description 1\n;text\n;\n2 'it's'
loop_ _atom_site.id _atom_site.type_symbol _atom_site.label_atom_id _atom_site.label_asym_id _atom_site.label_comp_id
_atom_site.auth_seq_id _atom_site.label_entity_id _atom_site.Cartn_x _atom_site.Cartn_y _atom_site.Cartn_z _atom_site.pdbx_PDB_model_num
1 C CA A GLY 1 1 0 0 0 1 2 S SG A CYS 2 1 1 2.5 -3 1 3 C CA A GLY 1 1 0 0 0 2 4 S SG B CYS 2 2 1 2.5 -3 2
loop_ _struct_conn.conn_type_id _struct_conn.ptnr1_label_asym_id _struct_conn.ptnr1_label_comp_id _struct_conn.ptnr1_auth_seq_id
_struct_conn.ptnr1_label_atom_id _struct_conn.ptnr2_label_asym_id _struct_conn.ptnr2_label_comp_id _struct_conn.ptnr2_auth_seq_id
_struct_conn.ptnr2_label_atom_id covale A GLY 1 CA A CYS 2 SG
loop_ _pdbx_struct_assembly_gen.assembly_id _pdbx_struct_assembly_gen.oper_expression _pdbx_struct_assembly_gen.asym_id_list
1 (1-2)(P) A,B 1 1,2 A\nloop_ _pdbx_struct_oper_list.id";
    let columns = ["matrix[1][1]", "matrix[1][2]", "matrix[1][3]", "matrix[2][1]", "matrix[2][2]", "matrix[2][3]"];
    let more = ["matrix[3][1]", "matrix[3][2]", "matrix[3][3]", "vector[1]", "vector[2]", "vector[3]"];
    let names: String = columns.iter().chain(&more).map(|name| format!(" _pdbx_struct_oper_list.{name}")).collect();
    let rows: String = ["1", "2", "P"].iter().map(|id| format!("\n{id} 1 0 0 0 1 0 0 0 1 5 6 7")).collect();
    format!("{sites}{names}{rows}\n").into_bytes()
}

fn read_both(bytes: &[u8]) {
    for parsed in [read_mmcif(bytes, Path::new("x")), read_bcif(bytes, Path::new("x"))].into_iter().flatten() {
        assert!(!parsed.value.atoms.is_empty(), "a file without atoms is an error");
    }
}

fn mutate(bytes: &mut Vec<u8>, changes: &[(usize, u8, u8)]) {
    for &(at, byte, kind) in changes {
        let at = at % bytes.len().max(1);
        match kind % 4 {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 if bytes.len() > 1 => drop(bytes.remove(at)),
            _ => bytes.truncate(at.max(1)),
        }
    }
}

fn changes() -> impl Strategy<Value = Vec<(usize, u8, u8)>> {
    // Truncation (3) is rare, or little would be left to read.
    let kind = prop_oneof![20 => 0_u8..3, 1 => Just(3_u8)];
    prop::collection::vec((any::<usize>(), any::<u8>(), kind), 1..8)
}

#[test]
fn the_sample_is_whole_before_it_is_broken() {
    let parsed = read_mmcif(&sample(), Path::new("x")).unwrap();
    assert_eq!((parsed.warnings.total, parsed.value.bonds.len()), (0, 1), "{:?}", parsed.warnings);
    assert_eq!(parsed.value.assemblies[0].copies.len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read_both(&bytes);
    }

    #[test]
    fn words_of_cif_in_any_order_never_panic(words in prop::collection::vec(prop::sample::select(vec![
        "data_x", "loop_", "save_", "save_f", "_atom_site.id", "_atom_site.Cartn_x", "_atom_site.Cartn_y", "_atom_site.Cartn_z",
        "_cell.length_a", "_entity.id", "1", "-2.5", "?", ".", "'a b'", "\"", "'", "\n;", ";", "#", "\n", "_", "_.", "_a", "global_",
        "_pdbx_struct_assembly_gen.oper_expression", "(1-2)", "_chem_comp_atom.x", "_chem_comp_atom.y", "_chem_comp_atom.z",
    ]), 0..60)) {
        read_both(words.join(" ").as_bytes());
        read_both(format!("{HEAD}{}", words.join("\n")).as_bytes());
    }

    #[test]
    fn broken_text_never_panics(changes in changes()) {
        let mut bytes = sample();
        mutate(&mut bytes, &changes);
        read_both(&bytes);
    }

    #[test]
    fn broken_binary_never_panics(changes in changes()) {
        let mut bytes = Vec::new();
        write_bcif(&read_mmcif(&sample(), Path::new("x")).unwrap().value, &mut bytes).unwrap();
        mutate(&mut bytes, &changes);
        read_both(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn broken_real_files_never_panic(file in 0_usize..4, changes in changes()) {
        let path = ["structures/1crn.cif", "structures/turk/3ptb.cif", "structures/4hhb.bcif.gz", "structures/large/1f2n.bcif"][file];
        let Some(mut bytes) = load(path) else { return Ok(()) };
        mutate(&mut bytes, &changes);
        read_both(&bytes);
    }
}
