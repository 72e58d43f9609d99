//! Contacts between points in the system of a step.
//!
//! How it works: a contact looks at one velocity, the sum of those of its points with weights: of a point against the place in a tetrahedron that it lies at, the weights are 1 and minus the four barycentric
//! coordinates. Its force changes with that velocity, along the normal by stiffness and damping and across it by grip, and acts on the points by the same weights. So it adds `w wᵀ` times one block to
//! the matrix, which couples all its points, and what it gives to one side it takes from the other: momentum is kept to the last bit of the solve, however stiff it is.

use glam::{DMat3, DVec3, Mat3A, Vec3A};
use rayon::prelude::*;

/// At most so many points share in a contact: an edge and the corners of two triangles.
const MOST_POINTS: usize = 8;
/// Contacts that one task handles.
const CONTACTS: usize = 512;

/// How the force of a contact changes during a step. With `u` the weighted sum of the velocities at the end of the step, it is `force - (h stiffness + damping) n·u` along the normal and `-grip` times
/// what `u` has across it. A point feels it times its weight.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::{Contact, Material, SoftBody};
///
/// let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
/// // A floor at height 0 that is far too stiff for a step of a sixtieth of a second.
/// let stiffness = 1e9;
/// for _ in 0..120 {
///     let below = (0..4).filter(|&point| body.positions[point].z <= 0.0);
///     let pressed = |point: usize| {
///         let force = -stiffness * body.positions[point].z;
///         Contact::new(&[(point as u32, 1.0)], DVec3::Z).pressing(force, stiffness, 0.0)
///     };
///     let contacts: Vec<Contact> = below.map(pressed).collect();
///     body.step(1.0 / 60.0, &[], &contacts);
/// }
/// assert!(body.positions.iter().all(|at| at.z > -0.01));
/// # Ok::<(), steric_world::deform::DeformError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    points: [(u32, f32); MOST_POINTS],
    count: u8,
    /// The direction of the force, of length 1.
    pub normal: DVec3,
    /// At the beginning of the step, in newtons.
    pub force: f64,
    /// In newtons per metre.
    pub stiffness: f64,
    /// In newton seconds per metre.
    pub damping: f64,
    /// Across the normal, in newton seconds per metre.
    pub grip: f64,
}

impl Contact {
    /// Of at most eight points with their weights, without a force yet.
    ///
    /// ```
    /// use steric_world::deform::Contact;
    ///
    /// let contact = Contact::new(&[(7, 1.0), (2, -0.5), (3, -0.5)], glam::DVec3::Z);
    /// assert_eq!(contact.points().len(), 3);
    /// ```
    pub fn new(points: &[(u32, f64)], normal: DVec3) -> Self {
        assert!(points.len() <= MOST_POINTS, "at most eight points share in a contact");
        let mut contact = Self {
            points: [(0, 0.0); MOST_POINTS],
            count: points.len() as u8,
            normal,
            force: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            grip: 0.0,
        };
        for (place, &(point, weight)) in contact.points.iter_mut().zip(points) {
            *place = (point, weight as f32);
        }
        contact
    }

    /// With a force, a stiffness and a damping along its normal.
    ///
    /// ```
    /// # use steric_world::deform::Contact;
    /// assert_eq!(Contact::new(&[(0, 1.0)], glam::DVec3::X).pressing(2.0, 100.0, 0.5).stiffness, 100.0);
    /// ```
    pub fn pressing(self, force: f64, stiffness: f64, damping: f64) -> Self {
        Self { force, stiffness, damping, ..self }
    }

    /// The points and the weight of each.
    ///
    /// ```
    /// # use steric_world::deform::Contact;
    /// assert_eq!(Contact::new(&[(4, 1.0)], glam::DVec3::X).points(), [(4, 1.0)]);
    /// ```
    pub fn points(&self) -> &[(u32, f32)] {
        &self.points[..usize::from(self.count)]
    }

    /// The weighted sum of velocities, in metres per second.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::Contact};
    /// let contact = Contact::new(&[(0, 1.0), (1, -1.0)], DVec3::X);
    /// assert_eq!(contact.velocity(&[DVec3::X, DVec3::NEG_X]), DVec3::X * 2.0);
    /// ```
    pub fn velocity(&self, velocities: &[DVec3]) -> DVec3 {
        self.points().iter().map(|&(point, weight)| f64::from(weight) * velocities[point as usize]).sum()
    }
}

/// The contacts of one step, as rows of the matrix use them.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    /// What each does to its weighted velocity.
    blocks: Vec<(DMat3, Mat3A)>,
    /// Where the points of each begin, and where the last ones end.
    starts: Vec<u32>,
    points: Vec<(u32, f32)>,
    /// Where the uses of each point begin, and where the last ones end.
    uses_from: Vec<u32>,
    /// Contact and weight.
    uses: Vec<(u32, f32)>,
}

impl Contacts {
    /// For a system in units of `1 / unit` kilograms and a step of `h` seconds.
    pub(super) fn new(contacts: &[Contact], points: usize, h: f64, unit: f64) -> Self {
        let mut made = Self { starts: vec![0], uses_from: vec![0; points + 1], ..Self::default() };
        for contact in contacts {
            let across = DMat3::IDENTITY - outer(contact.normal);
            let along = h * contact.stiffness + contact.damping;
            let block = (outer(contact.normal) * along + across * contact.grip) * (unit * h);
            made.blocks.push((block, small(&block)));
            made.points.extend_from_slice(contact.points());
            made.starts.push(made.points.len() as u32);
            contact.points().iter().for_each(|(point, _)| made.uses_from[*point as usize + 1] += 1);
        }
        (1..=points).for_each(|at| made.uses_from[at] += made.uses_from[at - 1]);
        let mut next = made.uses_from.clone();
        made.uses = vec![(0, 0.0); made.points.len()];
        for contact in 0..made.blocks.len() {
            for &(point, weight) in points_of(&made.starts, &made.points, contact) {
                made.uses[next[point as usize] as usize] = (contact as u32, weight);
                next[point as usize] += 1;
            }
        }
        made
    }

    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn points_of(&self, contact: usize) -> &[(u32, f32)] {
        points_of(&self.starts, &self.points, contact)
    }

    /// A third of the trace of what a contact does.
    pub(super) fn mean_block(&self, contact: usize) -> f64 {
        let block = &self.blocks[contact].0;
        (block.x_axis.x + block.y_axis.y + block.z_axis.z) / 3.0
    }

    fn uses(&self, point: usize) -> &[(u32, f32)] {
        &self.uses[self.uses_from[point] as usize..self.uses_from[point + 1] as usize]
    }

    /// What contacts add to the block of a point on the diagonal.
    pub(super) fn diagonal(&self, point: usize) -> DMat3 {
        let share = |&(contact, weight): &(u32, f32)| self.blocks[contact as usize].0 * f64::from(weight * weight);
        self.uses(point).iter().map(share).fold(DMat3::ZERO, |sum, share| sum + share)
    }

    /// What each contact does with these velocities.
    pub(super) fn forces(&self, vector: &[Vec3A], forces: &mut Vec<Vec3A>) {
        let force = |contact: usize| {
            let points = points_of(&self.starts, &self.points, contact);
            let velocity: Vec3A = points.iter().map(|&(point, weight)| vector[point as usize] * weight).sum();
            self.blocks[contact].1 * velocity
        };
        forces.resize(self.len(), Vec3A::ZERO);
        forces.par_chunks_mut(CONTACTS).enumerate().for_each(|(chunk, forces)| {
            forces.iter_mut().zip(CONTACTS * chunk..).for_each(|(to, contact)| *to = force(contact));
        });
    }

    /// The same in `f64`.
    pub(super) fn exact_forces(&self, vector: &[DVec3]) -> Vec<DVec3> {
        let force = |contact: usize| {
            let points = self.points_of(contact).iter();
            let velocity: DVec3 = points.map(|&(point, weight)| vector[point as usize] * f64::from(weight)).sum();
            self.blocks[contact].0 * velocity
        };
        (0..self.len()).map(force).collect()
    }

    /// The part of a row that contacts make, of the forces that they exert.
    pub(super) fn row(&self, point: usize, forces: &[Vec3A]) -> Vec3A {
        self.uses(point).iter().map(|&(contact, weight)| forces[contact as usize] * weight).sum()
    }

    /// The same in `f64`.
    pub(super) fn exact_row(&self, point: usize, forces: &[DVec3]) -> DVec3 {
        self.uses(point).iter().map(|&(contact, weight)| forces[contact as usize] * f64::from(weight)).sum()
    }
}

fn points_of<'a>(starts: &[u32], points: &'a [(u32, f32)], contact: usize) -> &'a [(u32, f32)] {
    &points[starts[contact] as usize..starts[contact + 1] as usize]
}

fn outer(normal: DVec3) -> DMat3 {
    DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z)
}

fn small(block: &DMat3) -> Mat3A {
    Mat3A::from_cols(block.x_axis.as_vec3a(), block.y_axis.as_vec3a(), block.z_axis.as_vec3a())
}
