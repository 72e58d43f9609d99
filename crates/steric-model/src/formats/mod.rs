//! Readers and writers, one file per format.

pub mod cif;
