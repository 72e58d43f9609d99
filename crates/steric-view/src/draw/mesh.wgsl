// Surfaces of triangles. First the triangles: three numbers of vertices, and colour and opacity in one word. Then of each vertex its place
// and its normal.

fn triangle_of(number: u32) -> vec4<u32> { return mesh[number]; }

fn place_of_vertex(vertex: u32) -> vec3<f32> { return in_camera(bitcast<vec3<f32>>(mesh[view.triangles + 2u * vertex].xyz)); }

fn normal_of_vertex(vertex: u32) -> vec3<f32> {
    return (view.camera_from_world * vec4<f32>(bitcast<vec3<f32>>(mesh[view.triangles + 2u * vertex + 1u].xyz), 0.0)).xyz;
}
