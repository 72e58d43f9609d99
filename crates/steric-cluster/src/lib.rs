//! One scene on many processes, which may run on many machines.
//!
//! How it works: space is cut into blocks, one for each process (a *rank*, as MPI calls it). A rank owns the molecules whose centres lie in its block and
//! keeps copies, *ghosts*, of those of its neighbours that could touch one of its own. All sums are integers, so the result has the same bits for any number
//! of ranks. Everything speaks through [`comm::Comm`], which has three forms: one rank alone, ranks as threads of one process, and MPI (feature `mpi`).

mod blocks;
mod choose;
pub mod comm;
#[cfg(feature = "mpi")]
mod faults;
mod home;
pub mod relax;
mod wire;
