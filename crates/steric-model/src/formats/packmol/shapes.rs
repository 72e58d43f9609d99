//! Constraints: `inside sphere 0. 0. 0. 40.` and its kin.

use glam::DVec3;

use super::words::Words;
use super::{Constraint, Shape};
use crate::ReadError;
use crate::suggest::expected_one_of;

/// Shapes that have an inside, and those that have an above.
const CLOSED: [&str; 5] = ["box", "cube", "sphere", "ellipsoid", "cylinder"];
const OPEN: [&str; 2] = ["plane", "xygauss"];

/// The constraint of a line whose first word was a side.
pub(super) fn constraint(side: &str, words: &mut Words<'_>, atoms: Option<Vec<u32>>) -> Result<Constraint, ReadError> {
    let closed = matches!(side, "inside" | "outside");
    let known: &[&str] = if closed { &CLOSED } else { &OPEN };
    let name = words.expect(&format!("a shape ({})", known.join(", ")))?;
    let lower = name.text.to_ascii_lowercase();
    if !known.contains(&lower.as_str()) {
        return Err(words.error(&name, expected_one_of(&format!("a shape that atoms are {side}"), &name.text, known)));
    }
    let shape = shape(&lower, words)?;
    Ok(Constraint { line: words.line, atoms, inside: matches!(side, "inside" | "below"), shape })
}

fn shape(name: &str, words: &mut Words<'_>) -> Result<Shape, ReadError> {
    match name {
        "cube" => {
            let low = words.point("the least corner")?;
            let edge = words.positive("the edge of the cube in angstroms")?;
            Ok(Shape::Box { low, high: low + edge })
        }
        "box" => {
            let (low, high) = (words.point("the least corner")?, words.point("the greatest corner")?);
            if (high - low).min_element() < 0.0 {
                return Err(words.line_error("a least corner that is nowhere beyond the greatest one"));
            }
            Ok(Shape::Box { low, high })
        }
        "sphere" => {
            let center = words.point("the centre")?;
            Ok(Shape::Sphere { center, radius: words.positive("the radius in angstroms")? })
        }
        "ellipsoid" => {
            let center = words.point("the centre")?;
            let mut semi_axis = |name| words.positive(&format!("the semi-axis along {name}"));
            let semi_axes = DVec3::new(semi_axis("x")?, semi_axis("y")?, semi_axis("z")?);
            Ok(Shape::Ellipsoid { center, semi_axes: semi_axes * words.positive("the factor of the semi-axes")? })
        }
        "cylinder" => {
            let start = words.point("the middle of one end")?;
            let along = words.point("the direction")?;
            let direction = along.try_normalize().ok_or_else(|| words.line_error("a direction that is not zero"))?;
            let radius = words.positive("the radius in angstroms")?;
            Ok(Shape::Cylinder { start, end: start + direction * words.positive("the length in angstroms")?, radius })
        }
        "plane" => {
            let along = words.point("the normal")?;
            let offset = words.float("where the plane is: a·x + b·y + c·z = d")?;
            let (normal, length) = along.normalize_and_length();
            if length > 0.0 {
                Ok(Shape::Plane { normal, offset: offset / length })
            } else {
                Err(words.line_error("a normal that is not zero"))
            }
        }
        _ => {
            let (x, y) = (words.float("the x of the hill's middle")?, words.float("the y of the hill's middle")?);
            let widths = [words.positive("the hill's width along x")?, words.positive("the hill's width along y")?];
            let middle = DVec3::new(x, y, words.float("the height z that the hill stands on")?);
            Ok(Shape::Gauss { middle, widths, height: words.float("how high the hill rises in angstroms")? })
        }
    }
}
