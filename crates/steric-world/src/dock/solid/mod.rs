//! Bodies beyond spheres: balls, convex polyhedra and triangle meshes.
//!
//! How it works: a solid is a list of convex pieces, and a tree of boxes finds those that are near something. A mesh is its triangles, so it is a surface: what is
//! wholly inside touches nothing. A triangle knows how its mesh goes on beyond its edges, so that nothing is caught on an edge between two
//! triangles that lie flat or bend inwards.

mod build;
mod mass;
pub(super) mod motion;
pub(super) mod part;
mod solids;

use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::Bvh;
use steric_model::Pose;

pub use mass::Mass;
pub use solids::Solids;

use super::touch::Contact;
use part::{DEEP, Part, is_answered, places, separation};

/// What cannot be a solid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SolidError {
    /// Nothing was given.
    #[error("expected at least one piece, found none")]
    Empty,
    /// A coordinate or a radius is no number, or too large.
    #[error("expected finite numbers, found something else at {0}")]
    NotFinite(usize),
    /// A ball has no size.
    #[error("expected a positive radius, found {radius} at {ball}")]
    Radius {
        /// The number of the ball.
        ball: usize,
        /// Its radius.
        radius: f64,
    },
    /// There is not a radius for each centre.
    #[error("expected {centers} radii, one for each centre, found {radii}")]
    Radii {
        /// How many centres there are.
        centers: usize,
        /// How many radii there are.
        radii: usize,
    },
    /// A polyhedron needs four points.
    #[error("expected at least 4 points, found {0}")]
    TooFew(usize),
    /// All points lie in a plane, or nearly.
    #[error("expected points that span a volume, found them in a plane")]
    Flat,
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle}: expected a vertex below {count}, found {vertex}")]
    OutOfRange {
        /// The number of the triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A triangle has no area.
    #[error("triangle {0}: expected an area, found none")]
    NoArea(usize),
}

/// A rigid body in its own frame: balls, a convex polyhedron, a triangle mesh, or several convex pieces.
///
/// ```
/// use glam::DVec3;
/// use steric_world::dock::{Solid, SolidError};
///
/// let cube = Solid::cuboid(DVec3::splat(1.0))?;
/// assert!((cube.mass().mass - 8.0).abs() < 1e-12);
/// assert_eq!(Solid::convex(&[DVec3::ZERO, DVec3::X, DVec3::Y]).unwrap_err(), SolidError::TooFew(3));
/// # Ok::<(), SolidError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solid {
    pub(super) parts: Vec<Part>,
    tree: Bvh,
    mass: Mass,
    reach: f64,
    gyration: f64,
    /// A ball around everything.
    around: DVec3,
    width: f64,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    is_closed: bool,
}

impl Solid {
    /// Mass at a density of one, its centre, and inertia.
    pub fn mass(&self) -> &Mass {
        &self.mass
    }

    /// The centre of mass, in the body's frame.
    pub fn middle(&self) -> DVec3 {
        self.mass.center
    }

    /// How far its surface is from its middle at most.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// How far its mass is from an axis through its middle, about: what a turn is weighed against a shift by.
    pub fn gyration(&self) -> f64 {
        self.gyration
    }

    /// Its balls: centres in the body's frame, and radii.
    pub fn balls(&self) -> impl Iterator<Item = (DVec3, f64)> {
        self.parts.iter().filter(|part| part.radius > 0.0).map(|part| (part.center, part.radius))
    }

    /// The vertices of its surface, in the body's frame; none for balls.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles of its surface, by their vertices; around the outside of a polyhedron, as they were given for a mesh.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// How many pieces it has: balls, polyhedra or triangles. A contact names them by their numbers.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Whether it has an inside: only an open mesh has none.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The pieces that may come as near as this to a point of the body's frame, in order of their numbers.
    fn near(&self, center: DVec3, reach: f64, mut each: impl FnMut(usize)) {
        if let [part] = self.parts.as_slice() {
            if part.center.distance(center) <= reach + part.reach {
                each(0);
            }
            return;
        }
        let corner = |sign: f64| Vector::new(center.x + sign * reach, center.y + sign * reach, center.z + sign * reach);
        let query = Aabb::new(corner(-1.0), corner(1.0));
        let mut found: Vec<u32> = self.tree.intersect_aabb(&query).collect();
        found.sort_unstable();
        for number in found {
            let part = &self.parts[number as usize];
            if part.center.distance(center) <= reach + part.reach {
                each(number as usize);
            }
        }
    }

    /// Where this solid at a pose touches another at another, or nearly does: all places nearer than `within`, or that overlap by more than `allow`,
    /// the deepest first. Normals point from the other one to this one. Two faces touch at the corners of what they share.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::Pose;
    /// use steric_world::dock::Solid;
    ///
    /// let cube = Solid::cuboid(DVec3::splat(1.0))?;
    /// let above = Pose::from_translation(DVec3::new(0.5, 0.0, 2.01));
    /// let contacts = cube.contacts(&above, &cube, &Pose::IDENTITY, 0.0, 0.1);
    /// assert_eq!(contacts.len(), 4);
    /// assert!(contacts.iter().all(|contact| contact.normal == DVec3::Z && (contact.gap - 0.01).abs() < 1e-9));
    /// # Ok::<(), steric_world::dock::SolidError>(())
    /// ```
    pub fn contacts(&self, pose: &Pose, other: &Self, other_pose: &Pose, allow: f64, within: f64) -> Vec<Contact> {
        self.contacts_with([pose, other_pose], other, [allow, within], false)
    }

    /// The same, with those too that a neighbour answers for.
    fn contacts_with(&self, poses: [&Pose; 2], other: &Self, near: [f64; 2], all_too: bool) -> Vec<Contact> {
        let ([pose, other_pose], [allow, within]) = (poses, near);
        let is_far = |pose: &Pose| !pose.translation.is_finite() || !pose.rotation.is_finite();
        let (mut all, mut answered) = (Vec::new(), Vec::new());
        if is_far(pose) || is_far(other_pose) {
            return all;
        }
        let other_from_world = other_pose.inverse();
        for (ball, part) in (0u32..).zip(&self.parts) {
            let center = other_from_world * (*pose * part.center);
            let reach = part.reach + within - allow;
            let mut placed = None;
            other.near(center, reach, |number| {
                let (one, stays) =
                    (placed.get_or_insert_with(|| part.placed(pose)), other.parts[number].placed(other_pose));
                let apart = separation(one, &stays);
                let normal = apart.normal;
                if apart.gap + allow > within {
                    return;
                }
                let list = if is_answered(one, &stays, &apart) { &mut answered } else { &mut all };
                let sphere = number as u32;
                let contact = |(point, gap)| Contact { ball, sphere, point, normal, gap: gap + allow };
                list.extend(places(one, &stays, &apart, within - allow).into_iter().map(contact));
            });
        }
        // Triangles deep inside may each leave it to another; then all of them answer.
        let is_deep = |contact: &Contact| contact.gap - allow < -DEEP;
        if all_too || (answered.iter().any(is_deep) && !all.iter().any(is_deep)) {
            all.append(&mut answered);
        }
        sort(&mut all);
        all
    }
}

/// The deepest first, then by the numbers of the pieces.
pub(super) fn sort(contacts: &mut [Contact]) {
    contacts.sort_by(|one, other| {
        one.gap.total_cmp(&other.gap).then((one.ball, one.sphere).cmp(&(other.ball, other.sphere)))
    });
}
