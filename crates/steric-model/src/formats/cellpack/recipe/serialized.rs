//! Serialized recipes: a tree of `Compartments`, each with `IngredientGroups` of `Ingredients`.
//!
//! How it works: compartments called `surface` and `interior` are no compartments but the two parts of the one that they stand
//! in. A compartment without any of these parts and without a boundary, as `cytoplasme` at the root, is its parent's own inside.
//! The second kind of group holds fibres.

use super::compartment;
use super::ingredient::{self, Home};
use super::table::Table;
use crate::ReadError;
use crate::recipe::{CompartmentId, Recipe, Site};

pub(super) fn read(mut table: Table<'_, '_>) -> Result<Recipe, ReadError> {
    let mut recipe = Recipe { name: table.text(&["name"])?.unwrap_or_default(), ..Recipe::default() };
    if let Some(node) = table.first(&["bounding_box", "boundingBox"]) {
        recipe.bounds = Some(super::classic::bounds(&node, &table)?);
    }
    recipe.description = table.text(&["description"])?.unwrap_or_default();
    table.unused(&["local_id", "unique_id", "version", "format_version"]);
    add_content(&mut recipe, &mut table, &Home { compartment: None, site: Site::Interior })?;
    table.finish();
    Ok(recipe)
}

// The groups and the compartments of a compartment, or of one of its two parts.
fn add_content(recipe: &mut Recipe, table: &mut Table<'_, '_>, home: &Home) -> Result<(), ReadError> {
    let source = table.source();
    for node in table.list(&["IngredientGroups"])? {
        let group = node.table(source, "a group of ingredients (an object)")?;
        add_group(recipe, group, home)?;
    }
    for node in table.list(&["Compartments"])? {
        let own = node.table(source, "a compartment (an object)")?;
        add_compartment(recipe, own, home)?;
    }
    Ok(())
}

fn add_compartment(recipe: &mut Recipe, mut table: Table<'_, '_>, outer: &Home) -> Result<(), ReadError> {
    let name = table.text(&["name"])?.unwrap_or_default();
    let part = match name.as_str() {
        "surface" => Some(Site::Surface),
        "interior" => Some(Site::Interior),
        "outer_leaflet" => Some(Site::OuterLeaflet),
        "inner_leaflet" => Some(Site::InnerLeaflet),
        _ => None,
    };
    let is_outside = name.starts_with("cytoplasm") && outer.compartment.is_none() && !table.has("geom_type");
    let home = if part.is_some() || is_outside {
        table.unused(&["local_id", "unique_id"]);
        Home { compartment: outer.compartment, site: part.unwrap_or_default() }
    } else {
        let id = CompartmentId(recipe.compartments.len() as u32);
        let compartment = compartment::read(&name, outer.compartment, &mut table)?;
        recipe.compartments.push(compartment);
        Home { compartment: Some(id), site: Site::Interior }
    };
    add_content(recipe, &mut table, &home)?;
    table.finish();
    Ok(())
}

fn add_group(recipe: &mut Recipe, mut table: Table<'_, '_>, home: &Home) -> Result<(), ReadError> {
    let source = table.source();
    let is_fibres = table.number(&["groupType"])?.is_some_and(|kind| kind == 1.0);
    for node in table.list(&["Ingredients"])? {
        let mut ingredient = ingredient::read("", &node, home, source)?;
        ingredient.is_fibre |= is_fibres;
        recipe.ingredients.push(ingredient);
    }
    table.unused(&["name", "local_id", "unique_id", "compartmentId"]);
    table.finish();
    Ok(())
}
