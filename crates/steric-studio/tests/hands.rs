//! Hands among molecules, in pictures that the software GPU paints.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use glam::DVec3;
use steric::collide::IndexKind;
use steric::model::{MoleculeId, Pose};
use steric::world::relax::RelaxOptions;
use steric_gpu::Gpu;
use steric_studio::painter::{Painted, Painter, Wish};
use steric_studio::simulation::{Now, Order, Simulation, Source, Where};
use steric_view::{Camera, ColourBy, Look, Picked, Side, Style};

/// Three ions in a row, 12 angstroms apart.
fn ions() -> Source {
    let line = |number: i32, x: i32| {
        format!(
            "HETATM    {number} ZN    ZN A   {number}    {:8.3}   0.000   0.000  1.00  0.00          ZN\n",
            f64::from(x)
        )
    };
    let text: String = (1..4).map(|number| line(number, 12 * (number - 1))).collect();
    Source::of_bytes("ions.pdb", text.into_bytes(), "".into()).unwrap()
}

fn simulation(place: Where) -> Simulation {
    Simulation::new(Arc::new(|| ()), place)
}

fn until(simulation: &Simulation, what: &str, is_true: impl Fn(&Now) -> bool) -> Now {
    let began = Instant::now();
    loop {
        let now = simulation.now();
        if is_true(&now) {
            return now;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: {:?} {:?}", now.poses, simulation.news());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A molecule is taken and held against its neighbour, which makes room; then all is undone.
fn a_neighbour_makes_room(place: Where) {
    let simulation = simulation(place);
    simulation.order(Order::Open(ions()));
    let start = until(&simulation, "opened", |now| now.opened.is_some());
    simulation.order(Order::Play);
    simulation.order(Order::Grab(MoleculeId(0)));
    let hand = Pose::from_translation(DVec3::new(11.5, 0.0, 0.0));
    simulation.order(Order::Hold(hand));
    let apart = |now: &Now| now.poses[0].translation.distance(now.poses[1].translation) > 1.99;
    let now = until(&simulation, "room", |now| now.poses[0] == hand && apart(now));
    assert!(now.poses[1] != start.poses[1] && now.poses[2] == start.poses[2], "the neighbour alone has moved");
    assert!(now.fixed[0], "what is in hand stays there");
    simulation.order(Order::Release);
    until(&simulation, "rest", |now| now.rests && !now.fixed[0]);
    simulation.order(Order::Pause);
    simulation.order(Order::Undo);
    let now = until(&simulation, "undone", |now| now.poses == start.poses);
    assert_eq!(now.can_undo, [false, true]);
}

#[test]
fn a_neighbour_makes_room_for_a_hand_on_the_processor() {
    a_neighbour_makes_room(Where::Processor);
}

#[test]
fn a_neighbour_makes_room_for_a_hand_on_a_gpu() {
    let Some(gpu) = Gpu::software() else { return eprintln!("skipped: no software GPU") };
    a_neighbour_makes_room(Where::Gpu(gpu));
}

#[test]
fn a_pinned_molecule_stays_and_pushed_ones_go() {
    let simulation = simulation(Where::Processor);
    simulation.order(Order::Open(ions()));
    let start = until(&simulation, "opened", |now| now.opened.is_some());
    simulation.order(Order::Pin(vec![MoleculeId(1)], true));
    let way = DVec3::Y * 3.0;
    simulation.order(Order::Push((0..3).map(|id| (MoleculeId(id), way)).collect()));
    let now = until(&simulation, "pushed", |now| now.poses != start.poses);
    for id in [0, 2] {
        assert_eq!(now.poses[id].translation, start.poses[id].translation + way);
    }
    assert_eq!(now.poses[1], start.poses[1]);
    assert_eq!(*now.fixed, [false, true, false]);
}

#[test]
fn the_same_relaxation_comes_to_rest_on_a_gpu() {
    let Some(gpu) = Gpu::software() else { return eprintln!("skipped: no software GPU") };
    let simulation = simulation(Where::Gpu(gpu.clone()));
    let text = "[[membrane]]\nradius = 30\narea-per-lipid = 75\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
    simulation.order(Order::Open(Source::Scene { name: "small".into(), text: text.into(), folder: "".into() }));
    until(&simulation, "opened", |now| now.opened.is_some());
    simulation.order(Order::Play);
    let now = until(&simulation, "rest", |now| now.rests);
    assert_eq!(now.worker, gpu.adapter().name);
    assert!(now.touching.iter().all(|touches| !touches));
    let news = simulation.news();
    assert_eq!(news.iterations.last().map(|last| last.overlaps), Some(0));
}

#[test]
fn what_is_pointed_at_is_told_and_what_is_hidden_is_not_seen() {
    let Some(gpu) = Gpu::software() else { return eprintln!("skipped: no software GPU") };
    let simulation = simulation(Where::Processor);
    simulation.order(Order::Open(ions()));
    let now = until(&simulation, "opened", |now| now.opened.is_some());
    let (wake, woken) = mpsc::channel();
    let mut painter = Painter::new(&gpu, Arc::new(move || wake.send(()).unwrap_or_default()));
    let scene = &now.opened.as_ref().unwrap().scene;
    let camera = Camera::of(scene, Side::default(), 1.0);
    let size = [64, 64];
    let wish = Wish {
        stereo: None,
        see_through: None,
        camera,
        look: Look { samples: 1, ..Look::of(Style::Plain) },
        size,
        by: ColourBy::Collision,
        hidden: Arc::new(vec![false; 3]),
        painted: Arc::default(),
        selected: Vec::new(),
        pointed: camera.pixel_of(now.poses[1].translation, size).map(|pixel| pixel.map(|side| side as u32)),
        is_in_haste: false,
        now: now.clone(),
    };
    let mut painted = |wish: Wish| -> Painted {
        painter.wish(wish);
        woken.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(painter.error(), None);
        painter.painted().unwrap()
    };
    let first = painted(wish.clone());
    assert_eq!(first.picked, Some(Picked { molecule: MoleculeId(1), atom: Some(0) }));
    let elsewhere = painted(Wish { pointed: Some([0, 0]), ..wish.clone() });
    assert_eq!((elsewhere.picked, elsewhere.number), (None, first.number), "no new picture for another place");
    let own = Arc::new([(MoleculeId(1), [250, 0, 250])].into());
    let coloured = painted(Wish { painted: own, ..wish.clone() });
    let [x, y] = wish.pointed.unwrap();
    let [red, green, ..] = coloured.picture.at(x, y);
    assert!(red > 2 * green, "a colour of its own: {red} {green}");
    let hidden = painted(Wish { hidden: Arc::new(vec![false, true, false]), ..wish });
    assert_eq!(hidden.picked, None);
}

#[test]
fn molecules_are_deleted_and_added_and_that_is_undone() {
    let simulation = simulation(Where::Processor);
    let text = "[[membrane]]\nradius = 30\narea-per-lipid = 75\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
    simulation.order(Order::Open(Source::Scene { name: "small".into(), text: text.into(), folder: "".into() }));
    let start = until(&simulation, "opened", |now| now.opened.is_some());
    let count = start.poses.len();
    simulation.order(Order::Delete(vec![MoleculeId(3), MoleculeId(5)]));
    let now = until(&simulation, "deleted", |now| now.poses.len() == count - 2);
    assert_eq!((now.poses[3], now.poses[4]), (start.poses[4], start.poses[6]));
    let place = Pose::from_translation(DVec3::splat(80.0));
    simulation.order(Order::Add(MoleculeId(0), place));
    let now = until(&simulation, "added", |now| now.poses.len() == count - 1);
    assert_eq!(now.poses.last(), Some(&place));
    assert_eq!(now.opened.as_ref().unwrap().scene.molecules().len(), count - 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("edited.pdb");
    simulation.order(Order::Save(file.clone()));
    simulation.order(Order::Play);
    until(&simulation, "rest", |now| now.rests && file.exists());
    let written = steric::model::formats::read(&file).unwrap().value;
    assert_eq!(written.atoms.len(), 52 * (count - 1));
    simulation.order(Order::Pause);
    simulation.order(Order::Undo);
    until(&simulation, "one more", |now| now.poses.len() == count - 2);
    simulation.order(Order::Undo);
    until(&simulation, "as it was", |now| now.poses == start.poses);
    simulation.order(Order::Redo);
    until(&simulation, "again", |now| now.poses.len() == count - 2);
}

#[test]
fn a_model_keeps_its_molecules_and_says_why() {
    let simulation = simulation(Where::Processor);
    simulation.order(Order::Open(ions()));
    until(&simulation, "opened", |now| now.opened.is_some());
    simulation.order(Order::Delete(vec![MoleculeId(0)]));
    simulation.order(Order::Step);
    let now = until(&simulation, "a step", |now| now.iteration == 1);
    assert_eq!(now.poses.len(), 3);
    assert!(simulation.news().log.iter().any(|line| line.starts_with("error: expected a scene, found a model")));
}

const SMALL: &str = "[[membrane]]\nradius = 30\narea-per-lipid = 75\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";

fn scene(text: &str) -> Source {
    Source::Scene { name: "small".into(), text: text.into(), folder: "".into() }
}

#[test]
fn another_tolerance_goes_on_from_where_the_molecules_are() {
    let simulation = simulation(Where::Processor);
    simulation.order(Order::Open(scene(&format!("tolerance = 1.5\n{SMALL}"))));
    simulation.order(Order::Play);
    let rested = until(&simulation, "rest", |now| now.opened.is_some() && now.rests);
    simulation.order(Order::Pause);
    simulation.order(Order::Pin(vec![MoleculeId(4)], true));
    simulation.order(Order::Rebuild(scene(&format!("tolerance = 2.5\n{SMALL}"))));
    let now = until(&simulation, "more overlaps", |now| now.touching.contains(&true));
    assert_eq!(now.poses, rested.poses, "nobody has moved yet");
    assert!(now.fixed[4] && now.opening == rested.opening);
    simulation.order(Order::Play);
    until(&simulation, "rest", |now| now.rests && now.overlaps == Some(0));
    // What cannot be is told, and what was open stays.
    simulation.order(Order::Rebuild(scene(&format!("tolerance = -1\n{SMALL}"))));
    let (began, mut log) = (Instant::now(), Vec::new());
    while !log.iter().any(|line: &String| line.starts_with("error: ") && line.contains("expected a number above 0")) {
        assert!(began.elapsed() < Duration::from_secs(60), "{log:?}");
        log.extend(simulation.news().log);
    }
    assert!(simulation.now().opened.is_some());
}

#[test]
fn cells_of_any_kind_find_the_same() {
    let poses = |grid: IndexKind| {
        let simulation = simulation(Where::Processor);
        simulation.order(Order::Open(scene(SMALL)));
        simulation.order(Order::Grid(grid));
        simulation.order(Order::Play);
        let now = until(&simulation, "rest", |now| now.opened.is_some() && now.rests);
        assert_eq!(now.grid, grid);
        now.poses
    };
    assert_eq!(poses(IndexKind::Dense), poses(IndexKind::Wrapped));
}

#[test]
fn who_overlaps_the_watched_molecule_is_told() {
    let simulation = simulation(Where::Processor);
    simulation.order(Order::Open(ions()));
    simulation.order(Order::Watch(Some(MoleculeId(1))));
    let now = until(&simulation, "watched", |now| now.watched.is_some());
    assert!(now.watched.unwrap().1.is_empty(), "12 angstroms away");
    simulation.order(Order::Push(vec![(MoleculeId(0), DVec3::X * 11.0)]));
    let is_told = |now: &Now| now.watched.as_ref().is_some_and(|(_, partners)| !partners.is_empty());
    let (watched, partners) = until(&simulation, "partners", is_told).watched.unwrap();
    assert_eq!((watched, partners.len(), partners[0].0), (MoleculeId(1), 1, MoleculeId(0)));
    assert!(partners[0].1 > 0.1);
}

#[test]
fn a_number_that_is_dragged_is_one_change_to_undo() {
    let simulation = simulation(Where::Processor);
    simulation.order(Order::Open(ions()));
    let start = until(&simulation, "opened", |now| now.opened.is_some()).options;
    for slack in 1..20 {
        simulation.order(Order::Options(RelaxOptions { slack: f64::from(slack), ..start.clone() }));
    }
    simulation.order(Order::Pin(Vec::new(), true));
    let now = until(&simulation, "changed", |now| now.options.slack == 19.0);
    assert_eq!(now.can_undo, [true, false]);
    simulation.order(Order::Undo);
    let now = until(&simulation, "undone", |now| now.options == start);
    assert_eq!(now.can_undo, [false, true], "all of it at once, and nobody to pin is nothing to undo");
}
