//! Pictures by squares, where a GPU cannot compute.

use steric::gpu::Gpu;
use steric_view::Sketch;

use super::Wish;
use super::easel::{Drawn, Sheet, Subject};

/// What draws with squares.
#[derive(Debug)]
pub(super) struct Squares {
    sketch: Sketch,
}

impl Squares {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Self { sketch: Sketch::new(gpu) }
    }

    /// Molecules have moved, are hidden, or are chosen.
    pub(super) fn take_over(&mut self, subject: &mut Subject, wish: &Wish) -> Result<(), String> {
        let colours = subject.take_over(wish);
        self.sketch.load(&subject.scene, &colours).map_err(|error| error.to_string())
    }

    /// Draws, unless the picture is known, and finds what is pointed at.
    pub(super) async fn draw(&mut self, wish: &Wish, sheet: &Sheet, is_known: bool) -> Result<Drawn, String> {
        let picture = if is_known {
            None
        } else {
            let drawn = self.sketch.draw(&wish.camera, &sheet.look, sheet.size).await;
            Some(drawn.map_err(|error| error.to_string())?)
        };
        let picked = sheet.pixel.and_then(|pixel| self.sketch.pick(&wish.camera, sheet.size, pixel));
        Ok((picture, picked))
    }
}
