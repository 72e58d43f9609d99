//! Ranks that `mpirun` starts: they hear what ranks hear that are threads, and no failure of one leaves the others waiting.
//!
//! How it works: `examples/ranks.rs` is started four times over, on however few cores there are. A hang is the usual failure, so every job has a limit of time.

mod talk;

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use steric_cluster::comm::threads;

/// A job takes about a second.
const LIMIT: Duration = Duration::from_secs(60);

/// What tests need of Open MPI: root may run, more ranks than cores may, and a rank is not bound to a core. Other libraries do not read it.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
];

#[test]
fn ranks_of_mpi_hear_what_threads_hear() {
    for ranks in [1, 2, 3, 4] {
        let job = Job::start(ranks, "everything").end();
        assert!(job.status.success(), "{job:?}");
        assert_eq!(job.out, threads::run(ranks, talk::everything).concat(), "{ranks} ranks");
    }
}

#[test]
fn a_rank_that_is_killed_is_named_with_the_last_checkpoint() {
    for victim in [2, 0] {
        let mut job = Job::start(4, "hang");
        let processes: Vec<String> = (0..4).map(|_| job.line()).collect();
        let process = |rank: usize| processes[rank].split(' ').nth(1).expect("its number").to_owned();
        let killed = Instant::now();
        let kill = Command::new("kill").args(["-9", &process(victim)]).status().expect("kill is there");
        assert!(kill.success());
        let said = job.error_with("died");
        let (took, job) = (killed.elapsed(), job.end());
        assert!(said.starts_with(&format!("steric: rank {victim} died (")), "{said}");
        let rest =
            format!("process {}); last checkpoint run.ckpt, iteration 480; go on with --resume", process(victim));
        assert!(said.ends_with(&rest), "{said}");
        // The survivors say it at once; mpirun ends them for 1.2 seconds before it passes on what they said.
        assert!(took < Duration::from_secs(3), "said after {took:?}");
        assert!(killed.elapsed() < Duration::from_secs(5), "ended after {:?}", killed.elapsed());
        assert!(!job.status.success() && !job.err.contains("steric:"), "said once: {job:?}");
    }
}

#[test]
fn a_job_that_is_interrupted_names_the_last_checkpoint_once() {
    let mut job = Job::start(4, "hang");
    (0..4).for_each(|_| drop(job.line()));
    let interrupt =
        Command::new("kill").args(["-INT", &job.launcher.id().to_string()]).status().expect("kill is there");
    assert!(interrupt.success());
    let said = job.error_with("steric:");
    assert_eq!(
        said,
        "steric: the job was ended from outside; last checkpoint run.ckpt, iteration 480; go on with --resume"
    );
    let job = job.end();
    assert!(!job.err.contains("steric:"), "{job:?}");
}

#[test]
fn a_panic_of_one_rank_ends_the_job() {
    let began = Instant::now();
    let job = Job::start(4, "panic").end();
    assert!(job.err.contains("a broken promise") && !job.err.contains("died"), "{job:?}");
    assert_eq!(job.status.code(), Some(101), "{job:?}");
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_rank_that_gives_up_ends_the_job_with_its_code() {
    let job = Job::start(4, "give up").end();
    assert!(job.err.contains("rank 2: the scene is bad") && !job.err.contains("died"), "{job:?}");
    assert_eq!(job.status.code(), Some(2), "{job:?}");
}

#[test]
fn without_a_launcher_there_is_no_job() {
    let alone = Command::new(ranks_program()).arg("everything").output().expect("it starts");
    assert!(alone.status.success());
    assert_eq!(String::from_utf8_lossy(&alone.stderr), "started without mpirun: nothing to do\n");
}

/// A running job, its lines as they come.
struct Job {
    launcher: Child,
    out: mpsc::Receiver<String>,
    err: mpsc::Receiver<String>,
    began: Instant,
}

/// How a job ended, with what was not yet read of what it said.
#[derive(Debug)]
struct Ended {
    status: ExitStatus,
    out: String,
    err: String,
}

impl Job {
    fn start(ranks: usize, what: &str) -> Self {
        let mut command = Command::new("mpirun");
        command.args(["-n", &ranks.to_string()]).arg(ranks_program()).arg(what).envs(ENVIRONMENT);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut launcher = command.spawn().expect("mpirun is installed");
        let out = lines(launcher.stdout.take().expect("a pipe"));
        let err = lines(launcher.stderr.take().expect("a pipe"));
        Self { launcher, out, err, began: Instant::now() }
    }

    fn line(&mut self) -> String {
        self.out.recv_timeout(self.left()).expect("another line in time")
    }

    fn error_with(&mut self, word: &str) -> String {
        loop {
            let line = self.err.recv_timeout(self.left()).expect("another line of errors in time");
            if line.contains(word) {
                return line;
            }
        }
    }

    fn end(mut self) -> Ended {
        let status = loop {
            if let Some(status) = self.launcher.try_wait().expect("it was started") {
                break status;
            }
            if self.left().is_zero() {
                // With the launcher its ranks go, too.
                let _ended = Command::new("kill").arg(self.launcher.id().to_string()).status();
                panic!("the job hangs: {:?} {:?}", rest(&self.out), rest(&self.err));
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        Ended { status, out: rest(&self.out), err: rest(&self.err) }
    }

    fn left(&self) -> Duration {
        LIMIT.saturating_sub(self.began.elapsed())
    }
}

fn lines(from: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        let known = BufReader::new(from).lines().map_while(Result::ok);
        known.map(|line| sender.send(line)).take_while(Result::is_ok).for_each(drop);
    };
    std::thread::Builder::new().name("lines".into()).spawn(read).expect("a thread");
    receiver
}

fn rest(lines: &mpsc::Receiver<String>) -> String {
    std::iter::from_fn(|| lines.recv_timeout(Duration::from_secs(1)).ok()).map(|line| line + "\n").collect()
}

/// Cargo builds examples with the tests, but not when it is asked for one test alone.
fn ranks_program() -> PathBuf {
    let test = std::env::current_exe().expect("this test");
    let program = test.ancestors().nth(2).expect("the folder of the profile").join("examples/ranks");
    assert!(program.exists(), "{} is missing: cargo build --examples --features mpi", program.display());
    program
}
