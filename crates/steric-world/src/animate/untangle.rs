//! Pushing atoms apart that a motion has pressed into each other.
//!
//! How it works: position-based dynamics (Müller 2007). The search of the ground floor lists the pairs of atoms that are near; those within
//! four bonds, of one residue or around a metal do not count. In each iteration every atom that overlaps too deeply takes the mean of half its
//! excesses, and bonds and angles that it is part of pull it back to the lengths they have in the motion. Where groups are rigid,
//! a group takes the mean shift and turn of its atoms' pushes. Each atom sums over its own neighbours in a fixed order, so the
//! bits do not depend on threads. Pulls fade in the end: who cannot have both is held apart.

use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;
use steric_collide::OverlapSearch;
use steric_model::chemistry::{BondGraph, is_metal};
use steric_model::{Molecule, Pose, Scene, Structure, TypeId};

use super::corrections::{Corrected, Corrections, Tally, moved};
use super::level::{Groups, Level};
use super::puppet::{Moment, Puppet};

/// How corrections are made.
///
/// ```
/// let options = steric_world::animate::BakeOptions::default();
/// assert_eq!((options.limit, options.frames), (0.4, 240));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BakeOptions {
    /// Overlap that is allowed, in angstroms.
    pub limit: f32,
    /// Atoms are pushed so much farther apart, in angstroms, so that the limit holds between two times of the line, too.
    pub margin: f32,
    /// Times of the finer line over the whole clip; the clip's own keys come on top.
    pub frames: usize,
    /// At most so many iterations at each time.
    pub iterations: u32,
    /// What is kept of a correction from one time to the next where nothing asks for it any more.
    pub keep: f32,
}

impl Default for BakeOptions {
    fn default() -> Self {
        Self { limit: 0.4, margin: 0.1, frames: 240, iterations: 600, keep: 0.8 }
    }
}

/// Iterations after which bonds and angles begin to give way, and after which they no longer pull.
const FADE: [u32; 2] = [80, 300];
/// Pairs are listed that could come to overlap while no atom moves more than half of this, in angstroms.
const SKIN: f32 = 0.8;

/// What there is to know about a puppet before anything is pushed.
#[derive(Clone, Debug)]
pub struct Untangler {
    scene: Scene,
    radii: Vec<f32>,
    excused: Excused,
    /// Atoms one or two bonds away.
    pulled: Lists,
}

/// A list for each atom, all in one array.
#[derive(Clone, Debug, Default)]
struct Lists {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    fn of(&self, atom: usize) -> &[u32] {
        &self.entries[self.starts[atom] as usize..self.starts[atom + 1] as usize]
    }

    fn new(lists: Vec<Vec<u32>>) -> Self {
        let mut starts = vec![0];
        starts.extend(lists.iter().scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        }));
        Self { starts, entries: lists.concat() }
    }

    /// Both of each pair, in the order of pairs.
    fn of_pairs(atoms: usize, pairs: &[[u32; 2]]) -> Self {
        let mut starts = vec![0u32; atoms + 1];
        pairs.iter().flatten().for_each(|&atom| starts[atom as usize + 1] += 1);
        (1..=atoms).for_each(|atom| starts[atom] += starts[atom - 1]);
        let mut entries = vec![0; 2 * pairs.len()];
        let mut next = starts.clone();
        for &[a, b] in pairs {
            for (from, to) in [(a, b), (b, a)] {
                entries[next[from as usize] as usize] = to;
                next[from as usize] += 1;
            }
        }
        Self { starts, entries }
    }
}

impl Untangler {
    /// For the atoms of a puppet.
    pub fn new(puppet: &Puppet) -> Self {
        let (structure, radii) = (puppet.structure(), puppet.radii());
        let bonds = BondGraph::new(structure);
        let excused = Excused::new(structure, &bonds);
        let around = |atom: u32, most: u32| within(&bonds, atom, most);
        let pulled = (0..structure.atoms.len() as u32).into_par_iter().map(|atom| around(atom, 2)).collect();
        Self { scene: single_atoms(structure, radii), radii: radii.to_vec(), excused, pulled: Lists::new(pulled) }
    }

    /// Overlaps of atoms in these places that are deeper than a limit, as pairs of atoms with their depths, unsorted.
    pub fn overlaps(&self, positions: &[Vec3], limit: f32) -> Vec<([u32; 2], f32)> {
        let mut scene = self.scene.clone();
        self.overlaps_in(&mut scene, positions, limit, None)
    }

    /// The same without pairs of one rigid group, which nothing can part.
    fn overlaps_in(
        &self,
        scene: &mut Scene,
        positions: &[Vec3],
        limit: f32,
        groups: Option<&Groups>,
    ) -> Vec<([u32; 2], f32)> {
        for (molecule, place) in scene.molecules_mut().iter_mut().zip(positions) {
            molecule.pose.translation = place.as_dvec3();
        }
        let search = OverlapSearch { allow: limit, ..OverlapSearch::default() };
        let mut found: Vec<([u32; 2], f32)> = search
            .overlaps_unsorted(scene)
            .into_par_iter()
            .with_min_len(4_096)
            .map(|overlap| ([overlap.first.molecule.0, overlap.second.molecule.0], overlap.depth))
            .filter(|([a, b], _)| groups.is_none_or(|of| of.of_atom[*a as usize] != of.of_atom[*b as usize]))
            .filter(|([a, b], _)| !self.excused.excuses(*a, *b))
            .collect();
        found.shrink_to_fit();
        found
    }

    fn tally(&self, scene: &mut Scene, positions: &[Vec3], limit: f32, groups: Option<&Groups>) -> Tally {
        let found = self.overlaps_in(scene, positions, limit, groups);
        Tally { pairs: found.len() as u64, deepest: found.iter().fold(0.0, |deepest, (_, depth)| deepest.max(*depth)) }
    }

    /// Where atoms are at a moment when they have been pushed apart for some iterations, starting from the motion alone: for a player that
    /// cannot wait for a bake.
    pub fn preview(&self, puppet: &Puppet, moment: &Moment, options: &BakeOptions) -> Vec<Vec3> {
        let mut state = State::new(self, puppet, moment);
        state.solve(self, options);
        state.positions
    }

    /// Corrections for the whole of a clip. `progress` hears how many times of how many are done, and answers whether to go on; `None` if it did not want to.
    pub fn bake(
        &self,
        puppet: &Puppet,
        moment: &Moment,
        options: &BakeOptions,
        progress: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Option<Corrections> {
        let times = fine_times(puppet, moment.clip, options.frames);
        let groups = puppet.groups(moment.level).map_or(self.radii.len(), Groups::len);
        let made_for = (moment.clip, moment.manner());
        let mut corrections = Corrections::new(made_for, groups, options.limit);
        let mut moves = vec![[Vec3::ZERO; 2]; groups];
        for (number, &time) in times.iter().enumerate() {
            let moment = Moment { time, collide: false, ..*moment };
            let mut state = State::new(self, puppet, &moment);
            let before = self.tally(&mut state.scene, &state.positions, options.limit, state.groups);
            moves.iter_mut().flatten().for_each(|part| *part *= options.keep);
            state.start(&moves);
            let iterations = state.solve(self, options);
            moves = state.moves;
            match moment.level {
                Level::Atom => {
                    corrections.push_atoms(time, &moves.iter().map(|[shift, _]| *shift).collect::<Vec<_>>());
                }
                _ => corrections.push_groups(time, &moves),
            }
            let placed = placed(puppet, &corrections, &moment);
            let after = self.tally(&mut state.scene, &placed, options.limit, state.groups);
            let farthest = placed.iter().zip(&state.unpushed).fold(0.0f32, |most, (a, b)| most.max(a.distance(*b)));
            corrections.report.push(Corrected { time, before, after, iterations, farthest });
            if !progress(number + 1, times.len()) {
                return None;
            }
        }
        Some(corrections)
    }
}

/// Where atoms are with corrections as they are stored.
fn placed(puppet: &Puppet, corrections: &Corrections, moment: &Moment) -> Vec<Vec3> {
    match (puppet.group_poses_uncorrected(moment), puppet.groups(moment.level)) {
        (Some(mut poses), Some(groups)) => {
            corrections.move_groups(moment.time, &mut poses);
            groups.placed(&puppet.structure().atoms.positions, &poses)
        }
        _ => {
            let mut positions = puppet.atoms_uncorrected(moment);
            corrections.shift_atoms(moment.time, &mut positions);
            positions
        }
    }
}

/// Evenly spaced times and the keys of the clip.
fn fine_times(puppet: &Puppet, clip: usize, frames: usize) -> Vec<f64> {
    let (duration, frames) = (puppet.duration(clip), frames.max(2));
    let mut times: Vec<f64> = (0..frames).map(|frame| duration * frame as f64 / (frames - 1) as f64).collect();
    times.extend(puppet.key_times(clip).into_iter().filter(|time| (0.0..=duration).contains(time)));
    times.sort_by(f64::total_cmp);
    times.dedup_by(|next, kept| *next - *kept < 1e-6);
    times
}

fn single_atoms(structure: &Structure, radii: &[f32]) -> Scene {
    let mut kinds: Vec<(f32, TypeId)> = Vec::new();
    let mut scene = Scene::default();
    let mut molecules = Vec::with_capacity(radii.len());
    for (&radius, place) in radii.iter().zip(&structure.atoms.positions) {
        let known = kinds.iter().find(|(own, _)| *own == radius).map(|(_, kind)| *kind);
        let kind = known.unwrap_or_else(|| {
            let kind = scene.add_type("atom", &[Vec3::ZERO], &[radius]);
            kinds.push((radius, kind));
            kind
        });
        molecules.push(Molecule { kind, pose: Pose::from_translation(place.as_dvec3()) });
    }
    scene.with_molecules(molecules)
}

/// Atoms at most so many bonds away, rising, without the atom itself.
fn within(bonds: &BondGraph, atom: u32, most: u32) -> Vec<u32> {
    let mut found = vec![atom];
    let mut from = 0;
    for _ in 0..most {
        let end = found.len();
        for at in from..end {
            for &next in bonds.neighbours(found[at]) {
                if !found.contains(&next) {
                    found.push(next);
                }
            }
        }
        from = end;
    }
    found.swap_remove(0);
    found.sort_unstable();
    found
}

/// A residue of more atoms than this is none: files without residues put everything into one.
const LARGEST_RESIDUE: usize = 400;
/// So far from a metal stands what holds it, in angstroms.
const HELD: f32 = 3.5;

/// Pairs that may overlap: at most four bonds apart, of one residue, alternatives of each other, or a metal and what holds it.
#[derive(Clone, Debug)]
struct Excused {
    /// By bonds, and around metals; rising.
    near: Lists,
    /// The residue of each atom; a number of its own where the residue is none.
    residues: Vec<u32>,
    alternates: Vec<u8>,
}

impl Excused {
    fn new(structure: &Structure, bonds: &BondGraph) -> Self {
        let atoms = &structure.atoms;
        let around = around_metals(structure);
        let near = |atom: u32| {
            let mut list = within(bonds, atom, 4);
            list.extend(around.of(atom as usize));
            list.sort_unstable();
            list.dedup();
            list
        };
        let near = Lists::new((0..atoms.len() as u32).into_par_iter().map(near).collect());
        let mut sizes = vec![0; structure.residues.len()];
        atoms.residues.iter().for_each(|&residue| sizes[residue as usize] += 1);
        let own = |(atom, &residue): (usize, &u32)| match sizes[residue as usize] > LARGEST_RESIDUE {
            true => u32::MAX - atom as u32,
            false => residue,
        };
        let residues = atoms.residues.iter().enumerate().map(own).collect();
        Self { near, residues, alternates: atoms.alternates.clone() }
    }

    fn excuses(&self, a: u32, b: u32) -> bool {
        let [alternate, other] = [a, b].map(|atom| self.alternates[atom as usize]);
        self.residues[a as usize] == self.residues[b as usize]
            || (alternate != 0 && other != 0 && alternate != other)
            || self.near.of(a as usize).binary_search(&b).is_ok()
    }
}

/// For each metal the atoms that hold it, and for those the metal. Metals stand in cells as wide as the distance, so that each atom looks at 27.
fn around_metals(structure: &Structure) -> Lists {
    let atoms = &structure.atoms;
    let cell = |place: Vec3| (place / HELD).floor().to_array().map(|at| at as i32);
    let mut metals: rustc_hash::FxHashMap<[i32; 3], Vec<u32>> = rustc_hash::FxHashMap::default();
    for atom in (0..atoms.len() as u32).filter(|&atom| is_metal(atoms.elements[atom as usize])) {
        metals.entry(cell(atoms.positions[atom as usize])).or_default().push(atom);
    }
    if metals.is_empty() {
        return Lists::of_pairs(atoms.len(), &[]);
    }
    let held = |atom: u32| {
        let place = atoms.positions[atom as usize];
        let [x, y, z] = cell(place);
        let beside = (0..27).map(|code| [x + code % 3 - 1, y + code / 3 % 3 - 1, z + code / 9 - 1]);
        let near = beside.filter_map(|cell| metals.get(&cell)).flatten().copied();
        let is_held = |metal: &u32| *metal != atom && atoms.positions[*metal as usize].distance(place) < HELD;
        near.filter(is_held).map(|metal| [atom, metal]).collect::<Vec<[u32; 2]>>()
    };
    let pairs: Vec<[u32; 2]> = (0..atoms.len() as u32).into_par_iter().flat_map_iter(held).collect();
    Lists::of_pairs(atoms.len(), &pairs)
}

/// One moment that is being untangled.
struct State<'a> {
    scene: Scene,
    groups: Option<&'a Groups>,
    rest: &'a [Vec3],
    /// Poses of groups and places of atoms in the motion alone.
    unmoved: Vec<Pose>,
    unpushed: Vec<Vec3>,
    /// Shift and turn of each group, or the shift of each atom.
    moves: Vec<[Vec3; 2]>,
    positions: Vec<Vec3>,
}

impl<'a> State<'a> {
    fn new(untangler: &Untangler, puppet: &'a Puppet, moment: &Moment) -> Self {
        let rest = &puppet.structure().atoms.positions[..];
        let groups = puppet.groups(moment.level);
        let unmoved = puppet.group_poses_uncorrected(moment).unwrap_or_default();
        let unpushed = match groups {
            Some(groups) => groups.placed(rest, &unmoved),
            None => puppet.atoms_uncorrected(moment),
        };
        let moves = vec![[Vec3::ZERO; 2]; groups.map_or(rest.len(), Groups::len)];
        Self { scene: untangler.scene.clone(), groups, rest, unmoved, positions: unpushed.clone(), unpushed, moves }
    }

    fn start(&mut self, moves: &[[Vec3; 2]]) {
        self.moves.copy_from_slice(moves);
        self.place();
    }

    fn place(&mut self) {
        match self.groups {
            Some(groups) => {
                let poses: Vec<Pose> =
                    self.unmoved.iter().zip(&self.moves).map(|(pose, part)| moved(pose, *part)).collect();
                self.positions = groups.placed(self.rest, &poses);
            }
            None => {
                for ((position, unpushed), [shift, _]) in self.positions.iter_mut().zip(&self.unpushed).zip(&self.moves)
                {
                    *position = *unpushed + *shift;
                }
            }
        }
    }

    /// Iterates until nothing overlaps too deeply, or the iterations are used up; tells how many it took.
    fn solve(&mut self, untangler: &Untangler, options: &BakeOptions) -> u32 {
        let target = options.limit - options.margin;
        // Pushes come ever nearer to the target; half of the margin is near enough.
        let enough = options.limit - 0.5 * options.margin;
        let mut iteration = 0;
        while iteration < options.iterations {
            let listed = self.positions.clone();
            let found = untangler.overlaps_in(&mut self.scene, &listed, target - SKIN, self.groups);
            if !found.iter().any(|(_, depth)| *depth > enough) {
                break;
            }
            let pairs: Vec<[u32; 2]> = found.into_iter().map(|(pair, _)| pair).collect();
            let near = Lists::of_pairs(self.positions.len(), &pairs);
            loop {
                let overlapping = self.iterate(untangler, &near, [target, enough], iteration);
                iteration += 1;
                let is_far = |(now, then): (&Vec3, &Vec3)| now.distance_squared(*then) > 0.25 * SKIN * SKIN;
                if !overlapping
                    || iteration >= options.iterations
                    || self.positions.par_iter().zip(&listed).with_min_len(4_096).any(is_far)
                {
                    break;
                }
            }
        }
        iteration
    }

    /// One iteration; tells whether anything overlapped by more than is near enough.
    fn iterate(&mut self, untangler: &Untangler, near: &Lists, [target, enough]: [f32; 2], iteration: u32) -> bool {
        let pull = 1.0 - (iteration.saturating_sub(FADE[0]) as f32 / (FADE[1] - FADE[0]) as f32).min(1.0);
        let (positions, radii, unpushed) = (&self.positions, &untangler.radii, &self.unpushed);
        let group_of = self.groups.map(|groups| &groups.of_atom);
        let push = |atom: usize| {
            let own = positions[atom];
            let (mut away, mut touching, mut is_deep) = (Vec3::ZERO, 0.0f32, false);
            for &other in near.of(atom) {
                let other = other as usize;
                let apart = own - positions[other];
                let wanted = radii[atom] + radii[other] - target;
                if wanted > 0.0 && apart.length_squared() < wanted * wanted {
                    let distance = apart.length();
                    // The one with the larger number goes along x where both are in one place.
                    let way = apart.normalize_or(if atom > other { Vec3::X } else { Vec3::NEG_X });
                    away += way * (0.5 * (wanted - distance));
                    touching += 1.0;
                    is_deep |= wanted - distance > enough - target;
                }
            }
            let (mut back, mut pulls) = (Vec3::ZERO, 0.0f32);
            if pull > 0.0 {
                for &other in untangler.pulled.of(atom) {
                    let other = other as usize;
                    if group_of.is_some_and(|of| of[atom] == of[other]) {
                        continue;
                    }
                    let (apart, before) = (own - positions[other], unpushed[atom].distance(unpushed[other]));
                    back += apart.normalize_or_zero() * (0.5 * (before - apart.length()));
                    pulls += 1.0;
                }
            }
            let share = |sum: Vec3, count: f32| if count > 0.0 { sum / count } else { Vec3::ZERO };
            (share(away, touching) * 1.4 + share(back, pulls) * (0.9 * pull), is_deep)
        };
        let pushes: Vec<(Vec3, bool)> = (0..positions.len()).into_par_iter().with_min_len(1_024).map(push).collect();
        let overlapping = pushes.par_iter().with_min_len(4_096).any(|(_, is_deep)| *is_deep);
        if overlapping {
            match self.groups {
                Some(groups) => self.move_groups(groups, &pushes),
                None => self.moves.iter_mut().zip(&pushes).for_each(|([shift, _], (push, _))| *shift += *push),
            }
            self.place();
        }
        overlapping
    }

    fn move_groups(&mut self, groups: &Groups, pushes: &[(Vec3, bool)]) {
        let (positions, unmoved) = (&self.positions, &self.unmoved);
        let change = |(group, part): (usize, &mut [Vec3; 2])| {
            let centre = moved(&unmoved[group], *part).translation;
            let pushed = || {
                let of =
                    |&atom: &u32| (positions[atom as usize].as_dvec3() - centre, pushes[atom as usize].0.as_dvec3());
                groups.members(group).iter().map(of).filter(|(_, push)| *push != DVec3::ZERO)
            };
            let count = pushed().count() as f64;
            if count == 0.0 {
                return;
            }
            let shift = pushed().map(|(_, push)| push).sum::<DVec3>() / count;
            // A group that is pushed at one place only is not spun around: four square angstroms for each push.
            let mut inertia = DMat3::from_diagonal(DVec3::splat(4.0 * count));
            let mut torque = DVec3::ZERO;
            for (arm, push) in pushed() {
                inertia += DMat3::from_diagonal(DVec3::splat(arm.length_squared()))
                    - DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
                torque += arm.cross(push - shift);
            }
            let turn = inertia.inverse() * torque;
            let before = glam::DQuat::from_scaled_axis(part[1].as_dvec3());
            let after = (glam::DQuat::from_scaled_axis(turn) * before).normalize();
            *part = [part[0] + shift.as_vec3(), after.to_scaled_axis().as_vec3()];
        };
        self.moves.par_iter_mut().enumerate().with_min_len(64).for_each(change);
    }
}
