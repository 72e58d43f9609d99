//! What is written: the puppet, its atoms as they are at a moment, and the table of a bake.

use std::path::Path;

use steric::model::formats::Format;
use steric::world::animate::{Corrections, GlbExport, Moment, Puppet, write_puppet_glb};

use crate::platform;

/// Writes everything as one `.steric` file, played as it is now; the motion as a `.glb`; or atoms where they are at a moment if the name is that of a model.
pub(super) fn save(puppet: &Puppet, moment: &Moment, path: &Path) -> Result<(), String> {
    let is = |ending: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
    if is("steric") {
        let mut puppet = puppet.clone();
        puppet.set_manner(moment.manner());
        let bytes = puppet.to_bytes().map_err(|error| format!("{}: {error}", path.display()))?;
        return platform::save(path, &bytes);
    }
    if is("glb") && platform::HAS_FOLDERS {
        let Moment { clip, level, blend, turning, collide, .. } = *moment;
        let collide = collide && puppet.corrections_at(moment).is_some();
        let export = GlbExport { clip, level, blend, turning, collide, ..GlbExport::default() };
        return write_puppet_glb(puppet, &export, path).map_err(|error| error.to_string());
    }
    if !Format::from_path(path).is_some_and(|format| format.is_written()) {
        return Err(format!("{}: expected .steric, .glb, or a model such as .pdb or .cif", path.display()));
    }
    let mut structure = puppet.structure().clone();
    structure.atoms.positions = puppet.positions(moment);
    platform::save_model(path, &structure)
}

/// Writes what a bake has found, frame by frame.
pub(super) fn save_table(report: Option<&Corrections>, path: &Path) -> Result<(), String> {
    let corrections = report.ok_or("expected something that was baked, found nothing")?;
    platform::save(path, corrections.csv().as_bytes())
}
