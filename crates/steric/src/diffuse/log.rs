//! Every contact, as a table: CSV, or Parquet for those who have millions.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use steric_model::formats::parquet::{ColumnType, TableWriter, Value};
use steric_world::diffuse::{Collision, Diffusion, Outcome, Partner};

const COLUMNS: [(&str, ColumnType); 10] = [
    ("step", ColumnType::U64),
    ("time", ColumnType::F64),
    ("first", ColumnType::U64),
    ("first_species", ColumnType::Text),
    ("second", ColumnType::Text),
    ("second_species", ColumnType::Text),
    ("outcome", ColumnType::Text),
    ("x", ColumnType::F64),
    ("y", ColumnType::F64),
    ("z", ColumnType::F64),
];

/// A file of contacts, by its ending `.csv` or `.parquet`.
///
/// ```
/// use steric::diffuse::CollisionLog;
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("contacts.csv");
/// CollisionLog::create(&path, None)?.finish()?;
/// assert!(std::fs::read_to_string(&path)?.starts_with("step,time,first,first_species,second,"));
/// assert!(CollisionLog::create("contacts.doc".as_ref(), None).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct CollisionLog(Table);

#[derive(Debug)]
enum Table {
    Csv(BufWriter<File>),
    Parquet(Box<TableWriter<BufWriter<File>>>),
}

impl CollisionLog {
    /// Opens a file. A run that goes on after `resumed` steps keeps the rows of a CSV file up to there.
    pub fn create(path: &Path, resumed: Option<u64>) -> io::Result<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "csv" => {
                let kept = match resumed {
                    Some(step) if path.exists() => rows_before(path, step)?,
                    _ => Vec::new(),
                };
                let mut file = BufWriter::with_capacity(1 << 18, File::create(path)?);
                let names: Vec<&str> = COLUMNS.iter().map(|column| column.0).collect();
                writeln!(file, "{}", names.join(","))?;
                kept.iter().try_for_each(|row| writeln!(file, "{row}"))?;
                Ok(Self(Table::Csv(file)))
            }
            "parquet" if resumed.is_some() && path.exists() => {
                let text =
                    format!("{}: expected a new file, as Parquet cannot be continued; found one", path.display());
                Err(io::Error::new(io::ErrorKind::AlreadyExists, text))
            }
            "parquet" => Ok(Self(Table::Parquet(Box::new(TableWriter::create(path, &COLUMNS)?)))),
            other => {
                let text = format!("{}: expected a log that ends in .csv or .parquet, found {other:?}", path.display());
                Err(io::Error::new(io::ErrorKind::InvalidInput, text))
            }
        }
    }

    /// Writes contacts of the last step.
    pub fn write(&mut self, diffusion: &Diffusion) -> io::Result<()> {
        let species = &diffusion.setup().species;
        let rules = &diffusion.setup().rules;
        for contact in diffusion.collisions() {
            let Collision { step, time, first, second, kind, other_kind, at, outcome } = *contact;
            let first_species = species[kind as usize].name.as_str();
            let second_species = other_kind.map_or("", |kind| species[kind as usize].name.as_str());
            let second = match second {
                Partner::Particle(number) => number.to_string(),
                other => other.to_string(),
            };
            let outcome = match outcome {
                Outcome::Response => diffusion.setup().options.response.word().to_owned(),
                Outcome::Rule(rule) if (rule as usize) < rules.len() => format!("rule {}", rule + 1),
                Outcome::Rule(_) => "stick".to_owned(),
                Outcome::Absorbed => "absorbed".to_owned(),
            };
            match &mut self.0 {
                Table::Csv(file) => writeln!(
                    file,
                    "{step},{time},{first},{},{second},{},{outcome},{:.4},{:.4},{:.4}",
                    quoted(first_species),
                    quoted(second_species),
                    at.x,
                    at.y,
                    at.z
                )?,
                Table::Parquet(table) => table.row(&[
                    step.into(),
                    time.into(),
                    u64::from(first).into(),
                    first_species.into(),
                    second.as_str().into(),
                    second_species.into(),
                    Value::Text(&outcome),
                    at.x.into(),
                    at.y.into(),
                    at.z.into(),
                ])?,
            }
        }
        Ok(())
    }

    /// What is in memory goes to the disk; called before a checkpoint.
    pub fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Table::Csv(file) => file.flush(),
            Table::Parquet(_) => Ok(()),
        }
    }

    /// Ends the file.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Table::Csv(mut file) => file.flush(),
            Table::Parquet(table) => table.finish().map(drop),
        }
    }
}

fn quoted(name: &str) -> std::borrow::Cow<'_, str> {
    if name.contains([',', '"', '\n']) { format!("\"{}\"", name.replace('"', "\"\"")).into() } else { name.into() }
}

/// Whole rows of steps before one.
fn rows_before(path: &Path, step: u64) -> io::Result<Vec<String>> {
    let mut rows = Vec::new();
    for row in BufReader::new(File::open(path)?).lines().skip(1) {
        let row = row?;
        let is_before = row.split(',').next().and_then(|number| number.parse::<u64>().ok()).is_some_and(|at| at < step);
        if is_before && row.split(',').count() >= COLUMNS.len() {
            rows.push(row);
        }
    }
    Ok(rows)
}
