//! PDB and PDBQT: every file of the shared collection, one test per trap, round trips, and noise.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use steric_model::formats::pdb::{read_pdb, write_pdb};
use steric_model::formats::pdbqt::read_pdbqt;
use steric_model::{Assembly, Copies, Element, Parsed, Place, Pose, ReadError, Structure};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

fn data() -> Option<PathBuf> {
    let folder = PathBuf::from(DATA);
    if !folder.is_dir() {
        eprintln!("skipped: no ../shared/data");
        return None;
    }
    Some(folder)
}

fn bytes_of(path: &Path) -> std::io::Result<Vec<u8>> {
    let bytes = std::fs::read(path)?;
    if path.extension().is_none_or(|ending| ending != "gz") {
        return Ok(bytes);
    }
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text)?;
    Ok(text)
}

fn read(path: &Path) -> Result<Parsed<Structure>, ReadError> {
    let bytes = bytes_of(path).unwrap();
    if path.extension().is_some_and(|ending| ending == "pdbqt") {
        read_pdbqt(&bytes, path)
    } else {
        read_pdb(&bytes, path)
    }
}

fn shared(name: &str) -> Option<Parsed<Structure>> {
    Some(read(&data()?.join(name)).unwrap())
}

fn parse(text: &str) -> Parsed<Structure> {
    read_pdb(text.as_bytes(), Path::new("test.pdb")).unwrap()
}

fn written(structure: &Structure) -> String {
    let mut out = Vec::new();
    write_pdb(structure, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

// Atom sites in all models, residues and chains of the first model, models, sites with an alternate location, residues
// with an insertion code, hydrogens of the first model. Counted by gemmi 0.7.5, for 3dfr, cytc_1crj, incomplete and
// PDBQT by MDAnalysis 2.11 (chains by eye). Where gemmi is caught in the trap the row has what the file means:
// - dppc128: gemmi takes the C of DPPC and the 3 of TIP3 for chains, and last digits for 2,660 insertion codes
// - 5dfr_solvated, 5digitResid: 6,024 and 1 insertion codes that are last digits of residue numbers
// - 5dfr_solvated: names are not aligned, so gemmi finds 264 hydrogens; there are 1,221 in the protein (5dfr_minimized)
//   and 2 in each of 7,023 waters
// - HIV1_P6_VPR: 52 residues of P6 and 96 of VPR in one chain; gemmi merges six pairs of the same name and number
type Row = (&'static str, [usize; 6], Option<usize>);

const FILES: &[Row] = &[
    ("docking/1iep/1iep_receptorH.pdb", [4412, 274, 1, 1, 0, 0], Some(2183)),
    ("docking/5x72/5x72_receptorH.pdb", [2433, 149, 1, 1, 34, 0], Some(1213)),
    ("ligands/ADP.pdb", [42, 1, 1, 1, 0, 0], Some(15)),
    ("ligands/ATP.pdb", [47, 1, 1, 1, 0, 0], Some(16)),
    ("ligands/BEN.pdb", [17, 1, 1, 1, 0, 0], Some(8)),
    ("ligands/CLR.pdb", [74, 1, 1, 1, 0, 0], Some(46)),
    ("ligands/FOL.pdb", [51, 1, 1, 1, 0, 0], Some(19)),
    ("ligands/GLC.pdb", [24, 1, 1, 1, 0, 0], Some(12)),
    ("ligands/HEM.pdb", [75, 1, 1, 1, 0, 0], Some(32)),
    ("ligands/MTX.pdb", [55, 1, 1, 1, 0, 0], Some(22)),
    ("ligands/NDP.pdb", [78, 1, 1, 1, 0, 0], Some(30)),
    ("ligands/PCF.pdb", [130, 1, 1, 1, 0, 0], Some(80)),
    ("ligands/PCW.pdb", [139, 1, 1, 1, 0, 0], Some(85)),
    ("ligands/PLM.pdb", [50, 1, 1, 1, 0, 0], Some(32)),
    ("ligands/POV.pdb", [134, 1, 1, 1, 0, 0], Some(82)),
    ("ligands/STI.pdb", [68, 1, 1, 1, 0, 0], Some(31)),
    ("ligands/TOP.pdb", [39, 1, 1, 1, 0, 0], Some(18)),
    ("lipids/cholesterol_threejs.pdb", [74, 1, 1, 1, 0, 0], Some(46)),
    ("lipids/dppc128_allatom.pdb.gz", [27617, 3787, 1, 1, 0, 0], Some(17558)),
    ("lipids/jmol_hugeMembrane.pdb.gz", [40378, 4726, 2, 1, 0, 0], Some(25452)),
    ("lipids/openmm_DPPC_patch.pdb.gz", [28160, 3968, 1, 1, 0, 0], Some(17920)),
    ("lipids/openmm_POPC_patch.pdb.gz", [32512, 5248, 1, 1, 0, 0], Some(20736)),
    ("lipids/palmitoyl_packmol.pdb", [42, 1, 1, 1, 0, 0], Some(24)),
    ("mesoscale/hiv_ingredients/1AK4A.pdb.gz", [1553, 165, 1, 1, 0, 0], Some(287)),
    ("mesoscale/hiv_ingredients/1AK4fitTo1VU4hex.pdb.gz", [12353, 1551, 7, 1, 0, 0], Some(287)),
    ("mesoscale/hiv_ingredients/1ESX.pdb.gz", [1608, 96, 1, 1, 0, 0], Some(802)),
    ("mesoscale/hiv_ingredients/1EX4.pdb.gz", [3450, 499, 2, 1, 0, 0], Some(0)),
    ("mesoscale/hiv_ingredients/1JFWpm.pdb.gz", [1354, 86, 1, 1, 0, 0], Some(673)),
    ("mesoscale/hiv_ingredients/1PI7_1vpu_biounit.pdb.gz", [3310, 140, 5, 1, 0, 0], Some(923)),
    ("mesoscale/hiv_ingredients/1VU4CtoH_hex.pdb.gz", [10800, 1386, 6, 1, 0, 0], Some(0)),
    ("mesoscale/hiv_ingredients/1a1t_model1_A.pdb.gz", [867, 57, 1, 1, 0, 0], Some(426)),
    ("mesoscale/hiv_ingredients/1dlh_HLA_Moved_0_1_0.pdb.gz", [6367, 770, 6, 1, 0, 0], Some(0)),
    ("mesoscale/hiv_ingredients/3HVT.pdb.gz", [7426, 954, 2, 1, 0, 0], Some(0)),
    ("mesoscale/hiv_ingredients/3j3q_1vu4_A_biomt.pdb.gz", [1800, 231, 2, 1, 0, 0], Some(0)),
    ("mesoscale/hiv_ingredients/7HVP.pdb.gz", [1672, 300, 3, 1, 0, 0], Some(0)),
    ("mesoscale/hiv_ingredients/HIV1_ENV_4ncoABEFIJ.pdb.gz", [12174, 1632, 6, 1, 0, 0], Some(0)),
    ("mesoscale/hiv_ingredients/HIV1_P6_SwissMod_0_1_0.pdb.gz", [408, 52, 1, 1, 0, 0], Some(0)),
    ("mesoscale/hiv_ingredients/HIV1_P6_VPR.pdb.gz", [2016, 148, 1, 1, 0, 0], Some(802)),
    ("mesoscale/hiv_ingredients/HIV1_SP1_hack_0_1_0.pdb.gz", [112, 14, 1, 1, 0, 0], Some(0)),
    ("mesoscale/hiv_ingredients/HIV1_SP2_hack_0_1_0.pdb.gz", [134, 17, 1, 1, 0, 0], Some(0)),
    ("mesoscale/hiv_ingredients/MA_matrix_G1.pdb.gz", [6375, 396, 3, 1, 0, 0], Some(3228)),
    ("mesoscale/hiv_ingredients/ModBase_VIF.pdb.gz", [1464, 174, 1, 1, 0, 0], Some(0)),
    ("mesoscale/hiv_ingredients/nefStef_1.pdb.gz", [1687, 206, 2, 1, 0, 0], Some(30)),
    ("mesoscale/hiv_ingredients/nef_1avv.pdb.gz", [1687, 206, 2, 1, 0, 0], Some(30)),
    ("packmol/5dfr.pdb", [2489, 159, 1, 1, 0, 0], Some(1221)),
    ("packmol/CL.pdb", [1, 1, 1, 1, 0, 0], Some(0)),
    ("packmol/EOH.pdb", [9, 1, 1, 1, 0, 0], Some(6)),
    ("packmol/NA.pdb", [1, 1, 1, 1, 0, 0], Some(0)),
    ("packmol/POPC.pdb", [134, 1, 1, 1, 0, 0], Some(82)),
    ("packmol/URE.pdb", [8, 1, 1, 1, 0, 0], Some(4)),
    ("packmol/palmitoyl.pdb", [42, 1, 1, 1, 0, 0], Some(24)),
    ("packmol/water.pdb", [3, 1, 1, 1, 0, 0], Some(2)),
    ("structures/1crn.pdb", [327, 46, 1, 1, 0, 0], Some(0)),
    ("structures/1ubq.pdb", [660, 134, 1, 1, 0, 0], Some(0)),
    ("structures/4hhb.pdb.gz", [4779, 801, 4, 1, 0, 0], Some(0)),
    ("structures/haushofer/3ghg_fibrinogen.pdb.gz", [15816, 1955, 10, 1, 0, 0], Some(0)),
    ("structures/haushofer/3j8y.pdb", [9435, 1195, 3, 1, 0, 0], Some(0)),
    ("structures/haushofer/3kin.pdb", [5743, 770, 5, 1, 0, 0], Some(0)),
    ("structures/large/1aon.pdb.gz", [58870, 8029, 21, 1, 0, 0], Some(0)),
    ("structures/large/1f2n.pdb", [4730, 792, 3, 1, 0, 0], Some(0)),
    ("structures/large/2btv.pdb.gz", [49061, 6267, 15, 1, 0, 0], Some(0)),
    ("structures/large/2qnh.pdb.gz", [55477, 4086, 24, 1, 0, 27], Some(0)),
    ("structures/large/4v8r_hybrid36.pdb.gz", [128780, 16812, 32, 1, 0, 0], Some(0)),
    ("structures/tricky/1d3z_nmr.pdb.gz", [12310, 76, 1, 10, 0, 0], Some(629)),
    ("structures/tricky/1ejg_altloc_h.pdb", [831, 48, 1, 1, 363, 0], Some(415)),
    ("structures/tricky/1igy.pdb.gz", [12750, 1312, 6, 1, 0, 8], Some(2498)),
    ("structures/tricky/1l2y_nmr38.pdb", [11552, 20, 1, 38, 0, 0], Some(150)),
    ("structures/tricky/1ubq_crlf.pdb", [660, 134, 1, 1, 0, 0], Some(0)),
    ("structures/tricky/1ubq_star_serials.pdb", [660, 134, 1, 1, 0, 0], Some(0)),
    ("structures/tricky/5digitResid.pdb", [5, 5, 1, 1, 0, 0], Some(0)),
    ("structures/tricky/5ugo_dna_ligand.pdb", [3712, 737, 4, 1, 132, 0], Some(0)),
    ("structures/tricky/anisou_altloc.pdb", [15, 2, 1, 1, 6, 0], Some(0)),
    ("structures/tricky/dummy_insertions.pdb", [233, 25, 5, 1, 2, 4], Some(94)),
    ("structures/tricky/ensemble_error_2.pdb", [4, 1, 1, 2, 0, 0], Some(1)),
    ("structures/tricky/hetatm_bad.pdb", [2, 1, 1, 1, 0, 0], Some(0)),
    ("structures/tricky/icode.pdb", [5, 5, 1, 1, 0, 3], Some(0)),
    ("structures/tricky/incomplete.pdb", [6, 3, 1, 2, 0, 0], Some(0)),
    ("structures/turk/1bna.pdb", [566, 104, 2, 1, 0, 0], Some(0)),
    ("structures/turk/1drf.pdb", [1788, 438, 1, 1, 0, 0], Some(0)),
    ("structures/turk/1ehz.pdb", [1821, 245, 2, 1, 0, 0], Some(0)),
    ("structures/turk/1rx1.pdb", [1435, 279, 1, 1, 0, 0], Some(0)),
    ("structures/turk/2ptc_H.pdb", [4587, 439, 2, 1, 0, 3], Some(2346)),
    ("structures/turk/3dfr.pdb", [1639, 428, 1, 1, 0, 0], Some(0)),
    ("structures/turk/3ptb.pdb", [1701, 287, 1, 1, 0, 3], Some(0)),
    ("structures/turk/4dfr.pdb", [3035, 751, 2, 1, 60, 0], Some(0)),
    ("structures/turk/4tna.pdb", [1656, 80, 1, 1, 0, 0], Some(0)),
    ("structures/turk/5dfr_minimized.pdb", [2489, 159, 1, 1, 0, 0], Some(1221)),
    ("structures/turk/5dfr_solvated.pdb.gz", [23558, 7182, 1, 1, 0, 0], Some(15267)),
    ("structures/turk/cytc_1crj.pdb", [847, 108, 1, 1, 0, 0], Some(0)),
    ("docking/1iep/1iep_ligand.pdbqt", [40, 1, 1, 1, 0, 0], None),
    ("docking/1iep/1iep_ligand_vina_out.pdbqt", [160, 1, 1, 4, 0, 0], None),
    ("docking/1iep/1iep_receptor.pdbqt", [2702, 274, 1, 1, 0, 0], None),
    ("docking/5x72/5x72_receptor.pdbqt", [1481, 148, 1, 1, 0, 0], None),
    ("docking/BACE_1/BACE_1_receptor.pdbqt", [3610, 379, 1, 1, 0, 0], None),
];

// Files that must be refused.
const REFUSED: [&str; 4] = [
    "structures/tricky/1ubq_truncated.pdb",
    "structures/tricky/4hhb_truncated.pdb.gz",
    "structures/tricky/empty.pdb",
    "structures/tricky/empty_model.pdb",
];

fn counts(structure: &Structure) -> [usize; 6] {
    let first = |chain: u32| structure.chains[chain as usize].model == 0;
    let residues = structure.residues.iter().filter(|residue| first(residue.chain));
    [
        structure.atoms.len(),
        residues.clone().count(),
        structure.chains.iter().filter(|chain| chain.model == 0).count(),
        structure.models.len(),
        structure.atoms.alternates.iter().filter(|&&alternate| alternate != 0).count(),
        residues.filter(|residue| residue.insertion != 0).count(),
    ]
}

fn hydrogens(structure: &Structure) -> usize {
    let atoms = structure.models[0].atoms.clone();
    structure.atoms.elements[atoms.start as usize..atoms.end as usize]
        .iter()
        .filter(|&&e| e == Element::HYDROGEN)
        .count()
}

#[test]
fn every_shared_file_has_its_known_counts() {
    let Some(data) = data() else { return };
    let mut wrong = Vec::new();
    for &(name, expected, expected_hydrogens) in FILES {
        let structure = read(&data.join(name)).unwrap().value;
        let atoms = &structure.atoms;
        assert!(atoms.positions.iter().all(|position| position.is_finite()), "{name}");
        assert_eq!([atoms.elements.len(), atoms.names.len(), atoms.residues.len()], [atoms.len(); 3], "{name}");
        let found = (counts(&structure), expected_hydrogens.map(|_| hydrogens(&structure)));
        if found != (expected, expected_hydrogens) {
            wrong.push(format!("{name}: expected {expected:?} {expected_hydrogens:?}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_shared_file_is_forgotten() {
    let Some(data) = data() else { return };
    let listed = FILES.iter().map(|row| row.0).chain(REFUSED);
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    let mut folders = vec![data.clone()];
    let mut there = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&data).unwrap().to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                folders.push(path);
            } else if [".pdb", ".pdb.gz", ".pdbqt", ".ent", ".ent.gz"].iter().any(|ending| name.ends_with(ending)) {
                there.insert(name);
            }
        }
    }
    assert_eq!(there, listed);
}

#[test]
fn broken_files_are_refused_with_the_place() {
    let Some(data) = data() else { return };
    let text = |name: &str| read(&data.join(name)).unwrap_err().to_string();
    let truncated = text("structures/tricky/1ubq_truncated.pdb");
    assert!(
        truncated
            .ends_with("1ubq_truncated.pdb:621: columns 39-46: expected the y coordinate in angstroms, found \"  \""),
        "{truncated}"
    );
    for empty in ["empty.pdb", "empty_model.pdb"] {
        assert!(
            text(&format!("structures/tricky/{empty}")).ends_with("expected ATOM or HETATM records, found \"none\"")
        );
    }
    assert!(bytes_of(&data.join("structures/tricky/4hhb_truncated.pdb.gz")).is_err());
}

#[test]
fn odd_files_are_read_with_warnings() {
    for (name, message) in [
        ("structures/tricky/hetatm_bad.pdb", "2 atoms without an element in the file; taken from their names"),
        ("structures/tricky/ensemble_error_2.pdb", "ENDMDL without MODEL"),
        ("structures/tricky/incomplete.pdb", "MODEL 1 comes twice; both are kept"),
        ("structures/tricky/1ubq_star_serials.pdb", "360 atoms without a readable serial; counted on"),
    ] {
        let Some(parsed) = shared(name) else { return };
        assert!(parsed.warnings.first.iter().any(|w| w.message == message), "{name}: {:?}", parsed.warnings);
    }
    let Some(clean) = shared("structures/1crn.pdb") else { return };
    assert_eq!(clean.warnings.total, 0, "{:?}", clean.warnings);
}

#[test]
fn carriage_returns_and_asterisks_change_nothing_else() {
    let Some(mut plain) = shared("structures/1ubq.pdb").map(|parsed| parsed.value) else { return };
    let crlf = shared("structures/tricky/1ubq_crlf.pdb").unwrap().value;
    let mut stars = shared("structures/tricky/1ubq_star_serials.pdb").unwrap().value;
    assert_eq!(plain, crlf);
    stars.atoms.serials.clone_from(&plain.atoms.serials);
    plain.bonds.clear();
    stars.bonds.clear();
    assert_eq!(plain, stars);
}

#[test]
fn hybrid_36_serials_and_two_letter_chains_of_a_large_entry_are_read() {
    let Some(structure) = shared("structures/large/4v8r_hybrid36.pdb.gz").map(|parsed| parsed.value) else { return };
    let serials = &structure.atoms.serials;
    assert!(serials.is_sorted_by(|a, b| a < b) && *serials.last().unwrap() > 128_000);
    assert!(structure.chains.iter().all(|chain| chain.name.len() == 2), "{:?}", structure.chains);
    assert!(structure.residues.iter().all(|residue| residue.name.as_str().len() <= 3));
}

#[test]
fn numbered_lines_of_the_1980s_give_no_elements_or_charges() {
    let Some(parsed) = shared("structures/turk/3dfr.pdb") else { return };
    let atoms = &parsed.value.atoms;
    assert_eq!(atoms.positions[0].x, -0.313);
    assert!(atoms.formal_charges.iter().all(|&charge| charge == 0));
    let symbols: BTreeSet<_> = atoms.elements.iter().map(|element| element.symbol()).collect();
    assert_eq!(Vec::from_iter(symbols), ["C", "N", "O", "P", "S"]);
    assert_eq!(parsed.value.residues.iter().filter(|residue| !residue.hetero).count(), 162);
    assert_eq!(parsed.value.name, "3DFR");
}

#[test]
fn names_and_numbers_that_run_into_the_next_column_are_whole() {
    let Some(bilayer) = shared("lipids/dppc128_allatom.pdb.gz").map(|parsed| parsed.value) else { return };
    let names: BTreeSet<_> = bilayer.residues.iter().map(|residue| residue.name).collect();
    assert_eq!(Vec::from_iter(names.iter().map(|name| name.as_str())), ["DPPC", "TIP3"]);
    assert_eq!(bilayer.residues.iter().map(|residue| residue.number).max(), Some(3659));
    let solvated = shared("structures/turk/5dfr_solvated.pdb.gz").unwrap().value;
    assert_eq!(solvated.residues.iter().map(|residue| residue.number).max(), Some(7023));
    let overflow = shared("structures/tricky/5digitResid.pdb").unwrap().value;
    let numbers: Vec<_> = overflow.residues.iter().map(|residue| residue.number).collect();
    assert_eq!(numbers, [1, 10, 100, 1000, 10_000]);
    let membrane = shared("lipids/jmol_hugeMembrane.pdb.gz").unwrap().value;
    let chains: Vec<_> = membrane.chains.iter().map(|chain| chain.name.as_str()).collect();
    assert_eq!(chains, ["L", "W"]);
}

#[test]
fn assemblies_have_one_group_per_chain_list_and_one_pose_per_operator() {
    let poses = |name: &str| -> Option<Vec<usize>> {
        let assemblies = shared(name)?.value.assemblies;
        Some(assemblies.iter().map(|assembly| assembly.copies.iter().map(|copies| copies.poses.len()).sum()).collect())
    };
    let Some(capsid) = poses("mesoscale/hiv_ingredients/3j3q_1vu4_A_biomt.pdb.gz") else { return };
    assert_eq!(capsid, [1356]);
    assert_eq!(poses("structures/large/1f2n.pdb").unwrap(), [60]);
    assert_eq!(poses("structures/large/2btv.pdb.gz").unwrap(), [60]);
    assert_eq!(poses("mesoscale/hiv_ingredients/MA_matrix_G1.pdb.gz").unwrap(), [3]);
    let integrase = poses("mesoscale/hiv_ingredients/1EX4.pdb.gz").unwrap();
    assert_eq!((integrase.iter().sum::<usize>(), &integrase[..4]), (36, &[1, 6, 6, 6][..]));
    let virus = shared("structures/large/1f2n.pdb").unwrap().value;
    assert_eq!(virus.assemblies[0].id, "1");
    assert_eq!(virus.assemblies[0].copies[0].chains, [0, 1, 2]);
    let second = virus.assemblies[0].copies[0].poses[1] * glam::DVec3::ZERO;
    assert!((second - glam::DVec3::new(15.93512, -7.66651, -12.60505)).length() < 1e-9);
}

#[test]
fn conect_joins_the_ligands_as_their_mol_files_do() {
    // Bonds of the same components in MOL files, counted by biotite 1.6.
    for (name, bonds) in [("ADP", 44), ("ATP", 49), ("BEN", 17), ("CLR", 77), ("FOL", 53), ("GLC", 24), ("MTX", 57)] {
        let Some(parsed) = shared(&format!("ligands/{name}.pdb")) else { return };
        assert_eq!(parsed.value.bonds.len(), bonds, "{name}");
        assert!(parsed.value.bonds.is_sorted() && parsed.value.bonds.iter().all(|bond| bond.first < bond.second));
    }
}

#[test]
fn a_bad_coordinate_names_file_line_columns_and_both_texts() {
    let good = "ATOM      1  CA  ALA A   1       1.000   2.000   3.000  1.00  0.00           C";
    for (bad, columns, axis, found) in [
        ("   2.0x0", (39, 46), "y", "   2.0x0"),
        ("     nan", (39, 46), "y", "     nan"),
        ("     inf", (39, 46), "y", "     inf"),
        ("        ", (39, 46), "y", "        "),
    ] {
        let text = format!("REMARK\r\n\r\n{}\r\n", good.replace("   2.000", bad));
        let ReadError::Content(located) = read_pdb(text.as_bytes(), Path::new("x.pdb")).unwrap_err() else {
            panic!("an error about the content");
        };
        assert_eq!(located.place, Place::Line(3, Some(columns)));
        assert_eq!(located.expected, format!("the {axis} coordinate in angstroms"));
        assert_eq!(located.found, found);
    }
}

#[test]
fn lines_may_end_after_z_and_hold_bytes_that_are_no_text() {
    let short = parse("ATOM      1 CA   LYS A   1     111.252  98.373  98.187").value;
    assert_eq!((short.atoms.occupancies[0], short.atoms.b_factors[0]), (1.0, 0.0));
    assert_eq!(short.atoms.elements[0], Element::CARBON);
    let odd = b"ATOM      1  C\xe9\xffALYS\xe4\xe4   1     111.252  98.373  98.187  1.00  0.00      \xff\xff\xff\xff\xff\xff\xff\xff";
    assert_eq!(read_pdb(odd, Path::new("odd.pdb")).unwrap().value.atoms.len(), 1);
}

#[test]
fn serials_of_six_digits_are_read_wherever_their_writer_put_them() {
    let tail = "  CA  ALA A   1       1.000   2.000   3.000  1.00  0.00           C";
    for start in ["ATOM 100000", "ATOM  100000", "HETATM100000"] {
        let atoms = parse(&format!("{start}{tail}")).value.atoms;
        assert_eq!((atoms.serials[0], atoms.positions[0].to_array()), (100_000, [1.0, 2.0, 3.0]), "{start}");
        assert_eq!(atoms.names[0].as_str(), "CA", "{start}");
    }
    let borrowed = parse("HETATM100000 CA  ALA A   1       1.000   2.000   3.000  1.00  0.00           C").value.atoms;
    assert_eq!((borrowed.serials[0], borrowed.names[0].as_str()), (100_000, "CA"));
}

#[test]
fn residue_numbers_in_hybrid_36_and_in_asterisks_are_told_apart() {
    let line = |atom: &str, number: &str| {
        format!("ATOM      1  {atom} HOH W{number}       1.000   2.000   3.000  1.00  0.00           O\n")
    };
    let mut text = line("O  ", "9999") + &line("O  ", "A000") + &line("O  ", "A001");
    for _ in 0..2 {
        text += &(line("O  ", "****") + &line("H1 ", "****") + &line("H2 ", "****"));
    }
    let structure = parse(&text).value;
    let numbers: Vec<_> = structure.residues.iter().map(|residue| residue.number).collect();
    assert_eq!(numbers, [9999, 10_000, 10_001, 10_002, 10_003]);
    assert_eq!(structure.atoms.residues, [0, 1, 2, 3, 3, 3, 4, 4, 4]);
}

#[test]
fn repeated_partners_count_the_order_and_wrapped_serials_join_nothing() {
    let line =
        |serial: i32| format!("HETATM{serial:5}  C   LIG A   1       1.000   2.000   3.000  1.00  0.00           C\n");
    let text = line(1) + &line(2) + &line(3) + "CONECT    1    2    2\nCONECT    2    1    1    3\nCONECT    3    2\n";
    let bonds: Vec<_> = parse(&text).value.bonds.iter().map(|bond| (bond.first, bond.second, bond.order)).collect();
    assert_eq!(bonds, [(0, 1, 2), (1, 2, 1)]);
    let single = line(1) + &line(2) + "CONECT    1    2\nCONECT    2    1\n";
    assert_eq!(parse(&single).value.bonds[0].order, 0);
    let wrapped = line(1) + &line(2) + &line(1) + "CONECT    1    2\n";
    let parsed = parse(&wrapped);
    assert!(parsed.value.bonds.is_empty() && parsed.warnings.total == 1);
    let hybrid = line(1).replace("    1  C", "A0000  C") + &line(2) + "CONECTA0000    2\n";
    assert_eq!(parse(&hybrid).value.bonds.len(), 1);
}

#[test]
fn conect_repeated_after_every_model_counts_once() {
    let line = |serial: i32| format!("HETATM{serial:5}  C   LIG A   1       1.000   2.000   3.000\n");
    let model = line(1) + &line(2) + "ENDMDL\nCONECT    1    2\n";
    let structure = parse(&format!("MODEL        1\n{model}MODEL        2\n{model}")).value;
    assert_eq!(structure.bonds.len(), 1);
    assert_eq!((structure.bonds[0].second, structure.bonds[0].order), (1, 0));
}

#[test]
fn operators_that_are_not_given_are_copies_only_without_a_biological_assembly() {
    let atom = "ATOM      1  CA  ALA A   1       1.000   2.000   3.000  1.00  0.00           C\n";
    let matrix = |number: i32, x: f64, given: &str| {
        format!(
            "MTRIX1 {number:3}  1.000000  0.000000  0.000000     {x:10.5}    {given}\n\
             MTRIX2 {number:3}  0.000000  1.000000  0.000000        0.00000    {given}\n\
             MTRIX3 {number:3}  0.000000  0.000000  1.000000        0.00000    {given}\n"
        )
    };
    let copies = matrix(1, 0.0, "1") + &matrix(2, 10.0, " ") + &matrix(3, 20.0, "1");
    let assemblies = parse(&(copies.clone() + atom)).value.assemblies;
    let shifts: Vec<_> = assemblies[0].copies[0].poses.iter().map(|pose| pose.translation.x).collect();
    assert_eq!((assemblies[0].id.as_str(), shifts), ("ncs", vec![0.0, 10.0]));
    let remark = "REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A, B\n\
                  REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        5.00000\n\
                  REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000\n\
                  REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000\n";
    let parsed = parse(&(remark.to_owned() + &copies + atom));
    assert_eq!(parsed.value.assemblies.len(), 1);
    assert_eq!(parsed.value.assemblies[0].copies[0].poses[0].translation.x, 5.0);
    assert_eq!(parsed.warnings.total, 1, "chain B has no atoms");
}

#[test]
fn atoms_after_end_are_another_model() {
    let atom = "ATOM      1  CA  ALA A   1       1.000   2.000   3.000  1.00  0.00           C\n";
    let parsed = parse(&format!("{atom}END\n{atom}END\n"));
    let numbers: Vec<_> = parsed.value.models.iter().map(|model| (model.number, model.atoms.clone())).collect();
    assert_eq!(numbers, [(1, 0..1), (2, 1..2)]);
    assert_eq!(parsed.warnings.total, 1);
}

#[test]
fn autodock_charges_and_types_have_one_entry_per_atom() {
    let Some(receptor) = shared("docking/1iep/1iep_receptor.pdbqt").map(|parsed| parsed.value) else { return };
    let atoms = &receptor.atoms;
    assert_eq!((atoms.types.len(), atoms.partial_charges.len()), (2702, 2702));
    assert_eq!((atoms.types[1].as_str(), atoms.elements[1], atoms.partial_charges[1]), ("OA", Element::OXYGEN, -0.272));
    assert!(!atoms.elements.contains(&Element::UNKNOWN) && !atoms.elements.contains(&Element::SODIUM));
    let poses = shared("docking/1iep/1iep_ligand_vina_out.pdbqt").unwrap();
    assert_eq!(poses.warnings.total, 0, "{:?}", poses.warnings);
    assert!(poses.value.models.iter().all(|model| model.atoms.len() == 40));
}

// What a PDB file can hold of a structure, to a thousandth of an angstrom.
fn assert_same(name: &str, before: &Structure, after: &Structure) {
    let (a, b) = (&before.atoms, &after.atoms);
    assert_eq!(a.len(), b.len(), "{name}");
    for (p, q) in a.positions.iter().zip(&b.positions) {
        assert!((*p - *q).abs().max_element() < 0.001, "{name}: {p} {q}");
    }
    for (p, q) in a.b_factors.iter().zip(&b.b_factors).chain(a.occupancies.iter().zip(&b.occupancies)) {
        assert!((p - q).abs() < 0.0101, "{name}: {p} {q}");
    }
    assert_eq!(a.names, b.names, "{name}");
    assert_eq!(a.elements, b.elements, "{name}");
    assert_eq!(a.alternates, b.alternates, "{name}");
    assert_eq!(a.formal_charges, b.formal_charges, "{name}");
    assert_eq!(a.residues, b.residues, "{name}");
    assert_eq!(before.residues, after.residues, "{name}");
    assert_eq!(before.chains, after.chains, "{name}");
    assert_eq!(before.models, after.models, "{name}");
    assert_eq!(before.space_group, after.space_group, "{name}");
    assert_eq!(before.assemblies.len(), after.assemblies.len(), "{name}");
    for (p, q) in before.assemblies.iter().zip(&after.assemblies) {
        assert_eq!((&p.id, p.copies.len()), (&q.id, q.copies.len()), "{name}");
        for (p, q) in p.copies.iter().zip(&q.copies) {
            assert_eq!((&p.chains, p.poses.len()), (&q.chains, q.poses.len()), "{name}");
            let far = glam::DVec3::new(100.0, -200.0, 300.0);
            assert!(p.poses.iter().zip(&q.poses).all(|(p, q)| (*p * far - *q * far).length() < 0.001), "{name}");
        }
    }
}

#[test]
fn every_shared_file_survives_writing_and_reading() {
    let Some(data) = data() else { return };
    for (name, ..) in FILES {
        let before = read(&data.join(name)).unwrap().value;
        let after = parse(&written(&before)).value;
        assert_same(name, &before, &after);
        // Operators are rounded to six decimals and made rotations again, so only the atoms come back to the letter.
        let atoms_of = |structure: &Structure| Structure { assemblies: Vec::new(), ..structure.clone() };
        assert!(written(&atoms_of(&before)) == written(&atoms_of(&after)), "{name}: the second writing is the first");
    }
}

#[test]
fn bonds_of_ligands_survive_writing() {
    let Some(before) = shared("ligands/HEM.pdb").map(|parsed| parsed.value) else { return };
    let mut doubled = before.clone();
    doubled.bonds[3].order = 2;
    let after = parse(&written(&doubled)).value;
    assert_eq!(after.bonds.len(), before.bonds.len());
    assert_eq!((after.bonds[3].order, after.bonds[4].order), (2, 1));
}

fn water_box(waters: usize) -> Structure {
    let line = "HETATM    1  O   HOH A   1       1.000   2.000   3.000  1.00  0.00           O\n";
    let mut structure = parse(line).value;
    let residue = structure.residues[0];
    structure.residues = (0..waters).map(|at| steric_model::Residue { number: at as i32 + 1, ..residue }).collect();
    let atoms = &mut structure.atoms;
    atoms.positions = (0..waters).map(|at| glam::Vec3::new((at % 1000) as f32, (at / 1000) as f32, 0.5)).collect();
    atoms.residues = (0..waters as u32).collect();
    atoms.serials = (1..=waters as i32).collect();
    atoms.names = vec![atoms.names[0]; waters];
    atoms.elements = vec![Element::OXYGEN; waters];
    atoms.alternates = vec![0; waters];
    atoms.formal_charges = vec![0; waters];
    atoms.occupancies = vec![1.0; waters];
    atoms.b_factors = vec![0.0; waters];
    structure.models[0].atoms = 0..waters as u32;
    structure
}

#[test]
fn more_atoms_and_residues_than_the_columns_hold_are_written_in_hybrid_36() {
    let before = water_box(120_000);
    let text = written(&before);
    assert!(text.contains("HETATMA0000  O   HOH ABXG0"), "{}", &text[99_999 * 81..100_001 * 81]);
    let after = parse(&text).value;
    assert_same("water", &before, &after);
    assert_eq!(before.atoms.serials, after.atoms.serials);
}

#[test]
fn what_the_columns_cannot_hold_is_refused_before_anything_is_written() {
    let refused = |change: fn(&mut Structure)| {
        let mut structure = water_box(3);
        change(&mut structure);
        let mut out = Vec::new();
        let error = write_pdb(&structure, &mut out).unwrap_err();
        assert_eq!((error.kind(), out.len()), (std::io::ErrorKind::InvalidInput, 0));
        error.to_string()
    };
    let far = refused(|structure| structure.atoms.positions[1].y = -1000.0);
    assert_eq!(
        far,
        "atom O of HOH 2 in chain \"A\" at (1, -1000, 0.5) is outside the columns of a PDB file, -999.999 to 9999.999 angstroms"
    );
    assert!(refused(|structure| structure.atoms.positions[0].x = f32::NAN).contains("NaN"));
    assert!(refused(|structure| structure.chains[0].name = "AAA".into()).contains("more than two letters"));
    assert!(refused(|structure| structure.residues[0].name = "WATER".into()).contains("more than four letters"));
    assert!(refused(|structure| structure.residues[0].number = -1000).contains("does not fit in four columns"));
    assert!(refused(|structure| structure.atoms.residues[0] = 7).contains("not there"));
    assert!(refused(|structure| structure.models[0].atoms = 0..9).contains("beyond the last atom"));
    let copies = |translation: glam::DVec3| Assembly {
        id: "1".into(),
        copies: vec![Copies { chains: vec![0], poses: vec![Pose::from_translation(translation)], ..Copies::default() }],
    };
    let mut structure = water_box(3);
    structure.assemblies = vec![copies(glam::DVec3::X)];
    assert!(written(&structure).contains("REMARK 350 APPLY THE FOLLOWING TO CHAINS: A\n"));
    structure.assemblies = vec![copies(glam::DVec3::splat(1e9))];
    assert!(write_pdb(&structure, &mut Vec::new()).is_err());
}

#[test]
fn two_letter_chains_and_polymers_are_written_with_ter() {
    let text = "ATOM      1  CA  ALAAB   1       1.000   2.000   3.000  1.00  0.00           C  \n\
                HETATM    2  O   HOHAB   2      -1.000  -2.000  -3.000  1.00  0.00           O1-\n";
    let expected = "ATOM      1  CA  ALAAB   1       1.000   2.000   3.000  1.00  0.00           C  \n\
                    TER       2      ALAAB   1                                                      \n\
                    HETATM    2  O   HOHAB   2      -1.000  -2.000  -3.000  1.00  0.00           O1-\n\
                    END\n";
    let structure = parse(text).value;
    assert_eq!(structure.chains[0].name, "AB");
    assert_eq!(written(&structure), expected);
}

fn never_panics(bytes: &[u8]) {
    for read in [read_pdb, read_pdbqt] {
        if let Ok(parsed) = read(bytes, Path::new("noise.pdb")) {
            assert!(parsed.value.atoms.positions.iter().all(|position| position.is_finite()));
            let _ = write_pdb(&parsed.value, &mut std::io::sink());
        }
    }
}

const SAMPLE: &str = "\
HEADER    PLANT PROTEIN                           30-APR-81   1CRN              \n\
REMARK 350 BIOMOLECULE: 1                                                       \n\
REMARK 350 APPLY THE FOLLOWING TO CHAINS: A, B                                  \n\
REMARK 350                    AND CHAINS: C                                     \n\
REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000            \n\
REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000            \n\
REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000            \n\
CRYST1   40.960   18.650   22.520  90.00  90.77  90.00 P 1 21 1      2          \n\
MTRIX1   1  1.000000  0.000000  0.000000        0.00000                         \n\
MODEL        1                                                                  \n\
ATOM  A0000  N   THR A   1      17.047  14.099   3.625  1.00 13.79           N1+\n\
ATOM  *****  CA BTHRAA****      16.967  12.784   4.338  1.00 10.80           C  \n\
HETATM99999 ZN   TIP3WA000A     -6.967  -2.784  -4.338  1.00 10.80      3DFR 180\n\
TER   99999      TIP3W   1                                                      \n\
ENDMDL                                                                          \n\
CONECTA0000999999999999999999999                                                \n\
END                                                                             \n";

#[test]
fn the_sample_that_is_mutated_reads_whole() {
    let structure = parse(SAMPLE).value;
    assert_eq!((structure.atoms.len(), structure.assemblies.len(), structure.bonds.len()), (3, 1, 1));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        never_panics(&bytes);
        never_panics(&[b"ATOM  ", bytes.as_slice()].concat());
        never_panics(&[b"REMARK 350 BIOMT", bytes.as_slice()].concat());
    }

    #[test]
    fn mutated_files_never_panic(
        edits in proptest::collection::vec((0..SAMPLE.len(), any::<u8>()), 0..12),
        cut in 0..SAMPLE.len(),
        drop in 0..4usize,
    ) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for (at, byte) in edits {
            bytes[at] = byte;
        }
        never_panics(&bytes);
        bytes.drain(cut..(cut + drop).min(SAMPLE.len()));
        never_panics(&bytes);
        bytes.truncate(cut);
        never_panics(&bytes);
    }
}

#[test]
fn mutated_shared_files_never_panic() {
    let Some(data) = data() else { return };
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for (name, counts, _) in FILES.iter().filter(|(_, counts, _)| counts[0] < 4000) {
        let bytes = bytes_of(&data.join(name)).unwrap();
        assert!(counts[0] > 0);
        for _ in 0..10 {
            let mut noisy = bytes.clone();
            for _ in 0..1 + random(20) {
                let at = random(noisy.len());
                noisy[at] = random(256) as u8;
            }
            let cut = random(noisy.len());
            noisy.remove(cut);
            never_panics(&noisy);
            never_panics(&noisy[..cut]);
        }
    }
}
