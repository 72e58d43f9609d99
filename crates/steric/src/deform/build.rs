//! From a scene file to soft bodies.
//!
//! How it works: a shape or a mesh is made once and copied to its places. A mesh from a file is looked at before it becomes a body: what is wrong with it is told by the numbers of its elements.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::{DMat3, DQuat, DVec3};
use steric_collide::{BoxIndexKind, BoxIndexOptions, CellOrder, CellSize, MostCells};
use steric_model::formats::tet_mesh::read_tet_mesh;
use steric_model::{Located, MeshProblem, Random, TetMesh};
use steric_world::deform::{ContactOptions, DeformError, Material, Response, SoftBody, SoftWorld};
use toml::Spanned;

use super::run::{Lead, SoftRun};
use super::scene::{BodyTable, DeformScene, Words};

/// Problems of a mesh that are told one by one.
const TOLD: usize = 5;
/// Tetrahedra of a scene.
const MOST: usize = 20_000_000;
/// Seconds of a step unless the scene says otherwise.
const STEP: f64 = 1.0 / 60.0;

/// Why a scene cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeformSceneError {
    /// The file says something that cannot be.
    #[error(transparent)]
    Scene(#[from] Located),
    /// A mesh that it names cannot be read, or is none.
    #[error("{0}")]
    Mesh(String),
    /// The engine refuses a body.
    #[error("{name}: {source}")]
    Body {
        /// Which.
        name: String,
        /// Why.
        source: DeformError,
    },
}

impl DeformScene {
    /// Meshes from files above a floor, one above the other, each shrunk or grown to a size of a metre and shifted aside a little.
    pub fn dropping(files: &[PathBuf]) -> Result<Self, DeformSceneError> {
        let mut text = String::from("name = \"dropped\"\nfloor = 0.0\n");
        let mut height = 0.05;
        for (file, number) in files.iter().zip(0..) {
            let mesh = from_file(file)?;
            let high = mesh.points.iter().fold(DVec3::NEG_INFINITY, |high, point| high.max(*point));
            let scale = 0.5 / high.max_element();
            height += high.z * scale;
            // Every number is written out, so that the scene file says all.
            let name = toml::Value::String(file.display().to_string());
            let aside = if number % 2 == 0 { 0.0 } else { 0.05 };
            text += &format!(
                "[[body]]\nfile = {name}\nscale = {scale:?}\nat = [{aside:?}, {:?}, {height:?}]\n",
                0.6 * aside
            );
            height += high.z * scale + 0.05;
        }
        Ok(Self::read(&text, Path::new("dropped meshes"))?)
    }

    /// The bodies at their places, at time 0; files that it names lie in a folder. Chance grows from the seed, or from that of the scene.
    pub fn start(&self, folder: &Path, seed: Option<u64>) -> Result<SoftRun, DeformSceneError> {
        let materials = self.materials()?;
        let mut random = Random::new(seed.or(self.table.seed).unwrap_or(1));
        let (mut bodies, mut names, mut words, mut leads) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut points, mut tetrahedra) = (0, 0);
        for spanned in &self.table.body {
            let table = spanned.get_ref();
            let (mesh, name) = self.mesh(table, folder)?;
            let (of_regions, word) = self.materials_of(table, &mesh, &materials)?;
            let copies = table.copies.as_ref().map_or(1, |copies| *copies.get_ref());
            if tetrahedra + copies as usize * mesh.tetrahedra.len() > MOST {
                let found = format!("{copies} copies of {}", mesh.tetrahedra.len());
                return Err(self.wrong(spanned.span(), format!("at most {MOST} tetrahedra in all"), found).into());
            }
            for copy in 0..copies {
                let place = placed(table, copy, &mut random);
                let at: Vec<DVec3> = mesh.points.iter().map(|point| place.0 * *point + place.1).collect();
                let (body, name) = (self.body(at, &mesh, &of_regions), named(&name, copy, copies));
                let mut body = body.map_err(|source| DeformSceneError::Body { name: name.clone(), source })?;
                if let Some(velocity) = &table.velocity {
                    body.velocities.fill(DVec3::from_array(*velocity.get_ref()));
                }
                leads.extend(self.hold(table, &mut body, points)?);
                points += body.positions.len();
                tetrahedra += mesh.tetrahedra.len();
                bodies.push(body);
                names.push(name);
                words.push(word.clone());
            }
        }
        let mut world = SoftWorld::new(self.joined(bodies), self.contact()?);
        world.floor = self.table.floor.as_ref().map(|floor| *floor.get_ref());
        let h = self.table.step.as_ref().map_or(STEP, |step| *step.get_ref());
        Ok(SoftRun { world, h, leads, names, materials: words })
    }

    fn joined(&self, bodies: Vec<SoftBody>) -> SoftBody {
        let mut body = SoftBody::join(bodies);
        if let Some(gravity) = &self.table.gravity {
            body.options.gravity = DVec3::from_array(*gravity.get_ref());
        }
        // What an eye sees of a step: a thousandth.
        body.options.tolerance = self.table.tolerance.as_ref().map_or(1e-3, |tolerance| *tolerance.get_ref());
        body.options.most_iterations = 100;
        body
    }

    fn materials(&self) -> Result<BTreeMap<&str, Material>, Located> {
        let mut materials = BTreeMap::new();
        for spanned in &self.table.material {
            let (table, own) = (spanned.get_ref(), Material::default());
            let material = Material {
                young: table.young.unwrap_or(own.young),
                poisson: table.poisson.unwrap_or(own.poisson),
                density: table.density.unwrap_or(own.density),
                damping: table.damping.unwrap_or(own.damping),
            };
            if let Some((expected, found)) = material.flaw() {
                return Err(self.wrong(spanned.span(), format!("{expected} for {:?}", table.name), found));
            }
            if materials.insert(table.name.as_str(), material).is_some() {
                return Err(self.wrong(spanned.span(), "materials with names of their own", &table.name));
            }
        }
        Ok(materials)
    }

    fn materials_of(
        &self,
        table: &BodyTable,
        mesh: &TetMesh,
        known: &BTreeMap<&str, Material>,
    ) -> Result<(Vec<Material>, String), Located> {
        let regions = mesh.regions.iter().max().map_or(1, |most| *most as usize + 1);
        let Some(spanned) = &table.material else { return Ok((vec![Material::default(); regions], String::new())) };
        let names = match spanned.get_ref() {
            Words::One(name) => vec![name.clone(); regions],
            Words::Several(names) => names.clone(),
        };
        if names.len() < regions {
            let expected = format!("a material for each of {regions} regions");
            return Err(self.wrong(spanned.span(), expected, names.join(", ")));
        }
        let find = |name: &String| {
            let all: Vec<&str> = known.keys().copied().collect();
            let wrong = || self.wrong(spanned.span(), format!("a material that is listed ({})", all.join(", ")), name);
            known.get(name.as_str()).copied().ok_or_else(wrong)
        };
        Ok((names.iter().map(find).collect::<Result<_, _>>()?, names[0].clone()))
    }

    fn mesh(&self, table: &BodyTable, folder: &Path) -> Result<(TetMesh, String), DeformSceneError> {
        let named = |kind: &str| if table.name.is_empty() { kind.to_owned() } else { table.name.clone() };
        let (mesh, name) = if let Some(block) = &table.block {
            let (half, cells) = (DVec3::from_array(block.get_ref().size) * 0.5, block.get_ref().cells);
            (TetMesh::woven(-half, half, cells), named("block"))
        } else if let Some(ball) = &table.ball {
            (TetMesh::ball(ball.get_ref().radius, ball.get_ref().cells), named("ball"))
        } else if let Some(bowl) = &table.bowl {
            let bowl = bowl.get_ref();
            (TetMesh::bowl(bowl.radii, bowl.angle.to_radians(), bowl.cells), named("bowl"))
        } else if let Some(arch) = &table.arch {
            let arch = arch.get_ref();
            (TetMesh::arch(arch.radii, arch.angle.to_radians(), arch.height, arch.cells), named("arch"))
        } else if let Some(file) = &table.file {
            let path = folder.join(file.get_ref());
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            (from_file(&path)?, named(&stem))
        } else {
            return Err(self.wrong(0..0, "a shape or a file for each body", "none").into());
        };
        let scale = table.scale.as_ref().map_or(1.0, |scale| *scale.get_ref());
        Ok((mesh.mapped(|point| point * scale), name))
    }

    fn body(&self, at: Vec<DVec3>, mesh: &TetMesh, materials: &[Material]) -> Result<SoftBody, DeformError> {
        SoftBody::new(at, mesh.tetrahedra.clone(), &mesh.regions, materials)
    }

    /// Holds what is fixed; what is led, with the numbers that its points will have.
    fn hold(&self, table: &BodyTable, body: &mut SoftBody, before: usize) -> Result<Option<Lead>, Located> {
        let is_in = |at: &DVec3| match &table.hold {
            None => table.fixed || table.lead.is_some(),
            Some(corners) => {
                let [one, other] = corners.get_ref().map(DVec3::from_array);
                at.cmpge(one.min(other)).all() && at.cmple(one.max(other)).all()
            }
        };
        let held: Vec<usize> = (0..body.positions.len()).filter(|&point| is_in(&body.positions[point])).collect();
        if let Some(corners) = table.hold.as_ref().filter(|_| held.is_empty()) {
            return Err(self.wrong(corners.span(), "a box with a point of the body in it", "none"));
        }
        for &point in &held {
            body.velocities[point] = DVec3::ZERO;
            body.hold(point);
        }
        let Some(spanned) = &table.lead else { return Ok(None) };
        let (lead, from) = (spanned.get_ref(), held.iter().map(|&point| body.positions[point]).collect::<Vec<_>>());
        let middle = from.iter().sum::<DVec3>() / from.len() as f64;
        Ok(Some(Lead {
            points: held.iter().map(|&point| (before + point) as u32).collect(),
            around: lead.around.map_or(middle, DVec3::from_array),
            from,
            shift: DVec3::from_array(lead.shift),
            turn: DVec3::from_array(lead.turn.map(f64::to_radians)),
            begins: lead.begins,
            lasts: lead.lasts,
        }))
    }

    fn contact(&self) -> Result<ContactOptions, Located> {
        let (table, own) = (&self.table.contact, ContactOptions::default());
        let number = |value: &Option<Spanned<f64>>, own: f64| value.as_ref().map_or(own, |value| *value.get_ref());
        let response = self.choice(table.response.as_ref(), &[("gap", Response::Gap), ("depth", Response::Depth)])?;
        let kinds = [
            ("clusters", BoxIndexKind::Clusters),
            ("basic", BoxIndexKind::Basic),
            ("compact", BoxIndexKind::Compact),
            ("hashing", BoxIndexKind::Hashing),
            ("cuckoo", BoxIndexKind::Cuckoo),
        ];
        let kind = self.choice(table.index.as_ref(), &kinds)?;
        let order = self.choice(table.order.as_ref(), &[("rows", CellOrder::Rows), ("z-curve", CellOrder::ZCurve)])?;
        let sizes = [("mean", CellSize::MeanEdge(1.0)), ("longest", CellSize::LongestEdge)];
        let cell = self.choice(table.cell.as_ref(), &sizes)?;
        let most = match table.most_cells.as_ref().map(|most| (*most.get_ref(), most.span())) {
            None => None,
            Some((27, _)) => Some(MostCells::TwentySeven),
            Some((8, _)) => Some(MostCells::Eight),
            Some((1, _)) => Some(MostCells::One),
            Some((other, span)) => return Err(self.wrong(span, "27, 8 or 1 cells", other)),
        };
        let mut index = BoxIndexOptions { most_cells: most, ..own.index };
        index.kind = kind.unwrap_or(index.kind);
        index.order = order.unwrap_or(index.order);
        index.cell = cell.unwrap_or(index.cell);
        Ok(ContactOptions {
            stiffness: number(&table.stiffness, own.stiffness),
            recovery: number(&table.recovery, own.recovery),
            friction: number(&table.friction, own.friction),
            margin: number(&table.margin, own.margin),
            response: response.unwrap_or(own.response),
            index,
        })
    }

    fn choice<T: Copy>(&self, word: Option<&Spanned<String>>, all: &[(&str, T)]) -> Result<Option<T>, Located> {
        let Some(word) = word else { return Ok(None) };
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        match all.iter().find(|(name, _)| name == word.get_ref()) {
            Some((_, value)) => Ok(Some(*value)),
            None => Err(self.wrong(word.span(), format!("one of {}", names.join(", ")), word.get_ref())),
        }
    }
}

/// A mesh around the middle of its bounds, with tetrahedra the right way round if all of them were the wrong way.
fn from_file(path: &Path) -> Result<TetMesh, DeformSceneError> {
    let mesh = read_tet_mesh(path).map_err(|error| DeformSceneError::Mesh(error.to_string()))?.value.without_unused();
    let inverted = (0..mesh.tetrahedra.len()).filter(|&number| mesh.signed_volume(number) < 0.0).count();
    // Some programs count the corners of every tetrahedron the other way round.
    let mesh = if inverted == mesh.tetrahedra.len() { mesh.oriented().0 } else { mesh };
    // Parts that meet at an edge alone are a body all the same.
    let mut problems = mesh.problems();
    problems.retain(|problem| !matches!(problem, MeshProblem::CrowdedEdge { .. }));
    if mesh.tetrahedra.is_empty() || !problems.is_empty() {
        let told: Vec<String> = problems.iter().take(TOLD).map(ToString::to_string).collect();
        let more = problems.len().saturating_sub(TOLD);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let told = if told.is_empty() { "none".to_owned() } else { told.join("; ") };
        return Err(DeformSceneError::Mesh(format!(
            "{}: expected a body of tetrahedra, found {told}{more}",
            path.display()
        )));
    }
    let [low, high] = mesh
        .points
        .iter()
        .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], point| [low.min(*point), high.max(*point)]);
    Ok(mesh.mapped(|point| point - (low + high) * 0.5))
}

fn placed(table: &BodyTable, copy: u64, random: &mut Random) -> (DMat3, DVec3) {
    let vector = |vector: &Option<Spanned<[f64; 3]>>| {
        vector.as_ref().map_or(DVec3::ZERO, |part| DVec3::from_array(*part.get_ref()))
    };
    let mut turn = DQuat::from_scaled_axis(vector(&table.turn) * std::f64::consts::PI / 180.0);
    let mut at = vector(&table.at) + vector(&table.every) * copy as f64;
    if let Some(scatter) = &table.scatter {
        let mut part = || 2.0 * random.unit() - 1.0;
        at += DVec3::new(part(), part(), 0.0) * scatter.get_ref().shift;
        turn = DQuat::from_rotation_z(part() * scatter.get_ref().turn.to_radians()) * turn;
    }
    (DMat3::from_quat(turn), at)
}

fn named(name: &str, copy: u64, copies: u64) -> String {
    if copies == 1 { name.to_owned() } else { format!("{name} {}", copy + 1) }
}
