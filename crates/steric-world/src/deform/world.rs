//! Soft bodies that touch each other, themselves and a floor, step after step.
//!
//! How it works: what may meet during a step is found first ([`Neighbourhood`]). Every pair that would come nearer than a margin is a contact in the system of the step: it asks its two sides to part, or to
//! approach no faster than the gap allows, and remembers with what force it had to ask in the step before, so that what lies on something needs no gap to be held. How hard it asks follows from the masses
//! and stiffnesses of both sides, so no number of it depends on units. Friction is a grip across the normal that gives way beyond friction times the force of the step before (Coulomb's law with a lag of
//! one step). What a contact leaves undone, [`guard`] does: bodies that begin without crossing each other never cross. Bodies that begin in each other are pressed apart by their depths
//! ([`Detector`]), as in the founding study; with [`Response::Depth`] that is the only answer.

use glam::DVec3;
use rustc_hash::{FxHashMap, FxHashSet};
use steric_collide::{Bounds, BoxIndex, BoxIndexOptions};

use super::body::SoftBody;
use super::contact::Contact;
use super::guard::{Guarded, guard};
use super::near::{Near, Neighbourhood, Vicinity};
use super::step::Solved;
use super::touch::{Detector, Touches};

/// What bodies answer to.
///
/// ```
/// assert_eq!(steric_world::deform::Response::default(), steric_world::deform::Response::Gap);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// To gaps, before they close: nothing passes through anything.
    #[default]
    Gap,
    /// To depths, after points have entered tetrahedra: the founding study's penalty forces. Thin bodies may pass through each other.
    Depth,
}

/// How bodies answer collisions.
///
/// ```
/// use steric_world::deform::ContactOptions;
///
/// let smooth = ContactOptions { friction: 0.0, ..ContactOptions::default() };
/// assert_eq!(smooth.recovery, 0.2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// How much harder a contact is than what it presses on.
    pub stiffness: f64,
    /// The part of a depth that a step takes away.
    pub recovery: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// The gap that is kept between surfaces, in heights of the thinnest tetrahedra.
    pub margin: f64,
    /// What is answered.
    pub response: Response,
    /// How collisions are looked for.
    pub index: BoxIndexOptions,
}

impl Default for ContactOptions {
    /// Three times, a fifth, 0.4, a tenth of a height, gaps, the default index.
    ///
    /// ```
    /// assert_eq!(steric_world::deform::ContactOptions::default().margin, 0.1);
    /// ```
    fn default() -> Self {
        Self {
            stiffness: 3.0,
            recovery: 0.2,
            friction: 0.4,
            margin: 0.1,
            response: Response::Gap,
            index: BoxIndexOptions::default(),
        }
    }
}

/// What a step did.
///
/// ```
/// assert_eq!(steric_world::deform::Stepped::default().contacts, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stepped {
    /// Contacts in the system of the step.
    pub contacts: usize,
    /// The deepest point inside a tetrahedron, where depths are answered, in metres.
    pub deepest: f64,
    /// The narrowest gap at the beginning, where gaps are answered, in metres.
    pub narrowest: Option<f64>,
    /// Pairs that the system left too near, so that they had to be moved apart.
    pub moved: usize,
    /// Points that had to stay where they were, since nothing else would have kept them apart.
    pub stopped: usize,
    /// Pairs of boxes that were looked at, connected ones left out.
    pub candidates: usize,
    /// Pairs that connectivity alone has passed over.
    pub culled: usize,
    /// Products with the matrix.
    pub iterations: usize,
    /// Seconds that the search for collisions took.
    pub detect_s: f64,
    /// Seconds that the rest took.
    pub solve_s: f64,
}

impl Stepped {
    /// This and what came after it in the same step.
    fn then(self, next: Self) -> Self {
        let narrowest = [self.narrowest, next.narrowest].into_iter().flatten().reduce(f64::min);
        Self {
            contacts: next.contacts,
            deepest: self.deepest.max(next.deepest),
            narrowest,
            moved: self.moved + next.moved,
            stopped: self.stopped + next.stopped,
            candidates: self.candidates + next.candidates,
            culled: self.culled + next.culled,
            iterations: self.iterations + next.iterations,
            detect_s: self.detect_s + next.detect_s,
            solve_s: self.solve_s + next.solve_s,
        }
    }
}

/// Soft bodies in contact.
///
/// ```
/// use glam::DVec3;
/// use steric_model::TetMesh;
/// use steric_world::deform::{ContactOptions, Material, SoftBody, SoftWorld};
///
/// let block = |low: DVec3| {
///     let mesh = TetMesh::block(low, low + DVec3::splat(0.2), [2, 2, 2]);
///     SoftBody::new(mesh.points, mesh.tetrahedra, &[], &[Material::default()])
/// };
/// let both = SoftBody::join([block(DVec3::ZERO)?, block(DVec3::new(0.03, 0.05, 0.25))?]);
/// let mut world = SoftWorld::new(both, ContactOptions::default());
/// world.floor = Some(0.0);
/// for _ in 0..120 {
///     world.step(1.0 / 60.0);
/// }
/// assert!(world.body.positions[27..].iter().all(|at| at.z > 0.15), "the upper block lies on the lower one");
/// # Ok::<(), steric_world::deform::DeformError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SoftWorld {
    /// All bodies; each is a part.
    pub body: SoftBody,
    /// How they answer collisions.
    pub contact: ContactOptions,
    /// The height that nothing sinks below, in metres.
    pub floor: Option<f64>,
    detector: Detector,
    neighbourhood: Neighbourhood,
    touches: Touches,
    /// Pieces that were in each other at the last look, smaller first; looked for anew while there are some.
    entangled: Vec<[u32; 2]>,
    look_inside: bool,
    touching: Vec<bool>,
    /// Of each point: what resists a motion of it alone, apart from its mass, in newtons per metre.
    stiffness: Vec<f64>,
    /// With what force each contact pressed in the last step, in newtons.
    pressed: FxHashMap<Key, f64>,
    /// The mean height of the flattest tetrahedra.
    thinnest: f64,
    steps: u64,
    time: f64,
}

/// A contact from step to step: the points of a near pair, a point inside a body, or a point on the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Near([u32; 4]),
    Inside(u32),
    Floor(u32),
}

/// A contact before forces.
struct Pressed {
    key: Key,
    contact: Contact,
    /// Metres that are missing between its sides; below 0 where there are more than needed.
    missing: f64,
}

impl SoftWorld {
    /// Bodies as they are.
    pub fn new(mut body: SoftBody, contact: ContactOptions) -> Self {
        body.options.still = 0.1 * body.thinnest();
        Self {
            stiffness: body.stiffnesses(),
            thinnest: body.thinnest(),
            detector: Detector::new(contact.index),
            neighbourhood: Neighbourhood::new(&body, contact.index),
            touches: Touches::default(),
            entangled: Vec::new(),
            look_inside: true,
            touching: vec![false; body.positions.len()],
            pressed: FxHashMap::default(),
            floor: None,
            steps: 0,
            time: 0.0,
            body,
            contact,
        }
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Seconds so far.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The gap that is kept between surfaces, in metres.
    pub fn margin(&self) -> f64 {
        self.contact.margin * self.thinnest
    }

    /// What the last look for points in tetrahedra found.
    pub fn touches(&self) -> &Touches {
        &self.touches
    }

    /// Who lies in whom as bodies stand now: nobody, unless they began so.
    pub fn overlaps(&self) -> Touches {
        Detector::new(self.contact.index).touches(&self.body, true)
    }

    /// Of each point, whether it is in contact with something.
    pub fn touching(&self) -> &[bool] {
        &self.touching
    }

    /// Goes on by `h` seconds. Where bodies meet so fast that they would be crushed within it, the step is cut into parts.
    pub fn step(&mut self, h: f64) -> Stepped {
        assert!(h > 0.0 && h.is_finite(), "a step takes some time");
        let parts = self.parts(h);
        let (from, led) = (self.body.positions.clone(), self.body.held.clone());
        let mut stepped = Stepped::default();
        for part in 1..=parts {
            for (point, place) in led.iter().enumerate().filter(|_| part < parts) {
                // What is led goes its way in equal parts.
                self.body.held[point] = place.map(|place| from[point].lerp(place, f64::from(part) / f64::from(parts)));
            }
            if part == parts {
                self.body.held.copy_from_slice(&led);
            }
            stepped = stepped.then(self.step_part(h / f64::from(parts)));
        }
        self.steps += 1;
        self.time += h;
        stepped
    }

    /// Into how many parts a step is cut: so many that nothing goes farther than two heights of a tetrahedron, where it goes to meet something.
    fn parts(&self, h: f64) -> u32 {
        let fastest = (0..self.body.positions.len()).map(|point| self.expected(point, h).length()).fold(0.0, f64::max);
        let parts = (h * fastest / (2.0 * self.thinnest)).ceil().clamp(1.0, MOST_PARTS);
        if parts > 1.0 && self.may_meet(h) { parts as u32 } else { 1 }
    }

    /// Whether the ways of two pieces, or of one and the floor, have boxes that touch.
    fn may_meet(&self, h: f64) -> bool {
        let pieces = self.body.pieces.iter().max().map_or(0, |last| *last as usize + 1);
        let mut boxes = vec![Bounds::NOTHING; pieces];
        for (point, at) in self.body.positions.iter().enumerate() {
            let to = *at + h * self.expected(point, h);
            let way = Bounds::around([*at, to].map(|at| at.as_vec3().to_array())).grown(self.thinnest as f32);
            let all = &mut boxes[self.body.pieces[point] as usize];
            *all = all.joined(&way);
        }
        let low = boxes.iter().map(|bounds| bounds.low[2]).fold(f32::INFINITY, f32::min);
        let mut index = BoxIndex::new(BoxIndexOptions::default());
        index.build(&boxes);
        self.floor.is_some_and(|floor| f64::from(low) < floor) || !index.self_pairs().is_empty()
    }

    fn step_part(&mut self, h: f64) -> Stepped {
        let mut stepped = Stepped::default();
        let began = web_time::Instant::now();
        let mut pressed = Vec::new();
        self.press_inside(&mut pressed, &mut stepped);
        let vicinity = self.press_near(h, &mut pressed, &mut stepped);
        self.press_floor(h, &mut pressed);
        stepped.detect_s = began.elapsed().as_secs_f64();
        let began = web_time::Instant::now();
        let from = self.body.positions.clone();
        let pairs = vicinity.as_ref().map_or(&[][..], |vicinity| &vicinity.pairs[..]);
        let contacts = self.solve(&mut pressed, pairs, h, &mut stepped);
        if let Some(vicinity) = vicinity {
            let guarded = self.keep_apart(&from, &vicinity.pairs, h);
            (stepped.moved, stepped.stopped) = (guarded.moved, guarded.stopped);
        }
        stepped.solve_s = began.elapsed().as_secs_f64();
        stepped.contacts = contacts;
        stepped
    }

    /// Solves the system of the step, and again with the pairs that it would let come too near, since nobody expected them to; how many contacts there were at last.
    fn solve(&mut self, pressed: &mut Vec<Pressed>, pairs: &[Near], h: f64, stepped: &mut Stepped) -> usize {
        let (positions, velocities) = (self.body.positions.clone(), self.body.velocities.clone());
        for round in 1.. {
            let answered = pressed.iter().filter_map(|pressed| Some((pressed.key, self.answer(pressed, h)?)));
            let (keys, contacts): (Vec<Key>, Vec<Contact>) = answered.unzip();
            let solved: Solved = self.body.step(h, &[], &contacts);
            stepped.iterations += solved.iterations;
            let is_near = |near: &&Near| {
                let along =
                    |at: usize| near.weights[at] * self.body.velocities[near.points[at] as usize].dot(near.normal);
                near.gap + h * (0..4).map(along).sum::<f64>() < 0.1 * self.margin()
            };
            let known: FxHashSet<Key> = keys.iter().copied().collect();
            let missed =
                if round < ROUNDS { self.contacts_of(pairs.iter().filter(is_near), &known) } else { Vec::new() };
            if missed.is_empty() {
                self.remember(&keys, &contacts, h);
                return contacts.len();
            }
            let has = |key: &Key| known.contains(key) || missed.iter().any(|missed| missed.key == *key);
            pressed.retain(|pressed| has(&pressed.key));
            pressed.extend(missed);
            self.body.positions.copy_from_slice(&positions);
            self.body.velocities.copy_from_slice(&velocities);
        }
        0
    }

    /// Contacts of near pairs that are not known yet.
    fn contacts_of<'a>(&self, pairs: impl Iterator<Item = &'a Near>, known: &FxHashSet<Key>) -> Vec<Pressed> {
        let unknown = |near: &&Near| !known.contains(&Key::Near(near.points));
        let pressed = |near: &Near| {
            let points = [0, 1, 2, 3].map(|at| (near.points[at], near.weights[at]));
            let contact = Contact::new(&points, near.normal);
            Pressed { key: Key::Near(near.points), contact, missing: self.margin() - near.gap }
        };
        proper(pairs, &self.body.pieces).into_iter().filter(unknown).map(pressed).collect()
    }

    /// Points that lie in tetrahedra, where depths are answered or bodies have been in each other.
    fn press_inside(&mut self, pressed: &mut Vec<Pressed>, stepped: &mut Stepped) {
        let is_gap = self.contact.response == Response::Gap;
        if is_gap && !self.look_inside {
            return;
        }
        self.touches = self.detector.touches(&self.body, is_gap);
        self.entangled = self.pieces_in_each_other();
        self.look_inside = !self.entangled.is_empty();
        stepped.candidates += self.touches.candidates;
        stepped.culled += self.touches.culled;
        for touch in &self.touches.found {
            let corners = self.body.tetrahedra()[touch.tetrahedron as usize];
            let [a, b, c, d] = [0, 1, 2, 3].map(|at| (corners[at], -touch.weights[at]));
            let contact = Contact::new(&[(touch.point, 1.0), a, b, c, d], touch.direction);
            pressed.push(Pressed { key: Key::Inside(touch.point), contact, missing: touch.depth.min(self.thinnest) });
            stepped.deepest = stepped.deepest.max(touch.depth);
        }
    }

    fn pieces_in_each_other(&self) -> Vec<[u32; 2]> {
        let piece = |point: u32| self.body.pieces[point as usize];
        let inside = self.touches.found.iter().map(|touch| {
            let corner = self.body.tetrahedra()[touch.tetrahedron as usize][0];
            [piece(touch.point), piece(corner)]
        });
        let crossed = self.touches.crossed.iter().map(|crossed| {
            let corner = self.body.surface()[crossed.triangles[0] as usize][0];
            [piece(crossed.edge[0]), piece(corner)]
        });
        let mut pairs: Vec<[u32; 2]> = inside.chain(crossed).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The velocity that a point would have without anything around it.
    fn expected(&self, point: usize, h: f64) -> DVec3 {
        match self.body.held[point] {
            Some(place) => (place - self.body.positions[point]) / h,
            None => self.body.velocities[point] + h * self.body.options.gravity,
        }
    }

    /// What would come nearer than the margin. Pieces that are in each other are left out: the nearest way between two surfaces would keep them there.
    fn press_near(&mut self, h: f64, pressed: &mut Vec<Pressed>, stepped: &mut Stepped) -> Option<Vicinity> {
        if self.contact.response == Response::Depth {
            return None;
        }
        let expected = |point: usize| self.body.positions[point] + h * self.expected(point, h);
        let to: Vec<DVec3> = (0..self.body.positions.len()).map(expected).collect();
        let room = 0.3 * self.thinnest + self.margin();
        let mut vicinity = self.neighbourhood.look(&self.body, &to, room);
        stepped.candidates += vicinity.candidates;
        stepped.culled += vicinity.culled;
        self.look_inside |= vicinity.meeting > 0;
        // What is held on both sides goes where it is led.
        vicinity.pairs.retain(|near| !near.points.iter().all(|&point| self.body.is_held(point as usize)));
        if !self.entangled.is_empty() {
            let piece = |point: u32| self.body.pieces[point as usize];
            vicinity.pairs.retain(|near| {
                let [a, b] = [piece(near.points[0]), piece(near.points[3])];
                self.entangled.binary_search(&[a.min(b), a.max(b)]).is_err()
            });
        }
        stepped.narrowest = vicinity.pairs.iter().map(|near| near.gap).reduce(f64::min);
        let margin = self.margin();
        let closes = |near: &&Near| {
            let along = |at: usize| near.weights[at] * self.expected(near.points[at] as usize, h).dot(near.normal);
            near.gap + h * (0..4).map(along).sum::<f64>().min(0.0) < margin
        };
        pressed.extend(self.contacts_of(vicinity.pairs.iter().filter(closes), &FxHashSet::default()));
        Some(vicinity)
    }

    fn press_floor(&self, h: f64, pressed: &mut Vec<Pressed>) {
        let Some(floor) = self.floor else { return };
        for (point, at) in self.body.positions.iter().enumerate() {
            let missing = floor - at.z;
            if missing - h * self.expected(point, h).z.min(0.0) > 0.0 {
                let contact = Contact::new(&[(point as u32, 1.0)], DVec3::Z);
                pressed.push(Pressed { key: Key::Floor(point as u32), contact, missing });
            }
        }
    }

    /// The contact of a step of `h` seconds, unless its sides cannot move.
    fn answer(&self, pressed: &Pressed, h: f64) -> Option<Contact> {
        let contact = pressed.contact;
        let yielding = |&(point, weight): &(u32, f32)| {
            let point = point as usize;
            let hard = self.body.masses()[point] / (h * h) + self.stiffness[point];
            if self.body.is_held(point) { 0.0 } else { f64::from(weight).powi(2) / hard }
        };
        let yielding: f64 = contact.points().iter().map(yielding).sum();
        if yielding <= 0.0 {
            return None;
        }
        let ContactOptions { stiffness, recovery, friction, .. } = self.contact;
        // Newton seconds per metre: spring and damper together.
        let hard = stiffness * h / yielding;
        let wanted = if pressed.missing > 0.0 { recovery * pressed.missing } else { pressed.missing } / h;
        let before = self.pressed.get(&pressed.key).copied().unwrap_or(0.0);
        let velocity = contact.velocity(&self.body.velocities);
        let along = velocity.dot(contact.normal);
        // Its sides part faster than it asks: it must not pull.
        if pressed.missing > 0.0 && before + hard * (wanted - along) < 0.0 {
            return None;
        }
        let slip = (velocity - along * contact.normal).length();
        // Below a hundredth of a height a second the grip holds.
        let grip = friction * before / slip.max(0.01 * self.thinnest);
        let mut contact = contact.pressing(before + hard * wanted, 0.0, hard);
        contact.grip = grip.min(hard);
        Some(contact)
    }

    fn remember(&mut self, keys: &[Key], contacts: &[Contact], h: f64) {
        self.pressed.clear();
        self.touching.fill(false);
        for (key, contact) in keys.iter().zip(contacts) {
            let along = contact.velocity(&self.body.velocities).dot(contact.normal);
            let force = contact.force - (h * contact.stiffness + contact.damping) * along;
            if force > 0.0 {
                self.pressed.insert(*key, MEMORY * force);
                contact.points().iter().for_each(|(point, _)| self.touching[*point as usize] = true);
            }
        }
    }

    fn keep_apart(&mut self, from: &[DVec3], pairs: &[Near], h: f64) -> Guarded {
        let wished = self.body.positions.clone();
        let mut to = wished.clone();
        let (held, boxes) = (&self.body.held, self.neighbourhood.boxes());
        let guarded = guard(from, &mut to, boxes, pairs, |point| held[point as usize].is_some(), self.margin());
        for (point, to) in to.into_iter().enumerate().filter(|(point, to)| *to != wished[*point]) {
            self.body.velocities[point] = (to - from[point]) / h;
            self.body.positions[point] = to;
        }
        guarded
    }
}

/// A step is cut into at most so many parts.
const MOST_PARTS: f64 = 16.0;
/// Times that a part is solved at most.
const ROUNDS: usize = 2;
/// What a contact remembers of its force.
const MEMORY: f64 = 0.9;

/// Of pairs that say the same, one: of a point and the triangles of a piece the nearest, and of edges those that meet inside both and whose ends no such point covers.
fn proper<'a>(pairs: impl Iterator<Item = &'a Near>, pieces: &[u32]) -> Vec<&'a Near> {
    let (of_points, of_edges): (Vec<&Near>, Vec<&Near>) = pairs.partition(|near| near.firsts == 1);
    let mut kept: Vec<&Near> = Vec::new();
    let mut covered = vec![false; pieces.len()];
    // Pairs come in the order of their points.
    for of_point in of_points.chunk_by(|a, b| a.points[0] == b.points[0]) {
        let from = kept.len();
        for near in of_point {
            let is_same = |other: &&&mut &Near| pieces[other.points[1] as usize] == pieces[near.points[1] as usize];
            match kept[from..].iter_mut().find(|other| is_same(&other)) {
                Some(other) if near.gap < other.gap => *other = near,
                Some(_) => {}
                None => kept.push(near),
            }
        }
        covered[of_point[0].points[0] as usize] = true;
    }
    let is_proper = |near: &&Near| {
        let is_inside = near.weights.iter().all(|weight| weight.abs() > 1e-3);
        let is_covered = |ends: [u32; 2]| ends.iter().any(|&end| covered[end as usize]);
        let [a, b, c, d] = near.points;
        is_inside && !(is_covered([a, b]) && is_covered([c, d]))
    };
    kept.extend(of_edges.into_iter().filter(is_proper));
    kept
}
