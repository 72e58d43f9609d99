//! Figures 3.2 to 3.6 of the founding thesis, drawn anew.

use std::path::Path;

use steric::animate::{Level, Moment, Puppet, PuppetOptions, Reach, WeightOptions};
use steric_view::{Camera, Look, Renderer, Side};

use crate::animate::{Drawing, Shown, said};
use crate::failure::Failure;
use crate::options::Shared;
use crate::{output, render};

const SIZE: [u32; 2] = [960, 720];
/// Where the super-atoms of Figure 3.6 come from.
const SECOND: usize = 2;

/// A picture: its file, whether only connected bones share an atom, and what it shows.
type Figure = (&'static str, Option<Reach>, Shown);

fn all() -> Vec<Figure> {
    let bones = Shown { has_skeleton: true, ..Shown::default() };
    let chains = Shown { level: Level::Chain, ..Shown::default() };
    let over = |level| Shown { level, overlay: Some(Level::Atom), ..Shown::default() };
    let afar = |level| Shown { level, distance: SECOND, ..Shown::default() };
    vec![
        ("3.2a-all-bones", Some(Reach::All), bones),
        ("3.2b-connected-bones", Some(Reach::Connected), bones),
        ("3.3-chains-by-their-centres", None, Shown { is_by_centre: true, has_skeleton: true, ..chains }),
        ("3.4a-skeleton", None, bones),
        ("3.4b-bones-of-chains", None, Shown { has_chain_bones: true, ..chains }),
        ("3.5a-residues-over-atoms", None, over(Level::Residue)),
        ("3.5b-chains-over-atoms", None, over(Level::Chain)),
        ("3.6a-super-atoms-of-atoms", None, afar(Level::Atom)),
        ("3.6b-super-atoms-in-residues", None, afar(Level::Residue)),
        ("3.6c-super-atoms-in-chains", None, afar(Level::Chain)),
    ]
}

/// Draws them into a folder, at the key at which atoms are farthest from where they were bound.
pub(super) fn draw(puppet: &Puppet, folder: &Path, shared: &Shared) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
    let gpu = render::gpu(shared)?;
    let renderer = Renderer::new(&gpu);
    let moment = Moment { time: farthest_key(puppet), ..Moment::default() };
    let figures = all();
    let bar = output::bar(shared, figures.len() as u64, "pictures");
    for (name, reach, shown) in figures {
        let hung = reach.map(|reach| with_reach(puppet, reach)).transpose()?;
        let puppet = hung.as_ref().unwrap_or(puppet);
        let moment = Moment { level: shown.level, ..moment };
        let (scene, colours) = Drawing::new(puppet, shown).scene(puppet, &moment);
        let camera = Camera::of(&scene, Side::FRONT, f64::from(SIZE[0]) / f64::from(SIZE[1]));
        let model = renderer.load(&scene, &colours).map_err(said)?;
        let picture = renderer.draw(&model, &camera, &Look::default(), SIZE).map_err(said)?;
        let path = folder.join(format!("figure-{name}.png"));
        let bytes = picture.to_png().map_err(|error| Failure::io(&path, &error))?;
        std::fs::write(&path, bytes).map_err(|error| Failure::io(&path, &error))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    output::note(shared, &format!("wrote ten pictures into {}", folder.display()));
    Ok(())
}

/// The same puppet with other weights; super-atoms are not shown with it.
fn with_reach(puppet: &Puppet, reach: Reach) -> Result<Puppet, Failure> {
    let weights = WeightOptions { reach, ..puppet.options().weights };
    let options = PuppetOptions { weights, atoms_each: Vec::new(), ..puppet.options().clone() };
    Puppet::new(puppet.structure().clone(), puppet.rig().clone(), &options).map_err(said)
}

fn farthest_key(puppet: &Puppet) -> f64 {
    let rest = &puppet.structure().atoms.positions;
    let moved = |time: f64| {
        let positions = puppet.positions(&Moment { time, ..Moment::default() });
        positions.iter().zip(rest).map(|(now, then)| f64::from(now.distance_squared(*then))).sum::<f64>()
    };
    let keys = puppet.key_times(0).into_iter().map(|time| (moved(time), time));
    keys.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(0.0, |(_, time)| time)
}
