// A picture without arrays and without kernels: squares write what is seen in every sample into a texture, and light falls on that.

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<uniform> look: Look;
@group(0) @binding(2) var surface: texture_2d<u32>;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) sphere: vec4<f32>,
    @location(1) @interpolate(flat) colour: u32,
    @location(2) @interpolate(flat) molecule: u32,
    @location(3) @interpolate(flat) opacity: f32,
}

@vertex
fn corner(@builtin(vertex_index) vertex: u32, @location(0) own: vec4<f32>, @location(1) colour: u32, @location(2) molecule: u32,
    @location(3) opacity: f32) -> Corner {
    let sphere = vec4<f32>(in_camera(own.xyz), own.w);
    return Corner(corner_of(sphere, vertex), sphere, colour, molecule, opacity);
}

struct Sample {
    @location(0) surface: vec4<u32>,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn sample(in: Corner) -> Sample {
    let ray = ray_of(in.position.xy);
    let found = hit(ray, in.sphere.xyz, in.sphere.w);
    if (!found.is_hit || !is_there(in.molecule, in.opacity, vec2<u32>(in.position.xy))) { discard; }
    var normal = (ray.from_place + ray.along * found.distance - in.sphere.xyz) / in.sphere.w;
    if (found.is_cut) { normal = -view.clip.xyz; }
    let parts = vec3<u32>(vec3<i32>(round(clamp(normal, vec3<f32>(-1.0), vec3<f32>(1.0)) * 127.0))) & vec3<u32>(255u);
    let turned = parts.x | (parts.y << 8u) | (parts.z << 16u);
    let colour = with_opacity(in.colour, in.opacity);
    return Sample(vec4<u32>(bitcast<u32>(found.distance), turned, colour, in.molecule), depth_of(found.distance));
}

fn surface_at(at: vec2<i32>) -> vec4<u32> {
    return textureLoad(surface, clamp(at, vec2<i32>(0), vec2<i32>(view.size) - 1), 0);
}

// There is no lamp.
fn shadow_at(place: vec3<f32>, normal: vec3<f32>) -> f32 { return 0.0; }

// One triangle that covers the picture.
@vertex
fn everywhere(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4<f32> {
    let place = vec2<f32>(f32(vertex % 2u), f32(vertex / 2u)) * 4.0 - 1.0;
    return vec4<f32>(place, 0.5, 1.0);
}

@fragment
fn pixel(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let first = vec2<i32>(position.xy) * i32(look.samples);
    var sum = vec4<f32>(0.0);
    for (var y = 0; y < i32(look.samples); y++) {
        for (var x = 0; x < i32(look.samples); x++) {
            let at = first + vec2<i32>(x, y);
            sum += light_at(at, surface_at(at));
        }
    }
    sum /= f32(look.samples * look.samples);
    return vec4<f32>(colour_of(sum.xyz / max(sum.w, 1e-4)), sum.w);
}
