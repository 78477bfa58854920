"""Dtypes by the names that files have: a file's author chooses the text, and NumPy takes some texts for small programs."""

import re
from typing import Any, Final

import numpy as np

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")


def named_dtype(name: Any) -> np.dtype:
    """The dtype whose name a file has, as `str(dtype)` writes it: one word, as "float32", "bfloat16" or "object".

    Raises ValueError for all else, also for what NumPy would take apart, such as lists of dtypes with commas.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{name!r:.100} is no name of a dtype")
    try:
        found = np.dtype(name)
    except TypeError as error:
        raise ValueError(f"{name!r:.100} is no name of a dtype") from error
    if str(found) != name:
        raise ValueError(f"{name!r:.100} is no name of a dtype, {str(found)!r} is")
    return found
