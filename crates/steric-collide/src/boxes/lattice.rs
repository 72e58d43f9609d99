//! Cells over a region, and which of them a box covers.
//!
//! How it works: a coordinate is moved and scaled to count in cells, and cut off below zero and above the last cell. None of these steps ever changes the order of two coordinates, so two boxes
//! that touch share a cell: the one that holds the low corner of what they have in common, whose coordinates are the greater ones of the two boxes' first cells.
//! That is also true for boxes that reach out of the region; a lattice that was made for other boxes is slower, never wrong.

use super::{Bounds, CellOrder};

/// No axis has more cells than this, so that three coordinates fit in 64 bits.
const MOST_ON_AXIS: f64 = (1u32 << 20) as f64;

/// The cells that a box covers: all from the first to the last on each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) first: [u32; 3],
    pub(super) last: [u32; 3],
    /// Which lattice it stands in.
    pub(super) level: u8,
}

impl Span {
    /// Of a box that holds nothing.
    pub(super) const NONE: Self = Self { first: [0; 3], last: [0; 3], level: u8::MAX };

    pub(super) fn cells(&self) -> u64 {
        (0..3).map(|axis| u64::from(self.last[axis] - self.first[axis] + 1)).product()
    }

    /// The cells along the rows, one row after the other.
    #[inline(always)]
    pub(super) fn each(self) -> impl Iterator<Item = [u32; 3]> {
        let ([x, y, z], [last_x, last_y, last_z]) = (self.first, self.last);
        (z..=last_z).flat_map(move |z| (y..=last_y).flat_map(move |y| (x..=last_x).map(move |x| [x, y, z])))
    }

    /// Visits the cells in that order.
    #[inline(always)]
    pub(super) fn visit(&self, mut visit: impl FnMut([u32; 3])) {
        for z in self.first[2]..=self.last[2] {
            for y in self.first[1]..=self.last[1] {
                for x in self.first[0]..=self.last[0] {
                    visit([x, y, z]);
                }
            }
        }
    }

    /// The cell of a rank in that order.
    pub(super) fn cell(&self, rank: u64) -> [u32; 3] {
        let sides: [u64; 2] = std::array::from_fn(|axis| u64::from(self.last[axis] - self.first[axis] + 1));
        let steps = [rank % sides[0], rank / sides[0] % sides[1], rank / sides[0] / sides[1]];
        std::array::from_fn(|axis| self.first[axis] + steps[axis] as u32)
    }
}

/// Cubes over a region.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Lattice {
    low: [f64; 3],
    high: [f64; 3],
    /// The edge that was wished for.
    wish: f64,
    edge: f64,
    per_edge: f64,
    cells: [u32; 3],
}

impl Lattice {
    /// Cells over a region, at least `wish` angstroms wide, and wide enough that `room` says there is room for them.
    pub(super) fn over(region: &Bounds, wish: f64, room: impl Fn([u32; 3]) -> bool) -> Self {
        let [low, high] = corners(region);
        let extent: [f64; 3] = std::array::from_fn(|axis| high[axis] - low[axis]);
        let longest = extent.into_iter().fold(0.0, f64::max);
        let mut edge = wish.max(longest / (MOST_ON_AXIS - 2.0)).max(f64::from(f32::MIN_POSITIVE));
        let count = |edge: f64| extent.map(|extent| (extent / edge) as u32 + 1);
        while !room(count(edge)) {
            edge *= 1.125;
        }
        Self { low, high, wish, edge, per_edge: 1.0 / edge, cells: count(edge) }
    }

    /// Whether these cells will do for another region and wish: keeping them keeps the cells of boxes that have not moved.
    pub(super) fn serves(&self, region: &Bounds, wish: f64) -> bool {
        let [low, high] = corners(region);
        let near = |axis: usize| {
            let reach = 2.0 * self.edge;
            let half = 0.5 * (self.high[axis] - self.low[axis]) - reach;
            low[axis] >= self.low[axis] - reach
                && high[axis] <= self.high[axis] + reach
                && high[axis] - low[axis] >= half
        };
        is_close(self.wish, wish) && (0..3).all(near)
    }

    pub(super) fn edge(&self) -> f64 {
        self.edge
    }

    pub(super) fn cells(&self) -> [u32; 3] {
        self.cells
    }

    /// The cells that a box covers which holds anything.
    #[inline(always)]
    pub(super) fn span(&self, of: &Bounds) -> Span {
        Span { first: self.cell(of.low), last: self.cell(of.high), level: 0 }
    }

    /// The cell of a place, or the nearest one.
    #[inline(always)]
    pub(super) fn cell(&self, at: [f32; 3]) -> [u32; 3] {
        let on_axis = |axis: usize| {
            // The cast cuts off below zero, and at the greatest number.
            let cells = ((f64::from(at[axis]) - self.low[axis]) * self.per_edge) as u32;
            cells.min(self.cells[axis] - 1)
        };
        [on_axis(0), on_axis(1), on_axis(2)]
    }
}

/// Whether a wish is near enough to an earlier one.
pub(super) fn is_close(earlier: f64, wish: f64) -> bool {
    wish >= 0.8 * earlier && wish <= 1.25 * earlier
}

/// The corners of a region as numbers that can be subtracted.
fn corners(region: &Bounds) -> [[f64; 3]; 2] {
    [region.low, region.high].map(|corner| corner.map(|x| f64::from(x.clamp(f32::MIN, f32::MAX))))
}

/// Numbers for the cells of a lattice, without gaps along rows, and with few along a Z-curve: each axis has a table, and the number of a cell is the sum of its three parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    parts: [Vec<u32>; 3],
    total: usize,
}

impl Numbers {
    pub(super) fn of([x, y, z]: [u32; 3], order: CellOrder) -> Self {
        let axis = |cells: u32, part: &dyn Fn(u32) -> u32| (0..cells).map(part).collect();
        let total = Self::total([x, y, z], order);
        let parts = match order {
            CellOrder::Rows => [axis(x, &|i| i), axis(y, &|i| i * x), axis(z, &|i| i * x * y)],
            CellOrder::ZCurve => {
                let places = bit_places([x, y, z]);
                [(x, 0), (y, 1), (z, 2)].map(|(cells, which)| axis(cells, &|i| spread(i, &places[which])))
            }
        };
        Self { parts, total }
    }

    /// One more than the greatest number.
    pub(super) fn total(cells: [u32; 3], order: CellOrder) -> usize {
        let sides = match order {
            CellOrder::Rows => cells,
            CellOrder::ZCurve => cells.map(u32::next_power_of_two),
        };
        sides.iter().fold(1, |product: usize, &side| product.saturating_mul(side as usize))
    }

    pub(super) fn count(&self) -> usize {
        self.total
    }

    #[inline(always)]
    pub(super) fn number(&self, [x, y, z]: [u32; 3]) -> u32 {
        self.parts[0][x as usize] + self.parts[1][y as usize] + self.parts[2][z as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.capacity() * size_of::<u32>()).sum()
    }
}

/// Which bit of a Morton code each bit of a coordinate becomes: in turns, as long as an axis has bits left.
fn bit_places(cells: [u32; 3]) -> [Vec<u32>; 3] {
    let bits = cells.map(|cells| cells.next_power_of_two().trailing_zeros());
    let mut places = [const { Vec::new() }; 3];
    let turns = (0..32).flat_map(|bit| (0..3).map(move |axis| (bit, axis)));
    for (place, (_, axis)) in turns.filter(|&(bit, axis)| bit < bits[axis]).enumerate() {
        places[axis].push(place as u32);
    }
    places
}

fn spread(coordinate: u32, places: &[u32]) -> u32 {
    places.iter().enumerate().map(|(bit, &place)| (coordinate >> bit & 1) << place).sum()
}

/// A key for a cell of a lattice of any size.
#[inline(always)]
pub(super) fn sparse_key([x, y, z]: [u32; 3], order: CellOrder) -> u64 {
    match order {
        CellOrder::Rows => u64::from(x) | u64::from(y) << 21 | u64::from(z) << 42,
        CellOrder::ZCurve => spread_by_three(x) | spread_by_three(y) << 1 | spread_by_three(z) << 2,
    }
}

/// The bits of a coordinate, each followed by two zeros: interleaved by halving the distance to go (Pascucci and Frank 2001 give the idea for grids).
#[inline(always)]
fn spread_by_three(coordinate: u32) -> u64 {
    let mut bits = u64::from(coordinate) & 0x1f_ffff;
    bits = (bits | bits << 32) & 0x1f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x1f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_a_number_of_its_own_in_both_orders() {
        for cells in [[1, 1, 1], [5, 3, 2], [1, 9, 4], [16, 16, 1]] {
            for order in [CellOrder::Rows, CellOrder::ZCurve] {
                let numbers = Numbers::of(cells, order);
                let mut seen = vec![0; numbers.count()];
                let all = Span { first: [0; 3], last: cells.map(|count| count - 1), level: 0 };
                all.each().for_each(|cell| seen[numbers.number(cell) as usize] += 1);
                assert!(seen.iter().all(|&times| times <= 1));
                assert_eq!(seen.iter().sum::<u64>(), all.cells());
            }
        }
    }

    #[test]
    fn a_morton_code_takes_bits_in_turns() {
        let numbers = Numbers::of([4, 4, 4], CellOrder::ZCurve);
        assert_eq!(numbers.number([3, 0, 2]), 0b10_1001);
        assert_eq!(sparse_key([3, 0, 2], CellOrder::ZCurve), 0b10_1001);
        assert_eq!(sparse_key([1 << 19, 0, 0], CellOrder::ZCurve), 1 << 57);
    }

    #[test]
    fn ranks_count_cells_along_the_rows() {
        let span = Span { first: [2, 3, 4], last: [3, 5, 4], level: 0 };
        let cells: Vec<_> = (0..span.cells()).map(|rank| span.cell(rank)).collect();
        assert_eq!(cells, span.each().collect::<Vec<_>>());
    }
}
