"""has_avx512: what the processor of this machine can do."""

import functools
import re
from pathlib import Path

_FACTS = Path("/proc/cpuinfo")


@functools.cache
def has_avx512() -> bool:
    """Returns whether this machine's CPU is known to have AVX-512."""
    return _FACTS.exists() and re.search(r"\bavx512f\b", _FACTS.read_text()) is not None
