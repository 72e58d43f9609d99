//! Frames of a run: XTC or DCD with a topology beside it, Simularium, or what there is at the end.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use glam::DVec3;
use serde::Serialize;
use steric_model::formats::trajectory::simularium::{
    self, LengthUnit, Particle, ParticleType, Plot, SimulariumOptions, SimulariumWriter,
};
use steric_model::formats::trajectory::{Frame, TrajectoryFormat, TrajectoryWriter, read_trajectory};
use steric_world::diffuse::{Diffusion, Edge, Then};

use super::snapshot::{places, snapshot};
use super::{DiffuseScene, TimeUnit};
use crate::save;

/// Counts over time: what the charts show.
///
/// ```
/// use steric::diffuse::Series;
///
/// assert!(Series::default().to_csv(&["A".to_owned()]).starts_with("time,collisions,clusters,mean_cluster,A\n"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Series {
    /// Units of time.
    pub times: Vec<f64>,
    /// Contacts of particles in a unit of time, since the row before.
    pub collisions: Vec<f64>,
    /// Clusters of two or more.
    pub clusters: Vec<f64>,
    /// Particles of a cluster, single ones among them, in the mean.
    pub mean_cluster: Vec<f64>,
    /// Particles of each species.
    pub species: Vec<Vec<f64>>,
    seen: (f64, u64),
}

impl Series {
    /// Adds a row.
    pub fn note(&mut self, diffusion: &Diffusion) {
        let collisions = diffusion.statistics().collisions;
        let (time, before) = (diffusion.time(), self.seen);
        let rate = (collisions - before.1.min(collisions)) as f64 / (time - before.0).max(f64::MIN_POSITIVE);
        self.seen = (time, collisions);
        let mut counts = vec![0.0; diffusion.setup().species.len()];
        diffusion.particles().for_each(|placed| counts[placed.kind as usize] += 1.0);
        let sizes = diffusion.cluster_sizes();
        let all: u64 = sizes.iter().sum();
        self.times.push(time);
        self.collisions.push(if time > before.0 { rate } else { 0.0 });
        self.clusters.push(sizes.iter().skip(1).sum::<u64>() as f64);
        self.mean_cluster.push(diffusion.len() as f64 / all.max(1) as f64);
        self.species.resize_with(counts.len(), Vec::new);
        self.species.iter_mut().zip(counts).for_each(|(series, count)| series.push(count));
    }

    /// As a table.
    pub fn to_csv(&self, names: &[String]) -> String {
        let mut text = format!("time,collisions,clusters,mean_cluster,{}\n", names.join(","));
        for row in 0..self.times.len() {
            let counts: Vec<String> = self.species.iter().map(|series| series[row].to_string()).collect();
            let (time, rate, clusters) = (self.times[row], self.collisions[row], self.clusters[row]);
            text += &format!("{time},{rate},{clusters},{},{}\n", self.mean_cluster[row], counts.join(","));
        }
        text
    }
}

/// A file that frames are written to, by its ending.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    name: String,
    ps: f64,
    film: Film,
}

#[derive(Debug)]
enum Film {
    Trajectory(TrajectoryWriter),
    Simularium(Box<SimulariumWriter<BufWriter<File>>>),
    /// Only what there is at the end.
    Last,
    /// A drawing of that.
    Picture(Box<DiffuseScene>),
}

impl Recorder {
    /// Opens a file. A run that goes on after `resumed` steps keeps the frames of an XTC or DCD file up to there. Tells what else was written.
    pub fn create(
        path: &Path,
        scene: &DiffuseScene,
        diffusion: &Diffusion,
        resumed: Option<u64>,
    ) -> io::Result<(Self, Vec<PathBuf>)> {
        let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
        let unit = scene.time_unit().unwrap_or_default();
        let ps = unit.seconds() * 1e12;
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        let name = if scene.name().is_empty() { "particles".to_owned() } else { scene.name().to_owned() };
        let mut also = Vec::new();
        let film = if TrajectoryFormat::from_path(path).is_some() {
            if let Some(why) = changes_count(diffusion) {
                let text = "expected a run that keeps its particles, as XTC and DCD have the same in every frame";
                return Err(invalid(format!("{}: {text}; found {why} (.simularium takes them)", path.display())));
            }
            let kept = match resumed {
                Some(step) if path.exists() => frames_until(path, step)?,
                _ => Vec::new(),
            };
            let topology = path.with_extension("pdb");
            let structure = snapshot(&name, diffusion);
            if resumed.is_none() || !topology.exists() {
                save::write_model(&topology, &structure).map_err(|error| io::Error::other(error.to_string()))?;
                also.push(topology);
            }
            let mut writer = TrajectoryWriter::create(path, structure.atoms.len())?;
            for Frame { step, time_ps, box_vectors, positions } in kept {
                writer.frame(step, time_ps, box_vectors, &positions)?;
            }
            Film::Trajectory(writer)
        } else if ending == "simularium" {
            Film::Simularium(Box::new(SimulariumWriter::create(path, options(&name, scene, diffusion, unit))?))
        } else if ending == "svg" {
            Film::Picture(Box::new(scene.clone()))
        } else if ending == "csv" || save::written_format(path).is_ok() {
            Film::Last
        } else {
            let expected = "a trajectory (.xtc, .dcd, .simularium), a snapshot (.cif, .bcif, .pdb, .gro, .xyz, .csv) or a drawing (.svg)";
            return Err(invalid(format!("{}: expected {expected}, found {ending:?}", path.display())));
        };
        Ok((Self { path: path.to_owned(), name, ps, film }, also))
    }

    /// Writes a frame, if it is a file of frames.
    pub fn frame(&mut self, diffusion: &Diffusion) -> io::Result<()> {
        let time = diffusion.time() * self.ps;
        match &mut self.film {
            Film::Trajectory(writer) => {
                let bounds = &diffusion.setup().bounds;
                let repeats = diffusion.setup().dimensions == 3 && bounds.edges == [Edge::Periodic; 3];
                let [x, y, z] = (bounds.high - bounds.low).to_array();
                let vectors = repeats.then_some([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]);
                writer.frame(diffusion.step_number(), time, vectors, &places(diffusion))
            }
            Film::Simularium(writer) => {
                let setup = diffusion.setup();
                let particles = diffusion.particles().flat_map(|placed| {
                    let radius = setup.species[placed.kind as usize].radius;
                    let spheres = super::spheres_of(diffusion, &placed);
                    let is_single = spheres.len() == 1;
                    let many = spheres.len() as u64;
                    spheres.into_iter().enumerate().map(move |(number, (at, own))| Particle {
                        id: u64::from(placed.number) * many + number as u64,
                        type_index: placed.kind as usize,
                        position: at.as_vec3(),
                        radius: Some(if is_single { radius } else { own } as f32),
                        ..Particle::default()
                    })
                });
                writer.frame(time, particles)
            }
            Film::Last | Film::Picture(_) => Ok(()),
        }
    }

    /// Ends the file; what there is at the end is written here.
    pub fn finish(self, diffusion: &Diffusion, series: &Series) -> io::Result<()> {
        match self.film {
            Film::Trajectory(writer) => writer.finish(),
            Film::Simularium(writer) => {
                let names = diffusion.setup().species.iter().map(|species| species.name.clone());
                let lines = names.zip(series.species.iter().cloned()).collect();
                let line = |name: &str, values: &[f64]| vec![(name.to_owned(), values.to_vec())];
                let plots = [
                    Plot::series("Particles", "time", "number", series.times.clone(), lines),
                    Plot::series(
                        "Collisions",
                        "time",
                        "per unit of time",
                        series.times.clone(),
                        line("all", &series.collisions),
                    ),
                    Plot::series(
                        "Clusters",
                        "time",
                        "mean size",
                        series.times.clone(),
                        line("size", &series.mean_cluster),
                    ),
                ];
                writer.finish(&plots).map(drop)
            }
            Film::Picture(scene) => std::fs::write(&self.path, super::picture(&scene, diffusion)),
            Film::Last if self.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv")) => {
                let mut text = "number,species,x,y,z\n".to_owned();
                let mut placed: Vec<_> = diffusion.particles().collect();
                placed.sort_unstable_by_key(|placed| placed.number);
                for particle in placed {
                    let DVec3 { x, y, z } = particle.at;
                    let species = &diffusion.setup().species[particle.kind as usize].name;
                    text += &format!("{},{species},{x},{y},{z}\n", particle.number);
                }
                std::fs::write(&self.path, text)
            }
            Film::Last => {
                let structure = snapshot(&self.name, diffusion);
                save::write_model(&self.path, &structure).map(drop).map_err(|error| io::Error::other(error.to_string()))
            }
        }
    }
}

/// Why particles come or go, if they do.
fn changes_count(diffusion: &Diffusion) -> Option<&'static str> {
    let setup = diffusion.setup();
    if setup.rules.iter().any(|rule| matches!(rule.then, Then::Merge(_) | Then::Vanish)) {
        return Some("a rule by which two become one or vanish");
    }
    if setup.decays.iter().any(|decay| decay.into.len() != 1) {
        return Some("a decay into none or two");
    }
    setup.bounds.edges[..setup.dimensions].contains(&Edge::Absorbing).then_some("an absorbing border")
}

fn frames_until(path: &Path, step: u64) -> io::Result<Vec<Frame>> {
    let failed = |error: steric_model::ReadError| io::Error::other(error.to_string());
    let mut kept = Vec::new();
    for frame in read_trajectory(path).map_err(failed)? {
        // A frame that was being written when the program ended is not there.
        let Ok(frame) = frame else { break };
        if frame.step > step {
            break;
        }
        kept.push(frame);
    }
    Ok(kept)
}

fn options(name: &str, scene: &DiffuseScene, diffusion: &Diffusion, unit: TimeUnit) -> SimulariumOptions {
    let setup = diffusion.setup();
    let species = setup.species.iter().zip(scene.colours());
    let types = species.map(|(species, color)| ParticleType::ball(&species.name, species.radius as f32, color));
    let mut edges = setup.bounds.high - setup.bounds.low;
    if setup.dimensions == 2 {
        edges.z = 2.0 * setup.species.iter().map(|species| species.radius).fold(0.0, f64::max);
    }
    let mut options = SimulariumOptions::new(edges, types.collect());
    options.title = name.to_owned();
    options.length_unit = LengthUnit::Nanometre;
    options.box_centre = 0.5 * (setup.bounds.low + setup.bounds.high);
    if setup.dimensions == 2 {
        options.box_centre.z = 0.0;
    }
    options.time_unit = match unit {
        TimeUnit::Ps => simularium::TimeUnit::Picosecond,
        TimeUnit::Ns => simularium::TimeUnit::Nanosecond,
        TimeUnit::Us => simularium::TimeUnit::Microsecond,
        TimeUnit::Ms => simularium::TimeUnit::Millisecond,
        TimeUnit::S => simularium::TimeUnit::Second,
    };
    options
}
