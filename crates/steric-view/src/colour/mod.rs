//! Colours of atoms and molecules, sRGB.
//!
//! How it works: molecules share their types, so atoms are coloured once for each type, after an example molecule of it.
//! A molecule has a colour of its own only where the mode tells copies of a type apart (collision, overlap, leaflet, each
//! molecule), or where single atoms share a type but not a colour. Names, chains and residues get their colours in
//! tables before the atoms are visited, so an atom costs one lookup, and types and molecules are coloured in parallel.

mod by;
mod modes;
mod palette;
mod tables;
#[cfg(test)]
mod tests;

use steric_collide::Overlap;
use steric_model::{MoleculeId, Molecules, Scene, Structure, TypeId};

pub use by::ColourBy;
pub use palette::Palette;

use modes::{by_atom, by_collision, by_species, by_type_name, depths, each_molecule, of_types};

/// Red, green and blue.
type Rgb = [u8; 3];

/// sRGB colours of what is drawn.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::OverlapSearch;
/// use steric_model::{MoleculeId, Pose, Scene};
/// use steric_view::{ColourBy, Colours, Palette};
///
/// let mut scene = Scene::default();
/// let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
/// for x in [0.0, 3.0, 9.0] {
///     scene.add_molecule(argon, Pose::from_translation(DVec3::X * x));
/// }
/// let overlaps = OverlapSearch::default().overlaps(&scene);
/// let colours = Colours::of_scene(ColourBy::Collision, &Palette::classic(), &scene, &overlaps);
/// assert_eq!(colours.of_molecule(MoleculeId(1)), Some([255, 0, 0]));
/// assert_eq!(colours.of_molecule(MoleculeId(2)), Some([0, 255, 0]));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Colours {
    /// One for each atom of each type, by the atom's number in its type.
    pub atoms: Vec<Vec<[u8; 3]>>,
    /// One for a whole molecule, where there is one; it covers those of the atoms.
    pub molecules: Vec<Option<[u8; 3]>>,
    /// How much of each molecule hides what is behind it, 0 to 1; all of it where nothing is said.
    pub opacities: Vec<f32>,
}

/// What is known about molecules that come from files. Lists may be empty where nothing is known.
///
/// ```
/// use steric_model::{MoleculeOptions, Molecules, Source, TypeId, formats::xyz::read_xyz};
/// use steric_view::{ColourBy, Colours, Palette};
///
/// let structure = read_xyz(b"1\nzinc\nZn 0 0 0\n", "zinc.xyz".as_ref())?.value;
/// let zinc = Source { name: "zinc", structure: &structure, radii: &[1.4], takes_part: &|_| true, connected: &[] };
/// let molecules = Molecules::new(&[zinc], &MoleculeOptions::default())?;
/// let colours = Colours::new(ColourBy::Element, &Palette::classic(), &(&molecules, &[&structure][..]).into());
/// assert_eq!(colours.of_atom(TypeId(0), 0), [0x7D, 0x80, 0xB0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Coloured<'a> {
    /// The molecules.
    pub molecules: &'a Molecules,
    /// The files that they come from, in the order in which the molecules were made.
    pub structures: &'a [&'a Structure],
    /// Which atoms overlap.
    pub overlaps: &'a [Overlap],
    /// Whether each molecule is fixed.
    pub fixed: &'a [bool],
    /// For each molecule whether its leaflet is the outer one; `None` in no leaflet.
    pub leaflet_of: &'a [Option<bool>],
}

impl<'a> From<(&'a Molecules, &'a [&'a Structure])> for Coloured<'a> {
    fn from((molecules, structures): (&'a Molecules, &'a [&'a Structure])) -> Self {
        Self { molecules, structures, overlaps: &[], fixed: &[], leaflet_of: &[] }
    }
}

impl Colours {
    /// Colours for molecules that come from files.
    ///
    /// A fixed molecule is grey in a picture of collisions even where another touches it. Depths of overlaps are shown on
    /// a scale that stays the same from frame to frame, up to [`Palette::deepest`].
    ///
    /// ```
    /// use steric_model::{MoleculeOptions, Molecules, Source, TypeId, formats::xyz::read_xyz};
    /// use steric_view::{ColourBy, Colours, Palette};
    ///
    /// let structure = read_xyz(b"2\nCO\nC 0 0 0\nO 1.13 0 0\n", "co.xyz".as_ref())?.value;
    /// let co = Source { name: "CO", structure: &structure, radii: &[1.7, 1.5], takes_part: &|_| true, connected: &[] };
    /// let molecules = Molecules::new(&[co], &MoleculeOptions::default())?;
    /// let own = "C=#102030".parse()?;
    /// let colours = Colours::new(ColourBy::Element, &own, &(&molecules, &[&structure][..]).into());
    /// assert_eq!(colours.of_atom(TypeId(0), 0), [0x10, 0x20, 0x30]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(by: ColourBy, palette: &Palette, what: &Coloured<'_>) -> Self {
        let scene = what.molecules.scene();
        match by {
            ColourBy::Element | ColourBy::Chain | ColourBy::Residue => by_atom(by, palette, what),
            ColourBy::Type => by_species(palette, what.molecules),
            ColourBy::Leaflet => {
                each_molecule(palette, scene, |id| palette.leaflet(what.leaflet_of.get(id).copied().flatten()))
            }
            ColourBy::Collision => by_collision(palette, scene, what.overlaps, what.fixed),
            ColourBy::Molecule | ColourBy::Overlap | ColourBy::Uniform => {
                Self::of_scene(by, palette, scene, what.overlaps)
            }
        }
    }

    /// Colours for a scene that comes from no file. Elements, chains, residues and leaflets are not known there, so
    /// these modes show types; types of one name are one type.
    ///
    /// ```
    /// use steric_model::{Scene, TypeId};
    /// use steric_view::{ColourBy, Colours, Palette};
    ///
    /// let mut scene = Scene::default();
    /// scene.add_type("argon", &[glam::Vec3::ZERO], &[1.88]);
    /// scene.add_type("neon", &[glam::Vec3::ZERO], &[1.54]);
    /// let colours = Colours::of_scene(ColourBy::Element, &Palette::default(), &scene, &[]);
    /// assert_ne!(colours.of_atom(TypeId(0), 0), colours.of_atom(TypeId(1), 0));
    /// ```
    pub fn of_scene(by: ColourBy, palette: &Palette, scene: &Scene, overlaps: &[Overlap]) -> Self {
        match by {
            ColourBy::Molecule => each_molecule(palette, scene, |id| palette.category(id)),
            ColourBy::Collision => by_collision(palette, scene, overlaps, &[]),
            ColourBy::Overlap => {
                let depths = depths(scene, overlaps);
                each_molecule(palette, scene, |id| palette.depth(depths.of(id).unwrap_or(0.0)))
            }
            ColourBy::Uniform => of_types(scene, |_| palette.uniform()),
            ColourBy::Type | ColourBy::Element | ColourBy::Chain | ColourBy::Residue | ColourBy::Leaflet => {
                by_type_name(palette, scene)
            }
        }
    }

    /// The colour of an atom of a type, by its number there, where its molecule has none.
    ///
    /// ```
    /// use steric_model::TypeId;
    /// use steric_view::Colours;
    ///
    /// let colours = Colours { atoms: vec![vec![[9, 9, 9], [200, 0, 0]]], molecules: vec![None], ..Colours::default() };
    /// assert_eq!(colours.of_atom(TypeId(0), 1), [200, 0, 0]);
    /// ```
    pub fn of_atom(&self, kind: TypeId, atom: u32) -> [u8; 3] {
        self.atoms[kind.0 as usize][atom as usize]
    }

    /// The colour of a whole molecule; `None` where its atoms have theirs.
    ///
    /// ```
    /// use steric_model::MoleculeId;
    /// use steric_view::Colours;
    ///
    /// let colours = Colours { atoms: vec![vec![[9, 9, 9]]], molecules: vec![None, Some([0, 90, 0])], ..Colours::default() };
    /// assert_eq!([0, 1].map(|id| colours.of_molecule(MoleculeId(id))), [None, Some([0, 90, 0])]);
    /// ```
    pub fn of_molecule(&self, molecule: MoleculeId) -> Option<[u8; 3]> {
        self.molecules[molecule.0 as usize]
    }
}
