//! The verdict before the run: can so many molecules fit at all?
//!
//! How it works: a leaflet is judged twice. At every height the cross-sections of its molecules, as spheres of half the
//! tolerance, are apart, so their sum has to fit into the surface at that height; discs do up to 0.82 of it at random
//! and 0.9069 at best. But lipids are forks, not discs, and a fork keeps another away from more than its own
//! cross-section: a molecule's *footprint* is a quarter of the area from which it keeps another one, both turned as it
//! suits them best, which for discs is again the area of a disc. Of rigid lipids cut from a membrane that were relaxed,
//! all came apart at a sum of footprints up to 0.98 of the area (2,000 POPC at 68 Å² and 2.0 Å: 0.95; one compact
//! conformer at 50 Å²: 0.98) and none at 1.28 (3.0 Å at 68 Å²). What is above 1.0 is called tight and above 1.25 jammed.
//! A region is judged by the volume that its molecules close to each other: spheres pack to 0.64 at
//! random and to 0.7405 at best. What would fit is found from the same sums: another count by proportion, another size
//! from the area, another tolerance by bisection.

use std::fmt;

use glam::DVec3;
use rayon::prelude::*;
use serde::Serialize;

use super::footprint::{closed_volume, footprint, slice};
use super::{Built, Membrane, Role};
use crate::relax::Leaflet;
use crate::shape::Surface;

/// Heights at which cross-sections are added up, in angstroms.
const HEIGHT_STEP: f64 = 1.0;
/// At most so many conformers of a leaflet are held against each other, the most frequent ones.
const MOST_CONFORMERS: usize = 6;

/// Whether molecules fit.
///
/// ```
/// use steric_world::build::Fit;
///
/// assert!(Fit::Fits < Fit::CannotFit);
/// assert_eq!(Fit::Jams.to_string(), "will jam");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// Scenes like this come apart.
    Fits,
    /// Some scenes like this come apart, slowly.
    Tight,
    /// No scene like this is known to come apart, though nothing forbids it.
    Jams,
    /// There is not enough room.
    CannotFit,
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Fits => "fits",
            Self::Tight => "tight",
            Self::Jams => "will jam",
            Self::CannotFit => "cannot fit",
        })
    }
}

// What a share of the room means.
#[derive(Clone, Copy, Debug)]
struct Limits {
    fits: f64,
    tight: f64,
    jams: f64,
}

/// Cross-sections: random and best packing of discs.
const SLICES: Limits = Limits { fits: 0.82, tight: 0.84, jams: 0.9069 };
/// Footprints, which rigid lipids have been seen to share.
const FOOTPRINTS: Limits = Limits { fits: 1.0, tight: 1.25, jams: f64::INFINITY };
/// Volumes: a glass of spheres, their random and their best packing.
const VOLUMES: Limits = Limits { fits: 0.58, tight: 0.64, jams: 0.7405 };

impl Limits {
    fn judge(self, share: f64) -> Fit {
        match share {
            share if share <= self.fits => Fit::Fits,
            share if share <= self.tight => Fit::Tight,
            share if share <= self.jams => Fit::Jams,
            _ => Fit::CannotFit,
        }
    }
}

/// What is known before the run about one leaflet, region or box.
///
/// ```
/// use steric_world::build::{Fit, SceneFile, build, verdict};
///
/// let text = "[[membrane]]\ncount = 2000\narea-per-lipid = 20\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
/// let scene = SceneFile::read(text, "dense.toml".as_ref())?;
/// let verdicts = verdict(&build(&scene, "".as_ref(), &steric_model::formats::read)?, 2.0);
/// assert_eq!(verdicts.len(), 2);
/// assert!(verdicts[0].fit >= Fit::Jams && verdicts[0].count_that_fits < Some(1000));
/// # Ok::<(), steric_world::build::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Which leaflet, region or box, in words.
    pub place: String,
    /// The verdict.
    pub fit: Fit,
    /// How many molecules are there.
    pub molecules: u64,
    /// At which distance of atoms, in angstroms.
    pub tolerance: f64,
    /// What one molecule takes on average: square angstroms in a leaflet, cubic ones in a region.
    pub takes: f64,
    /// What there is, in the same unit.
    pub room: f64,
    /// What all of them take of it.
    pub share: f64,
    /// Up to which share they fit.
    pub limit: f64,
    /// Of what the share is: `cross-sections`, `footprints` or `volumes`.
    pub measure: &'static str,
    /// How many of them would fit, where these do not.
    pub count_that_fits: Option<u64>,
    /// The radius of a sphere, or the factor by which any other place had to be wider, at which they would fit.
    pub size_that_fits: Option<Size>,
    /// The largest tolerance at which they would fit, in angstroms.
    pub tolerance_that_fits: Option<f64>,
}

/// Another size.
///
/// ```
/// use steric_world::build::Size;
///
/// assert_ne!(Size::Radius(2.0), Size::Times(2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// Radius of the middle of a membrane, in angstroms.
    Radius(f64),
    /// Every edge so many times as long.
    Times(f64),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, fit, molecules, tolerance, takes, share, limit, measure, .. } = self;
        let unit = if *measure == "volumes" { "Å³" } else { "Å²" };
        write!(
            f,
            "{place}: {fit}. At {tolerance:.2} Å the {measure} of {molecules} molecules ({takes:.1} {unit} each) "
        )?;
        write!(f, "take {share:.2} of the room; up to {limit:.2} fits.")?;
        let mut ways = Vec::new();
        ways.extend(self.count_that_fits.map(|count| format!("{count} molecules")));
        ways.extend(self.size_that_fits.map(|size| match size {
            Size::Radius(radius) => format!("a radius of {radius:.1} Å"),
            Size::Times(factor) => format!("edges {factor:.3} times as long"),
        }));
        ways.extend(self.tolerance_that_fits.map(|tolerance| format!("a tolerance of {tolerance:.2} Å")));
        if ways.is_empty() { Ok(()) } else { write!(f, " These would fit: {}.", ways.join(", or ")) }
    }
}

/// Molecules of more atoms than this have an inside.
const LARGE: usize = 200;

/// Judges every leaflet, region and box of a scene at a tolerance, in angstroms.
pub fn verdict(built: &Built, tolerance: f64) -> Vec<Verdict> {
    let templates = built.templates();
    let mut crowds = Vec::new();
    for membrane in 0..built.membranes.len() {
        for leaflet in [Leaflet::Outer, Leaflet::Inner] {
            crowds.extend(Crowd::of_leaflet(built, &templates, membrane, leaflet));
        }
    }
    for region in (0..built.regions.len()).map(Some).chain([None]) {
        crowds.extend(Crowd::of_region(built, &templates, region));
    }
    crowds.iter().map(|crowd| crowd.verdict(tolerance)).collect()
}

// Molecules that have to share a room.
struct Crowd<'a> {
    place: String,
    /// Atoms of a template, with z outward, and how many molecules it has.
    kinds: Vec<(&'a [DVec3], f64)>,
    room: Room<'a>,
}

enum Room<'a> {
    Leaflet { membrane: &'a Membrane, leaflet: Leaflet, area: f64 },
    Volume(f64),
}

impl<'a> Crowd<'a> {
    fn of_leaflet(built: &'a Built, templates: &'a [Vec<DVec3>], membrane: usize, leaflet: Leaflet) -> Option<Self> {
        let is_here = |group: usize| {
            let group = &built.groups[group];
            group.role == Role::Lipid && group.membrane == Some(membrane) && group.leaflet == Some(leaflet)
        };
        let name = if leaflet == Leaflet::Outer { "outer" } else { "inner" };
        let shape = &built.membranes[membrane];
        let summary = &shape.leaflets[usize::from(leaflet == Leaflet::Inner)];
        let area = summary.area - summary.proteins_area;
        let place = match built.membranes.len() {
            1 => format!("the {name} leaflet"),
            _ => format!("the {name} leaflet of membrane {}", membrane + 1),
        };
        let room = Room::Leaflet { membrane: shape, leaflet, area };
        Self { place, kinds: kinds(built, templates, is_here), room }.filled()
    }

    fn of_region(built: &'a Built, templates: &'a [Vec<DVec3>], region: Option<usize>) -> Option<Self> {
        let is_here = |group: usize| built.groups[group].role == Role::Solute && built.groups[group].region == region;
        let (place, volume) = match region {
            Some(region) => (format!("the region {}", built.regions[region].0), built.regions[region].1.volume()),
            None => ("the periodic box".to_owned(), built.periodic_box?.volume()),
        };
        Self { place, kinds: kinds(built, templates, is_here), room: Room::Volume(volume) }.filled()
    }

    fn filled(self) -> Option<Self> {
        (!self.kinds.is_empty()).then_some(self)
    }

    fn molecules(&self) -> f64 {
        self.kinds.iter().map(|kind| kind.1).sum()
    }

    fn room(&self) -> f64 {
        match self.room {
            Room::Leaflet { area, .. } => area.max(1e-9),
            Room::Volume(volume) => volume,
        }
    }

    fn verdict(&self, tolerance: f64) -> Verdict {
        let (share, limits, measure) = self.worst(tolerance);
        let fit = limits.judge(share);
        let crowded = share / limits.fits;
        let is_crowded = fit != Fit::Fits;
        let molecules = self.molecules();
        Verdict {
            place: self.place.clone(),
            fit,
            molecules: molecules as u64,
            tolerance,
            takes: share * self.room() / molecules,
            room: self.room(),
            share,
            limit: limits.fits,
            measure,
            count_that_fits: is_crowded.then(|| (molecules / crowded) as u64),
            size_that_fits: is_crowded.then(|| self.size(crowded, share * self.room() / molecules / limits.fits)),
            tolerance_that_fits: if is_crowded { self.tolerance(tolerance) } else { None },
        }
    }

    /// The measure by which the crowd is worst off: the share of the room, its limits and its name.
    fn worst(&self, tolerance: f64) -> (f64, Limits, &'static str) {
        match self.room {
            Room::Volume(volume) => (self.volumes(tolerance) / volume, VOLUMES, "volumes"),
            Room::Leaflet { .. } => {
                let slices = (self.slices(tolerance), SLICES, "cross-sections");
                let footprints = (self.footprints(tolerance) / self.room(), FOOTPRINTS, "footprints");
                let by_slices = SLICES.judge(slices.0) > FOOTPRINTS.judge(footprints.0);
                if by_slices { slices } else { footprints }
            }
        }
    }

    fn volumes(&self, tolerance: f64) -> f64 {
        let volumes = self.kinds.par_iter().map(|(atoms, count)| {
            // The inside of a protein is closed to others, though single atoms of another would find room between its own.
            let probe = if atoms.len() > LARGE { tolerance.max(3.2) } else { tolerance };
            count * closed_volume(atoms, probe)
        });
        // Added up in order, so that the sum does not depend on the threads.
        volumes.collect::<Vec<f64>>().iter().sum()
    }

    fn footprints(&self, tolerance: f64) -> f64 {
        let mut frequent: Vec<&(&[DVec3], f64)> = self.kinds.iter().collect();
        frequent.sort_by(|a, b| b.1.total_cmp(&a.1));
        frequent.truncate(MOST_CONFORMERS);
        let total: f64 = frequent.iter().map(|kind| kind.1).sum();
        let pairs: Vec<(usize, usize)> = (0..frequent.len()).flat_map(|a| (0..=a).map(move |b| (a, b))).collect();
        let weighed = |&(a, b): &(usize, usize)| {
            let weight = if a == b { 1.0 } else { 2.0 } * frequent[a].1 * frequent[b].1 / (total * total);
            weight * footprint(frequent[a].0, frequent[b].0, tolerance)
        };
        // Added up in order, so that the sum does not depend on the threads.
        let mean: f64 = pairs.par_iter().map(weighed).collect::<Vec<f64>>().iter().sum();
        mean * self.molecules()
    }

    /// The largest share of the surface that cross-sections take at any height.
    fn slices(&self, tolerance: f64) -> f64 {
        let Room::Leaflet { membrane, leaflet, area } = &self.room else {
            return 0.0;
        };
        let heights = self.kinds.iter().flat_map(|kind| kind.0.iter().map(|atom| atom.z));
        let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), z| (low.min(z), high.max(z)));
        let middle = membrane.area_at(membrane.leaflets[usize::from(*leaflet == Leaflet::Inner)].height);
        let steps = ((high - low) / HEIGHT_STEP).clamp(0.0, 1_000.0) as usize;
        let share = |step: usize| {
            let height = low + HEIGHT_STEP * step as f64;
            let taken: f64 =
                self.kinds.iter().map(|(atoms, count)| count * slice(atoms, height, 0.5 * tolerance)).sum();
            // What proteins leave of the surface is the same part of it at every height.
            taken / (membrane.area_at(leaflet.sign() * height) * area / middle).max(1e-9)
        };
        (0..=steps).map(share).fold(0.0, f64::max)
    }

    fn size(&self, crowded: f64, area_each: f64) -> Size {
        match &self.room {
            Room::Volume(_) => Size::Times(crowded.cbrt()),
            Room::Leaflet { membrane, leaflet, .. } => match *membrane.surface {
                Surface::Sphere { radius, .. } => {
                    Size::Radius(radius_for(radius, membrane, *leaflet, crowded, area_each))
                }
                _ => Size::Times(crowded.sqrt()),
            },
        }
    }

    /// The largest tolerance below this one at which the crowd fits.
    fn tolerance(&self, crowded: f64) -> Option<f64> {
        let fits = |tolerance: f64| {
            let (share, limits, _) = self.worst(tolerance);
            limits.judge(share) == Fit::Fits
        };
        let (mut low, mut high) = (0.05 * crowded, crowded);
        if !fits(low) {
            return None;
        }
        for _ in 0..6 {
            let middle = 0.5 * (low + high);
            if fits(middle) { low = middle } else { high = middle }
        }
        Some(low)
    }
}

/// The radius at which each lipid has an area. Where both leaflets have lipids, they are shared out anew.
fn radius_for(radius: f64, membrane: &Membrane, leaflet: Leaflet, crowded: f64, area_each: f64) -> f64 {
    let [outer, inner] = &membrane.leaflets;
    let here = if leaflet == Leaflet::Outer { outer } else { inner };
    if outer.lipids == 0 || inner.lipids == 0 {
        return (radius + here.height) * crowded.sqrt() - here.height;
    }
    let proteins = outer.proteins_area + inner.proteins_area;
    let area = (outer.lipids + inner.lipids) as f64 * area_each + proteins;
    (area / (8.0 * std::f64::consts::PI) - here.height * here.height).max(0.0).sqrt()
}

fn kinds<'a>(built: &Built, templates: &'a [Vec<DVec3>], is_here: impl Fn(usize) -> bool) -> Vec<(&'a [DVec3], f64)> {
    let here = (0..built.groups.len()).filter(|&group| is_here(group));
    here.map(|group| (templates[group].as_slice(), built.copies()[group].poses.len() as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::built;
    use super::*;

    fn worst(text: &str, tolerance: f64) -> Verdict {
        let verdicts = verdict(&built(text), tolerance);
        verdicts.into_iter().max_by_key(|verdict| verdict.fit).unwrap()
    }

    fn popc(keys: &str, lipid: &str) -> String {
        format!("[[membrane]]\n{keys}\n[[membrane.lipid]]\nmolecule = \"POPC\"\n{lipid}\n")
    }

    fn spheres(fraction: f64) -> String {
        // Single oxygens, spheres of 3 Å.
        let count = fraction * 60f64.powi(3) / (std::f64::consts::PI / 6.0 * 27.0);
        format!("periodic-box = [60, 60, 60]\n[[solute]]\nmolecule = \"water\"\ncount = {count:.0}\n")
    }

    #[test]
    fn what_has_come_apart_fits_and_what_has_jammed_does_not() {
        let plane = "shape = \"plane\"\ncount = 512\narea-per-lipid";
        assert!(worst(&popc(&format!("{plane} = 68"), ""), 2.0).fit == Fit::Fits);
        let compact = worst(&popc(&format!("{plane} = 50"), "conformers = [3]"), 2.0);
        assert!(compact.fit <= Fit::Tight, "{compact}");
        let jammed = worst(&popc(&format!("{plane} = 68"), ""), 3.0);
        assert!(jammed.fit == Fit::Jams, "{jammed}");
    }

    #[test]
    fn spheres_fit_below_random_packing_and_cannot_beyond_the_best() {
        for (fraction, fit) in [(0.3, Fit::Fits), (0.6, Fit::Tight), (0.68, Fit::Jams), (0.80, Fit::CannotFit)] {
            let verdict = worst(&spheres(fraction), 3.0);
            assert_eq!(verdict.fit, fit, "{verdict}");
            assert!((verdict.share / fraction - 1.0).abs() < 0.03, "{verdict}");
        }
    }

    #[test]
    fn what_is_said_to_fit_is_judged_to_fit() {
        let text = popc("count = 2000\narea-per-lipid = 45", "");
        let crowded = worst(&text, 2.0);
        assert!(crowded.fit > Fit::Fits, "{crowded}");
        let Some(Size::Radius(radius)) = crowded.size_that_fits else { panic!("{crowded}") };
        let tolerance = crowded.tolerance_that_fits.unwrap();
        assert!(worst(&text, tolerance).fit == Fit::Fits);
        let wider = worst(&popc(&format!("count = 2000\nradius = {}", radius + 0.5), ""), 2.0);
        assert!(wider.fit == Fit::Fits, "{wider}");
        let words = crowded.to_string();
        assert!(words.contains("These would fit: ") && words.contains("a radius of"), "{words}");
    }

    #[test]
    fn more_tolerance_never_fits_better() {
        let built = built(&popc("count = 600", ""));
        let shares = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0].map(|tolerance| verdict(&built, tolerance)[0].fit);
        assert!(shares.is_sorted(), "{shares:?}");
        assert!(shares[0] == Fit::Fits && shares[6] >= Fit::Jams, "{shares:?}");
    }
}
