//! What the kernels are told about a picture: the layouts of `view.wgsl` and `shade.wgsl`, and how they are filled.

use bytemuck::{Pod, Zeroable};
use glam::DVec3;

use super::Model;
use super::lamp::ViewOfLamp;
use super::layer::Layer;
use crate::camera::USUAL_DEGREES;
use crate::{Camera, Look, Raster, Style};

/// `View` of the kernels.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ViewWords {
    camera_from_world: [f32; 16],
    pub(super) half: [f32; 2],
    pub(super) size: [u32; 2],
    near: f32,
    far: f32,
    is_parallel: u32,
    per_unit: f32,
    clip: [f32; 4],
    items: u32,
    room: u32,
    small: f32,
    coarse: f32,
    pass_number: u32,
    passes: u32,
    tiles: u32,
    triangles: u32,
    is_screen_door: u32,
    unused: [u32; 3],
}

impl ViewWords {
    /// The same in one of so many passes over a picture.
    pub(super) fn in_pass(self, (pass_number, passes): (u32, u32)) -> Self {
        Self { pass_number, passes, ..self }
    }
}

/// `Look` of the kernels.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LookWords {
    background: [f32; 4],
    fog: [f32; 4],
    light: [f32; 3],
    is_flat: u32,
    occlusion: f32,
    lines: f32,
    fog_begin: f32,
    fog_end: f32,
    samples: u32,
    shadows: f32,
    unused: [u32; 2],
    lamp_from_camera: [f32; 16],
    lamp_half: [f32; 2],
    lamp_size: [u32; 2],
}

/// Spheres of a smaller radius, in samples, are splatted.
const SMALL: f32 = 6.0;

/// How a camera sees molecules.
pub(super) fn view_words(has_threads: bool, model: &Model, camera: &Camera, look: &Look, layer: &Layer) -> ViewWords {
    let small = match look.raster {
        Raster::Squares => 0.0,
        _ if !has_threads => 0.0,
        Raster::Auto => SMALL,
        Raster::Threads => f32::MAX,
    };
    ViewWords {
        items: model.item_count,
        room: model.room,
        small,
        tiles: layer.pyramid.side,
        triangles: model.triangles,
        ..view_of_ball((model.origin, model.radius), camera, look, layer.size)
    }
}

/// How a camera sees a ball of molecules in a picture of so many samples.
pub(super) fn view_of_ball((origin, radius): (DVec3, f64), camera: &Camera, look: &Look, size: [u32; 2]) -> ViewWords {
    let is_parallel = camera.degrees <= 0.0;
    let degrees = if is_parallel { USUAL_DEGREES } else { camera.degrees.min(170.0) };
    let distance = camera.distance();
    let mut high = (0.5 * degrees).to_radians().tan();
    if is_parallel {
        high *= distance;
    }
    let half = [high * f64::from(size[0]) / f64::from(size[1]), high].map(|half| half as f32);
    let matrix = camera.camera_from_world(origin);
    // Where the molecules begin and end along the camera's axis. A parallel view may begin behind the eye.
    let (along, reach) = (-matrix.transform_point3(DVec3::ZERO).z, 1.05 * radius + 1.0);
    let near = if is_parallel { along - reach } else { (along - reach).max(1e-3 * distance).max(0.1) };
    let clip = look.clip.map_or([0.0; 4], |(point, normal)| {
        let normal = normal.try_normalize().unwrap_or(DVec3::X);
        let own = matrix.transform_vector3(normal);
        let place = matrix.transform_point3(point - origin);
        own.extend(-own.dot(place)).as_vec4().to_array()
    });
    ViewWords {
        camera_from_world: matrix.as_mat4().to_cols_array(),
        half,
        size,
        near: near as f32,
        far: (along + reach) as f32,
        is_parallel: is_parallel.into(),
        per_unit: size[1] as f32 / (2.0 * half[1]),
        clip,
        items: 0,
        room: 0,
        small: 0.0,
        coarse: look.coarse as f32 * look.samples as f32,
        pass_number: 0,
        passes: 1,
        tiles: 0,
        triangles: 0,
        is_screen_door: look.screen_door.into(),
        unused: [0; 3],
    }
}

/// How they look in the light of a lamp.
pub(super) fn look_words((origin, radius): (DVec3, f64), camera: &Camera, look: &Look, lamp: &ViewOfLamp) -> LookWords {
    let light = |[red, green, blue]: [u8; 3], opacity: f32| {
        let linear = |part: u8| {
            let part = f32::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        [linear(red), linear(green), linear(blue), opacity]
    };
    let away = camera.eye.distance(origin);
    let behind = look.background.unwrap_or([255; 3]);
    LookWords {
        background: light(behind, if look.background.is_some() { 1.0 } else { 0.0 }),
        fog: light(behind, look.fog as f32),
        light: look.towards_light().as_vec3().to_array(),
        is_flat: u32::from(look.style == Style::Illustrative),
        occlusion: look.occlusion as f32,
        lines: look.lines as f32,
        fog_begin: (away - 0.6 * radius) as f32,
        fog_end: (away + 1.2 * radius) as f32,
        samples: look.samples,
        shadows: look.shadows as f32,
        unused: [0; 2],
        lamp_from_camera: lamp.lamp_from_camera,
        lamp_half: lamp.half,
        lamp_size: lamp.size,
    }
}

const _: () = assert!(size_of::<ViewWords>() == 64 + 16 * 6, "as view.wgsl declares it");
const _: () = assert!(size_of::<LookWords>() == 16 * 5 + 64 + 16, "as shade.wgsl declares it");
