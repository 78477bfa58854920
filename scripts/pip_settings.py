"""Prints the indexes, certificates and constraints that pip is told of on this machine as variables for uv, which reads none.

eval "$(python scripts/pip_settings.py)"
"""

import ast
import os
import shlex
import subprocess
import sys

# By pip's option: uv's variable. Several values are separated by spaces or lines in both.
_VARIABLES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "constraint": "UV_CONSTRAINT",
    "cert": "SSL_CERT_FILE",
}


def uv_settings() -> dict[str, str]:
    """Returns variables for uv. Those that are set already stay."""
    asked = [sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list"]
    told = subprocess.run(asked, capture_output=True, text=True).stdout
    settings = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # as pip: the best version of all indexes
    for line in told.splitlines():
        option, _, value = line.partition("=")
        variable = _VARIABLES.get(option.rpartition(".")[2])
        if variable is not None:
            settings[variable] = " ".join(str(ast.literal_eval(value)).split())
    if "UV_FIND_LINKS" in settings:
        settings["UV_FIND_LINKS"] = settings["UV_FIND_LINKS"].replace(" ", ",")
    return {name: value for name, value in settings.items() if name not in os.environ}


if __name__ == "__main__":
    for name, value in uv_settings().items():
        print(f"export {name}={shlex.quote(value)}")
