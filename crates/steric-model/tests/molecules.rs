//! What is one molecule, where its copies stand, and the way back to the file's atoms.

use glam::{DVec3, Vec3};
use steric_model::{
    Assembly, AssemblyChoice, AtomId, AtomRecord, Copies, MoleculeId, MoleculeOptions, Molecules, MoleculesBy,
    MoleculesError, Name, Origin, Periodic, PeriodicBox, Pose, Source, Structure, StructureBuilder,
};

struct Sketch(StructureBuilder);

impl Sketch {
    fn new() -> Self {
        Self(StructureBuilder::new("sketch", 0))
    }

    fn atom(mut self, chain: &str, residue: &str, number: i32, atom: &str, x: f32, hetero: bool) -> Self {
        self.0.push(AtomRecord {
            position: Vec3::X * x,
            name: Name::new(atom),
            residue_name: Name::new(residue),
            residue_number: number,
            hetero,
            chain,
            occupancy: 1.0,
            ..AtomRecord::default()
        });
        self
    }

    fn finish(self) -> Structure {
        self.0.finish()
    }
}

fn molecules(structure: &Structure, options: &MoleculeOptions) -> Result<Molecules, MoleculesError> {
    let radii = vec![1.0; structure.atoms.len()];
    let source = Source { name: "sketch.pdb", structure, radii: &radii, takes_part: &|_| true, connected: &[] };
    Molecules::new(&[source], options)
}

fn by(by: MoleculesBy) -> MoleculeOptions {
    MoleculeOptions { by, ..MoleculeOptions::default() }
}

fn names(molecules: &Molecules) -> Vec<&str> {
    let species = |molecule| molecules.species()[molecules.species_of(MoleculeId(molecule)) as usize].as_str();
    (0..molecules.scene().molecules().len() as u32).map(species).collect()
}

fn dimer() -> Structure {
    let mut structure =
        Sketch::new().atom("A", "GLY", 1, "CA", 0.0, false).atom("B", "GLY", 1, "CA", 10.0, false).finish();
    let poses = vec![Pose::IDENTITY, Pose::from_translation(DVec3::Y * 50.0), Pose::from_translation(DVec3::Y * 90.0)];
    let copies = Copies { name: "dimer".into(), chains: vec![0, 1], poses };
    structure.assemblies.push(Assembly { id: "1".to_owned(), copies: vec![copies] });
    structure
}

#[test]
fn a_modified_residue_stays_in_its_chain_and_a_ligand_does_not() {
    let structure = Sketch::new()
        .atom("A", "GLY", 1, "CA", 0.0, false)
        .atom("A", "GLY", 1, "C", 1.5, false)
        .atom("A", "MSE", 2, "N", 2.8, true)
        .atom("A", "MSE", 2, "CA", 4.2, true)
        .atom("A", "HEM", 101, "FE", 30.0, true)
        .atom("A", "HOH", 201, "O", 40.0, true)
        .atom("A", "HOH", 202, "O", 50.0, true)
        .finish();
    let molecules = molecules(&structure, &MoleculeOptions::default()).unwrap();
    assert_eq!(names(&molecules), ["chain A", "HEM", "HOH", "HOH"]);
    assert_eq!(molecules.by_words(0), "chain, hetero groups apart");
    // Both waters are one type.
    assert_eq!(molecules.scene().types().len(), 3);
    assert_eq!(molecules.origin(AtomId::new(0, 3)), Origin { file: 0, atom: 3, copy: 1 });
    assert_eq!(molecules.origin(AtomId::new(3, 0)), Origin { file: 0, atom: 6, copy: 1 });
}

#[test]
fn without_chain_names_backbone_bonds_hold_a_polymer_together() {
    let structure = Sketch::new()
        .atom("", "GLY", 1, "CA", 0.0, false)
        .atom("", "GLY", 1, "C", 1.5, false)
        .atom("", "ALA", 2, "N", 2.8, false)
        .atom("", "ALA", 2, "CA", 4.2, false)
        .atom("", "DPPC", 3, "P", 30.0, false)
        .atom("", "DPPC", 4, "P", 40.0, false)
        .finish();
    let molecules = molecules(&structure, &MoleculeOptions::default()).unwrap();
    assert_eq!(names(&molecules), ["chain", "DPPC", "DPPC"]);
    assert_eq!(molecules.by_words(0), "residue, polymers whole");
}

#[test]
fn copies_share_one_type_and_know_their_number() {
    let structure = dimer();
    let scene = molecules(&structure, &MoleculeOptions::default()).unwrap();
    assert_eq!((scene.by(0), scene.copies(0)), (MoleculesBy::Instance, 3));
    assert_eq!((scene.scene().types().len(), scene.scene().molecules().len()), (1, 3));
    assert_eq!(names(&scene), ["dimer"; 3]);
    assert_eq!(scene.origin(AtomId::new(2, 1)), Origin { file: 0, atom: 1, copy: 3 });
    let place = |molecule| scene.scene().placed_atoms(MoleculeId(molecule)).map(|(_, place, _)| place).next().unwrap();
    assert!((place(1) - DVec3::new(0.0, 50.0, 0.0)).length() < 1e-6);
    // Chains of one copy carry one number, whatever they are cut into.
    let chains = molecules(&structure, &by(MoleculesBy::Chain)).unwrap();
    assert_eq!((chains.scene().types().len(), chains.scene().molecules().len()), (2, 6));
    assert_eq!(chains.origin(AtomId::new(1, 0)).copy, chains.origin(AtomId::new(4, 0)).copy);
}

#[test]
fn the_assembly_can_be_chosen() {
    let mut structure = dimer();
    let pair = Copies { chains: vec![0], poses: vec![Pose::IDENTITY; 2], ..Copies::default() };
    structure.assemblies.push(Assembly { id: "PAU".to_owned(), copies: vec![pair] });
    structure.periodic_box = PeriodicBox::orthogonal(DVec3::splat(100.0));
    let count = |assembly| {
        let options = MoleculeOptions { assembly, ..MoleculeOptions::default() };
        molecules(&structure, &options).map(|molecules| molecules.scene().atoms())
    };
    assert_eq!(count(AssemblyChoice::Auto), Ok(6));
    assert_eq!(count(AssemblyChoice::None), Ok(2));
    assert_eq!(count(AssemblyChoice::Id("PAU".to_owned())), Ok(2));
    assert_eq!(count(AssemblyChoice::All), Ok(8));
    let error = count(AssemblyChoice::Id("2".to_owned())).unwrap_err();
    assert_eq!(error.to_string(), "sketch.pdb: expected one of the assemblies 1, PAU, found \"2\"");
}

#[test]
fn assemblies_of_their_own_chains_without_a_cell_are_one_scene() {
    let mut structure = dimer();
    structure.assemblies.clear();
    for chain in [0, 1] {
        let poses = vec![Pose::from_translation(DVec3::Z), Pose::from_translation(DVec3::Z * 70.0)];
        let copies = vec![Copies { chains: vec![chain], poses, ..Copies::default() }];
        structure.assemblies.push(Assembly { id: chain.to_string(), copies });
    }
    assert_eq!(molecules(&structure, &MoleculeOptions::default()).unwrap().scene().molecules().len(), 4);
    structure.periodic_box = PeriodicBox::orthogonal(DVec3::splat(100.0));
    assert_eq!(molecules(&structure, &MoleculeOptions::default()).unwrap().scene().molecules().len(), 2);
}

#[test]
fn only_the_first_model_of_an_ensemble_stands() {
    let mut builder = StructureBuilder::new("nmr", 0);
    for model in 1..=3 {
        builder.start_model(model);
        builder.push(AtomRecord { chain: "A", ..AtomRecord::default() });
    }
    let mut structure = builder.finish();
    assert_eq!(molecules(&structure, &MoleculeOptions::default()).unwrap().scene().atoms(), 1);
    let poses = vec![Pose::IDENTITY, Pose::from_translation(DVec3::X)];
    let copies = vec![Copies { chains: vec![0, 1, 2], poses, ..Copies::default() }];
    structure.assemblies.push(Assembly { id: "1".to_owned(), copies });
    assert_eq!(molecules(&structure, &MoleculeOptions::default()).unwrap().scene().atoms(), 2);
}

#[test]
fn a_box_repeats_when_it_is_a_simulation_box_or_when_asked() {
    let mut structure = dimer();
    structure.assemblies.clear();
    let periodic = |structure: &Structure, periodic| {
        let options = MoleculeOptions { periodic, ..MoleculeOptions::default() };
        molecules(structure, &options).map(|molecules| molecules.scene().periodic_box().is_some())
    };
    assert_eq!(periodic(&structure, Periodic::Auto), Ok(false));
    assert!(matches!(periodic(&structure, Periodic::Yes), Err(MoleculesError::NoBox { .. })));
    structure.periodic_box = PeriodicBox::orthogonal(DVec3::splat(40.0));
    assert_eq!(periodic(&structure, Periodic::Auto), Ok(true));
    assert_eq!(periodic(&structure, Periodic::No), Ok(false));
    structure.space_group = "C 1 2 1".to_owned();
    assert_eq!(periodic(&structure, Periodic::Auto), Ok(false));
    assert_eq!(periodic(&structure, Periodic::Yes), Ok(true));
}

#[test]
fn bonds_make_molecules_and_atoms_that_take_no_part_are_left_out() {
    let structure = dimer();
    let radii = [1.0; 2];
    let source =
        |connected, takes_part| Source { name: "sketch", structure: &structure, radii: &radii, takes_part, connected };
    let options = MoleculeOptions { assembly: AssemblyChoice::None, ..by(MoleculesBy::Connected) };
    let count = |source| Molecules::new(&[source], &options).unwrap().scene().molecules().len();
    assert_eq!(count(source(&[7, 7], &|_| true)), 1);
    assert_eq!(count(source(&[0, 1], &|_| true)), 2);
    let half = Molecules::new(&[source(&[], &|atom| atom == 1)], &by(MoleculesBy::Instance)).unwrap();
    assert_eq!((half.scene().atoms(), half.left_out()), (3, 3));
    assert_eq!(half.origin(AtomId::new(0, 0)).atom, 1);
}

#[test]
fn not_finite_coordinates_take_no_part() {
    let structure =
        Sketch::new().atom("A", "GLY", 1, "CA", f32::NAN, false).atom("A", "GLY", 2, "CA", 1.0, false).finish();
    let molecules = molecules(&structure, &MoleculeOptions::default()).unwrap();
    assert_eq!((molecules.scene().atoms(), molecules.left_out()), (1, 1));
}
