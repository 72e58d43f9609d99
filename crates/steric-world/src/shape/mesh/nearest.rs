//! The place of a mesh that is nearest to a point.
//!
//! How it works: boxes are entered nearest first and left out when they are farther than the best place so far. The nearest
//! place of a triangle is in its inside, on an edge or in a corner, told apart by where the point falls (Ericson, Real-Time
//! Collision Detection, 2005, 5.1.5).

use glam::DVec3;

use super::TriangleMesh;
use super::tree::Node;

/// Which part of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    Face,
    /// From this corner to the next.
    Edge(usize),
    Vertex(usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub(super) triangle: usize,
    pub(super) place: DVec3,
    pub(super) feature: Feature,
    /// How much of each corner the place is made of.
    pub(super) weights: [f64; 3],
}

impl TriangleMesh {
    pub(super) fn nearest(&self, point: DVec3) -> Nearest {
        let mut best = self.nearest_of(0, point);
        let mut least = best.place.distance_squared(point);
        // The tree halves its triangles, so 64 levels hold any number of them.
        let (mut stack, mut top) = ([(0_u32, 0.0_f64); 64], 1);
        while top > 0 {
            top -= 1;
            let (at, distance) = stack[top];
            if distance >= least {
                continue;
            }
            let node = &self.nodes[at as usize];
            for triangle in node.triangles() {
                let nearest = self.nearest_of(triangle, point);
                let squared = nearest.place.distance_squared(point);
                if squared < least {
                    (best, least) = (nearest, squared);
                }
            }
            if let Some(children) = node.children(at) {
                let mut children = children.map(|child| (child, square_to_box(&self.nodes[child as usize], point)));
                if children[0].1 < children[1].1 {
                    children.swap(0, 1);
                }
                // The nearer one lies on top.
                stack[top..top + 2].copy_from_slice(&children);
                top += 2;
            }
        }
        best
    }

    fn nearest_of(&self, triangle: usize, point: DVec3) -> Nearest {
        let corners = self.corners(self.triangles[triangle]);
        let (feature, weights) = nearest_of_triangle(corners, point);
        let place = weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2];
        Nearest { triangle, place, feature, weights }
    }
}

fn square_to_box(node: &Node, point: DVec3) -> f64 {
    (point - point.clamp(node.low, node.high)).length_squared()
}

fn nearest_of_triangle([a, b, c]: [DVec3; 3], point: DVec3) -> (Feature, [f64; 3]) {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(point - a), ac.dot(point - a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (Feature::Vertex(0), [1.0, 0.0, 0.0]);
    }
    let (d3, d4) = (ab.dot(point - b), ac.dot(point - b));
    if d3 >= 0.0 && d4 <= d3 {
        return (Feature::Vertex(1), [0.0, 1.0, 0.0]);
    }
    let (d5, d6) = (ab.dot(point - c), ac.dot(point - c));
    if d6 >= 0.0 && d5 <= d6 {
        return (Feature::Vertex(2), [0.0, 0.0, 1.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let part = d1 / (d1 - d3);
        return (Feature::Edge(0), [1.0 - part, part, 0.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let part = d2 / (d2 - d6);
        return (Feature::Edge(2), [1.0 - part, 0.0, part]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let part = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (Feature::Edge(1), [0.0, 1.0 - part, part]);
    }
    let sum = va + vb + vc;
    // In a triangle as thin as a needle all three may round to nothing.
    if sum > 0.0 { (Feature::Face, [va / sum, vb / sum, vc / sum]) } else { (Feature::Vertex(0), [1.0, 0.0, 0.0]) }
}
