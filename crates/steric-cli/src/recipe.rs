//! `steric build RECIPE.json`: recipes of cellPACK, packed.
//!
//! How it works: the recipe is read, its surfaces and sphere trees are looked for by their names in the folders around it, and every copy is placed and moved until none overlaps another. What is written
//! is a model of templates and poses, or with `.json` a result as cellPACK writes it, or with `.simularium` a file for that viewer. An ingredient that did not fit says why.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use serde_json::{Value, json};
use steric::model::Parsed;
use steric::model::formats::cellpack::{result_to_json, result_to_simularium};
use steric::model::recipe::Recipe;
use steric::recipe::{RecipeError, RecipeFile};
use steric::world::build::recipe::{PackOptions, Packed};

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
    let Parsed { value: mut file, warnings } = RecipeFile::read(path)?;
    for warning in &warnings.first {
        output::note(shared, &format!("warning: {}: {warning}", path.display()));
    }
    if !options.bounds.is_empty() {
        file.set_box(&options.bounds).map_err(|error| Failure::usage(format!("--box: {error}")))?;
    }
    for (name, surface) in &options.surface {
        file.set_surface(name, surface).map_err(|error| match error {
            RecipeError::Read(error) => Failure::from(error),
            other => Failure::usage(format!("--surface: {other}")),
        })?;
    }
    let packed = packed(&file, path, options, shared);
    let recipe = &file.recipe;
    print(recipe, &packed, target, shared)?;
    match wanted {
        Wanted::Result => write(target, shared, |file| {
            file.write_all(result_to_json(recipe, &packed.spheres, &packed.poses).as_bytes())
        })?,
        Wanted::Simularium => {
            write(target, shared, |file| result_to_simularium(recipe, &packed.spheres, &packed.poses, file).map(drop))?
        }
        Wanted::Model(model) => {
            let structure = file.assemble(&packed)?;
            for warning in &structure.warnings.first {
                output::note(shared, &format!("warning: {warning}"));
            }
            let atoms = relax::structure_to(&structure.value, &model)?;
            output::note(shared, &format!("wrote {} with {}", target.display(), counted(atoms, "atom")));
        }
    }
    Ok(if packed.overlaps == 0 && packed.copies() == packed.asked() { Verdict::Clean } else { Verdict::Overlaps })
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

fn packed(file: &RecipeFile, path: &Path, options: &RecipeOptions, shared: &Shared) -> Packed {
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
    let packed = file.pack(&options, |iteration| {
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
