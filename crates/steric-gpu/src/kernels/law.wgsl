// The numbers of a relaxation, and what the words of a record are.

override RESPONSE: u32 = 0u;
const NEWTON: u32 = 0u;
const PROJECTION: u32 = 1u;
const THESIS: u32 = 2u;

struct Law {
    reach: f32,                // beyond the sum of radii atoms are pushed up to here
    overlap: f32,              // and overlap up to there
    clearance: f32,            // and are not clear of each other this much farther, once anything has overlapped
    bias: f32,
    bias_iterations: u32,
    bias_after: u32,
    ramp: f32,
    scale: f32,                // whole steps in a unit of a push
    step: f32,
    damping: f32,
    momentum: f32,
    max_move: f32,
    force: f32,
    torque: f32,
    spring: f32,
    spring_torque: f32,
    skin: f32,                 // negative: follows the motion
    sleep: u32,
    most_push: f32,
    walls: u32,                // records of walls stand so far behind those of contacts; 0 for none
}

const WORDS: u32 = 32u;        // of a record
const CONTACTS: u32 = 27u;
const OVERLAP_SUM: u32 = 28u;
const DEPTH_SUM: u32 = 29u;
const DEEPEST_OF: u32 = 30u;
const WARMTH_OF: u32 = 31u;
