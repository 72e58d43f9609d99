// Threads that add up their values at once.

fn sum_of(value: vec4<u32>) -> vec4<u32> { return subgroupAdd(value); }
fn most_of(value: vec4<u32>) -> vec4<u32> { return subgroupMax(value); }
// Whether this thread tells what several have come to.
fn is_speaker() -> bool { return subgroupExclusiveAdd(1u) == 0u; }
