// How far the farthest thing is that is seen in a tile of the picture, in tiles of tiles, and so on.
//
// How it works: a tile of the lowest level is eight by eight samples, and a tile of the next one two by two tiles of the one below. A
// picture has a square of tiles whose side is a power of two; a tile without samples hides everything.

@group(0) @binding(0) var<storage, read> view: View;
@group(0) @binding(1) var depths: texture_depth_2d;
@group(0) @binding(2) var<storage, read> samples: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> tiles: array<f32>;
// The level that is read; the three above it are written.
@group(0) @binding(4) var<storage, read> below: vec4<u32>;

const NEARER_THAN_ALL: f32 = 2.0;

var<workgroup> rows: array<f32, 64>;

// The least of all that the 64 threads of a workgroup have, by steps.
fn halve(at: vec2<u32>, step: u32) {
    workgroupBarrier();
    let own = at.y * 8u + at.x;
    if (all(at % (2u * step) == vec2<u32>(0u))) {
        rows[own] = min(min(rows[own], rows[own + step]), min(rows[own + 8u * step], rows[own + 9u * step]));
    }
}

@compute @workgroup_size(8, 8)
fn lowest(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let at = tile.xy * 8u + local.xy;
    var depth = NEARER_THAN_ALL;
    if (all(at < view.size)) {
        depth = textureLoad(depths, at, 0);
        if (view.small > 0.0) { depth = max(depth, bitcast<f32>(samples[at.y * view.size.x + at.x].y)); }
    }
    rows[local.y * 8u + local.x] = depth;
    for (var step = 1u; step < 8u; step *= 2u) { halve(local.xy, step); }
    if (all(local.xy == vec2<u32>(0u))) { tiles[tile_at(0u, tile.xy)] = rows[0]; }
}

@compute @workgroup_size(8, 8)
fn higher(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let at = group.xy * 8u + local.xy;
    var depth = NEARER_THAN_ALL;
    if (all(at < vec2<u32>(view.tiles >> below.x))) { depth = tiles[tile_at(below.x, at)]; }
    rows[local.y * 8u + local.x] = depth;
    for (var step = 1u; step < 8u; step *= 2u) {
        halve(local.xy, step);
        let level = below.x + firstTrailingBit(step) + 1u;
        if (all(local.xy % (2u * step) == vec2<u32>(0u)) && all(at < vec2<u32>(view.tiles >> below.x)) && (view.tiles >> level) > 0u) {
            tiles[tile_at(level, at / (2u * step))] = rows[local.y * 8u + local.x];
        }
    }
}
