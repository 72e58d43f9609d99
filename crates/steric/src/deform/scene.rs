//! Scene files of `steric deform`: which bodies, of what, where, and what is held or led.
//!
//! How it works: the file is TOML with a struct for each table, so that an unknown key or a value of the wrong kind is told with its line. What is wrong only by its value is told with the line of the
//! value, which is kept as its place in the text.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use steric_model::{Located, Place};
use toml::Spanned;

/// Steps that a scene runs unless it says otherwise.
const STEPS: u64 = 600;
/// Steps between two frames unless it says otherwise.
const FRAME_EVERY: u64 = 10;

/// Soft bodies, as a file says it. Lengths are metres, times seconds, angles degrees.
///
/// ```
/// use steric::deform::DeformScene;
///
/// let text = "floor = 0.0\n[[body]]\nball = { radius = 0.1, cells = 6 }\nat = [0.0, 0.0, 0.2]\n";
/// let scene = DeformScene::read(text, "drop.toml".as_ref())?;
/// assert_eq!((scene.steps(), scene.frame_every()), (600, 10));
/// let wrong = DeformScene::read(&text.replace("0.1,", "-0.1,"), "drop.toml".as_ref());
/// assert_eq!(wrong.unwrap_err().to_string(), "drop.toml:3: expected a radius above 0, found \"-0.1\"");
/// # Ok::<(), steric_model::Located>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeformScene {
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
    /// Seconds.
    pub(super) step: Option<Spanned<f64>>,
    pub(super) steps: Option<u64>,
    pub(super) frame_every: Option<Spanned<u64>>,
    pub(super) gravity: Option<Spanned<[f64; 3]>>,
    /// A height.
    pub(super) floor: Option<Spanned<f64>>,
    pub(super) tolerance: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) contact: ContactTable,
    #[serde(default)]
    pub(super) material: Vec<Spanned<MaterialTable>>,
    #[serde(default)]
    pub(super) body: Vec<Spanned<BodyTable>>,
}

/// How bodies answer collisions.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ContactTable {
    pub(super) response: Option<Spanned<String>>,
    pub(super) friction: Option<Spanned<f64>>,
    pub(super) stiffness: Option<Spanned<f64>>,
    pub(super) recovery: Option<Spanned<f64>>,
    pub(super) margin: Option<Spanned<f64>>,
    pub(super) index: Option<Spanned<String>>,
    pub(super) order: Option<Spanned<String>>,
    pub(super) cell: Option<Spanned<String>>,
    pub(super) most_cells: Option<Spanned<u64>>,
}

/// What bodies are made of.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct MaterialTable {
    pub(super) name: String,
    /// Pascals.
    pub(super) young: Option<f64>,
    pub(super) poisson: Option<f64>,
    /// Kilograms in a cubic metre.
    pub(super) density: Option<f64>,
    /// Seconds.
    pub(super) damping: Option<f64>,
}

/// A body, or several of a kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct BodyTable {
    #[serde(default)]
    pub(super) name: String,
    pub(super) block: Option<Spanned<BlockTable>>,
    pub(super) ball: Option<Spanned<BallTable>>,
    pub(super) bowl: Option<Spanned<BowlTable>>,
    pub(super) arch: Option<Spanned<ArchTable>>,
    pub(super) file: Option<Spanned<PathBuf>>,
    pub(super) scale: Option<Spanned<f64>>,
    /// Of all, or of each region of the mesh.
    pub(super) material: Option<Spanned<Words>>,
    /// Where its origin is; that of a mesh from a file is the middle of its bounds.
    pub(super) at: Option<Spanned<[f64; 3]>>,
    /// Axis times angle.
    pub(super) turn: Option<Spanned<[f64; 3]>>,
    pub(super) velocity: Option<Spanned<[f64; 3]>>,
    /// How many, one after the other.
    pub(super) copies: Option<Spanned<u64>>,
    /// From one copy to the next.
    pub(super) every: Option<Spanned<[f64; 3]>>,
    pub(super) scatter: Option<Spanned<ScatterTable>>,
    #[serde(default)]
    pub(super) fixed: bool,
    /// Only points in a box are fixed or led: two corners in metres.
    pub(super) hold: Option<Spanned<[[f64; 3]; 2]>>,
    pub(super) lead: Option<Spanned<LeadTable>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Words {
    One(String),
    Several(Vec<String>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockTable {
    pub(super) size: [f64; 3],
    pub(super) cells: [usize; 3],
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BallTable {
    pub(super) radius: f64,
    pub(super) cells: usize,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BowlTable {
    /// Inner and outer.
    pub(super) radii: [f64; 2],
    /// From below to the rim.
    pub(super) angle: f64,
    pub(super) cells: [usize; 3],
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArchTable {
    /// Inner and outer.
    pub(super) radii: [f64; 2],
    /// From the middle to an end.
    pub(super) angle: f64,
    pub(super) height: f64,
    pub(super) cells: [usize; 3],
}

/// Chance in where copies are.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ScatterTable {
    /// At most so far in the plane.
    pub(super) shift: f64,
    /// At most so far about the vertical.
    pub(super) turn: f64,
}

/// Where fixed points are led.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LeadTable {
    #[serde(default)]
    pub(super) shift: [f64; 3],
    #[serde(default)]
    pub(super) turn: [f64; 3],
    /// What it turns about; the middle of the points unless it is said.
    pub(super) around: Option<[f64; 3]>,
    #[serde(default)]
    pub(super) begins: f64,
    pub(super) lasts: f64,
}

impl DeformScene {
    /// Reads a scene file.
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

    /// Whether a text is such a scene rather than one of another kind: only these have bodies.
    ///
    /// ```
    /// assert!(steric::deform::DeformScene::is_one("[[body]]\nfile = \"liver.msh\"\n"));
    /// ```
    pub fn is_one(text: &str) -> bool {
        text.lines().any(|line| line.trim_start().starts_with("[[body]]"))
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.table.name
    }

    /// How many steps it wants.
    pub fn steps(&self) -> u64 {
        self.table.steps.unwrap_or(STEPS)
    }

    /// Steps between two frames of what is written.
    pub fn frame_every(&self) -> u64 {
        self.table.frame_every.as_ref().map_or(FRAME_EVERY, |every| *every.get_ref())
    }

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
