// A molecule: where it is, what it is, and how it looks.
struct Molecule {
    place: vec3<f32>,
    kind: u32,
    rotation: vec4<f32>,
    colour: u32,               // of the whole molecule; of its atoms if the highest byte is 0
    opacity: f32,
    unused_a: u32,
    unused_b: u32,
}
