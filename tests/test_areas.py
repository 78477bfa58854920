"""`make test AREA=... CHANGED=...` runs the tests that belong to a folder, a building or what has changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import areas
from tests.test_layers import BUILDINGS

ROOT = Path(__file__).parents[1]


def folders(*names: str) -> set[str]:
    """The folders of tests/ that are run for these areas."""
    return {Path(path).name for path in areas.selected(names, []) if not path.endswith(".py")}


def folders_of_files(*names: str) -> set[str]:
    return {Path(path).name for path in areas.selected([], names) if not path.endswith(".py")}


def test_a_folder_of_tests_is_an_area() -> None:
    assert folders("data", "training") == {"data", "training"}


def test_a_building_stands_for_the_folders_that_belong_to_it() -> None:
    assert folders("_checkpoints") == {"checkpoints"}
    assert folders("_data") == {"data", "damage"}


def test_every_building_has_tests_that_exist() -> None:
    assert areas.buildings() == {name for row in BUILDINGS for name in row}
    for name in areas.buildings() - {"_hooks"}:  # whose tests lie in tests/ itself
        assert folders(name), name
        assert folders(name) <= areas.folders(), name


def test_every_folder_of_tests_belongs_to_something() -> None:
    of_buildings = {folder for name in areas.buildings() for folder in areas.of_building(name)}
    assert of_buildings | {folder for some in areas.ELSEWHERE.values() for folder in some} == areas.folders()


def test_tests_of_the_whole_package_come_with_whatever_has_changed() -> None:
    assert "tests/test_layers.py" in areas.selected([], ["README.md"])
    assert areas.selected(["data"], []) == ["tests/data"]


def test_the_tests_of_the_hooks_are_those_of_the_whole_package() -> None:
    assert "tests/test_hooks.py" in areas.selected(["_hooks"], [])


def test_without_an_area_all_tests_are_run() -> None:
    assert areas.selected([], []) == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["src/stratagem/_data/stages/_order.py"], {"data", "damage"}),
        (["src/stratagem/_events/_writers.py", "tests/keras/test_models.py"], {"events", "keras"}),
        (["tests/data/recorded/saved/x"], {"data"}),
        (["tests/test_names.py"], set()),
        (["src/stratagem/nn/__init__.py"], set()),
        (["docs/start.md"], {"docs"}),
        (["examples/mnist.py"], {"examples", "docs"}),
        (["CHANGELOG.md"], set()),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, list) else "",
)
def test_what_has_changed_selects_the_tests_that_belong_to_it(files: list[str], expected: set[str]) -> None:
    assert folders_of_files(*files) == expected
    assert areas.selected([], files)


@pytest.mark.parametrize("file", ["tests/conftest.py", "tests/lean/pandas.py", "pyproject.toml", "Makefile"])
def test_a_change_that_all_tests_depend_on_selects_all(file: str) -> None:
    assert areas.selected([], [file, "docs/start.md"]) == []


def test_an_unknown_area_is_refused_with_those_that_there_are() -> None:
    asked = subprocess.run([sys.executable, ROOT / "scripts" / "areas.py", "dta"], capture_output=True, text=True)
    assert asked.returncode != 0
    assert "there is no 'dta'" in asked.stderr
    assert all(name in asked.stderr for name in ("training", "_checkpoints", "multi_worker"))


def test_git_says_what_has_changed(tmp_path: Path) -> None:
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org"]

    def git(*words: str) -> None:
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    (tmp_path / ".gitignore").write_text("build/\n")
    (tmp_path / "kept.py").write_text("1")
    (tmp_path / "edited.py").write_text("1")
    git("add", ".")
    git("commit", "-m", "first")
    assert areas.changed("HEAD", tmp_path) == []
    (tmp_path / "edited.py").write_text("2")
    (tmp_path / "new.py").write_text("1")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "made.py").write_text("1")
    assert areas.changed("HEAD", tmp_path) == ["edited.py", "new.py"]
    git("commit", "-a", "-m", "second")
    assert areas.changed("HEAD~1", tmp_path) == ["edited.py", "new.py"]


def test_make_runs_the_tests_of_an_area() -> None:
    names = ("AREA", "CHANGED", "GNUMAKEFLAGS", "MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS")  # of a make that runs this test
    environment = {name: value for name, value in os.environ.items() if name not in names}

    def command(*words: str) -> str:
        told = ["make", "--dry-run", "--silent", "test", *words]
        return subprocess.run(told, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout

    assert "scripts/areas.py data training)" in command("AREA=data training")
    assert "scripts/areas.py --changed 1)" in command("CHANGED=1")
    assert "scripts/areas.py )" in command()
