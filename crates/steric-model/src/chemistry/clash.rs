//! When two atoms count as a clash.
//!
//! How it works: every definition is a set of radii, a least overlap and a list of pairs that do not count. The
//! overlap is r_i + r_j - d; a pair that can share a hydrogen bond may interpenetrate by an allowance first.
//!
//! | definition | radii | clash | hydrogen bonds | pairs that do not count, beside the excused |
//! |---|---|---|---|---|
//! | tolerance | half the tolerance | above 0 | | same molecule |
//! | radii | of the set | from the allowance | | same molecule |
//! | ChimeraX | ChimeraX | from 0.6 | 0.4 | same residue |
//! | MolProbity | probe | from 0.4 | 0.6, charged 0.8 | water with water |
//! | heavy atoms | probe, united atoms | from 0.4 | 0.6, charged 0.8 | water with water, hydrogens |
//!
//! Excused under every definition, inside one copy of a structure: atoms at most 4 bonds apart, and alternate locations
//! that exclude each other.

use std::fmt;

use super::{BondGraph, Chemistry, RadiiSet, Role, is_hydrogen, is_water};
use crate::Structure;

// Pairs this near along the bonds are held by bonds and angles, not by contact. ChimeraX says 4; probe says 4 if one of
// the two is a hydrogen and 3 if not (its option -4H, the default).
const BONDS_APART: u32 = 4;

/// A rule that says which pairs of atoms clash.
///
/// ```
/// use steric_model::{chemistry::{Chemistry, ClashDefinition}, formats::xyz::read_xyz};
///
/// let water = read_xyz(b"3\nwater\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n", "water.xyz".as_ref())?.value;
/// let chemistry = Chemistry::new(&water);
/// // Two hydrogens of one water are held by its bonds; those of two waters are not.
/// assert_eq!(ClashDefinition::MolProbity.judge(&chemistry, 1, 2, 0.7, true), None);
/// assert!(ClashDefinition::MolProbity.judge(&chemistry, 1, 2, 0.7, false).is_some());
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClashDefinition {
    /// packmol's: atoms of different molecules closer than this many angstroms.
    Tolerance(f32),
    /// ChimeraX's: overlap of at least 0.6 Å, hydrogen bonds allowed 0.4 Å, not in one residue.
    ChimeraX,
    /// MolProbity's: overlap of at least 0.4 Å with hydrogens present, hydrogen bonds allowed 0.6 or 0.8 Å.
    MolProbity,
    /// MolProbity's rule for structures without hydrogens, with united atoms.
    HeavyAtoms,
    /// Atoms of different molecules that overlap by more than an allowance.
    Radii {
        /// Which radii.
        set: RadiiSet,
        /// Overlap that is allowed, in angstroms.
        allow: f32,
    },
}

/// How bad a clash is, in MolProbity's steps.
///
/// ```
/// use steric_model::{chemistry::{Chemistry, ClashDefinition, Severity}, formats::xyz::read_xyz};
///
/// let neon = read_xyz(b"2\nneon\nNe 0 0 0\nNe 2.5 0 0\n", "neon.xyz".as_ref())?.value;
/// let chemistry = Chemistry::new(&neon);
/// let severity = |overlap| Some(ClashDefinition::MolProbity.judge(&chemistry, 0, 1, overlap, false)?.severity);
/// assert_eq!([0.45, 0.7, 1.2].map(severity), [Severity::Mild, Severity::Clash, Severity::Severe].map(Some));
/// assert_eq!(severity(0.3), None);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Overlap below 0.5 Å.
    Mild,
    /// Overlap from 0.5 to 0.9 Å.
    Clash,
    /// Overlap above 0.9 Å.
    Severe,
}

impl Severity {
    fn of(overlap: f32) -> Self {
        match overlap {
            severe if severe > 0.9 => Self::Severe,
            clash if clash >= 0.5 => Self::Clash,
            _ => Self::Mild,
        }
    }
}

/// Two atoms that are too close.
///
/// ```
/// use steric_model::{chemistry::{Chemistry, ClashDefinition}, formats::xyz::read_xyz};
///
/// # let text = b"4\nmethanol\nC 0 0 0\nO 1.43 0 0\nH 1.75 0.9 0\nH -0.36 1.03 0\n";
/// # let methanol = read_xyz(text, "methanol.xyz".as_ref())?.value;
/// let chemistry = Chemistry::new(&methanol);
/// // The hydroxyl group of one methanol against the oxygen of another: 0.6 Å of the overlap are a hydrogen bond.
/// let clash = ClashDefinition::MolProbity.judge(&chemistry, 2, 1, 1.1, false);
/// assert!(clash.is_some_and(|clash| (clash.overlap - 0.5).abs() < 1e-6));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clash {
    /// Sum of radii minus distance minus the hydrogen-bond allowance, in angstroms.
    pub overlap: f32,
    /// How bad that is.
    pub severity: Severity,
}

impl ClashDefinition {
    /// MolProbity's definition if the structure has its hydrogens, the heavy-atom one if not.
    ///
    /// Proteins and nucleic acids have about as many hydrogens as other atoms, so a third of the other atoms is the
    /// line: polar hydrogens alone (a fifth) stay below, a full set lies well above. Waters do not count.
    pub fn molprobity_for(structure: &Structure) -> Self {
        let (mut hydrogens, mut others) = (0_usize, 0_usize);
        for (&element, &residue) in structure.atoms.elements.iter().zip(&structure.atoms.residues) {
            match (is_water(structure.residues[residue as usize].name), is_hydrogen(element)) {
                (true, _) => {}
                (false, true) => hydrogens += 1,
                (false, false) => others += 1,
            }
        }
        if hydrogens > 0 && hydrogens * 3 >= others { Self::MolProbity } else { Self::HeavyAtoms }
    }

    /// One radius per atom, in angstroms, for the search.
    pub fn radii(&self, structure: &Structure, bonds: &BondGraph) -> Vec<f32> {
        match self {
            Self::Tolerance(tolerance) => vec![tolerance / 2.0; structure.atoms.len()],
            Self::ChimeraX => RadiiSet::ChimeraX.radii(structure, bonds),
            Self::MolProbity => RadiiSet::Probe.radii(structure, bonds),
            Self::HeavyAtoms => RadiiSet::ProbeImplicit.radii(structure, bonds),
            Self::Radii { set, .. } => set.radii(structure, bonds),
        }
    }

    /// The search's threshold in angstroms: no pair whose radii overlap by less can be a clash.
    pub fn least_overlap(&self) -> f32 {
        match self {
            Self::Tolerance(_) => 0.0,
            Self::ChimeraX => 0.6,
            Self::MolProbity | Self::HeavyAtoms => 0.4,
            Self::Radii { allow, .. } => *allow,
        }
    }

    /// Whether atoms of one molecule can clash with each other.
    pub fn inside_molecules(&self) -> bool {
        matches!(self, Self::ChimeraX | Self::MolProbity | Self::HeavyAtoms)
    }

    /// Whether the definition looks at this atom at all.
    ///
    /// MolProbity and its heavy-atom form take every alternate location with an occupancy above 10 %, as probe does:
    /// A and B never clash with each other, but both can clash with what is there in either case. The others take the
    /// first alternate location of each residue position, as a viewer shows it.
    pub fn takes_part(&self, structure: &Structure, atom: u32) -> bool {
        let atoms = &structure.atoms;
        match self {
            Self::MolProbity => atoms.occupancies[atom as usize] > 0.1,
            Self::HeavyAtoms => atoms.occupancies[atom as usize] > 0.1 && !is_hydrogen(atoms.elements[atom as usize]),
            _ => is_first_alternate(structure, atom),
        }
    }

    /// Whether this atom counts among the atoms that [`ClashDefinition::score`] divides by: it takes part and is no
    /// water.
    pub fn counts(&self, structure: &Structure, atom: u32) -> bool {
        let residue = structure.atoms.residues[atom as usize];
        self.takes_part(structure, atom) && !is_water(structure.residues[residue as usize].name)
    }

    /// Whether two atoms of one structure clash, given how far their spheres interpenetrate.
    ///
    /// `same_copy` says that both belong to the same placed copy of the structure; only then can bonds, a shared
    /// residue or alternate locations excuse them.
    pub fn judge(&self, chemistry: &Chemistry, a: u32, b: u32, overlap: f32, same_copy: bool) -> Option<Clash> {
        if overlap < self.least_overlap() || (same_copy && self.excuses(chemistry, a, b)) {
            return None;
        }
        self.judge_between(chemistry, a, chemistry, b, overlap)
    }

    /// As [`ClashDefinition::judge`], for atoms of two structures.
    pub fn judge_between(&self, of_a: &Chemistry, a: u32, of_b: &Chemistry, b: u32, overlap: f32) -> Option<Clash> {
        let probe = matches!(self, Self::MolProbity | Self::HeavyAtoms);
        if overlap < self.least_overlap() || (probe && of_a.is_water(a) && of_b.is_water(b)) {
            return None;
        }
        let overlap = overlap - self.allowance(of_a.role(a), of_b.role(b));
        // packmol keeps a distance, so atoms exactly that far apart are fine.
        let too_near = if matches!(self, Self::Tolerance(_)) { overlap > 0.0 } else { overlap >= self.least_overlap() };
        too_near.then(|| Clash { overlap, severity: Severity::of(overlap) })
    }

    /// The score that goes with so many clashes among so many atoms, if the definition has one.
    pub fn score(&self, clashes: u64, atoms: u64) -> Option<f64> {
        self.score_name()?;
        (atoms > 0).then(|| clashes as f64 * 1000.0 / atoms as f64)
    }

    /// What the score is called. Only the one with hydrogens is MolProbity's.
    pub fn score_name(&self) -> Option<&'static str> {
        match self {
            Self::MolProbity => Some("clashscore"),
            Self::HeavyAtoms => Some("heavy-atom clash score"),
            _ => None,
        }
    }

    fn excuses(&self, chemistry: &Chemistry, a: u32, b: u32) -> bool {
        let same = |of: &[u32]| of[a as usize] == of[b as usize];
        chemistry.exclude_each_other(a, b)
            || match self {
                Self::ChimeraX => same(&chemistry.residues) || chemistry.bonds.within(a, b, BONDS_APART),
                _ => chemistry.bonds.within(a, b, BONDS_APART),
            }
    }

    fn allowance(&self, a: Role, b: Role) -> f32 {
        match self {
            Self::ChimeraX if a.bonds_with(b) => 0.4,
            Self::MolProbity | Self::HeavyAtoms if a.bonds_or_faces(b) => {
                if a.salt_bridge_with(b) {
                    0.8
                } else {
                    0.6
                }
            }
            _ => 0.0,
        }
    }
}

// Walks back to the start of the residue position (two residues can share one), but not through a whole file that puts
// everything in one residue.
fn is_first_alternate(structure: &Structure, atom: u32) -> bool {
    let own = structure.atoms.alternates[atom as usize];
    if own == 0 {
        return true;
    }
    let residue_of = |atom: usize| &structure.residues[structure.atoms.residues[atom] as usize];
    let here = residue_of(atom as usize);
    let same = |&before: &usize| {
        let there = residue_of(before);
        (there.chain, there.number, there.insertion) == (here.chain, here.number, here.insertion)
    };
    let earlier = (0..atom as usize).rev().take(500).take_while(same);
    let first = earlier.map(|before| structure.atoms.alternates[before]).filter(|&alternate| alternate != 0).last();
    first.is_none_or(|first| first == own)
}

impl fmt::Display for ClashDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tolerance(tolerance) => {
                write!(f, "packmol: atoms of different molecules closer than {tolerance:.2} Å")
            }
            Self::ChimeraX => f.write_str(
                "ChimeraX: atoms of different residues that overlap by at least 0.60 Å, hydrogen bonds by 0.40 Å more",
            ),
            Self::MolProbity => f.write_str(
                "MolProbity: atoms that overlap by at least 0.40 Å, hydrogen bonds by 0.60 Å more, charged ones by 0.80 Å",
            ),
            Self::HeavyAtoms => f.write_str(
                "heavy atoms: united atoms that overlap by at least 0.40 Å, hydrogen bonds by 0.60 Å more, charged ones \
                 by 0.80 Å (no hydrogens, so this is not MolProbity's clashscore)",
            ),
            Self::Radii { set, allow } => {
                write!(f, "{set} radii: atoms of different molecules that overlap by more than {allow:.2} Å")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{AtomRecord, Element, Name, StructureBuilder};

    // Atoms 20 Å apart, each a residue of its own unless the number repeats.
    fn structure(atoms: &[(&str, i32, &str, Element)]) -> Structure {
        let mut builder = StructureBuilder::new("test", 0);
        for (at, &(residue, residue_number, name, element)) in atoms.iter().enumerate() {
            builder.push(AtomRecord {
                position: Vec3::X * 20.0 * at as f32,
                residue_number,
                residue_name: Name::new(residue),
                name: Name::new(name),
                element,
                occupancy: 1.0,
                ..AtomRecord::default()
            });
        }
        builder.finish()
    }

    const C: Element = Element::CARBON;
    const N: Element = Element::NITROGEN;
    const O: Element = Element::OXYGEN;

    #[test]
    fn molprobity_grades_clashes_at_half_and_nine_tenths() {
        let chemistry = Chemistry::new(&structure(&[("ALA", 1, "CB", C), ("ALA", 9, "CB", C)]));
        let judge = |overlap| ClashDefinition::MolProbity.judge(&chemistry, 0, 1, overlap, true);
        assert_eq!(judge(0.39), None);
        assert_eq!(judge(0.45), Some(Clash { overlap: 0.45, severity: Severity::Mild }));
        assert_eq!(judge(0.9).map(|clash| clash.severity), Some(Severity::Clash));
        assert_eq!(judge(0.95).map(|clash| clash.severity), Some(Severity::Severe));
    }

    #[test]
    fn hydrogen_bonds_and_salt_bridges_may_overlap_first() {
        let atoms = [
            ("SER", 1, "OG", O),
            ("GLY", 5, "O", O),
            ("LYS", 10, "NZ", N),
            ("ASP", 15, "OD1", O),
            ("GLU", 20, "OE1", O),
            ("PRO", 25, "N", N),
        ];
        let chemistry = Chemistry::new(&structure(&atoms));
        let overlap = |definition: ClashDefinition, a, b| {
            definition.judge(&chemistry, a, b, 2.0, true).map(|clash| (clash.overlap * 100.0).round() as i32)
        };
        for (a, b, probe, chimerax) in [(0, 1, 140, 160), (2, 3, 120, 160), (3, 4, 200, 200), (1, 5, 200, 200)] {
            assert_eq!(overlap(ClashDefinition::HeavyAtoms, a, b), Some(probe), "{a} {b}");
            assert_eq!(overlap(ClashDefinition::ChimeraX, b, a), Some(chimerax), "{a} {b}");
            assert_eq!(overlap(ClashDefinition::Tolerance(4.0), a, b), Some(200));
        }
    }

    #[test]
    fn bonds_excuse_a_pair_in_the_same_copy_only() {
        let mut structure = structure(&[("LIG", 1, "C1", C), ("LIG", 1, "C2", C), ("ALA", 2, "CB", C)]);
        structure.bonds.push(crate::Bond { first: 0, second: 1, order: 1 });
        let chemistry = Chemistry::new(&structure);
        for definition in [ClashDefinition::MolProbity, ClashDefinition::ChimeraX, ClashDefinition::Tolerance(2.0)] {
            assert_eq!(definition.judge(&chemistry, 0, 1, 1.0, true), None, "{definition}");
            assert!(definition.judge(&chemistry, 0, 1, 1.0, false).is_some(), "{definition}");
            assert!(definition.judge(&chemistry, 0, 2, 1.0, true).is_some(), "{definition}");
            assert!(definition.judge_between(&chemistry, 0, &chemistry, 1, 1.0).is_some(), "{definition}");
        }
    }

    #[test]
    fn two_waters_do_not_count_for_molprobity() {
        let atoms = [("HOH", 1, "O", O), ("HOH", 2, "O", O), ("ALA", 3, "CB", C)];
        let structure = structure(&atoms);
        let chemistry = Chemistry::new(&structure);
        assert_eq!(ClashDefinition::MolProbity.judge(&chemistry, 0, 1, 1.5, true), None);
        assert!(ClashDefinition::MolProbity.judge(&chemistry, 0, 2, 1.5, true).is_some());
        assert!(ClashDefinition::Tolerance(2.0).judge(&chemistry, 0, 1, 1.5, true).is_some());
        assert!(!ClashDefinition::MolProbity.counts(&structure, 0));
        assert!(ClashDefinition::MolProbity.counts(&structure, 2));
    }

    #[test]
    fn alternates_and_rare_atoms_take_part_as_each_program_has_it() {
        let mut structure = structure(&[("SER", 1, "OG", O), ("SER", 1, "OG", O), ("SER", 1, "CB", C)]);
        structure.atoms.alternates = vec![b'B', b'A', 0];
        structure.atoms.occupancies = vec![0.9, 0.1, 1.0];
        let takes = |definition: ClashDefinition| [0, 1, 2].map(|atom| definition.takes_part(&structure, atom));
        assert_eq!(takes(ClashDefinition::Tolerance(2.0)), [true, false, true]);
        assert_eq!(takes(ClashDefinition::MolProbity), [true, false, true]);
        structure.atoms.occupancies = vec![0.5, 0.5, 1.0];
        assert!(ClashDefinition::MolProbity.takes_part(&structure, 1));
        let chemistry = Chemistry::new(&structure);
        assert_eq!(ClashDefinition::MolProbity.judge(&chemistry, 0, 1, 2.0, true), None);
    }

    #[test]
    fn only_the_score_with_hydrogens_is_called_clashscore() {
        assert_eq!(ClashDefinition::MolProbity.score_name(), Some("clashscore"));
        assert_eq!(ClashDefinition::HeavyAtoms.score_name(), Some("heavy-atom clash score"));
        assert_eq!(ClashDefinition::MolProbity.score(12, 4000), Some(3.0));
        assert_eq!(ClashDefinition::MolProbity.score(0, 0), None);
        assert_eq!(ClashDefinition::ChimeraX.score(12, 4000), None);
        let text = "packmol: atoms of different molecules closer than 2.00 Å";
        assert_eq!(ClashDefinition::Tolerance(2.0).to_string(), text);
    }
}
