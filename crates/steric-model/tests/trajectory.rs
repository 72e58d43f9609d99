//! Trajectories come back as they were written, and no damage to a file is more than an error.
//!
//! How it works: random clouds of atoms, wide and narrow, go through each writer and its reader. XTC rounds to 0.001
//! nm, so an atom comes back within 0.0005 nm (and the rounding of an `f32`, where that is coarser); DCD keeps every
//! bit. Files are then cut and their bits flipped.

use std::io::Cursor;
use std::path::Path;

use glam::Vec3;
use proptest::prelude::*;
use steric_model::ReadError;
use steric_model::formats::trajectory::dcd::{DcdReader, DcdWriter};
use steric_model::formats::trajectory::xtc::{XtcReader, XtcWriter};
use steric_model::formats::trajectory::{BoxVectors, Frame, TrajectoryWriter, read_trajectory};

const TRICLINIC: BoxVectors = [[60.0, 0.0, 0.0], [12.0, 50.0, 0.0], [-7.0, 9.0, 40.0]];

/// Atoms within `spread` of a centre: independent, or each a short step from the one before.
fn cloud() -> impl Strategy<Value = Vec<Vec3>> {
    let spread = prop_oneof![Just(0.0f32), Just(0.05), Just(1.5), Just(30.0), Just(5e3), Just(2e5), Just(5e6)];
    let shift = prop_oneof![Just(0.0f32), Just(-1e4), Just(1e6)];
    let counts = prop_oneof![1usize..12, 12usize..200, 200usize..2000];
    (spread, shift, counts, any::<bool>(), 0.0f32..1.0).prop_flat_map(|(spread, shift, count, is_chain, jumps)| {
        let unit = prop::array::uniform3(-1.0f32..1.0).prop_map(Vec3::from_array);
        prop::collection::vec((unit, 0.0f32..1.0), count).prop_map(move |units| {
            let mut at = Vec3::splat(shift);
            let place = |(unit, chance): (Vec3, f32)| {
                let is_jump = !is_chain || chance < 0.2 * jumps;
                at = if is_jump { Vec3::splat(shift) + unit * spread } else { at + unit * 1.5 };
                at
            };
            units.into_iter().map(place).collect()
        })
    })
}

fn xtc(frames: &[Frame]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = XtcWriter::new(&mut file, frames[0].positions.len()).expect("a writer");
    for frame in frames {
        writer.frame(frame.step, frame.time_ps, frame.box_vectors, &frame.positions).expect("a frame");
    }
    writer.finish().expect("a file");
    file
}

fn dcd(frames: &[Frame]) -> Vec<u8> {
    let mut writer = DcdWriter::new(Cursor::new(Vec::new()), frames[0].positions.len()).expect("a writer");
    for frame in frames {
        writer.frame(frame.step, frame.time_ps, frame.box_vectors, &frame.positions).expect("a frame");
    }
    writer.finish().expect("a file").into_inner()
}

fn read_xtc_bytes(bytes: &[u8]) -> Result<Vec<Frame>, ReadError> {
    XtcReader::new(bytes, Path::new("walk.xtc")).collect()
}

fn read_dcd_bytes(bytes: &[u8]) -> Result<Vec<Frame>, ReadError> {
    DcdReader::new(bytes, Path::new("walk.dcd"))?.collect()
}

/// Two frames, the second with a box.
fn two_frames(positions: Vec<Vec3>) -> [Frame; 2] {
    let moved = positions.iter().map(|position| *position + Vec3::new(0.5, -0.25, 0.125)).collect();
    [
        Frame { step: 500, time_ps: 1.0, box_vectors: None, positions },
        Frame { step: 1000, time_ps: 2.0, box_vectors: Some(TRICLINIC), positions: moved },
    ]
}

/// Half the distance from a float to the next.
fn half_ulp(value: f32) -> f64 {
    (f64::from(value.abs().next_up()) - f64::from(value.abs())) / 2.0
}

fn assert_xtc_keeps(written: &Frame, read: &Frame) {
    assert_eq!(
        (read.step, read.time_ps, read.positions.len()),
        (written.step, written.time_ps, written.positions.len())
    );
    for (position, expected) in read.positions.iter().zip(&written.positions) {
        for axis in 0..3 {
            let error = (f64::from(position[axis]) - f64::from(expected[axis])).abs();
            let most = 0.005 + 2.0 * half_ulp(expected[axis]) + 1e-9;
            assert!(error <= most, "{position} for {expected}: {error} angstroms are more than {most}");
        }
    }
}

fn assert_box_near(read: Option<BoxVectors>, expected: BoxVectors) {
    let read = read.expect("a box");
    for (entry, expected) in read.iter().flatten().zip(expected.iter().flatten()) {
        assert!((entry - expected).abs() < 1e-5, "{read:?}");
    }
}

/// The first three of the header's numbers: frames, first step, steps between frames.
fn dcd_counts(file: &[u8]) -> [i32; 3] {
    [8, 12, 16].map(|at| i32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn xtc_keeps_atoms_within_half_a_thousandth_of_a_nanometre(positions in cloud()) {
        let written = two_frames(positions);
        let read = read_xtc_bytes(&xtc(&written)).expect("two frames");
        prop_assert_eq!(read.len(), 2);
        written.iter().zip(&read).for_each(|(written, read)| assert_xtc_keeps(written, read));
        prop_assert_eq!(read[0].box_vectors, None);
        assert_box_near(read[1].box_vectors, TRICLINIC);
    }

    #[test]
    fn dcd_keeps_every_bit_of_a_position(positions in cloud()) {
        let written = two_frames(positions);
        let file = dcd(&written);
        prop_assert_eq!(dcd_counts(&file), [2, 500, 500]);
        let read = read_dcd_bytes(&file).expect("two frames");
        prop_assert_eq!(read.len(), 2);
        for (written, read) in written.iter().zip(&read) {
            prop_assert_eq!(&read.positions, &written.positions);
            prop_assert_eq!(read.step, written.step);
            prop_assert!((read.time_ps - written.time_ps).abs() < 1e-6);
        }
        prop_assert_eq!(read[0].box_vectors, None);
        assert_box_near(read[1].box_vectors, TRICLINIC);
    }

    /// Wherever a file ends, what comes out are the whole frames before that place, and at most one error.
    #[test]
    fn a_cut_file_gives_its_whole_frames(positions in cloud(), cut in 0.0..1.0f64) {
        let written = two_frames(positions);
        let first = xtc(&written[..1]).len();
        let file = xtc(&written);
        let end = (file.len() as f64 * cut) as usize;
        let frames: Vec<_> = XtcReader::new(&file[..end], Path::new("cut.xtc")).collect();
        prop_assert_eq!(frames.iter().filter(|frame| frame.is_ok()).count(), usize::from(end >= first));
        prop_assert_eq!(frames.iter().any(Result::is_err), end != 0 && end != first);

        let file = dcd(&written);
        let frame = 3 * (4 * written[0].positions.len() + 8) + 56;
        let header = file.len() - 2 * frame;
        let end = (file.len() as f64 * cut) as usize;
        match DcdReader::new(&file[..end], Path::new("cut.dcd")) {
            Err(_) => prop_assert!(end < header),
            Ok(frames) => {
                let frames: Vec<_> = frames.collect();
                let whole = (end - header) / frame;
                prop_assert_eq!(frames.iter().filter(|frame| frame.is_ok()).count(), whole);
                prop_assert_eq!(frames.iter().any(Result::is_err), !(end - header).is_multiple_of(frame));
            }
        }
    }

    /// A reader of damaged bytes ends, and has not more atoms than the bytes can hold: two bits for each.
    #[test]
    fn flipped_bits_are_read_or_refused(
        positions in cloud(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..8),
        is_early in any::<bool>(),
    ) {
        let written = two_frames(positions);
        for (mut file, read) in [
            (xtc(&written), read_xtc_bytes as fn(&[u8]) -> Result<Vec<Frame>, ReadError>),
            (dcd(&written), read_dcd_bytes),
        ] {
            let most = if is_early { file.len().min(200) } else { file.len() };
            flips.iter().for_each(|(at, bit)| file[at.index(most)] ^= 1 << bit);
            if let Ok(frames) = read(&file) {
                let atoms: usize = frames.iter().map(|frame| frame.positions.len()).sum();
                prop_assert!(atoms <= 4 * file.len());
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(bytes.is_empty() || read_xtc_bytes(&bytes).is_err());
        prop_assert!(read_dcd_bytes(&bytes).is_err());
    }
}

#[test]
fn a_stopped_program_leaves_its_whole_frames() {
    let folder = tempfile::tempdir().expect("a folder");
    for ending in ["xtc", "dcd"] {
        let path = folder.path().join(format!("walk.{ending}"));
        let mut writer = TrajectoryWriter::create(&path, 20).expect("a file");
        let positions: Vec<Vec3> = (0..20).map(|atom| Vec3::splat(atom as f32)).collect();
        for step in 0..3u64 {
            writer.frame(10 * step, step as f64, None, &positions).expect("a frame");
        }
        // As if the program were stopped: nothing of the writer is run any more.
        std::mem::forget(writer);
        let frames: Vec<Frame> = read_trajectory(&path).expect("a file").collect::<Result<_, _>>().expect("frames");
        assert_eq!(frames.iter().map(|frame| frame.step).collect::<Vec<_>>(), [0, 10, 20]);
        if ending == "dcd" {
            assert_eq!(dcd_counts(&std::fs::read(&path).expect("a file")), [3, 0, 10]);
        }
    }
}

// The same frame as other programs write it: words the other way round, and without a box.
#[test]
fn dcd_is_read_in_either_byte_order_and_without_a_box() {
    let positions = [Vec3::new(1.0, -2.0, 3.5), Vec3::new(1e-3, 4e5, 0.0)];
    for is_big_endian in [false, true] {
        for version in [0, 24] {
            let file = plain_dcd(&positions, is_big_endian, version, 0);
            let frames = read_dcd_bytes(&file).expect("one frame");
            assert_eq!((frames.len(), &frames[0].positions[..], frames[0].box_vectors), (1, &positions[..], None));
            assert!((frames[0].time_ps - 3.0 * 0.5 * 0.048_888_21).abs() < 1e-7, "{}", frames[0].time_ps);
        }
    }
}

#[test]
fn a_place_that_is_no_number_is_refused_by_atom() {
    let file = plain_dcd(&[Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0)], true, 24, 0);
    let error = read_dcd_bytes(&file).expect_err("no number").to_string();
    assert!(error.ends_with(r#"expected frame 1: the place of atom 2, found "[0, NaN, 0]""#), "{error}");
}

// Four billion steps of 2 fs are 8.6 microseconds.
#[test]
fn xtc_counts_steps_to_four_billion() {
    let frame = Frame { step: 4_294_967_295, positions: vec![Vec3::ONE], ..Frame::default() };
    assert_eq!(read_xtc_bytes(&xtc(std::slice::from_ref(&frame))).expect("one frame"), [frame]);
}

#[test]
fn dcd_with_fixed_atoms_is_refused_by_name() {
    let file = plain_dcd(&[Vec3::ZERO; 2], false, 24, 1);
    let error = read_dcd_bytes(&file).expect_err("fixed atoms").to_string();
    assert!(error.starts_with("walk.dcd: byte 4: expected the header: a trajectory without fixed atoms"), "{error}");
    assert!(error.ends_with("found \"1 fixed atoms\""), "{error}");
}

/// A DCD file without a box: its first frame is step 3, a step takes half an AKMA unit.
fn plain_dcd(positions: &[Vec3], is_big_endian: bool, version: i32, fixed: i32) -> Vec<u8> {
    let int = |value: i32| if is_big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
    let mut numbers: Vec<[u8; 4]> = [0i32; 20].map(int).to_vec();
    numbers[1] = int(3);
    numbers[2] = int(1);
    numbers[8] = int(fixed);
    numbers[19] = int(version);
    if version == 0 {
        let time = if is_big_endian { 0.5f64.to_be_bytes() } else { 0.5f64.to_le_bytes() };
        numbers[9].copy_from_slice(&time[..4]);
        numbers[10].copy_from_slice(&time[4..]);
    } else {
        numbers[9] = int(0.5f32.to_bits() as i32);
    }
    let record = |bytes: Vec<u8>| [&int(bytes.len() as i32)[..], &bytes, &int(bytes.len() as i32)].concat();
    let along = |axis: usize| positions.iter().flat_map(|position| int(position[axis].to_bits() as i32)).collect();
    [
        record([b"CORD".to_vec(), numbers.concat()].concat()),
        record(int(0).to_vec()),
        record(int(positions.len() as i32).to_vec()),
        record(along(0)),
        record(along(1)),
        record(along(2)),
    ]
    .concat()
}

#[test]
fn a_frame_that_a_format_cannot_hold_is_refused_and_leaves_no_trace() {
    let mut writer = XtcWriter::new(Vec::new(), 12).expect("a writer");
    let mut positions = vec![Vec3::ONE; 12];
    assert!(writer.frame(0, 0.0, None, &positions[1..]).is_err());
    positions[3].y = f32::NAN;
    let error = writer.frame(0, 0.0, None, &positions).expect_err("no number").to_string();
    assert!(error.starts_with("atom 4 lies at [1, NaN, 1]"), "{error}");
    positions[3].y = 3e7;
    assert!(writer.frame(0, 0.0, None, &positions).is_err());
    (positions[3].y, positions[4].y) = (-2e7, 2e7);
    assert!(writer.frame(0, 0.0, None, &positions).is_err());
    assert!(writer.finish().expect("a file").is_empty());

    // Behind half a frame no reader finds another.
    let mut small = [0; 100];
    let mut writer = XtcWriter::new(&mut small[..], 12).expect("a writer");
    positions = (0..12).map(|atom| Vec3::splat(atom as f32)).collect();
    assert!(writer.frame(0, 0.0, None, &positions).is_err());
    let error = writer.frame(1, 0.0, None, &positions).expect_err("half a frame").to_string();
    assert_eq!(error, "an earlier frame could not be written whole");

    let turned = [[0.0, 50.0, 0.0], [-50.0, 0.0, 0.0], [0.0, 0.0, 50.0]];
    let mut writer = DcdWriter::new(Cursor::new(Vec::new()), 1).expect("a writer");
    let error = writer.frame(0, 0.0, Some(turned), &[Vec3::ZERO]).expect_err("a turned box").to_string();
    assert!(error.contains("first vector along x"), "{error}");
    assert!(writer.frame(0, 0.0, None, &[Vec3::INFINITY]).is_err());
    assert!(writer.frame(0, f64::NAN, None, &[Vec3::ZERO]).is_err());
    let file = writer.finish().expect("a file").into_inner();
    assert!(read_dcd_bytes(&file).expect("a header").is_empty());
}

// Water in a box, as simulations have it: three atoms close together, then the next molecule.
#[test]
fn packed_water_takes_less_than_half_of_plain_floats() {
    let mut random = steric_model::Random::new(7);
    let mut unit = || random.unit() as f32;
    let mut positions = Vec::new();
    for _ in 0..5000 {
        let oxygen = Vec3::new(unit(), unit(), unit()) * 53.0;
        positions.extend([oxygen, oxygen + Vec3::new(0.96, 0.0, 0.1), oxygen + Vec3::new(-0.24, 0.93, -0.1)]);
    }
    let frame = Frame { positions, ..Frame::default() };
    let bytes = xtc(std::slice::from_ref(&frame));
    assert!(bytes.len() * 2 < 12 * frame.positions.len(), "{} bytes", bytes.len());
    assert_xtc_keeps(&frame, &read_xtc_bytes(&bytes).expect("one frame")[0]);
}
