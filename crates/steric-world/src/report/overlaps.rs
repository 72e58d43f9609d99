//! How many overlaps there are, how deep, and of which molecules.

use std::collections::BTreeMap;

use serde::Serialize;
use steric_collide::Overlap;
use steric_model::{AtomId, MoleculeId, Molecules, Structure};

/// The overlaps of a scene in four numbers.
///
/// ```
/// use steric_collide::Overlap;
/// use steric_model::AtomId;
/// use steric_world::report::OverlapTotals;
///
/// let overlap = |other, depth| Overlap { first: AtomId::new(0, 0), second: AtomId::new(other, 0), depth };
/// let totals = OverlapTotals::of(&[overlap(1, 0.5), overlap(2, 1.0)], 9);
/// assert_eq!((totals.overlaps, totals.molecules), (2, 3));
/// assert_eq!((totals.deepest, totals.mean_depth), (1.0, 0.75));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct OverlapTotals {
    /// Pairs of atoms.
    pub overlaps: u64,
    /// Molecules that take part in one.
    pub molecules: u64,
    /// The deepest, in angstroms; 0 without any.
    pub deepest: f64,
    /// The mean depth, in angstroms; 0 without any.
    pub mean_depth: f64,
}

impl OverlapTotals {
    /// The totals of a list of overlaps in a scene of so many molecules.
    pub fn of(overlaps: &[Overlap], molecules: usize) -> Self {
        let mut touched = vec![false; molecules];
        for overlap in overlaps {
            touched[overlap.first.molecule.0 as usize] = true;
            touched[overlap.second.molecule.0 as usize] = true;
        }
        let depths = || overlaps.iter().map(|overlap| f64::from(overlap.depth));
        Self {
            overlaps: overlaps.len() as u64,
            molecules: touched.iter().filter(|&&touched| touched).count() as u64,
            deepest: depths().fold(0.0, f64::max),
            // Not `sum`, which makes -0 of nothing.
            mean_depth: depths().fold(0.0, |sum, depth| sum + depth) / overlaps.len().max(1) as f64,
        }
    }
}

/// A molecule that still overlaps others.
///
/// ```
/// use steric_collide::Overlap;
/// use steric_model::{AtomId, MoleculeOptions, Molecules, Source, formats::xyz::read_xyz};
/// use steric_world::report::StillOverlapping;
///
/// let structure = read_xyz(b"2\nargon\nAr 0 0 0\nAr 1 0 0\n", "argon.xyz".as_ref())?.value;
/// let source = Source { name: "argon", structure: &structure, radii: &[1.9; 2], takes_part: &|_| true, connected: &[0, 1] };
/// let options = MoleculeOptions { by: steric_model::MoleculesBy::Connected, ..MoleculeOptions::default() };
/// let molecules = Molecules::new(&[source], &options)?;
/// let overlaps = [Overlap { first: AtomId::new(0, 0), second: AtomId::new(1, 0), depth: 2.8 }];
/// let still = StillOverlapping::of(&molecules, &[&structure], &overlaps);
/// assert_eq!((still.len(), still[0].overlaps, still[0].deepest), (2, 1, 2.8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StillOverlapping {
    /// The molecule's number in the scene, from 0.
    pub molecule: u32,
    /// What it is called: `#17 POPC` for the seventeenth copy, `A POP 3` in the words of a file.
    pub name: String,
    /// How many of its atom pairs overlap.
    pub overlaps: u64,
    /// The deepest of them, in angstroms.
    pub deepest: f32,
}

impl StillOverlapping {
    /// How many are named.
    pub const SHOWN: usize = 20;

    /// The molecules with the deepest overlaps, deepest first, at most [`StillOverlapping::SHOWN`].
    pub fn of(molecules: &Molecules, structures: &[&Structure], overlaps: &[Overlap]) -> Vec<Self> {
        let mut sums: BTreeMap<MoleculeId, (u64, f32)> = BTreeMap::new();
        for overlap in overlaps {
            for end in [overlap.first, overlap.second] {
                let (count, deepest) = sums.entry(end.molecule).or_insert((0, f32::NEG_INFINITY));
                *count += 1;
                *deepest = deepest.max(overlap.depth);
            }
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by(|(_, (_, a)), (_, (_, b))| b.total_cmp(a));
        sums.truncate(Self::SHOWN);
        let copied: Vec<bool> = (0..structures.len() as u32).map(|file| molecules.copies(file) > 1).collect();
        let named = |(id, (overlaps, deepest)): (MoleculeId, _)| {
            let file = molecules.file(id) as usize;
            Self { molecule: id.0, name: name(molecules, structures[file], id, copied[file]), overlaps, deepest }
        };
        sums.into_iter().map(named).collect()
    }
}

/// Its number among the copies and its species, or the chain and residue that it is.
fn name(molecules: &Molecules, structure: &Structure, id: MoleculeId, copied: bool) -> String {
    let species = &molecules.species()[molecules.species_of(id) as usize];
    let origin = molecules.origin(AtomId { molecule: id, atom: 0 });
    if copied {
        return format!("#{} {species}", origin.copy);
    }
    let residue = structure.residues[structure.atoms.residues[origin.atom as usize] as usize];
    let chain = &structure.chains[residue.chain as usize].name;
    let is_residue = species.as_str() == residue.name.as_str();
    match (is_residue, chain.is_empty()) {
        (true, true) => format!("{species} {}", residue.number),
        (true, false) => format!("{chain} {species} {}", residue.number),
        (false, _) => species.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use steric_model::{AtomRecord, MoleculeOptions, Name, Source, StructureBuilder};

    use super::*;

    #[test]
    fn the_twenty_deepest_are_named_in_the_words_of_their_file() {
        let mut builder = StructureBuilder::new("ions", 0);
        for number in 0..60 {
            let (position, residue_name, chain) = (Vec3::X * number as f32, Name::new("ZN"), "B");
            builder.push(AtomRecord {
                position,
                residue_name,
                chain,
                residue_number: number + 1,
                hetero: true,
                ..Default::default()
            });
        }
        let structure = builder.finish();
        let radii = [1.0; 60];
        let source =
            Source { name: "ions", structure: &structure, radii: &radii, takes_part: &|_| true, connected: &[] };
        let molecules = Molecules::new(&[source], &MoleculeOptions::default()).unwrap();
        let overlap = |i| Overlap { first: AtomId::new(i, 0), second: AtomId::new(i + 1, 0), depth: i as f32 };
        let overlaps: Vec<Overlap> = (0..59).map(overlap).collect();
        let still = StillOverlapping::of(&molecules, &[&structure], &overlaps);
        assert_eq!(still.len(), StillOverlapping::SHOWN);
        let last = StillOverlapping { molecule: 58, name: "B ZN 59".to_owned(), overlaps: 2, deepest: 58.0 };
        assert_eq!((&still[0], &still[1].name[..]), (&last, "B ZN 60"));
    }

    #[test]
    fn no_overlaps_are_no_depth() {
        let none = OverlapTotals::of(&[], 5);
        assert_eq!(none, OverlapTotals::default());
        assert!(none.mean_depth.is_sign_positive());
    }
}
