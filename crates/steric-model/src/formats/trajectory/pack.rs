//! The compression of coordinates in XTC files, after F. van Hoesel's `xdr3dfcoord`.
//!
//! How it works: coordinates are whole numbers (thousandths of a nanometre). An atom is either given in full, as its
//! place in the box of all atoms, or as a step from the atom before it. A full atom is followed by a bit that says
//! whether the length of the run of steps behind it, or the width of a step, is other than the last time, and if so by
//! five bits that tell: three times the steps, plus 0, 1 or 2 for a width that shrinks, stays or grows. The widths are
//! a table in which three steps of width number `n` fit in exactly `n` bits. The first two atoms of a run change
//! places, because in water, where the oxygen comes first, the steps are shorter if a hydrogen does.

use super::bits::{BitReader, BitWriter, bits_of_three};

/// Widths of a step; three numbers below entry `n` fit in `n` bits. They are the cube roots of powers of two, as every
/// reader of the format has them: two entries are off by one, and one has swapped digits.
const WIDTHS: [u32; 73] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 101, 128, 161, 203, 256, 322, 406, 512, 645,
    812, 1024, 1290, 1625, 2048, 2580, 3250, 4096, 5060, 6501, 8192, 10_321, 13_003, 16_384, 20_642, 26_007, 32_768,
    41_285, 52_015, 65_536, 82_570, 104_031, 131_072, 165_140, 208_063, 262_144, 330_280, 416_127, 524_287, 660_561,
    832_255, 1_048_576, 1_321_122, 1_664_510, 2_097_152, 2_642_245, 3_329_021, 4_194_304, 5_284_491, 6_658_042,
    8_388_607, 10_568_983, 13_316_085, 16_777_216,
];
const FIRST: usize = 9;
const LAST: usize = WIDTHS.len() - 1;
/// A box wider than this gives every axis its own bits.
const WIDEST_TOGETHER: u32 = 0xff_ffff;
/// Most steps of a run.
const MOST_STEPS: usize = 8;
/// The largest coordinate, and the widest box.
pub(super) const MOST: i64 = i32::MAX as i64 - 2;

type Point = [i32; 3];

/// Packed coordinates and what is needed to unpack them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    pub(super) lowest: Point,
    pub(super) highest: Point,
    /// The number of the first width.
    pub(super) width: i32,
    pub(super) bytes: Vec<u8>,
}

/// Packs points; `None` where they lie too far apart.
pub(super) fn pack(mut points: Vec<Point>) -> Option<Packed> {
    let (lowest, highest) = bounds(&points)?;
    let full = FullAtom::new(lowest, highest)?;
    let shortest = points.windows(2).map(|pair| distance(pair[0], pair[1]).iter().sum()).min().unwrap_or(MOST);
    let first = (FIRST..LAST).find(|&width| i64::from(WIDTHS[width]) >= shortest).unwrap_or(LAST);
    let widest = LAST.min(first + 8);
    let mut out = BitWriter::default();
    let mut width = first;
    let mut last_steps = None;
    let mut before: Option<Point> = None;
    let mut at = 0;
    while at < points.len() {
        let reach = step_reach(width);
        let may_grow = width < widest && before.is_some_and(|before| is_near(points[at], before, step_reach(widest)));
        if at + 1 < points.len() && is_near(points[at], points[at + 1], reach) {
            points.swap(at, at + 1);
        }
        full.put(&mut out, points[at]);
        let steps = 1..=MOST_STEPS.min(points.len() - 1 - at);
        let steps = steps.take_while(|step| is_near(points[at + step], points[at + step - 1], reach)).count();
        let run = &points[at..=at + steps];
        let change = if may_grow {
            1
        } else if width > widest - 8 && steps > 0 && is_short(run, step_reach(FIRST.max(width - 1))) {
            -1
        } else {
            0
        };
        if change != 0 || last_steps != Some(steps) {
            out.put(1, 1);
            out.put((3 * steps as i32 + change + 1) as u32, 5);
            last_steps = Some(steps);
        } else {
            out.put(0, 1);
        }
        for pair in run.windows(2) {
            let step = [0, 1, 2].map(|axis| (i64::from(pair[1][axis]) - i64::from(pair[0][axis]) + reach) as u32);
            out.put_three(step, [WIDTHS[width]; 3], width as u32);
        }
        before = run.last().copied();
        at += run.len();
        width = width.saturating_add_signed(change as isize);
    }
    Some(Packed { lowest, highest, width: first as i32, bytes: out.finish() })
}

/// What packed coordinates should have held, and what they held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) expected: &'static str,
    pub(super) found: String,
}

impl Damage {
    fn new(expected: &'static str, found: impl Into<String>) -> Self {
        Self { expected, found: found.into() }
    }

    fn ended() -> Self {
        Self::new("the bits of another atom", "the end of the packed coordinates")
    }
}

/// Unpacks so many points.
pub(super) fn unpack(packed: &Packed, atoms: usize) -> Result<Vec<Point>, Damage> {
    let Packed { lowest, highest, width, bytes } = packed;
    let full = FullAtom::new(*lowest, *highest)
        .ok_or_else(|| Damage::new("the corners of a box of coordinates", format!("{lowest:?} to {highest:?}")))?;
    let mut width = known_width(*width as isize)?;
    let mut input = BitReader::new(bytes);
    // An atom takes two bits at the least, so that a count that is not true asks for little.
    let mut points = Vec::with_capacity(atoms.min(bytes.len().saturating_mul(4)));
    let mut steps = 0;
    while points.len() < atoms {
        let mut last = full.take(&mut input).ok_or_else(Damage::ended)?;
        let mut change = 0;
        if input.take(1).ok_or_else(Damage::ended)? == 1 {
            let code = input.take(5).ok_or_else(Damage::ended)?;
            (steps, change) = (code as usize / 3, code as isize % 3 - 1);
        }
        let first = points.len();
        if steps >= atoms - first {
            return Err(Damage::new(
                "a run of atoms that ends with the frame",
                format!("{} too many", steps + 1 + first - atoms),
            ));
        }
        points.push(last);
        for _ in 0..steps {
            let step = input.take_three([WIDTHS[width]; 3], width as u32).ok_or_else(Damage::ended)?;
            last = stepped(last, step, step_reach(width))
                .ok_or_else(|| Damage::new("a coordinate of 32 bits", "a step beyond"))?;
            points.push(last);
        }
        if steps > 0 {
            points.swap(first, first + 1);
        }
        width = known_width(width as isize + change)?;
    }
    Ok(points)
}

fn known_width(number: isize) -> Result<usize, Damage> {
    let known = usize::try_from(number).ok().filter(|width| (FIRST..=LAST).contains(width));
    known.ok_or_else(|| Damage::new("a width of steps from 9 to 72", number.to_string()))
}

/// How an atom is given in full: its place in the box of all, in so many bits.
struct FullAtom {
    lowest: Point,
    sizes: [u32; 3],
    /// For the three axes together, or, in a wide box, each.
    bits: Result<u32, [u32; 3]>,
}

impl FullAtom {
    fn new(lowest: Point, highest: Point) -> Option<Self> {
        let extent = [0, 1, 2].map(|axis| i64::from(highest[axis]) - i64::from(lowest[axis]));
        if !extent.iter().all(|extent| (0..MOST).contains(extent)) {
            return None;
        }
        let sizes = extent.map(|extent| extent as u32 + 1);
        let is_wide = sizes.iter().any(|&size| size > WIDEST_TOGETHER);
        let each = sizes.map(|size| u32::BITS - size.leading_zeros());
        Some(Self { lowest, sizes, bits: if is_wide { Err(each) } else { Ok(bits_of_three(sizes)) } })
    }

    fn put(&self, out: &mut BitWriter, point: Point) {
        let place = [0, 1, 2].map(|axis| (i64::from(point[axis]) - i64::from(self.lowest[axis])) as u32);
        match self.bits {
            Ok(together) => out.put_three(place, self.sizes, together),
            Err(each) => place.iter().zip(each).for_each(|(&place, bits)| out.put(place, bits)),
        }
    }

    fn take(&self, input: &mut BitReader<'_>) -> Option<Point> {
        let place = match self.bits {
            Ok(together) => input.take_three(self.sizes, together)?,
            Err([x, y, z]) => [input.take(x)?, input.take(y)?, input.take(z)?].map(i64::from),
        };
        // A damaged place lies beyond the box; it wraps, and is a place as any other.
        Some([0, 1, 2].map(|axis| (i64::from(self.lowest[axis]) + place[axis]) as i32))
    }
}

fn bounds(points: &[Point]) -> Option<(Point, Point)> {
    let first = *points.first()?;
    let each = |pick: fn(i32, i32) -> i32| {
        points.iter().fold(first, |sum, point| [0, 1, 2].map(|axis| pick(sum[axis], point[axis])))
    };
    Some((each(i32::min), each(i32::max)))
}

fn step_reach(width: usize) -> i64 {
    i64::from(WIDTHS[width] / 2)
}

fn distance(a: Point, b: Point) -> [i64; 3] {
    [0, 1, 2].map(|axis| (i64::from(a[axis]) - i64::from(b[axis])).abs())
}

fn is_near(a: Point, b: Point, reach: i64) -> bool {
    distance(a, b).iter().all(|&along| along < reach)
}

// Whether every step of a run would do with a smaller reach.
fn is_short(run: &[Point], reach: i64) -> bool {
    run.windows(2).all(|pair| distance(pair[0], pair[1]).iter().map(|along| along * along).sum::<i64>() < reach * reach)
}

fn stepped(from: Point, step: [i64; 3], reach: i64) -> Option<Point> {
    let [x, y, z] = [0, 1, 2].map(|axis| i32::try_from(i64::from(from[axis]) + step[axis] - reach).ok());
    Some([x?, y?, z?])
}
