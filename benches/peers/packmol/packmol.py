"""Steric beside packmol: the same jobs, the same machine, the same run.

    packmol.py STERIC [JOB...] [--csv FILE] [--limit SECONDS] [--threads N] [--repeats N] [--seeds A,B] [--starts A,B]
        [--only PROGRAM]

A job is three files here: NAME.inp for packmol, NAME.toml, which tells steric the same, and NAME_membrane.toml, which also
says that the lipids are a membrane, so that they start upright and spread. Every program runs in a folder of its own, and the
results are read back from their PDB files and judged by packmol's input alone, without any code of either program: as
many molecules as it asks for, each the template moved as a rigid body, no two atoms of different molecules closer than
the tolerance, every constraint kept to 0.01 A. Packmol squares what a constraint is broken by before it compares that with
its precision of 0.01, so what it calls a success may be 0.1 A outside: such a result is "solved to 0.1 A".

Seconds of the processor (user and system, of the whole program) are compared, because they hardly depend on what else
the machine does. Packmol runs once, to its limit; steric runs `--repeats` times for every seed, and the median counts.
"""

import argparse
import csv
import importlib.metadata
import itertools
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

HERE = Path(__file__).resolve().parent
JOBS = [
    "bilayer64_loose",
    "bilayer64_tight",
    "bilayer256",
    "vesicle331",
    "vesicle834",
    "vesicle437_tight",
    "vesicle1125_tight",
]
# How far a constraint may be broken, and how far it may be in packmol's reading: the root of its precision.
PRECISION, ROOT_OF_PRECISION = 0.01, 0.1
# How far an atom may be from where a rigid motion puts it: coordinates in PDB files are rounded to 0.001 A.
RIGID = 0.005
# Where molecules begin, and the end of the scene file's name.
STARTS = {"anywhere": "", "membrane": "_membrane"}
COLUMNS = (
    "job,program,version,start,seed,atoms,molecules,cpu_s,wall_s,outcome,min_distance,pairs_under_tolerance,"
    "worst_constraint,threads,machine"
).split(",")


class Species:
    """A `structure` of packmol's input: its template, how many, and constraints as (atoms or None, kind, shape, numbers)."""

    def __init__(self, names, template):
        self.names, self.template = names, template
        self.number, self.constraints = 0, []

    def worst(self, molecules):
        """How far each molecule breaks its worst constraint, in angstroms."""
        worst = np.zeros(len(molecules))
        for atoms, *constraint in self.constraints:
            held = molecules if atoms is None else molecules[:, atoms]
            worst = np.maximum(worst, broken_by(held, *constraint).max(axis=1))
        return worst


def broken_by(points, kind, shape, numbers):
    """How far points are on the wrong side; packmol's `over` and `below` are the two sides of a plane."""
    if shape == "plane":
        normal = np.array(numbers[:3])
        beyond = (points @ normal - numbers[3]) / np.linalg.norm(normal)
    elif shape == "sphere":
        beyond = np.linalg.norm(points - numbers[:3], axis=-1) - numbers[3]
    elif shape == "box":
        beyond = np.maximum(numbers[:3] - points, points - numbers[3:]).max(axis=-1)
    else:
        raise ValueError(f"a plane, sphere or box was expected, found {shape}")
    return -beyond if kind in ("over", "above", "outside") else beyond


def read_pdb(path):
    """Atom names, coordinates and the number of each atom's molecule. A molecule ends where the residue's number, name or
    chain changes; packmol counts residues anew for every `structure` and gives each a chain of its own."""
    names, positions, molecules, last, number = [], [], [], None, -1
    with open(path) as lines:
        for line in lines:
            if not line.startswith(("ATOM", "HETATM")):
                continue
            residue = line[17:27]
            number += residue != last
            last = residue
            names.append(line[12:16].strip())
            positions.append([float(line[30:38]), float(line[38:46]), float(line[46:54])])
            molecules.append(number)
    return np.array(names), np.array(positions).reshape(-1, 3), np.array(molecules)


def read_job(path):
    """The tolerance and the species of an input for packmol, as far as the jobs here use its language."""
    tolerance, species, atoms = None, [], None
    for line in Path(path).read_text().splitlines():
        words = line.split("#")[0].split()
        match words:
            case ["tolerance", value]:
                tolerance = float(value)
            case ["structure", file]:
                species.append(Species(*read_pdb(path.parent / file)[:2]))
            case ["number", value]:
                species[-1].number = int(value)
            case ["atoms", *numbers]:
                atoms = [int(number) - 1 for number in numbers]
            case ["end", "atoms"]:
                atoms = None
            case ["inside" | "outside" | "over" | "above" | "below" as kind, shape, *numbers]:
                species[-1].constraints.append((atoms, kind, shape, np.array([float(number) for number in numbers])))
            case [] | ["filetype" | "seed" | "output", _] | ["end", "structure"]:
                pass
            case _:
                raise ValueError(f"{path}: expected a line of packmol's language, found {line.strip()!r}")
    return tolerance, species


def distances(positions, molecules, tolerance):
    """The smallest distance between atoms of different molecules, and how many such pairs are below the tolerance."""
    tree = cKDTree(positions)
    for reach in (tolerance, 2.0 * tolerance, 8.0 * tolerance):
        pairs = tree.query_pairs(reach, output_type="ndarray")
        pairs = pairs[molecules[pairs[:, 0]] != molecules[pairs[:, 1]]]
        if len(pairs):
            apart = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
            return float(apart.min()), int(np.count_nonzero(apart < tolerance))
    return float("inf"), 0


def bent(molecules, template):
    """How far the worst atom is from where the best rotation of the template (Kabsch) puts it."""
    model = template - template.mean(axis=0)
    moved = molecules - molecules.mean(axis=1, keepdims=True)
    u, _, vt = np.linalg.svd(np.einsum("ai,mak->mik", model, moved))
    mirrored = np.sign(np.linalg.det(u @ vt))
    u[:, :, 2] *= mirrored[:, None]
    return float(np.linalg.norm(model @ (u @ vt) - moved, axis=2).max())


def by_molecule(names, positions, molecules, species):
    """Coordinates as molecules x atoms x 3. Every species of these jobs is the same lipid."""
    lipid = species[0].names
    whole = len(names) // len(lipid)
    if len(names) == 0 or len(names) % len(lipid) or (names.reshape(whole, -1) != lipid).any():
        return None
    if (molecules.reshape(whole, -1) != np.arange(whole)[:, None]).any():
        return None
    return positions.reshape(whole, -1, 3)


def judged(path, tolerance, species):
    """The verdict on a result: a dictionary of the columns that depend on it."""
    names, positions, molecules = read_pdb(path)
    row = {"atoms": len(names), "molecules": int(molecules.max(initial=-1)) + 1}
    bodies = by_molecule(names, positions, molecules, species)
    if bodies is None or len(bodies) != sum(kind.number for kind in species):
        return row | {"outcome": "other molecules"}
    least, pairs = distances(positions, molecules, tolerance)
    # Programs write species in orders of their own: a molecule belongs where it fits best.
    breaks = np.array([kind.worst(bodies) for kind in species])
    belongs, worst = breaks.argmin(axis=0), breaks.min(axis=0).max()
    row |= {"min_distance": f"{least:.4f}", "pairs_under_tolerance": pairs, "worst_constraint": f"{worst:.4f}"}
    counts = [np.count_nonzero(belongs == at) for at in range(len(species))]
    if worst <= ROOT_OF_PRECISION and counts != [kind.number for kind in species]:
        return row | {"outcome": "other counts"}
    if bent(bodies, species[0].template) > RIGID:
        return row | {"outcome": "bent molecules"}
    if pairs > 0 or worst > ROOT_OF_PRECISION:
        return row | {"outcome": "not solved"}
    return row | {"outcome": "solved" if worst <= PRECISION else "solved to 0.1 A"}


def timed(command, folder, limit, stdin=None):
    """Runs a program to its end or to a limit in seconds: processor seconds, wall seconds, whether it was stopped, its words."""
    with tempfile.TemporaryFile() as words, open(stdin or os.devnull) as given:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=folder, stdin=given, stdout=words, stderr=words)
        stopped = threading.Event()

        def stop():
            stopped.set()
            os.kill(child.pid, signal.SIGKILL)

        clock = threading.Timer(limit, stop)
        clock.start()
        _, status, used = os.wait4(child.pid, 0)
        clock.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - start
        words.seek(0)
        said = words.read().decode(errors="replace")
    return used.ru_utime + used.ru_stime, wall, stopped.is_set(), said


def files_of(job, folder):
    """A copy of the job's files, so that no program writes beside the originals."""
    scenes = [f"{job}{end}.toml" for end in STARTS.values()]
    for file in (f"{job}.inp", *scenes, "POPC.pdb"):
        shutil.copy(HERE / file, folder)


def verdict(path, tolerance, species, stopped, limit, said):
    row = judged(path, tolerance, species) if path.exists() else {"outcome": "no result"}
    if stopped and row["outcome"] == "other molecules":
        row = {}  # It was stopped while it wrote.
    if stopped and not row.get("outcome", "").startswith("solved"):
        row["outcome"] = f"stopped after {limit:.0f} s"
    if row["outcome"] == "no result":
        print(said[-2000:], file=sys.stderr)
    return row


def by_packmol(job, tolerance, species, limit):
    # Not the command of the package: that is a script, and stopping it would leave the program running.
    program = importlib.metadata.distribution("packmol").locate_file("packmol/binaries/packmol")
    with tempfile.TemporaryDirectory() as folder:
        files_of(job, folder)
        cpu, wall, stopped, said = timed([str(program)], folder, limit, stdin=Path(folder) / f"{job}.inp")
        row = verdict(Path(folder) / f"{job}_out.pdb", tolerance, species, stopped, limit, said)
    row |= {"program": "packmol", "version": importlib.metadata.version("packmol"), "start": "anywhere"}
    row |= {"seed": 1234567, "threads": 1}
    return row | {"cpu_s": f"{cpu:.2f}", "wall_s": f"{wall:.2f}"}


def by_steric(steric, job, tolerance, species, start, seed, options):
    scene = f"{job}{STARTS[start]}.toml"
    command = [steric, "relax", scene, "--seed", str(seed), "--threads", str(options.threads), "-o", "out.pdb"]
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        files_of(job, folder)
        for _ in range(options.repeats):
            runs.append(timed(command, folder, options.limit))
            if runs[-1][1] > 10.0:
                break
        _, _, stopped, said = runs[-1]
        row = verdict(Path(folder) / "out.pdb", tolerance, species, stopped, options.limit, said)
    version = subprocess.run([steric, "--version"], capture_output=True, text=True).stdout.split()[-1]
    row |= {"program": "steric", "version": version, "start": start, "seed": seed, "threads": options.threads}
    cpu, wall = (statistics.median(run[at] for run in runs) for at in (0, 1))
    return row | {"cpu_s": f"{cpu:.3f}", "wall_s": f"{wall:.3f}"}


def rows_of(job, steric, options):
    """Steric first: it is done before packmol has begun."""
    tolerance, species = read_job(HERE / f"{job}.inp")
    if options.only != "packmol":
        for start, seed in itertools.product(options.starts.split(","), options.seeds.split(",")):
            yield by_steric(steric, job, tolerance, species, start, int(seed), options)
    if options.only != "steric":
        yield by_packmol(job, tolerance, species, options.limit)


def write_row(row, path):
    """Appends to a CSV file, which gets its heading when it is new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with open(path, "a", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def compare(job, steric, options):
    rows = []
    for row in rows_of(job, steric, options):
        row |= {"job": job, "machine": options.machine}
        print("  ".join(f"{column}={row[column]}" for column in COLUMNS if row.get(column) not in (None, "")), flush=True)
        rows.append(row)
        if options.csv:
            write_row(row, options.csv)
    print_ratios(job, rows)


def print_ratios(job, rows):
    """Packmol's processor seconds over the median of steric's, for each start. Where packmol was stopped, the limit made the
    ratio, so it says no more than that packmol needs longer."""
    for packmol in (row for row in rows if row["program"] == "packmol"):
        for start in STARTS:
            ours = [row for row in rows if row["program"] == "steric" and row["start"] == start]
            if ours:
                ratio = float(packmol["cpu_s"]) / max(statistics.median(float(row["cpu_s"]) for row in ours), 1e-3)
                solved = sum(row["outcome"].startswith("solved") for row in ours)
                ends = f"packmol: {packmol['outcome']}; steric: {solved} of {len(ours)} solved"
                took = "was stopped after" if packmol["outcome"].startswith("stopped") else "took"
                print(f"{job}, {start}: packmol {took} {ratio:,.0f} times the processor seconds of steric ({ends})", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Steric beside packmol on the same jobs.")
    parser.add_argument("steric", help="the program")
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=f"of {', '.join(JOBS)}; all if left out")
    parser.add_argument("--csv", type=Path, help="append rows to this file")
    parser.add_argument("--limit", type=float, default=360.0, help="wall seconds that a program may take")
    parser.add_argument("--threads", type=int, default=1, help="of steric; packmol has one")
    parser.add_argument("--repeats", type=int, default=5, help="of steric, whose median counts")
    parser.add_argument("--seeds", default="1", help="of steric, as in 1,2,3; one row each")
    parser.add_argument("--starts", default=",".join(STARTS), help="of steric")
    parser.add_argument("--only", choices=["steric", "packmol"], help="leave the other program out")
    options = parser.parse_args()
    options.machine = os.environ.get("STERIC_MACHINE") or (options.csv.resolve().parent.name if options.csv else "")
    steric = str(Path(options.steric).resolve())
    for job in options.jobs or JOBS:
        compare(job, steric, options)


if __name__ == "__main__":
    main()
