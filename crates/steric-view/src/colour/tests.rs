use std::path::Path;

use glam::{DVec3, Vec3};
use steric_collide::OverlapSearch;
use steric_model::formats::pdb::read_pdb;
use steric_model::{AtomId, Element, MoleculeOptions, MoleculesBy, Pose, Source};

use super::tables::{SAFE, rgb};
use super::*;

const POPC: &[u8] = include_bytes!("../../../../scenes/data/popc.pdb");
const GRAMICIDIN: &[u8] = include_bytes!("../../../../scenes/data/gramicidin.pdb");

#[test]
fn phosphorus_of_a_lipid_is_orange_and_its_carbon_dark() {
    let (structure, molecules) = molecules(POPC, MoleculesBy::Auto);
    let colours = Colours::new(ColourBy::Element, &Palette::default(), &(&molecules, &[&structure][..]).into());
    assert_eq!(atom_colour(&colours, &molecules, &structure, Element::PHOSPHORUS), rgb(0xE69F00));
    assert_eq!(atom_colour(&colours, &molecules, &structure, Element::CARBON), rgb(0x4D4D4D));
    assert!(colours.molecules.iter().all(Option::is_none));
}

#[test]
fn lipids_that_overlap_are_red_free_ones_green_and_fixed_ones_grey() {
    let (structure, molecules) = molecules(POPC, MoleculesBy::Auto);
    // All five stand in one place, so only the first two are told about.
    let overlaps = OverlapSearch::default().overlaps(molecules.scene());
    let overlaps: Vec<_> = overlaps.into_iter().filter(|found| found.second.molecule.0 < 2).collect();
    let structures = [&structure];
    let mut what = Coloured::from((&molecules, &structures[..]));
    (what.overlaps, what.fixed) = (&overlaps, &[false, true]);
    for (palette, red, green) in [(Palette::classic(), 0xFF0000, 0x00FF00), (Palette::safe(), 0xD55E00, 0x009E73)] {
        let colours = Colours::new(ColourBy::Collision, &palette, &what);
        assert_eq!(colours.of_molecule(MoleculeId(0)), Some(rgb(red)));
        assert_eq!(colours.of_molecule(MoleculeId(1)), Some(palette.fixed()));
        assert_eq!(colours.of_molecule(MoleculeId(2)), Some(rgb(green)));
    }
}

#[test]
fn deeper_overlaps_are_farther_up_the_ramp() {
    let mut scene = Scene::default();
    let bead = scene.add_type("bead", &[Vec3::ZERO], &[2.0]);
    for x in [0.0, 3.0, 20.0, 22.0, 90.0] {
        scene.add_molecule(bead, Pose::from_translation(DVec3::X * x));
    }
    let overlaps = OverlapSearch::default().overlaps(&scene);
    let colours = Colours::of_scene(ColourBy::Overlap, &Palette::default(), &scene, &overlaps);
    let expected = [0x21918C, 0x21918C, 0xFDE725, 0xFDE725, 0xE6E6E6].map(|code| Some(rgb(code)));
    assert_eq!(colours.molecules, expected);
}

#[test]
fn two_chains_differ_within_one_molecule_and_between_molecules() {
    for by in [MoleculesBy::File, MoleculesBy::Chain] {
        let (structure, molecules) = molecules(GRAMICIDIN, by);
        for palette in [Palette::safe(), Palette::classic(), Palette::goodsell()] {
            let colours = Colours::new(ColourBy::Chain, &palette, &(&molecules, &[&structure][..]).into());
            let mut seen: Vec<Rgb> = colours.atoms.concat();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), structure.chains.len(), "{by}: one colour for each chain");
        }
    }
}

#[test]
fn carbon_has_the_pastel_of_its_chain_and_oxygen_is_redder() {
    let (structure, molecules) = molecules(GRAMICIDIN, MoleculesBy::Chain);
    let structures = [&structure];
    let what = (&molecules, &structures[..]).into();
    let colours = Colours::new(ColourBy::Element, &Palette::goodsell(), &what);
    let carbon = atom_colour(&colours, &molecules, &structure, Element::CARBON);
    let oxygen = atom_colour(&colours, &molecules, &structure, Element::OXYGEN);
    let nitrogen = atom_colour(&colours, &molecules, &structure, Element::NITROGEN);
    assert_eq!(carbon, Colours::new(ColourBy::Chain, &Palette::goodsell(), &what).of_atom(TypeId(0), 0));
    let redness = |colour: Rgb| i32::from(colour[0]) - i32::from(colour[2]);
    assert!(redness(oxygen) > redness(carbon) && redness(nitrogen) < redness(carbon));
}

#[test]
fn colours_of_ones_own_come_first() {
    let (structure, molecules) = molecules(POPC, MoleculesBy::Auto);
    let palette = Palette::classic().with("P=#010203\nPOP=#040506,outer=#070809").unwrap();
    let structures = [&structure];
    let mut what = Coloured::from((&molecules, &structures[..]));
    what.leaflet_of = &[Some(true)];
    let of = |by| Colours::new(by, &palette, &what);
    assert_eq!(atom_colour(&of(ColourBy::Element), &molecules, &structure, Element::PHOSPHORUS), [1, 2, 3]);
    assert_eq!(of(ColourBy::Residue).of_atom(TypeId(0), 0), [4, 5, 6]);
    assert_eq!(of(ColourBy::Type).of_atom(TypeId(0), 0), [4, 5, 6]);
    assert_eq!(of(ColourBy::Leaflet).molecules[..2], [Some([7, 8, 9]), Some(palette.fixed())]);
}

#[test]
fn palettes_that_cannot_be_read_say_where_and_why() {
    let why = |text: &str| text.parse::<Palette>().unwrap_err().to_string();
    assert_eq!(why("C=#404040\nO=#12345"), "palette:2: expected a colour such as #d55e00, found \"#12345\"");
    assert_eq!(why("C=#404040\n\nfree"), "palette:3: expected key=#rrggbb, found \"free\"");
    assert_eq!(why("=#404040"), "palette:1: expected a name before the =, found \"=#404040\"");
    assert_eq!(why("C=#+40404"), "palette:1: expected a colour such as #d55e00, found \"#+40404\"");
    assert!(why("neon").starts_with("palette: expected safe, classic, goodsell or"), "{}", why("neon"));
}

#[test]
fn every_mode_has_a_name_and_stands_an_empty_scene() {
    let nothing = Molecules::default();
    for by in ColourBy::ALL {
        assert_eq!(by.to_string().parse(), Ok(by));
        assert_eq!(Colours::new(by, &Palette::default(), &(&nothing, &[][..]).into()), Colours::default());
        assert_eq!(Colours::of_scene(by, &Palette::default(), nothing.scene(), &[]), Colours::default());
    }
}

#[test]
fn single_atoms_that_share_a_type_keep_their_own_chains() {
    let text = b"HETATM    1 ZN    ZN A 300       0.000   0.000   0.000  1.00  9.99          ZN2+\n\
                 HETATM    2 ZN    ZN B 300      20.000   0.000   0.000  1.00  9.99          ZN2+\n";
    let (structure, molecules) = molecules(text, MoleculesBy::Auto);
    assert_eq!((molecules.scene().types().len(), molecules.scene().molecules().len()), (1, 2));
    let palette = Palette::default();
    let colours = Colours::new(ColourBy::Chain, &palette, &(&molecules, &[&structure][..]).into());
    assert_eq!(colours.of_atom(TypeId(0), 0), palette.category(0));
    assert_eq!(colours.molecules, [None, Some(palette.category(1))]);
}

#[test]
fn categories_differ_for_normal_eyes_and_without_green_cones() {
    for (index, &first) in SAFE.iter().enumerate() {
        for &second in &SAFE[index + 1..] {
            for seen in [linear, deuteranope] {
                let difference = (lab(seen(rgb(first))) - lab(seen(rgb(second)))).length();
                assert!(difference >= 10.0, "{first:06X} and {second:06X}: {difference}");
            }
        }
    }
}

/// Linear light of an sRGB colour (IEC 61966-2-1).
fn linear(colour: Rgb) -> DVec3 {
    let decode = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    DVec3::from_array(colour.map(decode))
}

/// The same without green cones: Machado, Oliveira & Fernandes 2009, "A Physiologically-based Model for Simulation of
/// Color Vision Deficiency", deuteranomaly of severity 1.
fn deuteranope(colour: Rgb) -> DVec3 {
    let light = linear(colour);
    let rows = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]];
    DVec3::from_array(rows.map(|row| DVec3::from_array(row).dot(light))).clamp(DVec3::ZERO, DVec3::ONE)
}

/// CIE L*a*b* under D65; distances in it are CIE76 differences.
fn lab(light: DVec3) -> DVec3 {
    let rows =
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]];
    let xyz = DVec3::from_array(rows.map(|row| DVec3::from_array(row).dot(light))) / DVec3::new(0.95047, 1.0, 1.08883);
    let [x, y, z] = xyz.to_array().map(|t| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
    DVec3::new(116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z))
}

fn molecules(text: &[u8], by: MoleculesBy) -> (Structure, Molecules) {
    let structure = read_pdb(text, Path::new("test.pdb")).unwrap().value;
    let radii = vec![1.7; structure.atoms.len()];
    let source = Source { name: "test", structure: &structure, radii: &radii, takes_part: &|_| true, connected: &[] };
    let molecules = Molecules::new(&[source], &MoleculeOptions { by, ..MoleculeOptions::default() }).unwrap();
    (structure, molecules)
}

/// The colour of the first atom of an element in the first molecule.
fn atom_colour(colours: &Colours, molecules: &Molecules, structure: &Structure, element: Element) -> Rgb {
    let is_element =
        |&atom: &u32| structure.atoms.elements[molecules.origin(AtomId::new(0, atom)).atom as usize] == element;
    let atom = (0..colours.atoms[0].len() as u32).find(is_element).unwrap();
    colours.of_atom(TypeId(0), atom)
}
