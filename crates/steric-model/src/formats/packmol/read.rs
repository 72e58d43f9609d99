//! Reads an input, line by line.
//!
//! How it works: the first word of a line is its keyword, in any case. Between `structure` and `end structure` a line is first
//! offered to the structure; what is not about one is about the whole, wherever it stands, as in packmol.

use std::path::Path;

use glam::DVec3;

use super::keywords::{KEYWORDS, Treatment};
use super::structure::{Open, yes_or_no};
use super::words::{Word, Words};
use super::{DEFAULT_SEED, FileType, Layout, PackmolInput};
use crate::formats::text::Lines;
use crate::suggest::nearest;
use crate::{Parsed, Place, ReadError, Warnings};

/// Reads an input for packmol already in memory; `path` only serves messages.
///
/// ```
/// use steric_model::formats::packmol::read_packmol;
///
/// let text = b"tolerance 2.0\nstructure a.pdb\n insid box 0 0 0 9 9 9\nend structure\n";
/// let error = read_packmol(text, "a.inp".as_ref()).expect_err("a slip of the finger");
/// assert!(error.to_string().starts_with("a.inp:3: columns 2-6: expected a keyword of packmol (did you mean inside?)"));
/// ```
pub fn read_packmol(bytes: &[u8], path: &Path) -> Result<Parsed<PackmolInput>, ReadError> {
    let mut reader = Reader::new(path);
    let mut last = 0;
    for line in Lines::new(bytes) {
        last = line.number;
        let words = Words::of(line, path)?;
        if !words.is_empty() {
            reader.line(words)?;
        }
    }
    reader.finish(last)
}

struct Reader<'a> {
    path: &'a Path,
    warnings: Warnings,
    input: PackmolInput,
    tolerance: Option<f64>,
    open: Option<Open>,
    // Structures that have ended: whether they are whole is known when the whole file is.
    closed: Vec<Open>,
    /// Keywords that only PDB files have a word for. The file type may come behind them.
    of_pdb: Vec<(&'static str, Place)>,
}

/// What says how PDB files are written.
const OF_PDB: [&str; 11] = [
    "add_amber_ter",
    "add_box_sides",
    "amber_ter_preserve",
    "chain",
    "changechains",
    "connect",
    "hexadecimal_indices",
    "ignore_conect",
    "resnumbers",
    "segid",
    "writecrd",
];

impl<'a> Reader<'a> {
    fn new(path: &'a Path) -> Self {
        let input = PackmolInput {
            tolerance: 0.0,
            file_type: FileType::Pdb,
            output: None,
            seed: DEFAULT_SEED,
            structures: Vec::new(),
            periodic: None,
            sidemax: 1000.0,
            avoid_overlap: true,
            check: false,
            restart_from: None,
            restart_to: None,
            layout: Layout::default(),
        };
        Self {
            path,
            warnings: Warnings::default(),
            input,
            tolerance: None,
            open: None,
            closed: Vec::new(),
            of_pdb: Vec::new(),
        }
    }

    fn line(&mut self, mut words: Words<'_>) -> Result<(), ReadError> {
        let word = words.expect("a keyword")?;
        let keyword = word.text.to_ascii_lowercase();
        match KEYWORDS.iter().find(|known| known.name == keyword).map(|known| known.treatment) {
            None => return Err(words.error(&word, unknown(&word.text))),
            Some(Treatment::Refused(why)) => {
                return Err(words.error(&word, format!("an input without {keyword}: {why}")));
            }
            Some(Treatment::Accepted(why)) => {
                self.warnings.push(words.place(&word), || format!("{keyword} changes nothing: {why}"));
                return Ok(());
            }
            Some(Treatment::Honoured) => {}
        }
        let is_done = match (&mut self.open, keyword.as_str()) {
            (_, "structure" | "end") => false,
            (Some(open), keyword) => open.read(keyword, &mut words)?,
            (None, _) => false,
        };
        if !is_done {
            self.whole(&keyword, &word, &mut words)?;
        }
        if let Some(&of_pdb) = OF_PDB.iter().find(|&&of_pdb| of_pdb == keyword) {
            self.of_pdb.push((of_pdb, words.place(&word)));
        }
        words.end(&mut self.warnings);
        Ok(())
    }

    /// A line about the whole.
    fn whole(&mut self, keyword: &str, word: &Word, words: &mut Words<'_>) -> Result<(), ReadError> {
        let input = &mut self.input;
        match keyword {
            "tolerance" => {
                let first = self.tolerance.is_none();
                let tolerance = words.positive("a distance in angstroms")?;
                if first {
                    self.tolerance = Some(tolerance);
                } else {
                    self.warnings.push(words.place(word), || "a second tolerance; the first one counts".to_owned());
                }
            }
            "filetype" => input.file_type = file_type(words)?,
            "output" => input.output = Some(words.expect("a file")?.text.into()),
            "seed" => input.seed = words.integer("a whole number, or -1 for the clock")?,
            "structure" => return self.begin(words),
            "end" => return self.end(words),
            "pbc" => input.periodic = Some(periodic(words)?),
            "sidemax" => input.sidemax = words.positive("half the width of the space in angstroms")?,
            "avoid_overlap" => input.avoid_overlap = yes_or_no(words)?,
            "check" => input.check = true,
            "restart_from" => input.restart_from = Some(words.expect("a file")?.text.into()),
            "restart_to" => input.restart_to = Some(words.expect("a file")?.text.into()),
            "add_amber_ter" => input.layout.ter_between_molecules = true,
            "amber_ter_preserve" => input.layout.keep_ter = true,
            "hexadecimal_indices" => input.layout.hexadecimal = true,
            "ignore_conect" => input.layout.ignore_conect = true,
            "writecrd" => input.layout.crd = Some(words.expect("a file")?.text.into()),
            "add_box_sides" => {
                let more = if words.left() > 0 { words.float("angstroms to add to each edge")? } else { 0.0 };
                input.layout.box_sides = Some(more);
            }
            _ => return Err(words.error(word, format!("\"structure\" before {keyword}, which is about one"))),
        }
        Ok(())
    }

    fn begin(&mut self, words: &mut Words<'_>) -> Result<(), ReadError> {
        if let Some(open) = &self.open {
            let line = open.structure.line;
            return Err(words.line_error(format!("\"end structure\" for the structure of line {line} first")));
        }
        let file = words.expect("a molecule file")?.text;
        self.open = Some(Open::new(file.into(), words.line));
        Ok(())
    }

    fn end(&mut self, words: &mut Words<'_>) -> Result<(), ReadError> {
        let what = words.expect("structure or atoms")?;
        match (what.text.to_ascii_lowercase().as_str(), &mut self.open) {
            ("structure", open @ Some(_)) => self.closed.extend(open.take()),
            ("atoms", Some(open)) => open.end_atoms(words)?,
            ("structure" | "atoms", None) => return Err(words.line_error("\"structure\" before its end")),
            _ => return Err(words.error(&what, "structure or atoms")),
        }
        Ok(())
    }

    fn finish(mut self, last: usize) -> Result<Parsed<PackmolInput>, ReadError> {
        let missing = |expected: &str| {
            ReadError::content(self.path, Place::Line(last.max(1), None), expected, "the end of the file")
        };
        if let Some(open) = &self.open {
            let expected = format!("\"end structure\" for the structure of line {}", open.structure.line);
            return Err(missing(&expected));
        }
        if self.closed.is_empty() {
            return Err(missing("a structure"));
        }
        self.input.tolerance = self.tolerance.ok_or_else(|| missing("a tolerance, as in \"tolerance 2.0\""))?;
        for open in std::mem::take(&mut self.closed) {
            let (line, file) = (open.structure.line, open.structure.file.display().to_string());
            let place = Place::Line(line, None);
            let (structure, warnings) = open
                .close(self.input.periodic.is_some())
                .map_err(|expected| ReadError::content(self.path, place, expected, format!("structure {file}")))?;
            for warning in warnings {
                self.warnings.push(place, || format!("structure {file:.60}: {warning}"));
            }
            self.input.structures.push(structure);
        }
        if self.input.file_type != FileType::Pdb {
            for (keyword, place) in self.of_pdb {
                self.warnings.push(place, || format!("{keyword} changes nothing: only PDB files have a word for it"));
            }
        }
        Ok(Parsed { value: self.input, warnings: self.warnings })
    }
}

fn unknown(word: &str) -> String {
    match nearest(word, KEYWORDS.iter().map(|known| known.name)) {
        Some(near) => format!("a keyword of packmol (did you mean {near}?)"),
        None => "a keyword of packmol".to_owned(),
    }
}

fn file_type(words: &mut Words<'_>) -> Result<FileType, ReadError> {
    let word = words.expect("pdb, xyz or tinker")?;
    match word.text.to_ascii_lowercase().as_str() {
        "pdb" => Ok(FileType::Pdb),
        "xyz" => Ok(FileType::Xyz),
        "tinker" => Ok(FileType::Tinker),
        _ => Err(words.error(&word, "pdb, xyz or tinker")),
    }
}

fn periodic(words: &mut Words<'_>) -> Result<(DVec3, DVec3), ReadError> {
    let first = words.point("the box")?;
    let (low, high) =
        if words.left() > 0 { (first, words.point("the greatest corner")?) } else { (DVec3::ZERO, first) };
    if (high - low).min_element() <= 0.0 {
        return Err(words.line_error("a box with edges longer than 0"));
    }
    Ok((low, high))
}
