//! Discs sorted into cells, and the lists of neighbours that are made from them.
//!
//! How it works: discs whose diameters lie within one factor of two are one level with a grid of its own, so a few
//! proteins do not crowd the cells of the lipids. A cell is twice as wide as the reach within its level, so a disc looks into at
//! most eight of them. Cells are hashed into buckets, neighbours along x into neighbouring ones, and two cells that share
//! a bucket are told apart by their coordinates. Discs are kept in the order of the buckets.

use glam::DVec3;
use rayon::prelude::*;

use super::Disc;
use super::sheet::Sheet;

type Cell = [i32; 3];

/// Octaves of diameter that get a level of their own; all that is smaller shares the last.
const MOST_LEVELS: usize = 16;
/// A list never holds more than this: discs that lie on one another by the thousand part without knowing all others.
const MOST_NEIGHBOURS: f64 = 4096.0;

pub(super) struct Grid {
    levels: Vec<Level>,
    cells: Vec<Cell>,
    skin: f64,
    smallest: f64,
}

struct Level {
    /// Half of the largest diameter.
    radius: f64,
    width: DVec3,
    /// How many cells the periodic box has along x and y; 0 where there is no box.
    around: [i32; 2],
    mask: u32,
    /// The discs of bucket i are starts[i]..starts[i + 1].
    starts: Vec<u32>,
    /// The discs of the level.
    range: std::ops::Range<usize>,
}

/// The neighbours of every disc, disc by disc.
pub(super) struct Lists {
    pub(super) chunks: Vec<List>,
}

#[derive(Default)]
pub(super) struct List {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Lists {
    /// How many discs one thread works on at a time.
    pub(super) const CHUNK: usize = 1024;
}

impl List {
    /// The neighbours of one disc of the chunk.
    pub(super) fn of(&self, at: usize) -> &[u32] {
        &self.neighbours[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

impl Grid {
    /// Brings the discs into the order of their cells.
    pub(super) fn sort(discs: &mut Vec<Disc>, sheet: &Sheet, skin: f64) -> Self {
        let radii = || discs.iter().map(|disc| disc.radius);
        let largest = radii().fold(0.0, f64::max);
        let smallest = radii().filter(|&radius| radius > 0.0).fold(largest, f64::min);
        let mut members = vec![Vec::new(); MOST_LEVELS];
        for disc in discs.iter() {
            members[octave(disc.radius, largest)].push(*disc);
        }
        let mut grid = Self { levels: Vec::new(), cells: Vec::new(), skin, smallest };
        discs.clear();
        for members in members.into_iter().filter(|members| !members.is_empty()) {
            let level = Level::sort(&members, discs, &mut grid.cells, sheet, skin);
            grid.levels.push(level);
        }
        grid
    }

    /// Every disc's neighbours within touching distance and the skin.
    pub(super) fn lists(&self, discs: &[Disc], sheet: &Sheet) -> Lists {
        let chunks = discs.par_chunks(Lists::CHUNK).map(|chunk| {
            let mut list = List { starts: vec![0], neighbours: Vec::with_capacity(8 * chunk.len()) };
            for disc in chunk {
                if !disc.is_fixed {
                    self.list_neighbours(disc, discs, sheet, &mut list.neighbours);
                }
                list.starts.push(list.neighbours.len() as u32);
            }
            list
        });
        Lists { chunks: chunks.collect() }
    }

    fn list_neighbours(&self, disc: &Disc, discs: &[Disc], sheet: &Sheet, found: &mut Vec<u32>) {
        let most = found.len() + self.most_neighbours(disc);
        for level in &self.levels {
            let reach = disc.radius + level.radius + self.skin;
            level.each_range(disc.center, reach, |range, cell| {
                for at in range {
                    let other = &discs[at];
                    let near = disc.radius + other.radius + self.skin;
                    if cell.is_none_or(|cell| self.cells[at] == cell)
                        && sheet.between(disc.center, other.center).length_squared() < near * near
                        && other.name != disc.name
                    {
                        found.push(at as u32);
                    }
                    if found.len() >= most {
                        return false;
                    }
                }
                true
            });
        }
    }

    // Sixteen times as many of the smallest discs as fit around this one.
    fn most_neighbours(&self, disc: &Disc) -> usize {
        let around = 1.0 + (disc.radius + self.skin) / self.smallest;
        (16.0 * around * around).min(MOST_NEIGHBOURS) as usize
    }
}

fn octave(radius: f64, largest: f64) -> usize {
    let octaves = (largest / radius).log2();
    // NaN and infinity: a disc without a size.
    if octaves.is_finite() { (octaves.max(0.0) as usize).min(MOST_LEVELS - 1) } else { MOST_LEVELS - 1 }
}

impl Level {
    // Appends its discs and their cells in the order of the buckets; equal buckets keep the order of `members`.
    fn sort(members: &[Disc], discs: &mut Vec<Disc>, cells: &mut Vec<Cell>, sheet: &Sheet, skin: f64) -> Self {
        let first = discs.len();
        let mut level = Self::new(members, first, sheet, skin);
        let homes: Vec<(Cell, u32)> = members
            .iter()
            .map(|disc| {
                let cell = level.cell(disc.center);
                (cell, level.bucket(cell))
            })
            .collect();
        let slots = level.slots(&homes);
        let mut order = vec![0_u32; members.len()];
        for (at, slot) in slots.into_iter().enumerate() {
            order[slot as usize] = at as u32;
        }
        discs.extend(order.iter().map(|&at| members[at as usize]));
        cells.extend(order.iter().map(|&at| homes[at as usize].0));
        level
    }

    fn new(members: &[Disc], first: usize, sheet: &Sheet, skin: f64) -> Self {
        let radius = members.iter().fold(0.0, |radius: f64, disc| radius.max(disc.radius));
        let edge = 2.0 * (2.0 * radius + skin);
        let mut level = Self {
            radius,
            width: DVec3::splat(edge),
            around: [0; 2],
            mask: (2 * members.len()).next_power_of_two() as u32 - 1,
            starts: Vec::new(),
            range: first..first + members.len(),
        };
        if sheet.is_flat() {
            level.width.z = f64::INFINITY;
        }
        for (axis, periodic) in sheet.edges().into_iter().flatten().enumerate() {
            let around = (periodic / edge).floor().clamp(1.0, 1e6);
            level.around[axis] = around as i32;
            level.width[axis] = periodic / around;
        }
        level
    }

    // Counts the discs of every bucket and gives each its slot within the level.
    fn slots(&mut self, homes: &[(Cell, u32)]) -> Vec<u32> {
        let mut next = vec![0_u32; self.mask as usize + 2];
        for &(_, bucket) in homes {
            next[bucket as usize + 1] += 1;
        }
        for bucket in 1..next.len() {
            next[bucket] += next[bucket - 1];
        }
        self.starts = next.clone();
        let slot = |&(_, bucket): &(Cell, u32)| {
            next[bucket as usize] += 1;
            next[bucket as usize] - 1
        };
        homes.iter().map(slot).collect()
    }

    // Calls back with the discs of every cell within reach and the cell that they must be in, until told to stop.
    fn each_range(
        &self,
        center: DVec3,
        reach: f64,
        mut visit: impl FnMut(std::ops::Range<usize>, Option<Cell>) -> bool,
    ) {
        let (low, high) = (self.cell(center - reach), self.cell(center + reach));
        let spans = [0, 1, 2].map(|axis| self.span(axis, low[axis], high[axis]));
        // In the wide reach of a large disc among small ones, far apart, there are more cells than discs.
        let cells: f64 = spans.iter().map(|span| f64::from(span.1) - f64::from(span.0) + 1.0).product();
        if cells > (self.range.len() + 8) as f64 {
            visit(self.range.clone(), None);
            return;
        }
        for z in spans[2].0..=spans[2].1 {
            for y in spans[1].0..=spans[1].1 {
                for x in spans[0].0..=spans[0].1 {
                    let cell = [self.around(0, x), self.around(1, y), z];
                    let bucket = self.bucket(cell) as usize;
                    let (start, end) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
                    if !visit(self.range.start + start..self.range.start + end, Some(cell)) {
                        return;
                    }
                }
            }
        }
    }

    // Once around a periodic box is enough.
    fn span(&self, axis: usize, low: i32, high: i32) -> (i32, i32) {
        match self.around.get(axis) {
            Some(&around) if around > 0 && i64::from(high) - i64::from(low) >= i64::from(around) => (0, around - 1),
            _ => (low, high),
        }
    }

    fn around(&self, axis: usize, cell: i32) -> i32 {
        if self.around[axis] > 0 { cell.rem_euclid(self.around[axis]) } else { cell }
    }

    // Casts saturate and make 0 of NaN, so that no place is without a cell.
    fn cell(&self, place: DVec3) -> Cell {
        let scaled = place / self.width;
        let floor = |x: f64| (x as i32).saturating_sub(i32::from(x < 0.0));
        [floor(scaled.x), floor(scaled.y), if self.width.z.is_finite() { floor(scaled.z) } else { 0 }]
    }

    // Two of the primes of Teschner 2003; along x cells stay neighbours.
    fn bucket(&self, [x, y, z]: Cell) -> u32 {
        let mixed = (y as u32).wrapping_mul(19_349_663) ^ (z as u32).wrapping_mul(83_492_791);
        (mixed ^ (mixed >> 15)).wrapping_add(x as u32) & self.mask
    }
}
