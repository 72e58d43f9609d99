//! Every key of a scene file: its kind, its unit, its default.
//!
//! How it works: the keys stand in tables, one [`Section`] for each table of the file. A file is held to them before
//! it is taken apart, so that every wrong key and value is reported with its line, and the page of the guide
//! (`book/src/scene-files.md`) is written from them. What `[physics]` knows is asked of
//! [`RelaxOptions`](crate::relax::RelaxOptions) itself.

use std::fmt::Write;

use serde::Deserialize;
use steric_model::Located;
use steric_model::suggest::expected_one_of;
use toml::{Table, Value};

use super::scene_text::Origins;
use crate::relax::RelaxOptions;

/// What a value has to be.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Flag,
    /// A whole number from 0.
    Seed,
    /// A whole number from 1.
    Count,
    Number,
    Positive,
    NotNegative,
    /// From 0 to 180.
    Angle,
    TwoPositive,
    ThreePositive,
    Point,
    Points,
    Choice(&'static [&'static str]),
    Names,
    Numbers,
    NumbersOrNames,
    Table(&'static Section),
    Tables(&'static Section),
    Physics,
}

/// One key of a table.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) unit: &'static str,
    /// As in a file; empty for none.
    pub(super) default: &'static str,
    pub(super) about: &'static str,
}

/// One table of a file.
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) keys: &'static [Key],
}

const fn key(name: &'static str, kind: Kind, unit: &'static str, default: &'static str, about: &'static str) -> Key {
    Key { name, kind, unit, default, about }
}

pub(super) static RADII: [&str; 8] =
    ["bondi", "mantina", "alvarez", "probe", "probe-implicit", "protor", "chimerax", "turk"];
const FIBRES: [&str; 4] = ["dna", "rna-helix", "rna", "actin"];
const SIDES: &[&str] = &["inside", "outside", "on"];
const MOLECULES: &[&str] = &["auto", "chain", "residue", "connected", "instance", "file"];

/// The file as a whole.
pub(super) static SCENE: Section = Section {
    title: "At the top",
    about: "",
    keys: &[
        key("name", Kind::Text, "", "\"\"", "what the scene is called"),
        key("seed", Kind::Seed, "", "1", "the same seed builds the same scene, on every machine"),
        key(
            "tolerance",
            Kind::Positive,
            "Å",
            "2.0",
            "atoms of different molecules stay this far apart; not beside `radii`",
        ),
        key("radii", Kind::Choice(&RADII), "", "", "van der Waals radii instead of one distance"),
        key("allow", Kind::NotNegative, "Å", "0.4", "how deep two atoms may overlap; with `radii`"),
        key("hydrogens", Kind::Flag, "", "false", "whether hydrogens are kept"),
        key("periodic-box", Kind::ThreePositive, "Å", "", "edges of the box that repeats; its corner is the origin"),
        key("model", Kind::Table(&MODEL), "", "", "a model that is there already"),
        key("membrane", Kind::Tables(&MEMBRANE), "", "", "any number of membranes"),
        key("fibre", Kind::Tables(&FIBRE), "", "", "DNA, RNA and other long chains"),
        key("solute", Kind::Tables(&SOLUTE), "", "", "molecules in a region"),
        key("region", Kind::Tables(&REGION), "", "", "parts of space, by name"),
        key("physics", Kind::Physics, "", "", "how molecules are pushed apart"),
        key("output", Kind::Table(&OUTPUT), "", "", "where the result goes"),
    ],
};

static MODEL: Section = Section {
    title: "[model]",
    about: "A finished model, to clean up or to stand around, instead of or beside placed molecules.",
    keys: &[
        key("file", Kind::Text, "", "", "its file, of any format that `steric check` reads"),
        key("molecules", Kind::Choice(MOLECULES), "", "\"auto\"", "what counts as one molecule, as in `steric check`"),
        key("fixed", Kind::Flag, "", "false", "true: it stands still and the others make way"),
        key(
            "leeway",
            Kind::NotNegative,
            "Å",
            "",
            "how far a molecule may move from where it stands; any distance if left out",
        ),
        key("turn-degrees", Kind::Angle, "degrees", "180.0", "how far it may turn; with `leeway`"),
    ],
};

static MEMBRANE: Section = Section {
    title: "[[membrane]]",
    about: "A bilayer. Of the counts, the areas and the size, what is left out follows from the others.",
    keys: &[
        key("name", Kind::Text, "", "\"\"", "what regions call it that lie inside of it"),
        key(
            "shape",
            Kind::Choice(&["sphere", "plane", "mesh", "rounded-box", "cone"]),
            "",
            "\"sphere\"",
            "its middle; a plane lies level, `center` is on it; a rounded box is a box a sphere is rolled around, such as a crista or a rod; a cone has round ends",
        ),
        key("radius", Kind::Positive, "Å", "", "sphere: radius of the middle; left out: from the counts and areas"),
        key(
            "center",
            Kind::Point,
            "Å",
            "",
            "centre of the sphere or the rounded box, middle of the plane; left out: the origin, for a periodic plane the middle of the box",
        ),
        key(
            "size",
            Kind::TwoPositive,
            "Å",
            "",
            "plane: edges; left out: those of the box, or from the counts and areas",
        ),
        key("periodic", Kind::Flag, "", "true", "plane: repeats along both edges"),
        key("mesh", Kind::Text, "", "", "mesh: a closed surface, OBJ or PLY"),
        key("semi-axes", Kind::ThreePositive, "Å", "", "rounded-box: half of its width along x, y and z"),
        key(
            "rounding",
            Kind::Positive,
            "Å",
            "",
            "rounded-box: radius of its edges; left out: the least of the semi-axes",
        ),
        key("start", Kind::Point, "Å", "", "cone: centre of the sphere at one end"),
        key("end", Kind::Point, "Å", "", "cone: centre of the sphere at the other end"),
        key("radii", Kind::TwoPositive, "Å", "", "cone: radii of the two spheres"),
        key(
            "placement",
            Kind::Choice(&["relaxed", "tiles"]),
            "",
            "\"relaxed\"",
            "places at random, to be relaxed; or tiles cut from an equilibrated patch, nearly at rest from the start",
        ),
        key(
            "patch",
            Kind::Text,
            "",
            "",
            "tiles: a file with an equilibrated, level bilayer; left out: a patch of the membrane's own lipids is relaxed first",
        ),
        key(
            "sampling",
            Kind::Choice(&["inversion", "clustered", "fibonacci"]),
            "",
            "\"inversion\"",
            "random and even; random and crowded at the poles (Algorithm 4.1, spheres only); a spiral",
        ),
        key("discs", Kind::Flag, "", "true", "places are spread as discs in the surface before atoms are looked at"),
        key(
            "area-per-lipid",
            Kind::Positive,
            "Å²",
            "",
            "for lipids that name no area; left out: that of the embedded lipid",
        ),
        key("count", Kind::Count, "", "", "lipids in both leaflets together; left out: as many as the area takes"),
        key("leeway", Kind::NotNegative, "Å", "3.0", "how far a head may stand above or below its height"),
        key("tilt-degrees", Kind::Angle, "degrees", "25.0", "how far a lipid may lean"),
        key("lipid", Kind::Tables(&LIPID), "", "", "the mixture"),
        key("protein", Kind::Tables(&PROTEIN), "", "", "what spans the membrane or sits in it"),
    ],
};

static LIPID: Section = Section {
    title: "[[membrane.lipid]]",
    about: "One lipid of the mixture.",
    keys: &[
        key("molecule", Kind::Text, "", "", "an embedded lipid, such as `\"POPC\"`; or"),
        key("file", Kind::Text, "", "", "a file with one lipid, or several conformers of it as chains or models"),
        key("fraction", Kind::NotNegative, "", "1.0", "of the lipids of its leaflet; fractions need not add up to 1"),
        key("count", Kind::Count, "", "", "so many in each of its leaflets, instead of `fraction`"),
        key("leaflet", Kind::Choice(&["both", "outer", "inner"]), "", "\"both\"", "where it goes"),
        key("area", Kind::Positive, "Å²", "", "left out: that of the embedded lipid, or `area-per-lipid`"),
        key("head", Kind::Names, "", "", "atoms of the head; left out: phosphorus, or the most polar end"),
        key(
            "tails",
            Kind::Names,
            "",
            "",
            "ends of the tails; left out: the carbons that are the most bonds away from the head",
        ),
        key(
            "upright",
            Kind::Flag,
            "",
            "true",
            "a lipid from a file is turned upright; false: as in the file, z outward from the middle",
        ),
        key("conformers", Kind::Numbers, "", "", "which chains or models, counted from 1; left out: all"),
        key("keep", Kind::Tables(&KEEP), "", "", "rules for some of its atoms, beside its place in the membrane"),
    ],
};

static PROTEIN: Section = Section {
    title: "[[membrane.protein]]",
    about: "A protein in the membrane. Lipids make room for it.",
    keys: &[
        key("molecule", Kind::Text, "", "", "an embedded molecule; or"),
        key("file", Kind::Text, "", "", "a file"),
        key("name", Kind::Text, "", "", "what it is called; left out: as the molecule"),
        key("count", Kind::Count, "", "1", "how many"),
        key(
            "per-um2",
            Kind::Positive,
            "1/µm²",
            "",
            "how many on a square micrometre of the middle, instead of `count`",
        ),
        key(
            "positions",
            Kind::Points,
            "Å",
            "",
            "one copy at the place of the middle that is nearest to each of these points, instead of `count`",
        ),
        key(
            "facing",
            Kind::Point,
            "",
            "",
            "its x axis is turned this way, as far as it can while it stands upright; left out: at random",
        ),
        key("height", Kind::Number, "Å", "0.0", "of its centre above the middle of the membrane"),
        key(
            "axis",
            Kind::Choice(&["x", "y", "z", "-x", "-y", "-z", "long"]),
            "",
            "\"z\"",
            "which of its axes stands along the outward normal; `long`: the one it is longest along",
        ),
        key("leeway", Kind::NotNegative, "Å", "", "left out: that of the membrane"),
        key("tilt-degrees", Kind::Angle, "degrees", "", "left out: that of the membrane"),
    ],
};

static SOLUTE: Section = Section {
    title: "[[solute]]",
    about: "Copies of a molecule in a region. One of `count`, `concentration-mM`, `volume-fraction` and `density-g-cm3` says how many.",
    keys: &[
        key("molecule", Kind::Text, "", "", "an embedded molecule, such as `\"ubiquitin\"`; or"),
        key("file", Kind::Text, "", "", "a file: its first model without its waters is one molecule"),
        key("name", Kind::Text, "", "", "what it is called; left out: as the molecule"),
        key("count", Kind::Count, "", "", "how many"),
        key("concentration-mM", Kind::Positive, "mmol/l", "", "in the region"),
        key("volume-fraction", Kind::Positive, "", "", "of the region; a molecule takes 1.21 Å³ per dalton"),
        key("density-g-cm3", Kind::Positive, "g/cm³", "", "in the region"),
        key("region", Kind::Text, "", "", "name of a `[[region]]`; left out: the periodic box"),
        key("outside", Kind::Names, "", "[]", "names of regions that all of its atoms stay out of"),
        key(
            "sphere",
            Kind::Positive,
            "Å",
            "",
            "radius of a sphere that each copy has to itself at first: such copies are placed before fibres, which grow around them",
        ),
        key("fixed", Kind::Flag, "", "false", "true: an obstacle"),
        key("position", Kind::Point, "Å", "", "where its centre stands, for a single copy; left out: at random"),
        key(
            "rotation-degrees",
            Kind::Point,
            "degrees",
            "[0.0, 0.0, 0.0]",
            "turned about x, then y, then z; with `position`",
        ),
        key("keep", Kind::Tables(&KEEP), "", "", "rules for some of its atoms"),
    ],
};

static FIBRE: Section = Section {
    title: "[[fibre]]",
    about: "A long chain that fills a region without running through itself, as `steric build fibre` grows it. It stands still: what is placed after it makes way.",
    keys: &[
        key("name", Kind::Text, "", "", "what it is called; left out: as its kind"),
        key("kind", Kind::Choice(&FIBRES), "", "\"dna\"", "double-stranded DNA or RNA, single-stranded RNA, or actin"),
        key("units", Kind::Count, "", "", "how many base pairs, nucleotides or subunits"),
        key("volume-fraction", Kind::Positive, "", "", "of the region, instead of `units`"),
        key("closed", Kind::Flag, "", "false", "true: its ends are joined, as in a plasmid"),
        key("region", Kind::Text, "", "", "name of a `[[region]]` that it fills"),
        key("outside", Kind::Names, "", "[]", "names of regions that it stays out of"),
        key("radius", Kind::Positive, "Å", "", "of the room that it takes; left out: that of its kind"),
        key(
            "molecule",
            Kind::Text,
            "",
            "",
            "an embedded molecule that stands at every unit, z along the fibre, in the frame of its file; or",
        ),
        key("file", Kind::Text, "", "", "a file; left out: a base pair for DNA, a nucleotide for RNA"),
    ],
};

static KEEP: Section = Section {
    title: "[[membrane.lipid.keep]], [[solute.keep]]",
    about: "A rule for atoms, as in packmol's `atoms` blocks.",
    keys: &[
        key(
            "atoms",
            Kind::NumbersOrNames,
            "",
            "",
            "numbers in the molecule's file counted from 1, or names; left out: all atoms",
        ),
        key("side", Kind::Choice(SIDES), "", "\"inside\"", "of the region's boundary"),
        key("region", Kind::Text, "", "", "name of a `[[region]]`"),
    ],
};

static REGION: Section = Section {
    title: "[[region]]",
    about: "A part of space.",
    keys: &[
        key("name", Kind::Text, "", "", "what rules call it"),
        key(
            "shape",
            Kind::Choice(&["box", "sphere", "ellipsoid", "cylinder", "half-space", "mesh", "inside"]),
            "",
            "",
            "and what it needs:",
        ),
        key("low", Kind::Point, "Å", "", "box: least corner"),
        key("high", Kind::Point, "Å", "", "box: greatest corner"),
        key("center", Kind::Point, "Å", "", "sphere, ellipsoid: centre, the origin if left out"),
        key("radius", Kind::Positive, "Å", "", "sphere, cylinder"),
        key("semi-axes", Kind::ThreePositive, "Å", "", "ellipsoid: along x, y and z"),
        key("start", Kind::Point, "Å", "", "cylinder: middle of one end"),
        key("end", Kind::Point, "Å", "", "cylinder: middle of the other end"),
        key("normal", Kind::Point, "", "", "half-space: points out of it; any length"),
        key("offset", Kind::Number, "Å", "", "half-space: the boundary's distance from the origin along the normal"),
        key("mesh", Kind::Text, "", "", "mesh: a closed surface, OBJ or PLY"),
        key("membrane", Kind::Text, "", "", "inside: the name of a `[[membrane]]`"),
        key(
            "depth",
            Kind::Number,
            "Å",
            "",
            "inside: so far below the middle of the membrane; below 0: so far above it",
        ),
    ],
};

static OUTPUT: Section = Section {
    title: "[output]",
    about: "",
    keys: &[key("file", Kind::Text, "", "", "PDB, mmCIF, BinaryCIF, GRO or XYZ by its ending; `-o` goes before it")],
};

impl Section {
    pub(super) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// What is wrong with a table of this kind; `path` leads to it, with a dot at its end unless it is the file.
    pub(super) fn check(&self, table: &Table, path: &str, origins: &Origins, wrong: &mut Vec<Located>) {
        for (name, value) in table {
            let path = format!("{path}{name}");
            match self.key(name) {
                Some(key) => key.kind.check(key.unit, value, &path, origins, wrong),
                None => wrong.push(self.unknown_key(name, &path, origins)),
            }
        }
    }

    /// The error for a key that this table does not have.
    pub(super) fn unknown_key(&self, name: &str, path: &str, origins: &Origins) -> Located {
        let known: Vec<&str> = self.keys.iter().map(|key| key.name).collect();
        let what = if self.title.starts_with('[') { format!("a key of {}", self.title) } else { "a key".to_owned() };
        origins.wrong(path, expected_one_of(&what, name, &known), name)
    }
}

impl Kind {
    fn check(self, unit: &str, value: &Value, path: &str, origins: &Origins, wrong: &mut Vec<Located>) {
        match (self, value) {
            (Self::Table(section), Value::Table(table)) => section.check(table, &format!("{path}."), origins, wrong),
            (Self::Tables(section), Value::Array(tables)) if tables.iter().all(Value::is_table) => {
                for (number, table) in tables.iter().filter_map(Value::as_table).enumerate() {
                    section.check(table, &format!("{path}.{number}."), origins, wrong);
                }
            }
            (Self::Physics, Value::Table(table)) => check_physics(table, path, origins, wrong),
            (Self::Choice(known), Value::String(word)) if !known.contains(&word.as_str()) => {
                wrong.push(origins.wrong(path, expected_one_of("one of these", word, known), word));
            }
            _ if self.takes(value) => {}
            _ => wrong.push(origins.wrong(path, self.words(unit), &shown(value))),
        }
    }

    fn takes(self, value: &Value) -> bool {
        let number = number(value);
        let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
        match self {
            Self::Text | Self::Choice(_) => value.is_str(),
            Self::Flag => value.is_bool(),
            Self::Seed => value.as_integer().is_some_and(|number| number >= 0),
            Self::Count => value.as_integer().is_some_and(|number| number >= 1),
            Self::Number => number.is_some(),
            Self::Positive => number.is_some_and(|number| number > 0.0),
            Self::NotNegative => number.is_some_and(|number| number >= 0.0),
            Self::Angle => number.is_some_and(|number| (0.0..=180.0).contains(&number)),
            Self::TwoPositive => list.len() == 2 && list.iter().all(|value| Self::Positive.takes(value)),
            Self::ThreePositive => list.len() == 3 && list.iter().all(|value| Self::Positive.takes(value)),
            Self::Point => list.len() == 3 && list.iter().all(|value| Self::Number.takes(value)),
            Self::Points => !list.is_empty() && list.iter().all(|value| Self::Point.takes(value)),
            Self::Names => value.is_array() && list.iter().all(Value::is_str),
            Self::Numbers => value.is_array() && list.iter().all(|value| Self::Count.takes(value)),
            Self::NumbersOrNames => Self::Names.takes(value) || Self::Numbers.takes(value),
            Self::Table(_) | Self::Tables(_) | Self::Physics => false,
        }
    }

    /// What to expect, in words.
    fn words(self, unit: &str) -> String {
        let words = match self {
            Self::Text => "a text in quotes",
            Self::Flag => "true or false",
            Self::Seed => "a whole number from 0",
            Self::Count => "a whole number from 1",
            Self::Number => "a number",
            Self::Positive => "a number above 0",
            Self::NotNegative => "a number from 0",
            Self::Angle => "an angle from 0 to 180",
            Self::TwoPositive => "a list of two numbers above 0",
            Self::ThreePositive => "a list of three numbers above 0",
            Self::Point => "a list of three numbers",
            Self::Points => "a list of lists of three numbers",
            Self::Choice(known) => return format!("one of {}", quoted(known)),
            Self::Names => "a list of names in quotes",
            Self::Numbers => "a list of whole numbers from 1",
            Self::NumbersOrNames => "a list of whole numbers from 1, or of names in quotes",
            Self::Table(section) => return format!("a table {}", section.title),
            Self::Tables(section) => return format!("tables {}", section.title),
            Self::Physics => "a table [physics]",
        };
        if unit.is_empty() { words.to_owned() } else { format!("{words} ({unit})") }
    }
}

fn quoted(known: &[&str]) -> String {
    known.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

/// A finite number.
fn number(value: &Value) -> Option<f64> {
    let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    number.filter(|number| number.is_finite())
}

fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if text.chars().count() > 80 { text.chars().take(80).chain(['…']).collect() } else { text }
}

// Key by key, so that each problem has its line.
fn check_physics(table: &Table, path: &str, origins: &Origins, wrong: &mut Vec<Located>) {
    let known = physics_keys();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    for (name, value) in table {
        let path = format!("{path}.{name}");
        if !known.contains(&name.as_str()) {
            wrong.push(origins.wrong(&path, expected_one_of("a key of [physics]", name, &known), name));
        } else if let Err(error) = RelaxOptions::deserialize(Table::from_iter([(name.clone(), value.clone())])) {
            let expected = error.message().rsplit_once("expected ").map_or(error.message(), |(_, expected)| expected);
            wrong.push(origins.wrong(&path, expected.trim(), &shown(value)));
        }
    }
}

/// The keys of `[physics]`, as serde lists them when it meets one that it does not know.
pub(super) fn physics_keys() -> Vec<String> {
    let nonsense = Table::from_iter([("?".to_owned(), Value::Boolean(true))]);
    let refusal = RelaxOptions::deserialize(nonsense).err().map(|error| error.message().to_owned()).unwrap_or_default();
    let (_, listed) = refusal.rsplit_once("expected ").unwrap_or_default();
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Every key of a scene file with its unit and default, as tables in Markdown: what the guide shows.
///
/// ```
/// assert!(steric_world::build::scene_keys().contains("| `tolerance` | a number above 0 | Å | `2.0` |"));
/// ```
pub fn scene_keys() -> String {
    let mut page = String::new();
    write_section(&mut page, &SCENE);
    // Numbers and words always become TOML.
    let defaults = toml::to_string(&RelaxOptions::default()).unwrap_or_default();
    let _ = write!(
        page,
        "### `[physics]`\n\nHow molecules are pushed apart. The defaults are\n\n```toml\n{defaults}```\n\n"
    );
    page
}

fn write_section(page: &mut String, section: &Section) {
    let title = if section.title.starts_with('[') { format!("`{}`", section.title) } else { section.title.to_owned() };
    // Writing to a string cannot fail.
    let _ = write!(page, "### {title}\n\n");
    if !section.about.is_empty() {
        let _ = write!(page, "{}\n\n", section.about);
    }
    page.push_str("| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
    let is_plain = |key: &&Key| !matches!(key.kind, Kind::Table(_) | Kind::Tables(_) | Kind::Physics);
    for key in section.keys.iter().filter(is_plain) {
        let default = if key.default.is_empty() { String::new() } else { format!("`{}`", key.default) };
        let words = key.kind.words("").replace('"', "`");
        let _ = writeln!(page, "| `{}` | {words} | {} | {default} | {} |", key.name, key.unit, key.about);
    }
    page.push('\n');
    for key in section.keys {
        match key.kind {
            Kind::Table(section) | Kind::Tables(section) => write_section(page, section),
            _ => {}
        }
    }
}
