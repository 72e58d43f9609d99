//! The numbers of a relaxation, and the records in which contacts and constraints are added up.
//!
//! A record stands for a molecule: 27 sums for Newton, else six; behind them how many contacts, the deepest, the warmth
//! that neighbours pass on, and whether a wall is broken. Half a record behind its low bits each sum has the rest.

use bytemuck::{Pod, Zeroable};
use steric_world::relax::{Parts, ResponseKind};
use steric_world::respond::{Newton, Projection};

/// How many words a record has.
pub(crate) fn record_words(kind: ResponseKind) -> u64 {
    match kind {
        ResponseKind::Newton => 64,
        ResponseKind::Projection | ResponseKind::Thesis => 32,
    }
}

/// The largest whole number that a word of a contact can be: 4,096 of them are added up in one word.
const LARGEST: f64 = (1 << 18) as f64;

/// `Law`: the numbers of a relaxation.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LawWords {
    reach: f32,
    overlap: f32,
    clearance: f32,
    bias: f32,
    bias_iterations: u32,
    bias_after: u32,
    ramp: f32,
    scale: f32,
    step: f32,
    damping: f32,
    momentum: f32,
    max_move: f32,
    force: f32,
    torque: f32,
    spring: f32,
    spring_torque: f32,
    skin: f32,
    sleep: u32,
    most_push: f32,
    unused: u32,
}

const _: () = assert!(size_of::<LawWords>() == 80, "the law has five words of four");

/// The value of `RESPONSE`.
pub(crate) fn response(kind: ResponseKind) -> f64 {
    match kind {
        ResponseKind::Newton => 0.0,
        ResponseKind::Projection => 1.0,
        ResponseKind::Thesis => 2.0,
    }
}

impl LawWords {
    pub(crate) fn new(parts: &Parts<'_>) -> Self {
        let options = parts.options;
        let or = |value: f64, default: f64| if value > 0.0 { value } else { default };
        let kept = |default: f64| if options.momentum >= 0.0 { options.momentum } else { default };
        let (step, momentum) = match options.response {
            ResponseKind::Newton => (or(options.step, Newton::default().step), kept(Newton::default().momentum)),
            ResponseKind::Projection => {
                (or(options.step, Projection::default().step), kept(Projection::default().momentum))
            }
            ResponseKind::Thesis => (1.0, 0.0),
        };
        let reach = parts.contact_margin() - parts.allow;
        // The lighter of two goes up to 1.6 times as far as they overlap, and a wall asks for no more than a molecule may go.
        let (_, widest) = parts.scene.radii().unwrap_or((0.0, 1.0));
        let most_push = (2.0 * f64::from(2.0 * widest + reach.max(0.0))).max(2.0 * options.max_move).max(1.0);
        let scale = (LARGEST / most_push).log2().floor().exp2();
        Self {
            reach,
            overlap: -options.slack as f32 - parts.allow,
            clearance: options.clearance as f32,
            bias: options.bias as f32,
            bias_iterations: options.bias_iterations,
            bias_after: options.bias_after.min(u32::from(u16::MAX)),
            ramp: 1.0 / options.bias_ramp.max(1) as f32,
            scale: scale as f32,
            step: step as f32,
            damping: options.damping as f32,
            momentum: momentum as f32,
            max_move: options.max_move as f32,
            force: options.thesis_force as f32,
            torque: options.thesis_torque as f32,
            spring: options.thesis_spring as f32,
            spring_torque: options.thesis_spring_torque as f32,
            skin: options.skin as f32,
            sleep: options.sleep.into(),
            most_push: most_push as f32,
            unused: 0,
        }
    }

    /// How far beyond the sum of radii atoms are pushed, in angstroms.
    pub(crate) fn reach(&self) -> f32 {
        self.reach
    }

    /// How much less deep an overlap is than what is not yet clear, once anything has overlapped.
    pub(crate) fn clearance(&self) -> f32 {
        self.clearance
    }
}
