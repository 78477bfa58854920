"""Imports between folders point down, at module level, through the public name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = "stratagem"
ROOT = Path(__file__).parents[1] / "src" / PACKAGE
LAYERS = (  # lowest first; members of one row may not import each other
    ("_base",),
    ("_private",),
    ("_cluster",),
    ("_core",),
    ("_ops",),
    ("_checkpoints", "_data", "_events"),
    ("_strategies",),
    ("_servers",),
    ("_training",),
    ("graph",),
    ("estimator",),
    ("cli", "testing"),
)
LEVEL = {name: level for level, row in enumerate(LAYERS) for name in row}
TABLE = ROOT / "__init__.py"  # imports nothing itself: it maps names to the modules that have them
MODULES = [path for path in sorted(ROOT.rglob("*.py")) if path != TABLE]


def level_of(part: str) -> int:
    """The row of a file or folder of the package; a public name that is no layer is a namespace, on top."""
    assert part in LEVEL or not part.startswith("_"), f"{part} has no row in LAYERS"
    return LEVEL.get(part, len(LAYERS))


def imports_of(node: ast.AST, package: tuple[str, ...]) -> list[list[str]]:
    """Dotted parts, below the package, of every name of ours that one statement in `package` imports."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        above = package[: len(package) - node.level + 1] if node.level else ()
        names = [".".join([*above, *filter(None, [node.module]), alias.name]) for alias in node.names]
    else:
        names = []
    return [name.split(".")[1:] for name in names if f"{name}.".startswith(f"{PACKAGE}.")]


def for_types_only(tree: ast.Module) -> set[ast.AST]:
    """Everything under `if TYPE_CHECKING:`, which never runs."""
    blocks = [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test).endswith("TYPE_CHECKING")]
    return {inner for block in blocks for inner in ast.walk(block)}


def violations(source: str, parts: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with the imports of the module at `parts`, its path below the package."""
    own = parts[0].removesuffix(".py")
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for imported in imports_of(node, (PACKAGE, *parts[:-1])):
            where = f"line {node.lineno}: {own} imports {'.'.join(imported) or PACKAGE}"
            if not imported:
                yield f"{where}, which is the whole package"
                continue
            part, *rest = imported
            if node not in tree.body:
                yield f"{where} inside a block"
            if part == own:
                continue
            if level_of(part) >= level_of(own):
                yield f"{where}, which is not below it"
            if any(name.startswith("_") for name in rest):
                yield f"{where}, which is private"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    assert list(violations(path.read_text(), path.relative_to(ROOT).parts)) == []


@pytest.mark.parametrize(
    ("source", "parts", "complaint"),
    [
        ("from stratagem.cli import main", ("_base", "_run.py"), "not below"),
        ("from ..cli import main", ("_base", "_run.py"), "not below"),
        ("from stratagem._base._mirrored import Mirrored", ("cli", "_run.py"), "private"),
        ("def f():\n    from stratagem._base import errors", ("cli", "_run.py"), "inside a block"),
        ("import stratagem as tf", ("cli", "_run.py"), "whole package"),
        ("from stratagem import data", ("train.py",), "not below"),
    ],
)
def test_the_check_sees(source: str, parts: tuple[str, ...], complaint: str) -> None:
    assert any(complaint in found for found in violations(source, parts))


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("from stratagem._base.errors import OpError", ("cli", "_run.py")),
        ("from stratagem._base import errors", ("cli", "_run.py")),
        (
            "from . import _trace\nfrom ._trace import _inner\nfrom stratagem.cli._trace import _inner",
            ("cli", "_run.py"),
        ),
        ("from stratagem._base import job as job", ("distribute.py",)),
        ("import jax\nfrom jax import numpy", ("_private", "_mesh.py")),
    ],
)
def test_the_check_allows(source: str, parts: tuple[str, ...]) -> None:
    assert list(violations(source, parts)) == []


def test_package_imports_lazily_through_its_table() -> None:
    tree = ast.parse(TABLE.read_text())
    unseen = for_types_only(tree)
    # All but two: `backend` has to tell Keras before the program imports it, `log` is there first; both import nothing.
    found = {n: imports_of(n, (PACKAGE,)) for n in ast.walk(tree) if n not in unseen}
    eager = [
        n.lineno
        for n, names in found.items()
        if any(name not in (["_base", "backend"], ["_base", "log"]) for name in names)
    ]
    assert not eager, f"lines {eager} of __init__.py import our modules; name them in the table instead"


@pytest.mark.parametrize(
    "folder",
    [
        ROOT / name
        for name in LEVEL
        if (ROOT / name).is_dir() and name not in ("_base", "_cluster", "_core", "_data", "_servers")
    ],
    ids=lambda path: path.name,
)
def test_files_of_a_folder_are_private(folder: Path) -> None:
    assert [path.name for path in folder.rglob("*.py") if not path.name.startswith("_")] == []


# The folders of the pipeline, lowest first; its other modules put them together as `Dataset`, between the last two rows.
PIPELINE = (
    ("elements",),
    ("stages",),
    ("functions", "caching"),
    ("_dataset_base",),
    ("grouping",),
    (),
    ("files", "foreign", "distribution"),
)
PIPELINE_LEVEL = {name: level for level, row in enumerate(PIPELINE) for name in row}
DATASET = PIPELINE.index(())


def pipeline_level(part: str) -> int:
    """The row of a file or folder of the pipeline."""
    return PIPELINE_LEVEL.get(part.removesuffix(".py"), DATASET)


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path.is_relative_to(ROOT / "_data") and path != ROOT / "_data" / "__init__.py"],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_imports_within_the_pipeline_point_down(path: Path) -> None:
    own = path.relative_to(ROOT / "_data").parts[0].removesuffix(".py")
    imported = [
        name[1]
        for node in ast.walk(ast.parse(path.read_text()))
        for name in imports_of(node, (PACKAGE, *path.relative_to(ROOT).parts[:-1]))
        if name[0] == "_data"
    ]
    level = pipeline_level(own)
    wrong = [
        name
        for name in imported
        if name != own and not (pipeline_level(name) < level or level == pipeline_level(name) == DATASET)
    ]
    assert wrong == []
