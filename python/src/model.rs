//! Molecules: read, made of arrays, checked, written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use glam::{DMat3, Vec3};
use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use steric::check::{CheckOptions, Input};
use steric::model::chemistry::{BondGraph, ClashDefinition, RadiiSet};
use steric::model::{
    AtomRecord, Element, MoleculeOptions, Name, PeriodicBox, Structure, StructureBuilder, Warnings, formats,
};
use steric::save::{SaveError, write_model};

use crate::arrays::{Positions, points_array, rows};
use crate::{errors, work};

/// Atoms with their names, residues and chains, a box, and copies.
#[pyclass(module = "steric", frozen)]
pub(crate) struct Model {
    pub(crate) input: Arc<Input>,
}

impl Model {
    pub(crate) fn of(name: &str, structure: Structure) -> Self {
        Self { input: Arc::new(Input::new(name, structure, Warnings::default())) }
    }

    fn atoms(&self) -> &steric::model::Atoms {
        &self.input.structure.atoms
    }

    /// The residue of an atom.
    fn residue(&self, atom: usize) -> &steric::model::Residue {
        &self.input.structure.residues[self.atoms().residues[atom] as usize]
    }
}

#[pymethods]
impl Model {
    /// Made of what is known about each atom.
    #[staticmethod]
    #[pyo3(name = "_from_columns", signature = (name, positions, elements, names, residue_names, residue_numbers, chains, hetero, bonds=None, r#box=None))]
    #[expect(clippy::too_many_arguments, reason = "the package calls it")]
    fn from_columns(
        name: &str,
        positions: &Bound<'_, PyAny>,
        elements: Vec<String>,
        names: Vec<String>,
        residue_names: Vec<String>,
        residue_numbers: Vec<i32>,
        chains: Vec<String>,
        hetero: Vec<bool>,
        bonds: Option<PyReadonlyArray2<'_, i64>>,
        r#box: Option<[[f64; 3]; 3]>,
    ) -> PyResult<Self> {
        let array = Positions::new(positions)?;
        let points = array.points()?;
        let count = points.len();
        let lengths =
            [elements.len(), names.len(), residue_names.len(), residue_numbers.len(), chains.len(), hetero.len()];
        if lengths != [count; 6] {
            return Err(errors::value(format!("expected {count} of everything, one for each atom, found {lengths:?}")));
        }
        let mut builder = StructureBuilder::new(name, count);
        for atom in 0..count {
            let position = points.at(atom);
            if !(position.is_finite() && position.abs().max_element() <= 1e9) {
                return Err(errors::value(format!(
                    "expected coordinates that are numbers within 1e9 angstroms, found {position} at atom {atom}"
                )));
            }
            builder.push(AtomRecord {
                position: position.as_vec3(),
                element: Element::from_symbol(&elements[atom]).unwrap_or(Element::UNKNOWN),
                name: Name::new(&names[atom]),
                serial: (atom as i32).wrapping_add(1),
                occupancy: 1.0,
                residue_name: Name::new(&residue_names[atom]),
                residue_number: residue_numbers[atom],
                hetero: hetero[atom],
                chain: &chains[atom],
                ..AtomRecord::default()
            });
        }
        let mut structure = builder.finish();
        if let Some(bonds) = bonds {
            for row in bonds.as_array().rows() {
                let [first, second] = [row[0], row[row.len() - 1]].map(|atom| u32::try_from(atom).ok());
                let is_there = |atom: &u32| (*atom as usize) < count;
                let (Some(first), Some(second)) = (first.filter(is_there), second.filter(is_there)) else {
                    return Err(errors::value(format!(
                        "expected bonds between atoms 0 to {}, found {row}",
                        count.saturating_sub(1)
                    )));
                };
                if first != second {
                    structure.bonds.push(steric::model::Bond {
                        first: first.min(second),
                        second: first.max(second),
                        order: 1,
                    });
                }
            }
        }
        structure.periodic_box = r#box.and_then(|vectors| PeriodicBox::new(DMat3::from_cols_array_2d(&vectors)));
        Ok(Self::of(name, structure))
    }

    fn __len__(&self) -> usize {
        self.atoms().len()
    }

    fn __repr__(&self) -> String {
        let structure = &self.input.structure;
        let copies: usize =
            structure.assemblies.first().map_or(0, |first| first.copies.iter().map(|one| one.poses.len()).sum());
        let copies = if copies > 0 { format!(", {copies} copies in the first assembly") } else { String::new() };
        format!(
            "<steric.Model {}: {} atoms, {} residues, {} chains{copies}>",
            self.input.name(),
            structure.atoms.len(),
            structure.residues.len(),
            structure.chains.len()
        )
    }

    /// What it is called: the name of its file.
    #[getter]
    fn name(&self) -> String {
        self.input.name()
    }

    /// Its file as it was named.
    #[getter]
    fn path(&self) -> PathBuf {
        self.input.path.clone()
    }

    /// Where the atoms are, in angstroms: a new array of shape ``(n, 3)``, float32.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        points_array(py, self.atoms().positions.iter().map(|position| position.to_array()).collect())
    }

    /// Symbols of the elements, one for each atom.
    #[getter]
    fn elements(&self) -> Vec<&'static str> {
        self.atoms().elements.iter().map(|element| element.symbol()).collect()
    }

    /// Names of the atoms.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.atoms().names.iter().map(Name::as_str).collect()
    }

    /// The name of each atom's residue.
    #[getter]
    fn residue_names(&self) -> Vec<&str> {
        (0..self.atoms().len()).map(|atom| self.residue(atom).name.as_str()).collect()
    }

    /// The number of each atom's residue: int32.
    #[getter]
    fn residue_numbers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        PyArray1::from_vec(py, (0..self.atoms().len()).map(|atom| self.residue(atom).number).collect())
    }

    /// Which residue each atom belongs to, counted from 0: int64.
    #[getter]
    fn residues<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_vec(py, self.atoms().residues.iter().map(|&residue| i64::from(residue)).collect())
    }

    /// The name of each atom's chain.
    #[getter]
    fn chains(&self) -> Vec<&str> {
        let chains = &self.input.structure.chains;
        (0..self.atoms().len()).map(|atom| chains[self.residue(atom).chain as usize].name.as_str()).collect()
    }

    /// Bonds that the file states, as numbers of atoms: int64 of shape ``(n, 2)``.
    #[getter]
    fn bonds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let bonds = &self.input.structure.bonds;
        rows(py, bonds.iter().map(|bond| [i64::from(bond.first), i64::from(bond.second)]).collect())
    }

    /// Vectors of the periodic box as rows, in angstroms, or ``None``.
    #[getter]
    fn r#box<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let periodic_box = self.input.structure.periodic_box;
        periodic_box.map(|own| rows(py, own.vectors().to_cols_array_2d().to_vec())).transpose()
    }

    /// How many copies each assembly asks for, by its name.
    #[getter]
    fn assemblies(&self) -> BTreeMap<String, usize> {
        let assemblies = &self.input.structure.assemblies;
        let copies = |one: &steric::model::Assembly| one.copies.iter().map(|copies| copies.poses.len()).sum();
        assemblies.iter().map(|one| (one.id.clone(), copies(one))).collect()
    }

    /// How many models the file holds.
    #[getter]
    fn model_count(&self) -> usize {
        self.input.structure.models.len()
    }

    /// What was odd about the file, in sentences; at most the first twenty.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.input.warnings.first.iter().map(ToString::to_string).collect()
    }

    /// The same atoms elsewhere.
    fn with_positions(&self, positions: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array = Positions::new(positions)?;
        let points = array.points()?;
        if points.len() != self.atoms().len() {
            return Err(errors::value(format!("expected {} positions, found {}", self.atoms().len(), points.len())));
        }
        let mut structure = self.input.structure.clone();
        for (atom, position) in structure.atoms.positions.iter_mut().enumerate() {
            let new = points.at(atom);
            if !(new.is_finite() && new.abs().max_element() <= 1e9) {
                return Err(errors::value(format!(
                    "expected coordinates that are numbers within 1e9 angstroms, found {new} at atom {atom}"
                )));
            }
            *position = new.as_vec3();
        }
        Ok(Self { input: Arc::new(Input::new(self.input.path.clone(), structure, self.input.warnings.clone())) })
    }

    /// Every copy of an assembly as atoms of its own.
    #[pyo3(signature = (assembly=None, *, most=50_000_000))]
    fn expand(&self, py: Python<'_>, assembly: Option<&str>, most: usize) -> PyResult<Self> {
        let structure = &self.input.structure;
        let found = match assembly {
            None => structure.assemblies.first(),
            Some(id) => structure.assemblies.iter().find(|one| one.id == id),
        };
        let known = || structure.assemblies.iter().map(|one| one.id.as_str()).collect::<Vec<_>>().join(", ");
        let found = match (found, assembly) {
            (Some(found), _) => found,
            (None, None) => return Ok(Self { input: Arc::clone(&self.input) }),
            (None, Some(id)) => return Err(errors::value(format!("expected an assembly ({}), found {id:?}", known()))),
        };
        let flat = work::quick(|| py.detach(|| structure.flat(found, most)))?.map_err(errors::value)?;
        Ok(Self { input: Arc::new(Input::new(self.input.path.clone(), flat, Warnings::default())) })
    }

    /// Writes a file, format by its ending; returns how many atoms it describes.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<u64> {
        let structure = &self.input.structure;
        work::quick(|| py.detach(|| write_model(&path, structure)))?.map_err(|error| match error {
            SaveError::Write(steric::model::WriteError::Io { path, source }) => errors::io(&path, &source),
            other => errors::value(other),
        })
    }

    /// The bytes of a file in a format such as ``"pdb"`` or ``"cif"``.
    #[pyo3(signature = (format="pdb"))]
    fn to_bytes<'py>(&self, py: Python<'py>, format: &str) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
        let path = PathBuf::from(format!("{}.{}", self.input.name(), format.trim_start_matches('.')));
        let bytes = steric::save::model_bytes(&path, &self.input.structure).map_err(errors::value)?;
        Ok(pyo3::types::PyBytes::new(py, &bytes))
    }
}

/// Reads a molecule file of any known format, plain or gzipped.
#[pyfunction]
pub(crate) fn read(py: Python<'_>, path: PathBuf) -> PyResult<Model> {
    let stop = Arc::new(AtomicBool::new(false));
    let pool = work::pool(py, None)?;
    let read = work::owned(py, &pool, &stop, move || Input::read(path), work::nothing)?;
    Ok(Model { input: Arc::new(read.map_err(|error| errors::read(py, error))?) })
}

/// Radii of a set for every atom of a model, in angstroms.
#[pyfunction]
#[pyo3(name = "_radii_of")]
pub(crate) fn radii_of<'py>(py: Python<'py>, model: &Model, set: &str) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let set: RadiiSet = set.parse().map_err(errors::value)?;
    let structure = &model.input.structure;
    let radii = work::quick(|| py.detach(|| set.radii(structure, &BondGraph::new(structure))))?;
    Ok(PyArray1::from_vec(py, radii))
}

/// What counts as a molecule, in words.
pub(crate) fn molecule_options(molecules: &str, assembly: Option<&str>, periodic: &str) -> PyResult<MoleculeOptions> {
    Ok(MoleculeOptions {
        by: molecules.parse().map_err(errors::value)?,
        assembly: assembly.map(str::parse).transpose().map_err(errors::value)?.unwrap_or_default(),
        periodic: periodic.parse().map_err(errors::value)?,
    })
}

type Checked<'py> = (String, Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<i64>>, Bound<'py, PyArray1<f32>>);

/// Checks models: a report as JSON, and for each pair both files and atoms, both molecules, and the depth.
#[pyfunction]
#[pyo3(name = "_check", signature = (models, clash, molecules, assembly, periodic, top, threads))]
#[expect(clippy::too_many_arguments, reason = "the package calls it")]
pub(crate) fn check<'py>(
    py: Python<'py>,
    models: Vec<PyRef<'py, Model>>,
    clash: (String, f32),
    molecules: &str,
    assembly: Option<&str>,
    periodic: &str,
    top: usize,
    threads: Option<i64>,
) -> PyResult<Checked<'py>> {
    let clash = match clash.0.as_str() {
        "tolerance" => ClashDefinition::Tolerance(clash.1),
        "chimerax" => ClashDefinition::ChimeraX,
        "molprobity" => ClashDefinition::MolProbity,
        set => ClashDefinition::Radii { set: set.parse().map_err(errors::value)?, allow: clash.1 },
    };
    let options = CheckOptions { molecules: molecule_options(molecules, assembly, periodic)?, clash, top };
    let inputs: Vec<Arc<Input>> = models.iter().map(|model| Arc::clone(&model.input)).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let job = move || {
        // The library takes files side by side; one that nobody else holds is not copied.
        let inputs: Vec<Input> =
            inputs.into_iter().map(|input| Arc::try_unwrap(input).unwrap_or_else(|held| (*held).clone())).collect();
        steric::check::check(&inputs, &options).map(|report| {
            let text = serde_json::to_string(&report);
            let mut origins = Vec::with_capacity(report.pairs().len());
            let mut molecules = Vec::with_capacity(report.pairs().len());
            for pair in report.pairs() {
                let [first, second] = [pair.first, pair.second].map(|atom| report.scene().origin(atom));
                origins.push([first.file, first.atom, second.file, second.atom].map(i64::from));
                molecules.push([pair.first.molecule.0, pair.second.molecule.0].map(i64::from));
            }
            let depths: Vec<f32> = report.pairs().iter().map(|pair| pair.depth).collect();
            (text, origins, molecules, depths)
        })
    };
    let pool = work::pool(py, threads)?;
    let (text, origins, molecules, depths) =
        work::owned(py, &pool, &stop, job, work::nothing)?.map_err(errors::value)?;
    Ok((text.map_err(errors::value)?, rows(py, origins)?, rows(py, molecules)?, PyArray1::from_vec(py, depths)))
}

/// A file of any known format; the path serves messages.
pub(crate) fn read_structure(py: Python<'_>, path: &Path) -> PyResult<Structure> {
    work::quick(|| py.detach(|| formats::read(path)))?.map(|read| read.value).map_err(|error| errors::read(py, error))
}

/// Points in single precision.
pub(crate) fn singles(points: &[Vec3]) -> Vec<[f32; 3]> {
    points.iter().map(|point| point.to_array()).collect()
}
