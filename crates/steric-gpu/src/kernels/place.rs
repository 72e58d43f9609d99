//! Atoms from types and poses.
//!
//! Arrays: templates are `x y z radius` of each atom of each type, cluster after cluster; bounds are `x y z radius` of each
//! cluster of each type; a cluster's source is its first template and, in 30 bits, its bound, with its level above.

use super::atoms_view;
use crate::device::{Access, Gpu, Groups, Kernel, Stage};
use crate::field::Field;

/// Places the atoms of all molecules, or of those that have moved.
pub(crate) fn place_stage(gpu: &Gpu, field: &Field, all: bool) -> Stage {
    let atoms = atoms_view(Access::Write);
    let text = &[&field.atoms.text(atoms), include_str!("place.wgsl")];
    let constants = [("LANES", f64::from(field.lanes)), ("ALL", f64::from(u8::from(all)))];
    let pipeline = gpu.pipeline(Kernel { name: "place", text, entry: "place", constants: &constants });
    let mut arrays = vec![
        (0, &field.scene),
        (1, &field.templates),
        (2, &field.bounds),
        (3, &field.sources),
        (4, &field.near),
        (5, &field.bodies),
        (7, &field.clusters),
        (8, &field.moods),
        (9, &field.board),
    ];
    arrays.extend(field.atoms.bound(atoms));
    gpu.stage("place", &pipeline, &arrays, Groups(field.threads().div_ceil(128)))
}
