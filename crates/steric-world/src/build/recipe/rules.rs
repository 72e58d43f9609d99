//! Where copies may go: anywhere, beside a partner, or where a gradient is high; and whom they keep away from.
//!
//! How it works: a gradient is turned into a list of points of the compartment with the sum of their weights up to each, from which places are
//! drawn. Beside a partner means in contact: along a direction drawn at random the copy comes as near as its
//! spheres let it. Those that an ingredient keeps away from stand in a crowd of their own, with spheres twice as large as they are.

use glam::{DQuat, DVec3};
use steric_model::recipe::{Gradient, GradientShape, Ingredient, Recipe};
use steric_model::{Pose, Random, Sphere};

use super::rooms::Rooms;

/// Points of a compartment from which a gradient's places are drawn.
const POINTS: u64 = 20_000;

/// Places by weight.
#[derive(Clone, Debug)]
pub(super) struct Weighted {
    points: Vec<DVec3>,
    sums: Vec<f64>,
}

impl Weighted {
    /// The places of an ingredient that follows gradients; nothing if it follows none that is known.
    pub(super) fn new(ingredient: &Ingredient, recipe: &Recipe, rooms: &Rooms, room: usize, seed: u64) -> Option<Self> {
        let named = |name| recipe.gradients.iter().find(|gradient| &gradient.name == name);
        let gradients: Vec<&Gradient> = ingredient.gradients.iter().filter_map(named).collect();
        if gradients.is_empty() {
            return None;
        }
        let region = &rooms.rooms[room].region;
        let sample = |number| region.sample(&mut Random::of(seed ^ 0x6772_6164, number));
        let points: Vec<DVec3> = (0..POINTS).filter_map(sample).collect();
        let mut weights = vec![1.0; points.len()];
        for gradient in gradients {
            let distances = distances(gradient, &points, recipe, rooms)?;
            let shares = shares(gradient, &distances);
            weights.iter_mut().zip(shares).for_each(|(weight, share)| *weight *= gradient.weight_at(share));
        }
        let mut sum = 0.0;
        let sums: Vec<f64> = weights
            .iter()
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        (sum > 0.0).then_some(Self { points, sums })
    }

    pub(super) fn draw(&self, random: &mut Random) -> DVec3 {
        let part = random.unit() * self.sums.last().copied().unwrap_or_default();
        self.points[self.sums.partition_point(|&sum| sum <= part).min(self.points.len() - 1)]
    }
}

// From what the gradient measures from; nothing where that is not there.
fn distances(gradient: &Gradient, points: &[DVec3], recipe: &Recipe, rooms: &Rooms) -> Option<Vec<f64>> {
    Some(match &gradient.shape {
        GradientShape::Vector { direction, center } => {
            let direction = direction.try_normalize()?;
            let along: Vec<f64> = points.iter().map(|point| point.dot(direction)).collect();
            let least = along.iter().copied().fold(f64::INFINITY, f64::min);
            let from = center.map_or(least, |center| center.dot(direction));
            along.into_iter().map(|along| (along - from).abs()).collect()
        }
        GradientShape::Radial { center, .. } => points.iter().map(|point| point.distance(*center)).collect(),
        GradientShape::Surface { compartment } => {
            let is_named = |at: &usize| recipe.compartments[*at].name == *compartment;
            let room = (0..recipe.compartments.len()).find(is_named).and_then(|at| rooms.of[at])?;
            let region = &rooms.rooms[room].region;
            points.iter().map(|&point| region.distance(point).0.abs()).collect()
        }
    })
}

fn shares(gradient: &Gradient, distances: &[f64]) -> Vec<f64> {
    let farthest = distances.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let most = match gradient.shape {
        GradientShape::Radial { radius: Some(radius), .. } => radius,
        _ => farthest,
    };
    distances.iter().map(|distance| distance / most).collect()
}

/// The pose in which a copy, turned like this, touches a partner on that side.
pub(super) fn beside(partner: (&[Sphere], Pose), spheres: &[Sphere], turn: DQuat, side: DVec3) -> Pose {
    let (others, world_from_partner) = partner;
    let mut away = f64::NEG_INFINITY;
    for sphere in spheres {
        let center = turn * sphere.center.as_dvec3();
        for other in others {
            // |center + away side - there| = sum of the radii; the farther of the two roots.
            let there = world_from_partner.rotation * other.center.as_dvec3();
            let (from, reach) = (center - there, f64::from(sphere.radius + other.radius));
            let along = from.dot(side);
            let root = along * along - from.length_squared() + reach * reach;
            if root > 0.0 {
                away = away.max(root.sqrt() - along);
            }
        }
    }
    // Where nothing is in the way, the two share their middles.
    let away = if away.is_finite() { away + 0.01 } else { 0.0 };
    Pose { rotation: turn, translation: world_from_partner.translation + away * side }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn beside_means_in_contact() {
        let mut random = Random::new(5);
        for _ in 0..100 {
            let mut body = || -> Vec<Sphere> {
                let ball = |random: &mut Random| Sphere {
                    center: (9.0 * random.unit() * random.direction()).as_vec3(),
                    radius: 1.0 + 4.0 * random.unit() as f32,
                };
                (0..5).map(|_| ball(&mut random)).collect()
            };
            let (partner, own) = (body(), body());
            let world_from_partner = Pose { rotation: random.rotation(), translation: 50.0 * random.direction() };
            let pose = beside((&partner, world_from_partner), &own, random.rotation(), random.direction());
            let gap = |a: &Sphere, b: &Sphere| {
                let (a_at, b_at) = (pose * a.center.as_dvec3(), world_from_partner * b.center.as_dvec3());
                a_at.distance(b_at) - f64::from(a.radius + b.radius)
            };
            let nearest = own.iter().flat_map(|a| partner.iter().map(move |b| (a, b)));
            let nearest = nearest.map(|(a, b)| gap(a, b)).fold(f64::INFINITY, f64::min);
            let shares_middle = pose.translation.distance(world_from_partner.translation) < 1e-9;
            assert!(shares_middle || (-1e-5..0.02).contains(&nearest), "{nearest}");
        }
        let ball = [Sphere { center: Vec3::ZERO, radius: 2.0 }];
        let pose = beside((&ball, Pose::IDENTITY), &ball, DQuat::IDENTITY, DVec3::X);
        assert!((pose.translation.x - 4.01).abs() < 1e-12);
    }
}
