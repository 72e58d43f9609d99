//! VTU files of the pair, in every way of packing their arrays.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::bytes::{Out, base64};
use super::pair;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Format {
    Text,
    Inline,
    AppendedRaw,
    AppendedBase64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Packing {
    pub(crate) format: Format,
    pub(crate) is_compressed: bool,
    pub(crate) is_big: bool,
    pub(crate) has_long_headers: bool,
    pub(crate) has_long_numbers: bool,
}

impl Packing {
    pub(crate) fn header(self, numbers: &[usize]) -> Vec<u8> {
        let mut out = Out::new(self.is_big);
        let numbers = numbers.iter().map(|&number| number as i64);
        if self.has_long_headers {
            out.u64s(numbers)
        } else {
            out.i32s(numbers)
        }
        out.bytes
    }

    /// An array as it stands in the file; blocks of a compressed one are of 16 bytes.
    fn pack(self, bytes: &[u8]) -> Vec<u8> {
        let encode = |bytes: &[u8]| match self.format {
            Format::AppendedRaw => bytes.to_vec(),
            _ => base64(bytes).into_bytes(),
        };
        if !self.is_compressed {
            return encode(&[self.header(&[bytes.len()]), bytes.to_vec()].concat());
        }
        let blocks: Vec<Vec<u8>> = bytes.chunks(16).map(deflate).collect();
        let mut header = vec![blocks.len(), 16, bytes.len() % 16];
        header.extend(blocks.iter().map(Vec::len));
        [encode(&self.header(&header)), encode(&blocks.concat())].concat()
    }

    fn array(self, name: &str, kind: &str, values: &[f64], appended: &mut Vec<u8>) -> String {
        let mut out = Out::new(self.is_big);
        values.iter().for_each(|value| out.number(kind, *value));
        let tag = format!("<DataArray Name='{name}' type=\"{kind}\"");
        let text = values.iter().map(|value| format!("{value}\n")).collect::<String>();
        let packed = self.pack(&out.bytes);
        match self.format {
            Format::Text => format!("{tag} format=\"ascii\">\n{text}</DataArray>\n"),
            Format::Inline => {
                format!("{tag} format=\"binary\">\n {}\n</DataArray>\n", String::from_utf8(packed).unwrap())
            }
            _ => {
                let offset = appended.len();
                appended.extend(packed);
                format!("{tag} format=\"appended\" offset=\"{offset}\"/>\n")
            }
        }
    }

    pub(crate) fn file(self) -> Vec<u8> {
        let [float, whole, small] =
            if self.has_long_numbers { ["Float64", "Int64", "UInt16"] } else { ["Float32", "Int32", "UInt8"] };
        let mut rest = Vec::new();
        let points: Vec<f64> = pair("").points.iter().flat_map(|point| point.to_array()).collect();
        let mut array = |name: &str, kind: &str, values: &[f64]| self.array(name, kind, values, &mut rest);
        let arrays = [
            array("xyz", float, &points),
            array("connectivity", whole, &[0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 1.0, 4.0, 2.0, 3.0]),
            array("offsets", whole, &[4.0, 7.0, 11.0]),
            array("types", small, &[10.0, 5.0, 10.0]),
            array("stress", float, &[0.5, 0.5, 0.5]),
            array("region", whole, &[7.0, 1.0, 9.0]),
        ];
        let [xyz, corners, ends, types, stress, regions] = arrays;
        let order = if self.is_big { "BigEndian" } else { "LittleEndian" };
        let compressor = if self.is_compressed { " compressor=\"vtkZLibDataCompressor\"" } else { "" };
        let header = if self.has_long_headers { " header_type=\"UInt64\"" } else { "" };
        let mut file = format!(
            "<?xml version=\"1.0\"?>\n<!-- a > in a remark -->\n\
             <VTKFile type=\"UnstructuredGrid\" byte_order=\"{order}\"{compressor}{header}>\n<UnstructuredGrid>\n\
             <FieldData><DataArray type=\"String\" Name=\"title\" format=\"ascii\">65 0</DataArray></FieldData>\n\
             <Piece NumberOfPoints=\"5\" NumberOfCells=\"3\">\n<PointData/>\n<CellData>\n{stress}{regions}</CellData>\n\
             <Points>\n{xyz}</Points>\n<Cells>\n{corners}{ends}{types}</Cells>\n</Piece>\n</UnstructuredGrid>\n"
        )
        .into_bytes();
        if matches!(self.format, Format::AppendedRaw | Format::AppendedBase64) {
            let encoding = if self.format == Format::AppendedRaw { "raw" } else { "base64" };
            file.extend(format!("<AppendedData encoding=\"{encoding}\">\n  _").as_bytes());
            file.extend(rest);
            file.extend(b"\n</AppendedData>\n");
        }
        file.extend(b"</VTKFile>\n");
        file
    }
}

pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn packings() -> impl Iterator<Item = Packing> {
    let formats = [Format::Text, Format::Inline, Format::AppendedRaw, Format::AppendedBase64];
    formats.into_iter().flat_map(|format| {
        (0..16).map(move |bits| Packing {
            format,
            is_compressed: bits & 1 != 0,
            is_big: bits & 2 != 0,
            has_long_headers: bits & 4 != 0,
            has_long_numbers: bits & 8 != 0,
        })
    })
}
