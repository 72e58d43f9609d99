"""Pairs of points equal those of every pair, whatever array they come in."""

import itertools

import numpy as np
import pytest
import steric

RANDOM = np.random.default_rng(5)


def every_pair(points, cutoff, vectors=None, full=False):
    """All pairs and images within a cutoff, slowly."""
    points = np.asarray(points, dtype=np.float64)
    found = []
    images = [(0, 0, 0)] if vectors is None else list(itertools.product(range(-4, 5), repeat=3))
    for i, j, image in itertools.product(range(len(points)), range(len(points)), images):
        is_listed = (j, image) != (i, (0, 0, 0)) if full else (j, image) > (i, (0, 0, 0))
        shift = 0.0 if vectors is None else np.array(image) @ np.asarray(vectors)
        if is_listed and np.linalg.norm(points[j] + shift - points[i]) <= cutoff:
            found.append((i, j, *image))
    return np.array(sorted(found), dtype=int).reshape(-1, 5)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("vectors", [None, np.diag([6.0, 7, 8]), [[6.0, 0, 0], [2, 6, 0], [-1, 1, 7]]])
def test_every_pair_is_found_with_its_image_distance_and_vector(full, dtype, vectors):
    points = RANDOM.uniform(-3, 9, (25, 3)).astype(dtype)
    found = steric.neighbors(points, 4.0, box=vectors, full=full, sort=True, distances=True, vectors=True, shifts=True)
    expected = every_pair(points, 4.0, vectors, full)
    assert np.array_equal(np.hstack([found.pairs, found.shifts]), expected)
    shift = 0 if vectors is None else found.shifts @ np.asarray(vectors, dtype=float)
    wide = points.astype(np.float64)
    assert np.allclose(found.vectors, wide[found.j] + shift - wide[found.i], atol=1e-5)
    assert np.allclose(found.distances, np.linalg.norm(found.vectors, axis=1), atol=1e-5)
    assert found.distances.dtype == found.vectors.dtype == dtype and found.pairs.dtype == np.int32
    assert found.counts.sum() == len(found) and found.offsets[-1] == len(found)


def test_a_million_comparisons_with_a_tree():
    scipy = pytest.importorskip("scipy.spatial")
    points = RANDOM.uniform(0, 60, (30_000, 3))
    for edge in (None, 60.0):
        tree = scipy.cKDTree(points, boxsize=edge).query_pairs(3.0, output_type="ndarray")
        tree = tree[np.lexsort((tree[:, 1], tree[:, 0]))]
        for threads in (1, 2):
            assert np.array_equal(steric.neighbors(points, 3.0, box=edge, threads=threads, sort=True).pairs, tree)


def test_pairs_stand_in_the_order_of_space_unless_they_are_sorted():
    points = RANDOM.uniform(0, 60, (30_000, 3)).astype(np.float32)
    found = steric.neighbors(points, 3.0, threads=1, distances=True)
    again = steric.neighbors(points, 3.0, threads=2, distances=True)
    assert np.array_equal(found.pairs, again.pairs) and np.array_equal(found.distances, again.distances)
    ordered = steric.neighbors(points, 3.0, sort=True, distances=True)
    order = np.lexsort((found.j, found.i))
    assert np.array_equal(found.pairs[order], ordered.pairs) and np.array_equal(found.distances[order], ordered.distances)
    assert np.array_equal(found.counts, ordered.counts)
    assert np.array_equal(np.diff(ordered.offsets), ordered.counts) and ordered.offsets[-1] == len(ordered)
    with pytest.raises(ValueError, match="sort=True"):
        found.offsets


def test_two_sets_are_joined():
    first, second = RANDOM.uniform(0, 9, (50, 3)), RANDOM.uniform(0, 9, (40, 3)).astype(np.float32)
    apart = np.linalg.norm(first[:, None] - second[None].astype(float), axis=2)
    assert np.array_equal(steric.neighbors(first, 2.0, second, sort=True).pairs, np.argwhere(apart <= 2.0))


@pytest.mark.parametrize(
    "change",
    [
        lambda points: points[::-1][::-1],
        np.asfortranarray,
        lambda points: np.repeat(points, 2, axis=1)[:, ::2],
        lambda points: points.tolist(),
        lambda points: points.astype(">f8"),
        lambda points: np.ma.masked_array(points),
    ],
)
def test_any_array_gives_the_same(change):
    points = RANDOM.uniform(0, 9, (60, 3))
    assert np.array_equal(steric.neighbors(change(points), 2.0).pairs, steric.neighbors(points, 2.0).pairs)


def test_whole_numbers_and_arrays_that_cannot_be_written_are_taken():
    assert steric.neighbors(np.array([[0, 0, 0], [1, 0, 0]]), 1).pairs.tolist() == [[0, 1]]
    points = np.zeros((2, 3))
    points.flags.writeable = False
    assert len(steric.neighbors(points, 1.0)) == 1


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.zeros((0, 3), np.float32), []])
def test_nothing_has_no_neighbors(points):
    found = steric.neighbors(points, 3.0, distances=True, vectors=True, shifts=True)
    assert len(found) == 0 and found.pairs.shape == (0, 2) and found.vectors.shape == (0, 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda: steric.neighbors(np.zeros((3, 2)), 1.0),
        lambda: steric.neighbors(np.zeros(3), 1.0),
        lambda: steric.neighbors(np.array([["a", "b", "c"]]), 1.0),
        lambda: steric.neighbors(np.array([[1j, 0, 0]]), 1.0),
        lambda: steric.neighbors(np.array([[np.nan, 0, 0]]), 1.0),
        lambda: steric.neighbors(np.array([[np.inf, 0, 0]], np.float32), 1.0),
        lambda: steric.neighbors(np.array([[1e300, 0, 0]]), 1.0),
        lambda: steric.neighbors(np.zeros((2, 3)), 0.0),
        lambda: steric.neighbors(np.zeros((2, 3)), -1.0),
        lambda: steric.neighbors(np.zeros((2, 3)), np.nan),
        lambda: steric.neighbors(np.zeros((2, 3)), np.inf),
        lambda: steric.neighbors(np.zeros((2, 3)), "far"),
        lambda: steric.neighbors(np.zeros((2, 3)), 1.0, box=[0, 0, 0]),
        lambda: steric.neighbors(np.zeros((2, 3)), 1.0, box=[1, 2]),
        lambda: steric.neighbors(np.zeros((2, 3)), 1.0, box=[np.nan, 1, 1]),
        lambda: steric.neighbors(np.zeros((2, 3)), 1.0, box=[9, 9, 9, 90, 90, 0]),
        lambda: steric.neighbors(np.zeros((2, 3)), 1.0, box=1e300),
        lambda: steric.neighbors(np.zeros((2, 3)), 1e6, box=0.01),
        lambda: steric.neighbors(np.zeros((2, 3)), 1.0, box="own"),
        lambda: steric.neighbors(np.zeros((2, 3)), 1.0, threads=0),
        lambda: steric.neighbors(np.zeros((50_000, 3)), 1.0, threads=10**9),
        lambda: steric.neighbors(None, 1.0),
        lambda: steric.neighbors(object(), 1.0),
        lambda: steric.overlaps(np.zeros((2, 3)), [1.0]),
        lambda: steric.overlaps(np.zeros((2, 3)), [1.0, -1.0]),
        lambda: steric.overlaps(np.zeros((2, 3)), [1.0, np.nan]),
        lambda: steric.overlaps(np.zeros((2, 3)), 1.0, [1]),
        lambda: steric.overlaps(np.zeros((2, 3)), 1.0, allow=np.inf),
        lambda: steric.Index(0.0),
        lambda: steric.Index(3.0, skin=-1.0),
    ],
)
def test_what_makes_no_sense_is_an_error_and_no_panic(call):
    with pytest.raises((ValueError, TypeError)) as told:
        call()
    assert not isinstance(told.value, steric.InternalError) and len(str(told.value)) > 10


def test_overlaps_are_those_of_every_pair():
    points, radii = RANDOM.uniform(0, 12, (80, 3)), RANDOM.uniform(0.2, 1.5, 80).astype(np.float32)
    molecules = RANDOM.integers(0, 9, 80)
    found = steric.overlaps(points, radii, molecules, allow=0.3)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    depth = radii[:, None].astype(float) + radii[None] - apart
    expected = np.argwhere(np.triu(depth > 0.3, 1) & (molecules[:, None] != molecules[None]))
    assert np.array_equal(found.pairs, expected)
    assert np.allclose(found.depths, depth[found.i, found.j])


def test_an_index_follows_a_trajectory():
    points = RANDOM.uniform(0, 30, (3_000, 3))
    index = steric.Index(3.0, skin=1.0)
    for _ in range(12):
        points = (points + RANDOM.normal(0, 0.03, points.shape)) % 30.0
        found = index.neighbors(points, box=30.0, sort=True, distances=True)
        assert np.array_equal(found.pairs, steric.neighbors(points, 3.0, box=30.0, sort=True).pairs)
    assert index.builds < 6
    # Another number of points, another box.
    assert len(index.neighbors(points[:10])) == len(steric.neighbors(points[:10], 3.0))


def test_random_calls_never_panic():
    hypothesis = pytest.importorskip("hypothesis")
    from hypothesis import strategies as some
    from hypothesis.extra import numpy as arrays

    numbers = some.floats(width=32) | some.sampled_from([0.0, -0.0, 1e-30, 1e9, -1e12, 1e30, float("nan"), float("inf")])

    @hypothesis.settings(max_examples=150, deadline=None)
    @hypothesis.given(
        arrays.arrays(np.float32, some.tuples(some.integers(0, 12), some.integers(2, 4)), elements=numbers),
        numbers,
        some.none() | some.lists(numbers, min_size=1, max_size=7),
        some.booleans(),
        some.lists(numbers, max_size=12),
    )
    def call(points, cutoff, box, full, radii):
        for work in (
            lambda: steric.neighbors(points, cutoff, box=box, full=full, distances=True, shifts=True),
            lambda: steric.overlaps(points, radii, allow=cutoff, box=box, full=full),
            lambda: steric.Index(cutoff, skin=1.0).neighbors(points, box=box),
        ):
            try:
                work()
            except (ValueError, TypeError, MemoryError):
                pass

    call()


def test_tables():
    pandas = pytest.importorskip("pandas")
    table = steric.overlaps(np.array([[0.0, 0, 0], [1, 0, 0]]), 1.0, distances=True).to_pandas()
    assert isinstance(table, pandas.DataFrame) and table.to_dict("list") == {"i": [0], "j": [1], "distance": [1.0], "depth": [1.0]}
