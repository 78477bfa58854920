"""Messages that ask for an extra name the command that installs it from where this library came."""

import importlib.metadata
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stratagem._base.installation import install_command

SOURCE = Path(__file__).parents[2] / "src"


@pytest.mark.parametrize(
    ("noted", "command"),
    [
        (None, "pip install 'stratagem[cluster]'"),
        ({"url": "file:///home/me/a%20b", "dir_info": {}}, "pip install '/home/me/a b[cluster]'"),
        (
            {"url": "file:///home/me/s-1.whl", "archive_info": {}},
            "pip install 'stratagem[cluster] @ file:///home/me/s-1.whl'",
        ),
        (
            {"url": "https://example.org/s.git", "vcs_info": {"vcs": "git", "commit_id": "1a"}},
            "pip install 'stratagem[cluster] @ git+https://example.org/s.git@1a'",
        ),
    ],
    ids=["index", "checkout", "wheel", "git"],
)
def test_the_command_names_where_this_library_came_from(
    noted: Any, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = SimpleNamespace(read_text=lambda name: noted and json.dumps(noted))
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: installed)
    assert install_command("cluster") == command
    assert install_command().count("[") == 0
    assert install_command(again=True).startswith("pip install --force-reinstall '")


def test_files_that_are_only_on_the_path_are_installed_in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    assert install_command("text") == "pip install '.[text]' in the checkout"


def test_no_message_names_a_command_of_its_own() -> None:
    found = [path for path in SOURCE.rglob("*.py") if re.search(r"pip install [^\n]*stratagem", path.read_text())]
    assert not found
