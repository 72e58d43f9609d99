//! Laws of what whole cells are made of: regions inside membranes, fibres, and solutes around them.

use glam::DVec3;

use super::tests::built;
use super::*;
use crate::shape::Surface;

const LIPID: &str = "[[membrane.lipid]]\nmolecule = \"POPC\"\n";

fn cell(more: &str) -> String {
    format!(
        "[[membrane]]\nname = \"m\"\nradius = 220\n{LIPID}\
        [[region]]\nname = \"inside\"\nshape = \"inside\"\nmembrane = \"m\"\ndepth = 30\n{more}"
    )
}

const DNA: &str = "[[fibre]]\nname = \"DNA\"\nclosed = true\nunits = 900\nregion = \"inside\"\n";

fn refusal(text: &str) -> String {
    let scene = SceneFile::read(text, "test.toml".as_ref());
    let placed = |scene: SceneFile| build(&scene, "".as_ref(), &steric_model::formats::read);
    scene.and_then(placed).expect_err(text).to_string()
}

/// The atoms of all copies that are called so, molecule by molecule.
fn atoms_of(built: &Built, name: &str) -> Vec<Vec<DVec3>> {
    let templates = built.templates();
    let groups = built.groups.iter().zip(built.copies()).zip(&templates);
    let called = groups.filter(|((group, _), _)| group.name == name);
    let copies = called.flat_map(|((_, copies), atoms)| {
        copies.poses.iter().map(move |pose| atoms.iter().map(|&atom| *pose * atom).collect())
    });
    copies.collect()
}

#[test]
fn a_region_inside_a_membrane_follows_it() {
    for (radius, depth) in [(220.0, 30.0), (300.0, 30.0), (220.0, -25.0)] {
        let text = cell("").replace("220", &radius.to_string()).replace("= 30", &format!("= {depth}"));
        let built = built(&text);
        let volume = built.regions[0].1.volume();
        let expected = 4.0 / 3.0 * std::f64::consts::PI * f64::powi(radius - depth, 3);
        assert!((volume / expected - 1.0).abs() < 1e-9, "{volume} {expected}");
    }
    let crista = "[[membrane]]\nname = \"m\"\nshape = \"rounded-box\"\nsemi-axes = [200, 150, 60]\n[[membrane.lipid]]\n\
        molecule = \"POPC\"\n[[region]]\nname = \"lumen\"\nshape = \"inside\"\nmembrane = \"m\"\ndepth = 30\n";
    let built = built(crista);
    let lumen = &built.regions[0].1;
    assert!(lumen.contains(DVec3::new(169.0, 0.0, 0.0)) && !lumen.contains(DVec3::new(171.0, 0.0, 0.0)));
}

#[test]
fn a_fibre_stays_in_its_region_and_stands_still() {
    let built = built(&cell(DNA));
    let region = &built.regions[0].1;
    let pairs = atoms_of(&built, "DNA");
    assert_eq!(pairs.len(), 900);
    for atom in pairs.iter().flatten() {
        let (outside, _) = region.distance(*atom);
        assert!(
            outside < 2.0,
            "the axis keeps a radius of 10 Å from the wall, and a base pair reaches 11.5 Å: {outside}"
        );
    }
    let group = built.groups.iter().find(|group| group.role == Role::Fibre).unwrap();
    assert!(group.fixed && group.holds.is_empty());
    assert!(built.notes.iter().any(|note| note.starts_with("DNA: 900 units")), "{:?}", built.notes);
}

#[test]
fn neighbouring_base_pairs_do_not_overlap() {
    let built = built(&cell(DNA));
    let pairs = atoms_of(&built, "DNA");
    let nearest = |a: &[DVec3], b: &[DVec3]| {
        let distances = a.iter().flat_map(|a| b.iter().map(|b| a.distance(*b)));
        distances.fold(f64::INFINITY, f64::min)
    };
    for at in 0..pairs.len() {
        let apart = nearest(&pairs[at], &pairs[(at + 1) % pairs.len()]);
        assert!(apart > 2.0, "{apart} between {at} and the next");
    }
}

#[test]
fn a_fibre_by_its_share_of_the_volume_grows_with_its_region() {
    let text = cell(&DNA.replace("units = 900", "volume-fraction = 0.03"));
    let count = |radius: &str| atoms_of(&built(&text.replace("220", radius)), "DNA").len() as f64;
    let (small, large) = (count("220"), count("280"));
    assert!((large / small / (250f64 / 190.0).powi(3) - 1.0).abs() < 0.01, "{small} {large}");
}

#[test]
fn fibres_grow_around_the_spheres_of_solutes_and_those_never_meet() {
    let large = "[[solute]]\nmolecule = \"haemoglobin\"\ncount = 6\nsphere = 45\nregion = \"inside\"\n";
    let built = built(&cell(&format!("{DNA}{large}")));
    let group = built.groups.iter().position(|group| group.name == "haemoglobin").unwrap();
    let centers: Vec<DVec3> = built.copies()[group].poses.iter().map(|pose| pose.translation).collect();
    for (at, a) in centers.iter().enumerate() {
        assert!(built.regions[0].1.distance(*a).0 <= -45.0);
        assert!(centers[..at].iter().all(|b| a.distance(*b) >= 90.0));
        let nearest = atoms_of(&built, "DNA").iter().flatten().map(|b| a.distance(*b)).fold(f64::INFINITY, f64::min);
        assert!(nearest > 43.0, "{nearest}");
    }
}

#[test]
fn solutes_start_outside_of_what_they_stay_out_of_and_their_amounts_count_without_it() {
    let ball =
        |name: &str, radius: u32| format!("[[region]]\nname = \"{name}\"\nshape = \"sphere\"\nradius = {radius}\n");
    let solute = "[[solute]]\nmolecule = \"water\"\nconcentration-mM = 1000\nregion = \"cell\"\n";
    let regions = format!("{}{}", ball("cell", 100), ball("nucleus", 80));
    let whole = built(&format!("{solute}{regions}"));
    let around = built(&format!("{solute}outside = [\"nucleus\"]\n{regions}"));
    let share = around.molecules() as f64 / whole.molecules() as f64;
    assert!((share - (1.0 - 0.8f64.powi(3))).abs() < 0.03, "{share}");
    assert!(around.copies()[0].poses.iter().all(|pose| pose.translation.length() >= 80.0));
    assert_eq!(around.groups[0].holds.len(), 2);
}

#[test]
fn proteins_stand_where_they_are_told_and_face_where_they_are_told() {
    let text = format!(
        "[[membrane]]\nshape = \"rounded-box\"\nsemi-axes = [200, 150, 60]\n{LIPID}[[membrane.protein]]\nmolecule = \"porin\"\n\
        positions = [[300, 0, 0], [0, 10, -90]]\nfacing = [0, 1, 0]\n"
    );
    let built = built(&text);
    let group = built.groups.iter().position(|group| group.role == Role::Protein).unwrap();
    let poses = &built.copies()[group].poses;
    for (pose, (place, normal)) in
        poses.iter().zip([(200.0 * DVec3::X, DVec3::X), (DVec3::new(0.0, 10.0, -60.0), -DVec3::Z)])
    {
        assert!(pose.translation.distance(place) < 1.0, "{} {place}", pose.translation);
        assert!((pose.rotation * DVec3::Z).distance(normal) < 0.05);
        assert!((pose.rotation * DVec3::X).distance(DVec3::Y) < 0.05);
    }
    assert!(matches!(*built.membranes[0].surface, Surface::Mesh(_)));
}

#[test]
fn proteins_by_area_grow_with_the_membrane_and_go_by_the_name_they_are_given() {
    let text = |radius: u32| {
        format!(
            "[[membrane]]\nradius = {radius}\n{LIPID}[[membrane.protein]]\nmolecule = \"gramicidin\"\nname = \"pore\"\n\
            per-um2 = 4000\n"
        )
    };
    let count = |radius| atoms_of(&built(&text(radius)), "pore").len();
    assert_eq!((count(100), count(200)), (5, 20));
    let built = built(&text(100));
    assert!(built.structure.chains.iter().any(|chain| chain.description == "pore"));
}

#[test]
fn a_shell_of_proteins_needs_no_lipids() {
    let text = "[[membrane]]\nshape = \"cone\"\nstart = [0, 0, 0]\nend = [0, 0, 200]\nradii = [90, 50]\nsampling = \"fibonacci\"\n\
        [[membrane.protein]]\nmolecule = \"lysozyme\"\nper-um2 = 60000\n";
    let built = built(text);
    assert!((60..=110).contains(&built.molecules()), "{}", built.molecules());
    for pose in &built.copies()[0].poses {
        assert!(built.membranes[0].surface.height(pose.translation).0.abs() < 1.0);
    }
}

#[test]
fn the_same_seed_builds_the_same_cell_with_one_thread_and_with_two() {
    let text = cell(&format!(
        "{DNA}[[solute]]\nmolecule = \"ubiquitin\"\ncount = 60\nregion = \"inside\"\n[[solute]]\nmolecule = \"haemoglobin\"\n\
        count = 3\nsphere = 45\nregion = \"inside\"\n"
    ));
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| built(&text).structure.assemblies)
    };
    assert_eq!(with(1), with(2));
}

#[test]
fn mistakes_in_cells_are_answered_with_their_lines() {
    let crista = "[[membrane]]\nshape = \"rounded-box\"\nsemi-axes = [200, 150, 60]\n";
    let cone = "[[membrane]]\nshape = \"cone\"\nstart = [0, 0, 0]\nend = [0, 0, 9]\n";
    for (text, line, words) in [
        (cell("").replace("= \"m\"\ndepth", "= \"n\"\ndepth"), 9, "the name of a [[membrane]]"),
        (cell("").replace("name = \"m\"\n", ""), 8, "(none has one)"),
        (cell("").replace("depth = 30", ""), 6, "depth of the inside, found \"none\""),
        (cell("").replace("depth = 30", "depth = 400"), 10, "something is left of the inside, found \"400\""),
        (
            cell("").replace("radius = 220", "shape = \"plane\"\nsize = [90, 90]"),
            10,
            "a closed membrane, found \"a plane\"",
        ),
        (cell(&DNA.replace("900", "0")), 14, "a whole number from 1"),
        (cell(&DNA.replace("units = 900\n", "")), 11, "units or volume-fraction, found \"neither\""),
        (cell(&format!("{DNA}volume-fraction = 0.1\n")), 16, "units or volume-fraction, found \"both\""),
        (cell(&DNA.replace("\"inside\"", "\"outside\"")), 15, "the name of a [[region]] (inside), found \"outside\""),
        (cell(&format!("{DNA}kind = \"dan\"\n")), 16, "(did you mean dna?), found \"dan\""),
        (cell(&format!("{DNA}kind = \"actin\"\n")), 11, "molecule or file, a unit of actin"),
        (cell(&DNA.replace("900", "900000")), 11, "a fibre that can be grown"),
        (cell(&DNA.replace("900", "20")), 11, "at least"),
        (format!("{crista}rounding = 61\n{LIPID}"), 4, "at most 60 Å, the least of the semi-axes"),
        (format!("{}{LIPID}", crista.replace("semi-axes = [200, 150, 60]\n", "")), 1, "semi-axes of the rounded box"),
        (format!("{cone}{LIPID}"), 1, "radii of the cone"),
        (format!("{crista}start = [0, 0, 0]\n{LIPID}"), 4, "shape = \"cone\" beside start"),
        (
            format!("{crista}{LIPID}[[membrane.protein]]\nmolecule = \"porin\"\ncount = 2\nper-um2 = 3\n"),
            9,
            "one of count, per-um2 and positions, found \"count and per-um2\"",
        ),
        (
            format!("[[membrane]]\ncount = 900\n{LIPID}[[membrane.protein]]\nmolecule = \"porin\"\nper-um2 = 3\n"),
            5,
            "radius or size of the membrane beside per-um2",
        ),
        (
            cell("[[solute]]\nmolecule = \"porin\"\ncount = 90\nsphere = 60\nregion = \"inside\"\n"),
            14,
            "room for spheres of 60 Å",
        ),
    ] {
        let refusal = refusal(&text);
        assert!(
            refusal.starts_with(&format!("test.toml:{line}: expected ")) && refusal.contains(words),
            "{refusal}\nwanted {line}: {words}\n{text}"
        );
    }
}
