//! Recipes: every flavour, the real files with counts that were made without this reader, and files that are broken.

#![allow(clippy::print_stdout, reason = "what a real file says beyond its counts is worth seeing")]
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input has failed")]

mod common;

use std::path::Path;

use common::{content, data};
use proptest::prelude::*;
use steric_model::Parsed;
use steric_model::formats::cellpack::{read_recipe, read_sphere_file};
use steric_model::recipe::{CompartmentShape, GradientShape, GradientWeight, PackingMode, Recipe, Site};

fn read(text: &str) -> Parsed<Recipe> {
    read_recipe(text.as_bytes(), Path::new("r.json")).unwrap()
}

fn refusal(text: &str) -> String {
    read_recipe(text.as_bytes(), Path::new("r.json")).unwrap_err().to_string()
}

/// Ingredients, the sum of their counts, how many have a molarity, spheres in the finest level, compartments, placed copies.
type Counts = [usize; 6];

fn counts(recipe: &Recipe) -> Counts {
    let all = &recipe.ingredients;
    [
        all.len(),
        all.iter().map(|ingredient| ingredient.count as usize).sum(),
        all.iter().filter(|ingredient| ingredient.molarity > 0.0).count(),
        all.iter().filter_map(|ingredient| ingredient.levels.last()).map(Vec::len).sum(),
        recipe.compartments.len(),
        all.iter().map(|ingredient| ingredient.placed.len()).sum(),
    ]
}

#[test]
fn every_real_recipe_and_result_has_the_counts_that_were_found_without_this_reader() {
    let Some(data) = data() else { return };
    let expected: [(&str, Counts); 12] = [
        ("recipes/sphere_tree_v1.json", [1, 80, 0, 1, 0, 0]),
        ("recipes/HIV_immature.json", [35, 1750, 23, 437, 1, 0]),
        ("recipes/BloodPlasma_noHIV_v2.json", [18, 1227, 0, 0, 0, 0]),
        ("recipes/er_peroxisome_v2.json", [1, 121, 0, 1, 3, 0]),
        ("recipes/BloodPlasmaHIV_serialized.json", [46, 14244, 24, 615, 2, 0]),
        ("recipes/influenza_serialized.json", [5, 1173, 0, 35, 1, 0]),
        ("exosome/exosome_feb_2024_serialized.json", [47, 1814, 43, 1731, 1, 0]),
        ("results/BloodPlasma1.0.apr.json", [21, 1229, 0, 0, 0, 1229]),
        ("results/ExosomeModel.json", [45, 3315, 0, 393, 1, 3315]),
        ("results/HIV-1_0.1.6-8_mixed_radii_pdb.json", [26, 11681, 0, 384, 3, 11681]),
        ("results/HIV_mature_model.json.gz", [27, 14386, 0, 202, 2, 14386]),
        ("results/BloodHIV1.0_mixed_fixed_nc1.cpr.gz", [45, 20502, 0, 0, 3, 20502]),
    ];
    for (name, expected) in expected {
        let path = data.join("mesoscale").join(name);
        let parsed = read_recipe(&content(&path), &path).unwrap();
        assert_eq!(counts(&parsed.value), expected, "{name}");
        for warning in &parsed.warnings.first {
            println!("{name}: {warning}");
        }
        // Not one key of a real file is unknown.
        let unknown = parsed.warnings.first.iter().find(|warning| warning.message.contains("is not known"));
        assert!(unknown.is_none(), "{name}: {unknown:?}");
    }
}

#[test]
fn a_composition_nests_compartments_and_objects_inherit() {
    let text = r#"{"format_version": "2.0", "name": "nest", "bounding_box": [[9, 9, 9], [-9, -9, -9]],
        "objects": {"base": {"type": "single_sphere", "packing_mode": "gradient", "gradient": "up", "color": [255, 0, 51]},
            "shell": {"inherit": "base", "radius": 6}, "dot": {"inherit": "base", "radius": 1, "color": [0, 1, 0]},
            "rod": {"type": "single_cylinder", "radius": 1, "length": 4, "principal_vector": [1, 0, 0]}},
        "gradients": {"up": {"mode": "z", "weight_mode": "exponential", "weight_mode_settings": {"decay_length": 0.1}}},
        "composition": {"space": {"regions": {"interior": ["cell", {"object": "dot", "count": 3}]}},
            "cell": {"object": "shell", "count": 1, "regions": {"interior": ["core"], "inner_leaflet": [
                {"object": "rod", "molarity": 0.5, "priority": -1, "partners": [
                    {"name": "dot", "binding_probability": 0.25}, {"name": "cell", "binding_probability": -1}]}]}},
            "core": {"object": "dot", "regions": {"surface": [{"object": "dot", "count": 2}]}}}}"#;
    let Parsed { value: recipe, warnings } = read(text);
    assert_eq!(warnings.total, 0, "{:?}", warnings.first);
    assert_eq!(recipe.bounds.map(|[low, high]| (low.x, high.x)), Some((-9.0, 9.0)));
    let paths: Vec<_> = recipe.ingredients.iter().map(|ingredient| recipe.path_of(ingredient)).collect();
    assert_eq!(paths, ["cell/inner leaflet/rod", "cell/core/surface/dot", "space/dot"].map(str::to_owned));
    let [rod, dot, _] = &recipe.ingredients[..] else { panic!("three") };
    assert_eq!((rod.site, rod.molarity, rod.priority), (Site::InnerLeaflet, 0.5, -1.0));
    // Spheres half a radius apart from end to end.
    assert_eq!((rod.levels[0].len(), rod.levels[0][0].center.x, rod.levels[0][8].center.x), (9, -2.0, 2.0));
    assert_eq!((rod.partners[0].probability, rod.excluded[0].as_str()), (0.25, "cell"));
    assert_eq!((dot.mode, dot.gradients[0].as_str(), dot.color), (PackingMode::Gradient, "up", Some([0.0, 1.0, 0.0])));
    assert!(matches!(recipe.gradients[0].shape, GradientShape::Vector { direction, .. } if direction.z == 1.0));
    assert_eq!(recipe.gradients[0].weight, GradientWeight::Exponential { decay_length: 0.1 });
    assert!(matches!(recipe.compartments[0].shape, Some(CompartmentShape::Sphere { radius: 6.0, .. })));
}

#[test]
fn a_serialized_tree_has_surfaces_insides_and_fibres() {
    let text = r#"{"name": "root", "Compartments": [{"name": "cytoplasme", "Compartments": [], "IngredientGroups": [
            {"groupType": 1, "Ingredients": [{"name": "vWF", "nbMol": 1}]}]},
        {"name": "cell", "geom_type": "mb", "mb": {"positions": [1, 2, 3], "radii": [40]}, "thickness": 7.5, "Compartments": [
            {"name": "surface", "IngredientGroups": [{"Ingredients": [{"name": "pump", "nbMol": 4, "molarity": 0,
                "principalVector": [0, 0, -1], "source": {"pdb": "1abc", "bu": "BU2", "transform": {"offset": [0, 0, -7]}},
                "positions": [{"coords": [0, 0, 0, 1, 1, 1]}], "radii_lod": [{"radii": ["3", 4]}]}]}]}]}],
        "IngredientGroups": []}"#;
    let Parsed { value: recipe, warnings } = read(text);
    assert_eq!(warnings.total, 0, "{:?}", warnings.first);
    let [fibre, pump] = &recipe.ingredients[..] else { panic!("two") };
    assert!(fibre.is_fibre && fibre.compartment.is_none() && !pump.is_fibre);
    assert_eq!((recipe.path_of(pump), pump.offset.z), ("cell/surface/pump".to_owned(), -7.0));
    assert_eq!(pump.levels[0].iter().map(|sphere| sphere.radius).collect::<Vec<_>>(), [3.0, 4.0]);
    assert_eq!(pump.structure.as_ref().and_then(|structure| structure.unit.as_deref()), Some("2"));
    assert_eq!(recipe.compartments[0].thickness, 7.5);
}

#[test]
fn broken_recipes_point_at_their_place() {
    let broken = refusal("{\n\"compartments\": [}");
    assert!(broken.starts_with("r.json:2: columns 18-18: expected a recipe in JSON"), "{broken}");
    let cases = [
        ("{}", "r.json:1: columns 1-2: expected a recipe of cellPACK"),
        ("[1]", "r.json:1: columns 1-3: expected a recipe (an object in braces), found \"[1]\""),
        (
            "{\"cytoplasme\": {\"ingredients\": {\"a\":\n  {\"radii\": [[-1]], \"positions\": [[[0, 0, 0]]]}}}}",
            "r.json:2: columns 35-45: expected three coordinates for each of the radii",
        ),
        (
            "{\"cytoplasme\": {\"ingredients\": {\"a\": {\"molarity\": \"much\"}}}}",
            "r.json:1: columns 51-56: expected a number from 0 as \"molarity\", found \"\\\"much\\\"\"",
        ),
        (
            r#"{"objects": {"a": {"inherit": "b"}, "b": {"inherit": "a"}}, "composition": {}}"#,
            "r.json:1: columns 31-33: expected the name of another object, not in a circle",
        ),
        (
            r#"{"composition": {"s": {"regions": {"interior": ["t"]}}}}"#,
            "r.json:1: columns 49-51: expected the name of an entry of the composition",
        ),
        (
            r#"{"composition": {"s": {"regions": {"interior": ["t"]}}, "t": {"object": "u"}}}"#,
            "r.json:1: columns 73-75: expected the name of one of the objects",
        ),
        (
            r#"{"bounding_box": [[0, 0, 0]], "composition": {}}"#,
            "r.json:1: columns 18-28: expected two corners of a box",
        ),
    ];
    for (text, expected) in cases {
        let error = refusal(text);
        assert!(error.starts_with(expected), "{error}");
    }
    let deep = refusal(&format!("{{\"Compartments\": {}", "[".repeat(100_000)));
    assert!(deep.contains("recursion"), "{deep}");
}

#[test]
fn entries_in_a_circle_end() {
    let text = r#"{"composition": {"s": {"regions": {"interior": ["a"]}},
        "a": {"regions": {"interior": ["b"]}}, "b": {"regions": {"interior": ["a"]}}}}"#;
    assert!(refusal(text).contains("not in a circle"));
    let lonely = r#"{"composition": {"a": {"regions": {"interior": ["b"]}}, "b": {"regions": {"interior": ["a"]}}}}"#;
    let warnings = read(lonely).warnings;
    assert!(warnings.first[0].message.contains("the entry a lies in nothing"), "{warnings:?}");
}

#[test]
fn sphere_files_have_the_spheres_that_they_promise() {
    let Some(data) = data() else { return };
    for (name, count) in [("HumanIgM.sph", 35), ("fibrinogen_3ghg.sph", 60), ("hemoglobin_2hhb.sph", 4)] {
        let path = data.join("surface").join(name);
        let levels = read_sphere_file(&content(&path), &path).unwrap();
        assert_eq!(levels.iter().map(Vec::len).collect::<Vec<_>>(), [count], "{name}");
    }
    let error = read_sphere_file(b"1 2\n1\n2\n0 0 0 1\n1 1 x 1\n", Path::new("t.sph")).unwrap_err().to_string();
    assert_eq!(error, "t.sph:5: columns 5-5: expected a coordinate of a sphere (angstroms), found \"x\"");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_damaged_recipe_is_read_or_refused_without_panic(
        which in 0..3_usize,
        at in 0..1_000_usize,
        with in prop::collection::vec(any::<u8>(), 0..4),
        cut in 0..3_usize,
    ) {
        const WHOLE: [&str; 3] = [
            r#"{"objects": {"a": {"radius": 5, "inherit": "b"}, "b": {"bounds": [[0, 0, 0], [1, 2, 3]], "type": "single_cube"}},
                "composition": {"s": {"regions": {"interior": [{"object": "a", "count": 3}, "c"]}}, "c": {"object": "b"}}}"#,
            r#"{"Compartments": [{"name": "c", "geom_type": "raw", "geom": {"verts": [0, 0, 0, 1, 0, 0, 0, 1, 0],
                "faces": [0, 1, 2]}, "IngredientGroups": [{"Ingredients": [{"nbMol": 1, "radii": [[1]]}]}]}]}"#,
            r#"{"options": {"boundingBox": [[0, 0, 0], [1, 1, 1]]}, "compartments": {"c": {"geom": "c.obj", "surface":
                {"ingredients": {"a": {"results": [[[0, 0, 0], [1, 0, 0, 0]]], "partners_name": ["b"]}}}}}}"#,
        ];
        let mut bytes = WHOLE[which].as_bytes().to_vec();
        let at = at % bytes.len();
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, with);
        let _ = read_recipe(&bytes, Path::new("any.json"));
    }
}
