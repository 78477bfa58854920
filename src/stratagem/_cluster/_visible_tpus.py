"""visible_tpus: the number of TPU chips that JAX would use in this process, found without starting it."""

import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path

# The kernel's device files, by the generation of the TPU: up to v4, and later ones.
_DEVICES = ((".", re.compile(r"accel\d+\Z")), ("vfio", re.compile(r"\d+\Z")))


def visible_tpus(environ: Mapping[str, str], devices: Path = Path("/dev")) -> int:
    """Returns how many TPU chips there are: none without libtpu, or where JAX_PLATFORMS names other platforms only."""
    platforms = environ.get("JAX_PLATFORMS", "")
    if (platforms and "tpu" not in platforms.split(",")) or importlib.util.find_spec("libtpu") is None:
        return 0
    return max(sum(bool(name.match(path.name)) for path in (devices / folder).glob("*")) for folder, name in _DEVICES)
