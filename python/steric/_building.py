"""Scenes, recipes, fibres and packmol's inputs, made into models."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _steric
from ._progress import Bar
from ._reports import Report
from ._worlds import _pairs


def _is_recipe(path: str) -> bool:
    return path.lower().endswith(".json")


def build(
    scene: Any,
    *,
    count: int | None = None,
    radius: float | None = None,
    area_per_lipid: float | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    kind: str | None = None,
    units: int | None = None,
    closed: bool = False,
    progress: bool | None = None,
) -> _steric.Model:
    """A scene, placed and not yet relaxed; a recipe of cellPACK, packed; or a fibre, grown.

    Scenes are ready ones or scene files, and ``options`` changes their keys. A recipe is a file ``.json``; ``steric.pack`` says what of it did
    not fit. Fibres are ``"plasmid"``, ``"syn3a-chromosome"``, ``"million-base-pairs"``, and ``"fibre"`` with so many ``units`` of a ``kind``
    (``"dna"``, ``"rna-helix"``, ``"rna"``, ``"actin"``) in a sphere of a ``radius``.

    >>> import steric
    >>> steric.build("bilayer", count=20).assemblies
    {'1': 20}
    >>> steric.build("fibre", units=600, closed=True, radius=250).assemblies
    {'1': 600}
    """
    name = os.fspath(scene)
    if _is_recipe(name):
        return pack(name, seed=seed, progress=progress)[0]
    with Bar(None, "iterations", progress=progress) as bar:

        def look(iteration: int, level: int) -> None:
            bar.to(iteration, f"level {level + 1}")

        grown = _steric._grow(name, kind, units, closed, radius, seed, look)
    if grown is not None:
        return grown[0]
    given = {"membrane.count": count, "membrane.radius": radius, "membrane.area-per-lipid": area_per_lipid, "seed": seed}
    return _steric._build(name, _pairs(options, **given))[0]


def pack(
    path: Any,
    *,
    seed: int | None = None,
    max_iterations: int | None = None,
    box: Sequence[float] | None = None,
    surfaces: Mapping[str, Any] | None = None,
    whole: bool = False,
    repair: bool = False,
    tries: int | None = None,
    max_seconds: float | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> tuple[_steric.Model, Report]:
    """Packs the molecules of a packmol input, as ``packmol < file`` would, or those of a cellPACK recipe (``.json``).

    The model, and a report with ``is_solved``. For recipes alone: ``box`` and ``surfaces`` (a file or a radius for the name of a compartment) give
    what a recipe leaves out, ``whole`` keeps whole molecules in the box, ``repair`` closes holes of surfaces, ``tries`` is how many places a copy
    tries; the report's ``ingredients`` say what did not fit, and why.
    """
    name = os.fspath(path)
    with Bar(max_iterations, "iterations", progress=progress) as bar:

        def look(iteration: int, overlapping: int) -> None:
            bar.to(iteration, f"{overlapping} molecules are too near to others")

        model, text, solved = _packed(name, look, seed, max_iterations, box, surfaces, whole, repair, tries, max_seconds, threads)
    return model, Report({**json.loads(text), "is_solved": solved})


def _packed(
    name: str,
    look: Callable[[int, int], None],
    seed: int | None,
    max_iterations: int | None,
    box: Sequence[float] | None,
    surfaces: Mapping[str, Any] | None,
    whole: bool,
    repair: bool,
    tries: int | None,
    max_seconds: float | None,
    threads: int | None,
) -> tuple[_steric.Model, str, bool]:
    of_recipes = {"box": box, "surfaces": surfaces, "whole": whole or None, "repair": repair or None, "tries": tries, "max_seconds": max_seconds}
    if not _is_recipe(name):
        wrong = [key for key, value in of_recipes.items() if value is not None]
        if wrong:
            raise ValueError(f"{name}: expected a recipe (.json) for {', '.join(wrong)}, found an input of packmol")
        return _steric._pack(name, seed, max_iterations, threads, look)
    if max_iterations is not None:
        raise ValueError(f"{name}: expected max_seconds for a recipe, found max_iterations")
    bounds = None if box is None else [float(number) for number in box]
    given = [(compartment, str(surface)) for compartment, surface in (surfaces or {}).items()]
    return _steric._pack_recipe(name, seed, bounds, given, whole, repair, tries, max_seconds, threads, look)
