//! Clips: pieces of the animations with names and windows of time, or all animations as one.

use std::collections::{BTreeMap, BTreeSet};

use super::channels::Channel;
use super::sampling::{Budget, Moved};
use super::scene::Scene;
use super::xml::{File, Xml, children};
use crate::formats::{rig::short, text::parse_float};
use crate::{Clip, ReadError, Skeleton};

/// What clips are made of.
pub(super) struct Ground<'s, 'a> {
    pub file: &'s File<'a>,
    pub scene: &'s Scene<'a>,
    pub channels: &'s [Channel],
    /// The joint that each node of the scene has become.
    pub joint_of: &'s [Option<u32>],
    pub skeleton: &'s Skeleton,
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
        if self.file.in_libraries("library_animation_clips", "animation_clip").next().is_none() {
            clips.extend(self.whole(&mut budget)?);
        }
        if budget.is_coarse {
            let message = || "there are too many curves; some follow their keys alone".to_owned();
            self.file.warn(self.file.root(), message);
        }
        Ok(clips)
    }

    fn whole(&self, budget: &mut Budget) -> Result<Option<Clip>, ReadError> {
        let animations: Vec<Xml<'a>> = self.file.in_libraries("library_animations", "animation").take(2).collect();
        let name = match animations[..] {
            [one] => one.attribute("name").or_else(|| one.attribute("id")).unwrap_or_default(),
            _ => "",
        };
        self.clip(self.file.root(), name, &mut self.channels.iter(), None, budget)
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
            let first = self.channels.partition_point(|channel| channel.at < start.max(reached));
            chosen.extend(self.channels[first..].iter().take_while(|channel| channel.at < end));
            reached = reached.max(end);
        }
        let keys = chosen.iter().filter_map(|channel| channel.curve.keys.last());
        let last = keys.map(|key| key.time).fold(f64::NEG_INFINITY, f64::max);
        let start = self.time(element, "start")?.unwrap_or(0.0);
        let end = self.time(element, "end")?.unwrap_or(last.max(start));
        let name = element.attribute("name").or_else(|| element.attribute("id")).unwrap_or_default();
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
        let mut by_joint: BTreeMap<u32, Vec<&Channel>> = BTreeMap::new();
        let (mut all, mut node_of) = (0, BTreeMap::new());
        for channel in channels {
            all += 1;
            if let Some(joint) = self.joint_of[channel.node] {
                by_joint.entry(joint).or_default().push(channel);
                node_of.insert(joint, channel.node);
            }
        }
        let mut tracks = Vec::new();
        for (joint, channels) in by_joint {
            let node = &self.scene.nodes[node_of[&joint]];
            let moved = Moved { joint, node, rest: &self.skeleton.joints[joint as usize].rest, channels };
            let sampled = moved.tracks(window, budget);
            let found = "more, by curves that many nodes or clips share";
            tracks
                .extend(sampled.ok_or_else(|| self.file.error(element, "clips of at most four million keys", found))?);
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
