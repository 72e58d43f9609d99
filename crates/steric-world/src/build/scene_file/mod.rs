//! What a scene file asks for.
//!
//! How it works: the types below are the tables of the file, key for key (`schema.rs` has their units and defaults, and
//! has looked at every value alone; `rules.rs` looks at what joins several keys).

mod membrane;

use std::path::Path;

use serde::{Deserialize, Serialize};
use steric_model::Located;
use steric_model::chemistry::RadiiSet;
use toml::Table;

pub use membrane::{LeafletChoice, LipidTable, MembraneTable, Placement, ProteinTable, Shape};

use super::error::BuildError;
use super::scene_text::{Origins, SceneText};
use crate::fibre::FibreKind;
use crate::relax::RelaxOptions;
use crate::shape::Side;

/// A scene file. The guide's page on scene files explains every key.
///
/// ```
/// use steric_world::build::{Closeness, SceneFile};
///
/// let text = "[[membrane]]\nradius = 100.0\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
/// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
/// assert_eq!(scene.membrane[0].radius, Some(100.0));
/// assert_eq!(scene.closeness(), Closeness::Tolerance(2.0));
///
/// let error = SceneFile::read("sead = 7\n", "vesicle.toml".as_ref()).expect_err("there is no such key");
/// assert_eq!(error.to_string(), "vesicle.toml:1: expected a key (did you mean seed?), found \"sead\"");
/// # Ok::<(), steric_world::build::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SceneFile {
    /// What the scene is called.
    pub name: String,
    /// The same seed builds the same scene.
    pub seed: u64,
    /// How far atoms of different molecules stay apart, in angstroms; see [`SceneFile::closeness`].
    pub tolerance: Option<f64>,
    /// The name of a set of radii.
    pub radii: Option<String>,
    /// How deep two atoms may overlap, in angstroms.
    pub allow: Option<f64>,
    /// Whether hydrogens are kept.
    pub hydrogens: bool,
    /// Edges of the box that repeats, in angstroms.
    pub periodic_box: Option<[f64; 3]>,
    /// A model that is there already.
    pub model: Option<ModelTable>,
    /// Membranes.
    pub membrane: Vec<MembraneTable>,
    /// DNA, RNA and other long chains.
    pub fibre: Vec<FibreTable>,
    /// Molecules in regions.
    pub solute: Vec<SoluteTable>,
    /// Parts of space.
    pub region: Vec<RegionTable>,
    /// How molecules are pushed apart.
    pub physics: RelaxOptions,
    /// Where the result goes.
    pub output: OutputTable,
    #[serde(skip)]
    pub(super) origins: Origins,
}

impl Default for SceneFile {
    fn default() -> Self {
        Self {
            name: String::new(),
            seed: 1,
            tolerance: None,
            radii: None,
            allow: None,
            hydrogens: false,
            periodic_box: None,
            model: None,
            membrane: Vec::new(),
            fibre: Vec::new(),
            solute: Vec::new(),
            region: Vec::new(),
            physics: RelaxOptions::default(),
            output: OutputTable::default(),
            origins: Origins::default(),
        }
    }
}

/// When two atoms of different molecules are too close.
///
/// ```
/// use steric_world::build::{Closeness, SceneFile};
///
/// let mut scene = SceneFile::default();
/// scene.radii = Some("bondi".into());
/// assert!(matches!(scene.closeness(), Closeness::Radii { allow: 0.4, .. }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Closeness {
    /// Nearer than this, in angstroms.
    Tolerance(f64),
    /// Spheres that overlap by more than is allowed.
    Radii {
        /// Whose radii.
        set: RadiiSet,
        /// In angstroms.
        allow: f64,
    },
}

impl SceneFile {
    /// Reads a scene from text; `file` serves messages.
    pub fn read(text: &str, file: &Path) -> Result<Self, BuildError> {
        SceneText::parse(text, file)?.scene()
    }

    /// When two atoms are too close: nearer than 2.0 Å unless the file says otherwise.
    pub fn closeness(&self) -> Closeness {
        let set = self.radii.as_ref().and_then(|name| name.parse().ok());
        match set {
            Some(set) => Closeness::Radii { set, allow: self.allow.unwrap_or(0.4) },
            None => Closeness::Tolerance(self.tolerance.unwrap_or(2.0)),
        }
    }

    pub(super) fn from_table(table: &Table, origins: Origins) -> Result<Self, Located> {
        // The schema has seen every key and value, so a refusal here is about the file as a whole.
        let refused = |error: toml::de::Error| origins.wrong("", "a scene", error.message());
        let mut scene = Self::deserialize(table.clone()).map_err(refused)?;
        scene.origins = origins;
        scene.check()?;
        Ok(scene)
    }
}

/// `[model]`: a model that is there already.
///
/// ```
/// use steric_world::build::ModelTable;
///
/// assert!(!ModelTable::default().fixed);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelTable {
    /// Its file.
    pub file: String,
    /// What counts as one molecule, as the command line names it.
    pub molecules: String,
    /// Whether it is an obstacle.
    pub fixed: bool,
    /// How far a molecule may move, in angstroms.
    pub leeway: Option<f64>,
    /// How far it may turn.
    pub turn_degrees: f64,
}

impl Default for ModelTable {
    fn default() -> Self {
        Self { file: String::new(), molecules: "auto".to_owned(), fixed: false, leeway: None, turn_degrees: 180.0 }
    }
}

/// `[[solute]]`: copies of a molecule in a region.
///
/// ```
/// use steric_world::build::SoluteTable;
///
/// let water = SoluteTable { molecule: Some("water".into()), density_g_cm3: Some(1.0), ..SoluteTable::default() };
/// assert!(!water.fixed && water.region.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SoluteTable {
    /// An embedded molecule.
    pub molecule: Option<String>,
    /// Or a file.
    pub file: Option<String>,
    /// What it is called.
    pub name: Option<String>,
    /// How many.
    pub count: Option<u64>,
    /// Millimoles per litre of the region.
    #[serde(rename = "concentration-mM")]
    pub concentration_mm: Option<f64>,
    /// Of the region's volume.
    pub volume_fraction: Option<f64>,
    /// Grams per cubic centimetre of the region.
    pub density_g_cm3: Option<f64>,
    /// Name of a region; the periodic box if left out.
    pub region: Option<String>,
    /// Names of regions that it stays out of.
    pub outside: Vec<String>,
    /// Radius of the sphere that each copy has to itself at first, in angstroms.
    pub sphere: Option<f64>,
    /// Whether it is an obstacle.
    pub fixed: bool,
    /// Where the centre of a single copy stands, in angstroms.
    pub position: Option<[f64; 3]>,
    /// How a single copy is turned: about x, then y, then z.
    pub rotation_degrees: [f64; 3],
    /// Rules for atoms.
    pub keep: Vec<KeepTable>,
}

/// `[[fibre]]`: a long chain that fills a region.
///
/// ```
/// use steric_world::build::FibreTable;
///
/// let plasmid = FibreTable { units: Some(4_361), closed: true, ..FibreTable::default() };
/// assert_eq!((plasmid.kind.as_str(), plasmid.radius), ("dna", None));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FibreTable {
    /// What it is called.
    pub name: Option<String>,
    /// What it is made of: `dna`, `rna-helix`, `rna` or `actin`.
    pub kind: String,
    /// How many base pairs, nucleotides or subunits.
    pub units: Option<u64>,
    /// Of the region's volume, instead.
    pub volume_fraction: Option<f64>,
    /// Whether its ends are joined.
    pub closed: bool,
    /// Name of the region that it fills.
    pub region: String,
    /// Names of regions that it stays out of.
    pub outside: Vec<String>,
    /// Of the room that it takes, in angstroms.
    pub radius: Option<f64>,
    /// An embedded molecule for every unit.
    pub molecule: Option<String>,
    /// Or a file.
    pub file: Option<String>,
}

impl Default for FibreTable {
    fn default() -> Self {
        Self {
            name: None,
            kind: "dna".to_owned(),
            units: None,
            volume_fraction: None,
            closed: false,
            region: String::new(),
            outside: Vec::new(),
            radius: None,
            molecule: None,
            file: None,
        }
    }
}

impl FibreTable {
    /// What it is made of, as thick as the file says.
    pub(super) fn fibre_kind(&self) -> FibreKind {
        let kind = match self.kind.as_str() {
            "rna-helix" => FibreKind::RNA_HELIX,
            "rna" => FibreKind::RNA,
            "actin" => FibreKind::ACTIN,
            _ => FibreKind::DNA,
        };
        FibreKind { radius: self.radius.unwrap_or(kind.radius), ..kind }
    }

    /// The embedded molecule of a unit, if the file names nothing else.
    pub(super) fn usual_molecule(&self) -> Option<&'static str> {
        match self.kind.as_str() {
            "dna" => Some("base-pair"),
            "rna" => Some("nucleotide"),
            _ => None,
        }
    }
}

/// `[[solute.keep]]` and `[[membrane.lipid.keep]]`: a rule for atoms.
///
/// ```
/// use steric_world::build::{KeepTable, SideChoice};
///
/// assert_eq!(KeepTable::default().side, SideChoice::Inside);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KeepTable {
    /// Which atoms; all if empty.
    pub atoms: Vec<AtomChoice>,
    /// Of the region's boundary.
    pub side: SideChoice,
    /// Name of a region.
    pub region: String,
}

/// An atom by its number or its name.
///
/// ```
/// use steric_world::build::AtomChoice;
///
/// assert_ne!(AtomChoice::Number(20), AtomChoice::Name("P".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AtomChoice {
    /// In the molecule's file, counted from 1.
    Number(usize),
    /// Every atom of this name.
    Name(String),
}

/// A side of a region's boundary, as in a file.
///
/// ```
/// use steric_world::{build::SideChoice, shape::Side};
///
/// assert_eq!(Side::from(SideChoice::Outside), Side::Outside);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SideChoice {
    /// Inside.
    #[default]
    Inside,
    /// Outside.
    Outside,
    /// On the boundary.
    On,
}

impl From<SideChoice> for Side {
    fn from(side: SideChoice) -> Self {
        match side {
            SideChoice::Inside => Self::Inside,
            SideChoice::Outside => Self::Outside,
            SideChoice::On => Self::On,
        }
    }
}

/// The kinds of regions.
///
/// ```
/// use steric_world::build::{RegionShape, RegionTable};
///
/// assert_ne!(RegionTable::default().shape, Some(RegionShape::Box));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegionShape {
    /// From a least to a greatest corner.
    Box,
    /// A ball.
    Sphere,
    /// A ball stretched along the axes.
    Ellipsoid,
    /// A capped tube.
    Cylinder,
    /// All below a plane.
    HalfSpace,
    /// The inside of a closed surface.
    Mesh,
    /// What a membrane encloses.
    Inside,
}

impl RegionShape {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Sphere => "sphere",
            Self::Ellipsoid => "ellipsoid",
            Self::Cylinder => "cylinder",
            Self::HalfSpace => "half-space",
            Self::Mesh => "mesh",
            Self::Inside => "inside",
        }
    }

    pub(super) fn needs(self) -> &'static [&'static str] {
        match self {
            Self::Box => &["low", "high"],
            Self::Sphere => &["radius"],
            Self::Ellipsoid => &["semi-axes"],
            Self::Cylinder => &["start", "end", "radius"],
            Self::HalfSpace => &["normal", "offset"],
            Self::Mesh => &["mesh"],
            Self::Inside => &["membrane", "depth"],
        }
    }

    pub(super) fn takes(self) -> &'static [&'static str] {
        match self {
            Self::Sphere | Self::Ellipsoid => &["center"],
            _ => &[],
        }
    }
}

/// `[[region]]`: a part of space.
///
/// ```
/// use steric_world::build::{RegionShape, RegionTable};
///
/// let cell = RegionTable { name: "cell".into(), shape: Some(RegionShape::Sphere), radius: Some(90.0), ..Default::default() };
/// assert!(cell.center.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RegionTable {
    /// What rules call it.
    pub name: String,
    /// Its kind.
    pub shape: Option<RegionShape>,
    /// Least corner of a box.
    pub low: Option<[f64; 3]>,
    /// Greatest corner of a box.
    pub high: Option<[f64; 3]>,
    /// Centre of a sphere or an ellipsoid.
    pub center: Option<[f64; 3]>,
    /// Radius of a sphere or a cylinder.
    pub radius: Option<f64>,
    /// Semi-axes of an ellipsoid.
    pub semi_axes: Option<[f64; 3]>,
    /// One end of a cylinder.
    pub start: Option<[f64; 3]>,
    /// The other end.
    pub end: Option<[f64; 3]>,
    /// Out of a half-space.
    pub normal: Option<[f64; 3]>,
    /// Of a half-space's boundary.
    pub offset: Option<f64>,
    /// The file of a mesh.
    pub mesh: Option<String>,
    /// The name of the membrane that it lies inside of.
    pub membrane: Option<String>,
    /// How far below the middle of that membrane, in angstroms.
    pub depth: Option<f64>,
}

impl RegionTable {
    pub(super) fn given(&self) -> [(&'static str, bool); 12] {
        [
            ("low", self.low.is_some()),
            ("high", self.high.is_some()),
            ("center", self.center.is_some()),
            ("radius", self.radius.is_some()),
            ("semi-axes", self.semi_axes.is_some()),
            ("start", self.start.is_some()),
            ("end", self.end.is_some()),
            ("normal", self.normal.is_some()),
            ("offset", self.offset.is_some()),
            ("mesh", self.mesh.is_some()),
            ("membrane", self.membrane.is_some()),
            ("depth", self.depth.is_some()),
        ]
    }
}

/// `[output]`: where the result goes.
///
/// ```
/// use steric_world::build::OutputTable;
///
/// assert!(OutputTable::default().file.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct OutputTable {
    /// A molecule file.
    pub file: Option<String>,
}
