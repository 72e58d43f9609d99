//! What a picture of a puppet shows.

use steric::animate::{Level, Moment, Puppet, Stage};
use steric::model::{Bone, Pose, Scene, TypeId};
use steric::world::animate::reference;
use steric_view::{Colours, Palette, add_lines};

/// Bones of the skeleton are drawn white, those of chains yellow.
const SKELETON: [u8; 3] = [250, 250, 250];
const CHAIN_BONES: [u8; 3] = [255, 214, 10];
const GREY: [u8; 3] = [150, 150, 150];

/// What to show.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shown {
    /// What moves as one piece.
    pub(crate) level: Level,
    /// Super-atoms of this distance level; 0 is atoms.
    pub(crate) distance: usize,
    /// Another level in grey over it.
    pub(crate) overlay: Option<Level>,
    /// The bones of the skeleton.
    pub(crate) has_skeleton: bool,
    /// The bones of the chains.
    pub(crate) has_chain_bones: bool,
    /// Chains stand where their centres of mass alone would take them, as in Figure 3.3 of the founding thesis.
    pub(crate) is_by_centre: bool,
}

/// What is drawn in each frame.
pub(crate) struct Drawing {
    shown: Shown,
    stage: Stage,
    overlay: Option<Stage>,
}

impl Drawing {
    pub(crate) fn new(puppet: &Puppet, shown: Shown) -> Self {
        let overlay = shown.overlay.map(|level| Stage::new(puppet, level, 0));
        Self { shown, stage: Stage::new(puppet, shown.level, shown.distance), overlay }
    }

    pub(crate) fn scene(&self, puppet: &Puppet, moment: &Moment) -> (Scene, Colours) {
        let palette = Palette::safe();
        let mut scene = self.stage.scene(puppet, moment);
        if self.shown.is_by_centre {
            put_by_centre(&mut scene, puppet, moment);
        }
        let mut molecules: Vec<Option<[u8; 3]>> =
            self.stage.chain_of().iter().map(|&chain| Some(palette.category(chain as usize))).collect();
        // Bones lie inside, so atoms can be looked through; the finer the pieces, the more of them lie before a bone.
        let has_bones = self.shown.has_skeleton || self.shown.has_chain_bones;
        let opacity = match self.shown.level {
            Level::Atom => 0.08,
            Level::Residue => 0.15,
            Level::Chain => 0.4,
        };
        let mut opacities = if has_bones { vec![opacity; molecules.len()] } else { Vec::new() };
        if let Some(overlay) = &self.overlay {
            let other = overlay.scene(puppet, moment);
            opacities = vec![0.55; molecules.len()];
            molecules.extend(vec![Some(GREY); other.molecules().len()]);
            opacities.extend(vec![1.0; other.molecules().len()]);
            scene = joined(&scene, &other);
        }
        let atoms = scene.types().iter().map(|kind| vec![GREY; kind.atoms as usize]).collect();
        let mut colours = Colours { atoms, molecules, opacities };
        if puppet.key_frames().is_none() && self.shown.has_skeleton {
            draw_bones(&mut scene, &mut colours, &puppet.bones(moment), SKELETON);
        }
        if let (true, Some(chains)) = (self.shown.has_chain_bones, puppet.groups(Level::Chain)) {
            let poses = puppet.group_poses(&Moment { level: Level::Chain, ..*moment }).unwrap_or_default();
            draw_bones(&mut scene, &mut colours, &puppet.chain_bones().posed(chains, &poses), CHAIN_BONES);
        }
        (scene, colours)
    }
}

fn draw_bones(scene: &mut Scene, colours: &mut Colours, bones: &[Bone], colour: [u8; 3]) {
    // A water is a chain of its own, and a point is no bone.
    let lines = bones.iter().filter(|bone| bone.head != bone.tail).map(|bone| [bone.head, bone.tail]);
    let lines: Vec<[glam::DVec3; 2]> = lines.collect();
    add_lines(scene, colours, &lines, colour, 1.5);
}

/// Each chain turned and moved as its centre of mass is.
fn put_by_centre(scene: &mut Scene, puppet: &Puppet, moment: &Moment) {
    let (Some(chains), hung) = (puppet.groups(Level::Chain), &puppet.chain_bones().hung) else { return };
    let motions = puppet.motions(moment);
    for (chain, (molecule, &centre)) in scene.molecules_mut().iter_mut().zip(&chains.centres).enumerate() {
        let (rotation, translation) =
            reference::skin_group(centre, 3 * chain + 2, hung, &motions, puppet.heads(), moment.blend);
        molecule.pose = Pose { rotation, translation };
    }
}

/// The types and molecules of two scenes in one.
fn joined(first: &Scene, second: &Scene) -> Scene {
    let mut all = Scene::default();
    for scene in [first, second] {
        let offset = all.types().len() as u32;
        for kind in scene.types() {
            let mut places = vec![(glam::Vec3::ZERO, 0.0); kind.atoms as usize];
            for cluster in &scene.clusters()[kind.clusters.start as usize..kind.clusters.end as usize] {
                for lane in 0..cluster.len() {
                    places[cluster.atoms[lane] as usize] = (cluster.atom(lane).center, cluster.radii[lane]);
                }
            }
            let (places, radii): (Vec<_>, Vec<_>) = places.into_iter().unzip();
            all.add_type(kind.name.clone(), &places, &radii);
        }
        for molecule in scene.molecules() {
            all.add_molecule(TypeId(molecule.kind.0 + offset), molecule.pose);
        }
    }
    all
}
