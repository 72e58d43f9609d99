//! The scene that shows it all: dice and a molecule, thrown into a bowl.

use glam::DVec3;
use steric_model::{Pose, Random};

use super::{Tumble, Tumbler};
use crate::dock::solid::{Solid, SolidError};

/// The bowl's rings, by radius and height, in angstroms: a flat floor, a slope, and a rim that nothing jumps over.
const RINGS: [(f64, f64); 5] = [(6.0, 0.0), (9.0, 1.0), (12.0, 4.0), (14.0, 9.0), (15.0, 30.0)];
const SIDES: u32 = 24;
/// What the dice weigh down with, in angstroms per second squared.
const GRAVITY: f64 = 100.0;

/// A bowl as a mesh of triangles, open at the top.
fn bowl() -> Result<Solid, SolidError> {
    let mut vertices = vec![DVec3::ZERO];
    for (radius, height) in RINGS {
        vertices.extend((0..SIDES).map(|side| {
            let angle = std::f64::consts::TAU * f64::from(side) / f64::from(SIDES);
            DVec3::new(radius * angle.cos(), radius * angle.sin(), height)
        }));
    }
    let at = |ring: u32, side: u32| 1 + ring * SIDES + side % SIDES;
    let mut triangles: Vec<[u32; 3]> = (0..SIDES).map(|side| [0, at(0, side), at(0, side + 1)]).collect();
    for ring in 1..RINGS.len() as u32 {
        for side in 0..SIDES {
            let [a, b] = [side, side + 1].map(|side| at(ring - 1, side));
            let [c, d] = [side, side + 1].map(|side| at(ring, side));
            triangles.extend([[a, c, d], [a, d, b]]);
        }
    }
    Solid::mesh(&vertices, &triangles)
}

/// Benzene: six carbons 1.39 angstroms from the middle and six hydrogens at 2.48, with their radii of van der Waals (Bondi).
fn benzene() -> Result<Solid, SolidError> {
    let ring = |radius: f64| {
        (0..6).map(move |number| {
            let angle = std::f64::consts::FRAC_PI_3 * f64::from(number);
            DVec3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
        })
    };
    let centers: Vec<DVec3> = ring(1.39).chain(ring(2.48)).collect();
    Solid::balls_at(&centers, &[[1.7; 6], [1.2; 6]].concat())
}

impl Tumble {
    /// The five regular solids and a molecule of benzene, thrown into a bowl. Body 0 is the bowl; the others follow by their number of faces, the
    /// molecule last. The same seed throws them alike.
    ///
    /// ```
    /// use steric_world::dock::Tumble;
    ///
    /// let mut dice = Tumble::dice(1)?;
    /// let before = dice.energy();
    /// dice.step(0.05);
    /// assert_eq!(dice.bodies().len(), 7);
    /// assert!(dice.energy() <= before + 1e-9 * before.abs());
    /// # Ok::<(), steric_world::dock::SolidError>(())
    /// ```
    pub fn dice(seed: u64) -> Result<Self, SolidError> {
        let thrown = [
            Solid::tetrahedron(2.4)?,
            Solid::cuboid(DVec3::splat(1.3))?,
            Solid::octahedron(2.2)?,
            Solid::dodecahedron(2.0)?,
            Solid::icosahedron(2.0)?,
            benzene()?,
        ];
        let mut random = Random::of(seed, 7);
        let mut bodies = vec![Tumbler::fixed(bowl()?, Pose::IDENTITY).made_of(0.4, 0.5)];
        for (number, solid) in (0u32..).zip(thrown) {
            // Two layers of three, too far apart to overlap however they are turned.
            let angle = std::f64::consts::TAU * (f64::from(number % 3) / 3.0 + 0.1 * random.unit());
            let height = 8.0 + 7.0 * f64::from(number / 3);
            let translation = DVec3::new(4.5 * angle.cos(), 4.5 * angle.sin(), height);
            let pose = Pose { rotation: random.rotation(), translation };
            let velocity = random.direction() * (10.0 * random.unit());
            let spin = random.direction() * (6.0 * random.unit());
            bodies.push(Tumbler::new(solid, pose).moving(velocity, spin).made_of(0.4, 0.5));
        }
        Ok(Self::new(bodies).with_gravity(DVec3::NEG_Z * GRAVITY))
    }
}
