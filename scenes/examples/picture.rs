//! Draws `docs/vesicle.png`, the picture of the README: the embedded vesicle, cut open, atoms that overlap in red.
//!
//! How it works: every atom is a sphere seen from far away (no perspective), painted pixel by pixel into a buffer of
//! depths; then each pixel is shaded by its slope, darkened with its depth, and outlined where the depth jumps.

use std::collections::BTreeSet;
use std::io::Write;

use glam::{DQuat, DVec3, Vec3};
use steric::check::{CheckOptions, Input, check};
use steric::model::{AtomId, Element, MoleculeId, Warnings};

const SIZE: usize = 720;
const ATOMS: usize = 335_000;

const HEAD: [f32; 3] = [0.26, 0.49, 0.72];
const PHOSPHATE: [f32; 3] = [0.95, 0.68, 0.25];
const TAIL: [f32; 3] = [0.89, 0.87, 0.80];
const CLASH: [f32; 3] = [0.84, 0.16, 0.16];

struct Ball {
    center: Vec3,
    radius: f32,
    colour: [f32; 3],
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "docs/vesicle.png".to_owned());
    let inputs = [Input::new("vesicle", steric_scenes::vesicle(ATOMS, 1), Warnings::default())];
    let balls = cut_open(balls(&inputs)?);
    std::fs::write(path, png(&paint(&balls))?)?;
    Ok(())
}

fn balls(inputs: &[Input]) -> Result<Vec<Ball>, steric::check::CheckError> {
    let report = check(inputs, &CheckOptions::default())?;
    // Only deep overlaps are red: at first almost every lipid touches another one.
    let deep = report.pairs().iter().filter(|pair| pair.depth > 0.8);
    let clashing: BTreeSet<AtomId> = deep.flat_map(|pair| [pair.first, pair.second]).collect();
    let turn = DQuat::from_rotation_x(-0.35) * DQuat::from_rotation_y(0.5);
    let molecules = report.scene();
    let mut balls = Vec::new();
    for molecule in 0..molecules.scene().molecules().len() as u32 {
        for (id, place, _) in molecules.scene().placed_atoms(MoleculeId(molecule)) {
            let element = inputs[0].structure.atoms.elements[molecules.origin(id).atom as usize];
            let colour = if clashing.contains(&id) { CLASH } else { colour_of(element) };
            balls.push(Ball { center: (turn * place).as_vec3(), radius: radius_of(element), colour });
        }
    }
    Ok(balls)
}

fn colour_of(element: Element) -> [f32; 3] {
    match element {
        Element::PHOSPHORUS => PHOSPHATE,
        Element::OXYGEN | Element::NITROGEN => HEAD,
        _ => TAIL,
    }
}

fn radius_of(element: Element) -> f32 {
    if element == Element::HYDROGEN { 1.1 } else { 1.7 }
}

/// Takes away the quarter that faces the viewer, upper right.
fn cut_open(balls: Vec<Ball>) -> Vec<Ball> {
    let middle = balls.iter().map(|ball| ball.center.as_dvec3()).sum::<DVec3>() / balls.len().max(1) as f64;
    let hides = |ball: &Ball| {
        let from_middle = ball.center - middle.as_vec3();
        from_middle.z > 0.0 && from_middle.x > -0.25 * from_middle.y
    };
    balls.into_iter().filter(|ball| !hides(ball)).collect()
}

/// Depth and colour of the nearest sphere behind each pixel, shaded.
fn paint(balls: &[Ball]) -> Vec<u8> {
    let farthest =
        balls.iter().map(|ball| ball.center.truncate().abs().max_element() + ball.radius).fold(1.0, f32::max);
    let scale = 0.5 * SIZE as f32 / farthest * 0.97;
    let mut depths = vec![f32::NEG_INFINITY; SIZE * SIZE];
    let mut colours = vec![[1.0; 3]; SIZE * SIZE];
    for ball in balls {
        stamp(ball, scale, &mut depths, &mut colours);
    }
    let (low, high) = (-farthest, farthest);
    let mut pixels = Vec::with_capacity(SIZE * SIZE * 3);
    for (pixel, &colour) in colours.iter().enumerate() {
        let shaded = shade(pixel, &depths, colour, low, high);
        pixels.extend(shaded.map(|part| (255.0 * part.clamp(0.0, 1.0)) as u8));
    }
    pixels
}

fn stamp(ball: &Ball, scale: f32, depths: &mut [f32], colours: &mut [[f32; 3]]) {
    let half = 0.5 * SIZE as f32;
    let (x, y) = (half + ball.center.x * scale, half - ball.center.y * scale);
    let radius = ball.radius * scale;
    let range = |at: f32| ((at - radius).max(0.0) as usize)..((at + radius + 1.0).min(SIZE as f32) as usize);
    for row in range(y) {
        for column in range(x) {
            let (dx, dy) = (column as f32 + 0.5 - x, row as f32 + 0.5 - y);
            let squared = radius * radius - dx * dx - dy * dy;
            let depth = ball.center.z + squared.max(0.0).sqrt() / scale;
            let pixel = row * SIZE + column;
            if squared > 0.0 && depth > depths[pixel] {
                depths[pixel] = depth;
                colours[pixel] = ball.colour;
            }
        }
    }
}

fn shade(pixel: usize, depths: &[f32], colour: [f32; 3], low: f32, high: f32) -> [f32; 3] {
    let depth = depths[pixel];
    if depth == f32::NEG_INFINITY {
        return [1.0; 3];
    }
    let (row, column) = (pixel / SIZE, pixel % SIZE);
    let at = |row: usize, column: usize| depths[row.min(SIZE - 1) * SIZE + column.min(SIZE - 1)];
    let around = [
        at(row, column + 2),
        at(row, column.saturating_sub(2)),
        at(row + 2, column),
        at(row.saturating_sub(2), column),
    ];
    // How far the surroundings stand in front of this pixel, in angstroms: hollows are dark.
    let hidden = around.iter().map(|&other| (other - depth).clamp(0.0, 12.0)).sum::<f32>() / 48.0;
    let edge = around.iter().any(|&other| depth - other > 9.0);
    let near = (depth - low) / (high - low);
    let light = (0.45 + 0.6 * near) * (1.0 - 0.8 * hidden) * if edge { 0.35 } else { 1.0 };
    colour.map(|part| part * light + 0.06 * (1.0 - near))
}

/// A PNG file of 8-bit RGB: signature, header, one compressed chunk, end.
fn png(pixels: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut lines = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    for line in pixels.chunks_exact(3 * SIZE) {
        lines.write_all(&[0])?;
        lines.write_all(line)?;
    }
    let size = (SIZE as u32).to_be_bytes();
    let header = [&size[..], &size, &[8, 2, 0, 0, 0]].concat();
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", header), (b"IDAT", lines.finish()?), (b"IEND", Vec::new())] {
        let chunk = [&kind[..], &data].concat();
        file.extend((data.len() as u32).to_be_bytes());
        file.extend(&chunk);
        file.extend(crc32fast::hash(&chunk).to_be_bytes());
    }
    Ok(file)
}
