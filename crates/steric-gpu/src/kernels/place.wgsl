// Atoms from types and poses, each measured from its cluster's origin.

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read> templates: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> bounds: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> sources: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> near: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> bodies: array<Body>;
@group(0) @binding(7) var<storage, read_write> clusters: array<vec4<i32>>;
@group(0) @binding(8) var<storage, read> moods: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read> board: array<u32>;

// Threads for one cluster: as many as its longest has atoms.
override LANES: u32 = 8u;
// Whether everything is placed, or only what has moved.
override ALL: bool = true;
// A cluster's origin is rounded, so its sphere has to be so much larger.
const NOWHERE: f32 = 1e15;
const ROUNDING: f32 = 0.02;

@compute @workgroup_size(128)
fn place(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    let thread = group_number(group, groups) * 128u + local;
    let cluster = thread / LANES;
    if (cluster >= scene.clusters || (!ALL && board[HALTED] != 0u)) { return; }
    let lane = thread % LANES;
    let own = near[cluster];
    if (lane >= length_of(own)) {
        // A lane without an atom is far from everything.
        if (ALL) { set_atom(thread, vec4<f32>(NOWHERE, NOWHERE, NOWHERE, 0.0)); }
        return;
    }
    if (!ALL && (moods[own.y & 0x7fffffffu].w & MOVED) == 0u) { return; }
    let molecule = own.y & 0x7fffffffu;
    let rotation = bodies[molecule].rotation;
    let part = bodies[molecule].part;
    let source = sources[cluster];
    let bound = bounds[source.y & 0x3fffffffu];
    let steps = round((turned(rotation, bound.xyz) + part) * UNITS);
    let atom = templates[source.x + lane];
    let place = turned(rotation, atom.xyz) + part - steps * ANGSTROMS;
    // The difference of two atoms is then the same whichever comes first.
    set_atom(thread, vec4<f32>(round(place / scene.grain) * scene.grain, atom.w));
    if (lane == 0u) {
        let origin = bodies[molecule].whole * i32(UNITS) + vec3<i32>(steps);
        clusters[cluster] = vec4<i32>(origin, bitcast<i32>(bound.w + ROUNDING));
    }
}
