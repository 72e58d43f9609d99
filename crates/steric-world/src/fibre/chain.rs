//! Beads in a row, joined by segments.

use glam::DVec3;

/// Beads of a fibre; segment `i` joins bead `i` and the next one, which for the last of a closed fibre is the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    pub(super) points: Vec<DVec3>,
    pub(super) is_closed: bool,
}

impl Chain {
    pub(super) fn segments(&self) -> usize {
        if self.is_closed { self.points.len() } else { self.points.len().saturating_sub(1) }
    }

    /// The bead behind a bead, around a closed fibre.
    #[inline(always)]
    pub(super) fn next(&self, bead: usize) -> usize {
        if bead + 1 == self.points.len() { 0 } else { bead + 1 }
    }

    #[inline(always)]
    pub(super) fn segment(&self, at: usize) -> [DVec3; 2] {
        [self.points[at], self.points[self.next(at)]]
    }

    /// The bead that stands so many places on, where there is one.
    pub(super) fn neighbour(&self, bead: usize, offset: isize) -> Option<DVec3> {
        let count = self.points.len() as isize;
        let at = bead as isize + offset;
        let at = if self.is_closed { at.rem_euclid(count.max(1)) } else { at };
        (0..count).contains(&at).then(|| self.points[at as usize])
    }

    /// From the straight line between its neighbours to a bead, turned about: where the bead would have to go to lie between them. Nothing at an end.
    #[inline(always)]
    pub(super) fn bend(&self, bead: usize) -> DVec3 {
        let last = self.points.len() - 1;
        if !self.is_closed && (bead == 0 || bead == last) {
            return DVec3::ZERO;
        }
        let before = self.points[if bead == 0 { last } else { bead - 1 }];
        0.5 * (before + self.points[self.next(bead)]) - self.points[bead]
    }

    /// How many segments one segment is from another, the short way round.
    #[inline(always)]
    pub(super) fn steps_between(&self, a: usize, b: usize) -> usize {
        let steps = a.abs_diff(b);
        if self.is_closed { steps.min(self.points.len() - steps) } else { steps }
    }
}
