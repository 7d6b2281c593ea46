# SPDX-License-Identifier: BSD-3-Clause
# Packages that only some of Shoal needs.
"""Optional packages: what to type where one is missing."""

from __future__ import annotations

from ._lib import Error

# Modules by the name of the package that pip installs.
PACKAGES = {
    "rdkit": "rdkit",
    "ase": "ase",
    "distributed": "distributed",
    "matplotlib": "matplotlib",
    "pandas": "pandas",
    "h5py": "h5py",
}


class MissingPackageError(Error, ImportError):
    """A package that this call needs is not installed."""


def missing(what: str, error: ImportError) -> ImportError:
    """The error of a module that could not be imported: what to type, if it is not installed;
    error itself, if it is there and fails."""
    name = (getattr(error, "name", None) or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or name not in PACKAGES:
        return error
    return MissingPackageError(f"{what} needs {name}: pip install {PACKAGES[name]}", name=name)
