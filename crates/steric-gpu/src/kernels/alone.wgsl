// What `together.wgsl` does, where threads know nothing of each other: each speaks for itself.

fn sum_of(value: vec4<u32>) -> vec4<u32> { return value; }
fn most_of(value: vec4<u32>) -> vec4<u32> { return value; }
fn is_speaker() -> bool { return true; }
