//! A figure as the bytes of a GLB file.
//!
//! How it works: the JSON says how long every array is, so it is made first and the numbers are written as they are worked out. All of it goes
//! into a temporary file beside the one that is wanted, which is renamed at the end.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use glam::{DMat4, Vec3};
use steric_model::{Sphere, file_beside};

use super::ExportError;
use super::ball::Ball;
use super::document::Document;
use super::figure::{Figure, detail};

/// Bytes of the header, and of the head of each of the two chunks.
const HEADER: usize = 12;
const CHUNK_HEAD: usize = 8;

/// Writes a figure to a file, which appears whole or not at all.
pub(super) fn write(figure: &Figure, path: &Path) -> Result<(), ExportError> {
    let ball = Ball::new(detail(figure.spheres.len()));
    let ends = ends(figure, &ball);
    if !ends.iter().all(|end| end.is_finite()) {
        return Err(ExportError::NotFinite { file: path.to_path_buf(), what: "places of atoms".to_owned() });
    }
    let failed = |source| ExportError::Io { file: path.to_path_buf(), source };
    let mut temporary = file_beside(path).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 18, temporary.as_file_mut());
    write_to(figure, &ball, ends, &mut out).map_err(failed)?;
    drop(out);
    temporary.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

fn write_to(figure: &Figure, ball: &Ball, ends: [Vec3; 2], out: &mut impl Write) -> io::Result<()> {
    let document = Document::new(figure, ball, ends);
    let mut json = serde_json::to_vec(&document)?;
    // Chunks end at multiples of four; JSON may end with blanks.
    json.resize(json.len().next_multiple_of(4), b' ');
    out.write_all(b"glTF")?;
    out.write_all(&2_u32.to_le_bytes())?;
    out.write_all(&length(HEADER + 2 * CHUNK_HEAD + json.len() + document.bytes())?)?;
    out.write_all(&length(json.len())?)?;
    out.write_all(b"JSON")?;
    out.write_all(&json)?;
    out.write_all(&length(document.bytes())?)?;
    out.write_all(b"BIN\0")?;
    let mut counted = Counted { out, bytes: 0 };
    write_numbers(figure, ball, &mut counted)?;
    assert_eq!(counted.bytes, document.bytes(), "as many bytes are written as were announced");
    counted.out.flush()
}

fn length(bytes: usize) -> io::Result<[u8; 4]> {
    let bytes = u32::try_from(bytes).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    Ok(bytes.to_le_bytes())
}

/// In the order of the document's views.
fn write_numbers(figure: &Figure, ball: &Ball, out: &mut impl Write) -> io::Result<()> {
    for sphere in &figure.spheres {
        out.write_all(&little(corners(sphere, ball).flat_map(|corner| corner.to_array())))?;
    }
    let normals = little(ball.corners.iter().flat_map(|normal| normal.to_array()));
    figure.spheres.iter().try_for_each(|_| out.write_all(&normals))?;
    let count = ball.corners.len();
    for [red, green, blue] in &figure.colours {
        out.write_all(&[*red, *green, *blue, 255].repeat(count))?;
    }
    for shares in &figure.shares {
        let joints: Vec<u8> = shares.iter().flat_map(|(slot, _)| slot.to_le_bytes()).collect();
        out.write_all(&joints.repeat(count))?;
    }
    for shares in &figure.shares {
        out.write_all(&little(shares.iter().map(|(_, weight)| *weight)).repeat(count))?;
    }
    for sphere in 0..figure.spheres.len() {
        let first = (sphere * count) as u32;
        let triangles = ball.triangles.as_flattened().iter().flat_map(|corner| (first + corner).to_le_bytes());
        out.write_all(&triangles.collect::<Vec<u8>>())?;
    }
    for (_, joint_from_world) in &figure.bound {
        out.write_all(&little(DMat4::from(*joint_from_world).as_mat4().to_cols_array().into_iter()))?;
    }
    for animation in &figure.animations {
        let values = animation.channels.iter().map(|channel| &channel.values);
        for numbers in animation.times.iter().chain(values) {
            out.write_all(&little(numbers.iter().copied()))?;
        }
    }
    Ok(())
}

fn corners<'a>(sphere: &'a Sphere, ball: &'a Ball) -> impl Iterator<Item = Vec3> {
    ball.corners.iter().map(|&normal| sphere.center + sphere.radius * normal)
}

/// The box around all corners, as they are written.
fn ends(figure: &Figure, ball: &Ball) -> [Vec3; 2] {
    let all = figure.spheres.iter().flat_map(|sphere| corners(sphere, ball));
    all.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], corner| [low.min(corner), high.max(corner)])
}

fn little(numbers: impl Iterator<Item = f32>) -> Vec<u8> {
    numbers.flat_map(f32::to_le_bytes).collect()
}

/// Counts what goes through it.
struct Counted<'a, W> {
    out: &'a mut W,
    bytes: usize,
}

impl<W: Write> Write for Counted<'_, W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.out.write(buffer)?;
        self.bytes += written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
