// The near clusters of each cluster.
//
// How it works: a thread takes one cluster, in the order of the cells, and looks at the rows of cells that its sphere,
// the largest sphere of the level, the reach and the skin can join. Neighbouring threads look at neighbouring cells, so what one
// reads the next has at hand. What a thread finds stands in shared memory until the workgroup knows how much there is and has
// asked for room in the list, once. A cluster with more neighbours than shared memory holds looks again.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read> sorted: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read> sorted_ids: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> near: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> list: array<u32>;
@group(0) @binding(6) var<storage, read_write> board: array<atomic<u32>>;

const THREADS: u32 = 128u;
const KEPT: u32 = 24u;
const NOWHERE: u32 = 0xffffffffu;
var<workgroup> found: array<u32, 3072>;
var<workgroup> sums: array<u32, 128>;
// Whether there is a search, its skin, and the first entry that this workgroup may write: read by one thread for all,
// because what all write has to be fetched anew each time.
var<workgroup> searching: u32;
var<workgroup> skin: f32;
var<workgroup> room: u32;

struct Search {
    origin: vec3<i32>,
    radius: f32,
    owner: u32,
    count: u32,
    // Where to write; NOWHERE for shared memory.
    at: u32,
}

fn is_close(search: ptr<function, Search>, other: vec4<i32>) -> bool {
    let apart = between((*search).origin, other.xyz);
    let limit = (*search).radius + bitcast<f32>(other.w);
    return dot(apart, apart) < limit * limit;
}

// Whether a cluster counts: two fixed molecules have the highest bit in common, one molecule has all.
fn is_wanted(owner: u32, ids: vec2<u32>) -> bool {
    return (ids.y != owner || scene.inside != 0u) && (ids.y & owner & 0x80000000u) == 0u;
}

fn take(search: ptr<function, Search>, place: u32, local: u32) {
    let ids = sorted_ids[place];
    if (!is_wanted((*search).owner, ids)) { return; }
    if ((*search).at != NOWHERE) {
        list[(*search).at + (*search).count] = ids.x;
    } else if ((*search).count < KEPT) {
        found[(*search).count * THREADS + local] = ids.x;
    }
    (*search).count++;
}

// Looks at a row of cells, four clusters at a time so that their reads overlap.
fn look(search: ptr<function, Search>, begin: u32, end: u32, local: u32) {
    for (var place = begin; place < end; place += 4u) {
        let last = end - 1u;
        let a = sorted[place];
        let b = sorted[min(place + 1u, last)];
        let c = sorted[min(place + 2u, last)];
        let d = sorted[min(place + 3u, last)];
        var close = select(0u, 1u, is_close(search, a)) | select(0u, 2u, is_close(search, b))
            | select(0u, 4u, is_close(search, c)) | select(0u, 8u, is_close(search, d));
        // Beyond the end the last one was looked at again.
        close &= 0xfu >> (4u - min(end - place, 4u));
        while (close != 0u) {
            take(search, place + firstTrailingBit(close), local);
            close &= close - 1u;
        }
    }
}

fn look_around(search: ptr<function, Search>, local: u32) {
    let at = vec3<f32>((*search).origin) * ANGSTROMS;
    for (var level = 0u; level < scene.levels; level++) {
        let cells = scene.level[level].cells;
        let kind = scene.level[level].kind;
        // A little more than it must, for rounding.
        let far = ((*search).radius + scene.level[level].largest) * 1.0001 + 0.01;
        var low: vec3<i32>;
        var high: vec3<i32>;
        if (kind == PERIODIC) {
            let middle = fractional(at) * vec3<f32>(cells);
            let span = far / scene.widths.xyz * vec3<f32>(cells);
            low = vec3<i32>(floor(middle - span));
            high = vec3<i32>(floor(middle + span));
        } else {
            low = cell_at(level, at - far);
            high = cell_at(level, at + far);
        }
        if (kind == DENSE) {
            low = clamp(low, vec3<i32>(0), vec3<i32>(cells) - 1);
            high = clamp(high, vec3<i32>(0), vec3<i32>(cells) - 1);
        }
        // No cell twice, however small the table.
        high = min(high, low + vec3<i32>(cells) - 1);
        for (var z = low.z; z <= high.z; z++) {
            for (var y = low.y; y <= high.y; y++) {
                let row = scene.level[level].first
                    + (folded(kind, z, cells.z) * cells.y + folded(kind, y, cells.y)) * cells.x;
                let first = folded(kind, low.x, cells.x);
                let last = first + u32(high.x - low.x);
                look(search, starts[row + first], starts[row + min(last, cells.x - 1u) + 1u], local);
                // What goes beyond the end of the row begins anew.
                if (last >= cells.x) { look(search, starts[row], starts[row + last - cells.x + 1u], local); }
            }
        }
    }
}

@compute @workgroup_size(128)
fn search(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
          @builtin(local_invocation_index) local: u32) {
    if (local == 0u) {
        searching = select(0u, atomicLoad(&board[SEARCHING]), atomicLoad(&board[STOPPED]) == 0u);
        skin = bitcast<f32>(atomicLoad(&board[SKIN]));
    }
    if (workgroupUniformLoad(&searching) == 0u) { return; }
    let place = group_number(group, groups) * THREADS + local;
    let is_inside = place < scene.clusters;
    var own: Search;
    var cluster = 0u;
    if (is_inside) {
        let bound = sorted[place];
        let ids = sorted_ids[place];
        cluster = ids.x;
        // The other's radius is added later: this one brings the reach and the skin.
        own = Search(bound.xyz, bitcast<f32>(bound.w) + scene.reach + skin, ids.y, 0u, NOWHERE);
        if (is_searched(ids.y)) { look_around(&own, local); }
    }
    // Room for four at a time, because what the comparison finds of four is one word.
    let wanted = (own.count + 3u) & ~3u;
    sums[local] = wanted;
    workgroupBarrier();
    for (var step = 1u; step < THREADS; step <<= 1u) {
        var left = 0u;
        if (local >= step) { left = sums[local - step]; }
        workgroupBarrier();
        sums[local] += left;
        workgroupBarrier();
    }
    if (local == THREADS - 1u) { room = atomicAdd(&board[LISTED], sums[local]); }
    workgroupBarrier();
    if (!is_inside) { return; }
    let first = room + sums[local] - wanted;
    if (first + wanted > scene.list_room) {
        // The host makes more room and searches again; until then nothing moves.
        atomicMax(&board[HALTED], LIST_FULL);
        return;
    }
    near[cluster].z = first;
    near[cluster].w = (near[cluster].w & 0xf0000000u) | own.count;
    if (own.count <= KEPT) {
        for (var entry = 0u; entry < own.count; entry++) { list[first + entry] = found[entry * THREADS + local]; }
    } else {
        own.count = 0u;
        own.at = first;
        look_around(&own, local);
    }
}

// In a part of a larger scene only the molecules that it owns are searched for.
fn is_searched(owner: u32) -> bool {
    return (owner & 0x7fffffffu) < scene.owned;
}
