//! The compartments of a recipe as parts of space: inside, surface, and what is left of the inside when compartments within are
//! taken out.
//!
//! How it works: every boundary becomes a region and a surface; a box becomes twelve triangles for the latter. Volumes and areas are
//! exact for spheres, boxes and closed meshes. A compartment whose recipe does not say what it lies in belongs to the smallest one that holds all
//! of it. From the room of a compartment goes the volume of those directly within; one that sticks out is measured by
//! points instead, and a note says so.

use std::sync::Arc;

use glam::DVec3;
use steric_model::Random;
use steric_model::formats::mesh::Mesh;
use steric_model::recipe::{CompartmentId, CompartmentShape, Recipe};

use crate::shape::{Region, Surface, TriangleMesh, fill_holes};

/// Points by which a room is measured where it has no formula.
const POINTS: u64 = 20_000;
/// Holes that a note names one by one.
const MOST_NAMED: usize = 3;

/// A compartment, or the space around all of them.
#[derive(Clone, Debug)]
pub struct Room {
    /// The path of the compartment; `space` for what is around all.
    pub name: String,
    /// Its inside, compartments within included.
    pub region: Arc<Region>,
    /// Its surface; none around the space.
    pub surface: Option<Arc<Surface>>,
    /// The rooms directly within, by their places in [`Rooms::rooms`].
    pub within: Vec<usize>,
    /// Cubic angstroms inside, without compartments within.
    pub volume: f64,
    /// Square angstroms of its surface.
    pub area: f64,
    /// How thick its membrane is, in angstroms.
    pub thickness: f64,
}

/// Every compartment that has a boundary, and the space around if there is a box.
#[derive(Clone, Debug, Default)]
pub struct Rooms {
    /// The rooms.
    pub rooms: Vec<Room>,
    /// The room of each compartment of the recipe; none where it has no boundary.
    pub of: Vec<Option<usize>>,
    /// The room around all compartments.
    pub space: Option<usize>,
    /// What a user should know, in sentences.
    pub notes: Vec<String>,
}

/// Reads the surface that a recipe names.
pub type MeshReader<'a> = &'a dyn Fn(&str) -> Result<Mesh, String>;

impl Rooms {
    /// The rooms of a recipe. `read` finds surfaces by the names in the recipe; with `repair`, holes in them are closed.
    pub fn new(recipe: &Recipe, bounds: Option<[DVec3; 2]>, read: MeshReader<'_>, repair: bool) -> Self {
        let mut rooms = Self::default();
        for at in 0..recipe.compartments.len() {
            let room = rooms.room(recipe, at, read, repair);
            rooms.of.push(room.is_some().then_some(rooms.rooms.len()));
            rooms.rooms.extend(room);
        }
        if let Some([low, high]) = bounds {
            rooms.space = Some(rooms.rooms.len());
            let region = Arc::new(Region::Box { low, high });
            let (name, volume) = ("space".to_owned(), region.volume());
            let (surface, within) = (None, Vec::new());
            rooms.rooms.push(Room { name, region, surface, within, volume, area: 0.0, thickness: 0.0 });
        }
        rooms.nest(recipe);
        (0..rooms.rooms.len()).for_each(|room| rooms.measure(room));
        rooms
    }

    /// The room of an ingredient's compartment, or the space.
    pub fn find(&self, compartment: Option<CompartmentId>) -> Option<usize> {
        match compartment {
            Some(CompartmentId(at)) => self.of.get(at as usize).copied().flatten(),
            None => self.space,
        }
    }

    fn room(&mut self, recipe: &Recipe, at: usize, read: MeshReader<'_>, repair: bool) -> Option<Room> {
        let compartment = &recipe.compartments[at];
        let name = recipe.path(CompartmentId(at as u32));
        let Some(shape) = &compartment.shape else {
            self.notes.push(format!("{name}: has no boundary; what belongs to it is left out"));
            return None;
        };
        let (region, surface) = match shape {
            CompartmentShape::Sphere { center, radius } => {
                let (center, radius) = (*center, *radius);
                (Region::Sphere { center, radius }, Surface::Sphere { center, radius })
            }
            CompartmentShape::Box { low, high } => {
                let region = Region::Box { low: *low, high: *high };
                let surface = TriangleMesh::new(&box_mesh(*low, *high)).ok()?;
                (region, Surface::Mesh(Arc::new(surface)))
            }
            CompartmentShape::Triangles { mesh } => self.closed(&name, mesh, repair)?,
            CompartmentShape::Mesh { file } => match read(file) {
                Ok(mesh) => self.closed(&name, &mesh, repair)?,
                Err(why) => {
                    self.notes.push(format!("{name}: {why}; what belongs to it is left out"));
                    return None;
                }
            },
        };
        let (volume, area) = (region.volume(), surface.area_at(0.0));
        let (region, surface, within) = (Arc::new(region), Some(Arc::new(surface)), Vec::new());
        Some(Room { name, region, surface, within, volume, area, thickness: compartment.thickness })
    }

    // A surface that closes, and both of its uses.
    fn closed(&mut self, name: &str, mesh: &Mesh, repair: bool) -> Option<(Region, Surface)> {
        let made = TriangleMesh::new(mesh);
        let made =
            made.map_err(|error| self.notes.push(format!("{name}: {error}; what belongs to it is left out"))).ok()?;
        let made = if made.report().is_watertight() { made } else { self.mend(name, mesh, made, repair)? };
        let mesh = Arc::new(made);
        Some((Region::Mesh(Arc::clone(&mesh)), Surface::Mesh(mesh)))
    }

    fn mend(&mut self, name: &str, mesh: &Mesh, open: TriangleMesh, repair: bool) -> Option<TriangleMesh> {
        let holes = open.holes();
        let place = |hole: &crate::shape::Hole| {
            let DVec3 { x, y, z } = hole.center;
            format!("around ({x:.1}, {y:.1}, {z:.1}), {} edges, {:.1} Å long", hole.edges, hole.length)
        };
        let mut places: Vec<String> = holes.iter().take(MOST_NAMED).map(place).collect();
        if holes.len() > MOST_NAMED {
            places.push(format!("and {} more", holes.len() - MOST_NAMED));
        }
        let places = if places.is_empty() { String::new() } else { format!(" Holes: {}.", places.join("; ")) };
        if repair {
            let closed = TriangleMesh::new(&fill_holes(mesh)).ok().filter(|mesh| mesh.report().is_watertight());
            let done = if closed.is_some() { "its holes were closed" } else { "its holes could not be closed" };
            self.notes.push(format!("{name}: the surface was not watertight ({}); {done}.{places}", open.report()));
            return closed;
        }
        let advice = "what belongs to it is left out; ask for a repair to close its holes";
        self.notes.push(format!("{name}: the surface is not watertight ({}); {advice}.{places}", open.report()));
        None
    }

    // Who lies directly within whom.
    fn nest(&mut self, recipe: &Recipe) {
        let found: Vec<(usize, usize)> =
            self.of.iter().enumerate().filter_map(|(at, room)| Some((at, (*room)?))).collect();
        for &(at, room) in &found {
            let named = recipe.compartments[at].parent.and_then(|parent| self.find(Some(parent)));
            let smallest = || {
                let others = found.iter().map(|&(_, other)| other).filter(|&other| other != room);
                let around = others.filter(|&other| {
                    self.rooms[other].volume > self.rooms[room].volume && self.holds(other, room) == Some(true)
                });
                around.min_by(|&a, &b| self.rooms[a].volume.total_cmp(&self.rooms[b].volume))
            };
            if let Some(outer) = named.or_else(smallest).or(self.space) {
                self.rooms[outer].within.push(room);
            }
        }
    }

    // Whether all of one compartment lies in another; nothing where only a part does.
    fn holds(&self, outer: usize, inner: usize) -> Option<bool> {
        let outer = &self.rooms[outer].region;
        let is_inside = |point: DVec3| outer.distance(point).0 <= 1e-6;
        let inside: Vec<bool> = match *self.rooms[inner].region {
            Region::Sphere { center, radius } => {
                let distance = outer.distance(center).0;
                return if distance <= 1e-6 - radius { Some(true) } else { (distance >= radius).then_some(false) };
            }
            ref region => region.outline()?.vertices.into_iter().map(is_inside).collect(),
        };
        let count = inside.iter().filter(|&&inside| inside).count();
        if count == inside.len() { Some(true) } else { (count == 0).then_some(false) }
    }

    fn measure(&mut self, room: usize) {
        let within = self.rooms[room].within.clone();
        let crossing: Vec<usize> =
            within.iter().copied().filter(|&inner| self.holds(room, inner) != Some(true)).collect();
        if crossing.is_empty() {
            let taken: f64 = within.iter().map(|&inner| self.rooms[inner].region.volume()).sum();
            self.rooms[room].volume = (self.rooms[room].region.volume() - taken).max(0.0);
            return;
        }
        for inner in crossing {
            let (outer, inner) = (&self.rooms[room].name, &self.rooms[inner].name);
            let note = format!("{inner} sticks out of {outer}; the volume of {outer} is measured by {POINTS} points");
            self.notes.push(note);
        }
        let Room { region, within, .. } = &self.rooms[room];
        let is_free = |point: &DVec3| within.iter().all(|&inner| !self.rooms[inner].region.contains(*point));
        let points = (0..POINTS).filter_map(|number| region.sample(&mut Random::of(1, number)));
        let free = points.filter(is_free).count();
        self.rooms[room].volume = region.volume() * free as f64 / POINTS as f64;
    }
}

fn box_mesh(low: DVec3, high: DVec3) -> Mesh {
    let (low, high) = (low.min(high), low.max(high));
    let corner = |at: u32| DVec3::new(f64::from(at & 1), f64::from(at >> 1 & 1), f64::from(at >> 2));
    let vertices = (0..8).map(|at| low + corner(at) * (high - low)).collect();
    const FACES: [[u32; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = FACES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh { vertices, triangles }
}
