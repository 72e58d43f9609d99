// The many records of a giant molecule, folded into its first one.

@group(0) @binding(0) var<storage, read> giants: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> records: array<u32>;
@group(0) @binding(2) var<storage, read> board: array<u32>;

var<workgroup> parts: array<u32, 256>;

fn joined_word(word: u32, sum: u32, next: u32) -> u32 {
    if (word < 27u) { return bitcast<u32>(bitcast<f32>(sum) + bitcast<f32>(next)); }
    if (word == 27u) { return min(sum + (next & 0xffffu), 0xffffu); }
    if (word >= 30u) { return max(sum, next); }
    return sum + next;
}

@compute @workgroup_size(256)
fn fold(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let number = group_number(group, groups);
    let is_inside = number < arrayLength(&giants) && board[HALTED] == 0u;
    let word = local % 32u;
    let stamp = board[ITERATION] & 0xffffu;
    var sum = 0u;
    var giant = vec2<u32>(0u);
    if (is_inside) {
        giant = giants[number];
        for (var record = local / 32u; record < giant.y; record += 8u) {
            // A record of another iteration: this one had no contact.
            if (records[(giant.x + record) * 32u + 27u] >> 16u != stamp) { continue; }
            sum = joined_word(word, sum, records[(giant.x + record) * 32u + word]);
        }
    }
    parts[local] = sum;
    workgroupBarrier();
    if (!is_inside || local >= 32u) { return; }
    for (var part = 1u; part < 8u; part++) { sum = joined_word(word, sum, parts[part * 32u + word]); }
    if (word == 27u) { sum |= stamp << 16u; }
    records[giant.x * 32u + word] = sum;
}
