//! Where a picture is taken from.

use std::str::FromStr;

use glam::{DMat3, DMat4, DQuat, DVec3};
use rayon::prelude::*;
use steric_model::{Molecule, Scene};

use crate::Surface;

/// An eye, what it looks at, and how wide it sees.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{Pose, Scene};
/// use steric_view::Camera;
///
/// let mut scene = Scene::default();
/// let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
/// scene.add_molecule(argon, Pose::from_translation(DVec3::X * 30.0));
/// let camera = Camera::of(&scene, "front".parse()?, 1.5);
/// assert_eq!(camera.target, DVec3::X * 30.0);
/// assert!(camera.eye.distance(camera.target) > 1.88);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the eye is, in angstroms.
    pub eye: DVec3,
    /// What is in the middle of the picture.
    pub target: DVec3,
    /// What is up in the picture.
    pub up: DVec3,
    /// How high the picture sees, in degrees; 0 for a parallel view as high as the target's distance says at 25 degrees.
    pub degrees: f64,
}

/// From where to look: a side, or a turn from the front.
///
/// ```
/// use steric_view::Side;
///
/// let side: Side = "30,-20".parse()?;
/// assert_eq!((side.turn, side.lift), (30.0, -20.0));
/// assert!("beside".parse::<Side>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Side {
    /// Degrees around the vertical, counter-clockwise as seen from above.
    pub turn: f64,
    /// Degrees above the horizontal.
    pub lift: f64,
}

impl FromStr for Side {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (turn, lift) = match text {
            "front" => (0.0, 0.0),
            "back" => (180.0, 0.0),
            "left" => (-90.0, 0.0),
            "right" => (90.0, 0.0),
            "top" => (0.0, 90.0),
            "bottom" => (0.0, -90.0),
            _ => {
                let numbers: Vec<f64> = text.split(',').map_while(|word| word.trim().parse().ok()).collect();
                let [turn, lift] = numbers[..] else {
                    return Err(format!(
                        "expected front, back, left, right, top, bottom or TURN,LIFT in degrees, found {text}"
                    ));
                };
                (turn, lift)
            }
        };
        Ok(Self { turn, lift })
    }
}

impl Side {
    /// As it stands in the file, z up.
    pub const FRONT: Self = Self { turn: 0.0, lift: 0.0 };

    /// From the middle of the world towards the eye.
    pub fn direction(self) -> DVec3 {
        self.rotation() * DVec3::NEG_Y
    }

    fn rotation(self) -> DQuat {
        DQuat::from_rotation_z(self.turn.to_radians()) * DQuat::from_rotation_x(-self.lift.to_radians())
    }
}

/// How wide a camera sees unless it is told.
pub(crate) const USUAL_DEGREES: f64 = 25.0;

impl Camera {
    /// A camera that sees all of a scene from a side. The z axis of the world is up; the front looks along y.
    pub fn of(scene: &Scene, side: Side, aspect: f64) -> Self {
        Self::of_ball(ball(scene), side, aspect)
    }

    /// A camera that sees all of a scene and of surfaces from a side.
    pub fn of_all(scene: &Scene, surfaces: &[Surface], side: Side, aspect: f64) -> Self {
        let places = || surfaces.iter().flat_map(|surface| &surface.mesh.vertices).filter(|place| place.is_finite());
        let Some(&first) = places().next() else { return Self::of(scene, side, aspect) };
        let (mut low, mut high) =
            places().fold((first, first), |(low, high), place| (low.min(*place), high.max(*place)));
        let own = (!scene.molecules().is_empty()).then(|| ball(scene));
        if let Some((middle, radius)) = own {
            (low, high) = (low.min(middle - radius), high.max(middle + radius));
        }
        let middle = 0.5 * (low + high);
        let reach = places().map(|place| place.distance(middle)).fold(0.0, f64::max);
        let radius = own.map_or(0.0, |(own, radius)| own.distance(middle) + radius).max(reach);
        Self::of_ball((middle, radius), side, aspect)
    }

    fn of_ball((middle, radius): (DVec3, f64), side: Side, aspect: f64) -> Self {
        let half = (0.5 * USUAL_DEGREES).to_radians();
        // A ball is seen whole from so far, also where the picture is narrow.
        let narrow = (half.tan() * aspect.min(1.0)).atan();
        let distance = 1.03 * radius / narrow.sin();
        let eye = middle + side.direction() * distance;
        Self { eye, target: middle, up: side.rotation() * DVec3::Z, degrees: USUAL_DEGREES }
    }

    /// The same camera, turned around its target: about the world's z axis, so that what stands upright stays so, or, from above and
    /// below, about the vertical of its picture.
    pub fn turned(self, degrees: f64) -> Self {
        let up = unit(self.up, DVec3::Z);
        let axis = if up.z.abs() > 0.3 { DVec3::Z * up.z.signum() } else { up };
        let rotation = DQuat::from_axis_angle(axis, degrees.to_radians());
        Self { eye: self.target + rotation * (self.eye - self.target), up: rotation * up, ..self }
    }

    /// The same camera, so many times nearer.
    pub fn nearer(self, times: f64) -> Self {
        Self { eye: self.target + (self.eye - self.target) / times.max(1e-6), ..self }
    }

    /// How far the target is.
    pub fn distance(&self) -> f64 {
        self.eye.distance(self.target).max(1e-3)
    }

    /// Where a point is in a picture of this size, in pixels from its upper left corner; nowhere behind the eye.
    pub fn pixel_of(&self, point: DVec3, [width, height]: [u32; 2]) -> Option<[f64; 2]> {
        let place = self.camera_from_world(self.target).transform_point3(point - self.target);
        let is_parallel = self.degrees <= 0.0;
        let degrees = if is_parallel { USUAL_DEGREES } else { self.degrees };
        let depth = if is_parallel { self.distance() } else { -place.z };
        let high = (0.5 * degrees).to_radians().tan() * depth;
        let wide = high * f64::from(width) / f64::from(height);
        let pixel = [(place.x / wide + 1.0) * 0.5 * f64::from(width), (1.0 - place.y / high) * 0.5 * f64::from(height)];
        (depth > 0.0).then_some(pixel)
    }

    /// The ray through the middle of a pixel of a picture of this size: where it begins, and its direction, of length one.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_view::Camera;
    ///
    /// let camera = Camera { eye: DVec3::NEG_Y * 50.0, target: DVec3::ZERO, up: DVec3::Z, degrees: 25.0 };
    /// let (from, along) = camera.ray([101, 101], [50, 50]);
    /// assert_eq!(from, camera.eye);
    /// assert!(along.distance(DVec3::Y) < 1e-9);
    /// ```
    pub fn ray(&self, [width, height]: [u32; 2], [x, y]: [u32; 2]) -> (DVec3, DVec3) {
        let world_from_camera = self.camera_from_world(self.eye).inverse();
        let is_parallel = self.degrees <= 0.0;
        let high = (0.5 * if is_parallel { USUAL_DEGREES } else { self.degrees }).to_radians().tan();
        let wide = high * f64::from(width) / f64::from(height);
        let across = DVec3::new(
            ((f64::from(x) + 0.5) / f64::from(width) * 2.0 - 1.0) * wide,
            (1.0 - (f64::from(y) + 0.5) / f64::from(height) * 2.0) * high,
            0.0,
        );
        let (begin, along) =
            if is_parallel { (across * self.distance(), DVec3::NEG_Z) } else { (DVec3::ZERO, across - DVec3::Z) };
        let from = self.eye + world_from_camera.transform_vector3(begin);
        (from, world_from_camera.transform_vector3(along).normalize_or(DVec3::NEG_Z))
    }

    /// `camera_from_world`, where the world begins at `origin`.
    pub(crate) fn camera_from_world(&self, origin: DVec3) -> DMat4 {
        let (eye, target) = (self.eye - origin, self.target - origin);
        let back = unit(eye - target, DVec3::NEG_Y);
        let right = unit(self.up.cross(back), back.any_orthonormal_vector());
        let world_from_camera = DMat3::from_cols(right, back.cross(right), back);
        let turn = world_from_camera.transpose();
        DMat4::from_mat3_translation(turn, -(turn * eye))
    }
}

fn unit(v: DVec3, other: DVec3) -> DVec3 {
    v.try_normalize().unwrap_or(other)
}

/// So many clusters are looked at one by one; in a larger scene a molecule is small anyway.
const MOST_CLUSTERS: usize = 4_000_000;

/// The middle of a scene, and a ball around it.
pub(crate) fn ball(scene: &Scene) -> (DVec3, f64) {
    let clusters: usize =
        scene.molecules().iter().map(|molecule| scene.types()[molecule.kind.0 as usize].clusters.len()).sum();
    let is_large = clusters > MOST_CLUSTERS;
    let spheres = |molecule: &Molecule| {
        let kind = &scene.types()[molecule.kind.0 as usize];
        let (pose, whole) = (molecule.pose, is_large.then_some(kind.bound));
        let parts =
            kind.clusters.start as usize..if is_large { kind.clusters.start } else { kind.clusters.end } as usize;
        let parts = scene.bounds()[parts].iter().copied();
        parts.chain(whole).map(move |bound| (pose * bound.center.as_dvec3(), f64::from(bound.radius)))
    };
    let all = || scene.molecules().par_iter().flat_map_iter(spheres);
    let (low, high) = all()
        .map(|(center, radius)| (center - radius, center + radius))
        .reduce(|| (DVec3::INFINITY, DVec3::NEG_INFINITY), |one, other| (one.0.min(other.0), one.1.max(other.1)));
    if !low.is_finite() || !high.is_finite() {
        return (DVec3::ZERO, 1.0);
    }
    let middle = 0.5 * (low + high);
    let radius = all().map(|(center, radius)| center.distance(middle) + radius).reduce(|| 0.0, f64::max);
    (middle, radius.max(1.0))
}
