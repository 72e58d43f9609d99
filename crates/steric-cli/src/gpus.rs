//! `steric info --gpus`: the GPUs of this machine.

use serde::Serialize;
use steric::backend::what_auto_takes;
use steric::gpu::{self, Adapter, Choice};

use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict};
use crate::table::{self, thousands};

/// A GPU, or a program that acts as one.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    number: usize,
    name: &'a str,
    api: &'a str,
    kind: &'a str,
    driver: &'a str,
    largest_array_bytes: u64,
    largest_buffer_bytes: u64,
    workgroups_a_side: u32,
    has_timestamps: bool,
    /// Whether it has all that the kernels need.
    is_able: bool,
    is_taken_by_auto: bool,
}

pub(crate) fn run(shared: &Shared) -> Result<Verdict, Failure> {
    output::check_outputs(&[], [shared.output.as_deref()])?;
    let adapters = gpu::adapters();
    let taken = Choice::Auto.among(&adapters).ok();
    let listed: Vec<Listed<'_>> = adapters.iter().map(|adapter| Listed::new(adapter, taken)).collect();
    output::report(shared, &listed, |_| text(&listed, &what_auto_takes(&adapters)))?;
    Ok(Verdict::Clean)
}

impl<'a> Listed<'a> {
    fn new(adapter: &'a Adapter, taken: Option<usize>) -> Self {
        Self {
            number: adapter.index,
            name: &adapter.name,
            api: &adapter.api,
            kind: adapter.kind,
            driver: &adapter.driver,
            largest_array_bytes: adapter.largest_binding,
            largest_buffer_bytes: adapter.largest_buffer,
            workgroups_a_side: adapter.most_workgroups,
            has_timestamps: adapter.has_timestamps,
            is_able: adapter.is_able,
            is_taken_by_auto: taken == Some(adapter.index),
        }
    }

    fn row(&self) -> Vec<String> {
        let kind = if self.is_able { self.kind.to_owned() } else { format!("{}, not able", self.kind) };
        vec![
            self.number.to_string(),
            self.name.to_owned(),
            self.api.to_owned(),
            kind,
            self.driver.to_owned(),
            megabytes(self.largest_array_bytes),
            megabytes(self.largest_buffer_bytes),
            thousands(self.workgroups_a_side),
            if self.has_timestamps { "yes" } else { "no" }.to_owned(),
        ]
    }
}

fn text(listed: &[Listed<'_>], auto: &str) -> String {
    const HEADER: [&str; 9] = [
        "number",
        "name",
        "API",
        "kind",
        "driver",
        "largest array",
        "largest buffer",
        "workgroups a side",
        "timestamps",
    ];
    const RIGHT: [bool; 9] = [true, false, false, false, false, true, true, true, false];
    if listed.is_empty() {
        return format!("{auto}\n");
    }
    let rows: Vec<Vec<String>> = listed.iter().map(Listed::row).collect();
    format!("{}\n{auto}\n", table::columns(&HEADER, &RIGHT, &rows))
}

/// Some drivers say that there is no limit: more than any machine has.
fn megabytes(bytes: u64) -> String {
    if bytes >= 1 << 50 { "no limit".to_owned() } else { format!("{} MB", thousands(bytes / 1_000_000)) }
}
