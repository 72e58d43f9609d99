//! `steric build RECIPE.json`: recipes of cellPACK, packed.
//!
//! How it works: the recipe is read, its surfaces and sphere trees are looked for by their names in the folders around it, and every copy is placed and moved until none overlaps another. What is written
//! is a model of templates and poses, or with `.json` a result as cellPACK writes it, or with `.simularium` a file for that viewer. An ingredient that did not fit says why.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use glam::DVec3;
use serde_json::{Value, json};
use steric::model::Parsed;
use steric::model::formats::cellpack::{
    TemplateFolders, assemble, read_recipe_file, read_sphere_file, result_to_json, result_to_simularium,
};
use steric::model::formats::mesh::read_mesh;
use steric::model::recipe::{CompartmentShape, Recipe};
use steric::world::build::recipe::{Files, PackOptions, Packed, pack};

use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict};
use crate::relax;
use crate::table::{counted, thousands};

/// How a recipe is packed.
#[derive(Debug, Args)]
pub(crate) struct RecipeOptions {
    /// Close the holes of surfaces that are not watertight
    #[arg(long, help_heading = "Recipes")]
    repair: bool,
    /// The box around all compartments, in angstroms: three edges about the origin, or two corners as six numbers
    #[arg(
        long = "box",
        value_name = "X,Y,Z",
        help_heading = "Recipes",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    bounds: Vec<f64>,
    /// The surface of a compartment, or the radius of a sphere about the origin, in place of what the recipe names; as often as wanted
    #[arg(long, value_name = "NAME=FILE", help_heading = "Recipes", value_parser = surface)]
    surface: Vec<(String, PathBuf)>,
    /// Whole molecules stay in the box, not their middles alone as in cellPACK
    #[arg(long, help_heading = "Recipes")]
    whole: bool,
    /// Places that a copy tries at most
    #[arg(long, value_name = "N", help_heading = "Recipes", default_value_t = PackOptions::default().tries)]
    tries: u32,
    /// Ends the relaxation after so many seconds, if above 0; what still overlaps then is left out
    #[arg(long, value_name = "SECONDS", help_heading = "Recipes", default_value_t = PackOptions::default().max_seconds)]
    max_seconds: f64,
}

fn surface(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_owned(), file.into())),
        _ => Err("expected the name of a compartment, =, and a file".to_owned()),
    }
}

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether a file is a recipe by its name.
pub(crate) fn is_recipe(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"))
}

pub(crate) fn run(path: &Path, options: &RecipeOptions, shared: &Shared) -> Result<Verdict, Failure> {
    shared.without_gpu("build")?;
    let Some(target) = &shared.output else {
        let found = path.display();
        return Err(Failure::usage(format!(
            "build {found}: expected -o FILE.bcif, .cif, .pdb, .simularium or .json, found none"
        )));
    };
    output::check_outputs(&[path.to_owned()], [Some(target.as_path())])?;
    // A wrong ending should not cost the user the time to pack.
    let wanted = Wanted::of(target)?;
    let bounds = options.bounds()?;
    let Parsed { value: mut recipe, warnings } = read_recipe_file(path)?;
    for warning in &warnings.first {
        output::note(shared, &format!("warning: {}: {warning}", path.display()));
    }
    recipe.bounds = bounds.or(recipe.bounds);
    options.put_surfaces(&mut recipe)?;
    let packed = packed(&recipe, path, options, shared);
    print(&recipe, &packed, target, shared)?;
    match wanted {
        Wanted::Result => write(target, shared, |file| {
            file.write_all(result_to_json(&recipe, &packed.spheres, &packed.poses).as_bytes())
        })?,
        Wanted::Simularium => {
            write(target, shared, |file| result_to_simularium(&recipe, &packed.spheres, &packed.poses, file).map(drop))?
        }
        Wanted::Model(model) => {
            let folders = TemplateFolders::around(path);
            let structure = assemble(&recipe, &packed.spheres, &packed.poses, &|name| folders.find(name))?;
            for warning in &structure.warnings.first {
                output::note(shared, &format!("warning: {warning}"));
            }
            let atoms = relax::structure_to(&structure.value, &model)?;
            output::note(shared, &format!("wrote {} with {}", target.display(), counted(atoms, "atom")));
        }
    }
    Ok(if packed.overlaps == 0 && packed.copies() == packed.asked() { Verdict::Clean } else { Verdict::Overlaps })
}

impl RecipeOptions {
    /// Two corners of the box that was asked for.
    fn bounds(&self) -> Result<Option<[DVec3; 2]>, Failure> {
        let corners = match *self.bounds.as_slice() {
            [] => return Ok(None),
            [x, y, z] => [-0.5 * DVec3::new(x, y, z), 0.5 * DVec3::new(x, y, z)],
            [a, b, c, x, y, z] => [DVec3::new(a, b, c), DVec3::new(x, y, z)],
            ref other => {
                let found = other.len();
                return Err(Failure::usage(format!("--box: expected three edges or six numbers, found {found}")));
            }
        };
        let edges = corners[1] - corners[0];
        if !(edges.is_finite() && edges.min_element() > 0.0) {
            return Err(Failure::usage(format!("--box: expected edges above 0 Å, found {edges}")));
        }
        Ok(Some(corners))
    }

    /// Gives compartments the surfaces that were asked for.
    fn put_surfaces(&self, recipe: &mut Recipe) -> Result<(), Failure> {
        for (name, file) in &self.surface {
            let Some(own) = recipe.compartments.iter_mut().find(|own| own.name == name.as_str()) else {
                let known: Vec<&str> = recipe.compartments.iter().map(|own| own.name.as_str()).collect();
                let expected = known.join(", ");
                return Err(Failure::usage(format!("--surface: expected a compartment ({expected}), found {name:?}")));
            };
            let radius = file.to_str().and_then(|text| text.parse().ok()).filter(|radius: &f64| *radius > 0.0);
            own.shape = Some(match radius.filter(|radius| radius.is_finite()) {
                Some(radius) => CompartmentShape::Sphere { center: DVec3::ZERO, radius },
                None => CompartmentShape::Triangles { mesh: read_mesh(file)?.value },
            });
        }
        Ok(())
    }
}

/// What is written, by the ending of its name.
enum Wanted<'a> {
    Result,
    Simularium,
    Model(relax::Target<'a>),
}

impl<'a> Wanted<'a> {
    fn of(target: &'a Path) -> Result<Self, Failure> {
        if is_recipe(target) {
            return Ok(Self::Result);
        }
        if target.extension().is_some_and(|end| end.eq_ignore_ascii_case("simularium")) {
            return Ok(Self::Simularium);
        }
        relax::Target::new(target).map(Self::Model)
    }
}

fn write(
    target: &Path,
    shared: &Shared,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    output::write_whole(target, |file| write(file).map_err(|error| Failure::io(target, &error)))?;
    output::note(shared, &format!("wrote {}", target.display()));
    Ok(())
}

fn packed(recipe: &Recipe, path: &Path, options: &RecipeOptions, shared: &Shared) -> Packed {
    let find = |name: &str| find(name, path).ok_or_else(|| format!("no file {name} in the folders around the recipe"));
    let mesh = |name: &str| {
        let parsed = read_mesh(&find(name)?).map_err(|error| error.to_string())?;
        Ok(parsed.value)
    };
    let spheres = |name: &str| {
        let file = find(name)?;
        let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        read_sphere_file(&bytes, &file).map_err(|error| error.to_string())
    };
    let options = PackOptions {
        seed: shared.seed(),
        tries: options.tries,
        is_whole: options.whole,
        repair: options.repair,
        max_seconds: options.max_seconds,
        ..PackOptions::default()
    };
    // Only the first of several runs in one process can listen; a test harness has none.
    let _listening = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let bar = output::spinner(shared, format!("packing {}", path.display()));
    let mut iterations = 0;
    let packed = pack(recipe, &Files { mesh: &mesh, spheres: &spheres }, &options, |iteration| {
        iterations += 1;
        bar.set_message(format!(
            "iteration {iterations}: {} overlap",
            counted(u64::from(iteration.overlapping), "molecule")
        ));
        if INTERRUPTED.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    packed
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

fn print(recipe: &Recipe, packed: &Packed, target: &Path, shared: &Shared) -> Result<(), Failure> {
    if shared.json {
        let document = json!({
            "recipe": recipe.name,
            "asked": packed.asked(),
            "placed": packed.copies(),
            "overlaps": packed.overlaps,
            "iterations": packed.iterations,
            "seconds": packed.seconds,
            "rooms": packed.rooms.iter().map(room).collect::<Vec<Value>>(),
            "ingredients": packed.verdicts,
            "notes": packed.notes,
            "file": target.display().to_string(),
        });
        return output::print(&(serde_json::to_string_pretty(&document)? + "\n"));
    }
    if shared.quiet && packed.overlaps == 0 && packed.copies() == packed.asked() {
        return Ok(());
    }
    output::print(&text(packed))
}

fn room(room: &steric::world::build::recipe::Room) -> Value {
    json!({ "name": room.name, "volume": room.volume, "area": room.area })
}

fn text(packed: &Packed) -> String {
    let mut text: String = packed.notes.iter().map(|note| format!("note: {note}\n")).collect();
    packed.fullness.iter().for_each(|fullness| text += &format!("{fullness}\n"));
    packed.verdicts.iter().filter(|verdict| verdict.placed < verdict.asked).for_each(|of| text += &format!("{of}\n"));
    text + &format!(
        "{} of {} copies placed, {} left, {}, {:.2} s\n",
        thousands(packed.copies()),
        thousands(packed.asked()),
        counted(packed.overlaps, "overlap"),
        counted(u64::from(packed.iterations), "iteration"),
        packed.seconds
    )
}
