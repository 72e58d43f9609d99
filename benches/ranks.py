"""`steric relax` by one process and by ranks of MPI, on one machine: speed, ghosts, messages and memory.

    ranks.py STERIC [--csv FILE] [--count 77000] [--iterations 60] [--ranks 2,3,4,8] [--turns 2]

STERIC is the command, built with `--features mpi`. Rows of `strong` are the same vesicle by one process on one and on two threads and by so many ranks with a thread
each, in turns; `speed` is the best time of one process on two threads over the row's best, for the relaxation without what comes before. Rows of `weak` have a
vesicle that grows with the ranks; `most_work` counts the clusters of molecules that the rank with most of them looked at in an iteration, which is what should stay as it is.
Every row of a vesicle must end with the same state.
"""

import argparse
import csv
import json
import os
import subprocess
import sys

SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
COLUMNS = (
    "what,ranks,threads,molecules,atoms,iterations,seconds,speed,most_owned,most_ghosts,messages_per_iteration,kilobytes_per_iteration,"
    "gatherings,cuts,most_work,mean_work,most_peak_megabytes,state_hash,commit"
).split(",")


def relaxed(steric, count, iterations, ranks, threads):
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    scene = ["relax", "vesicle", "--count", str(count), "--area-per-lipid", "65", "--max-iterations", str(iterations)]
    command = [*launcher, steric, *scene, "--threads", str(threads), "--json", "--quiet"]
    done = subprocess.run(command, env={**os.environ, **SETTINGS}, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def row(what, ranks, threads, report):
    seconds = next(stage["seconds"] for stage in report["stages"] if stage["name"] == "relax")
    shared = report.get("ranks", {})
    iterations = report["iterations"]
    per_iteration = lambda key: round(shared[key] / iterations) if key in shared else ""
    return {
        "what": what,
        "ranks": ranks,
        "threads": threads,
        "molecules": report["molecules"],
        "atoms": report["atoms"],
        "iterations": iterations,
        "seconds": round(seconds, 3),
        "most_owned": shared.get("most_owned", report["molecules"]),
        "most_ghosts": shared.get("most_ghosts", 0),
        "messages_per_iteration": round(shared.get("messages_per_iteration", 0), 2),
        "kilobytes_per_iteration": round(shared.get("bytes_per_iteration", 0) / 1e3, 1),
        "gatherings": shared.get("gatherings", ""),
        "cuts": shared.get("cuts", ""),
        "most_work": per_iteration("most_work"),
        "mean_work": round(shared["work"] / iterations / ranks) if shared else "",
        "most_peak_megabytes": round((shared.get("most_peak_memory_bytes") or report["peak_memory_bytes"] or 0) / 1e6, 1),
        "state_hash": report["state_hash"],
    }


def commit():
    def git(*words):
        return subprocess.run(["git", *words], capture_output=True, text=True, cwd=os.path.dirname(os.path.abspath(__file__))).stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steric")
    parser.add_argument("--csv")
    parser.add_argument("--count", type=int, default=77_000)
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--ranks", default="2,3,4,8")
    parser.add_argument("--turns", type=int, default=2)
    arguments = parser.parse_args()
    ranks = [int(ranks) for ranks in arguments.ranks.split(",")]
    best = {}
    for _ in range(arguments.turns):
        for who in [(1, 2), *[(ranks, 1) for ranks in ranks], (1, 1)]:
            seen = row("strong", *who, relaxed(arguments.steric, arguments.count, arguments.iterations, *who))
            print(seen, flush=True)
            if who not in best or seen["seconds"] < best[who]["seconds"]:
                best[who] = seen
    if len({seen["state_hash"] for seen in best.values()}) > 1:
        sys.exit("other states")
    for seen in best.values():
        seen["speed"] = round(best[1, 2]["seconds"] / seen["seconds"], 3)
    rows = [best[who] for who in sorted(best)]
    for share in ranks:
        count = arguments.count // 4 * share
        rows.append(row("weak", share, 1, relaxed(arguments.steric, count, arguments.iterations, share, 1)))
        print(rows[-1], flush=True)
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows({**seen, "commit": commit()} for seen in rows)


if __name__ == "__main__":
    main()
