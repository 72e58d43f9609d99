// Small spheres: a thread for each, which writes its depth and its number into every sample that it covers.
//
// How it works: depth above, number below, in one word of 64 bits; the largest one stays. So no order is needed, and what is drawn
// twice is no matter.

@group(0) @binding(6) var<storage, read> orders: array<u32, 16>;
@group(0) @binding(7) var<storage, read_write> samples: array<atomic<u64>>;

@compute @workgroup_size(64)
fn splat(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    let thread = orders[2] * LANES + (group.y * groups.x + group.x) * 64u + local;
    if (thread >= orders[12] * LANES) { return; }
    let sphere = sphere_of(list[thread / LANES], thread % LANES);
    let distance = -sphere.z;
    if (sphere.w <= 0.0 || (view.is_parallel == 0u && distance - sphere.w <= view.near)) { return; }
    let molecule = list[thread / LANES].x;
    let opacity = molecules[molecule].opacity;
    let middle = (sphere.xy * select(1.0 / distance, 1.0, view.is_parallel != 0u) / view.half * vec2<f32>(0.5, -0.5) + 0.5)
        * vec2<f32>(view.size);
    // A little more than it must, because a sphere beside the axis is seen as an ellipse.
    let reach = sphere.w * samples_at(distance - sphere.w) * 1.2 + 0.5;
    let low = vec2<u32>(clamp(floor(middle - reach), vec2<f32>(0.0), vec2<f32>(view.size)));
    let high = vec2<u32>(clamp(ceil(middle + reach), vec2<f32>(0.0), vec2<f32>(view.size)));
    for (var y = low.y; y < high.y; y++) {
        for (var x = low.x; x < high.x; x++) {
            let found = hit(ray_of(vec2<f32>(vec2<u32>(x, y)) + 0.5), sphere.xyz, sphere.w);
            if (!found.is_hit || !is_there(molecule, opacity, vec2<u32>(x, y))) { continue; }
            let word = (u64(bitcast<u32>(depth_at(found, list[thread / LANES], thread % LANES))) << 32u) | u64(thread);
            atomicMax(&samples[y * view.size.x + x], word);
        }
    }
}
