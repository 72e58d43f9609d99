//! What molecules on a skeleton promise.
#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use std::path::Path;

use glam::{DQuat, DVec3, Vec3};
use proptest::prelude::*;
use steric_model::{
    AtomRecord, Clip, Curve, Element, Joint, JointPose, Keys, Name, Random, Rig, Skeleton, Structure, StructureBuilder,
    Track, Turning, formats,
};
use steric_world::animate::{
    Alignment, BakeOptions, Blend, BonesBy, Fit, Hung, JointMotion, KeyFrames, Level, Manner, Moment, Puppet,
    PuppetOptions, Reach, SkinnedPoints, SuperAtoms, Untangler, WeightOptions, generated, reference,
};

/// Two chains beside each other, each a zigzag of residues of five atoms.
fn ladder(residues: i32) -> Structure {
    ladder_with(residues, false)
}

/// The same, if wanted with a carbon that stands in the fifth residue of the second chain and belongs to none of its residues.
fn ladder_with(residues: i32, has_guest: bool) -> Structure {
    let mut builder = StructureBuilder::new("ladder", 0);
    for (chain, y) in [("A", 0.0f32), ("B", 9.0)] {
        for residue in 0..residues {
            for (number, (name, symbol)) in
                [("N", "N"), ("CA", "C"), ("C", "C"), ("O", "O"), ("CB", "C")].into_iter().enumerate()
            {
                let along = 3.8 * residue as f32 + [0.0, 1.45, 2.5, 2.5, 1.45][number];
                let side = [0.0, 0.5, 0.0, -1.2, 2.0][number];
                builder.push(AtomRecord {
                    position: Vec3::new(along, y + side, 0.4 * (residue % 2) as f32),
                    element: Element::from_symbol(symbol).unwrap_or_default(),
                    name: Name::new(name),
                    residue_name: Name::new("ALA"),
                    residue_number: residue + 1,
                    chain,
                    occupancy: 1.0,
                    ..AtomRecord::default()
                });
            }
        }
    }
    if has_guest {
        let element = Element::from_symbol("C").unwrap_or_default();
        let (residue_name, residue_number) = (Name::new("GUE"), residues + 1);
        let position = Vec3::new(3.8 * 4.0 + 1.45, 11.0, 2.0);
        builder.push(AtomRecord {
            position,
            element,
            residue_name,
            residue_number,
            chain: "B",
            ..AtomRecord::default()
        });
    }
    builder.finish()
}

/// Three bones along x that bend about z and twist about x.
fn rig(length: f64, degrees: f64, scale: f64) -> Rig {
    let third = length / 3.0;
    let joint = |name: &str, parent, x| {
        Joint::new(name, parent, JointPose::at(DVec3::new(x, if parent.is_none() { 4.0 } else { 0.0 }, 0.0)))
    };
    let skeleton = Skeleton::new(vec![joint("a", None, 0.0), joint("b", Some(0), third), joint("c", Some(1), third)]);
    let bend = |part: f64| {
        DQuat::from_rotation_z((part * degrees).to_radians())
            * DQuat::from_rotation_x((0.5 * part * degrees).to_radians())
    };
    let times = vec![0.0, 1.0, 2.0];
    let turn = |joint| Track {
        joint,
        times: times.clone(),
        curve: Curve::Linear,
        keys: Keys::Rotation(vec![bend(0.0), bend(1.0), bend(-0.7)]),
    };
    let stretch = Track {
        joint: 1,
        times: times.clone(),
        curve: Curve::Linear,
        keys: Keys::Scale(vec![DVec3::ONE, DVec3::new(scale, 1.0, 2.0 - scale), DVec3::ONE]),
    };
    let mut tracks = vec![turn(1), turn(2)];
    if scale != 1.0 {
        tracks.push(stretch);
    }
    Rig { skeleton, clips: vec![Clip::new("bend", tracks)], ..Rig::default() }
}

fn puppet(residues: i32, degrees: f64) -> Puppet {
    Puppet::new(ladder(residues), rig(3.8 * f64::from(residues), degrees, 1.0), &PuppetOptions::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn eight_at_a_time_move_points_as_the_papers_say(
        seed in 0u64..1000, count in 1usize..200, degrees in -170.0..170.0f64, scale in prop::sample::select(vec![1.0, 0.7, 1.4]),
        time in 0.0..2.0f64, far in prop::sample::select(vec![0.0, 3000.0]), connected: bool,
    ) {
        let mut random = Random::new(seed);
        let shift = DVec3::splat(far);
        let points: Vec<DVec3> = (0..count)
            .map(|_| shift + DVec3::new(80.0 * random.unit(), 10.0, 0.0) + random.direction() * 12.0 * random.unit())
            .collect();
        let rig = rig(80.0, degrees, scale).moved(&glam::DAffine3::from_translation(shift));
        let options = WeightOptions { reach: if connected { Reach::Connected } else { Reach::All }, ..WeightOptions::default() };
        let hung = Hung::new(&rig.skeleton, &points, &options);
        let poses = rig.clips[0].poses(&rig.skeleton, time, Turning::Slerp);
        let motions = JointMotion::all(&rig.skeleton, &rig.skeleton.motions(&poses));
        let heads: Vec<DVec3> = rig.skeleton.joints.iter().map(|joint| joint.bind.translation).collect();
        let skinned = SkinnedPoints::new(&points, &hung);
        for blend in Blend::ALL {
            let fast = skinned.moved(&skinned.palette(&motions, &heads, blend));
            for (number, point) in points.iter().enumerate() {
                let slow = reference::skin(*point, number, &hung, &motions, &heads, blend);
                prop_assert!((fast[number].as_dvec3() - slow).length() < 1e-3, "{blend:?} {number}: {} {slow}", fast[number]);
            }
        }
    }
}

#[test]
fn joints_that_move_as_one_move_points_rigidly_with_every_blend() {
    let mut rig = rig(60.0, 0.0, 1.0);
    let whole = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 2.5);
    rig.clips[0].tracks =
        vec![Track { joint: 0, times: vec![0.0], curve: Curve::Step, keys: Keys::Rotation(vec![whole]) }];
    let puppet = Puppet::new(ladder(12), rig, &PuppetOptions::default()).unwrap();
    let head = puppet.heads()[0];
    for blend in Blend::ALL {
        for level in Level::ALL {
            let moved = puppet.positions(&Moment { blend, level, ..Moment::default() });
            for (now, rest) in moved.iter().zip(&puppet.structure().atoms.positions) {
                let expected = head + whole * (rest.as_dvec3() - head);
                assert!(now.as_dvec3().distance(expected) < 1e-3, "{blend:?} {level:?}");
            }
        }
    }
}

#[test]
fn inside_a_rigid_group_distances_stay_over_the_whole_clip() {
    let puppet = puppet(30, 50.0);
    let rest = &puppet.structure().atoms.positions;
    for level in [Level::Residue, Level::Chain] {
        let groups = puppet.groups(level).unwrap();
        for blend in Blend::ALL {
            for step in 0..=40 {
                let moved =
                    puppet.positions(&Moment { time: f64::from(step) / 20.0, level, blend, ..Moment::default() });
                for group in 0..groups.len() {
                    let members = groups.members(group);
                    for (a, b) in members.iter().zip(members.iter().rev()) {
                        let [a, b] = [*a as usize, *b as usize];
                        let change = moved[a].distance(moved[b]) - rest[a].distance(rest[b]);
                        assert!(change.abs() < 1e-3, "{level:?} {blend:?} {change}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_twist_by_half_a_turn_collapses_with_linear_blending_alone() {
    let skeleton = rig(60.0, 0.0, 1.0).skeleton;
    let twist = Keys::Rotation(vec![DQuat::IDENTITY, DQuat::from_rotation_x(std::f64::consts::PI)]);
    let clip = Clip::new("wrapper", vec![Track { joint: 1, times: vec![0.0, 1.0], curve: Curve::Linear, keys: twist }]);
    let rim: Vec<DVec3> =
        (0..12).map(|i| DVec3::new(20.0, 4.0, 0.0) + DQuat::from_rotation_x(f64::from(i)) * DVec3::Y * 5.0).collect();
    let hung = Hung::new(&skeleton, &rim, &WeightOptions { reach: Reach::Connected, ..WeightOptions::default() });
    let poses = clip.poses(&skeleton, 1.0, Turning::Slerp);
    let motions = JointMotion::all(&skeleton, &skeleton.motions(&poses));
    let heads: Vec<DVec3> = skeleton.joints.iter().map(|joint| joint.bind.translation).collect();
    let skinned = SkinnedPoints::new(&rim, &hung);
    let wide = |blend| {
        let moved = skinned.moved(&skinned.palette(&motions, &heads, blend));
        moved.iter().map(|place| Vec3::new(0.0, place.y - 4.0, place.z).length()).fold(f32::INFINITY, f32::min)
    };
    assert!(wide(Blend::Linear) < 1.0, "{}", wide(Blend::Linear));
    assert!(wide(Blend::Spherical) > 4.9, "{}", wide(Blend::Spherical));
    assert!(wide(Blend::DualQuaternion) > 4.9, "{}", wide(Blend::DualQuaternion));
}

#[test]
fn a_root_that_hardly_pulls_does_not_decide_on_which_side_others_are_blended() {
    let turned = |degrees: f64| JointMotion::new(&glam::DAffine3::from_rotation_x(degrees.to_radians()), DVec3::ZERO);
    // Two limbs a little before and a little behind half a turn, and a root that stands still.
    let motions = [turned(0.0), turned(170.0), turned(190.0)];
    let hung = Hung { sets: vec![[0, 1, 2, 0]], set_of: vec![0], weights: vec![[0.02, 0.49, 0.49, 0.0]] };
    let heads = [DVec3::ZERO; 3];
    let skinned = SkinnedPoints::new(&[DVec3::Y], &hung);
    for blend in [Blend::Spherical, Blend::DualQuaternion] {
        let moved = skinned.moved(&skinned.palette(&motions, &heads, blend))[0];
        assert!(moved.y < -0.99, "half around, as both limbs are: {blend:?} {moved}");
    }
}

#[test]
fn a_chain_keeps_the_length_of_its_bone_and_shares_what_is_left_over() {
    let puppet = puppet(30, 60.0);
    let moment = Moment { time: 1.0, level: Level::Chain, ..Moment::default() };
    let (chains, bones) = (puppet.groups(Level::Chain).unwrap(), puppet.chain_bones());
    let posed = bones.posed(chains, &puppet.group_poses(&moment).unwrap());
    let motions = puppet.motions(&moment);
    for (chain, (before, after)) in bones.bones.iter().zip(&posed).enumerate() {
        let length = |bone: &steric_model::Bone| bone.head.distance(bone.tail);
        assert!((length(before) - length(after)).abs() < 1e-6);
        let moved =
            |point, part| reference::skin(point, 3 * chain + part, &bones.hung, &motions, puppet.heads(), moment.blend);
        let (head, tail) = (moved(before.head, 0), moved(before.tail, 1));
        assert!(head.distance(tail) < length(before) - 1.0, "the ends come nearer where the skeleton bends");
        let surplus = [head.distance(after.head), tail.distance(after.tail)];
        assert!((surplus[0] - surplus[1]).abs() < 1e-6, "{surplus:?}");
    }
}

#[test]
fn super_atoms_cover_their_atoms_and_stay_inside_groups() {
    let puppet = puppet(40, 30.0);
    let positions = &puppet.structure().atoms.positions;
    for level in Level::ALL {
        let mut before = usize::MAX;
        for own in puppet.super_atoms(level) {
            for ((place, radius), &of) in positions.iter().zip(puppet.radii()).zip(&own.of_atom) {
                let sphere = own.spheres[of as usize];
                assert!(sphere.center.distance(*place) + radius <= sphere.radius + 1e-3);
            }
            if let Some(groups) = puppet.groups(level) {
                let of = own.groups_of(groups);
                assert!(own.of_atom.iter().zip(&groups.of_atom).all(|(&own, &group)| of[own as usize] == group));
            }
            assert!(own.spheres.len() <= before);
            before = own.spheres.len();
        }
        let levels: Vec<usize> = [100.0, 3.0, 0.8, 0.01].map(|wide| puppet.distance_level(level, wide, 6.0)).to_vec();
        assert!(levels.is_sorted() && levels[0] == 0 && levels[3] == puppet.super_atoms(level).len(), "{levels:?}");
    }
}

#[test]
fn corrections_hold_atoms_apart_in_every_frame_and_between_them() {
    for level in Level::ALL {
        let mut puppet = puppet(24, 75.0);
        let moment = Moment { level, ..Moment::default() };
        let untangler = Untangler::new(&puppet);
        let options = BakeOptions { frames: 40, ..BakeOptions::default() };
        let corrections = untangler.bake(&puppet, &moment, &options, &mut |_, _| true).unwrap();
        let pressed = corrections.report.iter().map(|at| at.before.pairs).max().unwrap();
        assert!(pressed > 0, "{level:?}: the motion presses nothing together");
        assert!(corrections.is_clean(), "{level:?}: {:?}", corrections.report.iter().max_by_key(|at| at.after.pairs));
        puppet.correct(corrections);
        // Found by comparing every pair, not by the search that was used to part them.
        for step in 0..=160 {
            let positions = puppet.positions(&Moment { time: f64::from(step) / 80.0, collide: true, ..moment });
            let deepest = deepest_by_hand(&puppet, &positions);
            assert!(deepest < 0.4, "{level:?} at {step}: {deepest}");
        }
    }
}

#[test]
fn chains_come_apart_whatever_overlaps_inside_them() {
    let (structure, count) = (ladder_with(24, true), ladder(24).atoms.len());
    let puppet = Puppet::new(structure, rig(91.2, 75.0, 1.0), &PuppetOptions::default()).unwrap();
    let untangler = Untangler::new(&puppet);
    let inside = untangler.overlaps(&puppet.structure().atoms.positions, 0.4);
    assert!(inside.iter().any(|(pair, _)| pair.contains(&(count as u32))), "the guest overlaps its own chain");
    let moment = Moment { level: Level::Chain, ..Moment::default() };
    let options = BakeOptions { frames: 8, ..BakeOptions::default() };
    let corrections = untangler.bake(&puppet, &moment, &options, &mut |_, _| true).unwrap();
    assert!(corrections.report.iter().any(|at| at.before.pairs > 0), "the motion presses chains together");
    assert!(corrections.is_clean(), "{:?}", corrections.report);
}

#[test]
fn atoms_of_a_file_without_residues_are_held_apart_too() {
    let rod: String = (0..900).map(|i| format!("C {} 0 0\n", 1.5 * f64::from(i))).collect();
    let rod = formats::xyz::read_xyz(format!("900\nrod\n{rod}").as_bytes(), Path::new("rod.xyz")).unwrap().value;
    let rig = generated(&rod, BonesBy::Chain);
    let puppet = Puppet::new(rod, rig, &PuppetOptions { atoms_each: Vec::new(), ..PuppetOptions::default() }).unwrap();
    let rest = &puppet.structure().atoms.positions;
    let untangler = Untangler::new(&puppet);
    assert!(untangler.overlaps(rest, 0.4).is_empty(), "bonded neighbours may overlap");
    let folded: Vec<Vec3> =
        rest.iter().map(|place| if place.x > 900.0 { *place - Vec3::X * 600.0 } else { *place }).collect();
    assert!(untangler.overlaps(&folded, 0.4).len() > 100);
}

fn deepest_by_hand(puppet: &Puppet, positions: &[Vec3]) -> f32 {
    let structure = puppet.structure();
    let bonds = steric_model::chemistry::BondGraph::new(structure);
    let mut deepest = 0.0f32;
    for a in 0..positions.len() {
        for b in 0..a {
            let overlap = puppet.radii()[a] + puppet.radii()[b] - positions[a].distance(positions[b]);
            let is_apart = structure.atoms.residues[a] != structure.atoms.residues[b];
            if overlap > deepest && is_apart && !bonds.within(a as u32, b as u32, 4) {
                deepest = overlap;
            }
        }
    }
    deepest
}

#[test]
fn corrections_and_motions_have_the_same_bits_on_any_number_of_threads() {
    let made = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let puppet = puppet(60, 70.0);
            let moment = Moment { level: Level::Residue, ..Moment::default() };
            let options = BakeOptions { frames: 6, ..BakeOptions::default() };
            let corrections = Untangler::new(&puppet).bake(&puppet, &moment, &options, &mut |_, _| true).unwrap();
            (corrections, puppet.positions(&Moment { time: 0.7, ..Moment::default() }))
        })
    };
    let (one, three) = (made(1), made(3));
    assert_eq!(one.0, three.0);
    assert_eq!(one.1, three.1);
}

#[test]
fn one_file_holds_everything_and_is_read_without_a_difference() {
    let mut puppet = puppet(20, 60.0);
    let moment = Moment { level: Level::Residue, collide: true, time: 0.9, ..Moment::default() };
    let options = BakeOptions { frames: 10, ..BakeOptions::default() };
    let corrections = Untangler::new(&puppet).bake(&puppet, &moment, &options, &mut |_, _| true).unwrap();
    puppet.correct(corrections);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.steric");
    puppet.save(&path).unwrap();
    let again = Puppet::load(&path).unwrap();
    assert_eq!(again.rig(), puppet.rig());
    assert_eq!(again.structure().residues, puppet.structure().residues);
    for level in Level::ALL {
        let moment = Moment { level, ..moment };
        assert_eq!(again.positions(&moment), puppet.positions(&moment));
        assert_eq!(again.spheres(&moment, 1), puppet.spheres(&moment, 1));
        assert_eq!(again.super_atoms(level), puppet.super_atoms(level));
    }
    assert_eq!(again.corrections()[0], puppet.corrections()[0]);
}

#[test]
fn one_file_keeps_bonds_a_skewed_box_and_how_it_is_played() {
    let mut structure = ladder(6);
    structure.bonds = vec![steric_model::Bond { first: 0, second: 7, order: 2 }];
    let skewed = glam::DMat3::from_cols(DVec3::new(40.0, 3.0, 0.0), DVec3::new(0.0, 50.0, 2.0), DVec3::Z * 60.0);
    structure.periodic_box = steric_model::PeriodicBox::new(skewed);
    let mut puppet = Puppet::new(structure, rig(20.0, 20.0, 1.0), &PuppetOptions::default()).unwrap();
    let manner = Manner { level: Level::Chain, blend: Blend::Linear, turning: Turning::Lerp };
    puppet.set_manner(manner);
    let again = Puppet::load_bytes(&puppet.to_bytes().unwrap(), Path::new("box.steric")).unwrap();
    assert_eq!((again.manner(), &again.structure().bonds), (manner, &puppet.structure().bonds));
}

#[test]
fn a_damaged_file_is_refused_with_a_sentence_and_never_panics() {
    let puppet = puppet(8, 20.0);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.steric");
    puppet.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let mut random = Random::new(11);
    let mut refused = 0;
    for round in 0..400 {
        let mut damaged = bytes.clone();
        if round % 4 == 0 {
            damaged.truncate((random.unit() * damaged.len() as f64) as usize);
        } else {
            for _ in 0..1 + round % 3 {
                let at = (random.unit() * damaged.len() as f64) as usize;
                damaged[at] ^= 1 << (random.next_u64() % 8);
            }
        }
        if let Err(error) = Puppet::load_bytes(&damaged, Path::new("damaged.steric")) {
            assert!(error.to_string().starts_with("damaged.steric: expected "), "{error}");
            refused += 1;
        }
    }
    assert!(refused > 300, "{refused}");
    for (entry, numbers, words) in [
        ("radii", f32::NAN.to_le_bytes().repeat(80), "radii of 0 to 100"),
        ("groups/residue-centres", 1e300f64.to_le_bytes().repeat(48), "finite centres"),
        ("weights/atom/weights", (-1f32).to_le_bytes().repeat(320), "joints and sets"),
        ("bonds", 900u32.to_le_bytes().repeat(3), "bonds of atoms that are there"),
    ] {
        let hostile = changed(&bytes, entry, |_| numbers.clone());
        let error = Puppet::load_bytes(&hostile, Path::new("hostile.steric")).unwrap_err().to_string();
        assert!(error.contains(words), "{entry}: {error}");
    }
    let newer = rewritten(&bytes, "\"version\":[1,0]", "\"version\":[2,0]");
    let error = Puppet::load_bytes(&newer, Path::new("newer.steric")).unwrap_err().to_string();
    assert!(error.contains("version 1") && error.contains("2.0"), "{error}");
    let later = rewritten(&bytes, "\"version\":[1,0]", "\"version\":[1,7],\"unknown\":[3]");
    assert!(Puppet::load_bytes(&later, Path::new("later.steric")).is_ok(), "a later minor version may add things");
}

/// The archive with another manifest.
fn rewritten(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    changed(bytes, "manifest.json", |content| {
        let text = String::from_utf8(content).unwrap();
        assert!(text.contains(from));
        text.replace(from, to).into_bytes()
    })
}

/// The archive with another content of one entry.
fn changed(bytes: &[u8], which: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    use std::io::{Cursor, Read, Write};
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        if name == which {
            content = change(content);
        }
        out.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        out.write_all(&content).unwrap();
    }
    out.finish().unwrap().into_inner()
}

#[test]
fn a_skeleton_of_another_size_and_place_is_fitted() {
    let structure = ladder(40);
    let whole = rig(152.0, 0.0, 1.0);
    let turn = glam::DAffine3::from_scale_rotation_translation(
        DVec3::splat(0.01),
        DQuat::from_rotation_y(1.1) * DQuat::from_rotation_z(0.6),
        DVec3::new(7.0, -3.0, 900.0),
    );
    let elsewhere = whole.moved(&turn);
    let (fitted, is_fitted) = Alignment { fit: Fit::Auto, ..Alignment::default() }.apply(&elsewhere, &structure);
    assert!(is_fitted);
    let nearest = |rig: &Rig, place: &Vec3| {
        rig.skeleton.bones().iter().map(|bone| bone.distance(place.as_dvec3())).fold(f64::INFINITY, f64::min)
    };
    let worst = structure.atoms.positions.iter().map(|place| nearest(&fitted, place)).fold(0.0, f64::max);
    assert!(worst < 15.0, "{worst}");
    let (same, is_fitted) = Alignment::default().apply(&whole, &structure);
    assert!(!is_fitted && same.skeleton == whole.skeleton, "what fits already stays");
}

#[test]
fn frames_of_a_trajectory_are_keys_and_groups_stay_rigid_between_them() {
    let structure = ladder(10);
    let rest = structure.atoms.positions.clone();
    let turned: Vec<Vec3> = rest.iter().map(|place| glam::Quat::from_rotation_z(1.2) * *place).collect();
    let frames = KeyFrames::new(vec![0.0, 1.0], vec![rest.clone(), turned.clone()]).unwrap();
    let puppet = Puppet::with_frames(structure, Rig::default(), Some(frames), &PuppetOptions::default()).unwrap();
    let at = |time, level| puppet.positions(&Moment { time, level, ..Moment::default() });
    for level in Level::ALL {
        let largest = at(1.0, level).iter().zip(&turned).fold(0.0f32, |most, (a, b)| most.max(a.distance(*b)));
        assert!(largest < 1e-3, "{level:?} {largest}");
    }
    let half = at(0.5, Level::Chain);
    assert!((half[0].distance(half[7]) - rest[0].distance(rest[7])).abs() < 1e-3);
}

#[test]
fn a_skeleton_that_is_edited_moves_atoms_at_once() {
    let puppet = puppet(20, 40.0);
    let mut rig = puppet.rig().clone();
    rig.skeleton.joints[2].rest.translation.x += 6.0;
    rig.skeleton.bind_at_rest();
    let edited = puppet.with_rig(rig.clone()).unwrap();
    let fresh = Puppet::new(puppet.structure().clone(), rig, &PuppetOptions::default()).unwrap();
    let moment = Moment { time: 1.0, ..Moment::default() };
    assert_ne!(edited.positions(&moment), puppet.positions(&moment));
    assert_eq!(edited.positions(&moment), fresh.positions(&moment));
}

fn shared(name: &str) -> Option<std::path::PathBuf> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/structures/haushofer")).join(name);
    if !path.is_file() {
        println!("skipped: no ../shared/data");
        return None;
    }
    Some(path)
}

#[test]
fn fibrinogen_gets_bones_along_its_helices_domains_and_chains() {
    let Some(path) = shared("3ghg_fibrinogen.pdb.gz") else { return };
    let structure = formats::read(&path).unwrap().value;
    let count = |by| generated(&structure, by).skeleton.bones().len();
    let (helices, domains, chains) = (count(BonesBy::Helix), count(BonesBy::Domain), count(BonesBy::Chain));
    assert!(chains == 10 && domains > chains && helices > domains, "{helices} {domains} {chains}");
    // The long coiled coils are helices of more than a hundred angstroms.
    let bones = generated(&structure, BonesBy::Helix).skeleton.bones();
    assert!(bones.iter().any(|bone| bone.head.distance(bone.tail) > 100.0));
    let tree = SuperAtoms::new(
        &structure.atoms.positions,
        &vec![1.7; structure.atoms.len()],
        None,
        15.816,
        1,
        &generated(&structure, BonesBy::Chain).skeleton,
        &WeightOptions::default(),
    );
    assert_eq!(tree.spheres.len(), 1000);
}
