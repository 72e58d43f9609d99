//! What a relaxation did, in numbers.
