//! Molecule types as rigid bodies.

use glam::{DMat3, DVec3};
use steric_model::{Scene, TypeId};

use crate::respond::Body;

/// What an atom weighs where nobody says, in daltons: carbon.
const CARBON: f64 = 12.011;

/// The body of a molecule type; `mass` gives the weight of each atom of the type, in daltons.
pub(super) fn body(scene: &Scene, kind: TypeId, mass: impl Fn(u32) -> f64) -> Body {
    let clusters = scene.types()[kind.0 as usize].clusters.clone();
    let (mut total, mut inertia, mut reach) = (0.0, DMat3::ZERO, 0f64);
    for cluster in &scene.clusters()[clusters.start as usize..clusters.end as usize] {
        for lane in 0..cluster.len() {
            let (arm, mass) = (cluster.atom(lane).center.as_dvec3(), mass(cluster.atoms[lane]));
            total += mass;
            inertia += mass * (arm.length_squared() * DMat3::IDENTITY - outer(arm, arm));
            reach = reach.max(arm.length());
        }
    }
    let total = total.max(f64::MIN_POSITIVE);
    // The trace counts every squared distance from the axis twice. A single atom in its own centre has no way to turn,
    // and a small one hardly any: a turn is measured at half an angstrom at least.
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let gyration = (trace / (2.0 * total)).sqrt().max(0.5);
    // Rods have no inertia about their axis; a tenth of an angstrom of thickness keeps them from spinning at a breath.
    let inertia = inertia + total * 1e-2 * DMat3::IDENTITY;
    Body { mass: total, inverse_inertia: inertia.inverse(), gyration, reach }
}

/// The bodies of all types of a scene, every atom as heavy as carbon.
pub(super) fn bodies_of_carbon(scene: &Scene) -> Vec<Body> {
    (0..scene.types().len() as u32).map(|kind| body(scene, TypeId(kind), |_| CARBON)).collect()
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
