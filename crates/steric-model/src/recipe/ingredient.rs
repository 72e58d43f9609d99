//! Ingredients: a kind of molecule, how many there are of it, and the rules of where they go.

use std::fmt;

use glam::{DQuat, DVec3};
use smol_str::SmolStr;

use super::CompartmentId;
use crate::{Pose, Sphere};

/// A kind of molecule in a recipe.
///
/// ```
/// use steric_model::recipe::Ingredient;
///
/// let albumin = Ingredient { name: "albumin".into(), molarity: 6.4e-4, ..Ingredient::default() };
/// // A cube of a tenth of a micrometre.
/// assert_eq!(albumin.copies(1e9), 385);
/// assert_eq!(Ingredient { count: 7, ..albumin }.copies(1e9), 7);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ingredient {
    /// What it is called.
    pub name: SmolStr,
    /// What its author says about it; may be empty.
    pub description: String,
    /// The compartment that it belongs to; none for the space around all of them.
    pub compartment: Option<CompartmentId>,
    /// Inside or on the surface.
    pub site: Site,
    /// How many copies; 0 where the molarity decides.
    pub count: u64,
    /// Moles per litre; on a surface, of a layer that is one angstrom thick.
    pub molarity: f64,
    /// The spheres that stand for a copy, from coarse to fine, in the ingredient's own frame.
    pub levels: Vec<Vec<Sphere>>,
    /// The file that holds its spheres, where the recipe has none.
    pub sphere_file: Option<String>,
    /// A sphere of this radius around the origin holds a copy, in angstroms.
    pub bounding_radius: Option<f64>,
    /// Where its atoms come from.
    pub structure: Option<StructureSource>,
    /// This direction of its own frame points along the outward normal of a surface.
    pub axis: Option<DVec3>,
    /// By how much spheres and atoms are shifted before they are turned, in angstroms.
    pub offset: DVec3,
    /// Whether it is a fibre that grows through the model instead of a body.
    pub is_fibre: bool,
    /// In daltons; 0 where the recipe does not say.
    pub molecular_weight: f64,
    /// The order of packing: the least first, those without any by size.
    pub priority: f64,
    /// Where it would rather be.
    pub mode: PackingMode,
    /// The gradients that it follows, by name.
    pub gradients: Vec<SmolStr>,
    /// Those that it stands beside.
    pub partners: Vec<Partner>,
    /// Those that it keeps away from.
    pub excluded: Vec<SmolStr>,
    /// How often a place is looked for; none where the recipe does not say.
    pub tries: Option<u32>,
    /// Red, green and blue, from 0 to 1.
    pub color: Option<[f32; 3]>,
    /// Where copies stand already, in a file of what was packed: `world_from_ingredient`.
    pub placed: Vec<Pose>,
}

impl Ingredient {
    /// How many molecules one mole per litre is in a cubic angstrom.
    pub const PER_MOLAR: f64 = 6.022_140_76e-4;

    /// How many copies a volume in cubic angstroms (an area in square angstroms, on a surface) is to hold. A count that is given wins, as in
    /// the packed models that the recipes of the field belong to; otherwise it is molarity times volume, rounded to the
    /// nearest whole number, a half upward.
    pub fn copies(&self, room: f64) -> u64 {
        if self.count > 0 {
            return self.count;
        }
        let copies = (self.molarity * Self::PER_MOLAR * room + 0.5).floor();
        // A cast from a float stops at the limits, and turns what is no number into 0.
        copies as u64
    }
}

/// Which part of its compartment an ingredient belongs to.
///
/// ```
/// use steric_model::recipe::Site;
///
/// assert_eq!(Site::OuterLeaflet.to_string(), "outer leaflet");
/// assert!(Site::Surface.is_on_surface() && !Site::Interior.is_on_surface());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Site {
    /// Inside, and outside of every compartment within.
    #[default]
    Interior,
    /// Across its surface, the axis along the outward normal.
    Surface,
    /// In the outer layer of its membrane, the axis outward.
    OuterLeaflet,
    /// In the inner layer of its membrane, the axis inward.
    InnerLeaflet,
}

impl Site {
    /// Whether a surface holds it.
    pub fn is_on_surface(self) -> bool {
        self != Self::Interior
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Interior => "interior",
            Self::Surface => "surface",
            Self::OuterLeaflet => "outer leaflet",
            Self::InnerLeaflet => "inner leaflet",
        })
    }
}

/// Where the atoms of an ingredient come from.
///
/// ```
/// use steric_model::recipe::StructureSource;
///
/// let integrase = StructureSource { name: "1ex4".to_owned(), unit: Some("1".to_owned()), ..StructureSource::default() };
/// assert!(integrase.is_centred);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StructureSource {
    /// A file or an entry of the PDB.
    pub name: String,
    /// Its biological unit; none for what the file holds.
    pub unit: Option<String>,
    /// The part of it that is meant, as the recipe says it; may be empty.
    pub selection: String,
    /// Whether its middle is first moved to the origin.
    pub is_centred: bool,
    /// How it is turned then.
    pub rotation: DQuat,
    /// By how much it is shifted then, in angstroms.
    pub translation: DVec3,
}

impl Default for StructureSource {
    fn default() -> Self {
        Self {
            name: String::new(),
            unit: None,
            selection: String::new(),
            is_centred: true,
            rotation: DQuat::IDENTITY,
            translation: DVec3::ZERO,
        }
    }
}

/// How places are chosen.
///
/// ```
/// use steric_model::recipe::PackingMode;
///
/// assert_eq!(PackingMode::default(), PackingMode::Random);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PackingMode {
    /// Anywhere alike.
    #[default]
    Random,
    /// Beside what is packed already.
    Close,
    /// Beside a partner.
    Partner,
    /// By gradients.
    Gradient,
}

/// Another ingredient that one stands beside.
///
/// ```
/// use steric_model::recipe::Partner;
///
/// let receptor = Partner { name: "receptor".into(), probability: 0.5, position: None };
/// assert!(receptor.probability <= 1.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Partner {
    /// What it is called.
    pub name: SmolStr,
    /// How likely a copy stands beside it, from 0 to 1.
    pub probability: f64,
    /// Where the copy's origin stands in the partner's frame, in angstroms; none for any side.
    pub position: Option<DVec3>,
}
