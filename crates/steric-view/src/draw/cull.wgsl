// Which clusters can be seen, and how each is drawn.
//
// How it works: a thread takes a few clusters of one molecule. A molecule or a cluster that is smaller than a few samples becomes one
// sphere; where exactly the change comes differs a little from one to the next, so that nothing pops. Small spheres go to the
// front of the list, large ones to its end. Threads of a workgroup ask for room together.
//
// What others hide: first those are drawn of which something was seen in the last picture. Then it is known how far one sees in every
// tile of the picture, and of all others only what is not farther than that is drawn. So nothing is missing, wherever the camera went.

@group(0) @binding(0) var<storage, read> view: View;
@group(0) @binding(1) var<storage, read> molecules: array<Molecule>;
@group(0) @binding(2) var<storage, read> kinds: array<Kind>;
// Of each cluster a sphere around it.
@group(0) @binding(3) var<storage, read> bounds: array<vec4<f32>>;
// A molecule, its first cluster here and how many, and whether these are its first ones.
@group(0) @binding(4) var<storage, read> items: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> list: array<vec2<u32>>;
// How many small and large entries there are; then what the draws are told.
@group(0) @binding(6) var<storage, read_write> orders: array<atomic<u32>, 16>;
// Whether something of an item was seen in the last picture.
@group(0) @binding(7) var<storage, read_write> known: array<u32>;
@group(0) @binding(8) var<storage, read> tiles: array<f32>;

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

// Whether all of a sphere lies behind what is seen in the tiles that it covers.
fn is_hidden(center: vec3<f32>, radius: f32) -> bool {
    // A little nearer, because of what is lost in rounding.
    let near = (-center.z - radius) * 0.99999 - 0.05;
    if (view.is_parallel == 0u && near <= view.near) { return false; }
    let far = near + 2.0 * radius + 0.1;
    let edge = vec2<f32>(radius);
    var low = center.xy - edge;
    var high = center.xy + edge;
    if (view.is_parallel == 0u) {
        low /= select(vec2<f32>(near), vec2<f32>(far), low > vec2<f32>(0.0));
        high /= select(vec2<f32>(far), vec2<f32>(near), high > vec2<f32>(0.0));
    }
    // Rows of samples go down.
    let first = (vec2<f32>(low.x, -high.y) / view.half * 0.5 + 0.5) * vec2<f32>(view.size);
    let last = (vec2<f32>(high.x, -low.y) / view.half * 0.5 + 0.5) * vec2<f32>(view.size);
    let most = vec2<f32>(view.size) - 1.0;
    let from_tile = vec2<u32>(clamp(first - 1.0, vec2<f32>(0.0), most)) / 8u;
    let to_tile = vec2<u32>(clamp(last + 1.0, vec2<f32>(0.0), most)) / 8u;
    let wide = max(max(to_tile.x - from_tile.x, to_tile.y - from_tile.y), 1u);
    // So high that two tiles are enough along each side.
    let level = select(firstLeadingBit(wide - 1u) + 1u, 0u, wide == 1u);
    let a = from_tile >> vec2<u32>(level);
    let b = to_tile >> vec2<u32>(level);
    let farthest = min(min(tiles[tile_at(level, a)], tiles[tile_at(level, vec2<u32>(b.x, a.y))]),
                       min(tiles[tile_at(level, vec2<u32>(a.x, b.y))], tiles[tile_at(level, b)]));
    return depth_of(near) < farthest;
}

// A cluster of an item; `WHOLE` if its molecule is to be one sphere.
fn seen(item: vec4<u32>, molecule: Molecule, is_whole: bool, at: u32, is_rest: bool) -> Seen {
    if (is_whole) { return Seen(WHOLE, view.small > 0.0, at == 0u && item.w != 0u); }
    let bound = bounds[item.y + at];
    let center = in_camera(molecule.place + turned(molecule.rotation, bound.xyz));
    if (!is_in_picture(center, bound.w) || (is_rest && is_hidden(center, bound.w))) { return Seen(ATOMS, false, false); }
    let samples = samples_at(-center.z - bound.w);
    let is_coarse = bound.w * samples < view.coarse * (0.8 + 0.4 * chance(item.x, item.y + at));
    let radius = select(RADIUS, bound.w, is_coarse);
    return Seen(select(ATOMS, CLUSTER, is_coarse), radius * samples < view.small, true);
}

var<workgroup> small: atomic<u32>;
var<workgroup> large: atomic<u32>;
var<workgroup> firsts: vec2<u32>;

fn list_seen(number: u32, local: u32, is_rest: bool) {
    if (local == 0u) {
        atomicStore(&small, 0u);
        atomicStore(&large, 0u);
    }
    workgroupBarrier();
    var item = vec4<u32>(0u);
    var molecule: Molecule;
    var is_whole = false;
    var count = vec2<u32>(0u);
    if (number < view.items && (is_rest || known[number] != 0u)) {
        item = items[number];
        molecule = molecules[item.x];
        let bound = kinds[molecule.kind].bound;
        let center = in_camera(molecule.place + turned(molecule.rotation, bound.xyz));
        if (molecule.opacity > 0.0 && is_in_picture(center, bound.w) && !(is_rest && is_hidden(center, bound.w))) {
            let samples = bound.w * samples_at(-center.z - bound.w);
            is_whole = samples < view.coarse * (0.8 + 0.4 * chance(item.x, 0u));
        } else {
            item.z = 0u;
        }
        for (var at = 0u; at < item.z; at++) {
            let how = seen(item, molecule, is_whole, at, is_rest);
            if (how.is_seen) { count += select(vec2<u32>(0u, 1u), vec2<u32>(1u, 0u), how.is_small); }
        }
        if (is_rest) {
            // What was known is drawn already.
            let was_known = known[number] != 0u;
            known[number] = u32(count.x + count.y > 0u);
            if (was_known) {
                item.z = 0u;
                count = vec2<u32>(0u);
            }
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
        let how = seen(item, molecule, is_whole, at, is_rest);
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

@compute @workgroup_size(64)
fn cull_known(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) local: u32) {
    list_seen((group.y * groups.x + group.x) * 64u + local, local, false);
}

@compute @workgroup_size(64)
fn cull_rest(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) local: u32) {
    list_seen((group.y * groups.x + group.x) * 64u + local, local, true);
}

// Tells the passes that follow where to begin and how much there is to draw.
@compute @workgroup_size(1)
fn order() {
    let small_begin = atomicLoad(&orders[12]);
    let large_begin = atomicLoad(&orders[13]);
    let small_end = atomicLoad(&orders[0]);
    let large_end = atomicLoad(&orders[1]);
    atomicStore(&orders[2], small_begin);
    atomicStore(&orders[3], large_begin);
    atomicStore(&orders[12], small_end);
    atomicStore(&orders[13], large_end);
    // Threads for the small ones, eight each: rows of workgroups.
    let groups = ((small_end - small_begin) * LANES + 63u) / 64u;
    atomicStore(&orders[4], min(groups, 32768u));
    atomicStore(&orders[5], (groups + 32767u) / 32768u);
    atomicStore(&orders[6], 1u);
    // Six corners for each large one.
    atomicStore(&orders[8], (large_end - large_begin) * LANES * 6u);
    atomicStore(&orders[9], 1u);
    atomicStore(&orders[10], 0u);
    atomicStore(&orders[11], 0u);
}
