// What is seen in each sample: how far, how it is turned, which colour and opacity, and whose.

// Nine for each cluster: of its lanes, and their mean.
@group(0) @binding(6) var<storage, read> colours: array<u32>;
@group(0) @binding(7) var<storage, read> mesh: array<vec4<u32>>;
@group(0) @binding(8) var depths: texture_depth_2d;
@group(0) @binding(9) var numbers: texture_2d<u32>;
@group(0) @binding(11) var<storage, read_write> surface: array<vec4<u32>>;
// The number of the sphere that is seen, for those who point at it.
@group(0) @binding(12) var<storage, read_write> seen: array<u32>;

// The normal at a corner of a triangle: the mean of those around it, unless there is an edge.
fn corner_normal(vertex: u32, flat: vec3<f32>) -> vec3<f32> {
    let own = flat * inverseSqrt(max(dot(flat, flat), 1e-20));
    let mean = normal_of_vertex(vertex);
    return select(own, mean, dot(own, mean) > 0.8);
}

// What is seen of a triangle: the mean of its corners' normals by how near they are, on the side of the one who looks.
fn of_triangle(number: u32, ray: Ray) -> vec4<u32> {
    let own = triangle_of(number);
    let a = place_of_vertex(own.x);
    let b = place_of_vertex(own.y);
    let c = place_of_vertex(own.z);
    let flat = cross(b - a, c - a);
    let area = max(dot(flat, flat), 1e-20);
    let steep = dot(flat, ray.along);
    let distance = dot(flat, a - ray.from_place) / select(steep, 1e-6, abs(steep) < 1e-6);
    let place = ray.from_place + ray.along * distance;
    let weight_b = dot(cross(place - a, c - a), flat) / area;
    let weight_c = dot(cross(b - a, place - a), flat) / area;
    var normal = (1.0 - weight_b - weight_c) * corner_normal(own.x, flat) + weight_b * corner_normal(own.y, flat)
        + weight_c * corner_normal(own.z, flat);
    normal = normal / max(length(normal), 1e-6);
    // Inside out if the back is seen.
    let is_back = steep > 0.0;
    if (is_back) { normal = -normal; }
    var colour = unpack4x8unorm(own.w);
    if (is_back) { colour = vec4<f32>(mix(colour.xyz, vec3<f32>(1.0), 0.25), colour.w); }
    return vec4<u32>(bitcast<u32>(distance), pack4x8snorm(vec4<f32>(normal, 0.0)), pack4x8unorm(colour), SURFACE | (own.w & 0xffffffu));
}

@compute @workgroup_size(8, 8)
fn resolve(@builtin(global_invocation_id) id: vec3<u32>) {
    if (any(id.xy >= view.size)) { return; }
    let at = id.y * view.size.x + id.x;
    var depth = textureLoad(depths, id.xy, 0);
    var number = textureLoad(numbers, id.xy, 0).x;
    // Of splatted spheres the number below and the depth above.
    if (view.small > 0.0) {
        let splatted = splatted_at(at);
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
    if (number >= view.room * LANES) {
        surface[at] = of_triangle(number - view.room * LANES, ray_of(vec2<f32>(id.xy) + 0.5));
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
        if (level == WHOLE) {
            colour = kinds[which].colour;
        } else {
            colour = colours[which * (LANES + 1u) + select(LANES, lane, level == ATOMS)];
        }
    }
    // A cut shows the inside, a little paler.
    if (found.is_cut) { colour = pack4x8unorm(mix(unpack4x8unorm(colour), vec4<f32>(1.0), 0.35)); }
    colour = with_opacity(colour, molecules[entry.x].opacity);
    surface[at] = vec4<u32>(bitcast<u32>(found.distance), pack4x8snorm(vec4<f32>(normal, 0.0)), colour, entry.x);
}
