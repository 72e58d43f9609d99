//! Gzip, with a bound on what comes out.
//!
//! How it works: a gzip file is one or more members, decompressed one after the other into one buffer. Molecule
//! files shrink 3 to 20 times and deflate can reach 1032, so a file that grows by more than [`MOST_GROWTH`] is a bomb. The
//! size in the trailer only decides how much is reserved, and only within reason: anyone can write it. Headers and check
//! sums are read here, because crc32fast takes a thirtieth of the time of the check sum that comes with the decoder.

use std::io::{self, Read};

use flate2::bufread::DeflateDecoder;

/// How many times larger than the compressed file the content may be, beyond [`FREE_BYTES`].
pub(crate) const MOST_GROWTH: u64 = 200;
/// What every file may hold, however small it is.
pub(crate) const FREE_BYTES: u64 = 64 << 20;
/// What no file may hold: atoms are counted in 32 bits, and no atom takes fewer than four bytes of text.
pub(crate) const MOST_BYTES: u64 = 16 << 30;

/// What came out of a gzip file.
pub(crate) struct Inflated {
    pub bytes: Vec<u8>,
    /// How many bytes behind the last member were passed over, padding not counted.
    pub trailing: usize,
}

/// Whether these bytes begin like a gzip file.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Decompresses every member.
pub(crate) fn gunzip(compressed: &[u8]) -> io::Result<Inflated> {
    let limit = (compressed.len() as u64).saturating_mul(MOST_GROWTH).saturating_add(FREE_BYTES).min(MOST_BYTES);
    let mut bytes = Vec::with_capacity(size_hint(compressed));
    let mut rest = compressed;
    while is_gzip(rest) {
        let start = bytes.len();
        let mut decoder = DeflateDecoder::new(after_header(rest)?);
        decoder.by_ref().take(limit - start as u64 + 1).read_to_end(&mut bytes).map_err(explain)?;
        if bytes.len() as u64 > limit {
            return Err(too_large(compressed.len(), limit));
        }
        let (trailer, behind) = decoder.into_inner().split_first_chunk::<8>().ok_or_else(cut_off)?;
        if trailer[..4] != crc32fast::hash(&bytes[start..]).to_le_bytes() {
            return Err(damaged("the check sum does not fit"));
        }
        rest = behind;
    }
    // gzip itself pads to a block with zeros.
    let is_padding = rest.iter().all(|&byte| byte == 0);
    Ok(Inflated { bytes, trailing: if is_padding { 0 } else { rest.len() } })
}

/// The compressed data behind a member's header (RFC 1952): ten bytes, an extra field, a name, a comment, a check sum.
fn after_header(member: &[u8]) -> io::Result<&[u8]> {
    let (header, mut rest) = member.split_first_chunk::<10>().ok_or_else(cut_off)?;
    let flags = header[3];
    if header[2] != 8 {
        return Err(damaged("the method is not deflate"));
    }
    if flags & 4 != 0 {
        let (length, behind) = rest.split_first_chunk().ok_or_else(cut_off)?;
        rest = behind.get(usize::from(u16::from_le_bytes(*length))..).ok_or_else(cut_off)?;
    }
    for text in [8, 16] {
        if flags & text != 0 {
            let end = memchr::memchr(0, rest).ok_or_else(cut_off)?;
            rest = &rest[end + 1..];
        }
    }
    let check_sum = if flags & 2 == 0 { 0 } else { 2 };
    rest.get(check_sum..).ok_or_else(cut_off)
}

fn explain(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => cut_off(),
        _ => damaged(&error.to_string()),
    }
}

fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the compressed data end too early; the file was cut off")
}

fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the compressed data are damaged ({why})"))
}

fn too_large(compressed: usize, limit: u64) -> io::Error {
    let message = format!("{compressed} compressed bytes hold more than {limit} bytes, which no molecule file does");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

// The last four bytes hold the size modulo 2^32. Molecule files shrink 3 to 20 times.
fn size_hint(compressed: &[u8]) -> usize {
    let claimed = compressed.last_chunk().map_or(0, |size| u32::from_le_bytes(*size) as usize);
    claimed.min(compressed.len().saturating_mul(32)) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn several_members_are_one_file_and_padding_is_ignored() {
        let mut file = [gzip(b"one "), gzip(b"two")].concat();
        file.extend([0; 100]);
        let inflated = gunzip(&file).unwrap();
        assert_eq!((&inflated.bytes[..], inflated.trailing), (&b"one two"[..], 0));
        file.extend(b"rubbish");
        assert_eq!(gunzip(&file).unwrap().trailing, 107);
    }

    #[test]
    fn a_truncated_file_is_an_error() {
        let file = gzip(&[7; 10_000]);
        assert!(gunzip(&file[..file.len() / 2]).is_err());
        assert!(gunzip(&file[..5]).is_err());
    }

    #[test]
    fn a_wrong_check_sum_is_an_error_and_names_are_passed_over() {
        let mut file = flate2::GzBuilder::new()
            .filename("1crn.pdb")
            .comment("crambin")
            .extra(vec![1, 2, 3])
            .write(Vec::new(), Compression::fast());
        file.write_all(b"ATOM").unwrap();
        let mut file = file.finish().unwrap();
        assert_eq!(gunzip(&file).unwrap().bytes, b"ATOM");
        let end = file.len();
        file[end - 8] ^= 1;
        assert!(gunzip(&file).err().expect("damaged").to_string().contains("check sum"));
    }

    #[test]
    fn a_bomb_is_refused() {
        // Zeros shrink about a thousand times: 128 MiB of them stand in 130 kB, which may hold 26 MB beyond the 64 MiB.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let zeros = vec![0; 1 << 20];
        for _ in 0..128 {
            encoder.write_all(&zeros).unwrap();
        }
        let bomb = encoder.finish().unwrap();
        let refusal = gunzip(&bomb).err().expect("a bomb").to_string();
        assert!(refusal.contains("no molecule file does"), "{refusal}");
    }

    #[test]
    fn a_trailer_that_lies_reserves_little() {
        let mut file = gzip(b"small");
        let end = file.len();
        file[end - 4..].fill(0xff);
        assert!(size_hint(&file) < 4096);
    }
}
