// What every kernel knows: the scene's numbers, molecules, the board, and a little geometry.
//
// Places are whole numbers and a rest. A molecule's centre is `whole` angstroms from the scene's origin plus `part`; a
// cluster's origin is a whole number of 1/64 A; atoms are measured from their cluster's origin. So two near atoms are
// compared without the size of the scene entering, and what stands on a lattice of 1/64 A is compared exactly.

const UNITS: f32 = 64.0;       // of a cluster's origin in an angstrom
const ANGSTROMS: f32 = 0.015625; // in such a unit

// Cells of one size class of clusters.
struct Level {
    low: vec3<f32>,            // where the cells begin; 0 in a periodic box
    cells_per_angstrom: f32,
    cells: vec3<u32>,
    first: u32,                // its first entry in the table of cells
    largest: f32,              // radius of its largest cluster
    kind: u32,                 // DENSE, WRAPPED or PERIODIC
    unused_a: u32,
    unused_b: u32,
}

const DENSE: u32 = 0u;
const WRAPPED: u32 = 1u;
const PERIODIC: u32 = 2u;

struct Scene {
    atoms: u32,
    clusters: u32,
    molecules: u32,
    levels: u32,
    blocks: u32,               // of 4,096 cells
    list_room: u32,            // entries of the list of near clusters
    reach: f32,                // atoms touch when nearer than their radii and this
    radius: f32,               // of every atom, if all are equal
    inside: u32,               // whether atoms of one molecule count too
    owned: u32,                // molecules before this one are searched for; the others are only met
    grain: f32,                // places of atoms in their clusters are multiples of it, so that differences are exact
    unused: u32,
    // Rows: a place times these is fractional; columns: a fractional step times these is a place.
    fractional: array<vec4<f32>, 3>,
    vectors: array<vec4<f32>, 3>,
    widths: vec4<f32>,
    level: array<Level, 4>,
}

struct Body {
    whole: vec3<i32>,
    mobility: f32,             // one over its mass, 0 if it is fixed
    part: vec3<f32>,
    inverse_reach: f32,        // one over the distance of its farthest atom
    rotation: vec4<f32>,
    inertia_diagonal: vec3<f32>, // inverted, in its own frame
    reach: f32,
    inertia_beside: vec3<f32>, // xy, xz, yz
    gyration: f32,
    inverse_gyration: f32,
    group: u32,                // its constraints, 0xffffffff for none
    unused_a: u32,
    unused_b: u32,
}

// A share of the clusters, whose contacts are found and answered before those of the next.
struct Share {
    first_cluster: u32,
    end_cluster: u32,
    number: u32,
    tile_room: u32,            // for pairs of clusters that touch
}

// What a molecule is like: its surface's normal and, packed, for how long it has overlapped (16 bits), its warmth (8), and
// whether it has moved, breaks a constraint, is fixed, was touched in the last iteration.
const MOVED: u32 = 0x1000000u;
const BROKEN: u32 = 0x2000000u;
const FIXED: u32 = 0x4000000u;
const TOUCHED: u32 = 0x8000000u;

fn dirty_for(mood: u32) -> u32 { return mood & 0xffffu; }
fn warmth(mood: u32) -> u32 { return (mood >> 16u) & 0xffu; }
fn is_awake(mood: u32) -> bool { return (mood & 0x1ff0000u) != 0u; }
// Whether it may touch another one that is not alert, either: two that have neither moved nor been touched still do not touch.
fn is_alert(mood: u32) -> bool { return is_awake(mood) && (mood & (MOVED | TOUCHED)) != 0u; }

// What the order of the cells knows of a cluster's molecule: its number, whether it is alert, whether it is fixed.
const NUMBER: u32 = 0x3fffffffu;
const ALERT_OWNER: u32 = 0x40000000u;

// A cluster: nothing, its molecule, its first entry in the list, and how many entries (low 28 bits) and atoms.
fn entries(near: vec4<u32>) -> u32 { return near.w & 0xfffffffu; }
fn length_of(near: vec4<u32>) -> u32 { return near.w >> 28u; }

// An entry of a molecule's list of pairs of clusters that touch: where the pair stands in `tiles`, in the lowest bit whether the
// own cluster is the second of it, in the highest whether the other molecule is fixed.
const TILE: u32 = 0x7ffffffeu;
const OTHER_IS_FIXED: u32 = 0x80000000u;

// Where the cursors of a share stand: how many pairs of clusters touch, how many places there are on lists, how many batches.
fn tiles_of(share: u32) -> u32 { return 3u * share; }
fn places_of(share: u32) -> u32 { return 3u * share + 1u; }
fn batches_of(share: u32) -> u32 { return 3u * share + 2u; }

// Words of the board, which the kernels of one iteration leave for each other.
const ITERATION: u32 = 0u;
const DISTURBED: u32 = 1u;
const SEARCHING: u32 = 2u;
const SKIN: u32 = 3u;
const ALL_AWAKE: u32 = 4u;     // whether all count as awake
const HALTED: u32 = 5u;
const LISTED: u32 = 6u;
const SLOT: u32 = 7u;
const OVERLAPS: u32 = 8u;      // two words
const DEPTH: u32 = 10u;        // two words
const DEEPEST: u32 = 12u;
const OVERLAPPING: u32 = 13u;
const BROKEN_COUNT: u32 = 14u;
const AWAKE: u32 = 15u;
const MOVED_COUNT: u32 = 16u;
const FAR: u32 = 17u;
const FARTHEST: u32 = 18u;
const STALE: u32 = 19u;
const SEARCHES: u32 = 20u;
const SPARSE: u32 = 21u;        // whether only those that are alert look around, for a list that is used once
const STOPPED: u32 = 22u;       // set at the end of an iteration that has halted: nothing is searched any more
const HISTORY: u32 = 32u;       // behind the board: sixteen words of each iteration
const SHARES: u32 = 16u;        // of the scene, at most

const RESTS: u32 = 1u;
const LIST_FULL: u32 = 2u;
const CONTACTS_FULL: u32 = 3u;

// The number of a workgroup in a rectangle of them: rows of as many as fit along x.
fn group_number(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}

// A vector turned by a unit quaternion. The identity leaves every bit as it is.
fn turned(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

// A vector of length one, or another one where there is no direction.
fn unit_or(v: vec3<f32>, other: vec3<f32>) -> vec3<f32> {
    let squared = dot(v, v);
    return select(other, v * inverseSqrt(max(squared, 1e-30)), squared > 1e-24);
}
