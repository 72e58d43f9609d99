//! Where no lipid may be: the channels of proteins, which are open but not part of the membrane.
//!
//! How it works: the atoms of each half of the membrane cast shadows on a plane of small squares. What cannot be reached from
//! outside without coming near a shadow is enclosed; enclosed and free is lumen.

use glam::{DVec2, DVec3};

/// Height of a leaflet, in angstroms.
const CORE: f64 = 20.0;
/// Side of a square, in angstroms.
const SQUARE: f64 = 1.0;
/// What is wider than twice this can be entered from outside, in angstroms.
const GATE: f64 = 3.2;
/// Radius of an atom's own shadow.
const SHADOW: f64 = 2.0;

/// The lumen of a protein in one leaflet.
#[derive(Clone, Debug)]
pub(super) struct Lumen {
    low: DVec2,
    columns: usize,
    is_lumen: Vec<bool>,
}

impl Lumen {
    /// Of atoms whose z is their height above the middle of the membrane; `sign` is 1 for the outer leaflet and -1 for the inner one.
    pub(super) fn new(atoms: impl Iterator<Item = DVec3>, sign: f64) -> Self {
        let half: Vec<DVec2> =
            atoms.filter(|atom| (0.0..CORE).contains(&(sign * atom.z))).map(|atom| atom.truncate()).collect();
        let around = DVec2::splat(2.0 * GATE + 2.0 * SQUARE);
        let low = half.iter().fold(DVec2::INFINITY, |low, atom| low.min(*atom)) - around;
        let high = half.iter().fold(DVec2::NEG_INFINITY, |high, atom| high.max(*atom)) + around;
        if !(high - low).is_finite() {
            return Self { low: DVec2::ZERO, columns: 0, is_lumen: Vec::new() };
        }
        let [columns, rows] = ((high - low) / SQUARE).to_array().map(|count| count.ceil() as usize + 1);
        let mut map = Self { low, columns, is_lumen: vec![false; columns * rows] };
        let closed = map.shadows(&half, GATE);
        let outside = map.reached(&closed);
        let border: Vec<DVec2> = (0..outside.len()).filter(|&at| outside[at]).map(|at| map.middle(at)).collect();
        let (rim, taken) = (map.shadows(&border, GATE), map.shadows(&half, SHADOW));
        map.is_lumen = rim.iter().zip(taken).map(|(rim, taken)| !rim && !taken).collect();
        map
    }

    /// Whether there is a channel at all.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_lumen.contains(&true)
    }

    /// Whether a point, in the frame of the protein, is in the lumen.
    pub(super) fn contains(&self, point: DVec2) -> bool {
        let at = ((point - self.low) / SQUARE).floor();
        let is_inside = at.cmpge(DVec2::ZERO).all() && at.x < self.columns as f64;
        is_inside && self.is_lumen.get(at.y as usize * self.columns + at.x as usize).copied().unwrap_or(false)
    }

    fn middle(&self, at: usize) -> DVec2 {
        let (column, row) = ((at % self.columns) as f64, (at / self.columns) as f64);
        self.low + SQUARE * (DVec2::new(column, row) + 0.5)
    }

    /// Squares whose middles are near one of some points.
    fn shadows(&self, points: &[DVec2], radius: f64) -> Vec<bool> {
        let mut shadows = vec![false; self.is_lumen.len()];
        let reach = (radius / SQUARE).ceil() as i64;
        for point in points {
            let at = ((*point - self.low) / SQUARE).floor();
            for row in at.y as i64 - reach..=at.y as i64 + reach {
                for column in at.x as i64 - reach..=at.x as i64 + reach {
                    if row < 0 || column < 0 || column >= self.columns as i64 {
                        continue;
                    }
                    let at = row as usize * self.columns + column as usize;
                    if at < shadows.len() && self.middle(at).distance(*point) <= radius {
                        shadows[at] = true;
                    }
                }
            }
        }
        shadows
    }

    /// Squares that can be reached from the first one without entering a closed one.
    fn reached(&self, closed: &[bool]) -> Vec<bool> {
        let mut reached = vec![false; closed.len()];
        let mut next = vec![0];
        while let Some(at) = next.pop() {
            if reached[at] || closed[at] {
                continue;
            }
            reached[at] = true;
            let column = at % self.columns;
            next.extend((column > 0).then(|| at - 1));
            next.extend((column + 1 < self.columns).then(|| at + 1));
            next.extend(at.checked_sub(self.columns));
            next.extend(Some(at + self.columns).filter(|&below| below < closed.len()));
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Atoms of a tube around z.
    fn tube(radius: f64, part: f64) -> Vec<DVec3> {
        let ring = |step: u32| {
            let turn = DVec2::from_angle(part * std::f64::consts::TAU * f64::from(step) / 48.0);
            (0..10).map(move |level| (radius * turn).extend(1.0 + 2.0 * f64::from(level)))
        };
        (0..48).flat_map(ring).collect()
    }

    #[test]
    fn a_tube_has_a_lumen_and_a_gutter_has_none() {
        let closed = Lumen::new(tube(10.0, 1.0).into_iter(), 1.0);
        assert!(closed.contains(DVec2::ZERO) && closed.contains(DVec2::new(6.0, 0.0)));
        assert!(!closed.contains(DVec2::new(14.0, 0.0)) && !closed.contains(DVec2::new(300.0, -300.0)));
        assert!(Lumen::new(tube(10.0, 0.7).into_iter(), 1.0).is_empty());
        assert!(Lumen::new(tube(10.0, 1.0).into_iter(), -1.0).is_empty(), "the tube stands in the outer leaflet alone");
    }

    #[test]
    fn a_protein_without_atoms_there_has_no_lumen() {
        assert!(Lumen::new(std::iter::empty(), 1.0).is_empty());
    }
}
