//! The structures that a packed scene is made of: finding their files, reading them, adding them to the scene.

use std::path::{Path, PathBuf};

use glam::DVec3;
use rustc_hash::FxHashMap;

use crate::formats::{Format, read_file_as, text::stem};
use crate::{Assembly, Bond, Copies, Element, Model, Place, Pose, Structure, Warnings};

/// The molecule files in some folders, by name.
///
/// ```
/// use steric_model::formats::cellpack::TemplateFolders;
///
/// let folders = TemplateFolders::new([concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data")]);
/// assert!(folders.find("POPC").is_some_and(|file| file.ends_with("popc.pdb")));
/// assert_eq!(folders.find("1crn.pdb"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct TemplateFolders {
    file_of: FxHashMap<String, PathBuf>,
}

impl TemplateFolders {
    // A scene in somebody's home folder must not make us walk through all of it.
    const MOST_FOLDERS: usize = 200;
    const MOST_FILES: usize = 100_000;

    /// The files in these folders, which are not searched deeper; an earlier folder wins.
    pub fn new(folders: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        let mut found = Self::default();
        for folder in folders {
            found.add(folder.as_ref());
        }
        found
    }

    /// The files beside a scene, in the folders beside it, and in the folders beside its own.
    pub fn around(scene: &Path) -> Self {
        let beside = scene.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let above = beside.canonicalize().ok().and_then(|folder| folder.parent().map(Path::to_owned));
        let mut folders = vec![beside.to_owned()];
        folders.extend(folders_in(beside));
        folders.extend(above.iter().flat_map(|above| folders_in(above)));
        Self::new(folders)
    }

    /// The file of a structure, by its name in any case, with or without `.pdb`, `.cif` or `.gz`.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        // A name is a name, not a path: a scene must not reach into other folders.
        let name = name.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
        self.file_of.get(&name).or_else(|| self.file_of.get(&stem(Path::new(&name)))).cloned()
    }

    fn add(&mut self, folder: &Path) {
        let mut files: Vec<PathBuf> = entries(folder)
            .filter(|path| Format::from_path(path).is_some_and(|format| format != Format::CellPack))
            .collect();
        files.sort();
        for file in files {
            self.file_of.entry(stem(&file).to_ascii_lowercase()).or_insert(file);
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.take(TemplateFolders::MOST_FILES).filter_map(|entry| Some(entry.ok()?.path()))
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        entries(folder).filter(|path| path.is_dir()).take(TemplateFolders::MOST_FOLDERS).collect();
    folders.sort();
    folders
}

/// The first model of a structure file, as the biological unit of this id if it has one.
pub(super) fn load_template(file: &Path, unit: Option<&str>, warnings: &mut Warnings) -> Result<Structure, String> {
    // No unit of a template is larger than the largest virus in the PDB.
    const MOST_ATOMS: usize = 50_000_000;
    let is_molecule = |format| format != Format::CellPack;
    let structure = read_file_as(file, is_molecule).map_err(|error| error.to_string())?.value;
    let assembly = unit.and_then(|unit| structure.assemblies.iter().find(|assembly| assembly.id == unit));
    if let (Some(unit), None, false) = (unit, assembly, structure.assemblies.is_empty()) {
        let message = || format!("{} has no biological unit {unit}; its atoms are taken as they are", file.display());
        warnings.push(Place::File, message);
    }
    let in_first_model = |chain: &u32| structure.chains.get(*chain as usize).is_some_and(|chain| chain.model == 0);
    let copies = match assembly {
        Some(assembly) => assembly.copies.clone(),
        None => {
            let chains = (0..structure.chains.len() as u32).collect();
            vec![Copies { name: Default::default(), chains, poses: vec![Pose::IDENTITY] }]
        }
    };
    let restrict =
        |copies: Copies| Copies { chains: copies.chains.into_iter().filter(in_first_model).collect(), ..copies };
    let assembly = Assembly { id: String::new(), copies: copies.into_iter().map(restrict).collect() };
    structure.expand(&assembly, MOST_ATOMS).map_err(|error| error.to_string())
}

/// Adds a template as a model of the scene, without its waters, and returns its chains.
pub(super) fn add_template(scene: &mut Structure, template: &Structure, place: &str, is_centred: bool) -> Vec<u32> {
    let centre = if is_centred { centre(template) } else { DVec3::ZERO };
    let start = scene.atoms.len() as u32;
    let first_chain = scene.chains.len() as u32;
    let mut residue_of = FxHashMap::default();
    let mut atom_of = FxHashMap::default();
    let mut chain_of = FxHashMap::default();
    for atom in 0..template.atoms.len() {
        let residue = template.atoms.residues[atom];
        if is_water(template, residue) {
            continue;
        }
        let new_residue = *residue_of.entry(residue).or_insert_with(|| {
            let mut copy = template.residues[residue as usize];
            copy.chain = *chain_of.entry(copy.chain).or_insert_with(|| {
                let mut chain = template.chains[copy.chain as usize].clone();
                chain.model = scene.models.len() as u32;
                chain.description = place.into();
                scene.chains.push(chain);
                scene.chains.len() as u32 - 1
            });
            scene.residues.push(copy);
            scene.residues.len() as u32 - 1
        });
        atom_of.insert(atom as u32, scene.atoms.len() as u32);
        push_atom(scene, template, atom, centre, new_residue);
    }
    let renamed =
        |bond: &Bond| Some(Bond { first: *atom_of.get(&bond.first)?, second: *atom_of.get(&bond.second)?, ..*bond });
    scene.bonds.extend(template.bonds.iter().filter_map(renamed));
    scene.models.push(Model { number: scene.models.len() as i32 + 1, atoms: start..scene.atoms.len() as u32 });
    (first_chain..scene.chains.len() as u32).collect()
}

fn push_atom(scene: &mut Structure, template: &Structure, atom: usize, centre: DVec3, residue: u32) {
    let (to, from) = (&mut scene.atoms, &template.atoms);
    to.positions.push((from.positions[atom].as_dvec3() - centre).as_vec3());
    to.elements.push(from.elements[atom]);
    to.names.push(from.names[atom]);
    to.residues.push(residue);
    to.serials.push(from.serials[atom]);
    to.alternates.push(from.alternates[atom]);
    to.occupancies.push(from.occupancies[atom]);
    to.b_factors.push(from.b_factors[atom]);
    to.formal_charges.push(from.formal_charges[atom]);
}

// The mean of the heavy atoms without waters, so that it does not depend on whether hydrogens are there.
fn centre(template: &Structure) -> DVec3 {
    let atoms = &template.atoms;
    let counts =
        |atom: &usize| atoms.elements[*atom] != Element::HYDROGEN && !is_water(template, atoms.residues[*atom]);
    let heavy = (0..atoms.len()).filter(counts);
    let (sum, count) =
        heavy.fold((DVec3::ZERO, 0u32), |(sum, count), atom| (sum + atoms.positions[atom].as_dvec3(), count + 1));
    sum / f64::from(count.max(1))
}

fn is_water(structure: &Structure, residue: u32) -> bool {
    matches!(structure.residues[residue as usize].name.as_str(), "HOH" | "DOD" | "WAT" | "H2O" | "SOL" | "TIP3")
}
