// Small spheres are splatted by threads: what they left in a sample.
@group(0) @binding(10) var<storage, read> samples: array<vec2<u32>>;

fn splatted_at(at: u32) -> vec2<u32> { return samples[at]; }
