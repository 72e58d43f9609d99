//! `steric.neighbors`, `steric.overlaps`, `steric.Index`.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use steric::collide::{
    FoundNeighbours, From32or64, NeighbourArrays, NeighbourError, NeighbourIndex, NeighbourSearch, PairList, PairRule,
};

use crate::arrays::{Positions, one_each, repeat};
use crate::{errors, work};

/// From so many points on a search has threads of its own, and can be interrupted.
const MANY: usize = 20_000;

/// Pairs that were found, as arrays.
#[pyclass(module = "steric", frozen)]
pub(crate) struct Neighbors {
    /// The numbers of both points of each pair: shape ``(n, 2)``, int32; of a half list the smaller one first.
    #[pyo3(get)]
    pairs: Py<PyArray2<i32>>,
    /// Distances in angstroms, if they were asked for.
    #[pyo3(get)]
    distances: Option<Py<PyAny>>,
    /// Vectors from the first to the second in angstroms, shape ``(n, 3)``, if they were asked for.
    #[pyo3(get)]
    vectors: Option<Py<PyAny>>,
    /// By how many vectors of the box the second is shifted, shape ``(n, 3)``, int32, if they were asked for.
    #[pyo3(get)]
    shifts: Option<Py<PyArray2<i32>>>,
    /// Sums of radii minus distances, in angstroms; only of overlaps.
    #[pyo3(get)]
    depths: Option<Py<PyArray1<f64>>>,
    /// Seconds in the engine, arrays included.
    #[pyo3(get)]
    seconds: f64,
    length: usize,
    /// How many points the first ones of the pairs are of.
    points: usize,
    sorted: bool,
}

#[pymethods]
impl Neighbors {
    fn __len__(&self) -> usize {
        self.length
    }

    fn __repr__(&self) -> String {
        format!("<steric.Neighbors: {} pairs of {} points>", self.length, self.points)
    }

    /// The first point of each pair, a view.
    #[getter]
    fn i<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, 0)
    }

    /// The second point of each pair, a view.
    #[getter]
    fn j<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, 1)
    }

    /// Where the pairs of each point begin in the arrays, and where the last ones end: int64. Only of sorted pairs.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        if !self.sorted {
            return Err(PyValueError::new_err(
                "expected sorted pairs for offsets, found them in the order of space; ask with sort=True",
            ));
        }
        let mut before = 0;
        let ends = self.counts_of(py)?.into_iter().map(|count| {
            before += count;
            before
        });
        Ok(PyArray1::from_vec(py, std::iter::once(0).chain(ends).collect()))
    }

    /// How many pairs begin with each point: int64.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(PyArray1::from_vec(py, self.counts_of(py)?))
    }

    /// The pairs as a table of pandas.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::arrays::helper(slf.py(), "pairs_to_pandas")?.call1((slf,))
    }
}

impl Neighbors {
    fn counts_of(&self, py: Python<'_>) -> PyResult<Vec<i64>> {
        let pairs = self.pairs.bind(py).readonly();
        let mut counts = vec![0; self.points];
        for pair in pairs.as_slice().map_err(errors::value)?.chunks_exact(2) {
            // The array is the user's, who may have written anything into it.
            let count = usize::try_from(pair[0]).ok().and_then(|point| counts.get_mut(point));
            *count.ok_or_else(|| PyValueError::new_err(format!("expected numbers of points, found {}", pair[0])))? += 1;
        }
        Ok(counts)
    }

    fn column<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyAny>> {
        let all = pyo3::types::PySlice::full(py);
        self.pairs.bind(py).get_item((all, column))
    }
}

/// Which arrays are wanted.
#[derive(Clone, Copy, Default)]
struct Wanted {
    distances: bool,
    vectors: bool,
    shifts: bool,
    single: bool,
    sorted: bool,
    /// How many points the first ones of the pairs are of.
    points: usize,
}

impl Wanted {
    fn images(self) -> bool {
        self.distances || self.vectors || self.shifts
    }
}

/// Pairs of points within a cutoff.
#[pyfunction]
#[pyo3(signature = (positions, cutoff, other=None, *, r#box=None, periodic=None, full=false, sort=false, distances=false, vectors=false, shifts=false, threads=None))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn neighbors<'py>(
    positions: &Bound<'py, PyAny>,
    cutoff: f64,
    other: Option<&Bound<'py, PyAny>>,
    r#box: Option<&Bound<'py, PyAny>>,
    periodic: Option<&Bound<'py, PyAny>>,
    full: bool,
    sort: bool,
    distances: bool,
    vectors: bool,
    shifts: bool,
    threads: Option<i64>,
) -> PyResult<Neighbors> {
    let py = positions.py();
    let first = Positions::new(positions)?;
    let second = other.map(Positions::new).transpose()?;
    let wanted = Wanted { distances, vectors, shifts, single: first.is_single(), sorted: sort, points: first.len() };
    let stop = AtomicBool::new(false);
    let search = NeighbourSearch {
        cutoff,
        repeat: repeat(r#box, periodic, positions)?,
        list: if full { PairList::Full } else { PairList::Half },
        keep_images: wanted.images(),
        sorted: sort,
        most_pairs: most_pairs(),
        stop: Some(&stop),
        ..NeighbourSearch::default()
    };
    let (ours, theirs) = (first.points()?, second.as_ref().map(Positions::points).transpose()?);
    let count = ours.len() + theirs.map_or(0, |theirs| theirs.len());
    let find = move || match theirs {
        Some(theirs) => search.find_between(ours, theirs),
        None => search.find(ours),
    };
    found(py, count, threads, &stop, find, wanted, None)
}

/// Pairs of spheres of different molecules that overlap.
#[pyfunction]
#[pyo3(signature = (positions, radii, molecules=None, *, allow=0.0, r#box=None, periodic=None, full=false, distances=false, vectors=false, shifts=false, threads=None))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn overlaps<'py>(
    positions: &Bound<'py, PyAny>,
    radii: &Bound<'py, PyAny>,
    molecules: Option<&Bound<'py, PyAny>>,
    allow: f64,
    r#box: Option<&Bound<'py, PyAny>>,
    periodic: Option<&Bound<'py, PyAny>>,
    full: bool,
    distances: bool,
    vectors: bool,
    shifts: bool,
    threads: Option<i64>,
) -> PyResult<Neighbors> {
    let py = positions.py();
    let points = Positions::new(positions)?;
    let radii = one_each::<f32>(radii, "radii", points.len())?;
    let molecules = molecules.map(|molecules| one_each::<i64>(molecules, "molecules", points.len())).transpose()?;
    let molecules = molecules.as_ref().map(|molecules| molecules.as_slice().map_err(errors::value)).transpose()?;
    let radii = radii.as_slice().map_err(errors::value)?;
    let stop = AtomicBool::new(false);
    let search = NeighbourSearch {
        cutoff: 1.0,
        repeat: repeat(r#box, periodic, positions)?,
        list: if full { PairList::Full } else { PairList::Half },
        rule: PairRule { radii: Some(radii), molecules, allow },
        keep_images: true,
        sorted: true,
        most_pairs: most_pairs(),
        stop: Some(&stop),
    };
    let wanted = Wanted { distances, vectors, shifts, single: points.is_single(), sorted: true, points: points.len() };
    let ours = points.points()?;
    found(py, ours.len(), threads, &stop, move || search.find(ours), wanted, Some(radii))
}

/// A search that is asked again and again while points move.
#[pyclass(module = "steric")]
pub(crate) struct Index {
    #[pyo3(get)]
    cutoff: f64,
    index: NeighbourIndex,
}

#[pymethods]
impl Index {
    #[new]
    #[pyo3(signature = (cutoff, *, skin=0.5))]
    fn new(cutoff: f64, skin: f64) -> PyResult<Self> {
        if !(cutoff > 0.0 && cutoff <= 1e6) {
            return Err(errors::neighbours(NeighbourError::Cutoff(cutoff)));
        }
        Ok(Self { cutoff, index: NeighbourIndex::new(skin).map_err(errors::neighbours)? })
    }

    /// How far points may wander together before cells are made anew, in angstroms.
    #[getter]
    fn skin(&self) -> f64 {
        self.index.skin()
    }

    /// How often cells were made anew.
    #[getter]
    fn builds(&self) -> u64 {
        self.index.builds()
    }

    fn __repr__(&self) -> String {
        format!("steric.Index({}, skin={})", self.cutoff, self.index.skin())
    }

    /// As `steric.neighbors`, with the cells of the last call where they still serve. Unsorted pairs are in the order of those cells.
    #[pyo3(signature = (positions, *, r#box=None, periodic=None, full=false, sort=false, distances=false, vectors=false, shifts=false, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn neighbors<'py>(
        &mut self,
        positions: &Bound<'py, PyAny>,
        r#box: Option<&Bound<'py, PyAny>>,
        periodic: Option<&Bound<'py, PyAny>>,
        full: bool,
        sort: bool,
        distances: bool,
        vectors: bool,
        shifts: bool,
        threads: Option<i64>,
    ) -> PyResult<Neighbors> {
        let py = positions.py();
        let points = Positions::new(positions)?;
        let wanted =
            Wanted { distances, vectors, shifts, single: points.is_single(), sorted: sort, points: points.len() };
        let stop = AtomicBool::new(false);
        let search = NeighbourSearch {
            cutoff: self.cutoff,
            repeat: repeat(r#box, periodic, positions)?,
            list: if full { PairList::Full } else { PairList::Half },
            keep_images: wanted.images(),
            sorted: sort,
            most_pairs: most_pairs(),
            stop: Some(&stop),
            ..NeighbourSearch::default()
        };
        let ours = points.points()?;
        let index = &mut self.index;
        found(py, ours.len(), threads, &stop, move || index.find(&search, ours), wanted, None)
    }
}

/// As many as half of the free memory has room for.
fn most_pairs() -> usize {
    /// Bytes of a pair on its way and in the arrays.
    const EACH: u64 = 24;
    static MOST: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *MOST.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kilobytes.map_or(4_000_000_000, |kilobytes| (kilobytes * 1024 / EACH) as usize)
    })
}

/// Searches, and writes the arrays.
fn found<'a>(
    py: Python<'_>,
    count: usize,
    threads: Option<i64>,
    stop: &AtomicBool,
    find: impl FnOnce() -> Result<FoundNeighbours<'a>, NeighbourError> + Send,
    wanted: Wanted,
    radii: Option<&[f32]>,
) -> PyResult<Neighbors> {
    let began = Instant::now();
    // A wrong number of threads is wrong for few points, too.
    let pool =
        if count < MANY && threads.is_none_or(|threads| threads == 1) { None } else { Some(work::pool(py, threads)?) };
    let result = match &pool {
        None => work::quick(|| py.detach(find)),
        Some(pool) => work::borrowed(py, pool, stop, find),
    };
    let found = result?.map_err(errors::neighbours)?;
    let length = found.len();
    let shifts = wanted.shifts.then(|| PyArray2::<i32>::zeros(py, [length, 3], false));
    let (distances, vectors) = {
        let mut shifts = shifts.as_ref().map(|shifts| shifts.readwrite());
        let shifts = match &mut shifts {
            Some(shifts) => Some(shifts.as_slice_mut().map_err(errors::value)?.as_chunks_mut().0),
            None => None,
        };
        if wanted.single {
            written::<f32>(py, &found, wanted, shifts, pool.as_deref(), stop)?
        } else {
            written::<f64>(py, &found, wanted, shifts, pool.as_deref(), stop)?
        }
    };
    let depths = match radii {
        None => None,
        Some(radii) => {
            let depths = PyArray1::<f64>::zeros(py, [length], false);
            {
                let mut to = depths.readwrite();
                let to = to.as_slice_mut().map_err(errors::value)?;
                work::quick(|| py.detach(|| found.depths(radii, to)))?;
            }
            Some(depths.unbind())
        }
    };
    let pairs = PyArray1::from_vec(py, found.into_pairs().into_flattened()).reshape([length, 2])?;
    Ok(Neighbors {
        pairs: pairs.unbind(),
        distances,
        vectors,
        shifts: shifts.map(Bound::unbind),
        depths,
        seconds: began.elapsed().as_secs_f64(),
        length,
        points: wanted.points,
        sorted: wanted.sorted,
    })
}

type Written = (Option<Py<PyAny>>, Option<Py<PyAny>>);

fn written<T: Element + From32or64>(
    py: Python<'_>,
    found: &FoundNeighbours<'_>,
    wanted: Wanted,
    shifts: Option<&mut [[i32; 3]]>,
    pool: Option<&rayon::ThreadPool>,
    stop: &AtomicBool,
) -> PyResult<Written> {
    let length = found.len();
    let distances = wanted.distances.then(|| PyArray1::<T>::zeros(py, [length], false));
    let vectors = wanted.vectors.then(|| PyArray2::<T>::zeros(py, [length, 3], false));
    {
        let mut distances = distances.as_ref().map(|array| array.readwrite());
        let mut vectors = vectors.as_ref().map(|array| array.readwrite());
        let distances = match &mut distances {
            Some(array) => Some(array.as_slice_mut().map_err(errors::value)?),
            None => None,
        };
        let vectors = match &mut vectors {
            Some(array) => Some(array.as_slice_mut().map_err(errors::value)?.as_chunks_mut().0),
            None => None,
        };
        if distances.is_none() && vectors.is_none() && shifts.is_none() {
            return Ok((None, None));
        }
        let arrays = NeighbourArrays { distances, vectors, shifts };
        match pool {
            None => work::quick(|| found.write(arrays))?,
            Some(pool) => work::borrowed(py, pool, stop, || found.write(arrays))?,
        }
    }
    Ok((distances.map(|array| array.into_any().unbind()), vectors.map(|array| array.into_any().unbind())))
}
