//! Soft bodies in the window, as a person would watch them: play, pause, step, go back, change numbers.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::path::PathBuf;

use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::Queryable;
use glam::DVec3;
use steric::deform::DeformScene;
use steric::model::MoleculeId;
use steric::world::deform::Response;
use steric_studio::simulation::{DeformSource, Deformed, Source};
use steric_studio::{Options, Studio};

use common::{Window, answer, click, key, studio, until, window};

/// A ball a little above the floor, and a plate that is held above the ball: fast to run, and soon in touch.
const BALL: &str = "name = \"ball\"\nfloor = 0.0\n\
    [[body]]\nname = \"ball\"\nball = { radius = 0.1, cells = 4 }\nat = [0.0, 0.0, 0.12]\n\
    [[body]]\nname = \"plate\"\nblock = { size = [0.1, 0.1, 0.02], cells = [2, 2, 1] }\nat = [0.5, 0.0, 0.3]\nfixed = true\n";

/// A window in which bodies wait for the first step.
fn opened(open: Source) -> Window {
    let mut window = window(Options { open: Some(open), gpu: steric_gpu::Gpu::software(), ..Options::default() });
    until(&mut window, "opened", |studio| studio.deformed().is_some() && studio.state().now.opened.is_some());
    window
}

fn stack() -> Window {
    opened(Source::ready("stack").unwrap())
}

fn ball() -> Window {
    let (name, text, folder) = ("ball.toml".to_owned(), BALL.to_owned(), PathBuf::new());
    opened(Source::Deform(DeformSource { name, text, folder }))
}

fn seen(window: &Window) -> &Deformed {
    studio(window).deformed().unwrap()
}

/// Where the middle of all points is.
fn middle(window: &Window) -> DVec3 {
    let positions = &seen(window).positions;
    positions.iter().sum::<DVec3>() / positions.len() as f64
}

/// So many single steps, each seen.
fn stepped(window: &mut Window, steps: u64) {
    for _ in 0..steps {
        let next = seen(window).step + 1;
        window.key_press_modifiers(Modifiers::NONE, Key::Period);
        until(window, "one step", |studio| studio.deformed().unwrap().step == next);
    }
}

#[test]
fn the_stack_falls_and_goes_on_until_it_is_paused() {
    let mut window = stack();
    assert_eq!((seen(&window).bodies.len(), seen(&window).positions.len(), seen(&window).time), (20, 4_840, 0.0));
    let before = middle(&window);
    key(&mut window, Modifiers::NONE, Key::Space);
    until(&mut window, "plays", |studio| studio.deformed().unwrap().step >= 12);
    assert!(seen(&window).time > 11.0 / 60.0 && seen(&window).energy.kinetic > 0.0);
    let fallen = before.z - middle(&window).z;
    assert!(fallen > 0.03, "fallen by {fallen} m");
    key(&mut window, Modifiers::NONE, Key::Space);
    until(&mut window, "pauses", |studio| !studio.deformed().unwrap().now.plays);
    let (step, time, held) = (seen(&window).step, seen(&window).time, seen(&window).positions.clone());
    for _ in 0..20 {
        window.step();
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!((seen(&window).step, seen(&window).time), (step, time));
    assert_eq!(seen(&window).positions, held);
}

#[test]
fn a_restart_brings_the_first_places_back_and_the_same_steps_the_same_bits() {
    let mut window = stack();
    let first = seen(&window).positions.clone();
    let first_poses = studio(&window).state().now.poses.clone();
    stepped(&mut window, 4);
    let later = seen(&window).positions.clone();
    assert_ne!(first, later);
    click(&mut window, "Restart");
    until(&mut window, "restarted", |studio| studio.deformed().unwrap().step == 0);
    assert_eq!((&seen(&window).positions, seen(&window).time, seen(&window).last), (&first, 0.0, None));
    assert_eq!(studio(&window).state().now.poses, first_poses);
    stepped(&mut window, 4);
    assert_eq!(seen(&window).positions, later);
    let scene = DeformScene::read(scenes::deformation("stack").unwrap(), "stack".as_ref()).unwrap();
    let mut headless = scene.start("".as_ref(), None).unwrap();
    for _ in 0..4 {
        headless.step();
    }
    assert_eq!(headless.world.body.positions, *later);
}

#[test]
fn what_touches_is_red_and_the_rest_in_the_colours_of_its_body() {
    let mut window = ball();
    assert!(!studio(&window).state().now.touching.contains(&true), "nothing touches yet");
    let is_red = |studio: &Studio| studio.state().now.touching.contains(&true);
    click(&mut window, "Play");
    until(&mut window, "the ball has touched the floor", is_red);
    click(&mut window, "Pause");
    until(&mut window, "pauses", |studio| !studio.deformed().unwrap().now.plays);
    click(&mut window, "Restart");
    until(&mut window, "back in the air", |studio| !is_red(studio));
    while !is_red(studio(&window)) {
        stepped(&mut window, 1);
    }
    let (now, seen) = (&studio(&window).state().now, seen(&window));
    assert!(seen.last.unwrap().contacts > 0 && seen.touching.contains(&true));
    assert_eq!(studio(&window).state().by, steric_view::ColourBy::Type, "the painter dyes those that touch");
    for body in seen.bodies.iter() {
        assert!(now.colours[body.beads.clone()].iter().all(|colour| *colour == body.colour));
        assert_ne!(body.colour, steric_view::Palette::safe().touching());
    }
    let red = |body: usize| now.touching[seen.bodies[body].beads.clone()].iter().filter(|&&red| red).count();
    assert!(red(0) > 0 && red(0) * 2 < seen.bodies[0].beads.len() && red(1) == 0, "the lower side of the ball");
    let low = |red: bool| {
        let those = seen.bodies[0].beads.clone().filter(|&bead| now.touching[bead] == red);
        those.map(|bead| now.poses[bead].translation.z).fold(f64::INFINITY, f64::min)
    };
    assert!(low(true) < low(false) && low(true) > -0.1 * seen.scale, "where it touches is below");
}

#[test]
fn beads_are_where_the_surface_is_and_a_picture_shows_them() {
    let mut window = stack();
    let (now, seen) = (&studio(&window).state().now, seen(&window));
    let beads: usize = seen.bodies.iter().map(|body| body.beads.len()).sum();
    assert!((20_000..=100_000).contains(&beads), "{beads}");
    assert_eq!(now.poses.len(), beads + 1, "each bead, and the floor");
    for body in seen.bodies.iter() {
        let [low, high] = [f64::min as fn(f64, f64) -> f64, f64::max].map(|which| {
            let points = seen.positions[body.points.clone()].iter().map(|at| seen.scale * at.z);
            points.reduce(which).unwrap()
        });
        let inside = |bead: usize| (low..=high).contains(&now.poses[bead].translation.z);
        assert!(body.beads.clone().all(inside), "{}", body.name);
    }
    let radius = f64::from(now.opened.as_ref().unwrap().scene.type_of(MoleculeId(0)).bound.radius);
    assert!((0.5..2.0).contains(&radius), "as large as atoms: {radius}");
    if studio(&window).device().is_some() {
        until(&mut window, "a picture", Studio::is_shown);
        let picture = studio(&window).picture().unwrap();
        let background = picture.pixels[0];
        let drawn = picture.pixels.iter().filter(|pixel| **pixel != background).count();
        assert!(drawn * 8 > picture.pixels.len(), "{drawn} of {} pixels", picture.pixels.len());
    }
}

#[test]
fn numbers_are_changed_shown_and_saved() {
    let folder = tempfile::tempdir().unwrap();
    let [model, table, preset] = ["now.vtu", "table.csv", "preset.toml"].map(|name| folder.path().join(name));
    let mut window = ball();
    window.run_steps(2);
    window.get_by_role_and_label(Role::ComboBox, "response").click();
    window.run_steps(3);
    window.get_all_by_label("depth").last().unwrap().click();
    until(&mut window, "responds so", |studio| studio.deformed().unwrap().numbers.unwrap().response == Response::Depth);
    stepped(&mut window, 3);
    window.run_steps(2);
    for title in ["contacts", "kinetic energy (J)", "a step (ms)", "iterations", "plate"] {
        assert!(window.query_all_by_label(title).next().is_some(), "{title}");
    }
    for slider in ["friction", "stiffness", "margin", "gravity"] {
        assert!(window.query_all_by_label(slider).next().is_some(), "{slider}");
    }
    assert_eq!(seen(&window).history.times.len(), 3);
    for (modifiers, letter, path) in [
        (Modifiers::COMMAND, Key::S, &model),
        (Modifiers::COMMAND, Key::T, &table),
        (Modifiers::COMMAND | Modifiers::SHIFT, Key::S, &preset),
    ] {
        key(&mut window, modifiers, letter);
        answer(&mut window, path, "Save");
        let words = format!("wrote {}", path.display());
        until(&mut window, "written", |studio| studio.state().log.contains(&words));
    }
    let mesh = steric::model::formats::tet_mesh::read_tet_mesh(&model).unwrap().value;
    assert_eq!(mesh.points, *seen(&window).positions);
    assert_eq!(std::fs::read_to_string(&table).unwrap().lines().count(), 4);
    let again = opened(Source::read(&preset).unwrap());
    assert_eq!(seen(&again).numbers, seen(&window).numbers);
}

#[test]
fn a_broken_scene_is_told_with_its_line_and_what_was_open_stays() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.toml");
    std::fs::write(&broken, BALL.replace("radius = 0.1", "radius = -0.1")).unwrap();
    let mut window = ball();
    stepped(&mut window, 2);
    let before = seen(&window).positions.clone();
    key(&mut window, Modifiers::COMMAND, Key::O);
    answer(&mut window, &broken, "Open");
    until(&mut window, "told", |studio| studio.state().alert.is_some());
    let alert = studio(&window).state().alert.clone().unwrap();
    assert!(alert.contains("broken.toml:5: expected a radius above 0, found \"-0.1\""), "{alert}");
    click(&mut window, "OK");
    until(&mut window, "as before", |studio| studio.deformed().is_some());
    assert_eq!((seen(&window).step, &seen(&window).positions), (2, &before));
    assert_eq!(studio(&window).state().now.opened.as_ref().unwrap().source.name(), "ball.toml");
}

#[test]
fn the_gallery_has_the_stack_and_other_scenes_can_be_opened_after() {
    let mut window = window(Options::default());
    click(&mut window, "stack");
    until(&mut window, "opened", |studio| studio.deformed().is_some() && studio.state().now.opened.is_some());
    key(&mut window, Modifiers::COMMAND, Key::N);
    click(&mut window, "bilayer");
    until(&mut window, "opened", |studio| {
        let opened = studio.state().now.opened.as_ref();
        studio.deformed().is_none() && opened.is_some_and(|opened| opened.source.name() == "bilayer")
    });
}
