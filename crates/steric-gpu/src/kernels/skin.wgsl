// Points moved by a skeleton, groups of atoms turned by it, and atoms that ride on groups: a thread for each.
//
// Every point hangs on a set of four joints. What the four do is a row of numbers in the palette, which the host writes for each frame; so
// neighbours, which mostly share a set, read the same numbers. Coordinates are measured from the middle of the structure.

@group(0) @binding(0) var<uniform> lot: vec4<u32>;                      // how many threads have work
@group(0) @binding(1) var<storage, read> rest: array<vec4<f32>>;        // as bound, and the radius
@group(0) @binding(2) var<storage, read> hung: array<vec4<u32>>;        // the set, and three weights
@group(0) @binding(3) var<storage, read> palette: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> stretches: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> placed: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> poses: array<vec4<f32>>; // a rotation and a shift each
@group(0) @binding(7) var<storage, read> group_numbers: array<u32>;
@group(0) @binding(8) var<storage, read> ridden: array<vec4<f32>>;      // the poses, for those who ride

override BLEND: u32 = 2u;
// Whether any joint changes distances.
override STRETCHED: bool = false;

const LINEAR: u32 = 0u;
const SPHERICAL: u32 = 1u;

struct Hung {
    joints: u32,               // the number of the set
    weights: vec4<f32>,
}

// Rows of a matrix, with the shift behind each.
struct Motion {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

// What is left of four joints: two sums of four numbers each. The first is a quaternion of any length.
struct Mean {
    turn: vec4<f32>,
    other: vec4<f32>,
}

fn hung_at(number: u32) -> Hung {
    let words = hung[number];
    let three = bitcast<vec3<f32>>(words.yzw);
    return Hung(words.x, vec4<f32>(three, 1.0 - three.x - three.y - three.z));
}

fn blended_motion(own: Hung) -> Motion {
    let a = 12u * own.joints;
    let w = own.weights;
    return Motion(
        w.x * palette[a] + w.y * palette[a + 3u] + w.z * palette[a + 6u] + w.w * palette[a + 9u],
        w.x * palette[a + 1u] + w.y * palette[a + 4u] + w.z * palette[a + 7u] + w.w * palette[a + 10u],
        w.x * palette[a + 2u] + w.y * palette[a + 5u] + w.z * palette[a + 8u] + w.w * palette[a + 11u],
    );
}

fn blended_stretch(own: Hung) -> Motion {
    let a = 12u * own.joints;
    let w = own.weights;
    return Motion(
        w.x * stretches[a] + w.y * stretches[a + 3u] + w.z * stretches[a + 6u] + w.w * stretches[a + 9u],
        w.x * stretches[a + 1u] + w.y * stretches[a + 4u] + w.z * stretches[a + 7u] + w.w * stretches[a + 10u],
        w.x * stretches[a + 2u] + w.y * stretches[a + 5u] + w.z * stretches[a + 8u] + w.w * stretches[a + 11u],
    );
}

fn blended_mean(own: Hung) -> Mean {
    let a = 8u * own.joints;
    let w = own.weights;
    return Mean(
        w.x * palette[a] + w.y * palette[a + 2u] + w.z * palette[a + 4u] + w.w * palette[a + 6u],
        w.x * palette[a + 1u] + w.y * palette[a + 3u] + w.z * palette[a + 5u] + w.w * palette[a + 7u],
    );
}

fn moved(motion: Motion, point: vec3<f32>) -> vec3<f32> {
    let p = vec4<f32>(point, 1.0);
    return vec3<f32>(dot(motion.x, p), dot(motion.y, p), dot(motion.z, p));
}

fn stretched(own: Hung, point: vec3<f32>) -> vec3<f32> {
    if (STRETCHED) { return moved(blended_stretch(own), point); }
    return point;
}

// The point about which the rotations of a set are blended.
fn centre_of(own: Hung) -> vec3<f32> {
    let a = 8u * own.joints;
    return vec3<f32>(palette[a + 1u].w, palette[a + 3u].w, palette[a + 5u].w);
}

// A point moved by the mean of a set's joints, which are not blended linearly.
fn carried(own: Hung, mean: Mean, point: vec3<f32>) -> vec3<f32> {
    let q = mean.turn;
    let twice = 2.0 / max(dot(q, q), 1e-30);
    if (BLEND == SPHERICAL) {
        let arm = point - centre_of(own);
        return arm + twice * cross(q.xyz, cross(q.xyz, arm) + q.w * arm) + mean.other.xyz;
    }
    // The shift is twice the vector of the dual part times the conjugate of the real part.
    let d = mean.other;
    let shift = twice * (q.w * d.xyz - d.w * q.xyz + cross(q.xyz, d.xyz));
    return point + twice * cross(q.xyz, cross(q.xyz, point) + q.w * point) + shift;
}

fn unit_quaternion(q: vec4<f32>) -> vec4<f32> {
    let near = q * inverseSqrt(max(dot(q, q), 1e-30));
    // A driver's root is not right to the last digit.
    return near * (1.5 - 0.5 * dot(near, near));
}

// The quaternion of a rotation matrix: of four ways to read it the one that divides by the most (Shepperd 1978).
fn quaternion_of(m: mat3x3<f32>) -> vec4<f32> {
    let d = vec3<f32>(m[0].x, m[1].y, m[2].z);
    let squares = 1.0 + vec4<f32>(d.x - d.y - d.z, d.y - d.x - d.z, d.z - d.x - d.y, d.x + d.y + d.z);
    let with_w = vec3<f32>(m[1].z - m[2].y, m[2].x - m[0].z, m[0].y - m[1].x);
    let xy = m[0].y + m[1].x;
    let xz = m[2].x + m[0].z;
    let yz = m[1].z + m[2].y;
    var q = vec4<f32>(with_w, squares.w);
    var most = squares.w;
    if (squares.x > most) {
        q = vec4<f32>(squares.x, xy, xz, with_w.x);
        most = squares.x;
    }
    if (squares.y > most) {
        q = vec4<f32>(xy, squares.y, yz, with_w.y);
        most = squares.y;
    }
    if (squares.z > most) { q = vec4<f32>(xz, yz, squares.z, with_w.z); }
    return unit_quaternion(q);
}

// The rotation that is nearest to a matrix: the orthogonal factor of its polar decomposition, by Newton's iteration (Higham 1986). A mirror
// is taken as a stretch; of a matrix that flattens space it is whatever is found.
fn nearest_rotation(motion: Motion) -> vec4<f32> {
    var m = transpose(mat3x3<f32>(motion.x.xyz, motion.y.xyz, motion.z.xyz));
    if (determinant(m) < 0.0) { m = -1.0 * m; }
    for (var step = 0u; step < 16u; step++) {
        let volume = dot(m[0], cross(m[1], m[2]));
        if (abs(volume) < 1e-12) { break; }
        // The transpose of the inverse.
        let inverse = (1.0 / volume) * mat3x3<f32>(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
        let size = dot(m[0], m[0]) + dot(m[1], m[1]) + dot(m[2], m[2]);
        let other = dot(inverse[0], inverse[0]) + dot(inverse[1], inverse[1]) + dot(inverse[2], inverse[2]);
        // Scaled by the geometric mean of the two sizes.
        let scale = sqrt(sqrt(other / size));
        let next = (0.5 * scale) * m + (0.5 / scale) * inverse;
        let change = next - m;
        m = next;
        if (dot(change[0], change[0]) + dot(change[1], change[1]) + dot(change[2], change[2]) < 1e-13) { break; }
    }
    return quaternion_of(m);
}

@compute @workgroup_size(256)
fn skin(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let point = group_number(group, groups) * 256u + local;
    if (point >= lot.x) { return; }
    let own = hung_at(point);
    let atom = rest[point];
    if (BLEND == LINEAR) {
        placed[point] = vec4<f32>(moved(blended_motion(own), atom.xyz), atom.w);
    } else {
        placed[point] = vec4<f32>(carried(own, blended_mean(own), stretched(own, atom.xyz)), atom.w);
    }
}

// A rigid group, turned as its centre is.
@compute @workgroup_size(64)
fn turn_groups(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) local: u32) {
    let number = group_number(group, groups) * 64u + local;
    if (number >= lot.x) { return; }
    let own = hung_at(number);
    let centre = rest[number].xyz;
    var rotation: vec4<f32>;
    var place: vec3<f32>;
    if (BLEND == LINEAR) {
        let motion = blended_motion(own);
        rotation = nearest_rotation(motion);
        place = moved(motion, centre);
    } else {
        let mean = blended_mean(own);
        rotation = unit_quaternion(mean.turn);
        place = carried(own, mean, stretched(own, centre));
    }
    poses[2u * number] = rotation;
    poses[2u * number + 1u] = vec4<f32>(place - turned(rotation, centre), 0.0);
}

// An atom in the pose of its group.
@compute @workgroup_size(256)
fn ride(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let number = group_number(group, groups) * 256u + local;
    if (number >= lot.x) { return; }
    let own = 2u * group_numbers[number];
    let atom = rest[number];
    placed[number] = vec4<f32>(turned(ridden[own], atom.xyz) + ridden[own + 1u].xyz, atom.w);
}
