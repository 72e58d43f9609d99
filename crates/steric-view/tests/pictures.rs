//! Pictures on the software GPU: the same however they are drawn, right where it matters, and like those that were looked at before.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod drawn;

use drawn::{SIZE, apart, camera, colours, crowd, draw, gpu, is_golden};
use glam::{DQuat, DVec3, Vec3};
use steric_collide::OverlapSearch;
use steric_gpu::waited;
use steric_model::chemistry::{BondGraph, RadiiSet};
use steric_model::{MoleculeId, MoleculeOptions, Molecules, MoleculesBy, Pose, Scene, Source};
use steric_view::{Camera, ColourBy, Coloured, Colours, Look, Palette, Picked, Raster, Renderer, Side, Sketch, Style};

#[test]
fn threads_and_squares_draw_the_same_picture() {
    let Some(gpu) = gpu() else { return };
    if !Renderer::new(&gpu).has_threads() {
        eprintln!("skipped: no shared words of 64 bits");
        return;
    }
    let scene = crowd(150);
    let whole = camera(&scene);
    let inside = whole.nearer(5.0);
    let flat = Camera { degrees: 0.0, ..whole };
    for camera in [whole, inside, flat] {
        let with = |raster| draw(&gpu, &scene, ColourBy::Molecule, &camera, &Look { raster, ..Look::of(Style::Soft) });
        let (squares, threads, both) = (with(Raster::Squares), with(Raster::Threads), with(Raster::Auto));
        for picture in [&threads, &both] {
            let (part, mean) = apart(&squares, picture);
            assert!(part < 0.002 && mean < 0.3, "{camera:?}: {part} of the pixels, {mean} in the mean");
        }
    }
}

/// A browser without WebGPU has no arrays and no kernels: all that it draws with is squares, and it must show the same.
#[test]
fn a_sketch_is_the_picture_that_kernels_draw() {
    let Some(gpu) = gpu() else { return };
    let (renderer, mut sketch) = (Renderer::new(&gpu), Sketch::new(&gpu));
    let scene = crowd(150);
    let mut colours = colours(ColourBy::Molecule, &scene);
    colours.opacities = vec![1.0; scene.molecules().len()];
    colours.opacities[3] = 0.0;
    let model = renderer.load(&scene, &colours).unwrap();
    sketch.load(&scene, &colours).unwrap();
    let whole = camera(&scene);
    let cut = Some((whole.target, (whole.target - whole.eye).normalize()));
    let flat = Camera { degrees: 0.0, ..whole };
    for (camera, samples, clip) in [(whole, 1, None), (whole.nearer(5.0), 2, None), (flat, 1, None), (whole, 1, cut)] {
        for style in [Style::Soft, Style::Illustrative] {
            let look = Look { samples, clip, coarse: 0.0, raster: Raster::Squares, ..Look::of(style) };
            let kernels = renderer.draw(&model, &camera, &look, SIZE).unwrap();
            let squares = waited(sketch.draw(&camera, &look, SIZE)).unwrap();
            let (part, mean) = apart(&kernels, &squares);
            // Where a plane cuts two spheres at the same place, either may be seen.
            let most = if clip.is_some() { 0.05 } else { 0.004 };
            assert!(part < most && mean < 200.0 * most, "{camera:?}: {part} of the pixels, {mean} in the mean");
        }
        let look = Look { samples: 1, coarse: 0.0, ..Look::default() };
        let mut seen = 0;
        let within = |side: u32, at: u32| side * (40 + at % 40) / 120;
        for pixel in (0..40).map(|at| [within(SIZE[0], at), within(SIZE[1], 7 * at)]) {
            let picked = renderer.pick((&model, &scene), &camera, &look, SIZE, pixel).unwrap();
            assert_eq!(sketch.pick(&camera, SIZE, pixel), picked, "at {pixel:?}");
            seen += usize::from(picked.is_some());
        }
        assert!(seen > 10, "{seen} of 40 pixels show a molecule");
    }
}

#[test]
fn a_molecule_is_red_where_it_overlaps_and_green_where_it_is_free() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::default();
    let ball = scene.add_type("ball", &[Vec3::ZERO], &[3.0]);
    let places = [DVec3::new(-10.0, 0.0, 4.0), DVec3::new(-10.0, 0.0, -0.5), DVec3::new(10.0, 0.0, 0.0)];
    for place in places {
        scene.add_molecule(ball, Pose::from_translation(place));
    }
    let (camera, look) = (Camera::of(&scene, Side::default(), 4.0 / 3.0), Look::of(Style::Plain));
    let renderer = Renderer::new(&gpu);
    let overlaps = OverlapSearch::default().overlaps_unsorted(&scene);
    let colours = Colours::of_scene(ColourBy::Collision, &Palette::classic(), &scene, &overlaps);
    let model = renderer.load(&scene, &colours).unwrap();
    let picture = renderer.draw(&model, &camera, &look, SIZE).unwrap();
    for (number, place) in places.into_iter().enumerate() {
        let [x, y] = camera.pixel_of(place, SIZE).unwrap().map(|pixel| pixel as u32);
        let [red, green, ..] = picture.at(x, y).map(u32::from);
        assert_eq!(red > 2 * green, number < 2, "molecule {number}: red {red}, green {green}");
        assert_eq!(green > 2 * red, number == 2, "molecule {number}: red {red}, green {green}");
        let picked = renderer.pick((&model, &scene), &camera, &look, SIZE, [x, y]).unwrap();
        assert_eq!(picked, Some(Picked { molecule: MoleculeId(number as u32), atom: Some(0) }));
    }
    assert_eq!(renderer.pick((&model, &scene), &camera, &look, SIZE, [0, 0]).unwrap(), None);
    assert_eq!(picture.at(0, 0), [255; 4], "a white background");
}

#[test]
fn poses_that_come_later_give_the_picture_of_poses_that_were_loaded() {
    let Some(gpu) = gpu() else { return };
    let (before, mut after) = (crowd(60), crowd(60));
    for molecule in after.molecules_mut() {
        molecule.pose.rotation *= DQuat::from_rotation_y(0.7);
    }
    let (camera, look) = (camera(&before), Look::default());
    let renderer = Renderer::new(&gpu);
    let by = |scene: &Scene| colours(ColourBy::Molecule, scene);
    let mut model = renderer.load(&before, &by(&before)).unwrap();
    let first = renderer.draw(&model, &camera, &look, SIZE).unwrap();
    model.update(&gpu, &after, &by(&after));
    let moved = renderer.draw(&model, &camera, &look, SIZE).unwrap();
    let loaded = renderer.draw(&renderer.load(&after, &by(&after)).unwrap(), &camera, &look, SIZE).unwrap();
    assert!(apart(&moved, &loaded).0 < 0.001);
    assert!(apart(&moved, &first).0 > 0.05);
}

#[test]
fn a_cut_shows_the_inside_and_nothing_in_front_of_it() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::default();
    let shell = scene.add_type("shell", &[Vec3::NEG_Y * 10.0], &[6.0]);
    let core = scene.add_type("core", &[Vec3::ZERO], &[6.0]);
    for kind in [shell, core] {
        scene.add_molecule(kind, Pose::IDENTITY);
    }
    let camera = Camera::of(&scene, Side::default(), 4.0 / 3.0);
    let renderer = Renderer::new(&gpu);
    let colours = Colours { atoms: vec![vec![[200, 0, 0]], vec![[0, 0, 200]]], ..Colours::default() };
    let model = renderer.load(&scene, &colours).unwrap();
    let [x, y] = camera.pixel_of(DVec3::ZERO, SIZE).unwrap().map(|pixel| pixel as u32);
    let seen = |clip| renderer.draw(&model, &camera, &Look { clip, ..Look::of(Style::Plain) }, SIZE).unwrap().at(x, y);
    let [red, _, blue, _] = seen(None).map(u32::from);
    assert!(red > 2 * blue, "the front is red");
    let [red, _, blue, _] = seen(Some((DVec3::ZERO, DVec3::Y))).map(u32::from);
    assert!(blue > red, "behind the cut it is blue");
    assert_eq!(seen(Some((DVec3::Y * 20.0, DVec3::Y))), [255; 4], "all is cut away");
}

#[test]
fn a_molecule_throws_its_shadow_on_what_is_behind_it() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::default();
    let wall: Vec<Vec3> =
        (0..441).map(|at| Vec3::new((at % 21) as f32 * 2.0 - 20.0, 20.0, (at / 21) as f32 * 2.0 - 20.0)).collect();
    let wall = scene.add_type("wall", &wall, &[2.0; 441]);
    let ball = scene.add_type("ball", &[Vec3::ZERO], &[4.0]);
    for kind in [wall, ball] {
        scene.add_molecule(kind, Pose::IDENTITY);
    }
    let camera = Camera { degrees: 0.0, ..Camera::of(&scene, Side::default(), 4.0 / 3.0) };
    let colours = colours(ColourBy::Uniform, &scene);
    let renderer = Renderer::new(&gpu);
    let model = renderer.load(&scene, &colours).unwrap();
    let brightness = |shadows: f64, place: DVec3| {
        let look = Look { shadows, ..Look::of(Style::Plain) };
        let picture = renderer.draw(&model, &camera, &look, SIZE).unwrap();
        let [x, y] = camera.pixel_of(place, SIZE).unwrap().map(|pixel| pixel as u32);
        f64::from(picture.at(x, y)[1])
    };
    // The light comes from above, from the right and from the front: the shadow falls to the lower left.
    let below = DVec3::new(-18.0 * 0.4506 / 0.6108, 18.0, -18.0 * 0.6508 / 0.6108);
    let beside = DVec3::new(16.0, 18.0, 10.0);
    assert!(brightness(0.9, below) < 0.8 * brightness(0.0, below), "in the shadow");
    assert!(brightness(0.9, beside) > 0.97 * brightness(0.0, beside), "in the light");
}

#[test]
fn through_a_transparent_molecule_the_one_behind_shows_and_its_own_back_does_not() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::default();
    // Two layers in front, of one molecule.
    let screen = scene.add_type("screen", &[Vec3::NEG_Y * 20.0, Vec3::NEG_Y * 32.0], &[6.0; 2]);
    let core = scene.add_type("core", &[Vec3::ZERO], &[6.0]);
    for kind in [screen, core] {
        scene.add_molecule(kind, Pose::IDENTITY);
    }
    let camera = Camera { degrees: 0.0, ..Camera::of(&scene, Side::default(), 4.0 / 3.0) };
    let atoms = vec![vec![[255, 0, 0]; 2], vec![[0, 0, 255]]];
    let renderer = Renderer::new(&gpu);
    let look = |raster| Look { raster, samples: 4, ..Look::of(Style::Plain) };
    for raster in [Raster::Squares, Raster::Auto] {
        let seen = |opacity: f32| {
            let colours = Colours { atoms: atoms.clone(), opacities: vec![opacity, 1.0], ..Colours::default() };
            let model = renderer.load(&scene, &colours).unwrap();
            let picture = renderer.draw(&model, &camera, &look(raster), SIZE).unwrap();
            let [x, y] = camera.pixel_of(DVec3::ZERO, SIZE).unwrap().map(|pixel| pixel as u32);
            // As light: what half of the samples show is half as bright.
            picture.at(x, y).map(|part| (f64::from(part) / 255.0).powf(2.2))
        };
        let ([red, _, blue, _], [all_red, ..], [.., all_blue, _]) = (seen(0.5), seen(1.0), seen(0.0));
        assert!((red / all_red - 0.5).abs() < 0.05, "{raster:?}: {red} of {all_red}");
        assert!((blue / all_blue - 0.5).abs() < 0.05, "{raster:?}: {blue} of {all_blue}");
    }
}

#[test]
fn a_background_can_be_left_out_and_an_empty_scene_is_background() {
    let Some(gpu) = gpu() else { return };
    let scene = crowd(20);
    let picture = draw(&gpu, &scene, ColourBy::Type, &camera(&scene), &Look { background: None, ..Look::default() });
    assert_eq!(picture.at(0, 0)[3], 0);
    assert!(picture.pixels.iter().any(|pixel| pixel[3] == 255));
    let empty = Scene::default();
    let picture = draw(&gpu, &empty, ColourBy::Type, &Camera::of(&empty, Side::default(), 1.0), &Look::default());
    assert!(picture.pixels.iter().all(|pixel| *pixel == [255; 4]));
}

#[test]
fn far_molecules_are_drawn_as_fewer_spheres_of_the_same_look() {
    let Some(gpu) = gpu() else { return };
    let scene = crowd(400);
    let far = camera(&scene).nearer(0.25);
    let with = |coarse| draw(&gpu, &scene, ColourBy::Type, &far, &Look { coarse, ..Look::of(Style::Soft) });
    let (fine, coarse) = (with(0.0), with(8.0));
    let (part, mean) = apart(&fine, &coarse);
    assert!(part > 0.0, "something changed");
    assert!(mean < 5.0, "and looks alike: {part} of the pixels, {mean} in the mean");
}

/// Every style and every colour that a scene without a file has.
#[test]
fn pictures_are_like_those_that_were_looked_at() {
    let Some(gpu) = gpu() else { return };
    let scene = crowd(150);
    let camera = camera(&scene);
    let usual = Look::default();
    let looks = [
        ("illustrative", usual),
        ("soft", Look::of(Style::Soft)),
        ("plain", Look::of(Style::Plain)),
        ("cut", Look { clip: Some((DVec3::ZERO, DVec3::Y)), ..usual }),
        ("transparent", Look { background: None, ..usual }),
        ("coarse", Look { coarse: 30.0, ..Look::of(Style::Soft) }),
        ("jagged", Look { samples: 1, ..usual }),
        ("shadows", Look { shadows: 0.8, ..Look::of(Style::Soft) }),
    ];
    let by_type = looks.into_iter().map(|(name, look)| (name.to_owned(), ColourBy::Type, look));
    let modes = [ColourBy::Molecule, ColourBy::Collision, ColourBy::Overlap, ColourBy::Uniform];
    let by_mode = modes.into_iter().map(|by| (format!("by-{by}"), by, usual));
    for (name, by, look) in by_type.chain(by_mode) {
        is_golden(&name, &draw(&gpu, &scene, by, &camera, &look));
    }
}

/// The colours of a file: gramicidin, two chains of fifteen residues; then half of it transparent, and as balls and sticks.
#[test]
fn pictures_of_a_file_are_like_those_that_were_looked_at() {
    let Some(gpu) = gpu() else { return };
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/gramicidin.pdb");
    let structure = steric_model::formats::read(path.as_ref()).unwrap().value;
    let radii = RadiiSet::Alvarez.radii(&structure, &BondGraph::default());
    let source =
        Source { name: "gramicidin", structure: &structure, radii: &radii, takes_part: &|_| true, connected: &[] };
    let options = MoleculeOptions { by: MoleculesBy::Chain, ..MoleculeOptions::default() };
    let molecules = Molecules::new(&[source], &options).unwrap();
    let scene = molecules.scene();
    assert_eq!(scene.molecules().len(), 2);
    let structures = [&structure];
    let leaflet_of = [Some(true), Some(false)];
    let coloured = Coloured { leaflet_of: &leaflet_of, ..(&molecules, &structures[..]).into() };
    let renderer = Renderer::new(&gpu);
    let camera = Camera::of(scene, Side { turn: 25.0, lift: 20.0 }, 4.0 / 3.0).nearer(1.2);
    let drawn = |name: &str, scene: &Scene, colours: &Colours| {
        let model = renderer.load(scene, colours).unwrap();
        is_golden(name, &renderer.draw(&model, &camera, &Look::of(Style::Soft), SIZE).unwrap());
    };
    for by in [ColourBy::Element, ColourBy::Chain, ColourBy::Residue, ColourBy::Leaflet] {
        drawn(&format!("file-by-{by}"), scene, &Colours::new(by, &Palette::safe(), &coloured));
    }
    for (name, palette) in [("classic", Palette::classic()), ("goodsell", Palette::goodsell())] {
        drawn(&format!("file-{name}"), scene, &Colours::new(ColourBy::Element, &palette, &coloured));
    }
    let elements = Colours::new(ColourBy::Element, &Palette::safe(), &coloured);
    let (sticks, colours) = steric_view::as_sticks(&molecules, &structures, &elements);
    drawn("file-sticks", &sticks, &colours);
    drawn("file-see-through", scene, &Colours { opacities: vec![0.3, 1.0], ..elements });
}
