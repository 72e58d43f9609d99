// The near clusters of each cluster; each pair once, for the one that comes first in the order of the cells.
//
// How it works: a thread takes one cluster, in the order of the cells, and looks at the rows of cells that its sphere,
// the largest sphere of the level, the reach and the skin can join. Neighbouring threads look at neighbouring cells, so what one
// reads the next has at hand. No shared memory, because it would leave room for few threads. A cluster with more neighbours than
// there is room kept for looks again.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read> sorted: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read> sorted_ids: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> near: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> board: array<atomic<u32>>;

const THREADS: u32 = 128u;
// So many entries of the list are kept for each cluster; who needs more gets them behind.
const KEPT: u32 = 16u;
// Whether there is a search, and its skin: read by one thread for all, because what all write has to be fetched anew each time.
var<workgroup> searching: u32;
var<workgroup> skin: f32;
var<workgroup> sparse: u32;
// Places that a workgroup looks through for those that look around, if they are few.
const PLACES: u32 = 512u;
var<workgroup> lookers: array<u32, PLACES>;
var<workgroup> looking: atomic<u32>;
var<workgroup> all_looking: u32;

struct Search {
    origin: vec3<i32>,
    radius: f32,
    owner: u32,
    place: u32,                // in the order of the cells
    row: u32,                  // of cells, if there is one level; else none
    count: u32,
    at: u32,                   // where the entries go
    room: u32,                 // for so many
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

fn take(search: ptr<function, Search>, place: u32) {
    let ids = sorted_ids[place];
    if (!is_wanted((*search).owner, ids)) { return; }
    // Of two that both look around, the first one has the other on its list.
    if (place < (*search).place && looks_around(ids.y)) { return; }
    if ((*search).count < (*search).room) { set_entry((*search).at + (*search).count, ids.x); }
    (*search).count++;
}

// Looks at a row of cells, four clusters at a time so that their reads overlap.
fn look(search: ptr<function, Search>, first: u32, end: u32) {
    var begin = first;
    if (scene.owned == scene.molecules && sparse == 0u) { begin = max(first, (*search).place); }
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
            take(search, place + firstTrailingBit(close));
            close &= close - 1u;
        }
    }
}

fn look_around(search: ptr<function, Search>) {
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
                // Whoever stands in an earlier row has this one on its list.
                if (row < (*search).row) { continue; }
                let first = folded(kind, low.x, cells.x);
                let last = first + u32(high.x - low.x);
                look(search, starts[row + first], starts[row + min(last, cells.x - 1u) + 1u]);
                // What goes beyond the end of the row begins anew.
                if (last >= cells.x) { look(search, starts[row], starts[row + last - cells.x + 1u]); }
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
        sparse = atomicLoad(&board[SPARSE]);
        atomicStore(&looking, 0u);
    }
    if (workgroupUniformLoad(&searching) == 0u) { return; }
    let number = group_number(group, groups);
    if (workgroupUniformLoad(&sparse) == 0u) {
        if (number * THREADS + local < scene.clusters) { list_near(number * THREADS + local); }
        return;
    }
    // Few look around: the first workgroups find them, so that no thread waits for its neighbours.
    for (var place = number * PLACES + local; place < min((number + 1u) * PLACES, scene.clusters); place += THREADS) {
        let ids = sorted_ids[place];
        if (looks_around(ids.y)) {
            lookers[atomicAdd(&looking, 1u)] = place;
        } else {
            near[ids.x].w &= 0xf0000000u;
        }
    }
    workgroupBarrier();
    if (local == 0u) { all_looking = atomicLoad(&looking); }
    let all = workgroupUniformLoad(&all_looking);
    for (var at = local; at < all; at += THREADS) { list_near(lookers[at]); }
}

// Lists what is near the cluster in a place of the order of the cells.
fn list_near(place: u32) {
    let bound = sorted[place];
    let ids = sorted_ids[place];
    let cluster = ids.x;
    var own: Search;
    own.origin = bound.xyz;
    // The other's radius is added later: this one brings the reach and the skin.
    own.radius = bitcast<f32>(bound.w) + scene.reach + skin;
    own.owner = ids.y;
    own.place = place;
    own.row = own_row(bound.xyz);
    own.at = cluster * KEPT;
    own.room = KEPT;
    if (looks_around(ids.y)) { look_around(&own); }
    if (own.count > KEPT) {
        // Lists begin with the first of four.
        own.at = scene.clusters * KEPT + atomicAdd(&board[LISTED], (own.count + 3u) & ~3u);
        own.room = own.count;
        if (own.at + own.count > scene.list_room) {
            // The host makes more room and searches again; until then nothing moves.
            atomicMax(&board[HALTED], LIST_FULL);
            return;
        }
        own.count = 0u;
        look_around(&own);
    }
    near[cluster].z = own.at;
    near[cluster].w = (near[cluster].w & 0xf0000000u) | own.count;
}

// The first entry of the own row of cells, before which nothing has to be looked for; with several levels, or where some
// do not look around, there is no such row.
fn own_row(origin: vec3<i32>) -> u32 {
    if (scene.levels > 1u || scene.owned < scene.molecules || sparse != 0u) { return 0u; }
    let cells = scene.level[0].cells;
    let kind = scene.level[0].kind;
    let cell = cell_of(0u, origin);
    return (folded(kind, cell.z, cells.z) * cells.y + folded(kind, cell.y, cells.y)) * cells.x;
}

// In a part of a larger scene only the molecules that it owns look around; in a sparse search only those that are alert.
fn looks_around(owner: u32) -> bool {
    if (sparse != 0u) { return (owner & ALERT_OWNER) != 0u; }
    return (owner & NUMBER) < scene.owned;
}
