//! `steric info`: what is in a file, or which GPUs there are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use steric::check::Input;
use steric::model::chemistry::is_water;
use steric::model::formats::Format;
use steric::model::{Assembly, Element, Structure};

use crate::failure::Failure;
use crate::gpus;
use crate::options::Shared;
use crate::output::{self, Verdict};
use crate::table::{self, counted, duration, thousands};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Molecule files
    #[arg(required_unless_present = "gpus", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// List the GPUs of this machine instead, and which one is taken if none is asked for
    #[arg(long, conflicts_with = "files")]
    gpus: bool,
}

/// What is in a file; counts are of atom sites as they stand there, nothing expanded.
#[derive(Debug, Serialize)]
struct Info {
    file: String,
    format: Option<&'static str>,
    name: String,
    atoms: usize,
    residues: usize,
    chains: usize,
    models: usize,
    atoms_in_first_model: usize,
    alternate_sites: usize,
    waters: usize,
    hydrogens: usize,
    elements: BTreeMap<String, usize>,
    r#box: Option<Cell>,
    assemblies: Vec<AssemblyInfo>,
    bonds: usize,
    seconds: f64,
    warnings: Vec<String>,
    warning_count: usize,
}

#[derive(Debug, Serialize)]
struct Cell {
    edges: [f64; 3],
    angles_degrees: [f64; 3],
    space_group: String,
}

#[derive(Debug, Serialize)]
struct AssemblyInfo {
    id: String,
    bodies: usize,
    copies: u64,
    expanded_atoms: u64,
}

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    if arguments.gpus {
        return gpus::run(shared);
    }
    output::check_outputs(&arguments.files, [shared.output.as_deref()])?;
    let quiet = Shared { quiet: true, ..shared.clone() };
    let mut infos = Vec::new();
    for path in &arguments.files {
        infos.push(Info::new(&output::read(path, &quiet)?));
    }
    let text = |_| infos.iter().map(text).collect::<Vec<_>>().join("\n");
    match &infos[..] {
        [info] => output::report(shared, info, text)?,
        infos => output::report(shared, &infos, text)?,
    }
    Ok(Verdict::Clean)
}

impl Info {
    fn new(input: &Input) -> Self {
        let Input { structure, warnings, .. } = input;
        let atoms = &structure.atoms;
        let water_atoms = atoms.residues.iter().map(|&residue| structure.residues[residue as usize].name);
        let mut elements: BTreeMap<String, usize> = BTreeMap::new();
        for element in &atoms.elements {
            *elements.entry(element.symbol().to_owned()).or_default() += 1;
        }
        Self {
            file: input.path.display().to_string(),
            format: format_of(&input.path).map(Format::name),
            name: structure.name.clone(),
            atoms: atoms.len(),
            residues: structure.residues.len(),
            chains: structure.chains.iter().map(|chain| (chain.model, &chain.name)).collect::<BTreeSet<_>>().len(),
            models: structure.models.len(),
            atoms_in_first_model: structure.models.first().map_or(0, |model| model.atoms.len()),
            alternate_sites: atoms.alternates.iter().filter(|&&alternate| alternate != 0).count(),
            waters: water_atoms.filter(|&name| is_water(name)).count(),
            hydrogens: atoms.elements.iter().filter(|&&element| element == Element::HYDROGEN).count(),
            elements,
            r#box: cell(structure),
            assemblies: structure.assemblies.iter().map(|assembly| AssemblyInfo::new(structure, assembly)).collect(),
            bonds: structure.bonds.len(),
            seconds: input.read.as_secs_f64(),
            warnings: warnings.first.iter().map(ToString::to_string).collect(),
            warning_count: warnings.total,
        }
    }
}

/// The format by the beginning of the content, else by the ending.
fn format_of(path: &Path) -> Option<Format> {
    const BEGINNING: u64 = 1 << 16;
    let (mut start, mut content) = (Vec::new(), Vec::new());
    File::open(path).ok()?.take(BEGINNING).read_to_end(&mut start).ok()?;
    if start.starts_with(&[0x1f, 0x8b]) {
        // The compressed beginning ends in the middle of a block, which is an error after the bytes we want.
        let _ = flate2::read::MultiGzDecoder::new(&start[..]).take(BEGINNING).read_to_end(&mut content);
    } else {
        content = start;
    }
    Format::sniff(&content).or_else(|| Format::from_path(path))
}

fn cell(structure: &Structure) -> Option<Cell> {
    structure.periodic_box.map(|periodic_box| Cell {
        edges: periodic_box.edges().to_array(),
        angles_degrees: periodic_box.angles_degrees().to_array(),
        space_group: structure.space_group.clone(),
    })
}

impl AssemblyInfo {
    fn new(structure: &Structure, assembly: &Assembly) -> Self {
        let mut atoms_of_chain = vec![0u64; structure.chains.len()];
        for &residue in &structure.atoms.residues {
            atoms_of_chain[structure.residues[residue as usize].chain as usize] += 1;
        }
        let atoms = |chains: &[u32]| chains.iter().map(|&chain| atoms_of_chain[chain as usize]).sum::<u64>();
        Self {
            id: assembly.id.clone(),
            bodies: assembly.copies.len(),
            copies: assembly.copies.iter().map(|copies| copies.poses.len() as u64).sum(),
            expanded_atoms: assembly
                .copies
                .iter()
                .map(|copies| atoms(&copies.chains) * copies.poses.len() as u64)
                .sum(),
        }
    }
}

fn text(info: &Info) -> String {
    let number = |count: usize| thousands(count as u64);
    let mut facts = vec![("format", info.format.unwrap_or("unknown").to_owned())];
    if !info.name.is_empty() {
        facts.push(("name", info.name.clone()));
    }
    facts.push(("atoms", number(info.atoms)));
    facts.push(("residues", number(info.residues)));
    facts.push(("chains", number(info.chains)));
    if info.models > 1 {
        facts.push((
            "models",
            format!("{}, {} in the first", number(info.models), counted(info.atoms_in_first_model as u64, "atom")),
        ));
    }
    for (what, count) in [
        ("alternate sites", info.alternate_sites),
        ("water atoms", info.waters),
        ("hydrogens", info.hydrogens),
        ("bonds stated", info.bonds),
    ] {
        if count > 0 {
            facts.push((what, number(count)));
        }
    }
    facts.push(("elements", elements(&info.elements)));
    if let Some(cell) = &info.r#box {
        let [a, b, c] = cell.edges;
        let [alpha, beta, gamma] = cell.angles_degrees;
        let group = if cell.space_group.is_empty() { String::new() } else { format!(", {}", cell.space_group) };
        facts.push(("box", format!("{a:.2} x {b:.2} x {c:.2} Å, {alpha:.1} {beta:.1} {gamma:.1} degrees{group}")));
    }
    facts.extend(assemblies(&info.assemblies));
    facts.push(("read in", duration(info.seconds)));
    let mut text = format!("{}\n{}", info.file, table::facts(&facts));
    if info.warning_count > 0 {
        text += &format!("\n{}\n", counted(info.warning_count as u64, "warning"));
        text.extend(info.warnings.iter().map(|warning| format!("  {warning}\n")));
    }
    text
}

fn elements(counts: &BTreeMap<String, usize>) -> String {
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|&(symbol, &count)| (std::cmp::Reverse(count), symbol));
    let words = counts.iter().map(|(symbol, count)| {
        let symbol = if *symbol == "X" { "unknown" } else { symbol };
        format!("{symbol} {}", thousands(**count as u64))
    });
    words.collect::<Vec<_>>().join(", ")
}

/// A few assemblies one by one, many in one line.
fn assemblies(assemblies: &[AssemblyInfo]) -> Vec<(&'static str, String)> {
    let line = |copies: u64, bodies: usize, atoms: u64| {
        format!(
            "{} of {}, {} when expanded",
            counted(copies, "instance"),
            counted(bodies as u64, "type"),
            counted(atoms, "atom")
        )
    };
    if assemblies.len() <= 3 {
        let one = |assembly: &AssemblyInfo| {
            let text = line(assembly.copies, assembly.bodies, assembly.expanded_atoms);
            ("assembly", format!("{}: {text}", assembly.id))
        };
        return assemblies.iter().map(one).collect();
    }
    let copies = assemblies.iter().map(|assembly| assembly.copies).sum();
    let bodies = assemblies.iter().map(|assembly| assembly.bodies).sum();
    let atoms = assemblies.iter().map(|assembly| assembly.expanded_atoms).sum();
    vec![("assemblies", format!("{}, in all {}", thousands(assemblies.len() as u64), line(copies, bodies, atoms)))]
}
