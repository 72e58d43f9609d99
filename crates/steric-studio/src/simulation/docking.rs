//! What is docked in the window: a scene that comes with steric, or two files.

use std::path::Path;
use std::sync::Arc;

use steric::dock::{Dock, DockOptions, Session, ready};
use steric::model::formats::{self, Format, pdbqt::torsion_tree};

/// A ligand at a receptor.
#[derive(Clone, Debug, PartialEq)]
pub enum DockSource {
    /// A scene that comes with steric, by its name.
    Ready(String),
    /// The receptor and the ligand: what they are called, and their bytes.
    Files([(String, Arc<Vec<u8>>); 2]),
}

impl DockSource {
    /// A scene by its name.
    pub fn ready(name: &str) -> Option<Self> {
        let is_known = steric::dock::ready_names().iter().any(|(known, _)| *known == name);
        is_known.then(|| Self::Ready(name.to_owned()))
    }

    /// Two files.
    pub fn read(receptor: &Path, ligand: &Path) -> Result<Self, String> {
        let read = |path: &Path| {
            let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok::<_, String>((path.display().to_string(), Arc::new(bytes)))
        };
        Ok(Self::Files([read(receptor)?, read(ligand)?]))
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Ready(name) => name,
            Self::Files([_, (ligand, _)]) => ligand,
        }
    }

    /// The ligand in hand, where it begins.
    pub(crate) fn session(&self) -> Result<Session, String> {
        let options = DockOptions::default();
        match self {
            Self::Ready(name) => {
                let scene = ready(name, &options).ok_or_else(|| format!("expected a scene to dock, found {name}"))?;
                Ok(scene.map_err(|error| error.to_string())?.session())
            }
            Self::Files([(receptor_name, receptor), (ligand_name, ligand)]) => {
                let read = |name: &str, bytes: &[u8]| {
                    formats::read_bytes(bytes, Path::new(name), None).map_err(|error| error.to_string())
                };
                let (first, second) = (read(receptor_name, receptor)?.value, read(ligand_name, ligand)?.value);
                let is_pdbqt = Format::from_path(Path::new(ligand_name)) == Some(Format::Pdbqt);
                let tree = if is_pdbqt { torsion_tree(ligand) } else { None };
                let dock = Dock::new((receptor_name, &first), (ligand_name, &second), tree.as_deref(), &options);
                Ok(Session::new(Arc::new(dock.map_err(|error| error.to_string())?)))
            }
        }
    }

    /// The same molecules, at the beginning again.
    pub(crate) fn begun(&self, session: &Session) -> Result<Session, String> {
        match self {
            Self::Ready(_) => self.session(),
            Self::Files(_) => Ok(Session::new(Arc::clone(session.dock()))),
        }
    }
}
