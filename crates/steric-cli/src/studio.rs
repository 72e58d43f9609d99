//! `steric studio`: a window.

use std::path::PathBuf;

use clap::Args;
use steric::world::build::SceneFile;
use steric_studio::Options;
use steric_studio::simulation::{DockSource, Source, Where};

use crate::failure::Failure;
use crate::options::Shared;
use crate::output::Verdict;
use crate::render;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  steric studio
  steric studio vesicle
  steric studio exosome                     a whole vesicle; also syn3a-small, mitochondrion-membrane, plasma-hiv
  steric studio model.pdb
  steric studio cytoplasm                   proteins in Brownian motion
  steric studio adenylate-kinase            a molecule on a skeleton; also a .steric file
  steric studio dhfr                        a drug in hand, at its enzyme
  steric studio receptor.pdb ligand.sdf     a ligand in hand")]
pub(crate) struct Arguments {
    /// A model, a ready scene or a scene file; without one there is a gallery to choose from
    #[arg(value_name = "FILE|SCENE")]
    input: Option<PathBuf>,
    /// A ligand to take in hand; what stands before it is the receptor
    ligand: Option<PathBuf>,
    /// Remember nothing: no recent files, no settings, nothing to restore
    #[arg(long)]
    forget: bool,
}

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    shared.check_backend()?;
    let mut open = match (&arguments.input, &arguments.ligand) {
        (Some(receptor), Some(ligand)) => {
            Some(Source::Dock(DockSource::read(receptor, ligand).map_err(Failure::usage)?))
        }
        (input, _) => input.as_deref().map(Source::read).transpose().map_err(Failure::usage)?,
    };
    match (shared.seed, &mut open) {
        (Some(seed), Some(Source::Scene { name, text, .. })) => {
            let mut scene = SceneFile::read(text, name.as_ref())?;
            scene.seed = seed;
            *text = toml::to_string(&scene).map_err(|error| Failure::usage(error.to_string()))?;
        }
        (Some(seed), Some(Source::Diffuse(source))) => *source = source.with("seed", &seed.to_string()),
        _ => {}
    }
    // Without anything that draws there is a window all the same, which says what is missing.
    let gpu = render::gpu(shared).ok();
    let place = match &gpu {
        Some(gpu) if shared.insists_on_gpu() => Where::Gpu(gpu.clone()),
        Some(gpu) if !gpu.adapter().is_software && !shared.insists_on_cpu() => Where::Large(gpu.clone()),
        _ => Where::Processor,
    };
    let folder = if arguments.forget { None } else { folder() };
    steric_studio::run(Options { open, gpu, place, folder }).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(Verdict::Clean)
}

/// Where a program keeps what it remembers, as the system has it.
fn folder() -> Option<PathBuf> {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(target_os = "windows") {
        from("APPDATA")
    } else if cfg!(target_os = "macos") {
        from("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        from("XDG_CONFIG_HOME").or_else(|| from("HOME").map(|home| home.join(".config")))
    };
    base.map(|base| base.join("steric"))
}
