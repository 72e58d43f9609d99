//! What a body is made of: an isotropic elastic solid with a viscosity.

/// An isotropic material, linear in the strain of the turned-back element.
///
/// ```
/// use steric_world::deform::Material;
///
/// let fat = Material { young: 3e3, poisson: 0.45, ..Material::default() };
/// assert!(fat.flaw().is_none());
/// let (lambda, mu) = fat.lame();
/// assert!((mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu) - fat.young).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus, in pascals: the stress that would double a thread's length.
    pub young: f64,
    /// Poisson's ratio, above -1 and below 0.5: how much thinner a thread gets for each part by which it gets longer.
    pub poisson: f64,
    /// In kilograms per cubic metre.
    pub density: f64,
    /// In seconds: the viscous stress is this times the elastic stress of the rate of strain (Kelvin and Voigt). A body's own motion as a whole is not damped.
    pub damping: f64,
}

impl Default for Material {
    /// Soft tissue: 50 kPa, 0.4, 1000 kg/m³, 10 ms.
    ///
    /// ```
    /// assert_eq!(steric_world::deform::Material::default().density, 1000.0);
    /// ```
    fn default() -> Self {
        Self { young: 5e4, poisson: 0.4, density: 1000.0, damping: 0.01 }
    }
}

impl Material {
    /// Lamé's two numbers, in pascals: λ and μ.
    ///
    /// ```
    /// use steric_world::deform::Material;
    ///
    /// assert_eq!(Material { young: 2.0, poisson: 0.0, ..Material::default() }.lame(), (0.0, 1.0));
    /// ```
    pub fn lame(&self) -> (f64, f64) {
        let mu = self.young / (2.0 * (1.0 + self.poisson));
        (self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson)), mu)
    }

    /// What was expected of the first number that no material can have, and that number.
    ///
    /// ```
    /// use steric_world::deform::Material;
    ///
    /// let rubber = Material { poisson: 0.5, ..Material::default() };
    /// assert_eq!(rubber.flaw().map(|(_, found)| found), Some(0.5));
    /// ```
    pub fn flaw(&self) -> Option<(&'static str, f64)> {
        let is_positive = |number: f64| number > 0.0 && number.is_finite();
        if !is_positive(self.young) {
            return Some(("a Young's modulus above 0", self.young));
        }
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return Some(("a Poisson's ratio above -1 and below 0.5", self.poisson));
        }
        if !is_positive(self.density) {
            return Some(("a density above 0", self.density));
        }
        let is_damping = self.damping >= 0.0 && self.damping.is_finite();
        (!is_damping).then_some(("a damping of 0 or more", self.damping))
    }
}
