//! `steric build plasmid`, `syn3a-chromosome`, `million-base-pairs` and `fibre`: DNA, RNA and actin in a sphere.
//!
//! How it works: the fibre is grown, and every unit becomes a copy of one small template: where the backbones of a base pair stand, a nucleotide, or a subunit. Copies stay copies in mmCIF and BinaryCIF.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use glam::{DVec3, Vec3};
use steric::model::{Assembly, AtomRecord, Copies, Element, Name, Pose, Structure, StructureBuilder};
use steric::world::fibre::scenes::{self, FibreScene};
use steric::world::fibre::{Fibre, FibreKind, FibreOptions, FibreReport, Room};
use steric::world::shape::Region;

use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict};
use crate::relax;
use crate::table::{counted, thousands};

/// More units than this are no scene that anything shows.
const MOST_UNITS: usize = 200_000_000;
/// Where phosphates stand from the axis of a double helix, in angstroms.
const STRAND: f32 = 9.0;
/// How far about the axis they stand from each other, in degrees: the minor groove.
const GROOVE: f32 = 140.0;

/// What a fibre is, where it is not that of a ready scene.
#[derive(Debug, Args)]
pub(crate) struct FibreArguments {
    /// What it is made of
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Fibres")]
    kind: Option<Kind>,
    /// Base pairs, nucleotides or subunits; --radius is that of the sphere that they stay in
    #[arg(long, value_name = "N", help_heading = "Fibres")]
    units: Option<usize>,
    /// Its ends are joined, as in a plasmid
    #[arg(long, help_heading = "Fibres")]
    closed: bool,
}

/// What fibres are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Double-stranded DNA; a unit is a base pair
    Dna,
    /// Double-stranded RNA; a unit is a base pair
    RnaHelix,
    /// Single-stranded RNA; a unit is a nucleotide
    Rna,
    /// Actin; a unit is a subunit
    Actin,
}

impl Kind {
    fn fibre(self) -> FibreKind {
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

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether a fibre is called so.
pub(crate) fn is_fibre(name: &Path) -> bool {
    name.to_str().is_some_and(|name| name == "fibre" || scenes::all().iter().any(|scene| scene.name == name))
}

/// Grows a fibre, in a sphere of another radius than that of the scene if one is given.
pub(crate) fn run(
    name: &Path,
    arguments: &FibreArguments,
    radius: Option<f64>,
    shared: &Shared,
) -> Result<Verdict, Failure> {
    shared.without_gpu("build")?;
    let name = name.display();
    let Some(target) = &shared.output else {
        return Err(Failure::usage(format!(
            "build {name}: expected -o FILE.cif, .bcif, .pdb, .gro or .xyz, found none"
        )));
    };
    output::check_outputs(&[], [Some(target.as_path())])?;
    let model = relax::Target::new(target)?;
    let (fibre, room) = asked(&name.to_string(), arguments, radius)?;
    let kind = arguments.kind.unwrap_or(Kind::Dna);
    // Only the first of several runs in one process can listen; a test harness has none.
    let _listening = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let bar = output::spinner(shared, format!("growing {name}"));
    let options = FibreOptions { seed: shared.seed(), ..FibreOptions::default() };
    let grown = fibre.grow(&room, &options, |progress| {
        bar.set_message(format!(
            "level {} of {}, iteration {}",
            progress.level + 1,
            progress.levels,
            progress.iteration
        ));
        if INTERRUPTED.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    let grown = grown.map_err(|error| Failure::usage(format!("build {name}: {error}")))?;
    let structure = structure(&name.to_string(), kind, grown.placements(1));
    print(grown.report(), shared)?;
    let atoms = relax::structure_to(&structure, &model)?;
    output::note(shared, &format!("wrote {} with {}", target.display(), counted(atoms, "atom")));
    Ok(Verdict::Clean)
}

/// The ready scene, with what the command line says otherwise.
fn asked(name: &str, arguments: &FibreArguments, radius: Option<f64>) -> Result<(Fibre, Room), Failure> {
    let wrong = |text: String| Err(Failure::usage(format!("build {name}: {text}")));
    let ready = scenes::all().into_iter().find(|scene| scene.name == name);
    let (mut fibre, mut room) = match (ready, arguments.units) {
        (Some(FibreScene { fibre, room, .. }), units) => (Fibre { units: units.unwrap_or(fibre.units), ..fibre }, room),
        (None, Some(units)) => (Fibre { kind: FibreKind::DNA, units, is_closed: false }, Room::default()),
        (None, None) => return wrong("expected --units N, found none".to_owned()),
    };
    fibre.is_closed |= arguments.closed;
    if fibre.units > MOST_UNITS {
        return wrong(format!("--units: expected at most {MOST_UNITS}, found {}", fibre.units));
    }
    if let Some(kind) = arguments.kind {
        fibre.kind = kind.fibre();
    }
    if let Some(radius) = radius {
        if !(radius > 0.0 && radius.is_finite()) {
            return wrong(format!("--radius: expected angstroms above 0, found {radius}"));
        }
        room = Room::inside(Region::Sphere { center: DVec3::ZERO, radius });
    }
    Ok((fibre, room))
}

/// One template and a pose for each unit.
fn structure(name: &str, kind: Kind, poses: Vec<Pose>) -> Structure {
    let (what, residue, beads) = kind.template();
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

fn print(report: &FibreReport, shared: &Shared) -> Result<(), Failure> {
    if shared.json {
        return output::print(&(serde_json::to_string_pretty(report)? + "\n"));
    }
    if shared.quiet { Ok(()) } else { output::print(&text(report)) }
}

fn text(report: &FibreReport) -> String {
    let wall = report.nearest_wall.map_or_else(String::new, |wall| format!(", {wall:.1} Å to the wall"));
    format!(
        "{} units, {:.3} µm; {:.2} a turn, {:.1} % full, {}, {:.2} s\n\
         stretches come as near as {:.2} Å, axis to axis{wall}; segments are off by {:.2} % at most\n",
        thousands(report.units as u64),
        1e-4 * report.length,
        report.units_per_turn,
        100.0 * report.filled,
        counted(u64::from(report.iterations), "iteration"),
        report.seconds,
        report.nearest,
        100.0 * report.worst_stretch,
    )
}
