// How many atoms touch, of which molecules, and which.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(2) var<storage, read> clusters: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read> near: array<vec4<u32>>;
// For each workgroup how many it found, or, when they are listed, where its first one goes.
@group(0) @binding(5) var<storage, read_write> groups_found: array<u32>;
@group(0) @binding(6) var<storage, read_write> per_molecule: array<atomic<u32>>;
// Three words for each: the two atoms and the bits of the depth.
@group(0) @binding(7) var<storage, read_write> found: array<u32>;

// Whether each pair is counted once, for a list, or as often as it is seen from those that are searched for.
override ONCE: bool = false;
const THREADS: u32 = 64u;

var<workgroup> sums: array<u32, 64>;

// The first of the workgroups that are run, and the first of the pairs that there is room for.
struct Part {
    first_group: u32,
    first_pair: u32,
    unused_a: u32,
    unused_b: u32,
}
@group(0) @binding(8) var<uniform> part: Part;

struct Own {
    near: vec4<u32>,
    number: u32,
    at: vec3<f32>,
    radius: f32,
    origin: vec3<i32>,
    is_there: bool,
}

fn own_atom(thread: u32) -> Own {
    var own: Own;
    let cluster = thread / LANES;
    let lane = thread % LANES;
    if (cluster >= scene.clusters) { return own; }
    own.near = near[cluster];
    own.is_there = lane < length_of(own.near) && entries(own.near) > 0u;
    if (!own.is_there) { return own; }
    own.number = thread;
    let atom = atom_at(own.number);
    own.at = atom.xyz;
    own.radius = atom.w;
    own.origin = clusters[cluster].xyz;
    return own;
}

// The atoms of a near cluster that one touches; of its own cluster only those behind it.
fn touched(own: Own, other: u32) -> u32 {
    let point = own.at + between(own.origin, clusters[other].xyz);
    let reach = own_reach(own.radius);
    let first = other * LANES;
    var bits = 0u;
    for (var lane = 0u; lane < LANES; lane++) {
        bits |= select(0u, 1u << lane, is_near(point, reach, atom_at(first + lane)));
    }
    if (own.number >= first && own.number - first < LANES) { bits &= ~((2u << (own.number - first)) - 1u); }
    return bits;
}

fn touch_count(own: Own) -> u32 {
    var count = 0u;
    if (own.is_there) {
        for (var entry = own.near.z; entry < own.near.z + entries(own.near); entry++) {
            let other = entry_at(entry);
            // Who is only met here is searched for elsewhere.
            let sides = select(1u, 2u, !ONCE && (near[other].y & 0x7fffffffu) < scene.owned);
            count += sides * countOneBits(touched(own, other));
        }
    }
    return count;
}

fn summed(local: u32, value: u32) -> u32 {
    sums[local] = value;
    workgroupBarrier();
    for (var step = 1u; step < THREADS; step <<= 1u) {
        var left = 0u;
        if (local >= step) { left = sums[local - step]; }
        workgroupBarrier();
        sums[local] += left;
        workgroupBarrier();
    }
    return sums[local];
}

@compute @workgroup_size(64)
fn count_touches(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                 @builtin(local_invocation_index) local: u32) {
    let number = group_number(group, groups);
    let sum = summed(local, touch_count(own_atom(number * THREADS + local)));
    if (local == THREADS - 1u && number * (THREADS / LANES) < scene.clusters) { groups_found[number] = sum; }
}

@compute @workgroup_size(64)
fn count_per_molecule(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                      @builtin(local_invocation_index) local: u32) {
    let own = own_atom(group_number(group, groups) * THREADS + local);
    if (!own.is_there) { return; }
    for (var entry = own.near.z; entry < own.near.z + entries(own.near); entry++) {
        let count = countOneBits(touched(own, entry_at(entry)));
        if (count > 0u) {
            let owner = own.near.y & 0x7fffffffu;
            let other = near[entry_at(entry)].y & 0x7fffffffu;
            atomicAdd(&per_molecule[owner], count);
            if (owner != other) { atomicAdd(&per_molecule[other], count); }
        }
    }
}

@compute @workgroup_size(64)
fn list_touches(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) local: u32) {
    let number = part.first_group + group_number(group, groups);
    let own = own_atom(number * THREADS + local);
    let count = touch_count(own);
    let before = summed(local, count) - count;
    if (count == 0u) { return; }
    var at = groups_found[number] + before - part.first_pair;
    for (var entry = own.near.z; entry < own.near.z + entries(own.near); entry++) {
        let other = entry_at(entry);
        var bits = touched(own, other);
        while (bits != 0u) {
            let lane = firstTrailingBit(bits);
            bits &= bits - 1u;
            let atom = other * LANES + lane;
            let apart = own.at + between(own.origin, clusters[other].xyz) - atom_at(atom).xyz;
            let radii = select(2.0 * scene.radius, own.radius + atom_at(atom).w, MIXED);
            found[3u * at] = own.number;
            found[3u * at + 1u] = atom;
            found[3u * at + 2u] = bitcast<u32>(radii - length(apart));
            at++;
        }
    }
}

// Every atom against every other, without cells or lists: what all else is compared with.
var<workgroup> others: array<vec4<f32>, 64>;
var<workgroup> owners: array<u32, 64>;

@compute @workgroup_size(64)
fn count_all_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                   @builtin(local_invocation_index) local: u32) {
    let number = group_number(group, groups);
    let thread = number * THREADS + local;
    let own = own_in_world(thread);
    var count = 0u;
    let tiles = (scene.clusters * LANES + THREADS - 1u) / THREADS;
    for (var tile = 0u; tile < tiles; tile++) {
        workgroupBarrier();
        let other = own_in_world(tile * THREADS + local);
        others[local] = other.at;
        owners[local] = other.owner;
        workgroupBarrier();
        for (var index = 0u; index < THREADS; index++) {
            let apart = own.at.xyz - others[index].xyz;
            let limit = select(2.0 * scene.radius, own.at.w + others[index].w, MIXED) + scene.reach;
            if (dot(apart, apart) < limit * limit && owners[index] != own.owner) { count++; }
        }
    }
    if (own.owner == 0xffffffffu) { count = 0u; }
    let sum = summed(local, count);
    if (local == THREADS - 1u && number * (THREADS / LANES) < scene.clusters) { groups_found[number] = sum; }
}

struct InWorld {
    at: vec4<f32>,
    owner: u32,
}

fn own_in_world(thread: u32) -> InWorld {
    let cluster = thread / LANES;
    let lane = thread % LANES;
    if (cluster >= scene.clusters) { return InWorld(vec4<f32>(1e9, 1e9, 1e9, 0.0), 0xffffffffu); }
    let own = near[cluster];
    if (lane >= length_of(own)) { return InWorld(vec4<f32>(1e9, 1e9, 1e9, 0.0), 0xffffffffu); }
    let atom = atom_at(thread);
    return InWorld(vec4<f32>(atom.xyz + vec3<f32>(clusters[cluster].xyz) * ANGSTROMS, atom.w), own.y & 0x7fffffffu);
}
