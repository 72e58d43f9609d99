//! Reads a scene: an `.npz` of `positions` (f32, n by 3), `molecules` (u32, n) and `radii` (f32, n).
//!
//! How it works: an `.npz` is a zip of `.npy` files. `steric build` and `numpy.savez` store them uncompressed, so the
//! central directory at the end of the file gives the place of each array, and an array is a short text header
//! followed by its numbers, little-endian.

use std::path::Path;

/// Atoms and the molecules they belong to, in angstroms.
pub struct Scene {
    pub positions: Vec<[f32; 3]>,
    pub molecules: Vec<u32>,
    pub radii: Vec<f32>,
}

impl Scene {
    /// Reads a scene, or says in a sentence why it could not.
    pub fn read(path: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let words = |name: &str| words_of(&bytes, name).ok_or(format!("{}: no stored array {name:?}", path.display()));
        let floats: Vec<f32> = words("positions")?.into_iter().map(f32::from_le_bytes).collect();
        let molecules: Vec<u32> = words("molecules")?.into_iter().map(u32::from_le_bytes).collect();
        let radii: Vec<f32> = words("radii")?.into_iter().map(f32::from_le_bytes).collect();
        let positions = floats.as_chunks::<3>().0.to_vec();
        let lengths = (positions.len(), molecules.len(), radii.len());
        if lengths.0 != lengths.1 || lengths.0 != lengths.2 {
            return Err(format!("{}: positions, molecules, radii of lengths {lengths:?}", path.display()));
        }
        Ok(Self { positions, molecules, radii })
    }
}

impl Scene {
    /// Whether all atoms have one radius.
    pub fn is_uniform(&self) -> bool {
        self.radii.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Twice the largest radius: no two atoms farther apart than this overlap.
    pub fn reach(&self) -> f32 {
        2.0 * self.radii.iter().copied().fold(0.0, f32::max)
    }
}

/// The numbers of one array, four bytes each.
fn words_of(zip: &[u8], name: &str) -> Option<Vec<[u8; 4]>> {
    let npy = member(zip, &format!("{name}.npy"))?;
    let header = match npy.get(6)? {
        1 => 10 + usize::from(u16::from_le_bytes(npy.get(8..10)?.try_into().ok()?)),
        _ => 12 + number(npy, 8, 4)?,
    };
    let descriptor = std::str::from_utf8(npy.get(..header)?.get(10..)?).ok()?;
    let four_bytes = descriptor.contains("'<f4'") || descriptor.contains("'<u4'");
    (four_bytes && descriptor.contains("'fortran_order': False")).then_some(npy[header..].as_chunks::<4>().0.to_vec())
}

/// The bytes of one stored member, found through the central directory.
fn member<'a>(zip: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let end = zip.windows(4).rposition(|window| window == b"PK\x05\x06")?;
    let mut at = number(zip, end + 16, 4)?;
    if at == 0xffff_ffff {
        let locator = zip[..end].windows(4).rposition(|window| window == b"PK\x06\x06")?;
        at = number(zip, locator + 48, 8)?;
    }
    while zip.get(at..at + 4)? == b"PK\x01\x02" {
        let [name, extra, comment] = [number(zip, at + 28, 2)?, number(zip, at + 30, 2)?, number(zip, at + 32, 2)?];
        if zip.get(at + 46..at + 46 + name)? == wanted.as_bytes() {
            return stored(zip, at, at + 46 + name..at + 46 + name + extra);
        }
        at += 46 + name + extra + comment;
    }
    None
}

/// The data of the entry at `entry`; sizes past 4 GiB are in its zip64 extra field, in the order size, packed, place.
fn stored(zip: &[u8], entry: usize, extra: std::ops::Range<usize>) -> Option<&[u8]> {
    let uncompressed = number(zip, entry + 10, 2)? == 0;
    let mut values = [number(zip, entry + 24, 4)?, number(zip, entry + 20, 4)?, number(zip, entry + 42, 4)?];
    let mut field = extra.start;
    while field + 4 <= extra.end {
        let (id, length) = (number(zip, field, 2)?, number(zip, field + 2, 2)?);
        let mut at = field + 4;
        for value in values.iter_mut().filter(|value| id == 1 && **value == 0xffff_ffff) {
            *value = number(zip, at, 8)?;
            at += 8;
        }
        field += 4 + length;
    }
    let [size, _, local] = values;
    let data = local + 30 + number(zip, local + 26, 2)? + number(zip, local + 28, 2)?;
    uncompressed.then(|| zip.get(data..data + size))?
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let mut value = [0; 8];
    value[..length].copy_from_slice(bytes.get(at..at + length)?);
    usize::try_from(u64::from_le_bytes(value)).ok()
}
