"""Finds and removes overlaps between molecules.

Arrays: ``neighbors``, ``overlaps``, ``Index``. Models: ``read``, ``check``, ``relax``, ``relaxation``, ``build``, ``pack``. Worlds:
``diffuse``, ``deform``, ``animate``, ``dock``. Pictures: ``render``.

Lengths are angstroms. Positions are arrays of shape ``(n, 3)``, float32 or float64, or anything that has some: an MDAnalysis AtomGroup, a
biotite AtomArray, ASE's Atoms, a gemmi Structure.

>>> import numpy as np, steric
>>> found = steric.neighbors(np.array([[0.0, 0, 0], [3, 0, 0], [9, 0, 0]]), 4.0, distances=True)
>>> found.pairs.tolist(), found.distances.tolist()
([[0, 1]], [3.0])
"""

from __future__ import annotations

import os as _os
from typing import Any

import numpy as np

from . import _convert, _steric
from ._reports import CheckReport, Picture, Report
from ._steric import (
    Animation,
    FormatError,
    Index,
    InternalError,
    Model,
    Neighbors,
    __version__,
    instruction_set,
    read,
    set_threads,
    threads,
)
from ._building import build, pack
from ._worlds import (
    Deformation,
    Diffusion,
    Docking,
    Relaxation,
    RelaxReport,
    animate,
    deform,
    diffuse,
    dock,
    relax,
    relaxation,
)

__all__ = [
    "Animation",
    "CheckReport",
    "Deformation",
    "Diffusion",
    "Docking",
    "FormatError",
    "Index",
    "InternalError",
    "Model",
    "Neighbors",
    "Picture",
    "RelaxReport",
    "Relaxation",
    "Report",
    "__version__",
    "animate",
    "build",
    "check",
    "deform",
    "diffuse",
    "dock",
    "instruction_set",
    "model",
    "neighbors",
    "overlaps",
    "pack",
    "radii",
    "read",
    "ready_scenes",
    "relax",
    "relaxation",
    "render",
    "set_threads",
    "threads",
]

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_steric._after_fork)


def neighbors(
    positions: Any,
    cutoff: float,
    other: Any = None,
    *,
    box: Any = None,
    periodic: Any = None,
    full: bool = False,
    sort: bool = False,
    distances: bool = False,
    vectors: bool = False,
    shifts: bool = False,
    threads: int | None = None,
) -> Neighbors:
    """Pairs of points at most ``cutoff`` angstroms apart.

    Each pair is listed once, the smaller number first; with ``full`` from both sides. With ``other`` the pairs join a point of
    ``positions`` and one of ``other``. Pairs stand in the order of space, which is the same for any number of threads; with ``sort`` they are
    sorted by the first and then the second point, and ``offsets`` says where those of each point begin.

    ``box`` is an edge, three edges, three edges and three angles, or three vectors in rows; ``"own"`` takes that of the object. Every image
    within the cutoff counts, also a point's own. ``periodic`` says along which vectors the box repeats, all by default.

    The result has ``pairs`` (int32, shape ``(n, 2)``), ``i``, ``j`` and ``counts``; on request ``distances``, ``vectors`` from
    the first to the second and ``shifts``, in the precision of the positions.

    >>> import numpy as np, steric
    >>> points = np.array([[0.5, 5.0, 5.0], [9.5, 5.0, 5.0], [5.0, 5.0, 5.0]])
    >>> len(steric.neighbors(points, 2.0))
    0
    >>> found = steric.neighbors(points, 2.0, box=10.0, vectors=True)
    >>> found.pairs.tolist(), found.vectors.tolist()
    ([[0, 1]], [[-1.0, 0.0, 0.0]])
    >>> steric.neighbors(points, 2.0, box=10.0, full=True).counts.tolist()
    [1, 1, 0]
    >>> found = steric.neighbors(points, 5.0, full=True, sort=True)
    >>> found.j[found.offsets[2] : found.offsets[3]].tolist()  # the neighbours of point 2
    [0, 1]
    """
    return _steric.neighbors(
        positions,
        cutoff,
        other,
        box=box,
        periodic=periodic,
        full=full,
        sort=sort,
        distances=distances,
        vectors=vectors,
        shifts=shifts,
        threads=threads,
    )


def overlaps(
    positions: Any,
    radii: Any,
    molecules: Any = None,
    *,
    allow: float = 0.0,
    box: Any = None,
    periodic: Any = None,
    full: bool = False,
    distances: bool = False,
    vectors: bool = False,
    shifts: bool = False,
    threads: int | None = None,
) -> Neighbors:
    """Pairs of spheres that overlap by more than ``allow`` angstroms.

    ``radii`` is one number or one for each point. Pairs inside one of ``molecules`` (a number or a name for each point) do not count.
    The result has ``depths`` too: sums of radii minus distances.

    >>> import numpy as np, steric
    >>> points = np.array([[0.0, 0, 0], [2.5, 0, 0], [5.0, 0, 0]], dtype=np.float32)
    >>> found = steric.overlaps(points, 1.5, molecules=["A", "A", "B"])
    >>> found.pairs.tolist(), found.depths.tolist()
    ([[1, 2]], [0.5])
    """
    return _steric.overlaps(
        positions,
        radii,
        molecules,
        allow=allow,
        box=box,
        periodic=periodic,
        full=full,
        distances=distances,
        vectors=vectors,
        shifts=shifts,
        threads=threads,
    )


def model(what: Any) -> Model:
    """A ``Model`` of a file, an MDAnalysis AtomGroup, a biotite AtomArray, ASE's Atoms or a gemmi Structure."""
    return _convert.model(what)  # type: ignore[no-any-return]


def radii(what: Any, set: str = "bondi") -> np.ndarray:
    """Radii for the atoms of anything that holds some, in angstroms: float32.

    Sets: bondi, mantina, alvarez, probe, probe-implicit, protor, chimerax, turk.
    """
    return _steric._radii_of(_convert.model(what), set)


def check(
    *what: Any,
    tolerance: float | None = None,
    clash: str | None = None,
    radii: str | None = None,
    allow: float | None = None,
    molecules: str = "auto",
    assembly: str | None = None,
    periodic: str = "auto",
    top: int = 10,
    threads: int | None = None,
) -> CheckReport:
    """Whether a model is free of clashes; of two and more, whether they clash with each other.

    Each is a file or anything that holds atoms. By default atoms of different molecules nearer than 2 angstroms overlap; ``tolerance`` is
    another distance, ``clash`` is ``"chimerax"`` or ``"molprobity"``, ``radii`` a set of radii of which ``allow`` angstroms are forgiven.

    >>> import steric
    >>> bilayer = steric.build("bilayer", count=20)
    >>> steric.check(bilayer).molecules
    20
    """
    given = [name for name, value in (("tolerance", tolerance), ("clash", clash), ("radii", radii)) if value is not None]
    if len(given) > 1:
        raise ValueError(f"expected one definition of a clash, found {' and '.join(given)}")
    if allow is not None and radii is None:
        raise ValueError("allow goes with radii: expected a set of radii, found none")
    if clash is not None and clash not in ("chimerax", "molprobity"):
        raise ValueError(f"expected clash to be chimerax or molprobity, found {clash!r}")
    if radii is not None:
        definition = (radii, 0.0 if allow is None else float(allow))
    elif clash is not None:
        definition = (clash, 0.0)
    else:
        definition = ("tolerance", 2.0 if tolerance is None else float(tolerance))
    if not what:
        raise ValueError("expected at least one file, found none")
    models = [_convert.model(one) for one in what]
    text, *pairs = _steric._check(models, definition, molecules, assembly, periodic, top, threads)
    report = CheckReport._of_json(text)
    report._pairs = tuple(pairs)  # type: ignore[attr-defined]
    return report  # type: ignore[return-value]


def render(
    what: Any,
    *,
    size: tuple[int, int] = (800, 600),
    color: str | None = None,
    palette: str = "safe",
    style: str = "illustrative",
    camera: str = "25,20",
    zoom: float = 1.0,
    background: str | None = None,
    clip: str | None = None,
    sticks: bool = False,
    samples: int = 2,
) -> Picture:
    """A picture of a model or of what a relaxation holds; a notebook shows it.

    ``color`` says what colours tell: element, chain, residue, molecule, type, leaflet, collision, overlap or uniform. ``camera`` and
    ``clip`` name sides, as in ``"front"`` and ``"front:20"``; ``background`` is a colour such as ``"#ffffff"``, or ``"none"``.

    Any GPU draws; without one Vulkan's software driver does (``mesa-vulkan-drivers`` on Debian).
    """
    from ._worlds import Relaxation

    drawn = what._engine if isinstance(what, Relaxation) else _convert.model(what)
    behind: tuple[bool, tuple[int, ...]] | None = None
    if background == "none":
        behind = (False, (0, 0, 0))
    elif background is not None:
        digits = background.removeprefix("#")
        if len(digits) != 6 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
            raise ValueError(f"expected a colour such as #ffffff, or none, found {background!r}")
        behind = (True, tuple(int(digits[at : at + 2], 16) for at in (0, 2, 4)))
    cut = None
    if clip is not None:
        side, _, kept = clip.partition(":")
        cut = (side, float(kept or 0.0))
    png, pixels = _steric._render(drawn, size, color, palette, style, camera, zoom, behind, cut, sticks, samples)
    return Picture(png, pixels)


def ready_scenes() -> dict[str, list[str]]:
    """Names of the scenes that come with steric, by what takes them.

    >>> import steric
    >>> "vesicle" in steric.ready_scenes()["relax"]
    True
    """
    return {what: list(names) for what, names in _steric._ready_names()}
