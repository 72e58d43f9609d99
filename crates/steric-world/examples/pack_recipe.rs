//! Packs a recipe and says what became of it: `cargo run --release -p steric-world --example pack_recipe -- RECIPE.json [KEY=VALUE …]`.
//!
//! How it works: the files that a recipe names are looked for by their names in the folders around it. Keys: `seed`, `seconds`, `tries`,
//! `threads`, `repair`, `whole`, `only` (a part of the paths of the ingredients that are packed), and `mesh:NAME=FILE`, which gives
//! a compartment the surface in a file.
#![allow(clippy::print_stdout, reason = "an example says what it does")]

use std::collections::HashMap;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use steric_model::formats::cellpack::{read_recipe_file, read_sphere_file};
use steric_model::formats::mesh::read_mesh;
use steric_model::recipe::CompartmentShape;
use steric_world::build::recipe::{Files, PackOptions, pack};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let path = PathBuf::from(words.next().ok_or("expected the file of a recipe")?);
    let keys: HashMap<String, String> =
        words.filter_map(|word| word.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()))).collect();
    let number = |key: &str| keys.get(key).and_then(|value| value.parse::<f64>().ok());
    rayon::ThreadPoolBuilder::new().num_threads(number("threads").unwrap_or(2.0) as usize).build_global()?;
    let parsed = read_recipe_file(&path)?;
    let mut recipe = parsed.value;
    parsed.warnings.first.iter().for_each(|warning| println!("warning: {warning}"));
    for compartment in &mut recipe.compartments {
        if let Some(file) = keys.get(&format!("mesh:{}", compartment.name)) {
            compartment.shape = Some(CompartmentShape::Mesh { file: file.clone() });
        }
    }
    if let Some(only) = keys.get("only") {
        let kept: Vec<_> =
            recipe.ingredients.iter().filter(|kind| recipe.path_of(kind).contains(only.as_str())).cloned().collect();
        recipe.ingredients = kept;
    }
    let beside = path.parent().unwrap_or(Path::new("."));
    let find = |name: &str| {
        let file = Path::new(name);
        [file.to_owned(), beside.join(file.file_name().unwrap_or_default())].into_iter().find(|file| file.is_file())
    };
    let mesh = |name: &str| {
        let file = find(name).ok_or_else(|| format!("no file {name}"))?;
        read_mesh(&file).map(|parsed| parsed.value).map_err(|error| error.to_string())
    };
    let spheres = |name: &str| {
        let file = find(name).ok_or_else(|| format!("no file {name}"))?;
        let bytes = std::fs::read(&file).map_err(|error| error.to_string())?;
        read_sphere_file(&bytes, &file).map_err(|error| error.to_string())
    };
    let defaults = PackOptions::default();
    let options = PackOptions {
        seed: number("seed").map_or(defaults.seed, |seed| seed as u64),
        tries: number("tries").map_or(defaults.tries, |tries| tries as u32),
        max_seconds: number("seconds").unwrap_or(defaults.max_seconds),
        repair: keys.contains_key("repair"),
        is_whole: keys.contains_key("whole"),
        ..defaults
    };
    let mut number = 0;
    let packed = pack(&recipe, &Files { mesh: &mesh, spheres: &spheres }, &options, |iteration| {
        number += 1;
        if number <= 10 || number % 20 == 0 {
            println!(
                "{number}: {} overlaps, {} molecules, {} broken, deepest {:.2}, {:.0} ms",
                iteration.overlaps,
                iteration.overlapping,
                iteration.broken,
                iteration.deepest,
                iteration.milliseconds.iter().sum::<f64>()
            );
        }
        ControlFlow::Continue(())
    });
    packed.notes.iter().for_each(|note| println!("note: {note}"));
    packed.fullness.iter().for_each(|fullness| println!("{fullness}"));
    packed.verdicts.iter().for_each(|verdict| println!("{verdict}"));
    println!(
        "{} of {} copies, {} overlaps, {} iterations ({}), placed after {:.3} s, {:.3} s in all",
        packed.copies(),
        packed.asked(),
        packed.overlaps,
        packed.iterations,
        packed.stop,
        packed.placing_seconds,
        packed.seconds
    );
    Ok(())
}
