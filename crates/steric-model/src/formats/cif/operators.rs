//! Operators and the expressions that combine them: `1`, `1,2,5-8`, `P`, `(1-60)(61-88)`, `(X0)(1-5)`.
//!
//! How it works: an expression is a product of lists. Every pair of one operator from the left list and one from the
//! right makes a pose, the right one applied first. Lists name operators of `_pdbx_struct_oper_list`, so a list is
//! never longer than its text times the operators there are, and a product is counted before it is made.

use rustc_hash::FxHashMap;
use smol_str::{SmolStr, format_smolstr};

use glam::{DMat3, DVec3};

use super::table::Table;
use crate::Pose;

/// The most poses that one file may ask for: 1.1 GB of them. Twenty million is ten times the lipids, proteins and
/// metabolites of a whole minimal cell.
pub(super) const MOST_POSES: usize = 20_000_000;

/// The operators of a file by their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Operators {
    places: FxHashMap<SmolStr, u32>,
    // `None` where the matrix is not a rotation.
    poses: Vec<Option<Pose>>,
}

impl Operators {
    /// Reads `_pdbx_struct_oper_list`.
    pub(super) fn read(table: &Table<'_>) -> Self {
        let column = |name: &str| table.column(name);
        let matrix = [1, 2, 3].map(|row| [1, 2, 3].map(|axis| column(&format!("matrix[{row}][{axis}]"))));
        let vector = [1, 2, 3].map(|axis| column(&format!("vector[{axis}]")));
        let id = column("id");
        let mut operators = Self::default();
        for row in 0..table.rows() {
            let number = |column: Option<usize>| table.cell(row, column).number();
            let pose = pose_of(matrix.map(|line| line.map(number)), vector.map(number));
            operators.insert(table.cell(row, id).to_smol(), pose);
        }
        operators
    }

    fn insert(&mut self, id: SmolStr, pose: Option<Pose>) {
        let place = self.poses.len() as u32;
        // Where an id comes twice the first counts, as in every table of a CIF.
        if *self.places.entry(id).or_insert(place) == place {
            self.poses.push(pose);
        }
    }

    /// The poses of an expression, at most `most` of them, and how many were left out because they are not rigid.
    pub(super) fn expand(&self, expression: &str, most: usize) -> Result<(Vec<Pose>, usize), String> {
        let factors = self.factors(expression, most)?;
        let total = factors.iter().try_fold(1_usize, |total, factor| total.checked_mul(factor.len()));
        if total.is_none_or(|total| total > most) {
            return Err(format!("asks for more than {most} copies"));
        }
        let mut poses = vec![Some(Pose::IDENTITY)];
        for factor in factors {
            let inner = || factor.iter().map(|&place| self.poses[place as usize]);
            poses = poses.iter().flat_map(|&outer| inner().map(move |inner| Some(outer? * inner?))).collect();
        }
        let total = poses.len();
        let rigid: Vec<Pose> = poses.into_iter().flatten().collect();
        let skipped = total - rigid.len();
        Ok((rigid, skipped))
    }

    fn factors(&self, expression: &str, most: usize) -> Result<Vec<Vec<u32>>, String> {
        let mut factors = Vec::new();
        let mut rest = expression.trim();
        let mut room = most;
        while !rest.is_empty() {
            let (list, after) = match rest.strip_prefix('(') {
                Some(inner) => inner.split_once(')').ok_or("has a parenthesis that is not closed")?,
                None => rest.split_at(rest.find('(').unwrap_or(rest.len())),
            };
            let factor = self.list(list, room)?;
            room -= factor.len();
            factors.push(factor);
            rest = after.trim_start();
        }
        if factors.is_empty() { Err("names no operator".to_owned()) } else { Ok(factors) }
    }

    fn list(&self, list: &str, most: usize) -> Result<Vec<u32>, String> {
        let mut places = Vec::new();
        for item in list.split(',').map(str::trim) {
            match (self.places.get(item), range(item)) {
                (Some(&place), _) => places.push(place),
                (None, Some((first, last))) => {
                    for id in first..=last {
                        places.push(self.place(&format_smolstr!("{id}"))?);
                        check_room(&places, most)?;
                    }
                }
                (None, None) => places.push(self.place(item)?),
            }
            check_room(&places, most)?;
        }
        Ok(places)
    }

    fn place(&self, id: &str) -> Result<u32, String> {
        self.places.get(id).copied().ok_or_else(|| format!("names the operator {id:?}, which is not in the list"))
    }
}

fn check_room(places: &[u32], most: usize) -> Result<(), String> {
    if places.len() > most { Err(format!("asks for more than {most} copies")) } else { Ok(()) }
}

/// `5-8`; a range that runs backwards is none.
fn range(item: &str) -> Option<(u32, u32)> {
    let (first, last) = item.split_once('-')?;
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last).then_some((first, last))
}

fn pose_of(matrix: [[Option<f64>; 3]; 3], vector: [Option<f64>; 3]) -> Option<Pose> {
    let mut rows = [[0.0; 3]; 3];
    for (row, cells) in rows.iter_mut().zip(matrix) {
        for (entry, cell) in row.iter_mut().zip(cells) {
            *entry = cell?;
        }
    }
    let translation = DVec3::new(vector[0]?, vector[1]?, vector[2]?);
    // The file writes rows, glam keeps columns.
    Pose::from_matrix(DMat3::from_cols_array_2d(&rows).transpose(), translation)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Operator n moves by n along x; `P` turns x to y; `M` is a mirror.
    fn operators() -> Operators {
        let mut operators = Operators::default();
        for id in 1..=88 {
            operators.insert(format_smolstr!("{id}"), Some(Pose::from_translation(DVec3::X * id as f64)));
        }
        let quarter_turn = glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        operators.insert("P".into(), Some(Pose { rotation: quarter_turn, translation: DVec3::ZERO }));
        operators.insert("X0".into(), Some(Pose::from_translation(DVec3::Z)));
        operators.insert(
            "M".into(),
            pose_of(
                [
                    [Some(-1.0), Some(0.0), Some(0.0)],
                    [Some(0.0), Some(1.0), Some(0.0)],
                    [Some(0.0), Some(0.0), Some(1.0)],
                ],
                [Some(0.0); 3],
            ),
        );
        operators.insert("a-b".into(), Some(Pose::IDENTITY));
        operators
    }

    fn steps(expression: &str) -> Vec<f64> {
        let (poses, _) = operators().expand(expression, 10_000).unwrap();
        poses.iter().map(|pose| pose.translation.x).collect()
    }

    #[test]
    fn lists_and_ranges_keep_their_order() {
        assert_eq!(steps("1"), [1.0]);
        assert_eq!(steps("1,2,5-8"), [1.0, 2.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!(steps(" ( 3 , 1 - 2 ) "), [3.0, 1.0, 2.0]);
        assert_eq!(steps("a-b"), [0.0]);
        assert_eq!(steps("(1,2)(10-12)"), [11.0, 12.0, 13.0, 12.0, 13.0, 14.0]);
        assert_eq!(steps("(1-60)(61-88)").len(), 1680);
        assert_eq!(steps("(1,2)(3)(4,5)"), [8.0, 9.0, 9.0, 10.0]);
    }

    #[test]
    fn the_right_operator_is_applied_first() {
        let turned_last = operators().expand("P(1)", 10).unwrap().0[0];
        assert!((turned_last * DVec3::ZERO).abs_diff_eq(DVec3::Y, 1e-12));
        let moved_last = operators().expand("(1)(P)", 10).unwrap().0[0];
        assert!((moved_last * DVec3::ZERO).abs_diff_eq(DVec3::X, 1e-12));
    }

    #[test]
    fn a_mirror_is_left_out_and_counted() {
        let (poses, skipped) = operators().expand("(1,M)(1-3)", 10).unwrap();
        assert_eq!((poses.len(), skipped), (3, 3));
    }

    #[test]
    fn expressions_that_make_no_sense_say_why() {
        for expression in ["", "()", "(1", "1)", "1,,2", "Q", "8-5", "80-99", "((1))", "(1-60),(61-88)", "-", "1-"] {
            assert!(operators().expand(expression, 10_000).is_err(), "{expression}");
        }
    }

    #[test]
    fn products_are_counted_before_they_are_made() {
        let many = "(1-60)".repeat(40);
        assert!(operators().expand(&many, MOST_POSES).unwrap_err().contains("more than"));
        let long = format!("1-88{}", ",1-88".repeat(200));
        assert!(operators().expand(&long, 10_000).unwrap_err().contains("more than"));
        assert!(operators().expand("1-4000000000", 10_000).unwrap_err().contains("\"89\""));
    }
}
