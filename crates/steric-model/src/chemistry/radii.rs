//! Van der Waals radii in angstroms.
//!
//! How it works: a set gives radii to the elements, and to some atoms by their bonds (`atom_types.rs`). What a set does
//! not list is taken from Bondi's table as Mantina completed it, what that leaves out (most transition metals) from
//! Alvarez, and an atom whose element is unknown or in no table is a carbon, 1.70 Å. The united-atom sets
//! (probe-implicit, protor) count the hydrogens with the atom that carries them and are meant for files without
//! hydrogens; where there are some, each has Bondi's 1.20 Å.

use std::fmt;
use std::str::FromStr;

use super::BondGraph;
use super::atom_types::{AtomType, Hybrid, atom_types};
use super::kind::{is_hydrogen, is_metal};
use crate::{Element, Structure};

/// A published set of van der Waals radii.
///
/// ```
/// use steric_model::{chemistry::{BondGraph, RadiiSet}, formats::xyz::read_xyz};
///
/// let water = read_xyz(b"3\nwater\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n", "water.xyz".as_ref())?.value;
/// let set: RadiiSet = "mantina".parse()?;
/// assert_eq!(set.radii(&water, &BondGraph::new(&water)), [1.52, 1.10, 1.10]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RadiiSet {
    /// Bondi 1964.
    Bondi,
    /// Bondi with Mantina's hydrogen of 1.10 Å (2009).
    Mantina,
    /// Alvarez 2013.
    Alvarez,
    /// probe's radii for structures with hydrogens (Word 1999).
    Probe,
    /// probe's united atoms, for structures without hydrogens.
    ProbeImplicit,
    /// ProtOr united atoms (Tsai 1999).
    ProtOr,
    /// ChimeraX's default radii.
    ChimeraX,
    /// Turk 1989, Table 1.
    Turk,
}

impl RadiiSet {
    /// Every set.
    pub const ALL: [Self; 8] = [
        Self::Bondi,
        Self::Mantina,
        Self::Alvarez,
        Self::Probe,
        Self::ProbeImplicit,
        Self::ProtOr,
        Self::ChimeraX,
        Self::Turk,
    ];

    /// The name by which a command line knows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bondi => "bondi",
            Self::Mantina => "mantina",
            Self::Alvarez => "alvarez",
            Self::Probe => "probe",
            Self::ProbeImplicit => "probe-implicit",
            Self::ProtOr => "protor",
            Self::ChimeraX => "chimerax",
            Self::Turk => "turk",
        }
    }

    /// One radius per atom, in angstroms.
    pub fn radii(self, structure: &Structure, bonds: &BondGraph) -> Vec<f32> {
        let elements = &structure.atoms.elements;
        if matches!(self, Self::Bondi | Self::Mantina | Self::Alvarez | Self::Turk) {
            return elements.iter().map(|&element| self.of_element(element)).collect();
        }
        let types = atom_types(structure, bonds);
        let explicit = elements.iter().any(|&element| is_hydrogen(element));
        let atoms = (0_u32..).zip(elements.iter().zip(&types));
        atoms
            .map(|(atom, (&element, &kind))| match (self, element) {
                (Self::Probe, Element::HYDROGEN) => probe_hydrogen(structure, bonds, &types, atom),
                (Self::Probe, _) => probe(element, kind),
                (Self::ProbeImplicit, _) => probe_implicit(element, kind),
                (Self::ChimeraX, _) if explicit => all_atom(element, kind),
                (Self::ChimeraX, _) => united_atom(element, kind).unwrap_or_else(|| all_atom(element, kind)),
                _ => united_atom(element, kind).unwrap_or_else(|| fallback(element)),
            })
            .collect()
    }

    fn of_element(self, element: Element) -> f32 {
        match (self, element) {
            (Self::Mantina, Element::HYDROGEN) => 1.10,
            (Self::Turk, Element::CARBON) => 1.74,
            (Self::Turk, Element::NITROGEN) => 1.54,
            (Self::Turk, Element::OXYGEN) => 1.40,
            (Self::Turk, Element::SULFUR) => 1.80,
            (Self::Alvarez, _) => listed(&ALVAREZ, element).unwrap_or_else(|| fallback(element)),
            _ => fallback(element),
        }
    }
}

// An unknown element is most often a carbon whose element column is missing.
fn fallback(element: Element) -> f32 {
    listed(&BONDI, element).or_else(|| listed(&ALVAREZ, element)).unwrap_or(1.70)
}

fn listed(table: &[f32; 97], element: Element) -> Option<f32> {
    table.get(element.atomic_number() as usize).copied().filter(|&radius| radius > 0.0)
}

// Word et al., J. Mol. Biol. 285 (1999) 1711, with the carbonyl carbon of 1.65 that probe has had since 2021.
fn probe(element: Element, kind: AtomType) -> f32 {
    match element {
        Element::CARBON if kind.carbonyl => 1.65,
        Element::CARBON if kind.aromatic => 1.75,
        Element::CARBON => 1.70,
        Element::NITROGEN => 1.55,
        Element::OXYGEN => 1.40,
        Element::PHOSPHORUS | Element::SULFUR => 1.80,
        other => listed(&PROBE, other).unwrap_or_else(|| fallback(other)),
    }
}

// Polar and aromatic hydrogens are smaller: their electrons are drawn to the atom that carries them.
fn probe_hydrogen(structure: &Structure, bonds: &BondGraph, types: &[AtomType], hydrogen: u32) -> f32 {
    let small = bonds.neighbours(hydrogen).iter().any(|&owner| {
        let polar =
            matches!(structure.atoms.elements[owner as usize], Element::NITROGEN | Element::OXYGEN | Element::SULFUR);
        polar || types[owner as usize].aromatic
    });
    if small { 1.05 } else { 1.22 }
}

fn probe_implicit(element: Element, kind: AtomType) -> f32 {
    match element {
        Element::CARBON if kind.carbonyl => 1.80,
        Element::CARBON | Element::SULFUR => 1.90,
        Element::NITROGEN => 1.70,
        Element::OXYGEN => 1.50,
        Element::PHOSPHORUS => 1.80,
        Element::HYDROGEN => fallback(element),
        other => listed(&PROBE, other).unwrap_or_else(|| fallback(other)),
    }
}

// ProtOr: Tsai et al., J. Mol. Biol. 290 (1999) 253. ChimeraX documents the same radii for structures without
// hydrogens, and what is neither sp2 nor sp3 (user manual, page VDW Radii).
fn united_atom(element: Element, kind: AtomType) -> Option<f32> {
    match (element, kind.hybrid, kind.hydrogens) {
        (Element::CARBON, Hybrid::Sp2, 0) => Some(1.61),
        (Element::CARBON, Hybrid::Sp2, 1) => Some(1.76),
        (Element::CARBON, ..) => Some(1.88),
        (Element::NITROGEN, ..) => Some(1.64),
        (Element::OXYGEN, Hybrid::Sp3, _) => Some(1.46),
        (Element::OXYGEN, ..) => Some(1.42),
        (Element::SULFUR, ..) => Some(1.77),
        _ => None,
    }
}

// ChimeraX with hydrogens, from Amber's parm99 as r = R* / 2^(1/6); ions by their ionic radii, the rest twice the
// covalent radius (user manual, page VDW Radii).
fn all_atom(element: Element, kind: AtomType) -> f32 {
    let alone = kind.heavy == 0 && kind.hydrogens == 0;
    match element {
        ion if is_metal(ion) || (alone && listed(&IONS, ion).is_some()) => {
            listed(&IONS, ion).unwrap_or(2.0 * ion.covalent_radius())
        }
        Element::HYDROGEN => 1.00,
        Element::CARBON => 1.70,
        Element::NITROGEN => 1.625,
        Element::OXYGEN if kind.hybrid == Hybrid::Sp2 => 1.48,
        Element::OXYGEN => 1.50,
        Element::SULFUR => 1.782,
        Element::PHOSPHORUS => 1.871,
        Element::FLUORINE => 1.56,
        Element::CHLORINE => 1.735,
        other => match other.atomic_number() {
            0 => fallback(other),
            35 => 1.978,
            53 => 2.094,
            _ => 2.0 * other.covalent_radius(),
        },
    }
}

impl fmt::Display for RadiiSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name is not that of a set of radii.
///
/// ```
/// use steric_model::chemistry::RadiiSet;
///
/// let unknown = "bondy".parse::<RadiiSet>().expect_err("a slip of the keyboard");
/// assert!(unknown.to_string().starts_with("\"bondy\" is not a set of radii; there are bondi, mantina"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a set of radii; there are bondi, mantina, alvarez, probe, probe-implicit, protor, chimerax and turk"
)]
pub struct UnknownRadiiSet(String);

impl FromStr for RadiiSet {
    type Err = UnknownRadiiSet;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|set| set.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownRadiiSet(text.to_owned()))
    }
}

// Bondi, J. Phys. Chem. 68 (1964) 441, and for main-group elements that he leaves out Mantina et al., J. Phys. Chem. A
// 113 (2009) 5806. The row is the atomic number; 0 where nothing is known.
#[rustfmt::skip]
const BONDI: [f32; 97] = [
    0.00, 1.20, 1.40, 1.81, 1.53, 1.92, 1.70, 1.55, 1.52, 1.47, 1.54, 2.27,
    1.73, 1.84, 2.10, 1.80, 1.80, 1.75, 1.88, 2.75, 2.31, 0.00, 0.00, 0.00,
    0.00, 0.00, 0.00, 0.00, 1.63, 1.40, 1.39, 1.87, 2.11, 1.85, 1.90, 1.83,
    2.02, 3.03, 2.50, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 1.63, 1.72,
    1.58, 1.93, 2.17, 2.06, 2.06, 1.98, 2.16, 3.43, 2.68, 0.00, 0.00, 0.00,
    0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00,
    0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 1.75, 1.66, 1.55, 1.96, 2.02, 2.07,
    1.97, 2.02, 2.20, 3.48, 2.83, 0.00, 0.00, 0.00, 1.86, 0.00, 0.00, 0.00,
    0.00,
];

// Alvarez, Dalton Trans. 42 (2013) 8617.
#[rustfmt::skip]
const ALVAREZ: [f32; 97] = [
    0.00, 1.20, 1.43, 2.12, 1.98, 1.91, 1.77, 1.66, 1.50, 1.46, 1.58, 2.50,
    2.51, 2.25, 2.19, 1.90, 1.89, 1.82, 1.94, 2.73, 2.62, 2.58, 2.46, 2.42,
    2.45, 2.45, 2.44, 2.40, 2.40, 2.38, 2.39, 2.32, 2.29, 1.88, 1.82, 1.86,
    2.07, 3.21, 2.84, 2.75, 2.52, 2.56, 2.45, 2.44, 2.46, 2.44, 2.15, 2.53,
    2.49, 2.43, 2.42, 2.47, 1.99, 2.04, 2.28, 3.48, 3.03, 2.98, 2.88, 2.92,
    2.95, 0.00, 2.90, 2.87, 2.83, 2.79, 2.87, 2.81, 2.83, 2.79, 2.80, 2.74,
    2.63, 2.53, 2.57, 2.49, 2.48, 2.41, 2.29, 2.32, 2.45, 2.47, 2.60, 2.54,
    0.00, 0.00, 2.40, 0.00, 0.00, 2.80, 2.93, 2.88, 2.71, 2.82, 2.81, 2.83,
    3.05,
];

// What probe has beyond H, C, N, O, P and S: radii of ions for metals (Pauling; Shannon, Acta Cryst. A32 (1976) 751).
#[rustfmt::skip]
const PROBE: [f32; 97] = [
    0.00, 0.00, 1.60, 0.60, 0.31, 0.20, 0.00, 0.00, 0.00, 1.30, 1.60, 0.95,
    0.65, 0.50, 2.10, 0.00, 0.00, 1.77, 1.89, 1.33, 0.99, 0.68, 0.75, 0.79,
    0.73, 0.80, 0.74, 0.70, 0.66, 0.72, 0.71, 0.53, 0.60, 2.00, 1.90, 1.95,
    2.01, 1.48, 1.10, 0.90, 0.77, 0.86, 0.93, 0.71, 0.82, 0.76, 1.05, 1.26,
    0.91, 0.81, 0.71, 2.20, 0.97, 2.10, 2.18, 1.69, 1.29, 1.03, 0.87, 1.11,
    1.10, 1.15, 1.08, 1.31, 1.05, 1.05, 0.00, 0.00, 0.00, 0.00, 1.14, 0.00,
    0.00, 0.00, 0.66, 0.00, 0.00, 0.00, 0.63, 1.10, 1.00, 1.44, 0.84, 0.00,
    0.00, 0.00, 0.00, 1.94, 1.62, 0.00, 1.08, 0.00, 1.03, 0.00, 0.00, 0.00,
    0.00,
];

// Effective ionic radii with six neighbours (Shannon 1976, as in the CRC Handbook), in the usual charge; high spin for Mn,
// Fe and Co.
#[rustfmt::skip]
const IONS: [f32; 97] = [
    0.00, 0.00, 0.00, 0.76, 0.45, 0.00, 0.00, 0.00, 0.00, 1.33, 0.00, 1.02,
    0.72, 0.54, 0.00, 0.00, 0.00, 1.81, 0.00, 1.38, 1.00, 0.74, 0.60, 0.64,
    0.61, 0.83, 0.78, 0.74, 0.69, 0.73, 0.74, 0.62, 0.00, 0.00, 0.00, 1.96,
    0.00, 1.52, 1.18, 0.90, 0.72, 0.00, 0.65, 0.00, 0.68, 0.67, 0.86, 1.15,
    0.95, 0.80, 0.69, 0.00, 0.00, 2.20, 0.00, 1.67, 1.35, 1.03, 1.01, 0.99,
    0.98, 0.97, 0.96, 0.95, 0.94, 0.92, 0.91, 0.90, 0.89, 0.88, 0.87, 0.86,
    0.71, 0.00, 0.60, 0.63, 0.63, 0.68, 0.80, 1.37, 1.02, 1.50, 1.19, 1.03,
    0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.94, 0.00, 0.73, 0.00, 0.00, 0.00,
    0.00,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AtomRecord, Name, StructureBuilder};

    fn structure(atoms: &[(&str, &str, Element, [f32; 3])]) -> Structure {
        let mut builder = StructureBuilder::new("test", 0);
        for &(residue, name, element, position) in atoms {
            let (residue_name, name) = (Name::new(residue), Name::new(name));
            builder.push(AtomRecord {
                position: position.into(),
                element,
                name,
                residue_name,
                ..AtomRecord::default()
            });
        }
        builder.finish()
    }

    fn radii(set: RadiiSet, structure: &Structure) -> Vec<f32> {
        set.radii(structure, &BondGraph::new(structure))
    }

    #[test]
    fn every_set_has_a_name_that_finds_it_again() {
        for set in RadiiSet::ALL {
            assert_eq!(set.to_string().parse(), Ok(set));
        }
        assert_eq!("Probe-Implicit".parse(), Ok(RadiiSet::ProbeImplicit));
        assert!("lj".parse::<RadiiSet>().is_err_and(|error| error.to_string().contains("chimerax")));
    }

    #[test]
    fn every_element_has_a_sensible_radius_in_every_set() {
        let mut builder = StructureBuilder::new("test", 0);
        for number in 0..=96 {
            let position = glam::Vec3::X * 10.0 * f32::from(number);
            builder.push(AtomRecord { position, element: Element::new(number), ..AtomRecord::default() });
        }
        let structure = builder.finish();
        for set in RadiiSet::ALL {
            let radii = radii(set, &structure);
            assert!(radii.iter().all(|&radius| (0.2..5.3).contains(&radius)), "{set} {radii:?}");
            assert_eq!(radii[6] > 1.69, radii[6] < 1.91, "{set}");
        }
        assert_eq!(radii(RadiiSet::Bondi, &structure)[0], 1.70);
        // Bondi has no iron, so Alvarez answers.
        assert_eq!(radii(RadiiSet::Bondi, &structure)[26], 2.44);
        assert_eq!(radii(RadiiSet::Mantina, &structure)[1], 1.10);
    }

    #[test]
    fn a_phenylalanine_has_carbonyl_aromatic_and_aliphatic_carbons() {
        let far = |at: f32| [20.0 * at, 0.0, 0.0];
        let c = Element::CARBON;
        let phe = structure(&[
            ("PHE", "N", Element::NITROGEN, far(0.0)),
            ("PHE", "CA", c, far(1.0)),
            ("PHE", "C", c, far(2.0)),
            ("PHE", "O", Element::OXYGEN, far(3.0)),
            ("PHE", "CG", c, far(4.0)),
            ("PHE", "CZ", c, far(5.0)),
        ]);
        assert_eq!(radii(RadiiSet::Probe, &phe), [1.55, 1.70, 1.65, 1.40, 1.75, 1.75]);
        assert_eq!(radii(RadiiSet::ProbeImplicit, &phe), [1.70, 1.90, 1.80, 1.50, 1.90, 1.90]);
        assert_eq!(radii(RadiiSet::ProtOr, &phe)[..5], [1.64, 1.88, 1.61, 1.42, 1.61]);
        assert_eq!(radii(RadiiSet::Turk, &phe), [1.54, 1.74, 1.74, 1.40, 1.74, 1.74]);
    }

    #[test]
    fn methanol_is_recognised_by_its_bonds() {
        let methanol = structure(&[
            ("MOH", "C", Element::CARBON, [0.0, 0.0, 0.0]),
            ("MOH", "O", Element::OXYGEN, [1.43, 0.0, 0.0]),
            ("MOH", "H1", Element::HYDROGEN, [-0.36, 1.03, 0.0]),
            ("MOH", "H2", Element::HYDROGEN, [-0.36, -0.51, 0.89]),
            ("MOH", "H3", Element::HYDROGEN, [-0.36, -0.51, -0.89]),
            ("MOH", "HO", Element::HYDROGEN, [1.75, 0.9, 0.0]),
        ]);
        assert_eq!(radii(RadiiSet::Probe, &methanol), [1.70, 1.40, 1.22, 1.22, 1.22, 1.05]);
        assert_eq!(radii(RadiiSet::ChimeraX, &methanol), [1.70, 1.50, 1.00, 1.00, 1.00, 1.00]);
    }

    #[test]
    fn benzene_without_hydrogens_is_flat_and_aromatic() {
        let ring: Vec<_> = (0..6)
            .map(|at| {
                let angle = std::f32::consts::TAU / 6.0 * at as f32;
                ("BNZ", "C", Element::CARBON, [1.39 * angle.cos(), 1.39 * angle.sin(), 0.0])
            })
            .collect();
        let benzene = structure(&ring);
        assert_eq!(radii(RadiiSet::Probe, &benzene), [1.75; 6]);
        assert_eq!(radii(RadiiSet::ChimeraX, &benzene), [1.76; 6]);
    }

    #[test]
    fn a_chloride_ion_is_not_a_chlorine_atom() {
        let salt = structure(&[("CL", "CL", Element::CHLORINE, [0.0; 3]), ("NA", "NA", Element::SODIUM, [9.0; 3])]);
        assert_eq!(radii(RadiiSet::ChimeraX, &salt), [1.81, 1.02]);
    }
}
