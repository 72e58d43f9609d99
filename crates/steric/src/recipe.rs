//! Recipes of cellPACK, with the files that they name.
//!
//! How it works: a recipe is read, and its surfaces and sphere trees are looked for by their names in the folders around it. What a recipe leaves out, its
//! box or the surface of a compartment, can be given.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use glam::DVec3;
use steric_model::formats::cellpack::{TemplateFolders, assemble, read_recipe_file, read_sphere_file};
use steric_model::formats::mesh::read_mesh;
use steric_model::recipe::{CompartmentShape, Recipe};
use steric_model::{Parsed, ReadError, Structure};
use steric_world::build::recipe::{Files, PackOptions, Packed, pack};
use steric_world::relax::Iteration;

/// A recipe, and where it lies.
#[derive(Clone, Debug)]
pub struct RecipeFile {
    /// What it says.
    pub recipe: Recipe,
    path: PathBuf,
}

/// Why something that a recipe leaves out was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// A box that is none.
    #[error("{0}")]
    Box(String),
    /// The recipe has no compartment of that name.
    #[error("expected a compartment ({known}), found {name:?}")]
    Compartment {
        /// What was asked for.
        name: String,
        /// What the recipe has.
        known: String,
    },
    /// A file that cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl RecipeFile {
    /// Reads one.
    pub fn read(path: &Path) -> Result<Parsed<Self>, ReadError> {
        let Parsed { value, warnings } = read_recipe_file(path)?;
        Ok(Parsed { value: Self { recipe: value, path: path.to_owned() }, warnings })
    }

    /// The box around all compartments, in place of the recipe's: three edges about the origin, or two corners as six numbers.
    pub fn set_box(&mut self, numbers: &[f64]) -> Result<(), RecipeError> {
        let corners = match *numbers {
            [x, y, z] => [-0.5 * DVec3::new(x, y, z), 0.5 * DVec3::new(x, y, z)],
            [a, b, c, x, y, z] => [DVec3::new(a, b, c), DVec3::new(x, y, z)],
            ref other => {
                let found = other.len();
                return Err(RecipeError::Box(format!("expected three edges or six numbers, found {found}")));
            }
        };
        let edges = corners[1] - corners[0];
        if !(edges.is_finite() && edges.min_element() > 0.0) {
            return Err(RecipeError::Box(format!("expected edges above 0 Å, found {edges}")));
        }
        self.recipe.bounds = Some(corners);
        Ok(())
    }

    /// The surface of a compartment, in place of the recipe's: a file, or the radius of a sphere about the origin.
    pub fn set_surface(&mut self, name: &str, surface: &Path) -> Result<(), RecipeError> {
        let compartments = &mut self.recipe.compartments;
        let Some(at) = compartments.iter().position(|own| own.name == name) else {
            let known: Vec<&str> = compartments.iter().map(|own| own.name.as_str()).collect();
            return Err(RecipeError::Compartment { name: name.to_owned(), known: known.join(", ") });
        };
        let radius = surface.to_str().and_then(|text| text.parse().ok()).filter(|radius: &f64| *radius > 0.0);
        compartments[at].shape = Some(match radius.filter(|radius| radius.is_finite()) {
            Some(radius) => CompartmentShape::Sphere { center: DVec3::ZERO, radius },
            None => CompartmentShape::Triangles { mesh: read_mesh(surface)?.value },
        });
        Ok(())
    }

    /// Places every copy and moves them until none overlaps another.
    pub fn pack(&self, options: &PackOptions, look: impl FnMut(&Iteration) -> ControlFlow<()>) -> Packed {
        let find = |name: &str| {
            find(name, &self.path).ok_or_else(|| format!("no file {name} in the folders around the recipe"))
        };
        let mesh = |name: &str| {
            let parsed = read_mesh(&find(name)?).map_err(|error| error.to_string())?;
            Ok(parsed.value)
        };
        let spheres = |name: &str| {
            let file = find(name)?;
            let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            read_sphere_file(&bytes, &file).map_err(|error| error.to_string())
        };
        pack(&self.recipe, &Files { mesh: &mesh, spheres: &spheres }, options, look)
    }

    /// Templates and poses of what was packed.
    pub fn assemble(&self, packed: &Packed) -> Result<Parsed<Structure>, ReadError> {
        let folders = TemplateFolders::around(&self.path);
        assemble(&self.recipe, &packed.spheres, &packed.poses, &|name| folders.find(name))
    }
}

/// A file by its name alone: as it is named, beside the recipe, in the folders beside it, or in those beside its own.
fn find(name: &str, recipe: &Path) -> Option<PathBuf> {
    let name = Path::new(name.rsplit(['/', '\\']).next()?);
    let beside = recipe.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut folders = vec![beside.to_owned()];
    for around in [Some(beside.to_owned()), beside.canonicalize().ok().and_then(|at| at.parent().map(Path::to_owned))] {
        let entries = around.and_then(|around| std::fs::read_dir(around).ok()).into_iter().flatten().flatten();
        let mut inside: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        inside.sort();
        folders.extend(inside);
    }
    folders.into_iter().map(|folder| folder.join(name)).find(|file| file.is_file())
}
