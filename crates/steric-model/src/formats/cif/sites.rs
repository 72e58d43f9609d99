//! Atom sites: the rows of `_atom_site` become atoms.
//!
//! How it works: the columns are found once, by role; then every row is asked for its roles and goes straight to the
//! [`StructureBuilder`]. Author ids (`auth_asym_id`, `auth_seq_id`) are what PDB files and chemists use, so they name
//! chains and number residues; `label_asym_id` is kept beside them because assemblies and bonds refer to it. Where
//! one of the two is missing the other stands in.

use std::path::Path;

use glam::Vec3;
use smol_str::SmolStr;

use super::table::{Cell, Table};
use crate::{AtomRecord, Element, Name, Place, ReadError, StructureBuilder, Warnings};

/// What a column of `_atom_site` means; the number is its place in [`ROLE_NAMES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Group,
    Serial,
    Symbol,
    LabelAtom,
    AuthAtom,
    Alternate,
    LabelComponent,
    AuthComponent,
    LabelChain,
    AuthChain,
    Entity,
    LabelNumber,
    AuthNumber,
    Insertion,
    X,
    Y,
    Z,
    Occupancy,
    BFactor,
    Charge,
    Model,
}

/// The columns of `_atom_site` that matter, by role.
pub(super) const ROLE_NAMES: [&str; 21] = [
    "group_PDB",
    "id",
    "type_symbol",
    "label_atom_id",
    "auth_atom_id",
    "label_alt_id",
    "label_comp_id",
    "auth_comp_id",
    "label_asym_id",
    "auth_asym_id",
    "label_entity_id",
    "label_seq_id",
    "auth_seq_id",
    "pdbx_PDB_ins_code",
    "Cartn_x",
    "Cartn_y",
    "Cartn_z",
    "occupancy",
    "B_iso_or_equiv",
    "pdbx_formal_charge",
    "pdbx_PDB_model_num",
];

/// Which column plays which role.
#[derive(Clone, Debug)]
pub(super) struct Roles([Option<usize>; ROLE_NAMES.len()]);

impl Roles {
    /// Finds the roles with a function from a column's name to its place.
    pub(super) fn find(column: impl FnMut(&'static str) -> Option<usize>) -> Self {
        Self(ROLE_NAMES.map(column))
    }

    /// The column of a role.
    #[inline]
    pub(super) fn column(&self, role: Role) -> Option<usize> {
        self.0[role as usize]
    }

    /// The columns by role, with `missing` for roles that no column plays.
    pub(super) fn or(&self, missing: usize) -> [usize; ROLE_NAMES.len()] {
        self.0.map(|column| column.unwrap_or(missing))
    }
}

/// One row of `_atom_site`.
pub(super) trait Site<'a> {
    /// The value of a role.
    fn cell(&self, role: Role) -> Cell<'a>;

    /// Where that value stands in the file.
    fn place(&self, role: Role) -> Place;
}

/// A row of a table that is already in memory.
pub(super) struct TableSite<'t, 'a> {
    pub(super) table: &'t Table<'a>,
    pub(super) roles: &'t Roles,
    pub(super) row: usize,
}

impl<'a> Site<'a> for TableSite<'_, 'a> {
    #[inline]
    fn cell(&self, role: Role) -> Cell<'a> {
        self.table.cell(self.row, self.roles.column(role))
    }

    fn place(&self, _: Role) -> Place {
        self.table.place()
    }
}

/// Gathers atom sites.
#[derive(Debug)]
pub(super) struct Sites {
    builder: StructureBuilder,
    model: Option<i32>,
    // The entity of every chain; descriptions may come after the atoms.
    entities: Vec<SmolStr>,
    chain: String,
    label: String,
    names_were_cut: bool,
}

impl Sites {
    /// Room for so many atoms.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            builder: StructureBuilder::new("", capacity),
            model: None,
            entities: Vec::new(),
            chain: String::new(),
            label: String::new(),
            names_were_cut: false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.builder.is_empty()
    }

    /// The structure without what other tables say, and the entity of each of its chains.
    pub(super) fn finish(self) -> (StructureBuilder, Vec<SmolStr>) {
        (self.builder, self.entities)
    }

    /// Adds every row of a table.
    pub(super) fn push_table(
        &mut self,
        table: &Table<'_>,
        path: &Path,
        warnings: &mut Warnings,
    ) -> Result<(), ReadError> {
        let roles = Roles::find(|name| table.column(name));
        (0..table.rows()).try_for_each(|row| self.push(&TableSite { table, roles: &roles, row }, path, warnings))
    }

    /// Adds one atom.
    #[inline]
    pub(super) fn push<'a>(
        &mut self,
        site: &impl Site<'a>,
        path: &Path,
        warnings: &mut Warnings,
    ) -> Result<(), ReadError> {
        let Some(position) = position(site, path, warnings)? else { return Ok(()) };
        if self.builder.len() >= u32::MAX as usize - 1 {
            return Err(ReadError::content(path, site.place(Role::Serial), "at most 2^32 - 2 atoms", "one more"));
        }
        self.open_model(site, warnings);
        let name = site.cell(Role::LabelAtom).or(|| site.cell(Role::AuthAtom));
        let residue_name = site.cell(Role::LabelComponent).or(|| site.cell(Role::AuthComponent));
        self.note_long_names([name, residue_name], site, warnings);
        let label = site.cell(Role::LabelChain);
        label.write_to(&mut self.label);
        site.cell(Role::AuthChain).or(|| label).write_to(&mut self.chain);
        let name = name.name();
        let (residue_number, letter) = residue_number(site, warnings);
        let insertion = site.cell(Role::Insertion).letter();
        self.builder.push(AtomRecord {
            position,
            element: element(site.cell(Role::Symbol), name),
            name,
            serial: site.cell(Role::Serial).integer().unwrap_or(0),
            alternate: site.cell(Role::Alternate).letter(),
            occupancy: site.cell(Role::Occupancy).number().unwrap_or(1.0) as f32,
            b_factor: site.cell(Role::BFactor).number().unwrap_or(0.0) as f32,
            formal_charge: site.cell(Role::Charge).charge().unwrap_or(0),
            residue_name: residue_name.name(),
            residue_number,
            insertion: if insertion == 0 { letter } else { insertion },
            hetero: site.cell(Role::Group).is("HETATM"),
            chain: &self.chain,
            label: &self.label,
        });
        if self.builder.structure_mut().chains.len() > self.entities.len() {
            self.entities.push(site.cell(Role::Entity).to_smol());
        }
        Ok(())
    }

    #[inline]
    fn open_model<'a>(&mut self, site: &impl Site<'a>, warnings: &mut Warnings) {
        let number = site.cell(Role::Model).integer().unwrap_or(1);
        if self.model == Some(number) {
            return;
        }
        // Compared with the first model only: enough to notice, and never quadratic.
        let comes_back = self.builder.structure_mut().models.first().is_some_and(|first| first.number == number);
        if comes_back {
            warnings.push(site.place(Role::Model), || {
                format!("model {number} comes back after another one; its atoms are read as one more model {number}")
            });
        }
        self.builder.start_model(number);
        self.model = Some(number);
    }

    #[inline]
    fn note_long_names<'a>(&mut self, names: [Cell<'a>; 2], site: &impl Site<'a>, warnings: &mut Warnings) {
        let is_long = |cell: &Cell<'a>| matches!(cell, Cell::Text(text) if text.len() > Name::CAPACITY);
        if !self.names_were_cut && names.iter().any(is_long) {
            self.names_were_cut = true;
            warnings.push(site.place(Role::LabelAtom), || {
                format!("atom and residue names are cut after {} letters", Name::CAPACITY)
            });
        }
    }
}

/// The centre of an atom; `None`, with a warning, where the file does not know it.
#[inline]
fn position<'a>(site: &impl Site<'a>, path: &Path, warnings: &mut Warnings) -> Result<Option<Vec3>, ReadError> {
    let mut position = Vec3::ZERO;
    for (axis, role) in [Role::X, Role::Y, Role::Z].into_iter().enumerate() {
        match site.cell(role).number().map(|value| value as f32) {
            Some(value) if value.is_finite() => position[axis] = value,
            _ => return bad_coordinate(site, role, axis, path, warnings),
        }
    }
    Ok(Some(position))
}

#[cold]
fn bad_coordinate<'a>(
    site: &impl Site<'a>,
    role: Role,
    axis: usize,
    path: &Path,
    warnings: &mut Warnings,
) -> Result<Option<Vec3>, ReadError> {
    let axis = ['x', 'y', 'z'][axis];
    if !site.cell(role).is_absent() {
        let found = site.cell(role).to_smol();
        return Err(ReadError::content(path, site.place(role), format!("the {axis} coordinate in angstroms"), found));
    }
    let place = if warnings.first.len() < Warnings::KEPT { site.place(Role::Serial) } else { Place::File };
    warnings
        .push(place, || format!("atom {} has no {axis} coordinate and is left out", site.cell(Role::Serial).to_smol()));
    Ok(None)
}

/// The residue's number, and the letter behind it: old files write the insertion code there too, as in `184A`.
#[inline]
fn residue_number<'a>(site: &impl Site<'a>, warnings: &mut Warnings) -> (i32, u8) {
    let cell = site.cell(Role::AuthNumber).or(|| site.cell(Role::LabelNumber));
    match (cell.integer(), cell) {
        (Some(number), _) => (number, 0),
        (None, Cell::Absent) => (0, 0),
        (None, _) => odd_residue_number(site, cell, warnings),
    }
}

#[cold]
fn odd_residue_number<'a>(site: &impl Site<'a>, cell: Cell<'a>, warnings: &mut Warnings) -> (i32, u8) {
    if let Cell::Text([digits @ .., letter]) = cell
        && letter.is_ascii_alphabetic()
        && let Some(number) = Cell::Text(digits).integer()
    {
        return (number, *letter);
    }
    let number = site.cell(Role::LabelNumber).integer().unwrap_or(0);
    let place = if warnings.first.len() < Warnings::KEPT { site.place(Role::AuthNumber) } else { Place::File };
    warnings.push(place, || format!("{:?} is no residue number; {number} is taken instead", cell.to_smol()));
    (number, 0)
}

/// The element by its symbol; by the first letter of the atom's name only where the file has no symbol at all.
#[inline]
fn element(symbol: Cell<'_>, name: Name) -> Element {
    match symbol {
        Cell::Text(symbol) => Element::from_symbol(symbol).unwrap_or(Element::UNKNOWN),
        _ => {
            let letter = name.as_bytes().iter().find(|byte| byte.is_ascii_alphabetic());
            letter.and_then(|&letter| Element::from_symbol([letter])).unwrap_or(Element::UNKNOWN)
        }
    }
}
