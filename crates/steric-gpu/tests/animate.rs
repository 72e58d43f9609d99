//! Molecules on a skeleton are moved on the GPU to where the CPU moves them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::gpu;
use glam::{DQuat, DVec3, Vec3};
use steric_gpu::{Choice, Gpu, GpuSkin};
use steric_model::{
    AtomRecord, Clip, Curve, Element, Joint, JointPose, Keys, Name, Random, Rig, Skeleton, Structure, StructureBuilder,
    Track,
};
use steric_world::animate::{Blend, Corrections, KeyFrames, Level, Manner, Moment, Puppet, PuppetOptions, reference};

/// Angstroms that the two may differ by.
const NEAR: f32 = 1e-3;
/// The clips of [`rig`].
const BENT: usize = 0;
const STRETCHED: usize = 1;

/// Chains that wind about a line, side by side, far from where coordinates begin.
fn helices(chains: usize, residues: usize, atoms: usize) -> Structure {
    let mut random = Random::new(7);
    let mut builder = StructureBuilder::new("helices", chains * residues * atoms);
    let carbon = Element::from_symbol("C").unwrap();
    let oxygen = Element::from_symbol("O").unwrap();
    for chain in 0..chains {
        let label = format!("C{chain}");
        for residue in 0..residues {
            let along = (residue as f64 + 0.5) * 120.0 / residues as f64;
            let (sin, cos) = (1.75 * residue as f64 + chain as f64).sin_cos();
            let middle = DVec3::new(340.0 + along, 9.0 * chain as f64 - 220.0 + 4.0 * cos, 150.0 + 4.0 * sin);
            for atom in 0..atoms {
                let position = (middle + 2.5 * random.unit() * random.direction()).as_vec3();
                let (residue_number, residue_name) = (residue as i32 + 1, Name::new("ALA"));
                let (name, element) = (Name::new(&format!("A{atom}")), if atom % 3 == 0 { oxygen } else { carbon });
                let record =
                    AtomRecord { position, element, name, residue_name, residue_number, ..AtomRecord::default() };
                builder.push(AtomRecord { chain: &label, ..record });
            }
        }
    }
    builder.finish()
}

/// Six joints along the helices, the last two side by side, bent and twisted by a second's clip, and in another one stretched.
fn rig() -> Rig {
    let joint = |name: &str, parent, x, y| Joint::new(name, parent, JointPose::at(DVec3::new(x, y, 0.0)));
    let mut root = joint("hip", None, 340.0, -212.0);
    root.rest.translation.z = 150.0;
    let skeleton = Skeleton::new(vec![
        root,
        joint("spine", Some(0), 30.0, 1.0),
        joint("chest", Some(1), 30.0, -1.0),
        joint("neck", Some(2), 25.0, 0.0),
        joint("left", Some(3), 20.0, 8.0),
        joint("right", Some(3), 20.0, -8.0),
    ]);
    let turn = |joint, axis: DVec3, angle| Track {
        joint,
        times: vec![0.0, 1.0],
        curve: Curve::Linear,
        keys: Keys::Rotation(vec![DQuat::IDENTITY, DQuat::from_axis_angle(axis.normalize(), angle)]),
    };
    let bends = vec![
        turn(0, DVec3::new(0.2, 1.0, 0.5), 0.8),
        turn(1, DVec3::Z, 1.1),
        turn(2, DVec3::X, 1.6),
        turn(3, DVec3::Y, -0.9),
        turn(4, DVec3::new(1.0, 1.0, 0.0), 1.2),
    ];
    let stretch = |joint, scale| Track {
        joint,
        times: vec![0.0, 1.0],
        curve: Curve::Linear,
        keys: Keys::Scale(vec![DVec3::ONE, scale]),
    };
    let mut stretches = bends.clone();
    stretches.extend([stretch(1, DVec3::new(1.3, 0.8, 1.0)), stretch(3, DVec3::splat(1.2))]);
    Rig { skeleton, clips: vec![Clip::new("bend", bends), Clip::new("stretch", stretches)], ..Rig::default() }
}

fn without_super_atoms() -> PuppetOptions {
    PuppetOptions { atoms_each: Vec::new(), ..PuppetOptions::default() }
}

fn puppet() -> Puppet {
    Puppet::new(helices(3, 400, 8), rig(), &without_super_atoms()).unwrap()
}

fn moments(clip: usize) -> impl Iterator<Item = Moment> {
    let levels = Level::ALL.into_iter();
    levels.flat_map(move |level| {
        Blend::ALL.into_iter().map(move |blend| Moment { clip, time: 0.9, level, blend, ..Moment::default() })
    })
}

fn farthest(found: &[Vec3], expected: &[Vec3]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let apart = found.iter().zip(expected).map(|(found, expected)| found.distance(*expected));
    apart.fold(0.0, |most, apart| if apart <= most { most } else { apart })
}

/// Where double precision has the atoms, one by one, but for chains, whose poses are the CPU's anyway.
fn by_reference(puppet: &Puppet, moment: &Moment) -> Vec<Vec3> {
    let (motions, heads, rest) = (puppet.motions(moment), puppet.heads(), &puppet.structure().atoms.positions);
    if moment.level == Level::Chain {
        return puppet.positions(moment);
    }
    let place = |(atom, rest): (usize, &Vec3)| {
        let Some(groups) = puppet.groups(moment.level) else {
            return reference::skin(rest.as_dvec3(), atom, puppet.hung(), &motions, heads, moment.blend).as_vec3();
        };
        let group = groups.of_atom[atom] as usize;
        let (centre, hung) = (groups.centres[group], puppet.residues_hung());
        let (turn, moved) = reference::skin_group(centre, group, hung, &motions, heads, moment.blend);
        (moved + turn * (rest.as_dvec3() - centre)).as_vec3()
    };
    rest.iter().enumerate().map(place).collect()
}

#[test]
fn every_level_and_blend_puts_atoms_where_the_cpu_puts_them() {
    let Some(gpu) = gpu() else { return };
    let puppet = puppet();
    let mut skin = GpuSkin::new(&gpu, &puppet).unwrap();
    assert!(skin.len() == 9_600 && skin.bytes() > 9_600 * 56);
    assert!(
        farthest(&skin.positions().unwrap(), &puppet.structure().atoms.positions) < 1e-4,
        "as bound before a frame"
    );
    for moment in moments(BENT).chain(moments(STRETCHED)) {
        skin.frame(&puppet, &moment).unwrap();
        let found = skin.positions().unwrap();
        let moved = farthest(&found, &puppet.structure().atoms.positions);
        assert!(moved > 10.0, "something is to be seen: {moved} {moment:?}");
        for expected in [puppet.positions(&moment), by_reference(&puppet, &moment)] {
            let apart = farthest(&found, &expected);
            assert!(apart < NEAR, "{apart} {moment:?}");
        }
    }
}

#[test]
fn groups_are_rigid_to_a_thousandth_of_an_angstrom() {
    let Some(gpu) = gpu() else { return };
    let puppet = puppet();
    let mut skin = GpuSkin::new(&gpu, &puppet).unwrap();
    let rest = &puppet.structure().atoms.positions;
    for moment in moments(STRETCHED) {
        let Some(groups) = puppet.groups(moment.level) else { continue };
        skin.frame(&puppet, &moment).unwrap();
        let found = skin.positions().unwrap();
        for group in 0..groups.len() {
            let members = groups.members(group);
            // Each with the next and with one far from it.
            for (place, &first) in members.iter().enumerate() {
                for second in
                    [members[(place + 1) % members.len()], members[(place + members.len() / 2) % members.len()]]
                {
                    let apart = |places: &[Vec3]| places[first as usize].distance(places[second as usize]);
                    assert!((apart(&found) - apart(rest)).abs() < NEAR, "{first} {second} {moment:?}");
                }
            }
        }
    }
}

#[test]
fn a_clip_that_is_not_there_moves_nothing() {
    let Some(gpu) = gpu() else { return };
    let puppet = puppet();
    let mut skin = GpuSkin::new(&gpu, &puppet).unwrap();
    for moment in moments(99) {
        skin.frame(&puppet, &moment).unwrap();
        assert!(farthest(&skin.positions().unwrap(), &puppet.structure().atoms.positions) < 2e-4, "{moment:?}");
    }
}

#[test]
fn atoms_are_ready_to_be_drawn_with_their_radii_also_in_several_arrays() {
    let Some(gpu) = gpu() else { return };
    let puppet = puppet();
    let small = gpu.with_arrays_of(48 << 10);
    let (mut whole, mut lots) = (GpuSkin::new(&gpu, &puppet).unwrap(), GpuSkin::new(&small, &puppet).unwrap());
    assert_eq!((whole.arrays().count(), lots.arrays().count()), (1, 4));
    for moment in moments(STRETCHED) {
        whole.frame(&puppet, &moment).unwrap();
        lots.frame(&puppet, &moment).unwrap();
        assert_eq!(whole.positions().unwrap(), lots.positions().unwrap(), "{moment:?}");
    }
    for (atoms, array) in lots.arrays() {
        let spheres: Vec<[f32; 4]> = gpu.read(array, atoms.len()).unwrap();
        assert!(spheres.iter().map(|sphere| sphere[3]).eq(puppet.radii()[atoms].iter().copied()));
    }
    let refused = GpuSkin::new(&gpu.with_arrays_of(4 << 10), &puppet).unwrap_err();
    assert!(refused.to_string().contains("bytes in one array"), "{refused}");
}

#[test]
fn bones_that_were_moved_by_a_hand_are_followed() {
    let Some(gpu) = gpu() else { return };
    let puppet = puppet();
    let mut skin = GpuSkin::new(&gpu, &puppet).unwrap();
    let mut rig = rig();
    rig.skeleton.joints[2].rest.translation.y += 6.0;
    rig.skeleton = Skeleton::new(rig.skeleton.joints);
    let other = puppet.with_rig(rig).unwrap();
    assert_ne!(other.hung().weights, puppet.hung().weights);
    for puppet in [&other, &puppet] {
        for moment in moments(BENT) {
            skin.frame(puppet, &moment).unwrap();
            let apart = farthest(&skin.positions().unwrap(), &puppet.positions(&moment));
            assert!(apart < NEAR, "{apart} {moment:?}");
        }
    }
}

#[test]
fn baked_corrections_are_shown() {
    let Some(gpu) = gpu() else { return };
    let mut puppet = puppet();
    let mut skin = GpuSkin::new(&gpu, &puppet).unwrap();
    let (mut random, dual) = (Random::new(3), Blend::DualQuaternion);
    let mut shift = || (0.5 * random.direction()).as_vec3();
    for level in Level::ALL {
        let count = puppet.groups(level).map_or(puppet.radii().len(), |groups| groups.len());
        let mut corrections = Corrections::new((BENT, Manner { level, blend: dual, ..Manner::default() }), count, 0.4);
        for time in [0.0, 1.0] {
            match level {
                Level::Atom => corrections.push_atoms(time, &(0..count).map(|_| shift()).collect::<Vec<_>>()),
                _ => corrections.push_groups(time, &(0..count).map(|_| [shift(), shift()]).collect::<Vec<_>>()),
            }
        }
        puppet.correct(corrections);
        for collide in [true, false] {
            let moment = Moment { time: 0.4, level, blend: dual, collide, ..Moment::default() };
            skin.frame(&puppet, &moment).unwrap();
            let apart = farthest(&skin.positions().unwrap(), &puppet.positions(&moment));
            assert!(apart < NEAR, "{apart} {moment:?}");
        }
    }
}

#[test]
fn a_trajectory_without_a_skeleton_is_shown() {
    let Some(gpu) = gpu() else { return };
    let structure = helices(2, 30, 8);
    let rest = structure.atoms.positions.clone();
    let turn = glam::Quat::from_rotation_z(0.7);
    let frames = KeyFrames::new(vec![0.0, 1.0], vec![rest.clone(), rest.iter().map(|&place| turn * place).collect()]);
    let puppet = Puppet::with_frames(structure, Rig::default(), Some(frames.unwrap()), &without_super_atoms()).unwrap();
    let mut skin = GpuSkin::new(&gpu, &puppet).unwrap();
    for moment in moments(0) {
        skin.frame(&puppet, &moment).unwrap();
        assert!(farthest(&skin.positions().unwrap(), &puppet.positions(&moment)) < NEAR, "{moment:?}");
    }
}

#[test]
fn frames_are_timed() {
    let Some(gpu) = gpu() else { return };
    let puppet = puppet();
    let mut skin = GpuSkin::new(&gpu, &puppet).unwrap();
    assert_eq!(skin.time_frames(3).unwrap(), 0.0, "no frame yet");
    skin.frame(&puppet, &Moment { time: 0.5, level: Level::Residue, ..Moment::default() }).unwrap();
    assert!(skin.time_frames(3).unwrap() > 0.0);
    if gpu.has_timestamps() {
        let names: Vec<&str> = skin.timed_frame().unwrap().stages.iter().map(|stage| stage.0).collect();
        assert_eq!(names, ["groups", "ride"]);
    }
}

#[test]
#[ignore = "a measurement"]
fn ten_million_atoms_on_the_fastest_gpu() {
    let Ok(gpu) = Gpu::open(&Choice::Auto) else { return eprintln!("skipped: no adapter") };
    let puppet = Puppet::new(helices(50, 25_000, 8), rig(), &without_super_atoms()).unwrap();
    let mut skin = GpuSkin::new(&gpu, &puppet).unwrap();
    eprintln!(
        "{}: {} atoms, {} sets, {} bytes",
        gpu.adapter().name,
        skin.len(),
        puppet.hung().sets.len(),
        skin.bytes()
    );
    gpu.warm_up().unwrap();
    for moment in moments(BENT).chain(moments(STRETCHED)) {
        skin.frame(&puppet, &moment).unwrap();
        let apart = farthest(&skin.positions().unwrap(), &puppet.positions(&moment));
        let mut times: Vec<f64> = (0..9).map(|_| skin.time_frames(100).unwrap()).collect();
        times.sort_by(f64::total_cmp);
        let start = std::time::Instant::now();
        for _ in 0..20 {
            skin.frame(&puppet, &moment).unwrap();
            gpu.wait().unwrap();
        }
        let whole = 50.0 * start.elapsed().as_secs_f64();
        let (clip, level, blend) = (moment.clip, moment.level.name(), moment.blend.name());
        let stages = skin.timed_frame().unwrap().stages;
        eprintln!(
            "clip {clip} {level} {blend}: {:.4} ms ({:.4} to {:.4}), with the host {whole:.3} ms, {stages:?}, {apart:.1e} A apart",
            times[4], times[0], times[8]
        );
    }
}
