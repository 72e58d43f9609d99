//! Laws of tiles and of membranes that are laid with them.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use glam::{DVec2, DVec3, Vec3};
use steric_collide::OverlapSearch;
use steric_model::{Scene, TypeId, formats};

use super::tile::COLOURS;
use super::*;
use crate::build::{Built, SceneFile, build};
use crate::relax::{Relax, RelaxOptions, Setup, Stop};

const POPC: &str = "[[membrane.lipid]]\nmolecule = \"POPC\"\n";

fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/lipids").join(name);
    if !path.exists() {
        eprintln!("skipped: no ../shared/data");
        return None;
    }
    Some(path)
}

fn try_built(text: &str, folder: &Path) -> Result<Built, BuildError> {
    build(&SceneFile::read(text, "test.toml".as_ref())?, folder, &formats::read)
}

fn built(text: &str) -> Built {
    try_built(text, Path::new("")).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn of_patch(membrane: &str, patch: &Path) -> String {
    format!("[[membrane]]\nplacement = \"tiles\"\npatch = {patch:?}\n{membrane}\n")
}

/// The scene as the relaxation sees it, at a tolerance of 2 angstroms.
fn setup(built: &Built) -> Setup {
    let mut scene = Scene::default();
    let mut centers = Vec::new();
    for atoms in built.templates() {
        let center = atoms.iter().sum::<DVec3>() / atoms.len() as f64;
        let around: Vec<Vec3> = atoms.iter().map(|atom| (*atom - center).as_vec3()).collect();
        scene.add_type("", &around, &vec![1.0; around.len()]);
        centers.push(center);
    }
    let (mut groups, mut group_of) = (Vec::new(), Vec::new());
    for (kind, copies) in (0..).zip(built.copies()) {
        let center = centers[kind as usize];
        for pose in &copies.poses {
            scene.add_molecule(TypeId(kind), *pose * Pose::from_translation(center));
            group_of.push(kind);
        }
        groups.push(built.groups[kind as usize].holds.iter().map(|hold| hold.seen_from(center)).collect());
    }
    scene.set_periodic_box(built.periodic_box);
    Setup { groups, group_of, ..Setup::new(scene) }
}

/// Which part of the molecules overlaps another one.
fn overlapping(setup: &Setup) -> f64 {
    let counts = OverlapSearch::default().overlaps_per_molecule(&setup.scene);
    counts.iter().filter(|&&count| count > 0).count() as f64 / counts.len() as f64
}

fn assert_rests(built: &Built) {
    let options = RelaxOptions { max_iterations: 400, ..RelaxOptions::default() };
    let mut relax = Relax::new(setup(built), options, 1);
    assert_eq!(relax.run(|_, _| ControlFlow::Continue(())), Stop::Rest);
}

/// Square angstroms per lipid of both leaflets.
fn areas(built: &Built) -> [f64; 2] {
    let leaflets = &built.membranes[0].leaflets;
    [0, 1].map(|side: usize| (leaflets[side].area - leaflets[side].proteins_area) / leaflets[side].lipids as f64)
}

/// A patch of upright rods, thrown at random into both leaflets of a periodic plane, and what the search knows of it.
fn rods(edge: f64, count: usize, seed: u64) -> (Patch, Solids) {
    let mut text = String::from("rods\n");
    let mut lines = Vec::new();
    let mut random = Random::new(seed);
    let mut taken: Vec<DVec2> = Vec::new();
    while taken.len() < count {
        let place = edge * DVec2::new(random.unit(), random.unit());
        let is_near = |other: &DVec2| {
            let away = (place - *other) / edge;
            (edge * (away - away.round())).length() < 5.0
        };
        if !taken.iter().any(is_near) {
            taken.push(place);
        }
    }
    for (sign, leaflet) in [(1.0, 0), (-1.0, 1)] {
        for (number, place) in taken.iter().enumerate() {
            for bead in 0..6 {
                let height = 50.0 + sign * (3.0 + 3.0 * f64::from(bead));
                let (x, y, z) = (0.1 * place.x, 0.1 * place.y, 0.1 * height);
                let residue = leaflet * count + number + 1;
                lines.push(format!("{residue:5}ROD     C{bead}{:5}{x:8.3}{y:8.3}{z:8.3}", lines.len() + 1));
            }
        }
    }
    text += &format!("{}\n{}\n{:.5} {:.5} 10.0\n", lines.len(), lines.join("\n"), 0.1 * edge, 0.1 * edge);
    let read = |_: &Path| formats::read_bytes(text.as_bytes(), "rods.gro".as_ref(), None);
    let scene = SceneFile::default();
    let mut work = crate::build::Work::of(&scene, Path::new(""), &read);
    let patch = work.patch("rods.gro").unwrap_or_else(|error| panic!("{error}"));
    let bodies: Vec<&Body> = patch.bodies.iter().map(|body| &body.0).collect();
    let solids = Solids::new(&mut work.library, scene.closeness(), &bodies, &[]);
    (patch, solids)
}

#[test]
fn tiles_that_match_fit_along_every_edge_and_around_every_corner() {
    let (patch, solids) = rods(64.0, 90, 3);
    let tiles = TileSet::new(&patch, &solids, DVec2::splat(80.0), 5);
    assert_eq!(tiles.all().count(), COLOURS.pow(4));
    let place = |lipid: &patch::PatchLipid| patch.center(lipid.body, &lipid.pose).truncate();
    // What stands in the strip at the lower edge depends on the two corners of that edge alone, and likewise on the left.
    let mut seen = 0;
    for (axis, ends) in [(1, [0, 1]), (0, [0, 2])] {
        for (corners, tile) in tiles.all() {
            let strip = |tile: &[patch::PatchLipid]| -> Vec<[u64; 2]> {
                let near =
                    tile.iter().map(place).filter(|place| place[axis] < 4.0 && (30.0..50.0).contains(&place[1 - axis]));
                near.map(|place| place.to_array().map(f64::to_bits))
                    .collect::<std::collections::BTreeSet<_>>()
                    .into_iter()
                    .collect()
            };
            let mut least = [0; 4];
            ends.iter().for_each(|&end: &usize| least[end] = corners[end]);
            assert_eq!(strip(tile), strip(tiles.tile(least)), "{corners:?}");
            seen += strip(tile).len();
        }
    }
    assert!(seen > 100, "{seen} lipids in all strips");
    // Laid together they hold hardly an overlap, though nobody has looked at them together before.
    let surface = Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z };
    let atlas = Atlas::of_plane(&surface, DVec3::ZERO, DVec3::Z);
    let floor =
        Floor { patch: &patch, tiles: &tiles, atlas: &atlas, plane: Some(([6, 6], true)), scales: [1.0; 2], seed: 9 };
    let laid = floor.lay();
    let cell = steric_model::PeriodicBox::orthogonal(DVec3::new(480.0, 480.0, 90.0));
    let touches = solids.touches(laid.iter().map(|lipid| (lipid.body, lipid.pose)), cell);
    assert!(touches.len() * 50 < laid.len(), "{} overlaps of {} lipids", touches.len(), laid.len());
    let natural = 2.0 * 90.0 * (480.0 / 64.0_f64).powi(2);
    assert!((laid.len() as f64 / natural - 1.0).abs() < 0.03, "{} lipids instead of {natural}", laid.len());
}

#[test]
fn no_repetition_is_seen_at_the_period_of_the_tiles_or_of_the_patch() {
    let (patch, solids) = rods(64.0, 90, 4);
    let tiles = TileSet::new(&patch, &solids, DVec2::splat(80.0), 6);
    let surface = Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z };
    let atlas = Atlas::of_plane(&surface, DVec3::ZERO, DVec3::Z);
    let floor =
        Floor { patch: &patch, tiles: &tiles, atlas: &atlas, plane: Some(([12, 12], true)), scales: [1.0; 2], seed: 2 };
    let laid = floor.lay();
    // The part of the lipids that stand, to half an angstrom, where a shift by so much brings another one.
    let places: std::collections::BTreeSet<[i64; 2]> = laid
        .iter()
        .filter(|lipid| lipid.leaflet == Leaflet::Outer)
        .map(|lipid| (2.0 * patch.center(lipid.body, &lipid.pose).truncate()).round().to_array().map(|at| at as i64))
        .collect();
    let repeated = |shift: DVec2| {
        let [x, y] = (2.0 * shift).to_array().map(|at| at as i64);
        let again = places.iter().filter(|place| {
            let near = |dx: i64, dy: i64| {
                places.contains(&[(place[0] + x + dx).rem_euclid(1920), (place[1] + y + dy).rem_euclid(1920)])
            };
            (-1..=1).any(|dx| (-1..=1).any(|dy| near(dx, dy)))
        });
        again.count() as f64 / places.len() as f64
    };
    let chance = repeated(DVec2::new(37.0, 411.0));
    for shift in [DVec2::new(80.0, 0.0), DVec2::new(0.0, 80.0), DVec2::new(160.0, 80.0), DVec2::new(64.0, 0.0)] {
        // Laid edge to edge, one tile would repeat to 1.
        assert!(repeated(shift) < chance + 0.25, "{shift}: {} where chance gives {chance}", repeated(shift));
    }
    // A tile is beside itself when six corners have one colour in two rows: once in 81.
    let mut same = 0;
    for row in 0..12 {
        for column in 0..12 {
            let corners = |right: i64| {
                [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[x, y]| floor.colour(0, [column + x + right, row + y]))
            };
            same += usize::from(corners(0) == corners(1));
        }
    }
    assert!(same <= 8, "{same} of 144");
}

#[test]
fn a_membrane_of_its_own_lipids_is_nearly_at_rest_and_has_the_areas_it_was_asked_for() {
    let mixture =
        format!("area-per-lipid = 70\n{POPC}fraction = 4\n[[membrane.lipid]]\nmolecule = \"cholesterol\"\narea = 40\n");
    for (shape, most) in [("shape = \"plane\"\nsize = [220, 180]", 0.25), ("radius = 160", 0.8)] {
        let built = built(&format!("[[membrane]]\nplacement = \"tiles\"\n{shape}\n{mixture}"));
        let part = overlapping(&setup(&built));
        assert!(part < most, "{shape}: {part}");
        for area in areas(&built) {
            assert!((area / 64.0 - 1.0).abs() < 0.03, "{shape}: {area}");
        }
        for leaflet in &built.membranes[0].leaflets {
            let [(_, popc), (_, cholesterol)] = &leaflet.mixture[..] else { panic!("two kinds: {leaflet:?}") };
            assert!((*popc as f64 / *cholesterol as f64 - 4.0).abs() < 0.8, "{leaflet:?}");
        }
        assert_rests(&built);
    }
}

#[test]
fn leaflets_have_the_density_of_the_patch_on_a_plane_a_sphere_and_a_mesh() {
    let Some(patch) = data("openmm_POPC_patch.pdb.gz") else { return };
    let folder = tempfile::tempdir().unwrap();
    crate::build::tests::write_ball(&folder.path().join("ball.obj"), 260.0, 5);
    let natural = 63.701 * 66.874 / 64.0;
    for (shape, most) in [
        ("shape = \"plane\"\nsize = [300, 260]", 0.06),
        ("shape = \"plane\"\nperiodic = false\nsize = [200, 200]", 0.06),
        ("radius = 900", 0.45),
        ("radius = 200", 0.7),
        ("shape = \"mesh\"\nmesh = \"ball.obj\"", 0.7),
    ] {
        let built = try_built(&of_patch(shape, &patch), folder.path()).unwrap_or_else(|error| panic!("{error}"));
        let part = overlapping(&setup(&built));
        eprintln!("{shape}: {:?} instead of {natural:.2}, {part:.3} overlap", areas(&built));
        for area in areas(&built) {
            assert!((area / natural - 1.0).abs() < 0.03, "{shape}: {area} instead of {natural}");
        }
        assert!(part < most, "{shape}: {part} overlap");
        if built.molecules() < 60_000 {
            assert_rests(&built);
        }
    }
}

#[test]
fn every_patch_of_the_collection_is_cut_into_tiles() {
    for (name, kinds, area) in [
        ("openmm_DPPC_patch.pdb.gz", 1, 49.7),
        ("dppc128_allatom.pdb.gz", 1, 64.0),
        ("martini_dppc_chol_bilayer.gro", 2, 57.8),
    ] {
        let Some(patch) = data(name) else { return };
        let built = built(&of_patch("shape = \"plane\"\nsize = [240, 240]", &patch));
        for leaflet in &built.membranes[0].leaflets {
            assert_eq!(leaflet.mixture.len(), kinds, "{name}");
        }
        // Leaflets may differ: cholesterol goes from one to the other.
        let found = 2.0 * 240.0 * 240.0 / built.molecules() as f64;
        assert!((found / area - 1.0).abs() < 0.03, "{name}: {found}");
        assert_rests(&built);
    }
}

/// Whether a point has atoms of a protein in nearly every direction across its axis, in its own slab of the membrane.
fn is_enclosed(point: DVec3, atoms: &[DVec3]) -> bool {
    let mut seen = [false; 24];
    for atom in atoms.iter().filter(|atom| (atom.z - point.z).abs() < 3.0) {
        let away = (*atom - point).truncate();
        if away.length() < 30.0 {
            let turn = (away.to_angle() / std::f64::consts::TAU + 0.5) * 24.0;
            seen[(turn as usize).min(23)] = true;
        }
    }
    seen.iter().all(|&seen| seen)
}

#[test]
fn no_lipid_stands_in_a_porin_or_in_its_lumen() {
    let proteins = "[[membrane.protein]]\nmolecule = \"porin\"\ncount = 5\nheight = 5.1\n";
    let built = built(&format!("[[membrane]]\nradius = 170\nplacement = \"tiles\"\n{POPC}{proteins}"));
    let templates = built.templates();
    let porin = built.groups.iter().position(|group| group.role == Role::Protein).unwrap();
    let (mut inside, mut looked_at) = (0, 0);
    for world_from_porin in &built.copies()[porin].poses {
        for (kind, copies) in built.copies().iter().enumerate().filter(|(kind, _)| *kind != porin) {
            for pose in &copies.poses {
                let atoms = templates[kind].iter().map(|atom| world_from_porin.inverse() * (*pose * *atom));
                let near: Vec<DVec3> =
                    atoms.filter(|atom| atom.truncate().length() < 60.0 && (atom.z + 5.1).abs() < 12.0).collect();
                looked_at += usize::from(!near.is_empty());
                inside += usize::from(near.iter().any(|atom| is_enclosed(*atom, &templates[porin])));
            }
        }
    }
    assert!(looked_at > 100, "{looked_at} lipids around the porins");
    // The end of a tail may reach under a loop.
    assert!(inside * 200 < looked_at, "{inside} of {looked_at}");
    assert_rests(&built);
}

#[test]
fn one_thread_and_two_lay_the_same_bits_and_another_seed_others() {
    let text = |seed| format!("seed = {seed}\n[[membrane]]\nradius = 110\nplacement = \"tiles\"\n{POPC}");
    let with = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| built(&text(seed)).structure)
    };
    let one = with(1, 7);
    assert_eq!(one, with(2, 7));
    assert_ne!(one, with(2, 8));
}

#[test]
fn a_count_of_lipids_is_kept() {
    let membrane = format!("[[membrane]]\ncount = 4000\nplacement = \"tiles\"\n{POPC}");
    assert_eq!(built(&membrane).molecules(), 4000);
    // Whatever room proteins take.
    let proteins = "[[membrane.protein]]\nmolecule = \"porin\"\ncount = 8\nheight = 5.1\n";
    assert_eq!(built(&(membrane + proteins)).molecules(), 4008);
}

#[test]
fn broken_patches_are_refused_with_a_sentence_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = |name: &str, content: &[u8]| {
        std::fs::write(folder.path().join(name), content).unwrap();
        let text = of_patch("radius = 200", Path::new(name));
        try_built(&text, folder.path()).expect_err(name).to_string()
    };
    let lipid = scenes::molecule("POPC").unwrap().structure();
    let mut pdb = Vec::new();
    formats::pdb::write_pdb(&lipid, &mut pdb).unwrap();
    let porin = scenes::molecule("porin").unwrap().structure();
    let mut protein = Vec::new();
    formats::pdb::write_pdb(&porin, &mut protein).unwrap();
    for (name, content, words) in [
        ("five.pdb", &pdb[..], "found \"5 lipids\""),
        ("porin.pdb", &protein[..], "a patch of lipids, waters and ions alone"),
        ("argon.xyz", b"1\n\nAr 0 0 0\n", "a planar bilayer with its normal along z"),
        ("lost.xyz", b"1\n\nAr 0 nan 0\n", "lost.xyz"),
        ("empty.gro", b"", "empty.gro"),
    ] {
        let refusal = refusal(name, content);
        assert!(refusal.contains(name) && refusal.contains("expected") && refusal.contains(words), "{refusal}");
    }
    let Some(vesicle) = data("fatslim_dppc_vesicle_cg.gro.gz") else { return };
    let refusal = try_built(&of_patch("radius = 200", &vesicle), Path::new("")).expect_err("a vesicle").to_string();
    assert!(refusal.contains("a planar bilayer") && refusal.contains("from a plane"), "{refusal}");
}

#[test]
fn keys_that_tiles_cannot_honour_are_refused_with_their_line() {
    for (text, line, words) in [
        (format!("[[membrane]]\nradius = 90\npatch = \"a.pdb\"\n{POPC}"), 3, "placement = \"tiles\" beside patch"),
        (
            format!("[[membrane]]\nradius = 90\nplacement = \"tiles\"\npatch = \"a.pdb\"\n{POPC}"),
            5,
            "the lipids of the patch",
        ),
        (format!("[[membrane]]\nradius = 90\ncount = 9\nplacement = \"tiles\"\n{POPC}"), 3, "radius or count"),
        (
            "[[membrane]]\nradius = 90\nplacement = \"tiles\"\n[[membrane.protein]]\nmolecule = \"gramicidin\"\n"
                .to_owned(),
            1,
            "patch, or a [[membrane.lipid]]",
        ),
        (format!("[[membrane]]\nradius = 90\nplacement = \"tile\"\n{POPC}"), 3, "did you mean tiles?"),
    ] {
        let refusal = try_built(&text, Path::new("")).expect_err(&text).to_string();
        assert!(refusal.starts_with(&format!("test.toml:{line}:")) && refusal.contains(words), "{refusal}\n{text}");
    }
}
