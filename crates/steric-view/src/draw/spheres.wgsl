// The spheres of an entry of the list, in the camera's frame.

@group(0) @binding(0) var<storage, read> view: View;
@group(0) @binding(1) var<storage, read> molecules: array<Molecule>;
@group(0) @binding(2) var<storage, read> kinds: array<Kind>;
@group(0) @binding(3) var<storage, read> bounds: array<vec4<f32>>;
// Eight for each cluster; a lane without an atom has no radius.
@group(0) @binding(4) var<storage, read> atoms: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> list: array<vec2<u32>>;

// A cluster, or a molecule, as one sphere is a little smaller than the sphere around it.
const AS_ONE: f32 = 0.85;

// Spheres that a plane cuts lie at the same depth there. Which one is seen must not depend on the order of the list.
fn depth_at(found: Hit, entry: vec2<u32>, lane: u32) -> f32 {
    let behind = select(0.0, 0.02 * chance(entry.x, entry.y * LANES + lane), found.is_cut);
    return depth_of(found.distance + behind);
}

// The sphere in the lane of an entry: its centre and its radius, 0 if there is none.
fn sphere_of(entry: vec2<u32>, lane: u32) -> vec4<f32> {
    let level = entry.y & LEVEL;
    let number = entry.y & ~LEVEL;
    var own = vec4<f32>(0.0);
    if (level == ATOMS) {
        own = atoms[number * LANES + lane];
    } else if (lane == 0u) {
        if (level == CLUSTER) { own = bounds[number]; } else { own = kinds[number].bound; }
        own.w *= AS_ONE;
    }
    if (own.w <= 0.0) { return vec4<f32>(0.0); }
    let center = molecules[entry.x].place + turned(molecules[entry.x].rotation, own.xyz);
    return vec4<f32>(in_camera(center), own.w);
}
