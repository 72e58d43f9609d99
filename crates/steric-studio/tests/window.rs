//! The window used as a person would: every panel is clicked, files are written and read back, mistakes are told.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::Queryable;
use steric::collide::IndexKind;
use steric::model::formats;
use steric::world::build::SceneFile;
use steric::world::relax::ResponseKind;
use steric_studio::simulation::Source;
use steric_studio::viewport::Tool;
use steric_studio::{Options, Studio};
use steric_view::{ColourBy, Style};

use common::{Window, answer, click, key, studio, until, window};

/// A small vesicle, in which most lipids overlap.
const SMALL: &str =
    "name = \"small\"\n[[membrane]]\ncount = 300\narea-per-lipid = 75\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";

fn small() -> Source {
    Source::Scene { name: "small".into(), text: SMALL.into(), folder: "".into() }
}

fn opened(options: Options) -> Window {
    let mut window = window(options);
    until(&mut window, "opened", |studio| studio.state().now.opened.is_some());
    window
}

#[test]
fn a_scene_is_chosen_played_and_comes_to_rest() {
    let mut window = window(Options::default());
    window.step();
    click(&mut window, "bilayer");
    until(&mut window, "opened", |studio| studio.state().now.opened.is_some());
    // Who overlaps is told a moment after the molecules are seen.
    let touching = |studio: &Studio| studio.state().now.touching.iter().filter(|&&touches| touches).count();
    until(&mut window, "more than 50 overlap before anything is done", |studio| touching(studio) > 50);
    click(&mut window, "Play");
    until(&mut window, "rest", |studio| studio.state().now.rests);
    let state = studio(&window).state();
    assert_eq!(state.now.overlaps, Some(0));
    assert!(state.now.iteration > 3 && state.now.touching.iter().all(|touches| !touches));
    assert!(window.query_by_label_contains("no overlap").is_some(), "the bar says so");
}

#[test]
fn a_step_is_one_iteration_and_reset_and_undo_go_back() {
    let mut window = opened(Options { open: Some(small()), ..Options::default() });
    let start = studio(&window).state().now.poses.clone();
    click(&mut window, "Step");
    until(&mut window, "a step", |studio| studio.state().now.iteration == 1);
    let moved = studio(&window).state().now.poses.clone();
    assert_ne!(moved, start);
    click(&mut window, "Reset");
    until(&mut window, "a reset", |studio| studio.state().now.poses == start);
    let now = &studio(&window).state().now;
    assert!(!now.plays && now.overlaps.is_none() && now.touching.contains(&true), "and it waits there");
    key(&mut window, Modifiers::COMMAND, Key::Z);
    until(&mut window, "undone", |studio| studio.state().now.poses == moved);
    key(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    until(&mut window, "done again", |studio| studio.state().now.poses == start);
}

#[test]
fn numbers_change_the_running_simulation_and_are_saved_as_a_preset() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = opened(Options { open: Some(small()), ..Options::default() });
    click(&mut window, "thesis");
    until(&mut window, "another response", |studio| studio.state().now.options.response == ResponseKind::Thesis);
    assert!(window.query_by_label("torque step").is_some(), "its own numbers are shown");
    click(&mut window, "molecules at rest sleep");
    until(&mut window, "no sleep", |studio| !studio.state().now.options.sleep);
    key(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::S);
    let preset = folder.path().join("preset.toml");
    answer(&mut window, &preset, "Save");
    let scene = SceneFile::read(&std::fs::read_to_string(&preset).unwrap(), &preset).unwrap();
    assert_eq!(scene.physics.response, ResponseKind::Thesis);
    assert!(!scene.physics.sleep && scene.membrane[0].count == Some(300));
    click(&mut window, "Defaults");
    until(&mut window, "defaults", |studio| studio.state().now.options.response == ResponseKind::Newton);
}

#[test]
fn the_model_and_the_table_are_written_and_a_model_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = opened(Options { open: Some(small()), ..Options::default() });
    click(&mut window, "Play");
    until(&mut window, "rest", |studio| studio.state().now.rests);
    key(&mut window, Modifiers::COMMAND, Key::S);
    let model = folder.path().join("model.pdb");
    answer(&mut window, &model, "Save");
    until(&mut window, "written", |_| model.exists());
    assert_eq!(
        formats::read(&model).unwrap().value.atoms.len() as u64,
        studio(&window).state().now.opened.as_ref().unwrap().scene.atoms()
    );
    key(&mut window, Modifiers::COMMAND, Key::T);
    let table = folder.path().join("iterations.csv");
    answer(&mut window, &table, "Save");
    let text = std::fs::read_to_string(&table).unwrap();
    assert_eq!(text.lines().count(), 1 + studio(&window).state().history.len());
    key(&mut window, Modifiers::COMMAND, Key::O);
    answer(&mut window, &model, "Open");
    until(&mut window, "the model", |studio| {
        studio.state().now.opened.as_ref().is_some_and(|opened| opened.source.name().ends_with("model.pdb"))
    });
}

#[test]
fn a_mistake_is_told_as_on_the_command_line_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("wrong.toml");
    std::fs::write(&wrong, "sead = 7\n").unwrap();
    let mut window = opened(Options { open: Some(small()), ..Options::default() });
    key(&mut window, Modifiers::COMMAND, Key::O);
    answer(&mut window, &wrong, "Open");
    until(&mut window, "told", |studio| studio.state().alert.is_some());
    let told = studio(&window).state().alert.clone().unwrap();
    assert!(told.ends_with("wrong.toml:1: expected a key (did you mean seed?), found \"sead\""), "{told}");
    assert_eq!(studio(&window).state().now.opened.as_ref().unwrap().source, small(), "what was open still is");
    click(&mut window, "OK");
    assert!(studio(&window).state().alert.is_none());
    key(&mut window, Modifiers::COMMAND, Key::O);
    answer(&mut window, &folder.path().join("nothing.pdb"), "Open");
    until(&mut window, "told", |studio| studio.state().alert.is_some());
}

#[derive(Debug)]
struct Dropped(std::path::PathBuf, Vec<u8>);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Ok(self.1.clone())
    }
}

#[test]
fn a_file_that_is_dropped_is_opened() {
    let mut window = window(Options::default());
    window.step();
    let water = b"3\nwater\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n".to_vec();
    window.input_mut().dropped_files.push(Arc::new(Dropped("water.xyz".into(), water)));
    until(&mut window, "opened", |studio| studio.state().now.opened.is_some());
    assert_eq!(studio(&window).state().now.opened.as_ref().unwrap().scene.atoms(), 3);
}

#[test]
fn keys_choose_tools_and_the_list_of_commands_finds_the_rest() {
    let mut window = opened(Options { open: Some(small()), ..Options::default() });
    for (tool, name, keyboard, _) in Tool::ALL {
        key(&mut window, Modifiers::NONE, keyboard);
        assert_eq!(studio(&window).state().tool, tool);
        click(&mut window, "Look");
        click(&mut window, name);
        assert_eq!(studio(&window).state().tool, tool);
    }
    key(&mut window, Modifiers::COMMAND, Key::K);
    window.get_by_role(Role::TextInput).type_text("tool brush");
    window.run_steps(3);
    key(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(studio(&window).state().tool, Tool::Brush);
    click(&mut window, "illustrative");
    assert_eq!(studio(&window).state().style, Style::Illustrative);
    assert_eq!(studio(&window).state().by, ColourBy::Collision);
    key(&mut window, Modifiers::NONE, Key::F1);
    for _ in 0..4 {
        click(&mut window, "Next");
    }
    click(&mut window, "Done");
    assert!(window.query_by_label("Done").is_none());
}

#[test]
fn a_scene_file_is_changed_in_the_window() {
    let mut window = opened(Options { open: Some(small()), ..Options::default() });
    click(&mut window, "Scene file");
    window.run_steps(20);
    let field = window.get_by_role(Role::MultilineTextInput);
    field.focus();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.get_by_role(Role::MultilineTextInput).type_text(&SMALL.replace("300", "400"));
    window.run_steps(2);
    click(&mut window, "Apply");
    until(&mut window, "more lipids", |studio| studio.state().now.poses.len() == 400);
}

#[test]
fn what_cannot_fit_is_said_with_a_way_out() {
    let dense = Source::Scene {
        name: "dense".into(),
        text: SMALL.replace("300", "1200").replace("75", "45"),
        folder: "".into(),
    };
    let mut window = opened(Options { open: Some(dense), ..Options::default() });
    window.run_steps(2);
    let before = studio(&window).state().now.opening;
    window.get_all_by_label("Make room").next().unwrap().click();
    until(&mut window, "more room", |studio| studio.state().now.opening > before);
    let text = studio(&window).state().now.opened.as_ref().unwrap().source.text().unwrap().to_owned();
    let scene = SceneFile::read(&text, "dense".as_ref()).unwrap();
    assert!(scene.membrane[0].area_per_lipid > Some(45.0));
}

#[test]
fn settings_and_what_was_open_survive() {
    let folder = tempfile::tempdir().unwrap();
    let home = || Some(folder.path().to_owned());
    let file = folder.path().join("small.toml");
    std::fs::write(&file, SMALL).unwrap();
    let rested = {
        let open = Some(Source::read(&file).unwrap());
        let mut window = opened(Options { open, folder: home(), ..Options::default() });
        click(&mut window, "Skip");
        click(&mut window, "Play");
        until(&mut window, "rest", |studio| studio.state().now.rests);
        std::thread::sleep(Duration::from_millis(1_100));
        window.run_steps(3);
        studio(&window).state().now.poses.clone()
    };
    // Nobody closed it: as after a crash.
    let mut window = window(Options { folder: home(), ..Options::default() });
    until(&mut window, "restored", |studio| studio.state().now.opened.is_some());
    assert!(window.query_by_label("Skip").is_none(), "the tour was seen");
    until(&mut window, "where the molecules were", |studio| studio.state().now.poses == rested);
}

#[test]
fn a_film_is_recorded_until_someone_ends_it() {
    let Some(gpu) = steric_gpu::Gpu::software() else { return eprintln!("skipped: no software GPU") };
    let folder = tempfile::tempdir().unwrap();
    let film = folder.path().join("seen.gif");
    let mut window = opened(Options { open: Some(small()), gpu: Some(gpu), ..Options::default() });
    until(&mut window, "a picture", |studio| studio.picture().is_some());
    key(&mut window, Modifiers::COMMAND, Key::M);
    answer(&mut window, &film, "Record");
    click(&mut window, "Play");
    until(&mut window, "rest and a fine picture", |studio| studio.state().now.rests && studio.is_shown());
    assert!(window.query_by_label_contains("recording seen.gif").is_some() && !film.exists());
    key(&mut window, Modifiers::COMMAND, Key::M);
    until(&mut window, "the film", |studio| studio.state().log.iter().any(|line| line.ends_with("seen.gif")));
    let bytes = std::fs::read(&film).unwrap();
    assert!(bytes.starts_with(b"GIF89a") && bytes.len() > 10_000, "{} bytes", bytes.len());
    // A picture has to know how many there will be.
    key(&mut window, Modifiers::COMMAND, Key::M);
    answer(&mut window, &folder.path().join("film.png"), "Record");
    assert!(studio(&window).state().alert.as_ref().is_some_and(|alert| alert.contains("whose length is not known")));
}

#[test]
fn tolerance_grid_and_colour_are_changed_in_the_panels() {
    let mut window = opened(Options { open: Some(small()), ..Options::default() });
    click(&mut window, "tolerance");
    for label in ["leeway", "tilt", "grid", "pictures a second", "Own colours"] {
        assert!(window.query_by_label(label).is_some(), "{label}");
    }
    // The charts leave the picture its room, also in a small window.
    window.set_size(egui::vec2(900.0, 640.0));
    window.run_steps(30);
    assert!(window.get_by_role_and_label(Role::Image, "molecules").rect().height() > 300.0);
    window.set_size(egui::vec2(1280.0, 900.0));
    window.run_steps(3);
    window.get_by_label("grid").click();
    window.run_steps(3);
    click(&mut window, "wrapped");
    until(&mut window, "another grid", |studio| studio.state().now.grid == IndexKind::Wrapped);
}

#[test]
fn a_smaller_scene_is_opened_while_the_mouse_points_at_a_molecule() {
    let Some(gpu) = steric_gpu::Gpu::software() else { return eprintln!("skipped: no software GPU") };
    let mut window = opened(Options { open: Some(small()), gpu: Some(gpu), ..Options::default() });
    window.hover_at(egui::pos2(660.0, 400.0));
    until(&mut window, "a molecule", |studio| studio.state().pointed.is_some_and(|picked| picked.molecule.0 > 3));
    let ions = "HETATM    1 ZN    ZN A   1       0.000   0.000   0.000  1.00  0.00          ZN\n";
    window.input_mut().dropped_files.push(Arc::new(Dropped("ion.pdb".into(), ions.into())));
    until(&mut window, "the ion", |studio| studio.state().now.poses.len() == 1);
    window.run_steps(3);
}
