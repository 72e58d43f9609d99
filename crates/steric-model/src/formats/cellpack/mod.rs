//! Packed scenes of cellPACK: where each copy of each ingredient stands.
//!
//! How it works: the file (JSON) lists ingredients by compartment; an ingredient names the structure it is made of
//! and holds one position and rotation per copy. Every structure is read once and becomes a model, the template,
//! without its waters; the copies become the poses of one assembly. So memory grows with templates and poses, not
//! with atoms.
//!
//! Frames: in files that give a `principalAxis`, a template is centred if its source says so, shifted by `offset` and
//! turned so that the axis points along z; then come the copy's quaternion (x, y, z, w) and position. Older files have
//! quaternions (w, x, y, z) and no axis; there the source may turn the template by such a quaternion and then shift it. Both were found from the files themselves: the 1,356 copies of the HIV capsid
//! agree with the operators of its PDB entry, the axes of the envelope proteins point along the membrane's normal
//! with their known side outwards, and the packed proteins stand beside each other instead of in each other.

mod assemble;
mod json;
mod manifest;
mod recipe;
mod results;
mod simularium;
mod templates;

use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};
use rustc_hash::FxHashMap;

use crate::{Assembly, Copies, Parsed, Place, Pose, ReadError, Structure, Warnings};
pub use assemble::assemble;
use json::{Ingredient, Packing, Source, pose};
use manifest::{Content, Entity, Manifest, is_manifest};
pub use recipe::{read_recipe, read_recipe_file, read_sphere_file};
pub use results::result_to_json;
pub use simularium::result_to_simularium;
pub use templates::TemplateFolders;
use templates::{add_template, load_template};

/// Reads a packed scene already in memory; `templates` finds the file of a structure by the name in the scene.
///
/// Ingredients without a file are left out with a warning; without any file at all there is nothing to show, and
/// that is an error.
///
/// ```
/// use steric_model::formats::cellpack::{TemplateFolders, read_cellpack};
///
/// let scene = br#"{"cytoplasme": {"ingredients": {"POPC": {"source": {"pdb": "popc.pdb"},
///     "results": [[[0, 0, 0], [0, 0, 0, 1]], [[90, 0, 0], [0, 0, 0, 1]]]}}}}"#;
/// let folders = TemplateFolders::new([concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data")]);
/// let patch = read_cellpack(scene, "patch.json".as_ref(), &|name| folders.find(name))?.value;
/// let poses = &patch.assemblies[0].copies[0].poses;
/// assert_eq!((poses.len(), (poses[1].translation - poses[0].translation).x), (2, 90.0));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_cellpack(
    bytes: &[u8],
    path: &Path,
    templates: &dyn Fn(&str) -> Option<PathBuf>,
) -> Result<Parsed<Structure>, ReadError> {
    let scene = match content(bytes, path)? {
        Content::Packing(packing) => {
            let mut scene = Scene::new(packing.name().unwrap_or_else(|| super::text::stem(path)), templates);
            packing.ingredients().iter().for_each(|(place, ingredient)| scene.add(place, ingredient));
            scene
        }
        Content::Manifest(manifest) => {
            let name = Some(manifest.label).filter(|label| !label.is_empty());
            let mut scene = Scene::new(name.unwrap_or_else(|| super::text::stem(path)), templates);
            manifest.entities.iter().for_each(|entity| scene.add_entity(entity));
            scene
        }
    };
    scene.finish(path)
}

fn content(bytes: &[u8], path: &Path) -> Result<Content, ReadError> {
    if is_manifest(bytes) {
        return Manifest::parse(bytes, path).map(Content::Manifest);
    }
    let packing = Packing::parse(bytes, path)?;
    if packing.ingredients().iter().all(|(_, ingredient)| ingredient.results.is_empty()) {
        return Err(ReadError::content(path, Place::File, "a packed scene with placed ingredients", "no placed copy"));
    }
    Ok(Content::Packing(packing))
}

struct Scene<'t> {
    structure: Structure,
    assembly: Assembly,
    warnings: Warnings,
    templates: &'t dyn Fn(&str) -> Option<PathBuf>,
    /// The chains of each template, by file, biological unit and whether it was centred; `None` where it failed.
    chains_of: FxHashMap<TemplateKey, Option<Vec<u32>>>,
    first_missing: Option<String>,
}

type TemplateKey = (PathBuf, Option<String>, bool);

impl<'t> Scene<'t> {
    fn new(name: String, templates: &'t dyn Fn(&str) -> Option<PathBuf>) -> Self {
        Self {
            structure: Structure { name, ..Structure::default() },
            assembly: Assembly { id: "1".into(), copies: Vec::new() },
            warnings: Warnings::default(),
            templates,
            chains_of: FxHashMap::default(),
            first_missing: None,
        }
    }

    fn warn(&mut self, message: String) {
        self.warnings.push(Place::File, || message);
    }

    fn add(&mut self, place: &str, ingredient: &Ingredient) {
        if ingredient.curves > 0 {
            self.warn(format!("{place}: {} fibres are left out; only placed molecules are read", ingredient.curves));
        }
        if ingredient.results.is_empty() {
            return;
        }
        let copies = match ingredient.results.len() {
            1 => "its only copy is left out".to_owned(),
            several => format!("its {several} copies are left out"),
        };
        let Some(name) = ingredient.source.structure_name() else {
            self.warn(format!("{place}: names no structure; {copies}"));
            return;
        };
        let Some(file) = (self.templates)(name) else {
            self.first_missing.get_or_insert_with(|| name.to_owned());
            self.warn(format!("{place}: no file for {name}; {copies}"));
            return;
        };
        if let Some(chains) = self.template(place, &file, &ingredient.source) {
            let poses = self.poses(place, ingredient);
            self.assembly.copies.push(Copies { name: place.into(), chains, poses });
        }
    }

    // An entity of a manifest: its file as it is, wherever its instances stand.
    fn add_entity(&mut self, entity: &Entity) {
        let place = entity.place();
        let (poses, lost) = entity.poses();
        if lost > 0 {
            self.warn(format!("{place}: {lost} copies have no valid rotation and are left out"));
        }
        let Some(file) = (self.templates)(&entity.file) else {
            self.first_missing.get_or_insert_with(|| entity.file.clone());
            self.warn(format!("{place}: no file {}; its {} copies are left out", entity.file, poses.len()));
            return;
        };
        if let Some(chains) = self.chains(&place, &(file, None, false)).filter(|_| !poses.is_empty()) {
            self.assembly.copies.push(Copies { name: place.into(), chains, poses });
        }
    }

    fn template(&mut self, place: &str, file: &Path, source: &Source) -> Option<Vec<u32>> {
        self.chains(place, &(file.to_owned(), source.biological_unit(), source.is_centred()))
    }

    // The chains of a template, read at its first use.
    fn chains(&mut self, place: &str, key: &TemplateKey) -> Option<Vec<u32>> {
        if let Some(known) = self.chains_of.get(key) {
            return known.clone();
        }
        let chains = match load_template(&key.0, key.1.as_deref(), &mut self.warnings) {
            Ok(template) => Some(add_template(&mut self.structure, &template, place, key.2)),
            Err(problem) => {
                self.warn(format!("{place}: left out: {problem}"));
                None
            }
        };
        self.chains_of.insert(key.clone(), chains.clone());
        chains
    }

    fn poses(&mut self, place: &str, ingredient: &Ingredient) -> Vec<Pose> {
        let frame = self.frame(place, ingredient);
        let axis_is_given = ingredient.axis().is_some();
        let results = ingredient.results.iter();
        let poses: Vec<Pose> = results
            .filter_map(|(position, rotation)| Some(pose(*position, rotation, axis_is_given)? * frame))
            .collect();
        let lost = ingredient.results.len() - poses.len();
        if lost > 0 {
            self.warn(format!("{place}: {lost} copies have no valid rotation and are left out"));
        }
        poses
    }

    // What happens to the template before each copy is placed.
    fn frame(&mut self, place: &str, ingredient: &Ingredient) -> Pose {
        if ingredient.axis().is_some() && ingredient.source.rotation().is_some() {
            self.warn(format!("{place}: the rotation of its source is not applied"));
        }
        match ingredient.axis().and_then(DVec3::try_normalize) {
            Some(axis) => {
                let turn = Pose { rotation: DQuat::from_rotation_arc(axis, DVec3::Z), translation: DVec3::ZERO };
                turn * Pose::from_translation(ingredient.offset())
            }
            None => Pose {
                rotation: ingredient.source.rotation().unwrap_or(DQuat::IDENTITY),
                translation: ingredient.source.translation(),
            },
        }
    }

    fn finish(mut self, path: &Path) -> Result<Parsed<Structure>, ReadError> {
        if self.structure.atoms.is_empty() {
            let missing = self.first_missing.unwrap_or_else(|| "no structure".into());
            let expected = "the structure file of at least one ingredient, beside the scene or in a folder next to it";
            return Err(ReadError::content(path, Place::File, expected, missing));
        }
        self.structure.assemblies.push(self.assembly);
        Ok(Parsed { value: self.structure, warnings: self.warnings })
    }
}
