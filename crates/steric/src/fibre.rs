//! Fibres as models: DNA, RNA and actin, grown in a sphere.
//!
//! How it works: the fibre is grown, and every unit becomes a copy of one small template: where the backbones of a base pair stand, a nucleotide,
//! or a subunit. Copies stay copies in mmCIF and BinaryCIF.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};
use steric_model::{Assembly, AtomRecord, Copies, Element, Name, Pose, Structure, StructureBuilder};
use steric_world::fibre::scenes::{self, FibreScene};
use steric_world::fibre::{Fibre, FibreKind, FibreOptions, FibreProgress, FibreReport, Room};
use steric_world::shape::Region;

/// More units than this are no scene that anything shows.
const MOST_UNITS: usize = 200_000_000;
/// Where phosphates stand from the axis of a double helix, in angstroms.
const STRAND: f32 = 9.0;
/// How far about the axis they stand from each other, in degrees: the minor groove.
const GROOVE: f32 = 140.0;

/// What fibres are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strand {
    /// Double-stranded DNA; a unit is a base pair.
    Dna,
    /// Double-stranded RNA; a unit is a base pair.
    RnaHelix,
    /// Single-stranded RNA; a unit is a nucleotide.
    Rna,
    /// Actin; a unit is a subunit.
    Actin,
}

/// A fibre that is asked for: a ready one by its name, changed by what else is said, or `fibre` with a number of units.
///
/// ```
/// use steric::fibre::FibreOrder;
///
/// let order = FibreOrder { units: Some(500), radius: Some(200.0), ..FibreOrder::named("fibre") };
/// let (model, report) = order.grow(1, |_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!((model.assemblies[0].copies[0].poses.len(), report.units), (500, 500));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct FibreOrder {
    /// What it is called.
    pub name: String,
    /// What it is made of.
    pub strand: Option<Strand>,
    /// Base pairs, nucleotides or subunits.
    pub units: Option<usize>,
    /// Whether its ends are joined, as in a plasmid.
    pub is_closed: bool,
    /// Of the sphere that it stays in, in angstroms.
    pub radius: Option<f64>,
}

impl Strand {
    fn kind(self) -> FibreKind {
        match self {
            Self::Dna => FibreKind::DNA,
            Self::RnaHelix => FibreKind::RNA_HELIX,
            Self::Rna => FibreKind::RNA,
            Self::Actin => FibreKind::ACTIN,
        }
    }

    /// Name, residue and the places of its beads.
    fn template(self) -> (&'static str, &'static str, Vec<(&'static str, Element, Vec3)>) {
        let phosphorus = Element::new(15);
        let (sine, cosine) = GROOVE.to_radians().sin_cos();
        let strands = vec![
            ("P1", phosphorus, STRAND * Vec3::X),
            ("C", Element::CARBON, Vec3::ZERO),
            ("P2", phosphorus, STRAND * Vec3::new(cosine, sine, 0.0)),
        ];
        match self {
            Self::Dna => ("DNA", "BP", strands),
            Self::RnaHelix => ("RNA helix", "BP", strands),
            Self::Rna => ("RNA", "N", vec![("P", phosphorus, Vec3::ZERO)]),
            Self::Actin => ("actin", "ACT", vec![("C", Element::CARBON, 16.0 * Vec3::X)]),
        }
    }
}

/// Whether a fibre is called so.
pub fn is_fibre(name: &str) -> bool {
    name == "fibre" || scenes::all().iter().any(|scene| scene.name == name)
}

impl FibreOrder {
    /// A ready one as it is, or one of which nothing is known yet.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), strand: None, units: None, is_closed: false, radius: None }
    }

    /// Grows it: the model, and how it went. An order that makes no sense is told in a sentence.
    pub fn grow(
        &self,
        seed: u64,
        look: impl FnMut(&FibreProgress) -> ControlFlow<()>,
    ) -> Result<(Structure, FibreReport), String> {
        let (fibre, room) = self.fibre()?;
        let options = FibreOptions { seed, ..FibreOptions::default() };
        let grown = fibre.grow(&room, &options, look).map_err(|error| error.to_string())?;
        let structure = structure(&self.name, self.strand.unwrap_or(Strand::Dna), grown.placements(1));
        Ok((structure, grown.report().clone()))
    }

    fn fibre(&self) -> Result<(Fibre, Room), String> {
        let ready = scenes::all().into_iter().find(|scene| scene.name == self.name);
        let (mut fibre, mut room) = match (ready, self.units) {
            (Some(FibreScene { fibre, room, .. }), units) => {
                (Fibre { units: units.unwrap_or(fibre.units), ..fibre }, room)
            }
            (None, Some(units)) => (Fibre { kind: FibreKind::DNA, units, is_closed: false }, Room::default()),
            (None, None) => return Err("units: expected how many, found none".to_owned()),
        };
        fibre.is_closed |= self.is_closed;
        if fibre.units > MOST_UNITS {
            return Err(format!("units: expected at most {MOST_UNITS}, found {}", fibre.units));
        }
        if let Some(strand) = self.strand {
            fibre.kind = strand.kind();
        }
        if let Some(radius) = self.radius {
            if !(radius > 0.0 && radius.is_finite()) {
                return Err(format!("radius: expected angstroms above 0, found {radius}"));
            }
            room = Room::inside(Region::Sphere { center: DVec3::ZERO, radius });
        }
        Ok((fibre, room))
    }
}

/// One template and a pose for each unit.
fn structure(name: &str, strand: Strand, poses: Vec<Pose>) -> Structure {
    let (what, residue, beads) = strand.template();
    let mut builder = StructureBuilder::new(name, beads.len());
    for (serial, (bead, element, position)) in (1..).zip(beads) {
        builder.push(AtomRecord {
            position,
            element,
            name: Name::new(bead),
            serial,
            occupancy: 1.0,
            residue_name: Name::new(residue),
            residue_number: 1,
            hetero: true,
            chain: "A",
            ..AtomRecord::default()
        });
    }
    let mut structure = builder.finish();
    structure.chains.iter_mut().for_each(|chain| chain.description = what.into());
    structure.assemblies =
        vec![Assembly { id: "1".to_owned(), copies: vec![Copies { name: what.into(), chains: vec![0], poses }] }];
    structure
}
