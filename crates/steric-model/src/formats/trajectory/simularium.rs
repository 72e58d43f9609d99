//! Simularium files: particles that come and go, for the viewer of the Allen Institute (simularium.allencell.org).
//!
//! How it works: the file is one JSON object of three parts. The frames (`spatialData`) come first and are written as
//! they come, eleven numbers for each particle and four for each of its spheres; what is known only at the end, the number of frames and the plots,
//! follows them. The order of the parts means nothing in JSON. The viewer has the middle of the box at the origin and
//! wants one length for all, so positions are shifted and, if asked, turned into nanometres.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use glam::{DVec3, Quat, Vec3};
use serde_json::{Map, Value, json};

use super::{in_file, refuse};
use crate::Sphere;

/// What the viewer calls a particle that is no fibre.
const DEFAULT_VIEW: u32 = 1000;
/// The viewer's ids are signed numbers of 32 bits.
const MOST_IDS: u64 = i32::MAX as u64;

/// A kind of particle: what the viewer calls it and how it draws it.
///
/// ```
/// use steric_model::formats::trajectory::simularium::ParticleType;
///
/// let dimer = ParticleType::ball("tubulin", 20.0, [0x33, 0x99, 0x66]);
/// assert!(dimer.radius == 20.0 && dimer.spheres.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleType {
    /// As in the viewer's list. A part behind `#` is a state of the same particle: `receptor#bound`.
    pub name: String,
    /// In angstroms, for particles that have none of their own.
    pub radius: f32,
    /// Red, green and blue.
    pub color: [u8; 3],
    /// The spheres that it is drawn as, in its own frame; none for one ball.
    pub spheres: Vec<Sphere>,
}

impl ParticleType {
    /// One that is drawn as a ball.
    pub fn ball(name: &str, radius: f32, color: [u8; 3]) -> Self {
        Self { name: name.to_owned(), radius, color, spheres: Vec::new() }
    }
}

/// A particle in one frame.
///
/// ```
/// use steric_model::formats::trajectory::simularium::Particle;
///
/// let particle = Particle { id: 7, type_index: 0, position: glam::Vec3::X, ..Particle::default() };
/// assert!(particle.radius.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Particle {
    /// The same in every frame; at most 2,147,483,647.
    pub id: u64,
    /// Its place in [`SimulariumOptions::types`].
    pub type_index: usize,
    /// In angstroms.
    pub position: Vec3,
    /// In angstroms; `None` for that of its type.
    pub radius: Option<f32>,
    /// How the spheres of its type are turned.
    pub rotation: Quat,
}

/// The lengths that a file's numbers count.
///
/// ```
/// use glam::DVec3;
/// use steric_model::formats::trajectory::simularium::{LengthUnit, SimulariumOptions, SimulariumWriter};
///
/// let options = SimulariumOptions {
///     length_unit: LengthUnit::Angstrom,
///     ..SimulariumOptions::new(DVec3::splat(500.0), Vec::new())
/// };
/// let file = SimulariumWriter::new(Vec::new(), options)?.finish(&[])?;
/// assert!(String::from_utf8_lossy(&file).contains(r#""spatialUnits":{"magnitude":0.1,"name":"nm"}"#));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LengthUnit {
    /// Written as they are, as tenths of a nanometre.
    Angstrom,
    /// Ten angstroms.
    #[default]
    Nanometre,
}

/// The times that a file's numbers count.
///
/// ```
/// use glam::DVec3;
/// use steric_model::formats::trajectory::simularium::{SimulariumOptions, SimulariumWriter, TimeUnit};
///
/// let options = SimulariumOptions {
///     time_unit: TimeUnit::Second,
///     ..SimulariumOptions::new(DVec3::splat(500.0), Vec::new())
/// };
/// let mut writer = SimulariumWriter::new(Vec::new(), options)?;
/// writer.frame(2.5e12, [])?;
/// assert!(String::from_utf8_lossy(&writer.finish(&[])?).contains(r#""time":2.5,"#));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeUnit {
    /// 1 ps.
    Picosecond,
    /// 1,000 ps.
    #[default]
    Nanosecond,
    /// 1,000,000 ps.
    Microsecond,
    /// 10^9 ps.
    Millisecond,
    /// 10^12 ps.
    Second,
}

impl TimeUnit {
    fn name_and_ps(self) -> (&'static str, f64) {
        match self {
            Self::Picosecond => ("ps", 1.0),
            Self::Nanosecond => ("ns", 1e3),
            Self::Microsecond => ("us", 1e6),
            Self::Millisecond => ("ms", 1e9),
            Self::Second => ("s", 1e12),
        }
    }
}

/// What holds for all frames.
///
/// ```
/// use glam::DVec3;
/// use steric_model::formats::trajectory::simularium::{LengthUnit, SimulariumOptions};
///
/// let cube = SimulariumOptions::new(DVec3::splat(500.0), Vec::new());
/// assert_eq!((cube.box_centre, cube.length_unit), (DVec3::splat(250.0), LengthUnit::Nanometre));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SimulariumOptions {
    /// Shown above the picture; may be empty.
    pub title: String,
    /// The edges of the box, in angstroms.
    pub box_edges: DVec3,
    /// The middle of the box, in angstroms, in the frame of the positions.
    pub box_centre: DVec3,
    /// The length that the file counts in.
    pub length_unit: LengthUnit,
    /// The time that the file counts in.
    pub time_unit: TimeUnit,
    /// What particles there are; a particle names its type by its place here.
    pub types: Vec<ParticleType>,
}

impl SimulariumOptions {
    /// A box from the origin to `box_edges` (angstroms), in nanometres and nanoseconds.
    pub fn new(box_edges: DVec3, types: Vec<ParticleType>) -> Self {
        Self {
            title: String::new(),
            box_edges,
            box_centre: box_edges / 2.0,
            length_unit: LengthUnit::default(),
            time_unit: TimeUnit::default(),
            types,
        }
    }

    fn angstroms_per_unit(&self) -> f64 {
        if self.length_unit == LengthUnit::Nanometre { 10.0 } else { 1.0 }
    }

    fn check(&self) -> io::Result<()> {
        if !(self.box_edges.is_finite() && self.box_edges.min_element() > 0.0 && self.box_centre.is_finite()) {
            let (edges, centre) = (self.box_edges, self.box_centre);
            return Err(refuse(format!("the box has edges above 0 and a centre, not {edges} at {centre}")));
        }
        let is_finite = |sphere: &Sphere| sphere.center.is_finite() && sphere.radius.is_finite();
        if let Some(kind) = self.types.iter().find(|kind| !kind.spheres.iter().all(is_finite)) {
            return Err(refuse(format!("the spheres of the type {:?} are numbers", kind.name)));
        }
        match self.types.iter().find(|kind| !(kind.radius.is_finite() && kind.radius > 0.0)) {
            Some(kind) => Err(refuse(format!("the type {:?} has a radius above 0, not {}", kind.name, kind.radius))),
            None => Ok(()),
        }
    }
}

/// A diagram beside the picture.
///
/// ```
/// use steric_model::formats::trajectory::simularium::Plot;
///
/// let bound = vec![("bound".to_owned(), vec![0.0, 3.0, 5.0])];
/// let plot = Plot::series("Complexes", "time (ns)", "number", vec![0.0, 1.0, 2.0], bound);
/// assert!(matches!(plot, Plot::Series { ref x, .. } if x.len() == 3));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Plot {
    /// Lines over a common axis.
    Series {
        /// Above the diagram.
        title: String,
        /// What the axis shows, with its unit.
        x_title: String,
        /// What the values are, with their unit.
        y_title: String,
        /// Where the values stand.
        x: Vec<f64>,
        /// Lines by name, each with as many values as `x`; a value that is no number leaves a gap.
        lines: Vec<(String, Vec<f64>)>,
    },
    /// How often values occur; the viewer makes the bins.
    Histogram {
        /// Above the diagram.
        title: String,
        /// What the values are, with their unit.
        x_title: String,
        /// Values by name.
        values: Vec<(String, Vec<f64>)>,
    },
}

impl Plot {
    /// Lines over a common axis.
    pub fn series(title: &str, x_title: &str, y_title: &str, x: Vec<f64>, lines: Vec<(String, Vec<f64>)>) -> Self {
        Self::Series { title: title.to_owned(), x_title: x_title.to_owned(), y_title: y_title.to_owned(), x, lines }
    }

    /// How often values occur.
    pub fn histogram(title: &str, x_title: &str, values: Vec<(String, Vec<f64>)>) -> Self {
        Self::Histogram { title: title.to_owned(), x_title: x_title.to_owned(), values }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Series { title, x_title, y_title, x, lines } => {
                let line = |name, y| json!({"name": name, "type": "scatter", "mode": "lines", "x": x, "y": y});
                let lines: Vec<Value> = lines.iter().map(|(name, y)| line(name, y)).collect();
                json!({"layout": layout(title, x_title, y_title), "data": lines})
            }
            Self::Histogram { title, x_title, values } => {
                let trace = |(name, x): &(String, Vec<f64>)| json!({"name": name, "type": "histogram", "x": x});
                let traces: Vec<Value> = values.iter().map(trace).collect();
                json!({"layout": layout(title, x_title, "frequency"), "data": traces})
            }
        }
    }
}

fn layout(title: &str, x_title: &str, y_title: &str) -> Value {
    json!({"title": title, "xaxis": {"title": x_title}, "yaxis": {"title": y_title}})
}

/// Writes a `.simularium` file frame by frame; it is complete after [`SimulariumWriter::finish`].
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::formats::trajectory::simularium::{Particle, ParticleType, SimulariumOptions, SimulariumWriter};
///
/// let kinase = ParticleType::ball("kinase", 25.0, [255, 128, 0]);
/// let mut writer = SimulariumWriter::new(Vec::new(), SimulariumOptions::new(DVec3::splat(500.0), vec![kinase]))?;
/// let particle = Particle { id: 1, type_index: 0, position: Vec3::splat(300.0), ..Particle::default() };
/// writer.frame(0.0, [particle])?;
/// writer.frame(1000.0, [])?;
/// let file: serde_json::Value = serde_json::from_slice(&writer.finish(&[])?)?;
/// // 300 angstroms are 5 nm from the middle.
/// assert_eq!(file["spatialData"]["bundleData"][0]["data"].to_string(), "[1000,1,0,5,5,5,0,0,0,2.5,0]");
/// assert_eq!(file["trajectoryInfo"]["totalSteps"], 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SimulariumWriter<W: Write> {
    out: W,
    options: SimulariumOptions,
    frames: usize,
    /// Of the first two frames, in the file's unit.
    first_times: [f64; 2],
    buffer: Vec<u8>,
}

impl SimulariumWriter<BufWriter<File>> {
    /// Starts a file, in place of one that is there.
    pub fn create(path: &Path, options: SimulariumOptions) -> io::Result<Self> {
        let made = options.check().and_then(|()| File::create(path));
        made.and_then(|file| Self::new(BufWriter::with_capacity(1 << 18, file), options))
            .map_err(|error| in_file(path, error))
    }
}

impl<W: Write> SimulariumWriter<W> {
    /// Starts a file on anything that takes bytes; it makes few and large writes.
    pub fn new(mut out: W, options: SimulariumOptions) -> io::Result<Self> {
        options.check()?;
        out.write_all(br#"{"spatialData":{"version":1,"msgType":1,"bundleStart":0,"bundleData":["#)?;
        Ok(Self { out, options, frames: 0, first_times: [0.0; 2], buffer: Vec::new() })
    }

    /// Appends a frame: time in picoseconds, and the particles that there are then. Refuses a particle whose type, id,
    /// place or radius the viewer cannot have, and then writes nothing of the frame.
    pub fn frame(&mut self, time_ps: f64, particles: impl IntoIterator<Item = Particle>) -> io::Result<()> {
        let time = time_ps / self.options.time_unit.name_and_ps().1;
        if !time.is_finite() {
            return Err(refuse(format!("the time of a frame is a number, not {time_ps}")));
        }
        self.buffer.clear();
        let comma = if self.frames > 0 { "," } else { "" };
        write!(self.buffer, "{comma}\n{{\"frameNumber\":{},\"time\":{time},\"data\":[", self.frames)?;
        for (at, particle) in particles.into_iter().enumerate() {
            self.buffer.extend_from_slice(if at > 0 { b"," } else { b"" });
            put_particle(&mut self.buffer, &self.options, particle)?;
        }
        self.buffer.extend_from_slice(b"]}");
        self.out.write_all(&self.buffer)?;
        if let Some(first) = self.first_times.get_mut(self.frames) {
            *first = time;
        }
        self.frames += 1;
        Ok(())
    }

    /// Writes what the frames leave open, with these diagrams, and hands back what was written to, flushed.
    pub fn finish(mut self, plots: &[Plot]) -> io::Result<W> {
        let plots: Vec<Value> = plots.iter().map(Plot::to_json).collect();
        write!(self.out, "\n],\"bundleSize\":{}}},\n\"trajectoryInfo\":{}", self.frames, self.trajectory_info())?;
        writeln!(self.out, ",\n\"plotData\":{}}}", json!({"version": 1, "data": plots}))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn trajectory_info(&self) -> Value {
        let options = &self.options;
        let edges = options.box_edges / options.angstroms_per_unit();
        let [first, second] = self.first_times;
        let time_step = if self.frames > 1 { second - first } else { 0.0 };
        // As nm: some of the viewer's versions know no other name.
        let length = options.angstroms_per_unit() / 10.0;
        json!({
            "version": 3,
            "trajectoryTitle": options.title,
            "timeUnits": {"magnitude": 1.0, "name": options.time_unit.name_and_ps().0},
            "timeStepSize": time_step,
            "totalSteps": self.frames,
            "spatialUnits": {"magnitude": length, "name": "nm"},
            "size": point(edges),
            // As far away as the viewer stands from its own default box.
            "cameraDefault": {
                "position": point(DVec3::Z * 1.2 * edges.max_element()),
                "lookAtPosition": point(DVec3::ZERO),
                "upVector": point(DVec3::Y),
                "fovDegrees": 75.0,
            },
            "typeMapping": type_mapping(&options.types),
        })
    }
}

fn put_particle(out: &mut Vec<u8>, options: &SimulariumOptions, particle: Particle) -> io::Result<()> {
    let Particle { id, type_index, position, radius, rotation } = particle;
    let kind = options.types.get(type_index).ok_or_else(|| {
        refuse(format!("particle {id} is of type {type_index}, but there are {} types", options.types.len()))
    })?;
    let unit = options.angstroms_per_unit();
    let place = ((position.as_dvec3() - options.box_centre) / unit).as_vec3();
    let radius = (f64::from(radius.unwrap_or(kind.radius)) / unit) as f32;
    if id > MOST_IDS || !place.is_finite() || !radius.is_finite() || !rotation.is_finite() {
        let particle = format!("particle {id} at {position} with radius {:?}", particle.radius);
        return Err(refuse(format!("{particle} is none that Simularium can show")));
    }
    let Vec3 { x, y, z } = place;
    // Spheres are turned here, because the viewer's own order of angles is not written down anywhere.
    write!(out, "{DEFAULT_VIEW},{id},{type_index},{x},{y},{z},0,0,0,{radius},{}", 4 * kind.spheres.len())?;
    for sphere in &kind.spheres {
        let Vec3 { x, y, z } = rotation * sphere.center / unit as f32;
        write!(out, ",{x},{y},{z},{}", sphere.radius / unit as f32)?;
    }
    Ok(())
}

fn type_mapping(types: &[ParticleType]) -> Map<String, Value> {
    let entry = |(index, kind): (usize, &ParticleType)| {
        let [red, green, blue] = kind.color;
        let color = format!("#{red:02x}{green:02x}{blue:02x}");
        let display = if kind.spheres.is_empty() { "SPHERE" } else { "SPHERE_GROUP" };
        (index.to_string(), json!({"name": kind.name, "geometry": {"displayType": display, "color": color}}))
    };
    types.iter().enumerate().map(entry).collect()
}

fn point(at: DVec3) -> Value {
    json!({"x": at.x, "y": at.y, "z": at.z})
}
