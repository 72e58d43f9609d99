//! One small file per rule.

use glam::Vec3;
use steric_model::Element;

use super::read_text;

const SITES: &str = "loop_
_atom_site.group_PDB _atom_site.id _atom_site.type_symbol _atom_site.label_atom_id _atom_site.label_comp_id
_atom_site.label_asym_id _atom_site.auth_asym_id _atom_site.auth_seq_id
_atom_site.Cartn_x _atom_site.Cartn_y _atom_site.Cartn_z _atom_site.pdbx_PDB_model_num
ATOM   1 N  N  GLY A H 5   1.0  2.0 3.0  1
ATOM   2 C  CA GLY A H 5  -1.5 .25 3e1  1
HETATM 3 ZN ZN ZN  B H 900 0    0   0    1
";

fn with_sites(rest: &str) -> String {
    format!("data_test\n{SITES}#\n{rest}")
}

#[test]
fn author_names_name_the_chain_and_labels_stay_beside_them() {
    let structure = read_text(&with_sites("")).value;
    let chains: Vec<_> = structure.chains.iter().map(|chain| (chain.name.as_str(), chain.label.as_str())).collect();
    assert_eq!(chains, [("H", "A"), ("H", "B")]);
    assert_eq!(structure.atoms.positions[1], Vec3::new(-1.5, 0.25, 30.0));
    assert_eq!(structure.atoms.elements[2], Element::ZINC);
    assert_eq!(structure.residues.iter().map(|residue| residue.number).collect::<Vec<_>>(), [5, 900]);
    assert_eq!([structure.residues[0].hetero, structure.residues[1].hetero], [false, true]);
    assert_eq!(structure.name, "test");
}

#[test]
fn column_names_have_no_case_and_save_frames_are_skipped() {
    let text = with_sites("save_frame\n_atom_site.Cartn_x 7\nsave_\n").replace("Cartn_x ", "CARTN_X ");
    assert_eq!(read_text(&text).value.atoms.len(), 3);
}

#[test]
fn the_first_block_with_atoms_is_read_and_the_others_are_mentioned() {
    let text =
        format!("data_empty\n_entry.id none\n{}{}", with_sites(""), with_sites("").replace("data_test", "DATA_more"));
    let parsed = read_text(&text);
    assert_eq!((parsed.value.name.as_str(), parsed.value.atoms.len()), ("test", 3));
    assert_eq!(parsed.warnings.total, 1);
    assert_eq!(parsed.warnings.first[0].message, "1 more data blocks hold atoms; only \"test\" is read");
}

#[test]
fn descriptions_come_from_entities_even_after_the_atoms() {
    let text = with_sites("loop_ _entity.id _entity.pdbx_description 1 'root.cell.protein' 2 zinc")
        .replace("_atom_site.label_asym_id", "_atom_site.label_asym_id _atom_site.label_entity_id")
        .replace("GLY A", "GLY A 1")
        .replace("ZN  B", "ZN  B 2");
    let structure = read_text(&text).value;
    assert_eq!(
        [structure.chains[0].description.as_str(), structure.chains[1].description.as_str()],
        ["root.cell.protein", "zinc"]
    );
}

#[test]
fn a_cell_of_edge_one_is_no_cell() {
    let cell = "_cell.length_a 1 _cell.length_b 1 _cell.length_c 1
        _cell.angle_alpha 90 _cell.angle_beta 90 _cell.angle_gamma 90 _symmetry.space_group_name_H-M 'P 1'";
    let structure = read_text(&with_sites(cell)).value;
    assert_eq!((structure.periodic_box, structure.space_group.as_str()), (None, ""));
    let real = read_text(&with_sites(&cell.replace("_c 1", "_c 30(2)"))).value;
    assert_eq!((real.periodic_box.unwrap().edges().z, real.space_group.as_str()), (30.0, "P 1"));
}

#[test]
fn a_site_without_coordinates_is_left_out_with_a_warning() {
    let parsed = read_text(&with_sites("").replace(".25", "?"));
    assert_eq!(parsed.value.atoms.len(), 2);
    assert_eq!(parsed.warnings.first[0].to_string(), "line 7: columns 8-8: atom 2 has no y coordinate and is left out");
}

#[test]
fn a_number_with_a_letter_is_a_number_and_an_insertion_code() {
    let parsed = read_text(&with_sites("").replace("H 5", "H 184A").replace("H 900", "H 9x9"));
    let residues = &parsed.value.residues;
    assert_eq!(
        [(residues[0].number, residues[0].insertion), (residues[1].number, residues[1].insertion)],
        [(184, b'A'), (0, 0)]
    );
    assert_eq!(parsed.warnings.first[0].message, "\"9x9\" is no residue number; 0 is taken instead");
}

#[test]
fn bonds_need_both_partners_in_the_same_copy() {
    let conn = "loop_ _struct_conn.conn_type_id _struct_conn.pdbx_value_order
        _struct_conn.ptnr1_label_asym_id _struct_conn.ptnr1_label_comp_id _struct_conn.ptnr1_auth_seq_id _struct_conn.ptnr1_label_atom_id
        _struct_conn.ptnr2_label_asym_id _struct_conn.ptnr2_label_comp_id _struct_conn.ptnr2_auth_seq_id _struct_conn.ptnr2_label_atom_id
        _struct_conn.ptnr1_symmetry _struct_conn.ptnr2_symmetry
        covale doub B ZN 900 ZN A GLY 5 CA 1_555 1_555
        metalc ?    B ZN 900 ZN A GLY 5 N  1_555 1_555
        covale ?    B ZN 900 ZN A GLY 5 N  1_555 2_655
        disulf ?    B ZN 900 ZN A GLY 6 SG 1_555 1_555";
    let parsed = read_text(&with_sites(conn));
    let bonds: Vec<_> = parsed.value.bonds.iter().map(|bond| (bond.first, bond.second, bond.order)).collect();
    assert_eq!(bonds, [(1, 2, 2)]);
    assert_eq!(parsed.warnings.total, 1, "the last names an atom that is not there");
}

#[test]
fn rows_of_an_assembly_that_make_no_sense_are_left_out_with_warnings() {
    let assembly = "loop_ _pdbx_struct_assembly_gen.assembly_id _pdbx_struct_assembly_gen.oper_expression
        _pdbx_struct_assembly_gen.asym_id_list
        1 1 A,B  1 9 A  1 1 C  2 '1,m' B  3 (1)(1)(1 A  4 1 H
        loop_ _pdbx_struct_oper_list.id
        _pdbx_struct_oper_list.matrix[1][1] _pdbx_struct_oper_list.matrix[1][2] _pdbx_struct_oper_list.matrix[1][3]
        _pdbx_struct_oper_list.matrix[2][1] _pdbx_struct_oper_list.matrix[2][2] _pdbx_struct_oper_list.matrix[2][3]
        _pdbx_struct_oper_list.matrix[3][1] _pdbx_struct_oper_list.matrix[3][2] _pdbx_struct_oper_list.matrix[3][3]
        _pdbx_struct_oper_list.vector[1] _pdbx_struct_oper_list.vector[2] _pdbx_struct_oper_list.vector[3]
        1 0 -1 0 1 0 0 0 0 1  10 20 30
        m -1 0 0 0 1 0 0 0 1  0 0 0";
    let parsed = read_text(&with_sites(assembly));
    let summary: Vec<_> = parsed
        .value
        .assemblies
        .iter()
        .map(|assembly| (assembly.id.as_str(), assembly.copies.len(), assembly.copies[0].chains.clone()))
        .collect();
    // An author's name stands for all the chains that carry it.
    assert_eq!(summary, [("1", 1, vec![0, 1]), ("2", 1, vec![1]), ("4", 1, vec![0, 1])]);
    assert_eq!(parsed.warnings.total, 4, "{:?}", parsed.warnings);
    let world_from_body = parsed.value.assemblies[0].copies[0].poses[0];
    let moved = world_from_body * glam::DVec3::X;
    assert!(moved.abs_diff_eq(glam::DVec3::new(10.0, 21.0, 30.0), 1e-12), "{moved}");
}

#[test]
fn a_component_of_the_dictionary_reads_as_a_residue_with_bonds() {
    let text = "data_HCN
        loop_ _chem_comp_atom.comp_id _chem_comp_atom.atom_id _chem_comp_atom.type_symbol _chem_comp_atom.charge
        _chem_comp_atom.model_Cartn_x _chem_comp_atom.model_Cartn_y _chem_comp_atom.model_Cartn_z
        _chem_comp_atom.pdbx_model_Cartn_x_ideal _chem_comp_atom.pdbx_model_Cartn_y_ideal _chem_comp_atom.pdbx_model_Cartn_z_ideal
        HCN N N -1 9 9 9  0.0 0 0
        HCN C C  1 8 9 9  1.2 0 0
        HCN H H  0 7 9 9  2.2 0 0
        loop_ _chem_comp_bond.comp_id _chem_comp_bond.atom_id_1 _chem_comp_bond.atom_id_2 _chem_comp_bond.value_order
        HCN C N TRIP  HCN C H SING  HCN C X SING";
    let parsed = read_text(text);
    let structure = parsed.value;
    assert_eq!(structure.atoms.positions[1], Vec3::new(1.2, 0.0, 0.0));
    assert_eq!(structure.atoms.formal_charges, [-1, 1, 0]);
    assert_eq!((structure.residues.len(), structure.residues[0].name.as_str()), (1, "HCN"));
    let bonds: Vec<_> = structure.bonds.iter().map(|bond| (bond.first, bond.second, bond.order)).collect();
    assert_eq!(bonds, [(0, 1, 3), (1, 2, 1)]);
    assert_eq!(parsed.warnings.total, 1);
    let model_only = read_text(&text.replace("0.0 0 0", "? ? ?")).value;
    assert_eq!(model_only.atoms.positions[0], Vec3::splat(9.0));
}
