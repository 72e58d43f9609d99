//! What is fuzzed: the formats of molecules, and those of skeletons with their clips.

use std::path::Path;

use steric_model::formats::rig::read_rig_bytes;
use steric_model::formats::{Format, read_bytes, write_bytes};
use steric_model::{Parsed, ReadError, Rig, Structure, Turning, Warnings};

use crate::{rig_seeds, seeds};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Molecule(Format),
    Collada,
    Gltf,
    Glb,
}

impl Subject {
    pub(crate) fn all() -> Vec<Self> {
        let molecules = Format::ALL.into_iter().map(Self::Molecule);
        molecules.chain([Self::Collada, Self::Gltf, Self::Glb]).collect()
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Molecule(format) => format.name(),
            Self::Collada => "Collada",
            Self::Gltf => "glTF",
            Self::Glb => "GLB",
        }
    }

    /// The endings of its files; the usual one first.
    pub(crate) fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Molecule(format) => format.extensions(),
            Self::Collada => &["dae"],
            Self::Gltf => &["gltf"],
            Self::Glb => &["glb"],
        }
    }

    pub(crate) fn from_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        let rig =
            [Self::Collada, Self::Gltf, Self::Glb].into_iter().find(|subject| subject.endings().contains(&ending));
        rig.or_else(|| Format::from_path(path).map(Self::Molecule))
    }

    /// Sound files, by name.
    pub(crate) fn seeds(self) -> Vec<(String, Vec<u8>)> {
        let written = match self {
            Self::Molecule(format) => return seeds::seeds(format),
            Self::Collada => rig_seeds::collada(),
            Self::Gltf => rig_seeds::gltf(),
            Self::Glb => rig_seeds::glb(),
        };
        let mut seeds = vec![(format!("{} in this test", self.name()), written)];
        seeds.extend(seeds::shared(|path| Self::from_path(path) == Some(self)));
        seeds
    }

    /// Whether a sound file gives nothing.
    pub(crate) fn is_empty(self, bytes: &[u8], path: &Path) -> Result<bool, ReadError> {
        Ok(match self {
            Self::Molecule(format) => {
                let structure = read_bytes(bytes, path, Some(format))?.value;
                structure.atoms.is_empty() && structure.assemblies.is_empty()
            }
            _ => read_rig_bytes(bytes, path)?.value.clips.is_empty(),
        })
    }

    /// Reads, checks what every result promises, and uses it; returns whether it could be read. `is_forced` tells the reader its
    /// format, where it takes one.
    pub(crate) fn read(self, bytes: &[u8], path: &Path, is_forced: bool) -> bool {
        match self {
            Self::Molecule(format) => {
                checked(read_bytes(bytes, path, is_forced.then_some(format)), path).as_ref().map(write_all).is_some()
            }
            _ => checked(read_rig_bytes(bytes, path), path).as_ref().map(pose).is_some(),
        }
    }
}

fn checked<T>(parsed: Result<Parsed<T>, ReadError>, path: &Path) -> Option<T> {
    let Parsed { value, warnings } = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            let message = error.to_string();
            let name = path.display().to_string();
            assert!(message.starts_with(&name), "an error names the file: {message}");
            assert!(message.len() < 1000, "an error is a sentence, not {} bytes: {message:.100}", message.len());
            return None;
        }
    };
    assert!(warnings.first.len() <= Warnings::KEPT.min(warnings.total), "warnings are counted, not hoarded");
    for warning in warnings.first.iter().map(ToString::to_string) {
        assert!(!warning.is_empty() && warning.len() < 1000, "a warning is a sentence: {warning:.100}");
    }
    Some(value)
}

fn write_all(structure: &Structure) {
    for format in Format::ALL.into_iter().filter(|format| format.is_written()) {
        // A structure that a format cannot hold is refused with an error, which is as good here as a file.
        let _ = write_bytes(format, structure, &mut std::io::sink());
    }
}

fn pose(rig: &Rig) {
    let joints = &rig.skeleton.joints;
    for (index, joint) in joints.iter().enumerate() {
        assert!(joint.parent.is_none_or(|parent| (parent as usize) < index), "parents come first");
        assert!(joint.bind.is_finite(), "a bind is finite");
    }
    assert!(joints.iter().any(|joint| joint.moves_atoms), "something moves atoms");
    let mut in_skins = rig.skins.iter().flat_map(|skin| &skin.joints);
    assert!(in_skins.all(|&joint| joints[joint as usize].moves_atoms), "joints of skins move atoms");
    for clip in &rig.clips {
        assert!(clip.tracks.iter().all(|track| track.is_sound() && (track.joint as usize) < joints.len()));
        let poses = clip.poses(&rig.skeleton, 0.5 * clip.duration, Turning::Slerp);
        assert_eq!(rig.skeleton.motions(&poses).len(), joints.len());
    }
    assert!(rig.skeleton.bones().len() >= joints.iter().filter(|joint| joint.moves_atoms).count());
}
