//! Discs sorted into cells, and the lists of neighbours that are made from them.
//!
//! How it works: discs whose diameters lie within one factor of two are one level with a grid of its own, so a few
//! proteins do not crowd the cells of the lipids. A cell is twice as wide as the reach within its level, so a disc looks into at
//! most eight of them. Cells are hashed into buckets, neighbours along x into neighbouring ones, and two cells that share
//! a bucket are told apart by their coordinates. Discs stay in the order of a Z-curve, so that neighbours are near each other in memory too.

use glam::DVec3;
use rayon::prelude::*;
use steric_model::morton;

use super::Disc;
use super::sheet::Sheet;

type Cell = [i32; 3];

/// Octaves of diameter that get a level of their own; all that is smaller shares the last.
const MOST_LEVELS: usize = 16;
/// A list never holds more than this: discs that lie on one another by the thousand part without knowing all others.
const MOST_NEIGHBOURS: f64 = 4096.0;

/// How many candidates are compared before the near ones among them are looked at again.
const BLOCK: usize = 16;

pub(super) struct Grid {
    levels: Vec<Level>,
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
    /// The discs of bucket i are members[starts[i]..starts[i + 1]].
    starts: Vec<u32>,
    members: Vec<Member>,
}

#[derive(Clone, Copy, Default)]
struct Member {
    cell: Cell,
    disc: u32,
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
    /// Sorts discs into levels and cells.
    pub(super) fn new(discs: &[Disc], sheet: &Sheet, skin: f64) -> Self {
        let radii = || discs.iter().map(|disc| disc.radius);
        let largest = radii().fold(0.0, f64::max);
        let smallest = radii().filter(|&radius| radius > 0.0).fold(largest, f64::min);
        let mut members = vec![Vec::new(); MOST_LEVELS];
        for (disc, at) in discs.iter().zip(0..) {
            members[octave(disc.radius, largest)].push(at);
        }
        let members = members.into_iter().filter(|members| !members.is_empty());
        Self { levels: members.map(|members| Level::new(discs, &members, sheet, skin)).collect(), skin, smallest }
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
            level.each_range(disc.center, reach, |members, cell| {
                for block in members.chunks(BLOCK) {
                    let (near, count) = self.near_ones(disc, discs, sheet, block);
                    let others = near[..count].iter().filter(|near| cell.is_none_or(|cell| near.cell == cell));
                    found.extend(others.map(|near| near.disc).filter(|&at| discs[at as usize].name != disc.name));
                    if found.len() >= most {
                        found.truncate(most);
                        return false;
                    }
                }
                true
            });
        }
    }

    // Counts on without a branch: whether a candidate is near cannot be foretold, and a wrong guess costs more than the rest.
    fn near_ones(&self, disc: &Disc, discs: &[Disc], sheet: &Sheet, block: &[Member]) -> ([Member; BLOCK], usize) {
        let (mut near, mut count) = ([Member::default(); BLOCK], 0);
        for candidate in block {
            let other = &discs[candidate.disc as usize];
            let reach = disc.radius + other.radius + self.skin;
            near[count] = *candidate;
            count += usize::from(sheet.between(disc.center, other.center).length_squared() < reach * reach);
        }
        (near, count)
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
    fn new(discs: &[Disc], members: &[u32], sheet: &Sheet, skin: f64) -> Self {
        let radius = members.iter().fold(0.0, |radius: f64, &at| radius.max(discs[at as usize].radius));
        let edge = 2.0 * (2.0 * radius + skin);
        let mut level = Self {
            radius,
            width: DVec3::splat(edge),
            around: [0; 2],
            mask: (2 * members.len()).next_power_of_two() as u32 - 1,
            starts: Vec::new(),
            members: Vec::new(),
        };
        if sheet.is_flat() {
            level.width.z = f64::INFINITY;
        }
        for (axis, periodic) in sheet.edges().into_iter().flatten().enumerate() {
            let around = (periodic / edge).floor().clamp(1.0, 1e6);
            level.around[axis] = around as i32;
            level.width[axis] = periodic / around;
        }
        level.fill(discs, members);
        level
    }

    // A counting sort; discs of one bucket keep their order.
    fn fill(&mut self, discs: &[Disc], members: &[u32]) {
        let member = |&disc: &u32| Member { cell: self.cell(discs[disc as usize].center), disc };
        let homes: Vec<Member> = members.iter().map(member).collect();
        let mut starts = vec![0_u32; self.mask as usize + 2];
        for home in &homes {
            starts[self.bucket(home.cell) as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut sorted = vec![Member::default(); homes.len()];
        for home in homes.iter().rev() {
            let start = &mut starts[self.bucket(home.cell) as usize];
            *start -= 1;
            sorted[*start as usize] = *home;
        }
        (self.starts, self.members) = (starts, sorted);
    }

    // Calls back with the discs of every cell within reach and the cell that they must be in, until told to stop.
    fn each_range(&self, center: DVec3, reach: f64, mut visit: impl FnMut(&[Member], Option<Cell>) -> bool) {
        let (low, high) = (self.cell(center - reach), self.cell(center + reach));
        let spans = [0, 1, 2].map(|axis| self.span(axis, low[axis], high[axis]));
        // In the wide reach of a large disc among small ones, far apart, there are more cells than discs.
        let cells: f64 = spans.iter().map(|span| f64::from(span.1) - f64::from(span.0) + 1.0).product();
        if cells > (self.members.len() + 8) as f64 {
            visit(&self.members, None);
            return;
        }
        for z in spans[2].0..=spans[2].1 {
            for y in spans[1].0..=spans[1].1 {
                for x in spans[0].0..=spans[0].1 {
                    let cell = [self.around(0, x), self.around(1, y), z];
                    let bucket = self.bucket(cell) as usize;
                    let (start, end) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
                    if !visit(&self.members[start..end], Some(cell)) {
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

/// Sorts discs along a Z-curve through cubes of this edge (Morton 1966).
pub(super) fn sort_along_curve(discs: &mut [Disc], edge: f64) {
    let coordinate = |x: f64| ((x / edge).clamp(-1e6, 1e6) as i64 + (1 << 20)) as u64;
    let key = |disc: &Disc| (morton(disc.center.to_array().map(coordinate)), disc.name);
    discs.sort_by_cached_key(key);
}
