//! Which points are near which: pairs, distances and vectors of plain arrays, in open space or in a box that repeats.
//!
//! How it works: points are sorted by cell, so what a point may be near are a few runs of points side by side, and a run is compared
//! eight points at a time in single precision. What lies so near the limit that single precision cannot tell is decided from the
//! points themselves, in double precision, so the answer is that of [`crate::reference::neighbours`], pair by pair. Each pair is looked at
//! once, from the cell that comes first. Pairs stand in the order of cells, which is the same for any number of threads; whoever
//! wants them sorted by point says so.

mod bins;
mod found;
mod frame;
mod search;
mod wide;

use std::sync::atomic::{AtomicBool, Ordering};

use glam::{DMat3, DVec3};
use steric_model::PeriodicBox;

use bins::Bins;
pub use found::{FoundNeighbours, From32or64, NeighbourArrays};
use frame::Frame;

/// Points in angstroms, in either precision.
///
/// ```
/// use steric_collide::Points;
///
/// assert_eq!(Points::Single(&[[1.0, 2.0, 3.0]]).at(0), glam::DVec3::new(1.0, 2.0, 3.0));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Points<'a> {
    /// Single precision.
    Single(&'a [[f32; 3]]),
    /// Double precision.
    Double(&'a [[f64; 3]]),
}

impl Points<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Single(points) => points.len(),
            Self::Double(points) => points.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    #[inline(always)]
    pub fn at(&self, index: usize) -> DVec3 {
        match self {
            Self::Single(points) => {
                let [x, y, z] = points[index];
                DVec3::new(f64::from(x), f64::from(y), f64::from(z))
            }
            Self::Double(points) => DVec3::from_array(points[index]),
        }
    }

    /// The lowest and the highest coordinates; `None` if one is no number or too far away.
    fn bounds(&self) -> Option<(DVec3, DVec3)> {
        // Infinities and NaN have to be found without a branch for each: a sum of zeros stays zero, and they make it NaN.
        let mut bounds = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let mut spoiled = DVec3::ZERO;
        let mut take = |point: DVec3| {
            bounds = (bounds.0.min(point), bounds.1.max(point));
            spoiled += point * 0.0;
        };
        match self {
            Self::Single(points) => points.iter().for_each(|&[x, y, z]| take(DVec3::new(x.into(), y.into(), z.into()))),
            Self::Double(points) => points.iter().for_each(|&point| take(DVec3::from_array(point))),
        }
        let farthest = bounds.0.abs().max(bounds.1.abs()).max_element();
        (spoiled == DVec3::ZERO && (self.is_empty() || farthest <= FARTHEST)).then_some(bounds)
    }
}

/// Coordinates beyond this, in angstroms, are a mistake: a metre is 1e10.
const FARTHEST: f64 = 1e12;
/// Words are twice a number and a bit, and are compared with their sign.
const MOST_POINTS: usize = 1 << 30;
/// Images of a box that a cutoff may reach.
const MOST_IMAGES: f64 = 1e6;

/// Which pairs are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairList {
    /// Each pair once, the smaller number first.
    #[default]
    Half,
    /// Each pair from both sides.
    Full,
}

/// How a box repeats.
///
/// ```
/// use glam::DVec3;
/// use steric_collide::Repeat;
/// use steric_model::PeriodicBox;
///
/// let periodic_box = PeriodicBox::orthogonal(DVec3::splat(30.0)).expect("a box with a volume");
/// assert_eq!(Repeat::from(periodic_box).along, [true; 3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeat {
    /// The box.
    pub periodic_box: PeriodicBox,
    /// Along which of its vectors it repeats.
    pub along: [bool; 3],
}

impl From<PeriodicBox> for Repeat {
    fn from(periodic_box: PeriodicBox) -> Self {
        Self { periodic_box, along: [true; 3] }
    }
}

impl Repeat {
    /// From a point to an image of another.
    pub(crate) fn shift(lattice: &DMat3, image: [i32; 3]) -> DVec3 {
        *lattice * DVec3::new(f64::from(image[0]), f64::from(image[1]), f64::from(image[2]))
    }
}

/// When two points are a pair, beyond lying within the cutoff.
///
/// A rule with radii takes pairs that are nearer than the sum of their radii less `allow`, whatever the cutoff.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairRule<'a> {
    /// A radius for each point, in angstroms.
    pub radii: Option<&'a [f32]>,
    /// The molecule of each point: pairs inside a molecule do not count.
    pub molecules: Option<&'a [i64]>,
    /// How deep spheres may overlap, in angstroms; negative for pairs that do not quite touch.
    pub allow: f64,
}

/// Why neighbours were not searched for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NeighbourError {
    /// A distance that no search can use.
    #[error("expected a cutoff above 0 and at most 1e6 angstroms, found {0}")]
    Cutoff(f64),
    /// A skin that no search can use.
    #[error("expected a skin from 0 to 1e6 angstroms, found {0}")]
    Skin(f64),
    /// An allowance that no search can use.
    #[error("expected an allowance from -1e6 to 1e6 angstroms, found {0}")]
    Allow(f64),
    /// A coordinate that is no number, or farther than a hundred metres away.
    #[error("expected coordinates that are numbers within 1e12 angstroms, found {found} at point {index}")]
    Coordinate {
        /// The first such point.
        index: usize,
        /// The coordinate.
        found: f64,
    },
    /// A radius that is none.
    #[error("expected radii from 0 to 1e6 angstroms, found {found} at point {index}")]
    Radius {
        /// The first such point.
        index: usize,
        /// The radius.
        found: f32,
    },
    /// More points than numbers for them.
    #[error("expected at most {MOST_POINTS} points, found {0}")]
    TooManyPoints(usize),
    /// A box so small beside the cutoff that its images cannot be counted.
    #[error(
        "expected a cutoff that reaches at most a million images of the box, found {cutoff} for a box {width} angstroms wide"
    )]
    TooManyImages {
        /// The cutoff.
        cutoff: f64,
        /// Between opposite faces.
        width: f64,
    },
    /// A point so many boxes away that it cannot be told how many.
    #[error("expected points within a million boxes of the origin, found point {0} farther away")]
    TooFarFromBox(usize),
    /// More pairs than the caller has room for.
    #[error("expected at most {most} pairs, found more; a smaller cutoff finds fewer")]
    TooManyPairs {
        /// How many there may be.
        most: usize,
    },
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}

/// A search for pairs of points within a cutoff.
///
/// ```
/// use steric_collide::{NeighbourSearch, Points};
///
/// let points = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [9.0, 0.0, 0.0]];
/// let found = NeighbourSearch::within(4.0).find(Points::Double(&points))?;
/// assert_eq!(found.pairs(), [[0, 1]]);
/// # Ok::<(), steric_collide::NeighbourError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NeighbourSearch<'a> {
    /// Pairs at most so far apart count, in angstroms. With radii in the rule it is not used.
    pub cutoff: f64,
    /// The box, if there is one. Every image within the cutoff counts, also a point's own.
    pub repeat: Option<Repeat>,
    /// Each pair once or from both sides.
    pub list: PairList,
    /// What else makes a pair.
    pub rule: PairRule<'a>,
    /// Whether images are kept, which distances, vectors and shifts in a box are made from.
    pub keep_images: bool,
    /// Whether pairs are sorted by the first point, the second and the image; otherwise they are in the order of cells.
    pub sorted: bool,
    /// Give up beyond so many pairs.
    pub most_pairs: usize,
    /// Stops the search where it becomes true.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for NeighbourSearch<'_> {
    fn default() -> Self {
        Self {
            cutoff: 5.0,
            repeat: None,
            list: PairList::Half,
            rule: PairRule::default(),
            keep_images: true,
            sorted: false,
            most_pairs: usize::MAX,
            stop: None,
        }
    }
}

impl<'a> NeighbourSearch<'a> {
    /// In open space, each pair once.
    pub fn within(cutoff: f64) -> Self {
        Self { cutoff, ..Self::default() }
    }

    /// Pairs among some points.
    pub fn find(&self, points: Points<'a>) -> Result<FoundNeighbours<'a>, NeighbourError> {
        let Some(reach) = self.reach(points)? else { return Ok(FoundNeighbours::none(points, points)) };
        if let Some(radii) = self.rule.radii
            && self.repeat.is_none()
            && wide::is_wide(radii)
        {
            return wide::find(self, points, radii);
        }
        let bins = self.bins(reach, 0.0, points)?;
        search::find(self, reach, (points, &bins), (points, &bins), false)
    }

    fn bins(&self, reach: f64, skin: f64, points: Points<'a>) -> Result<Bins, NeighbourError> {
        let bounds = frame::check(&[points])?;
        let frame = |factor| Frame::with_factor(self, reach, skin, &[points], bounds, factor);
        Bins::tuned(frame(1.0)?, points, frame)
    }

    /// Pairs of a point of the first set and one of the second, all of them. The rule is not used.
    ///
    /// ```
    /// use steric_collide::{NeighbourSearch, Points};
    ///
    /// let (atoms, ligand) = ([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]]);
    /// let found = NeighbourSearch::within(4.0).find_between(Points::Double(&atoms), Points::Single(&ligand))?;
    /// assert_eq!(found.pairs(), [[0, 0]]);
    /// # Ok::<(), steric_collide::NeighbourError>(())
    /// ```
    pub fn find_between(&self, first: Points<'a>, second: Points<'a>) -> Result<FoundNeighbours<'a>, NeighbourError> {
        let plain = Self { rule: PairRule::default(), ..*self };
        let (Some(reach), Some(_)) = (plain.reach(first)?, plain.reach(second)?) else {
            return Ok(FoundNeighbours::none(first, second));
        };
        let frame = Frame::new(self, reach, 0.0, &[first, second])?;
        let (ours, theirs) = (Bins::new(frame.clone(), first)?, Bins::new(frame, second)?);
        search::find(&plain, reach, (first, &ours), (second, &theirs), true)
    }

    /// How far apart two points of a pair can be; `None` if there is nothing to search.
    fn reach(&self, points: Points<'_>) -> Result<Option<f64>, NeighbourError> {
        let reach = match self.rule.radii {
            None if !(self.cutoff > 0.0 && self.cutoff <= 1e6) => return Err(NeighbourError::Cutoff(self.cutoff)),
            None => self.cutoff,
            Some(_) if !(-1e6..=1e6).contains(&self.rule.allow) => {
                return Err(NeighbourError::Allow(self.rule.allow));
            }
            Some(radii) => {
                assert_eq!(radii.len(), points.len(), "one radius per point");
                let wrong = radii.iter().position(|radius| !(0.0..=1e6).contains(radius));
                if let Some(index) = wrong {
                    return Err(NeighbourError::Radius { index, found: radii[index] });
                }
                2.0 * f64::from(radii.iter().fold(0.0f32, |most, &radius| most.max(radius))) - self.rule.allow
            }
        };
        if let Some(molecules) = self.rule.molecules {
            assert_eq!(molecules.len(), points.len(), "one molecule per point");
        }
        if points.len() > MOST_POINTS {
            return Err(NeighbourError::TooManyPoints(points.len()));
        }
        Ok((!points.is_empty() && reach > 0.0).then_some(reach))
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Cells that are kept from one frame of a trajectory to the next, as long as no point has moved more than half a skin.
///
/// ```
/// use steric_collide::{NeighbourIndex, NeighbourSearch, Points};
///
/// let mut index = NeighbourIndex::new(1.0)?;
/// let search = NeighbourSearch::within(4.0);
/// let mut points = vec![[0.0, 0.0, 0.0], [4.2, 0.0, 0.0]];
/// assert_eq!(index.find(&search, Points::Double(&points))?.len(), 0);
/// points[1][0] = 3.9;
/// assert_eq!(index.find(&search, Points::Double(&points))?.len(), 1);
/// assert_eq!(index.builds(), 1);
/// # Ok::<(), steric_collide::NeighbourError>(())
/// ```
#[derive(Debug)]
pub struct NeighbourIndex {
    skin: f64,
    kept: Option<Kept>,
    builds: u64,
}

#[derive(Debug)]
struct Kept {
    cutoff: f64,
    repeat: Option<Repeat>,
    bins: Bins,
}

impl NeighbourIndex {
    /// An index with a skin in angstroms.
    pub fn new(skin: f64) -> Result<Self, NeighbourError> {
        if !(0.0..=1e6).contains(&skin) {
            return Err(NeighbourError::Skin(skin));
        }
        Ok(Self { skin, kept: None, builds: 0 })
    }

    /// As [`NeighbourSearch::find`], with the cells of the last call where they still serve. The rule is not used.
    pub fn find<'a>(
        &mut self,
        search: &NeighbourSearch<'a>,
        points: Points<'a>,
    ) -> Result<FoundNeighbours<'a>, NeighbourError> {
        let search = NeighbourSearch { rule: PairRule::default(), ..*search };
        let Some(reach) = search.reach(points)? else { return Ok(FoundNeighbours::none(points, points)) };
        let same = |kept: &Kept| kept.cutoff == search.cutoff && kept.repeat == search.repeat;
        let mut kept = self.kept.take().filter(same);
        if !kept.as_mut().is_some_and(|kept| kept.bins.follow(points, 0.5 * self.skin)) {
            self.builds += 1;
            let mut bins = search.bins(reach, self.skin, points)?;
            if self.skin > 0.0 {
                bins.remember(points);
            }
            kept = Some(Kept { cutoff: search.cutoff, repeat: search.repeat, bins });
        }
        let kept = kept.unwrap_or_else(|| unreachable!("cells were just made"));
        let bins = &self.kept.insert(kept).bins;
        search::find(&search, reach, (points, bins), (points, bins), false)
    }

    /// How often the cells were made anew.
    pub fn builds(&self) -> u64 {
        self.builds
    }

    /// The skin in angstroms.
    pub fn skin(&self) -> f64 {
        self.skin
    }
}
