//! Packs a recipe: from counts and rules to copies in place, none of which overlap.
//!
//! How it works: compartments become rooms (`rooms`), ingredients spheres with walls (`kind`). Counts come from the recipe, or from molarity and
//! volume, rounded to the nearest whole number. What cannot fit is cut before anything is placed (`judge`). Every copy then draws a first place by
//! the rules of its ingredient (`place`, `rules`), and the relaxation of this crate pushes all of them apart at once, surfaces and walls
//! included. Who still overlaps at the end is taken out, those in most overlaps first, and the verdict says so by ingredient.

mod crowd;
mod judge;
mod kind;
mod place;
mod report;
mod rooms;
mod rules;

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};
use steric_collide::OverlapSearch;
use steric_model::recipe::{Ingredient, Recipe};
use steric_model::{Instant, PeriodicBox, Pose, Scene, Sphere};

pub use judge::Fullness;
pub use report::{IngredientVerdict, Packed};
pub use rooms::{MeshReader, Room, Rooms};

use crate::relax::{Iteration, Relax, RelaxOptions, Setup, Stop};
use kind::Kind;
use place::{Placed, Placer};

/// More copies than this are refused: their poses alone would take 2.8 GB.
const MOST_COPIES: u64 = 50_000_000;
/// How often some are taken out so that the rest can come apart.
const MOST_ROUNDS: u32 = 12;
/// Iterations without progress until then.
const PATIENCE: u32 = 100;

/// How a recipe is packed.
///
/// ```
/// use steric_world::build::recipe::PackOptions;
///
/// let options = PackOptions { seed: 7, ..PackOptions::default() };
/// assert_eq!(options.tries, 20);
/// ```
#[derive(Clone, Debug)]
pub struct PackOptions {
    /// Chance begins here.
    pub seed: u64,
    /// How many places a copy tries at most, unless the recipe says fewer.
    pub tries: u32,
    /// The box, where the recipe's own is not meant or it has none.
    pub bounds: Option<[DVec3; 2]>,
    /// Whether whole copies stay in the box; otherwise their middles do, as in cellPACK.
    pub is_whole: bool,
    /// Whether holes in surfaces are closed.
    pub repair: bool,
    /// At most so many iterations.
    pub max_iterations: u32,
    /// At most so many seconds of relaxation; 0 means no limit.
    pub max_seconds: f64,
}

impl Default for PackOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            tries: 20,
            bounds: None,
            is_whole: false,
            repair: false,
            max_iterations: 2_000,
            max_seconds: 0.0,
        }
    }
}

/// Reads the levels of a sphere tree that a recipe names.
pub type SphereReader<'a> = &'a dyn Fn(&str) -> Result<Vec<Vec<Sphere>>, String>;

/// Where a packing finds the files that a recipe names.
pub struct Files<'a> {
    /// Reads the surface of a compartment.
    pub mesh: MeshReader<'a>,
    /// Reads the levels of a sphere tree.
    pub spheres: SphereReader<'a>,
}

impl std::fmt::Debug for Files<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Files")
    }
}

impl Files<'static> {
    /// No files at all, for recipes that need none.
    pub fn none() -> Self {
        Self { mesh: &|file| Err(format!("no file {file}")), spheres: &|file| Err(format!("no file {file}")) }
    }
}

/// Packs a recipe; `watch` sees every iteration and may end the relaxation.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use steric_model::formats::cellpack::read_recipe;
/// use steric_world::build::recipe::{Files, PackOptions, pack};
///
/// let text = br#"{"bounding_box": [[0, 0, 0], [100, 100, 100]],
///     "objects": {"ball": {"type": "single_sphere", "radius": 10}},
///     "composition": {"space": {"regions": {"interior": [{"object": "ball", "count": 50}]}}}}"#;
/// let recipe = read_recipe(text, "box.json".as_ref())?.value;
/// let packed = pack(&recipe, &Files::none(), &PackOptions::default(), |_| ControlFlow::Continue(()));
/// assert_eq!((packed.copies(), packed.overlaps), (50, 0));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn pack(
    recipe: &Recipe,
    files: &Files<'_>,
    options: &PackOptions,
    mut watch: impl FnMut(&Iteration) -> ControlFlow<()>,
) -> Packed {
    let started = Instant::now();
    let mut work = Work::new(recipe, files, options);
    work.count();
    let period = work.period();
    let order = place::order(&recipe.ingredients, &work.kinds);
    let (fullness, cut) = judge::cut(&recipe.ingredients, &work.kinds, &order, &mut work.copies, &work.rooms);
    for (reason, cut) in work.reasons.iter_mut().zip(cut) {
        *reason = reason.take().or(cut);
    }
    let mut placer = Placer::new(recipe, &work.rooms, &work.kinds, options, period);
    order.iter().for_each(|&at| placer.add(at, work.copies[at]));
    let placed_seconds = started.elapsed().as_secs_f64();
    let period = placer.period();
    let placed = placer.placed;
    let relaxed = work.relax(&placed, period, &mut watch);
    work.finish(placed, relaxed, fullness, placed_seconds, started)
}

struct Work<'a> {
    recipe: &'a Recipe,
    options: &'a PackOptions,
    rooms: Rooms,
    kinds: Vec<Option<Kind>>,
    asked: Vec<u64>,
    copies: Vec<u64>,
    reasons: Vec<Option<String>>,
    remarks: Vec<Option<String>>,
}

/// What a relaxation ended with: the poses of the middles of all spheres, ingredient by ingredient.
struct Relaxed {
    poses: Vec<Vec<Pose>>,
    removed: Vec<u64>,
    stop: Stop,
    iterations: u32,
    overlaps: u64,
}

impl<'a> Work<'a> {
    fn new(recipe: &'a Recipe, files: &Files<'_>, options: &'a PackOptions) -> Self {
        let bounds = options.bounds.or(recipe.bounds).map(|[low, high]| [low.min(high), low.max(high)]);
        let rooms = Rooms::new(recipe, bounds, files.mesh, options.repair);
        let count = recipe.ingredients.len();
        let mut work = Self {
            recipe,
            options,
            rooms,
            kinds: vec![None; count],
            asked: vec![0; count],
            copies: vec![0; count],
            reasons: vec![None; count],
            remarks: vec![None; count],
        };
        for (at, ingredient) in recipe.ingredients.iter().enumerate() {
            match work.kind(ingredient, files) {
                Ok((kind, remark)) => (work.kinds[at], work.remarks[at]) = (Some(kind), remark),
                Err(reason) => work.reasons[at] = Some(reason),
            }
        }
        work
    }

    fn kind(&self, ingredient: &Ingredient, files: &Files<'_>) -> Result<(Kind, Option<String>), String> {
        if ingredient.is_fibre {
            return Err("fibres are not grown here".to_owned());
        }
        let room = self.rooms.find(ingredient.compartment).ok_or_else(|| match ingredient.compartment {
            Some(_) => "its compartment has no boundary".to_owned(),
            None => "the recipe has no box around its compartments, and none was asked for".to_owned(),
        })?;
        let (spheres, remark) = kind::spheres(ingredient, files.spheres)?;
        let is_whole = self.options.is_whole && !self.recipe.is_periodic;
        Ok((Kind::new(ingredient, &spheres, room, &self.rooms, is_whole), remark))
    }

    fn count(&mut self) {
        let mut total = 0_u64;
        for (at, ingredient) in self.recipe.ingredients.iter().enumerate() {
            let room = self.rooms.find(ingredient.compartment).map(|room| &self.rooms.rooms[room]);
            let amount = room.map_or(0.0, |room| if ingredient.site.is_on_surface() { room.area } else { room.volume });
            self.asked[at] = ingredient.copies(amount);
            let most = if self.kinds[at].is_some() { MOST_COPIES.saturating_sub(total) } else { 0 };
            self.copies[at] = self.asked[at].min(most);
            total += self.copies[at];
            if self.kinds[at].is_some() && self.copies[at] < self.asked[at] {
                self.reasons[at] = Some(format!("more than {MOST_COPIES} copies are not placed"));
            }
        }
    }

    // A box that repeats has to be wider than twice the largest copy, and then has no walls.
    fn period(&mut self) -> Option<(DVec3, DVec3)> {
        let space = self.rooms.space.filter(|_| self.recipe.is_periodic)?;
        let (low, high) = self.rooms.rooms[space].region.bounds();
        let reach = self.kinds.iter().flatten().map(|kind| kind.reach).fold(0.0, f64::max);
        if (high - low).min_element() < 4.0 * reach {
            let note = "the box is too narrow to repeat: less than four times the radius of the largest copy";
            self.rooms.notes.push(note.to_owned());
            return None;
        }
        for kind in self.kinds.iter_mut().flatten().filter(|kind| kind.room == space) {
            kind.walls.retain(|wall| wall.side != crate::shape::Side::Inside);
        }
        Some((low, high - low))
    }

    // Relaxes; where that stalls, some of those in trouble are taken out and the rest goes on.
    fn relax(
        &self,
        placed: &[Placed],
        period: Option<(DVec3, DVec3)>,
        watch: &mut impl FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Relaxed {
        let started = Instant::now();
        let mut relaxed = Relaxed {
            poses: placed.iter().map(|placed| placed.poses.clone()).collect(),
            removed: vec![0; placed.len()],
            stop: Stop::Rest,
            iterations: 0,
            overlaps: 0,
        };
        for round in 1..=MOST_ROUNDS {
            let (setup, kind_of) = self.setup(&relaxed.poses, period);
            if kind_of.is_empty() {
                break;
            }
            let scene = setup.scene.clone();
            let mut relax = Relax::new(setup, self.relax_options(relaxed.iterations, started), self.options.seed);
            relaxed.stop = relax.run(|_, iteration| watch(iteration));
            relaxed.iterations += relax.iteration();
            let scene = with_poses(&scene, relax.poses());
            let trouble: Vec<u32> = relax.in_trouble().iter().map(|id| id.0).collect();
            let goes_on = relaxed.stop == Stop::Stalled && round < MOST_ROUNDS;
            let keep = match relaxed.stop {
                _ if goes_on => thinned(&scene, trouble),
                Stop::Rest => kept(&scene, &[], &kind_of, &self.kinds),
                _ => kept(&scene, &trouble, &kind_of, &self.kinds),
            };
            relaxed.keep(&scene, &kind_of, &keep);
            if !goes_on {
                break;
            }
        }
        let (setup, _) = self.setup(&relaxed.poses, period);
        relaxed.overlaps = OverlapSearch::default().count(&setup.scene);
        relaxed
    }

    // All copies as one scene, with a group of holds for each ingredient.
    fn setup(&self, poses: &[Vec<Pose>], period: Option<(DVec3, DVec3)>) -> (Setup, Vec<usize>) {
        let mut scene = Scene::default();
        let (mut groups, mut group_of, mut kind_of, mut radii) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (at, kind) in self.kinds.iter().enumerate() {
            let Some(kind) = kind.as_ref().filter(|_| !poses[at].is_empty()) else { continue };
            let centers: Vec<Vec3> = kind.spheres.iter().map(|sphere| sphere.center).collect();
            let sizes: Vec<f32> = kind.spheres.iter().map(|sphere| sphere.radius).collect();
            let name = self.recipe.ingredients[at].name.clone();
            let own = scene.add_type(name, &centers, &sizes);
            radii.push(sizes);
            for &pose in &poses[at] {
                scene.add_molecule(own, pose);
                group_of.push(groups.len() as u32);
                kind_of.push(at);
            }
            groups.push(kind.holds(&self.rooms));
        }
        scene.set_periodic_box(period.and_then(|(_, edges)| PeriodicBox::orthogonal(edges)));
        let mut setup = Setup::new(scene);
        setup.weigh(|kind, sphere| f64::from(radii[kind.0 as usize][sphere as usize]).powi(3));
        (setup.groups, setup.group_of) = (groups, group_of);
        (setup, kind_of)
    }

    // The numbers of atoms do not suit spheres that are ten times as large.
    fn relax_options(&self, done: u32, started: Instant) -> RelaxOptions {
        let mut radii: Vec<f64> =
            self.kinds.iter().flatten().flat_map(|kind| &kind.spheres).map(|s| s.radius.into()).collect();
        radii.sort_by(f64::total_cmp);
        let scale = (radii.get(radii.len() / 2).copied().unwrap_or(1.7) / 1.7).clamp(0.01, 1e4);
        let seconds = self.options.max_seconds;
        let RelaxOptions { max_move, jolt_shift, .. } = RelaxOptions::default();
        RelaxOptions {
            max_iterations: self.options.max_iterations.saturating_sub(done),
            // 0 would mean no limit.
            max_seconds: if seconds > 0.0 { (seconds - started.elapsed().as_secs_f64()).max(1e-9) } else { 0.0 },
            stall_iterations: PATIENCE,
            max_move: scale * max_move,
            jolt_shift: scale * jolt_shift,
            ..RelaxOptions::default()
        }
    }

    fn finish(
        self,
        placed: Vec<Placed>,
        relaxed: Relaxed,
        fullness: Vec<Fullness>,
        placed_seconds: f64,
        started: Instant,
    ) -> Packed {
        let Self { recipe, rooms, kinds, asked, reasons, remarks, .. } = self;
        let mut verdicts = Vec::new();
        for (at, ingredient) in recipe.ingredients.iter().enumerate() {
            let kept = relaxed.poses[at].len() as u64;
            verdicts.push(IngredientVerdict::new(
                recipe.path_of(ingredient),
                asked[at],
                kept,
                (reasons[at].clone(), remarks[at].clone()),
                &placed[at],
                relaxed.removed[at],
            ));
        }
        let own = |(at, poses): (usize, Vec<Pose>)| match &kinds[at] {
            Some(kind) => poses.into_iter().map(|pose| kind.world_from_own(pose)).collect(),
            None => Vec::new(),
        };
        let spheres = kinds.iter().map(|kind| match kind {
            Some(kind) => {
                kind.spheres.iter().map(|s| Sphere { center: s.center + kind.center.as_vec3(), ..*s }).collect()
            }
            None => Vec::new(),
        });
        Packed {
            spheres: spheres.collect(),
            poses: relaxed.poses.into_iter().enumerate().map(own).collect(),
            verdicts,
            fullness,
            rooms: rooms.rooms,
            notes: rooms.notes,
            stop: relaxed.stop,
            iterations: relaxed.iterations,
            overlaps: relaxed.overlaps,
            placing_seconds: placed_seconds,
            seconds: started.elapsed().as_secs_f64(),
        }
    }
}

impl Relaxed {
    // Where those that stay stand now.
    fn keep(&mut self, scene: &Scene, kind_of: &[usize], keep: &[bool]) {
        self.poses.iter_mut().for_each(Vec::clear);
        for ((molecule, &kind), &keep) in scene.molecules().iter().zip(kind_of).zip(keep) {
            if keep {
                self.poses[kind].push(molecule.pose);
            } else {
                self.removed[kind] += 1;
            }
        }
    }
}

fn with_poses(scene: &Scene, poses: Vec<Pose>) -> Scene {
    let mut molecules = scene.molecules().to_vec();
    molecules.iter_mut().zip(poses).for_each(|(molecule, pose)| molecule.pose = pose);
    let mut moved = scene.with_molecules(molecules);
    moved.set_periodic_box(scene.periodic_box());
    moved
}

/// All but a quarter of those in trouble, the ones in most overlaps.
fn thinned(scene: &Scene, mut trouble: Vec<u32>) -> Vec<bool> {
    let overlaps = OverlapSearch::default().overlaps_per_molecule(scene);
    trouble.sort_by_key(|&molecule| std::cmp::Reverse((overlaps[molecule as usize], molecule)));
    let mut keep = vec![true; scene.molecules().len()];
    let most = trouble.len().div_ceil(4);
    trouble.into_iter().take(most).for_each(|molecule| keep[molecule as usize] = false);
    keep
}

/// Who stays: nobody that breaks out of its walls, and of those that overlap as many as can.
fn kept(scene: &Scene, suspects: &[u32], kind_of: &[usize], kinds: &[Option<Kind>]) -> Vec<bool> {
    let mut keep = vec![true; scene.molecules().len()];
    for &suspect in suspects {
        let pose = scene.molecules()[suspect as usize].pose;
        let fits = kinds[kind_of[suspect as usize]].as_ref().is_some_and(|kind| kind.fits(&pose));
        keep[suspect as usize] = fits;
    }
    let overlaps = OverlapSearch::default().overlaps(scene);
    let mut pairs: Vec<[u32; 2]> =
        overlaps.iter().map(|overlap| [overlap.first.molecule.0, overlap.second.molecule.0]).collect();
    pairs.dedup();
    loop {
        pairs.retain(|pair| pair.iter().all(|&molecule| keep[molecule as usize]));
        let mut counts = std::collections::BTreeMap::<u32, usize>::new();
        pairs.iter().flatten().for_each(|&molecule| *counts.entry(molecule).or_default() += 1);
        let Some((&worst, _)) = counts.iter().max_by_key(|&(molecule, count)| (*count, *molecule)) else { break };
        keep[worst as usize] = false;
    }
    keep
}

#[cfg(test)]
mod tests;
