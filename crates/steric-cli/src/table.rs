//! Colour where it helps; how numbers and columns are written stands with the reports.

pub(crate) use steric::world::report::words::{columns, counted, duration, facts, thousands};

/// A colour of the terminal, or nothing.
pub(crate) fn paint(text: &str, code: &str, coloured: bool) -> String {
    if coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

pub(crate) const GREEN: &str = "1;32";
pub(crate) const RED: &str = "1;31";
pub(crate) const BOLD: &str = "1";
