//! What is told, as text and as tables.

use std::fmt::Write as _;

use steric::dock::{Played, PoseReport};

use super::Document;
use super::path::Motion;
use crate::table::{BOLD, GREEN, RED, paint};

/// So many poses or motions are shown; the rest is in the JSON and in tables.
const MOST_SHOWN: usize = 40;

pub(super) fn text(document: &Document, top: usize, coloured: bool) -> String {
    let report = &document.report;
    let mut text = String::new();
    let head = format!("{} at {}", report.ligand, report.receptor);
    // Writing to a string does not fail.
    let _ = writeln!(text, "{}", paint(&head, BOLD, coloured));
    let _ = writeln!(
        text,
        "  {} atoms, {} torsions, at {} atoms; overlaps up to {:.2} Å are forgiven{}",
        report.ligand_atoms,
        report.torsions,
        report.receptor_atoms,
        report.tolerance,
        if report.has_charges { "" } else { "; no charges in one of the files, so no Coulomb energy" }
    );
    table(&mut text, "as they are", &report.poses, top, coloured);
    if let Some(minimised) = &document.minimised {
        table(&mut text, "after going downhill", minimised, top, coloured);
    }
    if let Some(path) = &document.path {
        motions(&mut text, path);
    }
    if let Some(played) = &document.played {
        let _ = writeln!(text, "{}", said_of(played, coloured));
    }
    if let Some(end) = &document.end {
        table(&mut text, "at the end", std::slice::from_ref(end), top, coloured);
    }
    text
}

fn table(text: &mut String, title: &str, poses: &[PoseReport], top: usize, coloured: bool) {
    let _ = writeln!(
        text,
        "{title}:\n  pose  clashes  contacts  deepest Å  own clashes  Lennard-Jones   Coulomb     total  kcal/mol"
    );
    for pose in poses.iter().take(MOST_SHOWN) {
        let clashes = format!("{:7}", pose.clashes);
        let clashes = paint(&clashes, if pose.clashes == 0 { GREEN } else { RED }, coloured);
        let _ = writeln!(
            text,
            "  {:4}  {clashes}  {:8}  {:>9}  {:11}  {:13.2}  {:8.2}  {:8.2}",
            pose.pose,
            pose.contacts,
            pose.worst.map_or("-".to_owned(), |worst| format!("{worst:.2}")),
            pose.own_clashes,
            pose.energy.lennard_jones,
            pose.energy.coulomb,
            pose.energy.total()
        );
        if poses.len() == 1 {
            for contact in pose.list.iter().take(top) {
                let _ = writeln!(text, "        {:6.2} Å  {} – {}", contact.gap, contact.ligand, contact.receptor);
            }
        }
    }
    if let Some(more) = poses.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
        let clashing = poses.iter().filter(|pose| pose.clashes > 0).count();
        let _ = writeln!(text, "  … and {more} more; {clashing} of all clash. -o poses.csv or --json has every one");
    }
}

/// The motions of a path.
pub(super) fn motions(text: &mut String, path: &[Motion]) {
    let reached = path.iter().filter(|motion| motion.is_there).count();
    let _ = writeln!(text, "path: {} motions, {reached} came to where they were wanted", path.len());
    for (number, motion) in path.iter().enumerate().take(MOST_SHOWN) {
        let place = |[x, y, z]: [f64; 3]| format!("{x:8.3} {y:8.3} {z:8.3}");
        let _ = writeln!(
            text,
            "  {:4}  wanted {}  came {}  {} contacts",
            number + 1,
            place(motion.wanted),
            place(motion.came),
            motion.contacts
        );
    }
}

/// What came of playing a log, with the timing that the founding study printed at its end.
fn said_of(played: &Played, coloured: bool) -> String {
    let verdict = match played.first_other {
        None => paint("all the same bits", GREEN, coloured),
        Some(line) => paint(&format!("other bits from line {line} on"), RED, coloured),
    };
    let cut = if played.is_cut { "; the log breaks off in its last line" } else { "" };
    let [mean, median, longest] = played.microseconds;
    format!(
        "played: {} deeds, {verdict}{cut}; the hand took {:.1} s; {} looks for collisions, {} hits; \
         a motion took {mean:.1} µs in the mean, {median:.1} in the median, {longest:.1} at most",
        played.deeds, played.seconds, played.motions, played.hits
    )
}

/// Poses as a table.
pub(super) fn csv(poses: &[PoseReport]) -> String {
    let mut text =
        "pose,clashes,contacts,deepest_A,own_clashes,lennard_jones_kcal_mol,coulomb_kcal_mol,total_kcal_mol\n"
            .to_owned();
    for pose in poses {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{:.4},{:.4},{:.4}",
            pose.pose,
            pose.clashes,
            pose.contacts,
            pose.worst.map_or(String::new(), |worst| format!("{worst:.4}")),
            pose.own_clashes,
            pose.energy.lennard_jones,
            pose.energy.coulomb,
            pose.energy.total()
        );
    }
    text
}
