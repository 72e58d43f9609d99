//! Gmsh's MSH files of the versions 4.0 and 4.1.
//!
//! How it works: nodes and elements stand in blocks, one for each geometrical entity. The region of a tetrahedron is the first
//! physical group of its volume, or the number of the volume itself where it is in no group. Version 4.0 tells the number
//! of an entity before its dimension, keeps each node's number beside its coordinates, and has shorter numbers.

use rustc_hash::FxHashMap;

use super::builder::Builder;
use super::cursor::{Coding, Cursor};
use super::kind::Kind;
use super::msh::{Version, read_element, read_shape};
use crate::ReadError;

/// The physical group of a volume, by the number of the volume.
pub(super) type Groups = FxHashMap<i64, i64>;

// The line behind `$Nodes` ends before the binary numbers begin.
fn begin(cursor: &mut Cursor) {
    if cursor.coding != Coding::Text {
        cursor.line();
    }
}

pub(super) fn read_entities(cursor: &mut Cursor, version: Version) -> Result<Groups, ReadError> {
    begin(cursor);
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = cursor.count(Kind::U64, "how many points, curves, surfaces or volumes there are")?;
    }
    let mut groups = Groups::default();
    for (dimension, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            let (volume, group) = read_entity(cursor, version, dimension)?;
            if let (3, Some(group)) = (dimension, group) {
                groups.insert(volume, group);
            }
        }
    }
    Ok(groups)
}

fn read_entity(cursor: &mut Cursor, version: Version, dimension: usize) -> Result<(i64, Option<i64>), ReadError> {
    let number = cursor.integer(Kind::I32, "the number of an entity")?;
    let bounds = if dimension == 0 && version == Version::FourOne { 3 } else { 6 };
    cursor.pass(Kind::F64, bounds, "a bound of an entity")?;
    let mut group = None;
    for _ in 0..cursor.count(Kind::U64, "how many physical groups an entity is in")? {
        let tag = cursor.integer(Kind::I32, "the number of a physical group")?;
        // A negative number says that the orientation is reversed there.
        group.get_or_insert(tag.saturating_abs());
    }
    if dimension > 0 {
        let bounding = cursor.count(Kind::U64, "how many entities bound an entity")?;
        cursor.pass(Kind::I32, bounding, "the number of a bounding entity")?;
    }
    Ok((number, group))
}

/// The numbers above a block: dimension and number of its entity, a third number, and how many things it holds.
struct Block {
    dimension: i64,
    entity: i64,
    count: usize,
}

fn read_head(cursor: &mut Cursor, version: Version) -> Result<(i64, i64), ReadError> {
    let first = cursor.integer(Kind::I32, "the dimension and the number of an entity")?;
    let second = cursor.integer(Kind::I32, "the dimension and the number of an entity")?;
    Ok(if version == Version::Four { (second, first) } else { (first, second) })
}

fn blocks(cursor: &mut Cursor, version: Version) -> Result<usize, ReadError> {
    begin(cursor);
    let blocks = cursor.count(Kind::U64, "how many blocks there are")?;
    let others = if version == Version::Four { 1 } else { 3 };
    cursor.pass(Kind::U64, others, "how many there are in all")?;
    Ok(blocks)
}

pub(super) fn read_nodes(cursor: &mut Cursor, version: Version, builder: &mut Builder) -> Result<(), ReadError> {
    for _ in 0..blocks(cursor, version)? {
        let (dimension, entity) = read_head(cursor, version)?;
        let is_parametric = cursor.integer(Kind::I32, "whether nodes have parameters, 0 or 1")? != 0;
        let count = cursor.count(Kind::U64, "how many nodes a block has")?;
        let parameters = if is_parametric { dimension.clamp(0, 3) as usize } else { 0 };
        let block = Block { dimension, entity, count };
        match version {
            Version::Four => read_nodes_with_tags(cursor, &block, parameters, builder)?,
            _ => read_tags_then_nodes(cursor, &block, parameters, builder)?,
        }
    }
    Ok(())
}

fn read_nodes_with_tags(
    cursor: &mut Cursor,
    block: &Block,
    parameters: usize,
    builder: &mut Builder,
) -> Result<(), ReadError> {
    for _ in 0..block.count {
        let tag = cursor.integer(Kind::I32, "the number of a node")?;
        read_node(cursor, block, tag, parameters, builder)?;
    }
    Ok(())
}

fn read_tags_then_nodes(
    cursor: &mut Cursor,
    block: &Block,
    parameters: usize,
    builder: &mut Builder,
) -> Result<(), ReadError> {
    let mut tags = Vec::new();
    for _ in 0..block.count {
        tags.push(cursor.integer(Kind::U64, "the number of a node")?);
    }
    tags.into_iter().try_for_each(|tag| read_node(cursor, block, tag, parameters, builder))
}

fn read_node(
    cursor: &mut Cursor,
    block: &Block,
    tag: i64,
    parameters: usize,
    builder: &mut Builder,
) -> Result<(), ReadError> {
    let start = cursor.position();
    let point = cursor.point(Kind::F64)?;
    cursor.pass(Kind::F64, parameters, "a parameter of a node")?;
    if !builder.push_tagged(tag, point) {
        let Block { dimension, entity, .. } = block;
        let expected = format!("the node of a new number in the block of entity {entity} of dimension {dimension}");
        return Err(cursor.before(start, expected, tag));
    }
    Ok(())
}

pub(super) fn read_elements(
    cursor: &mut Cursor,
    version: Version,
    groups: &Groups,
    builder: &mut Builder,
) -> Result<(), ReadError> {
    let kind = if version == Version::Four { Kind::I32 } else { Kind::U64 };
    for _ in 0..blocks(cursor, version)? {
        let (_, entity) = read_head(cursor, version)?;
        let (shape, nodes) = read_shape(cursor)?;
        let region = groups.get(&entity).copied().unwrap_or(entity);
        for _ in 0..cursor.count(Kind::U64, "how many elements a block has")? {
            cursor.integer(kind, "the number of an element")?;
            read_element(cursor, builder, shape, nodes, kind, region)?;
        }
    }
    Ok(())
}
