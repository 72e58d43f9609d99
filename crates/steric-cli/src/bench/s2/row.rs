//! A number, its row in the CSV, and what is printed.

use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::AddAssign;

use serde::Serialize;

use super::s0;
use crate::failure::Failure;
use crate::options::Shared;
use crate::output;

/// A measurement.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Row {
    pub(super) scene: String,
    /// Tetrahedra, or keys that are sorted.
    pub(super) size: usize,
    pub(super) what: &'static str,
    /// Of the index, or of the sort.
    pub(super) kind: String,
    pub(super) threads: usize,
    /// The median, or where it says so the mean.
    pub(super) value: f64,
    /// The largest minus the smallest.
    pub(super) spread: f64,
    pub(super) unit: &'static str,
    pub(super) repeats: usize,
    /// Of everything that was found, where something was looked for.
    pub(super) state_hash: Option<u64>,
    /// What the study, or the task, says about it.
    pub(super) paper: String,
}

/// Rows, and the same for people.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) rows: Vec<Row>,
    pub(super) text: String,
}

impl AddAssign for Told {
    fn add_assign(&mut self, other: Self) {
        self.rows.extend(other.rows);
        if !self.text.is_empty() && !other.text.is_empty() {
            self.text.push('\n');
        }
        self.text += &other.text;
    }
}

const HEADER: &str = "scene,size,what,backend,kind,threads,machine,commit,median,spread,unit,repeats,state_hash,paper";

fn csv(rows: &[Row]) -> String {
    let (machine, commit) = (s0::machine(), s0::commit());
    let mut csv = format!("{HEADER}\n");
    for row in rows {
        let Row { scene, size, what, kind, threads, value, spread, unit, repeats, paper, .. } = row;
        let hash = row.state_hash.map_or_else(String::new, |hash| format!("{hash:016x}"));
        // Writing to a string does not fail.
        let _ = writeln!(
            csv,
            "{scene},{size},{what},cpu,{kind},{threads},{machine},{commit},{value:.6e},{spread:.6e},{unit},{repeats},{hash},{paper}"
        );
    }
    csv
}

/// Prints what was measured, and writes the table where it is wanted.
pub(super) fn write(shared: &Shared, told: &Told) -> Result<(), Failure> {
    if shared.json {
        output::print(&(serde_json::to_string_pretty(&told.rows)? + "\n"))?;
    } else {
        output::print(&format!("{}\n{}, {}\n", told.text, s0::machine(), s0::commit()))?;
    }
    let Some(path) = &shared.output else { return Ok(()) };
    let csv = csv(&told.rows);
    output::write_whole(path, |file| file.write_all(csv.as_bytes()).map_err(|error| Failure::io(path, &error)))?;
    output::note(shared, &format!("wrote {}", path.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_cell_for_every_column() {
        let text = csv(&[Row { scene: "stack".to_owned(), state_hash: Some(7), ..Row::default() }]);
        let counts: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(counts, [14, 14]);
        assert!(text.contains(",0000000000000007,"));
    }
}
