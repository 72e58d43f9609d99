//! What cannot be is refused before a run begins.

use super::setup::{DiffuseError, Edge, Setup, Then};
use super::world::least_edge;

/// More particles than this have no numbers.
const MOST: usize = 1 << 30;

pub(super) fn check(setup: &Setup) -> Result<(), DiffuseError> {
    let wrong = |expected: String, found: String| Err(DiffuseError::Number { expected, found });
    if !(2..=3).contains(&setup.dimensions) {
        return wrong("2 or 3 dimensions".to_owned(), setup.dimensions.to_string());
    }
    let edges = setup.bounds.high - setup.bounds.low;
    if !(edges.is_finite() && edges.cmpgt(glam::DVec3::ZERO).all() && setup.bounds.low.is_finite()) {
        return wrong("a box with edges above 0".to_owned(), edges.to_string());
    }
    let above_zero = |number: f64, what: &str| match number > 0.0 && number.is_finite() {
        true => Ok(()),
        false => Err(DiffuseError::Number { expected: format!("{what} above 0"), found: number.to_string() }),
    };
    above_zero(setup.options.time_step, "a time step")?;
    if let Some(cell) = setup.options.cell {
        above_zero(cell, "a cell")?;
    }
    for species in &setup.species {
        let name = &species.name;
        above_zero(species.radius, &format!("a radius of {name}"))?;
        above_zero(species.mass, &format!("a mass of {name}"))?;
        for number in [species.diffusion, species.rotational_diffusion] {
            if !(number >= 0.0 && number.is_finite()) {
                return wrong(format!("a diffusion coefficient of {name}, 0 or more"), number.to_string());
            }
        }
        if !species.drift.is_finite() || species.trap.is_some_and(|(at, pull)| !at.is_finite() || !pull.is_finite()) {
            return wrong(format!("a field for {name} in finite numbers"), format!("{:?}", species.drift));
        }
        if species.atoms.iter().any(|(at, radius)| !(at.is_finite() && *radius > 0.0 && radius.is_finite())) {
            return wrong(format!("spheres of {name} at finite places with radii above 0"), "another".to_owned());
        }
    }
    let least = least_edge(setup);
    for axis in 0..setup.dimensions {
        if setup.bounds.edges[axis] == Edge::Periodic && edges[axis] < least {
            let expected = format!("an edge of at least {least:.1} Å, so that no particle meets two copies of another");
            return wrong(expected, format!("{} Å", edges[axis]));
        }
    }
    if setup.particles.len() > MOST {
        return wrong(format!("at most {MOST} particles"), setup.particles.len().to_string());
    }
    let kinds = setup.species.len();
    let is_kind = |kind: u16| (kind as usize) < kinds;
    for rule in &setup.rules {
        let made = match rule.then {
            Then::Merge(kind) => [kind, kind],
            Then::Become(first, second) => [first, second],
            Then::Vanish | Then::Bind { .. } => [rule.first, rule.second],
        };
        if !(is_kind(rule.first) && is_kind(rule.second) && made.into_iter().all(is_kind)) {
            return wrong("rules for species that there are".to_owned(), format!("{rule:?}"));
        }
        if !(0.0..=1.0).contains(&rule.probability) {
            return wrong("a probability from 0 to 1".to_owned(), rule.probability.to_string());
        }
        if let Then::Bind { breaks, .. } = rule.then
            && !(breaks >= 0.0 && breaks.is_finite())
        {
            return wrong("a rate at which bonds open, 0 or more".to_owned(), breaks.to_string());
        }
    }
    for decay in &setup.decays {
        if !is_kind(decay.kind) || decay.into.len() > 2 || !decay.into.iter().copied().all(is_kind) {
            return wrong("decays of species that there are, into none, one or two".to_owned(), format!("{decay:?}"));
        }
        if !(decay.rate >= 0.0 && decay.rate.is_finite()) {
            return wrong("a rate, 0 or more".to_owned(), decay.rate.to_string());
        }
    }
    for (number, particle) in setup.particles.iter().enumerate() {
        if !is_kind(particle.kind) {
            return wrong(format!("a species for particle {number}"), particle.kind.to_string());
        }
        let is_inside = (0..setup.dimensions)
            .all(|axis| (setup.bounds.low[axis]..=setup.bounds.high[axis]).contains(&particle.at[axis]));
        if !is_inside || !particle.velocity.is_finite() || setup.dimensions == 2 && particle.at.z != 0.0 {
            return wrong(format!("particle {number} in the box"), particle.at.to_string());
        }
    }
    Ok(())
}
