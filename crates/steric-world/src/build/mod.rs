//! From a scene file to molecules in place.
