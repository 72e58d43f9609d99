//! Readers and writers, one file per format.

pub mod pdb;
pub mod pdbqt;
