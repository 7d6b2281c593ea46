# SPDX-License-Identifier: BSD-3-Clause
# Recipes of other packagers, checked as far as they can be without them: recipes.py SDIST FOLDER.
"""packaging/conda is rendered by rattler-build, packaging/spack compiled and linted by ruff. FOLDER gets the
recipes with version and checksum of the sdist."""

import ast
import pathlib
import subprocess
import sys

import sources

TOP = pathlib.Path(__file__).resolve().parents[2]
RECIPES = {"conda": "recipe.yaml", "spack": "package.py"}


def tool(*words):
    subprocess.run([sys.executable, "-m", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def filled(sdist, folder):
    """The recipes with what belongs to this sdist."""
    version = sdist.name.removeprefix("shoal-").removesuffix(".tar.gz")
    for place, name in RECIPES.items():
        text = (TOP / "packaging" / place / name).read_text(encoding="utf-8")
        if f'"{version}"' not in text or "@SHA256@" not in text:
            raise SystemExit(f"release: packaging/{place}/{name}: no version {version}, or no place for the checksum")
        path = folder / place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("@SHA256@", sources.sha256(sdist)), encoding="utf-8")
        yield path


def check_conda(path):
    from rattler_build import Stage0Recipe, VariantConfig

    recipe = Stage0Recipe.from_yaml(path.read_text(encoding="utf-8"))
    rendered = recipe.render(VariantConfig.from_file(TOP / "packaging/conda/variants.yaml"))
    if not rendered:
        raise SystemExit(f"release: {path}: rattler-build renders no package of it")
    print(f"recipes: {path.parent.name}/{path.name}: rattler-build renders {len(rendered)} package")


def check_spack(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = [n.name for n in tree.body if isinstance(n, ast.ClassDef)]
    if classes != ["Shoal"]:
        raise SystemExit(f"release: {path}: expected the class Shoal, found {classes}")
    # Names of spack.package come by its star.
    tool("ruff", "check", "--isolated", "--quiet", "--line-length", "100", "--select", "E,F,W,I", "--ignore", "F403,F405", path)
    tool("ruff", "format", "--isolated", "--quiet", "--line-length", "100", "--check", path)
    print(f"recipes: {path.parent.name}/{path.name}: ruff has nothing to say")


def check(sdist, folder):
    conda, spack = filled(sdist, folder)
    check_conda(conda)
    check_spack(spack)


if __name__ == "__main__":
    check(*(pathlib.Path(word).resolve() for word in sys.argv[1:]))
