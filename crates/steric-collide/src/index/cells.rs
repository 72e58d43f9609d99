//! The cells of one slab: which clusters stand in which cell.
//!
//! How it works: clusters are sorted by cell, so that a cell is a range of slots and neighbouring cells of a row are
//! one range after the other. The three kinds differ in how they find the range of a cell:
//! *dense* has an entry for every cell; *wrapped* folds the cells onto a table of at most four entries per cluster,
//! whose sides are powers of two, and keeps the clusters of different cells in one entry apart by their coordinates;
//! *sparse* hashes the cells that hold anything at all.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::IndexKind;

/// The coordinates of a cell as one number that sorts by layer, then row, then along the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CellKey(u64);

impl CellKey {
    #[inline(always)]
    pub(crate) fn new([run, row, layer]: [i64; 3]) -> Self {
        Self((layer as u64) << 42 | (row as u64) << 21 | run as u64)
    }

    #[inline(always)]
    pub(crate) fn coordinates(self) -> [i64; 3] {
        [(self.0 & 0x1f_ffff) as i64, (self.0 >> 21 & 0x1f_ffff) as i64, (self.0 >> 42) as i64]
    }

    #[inline(always)]
    pub(crate) fn layer(self) -> i64 {
        (self.0 >> 42) as i64
    }

    /// The cell of the same run and row in another layer.
    #[inline(always)]
    pub(crate) fn in_layer(self, layer: i64) -> Self {
        Self(self.0 & ((1 << 42) - 1) | (layer as u64) << 42)
    }
}

/// Ranges of slots by cell. Rebuilt for each slab; its memory is kept.
#[derive(Debug, Default)]
pub(crate) struct CellTable {
    kind: IndexKind,
    // Entries along the run and row axes; powers of two for the wrapped table.
    sides: [i64; 2],
    // Dense and wrapped: where the slots of each entry start, and the end.
    starts: Vec<u32>,
    // The cell of each slot; wrapped and sparse tables look here.
    keys: Vec<CellKey>,
    occupied: FxHashMap<CellKey, Range<u32>>,
    entries: Vec<u32>,
}

impl CellTable {
    /// Sorts clusters into cells. `cells` counts the cells along run, row and layer axis; `slot_of` becomes the slot
    /// of each cluster.
    pub(crate) fn build(
        &mut self,
        kind: IndexKind,
        cells: [i64; 3],
        cluster_cells: &[CellKey],
        slot_of: &mut Vec<u32>,
    ) {
        self.kind = kind;
        self.occupied.clear();
        slot_of.clear();
        match kind {
            IndexKind::Sparse => self.sort_sparse(cluster_cells, slot_of),
            _ => self.sort_table(cells, cluster_cells, slot_of),
        }
        self.keys.clear();
        self.keys.resize(cluster_cells.len(), CellKey::default());
        for (&slot, &key) in slot_of.iter().zip(cluster_cells) {
            self.keys[slot as usize] = key;
        }
    }

    /// The cell of each slot.
    pub(crate) fn keys(&self) -> &[CellKey] {
        &self.keys
    }

    /// The slots of a cell; empty if nothing stands there.
    #[inline]
    pub(crate) fn slots(&self, cell: [i64; 3]) -> Range<u32> {
        match self.kind {
            IndexKind::Sparse => self.occupied.get(&CellKey::new(cell)).cloned().unwrap_or(0..0),
            IndexKind::Wrapped => self.own_part(self.entry_slots(cell), CellKey::new(cell)),
            _ => self.entry_slots(cell),
        }
    }

    /// Where the slots of each cell start, where every cell has an entry and the cells of a row stand side by side; and
    /// the entries along run and row.
    #[inline(always)]
    pub(crate) fn dense(&self) -> Option<(&[u32], [i64; 2])> {
        (self.kind == IndexKind::Dense).then_some((&self.starts, self.sides))
    }

    #[inline]
    fn entry_slots(&self, cell: [i64; 3]) -> Range<u32> {
        let entry = self.entry(cell);
        self.starts[entry]..self.starts[entry + 1]
    }

    /// Of the slots of a wrapped entry, those of one cell; they stand together because the entry is sorted.
    fn own_part(&self, slots: Range<u32>, key: CellKey) -> Range<u32> {
        let keys = &self.keys[slots.start as usize..slots.end as usize];
        let first = keys.iter().take_while(|&&other| other < key).count() as u32;
        let count = keys[first as usize..].iter().take_while(|&&other| other == key).count() as u32;
        slots.start + first..slots.start + first + count
    }

    #[inline]
    fn entry(&self, [run, row, layer]: [i64; 3]) -> usize {
        let [runs, rows] = self.sides;
        match self.kind {
            IndexKind::Wrapped => ((layer * rows + (row & (rows - 1))) * runs + (run & (runs - 1))) as usize,
            _ => ((layer * rows + row) * runs + run) as usize,
        }
    }

    fn sort_table(&mut self, [runs, rows, layers]: [i64; 3], cluster_cells: &[CellKey], slot_of: &mut Vec<u32>) {
        self.sides = match self.kind {
            IndexKind::Wrapped => wrapped_sides([runs, rows, layers], cluster_cells.len()),
            _ => [runs, rows],
        };
        let entries = (self.sides[0] * self.sides[1] * layers) as usize;
        self.starts.clear();
        self.starts.resize(entries + 2, 0);
        self.entries.clear();
        for key in cluster_cells {
            let entry = self.entry(key.coordinates());
            self.entries.push(entry as u32);
            // Counts stand two entries late, so that after the sum and the second pass each entry holds its start.
            self.starts[entry + 2] += 1;
        }
        for entry in 2..self.starts.len() {
            self.starts[entry] += self.starts[entry - 1];
        }
        for &entry in &self.entries {
            let next = &mut self.starts[entry as usize + 1];
            slot_of.push(*next);
            *next += 1;
        }
        if self.kind == IndexKind::Wrapped {
            self.sort_entries(cluster_cells, slot_of);
        }
    }

    /// Sorts the clusters inside each wrapped entry by cell.
    fn sort_entries(&mut self, cluster_cells: &[CellKey], slot_of: &mut [u32]) {
        let mut order = vec![0; cluster_cells.len()];
        for (index, &slot) in slot_of.iter().enumerate() {
            order[slot as usize] = index as u32;
        }
        for entry in 0..self.starts.len() - 2 {
            let (start, end) = (self.starts[entry] as usize, self.starts[entry + 1] as usize);
            let members = &mut order[start..end];
            if members.windows(2).all(|pair| cluster_cells[pair[0] as usize] <= cluster_cells[pair[1] as usize]) {
                continue;
            }
            members.sort_by_key(|&index| cluster_cells[index as usize]);
            for (rank, &index) in members.iter().enumerate() {
                slot_of[index as usize] = (start + rank) as u32;
            }
        }
    }

    fn sort_sparse(&mut self, cluster_cells: &[CellKey], slot_of: &mut Vec<u32>) {
        let mut order: Vec<u32> = (0..cluster_cells.len() as u32).collect();
        order.sort_by_key(|&index| cluster_cells[index as usize]);
        slot_of.resize(cluster_cells.len(), 0);
        for (slot, &index) in order.iter().enumerate() {
            slot_of[index as usize] = slot as u32;
            let slots = self.occupied.entry(cluster_cells[index as usize]).or_insert(slot as u32..slot as u32);
            slots.end = slot as u32 + 1;
        }
    }
}

/// Powers of two along run and row, near two entries per cluster, and at least four so that a cell's neighbours are
/// different entries.
fn wrapped_sides([runs, rows, layers]: [i64; 3], clusters: usize) -> [i64; 2] {
    let wanted = (2 * clusters as i64 / layers).max(16);
    let mut sides = [4, 4];
    while sides[0] * sides[1] < wanted {
        let axis = usize::from(sides[1] < sides[0]);
        sides[axis] *= 2;
    }
    let most = |cells: i64| (cells as u64).next_power_of_two().max(4) as i64;
    [sides[0].min(most(runs)), sides[1].min(most(rows))]
}
