//! `steric render --label` and `--labels`: what is written on pictures, and where.
//!
//! How it works: atoms are gathered to chains, residues or molecules, each copy by itself, and a label stands at their middle. A label on a
//! species stands on the molecule that is nearest to the eye at first and stays on it. Which labels have room is decided for
//! one eye between the two, so that both eyes of a stereo picture see the same ones.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use clap::Args;
use glam::DVec3;
use steric::model::chemistry::is_water;
use steric::model::{AtomId, MoleculeId, Origin, Residue, Structure};
use steric::show::Shown;
use steric_view::{Camera, Crowd, Label, LabelStyle, Look, Picture, labels_that_fit, scale_bar, write_labels};

use crate::failure::Failure;
use crate::table::thousands;

/// More labels than that are a mistake: nobody could read them.
const MOST: usize = 2_000;

#[derive(Debug, Args)]
pub(super) struct LabelOptions {
    /// Write a text at a point (TEXT@X,Y,Z), on a chain (TEXT@A) or on a residue (TEXT@A/HEM, TEXT@A/HIS87); may be repeated
    #[arg(long, value_name = "TEXT@WHERE")]
    label: Vec<Wish>,
    /// Write the name of each chain, residue, molecule or species
    #[arg(long, value_name = "EACH")]
    labels: Option<Each>,
    /// Size of the letters in pixels [default: a thirty-sixth of the height, at least 11]
    #[arg(long, value_name = "PIXELS", value_parser = letters)]
    label_size: Option<f64>,
    /// Draw a bar that says how large things are at the middle of the scene
    #[arg(long)]
    scale_bar: bool,
}

/// What has a label of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Each {
    Chain,
    Residue,
    Molecule,
    Species,
}

impl FromStr for Each {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "chain" => Ok(Self::Chain),
            "residue" => Ok(Self::Residue),
            "molecule" => Ok(Self::Molecule),
            "species" => Ok(Self::Species),
            _ => Err(format!("expected chain, residue, molecule or species, found {text}")),
        }
    }
}

impl fmt::Display for Each {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chain => "chain",
            Self::Residue => "residue",
            Self::Molecule => "molecule",
            Self::Species => "species",
        })
    }
}

/// A text, and what it is to stand on.
#[derive(Clone, Debug)]
struct Wish {
    text: String,
    on: On,
}

#[derive(Clone, Debug)]
enum On {
    Point(DVec3),
    Chain(String),
    /// The chain may be empty, for residues of any chain.
    Residue(String, String),
}

impl FromStr for Wish {
    type Err = String;

    fn from_str(whole: &str) -> Result<Self, String> {
        let parts = whole.rsplit_once('@').map(|(text, on)| (text.trim(), on.trim()));
        let Some((text, on)) = parts.filter(|(text, on)| !text.is_empty() && !on.is_empty()) else {
            return Err("expected TEXT@X,Y,Z, TEXT@CHAIN or TEXT@CHAIN/RESIDUE, as in \"heme@A/HEM\"".to_owned());
        };
        Ok(Self { text: text.to_owned(), on: on.parse()? })
    }
}

impl FromStr for On {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((chain, residue)) = text.split_once('/') {
            return match residue.trim() {
                "" => Err(format!("expected a residue after the slash, as in A/HIS87, found {text}")),
                residue => Ok(Self::Residue(chain.trim().to_owned(), residue.to_owned())),
            };
        }
        let numbers: Vec<Option<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
        match numbers[..] {
            [Some(x), Some(y), Some(z)] if [x, y, z].iter().all(|part| part.is_finite()) => {
                Ok(Self::Point(DVec3::new(x, y, z)))
            }
            [_] => Ok(Self::Chain(text.to_owned())),
            _ => Err(format!("expected x, y and z in angstroms, as in 10,-4.5,7, found {text}")),
        }
    }
}

fn letters(text: &str) -> Result<f64, String> {
    let size = text.parse().ok().filter(|size| (4.0..=1_000.0).contains(size));
    size.ok_or_else(|| "expected a size in pixels, 4 to 1000".to_owned())
}

impl LabelOptions {
    /// The first of the options that was given.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let given =
            [(!self.label.is_empty(), "--label"), (self.labels.is_some(), "--labels"), (self.scale_bar, "--scale-bar")];
        given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }
}

/// What is written on every frame.
pub(super) struct Writing {
    labels: Vec<Label>,
    style: LabelStyle,
    with_bar: bool,
}

impl Writing {
    /// What the options ask for, for a film that begins with this camera.
    pub(super) fn new(
        options: &LabelOptions,
        shown: &Shown,
        first: &Camera,
        look: &Look,
        size: [u32; 2],
    ) -> Result<Self, Failure> {
        let style = LabelStyle { size: options.label_size, background: look.background, ..LabelStyle::default() };
        let mut labels = Vec::new();
        for wish in &options.label {
            labels.extend(places(&wish.on, shown)?.into_iter().map(|place| Label { place, text: wish.text.clone() }));
        }
        if let Some(each) = options.labels {
            let mut own = each_label(each, shown);
            if own.is_empty() {
                return Err(Failure::usage(format!("--labels {each}: expected names to write, found none")));
            }
            // What is cut away has no name.
            own.retain(|label| look.clip.is_none_or(|(point, normal)| (label.place - point).dot(normal) >= 0.0));
            if each == Each::Species {
                let once = LabelStyle { crowd: Crowd::Once, ..style };
                own = labels_that_fit(first, size, &own, &once).into_iter().map(|at| own[at].clone()).collect();
            }
            labels.append(&mut own);
        }
        if labels.len() > MOST {
            return Err(Failure::usage(format!(
                "labels: expected at most {}, found {}; name chains or species, or single places by --label",
                thousands(MOST as u64),
                thousands(labels.len() as u64)
            )));
        }
        Ok(Self { labels, style, with_bar: options.scale_bar })
    }

    /// The picture that `eye` has seen, with labels that have room in the one that `middle` would see.
    pub(super) fn on(&self, mut picture: Picture, eye: &Camera, middle: &Camera) -> Picture {
        let fit = labels_that_fit(middle, [picture.width, picture.height], &self.labels, &self.style);
        let labels: Vec<Label> = fit.into_iter().map(|number| self.labels[number].clone()).collect();
        write_labels(&mut picture, eye, &labels, &LabelStyle { crowd: Crowd::All, ..self.style });
        if self.with_bar {
            scale_bar(&mut picture, eye, &self.style);
        }
        picture
    }
}

/// A label for each of a kind; waters have none, unless species are asked for.
fn each_label(each: Each, shown: &Shown) -> Vec<Label> {
    let structure = &shown.structure;
    let residue = |origin: Origin| structure.atoms.residues[origin.atom as usize];
    let is_dry = |origin: Origin| !is_water(structure.residues[residue(origin) as usize].name);
    let label = |place: DVec3, text: &str| Label { place, text: text.to_owned() };
    let labels: Vec<Label> = match each {
        Each::Chain => {
            let key = |_, origin| is_dry(origin).then(|| chain_key(structure, origin));
            middles(shown, key).into_iter().map(|((.., chain), place)| label(place, chain)).collect()
        }
        Each::Residue => {
            let found = middles(shown, |_, origin| is_dry(origin).then(|| (origin.copy, residue(origin))));
            let text = |number: u32| with_number(&structure.residues[number as usize]);
            found.into_iter().map(|((_, number), place)| label(place, &text(number))).collect()
        }
        Each::Molecule => {
            let found = middles(shown, |molecule, origin| is_dry(origin).then_some(molecule));
            let names = molecule_names(shown, found.keys().copied());
            found.into_values().zip(names).map(|(place, text)| Label { place, text }).collect()
        }
        Each::Species => {
            let found = middles(shown, |molecule, _| Some(molecule));
            let name = |id: MoleculeId| &shown.molecules.species()[shown.molecules.species_of(id) as usize];
            found.into_iter().map(|(id, place)| label(place, name(id))).collect()
        }
    };
    labels.into_iter().filter(|label| !label.text.is_empty()).collect()
}

/// The species of each molecule, with a number where there are several: `HEM 2`.
fn molecule_names(shown: &Shown, molecules: impl Iterator<Item = MoleculeId>) -> Vec<String> {
    let species: Vec<usize> = molecules.map(|id| shown.molecules.species_of(id) as usize).collect();
    let mut counts = vec![0; shown.molecules.species().len()];
    let mut numbered = Vec::with_capacity(species.len());
    for &kind in &species {
        counts[kind] += 1;
        numbered.push((kind, counts[kind]));
    }
    let name = |(kind, number): (usize, u32)| match (&shown.molecules.species()[kind], counts[kind]) {
        (name, 1) => name.to_string(),
        (name, _) => format!("{name} {number}"),
    };
    numbered.into_iter().map(name).collect()
}

/// Where a label is to stand: one place for each copy of what it names.
fn places(on: &On, shown: &Shown) -> Result<Vec<DVec3>, Failure> {
    let structure = &shown.structure;
    let (chain, wanted) = match on {
        On::Point(place) => return Ok(vec![*place]),
        On::Chain(chain) => (chain, None),
        On::Residue(chain, residue) => (chain, Some(residue)),
    };
    let is_chain = |name: &str| name == chain || chain.is_empty() && wanted.is_some();
    let key = |_, origin: Origin| {
        let (copy, model, name) = chain_key(structure, origin);
        let residue = &structure.residues[structure.atoms.residues[origin.atom as usize] as usize];
        let is_meant = match wanted {
            // A chain is where its protein is, not where its waters are.
            None => !is_water(residue.name),
            Some(wanted) => is_called(residue, wanted),
        };
        (is_chain(name) && is_meant).then_some((copy, model))
    };
    let found: Vec<DVec3> = middles(shown, key).into_values().collect();
    if !found.is_empty() {
        return Ok(found);
    }
    Err(Failure::usage(missing(structure, chain, wanted.map(String::as_str), is_chain)))
}

/// What could have been meant.
fn missing(structure: &Structure, chain: &str, wanted: Option<&str>, is_chain: impl Fn(&str) -> bool) -> String {
    let name = |residue: &Residue| chain_name(structure, residue.chain);
    let own: Vec<&Residue> = structure.residues.iter().filter(|residue| is_chain(name(residue))).collect();
    match wanted {
        Some(wanted) if !own.is_empty() => {
            let mut known: Vec<String> = own.iter().take(3).map(|residue| with_number(residue)).collect();
            known.extend(
                own.iter()
                    .rev()
                    .find(|residue| residue.hetero && !is_water(residue.name))
                    .map(|r| r.name.as_str().to_owned()),
            );
            let of_chain = if chain.is_empty() { String::new() } else { format!(" of chain {chain}") };
            format!("--label: expected a residue{of_chain}, such as {}, found {wanted}", known.join(", "))
        }
        _ => {
            let mut known: Vec<&str> = structure.residues.iter().map(name).filter(|name| !name.is_empty()).collect();
            known.sort_unstable();
            known.dedup();
            let more = if known.len() > 12 { ", …" } else { "" };
            let known = known.into_iter().take(12).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "but none has a name".to_owned() } else { format!("{known}{more}") };
            format!("--label: expected a chain ({known}) or x, y and z, found {chain}")
        }
    }
}

/// Whether a residue is meant by HEM, HIS87 or 87.
fn is_called(residue: &Residue, wanted: &str) -> bool {
    let whole = with_number(residue);
    let number = &whole[residue.name.as_str().len()..];
    [residue.name.as_str(), &whole, number].iter().any(|name| name.eq_ignore_ascii_case(wanted))
}

/// A residue as in HIS87.
fn with_number(residue: &Residue) -> String {
    let insertion = Some(char::from(residue.insertion)).filter(|_| residue.insertion != 0);
    format!("{}{}{}", residue.name.as_str(), residue.number, insertion.map(String::from).unwrap_or_default())
}

/// Copy, model and name of an atom's chain. Chains of one name are one, as in a PDB file; templates of a packed scene may all be
/// chain A, but each is a model of its own.
fn chain_key(structure: &Structure, origin: Origin) -> (u32, u32, &str) {
    let residue = &structure.residues[structure.atoms.residues[origin.atom as usize] as usize];
    (origin.copy, structure.chains[residue.chain as usize].model, chain_name(structure, residue.chain))
}

fn chain_name(structure: &Structure, chain: u32) -> &str {
    let chain = &structure.chains[chain as usize];
    if chain.name.is_empty() { &chain.label } else { &chain.name }
}

/// The middle of the atoms of each key, in angstroms; atoms without a key do not count.
fn middles<K: Ord>(shown: &Shown, key: impl Fn(MoleculeId, Origin) -> Option<K>) -> BTreeMap<K, DVec3> {
    let scene = shown.molecules.scene();
    let mut sums: BTreeMap<K, (DVec3, f64)> = BTreeMap::new();
    for (molecule, placed) in (0..).map(MoleculeId).zip(scene.molecules()) {
        let clusters = &scene.types()[placed.kind.0 as usize].clusters;
        for cluster in &scene.clusters()[clusters.start as usize..clusters.end as usize] {
            for lane in 0..cluster.len() {
                let atom = AtomId { molecule, atom: cluster.atoms[lane] };
                let Some(key) = key(molecule, shown.molecules.origin(atom)) else { continue };
                let sum = sums.entry(key).or_insert((DVec3::ZERO, 0.0));
                *sum = (sum.0 + placed.pose * cluster.atom(lane).center.as_dvec3(), sum.1 + 1.0);
            }
        }
    }
    sums.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect()
}

#[cfg(test)]
mod tests {
    use steric::model::Name;

    use super::*;

    #[test]
    fn a_wish_is_a_text_and_a_point_a_chain_or_a_residue() {
        let read = |text: &str| text.parse::<Wish>().map(|wish| format!("{} on {:?}", wish.text, wish.on));
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(read("alpha 1@A"), ok("alpha 1 on Chain(\"A\")"));
        assert_eq!(read("me@home.org@B/HIS87"), ok("me@home.org on Residue(\"B\", \"HIS87\")"));
        assert_eq!(read("gate@1,-2.5, 3"), ok("gate on Point(DVec3(1.0, -2.5, 3.0))"));
        assert_eq!(read("lipid@/POPC"), ok("lipid on Residue(\"\", \"POPC\")"));
        for wrong in ["A", "@A", "text@", "text@1,2", "text@1,2,x", "text@A/", "text@nan,0,0"] {
            assert!(read(wrong).is_err_and(|error| error.starts_with("expected")), "{wrong}");
        }
    }

    #[test]
    fn a_residue_is_called_by_its_name_its_number_or_both() {
        let residue = Residue { chain: 0, name: Name::new("HIS"), number: 87, insertion: b'B', hetero: false };
        assert!(["HIS", "his87b", "87B"].iter().all(|wanted| is_called(&residue, wanted)));
        assert!(["HI", "87", "HIS8", "HIS88B", ""].iter().all(|wanted| !is_called(&residue, wanted)));
    }
}
