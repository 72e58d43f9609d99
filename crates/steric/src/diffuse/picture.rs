//! Particles as a drawing: discs seen from above, far ones paler, those that have just touched ringed.

use std::collections::HashSet;
use std::fmt::Write;

use steric_world::diffuse::{Diffusion, Partner, Placed};

use super::DiffuseScene;

/// Pixels of the longer edge.
const SIZE: f64 = 640.0;

/// The box from above as SVG.
///
/// ```
/// use steric::diffuse::{DiffuseScene, Wishes, picture};
/// use steric::world::diffuse::Diffusion;
///
/// let text = "box = [50.0, 50.0]\ntime-step = 1.0\n[[species]]\nname = \"A\"\nradius = 2.0\ndiffusion = 0.02\ncount = 10\n";
/// let scene = DiffuseScene::read(text, "small.toml".as_ref())?;
/// let diffusion = Diffusion::new(scene.setup("".as_ref(), &Wishes::default())?)?;
/// assert_eq!(picture(&scene, &diffusion).matches("<circle").count(), 10 + 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn picture(scene: &DiffuseScene, diffusion: &Diffusion) -> String {
    let setup = diffusion.setup();
    let (low, edges) = (setup.bounds.low, setup.bounds.high - setup.bounds.low);
    let scale = SIZE / edges.x.max(edges.y);
    let (width, height) = (edges.x * scale, edges.y * scale);
    let colours = scene.colours();
    let legend = 18.0 * setup.species.len() as f64 + 8.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {:.0}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#f7f6f2\" stroke=\"#888\"/>\n\
         <clipPath id=\"box\"><rect width=\"{width:.1}\" height=\"{height:.1}\"/></clipPath>\n<g clip-path=\"url(#box)\">\n",
        height + legend
    );
    let mut touched = HashSet::new();
    for contact in diffusion.collisions() {
        touched.insert(contact.first);
        if let Partner::Particle(other) = contact.second {
            touched.insert(other);
        }
    }
    let mut placed: Vec<Placed> = diffusion.particles().collect();
    placed.sort_by(|a, b| a.at.z.total_cmp(&b.at.z).then(a.number.cmp(&b.number)));
    for particle in &placed {
        // The farther below, the more of the paper's colour.
        let near = if setup.dimensions == 2 { 1.0 } else { ((particle.at.z - low.z) / edges.z).clamp(0.0, 1.0) };
        let mix = |part: u8, paper: f64| (f64::from(part) * (0.25 + 0.75 * near) + paper * 0.75 * (1.0 - near)) as u8;
        let [r, g, b] = colours[particle.kind as usize % colours.len()];
        let (r, g, b) = (mix(r, 247.0), mix(g, 246.0), mix(b, 242.0));
        let (ring, thick) = match (touched.contains(&particle.number), particle.cluster > 1) {
            (true, _) => ("#d55e00", 2.5),
            (false, true) => ("#222", 1.4),
            (false, false) => ("#fff", 0.6),
        };
        for (at, radius) in super::spheres_of(diffusion, particle) {
            let (x, y) = ((at.x - low.x) * scale, height - (at.y - low.y) * scale);
            writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"#{r:02x}{g:02x}{b:02x}\" stroke=\"{ring}\" stroke-width=\"{thick}\"/>",
                radius * scale
            )
            .ok();
        }
    }
    svg += "</g>\n";
    for (row, (species, [r, g, b])) in setup.species.iter().zip(&colours).enumerate() {
        let y = height + 18.0 * row as f64 + 16.0;
        let count = placed.iter().filter(|particle| particle.kind as usize == row).count();
        let name = species.name.replace('&', "&amp;").replace('<', "&lt;");
        writeln!(
            svg,
            "<circle cx=\"9\" cy=\"{:.0}\" r=\"6\" fill=\"#{r:02x}{g:02x}{b:02x}\"/><text x=\"22\" y=\"{y:.0}\" fill=\"#777\">{count} {name}</text>",
            y - 4.0
        )
        .ok();
    }
    svg + "</svg>\n"
}
