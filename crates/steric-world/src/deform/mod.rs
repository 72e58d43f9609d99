//! Soft bodies of tetrahedra, and the geometry of their collisions.
//!
//! How it works: a [`SoftBody`] is a mesh of linear tetrahedra. Each element is turned back by its own rotation before its strain is measured (Müller and Gross 2004), so that large turns cost
//! no force and the law of the material stays linear. A step is one linear system, implicit Euler: `(M + h C + h² K) v' = M v + h (f_external + f_elastic)`, with `C` the damping of each
//! material times its stiffness. [`point_in_tetrahedron`] and [`edge_meets_triangle`] decide who touches whom, [`penetration`] how deep (Heidelberger and others 2004); a [`Detector`] finds all of it with an index of boxes.
//!
//! The system is solved by conjugate gradients of our own, not by a crate for sparse matrices: the pattern of the matrix never changes, a block is its own transpose across the diagonal and
//! is stored once, rows act on differences of velocities so that a body that moves as a whole feels exactly nothing, and the sums are in an order that does not depend on the number of
//! threads. None of that can be had from a general matrix, and a direct factorisation would have to be made anew in every step. Grids coarser than the
//! mesh carry what many points share, which saves most of the iterations.
//!
//! Units are metres, kilograms and seconds, hence newtons, pascals and joules; any other consistent set works as well, since no number in here has a unit of its own.

mod adjacency;
mod body;
mod coarse;
mod contact;
mod crossing;
mod depth;
mod element;
mod error;
mod guard;
mod inside;
mod material;
mod matrix;
mod mesh;
mod near;
mod polar;
pub mod reference;
mod rest;
mod solve;
mod step;
mod touch;
mod world;

pub use adjacency::Adjacency;
pub use body::{Energy, Part, SoftBody, SoftOptions};
pub use contact::Contact;
pub use crossing::{EdgeHit, edge_meets_triangle};
pub use depth::{Crossing, Penetration, border_edges, penetration};
pub use error::DeformError;
pub use inside::point_in_tetrahedron;
pub use material::Material;
pub use near::{Near, Neighbourhood, Vicinity, nearest_in_triangle, nearest_of_edges};
pub use rest::Rest;
pub use step::Solved;
pub use touch::{Crossed, Detector, Touch, Touches};
pub use world::{ContactOptions, Response, SoftWorld, Stepped};
