//! Every kernel is parsed and validated without a GPU.

use super::{COMMON, RECORD_QUADS_VIEW, RECORDS_VIEW, atoms_view, list_view};
use crate::device::{Access, View};

const SHAPES: &str = "@group(0) @binding(0) var<storage, read> shapes: array<vec4<f32>>;\n";

fn validate(name: &str, text: &str) {
    let text = format!("{COMMON}\n{text}");
    let module =
        naga::front::wgsl::parse_str(&text).unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)));
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::SUBGROUP);
    validator.validate(&module).unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)));
    assert!(name == "shape" || !module.entry_points.is_empty(), "{name} has an entry point");
}

/// Kernels see long arrays in one piece, or in several.
#[test]
fn every_kernel_is_valid_wgsl() {
    for pieces in [1, 3] {
        let text = |view: View| view.text(pieces, 1 << 20);
        let (atoms, list) = (&text(atoms_view(Access::Read))[..], &text(list_view(Access::Read))[..]);
        let (records, quads) = (&text(RECORDS_VIEW)[..], &text(RECORD_QUADS_VIEW)[..]);
        let lattice = include_str!("lattice.wgsl");
        let (arms, touch, law) = (include_str!("arms.wgsl"), include_str!("touch.wgsl"), include_str!("law.wgsl"));
        let record = include_str!("record.wgsl");
        let shape = include_str!("shape.wgsl");
        validate("place", &[&text(atoms_view(Access::Write)), include_str!("place.wgsl")].concat());
        validate("cells", &[lattice, include_str!("cells.wgsl")].concat());
        validate("search", &[&text(list_view(Access::Write)), lattice, include_str!("search.wgsl")].concat());
        validate("compare", &[atoms, list, lattice, touch, include_str!("compare.wgsl")].concat());
        validate("tally", &[atoms, list, lattice, touch, include_str!("tally.wgsl")].concat());
        for voices in [super::TOGETHER, super::ALONE] {
            let contacts = include_str!("contacts.wgsl");
            validate("contacts", &[atoms, records, lattice, arms, touch, law, voices, record, contacts].concat());
            let walls = include_str!("walls.wgsl");
            validate("walls", &[atoms, records, arms, law, voices, record, shape, walls].concat());
        }
        validate("skin", include_str!("skin.wgsl"));
        validate("spread", include_str!("spread.wgsl"));
        validate("step", &[quads, arms, law, shape, include_str!("step.wgsl")].concat());
        validate("turn", &[law, include_str!("turn.wgsl")].concat());
        validate("copy", include_str!("copy.wgsl"));
        validate("jolt", &[records, law, include_str!("jolt.wgsl")].concat());
        validate("shape", &[SHAPES, shape].concat());
    }
}

#[test]
fn no_kernel_is_forgotten() {
    let known = [
        "alone", "arms", "cells", "common", "compare", "contacts", "copy", "jolt", "lattice", "law", "place", "record",
        "search", "shape", "skin", "spread", "step", "tally", "together", "touch", "turn", "walls",
    ];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/kernels");
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the kernels")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".wgsl").map(str::to_owned))
        .collect();
    found.sort();
    assert_eq!(found, known, "a kernel that is not validated here");
}
