//! How many atoms touch, of which molecules, and which.

use bytemuck::{Pod, Zeroable};

use super::{atoms_view, list_view};
use crate::device::{Access, Gpu, Groups, Kernel, Stage};
use crate::field::Field;

/// `Part`: which workgroups run, and which pairs there is room for.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PartWords {
    pub(crate) first_group: u32,
    pub(crate) first_pair: u32,
    pub(crate) unused: [u32; 2],
}

const _: () = assert!(size_of::<PartWords>() == 16, "a part is one word of four");

/// What is asked about the touches, and where the answer goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tally<'a> {
    /// How many each workgroup finds; `once` counts a pair once, and not from each side that is searched for.
    Count { groups_found: &'a wgpu::Buffer, once: bool },
    /// The same, by comparing every atom with every other.
    AllPairs { groups_found: &'a wgpu::Buffer },
    /// How many each molecule has.
    PerMolecule { per_molecule: &'a wgpu::Buffer },
    /// The pairs of some workgroups, three words each.
    List { groups_found: &'a wgpu::Buffer, found: &'a wgpu::Buffer, part: &'a wgpu::Buffer, groups: u64 },
}

/// Looks at the atoms of near clusters.
pub(crate) fn tally_stage(gpu: &Gpu, field: &Field, tally: Tally<'_>) -> Stage {
    let all = field.threads().div_ceil(64);
    let (atoms, list) = (atoms_view(Access::Read), list_view(Access::Read));
    let text = [
        &field.atoms.text(atoms),
        &field.list.text(list),
        include_str!("lattice.wgsl"),
        include_str!("touch.wgsl"),
        include_str!("tally.wgsl"),
    ];
    let (name, entry, once, groups, own): (_, _, _, _, Vec<(u32, &wgpu::Buffer)>) = match tally {
        Tally::Count { groups_found, once } => ("count touches", "count_touches", once, all, vec![(5, groups_found)]),
        Tally::AllPairs { groups_found } => ("all pairs", "count_all_pairs", false, all, vec![(5, groups_found)]),
        Tally::PerMolecule { per_molecule } => {
            ("count per molecule", "count_per_molecule", false, all, vec![(6, per_molecule)])
        }
        Tally::List { groups_found, found, part, groups } => {
            ("list touches", "list_touches", true, groups, vec![(5, groups_found), (7, found), (8, part)])
        }
    };
    let constants = [
        ("LANES", f64::from(field.lanes)),
        ("MIXED", f64::from(u8::from(field.is_mixed))),
        ("ONCE", f64::from(u8::from(once))),
    ];
    let pipeline = gpu.pipeline(Kernel { name: "tally", text: &text, entry, constants: &constants });
    let mut arrays = vec![(0, &field.scene), (2, &field.clusters), (3, &field.near)];
    arrays.extend(field.atoms.bound(atoms));
    if !matches!(tally, Tally::AllPairs { .. }) {
        arrays.extend(field.list.bound(list));
    }
    arrays.extend(own);
    gpu.stage(name, &pipeline, &arrays, Groups(groups))
}
