use glam::{DQuat, DVec3, Vec3};
use std::sync::Arc;
use std::time::Instant;
use steric_model::{Pose, Random, Scene};
use steric_world::relax::*;
use steric_world::shape::*;
fn main() {
    let args: std::collections::BTreeMap<String, String> = std::env::args()
        .skip(1)
        .map(|a| a.split_once('=').map(|(k, v)| (k.to_string(), v.to_string())).unwrap())
        .collect();
    let get = |k: &str, d: f64| args.get(k).map_or(d, |v| v.parse().unwrap());
    let text = std::fs::read_to_string("/work/shared/prototypes/relax/c_mix5.txt").unwrap();
    let mut t = text.split_whitespace().map(|x| x.parse::<f64>().unwrap());
    rayon_n(get("threads", 2.0) as usize);
    let n = t.next().unwrap() as usize;
    let mut scene = Scene::default();
    let mut heads = vec![];
    for _ in 0..n {
        let atoms = t.next().unwrap() as usize;
        let mut g = || DVec3::new(t.next().unwrap(), t.next().unwrap(), t.next().unwrap());
        heads.push(g());
        let xyz: Vec<Vec3> = (0..atoms).map(|_| g().as_vec3()).collect();
        scene.add_type("POPC", &xyz, &vec![1.0; atoms]);
    }
    let count = get("n", 2000.0);
    let seed = get("seed", 1.0) as u64;
    let (apl, zc) = (get("apl", 68.0), 10.8f64);
    let pi = std::f64::consts::PI;
    let r = ((count * apl / (4.0 * pi) - 2.0 * zc * zc) / 2.0).sqrt();
    let outer = (4.0 * pi * (r + zc).powi(2) / apl).round() as usize;
    let surface = Arc::new(Surface::Sphere { center: DVec3::ZERO, radius: r });
    let mut random = Random::new(seed * 7777);
    let mut groups = vec![];
    let mut group_of = vec![];
    let t0 = Instant::now();
    for (leaflet, k) in [(Leaflet::Outer, outer), (Leaflet::Inner, count as usize - outer)] {
        let h = leaflet.sign() * zc;
        let mut places: Vec<DVec3> =
            surface.places(k, h, Sampling::Inversion, None, &mut random).unwrap().into_iter().map(|p| p.0).collect();
        let d = (apl * 1.1547f64).sqrt() * 0.95;
        let its = spread(&surface, h, &mut places, &vec![d; k], None, &[], 60);
        eprintln!("discs {its} {:?}", t0.elapsed());
        let base = groups.len() as u32;
        for head in &heads {
            groups.push(vec![Hold::Surface {
                surface: surface.clone(),
                leaflet,
                head: *head,
                height: leaflet.sign() * (zc + head.z),
                leeway: 3.0,
                axis: DVec3::Z,
                tilt: 25f64.to_radians(),
            }]);
        }
        for p in places {
            let ty = (random.unit() * n as f64) as u32;
            let up = p.normalize() * leaflet.sign();
            let a = up.any_orthonormal_vector();
            let rot = DQuat::from_mat3(&glam::DMat3::from_cols(a, up.cross(a), up))
                * DQuat::from_rotation_z(random.unit() * 2.0 * pi);
            scene.add_molecule(steric_model::TypeId(ty), Pose { rotation: rot, translation: p });
            group_of.push(base + ty);
        }
    }
    for (gi, g) in groups.iter_mut().enumerate() {
        let Hold::Surface { height, head, leaflet, .. } = &mut g[0] else { continue };
        let _ = gi;
        // exact start height
        let hp = leaflet.sign() * zc;
        let p = DVec3::Z * (r + hp);
        let q = p + DVec3::new(head.x, head.y, leaflet.sign() * head.z);
        *height = q.length() - r;
    }
    let mut setup = Setup::new(scene);
    setup.groups = groups;
    setup.group_of = group_of;
    let mut o = RelaxOptions::default();
    if let Some(v) = args.get("response") {
        o.response = serde_json::from_str(&format!("\"{v}\"")).unwrap();
    }
    o.sleep = get("sleep", 1.0) > 0.0;
    o.skin = get("skin", -1.0);
    o.step = get("step", 0.0);
    o.momentum = get("mom", -1.0);
    o.damping = get("damp", 1.0);
    o.clearance = get("clear", o.clearance);
    o.bias_ramp = get("ramp", 20.0) as u32;
    o.bias_after = get("after", 10.0) as u32;
    o.bias_iterations = get("early", 20.0) as u32;
    o.jolt_every = get("jolt", 40.0) as u32;
    o.target = get("target", 1.03);
    o.max_move = get("cap", 2.0);
    let max = get("max", 400.0) as usize;
    let t0 = Instant::now();
    let mut relax = Relax::new(setup, o, seed);
    let mut s = [0.0; 3];
    let mut k = 0;
    loop {
        let i = relax.step();
        for a in 0..3 {
            s[a] += i.milliseconds[a];
        }
        if get("v", 0.0) > 0.0 {
            println!(
                "{k} ov {} mol {} deep {:.3} broken {} awake {} moved {} far {:.3} {} {:.0} {:.0} {:.0}",
                i.overlaps,
                i.overlapping,
                i.deepest,
                i.broken,
                i.awake,
                i.moved,
                i.farthest,
                i.searched,
                i.milliseconds[0],
                i.milliseconds[1],
                i.milliseconds[2]
            );
        }
        k += 1;
        if (i.overlapping == 0) || k >= max {
            println!(
                "seed {seed} iterations {k} overlapping {} broken {} searches {} stages {:.0} {:.0} {:.0} time {:?} hash {:x}",
                i.overlapping,
                i.broken,
                relax.searches(),
                s[0],
                s[1],
                s[2],
                t0.elapsed(),
                relax.state_hash()
            );
            break;
        }
    }
}

fn rayon_n(_n: usize) {}
