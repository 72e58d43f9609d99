// Clusters counted per cell, sums over the cells, clusters in the order of their cells.
//
// How it works: a counting sort. Each cluster adds one to its cell and keeps the number it found there as its rank; the
// cells are summed up in blocks of 4,096; a cluster's place is its cell's first one plus its rank. Cells along x are
// neighbours in the table, so a search reads whole rows at once.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read> clusters: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> quads: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> ranks: array<u32>;
@group(0) @binding(4) var<storage, read_write> sorted: array<vec4<i32>>;
@group(0) @binding(5) var<storage, read_write> sorted_ids: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> sums: array<u32>;
@group(0) @binding(7) var<storage, read> near: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read> sources: array<vec2<u32>>;
@group(0) @binding(9) var<storage, read> board: array<u32>;
@group(0) @binding(10) var<storage, read> moods: array<vec4<u32>>;

fn is_searching() -> bool { return board[SEARCHING] != 0u && board[STOPPED] == 0u; }

fn cell_in_table(cluster: u32) -> u32 {
    var level = 0u;
    if (scene.levels > 1u) { level = sources[cluster].y >> 30u; }
    return table_entry(level, cell_of(level, clusters[cluster].xyz));
}

@compute @workgroup_size(256)
fn clear(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    let block = group_number(group, groups);
    if (block >= scene.blocks || !is_searching()) { return; }
    for (var part = 0u; part < 4u; part++) {
        quads[block * 1024u + part * 256u + local] = vec4<u32>(0u);
    }
}

@compute @workgroup_size(256)
fn count(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    let cluster = group_number(group, groups) * 256u + local;
    if (cluster >= scene.clusters || !is_searching()) { return; }
    ranks[cluster] = atomicAdd(&counts[cell_in_table(cluster)], 1u);
}

var<workgroup> desk: array<u32, 256>;

fn total(quad: vec4<u32>) -> u32 { return quad.x + quad.y + quad.z + quad.w; }

// The sum over all threads before this one.
fn sum_before(local: u32, value: u32) -> u32 {
    desk[local] = value;
    workgroupBarrier();
    var sum = value;
    for (var step = 1u; step < 256u; step <<= 1u) {
        var left = 0u;
        if (local >= step) { left = desk[local - step]; }
        workgroupBarrier();
        sum += left;
        desk[local] = sum;
        workgroupBarrier();
    }
    return sum - value;
}

// The sum over all threads.
fn sum_of_all(local: u32, value: u32) -> u32 {
    desk[local] = value;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half >>= 1u) {
        if (local < half) { desk[local] += desk[local + half]; }
        workgroupBarrier();
    }
    let sum = desk[0];
    workgroupBarrier();
    return sum;
}

@compute @workgroup_size(256)
fn sum_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) local: u32) {
    let block = group_number(group, groups);
    var sum = 0u;
    if (block < scene.blocks && is_searching()) {
        for (var part = 0u; part < 4u; part++) {
            sum += total(quads[block * 1024u + part * 256u + local]);
        }
    }
    let all = sum_of_all(local, sum);
    if (local == 0u && block < scene.blocks && is_searching()) { sums[block] = all; }
}

@compute @workgroup_size(256)
fn sum_cells(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) local: u32) {
    let block = group_number(group, groups);
    let is_inside = block < scene.blocks && is_searching();
    let first = block * 1024u + local * 4u;
    var quad: array<vec4<u32>, 4>;
    var sum = 0u;
    if (is_inside) {
        for (var part = 0u; part < 4u; part++) {
            quad[part] = quads[first + part];
            sum += total(quad[part]);
        }
    }
    // Every block adds up those before it: there are too few of them for a pass of their own.
    var before = 0u;
    for (var other = local; is_inside && other < block; other += 256u) { before += sums[other]; }
    var run = sum_of_all(local, before) + sum_before(local, sum);
    if (!is_inside) { return; }
    for (var part = 0u; part < 4u; part++) {
        let own = quad[part];
        quads[first + part] = vec4<u32>(run, run + own.x, run + own.x + own.y, run + own.x + own.y + own.z);
        run += total(own);
    }
}

@compute @workgroup_size(256)
fn sort(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let cluster = group_number(group, groups) * 256u + local;
    if (cluster >= scene.clusters || !is_searching()) { return; }
    let place = starts[cell_in_table(cluster)] + ranks[cluster];
    sorted[place] = clusters[cluster];
    var owner = near[cluster].y;
    if (board[SPARSE] != 0u && is_alert(moods[owner & NUMBER].w)) { owner |= ALERT_OWNER; }
    sorted_ids[place] = vec2<u32>(cluster, owner);
}
