//! probe
use steric::prelude::*;
fn main() {
    for path in std::env::args().skip(1) {
        let input = Input::read(&path).unwrap();
        let t = std::time::Instant::now();
        let report = check(&[input], &CheckOptions::default()).unwrap();
        let scene = report.scene().scene();
        let mut radii: Vec<f32> = scene.clusters().iter().map(|c| c.bound.radius).collect();
        radii.sort_by(f32::total_cmp);
        let n = radii.len();
        eprintln!("{path}: clusters {n} median {} p99 {} p999 {} max {} time {:?} {:?}", radii[n/2], radii[n*99/100], radii[n*999/1000], radii[n-1], t.elapsed(), report.seconds);
        let t = std::time::Instant::now();
        let count = OverlapSearch::default().count(scene);
        eprintln!("count {count} {:?}", t.elapsed());
        let t = std::time::Instant::now();
        let count = OverlapSearch::default().overlaps_unsorted(scene).len();
        eprintln!("list {count} {:?}", t.elapsed());
    }
}
