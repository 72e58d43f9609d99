//! Candidate pairs of two meshes in contact: edges of their surfaces, points and triangles, and tetrahedra, whose boxes touch.
//!
//! How it works: the second mesh, or a copy of the first, is shifted along x by a quarter of the extent of the first. Both stand in one index, so pairs are those inside a mesh too. A pass makes the boxes, builds the
//! index, asks it, and leaves out pairs that share a point. Boxes are grown by the rounding of single precision, so that no pair is missed that double precision would find. Pairs are written
//! by the numbers of points, the second mesh counted on from the first, so that another program can compare its own.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use glam::DVec3;
use rayon::prelude::*;
use steric::collide::{Bounds, BoxIndex};
use steric::model::TetMesh;
use steric::model::formats::tet_mesh::read_tet_mesh;

use super::{Row, Told, median_and_spread, milliseconds_of};
use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::output;
use crate::table::{columns, thousands};

/// Threads that are compared.
const THREADS: [usize; 2] = [1, 2];
/// Passes that are timed.
const PASSES: usize = 20;
/// Of the extent along x.
const SHIFT: f64 = 0.25;

/// Points, edges, triangles or tetrahedra: the points of one after the other.
struct Things {
    /// Points of each.
    each: usize,
    points: Vec<u32>,
}

impl Things {
    fn of(each: usize) -> Self {
        Self { each, points: Vec::new() }
    }

    fn len(&self) -> usize {
        self.points.len() / self.each
    }

    fn at(&self, number: u32) -> &[u32] {
        &self.points[number as usize * self.each..][..self.each]
    }

    /// The points of one, where each has so many.
    fn array<const EACH: usize>(&self, number: u32) -> &[u32; EACH] {
        self.points[number as usize * EACH..].first_chunk().expect("a thing has all its points")
    }

    /// Adds things whose points are counted on from so many.
    fn add<'a>(&mut self, points: impl IntoIterator<Item = &'a u32>, before: u32) {
        self.points.extend(points.into_iter().map(|point| point + before));
    }
}

/// Both meshes.
struct Both {
    name: String,
    places: Vec<DVec3>,
    points: Things,
    edges: Things,
    triangles: Things,
    tetrahedra: Things,
    shift: f64,
}

/// What is looked for: who asks, and who is in the index; the same list where a kind asks for its own.
struct Search<'a> {
    what: &'static str,
    queries: Option<&'a Things>,
    of: &'a Things,
}

pub(super) fn measure(files: &[PathBuf], pairs: Option<&Path>, shared: &Shared) -> Result<Told, Failure> {
    let both = Both::read(files, shared)?;
    let searches = [
        Search { what: "edge-edge", queries: None, of: &both.edges },
        Search { what: "point-triangle", queries: Some(&both.points), of: &both.triangles },
        Search { what: "tetrahedron-tetrahedron", queries: None, of: &both.tetrahedra },
    ];
    let (mut told, mut lines, mut found) = (Told::default(), Vec::new(), Vec::new());
    for search in &searches {
        let mut known = None;
        for threads in THREADS {
            let pool = options::thread_pool(threads)?;
            let (times, counts, pairs) = pool.install(|| passes(search, &both.places));
            if known.replace(counts).is_some_and(|known| known != counts) {
                return Err(Failure::usage(format!("{}: other pairs on {threads} threads", search.what)));
            }
            told.rows.extend(rows(&both, search.what, threads, times, counts));
            lines.push(line(search, threads, times, counts));
            found.push((search, pairs));
        }
    }
    if let Some(path) = pairs {
        // One of the two lists of each search, and without tetrahedra, which no peer looks for.
        let surfaces: Vec<_> = found.iter().step_by(THREADS.len()).take(2).collect();
        output::write_whole(path, |file| {
            surfaces
                .iter()
                .try_for_each(|(search, pairs)| write_pairs(file, search, pairs))
                .map_err(|error| Failure::io(path, &error))
        })?;
        output::note(shared, &format!("wrote {}", path.display()));
    }
    told.text = text(&both, &lines);
    Ok(told)
}

impl Both {
    fn read(files: &[PathBuf], shared: &Shared) -> Result<Self, Failure> {
        let first = read(&files[0], shared)?;
        let mut second = files.get(1).map_or_else(|| Ok(first.clone()), |file| read(file, shared))?;
        let xs = || first.points.iter().map(|point| point.x);
        let shift = SHIFT * (xs().fold(f64::NEG_INFINITY, f64::max) - xs().fold(f64::INFINITY, f64::min));
        second.points.iter_mut().for_each(|point| point.x += shift);
        let mut both = Self::nothing(first.name.clone(), shift);
        both.add(&first);
        both.add(&second);
        Ok(both)
    }

    fn nothing(name: String, shift: f64) -> Self {
        let [points, edges, triangles, tetrahedra] = [1, 2, 3, 4].map(Things::of);
        Self { name, places: Vec::new(), points, edges, triangles, tetrahedra, shift }
    }

    fn add(&mut self, mesh: &TetMesh) {
        let before = self.places.len() as u32;
        let surface = mesh.surface();
        let of_face = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
        let edges: BTreeSet<[u32; 2]> = surface.iter().flat_map(of_face).collect();
        let points: BTreeSet<u32> = surface.iter().flatten().copied().collect();
        self.places.extend_from_slice(&mesh.points);
        self.points.add(&points, before);
        self.edges.add(edges.iter().flatten(), before);
        self.triangles.add(surface.iter().flatten(), before);
        self.tetrahedra.add(mesh.tetrahedra.iter().flatten(), before);
    }
}

fn read(path: &Path, shared: &Shared) -> Result<TetMesh, Failure> {
    let parsed = read_tet_mesh(path)?;
    if parsed.warnings.total > 0 {
        output::note(shared, &format!("{}: {} warnings", path.display(), parsed.warnings.total));
    }
    if parsed.value.tetrahedra.is_empty() {
        return Err(Failure::usage(format!("{}: expected tetrahedra, found none", path.display())));
    }
    Ok(parsed.value)
}

/// Median and spread in milliseconds, how many boxes touch and how many of these share no point, and these.
type Passed = ((f64, f64), [usize; 2], Vec<[u32; 2]>);

fn passes(search: &Search<'_>, places: &[DVec3]) -> Passed {
    let (mut pairs, mut counts) = (Vec::new(), [0; 2]);
    // A new index each time, as a peer makes it: one that has seen the same boxes before would have nothing to sort.
    let mut pass = |_| {
        pairs = Vec::new();
        milliseconds_of(|| counts = search.pass(places, &mut BoxIndex::default(), &mut pairs))
    };
    // The first one warms the caches.
    let times: Vec<f64> = (0..=PASSES).map(&mut pass).skip(1).collect();
    (median_and_spread(times), counts, pairs)
}

impl Search<'_> {
    /// Fills the pairs that share no point; how many boxes touch, and how many pairs these are.
    fn pass(&self, places: &[DVec3], index: &mut BoxIndex, pairs: &mut Vec<[u32; 2]>) -> [usize; 2] {
        match (self.queries.unwrap_or(self.of).each, self.of.each) {
            (1, 3) => self.pass_of::<1, 3>(places, index, pairs),
            (2, 2) => self.pass_of::<2, 2>(places, index, pairs),
            (4, 4) => self.pass_of::<4, 4>(places, index, pairs),
            (one, other) => unreachable!("nobody looks for things of {one} points near things of {other}"),
        }
    }

    fn pass_of<const ONE: usize, const OTHER: usize>(
        &self,
        places: &[DVec3],
        index: &mut BoxIndex,
        pairs: &mut Vec<[u32; 2]>,
    ) -> [usize; 2] {
        let slack = slack(places);
        index.build(&around_all(self.of, places, slack));
        let (ones, others) = (self.queries.unwrap_or(self.of), self.of);
        let wanted = |one, other| {
            let (one, other): (&[u32; ONE], &[u32; OTHER]) = (ones.array(one), others.array(other));
            // Without branches: nobody can predict which of the points are the same.
            one.iter().fold(true, |is_apart, point| {
                is_apart & other.iter().fold(true, |is_apart, of| is_apart & (point != of))
            })
        };
        let sharing = match self.queries {
            None => index.self_pairs_where(wanted, pairs),
            Some(queries) => index.pairs_where(&around_all(queries, places, slack), wanted, pairs),
        };
        [sharing + pairs.len(), pairs.len()]
    }

    fn things(&self, &[one, other]: &[u32; 2]) -> [&[u32]; 2] {
        [self.queries.unwrap_or(self.of).at(one), self.of.at(other)]
    }
}

/// What single precision may take from a box.
fn slack(places: &[DVec3]) -> f32 {
    let farthest = places.iter().fold(0.0f64, |most, place| most.max(place.abs().max_element()));
    farthest as f32 * 2.0 * f32::EPSILON
}

fn around_all(things: &Things, places: &[DVec3], slack: f32) -> Vec<Bounds> {
    let around = |points: &[u32]| {
        Bounds::around(points.iter().map(|&point| places[point as usize].as_vec3().to_array())).grown(slack)
    };
    things.points.par_chunks_exact(things.each).with_min_len(1_024).map(around).collect()
}

fn write_pairs(file: &mut impl Write, search: &Search<'_>, pairs: &[[u32; 2]]) -> std::io::Result<()> {
    for pair in pairs {
        let [one, other] = search.things(pair);
        write!(file, "{}", search.what)?;
        one.iter().chain(other).try_for_each(|point| write!(file, ",{point}"))?;
        writeln!(file)?;
    }
    Ok(())
}

fn rows(both: &Both, what: &'static str, threads: usize, times: (f64, f64), counts: [usize; 2]) -> [Row; 2] {
    let row = Row {
        scene: both.name.clone(),
        size: both.tetrahedra.len(),
        what,
        kind: "clusters".to_owned(),
        threads,
        value: times.0,
        spread: times.1,
        unit: "ms",
        repeats: PASSES,
        ..Row::default()
    };
    [row.clone(), Row { value: counts[1] as f64, spread: 0.0, unit: "pairs", repeats: 1, ..row }]
}

fn line(
    search: &Search<'_>,
    threads: usize,
    (median, spread): (f64, f64),
    [touching, apart]: [usize; 2],
) -> Vec<String> {
    let count = |count: usize| thousands(count as u64);
    vec![
        search.what.to_owned(),
        search.queries.map_or_else(String::new, |queries| count(queries.len())),
        count(search.of.len()),
        count(touching),
        count(apart),
        threads.to_string(),
        format!("{median:.3}"),
        format!("{spread:.3}"),
    ]
}

fn text(both: &Both, lines: &[Vec<String>]) -> String {
    let header = ["pairs", "queries", "boxes", "touching", "sharing no point", "threads", "median ms", "spread"];
    let mut right = [true; 8];
    right[0] = false;
    let table = columns(&header, &right, lines);
    format!(
        "Candidate pairs: {}, the second shifted by {} along x; boxes, index and query\n{table}",
        both.name, both.shift
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_two_blocks_are_those_of_all_boxes_that_touch_and_share_no_point() {
        let mesh = TetMesh::block(DVec3::ZERO, DVec3::ONE, [2, 2, 2]);
        let mut both = Both::nothing("blocks".to_owned(), 0.25);
        both.add(&mesh);
        both.add(&mesh.clone().mapped(|point| point + 0.25 * DVec3::X));
        let search = Search { what: "edge-edge", queries: None, of: &both.edges };
        let (mut index, mut pairs) = (BoxIndex::default(), Vec::new());
        let [touching, apart] = search.pass(&both.places, &mut index, &mut pairs);
        let boxes = around_all(&both.edges, &both.places, slack(&both.places));
        let all = (0..boxes.len()).flat_map(|a| (a + 1..boxes.len()).map(move |b| [a, b]));
        let expected = all.clone().filter(|&[a, b]| boxes[a].touches(&boxes[b])).count();
        assert_eq!(touching, expected);
        assert!(apart < touching && pairs.is_sorted() && pairs.len() == apart);
    }
}
