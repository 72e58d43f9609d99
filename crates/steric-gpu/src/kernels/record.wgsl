// What overlaps and constraints ask of a molecule, added up in records. Needs `records`.
//
// How it works: an atom's contacts are added up as whole numbers, because then their order does not matter: the pushes G, and for
// Newton the sum N of the normals' products. The arm of the atom makes of these what its molecule is asked for: with the
// coordinates (shift, gyration x turn) a contact is a row J = (n, arm x n / gyration), g = sum J depth and H = sum J J^T, which
// is (G, arm x G) and the four blocks N, [arm] N, N [arm]^T and [arm] N [arm]^T. Each thread puts its 32 words on the desk;
// then a thread adds up four words of all atoms of one cluster, and the first cluster of a molecule in a unit of 32
// threads takes in the others and puts down the record.

const SQUARES: f32 = 262144.0; // whole steps in a unit of N
const STEPS: f32 = 1048576.0;  // whole steps in an angstrom of depth

// What an atom is asked for.
struct Sums {
    push: vec3<i32>,
    squares: vec3<i32>,        // xx, yy, zz of N; for the thesis's law the sum of directions
    products: vec3<i32>,       // xy, xz, yz
    contacts: u32,
    overlaps: u32,
    depth: u32,
    deepest: f32,
    warmth: u32,               // for walls: 1 if one is broken
}

fn no_sums() -> Sums {
    return Sums(vec3<i32>(0), vec3<i32>(0), vec3<i32>(0), 0u, 0u, 0u, 0.0, 0u);
}

// Asks an atom to go so far along a direction.
fn ask(sums: ptr<function, Sums>, normal: vec3<f32>, push: f32) {
    // What the thesis's law asks of two atoms in one place has no limit; a number of 32 bits has one.
    (*sums).push += vec3<i32>(normal * (clamp(push, -law.most_push, law.most_push) * law.scale));
    if (RESPONSE == NEWTON) {
        (*sums).squares += vec3<i32>(normal * normal * SQUARES);
        (*sums).products += vec3<i32>(vec3<f32>(normal.x * normal.y, normal.x * normal.z, normal.y * normal.z) * SQUARES);
    }
}

// Half a record for each thread, and one word of four more so that no two threads meet in a memory bank.
const COLUMN: u32 = 5u;
const QUADS: u32 = 8u;
var<workgroup> desk: array<vec4<u32>, 320>;
// For the first thread of each cluster: the record it begins, NO_RECORD, or CONTINUED.
var<workgroup> targets: array<u32, 64>;
const NO_RECORD: u32 = 0xffffffffu;
const CONTINUED: u32 = 0xfffffffeu;

fn words(a: f32, b: f32, c: f32, d: f32) -> vec4<u32> { return bitcast<vec4<u32>>(vec4<f32>(a, b, c, d)); }

fn joined(quad: u32, a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    // Depths are not negative, so their bits are in the order of their values.
    if (quad == 7u) { return vec4<u32>(a.xy + b.xy, max(a.zw, b.zw)); }
    let sum = bitcast<vec4<u32>>(bitcast<vec4<f32>>(a) + bitcast<vec4<f32>>(b));
    return vec4<u32>(sum.xyz, select(sum.w, a.w + b.w, quad == 6u));
}

// Adds up half of the records of a workgroup, four words of four at a time.
fn file_half(half: u32, stamp: u32, a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>, local: u32, lanes: u32) {
    workgroupBarrier();
    desk[local * COLUMN] = a;
    desk[local * COLUMN + 1u] = b;
    desk[local * COLUMN + 2u] = c;
    desk[local * COLUMN + 3u] = d;
    workgroupBarrier();
    let clusters = 64u / lanes;
    for (var output = local; output < clusters * 4u; output += 64u) {
        let column = (output / 4u) * lanes;
        let at = output % 4u;
        var sum = desk[column * COLUMN + at];
        for (var lane = 1u; lane < lanes; lane++) {
            sum = joined(half + at, sum, desk[(column + lane) * COLUMN + at]);
        }
        desk[column * COLUMN + at] = sum;
    }
    workgroupBarrier();
    for (var output = local; output < clusters * 4u; output += 64u) {
        let column = (output / 4u) * lanes;
        let at = output % 4u;
        let record = targets[column];
        if (record >= CONTINUED) { continue; }
        var sum = desk[column * COLUMN + at];
        let end = (column & 32u) + 32u;
        for (var next = column + lanes; next < end; next += lanes) {
            if (targets[next] != CONTINUED) { break; }
            sum = joined(half + at, sum, desk[next * COLUMN + at]);
        }
        // The stamp says in which iteration there were contacts.
        if (half + at == 6u) { sum.w = min(sum.w, 0xffffu) | stamp; }
        records[record * QUADS + half + at] = sum;
    }
}

// Makes of what the atoms are asked for what their molecules are asked for, and puts down records. All threads come here.
fn file_records(sums: Sums, arm: vec3<f32>, inverse_gyration: f32, iteration: u32, local: u32, lanes: u32) {
    let push = vec3<f32>(sums.push) * (1.0 / law.scale);
    let n = vec3<f32>(sums.squares) * (1.0 / SQUARES);
    let seen = vec4<u32>(sums.overlaps, sums.depth, bitcast<u32>(sums.deepest), sums.warmth);
    let contacts = sums.contacts;
    if (RESPONSE == NEWTON) {
        let lever = arm * inverse_gyration;
        let turn = cross(lever, push);
        let p = vec3<f32>(sums.products) * (1.0 / SQUARES);
        // The columns of [arm] N; then the rows of [arm] N [arm]^T.
        let x = cross(lever, vec3<f32>(n.x, p.x, p.y));
        let y = cross(lever, vec3<f32>(p.x, n.y, p.z));
        let z = cross(lever, vec3<f32>(p.y, p.z, n.z));
        let first = cross(lever, vec3<f32>(x.x, y.x, z.x));
        let second = cross(lever, vec3<f32>(x.y, y.y, z.y));
        let third = cross(lever, vec3<f32>(x.z, y.z, z.z));
        file_half(0u, 0u, words(push.x, push.y, push.z, turn.x), words(turn.y, turn.z, n.x, p.x), words(n.y, p.y, p.z, n.z),
                  words(x.x, y.x, z.x, first.x), local, lanes);
        file_half(4u, iteration << 16u, words(x.y, y.y, z.y, second.x), words(second.y, x.z, y.z, z.z),
                  vec4<u32>(bitcast<vec3<u32>>(third), contacts), seen, local, lanes);
    } else {
        // The thesis turns by the directions alone; projection by the pushes.
        let turn = cross(arm, select(push, n, RESPONSE == THESIS));
        file_half(0u, 0u, words(push.x, push.y, push.z, turn.x), words(turn.y, turn.z, 0.0, 0.0), vec4<u32>(0u), vec4<u32>(0u),
                  local, lanes);
        file_half(4u, iteration << 16u, vec4<u32>(0u), vec4<u32>(0u), vec4<u32>(0u, 0u, 0u, contacts), seen, local, lanes);
    }
}
