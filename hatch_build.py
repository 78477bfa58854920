"""The step of a build that makes the public namespaces: they are not in git, but in every wheel. It adds the kernels."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# scripts/native.py builds it where there is a compiler.
_KERNELS: Final = "src/stratagem/_kernels/libstratagem_kernels.so.1"


class NamespacesHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `scripts/api.py`. An editable install gets the modules alone, and `make api` makes what describes them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before files are collected. version: `standard` or `editable`."""
        if not self._is_made():
            only = ["--namespaces"] if version == "editable" else []
            subprocess.run([sys.executable, "scripts/api.py", *only], cwd=self.root, check=True)
        build_data["artifacts"] += ["/src/stratagem"]
        if version == "standard" and Path(self.root, _KERNELS).exists():
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

    def _is_made(self) -> bool:
        """Whether `make api` has nothing to do: in a checkout whose tests are run."""
        asked = ["make", "--question", "build/.api"]
        return (
            shutil.which("make") is not None
            and subprocess.run(asked, cwd=self.root, capture_output=True).returncode == 0
        )
