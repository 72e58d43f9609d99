//! Readers and writers, one file per format.

#[allow(dead_code, unused_imports, reason = "the codec stands before the mmCIF reader and writer that use it")]
mod bcif;
