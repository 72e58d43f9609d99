//! Spheres that stay where they are, asked again and again who is near a point: a receptor, with a ligand that is moved by hand.
//!
//! How it works: the fast index has cells that are long and flat. Spheres are sorted by cell, so a question is a few runs of neighbours in
//! memory, cut to the reach along x. Beside it stand the two indexes of the docking program of 1989, whose cells are as large as the largest
//! sphere and list every sphere that reaches into them, and the comparison with all.

mod listed;
mod rows;

use glam::{DVec3, Vec3};

use listed::Listed;
use rows::Rows;

/// How spheres that are near are found.
///
/// ```
/// use steric_collide::ProbeIndex;
///
/// assert_eq!("hashed".parse(), Ok(ProbeIndex::Hashed));
/// assert_eq!(ProbeIndex::Grid.to_string(), "grid");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProbeIndex {
    /// Long flat cells in rows.
    #[default]
    Rows,
    /// Cells as large as the largest sphere, all of them in a box.
    Grid,
    /// The same cells, folded onto 4,096 by a hash.
    Hashed,
    /// No index: all are compared.
    Brute,
}

impl ProbeIndex {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Rows, Self::Grid, Self::Hashed, Self::Brute];

    fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Grid => "grid",
            Self::Hashed => "hashed",
            Self::Brute => "brute",
        }
    }
}

impl std::fmt::Display for ProbeIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for ProbeIndex {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|index| index.name() == text);
        known.ok_or_else(|| format!("expected rows, grid, hashed or brute, found {text}"))
    }
}

/// Spheres that stay where they are.
///
/// ```
/// use glam::DVec3;
/// use steric_collide::{Obstacle, ProbeIndex};
///
/// let wall = Obstacle::new(&[DVec3::ZERO, DVec3::X * 9.0], &[1.7, 1.7], ProbeIndex::Rows);
/// let mut near = Vec::new();
/// wall.near(DVec3::X * 2.0, 1.0, &mut near);
/// assert_eq!(near, [0], "its surface is 0.3 angstroms away, that of the other one 5.3");
/// assert_eq!(wall.deepest(DVec3::X * 2.0, 0.5), Some((0, 1.7 + 0.5 - 2.0)));
/// ```
#[derive(Debug)]
pub struct Obstacle {
    centers: Vec<DVec3>,
    radii: Vec<f64>,
    corners: (DVec3, DVec3),
    index: Index,
}

#[derive(Debug)]
enum Index {
    Rows(Rows),
    Listed(Listed),
    Brute,
}

/// Single precision is trusted to within this, in angstroms.
const DOUBT: f64 = 1e-3;

impl Obstacle {
    /// Spheres, with an index.
    pub fn new(centers: &[DVec3], radii: &[f64], index: ProbeIndex) -> Self {
        assert_eq!(centers.len(), radii.len(), "a radius for each centre");
        let index = match index {
            ProbeIndex::Rows => Index::Rows(Rows::new(centers, radii)),
            ProbeIndex::Grid => Index::Listed(Listed::new(centers, radii, false)),
            ProbeIndex::Hashed => Index::Listed(Listed::new(centers, radii, true)),
            ProbeIndex::Brute => Index::Brute,
        };
        let (low, high) = corners(centers);
        let largest = largest(radii);
        Self { centers: centers.to_vec(), radii: radii.to_vec(), corners: (low - largest, high + largest), index }
    }

    /// How many spheres there are.
    pub fn len(&self) -> usize {
        self.centers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.centers.is_empty()
    }

    /// The centre of a sphere.
    pub fn center(&self, sphere: u32) -> DVec3 {
        self.centers[sphere as usize]
    }

    /// Its radius.
    pub fn radius(&self, sphere: u32) -> f64 {
        self.radii[sphere as usize]
    }

    /// The lowest and the highest corner of a box around all spheres.
    pub fn corners(&self) -> (DVec3, DVec3) {
        self.corners
    }

    /// Adds the spheres whose surface is nearer than `reach` to a point, in no order, each once.
    pub fn near(&self, point: DVec3, reach: f64, found: &mut Vec<u32>) {
        if !point.is_finite() || !reach.is_finite() {
            return;
        }
        let begin = found.len();
        match &self.index {
            Index::Rows(rows) => rows.near(point, reach, found),
            Index::Listed(listed) => listed.near(point, reach, found),
            Index::Brute => found.extend(0..self.len() as u32),
        }
        // What single precision has doubts about is decided here.
        let is_near = |&sphere: &u32| {
            let far = reach + self.radii[sphere as usize];
            far > 0.0 && point.distance_squared(self.centers[sphere as usize]) < far * far
        };
        let mut kept = begin;
        for at in begin..found.len() {
            if is_near(&found[at]) {
                found[kept] = found[at];
                kept += 1;
            }
        }
        found.truncate(kept);
    }

    /// The sphere that a ball is deepest in, and how deep, if it is in any; of equals the first.
    pub fn deepest(&self, center: DVec3, radius: f64) -> Option<(u32, f64)> {
        let mut found = Vec::new();
        self.near(center, radius, &mut found);
        let depth = |sphere: u32| self.radius(sphere) + radius - center.distance(self.center(sphere));
        let deepest = found.into_iter().map(|sphere| (sphere, depth(sphere)));
        deepest.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)))
    }

    /// Whether any of some balls reaches into a sphere by more than `allow`. Balls are places relative to the obstacle's own frame.
    pub fn is_hit(&self, centers: &[DVec3], radii: &[f64], allow: f64) -> bool {
        if let Index::Rows(rows) = &self.index {
            return rows.is_hit(centers, radii, allow, |sphere, at| self.depth(sphere, centers[at], radii[at]) > allow);
        }
        let mut found = Vec::new();
        centers.iter().zip(radii).any(|(&center, &radius)| {
            found.clear();
            self.near(center, radius - allow, &mut found);
            !found.is_empty()
        })
    }

    /// How deep a ball is in a sphere; negative if it is outside.
    pub fn depth(&self, sphere: u32, center: DVec3, radius: f64) -> f64 {
        self.radius(sphere) + radius - center.distance(self.center(sphere))
    }

    /// The mean number of spheres in a cell that is not empty; of the two indexes that list spheres in cells.
    pub fn spheres_per_cell(&self) -> Option<f64> {
        match &self.index {
            Index::Listed(listed) => Some(listed.spheres_per_cell()),
            _ => None,
        }
    }
}

/// The lowest and the highest corner of all centres; the origin twice if there are none.
fn corners(centers: &[DVec3]) -> (DVec3, DVec3) {
    let Some(&first) = centers.first() else { return (DVec3::ZERO, DVec3::ZERO) };
    centers.iter().fold((first, first), |(low, high), center| (low.min(*center), high.max(*center)))
}

fn largest(radii: &[f64]) -> f64 {
    radii.iter().copied().fold(0.0, f64::max)
}

/// How wide cells are that should be so wide, in a room: wider if memory could not hold so many, however long and thin the room is.
fn edge_of(wanted: f64, room: DVec3, spheres: usize) -> f64 {
    let most = 64.0 * spheres.max(4_096) as f64;
    let mut edge = wanted.max(1e-3);
    while ((room / edge).floor() + 1.0).element_product() > most {
        edge *= 1.25;
    }
    edge
}

fn single(point: DVec3) -> Vec3 {
    point.as_vec3()
}
