//! `mpirun -n N steric relax` as a user meets it: the same files for any number of ranks, checkpoints, and what happens when a rank dies.

#[cfg(target_os = "linux")]
use std::collections::BTreeMap;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const STERIC: &str = env!("CARGO_BIN_EXE_steric");
/// A hang is the usual way of failing.
const LIMIT: Duration = Duration::from_secs(240);
/// Where many ranks share few processors, and where the tests run as root.
const SETTINGS: [(&str, &str); 6] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
];

fn start(folder: &Path, ranks: usize, arguments: &[&str]) -> Child {
    let mut command = if ranks == 0 { Command::new(STERIC) } else { Command::new("mpirun") };
    if ranks > 0 {
        command.args(["-n", &ranks.to_string(), STERIC]).envs(SETTINGS);
    }
    command.args(arguments).args(["--threads", "1"]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun and steric start")
}

fn ended(mut child: Child) -> Output {
    let began = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if began.elapsed() > LIMIT {
            // The next line tells what it had said.
            let _ = child.kill();
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("a child")
}

fn steric(folder: &Path, ranks: usize, arguments: &[&str]) -> Output {
    ended(start(folder, ranks, arguments))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const VESICLE: [&str; 9] =
    ["relax", "vesicle", "--count", "500", "--area-per-lipid", "62", "--max-iterations", "400", "--json"];

fn report(output: &Output) -> serde_json::Value {
    let text = text(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{}", self::text(&output.stderr)))
}

#[test]
fn any_number_of_ranks_writes_the_file_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let run = |ranks: usize| {
        let file = format!("{ranks}.cif");
        let output = steric(folder.path(), ranks, &[&VESICLE[..], &["-o", &file]].concat());
        let (report, code) = (report(&output), output.status.code());
        assert!(code == Some(0) || code == Some(1), "{ranks} ranks: {code:?} {}", text(&output.stderr));
        (report, std::fs::read(folder.path().join(file)).unwrap(), code)
    };
    let (plain, file, code) = run(0);
    assert!(plain["iterations"].as_u64().unwrap() > 10);
    for ranks in [1, 2, 3, 4] {
        let (shared, own, own_code) = run(ranks);
        assert_eq!(shared["state_hash"], plain["state_hash"], "{ranks} ranks");
        assert_eq!(shared["iterations"], plain["iterations"], "{ranks} ranks");
        assert_eq!((own == file, own_code), (true, code), "{ranks} ranks");
        if ranks > 1 {
            assert_eq!(shared["ranks"]["ranks"], ranks);
            assert!(shared["ranks"]["most_ghosts"].as_u64().unwrap() > 0);
            assert!(shared["ranks"]["bytes_per_iteration"].as_f64().unwrap() > 0.0);
            assert!(shared["ranks"]["most_owned"].as_u64().unwrap() < 500);
        }
    }
}

/// Processes of this test whose command line names the folder's checkpoint, first started first.
#[cfg(target_os = "linux")]
fn ranks_with(checkpoint: &str) -> Vec<i32> {
    let mut found: Vec<i32> = std::fs::read_dir("/proc")
        .expect("processes")
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|id: &i32| {
            let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            let line = text(&line);
            line.starts_with(STERIC) && line.contains(checkpoint)
        })
        .collect();
    found.sort_unstable();
    found
}

#[cfg(target_os = "linux")]
fn files_of_checkpoint(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let is_kept =
        |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("killed.ckpt"));
    files.filter(is_kept).map(|file| (file.clone(), std::fs::read(file).expect("a file"))).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_rank_ends_the_job_and_the_run_goes_on_with_other_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let expected = report(&steric(folder.path(), 0, &VESICLE));
    let checkpoint = folder.path().join("killed.ckpt").display().to_string();
    let saving = [&VESICLE[..], &["--checkpoint", &checkpoint, "--checkpoint-every", "0.01"]].concat();
    let child = start(folder.path(), 3, &saving);
    let began = Instant::now();
    // Ranks know of a checkpoint before they begin the next.
    let mut first = None;
    while std::fs::read(&checkpoint).ok().is_none_or(|text| *first.get_or_insert_with(|| text.clone()) == text) {
        assert!(began.elapsed() < LIMIT, "no second checkpoint");
        std::thread::sleep(Duration::from_millis(5));
    }
    let ranks = ranks_with(&checkpoint);
    assert_eq!(ranks.len(), 3, "{ranks:?}");
    let killed = Command::new("kill").args(["-9", &ranks[2].to_string()]).status().unwrap();
    assert!(killed.success());
    let at = Instant::now();
    let output = ended(child);
    assert!(at.elapsed() < Duration::from_secs(10), "{:?}", at.elapsed());
    let said = text(&output.stderr);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("died") && said.contains("killed.ckpt, iteration "), "{said}");
    // Two ranks, then one process, from the same checkpoint: the manifest and its parts.
    let kept = files_of_checkpoint(folder.path());
    assert!(kept.len() > 3, "{}", kept.len());
    for ranks in [2, 0] {
        files_of_checkpoint(folder.path()).keys().for_each(|file| std::fs::remove_file(file).unwrap());
        kept.iter().for_each(|(file, bytes)| std::fs::write(file, bytes).unwrap());
        let resumed = steric(folder.path(), ranks, &[&saving[..], &["--resume"]].concat());
        assert!(text(&resumed.stderr).contains("going on from"), "{}", text(&resumed.stderr));
        let resumed = report(&resumed);
        assert_eq!(resumed["state_hash"], expected["state_hash"], "{ranks} ranks");
        assert_eq!(resumed["iterations"], expected["iterations"], "{ranks} ranks");
    }
}

#[test]
fn what_is_wrong_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.toml"), "[[membrane]]\ncount = -3\n").unwrap();
    for (arguments, expected) in [
        (&["relax", "bad.toml"][..], "bad.toml"),
        (&["relax", "nowhere"], "nowhere"),
        (&["relax", "vesicle", "--count", "many"], "--count"),
        (&["relax", "vesicle", "--backend", "gpu"], "expected"),
        (&["check", "any.pdb"], "expected steric relax on several ranks"),
    ] {
        let output = steric(folder.path(), 4, arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert_eq!(
            said.lines().filter(|line| line.contains(expected) && !line.contains("mpirun")).count(),
            1,
            "{arguments:?}: {said}"
        );
    }
}
