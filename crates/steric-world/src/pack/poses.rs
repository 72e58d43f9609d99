//! Restart files: a molecule in each line, its centre and packmol's three angles.

use std::io::{self, Write};
use std::path::Path;

use glam::DVec3;
use steric_model::formats::packmol::Template;
use steric_model::{Place, Pose, ReadError};

use super::Euler;

/// Reads the poses of so many molecules of a template, `world_from_template`; `first` is how many lines stand before them.
///
/// ```
/// use steric_model::formats::packmol::{FileType, Template};
/// use steric_world::pack::{read_restart, write_restart};
///
/// let argon = Template::read(b"1\nargon\nAr 0 0 0\n", "ar.xyz".as_ref(), FileType::Xyz)?.value;
/// let poses = read_restart(b" 1.0 2.0 3.0 0.1 0.2 0.3\n", "a.restart".as_ref(), &argon, 0, 1)?;
/// assert_eq!(poses[0].translation.z, 3.0);
/// let mut out = Vec::new();
/// write_restart(&mut out, &argon, &poses)?;
/// assert!(String::from_utf8(out)?.starts_with("  1.0000000000000000E+00  2.0000000000000000E+00"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_restart(
    text: &[u8],
    path: &Path,
    template: &Template,
    first: usize,
    count: usize,
) -> Result<Vec<Pose>, ReadError> {
    let text = String::from_utf8_lossy(text);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).skip(first);
    let center = template.center();
    // No more than there are lines.
    let mut poses = Vec::new();
    for _ in 0..count {
        let Some((at, line)) = lines.next() else {
            let expected = format!("a line for each of {} molecules", first + count);
            return Err(ReadError::content(path, Place::File, expected, "fewer"));
        };
        let numbers: Vec<f64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let &[x, y, z, beta, gamma, theta, ..] = &numbers[..] else {
            return Err(ReadError::content(
                path,
                Place::Line(at + 1, None),
                "a centre and three angles in radians",
                line,
            ));
        };
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(ReadError::content(path, Place::Line(at + 1, None), "finite numbers", line));
        }
        let rotation = Euler { beta, gamma, theta }.rotation();
        poses.push(Pose { rotation, translation: DVec3::new(x, y, z) - rotation * center });
    }
    Ok(poses)
}

/// Writes the poses of the molecules of a template as packmol does.
pub fn write_restart(out: &mut dyn Write, template: &Template, poses: &[Pose]) -> io::Result<()> {
    let center = template.center();
    for pose in poses {
        let DVec3 { x, y, z } = *pose * center;
        let Euler { beta, gamma, theta } = Euler::of(pose.rotation);
        for number in [x, y, z, beta, gamma, theta] {
            write!(out, " {:>23}", fortran(number))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// One digit before the point, 16 behind it, and an exponent with a sign and two digits.
fn fortran(number: f64) -> String {
    let text = format!("{number:.16E}");
    let (digits, exponent) = text.split_once('E').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}E{sign}{exponent:0>2}")
}
