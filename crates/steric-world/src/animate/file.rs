//! `.steric`: a structure, its groups, skeleton, clips, weights, super-atoms and corrections in one file.
//!
//! How it works: the file is a zip archive. `manifest.json` says the version and how many of everything there are; `structure.bcif` is the
//! structure as every viewer reads it; `rig.json` holds skeleton and clips; all else is arrays of little-endian numbers, one an entry. What
//! a reader does not know it leaves alone, so a later minor version may add entries; another major version is refused. Everything in a file
//! is checked before it is used, and nothing is worked out anew.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};
use steric_model::formats::{Format, read_bytes, write_bytes};
use steric_model::{Bond, Bone, Place, ReadError, Rig, Sphere, Structure, file_beside};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::chains::ChainBones;
use super::corrections::{Corrected, Corrections};
use super::key_frames::KeyFrames;
use super::level::{Groups, Level};
use super::puppet::{Manner, Parts, Puppet, PuppetOptions};
use super::super_atoms::SuperAtoms;
use super::weights::Hung;

/// The version that is written, and the only major one that is read.
const VERSION: [u32; 2] = [1, 0];

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: String,
    version: [u32; 2],
    atoms: usize,
    options: PuppetOptions,
    /// How it is to be played where nobody says otherwise.
    manner: Manner,
    chain_bones: Vec<Bone>,
    /// Atoms in each super-atom, of every distance level, of every level.
    super_atoms: [Vec<f32>; 3],
    corrections: Vec<Baked>,
    /// The times of frames that atoms follow.
    frames: Option<Vec<f64>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Baked {
    clip: usize,
    manner: Manner,
    limit: f32,
    times: Vec<f64>,
    groups: usize,
    report: Vec<Corrected>,
}

impl Puppet {
    /// Writes everything to a file; it appears whole or not at all.
    ///
    /// ```
    /// use steric_model::formats::xyz::read_xyz;
    /// use steric_world::animate::{BonesBy, Moment, Puppet, PuppetOptions, generated};
    ///
    /// let rod: String = (0..20).map(|i| format!("C {} 0 0\n", 1.5 * f64::from(i))).collect();
    /// let rod = read_xyz(format!("20\nrod\n{rod}").as_bytes(), "rod.xyz".as_ref())?.value;
    /// let rig = generated(&rod, BonesBy::Chain);
    /// let puppet = Puppet::new(rod, rig, &PuppetOptions::default())?;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("rod.steric");
    /// puppet.save(&path)?;
    /// let again = Puppet::load(&path)?;
    /// assert_eq!(again.positions(&Moment::default()), puppet.positions(&Moment::default()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut file = file_beside(path)?;
        self.write_to(io::BufWriter::new(file.as_file_mut()))?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// The bytes of the file that [`Puppet::save`] would write, for those who have no files.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = io::Cursor::new(Vec::new());
        self.write_to(&mut bytes)?;
        Ok(bytes.into_inner())
    }

    fn write_to(&self, out: impl Write + Seek) -> io::Result<()> {
        let mut out = Entries(ZipWriter::new(out));
        out.text("manifest.json", &serde_json::to_vec(&self.manifest())?)?;
        let mut bcif = Vec::new();
        if write_bytes(Format::Bcif, &self.structure, &mut bcif).is_err() {
            // A box that lies askew has no place in BinaryCIF, and no motion asks for it.
            bcif.clear();
            let without_box = Structure { periodic_box: None, ..(*self.structure).clone() };
            write_bytes(Format::Bcif, &without_box, &mut bcif)?;
        }
        out.bytes("structure.bcif", CompressionMethod::Stored, &bcif)?;
        // Formats round coordinates; what moves must not depend on that.
        out.array("rest", &self.structure.atoms.positions.iter().map(Vec3::to_array).collect::<Vec<_>>())?;
        out.array("radii", &self.radii)?;
        // BinaryCIF has no word for bonds inside residues that no dictionary knows.
        let bonds: Vec<[u32; 3]> =
            self.structure.bonds.iter().map(|bond| [bond.first, bond.second, bond.order.into()]).collect();
        out.array("bonds", &bonds)?;
        out.text("rig.json", &serde_json::to_vec(&self.rig)?)?;
        for (name, groups) in [("residue", &self.residues), ("chain", &self.chains)] {
            out.array(&format!("groups/{name}"), &groups.of_atom)?;
            let centres: Vec<[f64; 3]> = groups.centres.iter().map(|centre| centre.to_array()).collect();
            out.array(&format!("groups/{name}-centres"), &centres)?;
        }
        for (name, hung) in [("atom", &self.hung), ("residue", &self.residues_hung), ("chain", &self.chain_bones.hung)]
        {
            out.hung(&format!("weights/{name}"), hung)?;
        }
        for level in Level::ALL {
            for (number, own) in self.super_atoms(level).iter().enumerate() {
                let name = format!("super-atoms/{}-{number}", level.name());
                out.array(&format!("{name}/of-atom"), &own.of_atom)?;
                let spheres: Vec<[f32; 4]> = own.spheres.iter().map(|s| s.center.extend(s.radius).to_array()).collect();
                out.array(&format!("{name}/spheres"), &spheres)?;
                out.hung(&name, &own.hung)?;
            }
        }
        for (number, corrections) in self.corrections.iter().enumerate() {
            let bytes = bytemuck::cast_slice(&corrections.numbers);
            out.bytes(&format!("corrections/{number}"), CompressionMethod::Deflated, bytes)?;
        }
        for (number, frame) in self.key_frames.iter().flat_map(|frames| &frames.frames).enumerate() {
            out.array(&format!("frames/{number}"), &frame.iter().map(Vec3::to_array).collect::<Vec<_>>())?;
        }
        out.0.finish()?.flush()
    }

    fn manifest(&self) -> Manifest {
        let baked = |own: &std::sync::Arc<Corrections>| {
            let (clip, manner) = own.made_for;
            let (times, report) = (own.times.clone(), own.report.clone());
            Baked { clip, manner, limit: own.limit, times, groups: own.groups, report }
        };
        Manifest {
            format: "steric".to_owned(),
            version: VERSION,
            atoms: self.radii.len(),
            options: self.options.clone(),
            manner: self.manner,
            chain_bones: self.chain_bones.bones.clone(),
            super_atoms: Level::ALL.map(|level| self.super_atoms(level).iter().map(|own| own.atoms_each).collect()),
            corrections: self.corrections.iter().map(baked).collect(),
            frames: self.key_frames.as_ref().map(|frames| frames.times.clone()),
        }
    }

    /// Reads a file that [`Puppet::save`] wrote.
    pub fn load(path: &Path) -> Result<Self, ReadError> {
        let failed = |source| ReadError::Io { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let most = file.metadata().map_err(failed)?.len();
        Archive::new(io::BufReader::new(file), most, path)?.puppet()
    }

    /// The same for a file in memory; `path` serves messages.
    pub fn load_bytes(bytes: &[u8], path: &Path) -> Result<Self, ReadError> {
        Archive::new(io::Cursor::new(bytes), bytes.len() as u64, path)?.puppet()
    }
}

/// What is written.
struct Entries<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> Entries<W> {
    fn bytes(&mut self, name: &str, method: CompressionMethod, bytes: &[u8]) -> io::Result<()> {
        self.0.start_file(name, SimpleFileOptions::default().compression_method(method).large_file(true))?;
        self.0.write_all(bytes)
    }

    fn text(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.bytes(name, CompressionMethod::Deflated, bytes)
    }

    fn array<T: Pod>(&mut self, name: &str, numbers: &[T]) -> io::Result<()> {
        self.bytes(name, CompressionMethod::Stored, bytemuck::cast_slice(numbers))
    }

    fn hung(&mut self, name: &str, hung: &Hung) -> io::Result<()> {
        self.array(&format!("{name}/sets"), &hung.sets)?;
        self.array(&format!("{name}/set-of"), &hung.set_of)?;
        self.array(&format!("{name}/weights"), &hung.weights)
    }
}

/// What is read.
struct Archive<'a, R: Read + Seek> {
    zip: ZipArchive<R>,
    path: &'a Path,
    /// All entries together unpack to no more than this.
    most: u64,
}

impl<'a, R: Read + Seek> Archive<'a, R> {
    fn new(input: R, length: u64, path: &'a Path) -> Result<Self, ReadError> {
        let not_zip = |error: zip::result::ZipError| {
            ReadError::content(path, Place::File, "a .steric file, which is a zip archive", error.to_string())
        };
        let mut zip = ZipArchive::new(input).map_err(not_zip)?;
        if zip.has_overlapping_files().map_err(not_zip)? {
            return Err(ReadError::content(path, Place::File, "entries beside each other", "some that overlap"));
        }
        // Corrections of a motion that presses nothing together are nearly all zeros, which pack a thousand times.
        Ok(Self { zip, path, most: length.saturating_mul(1100).saturating_add(1 << 20) })
    }

    fn wrong(&self, expected: impl Into<String>, found: impl AsRef<[u8]>) -> ReadError {
        ReadError::content(self.path, Place::File, expected, found)
    }

    fn bytes(&mut self, name: &str) -> Result<Vec<u8>, ReadError> {
        let (path, most) = (self.path, self.most);
        let missing = |error: zip::result::ZipError| {
            ReadError::content(path, Place::File, format!("the entry {name}"), error.to_string())
        };
        let entry = self.zip.by_name(name).map_err(missing)?;
        let mut bytes = Vec::with_capacity(entry.size().min(most).min(1 << 26) as usize);
        let broken = |error: io::Error| {
            ReadError::content(path, Place::File, format!("the entry {name} as it was written"), error.to_string())
        };
        let length = entry.take(most).read_to_end(&mut bytes).map_err(broken)? as u64;
        if length >= most {
            return Err(
                self.wrong(format!("an entry {name} that unpacks to what a file of this size can hold"), "more")
            );
        }
        self.most = most - length;
        Ok(bytes)
    }

    fn json<T: serde::de::DeserializeOwned>(&mut self, name: &str) -> Result<T, ReadError> {
        let bytes = self.bytes(name)?;
        serde_json::from_slice(&bytes)
            .map_err(|error| self.wrong(format!("{name} as it is documented"), error.to_string()))
    }

    fn array<T: Pod>(&mut self, name: &str, length: Option<usize>) -> Result<Vec<T>, ReadError> {
        let bytes = self.bytes(name)?;
        let is_whole = bytes.len() % size_of::<T>() == 0;
        let count = bytes.len() / size_of::<T>();
        if !is_whole || length.is_some_and(|length| length != count) {
            let expected = match length {
                Some(length) => format!("{} bytes in the entry {name}", length * size_of::<T>()),
                None => format!("records of {} bytes in the entry {name}", size_of::<T>()),
            };
            return Err(self.wrong(expected, format!("{} bytes", bytes.len())));
        }
        Ok(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
    }

    fn hung(&mut self, name: &str, points: usize, joints: usize) -> Result<Hung, ReadError> {
        let hung = Hung {
            sets: self.array(&format!("{name}/sets"), None)?,
            set_of: self.array(&format!("{name}/set-of"), Some(points))?,
            weights: self.array(&format!("{name}/weights"), Some(points))?,
        };
        if hung.is_sound(joints) {
            Ok(hung)
        } else {
            Err(self.wrong(format!("joints and sets that exist in {name}"), "others"))
        }
    }

    fn puppet(mut self) -> Result<Puppet, ReadError> {
        let manifest: Manifest = self.manifest()?;
        let structure = self.structure(&manifest)?;
        let radii: Vec<f32> = self.array("radii", Some(manifest.atoms))?;
        if let Some(wrong) = radii.iter().find(|radius| !(0.0..=100.0).contains(*radius)) {
            return Err(self.wrong("radii of 0 to 100 Å", wrong.to_string()));
        }
        let rig: Rig = self.json("rig.json")?;
        self.check_rig(&rig, manifest.frames.is_some())?;
        let joints = rig.skeleton.joints.len();
        let residues = self.groups("residue", &structure)?;
        let chains = self.groups("chain", &structure)?;
        if manifest.chain_bones.len() != chains.len() {
            return Err(self
                .wrong(format!("a bone for each of {} chains", chains.len()), manifest.chain_bones.len().to_string()));
        }
        let parts = Parts {
            hung: self.hung("weights/atom", manifest.atoms, joints)?,
            residues_hung: self.hung("weights/residue", residues.len(), joints)?,
            chain_bones: ChainBones {
                hung: self.hung("weights/chain", 3 * chains.len(), joints)?,
                bones: manifest.chain_bones.clone(),
            },
            super_atoms: self.super_atoms(&manifest, joints)?,
        };
        let frames = self.frames(&manifest)?;
        let corrections = self.corrections(&manifest, [residues.len(), chains.len()])?;
        let groups = (residues, chains);
        let mut puppet = Puppet::of_parts(structure, radii, rig, frames, groups, parts, manifest.options);
        puppet.set_manner(manifest.manner);
        corrections.into_iter().for_each(|own| puppet.correct(own));
        Ok(puppet)
    }

    fn manifest(&mut self) -> Result<Manifest, ReadError> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: [u32; 2],
        }
        let head: Head = self.json("manifest.json")?;
        if head.format != "steric" {
            return Err(self.wrong("the format \"steric\" in manifest.json", head.format));
        }
        if head.version[0] != VERSION[0] {
            let [major, minor] = head.version;
            return Err(self.wrong(
                format!("a file of version {}; a newer steric reads newer files", VERSION[0]),
                format!("{major}.{minor}"),
            ));
        }
        self.json("manifest.json")
    }

    fn structure(&mut self, manifest: &Manifest) -> Result<Structure, ReadError> {
        let bcif = self.bytes("structure.bcif")?;
        let mut structure = read_bytes(&bcif, &PathBuf::from("structure.bcif"), Some(Format::Bcif))
            .map_err(|error| self.wrong("a structure", error.to_string()))?
            .value;
        if structure.atoms.len() != manifest.atoms || manifest.atoms == 0 {
            return Err(
                self.wrong(format!("a structure of {} atoms", manifest.atoms), structure.atoms.len().to_string())
            );
        }
        let rest: Vec<[f32; 3]> = self.array("rest", Some(manifest.atoms))?;
        structure.atoms.positions = rest.into_iter().map(Vec3::from).collect();
        let bonds: Vec<[u32; 3]> = self.array("bonds", None)?;
        if bonds.iter().any(|&[first, second, order]| first.max(second) as usize >= manifest.atoms || order > 255) {
            return Err(self.wrong("bonds of atoms that are there", "others"));
        }
        structure.bonds =
            bonds.iter().map(|&[first, second, order]| Bond { first, second, order: order as u8 }).collect();
        if !structure.atoms.positions.iter().all(|place| place.is_finite()) {
            return Err(self.wrong("finite places of atoms", "others"));
        }
        Ok(structure)
    }

    fn check_rig(&self, rig: &Rig, has_frames: bool) -> Result<(), ReadError> {
        let joints = &rig.skeleton.joints;
        let is_ordered = (0u32..).zip(joints).all(|(index, joint)| joint.parent.is_none_or(|parent| parent < index));
        let is_finite = joints.iter().all(|joint| joint.bind.is_finite() && joint.rest.matrix().is_finite());
        let tracks = || rig.clips.iter().flat_map(|clip| &clip.tracks);
        let is_sound = tracks().all(|track| (track.joint as usize) < joints.len() && track.is_sound());
        let has_bones = has_frames || joints.iter().any(|joint| joint.moves_atoms);
        if is_ordered && is_finite && is_sound && has_bones && joints.len() <= usize::from(u16::MAX) {
            return Ok(());
        }
        Err(self
            .wrong("a skeleton whose parents come first, with finite numbers and rising keys", "another in rig.json"))
    }

    fn groups(&mut self, name: &str, structure: &Structure) -> Result<Groups, ReadError> {
        let of_atom: Vec<u32> = self.array(&format!("groups/{name}"), Some(structure.atoms.len()))?;
        let centres: Vec<[f64; 3]> = self.array(&format!("groups/{name}-centres"), None)?;
        let centres: Vec<DVec3> = centres.into_iter().map(DVec3::from).collect();
        let is_finite = centres.iter().all(|centre| centre.as_vec3().is_finite());
        let most = of_atom.iter().max().map_or(0, |&most| most as usize + 1);
        if most != centres.len() || !is_finite {
            return Err(self.wrong(format!("{most} finite centres of groups in {name}"), centres.len().to_string()));
        }
        let groups = Groups::with_centres(of_atom, centres);
        if (0..groups.len()).any(|group| groups.members(group).is_empty()) {
            return Err(self.wrong(format!("groups of at least one atom in {name}"), "an empty one"));
        }
        Ok(groups)
    }

    fn super_atoms(&mut self, manifest: &Manifest, joints: usize) -> Result<[Vec<SuperAtoms>; 3], ReadError> {
        let mut found: [Vec<SuperAtoms>; 3] = Default::default();
        for (level, each) in Level::ALL.into_iter().zip(&manifest.super_atoms) {
            for (number, &atoms_each) in each.iter().enumerate() {
                let name = format!("super-atoms/{}-{number}", level.name());
                let of_atom: Vec<u32> = self.array(&format!("{name}/of-atom"), Some(manifest.atoms))?;
                let spheres: Vec<[f32; 4]> = self.array(&format!("{name}/spheres"), None)?;
                let spheres: Vec<Sphere> =
                    spheres.iter().map(|&[x, y, z, radius]| Sphere { center: Vec3::new(x, y, z), radius }).collect();
                if of_atom.iter().any(|&own| own as usize >= spheres.len())
                    || !spheres.iter().all(|s| s.center.is_finite() && s.radius.is_finite() && s.radius >= 0.0)
                {
                    return Err(self.wrong(format!("a sphere for each super-atom of {name}"), "fewer"));
                }
                let hung = self.hung(&name, spheres.len(), joints)?;
                found[level as usize].push(SuperAtoms { atoms_each, of_atom, spheres, hung });
            }
        }
        Ok(found)
    }

    fn corrections(
        &mut self,
        manifest: &Manifest,
        [residues, chains]: [usize; 2],
    ) -> Result<Vec<Corrections>, ReadError> {
        let mut found = Vec::new();
        for (number, baked) in manifest.corrections.iter().enumerate() {
            let groups = match baked.manner.level {
                Level::Atom => manifest.atoms,
                Level::Residue => residues,
                Level::Chain => chains,
            };
            let mut own = Corrections::new((baked.clip, baked.manner), groups, baked.limit);
            own.times.clone_from(&baked.times);
            own.report.clone_from(&baked.report);
            own.numbers = self.array(&format!("corrections/{number}"), None)?;
            let is_known = found.iter().any(|other: &Corrections| other.made_for == own.made_for);
            if baked.groups != groups || !own.is_sound() || is_known {
                return Err(self.wrong(format!("corrections {number} for {groups} pieces at rising times"), "others"));
            }
            found.push(own);
        }
        Ok(found)
    }

    fn frames(&mut self, manifest: &Manifest) -> Result<Option<KeyFrames>, ReadError> {
        let Some(times) = &manifest.frames else { return Ok(None) };
        let mut frames = Vec::new();
        for number in 0..times.len() {
            let frame: Vec<[f32; 3]> = self.array(&format!("frames/{number}"), Some(manifest.atoms))?;
            frames.push(frame.into_iter().map(Vec3::from).collect());
        }
        KeyFrames::new(times.clone(), frames).map(Some).map_err(|error| self.wrong("frames that fit together", error))
    }
}
