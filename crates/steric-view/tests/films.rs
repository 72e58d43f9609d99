//! One picture after the other on the software GPU: what others hide is left out and not missed, and molecules that a relaxation moves are
//! followed.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod drawn;

use drawn::{SIZE, apart, camera, colours, crowd, draw, gpu, is_golden};
use glam::{DVec3, Vec3};
use steric_collide::OverlapSearch;
use steric_gpu::GpuRelax;
use steric_model::formats::mesh::Mesh;
use steric_model::{Pose, Scene};
use steric_view::{Camera, ColourBy, Colours, Look, Palette, Raster, Renderer, Side, Style, Surface, add_lines};
use steric_world::relax::{Engine, Relax, RelaxOptions, Setup};

/// Balls behind a wall, and some before it.
fn wall_and_crowd() -> Scene {
    let mut scene = crowd(300);
    let bricks: Vec<Vec3> =
        (0..1600).map(|at| Vec3::new((at % 40) as f32 * 2.0 - 40.0, -20.0, (at / 40) as f32 * 2.0 - 40.0)).collect();
    let wall = scene.add_type("wall", &bricks, &[2.2; 1600]);
    scene.add_molecule(wall, Pose::IDENTITY);
    scene
}

#[test]
fn a_film_shows_what_single_pictures_show() {
    let Some(gpu) = gpu() else { return };
    let scene = wall_and_crowd();
    let renderer = Renderer::new(&gpu);
    let model = renderer.load(&scene, &colours(ColourBy::Molecule, &scene)).unwrap();
    let whole = Camera::of(&scene, Side { turn: 0.0, lift: 5.0 }, 4.0 / 3.0);
    for parallel in [false, true] {
        for raster in [Raster::Squares, Raster::Auto] {
            let look = Look { raster, samples: 1, ..Look::of(Style::Soft) };
            let mut canvas = renderer.canvas(&model, &look, SIZE).unwrap();
            // A camera that goes far at once sees what was hidden before.
            for (turn, nearer) in [(0.0, 1.0), (3.0, 1.0), (6.0, 1.3), (90.0, 1.0), (180.0, 0.5), (182.0, 3.0)] {
                let mut camera = whole.turned(turn).nearer(nearer);
                if parallel {
                    camera.degrees = 0.0;
                }
                let next = renderer.draw_on(&mut canvas, &model, &camera, &look).unwrap();
                let alone = renderer.draw(&model, &camera, &look, SIZE).unwrap();
                let (part, mean) = apart(&next, &alone);
                assert!(part < 0.0005 && mean < 0.05, "{raster:?} {turn}: {part} of the pixels, {mean} in the mean");
            }
        }
    }
}

#[test]
fn what_a_wall_hides_is_not_drawn() {
    let Some(gpu) = gpu() else { return };
    let scene = wall_and_crowd();
    let renderer = Renderer::new(&gpu);
    let model = renderer.load(&scene, &colours(ColourBy::Molecule, &scene)).unwrap();
    let look = Look { samples: 1, coarse: 0.0, ..Look::default() };
    let drawn = |side: Side| {
        let camera = Camera { degrees: 0.0, ..Camera::of(&scene, side, 4.0 / 3.0) };
        let mut canvas = renderer.canvas(&model, &look, SIZE).unwrap();
        let counts = [0; 3].map(|_: u32| {
            renderer.draw_on(&mut canvas, &model, &camera, &look).unwrap();
            renderer.clusters_drawn(&canvas).unwrap()
        });
        (counts[0], counts[2])
    };
    let (all, seen) = drawn("front".parse().unwrap());
    assert!(seen < all * 3 / 4, "from the front the wall hides most: {seen} of {all}");
    let (all, from_behind) = drawn("back".parse().unwrap());
    assert!(
        from_behind > seen && from_behind <= all,
        "from behind the crowd is before the wall: {from_behind} of {all}"
    );
}

#[test]
fn molecules_that_are_one_sphere_each_are_drawn_as_squares_too() {
    let Some(gpu) = gpu() else { return };
    let scene = crowd(400);
    let far = camera(&scene).nearer(0.25);
    let with = |raster| draw(&gpu, &scene, ColourBy::Type, &far, &Look { coarse: 30.0, raster, ..Look::default() });
    let (part, mean) = apart(&with(Raster::Squares), &with(Raster::Auto));
    assert!(part < 0.002 && mean < 0.3, "{part} of the pixels, {mean} in the mean");
}

#[test]
fn poses_from_the_gpu_give_the_picture_of_poses_from_the_processor() {
    let Some(gpu) = gpu() else { return };
    let scene = crowd(120);
    let (camera, look, palette) = (camera(&scene), Look::of(Style::Soft), Palette::safe());
    let renderer = Renderer::new(&gpu);
    let by_collision = |scene: &Scene| {
        let overlaps = OverlapSearch::default().overlaps_unsorted(scene);
        Colours::of_scene(ColourBy::Collision, &palette, scene, &overlaps)
    };
    let mut model = renderer.load(&scene, &by_collision(&scene)).unwrap();
    let before = renderer.draw(&model, &camera, &look, SIZE).unwrap();
    let mut relax = GpuRelax::new(&gpu);
    relax.load(&Relax::new(Setup::new(scene.clone()), RelaxOptions::default(), 1)).unwrap();
    let follower = renderer.follower(&model, &relax.molecules().unwrap(), Some(&palette)).unwrap();
    let mut is_at_rest = false;
    while !is_at_rest {
        is_at_rest = relax.advance(16).unwrap().last().is_none_or(|last| last.overlapping == 0);
    }
    let progress = relax.fetch().unwrap();
    renderer.follow(&follower);
    let followed = renderer.draw(&model, &camera, &look, SIZE).unwrap();
    let mut moved = scene.clone();
    let ids = relax.molecules().unwrap().ids;
    for (&id, pose) in ids.iter().zip(&progress.poses) {
        moved.molecules_mut()[id as usize].pose = *pose;
    }
    assert!(OverlapSearch::default().overlaps_unsorted(&moved).is_empty());
    let colours = by_collision(&moved);
    model.update(&gpu, &moved, &colours);
    let copied = renderer.draw(&model, &camera, &look, SIZE).unwrap();
    let (part, mean) = apart(&followed, &copied);
    assert!(part < 0.001 && mean < 0.1, "{part} of the pixels, {mean} in the mean");
    assert!(apart(&followed, &before).0 > 0.05, "they have moved");
}

/// A square of two triangles that faces the front.
fn screen(y: f64, half: f64) -> Mesh {
    let corner = |x: f64, z: f64| DVec3::new(x * half, y, z * half);
    Mesh {
        vertices: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

#[test]
fn a_surface_hides_what_is_behind_it_and_no_more_than_it_should() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::default();
    let ball = scene.add_type("ball", &[Vec3::ZERO], &[6.0]);
    scene.add_molecule(ball, Pose::IDENTITY);
    let colours = Colours { atoms: vec![vec![[200, 0, 0]]], ..Colours::default() };
    let renderer = Renderer::new(&gpu);
    for degrees in [25.0, 0.0] {
        let camera = Camera { degrees, ..Camera::of(&scene, Side::default(), 4.0 / 3.0).nearer(0.5) };
        let seen = |y: f64, opacity: f32, clip| {
            let surface = Surface { colour: [0, 0, 200], ..Surface::new(screen(y, 8.0)).with_opacity(opacity) };
            let broken = Surface::new(Mesh { vertices: vec![DVec3::ZERO], triangles: vec![[0, 1, 2]] });
            let model = renderer.load_with(&scene, &colours, &[surface, broken]).unwrap();
            let look = Look { clip, samples: 4, ..Look::of(Style::Plain) };
            let picture = renderer.draw(&model, &camera, &look, SIZE).unwrap();
            let [x, y] = camera.pixel_of(DVec3::ZERO, SIZE).unwrap().map(|pixel| pixel as u32);
            let [red, _, blue, _] = picture.at(x, y).map(|part| (f64::from(part) / 255.0).powf(2.2));
            (red, blue)
        };
        let (before, behind) = (seen(-10.0, 1.0, None), seen(10.0, 1.0, None));
        assert!(before.1 > 4.0 * before.0, "the surface is before the ball: {before:?}");
        assert!(behind.0 > 4.0 * behind.1, "the ball is before the surface: {behind:?}");
        let half = seen(-10.0, 0.5, None);
        assert!((half.0 / behind.0 - 0.5).abs() < 0.06 && (half.1 / before.1 - 0.5).abs() < 0.06, "{half:?}");
        let cut = seen(-10.0, 1.0, Some((DVec3::NEG_Y * 8.0, DVec3::Y)));
        assert!(cut.0 > 4.0 * cut.1, "the surface is cut away: {cut:?}");
    }
}

#[test]
fn surfaces_and_lines_are_like_those_that_were_looked_at() {
    let Some(gpu) = gpu() else { return };
    let mut scene = crowd(60);
    let mut colours = colours(ColourBy::Type, &scene);
    let corner = |number: u32| DVec3::from([1, 2, 4].map(|bit| if number & bit > 0 { 34.0 } else { -34.0 }));
    let bones: Vec<[DVec3; 2]> = (0..8).map(|number| [DVec3::ZERO, corner(number)]).collect();
    add_lines(&mut scene, &mut colours, &bones, [30, 30, 30], 1.5);
    let octahedron = Mesh {
        vertices: [DVec3::X, DVec3::Y, DVec3::Z].iter().flat_map(|axis| [*axis * 45.0, *axis * -45.0]).collect(),
        triangles: vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]],
    };
    let renderer = Renderer::new(&gpu);
    let model = renderer.load_with(&scene, &colours, &[Surface::new(octahedron).with_opacity(0.4)]).unwrap();
    is_golden("surface-and-lines", &renderer.draw(&model, &camera(&scene), &Look::of(Style::Soft), SIZE).unwrap());
}
