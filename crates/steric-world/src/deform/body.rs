//! A soft body, or several of them in one system of arrays.
//!
//! How it works: everything that a step needs is laid out once, when a body is made or when bodies are joined. Bodies that are joined stay apart but share their arrays, so that one solve moves
//! them all; a [`Part`] says which numbers are whose.

use std::ops::Range;

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use super::adjacency::Adjacency;
use super::coarse::Coarse;
use super::element::Element;
use super::error::DeformError;
use super::material::Material;
use super::matrix::{Matrix, Pattern, ROWS};
use super::mesh::{check_materials, check_points, signed_volume, surface_of};
use super::solve::Scratch;

/// How a body is stepped.
///
/// ```
/// use steric_world::deform::SoftOptions;
///
/// let weightless = SoftOptions { gravity: glam::DVec3::ZERO, ..SoftOptions::default() };
/// assert_eq!(weightless.tolerance, 1e-4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftOptions {
    /// In metres per second squared.
    pub gravity: DVec3,
    /// What is left of the system of a step, as a part of the momenta and impulses in it.
    pub tolerance: f64,
    /// A step takes what it has after so many iterations.
    pub most_iterations: usize,
    /// A velocity that counts as nothing, in metres per second: the tolerance is of momenta, impulses, and this.
    pub still: f64,
}

impl Default for SoftOptions {
    /// On Earth, along -z; a ten-thousandth; 500 iterations.
    ///
    /// ```
    /// assert_eq!(steric_world::deform::SoftOptions::default().gravity.z, -9.81);
    /// ```
    fn default() -> Self {
        Self { gravity: DVec3::new(0.0, 0.0, -9.81), tolerance: 1e-4, most_iterations: 500, still: 0.0 }
    }
}

/// The energies of a body, in joules.
///
/// ```
/// use steric_world::deform::Energy;
///
/// assert_eq!(Energy { kinetic: 1.0, elastic: 2.0, gravity: -4.0 }.total(), -1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of strain.
    pub elastic: f64,
    /// Of height: minus mass times gravity times place.
    pub gravity: f64,
}

impl Energy {
    /// All three.
    ///
    /// ```
    /// assert_eq!(steric_world::deform::Energy::default().total(), 0.0);
    /// ```
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// The numbers of one of the bodies that were joined.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::{Material, SoftBody};
///
/// let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let one = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
/// let both = SoftBody::join([one.clone(), one]);
/// assert_eq!(both.parts()[1].points, 4..8);
/// # Ok::<(), steric_world::deform::DeformError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its points.
    pub points: Range<usize>,
    /// Its tetrahedra.
    pub tetrahedra: Range<usize>,
    /// Its triangles in the surface.
    pub surface: Range<usize>,
}

/// One or more bodies of linear tetrahedra.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::{Material, SoftBody};
///
/// let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
/// (0..3).for_each(|point| body.hold(point));
/// let weight = body.masses()[3] * 9.81;
/// for _ in 0..600 {
///     body.step(1.0 / 60.0, &[], &[]);
/// }
/// let pull = body.elastic_forces()[3];
/// assert!(body.positions[3].z < 1.0 && (pull.z - weight).abs() < 0.01 * weight);
/// # Ok::<(), steric_world::deform::DeformError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SoftBody {
    /// Where each point is, in metres.
    pub positions: Vec<DVec3>,
    /// How fast each point moves, in metres per second.
    pub velocities: Vec<DVec3>,
    /// How steps are done.
    pub options: SoftOptions,
    rest: Vec<DVec3>,
    tetrahedra: Vec<[u32; 4]>,
    surface: Vec<[u32; 3]>,
    surface_edges: Vec<[u32; 2]>,
    parts: Vec<Part>,
    masses: Vec<f64>,
    adjacency: Adjacency,
    pub(super) pieces: Vec<u32>,
    /// Where held points will be at the end of the next step.
    pub(super) held: Vec<Option<DVec3>>,
    pub(super) elements: Vec<Element>,
    pub(super) rotations: Vec<DQuat>,
    /// Where the uses of each point by elements begin, and where the last ones end.
    uses_from: Vec<u32>,
    /// An element times 4, and which of its corners.
    uses: Vec<u32>,
    pub(super) matrix: Matrix,
    /// Made anew when other points are held.
    pub(super) coarse: Option<Coarse>,
    pub(super) scratch: Scratch,
}

impl SoftBody {
    /// A body at rest: points in metres, tetrahedra whose volume is above 0, the region of each (none: all in region 0), and the material of each region.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::deform::{Material, SoftBody};
    ///
    /// let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE];
    /// let bone = Material { young: 1e9, density: 1900.0, ..Material::default() };
    /// let body = SoftBody::new(points, vec![[0, 1, 2, 3], [1, 2, 3, 4]], &[0, 1], &[bone, Material::default()])?;
    /// assert_eq!(body.surface().len(), 6);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn new(
        points: Vec<DVec3>,
        tetrahedra: Vec<[u32; 4]>,
        regions: &[u32],
        materials: &[Material],
    ) -> Result<Self, DeformError> {
        check_points(&points, &tetrahedra)?;
        check_materials(tetrahedra.len(), regions, materials)?;
        let surface = surface_of(&tetrahedra)?;
        let material = |element: usize| &materials[regions.get(element).map_or(0, |&region| region as usize)];
        let elements: Vec<Element> = tetrahedra
            .iter()
            .enumerate()
            .map(|(element, &corners)| Element::new(corners, &points, material(element)))
            .collect();
        let part = Part { points: 0..points.len(), tetrahedra: 0..tetrahedra.len(), surface: 0..surface.len() };
        Ok(Self::laid_out(points, elements, surface, vec![part]))
    }

    fn laid_out(rest: Vec<DVec3>, elements: Vec<Element>, surface: Vec<[u32; 3]>, parts: Vec<Part>) -> Self {
        let tetrahedra: Vec<[u32; 4]> = elements.iter().map(|element| element.corners).collect();
        let adjacency = Adjacency::of(rest.len(), &tetrahedra);
        let (uses_from, uses) = uses_of(rest.len(), &tetrahedra);
        let mut masses = vec![0.0; rest.len()];
        for element in &elements {
            for corner in element.corners {
                masses[corner as usize] += 0.25 * element.density * element.volume;
            }
        }
        Self {
            positions: rest.clone(),
            velocities: vec![DVec3::ZERO; rest.len()],
            options: SoftOptions::default(),
            held: vec![None; rest.len()],
            rotations: vec![DQuat::IDENTITY; elements.len()],
            matrix: Matrix::new(Pattern::new(&adjacency, &tetrahedra)),
            coarse: None,
            scratch: Scratch::default(),
            pieces: adjacency.pieces(),
            rest,
            tetrahedra,
            surface_edges: edges_of(&surface),
            surface,
            parts,
            masses,
            adjacency,
            elements,
            uses_from,
            uses,
        }
    }

    /// All of several bodies in one, in their order, as they are and as they move; with the options of the first.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::deform::{Material, SoftBody};
    ///
    /// let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let one = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// let mut other = one.clone();
    /// other.positions.iter_mut().for_each(|at| at.x += 5.0);
    /// let both = SoftBody::join([one, other]);
    /// assert_eq!((both.tetrahedra()[1], both.positions[4].x), ([4, 5, 6, 7], 5.0));
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn join(bodies: impl IntoIterator<Item = Self>) -> Self {
        let bodies: Vec<Self> = bodies.into_iter().collect();
        let (mut rest, mut elements, mut surface, mut parts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for body in &bodies {
            let (points, tetrahedra, triangles) = (rest.len(), elements.len(), surface.len());
            let moved = |range: &Range<usize>, by: usize| range.start + by..range.end + by;
            parts.extend(body.parts.iter().map(|part| Part {
                points: moved(&part.points, points),
                tetrahedra: moved(&part.tetrahedra, tetrahedra),
                surface: moved(&part.surface, triangles),
            }));
            rest.extend_from_slice(&body.rest);
            elements.extend(body.elements.iter().map(|element| element.shifted(points as u32)));
            surface.extend(body.surface.iter().map(|face| face.map(|corner| corner + points as u32)));
        }
        let mut joined = Self::laid_out(rest, elements, surface, parts);
        joined.options = bodies.first().map_or_else(SoftOptions::default, |body| body.options);
        joined.positions = bodies.iter().flat_map(|body| body.positions.iter().copied()).collect();
        joined.velocities = bodies.iter().flat_map(|body| body.velocities.iter().copied()).collect();
        joined.held = bodies.iter().flat_map(|body| body.held.iter().copied()).collect();
        joined.rotations = bodies.iter().flat_map(|body| body.rotations.iter().copied()).collect();
        joined
    }

    /// Where each point is when no force acts, in metres.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// assert_eq!(body.rest(), body.positions);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn rest(&self) -> &[DVec3] {
        &self.rest
    }

    /// The corners of each tetrahedron.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// assert_eq!(body.tetrahedra(), [[0, 1, 2, 3]]);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn tetrahedra(&self) -> &[[u32; 4]] {
        &self.tetrahedra
    }

    /// The triangles that belong to one tetrahedron only, counterclockwise from outside, in the order of the tetrahedra.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// assert_eq!(body.surface(), [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn surface(&self) -> &[[u32; 3]] {
        &self.surface
    }

    /// The edges of the surface, each once with its smaller point first, in increasing order.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// assert_eq!(body.surface_edges(), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn surface_edges(&self) -> &[[u32; 2]] {
        &self.surface_edges
    }

    /// What resists a motion of each point alone, in newtons per metre: the mean over directions.
    pub(super) fn stiffnesses(&self) -> Vec<f64> {
        let mut stiffnesses = vec![0.0; self.rest.len()];
        for element in &self.elements {
            for (corner, gradient) in element.corners.into_iter().zip(element.gradients()) {
                stiffnesses[corner as usize] += element.mean_stiffness(gradient);
            }
        }
        stiffnesses
    }

    /// The mean of the smallest heights of tetrahedra, of the body where that is smallest, in metres.
    pub(super) fn thinnest(&self) -> f64 {
        let height = |element: &Element| {
            let steepest = element.gradients().map(DVec3::length).into_iter().fold(0.0, f64::max);
            1.0 / steepest
        };
        let of_part = |part: &Part| {
            let heights = self.elements[part.tetrahedra.clone()].iter().map(height);
            heights.sum::<f64>() / part.tetrahedra.len() as f64
        };
        self.parts.iter().map(of_part).fold(f64::INFINITY, f64::min)
    }

    /// The bodies that were joined, in their order.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// assert_eq!(body.parts()[0].surface, 0..4);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The mass of each point, in kilograms: a quarter of every tetrahedron around it.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// assert!((body.masses()[0] - 1000.0 / 24.0).abs() < 1e-9);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Which points are joined by an edge.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// assert_eq!(body.adjacency().neighbours(3), [0, 1, 2]);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn adjacency(&self) -> &Adjacency {
        &self.adjacency
    }

    /// Holds a point where it is, whatever pulls at it.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// body.hold(0);
    /// body.step(0.01, &[], &[]);
    /// assert!(body.positions[0].z == 0.0 && body.positions[3].z < 1.0);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn hold(&mut self, point: usize) {
        self.lead(point, self.positions[point]);
    }

    /// Leads a point to a place, which it reaches at the end of the next step and where it is held until it is led on: called before every step, this prescribes a motion.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// for step in 1..=10 {
    ///     body.lead(0, DVec3::X * (0.02 * step as f64).sin());
    ///     body.step(0.02, &[], &[]);
    /// }
    /// assert_eq!(body.positions[0].x, 0.2_f64.sin());
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn lead(&mut self, point: usize, to: DVec3) {
        if self.held[point].replace(to).is_none() {
            self.coarse = None;
        }
    }

    /// Lets a held point go.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// body.hold(2);
    /// body.release(2);
    /// assert!(!body.is_held(2));
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn release(&mut self, point: usize) {
        if self.held[point].take().is_some() {
            self.coarse = None;
        }
    }

    /// Whether a point is held or led.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// body.hold(2);
    /// assert!(body.is_held(2) && !body.is_held(1));
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn is_held(&self, point: usize) -> bool {
        self.held[point].is_some()
    }

    /// The elastic force on each point as it stands, in newtons.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// body.positions[3].z = 1.1;
    /// assert!(body.elastic_forces()[3].z < 0.0);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn elastic_forces(&self) -> Vec<DVec3> {
        let of_elements: Vec<[DVec3; 4]> = self
            .elements
            .par_iter()
            .zip(&self.rotations)
            .map(|(element, &last)| element.forces(&self.positions, element.turn_to(&self.positions, last)))
            .collect();
        self.gathered(&of_elements)
    }

    /// The sum over the elements around each point, in their order.
    pub(super) fn gathered(&self, of_elements: &[[DVec3; 4]]) -> Vec<DVec3> {
        let gather = |point: usize| {
            let uses = &self.uses[self.uses_from[point] as usize..self.uses_from[point + 1] as usize];
            uses.iter().map(|&place| of_elements[place as usize / 4][place as usize % 4]).sum()
        };
        (0..self.positions.len()).into_par_iter().with_min_len(ROWS).map(gather).collect()
    }

    /// The energies as it stands.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// assert!(body.energy().elastic.abs() < 1e-20);
    /// body.positions[3].z = 1.1;
    /// assert!(body.energy().elastic > 0.0);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn energy(&self) -> Energy {
        let of_elements: Vec<f64> = self
            .elements
            .par_iter()
            .zip(&self.rotations)
            .map(|(element, &last)| element.energy(&self.positions, element.turn_to(&self.positions, last)))
            .collect();
        let moving =
            self.masses.iter().zip(&self.velocities).map(|(mass, velocity)| 0.5 * mass * velocity.length_squared());
        let heights = self.masses.iter().zip(&self.positions).map(|(mass, at)| -mass * self.options.gravity.dot(*at));
        Energy { kinetic: moving.sum(), elastic: of_elements.into_iter().sum(), gravity: heights.sum() }
    }

    /// The sum of mass times velocity, in newton seconds.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// body.velocities.fill(DVec3::X);
    /// assert!((body.momentum().x - 1000.0 / 6.0).abs() < 1e-9);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn momentum(&self) -> DVec3 {
        self.masses.iter().zip(&self.velocities).map(|(mass, velocity)| *mass * *velocity).sum()
    }

    /// The volume as it stands, in cubic metres; what is inside out counts as less than nothing.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// body.positions[3].z = 2.0;
    /// assert!((body.volume() - 2.0 / 6.0).abs() < 1e-12);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn volume(&self) -> f64 {
        self.tetrahedra.iter().map(|corners| signed_volume(corners.map(|corner| self.positions[corner as usize]))).sum()
    }
}

fn edges_of(surface: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let of_face = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let mut edges: Vec<[u32; 2]> = surface.iter().flat_map(of_face).filter(|[a, b]| a < b).collect();
    edges.sort_unstable();
    edges
}

fn uses_of(points: usize, tetrahedra: &[[u32; 4]]) -> (Vec<u32>, Vec<u32>) {
    let mut uses: Vec<[u32; 2]> =
        tetrahedra.iter().flatten().zip(0..).map(|(&corner, place)| [corner, place]).collect();
    uses.sort_unstable();
    let starts = (0..=points).map(|point| uses.partition_point(|used| (used[0] as usize) < point) as u32).collect();
    (starts, uses.into_iter().map(|used| used[1]).collect())
}
