// Molecules go where a relaxation on the same GPU has them, and take the colours of collision if they are asked to.

struct Follow {
    shift: vec3<f32>,          // from the origin of the picture to that of the relaxation
    count: u32,
    is_coloured: u32,
    touching: u32,
    free: u32,
    fixed: u32,
}

@group(0) @binding(0) var<uniform> how: Follow;
@group(0) @binding(1) var<storage, read> ids: array<u32>;
@group(0) @binding(2) var<storage, read> bodies: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> moods: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> molecules: array<Molecule>;

const ROWS: u32 = 6u;
const FIXED: u32 = 0x4000000u;

@compute @workgroup_size(64)
fn follow(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
          @builtin(local_invocation_index) local: u32) {
    let slot = (group.y * groups.x + group.x) * 64u + local;
    if (slot >= how.count) { return; }
    let id = ids[slot];
    let whole = vec3<f32>(bitcast<vec3<i32>>(bodies[slot * ROWS].xyz));
    molecules[id].place = whole + (bitcast<vec3<f32>>(bodies[slot * ROWS + 1u].xyz) + how.shift);
    molecules[id].rotation = bitcast<vec4<f32>>(bodies[slot * ROWS + 2u]);
    if (how.is_coloured != 0u) {
        let mood = moods[slot].w;
        var colour = select(how.free, how.touching, (mood & 0xffffu) != 0u);
        if ((mood & FIXED) != 0u) { colour = how.fixed; }
        molecules[id].colour = colour;
    }
}
