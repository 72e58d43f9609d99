//! Clips: pieces of the animations with names and windows of time, or all animations.
//!
//! How it works: most programs write an animation for each joint or each number, which together are one clip. Others write one for
//! each take; then two of them move the same number of the same transform, and each is a clip.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::channels::{Channel, Target};
use super::sampling::Moved;
use super::scene::Scene;
use super::times::Budget;
use super::xml::{File, Xml, children};
use crate::formats::{rig::short, text::parse_float};
use crate::{Clip, ReadError};

/// What clips are made of.
pub(super) struct Ground<'s, 'a> {
    pub file: &'s File<'a>,
    pub scene: &'s Scene<'a>,
    pub channels: &'s [Channel],
    /// The joint that each node of the scene has become.
    pub joint_of: &'s [Option<u32>],
}

impl<'s, 'a> Ground<'s, 'a> {
    /// The clips of the file, in its order.
    pub(super) fn clips(&self) -> Result<Vec<Clip>, ReadError> {
        let mut budget = Budget::default();
        let mut clips = Vec::new();
        let named = self.file.in_libraries("library_animation_clips", "animation_clip");
        for element in named {
            clips.extend(self.named_clip(element, &mut budget)?);
        }
        if clips.is_empty() {
            clips = self.whole(&mut budget)?;
        }
        if budget.is_coarse {
            let message = || "there are too many curves; some follow their keys alone".to_owned();
            self.file.warn(self.file.root(), message);
        }
        Ok(clips)
    }

    // One clip of all animations, or one of each where they are takes.
    fn whole(&self, budget: &mut Budget) -> Result<Vec<Clip>, ReadError> {
        let animations: Vec<Xml<'a>> = self.file.in_libraries("library_animations", "animation").collect();
        if !self.are_takes(&animations) {
            let name = if let [one] = animations[..] { name_of(one) } else { "" };
            let clip = self.clip(self.file.root(), name, &mut self.channels.iter(), None, budget)?;
            return Ok(clip.into_iter().collect());
        }
        let mut clips = Vec::new();
        for take in animations {
            let channels = self.inside(take.range());
            clips.extend(self.clip(take, name_of(take), &mut channels.iter(), None, budget)?);
        }
        Ok(clips)
    }

    // The channels in a part of the file, in whose order they stand.
    fn inside(&self, part: Range<usize>) -> &'s [Channel] {
        let first = self.channels.partition_point(|channel| channel.at < part.start);
        let end = self.channels.partition_point(|channel| channel.at < part.end);
        &self.channels[first..end.max(first)]
    }

    // Whether two animations move the same number.
    fn are_takes(&self, animations: &[Xml<'a>]) -> bool {
        // For each transform the last animation that moves it, a bit for each number that those before move, and its own.
        let mut moved: FxHashMap<(usize, Option<usize>), (usize, u16, u16)> = FxHashMap::default();
        for (take, animation) in animations.iter().enumerate() {
            for channel in self.inside(animation.range()) {
                let (step, numbers) = match &channel.target {
                    Target::Node => (None, u16::MAX),
                    Target::Numbers { step, numbers } => (Some(*step), bits(numbers)),
                };
                let (last, before, own) = moved.entry((channel.node, step)).or_insert((take, 0, 0));
                if *last != take {
                    (*last, *before, *own) = (take, *before | *own, 0);
                }
                *own |= numbers;
                if *before & numbers != 0 {
                    return true;
                }
            }
        }
        false
    }

    fn named_clip(&self, element: Xml<'a>, budget: &mut Budget) -> Result<Option<Clip>, ReadError> {
        let mut spans = BTreeSet::new();
        for instance in children(element, "instance_animation") {
            match self.file.follow(instance, "url", "animation") {
                Some(animation) => drop(spans.insert((animation.range().start, animation.range().end))),
                None => self.file.warn(instance, || "there is no such animation; it was left out".to_owned()),
            }
        }
        // Channels stand in file order, and an animation may hold another that is named too.
        let mut chosen: Vec<&'s Channel> = Vec::new();
        let mut reached = 0;
        for (start, end) in spans {
            chosen.extend(self.inside(start.max(reached)..end));
            reached = reached.max(end);
        }
        let keys = chosen.iter().filter_map(|channel| channel.curve.keys.last());
        let last = keys.map(|key| key.time).fold(f64::NEG_INFINITY, f64::max);
        let start = self.time(element, "start")?.unwrap_or(0.0);
        let end = self.time(element, "end")?.unwrap_or(last.max(start));
        let name = name_of(element);
        if end < start || !(end - start).is_finite() {
            self.file.warn(element, || format!("clip {} ends before it begins; it was left out", short(name)));
            return Ok(None);
        }
        self.clip(element, name, &mut chosen.into_iter(), Some((start, end)), budget)
    }

    fn time(&self, element: Xml<'a>, attribute: &str) -> Result<Option<f64>, ReadError> {
        let Some(text) = element.attribute(attribute) else { return Ok(None) };
        let time = parse_float(text.as_bytes());
        let expected = || format!("the {attribute} of a clip in seconds");
        time.map(Some).ok_or_else(|| self.file.error(element, expected(), text))
    }

    fn clip(
        &self,
        element: Xml<'a>,
        name: &str,
        channels: &mut dyn Iterator<Item = &'s Channel>,
        window: Option<(f64, f64)>,
        budget: &mut Budget,
    ) -> Result<Option<Clip>, ReadError> {
        let too_much = || {
            let found = "more, by curves that many nodes or clips share";
            self.file.error(element, "clips of at most four million keys", found)
        };
        let mut by_joint: BTreeMap<u32, Vec<&Channel>> = BTreeMap::new();
        let mut all = 0;
        for channel in channels {
            all += 1;
            budget.looks = budget.looks.checked_sub(1).ok_or_else(too_much)?;
            if let Some(joint) = self.joint_of[channel.node] {
                by_joint.entry(joint).or_default().push(channel);
            }
        }
        let mut tracks = Vec::new();
        for (joint, channels) in by_joint {
            let node = &self.scene.nodes[channels[0].node].stated;
            tracks.extend(Moved { joint, node, channels }.tracks(window, budget).ok_or_else(too_much)?);
        }
        if tracks.is_empty() {
            if all > 0 || window.is_some() {
                self.file.warn(element, || format!("clip {} moves no joint; it was left out", short(name)));
            }
            return Ok(None);
        }
        Ok(Some(Clip::new(name, tracks)))
    }
}

fn name_of<'a>(element: Xml<'a>) -> &'a str {
    element.attribute("name").or_else(|| element.attribute("id")).unwrap_or_default()
}

// A bit for each number; no transform has more than sixteen.
fn bits(numbers: &Range<usize>) -> u16 {
    numbers.clone().fold(0, |bits, number| bits | 1_u16.checked_shl(number as u32).unwrap_or_default())
}
