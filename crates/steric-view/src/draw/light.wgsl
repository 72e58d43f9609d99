// Light, shadow in corners, lines around molecules, and fog.
//
// Whoever includes this says what is seen in a sample (`surface_at`) and how much of the lamp is hidden from a place (`shadow_at`).

struct Look {
    background: vec4<f32>,     // as light; transparent if its last is 0
    fog: vec4<f32>,            // as light; the last is how much of it there is at the far end
    light: vec3<f32>,
    is_flat: u32,
    occlusion: f32,
    lines: f32,
    fog_begin: f32,
    fog_end: f32,
    samples: u32,              // along an edge of a pixel
    shadows: f32,              // how dark they are
    unused_a: u32,
    unused_b: u32,
    // How the lamp sees what the camera sees: a parallel view.
    lamp_from_camera: mat4x4<f32>,
    lamp_half: vec2<f32>,
    lamp_size: vec2<u32>,
}

fn light_of(colour: vec3<f32>) -> vec3<f32> {
    return select(pow((colour + 0.055) / 1.055, vec3<f32>(2.4)), colour / 12.92, colour <= vec3<f32>(0.04045));
}

fn colour_of(light: vec3<f32>) -> vec3<f32> {
    let safe = max(light, vec3<f32>(0.0));
    return select(1.055 * pow(safe, vec3<f32>(1.0 / 2.4)) - 0.055, safe * 12.92, safe <= vec3<f32>(0.0031308));
}

// Four parts between 0 and 1, and between -1 and 1, as not every GPU unpacks them.
fn bytes_of(word: u32) -> vec4<f32> {
    return vec4<f32>((vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u)) / 255.0;
}

fn signed_bytes(word: u32) -> vec4<f32> {
    let parts = vec4<i32>((vec4<u32>(word) << vec4<u32>(24u, 16u, 8u, 0u))) >> vec4<u32>(24u);
    return max(vec4<f32>(parts) / 127.0, vec4<f32>(-1.0));
}

fn place_of(at: vec2<i32>, distance: f32) -> vec3<f32> {
    let ray = ray_of(vec2<f32>(at) + 0.5);
    return ray.from_place + ray.along * distance;
}

// How much of the sky above a place is hidden by what is nearer than a radius.
fn hidden(at: vec2<i32>, place: vec3<f32>, normal: vec3<f32>, radius: f32) -> f32 {
    let reach = radius * samples_at(-place.z);
    if (reach < 1.0) { return 0.0; }
    let turns = 14u;
    // Another turn in every sample, so that what is left of the pattern is fine.
    let start = chance(u32(at.x), u32(at.y));
    var sum = 0.0;
    for (var turn = 0u; turn < turns; turn++) {
        let part = (f32(turn) + 0.5) / f32(turns);
        let angle = 6.2831853 * (start + part * 5.0);
        let away = min(reach, 160.0) * part;
        let there = at + vec2<i32>(round(vec2<f32>(cos(angle), sin(angle)) * away));
        if (any(there < vec2<i32>(0)) || any(there >= vec2<i32>(view.size))) { continue; }
        let other = surface_at(there);
        if (other.w == NOTHING) { continue; }
        let way = place_of(there, bitcast<f32>(other.x)) - place;
        let far = dot(way, way);
        let up = dot(way, normal) * inverseSqrt(far + 0.01);
        sum += max(up - 0.05, 0.0) * max(0.0, 1.0 - far / (radius * radius));
    }
    return min(2.0 * sum / f32(turns), 1.0);
}

// How dark a line there is: around molecules, where something far shows behind them, and between molecules. What shows through a
// transparent molecule, where it is not there, is not beside it.
fn line_at(at: vec2<i32>, own: vec4<u32>) -> f32 {
    let distance = bitcast<f32>(own.x);
    let wide = i32(look.samples);
    let opacity = f32(own.z >> 24u) / 255.0;
    var dark = 0.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let there = clamp(at + vec2<i32>(x, y) * wide, vec2<i32>(0), vec2<i32>(view.size) - 1);
            let other = surface_at(there);
            if (other.w != own.w && !is_there(own.w, opacity, vec2<u32>(there))) { continue; }
            if (other.w == NOTHING) {
                dark = max(dark, 0.9);
                continue;
            }
            let behind = bitcast<f32>(other.x) - distance;
            if (other.w != own.w && behind > 0.15) { dark = max(dark, 0.45 + 0.45 * smoothstep(0.5, 12.0, behind)); }
            if (behind > 2.5) { dark = max(dark, 0.3 + 0.5 * smoothstep(2.5, 12.0, behind)); }
        }
    }
    return dark;
}

// The light of a sample, whose surface is known: how far it is, how it is turned, its colour and opacity, and whose it is.
fn light_at(at: vec2<i32>, own: vec4<u32>) -> vec4<f32> {
    var result = look.background;
    if (own.w != NOTHING) {
        let distance = bitcast<f32>(own.x);
        let normal = normalize(signed_bytes(own.y).xyz);
        let place = place_of(at, distance);
        var light = light_of(bytes_of(own.z).xyz);
        if (look.occlusion > 0.0) {
            // Crevices between atoms, and the hollows between molecules.
            let open = (1.0 - 0.75 * hidden(at, place, normal, 6.0)) * (1.0 - 0.65 * hidden(at, place, normal, 45.0));
            light *= mix(1.0, open, look.occlusion);
        }
        var sun = 1.0;
        if (look.shadows > 0.0) { sun -= look.shadows * shadow_at(place, normal); }
        if (look.is_flat != 0u) {
            light *= (0.9 + 0.1 * normal.z) * (0.4 + 0.6 * sun);
        } else {
            let lit = max(dot(normal, look.light), 0.0) * sun;
            let between = look.light - normalize(place);
            // Nothing shines where the light comes straight from behind.
            let half = normalize(select(between, -normal, dot(between, between) < 1e-10));
            light = light * (0.4 + 0.72 * lit) + vec3<f32>(0.07 * sun * pow(max(dot(normal, half), 0.0), 40.0));
        }
        if (look.lines > 0.0) { light *= 1.0 - look.lines * line_at(at, own); }
        let haze = look.fog.w * smoothstep(look.fog_begin, look.fog_end, distance);
        result = vec4<f32>(mix(light, look.fog.xyz, haze), 1.0);
    }
    return vec4<f32>(result.xyz * result.w, result.w);
}
