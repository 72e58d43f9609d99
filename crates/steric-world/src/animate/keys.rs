//! Keys that a hand adds to a clip.
//!
//! How it works: of several tracks that turn a joint the last one counts, so a key goes into that one; a joint without any gets one of its
//! own. A key that stands at that time already is replaced. Quaternions are put on the side of the key before, as cubic curves go straight
//! from number to number. A new key of a cubic curve has the tangent of Catmull and Rom: parallel to the line between its neighbours.

use glam::DQuat;
use steric_model::{Clip, Curve, Keys, Track};

/// Keys that are nearer than this are one, in seconds; clips count them so, too.
const SAME: f64 = 1e-4;

/// Lets a joint have a rotation, in the frame of its parent, at a time in seconds. A clip that was shorter becomes as long. What is no
/// number changes nothing, and a time before the start is the start.
///
/// ```
/// use glam::DQuat;
/// use steric_model::{Clip, Joint, JointPose, Skeleton, Turning};
/// use steric_world::animate::add_rotation_key;
///
/// let skeleton = Skeleton::new(vec![Joint::new("arm", None, JointPose::IDENTITY)]);
/// let mut wave = Clip::new("wave", Vec::new());
/// add_rotation_key(&mut wave, 0, 0.0, DQuat::IDENTITY);
/// add_rotation_key(&mut wave, 0, 2.0, DQuat::from_rotation_z(1.0));
/// let half_way = wave.poses(&skeleton, 1.0, Turning::Slerp)[0].rotation;
/// assert!(half_way.angle_between(DQuat::from_rotation_z(0.5)) < 1e-6);
/// assert_eq!((wave.duration, wave.tracks.len()), (2.0, 1));
/// ```
pub fn add_rotation_key(clip: &mut Clip, joint: u32, time: f64, rotation: DQuat) {
    if !time.is_finite() || !rotation.is_finite() || rotation.length_squared() < 1e-12 {
        return;
    }
    let (time, rotation) = (time.max(0.0), rotation.normalize());
    let turns = |track: &Track| track.joint == joint && matches!(track.keys, Keys::Rotation(_)) && track.is_sound();
    match clip.tracks.iter_mut().rev().find(|track| turns(track)) {
        Some(track) => insert(track, time, rotation),
        None => {
            let keys = Keys::Rotation(vec![rotation]);
            clip.tracks.push(Track { joint, times: vec![time], curve: Curve::Linear, keys });
        }
    }
    clip.duration = clip.duration.max(time);
}

fn insert(Track { times, curve, keys, .. }: &mut Track, time: f64, rotation: DQuat) {
    let Keys::Rotation(values) = keys else { return };
    let each = curve.values_per_key();
    // Of a tangent, a value and a tangent the value is in the middle.
    let value_at = |key: usize| key * each + each / 2;
    let at = times.partition_point(|&key| key < time - SAME);
    let before = values[value_at(at.saturating_sub(1))];
    let rotation = if before.dot(rotation) < 0.0 { -rotation } else { rotation };
    if times.get(at).is_some_and(|&key| key <= time + SAME) {
        values[value_at(at)] = rotation;
        return;
    }
    let own = (time, rotation);
    let neighbour = |key: Option<usize>| match key.filter(|&key| key < times.len()) {
        Some(key) => (times[key], values[value_at(key)]),
        None => own,
    };
    let (from, to) = (neighbour(at.checked_sub(1)), neighbour(Some(at)));
    let tangent = (to.1 + from.1 * -1.0) * (1.0 / (to.0 - from.0));
    let new = [tangent, rotation, tangent];
    values.splice(at * each..at * each, if *curve == Curve::Cubic { new.to_vec() } else { vec![rotation] });
    times.insert(at, time);
}

#[cfg(test)]
mod tests {
    use steric_model::{Joint, JointPose, Skeleton, Turning};

    use super::*;

    fn turn(angle: f64) -> DQuat {
        DQuat::from_rotation_z(angle)
    }

    fn rotation_at(clip: &Clip, time: f64) -> DQuat {
        let joints = (0..2).map(|joint| Joint::new(format!("{joint}"), None, JointPose::IDENTITY)).collect();
        clip.poses(&Skeleton::new(joints), time, Turning::Slerp)[1].rotation
    }

    fn is_near(one: DQuat, other: DQuat) -> bool {
        one.angle_between(other) < 1e-6
    }

    fn clip(curve: Curve) -> Clip {
        let times: Vec<f64> = vec![0.0, 1.0, 3.0];
        let value = |time: &f64| {
            let tangent = DQuat::from_xyzw(0.0, 0.0, 0.1, 0.0);
            if curve == Curve::Cubic { vec![tangent, turn(0.4 * time), tangent] } else { vec![turn(0.4 * time)] }
        };
        let keys = Keys::Rotation(times.iter().flat_map(value).collect());
        Clip::new("bend", vec![Track { joint: 1, times, curve, keys }])
    }

    #[test]
    fn a_key_is_passed_through_and_the_others_stay() {
        for curve in [Curve::Step, Curve::Linear, Curve::Cubic] {
            for time in [0.5, 2.0, 4.5] {
                let mut bent = clip(curve);
                add_rotation_key(&mut bent, 1, time, turn(-0.7));
                assert!(bent.tracks.len() == 1 && bent.tracks[0].is_sound(), "{curve:?} {time}");
                assert!(is_near(rotation_at(&bent, time), turn(-0.7)), "{curve:?} {time}");
                for key in [0.0, 1.0, 3.0] {
                    assert!(is_near(rotation_at(&bent, key), turn(0.4 * key)), "{curve:?} {time} at {key}");
                }
                assert_eq!(bent.duration, time.max(3.0));
                assert_eq!(bent.key_times().len(), 4);
            }
        }
    }

    #[test]
    fn a_key_at_the_time_of_another_replaces_it_and_keeps_its_tangents() {
        for curve in [Curve::Step, Curve::Linear, Curve::Cubic] {
            let mut bent = clip(curve);
            let before = bent.clone();
            add_rotation_key(&mut bent, 1, 1.00003, turn(1.2));
            assert_eq!(bent.key_times(), before.key_times());
            assert!(is_near(rotation_at(&bent, 1.0), turn(1.2)));
            add_rotation_key(&mut bent, 1, 1.0, turn(0.4));
            let (Keys::Rotation(new), Keys::Rotation(old)) = (&bent.tracks[0].keys, &before.tracks[0].keys) else {
                panic!("rotations")
            };
            assert!(new.iter().zip(old).all(|(new, old)| (*new + *old * -1.0).length() < 1e-9), "{curve:?}");
        }
    }

    #[test]
    fn a_joint_without_a_track_gets_one_and_other_properties_are_left_alone() {
        let mut clip = clip(Curve::Linear);
        let keys = Keys::Translation(vec![glam::DVec3::X]);
        clip.tracks.push(Track { joint: 0, times: vec![0.0], curve: Curve::Linear, keys });
        add_rotation_key(&mut clip, 0, 2.0, turn(0.3));
        assert_eq!(clip.tracks.len(), 3);
        assert_eq!((clip.tracks[2].joint, clip.tracks[2].keys.len()), (0, 1));
        assert_eq!(clip.tracks[1].keys, Keys::Translation(vec![glam::DVec3::X]));
    }

    #[test]
    fn the_last_of_two_tracks_of_a_joint_is_the_one_that_counts() {
        let mut clip = clip(Curve::Linear);
        clip.tracks.push(clip.tracks[0].clone());
        add_rotation_key(&mut clip, 1, 2.0, turn(-1.0));
        assert_eq!(clip.tracks.iter().map(|track| track.times.len()).collect::<Vec<_>>(), [3, 4]);
        assert!(is_near(rotation_at(&clip, 2.0), turn(-1.0)));
    }

    #[test]
    fn the_short_way_is_gone_whatever_the_sign_of_the_quaternion() {
        let mut bent = clip(Curve::Cubic);
        add_rotation_key(&mut bent, 1, 2.0, -turn(0.8));
        for time in [1.25, 1.5, 1.75, 2.5] {
            let away = rotation_at(&bent, time).angle_between(turn(0.4 * time));
            assert!(away < 0.2, "{time}: {away}");
        }
    }

    #[test]
    fn what_is_no_number_changes_nothing_and_a_time_before_the_start_is_the_start() {
        let before = clip(Curve::Linear);
        let mut after = before.clone();
        add_rotation_key(&mut after, 1, f64::NAN, turn(1.0));
        add_rotation_key(&mut after, 1, f64::INFINITY, turn(1.0));
        add_rotation_key(&mut after, 1, 1.0, DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0));
        add_rotation_key(&mut after, 1, 1.0, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
        assert_eq!(after, before);
        add_rotation_key(&mut after, 1, -1.0, turn(1.0));
        assert!(is_near(rotation_at(&after, 0.0), turn(1.0)) && after.key_times() == before.key_times());
    }
}
