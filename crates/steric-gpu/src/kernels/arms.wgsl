// Arms and what they turn. Needs `bodies`.

// An arm turned into the molecule's own frame, times the inverse inertia, and turned back.
fn turn_of(molecule: u32, lever: vec3<f32>) -> vec3<f32> {
    if (bodies[molecule].mobility == 0.0) { return vec3<f32>(0.0); }
    let rotation = bodies[molecule].rotation;
    let own = turned(vec4<f32>(-rotation.xyz, rotation.w), lever);
    let d = bodies[molecule].inertia_diagonal;
    let b = bodies[molecule].inertia_beside;
    let turn = vec3<f32>(d.x * own.x + b.x * own.y + b.y * own.z, b.x * own.x + d.y * own.y + b.z * own.z,
                         b.y * own.x + b.z * own.y + d.z * own.z);
    return turned(rotation, turn);
}

fn arm_of(at: vec3<f32>, origin: vec3<i32>, molecule: u32) -> vec3<f32> {
    let from_center = origin - bodies[molecule].whole * i32(UNITS);
    return at + vec3<f32>(from_center) * ANGSTROMS - bodies[molecule].part;
}
