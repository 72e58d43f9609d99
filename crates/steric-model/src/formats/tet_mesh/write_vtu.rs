//! VTU files that ParaView and meshio open, and the PVD file that makes a film of them.
//!
//! How it works: all arrays stand as raw little-endian bytes behind the XML, each after its length in 64 bits, and the XML tells where
//! each begins. Nothing is packed: a simulation writes many such files, and its disk is faster than its processor.

use std::io::{self, Write};

use glam::{DVec3, Vec3};

/// One value for each point or each tetrahedron.
///
/// ```
/// use steric_model::formats::tet_mesh::VtuData;
///
/// let stress = VtuData::Scalars(&[0.5, 0.25]);
/// assert_eq!((stress.len(), stress.is_empty()), (2, false));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum VtuData<'a> {
    /// A number each.
    Scalars(&'a [f32]),
    /// A number of double precision each.
    DoubleScalars(&'a [f64]),
    /// A vector each.
    Vectors(&'a [Vec3]),
    /// A vector of double precision each.
    DoubleVectors(&'a [DVec3]),
    /// A label each, such as the region of a tetrahedron.
    Labels(&'a [u32]),
}

impl VtuData<'_> {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Scalars(values) => values.len(),
            Self::DoubleScalars(values) => values.len(),
            Self::Vectors(values) => values.len(),
            Self::DoubleVectors(values) => values.len(),
            Self::Labels(values) => values.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// VTK's name of the type, its size in bytes, and how many numbers a value has.
    fn layout(&self) -> (&'static str, usize, usize) {
        match self {
            Self::Scalars(_) => ("Float32", 4, 1),
            Self::DoubleScalars(_) => ("Float64", 8, 1),
            Self::Vectors(_) => ("Float32", 4, 3),
            Self::DoubleVectors(_) => ("Float64", 8, 3),
            Self::Labels(_) => ("UInt32", 4, 1),
        }
    }

    fn bytes(&self) -> usize {
        let (_, size, components) = self.layout();
        self.len() * size * components
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&(self.bytes() as u64).to_le_bytes())?;
        match self {
            Self::Scalars(values) => values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes())),
            Self::DoubleScalars(values) => values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes())),
            Self::Labels(values) => values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes())),
            Self::Vectors(values) => values
                .iter()
                .flat_map(|value| value.to_array())
                .try_for_each(|value| out.write_all(&value.to_le_bytes())),
            Self::DoubleVectors(values) => values
                .iter()
                .flat_map(|value| value.to_array())
                .try_for_each(|value| out.write_all(&value.to_le_bytes())),
        }
    }
}

/// Writes tetrahedra with the data of their points and of themselves; points are [`VtuData::Vectors`] or
/// [`VtuData::DoubleVectors`]. The writer is given many small pieces, so it should be a buffered one.
///
/// ```
/// use steric_model::TetMesh;
/// use steric_model::formats::tet_mesh::{VtuData, read_vtu, write_vtu};
///
/// let cube = TetMesh::block(glam::DVec3::ZERO, glam::DVec3::ONE, [2, 2, 2]);
/// let speed = vec![0.0; cube.points.len()];
/// let (point_data, cell_data) = ([("speed", VtuData::Scalars(&speed))], [("region", VtuData::Labels(&cube.regions))]);
/// let mut file = Vec::new();
/// write_vtu(&mut file, VtuData::DoubleVectors(&cube.points), &cube.tetrahedra, &point_data, &cell_data)?;
/// assert_eq!(read_vtu(&file, "block.vtu".as_ref())?.value, cube);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_vtu(
    out: &mut impl Write,
    points: VtuData,
    tetrahedra: &[[u32; 4]],
    point_data: &[(&str, VtuData)],
    cell_data: &[(&str, VtuData)],
) -> io::Result<()> {
    check(points, tetrahedra, point_data, cell_data)?;
    let mut offset = 0;
    let (cells, length) = (tetrahedra.len(), points.len());
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    writeln!(
        out,
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
    )?;
    writeln!(out, "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{length}\" NumberOfCells=\"{cells}\">")?;
    write_section(out, "Points", &[("Points", points)], &mut offset)?;
    writeln!(out, "<Cells>")?;
    for (name, kind, bytes) in
        [("connectivity", "Int32", cells * 16), ("offsets", "Int64", cells * 8), ("types", "UInt8", cells)]
    {
        write_tag(out, name, (kind, 1), bytes, &mut offset)?;
    }
    writeln!(out, "</Cells>")?;
    write_section(out, "PointData", point_data, &mut offset)?;
    write_section(out, "CellData", cell_data, &mut offset)?;
    write!(out, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_")?;
    points.write(out)?;
    write_cells(out, tetrahedra)?;
    point_data.iter().chain(cell_data).try_for_each(|(_, data)| data.write(out))?;
    writeln!(out, "\n</AppendedData>\n</VTKFile>")
}

/// Writes the list of the files of a film with the time of each, in the order given.
///
/// ```
/// use steric_model::formats::tet_mesh::write_pvd;
///
/// let mut file = Vec::new();
/// write_pvd(&mut file, &[(0.0, "liver-0000.vtu"), (0.5, "liver-0001.vtu")])?;
/// assert!(String::from_utf8_lossy(&file).contains("<DataSet timestep=\"0.5\" part=\"0\" file=\"liver-0001.vtu\"/>"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_pvd(out: &mut impl Write, files: &[(f64, &str)]) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    writeln!(out, "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>")?;
    for (time, file) in files {
        writeln!(out, "<DataSet timestep=\"{time}\" part=\"0\" file=\"{}\"/>", escaped(file))?;
    }
    writeln!(out, "</Collection>\n</VTKFile>")
}

fn check(
    points: VtuData,
    tetrahedra: &[[u32; 4]],
    point_data: &[(&str, VtuData)],
    cell_data: &[(&str, VtuData)],
) -> io::Result<()> {
    if !matches!(points, VtuData::Vectors(_) | VtuData::DoubleVectors(_)) {
        return Err(refused("points are vectors".to_owned()));
    }
    let most = points.len().min(i32::MAX as usize);
    if let Some(corner) = tetrahedra.iter().flatten().find(|&&corner| corner as usize >= most) {
        return Err(refused(format!("there is no point {corner} among the {} points", points.len())));
    }
    let expected = [(point_data, points.len(), "points"), (cell_data, tetrahedra.len(), "tetrahedra")];
    for (data, length, what) in expected {
        if let Some((name, values)) = data.iter().find(|(_, values)| values.len() != length) {
            return Err(refused(format!("{name:?} has {} values for {length} {what}", values.len())));
        }
    }
    Ok(())
}

fn refused(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

fn write_section(out: &mut impl Write, name: &str, arrays: &[(&str, VtuData)], offset: &mut usize) -> io::Result<()> {
    writeln!(out, "<{name}>")?;
    for (array, data) in arrays {
        let (kind, _, components) = data.layout();
        write_tag(out, array, (kind, components), data.bytes(), offset)?;
    }
    writeln!(out, "</{name}>")
}

fn write_tag(
    out: &mut impl Write,
    name: &str,
    (kind, components): (&str, usize),
    bytes: usize,
    offset: &mut usize,
) -> io::Result<()> {
    let (name, at) = (escaped(name), *offset);
    *offset += bytes + 8;
    let layout = format!("type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\"");
    writeln!(out, "<DataArray {layout} format=\"appended\" offset=\"{at}\"/>")
}

fn write_cells(out: &mut impl Write, tetrahedra: &[[u32; 4]]) -> io::Result<()> {
    let cells = tetrahedra.len() as u64;
    out.write_all(&(cells * 16).to_le_bytes())?;
    tetrahedra.iter().flatten().try_for_each(|corner| out.write_all(&corner.to_le_bytes()))?;
    out.write_all(&(cells * 8).to_le_bytes())?;
    (1..=cells).try_for_each(|cell| out.write_all(&(cell * 4).to_le_bytes()))?;
    out.write_all(&cells.to_le_bytes())?;
    // VTK_TETRA.
    (0..cells).try_for_each(|_| out.write_all(&[10]))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
