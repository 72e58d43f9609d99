// Every atom against the atoms of the clusters that its own cluster has listed.
//
// How it works: a thread takes one atom and walks its cluster's list, four entries at a time. Which atoms it touches are eight
// bits for each entry, so a word for four. This is where most pairs are looked at and dropped, so it does nothing else: few
// registers and no shared memory let the GPU hide the wait for memory behind other threads.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read> atoms: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> clusters: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read> near: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> list: array<u32>;
@group(0) @binding(5) var<storage, read_write> hits: array<u32>;
@group(0) @binding(6) var<storage, read> board: array<u32>;

fn touched(at: vec3<f32>, origin: vec3<i32>, reach: f32, other: u32) -> u32 {
    return touches(at + between(origin, clusters[other].xyz), reach, other);
}

@compute @workgroup_size(128)
fn compare(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) local: u32) {
    let thread = group_number(group, groups) * 128u + local;
    let cluster = thread / LANES;
    let lane = thread % LANES;
    if (cluster >= scene.clusters || board[HALTED] != 0u) { return; }
    let own = near[cluster];
    if (lane >= length_of(own)) { return; }
    if (board[EVERYONE] == 0u && board[STAMPS + (own.y & 0x7fffffffu)] != board[ITERATION] + 1u) { return; }
    let atom = atoms[thread];
    let reach = own_reach(atom.w);
    let origin = clusters[cluster].xyz;
    let end = own.z + entries(own);
    for (var entry = own.z; entry < end; entry += 4u) {
        var bits = touched(atom.xyz, origin, reach, list[entry]);
        if (entry + 1u < end) { bits |= touched(atom.xyz, origin, reach, list[entry + 1u]) << 8u; }
        if (entry + 2u < end) { bits |= touched(atom.xyz, origin, reach, list[entry + 2u]) << 16u; }
        if (entry + 3u < end) { bits |= touched(atom.xyz, origin, reach, list[entry + 3u]) << 24u; }
        hits[entry / 4u * LANES + lane] = bits;
    }
}
