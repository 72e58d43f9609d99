//! An axis-aligned box around a primitive: a tetrahedron, a triangle, an edge or a point.

/// An axis-aligned box, in angstroms. A box whose `low` is above its `high` on any axis, or that has a coordinate which is no number, holds nothing and touches nothing.
///
/// ```
/// use steric_collide::Bounds;
///
/// let edge = Bounds::around([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0]]);
/// assert_eq!(edge, Bounds { low: [0.0, 0.0, 0.0], high: [1.0, 2.0, 0.0] });
/// assert!(edge.touches(&Bounds::around([[1.0, 1.0, 0.0]])));
/// assert!(!edge.touches(&Bounds { low: [f32::NAN; 3], high: [1.0; 3] }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least coordinates.
    pub low: [f32; 3],
    /// The greatest coordinates.
    pub high: [f32; 3],
}

impl Bounds {
    /// A box that holds nothing.
    ///
    /// ```
    /// # use steric_collide::Bounds;
    /// assert!(!Bounds::NOTHING.touches(&Bounds::NOTHING));
    /// ```
    pub const NOTHING: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// The box around some points.
    ///
    /// ```
    /// # use steric_collide::Bounds;
    /// assert_eq!(Bounds::around([[1.0, 2.0, 3.0]]).high, [1.0, 2.0, 3.0]);
    /// ```
    #[inline]
    pub fn around(points: impl IntoIterator<Item = [f32; 3]>) -> Self {
        points.into_iter().fold(Self::NOTHING, |bounds, point| bounds.joined(&Self { low: point, high: point }))
    }

    /// The box around this one and another.
    ///
    /// ```
    /// # use steric_collide::Bounds;
    /// let one = Bounds::around([[1.0; 3]]);
    /// assert_eq!(one.joined(&Bounds::NOTHING), one);
    /// ```
    #[inline]
    pub fn joined(&self, other: &Self) -> Self {
        Self {
            low: std::array::from_fn(|axis| self.low[axis].min(other.low[axis])),
            high: std::array::from_fn(|axis| self.high[axis].max(other.high[axis])),
        }
    }

    /// The box with its faces moved out by so many angstroms.
    ///
    /// ```
    /// # use steric_collide::Bounds;
    /// assert_eq!(Bounds::around([[1.0; 3]]).grown(0.5).low, [0.5; 3]);
    /// ```
    #[inline]
    pub fn grown(&self, by: f32) -> Self {
        Self { low: self.low.map(|low| low - by), high: self.high.map(|high| high + by) }
    }

    /// Whether it holds anything, be it a single point.
    ///
    /// ```
    /// # use steric_collide::Bounds;
    /// assert!(Bounds::around([[1.0; 3]]).holds_anything());
    /// assert!(!Bounds { low: [1.0; 3], high: [0.0; 3] }.holds_anything());
    /// ```
    #[inline(always)]
    pub fn holds_anything(&self) -> bool {
        (0..3).all(|axis| self.low[axis] <= self.high[axis])
    }

    /// Whether two boxes overlap, or touch.
    ///
    /// ```
    /// # use steric_collide::Bounds;
    /// let unit = Bounds { low: [0.0; 3], high: [1.0; 3] };
    /// assert!(unit.touches(&Bounds { low: [1.0; 3], high: [2.0; 3] }));
    /// ```
    #[inline(always)]
    pub fn touches(&self, other: &Self) -> bool {
        let across = (0..3).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis]);
        across && self.holds_anything() && other.holds_anything()
    }

    /// The longest of the three sides.
    #[inline(always)]
    pub(super) fn longest_side(&self) -> f32 {
        (0..3).map(|axis| self.high[axis] - self.low[axis]).fold(0.0, f32::max)
    }
}
