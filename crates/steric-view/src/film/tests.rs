#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs::File;
use std::io::BufReader;

use super::*;

/// Two bands of transparency and a gradient that moves from frame to frame, with more colours than a GIF has.
fn frame(number: u32) -> Picture {
    let (width, height) = (37, 23);
    let pixel = |y: u32, x: u32| {
        let opacity = if y < 5 { 0 } else { 255 };
        [(x * 6 + number * 3) as u8, (y * 11) as u8, (x * y + number) as u8, opacity]
    };
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| pixel(y, x))).collect();
    Picture { width, height, pixels }
}

fn write(path: &Path, frames_per_second: f64, frames: u32) {
    let mut film = Film::create(path, frames_per_second, frames as usize).unwrap();
    (0..frames).for_each(|number| film.add(&frame(number)).unwrap());
    film.finish().unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_picture_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.PNG");
    write(&path, 25.0, 1);
    assert_eq!(Picture::read_png(&path).unwrap(), frame(0));
    assert_eq!(names(folder.path()), ["one.PNG"]);
}

#[test]
fn an_animated_png_has_every_frame_and_its_delay() {
    let folder = tempfile::tempdir().unwrap();
    for (name, speed, delay) in [("film.png", 25.0, (1, 25)), ("film.apng", 29.97, (100, 2997))] {
        let path = folder.path().join(name);
        write(&path, speed, 4);
        let mut reader = ::png::Decoder::new(BufReader::new(File::open(&path).unwrap())).read_info().unwrap();
        let animation = *reader.info().animation_control().unwrap();
        assert_eq!((animation.num_frames, animation.num_plays), (4, 0));
        for number in 0..4 {
            let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut bytes).unwrap();
            assert_eq!(bytes, frame(number).pixels.as_flattened());
            let control = reader.info().frame_control().unwrap();
            assert_eq!((control.delay_num, control.delay_den), delay);
        }
    }
}

#[test]
fn delays_of_an_animated_png_are_right_to_a_thousandth_for_every_speed() {
    assert_eq!(png::delay(60.0), [1, 60]);
    assert_eq!(png::delay(0.5), [2, 1]);
    for speed in [0.01, 0.3, 12.5, 23.976, std::f64::consts::PI, 999.9] {
        let [seconds, frames] = png::delay(speed).map(f64::from);
        assert!((frames / seconds / speed - 1.0).abs() < 1e-3, "{speed}: {seconds} / {frames}");
    }
}

#[test]
fn a_gif_has_every_frame_plays_for_ever_and_keeps_what_is_transparent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.gif");
    write(&path, 30.0, 6);
    let mut options = ::gif::DecodeOptions::new();
    options.set_color_output(::gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(&path).unwrap()).unwrap();
    let mut delays = Vec::new();
    while let Some(found) = decoder.read_next_frame().unwrap() {
        let expected = frame(delays.len() as u32);
        assert_eq!((u32::from(found.width), u32::from(found.height)), (expected.width, expected.height));
        for (found, expected) in found.buffer.chunks_exact(4).zip(&expected.pixels) {
            assert_eq!(found[3], expected[3]);
            let near = found.iter().zip(expected).all(|(&a, &b)| a.abs_diff(b) < 40);
            assert!(near || expected[3] == 0, "{found:?} is far from {expected:?}");
        }
        assert_eq!(found.dispose, ::gif::DisposalMethod::Background);
        delays.push(found.delay);
    }
    // 30 frames a second: three take a tenth.
    assert_eq!(delays, [3, 4, 3, 3, 4, 3]);
    assert_eq!(decoder.repeat(), ::gif::Repeat::Infinite);
}

#[test]
fn a_folder_gets_a_picture_for_each_frame_whether_it_was_there_or_not() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("there")).unwrap();
    for name in ["there", "new/deep/"] {
        let path = folder.path().join(name);
        write(&path, 25.0, 3);
        assert_eq!(names(&path), ["frame-0001.png", "frame-0002.png", "frame-0003.png"]);
        assert_eq!(Picture::read_png(&path.join("frame-0003.png")).unwrap(), frame(2));
    }
    assert_eq!(names(folder.path()), ["new", "there"]);
}

#[test]
fn a_frame_of_another_size_is_an_error_and_the_film_can_go_on() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["film.png", "film.gif", "film/"] {
        let path = folder.path().join(name);
        let mut film = Film::create(&path, 25.0, 2).unwrap();
        film.add(&frame(0)).unwrap();
        let error = film.add(&Picture { width: 1, height: 1, pixels: vec![[0; 4]] }).unwrap_err();
        assert!(error.to_string().ends_with("frame 2: expected 37 x 23 pixels, found 1 x 1"), "{error}");
        film.add(&frame(1)).unwrap();
        film.finish().unwrap();
    }
}

#[test]
fn pixels_that_do_not_fill_the_picture_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for (width, height, pixels) in [(2, 2, 3), (0, 5, 0)] {
        let mut film = Film::create(&folder.path().join("film.png"), 25.0, 1).unwrap();
        let error = film.add(&Picture { width, height, pixels: vec![[0; 4]; pixels] }).unwrap_err();
        let expected = format!("frame 1: expected the pixels of {width} x {height}, found {pixels}");
        assert!(error.to_string().ends_with(&expected), "{error}");
    }
}

#[test]
fn a_film_does_not_go_on_after_a_frame_that_could_not_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut film = Film::create(&folder.path().join("film.gif"), 25.0, 1).unwrap();
    let error = film.add(&Picture { width: 70_000, height: 1, pixels: vec![[0; 4]; 70_000] }).unwrap_err();
    assert!(
        error.to_string().ends_with("expected at most 65535 pixels in a row or column, found 70000 x 1"),
        "{error}"
    );
    assert!(matches!(film.add(&frame(0)), Err(FilmError::Broken { .. })));
    assert!(matches!(film.finish(), Err(FilmError::Broken { .. })));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn an_unknown_ending_is_an_error_that_lists_the_known_ones() {
    for (name, found) in [("film.avi", ".avi"), ("film", "no ending")] {
        let error = Film::create(name.as_ref(), 25.0, 2).unwrap_err().to_string();
        let known = "expected a file that ends with .png, .apng, .gif, .mp4, .mov or .webm, .glb for the scene itself, or a folder that ends with /";
        assert_eq!(error, format!("{name}: {known}, found {found}"));
    }
}

#[test]
fn more_or_fewer_frames_than_announced_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.gif");
    let mut film = Film::create(&path, 25.0, 1).unwrap();
    film.add(&frame(0)).unwrap();
    let error = film.add(&frame(1)).unwrap_err();
    assert!(error.to_string().ends_with("film.gif: expected 1 frames, found 2"), "{error}");
    assert!(matches!(Film::create(&path, 25.0, 0), Err(FilmError::NoFilm { .. })));
    for speed in [0.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Film::create(&path, speed, 2), Err(FilmError::Speed { .. })));
    }
}

#[test]
fn a_film_that_is_dropped_leaves_nothing_and_spares_the_file_from_before() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one.png", "film.apng", "film.gif", "film/", "new/film/"] {
        let frames = if name == "one.png" { 1 } else { 3 };
        let mut film = Film::create(&folder.path().join(name), 25.0, frames).unwrap();
        film.add(&frame(0)).unwrap();
        drop(film);
        assert!(names(folder.path()).is_empty(), "{name}: {:?}", names(folder.path()));
    }
    let path = folder.path().join("film.gif");
    std::fs::write(&path, "from before").unwrap();
    drop(Film::create(&path, 25.0, 1).unwrap());
    assert_eq!(std::fs::read(&path).unwrap(), b"from before");
}

#[test]
fn a_folder_that_is_not_there_is_an_error_before_anything_is_drawn() {
    let error = Film::create("no/such/folder/film.gif".as_ref(), 25.0, 2).unwrap_err();
    assert!(error.to_string().starts_with("no/such/folder/film.gif: "), "{error}");
}

#[test]
#[allow(clippy::print_stdout, reason = "says that it was skipped")]
fn ffmpeg_writes_videos_of_odd_sizes() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["film.mp4", "film.mov", "film.webm"] {
        let path = folder.path().join(name);
        if let Err(FilmError::NoFfmpeg { .. }) = Film::create(&path, 25.0, 5) {
            println!("skipped: there is no ffmpeg");
            return;
        }
        write(&path, 25.0, 5);
        // Sides are made even: 37 x 23 pixels become 38 x 24.
        assert_eq!(probed(&path), "38,24,25/1,5", "{name}");
    }
}

/// Columns, rows, frames a second and frames, as the program that comes with ffmpeg counts them.
fn probed(path: &Path) -> String {
    let mut probe = std::process::Command::new("ffprobe");
    probe.args(["-v", "error", "-count_frames", "-select_streams", "v:0", "-of", "csv=print_section=0"]);
    probe.args(["-show_entries", "stream=width,height,avg_frame_rate,nb_read_frames"]).arg(path);
    let said = probe.output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).unwrap().trim().to_owned()
}
