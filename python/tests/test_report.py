# SPDX-License-Identifier: BSD-3-Clause
# What a report holds: packed data, what was left out, escaped texts; the command line.
import base64
import json
import pickle
import re

import numpy as np
import pytest
from made_run import STATUSES, made_run

import shoal
from shoal import ArgumentError, report


def data_of(page):
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(
        1
    )
    assert "<" not in text and ">" not in text and "&" not in text
    return json.loads(text)


def unpacked(text, kind):
    return np.frombuffer(base64.b64decode(text), dtype="<" + kind)


def page_of(run, **options):
    given = {"title": None, "surface": None, "max_structures": 1000, "max_rows": 1000, **options}
    return report.render(run, **given)


def position_of(data, page, row):
    """Positions of a row as the page decodes them."""
    s = data["structures"]
    k = int(unpacked(s["row"], "i4")[row])
    sizes = unpacked(s["skeletons"]["n_atoms"], "i4")[unpacked(s["skeleton"], "i4")]
    first = k - k % s["chunk"]
    text = re.search(rf'id="chunk{first // s["chunk"]}">([^<]*)<', page).group(1)
    at = int(sizes[first:k].sum())
    whole = unpacked(text, "i2").reshape(-1, 3)[at : at + sizes[k]]
    return unpacked(s["origin"], "f4").reshape(-1, 3)[k] + whole * unpacked(s["step"], "f4")[k]


def test_numbers_come_back():
    run = made_run(40)
    page = page_of(run)
    data = data_of(page)
    columns = {c["key"]: unpacked(c["data"], c["kind"]) for c in data["columns"]}
    assert np.array_equal(columns["energy"], run.columns["systems/energy"], equal_nan=True)
    assert np.array_equal(columns["natoms"], run.columns["systems/natoms"])
    drop = run.columns["systems/energy0"] - run.columns["systems/energy"]
    assert np.array_equal(columns["drop"], drop, equal_nan=True)
    assert [data["statuses"][k] for k in unpacked(data["status"], "u1")] == [
        STATUSES[k] for k in run.columns["systems/status"]
    ]
    reasons = [data["texts"][k] for k in unpacked(data["reason"], "i4")]
    assert reasons == run.texts("reason")
    terms = unpacked(data["terms"]["data"], "f4").reshape(40, -1)
    used = [run.term_names.index(name) for name in data["terms"]["names"]]
    assert np.allclose(terms, run.columns["systems/terms"][:, used], rtol=1e-6, equal_nan=True)
    assert "coulomb" not in data["terms"]["names"]  # zero everywhere


def test_positions_come_back():
    run = made_run(600)
    page = page_of(run)
    data = data_of(page)
    for row in (0, 1, 255, 256, 257, 599):
        if run.columns["systems/natoms"][row] == 0:
            continue
        want = run.columns["atoms/position"][run.span(row)]
        assert np.abs(position_of(data, page, row) - want).max() < 6e-4
    sizes = unpacked(data["structures"]["skeletons"]["n_atoms"], "i4")
    assert len(sizes) < 10  # molecules alike share elements and bonds


def test_large_structures_get_a_coarser_step():
    run = made_run(3, spread=200.0)
    page = page_of(run)
    want = run.columns["atoms/position"][run.span(0)]
    assert np.abs(position_of(data_of(page), page, 0) - want).max() < 0.02


def test_what_is_left_out_is_said_and_failed_ones_stay():
    run = made_run(500)
    failed = np.flatnonzero(~run.fine())
    data = data_of(page_of(run, max_rows=100, max_structures=60))
    rows = unpacked(data["index"], "f8").astype(int)
    assert data["n"] == len(rows) == 100 and data["total"] == 500
    assert set(failed) <= set(rows)
    assert "100 of 500 systems" in data["notes"][0] and "60 of " in data["notes"][1]
    assert (unpacked(data["structures"]["row"], "i4") >= 0).sum() == 60
    assert data_of(page_of(run))["notes"] == []


def test_nothing_of_the_user_is_markup():
    run = made_run(5)
    page = page_of(run, title='</title><script>alert("t")</script>')
    assert "alert(1)" in json.dumps(data_of(page)["names"])
    assert "<script>alert" not in page and "onerror=alert(2)>" not in page
    assert page.count("<script") == 4  # data, one chunk, viewer, program
    assert "</title>&lt;" not in page and "<title>&lt;/title&gt;" in page


def test_scripts_cannot_end_early():
    text = report._script('a = "</script>"; b = "</SCRIPT x"; c = "<!--"; d = 1 < 2;')
    assert "</" not in text and "<!--" not in text and "1 < 2" in text


def test_the_page_names_no_address_it_would_load():
    page = page_of(made_run(3))
    assert not re.search(r'(?:src|href)\s*=\s*["\']?(?:https?:)?//', page)
    assert "default-src 'none'" in page


def test_an_empty_run():
    assert data_of(page_of(made_run(0)))["n"] == 0


def test_trajectories_scans_and_searches():
    data = data_of(page_of(made_run(30, kind="md")))
    assert data["groups"] == {"kind": "trajectory", "starts": [0, 10, 20]}
    data = data_of(page_of(made_run(12, kind="scan")))
    assert [c["values"] for c in data["scan"]["coordinates"]] == [[0, 90, 180], [1, 2, 3, 4]]
    assert unpacked(data["scan"]["coordinates"][1]["at"], "f4").tolist() == [1, 2, 3, 4] * 3
    keys = [c["key"] for c in data_of(page_of(made_run(4, kind="search")))["columns"]]
    assert keys[1:4] == ["search_rank", "search_count", "search_weight"]


def test_frames_of_relaxations_become_traces():
    run = made_run(3)
    run.frames = made_run(30, kind="md")
    run.frames.columns["systems/index"] = np.repeat([0, 1, 2], 10)
    traces = data_of(page_of(run))["traces"]
    assert unpacked(traces["starts"], "i4").tolist() == [0, 10, 20, 30]
    assert len(unpacked(traces["energy"], "f8")) == 30


def test_a_substrate_that_is_missing_is_said():
    run = made_run(3, surface="nowhere.xyz")
    data = data_of(page_of(run))
    assert data["surface"] is None and "nowhere.xyz" in data["notes"][0]
    assert data_of(page_of(run, surface=False))["notes"] == []


def test_the_substrate_of_a_run_in_memory(tmp_path):
    """It goes with the results, with parts of them and with their pickles."""
    nacl = shoal.Surface.rocksalt("NaCl", size=(2, 2))
    water = shoal.Molecule("OHH", [[0, 0, 3], [0.96, 0, 3], [-0.24, 0.93, 3]])
    found = shoal.Batch([water, water], surface=nacl, device="cpu").energy()
    for k, results in enumerate((found, found[:1], pickle.loads(pickle.dumps(found)))):
        page = report.write(results, tmp_path / f"{k}.html").read_text()
        assert len(unpacked(data_of(page)["surface"]["numbers"], "u1")) == len(nacl.numbers)


def test_a_substrate_needs_a_cell():
    class Slab:
        numbers, positions, cell = np.array([6]), np.zeros((1, 3)), np.zeros((3, 3))

    with pytest.raises(ArgumentError, match="cell"):
        page_of(made_run(3), surface=Slab())


def test_what_is_too_large_is_said(monkeypatch):
    monkeypatch.setattr(report, "MAX_DRAWN", 3)
    assert "20 of 30 structures" in data_of(page_of(made_run(30)))["notes"][0]


def test_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(report, "view", lambda source: made_run(5))
    out = tmp_path / "run.html"
    assert report.main([str(tmp_path / "run.h5"), "--title", "T"]) == 0
    assert (
        out.read_text().startswith("<!doctype html>")
        and "run.html written" in capsys.readouterr().err
    )
    assert report.main([str(tmp_path / "run.h5"), "-q", "-o", str(tmp_path / "no" / "x.html")]) == 4
    assert "no/x.html" in capsys.readouterr().err
    assert report.main(["--max-structures", "-1", "run.h5"]) == 2
    assert "0 or more" in capsys.readouterr().err
    assert report.main(["--help"]) == 0 and "--max-structures" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == [out]


def test_files_that_are_none(tmp_path, capsys):
    assert report.main([str(tmp_path / "none.h5")]) == 4
    assert "no such file" in capsys.readouterr().err
    (tmp_path / "x.h5").write_text("text")
    assert report.main([str(tmp_path / "x.h5")]) == 4
    assert "x.h5" in capsys.readouterr().err


def test_the_page_does_not_take_the_place_of_the_results(tmp_path, capsys):
    shoal.Batch(shoal.Molecule(["Ar"], [[0, 0, 0]])).energy().save(tmp_path / "run.h5")
    before = (tmp_path / "run.h5").read_bytes()
    path = str(tmp_path / "run.h5")
    assert report.main([path, "-o", path]) == report.EXIT_FILES
    assert "another name" in capsys.readouterr().err
    assert (tmp_path / "run.h5").read_bytes() == before


def test_texts_that_are_no_utf8_and_cells_that_are_no_numbers(tmp_path):
    run = made_run(3)
    run.columns["systems/pbc"] = np.ones((3, 3), np.uint8)
    run.columns["systems/cell"] = np.full((3, 9), np.nan)
    out = report.write(run, tmp_path / "page.html", title="caf\udce9")
    assert "caf?" in out.read_text(encoding="utf-8")
    assert not (tmp_path / "page.html.part").exists()


def test_no_rows_are_no_table(capsys):
    assert report.main(["--max-rows", "0", "run.h5"]) == report.EXIT_USAGE
    assert "1 or more" in capsys.readouterr().err
