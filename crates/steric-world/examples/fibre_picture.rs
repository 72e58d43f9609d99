//! A plasmid to look at.
//!
//! `cargo run --release -p steric-world --example fibre_picture [BASE_PAIRS] [RADIUS] > plasmid.svg` grows a closed DNA in a sphere and draws every base pair as a disc, from the farthest to the nearest, coloured along the
//! fibre; with a third word, `xyz`, it writes the axis and the two strands as an XYZ file instead.
#![allow(clippy::print_stdout, reason = "it writes a file to standard output")]

use std::ops::ControlFlow;

use glam::DVec3;
use steric_model::Pose;
use steric_world::fibre::{Fibre, FibreError, FibreKind, FibreOptions, Room};
use steric_world::shape::Region;

/// Where phosphates stand from the axis of B-DNA, in angstroms.
const STRAND: f64 = 9.0;

fn main() -> Result<(), FibreError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: f64| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(otherwise);
    let (units, radius) = (number(0, 4_361.0) as usize, number(1, 450.0));
    let room = Room::inside(Region::Sphere { center: DVec3::ZERO, radius });
    let plasmid = Fibre { kind: FibreKind::DNA, units, is_closed: true };
    let grown = plasmid.grow(&room, &FibreOptions::default(), |_| ControlFlow::Continue(()))?;
    let placements = grown.placements(1);
    if words.get(2).is_some_and(|word| word == "xyz") {
        write_xyz(&placements);
    } else {
        write_svg(&placements, radius);
    }
    Ok(())
}

/// The axis and both strands; the minor groove is 140 degrees wide.
fn atoms(pose: &Pose) -> [(&'static str, DVec3); 3] {
    let (sine, cosine) = 140f64.to_radians().sin_cos();
    let strands = [DVec3::X, DVec3::new(cosine, sine, 0.0)].map(|side| *pose * (STRAND * side));
    [("C", pose.translation), ("P", strands[0]), ("P", strands[1])]
}

fn write_xyz(placements: &[Pose]) {
    println!("{}\nthe axis and the strands of a plasmid", 3 * placements.len());
    for (name, at) in placements.iter().flat_map(atoms) {
        println!("{name} {:.3} {:.3} {:.3}", at.x, at.y, at.z);
    }
}

fn write_svg(placements: &[Pose], radius: f64) {
    println!(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{0} {0} {1} {1}">"#, -radius, 2.0 * radius);
    println!(r##"<rect x="{0}" y="{0}" width="100%" height="100%" fill="#fff"/>"##, -radius);
    println!(r##"<circle r="{radius}" fill="#f4f6fa" stroke="#8a94a6" stroke-width="3"/>"##);
    let mut discs: Vec<(f64, String)> = Vec::new();
    for (number, pose) in placements.iter().enumerate() {
        let hue = 360 * number / placements.len();
        for (name, at) in atoms(pose) {
            let nearness = 0.5 + 0.5 * at.z / radius;
            let (size, light) = if name == "C" { (5.0, 25.0) } else { (2.5, 40.0) };
            let light = light + 30.0 * (1.0 - nearness);
            let disc =
                format!(r#"<circle cx="{:.1}" cy="{:.1}" r="{size}" fill="hsl({hue},70%,{light:.0}%)"/>"#, at.x, -at.y);
            discs.push((at.z, disc));
        }
    }
    discs.sort_by(|a, b| a.0.total_cmp(&b.0));
    discs.iter().for_each(|(_, disc)| println!("{disc}"));
    println!("</svg>");
}
