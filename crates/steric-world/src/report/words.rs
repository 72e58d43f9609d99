//! How reports write numbers and align columns.

/// A number with its thousands apart: `1,234,567`.
///
/// ```
/// assert_eq!(steric_world::report::words::thousands(1_234_567u64), "1,234,567");
/// ```
pub fn thousands(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// One thing, or several: `1 atom`, `2 atoms`.
///
/// ```
/// assert_eq!(steric_world::report::words::counted(1, "atom"), "1 atom");
/// ```
pub fn counted(number: u64, one: &str) -> String {
    format!("{} {one}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// Seconds in the unit that reads best.
///
/// ```
/// assert_eq!(steric_world::report::words::duration(0.0123), "12.3 ms");
/// ```
pub fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 1e-3 => format!("{:.0} µs", seconds * 1e6),
        seconds if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        seconds => format!("{seconds:.2} s"),
    }
}

/// Two columns: what, and how much.
///
/// ```
/// let rows = [("atoms", "7".to_owned()), ("molecules", "2".to_owned())];
/// assert_eq!(steric_world::report::words::facts(&rows), "  atoms      7\n  molecules  2\n");
/// ```
pub fn facts(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(what, _)| what.chars().count()).max().unwrap_or(0);
    rows.iter().map(|(what, value)| format!("  {what:width$}  {value}\n")).collect()
}

/// Columns as wide as their widest cell; `right` says which are numbers.
///
/// ```
/// let rows = [vec!["1.5".to_owned(), "Å".to_owned()]];
/// let text = steric_world::report::words::columns(&["depth", "name"], &[true, false], &rows);
/// assert_eq!(text, "  depth  name\n    1.5  Å\n");
/// ```
pub fn columns(header: &[&str], right: &[bool], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([header[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells = cells
            .zip(&widths)
            .zip(right)
            .map(|((cell, &width), &right)| if right { format!("{cell:>width$}") } else { format!("{cell:width$}") });
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned() + "\n"
    };
    let mut text = line(&mut header.iter().copied());
    for row in rows {
        text += &line(&mut row.iter().map(String::as_str));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        assert_eq!(thousands(7u64), "7");
        assert_eq!(thousands(1_234_567u64), "1,234,567");
        assert_eq!(counted(1, "atom"), "1 atom");
        assert_eq!(counted(2_000, "atom"), "2,000 atoms");
        assert_eq!(duration(0.0123), "12.3 ms");
    }

    #[test]
    fn columns_align() {
        let text = columns(&["depth", "name"], &[true, false], &[vec!["1.5".into(), "Å".into()]]);
        assert_eq!(text, "  depth  name\n    1.5  Å\n");
    }
}
