// Which atoms of near clusters touch.
//
// How it works: a thread takes one atom and walks its cluster's list. Which atoms of a near cluster it touches are eight bits of
// a word in shared memory. When sixteen near clusters are done, a thread takes two of them and writes down those that
// touch. Each asks both molecules for a place on their lists: its length so far. This is where most pairs are looked
// at and dropped, so it does nothing else: few registers and little shared memory let the GPU hide the wait for memory behind
// other threads.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read> atoms: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> clusters: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read> near: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> list: array<u32>;
@group(0) @binding(5) var<storage, read> moods: array<vec4<u32>>;
// Two for each pair of clusters: their numbers and the bits of the atoms that touch; the places on both lists.
@group(0) @binding(6) var<storage, read_write> tiles: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read> board: array<u32>;
@group(0) @binding(9) var<uniform> share: Share;
@group(0) @binding(10) var<storage, read_write> cursors: array<atomic<u32>>;

const THREADS: u32 = 64u;
// So many near clusters are looked at before what touches is written down: two for each thread of a cluster.
override AT_ONCE: u32 = 2u * LANES;
const NOWHERE: u32 = 0xffffffffu;
// Of each thread as many as four words, each with eight bits for four near clusters.
var<workgroup> hits: array<u32, 256>;
var<workgroup> longest: atomic<u32>;
var<workgroup> found: atomic<u32>;
// What all threads have to know, found out by one of them.
var<workgroup> rounds: u32;
var<workgroup> first: u32;

// Which atoms of a near cluster a point touches.
fn touched(point: vec3<f32>, reach: f32, cluster: u32) -> u32 {
    let first = cluster * LANES;
    var bits = 0u;
    for (var lane = 0u; lane < LANES; lane++) {
        bits |= select(0u, 1u << lane, is_near(point, reach, atoms[first + lane]));
    }
    return bits;
}

// The bits of a pair of clusters: eight for each own atom, four atoms in a word.
fn tile_bits(mine: u32, begin: u32) -> vec2<u32> {
    var bits = vec2<u32>(0u);
    for (var lane = 0u; lane < min(LANES, 4u); lane++) { bits.x |= bits_of(mine, begin + lane) << (8u * lane); }
    for (var lane = 4u; lane < LANES; lane++) { bits.y |= bits_of(mine, begin + lane) << (8u * lane - 32u); }
    return bits;
}

// What a thread found out about one of the near clusters.
fn bits_of(mine: u32, thread: u32) -> u32 {
    return extractBits(hits[mine / 4u * THREADS + thread], mine % 4u * 8u, 8u);
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
    let lane = local % LANES;
    let begin = local - lane;
    let cluster = share.first_cluster + (group_number(group, groups) * THREADS + local) / LANES;
    var own_near = vec4<u32>(0u);
    if (cluster < share.end_cluster) { own_near = near[cluster]; }
    if (local == 0u) {
        atomicStore(&longest, 0u);
        atomicStore(&found, 0u);
    }
    workgroupBarrier();
    let count_of_near = entries(own_near);
    // A lane without an atom touches nothing.
    let end = own_near.z + select(0u, count_of_near, lane < length_of(own_near));
    var own = vec4<f32>(0.0);
    var origin = vec3<i32>(0);
    var is_alert = true;
    if (count_of_near > 0u) {
        own = atoms[cluster * LANES + lane];
        origin = clusters[cluster].xyz;
        is_alert = board[ALL_AWAKE] != 0u || is_awake(moods[own_near.y & 0x7fffffffu].w);
        if (lane == 0u) { atomicMax(&longest, count_of_near); }
    }
    let reach = own_reach(own.w);
    workgroupBarrier();
    if (local == 0u) { rounds = atomicLoad(&longest); }
    let most = workgroupUniformLoad(&rounds);
    for (var start = 0u; start < most; start += AT_ONCE) {
        workgroupBarrier();
        var entry = own_near.z + start;
        for (var quarter = 0u; quarter * 4u < AT_ONCE; quarter++) {
            var word = 0u;
            for (var shift = 0u; shift < min(32u, 8u * AT_ONCE) && entry < end; shift += 8u) {
                let other = list[entry];
                entry++;
                // Two that sleep do not touch.
                if (!is_alert && !is_awake(moods[near[other].y & 0x7fffffffu].w)) { continue; }
                word |= touched(own.xyz + between(origin, clusters[other].xyz), reach, other) << shift;
            }
            hits[quarter * THREADS + local] = word;
        }
        workgroupBarrier();

        let bits_a = tile_bits(2u * lane, begin);
        let bits_b = tile_bits(2u * lane + 1u, begin);
        let count = select(0u, 1u, any(bits_a != vec2<u32>(0u))) + select(0u, 1u, any(bits_b != vec2<u32>(0u)));
        var place = 0u;
        if (count > 0u) { place = atomicAdd(&found, count); }
        workgroupBarrier();
        if (local == 0u) {
            let all = atomicLoad(&found);
            first = 0u;
            if (all > 0u) { first = atomicAdd(&cursors[tiles_of(share.number)], all); }
            atomicStore(&found, 0u);
        }
        place += workgroupUniformLoad(&first);
        // Who finds no room leaves it to the host to make more.
        if (count > 0u && place + count <= share.tile_room) {
            let listed = own_near.z + start + 2u * lane;
            if (any(bits_a != vec2<u32>(0u))) {
                put(place, vec4<u32>(cluster, list[listed], bits_a), own_near.y);
                place++;
            }
            if (any(bits_b != vec2<u32>(0u))) { put(place, vec4<u32>(cluster, list[listed + 1u], bits_b), own_near.y); }
        }
    }
}

fn put(place: u32, tile: vec4<u32>, owner: u32) {
    let other = near[tile.y].y;
    tiles[2u * place] = tile;
    tiles[2u * place + 1u] = vec4<u32>(place_on_list(owner), place_on_list(other), owner, other);
}
