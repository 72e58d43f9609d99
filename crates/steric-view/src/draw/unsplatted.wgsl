// No sphere is splatted.
fn splatted_at(at: u32) -> vec2<u32> { return vec2<u32>(NOTHING, 0u); }
