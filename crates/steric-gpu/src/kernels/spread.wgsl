// What touches, in the order of molecules.
//
// How it works: a molecule knows how many pairs of clusters it has that touch, and gets room to list them, and batches of at
// most 128 to be answered. Then each pair writes itself down for both molecules, where it has asked for a place.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read> tiles: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
@group(0) @binding(3) var<storage, read_write> firsts: array<u32>;
// A molecule, and a range of its list.
@group(0) @binding(4) var<storage, read_write> batches: array<vec4<u32>>;
// Twice the number of a pair; whether the own cluster is the second of it; whether the other molecule is fixed.
@group(0) @binding(5) var<storage, read_write> lists: array<u32>;
@group(0) @binding(6) var<storage, read_write> board: array<u32>;
@group(0) @binding(7) var<uniform> share: Share;
// Of each share: pairs of clusters that touch, their places on lists, batches.
@group(0) @binding(8) var<storage, read_write> cursors: array<atomic<u32>>;

const NOWHERE: u32 = 0xffffffffu;
const BATCH: u32 = 128u;

var<workgroup> is_halted: u32;
var<workgroup> wanted: atomic<u32>;
var<workgroup> wanted_batches: atomic<u32>;
var<workgroup> room: vec2<u32>;

@compute @workgroup_size(256)
fn allot(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    if (local == 0u) {
        is_halted = board[HALTED];
        if (atomicLoad(&cursors[tiles_of(share.number)]) > share.tile_room) {
            // The host makes more room and compares again; until then nothing moves.
            is_halted = CONTACTS_FULL;
            board[HALTED] = CONTACTS_FULL;
        }
        atomicStore(&wanted, 0u);
        atomicStore(&wanted_batches, 0u);
    }
    if (workgroupUniformLoad(&is_halted) != 0u) { return; }
    let molecule = group_number(group, groups) * 256u + local;
    var count = 0u;
    var first = 0u;
    var batch = 0u;
    if (molecule < scene.molecules) {
        count = counts[molecule];
        if (count > 0u) {
            counts[molecule] = 0u;
            first = atomicAdd(&wanted, count);
            batch = atomicAdd(&wanted_batches, (count + BATCH - 1u) / BATCH);
        }
    }
    workgroupBarrier();
    if (local == 0u) {
        let all = atomicLoad(&wanted);
        room = vec2<u32>(0u);
        if (all > 0u) {
            room = vec2<u32>(atomicAdd(&cursors[places_of(share.number)], all),
                             atomicAdd(&cursors[batches_of(share.number)], atomicLoad(&wanted_batches)));
        }
    }
    let begin = workgroupUniformLoad(&room);
    if (count == 0u) { return; }
    first += begin.x;
    batch += begin.y;
    firsts[molecule] = first;
    for (var at = 0u; at < count; at += BATCH) {
        batches[batch] = vec4<u32>(molecule, first + at, first + min(at + BATCH, count), 0u);
        batch++;
    }
}

var<workgroup> tile_count: u32;

@compute @workgroup_size(64)
fn spread(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
          @builtin(local_invocation_index) local: u32) {
    if (local == 0u) {
        tile_count = select(0u, atomicLoad(&cursors[tiles_of(share.number)]), board[HALTED] == 0u);
    }
    let all = workgroupUniformLoad(&tile_count);
    let step = groups.x * groups.y * 64u;
    for (var tile = group_number(group, groups) * 64u + local; tile < all; tile += step) {
        let places = tiles[2u * tile + 1u];
        let is_fixed = select(vec2<u32>(0u), vec2<u32>(OTHER_IS_FIXED), places.yx == vec2<u32>(NOWHERE));
        if (places.x != NOWHERE) { lists[firsts[places.z] + places.x] = (2u * tile) | is_fixed.x; }
        if (places.y != NOWHERE) { lists[firsts[places.w] + places.y] = (2u * tile + 1u) | is_fixed.y; }
    }
}
