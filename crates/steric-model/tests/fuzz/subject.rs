//! What is fuzzed: the formats of molecules, those of skeletons with their clips, those of tetrahedral meshes, and inputs of packmol.

use std::path::Path;

use steric_model::formats::packmol::read_packmol;
use steric_model::formats::rig::read_rig_bytes;
use steric_model::formats::tet_mesh::{self, TetGenFile, VtuData, read_tet_mesh_bytes, read_tetgen, write_vtu};
use steric_model::formats::{Format, read_bytes, write_bytes};
use steric_model::{Parsed, ReadError, Rig, Structure, TetMesh, Turning, Warnings};

use crate::written::{gmsh, others, vtk, vtu};
use crate::{rig_seeds, seeds};

/// The endings of mesh files, each in a list of its own.
const MESHES: [&[&str]; 8] = [&["msh"], &["vtk"], &["vtu"], &["veg"], &["mesh"], &["meshb"], &["node"], &["ele"]];
/// Asking a mesh of more tetrahedra for its surface takes longer than reading it.
const FEW: usize = 100_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Molecule(Format),
    Collada,
    Gltf,
    Glb,
    Packmol,
    /// By its place among the endings.
    Mesh(usize),
}

impl Subject {
    pub(crate) fn all() -> Vec<Self> {
        let molecules = Format::ALL.into_iter().map(Self::Molecule);
        let meshes = (0..MESHES.len()).map(Self::Mesh);
        molecules.chain([Self::Collada, Self::Gltf, Self::Glb, Self::Packmol]).chain(meshes).collect()
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Molecule(format) => format.name(),
            Self::Collada => "Collada",
            Self::Gltf => "glTF",
            Self::Glb => "GLB",
            Self::Packmol => "packmol",
            Self::Mesh(kind) => MESHES[kind][0],
        }
    }

    /// The endings of its files; the usual one first.
    pub(crate) fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Molecule(format) => format.extensions(),
            Self::Collada => &["dae"],
            Self::Gltf => &["gltf"],
            Self::Glb => &["glb"],
            Self::Packmol => &["inp"],
            Self::Mesh(kind) => MESHES[kind],
        }
    }

    pub(crate) fn from_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        let is_other = |subject: &Self| !matches!(subject, Self::Molecule(_)) && subject.endings().contains(&ending);
        Self::all().into_iter().find(is_other).or_else(|| Format::from_path(path).map(Self::Molecule))
    }

    /// Sound files, by name.
    pub(crate) fn seeds(self) -> Vec<(String, Vec<u8>)> {
        let written = match self {
            Self::Molecule(format) => return seeds::seeds(format),
            Self::Collada => vec![rig_seeds::collada()],
            Self::Gltf => vec![rig_seeds::gltf()],
            Self::Glb => vec![rig_seeds::glb()],
            Self::Packmol => vec![seeds::PACKMOL.as_bytes().to_vec()],
            Self::Mesh(kind) => meshes(MESHES[kind][0]),
        };
        let named = |bytes| (format!("{} in this test", self.name()), bytes);
        let mut seeds: Vec<(String, Vec<u8>)> = written.into_iter().map(named).collect();
        seeds.extend(seeds::shared(|path| Self::from_path(path) == Some(self)));
        seeds
    }

    /// Whether a sound file gives nothing.
    pub(crate) fn is_empty(self, bytes: &[u8], path: &Path) -> Result<bool, ReadError> {
        Ok(match self {
            Self::Molecule(format) => {
                let structure = read_bytes(bytes, path, Some(format))?.value;
                structure.atoms.is_empty() && structure.assemblies.is_empty()
            }
            Self::Mesh(kind) => read_mesh(bytes, path, MESHES[kind][0])?.value.tetrahedra.is_empty(),
            Self::Packmol => read_packmol(bytes, path)?.value.structures.is_empty(),
            _ => read_rig_bytes(bytes, path)?.value.clips.is_empty(),
        })
    }

    /// Reads, checks what every result promises, and uses it; returns whether it could be read. `is_forced` tells the reader its
    /// format, where it takes one.
    pub(crate) fn read(self, bytes: &[u8], path: &Path, is_forced: bool) -> bool {
        match self {
            Self::Molecule(format) => {
                checked(read_bytes(bytes, path, is_forced.then_some(format)), path).as_ref().map(write_all).is_some()
            }
            Self::Mesh(kind) => {
                let read =
                    if is_forced { read_mesh(bytes, path, MESHES[kind][0]) } else { read_tet_mesh_bytes(bytes, path) };
                checked(read, path).as_ref().map(write_mesh).is_some()
            }
            Self::Packmol => checked(read_packmol(bytes, path), path).is_some(),
            _ => checked(read_rig_bytes(bytes, path), path).as_ref().map(pose).is_some(),
        }
    }
}

fn checked<T>(parsed: Result<Parsed<T>, ReadError>, path: &Path) -> Option<T> {
    let Parsed { value, warnings } = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            let message = error.to_string();
            // TetGen's files come in pairs, and either can be the wrong one.
            let pair = [path.to_owned(), path.with_extension("node"), path.with_extension("ele")];
            let is_named = pair.iter().any(|path| message.starts_with(&path.display().to_string()));
            assert!(is_named, "an error names the file: {message}");
            assert!(message.len() < 1000, "an error is a sentence, not {} bytes: {message:.100}", message.len());
            return None;
        }
    };
    assert!(warnings.first.len() <= Warnings::KEPT.min(warnings.total), "warnings are counted, not hoarded");
    for warning in warnings.first.iter().map(ToString::to_string) {
        assert!(!warning.is_empty() && warning.len() < 1000, "a warning is a sentence: {warning:.100}");
    }
    Some(value)
}

fn write_all(structure: &Structure) {
    for format in Format::ALL.into_iter().filter(|format| format.is_written()) {
        // A structure that a format cannot hold is refused with an error, which is as good here as a file.
        let _ = write_bytes(format, structure, &mut std::io::sink());
    }
}

fn pose(rig: &Rig) {
    let joints = &rig.skeleton.joints;
    for (index, joint) in joints.iter().enumerate() {
        assert!(joint.parent.is_none_or(|parent| (parent as usize) < index), "parents come first");
        assert!(joint.bind.is_finite(), "a bind is finite");
    }
    assert!(joints.iter().any(|joint| joint.moves_atoms), "something moves atoms");
    let mut in_skins = rig.skins.iter().flat_map(|skin| &skin.joints);
    assert!(in_skins.all(|&joint| joints[joint as usize].moves_atoms), "joints of skins move atoms");
    for clip in &rig.clips {
        assert!(clip.tracks.iter().all(|track| track.is_sound() && (track.joint as usize) < joints.len()));
        let poses = clip.poses(&rig.skeleton, 0.5 * clip.duration, Turning::Slerp);
        assert_eq!(rig.skeleton.motions(&poses).len(), joints.len());
    }
    assert!(rig.skeleton.bones().len() >= joints.iter().filter(|joint| joint.moves_atoms).count());
}

fn write_mesh(mesh: &TetMesh) {
    let regions = [("region", VtuData::Labels(&mesh.regions))];
    let mut out = std::io::sink();
    write_vtu(&mut out, VtuData::DoubleVectors(&mesh.points), &mesh.tetrahedra, &[], &regions).unwrap();
    if mesh.tetrahedra.len() < FEW {
        mesh.problems().iter().for_each(|problem| assert!(problem.to_string().starts_with("expected ")));
        let (mesh, _) = mesh.clone().without_unused().oriented();
        assert!(mesh.surface().len() <= 4 * mesh.tetrahedra.len());
    }
}

fn read_mesh(bytes: &[u8], path: &Path, ending: &str) -> Result<Parsed<TetMesh>, ReadError> {
    let (nodes, elements) = (node(), ele());
    match ending {
        "msh" => tet_mesh::read_msh(bytes, path),
        "vtk" => tet_mesh::read_vtk(bytes, path),
        "vtu" => tet_mesh::read_vtu(bytes, path),
        "veg" => tet_mesh::read_veg(bytes, path),
        "mesh" => tet_mesh::read_medit(bytes, path),
        "meshb" => tet_mesh::read_meshb(bytes, path),
        "node" => read_tetgen(TetGenFile { bytes, path }, TetGenFile { bytes: &elements, path }),
        _ => read_tetgen(TetGenFile { bytes: &nodes, path }, TetGenFile { bytes, path }),
    }
}

fn node() -> Vec<u8> {
    format!("5 3 0 0\n{}", others::rows(1)).into_bytes()
}

fn ele() -> Vec<u8> {
    format!("2 4 1\n{}", others::cells(1, ["7", "9"])).into_bytes()
}

fn meshes(ending: &str) -> Vec<Vec<u8>> {
    match ending {
        "msh" => {
            let mut files =
                [gmsh::msh1(), gmsh::msh2(), gmsh::msh4("4"), gmsh::msh4("4.1")].map(String::into_bytes).to_vec();
            files.extend([false, true].map(gmsh::msh2_binary));
            files.extend([false, true].map(gmsh::msh41_binary));
            files
        }
        "vtk" => vec![vtk::text().into_bytes(), vtk::binary(false), vtk::binary(true)],
        "vtu" => vtu::packings().map(vtu::Packing::file).collect(),
        "veg" => [0, 1].map(|first| others::veg(first).into_bytes()).to_vec(),
        "mesh" => vec![others::medit().into_bytes()],
        "meshb" => (1..=4).flat_map(|version| [others::meshb(version, false), others::meshb(version, true)]).collect(),
        "node" => vec![node()],
        _ => vec![ele()],
    }
}
