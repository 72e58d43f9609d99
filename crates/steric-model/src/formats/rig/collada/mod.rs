//! Collada 1.4 and 1.5.
//!
//! How it works: the file is parsed as XML ([`xml`]); arrays are read where something refers to them ([`source`]). The nodes of
//! the visual scene with their transforms ([`scene`], [`node`], [`transform`], [`tips`]) make the skeleton: those of type `JOINT`
//! and those that skins name ([`skins`]) move atoms. Channels join curves to numbers in transforms ([`channels`], [`curve`]); looked
//! at together ([`times`]) they give the poses of each joint ([`sampling`]), by clip ([`clips`]). Axes stay as they are, whatever
//! `up_axis` says.

mod channels;
mod clips;
mod curve;
mod node;
mod sampling;
mod scene;
mod skins;
mod source;
mod times;
mod tips;
mod transform;
mod xml;

use std::path::Path;

use clips::Ground;
use roxmltree::Document;
use scene::Scene;
use source::Sources;
use xml::{File, child};

use super::assemble::{Draft, Node};
use super::short;
use crate::formats::text::{parse_float, stem};
use crate::{Parsed, Place, ReadError, Rig, Warnings};

/// Reads a Collada file.
pub(super) fn read_collada(bytes: &[u8], path: &Path) -> Result<Parsed<Rig>, ReadError> {
    let mut warnings = Warnings::default();
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    if matches!(text, std::borrow::Cow::Owned(_)) {
        warnings.push(Place::File, || "what is not UTF-8 was replaced; names may differ".to_owned());
    }
    let document = Document::parse(&text).map_err(|error| {
        let line = error.pos().row as usize;
        let found = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
        ReadError::content(path, Place::Line(line.max(1), None), format!("XML ({error})"), found)
    })?;
    let file = File::new(&document, warnings, path)?;
    let rig = read(&file)?;
    Ok(Parsed { value: rig, warnings: file.warnings.into_inner() })
}

fn read<'a>(file: &File<'a>) -> Result<Rig, ReadError> {
    let mut sources = Sources::default();
    let scene = Scene::read(file)?;
    let mut draft = draft(file, &scene);
    draft.bindings = skins::bindings(file, &scene, &mut sources)?;
    for (node, _) in draft.bindings.iter().flat_map(|binding| &binding.joints) {
        draft.nodes[*node].moves_atoms = true;
    }
    let channels = channels::channels(file, &scene, &mut sources)?;
    if !draft.nodes.iter().any(|node| node.moves_atoms) {
        let moved = channels.iter().map(|channel| channel.node);
        draft.take_moved_nodes(moved, &mut file.warnings.borrow_mut());
    }
    let (mut rig, joint_of) = draft.assemble(&mut file.warnings.borrow_mut(), file.path)?;
    let ground = Ground { file, scene: &scene, channels: &channels, joint_of: &joint_of };
    rig.clips = ground.clips()?;
    Ok(rig)
}

fn draft<'a>(file: &File<'a>, scene: &Scene<'a>) -> Draft {
    let nodes = scene.nodes.iter().zip(tips::tips(scene)).map(|(node, tip)| {
        let stated = &node.stated;
        Node { name: stated.name.clone(), parent: node.parent, rest: stated.rest, tip, moves_atoms: stated.is_joint }
    });
    let nodes = nodes.collect();
    let asset = child(file.root(), "asset");
    let title = asset.and_then(|asset| child(asset, "title")).and_then(|title| title.text()).unwrap_or_default().trim();
    let name = if title.is_empty() { stem(file.path) } else { title.to_owned() };
    Draft { name, unit_metres: unit(file), nodes, bindings: Vec::new() }
}

fn unit(file: &File<'_>) -> Option<f64> {
    let unit = child(child(file.root(), "asset")?, "unit")?;
    let text = unit.attribute("meter")?;
    let metres = parse_float(text.as_bytes()).filter(|&metres| metres > 0.0);
    if metres.is_none() {
        file.warn(unit, || format!("expected metres above 0, found {}; the unit is not known", short(text)));
    }
    metres
}
