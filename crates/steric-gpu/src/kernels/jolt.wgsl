// Who is stuck, and the jolts that the host has chosen for some of them.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read> moods: array<vec4<u32>>;
// For each molecule: for how many iterations it has overlapped, and the bits of how deep it is in now.
@group(0) @binding(2) var<storage, read_write> stuck: array<vec2<u32>>;
// Two for each jolt: the shift and the molecule's number; the turn.
@group(0) @binding(3) var<storage, read> jolts: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> motions: array<vec4<f32>>;

@compute @workgroup_size(128)
fn find_stuck(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) local: u32) {
    let molecule = group_number(group, groups) * 128u + local;
    if (molecule >= scene.molecules) { return; }
    stuck[molecule] = vec2<u32>(dirty_for(moods[molecule].w), record_at(molecule * 2u * ROW + SUMS + 1u));
}

@compute @workgroup_size(128)
fn jolt(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let number = group_number(group, groups) * 128u + local;
    if (2u * number >= arrayLength(&jolts)) { return; }
    let molecule = bitcast<u32>(jolts[2u * number].w);
    if (molecule >= scene.molecules) { return; }
    // The mark that there is one, and what it is.
    motions[4u * molecule + 1u].w = 1.0;
    motions[4u * molecule + 2u] = vec4<f32>(jolts[2u * number].xyz, 0.0);
    motions[4u * molecule + 3u] = vec4<f32>(jolts[2u * number + 1u].xyz, 0.0);
}
