//! Bonds, radii and clashes on real files, against independent programs.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::io::Read;
use std::path::PathBuf;

use glam::Vec3;
use steric_model::chemistry::{BondGraph, Chemistry, ClashDefinition, Severity};
use steric_model::{AtomRecord, Element, Name, Structure, StructureBuilder};

fn data(path: &str) -> Option<Vec<u8>> {
    let file = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(path);
    match std::fs::read(file) {
        Ok(bytes) if path.ends_with(".gz") => {
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
            Some(text)
        }
        Ok(bytes) => Some(bytes),
        Err(_) => {
            eprintln!("skipped: no ../shared/data");
            None
        }
    }
}

// Just enough of the format for files that are known to be good.
fn read(bytes: &[u8]) -> Structure {
    let text = String::from_utf8_lossy(bytes);
    let mut builder = StructureBuilder::new("test", 0);
    for line in text.lines() {
        if let Some(number) = line.strip_prefix("MODEL ") {
            builder.start_model(number.trim().parse().unwrap());
        }
        if !line.starts_with("ATOM  ") && !line.starts_with("HETATM") {
            continue;
        }
        let number = |from: usize, to: usize| line.get(from..to).and_then(|field| field.trim().parse::<f32>().ok());
        let blank = |at: usize| line.as_bytes().get(at).copied().filter(|&byte| byte != b' ').unwrap_or(0);
        let stated = line.get(76..78).and_then(Element::from_symbol);
        let element = stated.or_else(|| Element::from_symbol(line[12..14].trim_matches(|c: char| !c.is_alphabetic())));
        builder.push(AtomRecord {
            position: Vec3::new(number(30, 38).unwrap(), number(38, 46).unwrap(), number(46, 54).unwrap()),
            element: element.unwrap_or(Element::HYDROGEN),
            name: Name::new(&line[12..16]),
            alternate: blank(16),
            occupancy: number(54, 60).unwrap_or(1.0),
            residue_name: Name::new(&line[17..20]),
            chain: line[21..22].trim(),
            residue_number: line[22..26].trim().parse().unwrap(),
            insertion: blank(26),
            hetero: line.starts_with("HETATM"),
            ..AtomRecord::default()
        });
    }
    builder.finish()
}

// All pairs, found the slow way.
fn clashes(definition: ClashDefinition, structure: &Structure) -> (Vec<(u32, u32, f32, Severity)>, u64) {
    let chemistry = Chemistry::new(structure);
    let radii = definition.radii(structure, &chemistry.bonds);
    let atoms: Vec<u32> =
        (0..structure.atoms.len() as u32).filter(|&atom| definition.takes_part(structure, atom)).collect();
    let mut found = Vec::new();
    for (at, &a) in atoms.iter().enumerate() {
        for &b in &atoms[at + 1..] {
            let distance = structure.atoms.positions[a as usize].distance(structure.atoms.positions[b as usize]);
            let overlap = radii[a as usize] + radii[b as usize] - distance;
            if overlap >= definition.least_overlap()
                && let Some(clash) = definition.judge(&chemistry, a, b, overlap, true)
            {
                found.push((a, b, clash.overlap, clash.severity));
            }
        }
    }
    let counted = atoms.iter().filter(|&&atom| definition.counts(structure, atom)).count() as u64;
    (found, counted)
}

// Biotite 1.x, connect_via_residue_names with bonds between residues, no bond across alternates or above 2.5 Å. Biotite
// leaves disulfides out; crambin has three.
#[test]
fn bonds_are_those_that_a_residue_dictionary_gives() {
    for (path, expected) in [
        ("structures/1crn.pdb", 334 + 3),
        ("structures/1ubq.pdb", 608),
        ("structures/turk/1bna.pdb", 544),
        ("structures/turk/4tna.pdb", 1845),
        ("structures/large/4v8r_hybrid36.pdb.gz", 130_157),
    ] {
        let Some(bytes) = data(path) else { return };
        let bonds = BondGraph::new(&read(&bytes));
        assert_eq!(bonds.bond_count(), expected, "{path}");
    }
}

// Crambin with its hydrogens and two residues at two positions, one of which writes the shared backbone under one name
// only: every atom must find a partner.
#[test]
fn no_atom_of_crambin_is_left_alone() {
    let Some(bytes) = data("structures/tricky/1ejg_altloc_h.pdb") else { return };
    let structure = read(&bytes);
    let bonds = BondGraph::new(&structure);
    let alone = (0..structure.atoms.len() as u32).filter(|&atom| bonds.neighbours(atom).is_empty()).count();
    assert_eq!((structure.atoms.len(), alone), (831, 0));
    assert!(bonds.components().iter().all(|&part| part == 0));
}

// probe 2.26 as MolProbity runs it (-u -q -mc -het -once -NOVDWOUT -con "ogt10 not water" "ogt10"), counting pairs with
// a bad overlap of at least 0.4 Å. probe measures at dots on the surface and drops a dot that lies inside a bonded
// neighbour, so a pair that is partly hidden behind its own hydrogens counts for less there: every clash of probe is
// one here, and there are up to a fifth more.
#[test]
fn clashes_are_those_of_probe_and_the_ones_behind_hydrogens() {
    for (path, of_probe) in [
        ("docking/1iep/1iep_receptorH.pdb", 168),
        ("docking/5x72/5x72_receptorH.pdb", 7),
        ("structures/turk/2ptc_H.pdb", 142),
    ] {
        let Some(bytes) = data(path) else { return };
        let structure = read(&bytes);
        let definition = ClashDefinition::molprobity_for(&structure);
        assert_eq!(definition, ClashDefinition::MolProbity);
        let (found, counted) = clashes(definition, &structure);
        assert!((of_probe..=of_probe * 6 / 5 + 3).contains(&found.len()), "{path}: {} clashes", found.len());
        let score = definition.score(found.len() as u64, counted).unwrap();
        assert!((1.0..60.0).contains(&score), "{path}: {score}");
        assert!(found.iter().all(|&(_, _, overlap, severity)| (severity == Severity::Severe) == (overlap > 0.9)));
    }
}

#[test]
fn good_structures_without_hydrogens_have_few_heavy_atom_clashes() {
    for path in ["structures/1crn.pdb", "structures/1ubq.pdb", "structures/turk/1bna.pdb", "structures/turk/3ptb.pdb"] {
        let Some(bytes) = data(path) else { return };
        let structure = read(&bytes);
        let definition = ClashDefinition::molprobity_for(&structure);
        assert_eq!(definition, ClashDefinition::HeavyAtoms);
        let (found, counted) = clashes(definition, &structure);
        let score = definition.score(found.len() as u64, counted).unwrap();
        assert!(score < 15.0, "{path}: {score}");
        assert!(clashes(ClashDefinition::Tolerance(1.5), &structure).0.is_empty(), "{path}");
    }
}

// Haemoglobin of 1984, with bonds from 0.23 to 2.97 Å and pairs two bonds apart at 1.42 Å. Biotite 1.6,
// connect_via_residue_names: 4700 bonds between residues included, 200 of them in the four haems, all below 3.0 Å; 122
// of those in standard residues are longer than 1.92 Å.
#[test]
fn the_stretched_bonds_of_old_haemoglobin_are_bonds() {
    let Some(bytes) = data("structures/4hhb.pdb.gz") else { return };
    let structure = read(&bytes);
    let bonds = BondGraph::new(&structure);
    let length =
        |(a, b): (u32, u32)| structure.atoms.positions[a as usize].distance(structure.atoms.positions[b as usize]);
    let in_haem =
        |(a, _): (u32, u32)| structure.residues[structure.atoms.residues[a as usize] as usize].name == Name::new("HEM");
    assert_eq!(bonds.bond_count(), 4700);
    assert_eq!(bonds.pairs().filter(|&pair| in_haem(pair)).count(), 200);
    assert_eq!(bonds.pairs().filter(|&pair| !in_haem(pair) && length(pair) > 1.92).count(), 122);
}

#[test]
fn no_two_atoms_of_a_residue_of_old_haemoglobin_clash() {
    let Some(bytes) = data("structures/4hhb.pdb.gz") else { return };
    let structure = read(&bytes);
    assert_eq!(ClashDefinition::molprobity_for(&structure), ClashDefinition::HeavyAtoms);
    for definition in [ClashDefinition::HeavyAtoms, ClashDefinition::MolProbity, ClashDefinition::ChimeraX] {
        let (found, _) = clashes(definition, &structure);
        let residue = |atom: u32| structure.atoms.residues[atom as usize];
        let inside: Vec<_> = found.iter().filter(|&&(a, b, ..)| residue(a) == residue(b)).collect();
        assert!(!found.is_empty() && found.len() < 200, "{definition}: {} clashes", found.len());
        assert!(inside.is_empty(), "{definition}: {inside:?}");
    }
}

#[test]
fn a_stray_atom_in_front_does_not_pull_its_residue_out_of_the_chain() {
    // As SER 438 of 1iep_receptorH: its hydrogen is the first atom of the file.
    let mut builder = steric_model::StructureBuilder::new("stray", 0);
    let atoms = [
        (2, "HB2", 9.0, 0.0),
        (1, "CA", 0.0, 1.0),
        (1, "C", 1.5, 1.0),
        (2, "N", 2.8, 1.0),
        (2, "CA", 4.3, 1.0),
        (2, "C", 5.8, 1.0),
        (3, "N", 7.1, 1.0),
        (3, "CA", 8.6, 1.0),
    ];
    for (residue_number, name, x, y) in atoms {
        let element = steric_model::Element::from_symbol(&name[..1]).expect("an element");
        builder.push(steric_model::AtomRecord {
            position: glam::Vec3::new(x, y, 0.0),
            element,
            name: steric_model::Name::new(name),
            residue_name: steric_model::Name::new("SER"),
            residue_number,
            chain: "A",
            occupancy: 1.0,
            ..Default::default()
        });
    }
    let bonds = BondGraph::new(&builder.finish());
    assert!(bonds.within(2, 3, 1), "C of 1 holds N of 2: {:?}", bonds.neighbours(2));
    assert!(bonds.within(5, 6, 1), "C of 2 holds N of 3: {:?}", bonds.neighbours(5));
}
