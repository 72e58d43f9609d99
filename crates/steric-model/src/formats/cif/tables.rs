//! The tables that a structure is written as, the same for text and for binary.

use super::super::bcif::{BlockToWrite, CategoryToWrite, ColumnData, ColumnToWrite, Values};
use super::plan::Plan;
use crate::{Element, Name, Pose, Structure};

/// `.`, does not apply.
const INAPPLICABLE: u8 = 1;
/// `?`, not known.
const UNKNOWN: u8 = 2;

/// The tables of a structure, in the order of the PDB's files.
pub(super) fn tables<'p>(plan: &'p Plan<'_>) -> BlockToWrite<'p> {
    let name = plan.structure.name.as_str();
    let entry = if name.is_empty() { plan.header.as_str() } else { name };
    let mut categories = vec![CategoryToWrite { name: "entry", columns: vec![ColumnToWrite::texts("id", [entry])] }];
    categories.extend(cell(plan.structure, entry));
    categories.extend(symmetry(plan.structure, entry));
    categories.push(entities(plan));
    categories.push(chains(plan));
    categories.extend(links(plan));
    categories.push(sites(plan));
    categories.extend(assemblies(plan));
    BlockToWrite { header: &plan.header, categories }
}

fn cell<'p>(structure: &Structure, entry: &'p str) -> Option<CategoryToWrite<'p>> {
    let periodic_box = structure.periodic_box?;
    let (edges, angles) = (periodic_box.edges().to_array(), periodic_box.angles_degrees().to_array());
    // Lengths and angles went through a matrix: a millionth is far below what any crystal is known to.
    let rounded = |value: f64| (value * 1e6).round() / 1e6;
    let names = ["length_a", "length_b", "length_c", "angle_alpha", "angle_beta", "angle_gamma"];
    let values = names.into_iter().zip(edges.into_iter().chain(angles));
    let mut columns = vec![ColumnToWrite::texts("entry_id", [entry])];
    columns.extend(values.map(|(name, value)| reals(name, vec![rounded(value)])));
    Some(CategoryToWrite { name: "cell", columns })
}

fn symmetry<'p>(structure: &'p Structure, entry: &'p str) -> Option<CategoryToWrite<'p>> {
    let group = Some(structure.space_group.as_str()).filter(|group| !group.is_empty())?;
    let columns =
        vec![ColumnToWrite::texts("entry_id", [entry]), ColumnToWrite::texts("space_group_name_H-M", [group])];
    Some(CategoryToWrite { name: "symmetry", columns })
}

fn entities<'p>(plan: &'p Plan<'_>) -> CategoryToWrite<'p> {
    let entities = || plan.entities.iter();
    let columns = vec![
        texts("id", entities().map(|entity| entity.id.as_str()), UNKNOWN),
        texts("type", entities().map(|entity| entity.kind), UNKNOWN),
        texts("pdbx_description", entities().map(|entity| entity.description.as_str()), UNKNOWN),
    ];
    CategoryToWrite { name: "entity", columns }
}

/// `_struct_asym`: which entity each label is; a label that comes in several models is named once.
fn chains<'p>(plan: &'p Plan<'_>) -> CategoryToWrite<'p> {
    let mut seen = rustc_hash::FxHashSet::default();
    let first: Vec<usize> = (0..plan.labels.len()).filter(|&chain| seen.insert(&plan.labels[chain])).collect();
    let columns = vec![
        texts("id", first.iter().map(|&chain| plan.labels[chain].as_str()), UNKNOWN),
        texts("entity_id", first.iter().map(|&chain| plan.entities[plan.entity_of[chain]].id.as_str()), UNKNOWN),
    ];
    CategoryToWrite { name: "struct_asym", columns }
}

fn sites<'p>(plan: &'p Plan<'_>) -> CategoryToWrite<'p> {
    let structure = plan.structure;
    let atoms = &structure.atoms;
    let residues = || atoms.residues.iter().map(|&residue| &structure.residues[residue as usize]);
    let chain_of = || residues().map(|residue| residue.chain as usize);
    let entity = |chain: usize| plan.entities[plan.entity_of[chain]].id.as_str();
    let symbol = |element: &Element| plan.symbols[element.atomic_number() as usize].as_str();
    let axis = |axis: usize| atoms.positions.iter().map(|position| position[axis].into()).collect();
    let single = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect();
    let names = |name| texts(name, atoms.names.iter().map(Name::as_str), UNKNOWN);
    let components = |name| texts(name, residues().map(|residue| residue.name.as_str()), UNKNOWN);
    let charges: Vec<i32> = atoms.formal_charges.iter().map(|&charge| charge.into()).collect();
    let charge_mask = charges.iter().map(|&charge| if charge == 0 { UNKNOWN } else { 0 }).collect();
    let numbers = sequence_numbers(structure);
    let of_residue = |values: &[i32]| atoms.residues.iter().map(|&residue| values[residue as usize]).collect();
    let number_mask = residues().map(|residue| residue.hetero as u8 * INAPPLICABLE).collect();
    let columns = vec![
        texts("group_PDB", residues().map(|residue| if residue.hetero { "HETATM" } else { "ATOM" }), UNKNOWN),
        ColumnToWrite::ints("id", serials(&atoms.serials)),
        texts("type_symbol", atoms.elements.iter().map(symbol), UNKNOWN),
        names("label_atom_id"),
        texts("label_alt_id", atoms.alternates.iter().map(|&letter| letter_text(letter)), INAPPLICABLE),
        components("label_comp_id"),
        texts("label_asym_id", chain_of().map(|chain| plan.labels[chain].as_str()), UNKNOWN),
        texts("label_entity_id", chain_of().map(entity), UNKNOWN),
        ColumnToWrite::ints("label_seq_id", of_residue(&numbers)).with_mask(number_mask),
        texts("pdbx_PDB_ins_code", residues().map(|residue| letter_text(residue.insertion)), UNKNOWN),
        ColumnToWrite::floats("Cartn_x", axis(0), 1000.0),
        ColumnToWrite::floats("Cartn_y", axis(1), 1000.0),
        ColumnToWrite::floats("Cartn_z", axis(2), 1000.0),
        ColumnToWrite::floats("occupancy", single(&atoms.occupancies), 1000.0),
        ColumnToWrite::floats("B_iso_or_equiv", single(&atoms.b_factors), 1000.0),
        ColumnToWrite::ints("pdbx_formal_charge", charges).with_mask(charge_mask),
        ColumnToWrite::ints("auth_seq_id", residues().map(|residue| residue.number).collect()),
        components("auth_comp_id"),
        texts("auth_asym_id", chain_of().map(|chain| plan.chain_name(chain)), UNKNOWN),
        names("auth_atom_id"),
        ColumnToWrite::ints("pdbx_PDB_model_num", model_numbers(plan)),
    ];
    CategoryToWrite { name: "atom_site", columns }
}

/// Atom numbers must differ in a file; where the structure's repeat, atoms are counted from 1.
fn serials(serials: &[i32]) -> Vec<i32> {
    let rises = serials.windows(2).all(|pair| pair[0] < pair[1]);
    let differ = || serials.iter().collect::<rustc_hash::FxHashSet<_>>().len() == serials.len();
    if rises || differ() { serials.to_vec() } else { (1..).take(serials.len()).collect() }
}

/// Places in the chain, counted from 1.
fn sequence_numbers(structure: &Structure) -> Vec<i32> {
    let mut last = vec![0; structure.chains.len()];
    let number = |chain: u32| {
        last[chain as usize] += 1;
        last[chain as usize]
    };
    structure.residues.iter().map(|residue| residue.chain).map(number).collect()
}

fn model_numbers(plan: &Plan<'_>) -> Vec<i32> {
    let structure = plan.structure;
    let model = |&residue: &u32| structure.chains[structure.residues[residue as usize].chain as usize].model;
    structure.atoms.residues.iter().map(|residue| plan.model_numbers[model(residue) as usize]).collect()
}

/// Bonds between residues; those inside a residue have no place in the table.
fn links<'p>(plan: &'p Plan<'_>) -> Option<CategoryToWrite<'p>> {
    let structure = plan.structure;
    let atoms = &structure.atoms;
    let residue_of = |atom: u32| atoms.residues[atom as usize];
    let mut seen = rustc_hash::FxHashSet::default();
    let key = |atom: u32| {
        let residue = &structure.residues[residue_of(atom) as usize];
        let place = (&plan.labels[residue.chain as usize], residue.number, residue.insertion, residue.name);
        (place, atoms.names[atom as usize], atoms.alternates[atom as usize])
    };
    let is_inside = |atom: u32| (atom as usize) < atoms.len();
    let bonds: Vec<_> = structure
        .bonds
        .iter()
        .filter(|bond| {
            is_inside(bond.first) && is_inside(bond.second) && residue_of(bond.first) != residue_of(bond.second)
        })
        .filter(|bond| seen.insert((key(bond.first), key(bond.second))))
        .collect();
    if bonds.is_empty() {
        return None;
    }
    let is_sulfur = |atom: u32| atoms.elements[atom as usize] == Element::SULFUR;
    let kind =
        bonds.iter().map(|bond| if is_sulfur(bond.first) && is_sulfur(bond.second) { "disulf" } else { "covale" });
    let orders = bonds.iter().map(|bond| ["", "sing", "doub", "trip", "arom"][bond.order.min(4) as usize]);
    let mut columns = vec![
        ColumnToWrite::ints("id", (1..).take(bonds.len()).collect()),
        texts("conn_type_id", kind, UNKNOWN),
        texts("pdbx_value_order", orders, UNKNOWN),
    ];
    columns.extend(partner(plan, &PARTNER_NAMES[0], bonds.iter().map(|bond| bond.first as usize).collect()));
    columns.extend(partner(plan, &PARTNER_NAMES[1], bonds.iter().map(|bond| bond.second as usize).collect()));
    Some(CategoryToWrite { name: "struct_conn", columns })
}

const PARTNER_NAMES: [[&str; 10]; 2] = [
    [
        "ptnr1_label_asym_id",
        "ptnr1_label_comp_id",
        "ptnr1_label_seq_id",
        "ptnr1_label_atom_id",
        "pdbx_ptnr1_label_alt_id",
        "pdbx_ptnr1_PDB_ins_code",
        "ptnr1_symmetry",
        "ptnr1_auth_asym_id",
        "ptnr1_auth_comp_id",
        "ptnr1_auth_seq_id",
    ],
    [
        "ptnr2_label_asym_id",
        "ptnr2_label_comp_id",
        "ptnr2_label_seq_id",
        "ptnr2_label_atom_id",
        "pdbx_ptnr2_label_alt_id",
        "pdbx_ptnr2_PDB_ins_code",
        "ptnr2_symmetry",
        "ptnr2_auth_asym_id",
        "ptnr2_auth_comp_id",
        "ptnr2_auth_seq_id",
    ],
];

fn partner<'p>(plan: &'p Plan<'_>, names: &[&'static str; 10], partners: Vec<usize>) -> Vec<ColumnToWrite<'p>> {
    let structure = plan.structure;
    let numbers = sequence_numbers(structure);
    let residues = || partners.iter().map(|&atom| structure.atoms.residues[atom] as usize);
    let records = || residues().map(|residue| &structure.residues[residue]);
    let chains = || records().map(|residue| residue.chain as usize);
    let mask = records().map(|residue| residue.hetero as u8 * INAPPLICABLE).collect();
    let alternates = partners.iter().map(|&atom| letter_text(structure.atoms.alternates[atom]));
    vec![
        texts(names[0], chains().map(|chain| plan.labels[chain].as_str()), UNKNOWN),
        texts(names[1], records().map(|residue| residue.name.as_str()), UNKNOWN),
        ColumnToWrite::ints(names[2], residues().map(|residue| numbers[residue]).collect()).with_mask(mask),
        texts(names[3], partners.iter().map(|&atom| structure.atoms.names[atom].as_str()), UNKNOWN),
        texts(names[4], alternates, UNKNOWN),
        texts(names[5], records().map(|residue| letter_text(residue.insertion)), UNKNOWN),
        texts(names[6], partners.iter().map(|_| "1_555"), UNKNOWN),
        texts(names[7], chains().map(|chain| plan.chain_name(chain)), UNKNOWN),
        texts(names[8], records().map(|residue| residue.name.as_str()), UNKNOWN),
        ColumnToWrite::ints(names[9], records().map(|residue| residue.number).collect()),
    ]
}

fn assemblies<'p>(plan: &'p Plan<'_>) -> Vec<CategoryToWrite<'p>> {
    let rows = || plan.generations.iter();
    if plan.generations.is_empty() {
        return Vec::new();
    }
    let mut ids: Vec<&str> = Vec::new();
    rows().for_each(|row| {
        if ids.last() != Some(&row.assembly.as_str()) {
            ids.push(&row.assembly);
        }
    });
    // gemmi passes over an assembly that lacks one of these columns.
    let unknown = |name| texts(name, ids.iter().map(|_| ""), UNKNOWN);
    let assembly = vec![
        texts("id", ids.iter().copied(), UNKNOWN),
        texts("details", ids.iter().map(|_| "author_defined_assembly"), UNKNOWN),
        unknown("method_details"),
        unknown("oligomeric_details"),
        unknown("oligomeric_count"),
    ];
    let mut generation = vec![
        texts("assembly_id", rows().map(|row| row.assembly.as_str()), UNKNOWN),
        texts("oper_expression", rows().map(|row| row.expression.as_str()), UNKNOWN),
        texts("asym_id_list", rows().map(|row| row.chains.as_str()), UNKNOWN),
    ];
    if rows().any(|row| row.model.is_some()) {
        let mask = rows().map(|row| if row.model.is_some() { 0 } else { UNKNOWN }).collect();
        let models = rows().map(|row| row.model.unwrap_or(0)).collect();
        generation.push(ColumnToWrite::ints("PDB_model_num", models).with_mask(mask));
    }
    let mut categories = vec![
        CategoryToWrite { name: "pdbx_struct_assembly", columns: assembly },
        CategoryToWrite { name: "pdbx_struct_assembly_gen", columns: generation },
        CategoryToWrite { name: "pdbx_struct_oper_list", columns: operators(plan) },
    ];
    if !plan.template_names.is_empty() {
        let names = texts("name", plan.template_names.iter().map(|name| name.as_str()), UNKNOWN);
        categories.push(CategoryToWrite { name: "pdbx_model", columns: vec![names] });
    }
    categories
}

fn operators<'p>(plan: &'p Plan<'_>) -> Vec<ColumnToWrite<'p>> {
    const MATRIX: [[&str; 3]; 3] = [
        ["matrix[1][1]", "matrix[1][2]", "matrix[1][3]"],
        ["matrix[2][1]", "matrix[2][2]", "matrix[2][3]"],
        ["matrix[3][1]", "matrix[3][2]", "matrix[3][3]"],
    ];
    const VECTOR: [&str; 3] = ["vector[1]", "vector[2]", "vector[3]"];
    let poses = || plan.operators.iter().map(|(_, pose)| pose);
    let matrices: Vec<glam::DMat3> = poses().map(|pose| glam::DMat3::from_quat(pose.rotation)).collect();
    let kind = |pose: &Pose| if *pose == Pose::IDENTITY { "identity operation" } else { "point symmetry operation" };
    let mut columns = vec![
        texts("id", plan.operators.iter().map(|(id, _)| id.as_str()), UNKNOWN),
        texts("type", poses().map(kind), UNKNOWN),
    ];
    for (row, (names, vector)) in MATRIX.into_iter().zip(VECTOR).enumerate() {
        for (axis, name) in names.into_iter().enumerate() {
            // Adding 0 turns -0 into 0.
            columns.push(reals(name, matrices.iter().map(|matrix| matrix.col(axis)[row] + 0.0).collect()));
        }
        columns.push(reals(vector, poses().map(|pose| pose.translation[row] + 0.0).collect()));
    }
    columns
}

/// Reals with all their digits.
fn reals(name: &'static str, values: Vec<f64>) -> ColumnToWrite<'static> {
    ColumnToWrite { name, data: ColumnData { values: Values::Floats(values), mask: None }, factor: None }
}

/// Text; an empty one is absent, in the way that `absent` says.
fn texts<'p>(name: &'p str, rows: impl Iterator<Item = &'p str>, absent: u8) -> ColumnToWrite<'p> {
    let rows: Vec<&str> = rows.collect();
    let is_complete = rows.iter().all(|row| !row.is_empty());
    let mask = rows.iter().map(|row| if row.is_empty() { absent } else { 0 }).collect();
    let column = ColumnToWrite::texts(name, rows);
    if is_complete { column } else { column.with_mask(mask) }
}

/// One letter as text; empty for anything that is not a printable letter.
fn letter_text(letter: u8) -> &'static str {
    const PRINTABLE: &str =
        "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";
    let place = letter.wrapping_sub(b'!') as usize;
    PRINTABLE.get(place..place + 1).unwrap_or("")
}
