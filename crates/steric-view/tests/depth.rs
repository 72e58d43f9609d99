//! What tells near from far: light and shadows, two eyes, transparency, and colours that change while molecules move.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod drawn;

use drawn::{SIZE, apart, camera, colours, crowd, gpu, is_golden};
use glam::{DQuat, DVec3, Vec3};
use steric_gpu::waited;
use steric_model::formats::mesh::Mesh;
use steric_model::{Pose, Scene};
use steric_view::{
    Camera, ColourBy, Colours, EYE_DISTANCE, Look, Picture, Raster, Renderer, Side, Sketch, Stereo, Style, Surface,
};

const RED: [u8; 3] = [220, 0, 0];
const BLUE: [u8; 3] = [0, 0, 220];

/// Balls of one atom and a radius of 6 Å, each of its own type and colour.
fn balls(places: &[DVec3], of: &[[u8; 3]]) -> (Scene, Colours) {
    let mut scene = Scene::default();
    for place in places {
        let ball = scene.add_type("ball", &[Vec3::ZERO], &[6.0]);
        scene.add_molecule(ball, Pose::from_translation(*place));
    }
    (scene, Colours { atoms: of.iter().map(|colour| vec![*colour]).collect(), ..Colours::default() })
}

/// Where a ball of 6 Å is seen, but for its rim.
fn is_within(camera: &Camera, center: DVec3, [x, y]: [u32; 2]) -> bool {
    let (from, along) = camera.ray(SIZE, [x, y]);
    (center - from).reject_from(along).length() < 5.5
}

fn pixels() -> impl Iterator<Item = [u32; 2]> {
    (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| [x, y]))
}

/// How bright the green of a picture is around a place, in the mean.
fn brightness(picture: &Picture, camera: &Camera, place: DVec3) -> f64 {
    let [x, y] = camera.pixel_of(place, SIZE).unwrap().map(|pixel| pixel as u32);
    let around = (y - 1..=y + 1).flat_map(|y| (x - 1..=x + 1).map(move |x| [x, y]));
    around.map(|[x, y]| f64::from(picture.at(x, y)[1])).sum::<f64>() / 9.0
}

#[test]
fn the_side_towards_the_light_is_bright_however_it_is_drawn() {
    let Some(gpu) = gpu() else { return };
    let (scene, colours) = balls(&[DVec3::ZERO], &[[180; 3]]);
    let camera = Camera::of(&scene, Side::default(), 4.0 / 3.0);
    let (renderer, mut sketch) = (Renderer::new(&gpu), Sketch::new(&gpu));
    let model = renderer.load(&scene, &colours).unwrap();
    sketch.load(&scene, &colours).unwrap();
    // The front looks along y: x is to the right, z is up.
    let sides =
        [(DVec3::X, DVec3::X), (DVec3::NEG_X, DVec3::NEG_X), (DVec3::Y, DVec3::Z), (DVec3::NEG_Y, DVec3::NEG_Z)];
    for (side, place) in sides {
        // Its length is no matter.
        let look = Look { light: 3.0 * side + DVec3::Z, ..Look::of(Style::Plain) };
        let kernels = renderer.draw(&model, &camera, &look, SIZE).unwrap();
        let squares = waited(sketch.draw(&camera, &look, SIZE)).unwrap();
        assert!(apart(&kernels, &squares).0 < 0.002, "{side}");
        for picture in [&kernels, &squares] {
            let [near, away] = [4.0, -4.0].map(|far| brightness(picture, &camera, far * place));
            assert!(near > 1.3 * away, "from {side}: {near} on the side of the light, {away} on the other");
        }
    }
}

#[test]
fn a_light_without_a_direction_is_the_usual_one() {
    let Some(gpu) = gpu() else { return };
    let (scene, renderer) = (crowd(40), Renderer::new(&gpu));
    let model = renderer.load(&scene, &colours(ColourBy::Type, &scene)).unwrap();
    let usual = Look { shadows: 0.5, ..Look::of(Style::Soft) };
    let with = |light| renderer.draw(&model, &camera(&scene), &Look { light, ..usual }, SIZE).unwrap();
    let expected = renderer.draw(&model, &camera(&scene), &usual, SIZE).unwrap();
    for light in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY, DVec3::new(1.0, f64::NAN, 0.0)] {
        assert!(with(light) == expected, "{light}");
    }
    // Straight from the eye and straight from behind: nothing is lost where directions meet.
    let (before, behind) = (with(DVec3::Z), with(DVec3::NEG_Z));
    let sum = |picture: &Picture| picture.pixels.iter().map(|pixel| u64::from(pixel[1])).sum::<u64>();
    assert!(sum(&before) > sum(&behind));
}

#[test]
fn a_shadow_falls_away_from_the_light() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::default();
    let wall: Vec<Vec3> =
        (0..441).map(|at| Vec3::new((at % 21) as f32 * 2.0 - 20.0, 12.0, (at / 21) as f32 * 2.0 - 20.0)).collect();
    let wall = scene.add_type("wall", &wall, &[2.0; 441]);
    let ball = scene.add_type("ball", &[Vec3::ZERO], &[4.0]);
    for kind in [wall, ball] {
        scene.add_molecule(kind, Pose::IDENTITY);
    }
    let camera = Camera { degrees: 0.0, ..Camera::of(&scene, Side::default(), 4.0 / 3.0) };
    let renderer = Renderer::new(&gpu);
    let model = renderer.load(&scene, &colours(ColourBy::Uniform, &scene)).unwrap();
    // At 45 degrees the shadow falls as far to the side as the wall is behind the ball.
    for (light, side) in [(DVec3::X, DVec3::NEG_X), (DVec3::NEG_X, DVec3::X), (DVec3::NEG_Y, DVec3::Z)] {
        let at = |shadows: f64, place: DVec3| {
            let look = Look { shadows, light: (light + DVec3::Z).normalize(), ..Look::of(Style::Plain) };
            brightness(&renderer.draw(&model, &camera, &look, SIZE).unwrap(), &camera, place)
        };
        let (shadow, lit) = (10.0 * side + DVec3::Y * 10.0, -10.0 * side + DVec3::Y * 10.0);
        assert!(at(0.9, shadow) < 0.8 * at(0.0, shadow), "in the shadow, light from {light}");
        assert!(at(0.9, lit) > 0.97 * at(0.0, lit), "in the light from {light}");
    }
}

#[test]
fn rows_go_to_the_left_and_the_right_eye_in_turn() {
    let of = |number: u8| Picture { width: 3, height: 5, pixels: (0..15).map(|at| [number, at, 0, 255]).collect() };
    let (left, right) = (of(1), of(2));
    let both = Stereo::Rows.joined(&left, &right);
    assert_eq!((both.width, both.height), (3, 5));
    for (x, y) in (0..5).flat_map(|y| (0..3).map(move |x| (x, y))) {
        assert_eq!(both.at(x, y), if y % 2 == 0 { left.at(x, y) } else { right.at(x, y) }, "{x}, {y}");
    }
    for stereo in Stereo::ALL {
        assert_eq!(stereo.to_string().parse(), Ok(stereo));
    }
    assert!("columns".parse::<Stereo>().unwrap_err().ends_with("anaglyph or rows, found columns"));
}

#[test]
fn eyes_are_apart_along_the_rows_and_see_the_target_in_one_place() {
    let lean = DQuat::from_rotation_y(0.9);
    for (turn, lift, up) in [(0.0, 0.0, lean), (40.0, 60.0, DQuat::IDENTITY), (10.0, 90.0, lean)] {
        let usual = Camera::of(&crowd(5), Side { turn, lift }, 1.0);
        let camera = Camera { up: up * usual.up, ..usual };
        for part in [EYE_DISTANCE, 0.1, 0.0] {
            let [left, right] = camera.eyes(part);
            let apart = left.eye.distance(right.eye) / camera.distance();
            assert!((apart - part).abs() <= 2e-3 * part, "{apart} in place of {part}");
            for eye in [left, right] {
                assert!((eye.distance() / camera.distance() - 1.0).abs() < 1e-9);
                let [x, y] = eye.pixel_of(camera.target, [200, 100]).unwrap();
                assert!((x - 100.0).abs() < 1e-6 && (y - 50.0).abs() < 1e-6);
            }
            let [[left_x, left_y], [right_x, right_y]] =
                [left, right].map(|eye| camera.nearer(0.5).pixel_of(eye.eye, [200, 100]).unwrap());
            assert!((left_y - right_y).abs() < 1e-6, "neither eye is above the other");
            assert!(if part > 0.0 { left_x < right_x } else { left_x == right_x });
        }
        assert_eq!(camera.eyes(f64::NAN), camera.eyes(EYE_DISTANCE));
    }
}

#[test]
fn a_screen_door_covers_a_fixed_part_of_the_pixels_and_shows_the_rest() {
    let Some(gpu) = gpu() else { return };
    let places = [DVec3::ZERO, DVec3::Y * 20.0];
    let (scene, colours) = balls(&places, &[RED, BLUE]);
    let camera = Camera { degrees: 0.0, ..Camera::of(&scene, Side::default(), 4.0 / 3.0).nearer(2.0) };
    let (renderer, mut sketch) = (Renderer::new(&gpu), Sketch::new(&gpu));
    for opacity in [0.25f32, 0.5, 0.75] {
        let colours = Colours { opacities: vec![opacity, 1.0], ..colours.clone() };
        let model = renderer.load(&scene, &colours).unwrap();
        sketch.load(&scene, &colours).unwrap();
        let look = |raster| Look { raster, samples: 1, screen_door: true, ..Look::of(Style::Plain) };
        let with = |raster| renderer.draw(&model, &camera, &look(raster), SIZE).unwrap();
        let first = with(Raster::Squares);
        assert!(first == with(Raster::Squares), "the same each time");
        let sketched = waited(sketch.draw(&camera, &look(Raster::Squares), SIZE)).unwrap();
        for (name, picture) in [("squares", first), ("threads", with(Raster::Threads)), ("sketch", sketched)] {
            let inside: Vec<[u8; 4]> =
                pixels().filter(|&at| is_within(&camera, places[0], at)).map(|[x, y]| picture.at(x, y)).collect();
            let is_red = |pixel: &&[u8; 4]| pixel[0] > 2 * pixel[2].min(127);
            let is_blue = |pixel: &&[u8; 4]| pixel[2] > 2 * pixel[0].min(127);
            let (red, blue) = (inside.iter().filter(is_red).count(), inside.iter().filter(is_blue).count());
            assert!(inside.len() > 2000, "{} pixels", inside.len());
            assert_eq!(red + blue, inside.len(), "{name}: one or the other, never a mixture");
            let part = red as f64 / inside.len() as f64;
            assert!((part - f64::from(opacity)).abs() < 0.02, "{name}: {part} in place of {opacity}");
        }
    }
}

#[test]
fn screen_doors_are_alike_however_spheres_are_drawn() {
    let Some(gpu) = gpu() else { return };
    let scene = crowd(150);
    let mut colours = colours(ColourBy::Molecule, &scene);
    colours.opacities = (0..150).map(|number| [0.3, 1.0, 0.6][number % 3]).collect();
    let (renderer, mut sketch) = (Renderer::new(&gpu), Sketch::new(&gpu));
    let model = renderer.load(&scene, &colours).unwrap();
    sketch.load(&scene, &colours).unwrap();
    let whole = camera(&scene);
    for (camera, style) in [(whole, Style::Soft), (whole.nearer(5.0), Style::Illustrative)] {
        let look = |raster| Look { raster, coarse: 0.0, screen_door: true, ..Look::of(style) };
        let with = |raster| renderer.draw(&model, &camera, &look(raster), SIZE).unwrap();
        let squares = with(Raster::Squares);
        for (name, picture) in [
            ("threads", with(Raster::Threads)),
            ("both", with(Raster::Auto)),
            ("sketch", waited(sketch.draw(&camera, &look(Raster::Squares), SIZE)).unwrap()),
        ] {
            let (part, mean) = apart(&squares, &picture);
            assert!(part < 0.004 && mean < 0.8, "{name}, {style:?}: {part} of the pixels, {mean} in the mean");
        }
    }
}

#[test]
fn a_surface_is_a_screen_door_too() {
    let Some(gpu) = gpu() else { return };
    let (scene, colours) = balls(&[DVec3::ZERO], &[RED]);
    let corner = |x: f64, z: f64| DVec3::new(x * 8.0, -10.0, z * 8.0);
    let screen = Mesh {
        vertices: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    };
    let surface = Surface { colour: BLUE, ..Surface::new(screen).with_opacity(0.5) };
    let camera = Camera { degrees: 0.0, ..Camera::of(&scene, Side::default(), 4.0 / 3.0) };
    let renderer = Renderer::new(&gpu);
    let model = renderer.load_with(&scene, &colours, &[surface]).unwrap();
    let look = Look { samples: 1, screen_door: true, ..Look::of(Style::Plain) };
    let picture = renderer.draw(&model, &camera, &look, SIZE).unwrap();
    let inside = pixels().filter(|&at| is_within(&camera, DVec3::ZERO, at)).map(|[x, y]| picture.at(x, y));
    let (blue, red): (Vec<_>, Vec<_>) = inside.partition(|pixel| pixel[2] > pixel[0]);
    let part = blue.len() as f64 / (blue.len() + red.len()) as f64;
    assert!((part - 0.5).abs() < 0.02, "{part} of the pixels");
}

/// Around every hole there would be a line otherwise, and a transparent molecule would be black.
#[test]
fn lines_are_drawn_around_transparent_molecules_and_not_around_holes() {
    let Some(gpu) = gpu() else { return };
    let (scene, colours) = balls(&[DVec3::ZERO], &[[200; 3]]);
    let camera = Camera { degrees: 0.0, ..Camera::of(&scene, Side::default(), 4.0 / 3.0) };
    let renderer = Renderer::new(&gpu);
    let model = renderer.load(&scene, &Colours { opacities: vec![0.5], ..colours }).unwrap();
    let is_inside = |at: &[u32; 2]| is_within(&camera, DVec3::ZERO, *at);
    for screen_door in [true, false] {
        let with = |lines| {
            let look = Look { lines, screen_door, occlusion: 0.0, ..Look::default() };
            renderer.draw(&model, &camera, &look, SIZE).unwrap()
        };
        let (plain, lined) = (with(0.0), with(1.0));
        let darker = |at: &[u32; 2]| plain.at(at[0], at[1])[1].saturating_sub(lined.at(at[0], at[1])[1]);
        let inside = pixels().filter(is_inside).map(|at| darker(&at)).max().unwrap();
        let rim = pixels().filter(|at| !is_inside(at)).map(|at| darker(&at)).max().unwrap();
        assert!(inside < 8 && rim > 20, "screen door {screen_door}: {inside} inside, {rim} at the rim");
    }
}

#[test]
fn colours_of_atoms_that_come_later_give_the_picture_of_those_that_were_loaded() {
    let Some(gpu) = gpu() else { return };
    let scene = crowd(60);
    let (before, mut after) = (colours(ColourBy::Type, &scene), colours(ColourBy::Type, &scene));
    for atom in [2, 3, 11] {
        after.atoms[0][atom] = RED;
    }
    let renderer = Renderer::new(&gpu);
    // Atoms, and far molecules as one sphere in the mean of their colours.
    for coarse in [0.0, 40.0] {
        let look = Look { coarse, ..Look::default() };
        let picture = |model: &_| renderer.draw(model, &camera(&scene), &look, SIZE).unwrap();
        let mut model = renderer.load(&scene, &before).unwrap();
        let first = picture(&model);
        model.update(&gpu, &scene, &after);
        let changed = picture(&model);
        assert!(changed == picture(&renderer.load(&scene, &after).unwrap()), "coarse {coarse}");
        assert!(apart(&changed, &first).0 > 0.01, "coarse {coarse}: they have another colour");
        model.update(&gpu, &scene, &before);
        assert!(picture(&model) == first, "and have their own again");
        // Fewer colours than atoms: the others are grey, as where they are loaded so.
        let none = Colours::default();
        model.update(&gpu, &scene, &none);
        assert!(picture(&model) == picture(&renderer.load(&scene, &none).unwrap()));
    }
}

#[test]
fn a_molecule_that_becomes_transparent_later_is_drawn_as_one_that_was_loaded_so() {
    let Some(gpu) = gpu() else { return };
    let scene = crowd(60);
    let opaque = colours(ColourBy::Molecule, &scene);
    let glass = Colours { opacities: vec![0.5; 60], ..opaque.clone() };
    let renderer = Renderer::new(&gpu);
    let picture = |model: &_| renderer.draw(model, &camera(&scene), &Look::of(Style::Soft), SIZE).unwrap();
    let mut model = renderer.load(&scene, &opaque).unwrap();
    let first = picture(&model);
    model.update(&gpu, &scene, &glass);
    let changed = picture(&model);
    let loaded = picture(&renderer.load(&scene, &glass).unwrap());
    assert!(changed == loaded, "all passes are drawn: {:?}", apart(&changed, &loaded));
    assert!(apart(&changed, &first).0 > 0.05);
    model.update(&gpu, &scene, &opaque);
    assert!(picture(&model) == first, "and opaque again");
}

#[test]
fn a_screen_door_and_light_from_the_left_are_like_those_that_were_looked_at() {
    let Some(gpu) = gpu() else { return };
    let scene = crowd(150);
    let renderer = Renderer::new(&gpu);
    let colours = colours(ColourBy::Molecule, &scene);
    let glass = Colours { opacities: (0..150).map(|number| [0.4, 1.0][number % 2]).collect(), ..colours.clone() };
    let door = Look { samples: 1, screen_door: true, ..Look::default() };
    let left = Look { light: DVec3::new(-0.8, 0.3, 0.5), shadows: 0.7, ..Look::of(Style::Soft) };
    for (name, colours, look) in [("screen-door", &glass, door), ("light-from-the-left", &colours, left)] {
        let model = renderer.load(&scene, colours).unwrap();
        is_golden(name, &renderer.draw(&model, &camera(&scene).nearer(2.5), &look, SIZE).unwrap());
    }
}
