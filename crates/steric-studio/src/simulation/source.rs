//! What can be opened: ready scenes, scene files, models, and molecules on a skeleton.

use std::path::{Path, PathBuf};

use steric::animate::Opened;
use steric::check::Input;
use steric::model::formats;
use steric::relax::{ModelOptions, Relaxation};
use steric::world::animate::Puppet;
use steric::world::build::SceneFile;
use steric::world::relax::RelaxOptions;

use super::{AnimateSource, DeformSource, DiffuseSource, DockSource};

/// Where molecules come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A scene, as text, and the folder that its file names start from.
    Scene {
        /// What it is called.
        name: String,
        /// The text of the scene file.
        text: String,
        /// Where the files lie that it names.
        folder: PathBuf,
    },
    /// A model.
    Model {
        /// What it is called; its ending tells its format.
        name: String,
        /// The bytes of the file.
        bytes: std::sync::Arc<Vec<u8>>,
    },
    /// A ligand at a receptor.
    Dock(DockSource),
    /// Particles in motion.
    Diffuse(DiffuseSource),
    /// Soft bodies.
    Deform(DeformSource),
    /// Molecules on a skeleton.
    Animate(AnimateSource),
}

impl Source {
    /// A ready scene by its name; one that needs a file of the user's is ready where that file is.
    pub fn ready(name: &str) -> Option<Self> {
        if let Some(docked) = DockSource::ready(name) {
            return Some(Self::Dock(docked));
        }
        if let Some(diffused) = DiffuseSource::ready(name) {
            return Some(Self::Diffuse(diffused));
        }
        if let Some(deformed) = DeformSource::ready(name) {
            return Some(Self::Deform(deformed));
        }
        if scenes::animation(name).is_some() {
            return Opened::read(Path::new(name)).ok().flatten().map(Self::from);
        }
        let text = scenes::ready(name)?.to_owned();
        Some(Self::Scene { name: name.to_owned(), text, folder: PathBuf::new() })
    }

    /// Molecules on a skeleton, under a name.
    pub fn animate(puppet: Puppet, name: impl Into<String>) -> Self {
        Self::Animate(AnimateSource::new(name, puppet))
    }

    /// A ready scene, a scene file, a model, or a `.steric` file.
    pub fn read(path: &Path) -> Result<Self, String> {
        if path.to_str().and_then(scenes::animation).is_some() {
            let opened = Opened::read(path).map_err(|error| error.to_string())?;
            return opened.map(Self::from).ok_or_else(|| format!("{}: expected a scene, found none", path.display()));
        }
        if let Some(ready) = path.to_str().and_then(Self::ready) {
            return Ok(ready);
        }
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self::of_bytes(&path.display().to_string(), bytes, folder)
    }

    /// A file that is in memory already.
    pub fn of_bytes(name: &str, bytes: Vec<u8>, folder: PathBuf) -> Result<Self, String> {
        if let Some(opened) = Opened::of_bytes(name, &bytes, &folder) {
            return opened.map(Self::from).map_err(|error| error.to_string());
        }
        let is_scene = Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
        Ok(match String::from_utf8(bytes) {
            Ok(text) if is_scene && DeformSource::is_in(&text) => {
                Self::Deform(DeformSource { name: name.to_owned(), text, folder })
            }
            Ok(text) if is_scene && DiffuseSource::is_in(&text) => {
                Self::Diffuse(DiffuseSource { name: name.to_owned(), text, folder })
            }
            Ok(text) if is_scene => Self::Scene { name: name.to_owned(), text, folder },
            Ok(text) => Self::Model { name: name.to_owned(), bytes: text.into_bytes().into() },
            Err(error) => Self::Model { name: name.to_owned(), bytes: error.into_bytes().into() },
        })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Scene { name, .. } | Self::Model { name, .. } => name,
            Self::Dock(source) => source.name(),
            Self::Diffuse(source) => &source.name,
            Self::Deform(source) => &source.name,
            Self::Animate(source) => &source.name,
        }
    }

    /// The text of the scene file, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Scene { text, .. }
            | Self::Diffuse(DiffuseSource { text, .. })
            | Self::Deform(DeformSource { text, .. }) => Some(text),
            Self::Model { .. } | Self::Dock(_) | Self::Animate(_) => None,
        }
    }

    /// Whether the simulation pushes its molecules apart; what is docked, diffuses, deforms or is animated has a world of its own.
    pub(crate) fn is_relaxed(&self) -> bool {
        matches!(self, Self::Scene { .. } | Self::Model { .. })
    }

    /// The molecules in place.
    pub(super) fn relaxation(&self) -> Result<Relaxation, String> {
        match self {
            Self::Scene { name, text, folder } => {
                let scene = SceneFile::read(text, Path::new(name)).map_err(|error| error.to_string())?;
                Relaxation::of_scene(&scene, name, folder).map_err(|error| error.to_string())
            }
            Self::Model { name, bytes } => {
                let parsed = formats::read_bytes(bytes, Path::new(name), None).map_err(|error| error.to_string())?;
                let input = Input::new(name, parsed.value, parsed.warnings);
                Relaxation::of_model(&input, &ModelOptions::default(), RelaxOptions::default(), 1)
                    .map_err(|error| error.to_string())
            }
            Self::Dock(source) => Err(format!("expected molecules to push apart, found {} to dock", source.name())),
            Self::Diffuse(source) => Err(format!("expected molecules to push apart, found {} in motion", source.name)),
            Self::Deform(source) => {
                Err(format!("expected molecules to push apart, found soft bodies: {}", source.name))
            }
            Self::Animate(source) => {
                Err(format!("expected molecules to push apart, found {} on a skeleton", source.name))
            }
        }
    }
}

impl From<Opened> for Source {
    fn from(opened: Opened) -> Self {
        Self::animate(opened.puppet, opened.name)
    }
}
