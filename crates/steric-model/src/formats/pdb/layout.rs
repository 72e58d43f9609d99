//! What one file means by its columns, where programs disagree.
//!
//! How it works: the first two thousand atoms show whether columns 73-80 are those of the 1980s and whether atom names
//! are aligned; whether the file has two-letter chains is only asked when a line reaches into column 21.

use super::fields::{Card, Lines, card};

const SAMPLE: usize = 2000;

/// What the columns of one file mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// Columns 73-76 repeat the entry id and 77-80 count the lines: there is no element and no charge.
    pub(super) numbered_lines: bool,
    /// Every atom name starts in column 13, so its alignment says nothing about the element.
    pub(super) names_left_aligned: bool,
}

impl Layout {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let (mut numbers, mut symbols, mut left) = (0, 0, false);
        let mut room = [b' '; 80];
        for line in Lines::new(bytes).filter(|line| is_atom(line)).take(SAMPLE) {
            let card = card(line, &mut room);
            let tail = card[76..80].trim_ascii_start();
            numbers += usize::from(!tail.is_empty() && tail.iter().all(u8::is_ascii_digit));
            symbols += usize::from(card[76..78].iter().any(u8::is_ascii_alphabetic));
            // An aligned name of one letter stands in column 14.
            left |= card[12].is_ascii_alphabetic() && &card[13..16] == b"   ";
        }
        Self { numbered_lines: numbers > 0 && symbols == 0, names_left_aligned: left }
    }
}

/// Whether the record is an atom. `ATOM ` rather than `ATOM  `: a serial of six digits may start in column 6.
#[inline]
pub(super) fn is_atom(line: &[u8]) -> bool {
    line.starts_with(b"ATOM ") || line.starts_with(b"HETATM")
}

/// Whether columns 21-22 hold chains of two letters, judged by the rest of the file: a standard residue that reaches
/// into column 21 without being one of the four-letter variants that force fields have of it.
pub(super) fn has_two_letter_chains(rest: Lines<'_>) -> bool {
    let mut room = [b' '; 80];
    rest.filter(|line| is_atom(line)).any(|line| reaches_into_column_21(card(line, &mut room)))
}

fn reaches_into_column_21(card: &Card) -> bool {
    let (name, four) = (&card[17..20], &card[17..21]);
    let full = card[20] != b' ' && card[21] != b' ';
    full && is_polymer_or_water(name.trim_ascii()) && !VARIANTS.iter().any(|variant| *variant == four)
}

/// Amino acids, nucleotides and water, in whose atoms only H, C, N, O, P, S and Se occur.
pub(super) fn is_polymer_or_water(name: &[u8]) -> bool {
    STANDARD.iter().any(|standard| standard.as_bytes() == name)
}

const STANDARD: [&str; 52] = [
    "ALA", "ARG", "ASN", "ASP", "CYS", "GLN", "GLU", "GLY", "HIS", "ILE", "LEU", "LYS", "MET", "PHE", "PRO", "SER",
    "THR", "TRP", "TYR", "VAL", "SEC", "MSE", "ASX", "GLX", "HID", "HIE", "HIP", "HSD", "HSE", "HSP", "CYX", "CYM",
    "ASH", "GLH", "LYN", "ACE", "NME", "A", "C", "G", "U", "T", "I", "DA", "DC", "DG", "DT", "DU", "HOH", "WAT", "TIP",
    "SOL",
];

// Protonation states and patched residues of GROMOS, GROMACS and CHARMM; TIP3 to TIP5 and SPC/E are waters.
const VARIANTS: [&[u8; 4]; 32] = [
    b"HISA", b"HISB", b"HISD", b"HISE", b"HISH", b"HISP", b"HIS1", b"HIS2", b"LYSH", b"LYSN", b"LYSP", b"CYSH",
    b"CYSN", b"CYS1", b"CYS2", b"CYSP", b"ASPH", b"ASPP", b"ASP1", b"GLUH", b"GLUP", b"GLU1", b"ARGN", b"ARGP",
    b"TYRM", b"ALAD", b"TIP3", b"TIP4", b"TIP5", b"TIPS", b"SERD", b"METD",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_of_the_1980s_are_not_elements() {
        let old = b"ATOM      1  N   THR     1       -.313  18.726  33.523  1.00 21.00      3DFR 180";
        let new = b"ATOM      1  N   THR A   1       0.313  18.726  33.523  1.00 21.00           N1+";
        assert!(Layout::of(old).numbered_lines);
        assert!(!Layout::of(new).numbered_lines);
    }

    #[test]
    fn a_standard_residue_in_column_21_means_two_letter_chains() {
        let chains = |text: &[u8]| has_two_letter_chains(Lines::new(text));
        assert!(chains(b"ATOM      1  N   PHEAA   5     131.128  15.297 139.774"));
        assert!(chains(b"ATOM      1  P    DAAB   5     131.128  15.297 139.774"));
        assert!(!chains(b"ATOM      1  OH2 TIP3W 201     131.128  15.297 139.774"));
        assert!(!chains(b"ATOM      1  N   HISBA   5     131.128  15.297 139.774"));
        assert!(!chains(b"ATOM      1  N   DPPC    5     131.128  15.297 139.774"));
    }
}
