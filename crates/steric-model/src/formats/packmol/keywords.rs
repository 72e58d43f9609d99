//! Every keyword of packmol, and what becomes of it.

/// What becomes of a keyword.
///
/// ```
/// use steric_model::formats::packmol::{KEYWORDS, Treatment};
///
/// let of = |name: &str| KEYWORDS.iter().find(|keyword| keyword.name == name).map(|keyword| keyword.treatment);
/// assert_eq!(of("tolerance"), Some(Treatment::Honoured));
/// assert!(matches!(of("fscale"), Some(Treatment::Accepted(_))));
/// assert!(matches!(of("chkgrad"), Some(Treatment::Refused(_))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It does what packmol's manual says.
    Honoured,
    /// It is read, and a warning says why it changes nothing.
    Accepted(&'static str),
    /// It is an error, for this reason.
    Refused(&'static str),
}

/// A keyword of packmol.
///
/// ```
/// use steric_model::formats::packmol::KEYWORDS;
///
/// assert!(KEYWORDS.windows(2).all(|pair| pair[0].name < pair[1].name));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    /// As it stands in an input.
    pub name: &'static str,
    /// What becomes of it.
    pub treatment: Treatment,
}

use Treatment::{Accepted, Honoured, Refused};

const LOOPS: &str =
    "steric ends when nothing overlaps or nothing gets better, and counts no loops of packmol's optimiser";
const WEIGHTS: &str = "it weighs a penalty of packmol's; steric keeps every distance, near or far, without weights";
const MOVES: &str = "it tunes how packmol moves bad molecules; steric puts molecules elsewhere when they stay stuck";
const PRINTS: &str = "it sets what packmol prints or how often it writes; steric writes the result once, whole";

/// All keywords, by name.
///
/// ```
/// use steric_model::formats::packmol::KEYWORDS;
///
/// assert!(KEYWORDS.iter().any(|keyword| keyword.name == "constrain_rotation"));
/// ```
pub const KEYWORDS: &[Keyword] = &[
    known("above", Honoured),
    known("add_amber_ter", Honoured),
    known("add_box_sides", Honoured),
    known("amber_ter_preserve", Honoured),
    known("atoms", Honoured),
    known("avoid_overlap", Honoured),
    known("below", Honoured),
    known("center", Honoured),
    known("centerofmass", Honoured),
    known("chain", Honoured),
    known("changechains", Honoured),
    known("check", Honoured),
    known("chkgrad", Refused("it compares packmol's own derivatives, which steric does not have")),
    known("connect", Honoured),
    known("constrain_rotation", Honoured),
    known("disable_movebad", Accepted(MOVES)),
    known("discale", Accepted("steric aims a little beyond the tolerance from the beginning, by its own measure")),
    known("end", Honoured),
    known("fbins", Accepted("it sizes packmol's cells; steric sizes its own")),
    known("filetype", Honoured),
    known("fixed", Honoured),
    known("fscale", Accepted(WEIGHTS)),
    known("hexadecimal_indices", Honoured),
    known("ignore_conect", Honoured),
    known("inside", Honoured),
    known("iprint1", Accepted(PRINTS)),
    known("iprint2", Accepted(PRINTS)),
    known("maxit", Accepted(LOOPS)),
    known("maxmove", Accepted(MOVES)),
    known("movebadrandom", Accepted(MOVES)),
    known("movefrac", Accepted(MOVES)),
    known("nloop", Accepted(LOOPS)),
    known("nloop0", Accepted(LOOPS)),
    known("non_standard_conect", Accepted("CONECT lines are read by their columns, as packmol does")),
    known("number", Honoured),
    known("output", Honoured),
    known("outside", Honoured),
    known("over", Honoured),
    known("packall", Accepted("steric packs all molecules together anyway")),
    known("pbc", Honoured),
    known("precision", Accepted("steric keeps distances in full and constraints to 0.01 Å")),
    known("radius", Honoured),
    known("randominitialpoint", Accepted("steric starts at random anyway")),
    known("resnumbers", Honoured),
    known("restart_from", Honoured),
    known("restart_to", Honoured),
    known("seed", Honoured),
    known("segid", Honoured),
    known("short_radius", Accepted(WEIGHTS)),
    known("short_radius_scale", Accepted(WEIGHTS)),
    known("short_tol_dist", Accepted(WEIGHTS)),
    known("short_tol_scale", Accepted(WEIGHTS)),
    known("sidemax", Honoured),
    known("structure", Honoured),
    known("tolerance", Honoured),
    known("use_short_tol", Accepted(WEIGHTS)),
    known("writebad", Accepted(PRINTS)),
    known("writecrd", Honoured),
    known("writeout", Accepted(PRINTS)),
];

const fn known(name: &'static str, treatment: Treatment) -> Keyword {
    Keyword { name, treatment }
}
