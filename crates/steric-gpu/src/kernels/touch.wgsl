// Whether atoms touch. Needs `scene`.

// Threads, and places for atoms, of one cluster: as many as its longest has atoms.
override LANES: u32 = 8u;
// Whether radii differ; if not, all are the scene's.
override MIXED: bool = true;

// `reach` is what `own_reach` says of the atom at the point.
fn is_near(point: vec3<f32>, reach: f32, atom: vec4<f32>) -> bool {
    let apart = point - atom.xyz;
    // Where radii and reach are less than nothing, nothing touches.
    if (MIXED) {
        let limit = max(reach + atom.w, 0.0);
        return dot(apart, apart) < limit * limit;
    }
    return dot(apart, apart) < reach;
}

// The own radius and the scene's reach; if all radii are equal, the square of how near two atoms can be.
fn own_reach(radius: f32) -> f32 {
    if (MIXED) { return radius + scene.reach; }
    let limit = max(2.0 * scene.radius + scene.reach, 0.0);
    return limit * limit;
}
