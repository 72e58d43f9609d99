//! Molecules on a skeleton in the window, as a person would play them: play, pause, go from key to key, turn a bone, hold atoms apart.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use egui::{Event, Key, Modifiers, PointerButton, Pos2, Role};
use egui_kittest::kittest::Queryable;
use glam::{DQuat, DVec3, Vec3};
use steric::model::{
    AtomRecord, Clip, Curve, Element, Joint, JointPose, Keys, MoleculeId, Name, Rig, Skeleton, Structure,
    StructureBuilder, Track,
};
use steric::world::animate::{Level, Moment, Puppet, PuppetOptions};
use steric_studio::simulation::{Animated, Source};
use steric_studio::{Options, Studio};

use common::{Window, answer, click, key, studio, until, window};

/// Atoms of each chain, three in a residue.
const ATOMS: usize = 36;
/// The colour of a bone that is chosen.
const CHOSEN: Option<[u8; 3]> = Some([255, 214, 10]);

/// Two chains of carbon beside each other.
fn chains() -> Structure {
    let mut builder = StructureBuilder::new("two rods", 2 * ATOMS);
    for (chain, side) in [("A", Vec3::ZERO), ("B", Vec3::new(0.0, 8.0, 2.0))] {
        for atom in 0..ATOMS {
            let position = side + Vec3::new(1.5 * atom as f32, 0.0, 0.5 * (atom % 2) as f32);
            builder.push(AtomRecord {
                position,
                element: Element::from_symbol("C").unwrap(),
                name: Name::new(["C1", "C2", "C3"][atom % 3]),
                residue_name: Name::new("ALA"),
                residue_number: 1 + atom as i32 / 3,
                chain,
                ..AtomRecord::default()
            });
        }
    }
    builder.finish()
}

/// Three bones in a line; the clip bends them at the second joint, and back.
fn puppet(has_clip: bool) -> Puppet {
    let joint = |name: &str, parent: Option<u32>| {
        let rest = if parent.is_some() { JointPose::at(DVec3::X * 18.0) } else { JointPose::IDENTITY };
        Joint { tip: Some(DVec3::X * 18.0), ..Joint::new(name, parent, rest) }
    };
    let skeleton = Skeleton::new(vec![joint("upper", None), joint("middle", Some(0)), joint("lower", Some(1))]);
    let keys = Keys::Rotation(vec![DQuat::IDENTITY, DQuat::from_rotation_z(2.1), DQuat::IDENTITY]);
    let bend = Clip::new("bend", vec![Track { joint: 1, times: vec![0.0, 1.0, 2.0], curve: Curve::Linear, keys }]);
    let clips = if has_clip { vec![bend] } else { Vec::new() };
    Puppet::new(chains(), Rig { skeleton, clips, ..Rig::default() }, &PuppetOptions::default()).unwrap()
}

fn opened(puppet: Puppet) -> Window {
    let open = Some(Source::animate(puppet, "two rods"));
    let mut window = window(Options { open, gpu: steric_gpu::Gpu::software(), ..Options::default() });
    until(&mut window, "opened", |studio| studio.animated().is_some() && studio.state().now.opened.is_some());
    window.run_steps(3);
    window
}

fn seen(window: &Window) -> &Animated {
    studio(window).animated().unwrap()
}

fn time(studio: &Studio) -> f64 {
    studio.animated().unwrap().moment.time
}

fn places(window: &Window) -> Vec<DVec3> {
    seen(window).now.poses.iter().map(|pose| pose.translation).collect()
}

fn farthest(one: &[DVec3], other: &[DVec3]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one.distance(*other)).fold(0.0, f64::max)
}

fn key_times(window: &Window) -> Vec<f64> {
    seen(window).puppet.as_ref().unwrap().key_times(0)
}

/// Chooses an entry of a menu.
fn choose(window: &mut Window, menu: &str, entry: &str) {
    window.run_steps(2);
    window.get_by_role_and_label(Role::ComboBox, menu).click();
    window.run_steps(3);
    window.get_all_by_label(entry).last().unwrap().click();
    window.run_steps(3);
}

/// Writes a number into a field.
fn write(window: &mut Window, field: &str, number: &str) {
    window.run_steps(2);
    window.get_by_role_and_label(Role::SpinButton, field).click();
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(Event::Text(number.to_owned()));
    window.run_steps(2);
    key(window, Modifiers::NONE, Key::Enter);
}

fn press(window: &mut Window, pos: Pos2, pressed: bool) {
    let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
    window.event(Event::PointerButton { pos, button, pressed, modifiers });
    window.run_steps(1);
}

#[test]
fn play_moves_atoms_and_pause_stops_them() {
    let mut window = opened(puppet(true));
    let start = places(&window);
    assert_eq!(start.len(), 2 * ATOMS);
    key(&mut window, Modifiers::NONE, Key::Space);
    until(&mut window, "it plays", |studio| (0.3..1.2).contains(&time(studio)));
    assert!(seen(&window).now.plays);
    key(&mut window, Modifiers::NONE, Key::Space);
    until(&mut window, "it pauses", |studio| !studio.animated().unwrap().now.plays);
    std::thread::sleep(std::time::Duration::from_millis(100));
    window.run_steps(5);
    let (stopped, at) = (places(&window), time(studio(&window)));
    assert!(farthest(&stopped, &start) > 5.0);
    std::thread::sleep(std::time::Duration::from_millis(200));
    window.run_steps(5);
    assert_eq!((places(&window), time(studio(&window))), (stopped.clone(), at));
    // What is seen is what the engine says.
    let wanted = seen(&window).puppet.as_ref().unwrap().positions(&Moment { time: at, ..Moment::default() });
    assert!(stopped.iter().zip(&wanted).all(|(seen, wanted)| seen.distance(wanted.as_dvec3()) < 1e-3));
    key(&mut window, Modifiers::COMMAND, Key::R);
    until(&mut window, "at the start", |studio| time(studio) == 0.0);
    if studio(&window).device().is_some() {
        until(&mut window, "a picture", Studio::is_shown);
        let picture = studio(&window).picture().unwrap();
        let drawn = picture.pixels.iter().filter(|pixel| **pixel != picture.pixels[0]).count();
        assert!(drawn > 500, "{drawn} pixels");
    }
}

#[test]
fn keys_and_the_slider_go_to_a_time() {
    let mut window = opened(puppet(true));
    for wanted in [1.0, 2.0, 2.0] {
        click(&mut window, "Next key");
        until(&mut window, "at a key", |studio| time(studio) == wanted);
    }
    key(&mut window, Modifiers::NONE, Key::Comma);
    until(&mut window, "back", |studio| time(studio) == 1.0);
    click(&mut window, "Previous key");
    until(&mut window, "at the start", |studio| time(studio) == 0.0);
    key(&mut window, Modifiers::NONE, Key::Period);
    until(&mut window, "on", |studio| time(studio) == 1.0);
    let slider = window.get_by_role_and_label(Role::Slider, "time").rect();
    let quarter = Pos2::new(slider.left() + 0.25 * 220.0, slider.center().y);
    press(&mut window, quarter, true);
    press(&mut window, quarter, false);
    until(&mut window, "scrubbed", |studio| (0.4..0.6).contains(&time(studio)));
}

#[test]
fn levels_have_as_many_molecules_as_groups_and_stand_where_the_engine_says() {
    let mut window = opened(puppet(true));
    click(&mut window, "Next key");
    for (level, word, count) in [(Level::Residue, "residue", 24), (Level::Chain, "chain", 2), (Level::Atom, "atom", 72)]
    {
        choose(&mut window, "level", word);
        until(&mut window, word, |studio| studio.animated().unwrap().moment.level == level);
        assert_eq!((seen(&window).molecules, seen(&window).now.poses.len()), (count, count));
        let now = &seen(&window).now;
        let moment = Moment { time: 1.0, level, ..Moment::default() };
        let wanted = seen(&window).puppet.as_ref().unwrap().positions(&moment);
        let mut scene = now.opened.as_ref().unwrap().scene.clone();
        scene.molecules_mut().iter_mut().zip(now.poses.iter()).for_each(|(own, pose)| own.pose = *pose);
        let molecules = &now.opened.as_ref().unwrap().molecules;
        for id in 0..count as u32 {
            for (atom, place, _) in scene.placed_atoms(MoleculeId(id)) {
                let wanted = wanted[molecules.origin(atom).atom as usize].as_dvec3();
                assert!(place.distance(wanted) < 1e-3, "{word}: {atom:?} {place} {wanted}");
            }
        }
    }
    choose(&mut window, "blend", "linear");
    click(&mut window, "lerp");
    until(&mut window, "blended so", |studio| {
        let moment = &studio.animated().unwrap().moment;
        (moment.blend.name(), moment.turning) == ("linear", steric::model::Turning::Lerp)
    });
}

#[test]
fn bones_a_second_level_and_super_atoms_are_drawn() {
    let mut window = opened(puppet(true));
    click(&mut window, "skeleton");
    until(&mut window, "bones", |studio| studio.animated().unwrap().now.poses.len() > 100);
    let with_bones = seen(&window).now.poses.len();
    assert_eq!((seen(&window).molecules, seen(&window).bones.len()), (72, 3));
    click(&mut window, "Next key");
    until(&mut window, "bent", |studio| time(studio) == 1.0);
    let last = seen(&window).bones[2].tail;
    assert!(places(&window).iter().any(|place| place.distance(last) < 1e-6), "a bead at the end of the last bone");
    assert!(last.y > 20.0);
    click(&mut window, "chain bones");
    until(&mut window, "chain bones", |studio| studio.animated().unwrap().now.poses.len() > with_bones);
    click(&mut window, "skeleton");
    click(&mut window, "chain bones");
    choose(&mut window, "overlay", "chain");
    until(&mut window, "two levels", |studio| studio.animated().unwrap().now.poses.len() == 72 + 2);
    let now = &seen(&window).now;
    assert!(now.dyed[72..].iter().all(Option::is_some) && now.dyed[..72].iter().all(Option::is_none));
    assert!(now.opacities[72] < 1.0 && now.opacities[0] == 1.0);
    choose(&mut window, "overlay", "none");
    choose(&mut window, "distance", "2: 16 atoms each");
    until(&mut window, "super-atoms", |studio| studio.animated().unwrap().distance == 2);
    assert!((3..=7).contains(&seen(&window).molecules), "{}", seen(&window).molecules);
    if studio(&window).device().is_some() {
        until(&mut window, "a picture", Studio::is_shown);
    }
}

#[test]
fn from_afar_super_atoms_stand_in() {
    let mut window = opened(puppet(true));
    window.run_steps(3);
    assert_eq!(seen(&window).distance, 0);
    write(&mut window, "at least", "90");
    until(&mut window, "coarser", |studio| studio.animated().unwrap().distance > 0);
    assert!(seen(&window).molecules < 30);
}

#[test]
fn a_bone_that_is_turned_by_hand_moves_atoms_and_becomes_a_key_that_can_be_undone() {
    let mut window = opened(puppet(true));
    let start = places(&window);
    click(&mut window, "Next key");
    let slider = window.get_by_role_and_label(Role::Slider, "time").rect();
    let at = Pos2::new(slider.left() + 0.25 * 220.0, slider.center().y);
    press(&mut window, at, true);
    press(&mut window, at, false);
    until(&mut window, "scrubbed", |studio| (0.4..0.6).contains(&time(studio)));
    let (before, now) = (places(&window), time(studio(&window)));
    click(&mut window, "lower");
    write(&mut window, "z", "60");
    until(&mut window, "turned", |studio| {
        let poses = &studio.animated().unwrap().now.poses;
        poses[ATOMS - 1].translation.distance(before[ATOMS - 1]) > 5.0
    });
    let turned = places(&window);
    assert!(turned[3].distance(before[3]) < 0.5, "what hangs on the first bone stays");
    assert_eq!(key_times(&window), [0.0, 1.0, 2.0], "not a key yet");
    click(&mut window, "Add key");
    until(&mut window, "a key", |studio| studio.animated().unwrap().puppet.as_ref().unwrap().key_times(0).len() == 4);
    assert!(key_times(&window).contains(&now));
    until(&mut window, "as it was turned", |studio| {
        let poses = &studio.animated().unwrap().now.poses;
        poses.iter().zip(&turned).all(|(pose, turned)| pose.translation.distance(*turned) < 1e-3)
    });
    // A joint that had no key so far rests at the start.
    key(&mut window, Modifiers::COMMAND, Key::R);
    until(&mut window, "at the start", |studio| time(studio) == 0.0);
    assert!(farthest(&places(&window), &start) < 1e-3);
    key(&mut window, Modifiers::COMMAND, Key::Z);
    until(&mut window, "undone", |studio| studio.animated().unwrap().puppet.as_ref().unwrap().key_times(0).len() == 3);
    key(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    until(&mut window, "again", |studio| studio.animated().unwrap().puppet.as_ref().unwrap().key_times(0).len() == 4);
}

#[test]
fn a_bone_is_chosen_and_turned_in_the_picture() {
    let mut window = opened(puppet(true));
    click(&mut window, "skeleton");
    until(&mut window, "bones", |studio| studio.animated().unwrap().now.poses.len() > 100);
    let image = window.get_by_role_and_label(Role::Image, "molecules").rect();
    let is_chosen = |studio: &Studio| studio.animated().unwrap().now.dyed.contains(&CHOSEN);
    let spots = (0..80).map(|step| image.lerp_inside(egui::vec2(0.45, 0.2 + 0.6 * step as f32 / 80.0)));
    let mut found = None;
    for spot in spots {
        window.hover_at(spot);
        window.run_steps(1);
        press(&mut window, spot, true);
        press(&mut window, spot, false);
        std::thread::sleep(std::time::Duration::from_millis(40));
        window.run_steps(2);
        if is_chosen(studio(&window)) {
            found = Some(spot);
            break;
        }
        // Not a double click.
        std::thread::sleep(std::time::Duration::from_millis(400));
    }
    let spot = found.expect("a bone crosses the middle of the picture");
    let before = places(&window);
    press(&mut window, spot, true);
    for step in 1..=20 {
        window.hover_at(spot + egui::vec2(4.0 * step as f32, 0.0));
        window.run_steps(1);
    }
    press(&mut window, spot + egui::vec2(80.0, 0.0), false);
    until(&mut window, "turned", |studio| {
        studio
            .animated()
            .unwrap()
            .now
            .poses
            .iter()
            .zip(&before)
            .any(|(pose, old)| pose.translation.distance(*old) > 3.0)
    });
    assert!(window.query_by_label("Add key").is_some());
    key(&mut window, Modifiers::COMMAND, Key::Z);
    until(&mut window, "let go", |studio| {
        studio
            .animated()
            .unwrap()
            .now
            .poses
            .iter()
            .zip(&before)
            .all(|(pose, old)| pose.translation.distance(*old) < 1e-6)
    });
}

#[test]
fn a_puppet_without_clips_gets_one() {
    let mut window = opened(puppet(false));
    let start = places(&window);
    key(&mut window, Modifiers::NONE, Key::Space);
    assert!(!seen(&window).now.plays, "there is nothing to play");
    click(&mut window, "New clip");
    until(&mut window, "a clip", |studio| studio.animated().unwrap().puppet.as_ref().unwrap().rig().clips.len() == 1);
    let slider = window.get_by_role_and_label(Role::Slider, "time").rect();
    let end = Pos2::new(slider.left() + 219.0, slider.center().y);
    press(&mut window, end, true);
    press(&mut window, end, false);
    until(&mut window, "at the end", |studio| time(studio) > 0.9);
    click(&mut window, "middle");
    write(&mut window, "z", "45");
    click(&mut window, "Add key");
    until(&mut window, "two keys", |studio| {
        studio.animated().unwrap().puppet.as_ref().unwrap().key_times(0).len() == 2
    });
    assert!(farthest(&places(&window), &start) > 5.0);
    click(&mut window, "Previous key");
    until(&mut window, "at the start", |studio| time(studio) == 0.0);
    assert!(farthest(&places(&window), &start) < 1e-3);
}

#[test]
fn a_bake_ends_clean_and_its_report_is_shown_and_saved() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = opened(puppet(true));
    assert!(window.query_by_label_contains("Bake this clip").is_some());
    click(&mut window, "Next key");
    until(&mut window, "bent", |studio| time(studio) == 1.0);
    let bent = places(&window);
    click(&mut window, "preview");
    until(&mut window, "held apart", |studio| {
        studio.animated().unwrap().now.poses.iter().zip(&bent).any(|(pose, old)| pose.translation.distance(*old) > 0.2)
    });
    click(&mut window, "off");
    write(&mut window, "frames", "60");
    click(&mut window, "Bake");
    let baked = |studio: &Studio| studio.animated().unwrap().puppet.as_ref().unwrap().corrections().len() == 1;
    until(&mut window, "baked", baked);
    window.run_steps(3);
    let corrections = seen(&window).puppet.as_ref().unwrap().corrections()[0].clone();
    assert!(corrections.is_clean(), "{} Å left", corrections.deepest_left());
    assert!(corrections.report.iter().any(|at| at.before.pairs > 0), "there was something to do");
    for words in ["after: no overlap deeper than 0.40 Å", "overlapping pairs by time", "deepest overlap (Å)"] {
        assert!(window.query_by_label_contains(words).is_some(), "{words}");
    }
    until(&mut window, "baked atoms are seen", |studio| studio.animated().unwrap().moment.collide);
    assert!(farthest(&places(&window), &bent) > 0.2);
    let table = folder.path().join("bake.csv");
    key(&mut window, Modifiers::COMMAND, Key::T);
    answer(&mut window, &table, "Save");
    let rows = std::fs::read_to_string(&table).unwrap();
    assert!(rows.starts_with("time_s,pairs_before,") && rows.lines().count() == corrections.report.len() + 1);
    // Atoms as they are now, under the name of a model.
    let model = folder.path().join("now.cif");
    key(&mut window, Modifiers::COMMAND, Key::S);
    answer(&mut window, &model, "Save");
    let written = steric::model::formats::read(&model).unwrap().value;
    let places = places(&window);
    assert!(written.atoms.positions.iter().zip(&places).all(|(one, other)| one.as_dvec3().distance(*other) < 2e-3));
    // A key makes it another motion.
    click(&mut window, "lower");
    click(&mut window, "Add key");
    until(&mut window, "no longer baked", |studio| {
        studio.animated().unwrap().puppet.as_ref().unwrap().corrections().is_empty()
    });
}

#[test]
fn a_bake_can_be_cancelled() {
    let mut window = opened(puppet(true));
    write(&mut window, "frames", "9999");
    click(&mut window, "Bake");
    until(&mut window, "it bakes", |_| true);
    click(&mut window, "Cancel");
    until(&mut window, "cancelled", |studio| studio.state().log.iter().any(|line| line == "cancelled baking"));
    assert!(seen(&window).puppet.as_ref().unwrap().corrections().is_empty());
    window.run_steps(2);
    assert!(window.query_by_label("Bake").is_some());
}
