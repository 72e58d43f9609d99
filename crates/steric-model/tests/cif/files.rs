//! Every mmCIF and BinaryCIF file at hand, against the counts that gemmi and biotite give.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use glam::DVec3;
use steric_model::{Element, Pose, Structure};

use super::{DATA, load, read};

/// Models, atom sites in all, then of the first model: residues, chains, sites with an alternate location, residues
/// with an insertion code, water atoms, hydrogens (0 where not counted). From gemmi 0.7.5.
#[rustfmt::skip]
const TEXT: &[(&str, [usize; 8])] = &[
    ("mesoscale/exosome/ALDOA.cif.gz", [1, 10664, 8, 4, 0, 0, 0, 0]),
    ("mesoscale/exosome/ARNm.cif.gz", [1, 451, 8, 2, 0, 0, 0, 0]),
    ("mesoscale/exosome/CD63.cif.gz", [1, 2098, 21, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/CD81.cif.gz", [1, 1625, 21, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/CD9.cif.gz", [1, 1961, 21, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/EEF1A1.cif.gz", [1, 5984, 42, 2, 0, 0, 0, 0]),
    ("mesoscale/exosome/EEF1A1tRNA.cif.gz", [1, 5984, 42, 2, 0, 0, 0, 0]),
    ("mesoscale/exosome/EEF2.cif.gz", [1, 6410, 21, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/EIF2C2.cif.gz", [1, 6755, 26, 3, 0, 0, 0, 0]),
    ("mesoscale/exosome/ENO1.cif.gz", [1, 6608, 42, 2, 0, 0, 0, 0]),
    ("mesoscale/exosome/GAPDH.cif.gz", [1, 11439, 8, 4, 0, 0, 0, 0]),
    ("mesoscale/exosome/Gprotein.cif.gz", [1, 5808, 59, 3, 0, 0, 0, 0]),
    ("mesoscale/exosome/HLAI.cif.gz", [1, 7420, 21, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/HLAII.cif.gz", [1, 3551, 21, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/HSP90AA1.cif.gz", [1, 11906, 80, 4, 0, 0, 0, 0]),
    ("mesoscale/exosome/HSP90AB1.cif.gz", [1, 11906, 80, 4, 0, 0, 0, 0]),
    ("mesoscale/exosome/HSPA8.cif.gz", [1, 4577, 21, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/ITG.cif.gz", [1, 20128, 48, 3, 0, 0, 0, 0]),
    ("mesoscale/exosome/LDHA.cif.gz", [1, 10642, 84, 4, 0, 0, 0, 0]),
    ("mesoscale/exosome/PDCD6IP.cif.gz", [1, 5486, 20, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/PDCD6IPDimer.cif.gz", [1, 5486, 20, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/PGK1.cif.gz", [1, 3212, 21, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/PKM.cif.gz", [1, 16271, 4, 4, 0, 0, 0, 0]),
    ("mesoscale/exosome/PPIA.cif.gz", [1, 1360, 21, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/RAB5A.cif.gz", [1, 1395, 21, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/RAB7A.cif.gz", [1, 1521, 20, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/SDCBP.cif.gz", [1, 2454, 38, 2, 0, 0, 0, 0]),
    ("mesoscale/exosome/TSG101.cif.gz", [1, 1758, 21, 1, 0, 0, 0, 0]),
    ("mesoscale/exosome/YWHAE.cif.gz", [1, 4028, 6, 4, 0, 0, 0, 0]),
    ("mesoscale/exosome/YWHAZ.cif.gz", [1, 3698, 54, 4, 0, 0, 0, 0]),
    ("mesoscale/exosome/exosome_membrane.cif.gz", [1, 8633, 228, 228, 0, 0, 0, 0]),
    ("mesoscale/exosome/miRNA.cif.gz", [1, 6550, 4, 1, 0, 0, 0, 0]),
    ("structures/1crn.cif", [1, 327, 46, 1, 0, 0, 0, 0]),
    ("structures/1ubq.cif", [1, 660, 134, 1, 0, 0, 58, 0]),
    ("structures/4hhb.cif.gz", [1, 4779, 801, 4, 0, 0, 221, 0]),
    ("structures/large/1f2n.cif", [1, 4730, 792, 3, 0, 0, 199, 0]),
    ("structures/large/1m4x.cif.gz", [1, 9693, 1239, 3, 0, 0, 0, 0]),
    ("structures/large/1xnr.cif.gz", [1, 43833, 1494, 1, 0, 0, 0, 16207]),
    ("structures/tricky/1d3z_nmr.cif.gz", [10, 12310, 76, 1, 0, 0, 0, 629]),
    ("structures/tricky/1igy.cif.gz", [1, 12750, 1312, 6, 0, 8, 0, 2498]),
    ("structures/tricky/1l2y_nmr38.cif.gz", [38, 11552, 20, 1, 0, 0, 0, 150]),
    ("structures/tricky/1yjp_invalid.cif.gz", [1, 66, 14, 1, 0, 0, 7, 0]),
    ("structures/tricky/5ugo_dna_ligand.cif", [1, 3712, 737, 4, 132, 0, 376, 0]),
    ("structures/tricky/difficult_quoting.cif", [1, 4, 1, 1, 0, 0, 0, 0]),
    ("structures/turk/1bna.cif", [1, 566, 104, 2, 0, 0, 80, 0]),
    ("structures/turk/1crc.cif", [1, 1934, 332, 3, 152, 0, 121, 0]),
    ("structures/turk/1mng.cif", [1, 3594, 610, 3, 214, 0, 202, 0]),
    ("structures/turk/2ptn.cif", [1, 1712, 306, 3, 0, 3, 82, 0]),
    ("structures/turk/3ptb.cif", [1, 1701, 287, 1, 0, 3, 62, 0]),
    ("structures/turk/4dfr.cif", [1, 3041, 751, 3, 72, 0, 428, 0]),
];

/// Atom sites, distinct labels, operators; from biotite 1.6.0.
#[rustfmt::skip]
const BINARY: &[(&str, usize, usize, usize)] = &[
    ("lipids/cellpack_exosome_membrane.bcif", 19052, 508, 4284),
    ("lipids/cellpack_hiv_mature_envelope.bcif.gz", 3239, 87, 31980),
    ("mesoscale/petworld_sarscov2.bcif.gz", 232_573, 79, 696),
    ("structures/4hhb.bcif.gz", 4779, 14, 1),
    ("structures/large/1f2n.bcif", 4730, 9, 62),
];

fn count(structure: &Structure) -> [usize; 8] {
    let first = structure.models[0].atoms.start as usize..structure.models[0].atoms.end as usize;
    let atoms = &structure.atoms;
    let in_first = |residue: &&steric_model::Residue| structure.chains[residue.chain as usize].model == 0;
    let residues = || structure.residues.iter().filter(in_first);
    let chain = |residue: &steric_model::Residue| structure.chains[residue.chain as usize].name.clone();
    let key = |residue: &steric_model::Residue| (chain(residue), residue.number, residue.insertion, residue.name);
    let keys: BTreeSet<_> = residues().map(key).collect();
    let is_water = |&atom: &usize| structure.residues[atoms.residues[atom] as usize].name.as_str() == "HOH";
    [
        structure.models.len(),
        atoms.len(),
        keys.len(),
        residues().map(chain).collect::<BTreeSet<_>>().len(),
        first.clone().filter(|&atom| atoms.alternates[atom] != 0).count(),
        keys.iter().filter(|key| key.2 != 0).count(),
        first.clone().filter(is_water).count(),
        first.filter(|&atom| atoms.elements[atom] == Element::HYDROGEN).count(),
    ]
}

fn pose_count(structure: &Structure) -> usize {
    structure.assemblies.iter().flat_map(|assembly| &assembly.copies).map(|copies| copies.poses.len()).sum()
}

#[test]
fn every_text_file_has_the_counts_that_gemmi_gives() {
    for &(path, expected) in TEXT {
        let Some(parsed) = read(path) else { return };
        let mut found = count(&parsed.value);
        if expected[7] == 0 {
            found[7] = 0;
        }
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn every_binary_file_has_the_counts_that_biotite_gives() {
    for &(path, sites, labels, _) in BINARY {
        let Some(parsed) = read(path) else { return };
        let found: BTreeSet<_> = parsed.value.chains.iter().map(|chain| &chain.label).collect();
        assert_eq!((parsed.value.atoms.len(), found.len()), (sites, labels), "{path}");
    }
}

#[test]
fn every_file_in_the_folder_is_in_a_table_or_is_the_truncated_one() {
    let mut folders = vec![PathBuf::from(DATA)];
    let mut missing = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for path in entries.map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(DATA).unwrap().to_string_lossy().into_owned();
            let is_cif = [".cif", ".cif.gz", ".bcif", ".bcif.gz"].iter().any(|ending| name.ends_with(ending));
            let is_known = TEXT.iter().any(|row| row.0 == name) || BINARY.iter().any(|row| row.0 == name);
            if path.is_dir() {
                folders.push(path);
            } else if is_cif && !is_known && !name.ends_with("1ubq_truncated.cif") {
                missing.push(name);
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn the_truncated_file_is_an_error_with_its_line() {
    let path = "structures/tricky/1ubq_truncated.cif";
    let Some(bytes) = load(path) else { return };
    let error = steric_model::formats::cif::read_mmcif(&bytes, Path::new(path)).unwrap_err().to_string();
    let last_line = bytes.split(|&byte| byte == b'\n').count();
    let expected = "expected 21 values in every row of the loop _atom_site, found \"11 values in the last row\"";
    assert_eq!(error, format!("{path}:{last_line}: {expected}"));
}

#[test]
fn difficult_quotes_keep_the_names_of_the_atoms() {
    let Some(parsed) = read("structures/tricky/difficult_quoting.cif") else { return };
    let names: Vec<&str> = parsed.value.atoms.names.iter().map(|name| name.as_str()).collect();
    assert_eq!(names, ["OP1", "O5'", "H2\"", "O3'"]);
    assert_eq!(parsed.value.name, "difficult_quoting");
    assert_eq!(parsed.value.atoms.serials, [1728, 1730, 1738, 1730]);
}

#[test]
fn binary_and_text_of_one_entry_agree() {
    // The two files of 4HHB are different revisions, so only this pair is one entry.
    let (Some(text), Some(binary)) = (read("structures/large/1f2n.cif"), read("structures/large/1f2n.bcif")) else {
        return;
    };
    let (text, binary) = (text.value, binary.value);
    assert!(text.atoms == binary.atoms, "every property of every atom");
    assert_eq!(text.residues, binary.residues);
    assert_eq!(text.chains, binary.chains);
    assert_eq!(text.bonds, binary.bonds);
    assert_eq!(pose_count(&text), pose_count(&binary));
}

#[test]
fn a_capsid_is_a_product_of_operators_and_stays_one() {
    let Some(parsed) = read("structures/large/1m4x.cif.gz") else { return };
    assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
    let counts: Vec<(&str, usize)> =
        parsed.value.assemblies.iter().map(|assembly| (assembly.id.as_str(), assembly.copies[0].poses.len())).collect();
    let expected = [("1", 1680), ("2", 28), ("3", 140), ("4", 168), ("5", 30), ("6", 66), ("PAU", 28)];
    assert_eq!(counts, expected);
    assert_eq!(parsed.value.assemblies[0].copies[0].chains.len(), 3);
    assert_eq!(parsed.value.assemblies[0].copies[0].name, "PBCV-1 virus capsid");
    // Every copy of a capsid protein is as far from the centre as its icosahedral siblings.
    let copies = &parsed.value.assemblies[0].copies[0].poses;
    let point = parsed.value.atoms.positions[0].as_dvec3();
    let radius = |copy: usize| (copies[copy] * point).length();
    for copy in 0..28 {
        assert!((radius(copy) - radius(copy + 28)).abs() < 0.01, "{copy}");
    }
}

#[test]
fn icosahedral_virus_has_its_sixty_copies_and_its_point_frame() {
    let Some(parsed) = read("structures/large/1f2n.cif") else { return };
    let counts: Vec<usize> = parsed.value.assemblies.iter().map(|assembly| assembly.copies[0].poses.len()).collect();
    assert_eq!(counts, [60, 1, 5, 6, 1, 60]);
    assert_eq!(parsed.value.assemblies[0].copies[0].chains.len(), 9);
}

#[test]
fn petworld_templates_are_models_and_each_row_takes_its_own() {
    let Some(parsed) = read("mesoscale/petworld_sarscov2.bcif.gz") else { return };
    let structure = parsed.value;
    assert_eq!(parsed.warnings.total, 0, "{:?}", parsed.warnings);
    let copies = &structure.assemblies[0].copies;
    let summary: Vec<(&str, usize)> = copies.iter().map(|copies| (copies.name.as_str(), copies.poses.len())).collect();
    assert_eq!(
        summary[..6],
        [("E", 50), ("M", 100), ("M2", 100), ("S", 30), ("membrane_rho", 340), ("membrane_tri", 40)]
    );
    assert_eq!((copies.len(), pose_count(&structure)), (8, 696));
    for (model, copies) in copies.iter().enumerate() {
        assert!(copies.chains.iter().all(|&chain| structure.chains[chain as usize].model as usize == model));
        let all = structure.chains.iter().filter(|chain| chain.model as usize == model).count();
        assert_eq!(copies.chains.len(), all, "the whole template {}", copies.name);
    }
}

#[test]
fn cellpack_membranes_are_one_assembly_per_lipid() {
    let Some(exosome) = read("lipids/cellpack_exosome_membrane.bcif") else { return };
    assert_eq!(exosome.value.assemblies.len(), 508);
    assert_eq!(exosome.value.assemblies[0].copies[0].poses.len(), 422, "oligomeric_count of the first");
    let Some(envelope) = read("lipids/cellpack_hiv_mature_envelope.bcif.gz") else { return };
    assert_eq!(envelope.value.assemblies.len(), 87);
    assert_eq!([0, 1, 2, 5].map(|id| envelope.value.assemblies[id].copies[0].poses.len()), [4, 23, 71, 603]);
    // The matrices have three decimals; poses are rotations all the same.
    let poses = || envelope.value.assemblies.iter().flat_map(|assembly| &assembly.copies[0].poses);
    assert!(poses().all(|pose| (pose.rotation.length() - 1.0).abs() < 1e-12));
    let Some(patches) = read("mesoscale/exosome/exosome_membrane.cif.gz") else { return };
    // gemmi finds 2373 generators; each patch of lipids stands once.
    assert_eq!((patches.value.assemblies[0].copies.len(), pose_count(&patches.value)), (2373, 2373));
    assert_eq!(patches.value.assemblies[0].copies[0].chains.len(), 45);
    assert!(patches.value.chains[0].description.starts_with("root.exosome.membrane."));
}

#[test]
fn disulphides_are_bonds_and_metals_are_not() {
    let Some(parsed) = read("structures/turk/3ptb.cif") else { return };
    let structure = parsed.value;
    assert_eq!(structure.bonds.len(), 6);
    for bond in &structure.bonds {
        let [first, second] = [bond.first, bond.second].map(|atom| atom as usize);
        assert_eq!([structure.atoms.names[first].as_str(), structure.atoms.names[second].as_str()], ["SG", "SG"]);
        let distance = structure.atoms.positions[first].distance(structure.atoms.positions[second]);
        assert!((2.0..2.1).contains(&distance), "{distance}");
    }
    let Some(antibody) = read("structures/tricky/1igy.cif.gz") else { return };
    let atoms = &antibody.value.atoms;
    let lengths = antibody
        .value
        .bonds
        .iter()
        .map(|bond| atoms.positions[bond.first as usize].distance(atoms.positions[bond.second as usize]));
    // 18 disulphides, one of them stretched to 2.994, and 18 links to sugars.
    assert_eq!(antibody.value.bonds.len(), 36);
    assert!((lengths.fold(0.0, f32::max) - 2.994).abs() < 1e-3);
}

#[test]
fn cells_keep_edges_angles_and_space_group() {
    let Some(parsed) = read("structures/large/1f2n.cif") else { return };
    let cell = parsed.value.periodic_box.unwrap();
    assert!(cell.edges().abs_diff_eq(DVec3::new(283.5, 401.8, 284.0), 1e-9));
    assert!(cell.angles_degrees().abs_diff_eq(DVec3::new(90.0, 89.4, 90.0), 1e-9));
    assert_eq!(parsed.value.space_group, "P 1 21 1");
    let Some(nmr) = read("structures/tricky/1d3z_nmr.cif.gz") else { return };
    assert_eq!(nmr.value.periodic_box, None);
    assert_eq!(nmr.value.space_group, "");
}

#[test]
fn an_assembly_of_an_ensemble_takes_the_chains_of_one_model() {
    let Some(parsed) = read("structures/tricky/1l2y_nmr38.cif.gz") else { return };
    let copies = &parsed.value.assemblies[0].copies;
    assert_eq!((copies.len(), &copies[0].chains[..]), (1, &[0][..]));
    assert_eq!(copies[0].poses, [Pose::IDENTITY]);
}
