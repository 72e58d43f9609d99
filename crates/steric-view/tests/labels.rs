//! Labels on pictures: who wins where there is no room, what becomes of transparent pictures, and how it looks.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use glam::DVec3;
use steric_view::{Camera, Crowd, Film, Label, LabelStyle, Picture, labels_that_fit, scale_bar, write_labels};

const SIZE: [u32; 2] = [320, 240];

fn camera() -> Camera {
    Camera { eye: DVec3::NEG_Y * 100.0, target: DVec3::ZERO, up: DVec3::Z, degrees: 25.0 }
}

fn label(text: &str, x: f64, depth: f64, z: f64) -> Label {
    Label { place: DVec3::new(x, depth, z), text: text.to_owned() }
}

fn filled(pixel: [u8; 4]) -> Picture {
    let [width, height] = SIZE;
    Picture { width, height, pixels: vec![pixel; (width * height) as usize] }
}

fn chosen(labels: &[Label], crowd: Crowd) -> Vec<usize> {
    labels_that_fit(&camera(), SIZE, labels, &LabelStyle { crowd, ..LabelStyle::default() })
}

#[test]
fn of_labels_that_would_cover_each_other_the_nearest_is_written() {
    let labels = [label("far", 0.0, 9.0, 0.0), label("near", 0.5, -9.0, 0.0), label("aside", 12.0, 0.0, 8.0)];
    assert_eq!(chosen(&labels, Crowd::Nearest), [1, 2]);
    assert_eq!(chosen(&labels, Crowd::All), [1, 2, 0], "nearest first");
    let flat = Camera { degrees: 0.0, ..camera() };
    assert_eq!(labels_that_fit(&flat, SIZE, &labels, &LabelStyle::default()), [1, 2], "without perspective as well");
}

#[test]
fn of_labels_that_are_equally_near_the_first_is_written() {
    let labels = [label("first", 1.0, 0.0, 0.0), label("second", 0.0, 0.0, 0.0), label("third", -1.0, 0.0, 0.0)];
    assert_eq!(chosen(&labels, Crowd::Nearest), [0]);
}

#[test]
fn a_text_that_may_come_once_is_written_where_it_is_nearest_and_has_room() {
    let labels = [
        label("lipid", 0.0, 5.0, 0.0),
        label("lipid", 0.0, -5.0, 0.0),
        label("sterol", 0.2, -4.0, 0.0),
        label("sterol", 0.2, 3.0, 9.0),
    ];
    assert_eq!(chosen(&labels, Crowd::Once), [1, 3], "the nearer sterol has no room");
}

#[test]
fn what_is_behind_the_eye_beside_the_picture_nowhere_or_empty_has_no_label() {
    let labels = [
        label("behind", 0.0, -110.0, 0.0),
        label("beside", 80.0, 0.0, 0.0),
        label("above", 0.0, 0.0, 60.0),
        label("nowhere", f64::NAN, 0.0, 0.0),
        label("", 0.0, 0.0, 0.0),
    ];
    for crowd in [Crowd::Nearest, Crowd::Once, Crowd::All] {
        assert_eq!(chosen(&labels, crowd), [0; 0]);
    }
    let mut picture = filled([9, 8, 7, 6]);
    write_labels(&mut picture, &camera(), &labels, &LabelStyle::default());
    assert_eq!(picture, filled([9, 8, 7, 6]));
}

/// The middle of the pixels that something was written on, and the corners around them.
fn written(picture: &Picture, before: [u8; 4]) -> ([f64; 2], [u32; 4]) {
    let places = (0..picture.height).flat_map(|y| (0..picture.width).map(move |x| (x, y)));
    let changed: Vec<(u32, u32)> = places.filter(|&(x, y)| picture.at(x, y) != before).collect();
    let count = changed.len() as f64;
    let mean = |part: fn(&(u32, u32)) -> u32| changed.iter().map(|at| f64::from(part(at)) + 0.5).sum::<f64>() / count;
    let (low_x, high_x) = (changed.iter().map(|at| at.0).min().unwrap(), changed.iter().map(|at| at.0).max().unwrap());
    let (low_y, high_y) = (changed.iter().map(|at| at.1).min().unwrap(), changed.iter().map(|at| at.1).max().unwrap());
    ([mean(|at| at.0), mean(|at| at.1)], [low_x, low_y, high_x, high_y])
}

#[test]
fn a_label_stands_in_the_middle_of_its_place_and_whole_at_the_edge() {
    let at = |x: f64, z: f64| {
        let mut picture = filled([0; 4]);
        write_labels(&mut picture, &camera(), &[label("HOH", x, 0.0, z)], &LabelStyle::default());
        let pixel = camera().pixel_of(DVec3::new(x, 0.0, z), SIZE).unwrap();
        (written(&picture, [0; 4]), pixel)
    };
    let (([x, y], _), pixel) = at(7.0, -4.0);
    assert!((x - pixel[0]).abs() < 1.0 && (y - pixel[1]).abs() < 1.0, "[{x}, {y}] for {pixel:?}");
    let ((_, inner), _) = at(0.0, 0.0);
    let ((_, corner), _) = at(-29.5, 22.0);
    assert!(corner[2] - corner[0] >= inner[2] - inner[0] - 1, "{corner:?} is as wide as {inner:?}");
    assert!(corner[3] - corner[1] >= inner[3] - inner[1] - 1, "{corner:?} is as high as {inner:?}");
}

#[test]
fn letters_on_a_transparent_picture_are_opaque_and_have_no_dark_rim() {
    let mut picture = filled([0; 4]);
    let style = LabelStyle { background: None, size: Some(40.0), ..LabelStyle::default() };
    write_labels(&mut picture, &camera(), &[label("Fe", 0.0, 0.0, 0.0)], &style);
    assert!(picture.pixels.contains(&[22, 24, 30, 255]), "letters");
    assert_eq!(picture.at(0, 0), [0; 4]);
    let faint = picture.pixels.iter().filter(|pixel| (1..60).contains(&pixel[3]));
    assert!(faint.clone().count() > 20, "the halo fades");
    assert!(faint.clone().all(|pixel| pixel[0] == 255), "into white, not into black");
}

#[test]
fn letters_are_light_on_a_dark_background() {
    let brightest = |background: [u8; 3]| {
        let [red, green, blue] = background;
        let mut picture = filled([red, green, blue, 255]);
        let style = LabelStyle { background: Some(background), size: Some(30.0), ..LabelStyle::default() };
        write_labels(&mut picture, &camera(), &[label("A", 0.0, 0.0, 0.0)], &style);
        let distance = |pixel: &[u8; 4]| pixel[1].abs_diff(green);
        picture.pixels.iter().copied().max_by_key(distance).unwrap()[1]
    };
    assert!(brightest([16, 16, 24]) > 230);
    assert!(brightest([240, 240, 200]) < 40);
}

#[test]
fn angstroms_greek_letters_primes_and_umlauts_are_drawn_and_differ() {
    let drawn = |text: &str| {
        let mut picture = filled([255; 4]);
        write_labels(&mut picture, &camera(), &[label(text, 0.0, 0.0, 0.0)], &LabelStyle::default());
        picture
    };
    // A private letter that no font has: its box stands for what is missing.
    let missing = drawn("\u{f8ff0}");
    for text in ["Å", "α", "β", "′", "µ", "ö", "→", "²", "Ж"] {
        assert!(drawn(text) != missing && drawn(text) != filled([255; 4]), "{text}");
    }
}

/// Half of a coloured picture, half of a transparent one.
#[test]
fn a_picture_with_labels_is_like_the_one_that_was_looked_at() {
    let mut picture = filled([0; 4]);
    for (at, pixel) in picture.pixels.iter_mut().enumerate() {
        let (x, y) = (at as u32 % SIZE[0], at as u32 / SIZE[0]);
        let stripe = if (x / 20 + y / 20) % 2 == 0 { 40 } else { 0 };
        if x < 200 {
            *pixel = [(x + stripe) as u8, 90 + stripe as u8, 60 + (y / 2) as u8, 255];
        }
    }
    let labels = [
        label("α1 β2", -16.0, 0.0, 12.0),
        label("HIS87, 3.5 Å", -8.0, 3.0, 2.0),
        label("hidden", -9.0, 6.0, 2.0),
        label("5′ end", 13.0, 1.0, 6.0),
        label("at the edge", -29.0, 1.0, -15.0),
    ];
    let style = LabelStyle { size: Some(20.0), ..LabelStyle::default() };
    write_labels(&mut picture, &camera(), &labels, &style);
    assert_eq!(scale_bar(&mut picture, &camera(), &style), 10.0);
    is_golden("labels", &picture);
}

/// `STERIC_WRITE_GOLDEN=1` writes a picture anew, to be looked at.
fn is_golden(name: &str, picture: &Picture) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.png"));
    if std::env::var_os("STERIC_WRITE_GOLDEN").is_some() {
        let mut film = Film::create(&path, 25.0, 1).unwrap();
        film.add(picture).unwrap();
        film.finish().unwrap();
        return;
    }
    let golden = Picture::read_png(&path).unwrap();
    assert_eq!((golden.width, golden.height), (picture.width, picture.height));
    let parts = golden.pixels.as_flattened().iter().zip(picture.pixels.as_flattened());
    let worst = parts.map(|(one, other)| one.abs_diff(*other)).max();
    assert!(worst <= Some(2), "{name}: a pixel differs by {worst:?} of 255");
}
