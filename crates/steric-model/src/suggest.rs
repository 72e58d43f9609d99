//! The known word that a misspelt one was most likely meant to be.
//!
//! How it works: the edit distance of Damerau and Levenshtein (a letter left out, put in, replaced, or two neighbours
//! swapped) to every known word, capitals aside. A word further away than a third of its letters is no misspelling.

/// The nearest of the known words; the first of several that are equally near.
///
/// ```
/// use steric_model::suggest::nearest;
///
/// assert_eq!(nearest("tolerence", ["tolerance", "structure"]), Some("tolerance"));
/// assert_eq!(nearest("banana", ["tolerance", "structure"]), None);
/// ```
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let most = (word.chars().count().max(3) / 3).max(1);
    let near = known.into_iter().map(|known| (edits(&word, &known.to_lowercase()), known));
    near.filter(|&(edits, _)| edits <= most).min_by_key(|&(edits, _)| edits).map(|(_, known)| known)
}

/// What was expected, with the likeliest of the known words behind it, or all of them where none is near.
///
/// ```
/// use steric_model::suggest::expected_one_of;
///
/// assert_eq!(expected_one_of("a side", "insid", &["inside", "outside"]), "a side (did you mean inside?)");
/// assert_eq!(expected_one_of("a side", "left", &["inside", "outside"]), "a side (inside, outside)");
/// ```
pub fn expected_one_of(what: &str, word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("{what} (did you mean {near}?)"),
        None => format!("{what} ({})", known.join(", ")),
    }
}

fn edits(a: &str, b: &str) -> usize {
    // Names are short; what is longer was no name.
    let [a, b] = [a, b].map(|word| word.chars().take(64).collect::<Vec<char>>());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 { i + j } else { fewest(&rows, &a, &b, i, j) };
        }
    }
    rows[a.len()][b.len()]
}

fn fewest(rows: &[Vec<usize>], a: &[char], b: &[char], i: usize, j: usize) -> usize {
    let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
    let least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
    let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
    if swapped { least.min(rows[i - 2][j - 2] + 1) } else { least }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_slip_of_the_finger_finds_the_word() {
        for slip in ["raduis", "radus", "radiuss", "Radius", "rodius"] {
            assert_eq!(nearest(slip, ["center", "radius", "size"]), Some("radius"), "{slip}");
        }
        assert_eq!(nearest("banana", ["center", "radius", "size"]), None);
        assert_eq!(nearest("", ["center"]), None);
    }

    proptest! {
        #[test]
        fn edits_are_a_distance(a in "[ab]{0,6}", b in "[ab]{0,6}") {
            prop_assert_eq!(edits(&a, &b), edits(&b, &a));
            prop_assert_eq!(edits(&a, &b) == 0, a == b);
            prop_assert!(edits(&a, &b) <= a.len().max(b.len()));
            prop_assert!(edits(&a, &b) >= a.len().abs_diff(b.len()));
        }
    }
}
