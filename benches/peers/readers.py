"""Reads large structures by steric and by gemmi, side by side.

    readers.py STERIC [--csv FILE] [--repeats N] [FILE...]

Both programs take turns, one file at a time, so that a busy machine slows both; medians are compared. Each file is
read as it is and, if it is gzipped, also unpacked, which leaves the decompression out. Without files it takes the
three of the shared data folder beside the checkout that the goals name: gemmi's speed on PDB, twice that on mmCIF.
"""

import argparse
import csv
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import gemmi

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "structures" / "large"
# How many times gemmi's speed is asked for.
GOALS = {"4v8r_hybrid36.pdb.gz": 1.0, "1m4x.cif.gz": 2.0, "1xnr.cif.gz": 2.0}


def by_gemmi(path):
    start = time.perf_counter()
    structure = gemmi.read_structure(str(path))
    seconds = time.perf_counter() - start
    atoms = sum(model.count_atom_sites() for model in structure)
    return seconds, atoms


def by_steric(steric, path):
    command = [steric, "bench", "read", str(path), "--json"]
    row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    row = row[0] if isinstance(row, list) else row
    return row["seconds"], row["atoms"]


def unpacked(path, folder):
    plain = folder / path.stem
    with gzip.open(path) as packed, open(plain, "wb") as out:
        shutil.copyfileobj(packed, out)
    return plain


def side_by_side(steric, path, repeats):
    """Median and spread in seconds, and the atoms, of each program."""
    runs = {"steric": [], "gemmi": []}
    for _ in range(repeats):
        runs["steric"].append(by_steric(steric, path))
        runs["gemmi"].append(by_gemmi(path))
    return {
        program: (statistics.median(s for s, _ in timed), max(timed)[0] - min(timed)[0], timed[0][1])
        for program, timed in runs.items()
    }


def rows_for(steric, path, plain_bytes, goal, repeats):
    results = side_by_side(steric, path, repeats)
    counts = {program: atoms for program, (_, _, atoms) in results.items()}
    if len(set(counts.values())) > 1:
        sys.exit(f"{path.name}: the atoms differ: {counts}")
    times = results["gemmi"][0] / results["steric"][0]
    verdict = "" if goal is None else f"  {'met' if times >= goal else 'MISSED'}: goal {goal:g}x"
    for program, (median, spread, atoms) in results.items():
        speed = plain_bytes / median / 1e6
        print(f"{path.name:24} {program:7} {median * 1e3:9.1f} ms {speed:8.1f} MB/s {atoms:>9} atoms")
        yield [path.name, plain_bytes, program, atoms, round(median * 1e3, 3), round(spread * 1e3, 3), round(speed, 1),
               round(median / results["steric"][0], 2)]
    print(f"{path.name:24} steric is {times:.2f}x gemmi{verdict}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steric")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    files = options.files or [SHARED / name for name in GOALS]
    missing = [str(path) for path in files if not path.exists()]
    if missing:
        print("skipped: no " + ", ".join(missing))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            goal = GOALS.get(path.name)
            plain = unpacked(path, Path(folder)) if path.suffix == ".gz" else path
            size = os.path.getsize(plain)
            rows += rows_for(options.steric, path, size, goal, options.repeats)
            if plain is not path:
                rows += rows_for(options.steric, plain, size, goal, options.repeats)
    if options.csv:
        options.csv.parent.mkdir(parents=True, exist_ok=True)
        with open(options.csv, "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow("file,plain_bytes,program,atoms,median_ms,spread_ms,mb_per_s,ratio".split(","))
            writer.writerows(rows)
        print(f"wrote {options.csv}")


if __name__ == "__main__":
    sys.exit(main())
