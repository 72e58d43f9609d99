//! Points in k groups of neighbours.
//!
//! How it works: Lloyd's algorithm. Every point goes to the nearest mean, every mean to the middle of its points, until nobody changes
//! sides. The means stand in arrays of eight, one array per axis, and are compared eight at a time; points are dealt out to threads,
//! and sums are made in the order of points, so that the bits do not depend on the threads. Every point is compared with every mean, so very many points are first
//! halved again and again where they are longest, and each piece is cut into its share of the groups by itself.

use glam::Vec3;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::{LANES, Random};

/// The group of each point: at most `groups` of them, numbered from 0 without gaps, none of them empty.
///
/// The first means are drawn by k-means++ (Arthur and Vassilvitskii 2007): each far from those before it, with a chance that grows with
/// the square of the distance. The same seed gives the same groups on any number of threads.
///
/// ```
/// use glam::Vec3;
/// use steric_model::k_means;
///
/// let two_lumps = [0.0, 1.0, 50.0, 51.0].map(|x| Vec3::X * x);
/// let groups = k_means(&two_lumps, 2, 7);
/// assert!(groups[0] == groups[1] && groups[2] == groups[3] && groups[0] != groups[2]);
/// assert_eq!(k_means(&two_lumps, 9, 7).iter().max(), Some(&3), "no more groups than points");
/// ```
pub fn k_means(points: &[Vec3], groups: usize, seed: u64) -> Vec<u32> {
    if points.len() as u64 * groups as u64 <= MOST_DISTANCES {
        return in_one_piece(points, groups, seed);
    }
    // Every piece gets at least 64 groups, so that few of them lie at its border.
    let largest = (64 * points.len()).div_ceil(groups.min(points.len())).max(LARGEST_PIECE);
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut pieces = Vec::new();
    halve(points, &mut order, largest, &mut pieces);
    let share = |point: usize| (point as u128 * groups as u128 / points.len() as u128) as usize;
    let cut = |piece: &std::ops::Range<usize>| {
        let own: Vec<Vec3> = order[piece.clone()].iter().map(|&point| points[point as usize]).collect();
        in_one_piece(&own, share(piece.end) - share(piece.start), seed.wrapping_add(piece.start as u64))
    };
    let cuts: Vec<Vec<u32>> = pieces.par_iter().map(cut).collect();
    let (mut labels, mut first) = (vec![0; points.len()], 0);
    for (piece, own) in pieces.into_iter().zip(cuts) {
        order[piece].iter().zip(&own).for_each(|(&point, label)| labels[point as usize] = first + label);
        first += own.iter().max().map_or(0, |most| most + 1);
    }
    labels
}

/// Distances of one round that are not worth cutting points into pieces: some tens of milliseconds.
const MOST_DISTANCES: u64 = 1 << 26;
const LARGEST_PIECE: usize = 8_192;

fn in_one_piece(points: &[Vec3], groups: usize, seed: u64) -> Vec<u32> {
    let means = drawn_apart(points, groups, seed);
    numbered_without_gaps(lloyd(points, means, 10))
}

/// Ranges of the order that are no larger than asked for, each of neighbours.
fn halve(points: &[Vec3], order: &mut [u32], largest: usize, pieces: &mut Vec<std::ops::Range<usize>>) {
    let mut open: Vec<std::ops::Range<usize>> = Vec::new();
    let mut next = Some(0..order.len());
    while let Some(range) = next.take().or_else(|| open.pop()) {
        if range.len() <= largest {
            pieces.push(range);
            continue;
        }
        let own = &mut order[range.clone()];
        let place = |point: &u32| points[*point as usize];
        let low = own.iter().map(place).fold(Vec3::INFINITY, Vec3::min);
        let high = own.iter().map(place).fold(Vec3::NEG_INFINITY, Vec3::max);
        let axis = (high - low).max_position();
        let by_place = |a: &u32, b: &u32| place(a)[axis].total_cmp(&place(b)[axis]).then(a.cmp(b));
        own.select_nth_unstable_by(range.len() / 2, by_place);
        let middle = range.start + range.len() / 2;
        open.push(middle..range.end);
        open.push(range.start..middle);
    }
}

/// The group of each point after so many rounds, or when nobody changes sides any more; a group may stay empty.
pub(crate) fn lloyd(points: &[Vec3], means: Vec<Vec3>, rounds: usize) -> Vec<u32> {
    let mut means = Means::new(&means);
    let mut labels = vec![0; points.len()];
    for _ in 0..rounds {
        let next = means.nearest_of(points);
        let is_settled = next == labels;
        labels = next;
        if is_settled && means.moved {
            break;
        }
        means.move_to_middles(points, &labels);
    }
    labels
}

/// Of equally near means the first.
struct Means {
    blocks: Vec<[[f32; LANES]; 3]>,
    count: usize,
    /// Whether they have been moved at all.
    moved: bool,
}

impl Means {
    fn new(means: &[Vec3]) -> Self {
        // A mean at infinity is the nearest of nobody.
        let mut blocks = vec![[[f32::INFINITY; LANES]; 3]; means.len().div_ceil(LANES)];
        for (index, mean) in means.iter().enumerate() {
            for axis in 0..3 {
                blocks[index / LANES][axis][index % LANES] = mean[axis];
            }
        }
        Self { blocks, count: means.len(), moved: false }
    }

    fn nearest_of(&self, points: &[Vec3]) -> Vec<u32> {
        let mut nearest = vec![0; points.len()];
        let work =
            |(points, nearest): (&[Vec3], &mut [u32])| Arch::new().dispatch(Nearest { means: self, points, nearest });
        // Few distances are not worth a second thread.
        if points.len() * self.count < 100_000 {
            work((points, &mut nearest));
        } else {
            points.par_chunks(512).zip(nearest.par_chunks_mut(512)).for_each(work);
        }
        nearest
    }

    #[inline(always)]
    fn nearest(&self, point: Vec3) -> u32 {
        let (mut best, mut at) = ([f32::INFINITY; LANES], [0u32; LANES]);
        for (number, [x, y, z]) in (0u32..).zip(&self.blocks) {
            for lane in 0..LANES {
                let (dx, dy, dz) = (x[lane] - point.x, y[lane] - point.y, z[lane] - point.z);
                let squared = dx * dx + dy * dy + dz * dz;
                let is_nearer = squared < best[lane];
                best[lane] = if is_nearer { squared } else { best[lane] };
                at[lane] = if is_nearer { number } else { at[lane] };
            }
        }
        let mut nearest = (f32::INFINITY, 0);
        for lane in 0..LANES {
            let index = at[lane] * LANES as u32 + lane as u32;
            if best[lane] < nearest.0 || (best[lane] == nearest.0 && index < nearest.1) {
                nearest = (best[lane], index);
            }
        }
        nearest.1.min(self.count.saturating_sub(1) as u32)
    }

    fn move_to_middles(&mut self, points: &[Vec3], labels: &[u32]) {
        let mut sums = vec![(Vec3::ZERO, 0.0f32); self.count];
        for (&label, &point) in labels.iter().zip(points) {
            let (sum, count) = &mut sums[label as usize];
            *sum += point;
            *count += 1.0;
        }
        for (index, (sum, count)) in sums.into_iter().enumerate().filter(|(_, (_, count))| *count > 0.0) {
            let middle = sum / count;
            for axis in 0..3 {
                self.blocks[index / LANES][axis][index % LANES] = middle[axis];
            }
        }
        self.moved = true;
    }
}

/// Points for one thread.
struct Nearest<'a> {
    means: &'a Means,
    points: &'a [Vec3],
    nearest: &'a mut [u32],
}

impl WithSimd for Nearest<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (nearest, &point) in self.nearest.iter_mut().zip(self.points) {
            *nearest = self.means.nearest(point);
        }
    }
}

/// k-means++: the chance of a point is the square of its distance from the nearest mean so far.
fn drawn_apart(points: &[Vec3], groups: usize, seed: u64) -> Vec<Vec3> {
    let groups = groups.max(1).min(points.len());
    let mut random = Random::of(seed, points.len() as u64);
    let mut gaps = vec![f32::INFINITY; points.len()];
    let mut means: Vec<Vec3> = Vec::with_capacity(groups);
    for _ in 0..groups {
        let chosen = match means.last() {
            None => (random.unit() * points.len() as f64) as usize,
            Some(&newest) => {
                let mut total = 0.0f64;
                for (gap, point) in gaps.iter_mut().zip(points) {
                    *gap = gap.min(point.distance_squared(newest));
                    total += f64::from(*gap);
                }
                drawn(&gaps, random.unit() * total)
            }
        };
        means.push(points[chosen]);
    }
    means
}

/// The first point at which the sum of gaps passes a mark; a point that is a mean already has no gap.
fn drawn(gaps: &[f32], mark: f64) -> usize {
    let mut sum = 0.0;
    let passes = |gap: &f32| {
        sum += f64::from(*gap);
        *gap > 0.0 && sum > mark
    };
    let farthest = || gaps.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(index, _)| index);
    gaps.iter().position(passes).unwrap_or_else(farthest)
}

fn numbered_without_gaps(mut labels: Vec<u32>) -> Vec<u32> {
    let most = labels.iter().max().map_or(0, |&most| most as usize + 1);
    let mut numbers = vec![u32::MAX; most];
    labels.iter().for_each(|&label| numbers[label as usize] = 0);
    let used = numbers.iter_mut().filter(|number| **number == 0);
    (0u32..).zip(used).for_each(|(next, number)| *number = next);
    labels.iter_mut().for_each(|label| *label = numbers[*label as usize]);
    labels
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn very_many_points_are_cut_into_as_many_small_groups() {
        let mut random = Random::new(3);
        let mut unit = || random.unit() as f32;
        let points: Vec<Vec3> = (0..60_000).map(|_| Vec3::new(unit(), unit(), unit()) * 100.0).collect();
        let cut = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| k_means(&points, 15_000, 9))
        };
        let labels = cut(3);
        assert_eq!(labels, cut(1));
        let count = labels.iter().max().map_or(0, |most| *most as usize + 1);
        assert!((14_000..=15_000).contains(&count), "{count}");
        let mut sums = vec![(Vec3::ZERO, 0.0f32); count];
        labels.iter().zip(&points).for_each(|(&label, point)| {
            let (sum, own) = &mut sums[label as usize];
            (*sum, *own) = (*sum + *point, *own + 1.0);
        });
        let apart: f32 = labels
            .iter()
            .zip(&points)
            .map(|(&label, point)| {
                let (sum, own) = sums[label as usize];
                point.distance(sum / own)
            })
            .sum::<f32>()
            / points.len() as f32;
        // A cube with the room of four points has an edge of 4; its points are about 1.9 from its middle.
        assert!(apart < 2.2, "{apart}");
    }

    fn nearest_by_eye(means: &[Vec3], point: Vec3) -> u32 {
        let mut best = (f32::INFINITY, 0);
        for (index, mean) in (0u32..).zip(means) {
            let distance = mean.distance_squared(point);
            if distance < best.0 {
                best = (distance, index);
            }
        }
        best.1
    }

    proptest! {
        #[test]
        fn eight_at_a_time_find_the_mean_that_one_at_a_time_finds(
            points in prop::collection::vec((-9i8..9, -9i8..9, -9i8..9), 1..60),
            means in prop::collection::vec((-9i8..9, -9i8..9, -9i8..9), 1..40),
        ) {
            let places = |all: Vec<(i8, i8, i8)>| -> Vec<Vec3> {
                all.iter().map(|&(x, y, z)| Vec3::new(x.into(), y.into(), z.into())).collect()
            };
            let (points, means) = (places(points), places(means));
            let fast = Means::new(&means);
            for &point in &points {
                prop_assert_eq!(fast.nearest(point), nearest_by_eye(&means, point));
            }
        }

        #[test]
        fn every_group_has_a_point_and_numbers_have_no_gaps(
            points in prop::collection::vec((-9i8..9, -9i8..9, -9i8..9), 0..200), groups in 0usize..50, seed in 0u64..9,
        ) {
            let points: Vec<Vec3> = points.iter().map(|&(x, y, z)| Vec3::new(x.into(), y.into(), z.into())).collect();
            let labels = k_means(&points, groups, seed);
            let mut seen: Vec<u32> = labels.clone();
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(&seen, &(0..seen.len() as u32).collect::<Vec<_>>());
            prop_assert!(seen.len() <= groups.max(1));
            prop_assert_eq!(labels.len(), points.len());
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_groups_on_any_number_of_threads() {
        let mut random = Random::new(3);
        let points: Vec<Vec3> = (0..3_000).map(|_| (random.direction() * 40.0 * random.unit()).as_vec3()).collect();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| k_means(&points, 200, 5))
        };
        let one = on(1);
        assert_eq!(one, on(3));
        assert_ne!(one, k_means(&points, 200, 6));
        assert_eq!(one.iter().max(), Some(&199));
    }
}
