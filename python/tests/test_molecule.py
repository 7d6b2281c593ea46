# SPDX-License-Identifier: BSD-3-Clause
# Molecules: contents, files, chemistry, pickling.
import copy
import pickle

import numpy as np
import pytest
from conftest import CASES, TOP

import shoal

OHH = [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]]


def same(a, b):
    """Whether two molecules say the same."""
    for name in ("numbers", "positions", "formal_charges", "radicals", "isotopes", "cell", "pbc"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    fields = ["i", "j", "shift", "order"]
    assert np.array_equal(a.bonds[fields], b.bonds[fields])
    assert (a.charges is None) == (b.charges is None)
    assert a.charges is None or np.array_equal(a.charges, b.charges)
    assert a.name == b.name and a.properties == b.properties
    return True


def test_contents():
    mol = shoal.Molecule(
        ["O", "H", "H"], OHH, [(0, 1, 1), (0, 2, 1)], charges=[-0.8, 0.4, 0.4], name="water"
    )
    assert len(mol) == 3 and mol.symbols == ["O", "H", "H"] and mol.formula == "H2O"
    assert np.array_equal(mol.positions, OHH)
    assert mol.bonds["j"].tolist() == [1, 2] and mol.bonds["order"].tolist() == [1, 1]
    assert mol.charges.tolist() == [-0.8, 0.4, 0.4]
    assert mol.name == "water" and not mol.pbc.any()
    assert mol.types == ["O_3", "H_", "H_"]
    assert "H2O" in repr(mol) and "H2O" in mol._repr_html_()


def test_numbers_symbols_and_text_are_the_same():
    texts = ("OHH", ["O", "H", "H"], [8, 1, 1], np.array([8, 1, 1], np.int64), (8.0, 1.0, 1.0))
    assert all(shoal.Molecule(t, OHH).numbers.tolist() == [8, 1, 1] for t in texts)


def test_positions_are_assigned_as_a_whole():
    mol = shoal.Molecule("OHH", OHH)
    with pytest.raises(ValueError, match="read-only"):
        mol.positions[0, 0] = 1.0
    mol.positions = np.array(OHH) + 1
    assert mol.positions[0].tolist() == [1, 1, 1]


def test_radicals_can_be_taken_back():
    mol = shoal.Molecule("OHH", OHH)
    for radicals in ([1, 0, 0], [0, 1, 0], [0, 0, 0]):
        mol.radicals = radicals
        assert mol.radicals.tolist() == radicals


def test_cell_and_pbc():
    mol = shoal.Molecule("C", [[0, 0, 0]], cell=[3, 4, 5], pbc=[True, True, False])
    assert np.array_equal(mol.cell, np.diag([3.0, 4, 5])) and mol.pbc.tolist() == [
        True,
        True,
        False,
    ]
    assert shoal.Molecule("C", [[0, 0, 0]], cell=np.diag([3.0, 4, 5])).pbc.all()


def test_bonds_across_the_cell():
    mol = shoal.Molecule("C", [[0, 0, 0]], [(0, 0, 1, (1, 0, 0))], cell=[1.5, 20, 20])
    assert mol.bonds["shift"].tolist() == [[1, 0, 0]]


def test_read_all_kinds_of_files():
    assert [m.name for m in shoal.read(CASES / "cases" / "glycine.sdf")]
    assert len(shoal.read(CASES / "cases" / "formamide.mol2")) == 1
    assert shoal.read(TOP / "examples" / "graphene.xyz")[0].pbc.any()
    reader = shoal.iread(TOP / "examples" / "demo.sdf")
    assert isinstance(next(reader), shoal.Molecule)


def test_write_and_read_back(tmp_path, golden):
    for name in ("a.sdf", "a.xyz", "a.sdf.gz"):
        shoal.write(tmp_path / name, golden.values())
        back = shoal.read(tmp_path / name)
        assert [m.name for m in back] == [m.name for m in golden.values()]
        assert np.allclose(back[0].positions, next(iter(golden.values())).positions, atol=1e-4)


def test_a_record_that_cannot_be_read(tmp_path, golden):
    path = tmp_path / "a.xyz"
    golden["water"].write(path)
    text = path.read_text()
    path.write_text(text + text.replace("O ", "Xx ", 1) + text)
    with pytest.raises(shoal.FormatError, match="Xx"):
        shoal.read(path)
    with pytest.warns(UserWarning, match="Xx"):
        assert len(shoal.read(path, strict=False)) == 2


def test_chemistry():
    ethene = shoal.Molecule("CC", [[0, 0, 0], [1.33, 0, 0]], [(0, 1, 2)])
    assert ethene.add_hydrogens() == 4 and ethene.formula == "C2H4"
    water = shoal.Molecule("OHH", OHH)
    assert len(water.perceive().bonds) == 2
    water.equilibrate()
    assert abs(water.charges.sum()) < 1e-9 and water.charges[0] < 0
    with pytest.raises(shoal.FormatError):
        shoal.Molecule("OHH", OHH).perceive(total_charge=7)


def test_copy_and_pickle(golden):
    mol = golden["formamide"].copy()
    mol.set_property("note", "one\ntwo")
    mol.isotopes = [13] + [0] * (len(mol) - 1)
    mol.set_type(0, "C_2")
    for other in (mol.copy(), copy.deepcopy(mol), pickle.loads(pickle.dumps(mol))):
        assert same(mol, other)
    mol.name = "other"
    assert mol.copy().name == "other"
    cell = shoal.read(TOP / "examples" / "graphene.xyz")[0]
    assert same(cell, pickle.loads(pickle.dumps(cell)))
    assert pickle.loads(pickle.dumps(mol)).topology().types == mol.topology().types


@pytest.mark.parametrize(
    "mol",
    [
        shoal.Molecule("OH", [[0, 0, 0], [0.6, 0.6, 0.6]], [(0, 1)]),
        shoal.Molecule("OH", [[0, 0, 0], [0.6, 0.6, 0.6]], []),
        shoal.Molecule("OH", [[0, 0, 0], [0.6, 0.6, 0.6]], [(0, 1, 1)], formal_charges=[-1, 0]),
        shoal.Molecule("OH", [[0, 0, 0], [0.6, 0.6, 0.6]]),
    ],
    ids=["orders not known", "no bonds", "all is known", "nothing is known"],
)
def test_what_was_pickled_is_typed_as_before(mol):
    one, other = (
        shoal.Batch(m, device="cpu").energy() for m in (mol, pickle.loads(pickle.dumps(mol)))
    )
    assert one.reason == other.reason and one.status[0] == other.status[0] == "ok"
    assert one.energy[0] == other.energy[0] and one[0].types == other[0].types


def test_formal_charges_are_obeyed():
    ammonium = shoal.Molecule(
        "NHHHH",
        [[0, 0, 0], [0.6, 0.6, 0.6], [-0.6, -0.6, 0.6], [-0.6, 0.6, -0.6], [0.6, -0.6, -0.6]],
        [(0, i, 1) for i in range(1, 5)],
        formal_charges=[1, 0, 0, 0, 0],
    )
    assert ammonium.perceive().formal_charges.tolist() == [1, 0, 0, 0, 0]


def test_formulas_are_those_of_hill():
    """Carbon and hydrogen first; without carbon by the alphabet."""
    known = {"HBr": "BrH", "OHH": "H2O", "BrCHHF": "CH2BrF", "NaCl": "ClNa"}
    for symbols, formula in known.items():
        n = sum(letter.isupper() for letter in symbols)
        assert shoal.Molecule(symbols, np.eye(n, 3) * 5).formula == formula


def test_of_data_fields_that_are_repeated_the_first_counts(tmp_path):
    file = tmp_path / "twice.sdf"
    lines = ["", "", "", "  1  0  0  0  0  0  0  0  0  0999 V2000"]
    lines += ["    0.0000    0.0000    0.0000 Ne  0  0", "M  END"]
    lines += ["> <a>", "1", "", "> <b>", "2", "", "> <a>", "3", "", "$$$$", ""]
    file.write_text("\n".join(lines))
    assert shoal.read(file)[0].properties == {"a": "1", "b": "2"}
