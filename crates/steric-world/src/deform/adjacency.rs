//! Which points of a mesh are joined by an edge.

/// The edges of a tetrahedral mesh, by point.
///
/// ```
/// use steric_world::deform::Adjacency;
///
/// let two = Adjacency::of(5, &[[0, 1, 2, 3], [1, 2, 3, 4]]);
/// assert_eq!(two.neighbours(4), [1, 2, 3]);
/// assert_eq!(two.edges().count(), 9);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjacency {
    /// Where the neighbours of each point begin, and where the last ones end.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Adjacency {
    /// Of tetrahedra among some number of points.
    ///
    /// ```
    /// use steric_world::deform::Adjacency;
    ///
    /// assert_eq!(Adjacency::of(4, &[[3, 2, 1, 0]]).neighbours(2), [0, 1, 3]);
    /// ```
    pub fn of(points: usize, tetrahedra: &[[u32; 4]]) -> Self {
        let directed = |corners: &[u32; 4]| {
            let corners = *corners;
            (0..16).filter(|pair| pair / 4 != pair % 4).map(move |pair| [corners[pair / 4], corners[pair % 4]])
        };
        let mut pairs: Vec<[u32; 2]> = tetrahedra.iter().flat_map(directed).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; points + 1];
        pairs.iter().for_each(|pair| starts[pair[0] as usize + 1] += 1);
        (1..=points).for_each(|at| starts[at] += starts[at - 1]);
        Self { starts, neighbours: pairs.into_iter().map(|pair| pair[1]).collect() }
    }

    /// How many points there are.
    ///
    /// ```
    /// assert_eq!(steric_world::deform::Adjacency::of(4, &[[0, 1, 2, 3]]).points(), 4);
    /// ```
    pub fn points(&self) -> usize {
        self.starts.len() - 1
    }

    /// The points that share an edge with one, in increasing order.
    ///
    /// ```
    /// assert_eq!(steric_world::deform::Adjacency::of(4, &[[0, 1, 2, 3]]).neighbours(0), [1, 2, 3]);
    /// ```
    pub fn neighbours(&self, point: u32) -> &[u32] {
        &self.neighbours[self.starts[point as usize] as usize..self.starts[point as usize + 1] as usize]
    }

    /// Every edge once, its smaller point first, in increasing order.
    ///
    /// ```
    /// assert_eq!(steric_world::deform::Adjacency::of(4, &[[0, 1, 2, 3]]).edges().last(), Some([2, 3]));
    /// ```
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> {
        (0..self.points() as u32).flat_map(|point| {
            self.neighbours(point).iter().filter(move |&&other| other > point).map(move |&other| [point, other])
        })
    }

    /// A number for each point, the same for those that a path of edges joins; counted from 0 in the order of the first points.
    ///
    /// ```
    /// use steric_world::deform::Adjacency;
    ///
    /// assert_eq!(Adjacency::of(8, &[[0, 1, 2, 3], [4, 5, 6, 7]]).pieces(), [0, 0, 0, 0, 1, 1, 1, 1]);
    /// ```
    pub fn pieces(&self) -> Vec<u32> {
        let mut pieces = vec![u32::MAX; self.points()];
        let mut count = 0;
        let mut waiting = Vec::new();
        for first in 0..self.points() as u32 {
            if pieces[first as usize] != u32::MAX {
                continue;
            }
            pieces[first as usize] = count;
            waiting.push(first);
            while let Some(point) = waiting.pop() {
                for &other in self.neighbours(point) {
                    if pieces[other as usize] == u32::MAX {
                        pieces[other as usize] = count;
                        waiting.push(other);
                    }
                }
            }
            count += 1;
        }
        pieces
    }
}
