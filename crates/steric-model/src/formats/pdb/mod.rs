//! PDB files: fixed columns, angstroms.
//!
//! How it works: [`read_pdb`] takes each line apart by its columns (`fields`), with a few decisions made once per
//! file where programs disagree about the columns (`layout`). Serials and residue numbers that outgrow their columns
//! are hybrid-36 (`hybrid36`), asterisks, or run into the next column; all three are understood. Elements come from
//! columns 77-78 or, where these are empty, from the alignment of the atom name (`elements`). [`write_pdb`] writes
//! wwPDB format 3.3 with hybrid-36 numbers and two-letter chains.
//!
//! What the reader decides where the format leaves a choice:
//! - A digit in the insertion column right after a digit belongs to the residue number.
//! - Column 21 is the fourth letter of a residue name (`TIP3`), unless the file has two-letter chains, which shows in
//!   standard residues that reach into it (`PHEAA`).
//! - Columns 73-80 hold entry id and line number if column 77-80 is a number throughout: 1980s format, no element there.
//! - `END` or `ENDMDL` followed by more atoms starts another model.
//! - `MTRIX` operators that are not marked as given become an assembly `ncs`, but only without `REMARK 350`: biological
//!   assemblies are stated relative to the deposited atoms and already contain the non-crystallographic copies.
//! - `CONECT` is resolved by serial within the first model. In a file that repeats a partner, repeats count the order;
//!   in a file that never does, orders are not stated (0).

mod connections;
mod elements;
mod fields;
mod hybrid36;
mod layout;
mod read;
mod remarks;
mod write;

pub use read::read_pdb;
pub(super) use read::{Dialect, read};
pub use write::write_pdb;
