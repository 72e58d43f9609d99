//! The bits of packed XTC coordinates, and whole numbers that share them.
//!
//! How it works: bits follow each other from the high end of a byte to its low end. Three numbers below three sizes are
//! one number in mixed radix, `(x * size_y + y) * size_z + z`, which goes out byte by byte from its low end; only what
//! remains of its last byte is shorter than eight bits.

/// Collects bits.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    pending_bits: u32,
}

impl BitWriter {
    /// The low `bits` bits of a number, at most 32.
    pub(super) fn put(&mut self, value: u32, bits: u32) {
        self.pending = self.pending << bits | u64::from(value);
        self.pending_bits += bits;
        while self.pending_bits >= 8 {
            self.pending_bits -= 8;
            self.bytes.push((self.pending >> self.pending_bits) as u8);
        }
        self.pending &= (1 << self.pending_bits) - 1;
    }

    /// Three numbers below three sizes, in `bits` bits.
    pub(super) fn put_three(&mut self, values: [u32; 3], sizes: [u32; 3], bits: u32) {
        let [x, y, z] = values.map(u128::from);
        let mut mixed = (x * u128::from(sizes[1]) + y) * u128::from(sizes[2]) + z;
        let mut left = bits;
        while left > 0 {
            let taken = left.min(8);
            self.put((mixed & 0xff) as u32, taken);
            mixed >>= 8;
            left -= taken;
        }
    }

    /// The bytes; zeros fill the last one.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.pending_bits > 0 {
            self.bytes.push((self.pending << (8 - self.pending_bits)) as u8);
        }
        self.bytes
    }
}

/// Takes bits from bytes; `None` where they end.
#[derive(Debug)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    pending: u64,
    pending_bits: u32,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, pending: 0, pending_bits: 0 }
    }

    /// The next `bits` bits, at most 32.
    pub(super) fn take(&mut self, bits: u32) -> Option<u32> {
        while self.pending_bits < bits {
            let (&first, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            self.pending = self.pending << 8 | u64::from(first);
            self.pending_bits += 8;
        }
        self.pending_bits -= bits;
        let value = self.pending >> self.pending_bits;
        self.pending &= (1 << self.pending_bits) - 1;
        Some(value as u32)
    }

    /// Three numbers below three sizes (the first may be larger in a damaged file), from at most 128 bits.
    pub(super) fn take_three(&mut self, sizes: [u32; 3], bits: u32) -> Option<[i64; 3]> {
        let mut mixed = 0u128;
        for shift in (0..bits).step_by(8) {
            mixed |= u128::from(self.take((bits - shift).min(8))?) << shift;
        }
        let [_, size_y, size_z] = sizes.map(|size| u128::from(size.max(1)));
        let (rest, z) = (mixed / size_z, mixed % size_z);
        Some([rest / size_y, rest % size_y, z].map(|value| value as u32).map(i64::from))
    }
}

/// How many bits three numbers below these sizes need together.
pub(super) fn bits_of_three(sizes: [u32; 3]) -> u32 {
    let product: u128 = sizes.map(u128::from).iter().product();
    u128::BITS - product.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_in_the_order_they_went() {
        let sizes = [300, 7, 70_000];
        let bits = bits_of_three(sizes);
        let mut writer = BitWriter::default();
        writer.put(1, 1);
        writer.put_three([299, 6, 69_999], sizes, bits);
        writer.put(u32::MAX, 32);
        writer.put(5, 5);
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes);
        assert_eq!(reader.take(1), Some(1));
        assert_eq!(reader.take_three(sizes, bits), Some([299, 6, 69_999]));
        assert_eq!(reader.take(32), Some(u32::MAX));
        assert_eq!(reader.take(5), Some(5));
        assert_eq!(reader.take(8), None);
    }

    // 300 * 7 * 70,000 = 147,000,000 lies between 2^27 and 2^28.
    #[test]
    fn three_numbers_take_the_bits_of_their_product() {
        assert_eq!(bits_of_three([300, 7, 70_000]), 28);
        assert_eq!(bits_of_three([1, 1, 1]), 1);
    }

    #[test]
    fn bits_run_from_the_high_end_of_a_byte() {
        let mut writer = BitWriter::default();
        writer.put(0b101, 3);
        writer.put(0b1_0000_0001, 9);
        assert_eq!(writer.finish(), [0b1011_0000, 0b0001_0000]);
    }
}
