//! `steric` alone: the embedded lipid vesicle, built and checked.

use std::time::Instant;

use steric::check::{CheckOptions, Input};
use steric::model::Warnings;

use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict};
use crate::{check, table};

/// 2,500 lipids: large enough to look like a vesicle, small enough to be checked in a blink.
const ATOMS: usize = 335_000;

pub(crate) fn run(shared: &Shared) -> Result<Verdict, Failure> {
    let start = Instant::now();
    let structure = scenes::vesicle(ATOMS, shared.seed);
    let mut input = Input::new("vesicle", structure, Warnings::default());
    input.read = start.elapsed();
    let inputs = [input];
    let report = check::checked(&inputs, &CheckOptions::default(), shared)?;
    output::report(shared, &report, |coloured| {
        let intro = table::paint(
            "An embedded vesicle of POPC lipids, fresh from its construction plan:",
            table::BOLD,
            coloured,
        );
        let code = u8::from(report.overlaps > 0);
        format!(
            "{intro}\n\n{}\n`steric check` would answer with exit code {code}. Try it on a file of your own, or see \
             `steric --help`.\n",
            check::text(&report, coloured)
        )
    })?;
    Ok(Verdict::Clean)
}
