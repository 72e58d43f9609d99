//! The lamp: a camera that sees where light falls.

use glam::DVec3;

use super::layer::Layer;
use super::{Model, Renderer};
use crate::camera::USUAL_DEGREES;
use crate::{Camera, Look};

/// Samples along a side of what the lamp sees.
const LAMP_SIZE: u32 = 2048;

/// A lamp, and what it sees: where its light falls.
#[derive(Debug)]
pub(super) struct Lamp {
    pub(super) layer: Layer,
}

/// How a lamp sees.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ViewOfLamp {
    pub(super) lamp_from_camera: [f32; 16],
    pub(super) half: [f32; 2],
    pub(super) size: [u32; 2],
}

impl Lamp {
    pub(super) fn new(renderer: &Renderer, model: &Model) -> Self {
        Self { layer: Layer::new(renderer, model, [LAMP_SIZE; 2]) }
    }

    /// The lamp as a camera: so far away that its light is parallel, and it goes where the one who looks goes.
    pub(super) fn camera(&self, model: &Model, camera: &Camera, look: &Look) -> Camera {
        let world_from_camera = camera.camera_from_world(model.origin).inverse();
        let towards = world_from_camera.transform_vector3(look.towards_light());
        // As high as a parallel view is at this distance.
        let distance = 1.02 * model.radius / (0.5 * USUAL_DEGREES).to_radians().tan();
        let up = world_from_camera.transform_vector3(DVec3::NEG_Z);
        Camera { eye: model.origin + towards * distance, target: model.origin, up, degrees: 0.0 }
    }

    pub(super) fn look(&self, look: &Look) -> Look {
        Look { samples: 1, ..*look }
    }
}
