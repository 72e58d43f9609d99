//! Pictures by squares, where a GPU cannot compute.

use steric::gpu::Gpu;
use steric_view::Sketch;

use super::Wish;
use super::easel::{Drawn, Sheet, Subject, eyes, joined, pixel_of_eye};

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
        let (eyes, size) = eyes(wish, sheet);
        let mut pictures = Vec::new();
        for eye in eyes.iter().filter(|_| !is_known) {
            let drawn = self.sketch.draw(eye, &sheet.look, size).await;
            pictures.push(drawn.map_err(|error| error.to_string())?);
        }
        let pixel = pixel_of_eye(sheet, size);
        let picked = pixel.and_then(|pixel| self.sketch.pick(eyes.last().unwrap_or(&wish.camera), size, pixel));
        Ok((joined(wish, pictures), picked))
    }
}
