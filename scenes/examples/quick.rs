use std::time::Instant;
fn main() {
    let mut args = std::env::args().skip(1);
    let which = args.next().unwrap();
    let n: usize = args.next().unwrap().parse().unwrap();
    let threads: usize = args.next().unwrap().parse().unwrap();
    let kind = args.next().unwrap_or("auto".into()).parse().unwrap();
    let r: usize = std::env::var("R").map_or(5, |r| r.parse().unwrap());
    let what = std::env::var("WHAT").unwrap_or("cf".into());
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().unwrap();
    let t = Instant::now();
    let scene = match which.as_str() {
        "rods" => steric_scenes::rods(n),
        "inst" => steric_scenes::rods_as_instances(n),
        "solution" => steric_scenes::solution(n),
        _ => steric_scenes::mixed(n),
    };
    println!("built {:.2} s", t.elapsed().as_secs_f64());
    let s = steric_collide::OverlapSearch { index: kind, ..Default::default() };
    if what.contains('c') {
        for _ in 0..r {
            let t = Instant::now();
            let c = s.count(&scene);
            let e = t.elapsed();
            println!("count {c} {:.1} ms {:.1} ns/atom", e.as_secs_f64() * 1e3, e.as_secs_f64() * 1e9 / n as f64);
        }
    }
    if what.contains('f') {
        let mut f = Default::default();
        for _ in 0..r {
            let t = Instant::now();
            s.forces_into(&scene, &mut f);
            let e = t.elapsed();
            println!("force {:.1} ms {:.1} ns/atom", e.as_secs_f64() * 1e3, e.as_secs_f64() * 1e9 / n as f64);
        }
    }
    if what.contains('n') {
        let mut f = Default::default();
        let mut l = steric_collide::NearList::new(s, 1.0);
        for _ in 0..r {
            let t = Instant::now();
            l.forces_into(&scene, &mut f);
            let e = t.elapsed();
            println!("near {:.1} ms {:.1} ns/atom", e.as_secs_f64() * 1e3, e.as_secs_f64() * 1e9 / n as f64);
        }
    }
    let st = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", st.lines().find(|l| l.starts_with("VmHWM")).unwrap());
}
