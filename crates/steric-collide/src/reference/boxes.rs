//! Every pair of boxes, in order.

use crate::Bounds;

/// Every pair of a query and a box that overlap or touch, by query and then by box.
///
/// ```
/// use steric_collide::{Bounds, reference};
///
/// let boxes = [Bounds::around([[0.0; 3], [1.0; 3]]), Bounds::around([[1.0; 3]])];
/// assert_eq!(reference::box_pairs(&boxes[1..], &boxes), [[0, 0], [0, 1]]);
/// ```
pub fn box_pairs(queries: &[Bounds], boxes: &[Bounds]) -> Vec<[u32; 2]> {
    let numbered = |boxes: &[Bounds]| (0u32..).zip(boxes.to_vec()).collect::<Vec<_>>();
    let boxes = numbered(boxes);
    let of_query = |(a, query): (u32, Bounds)| {
        let touching = boxes.iter().filter(move |(_, other)| query.touches(other));
        touching.map(move |&(b, _)| [a, b])
    };
    numbered(queries).into_iter().flat_map(of_query).collect()
}

/// Every pair of boxes that overlap or touch, the lesser number first, sorted.
///
/// ```
/// use steric_collide::{Bounds, reference};
///
/// let boxes = [Bounds::around([[0.0; 3], [1.0; 3]]), Bounds::around([[1.0; 3]]), Bounds::around([[2.0; 3]])];
/// assert_eq!(reference::box_self_pairs(&boxes), [[0, 1]]);
/// ```
pub fn box_self_pairs(boxes: &[Bounds]) -> Vec<[u32; 2]> {
    box_pairs(boxes, boxes).into_iter().filter(|[a, b]| a < b).collect()
}
