//! A page in a browser: one thread, no folders. Files are given by the reader and handed back as downloads; none leaves the machine.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use steric::model::Structure;
use steric::save::model_bytes;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::files::Arrivals;

/// Whether there are folders to choose a file in.
pub(crate) const HAS_FOLDERS: bool = false;
/// What the browser has time for between two pieces of work, in milliseconds.
const A_BREATH: i32 = 30;

/// Does something between the frames of the page.
pub(crate) fn soon(work: impl Future<Output = ()> + 'static) {
    spawn_local(work);
}

/// Does something that takes long; a page has one thread, so it waits.
pub(crate) fn beside(_name: &str, work: impl FnOnce() + Send + 'static) {
    work();
}

/// Lets the browser show what there is.
pub(crate) async fn breathe() {
    let promise = js_sys::Promise::new(&mut |done, _| {
        if let Some(window) = web_sys::window() {
            window.set_timeout_with_callback_and_timeout_and_arguments_0(&done, A_BREATH).ok();
        }
    });
    JsFuture::from(promise).await.ok();
}

/// Takes a file that was dropped on the page, when the browser has read it.
pub(crate) fn take(file: &Arc<dyn egui::DroppedFile + Send + Sync>, arrivals: &Arrivals, ctx: &egui::Context) {
    let (file, arrivals, ctx) = (Arc::clone(file), arrivals.clone(), ctx.clone());
    spawn_local(async move {
        let bytes = file.bytes_async().await;
        arrivals.add(file.path().display().to_string(), bytes);
        ctx.request_repaint();
    });
}

/// Lets the browser ask for a file.
pub(crate) fn choose(arrivals: &Arrivals, ctx: &egui::Context) {
    let asked = ask(arrivals.clone(), ctx.clone());
    if let Err(error) = asked {
        arrivals.add("a file".to_owned(), Err(words(&error)));
    }
}

fn ask(arrivals: Arrivals, ctx: egui::Context) -> Result<(), JsValue> {
    let input: web_sys::HtmlInputElement = document()?.create_element("input")?.dyn_into()?;
    input.set_type("file");
    let chosen = input.clone();
    let on_change = Closure::once_into_js(move || {
        let Some(file) = chosen.files().and_then(|files| files.get(0)) else { return };
        spawn_local(async move {
            let bytes = JsFuture::from(file.array_buffer()).await;
            let bytes = bytes.map(|buffer| js_sys::Uint8Array::new(&buffer).to_vec());
            arrivals.add(file.name(), bytes.map_err(|error| words(&error)));
            ctx.request_repaint();
        });
    });
    input.set_onchange(Some(on_change.unchecked_ref()));
    input.click();
    Ok(())
}

/// Hands bytes to the browser as a download.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    download(&name, bytes).map_err(|error| format!("{name}: {}", words(&error)))
}

fn download(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes).into());
    let kind = web_sys::BlobPropertyBag::new();
    kind.set_type("application/octet-stream");
    let blob = web_sys::Blob::new_with_u8_array_sequence_and_options(&parts, &kind)?;
    let address = web_sys::Url::create_object_url_with_blob(&blob)?;
    let link: web_sys::HtmlAnchorElement = document()?.create_element("a")?.dyn_into()?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    web_sys::Url::revoke_object_url(&address)
}

/// Hands molecules to the browser as a download.
pub(crate) fn save_model(path: &Path, structure: &Structure) -> Result<(), String> {
    let bytes = model_bytes(path, structure).map_err(|error| error.to_string())?;
    save(path, &bytes)
}

/// What the browser remembers for this page under a name.
pub(crate) fn kept(_folder: &Path, name: &str) -> Option<String> {
    storage()?.get_item(name).ok()?
}

/// Lets the browser remember something under a name; one that does not want to is not worth a word.
pub(crate) fn keep(_folder: &Path, name: &str, text: &str) {
    if let Some(storage) = storage() {
        storage.set_item(name, text).ok();
    }
}

/// Lets it forget that.
pub(crate) fn forget(_folder: &Path, name: &str) {
    if let Some(storage) = storage() {
        storage.remove_item(name).ok();
    }
}

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

fn document() -> Result<web_sys::Document, JsValue> {
    web_sys::window().and_then(|window| window.document()).ok_or_else(|| JsValue::from("expected a page, found none"))
}

fn words(error: &JsValue) -> String {
    error.as_string().unwrap_or_else(|| format!("{error:?}"))
}
