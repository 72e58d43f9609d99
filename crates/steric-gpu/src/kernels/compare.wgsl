// Which atoms of near clusters touch.
//
// How it works: a workgroup takes 32 clusters, and eight near ones of each at a time. Lists differ in length, so the threads first write
// down the pairs of clusters that have to be looked at; then each thread takes every 64th pair, and compares all atoms of
// one with all of the other: what it reads it uses eight times. Pairs that touch are written down, and each asks
// both molecules for a place on their lists: their length so far. This is where most pairs are looked at and dropped, so it does
// nothing else: few registers and little shared memory let the GPU hide the wait for memory behind other threads.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(2) var<storage, read> clusters: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read> near: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> moods: array<vec4<u32>>;
// Two for each pair of clusters: their numbers and the bits of the atoms that touch; the places on both lists.
@group(0) @binding(6) var<storage, read_write> tiles: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read> board: array<u32>;
@group(0) @binding(9) var<uniform> share: Share;
@group(0) @binding(10) var<storage, read_write> cursors: array<atomic<u32>>;

const THREADS: u32 = 64u;
const CLUSTERS: u32 = 32u;
// So many entries of a list are looked at before what touches is written down; two threads take those of one cluster.
const AT_ONCE: u32 = 8u;
const NOWHERE: u32 = 0xffffffffu;
// Pairs to be looked at: which of the own clusters, in five bits, and the number of the other.
const OTHER: u32 = 0x7ffffffu;
var<workgroup> pairs: array<u32, 256>;
var<workgroup> paired: atomic<u32>;
// Of each own cluster the bits that stand for atoms.
var<workgroup> masks: array<vec2<u32>, CLUSTERS>;
var<workgroup> longest: atomic<u32>;
var<workgroup> found: atomic<u32>;
// What all threads have to know, found out by one of them.
var<workgroup> rounds: u32;
var<workgroup> all_paired: u32;
var<workgroup> first: u32;

// Which atoms of two clusters touch: eight bits for each of the first, four atoms in a word.
fn touching(one: u32, other: u32) -> vec2<u32> {
    let apart = between(clusters[one].xyz, clusters[other].xyz);
    var points: array<vec3<f32>, LANES_MOST>;
    var reach: array<f32, LANES_MOST>;
    for (var lane = 0u; lane < LANES; lane++) {
        let atom = atom_at(one * LANES + lane);
        points[lane] = atom.xyz + apart;
        reach[lane] = own_reach(atom.w);
    }
    var bits = vec2<u32>(0u);
    for (var lane = 0u; lane < LANES; lane++) {
        let atom = atom_at(other * LANES + lane);
        for (var own = 0u; own < min(LANES, 4u); own++) {
            bits.x |= select(0u, 1u << (8u * own + lane), is_near(points[own], reach[own], atom));
        }
        for (var own = 4u; own < LANES; own++) {
            bits.y |= select(0u, 1u << (8u * own + lane - 32u), is_near(points[own], reach[own], atom));
        }
    }
    return bits;
}
const LANES_MOST: u32 = 8u;

// The bits of so many atoms.
fn mask_of(atoms: u32) -> vec2<u32> {
    return vec2<u32>(extractBits(NOWHERE, 0u, min(8u * atoms, 32u)), extractBits(NOWHERE, 0u, 8u * max(atoms, 4u) - 32u));
}

// A place on the list of a molecule; none if it is fixed.
fn place_on_list(owner: u32) -> u32 {
    if ((owner & 0x80000000u) != 0u) { return NOWHERE; }
    return atomicAdd(&counts[owner], 1u);
}

@compute @workgroup_size(64)
fn compare(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) local: u32) {
    if (board[HALTED] != 0u) { return; }
    let begin = share.first_cluster + group_number(group, groups) * CLUSTERS;
    let cluster = begin + local / 2u;
    var own_near = vec4<u32>(0u);
    if (cluster < share.end_cluster) { own_near = near[cluster]; }
    if (local == 0u) {
        atomicStore(&longest, 0u);
        atomicStore(&found, 0u);
        atomicStore(&paired, 0u);
    }
    workgroupBarrier();
    let count_of_near = entries(own_near);
    var is_alert_now = true;
    if (count_of_near > 0u) {
        is_alert_now = board[ALL_AWAKE] != 0u || is_alert(moods[own_near.y & 0x7fffffffu].w);
        if (local % 2u == 0u) {
            masks[local / 2u] = mask_of(length_of(own_near));
            atomicMax(&longest, count_of_near);
        }
    }
    workgroupBarrier();
    if (local == 0u) { rounds = atomicLoad(&longest); }
    let most = workgroupUniformLoad(&rounds);
    for (var start = 0u; start < most; start += AT_ONCE) {
        let end = min(start + AT_ONCE, count_of_near);
        for (var at = start + local % 2u; at < end; at += 2u) {
            let other = entry_at(own_near.z + at);
            if (!is_alert_now && !is_alert(moods[near[other].y & 0x7fffffffu].w)) { continue; }
            pairs[atomicAdd(&paired, 1u)] = ((local / 2u) << 27u) | other;
        }
        workgroupBarrier();
        if (local == 0u) {
            all_paired = atomicLoad(&paired);
            atomicStore(&paired, 0u);
        }
        let all = workgroupUniformLoad(&all_paired);
        for (var base = 0u; base < all; base += THREADS) {
            var bits = vec2<u32>(0u);
            var one = 0u;
            var other = 0u;
            if (base + local < all) {
                let pair = pairs[base + local];
                one = begin + (pair >> 27u);
                other = pair & OTHER;
                bits = touching(one, other) & masks[pair >> 27u];
            }
            let touches = any(bits != vec2<u32>(0u));
            var place = 0u;
            if (touches) { place = atomicAdd(&found, 1u); }
            workgroupBarrier();
            if (local == 0u) {
                let count = atomicLoad(&found);
                first = 0u;
                if (count > 0u) { first = atomicAdd(&cursors[tiles_of(share.number)], count); }
                atomicStore(&found, 0u);
            }
            place += workgroupUniformLoad(&first);
            // Who finds no room leaves it to the host to make more.
            if (touches && place < share.tile_room) { put(place, vec4<u32>(one, other, bits), near[one].y); }
        }
    }
}

fn put(place: u32, tile: vec4<u32>, owner: u32) {
    let other = near[tile.y].y;
    tiles[2u * place] = tile;
    tiles[2u * place + 1u] = vec4<u32>(place_on_list(owner), place_on_list(other), owner, other);
}
