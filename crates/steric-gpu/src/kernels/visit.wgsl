// The contacts of every atom, added up for its molecule.
//
// How it works: what touches is known. A thread takes one atom and, of its cluster's list, the entries with a touch; what two
// molecules have in common, the line between them and how they share a push, is looked up once for each entry. What the
// contacts ask of the atom is added up as whole numbers, in whatever order they come. A workgroup without a contact ends at
// once: a record whose stamp is not that of the iteration says that there is none.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> law: Law;
@group(0) @binding(2) var<storage, read> atoms: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> clusters: array<vec4<i32>>;
@group(0) @binding(4) var<storage, read> near: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> list: array<u32>;
@group(0) @binding(6) var<storage, read> bodies: array<Body>;
@group(0) @binding(7) var<storage, read> moods: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> records: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read> board: array<u32>;
@group(0) @binding(10) var<storage, read> hits: array<u32>;

const THREADS: u32 = 64u;
const PASSED_ON: u32 = 2u;
// Whether any thread has a contact.
var<workgroup> is_busy: u32;

// From the centre of the second molecule to that of the first, or of its image.
fn centers_apart(first: u32, second: u32) -> vec3<f32> {
    var apart = vec3<f32>(bodies[first].whole - bodies[second].whole) + (bodies[first].part - bodies[second].part);
    if (scene.level[0].kind == PERIODIC) {
        let steps = round(fractional(apart));
        apart -= steps.x * scene.vectors[0].xyz + steps.y * scene.vectors[1].xyz + steps.z * scene.vectors[2].xyz;
    }
    return apart;
}

// The line between two molecules, in the membrane where there is one, as the first of them sees it.
fn along_membrane(apart: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let flat = apart - normal * dot(apart, normal);
    let span = length(flat);
    return select(vec3<f32>(0.0), flat / max(span, 1e-6), span > 1e-3);
}

// A way out for two atoms in the same place; the other one finds the opposite.
fn way_out(centers: vec3<f32>, one: u32, other: u32) -> vec3<f32> {
    if (dot(centers, centers) > 1e-6) { return unit_or(centers, vec3<f32>(1.0, 0.0, 0.0)); }
    var bits = (min(one, other) * 0x9e3779b9u) ^ (max(one, other) * 0x85ebca6bu);
    var way = vec3<f32>(0.0);
    for (var axis = 0; axis < 3; axis++) {
        bits = (bits ^ (bits >> 16u)) * 0x7feb352du;
        bits = (bits ^ (bits >> 15u)) * 0x846ca68bu;
        way[axis] = f32(bits >> 8u) / 8388608.0 - 1.0;
    }
    return unit_or(way, vec3<f32>(1.0, 0.0, 0.0)) * select(-1.0, 1.0, one < other);
}

// What an atom brings to its contacts.
struct Atom {
    at: vec3<f32>,             // from its cluster's origin
    radius: f32,
    origin: vec3<i32>,
    owner: u32,
    mood: u32,
    mobility: f32,
    arm: vec3<f32>,
    clear: f32,
    is_early: bool,
    is_awake: bool,
}

// Answers the contacts of an atom with atoms of one cluster.
fn answer(own: Atom, other: u32, touching: u32, sums: ptr<function, Sums>) {
    let other_owner = near[other].y & 0x7fffffffu;
    let other_mood = moods[other_owner].w;
    let point = own.at + between(own.origin, clusters[other].xyz);
    // Two that sleep do not overlap.
    if (!own.is_awake && !is_awake(other_mood)) { return; }
    (*sums).warmth = max((*sums).warmth, max(warmth(other_mood), PASSED_ON) - PASSED_ON);
    var share = 1.0;
    var stuck = 0.0;
    var along = vec3<f32>(0.0);
    // The lighter of two goes the longer way, but never much more than all of it.
    if (RESPONSE == NEWTON) { share = min(2.0 * own.mobility / max(own.mobility + bodies[other_owner].mobility, 1e-30), 1.6); }
    if (RESPONSE != THESIS) {
        let both = min(dirty_for(own.mood), dirty_for(other_mood));
        stuck = f32(max(both, law.bias_after) - law.bias_after) * law.ramp;
        if (own.is_early || stuck > 0.0) {
            // Both sides have to see the same line: that of the one who comes first.
            let membrane = bitcast<vec3<f32>>(moods[min(own.owner, other_owner)].xyz);
            along = along_membrane(centers_apart(own.owner, other_owner), membrane) * law.bias;
        }
    }
    for (var bits = touching; bits != 0u; bits &= bits - 1u) {
        let atom = atoms[other * LANES + firstTrailingBit(bits)];
        let apart = point - atom.xyz;
        let squared = dot(apart, apart);
        let distance = sqrt(squared);
        let inverse = 1.0 / max(distance, 1e-6);
        let radii = select(2.0 * scene.radius, own.radius + atom.w, MIXED);
        let limit = radii + law.reach;
        let depth = limit - distance;
        let unclear = radii + own.clear - distance;
        var normal = apart * inverse;
        if (distance < 1e-4) { normal = way_out(centers_apart(own.owner, other_owner), own.owner, other_owner); }
        if (RESPONSE != THESIS && (own.is_early || (stuck > 0.0 && unclear > 0.0))) {
            let leaning = normal + along * max(depth / limit, min(stuck, 1.0));
            let span = dot(leaning, leaning);
            if (span > 0.01) { normal = leaning * inverseSqrt(span); }
        }
        (*sums).contacts++;
        (*sums).deepest = max((*sums).deepest, unclear);
        // By squares, as everywhere else, so that the count is that of a search.
        let contact = radii + law.overlap;
        if (contact > 0.0 && squared < contact * contact) {
            (*sums).overlaps++;
            (*sums).depth += u32(max(contact - distance, 0.0) * STEPS);
        }
        if (RESPONSE == NEWTON) {
            ask(sums, normal, depth * share);
        } else if (RESPONSE == PROJECTION) {
            let own_lever = cross(own.arm, normal);
            let other_lever = cross(own.arm - apart + centers_apart(own.owner, other_owner), normal);
            let total = own.mobility + dot(own_lever, turn_of(own.owner, own_lever))
                + bodies[other_owner].mobility + dot(other_lever, turn_of(other_owner, other_lever));
            ask(sums, normal, depth * own.mobility / max(total, 1e-30));
        } else {
            let strength = law.force / max(distance * distance + dot(own.arm, own.arm), 1e-6);
            ask(sums, normal, strength);
            (*sums).squares += vec3<i32>(normal * SQUARES);
        }
    }
}

@compute @workgroup_size(64)
fn visit(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    let number = group_number(group, groups);
    let thread = number * THREADS + local;
    let cluster = thread / LANES;
    let lane = thread % LANES;
    if (local == 0u) { is_busy = 0u; }
    workgroupBarrier();
    var own_near = vec4<u32>(0u);
    var owner = 0u;
    var is_looked_at = false;
    var entry = 0u;
    var end = 0u;
    var bits = 0u;
    if (cluster < scene.clusters && board[HALTED] == 0u) {
        own_near = near[cluster];
        owner = own_near.y & 0x7fffffffu;
        is_looked_at = board[EVERYONE] != 0u || board[STAMPS + owner] == board[ITERATION] + 1u;
        if (is_looked_at && lane < length_of(own_near)) {
            entry = own_near.z;
            end = entry + entries(own_near);
            // To the first four entries with a touch.
            while (entry < end) {
                bits = hits[entry / 4u * LANES + lane];
                if (bits != 0u) { break; }
                entry += 4u;
            }
            if (bits != 0u) { is_busy = 1u; }
        }
    }
    if (workgroupUniformLoad(&is_busy) == 0u) { return; }

    targets[local] = NO_RECORD;
    if (cluster < scene.clusters) {
        // A molecule begins at its first cluster, and again in each unit of 32 threads.
        if (thread % 32u >= LANES && (near[cluster - 1u].y & 0x7fffffffu) == owner) {
            targets[local] = CONTINUED;
        } else if (is_looked_at) {
            targets[local] = bodies[owner].first_record + thread / 32u - bodies[owner].first_unit;
        }
    }
    var sums = no_sums();
    var own: Atom;
    if (bits != 0u) {
        let atom = atoms[thread];
        own.at = atom.xyz;
        own.radius = atom.w;
        own.origin = clusters[cluster].xyz;
        own.owner = owner;
        own.mood = moods[owner].w;
        own.mobility = bodies[owner].mobility;
        own.arm = arm_of(own.at, own.origin, owner);
        own.clear = law.overlap + select(0.0, law.clearance, board[DISTURBED] != 0u);
        own.is_early = board[ITERATION] < law.bias_iterations;
        own.is_awake = board[EVERYONE] == ALL_AWAKE || is_awake(own.mood);
    }
    while (entry < end) {
        if (bits == 0u) {
            entry += 4u;
            if (entry < end) { bits = hits[entry / 4u * LANES + lane]; }
            continue;
        }
        let shift = firstTrailingBit(bits) & 24u;
        answer(own, list[entry + shift / 8u], (bits >> shift) & 0xffu, &sums);
        bits &= ~(0xffu << shift);
    }
    file_records(sums, own.arm, bodies[owner].inverse_gyration, board[ITERATION], local, LANES);
}
