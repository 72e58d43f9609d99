//! What stands in the way: planes, balls, cylinders, tubes, cavities, boxes and triangle meshes, and when a moving ball touches them.
//!
//! How it works: the distance of a point on a straight path from a convex solid is a convex function of time. Newton's method from the left never steps past its first
//! root, so a contact is found in a few steps and never missed. A mesh is the first of its triangles; a lattice finds those near the path. The inner side of a
//! tube or a cavity is a quadratic equation.

use glam::DVec3;
use steric_collide::SweptBox;

/// Something that does not move.
///
/// ```
/// use glam::DVec3;
/// use steric_world::diffuse::Obstacle;
///
/// let floor = Obstacle::Plane { point: DVec3::ZERO, normal: DVec3::Z };
/// // A ball of radius 1 falls from a height of 5, 8 in a unit of time.
/// let (time, normal) = floor.touch(DVec3::Z * 5.0, DVec3::Z * -8.0, 1.0).ok_or("it arrives")?;
/// assert_eq!((time, normal), (0.5, DVec3::Z));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// Everything behind a plane; `normal` points to where particles are.
    Plane {
        /// A point of the plane.
        point: DVec3,
        /// Away from what is solid.
        normal: DVec3,
    },
    /// A ball.
    Sphere {
        /// Its middle.
        center: DVec3,
        /// Its radius.
        radius: f64,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// The middle of one end.
        from: DVec3,
        /// The middle of the other.
        to: DVec3,
        /// Its radius.
        radius: f64,
    },
    /// An endless tube that nothing leaves.
    Tube {
        /// A point of its axis.
        point: DVec3,
        /// The direction of its axis.
        axis: DVec3,
        /// Its inner radius.
        radius: f64,
    },
    /// A hollow ball that nothing leaves.
    Cavity {
        /// Its middle.
        center: DVec3,
        /// Its inner radius.
        radius: f64,
    },
    /// A solid box along the axes.
    Box {
        /// The corner with the smallest coordinates.
        low: DVec3,
        /// The corner with the largest ones.
        high: DVec3,
    },
    /// A surface of triangles, solid from both sides.
    Mesh(Triangles),
}

/// Newton's method has met every root long before.
const MOST_STEPS: usize = 64;
/// A path that comes this near, in parts of the radius, touches.
const NEAR: f64 = 1e-10;

impl Obstacle {
    /// When a ball on a straight path touches it, from the path's beginning, and the direction away from it there.
    pub fn touch(&self, from: DVec3, motion: DVec3, radius: f64) -> Option<(f64, DVec3)> {
        match self {
            Self::Tube { point, axis, radius: inner } => {
                let across = |vector: DVec3| vector - *axis * (vector.dot(*axis) / axis.length_squared());
                leave(across(from - *point), across(motion), inner - radius)
            }
            Self::Cavity { center, radius: inner } => leave(from - *center, motion, inner - radius),
            Self::Mesh(mesh) => mesh.touch(from, motion, radius),
            convex => meet(|at| convex.outside(at), from, motion, radius),
        }
    }

    /// How far a point is outside of what is solid, negative inside, and the direction that leads away from it.
    pub fn outside(&self, at: DVec3) -> (f64, DVec3) {
        match self {
            Self::Plane { point, normal } => {
                let normal = normal.normalize_or_zero();
                ((at - *point).dot(normal), normal)
            }
            Self::Sphere { center, radius } => {
                let apart = at - *center;
                (apart.length() - radius, apart.normalize_or(DVec3::Z))
            }
            Self::Cylinder { from, to, radius } => outside_cylinder(at, *from, *to, *radius),
            Self::Tube { point, axis, radius } => {
                let apart = at - *point;
                let across = apart - *axis * (apart.dot(*axis) / axis.length_squared());
                (radius - across.length(), -across.normalize_or_zero())
            }
            Self::Cavity { center, radius } => {
                let apart = at - *center;
                (radius - apart.length(), -apart.normalize_or_zero())
            }
            Self::Box { low, high } => outside_box(at, *low, *high),
            Self::Mesh(mesh) => mesh.outside(at),
        }
    }

    /// The corners of a box around it; endless ones have none.
    pub fn corners(&self) -> Option<(DVec3, DVec3)> {
        match self {
            Self::Plane { .. } | Self::Tube { .. } | Self::Cavity { .. } => None,
            Self::Sphere { center, radius } => Some((*center - DVec3::splat(*radius), *center + DVec3::splat(*radius))),
            Self::Cylinder { from, to, radius } => {
                let around = DVec3::splat(*radius);
                Some((from.min(*to) - around, from.max(*to) + around))
            }
            Self::Box { low, high } => Some((*low, *high)),
            Self::Mesh(mesh) => Some((mesh.low, mesh.high)),
        }
    }

    /// [`Obstacle::touch`] of every copy in a box that repeats, before a time.
    pub(super) fn touch_in(
        &self,
        space: &SweptBox,
        from: DVec3,
        motion: DVec3,
        radius: f64,
        until: f64,
    ) -> Option<(f64, DVec3)> {
        let Some((low, high)) = self.corners() else {
            return self.touch(from, motion, radius).filter(|(time, _)| *time < until);
        };
        let to = from + motion * until;
        let (path_low, path_high) = (from.min(to) - DVec3::splat(radius), from.max(to) + DVec3::splat(radius));
        let mut first: Option<(f64, DVec3)> = None;
        for shift in copies(space) {
            if (path_high + shift).cmplt(low).any() || (path_low + shift).cmpgt(high).any() {
                continue;
            }
            let touch = self.touch(from + shift, motion, radius).filter(|(time, _)| *time < until);
            first = touch.into_iter().chain(first).min_by(|a, b| a.0.total_cmp(&b.0));
        }
        first
    }

    /// How far a point is outside of every copy in a box that repeats.
    pub(super) fn outside_in(&self, space: &SweptBox, at: DVec3) -> f64 {
        if self.corners().is_none() {
            return self.outside(at).0;
        }
        copies(space).map(|shift| self.outside(at + shift).0).fold(f64::INFINITY, f64::min)
    }
}

/// Where the copies of a point stand in a box that repeats, one box around it.
fn copies(space: &SweptBox) -> impl Iterator<Item = DVec3> {
    let (repeats, edges) = (space.repeats, space.edges);
    (0..27).filter_map(move |copy| {
        let turns = [copy % 3 - 1, copy / 3 % 3 - 1, copy / 9 - 1];
        let is_copy = (0..3).all(|axis| turns[axis] == 0 || repeats[axis]);
        is_copy.then(|| DVec3::from_array(turns.map(f64::from)) * edges)
    })
}

/// Newton's method on the distance from a convex solid.
fn meet(outside: impl Fn(DVec3) -> (f64, DVec3), from: DVec3, motion: DVec3, radius: f64) -> Option<(f64, DVec3)> {
    let mut time = 0.0;
    for _ in 0..MOST_STEPS {
        let (distance, normal) = outside(from + motion * time);
        let approach = normal.dot(motion);
        if approach.is_nan() || approach >= 0.0 {
            return None;
        }
        let gap = distance - radius;
        if gap <= radius * NEAR {
            return Some((time, normal));
        }
        time += gap / -approach;
        if !time.is_finite() {
            return None;
        }
    }
    // Nearly parallel and nearly there: what is told is never too late.
    let (_, normal) = outside(from + motion * time);
    Some((time, normal))
}

/// When a point leaves a circle or a ball around the origin from inside.
fn leave(from: DVec3, motion: DVec3, reach: f64) -> Option<(f64, DVec3)> {
    let (a, b, c) = (motion.length_squared(), from.dot(motion), from.length_squared() - reach * reach);
    if c >= 0.0 && b >= 0.0 {
        return (b > 0.0).then(|| (0.0, -from.normalize_or_zero()));
    }
    if a.is_nan() || a <= 0.0 {
        return None;
    }
    let root = (b * b - a * c).max(0.0).sqrt();
    let time = if b > 0.0 { -c / (root + b) } else { (root - b) / a };
    time.is_finite().then(|| (time, -(from + motion * time).normalize_or_zero()))
}

fn outside_cylinder(at: DVec3, from: DVec3, to: DVec3, radius: f64) -> (f64, DVec3) {
    let length = (to - from).length();
    let axis = (to - from) / length.max(f64::MIN_POSITIVE);
    let middle = 0.5 * (from + to);
    let along = (at - middle).dot(axis);
    let across = at - middle - axis * along;
    let distance = across.length();
    let away = if distance > 0.0 { across / distance } else { axis.any_orthonormal_vector() };
    let end = axis * along.signum();
    let (beyond_side, beyond_end) = (distance - radius, along.abs() - 0.5 * length);
    match (beyond_side > 0.0, beyond_end > 0.0) {
        (true, true) => {
            let gap = away * beyond_side + end * beyond_end;
            (gap.length(), gap.normalize_or_zero())
        }
        (true, false) => (beyond_side, away),
        (false, true) => (beyond_end, end),
        (false, false) if beyond_side > beyond_end => (beyond_side, away),
        (false, false) => (beyond_end, end),
    }
}

fn outside_box(at: DVec3, low: DVec3, high: DVec3) -> (f64, DVec3) {
    let gap = at - at.clamp(low, high);
    let distance = gap.length();
    if distance > 0.0 {
        return (distance, gap / distance);
    }
    let (below, above) = (at - low, high - at);
    let mut nearest = (f64::NEG_INFINITY, DVec3::Z);
    for axis in 0..3 {
        for (inside, sign) in [(below[axis], -1.0), (above[axis], 1.0)] {
            if -inside > nearest.0 {
                nearest = (-inside, DVec3::AXES[axis] * sign);
            }
        }
    }
    nearest
}

/// Triangles with a lattice over them.
///
/// ```
/// use glam::DVec3;
/// use steric_world::diffuse::{Obstacle, Triangles};
///
/// let sheet = Obstacle::Mesh(Triangles::new(vec![[DVec3::ZERO, DVec3::X * 9.0, DVec3::Y * 9.0]]));
/// let (time, _) = sheet.touch(DVec3::new(1.0, 1.0, 3.0), DVec3::Z * -4.0, 1.0).ok_or("it arrives")?;
/// assert!((time - 0.5).abs() < 1e-9);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Triangles {
    corners: Vec<[DVec3; 3]>,
    low: DVec3,
    high: DVec3,
    cells: [usize; 3],
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Triangles {
    /// Sorts triangles into cells.
    pub fn new(corners: Vec<[DVec3; 3]>) -> Self {
        let all = || corners.iter().flatten().copied();
        let (low, high) = (all().reduce(DVec3::min).unwrap_or_default(), all().reduce(DVec3::max).unwrap_or_default());
        let size = (high - low).max_element().max(f64::MIN_POSITIVE);
        let per_edge = (corners.len() as f64).cbrt().ceil().clamp(1.0, 64.0);
        let cells = std::array::from_fn(|axis| ((high - low)[axis] / size * per_edge).ceil().clamp(1.0, 64.0) as usize);
        let mut mesh = Self { corners, low, high, cells, starts: Vec::new(), members: Vec::new() };
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); cells.iter().product()];
        for (number, [a, b, c]) in mesh.corners.iter().enumerate() {
            mesh.cells_of(a.min(*b).min(*c), a.max(*b).max(*c), |cell| lists[cell].push(number as u32));
        }
        mesh.starts.push(0);
        for list in lists {
            mesh.members.extend(list);
            mesh.starts.push(mesh.members.len() as u32);
        }
        mesh
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// The corners of all triangles.
    pub fn corners(&self) -> &[[DVec3; 3]] {
        &self.corners
    }

    fn cells_of(&self, low: DVec3, high: DVec3, mut visit: impl FnMut(usize)) {
        let place = |at: DVec3, axis: usize| {
            let share = (at[axis] - self.low[axis]) / (self.high[axis] - self.low[axis]).max(f64::MIN_POSITIVE);
            ((share * self.cells[axis] as f64).max(0.0) as usize).min(self.cells[axis] - 1)
        };
        let ([x0, y0, z0], [x1, y1, z1]): ([usize; 3], [usize; 3]) =
            (std::array::from_fn(|axis| place(low, axis)), std::array::from_fn(|axis| place(high, axis)));
        for z in z0..=z1 {
            for y in y0..=y1 {
                for x in x0..=x1 {
                    visit((z * self.cells[1] + y) * self.cells[0] + x);
                }
            }
        }
    }

    fn touch(&self, from: DVec3, motion: DVec3, radius: f64) -> Option<(f64, DVec3)> {
        // The whole path may be endless; particles that are asked about are clipped to the mesh's own box.
        let end = from + motion;
        let around = DVec3::splat(radius);
        let mut first: Option<(f64, DVec3)> = None;
        self.cells_of(from.min(end) - around, from.max(end) + around, |cell| {
            let (start, stop) = (self.starts[cell] as usize, self.starts[cell + 1] as usize);
            for &triangle in &self.members[start..stop] {
                let corners = &self.corners[triangle as usize];
                let outside = |at: DVec3| {
                    let gap = at - nearest_on(corners, at);
                    let flat = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
                    (gap.length(), gap.normalize_or(flat))
                };
                if let Some(touch) = meet(outside, from, motion, radius)
                    && first.is_none_or(|known| touch.0 < known.0)
                {
                    first = Some(touch);
                }
            }
        });
        first
    }

    fn outside(&self, at: DVec3) -> (f64, DVec3) {
        let nearest = self.corners.iter().map(|corners| at - nearest_on(corners, at));
        let gap = nearest.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared())).unwrap_or(DVec3::INFINITY);
        (gap.length(), gap.normalize_or(DVec3::Z))
    }
}

/// The point of a triangle that is nearest to another point (Ericson 2005, section 5.1.5).
fn nearest_on([a, b, c]: &[DVec3; 3], p: DVec3) -> DVec3 {
    let (ab, ac, ap) = (*b - *a, *c - *a, p - *a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bp = p - *b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return *a + ab * (d1 / (d1 - d3));
    }
    let cp = p - *c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return *a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return *b + (*c - *b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let share = 1.0 / (va + vb + vc);
    *a + ab * (vb * share) + ac * (vc * share)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proptest::prelude::*;

    use super::{Obstacle, Triangles};

    fn vector(size: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
    }

    fn obstacles() -> impl Strategy<Value = Obstacle> {
        prop_oneof![
            (vector(3.0), vector(1.0))
                .prop_map(|(point, normal)| Obstacle::Plane { point, normal: normal + DVec3::Z * 2.0 }),
            (vector(3.0), 0.5..3.0).prop_map(|(center, radius)| Obstacle::Sphere { center, radius }),
            (vector(3.0), vector(3.0), 0.5..2.0).prop_map(|(from, to, radius)| Obstacle::Cylinder {
                from,
                to: to + DVec3::X * 8.0,
                radius
            }),
            (vector(1.0), vector(1.0))
                .prop_map(|(point, axis)| { Obstacle::Tube { point, axis: axis + DVec3::Y * 2.0, radius: 9.0 } }),
            vector(1.0).prop_map(|center| Obstacle::Cavity { center, radius: 9.0 }),
            (vector(3.0), prop::array::uniform3(0.5..4.0f64))
                .prop_map(|(low, size)| Obstacle::Box { low, high: low + DVec3::from_array(size) }),
            prop::collection::vec(prop::array::uniform3(vector(5.0)), 1..12)
                .prop_map(|corners| Obstacle::Mesh(Triangles::new(corners))),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn a_ball_is_outside_until_it_touches_and_touches_then(
            obstacle in obstacles(),
            from in vector(8.0),
            motion in vector(25.0),
            radius in 0.1..1.0,
        ) {
            prop_assume!(obstacle.outside(from).0 > radius * 1.001);
            let path = obstacle.touch(from, motion, radius).filter(|(time, _)| *time < 1.0);
            let end = path.map_or(1.0, |(time, _)| time);
            for step in 0..400 {
                let at = from + motion * (end * f64::from(step) / 400.0);
                prop_assert!(obstacle.outside(at).0 > radius * (1.0 - 1e-6), "{step}: {}", obstacle.outside(at).0);
            }
            if let Some((time, normal)) = path {
                let (distance, _) = obstacle.outside(from + motion * time);
                prop_assert!((distance - radius).abs() < 1e-6, "{distance} {radius}");
                prop_assert!(normal.dot(motion) < 0.0 && (normal.length() - 1.0).abs() < 1e-9);
            }
        }
    }
}
