"""Brownian motion of hard spheres by steric and by the programs that people use for it, side by side on one thread.

    diffuse.py [--places FILE.csv --edge A] [--steric PATH] [--steps N] [--csv FILE]

The system is 10,000 spheres of radius 10 A that fill 10 % of a periodic cube, D = 0.5 A^2/ns and a time step of 1 ns:
the rms displacement along each axis in a step is sqrt(2 D dt) = 1 A, a tenth of the radius. Every program starts from
the same places without an overlap: a file with three numbers a line, in angstroms, or random sequential addition.

After a warm-up the programs take turns, a tenth of the steps each time, so that a busy machine slows all; the median
of the ten counts. After each turn scipy's k-d tree counts the pairs closer than the diameter by more than 1e-6 A,
without any code of the programs, so a row says what a step costs and what it leaves behind. Reading the positions is
not timed.

ReaDDy pushes spheres apart by a spring, so it is here twice: with the spring of its own benchmark, 10 kJ/mol/nm^2, and
with the stiffest that does not overshoot, kT / (2 D dt), which parts a pair in one step. Smoldyn bounces them: a pair
that overlaps after a step is put as far apart as it overlapped, once, which is what its manual recommends. Steric runs
anew from the start to the end of each turn: the same seed gives the same steps, so its snapshots are those of one run.
"""

import argparse
import contextlib
import csv
import importlib.metadata
import itertools
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np
from scipy.spatial import cKDTree

import check_file

RADIUS, DIFFUSION, TIME_STEP = 10.0, 0.5, 1.0  # angstroms, square angstroms per nanosecond, nanoseconds
RMS_STEP = math.sqrt(2.0 * DIFFUSION * TIME_STEP)
TURNS = 10
# What counts as touching: positions in single precision are a few 1e-5 A apart in this box, those in double far less.
TOUCHING = 1e-6
# Between the spheres of a random start, so that no program's rounding turns a touch into an overlap.
AIR = 1e-3
KELVIN, GAS_CONSTANT = 293.0, 8.314462618e-3  # kJ/mol/K
SPRING_OF_THE_MANUAL = 10.0 / 100.0  # kJ/mol/A^2; 10 kJ/mol/nm^2 in readdy/examples/cytosolic_reactions.py
SPRING_OF_ONE_STEP = GAS_CONSTANT * KELVIN / (2.0 * DIFFUSION * TIME_STEP)
COLUMNS = "program,version,spheres,fraction,rms_over_radius,steps,ms_per_step,overlapping_pairs,deepest_A".split(",")

STERIC_SCENE = """\
box = [{edge}, {edge}, {edge}]
boundary = "periodic"
time-unit = "ns"
time-step = 1.0
response = "reflect"
[[species]]
name = "sphere"
radius = 10.0
diffusion = 0.5
places = "places.csv"
"""

# Virtual boxes little wider than a diameter take about 7 ms a step where the default, four molecules a box, takes 13 ms.
# A command `a` runs at the end of each run, after the last step.
SMOLDYN_MODEL = """\
dim 3
boundaries x 0 {edge!r} p
boundaries y 0 {edge!r} p
boundaries z 0 {edge!r} p
species sphere
difc sphere {diffusion}
time_start 0
time_stop 1e12
time_step {time_step}
random_seed {seed}
boxsize {box}
output_data places
cmd a listmols places
{molecules}
reaction touch sphere + sphere -> sphere + sphere
binding_radius touch {diameter}
product_placement touch bounce -1
end_file
"""


class ByReaddy:
    """ReaDDy's kernel for one thread. Its box has the origin in its middle."""

    def __init__(self, name, places, edge, spring):
        import readdy

        units = {"length_unit": "angstrom", "time_unit": "nanosecond", "energy_unit": "kilojoule / mol"}
        self.name, self.version = name, importlib.metadata.version("readdy")
        self.edge = edge
        system = readdy.ReactionDiffusionSystem(
            [edge] * 3, periodic_boundary_conditions=[True] * 3, temperature=KELVIN, unit_system=units
        )
        system.add_species("sphere", DIFFUSION)
        system.potentials.add_harmonic_repulsion("sphere", "sphere", spring, 2.0 * RADIUS)
        self.simulation = system.simulation(kernel="SingleCPU", evaluate_topology_reactions=False)
        self.simulation.show_progress = False
        self.simulation.add_particles("sphere", places - 0.5 * edge)

    def advance(self, steps):
        start = time.perf_counter()
        with quiet():
            self.simulation.run(steps, TIME_STEP, show_summary=False)
        return (time.perf_counter() - start) * 1e3 / steps

    def places(self):
        return np.array([particle.pos for particle in self.simulation.current_particles]) + 0.5 * self.edge


class BySmoldyn:
    """Smoldyn, by a model in its own language: a reaction of two spheres that gives two spheres, placed by `bounce`."""

    def __init__(self, name, places, edge, seed, folder):
        import smoldyn

        self.name, self.version = name, importlib.metadata.version("smoldyn")
        self.steps = 0
        model = folder / "smoldyn.txt"
        model.write_text(
            SMOLDYN_MODEL.format(
                edge=edge,
                diffusion=DIFFUSION,
                time_step=TIME_STEP,
                seed=seed,
                box=2.5 * RADIUS,
                diameter=2.0 * RADIUS,
                molecules="\n".join("mol 1 sphere {!r} {!r} {!r}".format(*place) for place in places.tolist()),
            )
        )
        with quiet():
            self.simulation = smoldyn.Simulation.fromFile(model, "q")

    def advance(self, steps):
        self.steps += steps
        # Half a step early, so that a sum of time steps that falls short of the end makes no further step.
        end = (self.steps - 0.5) * TIME_STEP
        start = time.perf_counter()
        with quiet():
            self.simulation.runUntil(end, TIME_STEP, display=False)
        return (time.perf_counter() - start) * 1e3 / steps

    def places(self):
        # A row is the species, the state, x, y, z and the serial number.
        return np.array(self.simulation.getOutputData("places", True)).reshape(-1, 6)[:, 2:5]


class BySteric:
    """`steric diffuse`, from the start to where the turn ends; it times its own steps."""

    def __init__(self, name, places, edge, folder, program):
        told = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()
        self.name, self.version = name, told[1] if len(told) > 1 else ""
        self.program, self.folder, self.steps = program, folder, 0
        np.savetxt(folder / "places.csv", places, delimiter=",", fmt="%.9f")
        (folder / "scene.toml").write_text(STERIC_SCENE.format(edge=repr(edge)))

    def advance(self, steps):
        self.steps += steps
        scene, last = str(self.folder / "scene.toml"), str(self.folder / "last.cif")
        command = [self.program, "diffuse", scene, "--steps", str(self.steps), "--threads", "1", "--json", "-o", last]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit status {ran.returncode}\n{ran.stderr}")
        row = json.loads(ran.stdout)
        return (row[0] if isinstance(row, list) else row)["milliseconds_per_step"]

    def places(self):
        last = self.folder / "last.cif"
        tables = check_file.Tables(last)
        if len(tables.text("pdbx_struct_oper_list", "id")) > 1:  # copies of one sphere
            return check_file.read(last, "residue").positions
        return np.column_stack([tables.numbers("atom_site", f"Cartn_{axis}") for axis in "xyz"])


@contextlib.contextmanager
def quiet():
    """What the libraries print goes nowhere: the standard output is the table's, the other is for progress."""
    sys.stdout.flush()
    kept, nowhere = [os.dup(stream) for stream in (1, 2)], os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        for stream, copy in zip((1, 2), kept):
            os.dup2(copy, stream)
            os.close(copy)
        os.close(nowhere)


def random_places(spheres, edge, seed):
    """Random sequential addition: a place is drawn again until it is free. Cells are at least a diameter wide."""
    chance, diameter = random.Random(seed), 2.0 * RADIUS + AIR
    across = max(1, int(edge // diameter))
    near = list(itertools.product(*[sorted({step % across for step in (-1, 0, 1)})] * 3))
    cells, places = {}, []
    for _ in range(1000 * spheres):
        if len(places) == spheres:
            return np.array(places)
        place = [edge * chance.random() for _ in range(3)]
        x, y, z = (min(int(value / edge * across), across - 1) for value in place)
        around = (((x + dx) % across, (y + dy) % across, (z + dz) % across) for dx, dy, dz in near)
        if all(apart(place, other, edge) >= diameter for cell in around for other in cells.get(cell, ())):
            cells.setdefault((x, y, z), []).append(place)
            places.append(place)
    sys.exit(f"only {len(places)} of {spheres} spheres found a place")


def apart(first, second, edge):
    """The distance to the nearest image."""
    return math.hypot(*(math.remainder(a - b, edge) for a, b in zip(first, second)))


def overlaps(places, edge):
    """How many pairs overlap, and how deep the deepest does, in angstroms."""
    inside = np.mod(places, edge)
    inside[inside >= edge] = 0.0  # a tiny negative number becomes the edge itself
    pairs = cKDTree(inside, boxsize=edge).query_pairs(2.0 * RADIUS - TOUCHING, output_type="ndarray")
    delta = inside[pairs[:, 0]] - inside[pairs[:, 1]]
    delta -= edge * np.round(delta / edge)
    depths = 2.0 * RADIUS - np.linalg.norm(delta, axis=1)
    return len(pairs), float(depths.max(initial=0.0))


def start_of(options):
    """The places and the edge of the cube, from the file or at random."""
    if options.places:
        if options.edge is None:
            sys.exit("--places wants --edge, the edge of the cube in angstroms")
        return np.loadtxt(options.places, delimiter=",", ndmin=2), options.edge
    edge = options.edge or (options.spheres * 4.0 / 3.0 * math.pi * RADIUS**3 / options.fraction) ** (1.0 / 3.0)
    return random_places(options.spheres, edge, options.seed), edge


def programs(options, places, edge, folder):
    """The programs that are there, each at the start."""
    makers = {
        "ReaDDy": lambda name: ByReaddy(name, places, edge, SPRING_OF_THE_MANUAL),
        "ReaDDy stiff": lambda name: ByReaddy(name, places, edge, SPRING_OF_ONE_STEP),
        "Smoldyn": lambda name: BySmoldyn(name, places, edge, options.seed, folder),
    }
    if options.steric:
        makers["steric"] = lambda name: BySteric(name, places, edge, folder, options.steric)
    for name, make in makers.items():
        try:
            yield make(name)
        except ImportError as error:
            print(f"skipped: {name}: {error}", file=sys.stderr)


def in_turns(running, steps, spheres, edge):
    """Milliseconds a step and the overlaps of each program after each turn."""
    seen = {program.name: [] for program in running}
    for turn in range(TURNS + 1):
        for program in running:
            milliseconds, places = program.advance(steps), program.places()
            if len(places) != spheres or not np.isfinite(places).all():
                sys.exit(f"{program.name}: expected {spheres} places, found {np.isfinite(places).all(axis=1).sum()}")
            pairs, deepest = overlaps(places, edge)
            told = f"turn {turn} of {TURNS}" if turn else "warm-up"
            print(f"{told:13} {program.name:13} {milliseconds:8.3f} ms {pairs:6} overlaps, deepest {deepest:.5f} A",
                  file=sys.stderr, flush=True)
            if turn:
                seen[program.name].append((milliseconds, pairs, deepest))
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--places", type=Path, help="three numbers a line, in angstroms; otherwise at random")
    parser.add_argument("--edge", type=float, help="of the periodic cube, in angstroms")
    parser.add_argument("--steric", help="the program steric, for a row of its own")
    parser.add_argument("--steps", type=int, default=2000, help="in ten turns, after one turn more as a warm-up")
    parser.add_argument("--spheres", type=int, default=10_000)
    parser.add_argument("--fraction", type=float, default=0.1, help="of the cube, by spheres at random places")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    if options.steps < TURNS:
        sys.exit(f"--steps: expected {TURNS} or more, found {options.steps}")

    places, edge = start_of(options)
    spheres, fraction = len(places), len(places) * 4.0 / 3.0 * math.pi * RADIUS**3 / edge**3
    pairs, deepest = overlaps(places, edge)
    if pairs:
        sys.exit(f"the start has {pairs} overlapping pairs, the deepest by {deepest:.6f} A")
    print(f"{spheres} spheres of {RADIUS:g} A in a cube of {edge:.3f} A ({100 * fraction:.2f} %), rms displacement "
          f"{RMS_STEP:g} A = {RMS_STEP / RADIUS:g} radius along each axis in a step", file=sys.stderr)

    turn = options.steps // TURNS
    with tempfile.TemporaryDirectory() as folder:
        running = list(programs(options, places, edge, Path(folder)))
        seen = in_turns(running, turn, spheres, edge)

    rows = []
    print(f"{'program':14}{'version':10}{'ms/step':>9}{'overlapping pairs':>20}{'at the turns':>15}{'deepest, A':>13}")
    for program in running:
        timed, counts, depths = zip(*seen[program.name])
        median = statistics.median(timed)
        print(f"{program.name:14}{program.version:10}{median:9.3f}{counts[-1]:20}"
              f"{f'{min(counts)} to {max(counts)}':>15}{depths[-1]:13.5f}")
        rows.append([program.name, program.version, spheres, round(fraction, 4), round(RMS_STEP / RADIUS, 4),
                     turn * TURNS, round(median, 3), counts[-1], round(depths[-1], 6)])
    if options.csv:
        options.csv.parent.mkdir(parents=True, exist_ok=True)
        with open(options.csv, "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(rows)
        print(f"wrote {options.csv}")


if __name__ == "__main__":
    sys.exit(main())
