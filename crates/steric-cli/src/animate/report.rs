//! What `steric animate` prints, and the overlaps of each frame as a table or a plot.

use std::path::Path;

use serde::Serialize;
use steric::animate::{Corrections, Level, Moment, Puppet};
use steric::world::animate::Corrected;

use crate::failure::Failure;
use crate::plot::{Axis, Layer, Mark, Plot};
use crate::table::{counted, thousands};

#[derive(Serialize)]
pub(super) struct Report<'a> {
    name: &'a str,
    atoms: usize,
    residues: usize,
    chains: usize,
    joints: usize,
    bones: usize,
    clips: Vec<(String, f64)>,
    clip: usize,
    level: &'static str,
    blend: &'static str,
    super_atoms: Vec<usize>,
    seconds_to_make: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    overlaps: Option<&'a [Corrected]>,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        name: &'a str,
        puppet: &Puppet,
        moment: &Moment,
        seconds_to_make: f64,
        corrections: Option<&'a Corrections>,
    ) -> Self {
        let groups = |level| puppet.groups(level).map_or(0, |groups| groups.len());
        let clips = puppet.rig().clips.iter().map(|clip| (clip.name.to_string(), clip.duration)).collect();
        Self {
            name,
            atoms: puppet.radii().len(),
            residues: groups(Level::Residue),
            chains: puppet.structure().chains.len(),
            joints: puppet.rig().skeleton.joints.len(),
            bones: puppet.rig().skeleton.bones().len(),
            clips,
            clip: moment.clip,
            level: moment.level.name(),
            blend: moment.blend.name(),
            super_atoms: puppet.super_atoms(moment.level).iter().map(|own| own.spheres.len()).collect(),
            seconds_to_make,
            overlaps: corrections.map(|own| &own.report[..]),
        }
    }

    pub(super) fn text(&self) -> String {
        let count = |number: usize| thousands(number as u64);
        let some = |number: usize, what: &str| counted(number as u64, what);
        let mut text = format!(
            "{}\n  {} in {} and {}\n  {}, {}\n",
            self.name,
            some(self.atoms, "atom"),
            some(self.residues, "residue"),
            some(self.chains, "chain"),
            some(self.bones, "bone"),
            some(self.joints, "joint")
        );
        for (number, (name, duration)) in self.clips.iter().enumerate() {
            let mark = if number == self.clip { "plays" } else { "has" };
            text += &format!("  {mark} the clip {name:?} of {duration:.2} s\n");
        }
        let super_atoms: Vec<String> = self.super_atoms.iter().map(|&number| count(number)).collect();
        text += &format!("  level {}, {} blending; super-atoms: {}\n", self.level, self.blend, super_atoms.join(", "));
        if let Some(overlaps) = self.overlaps {
            let worst = |of: &dyn Fn(&Corrected) -> (u64, f32)| {
                overlaps.iter().map(of).fold((0, 0.0f32), |(pairs, deepest), (p, d)| (pairs.max(p), deepest.max(d)))
            };
            let (before, deep) = worst(&|at| (at.before.pairs, at.before.deepest));
            let (after, left) = worst(&|at| (at.after.pairs, at.after.deepest));
            let farthest = overlaps.iter().fold(0.0f32, |most, at| most.max(at.farthest));
            text += &format!(
                "  overlaps in {} frames: at most {} pairs, {deep:.2} Å deep, before; {} pairs, {left:.2} Å, after; no atom was moved more than {farthest:.2} Å\n",
                overlaps.len(),
                thousands(before),
                thousands(after)
            );
        }
        text
    }
}

pub(super) fn write_report(path: &Path, name: &str, corrections: &Corrections) -> Result<(), Failure> {
    let is_plot = path.extension().is_some_and(|ending| ending == "svg");
    let text = if is_plot {
        let layer = |label: &str, of: &dyn Fn(&Corrected) -> f64| Layer {
            name: label.to_owned(),
            points: corrections.report.iter().map(|at| (at.time, of(at))).collect(),
            mark: Mark::Line,
        };
        Plot {
            title: format!("{name}: overlaps deeper than {} Å", corrections.limit),
            x: Axis::linear("time, s"),
            y: Axis::linear("pairs of atoms"),
            layers: vec![layer("before", &|at| at.before.pairs as f64), layer("after", &|at| at.after.pairs as f64)],
            square: false,
        }
        .svg()
    } else {
        corrections.csv()
    };
    std::fs::write(path, text).map_err(|error| Failure::io(path, &error))
}
