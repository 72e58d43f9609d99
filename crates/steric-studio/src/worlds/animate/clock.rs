//! The time that is played.

use steric::model::Instant;

/// Keys that are nearer than this are where one is, in seconds.
const SAME: f64 = 1e-4;
/// Who has been away for longer than this finds things where they were, in seconds.
const AWAY: f64 = 0.5;

/// Where a player stands.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// In seconds of the clip.
    pub(super) time: f64,
    pub(super) plays: bool,
    /// Seconds of the clip in a second.
    pub(super) speed: f64,
    /// Whether it begins again at the end.
    pub(super) loops: bool,
    ticked: Option<Instant>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { time: 0.0, plays: false, speed: 1.0, loops: true, ticked: None }
    }
}

impl Clock {
    /// Goes on by the time that has passed.
    pub(super) fn tick(&mut self, duration: f64) {
        let now = Instant::now();
        let before = self.ticked.replace(now);
        if let (true, Some(before)) = (self.plays, before) {
            self.advance((now - before).as_secs_f64().min(AWAY), duration);
        }
    }

    /// Goes on by so many seconds of a clip that is so long.
    fn advance(&mut self, seconds: f64, duration: f64) {
        self.time += seconds * self.speed;
        if self.time >= duration && self.loops && duration > 0.0 {
            self.time = self.time.rem_euclid(duration);
        } else if self.time >= duration {
            (self.time, self.plays) = (duration, false);
        }
    }

    /// Plays, from the start if it is at the end, or pauses.
    pub(super) fn toggle(&mut self, duration: f64) {
        self.plays = !self.plays && duration > 0.0;
        if self.plays && self.time >= duration {
            self.time = 0.0;
        }
        self.ticked = None;
    }

    /// Stands at a time.
    pub(super) fn stand(&mut self, time: f64) {
        (self.time, self.plays) = (time, false);
    }

    /// Stands at the next key; at the last one it stays.
    pub(super) fn next_key(&mut self, keys: &[f64]) {
        let next = keys.iter().copied().find(|key| *key > self.time + SAME);
        self.stand(next.unwrap_or(self.time));
    }

    /// Stands at the key before; at the first one it stays.
    pub(super) fn previous_key(&mut self, keys: &[f64]) {
        let before = keys.iter().copied().rev().find(|key| *key < self.time - SAME);
        self.stand(before.unwrap_or(self.time));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_begins_again_or_ends() {
        let mut clock = Clock { speed: 2.0, ..Clock::default() };
        clock.toggle(3.0);
        clock.advance(1.0, 3.0);
        assert_eq!(clock.time, 2.0);
        clock.advance(1.0, 3.0);
        assert_eq!((clock.time, clock.plays), (1.0, true));
        clock.loops = false;
        clock.advance(5.0, 3.0);
        assert_eq!((clock.time, clock.plays), (3.0, false));
        clock.toggle(3.0);
        assert_eq!((clock.time, clock.plays), (0.0, true));
        clock.toggle(3.0);
        clock.toggle(0.0);
        assert!(!clock.plays, "there is nothing to play");
    }

    #[test]
    fn keys_are_gone_to_one_by_one() {
        let keys = [0.0, 0.5, 2.0];
        let mut clock = Clock { plays: true, ..Clock::default() };
        for wanted in [0.5, 2.0, 2.0] {
            clock.next_key(&keys);
            assert_eq!((clock.time, clock.plays), (wanted, false));
        }
        clock.time = 1.9;
        for wanted in [0.5, 0.0, 0.0] {
            clock.previous_key(&keys);
            assert_eq!(clock.time, wanted);
        }
        clock.previous_key(&[]);
        assert_eq!(clock.time, 0.0);
    }
}
