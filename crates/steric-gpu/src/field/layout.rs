//! A scene as the arrays that kernels read, on the host.
//!
//! How it works: types are laid out once, cluster after cluster; a molecule is a pose and its range of clusters. Centres are
//! split into whole angstroms from an origin in the middle of the scene and a rest in single precision, so that nothing is
//! lost however large the scene is.

use std::ops::Range;

use glam::{DMat3, DQuat, DVec3, Vec3};
use rayon::prelude::*;
use steric_collide::IndexKind;
use steric_model::{Cluster, Molecule, MoleculeType, Pose, Scene};

use super::grid;
use crate::device::{Gpu, GpuError};
use crate::kernels::{BodyWords, SceneWords, level_kind, mood};

/// What a search or a relaxation asks of a layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Atoms are near when nearer than the sum of their radii and this, in angstroms.
    pub(crate) reach: f32,
    /// How much farther near clusters are looked for at most, in angstroms.
    pub(crate) skin: f32,
    pub(crate) inside_molecules: bool,
    pub(crate) index: IndexKind,
}

/// The arrays of a scene.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) words: SceneWords,
    pub(crate) lanes: u32,
    pub(crate) is_mixed: bool,
    pub(crate) origin: DVec3,
    pub(crate) templates: Vec<[f32; 4]>,
    pub(crate) bounds: Vec<[f32; 4]>,
    pub(crate) sources: Vec<[u32; 2]>,
    pub(crate) near: Vec<[u32; 4]>,
    pub(crate) bodies: Vec<BodyWords>,
    pub(crate) moods: Vec<[u32; 4]>,
    /// The first cluster of each molecule, and the end.
    pub(crate) first_clusters: Vec<u32>,
}

/// Where a type stands in the arrays.
#[derive(Clone, Copy, Debug, Default)]
struct TypePlace {
    template: u32,
    bound: u32,
}

impl Layout {
    /// Lays out these molecules of a scene; the first so many are searched for, the others are only met.
    pub(crate) fn new(scene: &Scene, molecules: &[Molecule], owned: usize, wanted: Wanted) -> Result<Self, GpuError> {
        let atoms: u64 =
            molecules.iter().map(|molecule| u64::from(scene.types()[molecule.kind.0 as usize].atoms)).sum();
        let most = u64::from(u32::MAX / 16);
        if atoms > most * 16 - 64 {
            return Err(GpuError::TooMany { what: "atoms", found: atoms, most: most * 16 - 64 });
        }
        let mut layout = Self { origin: middle(molecules), ..Self::default() };
        let places = layout.lay_out_types(scene, molecules);
        let (least, largest) = layout.radii();
        layout.is_mixed = least < largest;
        layout.words.radius = largest;
        (layout.words.reach, layout.words.inside) = (wanted.reach, wanted.inside_molecules.into());
        layout.words.owned = owned as u32;
        layout.words.molecules = molecules.len() as u32;
        layout.words.atoms = atoms as u32;
        let classes = layout.make_cells(scene, molecules, &places, wanted)?;
        layout.lay_out_molecules(scene, molecules, &places, &classes);
        Ok(layout)
    }

    /// The atoms and clusters of every type that is used.
    fn lay_out_types(&mut self, scene: &Scene, molecules: &[Molecule]) -> Vec<TypePlace> {
        let mut used = vec![false; scene.types().len()];
        molecules.iter().for_each(|molecule| used[molecule.kind.0 as usize] = true);
        let mut longest = 1;
        let mut places = vec![TypePlace::default(); used.len()];
        for (kind, place) in
            scene.types().iter().zip(&mut places).zip(used).filter_map(|(kind, used)| used.then_some(kind))
        {
            *place = TypePlace { template: self.templates.len() as u32, bound: self.bounds.len() as u32 };
            for (cluster, bound) in clusters(scene, kind.clusters.clone()) {
                longest = longest.max(cluster.len());
                self.bounds.push([bound.center.x, bound.center.y, bound.center.z, bound.radius]);
                for lane in 0..cluster.len() {
                    let atom = cluster.atom(lane);
                    self.templates.push([atom.center.x, atom.center.y, atom.center.z, atom.radius]);
                }
            }
        }
        self.lanes = longest.next_power_of_two() as u32;
        places
    }

    fn radii(&self) -> (f32, f32) {
        self.templates.iter().fold((f32::INFINITY, 0f32), |(least, most), atom| (least.min(atom[3]), most.max(atom[3])))
    }

    fn make_cells(
        &mut self,
        scene: &Scene,
        molecules: &[Molecule],
        places: &[TypePlace],
        wanted: Wanted,
    ) -> Result<Vec<(f32, u64)>, GpuError> {
        let mut copies = vec![0u64; places.len()];
        molecules.iter().for_each(|molecule| copies[molecule.kind.0 as usize] += 1);
        let of_type = |((kind, place), &copies): ((&MoleculeType, &TypePlace), &u64)| {
            let clusters = if copies > 0 { kind.clusters.len() } else { 0 };
            let first = place.bound as usize;
            self.bounds[first..first + clusters].iter().map(move |bound| (bound[3], copies))
        };
        let classes = grid::classes(scene.types().iter().zip(places).zip(&copies).flat_map(of_type));
        let far = wanted.reach + wanted.skin;
        let largest = classes.last().map_or(0.0, |class| class.0);
        // Two near clusters with all their atoms are no longer than this; a number of single precision has 24 bits.
        let span = (4.0 * largest + far + 1.0).max(1.0);
        self.words.grain = (span.log2().ceil() - 23.0).exp2();
        let (levels, cells) = match scene.periodic_box() {
            Some(periodic_box) => {
                // Two clusters must not be near in two images at once.
                if periodic_box.widths().min_element() < 2.0 * f64::from(2.0 * largest + far) + 0.5 {
                    return Err(GpuError::OnCpuAlone("a periodic box so small"));
                }
                let inverse = periodic_box.vectors().inverse();
                self.words.fractional = rows(inverse);
                self.words.vectors = rows(periodic_box.vectors().transpose());
                self.words.widths = periodic_box.widths().as_vec3().extend(0.0).to_array();
                grid::periodic_levels(&classes, far, &periodic_box)
            }
            None => {
                let (low, high) = extent(scene, molecules);
                let kind = match wanted.index {
                    IndexKind::Dense => Some(level_kind::DENSE),
                    IndexKind::Wrapped | IndexKind::Sparse => Some(level_kind::WRAPPED),
                    IndexKind::Auto => None,
                };
                grid::open_levels(&classes, far, low - self.origin, high - self.origin, kind)
            }
        };
        if cells >= 1 << 31 {
            return Err(GpuError::TooMany { what: "cells", found: cells, most: 1 << 31 });
        }
        self.words.levels = levels.len() as u32;
        self.words.level[..levels.len()].copy_from_slice(&levels);
        self.words.blocks = (cells + 1).div_ceil(4_096) as u32;
        Ok(classes)
    }

    fn lay_out_molecules(
        &mut self,
        scene: &Scene,
        molecules: &[Molecule],
        places: &[TypePlace],
        classes: &[(f32, u64)],
    ) {
        self.first_clusters.reserve_exact(molecules.len() + 1);
        let mut end = 0u32;
        self.first_clusters.push(0);
        for molecule in molecules {
            end += scene.types()[molecule.kind.0 as usize].clusters.len() as u32;
            self.first_clusters.push(end);
        }
        let of_molecule = |(number, molecule): (usize, &Molecule)| {
            let kind = &scene.types()[molecule.kind.0 as usize];
            let TypePlace { mut template, bound } = places[molecule.kind.0 as usize];
            (bound..).zip(clusters(scene, kind.clusters.clone())).map(move |(place, (own, sphere))| {
                let level = if classes.len() > 1 { grid::class_of(classes, sphere.radius) as u32 } else { 0 };
                let (first, length) = (template, own.len() as u32);
                template += length;
                ([first, place | level << 30], [0, number as u32, 0, length << 28])
            })
        };
        (self.sources, self.near) = molecules.par_iter().enumerate().flat_map_iter(of_molecule).unzip();
        let origin = self.origin;
        let body = |molecule: &Molecule| {
            let mut body = BodyWords {
                mobility: 1.0,
                inverse_gyration: 1.0,
                gyration: 1.0,
                group: u32::MAX,
                ..BodyWords::default()
            };
            set_pose(&mut body, &molecule.pose, origin);
            body
        };
        self.bodies = molecules.par_iter().map(body).collect();
        self.moods = vec![[0, 0, 0, 1 << 16 | mood::MOVED]; molecules.len()];
        self.words.clusters = end;
    }

    /// Marks molecules that stay where they are.
    pub(crate) fn fix(&mut self, fixed: &[bool]) {
        for near in &mut self.near {
            if fixed[near[1] as usize] {
                near[1] |= 1 << 31;
            }
        }
    }

    /// About how many bytes it takes on the GPU.
    pub(crate) fn bytes(&self) -> u64 {
        let [clusters, molecules] = [self.words.clusters, self.words.molecules].map(u64::from);
        let types = 16 * (self.templates.len() + self.bounds.len()) as u64;
        types
            + 16 * clusters * u64::from(self.lanes)
            + clusters * (8 + 16 + 16 + 4 + 16 + 8 + 4 * super::KEPT_NEAR)
            + molecules * (96 + 16)
            + u64::from(self.words.blocks) * (16_384 + 4)
    }

    /// What to say when there is no room for this and so many bytes beside it: how much is needed, and what would fit.
    pub(crate) fn out_of_memory(&self, gpu: &Gpu, beside: u64) -> GpuError {
        let needed = self.bytes() + beside;
        let free = gpu.free_bytes(needed);
        let fits = (u128::from(free) * u128::from(self.words.atoms) / u128::from(needed.max(1))) as u64;
        GpuError::OutOfMemory { needed, fits: Some(fits), what: "atoms".to_owned() }
    }
}

fn clusters(scene: &Scene, range: Range<u32>) -> impl Iterator<Item = (&Cluster, steric_model::Sphere)> {
    let range = range.start as usize..range.end as usize;
    scene.clusters()[range.clone()].iter().zip(scene.bounds()[range].iter().copied())
}

/// Puts a body where a pose says.
pub(crate) fn set_pose(body: &mut BodyWords, pose: &Pose, origin: DVec3) {
    let place = pose.translation - origin;
    let whole = place.round();
    body.whole = whole.as_ivec3().to_array();
    body.part = (place - whole).as_vec3().to_array();
    body.rotation = pose.rotation.as_quat().to_array();
}

/// The pose of a body.
pub(crate) fn pose_of(body: &BodyWords, origin: DVec3) -> Pose {
    let [x, y, z] = body.whole.map(f64::from);
    let [a, b, c, d] = body.rotation.map(f64::from);
    let translation = origin + DVec3::new(x, y, z) + Vec3::from(body.part).as_dvec3();
    // Single precision leaves a length that is off by one part in ten million.
    let rotation = DQuat::from_xyzw(a, b, c, d);
    let length = rotation.length();
    let rotation = if length > 0.0 { rotation * (1.0 / length) } else { DQuat::IDENTITY };
    Pose { rotation, translation }
}

fn rows(matrix: DMat3) -> [[f32; 4]; 3] {
    let columns = matrix.transpose();
    [columns.x_axis, columns.y_axis, columns.z_axis].map(|row| row.as_vec3().extend(0.0).to_array())
}

/// The middle of all centres, in whole angstroms.
fn middle(molecules: &[Molecule]) -> DVec3 {
    let (low, high) = molecules
        .par_iter()
        .map(|molecule| (molecule.pose.translation, molecule.pose.translation))
        .reduce(|| (DVec3::INFINITY, DVec3::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    if low.is_finite() && high.is_finite() { (0.5 * (low + high)).round() } else { DVec3::ZERO }
}

/// A box around the centres of all clusters.
fn extent(scene: &Scene, molecules: &[Molecule]) -> (DVec3, DVec3) {
    let of_molecule = |molecule: &Molecule| {
        let bound = scene.types()[molecule.kind.0 as usize].bound;
        let center = molecule.pose * bound.center.as_dvec3();
        (center - f64::from(bound.radius), center + f64::from(bound.radius))
    };
    molecules
        .par_iter()
        .map(of_molecule)
        .reduce(|| (DVec3::INFINITY, DVec3::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)))
}
