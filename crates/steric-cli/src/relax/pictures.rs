//! The molecules before and after a relaxation, for its page.
//!
//! How it works: what is to be drawn is kept before anything moves, and both pictures are drawn when the run is over, with one camera
//! that is far enough for both. A GPU is opened only then, because it takes memory that the report would count. Nobody asked for
//! pictures, so where they cannot be drawn, or not in a moment, the page goes without them and nothing is said.

use steric::gpu::Gpu;
use steric::model::Scene;
use steric::relax::Relaxation;
use steric::show::Shown;
use steric_view::{Camera, ColourBy, Coloured, Colours, Look, Palette, Renderer, Side, Style};

use crate::options::Shared;
use crate::{output, render};

/// Pixels in a row, and rows.
const SIZE: [u32; 2] = [640, 480];
/// More than this takes software longer than a moment.
const MOST_ATOMS_IN_SOFTWARE: u64 = 300_000;
/// From where `steric render` looks, too.
const SIDE: Side = Side { turn: 25.0, lift: 20.0 };

/// The molecules as they were placed.
pub(super) struct Before(Drawn);

/// Molecules in their colours.
struct Drawn {
    scene: Scene,
    colours: Colours,
}

impl Before {
    /// The molecules where they are now, if they can be drawn in a moment.
    pub(super) fn of(relaxation: &Relaxation, shared: &Shared) -> Option<Self> {
        let is_small = relaxation.atoms() <= MOST_ATOMS_IN_SOFTWARE;
        let in_a_moment = is_small || gpu(shared).is_some_and(|gpu| !gpu.adapter().is_software);
        in_a_moment.then(|| Self(Drawn::of(relaxation)))
    }

    /// Two PNG files: the molecules as they were, and as they are now.
    pub(super) fn and_after(self, relaxation: &Relaxation, shared: &Shared) -> Option<[Vec<u8>; 2]> {
        let gpu = gpu(shared)?;
        let bar = output::spinner(shared, "drawing".to_owned());
        let after = Drawn::of(relaxation);
        let aspect = f64::from(SIZE[0]) / f64::from(SIZE[1]);
        let cameras = [&self.0, &after].map(|drawn| Camera::of(&drawn.scene, SIDE, aspect));
        let camera = if cameras[0].distance() < cameras[1].distance() { cameras[1] } else { cameras[0] };
        // Software takes four times as long for edges without stairs.
        let samples = if gpu.adapter().is_software { 1 } else { 2 };
        let look = Look { background: Some(Palette::safe().background()), samples, ..Look::of(Style::Soft) };
        let renderer = Renderer::new(&gpu);
        let draw = |drawn: &Drawn| drawn.png(&renderer, &camera, &look);
        let pictures = draw(&self.0).zip(draw(&after));
        bar.finish_and_clear();
        pictures.map(<[Vec<u8>; 2]>::from)
    }
}

/// What draws, without a word where there is nothing.
fn gpu(shared: &Shared) -> Option<Gpu> {
    render::gpu(&Shared { quiet: true, ..shared.clone() }).ok()
}

impl Drawn {
    /// With the radii of van der Waals. The molecules of a model that has no copies are drawn with those that count as an overlap.
    fn of(relaxation: &Relaxation) -> Self {
        let palette = Palette::safe();
        let count = relaxation.setup().scene.molecules().len();
        let shown = Shown::of_scene(relaxation, true).ok();
        let Some(shown) = shown.filter(|shown| shown.molecules.scene().molecules().len() == count) else {
            let scene = relaxation.scene();
            let colours = Colours::of_scene(ColourBy::Collision, &palette, &scene, &relaxation.overlaps());
            return Self { scene, colours };
        };
        let coloured = Coloured {
            molecules: &shown.molecules,
            structures: &[&shown.structure],
            overlaps: &shown.overlaps,
            fixed: &shown.fixed,
            leaflet_of: &shown.is_outer,
        };
        let colours = Colours::new(ColourBy::Collision, &palette, &coloured);
        Self { scene: shown.molecules.scene().clone(), colours }
    }

    fn png(&self, renderer: &Renderer, camera: &Camera, look: &Look) -> Option<Vec<u8>> {
        let model = renderer.load(&self.scene, &self.colours).ok()?;
        renderer.draw(&model, camera, look, SIZE).ok()?.to_png().ok()
    }
}
