//! Writes what was packed as a result of cellPACK.
//!
//! How it works: the older form, without principal axes: rotations are quaternions w, x, y, z, and a copy's pose is that of the frame of its
//! spheres. So offsets are in the poses, and atoms go by `transform` alone.

use serde_json::{Map, Value, json};

use crate::recipe::{Compartment, CompartmentShape, Ingredient, Recipe};
use crate::{Pose, Sphere};

/// The result as JSON: spheres and poses (`world_from_ingredient`) in the order of the recipe's ingredients.
///
/// ```
/// use steric_model::Pose;
/// use steric_model::formats::cellpack::{read_recipe, result_to_json};
///
/// let text = br#"{"cytoplasme": {"ingredients": {"ball": {"nbMol": 1, "radii": [[4]], "positions": [[[0, 0, 0]]]}}}}"#;
/// let recipe = read_recipe(text, "one.json".as_ref())?.value;
/// let pose = Pose::from_translation(glam::DVec3::new(1.0, 2.0, 3.0));
/// let json = result_to_json(&recipe, &[recipe.ingredients[0].levels[0].clone()], &[vec![pose]]);
/// let again = read_recipe(json.as_bytes(), "one.json".as_ref())?.value;
/// assert_eq!(again.ingredients[0].placed, [pose]);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn result_to_json(recipe: &Recipe, spheres: &[Vec<Sphere>], poses: &[Vec<Pose>]) -> String {
    let mut outside = Map::new();
    let mut inside: Vec<[Map<String, Value>; 2]> = recipe.compartments.iter().map(|_| Default::default()).collect();
    for (at, own) in recipe.ingredients.iter().enumerate() {
        let (Some(spheres), Some(poses)) = (spheres.get(at), poses.get(at)) else { continue };
        let group = match own.compartment.and_then(|compartment| inside.get_mut(compartment.0 as usize)) {
            Some(parts) => &mut parts[usize::from(!own.site.is_on_surface())],
            None => &mut outside,
        };
        let name = free_name(group, &own.name);
        group.insert(name.clone(), ingredient(&name, own, spheres, poses));
    }
    let mut compartments = Map::new();
    for (own, [surface, interior]) in recipe.compartments.iter().zip(inside) {
        let mut value = boundary(own);
        value["surface"] = json!({ "ingredients": surface });
        value["interior"] = json!({ "ingredients": interior });
        let name = free_name(&compartments, &own.name);
        compartments.insert(name, value);
    }
    let result = json!({
        "recipe": { "name": recipe.name, "version": "1.0" },
        "cytoplasme": { "ingredients": outside },
        "compartments": compartments,
    });
    result.to_string()
}

// Two of the same name cannot stand in one object.
fn free_name(map: &Map<String, Value>, name: &str) -> String {
    let mut names = std::iter::once(name.to_owned()).chain((2_u64..).map(|number| format!("{name}_{number}")));
    names.find(|name| !map.contains_key(name)).unwrap_or_default()
}

fn ingredient(name: &str, own: &Ingredient, spheres: &[Sphere], poses: &[Pose]) -> Value {
    let placed = |pose: &Pose| {
        let ([x, y, z, w], place) = (pose.rotation.to_array(), pose.translation.to_array());
        json!([place, [w, x, y, z]])
    };
    let centers: Vec<[f32; 3]> = spheres.iter().map(|sphere| sphere.center.to_array()).collect();
    let radii: Vec<f32> = spheres.iter().map(|sphere| sphere.radius).collect();
    let mut value = json!({
        "name": name,
        "nbMol": poses.len(),
        "positions": [centers],
        "radii": [radii],
        "results": poses.iter().map(placed).collect::<Vec<_>>(),
    });
    if let Some(source) = &own.structure {
        let [x, y, z, w] = source.rotation.to_array();
        let translate = source.translation.to_array();
        value["source"] = json!({
            "pdb": source.name,
            "bu": source.unit.as_ref().map_or("AU".to_owned(), |unit| format!("BU{unit}")),
            "transform": { "center": source.is_centred, "translate": translate, "rotate": [w, x, y, z] },
        });
    }
    if let Some(color) = own.color {
        value["color"] = json!(color);
    }
    value
}

fn boundary(own: &Compartment) -> Value {
    let mut value = match &own.shape {
        Some(CompartmentShape::Sphere { center, radius }) => {
            json!({ "geom_type": "mb", "mb": { "positions": center.to_array(), "radii": [radius] } })
        }
        Some(CompartmentShape::Mesh { file }) => json!({ "geom_type": "file", "geom": file }),
        Some(CompartmentShape::Triangles { mesh }) => {
            let vertices: Vec<f64> = mesh.vertices.iter().flat_map(|vertex| vertex.to_array()).collect();
            let faces: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
            json!({ "geom_type": "raw", "geom": { "verts": vertices, "faces": faces } })
        }
        Some(CompartmentShape::Box { .. }) | None => json!({}),
    };
    value["name"] = json!(own.name.as_str());
    value["thickness"] = json!(own.thickness);
    value
}
