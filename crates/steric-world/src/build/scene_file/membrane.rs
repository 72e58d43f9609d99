//! The tables of a membrane: its form, its lipids and its proteins.

use serde::{Deserialize, Serialize};

use super::KeepTable;
use crate::shape::Sampling;

/// The middle of a membrane.
///
/// ```
/// use steric_world::build::Shape;
///
/// assert_eq!(Shape::default().name(), "sphere");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// A sphere.
    #[default]
    Sphere,
    /// A level plane.
    Plane,
    /// A closed surface from a file.
    Mesh,
    /// A box with round edges: a crista, or a rod.
    RoundedBox,
    /// A cone with round ends: the capsid of HIV.
    Cone,
}

impl Shape {
    /// As in a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Plane => "plane",
            Self::Mesh => "mesh",
            Self::RoundedBox => "rounded-box",
            Self::Cone => "cone",
        }
    }
}

/// How the lipids of a membrane find their places.
///
/// ```
/// use steric_world::build::{Placement, SceneFile};
///
/// let text = "[[membrane]]\nradius = 100.0\nplacement = \"tiles\"\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
/// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
/// assert_eq!(scene.membrane[0].placement, Placement::Tiles);
/// assert_eq!(Placement::default(), Placement::Relaxed);
/// # Ok::<(), steric_world::build::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Places are drawn from the surface, and lipids find their neighbours when they are relaxed.
    #[default]
    Relaxed,
    /// Tiles that are cut from an equilibrated patch are laid over the surface.
    Tiles,
}

/// `[[membrane]]`: a bilayer.
///
/// ```
/// use steric_world::build::MembraneTable;
///
/// let membrane = MembraneTable { radius: Some(150.0), ..MembraneTable::default() };
/// assert_eq!((membrane.leeway, membrane.tilt_degrees, membrane.discs), (3.0, 25.0, true));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MembraneTable {
    /// What regions call it.
    pub name: String,
    /// Its middle.
    pub shape: Shape,
    /// Radius of a sphere, in angstroms.
    pub radius: Option<f64>,
    /// Centre of a sphere or a rounded box, middle of a plane, in angstroms.
    pub center: Option<[f64; 3]>,
    /// Edges of a plane, in angstroms.
    pub size: Option<[f64; 2]>,
    /// Whether a plane repeats.
    pub periodic: bool,
    /// The file of a mesh.
    pub mesh: Option<String>,
    /// Half of the width of a rounded box, in angstroms.
    pub semi_axes: Option<[f64; 3]>,
    /// Radius of its edges, in angstroms.
    pub rounding: Option<f64>,
    /// Centre of the sphere at one end of a cone, in angstroms.
    pub start: Option<[f64; 3]>,
    /// Centre of the sphere at the other end.
    pub end: Option<[f64; 3]>,
    /// Radii of the two spheres, in angstroms.
    pub radii: Option<[f64; 2]>,
    /// How lipids find their places.
    pub placement: Placement,
    /// The file of an equilibrated bilayer, for tiles.
    pub patch: Option<String>,
    /// How places are chosen.
    pub sampling: Sampling,
    /// Whether places are spread as discs first.
    pub discs: bool,
    /// For lipids that name no area, in square angstroms.
    pub area_per_lipid: Option<f64>,
    /// Lipids in both leaflets.
    pub count: Option<u64>,
    /// How far a head may stand from its height, in angstroms.
    pub leeway: f64,
    /// How far a lipid may lean.
    pub tilt_degrees: f64,
    /// The mixture.
    pub lipid: Vec<LipidTable>,
    /// What else is in the membrane.
    pub protein: Vec<ProteinTable>,
}

impl Default for MembraneTable {
    fn default() -> Self {
        Self {
            name: String::new(),
            shape: Shape::Sphere,
            radius: None,
            center: None,
            size: None,
            periodic: true,
            mesh: None,
            placement: Placement::Relaxed,
            patch: None,
            semi_axes: None,
            rounding: None,
            start: None,
            end: None,
            radii: None,
            sampling: Sampling::Inversion,
            discs: true,
            area_per_lipid: None,
            count: None,
            leeway: 3.0,
            tilt_degrees: 25.0,
            lipid: Vec::new(),
            protein: Vec::new(),
        }
    }
}

/// The leaflets that a lipid goes to.
///
/// ```
/// use steric_world::build::LeafletChoice;
///
/// assert_eq!(LeafletChoice::default(), LeafletChoice::Both);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeafletChoice {
    /// Both.
    #[default]
    Both,
    /// The outer one, or the upper one of a plane.
    Outer,
    /// The inner one.
    Inner,
}

impl LeafletChoice {
    pub(in crate::build) fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Outer => "outer",
            Self::Inner => "inner",
        }
    }
}

/// `[[membrane.lipid]]`: one lipid of a mixture.
///
/// ```
/// use steric_world::build::LipidTable;
///
/// let popc = LipidTable { molecule: Some("POPC".into()), ..LipidTable::default() };
/// assert!(popc.upright && popc.conformers.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LipidTable {
    /// An embedded lipid.
    pub molecule: Option<String>,
    /// Or a file.
    pub file: Option<String>,
    /// Its share of the leaflet, one if left out.
    pub fraction: Option<f64>,
    /// How many in each of its leaflets.
    pub count: Option<u64>,
    /// Where it goes.
    pub leaflet: LeafletChoice,
    /// In square angstroms.
    pub area: Option<f64>,
    /// Atoms of the head; found if empty.
    pub head: Vec<String>,
    /// Ends of the tails; found if empty.
    pub tails: Vec<String>,
    /// Whether a lipid from a file is turned upright.
    pub upright: bool,
    /// Which conformers, counted from 1; all if empty.
    pub conformers: Vec<usize>,
    /// Rules for atoms, beside its place in the membrane.
    pub keep: Vec<KeepTable>,
}

impl Default for LipidTable {
    fn default() -> Self {
        Self {
            molecule: None,
            file: None,
            fraction: None,
            count: None,
            leaflet: LeafletChoice::Both,
            area: None,
            head: Vec::new(),
            tails: Vec::new(),
            upright: true,
            conformers: Vec::new(),
            keep: Vec::new(),
        }
    }
}

impl LipidTable {
    /// Its share of the lipids that are not counted one by one.
    pub(in crate::build) fn share(&self) -> f64 {
        if self.count.is_some() { 0.0 } else { self.fraction.unwrap_or(1.0) }
    }

    /// Whether it goes to a leaflet.
    pub(in crate::build) fn is_in(&self, leaflet: LeafletChoice) -> bool {
        self.leaflet == LeafletChoice::Both || self.leaflet == leaflet
    }
}

/// `[[membrane.protein]]`: what spans a membrane or sits in it.
///
/// ```
/// use steric_world::build::ProteinTable;
///
/// assert_eq!((ProteinTable::default().count, ProteinTable::default().axis.as_str()), (1, "z"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProteinTable {
    /// An embedded molecule.
    pub molecule: Option<String>,
    /// Or a file.
    pub file: Option<String>,
    /// What it is called.
    pub name: Option<String>,
    /// How many.
    pub count: u64,
    /// How many on a square micrometre, instead.
    pub per_um2: Option<f64>,
    /// One at each of these, in angstroms, instead.
    pub positions: Vec<[f64; 3]>,
    /// Which way its x axis is turned.
    pub facing: Option<[f64; 3]>,
    /// Of its centre above the middle, in angstroms.
    pub height: f64,
    /// Which of its axes stands along the normal: `x`, `-x`, ..., or `long`.
    pub axis: String,
    /// How far it may stand from its height, in angstroms; left out: that of the membrane.
    pub leeway: Option<f64>,
    /// How far it may lean; left out: that of the membrane.
    pub tilt_degrees: Option<f64>,
}

impl Default for ProteinTable {
    fn default() -> Self {
        Self {
            molecule: None,
            file: None,
            name: None,
            count: 1,
            per_um2: None,
            positions: Vec::new(),
            facing: None,
            height: 0.0,
            axis: "z".to_owned(),
            leeway: None,
            tilt_degrees: None,
        }
    }
}
