//! SplitMix64: the same numbers on every machine, in eight lines.

use glam::{DQuat, DVec3};

/// A stream of random numbers from a seed (Steele, Lea and Flood 2014).
///
/// ```
/// use steric_model::Random;
///
/// let mut random = Random::new(7);
/// assert!((0.0..1.0).contains(&random.unit()));
/// assert_eq!(Random::new(7).next_u64(), Random::new(7).next_u64());
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform from 0 up to, not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A point inside the unit disc, uniform, never its centre, with its squared distance from the centre.
    pub fn in_disc(&mut self) -> (f64, f64, f64) {
        loop {
            let (a, b) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let squared = a * a + b * b;
            if squared < 1.0 && squared != 0.0 {
                return (a, b, squared);
            }
        }
    }

    /// The stream of a numbered thing under a seed: molecule 7 draws the same numbers whoever was asked before it.
    ///
    /// ```
    /// use steric_model::Random;
    ///
    /// assert_ne!(Random::of(1, 7).next_u64(), Random::of(1, 8).next_u64());
    /// assert_ne!(Random::of(1, 7).next_u64(), Random::of(2, 7).next_u64());
    /// ```
    pub fn of(seed: u64, number: u64) -> Self {
        let mut random = Self(seed ^ 0x6a09_e667_f3bc_c908);
        Self(random.next_u64() ^ Self(number).next_u64())
    }

    /// Uniform on the unit sphere (inversion, Algorithm 4.2 of the founding thesis).
    pub fn direction(&mut self) -> DVec3 {
        let turn = std::f64::consts::TAU * self.unit();
        let z = 2.0 * self.unit() - 1.0;
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * turn.cos(), across * turn.sin(), z)
    }

    /// Uniform among all rotations (Shoemake 1992).
    pub fn rotation(&mut self) -> DQuat {
        let (split, a, b) = (self.unit(), std::f64::consts::TAU * self.unit(), std::f64::consts::TAU * self.unit());
        let (first, second) = ((1.0 - split).sqrt(), split.sqrt());
        DQuat::from_xyzw(first * a.sin(), first * a.cos(), second * b.sin(), second * b.cos())
    }
}
