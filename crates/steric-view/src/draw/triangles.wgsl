// Surfaces of triangles, drawn as such. Their numbers begin where those of the spheres end.

@group(0) @binding(0) var<storage, read> view: View;
@group(0) @binding(1) var<storage, read> mesh: array<vec4<u32>>;

struct Vertex {
    @builtin(position) position: vec4<f32>,
    @location(0) place: vec3<f32>,
    @location(1) @interpolate(flat) number: u32,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Vertex {
    let own = triangle_of(index / 3u);
    let place = place_of_vertex(own[index % 3u]);
    var out = Vertex(vec4<f32>(0.0), place, index / 3u);
    if (view.is_parallel != 0u) {
        out.position = vec4<f32>(place.xy / view.half, depth_of(-place.z), 1.0);
    } else {
        // Divided by the distance this is the depth, and what is nearer than `near` is cut off.
        out.position = vec4<f32>(place.xy / view.half, view.near, -place.z);
    }
    return out;
}

@fragment
fn shown(in: Vertex) -> @location(0) u32 {
    let own = triangle_of(in.number);
    if (any(view.clip.xyz != vec3<f32>(0.0)) && dot(view.clip.xyz, in.place) + view.clip.w < 0.0) { discard; }
    // What has the same colour and opacity is one surface.
    if (!is_there(SURFACE | (own.w & 0xffffffu), f32(own.w >> 24u) / 255.0, vec2<u32>(in.position.xy))) { discard; }
    return view.room * LANES + in.number;
}
