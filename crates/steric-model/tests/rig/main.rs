//! Skeletons and clips from Collada and glTF files: real ones against what other readers count and compute in them, small ones for
//! each trap of the formats.
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare its files has failed")]

#[path = "../common/mod.rs"]
mod common;

mod collada;
mod collada_bounds;
mod collada_takes;
mod files;
mod flat;
mod gltf_small;
mod gltf_tolerances;
mod peers;
mod small;

use std::path::Path;

use steric_model::formats::rig::read_rig_bytes;
use steric_model::{Parsed, Rig, Warnings};

/// The rig of a sound file.
fn read(bytes: &[u8], name: &str) -> Rig {
    parsed(bytes, name).value
}

fn parsed(bytes: &[u8], name: &str) -> Parsed<Rig> {
    read_rig_bytes(bytes, Path::new(name)).unwrap_or_else(|error| panic!("{error}"))
}

/// The message about a broken file.
fn refusal(bytes: &[u8], name: &str) -> String {
    match read_rig_bytes(bytes, Path::new(name)) {
        Ok(parsed) => panic!("{name} was read: {:?}", parsed.value),
        Err(error) => error.to_string(),
    }
}

/// Whether one of the warnings holds these words.
fn warns(warnings: &Warnings, words: &str) -> bool {
    warnings.first.iter().any(|warning| warning.to_string().contains(words))
}

#[test]
fn other_files_are_refused_by_name() {
    assert_eq!(refusal(b"", "x.glb"), r#"x.glb: expected a skeleton (Collada, glTF or GLB), found "an empty file""#);
    assert!(refusal(b"ply\nformat", "x.ply").contains("found \"ply\""));
    assert!(
        refusal(b"<?xml version='1.0'?>\n<svg/>", "x.dae")
            .starts_with("x.dae:2: expected a COLLADA element, found \"svg\"")
    );
}
