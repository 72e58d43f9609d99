//! Surfaces in a picture: meshes from files, and the shapes that hold the molecules of a scene.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use steric::model::formats::mesh::{Mesh, read_mesh};
use steric::world::relax::Hold;
use steric_view::Surface;

use crate::failure::Failure;

/// Colours of surfaces, one after the other: quiet ones, before which molecules stand out.
const COLOURS: [[u8; 3]; 4] = [[168, 184, 204], [206, 184, 158], [172, 200, 170], [196, 172, 200]];

/// `FILE`, or `FILE=PART`.
pub(super) fn mesh(text: &str) -> Result<(PathBuf, f32), String> {
    let (file, part) = match text.rsplit_once('=') {
        Some((file, part)) => (file, part.parse().ok().filter(|part| (0.0..=1.0).contains(part))),
        None => (text, Some(1.0)),
    };
    Ok((file.into(), part.ok_or("expected a number from 0 to 1 after the equals sign")?))
}

/// Whether a file's name says that it is a mesh.
pub(super) fn is_mesh(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.ends_with(".obj") || name.ends_with(".ply")
}

/// All that were asked for.
pub(super) fn surfaces(files: &[(PathBuf, f32)], shapes: Option<f32>, holds: &[Hold]) -> Result<Vec<Surface>, Failure> {
    let mut wanted: Vec<(Mesh, f32)> = Vec::new();
    for (file, opacity) in files {
        wanted.push((read_mesh(file)?.value, *opacity));
    }
    if let Some(opacity) = shapes {
        let outlines = outlines(holds);
        if outlines.is_empty() {
            return Err(Failure::usage("--shapes: expected a scene whose molecules are held by shapes, found none"));
        }
        wanted.extend(outlines.into_iter().map(|mesh| (mesh, opacity)));
    }
    let coloured = wanted.into_iter().zip(COLOURS.iter().cycle());
    Ok(coloured.map(|((mesh, opacity), &colour)| Surface { mesh, colour, opacity }).collect())
}

/// The shapes that hold molecules, each once.
fn outlines(holds: &[Hold]) -> Vec<Mesh> {
    let (mut surfaces, mut regions) = (Vec::new(), Vec::new());
    for hold in holds {
        match hold {
            Hold::Surface { surface, .. } if !surfaces.iter().any(|known| Arc::ptr_eq(known, surface)) => {
                surfaces.push(Arc::clone(surface));
            }
            Hold::Region { region, .. } if !regions.iter().any(|known| Arc::ptr_eq(known, region)) => {
                regions.push(Arc::clone(region));
            }
            _ => {}
        }
    }
    let mut outlines: Vec<Mesh> = Vec::new();
    let all = surfaces.iter().filter_map(|surface| surface.outline());
    for outline in all.chain(regions.iter().filter_map(|region| region.outline())) {
        if !outlines.contains(&outline) {
            outlines.push(outline);
        }
    }
    outlines
}
