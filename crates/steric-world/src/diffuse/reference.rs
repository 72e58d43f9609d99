//! The short scalar truth: every pair, from one contact of all to the next, spheres that bounce.

use glam::DVec3;

use super::contact::first_touch;
use super::particles::HAIR;
use super::random::{Purpose, normals_of};
use super::setup::Setup;

/// Contacts of some steps of Brownian spheres in a box that repeats: time in units of time, and the two. Founding report, sections 3.3 and 4.1.
///
/// ```
/// use steric_world::diffuse::{Bounds, Diffusion, Edge, Setup, Species, fill, reference};
///
/// let mut setup = Setup::new(Bounds::cube(60.0, Edge::Periodic), vec![Species::sphere("A", 5.0, 2.0)]);
/// setup.particles = fill(&setup, &[80])?;
/// let expected = reference::collisions(&setup, 3);
/// let mut diffusion = Diffusion::new(setup)?;
/// let found = (0..3).map(|_| diffusion.step().len()).sum::<usize>();
/// assert!(found > 0 && found == expected.len());
/// # Ok::<(), steric_world::diffuse::DiffuseError>(())
/// ```
pub fn collisions(setup: &Setup, steps: u64) -> Vec<(f64, u32, u32)> {
    let space = setup.bounds.space(setup.dimensions);
    let species = |particle: usize| &setup.species[setup.particles[particle].kind as usize];
    let count = setup.particles.len();
    let mut places: Vec<DVec3> = setup.particles.iter().map(|particle| particle.at).collect();
    let mut log = Vec::new();
    for step in 0..steps {
        // Where each was when its path last changed, when that was, and its velocity since.
        let mut since = vec![0.0; count];
        let mut velocities: Vec<DVec3> = (0..count)
            .map(|particle| {
                let width = (2.0 * species(particle).diffusion * setup.options.time_step).sqrt();
                let mut normals = normals_of(setup.options.seed, step, Purpose::Motion, particle as u32);
                if setup.dimensions == 2 {
                    normals[2] = 0.0;
                }
                DVec3::from_array(normals) * width
            })
            .collect();
        let mut now = 0.0;
        loop {
            let at = |particle: usize, time: f64| places[particle] + velocities[particle] * (time - since[particle]);
            let mut first: Option<(f64, usize, usize, DVec3)> = None;
            for a in 0..count {
                for b in a + 1..count {
                    let from: f64 = f64::max(since[a], since[b]);
                    let apart = space.nearest(at(b, from) - at(a, from));
                    let reach = (species(a).radius + species(b).radius) * (1.0 + HAIR);
                    let motion = velocities[b] - velocities[a];
                    let time = first_touch(apart, motion, reach).map_or(1.0, |time| f64::max(from + time, now));
                    if time < first.map_or(1.0, |known| known.0) {
                        first = Some((time, a, b, apart + motion * (time - from)));
                    }
                }
            }
            let Some((time, a, b, gap)) = first else { break };
            let (new_a, new_b) = (at(a, time), at(b, time));
            let normal = gap.normalize();
            let (one, other) = (1.0 / species(a).mass, 1.0 / species(b).mass);
            let push = -2.0 * (velocities[b] - velocities[a]).dot(normal) / (one + other);
            (places[a], places[b], since[a], since[b]) = (new_a, new_b, time, time);
            velocities[a] -= normal * (push * one);
            velocities[b] += normal * (push * other);
            log.push(((step as f64 + time) * setup.options.time_step, a as u32, b as u32));
            now = time;
        }
        for particle in 0..count {
            places[particle] += velocities[particle] * (1.0 - since[particle]);
            for axis in (0..3).filter(|&axis| space.repeats[axis]) {
                let turns = ((places[particle][axis] - space.low[axis]) / space.edges[axis]).floor();
                places[particle][axis] -= space.edges[axis] * turns;
            }
        }
    }
    log
}
