//! Accessors: typed views of buffers, as rows of numbers.
//!
//! How it works: where a row begins and ends is checked against the buffer that is there before memory is reserved for the rows
//! that the accessor claims. Whole numbers that stand for fractions are divided by the largest of their kind. Many channels may
//! share an accessor, so a small file could ask for any amount of numbers: there is a most for all together.

use std::path::Path;

use super::buffers::{Buffers, Bytes};
use super::json::{Accessor, BufferView, Document, Sparse};
use crate::{Place, ReadError};

/// Numbers that a file may have decoded beyond four for each of its bytes and of its buffers': 128 MB.
const MOST_SHARED: usize = 1 << 24;

pub(super) struct Accessors<'a> {
    document: &'a Document,
    buffers: Buffers<'a>,
    file_bytes: usize,
    // Numbers that were decoded.
    spent: usize,
    path: &'a Path,
}

/// The numbers of one kind of component.
#[derive(Clone, Copy)]
struct Component {
    bytes: usize,
    read: fn(&[u8]) -> f64,
    // What stands for 1 in whole numbers that stand for fractions.
    one: f64,
}

impl<'a> Accessors<'a> {
    pub(super) fn new(document: &'a Document, buffers: Buffers<'a>, file_bytes: usize, path: &'a Path) -> Self {
        Self { document, buffers, file_bytes, spent: 0, path }
    }

    /// The rows of an accessor of this shape (`SCALAR`, `VEC3`, `VEC4`, `MAT4`), one behind the other.
    pub(super) fn rows(&mut self, index: usize, shape: &str) -> Result<Vec<f64>, ReadError> {
        let accessor = self.document.accessors.get(index).ok_or_else(|| {
            self.error(
                format!("the number of one of the {} accessors", self.document.accessors.len()),
                index.to_string(),
            )
        })?;
        if accessor.shape != shape {
            return Err(self.error(format!("{shape} in accessors[{index}]"), &accessor.shape));
        }
        let width = width_of(shape);
        let component = self.component(accessor.component_type, index)?;
        if let Some(view) = accessor.buffer_view {
            // Its buffer is fetched before its numbers are paid for, since they come from there.
            self.view(view, index)?;
        }
        self.pay(accessor.count.saturating_mul(width), index)?;
        let mut numbers = match accessor.buffer_view {
            Some(view) => self.dense(index, accessor, view, component, width)?,
            None => vec![0.0; accessor.count * width],
        };
        if let Some(sparse) = &accessor.sparse {
            self.put_sparse(index, sparse, component, width, &mut numbers)?;
        }
        if accessor.normalized && component.one > 1.0 {
            // The most negative whole number is one step beyond -1.
            numbers.iter_mut().for_each(|number| *number = (*number / component.one).max(-1.0));
        }
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(at) => {
                Err(self.error(format!("finite numbers in accessors[{index}]"), format!("{} at {at}", numbers[at])))
            }
            None => Ok(numbers),
        }
    }

    fn pay(&mut self, numbers: usize, index: usize) -> Result<(), ReadError> {
        let bytes = self.file_bytes.saturating_add(self.buffers.loaded());
        let left = bytes.saturating_mul(4).saturating_add(MOST_SHARED).saturating_sub(self.spent);
        if numbers > left {
            let expected = format!("at most {left} further numbers for accessors[{index}]");
            return Err(self.error(expected, numbers.to_string()));
        }
        self.spent += numbers;
        Ok(())
    }

    fn dense(
        &mut self,
        index: usize,
        accessor: &Accessor,
        view: usize,
        component: Component,
        width: usize,
    ) -> Result<Vec<f64>, ReadError> {
        let row = component.bytes * width;
        let (bytes, span, stride) = self.view(view, index)?;
        // Some programs write a stride of 0 where there is none.
        let stride = stride.filter(|&stride| stride > 0).unwrap_or(row);
        if stride < row {
            return Err(
                self.error(format!("a byteStride of at least {row} for accessors[{index}]"), stride.to_string())
            );
        }
        let rows = Rows { from: accessor.byte_offset, count: accessor.count, stride, row };
        let content = self.slice(&bytes, &span, rows, index)?;
        let mut numbers = Vec::with_capacity(accessor.count * width);
        for row_bytes in content.chunks(stride) {
            numbers.extend(row_bytes[..row].chunks_exact(component.bytes).map(component.read));
        }
        Ok(numbers)
    }

    fn put_sparse(
        &mut self,
        index: usize,
        sparse: &Sparse,
        component: Component,
        width: usize,
        numbers: &mut [f64],
    ) -> Result<(), ReadError> {
        let places = self.component(sparse.indices.component_type, index)?;
        self.pay(sparse.count.saturating_mul(1 + width), index)?;
        let row = component.bytes * width;
        let (bytes, span, _) = self.view(sparse.indices.buffer_view, index)?;
        let rows =
            Rows { from: sparse.indices.byte_offset, count: sparse.count, stride: places.bytes, row: places.bytes };
        let indices = self.slice(&bytes, &span, rows, index)?;
        let (bytes, span, _) = self.view(sparse.values.buffer_view, index)?;
        let rows = Rows { from: sparse.values.byte_offset, count: sparse.count, stride: row, row };
        let values = self.slice(&bytes, &span, rows, index)?;
        for (place, value) in indices.chunks_exact(places.bytes).zip(values.chunks_exact(row)) {
            // Negative and broken numbers become 0 or the largest, which the next line refuses or forgives.
            let place = (places.read)(place) as usize;
            let target = place.checked_mul(width).and_then(|start| numbers.get_mut(start..)?.get_mut(..width));
            let target = target
                .ok_or_else(|| self.error(format!("sparse indices inside accessors[{index}]"), place.to_string()))?;
            target
                .iter_mut()
                .zip(value.chunks_exact(component.bytes))
                .for_each(|(to, from)| *to = (component.read)(from));
        }
        Ok(())
    }

    // The buffer of a view, the view's bytes in it, and its stride.
    fn view(
        &mut self,
        view: usize,
        accessor: usize,
    ) -> Result<(Bytes, std::ops::Range<usize>, Option<usize>), ReadError> {
        let BufferView { buffer, byte_offset, byte_length, byte_stride } =
            *self.document.buffer_views.get(view).ok_or_else(|| {
                let expected =
                    format!("one of the {} bufferViews in accessors[{accessor}]", self.document.buffer_views.len());
                self.error(expected, view.to_string())
            })?;
        let bytes = self.buffers.get(buffer)?;
        let end = byte_offset.checked_add(byte_length).filter(|&end| end <= bytes.content.len());
        let end = end.ok_or_else(|| {
            let expected = format!("bufferViews[{view}] inside the {} bytes of buffers[{buffer}]", bytes.content.len());
            self.error(expected, format!("{byte_length} bytes from byte {byte_offset}"))
        })?;
        Ok((bytes, byte_offset..end, byte_stride))
    }

    fn slice<'b>(
        &self,
        bytes: &'b Bytes,
        span: &std::ops::Range<usize>,
        rows: Rows,
        index: usize,
    ) -> Result<&'b [u8], ReadError> {
        let slice = rows.span().and_then(|rows| bytes.content.get(span.clone())?.get(rows));
        slice.ok_or_else(|| {
            let place = bytes.begins_at.map_or(Place::File, |first| Place::Byte(first.saturating_add(span.start)));
            let expected = format!("accessors[{index}] inside the {} bytes of its bufferView", span.len());
            let found = format!("{} rows, {} bytes apart, from byte {}", rows.count, rows.stride, rows.from);
            ReadError::content(self.path, place, expected, found)
        })
    }

    fn component(&self, kind: u32, index: usize) -> Result<Component, ReadError> {
        let component = match kind {
            5120 => Component { bytes: 1, read: |bytes| f64::from(i8::from_le_bytes(fixed(bytes))), one: 127.0 },
            5121 => Component { bytes: 1, read: |bytes| f64::from(u8::from_le_bytes(fixed(bytes))), one: 255.0 },
            5122 => Component { bytes: 2, read: |bytes| f64::from(i16::from_le_bytes(fixed(bytes))), one: 32767.0 },
            5123 => Component { bytes: 2, read: |bytes| f64::from(u16::from_le_bytes(fixed(bytes))), one: 65535.0 },
            5125 => {
                Component { bytes: 4, read: |bytes| f64::from(u32::from_le_bytes(fixed(bytes))), one: 4294967295.0 }
            }
            5126 => Component { bytes: 4, read: |bytes| f64::from(f32::from_le_bytes(fixed(bytes))), one: 1.0 },
            _ => {
                let expected = format!("a componentType from 5120 to 5126 in accessors[{index}]");
                return Err(self.error(expected, kind.to_string()));
            }
        };
        Ok(component)
    }

    fn error(&self, expected: impl Into<String>, found: impl AsRef<[u8]>) -> ReadError {
        self.buffers.error(expected, found)
    }
}

#[derive(Clone, Copy)]
struct Rows {
    from: usize,
    count: usize,
    stride: usize,
    row: usize,
}

impl Rows {
    // The bytes from the first row to the end of the last, unless that is beyond all numbers.
    fn span(&self) -> Option<std::ops::Range<usize>> {
        let length = match self.count.checked_sub(1) {
            Some(steps) => steps.checked_mul(self.stride)?.checked_add(self.row)?,
            None => 0,
        };
        Some(self.from..self.from.checked_add(length)?)
    }
}

fn width_of(shape: &str) -> usize {
    match shape {
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => 1,
    }
}

fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap_or([0; N])
}
