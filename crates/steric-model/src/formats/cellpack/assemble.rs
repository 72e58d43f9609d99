//! A packed recipe as a structure: one template for each ingredient, and the poses of its copies.
//!
//! How it works: where the file of an ingredient's atoms is found, they are moved as the recipe says (to their middle, turned, shifted) and stand in the frame
//! of its spheres. Where it is not, the spheres stand in, one atom without an element each, with their radius as
//! B-factor. Chains carry the path of the ingredient, which files write as the description of their entity.

use std::path::{Path, PathBuf};

use smol_str::SmolStr;

use super::Scene;
use super::templates::add_template;
use crate::recipe::{Ingredient, Recipe, StructureSource};
use crate::{AtomRecord, Copies, Name, Parsed, Pose, ReadError, Sphere, Structure, StructureBuilder};

/// Makes a structure of what was packed: `spheres` and `poses` (`world_from_ingredient`) stand in the order of the recipe's ingredients;
/// `templates` finds the files of atoms by their names.
///
/// ```
/// use steric_model::formats::cellpack::{assemble, read_recipe};
/// use steric_model::{Pose, Sphere};
///
/// let text = br#"{"cytoplasme": {"ingredients": {"ball": {"nbMol": 2}}}}"#;
/// let recipe = read_recipe(text, "two.json".as_ref())?.value;
/// let poses = [0.0, 9.0].map(|x| Pose::from_translation(glam::DVec3::X * x)).to_vec();
/// let packed = assemble(&recipe, &[vec![Sphere { radius: 4.0, ..Sphere::default() }]], &[poses], &|_| None)?.value;
/// assert_eq!((packed.atoms.len(), packed.assemblies[0].copies[0].poses.len()), (1, 2));
/// assert_eq!(packed.chains[0].description, "space/ball");
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn assemble(
    recipe: &Recipe,
    spheres: &[Vec<Sphere>],
    poses: &[Vec<Pose>],
    templates: &dyn Fn(&str) -> Option<PathBuf>,
) -> Result<Parsed<Structure>, ReadError> {
    let mut scene = Scene::new(recipe.name.clone(), templates);
    for (at, ingredient) in recipe.ingredients.iter().enumerate() {
        let (Some(spheres), Some(poses)) = (spheres.get(at), poses.get(at)) else { continue };
        if !poses.is_empty() {
            scene.add_packed(&recipe.path_of(ingredient), ingredient, spheres, poses);
        }
    }
    scene.finish(Path::new(&recipe.name))
}

impl Scene<'_> {
    fn add_packed(&mut self, place: &str, ingredient: &Ingredient, spheres: &[Sphere], poses: &[Pose]) {
        let source = ingredient.structure.as_ref();
        let found = source.and_then(|source| Some((source, (self.templates)(&source.name)?)));
        let atoms = found.and_then(|(source, file)| {
            let chains = self.chains(place, &(file, source.unit.clone(), source.is_centred))?;
            Some((chains, own_from_atoms(source)))
        });
        let (chains, frame) = match atoms {
            Some(atoms) => atoms,
            None if spheres.is_empty() => return,
            None => {
                let missing = source.map_or("it names no structure".to_owned(), |s| format!("no file for {}", s.name));
                self.warn(format!("{place}: {missing}; its spheres stand for it"));
                let template = as_structure(&ingredient.name, spheres);
                (add_template(&mut self.structure, &template, place, false), Pose::IDENTITY)
            }
        };
        let poses = poses.iter().map(|&pose| pose * frame).collect();
        self.assembly.copies.push(Copies { name: SmolStr::new(place), chains, poses });
    }
}

fn own_from_atoms(source: &StructureSource) -> Pose {
    Pose { rotation: source.rotation, translation: source.translation }
}

fn as_structure(name: &str, spheres: &[Sphere]) -> Structure {
    let mut builder = StructureBuilder::new(name, spheres.len());
    for (number, sphere) in (1..).zip(spheres) {
        builder.push(AtomRecord {
            position: sphere.center,
            name: Name::new("S"),
            serial: number,
            occupancy: 1.0,
            b_factor: sphere.radius,
            residue_name: Name::new("SPH"),
            residue_number: number,
            hetero: true,
            chain: "A",
            ..AtomRecord::default()
        });
    }
    builder.finish()
}
