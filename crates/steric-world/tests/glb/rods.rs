//! Rods on skeletons.

use glam::{DQuat, DVec3, Vec3};
use steric_model::{
    AtomRecord, Clip, Curve, Element, Joint, JointPose, Keys, Name, Rig, Skeleton, Structure, StructureBuilder, Track,
};
use steric_world::animate::{Puppet, PuppetOptions, Reach, WeightOptions};

/// A crooked rod along x: two chains of 30 atoms, five to a residue.
pub(crate) fn rod(atoms: usize) -> Structure {
    let mut builder = StructureBuilder::new("rod", atoms);
    for atom in 0..atoms {
        let along = 1.5 * atom as f32;
        builder.push(AtomRecord {
            position: Vec3::new(along, (3.0 * along).sin(), (2.0 * along).cos()),
            element: Element::from_symbol(if atom % 3 == 0 { "N" } else { "C" }).unwrap(),
            residue_name: Name::new("ALA"),
            residue_number: atom as i32 / 5 + 1,
            chain: if atom < atoms / 2 { "A" } else { "B" },
            ..AtomRecord::default()
        });
    }
    builder.finish()
}

/// The keys of one property.
pub(crate) fn track(joint: u32, times: &[f64], curve: Curve, keys: Keys) -> Track {
    Track { joint, times: times.to_vec(), curve, keys }
}

/// Three joints on one that only carries them; clips of every curve.
pub(crate) fn rig() -> Rig {
    let carrier = JointPose {
        translation: DVec3::new(-1.0, 2.0, 3.0),
        rotation: DQuat::from_rotation_y(0.4),
        scale: DVec3::splat(1.5),
    };
    let mut skeleton = Skeleton::new(vec![
        Joint { moves_atoms: false, ..Joint::new("placed", None, carrier) },
        Joint::new("shoulder", Some(0), JointPose::at(DVec3::new(0.0, -1.0, -2.0))),
        Joint::new(
            "elbow",
            Some(1),
            JointPose { rotation: DQuat::from_rotation_x(0.3), ..JointPose::at(DVec3::X * 20.0) },
        ),
        Joint::new("hand", Some(2), JointPose::at(DVec3::new(20.0, 0.0, 1.0))),
    ]);
    skeleton.bind_at_rest();
    let turns = |angles: &[f64]| Keys::Rotation(angles.iter().map(|&angle| DQuat::from_rotation_z(angle)).collect());
    let moves = Keys::Translation(vec![DVec3::ZERO, DVec3::new(4.0, 5.0, -3.0)]);
    let bend = vec![
        track(2, &[0.0, 1.0, 2.0], Curve::Linear, turns(&[0.3, 1.7, -0.4])),
        track(3, &[0.0, 0.75, 2.0], Curve::Linear, turns(&[0.0, 1.0, 2.5])),
        track(1, &[0.5, 2.0], Curve::Linear, moves),
        track(1, &[0.0, 2.0], Curve::Linear, Keys::Scale(vec![DVec3::ONE, DVec3::new(1.1, 1.0, 0.9)])),
    ];
    let tangent = DQuat::from_xyzw(0.1, 0.0, 0.6, -0.2);
    let cubic = [0.0, 1.2, 0.2].iter().flat_map(|&angle| [tangent, DQuat::from_rotation_y(angle), tangent * 0.5]);
    let swing = vec![
        track(2, &[0.0, 0.5, 2.0], Curve::Cubic, Keys::Rotation(cubic.collect())),
        track(
            3,
            &[0.0, 1.0],
            Curve::Cubic,
            Keys::Translation((0..6).map(|n| DVec3::new(20.0, f64::from(n), 1.0)).collect()),
        ),
    ];
    let jump = vec![track(3, &[0.0, 0.5, 1.3], Curve::Step, turns(&[0.1, 1.5, -1.0]))];
    let clips = vec![Clip::new("bend", bend), Clip::new("swing", swing), Clip::new("jump", jump)];
    Rig { skeleton, clips, ..Rig::default() }
}

/// Sixty atoms on that rig.
pub(crate) fn puppet() -> Puppet {
    Puppet::new(rod(60), rig(), &PuppetOptions::default()).unwrap()
}

/// The same with one clip.
pub(crate) fn with_clip(clip: Clip, reach: Reach) -> Puppet {
    let weights = WeightOptions { reach, ..WeightOptions::default() };
    let options = PuppetOptions { weights, ..PuppetOptions::default() };
    Puppet::new(rod(60), Rig { clips: vec![clip], ..rig() }, &options).unwrap()
}
