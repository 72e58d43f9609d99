//! What goes into a glTF file, and where.
//!
//! How it works: the numbers are four arrays, one behind the other: normals, positions, triangles, colours. In each of the first three
//! those of surfaces stand behind those of molecules. Sizes follow from the detail of each type, so the detail is chosen
//! before anything is written.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use glam::{DVec3, Vec3};
use steric_model::{Molecule, Scene, Sphere};
use steric_world::animate::{Ball, BallDetail};

use super::GlbError;
use super::sheet::Sheet;
use crate::{Colours, Surface};

/// Larger types, and all types of larger scenes, are drawn plainly.
const FINE_TYPE: u32 = 2_000;
const FINE_SCENE: u64 = 200_000;
/// Of a file; glTF itself ends at 4 GiB, as its lengths have 32 bits.
const MOST_BYTES: u64 = 1_000_000_000;
/// About what a node, a mesh and a type add to the JSON.
const NODE_BYTES: u64 = 150;
const MESH_BYTES: u64 = 240;
const SHAPE_BYTES: u64 = 400;
const SHEET_BYTES: u64 = 900;

/// A type that is used: the positions of its corners.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) kind: usize,
    pub(super) detail: BallDetail,
    pub(super) atoms: u64,
    /// Corner of the box around all corners, as they are written.
    pub(super) low: Vec3,
    pub(super) high: Vec3,
}

/// A type in the colours of its atoms, or in one of its molecules.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mesh {
    /// Number of its shape.
    pub(super) shape: usize,
    pub(super) colour: Option<[u8; 3]>,
    /// Number of its opacity, which is that of its material.
    pub(super) material: usize,
}

/// Everything that is written.
pub(super) struct Plan<'a> {
    pub(super) scene: &'a Scene,
    colours: &'a Colours,
    pub(super) shapes: Vec<Shape>,
    pub(super) meshes: Vec<Mesh>,
    /// In hundredths, each once: a material for every molecule would make Blender slow.
    pub(super) opacities: Vec<u8>,
    pub(super) sheets: Vec<Sheet<'a>>,
    /// The mesh of each molecule that can be seen, in the order of molecules.
    pub(super) nodes: Vec<(Molecule, u32)>,
    /// Of the scene, in angstroms; nodes are placed from here, as they have coordinates of 32 bits.
    pub(super) middle: DVec3,
    balls: [Ball; 2],
    /// The atoms of the largest type of each detail, which decide how long normals and triangles are.
    most_atoms: [u64; 2],
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        scene: &'a Scene,
        colours: &'a Colours,
        surfaces: &'a [Surface],
        path: &Path,
    ) -> Result<Self, GlbError> {
        check(scene, colours, path)?;
        let middle = middle(scene, surfaces);
        let mut plan = Self {
            scene,
            colours,
            shapes: Vec::new(),
            meshes: Vec::new(),
            opacities: Vec::new(),
            sheets: Sheet::all(surfaces, middle, path)?,
            nodes: Vec::new(),
            middle,
            balls: [Ball::new(BallDetail::Fine), Ball::new(BallDetail::Plain)],
            most_atoms: [0; 2],
        };
        plan.find_meshes();
        if plan.nodes.is_empty() && plan.sheets.is_empty() {
            return Err(GlbError::Empty { file: path.to_path_buf() });
        }
        plan.choose(path, MOST_BYTES)?;
        plan.measure(path)?;
        Ok(plan)
    }

    /// Numbers what differs in type, colour or opacity, and gives each molecule its own.
    fn find_meshes(&mut self) {
        let mut numbers: BTreeMap<(u32, Option<[u8; 3]>, u8), u32> = BTreeMap::new();
        let mut shape_of = BTreeMap::new();
        let fine_scene = self.scene.atoms() <= FINE_SCENE;
        for (number, (&molecule, &colour)) in self.scene.molecules().iter().zip(&self.colours.molecules).enumerate() {
            let kind = molecule.kind.0;
            let atoms = self.scene.types()[kind as usize].atoms;
            let opacity = self.colours.opacities.get(number).map_or(100, |part| (part * 100.0).round() as u8).min(100);
            if atoms == 0 || opacity == 0 {
                continue;
            }
            let shape = *shape_of.entry(kind).or_insert_with(|| {
                let fine = fine_scene && atoms <= FINE_TYPE;
                let detail = if fine { BallDetail::Fine } else { BallDetail::Plain };
                let (kind, atoms) = (kind as usize, u64::from(atoms));
                self.shapes.push(Shape { kind, detail, atoms, low: Vec3::INFINITY, high: Vec3::NEG_INFINITY });
                self.shapes.len() - 1
            });
            let mesh = *numbers.entry((kind, colour, opacity)).or_insert_with(|| {
                let known = self.opacities.iter().position(|&known| known == opacity);
                let material = known.unwrap_or_else(|| {
                    self.opacities.push(opacity);
                    self.opacities.len() - 1
                });
                self.meshes.push(Mesh { shape, colour, material });
                self.meshes.len() as u32 - 1
            });
            self.nodes.push((molecule, mesh));
        }
    }

    /// Draws all types plainly where the file would be too large otherwise.
    pub(super) fn choose(&mut self, path: &Path, most: u64) -> Result<(), GlbError> {
        self.find_largest();
        if self.file_bytes() > most {
            self.shapes.iter_mut().for_each(|shape| shape.detail = BallDetail::Plain);
            self.find_largest();
        }
        let bytes = self.file_bytes();
        if bytes > most {
            let atoms = self.meshes.iter().map(|mesh| self.shapes[mesh.shape].atoms).sum();
            let triangles = self.sheets.iter().map(|sheet| sheet.triangles).sum();
            return Err(GlbError::TooLarge { file: path.to_path_buf(), bytes, most, atoms, triangles });
        }
        Ok(())
    }

    fn file_bytes(&self) -> u64 {
        let [nodes, meshes, shapes, sheets] =
            [self.nodes.len(), self.meshes.len(), self.shapes.len(), self.sheets.len()].map(|count| count as u64);
        self.bytes() + nodes * NODE_BYTES + meshes * MESH_BYTES + shapes * SHAPE_BYTES + sheets * SHEET_BYTES
    }

    /// Finds the boxes, which the file has to name.
    fn measure(&mut self, path: &Path) -> Result<(), GlbError> {
        let mut shapes = std::mem::take(&mut self.shapes);
        for shape in &mut shapes {
            let (mut low, mut high, mut finite) = (shape.low, shape.high, true);
            self.each_corner(shape, |corner, _| {
                (low, high) = (low.min(corner), high.max(corner));
                finite &= corner.is_finite();
            });
            (shape.low, shape.high) = (low, high);
            if !finite {
                let what = format!("type {} ({})", shape.kind, self.scene.types()[shape.kind].name);
                return Err(GlbError::NotFinite { file: path.to_path_buf(), what });
            }
        }
        self.shapes = shapes;
        Ok(())
    }

    pub(super) fn ball(&self, detail: BallDetail) -> &Ball {
        &self.balls[detail as usize]
    }

    /// How many corners a shape has.
    pub(super) fn corners(&self, shape: &Shape) -> u64 {
        shape.atoms * self.ball(shape.detail).corners.len() as u64
    }

    /// How many numbers of corners the triangles of a shape have.
    pub(super) fn indices(&self, shape: &Shape) -> u64 {
        shape.atoms * 3 * self.ball(shape.detail).triangles.len() as u64
    }

    fn find_largest(&mut self) {
        self.most_atoms = [0; 2];
        for shape in &self.shapes {
            let most = &mut self.most_atoms[shape.detail as usize];
            *most = shape.atoms.max(*most);
        }
    }

    /// The atoms of the largest type that is drawn so.
    fn most_atoms(&self, detail: BallDetail) -> u64 {
        self.most_atoms[detail as usize]
    }

    /// Bytes of normals, positions and triangles of molecules: where those of surfaces begin in their arrays.
    pub(super) fn of_molecules(&self) -> [u64; 3] {
        let [fine, plain] = [BallDetail::Fine, BallDetail::Plain].map(|detail| {
            let (atoms, ball) = (self.most_atoms(detail), self.ball(detail));
            [atoms * 12 * ball.corners.len() as u64, atoms * 12 * ball.triangles.len() as u64]
        });
        let positions = self.shapes.iter().map(|shape| 12 * self.corners(shape)).sum();
        [fine[0] + plain[0], positions, fine[1] + plain[1]]
    }

    /// Bytes of normals, positions, triangles and colours.
    pub(super) fn arrays(&self) -> [u64; 4] {
        let [normals, positions, triangles] = self.of_molecules();
        let of_sheets = |count: fn(&Sheet<'_>) -> u64| 12 * self.sheets.iter().map(count).sum::<u64>();
        let vertices = of_sheets(|sheet| sheet.vertices);
        let colours = self.meshes.iter().map(|mesh| 4 * self.corners(&self.shapes[mesh.shape])).sum();
        [normals + vertices, positions + vertices, triangles + of_sheets(|sheet| sheet.triangles), colours]
    }

    /// Bytes of all numbers.
    pub(super) fn bytes(&self) -> u64 {
        self.arrays().iter().sum()
    }

    /// Where normals and triangles of this detail begin in their arrays.
    pub(super) fn shared_at(&self, detail: BallDetail) -> [u64; 2] {
        match detail {
            BallDetail::Fine => [0, 0],
            BallDetail::Plain => {
                let (atoms, ball) = (self.most_atoms(BallDetail::Fine), self.ball(BallDetail::Fine));
                [atoms * 12 * ball.corners.len() as u64, atoms * 12 * ball.triangles.len() as u64]
            }
        }
    }

    /// Writes the four arrays.
    pub(super) fn write_numbers(&self, out: &mut impl Write) -> io::Result<()> {
        for detail in [BallDetail::Fine, BallDetail::Plain] {
            for _ in 0..self.most_atoms(detail) {
                out.write_all(&little(self.ball(detail).corners.iter().flat_map(|normal| normal.to_array())))?;
            }
        }
        self.sheets.iter().try_for_each(|sheet| sheet.write_normals(out))?;
        for shape in &self.shapes {
            self.each_atom(shape, |sphere, _| {
                let corners = self.ball(shape.detail).corners.iter();
                out.write_all(&little(corners.flat_map(|&normal| corner(sphere, normal).to_array())))
            })?;
        }
        self.sheets.iter().try_for_each(|sheet| sheet.write_positions(out))?;
        for detail in [BallDetail::Fine, BallDetail::Plain] {
            let ball = self.ball(detail);
            for atom in 0..self.most_atoms(detail) {
                let first = (atom * ball.corners.len() as u64) as u32;
                let corners = ball.triangles.as_flattened().iter().flat_map(|corner| (first + corner).to_le_bytes());
                out.write_all(&corners.collect::<Vec<_>>())?;
            }
        }
        self.sheets.iter().try_for_each(|sheet| sheet.write_triangles(out))?;
        self.meshes.iter().try_for_each(|mesh| self.write_colours(mesh, out))
    }

    fn write_colours(&self, mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
        let shape = &self.shapes[mesh.shape];
        let corners = self.ball(shape.detail).corners.len();
        let atoms = &self.colours.atoms[shape.kind];
        self.each_atom(shape, |_, atom| {
            let [red, green, blue] = mesh.colour.unwrap_or(atoms[atom as usize]).map(linear);
            out.write_all(&[red, green, blue, 255].repeat(corners))
        })
    }

    /// Visits the atoms of a shape in the order of the file: each with its number in the type.
    fn each_atom(&self, shape: &Shape, mut visit: impl FnMut(Sphere, u32) -> io::Result<()>) -> io::Result<()> {
        let clusters = self.scene.types()[shape.kind].clusters.clone();
        for cluster in &self.scene.clusters()[clusters.start as usize..clusters.end as usize] {
            for lane in 0..cluster.len() {
                visit(cluster.atom(lane), cluster.atoms[lane])?;
            }
        }
        Ok(())
    }

    fn each_corner(&self, shape: &Shape, mut visit: impl FnMut(Vec3, u32)) {
        let visited = self.each_atom(shape, |sphere, atom| {
            self.ball(shape.detail).corners.iter().for_each(|&normal| visit(corner(sphere, normal), atom));
            Ok(())
        });
        assert!(visited.is_ok(), "nothing is written here that could fail");
    }
}

/// Checks that colours and places are those of a scene that can be drawn.
fn check(scene: &Scene, colours: &Colours, path: &Path) -> Result<(), GlbError> {
    let same = |what: String, expected: usize, found: usize| match expected == found {
        true => Ok(()),
        false => Err(GlbError::Colours { file: path.to_path_buf(), what, expected, found }),
    };
    same("molecules".to_owned(), scene.molecules().len(), colours.molecules.len())?;
    same("types".to_owned(), scene.types().len(), colours.atoms.len())?;
    for (kind, colours) in scene.types().iter().zip(&colours.atoms) {
        same(format!("atoms of {}", kind.name), kind.atoms as usize, colours.len())?;
    }
    let odd = scene
        .molecules()
        .iter()
        .position(|Molecule { pose, .. }| !pose.translation.is_finite() || !pose.rotation.is_finite());
    odd.map_or(Ok(()), |odd| Err(GlbError::NotFinite { file: path.to_path_buf(), what: format!("molecule {odd}") }))
}

/// Of the box around the origins of all molecules and around all surfaces.
fn middle(scene: &Scene, surfaces: &[Surface]) -> DVec3 {
    let molecules = scene.molecules().iter().map(|molecule| molecule.pose.translation);
    let places = molecules.chain(surfaces.iter().flat_map(|surface| surface.mesh.vertices.iter().copied()));
    let ends = places.map(|place| (place, place)).reduce(|(low, high), (place, _)| (low.min(place), high.max(place)));
    ends.map_or(DVec3::ZERO, |(low, high)| (low + high) / 2.0)
}

fn corner(sphere: Sphere, normal: Vec3) -> Vec3 {
    sphere.center + sphere.radius * normal
}

pub(super) fn little(numbers: impl Iterator<Item = f32>) -> Vec<u8> {
    numbers.flat_map(f32::to_le_bytes).collect()
}

/// A shade of sRGB (IEC 61966-2-1) in proportion to its light.
pub(super) fn linear(shade: u8) -> u8 {
    (light(shade) * 255.0).round() as u8
}

/// The light of a shade of sRGB, 0 to 1.
pub(super) fn light(shade: u8) -> f32 {
    let shade = f32::from(shade) / 255.0;
    if shade <= 0.04045 { shade / 12.92 } else { ((shade + 0.055) / 1.055).powf(2.4) }
}
