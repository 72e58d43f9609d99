// What every pass knows: the camera, the molecules, and where a ray meets a sphere.
//
// Places are angstroms from the middle of the scene, and in the camera's frame: x to the right, y up, the camera looks along -z.

struct View {
    camera_from_world: mat4x4<f32>,
    half: vec2<f32>,           // of the picture: at distance one, or in angstroms if the view is parallel
    size: vec2<u32>,           // in samples
    near: f32,
    far: f32,
    is_parallel: u32,
    per_unit: f32,             // samples for an angstrom at distance one, or anywhere if the view is parallel
    clip: vec4<f32>,           // a plane in the camera's frame: what is behind it is cut away; none if the normal is zero
    items: u32,
    room: u32,                 // entries of the list
    small: f32,                // spheres of fewer samples are splatted by threads, larger ones drawn
    coarse: f32,               // clusters of fewer samples are one sphere, and so are molecules
    pass_number: u32,          // of the passes over one picture
    passes: u32,
    tiles: u32,                // along a side of the lowest level of those that hide others
    triangles: u32,
    is_screen_door: u32,       // what is transparent has holes in a fixed pattern
    unused_a: u32,
    unused_b: u32,
    unused_c: u32,
}

struct Kind {
    bound: vec4<f32>,
    colour: u32,               // the mean of its atoms
    unused_a: u32,
    unused_b: u32,
    unused_c: u32,
}

// What is drawn: a molecule; and a cluster's atoms, a cluster as one sphere, or the whole molecule as one.
const ATOMS: u32 = 0u;
const CLUSTER: u32 = 0x40000000u;
const WHOLE: u32 = 0x80000000u;
const LEVEL: u32 = 0xc0000000u;
const LANES: u32 = 8u;
const NOTHING: u32 = 0xffffffffu;
// What is seen is no molecule but a surface of this colour.
const SURFACE: u32 = 0x80000000u;

fn byte_of(part: f32) -> u32 { return u32(round(clamp(part, 0.0, 1.0) * 255.0)); }

// A colour, and how much of what has it is there, in one word.
fn with_opacity(colour: u32, opacity: f32) -> u32 { return (colour & 0xffffffu) | (byte_of(opacity) << 24u); }

// A number between 0 and 1 that looks like chance.
fn chance(a: u32, b: u32) -> f32 {
    var bits = (a * 0x9e3779b9u) ^ (b * 0x85ebca6bu);
    bits = (bits ^ (bits >> 16u)) * 0x7feb352du;
    bits = (bits ^ (bits >> 15u)) * 0x846ca68bu;
    bits = (bits ^ (bits >> 16u)) * 0x9e3779b9u;
    return f32((bits ^ (bits >> 15u)) >> 8u) / 16777216.0;
}

// Where a sample comes in the order in which 4 x 4 of them fill evenly, 0 to 15 (Bayer 1973). Each molecule has a pattern that is shifted
// otherwise, so that what is behind a transparent one is not behind its holes alone.
fn turn_of(molecule: u32, at: vec2<u32>) -> u32 {
    let x = at.x + molecule;
    let y = at.y + (molecule >> 2u);
    let both = x ^ y;
    return ((both & 1u) << 3u) | ((y & 1u) << 2u) | (both & 2u) | ((y >> 1u) & 1u);
}

// Whether a molecule is there in a sample. One that is half transparent is there in half of all samples, as a whole: so its front alone is
// seen, and what is behind it in the others. In a sample the passes share out what there is, so that few of them do.
fn is_there(molecule: u32, opacity: f32, at: vec2<u32>) -> bool {
    if (opacity >= 1.0) { return true; }
    if (view.is_screen_door != 0u) {
        // To the nearest sixteenth; in bytes, as the samples keep it.
        return (2u * turn_of(molecule, at) + 1u) * 255u < 32u * byte_of(opacity);
    }
    let start = chance(molecule, at.y * view.size.x + at.x);
    return fract(start + f32(view.pass_number) * 0.6180339887) < opacity;
}

fn turned(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

fn in_camera(place: vec3<f32>) -> vec3<f32> { return (view.camera_from_world * vec4<f32>(place, 1.0)).xyz; }

// Larger is nearer; 0 is nothing.
fn depth_of(distance: f32) -> f32 {
    if (view.is_parallel != 0u) { return clamp(1.0 - (distance - view.near) / (view.far - view.near), 1e-7, 1.0); }
    return clamp(view.near / distance, 1e-7, 1.0);
}

// Where a tile stands among all, level by level.
fn tile_at(level: u32, at: vec2<u32>) -> u32 {
    let side = view.tiles >> level;
    return (view.tiles * view.tiles - side * side) / 3u * 4u + at.y * side + at.x;
}

struct Ray {
    from_place: vec3<f32>,
    along: vec3<f32>,          // goes one back for each unit
}

fn ray_of(sample: vec2<f32>) -> Ray {
    let at = (sample / vec2<f32>(view.size) * 2.0 - 1.0) * vec2<f32>(1.0, -1.0) * view.half;
    if (view.is_parallel != 0u) { return Ray(vec3<f32>(at, 0.0), vec3<f32>(0.0, 0.0, -1.0)); }
    return Ray(vec3<f32>(0.0), vec3<f32>(at, -1.0));
}

// How far a place is, along the camera's axis, in samples for an angstrom.
fn samples_at(distance: f32) -> f32 {
    return select(view.per_unit / max(distance, 1e-3), view.per_unit, view.is_parallel != 0u);
}

struct Hit {
    is_hit: bool,
    is_cut: bool,              // the clipping plane is what is seen
    distance: f32,             // along the camera's axis
}

// Where a ray meets a sphere. The nearest point of the ray to the centre comes first, so that far spheres lose nothing.
fn hit(ray: Ray, center: vec3<f32>, radius: f32) -> Hit {
    let apart = center - ray.from_place;
    let steep = dot(ray.along, ray.along);
    let middle = dot(apart, ray.along) / steep;
    let beside = apart - middle * ray.along;
    let inside = radius * radius - dot(beside, beside);
    if (inside <= 0.0) { return Hit(false, false, 0.0); }
    let half = sqrt(inside / steep);
    var distance = middle - half;
    let back = middle + half;
    var is_cut = false;
    let falling = dot(view.clip.xyz, ray.along);
    let height = dot(view.clip.xyz, ray.from_place) + view.clip.w;
    if (any(view.clip.xyz != vec3<f32>(0.0))) {
        // Where the ray comes out from behind the plane, or goes behind it.
        let crossing = -height / falling;
        if (height + falling * distance < 0.0) {
            if (height + falling * back <= 0.0) { return Hit(false, false, 0.0); }
            distance = crossing;
            is_cut = true;
        }
    }
    return Hit(distance > view.near, is_cut, distance);
}
