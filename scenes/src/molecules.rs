//! The molecules that come with steric: lipids, water and a few proteins.
//!
//! How it works: each is a small file in `data/`, built into the program and read when it is asked for. A lipid has one
//! chain per conformer and stands as in a membrane: z points outward, z = 0 is the middle of the bilayer, and its heavy
//! atoms are centred at x = y = 0. Membrane proteins stand likewise; other molecules are centred on the mean of their
//! atoms. Where each comes from, and how to make it again, is said in `data/README.md`.

use std::ops::Range;
use std::path::Path;

use smol_str::SmolStr;
use steric_model::Structure;
use steric_model::formats::{self, Format};

/// A molecule that comes with steric.
///
/// ```
/// use steric_scenes::molecule;
///
/// let popc = molecule("popc").expect("it is embedded");
/// assert_eq!((popc.name, popc.conformers, popc.atoms, popc.head), ("POPC", 5, 134, &["P"][..]));
/// assert_eq!(popc.structure().atoms.len(), 5 * 134);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Embedded {
    /// Its name in scene files.
    pub name: &'static str,
    /// Other names that [`molecule`] knows it by: residue names, PDB entries, other spellings.
    pub aliases: &'static [&'static str],
    /// What it is, in a line.
    pub title: &'static str,
    /// Where the coordinates come from.
    pub origin: &'static str,
    /// Under which licence they may be passed on.
    pub licence: &'static str,
    /// Square angstroms that a lipid takes in a fluid membrane; `None` for what is no lipid.
    pub area: Option<f64>,
    /// Names of the atoms that mark the head: the phosphorus, or the hydroxyl of cholesterol; empty for what is no lipid.
    pub head: &'static [&'static str],
    /// Names of the atoms at the ends of the tails; empty for what is no lipid.
    pub tails: &'static [&'static str],
    /// How many conformers there are. If one, all chains together are the molecule; if several, each chain is one.
    pub conformers: usize,
    /// Atoms of one conformer.
    pub atoms: usize,
    file: &'static str,
    bytes: &'static [u8],
}

impl Embedded {
    /// Its conformers as one structure.
    ///
    /// ```
    /// let haemoglobin = steric_scenes::molecule("4HHB").expect("it is embedded").structure();
    /// assert_eq!((haemoglobin.name.as_str(), haemoglobin.chains.len()), ("haemoglobin", 4));
    /// ```
    pub fn structure(&self) -> Structure {
        let parsed = formats::read_bytes(self.bytes, Path::new(self.file), Some(Format::Pdb));
        let mut structure = parsed.expect("every embedded file is read by a test").value;
        structure.name = self.name.to_owned();
        for chain in &mut structure.chains {
            chain.description = SmolStr::new_static(self.name);
        }
        structure
    }

    /// The chains of [`Embedded::structure`] that each conformer is made of.
    ///
    /// ```
    /// use steric_scenes::molecule;
    ///
    /// let chains = |name| molecule(name).expect("it is embedded").chains_of_conformers();
    /// assert_eq!(chains("DOPC"), [0..1, 1..2, 2..3, 3..4, 4..5]);
    /// assert_eq!(chains("haemoglobin"), [0..4]);
    /// ```
    pub fn chains_of_conformers(&self) -> Vec<Range<u32>> {
        let chains = self.structure().chains.len() as u32;
        let each = chains / self.conformers as u32;
        (0..self.conformers as u32).map(|conformer| conformer * each..(conformer + 1) * each).collect()
    }

    fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
    }
}

/// The embedded molecule of that name or alias; capitals do not matter.
///
/// ```
/// use steric_scenes::molecule;
///
/// let names = ["chol", "1ubq", "HOH", "benzene"].map(|name| molecule(name).map(|found| found.name));
/// assert_eq!(names, [Some("cholesterol"), Some("ubiquitin"), Some("water"), None]);
/// ```
pub fn molecule(name: &str) -> Option<&'static Embedded> {
    MOLECULES.iter().find(|molecule| molecule.is_called(name))
}

/// All embedded molecules: lipids, water, soluble proteins by size, membrane proteins by size.
///
/// ```
/// let lipids = steric_scenes::molecules().iter().filter(|molecule| molecule.area.is_some());
/// let names: Vec<&str> = lipids.map(|lipid| lipid.name).collect();
/// assert_eq!(names, ["POPC", "DPPC", "DOPC", "cholesterol"]);
/// ```
pub fn molecules() -> &'static [Embedded] {
    MOLECULES
}

const MIT: &str = "MIT, Copyright (c) Stanford University and the OpenMM authors";
const CC0: &str = "CC0-1.0";

// What most of the list has in common.
const PROTEIN: Embedded = Embedded {
    name: "",
    aliases: &[],
    title: "",
    origin: "",
    licence: CC0,
    area: None,
    head: &[],
    tails: &[],
    conformers: 1,
    atoms: 0,
    file: "",
    bytes: &[],
};

/// A phosphatidylcholine: five conformers of a patch.
const LIPID: Embedded = Embedded { licence: MIT, head: &["P"], conformers: 5, ..PROTEIN };

static MOLECULES: &[Embedded] = &[
    Embedded {
        name: "POPC",
        aliases: &["POP", "POV"],
        title: "1-palmitoyl-2-oleoyl-phosphatidylcholine",
        origin: "OpenMM 8.6.1, app/data/POPC.pdb",
        area: Some(68.3),
        tails: &["C218", "C316"],
        atoms: 134,
        file: "popc.pdb",
        bytes: include_bytes!("../data/popc.pdb"),
        ..LIPID
    },
    Embedded {
        name: "DPPC",
        aliases: &["DPP", "PCF"],
        title: "1,2-dipalmitoyl-phosphatidylcholine",
        origin: "OpenMM 8.6.1, app/data/DPPC.pdb",
        area: Some(64.0),
        tails: &["C216", "C316"],
        atoms: 130,
        file: "dppc.pdb",
        bytes: include_bytes!("../data/dppc.pdb"),
        ..LIPID
    },
    Embedded {
        name: "DOPC",
        aliases: &["DOP", "PCW"],
        title: "1,2-dioleoyl-phosphatidylcholine",
        origin: "OpenMM 8.6.1, app/data/DOPC.pdb",
        area: Some(72.1),
        tails: &["C218", "C318"],
        atoms: 138,
        file: "dopc.pdb",
        bytes: include_bytes!("../data/dopc.pdb"),
        ..LIPID
    },
    Embedded {
        name: "cholesterol",
        aliases: &["CHOL", "CHL1", "CLR"],
        title: "cholesterol",
        origin: "wwPDB chemical component CLR, ideal coordinates",
        area: Some(40.0),
        head: &["O1"],
        tails: &["C26", "C27"],
        atoms: 74,
        file: "cholesterol.pdb",
        bytes: include_bytes!("../data/cholesterol.pdb"),
        ..PROTEIN
    },
    Embedded {
        name: "water",
        aliases: &["HOH", "WAT", "SOL", "TIP3", "H2O"],
        title: "water",
        origin: "bond length 0.9572 A and angle 104.52 degrees",
        atoms: 3,
        file: "water.pdb",
        bytes: include_bytes!("../data/water.pdb"),
        ..PROTEIN
    },
    Embedded {
        name: "crambin",
        aliases: &["1CRN"],
        title: "crambin, a plant seed protein of 46 residues",
        origin: "PDB entry 1CRN",
        atoms: 327,
        file: "crambin.pdb",
        bytes: include_bytes!("../data/crambin.pdb"),
        ..PROTEIN
    },
    Embedded {
        name: "ubiquitin",
        aliases: &["1UBQ"],
        title: "human ubiquitin",
        origin: "PDB entry 1UBQ",
        atoms: 602,
        file: "ubiquitin.pdb",
        bytes: include_bytes!("../data/ubiquitin.pdb"),
        ..PROTEIN
    },
    Embedded {
        name: "lysozyme",
        aliases: &["1HEL", "HEWL"],
        title: "hen egg-white lysozyme",
        origin: "PDB entry 1HEL",
        atoms: 1001,
        file: "lysozyme.pdb",
        bytes: include_bytes!("../data/lysozyme.pdb"),
        ..PROTEIN
    },
    Embedded {
        name: "adenylate-kinase",
        aliases: &["1AKE", "AdK", "adenylate_kinase"],
        title: "adenylate kinase of E. coli, closed around its inhibitor AP5A",
        origin: "PDB entry 1AKE, chain A",
        atoms: 1713,
        file: "adenylate_kinase.pdb",
        bytes: include_bytes!("../data/adenylate_kinase.pdb"),
        ..PROTEIN
    },
    Embedded {
        name: "dhfr",
        aliases: &["5DFR", "dihydrofolate-reductase"],
        title: "dihydrofolate reductase of E. coli, its pocket for folate empty",
        origin: "PDB entry 5DFR, as in the JAC benchmark of openmmtools 0.27.0",
        licence: "CC0-1.0 and MIT, Copyright (c) 2015-2019 Chodera lab, Memorial Sloan Kettering Cancer Center",
        atoms: 1268,
        file: "dhfr.pdb.gz",
        bytes: include_bytes!("../data/dhfr.pdb.gz"),
        ..PROTEIN
    },
    Embedded {
        name: "trimethoprim",
        aliases: &["TOP"],
        title: "trimethoprim, a drug, in the pocket of dhfr",
        origin: "wwPDB chemical component TOP, ideal coordinates, laid onto methotrexate of PDB entry 4DFR",
        atoms: 39,
        file: "trimethoprim.pdb",
        bytes: include_bytes!("../data/trimethoprim.pdb"),
        ..PROTEIN
    },
    Embedded {
        name: "haemoglobin",
        aliases: &["4HHB", "hemoglobin"],
        title: "human deoxyhaemoglobin, four chains and their haems",
        origin: "PDB entry 4HHB",
        atoms: 4556,
        file: "haemoglobin.pdb.gz",
        bytes: include_bytes!("../data/haemoglobin.pdb.gz"),
        ..PROTEIN
    },
    Embedded {
        name: "protease",
        aliases: &["1HVR", "hiv-protease"],
        title: "protease of HIV-1, two chains",
        origin: "PDB entry 1HVR",
        atoms: 1500,
        file: "protease.pdb.gz",
        bytes: include_bytes!("../data/protease.pdb.gz"),
        ..PROTEIN
    },
    Embedded {
        name: "antibody",
        aliases: &["IgG"],
        title: "stand-in for an immunoglobulin G: three ectodomains of a T-cell receptor as a Y",
        origin: "PDB entry 1BD2, chains D and E, three times",
        atoms: 9813,
        file: "antibody.pdb.gz",
        bytes: include_bytes!("../data/antibody.pdb.gz"),
        ..PROTEIN
    },
    Embedded {
        name: "ribosome",
        aliases: &["6ZU5"],
        title: "ribosome of Paranosema locustae, the smallest of a eukaryote, two beads for each residue and nucleotide",
        origin: "PDB entry 6ZU5",
        atoms: 26600,
        file: "ribosome.pdb.gz",
        bytes: include_bytes!("../data/ribosome.pdb.gz"),
        ..PROTEIN
    },
    Embedded {
        name: "base-pair",
        aliases: &["BP"],
        title: "a base pair of B-DNA about the axis of the helix, without the oxygen that joins it to the next",
        origin: "PDB entry 4C64",
        atoms: 39,
        file: "base_pair.pdb",
        bytes: include_bytes!("../data/base_pair.pdb"),
        ..PROTEIN
    },
    Embedded {
        name: "nucleotide",
        aliases: &[],
        title: "a nucleotide of RNA as three beads: phosphate, sugar, base",
        origin: "made by hand",
        atoms: 3,
        file: "nucleotide.pdb",
        bytes: include_bytes!("../data/nucleotide.pdb"),
        ..PROTEIN
    },
    Embedded {
        name: "gramicidin",
        aliases: &["1GRM"],
        title: "gramicidin A, a channel of two short helices end to end through a membrane",
        origin: "PDB entry 1GRM, one model",
        atoms: 272,
        file: "gramicidin.pdb",
        bytes: include_bytes!("../data/gramicidin.pdb"),
        ..PROTEIN
    },
    Embedded {
        name: "porin",
        aliases: &["2POR"],
        title: "porin of Rhodobacter capsulatus, three barrels through an outer membrane",
        origin: "PDB entry 2POR, biological trimer",
        atoms: 6666,
        file: "porin.pdb.gz",
        bytes: include_bytes!("../data/porin.pdb.gz"),
        ..PROTEIN
    },
    Embedded {
        name: "transporter",
        aliases: &["2NWL", "GltPh"],
        title: "aspartate transporter of Pyrococcus horikoshii, one of its three chains",
        origin: "PDB entry 2NWL, chain A",
        atoms: 2886,
        file: "transporter.pdb.gz",
        bytes: include_bytes!("../data/transporter.pdb.gz"),
        ..PROTEIN
    },
    Embedded {
        name: "hla",
        aliases: &["1BD2", "HLA-A2"],
        title: "HLA-A2 with a viral peptide, what of it stands outside of the membrane",
        origin: "PDB entry 1BD2, chains A to C",
        atoms: 3068,
        file: "hla.pdb.gz",
        bytes: include_bytes!("../data/hla.pdb.gz"),
        ..PROTEIN
    },
    Embedded {
        name: "spike",
        aliases: &["Env"],
        title: "stand-in for the spike of HIV-1: amino-terminal domains of a glutamate receptor as a trimer",
        origin: "PDB entry 3O21, chains A and B, three times",
        atoms: 17985,
        file: "spike.pdb.gz",
        bytes: include_bytes!("../data/spike.pdb.gz"),
        ..PROTEIN
    },
    Embedded {
        name: "synthase",
        aliases: &["ATP-synthase"],
        title: "stand-in for an ATP synthase: a ring of six on a coil on a trimer in the membrane",
        origin: "PDB entries 7PBL, chains A to F, 4C46 and 2NWL",
        atoms: 25118,
        file: "synthase.pdb.gz",
        bytes: include_bytes!("../data/synthase.pdb.gz"),
        ..PROTEIN
    },
];

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use steric_model::chemistry::{BondGraph, is_hydrogen};
    use steric_model::{Element, Name};

    use super::*;

    /// Indices of the atoms of each conformer.
    fn conformers(molecule: &Embedded) -> Vec<Vec<usize>> {
        let structure = molecule.structure();
        let chain = |atom: usize| structure.residues[structure.atoms.residues[atom] as usize].chain;
        let chains = molecule.chains_of_conformers();
        chains
            .iter()
            .map(|own| (0..structure.atoms.len()).filter(|&atom| own.contains(&chain(atom))).collect())
            .collect()
    }

    fn mean(structure: &Structure, atoms: impl Iterator<Item = usize>) -> DVec3 {
        let (sum, count) = atoms.fold((DVec3::ZERO, 0.0), |(sum, count), atom| {
            (sum + structure.atoms.positions[atom].as_dvec3(), count + 1.0)
        });
        sum / count
    }

    fn longest_bond(structure: &Structure) -> f32 {
        let place = |atom: u32| structure.atoms.positions[atom as usize];
        BondGraph::new(structure).pairs().map(|(a, b)| place(a).distance(place(b))).fold(0.0, f32::max)
    }

    #[test]
    fn every_molecule_is_read_without_a_warning_and_has_the_atoms_it_says() {
        for molecule in molecules() {
            let parsed = formats::read_bytes(molecule.bytes, Path::new(molecule.file), None).unwrap();
            assert_eq!(parsed.warnings.total, 0, "{}", molecule.name);
            assert_eq!(parsed.value.models.len(), 1, "{}", molecule.name);
            let counts: Vec<usize> = conformers(molecule).iter().map(Vec::len).collect();
            assert_eq!(counts, vec![molecule.atoms; molecule.conformers], "{}", molecule.name);
            assert!(
                parsed.value.atoms.elements.iter().all(|&element| element != Element::UNKNOWN),
                "{}",
                molecule.name
            );
        }
    }

    #[test]
    fn lipids_water_and_drugs_have_hydrogens_and_nothing_else_has_water() {
        for molecule in molecules() {
            let structure = molecule.structure();
            let hydrogens = structure.atoms.elements.iter().filter(|&&element| is_hydrogen(element)).count();
            let is_small = molecule.area.is_some() || ["water", "trimethoprim"].contains(&molecule.name);
            assert_eq!(hydrogens > 0, is_small, "{}", molecule.name);
            let water = structure.residues.iter().any(|residue| residue.name == Name::new("HOH"));
            assert_eq!(water, molecule.name == "water", "{}", molecule.name);
        }
    }

    #[test]
    fn lipids_stand_upright_and_centred_with_their_heads_above_their_tails() {
        for lipid in molecules().iter().filter(|molecule| molecule.area.is_some()) {
            let structure = lipid.structure();
            let height = |atoms: &[usize], names: &[&str]| {
                let named = |&atom: &usize| names.iter().any(|name| structure.atoms.names[atom] == Name::new(name));
                let found: Vec<usize> = atoms.iter().copied().filter(named).collect();
                assert_eq!(found.len(), names.len(), "{} has {names:?} once each", lipid.name);
                mean(&structure, found.into_iter()).z
            };
            for atoms in conformers(lipid) {
                let (head, tails) = (height(&atoms, lipid.head), height(&atoms, lipid.tails));
                assert!(head > 10.0 && head - tails > 10.0, "{}: {head} {tails}", lipid.name);
                let heavy = atoms.iter().copied().filter(|&atom| !is_hydrogen(structure.atoms.elements[atom]));
                let center = mean(&structure, heavy);
                assert!(center.x.abs().max(center.y.abs()) < 2e-3, "{}: {center}", lipid.name);
            }
        }
    }

    #[test]
    fn conformers_are_whole() {
        for molecule in molecules() {
            let structure = molecule.structure();
            // Proteins: sulphur bridges, 2.1 A, and iron to its haem; entry 4HHB has stretched side chains (arginine C92, 2.97 A).
            let limit = match molecule.name {
                "haemoglobin" => 3.0,
                _ if structure.bonds.is_empty() => 2.3,
                _ => 2.0,
            };
            assert!(longest_bond(&structure) < limit, "{}: {}", molecule.name, longest_bond(&structure));
            if !structure.bonds.is_empty() {
                let parts = BondGraph::new(&structure).components().into_iter().max().map_or(0, |last| last + 1);
                assert_eq!(parts as usize, molecule.conformers, "{}", molecule.name);
            }
        }
    }

    #[test]
    fn conformers_differ() {
        for molecule in molecules() {
            let structure = molecule.structure();
            let heights = |atoms: &[usize]| -> Vec<u32> {
                atoms.iter().map(|&atom| structure.atoms.positions[atom].z.to_bits()).collect()
            };
            let mut all: Vec<Vec<u32>> = conformers(molecule).iter().map(|atoms| heights(atoms)).collect();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), molecule.conformers, "{}", molecule.name);
        }
    }

    #[test]
    fn proteins_are_centred_and_membrane_proteins_stand_on_their_axis() {
        for protein in molecules().iter().filter(|molecule| molecule.atoms > 200) {
            let structure = protein.structure();
            let center = mean(&structure, 0..structure.atoms.len());
            let across = DVec3::new(center.x, center.y, 0.0);
            // These stand by their belts, hence higher than their middles.
            let off = if ["porin", "transporter", "synthase"].contains(&protein.name) { across } else { center };
            assert!(off.length() < 2e-3, "{}: {center}", protein.name);
        }
    }

    #[test]
    fn a_name_means_one_molecule_and_its_origin_is_in_the_readme() {
        let readme = include_str!("../data/README.md");
        let mut names: Vec<String> = Vec::new();
        for molecule in molecules() {
            names.extend(molecule.aliases.iter().chain([&molecule.name]).map(|name| name.to_lowercase()));
            assert!(readme.contains(&format!("`{}`", molecule.file)), "{}", molecule.file);
            assert!(!molecule.title.is_empty() && !molecule.origin.is_empty() && !molecule.licence.is_empty());
        }
        names.sort();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}
