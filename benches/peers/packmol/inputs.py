"""`steric pack` beside packmol: every input of a folder, the same machine, the same run.

    inputs.py STERIC [INPUT...] [--folder FOLDER] [--csv FILE] [--limit SECONDS] [--threads N] [--repeats N] [--only PROGRAM]

Without names every NAME.inp of the folder is run. Both programs get the same file in a folder of its own, and what they write is
judged by that file alone, without any code of either program: the atoms of every structure in the order of the input, each molecule
the template moved as a rigid body, no two atoms of different molecules closer than the tolerance (scipy's k-d tree), every constraint
kept to 0.01 A. Packmol squares what a constraint is broken by before it compares that with its precision of 0.01, so what it calls a
success may be 0.1 A outside: such a result is "solved to 0.1 A".

Seconds of the processor (user and system, of the whole program) and of the wall are both written. Packmol runs once, to its limit;
steric runs `--repeats` times, and the median counts.
"""

import argparse
import csv
import importlib.metadata
import itertools
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from packmol import PRECISION, RIGID, ROOT_OF_PRECISION, bent, broken_by, distances, timed

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "packmol"
COLUMNS = (
    "input,program,version,seed,atoms,molecules,cpu_s,wall_s,outcome,min_distance,pairs_under_tolerance,worst_constraint,"
    "threads,machine"
).split(",")


class Species:
    """A `structure` of the input: template, how many, whether it stays, constraints as (atoms or None, kind, shape, numbers)."""

    def __init__(self, path):
        self.names, self.template = read_pdb(path)
        self.number, self.is_fixed, self.constraints = 1, False, []

    def worst(self, molecules):
        """How far the worst atom is on the wrong side of a constraint, in angstroms."""
        held = ((molecules if atoms is None else molecules[:, atoms], *rest) for atoms, *rest in self.constraints)
        return max((float(broken_by(*each).max()) for each in held), default=0.0)


def read_pdb(path):
    """Atom names and coordinates."""
    atoms = [line for line in open(path) if line.startswith(("ATOM", "HETATM"))]
    places = [[float(line[30:38]), float(line[38:46]), float(line[46:54])] for line in atoms]
    return np.array([line[12:16].strip() for line in atoms]), np.array(places).reshape(-1, 3)


def read_input(path):
    """The tolerance, the species and the output of an input, as far as the inputs here use packmol's language."""
    tolerance, output, seed, species, atoms = None, None, 1234567, [], None
    for line in path.read_text().splitlines():
        match line.split("#")[0].split():
            case ["tolerance", value]:
                tolerance = float(value)
            case ["seed", value]:
                seed = int(value)
            case ["output", value]:
                output = value
            case ["structure", file]:
                species.append(Species(path.parent / file))
            case ["number", value]:
                species[-1].number = int(value)
            case ["fixed", *_]:
                species[-1].is_fixed = True
            case ["atoms", *numbers]:
                atoms = [int(number) - 1 for number in numbers]
            case ["end", "atoms"]:
                atoms = None
            case ["inside" | "outside" | "over" | "above" | "below" as kind, shape, *numbers]:
                species[-1].constraints.append((atoms, kind, shape, np.array([float(number) for number in numbers])))
            case [] | ["filetype" | "discale" | "movebadrandom" | "center" | "end", *_]:
                pass
            case _:
                raise ValueError(f"{path}: a line that this script does not know: {line.strip()!r}")
    return tolerance, output, seed, species


def bodies_of(names, places, species):
    """The molecules of each structure, in packmol's order; None where the file holds others."""
    if len(names) != sum(kind.number * len(kind.names) for kind in species):
        return None
    bodies, start = [], 0
    for kind in species:
        end = start + kind.number * len(kind.names)
        if (names[start:end].reshape(kind.number, -1) != kind.names).any():
            return None
        bodies.append(places[start:end].reshape(kind.number, -1, 3))
        start = end
    return bodies


def judged(path, tolerance, species):
    """The verdict on a result: a dictionary of the columns that depend on it."""
    if not path.exists():
        return {"outcome": "no result"}
    names, places = read_pdb(path)
    bodies = bodies_of(names, places, species)
    row = {"atoms": len(names), "molecules": sum(kind.number for kind in species)}
    if bodies is None:
        return row | {"outcome": "other molecules"}
    owners = np.repeat(np.arange(row["molecules"]), [len(kind.names) for kind in species for _ in range(kind.number)])
    least, pairs = distances(places, owners, tolerance)
    worst = max(kind.worst(body) for kind, body in zip(species, bodies))
    row |= {"min_distance": f"{least:.4f}", "pairs_under_tolerance": pairs, "worst_constraint": f"{max(worst, 0.0):.4f}"}
    if any(len(kind.names) > 1 and bent(body, kind.template) > RIGID for kind, body in zip(species, bodies)):
        return row | {"outcome": "bent molecules"}
    if pairs > 0 or worst > ROOT_OF_PRECISION:
        return row | {"outcome": "not solved"}
    return row | {"outcome": "solved" if worst <= PRECISION else "solved to 0.1 A"}


def run_once(command, path, options, from_stdin, judge):
    """Runs a program on a copy of the input: its row."""
    tolerance, output, seed, species = read_input(path)
    with tempfile.TemporaryDirectory() as folder:
        for file in path.parent.iterdir():
            if file.suffix in (".pdb", ".inp"):
                shutil.copyfile(file, Path(folder) / file.name)
        given = Path(folder) / path.name
        cpu, wall, stopped, said = timed(command, folder, options.limit, stdin=given if from_stdin else None)
        row = judged(Path(folder) / output, tolerance, species) if judge else {}
    if stopped and not row.get("outcome", "").startswith("solved"):
        row["outcome"] = f"stopped after {options.limit:.0f} s"
    if row.get("outcome") == "no result":
        print(said[-2000:], file=sys.stderr)
    return row | {"input": path.stem, "seed": seed, "cpu_s": cpu, "wall_s": wall}


def by_packmol(path, options):
    # Not the command of the package: that is a script, and stopping it would leave the program running.
    program = importlib.metadata.distribution("packmol").locate_file("packmol/binaries/packmol")
    row = run_once([str(program)], path, options, True, True)
    return row | {"program": "packmol", "version": importlib.metadata.version("packmol"), "threads": 1}


def by_steric(path, options):
    command = [options.steric, "pack", path.name, "--threads", str(options.threads), "--quiet"]
    rows = [run_once(command, path, options, False, at == 0) for at in range(options.repeats)]
    middle = {column: statistics.median(row[column] for row in rows) for column in ("cpu_s", "wall_s")}
    version = subprocess.run([options.steric, "--version"], capture_output=True, text=True).stdout.split()[-1]
    return rows[0] | middle | {"program": "steric", "version": version, "threads": options.threads}


def machine():
    names = (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    return f"{next(names, platform.machine())}, {os.cpu_count()} cores"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steric", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("inputs", nargs="*")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--limit", type=float, default=360.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=["packmol", "steric"])
    options = parser.parse_args()
    names = options.inputs or sorted(path.stem for path in options.folder.glob("*.inp"))
    programs = {"steric": by_steric, "packmol": by_packmol}
    for name, (program, run) in itertools.product(names, programs.items()):
        if options.only not in (None, program):
            continue
        row = run(options.folder / f"{name}.inp", options)
        row |= {"cpu_s": f"{row['cpu_s']:.3f}", "wall_s": f"{row['wall_s']:.3f}", "machine": machine()}
        print(*(f"{column}={row.get(column, '')}" for column in COLUMNS[:-2]), flush=True)
        if options.csv:
            is_new = not options.csv.exists()
            with open(options.csv, "a", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, restval="")
                if is_new:
                    writer.writeheader()
                writer.writerow(row)


if __name__ == "__main__":
    main()
