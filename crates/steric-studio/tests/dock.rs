//! Docking in the window, as a person would: a hand on the mouse and the keys, every toggle, a log that is played again, the fitting task.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::path::Path;

use egui::{Key, Modifiers, PointerButton, Role, vec2};
use egui_kittest::kittest::Queryable;
use steric::dock::{Dock, DockOptions, Session, Which, ready};
use steric::model::MoleculeId;
use steric::world::dock::Response;
use steric_studio::simulation::{DockSource, Source};
use steric_studio::{Options, Studio};
use steric_view::Stereo;

use common::{Window, answer, click, key, studio, until, window};

/// A scene that comes with steric, open and ready for a hand.
fn docked(open: &str, folder: Option<&Path>) -> Window {
    let mut window = window(Options {
        open: Source::ready(open),
        gpu: steric_gpu::Gpu::software(),
        folder: folder.map(Path::to_owned),
        ..Options::default()
    });
    until(&mut window, "opened", |studio| studio.docked().is_some());
    if window.query_by_label("Skip").is_some() {
        click(&mut window, "Skip");
    }
    window
}

fn session(window: &Window) -> &Session {
    studio(window).docked().unwrap()
}

/// Drags in the picture by so many points, in steps.
fn drag(window: &mut Window, button: PointerButton, modifiers: Modifiers, by: egui::Vec2) {
    let from = window.get_by_role_and_label(Role::Image, "molecules").rect().center();
    window.hover_at(from);
    window.run_steps(1);
    let event = |pos: egui::Pos2, pressed: bool| egui::Event::PointerButton { pos, button, pressed, modifiers };
    window.input_mut().events.push(event(from, true));
    window.run_steps(1);
    for step in 1..=8 {
        let at = from + by * (step as f32 / 8.0);
        window.input_mut().events.push(egui::Event::PointerMoved(at));
        window.run_steps(1);
    }
    window.input_mut().events.push(event(from + by, false));
    window.run_steps(1);
    window.run_steps(1);
}

#[test]
fn a_hand_moves_and_turns_the_drug_and_undo_brings_it_back() {
    let mut window = docked("dhfr", None);
    let start = session(&window).world_from_ligand();
    drag(&mut window, PointerButton::Primary, Modifiers::NONE, vec2(120.0, 0.0));
    let moved = session(&window).world_from_ligand();
    let way = moved.translation - start.translation;
    assert!(way.length() > 2.0 && moved.rotation.angle_between(start.rotation) < 1e-6, "{way}");
    drag(&mut window, PointerButton::Secondary, Modifiers::NONE, vec2(0.0, 60.0));
    let turned = session(&window).world_from_ligand();
    assert!((turned.rotation.angle_between(moved.rotation) - 0.6).abs() < 0.05, "60 points are 0.6 radians");
    key(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&window).world_from_ligand(), moved);
    key(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&window).world_from_ligand(), start);
    key(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_eq!(session(&window).world_from_ligand(), moved);
    // Keys: held down they push, with Shift they turn.
    let before = session(&window).world_from_ligand();
    window.key_down(Key::ArrowRight);
    window.run_steps(4);
    window.key_up(Key::ArrowRight);
    window.run_steps(2);
    assert!(session(&window).world_from_ligand().translation.distance(before.translation) > 0.1);
    // The view is moved by the same drag in view mode, and the drug stays.
    key(&mut window, Modifiers::NONE, Key::Space);
    let before = session(&window).world_from_ligand();
    drag(&mut window, PointerButton::Primary, Modifiers::NONE, vec2(80.0, 20.0));
    assert_eq!(session(&window).world_from_ligand(), before);
}

#[test]
fn what_is_dragged_into_the_enzyme_touches_it_and_never_goes_in() {
    let mut window = docked("dhfr", None);
    // From the front x is to the right and z is up.
    key(&mut window, Modifiers::NONE, Key::V);
    let mut has_touched = false;
    for _ in 0..30 {
        let way = -session(&window).middle_of_moved();
        drag(&mut window, PointerButton::Primary, Modifiers::NONE, vec2(3.0 * way.x as f32, -3.0 * way.z as f32));
        // Along the line of sight.
        let deeper = if way.y > 0.0 { Key::PageDown } else { Key::PageUp };
        window.key_down(deeper);
        window.run_steps(6);
        window.key_up(deeper);
        window.run_steps(2);
        assert_eq!(session(&window).report().clashes, 0, "it never goes in");
        has_touched |= window.query_all_by_label_contains("pairs touch").next().is_some();
    }
    assert!(has_touched, "{}", session(&window).middle_of_moved());
}

#[test]
fn every_toggle_of_the_manual_has_a_key_and_a_button() {
    let mut window = docked("dhfr", None);
    let cues = |window: &Window| studio(window).state().cues.clone();
    key(&mut window, Modifiers::NONE, Key::C);
    assert!(!session(&window).collides());
    click(&mut window, "collisions");
    assert!(session(&window).collides());
    key(&mut window, Modifiers::NONE, Key::J);
    assert_eq!(session(&window).which(), Which::Receptor);
    click(&mut window, "in hand: receptor");
    assert_eq!(session(&window).which(), Which::Ligand);
    key(&mut window, Modifiers::NONE, Key::Period);
    assert!(session(&window).grown() > 1.04);
    click(&mut window, "atoms −");
    assert!((session(&window).grown() - 1.0).abs() < 1e-12);
    key(&mut window, Modifiers::NONE, Key::F);
    click(&mut window, "beep");
    assert!(cues(&window).flashes && cues(&window).beeps);
    key(&mut window, Modifiers::NONE, Key::T);
    assert_eq!(cues(&window).see_through, Some(MoleculeId(0)));
    click(&mut window, "through receptor");
    assert_eq!(cues(&window).see_through, Some(MoleculeId(1)));
    click(&mut window, "screen door");
    assert!(cues(&window).screen_door);
    key(&mut window, Modifiers::SHIFT, Key::S);
    assert!(cues(&window).is_stereo);
    for kind in [Stereo::SideBySide, Stereo::CrossEye, Stereo::Anaglyph, Stereo::Rows] {
        while cues(&window).stereo != kind {
            click(&mut window, "next stereo");
        }
        // Without anything that draws there is nothing to wait for.
        if studio(&window).device().is_some() {
            until(&mut window, "a picture for two eyes", Studio::is_shown);
        }
    }
    let apart = cues(&window).eye_distance;
    key(&mut window, Modifiers::NONE, Key::CloseBracket);
    assert!(cues(&window).eye_distance > apart);
    click(&mut window, "eyes −");
    assert!((cues(&window).eye_distance - apart).abs() < 1e-12);
    key(&mut window, Modifiers::SHIFT, Key::Num0);
    assert_eq!(cues(&window).rocking, 2.0);
    click(&mut window, "rock −");
    assert_eq!(cues(&window).rocking, 0.0);
    for (label, is_on) in [("shadows", true), ("fog", false)] {
        window.run_steps(2);
        let all: Vec<_> = window.get_all_by_label(label).collect();
        all.first().unwrap().click();
        window.run_steps(3);
        let cues = cues(&window);
        assert_eq!(if label == "fog" { cues.fog > 0.0 } else { cues.shadows > 0.0 }, is_on, "{label}");
    }
    key(&mut window, Modifiers::NONE, Key::R);
    assert_eq!(session(&window).response(), Response::Push);
    // Light mode: a drag turns the light, and moves nothing.
    let before = session(&window).world_from_ligand();
    key(&mut window, Modifiers::NONE, Key::L);
    drag(&mut window, PointerButton::Primary, Modifiers::NONE, vec2(50.0, 10.0));
    assert!(cues(&window).light.is_some());
    assert_eq!(session(&window).world_from_ligand(), before);
}

#[test]
fn keys_are_shown_and_changed_and_remembered() {
    let folder = tempfile::tempdir().unwrap();
    {
        let mut window = docked("dhfr", Some(folder.path()));
        key(&mut window, Modifiers::NONE, Key::F2);
        click(&mut window, "keys of flash");
        key(&mut window, Modifiers::NONE, Key::Z);
        key(&mut window, Modifiers::NONE, Key::F2);
        key(&mut window, Modifiers::NONE, Key::Z);
        assert!(studio(&window).state().cues.flashes);
    }
    let mut window = docked("dhfr", Some(folder.path()));
    key(&mut window, Modifiers::NONE, Key::F);
    assert!(!studio(&window).state().cues.flashes, "the old key does nothing");
    key(&mut window, Modifiers::NONE, Key::Z);
    assert!(studio(&window).state().cues.flashes);
}

#[test]
fn what_a_hand_did_is_written_down_and_played_again_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("hand.log");
    let mut window = docked("dhfr", None);
    drag(&mut window, PointerButton::Primary, Modifiers::NONE, vec2(-150.0, 40.0));
    key(&mut window, Modifiers::SHIFT, Key::P);
    answer(&mut window, &log, "Record");
    drag(&mut window, PointerButton::Secondary, Modifiers::NONE, vec2(30.0, 60.0));
    key(&mut window, Modifiers::NONE, Key::K);
    key(&mut window, Modifiers::NONE, Key::G);
    key(&mut window, Modifiers::NONE, Key::Period);
    drag(&mut window, PointerButton::Primary, Modifiers::NONE, vec2(-300.0, 0.0));
    key(&mut window, Modifiers::COMMAND, Key::Z);
    let end = session(&window).hash();
    click(&mut window, "record");
    // Without a window.
    let dhfr = ready("dhfr", &DockOptions::default()).unwrap().unwrap().dock;
    let text = std::fs::read_to_string(&log).unwrap();
    let (played, headless) = Dock::play(&dhfr, "hand.log", &text).unwrap();
    assert_eq!((played.first_other, played.same), (None, played.deeds));
    assert!(played.deeds > 20 && headless.hash() == end);
    // And in the window, from which it came.
    key(&mut window, Modifiers::NONE, Key::P);
    answer(&mut window, &log, "Play");
    until(&mut window, "played", |studio| studio.state().log.iter().any(|line| line.contains("all the same bits")));
    assert_eq!(session(&window).hash(), end);
}

#[test]
fn a_broken_ligand_is_told_and_what_was_open_stays() {
    let folder = tempfile::tempdir().unwrap();
    let [model, broken] = ["argon.xyz", "broken.sdf"].map(|name| folder.path().join(name));
    std::fs::write(&model, "1\nargon\nAr 0 0 0\n").unwrap();
    std::fs::write(&broken, "no\nligand\n").unwrap();
    let open = Some(Source::read(&model).unwrap());
    let mut window = window(Options { open, ..Options::default() });
    until(&mut window, "opened", |studio| studio.state().now.opened.is_some());
    key(&mut window, Modifiers::COMMAND, Key::D);
    answer(&mut window, &broken, "Open");
    until(&mut window, "told", |studio| studio.state().alert.is_some());
    assert!(studio(&window).state().alert.as_ref().unwrap().contains("broken.sdf"));
    click(&mut window, "OK");
    let opened = studio(&window).state().now.opened.clone().unwrap();
    assert!(studio(&window).docked().is_none() && opened.source.name().ends_with("argon.xyz"));
    // And a whole one is docked into it.
    let whole = folder.path().join("helium.xyz");
    std::fs::write(&whole, "1\nhelium\nHe 9 0 0\n").unwrap();
    key(&mut window, Modifiers::COMMAND, Key::D);
    answer(&mut window, &whole, "Open");
    until(&mut window, "docked", |studio| studio.docked().is_some_and(|session| session.dock().atoms() == [1, 1]));
}

#[test]
fn the_fitting_task_has_a_clock_and_its_trials_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = docked("fitting", None);
    assert!(window.query_by_label("The fitting task").is_some());
    key(&mut window, Modifiers::NONE, Key::C);
    click(&mut window, "Done");
    assert_eq!(session(&window).trial().unwrap().errors, 1);
    click(&mut window, "Again");
    assert_eq!(session(&window).trial().unwrap().errors, 0, "another trial");
    assert!(!session(&window).collides(), "with the same response");
    click(&mut window, "Save the trials");
    let table = folder.path().join("trials.csv");
    answer(&mut window, &table, "Save");
    assert_eq!(std::fs::read_to_string(&table).unwrap(), "who,response,is_solved,seconds,motions,hits,errors\n");
}

#[test]
fn a_ligand_is_docked_into_two_files_and_energies_pull_it_downhill() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/data");
    let source = DockSource::read(&data.join("dhfr.pdb.gz"), &data.join("trimethoprim.pdb")).unwrap();
    let mut window = window(Options { open: Some(Source::Dock(source)), ..Options::default() });
    until(&mut window, "opened", |studio| studio.docked().is_some());
    click(&mut window, "Work out energies");
    until(&mut window, "energies", |studio| studio.docked().unwrap().has_energies());
    let before = session(&window).force().unwrap().0.total();
    click(&mut window, "Minimise");
    let after = session(&window).force().unwrap().0.total();
    assert!(after < before, "{before} {after}");
    assert_eq!(session(&window).report().clashes, 0);
    assert!(window.query_by_label("Lennard-Jones").is_some() && window.query_by_label("force").is_some());
    let image = window.get_by_role_and_label(Role::Image, "molecules").rect();
    assert!(image.width() > 400.0 && image.height() > 300.0, "the buttons leave room: {image:?}");
}
