//! `steric render`: pictures and films of molecules.
//!
//! How it works: a file or a scene becomes molecules with the radii of van der Waals, a GPU draws them frame by frame, and a film is
//! written as the frames come. Without a GPU the software one draws, more slowly.

mod labels;
mod surfaces;

use std::path::{Path, PathBuf};

use clap::Args;
use glam::DVec3;
use steric::gpu::{Choice, Gpu, adapters};
use steric::model::{MoleculeId, MoleculeOptions, Structure, formats};
use steric::relax::Relaxation;
use steric::show::Shown;
use steric_view::{
    Camera, Canvas, ColourBy, Coloured, Colours, EYE_DISTANCE, Film, Look, Palette, Picture, Raster, Renderer, Side,
    Stereo, Style,
};

use crate::failure::Failure;
use crate::options::{Shared, positive};
use crate::output::{self, Verdict};
use crate::relax::{self, SceneOptions};
use crate::table::thousands;

use labels::{LabelOptions, Writing};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  steric render 4hhb.cif.gz -o haemoglobin.png --color chain
  steric render vesicle -o vesicle.png --color collision
  steric render 4hhb.cif.gz -o named.png --labels chain --label heme@A/HEM --scale-bar
  steric render vesicle -o cut.png --relax --style soft --clip front --color leaflet
  steric render model.pdb -o turn.gif --frames 60 --size 480x360")]
pub(crate) struct Arguments {
    /// A model, a ready scene, a scene file or a mesh
    #[arg(value_name = "FILE|SCENE")]
    input: PathBuf,
    /// Pixels in a row, and rows
    #[arg(long, value_name = "WxH", default_value = "1280x960", value_parser = size)]
    size: [u32; 2],
    /// What colours say: element, chain, residue, molecule, type, leaflet, collision, overlap or uniform [default: element for models,
    /// type for scenes]
    #[arg(long, value_name = "BY", alias = "colour")]
    color: Option<ColourBy>,
    /// Which colours: safe, classic, goodsell, or a file of lines such as C=#808080
    #[arg(long, value_name = "NAME|FILE", default_value = "safe")]
    palette: PathBuf,
    /// The kind of light: illustrative, soft or plain
    #[arg(long, value_name = "STYLE", default_value = "illustrative")]
    style: Style,
    /// From where: front, back, left, right, top, bottom, or degrees around and above, as in 30,20
    #[arg(long, value_name = "SIDE", default_value = "25,20", allow_hyphen_values = true)]
    camera: Side,
    /// So many times nearer than it takes to see everything
    #[arg(long, value_name = "TIMES", default_value = "1", value_parser = positive)]
    zoom: f64,
    /// Without perspective
    #[arg(long)]
    parallel: bool,
    /// Cut away the half that is on this side, or of which this many angstroms are kept, as in front or front:20
    #[arg(long, value_name = "SIDE[:A]", value_parser = clip, allow_hyphen_values = true)]
    clip: Option<(Side, f64)>,
    /// What is behind: a colour such as #ffffff, or none
    #[arg(long, value_name = "COLOUR", value_parser = background)]
    background: Option<Background>,
    /// How dark crevices are, 0 to 1
    #[arg(long, value_name = "PART", value_parser = positive)]
    occlusion: Option<f64>,
    /// How dark lines are, 0 to 1
    #[arg(long, value_name = "PART", value_parser = positive)]
    lines: Option<f64>,
    /// How dark shadows are, 0 to 1 [default: 0]
    #[arg(long, value_name = "PART", value_parser = positive)]
    shadows: Option<f64>,
    /// Towards the light, as seen by the camera: to the right, up, and to the one who looks, as in -1,0.5,0.5 [default: from above
    /// the right shoulder]
    #[arg(long, value_name = "X,Y,Z", value_parser = light, allow_hyphen_values = true)]
    light: Option<DVec3>,
    /// How much fog there is, 0 to 1
    #[arg(long, value_name = "PART", value_parser = positive)]
    fog: Option<f64>,
    /// How much of the molecules of a species hides what is behind them, 0 to 1, as in POPC=0.3
    #[arg(long, value_name = "SPECIES=PART", value_parser = opacity)]
    opacity: Vec<(String, f32)>,
    /// Show what is transparent as a fixed pattern of holes, in one pass in place of sixteen
    #[arg(long)]
    screen_door: bool,
    /// Samples along an edge of a pixel, 1 to 4
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u32).range(1..=4))]
    samples: u32,
    /// Two pictures for two eyes: side-by-side, cross-eye, anaglyph or rows
    #[arg(long, value_name = "KIND")]
    stereo: Option<Stereo>,
    /// How far the eyes are apart, as a part of the way to what they look at, at most 1 [default: 0.0333]
    #[arg(long, value_name = "PART", value_parser = positive, requires = "stereo")]
    eye_distance: Option<f64>,
    /// Frames of a film: once around the molecules
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    frames: u32,
    /// Rock by so many degrees to either side in place of going around
    #[arg(long, value_name = "DEGREES", value_parser = positive)]
    rock: Option<f64>,
    /// Frames in a second
    #[arg(long, value_name = "N", default_value = "25", value_parser = positive)]
    rate: f64,
    /// Draw atoms as small balls, and the bonds between them
    #[arg(long)]
    sticks: bool,
    /// Draw the edges of the periodic box
    #[arg(long = "box")]
    with_box: bool,
    /// Draw a mesh from an OBJ or PLY file, in angstroms, that hides all or a part of what is behind it, as in nucleus.obj=0.3
    #[arg(long, value_name = "FILE[=PART]", value_parser = surfaces::mesh)]
    mesh: Vec<(PathBuf, f32)>,
    /// Draw the shapes that hold the molecules of a scene; they hide this part of what is behind them, 0 to 1
    #[arg(long, value_name = "PART", value_parser = positive, num_args = 0..=1, default_missing_value = "0.25")]
    shapes: Option<f64>,
    /// Relax the scene first
    #[arg(long)]
    relax: bool,
    /// Draw every sphere as a square, as GPUs do that know nothing better
    #[arg(long, hide = true)]
    squares: bool,
    #[command(flatten)]
    labels: LabelOptions,
    #[command(flatten)]
    scene: SceneOptions,
}

/// What is behind the molecules.
#[derive(Clone, Copy, Debug)]
enum Background {
    Colour([u8; 3]),
    None,
}

pub(crate) fn size(text: &str) -> Result<[u32; 2], String> {
    let sides: Vec<u32> = text.split('x').map_while(|word| word.parse().ok()).collect();
    match sides[..] {
        [width, height] if (1..=32_768).contains(&width) && (1..=32_768).contains(&height) => Ok([width, height]),
        _ => Err("expected pixels in a row and rows, as in 1920x1080".to_owned()),
    }
}

fn background(text: &str) -> Result<Background, String> {
    if text == "none" {
        return Ok(Background::None);
    }
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii());
    let part = |at: usize| digits.and_then(|digits| u8::from_str_radix(&digits[at..at + 2], 16).ok());
    match (part(0), part(2), part(4)) {
        (Some(red), Some(green), Some(blue)) => Ok(Background::Colour([red, green, blue])),
        _ => Err("expected a colour such as #ffffff, or none".to_owned()),
    }
}

fn opacity(text: &str) -> Result<(String, f32), String> {
    let (species, part) = text.rsplit_once('=').ok_or("expected a species and a number, as in POPC=0.3")?;
    let part = part.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    Ok((species.to_owned(), part.ok_or("expected a number from 0 to 1 after the equals sign")?))
}

/// How much each molecule hides; nothing where nobody asked.
fn opacities(wanted: &[(String, f32)], shown: &Shown) -> Result<Vec<f32>, Failure> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let species = shown.molecules.species();
    let mut of_species = vec![1.0; species.len()];
    for (name, part) in wanted {
        let mut is_there = false;
        for (_, own) in species.iter().zip(&mut of_species).filter(|(known, _)| known.eq_ignore_ascii_case(name)) {
            (*own, is_there) = (*part, true);
        }
        if !is_there {
            let known = species.iter().take(12).map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(Failure::usage(format!("--opacity: expected a species ({known}), found {name}")));
        }
    }
    let count = shown.molecules.scene().molecules().len() as u32;
    Ok((0..count).map(|id| of_species[shown.molecules.species_of(MoleculeId(id)) as usize]).collect())
}

fn light(text: &str) -> Result<DVec3, String> {
    let parts: Option<Vec<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    let parts = parts.and_then(|parts| <[f64; 3]>::try_from(parts).ok());
    let towards = parts.and_then(|parts| DVec3::from(parts).try_normalize());
    towards.ok_or_else(|| "expected x, y and z towards the light, as in -1,0.5,0.5, not all 0".to_owned())
}

fn clip(text: &str) -> Result<(Side, f64), String> {
    let (side, kept) = text.split_once(':').unwrap_or((text, "0"));
    let kept = kept.parse().ok().filter(|kept: &f64| kept.is_finite());
    Ok((side.parse()?, kept.ok_or_else(|| "expected angstroms after the colon".to_owned())?))
}

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    let path = shared.output.clone().ok_or_else(|| Failure::usage("render: expected -o FILE, found none"))?;
    output::check_outputs(std::slice::from_ref(&arguments.input), [Some(path.as_path())])?;
    let is_glb = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("glb"));
    if let (true, Some(option)) = (is_glb, arguments.labels.first_given()) {
        let path = path.display();
        return Err(Failure::usage(format!(
            "{option}: expected a picture or a film, found {path}, which holds molecules and no text"
        )));
    }
    let palette = palette(&arguments.palette)?;
    // What cannot be drawn or written is said before molecules are placed.
    let drawn = if is_glb { None } else { Some(begun(arguments, shared, &path)?) };
    let mut meshes = arguments.mesh.clone();
    let (shown, by) = if surfaces::is_mesh(&arguments.input) {
        meshes.insert(0, (arguments.input.clone(), 1.0));
        let options = MoleculeOptions::default();
        (Shown::of_structure(Structure::default(), "mesh", &options, false).map_err(said)?, ColourBy::Uniform)
    } else {
        shown(arguments, shared)?
    };
    let shapes = arguments.shapes.map(|part| part.min(1.0) as f32);
    let surfaces = surfaces::surfaces(&meshes, shapes, &shown.holds)?;
    let mut scene = shown.molecules.scene().clone();
    let atoms = scene.atoms();
    let structures = [&shown.structure];
    let coloured = Coloured {
        molecules: &shown.molecules,
        structures: &structures,
        overlaps: &shown.overlaps,
        fixed: &shown.fixed,
        leaflet_of: &shown.is_outer,
    };
    let opacities = opacities(&arguments.opacity, &shown)?;
    let mut colours = Colours { opacities, ..Colours::new(by, &palette, &coloured) };
    if arguments.sticks {
        (scene, colours) = steric_view::as_sticks(&shown.molecules, &structures, &colours);
    }
    if arguments.with_box {
        scene.set_periodic_box(shown.structure.periodic_box);
        if scene.periodic_box().is_none() {
            return Err(Failure::usage("--box: expected a periodic box, found none in what is drawn"));
        }
        steric_view::add_box(&mut scene, &mut colours, [70; 3], 0.6);
    }
    let scene = &scene;
    let Some((renderer, mut film)) = drawn else {
        steric_view::write_glb(scene, &colours, &surfaces, &path).map_err(said)?;
        output::note(shared, &format!("wrote {} with {} atoms", path.display(), thousands(atoms)));
        return Ok(Verdict::Clean);
    };
    let model = renderer.load_with(scene, &colours, &surfaces).map_err(said)?;
    let [width, height] = arguments.size;
    let first =
        Camera::of_all(scene, &surfaces, arguments.camera, f64::from(width) / f64::from(height)).nearer(arguments.zoom);
    let first = if arguments.parallel { Camera { degrees: 0.0, ..first } } else { first };
    let look = look(arguments, &first, &palette);
    let writing = Writing::new(&arguments.labels, &shown, &first, &look, arguments.size)?;
    let bar = output::bar(shared, arguments.frames.into(), "frames");
    let canvas = || renderer.canvas(&model, &look, arguments.size).map_err(said);
    // Either eye remembers what it saw.
    let mut canvases = (canvas()?, if arguments.stereo.is_some() { Some(canvas()?) } else { None });
    for frame in 0..arguments.frames {
        let camera = first.turned(angle(arguments, frame));
        let draw = |canvas: &mut Canvas, eye: &Camera| {
            let picture = renderer.draw_on(canvas, &model, eye, &look).map_err(said)?;
            Ok::<Picture, Failure>(writing.on(picture, eye, &camera))
        };
        let picture = match (arguments.stereo, &mut canvases) {
            (Some(stereo), (left, Some(right))) => {
                let eyes = camera.eyes(arguments.eye_distance.unwrap_or(EYE_DISTANCE).min(1.0));
                stereo.joined(&draw(left, &eyes[0])?, &draw(right, &eyes[1])?)
            }
            (_, (canvas, _)) => draw(canvas, &camera)?,
        };
        film.add(&picture).map_err(said)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    film.finish().map_err(said)?;
    output::note(shared, &format!("wrote {} with {} atoms", path.display(), thousands(atoms)));
    Ok(Verdict::Clean)
}

/// What draws, and what it is written to.
fn begun(arguments: &Arguments, shared: &Shared, path: &Path) -> Result<(Renderer, Film), Failure> {
    let film = Film::create(path, arguments.rate.max(0.1), arguments.frames as usize).map_err(said)?;
    let renderer = Renderer::new(&gpu(shared)?);
    renderer.samples(arguments.size, &Look { samples: arguments.samples, ..Look::default() }).map_err(said)?;
    Ok((renderer, film))
}

fn said(error: impl std::fmt::Display) -> Failure {
    Failure::usage(error.to_string())
}

/// What is to be drawn, and what its colours say.
fn shown(arguments: &Arguments, shared: &Shared) -> Result<(Shown, ColourBy), Failure> {
    let needs_overlaps = |by: ColourBy| matches!(by, ColourBy::Collision | ColourBy::Overlap);
    let Some(scene) = relax::scene(&arguments.input, &arguments.scene, shared, &[])? else {
        if arguments.relax {
            return Err(Failure::usage("--relax: expected a scene, found a model; relax it and draw what that wrote"));
        }
        let by = arguments.color.unwrap_or(ColourBy::Element);
        let read = formats::read(&arguments.input)?;
        let name = arguments.input.display().to_string();
        let options = MoleculeOptions::default();
        let shown = Shown::of_structure(read.value, &name, &options, needs_overlaps(by)).map_err(said)?;
        return Ok((shown, by));
    };
    let by = arguments.color.unwrap_or(ColourBy::Type);
    let bar = output::spinner(shared, format!("placing {}", arguments.input.display()));
    let name = arguments.input.display().to_string();
    let relaxation = Relaxation::of_scene(&scene, &name, relax::folder_of(&arguments.input));
    bar.finish_and_clear();
    let mut relaxation = relaxation?;
    if arguments.relax {
        relax::run_for_another(&mut relaxation, shared)?;
    }
    Ok((Shown::of_scene(&relaxation, needs_overlaps(by)).map_err(said)?, by))
}

fn palette(wanted: &Path) -> Result<Palette, Failure> {
    match wanted.to_str() {
        Some("safe") => Ok(Palette::safe()),
        Some("classic") => Ok(Palette::classic()),
        Some("goodsell") => Ok(Palette::goodsell()),
        _ => Ok(Palette::read(wanted)?),
    }
}

/// The GPU that was asked for, else the best one, else software: a picture is worth waiting for.
pub(crate) fn gpu(shared: &Shared) -> Result<Gpu, Failure> {
    if let Some(gpu) = shared.chosen(u64::MAX)?.gpu() {
        return Ok(gpu.clone());
    }
    if let Some(software) = adapters().iter().find(|adapter| adapter.is_software && adapter.is_able) {
        return Ok(Gpu::open(&Choice::Index(software.index))?);
    }
    Err(Failure::usage(
        "render: expected a GPU with Vulkan, Metal or DirectX 12, found none; the package mesa-vulkan-drivers (Debian, Ubuntu, Fedora) \
         draws on the processor",
    ))
}

fn look(arguments: &Arguments, camera: &Camera, palette: &Palette) -> Look {
    let usual = Look::of(arguments.style);
    let part = |wanted: Option<f64>, usual: f64| wanted.unwrap_or(usual).min(1.0);
    Look {
        occlusion: part(arguments.occlusion, usual.occlusion),
        lines: part(arguments.lines, usual.lines),
        shadows: part(arguments.shadows, usual.shadows),
        light: arguments.light.unwrap_or(usual.light),
        fog: part(arguments.fog, usual.fog),
        background: match arguments.background {
            Some(Background::None) => None,
            Some(Background::Colour(colour)) => Some(colour),
            None => Some(palette.background()),
        },
        clip: arguments.clip.map(|(side, kept)| {
            let towards = side.direction();
            (camera.target + towards * kept, -towards)
        }),
        samples: arguments.samples,
        raster: if arguments.squares { Raster::Squares } else { Raster::Auto },
        screen_door: arguments.screen_door,
        ..usual
    }
}

/// How far the camera has turned in a frame.
fn angle(arguments: &Arguments, frame: u32) -> f64 {
    let part = f64::from(frame) / f64::from(arguments.frames);
    match arguments.rock {
        Some(degrees) => degrees * (std::f64::consts::TAU * part).sin(),
        None => 360.0 * part,
    }
}
