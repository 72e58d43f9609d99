//! How a molecule answers its overlaps.
