//! A tree of boxes around triangles.
//!
//! How it works: triangles are halved at the median of their middles along the longest side of the box of those middles,
//! until at most four are left. Triangles are kept in that order, so a leaf is a range of them; a node's first child stands right
//! behind it.

use glam::DVec3;

const LEAF: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) low: DVec3,
    pub(super) high: DVec3,
    /// The first triangle of a leaf, the second child of another node.
    first: u32,
    /// How many triangles; 0 unless it is a leaf.
    count: u32,
}

impl Node {
    pub(super) fn triangles(&self) -> std::ops::Range<usize> {
        self.first as usize..if self.count > 0 { (self.first + self.count) as usize } else { self.first as usize }
    }

    pub(super) fn children(&self, at: u32) -> Option<[u32; 2]> {
        (self.count == 0).then_some([at + 1, self.first])
    }
}

struct Item {
    low: DVec3,
    high: DVec3,
    middle: DVec3,
    corners: [u32; 3],
}

/// Brings triangles into the order of the tree that it returns.
pub(super) fn build(vertices: &[DVec3], triangles: &mut [[u32; 3]]) -> Vec<Node> {
    let item = |&corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| vertices[corner as usize]);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        Item { low, high, middle: 0.5 * (low + high), corners }
    };
    let mut items: Vec<Item> = triangles.iter().map(item).collect();
    let mut nodes = Vec::with_capacity(triangles.len());
    split(&mut items, 0, &mut nodes);
    for (triangle, item) in triangles.iter_mut().zip(&items) {
        *triangle = item.corners;
    }
    nodes
}

fn split(items: &mut [Item], first: u32, nodes: &mut Vec<Node>) {
    let low = items.iter().fold(DVec3::INFINITY, |low, item| low.min(item.low));
    let high = items.iter().fold(DVec3::NEG_INFINITY, |high, item| high.max(item.high));
    let at = nodes.len();
    nodes.push(Node { low, high, first, count: items.len() as u32 });
    if items.len() <= LEAF {
        return;
    }
    let low = items.iter().fold(DVec3::INFINITY, |low, item| low.min(item.middle));
    let high = items.iter().fold(DVec3::NEG_INFINITY, |high, item| high.max(item.middle));
    let axis = (high - low).max_position();
    let half = items.len() / 2;
    items.select_nth_unstable_by(half, |a, b| a.middle[axis].total_cmp(&b.middle[axis]));
    let (left, right) = items.split_at_mut(half);
    split(left, first, nodes);
    (nodes[at].first, nodes[at].count) = (nodes.len() as u32, 0);
    split(right, first + half as u32, nodes);
}
