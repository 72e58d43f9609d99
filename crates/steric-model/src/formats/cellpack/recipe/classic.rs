//! Recipes of version 1, and packed results: `recipe`, `options`, `cytoplasme` and `compartments` side by side.
//!
//! How it works: compartments stand in one list and do not say which lies in which; that shows when their surfaces are
//! known. Ingredients stand in objects by name, so that their order means nothing, and some tools name their files instead (`include`).

use glam::DVec3;

use super::compartment;
use super::ingredient::{self, Home};
use super::table::Table;
use crate::ReadError;
use crate::recipe::{CompartmentId, Gradient, GradientShape, GradientWeight, Recipe, Site};

/// Settings of cellPACK's own search for places.
const UNUSED: [&str; 24] = [
    "cancelDialog",
    "_hackFreepts",
    "windowsSize",
    "use_gradient",
    "placeMethod",
    "saveResult",
    "runTimeDisplay",
    "overwritePlaceMethod",
    "innerGridMethod",
    "smallestProteinSize",
    "computeGridParams",
    "freePtsUpdateThrehod",
    "freePtsUpdateThreshold",
    "pickWeightedIngr",
    "_timer",
    "ingrLookForNeighbours",
    "pickRandPt",
    "largestProteinSize",
    "resultfile",
    "EnviroOnly",
    "use_halton",
    "overwriteplaceMethod",
    "encapsulatingGrid",
    "rejectionThreshold",
];

pub(super) fn read(mut table: Table<'_, '_>) -> Result<Recipe, ReadError> {
    let mut recipe = Recipe::default();
    if let Some(mut about) = table.table("recipe")? {
        recipe.name = about.text(&["name"])?.unwrap_or_default();
        recipe.description = about.text(&["description"])?.unwrap_or_default();
        about.unused(&["version", "paths", "setupfile", "format_version"]);
        about.finish();
    }
    if let Some(options) = table.table("options")? {
        read_options(&mut recipe, options)?;
    }
    for key in ["cytoplasme", "cytoplasm"] {
        if let Some(group) = table.table(key)? {
            add_group(&mut recipe, group, &Home { compartment: None, site: Site::Interior })?;
        }
    }
    if let Some(mut compartments) = table.table("compartments")? {
        for (name, node) in compartments.entries() {
            let own = node.table(table.source(), "a compartment (an object)")?;
            add_compartment(&mut recipe, name, own)?;
        }
    }
    table.finish();
    Ok(recipe)
}

fn read_options(recipe: &mut Recipe, mut options: Table<'_, '_>) -> Result<(), ReadError> {
    if let Some(node) = options.first(&["boundingBox", "bounding_box"]) {
        recipe.bounds = Some(bounds(&node, &options)?);
    }
    recipe.is_periodic = options.flag("use_periodicity")?.unwrap_or_default();
    for node in options.list(&["gradients"])? {
        let Some(name) = node.value.as_str() else {
            let own = node.table(options.source(), "a gradient (an object)")?;
            recipe.gradients.push(gradient(own)?);
            continue;
        };
        options.warn(format!("the gradient {name} is named but not described"));
    }
    options.unused(&UNUSED);
    options.finish();
    Ok(())
}

/// Two corners, the least one first.
pub(super) fn bounds(node: &super::table::Node<'_>, table: &Table<'_, '_>) -> Result<[DVec3; 2], ReadError> {
    let expected = "two corners of a box, three coordinates each (angstroms)";
    let numbers = node.numbers(table.source(), expected)?;
    let [a, b, c, d, e, f] = numbers[..] else { return Err(table.source().error(&node.way, expected)) };
    let (first, second) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
    Ok([first.min(second), first.max(second)])
}

// A gradient of version 1: a mode, a direction, and names of laws.
fn gradient(mut table: Table<'_, '_>) -> Result<Gradient, ReadError> {
    let name = table.text(&["name"])?.unwrap_or_default().into();
    let mode = table.text(&["mode"])?.unwrap_or_default();
    let direction = table.point(&["direction"])?.unwrap_or(DVec3::X);
    let center = table.point(&["center"])?;
    let radius = table.length(&["radius"])?;
    let shape = match mode.as_str() {
        "Y" | "y" => GradientShape::Vector { direction: DVec3::Y, center: None },
        "Z" | "z" => GradientShape::Vector { direction: DVec3::Z, center: None },
        "direction" | "vector" => GradientShape::Vector { direction, center },
        "radial" => GradientShape::Radial { center: center.unwrap_or_default(), radius },
        _ => GradientShape::Vector { direction: DVec3::X, center: None },
    };
    let weight = weight(table.text(&["weight_mode", "weight_mod"])?.as_deref(), None);
    table.unused(&["pick_mode", "description"]);
    table.finish();
    Ok(Gradient { name, shape, weight, is_reversed: false })
}

/// The law of a weight by its name.
pub(super) fn weight(name: Option<&str>, parameter: Option<f64>) -> GradientWeight {
    match name {
        Some("square") => GradientWeight::Power(2.0),
        Some("cube") => GradientWeight::Power(3.0),
        Some("power") => GradientWeight::Power(parameter.unwrap_or(1.0)),
        Some("exponential") => GradientWeight::Exponential { decay_length: parameter.unwrap_or(1.0) },
        _ => GradientWeight::Power(1.0),
    }
}

fn add_compartment(recipe: &mut Recipe, name: &str, mut table: Table<'_, '_>) -> Result<(), ReadError> {
    let id = CompartmentId(recipe.compartments.len() as u32);
    recipe.compartments.push(compartment::read(name, None, &mut table)?);
    for (key, site) in [("surface", Site::Surface), ("interior", Site::Interior)] {
        if let Some(group) = table.table(key)? {
            add_group(recipe, group, &Home { compartment: Some(id), site })?;
        }
    }
    table.finish();
    Ok(())
}

fn add_group(recipe: &mut Recipe, mut group: Table<'_, '_>, home: &Home) -> Result<(), ReadError> {
    let source = group.source();
    if let Some(mut ingredients) = group.table("ingredients")? {
        for (name, node) in ingredients.entries() {
            if let Some(file) = node.value.get("include").and_then(serde_json::Value::as_str) {
                source.warn(&node.way, format!("{name}: the file {file} is not followed; the ingredient is left out"));
                continue;
            }
            recipe.ingredients.push(ingredient::read(name, &node, home, source)?);
        }
    }
    group.finish();
    Ok(())
}
