//! VTK's XML files with an unstructured grid (VTU).
//!
//! How it works: a first pass over the tags lists the arrays of every piece and stops at the appended data. Then the arrays that
//! matter are unpacked: points, the three lists of cells, and the array of cell data whose name says that it holds
//! regions. Pieces are put one behind the other.
//! Source: the XML file formats chapter of the VTK user's guide.

use std::path::Path;

use glam::DVec3;

use super::builder::{Builder, Numbering};
use super::cells::{Cells, push_cells};
use super::vtk_shapes::region_name;
use super::vtu_array::{Array, Packing, Unpacker};
use super::xml::{Tag, Xml};
use crate::{Parsed, ReadError, TetMesh};

/// The arrays of one piece.
#[derive(Debug)]
struct Piece<'a> {
    tag: Tag<'a>,
    points: Option<Array<'a>>,
    corners: Option<Array<'a>>,
    ends: Option<Array<'a>>,
    shapes: Option<Array<'a>>,
    /// With how good its name is.
    regions: Option<(usize, Array<'a>)>,
}

/// What the first pass finds.
struct Outline<'a> {
    packing: Packing,
    pieces: Vec<Piece<'a>>,
    /// Where the appended data begin, and whether they are base64.
    appended: Option<(usize, bool)>,
}

/// Reads a VTU file, with its data as text, base64 or appended, compressed with zlib or not.
///
/// ```
/// use steric_model::formats::tet_mesh::read_vtu;
///
/// let text = br#"<VTKFile type="UnstructuredGrid"><UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1">
///     <Points><DataArray type="Float32" format="ascii">0 0 0  1 0 0  0 1 0  0 0 1</DataArray></Points>
///     <Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3</DataArray>
///         <DataArray type="Int32" Name="offsets" format="ascii">4</DataArray>
///         <DataArray type="UInt8" Name="types" format="ascii">10</DataArray></Cells>
///     </Piece></UnstructuredGrid></VTKFile>"#;
/// assert_eq!(read_vtu(text, "corner.vtu".as_ref())?.value.tetrahedra, [[0, 1, 2, 3]]);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_vtu(bytes: &[u8], path: &Path) -> Result<Parsed<TetMesh>, ReadError> {
    let xml = Xml::new(bytes, path);
    let outline = read_outline(xml.clone())?;
    let mut unpacker = Unpacker::new(xml.clone(), outline.packing, outline.appended);
    let mut builder = Builder::new(path, Numbering::From(0));
    for piece in &outline.pieces {
        read_piece(piece, &xml, &mut unpacker, &mut builder)?;
    }
    builder.finish()
}

fn read_outline<'a>(mut xml: Xml<'a>) -> Result<Outline<'a>, ReadError> {
    let mut outline = Outline { packing: Packing::default(), pieces: Vec::new(), appended: None };
    let mut section: &[u8] = b"";
    while let Some(tag) = xml.next_tag()? {
        match (tag.name, tag.is_end) {
            (b"VTKFile", false) => outline.packing = read_packing(&tag, &xml)?,
            (b"Piece", false) => outline.pieces.push(Piece::new(tag)),
            (b"Points" | b"Cells" | b"CellData" | b"PointData" | b"FieldData", is_end) => {
                section = if is_end { b"" } else { tag.name };
            }
            (b"DataArray", false) => {
                if let Some(piece) = outline.pieces.last_mut() {
                    piece.add(section, &tag, &xml)?;
                }
            }
            (b"AppendedData", false) => {
                outline.appended = Some(find_appended(&tag, &xml)?);
                break;
            }
            _ => {}
        }
    }
    Ok(outline)
}

fn read_packing(tag: &Tag, xml: &Xml) -> Result<Packing, ReadError> {
    let kind = tag.get("type").unwrap_or_default();
    if kind != "UnstructuredGrid" {
        return Err(tag.error(xml, "a VTK file of the type UnstructuredGrid", kind));
    }
    let compressor = tag.get("compressor").unwrap_or_default();
    if !matches!(compressor, "" | "vtkZLibDataCompressor") {
        return Err(tag.error(xml, "data that are not compressed, or by vtkZLibDataCompressor", compressor));
    }
    let header = tag.get("header_type").unwrap_or("UInt32");
    if !matches!(header, "UInt32" | "UInt64") {
        return Err(tag.error(xml, "the header type UInt32 or UInt64", header));
    }
    Ok(Packing {
        is_big: tag.get("byte_order") == Some("BigEndian"),
        is_compressed: !compressor.is_empty(),
        has_long_headers: header == "UInt64",
    })
}

// Behind the tag stands an underscore, and behind that the first byte.
fn find_appended(tag: &Tag, xml: &Xml) -> Result<(usize, bool), ReadError> {
    let encoding = tag.get("encoding").unwrap_or("base64");
    if !matches!(encoding, "raw" | "base64") {
        return Err(tag.error(xml, "appended data in the encoding raw or base64", encoding));
    }
    let behind = &xml.bytes[tag.span.end..];
    let blanks = behind.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(behind.len());
    if behind.get(blanks) != Some(&b'_') {
        return Err(tag.error(xml, "an underscore in front of the appended data", behind));
    }
    Ok((tag.span.end + blanks + 1, encoding == "base64"))
}

impl<'a> Piece<'a> {
    fn new(tag: Tag<'a>) -> Self {
        Self { tag, points: None, corners: None, ends: None, shapes: None, regions: None }
    }

    fn add(&mut self, section: &[u8], tag: &Tag<'a>, xml: &Xml<'a>) -> Result<(), ReadError> {
        let name = tag.get("Name").unwrap_or_default();
        let place = match (section, name) {
            (b"Points", _) => &mut self.points,
            (b"Cells", "connectivity") => &mut self.corners,
            (b"Cells", "offsets") => &mut self.ends,
            (b"Cells", "types") => &mut self.shapes,
            (b"CellData", _) => return self.add_regions(name, tag, xml),
            _ => return Ok(()),
        };
        *place = Some(Array::read(tag, xml)?);
        Ok(())
    }

    fn add_regions(&mut self, name: &str, tag: &Tag<'a>, xml: &Xml<'a>) -> Result<(), ReadError> {
        let is_single = matches!(tag.get("NumberOfComponents"), None | Some("1" | "0" | ""));
        let Some(rank) = region_name(name.as_bytes()).filter(|_| is_single) else { return Ok(()) };
        if self.regions.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.regions = Some((rank, Array::read(tag, xml)?));
        }
        Ok(())
    }

    // A piece may leave the numbers out; where it tells them, they must be right.
    fn check(&self, attribute: &str, found: usize, xml: &Xml) -> Result<(), ReadError> {
        match self.tag.get(attribute) {
            Some(promised) if promised.trim().parse() != Ok(found) => {
                let expected = format!("as many as {attribute} says, {promised}");
                Err(self.tag.error(xml, expected, found.to_string()))
            }
            _ => Ok(()),
        }
    }
}

fn read_piece<'a>(
    piece: &Piece<'a>,
    xml: &Xml,
    unpacker: &mut Unpacker<'a>,
    builder: &mut Builder,
) -> Result<(), ReadError> {
    let points = match &piece.points {
        Some(array) => unpacker.floats(array)?,
        None => Vec::new(),
    };
    if points.len() % 3 != 0 {
        let found = format!("{} numbers", points.len());
        return Err(piece.tag.error(xml, "three coordinates of each point", found));
    }
    piece.check("NumberOfPoints", points.len() / 3, xml)?;
    builder.begin_piece();
    builder.mesh.points.extend(points.chunks_exact(3).map(|point| DVec3::new(point[0], point[1], point[2])));
    let mut whole = |array: &Option<Array<'a>>| array.as_ref().map_or(Ok(Vec::new()), |array| unpacker.integers(array));
    let (corners, ends, shapes) = (whole(&piece.corners)?, whole(&piece.ends)?, whole(&piece.shapes)?);
    let regions = piece.regions.as_ref().map(|(_, array)| unpacker.integers(array)).transpose()?;
    piece.check("NumberOfCells", shapes.len(), xml)?;
    let cells = Cells { corners, ends, shapes, regions };
    push_cells(&cells, builder).map_err(|misfit| piece.tag.error(xml, misfit.expected, misfit.found))
}
