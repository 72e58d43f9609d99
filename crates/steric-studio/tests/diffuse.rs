//! Particles in motion in the window, as a person would watch them: play, pause, step, go back, look at numbers.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::path::Path;

use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::Queryable;
use glam::DVec3;
use steric::world::diffuse::{Diffusion, Response, Strategy};
use steric_studio::simulation::{DiffuseSource, Diffused, Source};
use steric_studio::{Options, Studio};

use common::{Window, answer, click, key, studio, until, window};

/// A window in which particles wait for the first step.
fn opened(open: Source) -> Window {
    let mut window = window(Options { open: Some(open), gpu: steric_gpu::Gpu::software(), ..Options::default() });
    until(&mut window, "opened", |studio| studio.diffused().is_some() && studio.state().now.opened.is_some());
    window
}

fn ready(name: &str) -> Window {
    opened(Source::ready(name).unwrap())
}

fn seen(window: &Window) -> &Diffused {
    studio(window).diffused().unwrap()
}

fn places(window: &Window) -> Vec<(u32, DVec3)> {
    seen(window).particles.iter().map(|placed| (placed.number, placed.unwrapped)).collect()
}

/// So many single steps, each seen; gives the hash of the state.
fn stepped(window: &mut Window, steps: u64) -> u64 {
    for _ in 0..steps {
        let next = seen(window).step + 1;
        window.key_press_modifiers(Modifiers::NONE, Key::Period);
        until(window, "one step", |studio| studio.diffused().unwrap().step == next);
    }
    seen(window).hash.unwrap()
}

/// Chooses an entry of a menu of the physics panel.
fn choose(window: &mut Window, menu: &str, entry: &str) {
    window.run_steps(2);
    window.get_by_role_and_label(Role::ComboBox, menu).click();
    window.run_steps(3);
    window.get_all_by_label(entry).last().unwrap().click();
    window.run_steps(3);
}

#[test]
fn both_ready_scenes_open_play_and_move_without_an_overlap() {
    for (name, particles, dimensions) in [("cytoplasm", 100, 3), ("egf-receptors", 240, 2)] {
        let mut window = ready(name);
        assert!(seen(&window).particles.len() >= particles, "{name}");
        assert_eq!(seen(&window).setup.as_ref().unwrap().dimensions, dimensions);
        let before = places(&window);
        key(&mut window, Modifiers::NONE, Key::Space);
        until(&mut window, "plays", |studio| studio.diffused().unwrap().step >= 40);
        let moved = places(&window).iter().zip(&before).filter(|(new, old)| new.1.distance(old.1) > 0.1).count();
        assert!(moved > before.len() * 9 / 10, "{name}: {moved} of {} moved", before.len());
        key(&mut window, Modifiers::NONE, Key::Space);
        until(&mut window, "pauses", |studio| !studio.diffused().unwrap().now.plays);
        click(&mut window, "Check");
        until(&mut window, "checked", |studio| studio.diffused().unwrap().checked.is_some());
        let checked = seen(&window).checked.unwrap();
        assert_eq!((checked.deepest, checked.step), (None, seen(&window).step), "{name}");
        window.run_steps(2);
        assert!(window.query_by_label_contains("no overlap").is_some());
    }
}

#[test]
fn the_gallery_has_them_and_other_scenes_can_be_opened_after() {
    let mut window = window(Options::default());
    for name in ["egf-receptors", "cytoplasm"] {
        click(&mut window, name);
        until(&mut window, "opened", |studio| {
            let opened = studio.state().now.opened.as_ref();
            studio.diffused().is_some() && opened.is_some_and(|opened| opened.source.name() == name)
        });
        key(&mut window, Modifiers::COMMAND, Key::N);
    }
    click(&mut window, "bilayer");
    until(&mut window, "opened", |studio| {
        let opened = studio.state().now.opened.as_ref();
        studio.diffused().is_none() && opened.is_some_and(|opened| opened.source.name() == "bilayer")
    });
}

#[test]
fn what_is_drawn_is_where_the_particles_are_in_the_colours_of_their_species() {
    let mut window = ready("cytoplasm");
    stepped(&mut window, 3);
    let (now, seen) = (&studio(&window).state().now, seen(&window));
    assert_eq!(now.poses.len(), seen.particles.len() + 1, "each particle, and the box");
    let opened = now.opened.as_ref().unwrap();
    for (id, placed) in seen.particles.iter().enumerate() {
        assert_eq!(now.poses[id].translation, placed.at);
        assert_eq!(now.colours[id], seen.colours[placed.kind as usize]);
        let kind = opened.scene.type_of(steric::model::MoleculeId(id as u32));
        let radius = seen.setup.as_ref().unwrap().species[placed.kind as usize].radius;
        assert!((f64::from(kind.bound.radius) - radius).abs() < 1e-3);
    }
    if studio(&window).device().is_some() {
        until(&mut window, "a picture", Studio::is_shown);
        let picture = studio(&window).picture().unwrap();
        let background = picture.pixels[0];
        let drawn = picture.pixels.iter().filter(|pixel| **pixel != background).count();
        assert!(drawn * 5 > picture.pixels.len(), "{drawn} of {} pixels", picture.pixels.len());
    }
}

#[test]
fn molecules_are_drawn_atom_by_atom_as_they_have_turned() {
    let text = "box = [150.0, 150.0, 150.0]\ntime-step = 10.0\n\
        [[species]]\nname = \"crambin\"\nmolecule = \"crambin\"\ndiffusion = 0.15\ncount = 6\n";
    let (name, folder) = ("crambin.toml".to_owned(), std::path::PathBuf::new());
    let mut window = opened(Source::Diffuse(DiffuseSource { name, text: text.to_owned(), folder }));
    stepped(&mut window, 4);
    let seen = seen(&window);
    let atoms = &seen.setup.as_ref().unwrap().species[0].atoms;
    let mut scene = seen.now.opened.as_ref().unwrap().scene.clone();
    scene.molecules_mut().iter_mut().zip(seen.now.poses.iter()).for_each(|(one, pose)| one.pose = *pose);
    for (id, placed) in (0u32..).zip(seen.particles.iter()) {
        let mut drawn: Vec<_> = scene.placed_atoms(steric::model::MoleculeId(id)).collect();
        drawn.sort_by_key(|(atom, ..)| *atom);
        assert!(drawn.len() == atoms.len() && atoms.len() > 300);
        for ((_, at, radius), (own, own_radius)) in drawn.iter().zip(atoms) {
            assert!(
                at.distance(placed.at + placed.turn * *own) < 1e-3 && (f64::from(*radius) - own_radius).abs() < 1e-4
            );
        }
    }
}

#[test]
fn collisions_are_in_the_charts_and_flash_until_they_have_faded() {
    let mut window = ready("cytoplasm");
    click(&mut window, "Play");
    until(&mut window, "collisions in the chart", |studio| {
        let seen = studio.diffused().unwrap();
        seen.history.series.times.len() > 4 && seen.history.series.collisions.iter().sum::<f64>() > 0.0
    });
    until(&mut window, "somebody stands out", |studio| studio.state().now.touching.contains(&true));
    click(&mut window, "Pause");
    until(&mut window, "all have faded", |studio| !studio.state().now.touching.contains(&true));
    let seen = seen(&window);
    assert!(seen.statistics.collisions > 0);
    let history = &seen.history;
    let species = seen.setup.as_ref().unwrap().species.len();
    assert_eq!((history.series.species.len(), history.displacements.len()), (species, species));
    // At the start nobody has moved, and later everybody has, by no more than they would alone, within three parts in ten.
    for (kind, squares) in history.displacements.iter().enumerate() {
        let free = 6.0 * seen.setup.as_ref().unwrap().species[kind].diffusion * history.series.times.last().unwrap();
        let ratio = squares.last().unwrap() / free;
        assert!(squares[0] == 0.0 && ratio > 0.3 && ratio < 1.3, "{ratio}");
    }
    for title in ["collisions per ns", "clusters by size", "particles", "mean r² and 2nDt (Å²)"] {
        assert!(window.query_by_label(title).is_some(), "{title}");
    }
}

#[test]
fn a_pause_holds_still() {
    let mut window = ready("cytoplasm");
    click(&mut window, "Play");
    until(&mut window, "plays", |studio| studio.diffused().unwrap().step >= 10);
    click(&mut window, "Pause");
    until(&mut window, "pauses", |studio| !studio.diffused().unwrap().now.plays);
    let (step, hash, before) = (seen(&window).step, seen(&window).hash, places(&window));
    for _ in 0..20 {
        window.step();
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!((seen(&window).step, seen(&window).hash), (step, hash));
    assert_eq!(places(&window), before);
}

#[test]
fn after_a_restart_the_same_steps_give_the_same_bits_as_without_a_window() {
    let mut window = ready("egf-receptors");
    let start = seen(&window).hash.unwrap();
    let hash = stepped(&mut window, 30);
    click(&mut window, "Restart");
    until(&mut window, "restarted", |studio| studio.diffused().unwrap().step == 0);
    assert_eq!(seen(&window).hash, Some(start));
    assert_eq!(stepped(&mut window, 30), hash);
    let scene =
        steric::diffuse::DiffuseScene::read(scenes::diffusion("egf-receptors").unwrap(), Path::new("egf")).unwrap();
    let mut headless = Diffusion::new(scene.setup(Path::new(""), &Default::default()).unwrap()).unwrap();
    for _ in 0..30 {
        headless.step();
    }
    assert_eq!(headless.state_hash(), hash);
}

#[test]
fn another_strategy_changes_nothing_and_another_response_does() {
    let mut window = ready("cytoplasm");
    let hash = stepped(&mut window, 24);
    click(&mut window, "Restart");
    until(&mut window, "restarted", |studio| studio.diffused().unwrap().step == 0);
    for (strategy, word) in [(Strategy::Naive, "naive"), (Strategy::B, "b"), (Strategy::C, "c")] {
        choose(&mut window, "strategy", word);
        until(&mut window, "found so", |studio| {
            studio.diffused().unwrap().setup.as_ref().unwrap().options.strategy == strategy
        });
        stepped(&mut window, 8);
    }
    assert_eq!(seen(&window).hash, Some(hash));
    click(&mut window, "Restart");
    choose(&mut window, "response", "stop");
    until(&mut window, "responds so", |studio| {
        let seen = studio.diffused().unwrap();
        seen.step == 0 && seen.setup.as_ref().unwrap().options.response == Response::Stop
    });
    assert_ne!(stepped(&mut window, 24), hash);
}

#[test]
fn a_seed_of_the_command_line_or_of_a_file_is_the_one_that_runs() {
    let source = DiffuseSource::ready("cytoplasm").unwrap().with("seed", "7");
    let window = opened(Source::Diffuse(source));
    assert_eq!(seen(&window).setup.as_ref().unwrap().options.seed, 7);
    assert_ne!(seen(&window).hash, seen(&ready("cytoplasm")).hash);
}

#[test]
fn a_broken_scene_is_told_with_its_line_and_what_was_open_stays() {
    let folder = tempfile::tempdir().unwrap();
    let [broken, crowded] = ["broken.toml", "crowded.toml"].map(|name| folder.path().join(name));
    let text = scenes::diffusion("cytoplasm").unwrap();
    std::fs::write(&broken, text.replace("radius = 31.0 ", "radius = -31.0 ")).unwrap();
    std::fs::write(&crowded, text.replace("fraction = 0.08", "fraction = 0.9")).unwrap();
    let line = text.lines().position(|line| line.starts_with("radius = 31.0")).unwrap() + 1;
    let mut window = ready("egf-receptors");
    let hash = stepped(&mut window, 5);
    for (path, words) in [
        (&broken, format!("{}:{line}: expected a radius above 0, found \"-31\"", broken.display())),
        (&crowded, "crowded.toml".to_owned()),
    ] {
        key(&mut window, Modifiers::COMMAND, Key::O);
        answer(&mut window, path, "Open");
        until(&mut window, "told", |studio| studio.state().alert.is_some());
        let alert = studio(&window).state().alert.clone().unwrap();
        assert!(alert.contains(&words) && alert.contains("expected") && alert.contains("found"), "{alert}");
        click(&mut window, "OK");
        until(&mut window, "as before", |studio| studio.diffused().is_some());
        assert_eq!((seen(&window).hash, seen(&window).step), (Some(hash), 5));
        assert_eq!(studio(&window).state().now.opened.as_ref().unwrap().source.name(), "egf-receptors");
    }
}

#[test]
fn who_is_chosen_stays_so_while_others_vanish() {
    let text = "box = [120.0, 120.0, 120.0]\ntime-step = 1.0\nframe-every = 1\n\
        [[species]]\nname = \"A\"\nradius = 5.0\ndiffusion = 4.0\ncount = 120\n\
        [[species]]\nname = \"B\"\nradius = 5.0\ndiffusion = 4.0\ncount = 40\n\
        [[rule]]\nbetween = [\"A\", \"A\"]\nthen = \"vanish\"\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vanish.toml");
    std::fs::write(&path, text).unwrap();
    let mut window = opened(Source::read(&path).unwrap());
    if studio(&window).device().is_none() {
        return;
    }
    // Somewhere in the picture there is a particle to click on.
    until(&mut window, "a picture", Studio::is_shown);
    let image = window.get_by_role_and_label(Role::Image, "molecules").rect();
    let is_of_b = |window: &Window| {
        let picked = studio(window).state().pointed?;
        seen(window).particles.get(picked.molecule.0 as usize).filter(|placed| placed.kind == 1).map(|one| one.number)
    };
    let spots = (0..400)
        .map(|spot| image.lerp_inside(egui::vec2(0.3 + 0.02 * (spot % 20) as f32, 0.3 + 0.02 * (spot / 20) as f32)));
    let mut found = None;
    for spot in spots {
        window.hover_at(spot);
        window.run_steps(2);
        until(&mut window, "pointed", Studio::is_shown);
        std::thread::sleep(std::time::Duration::from_millis(30));
        window.run_steps(2);
        if let Some(number) = is_of_b(&window) {
            found = Some((spot, number));
            break;
        }
    }
    let (spot, number) = found.expect("one of B is seen");
    for pressed in [true, false] {
        let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
        window.input_mut().events.push(egui::Event::PointerButton { pos: spot, button, pressed, modifiers });
        window.run_steps(1);
    }
    window.run_steps(2);
    let chosen = |studio: &Studio| {
        let particles = &studio.diffused().unwrap().particles;
        let of = |id: &steric::model::MoleculeId| particles.get(id.0 as usize).map(|placed| placed.number);
        studio.state().selected.iter().filter_map(of).collect::<Vec<u32>>()
    };
    assert_eq!(chosen(studio(&window)), [number]);
    key(&mut window, Modifiers::NONE, Key::Space);
    until(&mut window, "many have vanished", |studio| studio.diffused().unwrap().particles.len() < 120);
    key(&mut window, Modifiers::NONE, Key::Space);
    until(&mut window, "pauses", |studio| !studio.diffused().unwrap().now.plays);
    until(&mut window, "chosen as before", |studio| chosen(studio) == [number]);
    assert!(window.query_by_label_contains(&format!("Last contacts of {number}")).is_some());
    let contacts = &seen(&window).contacts;
    let has = |contact: &steric::world::diffuse::Collision| {
        contact.first == number || contact.second == steric::world::diffuse::Partner::Particle(number)
    };
    assert!(!contacts.is_empty() && contacts.iter().all(has));
}

#[test]
fn the_particles_the_table_and_the_scene_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let [model, table, preset] = ["now.cif", "table.csv", "preset.toml"].map(|name| folder.path().join(name));
    let mut window = ready("cytoplasm");
    stepped(&mut window, 10);
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
    let structure = steric::model::formats::read(&model).unwrap().value;
    assert_eq!(structure.atoms.len(), seen(&window).particles.len());
    let first = seen(&window).particles[0].at.as_vec3();
    assert!(structure.atoms.positions[0].distance(first) < 1e-3, "in the order of their numbers");
    let rows = std::fs::read_to_string(&table).unwrap();
    assert!(rows.starts_with("time,collisions,clusters,mean_cluster,haemoglobin,") && rows.lines().count() == 3);
    let again = opened(Source::read(&preset).unwrap());
    assert_eq!(seen(&again).particles.len(), seen(&window).particles.len());
}
