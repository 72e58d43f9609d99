"""Objects of other packages are taken as they are."""

import gzip

import numpy as np
import pytest
import steric


def test_atom_groups_of_mdanalysis(popc):
    MDAnalysis = pytest.importorskip("MDAnalysis")
    universe = MDAnalysis.Universe(str(popc))
    heavy = universe.select_atoms("not name H*")
    expected = steric.check(popc)
    assert steric.check(universe).overlaps == steric.check(universe.atoms).overlaps == expected.overlaps
    found = steric.neighbors(heavy, 4.0)
    from MDAnalysis.lib.distances import self_capped_distance

    pairs, _ = self_capped_distance(heavy.positions, 4.0)
    assert len(found) == len(pairs)
    model = steric.model(heavy)
    assert model.names == list(heavy.names) and model.residue_numbers.tolist() == heavy.resids.tolist()
    universe.dimensions = [60, 60, 60, 90, 90, 90]
    assert len(steric.neighbors(universe, 3.0, box="own")) >= len(steric.neighbors(universe, 3.0))
    assert np.allclose(steric.model(universe).box, np.eye(3) * 60)


def test_atom_arrays_of_biotite(popc):
    structure_io = pytest.importorskip("biotite.structure.io.pdb")
    array = structure_io.PDBFile.read(str(popc)).get_structure(model=1)
    assert steric.check(array).overlaps == steric.check(popc).overlaps
    assert np.array_equal(steric.neighbors(array, 3.0).pairs, steric.neighbors(popc_positions(popc), 3.0).pairs)
    assert steric.model(array).residue_names == list(array.res_name)
    assert len(steric.radii(array)) == len(array)


def test_atoms_of_ase():
    build = pytest.importorskip("ase.build")
    from ase.neighborlist import neighbor_list

    crystal = build.bulk("Cu", cubic=True).repeat((2, 2, 2))
    crystal.rattle(0.05, seed=1)
    # One shell in a box that is narrower than twice the cutoff: every image counts, as in ASE.
    for cutoff in (3.0, 5.5):
        i, j, d, shifts = neighbor_list("ijdS", crystal, cutoff)
        found = steric.neighbors(crystal, cutoff, box="own", full=True, sort=True, distances=True, shifts=True)
        ours = np.hstack([found.pairs, found.shifts])
        theirs = np.column_stack([i, j, shifts])
        order = np.lexsort(theirs.T[::-1])
        assert np.array_equal(ours, theirs[order])
        assert np.allclose(found.distances, d[order])
    slab = build.fcc111("Cu", (2, 2, 2), vacuum=5.0)
    i, j = neighbor_list("ij", slab, 3.0)
    assert len(steric.neighbors(slab, 3.0, box="own", full=True)) == len(i)
    water = build.molecule("H2O")
    assert steric.check(water, molecules="connected").molecules == 1


def test_structures_of_gemmi(popc):
    gemmi = pytest.importorskip("gemmi")
    structure = gemmi.read_structure(str(popc))
    assert steric.check(structure).overlaps == steric.check(popc).overlaps
    assert len(steric.neighbors(structure, 3.0)) == len(steric.neighbors(popc_positions(popc), 3.0))
    assert len(steric.neighbors(structure[0], 3.0)) == len(steric.neighbors(structure, 3.0))
    with pytest.raises(TypeError):
        steric.check(gemmi.UnitCell())


def test_what_we_write_others_read(popc, tmp_path):
    gemmi = pytest.importorskip("gemmi")
    model, _ = steric.relax("bilayer", count=20)
    model.write(tmp_path / "bilayer.cif.gz")
    with gzip.open(tmp_path / "bilayer.cif.gz", "rt") as text:
        document = gemmi.cif.read_string(text.read())
    assert len(gemmi.make_structure_from_block(document[0])) == 1
    assert len(steric.radii(popc)) == len(steric.read(popc))


def popc_positions(path):
    return steric.read(path).positions
