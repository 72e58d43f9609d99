//! Checks that every dependency may be used under one of the licences that `deny.toml` allows.
//!
//! How it works: `cargo metadata` names the licence expression of each package (`MIT OR Apache-2.0`), and the
//! expression must be satisfiable with the allowed names. `cargo deny` checks more, but has to be installed; this
//! needs neither it nor a network.

use crate::steps::{cargo, root};
use std::collections::BTreeSet;

/// Fails with the packages whose licence is not allowed.
pub(crate) fn check() -> Result<(), String> {
    let settings = std::fs::read_to_string(root().join("deny.toml")).map_err(|error| format!("deny.toml: {error}"))?;
    let allowed = allowed(&settings).ok_or("deny.toml: no list `allow = [ … ]`")?;
    let output = cargo(&["metadata", "--format-version", "1", "--locked", "--all-features"]).output();
    let output = output.map_err(|error| format!("cargo metadata: {error}"))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let refused: Vec<String> = packages.iter().filter_map(|package| refusal(package, &allowed)).collect();
    println!("{} packages, {} refused", packages.len(), refused.len());
    if packages.is_empty() || !refused.is_empty() { Err(refused.join("; ")) } else { Ok(()) }
}

fn refusal(package: &serde_json::Value, allowed: &BTreeSet<&str>) -> Option<String> {
    let licence = package["license"].as_str().unwrap_or_default();
    let name = package["name"].as_str().unwrap_or_default();
    (!satisfied(licence, allowed)).then(|| format!("{name}: {licence:?} is not allowed"))
}

/// The quoted names in the list `allow` of deny.toml.
fn allowed(settings: &str) -> Option<BTreeSet<&str>> {
    let list = settings.split_once("\nallow = [")?.1.split_once(']')?.0;
    Some(list.split('"').skip(1).step_by(2).collect())
}

/// Whether an SPDX expression can be met; the old form `MIT/Apache-2.0` means OR.
fn satisfied(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any_of(&mut words, allowed);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let mut met = all_of(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all_of(words, allowed);
    }
    met
}

fn all_of(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let mut met = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let Some(mut name) = words.next().map(str::to_owned) else { return false };
    if name == "(" {
        let met = any_of(words, allowed);
        return words.next() == Some(")") && met;
    }
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next().unwrap_or_default());
    }
    allowed.contains(name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_needs_one_allowed_licence_and_a_conjunction_all() {
        let allowed = BTreeSet::from(["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"]);
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "GPL-3.0/MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(satisfied(good, &allowed), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "(MIT", "MIT)", "Unicode-3.0 AND (GPL-2.0)"] {
            assert!(!satisfied(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn the_repository_allows_its_own_licence() {
        let settings = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
        assert!(satisfied("MIT OR Apache-2.0", &allowed(&settings).expect("a list of licences")));
    }
}
