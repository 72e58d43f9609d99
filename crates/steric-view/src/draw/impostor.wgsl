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
    var place = vec2<f32>(-1.0);
    let which = vertex % 6u;
    if (which == 1u || which == 2u || which == 4u) { place.x = 1.0; }
    if (which == 2u || which == 4u || which == 5u) { place.y = 1.0; }
    var out = Corner(vec4<f32>(2.0, 2.0, 2.0, 1.0), sphere, entry * LANES + lane, molecule);
    if (sphere.w <= 0.0) { return out; }
    if (view.is_parallel != 0u) {
        let at = sphere.xy + place * sphere.w;
        out.position = vec4<f32>(at / view.half, 0.5, 1.0);
        return out;
    }
    let away = length(sphere.xyz);
    // Inside the sphere there is nothing to see of it.
    if (away <= sphere.w * 1.001 || -sphere.z + sphere.w <= view.near) { return out; }
    // A square through the centre that faces the eye, as large as the sphere is seen.
    let toward = sphere.xyz / away;
    let right = normalize(cross(toward, select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(1.0, 0.0, 0.0), abs(toward.y) > 0.9)));
    let up = cross(right, toward);
    let half = sphere.w * away / sqrt(away * away - sphere.w * sphere.w);
    let at = sphere.xyz + (right * place.x + up * place.y) * half;
    if (-at.z <= 1e-3) { return out; }
    out.position = vec4<f32>(at.xy / view.half, -0.5 * at.z, -at.z);
    return out;
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
