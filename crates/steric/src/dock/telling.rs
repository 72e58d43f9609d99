//! What there is to know about a session: where everything is, what touches, what it is worth.

use std::sync::Arc;

use glam::DVec3;
use steric_model::{Pose, Structure};
use steric_world::dock::energy::Energy;
use steric_world::dock::{Body, Contact, Response, SideChain, contacts};

use super::session::is_within;
use super::{Dock, PoseReport, Session, Standing, Trial, Which};

/// Surfaces nearer than this touch, in angstroms.
const TOUCHING: f64 = 4e-4;

impl Session {
    /// What is docked.
    pub fn dock(&self) -> &Arc<Dock> {
        &self.dock
    }

    /// Where everything is.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// What happens at a hit.
    pub fn response(&self) -> Response {
        self.hand.response
    }

    /// Whether collisions are looked for.
    pub fn collides(&self) -> bool {
        self.collides
    }

    /// How much of an overlap is forgiven, in angstroms.
    pub fn tolerance(&self) -> f64 {
        self.hand.allow
    }

    /// How elastic hits are, and how rough surfaces are.
    pub fn bounce(&self) -> [f64; 2] {
        [self.hand.elasticity, self.hand.friction]
    }

    /// Which molecule is in hand.
    pub fn which(&self) -> Which {
        self.which
    }

    /// How many times as large as they are atoms are taken to be.
    pub fn grown(&self) -> f64 {
        self.grown
    }

    /// Residues whose side chains give way, by their numbers in the receptor.
    pub fn flexible(&self) -> &[u32] {
        &self.flexible
    }

    /// How the fitting task goes; nothing if there is none.
    pub fn trial(&self) -> Option<Trial> {
        self.task.as_ref().map(|_| self.trial)
    }

    /// Whether there is something to undo, and to do again.
    pub fn can_undo(&self) -> [bool; 2] {
        [self.before.iter().any(|before| *before != self.standing), !self.after.is_empty()]
    }

    /// Where the ligand is.
    pub fn world_from_ligand(&self) -> Pose {
        self.standing.world_from_receptor * self.standing.receptor_from_ligand
    }

    /// Where the molecule in hand is.
    pub fn world_from_moved(&self) -> Pose {
        match self.which {
            Which::Ligand => self.world_from_ligand(),
            Which::Receptor => self.standing.world_from_receptor,
        }
    }

    /// The middle of the molecule in hand, in the world.
    pub fn middle_of_moved(&self) -> DVec3 {
        match self.which {
            Which::Ligand => self.world_from_ligand() * self.hand.body.middle(),
            Which::Receptor => self.standing.world_from_receptor * self.dock.receptor_middle(),
        }
    }

    /// Where the ligand's atoms are in its own frame, with its bonds turned.
    pub fn ligand_places(&self) -> Vec<DVec3> {
        self.dock.torsions.turned(&self.dock.all_places(self.standing.pose), &self.standing.radians)
    }

    pub(super) fn receptor_places_of_ligand(&self) -> Vec<DVec3> {
        let pose = self.standing.receptor_from_ligand;
        self.ligand_places().into_iter().map(|place| pose * place).collect()
    }

    pub(super) fn ligand_radii(&self) -> Vec<f64> {
        self.dock.all_radii.iter().map(|radius| radius * self.grown).collect()
    }

    /// What touches or overlaps by more than is forgiven, in the receptor's frame.
    pub fn contacts(&self) -> Vec<Contact> {
        contacts(&self.obstacle, &self.hand.body, &self.standing.receptor_from_ligand, self.hand.allow, TOUCHING)
    }

    /// Pairs of the ligand's own atoms that overlap by more than is forgiven.
    pub fn own_overlaps(&self) -> Vec<([u32; 2], f64)> {
        let places = self.ligand_places();
        let takes_part = |atom: u32| self.dock.parts.binary_search(&atom).is_ok();
        let mut own = self.dock.torsions.self_overlaps(&places, &self.ligand_radii(), self.hand.allow);
        own.retain(|([a, b], _)| takes_part(*a) && takes_part(*b));
        own
    }

    /// The atoms of a contact by their numbers in the files: the ligand's in its pose, and the receptor's.
    pub fn atoms_of(&self, contact: &Contact) -> [u32; 2] {
        [self.dock.parts[contact.ball as usize], self.dock.receptor_atoms[contact.sphere as usize]]
    }

    /// What the ligand is worth, with the force on it and the torque around its middle, in the receptor's frame; nothing before energies are worked out. Beyond
    /// the box that they were worked out for, the energy is the direct sum, and nothing pulls.
    pub fn force(&self) -> Option<(Energy, DVec3, DVec3)> {
        let (_, grid) = self.grid.as_ref()?;
        let places = self.receptor_places_of_ligand();
        if !is_within(grid, &places) {
            let energy = self.dock.direct(&places);
            return Some((energy, DVec3::ZERO, DVec3::ZERO));
        }
        let (numbers, charges) = (grid.numbers(&self.dock.ligand_charged.types), &self.dock.ligand_charged.charges);
        let middle = places.iter().sum::<DVec3>() / places.len().max(1) as f64;
        let (energy, forces) = grid.forces_of(&places, &numbers, charges);
        let torque = places.iter().zip(&forces).map(|(place, force)| (*place - middle).cross(*force)).sum();
        Some((energy, forces.iter().sum(), torque))
    }

    /// What there is to tell about where the ligand is.
    pub fn report(&self) -> PoseReport {
        let ligand = Body::new(self.hand.body.centers().to_vec(), self.hand.body.radii().to_vec());
        self.dock.report_of(&self.obstacle, &ligand, self.standing(), self.hand.allow)
    }

    /// The ligand where it is in the world, as a structure of its own.
    pub fn ligand(&self) -> Structure {
        self.dock.structure(self.standing.pose, &self.world_from_ligand(), &self.standing.radians)
    }

    /// The receptor where it is in the world, with its side chains.
    pub fn receptor(&self) -> Structure {
        let mut structure = self.dock.receptor.clone();
        for (atom, place) in self.receptor_changes() {
            structure.atoms.positions[atom as usize] = place.as_vec3();
        }
        let pose = self.standing.world_from_receptor;
        structure.atoms.positions.iter_mut().for_each(|place| *place = (pose * place.as_dvec3()).as_vec3());
        structure
    }

    /// Atoms of the receptor that are elsewhere than in its file, in its own frame.
    pub fn receptor_changes(&self) -> Vec<(u32, DVec3)> {
        self.chains.iter().flat_map(SideChain::placed).collect()
    }

    /// Whether the fitting task is solved now.
    pub fn is_solved(&self) -> bool {
        self.task.as_ref().is_some_and(|task| task.is_solved(&self.standing.receptor_from_ligand))
    }

    /// Every bit that tells one state from another.
    pub fn hash(&self) -> u64 {
        let standing = &self.standing;
        let poses = [standing.world_from_receptor, standing.receptor_from_ligand];
        let angles = standing.radians.iter().chain(standing.side_chains.iter().flatten());
        let numbers = angles.copied().chain([self.grown, self.hand.allow, standing.pose as f64]);
        let words = poses.iter().flat_map(Pose::to_bits).chain(numbers.map(f64::to_bits));
        // FNV-1a.
        words
            .flat_map(u64::to_le_bytes)
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}
