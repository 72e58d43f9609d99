// An array copied into another: nothing can be faster that has to touch its data once.

@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4<u32>>;

@compute @workgroup_size(256)
fn copy(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let word = group_number(group, groups) * 256u + local;
    if (word < arrayLength(&copied)) { copied[word] = source[word]; }
}
