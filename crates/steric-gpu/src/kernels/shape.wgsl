// How far a point stands from a surface or from the boundary of a region, and which way is out.
//
// The kernel that takes this in declares `shapes`; shape.rs says what stands where in it.

const SHAPE_SPHERE: u32 = 1u;
const SHAPE_PLANE: u32 = 2u;
const SHAPE_BOX: u32 = 3u;
const SHAPE_ELLIPSOID: u32 = 4u;
const SHAPE_CYLINDER: u32 = 5u;
const SHAPE_MESH: u32 = 6u;
const SHAPE_INSET: u32 = 7u;

// The outward normal, and the height above the surface.
fn surface_height(shape: u32, point: vec3<f32>) -> vec4<f32> {
    if shape_number(shapes[shape].x) == SHAPE_MESH {
        return mesh_height(shape, point);
    }
    return simple_distance(shape, point);
}

// The direction in which the signed distance grows, and that distance, negative inside.
fn region_distance(named: u32, point: vec3<f32>) -> vec4<f32> {
    let head = shapes[named];
    let is_inset = shape_number(head.x) == SHAPE_INSET;
    let shape = select(named, shape_number(head.z), is_inset);
    let depth = select(0.0, head.y, is_inset);
    let found = whole_region_distance(shape, point);
    return vec4<f32>(found.xyz, found.w + depth);
}

fn whole_region_distance(shape: u32, point: vec3<f32>) -> vec4<f32> {
    if shape_number(shapes[shape].x) == SHAPE_MESH {
        let triangle = mesh_nearest(shape, point);
        return mesh_signed(triangle, place_in_triangle(triangle, point), point);
    }
    return simple_distance(shape, point);
}

// A whole number in a word. Bit 30 is set in all of them, because a float without it may be so small that it is read as zero.
fn shape_number(word: f32) -> u32 {
    return bitcast<u32>(word) & 0x3fffffffu;
}

fn simple_distance(shape: u32, point: vec3<f32>) -> vec4<f32> {
    let head = shapes[shape];
    let size = shapes[shape + 1u];
    let from_center = point - head.yzw;
    switch shape_number(head.x) {
        case SHAPE_SPHERE: {
            let away = shape_outward(from_center);
            return vec4<f32>(away.xyz, away.w - size.x);
        }
        case SHAPE_PLANE: {
            return vec4<f32>(head.yzw, dot(point, head.yzw) - size.x);
        }
        case SHAPE_BOX: {
            return box_distance(from_center, size.xyz);
        }
        case SHAPE_ELLIPSOID: {
            return ellipsoid_distance(from_center, size, vec3<f32>(shapes[shape + 2u].xy, 0.0));
        }
        case SHAPE_CYLINDER: {
            return cylinder_distance(from_center, size, shapes[shape + 2u]);
        }
        default: {
            return vec4<f32>(0.0, 0.0, 1.0, 0.0);
        }
    }
}

// The direction and distance from a centre; in the centre itself, z is out.
fn shape_outward(from_center: vec3<f32>) -> vec4<f32> {
    let distance = length(from_center);
    if distance > 0.0 {
        return vec4<f32>(from_center / distance, distance);
    }
    return vec4<f32>(0.0, 0.0, 1.0, 0.0);
}

fn box_distance(point: vec3<f32>, half: vec3<f32>) -> vec4<f32> {
    let side = select(vec3<f32>(1.0), vec3<f32>(-1.0), point < vec3<f32>(0.0));
    let beyond = abs(point) - half;
    let outside = max(beyond, vec3<f32>(0.0));
    let distance = length(outside);
    if distance > 0.0 {
        return vec4<f32>(outside / distance * side, distance);
    }
    if beyond.x >= beyond.y && beyond.x >= beyond.z {
        return vec4<f32>(side.x, 0.0, 0.0, beyond.x);
    }
    if beyond.y >= beyond.z {
        return vec4<f32>(0.0, side.y, 0.0, beyond.y);
    }
    return vec4<f32>(0.0, 0.0, side.z, beyond.z);
}

// `shaft` is the direction of the axis and the radius, `rest` a direction across it and half its length.
fn cylinder_distance(from_middle: vec3<f32>, shaft: vec4<f32>, rest: vec4<f32>) -> vec4<f32> {
    let axis = shaft.xyz;
    let along = dot(from_middle, axis);
    let away = shape_outward(from_middle - along * axis);
    // On the axis every direction across is as good.
    let across = select(rest.xyz, away.xyz, away.w > 0.0);
    let end = select(axis, -axis, along < 0.0);
    let beyond = vec2<f32>(away.w, abs(along)) - vec2<f32>(shaft.w, rest.w);
    let outside = max(beyond, vec2<f32>(0.0));
    let distance = length(outside);
    if distance > 0.0 {
        return vec4<f32>((outside.x * across + outside.y * end) / distance, distance);
    }
    if beyond.x >= beyond.y {
        return vec4<f32>(across, beyond.x);
    }
    return vec4<f32>(end, beyond.y);
}

// `size` holds the semi-axes, the longest first, and which axis each is of; `excess` their squares over the square of the
// shortest, less one.
fn ellipsoid_distance(point: vec3<f32>, size: vec4<f32>, excess: vec3<f32>) -> vec4<f32> {
    let axes = size.xyz;
    let number = shape_number(size.w);
    let order = vec3<u32>(number & 3u, (number >> 2u) & 3u, (number >> 4u) & 3u);
    let sorted = vec3<f32>(point[order.x], point[order.y], point[order.z]);
    let side = select(vec3<f32>(1.0), vec3<f32>(-1.0), sorted < vec3<f32>(0.0));
    let nearest = side * axes * ellipsoid_nearest(abs(sorted), axes, excess);
    let distance = length(sorted - nearest);
    let scaled = sorted / axes;
    let normal = nearest / axes * (axes.z / axes);
    // Each goes back to its own axis.
    let number_of = vec3<u32>(0u, 1u, 2u);
    let second = select(vec3<f32>(normal.z), vec3<f32>(normal.y), number_of == vec3<u32>(order.y));
    let outward = select(second, vec3<f32>(normal.x), number_of == vec3<u32>(order.x));
    return vec4<f32>(
        unit_or(outward, vec3<f32>(0.0, 0.0, 1.0)),
        select(distance, -distance, dot(scaled, scaled) <= 1.0),
    );
}

// The nearest place of the ellipsoid in units of its axes, for a point without a negative coordinate.
//
// With s = 1 + t / e_min² of Eberly's equation the place is pull / (s + excess), and its length is 1. Small s are exact to
// their last bit, t is not. The inverse of the length is concave in s, so Newton's steps come up from below without passing the
// root (Conn, Gould and Toint, Trust Region Methods, 2000, 7.3.2); most often there are three to five.
fn ellipsoid_nearest(point: vec3<f32>, axes: vec3<f32>, excess: vec3<f32>) -> vec3<f32> {
    let pull = point / axes.z * (axes / axes.z);
    if pull.z <= 0.0 {
        let off = off_the_middle(pull, excess);
        if dot(off, off) > 0.0 {
            return off;
        }
    }
    // No coordinate of the place is above 1.
    let bounds = pull - excess;
    var s = max(max(bounds.x, bounds.y), max(bounds.z, 0.0));
    var place = pull / max(vec3<f32>(s) + excess, vec3<f32>(1e-30));
    for (var round = 0u; round < 24u; round++) {
        let squared = dot(place, place);
        let slope = dot(place * place, 1.0 / max(vec3<f32>(s) + excess, vec3<f32>(1e-30)));
        let step = squared * (sqrt(squared) - 1.0) / slope;
        if !(abs(step) > 2e-7 * s) {
            break;
        }
        s = max(s + step, 0.5 * s);
        place = pull / max(vec3<f32>(s) + excess, vec3<f32>(1e-30));
    }
    return unit_or(place, vec3<f32>(0.0, 0.0, 1.0));
}

// The nearest place of a point in the middle plane of the shortest axis, if it stands off that plane; zero if not. Of axes
// that are equally short the first is taken.
fn off_the_middle(pull: vec3<f32>, excess: vec3<f32>) -> vec3<f32> {
    let is_shortest = excess <= vec3<f32>(0.0);
    let far = select(vec3<f32>(0.0), vec3<f32>(2.0), pull > vec3<f32>(0.0));
    var place = select(min(pull / max(excess, vec3<f32>(1e-30)), vec3<f32>(2.0)), far, is_shortest);
    let left = 1.0 - dot(place, place);
    if left <= 0.0 {
        return vec3<f32>(0.0);
    }
    let up = sqrt(left);
    if is_shortest.x {
        place.x = up;
    } else if is_shortest.y {
        place.y = up;
    } else {
        place.z = up;
    }
    return place;
}

// The part of a triangle that is nearest to a point.
struct TrianglePlace {
    // How much of each corner the place is made of.
    weights: vec3<f32>,
    // The height of the point above the plane of the triangle.
    lift: f32,
    // The square of the distance.
    squared: f32,
    // 0 for the face, 1 to 3 for the edge that begins at the first to third corner, 4 to 6 for that corner.
    part: u32,
}

fn face_normal(triangle: u32) -> vec3<f32> {
    return vec3<f32>(shapes[triangle].w, shapes[triangle + 1u].w, shapes[triangle + 2u].w);
}

// As on the CPU (Ericson 2005, 5.1.5), but of the foot of the point in the triangle's plane: the products of a far point and a
// small triangle would leave no digits.
fn place_in_triangle(triangle: u32, point: vec3<f32>) -> TrianglePlace {
    let start = shapes[triangle].xyz;
    let ab = shapes[triangle + 1u].xyz - start;
    let ac = shapes[triangle + 2u].xyz - start;
    let bc = ac - ab;
    let normal = face_normal(triangle);
    let lift = dot(point - start, normal);
    let foot = point - start - lift * normal;
    let d1 = dot(ab, foot);
    let d2 = dot(ac, foot);
    let d3 = dot(ab, foot - ab);
    let d4 = dot(ac, foot - ab);
    let d5 = dot(ab, foot - ac);
    let d6 = dot(ac, foot - ac);
    let va = d3 * d6 - d5 * d4;
    let vb = d5 * d2 - d1 * d6;
    let vc = d1 * d4 - d3 * d2;
    var weights = vec3<f32>(1.0, 0.0, 0.0);
    var part = 4u;
    if d1 <= 0.0 && d2 <= 0.0 {
    } else if d3 >= 0.0 && d4 <= d3 {
        weights = vec3<f32>(0.0, 1.0, 0.0);
        part = 5u;
    } else if d6 >= 0.0 && d5 <= d6 {
        weights = vec3<f32>(0.0, 0.0, 1.0);
        part = 6u;
    } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let along = share_of(d1, ab);
        weights = vec3<f32>(1.0 - along, along, 0.0);
        part = 1u;
    } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let along = share_of(d2, ac);
        weights = vec3<f32>(1.0 - along, 0.0, along);
        part = 3u;
    } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let along = share_of(dot(bc, foot - ab), bc);
        weights = vec3<f32>(0.0, 1.0 - along, along);
        part = 2u;
    } else {
        // Rounding may leave a share below zero; the place is kept in the triangle.
        let shares = max(vec3<f32>(va, vb, vc), vec3<f32>(0.0));
        let sum = shares.x + shares.y + shares.z;
        if sum > 0.0 {
            weights = shares / sum;
            part = 0u;
        }
    }
    let away = point - start - weights.y * ab - weights.z * ac;
    return TrianglePlace(weights, lift, select(dot(away, away), lift * lift, part == 0u), part);
}

fn share_of(along: f32, edge: vec3<f32>) -> f32 {
    return clamp(along / max(dot(edge, edge), 1e-30), 0.0, 1.0);
}

// Boxes that are still to be entered. The tree halves its triangles, so 32 levels hold more than an array can.
var<private> boxes_to_enter: array<u32, 32>;

// The triangle that is nearest to a point: the nearer of two boxes is entered first, and one that is farther than the best
// triangle so far is left out.
fn mesh_nearest(shape: u32, point: vec3<f32>) -> u32 {
    let head = shapes[shape];
    var best = shape_number(head.w);
    var least = 3e38;
    var waiting = 1u;
    boxes_to_enter[0] = shape_number(head.z);
    while waiting > 0u {
        waiting--;
        let at = boxes_to_enter[waiting];
        // A point that is no number is near no box.
        if !(square_to_box(at, point) < least) {
            continue;
        }
        let link = shape_number(shapes[at].w);
        let count = shape_number(shapes[at + 1u].w);
        for (var member = 0u; member < count; member++) {
            let triangle = link + 6u * member;
            let squared = place_in_triangle(triangle, point).squared;
            if squared < least {
                least = squared;
                best = triangle;
            }
        }
        if count == 0u {
            let is_second_nearer = square_to_box(link, point) < square_to_box(at + 2u, point);
            // The nearer one lies on top.
            boxes_to_enter[waiting] = select(link, at + 2u, is_second_nearer);
            boxes_to_enter[waiting + 1u] = select(at + 2u, link, is_second_nearer);
            waiting += 2u;
        }
    }
    return best;
}

fn square_to_box(at: u32, point: vec3<f32>) -> f32 {
    let away = point - clamp(point, shapes[at].xyz, shapes[at + 1u].xyz);
    return dot(away, away);
}

// The normal whose side of the place tells inside from outside (Bærentzen and Aanæs 2005).
fn pseudonormal(triangle: u32, part: u32) -> vec3<f32> {
    if part == 0u {
        return face_normal(triangle);
    }
    if part < 4u {
        return shapes[triangle + 2u + part].xyz;
    }
    return corner_normal(triangle, part - 4u);
}

fn corner_normal(triangle: u32, corner: u32) -> vec3<f32> {
    return shapes[shape_number(shapes[triangle + 3u + corner].w)].xyz;
}

fn mesh_signed(triangle: u32, place: TrianglePlace, point: vec3<f32>) -> vec4<f32> {
    let normal = pseudonormal(triangle, place.part);
    // Above a face the direction is its normal, free of the rounding of a short difference.
    if place.part == 0u {
        return vec4<f32>(normal, place.lift);
    }
    let start = shapes[triangle].xyz;
    let ab = shapes[triangle + 1u].xyz - start;
    let ac = shapes[triangle + 2u].xyz - start;
    let away = point - start - place.weights.y * ab - place.weights.z * ac;
    let distance = length(away);
    let side = select(1.0, -1.0, dot(away, normal) < 0.0);
    // Closer than this the direction is made of rounding errors.
    let rounding = 5e-7 * (1.0 + length(point) + length(point - away));
    if distance > rounding {
        return vec4<f32>(side * away / distance, side * distance);
    }
    return vec4<f32>(normal, side * distance);
}

// As the signed distance, with a normal that does not jump at edges: within a tenth of the mean edge it turns into the mean of
// the corners' normals.
fn mesh_height(shape: u32, point: vec3<f32>) -> vec4<f32> {
    let triangle = mesh_nearest(shape, point);
    let place = place_in_triangle(triangle, point);
    let found = mesh_signed(triangle, place, point);
    var sum = vec3<f32>(0.0);
    for (var corner = 0u; corner < 3u; corner++) {
        sum += place.weights[corner] * corner_normal(triangle, corner);
    }
    let smooth_normal = unit_or(sum, face_normal(triangle));
    let share = min(abs(found.w) / shapes[shape].y, 1.0);
    return vec4<f32>(unit_or(mix(smooth_normal, found.xyz, share), found.xyz), found.w);
}
