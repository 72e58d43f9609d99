//! One ingredient, as version 1, serialized recipes and packed results write it.
//!
//! How it works: the three share their keys, but not how they write spheres: as lists of points, as objects with flat
//! `coords`, as texts. Frames follow what the files themselves show. In the older ones (a `translate`, or nothing) the atoms are centred if asked,
//! turned by a quaternion (w, x, y, z) and shifted, and are then where the spheres are: all atoms of fibrinogen lie in its
//! 60 spheres that way and in no other. In those of Mesoscope (an `offset`) spheres and centred atoms share a frame, and the offset moves both.

use glam::{DQuat, DVec3};
use smol_str::SmolStr;

use super::table::{Node, Source, Table};
use crate::formats::cellpack::json::{Rotation, pose};
use crate::recipe::{CompartmentId, Ingredient, PackingMode, Partner, Site, StructureSource};
use crate::{Pose, ReadError, Sphere};

/// Settings of cellPACK's search for places and of its pictures.
const UNUSED: [&str; 37] = [
    "meshFile",
    "meshName",
    "meshObject",
    "meshType",
    "sprite",
    "confidence",
    "uniprot",
    "custom_data",
    "properties",
    "rotRange",
    "jitterMax",
    "perturbAxisAmplitude",
    "useRotAxis",
    "rotAxis",
    "orientBiasRotRangeMin",
    "orientBiasRotRangeMax",
    "useOrientBias",
    "cutoff_boundary",
    "cutoff_surface",
    "weight",
    "isAttractor",
    "placeType",
    "coordsystem",
    "compNum",
    "ingredient_id",
    "path",
    "fiberAxis",
    "fiberOffset",
    "buildtype",
    "partners_properties",
    "use_mesh_rb",
    "nbJitter",
    "uLength",
    "length",
    "constraintMarge",
    "marge",
    "closed",
];

/// Where an ingredient is found.
pub(super) struct Home {
    pub(super) compartment: Option<CompartmentId>,
    pub(super) site: Site,
}

/// An ingredient of an older recipe, or of a result.
pub(super) fn read(name: &str, node: &Node<'_>, home: &Home, source: &Source<'_>) -> Result<Ingredient, ReadError> {
    let mut table = node.table(source, "an ingredient (an object)")?;
    let mut ingredient = Ingredient {
        name: SmolStr::new(if name.is_empty() { table.text(&["name"])?.unwrap_or_default() } else { name.to_owned() }),
        compartment: home.compartment,
        site: home.site,
        ..Ingredient::default()
    };
    table.get("name");
    let texts = [table.text(&["description"])?, table.text(&["label"])?, table.text(&["comments"])?];
    ingredient.description = texts.into_iter().flatten().find(|text| !text.is_empty()).unwrap_or_default();
    amounts(&mut ingredient, &mut table)?;
    shape(&mut ingredient, &mut table)?;
    frame(&mut ingredient, &mut table)?;
    rules(&mut ingredient, &mut table)?;
    ingredient.color = color(&mut table)?;
    placed(&mut ingredient, &mut table)?;
    table.unused(&UNUSED);
    table.finish();
    Ok(ingredient)
}

fn amounts(ingredient: &mut Ingredient, table: &mut Table<'_, '_>) -> Result<(), ReadError> {
    ingredient.count = table.amount(&["nbMol", "count", "overwrite_nbMol_value"])?.unwrap_or_default().round() as u64;
    ingredient.molarity = table.amount(&["molarity"])?.unwrap_or_default();
    ingredient.molecular_weight = table.amount(&["molecularweight"])?.unwrap_or_default();
    Ok(())
}

fn shape(ingredient: &mut Ingredient, table: &mut Table<'_, '_>) -> Result<(), ReadError> {
    let kind = table.text(&["Type", "type"])?.unwrap_or_default();
    let other = table.text(&["ingtype"])?.unwrap_or_default();
    ingredient.is_fibre = kind == "Grow" || kind == "Actine" || other == "fiber";
    ingredient.bounding_radius = table.length(&["encapsulatingRadius"])?;
    ingredient.sphere_file = table.text(&["sphereFile"])?;
    let centers = table.list(&["positions"])?;
    let radii = table.list(&["radii", "radii_lod"])?;
    let ends = table.list(&["positions2"])?;
    for (level, center) in centers.iter().enumerate() {
        let Some(radius) = radii.get(level) else { break };
        let source = table.source();
        let (points, radius) = (unpacked(center, "coords", source)?, unpacked(radius, "radii", source)?);
        let ends = ends.get(level).map_or(Ok(Vec::new()), |ends| unpacked(ends, "coords", source))?;
        let spheres = spheres(&points, &ends, &radius)
            .ok_or_else(|| source.error(&center.way, "three coordinates for each of the radii, which are positive"))?;
        if !spheres.is_empty() {
            ingredient.levels.push(spheres);
        }
    }
    // A single number stands for a sphere at the origin.
    if let (true, Some(radius)) = (ingredient.levels.is_empty() && centers.is_empty(), radii.first()) {
        let radius = unpacked(radius, "radii", table.source())?;
        ingredient.levels.extend(spheres(&[0.0; 3], &[], &radius));
    }
    Ok(())
}

// Lists of numbers, as they are or inside an object.
fn unpacked(node: &Node<'_>, key: &'static str, source: &Source<'_>) -> Result<Vec<f64>, ReadError> {
    if !node.value.is_object() {
        return node.numbers(source, "a list of numbers (angstroms)");
    }
    let mut table = node.table(source, "an object")?;
    let numbers = match table.get(key) {
        Some(list) => list.numbers(source, "a list of numbers (angstroms)")?,
        None => Vec::new(),
    };
    table.finish();
    Ok(numbers)
}

/// Spheres at points; with ends, spheres along the way to them, half a radius apart, as cylinders.
pub(super) fn spheres(points: &[f64], ends: &[f64], radii: &[f64]) -> Option<Vec<Sphere>> {
    const MOST_ALONG: f64 = 10_000.0;
    let points = points.as_chunks::<3>();
    let is_good = points.1.is_empty() && radii.iter().all(|&radius| radius > 0.0 && radius < 1e9);
    let radius = |at: usize| radii.get(at).or(Some(radii.first()?).filter(|_| radii.len() == 1)).copied();
    let mut spheres = Vec::new();
    for (at, &point) in points.0.iter().enumerate().filter(|_| is_good) {
        let (start, radius) = (DVec3::from(point), radius(at)?);
        let end = ends.as_chunks::<3>().0.get(at).map_or(start, |&end| DVec3::from(end));
        let steps = (start.distance(end) / (0.5 * radius)).ceil().min(MOST_ALONG);
        for step in 0..=steps as u32 {
            let center = start.lerp(end, f64::from(step) / steps.max(1.0)).as_vec3();
            spheres.push(Sphere { center, radius: radius as f32 });
        }
    }
    is_good.then_some(spheres)
}

fn frame(ingredient: &mut Ingredient, table: &mut Table<'_, '_>) -> Result<(), ReadError> {
    ingredient.axis = table.point(&["principalVector", "principalAxis"])?.filter(|axis| axis.length() > 1e-6);
    let offset = table.point(&["offset"])?;
    let plain = table.text(&["pdb"])?;
    let mut structure = StructureSource { name: plain.unwrap_or_default(), ..StructureSource::default() };
    let mut shift = None;
    if let Some(mut from) = table.table("source")? {
        structure.name = from.text(&["pdb"])?.unwrap_or(structure.name);
        let map = from.text(&["emdb"])?;
        if let (true, Some(map)) = (structure.name.is_empty(), map) {
            structure.name = format!("EMD-{map}.map");
        }
        structure.unit = from.text(&["bu"])?.and_then(|unit| unit.strip_prefix("BU").map(str::to_owned));
        if from.flag("biomt")? == Some(true) {
            structure.unit.get_or_insert_with(|| "1".to_owned());
        }
        structure.selection = from.text(&["selection"])?.unwrap_or_default();
        if let Some(centred) = from.flag("center")? {
            structure.is_centred = centred;
        }
        from.unused(&["model", "uniprot", "_transform"]);
        if let Some(transform) = from.table("transform")? {
            shift = moved(&mut structure, transform)?;
        }
        from.finish();
    }
    ingredient.offset = offset.or(shift).unwrap_or_default();
    ingredient.structure = Some(structure).filter(|structure| !structure.name.is_empty());
    Ok(())
}

// What a transform does to the atoms; returns the offset of spheres and atoms.
fn moved(structure: &mut StructureSource, mut transform: Table<'_, '_>) -> Result<Option<DVec3>, ReadError> {
    if let Some(centred) = transform.flag("center")? {
        structure.is_centred = centred;
    }
    structure.translation = transform.point(&["translate"])?.unwrap_or_default();
    if let Some(node) = transform.get("rotate") {
        let expected = "a rotation as a quaternion (w, x, y, z)";
        let numbers = node.numbers(transform.source(), expected)?;
        let rotation = <[f64; 4]>::try_from(numbers).ok().map(|[w, x, y, z]| DQuat::from_xyzw(x, y, z, w));
        let rotation = rotation.filter(|rotation| (rotation.length() - 1.0).abs() < 0.01);
        let rotation = rotation.ok_or_else(|| transform.source().error(&node.way, expected))?;
        structure.rotation = rotation.normalize();
    }
    let offset = transform.point(&["offset"])?;
    transform.finish();
    Ok(offset)
}

fn rules(ingredient: &mut Ingredient, table: &mut Table<'_, '_>) -> Result<(), ReadError> {
    ingredient.mode = mode(table, "packingMode")?;
    ingredient.priority = table.number(&["packingPriority"])?.unwrap_or_default();
    ingredient.tries = table.amount(&["rejectionThreshold"])?.map(|tries| tries as u32);
    ingredient.gradients = names(table, "gradient")?;
    ingredient.excluded = names(table, "excluded_partners_name")?;
    let probability = table.number(&["proba_binding"])?.unwrap_or(0.5).clamp(0.0, 1.0);
    table.number(&["proba_not_binding"])?;
    let positions = table.list(&["partners_position"])?;
    for (at, name) in names(table, "partners_name")?.into_iter().enumerate() {
        // A matrix has sixteen numbers; where a copy stands is in its last column.
        let numbers = positions.get(at).and_then(|node| node.numbers(table.source(), "").ok());
        let position = numbers.and_then(|numbers| match numbers[..] {
            [x, y, z] => Some(DVec3::new(x, y, z)),
            [_, _, _, x, _, _, _, y, _, _, _, z, ..] => Some(DVec3::new(x, y, z)),
            _ => None,
        });
        let position = position.filter(|position| position.length() > 1e-6);
        ingredient.partners.push(Partner { name, probability, position });
    }
    Ok(())
}

/// How places are chosen; a mode that is not known is a warning.
pub(super) fn mode(table: &mut Table<'_, '_>, key: &str) -> Result<PackingMode, ReadError> {
    Ok(match table.text(&[key])?.as_deref() {
        Some("random" | "jitter" | "surface") | None => PackingMode::Random,
        Some("close") => PackingMode::Close,
        Some("closePartner" | "randomPartner") => PackingMode::Partner,
        Some("gradient") => PackingMode::Gradient,
        Some(other) => {
            table.warn(format!("the packing mode {other:?} is not known; places are drawn at random"));
            PackingMode::Random
        }
    })
}

/// One name or a list of them.
pub(super) fn names(table: &mut Table<'_, '_>, key: &str) -> Result<Vec<SmolStr>, ReadError> {
    let Some(node) = table.get(key) else { return Ok(Vec::new()) };
    let is_name = |value: &serde_json::Value| value.as_str().filter(|name| !name.is_empty()).map(SmolStr::new);
    let names = match node.value {
        serde_json::Value::Array(list) => list.iter().map(is_name).collect::<Option<Vec<_>>>(),
        one => is_name(one).map(|name| vec![name]),
    };
    names.ok_or_else(|| table.source().error(&node.way, format!("a name or a list of names as {key:?}")))
}

/// Three or four numbers, from 0 to 1 or to 255.
pub(super) fn color(table: &mut Table<'_, '_>) -> Result<Option<[f32; 3]>, ReadError> {
    let Some(node) = table.get("color") else { return Ok(None) };
    let numbers = node.numbers(table.source(), "a colour (red, green, blue) as \"color\"")?;
    let [red, green, blue, ..] = numbers[..] else { return Ok(None) };
    let scale = if red.max(green).max(blue) > 1.0 { 255.0 } else { 1.0 };
    Ok(Some([red, green, blue].map(|part| (part / scale).clamp(0.0, 1.0) as f32)))
}

// What was packed already. Files that give a `principalAxis` have quaternions x, y, z, w and first turn the axis along z; in the
// others they are w, x, y, z.
fn placed(ingredient: &mut Ingredient, table: &mut Table<'_, '_>) -> Result<(), ReadError> {
    let has_axis = table.has("principalAxis");
    let axis = ingredient.axis.and_then(DVec3::try_normalize).filter(|_| has_axis);
    let turn = axis.map_or(DQuat::IDENTITY, |axis| DQuat::from_rotation_arc(axis, DVec3::Z));
    let frame = Pose { rotation: turn, translation: DVec3::ZERO } * Pose::from_translation(ingredient.offset);
    let mut lost = 0;
    for node in table.list(&["results"])? {
        let parts = node.list(table.source(), "a copy: a position and a rotation")?;
        let [position, rotation, ..] = &parts[..] else {
            return Err(table.source().error(&node.way, "a position and a rotation"));
        };
        let position = position.point(table.source(), "the position of a copy")?;
        let rotation: Option<Rotation> = serde::Deserialize::deserialize(rotation.value).ok();
        match rotation.and_then(|rotation| pose(position, &rotation, has_axis)) {
            Some(pose) => ingredient.placed.push(pose * frame),
            None => lost += 1,
        }
    }
    if lost > 0 {
        table.warn(format!("{}: {lost} copies have no valid rotation and are left out", ingredient.name));
    }
    if ingredient.count == 0 {
        ingredient.count = ingredient.placed.len() as u64;
    }
    let curves = table.amount(&["nbCurve"])?.unwrap_or_default();
    if curves > 0.0 {
        ingredient.is_fibre = true;
        (0..(curves as usize).min(1_000_000)).for_each(|at| drop(table.get(&format!("curve{at}"))));
    }
    Ok(())
}
