"""The step of a build that makes the public namespaces: they are not in git, but in every wheel."""

import shutil
import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NamespacesHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `scripts/api.py`. An editable install gets the modules alone, and `make api` makes what describes them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before files are collected. version: `standard` or `editable`."""
        if not self._is_made():
            only = ["--namespaces"] if version == "editable" else []
            subprocess.run([sys.executable, "scripts/api.py", *only], cwd=self.root, check=True)
        build_data["artifacts"] += ["/src/stratagem"]

    def _is_made(self) -> bool:
        """Whether `make api` has nothing to do: in a checkout whose tests are run."""
        asked = ["make", "--question", "build/.api"]
        return (
            shutil.which("make") is not None
            and subprocess.run(asked, cwd=self.root, capture_output=True).returncode == 0
        )
