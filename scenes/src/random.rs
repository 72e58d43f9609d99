//! SplitMix64: the same numbers on every machine, in eight lines.

/// A stream of random numbers from a seed (Steele, Lea and Flood 2014).
///
/// ```
/// use steric_scenes::Random;
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
}
