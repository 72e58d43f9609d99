// What contacts and constraints ask of molecules, added up in records: one for each molecule.
//
// How it works: what is asked for is added up as whole numbers, because their sum does not depend on the order in which they
// come. Newton's are g = J depth and the lower triangle of H = J J^T, where J = (n, arm x n / farthest arm); the others
// have a shift and a turn. Each thread adds up its own contacts with one molecule; then all threads of a workgroup together,
// and each of them adds one word to the record: the low bits of the sum and, half a record behind, the rest.

// Whole steps in an angstrom of depth: so coarse that a thread cannot meet as many overlaps as do not fit in a word.
const STEPS: f32 = 4096.0;
// So large that the last bits of a sum with it are a whole number, and those bits for nothing.
const LARGE: f32 = 12582912.0;
const LARGE_BITS: u32 = 0x4b400000u;

// The words of a record. Each row that was asked for has left `LARGE_BITS` too much in every word of a to g.
struct Sums {
    a: vec4<u32>,
    b: vec4<u32>,
    c: vec4<u32>,
    d: vec4<u32>,
    e: vec4<u32>,
    f: vec4<u32>,
    g: vec4<u32>,
    rows: u32,
    deepest: f32,
    warmth: u32,
    is_broken: u32,
}

fn no_sums() -> Sums {
    let none = vec4<u32>(0u);
    return Sums(none, none, none, none, none, none, none, 0u, 0.0, 0u, 0u);
}

fn fixed(values: vec4<f32>) -> vec4<u32> { return bitcast<vec4<u32>>(values + LARGE); }

// Asks for a push along a normal. The lever is the arm x normal, by the length of the farthest arm; the turn is a push along it.
fn ask(sums: ptr<function, Sums>, normal: vec3<f32>, lever: vec3<f32>, push: f32, turn: f32) {
    // What the thesis's law asks of two atoms in one place has no limit; a whole number has one.
    let p = clamp(push, -law.most_push, law.most_push) * law.scale;
    (*sums).rows++;
    if (RESPONSE == NEWTON) {
        let n = normal;
        let l = lever;
        let ns = n * SQUARES;
        let ls = l * SQUARES;
        (*sums).a += fixed(vec4<f32>(n * p, l.x * p));
        (*sums).b += fixed(vec4<f32>(l.yz * p, ns.x * n.x, ns.y * n.x));
        (*sums).c += fixed(vec4<f32>(ns.y * n.y, ns.z * n));
        (*sums).d += fixed(vec4<f32>(ls.x * n, ls.x * l.x));
        (*sums).e += fixed(vec4<f32>(ls.y * n, ls.y * l.x));
        (*sums).f += fixed(vec4<f32>(ls.y * l.y, ls.z * n));
        (*sums).g += fixed(vec4<f32>(ls.z * l, 0.0));
    } else {
        let t = select(p, turn * SQUARES, RESPONSE == THESIS);
        (*sums).a += fixed(vec4<f32>(normal * p, lever.x * t));
        (*sums).b += fixed(vec4<f32>(lever.yz * t, 0.0, 0.0));
    }
}

var<workgroup> totals: array<atomic<u32>, 32>;

fn tell(word: u32, sum: vec4<u32>) {
    atomicAdd(&totals[word], sum.x);
    atomicAdd(&totals[word + 1u], sum.y);
    atomicAdd(&totals[word + 2u], sum.z);
    atomicAdd(&totals[word + 3u], sum.w);
}

// Adds the sums of all threads of a workgroup, 32 or more, to the record of a molecule. All threads come here; those that have
// nothing to say have no sums.
fn file(sums: Sums, owner: u32, local: u32) {
    if (local < 32u) { atomicStore(&totals[local], 0u); }
    workgroupBarrier();
    let speaks = is_speaker();
    let too_much = sums.rows * LARGE_BITS;
    let a = sum_of(sums.a - too_much);
    let b = sum_of(sums.b - too_much);
    let most = most_of(vec4<u32>(bitcast<u32>(sums.deepest), sums.warmth, sums.is_broken, 0u));
    let rows = sum_of(vec4<u32>(sums.rows, 0u, 0u, 0u)).x;
    if (RESPONSE == NEWTON) {
        let c = sum_of(sums.c - too_much);
        let d = sum_of(sums.d - too_much);
        let e = sum_of(sums.e - too_much);
        let f = sum_of(sums.f - too_much);
        let g = sum_of(sums.g - too_much);
        if (speaks) {
            tell(8u, c);
            tell(12u, d);
            tell(16u, e);
            tell(20u, f);
            tell(24u, vec4<u32>(g.xyz, 0u));
        }
    }
    if (speaks) {
        tell(0u, a);
        tell(4u, select(vec4<u32>(b.xy, 0u, 0u), b, RESPONSE == NEWTON));
        atomicAdd(&totals[SUMS], rows);
        atomicMax(&totals[SUMS + 1u], most.x);
        atomicMax(&totals[SUMS + 2u], most.y);
        atomicMax(&totals[SUMS + 3u], most.z);
    }
    workgroupBarrier();
    let total = atomicLoad(&totals[local % 32u]);
    let record = owner * 2u * ROW;
    if (local < SUMS) {
        let value = bitcast<i32>(total);
        add_to_record(record + local, total & ((1u << LOW_BITS) - 1u));
        add_to_record(record + ROW + local, bitcast<u32>(value >> LOW_BITS));
    } else if (local == SUMS) {
        add_to_record(record + local, total);
    } else if (local <= SUMS + 3u) {
        if (total != 0u) { raise_record(record + local, total); }
    }
    workgroupBarrier();
}
