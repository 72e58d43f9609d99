//! What the check promises beyond the command line: copies, bonds, order.

use glam::{DVec3, Vec3};
use steric::model::{Assembly, AtomRecord, Copies, Element, Name, StructureBuilder, Warnings};
use steric::prelude::*;

/// Atoms given as (residue number, atom name, element, place), in one chain.
fn peptide(atoms: &[(i32, &str, Element, Vec3)]) -> Structure {
    let mut builder = StructureBuilder::new("peptide", atoms.len());
    for &(residue_number, name, element, position) in atoms {
        builder.push(AtomRecord {
            position,
            element,
            name: Name::new(name),
            residue_name: Name::new("GLY"),
            residue_number,
            occupancy: 1.0,
            chain: "A",
            ..AtomRecord::default()
        });
    }
    builder.finish()
}

fn copied(mut structure: Structure, places: &[DVec3]) -> Structure {
    let poses = places.iter().map(|&place| Pose::from_translation(place)).collect();
    let copies = vec![Copies { chains: vec![0], poses, ..Copies::default() }];
    structure.assemblies.push(Assembly { id: "1".to_owned(), copies });
    structure
}

fn checked(structure: &Structure, options: &CheckOptions) -> Report {
    check(&[Input::new("peptide.pdb", structure.clone(), Warnings::default())], options)
        .expect("the options make sense")
}

/// Two residues joined by a peptide bond of 1.33 A.
fn dipeptide() -> Structure {
    let x = |x: f32| Vec3::X * x;
    peptide(&[
        (1, "CA", Element::CARBON, x(0.0)),
        (1, "C", Element::CARBON, x(1.52)),
        (2, "N", Element::NITROGEN, x(2.85)),
        (2, "CA", Element::CARBON, x(4.31)),
    ])
}

#[test]
fn a_bond_excuses_inside_a_copy_and_not_between_copies() {
    let by_residue = MoleculeOptions { by: MoleculesBy::Residue, ..MoleculeOptions::default() };
    let options = CheckOptions { molecules: by_residue, ..CheckOptions::default() };
    assert_eq!(checked(&dipeptide(), &options).overlaps, 0);
    // The second copy's first atom stands 1.33 A behind the first copy's last one, as a bonded atom would.
    let two = copied(dipeptide(), &[DVec3::ZERO, DVec3::X * (4.31 + 1.33)]);
    let report = checked(&two, &options);
    assert_eq!(report.overlaps, 1);
    let [first, second] = [&report.worst[0].first, &report.worst[0].second];
    assert_eq!((first.copy, first.number, second.copy, second.number), (2, 1, 1, 2));
    assert_eq!((report.atoms, report.molecules), (8, 4));
}

#[test]
fn a_clash_inside_a_molecule_counts_in_every_copy() {
    // A hairpin: residue 9 comes back to residue 1 without a bond between them.
    let mut hairpin: Vec<_> =
        (1..=9).map(|number| (number, "CA", Element::CARBON, Vec3::X * 3.8 * number as f32)).collect();
    hairpin[8].3 = Vec3::new(3.8, 2.2, 0.0);
    let options = CheckOptions { clash: ClashDefinition::ChimeraX, ..CheckOptions::default() };
    let once = checked(&peptide(&hairpin), &options);
    assert_eq!(once.overlaps, 1);
    let places = [DVec3::ZERO, DVec3::Z * 100.0, DVec3::Z * 200.0];
    let thrice = checked(&copied(peptide(&hairpin), &places), &options);
    assert_eq!((thrice.overlaps, thrice.molecules_overlapping), (3, 3));
    assert_eq!(thrice.worst.iter().map(|pair| pair.first.copy).collect::<Vec<_>>(), [1, 2, 3]);
    let tolerance = checked(&copied(peptide(&hairpin), &places), &CheckOptions::default());
    assert_eq!(tolerance.overlaps, 0, "packmol's rule does not look inside molecules");
}

#[test]
fn pairs_come_by_id_and_the_worst_by_depth_whatever_the_threads() {
    let vesicle = |threads| {
        let input = Input::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb")).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| check(&[input], &CheckOptions { top: 20, ..CheckOptions::default() })).unwrap()
    };
    let (one, three) = (vesicle(1), vesicle(3));
    assert!(one.overlaps > 100);
    assert_eq!(one.pairs(), three.pairs());
    assert_eq!(one.worst, three.worst);
    assert!(one.pairs().is_sorted_by_key(|pair| (pair.first, pair.second)));
    assert!(one.worst.is_sorted_by(|a, b| a.depth >= b.depth));
    let truth = steric::collide::reference::overlaps(one.scene().scene(), OverlapSearch::default());
    assert_eq!(one.overlaps, truth.len() as u64);
}

#[test]
fn nothing_and_nonsense_are_refused() {
    assert_eq!(check(&[], &CheckOptions::default()).unwrap_err(), CheckError::NoFiles);
    let nonsense = CheckOptions { clash: ClashDefinition::Tolerance(f32::NAN), ..CheckOptions::default() };
    let input = Input::new("peptide.pdb", dipeptide(), Warnings::default());
    assert!(matches!(check(&[input], &nonsense), Err(CheckError::Distance { .. })));
}
