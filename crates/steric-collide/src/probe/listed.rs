//! The two indexes of *bump* (Turk 1989, 5.2): cubes as wide as the largest sphere, each with a list of the spheres that reach into it.

use glam::{DVec3, IVec3};

use super::{corners, edge_of, largest};

/// Cells of the hashed form.
const HASHED: usize = 4_096;

#[derive(Debug)]
pub(super) struct Listed {
    low: DVec3,
    edge: f64,
    /// Of the full grid; nothing where cells are hashed.
    cells: Option<IVec3>,
    /// Where the list of each cell begins, and the end.
    firsts: Vec<u32>,
    spheres: Vec<u32>,
}

impl Listed {
    pub(super) fn new(centers: &[DVec3], radii: &[f64], is_hashed: bool) -> Self {
        let largest = largest(radii);
        let (low, high) = corners(centers);
        let (low, high) = (low - largest, high + largest);
        let edge = edge_of(2.0 * largest, high - low, centers.len());
        let cells = (!is_hashed).then(|| ((high - low) / edge).floor().as_ivec3() + 1);
        let mut index = Self { low, edge, cells, firsts: Vec::new(), spheres: Vec::new() };
        let count = cells.map_or(HASHED, |cells| cells.as_usizevec3().element_product());
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (sphere, (&center, &radius)) in (0u32..).zip(centers.iter().zip(radii)) {
            let begin = pairs.len();
            index.each_cell(center, radius, |cell| pairs.push((cell as u32, sphere)));
            // A hash can put two cells of a sphere into one.
            each_once(&mut pairs, begin);
        }
        pairs.sort_unstable();
        index.firsts = vec![0; count + 1];
        pairs.iter().for_each(|(cell, _)| index.firsts[*cell as usize + 1] += 1);
        (0..count).for_each(|cell| index.firsts[cell + 1] += index.firsts[cell]);
        index.spheres = pairs.into_iter().map(|(_, sphere)| sphere).collect();
        index
    }

    /// The cells that a ball reaches into.
    fn each_cell(&self, center: DVec3, radius: f64, mut visit: impl FnMut(usize)) {
        let cell_of = |point: DVec3| ((point - self.low) / self.edge).floor();
        let (mut first, mut last) = (cell_of(center - radius), cell_of(center + radius));
        if let Some(cells) = self.cells {
            let end = cells.as_dvec3() - 1.0;
            if last.cmplt(DVec3::ZERO).any() || first.cmpgt(end).any() {
                return;
            }
            (first, last) = (first.max(DVec3::ZERO), last.min(end));
        }
        let (first, last) = (first.as_ivec3(), last.as_ivec3());
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                for x in first.x..=last.x {
                    let cell = IVec3::new(x, y, z);
                    visit(self.number_of(cell));
                }
            }
        }
    }

    fn number_of(&self, cell: IVec3) -> usize {
        match self.cells {
            Some(cells) => ((cell.z * cells.y + cell.y) as usize) * cells.x as usize + cell.x as usize,
            None => {
                let [x, y, z] = cell.to_array().map(|side| side as u32);
                let mixed = x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663) ^ z.wrapping_mul(83_492_791);
                mixed as usize % HASHED
            }
        }
    }

    pub(super) fn near(&self, point: DVec3, reach: f64, found: &mut Vec<u32>) {
        if reach < 0.0 {
            // A sphere that a point is deep in reaches into the point's cell.
            return self.near(point, 0.0, found);
        }
        let begin = found.len();
        self.each_cell(point, reach, |cell| {
            let [first, end] = [cell, cell + 1].map(|cell| self.firsts[cell] as usize);
            found.extend_from_slice(&self.spheres[first..end]);
        });
        each_once(found, begin);
    }

    pub(super) fn spheres_per_cell(&self) -> f64 {
        let filled = self.firsts.windows(2).filter(|ends| ends[0] < ends[1]).count();
        self.spheres.len() as f64 / filled.max(1) as f64
    }
}

/// Sorts what stands from a place on, and keeps each thing once.
fn each_once<T: Copy + Ord>(all: &mut Vec<T>, begin: usize) {
    all[begin..].sort_unstable();
    let mut kept = begin;
    for at in begin..all.len() {
        if at == begin || all[at] != all[kept - 1] {
            all[kept] = all[at];
            kept += 1;
        }
    }
    all.truncate(kept);
}
