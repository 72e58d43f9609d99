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
    unused: u32,
}

// A record has for each molecule the sums of what contacts and constraints ask of it: 27 for Newton, g and the lower triangle of
// H; else six, a shift and a turn. A sum stands in two words, its low bits and, half a record behind, the rest.
override SUMS: u32 = select(6u, 27u, RESPONSE == NEWTON);
// Words in half a record. Behind the sums: how many contacts, the deepest, the warmth passed on, whether a wall is broken.
override ROW: u32 = select(16u, 32u, RESPONSE == NEWTON);
const LOW_BITS: u32 = 12u;
const SQUARES: f32 = 262144.0; // whole steps in a unit of H
