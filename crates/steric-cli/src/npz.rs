//! Scenes as NumPy archives: `positions` (f32, n by 3), `molecules` (u32, n) and `radii` (f32, n), in atom order.
//!
//! How it works: an `.npz` is a zip archive of `.npy` arrays; an `.npy` is a line of Python that says type and shape,
//! padded to 64 bytes, and the numbers.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use glam::{DVec3, Vec3};
use steric::model::{MoleculeId, Pose, Scene};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::failure::Failure;

/// Writes a scene, molecule by molecule, atoms in the order of their type.
pub(crate) fn write(scene: &Scene, out: impl Write + Seek) -> io::Result<()> {
    let mut archive = ZipWriter::new(out);
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    let atoms = scene.atoms();
    let mut array = |name: &str, kind: &str, shape: String, number: &dyn Fn(&Placed, &mut Vec<u8>)| -> io::Result<()> {
        archive.start_file(format!("{name}.npy"), options)?;
        archive.write_all(&header(kind, &shape))?;
        let mut bytes = Vec::new();
        for_each_molecule(scene, |atoms| {
            bytes.clear();
            atoms.iter().for_each(|atom| number(atom, &mut bytes));
            archive.write_all(&bytes)
        })
    };
    array("positions", "<f4", format!("({atoms}, 3)"), &|atom, bytes| {
        atom.position.as_vec3().to_array().iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    })?;
    array("molecules", "<u4", format!("({atoms},)"), &|atom, bytes| bytes.extend(atom.molecule.to_le_bytes()))?;
    array("radii", "<f4", format!("({atoms},)"), &|atom, bytes| bytes.extend(atom.radius.to_le_bytes()))?;
    archive.finish()?.flush()
}

struct Placed {
    molecule: u32,
    position: DVec3,
    radius: f32,
}

fn for_each_molecule(scene: &Scene, mut take: impl FnMut(&[Placed]) -> io::Result<()>) -> io::Result<()> {
    let mut atoms = Vec::new();
    for molecule in 0..scene.molecules().len() as u32 {
        let mut placed: Vec<_> = scene.placed_atoms(MoleculeId(molecule)).collect();
        placed.sort_unstable_by_key(|&(id, ..)| id);
        atoms.clear();
        atoms.extend(placed.into_iter().map(|(_, position, radius)| Placed { molecule, position, radius }));
        take(&atoms)?;
    }
    Ok(())
}

fn header(kind: &str, shape: &str) -> Vec<u8> {
    let mut line = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version and length are ten bytes; the numbers start at a multiple of 64.
    line.extend(std::iter::repeat_n(' ', 63 - (10 + line.len()) % 64));
    line.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((line.len() as u16).to_le_bytes());
    header.extend(line.bytes());
    header
}

/// Reads a scene; atoms of one molecule must stand together.
pub(crate) fn read(path: &Path) -> Result<Scene, Failure> {
    let file = File::open(path).map_err(|error| Failure::io(path, &error))?;
    let wrong = |message: String| Failure::usage(format!("{}: {message}", path.display()));
    let not_npz =
        |error| wrong(format!("expected a scene of `steric build -o FILE.npz`, found another file ({error})"));
    // `steric build` stores plainly and numpy packs a few times at most, so what unpacks to more than this is a bomb.
    let most = file.metadata().map_or(0, |data| data.len()).saturating_mul(200);
    let mut archive = ZipArchive::new(io::BufReader::new(file)).map_err(not_npz)?;
    let mut array = |name: &str, kind: &str, width: usize| -> Result<Vec<[u8; 4]>, Failure> {
        let mut bytes = Vec::new();
        let entry = archive.by_name(&format!("{name}.npy")).map_err(|_| wrong(format!("expected an array {name}")))?;
        entry.take(most).read_to_end(&mut bytes).map_err(|error| Failure::io(path, &error))?;
        numbers(&bytes, kind, width).map_err(|message| wrong(format!("array {name}: {message}")))
    };
    let positions: Vec<f32> = array("positions", "<f4", 3)?.into_iter().map(f32::from_le_bytes).collect();
    let molecules: Vec<u32> = array("molecules", "<u4", 1)?.into_iter().map(u32::from_le_bytes).collect();
    let radii: Vec<f32> = array("radii", "<f4", 1)?.into_iter().map(f32::from_le_bytes).collect();
    if positions.len() != 3 * molecules.len() || radii.len() != molecules.len() {
        return Err(wrong("expected arrays of the same length".to_owned()));
    }
    if !positions.iter().chain(&radii).all(|value| value.is_finite()) {
        return Err(wrong("expected finite numbers, found others".to_owned()));
    }
    if radii.iter().any(|&radius| radius < 0.0) {
        return Err(wrong("expected radii of 0 or more, found negative ones".to_owned()));
    }
    let positions: Vec<Vec3> = positions.chunks_exact(3).map(Vec3::from_slice).collect();
    Ok(scene(&positions, &molecules, &radii))
}

fn numbers(bytes: &[u8], kind: &str, width: usize) -> Result<Vec<[u8; 4]>, String> {
    let version_1 = bytes.get(..8) == Some(b"\x93NUMPY\x01\x00");
    let length = bytes.get(8..10).filter(|_| version_1).map(|two| usize::from(u16::from_le_bytes([two[0], two[1]])));
    let line = length.and_then(|length| bytes.get(10..10 + length)).ok_or("expected a .npy header of version 1.0")?;
    let line = String::from_utf8_lossy(line);
    let shape_fits = if width == 3 { line.contains(", 3)") } else { line.contains(",)") };
    if !line.contains(&format!("'{kind}'")) || line.contains("'fortran_order': True") || !shape_fits {
        let shape = if width == 3 { "(n, 3)" } else { "(n,)" };
        return Err(format!("expected type {kind} and shape {shape} in C order, found {}", line.trim()));
    }
    let (numbers, _) = bytes[10 + line.len()..].as_chunks::<4>();
    Ok(numbers.to_vec())
}

/// A type for each molecule. Its frame stands on the lattice of 1/64 A, so that scenes on that lattice stay exact.
fn scene(positions: &[Vec3], molecules: &[u32], radii: &[f32]) -> Scene {
    let mut scene = Scene::default();
    let mut start = 0;
    for same in molecules.chunk_by(|a, b| a == b) {
        let atoms = start..start + same.len();
        start = atoms.end;
        let positions = &positions[atoms.clone()];
        let middle = positions.iter().map(|position| position.as_dvec3()).sum::<DVec3>() / positions.len() as f64;
        let origin = if positions.len() == 1 { positions[0].as_dvec3() } else { (middle * 64.0).floor() / 64.0 };
        let around: Vec<Vec3> = positions.iter().map(|position| (position.as_dvec3() - origin).as_vec3()).collect();
        let kind = scene.add_type("molecule", &around, &radii[atoms]);
        scene.add_molecule(kind, Pose::from_translation(origin));
    }
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_survives_the_file() {
        let scene = scenes::rods(500);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write(&scene, file.as_file_mut()).unwrap();
        let back = read(file.path()).unwrap();
        assert_eq!((back.atoms(), back.molecules().len()), (500, 10));
        let places = |scene: &Scene| {
            let mut places = Vec::new();
            for_each_molecule(scene, |atoms| {
                places.extend(atoms.iter().map(|atom| (atom.molecule, atom.position, atom.radius)));
                Ok(())
            })
            .unwrap();
            places
        };
        assert_eq!(places(&back), places(&scene));
    }

    #[test]
    fn a_foreign_array_is_refused_with_what_was_expected() {
        let mut array = header("<f8", "(2, 3)");
        array.extend([0; 48]);
        let error = numbers(&array, "<f4", 3).unwrap_err();
        assert!(error.starts_with("expected type <f4 and shape (n, 3)"), "{error}");
        assert!(numbers(b"nonsense", "<f4", 3).is_err());
    }
}
