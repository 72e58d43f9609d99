//! Arrays that are longer than a kernel may see in one piece.
//!
//! How it works: such an array is several buffers of the same power of two of bytes. A kernel does not know how many: it calls
//! functions by which elements are read and written, and the host writes their text. With one piece they are what they
//! would be without; with several they choose the piece by the highest bits of the number.

use std::fmt::Write as _;

use super::{GpuError, Memory};

/// Pieces of one array, at most.
const MOST_PIECES: u64 = 16;

/// An array in one piece or several.
#[derive(Debug)]
pub(crate) struct Split {
    pieces: Vec<wgpu::Buffer>,
    piece_bytes: u64,
}

/// What a kernel does with the elements of an array; each has functions of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// `NAME_at(number)`
    Read,
    /// `NAME_at(number)` and `set_NAME(number, value)`
    Write,
    /// `NAME_at(number)`, `add_to_NAME(number, value)` and `raise_NAME(number, value)`, all at once with other threads
    Atomic,
}

/// How a kernel sees an array in pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// What the functions call an element.
    pub(crate) name: &'static str,
    /// Its type.
    pub(crate) element: &'static str,
    pub(crate) element_bytes: u64,
    pub(crate) access: Access,
    /// The number of the first piece; the others follow.
    pub(crate) binding: u32,
}

impl Memory {
    /// An array of zeros, in as many pieces as it takes.
    pub(crate) fn split(&mut self, what: &'static str, bytes: u64) -> Result<Split, GpuError> {
        let adapter = self.gpu().adapter();
        let most = adapter.largest_binding.min(adapter.largest_buffer).max(256);
        if bytes <= most {
            return Ok(Split { pieces: vec![self.zeros(what, bytes)?], piece_bytes: u64::MAX });
        }
        // Two such arrays at most are seen by one kernel, among others.
        let spare = u64::from(adapter.most_bindings.saturating_sub(super::adapters::MOST_BINDINGS)) / 2;
        let piece_bytes = 1 << most.ilog2();
        let pieces = bytes.div_ceil(piece_bytes);
        if pieces > MOST_PIECES.min(1 + spare) {
            let most = piece_bytes * MOST_PIECES.min(1 + spare);
            return Err(GpuError::TooMany { what: "bytes in one array", found: bytes, most });
        }
        let size = |piece| piece_bytes.min(bytes - piece * piece_bytes);
        let pieces = (0..pieces).map(|piece| self.zeros(what, size(piece))).collect::<Result<_, _>>()?;
        Ok(Split { pieces, piece_bytes })
    }
}

impl Split {
    /// The pieces, by the numbers that a kernel gives them.
    pub(crate) fn bound(&self, view: View) -> impl Iterator<Item = (u32, &wgpu::Buffer)> {
        (view.binding..).zip(&self.pieces)
    }

    /// The pieces in order.
    pub(crate) fn pieces(&self) -> &[wgpu::Buffer] {
        &self.pieces
    }

    /// The text that a kernel needs to see the array.
    pub(crate) fn text(&self, view: View) -> String {
        view.text(self.pieces.len(), self.piece_bytes / view.element_bytes)
    }
}

impl View {
    /// The text for so many pieces of so many elements, a power of two.
    pub(crate) fn text(self, pieces: usize, elements: u64) -> String {
        let Self { name, element, access, binding, .. } = self;
        let (mode, stored) = match access {
            Access::Read => ("read", element.to_owned()),
            Access::Write => ("read_write", element.to_owned()),
            Access::Atomic => ("read_write", format!("atomic<{element}>")),
        };
        let mut text = String::new();
        for (piece, binding) in (0..pieces).zip(binding..) {
            let _ = writeln!(
                text,
                "@group(0) @binding({binding}) var<storage, {mode}> {name}_piece_{piece}: array<{stored}>;"
            );
        }
        let place = |piece: usize| match pieces {
            1 => format!("{name}_piece_0[number]"),
            _ => format!("{name}_piece_{piece}[number & {}u]", elements - 1),
        };
        // One line for each piece, or the line alone where there is one.
        let chosen = |line: &dyn Fn(String) -> String| -> String {
            let case = |piece| {
                let label = if piece + 1 == pieces { "default".to_owned() } else { format!("case {piece}u") };
                format!("{label}: {{ {} }} ", line(place(piece)))
            };
            match pieces {
                1 => line(place(0)),
                _ => {
                    let cases: String = (0..pieces).map(case).collect();
                    format!("switch (number >> {}u) {{ {cases}}}", elements.ilog2())
                }
            }
        };
        let read = |place: String| match access {
            Access::Atomic => format!("return atomicLoad(&{place});"),
            _ => format!("return {place};"),
        };
        let _ = writeln!(text, "fn {name}_at(number: u32) -> {element} {{ {} }}", chosen(&read));
        let changes: &[(&str, &str)] = match access {
            Access::Read => &[],
            Access::Write => &[("set_", "")],
            Access::Atomic => &[("add_to_", "atomicAdd"), ("raise_", "atomicMax")],
        };
        for (change, how) in changes {
            let line = |place: String| match *how {
                "" => format!("{place} = value;"),
                how => format!("{how}(&{place}, value);"),
            };
            let _ = writeln!(text, "fn {change}{name}(number: u32, value: {element}) {{ {} }}", chosen(&line));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_piece_is_read_as_any_array_and_several_by_the_highest_bits() {
        let view = View { name: "entry", element: "u32", element_bytes: 4, access: Access::Read, binding: 5 };
        assert!(view.text(1, u64::MAX).contains("fn entry_at(number: u32) -> u32 { return entry_piece_0[number]; }"));
        let text = view.text(3, 8);
        assert!(text.contains("@binding(7) var<storage, read> entry_piece_2"));
        assert!(text.contains("switch (number >> 3u) { case 0u: { return entry_piece_0[number & 7u]; }"));
        assert!(text.contains("default: { return entry_piece_2[number & 7u]; }"));
    }
}
