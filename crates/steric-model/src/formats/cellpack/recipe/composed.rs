//! Recipes of version 2: `objects`, and a `composition` that says which of them lies in which.
//!
//! How it works: an entry of the composition that has regions of its own, or whose object is a mesh, is a compartment; the
//! one that no other entry names is the box itself. All else is an ingredient, with the keys of its object and its own
//! over them. A compartment's object stands at the origin, or where its mesh is.

use std::collections::{BTreeMap, BTreeSet};

use super::classic::{bounds, weight};
use super::object::{self, Draft};
use super::table::{Node, Table};
use crate::ReadError;
use crate::recipe::{Compartment, CompartmentId, Gradient, GradientShape, Recipe, Site};

/// Compartments within compartments, no deeper than this.
const DEEPEST: usize = 64;

pub(super) fn read(mut table: Table<'_, '_>) -> Result<Recipe, ReadError> {
    let mut recipe = Recipe {
        name: table.text(&["name"])?.unwrap_or_default(),
        description: table.text(&["description"])?.unwrap_or_default(),
        is_periodic: table.flag("use_periodicity")?.unwrap_or_default(),
        ..Recipe::default()
    };
    if let Some(node) = table.get("bounding_box") {
        recipe.bounds = Some(bounds(&node, &table)?);
    }
    add_gradients(&mut recipe, &mut table)?;
    let drafts = table.table("objects")?.map_or(Ok(BTreeMap::new()), object::read_all)?;
    if let Some(mut composition) = table.table("composition")? {
        let entries: BTreeMap<&str, Node<'_>> = composition.entries().into_iter().collect();
        let mut reader = Reader { recipe: &mut recipe, drafts: &drafts, entries, table: &table, used: BTreeSet::new() };
        reader.read()?;
    }
    table.unused(&["format_version", "version", "grid_file_path", "randomness_seed"]);
    table.finish();
    Ok(recipe)
}

fn add_gradients(recipe: &mut Recipe, table: &mut Table<'_, '_>) -> Result<(), ReadError> {
    let Some(node) = table.get("gradients") else { return Ok(()) };
    let source = table.source();
    let nodes = if node.value.is_object() {
        let named = node.table(source, "gradients")?.entries();
        named.into_iter().map(|(name, node)| (name.to_owned(), node)).collect()
    } else {
        let list = node.list(source, "a list of gradients")?;
        list.into_iter().map(|node| (String::new(), node)).collect::<Vec<_>>()
    };
    for (name, node) in nodes {
        let own = node.table(source, "a gradient (an object)")?;
        recipe.gradients.extend(gradient(name, own)?);
    }
    Ok(())
}

fn gradient(name: String, mut table: Table<'_, '_>) -> Result<Option<Gradient>, ReadError> {
    let own = table.text(&["name"])?;
    let name = if name.is_empty() { own.unwrap_or_default() } else { name };
    let mode = table.text(&["mode"])?.unwrap_or_else(|| "x".to_owned());
    let mut settings = table.table("mode_settings")?;
    let direction = settings.as_mut().map_or(Ok(None), |settings| settings.point(&["direction"]))?;
    let center = settings.as_mut().map_or(Ok(None), |settings| settings.point(&["center"]))?;
    let radius = settings.as_mut().map_or(Ok(None), |settings| settings.length(&["radius"]))?;
    let object = settings.as_mut().map_or(Ok(None), |settings| settings.text(&["object"]))?;
    if let Some(mut settings) = settings {
        settings.unused(&["scale_to_next_surface", "scale_distance_between"]);
        settings.finish();
    }
    let along = |direction| GradientShape::Vector { direction, center };
    let shape = match (mode.as_str(), direction, object) {
        ("x" | "X", ..) => Some(along(glam::DVec3::X)),
        ("y" | "Y", ..) => Some(along(glam::DVec3::Y)),
        ("z" | "Z", ..) => Some(along(glam::DVec3::Z)),
        ("vector", Some(direction), _) if direction.length() > 0.0 => Some(along(direction)),
        ("radial", ..) => Some(GradientShape::Radial { center: center.unwrap_or_default(), radius }),
        ("surface", _, Some(object)) => Some(GradientShape::Surface { compartment: object.into() }),
        _ => None,
    };
    let mut parameters = table.table("weight_mode_settings")?;
    let parameter = parameters.as_mut().map_or(Ok(None), |table| table.number(&["decay_length", "power"]))?;
    if let Some(parameters) = parameters {
        parameters.finish();
    }
    let weight = weight(table.text(&["weight_mode"])?.as_deref(), parameter);
    let is_inverted = table.get("invert").is_some();
    let is_reversed = table.flag("reversed")?.unwrap_or_default() != is_inverted;
    if shape.is_none() {
        table.warn(format!("the gradient {name} of the kind {mode:?} says too little to be followed"));
    }
    table.unused(&["description", "pick_mode"]);
    table.finish();
    Ok(shape.map(|shape| Gradient { name: name.into(), shape, weight, is_reversed }))
}

struct Reader<'r, 'v, 't, 's> {
    recipe: &'r mut Recipe,
    drafts: &'r BTreeMap<String, Draft>,
    entries: BTreeMap<&'v str, Node<'v>>,
    table: &'t Table<'v, 's>,
    used: BTreeSet<String>,
}

impl<'v> Reader<'_, 'v, '_, '_> {
    fn read(&mut self) -> Result<(), ReadError> {
        let mut named = BTreeSet::new();
        self.entries.values().for_each(|node| names_in(node.value.get("regions"), &mut named));
        let roots: Vec<&str> = self.entries.keys().copied().filter(|name| !named.contains(*name)).collect();
        for root in roots {
            let node = self.entries[root].clone();
            self.used.insert(root.to_owned());
            let has_object = node.value.get("object").is_some_and(|object| !object.is_null());
            if has_object {
                self.add(root, &node, None, Site::Interior, 0)?;
            } else {
                self.add_regions(&node, None, 0)?;
            }
        }
        for (name, node) in &self.entries {
            if !self.used.contains(*name) {
                self.table.source().warn(&node.way, format!("the entry {name} lies in nothing and is left out"));
            }
        }
        Ok(())
    }

    fn add_regions(&mut self, node: &Node<'v>, home: Option<CompartmentId>, depth: usize) -> Result<(), ReadError> {
        let source = self.table.source();
        let mut table = node.table(source, "an entry of the composition (an object)")?;
        if let Some(mut regions) = table.table("regions")? {
            for (key, list) in regions.entries() {
                let site = match key {
                    "interior" => Site::Interior,
                    "surface" => Site::Surface,
                    "outer_leaflet" | "outer-leaflet" => Site::OuterLeaflet,
                    "inner_leaflet" | "inner-leaflet" => Site::InnerLeaflet,
                    _ => {
                        source.warn(&list.way, format!("the region {key:?} is not known; what is in it is left out"));
                        continue;
                    }
                };
                for item in list.list(source, "a list of what lies in a region")? {
                    self.add_item(&item, home, site, depth)?;
                }
            }
        }
        Ok(())
    }

    // A name of another entry, or an entry of its own.
    fn add_item(
        &mut self,
        item: &Node<'v>,
        home: Option<CompartmentId>,
        site: Site,
        depth: usize,
    ) -> Result<(), ReadError> {
        let source = self.table.source();
        let Some(name) = item.value.as_str() else {
            let name = item.value.get("object").and_then(serde_json::Value::as_str).unwrap_or_default();
            return self.add(name, item, home, site, depth);
        };
        let Some(node) = self.entries.get(name).cloned() else {
            return Err(source.error(&item.way, "the name of an entry of the composition"));
        };
        if depth > DEEPEST || !self.used.insert(name.to_owned()) {
            return Err(source.error(&item.way, "an entry that lies in one other only, not in a circle"));
        }
        self.add(name, &node, home, site, depth + 1)
    }

    fn add(
        &mut self,
        name: &str,
        node: &Node<'v>,
        home: Option<CompartmentId>,
        site: Site,
        depth: usize,
    ) -> Result<(), ReadError> {
        let source = self.table.source();
        let mut own = node.table(source, "an entry of the composition (an object)")?;
        let draft = match own.get("object") {
            Some(object) => {
                let known = object.value.as_str().and_then(|object| self.drafts.get(object));
                known.ok_or_else(|| source.error(&object.way, "the name of one of the objects"))?.clone()
            }
            // Version 2 lets an entry be its own object.
            None => self.drafts.get(name).cloned().unwrap_or_default(),
        };
        own.unused(&["id"]);
        if draft.kind == "mesh" || node.value.get("regions").is_some() {
            let count = own.amount(&["count"])?.unwrap_or(1.0);
            if count > 1.0 {
                own.warn(format!("{name}: one compartment is made, not {count}"));
            }
            let shape = draft.boundary();
            if shape.is_none() {
                own.warn(format!("the compartment {name} has no boundary that this recipe tells"));
            }
            own.get("regions");
            own.unused(&["priority"]);
            own.finish();
            let id = CompartmentId(self.recipe.compartments.len() as u32);
            self.recipe.compartments.push(Compartment { name: name.into(), parent: home, shape, thickness: 0.0 });
            return self.add_regions(node, Some(id), depth);
        }
        let mut ingredient = draft.ingredient();
        object::lay_ingredient(&mut ingredient, &mut own)?;
        own.finish();
        (ingredient.name, ingredient.compartment, ingredient.site) = (name.into(), home, site);
        self.recipe.ingredients.push(ingredient);
        Ok(())
    }
}

// The entries that regions name.
fn names_in(value: Option<&serde_json::Value>, names: &mut BTreeSet<String>) {
    let lists = value.and_then(serde_json::Value::as_object).into_iter().flat_map(serde_json::Map::values);
    let items = lists.filter_map(serde_json::Value::as_array).flatten();
    names.extend(items.filter_map(serde_json::Value::as_str).map(str::to_owned));
}
