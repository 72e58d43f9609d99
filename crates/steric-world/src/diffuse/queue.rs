//! Contacts in the order of their times: a calendar.
//!
//! How it works: the window is cut into days. A contact is put on the heap of its day unsorted; a day is sorted when it comes. Contacts of a path that has
//! changed since stay where they are and are passed over: they know how often the paths of the two had changed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A contact that will happen if nothing comes between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) time: f64,
    /// Slots, the smaller first, or a slot and what it runs into.
    pub(super) pair: [u32; 2],
    /// How often their paths had changed.
    pub(super) counts: [u32; 2],
}

impl Eq for Event {}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.time.total_cmp(&other.time).then(self.pair.cmp(&other.pair))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Contacts of a day, about.
const OF_A_DAY: usize = 48;

#[derive(Debug, Default)]
pub(super) struct Queue {
    days: Vec<Vec<Event>>,
    /// The contacts of today, sorted.
    today: BinaryHeap<Reverse<Event>>,
    /// Which day it is.
    day: usize,
    used: usize,
    is_new: bool,
    from: f64,
    days_per_time: f64,
}

impl Queue {
    /// Begins a window with the contacts that are known.
    pub(super) fn fill(&mut self, from: f64, until: f64, events: &[Event]) {
        self.today.clear();
        self.days.iter_mut().for_each(Vec::clear);
        self.used = (events.len() / OF_A_DAY).max(1);
        if self.days.len() < self.used {
            self.days.resize_with(self.used, Vec::new);
        }
        (self.day, self.from, self.days_per_time) = (0, from, self.used as f64 / (until - from).max(f64::MIN_POSITIVE));
        for event in events {
            let day = self.day_of(event.time);
            self.days[day].push(*event);
        }
        self.begin_day(0);
    }

    fn day_of(&self, time: f64) -> usize {
        (((time - self.from) * self.days_per_time).max(0.0) as usize).min(self.used - 1)
    }

    fn begin_day(&mut self, day: usize) {
        (self.day, self.is_new) = (day, true);
        let events = std::mem::take(&mut self.days[day]);
        self.today.extend(events.iter().map(|event| Reverse(*event)));
        self.days[day] = events;
        self.days[day].clear();
    }

    pub(super) fn push(&mut self, event: Event) {
        let day = self.day_of(event.time);
        if day <= self.day {
            self.today.push(Reverse(event));
        } else {
            self.days[day].push(event);
        }
    }

    /// The contacts of a day that has just begun, once.
    pub(super) fn new_day(&mut self) -> Option<impl Iterator<Item = &Event>> {
        std::mem::take(&mut self.is_new).then(|| self.today.iter().map(|Reverse(event)| event))
    }

    pub(super) fn pop(&mut self) -> Option<Event> {
        loop {
            if let Some(Reverse(event)) = self.today.pop() {
                return Some(event);
            }
            if self.day + 1 >= self.used {
                return None;
            }
            self.begin_day(self.day + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Event, Queue};

    proptest! {
        #[test]
        fn contacts_come_in_the_order_of_their_times(
            times in prop::collection::vec(0.25..1.0, 0..200),
            later in prop::collection::vec(0.0..0.5, 0..200),
        ) {
            let event = |time: f64, number: usize| Event { time, pair: [number as u32, 0], counts: [0; 2] };
            let first: Vec<Event> = times.iter().enumerate().map(|(number, time)| event(*time, number)).collect();
            let mut queue = Queue::default();
            queue.fill(0.25, 1.0, &first);
            let mut later = later.into_iter();
            let (mut seen, mut now) = (0, 0.0);
            while let Some(next) = queue.pop() {
                prop_assert!(next.time >= now);
                (seen, now) = (seen + 1, next.time);
                // What follows from a contact comes after it.
                if let Some(after) = later.next() {
                    queue.push(event(now + after, 1_000 + seen));
                }
            }
            prop_assert!(seen >= first.len());
        }
    }
}
