//! The colours themselves.
//!
//! How it works: element colours are short lists, because most of the periodic table never meets a biologist; the rest
//! goes by kind. A ramp is a few samples with straight lines between them.

use super::Rgb;

/// The colour of a number such as `0xD55E00`.
pub(super) const fn rgb(code: u32) -> Rgb {
    [(code >> 16) as u8, (code >> 8) as u8, code as u8]
}

/// A share of the second colour, between 0 and 1, in the first.
pub(super) fn mix(first: Rgb, second: Rgb, share: f32) -> Rgb {
    std::array::from_fn(|i| {
        let (first, second) = (f32::from(first[i]), f32::from(second[i]));
        (first + (second - first) * share.clamp(0.0, 1.0)).round() as u8
    })
}

/// The eight colours of Okabe & Ito 2008, "Color Universal Design", with a dark grey for black, so that shading still
/// shows; then their lighter and darker relatives. The relatives are those that stay farthest from all before them, for
/// normal eyes and without green cones; two that come nearer than a CIE76 difference of 10 are left out.
pub(super) const SAFE: [u32; 22] = [
    0x56B4E9, 0xE69F00, 0x009E73, 0xCC79A7, 0x0072B2, 0xF0E442, 0xD55E00, 0x4D4D4D, // as published
    0xD6E8F7, 0xECBC86, 0xA6CAB9, 0x98597C, 0x003D63, 0xFAF6D4, 0x783200, 0x282828, // one of each
    0x306B8C, 0xE8A950, 0x007957, 0x8BA7CA, 0xF3EA87, 0xD97750, // one more
];

/// Saturated colours, those of the Tableau 10 set.
pub(super) const CLASSIC: [u32; 10] =
    [0x1F77B4, 0xFF7F0E, 0x2CA02C, 0xD62728, 0x9467BD, 0x8C564B, 0xE377C2, 0x7F7F7F, 0xBCBD22, 0x17BECF];

/// Pastels for illustrative pictures.
pub(super) const PASTEL: [u32; 8] = [0xA9C8E8, 0xF2B8A0, 0xBFDDB0, 0xE8D49A, 0xCDB6DE, 0xA8D8D0, 0xF0BFD0, 0xD9C2A7];

/// Elements of the safe palette by atomic number: what differs in hue also differs in lightness.
pub(super) fn safe_element(atomic_number: u8) -> Rgb {
    rgb(match atomic_number {
        1 => 0xF2F2F2,
        6 => 0x4D4D4D,
        7 => 0x0072B2,
        8 => 0xD55E00,
        15 => 0xE69F00,
        16 => 0xF0E442,
        34 => 0xFAF6D4,
        // Halogens.
        9 | 17 => 0x009E73,
        35 => 0x783200,
        53 => 0x98597C,
        // Alkali and alkaline earth metals.
        3 | 4 | 11 | 12 | 19 | 20 | 37 | 38 | 55 | 56 => 0xCC79A7,
        // Transition metals.
        21..=30 | 39..=48 | 57..=80 => 0x1B9AAA,
        _ => 0x999999,
    })
}

/// Elements as Jmol colours them; its pink for what it does not know.
pub(super) fn classic_element(atomic_number: u8) -> Rgb {
    rgb(match atomic_number {
        1 => 0xFFFFFF,
        3 => 0xCC80FF,
        5 => 0xFFB5B5,
        6 => 0x909090,
        7 => 0x3050F8,
        8 => 0xFF0D0D,
        9 => 0x90E050,
        11 => 0xAB5CF2,
        12 => 0x8AFF00,
        13 => 0xBFA6A6,
        14 => 0xF0C8A0,
        15 => 0xFF8000,
        16 => 0xFFFF30,
        17 => 0x1FF01F,
        18 => 0x80D1E3,
        19 => 0x8F40D4,
        20 => 0x3DFF00,
        25 => 0x9C7AC7,
        26 => 0xE06633,
        27 => 0xF090A0,
        28 => 0x50D050,
        29 => 0xC88033,
        30 => 0x7D80B0,
        34 => 0xFFA100,
        35 => 0xA62929,
        53 => 0x940094,
        _ => 0xFF1493,
    })
}

/// Elements of an illustrative picture: the pastel of the chain, leaning to the element's own hue.
pub(super) fn goodsell_element(atomic_number: u8, pastel: Rgb) -> Rgb {
    let (hue, share) = match atomic_number {
        1 => (0xFFFFFF, 0.40),
        6 => return pastel,
        7 => (0x3A6FD8, 0.30),
        8 => (0xE0402A, 0.30),
        15 => (0xF08A1D, 0.45),
        16 => (0xF2D21B, 0.45),
        _ => (0x8A6FB0, 0.45),
    };
    mix(pastel, rgb(hue), share)
}

/// Nine samples of viridis, the ramp of van der Walt and Smith 2015 whose equal steps look equal, also to colour-blind
/// eyes.
const VIRIDIS: [u32; 9] = [0x440154, 0x472D7B, 0x3B528B, 0x2C728E, 0x21918C, 0x28AE80, 0x5EC962, 0xADDC30, 0xFDE725];

/// The colour of a share between 0 and 1.
pub(super) fn viridis(share: f32) -> Rgb {
    let place = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f32;
    let below = (place as usize).min(VIRIDIS.len() - 2);
    mix(rgb(VIRIDIS[below]), rgb(VIRIDIS[below + 1]), place - below as f32)
}
