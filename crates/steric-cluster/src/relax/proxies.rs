//! Stand-ins that go first, by many ranks.

use std::ops::ControlFlow;

use steric_world::relax::{ProxyFit, RelaxOptions, Setup};

use super::{Crew, CrewError, CrewOptions};
use crate::comm::Comm;

/// What stand-ins did that went first: see [`run_proxies`].
#[derive(Clone, Copy, Debug)]
pub struct CrewProxies {
    /// How well they fitted.
    pub fit: ProxyFit,
    /// Iterations that they took.
    pub iterations: u32,
    /// Molecules whose stand-ins still overlapped when the atoms took over.
    pub overlapping: u32,
}

/// Lets stand-ins of at most so many spheres per molecule go first, until they rest or for so many iterations, and puts the molecules of the setup where
/// they end.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_cluster::comm::{Comm, threads};
/// use steric_cluster::relax::{CrewOptions, run_proxies};
/// use steric_model::{Pose, Scene};
/// use steric_world::relax::{RelaxOptions, Setup};
///
/// let mut scene = Scene::default();
/// let chain: Vec<Vec3> = (0..30).map(|i| Vec3::X * i as f32 * 1.5).collect();
/// let chain = scene.add_type("chain", &chain, &[1.7; 30]);
/// for y in 0..5 {
///     scene.add_molecule(chain, Pose::from_translation(DVec3::Y * f64::from(y)));
/// }
/// let ways = threads::run(2, |comm: &dyn Comm| {
///     let (mut setup, physics) = (Setup::new(scene.clone()), RelaxOptions::default());
///     run_proxies(comm, &mut setup, 5, 100, &physics, 1, CrewOptions::default())?;
///     Ok::<f64, steric_cluster::relax::CrewError>(setup.scene.molecules()[0].pose.translation.length())
/// });
/// assert!(ways.iter().all(|way| way.as_ref().is_ok_and(|way| *way > 1.0)));
/// ```
pub fn run_proxies(
    comm: &dyn Comm,
    setup: &mut Setup,
    spheres: usize,
    iterations: u32,
    physics: &RelaxOptions,
    seed: u64,
    options: CrewOptions,
) -> Result<CrewProxies, CrewError> {
    let (coarse, fit) = setup.proxies(spheres);
    let physics = RelaxOptions { max_iterations: iterations, stall_iterations: 30, ..physics.clone() };
    let mut crew = Crew::new(comm, coarse, physics, seed, options)?;
    crew.run(|_, _| ControlFlow::Continue(()));
    for (molecule, pose) in setup.scene.molecules_mut().iter_mut().zip(crew.all_poses()) {
        molecule.pose = pose;
    }
    let history = crew.relax().history();
    let overlapping = history.last().map_or(0, |last| last.overlapping);
    Ok(CrewProxies { fit, iterations: crew.relax().iteration(), overlapping })
}
