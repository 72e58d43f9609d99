//! Recipes of cellPACK and of its tools, in every flavour that there is.
//!
//! How it works: the flavour shows by the keys at the top. `composition` is version 2 ([`composed`]), `IngredientGroups` a
//! serialized recipe ([`serialized`]), `cytoplasme` or `compartments` version 1 or a packed result ([`classic`]). All become
//! one [`Recipe`]. A key that is not known becomes a warning by name; a value of the wrong kind is an error at its place.

mod classic;
mod compartment;
mod composed;
mod ingredient;
mod locate;
mod object;
mod serialized;
mod sphere_file;
mod table;

use std::path::Path;

use crate::recipe::Recipe;
use crate::{Parsed, Place, ReadError};
pub use sphere_file::read_sphere_file;
use table::{Node, Source};

/// Recipes are small; a file above this size is something else, and would take ten times its size in memory.
const MOST_BYTES: usize = 256 << 20;

/// Reads a recipe already in memory: version 1, version 2, serialized, or a packed result.
///
/// ```
/// use steric_model::formats::cellpack::read_recipe;
///
/// let text = br#"{"recipe": {"name": "drop"}, "cytoplasme": {"ingredients": {"water": {
///     "nbMol": 12, "radii": [[1.4]], "positions": [[[0, 0, 0]]], "wetness": 1}}}}"#;
/// let parsed = read_recipe(text, "drop.json".as_ref())?;
/// assert_eq!(parsed.value.ingredients[0].count, 12);
/// assert_eq!(parsed.warnings.first[0].to_string(), "line 2: the key \"wetness\" is not known and was left out");
///
/// let refused = read_recipe(b"{\"cytoplasme\": {\"ingredients\": {\"water\": {\"nbMol\": -1}}}}", "drop.json".as_ref());
/// assert_eq!(
///     refused.expect_err("there cannot be fewer than none").to_string(),
///     "drop.json:1: columns 52-53: expected a number from 0 as \"nbMol\", found \"-1\""
/// );
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_recipe(bytes: &[u8], path: &Path) -> Result<Parsed<Recipe>, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.len() > MOST_BYTES {
        let found = format!("{} bytes", bytes.len());
        return Err(ReadError::content(path, Place::File, "a recipe of at most 256 MiB", found));
    }
    let source = Source::new(bytes, path);
    let value = source.parse()?;
    let table = Node { value: &value, way: Vec::new() }.table(&source, "a recipe (an object in braces)")?;
    let mut recipe = if table.has("composition") {
        composed::read(table)?
    } else if table.has("IngredientGroups") || table.has("Compartments") {
        serialized::read(table)?
    } else if ["cytoplasme", "cytoplasm", "compartments"].iter().any(|key| table.has(key)) {
        classic::read(table)?
    } else {
        let expected = "a recipe of cellPACK (composition, Compartments, cytoplasme or compartments at its top)";
        return Err(source.error(&[], expected));
    };
    if recipe.name.is_empty() || recipe.name == "root" {
        recipe.name = crate::formats::text::stem(path);
    }
    Ok(Parsed { value: recipe, warnings: source.finish() })
}

/// As [`read_recipe`], for a file, compressed or not.
///
/// ```
/// let missing = steric_model::formats::cellpack::read_recipe_file("no-such-folder/hiv.json".as_ref());
/// assert!(missing.expect_err("there is no such file").to_string().starts_with("no-such-folder/hiv.json: "));
/// ```
pub fn read_recipe_file(path: &Path) -> Result<Parsed<Recipe>, ReadError> {
    let bytes = crate::formats::load(path)?;
    let (bytes, _) = crate::formats::decompress(&bytes, path)?;
    read_recipe(&bytes, path)
}
