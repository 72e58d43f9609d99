//! Sphere trees in files of their own (`.sph`).
//!
//! How it works: after `#` stand remarks. The first two numbers are the least and the greatest radius, then comes the number of levels,
//! and for each level the number of its spheres, then x, y, z and the radius of each.

use std::path::Path;

use glam::Vec3;

use crate::formats::text::{Field, Lines};
use crate::{Place, ReadError, Sphere};

/// Reads the levels of a sphere tree, from coarse to fine.
///
/// ```
/// use steric_model::formats::cellpack::read_sphere_file;
///
/// let text = b"# rmin rmax\n 1.0 2.0\n# number of levels\n1\n2\n0 0 0 1.0\n3 0 0 2.0\n";
/// let levels = read_sphere_file(text, "dimer.sph".as_ref())?;
/// assert_eq!((levels.len(), levels[0].len(), levels[0][1].radius), (1, 2, 2.0));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_sphere_file(bytes: &[u8], path: &Path) -> Result<Vec<Vec<Sphere>>, ReadError> {
    let lines = Lines::new(bytes).filter(|line| !line.text.trim_ascii_start().starts_with(b"#"));
    let mut fields = lines.flat_map(|line| line.fields());
    let mut next = |expected: &str| {
        let end = || ReadError::content(path, Place::File, expected, "the end of the file");
        fields.next().ok_or_else(end)
    };
    for expected in ["the least radius (angstroms)", "the greatest radius (angstroms)"] {
        next(expected)?.expect_float(path, expected)?;
    }
    let mut levels = Vec::new();
    for _ in 0..count(&next("the number of levels")?, path, "the number of levels")? {
        let spheres = count(&next("the number of spheres")?, path, "the number of spheres")?;
        let mut level = Vec::new();
        for _ in 0..spheres {
            let mut number = |expected: &str| next(expected)?.expect_float(path, expected);
            let mut center = || -> Result<f64, ReadError> { number("a coordinate of a sphere (angstroms)") };
            let center = Vec3::new(center()? as f32, center()? as f32, center()? as f32);
            let expected = "a radius above 0 (angstroms)";
            let field = next(expected)?;
            let radius = field.expect_float(path, expected)? as f32;
            if !(radius > 0.0 && radius.is_finite() && center.is_finite()) {
                return Err(field.error(path, expected));
            }
            level.push(Sphere { center, radius });
        }
        levels.push(level);
    }
    levels.retain(|level| !level.is_empty());
    Ok(levels)
}

fn count(field: &Field<'_>, path: &Path, expected: &str) -> Result<usize, ReadError> {
    let count = field.integer().and_then(|count| usize::try_from(count).ok());
    count.ok_or_else(|| field.error(path, expected))
}
