//! A relaxation whose iterations are done elsewhere ends where it would have ended here.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::ops::ControlFlow;

use glam::{DQuat, DVec3, Vec3};
use steric_collide::OverlapSearch;
use steric_model::{MoleculeId, Pose, Random, Scene};
use steric_world::relax::{Engine, EngineError, Hold, Iteration, Progress, Relax, RelaxOptions, Setup, Stop};

const GO_ON: ControlFlow<()> = ControlFlow::Continue(());

/// Rods of eleven atoms thrown into a ball; the first three are fixed, the next forty stay near where they start.
fn heap(count: usize, radius: f64) -> Setup {
    let mut random = Random::new(5);
    let mut scene = Scene::default();
    let atoms: Vec<Vec3> = (-5..=5).map(|i| Vec3::X * 1.5 * i as f32).collect();
    let rod = scene.add_type("rod", &atoms, &[1.0; 11]);
    for _ in 0..count {
        let translation = random.direction() * radius * random.unit().cbrt();
        scene.add_molecule(rod, Pose { translation, rotation: random.rotation() });
    }
    // The fixed rods stand apart from each other, or nothing could part them.
    for (at, molecule) in scene.molecules_mut().iter_mut().enumerate().take(3) {
        let translation = DVec3::Z * 6.0 * (at as f64 - 1.0);
        molecule.pose = Pose { translation, rotation: DQuat::IDENTITY };
    }
    let mut setup = Setup::new(scene);
    setup.groups = vec![Vec::new(), vec![Hold::Start { leeway: 9.0, turn: 1.0 }]];
    setup.group_of = (0..count).map(|at| u32::from((3..43).contains(&at))).collect();
    setup.fixed = (0..count).map(|at| at < 3).collect();
    setup
}

/// Tight enough for stuck molecules and jolts.
fn options() -> RelaxOptions {
    RelaxOptions { jolt_every: 10, jolt_after: 3, ..RelaxOptions::default() }
}

fn relax_with(options: RelaxOptions) -> Relax {
    Relax::new(heap(200, 9.0), options, 7)
}

fn relax() -> Relax {
    relax_with(options())
}

/// Another relaxation on the processor, which may be told to fail.
#[derive(Debug)]
struct Twin {
    relax: Relax,
    loads: u32,
    asked: Vec<u32>,
    advances_left: u32,
    fetches_left: u32,
}

impl Twin {
    fn new() -> Self {
        Self { relax: relax(), loads: 0, asked: Vec::new(), advances_left: u32::MAX, fetches_left: u32::MAX }
    }
}

fn use_up(left: &mut u32, what: &str) -> Result<(), EngineError> {
    *left = left.checked_sub(1).ok_or_else(|| EngineError(format!("no more {what}")))?;
    Ok(())
}

impl Engine for Twin {
    fn name(&self) -> String {
        "a twin".to_owned()
    }

    fn load(&mut self, from: &Relax) -> Result<(), EngineError> {
        self.loads += 1;
        self.relax = relax_with(from.options().clone());
        self.relax.take(from.progress(), from.history());
        Ok(())
    }

    fn advance(&mut self, most: u32) -> Result<Vec<Iteration>, EngineError> {
        use_up(&mut self.advances_left, "iterations")?;
        self.asked.push(most);
        let mut done = Vec::new();
        while (done.len() as u32) < most && done.last().is_none_or(|last| !is_clean(last)) {
            done.push(self.relax.step());
        }
        Ok(done)
    }

    fn fetch(&mut self) -> Result<Progress, EngineError> {
        use_up(&mut self.fetches_left, "poses")?;
        Ok(self.relax.progress())
    }
}

fn is_clean(iteration: &Iteration) -> bool {
    iteration.overlapping + iteration.broken == 0
}

/// What an iteration saw, without the time that it took and without the search for near pairs, which depends on the list.
fn seen(relax: &Relax) -> Vec<Iteration> {
    let plain = |iteration: &Iteration| Iteration { searched: false, milliseconds: [0.0; 3], ..*iteration };
    relax.history().iter().map(plain).collect()
}

fn overlaps(poses: &[Pose]) -> u64 {
    let mut scene = heap(200, 9.0).scene;
    for (molecule, &pose) in scene.molecules_mut().iter_mut().zip(poses) {
        molecule.pose = pose;
    }
    OverlapSearch::default().count(&scene)
}

#[test]
fn an_engine_ends_where_the_processor_ends() {
    let (mut here, mut elsewhere, mut twin) = (relax(), relax(), Twin::new());
    assert_eq!(here.run(|_, _| GO_ON), Stop::Rest);
    let mut shown = Vec::new();
    let ended = elsewhere.run_on(&mut twin, |relax, iteration| {
        assert_eq!(relax.history().last(), Some(iteration));
        assert!(relax.held() <= relax.iteration());
        shown.push(relax.iteration());
        GO_ON
    });
    assert_eq!(ended, (Stop::Rest, None));
    assert_eq!(elsewhere.state_hash(), here.state_hash());
    assert_eq!(seen(&elsewhere), seen(&here));
    assert_eq!(shown, (1..=here.iteration()).collect::<Vec<_>>(), "every iteration is shown once, in order");
    assert_eq!(elsewhere.held(), elsewhere.iteration());
    assert!(here.iteration() > 31, "long enough for whole batches and jolts: {}", here.iteration());
    // How many are asked for at a time follows how long they take, within these limits.
    assert_eq!(twin.asked[0], 4);
    assert!(twin.asked.windows(2).all(|pair| pair[1] <= 2 * pair[0]), "{:?}", twin.asked);
    assert!(twin.asked.iter().all(|asked| (1..=16).contains(asked)), "{:?}", twin.asked);
}

#[test]
fn at_rest_an_engine_is_not_even_loaded() {
    let (mut relax, mut twin) = (relax(), Twin::new());
    relax.run_on(&mut twin, |_, _| GO_ON);
    let iterations = relax.iteration();
    assert_eq!(relax.run_on(&mut twin, |_, _| GO_ON), (Stop::Rest, None));
    assert_eq!((twin.loads, relax.iteration()), (1, iterations));
    assert_eq!(relax.step(), Iteration::default(), "a step at rest costs a glance");
}

#[test]
fn an_engine_looks_at_a_molecule_that_was_moved_by_hand() {
    let nudged = |relax: &mut Relax| relax.nudge(MoleculeId(60), DVec3::new(3.0, 1.0, -2.0));
    let (mut here, mut elsewhere, mut twin) = (relax(), relax(), Twin::new());
    here.run(|_, _| GO_ON);
    nudged(&mut here);
    assert_eq!(here.run(|_, _| GO_ON), Stop::Rest);
    elsewhere.run_on(&mut twin, |_, _| GO_ON);
    nudged(&mut elsewhere);
    assert_eq!(elsewhere.run_on(&mut twin, |_, _| GO_ON), (Stop::Rest, None));
    assert_eq!(seen(&elsewhere), seen(&here));
    assert_eq!(elsewhere.state_hash(), here.state_hash());
}

#[test]
fn where_an_engine_fails_the_processor_goes_on() {
    let mut here = relax();
    here.run(|_, _| GO_ON);
    for (advances_left, fetches_left, why) in
        [(0, 9, "no more iterations"), (5, 9, "no more iterations"), (99, 0, "no more poses")]
    {
        let (mut relax, mut twin) = (relax(), Twin { advances_left, fetches_left, ..Twin::new() });
        let (stop, error) = relax.run_on(&mut twin, |_, _| GO_ON);
        assert_eq!((stop, error), (Stop::Rest, Some(EngineError(why.to_owned()))));
        assert_eq!(overlaps(&relax.poses()), 0);
        assert_eq!(seen(&relax), seen(&here), "iterations are not counted twice");
        assert_eq!(relax.state_hash(), here.state_hash());
    }
}

#[test]
fn an_engine_that_does_nothing_has_failed() {
    #[derive(Debug)]
    struct Lazy;
    impl Engine for Lazy {
        fn name(&self) -> String {
            "a lazy engine".to_owned()
        }
        fn load(&mut self, _: &Relax) -> Result<(), EngineError> {
            Ok(())
        }
        fn advance(&mut self, _: u32) -> Result<Vec<Iteration>, EngineError> {
            Ok(Vec::new())
        }
        fn fetch(&mut self) -> Result<Progress, EngineError> {
            Err(EngineError("nothing to fetch".to_owned()))
        }
    }
    let (stop, error) = relax().run_on(&mut Lazy, |_, _| GO_ON);
    assert_eq!(stop, Stop::Rest);
    assert_eq!(error.unwrap().to_string(), "a lazy engine: expected 1 to 4 iterations, found 0");
}

#[test]
fn limits_hold_on_an_engine_to_the_iteration() {
    // Nothing falls any more once nobody moves: the run stalls.
    let stalling = RelaxOptions { stall_iterations: 7, max_move: 1e-6, ..options() };
    let few = RelaxOptions { max_iterations: 13, ..options() };
    for (limited, why) in [(stalling, Stop::Stalled), (few, Stop::Iterations)] {
        let (mut here, mut elsewhere) = (relax_with(limited.clone()), relax_with(limited));
        assert_eq!(here.run(|_, _| GO_ON), why);
        assert_eq!(elsewhere.run_on(&mut Twin::new(), |_, _| GO_ON), (why, None));
        assert_eq!(seen(&elsewhere), seen(&here));
        assert_eq!(elsewhere.state_hash(), here.state_hash());
    }
}

#[test]
fn an_interrupted_engine_leaves_poses_and_history_that_fit() {
    let (mut here, mut elsewhere) = (relax(), relax());
    let until_ten = |relax: &Relax, _: &Iteration| if relax.iteration() < 10 { GO_ON } else { ControlFlow::Break(()) };
    assert_eq!(elsewhere.run_on(&mut Twin::new(), until_ten), (Stop::Interrupted, None));
    assert_eq!(elsewhere.history().len() as u32, elsewhere.held());
    here.run(|relax, _| if relax.iteration() < elsewhere.iteration() { GO_ON } else { ControlFlow::Break(()) });
    assert_eq!(elsewhere.state_hash(), here.state_hash());
    // And if the poses cannot be had any more, those that are known are good.
    let (mut relax, mut twin) = (relax(), Twin { fetches_left: 0, ..Twin::new() });
    let (stop, error) = relax.run_on(&mut twin, until_ten);
    assert_eq!((stop, error.is_some(), relax.iteration()), (Stop::Interrupted, true, 0));
}

#[test]
fn a_checkpoint_of_an_engine_run_leads_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let mut here = relax();
    here.run(|_, _| GO_ON);
    let mut held = Vec::new();
    let mut elsewhere = relax();
    elsewhere.run_on(&mut Twin::new(), |relax, _| {
        // The second half of the run is long enough for poses to be fetched.
        if relax.iteration() == 15 {
            std::thread::sleep(std::time::Duration::from_millis(1_100));
        }
        // How many iterations are asked for at a time depends on the machine, so the third one comes when poses are known.
        let is_known = held.len() == 2 && relax.held() > 15;
        if [3, 14].contains(&relax.iteration()) || is_known {
            relax.save(&file).unwrap();
            held.push(relax.held());
            let mut resumed = self::relax();
            resumed.resume(&file).unwrap();
            assert_eq!(resumed.iteration(), relax.held());
            assert_eq!(resumed.run(|_, _| GO_ON), Stop::Rest);
            assert_eq!(resumed.state_hash(), here.state_hash());
            assert_eq!(seen(&resumed), seen(&here));
        }
        GO_ON
    });
    let [first, second, third] = held[..] else { panic!("three checkpoints, found {held:?}") };
    assert_eq!([first, second], [0, 0], "poses are fetched after a second");
    assert!(third > 15, "and those of the batch after the pause are known: {third}");
}

#[test]
fn an_engine_can_jolt_whom_the_processor_jolts() {
    let mut relax = relax_with(RelaxOptions { jolt_fraction: 1.0, ..options() });
    let mut jolts = 0;
    while !relax.history().last().is_some_and(is_clean) {
        let before = relax.progress();
        // Without a limit on their number only those that are stuck matter, not how deep they are in.
        let allowed = relax.parts().jolted(relax.iteration(), &before.dirty_for, &vec![1; before.poses.len()]);
        assert!(allowed.is_sorted_by_key(|jolt| jolt.0));
        relax.step();
        let after = relax.progress();
        // Only a jolt moves a molecule without giving it momentum.
        let was_jolted = |slot: &usize| after.moved[*slot] && after.momenta[*slot].is_zero();
        for slot in (0..before.poses.len()).filter(was_jolted) {
            let (_, motion) = allowed[allowed.binary_search_by_key(&(slot as u32), |jolt| jolt.0).unwrap()];
            let way = after.poses[slot].translation - before.poses[slot].translation;
            assert!((way - motion.shift).length() < 1e-12, "{way} {}", motion.shift);
            jolts += 1;
        }
        for &(slot, _) in &allowed {
            assert_eq!(after.dirty_for[slot as usize], 0, "jolted, or clear of everyone");
        }
    }
    assert!(jolts > 0);
}
