// Large spheres: a square for each, and the true depth of the sphere in every sample of it.

@group(0) @binding(6) var<storage, read> orders: array<u32, 16>;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) sphere: vec4<f32>,
    @location(1) @interpolate(flat) number: u32,
    @location(2) @interpolate(flat) molecule: u32,
}

@vertex
fn corner(@builtin(vertex_index) vertex: u32) -> Corner {
    let lane = vertex / 6u % LANES;
    let entry = view.room - 1u - orders[3] - vertex / (6u * LANES);
    let molecule = list[entry].x;
    let sphere = sphere_of(list[entry], lane);
    return Corner(corner_of(sphere, vertex % 6u), sphere, entry * LANES + lane, molecule);
}

struct Sample {
    @location(0) number: u32,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn sample(in: Corner) -> Sample {
    let found = hit(ray_of(in.position.xy), in.sphere.xyz, in.sphere.w);
    let at = vec2<u32>(in.position.xy);
    if (!found.is_hit || !is_there(in.molecule, molecules[in.molecule].opacity, at)) { discard; }
    return Sample(in.number, depth_at(found, list[in.number / LANES], in.number % LANES));
}
