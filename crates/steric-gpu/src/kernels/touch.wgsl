// Which atoms of a cluster a place touches, as bits. Needs `scene` and `atoms`.

// Threads, and places for atoms, of one cluster: as many as its longest has atoms.
override LANES: u32 = 8u;
// Whether radii differ; if not, all are the scene's.
override MIXED: bool = true;

fn is_near(point: vec3<f32>, reach: f32, atom: vec4<f32>) -> bool {
    let apart = point - atom.xyz;
    // Where radii and reach are less than nothing, nothing touches.
    if (MIXED) {
        let limit = max(reach + atom.w, 0.0);
        return dot(apart, apart) < limit * limit;
    }
    return dot(apart, apart) < reach;
}

// `reach` is what `own_reach` says.
fn touches(point: vec3<f32>, reach: f32, cluster: u32) -> u32 {
    let first = cluster * LANES;
    var bits = select(0u, 1u, is_near(point, reach, atoms[first]));
    if (LANES > 1u) { bits |= select(0u, 2u, is_near(point, reach, atoms[first + 1u])); }
    if (LANES > 2u) {
        let c = atoms[first + 2u];
        let d = atoms[first + 3u];
        bits |= select(0u, 4u, is_near(point, reach, c)) | select(0u, 8u, is_near(point, reach, d));
    }
    if (LANES > 4u) {
        let e = atoms[first + 4u];
        let f = atoms[first + 5u];
        let g = atoms[first + 6u];
        let h = atoms[first + 7u];
        bits |= select(0u, 16u, is_near(point, reach, e)) | select(0u, 32u, is_near(point, reach, f))
            | select(0u, 64u, is_near(point, reach, g)) | select(0u, 128u, is_near(point, reach, h));
    }
    return bits;
}

// The own radius and the scene's reach; if all radii are equal, the square of how near two atoms can be.
fn own_reach(radius: f32) -> f32 {
    if (MIXED) { return radius + scene.reach; }
    let limit = max(2.0 * scene.radius + scene.reach, 0.0);
    return limit * limit;
}
