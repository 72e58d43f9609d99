//! The stack of transforms of a node: each is applied before the one that stands above it.

use glam::{DAffine3, DVec3};

use super::xml::{File, Xml, affine};
use crate::ReadError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Four by four numbers, row by row.
    Matrix,
    /// Three numbers.
    Translate,
    /// An axis of three numbers and an angle in degrees.
    Rotate,
    /// Three numbers.
    Scale,
}

impl Kind {
    pub(super) fn width(self) -> usize {
        match self {
            Self::Matrix => 16,
            Self::Rotate => 4,
            Self::Translate | Self::Scale => 3,
        }
    }
}

/// One transform; of its numbers as many are in use as its kind has.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub sid: &'a str,
    pub kind: Kind,
    pub numbers: [f64; 16],
}

impl Step<'_> {
    pub(super) fn matrix(&self) -> DAffine3 {
        let [x, y, z, angle, ..] = self.numbers;
        match self.kind {
            Kind::Matrix => affine(&self.numbers),
            Kind::Translate => DAffine3::from_translation(DVec3::new(x, y, z)),
            Kind::Scale => DAffine3::from_scale(DVec3::new(x, y, z)),
            // Without an axis there is nothing to turn around.
            Kind::Rotate => DVec3::new(x, y, z)
                .try_normalize()
                .map_or(DAffine3::IDENTITY, |axis| DAffine3::from_axis_angle(axis, angle.to_radians())),
        }
    }
}

/// `parent_from_node` of a whole stack.
pub(super) fn product(steps: &[Step<'_>]) -> DAffine3 {
    steps.iter().fold(DAffine3::IDENTITY, |product, step| product * step.matrix())
}

/// The stack of a node.
pub(super) fn steps<'a>(file: &File<'a>, node: Xml<'a>) -> Result<Vec<Step<'a>>, ReadError> {
    let mut steps = Vec::new();
    for element in node.children().filter(Xml::is_element) {
        steps.extend(step(file, element)?);
    }
    Ok(steps)
}

fn step<'a>(file: &File<'a>, element: Xml<'a>) -> Result<Option<Step<'a>>, ReadError> {
    let mut numbers = [0.0; 16];
    let kind = match element.tag_name().name() {
        "matrix" => Kind::Matrix,
        "translate" => Kind::Translate,
        "rotate" => Kind::Rotate,
        "scale" => Kind::Scale,
        refused @ ("lookat" | "skew") => {
            file.warn(element, || format!("<{refused}> is not supported; the node is read without it"));
            return Ok(None);
        }
        _ => return Ok(None),
    };
    match kind {
        Kind::Matrix => numbers = file.fixed(element)?,
        Kind::Rotate => numbers[..4].copy_from_slice(&file.fixed::<4>(element)?),
        Kind::Translate | Kind::Scale => numbers[..3].copy_from_slice(&file.fixed::<3>(element)?),
    }
    Ok(Some(Step { sid: element.attribute("sid").unwrap_or_default(), kind, numbers }))
}
