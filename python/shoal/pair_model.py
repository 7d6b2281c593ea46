# SPDX-License-Identifier: BSD-3-Clause
# Pair models: how atoms that are not bonded interact.
"""Pair models: non-covalent interactions by type, read from a file or written in Python."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

from ._handle import (
    Handle,
    brief,
    choice,
    flag,
    listed,
    number,
    pairs_of,
    path_bytes,
    reals,
    text,
    whole,
    word,
)
from ._lib import ArgumentError, check, file_error, lib

FORMS = ("lj", "lj8", "lj9", "morse", "buck", "morse6", "buck6", "exp6", "formula")
HBONDS = ("repulsion", "attraction", "both", "none")
COULOMBS = ("plain", "clamp", "smooth", "damped", "erf", "none")


class PairModel(Handle):
    """How pairs of atoms interact, by type, instead of UFF's LJ; docs/pair-models.md has the
    formulas.

    charges: whose charges it was fitted with ("mmff94", "qeq-molecules", ..), which systems without
    charges then get.

    form: "lj", "lj8", "lj9", "morse", "buck", "morse6", "buck6", "exp6" or "formula", with the
    formula and its constants. types: a path of a table of atom types, its text, or a dict of
    types, each a dict with r (angstrom, half the distance of the minimum), e (eV) and perhaps q
    (e), h, element and the columns that a formula names. Numbers that are None have the default
    of the form.

    >>> import shoal
    >>> model = shoal.PairModel(form="morse", alpha=1.7, types={"O_3": {"r": 1.75, "e": 0.0026},
    ...                         "H_O": {"r": 1.2, "e": 0.002}})
    >>> model.form, sorted(model.types)
    ('morse', ['H_O', 'O_3'])
    """

    _destroy = "shoal_pair_model_destroy"

    def __init__(
        self,
        form: str = "lj",
        types: Any = None,
        formula: str | None = None,
        *,
        alpha: float | None = None,
        hbond: str = "repulsion",
        coulomb: str = "plain",
        coulomb_damping: float | None = None,
        lambda_: float | None = None,
        radius_charge: float | None = None,
        dispersion_damping: float | None = None,
        scale_14: tuple[float, float] | None = None,
        constants: Mapping[str, float] | None = None,
        columns: Iterable[str] = (),
        sites: Iterable[tuple[str, str, int, str, float]] = (),
        increments: Iterable[tuple[str, str, float]] = (),
        charges_of: Iterable[str] = (),
        neutral: bool = False,
        charges: str | None = None,
    ) -> None:
        if formula is not None and isinstance(form, str) and form == "lj":
            form = "formula"
        for name, value, words in (
            ("form", form, FORMS),
            ("hbond", hbond, HBONDS),
            ("coulomb", coulomb, COULOMBS),
        ):
            choice(name, value, words)
        if types is None:
            raise ArgumentError("types: expected a table of atom types, got None")
        lines = ["shoal_pair_model 1", f"form {form}"]
        if form != "formula":
            lines.append(f"hbond {hbond}")
            lines.append(f"coulomb {coulomb}")
        for name, x in (
            ("alpha", alpha),
            ("coulomb_damping", coulomb_damping),
            ("lambda", lambda_),
            ("radius_charge", radius_charge),
            ("dispersion_damping", dispersion_damping),
        ):
            if x is not None:
                lines.append(f"{name} {number(name, x)!r}")
        if scale_14 is not None:
            vdw, coulomb_14 = reals("scale_14", scale_14, (2,)).tolist()
            lines.append(f"scale_14 {vdw!r} {coulomb_14!r}")
        if formula is not None:
            lines.append(f"formula {_one('formula', formula)}")
        names = [_one("columns", name) for name in listed("columns", columns, "names")]
        lines += [
            f"constant {_one('constants', name)} {number(name, x)!r}"
            for name, x in pairs_of("constants", constants, "{name: number}")
        ]
        lines += [f"column {name}" for name in names]
        lines += [
            f"site {_one('sites', host)} {_one('sites', kind)} {whole('sites', n, 0)} "
            f"{_one('sites', site)} {number('sites', d)!r}"
            for host, kind, n, site, d in _rows_of("sites", sites, 5)
        ]
        lines += [
            f"increment {_one('increments', a)} {_one('increments', b)} "
            f"{number('increments', x)!r}"
            for a, b, x in _rows_of("increments", increments, 3)
        ]
        charged = [_one("charges_of", one) for one in listed("charges_of", charges_of, "elements")]
        if charged:
            lines.append("charges_of " + " ".join(charged))
        if flag("neutral", neutral):
            lines.append("neutral yes")
        if charges is not None:
            lines.append(f"charges {_one('charges', charges)}")
        self._read("\n".join([*lines, "types", _table(types, names)]) + "\n", "PairModel")

    def _read(self, content: str, label: str) -> None:
        data = word("content", content)
        self._create("shoal_pair_model_read_memory", data, len(data), label.encode())

    @classmethod
    def read(cls, path: Any) -> PairModel:
        """A model, as ``shoal fit -o`` writes it, or a plain table of atom types (LJ 12-6)."""
        self = cls.__new__(cls)
        self._create("shoal_pair_model_read", path_bytes("path", path))
        return self

    @classmethod
    def from_text(cls, content: str) -> PairModel:
        """A model from the text of such a file."""
        self = cls.__new__(cls)
        self._read(content, "PairModel.from_text")
        return self

    def write(self, path: Any, comment: str | None = None) -> None:
        """Writes the model with every constant in it; comment stands at the top."""
        note = None if comment is None else word("comment", comment)
        check(lib.shoal_pair_model_write(self._ptr, path_bytes("path", path), note))

    @property
    def text(self) -> str:
        """The file that ``write`` would write."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            self.write(path)
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read()

    @property
    def form(self) -> str:
        """ "lj", .., "exp6", "formula"."""
        return text(lib.shoal_pair_form_name(self._settings().form))

    @property
    def formula(self) -> str | None:
        """The formula of the user, where the form is one."""
        found = self._settings().formula
        return text(found) if found else None

    @property
    def charges(self) -> str | None:
        """Whose charges the model was fitted with: "mmff94", .., or None if it does not say."""
        found = self._settings().charges
        return text(lib.shoal_charge_source_name(found)) if found else None

    @property
    def is_table(self) -> bool:
        """Whether it comes from a plain table of types."""
        return bool(self._settings().is_table)

    def _settings(self) -> Any:
        return lib.shoal_pair_model_settings(self._ptr).contents

    @property
    def types(self) -> dict[str, dict[str, Any]]:
        """Types by name, with r (angstrom), e (eV), q (e), h and element."""
        table = lib.shoal_pair_model_types(self._ptr)
        found = {}
        for k in range(lib.shoal_atom_types_count(table)):
            t = lib.shoal_atom_types_get(table, k).contents
            found[text(t.name)] = {
                "r": t.r,
                "e": t.e,
                "q": t.q,
                "h": t.h,
                "element": text(t.element),
            }
        return found

    def __reduce__(self) -> Any:
        return PairModel.from_text, (self.text,)

    def __repr__(self) -> str:
        n = lib.shoal_atom_types_count(lib.shoal_pair_model_types(self._ptr))
        return f"<PairModel {self.form}, {n} types>"


def _one(name: str, value: Any) -> str:
    """A text without an end of line, as a line of the file has it."""
    return word(name, value).decode("utf-8", "replace").replace("\n", " ")


def _rows_of(name: str, value: Any, n: int) -> list[list[Any]]:
    """Rows of n things."""
    rows = [listed(name, row, f"rows of {n}") for row in listed(name, value, f"rows of {n}")]
    for row in rows:
        if len(row) != n:
            raise ArgumentError(f"{name}: expected rows of {n}, got {brief(row)}")
    return rows


def _table(types: Any, columns: list[str]) -> str:
    """The text of a table of atom types."""
    if isinstance(types, Mapping):
        return "# units: eV\n" + "\n".join(_row(name, row, columns) for name, row in types.items())
    if isinstance(types, str) and "\n" in types:
        return types
    if not isinstance(types, (str, bytes, os.PathLike)):
        raise ArgumentError(f"types: expected a path, text or dict, got {brief(types)}")
    path = os.fsdecode(path_bytes("types", types))
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        raise file_error(f"types: {path}: {error.strerror}") from None


def _row(name: str, row: Any, columns: list[str]) -> str:
    name, label = _one("types", name), f"types[{brief(name)}]"
    lacks = [c for c in ("r", "e", *columns) if not isinstance(row, Mapping) or c not in row]
    if lacks:
        raise ArgumentError(f"{label}: expected a dict with {', '.join(lacks)}, got {brief(row)}")
    r, e = number(f"{label} r", row["r"]), number(f"{label} e", row["e"])
    more = [number(f"{label} {c}", row[c]) for c in columns]
    q, h = (number(f"{label} {c}", row.get(c, 0.0)) for c in ("q", "h"))
    element = row.get("element", name.split("_")[0].rstrip("+-"))
    words = [
        name,
        row.get("parent", "*"),
        element,
        row.get("epair", "E"),
        *(whole(f"{label} {k}", row.get(k, 0), 0) for k in ("valence", "n_epair", "n_pi", "sym")),
        number(f"{label} r_covalent", row.get("r_covalent", 0.7)),
        r,
        e,
        q,
        h,
        *more,
    ]
    return " ".join(map(str, words))


def model_of(params: Any) -> PairModel | None:
    """A model of ``params=``: None, a model, or the path of one."""
    if params is None or isinstance(params, PairModel):
        return params
    if isinstance(params, (str, os.PathLike)):
        return PairModel.read(params)
    raise ArgumentError(f"params: expected a PairModel or a path, got {brief(params)}")
