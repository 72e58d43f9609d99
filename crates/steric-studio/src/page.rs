//! The studio in a page of a browser.
//!
//! How it works: the page hands over its canvas. Panels are drawn there by WebGL, which every browser has. Molecules are moved and drawn by WebGPU
//! where the browser has it; elsewhere the processor moves them and WebGL draws them, too. All of it happens in the page: files that are
//! opened there never leave the machine.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui_wgpu::{WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew};
use steric::gpu::Gpu;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::simulation::{Source, Where};
use crate::{Options, Studio};

/// The studio, as a page has it.
#[wasm_bindgen]
#[derive(Clone)]
pub struct Page {
    runner: eframe::WebRunner,
}

#[wasm_bindgen]
impl Page {
    /// A page that shows nothing yet.
    #[expect(clippy::new_without_default, reason = "JavaScript has no defaults")]
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        eframe::WebLogger::init(log::LevelFilter::Warn).ok();
        Self { runner: eframe::WebRunner::new() }
    }

    /// Starts on a canvas, with a ready scene if one is named. Without WebGPU if that is not wanted.
    pub async fn start(
        &self,
        canvas: web_sys::HtmlCanvasElement,
        scene: Option<String>,
        with_webgpu: bool,
    ) -> Result<(), JsValue> {
        let webgpu = if with_webgpu { webgpu().await } else { None };
        let mut instance = wgpu::InstanceDescriptor::new_without_display_handle();
        instance.backends = wgpu::Backends::GL;
        let setup = WgpuSetupCreateNew {
            instance_descriptor: instance,
            device_descriptor: Arc::new(Gpu::wanted),
            ..WgpuSetupCreateNew::without_display_handle()
        };
        let options = eframe::WebOptions {
            wgpu_options: WgpuConfiguration { wgpu_setup: WgpuSetup::CreateNew(setup), ..Default::default() },
            ..Default::default()
        };
        let open = scene.as_deref().and_then(Source::ready);
        self.runner.start(canvas, options, Box::new(move |creation| Ok(Box::new(studio(creation, webgpu, open))))).await
    }

    /// How it stands, as JSON: what is open, how many overlaps there are, what works.
    pub fn state(&self) -> Option<String> {
        let studio = self.runner.app_mut::<Studio>()?;
        let now = &studio.state().now;
        let opened = now.opened.as_ref();
        let state = serde_json::json!({
            "name": opened.map(|opened| opened.source.name()),
            "atoms": opened.map(|opened| opened.scene.atoms()),
            "molecules": now.poses.len(),
            "plays": now.plays,
            "rests": now.rests,
            "iteration": now.iteration,
            "overlaps": now.overlaps,
            "busy": now.busy,
            "is_shown": studio.is_shown(),
            "worker": now.worker,
            "device": studio.device(),
            "milliseconds_a_picture": studio.state().frame_times.mean(),
            "log": studio.state().log,
        });
        Some(state.to_string())
    }

    /// What is seen, as the bytes of a PNG file.
    pub fn picture(&self) -> Option<Vec<u8>> {
        self.runner.app_mut::<Studio>()?.picture()?.to_png().ok()
    }

    /// Why it has stopped, if it has.
    pub fn failure(&self) -> Option<String> {
        self.runner.panic_summary().map(|summary| summary.message())
    }
}

/// A GPU that computes, if the browser has one and it can do what the kernels need.
async fn webgpu() -> Option<Gpu> {
    let mut wanted = wgpu::InstanceDescriptor::new_without_display_handle();
    wanted.backends = wgpu::Backends::BROWSER_WEBGPU;
    let options =
        wgpu::RequestAdapterOptions { power_preference: wgpu::PowerPreference::HighPerformance, ..Default::default() };
    let adapter = wgpu::Instance::new(wanted).request_adapter(&options).await.ok()?;
    let (device, queue) = adapter.request_device(&Gpu::wanted(&adapter)).await.ok()?;
    Some(Gpu::of_parts(&adapter, device, queue)).filter(|gpu| gpu.adapter().is_able)
}

fn studio(creation: &eframe::CreationContext<'_>, webgpu: Option<Gpu>, open: Option<Source>) -> Studio {
    let webgl = creation.wgpu_render_state.as_ref();
    let webgl = webgl.map(|own| Gpu::of_parts(&own.adapter, own.device.clone(), own.queue.clone()));
    let place = webgpu.clone().map_or(Where::Processor, Where::Gpu);
    Studio::new(&creation.egui_ctx, Options { open, gpu: webgpu.or(webgl), place, folder: Some(PathBuf::new()) })
}
