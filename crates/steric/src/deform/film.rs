//! Soft bodies as files: a series for ParaView, or one scene that moves for Blender.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use steric_model::file_beside;
use steric_model::formats::tet_mesh::{VtuData, write_pvd, write_vtu};

use super::glb::Glb;
use super::run::SoftRun;

/// Frames of a run, in a format by the ending of a file: `.vtu` becomes a series `name-0000.vtu`, …, a list of them `name.pvd`, and the last state as `name.vtu`; `.glb` one file with everything.
///
/// ```
/// use steric::deform::{DeformScene, Frames};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("cube.vtu");
/// let text = "[[body]]\nblock = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }\n";
/// let mut run = DeformScene::read(text, "cube.toml".as_ref())?.start("".as_ref(), None)?;
/// let mut frames = Frames::create(&path)?;
/// frames.frame(&run)?;
/// run.step();
/// frames.frame(&run)?;
/// let written = frames.finish(&run)?;
/// assert!(written.ends_with("cube.pvd") && path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Frames {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Times and names so far.
    Vtu(Vec<(f64, String)>),
    Glb(Box<Glb>),
}

impl Frames {
    /// For a file that ends in `.vtu` or `.glb`.
    pub fn create(path: &Path) -> io::Result<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        let kind = match ending.as_str() {
            "vtu" => Kind::Vtu(Vec::new()),
            "glb" => Kind::Glb(Box::default()),
            _ => {
                let text = format!("{}: expected a file that ends in .vtu or .glb, found {ending:?}", path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
        };
        Ok(Self { path: path.to_owned(), kind })
    }

    /// Writes how the bodies are.
    pub fn frame(&mut self, run: &SoftRun) -> io::Result<()> {
        match &mut self.kind {
            Kind::Vtu(files) => {
                let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
                let name = format!("{stem}-{:04}.vtu", files.len());
                write_whole(&self.path.with_file_name(&name), |out| write_state(out, run))?;
                files.push((run.world.time(), name));
                Ok(())
            }
            Kind::Glb(glb) => glb.frame(run),
        }
    }

    /// Writes what belongs to all frames; the file to open.
    pub fn finish(self, run: &SoftRun) -> io::Result<PathBuf> {
        match self.kind {
            Kind::Vtu(files) => {
                write_whole(&self.path, |out| write_state(out, run))?;
                let list = self.path.with_extension("pvd");
                let files: Vec<(f64, &str)> = files.iter().map(|(time, name)| (*time, name.as_str())).collect();
                write_whole(&list, |out| write_pvd(out, &files))?;
                Ok(list)
            }
            Kind::Glb(glb) => {
                write_whole(&self.path, |out| glb.write(out, run))?;
                Ok(self.path)
            }
        }
    }
}

fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut std::fs::File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = file_beside(path)?;
    let mut out = BufWriter::new(file.as_file_mut());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    file.persist(path).map(|_| ()).map_err(|error| error.error)
}

fn write_state(out: &mut impl Write, run: &SoftRun) -> io::Result<()> {
    let body = &run.world.body;
    let touching: Vec<f32> = run.world.touching().iter().map(|&touches| f32::from(u8::from(touches))).collect();
    let velocities: Vec<glam::Vec3> = body.velocities.iter().map(|velocity| velocity.as_vec3()).collect();
    let mut bodies = vec![0u32; body.tetrahedra().len()];
    for (part, number) in body.parts().iter().zip(0..) {
        bodies[part.tetrahedra.clone()].fill(number);
    }
    let point_data = [("touching", VtuData::Scalars(&touching)), ("velocity", VtuData::Vectors(&velocities))];
    let cell_data = [("body", VtuData::Labels(&bodies))];
    write_vtu(out, VtuData::DoubleVectors(&body.positions), body.tetrahedra(), &point_data, &cell_data)
}
