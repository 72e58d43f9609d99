//! Pictures and films of molecules, from types and poses, on any GPU and without a window.
//!
//! How it works: a GPU decides which clusters of atoms can be seen, writes for every pixel which sphere is nearest there, and shades the
//! pixels afterwards: the sphere of a pixel says where its surface is, how it is turned and what colour it has.

mod camera;
mod colour;
mod draw;
mod film;
mod glb;
mod labels;
mod lines;
mod look;
mod picture;
mod stereo;
mod sticks;

pub use camera::{Camera, Side};
pub use colour::{ColourBy, Coloured, Colours, Palette};
pub use draw::{Canvas, DrawError, Follower, Model, Picked, Renderer, Sketch, Surface};
pub use film::{Film, FilmError};
pub use glb::{GlbError, write_glb};
pub use labels::{Crowd, Label, LabelStyle, labels_that_fit, scale_bar, write_labels};
pub use lines::{add_box, add_lines};
pub use look::{Look, Raster, Style};
pub use picture::Picture;
pub use stereo::{EYE_DISTANCE, Stereo};
pub use sticks::as_sticks;
