//! A window that is used as a person would use it.
#![allow(dead_code, reason = "not every test needs everything")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::time::{Duration, Instant};

use egui::{Key, Modifiers, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use steric_studio::{Options, Studio};

pub(crate) type Window = Harness<'static, Option<Studio>>;

pub(crate) fn window(options: Options) -> Window {
    let mut options = Some(options);
    let show = move |ui: &mut egui::Ui, studio: &mut Option<Studio>| {
        let studio = studio.get_or_insert_with(|| Studio::new(ui.ctx(), options.take().unwrap()));
        studio.show(ui);
    };
    Harness::builder().with_size([1280.0, 900.0]).build_ui_state(show, None)
}

pub(crate) fn studio(window: &Window) -> &Studio {
    window.state().as_ref().unwrap()
}

/// Frame after frame until something is true.
pub(crate) fn until(window: &mut Window, what: &str, is_true: impl Fn(&Studio) -> bool) {
    let began = Instant::now();
    loop {
        window.step();
        if is_true(studio(window)) {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(120), "{what}: {:?}", studio(window).state().log);
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn click(window: &mut Window, label: &str) {
    window.run_steps(2);
    window.get_by_label(label).click();
    window.run_steps(3);
}

pub(crate) fn key(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(3);
}

/// Answers the question for a file, which stands above everything.
pub(crate) fn answer(window: &mut Window, path: &Path, verb: &str) {
    window.get_all_by_role(Role::TextInput).last().unwrap().focus();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.get_all_by_role(Role::TextInput).last().unwrap().type_text(&path.display().to_string());
    window.run_steps(2);
    click(window, verb);
}
