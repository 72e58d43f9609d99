//! Scene files of `steric diffuse`: what moves, where, and what happens when two meet.
//!
//! How it works: the file is TOML with a struct for each table, so that an unknown key or a value of the wrong kind is told with its line. Values that are wrong
//! only beside others are told with the line of the value, which is kept as its place in the text.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use steric_model::{Located, Place};
use toml::Spanned;

/// What is simulated, as a file says it.
///
/// ```
/// use steric::diffuse::DiffuseScene;
///
/// let text = "box = [50.0, 50.0, 50.0]\ntime-step = 1.0\n[[species]]\nname = \"A\"\nradius = 2.0\ndiffusion = 0.02\ncount = 10\n";
/// let scene = DiffuseScene::read(text, "small.toml".as_ref())?;
/// assert_eq!(scene.steps(), 1_000);
/// let wrong = DiffuseScene::read(&text.replace("radius = 2.0", "radius = -2.0"), "small.toml".as_ref());
/// assert_eq!(wrong.unwrap_err().to_string(), "small.toml:5: expected a radius above 0, found \"-2\"");
/// # Ok::<(), steric_model::Located>(())
/// ```
#[derive(Clone, Debug)]
pub struct DiffuseScene {
    pub(super) file: PathBuf,
    pub(super) text: String,
    pub(super) table: Table,
}

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Table {
    #[serde(default)]
    pub(super) name: String,
    pub(super) seed: Option<u64>,
    /// Angstroms; two numbers for a plane.
    #[serde(rename = "box")]
    pub(super) edges: Spanned<Vec<f64>>,
    /// One word, or one for each axis.
    pub(super) boundary: Option<Spanned<Words>>,
    pub(super) time_step: Spanned<f64>,
    pub(super) time_unit: Option<Spanned<String>>,
    pub(super) steps: Option<u64>,
    pub(super) motion: Option<Spanned<String>>,
    pub(super) response: Option<Spanned<String>>,
    pub(super) strategy: Option<Spanned<String>>,
    pub(super) offenders: Option<Spanned<String>>,
    pub(super) inside: Option<Spanned<String>>,
    /// Edge of the cells of A, B and C, in angstroms.
    pub(super) cell: Option<Spanned<f64>>,
    /// Steps between two frames of a trajectory.
    pub(super) frame_every: Option<Spanned<u64>>,
    /// Angstroms in a unit of time.
    pub(super) drift: Option<Spanned<Vec<f64>>>,
    /// Angstroms in a squared unit of time.
    pub(super) acceleration: Option<Spanned<Vec<f64>>>,
    /// A place that pulls everyone.
    pub(super) trap: Option<Spanned<TrapTable>>,
    #[serde(default)]
    pub(super) species: Vec<Spanned<SpeciesTable>>,
    #[serde(default)]
    pub(super) rule: Vec<Spanned<RuleTable>>,
    #[serde(default)]
    pub(super) decay: Vec<Spanned<DecayTable>>,
    #[serde(default)]
    pub(super) obstacle: Vec<Spanned<ObstacleTable>>,
}

/// One word or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Words {
    One(String),
    Several(Vec<String>),
}

/// A kind of particle.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SpeciesTable {
    pub(super) name: Spanned<String>,
    /// Of a sphere, in angstroms.
    pub(super) radius: Option<Spanned<f64>>,
    /// A rigid molecule in place of a sphere: an embedded one, or a file.
    pub(super) molecule: Option<Spanned<String>>,
    pub(super) mass: Option<Spanned<f64>>,
    /// Square angstroms in a unit of time.
    pub(super) diffusion: Option<Spanned<f64>>,
    /// The same in square micrometres in a second; needs a unit of time.
    pub(super) diffusion_um2_s: Option<Spanned<f64>>,
    /// Square radians in a unit of time.
    pub(super) rotational_diffusion: Option<Spanned<f64>>,
    /// How fast it flies at the start, the root mean square of each axis: for ballistic motion.
    pub(super) speed: Option<Spanned<f64>>,
    pub(super) count: Option<Spanned<u64>>,
    /// Of the box: by volume, or by area in a plane.
    pub(super) fraction: Option<Spanned<f64>>,
    /// A file with a place on each line.
    pub(super) places: Option<Spanned<String>>,
    pub(super) colour: Option<Spanned<String>>,
}

/// A place that pulls everyone.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct TrapTable {
    pub(super) center: Vec<f64>,
    /// The share of the way in a unit of time; in ballistic motion in a squared unit of time.
    pub(super) pull: f64,
}

/// What happens when two meet.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RuleTable {
    pub(super) between: Spanned<[String; 2]>,
    pub(super) probability: Option<Spanned<f64>>,
    /// bind, vanish, or the species of what they become.
    pub(super) then: Spanned<Words>,
    /// Particles of a cluster, at most.
    pub(super) most: Option<Spanned<u32>>,
    /// How often a bond opens, in a unit of time.
    pub(super) unbinds: Option<Spanned<f64>>,
}

/// What falls apart by itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct DecayTable {
    pub(super) of: Spanned<String>,
    /// In a unit of time.
    pub(super) rate: Spanned<f64>,
    /// None, one or two species.
    #[serde(default)]
    pub(super) into: Vec<String>,
}

/// What stands in the way.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "shape", deny_unknown_fields)]
pub(super) enum ObstacleTable {
    /// Everything behind a plane; `normal` points to where particles are.
    Plane { point: [f64; 3], normal: [f64; 3] },
    /// A ball that stays where it is.
    Sphere { center: [f64; 3], radius: f64 },
    /// A rod with round ends.
    Cylinder { from: [f64; 3], to: [f64; 3], radius: f64 },
    /// An endless tube that nothing leaves.
    Tube { point: [f64; 3], axis: [f64; 3], radius: f64 },
    /// A hollow ball that nothing leaves.
    Cavity { center: [f64; 3], radius: f64 },
    /// A solid box.
    Box { low: [f64; 3], high: [f64; 3] },
    /// Triangles of a file: OBJ or PLY.
    Mesh { file: String },
}

/// Colours that can be told apart, also by those who see fewer (Okabe and Ito 2008).
const COLOURS: [[u8; 3]; 7] =
    [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [240, 228, 66], [213, 94, 0], [0, 114, 178]];

/// A colour as it is written: `#56b4e9`.
pub(super) fn hex(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let part = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    Some([part(0)?, part(2)?, part(4)?])
}

/// How many steps, if nobody says.
const STEPS: u64 = 1_000;
/// Steps between two frames, if nobody says.
const FRAME_EVERY: u64 = 10;

impl DiffuseScene {
    /// Takes a file apart.
    pub fn read(text: &str, file: &Path) -> Result<Self, Located> {
        let table = toml::from_str(text).map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            let found = text.lines().nth(line - 1).unwrap_or_default().trim().to_owned();
            let expected = error.message().trim().replace('\n', ", ");
            Located { path: file.to_owned(), place: Place::Line(line, None), expected, found }
        })?;
        let scene = Self { file: file.to_owned(), text: text.to_owned(), table };
        scene.check()?;
        Ok(scene)
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.table.name
    }

    /// How many steps it wants.
    pub fn steps(&self) -> u64 {
        self.table.steps.unwrap_or(STEPS)
    }

    /// Steps between two frames of a trajectory: every tenth, unless the file says otherwise.
    pub fn frame_every(&self) -> u64 {
        self.table.frame_every.as_ref().map_or(FRAME_EVERY, |every| *every.get_ref())
    }

    /// The colour of each species: red, green and blue.
    pub fn colours(&self) -> Vec<[u8; 3]> {
        let own = |species: &SpeciesTable| hex(species.colour.as_ref()?.get_ref());
        let species = self.table.species.iter().map(Spanned::get_ref).enumerate();
        species.map(|(number, species)| own(species).unwrap_or(COLOURS[number % COLOURS.len()])).collect()
    }

    /// Takes other numbers of particles: those of a species by its name, in place of what the file says.
    pub fn set_count(&mut self, species: &str, count: u64) -> Result<(), Located> {
        let kind = self.kind(species, 0..0)?;
        let table = self.table.species[kind as usize].as_mut();
        (table.count, table.fraction, table.places) = (Some(Spanned::new(0..0, count)), None, None);
        Ok(())
    }

    /// What is wrong at a place in the text.
    pub(super) fn wrong(
        &self,
        span: Range<usize>,
        expected: impl Into<String>,
        found: impl std::fmt::Display,
    ) -> Located {
        Located {
            path: self.file.clone(),
            place: Place::Line(line_of(&self.text, span.start), None),
            expected: expected.into(),
            found: found.to_string(),
        }
    }
}

fn line_of(text: &str, byte: usize) -> usize {
    text.as_bytes().iter().take(byte).filter(|&&letter| letter == b'\n').count() + 1
}
