//! steric in a window: molecules are seen, pushed apart, and taken in hand.
//!
//! How it works: three threads. The window ([`Studio`]) shows panels and takes what mouse and keys do; the simulation
//! ([`simulation`]) iterates; the painter ([`painter`]) draws. None waits for another, so the window never freezes. A page in a browser has one
//! thread: there they take turns between its frames. Each world fills the same places with panels of its own (`worlds`).

mod app;
mod commands;
pub mod cues;
pub mod devices;
mod files;
#[cfg(target_family = "wasm")]
pub mod page;
pub mod painter;
mod platform;
mod recorder;
mod settings;
pub mod simulation;
mod start;
pub mod state;
mod verdict;
pub mod viewport;
pub(crate) mod worlds;

pub use app::{Options, Studio};

/// Why there is no window.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, thiserror::Error)]
#[error(
    "expected a screen to open a window on and a driver for Vulkan, Metal or DirectX 12, found: {0}; the package mesa-vulkan-drivers (Debian, \
     Ubuntu, Fedora) draws on the processor"
)]
pub struct NoWindow(String);

#[cfg(not(target_family = "wasm"))]
/// Opens the window, and returns when it is closed.
pub fn run(options: Options) -> Result<(), NoWindow> {
    let viewport = egui::ViewportBuilder::default().with_title("steric studio").with_inner_size([1280.0, 860.0]);
    let native = eframe::NativeOptions { viewport, ..Default::default() };
    eframe::run_native("steric", native, Box::new(|creation| Ok(Box::new(Studio::new(&creation.egui_ctx, options)))))
        .map_err(|error| NoWindow(error.to_string()))
}
