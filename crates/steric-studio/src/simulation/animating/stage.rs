//! What the window draws of a puppet.
//!
//! How it works: the level is one file of molecules, a molecule for each of its groups, for each atom or for each super-atom. A second level, the bones and the
//! chains' bones are files of their own after it. They are made when another kind of thing is to be seen; at every other moment only poses change.

use std::sync::Arc;

use glam::DVec3;
use steric::model::{
    AssemblyChoice, Atoms, Bone, Model, MoleculeId, MoleculeOptions, Molecules, MoleculesBy, Periodic, Pose,
    Source as ModelSource, Structure,
};
use steric::world::animate::{Level, Moment, Puppet, SuperAtoms};

use super::super::{Now, Opened};
use super::strings::Strings;
use super::view::{View, Wanted};
use super::{AnimateSource, Animated};

/// Colours of a level over another, of bones, of chains' bones, and of the bone that is chosen.
const OVERLAY: [u8; 3] = [150; 3];
const BONES: [u8; 3] = [86, 180, 233];
const CHAINS: [u8; 3] = [204, 121, 167];
const CHOSEN: [u8; 3] = [255, 214, 10];
/// How much of a level over another hides what is behind it.
const OVERLAY_OPACITY: f32 = 0.35;

/// Something that is drawn, as a file of molecules.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    /// A level at a distance level.
    Level(Level, usize),
    Skeleton,
    Chains,
}

fn parts(view: &View) -> Vec<Part> {
    let level = Some(Part::Level(view.moment.level, view.distance));
    let overlay = view.overlay.map(|level| Part::Level(level, view.distance));
    let bones = [view.skeleton.then_some(Part::Skeleton), view.chains.then_some(Part::Chains)];
    [level, overlay].into_iter().chain(bones).flatten().collect()
}

/// What stays the same while molecules move.
#[derive(Debug)]
pub(super) struct Stage {
    source: AnimateSource,
    /// What is drawn, and how many atoms a super-atom stands for: other ones are other molecules.
    parts: Vec<Part>,
    atoms_each: Vec<f32>,
    /// The first molecule of each part, and the end.
    starts: Vec<usize>,
    strings: [Strings; 2],
    opened: Option<Arc<Opened>>,
    edition: u64,
}

impl Stage {
    pub(super) fn new(source: AnimateSource) -> Self {
        let strings = [source.puppet.rig().skeleton.bones(), source.puppet.chain_bones().bones.clone()];
        Self {
            strings: strings.map(|bones| Strings::new(&bones)),
            source,
            parts: Vec::new(),
            atoms_each: Vec::new(),
            starts: Vec::new(),
            opened: None,
            edition: 0,
        }
    }

    /// Everything where it is at a moment.
    pub(super) fn shown(&mut self, wanted: &Wanted) -> Result<Animated, String> {
        let (view, puppet) = (&wanted.view, wanted.posed()?);
        let opened = self.opened(view, &puppet)?;
        let bones = puppet.bones(&view.moment);
        let poses = self.poses(wanted, &puppet, &bones, &opened.molecules);
        let (dyed, opacities) = self.looks(view, &bones);
        let now = Now {
            opened: Some(opened),
            edition: self.edition,
            touching: Arc::new(vec![false; poses.len()]),
            fixed: Arc::new(vec![false; poses.len()]),
            which: Arc::new((0..poses.len() as u32).map(MoleculeId).collect()),
            dyed: Arc::new(dyed),
            opacities: Arc::new(opacities),
            poses: Arc::new(poses),
            worker: "cpu".to_owned(),
            ..Now::default()
        };
        Ok(Animated {
            now,
            puppet: None,
            moment: view.moment,
            distance: view.distance,
            molecules: self.starts.get(1).copied().unwrap_or(0),
            bones: Arc::new(bones),
            milliseconds: 0.0,
        })
    }

    /// The molecules that are drawn; made anew if they are others than before.
    fn opened(&mut self, view: &View, puppet: &Puppet) -> Result<Arc<Opened>, String> {
        let (parts, atoms_each) = (parts(view), &puppet.options().atoms_each);
        if let Some(opened) = &self.opened
            && self.parts == parts
            && (view.distance == 0 || self.atoms_each == *atoms_each)
        {
            return Ok(Arc::clone(opened));
        }
        let files: Vec<(Structure, Vec<f32>, Vec<u32>)> = parts.iter().map(|part| self.file(*part, puppet)).collect();
        let sources: Vec<ModelSource<'_>> = files
            .iter()
            .map(|(structure, radii, connected)| ModelSource {
                name: &self.source.name,
                structure,
                radii,
                takes_part: &|_| true,
                connected,
            })
            .collect();
        let (assembly, periodic) = (AssemblyChoice::None, Periodic::No);
        let options = MoleculeOptions { by: MoleculesBy::Connected, assembly, periodic };
        let molecules = Molecules::new(&sources, &options).map_err(|error| error.to_string())?;
        let ids = || (0..molecules.scene().molecules().len() as u32).map(MoleculeId);
        let starts = (0..files.len() as u32).map(|file| ids().filter(|id| molecules.file(*id) < file).count());
        self.starts = starts.chain([ids().count()]).collect();
        let opened = Arc::new(Opened {
            source: self.source.clone().into(),
            scene: molecules.scene().clone(),
            molecules,
            structures: files.into_iter().map(|(structure, ..)| structure).collect(),
            is_outer: Vec::new(),
            verdicts: Vec::new(),
            notes: Vec::new(),
        });
        self.edition += 1;
        (self.parts, self.atoms_each, self.opened) = (parts, atoms_each.clone(), Some(Arc::clone(&opened)));
        Ok(opened)
    }

    /// The atoms of a part, their radii, and which of them are one molecule.
    fn file(&self, part: Part, puppet: &Puppet) -> (Structure, Vec<f32>, Vec<u32>) {
        let beads = |strings: &Strings, name: &str, bones: &[Bone]| {
            let (structure, radii) = strings.structure(name, bones);
            let each = (0..radii.len() as u32).collect();
            (structure, radii, each)
        };
        match part {
            Part::Level(level, distance) => {
                match distance.checked_sub(1).and_then(|at| puppet.super_atoms(level).get(at)) {
                    Some(coarse) => {
                        let radii: Vec<f32> = coarse.spheres.iter().map(|sphere| sphere.radius).collect();
                        let each = (0..radii.len() as u32).collect();
                        (spheres(puppet.structure(), coarse), radii, each)
                    }
                    None => {
                        let atoms = puppet.radii().len() as u32;
                        let of =
                            puppet.groups(level).map_or_else(|| (0..atoms).collect(), |groups| groups.of_atom.clone());
                        (puppet.structure().clone(), puppet.radii().to_vec(), of)
                    }
                }
            }
            Part::Skeleton => beads(&self.strings[0], "skeleton", &puppet.rig().skeleton.bones()),
            Part::Chains => beads(&self.strings[1], "chains", &puppet.chain_bones().bones),
        }
    }

    /// Where all molecules are.
    fn poses(&self, wanted: &Wanted, puppet: &Puppet, bones: &[Bone], molecules: &Molecules) -> Vec<Pose> {
        let (view, mut poses) = (&wanted.view, Vec::with_capacity(molecules.scene().molecules().len()));
        let at = |places: Vec<DVec3>| places.into_iter().map(Pose::from_translation).collect::<Vec<Pose>>();
        for (number, part) in self.parts.iter().enumerate() {
            match *part {
                Part::Level(level, distance) => {
                    let moment = Moment { level, ..view.moment };
                    // What lies over a level shows the motion alone.
                    let held = if number == 0 { held_apart(wanted, puppet) } else { None };
                    let first = self.starts[number];
                    poses.extend(level_poses(puppet, &moment, distance, held, |group: usize| {
                        molecules.center(MoleculeId((first + group) as u32))
                    }));
                }
                Part::Skeleton => poses.extend(at(self.strings[0].places(bones))),
                Part::Chains => poses.extend(at(self.strings[1].places(&chain_bones(puppet, &view.moment)))),
            }
        }
        poses
    }

    /// Colours that say something else than all others, and how much is seen through molecules.
    fn looks(&self, view: &View, bones: &[Bone]) -> (Vec<Option<[u8; 3]>>, Vec<f32>) {
        if self.parts.len() <= 1 {
            return (Vec::new(), Vec::new());
        }
        let (mut dyed, mut opacities) = (Vec::new(), Vec::new());
        for (number, part) in self.parts.iter().enumerate() {
            let count = self.starts[number + 1] - self.starts[number];
            let is_chosen = |bone: usize| bones.get(bone).is_some_and(|bone| Some(bone.joint) == view.chosen);
            let of_bone = |bone: usize| Some(if is_chosen(bone) { CHOSEN } else { BONES });
            let (colours, opacity): (Vec<Option<[u8; 3]>>, f32) = match part {
                Part::Level(..) if number == 0 => (vec![None; count], view.opacity),
                Part::Level(..) => (vec![Some(OVERLAY); count], OVERLAY_OPACITY),
                Part::Skeleton => (self.strings[0].bones().map(of_bone).collect(), 1.0),
                Part::Chains => (vec![Some(CHAINS); count], 1.0),
            };
            dyed.extend(colours);
            opacities.extend(vec![opacity; count]);
        }
        (dyed, opacities)
    }
}

/// Where atoms are that are held apart for this moment, if that is wanted; from afar nobody would see it.
fn held_apart(wanted: &Wanted, puppet: &Puppet) -> Option<Vec<glam::Vec3>> {
    let view = &wanted.view;
    let options = view.preview.filter(|_| view.distance == 0)?;
    let untangler = wanted.untangler.get_or_init(|| steric::world::animate::Untangler::new(puppet));
    Some(untangler.preview(puppet, &view.moment, &options))
}

/// The pose of each molecule of a level. The frame of a group has its centre of mass in the middle, that of a molecule its own `middle`.
fn level_poses(
    puppet: &Puppet,
    moment: &Moment,
    distance: usize,
    held: Option<Vec<glam::Vec3>>,
    middle: impl Fn(usize) -> DVec3,
) -> Vec<Pose> {
    let at = |place: glam::Vec3| Pose::from_translation(place.as_dvec3());
    if distance > 0 && distance <= puppet.super_atoms(moment.level).len() {
        return puppet.spheres(moment, distance - 1).iter().map(|sphere| at(sphere.center)).collect();
    }
    let Some(groups) = puppet.groups(moment.level) else {
        return held.unwrap_or_else(|| puppet.positions(moment)).into_iter().map(at).collect();
    };
    let poses = match held {
        Some(held) => groups.fitted(&puppet.structure().atoms.positions, &held),
        None => puppet.group_poses(moment).unwrap_or_default(),
    };
    let from_middle =
        |(group, pose): (usize, Pose)| pose * Pose::from_translation(middle(group) - groups.centres[group]);
    poses.into_iter().enumerate().map(from_middle).collect()
}

/// The bones of the chains at a moment, whatever the level.
fn chain_bones(puppet: &Puppet, moment: &Moment) -> Vec<Bone> {
    let moment = Moment { level: Level::Chain, ..*moment };
    match (puppet.groups(Level::Chain), puppet.group_poses(&moment)) {
        (Some(chains), Some(poses)) => puppet.chain_bones().posed(chains, &poses),
        _ => puppet.chain_bones().bones.clone(),
    }
}

/// Super-atoms as a structure: each is of the residue and the element of its first atom.
fn spheres(structure: &Structure, coarse: &SuperAtoms) -> Structure {
    let mut first = vec![0; coarse.spheres.len()];
    for (atom, &own) in coarse.of_atom.iter().enumerate().rev() {
        first[own as usize] = atom;
    }
    fn of<T: Copy>(all: &[T], first: &[usize]) -> Vec<T> {
        first.iter().filter_map(|&atom| all.get(atom).copied()).collect()
    }
    let atoms = &structure.atoms;
    Structure {
        name: structure.name.clone(),
        atoms: Atoms {
            positions: coarse.spheres.iter().map(|sphere| sphere.center).collect(),
            elements: of(&atoms.elements, &first),
            names: of(&atoms.names, &first),
            residues: of(&atoms.residues, &first),
            serials: of(&atoms.serials, &first),
            alternates: of(&atoms.alternates, &first),
            occupancies: of(&atoms.occupancies, &first),
            b_factors: of(&atoms.b_factors, &first),
            formal_charges: of(&atoms.formal_charges, &first),
            ..Atoms::default()
        },
        residues: structure.residues.clone(),
        chains: structure.chains.clone(),
        models: vec![Model { number: 1, atoms: 0..coarse.spheres.len() as u32 }],
        ..Structure::default()
    }
}
