//! Scenes as glTF 2.0 binary files, for Blender.
//!
//! How it works: a type is one mesh of small spheres, and a molecule is a node that places the mesh of its type, so that ten
//! thousand copies of a protein cost ten thousand nodes. Molecules that have a colour of their own share the mesh of their
//! type but for the colours of its corners. The sphere of every atom has the same normals and, counted from its first corner,
//! the same triangles: both are in the file once, as long as the largest type needs, and each mesh uses the front of them.
//! A surface is a mesh and a material of its own. What one looks through has a material for its opacity.
//! JSON and numbers are written as they are made; the lengths in the header are filled in at the end.

mod json;
mod plan;
mod sheet;
#[cfg(test)]
mod tests;

use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use steric_model::Scene;

use crate::{Colours, Surface};
use plan::Plan;

/// Why a glTF file could not be written.
///
/// ```
/// use steric_model::Scene;
/// use steric_view::{Colours, write_glb};
///
/// let error = write_glb(&Scene::default(), &Colours::default(), &[], "empty.glb".as_ref()).unwrap_err();
/// assert_eq!(error.to_string(), "empty.glb: expected an atom or a surface that can be seen, found none");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GlbError {
    /// There is nothing to draw.
    #[error("{}: expected an atom or a surface that can be seen, found none", file.display())]
    Empty {
        /// The file as the caller named it.
        file: PathBuf,
    },
    /// The file would be too large to be opened, even with the plainest spheres.
    #[error(
        "{}: expected at most {:.1} GB, found {:.1} GB for {atoms} atoms of different types or colours with 20 triangles each \
         and {triangles} triangles of surfaces; leave out molecules or colour by atom",
        file.display(), *most as f64 / 1e9, *bytes as f64 / 1e9
    )]
    TooLarge {
        /// The file as the caller named it.
        file: PathBuf,
        /// How many bytes it would have, about.
        bytes: u64,
        /// How many it may have.
        most: u64,
        /// Atoms in all meshes.
        atoms: u64,
        /// Triangles of surfaces.
        triangles: u64,
    },
    /// The colours are those of another scene.
    #[error("{}: expected {expected} colours of {what}, found {found}", file.display())]
    Colours {
        /// The file as the caller named it.
        file: PathBuf,
        /// What they colour.
        what: String,
        /// How many the scene wants.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A place that is not a number.
    #[error("{}: expected finite coordinates, found others in {what}", file.display())]
    NotFinite {
        /// The file as the caller named it.
        file: PathBuf,
        /// Which molecule, type or surface.
        what: String,
    },
    /// The operating system refused.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file as the caller named it.
        file: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
}

/// Writes a scene and surfaces as a glTF 2.0 binary file (`.glb`), which Blender and most viewers open. The file appears whole or not at all.
///
/// A unit of the file is ten angstroms, and z stays up in Blender. Atoms are spheres of 80 triangles; of 20 in types of more
/// than 2,000 atoms, in scenes of more than 200,000, and where the file would be larger than about 1 GB.
/// A molecule's own colour goes before those of its atoms. Opacities of molecules are rounded to hundredths; what is then not to be
/// seen is left out. Surfaces are seen from both sides.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{Pose, Scene};
/// use steric_view::{Colours, write_glb};
///
/// let mut scene = Scene::default();
/// let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
/// scene.add_molecule(argon, Pose::IDENTITY);
/// scene.add_molecule(argon, Pose::from_translation(DVec3::X * 4.0));
/// let colours = Colours { atoms: vec![vec![[128, 209, 227]]], molecules: vec![None; 2], ..Colours::default() };
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("argon.glb");
/// write_glb(&scene, &colours, &[], &path)?;
/// assert!(std::fs::read(&path)?.starts_with(b"glTF"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_glb(scene: &Scene, colours: &Colours, surfaces: &[Surface], path: &Path) -> Result<(), GlbError> {
    let plan = Plan::new(scene, colours, surfaces, path)?;
    let failed = |source| GlbError::Io { file: path.to_path_buf(), source };
    let mut temporary = steric_model::file_beside(path).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 18, temporary.as_file_mut());
    write(&plan, &mut out).map_err(failed)?;
    drop(out);
    temporary.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Bytes of the header, and of the head of each of the two chunks.
const HEADER: u64 = 12;
const CHUNK_HEAD: u64 = 8;

fn write(plan: &Plan<'_>, out: &mut (impl Write + Seek)) -> io::Result<()> {
    out.write_all(&[0; (HEADER + CHUNK_HEAD) as usize])?;
    json::write(plan, out)?;
    // Chunks end at multiples of four; JSON may end with blanks.
    let end = out.stream_position()?;
    let padding = end.next_multiple_of(4) - end;
    out.write_all(&b"   "[..padding as usize])?;
    let json_end = end + padding;
    out.write_all(&length(plan.bytes())?)?;
    out.write_all(b"BIN\0")?;
    plan.write_numbers(out)?;
    let file_end = out.stream_position()?;
    assert_eq!(file_end, json_end + CHUNK_HEAD + plan.bytes(), "as many bytes are written as were announced");
    out.seek(SeekFrom::Start(0))?;
    out.write_all(b"glTF")?;
    out.write_all(&2_u32.to_le_bytes())?;
    out.write_all(&length(file_end)?)?;
    out.write_all(&length(json_end - HEADER - CHUNK_HEAD)?)?;
    out.write_all(b"JSON")?;
    out.flush()
}

fn length(bytes: u64) -> io::Result<[u8; 4]> {
    let bytes = u32::try_from(bytes).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    Ok(bytes.to_le_bytes())
}
