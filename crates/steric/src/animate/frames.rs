//! Frames for other programs: trajectories with a topology beside them, or files of many models.

use std::io;
use std::path::{Path, PathBuf};

use steric_model::formats::trajectory::{TrajectoryFormat, TrajectoryWriter};
use steric_model::{Structure, file_beside, formats};
use steric_world::animate::{Moment, Puppet};

/// Frames are written as picoseconds: a second of the animation is a thousand of them, because trajectories know no seconds.
const PICOSECONDS: f64 = 1000.0;
/// A file of many models has no more atoms than this.
const MOST_ATOMS: usize = 50_000_000;

/// The file that names the atoms of a trajectory.
///
/// ```
/// assert_eq!(steric::animate::topology_of("run.xtc".as_ref()), std::path::Path::new("run.pdb"));
/// ```
pub fn topology_of(trajectory: &Path) -> PathBuf {
    trajectory.with_extension("pdb")
}

/// Writes the atoms at so many evenly spaced times of the moment's clip, by the ending: `.xtc` or `.dcd` with the first frame
/// beside it, as [`topology_of`] or, where the names of its atoms are too long for that format, as `.topology.cif`; or a structure of as many models (`.pdb`, `.cif`, `.bcif`).
/// `progress` hears of each frame and answers whether to go on; if not, nothing is written and the error is of the kind `Interrupted`. The files that were written
/// are returned. Each appears whole or not at all.
pub fn write_frames(
    puppet: &Puppet,
    moment: &Moment,
    frames: usize,
    path: &Path,
    progress: &mut dyn FnMut(usize) -> bool,
) -> io::Result<Vec<PathBuf>> {
    let duration = puppet.duration(moment.clip);
    let time = |frame: usize| duration * frame as f64 / frames.saturating_sub(1).max(1) as f64;
    let at = |frame: usize| puppet.positions(&Moment { time: time(frame), ..*moment });
    let failed = |error: steric_model::WriteError| io::Error::other(error.to_string());
    if TrajectoryFormat::from_path(path).is_none() {
        let models = models(puppet.structure(), frames, &at, progress)?;
        formats::write(path, &models).map_err(failed)?;
        return Ok(vec![path.to_owned()]);
    }
    let mut first = puppet.structure().clone();
    first.atoms.positions = at(0);
    first.assemblies.clear();
    let unfinished = file_beside(path)?.into_temp_path();
    let mut writer = TrajectoryWriter::create(&unfinished, first.atoms.len())?;
    for frame in 0..frames {
        writer.frame(frame as u64, PICOSECONDS * time(frame), None, &at(frame))?;
        if !progress(frame + 1) {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
    writer.finish()?;
    let mut topology = topology_of(path);
    if formats::write(&topology, &first).is_err() {
        topology.set_extension("topology.cif");
        formats::write(&topology, &first).map_err(failed)?;
    }
    unfinished.persist(path).map_err(|error| error.error)?;
    Ok(vec![path.to_owned(), topology])
}

fn models(
    one: &Structure,
    frames: usize,
    at: &dyn Fn(usize) -> Vec<glam::Vec3>,
    progress: &mut dyn FnMut(usize) -> bool,
) -> io::Result<Structure> {
    if one.atoms.len().saturating_mul(frames) > MOST_ATOMS {
        let text = format!(
            "expected at most {MOST_ATOMS} atoms in all models, found {} times {frames}; write .xtc",
            one.atoms.len()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let mut all = one.clone();
    all.assemblies.clear();
    for frame in 0..frames {
        let mut next = one.clone();
        next.atoms.positions = at(frame);
        if frame == 0 {
            all.atoms.positions = next.atoms.positions;
        } else {
            append(&mut all, next, frame as i32 + 1);
        }
        if !progress(frame + 1) {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
    Ok(all)
}

/// The same structure again as another model.
fn append(all: &mut Structure, next: Structure, number: i32) {
    let (atoms, residues, chains) = (all.atoms.len() as u32, all.residues.len() as u32, all.chains.len() as u32);
    let model = all.models.len() as u32;
    let count = next.atoms.len() as u32;
    all.chains.extend(next.chains.into_iter().map(|chain| steric_model::Chain { model, ..chain }));
    all.residues.extend(
        next.residues.into_iter().map(|residue| steric_model::Residue { chain: residue.chain + chains, ..residue }),
    );
    let own = &mut all.atoms;
    own.positions.extend(next.atoms.positions);
    own.elements.extend(next.atoms.elements);
    own.names.extend(next.atoms.names);
    own.residues.extend(next.atoms.residues.iter().map(|residue| residue + residues));
    own.serials.extend(next.atoms.serials);
    own.alternates.extend(next.atoms.alternates);
    own.occupancies.extend(next.atoms.occupancies);
    own.b_factors.extend(next.atoms.b_factors);
    own.formal_charges.extend(next.atoms.formal_charges);
    own.partial_charges.extend(next.atoms.partial_charges);
    own.types.extend(next.atoms.types);
    let moved = |bond: steric_model::Bond| steric_model::Bond {
        first: bond.first + atoms,
        second: bond.second + atoms,
        ..bond
    };
    all.bonds.extend(next.bonds.into_iter().map(moved));
    all.models.push(steric_model::Model { number, atoms: atoms..atoms + count });
}
