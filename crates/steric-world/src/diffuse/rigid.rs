//! Rigid molecules as trees of spheres, and when two of them touch on their way.
//!
//! How it works: each node is a sphere around those below it. Two molecules that fly past each other are compared from the top: where two nodes cannot touch
//! before the first contact that is known, nothing below them can, and is left out.

use glam::{DQuat, DVec3};

use super::contact::first_touch;

/// Spheres below one node, at most.
const LEAF: usize = 4;

/// A node: a sphere, and either two nodes or some spheres below it.
#[derive(Clone, Debug)]
struct Node {
    center: DVec3,
    radius: f64,
    /// The first of two nodes, or nothing for a leaf.
    below: Option<usize>,
    spheres: std::ops::Range<usize>,
}

/// A molecule's spheres in its own frame.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    spheres: Vec<(DVec3, f64)>,
}

/// A tree at a place, on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flying<'a> {
    /// Nothing for a single sphere.
    pub(super) tree: Option<&'a Tree>,
    pub(super) radius: f64,
    pub(super) turn: DQuat,
}

impl Tree {
    pub(super) fn new(spheres: &[(DVec3, f64)]) -> Self {
        let mut tree = Self { nodes: Vec::new(), spheres: spheres.to_vec() };
        tree.nodes.push(Node { center: DVec3::ZERO, radius: 0.0, below: None, spheres: 0..spheres.len() });
        let mut next = 0;
        while next < tree.nodes.len() {
            tree.split(next);
            next += 1;
        }
        tree
    }

    fn split(&mut self, node: usize) {
        let range = self.nodes[node].spheres.clone();
        let spheres = &mut self.spheres[range.clone()];
        let low = spheres.iter().map(|(at, radius)| *at - DVec3::splat(*radius)).reduce(DVec3::min).unwrap_or_default();
        let high =
            spheres.iter().map(|(at, radius)| *at + DVec3::splat(*radius)).reduce(DVec3::max).unwrap_or_default();
        let center = 0.5 * (low + high);
        let radius = spheres.iter().map(|(at, radius)| (*at - center).length() + radius).fold(0.0, f64::max);
        (self.nodes[node].center, self.nodes[node].radius) = (center, radius * (1.0 + 1e-12));
        if range.len() <= LEAF {
            return;
        }
        let axis =
            (high - low).to_array().iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(axis, _)| axis);
        spheres.sort_by(|a, b| a.0[axis].total_cmp(&b.0[axis]));
        let middle = range.start + range.len() / 2;
        self.nodes[node].below = Some(self.nodes.len());
        for spheres in [range.start..middle, middle..range.end] {
            self.nodes.push(Node { center: DVec3::ZERO, radius: 0.0, below: None, spheres });
        }
    }
}

/// A sphere of a flying tree: a node of it, or one of its spheres.
#[derive(Clone, Copy, Debug)]
enum Part {
    Node(usize),
    Sphere(usize),
}

impl Flying<'_> {
    fn sphere(&self, part: Part) -> (DVec3, f64) {
        match (self.tree, part) {
            (None, _) => (DVec3::ZERO, self.radius),
            (Some(tree), Part::Node(node)) => (self.turn * tree.nodes[node].center, tree.nodes[node].radius),
            (Some(tree), Part::Sphere(sphere)) => (self.turn * tree.spheres[sphere].0, tree.spheres[sphere].1),
        }
    }

    /// The parts below a part; nothing for a sphere.
    fn below(&self, part: Part) -> Option<impl Iterator<Item = Part>> {
        let (Some(tree), Part::Node(node)) = (self.tree, part) else { return None };
        let node = &tree.nodes[node];
        let (nodes, spheres) = match node.below {
            Some(first) => (first..first + 2, 0..0),
            None => (0..0, node.spheres.clone()),
        };
        Some(nodes.map(Part::Node).chain(spheres.map(Part::Sphere)))
    }

    /// The spheres, turned.
    pub(super) fn spheres(&self) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        let single = self.tree.is_none().then_some((DVec3::ZERO, self.radius));
        let many = self.tree.into_iter().flat_map(|tree| &tree.spheres).map(|(at, radius)| (self.turn * *at, *radius));
        single.into_iter().chain(many)
    }
}

/// When two touch that do not turn, before a time, and from which sphere to which the contact's normal points; `hair` is added to the sum of two radii, in parts of it.
pub(super) fn first_contact(
    a: &Flying<'_>,
    b: &Flying<'_>,
    apart: DVec3,
    motion: DVec3,
    hair: f64,
    until: f64,
) -> Option<(f64, DVec3)> {
    let mut first: Option<(f64, DVec3)> = None;
    let mut stack = vec![(Part::Node(0), Part::Node(0))];
    while let Some((one, other)) = stack.pop() {
        let ((at_a, radius_a), (at_b, radius_b)) = (a.sphere(one), b.sphere(other));
        let gap = apart + at_b - at_a;
        let reach = (radius_a + radius_b) * (1.0 + hair);
        let before = first.map_or(until, |(time, _)| time);
        match (a.below(one), b.below(other)) {
            (None, None) => {
                if let Some(time) = first_touch(gap, motion, reach).filter(|time| *time < before) {
                    first = Some((time, gap + motion * time));
                }
            }
            (below_a, below_b) => {
                // Nodes may overlap from the start; what is below them then has to be looked at.
                let may = gap.length_squared() <= reach * reach
                    || first_touch(gap, motion, reach).is_some_and(|time| time < before);
                if !may {
                    continue;
                }
                let is_first_wider = radius_a >= radius_b;
                match (below_a, below_b) {
                    (Some(parts), Some(_)) if is_first_wider => stack.extend(parts.map(|part| (part, other))),
                    (_, Some(parts)) => stack.extend(parts.map(|part| (one, part))),
                    (Some(parts), None) => stack.extend(parts.map(|part| (part, other))),
                    (None, None) => {}
                }
            }
        }
    }
    first
}

/// How deep two overlap where they stand; negative where they are apart.
pub(super) fn depth(a: &Flying<'_>, b: &Flying<'_>, apart: DVec3) -> f64 {
    let mut deepest = f64::NEG_INFINITY;
    let mut stack = vec![(Part::Node(0), Part::Node(0))];
    while let Some((one, other)) = stack.pop() {
        let ((at_a, radius_a), (at_b, radius_b)) = (a.sphere(one), b.sphere(other));
        let depth = radius_a + radius_b - (apart + at_b - at_a).length();
        if depth <= deepest {
            continue;
        }
        match (a.below(one), b.below(other)) {
            (None, None) => deepest = depth,
            (Some(parts), None) => stack.extend(parts.map(|part| (part, other))),
            (Some(parts), Some(_)) if radius_a >= radius_b => stack.extend(parts.map(|part| (part, other))),
            (_, Some(parts)) => stack.extend(parts.map(|part| (one, part))),
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};
    use proptest::prelude::*;

    use super::super::contact::first_touch;
    use super::{Flying, Tree, depth, first_contact};

    fn molecule() -> impl Strategy<Value = Vec<(DVec3, f64)>> {
        let one = (prop::array::uniform3(-6.0..6.0f64), 0.5..2.0);
        prop::collection::vec(one.prop_map(|(at, radius)| (DVec3::from_array(at), radius)), 1..40)
    }

    proptest! {
        #[test]
        fn trees_touch_when_the_first_two_of_their_spheres_do(
            a in molecule(),
            b in molecule(),
            apart in prop::array::uniform3(-30.0..30.0f64),
            motion in prop::array::uniform3(-60.0..60.0f64),
            angle in 0.0..6.0,
        ) {
            let (apart, motion) = (DVec3::from_array(apart), DVec3::from_array(motion));
            let (tree_a, tree_b) = (Tree::new(&a), Tree::new(&b));
            let turn = DQuat::from_axis_angle(DVec3::ONE.normalize(), angle);
            let one = Flying { tree: Some(&tree_a), radius: 0.0, turn };
            let other = Flying { tree: Some(&tree_b), radius: 0.0, turn: DQuat::IDENTITY };
            let mut times = Vec::new();
            let mut deepest = f64::NEG_INFINITY;
            for (at_a, radius_a) in &a {
                for (at_b, radius_b) in &b {
                    let gap = apart + *at_b - turn * *at_a;
                    times.extend(first_touch(gap, motion, radius_a + radius_b).filter(|time| *time < 1.0));
                    deepest = deepest.max(radius_a + radius_b - gap.length());
                }
            }
            let expected = times.into_iter().min_by(f64::total_cmp);
            let found = first_contact(&one, &other, apart, motion, 0.0, 1.0).map(|(time, _)| time);
            prop_assert_eq!(found, expected);
            prop_assert_eq!(depth(&one, &other, apart), deepest);
        }
    }
}
