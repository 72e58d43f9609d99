//! Which chains stand where: the chosen assembly as sets of chains with one pose per copy.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use super::{MoleculeOptions, MoleculesBy, MoleculesError, Source, units};
use crate::{Assembly, Copies, Pose, Structure};

/// Which copies of a file are meant.
///
/// ```
/// use steric_model::{Assembly, AssemblyChoice, AtomRecord, Copies, Pose, StructureBuilder};
///
/// let mut builder = StructureBuilder::new("dimer", 1);
/// builder.push(AtomRecord { chain: "A", ..AtomRecord::default() });
/// let poses = vec![Pose::IDENTITY, Pose::from_translation(glam::DVec3::X * 9.0)];
/// let copies = vec![Copies { chains: vec![0], poses, ..Copies::default() }];
/// builder.structure_mut().assemblies.push(Assembly { id: "1".into(), copies });
/// let dimer = builder.finish();
/// assert_eq!(AssemblyChoice::Id("1".into()).assembly(&dimer), Some(dimer.assemblies[0].clone()));
/// assert_eq!(AssemblyChoice::None.assembly(&dimer), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AssemblyChoice {
    /// The first assembly, if it copies anything; all of them where each places chains of its own and there is no
    /// unit cell (a packed membrane with one assembly per lipid).
    #[default]
    Auto,
    /// The assembly of this id.
    Id(String),
    /// All assemblies together.
    All,
    /// The atoms as they stand in the file.
    None,
}

impl AssemblyChoice {
    /// The copies that are meant, as one assembly; `None` where there are none to place.
    pub fn assembly(&self, structure: &Structure) -> Option<Assembly> {
        let copies = chosen(structure, self).filter(|copies| !copies.is_empty())?;
        let id = structure.assemblies.first().map_or_else(String::new, |assembly| assembly.id.clone());
        Some(Assembly { id, copies: copies.into_iter().map(|(_, copies)| copies.clone()).collect() })
    }
}

impl std::str::FromStr for AssemblyChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "auto" => Self::Auto,
            "all" => Self::All,
            "none" => Self::None,
            id => Self::Id(id.to_owned()),
        })
    }
}

/// Chains that move together, and where: a pose and a copy number for each copy.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    pub(super) name: SmolStr,
    pub(super) chains: Vec<u32>,
    pub(super) poses: Vec<(Pose, u32)>,
}

/// What [`MoleculesBy::Auto`] means for a file.
pub(super) fn resolve(structure: &Structure, options: &MoleculeOptions) -> MoleculesBy {
    if options.by != MoleculesBy::Auto {
        return options.by;
    }
    let copies = chosen(structure, &options.assembly).unwrap_or_default();
    if copies.iter().any(|(_, copies)| copies.poses.iter().any(|&pose| pose != Pose::IDENTITY)) {
        return MoleculesBy::Instance;
    }
    MoleculesBy::Auto
}

/// The placements of a file.
pub(super) fn placements(
    source: &Source<'_>,
    options: &MoleculeOptions,
    by: MoleculesBy,
) -> Result<Vec<Placement>, MoleculesError> {
    let structure = source.structure;
    let Some(copies) = chosen(structure, &options.assembly) else {
        let wanted = if let AssemblyChoice::Id(id) = &options.assembly { id.clone() } else { String::new() };
        return Err(MoleculesError::NoSuchAssembly { file: source.name.to_owned(), wanted, known: known(structure) });
    };
    if copies.is_empty() {
        if by == MoleculesBy::Instance {
            return Err(MoleculesError::NoInstances { file: source.name.to_owned() });
        }
        return Ok(vec![as_it_stands(structure)]);
    }
    Ok(bodies(structure, &copies))
}

/// The ids that could have been asked for: the first ten of them.
fn known(structure: &Structure) -> String {
    const SHOWN: usize = 10;
    let ids: Vec<&str> = structure.assemblies.iter().map(|assembly| assembly.id.as_str()).take(SHOWN).collect();
    match structure.assemblies.len() {
        0 => "the assembly all or none, because the file has no assemblies".to_owned(),
        1 => format!("the assembly {}", ids[0]),
        many if many > SHOWN => format!("one of {many} assemblies ({}, ...)", ids.join(", ")),
        _ => format!("one of the assemblies {}", ids.join(", ")),
    }
}

/// The first model, where it stands.
fn as_it_stands(structure: &Structure) -> Placement {
    let first = structure.models.iter().position(|model| !model.atoms.is_empty()).unwrap_or(0) as u32;
    let chains = (0..structure.chains.len() as u32).filter(|&chain| structure.chains[chain as usize].model == first);
    Placement { name: SmolStr::default(), chains: chains.collect(), poses: vec![(Pose::IDENTITY, 1)] }
}

/// The copies that are meant; none if the file is to be taken as it stands, `None` if there is no such assembly.
fn chosen<'a>(structure: &'a Structure, choice: &AssemblyChoice) -> Option<Vec<(&'a Assembly, &'a Copies)>> {
    let assemblies = &structure.assemblies;
    let of = |assembly: &'a Assembly| assembly.copies.iter().map(move |copies| (assembly, copies));
    let all = || assemblies.iter().flat_map(of).collect();
    match choice {
        AssemblyChoice::None => Some(Vec::new()),
        AssemblyChoice::All => Some(all()),
        AssemblyChoice::Id(id) => {
            assemblies.iter().find(|assembly| assembly.id == *id).map(|assembly| of(assembly).collect())
        }
        AssemblyChoice::Auto if is_packed_scene(structure) => Some(all()),
        AssemblyChoice::Auto => Some(match assemblies.first() {
            Some(first) if moves_anything(first) => of(first).collect(),
            _ => Vec::new(),
        }),
    }
}

fn moves_anything(assembly: &Assembly) -> bool {
    assembly.copies.iter().any(|copies| copies.poses.iter().any(|&pose| pose != Pose::IDENTITY))
}

/// Several assemblies, each of chains of its own, and no unit cell: together they are one scene.
fn is_packed_scene(structure: &Structure) -> bool {
    if structure.assemblies.len() < 2 || structure.periodic_box.is_some() {
        return false;
    }
    let mut seen = FxHashSet::default();
    structure.assemblies.iter().all(|assembly| {
        let own: FxHashSet<u32> = assembly.copies.iter().flat_map(|copies| copies.chains.iter().copied()).collect();
        let before = seen.len();
        let own_chains = own.len();
        seen.extend(own);
        seen.len() == before + own_chains
    })
}

/// Rows of one assembly that name the same operators move together (capsid protein in one row, its zinc in the next),
/// so they make one body; and an operator that comes again has the same copy number.
fn bodies(structure: &Structure, copies: &[(&Assembly, &Copies)]) -> Vec<Placement> {
    let mut numbers: FxHashMap<[u64; 7], u32> = FxHashMap::default();
    let mut by_poses: FxHashMap<(&str, &str, Vec<u32>), usize> = FxHashMap::default();
    let mut placements: Vec<Placement> = Vec::new();
    for (assembly, copies) in copies {
        let mut number = |pose: &Pose| {
            let next = numbers.len() as u32 + 1;
            *numbers.entry(pose.to_bits()).or_insert(next)
        };
        let poses: Vec<(Pose, u32)> = copies.poses.iter().map(|pose| (*pose, number(pose))).collect();
        let chains = units::chains_of_one_model(structure, &copies.chains);
        let key = (assembly.id.as_str(), copies.name.as_str(), poses.iter().map(|&(_, copy)| copy).collect());
        match by_poses.get(&key) {
            Some(&body) => {
                let body = &mut placements[body];
                let new: Vec<u32> = chains.into_iter().filter(|chain| !body.chains.contains(chain)).collect();
                body.chains.extend(new);
            }
            None => {
                by_poses.insert(key, placements.len());
                placements.push(Placement { name: copies.name.clone(), chains, poses });
            }
        }
    }
    placements
}
