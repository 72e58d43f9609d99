// What stands between two steps: the end of one, and the beginning of the next.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> law: Law;
@group(0) @binding(2) var<storage, read_write> bodies: array<Body>;
@group(0) @binding(3) var<storage, read> moods: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> motions: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> board: array<u32>;
@group(0) @binding(7) var<storage, read_write> cells: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> cursors: array<u32>;

const USUAL_SKIN: f32 = 1.2;

// Does the motions that were decided on, and empties the cells if they will be filled.
@compute @workgroup_size(256)
fn apply(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    if (board[HALTED] != 0u) { return; }
    let number = group_number(group, groups);
    if (number == 0u && local == 0u && board[SEARCHING] != 0u) { board[LISTED] = 0u; }
    let molecule = number * 256u + local;
    if (molecule < scene.molecules && (moods[molecule].w & MOVED) != 0u) {
        let part = bodies[molecule].part + motions[4u * molecule + 2u].xyz;
        let carried = round(part);
        bodies[molecule].whole += vec3<i32>(carried);
        bodies[molecule].part = part - carried;
        let turn = motions[4u * molecule + 3u].xyz;
        let angle = length(turn);
        let half = sin(0.5 * angle) / max(angle, 1e-20);
        let by = vec4<f32>(turn * select(half, 0.5, angle < 1e-6), cos(0.5 * angle));
        let q = bodies[molecule].rotation;
        bodies[molecule].rotation =
            normalize(vec4<f32>(by.w * q.xyz + q.w * by.xyz + cross(by.xyz, q.xyz), by.w * q.w - dot(by.xyz, q.xyz)));
    }
    if (board[SEARCHING] != 0u && number < scene.blocks) {
        for (var part = 0u; part < 4u; part++) { cells[number * 1024u + part * 256u + local] = vec4<u32>(0u); }
    }
}

// Writes down what the step came to, and decides what the next one does.
@compute @workgroup_size(1)
fn close() {
    if (board[HALTED] != 0u) {
        board[STOPPED] = 1u;
        return;
    }
    let row = HISTORY + 16u * board[SLOT];
    for (var word = OVERLAPS; word < STALE; word++) { board[row + word - OVERLAPS] = board[word]; }
    board[row + 11u] = board[SEARCHING];
    board[row + 12u] = board[DISTURBED];
    board[SLOT] += 1u;
    board[SEARCHES] += board[SEARCHING];
    board[ITERATION] += 1u;
    let rests = board[OVERLAPPING] + board[BROKEN_COUNT] == 0u;
    if (rests) {
        board[HALTED] = RESTS;
        board[STOPPED] = 1u;
    }
    // Until something has overlapped only overlaps were looked for; from then on everyone needs the clearance.
    let first = board[DISTURBED] == 0u && (board[OVERLAPS] != 0u || board[OVERLAPS + 1u] != 0u);
    if (first) { board[DISTURBED] = 1u; }
    board[ALL_AWAKE] = select(0u, 1u, law.sleep == 0u || first);
    // A sparse list lacks those that were not alert.
    let searches = board[STALE] != 0u || board[SPARSE] != 0u;
    board[SEARCHING] = select(0u, 1u, searches);
    board[SPARSE] = 0u;
    if (searches) {
        var skin = law.skin;
        if (skin < 0.0) { skin = select(0.0, USUAL_SKIN, board[FAR] == 0u); }
        board[SKIN] = bitcast<u32>(skin);
        // Looking to all sides, and not only ahead, takes twice as long.
        let few = 2u * board[MOVED_COUNT] < scene.molecules;
        if (skin == 0.0 && board[ALL_AWAKE] == 0u && few) { board[SPARSE] = 1u; }
    }
    for (var word = OVERLAPS; word <= STALE; word++) { board[word] = 0u; }
    for (var cursor = 0u; cursor < 3u * SHARES; cursor++) { cursors[cursor] = 0u; }
}
