"""What other packages hold, as arrays and models.

Nothing is imported that the user has not imported: an object is known by what it can do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def points(what: Any) -> np.ndarray:
    """Positions in angstroms as an array of shape (n, 3) in order; a view wherever there is one."""
    found = _positions(what)
    if found is None:
        found = what
    try:
        array = np.asarray(found)
    except ValueError as error:
        raise ValueError(f"expected positions as an array of shape (n, 3), found {type(what).__name__}") from error
    if array.dtype == object or array.dtype.kind not in "fiub":
        raise TypeError(f"expected positions as numbers, found {type(what).__name__} of dtype {array.dtype}")
    if array.ndim == 1 and array.size == 0:
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"expected positions of shape (n, 3), found {array.shape}")
    if array.dtype not in (np.float32, np.float64) or not array.dtype.isnative:
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    # Arrays of sub-classes and those out of order are copied; those that cannot be written are taken as they are.
    return np.require(np.ascontiguousarray(array).view(np.ndarray), requirements=["C", "A"])


def _positions(what: Any) -> Any:
    """Positions of an object of another package, or None."""
    if isinstance(what, np.ndarray):
        return what
    from ._steric import Model

    if isinstance(what, Model):
        return what.positions
    if _is_gemmi(what):
        return _gemmi_columns(what)["positions"]
    if hasattr(what, "get_positions"):  # ASE
        return what.get_positions()
    if hasattr(what, "coord") and hasattr(what, "res_name"):  # biotite
        return what.coord
    if hasattr(what, "atoms") and hasattr(what, "trajectory"):  # an MDAnalysis Universe
        return what.atoms.positions
    return getattr(what, "positions", None)


def radii(what: Any, count: int) -> np.ndarray:
    """A radius for each point: one number serves all."""
    array = np.asarray(what)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"expected radii as numbers, found dtype {array.dtype}")
    if array.ndim == 0:
        return np.full(count, array, dtype=np.float32)
    if array.shape != (count,):
        raise ValueError(f"expected one radius for each of {count} points, found shape {array.shape}")
    return np.ascontiguousarray(array, dtype=np.float32)


def molecules(what: Any, count: int) -> np.ndarray:
    """The molecule of each point: whole numbers, or anything that can be told apart."""
    array = np.asarray(what)
    if array.shape != (count,):
        raise ValueError(f"expected one molecule for each of {count} points, found shape {array.shape}")
    if array.dtype.kind not in "iub":
        array = np.unique(array, return_inverse=True)[1].reshape(count)
    return np.ascontiguousarray(array, dtype=np.int64)


def box(what: Any, periodic: Any, owner: Any) -> tuple[list[list[float]], list[bool]] | None:
    """Three vectors in rows, and along which of them the box repeats; None without a box."""
    own_periodic = None
    if isinstance(what, str):
        if what != "own":
            raise ValueError(f"expected numbers or 'own', found {what!r}")
        what = _own_box(owner)
        if what is None:
            raise ValueError(f"expected a {type(owner).__name__} with a box of its own, found none")
        own_periodic = getattr(owner, "pbc", None)
    array = np.asarray(what, dtype=np.float64)
    if array.ndim == 0:
        array = np.full(3, float(array))
    if not np.all(np.isfinite(array)):
        raise ValueError("expected a box of numbers, found one that is none")
    if array.shape == (3,):
        vectors = np.diag(array)
    elif array.shape == (6,):
        vectors = _vectors(array)
    elif array.shape == (3, 3):
        vectors = array
    else:
        raise ValueError(f"expected a box as 1, 3, 6 or 3 x 3 numbers, found shape {array.shape}")
    if periodic is None:
        periodic = True if own_periodic is None else own_periodic
    along = np.broadcast_to(np.asarray(periodic, dtype=bool), (3,))
    # ASE leaves out vectors along which nothing repeats.
    vectors = _completed(vectors, along)
    return [[float(entry) for entry in row] for row in vectors], [bool(one) for one in along]


def _completed(vectors: np.ndarray, along: np.ndarray) -> np.ndarray:
    vectors = np.array(vectors)
    missing = [axis for axis in range(3) if not vectors[axis].any()]
    if any(along[axis] for axis in missing):
        raise ValueError("expected a box with a vector along every axis that repeats")
    for axis in missing:
        # A direction that is not yet taken: what is left of the axes after the others are taken off.
        others = [vectors[other] for other in range(3) if vectors[other].any()]
        basis = np.linalg.svd(np.array(others + [np.zeros(3)]))[2]
        vectors[axis] = basis[len(others)] if others else np.eye(3)[axis]
    return vectors


def _vectors(edges_and_angles: np.ndarray) -> np.ndarray:
    a, b, c, alpha, beta, gamma = (float(value) for value in edges_and_angles)
    cosines = [0.0 if abs(angle - 90.0) < 1e-9 else math.cos(math.radians(angle)) for angle in (alpha, beta, gamma)]
    sine = math.sqrt(max(0.0, 1.0 - cosines[2] ** 2))
    if sine < 1e-6:
        raise ValueError(f"expected a box with a volume, found angles {alpha}, {beta}, {gamma}")
    cy = (cosines[0] - cosines[1] * cosines[2]) / sine
    cz = math.sqrt(max(0.0, 1.0 - cosines[1] ** 2 - cy**2))
    return np.array([[a, 0, 0], [b * cosines[2], b * sine, 0], [c * cosines[1], c * cy, c * cz]])


def _own_box(owner: Any) -> Any:
    from ._steric import Model

    if isinstance(owner, Model):
        return owner.box
    if _is_gemmi(owner):
        cell = getattr(owner, "cell", None)
        return None if cell is None or cell.volume <= 1.0 else [cell.a, cell.b, cell.c, cell.alpha, cell.beta, cell.gamma]
    if hasattr(owner, "get_cell"):  # ASE
        return np.asarray(owner.get_cell())
    dimensions = getattr(owner, "dimensions", None)  # MDAnalysis
    if dimensions is not None:
        return dimensions if np.any(np.asarray(dimensions)[:3]) else None
    return getattr(owner, "box", None)  # biotite


def pairs_to_pandas(found: Any) -> Any:
    """The pairs of a search as a pandas table."""
    import pandas

    columns: dict[str, Any] = {"i": found.i, "j": found.j}
    if found.distances is not None:
        columns["distance"] = found.distances
    if found.depths is not None:
        columns["depth"] = found.depths
    if found.vectors is not None:
        columns.update({name: found.vectors[:, axis] for axis, name in enumerate(("dx", "dy", "dz"))})
    return pandas.DataFrame(columns)


def model(what: Any) -> Any:
    """A Model of anything that holds atoms."""
    import os

    from . import _steric

    if isinstance(what, _steric.Model):
        return what
    if isinstance(what, (str, os.PathLike)):
        return _steric.read(os.fspath(what))
    for known, columns_of in (
        (_is_gemmi, _gemmi_columns),
        (lambda one: hasattr(one, "get_chemical_symbols"), _ase_columns),
        (lambda one: hasattr(one, "coord") and hasattr(one, "res_name"), _biotite_columns),
        (lambda one: hasattr(one, "atoms") and hasattr(one.atoms, "positions"), _mdanalysis_columns),
    ):
        if known(what):
            return _made(columns_of(what))
    raise TypeError(
        "expected a file, a steric.Model, an MDAnalysis AtomGroup, a biotite AtomArray, an ASE Atoms or a gemmi Structure, "
        f"found {type(what).__name__}"
    )


def _made(columns: dict[str, Any]) -> Any:
    from . import _steric

    count = len(columns["positions"])
    vectors = columns.get("box")
    given = None
    if vectors is not None and np.any(vectors):
        given = box(vectors, True, None)[0]  # type: ignore[index]
    bonds = columns.get("bonds")
    return _steric.Model._from_columns(
        columns.get("name", "atoms"),
        points(columns["positions"]),
        [str(one) for one in columns["elements"]],
        [str(one) for one in columns.get("names", columns["elements"])],
        [str(one) for one in columns.get("residue_names", ["MOL"] * count)],
        [int(one) for one in columns.get("residue_numbers", range(1, count + 1))],
        [str(one) for one in columns.get("chains", [""] * count)],
        [bool(one) for one in columns.get("hetero", [True] * count)],
        None if bonds is None or len(bonds) == 0 else np.ascontiguousarray(bonds, dtype=np.int64),
        given,
    )


def _optional(what: Any, name: str, otherwise: Any) -> Any:
    """An attribute that a topology may lack, however it says so."""
    try:
        return getattr(what, name)
    except Exception:  # MDAnalysis raises NoDataError, which is a ValueError and an AttributeError.
        return otherwise


def _mdanalysis_columns(what: Any) -> dict[str, Any]:
    atoms = what.atoms
    count = len(atoms)
    names = list(_optional(atoms, "names", ["X"] * count))
    elements = list(_optional(atoms, "elements", [""] * count))
    guessed = [element or _element_of(name) for element, name in zip(elements, names)]
    residue_names = list(_optional(atoms, "resnames", ["MOL"] * count))
    segments = _optional(atoms, "chainIDs", None)
    if segments is None:
        segments = _optional(atoms, "segids", [""] * count)
    bonds = _optional(atoms, "bonds", None)
    if bonds is not None and len(bonds):
        place = {int(index): at for at, index in enumerate(atoms.indices)}
        bonds = [[place[a], place[b]] for a, b in bonds.indices.tolist() if a in place and b in place]
    return {
        "name": str(_optional(what, "filename", None) or "AtomGroup"),
        "positions": atoms.positions,
        "elements": guessed,
        "names": names,
        "residue_names": residue_names,
        "residue_numbers": _optional(atoms, "resids", range(1, count + 1)),
        "chains": ["" if one == "SYSTEM" else one for one in segments],
        "hetero": [name not in _POLYMER for name in residue_names],
        "bonds": bonds,
        "box": None if atoms.dimensions is None else atoms.dimensions,
    }


def _biotite_columns(what: Any) -> dict[str, Any]:
    bonds = getattr(what, "bonds", None)
    return {
        "name": "AtomArray",
        "positions": what.coord,
        "elements": what.element,
        "names": what.atom_name,
        "residue_names": what.res_name,
        "residue_numbers": what.res_id,
        "chains": what.chain_id,
        "hetero": what.hetero,
        "bonds": None if bonds is None else bonds.as_array()[:, :2],
        "box": getattr(what, "box", None),
    }


def _ase_columns(what: Any) -> dict[str, Any]:
    # ASE knows atoms and no molecules: one residue, in which `molecules="connected"` finds them by their bonds.
    count = len(what)
    cell = np.asarray(what.get_cell())
    return {
        "name": str(what.get_chemical_formula()) if count else "Atoms",
        "positions": what.get_positions(),
        "elements": what.get_chemical_symbols(),
        "residue_names": ["MOL"] * count,
        "residue_numbers": [1] * count,
        "box": cell if np.all(what.get_pbc()) and abs(np.linalg.det(cell)) > 1e-6 else None,
    }


def _is_gemmi(what: Any) -> bool:
    return type(what).__module__.split(".")[0] == "gemmi"


def _gemmi_columns(what: Any) -> dict[str, Any]:
    models = what if type(what).__name__ == "Structure" else [what]
    first = next(iter(models), None)
    if first is None or not hasattr(first, "all"):
        if first is None:
            return {"name": "", "positions": np.zeros((0, 3)), "elements": []}
        raise TypeError(f"expected a gemmi Structure or Model, found {type(what).__name__}")
    atoms = list(first.all())
    cell: Any = getattr(what, "cell", None)
    has_box = cell is not None and cell.volume > 1.0
    return {
        "name": str(getattr(what, "name", "") or "gemmi"),
        "positions": np.array([one.atom.pos.tolist() for one in atoms], dtype=np.float64).reshape(-1, 3),
        "elements": [one.atom.element.name for one in atoms],
        "names": [one.atom.name for one in atoms],
        "residue_names": [one.residue.name for one in atoms],
        "residue_numbers": [one.residue.seqid.num for one in atoms],
        "chains": [one.chain.name for one in atoms],
        "hetero": [one.residue.het_flag == "H" for one in atoms],
        "box": [cell.a, cell.b, cell.c, cell.alpha, cell.beta, cell.gamma] if has_box else None,
    }


_POLYMER = frozenset(
    "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL HSD HSE HSP HID HIE HIP CYX A C G U DA DC DG DT".split()
)
_TWO = frozenset("CL BR NA MG ZN FE MN CU LI SE SI AL CA".split())


def _element_of(name: str) -> str:
    """The element that an atom's name begins with, where nothing better is known."""
    letters = "".join(letter for letter in name if letter.isalpha()).upper()
    if letters == name.upper().strip() and letters in _TWO and letters != "CA":
        return letters
    return letters[:1]
