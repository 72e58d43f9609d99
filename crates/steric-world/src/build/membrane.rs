//! Lipids and proteins on a membrane.
//!
//! How it works: the surface is as large as the file says, or as the counts and areas ask for (`counts.rs`). Each
//! leaflet gets its places from the surface, at the height at which its lipids are centred: on a sphere the two have
//! radii of their own. The kinds of lipids are dealt out to the places by a shuffled list, every lipid chooses a
//! conformer and a turn about the normal, and stands with the z of its template along the normal, in the inner
//! leaflet against it. Proteins stand anywhere in the surface, or at the places of it that are nearest to given points.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use smol_str::SmolStr;
use steric_model::{Copies, PeriodicBox, Pose, Random};

use super::counts::{self, Demand};
use super::footprint::shadow;
use super::scene_file::{LeafletChoice, LipidTable, MembraneTable, Placement, ProteinTable, Shape};
use super::spread::spread_proteins;
use super::template::{Body, Template};
use super::tiles::Patch;
use super::{BuildError, Disc, Group, Role, Work};
use crate::relax::{Hold, Leaflet};
use crate::shape::{Sampling, Surface, TriangleMesh, round_cone, rounded_box};

const LEAFLETS: [(Leaflet, LeafletChoice); 2] =
    [(Leaflet::Outer, LeafletChoice::Outer), (Leaflet::Inner, LeafletChoice::Inner)];
/// Height of the centroids where a membrane has no lipids: that of POPC.
const USUAL_HEIGHT: f64 = 10.8;
/// Water on both sides of a flat membrane, where no box says otherwise.
const WATER: f64 = 15.0;
/// A protein pushes lipids away within this height of the middle, as discs of this radius around its atoms.
const CORE: f64 = 20.0;
const REACH: f64 = 2.0;
/// Discs packed like a honeycomb have this diameter for an area of one; a little less lets them move.
const HONEYCOMB: f64 = 1.1547;
const SLACK: f64 = 0.95;

/// A membrane of a built scene.
///
/// ```
/// use steric_world::build::{SceneFile, build};
///
/// let text = "[[membrane]]\ncount = 600\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
/// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
/// let built = build(&scene, "".as_ref(), &steric_model::formats::read)?;
/// let vesicle = &built.membranes[0];
/// assert!(vesicle.area_at(10.0) > vesicle.area_at(0.0) && vesicle.periodic_patch().is_none());
/// # Ok::<(), steric_world::build::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Membrane {
    /// Its middle.
    pub surface: Arc<Surface>,
    /// Edges of a plane, in angstroms, from its origin.
    pub patch: Option<[f64; 2]>,
    /// Whether the plane repeats along both edges.
    pub periodic: bool,
    /// Whether its molecules are spread as discs first.
    pub discs: bool,
    /// The outer and the inner leaflet.
    pub leaflets: [LeafletSummary; 2],
}

/// What a leaflet holds.
///
/// ```
/// use steric_world::build::{SceneFile, build};
///
/// let text = "[[membrane]]\ncount = 600\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
/// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
/// let built = build(&scene, "".as_ref(), &steric_model::formats::read)?;
/// let [outer, inner] = &built.membranes[0].leaflets;
/// assert!(outer.lipids > inner.lipids && outer.lipids + inner.lipids == 600);
/// # Ok::<(), steric_world::build::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LeafletSummary {
    /// How many lipids.
    pub lipids: u64,
    /// How many of each.
    pub mixture: Vec<(SmolStr, u64)>,
    /// Signed height of the lipids' centroids above the middle of the membrane, in angstroms.
    pub height: f64,
    /// Area of the surface at that height, in square angstroms.
    pub area: f64,
    /// What proteins take of it.
    pub proteins_area: f64,
}

impl Membrane {
    /// The area of the parallel surface at a signed height, in square angstroms: that of the patch for a plane.
    pub fn area_at(&self, height: f64) -> f64 {
        self.patch.map_or_else(|| self.surface.area_at(height), |[a, b]| a * b)
    }

    /// The edges along which it repeats.
    pub fn periodic_patch(&self) -> Option<[f64; 2]> {
        self.patch.filter(|_| self.periodic)
    }
}

// A kind of lipid with what the mixture needs to know.
pub(super) struct Lipid<'a> {
    pub(super) table: &'a LipidTable,
    pub(super) template: Template,
    pub(super) area: f64,
}

pub(super) struct Protein<'a> {
    pub(super) table: &'a ProteinTable,
    pub(super) template: Template,
    pub(super) count: u64,
    /// In the outer and the inner leaflet.
    areas: [f64; 2],
}

// One membrane, half built.
pub(super) struct Plan<'a> {
    pub(super) number: usize,
    pub(super) path: String,
    pub(super) table: &'a MembraneTable,
    /// Its middle, where that is a mesh.
    mesh: Option<Arc<TriangleMesh>>,
    pub(super) lipids: Vec<Lipid<'a>>,
    pub(super) proteins: Vec<Protein<'a>>,
    /// What the lipids are cut from, instead of a mixture.
    pub(super) patch: Option<Patch>,
    /// Of the centroids, both positive.
    pub(super) heights: [f64; 2],
    demands: [Demand; 2],
}

impl Plan<'_> {
    fn proteins_area(&self, leaflet: usize) -> f64 {
        self.proteins.iter().map(|protein| protein.count as f64 * protein.areas[leaflet]).sum()
    }

    fn counted(&self) -> u64 {
        let leaflets = |lipid: &Lipid<'_>| if lipid.table.leaflet == LeafletChoice::Both { 2 } else { 1 };
        self.lipids.iter().map(|lipid| lipid.table.count.unwrap_or(0).saturating_mul(leaflets(lipid))).sum()
    }

    /// The farthest that an atom stands from the middle.
    pub(super) fn top(&self) -> f64 {
        let lipids = self.lipids.iter().flat_map(|lipid| &lipid.template.bodies).flat_map(|body| &body.atoms);
        let proteins = self.proteins.iter().flat_map(|protein| {
            let atoms = protein.template.bodies.iter().flat_map(|body| &body.atoms);
            atoms.map(|atom| (atom.z + protein.table.height).abs())
        });
        let patch = self.patch.as_ref().map_or(0.0, Patch::top);
        lipids.map(|atom| atom.z.abs()).chain(proteins).fold(patch, f64::max)
    }

    /// How many of each kind of lipid a leaflet has; of a patch's lipids together.
    fn counts(&self, leaflet: usize, shared: u64) -> Vec<u64> {
        if self.patch.is_some() { vec![shared] } else { mixture(&self.lipids, LEAFLETS[leaflet].1, shared) }
    }

    fn has_lipids(&self) -> bool {
        !self.lipids.is_empty() || self.patch.is_some()
    }
}

impl<'a> Work<'a> {
    pub(super) fn add_membrane(&mut self, number: usize) -> Result<(), BuildError> {
        let plan = self.plan(number)?;
        let shared = self.shared_lipids(&plan)?;
        let (surface, patch) = self.surface(&plan, shared)?;
        let mut membrane = Membrane {
            surface: Arc::new(surface),
            patch,
            periodic: plan.table.shape == Shape::Plane && plan.table.periodic,
            discs: plan.table.discs && plan.table.placement == Placement::Relaxed,
            leaflets: [0, 1].map(|leaflet| LeafletSummary {
                lipids: 0,
                mixture: Vec::new(),
                height: LEAFLETS[leaflet].0.sign() * plan.heights[leaflet],
                area: 0.0,
                proteins_area: plan.proteins_area(leaflet),
            }),
        };
        for leaflet in &mut membrane.leaflets {
            leaflet.area = patch.map_or_else(|| membrane.surface.area_at(leaflet.height), |[a, b]| a * b);
        }
        let areas = [0, 1].map(|leaflet| membrane.leaflets[leaflet].area);
        let split = counts::split(shared, &plan.demands, areas);
        self.place_proteins(&plan, &membrane)?;
        match plan.table.placement {
            Placement::Relaxed => {
                for (leaflet, shared) in split.into_iter().enumerate() {
                    self.place_leaflet(&plan, &mut membrane, leaflet, shared)?;
                }
            }
            Placement::Tiles => {
                // Lipids are laid around proteins, so these have to stand where they will.
                spread_proteins(&self.groups, &mut self.copies, number, &membrane);
                let counts = [0, 1].map(|leaflet| plan.counts(leaflet, split[leaflet]));
                self.lay_tiles(&plan, &mut membrane, counts)?;
            }
        }
        self.note(described(number, &membrane));
        self.membranes.push(membrane);
        Ok(())
    }

    fn plan(&mut self, number: usize) -> Result<Plan<'a>, BuildError> {
        let table = &self.scene.membrane[number];
        let path = format!("membrane.{number}");
        let mut lipids = Vec::new();
        for (at, lipid) in table.lipid.iter().enumerate() {
            let path = format!("{path}.lipid.{at}");
            let template = self.library.lipid(lipid).map_err(|failure| self.failed(&path, failure))?;
            let area = lipid.area.or(table.area_per_lipid).or(template.area);
            let area =
                area.ok_or_else(|| self.wrong(&path, "area (Å²), or area-per-lipid of its membrane", "neither"))?;
            lipids.push(Lipid { table: lipid, template, area });
        }
        let mesh = self.middle(table, &path)?;
        let mut proteins = Vec::new();
        for (at, protein) in table.protein.iter().enumerate() {
            let path = format!("{path}.protein.{at}");
            let (molecule, file) = (protein.molecule.as_deref(), protein.file.as_deref());
            let template = self.library.whole(molecule, file, &protein.axis, protein.name.as_deref());
            let template = template.map_err(|failure| self.failed(&path, failure))?;
            let areas = footprints(&template.bodies[0], protein.height);
            let count = self.count_of(protein, table, mesh.as_deref(), &path)?;
            proteins.push(Protein { table: protein, template, count, areas });
        }
        let patch = table.patch.as_ref().map(|file| self.patch(file)).transpose()?;
        let (heights, demands) = ([USUAL_HEIGHT; 2], [Demand::default(); 2]);
        let mut plan = Plan { number, path, table, mesh, lipids, proteins, patch, heights, demands };
        for (at, (side, leaflet)) in LEAFLETS.into_iter().enumerate() {
            let proteins_area = plan.proteins_area(at);
            let of_lipids = height(&plan.lipids, leaflet).or(height(&plan.lipids, LeafletChoice::Both));
            plan.heights[at] = of_lipids.unwrap_or(USUAL_HEIGHT);
            plan.demands[at] = demand(&plan.lipids, leaflet, proteins_area);
            if let Some(patch) = &plan.patch {
                plan.heights[at] = patch.height(side);
                plan.demands[at] = Demand { taken: proteins_area, mean_area: Some(patch.area_per_lipid(side)) };
            }
        }
        Ok(plan)
    }

    /// The middle of a membrane, where it is a mesh: read, or made.
    fn middle(&mut self, table: &MembraneTable, path: &str) -> Result<Option<Arc<TriangleMesh>>, BuildError> {
        let point = |given: Option<[f64; 3]>| DVec3::from_array(given.unwrap_or_default());
        // The rules of the scene file have seen to it that every shape has what it needs.
        let made = match table.shape {
            Shape::Sphere | Shape::Plane => return Ok(None),
            Shape::Mesh => {
                let file = table.mesh.as_deref().unwrap_or_default();
                return self.mesh(file, &format!("{path}.mesh")).map(Some);
            }
            Shape::RoundedBox => {
                let semi_axes = point(table.semi_axes);
                let mut made = rounded_box(semi_axes, table.rounding.unwrap_or(semi_axes.min_element()));
                made.vertices.iter_mut().for_each(|vertex| *vertex += point(table.center));
                made
            }
            Shape::Cone => round_cone(point(table.start), point(table.end), table.radii.unwrap_or_default()),
        };
        let mesh = TriangleMesh::new(&made);
        let mesh = mesh.map_err(|error| self.wrong(path, "a surface with an area", &error.to_string()))?;
        Ok(Some(Arc::new(mesh)))
    }

    /// How many copies of a protein there are.
    fn count_of(
        &self,
        protein: &ProteinTable,
        table: &MembraneTable,
        mesh: Option<&TriangleMesh>,
        path: &str,
    ) -> Result<u64, BuildError> {
        const A2_PER_UM2: f64 = 1e8;
        if !protein.positions.is_empty() {
            return Ok(protein.positions.len() as u64);
        }
        let Some(per_um2) = protein.per_um2 else {
            return Ok(protein.count);
        };
        let sphere = || table.radius.map(|radius| 4.0 * std::f64::consts::PI * radius * radius);
        let patch = || table.size.map(|[a, b]| a * b);
        let area = mesh.map(|mesh| mesh.area_at(0.0)).or_else(sphere).or_else(patch);
        let area = area.ok_or_else(|| self.wrong(path, "radius or size of the membrane beside per-um2", "neither"))?;
        Ok((per_um2 * area / A2_PER_UM2).round() as u64)
    }

    /// How many lipids share what the counted ones leave, if the file says how many there are in all.
    fn shared_lipids(&self, plan: &Plan<'_>) -> Result<Option<u64>, BuildError> {
        let counted = plan.counted();
        let are_all_counted = plan.demands.iter().all(|demand| demand.mean_area.is_none());
        match plan.table.count {
            None if are_all_counted => Ok(Some(0)),
            None => Ok(None),
            Some(count) if count < counted || (are_all_counted && count > counted) => {
                let expected = format!("{counted}, the sum of the lipids' own counts");
                Err(self.wrong(&format!("{}.count", plan.path), expected, &count.to_string()))
            }
            Some(count) => Ok(Some(count - counted)),
        }
    }

    fn surface(&mut self, plan: &Plan<'_>, shared: Option<u64>) -> Result<(Surface, Option<[f64; 2]>), BuildError> {
        match plan.table.shape {
            Shape::Sphere => Ok((self.sphere(plan, shared)?, None)),
            Shape::Plane => self.plane(plan, shared),
            Shape::Mesh | Shape::RoundedBox | Shape::Cone => match &plan.mesh {
                Some(mesh) => Ok((Surface::Mesh(Arc::clone(mesh)), None)),
                None => Err(self.wrong(&plan.path, "a surface", "none")),
            },
        }
    }

    fn sphere(&mut self, plan: &Plan<'_>, shared: Option<u64>) -> Result<Surface, BuildError> {
        let center = DVec3::from_array(plan.table.center.unwrap_or_default());
        let areas = |radius: f64| {
            [0, 1].map(|at| Surface::Sphere { center, radius }.area_at(LEAFLETS[at].0.sign() * plan.heights[at]))
        };
        let radius = self.size(plan, plan.table.radius, shared, areas, "radius")?;
        let top = plan.top();
        if radius <= top && plan.has_lipids() {
            let path = if plan.table.radius.is_some() { "radius" } else { "count" };
            let expected = format!("a radius above {top:.1} Å, which the lipids of the inner leaflet need");
            return Err(self.wrong(&format!("{}.{path}", plan.path), expected, &format!("{radius:.1}")));
        }
        Ok(Surface::Sphere { center, radius })
    }

    fn plane(&mut self, plan: &Plan<'_>, shared: Option<u64>) -> Result<(Surface, Option<[f64; 2]>), BuildError> {
        let periodic = plan.table.periodic;
        let of_box = self.periodic_box.filter(|_| periodic).map(|cell| cell.edges());
        let given = plan.table.size.or_else(|| of_box.map(|edges| [edges.x, edges.y]));
        let size = match given {
            Some(size) => size,
            None => [self.size(plan, None, shared, |edge| [edge * edge; 2], "size")?; 2],
        };
        let path = format!("{}.size", plan.path);
        if let Some(edges) = of_box
            && (0..2).any(|axis| (edges[axis] - size[axis]).abs() > 1e-6)
        {
            let expected = format!("the edges of the periodic box, [{}, {}]", edges.x, edges.y);
            return Err(self.wrong(&path, expected, &format!("{size:?}")));
        }
        let thickness = 2.0 * (plan.top() + WATER);
        if periodic && self.periodic_box.is_none() {
            let edges = DVec3::new(size[0], size[1], thickness);
            let cell = PeriodicBox::orthogonal(edges);
            self.periodic_box =
                Some(cell.ok_or_else(|| self.wrong(&path, "a patch with an area", &format!("{size:?}")))?);
        }
        let middle = self.periodic_box.filter(|_| periodic).map_or(DVec3::ZERO, |cell| 0.5 * cell.edges());
        let center = plan.table.center.map_or(middle, DVec3::from_array);
        let origin = center - DVec3::new(0.5 * size[0], 0.5 * size[1], 0.0);
        Ok((Surface::Plane { origin, normal: DVec3::Z }, Some(size)))
    }

    fn size(
        &self,
        plan: &Plan<'_>,
        given: Option<f64>,
        shared: Option<u64>,
        areas: impl Fn(f64) -> [f64; 2],
        key: &str,
    ) -> Result<f64, BuildError> {
        if let Some(given) = given {
            return Ok(given);
        }
        let Some(shared) = shared else {
            return Err(self.wrong(&plan.path, format!("{key}, or count"), "neither"));
        };
        let size = counts::size_for(shared, &plan.demands, areas);
        size.ok_or_else(|| self.wrong(&plan.path, format!("counts and areas that make a {key}"), "too many"))
    }

    fn place_proteins(&mut self, plan: &Plan<'_>, membrane: &Membrane) -> Result<(), BuildError> {
        for (at, protein) in plan.proteins.iter().enumerate() {
            let path = format!("{}.protein.{at}.count", plan.path);
            let count = protein.count;
            let first = self.number(count, &path)?;
            let on_surface = |&point: &[f64; 3]| {
                let place = membrane.surface.project(DVec3::from_array(point), 0.0);
                (place, membrane.surface.height(place).1)
            };
            let places = match &protein.table.positions[..] {
                [] => self.places(plan, membrane, 0.0, count, 2 + at as u64)?,
                positions => positions.iter().map(on_surface).collect(),
            };
            let pose = |(number, (place, normal)): (u64, (DVec3, DVec3))| {
                let spin = match protein.table.facing {
                    Some(way) => spin_towards(DVec3::from_array(way), normal),
                    None => std::f64::consts::TAU * Random::of(self.scene.seed, number).unit(),
                };
                standing(place + protein.table.height * normal, normal, spin)
            };
            let poses = (first..).zip(places).map(pose).collect();
            let body = &protein.template.bodies[0];
            let name = protein.template.name.clone();
            let diameter = 2.0 * (protein.areas[0].max(protein.areas[1]) / std::f64::consts::PI).sqrt();
            let hold = Hold::Surface {
                surface: Arc::clone(&membrane.surface),
                leaflet: Leaflet::Outer,
                head: body.head,
                height: protein.table.height,
                leeway: protein.table.leeway.unwrap_or(plan.table.leeway),
                axis: DVec3::Z,
                tilt: protein.table.tilt_degrees.unwrap_or(plan.table.tilt_degrees).to_radians(),
            };
            let group = Group {
                membrane: Some(plan.number),
                holds: vec![hold],
                disc: Some(Disc { diameter, height: 0.0, center: -protein.table.height }),
                ..Group::new(name.clone(), Role::Protein)
            };
            self.add_group(Copies { name, chains: body.chains.clone(), poses }, group);
        }
        Ok(())
    }

    fn place_leaflet(
        &mut self,
        plan: &Plan<'_>,
        membrane: &mut Membrane,
        leaflet: usize,
        shared: u64,
    ) -> Result<(), BuildError> {
        let side = LEAFLETS[leaflet];
        let counts = mixture(&plan.lipids, side.1, shared);
        let count: u64 = counts.iter().sum();
        let first = self.number(count, &plan.path)?;
        let height = membrane.leaflets[leaflet].height;
        let places = self.places(plan, membrane, height, count, leaflet as u64)?;
        let kinds = shuffled(&counts, &mut Random::of(!self.scene.seed, stream(plan.number, leaflet as u64 + 0x8000)));
        let mut poses: Vec<Vec<Vec<Pose>>> =
            plan.lipids.iter().map(|lipid| vec![Vec::new(); lipid.template.bodies.len()]).collect();
        for (number, ((place, normal), kind)) in (first..).zip(places.into_iter().zip(kinds)) {
            let mut random = Random::of(self.scene.seed, number);
            let bodies = &mut poses[kind as usize];
            let conformer = ((random.unit() * bodies.len() as f64) as usize).min(bodies.len() - 1);
            let spin = std::f64::consts::TAU * random.unit();
            bodies[conformer].push(standing(place - height * normal, side.0.sign() * normal, spin));
        }
        let summary = &mut membrane.leaflets[leaflet];
        summary.lipids = count;
        let named = plan.lipids.iter().zip(&counts).filter(|(_, count)| **count > 0);
        summary.mixture = named.map(|(lipid, &count)| (lipid.template.name.clone(), count)).collect();
        let wanted: f64 = plan.lipids.iter().zip(&counts).map(|(lipid, &count)| lipid.area * count as f64).sum();
        let squeeze = ((summary.area - summary.proteins_area).max(0.0) / wanted.max(1e-9)).min(1.0);
        for (at, (lipid, poses)) in plan.lipids.iter().zip(poses).enumerate() {
            for (body, poses) in lipid.template.bodies.iter().zip(poses) {
                let name = lipid.template.name.clone();
                let diameter = (lipid.area * squeeze * HONEYCOMB).sqrt() * SLACK;
                let mut holds = vec![lipid_hold(plan, membrane, side.0, body)];
                holds.extend(self.keeps(&lipid.table.keep, body, &format!("{}.lipid.{at}", plan.path))?);
                let group = Group {
                    leaflet: Some(side.0),
                    membrane: Some(plan.number),
                    holds,
                    area: Some(lipid.area),
                    disc: Some(Disc { diameter, height, center: height.abs() }),
                    ..Group::new(name.clone(), Role::Lipid)
                };
                self.add_group(Copies { name, chains: body.chains.clone(), poses }, group);
            }
        }
        Ok(())
    }

    fn places(
        &self,
        plan: &Plan<'_>,
        membrane: &Membrane,
        height: f64,
        count: u64,
        which: u64,
    ) -> Result<Vec<(DVec3, DVec3)>, BuildError> {
        let mut random = Random::of(!self.scene.seed, stream(plan.number, which));
        let sampling: Sampling = plan.table.sampling;
        Ok(membrane.surface.places(count as usize, height, sampling, membrane.patch, &mut random)?)
    }
}

// Streams of random numbers that belong to a membrane and not to one of its molecules.
pub(super) fn stream(membrane: usize, which: u64) -> u64 {
    ((membrane as u64) << 16) + which
}

/// A template stands here, its z along the normal, turned about it.
pub(super) fn standing(middle: DVec3, normal: DVec3, spin: f64) -> Pose {
    let rotation = DQuat::from_rotation_arc(DVec3::Z, normal) * DQuat::from_rotation_z(spin);
    Pose { rotation: rotation.normalize(), translation: middle }
}

/// The turn about a normal at which the x of a template points as nearly this way as it can.
fn spin_towards(way: DVec3, normal: DVec3) -> f64 {
    let x = DQuat::from_rotation_arc(DVec3::Z, normal) * DVec3::X;
    way.dot(normal.cross(x)).atan2(way.dot(x))
}

pub(super) fn lipid_hold(plan: &Plan<'_>, membrane: &Membrane, leaflet: Leaflet, body: &Body) -> Hold {
    Hold::Surface {
        surface: Arc::clone(&membrane.surface),
        leaflet,
        head: body.head,
        height: leaflet.sign() * body.head.z,
        leeway: plan.table.leeway,
        axis: DVec3::Z,
        tilt: plan.table.tilt_degrees.to_radians(),
    }
}

fn footprints(body: &Body, height: f64) -> [f64; 2] {
    let atoms: Vec<DVec3> = body.atoms.iter().map(|atom| *atom + height * DVec3::Z).collect();
    [shadow(&atoms, 0.0..CORE, REACH), shadow(&atoms, -CORE..0.0, REACH)]
}

/// Mean height of the centroids of a leaflet's lipids, weighted by how many there are.
fn height(lipids: &[Lipid<'_>], leaflet: LeafletChoice) -> Option<f64> {
    let of_leaflet = || lipids.iter().filter(|lipid| leaflet == LeafletChoice::Both || lipid.table.is_in(leaflet));
    let are_shared = of_leaflet().any(|lipid| lipid.table.share() > 0.0);
    let weight = |lipid: &Lipid<'_>| match (are_shared, lipid.table.count) {
        (true, _) => lipid.table.share(),
        (false, count) => count.unwrap_or(0) as f64,
    };
    let total: f64 = of_leaflet().map(weight).sum();
    let mean = |bodies: &[Body]| bodies.iter().map(Body::height).sum::<f64>() / bodies.len().max(1) as f64;
    let sum: f64 = of_leaflet().map(|lipid| weight(lipid) * mean(&lipid.template.bodies)).sum();
    (total > 0.0).then(|| sum / total)
}

fn demand(lipids: &[Lipid<'_>], leaflet: LeafletChoice, proteins_area: f64) -> Demand {
    let of_leaflet = || lipids.iter().filter(|lipid| lipid.table.is_in(leaflet));
    let counted: f64 = of_leaflet().map(|lipid| lipid.table.count.unwrap_or(0) as f64 * lipid.area).sum();
    let shares: f64 = of_leaflet().map(|lipid| lipid.table.share()).sum();
    let area: f64 = of_leaflet().map(|lipid| lipid.table.share() * lipid.area).sum();
    Demand { taken: counted + proteins_area, mean_area: (shares > 0.0).then(|| area / shares) }
}

/// How many of each lipid a leaflet holds.
fn mixture(lipids: &[Lipid<'_>], leaflet: LeafletChoice, shared: u64) -> Vec<u64> {
    let is_here = |lipid: &Lipid<'_>| lipid.table.is_in(leaflet);
    let shares: Vec<f64> = lipids.iter().map(|lipid| if is_here(lipid) { lipid.table.share() } else { 0.0 }).collect();
    let mut counts = counts::largest_remainder(shared, &shares);
    for (count, lipid) in counts.iter_mut().zip(lipids).filter(|(_, lipid)| is_here(lipid)) {
        *count += lipid.table.count.unwrap_or(0);
    }
    counts
}

/// Every kind as often as it is counted, in random order (Fisher and Yates).
pub(super) fn shuffled(counts: &[u64], random: &mut Random) -> Vec<u32> {
    let each = (0..).zip(counts).flat_map(|(kind, &count)| std::iter::repeat_n(kind, count as usize));
    let mut kinds: Vec<u32> = each.collect();
    for last in (1..kinds.len()).rev() {
        let other = (random.unit() * (last + 1) as f64) as usize;
        kinds.swap(last, other.min(last));
    }
    kinds
}

fn described(number: usize, membrane: &Membrane) -> String {
    let [outer, inner] = &membrane.leaflets;
    let shape = match (&*membrane.surface, membrane.patch) {
        (Surface::Sphere { radius, .. }, _) => format!("a sphere of radius {radius:.1} Å"),
        (_, Some([a, b])) => format!("a plane of {a:.1} by {b:.1} Å"),
        _ => format!("a surface of {:.0} Å²", membrane.area_at(0.0)),
    };
    let per_lipid = |leaflet: &LeafletSummary| match leaflet.lipids {
        0 => "none".to_owned(),
        lipids => format!("{lipids} at {:.1} Å²", (leaflet.area - leaflet.proteins_area) / lipids as f64),
    };
    format!("membrane {}: {shape}; lipids outside {}, inside {}", number + 1, per_lipid(outer), per_lipid(inner))
}
