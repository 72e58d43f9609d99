//! The relaxed model as a file, and the report as a page.

use std::io::Write;
use std::path::Path;

use steric::model::Structure;
use steric::relax::Relaxation;
use steric::save::{SaveError, write_model, written_format};
use steric::world::report::RelaxReport;

use crate::failure::Failure;
use crate::output;

/// A file to write, in a format that can be written.
pub(crate) struct Target<'a> {
    pub(super) path: &'a Path,
}

impl<'a> Target<'a> {
    /// Says at once when nothing can be written there.
    pub(crate) fn new(path: &'a Path) -> Result<Self, Failure> {
        written_format(path).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Self { path })
    }
}

/// Writes the molecules where they are now; returns how many atoms the file describes.
pub(super) fn model(relaxation: &Relaxation, target: &Target<'_>) -> Result<u64, Failure> {
    let structure = relaxation.structure().map_err(|error| Failure::usage(error.to_string()))?;
    structure_to(&structure, target)
}

/// Writes a structure; copies stay copies where the format has a word for them.
pub(crate) fn structure_to(structure: &Structure, target: &Target<'_>) -> Result<u64, Failure> {
    write_model(target.path, structure).map_err(|error| match error {
        SaveError::Write(error) => error.into(),
        other => Failure::usage(other.to_string()),
    })
}

/// Writes the report as a page with plots, and with pictures before and after where there are any.
pub(super) fn page(report: &RelaxReport, pictures: Option<&[Vec<u8>; 2]>, path: &Path) -> Result<(), Failure> {
    let page = crate::html::page(report, &report.scene, pictures);
    output::write_whole(path, |file| file.write_all(page.as_bytes()).map_err(|error| Failure::io(path, &error)))
}
