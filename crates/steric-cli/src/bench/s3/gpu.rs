//! Atoms that a GPU moves.
//!
//! How it works: copies of the structure, each moved by a little, hang on the one skeleton, so that all sets of joints and both levels come as often as in the structure. The GPU's own clock,
//! where it has one, times frames back to back; with the host means from asking for a frame until the atoms stand where they can be drawn.

use std::time::Instant;

use steric::animate::{Blend, Level, Moment, Puppet, PuppetOptions};
use steric::gpu::{Gpu, GpuSkin};
use steric::model::{AtomRecord, Structure, StructureBuilder};

use super::{Row, median_and_spread};
use crate::animate::said;
use crate::failure::Failure;
use crate::options::Shared;

/// Frames of one measurement.
const FRAMES: usize = 100;

/// Rows of every level and blend; none where there is no GPU.
pub(super) fn rows(puppet: &Puppet, atoms: usize, shared: &Shared) -> Result<Vec<Row>, Failure> {
    let chosen = shared.chosen(u64::MAX)?;
    let Some(gpu) = chosen.gpu() else { return Ok(Vec::new()) };
    // Nothing is drawn from afar here.
    let options = PuppetOptions { atoms_each: Vec::new(), ..puppet.options().clone() };
    let many = Puppet::new(copies(puppet.structure(), atoms), puppet.rig().clone(), &options).map_err(said)?;
    let mut skin = GpuSkin::new(gpu, &many)?;
    gpu.warm_up()?;
    let mut rows = Vec::new();
    for level in Level::ALL {
        for blend in Blend::ALL {
            let moment = Moment { time: 0.6 * many.duration(0), level, blend, ..Moment::default() };
            skin.frame(&many, &moment)?;
            let times = (0..9).map(|_| skin.time_frames(FRAMES)).collect::<Result<Vec<f64>, _>>()?;
            let waited = with_host(gpu, &mut skin, &many, &moment)?;
            for (what, times) in [("", times), (", with the host", waited)] {
                let what = format!("{}: {} level, {} blending{what}", gpu.adapter().name, level.name(), blend.name());
                let (value, spread) = median_and_spread(times);
                rows.push(Row { what, atoms: skin.len(), threads: 0, value, spread, unit: "ms" });
            }
        }
    }
    Ok(rows)
}

/// Milliseconds from the wish for a frame until it is there.
fn with_host(gpu: &Gpu, skin: &mut GpuSkin, puppet: &Puppet, moment: &Moment) -> Result<Vec<f64>, Failure> {
    let frame = |_| {
        let began = Instant::now();
        skin.frame(puppet, moment)?;
        gpu.wait()?;
        Ok(began.elapsed().as_secs_f64() * 1e3)
    };
    (0..20).map(frame).collect()
}

/// So many atoms, in copies that are moved by a tenth of an angstrom each along x, y and z in turn.
fn copies(structure: &Structure, atoms: usize) -> Structure {
    let own = &structure.atoms;
    let mut builder = StructureBuilder::new("copies", atoms);
    for number in 0..atoms.max(1) {
        let (copy, atom) = (number / own.len(), number % own.len());
        let residue = &structure.residues[own.residues[atom] as usize];
        let mut position = own.positions[atom];
        position[copy % 3] += 0.1 * (copy as f32 + 1.0).log2();
        let chain = format!("{}{copy}", structure.chains[residue.chain as usize].name);
        builder.push(AtomRecord {
            position,
            element: own.elements[atom],
            name: own.names[atom],
            residue_name: residue.name,
            residue_number: residue.number,
            chain: &chain,
            ..AtomRecord::default()
        });
    }
    builder.finish()
}
