//! The kernels: each a `.wgsl` file and a host file of the same stem, which states the layout of its arrays and makes its
//! stages. `common`, `lattice`, `arms`, `touch`, `law`, `record`, `shape` and
//! `together` or `alone` are texts that several kernels include.

mod cells;
mod common;
mod compare;
mod contacts;
mod copy;
mod jolt;
mod law;
mod place;
mod search;
mod shape;
mod skin;
mod spread;
mod step;
mod tally;
mod turn;
mod walls;

#[cfg(test)]
mod tests;

pub(crate) use cells::cell_stages;
pub(crate) use common::{BodyWords, LevelWords, SceneWords, ShareWords, board, level_kind, mood};
use common::{RECORD_QUADS_VIEW, RECORDS_VIEW, atoms_view, list_view};
pub(crate) use compare::compare_stage;
pub(crate) use contacts::contacts_stage;
pub(crate) use copy::copy_stage;
pub(crate) use jolt::{find_stuck, jolt};
pub(crate) use law::{LawWords, record_words, response};
pub(crate) use place::place_stage;
pub(crate) use search::search_stage;
pub(crate) use shape::Shapes;
pub(crate) use skin::{HungWords, Joints, Points, Ridden, ride_stage, skin_stage, turn_groups_stage};
pub(crate) use spread::spread_stages;
pub(crate) use step::{HoldWords, step_stage};
pub(crate) use tally::{PartWords, Tally, tally_stage};
pub(crate) use turn::{apply_stage, close_stage};
pub(crate) use walls::walls_stage;

/// What every kernel can call.
pub(crate) const COMMON: &str = include_str!("common.wgsl");
/// How threads add up their values.
pub(crate) const TOGETHER: &str = include_str!("together.wgsl");
pub(crate) const ALONE: &str = include_str!("alone.wgsl");
