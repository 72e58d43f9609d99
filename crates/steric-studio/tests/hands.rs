//! Hands among molecules, in pictures that the software GPU paints.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use glam::DVec3;
use steric::model::{MoleculeId, Pose};
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
    Source::of_bytes("ions.pdb", text.into_bytes(), "".into())
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
        camera,
        look: Look { samples: 1, ..Look::of(Style::Plain) },
        size,
        by: ColourBy::Collision,
        hidden: Arc::new(vec![false; 3]),
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
