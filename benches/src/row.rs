//! One measurement, as a line of CSV.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The columns, in order.
const HEADER: &str = "scene,atoms,program,what,threads,machine,commit,median_ms,spread_ms,pairs,peak_mb,ratio";

/// One measurement; times in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) scene: String,
    pub(crate) atoms: u64,
    pub(crate) program: String,
    pub(crate) what: String,
    pub(crate) threads: u64,
    pub(crate) median_ms: f64,
    pub(crate) spread_ms: f64,
    pub(crate) pairs: u64,
    pub(crate) peak_mb: f64,
    /// This row's time over that of steric counting on one thread in the same scene; 0 while unknown.
    pub(crate) ratio: f64,
}

impl Row {
    /// A row from the JSON that a program prints; the scene is ours to name.
    pub(crate) fn from_json(value: &Value, scene: &str) -> Result<Self, String> {
        let number = |key: &str| value[key].as_f64().ok_or(format!("expected a number {key:?}, found {value}"));
        let whole = |key: &str| value[key].as_u64().ok_or(format!("expected a whole number {key:?}, found {value}"));
        let text = |key: &str, otherwise: &str| value[key].as_str().unwrap_or(otherwise).to_owned();
        Ok(Self {
            scene: scene.to_owned(),
            atoms: whole("atoms")?,
            program: text("program", "steric"),
            what: text("what", "count"),
            threads: whole("threads")?,
            median_ms: number("milliseconds")?,
            spread_ms: number("spread_ms").unwrap_or_default(),
            pairs: whole("pairs")?,
            peak_mb: number("peak_mb").unwrap_or_default(),
            ratio: 0.0,
        })
    }

    /// The rows of a JSON array, or of the `rows` of an object.
    pub(crate) fn from_steric(text: &str, scene: Option<&str>) -> Result<Vec<Self>, String> {
        let document: Value = serde_json::from_str(text).map_err(|error| format!("steric bench: {error}"))?;
        let rows = document.as_array().or(document["rows"].as_array()).ok_or("steric bench: expected an array")?;
        let row = |value: &Value| Self::from_json(value, scene.or(value["scene"].as_str()).unwrap_or_default());
        rows.iter().map(row).collect()
    }

    fn line(&self, machine: &str, commit: &str) -> String {
        let Self { scene, atoms, program, what, threads, median_ms, spread_ms, pairs, peak_mb, ratio } = self;
        format!(
            "{scene},{atoms},{program},{what},{threads},{machine},{commit},\
             {median_ms:.3},{spread_ms:.3},{pairs},{peak_mb:.1},{ratio:.2}"
        )
    }

    fn from_line(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.split(',').collect();
        let [scene, atoms, program, what, threads, _, _, median, spread, pairs, peak, ratio] = cells[..] else {
            return None;
        };
        Some(Self {
            scene: scene.into(),
            atoms: atoms.parse().ok()?,
            program: program.into(),
            what: what.into(),
            threads: threads.parse().ok()?,
            median_ms: median.parse().ok()?,
            spread_ms: spread.parse().ok()?,
            pairs: pairs.parse().ok()?,
            peak_mb: peak.parse().ok()?,
            ratio: ratio.parse().ok()?,
        })
    }
}

/// Gives each row its ratio to steric, one thread, count, in the same scene of the same size.
pub(crate) fn set_ratios(rows: &mut [Row]) {
    let ours: Vec<Row> =
        rows.iter().filter(|row| (&*row.program, &*row.what, row.threads) == ("steric", "count", 1)).cloned().collect();
    for row in rows {
        let same = ours.iter().find(|other| (&other.scene, other.atoms) == (&row.scene, row.atoms));
        row.ratio = same.map_or(0.0, |other| row.median_ms / other.median_ms);
    }
}

/// Writes `benches/results/<machine>/<name>.csv` and says where.
pub(crate) fn write_csv(name: &str, rows: &[Row]) -> Result<(), String> {
    let (machine, commit) = (machine(), commit());
    let lines: Vec<String> = rows.iter().map(|row| row.line(&machine, &commit)).collect();
    write_result(&format!("{name}.csv"), &format!("{HEADER}\n{}\n", lines.join("\n")))
}

/// The rows of `benches/results/<machine>/<name>.csv`.
pub(crate) fn read_csv(name: &str) -> Result<Vec<Row>, String> {
    let path = results().join(format!("{name}.csv"));
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let row = |(number, line)| Row::from_line(line).ok_or(format!("{}:{}: {line:?}", path.display(), number + 1));
    text.lines().enumerate().skip(1).map(row).collect()
}

/// Writes a file beside the CSVs and says where.
pub(crate) fn write_result(name: &str, text: &str) -> Result<(), String> {
    let path = results().join(name);
    std::fs::create_dir_all(results()).and_then(|()| std::fs::write(&path, text)).map_err(|error| error.to_string())?;
    println!("wrote {}", path.display());
    Ok(())
}

/// The folder of this machine's results.
pub(crate) fn results() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results").join(machine())
}

/// The processor and its cores, as a folder name; `STERIC_MACHINE` overrides it.
fn machine() -> String {
    let described = std::env::var("STERIC_MACHINE").unwrap_or_else(|_| {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(std::env::consts::ARCH);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        format!("{model} {cores} cores")
    });
    let words = described.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|changes| !changes.is_empty());
    format!("{}{}", git(&["rev-parse", "--short", "HEAD"]).unwrap_or_default(), if changed { "+" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_survives_the_csv() {
        let json = r#"[{"scene":"rods","atoms":1000,"threads":1,"what":"count","milliseconds":2.5,"pairs":7},
                       {"scene":"rods","atoms":1000,"threads":2,"what":"force","milliseconds":5.0,"pairs":7}]"#;
        let mut rows = Row::from_steric(json, None).expect("two rows");
        set_ratios(&mut rows);
        assert_eq!((rows[0].ratio, rows[1].ratio), (1.0, 2.0));
        assert_eq!(Row::from_line(&rows[1].line("box", "abc")), Some(rows[1].clone()));
    }
}
