"""The step of a build that makes the public namespaces: they are not in git, but in every wheel."""

import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NamespacesHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `scripts/api.py`. An editable install gets the modules alone, and `make api` makes what describes them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before files are collected. version: `standard` or `editable`."""
        only = ["--namespaces"] if version == "editable" else []
        subprocess.run([sys.executable, "scripts/api.py", *only], cwd=self.root, check=True)
        build_data["artifacts"] += ["/src/stratagem"]
