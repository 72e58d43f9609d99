// What the walls of regions ask of molecules whose every atom has to stay on one side.
//
// How it works: a thread takes one atom; what its walls ask for is added to the record of the molecule, as contacts are. Who sleeps and has no contact is left alone.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> law: Law;
@group(0) @binding(3) var<storage, read> clusters: array<vec4<i32>>;
@group(0) @binding(4) var<storage, read> near: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> bodies: array<Body>;
@group(0) @binding(6) var<storage, read> holds: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read> shapes: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read> board: array<u32>;
@group(0) @binding(10) var<storage, read> moods: array<vec4<u32>>;

override LANES: u32 = 8u;
const EVERY_ATOM: u32 = 3u;
const INSIDE: u32 = 0u;
const OUTSIDE: u32 = 1u;
const BROKEN_SHIFT: f32 = 0.1;
const BROKEN_REGION: f32 = 0.01;
const BEHIND_WALL: f32 = 0.05;

fn pull(owner: u32, arm: vec3<f32>, direction: vec3<f32>, depth: f32, sums: ptr<function, Sums>) {
    let lever = cross(arm, direction);
    var push = depth;
    if (RESPONSE == PROJECTION) {
        let mobility = bodies[owner].mobility;
        push = depth * mobility / (mobility + dot(lever, turn_of(owner, lever)));
    }
    if (RESPONSE == THESIS) { push = depth * law.spring; }
    ask(sums, direction, lever * bodies[owner].inverse_reach, push, 0.0);
}

fn keep(owner: u32, arm: vec3<f32>, sums: ptr<function, Sums>) {
    let group = holds[bodies[owner].group];
    let center = vec3<f32>(bodies[owner].whole) + bodies[owner].part;
    for (var at = 0u; at < group.y; at++) {
        let hold = holds[group.x + 4u * at];
        if (hold.x != EVERY_ATOM) { continue; }
        let wall = region_distance(hold.y, center + arm);
        if (hold.z != INSIDE && hold.z != OUTSIDE) {
            let depth = abs(wall.w);
            if (depth > BROKEN_SHIFT) { (*sums).is_broken = 1u; }
            if (depth > 0.0) { pull(owner, arm, wall.xyz * -sign(wall.w), depth, sums); }
            continue;
        }
        let out = select(-1.0, 1.0, hold.z == INSIDE);
        let beyond = wall.w * out;
        if (beyond > 0.5 * BROKEN_REGION) { (*sums).is_broken = 1u; }
        if (beyond + BEHIND_WALL > 0.0) { pull(owner, arm, wall.xyz * -out, beyond + BEHIND_WALL, sums); }
    }
}

const NOBODY: u32 = 0xffffffffu;
// For the threads of a workgroup: whose walls they have looked at.
var<workgroup> whose: array<u32, 32>;

@compute @workgroup_size(32)
fn walls(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    let thread = group_number(group, groups) * 32u + local;
    let cluster = thread / LANES;
    var owner = NOBODY;
    var sums = no_sums();
    if (cluster < scene.clusters && board[HALTED] == 0u && thread % LANES < length_of(near[cluster])) {
        let molecule = near[cluster].y & 0x7fffffffu;
        let has_contacts = record_at(molecule * 2u * ROW + SUMS) != 0u;
        let is_looked_at = board[ALL_AWAKE] != 0u || is_awake(moods[molecule].w) || has_contacts;
        if (is_looked_at && bodies[molecule].group != 0xffffffffu && bodies[molecule].mobility != 0.0) {
            keep(molecule, arm_of(atom_at(thread).xyz, clusters[cluster].xyz, molecule), &sums);
            if (sums.rows > 0u) { owner = molecule; }
        }
    }
    whose[local] = owner;
    workgroupBarrier();
    // One molecule after the other.
    var last = NOBODY;
    for (var at = 0u; at < 32u; at++) {
        let now = workgroupUniformLoad(&whose[at]);
        if (now == NOBODY || now == last) { continue; }
        last = now;
        var own = no_sums();
        if (owner == now) { own = sums; }
        file(own, now, local);
    }
}
