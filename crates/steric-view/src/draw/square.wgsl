// A square around a sphere, as large as the sphere is seen.

const NOWHERE: vec4<f32> = vec4<f32>(2.0, 2.0, 2.0, 1.0);

// Where a corner of it is in the picture; nowhere if nothing is to be seen. The corners are numbered as two triangles.
fn corner_of(sphere: vec4<f32>, which: u32) -> vec4<f32> {
    var place = vec2<f32>(-1.0);
    if (which == 1u || which == 2u || which == 4u) { place.x = 1.0; }
    if (which == 2u || which == 4u || which == 5u) { place.y = 1.0; }
    if (sphere.w <= 0.0) { return NOWHERE; }
    if (view.is_parallel != 0u) { return vec4<f32>((sphere.xy + place * sphere.w) / view.half, 0.5, 1.0); }
    let away = length(sphere.xyz);
    // Inside the sphere there is nothing to see of it.
    if (away <= sphere.w * 1.001 || -sphere.z + sphere.w <= view.near) { return NOWHERE; }
    // It goes through the centre and faces the eye.
    let toward = sphere.xyz / away;
    let right = normalize(cross(toward, select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(1.0, 0.0, 0.0), abs(toward.y) > 0.9)));
    let up = cross(right, toward);
    let half = sphere.w * away / sqrt(away * away - sphere.w * sphere.w);
    let at = sphere.xyz + (right * place.x + up * place.y) * half;
    if (-at.z <= 1e-3) { return NOWHERE; }
    return vec4<f32>(at.xy / view.half, -0.5 * at.z, -at.z);
}
