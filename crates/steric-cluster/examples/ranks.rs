//! A rank of a job of MPI, for the tests: `mpirun -n 4 ranks WHAT`.

#[path = "../tests/talk/mod.rs"]
mod talk;

use std::io::Write;
use std::sync::{Arc, Mutex};

use steric_cluster::comm::{Comm, Mpi};

fn main() {
    let what = std::env::args().nth(1).unwrap_or_default();
    let saved = Arc::new(Mutex::new(None));
    let mpi = Mpi::in_pieces(saved.clone(), talk::PIECE).expect("MPI suits");
    let Some(mpi) = mpi else {
        eprintln!("started without mpirun: nothing to do");
        return;
    };
    match what.as_str() {
        "everything" => speak(&mpi, &talk::everything(&mpi)),
        "hang" => {
            *saved.lock().expect("nobody panics with it") = Some("run.ckpt, iteration 480".into());
            // Whoever waits for it dies or is missed here.
            speak(&mpi, &format!("process {} of rank {}\n", std::process::id(), mpi.rank()));
            loop {
                mpi.sum(&mut [1]);
            }
        }
        "panic" => {
            // Work runs on threads of its own.
            let work = || assert!(mpi.rank() != 1, "a broken promise");
            std::thread::scope(|scope| scope.spawn(work).join()).expect("nobody comes here");
            mpi.sum(&mut [1]);
        }
        "give up" => {
            if mpi.rank() == 2 {
                eprintln!("rank 2: the scene is bad");
                mpi.give_up(2);
            }
            mpi.exchange(&[], &[2], &mut |_| ());
        }
        unknown => panic!("{unknown:?} is unknown"),
    }
}

/// By rank: lines of several processes would mix.
fn speak(comm: &dyn Comm, text: &str) {
    let all = comm.gather(text.as_bytes()).concat();
    if comm.rank() == 0 {
        let mut out = std::io::stdout().lock();
        out.write_all(&all).and_then(|()| out.flush()).expect("somebody listens");
    }
}
