//! Laws of scene files.

use steric_model::chemistry::RadiiSet;
use toml::{Table, Value};

use super::scene_file::SceneFile;
use super::scene_text::SceneText;
use super::schema::{self, Kind, SCENE, Section};

fn refusal(text: &str) -> String {
    SceneFile::read(text, "test.toml".as_ref()).expect_err(text).to_string()
}

const MEMBRANE: &str = "[[membrane]]\nradius = 90\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
const BOX: &str = "[[region]]\nname = \"cell\"\nshape = \"box\"\nlow = [0, 0, 0]\nhigh = [9, 9, 9]\n";

#[test]
fn every_mistake_is_answered_with_its_line_and_what_was_expected() {
    let solute = |keys: &str| format!("{BOX}[[solute]]\nmolecule = \"water\"\n{keys}\n");
    for (text, line, words) in [
        ("sead = 1".to_owned(), 1, "a key (did you mean seed?), found \"sead\""),
        ("seed = 1.5".to_owned(), 1, "a whole number from 0, found \"1.5\""),
        ("seed = ".to_owned(), 1, "TOML ("),
        ("name = 1\n\ntolerance = -2".to_owned(), 1, "a text in quotes, found \"1\""),
        ("\ntolerance = nan".to_owned(), 2, "a number above 0 (Å), found \"nan\""),
        ("\ntolerance = inf".to_owned(), 2, "a number above 0 (Å), found \"inf\""),
        ("radii = \"bondy\"".to_owned(), 1, "(did you mean bondi?), found \"bondy\""),
        ("periodic-box = [1, 2]".to_owned(), 1, "a list of three numbers above 0 (Å), found \"[1, 2]\""),
        ("membrane = 3".to_owned(), 1, "tables [[membrane]], found \"3\""),
        (MEMBRANE.replace("radius", "raduis"), 2, "a key of [[membrane]] (did you mean radius?), found \"raduis\""),
        (MEMBRANE.replace("90", "-90"), 2, "a number above 0 (Å), found \"-90\""),
        (MEMBRANE.replace("90", "\"wide\""), 2, "a number above 0 (Å), found \"wide\""),
        (MEMBRANE.replace("POPC", "PPOC"), 4, "an embedded molecule (did you mean POPC?), found \"PPOC\""),
        (format!("{MEMBRANE}fraction = 0"), 5, "a sum above 0"),
        (format!("{MEMBRANE}count = 0"), 5, "a whole number from 1, found \"0\""),
        (format!("{MEMBRANE}count = 3\nfraction = 0.5"), 5, "count or fraction, found \"both\""),
        (format!("{MEMBRANE}file = \"popc.pdb\""), 5, "molecule or file, found \"both\""),
        (MEMBRANE.replace("radius = 90", "shape = \"plane\"\nradius = 90"), 3, "shape = \"sphere\" beside radius"),
        (format!("{MEMBRANE}[physics]\nresponse = \"newtom\""), 6, "`newton`"),
        (format!("{MEMBRANE}[physics]\nmax-iteration = 3"), 6, "a key of [physics] (did you mean max-iterations?)"),
        (solute("count = 3\nconcentration-mM = 2"), 9, "found \"count and concentration-mM\""),
        (
            solute("region = \"cell\""),
            6,
            "one of count, concentration-mM, volume-fraction and density-g-cm3, found \"none\"",
        ),
        (solute("count = 3\nregion = \"cel\""), 9, "the name of a [[region]] (did you mean cell?), found \"cel\""),
        (solute("count = 3"), 6, "region, or a periodic-box"),
        (solute("count = 3\nregion = \"cell\"").replace("[9, 9, 9]", "[9, 0, 9]"), 5, "three numbers above"),
        (solute("count = 3\nregion = \"cell\"").replace("\"box\"", "\"sphere\""), 4, "keys of a sphere"),
        (format!("{MEMBRANE}{BOX}{BOX}"), 11, "a name that no other region has"),
    ] {
        let refusal = refusal(&text);
        assert!(
            refusal.starts_with(&format!("test.toml:{line}: expected ")) && refusal.contains(words),
            "{refusal}\n{text}"
        );
    }
    assert!(refusal("name = \"empty\"").contains("a [model], a [[membrane]] or a [[solute]]"));
}

#[test]
fn a_value_is_changed_by_its_key_and_a_wrong_change_names_itself() {
    let mut text = SceneText::parse(MEMBRANE, "test.toml".as_ref()).unwrap();
    for (key, value) in [
        ("membrane.radius", "250"),
        ("membrane.0.lipid.0.fraction", "0.5"),
        ("membrane.lipid.1.molecule", "DPPC"),
        ("membrane.center", "[1, 2, 3]"),
        ("physics.response", "thesis"),
        ("output.file", "v.gro"),
        ("name", "two words"),
    ] {
        text.set(key, value).unwrap();
    }
    let scene = text.scene().unwrap();
    assert_eq!((scene.membrane[0].radius, scene.membrane[0].center), (Some(250.0), Some([1.0, 2.0, 3.0])));
    assert_eq!(scene.membrane[0].lipid[0].fraction, Some(0.5));
    assert_eq!(scene.membrane[0].lipid[1].molecule.as_deref(), Some("DPPC"));
    assert_eq!((scene.output.file.as_deref(), scene.name.as_str()), (Some("v.gro"), "two words"));
    for (key, words) in [
        ("membrane.raduis", "a key of [[membrane]] (did you mean radius?)"),
        ("membrane.7.radius", "membrane.0 to membrane.1"),
        ("membrane", "a key of membrane"),
        ("seed.0", "seed to be the end of the key"),
        ("", "a key"),
    ] {
        let refusal = text.set(key, "3").expect_err(key).to_string();
        assert!(refusal.starts_with(&format!("--set {key}=3: expected")) && refusal.contains(words), "{refusal}");
    }
    text.set("membrane.radius", "wide").unwrap();
    let refusal = text.scene().expect_err("a word is no radius").to_string();
    assert_eq!(refusal, "--set membrane.radius=wide: expected a number above 0 (Å), found \"wide\"");
    text.set("membrane.radius", "9\nseed = 4").unwrap();
    assert!(text.scene().is_err());
}

#[test]
fn a_scene_that_is_written_and_read_again_is_the_same() {
    let scene = SceneFile::read(&format!("tolerance = 2.5\n{MEMBRANE}{BOX}"), "test.toml".as_ref()).unwrap();
    let text = toml::to_string(&scene).unwrap();
    let mut again = SceneFile::read(&text, "test.toml".as_ref()).unwrap();
    again.origins = scene.origins.clone();
    assert_eq!(again, scene);
}

/// The keys that serde knows, from what it says about one that it does not.
fn keys_of(section: &Section, scene_around: &dyn Fn(Table) -> Table) -> Vec<String> {
    let nonsense = Table::from_iter([("?".to_owned(), Value::Boolean(true))]);
    let read: Result<SceneFile, _> = serde::Deserialize::deserialize(scene_around(nonsense));
    let refusal: toml::de::Error = read.expect_err(section.title);
    let (_, listed) = refusal.message().rsplit_once("expected ").unwrap_or_default();
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn check_section(section: &'static Section, scene_around: &dyn Fn(Table) -> Table) {
    let listed: Vec<&str> = section.keys.iter().map(|key| key.name).collect();
    assert_eq!(keys_of(section, scene_around), listed, "{}", section.title);
    for key in section.keys {
        let around = |table: Table, is_list: bool| {
            let value = if is_list { Value::Array(vec![Value::Table(table)]) } else { Value::Table(table) };
            scene_around(Table::from_iter([(key.name.to_owned(), value)]))
        };
        match key.kind {
            Kind::Table(inner) => check_section(inner, &|table| around(table, false)),
            Kind::Tables(inner) => check_section(inner, &|table| around(table, true)),
            _ => {}
        }
    }
}

#[test]
fn the_schema_and_the_types_have_the_same_keys() {
    check_section(&SCENE, &|table| table);
    assert!(schema::physics_keys().contains(&"response".to_owned()));
    assert_eq!(RadiiSet::ALL.map(RadiiSet::name), schema::RADII);
}

fn check_defaults(section: &'static Section, scene_around: &dyn Fn(Table) -> Table) {
    let read = |table: Table| -> SceneFile { serde::Deserialize::deserialize(scene_around(table)).unwrap() };
    // Two ways to say a thing are told apart by what is given, so these keep "not given"; the rules fill them in.
    let told_apart = ["tolerance", "allow", "fraction"];
    for key in section.keys.iter().filter(|key| !key.default.is_empty() && !told_apart.contains(&key.name)) {
        let given: Value = key.default.parse().unwrap();
        let with = read(Table::from_iter([(key.name.to_owned(), given)]));
        assert_eq!(with, read(Table::new()), "{} {}", section.title, key.name);
    }
    for key in section.keys {
        match key.kind {
            Kind::Table(inner) => check_defaults(inner, &|table| {
                scene_around(Table::from_iter([(key.name.to_owned(), Value::Table(table))]))
            }),
            Kind::Tables(inner) => check_defaults(inner, &|table| {
                scene_around(Table::from_iter([(key.name.to_owned(), Value::Array(vec![Value::Table(table)]))]))
            }),
            _ => {}
        }
    }
}

#[test]
fn every_default_of_the_page_is_the_one_that_is_used() {
    check_defaults(&SCENE, &|table| table);
    let scene = SceneFile::default();
    assert_eq!(scene.closeness(), super::Closeness::Tolerance(2.0));
    let radii = SceneFile { radii: Some("turk".to_owned()), ..scene };
    assert_eq!(radii.closeness(), super::Closeness::Radii { set: RadiiSet::Turk, allow: 0.4 });
    assert!((super::LipidTable::default().share() - 1.0).abs() < 1e-12);
}

#[test]
fn the_page_of_the_guide_lists_every_key() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/src/scene-files.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (begin, end) = ("<!-- keys: written by the test -->\n", "<!-- end of keys -->");
    let (before, rest) = page.split_once(begin).expect("the page marks where the keys begin");
    let (listed, after) = rest.split_once(end).expect("the page marks where the keys end");
    let keys = schema::scene_keys();
    if std::env::var_os("STERIC_WRITE_PAGES").is_some() {
        std::fs::write(path, format!("{before}{begin}{keys}{end}{after}")).unwrap();
    } else {
        assert_eq!(listed, keys, "run the test with STERIC_WRITE_PAGES=1 to write the page");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "([a-z.\\[\\]= \"0-9\\n-]|radius|membrane|\\[\\[membrane\\]\\]|solute|\n){0,40}") {
        let _ = SceneFile::read(&text, "test.toml".as_ref());
        if let Ok(mut scene) = SceneText::parse(MEMBRANE, "test.toml".as_ref()) {
            let _ = scene.set(&text, &text);
            let _ = scene.scene();
        }
    }
}
