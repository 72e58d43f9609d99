// One step of every molecule: from its records and its constraints to a motion.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> law: Law;
@group(0) @binding(2) var<storage, read> bodies: array<Body>;
@group(0) @binding(3) var<storage, read_write> moods: array<vec4<u32>>;
// Four for each molecule: the momentum's shift and how far the molecule has come since the list was made; the momentum's
// turn and whether the next motion is a jolt that the host has chosen; the shift and the turn that are to be done.
@group(0) @binding(4) var<storage, read_write> motions: array<vec4<f32>>;
// Three for each molecule: where it started, if that holds it.
@group(0) @binding(5) var<storage, read> starts: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> holds: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read> shapes: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> board: array<atomic<u32>>;

const HOT: u32 = 8u;
// If someone moves farther, a list with a skin would not last: a little where few look around for a new one, much where all do.
const SOON: vec2<f32> = vec2<f32>(0.6, 0.15);
const BROKEN_SHIFT: f32 = 0.1;
const BROKEN_REGION: f32 = 0.01;
const BEHIND_WALL: f32 = 0.05;
const BROKEN_TURN: f32 = 0.017453292;

const SURFACE: u32 = 0u;
const START: u32 = 1u;
const REGION: u32 = 2u;
const INSIDE: u32 = 0u;
const OUTSIDE: u32 = 1u;

struct Held {
    normal: vec3<f32>,
    is_broken: bool,
    pulls: u32,
}

// A symmetric matrix: its diagonal, and xy, xz, yz.
struct Symmetric {
    diagonal: vec3<f32>,
    beside: vec3<f32>,
}

// What a molecule is asked for: g and, for Newton, the blocks of H; else a shift and a turn.
struct Sums {
    shift: vec3<f32>,
    turn: vec3<f32>,
    shifts: Symmetric,
    across: mat3x3<f32>,       // a column for each part of the turn
    turns: Symmetric,
}

var<private> sums: Sums;
var<private> held: Held;
var<private> own: Body;
var<private> number: u32;

fn hold_floats(word: u32) -> vec4<f32> { return bitcast<vec4<f32>>(holds[word]); }

fn add_lever(normal: vec3<f32>, lever: vec3<f32>, depth: f32) {
    add_motion(normal * depth, lever * depth);
    sums.shifts = with_square(sums.shifts, normal);
    sums.turns = with_square(sums.turns, lever);
    sums.across += mat3x3<f32>(normal * lever.x, normal * lever.y, normal * lever.z);
}

fn with_square(matrix: Symmetric, row: vec3<f32>) -> Symmetric {
    return Symmetric(matrix.diagonal + row * row, matrix.beside + row.xxy * row.yzz);
}

fn add_motion(shift: vec3<f32>, turn: vec3<f32>) {
    sums.shift += shift;
    sums.turn += turn;
}

// A point of the molecule has to go so far along a direction.
fn pull_point(arm: vec3<f32>, direction: vec3<f32>, depth: f32) {
    held.pulls++;
    if (RESPONSE == NEWTON) {
        add_lever(direction, cross(arm, direction) * own.inverse_gyration, depth);
    } else if (RESPONSE == PROJECTION) {
        let lever = cross(arm, direction);
        let turn = turn_of(number, lever);
        let push = depth / (own.mobility + dot(lever, turn));
        // A record's turn is not yet divided by the inertia.
        add_motion(direction * (push * own.mobility), lever * (push * own.mobility));
    } else {
        add_motion(direction * (depth * law.spring), vec3<f32>(0.0));
    }
}

fn shift_back(arm: vec3<f32>, direction: vec3<f32>, deviation: f32, leeway: f32) {
    let depth = abs(deviation) - leeway;
    if (depth > 0.0) {
        held.is_broken = held.is_broken || depth > BROKEN_SHIFT;
        pull_point(arm, direction * sign(deviation), depth);
    }
}

var<private> pulled_turn: vec3<f32>;

fn turn_back(axis: vec3<f32>, angle: f32, leeway: f32) {
    let depth = angle - leeway;
    if (depth <= 0.0) { return; }
    held.is_broken = held.is_broken || depth > BROKEN_TURN;
    held.pulls++;
    if (RESPONSE == NEWTON) {
        add_lever(vec3<f32>(0.0), axis, depth * own.gyration);
    } else {
        pulled_turn += axis * depth * select(1.0, law.spring_torque, RESPONSE == THESIS);
    }
}

fn any_across(axis: vec3<f32>) -> vec3<f32> {
    let least = abs(axis);
    var other = vec3<f32>(1.0, 0.0, 0.0);
    if (least.y < least.x && least.y <= least.z) { other = vec3<f32>(0.0, 1.0, 0.0); }
    if (least.z < least.x && least.z < least.y) { other = vec3<f32>(0.0, 0.0, 1.0); }
    return unit_or(cross(axis, other), vec3<f32>(1.0, 0.0, 0.0));
}

// The angle between two directions; the cosine alone is blind to small ones.
fn angle_between(a: vec3<f32>, b: vec3<f32>) -> f32 {
    return atan2(length(cross(a, b)), dot(a, b));
}

fn hold_on_surface(hold: u32, shape: u32, center: vec3<f32>) {
    let head = turned(own.rotation, hold_floats(hold + 1u).xyz);
    let at = surface_height(shape, center + head);
    shift_back(head, -at.xyz, at.w - hold_floats(hold + 1u).w, hold_floats(hold + 2u).w);
    let upright = surface_height(shape, center).xyz * hold_floats(hold + 3u).y;
    let axis = turned(own.rotation, hold_floats(hold + 2u).xyz);
    turn_back(unit_or(cross(axis, upright), any_across(axis)), angle_between(axis, upright), hold_floats(hold + 3u).x);
    held.normal = at.xyz;
}

fn hold_at_start(hold: u32, molecule: u32) {
    let whole = vec3<i32>(starts[3u * molecule].xyz);
    let back = vec3<f32>(whole - own.whole) + (bitcast<vec3<f32>>(starts[3u * molecule + 1u].xyz) - own.part);
    let away = length(back);
    shift_back(vec3<f32>(0.0), back / max(away, 1e-9), away, hold_floats(hold + 2u).w);
    // start x inverse of now: the turn back.
    let s = bitcast<vec4<f32>>(starts[3u * molecule + 2u]);
    let n = vec4<f32>(-own.rotation.xyz, own.rotation.w);
    var turn = vec4<f32>(s.w * n.xyz + n.w * s.xyz + cross(s.xyz, n.xyz), s.w * n.w - dot(s.xyz, n.xyz));
    if (turn.w < 0.0) { turn = -turn; }
    let half = length(turn.xyz);
    turn_back(turn.xyz / max(half, 1e-9), 2.0 * atan2(half, turn.w), hold_floats(hold + 3u).x);
}

fn hold_in_region(hold: u32, shape: u32, center: vec3<f32>) {
    let side = holds[hold].z;
    let points = holds[hold].w;
    let first = holds[hold + 3u].w;
    for (var point = first; point < first + points; point++) {
        let arm = turned(own.rotation, hold_floats(point).xyz);
        let at = region_distance(shape, center + arm);
        if (side != INSIDE && side != OUTSIDE) {
            shift_back(arm, -at.xyz, at.w, 0.0);
            continue;
        }
        let out = select(-1.0, 1.0, side == INSIDE);
        let beyond = at.w * out;
        held.is_broken = held.is_broken || beyond > 0.5 * BROKEN_REGION;
        let depth = beyond + BEHIND_WALL;
        if (depth > 0.0) { pull_point(arm, at.xyz * -out, depth); }
    }
}

fn hold_all(molecule: u32) {
    if (own.group == 0xffffffffu || own.mobility == 0.0) { return; }
    let group = holds[own.group];
    let center = vec3<f32>(own.whole) + own.part;
    for (var at = 0u; at < group.y; at++) {
        let hold = group.x + 4u * at;
        let kind = holds[hold].x;
        let shape = holds[hold].y;
        if (kind == SURFACE) { hold_on_surface(hold, shape, center); }
        if (kind == START) { hold_at_start(hold, molecule); }
        if (kind == REGION) { hold_in_region(hold, shape, center); }
    }
}

struct Motion {
    shift: vec3<f32>,
    turn: vec3<f32>,
}

// The lower triangle L of L L^T: one over its diagonal, and yx, zx, zy.
struct Root {
    inverse: vec3<f32>,
    beside: vec3<f32>,
}

fn root_of(matrix: Symmetric) -> Root {
    let x = inverseSqrt(max(matrix.diagonal.x, 1e-12));
    let yx = matrix.beside.x * x;
    let zx = matrix.beside.y * x;
    let y = inverseSqrt(max(matrix.diagonal.y - yx * yx, 1e-12));
    let zy = (matrix.beside.z - zx * yx) * y;
    let z = inverseSqrt(max(matrix.diagonal.z - zx * zx - zy * zy, 1e-12));
    return Root(vec3<f32>(x, y, z), vec3<f32>(yx, zx, zy));
}

// L^-1 v
fn forward(root: Root, v: vec3<f32>) -> vec3<f32> {
    let x = v.x * root.inverse.x;
    let y = (v.y - root.beside.x * x) * root.inverse.y;
    return vec3<f32>(x, y, (v.z - root.beside.y * x - root.beside.z * y) * root.inverse.z);
}

// L^-T v
fn backward(root: Root, v: vec3<f32>) -> vec3<f32> {
    let z = v.z * root.inverse.z;
    let y = (v.y - root.beside.z * z) * root.inverse.y;
    return vec3<f32>((v.x - root.beside.x * y - root.beside.y * z) * root.inverse.x, y, z);
}

// (H + damping tr(H)/6 I)^-1 g by Cholesky: the shifts first, then what they leave of the turns.
fn solved(damping: f32) -> Motion {
    let trace = dot(sums.shifts.diagonal + sums.turns.diagonal, vec3<f32>(1.0));
    if (trace <= 0.0) { return Motion(vec3<f32>(0.0), vec3<f32>(0.0)); }
    let more = damping * trace / 6.0 + 1e-6;
    let shifts = root_of(Symmetric(sums.shifts.diagonal + more, sums.shifts.beside));
    let shift = forward(shifts, sums.shift);
    let across = mat3x3<f32>(forward(shifts, sums.across[0]), forward(shifts, sums.across[1]), forward(shifts, sums.across[2]));
    let x = across[0];
    let y = across[1];
    let z = across[2];
    let turns = root_of(Symmetric(sums.turns.diagonal + more - vec3<f32>(dot(x, x), dot(y, y), dot(z, z)),
                                  sums.turns.beside - vec3<f32>(dot(x, y), dot(x, z), dot(y, z))));
    let turn = backward(turns, forward(turns, sums.turn - shift * across));
    return Motion(backward(shifts, shift - across * turn), turn);
}

fn asked(contacts: u32) -> Motion {
    if (RESPONSE == NEWTON) {
        let motion = solved(law.damping);
        return Motion(motion.shift * law.step, motion.turn * (law.step * own.inverse_gyration));
    }
    if (RESPONSE == THESIS) { return Motion(sums.shift, sums.turn * law.torque + pulled_turn); }
    let each = law.step / f32(max(contacts + held.pulls, 1u));
    return Motion(sums.shift * each, (turn_of(number, sums.turn) / own.mobility + pulled_turn) * each);
}

fn is_nothing(motion: Motion) -> bool { return all(motion.shift == vec3<f32>(0.0)) && all(motion.turn == vec3<f32>(0.0)); }

// What all molecules of a workgroup come to.
var<workgroup> totals: array<atomic<u32>, 7>;
const T_OVERLAPPING: u32 = 0u;
const T_BROKEN: u32 = 1u;
const T_AWAKE: u32 = 2u;
const T_MOVED: u32 = 3u;
const T_FAR: u32 = 4u;
const T_FARTHEST: u32 = 5u;
const T_DEEPEST: u32 = 6u;
var<workgroup> stale: atomic<u32>;

// What the contacts and walls of a molecule come to, beside the sums.
struct Seen {
    contacts: u32,
    deepest: f32,
    warmth: u32,
    is_broken: bool,
}

// Four sums, from both their words.
fn quad_of(record: u32, quad: u32) -> vec4<f32> {
    let low = vec4<f32>(record_at(record + quad));
    let high = vec4<f32>(bitcast<vec4<i32>>(record_at(record + ROW / 4u + quad)));
    return high * f32(1u << LOW_BITS) + low;
}

// Reads a record and empties it for the next iteration.
fn read_record(molecule: u32) -> Seen {
    let quads = ROW / 4u;
    let record = molecule * 2u * quads;
    let low_of_seen = record + SUMS / 4u;
    // Six sums and 27 leave different rests of four.
    let seen_low = record_at(low_of_seen);
    let seen_high = record_at(low_of_seen + 1u);
    var seen = Seen(seen_low.w, bitcast<f32>(seen_high.x), seen_high.y, seen_high.z != 0u);
    if (RESPONSE != NEWTON) { seen = Seen(seen_low.z, bitcast<f32>(seen_low.w), seen_high.x, seen_high.y != 0u); }
    if (seen.contacts == 0u) { return seen; }
    // From whole steps to angstroms; turns are measured by the farthest atom.
    let far = own.reach;
    let a = quad_of(record, 0u);
    let b = quad_of(record, 1u);
    sums.shift = a.xyz / law.scale;
    sums.turn = vec3<f32>(a.w, b.xy) * (far / select(law.scale, SQUARES, RESPONSE == THESIS));
    if (RESPONSE == NEWTON) {
        let lever = far * own.inverse_gyration;
        let once = lever / SQUARES;
        let twice = lever * once;
        let c = quad_of(record, 2u);
        let d = quad_of(record, 3u);
        let e = quad_of(record, 4u);
        let f = quad_of(record, 5u);
        let g = quad_of(record, 6u);
        sums.turn *= own.inverse_gyration;
        // The rows of the lower triangle, one after the other.
        sums.shifts = Symmetric(vec3<f32>(b.z, c.x, c.w) / SQUARES, vec3<f32>(b.w, c.yz) / SQUARES);
        sums.across = mat3x3<f32>(d.xyz * once, e.xyz * once, f.yzw * once);
        sums.turns = Symmetric(vec3<f32>(d.w, f.x, g.z) * twice, vec3<f32>(e.w, g.xy) * twice);
    }
    for (var quad = 0u; quad * 4u <= SUMS + 3u; quad++) { set_record(record + quad, vec4<u32>(0u)); }
    for (var quad = 0u; quad * 4u < SUMS; quad++) { set_record(record + quads + quad, vec4<u32>(0u)); }
    return seen;
}

fn step_one(molecule: u32) {
    let mood = moods[molecule].w;
    let was_awake = is_awake(mood) || atomicLoad(&board[ALL_AWAKE]) != 0u;
    own = bodies[molecule];
    number = molecule;
    let seen = read_record(molecule);
    if (seen.contacts == 0u && !was_awake) {
        moods[molecule].w = mood & (0xffff0000u & ~TOUCHED);
        if ((mood & BROKEN) != 0u) { atomicAdd(&totals[T_BROKEN], 1u); }
        return;
    }
    held = Held(vec3<f32>(0.0), seen.is_broken, 0u);
    hold_all(molecule);
    let is_dirty = seen.deepest > 0.0 && own.mobility > 0.0;
    let dirty = select(0u, min(dirty_for(mood) + 1u, 65535u), is_dirty);
    let hot = select(0u, HOT, is_dirty || held.is_broken);
    let cooler = max(warmth(mood), 1u) - 1u;
    let warmth_now = max(max(hot, cooler), seen.warmth);

    let row = 4u * molecule;
    var momentum = Motion(motions[row].xyz, motions[row + 1u].xyz);
    var travel = motions[row].w;
    if (atomicLoad(&board[SEARCHING]) != 0u) { travel = 0.0; }
    var motion = Motion(vec3<f32>(0.0), vec3<f32>(0.0));
    var dirty_next = dirty;
    if (warmth_now > 0u && own.mobility > 0.0) {
        let push = asked(seen.contacts);
        motion = push;
        if (is_nothing(push)) {
            momentum = Motion(vec3<f32>(0.0), vec3<f32>(0.0));
        } else if (is_nothing(momentum)) {
            // The first push is no habit yet.
            momentum = push;
        } else {
            momentum = Motion(momentum.shift * law.momentum + push.shift, momentum.turn * law.momentum + push.turn);
            motion = Motion(push.shift + momentum.shift * law.momentum, push.turn + momentum.turn * law.momentum);
        }
        if (motions[row + 1u].w != 0.0) {
            momentum = Motion(vec3<f32>(0.0), vec3<f32>(0.0));
            dirty_next = 0u;
            motion = Motion(motions[row + 2u].xyz, motions[row + 3u].xyz);
        }
        let way = length(motion.shift) + 1.5 * length(motion.turn) * own.gyration;
        if (way > law.max_move) {
            let less = law.max_move / way;
            motion = Motion(motion.shift * less, motion.turn * less);
        }
        // What is not a number is no way to go.
        if (!(way <= 1e30)) { motion = Motion(vec3<f32>(0.0), vec3<f32>(0.0)); }
    } else {
        momentum = Motion(vec3<f32>(0.0), vec3<f32>(0.0));
    }
    let farthest = length(motion.shift) + length(motion.turn) * own.reach;
    let has_moved = farthest > 1e-7;
    travel += select(0.0, farthest, has_moved);
    motions[row] = vec4<f32>(momentum.shift, travel);
    motions[row + 1u] = vec4<f32>(momentum.turn, 0.0);
    motions[row + 2u] = vec4<f32>(motion.shift, 0.0);
    motions[row + 3u] = vec4<f32>(motion.turn, 0.0);
    let next = dirty_next | (warmth_now << 16u) | select(0u, MOVED, has_moved)
        | select(0u, BROKEN, held.is_broken) | (mood & FIXED) | select(0u, TOUCHED, seen.contacts > 0u);
    moods[molecule] = vec4<u32>(bitcast<vec3<u32>>(held.normal), next);

    if (is_dirty) { atomicAdd(&totals[T_OVERLAPPING], 1u); }
    if (held.is_broken) { atomicAdd(&totals[T_BROKEN], 1u); }
    if (was_awake) { atomicAdd(&totals[T_AWAKE], 1u); }
    if (has_moved) { atomicAdd(&totals[T_MOVED], 1u); }
    if (farthest > select(SOON.x, SOON.y, law.sleep != 0u)) { atomicAdd(&totals[T_FAR], 1u); }
    atomicMax(&totals[T_FARTHEST], bitcast<u32>(farthest));
    if (is_dirty) { atomicMax(&totals[T_DEEPEST], bitcast<u32>(seen.deepest)); }
    if (travel > 0.5 * bitcast<f32>(atomicLoad(&board[SKIN]))) { atomicStore(&stale, 1u); }
}

@compute @workgroup_size(64)
fn step(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let molecule = group_number(group, groups) * 64u + local;
    if (local < 7u) { atomicStore(&totals[local], 0u); }
    if (local == 7u) { atomicStore(&stale, 0u); }
    workgroupBarrier();
    if (molecule < scene.molecules && atomicLoad(&board[HALTED]) == 0u) { step_one(molecule); }
    workgroupBarrier();
    if (local != 0u || atomicLoad(&board[HALTED]) != 0u) { return; }
    atomicAdd(&board[OVERLAPPING], atomicLoad(&totals[T_OVERLAPPING]));
    atomicAdd(&board[BROKEN_COUNT], atomicLoad(&totals[T_BROKEN]));
    atomicAdd(&board[AWAKE], atomicLoad(&totals[T_AWAKE]));
    atomicAdd(&board[MOVED_COUNT], atomicLoad(&totals[T_MOVED]));
    atomicAdd(&board[FAR], atomicLoad(&totals[T_FAR]));
    atomicMax(&board[FARTHEST], atomicLoad(&totals[T_FARTHEST]));
    atomicMax(&board[DEEPEST], atomicLoad(&totals[T_DEEPEST]));
    atomicMax(&board[STALE], atomicLoad(&stale));
}
