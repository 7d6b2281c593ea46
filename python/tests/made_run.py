# SPDX-License-Identifier: BSD-3-Clause
# Runs that no engine computed, for the tests of pictures.
import json

import numpy as np

from shoal.view import View

STATUSES = ["ok", "converged", "max_steps", "stalled", "not_finite", "out_of_grid", "untyped"]
TERMS = ["bond", "angle", "torsion", "inversion", "vdw", "coulomb", "surface", "restraint"]
NAMES = [
    "<script>alert(1)</script>",
    "water",
    "</script><img src=x onerror=alert(2)>",
    "b & 'c'",
    "ethanol",
]

# Water, methane, and two carbons of a chain that goes on in the next cell.
SHAPES = [
    ([8, 1, 1], [[0, 0, 0.12], [0, 0.76, -0.47], [0, -0.76, -0.47]], [(0, 1), (0, 2)]),
    (
        [6, 1, 1, 1, 1],
        [
            [0, 0, 0],
            [0.63, 0.63, 0.63],
            [0.63, -0.63, -0.63],
            [-0.63, 0.63, -0.63],
            [-0.63, -0.63, 0.63],
        ],
        [(0, 1), (0, 2), (0, 3), (0, 4)],
    ),
    ([6, 6], [[0, 0, 0], [1.27, 0.8, 0]], [(0, 1), (1, 0)]),
]


def _starts(sizes):
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _letters(columns, name, texts):
    raw = [t.encode() for t in texts]
    columns["systems/" + name] = np.frombuffer(b"".join(raw), dtype=np.uint8)
    columns[f"systems/{name}_starts"] = _starts([len(t) for t in raw])


def made_run(n, kind="relax", spread=0.0, surface=""):
    """A view of n systems; kind: relax, md (three trajectories), scan (3 x 4 points), search."""
    rng = np.random.default_rng(n + 7)
    alike = kind in ("md", "scan")
    shape = [SHAPES[1 if alike else i % 3] for i in range(n)]
    status = np.where(np.arange(n) % 9 == 4, 4, np.where(np.arange(n) % 13 == 5, 2, 1)).astype(
        np.int32
    )
    if kind != "relax":
        status[:] = 0
    atoms, bonds = [len(s[0]) for s in shape], [len(s[2]) for s in shape]
    energy = np.sort(rng.normal(1.0, 0.4, n))[::-1].copy()
    energy[status == 4] = np.nan
    position = [np.array(s[1]) + rng.normal(0, 0.02, (len(s[0]), 3)) for s in shape]
    for i, p in enumerate(position):
        p += [0.3 * (i % 20), 0.5 * (i % 7), 3.0]
        p[-1] += spread
    across = [
        [(1, 0, 0) if s is SHAPES[2] and k == 1 else (0, 0, 0) for k in range(m)]
        for s, m in zip(shape, bonds)
    ]
    chain = np.array([s is SHAPES[2] for s in shape], dtype=bool)
    terms = rng.uniform(0, 0.5, (n, len(TERMS)))
    terms[:, 4] -= 0.3
    terms[:, 5] = 0
    columns = {
        "systems/index": np.arange(n),
        "systems/file": np.zeros(n, np.int32),
        "systems/record": np.arange(n),
        "systems/status": status,
        "systems/natoms": np.array(atoms, dtype=np.int32),
        "systems/steps": (20 + np.arange(n) % 50).astype(np.int32),
        "systems/energy": energy,
        "systems/energy0": energy + rng.uniform(0, 1, n),
        "systems/fmax": 10.0 ** rng.uniform(-4, -2, n),
        "systems/terms": terms,
        "systems/cell": np.where(chain[:, None], [2.54, 0, 0, 0, 0, 0, 0, 0, 0], 0.0),
        "systems/pbc": np.where(chain[:, None], [1, 0, 0], [0, 0, 0]).astype(np.uint8),
        "atoms/starts": _starts(atoms),
        "atoms/number": np.concatenate([s[0] for s in shape] or [[]]).astype(np.uint8),
        "atoms/position": np.concatenate(position or [np.zeros((0, 3))]),
        "bonds/starts": _starts(bonds),
        "bonds/atoms": np.concatenate([s[2] for s in shape] or [np.zeros((0, 2))]).astype(np.int32),
        "bonds/order": np.ones(sum(bonds), np.uint8),
        "bonds/shift": np.concatenate([a for a in across] or [np.zeros((0, 3))]).astype(np.int16),
        "data/starts": np.zeros(n + 1, np.int64),
        "data/bytes": np.zeros(0, np.uint8),
    }
    _letters(columns, "name", [NAMES[i % len(NAMES)] for i in range(n)])
    _letters(columns, "reason", ["the vdw energy is not finite" if s == 4 else "" for s in status])
    _letters(
        columns, "warning", ["atoms 0 and 1 are near" if i % 17 == 3 else "" for i in range(n)]
    )
    header = {"program": "shoal 0.1.0", "device": "cpu", "seed": 0, "complete": 1}
    options = {"surface": surface} if surface else {}
    if kind == "md":
        columns["systems/record"] = np.arange(n) // 10
        columns["systems/time"] = (np.arange(n) % 10) * 10.0
        columns["systems/kinetic"] = rng.uniform(0.2, 0.4, n)
        columns["systems/bath"] = np.full(n, 300.0)
    if kind == "scan":
        columns["systems/record"] = np.zeros(n, np.int64)
        columns["systems/variant"] = np.arange(n)
        header["command"] = (
            "shoal 0.1.0 scan\n--coordinate torsion:0,1,2,3=0:180:90\n"
            "--coordinate distance:0,1=1:4:1"
        )
        options = {"coordinate": "distance:0,1=1:4:1"}
    if kind == "search":
        raw = [
            f"search_rank\0{i + 1}\0search_count\0{9 - i}\0search_weight\0{0.5**i}\0".encode()
            for i in range(n)
        ]
        columns["data/bytes"] = np.frombuffer(b"".join(raw), dtype=np.uint8)
        columns["data/starts"] = _starts([len(x) for x in raw])
    header["options"] = json.dumps(
        {"command": kind, "options": options, "files": ["a.sdf"], "version": "0.1.0"}
    )
    return View(columns, STATUSES, TERMS, header)
