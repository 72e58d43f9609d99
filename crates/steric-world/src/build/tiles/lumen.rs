//! Where no lipid may be: inside proteins, and in their channels, which are open but not part of the membrane.
//!
//! How it works: the membrane is cut into thin layers, and the atoms of a protein in each layer cast shadows on a plane of small squares. What
//! cannot be reached from outside without coming near a shadow is enclosed. The rim of what is enclosed is as wide as shadows are; inside
//! of it are protein and lumen. Layers are thin because a loop in one must not hide the channel above it.

use glam::{DVec2, DVec3};

/// Height of a leaflet and of a layer, in angstroms.
const CORE: f64 = 20.0;
const LAYER: f64 = 5.0;
/// Side of a square, in angstroms.
const SQUARE: f64 = 1.0;
/// What is wider than twice this can be entered from outside, in angstroms.
const GATE: f64 = 3.2;

/// What a protein encloses, layer by layer.
#[derive(Clone, Debug)]
pub(super) struct Lumen(Vec<Layer>);

impl Lumen {
    /// Of atoms whose z is their height above the middle of the membrane.
    pub(super) fn new(atoms: &[DVec3]) -> Self {
        let layers = (2.0 * CORE / LAYER) as u32;
        let layer = |number: u32| {
            let low = LAYER * f64::from(number) - CORE;
            let here = atoms.iter().filter(|atom| (low..low + LAYER).contains(&atom.z));
            Layer::new(&here.map(|atom| atom.truncate()).collect::<Vec<_>>())
        };
        Self((0..layers).map(layer).collect())
    }

    /// Whether a point, in the frame of the protein and at its height above the middle, is enclosed.
    pub(super) fn contains(&self, point: DVec3) -> bool {
        let layer = ((point.z + CORE) / LAYER).floor();
        let layer = (layer >= 0.0).then(|| self.0.get(layer as usize)).flatten();
        layer.is_some_and(|layer| layer.contains(point.truncate()))
    }
}

/// What is enclosed in one layer.
#[derive(Clone, Debug)]
struct Layer {
    low: DVec2,
    columns: usize,
    is_lumen: Vec<bool>,
}

impl Layer {
    fn new(atoms: &[DVec2]) -> Self {
        let around = DVec2::splat(2.0 * GATE + 2.0 * SQUARE);
        let low = atoms.iter().fold(DVec2::INFINITY, |low, atom| low.min(*atom)) - around;
        let high = atoms.iter().fold(DVec2::NEG_INFINITY, |high, atom| high.max(*atom)) + around;
        if !(high - low).is_finite() {
            return Self { low: DVec2::ZERO, columns: 0, is_lumen: Vec::new() };
        }
        let [columns, rows] = ((high - low) / SQUARE).to_array().map(|count| count.ceil() as usize + 1);
        let mut map = Self { low, columns, is_lumen: vec![false; columns * rows] };
        let outside = map.reached(&map.shadows(atoms, GATE));
        let border: Vec<DVec2> = (0..outside.len()).filter(|&at| outside[at]).map(|at| map.middle(at)).collect();
        map.is_lumen = map.shadows(&border, GATE).into_iter().map(|is_rim| !is_rim).collect();
        map
    }

    fn contains(&self, point: DVec2) -> bool {
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
    fn a_tube_encloses_its_lumen_and_a_gutter_does_not() {
        let closed = Lumen::new(&tube(10.0, 1.0));
        let at = |x: f64, z: f64| DVec3::new(x, 0.0, z);
        assert!(closed.contains(at(0.0, 12.0)) && closed.contains(at(6.0, 12.0)));
        assert!(!closed.contains(at(14.0, 12.0)) && !closed.contains(at(300.0, 12.0)));
        assert!(!closed.contains(at(0.0, -12.0)), "the tube stands in the outer leaflet alone");
        assert!(!Lumen::new(&tube(10.0, 0.7)).contains(at(0.0, 12.0)));
    }

    #[test]
    fn a_protein_without_atoms_in_the_membrane_encloses_nothing() {
        assert!(!Lumen::new(&[DVec3::new(0.0, 0.0, 90.0)]).contains(DVec3::ZERO));
    }
}
