//! GRO, XYZ, SDF and MOL2: real files to the counts of other readers, the traps of each format, round trips.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input has failed")]

mod common;

use std::path::{Path, PathBuf};

use common::{content, count, data, readme_row, walk};
use glam::{DVec3, Vec3};
use proptest::prelude::*;
use steric_model::formats::gro::{read_gro, write_gro};
use steric_model::formats::mol2::read_mol2;
use steric_model::formats::sdf::read_sdf;
use steric_model::formats::xyz::{read_xyz, write_xyz};
use steric_model::formats::{Format, read};
use steric_model::{Element, Structure};

fn files_of(format: Format) -> Option<(PathBuf, Vec<PathBuf>)> {
    let data = data()?;
    let files = walk(&data).into_iter().filter(|path| Format::from_path(path) == Some(format)).collect();
    Some((data, files))
}

fn xyz(text: &str) -> Structure {
    read_xyz(text.as_bytes(), Path::new("test.xyz")).unwrap().value
}

fn gro(text: &str) -> Structure {
    read_gro(text.as_bytes(), Path::new("test.gro")).unwrap().value
}

#[test]
fn every_gro_file_has_the_atoms_and_residues_that_mdanalysis_finds() {
    let Some((data, files)) = files_of(Format::Gro) else { return };
    assert_eq!(files.len(), 4);
    for file in files {
        let row = readme_row(&data, &file);
        let structure = read(&file).unwrap().value;
        assert_eq!(Some(structure.atoms.len()), count(&row, "atoms"), "{row}");
        assert_eq!(Some(structure.residues.len()), count(&row, "residues"), "{row}");
        assert!(structure.periodic_box.is_some() && structure.space_group == "P 1");
    }
}

#[test]
fn every_mol_and_sdf_file_has_the_atoms_and_bonds_that_biotite_finds() {
    let Some((data, files)) = files_of(Format::Sdf) else { return };
    assert_eq!(files.len(), 18);
    for file in files {
        let row = readme_row(&data, &file);
        let parsed = read(&file).unwrap();
        let structure = parsed.value;
        // biotite refuses the second ligand of 5X72; its own counts line says the same as the first one's.
        let (atoms, bonds) = count(&row, "atoms").zip(count(&row, "bonds")).unwrap_or((24, 27));
        assert_eq!((structure.atoms.len(), structure.bonds.len()), (atoms, bonds), "{row}");
        assert_eq!(structure.models.len(), 1);
        assert!(structure.atoms.elements.iter().all(|element| *element != Element::UNKNOWN));
        assert!(structure.bonds.iter().all(|bond| bond.order > 0), "{row}");
        assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
    }
}

#[test]
fn the_mol2_file_has_the_atoms_and_bonds_that_mdanalysis_finds() {
    let Some((data, files)) = files_of(Format::Mol2) else { return };
    assert_eq!(files.len(), 1);
    let row = readme_row(&data, &files[0]);
    let structure = read(&files[0]).unwrap().value;
    assert_eq!(Some(structure.atoms.len()), count(&row, "atoms"));
    assert_eq!(Some(structure.bonds.len()), count(&row, "bonds"));
    assert_eq!(structure.atoms.types[0].as_str(), "C.3");
    assert_eq!(structure.atoms.partial_charges[0], 0.0496);
    assert_eq!((structure.residues[0].name.as_str(), structure.residues[0].number), ("E4Y", 401));
}

#[test]
fn imatinib_keeps_its_elements_and_its_charge() {
    let Some(data) = data() else { return };
    let imatinib = read(&data.join("docking/1iep/1iep_ligand.sdf")).unwrap().value;
    assert_eq!(imatinib.name, "STI");
    assert_eq!(imatinib.atoms.positions[0], Vec3::new(11.879, 62.272, 12.57));
    // C29 H32 N7 O+, the form protonated at the piperazine.
    let number = |element| imatinib.atoms.elements.iter().filter(|&&other| other == element).count();
    let formula = [Element::CARBON, Element::HYDROGEN, Element::NITROGEN, Element::OXYGEN].map(number);
    assert_eq!(formula, [29, 32, 7, 1]);
    assert_eq!(imatinib.atoms.formal_charges.iter().map(|&charge| i32::from(charge)).sum::<i32>(), 1);
}

#[test]
fn atoms_of_a_gro_file_have_elements_and_beads_have_none() {
    let Some(data) = data() else { return };
    let atoms = read(&data.join("lipids/fatslim_bilayer_allatom.gro.gz")).unwrap().value;
    let number = |element| atoms.atoms.elements.iter().filter(|&&other| other == element).count();
    // 128 DMPC (C36 H72 N O8 P) and 8391 waters.
    assert_eq!(number(Element::PHOSPHORUS), 128);
    assert_eq!(number(Element::NITROGEN), 128);
    assert_eq!(number(Element::OXYGEN), 128 * 8 + 8391);
    assert_eq!(number(Element::HYDROGEN), 128 * 72 + 2 * 8391);
    assert_eq!(number(Element::CARBON), 128 * 36);
    let beads = read(&data.join("lipids/martini_dppc_chol_bilayer.gro")).unwrap().value;
    assert!(beads.atoms.elements.iter().all(|element| *element == Element::UNKNOWN));
}

#[test]
fn a_skewed_gro_box_keeps_its_nine_numbers() {
    let Some(data) = data() else { return };
    let vesicle = read(&data.join("lipids/fatslim_dppc_vesicle_cg.gro.gz")).unwrap().value;
    let vectors = vesicle.periodic_box.unwrap().vectors();
    assert!((vectors.z_axis - DVec3::new(235.5003, 236.476, 319.8584)).length() < 1e-9);
    assert!((vectors.x_axis - DVec3::new(471.0007, 0.0, 0.0)).length() < 1e-9);
}

#[test]
fn gro_columns_follow_the_decimal_points_and_velocities_are_passed_over() {
    let precise = gro("t\n1\n    1SOL     OW    1   0.12634   1.62412  -1.67967  0.1234567 0.1 0.1\n 1 1 1\n");
    assert_eq!(precise.atoms.positions[0], Vec3::new(1.2634, 16.2412, -16.7967));
    let touching = gro("t\n1\n    1SOL     OW    1-100.126-101.624-100.679\n 0 0 0\n");
    assert_eq!(touching.atoms.positions[0], Vec3::new(-1001.26, -1016.24, -1006.79));
    assert_eq!(touching.periodic_box, None);
}

#[test]
fn gro_numbers_wrap_and_frames_are_models() {
    let atom = |residue: u32, serial: &str| format!("{residue:5}SOL     OW{serial}   0.100   0.200   0.300\n");
    let frame =
        format!("t= 1.0\n 3\n{}{}{}   1.0 1.0 1.0\n", atom(99_999, "99999"), atom(0, "    0"), atom(1, "*****"));
    let structure = gro(&format!("{frame}{frame}\n\n"));
    assert_eq!(structure.models.len(), 2);
    assert_eq!(structure.models[1].atoms, 3..6);
    assert_eq!(structure.residues.len(), 6);
    assert_eq!(structure.atoms.serials, [99_999, 0, 0, 99_999, 0, 0]);
}

#[test]
fn a_gro_file_that_ends_early_names_the_line_that_is_missing() {
    let text = b"t\n2\n    1SOL     OW    1   0.126   1.624   1.679\n";
    let error = read_gro(text, Path::new("cut.gro")).unwrap_err().to_string();
    assert_eq!(error, r#"cut.gro:4: expected one of the 2 atoms that line 2 promises, found "the end of the file""#);
    let huge = b"t\n99999999999\n    1SOL     OW    1   0.126   1.624   1.679\n";
    assert!(read_gro(huge, Path::new("huge.gro")).is_err());
}

#[test]
fn gro_survives_a_round_trip() {
    let Some((_, files)) = files_of(Format::Gro) else { return };
    for file in files {
        let first = read_gro(&content(&file), &file).unwrap().value;
        let mut written = Vec::new();
        write_gro(&first, &mut written).unwrap();
        let second = read_gro(&written, &file).unwrap().value;
        let furthest = first.atoms.positions.iter().zip(&second.atoms.positions);
        assert!(furthest.fold(0f32, |worst, (a, b)| worst.max(a.distance(*b))) < 0.01);
        assert_eq!((&first.atoms.names, &first.residues), (&second.atoms.names, &second.residues));
        assert_eq!((&first.atoms.elements, first.atoms.len()), (&second.atoms.elements, second.atoms.len()));
        let edges = first.periodic_box.unwrap().vectors() - second.periodic_box.unwrap().vectors();
        assert!(edges.to_cols_array().iter().all(|difference| difference.abs() < 1e-3));
    }
}

#[test]
fn gro_refuses_what_its_columns_cannot_hold() {
    let mut structure = xyz("1\n\nC 1 2 3\n");
    structure.atoms.positions[0].x = 123_456.0;
    let mut written = Vec::new();
    assert!(write_gro(&structure, &mut written).unwrap_err().to_string().contains("123456"));
    assert!(written.is_empty());
    assert!(write_gro(&Structure::default(), &mut written).is_err());
    assert!(write_xyz(&Structure::default(), &mut written).is_err());
}

#[test]
fn xyz_takes_symbols_labels_and_atomic_numbers() {
    let structure =
        xyz("6\nmixed\nC 0 0 0\n8 1 0 0 extra 1.0\nCl2 2e0 0 0\nfe 3 0 0\nX 4 0 0\n\tNA\t5.\t-.5\t0\r\n\n\n");
    let symbols: Vec<_> = structure.atoms.elements.iter().map(|element| element.symbol()).collect();
    assert_eq!(symbols, ["C", "O", "Cl", "Fe", "X", "Na"]);
    assert_eq!(structure.atoms.positions[5], Vec3::new(5.0, -0.5, 0.0));
    assert_eq!(structure.name, "mixed");
    let parsed = read_xyz(b"1\n\nQq 0 0 0\n", Path::new("odd.xyz")).unwrap();
    assert_eq!(parsed.warnings.total, 1);
}

#[test]
fn extended_xyz_has_a_box_and_columns_of_its_own() {
    let text = "2\nenergy=-1.5 Properties=id:I:1:species:S:1:forces:R:3:pos:R:3 Lattice=\"10 0 0 1 11 0 0 2 12\" pbc=\"T T T\"\n\
                7 C 9 9 9 1 2 3\n8 H 9 9 9 4 5 6\n";
    let structure = xyz(text);
    assert_eq!(structure.atoms.positions, [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]);
    let vectors = structure.periodic_box.unwrap().vectors();
    assert_eq!(vectors.y_axis, DVec3::new(1.0, 11.0, 0.0));
    assert_eq!(structure.space_group, "P 1");
    assert_eq!(xyz("1\nLattice=\"9 0 0 0 9 0 0 0 9\" pbc=\"F F F\"\nC 0 0 0\n").periodic_box, None);
}

#[test]
fn xyz_frames_are_models_and_survive_a_round_trip() {
    let structure = xyz("2\nLattice=\"9.5 0 0 0 9 0 0 0 9\"\nC 0.1 -0.2 1e-3\nH 1 2 3\n\n1\nsecond\nO 1234.567 0 0\n");
    assert_eq!(structure.models.len(), 2);
    let mut written = Vec::new();
    write_xyz(&structure, &mut written).unwrap();
    let again = read_xyz(&written, Path::new("test.xyz")).unwrap().value;
    assert_eq!(again, structure);
}

#[test]
fn xyz_errors_point_at_the_field() {
    let error = |text: &str| read_xyz(text.as_bytes(), Path::new("t.xyz")).unwrap_err().to_string();
    assert_eq!(
        error("1\n\nC 0 zero 0\n"),
        r#"t.xyz:3: columns 5-8: expected the y coordinate in angstroms, found "zero""#
    );
    assert_eq!(error("1\n\nC 0 1\n"), r#"t.xyz:3: columns 6-6: expected the z coordinate in angstroms, found """#);
    assert_eq!(error("one\n\nC 0 1\n"), r#"t.xyz:1: expected the number of atoms, found "one""#);
    assert!(error("1\n\nC 0 nan 0\n").contains("y coordinate"));
    assert!(error("1\n\nC 0 1e39 0\n").contains("y coordinate"));
    assert!(error("0\n\n").contains("above 0"));
}

const WATER_AND_ACETATE: &str = "\
water
  test    3D

  3  2  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.1173 O   0  0
    0.0000    0.7572   -0.4692 H   0  0
    0.0000   -0.7572   -0.4692 H   0  0
  1  2  1  0
  1  3  1  0
M  END
> <energy>
-76.4

$$$$
acetate of a long name
  test    3D

  4  3  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.5000    0.0000    0.0000 C   0  3
    2.1000    1.1000    0.0000 O   0  0
    2.1000   -1.1000    0.0000 O   0  5
  1  2  1  0
  2  3  2  0
  2  4  1  0
M  CHG  1   4  -1
M  END
$$$$
";

#[test]
fn sdf_records_are_models_with_their_titles() {
    let structure = read_sdf(WATER_AND_ACETATE.as_bytes(), Path::new("two.sdf")).unwrap().value;
    assert_eq!(structure.models.len(), 2);
    assert_eq!(structure.models[1].atoms, 3..7);
    assert_eq!(
        (structure.name.as_str(), structure.chains[1].description.as_str()),
        ("water", "acetate of a long name")
    );
    let residues: Vec<_> = structure.residues.iter().map(|residue| residue.name.as_str()).collect();
    assert_eq!(residues, ["water", "UNL"]);
    // A charge property replaces every charge of the atom block.
    assert_eq!(structure.atoms.formal_charges, [0, 0, 0, 0, 0, 0, -1]);
    let bonds: Vec<_> = structure.bonds.iter().map(|bond| (bond.first, bond.second, bond.order)).collect();
    assert_eq!(bonds, [(0, 1, 1), (0, 2, 1), (3, 4, 1), (4, 5, 2), (4, 6, 1)]);
    let names: Vec<_> = structure.atoms.names.iter().map(|name| name.as_str().to_owned()).collect();
    assert_eq!(names, ["O1", "H1", "H2", "C1", "C2", "O1", "O2"]);
}

#[test]
fn sdf_charges_of_the_atom_block_count_where_no_property_replaces_them() {
    let text = WATER_AND_ACETATE.replace("M  CHG  1   4  -1\n", "");
    let structure = read_sdf(text.as_bytes(), Path::new("two.sdf")).unwrap().value;
    assert_eq!(structure.atoms.formal_charges[3..], [0, 1, 0, -1]);
}

#[test]
fn v3000_is_read_with_continued_lines_and_indices_of_its_own() {
    let text = "\
acetate
  test    3D

  0  0  0     0  0            999 V3000
M  V30 BEGIN CTAB
M  V30 COUNTS 3 2 0 0 0
M  V30 BEGIN ATOM
M  V30 10 C 0 0 0 0
M  V30 20 O 1.2 0 -
M  V30 0 0
M  V30 30 O -0.6 1.1 0.5 0 CHG=-1
M  V30 END ATOM
M  V30 BEGIN BOND
M  V30 1 2 10 20
M  V30 2 1 30 10
M  V30 END BOND
M  V30 END CTAB
M  END
";
    let structure = read_sdf(text.as_bytes(), Path::new("v3.mol")).unwrap().value;
    assert_eq!(structure.atoms.positions[1], Vec3::new(1.2, 0.0, 0.0));
    assert_eq!(structure.atoms.formal_charges, [0, 0, -1]);
    let bonds: Vec<_> = structure.bonds.iter().map(|bond| (bond.first, bond.second, bond.order)).collect();
    assert_eq!(bonds, [(0, 1, 2), (0, 2, 1)]);
    let broken = text.replace("M  V30 1 2 10 20", "M  V30 1 2 10 99");
    assert!(read_sdf(broken.as_bytes(), Path::new("v3.mol")).is_err());
}

#[test]
fn sdf_errors_point_at_the_line() {
    let error = |text: String| read_sdf(text.as_bytes(), Path::new("t.sdf")).unwrap_err().to_string();
    let far = error(WATER_AND_ACETATE.replacen("  1  3  1  0", "  1  9  1  0", 1));
    assert_eq!(far, r#"t.sdf:9: expected a bond between atoms 1 to 3, found "  1  9  1  0""#);
    assert!(error(WATER_AND_ACETATE.replacen("  3  2", "xxxxxx", 1)).contains("t.sdf:4"));
    assert!(error("a\nb\nc\n  0  0\n".into()).contains("at least one atom"));
    assert!(error("a\nb\n".into()).contains("t.sdf:3"));
}

const TWO_MOLECULES: &str = "\
# a comment
@<TRIPOS>MOLECULE
peptide
 3 2 2 0 0
PROTEIN
USER_CHARGES

@<TRIPOS>ATOM
1 CA 1.0 2.0 3.0 C.3 1 ALA12 -0.1
2 N 2.0 2.0 3.0 N.am 2 GLY13 \\
 0.2
7 CL 3.0 2.0 3.0 Cl 2 GLY13 0.0 BACKBONE
@<TRIPOS>BOND
1 1 2 am
2 7 2 ar
3 1 7 nc
@<TRIPOS>SUBSTRUCTURE
1 ALA12 1 RESIDUE 1 A ALA
2 GLY13 2 RESIDUE 1 B GLY
@<TRIPOS>CRYSIN
10.0 11.0 12.0 90.0 90.0 90.0 1 1
@<TRIPOS>MOLECULE
second
 1
SMALL
NO_CHARGES
@<TRIPOS>ATOM
1 ca1 0 0 0 ca
";

#[test]
fn mol2_molecules_are_models_with_chains_types_and_charges() {
    let structure = read_mol2(TWO_MOLECULES.as_bytes(), Path::new("two.mol2")).unwrap().value;
    assert_eq!(structure.models.len(), 2);
    let chains: Vec<_> =
        structure.chains.iter().map(|chain| (chain.name.as_str(), chain.description.as_str())).collect();
    assert_eq!(chains, [("A", "peptide"), ("B", "peptide"), ("", "second")]);
    let symbols: Vec<_> = structure.atoms.elements.iter().map(|element| element.symbol()).collect();
    assert_eq!(symbols, ["C", "N", "Cl", "C"]);
    assert_eq!(structure.atoms.partial_charges, [-0.1, 0.2, 0.0, 0.0]);
    let bonds: Vec<_> = structure.bonds.iter().map(|bond| (bond.first, bond.second, bond.order)).collect();
    assert_eq!(bonds, [(0, 1, 1), (1, 2, 4)]);
    let residues: Vec<_> = structure.residues.iter().map(|residue| (residue.name.as_str(), residue.number)).collect();
    assert_eq!(residues, [("ALA", 12), ("GLY", 13), ("UNL", 1)]);
    assert!((structure.periodic_box.unwrap().edges() - DVec3::new(10.0, 11.0, 12.0)).length() < 1e-9);
}

#[test]
fn mol2_errors_point_at_the_field() {
    let error = |text: String| read_mol2(text.as_bytes(), Path::new("t.mol2")).unwrap_err().to_string();
    let far = error(TWO_MOLECULES.replace("1 1 2 am", "1 1 9 am"));
    assert_eq!(far, r#"t.mol2:14: columns 5-5: expected the number of an atom above, found "9""#);
    assert!(error("@<TRIPOS>ATOM\n1 C 0 0 0 C\n".into()).contains("MOLECULE first"));
    assert!(error("@<TRIPOS>MOLECULE\nname\n".into()).contains("at least one atom"));
}

const SMALL_GRO: &str = "two frames\n2\n    1SOL     OW    1   0.126   1.624   1.679\n    1SOL    HW1    2   0.190   1.661   1.747\n   1.8   1.8   1.8\n";
const SMALL_XYZ: &str =
    "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3\nC 0 0 0\n8 1 2 3\n2\nplain\nC 0 0 0\nH 1 1 1\n";

fn read_all(bytes: &[u8]) {
    let path = Path::new("mutated");
    let _ = read_gro(bytes, path);
    let _ = read_xyz(bytes, path);
    let _ = read_sdf(bytes, path);
    let _ = read_mol2(bytes, path);
    let _ = Format::sniff(bytes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_all(&bytes);
    }

    #[test]
    fn mutated_files_never_panic(
        which in 0usize..4,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..4), 1..12),
    ) {
        let mut bytes = [SMALL_GRO, SMALL_XYZ, WATER_AND_ACETATE, TWO_MOLECULES][which].as_bytes().to_vec();
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
