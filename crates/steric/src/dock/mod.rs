//! A ligand at a receptor: from two files to contacts, clashes, energies, and a ligand in hand.

mod deed;
mod log;
mod ready;
mod report;
mod session;
mod telling;

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;
use steric_collide::{Obstacle, ProbeIndex};
use steric_model::chemistry::{BondGraph, RadiiSet, is_hydrogen, is_water};
use steric_model::{AtomRecord, Element, Name, Pose, Structure, StructureBuilder};
use steric_world::dock::energy::{Charged, Energy, EnergyGrid, Minimum, atom_types, minimise};
use steric_world::dock::{Body, FittingTask, Hand, Response, SideChain, Torsions};

pub use deed::{Deed, Seven, Which};
pub use log::{Log, LogError, LogLine, Played, ReadLog};
pub use ready::{Ready, ready, ready_names};
pub use report::{ContactReport, DockReport, PoseReport};
pub use session::{Outcome, Session, Standing, TRIAL_HEADING, Trial};

/// How a ligand is judged and moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DockOptions {
    /// How large atoms are.
    pub radii: RadiiSet,
    /// Overlaps up to this are forgiven, in angstroms.
    pub tolerance: f64,
    /// Whether hydrogens take part; they do in energies in any case.
    pub hydrogens: bool,
    /// Whether waters of the receptor take part.
    pub waters: bool,
    /// How the receptor's atoms are found.
    pub index: ProbeIndex,
    /// What happens when the ligand hits something.
    pub response: Response,
}

impl Default for DockOptions {
    fn default() -> Self {
        Self {
            radii: RadiiSet::Bondi,
            tolerance: 0.4,
            hydrogens: false,
            waters: false,
            index: ProbeIndex::Rows,
            response: Response::Slide,
        }
    }
}

/// Why nothing can be docked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DockError {
    /// One of the two has no atoms that take part.
    #[error("{name}: expected atoms that take part, found none; hydrogens and waters do only if that is said")]
    Empty {
        /// What was read.
        name: String,
    },
    /// The poses of a ligand do not have the same atoms.
    #[error("{name}: expected {expected} atoms in pose {pose} as in the first one, found {found}")]
    OtherAtoms {
        /// What was read.
        name: String,
        /// Which pose, from one.
        pose: usize,
        /// How many the first one has.
        expected: usize,
        /// How many this one has.
        found: usize,
    },
}

/// A receptor and a ligand.
///
/// ```
/// use steric::dock::{Dock, DockOptions};
/// use steric::model::formats::xyz::read_xyz;
///
/// let wall = read_xyz(b"2\nwall\nC 0 0 0\nC 0 3 0\n", "wall.xyz".as_ref())?.value;
/// let probe = read_xyz(b"1\nprobe\nO 2.4 0 0\n", "probe.xyz".as_ref())?.value;
/// let dock = Dock::new(("wall", &wall), ("probe", &probe), None, &DockOptions::default())?;
/// let report = dock.report();
/// assert_eq!((report.poses.len(), report.poses[0].clashes), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Dock {
    options: DockOptions,
    names: [String; 2],
    /// Which atoms of the receptor's file stand in the obstacle.
    receptor_atoms: Vec<u32>,
    receptor: Structure,
    /// Of every atom of the receptor's file.
    receptor_radii: Vec<f64>,
    obstacle: Arc<Obstacle>,
    charged: Charged,
    /// The places of `charged`, to be asked who is near.
    points: Obstacle,
    ligand: Structure,
    /// The atoms of each pose in the ligand's file.
    poses: Vec<std::ops::Range<u32>>,
    /// Atoms of a pose that take part, and all of them.
    parts: Vec<u32>,
    radii: Vec<f64>,
    torsions: Torsions,
    all_radii: Vec<f64>,
    ligand_charged: Charged,
    has_charges: bool,
    /// The fitting task, if that is what is docked.
    task: Option<Arc<FittingTask>>,
}

fn first_model(structure: &Structure) -> std::ops::Range<u32> {
    let filled = structure.models.iter().find(|model| !model.atoms.is_empty());
    filled.map_or(0..structure.atoms.len() as u32, |model| model.atoms.clone())
}

fn charged(structure: &Structure, bonds: &BondGraph, atoms: &[u32]) -> Charged {
    let types = atom_types(structure, bonds);
    let charge = |atom: u32| structure.atoms.partial_charges.get(atom as usize).copied().unwrap_or(0.0);
    Charged {
        places: atoms.iter().map(|&atom| structure.atoms.positions[atom as usize].as_dvec3()).collect(),
        types: atoms.iter().map(|&atom| types[atom as usize]).collect(),
        charges: atoms.iter().map(|&atom| f64::from(charge(atom))).collect(),
    }
}

impl Dock {
    /// Two structures, each with its name. Bonds of the ligand that turn are found, unless a PDBQT file states them.
    pub fn new(
        (receptor_name, receptor): (&str, &Structure),
        (ligand_name, ligand): (&str, &Structure),
        tree: Option<&[[i32; 2]]>,
        options: &DockOptions,
    ) -> Result<Self, DockError> {
        let is_there = |structure: &Structure, atom: u32| options.waters || !is_of_water(structure, atom);
        let takes_part = |structure: &Structure, atom: u32| {
            let is_heavy = !is_hydrogen(structure.atoms.elements[atom as usize]);
            (options.hydrogens || is_heavy) && is_there(structure, atom)
        };
        let receptor_bonds = BondGraph::new(receptor);
        let receptor_radii: Vec<f64> =
            options.radii.radii(receptor, &receptor_bonds).into_iter().map(f64::from).collect();
        let whole: Vec<u32> = first_model(receptor).filter(|&atom| is_there(receptor, atom)).collect();
        let receptor_atoms: Vec<u32> = whole.iter().copied().filter(|&atom| takes_part(receptor, atom)).collect();
        if receptor_atoms.is_empty() {
            return Err(DockError::Empty { name: receptor_name.to_owned() });
        }
        let centers: Vec<DVec3> =
            receptor_atoms.iter().map(|&atom| receptor.atoms.positions[atom as usize].as_dvec3()).collect();
        let radii: Vec<f64> = receptor_atoms.iter().map(|&atom| receptor_radii[atom as usize]).collect();
        let obstacle = Arc::new(Obstacle::new(&centers, &radii, options.index));
        let mut poses: Vec<_> =
            ligand.models.iter().map(|model| model.atoms.clone()).filter(|atoms| !atoms.is_empty()).collect();
        if poses.is_empty() {
            poses.push(0..ligand.atoms.len() as u32);
        }
        let first = poses[0].clone();
        for (number, pose) in poses.iter().enumerate() {
            if pose.len() != first.len() {
                let (expected, found) = (first.len(), pose.len());
                return Err(DockError::OtherAtoms { name: ligand_name.to_owned(), pose: number + 1, expected, found });
            }
        }
        let alone = ligand.alone(&first);
        let bonds = BondGraph::new(&alone);
        let parts: Vec<u32> = (0..first.len() as u32).filter(|&atom| takes_part(&alone, atom)).collect();
        if parts.is_empty() {
            return Err(DockError::Empty { name: ligand_name.to_owned() });
        }
        let all_radii: Vec<f64> = options.radii.radii(&alone, &bonds).into_iter().map(f64::from).collect();
        let torsions = match tree {
            Some(tree) => {
                let atom = |serial: i32| alone.atoms.serials.iter().position(|&own| own == serial);
                let pairs = tree.iter().filter_map(|&[a, b]| Some((atom(a)? as u32, atom(b)? as u32)));
                Torsions::of_bonds(&alone, &bonds, pairs)
            }
            None => Torsions::find(&alone, &bonds),
        };
        let everyone: Vec<u32> = (0..first.len() as u32).collect();
        let has_charges = !receptor.atoms.partial_charges.is_empty() && !ligand.atoms.partial_charges.is_empty();
        let charged_receptor = charged(receptor, &receptor_bonds, &whole);
        let points = Obstacle::new(&charged_receptor.places, &vec![0.0; whole.len()], ProbeIndex::Rows);
        Ok(Self {
            options: *options,
            names: [receptor_name.to_owned(), ligand_name.to_owned()],
            charged: charged_receptor,
            points,
            receptor_atoms,
            receptor: receptor.clone(),
            receptor_radii,
            obstacle,
            radii: parts.iter().map(|&atom| all_radii[atom as usize]).collect(),
            ligand_charged: charged(&alone, &bonds, &everyone),
            ligand: ligand.clone(),
            poses,
            parts,
            torsions,
            all_radii,
            has_charges,
            task: None,
        })
    }

    /// The fitting task of 1989 as something to dock: rings as the receptor, the E as the ligand.
    pub fn of_task(task: FittingTask, options: &DockOptions) -> Result<Self, DockError> {
        let options = DockOptions { tolerance: 0.0, ..*options };
        let (rings, e) = (balls("rings", task.ring_centers()), balls("E", task.e().centers()));
        let mut dock = Self::new(("fitting", &rings), ("E", &e), Some(&[]), &options)?;
        let radius = task.radius();
        dock.receptor_radii.fill(radius);
        dock.radii.fill(radius);
        dock.all_radii.fill(radius);
        let centers = task.ring_centers();
        dock.obstacle = Arc::new(Obstacle::new(centers, &vec![radius; centers.len()], options.index));
        dock.task = Some(Arc::new(task));
        Ok(dock)
    }

    /// How many atoms take part: the receptor's, and the ligand's.
    pub fn atoms(&self) -> [usize; 2] {
        [self.receptor_atoms.len(), self.parts.len()]
    }

    /// What the two are called.
    pub fn names(&self) -> [&str; 2] {
        [&self.names[0], &self.names[1]]
    }

    /// The options that it was made with.
    pub fn options(&self) -> &DockOptions {
        &self.options
    }

    /// The receptor's file.
    pub fn receptor(&self) -> &Structure {
        &self.receptor
    }

    /// A pose of the ligand, as its file has it.
    pub fn ligand(&self, pose: usize) -> Structure {
        self.ligand.alone(&self.poses[pose])
    }

    /// How large every atom is: of the receptor's file, and of a pose of the ligand.
    pub fn all_radii(&self) -> [&[f64]; 2] {
        [&self.receptor_radii, &self.all_radii]
    }

    /// Which atoms take part in collisions: of the receptor's file, and of a pose of the ligand.
    pub fn takes_part(&self) -> [&[u32]; 2] {
        [&self.receptor_atoms, &self.parts]
    }

    /// Whether both files state charges.
    pub fn has_charges(&self) -> bool {
        self.has_charges
    }

    /// An atom of the receptor or of a pose of the ligand, as its file calls it.
    pub fn label(&self, which: Which, pose: usize, atom: u32) -> String {
        match which {
            Which::Receptor => report::label(&self.receptor, atom),
            Which::Ligand => report::label(&self.ligand, self.poses[pose].start + atom),
        }
    }

    /// Residues with a side chain of which an atom is within a distance of some places, in the receptor's frame, by their numbers.
    pub fn side_chains_near(&self, places: &[DVec3], within: f64) -> Vec<u32> {
        let backbone = ["N", "CA", "C", "O", "OXT"];
        let is_near = |atom: u32| {
            let place = self.receptor_place(atom);
            places.iter().any(|other| other.distance_squared(place) < within * within)
        };
        let is_side = |atom: u32| !backbone.contains(&self.receptor.atoms.names[atom as usize].as_str());
        let near = self.receptor_atoms.iter().filter(|&&atom| is_side(atom) && is_near(atom));
        let mut residues: Vec<u32> = near.map(|&atom| self.receptor.atoms.residues[atom as usize]).collect();
        residues.sort_unstable();
        residues.dedup();
        let turns = |residue: &u32| {
            self.atoms_of_residue(*residue)
                .is_some_and(|atoms| SideChain::new(&self.receptor, atoms, &self.receptor_radii, |_| true).is_some())
        };
        residues.retain(turns);
        residues
    }

    /// A residue of the receptor by its chain and number, as `A:45` or `45`.
    pub fn residue(&self, name: &str) -> Option<u32> {
        let (chain, number) = name.rsplit_once(':').map_or((None, name), |(chain, number)| (Some(chain), number));
        let number: i32 = number.parse().ok()?;
        let is_it = |residue: &steric_model::Residue| {
            let own = self.receptor.chains.get(residue.chain as usize).map(|own| own.name.as_str());
            residue.number == number && chain.is_none_or(|chain| own == Some(chain))
        };
        self.receptor.residues.iter().position(is_it).map(|at| at as u32)
    }

    /// What a residue of the receptor is called.
    pub fn residue_name(&self, residue: u32) -> String {
        let Some(own) = self.receptor.residues.get(residue as usize) else { return String::new() };
        let chain = self.receptor.chains.get(own.chain as usize).map_or("", |chain| chain.name.as_str());
        format!("{chain} {} {}", own.name, own.number).trim().to_owned()
    }

    /// The atoms of a residue, if they stand in one piece.
    fn atoms_of_residue(&self, residue: u32) -> Option<Range<u32>> {
        let residues = &self.receptor.atoms.residues;
        let first = residues.iter().position(|&own| own == residue)?;
        let count = residues[first..].iter().take_while(|&&own| own == residue).count();
        let is_whole = !residues[first + count..].contains(&residue);
        is_whole.then_some(first as u32..(first + count) as u32)
    }

    fn receptor_place(&self, atom: u32) -> DVec3 {
        self.receptor.atoms.positions[atom as usize].as_dvec3()
    }

    fn receptor_middle(&self) -> DVec3 {
        let sum: DVec3 = self.receptor_atoms.iter().map(|&atom| self.receptor_place(atom)).sum();
        sum / self.receptor_atoms.len().max(1) as f64
    }

    /// The receptor as what is in the way.
    pub fn obstacle(&self) -> &Obstacle {
        &self.obstacle
    }

    /// Bonds of the ligand that turn.
    pub fn torsions(&self) -> &Torsions {
        &self.torsions
    }

    /// How many poses the ligand's file has.
    pub fn pose_count(&self) -> usize {
        self.poses.len()
    }

    /// Where the atoms of a pose are that take part.
    fn places(&self, pose: usize) -> Vec<DVec3> {
        let first = self.poses[pose].start;
        self.parts.iter().map(|&atom| self.ligand.atoms.positions[(first + atom) as usize].as_dvec3()).collect()
    }

    /// All atoms of a pose.
    fn all_places(&self, pose: usize) -> Vec<DVec3> {
        self.poses[pose].clone().map(|atom| self.ligand.atoms.positions[atom as usize].as_dvec3()).collect()
    }

    /// A pose of the ligand in hand. Its frame is that of the file, so the pose that changes nothing is where it is.
    pub fn hand(&self, pose: usize) -> Hand {
        let body = Body::new(self.places(pose), self.radii.clone());
        let mut hand = Hand::new(body, Pose::IDENTITY, self.options.response);
        hand.allow = self.options.tolerance;
        hand
    }

    /// A grid of the receptor's energy around all poses of the ligand, with so many angstroms beside them.
    pub fn energy_grid(&self, beside: f64, spacing: f64) -> EnergyGrid {
        let places: Vec<DVec3> = (0..self.poses.len()).flat_map(|pose| self.all_places(pose)).collect();
        let (low, high) =
            places.iter().fold((places[0], places[0]), |(low, high), place| (low.min(*place), high.max(*place)));
        EnergyGrid::new(&self.charged, &self.ligand_charged.types, [low - beside, high + beside], spacing)
    }

    /// What a pose that was moved and whose bonds were turned is worth, by a grid.
    pub fn grid_energy(&self, grid: &EnergyGrid, pose: usize, moved: &Pose, radians: &[f64]) -> Energy {
        let turned = self.torsions.turned(&self.all_places(pose), radians);
        let places: Vec<DVec3> = turned.iter().map(|&place| *moved * place).collect();
        grid.energy_of(&places, &grid.numbers(&self.ligand_charged.types), &self.ligand_charged.charges)
    }

    /// Goes downhill from a pose.
    pub fn minimised(&self, grid: &EnergyGrid, pose: usize, most: u32) -> Minimum {
        let body = Body::new(self.all_places(pose), self.all_radii.clone());
        let numbers = grid.numbers(&self.ligand_charged.types);
        minimise(grid, (&body, &self.torsions, &numbers, &self.ligand_charged.charges), Pose::IDENTITY, &[], most)
    }

    /// The ligand of a pose, moved and with its bonds turned, as a structure of its own.
    pub fn structure(&self, pose: usize, moved: &Pose, radians: &[f64]) -> Structure {
        let mut structure = self.ligand.alone(&self.poses[pose]);
        let turned = self.torsions.turned(&self.all_places(pose), radians);
        for (place, now) in structure.atoms.positions.iter_mut().zip(turned) {
            *place = (*moved * now).as_vec3();
        }
        structure
    }
}

/// Balls as a structure, so that they can be docked and drawn.
fn balls(name: &str, centers: &[DVec3]) -> Structure {
    let mut builder = StructureBuilder::new(name, centers.len());
    for (serial, center) in (1i32..).zip(centers) {
        builder.push(AtomRecord {
            position: center.as_vec3(),
            element: Element::CARBON,
            name: Name::new("C"),
            serial,
            residue_name: Name::new(name.get(..3).unwrap_or(name)),
            residue_number: 1,
            ..AtomRecord::default()
        });
    }
    builder.finish()
}

fn is_of_water(structure: &Structure, atom: u32) -> bool {
    let residue = structure.atoms.residues[atom as usize] as usize;
    structure.residues.get(residue).is_some_and(|residue| is_water(residue.name))
}
