// What the walls of regions ask of molecules whose every atom has to stay on one side.
//
// How it works: as for contacts, a thread takes one atom; what its walls ask for goes into records of their own, which
// stand behind those of the contacts.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> law: Law;
@group(0) @binding(2) var<storage, read> atoms: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> clusters: array<vec4<i32>>;
@group(0) @binding(4) var<storage, read> near: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> bodies: array<Body>;
@group(0) @binding(6) var<storage, read> holds: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read> shapes: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> records: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read> board: array<u32>;

override LANES: u32 = 8u;
const THREADS: u32 = 64u;
const EVERY_ATOM: u32 = 3u;
const INSIDE: u32 = 0u;
const OUTSIDE: u32 = 1u;
const BROKEN_SHIFT: f32 = 0.1;
const BROKEN_REGION: f32 = 0.01;
const BEHIND_WALL: f32 = 0.05;

fn pull(owner: u32, arm: vec3<f32>, direction: vec3<f32>, depth: f32, sums: ptr<function, Sums>) {
    (*sums).contacts++;
    var push = depth;
    if (RESPONSE == PROJECTION) {
        let lever = cross(arm, direction);
        let mobility = bodies[owner].mobility;
        push = depth * mobility / (mobility + dot(lever, turn_of(owner, lever)));
    }
    if (RESPONSE == THESIS) { push = depth * law.spring; }
    ask(sums, direction, push);
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
            if (depth > BROKEN_SHIFT) { (*sums).warmth = 1u; }
            if (depth > 0.0) { pull(owner, arm, wall.xyz * -sign(wall.w), depth, sums); }
            continue;
        }
        let out = select(-1.0, 1.0, hold.z == INSIDE);
        let beyond = wall.w * out;
        if (beyond > 0.5 * BROKEN_REGION) { (*sums).warmth = 1u; }
        if (beyond + BEHIND_WALL > 0.0) { pull(owner, arm, wall.xyz * -out, beyond + BEHIND_WALL, sums); }
    }
}

@compute @workgroup_size(64)
fn walls(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    let number = group_number(group, groups);
    let thread = number * THREADS + local;
    let cluster = thread / LANES;
    let lane = thread % LANES;
    var sums = no_sums();
    var owner = 0u;
    var is_looked_at = false;
    targets[local] = NO_RECORD;
    if (cluster < scene.clusters && board[HALTED] == 0u) {
        owner = near[cluster].y & 0x7fffffffu;
        is_looked_at = board[EVERYONE] != 0u || board[STAMPS + owner] == board[ITERATION] + 1u;
        let unit = thread / 32u;
        if (thread % 32u >= LANES && (near[cluster - 1u].y & 0x7fffffffu) == owner) {
            targets[local] = CONTINUED;
        } else if (is_looked_at) {
            targets[local] = law.walls + bodies[owner].first_record + unit - bodies[owner].first_unit;
        }
    }
    var arm = vec3<f32>(0.0);
    if (is_looked_at && lane < length_of(near[cluster]) && bodies[owner].group != 0xffffffffu) {
        arm = arm_of(atoms[thread].xyz, clusters[cluster].xyz, owner);
        keep(owner, arm, &sums);
    }
    file_records(sums, arm, bodies[owner].inverse_gyration, board[ITERATION], local, LANES);
}
