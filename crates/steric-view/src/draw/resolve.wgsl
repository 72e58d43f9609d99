// What is seen in each sample: how far, how it is turned, which colour, and whose.

@group(0) @binding(6) var<storage, read> colours: array<u32>;
@group(0) @binding(7) var<storage, read> cluster_colours: array<u32>;
@group(0) @binding(8) var depths: texture_depth_2d;
@group(0) @binding(9) var numbers: texture_2d<u32>;
// Of splatted spheres the number below and the depth above.
@group(0) @binding(10) var<storage, read> samples: array<vec2<u32>>;
@group(0) @binding(11) var<storage, read_write> surface: array<vec4<u32>>;
// The number of the sphere that is seen, for those who point at it.
@group(0) @binding(12) var<storage, read_write> seen: array<u32>;

@compute @workgroup_size(8, 8)
fn resolve(@builtin(global_invocation_id) id: vec3<u32>) {
    if (any(id.xy >= view.size)) { return; }
    let at = id.y * view.size.x + id.x;
    var depth = textureLoad(depths, id.xy, 0);
    var number = textureLoad(numbers, id.xy, 0).x;
    if (view.small > 0.0) {
        let splatted = samples[at];
        if (bitcast<f32>(splatted.y) > depth) {
            depth = bitcast<f32>(splatted.y);
            number = splatted.x;
        }
    }
    seen[at] = select(NOTHING, number, depth > 0.0);
    if (depth <= 0.0) {
        surface[at] = vec4<u32>(bitcast<u32>(0.0), 0u, 0u, NOTHING);
        return;
    }
    let entry = list[number / LANES];
    let lane = number % LANES;
    let sphere = sphere_of(entry, lane);
    let ray = ray_of(vec2<f32>(id.xy) + 0.5);
    let found = hit(ray, sphere.xyz, sphere.w);
    let place = ray.from_place + ray.along * found.distance;
    var normal = (place - sphere.xyz) / sphere.w;
    if (found.is_cut) { normal = -view.clip.xyz; }
    var colour = molecules[entry.x].colour;
    if ((colour >> 24u) == 0u) {
        let level = entry.y & LEVEL;
        let which = entry.y & ~LEVEL;
        colour = colours[select(0u, which * LANES + lane, level == ATOMS)];
        if (level == CLUSTER) { colour = cluster_colours[which]; }
        if (level == WHOLE) { colour = kinds[which].colour; }
    }
    // A cut shows the inside, a little paler.
    if (found.is_cut) { colour = pack4x8unorm(mix(unpack4x8unorm(colour), vec4<f32>(1.0), 0.35)); }
    surface[at] = vec4<u32>(bitcast<u32>(found.distance), pack4x8snorm(vec4<f32>(normal, 0.0)), colour, entry.x);
}
