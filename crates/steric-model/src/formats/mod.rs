//! Readers and writers, one file per format.

#[allow(dead_code, unused_imports, reason = "the codec's accessors by type are for other readers of tables")]
mod bcif;
pub mod cif;
