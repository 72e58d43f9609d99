//! Scenes to dock that come with steric.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use steric_model::Pose;
use steric_world::dock::FittingTask;

use super::{Deed, Dock, DockError, DockOptions, Session};

/// A scene to dock.
#[derive(Clone, Debug)]
pub struct Ready {
    /// What is docked.
    pub dock: Arc<Dock>,
    /// Where the ligand begins.
    pub start: Pose,
}

impl Ready {
    /// The ligand in hand, where it begins.
    pub fn session(&self) -> Session {
        let mut session = Session::new(Arc::clone(&self.dock));
        session.act(&Deed::Put(self.start.into()), 0.0);
        session
    }
}

/// The scenes, each with what it is about.
const SCENES: [(&str, &str); 2] = [
    ("dhfr", "Dihydrofolate reductase and the drug trimethoprim, which starts before its pocket."),
    ("fitting", "The fitting task of 1989: bring the E through the three rings."),
];

/// The names of the scenes to dock, each with what it is about.
pub fn ready_names() -> &'static [(&'static str, &'static str)] {
    &SCENES
}

/// A scene to dock by its name.
///
/// ```
/// use steric::dock::{DockOptions, ready};
///
/// let dhfr = ready("dhfr", &DockOptions::default()).expect("it comes with steric")?;
/// assert_eq!(dhfr.dock.atoms(), [1268, 21]);
/// assert!(dhfr.session().contacts().is_empty(), "the drug begins outside");
/// assert!(ready("nothing", &DockOptions::default()).is_none());
/// # Ok::<(), steric::dock::DockError>(())
/// ```
pub fn ready(name: &str, options: &DockOptions) -> Option<Result<Ready, DockError>> {
    match name {
        "dhfr" => Some(dhfr(options)),
        "fitting" => Some(fitting(options)),
        _ => None,
    }
}

fn dhfr(options: &DockOptions) -> Result<Ready, DockError> {
    let structure = |name: &str| scenes::molecule(name).map(scenes::Embedded::structure).unwrap_or_default();
    let (enzyme, drug) = (structure("dhfr"), structure("trimethoprim"));
    let dock = Dock::new(("dhfr", &enzyme), ("trimethoprim", &drug), None, options)?;
    let hand = dock.hand(0);
    // Out of the pocket, away from the middle of the enzyme, and turned so that nobody finds the way by going straight back.
    let out = (hand.body.middle() - dock.receptor_middle()).normalize_or(DVec3::X);
    let rotation = DQuat::from_axis_angle(out.any_orthonormal_vector(), 1.0);
    let middle = hand.body.middle();
    let start = Pose { rotation, translation: middle + OUT * out - rotation * middle };
    Ok(Ready { dock: Arc::new(dock), start })
}

/// How far outside a drug begins, in angstroms.
const OUT: f64 = 28.0;

fn fitting(options: &DockOptions) -> Result<Ready, DockError> {
    let task = FittingTask::new();
    let start = task.start();
    Ok(Ready { dock: Arc::new(Dock::of_task(task, options)?), start })
}
