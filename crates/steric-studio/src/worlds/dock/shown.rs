//! What the window draws of a session: two molecules, and which of their atoms touch.

use std::sync::Arc;

use glam::DVec3;
use steric::dock::{Session, Standing};
use steric::model::{
    AssemblyChoice, MoleculeId, MoleculeOptions, Molecules, MoleculesBy, Periodic, Pose, Scene, Source, Structure,
};
use steric::world::dock::Contact;

use crate::simulation::{DockSource, Now, Opened};

/// What is drawn.
#[derive(Debug)]
pub(super) struct Shown {
    opened: Arc<Opened>,
    opening: u64,
    edition: u64,
    version: u64,
    poses: Arc<Vec<Pose>>,
    touched: Arc<Vec<(MoleculeId, u32)>>,
    /// What the molecules were made of: other bonds or other radii are other molecules.
    made_of: (Standing, f64),
}

impl Shown {
    /// How a session looks now; what was shown before is kept as far as it has not changed.
    pub(super) fn of(
        session: &Session,
        before: Option<Self>,
        contacts: &[Contact],
        (opening, source): (u64, &DockSource),
    ) -> Result<Self, String> {
        let made_of = (session.standing().clone(), session.grown());
        let is_alike = |(standing, grown): &(Standing, f64)| {
            *grown == made_of.1
                && (standing.pose, &standing.radians, &standing.side_chains)
                    == (made_of.0.pose, &made_of.0.radians, &made_of.0.side_chains)
        };
        let before = before.filter(|before| before.opening == opening);
        let (opened, edition) = match &before {
            Some(before) if is_alike(&before.made_of) => (Arc::clone(&before.opened), before.edition),
            Some(before) => (Arc::new(opened(session, source)?), before.edition + 1),
            None => (Arc::new(opened(session, source)?), 1),
        };
        let poses = poses(session, &opened.molecules);
        let touches = |contact: &Contact| [(MoleculeId(0), contact.sphere), (MoleculeId(1), contact.ball)];
        let mut touched: Vec<(MoleculeId, u32)> = contacts.iter().flat_map(touches).collect();
        let own = session.own_overlaps();
        let parts = session.dock().takes_part()[1];
        let number = |atom: u32| parts.binary_search(&atom).ok().map(|at| (MoleculeId(1), at as u32));
        touched.extend(own.iter().flat_map(|(pair, _)| pair.iter().filter_map(|&atom| number(atom))));
        touched.sort_unstable();
        touched.dedup();
        let version = before.map_or(1, |before| before.version + 1);
        Ok(Self { opened, opening, edition, version, poses: Arc::new(poses), touched: Arc::new(touched), made_of })
    }

    /// The molecules where they are.
    pub(super) fn scene_now(&self) -> Scene {
        let mut scene = self.opened.scene.clone();
        for (molecule, pose) in scene.molecules_mut().iter_mut().zip(self.poses.iter()) {
            molecule.pose = *pose;
        }
        scene
    }

    /// For the window.
    pub(super) fn now(&self, busy: Option<String>) -> Now {
        Now {
            opened: Some(Arc::clone(&self.opened)),
            opening: self.opening,
            edition: self.edition,
            version: self.version,
            poses: Arc::clone(&self.poses),
            touched: Arc::clone(&self.touched),
            touching: Arc::new(vec![!self.touched.is_empty(); 2]),
            fixed: Arc::new(vec![false; 2]),
            which: Arc::new(vec![MoleculeId(0), MoleculeId(1)]),
            rests: true,
            busy,
            ..Now::default()
        }
    }
}

/// Where the frames of the two molecules are.
fn poses(session: &Session, molecules: &Molecules) -> Vec<Pose> {
    let place = |pose: Pose, id: u32| pose * Pose::from_translation(molecules.center(MoleculeId(id)));
    vec![place(session.standing().world_from_receptor, 0), place(session.world_from_ligand(), 1)]
}

/// The two molecules in their own frames, as they are bent and as large as they are.
fn opened(session: &Session, source: &DockSource) -> Result<Opened, String> {
    let dock = session.dock();
    let mut receptor = dock.receptor().clone();
    for (atom, place) in session.receptor_changes() {
        receptor.atoms.positions[atom as usize] = place.as_vec3();
    }
    let mut ligand = dock.ligand(session.standing().pose);
    put(&mut ligand, &session.ligand_places());
    let [receptor_radii, ligand_radii] = dock
        .all_radii()
        .map(|radii| radii.iter().map(|radius| (radius * session.grown()) as f32).collect::<Vec<f32>>());
    let [receptor_parts, ligand_parts] = dock.takes_part();
    let [receptor_name, ligand_name] = dock.names();
    let takes_part = |parts: &[u32], atom: u32| parts.binary_search(&atom).is_ok();
    let in_receptor = |atom: u32| takes_part(receptor_parts, atom);
    let in_ligand = |atom: u32| takes_part(ligand_parts, atom);
    let sources = [
        Source {
            name: receptor_name,
            structure: &receptor,
            radii: &receptor_radii,
            takes_part: &in_receptor,
            connected: &[],
        },
        Source { name: ligand_name, structure: &ligand, radii: &ligand_radii, takes_part: &in_ligand, connected: &[] },
    ];
    let options = MoleculeOptions { by: MoleculesBy::File, assembly: AssemblyChoice::None, periodic: Periodic::No };
    let molecules = Molecules::new(&sources, &options).map_err(|error| error.to_string())?;
    let mut scene = molecules.scene().clone();
    for (molecule, pose) in scene.molecules_mut().iter_mut().zip(poses(session, &molecules)) {
        molecule.pose = pose;
    }
    Ok(Opened {
        source: source.clone().into(),
        scene,
        molecules,
        structures: vec![receptor, ligand],
        is_outer: Vec::new(),
        verdicts: Vec::new(),
        notes: Vec::new(),
    })
}

fn put(structure: &mut Structure, places: &[DVec3]) {
    for (own, place) in structure.atoms.positions.iter_mut().zip(places) {
        *own = place.as_vec3();
    }
}
