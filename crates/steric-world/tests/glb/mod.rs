//! What tests of GLB files share.

pub(crate) mod reader;
pub(crate) mod rods;
