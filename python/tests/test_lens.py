# SPDX-License-Identifier: BSD-3-Clause
# Two devices side by side, fields of plans, and kernels that somebody edits.
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import TOP

import shoal


def test_systems_and_terms(butane, golden):
    mols = [butane, golden["formic_acid"]]
    for row in shoal.check(mols, device="cpu", precision="double"):
        assert not row.differs and row.verdict < 1e-9 and row.tolerance == 1e-9
        assert row.energy == pytest.approx(row.reference, rel=1e-11)
    rows = shoal.check(mols, device="cpu", each_term=True)
    assert not any(row.differs for row in rows) and any(row.force_error > 0 for row in rows)
    engine = shoal.Engine.of(mols, device="ref").energy()
    for row in rows:
        own = engine.result(row.system).terms.get(row.term, 0)
        assert row.reference == pytest.approx(own, abs=1e-12)
    assert all(row.differs for row in shoal.check(mols, device="cpu", tolerance=0))


def test_one_interaction(butane):
    r = np.linalg.norm(butane.positions[0] - butane.positions[1])
    bond = butane.topology().terms("bond")[0]
    for atoms in ((0, 1), (1, 0)):
        row = shoal.lens.interaction(butane, "bond", atoms, device="cpu", precision="double")
        assert not row.differs and row.term == "bond"
        assert row.energy == pytest.approx(0.5 * bond["k"] * (r - bond["r0"]) ** 2, rel=1e-10)
    assert shoal.lens.interaction(butane, "vdw", (0, 13), device="cpu").reference < 0
    with pytest.raises(shoal.ArgumentError, match="no bond"):
        shoal.lens.interaction(butane, "bond", (0, 3), device="cpu")


def test_fields(butane):
    engine = shoal.Engine.of(butane, device="cpu", precision="double")
    forces = np.array(engine.energy().forces[0])
    assert np.array_equal(engine.field("positions"), butane.positions)
    assert np.allclose(engine.field("forces"), forces, atol=1e-12)
    with pytest.raises(shoal.UnsupportedError, match="keeps no"):
        engine.field("neighbours")
    with pytest.raises(shoal.ArgumentError, match="slot"):
        engine.field("slot")


SCRIPT = """
import json, sys, shoal
rows = shoal.check(shoal.read(sys.argv[1])[0], device="opencl:cpu", each_term=True)
print(json.dumps({row.term: row.differs for row in rows}))
"""


def test_an_edited_kernel_is_seen(tmp_path):
    """The example of docs/live.md: a bond that is half as strong."""
    if not any(d.device.startswith("opencl") for d in shoal.devices()):
        pytest.skip("no OpenCL device")
    kernels = tmp_path / "kernels"
    shutil.copytree(TOP / "kernels", kernels)
    path = kernels / "uff_terms.h"
    text = path.read_text()
    assert text.count("return R(0.5) * p.k * s * s;") == 1
    path.write_text(text.replace("return R(0.5) * p.k * s * s;", "return R(0.25) * p.k * s * s;"))
    found = []
    for folder in (None, kernels):
        environment = {**os.environ, "SHOAL_CACHE": "0"}
        if folder:
            environment["SHOAL_KERNEL_DIR"] = str(folder)
        command = [sys.executable, "-c", SCRIPT, str(TOP / "examples" / "butane.sdf")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    assert not any(found[0].values())
    assert [term for term, differs in found[1].items() if differs] == ["bond"]
