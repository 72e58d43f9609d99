//! Surfaces that are made and not read: boxes with round edges, and cones with round ends.
//!
//! How it works: a box with round edges is a smaller box with a sphere rolled around it. A grid on a plain box, narrower along its
//! edges, is moved onto it: what a point has beyond the smaller box keeps its direction and gets the length of the radius. A cone
//! with round ends is a curve turned about an axis: an arc, the straight line that touches both spheres, an arc.

use std::f64::consts::{FRAC_PI_4, PI, TAU};

use glam::DVec3;
use steric_model::formats::mesh::Mesh;

/// Steps of a quarter of a turn: triangles around an edge are then off by less than 1 % of its radius.
const QUARTER: usize = 16;

/// A box with round edges about the origin: half of its width along x, y and z, and the radius of its edges, in angstroms. A
/// radius as large as the least half-width makes a lamella with a round rim; as large as two of them a rod with round ends; as
/// large as all three a sphere.
///
/// ```
/// use glam::DVec3;
/// use steric_world::shape::{TriangleMesh, rounded_box};
///
/// let rod = TriangleMesh::new(&rounded_box(DVec3::new(500.0, 100.0, 100.0), 100.0))?;
/// assert!(rod.report().is_watertight());
/// let capsule = std::f64::consts::PI * 100.0 * 100.0 * (800.0 + 4.0 / 3.0 * 100.0);
/// assert!((rod.volume() / capsule - 1.0).abs() < 0.01);
/// # Ok::<(), steric_world::shape::MeshError>(())
/// ```
pub fn rounded_box(semi_axes: DVec3, rounding: f64) -> Mesh {
    let semi_axes = semi_axes.abs();
    let rounding = rounding.clamp(0.0, semi_axes.min_element());
    let core = semi_axes - rounding;
    // As fine along the faces as around the edges, within reason.
    let step = (rounding * PI / 2.0 / QUARTER as f64).max(semi_axes.max_element() / 40.0);
    let nodes = [0, 1, 2].map(|axis| nodes(core[axis], rounding, step));
    let mut mesh = Mesh::default();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [-1.0, 1.0] {
            let first = mesh.vertices.len() as u32;
            for &along_u in &nodes[u] {
                for &along_v in &nodes[v] {
                    let mut place = DVec3::ZERO;
                    (place[axis], place[u], place[v]) = (side * semi_axes[axis], along_u, along_v);
                    let within = place.clamp(-core, core);
                    mesh.vertices.push(within + rounding * (place - within).normalize_or_zero());
                }
            }
            grid(&mut mesh, first, nodes[u].len() as u32, nodes[v].len() as u32, side > 0.0);
        }
    }
    mesh
}

/// Where the lines of a grid cut an edge of the plain box: even in angle where it is round, even in length between.
fn nodes(core: f64, rounding: f64, step: f64) -> Vec<f64> {
    let half = QUARTER / 2;
    let round: Vec<f64> = (1..=half)
        .map(|at| core + rounding * (FRAC_PI_4 * at as f64 / half as f64).tan())
        .filter(|_| rounding > 0.0)
        .collect();
    let steps = (2.0 * core / step).ceil() as usize;
    let straight = (0..=steps).map(|at| if steps == 0 { 0.0 } else { core * (2.0 * at as f64 / steps as f64 - 1.0) });
    round.iter().rev().map(|node| -node).chain(straight).chain(round.iter().copied()).collect()
}

fn grid(mesh: &mut Mesh, first: u32, rows: u32, columns: u32, is_outward: bool) {
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let corner = first + row * columns + column;
            let corners = [corner, corner + columns, corner + columns + 1, corner + 1];
            let corners = if is_outward { corners } else { [corners[3], corners[2], corners[1], corners[0]] };
            mesh.triangles.extend([[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]);
        }
    }
}

/// A cone with round ends, such as the capsid of HIV: all that two spheres and what lies between them take. The radii belong to
/// the spheres about the start and the end; the larger sphere must not hold the other, or it is all that is left.
///
/// ```
/// use glam::DVec3;
/// use steric_world::shape::{TriangleMesh, round_cone};
///
/// let capsid = TriangleMesh::new(&round_cone(DVec3::ZERO, 700.0 * DVec3::Z, [250.0, 100.0]))?;
/// assert!(capsid.report().is_watertight());
/// assert!((capsid.distance(-250.0 * DVec3::Z).0).abs() < 1e-6 && capsid.distance(800.1 * DVec3::Z).0 > 0.0);
/// # Ok::<(), steric_world::shape::MeshError>(())
/// ```
pub fn round_cone(start: DVec3, end: DVec3, radii: [f64; 2]) -> Mesh {
    let (axis, length) = (end - start).normalize_and_length();
    let axis = if length > 0.0 { axis } else { DVec3::Z };
    let (across, other) = axis.any_orthonormal_pair();
    // The line that touches both spheres leans by this much.
    let lean = ((radii[0] - radii[1]) / length.max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0).asin();
    let turning = PI / 2.0 + lean;
    let place = |middle: f64, radius: f64, angle: f64| (middle - radius * angle.cos(), radius * angle.sin());
    let arc = |from: f64, to: f64| {
        let steps = ((to - from) / (PI / 2.0) * QUARTER as f64).ceil().max(1.0) as usize;
        (0..=steps).map(move |at| from + (to - from) * at as f64 / steps as f64)
    };
    let mut profile: Vec<(f64, f64)> = arc(0.0, turning).map(|angle| place(0.0, radii[0], angle)).collect();
    let second: Vec<(f64, f64)> = arc(turning, PI).map(|angle| place(length, radii[1], angle)).collect();
    if let (Some(&last), Some(&first)) = (profile.last(), second.first()) {
        let step = radii[0].max(radii[1]) * PI / 2.0 / QUARTER as f64;
        let steps = ((first.0 - last.0).hypot(first.1 - last.1) / step).ceil().max(1.0) as usize;
        let between = |at: usize| at as f64 / steps as f64;
        profile.extend(
            (1..steps).map(|at| (last.0 + (first.0 - last.0) * between(at), last.1 + (first.1 - last.1) * between(at))),
        );
    }
    profile.extend(second);
    turned(&profile, |along, out, angle| start + along * axis + out * (angle.cos() * across + angle.sin() * other))
}

/// A curve, from one place of the axis to another, turned about it.
fn turned(profile: &[(f64, f64)], place: impl Fn(f64, f64, f64) -> DVec3) -> Mesh {
    const AROUND: usize = 4 * QUARTER;
    let mut mesh = Mesh::default();
    for &(along, out) in profile {
        mesh.vertices.extend((0..=AROUND).map(|at| place(along, out, TAU * (at % AROUND) as f64 / AROUND as f64)));
    }
    grid(&mut mesh, 0, profile.len() as u32, AROUND as u32 + 1, false);
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::TriangleMesh;

    #[test]
    fn a_box_with_round_edges_has_the_volume_and_the_area_of_steiner() {
        for (semi_axes, rounding) in [
            (DVec3::new(300.0, 200.0, 80.0), 80.0),
            (DVec3::new(300.0, 200.0, 80.0), 20.0),
            (DVec3::new(400.0, 90.0, 90.0), 90.0),
            (DVec3::splat(100.0), 100.0),
        ] {
            let mesh = TriangleMesh::new(&rounded_box(semi_axes, rounding)).unwrap();
            assert!(mesh.report().is_watertight(), "{}", mesh.report());
            let edges = 2.0 * (semi_axes - rounding);
            let faces = 2.0 * (edges.x * edges.y + edges.y * edges.z + edges.z * edges.x);
            let volume = edges.element_product()
                + faces * rounding
                + PI * edges.element_sum() * rounding.powi(2)
                + 4.0 / 3.0 * PI * rounding.powi(3);
            let area = faces + 2.0 * PI * edges.element_sum() * rounding + 4.0 * PI * rounding.powi(2);
            assert!((mesh.volume() / volume - 1.0).abs() < 0.006, "{} {volume}", mesh.volume());
            assert!((mesh.area_at(0.0) / area - 1.0).abs() < 0.006, "{} {area}", mesh.area_at(0.0));
        }
    }

    #[test]
    fn a_round_cone_touches_both_of_its_spheres_from_outside() {
        let (start, end, radii) = (DVec3::new(5.0, -3.0, 1.0), DVec3::new(205.0, 97.0, 51.0), [110.0, 40.0]);
        let mesh = TriangleMesh::new(&round_cone(start, end, radii)).unwrap();
        assert!(mesh.report().is_watertight(), "{}", mesh.report());
        for (middle, radius) in [(start, radii[0]), (end, radii[1])] {
            assert!((mesh.distance(middle).0 / radius + 1.0).abs() < 0.01, "{}", mesh.distance(middle).0);
        }
    }

    #[test]
    fn a_cone_of_equal_ends_is_a_capsule_and_one_without_length_a_sphere() {
        let capsule = TriangleMesh::new(&round_cone(DVec3::ZERO, 100.0 * DVec3::X, [50.0; 2])).unwrap();
        assert!((capsule.volume() / (PI * 2_500.0 * (100.0 + 200.0 / 3.0)) - 1.0).abs() < 0.01);
        let sphere = TriangleMesh::new(&round_cone(DVec3::ZERO, DVec3::ZERO, [50.0; 2])).unwrap();
        assert!((sphere.volume() / (4.0 / 3.0 * PI * 125_000.0) - 1.0).abs() < 0.01);
    }
}
