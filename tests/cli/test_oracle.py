# SPDX-License-Identifier: BSD-3-Clause
# Energies, forces and types of some hundred molecules against RDKit, where the comparison set is at hand.
"""The comparison set is oracle_train.jsonl and oracle_train.sdf: one record per molecule with RDKit's energy
(kcal/mol), gradient and types. It is looked for in SHOAL_ORACLE_DIR, then beside the repository."""

import json
import os
import pathlib
import tempfile

from program import TOP, check, energies, finish, run_json, skip, write

KCAL = 0.0433641042418  # eV
# RDKit's numbers are not to be trusted there, or not RDKit's own.
LEFT_OUT = {"hyb_override", "rdkit_untyped", "rdkit_pathological"}


def find_set():
    places = [os.environ.get("SHOAL_ORACLE_DIR"), TOP.parent / "shared" / "data" / "uff"]
    for place in places:
        if place and (pathlib.Path(place) / "oracle_train.jsonl").is_file():
            return pathlib.Path(place)
    skip("no comparison set; SHOAL_ORACLE_DIR may name its folder")


def agrees(record, result):
    """Energy to 1e-6, forces to 1e-6 of the largest (1e-5 where RDKit's come from differences)."""
    if result["status"] != "ok":
        return False
    energy = record["rdkit"]["energy"] * KCAL
    if abs(result["energy"] - energy) > 1e-6 * max(abs(energy), KCAL):
        return False
    differences = record["rdkit"].get("gradient_fd")
    gradient = differences or record["rdkit"]["gradient"]
    largest = max(max(abs(x) for x in g) for g in gradient) * KCAL
    tolerance = (1e-5 if differences else 1e-6) * max(largest, KCAL)
    pairs = zip(result["forces"], gradient)
    return all(abs(f + g * KCAL) <= tolerance for fs, gs in pairs for f, g in zip(fs, gs))


def compare(records, path, need, title):
    rows = energies("--forces", path, code=None)
    types = run_json("types", "--json", path, code=None)
    check(len(rows) == len(records) == len(types), f"{title}: one result per record")
    compared = [x for x in zip(records, rows, types) if not LEFT_OUT & set(x[0]["flags"])]
    good = [r["name"] for r, row, _ in compared if agrees(r, row)]
    same = [r["name"] for r, _, t in compared if t["types"] == r["rdkit_types"]]
    bad = [r["name"] for r, _, _ in compared if r["name"] not in good]
    print(f"{title}: {len(good)} of {len(compared)} agree, types of {len(same)}; not: {' '.join(bad[:20])}")
    check(len(compared) > 0 and len(good) >= need * len(compared), f"{title}: energies and forces")
    check(len(same) >= need * len(compared), f"{title}: types")


def xyz_text(records):
    frames = []
    for r in records:
        frames.append(f"{r['natoms']}\n{r['name']}\n")
        for element, (x, y, z) in zip(r["elements"], r["coords"]):
            frames.append(f"{element} {x:.4f} {y:.4f} {z:.4f}\n")
    return "".join(frames)


def main():
    place = find_set()
    with (place / "oracle_train.jsonl").open() as lines:
        records = [json.loads(line) for line in lines]
    compare(records, place / "oracle_train.sdf", 0.99, "with bonds and orders")
    neutral = [r for r in records if not any(r["formal_charges"])]
    with tempfile.TemporaryDirectory() as directory:
        path = write(directory, "coordinates.xyz", xyz_text(neutral))
        compare(neutral, path, 0.90, "from coordinates alone")
    finish()


if __name__ == "__main__":
    main()
