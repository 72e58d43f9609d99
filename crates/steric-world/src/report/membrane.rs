//! How the lipids of a membrane stand: tilt, height, room, and whether they are still in their leaflet.
//!
//! How it works: molecules that a surface holds belong to its membrane, and membranes come in the order of their first
//! molecule. The tilt is the angle between the axis of a molecule and the normal at its origin; the height is that of the
//! head. The area of a lipid is that of the parallel surface at the mean height of the heads, and of the centres, over
//! the number of lipids: on a sphere the two differ a lot, in a plane not at all. A plane has the area of the periodic
//! box that it lies in.

use std::sync::Arc;

use glam::DVec3;
use serde::{Serialize, Serializer};
use steric_model::{MoleculeId, PeriodicBox, Scene};

use super::Spread;
use super::centers::centers;
use super::holds::{Breach, Stand};
use crate::relax::{Hold, Leaflet};
use crate::shape::Surface;

/// One membrane.
///
/// ```
/// use std::sync::Arc;
///
/// use glam::{DVec3, Vec3};
/// use steric_model::{PeriodicBox, Pose, Scene};
/// use steric_world::relax::{Hold, Leaflet};
/// use steric_world::report::MembraneReport;
/// use steric_world::shape::Surface;
///
/// let mut scene = Scene::default();
/// let lipid = scene.add_type("lipid", &[Vec3::ZERO, Vec3::Z * 8.0], &[1.0; 2]);
/// scene.add_molecule(lipid, Pose::from_translation(DVec3::Z * 10.0));
/// scene.set_periodic_box(PeriodicBox::orthogonal(DVec3::new(8.0, 8.5, 90.0)));
/// let hold = Hold::Surface {
///     surface: Arc::new(Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z }),
///     leaflet: Leaflet::Outer,
///     head: DVec3::Z * 8.0,
///     height: 18.5,
///     leeway: 1.0,
///     axis: DVec3::Z,
///     tilt: 0.3,
/// };
/// let membranes = MembraneReport::of(&scene, &|_| std::slice::from_ref(&hold));
/// let outer = &membranes[0].leaflets[0];
/// assert_eq!((outer.height.mean, outer.deviation.mean, outer.tilt_degrees.most), (18.0, -0.5, 0.0));
/// assert_eq!((outer.area_at_heads, outer.swaps, outer.broken), (Some(68.0), 0, 0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MembraneReport {
    /// The surface in words: `sphere of radius 250.0 Å`.
    pub surface: String,
    /// The outer one, then the inner one; one without molecules is left out.
    pub leaflets: Vec<LeafletReport>,
}

/// One layer of a membrane.
///
/// ```
/// use steric_world::relax::Leaflet;
/// use steric_world::report::{LeafletReport, Spread};
///
/// let tilt_degrees = Spread::new(vec![5.0, 7.0]);
/// let inner = LeafletReport { molecules: 2, tilt_degrees, ..LeafletReport::empty(Leaflet::Inner) };
/// assert_eq!(serde_json::to_value(&inner)?["leaflet"], "inner");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeafletReport {
    /// Which layer.
    #[serde(serialize_with = "leaflet_name")]
    pub leaflet: Leaflet,
    /// How many molecules it has.
    pub molecules: u64,
    /// Between axis and normal, in degrees.
    pub tilt_degrees: Spread,
    /// Of the heads above the surface, in angstroms; negative in the inner leaflet.
    pub height: Spread,
    /// How much farther from the surface the heads stand than they were asked to, in angstroms; negative is nearer.
    pub deviation: Spread,
    /// Square angstroms for each molecule at the mean height of the heads; `None` for a plane without a box.
    pub area_at_heads: Option<f64>,
    /// Square angstroms for each molecule at the mean height of the centres; `None` for a plane without a box.
    pub area_at_centers: Option<f64>,
    /// Molecules whose head now stands on the other side, or that stand upside down.
    pub swaps: u64,
    /// Molecules beyond the leeway of their height or tilt, by more than 0.1 Å or a degree.
    pub broken: u64,
    /// The farthest beyond the leeway of the height, in angstroms.
    pub worst: f64,
    /// The farthest beyond the leeway of the tilt, in degrees.
    pub worst_degrees: f64,
}

fn leaflet_name<S: Serializer>(leaflet: &Leaflet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name(*leaflet))
}

pub(super) fn name(leaflet: Leaflet) -> &'static str {
    match leaflet {
        Leaflet::Outer => "outer",
        Leaflet::Inner => "inner",
    }
}

impl LeafletReport {
    /// A leaflet without molecules.
    pub fn empty(leaflet: Leaflet) -> Self {
        Self {
            leaflet,
            molecules: 0,
            tilt_degrees: Spread::default(),
            height: Spread::default(),
            deviation: Spread::default(),
            area_at_heads: None,
            area_at_centers: None,
            swaps: 0,
            broken: 0,
            worst: 0.0,
            worst_degrees: 0.0,
        }
    }
}

impl MembraneReport {
    /// Every membrane of a scene, in the order of their first molecule. A molecule that several surfaces hold belongs to
    /// the first.
    pub fn of<'a>(scene: &Scene, holds: &dyn Fn(MoleculeId) -> &'a [Hold]) -> Vec<Self> {
        let centers = centers(scene);
        let mut membranes: Vec<(&'a Arc<Surface>, [Samples; 2])> = Vec::new();
        for id in (0..scene.molecules().len() as u32).map(MoleculeId) {
            let surface =
                |hold: &'a Hold| if let Hold::Surface { surface, .. } = hold { Some((surface, hold)) } else { None };
            let Some((surface, hold)) = holds(id).iter().find_map(surface) else { continue };
            let place = membranes.iter().position(|(known, _)| Arc::ptr_eq(known, surface));
            let place = place.unwrap_or_else(|| {
                membranes.push((surface, Default::default()));
                membranes.len() - 1
            });
            let center = centers[scene.molecules()[id.0 as usize].kind.0 as usize];
            add(&mut membranes[place].1, scene, id, center, hold);
        }
        let report = |(surface, samples): (&Arc<Surface>, [Samples; 2])| {
            let leaflets = [Leaflet::Outer, Leaflet::Inner].into_iter().zip(samples);
            let leaflets = leaflets.filter(|(_, samples)| !samples.tilts_degrees.is_empty());
            let leaflets = leaflets.map(|(leaflet, samples)| samples.report(leaflet, surface, scene.periodic_box()));
            Self { surface: words(surface), leaflets: leaflets.collect() }
        };
        membranes.into_iter().map(report).collect()
    }
}

/// What was measured in one leaflet, molecule by molecule.
#[derive(Default)]
struct Samples {
    tilts_degrees: Vec<f64>,
    heights: Vec<f64>,
    deviations: Vec<f64>,
    center_heights: Vec<f64>,
    swaps: u64,
    broken: u64,
    worst: Breach,
}

fn add(leaflets: &mut [Samples; 2], scene: &Scene, id: MoleculeId, center: DVec3, hold: &Hold) {
    let Hold::Surface { surface, leaflet, head, height, leeway, axis, tilt } = hold else { return };
    let pose = scene.molecules()[id.0 as usize].pose;
    let stand = Stand::new(surface, *leaflet, pose, *head, *axis).nearest(scene.periodic_box(), *height, *leeway);
    let breach = stand.breach(*height, *leeway, *tilt);
    let samples = &mut leaflets[usize::from(*leaflet == Leaflet::Inner)];
    samples.tilts_degrees.push(stand.tilt.to_degrees());
    samples.heights.push(stand.height);
    samples.deviations.push(leaflet.sign() * (stand.height - height));
    samples.center_heights.push(surface.height(pose * center + stand.image).0);
    samples.swaps += u64::from(stand.is_swapped(*height));
    samples.broken += u64::from(breach.is_broken());
    samples.worst = samples.worst.worse(breach);
}

impl Samples {
    fn report(self, leaflet: Leaflet, surface: &Surface, periodic_box: Option<PeriodicBox>) -> LeafletReport {
        let molecules = self.tilts_degrees.len() as u64;
        let center_height = Spread::new(self.center_heights).mean;
        let height = Spread::new(self.heights);
        let per_lipid = |height: f64| area(surface, height, periodic_box).map(|area| area / molecules as f64);
        LeafletReport {
            leaflet,
            molecules,
            tilt_degrees: Spread::new(self.tilts_degrees),
            deviation: Spread::new(self.deviations),
            area_at_heads: per_lipid(height.mean),
            area_at_centers: per_lipid(center_height),
            height,
            swaps: self.swaps,
            broken: self.broken,
            worst: self.worst.length,
            worst_degrees: self.worst.angle.to_degrees(),
        }
    }
}

/// The area at a height, in square angstroms: of a plane that which repeats.
fn area(surface: &Surface, height: f64, periodic_box: Option<PeriodicBox>) -> Option<f64> {
    let Surface::Plane { normal, .. } = surface else { return Some(surface.area_at(height)) };
    let vectors = periodic_box?.vectors();
    let lies_in_plane = |vector: &DVec3| vector.dot(*normal).abs() < 1e-6 * vector.length();
    let mut sides = [vectors.x_axis, vectors.y_axis, vectors.z_axis].into_iter().filter(lies_in_plane);
    Some(sides.next()?.cross(sides.next()?).length())
}

fn words(surface: &Surface) -> String {
    if let Surface::Sphere { radius, .. } = surface {
        format!("sphere of radius {radius:.1} Å")
    } else if let Surface::Plane { .. } = surface {
        "plane".to_owned()
    } else {
        format!("surface of {:.0} Å²", surface.area_at(0.0))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use glam::{DQuat, Vec3};
    use steric_model::{Pose, Random};

    use super::*;

    const HEIGHT: f64 = 18.0;

    /// A lipid along z, its tail at the origin.
    fn lipids() -> Scene {
        let mut scene = Scene::default();
        scene.add_type("lipid", &[Vec3::ZERO, Vec3::Z * HEIGHT as f32], &[1.0; 2]);
        scene
    }

    fn hold(surface: &Arc<Surface>, leaflet: Leaflet) -> Hold {
        let (head, axis, height) = (DVec3::Z * HEIGHT, DVec3::Z, leaflet.sign() * HEIGHT);
        Hold::Surface { surface: surface.clone(), leaflet, head, height, leeway: 1.0, axis, tilt: 20f64.to_radians() }
    }

    /// A vesicle: outer lipids with their heads out, then as many inner ones, each turned by a tilt about its tail.
    fn vesicle(count: u32, tilt: f64) -> (Scene, Vec<Hold>) {
        let surface = Arc::new(Surface::Sphere { center: DVec3::ONE, radius: 200.0 });
        let mut scene = lipids();
        let mut holds = Vec::new();
        let mut random = Random::new(1);
        for leaflet in [Leaflet::Outer, Leaflet::Inner] {
            for _ in 0..count {
                let outward = random.direction();
                let lean = DQuat::from_axis_angle(outward.any_orthonormal_vector(), tilt);
                let rotation = lean * DQuat::from_rotation_arc(DVec3::Z, leaflet.sign() * outward);
                scene.add_molecule(
                    steric_model::TypeId(0),
                    Pose { rotation, translation: DVec3::ONE + 200.0 * outward },
                );
                holds.push(hold(&surface, leaflet));
            }
        }
        (scene, holds)
    }

    #[test]
    fn lipids_that_stand_upright_have_no_tilt_and_the_area_of_their_sphere() {
        let (scene, holds) = vesicle(500, 0.0);
        let membranes = MembraneReport::of(&scene, &|id| std::slice::from_ref(&holds[id.0 as usize]));
        let [membrane] = &membranes[..] else { panic!("one membrane") };
        assert_eq!(membrane.surface, "sphere of radius 200.0 Å");
        for (leaflet, sign) in membrane.leaflets.iter().zip([1.0, -1.0]) {
            assert_eq!((leaflet.molecules, leaflet.swaps, leaflet.broken), (500, 0, 0));
            assert!(leaflet.tilt_degrees.most < 1e-4 && leaflet.deviation.most.abs() < 1e-9);
            let area = |height: f64| 4.0 * PI * (200.0 + sign * height) * (200.0 + sign * height) / 500.0;
            assert!((leaflet.area_at_heads.unwrap() - area(18.0)).abs() < 1e-6);
            assert!((leaflet.area_at_centers.unwrap() - area(9.0)).abs() < 1e-6);
        }
    }

    #[test]
    fn lipids_that_lean_about_their_tails_have_that_tilt_and_break_their_holds() {
        let (scene, holds) = vesicle(50, 30f64.to_radians());
        let membranes = MembraneReport::of(&scene, &|id| std::slice::from_ref(&holds[id.0 as usize]));
        for leaflet in &membranes[0].leaflets {
            assert!((leaflet.tilt_degrees.mean - 30.0).abs() < 1e-6, "{}", leaflet.tilt_degrees.mean);
            assert!((leaflet.worst_degrees - (leaflet.tilt_degrees.most - 20.0)).abs() < 1e-9);
            assert_eq!((leaflet.broken, leaflet.swaps), (50, 0));
            assert!(leaflet.deviation.mean < -1.0 && leaflet.worst > 0.5);
        }
    }

    #[test]
    fn a_lipid_that_turned_over_or_crossed_the_middle_is_a_swap() {
        let (mut scene, holds) = vesicle(10, 0.0);
        let over = DQuat::from_axis_angle(scene.molecules()[3].pose.rotation * DVec3::X, PI);
        scene.molecules_mut()[3].pose.rotation = over * scene.molecules()[3].pose.rotation;
        scene.molecules_mut()[15].pose.translation *= 1.2;
        let membranes = MembraneReport::of(&scene, &|id| std::slice::from_ref(&holds[id.0 as usize]));
        assert_eq!(membranes[0].leaflets.iter().map(|leaflet| leaflet.swaps).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn a_flat_membrane_is_measured_across_the_walls_of_its_box() {
        let surface = Arc::new(Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z });
        let holds = [hold(&surface, Leaflet::Inner)];
        let mut scene = lipids();
        let rotation = DQuat::from_rotation_x(PI);
        scene.add_molecule(steric_model::TypeId(0), Pose { rotation, translation: DVec3::new(5.0, 5.0, 79.5) });
        let open = MembraneReport::of(&scene, &|_| &holds);
        assert_eq!((open[0].leaflets[0].swaps, open[0].leaflets[0].area_at_heads), (1, None));
        scene.set_periodic_box(PeriodicBox::orthogonal(DVec3::new(8.0, 8.0, 80.0)));
        let inner = &MembraneReport::of(&scene, &|_| &holds)[0].leaflets[0];
        assert_eq!((inner.swaps, inner.broken, inner.area_at_heads), (0, 0, Some(64.0)));
        assert!((inner.height.mean + 18.5).abs() < 1e-9 && (inner.deviation.mean - 0.5).abs() < 1e-9);
    }
}
