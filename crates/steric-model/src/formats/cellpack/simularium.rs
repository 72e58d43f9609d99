//! Writes what was packed for the viewer of Simularium.
//!
//! How it works: an ingredient is a type, drawn as its spheres, and every copy is a particle of the only frame, with its spheres turned as it is. The box is that of the recipe, or one around all copies.

use std::io::{self, Write};

use glam::DVec3;

use crate::formats::trajectory::simularium::{Particle, ParticleType, SimulariumOptions, SimulariumWriter};
use crate::recipe::{Ingredient, Recipe};
use crate::{Pose, Sphere};

/// Writes spheres and poses (`world_from_ingredient`), in the order of the recipe's ingredients, and hands back what was written to.
///
/// ```
/// use steric_model::Pose;
/// use steric_model::formats::cellpack::{read_recipe, result_to_simularium};
///
/// let text = br#"{"cytoplasme": {"ingredients": {"ball": {"nbMol": 1, "radii": [[4]], "positions": [[[0, 0, 0]]]}}}}"#;
/// let recipe = read_recipe(text, "one.json".as_ref())?.value;
/// let spheres = vec![recipe.ingredients[0].levels[0].clone()];
/// let file = result_to_simularium(&recipe, &spheres, &[vec![Pose::IDENTITY]], Vec::new())?;
/// let file: serde_json::Value = serde_json::from_slice(&file)?;
/// assert_eq!(file["trajectoryInfo"]["typeMapping"]["0"]["name"], "space/ball");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn result_to_simularium<W: Write>(
    recipe: &Recipe,
    spheres: &[Vec<Sphere>],
    poses: &[Vec<Pose>],
    out: W,
) -> io::Result<W> {
    let shown = || {
        (0..).zip(&recipe.ingredients).zip(spheres.iter().zip(poses)).filter(|(_, (spheres, _))| !spheres.is_empty())
    };
    let types = shown().map(|((at, own), (spheres, _))| particle_type(recipe, own, at, spheres)).collect();
    let [low, high] = recipe.bounds.unwrap_or_else(|| around(shown().map(|(_, of)| of)));
    let options = SimulariumOptions {
        title: recipe.name.clone(),
        box_centre: 0.5 * (low + high),
        ..SimulariumOptions::new((high - low).max(DVec3::ONE), types)
    };
    let copies =
        shown().enumerate().flat_map(|(type_index, (_, (_, poses)))| poses.iter().map(move |pose| (type_index, pose)));
    let particles = (0..).zip(copies).map(|(id, (type_index, pose))| Particle {
        id,
        type_index,
        position: pose.translation.as_vec3(),
        rotation: pose.rotation.as_quat(),
        radius: None,
    });
    let mut writer = SimulariumWriter::new(out, options)?;
    writer.frame(0.0, particles)?;
    writer.finish(&[])
}

fn particle_type(recipe: &Recipe, own: &Ingredient, at: u32, spheres: &[Sphere]) -> ParticleType {
    let reach = spheres.iter().map(|sphere| sphere.center.length() + sphere.radius).fold(f32::MIN_POSITIVE, f32::max);
    let color = own.color.unwrap_or_else(|| hue(at));
    let color = color.map(|share| (255.0 * share.clamp(0.0, 1.0)).round() as u8);
    let is_ball = matches!(spheres, [one] if one.center == glam::Vec3::ZERO);
    let spheres = if is_ball { Vec::new() } else { spheres.to_vec() };
    ParticleType { spheres, ..ParticleType::ball(&recipe.path_of(own), reach, color) }
}

/// A hue as far from those before it as the golden angle can make it.
fn hue(at: u32) -> [f32; 3] {
    let turn = (at as f32 * 0.618_034).fract();
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|shift| 0.6 + 0.35 * (std::f32::consts::TAU * (turn - shift)).cos())
}

/// A box around all copies.
fn around<'a>(shown: impl Iterator<Item = (&'a Vec<Sphere>, &'a Vec<Pose>)>) -> [DVec3; 2] {
    let mut around = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    for (spheres, poses) in shown {
        for (pose, sphere) in poses.iter().flat_map(|pose| spheres.iter().map(move |sphere| (pose, sphere))) {
            let (center, radius) = (*pose * sphere.center.as_dvec3(), f64::from(sphere.radius));
            around = [around[0].min(center - radius), around[1].max(center + radius)];
        }
    }
    if around[0].is_finite() && around[1].is_finite() { around } else { [DVec3::ZERO, DVec3::ONE] }
}
