//! Which part of space belongs to which rank.
//!
//! How it works: space is halved along its longest side so that the work is halved, too, and the halves are halved again until there is one
//! block for each rank; where the number of ranks is odd, one side gets a rank and its share of the work more. A cut is found from the sums
//! of the work in a thousand slices, twice, the second time within one slice. Extents are compared and work is whole numbers, so that all ranks find
//! the same cuts. In a periodic box coordinates are parts of its edges, between 0 and 1.

use glam::DVec3;
use steric_model::PeriodicBox;

use crate::comm::Comm;

/// Space is cut where a thousandth of a thousandth of its side begins.
const SLICES: usize = 1_024;

/// Coordinates for blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame(pub(crate) Option<PeriodicBox>);

impl Frame {
    /// Where a point is: in a periodic box as parts of its edges, between 0 and 1.
    pub(crate) fn place(&self, point: DVec3) -> DVec3 {
        self.0.map_or(point, |periodic_box| {
            let place = periodic_box.fractional(point);
            place - place.floor()
        })
    }

    /// A length along each axis.
    pub(crate) fn length(&self, length: f64) -> DVec3 {
        self.0.map_or(DVec3::splat(length), |periodic_box| length / periodic_box.widths())
    }
}

/// One cut: whatever lies below it on an axis goes to the first half of the ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cut {
    axis: usize,
    at: f64,
}

/// A block of space for each rank.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    frame: Frame,
    ranks: usize,
    // A tree: the halves of cut i are cut by 2 i + 1 and 2 i + 2.
    cuts: Vec<Cut>,
}

/// Some of the ranks, and the cut that is to part them.
#[derive(Clone, Copy, Debug)]
struct Group {
    cut: usize,
    ranks: usize,
}

impl Group {
    fn halves(self) -> [Self; 2] {
        let below = self.ranks / 2;
        [Self { cut: 2 * self.cut + 1, ranks: below }, Self { cut: 2 * self.cut + 2, ranks: self.ranks - below }]
    }
}

/// What a block is made of: a place and its work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) place: DVec3,
    pub(crate) work: i64,
}

impl Blocks {
    /// Blocks of equal work for all molecules of all ranks.
    pub(crate) fn new(comm: &dyn Comm, frame: Frame, loads: &[Load]) -> Self {
        let ranks = comm.ranks();
        let mut blocks = Self { frame, ranks, cuts: vec![Cut::default(); 2 * ranks.next_power_of_two()] };
        let mut groups = vec![Group { cut: 0, ranks }];
        // Of each molecule, the group that it is in.
        let mut group_of = vec![0usize; loads.len()];
        while groups.iter().any(|group| group.ranks > 1) {
            let sides = sides(comm, loads, &group_of, groups.len());
            let coarse = slices(comm, loads, &group_of, &sides);
            let found: Vec<(Side, i64)> = groups
                .iter()
                .zip(&sides)
                .zip(&coarse)
                .map(|((group, side), work)| narrowed(*group, *side, work))
                .collect();
            let narrow: Vec<Side> = found.iter().map(|(side, _)| *side).collect();
            let fine = slices(comm, loads, &group_of, &narrow);
            for ((group, (side, left)), work) in groups.iter().zip(&found).zip(&fine) {
                blocks.cuts[group.cut] = Cut { axis: side.axis, at: side.edge(nearest(work, *left)) };
            }
            (groups, group_of) = blocks.halved(&groups, loads, &group_of);
        }
        blocks
    }

    fn halved(&self, groups: &[Group], loads: &[Load], group_of: &[usize]) -> (Vec<Group>, Vec<usize>) {
        let first: Vec<usize> = groups
            .iter()
            .scan(0, |next, group| {
                let first = *next;
                *next += group.ranks.min(2);
                Some(first)
            })
            .collect();
        let halves =
            groups.iter().flat_map(|&group| if group.ranks > 1 { group.halves().to_vec() } else { vec![group] });
        let moved = loads.iter().zip(group_of).map(|(load, &group)| {
            let is_above = groups[group].ranks > 1 && self.is_above(groups[group].cut, load.place);
            first[group] + usize::from(is_above)
        });
        (halves.collect(), moved.collect())
    }

    fn is_above(&self, cut: usize, place: DVec3) -> bool {
        let Cut { axis, at } = self.cuts[cut];
        // A place that is no number lies below: it belongs somewhere, too.
        place[axis] >= at
    }

    /// Whose block a point lies in.
    pub(crate) fn owner(&self, point: DVec3) -> usize {
        let place = self.frame.place(point);
        let (mut group, mut first) = (Group { cut: 0, ranks: self.ranks }, 0);
        while group.ranks > 1 {
            let [below, above] = group.halves();
            group = if self.is_above(group.cut, place) {
                first += below.ranks;
                above
            } else {
                below
            };
        }
        first
    }
}

/// The part of an axis that is looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    axis: usize,
    low: f64,
    high: f64,
}

impl Side {
    fn edge(&self, slice: usize) -> f64 {
        self.low + (self.high - self.low) * (slice as f64 / SLICES as f64)
    }

    /// The slice of a place, if it lies on this part of the axis.
    fn slice(&self, place: DVec3) -> Option<usize> {
        let at = place[self.axis];
        let slice = (at - self.low) / (self.high - self.low) * SLICES as f64;
        (at >= self.low && at <= self.high).then(|| (slice as usize).min(SLICES - 1))
    }
}

/// The longest side of each group.
fn sides(comm: &dyn Comm, loads: &[Load], group_of: &[usize], groups: usize) -> Vec<Side> {
    let mut most = vec![i64::MIN; 6 * groups];
    for (load, group) in loads.iter().zip(group_of).filter(|(load, _)| load.place.is_finite()) {
        for axis in 0..3 {
            let key = ordered(load.place[axis]);
            let [low, high] = [6 * group + axis, 6 * group + 3 + axis];
            (most[low], most[high]) = (most[low].max(!key), most[high].max(key));
        }
    }
    comm.most(&mut most);
    let side = |most: &[i64]| {
        let is_empty = most[0] == i64::MIN;
        let of = |axis: usize| Side { axis, low: in_order(!most[axis]), high: in_order(most[3 + axis]) };
        let longer = |a: Side, b: Side| if b.high - b.low > a.high - a.low { b } else { a };
        if is_empty { Side::default() } else { longer(longer(of(0), of(1)), of(2)) }
    };
    most.chunks_exact(6).map(side).collect()
}

/// The work in each slice of a side of each group.
fn slices(comm: &dyn Comm, loads: &[Load], group_of: &[usize], sides: &[Side]) -> Vec<Vec<i64>> {
    let mut work = vec![0; SLICES * sides.len()];
    for (load, &group) in loads.iter().zip(group_of) {
        if let Some(slice) = sides[group].slice(load.place) {
            work[SLICES * group + slice] += load.work;
        }
    }
    comm.sum(&mut work);
    work.chunks_exact(SLICES).map(<[i64]>::to_vec).collect()
}

/// The slice in which a group's share of the work is reached, and how much of the share lies within.
fn narrowed(group: Group, side: Side, work: &[i64]) -> (Side, i64) {
    let total: i64 = work.iter().sum();
    let mut left = (i128::from(total) * (group.ranks / 2) as i128 / group.ranks.max(1) as i128) as i64;
    let mut slice = 0;
    while slice + 1 < SLICES && work[slice] < left {
        left -= work[slice];
        slice += 1;
    }
    (Side { low: side.edge(slice), high: side.edge(slice + 1), ..side }, left)
}

/// The edge of a slice below which there is most nearly so much work.
fn nearest(work: &[i64], wanted: i64) -> usize {
    let below = work.iter().scan(0i64, |below, work| {
        *below += work;
        Some(*below)
    });
    let edges = std::iter::once(0).chain(below).enumerate();
    edges.min_by_key(|(_, below)| below.abs_diff(wanted)).map_or(0, |(edge, _)| edge)
}

/// A whole number that is ordered as the number is.
fn ordered(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// The number of [`ordered`].
fn in_order(key: i64) -> f64 {
    f64::from_bits((key ^ ((key >> 63) as u64 >> 1) as i64) as u64)
}

#[cfg(test)]
mod tests {
    use steric_model::Random;

    use super::*;
    use crate::comm::threads;

    #[test]
    fn whole_numbers_are_ordered_as_numbers_are() {
        let numbers = [f64::NEG_INFINITY, -3.5, -1e-300, 0.0, 1e-300, 2.0, 3.5e200, f64::INFINITY];
        assert!(numbers.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        assert!(numbers.iter().all(|&number| in_order(ordered(number)).to_bits() == number.to_bits()));
    }

    #[test]
    fn blocks_have_equal_work_whatever_the_number_of_ranks() {
        let mut random = Random::new(5);
        let loads: Vec<Load> = (0..6_000)
            .map(|_| {
                let place = random.direction() * random.unit() * 300.0;
                Load { place, work: if place.x > 50.0 { 20 } else { 1 } }
            })
            .collect();
        for ranks in 1..=9 {
            let owners = threads::run(ranks, |comm: &dyn Comm| {
                let own: Vec<Load> = loads.iter().copied().skip(comm.rank()).step_by(ranks).collect();
                let blocks = Blocks::new(comm, Frame::default(), &own);
                loads.iter().map(|load| blocks.owner(load.place)).collect::<Vec<_>>()
            });
            assert!(owners.iter().all(|other| *other == owners[0]), "all ranks have the same blocks");
            let mut work = vec![0; ranks];
            loads.iter().zip(&owners[0]).for_each(|(load, &owner)| work[owner] += load.work);
            let mean = work.iter().sum::<i64>() as f64 / ranks as f64;
            assert!(work.iter().all(|&work| (work as f64 / mean - 1.0).abs() < 0.06), "{ranks} {work:?}");
        }
    }

    #[test]
    fn molecules_in_one_place_have_one_owner_and_nobody_waits() {
        let owners = threads::run(4, |comm: &dyn Comm| {
            let loads = [Load { place: DVec3::ONE, work: 3 }; 5];
            Blocks::new(comm, Frame::default(), &loads).owner(DVec3::ONE)
        });
        assert!(owners.iter().all(|&owner| owner == owners[0] && owner < 4));
    }

    #[test]
    fn every_image_has_the_same_owner() -> Result<(), &'static str> {
        let periodic_box = PeriodicBox::orthogonal(DVec3::new(10.0, 20.0, 30.0)).ok_or("a box")?;
        let frame = Frame(Some(periodic_box));
        let mut random = Random::new(8);
        let points: Vec<DVec3> = (0..400).map(|_| random.direction() * 25.0).collect();
        threads::run(3, |comm: &dyn Comm| {
            let loads: Vec<Load> = points.iter().map(|&point| Load { place: frame.place(point), work: 1 }).collect();
            let blocks = Blocks::new(comm, frame, &loads);
            for &point in &points {
                let image = point + DVec3::new(-20.0, 40.0, 30.0);
                assert_eq!(blocks.owner(point), blocks.owner(image));
            }
        });
        Ok(())
    }
}
