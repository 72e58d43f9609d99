//! What to animate: files and numbers.

use std::path::{Path, PathBuf};

use glam::{DMat3, DQuat, DVec3, Vec3};
use serde::Deserialize;
use steric_model::formats::rig::read_rig;
use steric_model::formats::trajectory::read_trajectory;
use steric_model::{
    Clip, Curve, Joint, JointPose, Keys, Located, PeriodicBox, Place, ReadError, Rig, Skeleton, Structure, Track,
    Turning, formats,
};
use steric_world::animate::{
    Alignment, Blend, BonesBy, KeyFrames, Level, Manner, Puppet, PuppetError, PuppetOptions, Reach, WeightOptions,
    generated,
};

use super::Opened;

/// Why nothing can be animated.
#[derive(Debug, thiserror::Error)]
pub enum AnimateError {
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The scene file is not as it should be.
    #[error(transparent)]
    Scene(Box<Located>),
    /// Structure and skeleton do not fit.
    #[error("{path}: {source}")]
    Puppet {
        /// The structure.
        path: String,
        /// Why not.
        source: PuppetError,
    },
    /// What was asked for is not there.
    #[error("{0}")]
    Missing(String),
}

/// Which structure hangs on which skeleton, and how. Also the text of a scene file.
///
/// ```
/// use steric::animate::{Level, Script};
///
/// let script = Script::read("structure = \"1ake.pdb\"\nlevel = \"residue\"\nbones = \"helix\"\n", "kinase.toml".as_ref())?;
/// assert_eq!(script.level, Some(Level::Residue));
/// let error = Script::read("level = \"helix\"\n", "kinase.toml".as_ref()).unwrap_err();
/// assert!(error.to_string().starts_with("kinase.toml:1"), "{error}");
/// # Ok::<(), steric::animate::AnimateError>(())
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Script {
    /// What it is called.
    pub name: String,
    /// The structure's file, or several names that it may have.
    pub structure: Names,
    /// The PDB entry to be fetched where no such file is found.
    pub entry: Option<String>,
    /// A molecule that comes with steric, in place of a file.
    pub molecule: Option<String>,
    /// A Collada or glTF file with skeleton and clips.
    pub skeleton: Option<PathBuf>,
    /// Which skin of that file moves atoms, by name or number from 0; all of them if nothing is said.
    pub skin: Option<String>,
    /// What becomes a bone, where there is no skeleton.
    pub bones: Option<BonesBy>,
    /// A trajectory (XTC, DCD) whose frames the atoms follow.
    pub trajectory: Option<PathBuf>,
    /// Frames of a trajectory, or models of a file, a second.
    pub frames_per_second: Option<f64>,
    /// How the skeleton is brought to the structure.
    pub align: Alignment,
    /// Which bones may share an atom.
    pub reach: Reach,
    /// Atoms nearer to a bone count as being so far from it, in angstroms.
    pub thickness: Option<f64>,
    /// Atoms in each super-atom, distance level by distance level.
    pub atoms_each: Option<Vec<f32>>,
    /// Seed of the super-atoms.
    pub seed: Option<u64>,
    /// What moves as one piece.
    pub level: Option<Level>,
    /// How joints share a point.
    pub blend: Option<Blend>,
    /// How rotations go from key to key.
    pub turning: Option<Turning>,
    /// Joints of a skeleton that is written here.
    pub joint: Vec<WrittenJoint>,
    /// Clips that are written here, beside those of the skeleton's file.
    pub clip: Vec<WrittenClip>,
}

/// One name or several.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(untagged)]
pub enum Names {
    /// None.
    #[default]
    None,
    /// One.
    One(PathBuf),
    /// Whichever is there.
    Any(Vec<PathBuf>),
}

impl Names {
    /// The same files, seen from elsewhere.
    pub fn in_folder(&self, folder: &Path) -> Self {
        match self {
            Self::None => Self::None,
            Self::One(name) => Self::One(folder.join(name)),
            Self::Any(names) => Self::Any(names.iter().map(|name| folder.join(name)).collect()),
        }
    }
}

/// A joint in a scene file: where it begins, in the coordinates of the structure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenJoint {
    name: String,
    parent: Option<String>,
    at: [f64; 3],
    /// Where its bone ends.
    tip: Option<[f64; 3]>,
    /// Whether it only carries others.
    #[serde(default)]
    carrier: bool,
}

/// A clip in a scene file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenClip {
    name: String,
    #[serde(default)]
    turn: Vec<WrittenTurn>,
}

/// Joints that turn about an axis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenTurn {
    joints: Vec<String>,
    axis: [f64; 3],
    times: Vec<f64>,
    degrees: Vec<f64>,
}

impl Script {
    /// Reads a scene file.
    pub fn read(text: &str, path: &Path) -> Result<Self, AnimateError> {
        toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let place = line.map_or(Place::File, |line| Place::Line(line, None));
            let found =
                error.span().and_then(|span| text.get(span)).unwrap_or_default().lines().next().unwrap_or_default();
            let located = ReadError::content(path, place, format!("a scene to animate ({})", error.message()), found);
            match located {
                ReadError::Content(located) => AnimateError::Scene(located),
                other => AnimateError::Read(other),
            }
        })
    }

    /// Whether a text is that of a scene to animate, sound or not, and not of another kind.
    ///
    /// ```
    /// use steric::animate::Script;
    ///
    /// assert!(Script::is_in("structure = \"1ake.pdb\"\nlevle = \"atom\"\n"));
    /// assert!(!Script::is_in(scenes::ready("vesicle").expect("it is ready")));
    /// ```
    pub fn is_in(text: &str) -> bool {
        let Ok(table) = text.parse::<toml::Table>() else { return false };
        let is_own = |key: &str| table.contains_key(key);
        ["structure", "joint", "clip", "skeleton", "bones", "trajectory"].into_iter().any(is_own)
            || table.get("molecule").is_some_and(toml::Value::is_str)
    }

    /// Whether it names a structure; a skeleton by itself names none.
    pub fn has_structure(&self) -> bool {
        self.molecule.is_some() || !matches!(self.structure, Names::None)
    }

    /// Reads the files that it names, which lie in a folder, and hangs one on the other.
    pub fn open(&self, folder: &Path) -> Result<Opened, AnimateError> {
        let mut notes = Vec::new();
        let (path, structure) = self.structure(folder, &mut notes)?;
        let frames = self.frames(folder, &structure, &mut notes)?;
        let structure = first_model(structure);
        let rig = match frames {
            Some(_) => Rig::default(),
            None => self.rig(folder, &structure, &mut notes)?,
        };
        let usual = PuppetOptions::default();
        let options = PuppetOptions {
            weights: WeightOptions { reach: self.reach, thickness: self.thickness.unwrap_or(usual.weights.thickness) },
            atoms_each: self.atoms_each.clone().unwrap_or(usual.atoms_each),
            seed: self.seed.unwrap_or(usual.seed),
        };
        let mut puppet = Puppet::with_frames(structure, rig, frames, &options)
            .map_err(|source| AnimateError::Puppet { path: path.display().to_string(), source })?;
        let usual = Manner::default();
        puppet.set_manner(Manner {
            level: self.level.unwrap_or(usual.level),
            blend: self.blend.unwrap_or(usual.blend),
            turning: self.turning.unwrap_or(usual.turning),
        });
        let name = if self.name.is_empty() { path.display().to_string() } else { self.name.clone() };
        let others = [&self.skeleton, &self.trajectory].into_iter().flatten().map(|name| folder.join(name));
        let files = std::iter::once(path).chain(others).filter(|path| path.is_file()).collect();
        Ok(Opened { name, puppet, notes, files })
    }

    fn structure(&self, folder: &Path, notes: &mut Vec<String>) -> Result<(PathBuf, Structure), AnimateError> {
        if let Some(name) = &self.molecule {
            let missing =
                || AnimateError::Missing(format!("molecule: expected one that comes with steric, found {name:?}"));
            return Ok((PathBuf::from(name), scenes::molecule(name).ok_or_else(missing)?.structure()));
        }
        let path = match &self.structure {
            Names::One(path) => folder.join(path),
            Names::Any(names) => self.found(folder, names)?,
            Names::None => return Err(AnimateError::Missing("expected a structure, found none".to_owned())),
        };
        let read = formats::read(&path)?;
        notes.extend(read.warnings.first.iter().map(|warning| format!("{}: {warning}", path.display())));
        Ok((path, read.value))
    }

    fn found(&self, folder: &Path, names: &[PathBuf]) -> Result<PathBuf, AnimateError> {
        let compressed = |name: &PathBuf| [name.clone(), PathBuf::from(format!("{}.gz", name.display()))];
        let mut paths = names.iter().flat_map(compressed).map(|name| folder.join(name));
        paths.find(|path| path.is_file()).ok_or_else(|| {
            let list: Vec<String> = names.iter().map(|name| name.display().to_string()).collect();
            let entry = self.entry.as_deref().unwrap_or("the structure");
            AnimateError::Missing(format!(
                "expected {} (or compressed, with .gz) in {}, found none; fetch entry {entry} of the Protein Data Bank, or name its file: \
                 steric animate FILE --skeleton SCENE",
                list.join(" or "),
                if folder.as_os_str().is_empty() { "this folder".to_owned() } else { folder.display().to_string() },
            ))
        })
    }

    fn frames(
        &self,
        folder: &Path,
        structure: &Structure,
        notes: &mut Vec<String>,
    ) -> Result<Option<KeyFrames>, AnimateError> {
        let rate = self.frames_per_second.filter(|rate| rate.is_finite() && *rate > 0.0).unwrap_or(10.0);
        if let Some(path) = &self.trajectory {
            let path = folder.join(path);
            let frames = trajectory(&path, structure)?;
            let times = (0..frames.len()).map(|frame| frame as f64 / rate).collect();
            let wrong = |why: String| AnimateError::Missing(format!("{}: {why}", path.display()));
            return KeyFrames::new(times, frames).map(Some).map_err(wrong);
        }
        let has_skeleton = self.skeleton.is_some() || !self.joint.is_empty() || self.bones.is_some();
        match KeyFrames::of_models(structure, rate) {
            Some(Ok(frames)) if !has_skeleton => {
                notes.push(format!("the {} models of the structure are taken as key frames", structure.models.len()));
                Ok(Some(frames))
            }
            Some(why) => {
                let why = why.err().map_or_else(String::new, |why| format!(" ({why})"));
                notes.push(format!("of {} models the first is taken{why}", structure.models.len()));
                Ok(None)
            }
            None => Ok(None),
        }
    }

    fn rig(&self, folder: &Path, structure: &Structure, notes: &mut Vec<String>) -> Result<Rig, AnimateError> {
        let mut rig = match &self.skeleton {
            Some(path) => self.aligned(&folder.join(path), structure, notes)?,
            None if !self.joint.is_empty() => Rig { skeleton: self.written()?, ..Rig::default() },
            None => {
                let by = self.bones.unwrap_or_default();
                let rig = generated(structure, by);
                let bones = rig.skeleton.bones().len();
                notes.push(format!(
                    "a skeleton of {bones} {} was made, one for each {}",
                    if bones == 1 { "bone" } else { "bones" },
                    format!("{by:?}").to_lowercase()
                ));
                rig
            }
        };
        for clip in &self.clip {
            rig.clips.push(clip.made(&rig.skeleton)?);
        }
        if rig.clips.is_empty() {
            rig.clips.push(sway(&rig.skeleton));
            notes.push("there is no clip; the skeleton sways".to_owned());
        }
        Ok(rig)
    }

    fn aligned(&self, path: &Path, structure: &Structure, notes: &mut Vec<String>) -> Result<Rig, AnimateError> {
        let read = read_rig(path)?;
        notes.extend(read.warnings.first.iter().map(|warning| format!("{}: {warning}", path.display())));
        let mut rig = read.value;
        if let Some(wanted) = &self.skin {
            keep_skin(&mut rig, wanted).map_err(|why| AnimateError::Missing(format!("{}: {why}", path.display())))?;
        }
        let (rig, is_fitted) = self.align.apply(&rig, structure);
        if is_fitted {
            notes.push("the skeleton was fitted to the structure; --fit no leaves it where it is".to_owned());
        }
        Ok(rig)
    }

    fn written(&self) -> Result<Skeleton, AnimateError> {
        let mut joints: Vec<Joint> = Vec::new();
        for written in &self.joint {
            let parent = match &written.parent {
                None => None,
                Some(name) => Some(index_of(&joints, name)?),
            };
            let above = parent.map_or(DVec3::ZERO, |parent| DVec3::from(self.joint[parent as usize].at));
            let at = DVec3::from(written.at);
            joints.push(Joint {
                tip: written.tip.map(|tip| DVec3::from(tip) - at),
                moves_atoms: !written.carrier,
                ..Joint::new(written.name.as_str(), parent, JointPose::at(at - above))
            });
        }
        Ok(Skeleton::new(joints))
    }
}

/// Of a structure with several models the first.
fn first_model(structure: Structure) -> Structure {
    match &structure.models[..] {
        [] | [_] => structure,
        [first, ..] => structure.alone(&first.atoms),
    }
}

/// Places of atoms take no more memory than this.
const MOST_BYTES: usize = 8 << 30;

/// The frames of a trajectory of these atoms. Where there is a box, atoms go from frame to frame by the shortest way, not through it.
fn trajectory(path: &Path, structure: &Structure) -> Result<Vec<Vec<Vec3>>, AnimateError> {
    let expected = structure.models.first().map_or(structure.atoms.len(), |model| model.atoms.len());
    let mut frames: Vec<Vec<Vec3>> = Vec::new();
    for frame in read_trajectory(path)? {
        let frame = frame?;
        let (mut places, number) = (frame.positions, frames.len() + 1);
        let wrong = |why: String| AnimateError::Missing(format!("{}: {why}", path.display()));
        if places.len() != expected {
            let found = places.len();
            return Err(wrong(format!("frame {number}: expected {expected} atoms as in the structure, found {found}")));
        }
        if (number * expected).saturating_mul(size_of::<Vec3>()) > MOST_BYTES {
            return Err(wrong(format!("expected at most {} frames of {expected} atoms, found more", frames.len())));
        }
        let periodic = frame.box_vectors.and_then(|vectors| PeriodicBox::new(DMat3::from_cols_array_2d(&vectors)));
        if let (Some(periodic), Some(before)) = (periodic, frames.last()) {
            for (place, before) in places.iter_mut().zip(before) {
                *place = *before + periodic.nearest_image((*place - *before).as_dvec3()).as_vec3();
            }
        }
        frames.push(places);
    }
    Ok(frames)
}

fn index_of(joints: &[Joint], name: &str) -> Result<u32, AnimateError> {
    let found = joints.iter().position(|joint| joint.name == name);
    found.map(|index| index as u32).ok_or_else(|| {
        AnimateError::Missing(format!(
            "expected the name of a joint that stands further up in the file, found {name:?}"
        ))
    })
}

fn keep_skin(rig: &mut Rig, wanted: &str) -> Result<(), String> {
    let number = wanted.parse::<usize>().ok();
    let skin = rig.skins.iter().enumerate().find(|(index, skin)| skin.name == wanted || Some(*index) == number);
    let Some((_, skin)) = skin else {
        return Err(format!("expected one of {} skins by name or number, found {wanted:?}", rig.skins.len()));
    };
    let kept: std::collections::BTreeSet<u32> = skin.joints.iter().copied().collect();
    for (index, joint) in (0u32..).zip(&mut rig.skeleton.joints) {
        joint.moves_atoms &= kept.contains(&index);
    }
    Ok(())
}

impl WrittenClip {
    fn made(&self, skeleton: &Skeleton) -> Result<Clip, AnimateError> {
        let mut tracks = Vec::new();
        for turn in &self.turn {
            let axis = DVec3::from(turn.axis).normalize_or_zero();
            let is_rising = turn.times.windows(2).all(|pair| pair[0] < pair[1]);
            let is_finite = turn.times.iter().chain(&turn.degrees).all(|number| number.is_finite());
            if axis == DVec3::ZERO
                || !is_finite
                || turn.times.len() != turn.degrees.len()
                || turn.times.is_empty()
                || !is_rising
            {
                return Err(AnimateError::Missing(format!(
                    "clip {:?}: expected an axis, and degrees for each of at least one rising time, found others",
                    self.name
                )));
            }
            for name in &turn.joints {
                let joint = index_of(&skeleton.joints, name)?;
                let rest = skeleton.joints[joint as usize].rest.rotation;
                let key = |degrees: &f64| rest * DQuat::from_axis_angle(axis, degrees.to_radians());
                let keys = Keys::Rotation(turn.degrees.iter().map(key).collect());
                tracks.push(Track { joint, times: turn.times.clone(), curve: Curve::Linear, keys });
            }
        }
        Ok(Clip::new(self.name.as_str(), tracks))
    }
}

/// A clip for a skeleton that has none: every joint that hangs on another turns to and fro by twelve degrees, across its bone.
///
/// ```
/// use glam::DVec3;
/// use steric::model::{Joint, JointPose, Skeleton};
///
/// let skeleton = Skeleton::new(vec![
///     Joint::new("upper", None, JointPose::IDENTITY),
///     Joint::new("lower", Some(0), JointPose::at(DVec3::X * 10.0)),
/// ]);
/// let clip = steric::animate::sway(&skeleton);
/// assert_eq!((clip.duration, clip.tracks.len()), (4.0, 1));
/// let alone = Skeleton::new(vec![Joint::new("only", None, JointPose::IDENTITY)]);
/// assert_eq!(steric::animate::sway(&alone).tracks.len(), 1, "nothing stands still alone");
/// ```
pub fn sway(skeleton: &Skeleton) -> Clip {
    let bones = skeleton.bones();
    let joints = skeleton.joints.iter().filter(|joint| joint.moves_atoms).count();
    let mut tracks = Vec::new();
    for (index, joint) in skeleton.joints.iter().enumerate().filter(|(_, joint)| joint.moves_atoms) {
        // What hangs on nothing that moves is what the others sway against, unless it is the only one or one of several.
        let is_first = bones.first().is_some_and(|bone| bone.joint as usize == index);
        if joints > 1 && is_first && skeleton.carrier(index).is_none() {
            continue;
        }
        let along =
            bones.iter().find(|bone| bone.joint as usize == index).map_or(DVec3::X, |bone| bone.tail - bone.head);
        let in_joint = joint.bind.matrix3.inverse() * along.normalize_or(DVec3::X);
        let across = in_joint.normalize_or(DVec3::X).any_orthonormal_vector();
        let key = |degrees: f64| joint.rest.rotation * DQuat::from_axis_angle(across, degrees.to_radians());
        let keys = Keys::Rotation([0.0, 12.0, 0.0, -12.0, 0.0].map(key).to_vec());
        tracks.push(Track { joint: index as u32, times: vec![0.0, 1.0, 2.0, 3.0, 4.0], curve: Curve::Linear, keys });
    }
    Clip::new("sway", tracks)
}
