"""Every example runs, and so does every example of the documentation."""

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SAID = {
    "audit_pdb_entry": "MolProbity",
    "relax_membrane": "clean: True",
    "contacts_over_a_trajectory": "pairs of residues that touch",
    "vesicle_with_a_picture": "atoms written: 26000",
    "docking_poses": "without a clash",
}


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_the_example_runs(name, tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")], capture_output=True, text=True, cwd=tmp_path, timeout=300
    )
    assert done.returncode == 0 and SAID[name] in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("module", ["", "._worlds", "._reports", "._progress", "._convert"])
def test_the_examples_of_the_documentation_run(module):
    found = doctest.testmod(importlib.import_module(f"steric{module}"), raise_on_error=False)
    assert found.failed == 0


def test_the_reference_in_the_guide_is_up_to_date():
    script = EXAMPLES.parent / "reference.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
