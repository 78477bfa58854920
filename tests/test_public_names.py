"""Public names are declared once, and what `make api` makes of the declarations is as they say."""

import ast
import importlib
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from scripts import api, conformance, declarations, public_names, stubs
from scripts.declarations import DeclarationError, Namespace

MADE_BY_PYTHON_3_11 = pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="signatures of unittest's methods, and of built-in classes, differ by Python"
)


@pytest.fixture(scope="module")
def declared() -> dict[str, Namespace]:
    return declarations.namespaces()


@pytest.fixture(scope="module")
def values(declared: dict[str, Namespace]) -> dict[str, dict[str, Any]]:
    return public_names.values(declared)


def test_modules_are_as_the_declarations_say(declared: dict[str, Namespace]) -> None:
    assert api.stale(api.modules(declared)) == [], f"run `{api.COMMAND}`"


def test_stubs_are_as_the_namespaces_are(declared: dict[str, Namespace], values: dict[str, dict[str, Any]]) -> None:
    assert api.stale(stubs.stubs(declared, values)) == [], f"run `{api.COMMAND}`"


@MADE_BY_PYTHON_3_11
def test_the_list_of_public_names_is_up_to_date(values: dict[str, dict[str, Any]]) -> None:
    ((file, text),) = public_names.listed(values).items()
    listed = file.read_text(encoding="utf-8").splitlines()
    now = text.splitlines()
    differences = [f"- {line}" for line in listed if line not in {*now}] + [
        f"+ {line}" for line in now if line not in {*listed}
    ]
    assert differences == [], f"run `{api.COMMAND}`, and see that the public surface changes as you mean it to"


def test_a_file_that_was_changed_is_stale(declared: dict[str, Namespace]) -> None:
    made = api.modules(declared)
    file = next(file for file in made if file.parts[-2:] == ("stratagem", "image.py"))
    assert api.stale({file: f"{made[file]}gone = 1\n"}) == ["src/stratagem/image.py"]


def bound(text: str) -> set[str]:
    """The names that a stub gives to those who import its module: a private one stands for a base class only."""
    found: set[str] = set()
    for node in ast.parse(text).body:
        match node:
            case ast.ImportFrom() | ast.Import():
                found |= {alias.asname for alias in node.names if alias.asname}
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                found.add(name)
    return {name for name in found if public_names.is_public(name)}


def test_a_stub_has_the_names_of_its_namespace_and_no_others(
    declared: dict[str, Namespace], values: dict[str, dict[str, Any]]
) -> None:
    files = {path: file.with_suffix(".pyi") for path, file in declarations.files_of(declared).items()}
    files[""] = stubs.ITSELF
    for path, names in values.items():
        assert bound(files[path].read_text(encoding="utf-8")) == set(names), path


@pytest.mark.parametrize("path", ["", "image", "keras.layers", "compat.v1", "compat.v1.flags"])
def test_a_star_import_brings_every_name(path: str, values: dict[str, dict[str, Any]]) -> None:
    brought: dict[str, Any] = {}
    exec(f"from {f'stratagem.{path}'.rstrip('.')} import *", brought)
    expected = {name for name in values[path] if not name.startswith("_")}
    assert expected - {*brought} == set()


def test_a_name_may_be_replaced_and_is_found_where_it_is_defined(monkeypatch: pytest.MonkeyPatch) -> None:
    image = importlib.import_module("stratagem.image")
    vars(image).pop("adjust_gamma", None)
    assert image.adjust_gamma.__module__ == "stratagem._ops.images._colors"
    assert "adjust_gamma" in vars(image), "each use would look it up"
    monkeypatch.setattr(image, "adjust_gamma", len)
    assert image.adjust_gamma is len
    monkeypatch.undo()
    assert inspect.signature(image.adjust_gamma).parameters.keys() == {"image", "gamma", "gain"}


def test_what_is_missing_on_purpose_is_missing() -> None:
    assert conformance.idle_reasons() == []


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source folder with a namespace `image` and a module that may declare names in it."""
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "tf.pyi").write_text('"""All."""\n')
    (tmp_path / "api" / "image.pyi").write_text('"""Images."""\n')
    (tmp_path / "src" / "stratagem" / "_ops").mkdir(parents=True)
    monkeypatch.setattr(declarations, "FILES", tmp_path / "api")
    monkeypatch.setattr(declarations, "SOURCE", tmp_path / "src")
    declarations.exports.cache_clear()
    yield tmp_path
    declarations.exports.cache_clear()


def declare(package: Path, code: str) -> None:
    (package / "src" / "stratagem" / "_ops" / "_colors.py").write_text(textwrap.dedent(code))


def test_every_form_of_a_declaration_is_read(package: Path) -> None:
    (package / "api" / "image.pyi").write_text(
        '"""Images."""\n\nimport numpy as np\nfrom keras import ops as k\nSIZE = 3\n'
    )
    declare(
        package,
        """
        @exported("image.flip", "flip")
        @cached
        def mirrored(image): ...
        @exported("image.Method")
        class Kind: ...
        gamma = exported("image.gamma")(make("gamma"))
        LIMIT: Final = exported("image.LIMIT")(3)
        Tensor = jax.Array
        exported("Tensor", lacks={"graph": "there are no graphs"})(Tensor)
        """,
    )
    found = declarations.namespaces()
    places = {name: (place.module, place.attribute) for name, place in found["image"].places.items()}
    colors = "stratagem._ops._colors"
    assert places == {
        "np": ("numpy", ""), "k": ("keras", "ops"), "flip": (colors, "mirrored"), "Method": (colors, "Kind"),
        "gamma": (colors, "gamma"), "LIMIT": (colors, "LIMIT"),
    }  # fmt: skip
    assert found["image"].values == {"SIZE": 3}
    assert found[""].places.keys() == {"flip", "Tensor"}
    assert declarations.deliberate()["Tensor.graph"] == "there are no graphs"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            '@exported("image.a")\ndef a(): ...\n@exported("image.a")\ndef b(): ...\n',
            r"image\.a is declared twice: .*a and .*b",
        ),
        ('@exported("images.a")\ndef a(): ...\n', r"declared as images\.a, and there is no namespace 'images'"),
        ("@exported(NAME)\ndef a(): ...\n", r"`exported\(NAME\)` has to have literals only"),
    ],
    ids=["a name twice", "a namespace that is not there", "a name that is computed"],
)
def test_a_wrong_declaration_is_refused(code: str, message: str, package: Path) -> None:
    declare(package, code)
    with pytest.raises(DeclarationError, match=message):
        declarations.namespaces()


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "has no docstring"), ('"""Images."""\ndef a(): ...\n', "is no import and no literal")],
    ids=["without a docstring", "with code"],
)
def test_a_wrong_file_of_a_namespace_is_refused(text: str, message: str, package: Path) -> None:
    (package / "api" / "image.pyi").write_text(text)
    with pytest.raises(DeclarationError, match=message):
        declarations.namespaces()


def test_a_checkout_without_namespaces_says_how_to_make_them(tmp_path: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "src/stratagem"], cwd=api.ROOT, capture_output=True, text=True, check=False, timeout=60
    ).stdout.split()
    if not tracked:
        pytest.skip("this is no checkout")
    for name in tracked:
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(api.ROOT / name)
    program = "import stratagem as tf; tf.add"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path / "src", capture_output=True, text=True, check=False, timeout=300
    )
    assert "ImportError" in run.stderr
    assert "make api" in run.stderr
