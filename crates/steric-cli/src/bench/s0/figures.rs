//! Figure 5.1 and the two halves of Figure 4.2.
//!
//! How it works: a sphere is looked at from 35 degrees above its equator, so that a pole is in sight, and only what lies on
//! the near side is drawn, by Lambert's projection: it keeps areas, so that what is crowded in the picture is crowded on
//! the sphere.

use glam::{DQuat, DVec3};
use steric::model::Random;
use steric::world::shape::{PlacesError, Sampling, Surface};

use super::measure::BruteForce;
use super::thesis::TABLE_5_1;
use super::{Line, S0};
use crate::plot::{Axis, Layer, Mark, Plot};

const PLACES: usize = 3_000;

/// Time over atoms, logarithmic, ours and the thesis's.
pub(super) fn figure_5_1(s0: &S0) -> String {
    let mut layers = Vec::new();
    let mut engines: Vec<_> = s0.table_5_1.iter().map(|line| line.backend).collect();
    engines.dedup();
    for engine in engines {
        let lines = || s0.table_5_1.iter().filter(|line| line.backend == engine);
        let grid = lines().map(|line| (millions(line), line.grid.whole.median_ms)).collect();
        layers.push(dotted(format!("grid, {}", engine), grid));
        layers.push(dotted(format!("brute force, {}", engine), lines().filter_map(brute_force).collect()));
    }
    let thesis = |time: fn(&super::thesis::Published) -> f64| {
        TABLE_5_1.iter().map(|line| (line.atoms as f64 / 1e6, time(line))).collect()
    };
    layers.push(dotted("thesis, grid".to_owned(), thesis(|line| line.grid_ms)));
    layers.push(dotted("thesis, all pairs".to_owned(), thesis(|line| line.brute_force_ms)));
    let title = format!("Figure 5.1: one iteration, {} threads; thesis: GTX 970", s0.threads);
    Plot { title, x: Axis::linear("million atoms"), y: Axis::log("milliseconds"), layers, square: false }.svg()
}

fn brute_force(line: &Line) -> Option<(f64, f64)> {
    match &line.brute_force {
        BruteForce::Measured(timing) => Some((millions(line), timing.median_ms)),
        BruteForce::TooLong { .. } => None,
    }
}

fn millions(line: &Line) -> f64 {
    line.atoms as f64 / 1e6
}

fn dotted(name: String, points: Vec<(f64, f64)>) -> Layer {
    Layer { name, mark: Mark::Dotted, points }
}

/// The near side of a sphere with places drawn at random.
pub(super) fn figure_4_2(sampling: Sampling, seed: u64) -> Result<String, PlacesError> {
    let title = match sampling {
        Sampling::Clustered => "Figure 4.2b: both angles uniform, the pole crowded",
        _ => "Figure 4.2a: inversion, uniform in area",
    };
    let sphere = Surface::Sphere { center: DVec3::ZERO, radius: 1.0 };
    let places = sphere.places(PLACES, 0.0, sampling, None, &mut Random::new(seed))?;
    let points = places.into_iter().filter_map(|(place, _)| seen(place)).collect();
    let layer = Layer { name: String::new(), mark: Mark::Points, points };
    let (x, y) = (Axis::linear("across"), Axis::linear("up"));
    Ok(Plot { title: title.to_owned(), x, y, layers: vec![layer], square: true }.svg())
}

/// Where a place of the unit sphere is in a picture from -1 to 1; nothing if it is on the far side.
fn seen(place: DVec3) -> Option<(f64, f64)> {
    // We look along +y; the north pole leans towards us.
    let turned = DQuat::from_rotation_x(35f64.to_radians()) * place;
    let stretch = 1.0 / (1.0 - turned.y).sqrt();
    (turned.y <= 0.0).then_some((stretch * turned.x, stretch * turned.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_north_pole_is_seen_above_the_middle_and_the_south_pole_is_not() {
        assert!(seen(DVec3::Z).is_some_and(|(x, up)| x.abs() < 1e-9 && up > 0.5));
        assert_eq!(seen(-DVec3::Z), None);
    }

    #[test]
    fn half_of_what_is_seen_of_a_uniform_sphere_lies_in_half_of_the_picture() {
        let mut random = Random::new(5);
        let seen: Vec<_> = (0..40_000).filter_map(|_| seen(random.direction())).collect();
        let inner = seen.iter().filter(|(x, up)| x * x + up * up < 0.5).count();
        // Of 20,000 tosses of a coin; five standard deviations are 354.
        assert!(seen.len().abs_diff(20_000) < 500 && inner.abs_diff(seen.len() / 2) < 354, "{inner} of {}", seen.len());
        assert!(seen.iter().all(|(x, up)| x * x + up * up < 1.0 + 1e-9));
    }
}
