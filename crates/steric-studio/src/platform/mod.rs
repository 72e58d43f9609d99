//! What differs between a program and a page in a browser: threads, files, and what is remembered.

#[cfg(target_family = "wasm")]
mod page;
#[cfg(not(target_family = "wasm"))]
mod program;

#[cfg(target_family = "wasm")]
pub(crate) use page::{HAS_FOLDERS, beside, breathe, choose, forget, keep, kept, save, save_model, soon, take};
#[cfg(not(target_family = "wasm"))]
pub(crate) use program::{HAS_FOLDERS, beside, breathe, choose, forget, keep, kept, save, save_model, soon, take};
