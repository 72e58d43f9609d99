// The light of every sample; then the samples of a pixel become one.

@group(0) @binding(0) var<storage, read> view: View;
@group(0) @binding(1) var<storage, read> look: Look;
@group(0) @binding(2) var<storage, read> surface: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> shaded: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> pixels: array<u32>;
// Of the passes so far.
@group(0) @binding(5) var<storage, read_write> sums: array<vec4<f32>>;
// What the lamp sees.
@group(0) @binding(6) var<storage, read> lit: array<vec4<u32>>;

fn surface_at(at: vec2<i32>) -> vec4<u32> {
    let inside = clamp(at, vec2<i32>(0), vec2<i32>(view.size) - 1);
    return surface[u32(inside.y) * view.size.x + u32(inside.x)];
}

// How much of the lamp is hidden from a place; a few samples beside each other make the edge of a shadow soft.
fn shadow_at(place: vec3<f32>, normal: vec3<f32>) -> f32 {
    // A little above the surface, or it would hide itself.
    let seen = (look.lamp_from_camera * vec4<f32>(place + 0.3 * normal, 1.0)).xyz;
    let at = (seen.xy / look.lamp_half * vec2<f32>(0.5, -0.5) + 0.5) * vec2<f32>(look.lamp_size);
    var hidden_by = 0.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let there = vec2<i32>(floor(at)) + vec2<i32>(x, y);
            if (any(there < vec2<i32>(0)) || any(there >= vec2<i32>(look.lamp_size))) { continue; }
            let found = lit[u32(there.y) * look.lamp_size.x + u32(there.x)];
            let wide = 2.0 * look.lamp_half.x / f32(look.lamp_size.x);
            if (found.w != NOTHING && bitcast<f32>(found.x) < -seen.z - 0.3 - 1.5 * wide) { hidden_by += 1.0; }
        }
    }
    return hidden_by / 9.0;
}

@compute @workgroup_size(8, 8)
fn shade(@builtin(global_invocation_id) id: vec3<u32>) {
    if (any(id.xy >= view.size)) { return; }
    let shown = light_at(vec2<i32>(id.xy), surface[id.y * view.size.x + id.x]);
    shaded[id.y * view.size.x + id.x] = vec2<u32>(pack2x16float(shown.xy), pack2x16float(shown.zw));
}

@compute @workgroup_size(8, 8)
fn gather(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = view.size / look.samples;
    if (any(id.xy >= size)) { return; }
    var sum = vec4<f32>(0.0);
    for (var y = 0u; y < look.samples; y++) {
        for (var x = 0u; x < look.samples; x++) {
            let sample = shaded[(id.y * look.samples + y) * view.size.x + id.x * look.samples + x];
            sum += vec4<f32>(unpack2x16float(sample.x), unpack2x16float(sample.y));
        }
    }
    sum /= f32(look.samples * look.samples);
    let at = id.y * size.x + id.x;
    if (view.pass_number > 0u) { sum += sums[at]; }
    sums[at] = sum;
    if (view.pass_number + 1u < view.passes) { return; }
    sum /= f32(view.passes);
    pixels[at] = pack4x8unorm(vec4<f32>(colour_of(sum.xyz / max(sum.w, 1e-4)), sum.w));
}
