// Which clusters can be seen, and how each is drawn.
//
// How it works: a thread takes a few clusters of one molecule. A molecule or a cluster that is smaller than a few samples becomes one
// sphere; where exactly the change comes differs a little from one to the next, so that nothing pops. Small spheres go to the
// front of the list, large ones to its end. Threads of a workgroup ask for room together.

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> molecules: array<Molecule>;
@group(0) @binding(2) var<storage, read> kinds: array<Kind>;
// Of each cluster a sphere around it.
@group(0) @binding(3) var<storage, read> bounds: array<vec4<f32>>;
// A molecule, its first cluster here and how many, and whether these are its first ones.
@group(0) @binding(4) var<storage, read> items: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> list: array<vec2<u32>>;
// How many small and large entries there are; then what the draws are told.
@group(0) @binding(6) var<storage, read_write> orders: array<atomic<u32>, 16>;

const RADIUS: f32 = 1.7;

struct Seen {
    level: u32,
    is_small: bool,
    is_seen: bool,
}

fn is_in_picture(center: vec3<f32>, radius: f32) -> bool {
    let distance = -center.z;
    if (distance + radius < view.near || distance - radius > view.far) { return false; }
    if (any(view.clip.xyz != vec3<f32>(0.0)) && dot(view.clip.xyz, center) + view.clip.w < -radius) { return false; }
    if (view.is_parallel != 0u) { return all(abs(center.xy) <= view.half + radius); }
    return all(abs(center.xy) <= view.half * max(distance, 0.0) + radius * sqrt(1.0 + view.half * view.half));
}

// A cluster of an item; `WHOLE` if its molecule is to be one sphere.
fn seen(item: vec4<u32>, molecule: Molecule, is_whole: bool, at: u32) -> Seen {
    if (is_whole) { return Seen(WHOLE, true, at == 0u && item.w != 0u); }
    let bound = bounds[item.y + at];
    let center = in_camera(molecule.place + turned(molecule.rotation, bound.xyz));
    if (!is_in_picture(center, bound.w)) { return Seen(ATOMS, false, false); }
    let samples = samples_at(-center.z - bound.w);
    let is_coarse = bound.w * samples < view.coarse * (0.8 + 0.4 * chance(item.x, item.y + at));
    let radius = select(RADIUS, bound.w, is_coarse);
    return Seen(select(ATOMS, CLUSTER, is_coarse), radius * samples < view.small, true);
}

var<workgroup> small: atomic<u32>;
var<workgroup> large: atomic<u32>;
var<workgroup> firsts: vec2<u32>;

@compute @workgroup_size(64)
fn cull(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    if (local == 0u) {
        atomicStore(&small, 0u);
        atomicStore(&large, 0u);
    }
    workgroupBarrier();
    let number = (group.y * groups.x + group.x) * 64u + local;
    var item = vec4<u32>(0u);
    var molecule: Molecule;
    var is_whole = false;
    var count = vec2<u32>(0u);
    if (number < view.items) {
        item = items[number];
        molecule = molecules[item.x];
        let bound = kinds[molecule.kind].bound;
        let center = in_camera(molecule.place + turned(molecule.rotation, bound.xyz));
        if (is_in_picture(center, bound.w)) {
            let samples = bound.w * samples_at(-center.z - bound.w);
            is_whole = samples < view.coarse * (0.8 + 0.4 * chance(item.x, 0u));
        } else {
            item.z = 0u;
        }
        for (var at = 0u; at < item.z; at++) {
            let how = seen(item, molecule, is_whole, at);
            if (how.is_seen) { count += select(vec2<u32>(0u, 1u), vec2<u32>(1u, 0u), how.is_small); }
        }
    }
    var place = vec2<u32>(0u);
    if (count.x > 0u) { place.x = atomicAdd(&small, count.x); }
    if (count.y > 0u) { place.y = atomicAdd(&large, count.y); }
    workgroupBarrier();
    if (local == 0u) {
        firsts = vec2<u32>(atomicAdd(&orders[0], atomicLoad(&small)), atomicAdd(&orders[1], atomicLoad(&large)));
    }
    place += workgroupUniformLoad(&firsts);
    for (var at = 0u; at < item.z; at++) {
        let how = seen(item, molecule, is_whole, at);
        if (!how.is_seen) { continue; }
        let entry = vec2<u32>(item.x, select(item.y + at, molecule.kind, how.level == WHOLE) | how.level);
        if (how.is_small) {
            list[place.x] = entry;
            place.x++;
        } else {
            list[view.room - 1u - place.y] = entry;
            place.y++;
        }
    }
}

// Tells the passes that follow how much there is to draw.
@compute @workgroup_size(1)
fn order() {
    // Threads for the small ones, eight each: rows of workgroups.
    let groups = (atomicLoad(&orders[0]) * LANES + 63u) / 64u;
    atomicStore(&orders[4], min(groups, 32768u));
    atomicStore(&orders[5], (groups + 32767u) / 32768u);
    atomicStore(&orders[6], 1u);
    // Six corners for each large one.
    atomicStore(&orders[8], atomicLoad(&orders[1]) * LANES * 6u);
    atomicStore(&orders[9], 1u);
    atomicStore(&orders[10], 0u);
    atomicStore(&orders[11], 0u);
}
