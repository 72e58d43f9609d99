//! What became of a recipe: who stands where, and who does not and why.

use std::fmt;

use serde::Serialize;
use steric_model::{Pose, Sphere};

use super::judge::Fullness;
use super::place::Placed;
use super::rooms::Room;
use crate::relax::Stop;

/// A packed recipe.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use steric_model::formats::cellpack::read_recipe;
/// use steric_world::build::recipe::{Files, PackOptions, pack};
///
/// let text = br#"{"bounding_box": [[0, 0, 0], [50, 50, 50]], "objects": {"ball": {"type": "single_sphere", "radius": 10}},
///     "composition": {"space": {"regions": {"interior": [{"object": "ball", "count": 5000}]}}}}"#;
/// let recipe = read_recipe(text, "box.json".as_ref())?.value;
/// let packed = pack(&recipe, &Files::none(), &PackOptions::default(), |_| ControlFlow::Continue(()));
/// assert!(packed.copies() < 5000 && packed.overlaps == 0);
/// assert!(packed.verdicts[0].to_string().contains("no room for"));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Packed {
    /// The spheres that stood for each ingredient, in its own frame.
    pub spheres: Vec<Vec<Sphere>>,
    /// Where the copies of each ingredient stand: `world_from_ingredient`.
    pub poses: Vec<Vec<Pose>>,
    /// One for each ingredient.
    pub verdicts: Vec<IngredientVerdict>,
    /// How full each compartment and each surface was asked to be.
    pub fullness: Vec<Fullness>,
    /// The compartments as parts of space.
    pub rooms: Vec<Room>,
    /// What else a user should know, in sentences.
    pub notes: Vec<String>,
    /// Why the relaxation ended.
    pub stop: Stop,
    /// How many iterations it took.
    pub iterations: u32,
    /// Overlaps of spheres that are left.
    pub overlaps: u64,
    /// Seconds until every copy had a first place.
    pub placing_seconds: f64,
    /// Seconds in all.
    pub seconds: f64,
}

impl Packed {
    /// How many copies are placed.
    pub fn copies(&self) -> u64 {
        self.poses.iter().map(|poses| poses.len() as u64).sum()
    }

    /// How many copies were asked for.
    pub fn asked(&self) -> u64 {
        self.verdicts.iter().map(|verdict| verdict.asked).sum()
    }
}

/// What became of one ingredient.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IngredientVerdict {
    /// Where it belongs and what it is called.
    pub path: String,
    /// How many copies were asked for.
    pub asked: u64,
    /// How many are placed.
    pub placed: u64,
    /// Why not all of them are.
    pub reasons: Vec<String>,
    /// What else there is to say.
    pub remarks: Vec<String>,
}

impl IngredientVerdict {
    pub(super) fn new(
        path: String,
        asked: u64,
        placed: u64,
        (reason, remark): (Option<String>, Option<String>),
        first: &Placed,
        removed: u64,
    ) -> Self {
        let mut reasons: Vec<String> = reason.into_iter().collect();
        if first.homeless > 0 {
            reasons.push(format!("no place within its walls was found for {}", first.homeless));
        }
        if removed > 0 {
            reasons.push(format!("{removed} still overlapped or stood in a wall when the relaxation ended"));
        }
        let mut remarks: Vec<String> = remark.into_iter().collect();
        if first.beside > 0 {
            remarks.push(format!("{} were put beside a partner", first.beside));
        }
        if first.alone > 0 {
            remarks.push(format!("{} have no partner", first.alone));
        }
        if asked > placed && reasons.is_empty() {
            reasons.push("not placed".to_owned());
        }
        // Who asks for nothing and gets it has nothing to explain.
        if asked == 0 {
            reasons.clear();
        }
        Self { path, asked, placed, reasons, remarks }
    }
}

impl fmt::Display for IngredientVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} of {} placed", self.path, self.placed, self.asked)?;
        let said = self.reasons.iter().chain(&self.remarks);
        said.enumerate().try_for_each(|(at, text)| write!(f, "{} {text}", if at == 0 { ':' } else { ';' }))
    }
}

impl fmt::Display for Fullness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:.1} % full; up to {:.0} % is let in", self.place, 100.0 * self.share, 100.0 * self.limit)
    }
}
