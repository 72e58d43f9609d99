//! Points by place, for the few searches that bonds need.
//!
//! How it works: space is cut into cubes twice as wide as the reach, so a ball of that reach touches at most eight of
//! them. Cubes are hashed into four to eight buckets per point, so most empty cubes are seen to be empty; a bucket that
//! two cubes share costs a few distances and no memory, however far apart the points lie.

use glam::Vec3;

pub(super) struct Nearby<'a> {
    positions: &'a [Vec3],
    reach: f32,
    mask: u32,
    // The points of bucket i are points[starts[i]..starts[i + 1]].
    starts: Vec<u32>,
    points: Vec<u32>,
    low: Vec3,
    high: Vec3,
}

impl<'a> Nearby<'a> {
    /// Sorts some of the positions, by index, into cubes; positions that are not finite are left out.
    pub(super) fn new(positions: &'a [Vec3], members: &[u32], reach: f32) -> Self {
        let members: Vec<u32> = members.iter().copied().filter(|&at| positions[at as usize].is_finite()).collect();
        let buckets = (4 * members.len()).next_power_of_two();
        let mut nearby = Self {
            positions,
            reach,
            mask: buckets as u32 - 1,
            starts: vec![0; buckets + 1],
            points: vec![0; members.len()],
            low: Vec3::INFINITY,
            high: Vec3::NEG_INFINITY,
        };
        let homes: Vec<u32> = members.iter().map(|&at| nearby.bucket(nearby.cube(positions[at as usize]))).collect();
        nearby.fill(&members, &homes);
        nearby
    }

    /// Calls back with every member within reach of a point, and the square of its distance; a member may come twice.
    pub(super) fn each(&self, point: Vec3, mut found: impl FnMut(u32, f32)) {
        let outside = point.cmplt(self.low - self.reach) | point.cmpgt(self.high + self.reach);
        if outside.any() || !point.is_finite() {
            return;
        }
        let (low, high) = (self.cube(point - self.reach), self.cube(point + self.reach));
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let bucket = self.bucket([x, y, z]) as usize;
                    for &at in &self.points[self.starts[bucket] as usize..self.starts[bucket + 1] as usize] {
                        let square = self.positions[at as usize].distance_squared(point);
                        if square <= self.reach * self.reach {
                            found(at, square);
                        }
                    }
                }
            }
        }
    }

    fn fill(&mut self, members: &[u32], homes: &[u32]) {
        for &home in homes {
            self.starts[home as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        for (&at, &home) in members.iter().zip(homes).rev() {
            let start = &mut self.starts[home as usize];
            *start -= 1;
            self.points[*start as usize] = at;
            self.low = self.low.min(self.positions[at as usize]);
            self.high = self.high.max(self.positions[at as usize]);
        }
    }

    // Far away coordinates saturate into the same cube, which is slow but right.
    fn cube(&self, point: Vec3) -> [i32; 3] {
        let scaled = point * (0.5 / self.reach);
        // The cast cuts towards zero; a call to floor costs more than the rest.
        [scaled.x, scaled.y, scaled.z].map(|x| (x as i32).saturating_sub(i32::from(x < 0.0)))
    }

    // The three primes of Teschner 2003, and the high bits mixed down.
    fn bucket(&self, [x, y, z]: [i32; 3]) -> u32 {
        let mixed = (x as u32).wrapping_mul(73_856_093)
            ^ (y as u32).wrapping_mul(19_349_663)
            ^ (z as u32).wrapping_mul(83_492_791);
        (mixed ^ (mixed >> 15)) & self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_neighbour_within_reach_is_found_and_nothing_else() {
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 * 20.0 - 10.0
        };
        let mut positions: Vec<Vec3> = (0..400).map(|_| Vec3::new(random(), random(), random())).collect();
        positions.push(Vec3::splat(f32::NAN));
        positions.push(Vec3::splat(1e30));
        let members: Vec<u32> = (0..positions.len() as u32).collect();
        let nearby = Nearby::new(&positions, &members, 2.0);
        for &point in &positions {
            let mut found = Vec::new();
            nearby.each(point, |at, _| found.push(at));
            found.sort_unstable();
            found.dedup();
            let near = |&at: &u32| positions[at as usize].distance_squared(point) <= 4.0;
            assert_eq!(found, members.iter().copied().filter(near).collect::<Vec<u32>>());
        }
    }
}
