// What the contacts ask of molecules.
//
// How it works: a workgroup takes the list of one molecule, or a part of it, 64 pairs of clusters at a time. Each thread looks up
// what the contacts of one pair have in common, and writes down which of its atoms touch; then each thread takes every 64th
// contact. So no thread waits for another that has more to do, and what the contacts ask for stays in the thread until all
// are answered. The workgroups walk along all batches together, because how many there are is known here alone.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> law: Law;
@group(0) @binding(3) var<storage, read> clusters: array<vec4<i32>>;
@group(0) @binding(4) var<storage, read> bodies: array<Body>;
@group(0) @binding(5) var<storage, read> moods: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> board: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read> tiles: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read> lists: array<u32>;
@group(0) @binding(10) var<storage, read> batches: array<vec4<u32>>;
@group(0) @binding(11) var<uniform> share: Share;
@group(0) @binding(12) var<storage, read> cursors: array<u32>;

const THREADS: u32 = 64u;
const PASSED_ON: u32 = 2u;
// More contacts are not added up in one word of a sum.
const MOST_ROWS: u32 = 4096u;

// What all threads have to know, read by one of them.
struct Now {
    batches: u32,
    is_disturbed: u32,
    is_early: u32,
}
var<workgroup> now: Now;

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

// The molecule whose contacts are answered.
struct Own {
    number: u32,
    mood: u32,
    mobility: f32,
    inverse_reach: f32,
    // What the overlaps among its contacts come to; counted from both sides, unless the other side does not count.
    overlaps: u32,
    depth: u32,
}

// Shared memory is scarce: the less a workgroup has, the more of them run at once.
//
// Of each pair of clusters: its number, whether the own cluster is the second of it, and whether the other molecule is fixed.
var<workgroup> entries_now: array<u32, 64>;
// Where its contacts lean to, and how much at least.
override LEANS: u32 = select(64u, 1u, RESPONSE == THESIS);
var<workgroup> leans: array<vec4<f32>, LEANS>;
// How much of a push is the own molecule's.
override PARTS: u32 = select(1u, 64u, RESPONSE == NEWTON);
var<workgroup> parts: array<f32, PARTS>;
// Which pair, in six bits, and which atoms of it, three bits for each.
override CODES: u32 = select(256u, 512u, RESPONSE == THESIS);
var<workgroup> codes: array<u32, CODES>;
var<workgroup> coded: atomic<u32>;
var<workgroup> all_coded: u32;

// Looks up what the contacts of a pair of clusters have in common, and gives the bits of those contacts.
fn look_up(own: Own, entry: u32, local: u32, sums: ptr<function, Sums>) -> vec2<u32> {
    let tile = tiles[entry & TILE];
    let other = other_of(entry);
    let other_mood = moods[other].w;
    entries_now[local] = entry;
    (*sums).warmth = max((*sums).warmth, max(warmth(other_mood), PASSED_ON) - PASSED_ON);
    if (RESPONSE == NEWTON) {
        // The lighter of two goes the longer way, but never much more than all of it.
        parts[local] = min(2.0 * own.mobility / max(own.mobility + bodies[other].mobility, 1e-30), 1.6);
    }
    if (RESPONSE != THESIS) {
        let both = min(dirty_for(own.mood), dirty_for(other_mood));
        let stuck = min(f32(max(both, law.bias_after) - law.bias_after) * law.ramp, 1.0);
        var lean = vec4<f32>(0.0);
        if (now.is_early != 0u || stuck > 0.0) {
            // Both sides have to see the same line: that of the one who comes first.
            let membrane = bitcast<vec3<f32>>(moods[min(own.number, other)].xyz);
            let along = along_membrane(centers_apart(own.number, other), membrane) * law.bias;
            lean = vec4<f32>(along, stuck);
        }
        leans[local] = lean;
    }
    return tile.zw;
}

// The other molecule of a pair of clusters.
fn other_of(entry: u32) -> u32 {
    let owners = tiles[(entry & TILE) + 1u].zw;
    return select(owners.y, owners.x, (entry & 1u) != 0u) & 0x7fffffffu;
}

// What has to be fetched for a contact.
struct Contact {
    code: u32,
    entry: u32,
    first: vec4<f32>,
    second: vec4<f32>,
    first_origin: vec3<i32>,
    second_origin: vec3<i32>,
}

fn fetched(code: u32) -> Contact {
    let entry = entries_now[code >> 6u];
    let tile = tiles[entry & TILE].xy;
    return Contact(code, entry, atom_at(tile.x * LANES + ((code >> 3u) & 7u)), atom_at(tile.y * LANES + (code & 7u)),
                   clusters[tile.x].xyz, clusters[tile.y].xyz);
}

fn answer(own: ptr<function, Own>, contact: Contact, sums: ptr<function, Sums>) {
    let code = contact.code;
    let entry = contact.entry;
    let first = contact.first;
    let second = contact.second;
    let is_second = (entry & 1u) != 0u;
    let from_second = first.xyz + between(contact.first_origin, contact.second_origin) - second.xyz;
    let apart = select(from_second, -from_second, is_second);
    let origin = select(contact.first_origin, contact.second_origin, is_second);
    let arm = arm_of(select(first.xyz, second.xyz, is_second), origin, (*own).number);
    let squared = dot(apart, apart);
    let inverse = inverseSqrt(max(squared, 1e-12));
    let distance = squared * inverse;
    let radii = select(2.0 * scene.radius, first.w + second.w, MIXED);
    let limit = radii + law.reach;
    let depth = limit - distance;
    let unclear = radii + law.overlap + select(0.0, law.clearance, now.is_disturbed != 0u) - distance;
    var normal = apart * inverse;
    if (squared < 1e-8) {
        let other = other_of(entry);
        normal = way_out(centers_apart((*own).number, other), (*own).number, other);
    }
    if (RESPONSE != THESIS) {
        let lean = leans[code >> 6u];
        if (now.is_early != 0u || (lean.w > 0.0 && unclear > 0.0)) {
            let leaning = normal + lean.xyz * max(depth / limit, lean.w);
            let span = dot(leaning, leaning);
            if (span > 0.01) { normal = leaning * inverseSqrt(span); }
        }
    }
    let lever = cross(arm, normal);
    var push = 0.0;
    if (RESPONSE == NEWTON) {
        push = depth * parts[code >> 6u];
    } else if (RESPONSE == PROJECTION) {
        let other = other_of(entry);
        let other_lever = cross(arm - apart + centers_apart((*own).number, other), normal);
        let total = (*own).mobility + dot(lever, turn_of((*own).number, lever))
            + bodies[other].mobility + dot(other_lever, turn_of(other, other_lever));
        push = depth * (*own).mobility / max(total, 1e-30);
    } else {
        push = law.force / max(squared + dot(arm, arm), 1e-6);
    }
    ask(sums, normal, lever * (*own).inverse_reach, push, 1.0);
    (*sums).deepest = max((*sums).deepest, unclear);
    // By squares, as everywhere else, so that the count is that of a search.
    let contact_at = radii + law.overlap;
    if (contact_at > 0.0 && squared < contact_at * contact_at) {
        let sides = select(1u, 2u, (entry & OTHER_IS_FIXED) != 0u);
        (*own).overlaps += sides;
        (*own).depth += u32(max(contact_at - distance, 0.0) * STEPS) * sides;
    }
}

@compute @workgroup_size(64)
fn answer_all(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) local: u32) {
    if (local == 0u) {
        let all = cursors[batches_of(share.number)];
        now.batches = select(0u, all, atomicLoad(&board[HALTED]) == 0u);
        now.is_disturbed = atomicLoad(&board[DISTURBED]);
        now.is_early = select(0u, 1u, atomicLoad(&board[ITERATION]) < law.bias_iterations);
    }
    let all = workgroupUniformLoad(&now).batches;
    var own: Own;
    let step = groups.x * groups.y;
    var number = group_number(group, groups);
    var next = vec4<u32>(0u);
    if (number < all) { next = batches[number]; }
    for (; number < all; number += step) {
        let batch = next;
        // What comes next is fetched while this is answered.
        if (number + step < all) { next = batches[number + step]; }
        own.number = batch.x;
        own.mood = moods[batch.x].w;
        own.mobility = bodies[batch.x].mobility;
        own.inverse_reach = bodies[batch.x].inverse_reach;
        var sums = no_sums();
        var answered = 0u;
        for (var first = batch.y; first < batch.z; first += THREADS) {
            if (local == 0u) { atomicStore(&coded, 0u); }
            workgroupBarrier();
            var bits = vec2<u32>(0u);
            var place = 0u;
            if (first + local < batch.z) {
                bits = look_up(own, lists[first + local], local, &sums);
                place = atomicAdd(&coded, countOneBits(bits.x) + countOneBits(bits.y));
            }
            workgroupBarrier();
            if (local == 0u) { all_coded = atomicLoad(&coded); }
            let contacts = workgroupUniformLoad(&all_coded);
            answered += contacts;
            if (answered > MOST_ROWS) {
                file(sums, own.number, local);
                sums = no_sums();
                answered = contacts;
            }
            for (var begin = 0u; begin < contacts; begin += CODES) {
                // The threads write down as many contacts as there is room for.
                while (bits.x != 0u && place < begin + CODES) {
                    codes[place - begin] = (local << 6u) | firstTrailingBit(bits.x);
                    bits.x &= bits.x - 1u;
                    place++;
                }
                while (bits.y != 0u && place < begin + CODES) {
                    codes[place - begin] = (local << 6u) | 32u | firstTrailingBit(bits.y);
                    bits.y &= bits.y - 1u;
                    place++;
                }
                workgroupBarrier();
                let end = min(contacts - begin, CODES);
                for (var at = local; at < end; at += THREADS) { answer(&own, fetched(codes[at]), &sums); }
                workgroupBarrier();
            }
        }
        file(sums, own.number, local);
    }
    if (local < 3u) { atomicStore(&totals[local], 0u); }
    workgroupBarrier();
    if (own.overlaps > 0u) {
        atomicAdd(&totals[0], own.overlaps);
        let before = atomicAdd(&totals[1], own.depth);
        if (before + own.depth < before) { atomicAdd(&totals[2], 1u); }
    }
    workgroupBarrier();
    if (local != 0u || atomicLoad(&totals[0]) == 0u) { return; }
    add_long(OVERLAPS, atomicLoad(&totals[0]), 0u);
    add_long(DEPTH, atomicLoad(&totals[1]), atomicLoad(&totals[2]));
}

fn add_long(word: u32, low: u32, high: u32) {
    let before = atomicAdd(&board[word], low);
    atomicAdd(&board[word + 1u], high + select(0u, 1u, before + low < before));
}
