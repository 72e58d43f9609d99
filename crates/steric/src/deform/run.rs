//! Soft bodies on their way, with what is led.

use std::ops::Range;

use glam::{DQuat, DVec3};
use steric_world::deform::{SoftWorld, Stepped};

/// Points that are led along a line and around their middle, at a steady pace.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lead {
    pub(super) points: Vec<u32>,
    /// Where they are led from.
    pub(super) from: Vec<DVec3>,
    pub(super) around: DVec3,
    pub(super) shift: DVec3,
    /// Axis times angle, in radians.
    pub(super) turn: DVec3,
    /// When it begins, in seconds.
    pub(super) begins: f64,
    /// For how long, in seconds.
    pub(super) lasts: f64,
}

/// A scene that runs.
///
/// ```
/// use steric::deform::DeformScene;
///
/// let text = "step = 0.01\nfloor = 0.0\n[[body]]\nname = \"cube\"\nblock = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }\nat = [0.0, 0.0, 0.06]\n";
/// let mut run = DeformScene::read(text, "cube.toml".as_ref())?.start("".as_ref(), None)?;
/// for _ in 0..50 {
///     run.step();
/// }
/// assert!(run.world.body.positions.iter().all(|at| at.z > -1e-3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SoftRun {
    /// The bodies.
    pub world: SoftWorld,
    pub(super) h: f64,
    pub(super) leads: Vec<Lead>,
    pub(super) names: Vec<String>,
    pub(super) materials: Vec<String>,
}

impl SoftRun {
    /// One step; what is led goes on, what is loose follows.
    pub fn step(&mut self) -> Stepped {
        let time = self.world.time() + self.h;
        for lead in &self.leads {
            let part = ((time - lead.begins) / lead.lasts).clamp(0.0, 1.0);
            let turn = DQuat::from_scaled_axis(lead.turn * part);
            for (&point, &from) in lead.points.iter().zip(&lead.from) {
                self.world.body.lead(point as usize, lead.around + turn * (from - lead.around) + lead.shift * part);
            }
        }
        self.world.step(self.h)
    }

    /// Seconds that a step takes in the scene.
    pub fn step_s(&self) -> f64 {
        self.h
    }

    /// Another length of the steps to come, in seconds.
    pub fn set_step_s(&mut self, h: f64) {
        assert!(h > 0.0 && h.is_finite(), "a step takes some time");
        self.h = h;
    }

    /// The name of each body, in the order of the parts.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of the material of each body.
    pub fn materials(&self) -> &[String] {
        &self.materials
    }

    /// The points of a body.
    pub fn points_of(&self, body: usize) -> Range<usize> {
        self.world.body.parts()[body].points.clone()
    }
}
