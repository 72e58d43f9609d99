"""Relaxations, packings, diffusion, soft bodies, animations and docking, as objects that can be stepped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _convert, _steric
from ._progress import Bar
from ._reports import Picture, Report


def _pairs(options: Mapping[str, Any] | None, **given: Any) -> list[tuple[str, str]]:
    """Keys of a scene file with their values, as the scene file would have them."""
    pairs = [(key, value) for key, value in given.items() if value is not None]
    return [(key, _toml(value)) for key, value in [*pairs, *(options or {}).items()]]


def _toml(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(json.dumps(one) if isinstance(one, str) else _toml(one) for one in value) + "]"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(float(value))


def _is_text(what: Any) -> bool:
    return isinstance(what, str) and "\n" in what


class _Steps:
    """Iteration in steps, shared by the worlds."""

    def _look(self, bar: Bar) -> Callable[[str], None]:
        def look(text: str) -> None:
            seen = json.loads(text)
            bar.to(seen["iteration"], f"{seen['overlapping']} molecules overlap, deepest {seen['deepest']:.2f} Å")

        return look


class Relaxation(_Steps):
    """Molecules pushed apart until nothing overlaps, all at once or step by step.

    ``steric.relaxation`` makes one.

    >>> import steric
    >>> vesicle = steric.relaxation("vesicle", count=300, area_per_lipid=75)
    >>> for iteration in vesicle.steps(3):
    ...     assert iteration.overlaps > 0
    >>> vesicle.iteration
    3
    >>> vesicle.run().is_clean
    True
    >>> vesicle.poses.shape
    (300, 7)
    """

    def __init__(self, engine: _steric.Relaxation, threads: int | None = None) -> None:
        self._engine, self._threads = engine, threads
        self._ended: str | None = None

    def __len__(self) -> int:
        return len(self._engine)

    def __repr__(self) -> str:
        return f"<steric.Relaxation of {len(self)} molecules after {self.iteration} iterations>"

    @property
    def iteration(self) -> int:
        """How many iterations there were."""
        return self._engine.iteration

    @property
    def at_rest(self) -> bool:
        """Whether nothing overlaps and nothing moves."""
        return self._engine.at_rest

    @property
    def ended_by(self) -> str | None:
        """Why the last run ended: ``rest``, ``iterations``, ``seconds``, ``stalled``; ``None`` before that."""
        return self._ended

    @property
    def notes(self) -> list[str]:
        """What one should know before the run, and whether everything can fit."""
        return self._engine.notes

    @property
    def species(self) -> list[str]:
        """The species of each molecule."""
        return self._engine.species

    @property
    def poses(self) -> np.ndarray:
        """Where the molecules are: float64 of shape ``(n, 7)``, position in angstroms and quaternion x, y, z, w.

        Assigning an array puts them elsewhere.
        """
        return self._engine.poses

    @poses.setter
    def poses(self, poses: Any) -> None:
        array = np.ascontiguousarray(poses, dtype=np.float64)
        if array.ndim != 2:
            raise ValueError(f"expected an array of shape ({len(self)}, 7), found {array.shape}")
        self._engine.poses = array

    @property
    def positions(self) -> np.ndarray:
        """Where all atoms are now, molecule by molecule: float64 of shape ``(n, 3)``."""
        return self._engine._atoms_now()[0]

    @property
    def molecules(self) -> np.ndarray:
        """The molecule of each atom of ``positions``: int64."""
        return self._engine._atoms_now()[1]

    def overlaps(self) -> tuple[np.ndarray, np.ndarray]:
        """Who overlaps now: int64 of shape ``(n, 4)`` with molecule and atom of both, and depths in angstroms."""
        return self._engine._overlaps()

    def fix(self, molecules: Iterable[int], fixed: bool = True) -> None:
        """Holds molecules where they are, or lets them go."""
        self._engine.fix([int(one) for one in molecules], fixed)

    def steps(self, most: int | None = None) -> Iterator[Report]:
        """Iterates, and gives what each iteration saw, until rest, a limit, or so many iterations."""
        done = 0
        while most is None or done < most:
            texts, ended = self._engine._advance(1, self._threads)
            for text in texts:
                done += 1
                yield Report._of_json(text)
            if ended is not None:
                self._ended = ended
                return

    def __iter__(self) -> Iterator[Report]:
        return self.steps()

    def run(
        self,
        *,
        callback: Callable[[Relaxation, Report], bool | None] | None = None,
        progress: bool | None = None,
    ) -> RelaxReport:
        """Iterates until rest or a limit. ``callback(relaxation, iteration)`` sees every iteration; ``False`` ends the run."""
        with Bar(None, "iterations", progress=progress) as bar:
            if callback is None:
                _, self._ended = self._engine._advance(None, self._threads, self._look(bar))
            else:
                for iteration in self.steps():
                    bar.to(iteration.iteration)
                    if callback(self, iteration) is False:
                        break
        return self.report()

    def run_proxies(self, spheres: int, iterations: int = 200) -> None:
        """Lets so many spheres per molecule go first, in place of its atoms."""
        self._engine.run_proxies(spheres, iterations)

    def report(self) -> RelaxReport:
        """What was done so far."""
        text, words, clean = self._engine._report(self._threads)
        report = RelaxReport(json.loads(text), words)
        report._clean = clean
        return report

    def model(self) -> _steric.Model:
        """The molecules where they are now."""
        return self._engine.model()

    def save(self, path: Any) -> None:
        """Saves the run, to go on from there later."""
        self._engine.save(os.fspath(path))

    def resume(self, path: Any) -> None:
        """Goes on from a run that was saved."""
        self._engine.resume(os.fspath(path))

    def render(self, **options: Any) -> Picture:
        """A picture of the molecules where they are now: see ``steric.render``."""
        from . import render

        return render(self, **options)


class RelaxReport(Report):
    """What a relaxation did."""

    _clean: bool = False

    @property
    def is_clean(self) -> bool:
        """Whether nothing overlaps."""
        return self._clean


def relaxation(
    what: Any = "vesicle",
    *,
    count: int | None = None,
    radius: float | None = None,
    area_per_lipid: float | None = None,
    tolerance: float | None = None,
    seed: int | None = None,
    response: str | None = None,
    max_iterations: int | None = None,
    max_seconds: float | None = None,
    options: Mapping[str, Any] | None = None,
    molecules: str = "auto",
    assembly: str | None = None,
    periodic: str = "auto",
    leeway: float = 20.0,
    turn_degrees: float = 60.0,
    fixed: Sequence[str] = (),
    fixed_above: int | None = None,
    folder: Any = "",
    backend: str = "cpu",
    gpu: str | None = None,
    threads: int | None = None,
) -> Relaxation:
    """Molecules that are about to be pushed apart.

    ``what`` is a ready scene (``steric.ready_scenes()["relax"]``), a scene file (``.toml``), the text of one, or anything that
    holds atoms: a molecule file, a ``Model``, an AtomGroup, an AtomArray, ASE's Atoms, a gemmi Structure.

    Keys of scene files go into ``options``, as in ``{"membrane.leeway": 2.5}``. From ``molecules`` to ``fixed_above`` the words are
    about models.

    >>> import steric
    >>> steric.relaxation("bilayer", count=50)
    <steric.Relaxation of 50 molecules after 0 iterations>
    """
    set_ = _pairs(
        options,
        **{
            "membrane.count": count,
            "membrane.radius": radius,
            "membrane.area-per-lipid": area_per_lipid,
            "tolerance": tolerance,
            "seed": seed,
            "physics.response": response,
            "physics.max-iterations": max_iterations,
            "physics.max-seconds": max_seconds,
        },
    )
    name = os.fspath(what) if isinstance(what, (str, os.PathLike)) else None
    ready = name is not None and (name in dict(_steric._ready_names())["relax"]) and not os.path.exists(name)
    if name is not None and _is_text(name):
        engine = _steric.Relaxation._of_text(name, set_, os.fspath(folder))
    elif name is not None and (ready or name.lower().endswith(".toml") or not os.path.splitext(name)[1]):
        engine = _steric.Relaxation._of_scene(name, set_)
    else:
        model = _convert.model(what)
        engine = _steric.Relaxation._of_model(
            model, set_, molecules, assembly, periodic, leeway, turn_degrees, list(fixed), fixed_above
        )
    engine._on(backend, gpu)
    return Relaxation(engine, threads)


def relax(what: Any = "vesicle", *, progress: bool | None = None, **how: Any) -> tuple[_steric.Model, RelaxReport]:
    """Pushes molecules apart until nothing overlaps: the model, and a report. Takes what ``steric.relaxation`` takes.

    >>> import steric
    >>> model, report = steric.relax("vesicle", count=300, area_per_lipid=75)
    >>> report.is_clean
    True
    """
    run = relaxation(what, **how)
    report = run.run(progress=progress)
    return run.model(), report


class Diffusion:
    """Particles in Brownian motion that never pass through each other.

    >>> import steric
    >>> run = steric.diffuse("cytoplasm", seed=7)
    >>> for step in run.run(4):
    ...     pass
    >>> run.step_number, run.deepest_overlap
    (4, None)
    >>> run.positions.shape == (len(run), 3)
    True
    """

    def __init__(self, engine: _steric.Diffusion, threads: int | None) -> None:
        self._engine, self._threads = engine, threads

    def __len__(self) -> int:
        return len(self._engine)

    def __repr__(self) -> str:
        return f"<steric.Diffusion of {len(self)} particles after {self.step_number} steps>"

    def __getattr__(self, name: str) -> Any:
        if name in _DIFFUSION:
            return getattr(self._engine, name)
        raise AttributeError(name)

    def advance(self, steps: int, *, progress: bool | None = None) -> None:
        """Takes so many steps."""
        with Bar(steps, "steps", progress=progress) as bar:
            done = 0
            while done < steps:
                few = min(steps - done, 64)
                self._engine._advance(few, False, self._threads)
                done += few
                bar.to(done)

    def run(self, steps: int | None = None, *, every: int = 1) -> Iterator[int]:
        """Takes steps, and gives the number of every so many-th, until the scene's own number of steps or this one is reached."""
        left = max(self._engine.steps - self.step_number, 0) if steps is None else steps
        while left > 0:
            few = min(every, left)
            self._engine._advance(few, False, self._threads)
            left -= few
            yield self.step_number

    def __iter__(self) -> Iterator[int]:
        return self.run()

    def contacts(self, steps: int) -> np.ndarray:
        """Takes steps and gives every contact: a structured array with ``step``, ``time``, ``first``, ``second`` (-1 for no particle) and ``what``."""
        found = self._engine._advance(steps, True, self._threads)
        kind = [("step", "i8"), ("time", "f8"), ("first", "i8"), ("second", "i8"), ("what", "U24")]
        return np.array(found, dtype=kind)

    def report(self) -> Report:
        """What there was so far."""
        return Report._of_json(*self._engine._report())

    def model(self) -> _steric.Model:
        """The particles as a model: their atoms, or a sphere for each."""
        return self._engine.model()

    def record(self, path: Any, steps: int | None = None, *, every: int | None = None) -> list[Any]:
        """Takes steps and writes a film: .simularium, .xtc, .dcd, .pdb. Returns the files that go with it."""
        return self._engine.record(os.fspath(path), steps, every=every, threads=self._threads)

    def save(self, path: Any) -> None:
        """Saves the run, to go on from there later."""
        self._engine.save(os.fspath(path))

    def resume(self, path: Any) -> None:
        """Goes on from a run that was saved."""
        self._engine.resume(os.fspath(path))


_DIFFUSION = frozenset(
    "steps step_number time positions unwrapped numbers kinds clusters species mean_square_displacements deepest_overlap".split()
)


def diffuse(
    scene: Any = "egf-receptors",
    *,
    counts: Mapping[str, int] | None = None,
    seed: int | None = None,
    response: str | None = None,
    strategy: str | None = None,
    folder: Any = "",
    threads: int | None = None,
) -> Diffusion:
    """Particles of a ready scene, a scene file or the text of one, before their first step."""
    text = scene if _is_text(scene) else None
    name = os.fspath(folder) if text is not None else os.fspath(scene)
    pairs = [(species, int(count)) for species, count in (counts or {}).items()]
    return Diffusion(_steric.Diffusion._of(name, text, seed, pairs, response, strategy), threads)


class Deformation:
    """Soft bodies that press against each other and never pass through.

    >>> import steric
    >>> run = steric.deform("stack")
    >>> for step in run.run(2):
    ...     pass
    >>> run.step_number, run.positions.shape[1]
    (2, 3)
    """

    def __init__(self, engine: _steric.Deformation, threads: int | None) -> None:
        self._engine, self._threads = engine, threads

    def __repr__(self) -> str:
        return f"<steric.Deformation of {len(self._engine.names)} bodies after {self.step_number} steps>"

    def __getattr__(self, name: str) -> Any:
        if name in _DEFORMATION:
            return getattr(self._engine, name)
        raise AttributeError(name)

    def advance(self, steps: int, *, progress: bool | None = None) -> list[int]:
        """Takes so many steps; the contacts in each."""
        contacts: list[int] = []
        with Bar(steps, "steps", progress=progress) as bar:
            while len(contacts) < steps:
                contacts += self._engine._advance(1, threads=self._threads)
                bar.to(len(contacts))
        return contacts

    def run(self, steps: int | None = None, *, every: int = 1) -> Iterator[int]:
        """Takes steps, and gives the number of every so many-th, until the scene's own number of steps or this one is reached."""
        left = max(self._engine.steps - self.step_number, 0) if steps is None else steps
        while left > 0:
            few = min(every, left)
            self._engine._advance(few, threads=self._threads)
            left -= few
            yield self.step_number

    def __iter__(self) -> Iterator[int]:
        return self.run()

    def record(self, path: Any, steps: int | None = None, *, every: int | None = None) -> list[int]:
        """Takes steps and writes a film, .glb or .vtu; the contacts in each step."""
        left = max(self._engine.steps - self.step_number, 0) if steps is None else steps
        return self._engine._advance(left, os.fspath(path), every, self._threads)

    def report(self) -> Report:
        """What there was so far."""
        return Report._of_json(*self._engine._report())


_DEFORMATION = frozenset("steps step_number time positions velocities tetrahedra surface bodies names".split())


def deform(
    *what: Any, seed: int | None = None, folder: Any = "", threads: int | None = None
) -> Deformation:
    """Soft bodies of a ready scene, a scene file, the text of one, or of meshes that are dropped on each other."""
    given = what or ("stack",)
    text = given[0] if len(given) == 1 and _is_text(given[0]) else None
    paths = [os.fspath(folder)] if text is not None else [os.fspath(one) for one in given]
    return Deformation(_steric.Deformation._of(paths, text, seed), threads)


def animate(what: Any = "adenylate-kinase", skeleton: Any = None, *, seed: int | None = None) -> _steric.Animation:
    """A molecule on a skeleton: a ready scene, a scene file, a ``.steric`` file, or a molecule file and, if wanted, a glTF skeleton.

    >>> import steric
    >>> kinase = steric.animate("adenylate-kinase")
    >>> kinase.clips
    ['sway']
    >>> kinase.positions(0.5).shape == (len(kinase), 3)
    True
    """
    return _steric.Animation._of(os.fspath(what), None if skeleton is None else os.fspath(skeleton), seed)


class Docking:
    """A ligand at a receptor: poses judged, brought downhill, or moved by hand without going through anything.

    >>> import steric
    >>> dhfr = steric.dock("dhfr")
    >>> dhfr.report().poses[0].clashes
    0
    """

    def __init__(self, engine: _steric.Docking, threads: int | None) -> None:
        self._engine, self._threads = engine, threads

    def __len__(self) -> int:
        return len(self._engine)

    def __repr__(self) -> str:
        return f"<steric.Docking of {len(self)} poses with {self.torsions} torsions>"

    @property
    def torsions(self) -> int:
        """Bonds of the ligand that turn."""
        return self._engine.torsions

    @property
    def pose(self) -> np.ndarray:
        """Where the ligand in hand is, seen from its file: position in angstroms and quaternion x, y, z, w."""
        return np.array(self._engine.pose)

    @property
    def positions(self) -> np.ndarray:
        """Where the atoms of the ligand in hand are: float64 of shape ``(n, 3)``."""
        return self._engine.positions

    def report(self) -> Report:
        """Every pose: clashes, contacts, energies."""
        return Report._of_json(self._engine._report(self._threads))

    def to_pandas(self) -> Any:
        """The poses as a pandas table."""
        import pandas

        rows = [{k: v for k, v in pose.to_dict().items() if k not in ("list", "energy")} | _energies(pose) for pose in self.report().poses]
        return pandas.DataFrame(rows)

    def ligand(self, pose: int) -> _steric.Model:
        """The ligand of a pose, counted from 0."""
        return self._engine.ligand(pose)

    def receptor(self) -> _steric.Model:
        """The receptor."""
        return self._engine.receptor()

    def minimize(self, pose: int = 0, *, steps: int = 200) -> tuple[_steric.Model, Report]:
        """Brings a pose downhill in the field of the receptor: the ligand, and what there is to tell about it."""
        model, text = self._engine._minimize(pose, steps, self._threads)
        return model, Report._of_json(text)

    def take(self, pose: int) -> None:
        """Takes a pose of the file in hand."""
        self._engine.take(pose)

    def go(self, pose: Sequence[float]) -> int:
        """Moves the ligand in hand to a pose (three numbers, or seven) as far as it can go; returns what it touches."""
        return self._engine.go(_seven(pose))

    def put(self, pose: Sequence[float]) -> None:
        """Puts the ligand in hand somewhere, whatever is on the way."""
        self._engine.put(_seven(pose))

    def here(self) -> Report:
        """What there is to tell about the ligand in hand."""
        return Report._of_json(self._engine._report_here())

    def model(self) -> _steric.Model:
        """The ligand in hand."""
        return self._engine.model()


def _seven(pose: Sequence[float]) -> list[float]:
    numbers = [float(one) for one in pose]
    if len(numbers) == 3:
        numbers += [0.0, 0.0, 0.0, 1.0]
    if len(numbers) != 7:
        raise ValueError(f"expected 3 or 7 numbers, found {len(numbers)}")
    return numbers


def _energies(pose: Report) -> dict[str, Any]:
    energy = pose["energy"]
    return {f"energy_{key}": value for key, value in energy.items()} if isinstance(energy, Mapping) else {"energy": energy}


def dock(
    receptor: Any,
    ligand: Any = None,
    *,
    tolerance: float = 0.4,
    radii: str = "bondi",
    hydrogens: bool = False,
    waters: bool = False,
    response: str = "slide",
    threads: int | None = None,
) -> Docking:
    """A ligand at a receptor; each is a file, a ``Model``, or atoms of another package. Alone, ``receptor`` is a ready scene."""

    def part(what: Any) -> Any:
        return os.fspath(what) if isinstance(what, (str, os.PathLike)) else _convert.model(what)

    first = os.fspath(receptor) if ligand is None else part(receptor)
    second = None if ligand is None else part(ligand)
    return Docking(_steric.Docking._of(first, second, radii, tolerance, hydrogens, waters, response), threads)
