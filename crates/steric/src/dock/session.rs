//! A ligand in hand, from the first motion to the last.
//!
//! How it works: everything that happens is a [`Deed`], and a session does them one after the other. The same deeds lead to the same bits, so a log of deeds is a
//! session that can be played again. Collisions are looked for in the receptor's frame, where nothing but the ligand moves; if the hand moves
//! the receptor, the ligand moves the other way there.

use std::sync::Arc;

use glam::DVec3;
use steric_collide::Obstacle;
use steric_model::Pose;
use steric_world::dock::energy::{EnergyGrid, minimise};
use steric_world::dock::{Bent, Body, Contact, FittingTask, Hand, Response, SideChain, push_with, turn_to_touch};

use super::{Deed, Dock, Which};

/// Where everything is.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Which pose of the ligand's file is in hand, from 0.
    pub pose: usize,
    /// Where the receptor is.
    pub world_from_receptor: Pose,
    /// Where the ligand is, seen from the receptor.
    pub receptor_from_ligand: Pose,
    /// How far each bond of the ligand is turned, in radians.
    pub radians: Vec<f64>,
    /// How far the bonds of side chains are turned, one list for each that gives way.
    pub side_chains: Vec<Vec<f64>>,
}

/// What came of a deed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What touches or overlaps, in the receptor's frame, the deepest first.
    pub contacts: Vec<Contact>,
    /// Whether the hand got what it wanted.
    pub is_there: bool,
    /// Whether the fitting task is solved.
    pub is_solved: bool,
}

/// How someone fares with the fitting task.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trial {
    /// Motions so far.
    pub motions: u32,
    /// Motions that hit something.
    pub hits: u32,
    /// How often it was said to be done and was not.
    pub errors: u32,
    /// When it was solved, in seconds since the beginning.
    pub solved: Option<f64>,
}

/// The columns of a table of trials.
pub const TRIAL_HEADING: &str = "who,response,is_solved,seconds,motions,hits,errors\n";

impl Trial {
    /// A row of a table of trials: who tried, with which response, so many seconds after the beginning.
    pub fn row(&self, who: &str, response: &str, at: f64) -> String {
        let Self { motions, hits, errors, solved } = self;
        let who: String = who.chars().filter(|letter| !matches!(letter, ',' | '"' | '\n' | '\r')).collect();
        format!("{who},{response},{},{:.3},{motions},{hits},{errors}\n", solved.is_some(), solved.unwrap_or(at))
    }
}

/// A ligand in hand.
///
/// ```
/// use std::sync::Arc;
/// use steric::dock::{Deed, Dock, DockOptions, Session};
/// use steric::model::{Pose, formats::xyz::read_xyz};
///
/// let wall = read_xyz(b"1\nwall\nC 0 0 0\n", "wall.xyz".as_ref())?.value;
/// let probe = read_xyz(b"1\nprobe\nO 9 0 0\n", "probe.xyz".as_ref())?.value;
/// let dock = Dock::new(("wall", &wall), ("probe", &probe), None, &DockOptions::default())?;
/// let mut session = Session::new(Arc::new(dock));
/// let through = Pose::from_translation(glam::DVec3::X * -9.0);
/// let outcome = session.act(&Deed::Go(through.into()), 0.0);
/// assert_eq!(outcome.contacts.len(), 1);
/// assert!(!outcome.is_there, "it stands before the wall");
/// session.act(&Deed::Undo(()), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    pub(super) dock: Arc<Dock>,
    pub(super) hand: Hand,
    pub(super) standing: Standing,
    /// The receptor as it is now, and without the atoms of side chains that move.
    pub(super) obstacle: Arc<Obstacle>,
    pub(super) still: Arc<Obstacle>,
    pub(super) flexible: Vec<u32>,
    pub(super) chains: Vec<SideChain>,
    pub(super) which: Which,
    pub(super) grown: f64,
    pub(super) collides: bool,
    /// Energies: how far they reach beyond the poses, at which spacing, and themselves.
    pub(super) grid: Option<([f64; 2], Arc<EnergyGrid>)>,
    pub(super) before: Vec<Standing>,
    pub(super) after: Vec<Standing>,
    pub(super) task: Option<Arc<FittingTask>>,
    pub(super) trial: Trial,
}

/// Radii grow and shrink within this.
const GROWN: std::ops::RangeInclusive<f64> = 0.1..=3.0;
/// So many marks are remembered.
const MOST_MARKS: usize = 10_000;
/// Rounds of a push in which side chains give way.
const PUSHES: u32 = 40;
/// Steps downhill in one deed, at most; those of a short way, and how many of these.
const MOST_STEPS: u32 = 100_000;
const SHORT: u32 = 2;
const MOST_FALLS: u32 = 100;
/// A way down that leads no deeper than this leads nowhere, in kilocalories per mole.
const LEAST: f64 = 1e-4;

impl Session {
    /// The first pose in hand, where it is in its file.
    pub fn new(dock: Arc<Dock>) -> Self {
        let hand = dock.hand(0);
        let standing = Standing {
            pose: 0,
            world_from_receptor: Pose::IDENTITY,
            receptor_from_ligand: Pose::IDENTITY,
            radians: vec![0.0; dock.torsions.all().len()],
            side_chains: Vec::new(),
        };
        let obstacle = Arc::clone(&dock.obstacle);
        Self {
            hand,
            standing,
            still: Arc::clone(&obstacle),
            obstacle,
            flexible: Vec::new(),
            chains: Vec::new(),
            which: Which::default(),
            grown: 1.0,
            collides: true,
            grid: None,
            before: Vec::new(),
            after: Vec::new(),
            task: dock.task.clone(),
            trial: Trial::default(),
            dock,
        }
    }

    /// Does something, so many seconds after the beginning.
    pub fn act(&mut self, deed: &Deed, at: f64) -> Outcome {
        let mut is_there = true;
        match deed {
            Deed::Go(to) => is_there = self.go((*to).into()),
            Deed::Put(to) => self.put((*to).into()),
            Deed::Turn(radians) => is_there = self.turn(radians),
            Deed::Respond(response) => self.hand.response = *response,
            Deed::Collide(collides) => self.collides = *collides,
            Deed::Move(which) => self.which = *which,
            Deed::Grow(times) => self.grow(*times),
            Deed::Forgive(tolerance) if tolerance.is_finite() => self.hand.allow = *tolerance,
            Deed::Bounce([elasticity, friction]) => {
                (self.hand.elasticity, self.hand.friction) = (elasticity.clamp(0.0, 1.0), friction.clamp(0.0, 10.0));
            }
            Deed::Flex(residues) => self.flex(residues),
            Deed::Energies(size) => self.work_out(*size),
            Deed::Downhill(steps) => is_there = self.downhill(*steps),
            Deed::Take(pose) => self.take(*pose),
            Deed::Mark(()) => self.mark(),
            Deed::Undo(()) => is_there = self.undo(),
            Deed::Redo(()) => is_there = self.redo(),
            Deed::Claim(()) => self.trial.errors += u32::from(!self.is_solved()),
            Deed::Forgive(_) | Deed::Look(_) | Deed::Press(_) => {}
        }
        let contacts = if self.collides { self.contacts() } else { Vec::new() };
        if deed.is_motion() {
            self.trial.motions += 1;
            self.trial.hits += u32::from(!contacts.is_empty());
        }
        // Who sees no collisions has to say that it is done.
        if self.trial.solved.is_none() && (self.collides || *deed == Deed::Claim(())) && self.is_solved() {
            self.trial.solved = Some(at);
        }
        Outcome { contacts, is_there, is_solved: self.trial.solved.is_some() }
    }

    /// Where the ligand should be, seen from the receptor, if the molecule in hand is somewhere in the world.
    fn wanted(&self, to: Pose) -> Pose {
        match self.which {
            Which::Ligand => self.standing.world_from_receptor.inverse() * to,
            Which::Receptor => to.inverse() * self.world_from_ligand(),
        }
    }

    /// Takes over where the ligand has come to, seen from the receptor; what is not in hand stays where it is in the world.
    fn came_to(&mut self, receptor_from_ligand: Pose) {
        if self.which == Which::Receptor {
            self.standing.world_from_receptor = self.world_from_ligand() * receptor_from_ligand.inverse();
        }
        self.standing.receptor_from_ligand = receptor_from_ligand;
        // What is put somewhere rests; what bounces goes on.
        if self.hand.pose() != receptor_from_ligand {
            self.hand.put(receptor_from_ligand);
        }
    }

    fn go(&mut self, to: Pose) -> bool {
        if !to.translation.is_finite() || !to.rotation.is_finite() || to.rotation.length() < 1e-6 {
            return false;
        }
        let to = Pose { rotation: to.rotation.normalize(), ..to };
        let wanted = self.wanted(to);
        let (came, is_there) = self.moved_to(wanted);
        self.came_to(came);
        is_there
    }

    /// Where the ligand comes to on its way to a pose seen from the receptor, and whether it comes there.
    fn moved_to(&mut self, wanted: Pose) -> (Pose, bool) {
        if !self.collides {
            return (wanted, true);
        }
        if self.hand.response == Response::Push && !self.chains.is_empty() {
            let pose = push_with(&self.still, &mut self.chains, &self.hand.body, wanted, self.hand.allow, PUSHES);
            self.take_over_chains();
            return (pose, pose == wanted);
        }
        let step = self.hand.go(&*self.obstacle, wanted);
        (step.pose, step.is_there)
    }

    fn put(&mut self, to: Pose) {
        if to.translation.is_finite() && to.rotation.is_finite() && to.rotation.length() > 1e-6 {
            let to = Pose { rotation: to.rotation.normalize(), ..to };
            let pose = self.wanted(to);
            self.hand.put(pose);
            self.came_to(pose);
        }
    }

    fn turn(&mut self, radians: &[f64]) -> bool {
        let count = self.standing.radians.len();
        let wanted: Vec<f64> = radians.iter().copied().filter(|angle| angle.is_finite()).take(count).collect();
        if wanted.len() != count {
            return false;
        }
        let is_free = !self.collides || matches!(self.hand.response, Response::Detect | Response::Push);
        if is_free {
            self.bend(&wanted);
            if self.collides && self.hand.response == Response::Push {
                let (came, _) = self.moved_to(self.standing.receptor_from_ligand);
                self.came_to(came);
            }
            return true;
        }
        let mut is_there = true;
        for (bond, &angle) in wanted.iter().enumerate() {
            let more = angle - self.standing.radians[bond];
            if more == 0.0 {
                continue;
            }
            let places = self.receptor_places_of_ligand();
            let radii = self.ligand_radii();
            let dock = &self.dock;
            let bent = Bent { torsions: &dock.torsions, places: &places, radii: &radii, parts: &dock.parts };
            let came = turn_to_touch(&self.obstacle, &bent, bond, more, self.hand.allow);
            let mut radians = self.standing.radians.clone();
            radians[bond] += came;
            is_there &= came == more;
            self.bend(&radians);
        }
        is_there
    }

    /// Turns the ligand's bonds, whatever is there.
    fn bend(&mut self, radians: &[f64]) {
        self.standing.radians = radians.to_vec();
        let turned = self.dock.torsions.turned(&self.dock.all_places(self.standing.pose), radians);
        self.hand.body.set_centers(self.dock.parts.iter().map(|&atom| turned[atom as usize]).collect());
    }

    fn grow(&mut self, times: f64) {
        if !times.is_finite() {
            return;
        }
        self.grown = times.clamp(*GROWN.start(), *GROWN.end());
        self.hand.body.set_radii(self.dock.radii.iter().map(|radius| radius * self.grown).collect());
        let angles = self.standing.side_chains.clone();
        self.choose_chains();
        self.turn_chains(&angles);
    }

    fn flex(&mut self, residues: &[u32]) {
        self.flexible = residues.to_vec();
        self.choose_chains();
        self.take_over_chains();
    }

    /// Finds the side chains that give way, as they are in the file, and what is left of the receptor.
    fn choose_chains(&mut self) {
        let radii: Vec<f64> = self.dock.receptor_radii.iter().map(|radius| radius * self.grown).collect();
        let takes_part = |atom: u32| self.dock.receptor_atoms.binary_search(&atom).is_ok();
        let chain = |&residue: &u32| {
            SideChain::new(&self.dock.receptor, self.dock.atoms_of_residue(residue)?, &radii, takes_part)
        };
        self.chains = self.flexible.iter().filter_map(chain).collect();
        self.still = self.receptor_without(
            &self.chains.iter().flat_map(SideChain::moving).map(|(atom, ..)| atom).collect::<Vec<_>>(),
        );
        self.obstacle = self.receptor_as_it_is();
    }

    /// The receptor as an obstacle, without some atoms, in order.
    fn receptor_without(&self, left_out: &[u32]) -> Arc<Obstacle> {
        if left_out.is_empty() && self.grown == 1.0 {
            return Arc::clone(&self.dock.obstacle);
        }
        let kept = self.dock.receptor_atoms.iter().filter(|atom| !left_out.contains(atom));
        let sphere =
            |&atom: &u32| (self.dock.receptor_place(atom), self.dock.receptor_radii[atom as usize] * self.grown);
        let (centers, radii): (Vec<DVec3>, Vec<f64>) = kept.map(sphere).unzip();
        Arc::new(Obstacle::new(&centers, &radii, self.dock.options.index))
    }

    /// The receptor as an obstacle, with side chains where they are.
    fn receptor_as_it_is(&self) -> Arc<Obstacle> {
        if self.chains.is_empty() {
            return Arc::clone(&self.still);
        }
        let moved: std::collections::BTreeMap<u32, DVec3> = self.chains.iter().flat_map(SideChain::placed).collect();
        let center = |&atom: &u32| moved.get(&atom).copied().unwrap_or_else(|| self.dock.receptor_place(atom));
        let centers: Vec<DVec3> = self.dock.receptor_atoms.iter().map(center).collect();
        let radius = |&atom: &u32| self.dock.receptor_radii[atom as usize] * self.grown;
        let radii: Vec<f64> = self.dock.receptor_atoms.iter().map(radius).collect();
        Arc::new(Obstacle::new(&centers, &radii, self.dock.options.index))
    }

    /// Side chains have turned.
    fn take_over_chains(&mut self) {
        self.standing.side_chains = self.chains.iter().map(|chain| chain.radians().to_vec()).collect();
        self.obstacle = self.receptor_as_it_is();
    }

    fn turn_chains(&mut self, angles: &[Vec<f64>]) {
        self.chains.iter_mut().zip(angles).for_each(|(chain, angles)| chain.turn(angles));
        self.take_over_chains();
    }

    fn work_out(&mut self, size: [f64; 2]) {
        let [beside, spacing] = size.map(|length| if length.is_finite() { length.clamp(0.05, 40.0) } else { 1.0 });
        if self.grid.as_ref().is_none_or(|(known, _)| *known != size) {
            self.grid = Some((size, Arc::new(self.dock.energy_grid(beside, spacing))));
        }
    }

    /// Goes downhill, as far as nothing is in the way: all the way if that is free, else in short steps for as long as each of them helps.
    fn downhill(&mut self, steps: u32) -> bool {
        let steps = steps.min(MOST_STEPS);
        if self.grid.is_none() || self.fall(steps) {
            return self.grid.is_some();
        }
        for _ in 0..steps.div_ceil(SHORT).min(MOST_FALLS) {
            if !self.fall(SHORT) {
                return false;
            }
        }
        true
    }

    /// So many steps downhill at once; everything stays where it is if it would end no lower.
    fn fall(&mut self, steps: u32) -> bool {
        let (Some((_, grid)), Some((before, ..))) = (self.grid.clone(), self.force()) else { return false };
        if !is_within(&grid, &self.receptor_places_of_ligand()) {
            return false;
        }
        let dock = Arc::clone(&self.dock);
        let body = Body::new(dock.all_places(self.standing.pose), dock.all_radii.clone());
        let numbers = grid.numbers(&dock.ligand_charged.types);
        let ligand = (&body, &dock.torsions, &numbers[..], &dock.ligand_charged.charges[..]);
        let start = self.standing.clone();
        let minimum = minimise(&grid, ligand, start.receptor_from_ligand, &start.radians, steps);
        self.turn(&minimum.radians);
        let (came, _) = self.moved_to(minimum.pose);
        self.came_to(came);
        let is_lower = self.force().is_some_and(|(after, ..)| after.total() < before.total() - LEAST);
        if !is_lower {
            self.stand(start);
        }
        is_lower
    }

    fn take(&mut self, pose: usize) {
        if pose < self.dock.pose_count() {
            self.standing.pose = pose;
            self.hand.put(Pose::IDENTITY);
            self.came_to(Pose::IDENTITY);
            self.bend(&vec![0.0; self.standing.radians.len()]);
        }
    }

    fn mark(&mut self) {
        if self.before.last() != Some(&self.standing) {
            self.before.push(self.standing.clone());
            let too_many = self.before.len().saturating_sub(MOST_MARKS);
            self.before.drain(..too_many);
        }
        self.after.clear();
    }

    fn undo(&mut self) -> bool {
        // A mark that nothing followed is where it stands already.
        while self.before.last() == Some(&self.standing) {
            self.before.pop();
        }
        let Some(before) = self.before.pop() else { return false };
        self.after.push(self.standing.clone());
        self.stand(before);
        true
    }

    fn redo(&mut self) -> bool {
        let Some(after) = self.after.pop() else { return false };
        self.before.push(self.standing.clone());
        self.stand(after);
        true
    }

    /// Everything goes where it was.
    fn stand(&mut self, standing: Standing) {
        let (radians, angles) = (standing.radians.clone(), standing.side_chains.clone());
        self.standing = standing;
        self.hand.put(self.standing.receptor_from_ligand);
        self.bend(&radians);
        // Side chains that did not give way then are as in the file.
        let fits = angles.len() == self.chains.len();
        let of_file = |chain: &SideChain| vec![0.0; chain.radians().len()];
        let angles = if fits { angles } else { self.chains.iter().map(of_file).collect() };
        self.turn_chains(&angles);
    }

    /// Takes over energies that someone has worked out as [`Deed::Energies`] would.
    pub fn set_energies(&mut self, size: [f64; 2], grid: Arc<EnergyGrid>) {
        self.grid = Some((size, grid));
    }

    /// Whether energies are worked out.
    pub fn has_energies(&self) -> bool {
        self.grid.is_some()
    }
}

/// Whether energies were worked out for all of some places.
pub(super) fn is_within(grid: &EnergyGrid, places: &[DVec3]) -> bool {
    let [low, high] = grid.corners();
    places.iter().all(|place| place.cmpge(low).all() && place.cmple(high).all())
}
