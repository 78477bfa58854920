# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

__all__ = [
    "load_data"
]  # fmt: skip

def load_data(label_mode: Any = "fine") -> Any: ...
