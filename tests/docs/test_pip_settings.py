"""uv is told of the indexes and constraints that pip is told of."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "pip_settings.py"


def test_settings_of_pip_are_variables_of_uv(tmp_path: Path) -> None:
    pytest.importorskip("pip", reason="uv made this environment: it has no pip, whose settings could be read")
    config = tmp_path / "pip.conf"
    config.write_text(
        "[global]\nindex-url = https://one/simple\nextra-index-url =\n    https://two/simple\n    https://three/simple\n"
        "find-links =\n    /wheels\n    /more\nconstraint = /limits.txt\n"
    )
    mine = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "UV_")) and k != "SSL_CERT_FILE"}
    environment = mine | {"PIP_CONFIG_FILE": str(config), "UV_CONSTRAINT": "/my own.txt"}
    script = f'eval "$({sys.executable} {SCRIPT})"; echo "$UV_DEFAULT_INDEX|$UV_INDEX|$UV_FIND_LINKS|$UV_CONSTRAINT"'
    told = subprocess.run(["sh", "-c", script], env=environment, capture_output=True, text=True, check=True)
    index, others, links, constraint = told.stdout.strip().split("|")
    assert index == "https://one/simple"
    assert others.split()[-2:] == ["https://two/simple", "https://three/simple"]
    assert links.startswith("/wheels,/more")
    assert constraint == "/my own.txt"
