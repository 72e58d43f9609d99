//! What every reader of tetrahedra does with what it finds.
//!
//! How it works: points get their places in the order of the file, under the numbers that the file gives them. Cells that are
//! no tetrahedra are counted by kind; surfaces, lines and points are passed over, because files list them beside
//! the volume they bound. What was left out becomes one warning for each kind.

use std::collections::BTreeMap;
use std::path::Path;

use glam::DVec3;
use rustc_hash::FxHashMap;

use crate::formats::text::stem;
use crate::{Parsed, Place, ReadError, TetMesh, Warnings};

/// What a cell is to a mesh of tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Tetrahedron,
    /// More points than four; the first four are the corners in every format.
    CurvedTetrahedron,
    /// A point, a line or a part of a surface.
    Boundary,
    /// Another volume, by its name in the plural.
    Other(&'static str),
}

/// How a file numbers its points.
#[derive(Clone, Debug)]
pub(super) enum Numbering {
    /// From this number on, without gaps.
    From(i64),
    /// By numbers of their own.
    Tags(FxHashMap<i64, u32>),
}

#[derive(Debug)]
pub(super) struct Builder<'a> {
    path: &'a Path,
    pub(super) mesh: TetMesh,
    numbering: Numbering,
    /// How many points belong to pieces of the file that have been read.
    done: usize,
    pub(super) warnings: Warnings,
    left_out: BTreeMap<&'static str, usize>,
    curved: usize,
    odd_regions: usize,
}

impl<'a> Builder<'a> {
    pub(super) fn new(path: &'a Path, numbering: Numbering) -> Self {
        let mesh = TetMesh { name: stem(path), ..TetMesh::default() };
        let (left_out, warnings) = (BTreeMap::new(), Warnings::default());
        Self { path, mesh, numbering, done: 0, warnings, left_out, curved: 0, odd_regions: 0 }
    }

    /// A point by its own number; false if there is one of that number already.
    #[must_use]
    pub(super) fn push_tagged(&mut self, tag: i64, point: DVec3) -> bool {
        let number = self.mesh.points.len() as u32;
        self.mesh.points.push(point);
        match &mut self.numbering {
            Numbering::Tags(tags) => tags.insert(tag, number).is_none(),
            Numbering::From(first) => tag.checked_sub(*first) == Some(i64::from(number)),
        }
    }

    /// The number of the first point.
    pub(super) fn number_from(&mut self, first: i64) {
        self.numbering = Numbering::From(first);
    }

    /// From here on the file numbers its points from the beginning again.
    pub(super) fn begin_piece(&mut self) {
        self.done = self.mesh.points.len();
    }

    /// The place of the point that the file numbers so.
    pub(super) fn point(&self, number: i64) -> Option<u32> {
        match &self.numbering {
            Numbering::Tags(tags) => tags.get(&number).copied(),
            Numbering::From(first) => {
                let at = usize::try_from(number.checked_sub(*first)?).ok()?.checked_add(self.done)?;
                (at < self.mesh.points.len()).then(|| u32::try_from(at).ok())?
            }
        }
    }

    /// What a corner must be, in words.
    pub(super) fn expected_corner(&self) -> String {
        let points = self.mesh.points.len() - self.done;
        match self.numbering {
            Numbering::Tags(_) => format!("the number of one of the {points} points above"),
            Numbering::From(first) => format!("the number of one of the {points} points, from {first}"),
        }
    }

    pub(super) fn push_tetrahedron(&mut self, corners: [u32; 4], region: i64, shape: Shape) {
        self.curved += usize::from(shape == Shape::CurvedTetrahedron);
        self.mesh.tetrahedra.push(corners);
        self.mesh.regions.push(0);
        self.relabel(region);
    }

    /// Gives the newest tetrahedron another region.
    pub(super) fn relabel(&mut self, region: i64) {
        let label = u32::try_from(region);
        self.odd_regions += usize::from(label.is_err());
        if let Some(newest) = self.mesh.regions.last_mut() {
            *newest = label.unwrap_or(0);
        }
    }

    /// Counts cells that are no tetrahedra.
    pub(super) fn leave_out(&mut self, shape: Shape, count: usize) {
        if let (Shape::Other(name), 1..) = (shape, count) {
            let total = self.left_out.entry(name).or_default();
            *total = total.saturating_add(count);
        }
    }

    pub(super) fn finish(mut self) -> Result<Parsed<TetMesh>, ReadError> {
        let (points, left_out) = (self.mesh.points.len(), std::mem::take(&mut self.left_out));
        if self.mesh.tetrahedra.is_empty() {
            let others = left_out.iter().map(|(name, count)| format!(", {count} {name}")).collect::<String>();
            let found = format!("{points} points{others} and no tetrahedron");
            return Err(ReadError::content(self.path, Place::File, "a mesh of at least one tetrahedron", found));
        }
        if u32::try_from(points).is_err() {
            let expected = "at most 4294967295 points";
            return Err(ReadError::content(self.path, Place::File, expected, format!("{points} points")));
        }
        for (name, count) in left_out {
            self.warn(|| format!("{count} {name} were left out; only tetrahedra are read"));
        }
        self.warn_of_tetrahedra();
        Ok(Parsed { value: self.mesh, warnings: self.warnings })
    }

    fn warn_of_tetrahedra(&mut self) {
        let (curved, odd) = (self.curved, self.odd_regions);
        if curved > 0 {
            self.warn(|| format!("{curved} tetrahedra of a higher order were taken by their four corners"));
        }
        if odd > 0 {
            self.warn(|| format!("{odd} tetrahedra have a region that is no number from 0 to 4294967295; taken as 0"));
        }
    }

    pub(super) fn warn(&mut self, message: impl FnOnce() -> String) {
        self.warnings.push(Place::File, message);
    }
}
