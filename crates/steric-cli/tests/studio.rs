//! A real window on a screen that nobody sees, used by mouse and keys as a person would.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Ends what it started.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < Duration::from_secs(90), "{what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Overlapping molecules in the last row of a table.
fn overlapping(table: &Path) -> Option<u32> {
    let text = std::fs::read_to_string(table).ok()?;
    text.lines().last()?.split(',').nth(2)?.parse().ok()
}

#[test]
fn a_file_is_opened_played_until_nothing_overlaps_and_saved() {
    if !is_there("Xvfb") || !is_there("xdotool") {
        eprintln!("skipped: no Xvfb or no xdotool");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let scene = "[[membrane]]\ncount = 300\narea-per-lipid = 75\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
    std::fs::write(folder.path().join("small.toml"), scene).unwrap();
    let screen = format!(":{}", 90 + std::process::id() % 400);
    let _screen = Started(
        Command::new("Xvfb").args([&screen, "-screen", "0", "1280x860x24"]).stderr(Stdio::null()).spawn().unwrap(),
    );
    let tool = |arguments: &[&str]| {
        let done = Command::new("xdotool").env("DISPLAY", &screen).args(arguments).output().unwrap();
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    std::thread::sleep(Duration::from_millis(500));
    let mut window = Started(
        Command::new(env!("CARGO_BIN_EXE_steric"))
            .args(["studio", "small.toml", "--forget"])
            .env("DISPLAY", &screen)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_RUNTIME_DIR", folder.path())
            .current_dir(folder.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    until("a window, or the program has ended", || {
        let has_ended = window.0.try_wait().unwrap().is_some();
        has_ended || !tool(&["search", "--name", "steric studio"]).is_empty()
    });
    if window.0.try_wait().unwrap().is_some() {
        eprintln!("skipped: no driver that can open a window");
        return;
    }
    let id = tool(&["search", "--name", "steric studio"]).lines().next().unwrap().to_owned();
    let press = |keys: &str| {
        tool(&["windowfocus", "--sync", &id]);
        tool(&["key", keys]);
        std::thread::sleep(Duration::from_millis(400));
    };
    // A file name stands in the question already; Enter takes it.
    let save = |keys: &str, name: &str| {
        let path = folder.path().join(name);
        std::fs::remove_file(&path).ok();
        until(name, || {
            press(keys);
            press("Return");
            path.is_file()
        });
    };
    let table = folder.path().join("iterations.csv");
    until("no overlap", || {
        save("ctrl+t", "iterations.csv");
        // Nothing has played yet: it had not been opened when the key came.
        if overlapping(&table).is_none() {
            press("space");
        }
        overlapping(&table) == Some(0)
    });
    save("ctrl+shift+s", "scene.toml");
    save("ctrl+e", "picture.png");
    save("ctrl+s", "model.cif");
    let preset = std::fs::read_to_string(folder.path().join("scene.toml")).unwrap();
    assert!(preset.contains("count = 300"), "{preset}");
    let check = Command::new(env!("CARGO_BIN_EXE_steric"))
        .args(["relax", "scene.toml", "--quiet"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(check.status.success(), "the preset relaxes: {}", String::from_utf8_lossy(&check.stderr));
    let picture = steric_view::Picture::read_png(&folder.path().join("picture.png")).unwrap();
    // Green is what is free: nothing overlaps any more.
    let greens = picture.pixels.iter().filter(|[red, green, ..]| u32::from(*green) > 2 * u32::from(*red)).count();
    let reds = picture.pixels.iter().filter(|[red, green, ..]| u32::from(*red) > 2 * u32::from(*green)).count();
    assert!(greens > picture.pixels.len() / 20 && reds == 0, "{greens} green and {reds} red pixels");
    assert!(window.0.try_wait().unwrap().is_none(), "the window is still open");
}
