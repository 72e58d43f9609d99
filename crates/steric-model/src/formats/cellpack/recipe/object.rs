//! The objects of a recipe of version 2: what ingredients and compartments are made of.
//!
//! How it works: an object may inherit from another. The other is read first, and the object's own keys are laid over it. What an
//! object is for (a molecule or a boundary) shows only in the composition, so a [`Draft`] keeps both.

use std::collections::BTreeMap;

use glam::DVec3;
use smol_str::SmolStr;

use super::ingredient::{color, mode, names, spheres};
use super::table::{Node, Source, Table};
use crate::ReadError;
use crate::recipe::{CompartmentShape, Ingredient, Partner, StructureSource};

/// Objects that inherit from each other further than this go in circles.
const DEEPEST: usize = 32;

/// Settings of cellPACK's search for places and of its pictures.
const UNUSED: [&str; 22] = [
    "jitter_attempts",
    "rotation_range",
    "max_jitter",
    "perturb_axis_amplitude",
    "is_attractor",
    "place_method",
    "rotation_axis",
    "use_rotation_axis",
    "use_orient_bias",
    "orient_bias_range",
    "cutoff_boundary",
    "cutoff_surface",
    "available_regions",
    "weight",
    "size_options",
    "count_options",
    "resolution_dictionary",
    "properties",
    "overwrite_distance_function",
    "distance_expression",
    "distance_function",
    "orient_bias",
];

/// An object, for either use.
#[derive(Clone, Default)]
pub(super) struct Draft {
    pub(super) ingredient: Ingredient,
    pub(super) kind: String,
    pub(super) radius: Option<f64>,
    pub(super) mesh: Option<String>,
    corners: Option<[DVec3; 2]>,
    length: Option<f64>,
}

/// All objects by name.
pub(super) fn read_all(mut table: Table<'_, '_>) -> Result<BTreeMap<String, Draft>, ReadError> {
    let nodes: BTreeMap<&str, Node<'_>> = table.entries().into_iter().collect();
    let mut drafts = BTreeMap::new();
    for name in nodes.keys() {
        resolve(name, &nodes, &mut drafts, table.source(), 0)?;
    }
    Ok(drafts)
}

fn resolve(
    name: &str,
    nodes: &BTreeMap<&str, Node<'_>>,
    drafts: &mut BTreeMap<String, Draft>,
    source: &Source<'_>,
    depth: usize,
) -> Result<Draft, ReadError> {
    if let Some(known) = drafts.get(name) {
        return Ok(known.clone());
    }
    let node = &nodes[name];
    let mut own = node.table(source, "an object (in braces)")?;
    let mut draft = Draft::default();
    if let Some(base) = own.get("inherit") {
        let known = base.value.as_str().filter(|base| nodes.contains_key(base) && depth < DEEPEST);
        let known = known.ok_or_else(|| source.error(&base.way, "the name of another object, not in a circle"))?;
        draft = resolve(known, nodes, drafts, source, depth + 1)?;
    }
    lay_over(&mut draft, own)?;
    drafts.insert(name.to_owned(), draft.clone());
    Ok(draft)
}

fn lay_over(draft: &mut Draft, mut table: Table<'_, '_>) -> Result<(), ReadError> {
    if let Some(kind) = table.text(&["type"])? {
        draft.kind = kind;
    }
    draft.radius = table.length(&["radius"])?.or(draft.radius);
    draft.length = table.length(&["length"])?.or(draft.length);
    if let Some(node) = table.get("bounds") {
        draft.corners = Some(super::classic::bounds(&node, &table)?);
    }
    lay_ingredient(&mut draft.ingredient, &mut table)?;
    if let Some(representations) = table.table("representations")? {
        lay_representations(draft, representations)?;
    }
    table.unused(&UNUSED);
    table.finish();
    Ok(())
}

/// The keys that an object and its entry in the composition share.
pub(super) fn lay_ingredient(ingredient: &mut Ingredient, table: &mut Table<'_, '_>) -> Result<(), ReadError> {
    if let Some(count) = table.amount(&["count"])? {
        ingredient.count = count.round() as u64;
    }
    ingredient.molarity = table.amount(&["molarity"])?.unwrap_or(ingredient.molarity);
    ingredient.priority = table.number(&["priority"])?.unwrap_or(ingredient.priority);
    ingredient.bounding_radius = table.length(&["encapsulating_radius"])?.or(ingredient.bounding_radius);
    ingredient.axis = table.point(&["principal_vector"])?.filter(|axis| axis.length() > 1e-6).or(ingredient.axis);
    ingredient.offset = table.point(&["offset"])?.unwrap_or(ingredient.offset);
    ingredient.tries = table.amount(&["rejection_threshold"])?.map(|tries| tries as u32).or(ingredient.tries);
    ingredient.color = color(table)?.or(ingredient.color);
    if let Some(text) = table.text(&["description", "label"])? {
        ingredient.description = text;
    }
    if table.has("packing_mode") {
        ingredient.mode = mode(table, "packing_mode")?;
    }
    if table.has("gradient") {
        ingredient.gradients = names(table, "gradient")?;
    }
    lay_partners(ingredient, table)
}

// A list of partners, or one object with lists of names.
fn lay_partners(ingredient: &mut Ingredient, table: &mut Table<'_, '_>) -> Result<(), ReadError> {
    let Some(node) = table.get("partners") else { return Ok(()) };
    let source = table.source();
    (ingredient.partners, ingredient.excluded) = (Vec::new(), Vec::new());
    if node.value.is_object() {
        let mut own = node.table(source, "partners")?;
        ingredient.excluded = names(&mut own, "excluded_names")?;
        let probability = own.number(&["probability_binding"])?.unwrap_or(0.5).clamp(0.0, 1.0);
        let positions = own.list(&["positions"])?;
        for (at, name) in names(&mut own, "names")?.into_iter().enumerate() {
            let position = positions.get(at).map(|node| node.point(source, "three coordinates (angstroms)"));
            ingredient.partners.push(partner(name, probability, position.transpose()?));
        }
        own.unused(&["probability_repelled", "weight"]);
        own.finish();
        return Ok(());
    }
    for node in node.list(source, "a list of partners")? {
        let mut own = node.table(source, "a partner (an object)")?;
        let name = own.text(&["name"])?.unwrap_or_default();
        let probability = own.number(&["binding_probability"])?.unwrap_or(1.0);
        let position = own.point(&["position"])?;
        own.unused(&["weight"]);
        own.finish();
        // Who binds with less than nothing is repelled.
        if probability < 0.0 {
            ingredient.excluded.push(name.into());
        } else {
            ingredient.partners.push(partner(name.into(), probability.min(1.0), position));
        }
    }
    Ok(())
}

fn partner(name: SmolStr, probability: f64, position: Option<DVec3>) -> Partner {
    Partner { name, probability, position: position.filter(|position| position.length() > 1e-6) }
}

fn lay_representations(draft: &mut Draft, mut table: Table<'_, '_>) -> Result<(), ReadError> {
    if let Some(mut atomic) = table.table("atomic")? {
        let name = atomic.text(&["id", "name"])?.unwrap_or_default();
        let mut structure = StructureSource { name, ..StructureSource::default() };
        atomic.unused(&["path", "format"]);
        if let Some(mut transform) = atomic.table("transform")? {
            if let Some(centred) = transform.flag("center")? {
                structure.is_centred = centred;
            }
            structure.translation = transform.point(&["translate"])?.unwrap_or_default();
            transform.finish();
        }
        atomic.finish();
        draft.ingredient.structure = Some(structure).filter(|structure| !structure.name.is_empty());
    }
    if let Some(mut packing) = table.table("packing")? {
        draft.ingredient.sphere_file = packing.text(&["name"])?;
        let (centers, radii) = (packing.list(&["positions"])?, packing.list(&["radii"])?);
        for (center, radius) in centers.iter().zip(&radii) {
            let numbers = |node: &Node<'_>| node.numbers(packing.source(), "a list of numbers (angstroms)");
            let spheres = spheres(&numbers(center)?, &[], &numbers(radius)?);
            let spheres = spheres.filter(|spheres| !spheres.is_empty());
            draft.ingredient.levels.push(spheres.ok_or_else(|| {
                packing.source().error(&center.way, "three coordinates for each of the radii, which are positive")
            })?);
        }
        packing.unused(&["path", "format"]);
        packing.finish();
    }
    if let Some(mut mesh) = table.table("mesh")? {
        draft.mesh = mesh.text(&["name"])?;
        mesh.unused(&["path", "format", "coordinate_system"]);
        mesh.finish();
    }
    table.finish();
    Ok(())
}

impl Draft {
    /// The object as a molecule.
    pub(super) fn ingredient(&self) -> Ingredient {
        let mut ingredient = self.ingredient.clone();
        ingredient.is_fibre = matches!(self.kind.as_str(), "grow" | "actin");
        let radius = self.radius.unwrap_or_default();
        let half = match (self.corners, self.length, ingredient.axis.and_then(DVec3::try_normalize)) {
            (Some([low, high]), ..) => [low, high],
            (None, Some(length), axis) => [-0.5, 0.5].map(|end| end * length * axis.unwrap_or(DVec3::Z)),
            _ => [DVec3::ZERO; 2],
        };
        if !ingredient.levels.is_empty() || ingredient.sphere_file.is_some() {
            return ingredient;
        }
        let [start, end] = half.map(|point| point.to_array());
        let body = match self.kind.as_str() {
            "single_cube" if self.corners.is_some() => cube(half),
            "single_cylinder" | "multi_cylinder" => spheres(&start, &end, &[radius]),
            _ => spheres(&[0.0; 3], &[], &[radius]),
        };
        ingredient.levels.extend(body.filter(|_| radius > 0.0 || self.kind == "single_cube"));
        ingredient
    }

    /// The object as a boundary.
    pub(super) fn boundary(&self) -> Option<CompartmentShape> {
        match (self.kind.as_str(), &self.mesh, self.corners, self.radius) {
            ("mesh", Some(file), ..) => Some(CompartmentShape::Mesh { file: file.clone() }),
            (_, _, Some([low, high]), None) => Some(CompartmentShape::Box { low, high }),
            (_, _, _, Some(radius)) => Some(CompartmentShape::Sphere { center: DVec3::ZERO, radius }),
            (_, Some(file), ..) => Some(CompartmentShape::Mesh { file: file.clone() }),
            _ => None,
        }
    }
}

// A box as spheres in a lattice, each around its cell; at most about two hundred of them.
fn cube([low, high]: [DVec3; 2]) -> Option<Vec<crate::Sphere>> {
    let edges = high - low;
    let cell = (edges.element_product() / 125.0).cbrt().max(edges.max_element() / 12.0);
    let counts = (edges / cell).ceil().max(DVec3::ONE);
    let cells = edges / counts;
    let radius = (0.5 * cells.length()) as f32;
    let [x, y, z] = counts.to_array().map(|count| count as u32);
    let center = |[x, y, z]: [u32; 3]| low + cells * (DVec3::new(x.into(), y.into(), z.into()) + 0.5);
    let places = (0..x).flat_map(|x| (0..y).flat_map(move |y| (0..z).map(move |z| [x, y, z])));
    let spheres = places.map(|place| crate::Sphere { center: center(place).as_vec3(), radius });
    (edges.min_element() > 0.0).then(|| spheres.collect())
}
