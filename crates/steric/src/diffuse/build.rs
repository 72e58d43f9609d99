//! From a scene file to particles in a box.
//!
//! How it works: species become spheres, or rigid molecules of the spheres of their heavy atoms. Places come from a file or are found at random. What the engine refuses
//! afterwards (an overlap, no room) is told with the name of the file.

use std::path::Path;

use glam::DVec3;
use steric_model::chemistry::{BondGraph, RadiiSet, is_hydrogen, is_water};
use steric_model::formats::mesh::read_mesh;
use steric_model::{Located, Structure, formats};
use steric_world::diffuse::{
    Bounds, Decay, DiffuseError as EngineError, DiffuseOptions, Edge, Motion, Obstacle, Particle, Rule, Setup, Species,
    Strategy, Then, Triangles, fill, heat,
};
use toml::Spanned;

use super::TimeUnit;
use super::scene::{DiffuseScene, ObstacleTable, RuleTable, SpeciesTable, Words};

/// Why a scene cannot be simulated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiffuseError {
    /// The file says something that cannot be.
    #[error(transparent)]
    Scene(#[from] Located),
    /// A file that it names cannot be read.
    #[error("{0}")]
    File(String),
    /// The engine refuses.
    #[error("{name}: {source}")]
    Engine {
        /// What was to be simulated.
        name: String,
        /// Why it cannot be.
        source: EngineError,
    },
}

/// What the command line may say otherwise than the file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wishes {
    /// What everything random grows from.
    pub seed: Option<u64>,
    /// How pairs that may meet are found.
    pub strategy: Option<Strategy>,
}

impl DiffuseScene {
    /// The unit of its times.
    pub fn time_unit(&self) -> Result<TimeUnit, Located> {
        self.word(self.table.time_unit.as_ref())
    }

    /// The particles in their box; files that it names lie in a folder.
    pub fn setup(&self, folder: &Path, wishes: &Wishes) -> Result<Setup, DiffuseError> {
        let table = &self.table;
        let unit = self.time_unit()?;
        let species: Vec<Species> =
            table.species.iter().map(|one| self.species(one.get_ref(), unit, folder)).collect::<Result<_, _>>()?;
        let mut setup = Setup::new(self.bounds()?, species);
        setup.dimensions = table.edges.get_ref().len();
        setup.motion = self.motion()?;
        setup.options = self.options(wishes)?;
        setup.rules = table.rule.iter().map(|rule| self.rule(rule.get_ref())).collect::<Result<_, _>>()?;
        for decay in table.decay.iter().map(Spanned::get_ref) {
            let kind = self.kind(decay.of.get_ref(), decay.of.span())?;
            let into = decay.into.iter().map(|name| self.kind(name, decay.of.span())).collect::<Result<_, _>>()?;
            setup.decays.push(Decay { kind, rate: *decay.rate.get_ref(), into });
        }
        for obstacle in table.obstacle.iter().map(Spanned::get_ref) {
            setup.obstacles.push(self.obstacle(obstacle, folder)?);
        }
        self.place(&mut setup, folder)?;
        Ok(setup)
    }

    pub(super) fn options(&self, wishes: &Wishes) -> Result<DiffuseOptions, Located> {
        let table = &self.table;
        Ok(DiffuseOptions {
            seed: wishes.seed.or(table.seed).unwrap_or(1),
            time_step: *table.time_step.get_ref(),
            response: self.word(table.response.as_ref())?,
            strategy: wishes.strategy.map_or_else(|| self.word(table.strategy.as_ref()), Ok)?,
            offenders: self.word(table.offenders.as_ref())?,
            inside: self.word(table.inside.as_ref())?,
            cell: table.cell.as_ref().map(|cell| *cell.get_ref()),
        })
    }

    pub(super) fn bounds(&self) -> Result<Bounds, Located> {
        let edges = self.table.edges.get_ref();
        let mut bounds = Bounds { low: DVec3::ZERO, high: DVec3::ONE, edges: [Edge::Periodic; 3] };
        edges.iter().enumerate().for_each(|(axis, edge)| bounds.high[axis] = *edge);
        let Some(boundary) = &self.table.boundary else { return Ok(bounds) };
        let words: Vec<&str> = match boundary.get_ref() {
            Words::One(word) => vec![word; edges.len()],
            Words::Several(words) => words.iter().map(String::as_str).collect(),
        };
        if words.len() != edges.len() {
            let expected = format!("one word, or {}, one for each axis", edges.len());
            return Err(self.wrong(boundary.span(), expected, format!("{words:?}")));
        }
        for (edge, word) in bounds.edges.iter_mut().zip(words) {
            *edge = word.parse().map_err(|_| self.wrong(boundary.span(), "periodic, reflecting or absorbing", word))?;
        }
        Ok(bounds)
    }

    pub(super) fn motion(&self) -> Result<Motion, Located> {
        self.word(self.table.motion.as_ref())
    }

    /// A word that means something, or what is meant without one.
    pub(super) fn word<T: std::str::FromStr<Err = String> + Default>(
        &self,
        word: Option<&Spanned<String>>,
    ) -> Result<T, Located> {
        let Some(word) = word else { return Ok(T::default()) };
        word.get_ref().parse().map_err(|error: String| {
            let expected = error.strip_prefix("expected ").unwrap_or(&error);
            let expected = expected.split(", found").next().unwrap_or(expected);
            self.wrong(word.span(), expected, word.get_ref())
        })
    }

    fn species(&self, table: &SpeciesTable, unit: TimeUnit, folder: &Path) -> Result<Species, DiffuseError> {
        let given = |number: &Option<Spanned<f64>>| number.as_ref().map(|number| *number.get_ref());
        let diffusion = given(&table.diffusion)
            .or_else(|| given(&table.diffusion_um2_s).map(|number| unit.square_angstroms(number)))
            .unwrap_or(0.0);
        let name = table.name.get_ref();
        let mut species = match &table.molecule {
            Some(molecule) => self.molecule(name, molecule, diffusion, folder)?,
            None => Species::sphere(name, given(&table.radius).unwrap_or(1.0), diffusion),
        };
        if let Some(mass) = given(&table.mass) {
            species.mass = mass;
        }
        if let Some(rotational) = given(&table.rotational_diffusion) {
            species.rotational_diffusion = rotational;
        }
        let field = match self.motion()? {
            Motion::Brownian => &self.table.drift,
            Motion::Ballistic => &self.table.acceleration,
        };
        if let Some(field) = field {
            field.get_ref().iter().enumerate().for_each(|(axis, push)| species.drift[axis] = *push);
        }
        if let Some(trap) = self.table.trap.as_ref().map(Spanned::get_ref) {
            let mut center = DVec3::ZERO;
            trap.center.iter().enumerate().for_each(|(axis, place)| center[axis] = *place);
            species.trap = Some((center, trap.pull));
        }
        Ok(species)
    }

    /// A rigid molecule: an embedded one by its name, or a file.
    fn molecule(
        &self,
        name: &str,
        wanted: &Spanned<String>,
        diffusion: f64,
        folder: &Path,
    ) -> Result<Species, DiffuseError> {
        let structure = match scenes::molecule(wanted.get_ref()) {
            Some(embedded) => embedded.structure(),
            None => {
                let path = folder.join(wanted.get_ref());
                formats::read(&path).map_err(|error| DiffuseError::File(error.to_string()))?.value
            }
        };
        let atoms = spheres(&structure);
        if atoms.is_empty() {
            let expected = "a molecule with heavy atoms that are no water";
            return Err(self.wrong(wanted.span(), expected, wanted.get_ref()).into());
        }
        Ok(Species::molecule(name, &atoms, diffusion))
    }

    fn rule(&self, table: &RuleTable) -> Result<Rule, Located> {
        let [first, second] = table.between.get_ref();
        let span = table.between.span();
        let (first, second) = (self.kind(first, span.clone())?, self.kind(second, span)?);
        let probability = table.probability.as_ref().map_or(1.0, |number| *number.get_ref());
        let then = match table.then.get_ref() {
            Words::One(word) if word == "bind" => Then::Bind {
                at_most: table.most.as_ref().map_or(u32::MAX, |most| *most.get_ref()),
                breaks: table.unbinds.as_ref().map_or(0.0, |rate| *rate.get_ref()),
            },
            Words::One(word) if word == "vanish" => Then::Vanish,
            Words::One(word) => Then::Merge(self.kind(word, table.then.span())?),
            Words::Several(words) => {
                let kind = |at: usize| self.kind(words.get(at).map_or("", String::as_str), table.then.span());
                Then::Become(kind(0)?, kind(1)?)
            }
        };
        Ok(Rule { first, second, probability, then })
    }

    fn obstacle(&self, table: &ObstacleTable, folder: &Path) -> Result<Obstacle, DiffuseError> {
        let at = |place: &[f64; 3]| DVec3::from_array(*place);
        Ok(match table {
            ObstacleTable::Plane { point, normal } => Obstacle::Plane { point: at(point), normal: at(normal) },
            ObstacleTable::Sphere { center, radius } => Obstacle::Sphere { center: at(center), radius: *radius },
            ObstacleTable::Cavity { center, radius } => Obstacle::Cavity { center: at(center), radius: *radius },
            ObstacleTable::Cylinder { from, to, radius } => {
                Obstacle::Cylinder { from: at(from), to: at(to), radius: *radius }
            }
            ObstacleTable::Tube { point, axis, radius } => {
                Obstacle::Tube { point: at(point), axis: at(axis), radius: *radius }
            }
            ObstacleTable::Box { low, high } => Obstacle::Box { low: at(low), high: at(high) },
            ObstacleTable::Mesh { file } => {
                let mesh = read_mesh(&folder.join(file)).map_err(|error| DiffuseError::File(error.to_string()))?.value;
                let corner = |at: u32| mesh.vertices[at as usize];
                Obstacle::Mesh(Triangles::new(mesh.triangles.iter().map(|corners| corners.map(corner)).collect()))
            }
        })
    }

    /// Puts the particles into the box: those that have places first, the others at random around them.
    fn place(&self, setup: &mut Setup, folder: &Path) -> Result<(), DiffuseError> {
        let mut counts = vec![0; setup.species.len()];
        for (kind, table) in self.table.species.iter().map(Spanned::get_ref).enumerate() {
            if let Some(file) = &table.places {
                let path = folder.join(file.get_ref());
                let places = places(&path, setup.dimensions)?;
                setup.particles.extend(places.into_iter().map(|at| Particle {
                    kind: kind as u16,
                    at,
                    velocity: DVec3::ZERO,
                }));
            } else if let Some(fraction) = &table.fraction {
                let own = size(&setup.species[kind], setup.dimensions);
                counts[kind] = (fraction.get_ref() * setup.bounds.volume(setup.dimensions) / own).round() as usize;
            } else {
                counts[kind] = table.count.as_ref().map_or(0, |count| *count.get_ref() as usize);
            }
        }
        let engine = |source| DiffuseError::Engine { name: self.file.display().to_string(), source };
        if counts.iter().any(|&count| count > 0) {
            let particles = fill(setup, &counts).map_err(engine)?;
            setup.particles = particles;
        }
        if setup.motion == Motion::Ballistic {
            let speeds: Vec<f64> = self
                .table
                .species
                .iter()
                .map(|one| one.get_ref().speed.as_ref().map_or(1.0, |speed| *speed.get_ref()))
                .collect();
            heat(setup, &speeds);
        }
        Ok(())
    }
}

/// Volume of a particle, or the area of a disc.
fn size(species: &Species, dimensions: usize) -> f64 {
    use std::f64::consts::PI;
    match (dimensions, species.atoms.is_empty()) {
        (2, _) => PI * species.radius.powi(2),
        (_, true) => 4.0 / 3.0 * PI * species.radius.powi(3),
        // Atoms overlap those they are bound to, so their own volumes are too much; a protein fills about 1.35 Å³ a dalton, 18 Å³ an atom.
        (_, false) => 18.0 * species.atoms.len() as f64,
    }
}

/// Heavy atoms that are no water, around their middle, with Bondi's radii.
fn spheres(structure: &Structure) -> Vec<(DVec3, f64)> {
    let radii = RadiiSet::Bondi.radii(structure, &BondGraph::new(structure));
    let model = structure.models.iter().find(|model| !model.atoms.is_empty());
    let atoms = model.map_or(0..structure.atoms.len() as u32, |model| model.atoms.clone());
    let is_water = |atom: usize| {
        structure.residues.get(structure.atoms.residues[atom] as usize).is_some_and(|residue| is_water(residue.name))
    };
    let kept: Vec<usize> = atoms
        .map(|atom| atom as usize)
        .filter(|&atom| !is_hydrogen(structure.atoms.elements[atom]) && !is_water(atom))
        .collect();
    let places: Vec<DVec3> = kept.iter().map(|&atom| structure.atoms.positions[atom].as_dvec3()).collect();
    let middle = places.iter().sum::<DVec3>() / places.len().max(1) as f64;
    places.iter().zip(kept).map(|(&place, atom)| (place - middle, f64::from(radii[atom]))).collect()
}

/// Places of a file: two or three numbers on a line, with a heading or without.
fn places(path: &Path, dimensions: usize) -> Result<Vec<DVec3>, DiffuseError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| DiffuseError::File(format!("{}: {error}", path.display())))?;
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let words: Vec<&str> = line.split([',', ' ', '\t', ';']).filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            continue;
        }
        let numbers: Option<Vec<f64>> =
            words.iter().map(|word| word.parse().ok().filter(|number: &f64| number.is_finite())).collect();
        match numbers.as_deref() {
            Some(&[x, y]) if dimensions == 2 => all.push(DVec3::new(x, y, 0.0)),
            Some(&[x, y, z]) if dimensions == 3 => all.push(DVec3::new(x, y, z)),
            None if all.is_empty() && number == 0 => {}
            _ => {
                let expected = format!("{dimensions} numbers of angstroms");
                return Err(Located {
                    path: path.to_owned(),
                    place: steric_model::Place::Line(number + 1, None),
                    expected,
                    found: line.to_owned(),
                }
                .into());
            }
        }
    }
    Ok(all)
}
