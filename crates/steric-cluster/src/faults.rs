//! What a job says when one of its ranks dies.
//!
//! How it works: at the beginning all ranks tell their host, their process and when it began. On each host the lowest rank looks at the processes of the
//! others five times a second, and the others look at its own; whoever launched the job tells the survivors to end (SIGTERM) about a second after a death, and then each looks
//! at all. The lowest survivor names who died and the last checkpoint, and the job ends. A file that can be made only once sees to it that one rank speaks for a host.

use std::fs::{DirEntry, File};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::comm::Saved;

/// Between two looks at the others.
const LOOK: Duration = Duration::from_millis(200);
/// Between two looks at signals: Open MPI waits 0.2 seconds after SIGTERM.
const LISTEN: Duration = Duration::from_millis(20);
/// Survivors wait so long, so that all have looked before the first one is gone.
const LAST_LOOK: Duration = Duration::from_millis(100);
/// Launchers end a job by themselves about a second after a death; some do so only if they are asked to.
const PATIENCE: Duration = Duration::from_secs(2);
/// What a job returns of which a rank died.
const DIED: i32 = 3;

/// A rank as the others know it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Peer {
    rank: usize,
    host: String,
    process: u32,
    /// In ticks since the machine began: processes that come later may get the number of a dead one. 0: cannot be seen.
    began: u64,
}

/// A rank's eyes on the others of its host.
pub(crate) struct Watch {
    own: Peer,
    saved: Saved,
    /// Those on this host, by rank, this one among them.
    peers: OnceLock<Vec<Peer>>,
    rests: AtomicBool,
}

impl Watch {
    pub(crate) fn new(rank: usize, host: &str, saved: Saved) -> Self {
        let process = std::process::id();
        let own = Peer { rank, host: host.into(), process, began: began(process).unwrap_or_default() };
        Self { own, saved, peers: OnceLock::new(), rests: AtomicBool::new(false) }
    }

    /// What the others have to know of this rank.
    pub(crate) fn own(&self) -> String {
        format!("{} {} {}", self.own.process, self.own.began, self.own.host)
    }

    /// Looks at the others from now on; `end` ends all ranks.
    pub(crate) fn begin(self: &Arc<Self>, told: &[Vec<u8>], end: impl Fn(i32) + Send + 'static) {
        let peers = told.iter().enumerate().filter_map(|(rank, told)| peer(rank, told));
        // Ranks in containers may have the same host and see no process of each other.
        let is_seen = |peer: &Peer| peer.host == self.own.host && !peer.is_dead();
        let _first = self.peers.set(peers.filter(is_seen).collect());
        forget_ended_jobs();
        let watch = self.clone();
        let builder = std::thread::Builder::new().name("watch".into());
        if let Err(error) = builder.spawn(move || watch.look(end)) {
            say(&format!("rank {}: nobody looks whether others die: {error}", self.own.rank));
        }
    }

    /// The run is over, and ranks may leave.
    pub(crate) fn rest(&self) {
        self.rests.store(true, Ordering::Relaxed);
    }

    /// This rank has said why the job ends; whether it was the first.
    pub(crate) fn has_spoken(&self) -> bool {
        File::create_new(self.mark()).is_ok()
    }

    fn peers(&self) -> &[Peer] {
        self.peers.get().map_or(&[], Vec::as_slice)
    }

    /// The file that says that somebody has spoken: one for each job and host.
    fn mark(&self) -> PathBuf {
        let Peer { process, began, .. } = self.peers().first().unwrap_or(&self.own);
        marks().join(format!("{MARK}{process}-{began}.ended"))
    }

    fn look(&self, end: impl Fn(i32)) {
        let mut signals = Signals::new();
        let mut looked = Instant::now();
        loop {
            std::thread::sleep(LISTEN);
            if signals.ask_to_end() {
                self.is_told_to_end();
            }
            if looked.elapsed() < LOOK {
                continue;
            }
            looked = Instant::now();
            if self.misses_one_it_looks_at() && !self.rests.load(Ordering::Relaxed) {
                self.speak();
                if self.waits_for_the_launcher(&mut signals) {
                    self.is_told_to_end();
                }
                end(DIED);
            }
        }
    }

    fn waits_for_the_launcher(&self, signals: &mut Signals) -> bool {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            std::thread::sleep(LISTEN);
            if signals.ask_to_end() {
                return true;
            }
        }
        false
    }

    /// The launcher gives a moment to say something.
    fn is_told_to_end(&self) -> ! {
        self.speak();
        std::thread::sleep(LAST_LOOK);
        let _one_rank_finds_it = std::fs::remove_file(self.mark());
        std::process::exit(DIED)
    }

    /// Looking at all from everywhere would be too much on a host of 128 ranks.
    fn misses_one_it_looks_at(&self) -> bool {
        let peers = self.peers();
        let is_lowest = peers.first() == Some(&self.own);
        let watched = if is_lowest { peers } else { &peers[..peers.len().min(1)] };
        watched.iter().any(Peer::is_dead)
    }

    /// Says who died, if this is the lowest survivor and nobody has spoken.
    fn speak(&self) {
        let (dead, alive): (Vec<_>, Vec<_>) = self.peers().iter().partition(|peer| peer.is_dead());
        let speaks = alive.first().is_none_or(|peer| **peer == self.own);
        // Who died elsewhere is seen there; rank 0 speaks for all.
        if speaks && (!dead.is_empty() || self.own.rank == 0) && self.has_spoken() {
            say(&last_words(&dead, self.saved.lock().unwrap_or_else(PoisonError::into_inner).as_deref()));
        }
    }
}

/// How the names of marks begin.
const MARK: &str = "steric-job-";

/// The folder of marks: a disk may be busy for longer than there is time.
fn marks() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// Removes the marks of jobs that had no time for it.
fn forget_ended_jobs() {
    let is_old = |file: &DirEntry| {
        let is_mark = file.file_name().to_string_lossy().starts_with(MARK);
        let age = file.metadata().and_then(|known| known.modified()).map(|made| made.elapsed().unwrap_or_default());
        is_mark && age.is_ok_and(|age| age > Duration::from_secs(60))
    };
    for file in std::fs::read_dir(marks()).into_iter().flatten().flatten().filter(is_old) {
        let _others_do_so_too = std::fs::remove_file(file.path());
    }
}

impl Peer {
    fn is_dead(&self) -> bool {
        match began(self.process) {
            Ok(began) => began != self.began,
            Err(error) => self.began > 0 && is_gone(&error),
        }
    }
}

fn is_gone(error: &std::io::Error) -> bool {
    // ESRCH: it went while its file was read.
    error.kind() == std::io::ErrorKind::NotFound || error.raw_os_error() == Some(3)
}

/// When a process began, in ticks since the machine did; 0 for one that is dead and not yet forgotten.
fn began(process: u32) -> std::io::Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program stands in parentheses and may hold anything; the state is field 3 and the beginning field 22.
    let fields: Vec<_> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let is_dead = matches!(fields.first(), Some(&("Z" | "X" | "x")));
    Ok(if is_dead { 0 } else { fields.get(19).and_then(|ticks| ticks.parse().ok()).unwrap_or_default() })
}

fn peer(rank: usize, told: &[u8]) -> Option<Peer> {
    let mut fields = std::str::from_utf8(told).ok()?.splitn(3, ' ');
    let [process, began, host] = [fields.next()?, fields.next()?, fields.next()?];
    Some(Peer { rank, host: host.into(), process: process.parse().ok()?, began: began.parse().ok()? })
}

fn last_words(dead: &[&Peer], saved: Option<&str>) -> String {
    let died = |peer: &&Peer| format!("rank {} died ({}, process {})", peer.rank, peer.host, peer.process);
    let who: Vec<_> = dead.iter().map(died).collect();
    let why = if who.is_empty() { "the job was ended from outside".into() } else { who.join(", ") };
    match saved {
        Some(saved) => format!("{why}; last checkpoint {saved}; go on with --resume"),
        None => format!("{why}; there is no checkpoint (--checkpoint FILE keeps one)"),
    }
}

fn say(sentence: &str) {
    let mut out = std::io::stderr().lock();
    // Nobody is left to hear of a failure.
    let _heard = writeln!(out, "steric: {sentence}").and_then(|()| out.flush());
}

#[cfg(unix)]
struct Signals(Option<signal_hook::iterator::Signals>);

#[cfg(unix)]
impl Signals {
    fn new() -> Self {
        Self(signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM]).ok())
    }

    fn ask_to_end(&mut self) -> bool {
        self.0.as_mut().is_some_and(|signals| signals.pending().next().is_some())
    }
}

/// Other systems end processes without a word.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Self {
        Self
    }

    fn ask_to_end(&mut self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_peer(rank: usize, process: u32, began: u64) -> Peer {
        Peer { rank, host: "node 7".into(), process, began }
    }

    #[test]
    fn last_words_name_the_dead_and_the_checkpoint() {
        let dead = a_peer(2, 1234, 5);
        assert_eq!(
            last_words(&[&dead], Some("run.ckpt, iteration 480")),
            "rank 2 died (node 7, process 1234); last checkpoint run.ckpt, iteration 480; go on with --resume"
        );
        assert!(last_words(&[&dead, &dead], None).contains("process 1234), rank 2 died"));
        assert!(last_words(&[], None).starts_with("the job was ended from outside; there is no checkpoint"));
    }

    #[test]
    fn what_a_rank_tells_is_understood() {
        let watch = Watch::new(3, "node 7", Saved::default());
        let own = peer(3, watch.own().as_bytes()).expect("three fields");
        assert_eq!(own, watch.own);
        assert!(!own.is_dead());
        assert_eq!(peer(0, b"no number"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_dead_are_seen_even_before_they_are_forgotten() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep");
        let peer = a_peer(1, child.id(), began(child.id()).expect("it runs"));
        assert!(!peer.is_dead());
        assert!(a_peer(1, child.id(), peer.began + 1).is_dead(), "another process of that number");
        child.kill().expect("it runs");
        let tried = Instant::now();
        while !peer.is_dead() && tried.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(LISTEN);
        }
        assert!(peer.is_dead(), "not yet waited for");
        child.wait().expect("it was killed");
        assert!(peer.is_dead());
    }
}
