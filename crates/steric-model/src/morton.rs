//! The Z-curve through cells of space: what is near on it is near in space (Morton 1966).

/// The place of a cell on the Z-curve, from the lowest 21 bits of its three coordinates.
///
/// ```
/// use steric_model::morton;
///
/// assert_eq!([[1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 0, 0], [3, 3, 3]].map(morton), [1, 2, 4, 8, 63]);
/// ```
pub fn morton([x, y, z]: [u64; 3]) -> u64 {
    spaced(x) | spaced(y) << 1 | spaced(z) << 2
}

/// The 21 low bits, each followed by two zeros.
fn spaced(bits: u64) -> u64 {
    let bits = bits & 0x1f_ffff;
    let bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    let bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    let bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    let bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}
