//! What is written: everything as one file, a scene for Blender, frames for other programs, films and pictures.
//!
//! How it works: whatever could be missing (a GPU, ffmpeg, a level that the format has no word for) is looked for before overlaps are resolved, so that nobody waits for a file that cannot be written.

use std::path::Path;

use steric::animate::{Moment, Puppet, write_frames};
use steric::gpu::Gpu;
use steric::model::formats::Format;
use steric::model::formats::trajectory::TrajectoryFormat;
use steric::world::animate::{Blend, GlbExport, Level, write_puppet_glb};
use steric_view::{Camera, Film, Look, Renderer, Side};

use super::{Arguments, Collide, Drawing, FRAMES, goes_on, interrupted, said};
use crate::failure::Failure;
use crate::options::Shared;
use crate::{output, render};

/// What an ending asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Steric,
    Glb,
    Frames,
    Film,
}

impl Wanted {
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let is_written = Format::from_path(path).is_some_and(|format| format.is_written());
        match ending.as_str() {
            "steric" => Ok(Self::Steric),
            "glb" => Ok(Self::Glb),
            "gif" | "mp4" | "mov" | "webm" | "png" => Ok(Self::Film),
            _ if TrajectoryFormat::from_path(path).is_some() || is_written => Ok(Self::Frames),
            _ => Err(Failure::usage(format!(
                "{}: expected an ending among .steric, .glb, .xtc, .dcd, .pdb, .cif, .bcif, .gro, .xyz, .gif, .mp4, .mov, .webm and .png",
                path.display()
            ))),
        }
    }
}

/// What writes, made ready.
pub(super) enum Writer {
    Nothing,
    Steric,
    Glb,
    Frames,
    Film { film: Film, gpu: Gpu, frames: usize },
}

impl Writer {
    pub(super) fn new(
        wanted: Option<Wanted>,
        puppet: &Puppet,
        moment: &Moment,
        arguments: &Arguments,
        shared: &Shared,
    ) -> Result<Self, Failure> {
        let (Some(wanted), Some(path)) = (wanted, shared.output.as_deref()) else { return Ok(Self::Nothing) };
        Ok(match wanted {
            Wanted::Steric => Self::Steric,
            Wanted::Frames => Self::Frames,
            Wanted::Glb => {
                let will_collide = arguments.collide == Some(Collide::Baked) || puppet.corrections_at(moment).is_some();
                GlbExport { collide: will_collide, ..export(puppet, moment, arguments) }
                    .check(puppet, path)
                    .map_err(said)?;
                tell_of_glb(puppet, moment, arguments, shared);
                Self::Glb
            }
            Wanted::Film => {
                let (duration, is_picture) = (puppet.duration(moment.clip), arguments.at.is_some());
                let frames = if is_picture { 1 } else { frames_of_film(path, duration, arguments) };
                let usual = if duration > 0.0 { (frames as f64 / duration).min(60.0) } else { 30.0 };
                let film = Film::create(path, arguments.rate.unwrap_or(usual), frames).map_err(said)?;
                Self::Film { film, gpu: render::gpu(shared)?, frames }
            }
        })
    }

    pub(super) fn write(
        self,
        path: &Path,
        puppet: &Puppet,
        moment: &Moment,
        arguments: &Arguments,
        shared: &Shared,
    ) -> Result<(), Failure> {
        match self {
            Self::Nothing => return Ok(()),
            Self::Steric => puppet.save(path).map_err(|error| Failure::io(path, &error))?,
            Self::Glb => {
                let collide = puppet.corrections_at(moment).is_some();
                let export = GlbExport { collide, ..export(puppet, moment, arguments) };
                write_puppet_glb(puppet, &export, path).map_err(said)?;
            }
            Self::Frames => frames(path, puppet, moment, arguments, shared)?,
            Self::Film { film, gpu, frames } => draw(film, &gpu, frames, puppet, moment, arguments, shared)?,
        }
        output::note(shared, &format!("wrote {}", path.display()));
        Ok(())
    }
}

fn export(puppet: &Puppet, moment: &Moment, arguments: &Arguments) -> GlbExport<'static> {
    GlbExport {
        level: moment.level,
        blend: moment.blend,
        turning: moment.turning,
        clip: moment.clip,
        collide: puppet.corrections_at(moment).is_some(),
        frames: arguments.frames.unwrap_or(FRAMES) as usize,
        super_atoms: arguments.distance.checked_sub(1),
        colours: None,
    }
}

/// What a file of atoms on a skeleton cannot say as it was asked for.
fn tell_of_glb(puppet: &Puppet, moment: &Moment, arguments: &Arguments, shared: &Shared) {
    if moment.level != Level::Atom {
        return;
    }
    if moment.blend != Blend::Linear {
        output::note(shared, "glTF blends atoms linearly, whatever the blend; --level residue keeps it");
    }
    if arguments.clip.is_some() && puppet.rig().clips.len() > 1 {
        output::note(shared, "all clips are written; --level residue writes the one that is asked for");
    }
}

/// Files hold hundredths of a second for each picture of a GIF, and players show at most fifty.
fn frames_of_film(path: &Path, duration: f64, arguments: &Arguments) -> usize {
    let is_gif = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gif"));
    let usual = if is_gif { (25.0 * duration).ceil().clamp(2.0, f64::from(FRAMES)) as u32 } else { FRAMES };
    arguments.frames.unwrap_or(usual) as usize
}

fn frames(
    path: &Path,
    puppet: &Puppet,
    moment: &Moment,
    arguments: &Arguments,
    shared: &Shared,
) -> Result<(), Failure> {
    let frames = arguments.frames.unwrap_or(FRAMES) as usize;
    let bar = output::bar(shared, frames as u64, "frames");
    let mut progress = |done: usize| {
        bar.set_position(done as u64);
        goes_on()
    };
    let written = write_frames(puppet, moment, frames, path, &mut progress);
    bar.finish_and_clear();
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::Interrupted => interrupted(),
        _ => Failure::io(path, &error),
    };
    for path in written.map_err(failed)?.iter().skip(1) {
        output::note(shared, &format!("wrote {}", path.display()));
    }
    Ok(())
}

fn draw(
    mut film: Film,
    gpu: &Gpu,
    frames: usize,
    puppet: &Puppet,
    moment: &Moment,
    arguments: &Arguments,
    shared: &Shared,
) -> Result<(), Failure> {
    let (renderer, look) = (Renderer::new(gpu), Look::default());
    let drawing = Drawing::new(puppet, arguments.shown(moment.level));
    let (size, side) = (arguments.size.unwrap_or([640, 480]), arguments.view.unwrap_or(Side::FRONT));
    let duration = puppet.duration(moment.clip);
    let at = |share: f64| if arguments.at.is_some() { moment.time } else { share * duration };
    let aspect = f64::from(size[0]) / f64::from(size[1]);
    // Seen whole in the first frame and in the middle of the clip, where it is bent the most as a rule.
    let cameras = [0.0, 0.25, 0.5, 0.75]
        .map(|share| Camera::of(&drawing.scene(puppet, &Moment { time: at(share), ..*moment }).0, side, aspect));
    let camera = cameras.into_iter().max_by(|a, b| a.distance().total_cmp(&b.distance())).unwrap_or(cameras[0]);
    let bar = output::bar(shared, frames as u64, "frames");
    for frame in 0..frames {
        let time = at(frame as f64 / (frames - 1).max(1) as f64);
        let (scene, colours) = drawing.scene(puppet, &Moment { time, ..*moment });
        let model = renderer.load(&scene, &colours).map_err(said)?;
        film.add(&renderer.draw(&model, &camera, &look, size).map_err(said)?).map_err(said)?;
        bar.set_position(frame as u64 + 1);
        if !goes_on() {
            return Err(interrupted());
        }
    }
    bar.finish_and_clear();
    film.finish().map_err(said)
}
