//! One compartment, as version 1, serialized recipes and packed results write it.

use glam::DVec3;

use super::table::{Node, Table};
use crate::ReadError;
use crate::formats::mesh::Mesh;
use crate::recipe::{Compartment, CompartmentId, CompartmentShape};

/// The compartment itself: its name, thickness and boundary, without what is in it.
pub(super) fn read(
    name: &str,
    parent: Option<CompartmentId>,
    table: &mut Table<'_, '_>,
) -> Result<Compartment, ReadError> {
    let thickness = table.amount(&["thickness"])?.unwrap_or_default();
    let shape = shape(table)?;
    if shape.is_none() {
        table.warn(format!("the compartment {name} has no boundary that this recipe tells"));
    }
    table.get("name");
    table.unused(&["rep", "color", "local_id", "unique_id", "compartmentId", "isOrthogonalBoundingBox"]);
    Ok(Compartment { name: name.into(), parent, shape, thickness })
}

fn shape(table: &mut Table<'_, '_>) -> Result<Option<CompartmentShape>, ReadError> {
    let kind = table.text(&["geom_type"])?.unwrap_or_default();
    let geometry = table.get("geom");
    let raw = geometry.clone().filter(|node| node.value.is_object());
    let file = table.text(&["filename", "rep_file"])?;
    let position = table.point(&["position"])?.unwrap_or_default();
    let radius = table.length(&["radius"])?;
    let balls = match table.table("mb")? {
        Some(balls) => metaballs(balls)?,
        None => None,
    };
    if let Some(raw) = raw {
        return triangles(&raw, table).map(Some);
    }
    let named = geometry.and_then(|node| node.value.as_str().map(str::to_owned)).filter(|name| name != "mb");
    let sphere = radius.map(|radius| CompartmentShape::Sphere { center: position, radius });
    let mesh = file.or(named).map(|file| CompartmentShape::Mesh { file });
    Ok(match kind.as_str() {
        "mb" => balls.or(sphere),
        "sphere" => sphere.or(balls),
        "file" => mesh,
        _ => mesh.or(balls).or(sphere),
    })
}

// Balls that melt into each other. One is a sphere; of several the recipe's own tools make a surface.
fn metaballs(mut table: Table<'_, '_>) -> Result<Option<CompartmentShape>, ReadError> {
    let numbers = |table: &mut Table<'_, '_>, key| {
        table.get(key).map_or(Ok(Vec::new()), |node| node.numbers(table.source(), "a list of numbers (angstroms)"))
    };
    let (centers, radii) = (numbers(&mut table, "positions")?, numbers(&mut table, "radii")?);
    if radii.len() > 1 {
        let message = format!("a boundary of {} metaballs is not made here; give its surface as a mesh", radii.len());
        table.warn(message);
    }
    table.unused(&["types"]);
    table.finish();
    Ok(match (&centers[..], &radii[..]) {
        (&[x, y, z], &[radius]) if radius > 0.0 => {
            Some(CompartmentShape::Sphere { center: DVec3::new(x, y, z), radius })
        }
        _ => None,
    })
}

fn triangles(node: &Node<'_>, table: &Table<'_, '_>) -> Result<CompartmentShape, ReadError> {
    let source = table.source();
    let mut raw = node.table(source, "a surface: vertices and faces")?;
    let mut numbers = |keys: &[&str]| match raw.first(keys) {
        Some(list) => list.numbers(source, "a list of numbers"),
        None => Ok(Vec::new()),
    };
    let (points, corners) = (numbers(&["verts", "vertices"])?, numbers(&["faces", "triangles"])?);
    raw.unused(&["normals"]);
    raw.finish();
    let vertices: Vec<DVec3> = points.as_chunks::<3>().0.iter().map(|&point| DVec3::from(point)).collect();
    let is_corner = |corner: f64| corner >= 0.0 && corner.fract() == 0.0 && corner < vertices.len() as f64;
    let is_good = corners.iter().all(|&corner| is_corner(corner)) && corners.len() >= 3;
    if !is_good {
        return Err(source.error(&node.way, "a surface: vertices, and faces as three of their numbers each"));
    }
    let triangles = corners.as_chunks::<3>().0.iter().map(|corners| corners.map(|corner| corner as u32)).collect();
    Ok(CompartmentShape::Triangles { mesh: Mesh { vertices, triangles } })
}
