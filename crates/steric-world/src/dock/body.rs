//! What is moved: balls in a frame of their own.

use glam::DVec3;
use steric_model::Pose;

/// Balls that move together.
///
/// ```
/// use glam::DVec3;
/// use steric_world::dock::Body;
///
/// let body = Body::new(vec![DVec3::ZERO, DVec3::X * 2.0], vec![1.7, 1.7]);
/// assert_eq!(body.middle(), DVec3::X);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    centers: Vec<DVec3>,
    radii: Vec<f64>,
    middle: DVec3,
    gyration: f64,
    reach: f64,
}

impl Body {
    /// Balls by their centres and radii.
    pub fn new(centers: Vec<DVec3>, radii: Vec<f64>) -> Self {
        assert_eq!(centers.len(), radii.len(), "a radius for each centre");
        let mut body = Self { centers, radii, middle: DVec3::ZERO, gyration: 1.0, reach: 0.0 };
        body.measure();
        body
    }

    fn measure(&mut self) {
        let count = self.centers.len().max(1) as f64;
        self.middle = self.centers.iter().sum::<DVec3>() / count;
        let spread = self.centers.iter().map(|center| center.distance_squared(self.middle)).sum::<f64>() / count;
        // A single ball turns as its surface does.
        let largest = self.radii.iter().copied().fold(0.1, f64::max);
        self.gyration = (spread + 0.4 * largest * largest).sqrt();
        let surface = |(center, radius): (&DVec3, &f64)| center.distance(self.middle) + radius;
        self.reach = self.centers.iter().zip(&self.radii).map(surface).fold(0.0, f64::max);
    }

    /// The same balls elsewhere in their frame, as a torsion puts them.
    pub fn set_centers(&mut self, centers: Vec<DVec3>) {
        if centers.len() == self.centers.len() {
            self.centers = centers;
            self.measure();
        }
    }

    /// The same balls with other radii.
    pub fn set_radii(&mut self, radii: Vec<f64>) {
        if radii.len() == self.radii.len() {
            self.radii = radii;
            self.measure();
        }
    }

    /// Centres in the body's frame.
    pub fn centers(&self) -> &[DVec3] {
        &self.centers
    }

    /// Radii.
    pub fn radii(&self) -> &[f64] {
        &self.radii
    }

    /// The mean of all centres.
    pub fn middle(&self) -> DVec3 {
        self.middle
    }

    /// How far its balls are from its middle, about: what a turn is weighed against a shift by.
    pub fn gyration(&self) -> f64 {
        self.gyration
    }

    /// How far its surface is from its middle at most.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Centres where a pose puts them.
    pub fn placed(&self, pose: &Pose) -> Vec<DVec3> {
        self.centers.iter().map(|&center| *pose * center).collect()
    }
}
