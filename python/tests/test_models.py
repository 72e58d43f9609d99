"""Models and worlds do what the command does."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import steric

TWO_IONS = """\
HETATM    1 ZN    ZN A   1       0.000   0.000   0.000  1.00  0.00          ZN
HETATM    2 ZN    ZN A   2       1.500   0.000   0.000  1.00  0.00          ZN
"""


@pytest.fixture
def ions(tmp_path):
    path = tmp_path / "ions.pdb"
    path.write_text(TWO_IONS)
    return path


def test_a_model_has_arrays(popc):
    model = steric.read(popc)
    assert len(model) == len(model.names) == len(model.chains) == len(model.residues)
    assert model.positions.shape == (len(model), 3) and model.positions.dtype == np.float32
    assert set(model.residue_names) == {"POP"} and model.residues.max() == 4
    assert set(model.elements) >= {"C", "N", "O", "P"}
    with pytest.raises(AttributeError):
        model.name = "other"


def test_a_model_can_be_moved_and_written(popc, tmp_path):
    model = steric.read(popc)
    moved = model.with_positions(model.positions + 1.0)
    assert moved.write(tmp_path / "moved.cif") == len(model)
    again = steric.read(tmp_path / "moved.cif")
    assert np.allclose(again.positions, model.positions + 1.0, atol=2e-3)
    assert again.to_bytes("pdb").startswith(b"ATOM") or b"HETATM" in again.to_bytes("pdb")
    with pytest.raises(ValueError, match="positions"):
        model.with_positions(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="number"):
        model.with_positions(np.full((len(model), 3), np.nan))
    with pytest.raises(ValueError, match="ending"):
        model.write(tmp_path / "moved.doc")
    with pytest.raises(OSError):
        model.write(tmp_path / "no such folder" / "moved.pdb")


def test_a_check_counts_and_names(ions):
    report = steric.check(ions)
    assert (report.overlaps, report.molecules, report.is_clean) == (1, 2, False)
    assert report.atoms_of_pairs.tolist() == [[0, 1]] and report.molecules_of_pairs.tolist() == [[0, 1]]
    assert report.depths.tolist() == [0.5] and report.worst[0].depth == 0.5
    assert json.loads(str(report))["overlaps"] == report.to_dict()["overlaps"] == 1
    assert steric.check(ions, tolerance=1.0).is_clean
    assert steric.check(ions, radii="bondi", allow=5.0).is_clean
    for wrong in ({"tolerance": -1.0}, {"clash": "none"}, {"radii": "none"}, {"allow": 1.0}, {"molecules": "none"}, {"periodic": "often"}):
        with pytest.raises(ValueError):
            steric.check(ions, **wrong)
    with pytest.raises(ValueError):
        steric.check()


def test_a_check_is_that_of_the_arrays(popc):
    model = steric.read(popc)
    found = steric.overlaps(model.positions, 1.0, model.residues)
    assert len(found) == steric.check(model).overlaps


def test_two_files_are_checked_against_each_other(ions, popc):
    assert steric.check(ions, popc).files == [str(ions), str(popc)]
    # Each ion lies on itself and 1.5 Å from the other's copy.
    assert steric.check(ions, ions).overlaps == 4
    assert len(pytest.importorskip("pandas") and steric.check(ions, ions).to_pandas()) == 4


def test_a_model_is_relaxed_with_the_least_motion(ions):
    model, report = steric.relax(ions, tolerance=2.0)
    assert report.is_clean and np.linalg.norm(np.diff(model.positions, axis=0)) >= 2.0


def test_a_relaxation_can_be_stepped_stopped_changed_and_saved(tmp_path):
    how = {"count": 300, "area_per_lipid": 75, "seed": 4}
    run = steric.relaxation("vesicle", **how)
    assert [iteration.iteration for iteration in run.steps(4)] == [1, 2, 3, 4]
    run.save(tmp_path / "run.chk")
    poses = run.poses
    assert run.run(callback=lambda _, iteration: iteration.iteration < 8) and run.iteration == 8
    again = steric.relaxation("vesicle", **how)
    again.resume(tmp_path / "run.chk")
    assert np.array_equal(again.poses, poses)
    assert again.run().is_clean and again.ended_by == "rest" and again.at_rest
    assert len(again.positions) == len(again.molecules) == again._engine.atoms
    assert len(again.overlaps()[0]) == 0
    poses = again.poses
    poses[0, :3] = poses[1, :3]
    again.poses = poses
    assert len(again.overlaps()[0]) > 0
    again.fix([1])
    again.run()
    assert np.array_equal(again.poses[1], poses[1])
    for wrong in (np.zeros((3, 7)), np.full((300, 7), np.nan), np.zeros((300, 7))):
        with pytest.raises(ValueError):
            again.poses = wrong
    with pytest.raises(ValueError):
        again.fix([300])


def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads():
    poses = []
    for threads in (1, 3):
        run = steric.relaxation("bilayer", count=60, seed=2, threads=threads)
        run.run()
        poses.append(run.poses)
    assert np.array_equal(*poses)


def test_errors_of_callbacks_come_through():
    def callback(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        steric.relaxation("bilayer", count=40).run(callback=callback)


@pytest.mark.parametrize(
    "call",
    [
        lambda: steric.relaxation("no such scene"),
        lambda: steric.relaxation("vesicle", count=-1),
        lambda: steric.relaxation("vesicle", options={"no.such": 1}),
        lambda: steric.relaxation("vesicle", response="magic"),
        lambda: steric.relaxation("vesicle", backend="abacus"),
        lambda: steric.build("no such scene"),
        lambda: steric.diffuse("no such scene"),
        lambda: steric.diffuse("cytoplasm", response="magic"),
        lambda: steric.deform("no such scene"),
        lambda: steric.animate("no such scene"),
        lambda: steric.dock("no such scene"),
        lambda: steric.dock("dhfr", tolerance=99.0),
        lambda: steric.dock("dhfr").ligand(7),
        lambda: steric.dock("dhfr").go([1.0]),
        lambda: steric.dock("dhfr").go([np.nan, 0, 0]),
        lambda: steric.animate("adenylate-kinase").positions(-1.0),
        lambda: steric.animate("adenylate-kinase").positions(0.0, clip=9),
        lambda: steric.animate("adenylate-kinase").positions(0.0, level="quark"),
    ],
)
def test_what_makes_no_sense_is_a_value_error(call):
    with pytest.raises(ValueError):
        call()


def test_a_packmol_input_is_packed(tmp_path):
    (tmp_path / "ion.pdb").write_text(TWO_IONS.splitlines()[0] + "\n")
    (tmp_path / "box.inp").write_text(
        "tolerance 2.0\nfiletype pdb\noutput box.pdb\nstructure ion.pdb\n  number 40\n  inside box 0. 0. 0. 15. 15. 15.\nend structure\n"
    )
    model, report = steric.pack(tmp_path / "box.inp", seed=1)
    assert report.is_solved and len(model) == 40
    assert len(steric.neighbors(model, 1.99)) == 0


def test_particles_diffuse(tmp_path):
    run = steric.diffuse("cytoplasm", seed=3)
    before = run.unwrapped
    assert list(run.run(6, every=3)) == [3, 6]
    run.advance(4)
    assert run.step_number == 10 and run.deepest_overlap is None and not np.array_equal(run.unwrapped, before)
    contacts = run.contacts(5)
    assert set(contacts["step"]) <= set(range(11, 16)) and contacts.dtype.names[-1] == "what"
    assert len(run.kinds) == len(run.numbers) == len(run.clusters) == len(run) and run.kinds.max() < len(run.species)
    assert len(run.mean_square_displacements) == len(run.species) and run.report().steps == 15
    run.save(tmp_path / "run.chk")
    again = steric.diffuse("cytoplasm", seed=3)
    again.resume(tmp_path / "run.chk")
    assert np.array_equal(again.positions, run.positions)
    run.record(tmp_path / "run.simularium", 4, every=2)
    assert json.loads((tmp_path / "run.simularium").read_text())["spatialData"]["bundleSize"] == 3
    assert len(run.model()) > 0
    with pytest.raises(AttributeError):
        run.nonsense


def test_bodies_deform(tmp_path):
    run = steric.deform("stack")
    assert list(run.run(3)) == [1, 2, 3]
    assert run.tetrahedra.max() < len(run.positions) == len(run.velocities) == len(run.bodies)
    assert run.surface.shape[1] == 3 and len(run.names) == run.bodies.max() + 1
    assert run.report().steps == 3 and len(run.advance(2)) == 2
    run.record(tmp_path / "stack.glb", 2, every=1)
    assert (tmp_path / "stack.glb").stat().st_size > 1000


def test_molecules_animate(tmp_path):
    run = steric.animate("adenylate-kinase")
    end = run.duration()
    assert not np.array_equal(run.positions(0.0), run.positions(end / 4))
    assert len(run.model(end / 2)) == len(run)
    assert run.write(tmp_path / "run.xtc", 3)
    run.save(tmp_path / "run.steric")
    assert np.allclose(steric.animate(tmp_path / "run.steric").positions(0.1), run.positions(0.1), atol=1e-3)


def test_a_ligand_slides_and_never_goes_through():
    docking = steric.dock("dhfr")
    docking.take(0)
    there = docking.pose + np.array([0, 0, 30.0, 0, 0, 0, 0])
    contacts = docking.go(there)
    assert contacts > 0 or np.allclose(docking.pose, there)
    assert docking.here().clashes == 0 and docking.positions.shape[1] == 3
    model, report = docking.minimize(0, steps=20)
    assert len(model) == len(docking.ligand(0)) and "energy" in report
    assert len(pytest.importorskip("pandas") and docking.to_pandas()) == len(docking) == 1


def test_a_picture_is_shown(popc):
    try:
        picture = steric.render(popc, size=(80, 60), background="none", sticks=True, clip="front:20")
    except RuntimeError as error:
        pytest.skip(str(error))
    assert picture._repr_png_().startswith(b"\x89PNG") and picture.pixels.shape == (60, 80, 4)
    assert 0 < np.count_nonzero(picture.pixels[..., 3]) < 80 * 60
    for wrong in ({"size": (0, 1)}, {"background": "red"}, {"color": "taste"}, {"camera": "within"}, {"clip": "front:x"}, {"zoom": 0.0}):
        with pytest.raises(ValueError):
            steric.render(popc, **wrong)


def test_bars_of_progress_are_quiet_where_nobody_looks(capfd):
    steric.relax("bilayer", count=30)
    steric.diffuse("cytoplasm").advance(2, progress=False)
    assert capfd.readouterr().out == ""
    steric.relaxation("bilayer", count=40).run(progress=True, callback=lambda *_: None)
    assert "iterations" in capfd.readouterr().err


def test_a_check_is_that_of_the_command(popc):
    command = os.environ.get("STERIC_COMMAND")
    if not command:
        pytest.skip("STERIC_COMMAND names no command")
    told = subprocess.run([command, "check", "--json", str(popc)], capture_output=True, text=True)
    ours = steric.check(popc).to_dict()
    assert {**json.loads(told.stdout), "seconds": 0, "threads": 0} == {**ours, "seconds": 0, "threads": 0}


def test_a_large_entry_is_checked(shared):
    path: Path = shared("structures/4hhb.cif.gz")
    report = steric.check(path)
    assert (report.overlaps, report.atoms, report.molecules) == (1, 4779, 231)


RECIPE = Path(__file__).parents[2] / "crates/steric-world/tests/recipes/spheres.json"


def test_a_recipe_of_cellpack_is_packed(tmp_path):
    model, report = steric.pack(RECIPE, seed=3)
    assert report.is_solved and report.overlaps == 0 and report.placed == report.asked > 0
    assert sum(model.assemblies.values()) == report.placed
    assert steric.build(RECIPE, seed=3).assemblies == model.assemblies
    crowded, report = steric.pack(RECIPE, seed=3, box=[60, 60, 60], max_seconds=5)
    assert not report.is_solved and report.placed < report.asked
    assert any(one["placed"] < one["asked"] for one in report.ingredients)
    with pytest.raises(ValueError, match="box: expected three edges"):
        steric.pack(RECIPE, box=[1.0, 2.0])
    with pytest.raises(ValueError, match="expected a compartment"):
        steric.pack(RECIPE, surfaces={"nowhere": 100.0})
    (tmp_path / "broken.json").write_text('{"cytoplasme": [1, 2')
    with pytest.raises(steric.FormatError) as told:
        steric.pack(tmp_path / "broken.json")
    assert told.value.line == 1


def test_fibres_are_grown():
    plasmid = steric.build("fibre", units=700, closed=True, radius=260, seed=2)
    assert plasmid.assemblies == {"1": 700}
    with pytest.raises(ValueError, match="units: expected how many"):
        steric.build("fibre")
    with pytest.raises(ValueError, match="expected dna"):
        steric.build("fibre", units=10, kind="wool")
