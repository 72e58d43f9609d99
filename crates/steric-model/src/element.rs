//! Chemical elements.

use std::fmt;

/// An element by its atomic number; 0 is unknown.
///
/// ```
/// use steric_model::Element;
///
/// assert_eq!(Element::from_symbol("zn"), Some(Element::new(30)));
/// assert_eq!(Element::CARBON.symbol(), "C");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element(u8);

impl Element {
    /// Not known, or not an atom at all (a coarse-grained bead).
    pub const UNKNOWN: Self = Self(0);
    /// H; also stands for deuterium and tritium.
    pub const HYDROGEN: Self = Self(1);
    /// C.
    pub const CARBON: Self = Self(6);
    /// N.
    pub const NITROGEN: Self = Self(7);
    /// O.
    pub const OXYGEN: Self = Self(8);
    /// F.
    pub const FLUORINE: Self = Self(9);
    /// Na.
    pub const SODIUM: Self = Self(11);
    /// Mg.
    pub const MAGNESIUM: Self = Self(12);
    /// P.
    pub const PHOSPHORUS: Self = Self(15);
    /// S.
    pub const SULFUR: Self = Self(16);
    /// Cl.
    pub const CHLORINE: Self = Self(17);
    /// Fe.
    pub const IRON: Self = Self(26);
    /// Zn.
    pub const ZINC: Self = Self(30);

    /// The element of an atomic number; unknown beyond curium.
    pub fn new(atomic_number: u8) -> Self {
        if (atomic_number as usize) < TABLE.len() { Self(atomic_number) } else { Self::UNKNOWN }
    }

    /// The element of a symbol in any case, with blanks around it; `D` and `T` are hydrogen.
    pub fn from_symbol(symbol: impl AsRef<[u8]>) -> Option<Self> {
        let symbol = symbol.as_ref().trim_ascii();
        if symbol.eq_ignore_ascii_case(b"D") || symbol.eq_ignore_ascii_case(b"T") {
            return Some(Self::HYDROGEN);
        }
        let number = match *symbol {
            [one] => ONE_LETTER[(one.to_ascii_uppercase().wrapping_sub(b'A') as usize).min(26)],
            [_, _] => TABLE.iter().position(|row| symbol.eq_ignore_ascii_case(row.0.as_bytes()))? as u8,
            _ => 0,
        };
        (number > 0).then_some(Self(number))
    }

    /// Atomic number; 0 for unknown.
    pub fn atomic_number(self) -> u8 {
        self.0
    }

    /// The symbol, `X` for unknown.
    pub fn symbol(self) -> &'static str {
        self.row().0
    }

    /// Standard atomic weight in dalton (IUPAC 2021, abridged); 0 for unknown.
    pub fn mass(self) -> f64 {
        self.row().1
    }

    /// Single-bond covalent radius in angstroms (Cordero 2008); carbon's for unknown.
    pub fn covalent_radius(self) -> f32 {
        self.row().2
    }

    fn row(self) -> (&'static str, f64, f32) {
        TABLE.get(self.0 as usize).copied().unwrap_or(TABLE[0])
    }
}

impl fmt::Debug for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.symbol())
    }
}

// Elements with one letter, by letter; 0 where there is none.
const ONE_LETTER: [u8; 27] = {
    let mut numbers = [0; 27];
    let mut number = 1;
    while number < TABLE.len() {
        let symbol = TABLE[number].0.as_bytes();
        if symbol.len() == 1 {
            numbers[(symbol[0] - b'A') as usize] = number as u8;
        }
        number += 1;
    }
    numbers
};

// Symbol, atomic weight, covalent radius; the row is the atomic number.
const TABLE: [(&str, f64, f32); 97] = [
    ("X", 0.0, 0.76),
    ("H", 1.008, 0.31),
    ("He", 4.0026, 0.28),
    ("Li", 6.94, 1.28),
    ("Be", 9.0122, 0.96),
    ("B", 10.81, 0.84),
    ("C", 12.011, 0.76),
    ("N", 14.007, 0.71),
    ("O", 15.999, 0.66),
    ("F", 18.998, 0.57),
    ("Ne", 20.18, 0.58),
    ("Na", 22.99, 1.66),
    ("Mg", 24.305, 1.41),
    ("Al", 26.982, 1.21),
    ("Si", 28.085, 1.11),
    ("P", 30.974, 1.07),
    ("S", 32.06, 1.05),
    ("Cl", 35.45, 1.02),
    ("Ar", 39.95, 1.06),
    ("K", 39.098, 2.03),
    ("Ca", 40.078, 1.76),
    ("Sc", 44.956, 1.70),
    ("Ti", 47.867, 1.60),
    ("V", 50.942, 1.53),
    ("Cr", 51.996, 1.39),
    ("Mn", 54.938, 1.39),
    ("Fe", 55.845, 1.32),
    ("Co", 58.933, 1.26),
    ("Ni", 58.693, 1.24),
    ("Cu", 63.546, 1.32),
    ("Zn", 65.38, 1.22),
    ("Ga", 69.723, 1.22),
    ("Ge", 72.63, 1.20),
    ("As", 74.922, 1.19),
    ("Se", 78.971, 1.20),
    ("Br", 79.904, 1.20),
    ("Kr", 83.798, 1.16),
    ("Rb", 85.468, 2.20),
    ("Sr", 87.62, 1.95),
    ("Y", 88.906, 1.90),
    ("Zr", 91.224, 1.75),
    ("Nb", 92.906, 1.64),
    ("Mo", 95.95, 1.54),
    ("Tc", 97.0, 1.47),
    ("Ru", 101.07, 1.46),
    ("Rh", 102.91, 1.42),
    ("Pd", 106.42, 1.39),
    ("Ag", 107.87, 1.45),
    ("Cd", 112.41, 1.44),
    ("In", 114.82, 1.42),
    ("Sn", 118.71, 1.39),
    ("Sb", 121.76, 1.39),
    ("Te", 127.6, 1.38),
    ("I", 126.9, 1.39),
    ("Xe", 131.29, 1.40),
    ("Cs", 132.91, 2.44),
    ("Ba", 137.33, 2.15),
    ("La", 138.91, 2.07),
    ("Ce", 140.12, 2.04),
    ("Pr", 140.91, 2.03),
    ("Nd", 144.24, 2.01),
    ("Pm", 145.0, 1.99),
    ("Sm", 150.36, 1.98),
    ("Eu", 151.96, 1.98),
    ("Gd", 157.25, 1.96),
    ("Tb", 158.93, 1.94),
    ("Dy", 162.5, 1.92),
    ("Ho", 164.93, 1.92),
    ("Er", 167.26, 1.89),
    ("Tm", 168.93, 1.90),
    ("Yb", 173.05, 1.87),
    ("Lu", 174.97, 1.87),
    ("Hf", 178.49, 1.75),
    ("Ta", 180.95, 1.70),
    ("W", 183.84, 1.62),
    ("Re", 186.21, 1.51),
    ("Os", 190.23, 1.44),
    ("Ir", 192.22, 1.41),
    ("Pt", 195.08, 1.36),
    ("Au", 196.97, 1.36),
    ("Hg", 200.59, 1.32),
    ("Tl", 204.38, 1.45),
    ("Pb", 207.2, 1.46),
    ("Bi", 208.98, 1.48),
    ("Po", 209.0, 1.40),
    ("At", 210.0, 1.50),
    ("Rn", 222.0, 1.50),
    ("Fr", 223.0, 2.60),
    ("Ra", 226.0, 2.21),
    ("Ac", 227.0, 2.15),
    ("Th", 232.04, 2.06),
    ("Pa", 231.04, 2.00),
    ("U", 238.03, 1.96),
    ("Np", 237.0, 1.90),
    ("Pu", 244.0, 1.87),
    ("Am", 243.0, 1.80),
    ("Cm", 247.0, 1.69),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_finds_its_element() {
        for number in 1..TABLE.len() as u8 {
            let element = Element::new(number);
            assert_eq!(Element::from_symbol(element.symbol()), Some(element));
            assert!(element.mass() > 0.9 && element.covalent_radius() > 0.2);
        }
        for nonsense in ["", "X", "Zz", "Car", "\u{fffd}", "1"] {
            assert_eq!(Element::from_symbol(nonsense), None, "{nonsense}");
        }
    }
}
