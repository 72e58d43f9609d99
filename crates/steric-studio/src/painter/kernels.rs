//! Pictures by kernels: molecules stay on the GPU.

use std::sync::Arc;

use steric::gpu::Gpu;
use steric_view::{Canvas, ColourBy, Colours, Follower, Model, Palette, Renderer};

use super::Wish;
use super::easel::{Drawn, Sheet, Subject, eyes, joined, pixel_of_eye};

/// What draws with kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    gpu: Gpu,
    renderer: Renderer,
    loaded: Option<(Model, Option<Canvas>)>,
    /// Takes molecules over from a relaxation on the same GPU, by the arrays that it was made for.
    follower: Option<(u64, Follower)>,
}

impl Kernels {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), renderer: Renderer::new(gpu), loaded: None, follower: None }
    }

    /// Molecules have moved, are hidden, or are chosen.
    pub(super) fn take_over(
        &mut self,
        subject: &mut Subject,
        wish: &Wish,
        is_new: bool,
        is_marked: bool,
    ) -> Result<(), String> {
        let now = &wish.now;
        let follows = now.on_gpu.as_ref().filter(|_| now.is_ahead);
        if is_new {
            (self.loaded, self.follower) = (None, None);
        }
        if follows.is_none() || is_new || !is_marked {
            let colours = subject.take_over(wish);
            self.load(subject, &colours)?;
        }
        let (Some(molecules), Some((model, _))) = (follows, &self.loaded) else { return Ok(()) };
        let key = Arc::as_ptr(molecules) as u64;
        if self.follower.as_ref().is_none_or(|follower| follower.0 != key) {
            let palette = Palette::safe();
            let collision = (subject.by == ColourBy::Collision).then_some(&palette);
            let follower = self.renderer.follower(model, molecules, collision);
            self.follower = Some((key, follower.map_err(|error| error.to_string())?));
        }
        if let Some((_, follower)) = &self.follower {
            self.renderer.follow(follower);
        }
        Ok(())
    }

    fn load(&mut self, subject: &Subject, colours: &Colours) -> Result<(), String> {
        match &mut self.loaded {
            Some((model, _)) => model.update(&self.gpu, &subject.scene, colours),
            None => {
                let model = self.renderer.load(&subject.scene, colours).map_err(|error| error.to_string())?;
                self.loaded = Some((model, None));
            }
        }
        Ok(())
    }

    /// Draws, unless the picture is known, and finds what is pointed at.
    pub(super) async fn draw(
        &mut self,
        subject: &Subject,
        wish: &Wish,
        sheet: &Sheet,
        is_known: bool,
    ) -> Result<Drawn, String> {
        let Some((model, canvas)) = &mut self.loaded else { return Ok((None, None)) };
        let (eyes, size) = eyes(wish, sheet);
        let canvas = match canvas {
            Some(canvas) if canvas.fits(model, &sheet.look, size) => canvas,
            empty => {
                let canvas = self.renderer.canvas(model, &sheet.look, size);
                empty.insert(canvas.map_err(|error| error.to_string())?)
            }
        };
        let mut pictures = Vec::new();
        for eye in eyes.iter().filter(|_| !is_known) {
            let drawn = self.renderer.draw_on_async(canvas, model, eye, &sheet.look).await;
            pictures.push(drawn.map_err(|error| error.to_string())?);
        }
        let picture = joined(wish, pictures);
        let Some(pixel) = pixel_of_eye(sheet, size) else { return Ok((picture, None)) };
        let picked = self.renderer.pick_on_async(canvas, (model, &subject.scene), pixel).await;
        Ok((picture, picked.map_err(|error| error.to_string())?))
    }
}
