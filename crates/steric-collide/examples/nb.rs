//! tmp
use std::time::Instant;
use steric_collide::*;
fn main() {
    let n: usize = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1_000_000);
    let rc: f64 = std::env::args().nth(2).and_then(|a| a.parse().ok()).unwrap_or(5.0);
    let edge = (n as f64 / 0.1).cbrt();
    let mut s = 88172645463325252u64;
    let mut next = || { s ^= s << 13; s ^= s >> 7; s ^= s << 17; (s >> 11) as f64 / (1u64 << 53) as f64 };
    let points: Vec<[f32; 3]> = (0..n).map(|_| [(); 3].map(|()| (next() * edge) as f32)).collect();
    for _ in 0..5 {
        let t = Instant::now();
        let found = NeighbourSearch::within(rc).find(Points::Single(&points)).unwrap();
        let a = t.elapsed();
        let mut pairs = vec![[0i32; 2]; found.len()];
        found.write(NeighbourArrays::<f32> { pairs: Some(&mut pairs), ..Default::default() });
        println!("search {:?} all {:?} pairs {}", a, t.elapsed(), found.len());
        let mut index = 0usize;
        for p in &pairs { index += p[1] as usize; }
        std::hint::black_box(index);
    }
}
